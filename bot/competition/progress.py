"""Which round comes next, and who plays it.

Nobody is counted who has withdrawn or was disqualified: their place is filled from the standings, and a round that was
drawn is never drawn again. The sizes of alliances change who wins a table, never how many tables there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from bot.competition.draws import RoundKind
from bot.competition.outcomes import Handle
from bot.competition.published import RoundState
from bot.competition.settings import TournamentSettings

SEATS = 6
LEAST = 5
"""So many make a table."""


@dataclass(frozen=True, slots=True)
class Past:
    """A round that there is already."""

    number: int
    kind: RoundKind
    state: RoundState


@dataclass(frozen=True, slots=True)
class Field:
    """Who may play on, the best first by the standings. ``winners`` are those of the last round that was played;
    ``seated`` is how many have ever sat at a table. ``busy`` are those who sit at as many tables as they may, or, on a
    ladder, are not ready."""

    able: tuple[Handle, ...]
    winners: frozenset[Handle] = frozenset()
    seated: int = 0
    busy: frozenset[Handle] = frozenset()

    @property
    def by_wins(self) -> tuple[Handle, ...]:
        """The winners of the last round first, then the others, each by the standings."""
        return tuple(sorted(self.able, key=lambda handle: handle not in self.winners))


@dataclass(frozen=True, slots=True)
class Next:
    """The round, or the rounds of the same time, that can be drawn now, and for whom, the best first."""

    kind: RoundKind
    numbers: tuple[int, ...]
    who: tuple[Handle, ...]


@dataclass(frozen=True, slots=True)
class Waits:
    """Nothing can be drawn before these rounds are closed, or, where there are none, before enough are free."""

    rounds: tuple[int, ...]


After = Next | Waits | Literal["finished"]


def after(settings: TournamentSettings, past: Sequence[Past], field: Field) -> After:
    """What comes after the rounds that there are."""
    return _BY_FORMAT[settings.format](settings, past, field)


def _heats(settings: TournamentSettings, past: Sequence[Past], field: Field) -> After:
    wanted, heats = settings.rounds, [each for each in past if each.kind == "heat"]
    if wanted.load and len(heats) == len(past):
        free = _free(field)
        if len(free) >= SEATS:
            return Next("heat", (len(past) + 1,), free)
        if any(each.state != "closed" for each in heats) or not heats:
            return Waits(())
    elif len(heats) < wanted.heats:
        missing = tuple(range(len(past) + 1, len(past) + 1 + wanted.heats - len(heats)))
        if wanted.parallel:
            return Next("heat", missing, field.able)
        return _open(past) or Next("heat", missing[:1], field.able)
    if waits := _open(past):
        return waits
    kinds = {each.kind for each in past}
    if wanted.semifinal and field.seated > wanted.semifinal > wanted.final and not kinds & {"semifinal", "final"}:
        return Next("semifinal", (len(past) + 1,), field.able[: wanted.semifinal])
    if wanted.final and "final" not in kinds:
        order = field.by_wins if "semifinal" in kinds else field.able
        return _final(len(past) + 1, order[: wanted.final])
    return "finished"


def _swiss(settings: TournamentSettings, past: Sequence[Past], field: Field) -> After:
    if waits := _open(past):
        return waits
    return Next("swiss", (len(past) + 1,), field.able) if len(past) < settings.rounds.swiss else "finished"


def _league(settings: TournamentSettings, past: Sequence[Past], field: Field) -> After:
    if waits := _open(past):
        return waits
    return "finished" if past else Next("league", (1,), field.able)


def _ladder(settings: TournamentSettings, past: Sequence[Past], field: Field) -> After:
    """It stands until its director closes it; tables are seated as they come."""
    free = _free(field)
    return Next("ladder", (len(past) + 1,), free) if len(free) >= SEATS else Waits(())


def _knockout(settings: TournamentSettings, past: Sequence[Past], field: Field) -> After:
    """All winners play on, and the best of the others fill their last table. Who fit at one table play the final."""
    if not past:
        return Next("knockout" if len(field.able) > SEATS else "final", (1,), field.able)
    if waits := _open(past):
        return waits
    if past[-1].kind == "final":
        return "finished"
    tables = max(1, ceil(len(field.winners & frozenset(field.able)) / SEATS))
    who = field.by_wins[: tables * SEATS]
    return _final(len(past) + 1, who) if tables == 1 else Next("knockout", (len(past) + 1,), who)


def _final(number: int, who: tuple[Handle, ...]) -> After:
    """A final of five is one; with fewer there is nobody to play it."""
    return Next("final", (number,), who) if len(who) >= LEAST else "finished"


def _free(field: Field) -> tuple[Handle, ...]:
    return tuple(handle for handle in field.able if handle not in field.busy)


def _open(past: Sequence[Past]) -> Waits | None:
    still = tuple(each.number for each in past if each.state != "closed")
    return Waits(still) if still else None


_BY_FORMAT = {"heats": _heats, "swiss": _swiss, "league": _league, "ladder": _ladder, "knockout": _knockout}


@dataclass(frozen=True, slots=True)
class Differs:
    """How a round that was drawn already would have been drawn, had a result been known then: who would have played,
    who would not, and whose place among the others would have been another. It stands as it was drawn."""

    round: int
    would_have: tuple[Handle, ...] = ()
    would_not: tuple[Handle, ...] = ()
    elsewhere: tuple[Handle, ...] = ()

    @property
    def words(self) -> str:
        """It in words, for the record."""
        said = [
            f"{words}: {', '.join(handles)}"
            for words, handles in (
                ("would have played", self.would_have), ("would not", self.would_not),
                ("would have had another place", self.elsewhere),
            )
            if handles
        ]  # fmt: skip
        return f"round {self.round} stands as it was drawn; {'; '.join(said)}"


def would_have_differed(number: int, before: Sequence[Handle], now: Sequence[Handle]) -> Differs | None:
    """What is different between who was to be drawn then, the best first, and who would be now; None if nothing is."""
    if tuple(before) == tuple(now):
        return None
    more, less = tuple(h for h in now if h not in before), tuple(h for h in before if h not in now)
    old, new = [h for h in before if h in now], [h for h in now if h in before]
    return Differs(number, more, less, tuple(h for h, other in zip(new, old, strict=True) if h != other))
