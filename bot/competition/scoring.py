"""The scoring of tables: the scoring systems are data, and one small engine applies them.

Organisers write a ``Scoring``, which changes parts of one of the named systems in ``data/scoring.toml``. A ``System``
is the resulting system in numbers. Its parts are applied in this order: points for a win or a place are given, then
points for strongholds, then tribute; the winners may take everything; the sum is scaled; and the winners' points are
multiplied by the factor for their kind of victory. An ``Aggregate`` adds up the points of several tables: all of them,
the best n, all except the worst n, or with weights for the best, the second best and so on.

Points are fractions. They are read from text, added without rounding, and rounded only when they are printed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Literal

import msgspec

from bot.competition.outcomes import TableOutcome
from rules.components import Faction
from rules.components.facts import load_toml

MOST_DIGITS = 12
_NUMBER = re.compile(r"(-?)([0-9]+)(?:/([0-9]+)|\.([0-9]+))?", re.ASCII)


class NotANumber(ValueError):
    pass


def read_points(text: str | int, *, negative: bool = False) -> Fraction:
    """Parse a number of points as typed by a person: a whole number, a fraction or a finite decimal, with at most 12
    digits.

    Raise NotANumber if it is anything else, or if it is negative and ``negative`` does not allow that.

    >>> read_points("3/4"), read_points("0.1"), read_points(12)
    (Fraction(3, 4), Fraction(1, 10), Fraction(12, 1))
    """
    said = str(text).strip()
    found = None if isinstance(text, bool) else _NUMBER.fullmatch(said)
    if found is None:
        raise NotANumber(f"{said[:40]!r} is not a number of points; write 3, 3/4 or 0.75.")
    sign, whole, below, decimals = found.groups()
    if sum(len(part) for part in (whole, below or "", decimals or "")) > MOST_DIGITS:
        raise NotANumber(f"{said[:40]!r} has more than {MOST_DIGITS} digits.")
    if below is not None and not int(below):
        raise NotANumber(f"{said!r} divides by zero.")
    if sign and not negative:
        raise NotANumber(f"{said!r} is negative; write 0 or more.")
    return Fraction(said)


def printed_points(number: Fraction, places: int = 4) -> str:
    """Format a number with at most this many decimals, without trailing zeros. Halves are rounded to even.

    >>> [printed_points(points) for points in (Fraction(11, 3), Fraction(12), Fraction(1, 20000), Fraction(21005, 2))]
    ['3.6667', '12', '0', '10502.5']
    """
    scaled = round(number * 10**places)
    whole, part = divmod(abs(scaled), 10**places)
    decimals = f"{part:0{places}d}".rstrip("0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole}{'.' + decimals if decimals else ''}"


def exact_points(number: Fraction) -> str:
    """Format a number exactly, so that printed terms add up: as a decimal if four places are enough, otherwise as a
    fraction.

    >>> exact_points(Fraction(9, 2)), exact_points(Fraction(11, 3)), exact_points(Fraction(-2))
    ('4.5', '11/3', '-2')
    """
    shown = printed_points(number)
    return shown if Fraction(shown) == number else str(number)


Cause = Literal["stronghold", "prediction", "default", "adjudicated", "agreed"]

Tie = Literal["split", "low", "high"]
Entered = str | int


class Scoring(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The TOML table [scoring] of the settings, which changes parts of the named ``system``.

    The systems are `equal-win`, `mentat-12`, `pot-60`, `hmwp`, `carnage-6` and `squares`. Every other field replaces
    the part of the system with the same name. ``aggregate`` is "all", "best 3", "minus worst 1", or a list of weights
    for an entrant's tables, the best table first. ``data/scoring.toml`` explains each part.
    """

    system: str = "mentat-12"
    win: Mapping[str, Entered] | None = None
    factor: Mapping[Cause, Entered] | None = None
    rank: tuple[Entered, ...] | None = None
    tie: Tie | None = None
    per_stronghold: Entered | None = None
    power: int | None = None
    survivor: Entered | None = None
    tribute: Entered | None = None
    winners_take_all: bool | None = None
    normalise: Entered | None = None
    sit_out: Entered | None = None
    forfeit: Entered | None = None
    absent: Entered | None = None
    aggregate: str | tuple[Entered, ...] = "all"


MOST_TABLES = 100
_COUNTED = re.compile(r"(best|minus worst) ([0-9]{1,3})", re.ASCII)


class NoAggregate(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A way to add up an entrant's tables: only the ``best`` ones (0 means all), without the ``worst``, or with
    ``weights``.

    ``worst`` is the number of lowest results to leave out; an entrant's only table is never left out. ``weights`` apply
    to the best table, the second best and so on; any further tables count for nothing. Without weights, each table
    counts once.
    """

    best: int = 0
    worst: int = 0
    weights: tuple[Fraction, ...] = ()

    def weigh(self, tables: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return the weight of each table, which is 0 if the table is left out. If two tables are equal, the earlier
        one counts as better.

        >>> Aggregate(best=2).weigh([Fraction(6), Fraction(0), Fraction(12)])
        (Fraction(1, 1), Fraction(0, 1), Fraction(1, 1))
        """
        order = sorted(range(len(tables)), key=lambda one: (-tables[one], one))
        counted = len(tables)
        if self.best:
            counted = min(counted, self.best)
        if self.worst and counted:
            counted = max(1, counted - self.worst)
        weights = [Fraction(0)] * len(tables)
        for place, one in enumerate(order[:counted]):
            if not self.weights:
                weights[one] = Fraction(1)
            elif place < len(self.weights):
                weights[one] = self.weights[place]
        return tuple(weights)

    def total(self, tables: Sequence[Fraction]) -> Fraction:
        return sum((weight * one for weight, one in zip(self.weigh(tables), tables, strict=True)), Fraction(0))

    def __str__(self) -> str:
        if self.weights:
            return "weighted from the best"
        return f"best {self.best}" if self.best else f"minus worst {self.worst}" if self.worst else "all"


ALL_TABLES = Aggregate()


def read_aggregate(said: str | Sequence[str | int]) -> Aggregate:
    """Parse an aggregate as typed by a person. Raise NoAggregate if it is unknown, and NotANumber if a weight is not a
    number.

    >>> read_aggregate("best 3"), read_aggregate("minus worst 1")
    (Aggregate(best=3, worst=0, weights=()), Aggregate(best=0, worst=1, weights=()))
    """
    if not isinstance(said, str):
        weights = tuple(read_points(weight) for weight in said)
        if not any(weights) or len(weights) > MOST_TABLES:
            raise NoAggregate(
                f"there are {len(weights)} weights; write one for each table that counts, the best first."
            )
        if list(weights) != sorted(weights, reverse=True):
            raise NoAggregate("a worse table weighs more than a better one; write them from the best table down.")
        return Aggregate(weights=weights)
    if said == "all":
        return ALL_TABLES
    found = _COUNTED.fullmatch(said)
    if found is None or not 1 <= int(found[2]) <= MOST_TABLES:
        raise NoAggregate(f'{said[:40]!r} is unknown; write "all", "best 3", "minus worst 1" or a list of weights.')
    number = int(found[2])
    return Aggregate(best=number) if found[1] == "best" else Aggregate(worst=number)


MOST_AT_A_TABLE = 7
NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True)
class System:
    """A scoring system in numbers.

    ``win`` holds the points of a sole winner, then of each of two winners, and so on. It is empty if a win alone
    gives no points. If ``normalise`` is None, the points of a table are not scaled to a fixed sum. If ``survivor``
    is None, it makes no difference whether a seat holds a stronghold at the end.
    """

    win: tuple[Fraction, ...] = ()
    factor: Mapping[Cause, Fraction] = field(default_factory=dict)
    rank: tuple[Fraction, ...] = ()
    tie: Tie = "split"
    per_stronghold: Fraction = NOTHING
    power: int = 1
    survivor: Fraction | None = None
    tribute: Fraction = NOTHING
    winners_take_all: bool = False
    normalise: Fraction | None = None
    sit_out: Fraction = NOTHING
    forfeit: Fraction = NOTHING
    absent: Fraction = NOTHING
    aggregate: Aggregate = ALL_TABLES


class ScoringRefused(ValueError):
    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


def system_names() -> tuple[str, ...]:
    return tuple(load_toml("scoring.toml"))


def scoring_system(entered: Scoring) -> System:
    if entered.system not in system_names():
        known = ", ".join(system_names())
        raise ScoringRefused([f"There is no scoring system {entered.system!r}; the systems are {known}."])
    return _Reading().system(_with_named_system(entered))


def _with_named_system(entered: Scoring) -> Scoring:
    named = _named(entered.system)
    said = {name: getattr(entered, name) for name in entered.__struct_fields__}
    return msgspec.structs.replace(named, **{name: part for name, part in said.items() if part is not None})


@cache
def _named(name: str) -> Scoring:
    return msgspec.convert(dict(load_toml("scoring.toml")[name]), Scoring)


class _Reading:
    def __init__(self) -> None:
        self.problems: list[str] = []

    def system(self, said: Scoring) -> System:
        read = System(
            win=self._win(said.win or {}),
            factor={cause: self._number(f"factor.{cause}", it) for cause, it in (said.factor or {}).items()},
            rank=self._numbers("rank", said.rank or ()),
            tie=said.tie or "split",
            per_stronghold=self._number("per_stronghold", said.per_stronghold),
            power=self._power(said.power),
            survivor=None if said.survivor is None else self._number("survivor", said.survivor),
            tribute=self._number("tribute", said.tribute),
            winners_take_all=bool(said.winners_take_all),
            normalise=self._number("normalise", said.normalise) or None,
            sit_out=self._number("sit_out", said.sit_out),
            forfeit=self._number("forfeit", said.forfeit, negative=True),
            absent=self._number("absent", said.absent, negative=True),
            aggregate=self._aggregate(said.aggregate),
        )
        if len(read.rank) > MOST_AT_A_TABLE:
            self.problems.append(f"[scoring] rank has {len(read.rank)} places, more than a table has seats.")
        if not self.problems and not (any(read.win) or any(read.rank) or read.per_stronghold or read.survivor):
            self.problems.append("[scoring] gives no points for anything: write win, rank or per_stronghold.")
        if self.problems:
            raise ScoringRefused(self.problems)
        return read

    def _number(self, where: str, said: Entered | None, *, negative: bool = False) -> Fraction:
        if said is None:
            return NOTHING
        try:
            return read_points(said, negative=negative)
        except NotANumber as error:
            self.problems.append(f"[scoring] {where}: {error}")
            return NOTHING

    def _numbers(self, where: str, said: Iterable[Entered]) -> tuple[Fraction, ...]:
        return tuple(self._number(f"{where}, place {place}", it) for place, it in enumerate(said, 1))

    def _win(self, said: Mapping[str, Entered]) -> tuple[Fraction, ...]:
        expected = [str(winners) for winners in range(1, len(said) + 1)]
        if set(said) != set(expected) or len(said) > MOST_AT_A_TABLE:
            found = ", ".join(said)
            self.problems.append(f"[scoring] win names {found[:60]}: it must name 1, then 2, then 3, without gaps.")
            return ()
        return tuple(self._number(f"win.{winners}", said[winners]) for winners in expected)

    def _power(self, said: int | None) -> int:
        if said is not None and said not in (1, 2, 3):
            self.problems.append(f"[scoring] power is {said}: it must be 1, 2 or 3.")
            return 1
        return said or 1

    def _aggregate(self, said: str | tuple[Entered, ...]) -> Aggregate:
        try:
            return read_aggregate(said)
        except (NoAggregate, NotANumber) as error:
            self.problems.append(f"[scoring] aggregate: {error}")
            return ALL_TABLES


def seat_points(system: System, outcome: TableOutcome) -> dict[Faction, Fraction]:
    """Return the points of each seat of a table, regardless of who played it. A void table gives no points."""
    factions = [seat.faction for seat in outcome.seats]
    if outcome.kind == "void":
        return dict.fromkeys(factions, NOTHING)
    winners = {factions.index(winner): size for winner, size in winning_sides(outcome).items()}
    held = [seat.strongholds for seat in outcome.seats]
    return dict(zip(factions, table_points(system, held, winners, outcome.kind), strict=True))


def winning_sides(outcome: TableOutcome) -> dict[Faction, int]:
    """Return, for each winner, the number of players who share the win.

    Usually all winners share one win. If two sides won at the same time, as some rule sets allow, only the members of
    the winner's own side share it. An agreed or adjudicated win is shared by all who are named as winners.
    """
    together = [set(alliance) & set(outcome.winners) for alliance in outcome.alliances]
    if outcome.kind in ("agreed", "adjudicated") or not any(together):
        return dict.fromkeys(outcome.winners, len(outcome.winners))
    return {winner: max([1, *(len(side) for side in together if winner in side)]) for winner in outcome.winners}


def table_points(
    system: System, held: Sequence[int], winners: Mapping[int, int], cause: Cause = "stronghold"
) -> tuple[Fraction, ...]:
    """Return the points of each seat, given the number of strongholds that it holds. ``winners`` maps the index of each
    winner to the size of the winner's side. It is empty if nobody won."""
    given = [one + two for one, two in zip(_places(system, held, winners), _strongholds(system, held), strict=True)]
    if system.survivor is not None:
        given = [one + system.survivor if count else NOTHING for one, count in zip(given, held, strict=True)]
    if system.winners_take_all and winners:
        share = sum(given, NOTHING) / len(winners)
        given = [share if seat in winners else NOTHING for seat in range(len(held))]
    if system.normalise is not None:
        given = _scaled(given, system.normalise, winners if system.winners_take_all and winners else range(len(held)))
    factor = system.factor.get(cause, Fraction(1))
    return tuple(one * factor if seat in winners else one for seat, one in enumerate(given))


def _places(system: System, held: Sequence[int], winners: Mapping[int, int]) -> list[Fraction]:
    given = [NOTHING] * len(held)
    levels = _levels(held, [seat for seat in range(len(held)) if seat not in winners])
    place = 0
    if winners and system.win:
        for seat, sharing in winners.items():
            given[seat] = system.win[min(sharing, len(system.win)) - 1]
        place = len(winners)
    elif winners:
        levels.insert(0, list(winners))
    for level in levels:
        worth = [system.rank[one] if one < len(system.rank) else NOTHING for one in range(place, place + len(level))]
        for seat in level:
            given[seat] = _tied(system, worth)
        place += len(level)
    return given


def _levels(held: Sequence[int], seats: Sequence[int]) -> list[list[int]]:
    return [
        [seat for seat in seats if held[seat] == count] for count in sorted({held[it] for it in seats}, reverse=True)
    ]


def _tied(system: System, worth: Sequence[Fraction]) -> Fraction:
    if system.tie == "split":
        return sum(worth, NOTHING) / len(worth)
    return worth[0] if system.tie == "high" else worth[-1]


def _strongholds(system: System, held: Sequence[int]) -> list[Fraction]:
    """Return the points for strongholds, including the tribute to the seat that holds the most. If several seats hold
    the most, each of them gets the tribute of the whole table divided by the square of their number."""
    most = max(held, default=0)
    given = [system.per_stronghold * count**system.power - system.tribute * (most - count) for count in held]
    leaders = [seat for seat, count in enumerate(held) if count == most]
    tribute = system.tribute * sum(most - count for count in held)
    for seat in leaders:
        given[seat] += tribute / len(leaders) ** 2
    return given


def _scaled(given: Sequence[Fraction], total: Fraction, sharing: Collection[int]) -> list[Fraction]:
    """Scale the points so that they add up to ``total``. If all of them are 0, the seats in ``sharing`` get equal
    parts."""
    whole = sum(given, NOTHING)
    if not whole:
        return [total / len(sharing) if seat in sharing else NOTHING for seat in range(len(given))]
    return [one * total / whole for one in given]
