"""What a player can promise under a Truthtrance: acts of the future that the engine can check (WBC.AID.6 to 12).

An act is a plain value beside the orders: *plays a poison weapon*, *ships to Arrakeen*. How a question's words are read
into one is the business of ``rules.powers.truthtrance``; which orders do it, of ``rules.promises``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import msgspec

from rules.board import TerritoryId
from rules.components import Card, Faction
from rules.orders import CHEAP_HERO as CHEAP_HERO
from rules.orders import QuestionKind

KWISATZ_HADERACH = "kwisatz haderach"  # stands beside leaders in questions about who fights or comes back


class Amount(msgspec.Struct, frozen=True):
    """A number from ``least`` to ``most``; None is no upper bound. A dial may end in a half.

    >>> Amount(2, 4).holds(5)
    False
    """

    least: float = 1
    most: float | None = None

    def holds(self, number: float) -> bool:
        """Whether the number is within the bounds."""
        return self.least <= number and (self.most is None or number <= self.most)


ANY = Amount()


class Act(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Base of all acts."""


class PlayCard(Act, frozen=True):
    """Plays one of these cards: in a battle plan, or one that is played by itself, at its time."""

    cards: tuple[Card, ...]


class Lead(Act, frozen=True):
    """Fights with one of these: leaders' names, ``CHEAP_HERO`` or ``KWISATZ_HADERACH``."""

    leaders: tuple[str, ...]


class Dial(Act, frozen=True):
    """Dials so much."""

    amount: Amount


class CallTreachery(Act, frozen=True):
    """Calls a traitor."""


class BidFor(Act, frozen=True):
    """Bids so much for a card."""

    amount: Amount = ANY


class ShipTo(Act, frozen=True):
    """Ships so many tokens to the territory; None is anywhere on Dune."""

    territory: TerritoryId | None = None
    amount: Amount = ANY


class MoveTo(Act, frozen=True):
    """Moves so many tokens to the territory; None is anywhere."""

    territory: TerritoryId | None = None
    amount: Amount = ANY


class SendAdvisor(Act, frozen=True):
    """Sends a spiritual advisor to the territory; None is anywhere."""

    territory: TerritoryId | None = None


class AllyWith(Act, frozen=True):
    """Names the faction as an ally."""

    faction: Faction


class LeaveAlliance(Act, frozen=True):
    """Breaks his alliance."""


class RideWorm(Act, frozen=True):
    """Rides a worm to the territory; None is anywhere."""

    territory: TerritoryId | None = None


class ReviveTokens(Act, frozen=True):
    """Revives so many tokens."""

    amount: Amount = ANY


class ReviveOneOf(Act, frozen=True):
    """Revives one of these leaders (or the Kwisatz Haderach)."""

    leaders: tuple[str, ...]


class TakeCharity(Act, frozen=True):
    """Claims charity."""


AnyAct = (
    PlayCard | Lead | Dial | CallTreachery | BidFor | ShipTo | MoveTo | SendAdvisor | AllyWith | LeaveAlliance |
    RideWorm | ReviveTokens | ReviveOneOf | TakeCharity
)  # fmt: skip


@dataclass(slots=True)
class Scope:
    """When a promise holds: in these turns, and if named only in a battle there or with that opponent, only for this
    card of the auction, only at this nexus."""

    first_turn: int
    last_turn: int
    in_battle: bool = False
    territory: TerritoryId | None = None
    opponent: Faction | None = None
    card: int = 0
    nexus: bool = False


@dataclass(slots=True)
class Promise:
    """An answer about the future that stands.

    ``act`` is None where the engine cannot check it; then the one who answered is reminded of it at questions of the
    kinds in ``remind_at``. ``made`` is the number of the event that told the answer: of two bonds the earlier wins
    (A-47).
    """

    faction: Faction
    asker: Faction
    question: str
    word: Literal["yes", "no"]
    made: int
    scope: Scope
    act: AnyAct | None = None
    remind_at: list[QuestionKind] = field(default_factory=list)
