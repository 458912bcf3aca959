"""How many mails games make, and at what time of the day they come.

Both follow from the people of ``bot.bench.pace``: six zones, log-normal waits with a median of eight hours, asleep from
23 to 7 o'clock, and those who would be late write just before the deadline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from bot.bench.pace.measure import TURNS, Paced, pace
from bot.bench.pace.people import ZONES, Person

MINUTES = 24 * 60
DEADLINE = time(20)
"""When all deadlines pass at once, in UTC: the worst that `[clock] due_at` can do."""

_PLAYERS = 6
_HURRIED_MINUTES = 120
_SHORTEST = timedelta(hours=12)
_SAMPLED = 20_000
_DAY = datetime(2026, 9, 7, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Load:
    """What one running game makes in a day: ``mails`` that come in, ``letters`` that go out (asked for or not), and
    ``silences``, deadlines that pass without an answer. ``days`` is how long a game lasts."""

    mails: float
    letters: float
    silences: float
    days: float

    @property
    def letters_a_mail(self) -> float:
        """How many letters follow from one mail or silence."""
        return self.letters / (self.mails + self.silences)


def load(tempo: str, games: int) -> Load:
    """The load of one game, from so many played at a tempo without sheets, as most people play."""
    return of_pace(pace(tempo, games, sheets=False))


def of_pace(paced: Paced) -> Load:
    """The load of one game of six that goes at this pace. Every mail has an answer."""
    seats_a_day = _PLAYERS * TURNS / paced.median_days
    letters = paced.letters_a_turn + paced.answers_a_turn
    return Load(
        mails=paced.answers_a_turn * seats_a_day,
        letters=letters * seats_a_day,
        silences=paced.missed_a_turn * seats_a_day,
        days=paced.median_days,
    )


def profile(seed: str = "profile", sampled: int = _SAMPLED) -> Sequence[float]:
    """The share of a day's mails that comes in each minute of it (UTC).

    >>> len(profile(sampled=50))
    1440
    """
    chance, counted = Random(seed), [0] * MINUTES
    found = 0
    while found < sampled:
        person = Person(ZoneInfo(chance.choice(ZONES)), chance)
        asked = _DAY + timedelta(minutes=chance.uniform(0, MINUTES))
        due = datetime.combine(asked, DEADLINE, UTC)
        if due - asked < _SHORTEST:
            due += timedelta(days=1)
        at = person.answers_at(asked, due)
        if at is not None:
            if at == person.before(asked, due):  # whoever would be late writes some time in the last hours
                at -= timedelta(minutes=chance.uniform(0, _HURRIED_MINUTES))
            utc = at.astimezone(UTC)
            counted[utc.hour * 60 + utc.minute] += 1
            found += 1
    return [number / sampled for number in counted]
