"""By game: how games are won, in which turn, from which dot, and how long they take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from statistics import median

import msgspec

from bot.competition.outcomes import TableOutcome
from bot.competition.points import printed
from bot.competition.statistics.shares import Share, decided, fair_share, share
from rules.components import Faction


class KindFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of end (the game's own word, or how a table was decided without one), and who won so."""

    how: str
    games: int
    of: int
    winners: dict[Faction, int]


class TurnFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The games that ended in a turn, and who won then."""

    turn: int
    games: int
    of: int
    winners: dict[Faction, int]


class DotFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The wins from a dot, and how many a seat like any other would have had at the same tables."""

    dot: int
    wins: Share
    expected: str


class Length(msgspec.Struct, frozen=True, kw_only=True):
    """How long the games took for which that is known: how many these are, the shortest, the middle, the longest."""

    games: int
    least: int
    middle: float
    most: int


def by_kind(outcomes: Iterable[TableOutcome]) -> list[KindFigures]:
    """Each kind of end, the most frequent first."""
    games = list(outcomes)
    kinds = Counter(_kind(one) for one in games)
    return [
        KindFigures(how=how, games=count, of=len(games), winners=_winners(one for one in games if _kind(one) == how))
        for how, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    ]


def _kind(outcome: TableOutcome) -> str:
    return outcome.kind if outcome.kind in ("adjudicated", "agreed", "void") else outcome.how or outcome.kind


def by_turn(outcomes: Iterable[TableOutcome]) -> list[TurnFigures]:
    """Each turn in which a game ended."""
    games = decided(outcomes)
    turns = Counter(one.turn for one in games)
    return [
        TurnFigures(
            turn=turn, games=turns[turn], of=len(games), winners=_winners(one for one in games if one.turn == turn)
        )
        for turn in sorted(turns)
    ]


def by_dot(outcomes: Iterable[TableOutcome]) -> list[DotFigures]:
    """Each dot from which somebody played."""
    played: Counter[int] = Counter()
    won: Counter[int] = Counter()
    expected: dict[int, Fraction] = {}
    for outcome in decided(outcomes):
        for seat in outcome.seats:
            played[seat.dot] += 1
            won[seat.dot] += seat.faction in outcome.winners
            expected[seat.dot] = expected.get(seat.dot, Fraction()) + fair_share(outcome)
    return [
        DotFigures(dot=dot, wins=share(won[dot], played[dot]), expected=printed(expected[dot]))
        for dot in sorted(played)
    ]


def length_in_turns(outcomes: Iterable[TableOutcome]) -> Length:
    """How many turns the games took."""
    return _length([one.turn for one in decided(outcomes)])


def length_in_days(outcomes: Iterable[TableOutcome]) -> Length:
    """How many days the games took."""
    return _length([one.days for one in outcomes])


def length_in_letters(outcomes: Iterable[TableOutcome]) -> Length:
    """How many letters the games needed."""
    return _length([one.letters for one in outcomes])


def _length(numbers: Sequence[int]) -> Length:
    known = [number for number in numbers if number > 0]
    if not known:
        return Length(games=0, least=0, middle=0.0, most=0)
    return Length(games=len(known), least=min(known), middle=float(median(known)), most=max(known))


def _winners(outcomes: Iterable[TableOutcome]) -> dict[Faction, int]:
    return dict(sorted(Counter(winner for one in outcomes for winner in one.winners).items()))
