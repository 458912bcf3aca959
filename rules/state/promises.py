"""What a player can promise under a Truthtrance: acts of the future that the engine can check (WBC.AID.6 to 12).

An act is a plain value beside the orders: *plays a poison weapon*, *ships to Arrakeen*. How a question's words are read
into one is the business of ``rules.cards.truthtrance``; which orders do it, of ``rules.promises``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import msgspec

from rules.components import Card, Faction
from rules.components.board import TerritoryId
from rules.orders import CHEAP_HERO as CHEAP_HERO
from rules.orders import Element, QuestionKind

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


class Enter(Act, frozen=True):
    """Goes into the territory, by a shipment or by a move."""

    territory: TerritoryId


class Attack(Act, frozen=True):
    """Goes, by a shipment or by a move, where the faction stands; a territory of None is anywhere."""

    faction: Faction
    territory: TerritoryId | None = None


class UseVoice(Act, frozen=True):
    """Gives a command by the Voice."""


class UsePrescience(Act, frozen=True):
    """Asks for one of these elements of a battle plan."""

    elements: tuple[Element, ...] = get_args(Element)


class GiveSpice(Act, frozen=True):
    """Gives the faction so much spice, in Collection or as the Emperor to his ally."""

    faction: Faction
    amount: Amount = ANY


AnyAct = (
    PlayCard | Lead | Dial | CallTreachery | BidFor | ShipTo | MoveTo | SendAdvisor | AllyWith | LeaveAlliance |
    RideWorm | ReviveTokens | ReviveOneOf | TakeCharity | Enter | Attack | UseVoice | UsePrescience | GiveSpice
)  # fmt: skip
IN_BATTLE = (PlayCard, Lead, Dial, CallTreachery, UseVoice, UsePrescience)
"""What may be promised of a battle in one place or with one opponent."""


class Does(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the faction does this. It is met once all have heard of it."""

    faction: Faction
    act: AnyAct


class Buys(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the faction wins this card of the auction (0: any card)."""

    faction: Faction
    card: int = 0


class Comes(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: a nexus comes, or a worm appears."""

    what: Literal["nexus", "worm-appeared"]


class Allied(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the two are allied when it comes to the act."""

    one: Faction
    other: Faction


class Stands(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the faction has tokens in the territory when it comes to the act."""

    faction: Faction
    territory: TerritoryId


class Holds(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the one who promised holds one of these cards when it comes to the act."""

    cards: tuple[Card, ...]


Condition = Does | Buys | Comes | Allied | Stands | Holds


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
    (A-47). ``negative``: the question asked whether he will *not*. What is promised under a ``condition`` binds while
    that is ``met`` (WBC.AID.7); ``read_to`` is the number of the first event that has not been looked at for it.
    """

    faction: Faction
    asker: Faction
    question: str
    word: Literal["yes", "no"]
    made: int
    scope: Scope
    act: AnyAct | None = None
    remind_at: list[QuestionKind] = field(default_factory=list)
    negative: bool = False
    condition: Condition | None = None
    met: bool = False
    read_to: int = 0

    @property
    def forbids(self) -> bool:
        """Whether the act is ruled out; else it is to be done."""
        return (self.word == "no") != self.negative

    @property
    def binds(self) -> bool:
        """Whether it is on: nothing has to happen first, or that has happened."""
        return self.condition is None or self.met
