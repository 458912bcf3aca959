"""How a table of a tournament ended, as all scoring, standings, ratings and statistics get it.

A result is never changed: a later one supersedes it (``version``).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

import msgspec

from rules.components import Faction

Handle = str
"""How an entrant is called in public: "E001". It is never used again for another."""

Kind = Literal["stronghold", "prediction", "default", "adjudicated", "agreed", "void"]
"""How a table was decided: by strongholds (at the end of a turn, or most of them at the end of the last), by a
prediction, by the default of a faction (Fremen, Guild), on the public board because it was stopped (``adjudicated``),
by consent of all seats (``agreed``); ``void``: by nothing, it scores nothing."""

Why = Literal["seated", "substitute", "caretaker", "no-show"]
"""Why somebody holds a seat from a turn on. ``caretaker``: nobody does, Mentat plays it."""


class Tenure(msgspec.Struct, frozen=True, kw_only=True):
    """Who held a seat from which turn to which, both included. ``entrant`` is "" where nobody did (``caretaker``).
    ``resigned``: they said that they leave, others were silent. ``ordered``: whether they ever sent an order."""

    entrant: Handle
    first: int
    last: int
    why: Why = "seated"
    resigned: bool = False
    ordered: bool = True


class SeatOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A seat at the end of its game: its dot, who held it, the strongholds it held then, and the sum of those that it
    held at the end of each turn (divided by the turns it is the strongholds per turn). ``price``: what its first holder
    paid for the faction in an auction, in tenths of a point."""

    faction: Faction
    dot: int
    tenures: tuple[Tenure, ...]
    strongholds: int = 0
    strongholds_over_turns: int = 0
    price: int = 0


class TableOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a table: who won, how, and in which turn. ``how`` is the game's own word for it ("strongholds",
    "prediction", "fremen", "guild", "most strongholds", "" where no game said one). ``round`` and ``table`` are 0 for a
    game outside a tournament. ``days`` and ``letters``: how long the game took, and how many letters it needed, 0 where
    unknown. ``alliances``: those at the end, ``first_alliances`` those of the first nexus; ``traitors``: how many a
    faction called. ``rules`` are where the game differs from its rule set."""

    game: str
    ruleset: str
    kind: Kind
    winners: tuple[Faction, ...]
    turn: int
    seats: tuple[SeatOutcome, ...]
    round: int = 0
    table: int = 0
    version: int = 1
    how: str = ""
    ended: date | None = None
    days: int = 0
    letters: int = 0
    alliances: tuple[tuple[Faction, ...], ...] = ()
    first_alliances: tuple[tuple[Faction, ...], ...] = ()
    traitors: Mapping[Faction, int] = {}
    rules: Mapping[str, Any] = {}

    def seat(self, faction: Faction) -> SeatOutcome:
        """The seat of a faction. KeyError if nobody plays it."""
        for seat in self.seats:
            if seat.faction == faction:
                return seat
        raise KeyError(faction)
