"""What the archive is made from. Nothing else reaches it: there is no field for an address, a zone or an hour.

``bot.store.archived`` reads these values from the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from bot.config.archive_policy import Policy as Policy
from bot.press.archived import Shown as Shown
from bot.record.cast import Cast as Cast
from bot.record.cast import FiledLine as FiledLine
from bot.record.lines import AnyLine
from rules.components import Faction
from rules.state.events import Event


@dataclass(frozen=True, slots=True)
class Place:
    """The table of a tournament at which a game is played."""

    tournament: str
    title: str
    round: int
    table: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that is over. ``record`` is its `game.jsonl`, ``lines`` the same decoded."""

    id: str
    record: bytes
    lines: Sequence[AnyLine]
    cast: Mapping[Faction, Cast]
    policy: Policy = field(default_factory=Policy)
    sheets: Sequence[FiledLine] = ()
    began: date | None = None
    ended: date | None = None
    place: Place | None = None
    press: Sequence[Shown] = ()


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """Somebody in the public list of ratings: by the name that they agreed to, or a number. ``uncertainty`` is what
    stands behind ±, ``rank`` 0 where they have played too few games."""

    name: str
    rating: int
    uncertainty: int
    games: int
    rank: int = 0


@dataclass(frozen=True, slots=True)
class FactionWorth:
    """What a faction adds to a rating, in tenths, in a rule set at a table of so many."""

    ruleset: str
    size: int
    faction: Faction
    tenths: int


@dataclass(frozen=True, slots=True)
class RatingList:
    """The public list of ratings, the best first, and what factions are worth; by the games of tournaments that are
    over."""

    players: Sequence[RatedPlayer] = ()
    factions: Sequence[FactionWorth] = ()


@dataclass(frozen=True, slots=True)
class Running:
    """A game under way as everybody saw it at the end of a phase: the public ``view`` there (``rules.views``), the
    ``events`` of the game so far stripped of what only some know, and the public view at the end of each turn."""

    id: str
    ruleset: str
    options: Mapping[str, Any]
    cast: Mapping[Faction, Cast]
    policy: Policy
    view: Mapping[str, Any]
    events: Sequence[Event]
    ends_of_turns: Mapping[int, Mapping[str, Any]]
    place: Place | None = None
