"""Each criterion of the standings as a small function: the value of every entrant of a group that is level so far.

The greater value is the better one. What is shown is what a reader can compare by eye.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from bot.competition.outcomes import Handle
from bot.competition.points import printed
from bot.competition.scoring.system import NOTHING
from bot.competition.settings import TieBreak
from bot.competition.standings.record import Record


@dataclass(frozen=True, slots=True)
class Value:
    """What somebody has by a criterion: ``good`` is compared, ``shown`` is printed."""

    good: tuple[Fraction | int, ...]
    shown: str


Values = Mapping[Handle, Value]
Criterion = Callable[[Record, Sequence[Handle]], Values]
NONE = "–"


def _each(value: Callable[[Record, Handle], Value]) -> Criterion:
    """A criterion that looks at one entrant at a time."""
    return lambda record, group: {entrant: value(record, entrant) for entrant in group}


def disqualified(record: Record, entrant: Handle) -> Value:
    """Who was disqualified is behind all others."""
    out = entrant in record.disqualified
    return Value((not out,), "yes" if out else "no")


def stage(record: Record, entrant: Handle) -> Value:
    """The last round reached of those that not all play."""
    reached = record.stages[entrant]
    return Value((reached.round,), reached.name or NONE)


def stage_points(record: Record, entrant: Handle) -> Value:
    """The points in that round."""
    points = record.stages[entrant].points
    return Value((points,), printed(points))


def forfeits(record: Record, entrant: Handle) -> Value:
    """How many tables they left or never came to; fewer are better."""
    count = sum(credit.forfeited for credit in record.credits[entrant])
    return Value((-count,), str(count))


def wins(record: Record, entrant: Handle) -> Value:
    """How many tables they won."""
    count = len(record.wins(entrant))
    return Value((count,), str(count))


def points(record: Record, entrant: Handle) -> Value:
    """Their points."""
    return Value((record.points[entrant],), printed(record.points[entrant]))


def full_wins(record: Record, entrant: Handle) -> Value:
    """Wins by the rules of the game: neither adjudicated nor agreed."""
    count = sum(credit.kind not in ("adjudicated", "agreed") for credit in record.wins(entrant))
    return Value((count,), str(count))


def quality(record: Record, entrant: Handle) -> Value:
    """Wins alone, then those of two, of three, and so on."""
    shared = [credit.winners for credit in record.wins(entrant)]
    counts = tuple(shared.count(winners) for winners in range(1, 7))
    return Value(counts, "-".join(str(count) for count in counts[: max([3, *shared])]))


def first_heat(record: Record, entrant: Handle) -> Value:
    """A win at the first table that they played, then at the second, and so on; what is shown ends with the last."""
    won = [int(credit.won) for credit in record.credits[entrant] if credit.counts and credit.table]
    bits = sum(win << (_MOST_HEATS - heat) for heat, win in enumerate(won[:_MOST_HEATS]))
    return Value((bits,), "-".join(str(win) for win in won[: _last_win(won)]) or "0")


_MOST_HEATS = 200


def _last_win(won: Sequence[int]) -> int:
    """How many tables up to and with the last one that was won."""
    return max((heat for heat, win in enumerate(won, 1) if win), default=0)


def opponents(record: Record, entrant: Handle) -> Value:
    """The mean of the points of those whom they met, without what these made at the tables where they met."""
    others = record.met.get(entrant, {})
    made = [
        sum((worth for place, worth in record.strength.get(other, {}).items() if place not in met), NOTHING)
        for other, met in others.items()
    ]
    mean = sum(made, NOTHING) / len(made) if made else NOTHING
    return Value((mean,), printed(mean))


def head_to_head(record: Record, group: Sequence[Handle]) -> Values:
    """If all who are level have met each other: the points at the tables where they met. Else nobody is parted."""
    if any(other not in record.met.get(one, {}) for one, other in combinations(group, 2)) or len(group) < 2:
        return {entrant: Value((0,), "") for entrant in group}
    values = {}
    for one in group:
        places = frozenset().union(*(record.met[one][other] for other in group if other != one))
        made = sum((credit.net for credit in record.credits[one] if (credit.round, credit.table) in places), NOTHING)
        values[one] = Value((made,), printed(made))
    return values


def strongholds_per_turn(record: Record, entrant: Handle) -> Value:
    """The strongholds held at the end of each turn, by the turns, of all seats that they held at the end."""
    held = [credit for credit in record.credits[entrant] if credit.held and credit.counts]
    turns = sum(credit.turn for credit in held)
    share = Fraction(sum(credit.strongholds_over_turns for credit in held), turns) if turns else NOTHING
    return Value((share,), printed(share))


def hardest_faction(record: Record, entrant: Handle) -> Value:
    """The mean rate at which the factions with which they won have won in this tournament; lower is better."""
    return _lowest([record.win_rate[credit.faction] for credit in record.wins(entrant)])


def turns(record: Record, entrant: Handle) -> Value:
    """The mean turn of their wins; earlier is better."""
    return _lowest([Fraction(credit.turn) for credit in record.wins(entrant)])


def lot(record: Record, entrant: Handle) -> Value:
    """HMAC-SHA256 of the seed of the draw over ``lot/HANDLE#0``; the lower is before the higher."""
    drawn = hmac.digest(record.lot_seed.encode(), f"lot/{entrant}#0".encode(), "sha256").hex()
    return Value((-int(drawn, 16),), drawn[:8])


def _lowest(numbers: Sequence[Fraction]) -> Value:
    """By the mean, the lowest being best; who has none is behind."""
    if not numbers:
        return Value((0, 0), NONE)
    mean = sum(numbers, NOTHING) / len(numbers)
    return Value((1, -mean), printed(mean))


CRITERIA: Mapping[TieBreak, Criterion] = {
    "forfeits": _each(forfeits),
    "wins": _each(wins),
    "points": _each(points),
    "full_wins": _each(full_wins),
    "quality": _each(quality),
    "first_heat": _each(first_heat),
    "opponents": _each(opponents),
    "head_to_head": head_to_head,
    "strongholds_per_turn": _each(strongholds_per_turn),
    "hardest_faction": _each(hardest_faction),
    "turns": _each(turns),
    "lot": _each(lot),
}
"""Those that the settings name."""


def in_order(record: Record, tie_breaks: Sequence[TieBreak]) -> list[tuple[str, Criterion]]:
    """All criteria of these standings: first those that no settings name, where they part anybody, and at last the lot,
    so that nobody is left level."""
    first: list[tuple[str, Criterion]] = []
    if record.disqualified:
        first.append(("disqualified", _each(disqualified)))
    if any(reached.round for reached in record.stages.values()):
        first += [("stage", _each(stage)), ("stage_points", _each(stage_points))]
    named = [*tie_breaks, *(() if "lot" in tie_breaks else ("lot",))]
    return first + [(name, CRITERIA[name]) for name in named]
