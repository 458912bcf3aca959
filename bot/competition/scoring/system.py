"""A system of scoring as numbers: what the settings say, over what the system that they name says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import msgspec

from bot.competition.points import NotANumber, points
from bot.competition.scoring.aggregate import ALL, Aggregate, NoAggregate, aggregate
from bot.competition.scoring.entered import Cause, Said, Scoring, Tie
from rules.components.facts import load_toml

MOST_AT_A_TABLE = 7
NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True)
class System:
    """How points are given. ``win`` has the points of a winner who is alone, of each of two, and so on; "()" where a
    win has no points of its own. ``normalise`` None: the sum of a table is what it is. ``survivor`` None: who holds no
    stronghold is treated as all are."""

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
    aggregate: Aggregate = ALL


class ScoringRefused(ValueError):
    """The scoring is none; ``problems`` has a sentence for each thing that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


def names() -> tuple[str, ...]:
    """The systems that have a name."""
    return tuple(load_toml("scoring.toml"))


def system(entered: Scoring) -> System:
    """What the settings say as numbers. ScoringRefused where they cannot be."""
    if entered.system not in names():
        known = ", ".join(names())
        raise ScoringRefused([f"There is no system of scoring {entered.system!r}; known are {known}."])
    return _Reading().system(_completed(entered))


def _completed(entered: Scoring) -> Scoring:
    """With the parts of the named system where it says none itself."""
    named = _named(entered.system)
    said = {name: getattr(entered, name) for name in entered.__struct_fields__}
    return msgspec.structs.replace(named, **{name: part for name, part in said.items() if part is not None})


@cache
def _named(name: str) -> Scoring:
    return msgspec.convert(dict(load_toml("scoring.toml")[name]), Scoring)


class _Reading:
    """Reads every part, so that all that is wrong is told at once."""

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
            self.problems.append(f"[scoring] rank has {len(read.rank)} places, more than sit at a table.")
        if not self.problems and not (any(read.win) or any(read.rank) or read.per_stronghold or read.survivor):
            self.problems.append("[scoring] gives no points for anything: write win, rank or per_stronghold.")
        if self.problems:
            raise ScoringRefused(self.problems)
        return read

    def _number(self, where: str, said: Said | None, *, negative: bool = False) -> Fraction:
        if said is None:
            return NOTHING
        try:
            return points(said, negative=negative)
        except NotANumber as error:
            self.problems.append(f"[scoring] {where}: {error}")
            return NOTHING

    def _numbers(self, where: str, said: Iterable[Said]) -> tuple[Fraction, ...]:
        return tuple(self._number(f"{where}, place {place}", it) for place, it in enumerate(said, 1))

    def _win(self, said: Mapping[str, Said]) -> tuple[Fraction, ...]:
        expected = [str(winners) for winners in range(1, len(said) + 1)]
        if set(said) != set(expected) or len(said) > MOST_AT_A_TABLE:
            found = ", ".join(said)
            self.problems.append(f"[scoring] win names {found[:60]}: it names 1 winner, then 2, then 3, none left out.")
            return ()
        return tuple(self._number(f"win.{winners}", said[winners]) for winners in expected)

    def _power(self, said: int | None) -> int:
        if said is not None and said not in (1, 2, 3):
            self.problems.append(f"[scoring] power is {said}: it is 1, 2 or 3.")
            return 1
        return said or 1

    def _aggregate(self, said: str | tuple[Said, ...]) -> Aggregate:
        try:
            return aggregate(said)
        except (NoAggregate, NotANumber) as error:
            self.problems.append(f"[scoring] aggregate: {error}")
            return ALL
