"""The outcome of a tournament table, from which scoring, standings, ratings and statistics are computed.

A result never changes; instead, a later version supersedes it (``version``). It names at most three winners, each of
whom sits at the table and is named only once. If the table is void, it names none.

A game that is stopped before its last turn is decided by the public board at the last completed Mentat pause. A side is
one player or an alliance. The side that needs the fewest additional strongholds to win is ahead. Ties are broken by the
number of strongholds held, then by tokens in strongholds, then by the first member's place in storm order. Predictions
and defaults do not count. If nobody holds a stronghold, nobody wins and nobody scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, get_args

import msgspec

from rules.components import Faction, the_faction

Handle = str
"""The public name of an entrant: "E001". It is never reused for another entrant."""

Kind = Literal["stronghold", "prediction", "default", "adjudicated", "agreed", "void"]
"""How a table was decided.

- ``stronghold``: by strongholds at the end of a turn, or by the most strongholds at the end of the last turn
- ``prediction``: by a prediction
- ``default``: by the default victory of a faction (Fremen, Guild)
- ``adjudicated``: by the public board, because the game was stopped, or by a ruling
- ``agreed``: by consent of all seats
- ``void``: not decided, and nobody scores
"""
WAYS_TO_WIN: tuple[Kind, ...] = get_args(Kind)

Why = Literal["seated", "substitute", "caretaker", "no-show"]
"""How a player came to hold a seat. ``caretaker`` means that nobody holds it and Mentat plays it."""


CAN_WIN: Mapping[Kind, tuple[Faction, ...]] = {"prediction": ("bene-gesserit",), "default": ("fremen", "guild")}
"""For some kinds of win, the only factions that can win in this way. An ally may share their win."""


class Tenure(msgspec.Struct, frozen=True, kw_only=True):
    """The turns during which an entrant held a seat, including the first and the last of them. ``entrant`` is "" if
    Mentat played the seat (``caretaker``).

    ``resigned`` is true if the entrant announced that they were leaving, rather than just falling silent. ``ordered``
    is true if they sent at least one order.
    """

    entrant: Handle
    first: int
    last: int
    why: Why = "seated"
    resigned: bool = False
    ordered: bool = True


class SeatOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A seat at the end of its game: its dot, the entrants who held it, and its strongholds.

    ``strongholds_over_turns`` adds up the strongholds that the seat held at the end of each turn. Divided by the number
    of turns, it gives the strongholds per turn. ``price`` is the amount that the first holder paid for the faction in
    an auction, in tenths of a point.
    """

    faction: Faction
    dot: int
    tenures: tuple[Tenure, ...]
    strongholds: int = 0
    strongholds_over_turns: int = 0
    price: int = 0


class TableOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a table: who won, how, and in which turn.

    - ``how`` is the game's own word for the kind of victory ("strongholds", "prediction", "fremen", "guild", "most
      strongholds"), or "".
    - ``round`` and ``table`` are 0 for a game outside a tournament.
    - ``days`` is the length of the game, and ``letters`` the number of letters it needed. Both are 0 if unknown.
    - ``alliances`` are the alliances at the end of the game, and ``first_alliances`` those after the first nexus.
    - ``traitors`` counts the traitors that each faction called.
    - ``rules`` lists the options that differ from the rule set.
    """

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
        for seat in self.seats:
            if seat.faction == faction:
                return seat
        raise KeyError(faction)


MOST_WINNERS = 3


class ResultRefused(ValueError):
    pass


def require_possible_result(outcome: TableOutcome) -> None:
    where = f"table {outcome.round}.{outcome.table}"
    if outcome.kind not in get_args(Kind):
        raise ResultRefused(f"{outcome.kind!r} is not a kind of result; the kinds are: {', '.join(get_args(Kind))}.")
    seated = [seat.faction for seat in outcome.seats]
    for faction in outcome.winners:
        if faction not in seated:
            named = ", ".join(seated)
            raise ResultRefused(f"Nobody plays {the_faction(faction)} at {where}; its factions are {named}.")
        if outcome.winners.count(faction) > 1:
            raise ResultRefused(f"The winners of {where} include {the_faction(faction)} twice.")
    if len(outcome.winners) > MOST_WINNERS:
        raise ResultRefused(f"{len(outcome.winners)} winners are too many for {where}: at most {MOST_WINNERS} can win.")
    if outcome.kind == "void" and outcome.winners:
        raise ResultRefused(f"A void result has no winners: name a kind of win, or no winners of {where}.")
    if outcome.kind != "void" and not outcome.winners:
        raise ResultRefused(f"{where.capitalize()} has no winner: name one, or say that its result is void.")


def decided_how(outcome: TableOutcome) -> str:
    """Return how a table was decided: the kind of its outcome or, for a game that was not played to its end,
    ``stopped`` (the public board decided) or ``ruled`` (a person decided)."""
    return outcome.kind if outcome.kind != "adjudicated" else "stopped" if outcome.how == "stopped" else "ruled"


Decider = Literal["deficit", "strongholds", "tokens", "storm", ""]


@dataclass(frozen=True, slots=True)
class Side:
    """A side on the public board: the numbers of strongholds ``needed`` for a win and ``held``, the number of its
    ``tokens`` in them, and its first member's place in storm ``order`` (1 is first)."""

    members: tuple[Faction, ...]
    needed: int
    held: int
    tokens: int
    order: int

    @property
    def deficit(self) -> int:
        return self.needed - self.held


@dataclass(frozen=True, slots=True)
class StoppedGame:
    """The result of a stopped game. ``by`` is the criterion that put the winners ahead of the next side, or "" if none
    was needed."""

    kind: Literal["adjudicated", "void"]
    winners: tuple[Faction, ...]
    by: Decider
    sides: tuple[Side, ...]


def decide_stopped_game(sides: Sequence[Side]) -> StoppedGame:
    """Decide a stopped game from its public board. Raise ValueError if there are no sides, or if two sides have a
    member in common.

    >>> pair, alone = Side(("atreides", "emperor"), 4, 3, 9, 2), Side(("harkonnen",), 3, 2, 12, 1)
    >>> decide_stopped_game([alone, pair]).winners, decide_stopped_game([alone, pair]).by
    (('atreides', 'emperor'), 'strongholds')
    """
    members = [member for side in sides for member in side.members]
    if not members or len(set(members)) < len(members):
        raise ValueError(f"not the sides of a table: {sides!r}")
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
