"""How a table of a tournament ended: the value from which scoring, standings, ratings and statistics are computed.

A result never changes: a later version supersedes it (``version``). It names at most three winners, who sit at the
table, each once, and none if the table is void.

A game that was stopped before its last turn is decided on the public board of the last completed pause. A side is one
player or an alliance. The side that lacks the fewest strongholds is ahead; then the one that holds more; then the one
with more tokens in strongholds; then the one with a member earlier in storm order. Predictions and defaults do not
count. If nobody holds a stronghold nobody has won, and the table scores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, get_args

import msgspec

from rules.components import Faction, faction_name

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


MOST_WINNERS = 3
"""So many are the greatest alliance."""


class ResultRefused(ValueError):
    """This cannot be the result of a table; the message is a sentence that says why, and what can."""


def require_possible_result(outcome: TableOutcome) -> None:
    """ResultRefused if this cannot be the result of its table."""
    where = f"table {outcome.round}.{outcome.table}"
    if outcome.kind not in get_args(Kind):
        raise ResultRefused(f"{outcome.kind!r} is no way in which a game ends: {', '.join(get_args(Kind))}.")
    seated = [seat.faction for seat in outcome.seats]
    for faction in outcome.winners:
        if faction not in seated:
            named = ", ".join(seated)
            raise ResultRefused(f"{faction_name(faction)} does not sit at {where}; there are {named}.")
        if outcome.winners.count(faction) > 1:
            raise ResultRefused(f"{faction_name(faction)} is named twice among the winners of {where}.")
    if len(outcome.winners) > MOST_WINNERS:
        raise ResultRefused(f"{len(outcome.winners)} winners are too many for {where}: {MOST_WINNERS} are the most.")
    if outcome.kind == "void" and outcome.winners:
        raise ResultRefused(f"What is void has no winners: name a kind of win, or no winners of {where}.")
    if outcome.kind != "void" and not outcome.winners:
        raise ResultRefused(f"{where.capitalize()} has no winner: name one, or say that its result is void.")


Decider = Literal["deficit", "strongholds", "tokens", "storm", ""]


@dataclass(frozen=True, slots=True)
class Side:
    """A side on the public board: how many strongholds it needs and holds, its tokens in those that it holds, and the
    place in the order of the storm (1 is first) of the first of its members."""

    members: tuple[Faction, ...]
    needed: int
    held: int
    tokens: int
    order: int

    @property
    def deficit(self) -> int:
        """How many strongholds it lacks; 0 or less: it has enough."""
        return self.needed - self.held


@dataclass(frozen=True, slots=True)
class StoppedGame:
    """What a stopped game ends like. ``by`` is what put the winners before the next side ("": there is none)."""

    kind: Literal["adjudicated", "void"]
    winners: tuple[Faction, ...]
    by: Decider
    sides: tuple[Side, ...]


def decide_stopped_game(sides: Sequence[Side]) -> StoppedGame:
    """How a game ends that is stopped with this board. ValueError without sides, or if two of them share a member.

    >>> pair, alone = Side(("atreides", "emperor"), 4, 3, 9, 2), Side(("harkonnen",), 3, 2, 12, 1)
    >>> decide_stopped_game([alone, pair]).winners, decide_stopped_game([alone, pair]).by
    (('atreides', 'emperor'), 'strongholds')
    """
    members = [member for side in sides for member in side.members]
    if not members or len(set(members)) < len(members):
        raise ValueError(f"no sides of a table: {sides!r}")
    ranked = tuple(sorted(sides, key=lambda side: (_rank_of(side), side.members)))
    if not any(side.held for side in ranked):
        return StoppedGame("void", (), "", ranked)
    return StoppedGame("adjudicated", ranked[0].members, _decider(ranked), ranked)


def _rank_of(side: Side) -> tuple[int, int, int, int]:
    return side.deficit, -side.held, -side.tokens, side.order


def _decider(ranked: Sequence[Side]) -> Decider:
    if len(ranked) == 1:
        return ""
    deciders: tuple[Decider, ...] = ("deficit", "strongholds", "tokens", "storm")
    for decider, first, second in zip(deciders, _rank_of(ranked[0]), _rank_of(ranked[1]), strict=True):
        if first != second:
            return decider
    return ""
