"""The clock of one game, which combines the [clock] settings, the game's own settings, and its tempo.

The deadline of a question depends only on public facts: the kind of question, when it came up, and this clock. It does
not depend on answers or hands.

A tempo (``data/tempos.toml``) decides how the questions of a game are spread over the days. For each kind of question
it says how long the question is open, and whether it is a *sheet window*, which takes no time. Neither hands nor sheets
affect this.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from bot.config import ClockSettings, Settings, SettingsError, changed_clock
from bot.config.time_zones import write_zone, zone_named
from bot.table import calendar
from bot.table.calendar import Calendar
from rules.components.facts import load_toml

if TYPE_CHECKING:
    from rules.decisions.question import Question
    from rules.orders import PhaseName

OWN_SETTINGS = (
    "step_hours",
    "timezone",
    "due_at",
    "days_off",
    "holidays",
    "minimum_hours",
    "grace_hours",
    "opponent_minutes",
)
"""The settings that a game may override with its own."""

MOST_SECONDS = 3 * 366 * 86_400
"""The maximum number of seconds by which an extension can move a deadline."""

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def whole_step(_question: Question) -> float:
    return 1


def without_pause(_question: Question) -> timedelta | None:
    return None


def without_call(_question: Question, due: datetime) -> datetime:
    return due


@dataclass(frozen=True, slots=True)
class GameClock:
    """The lengths of time that questions stay open in one game. ``step``, ``minimum`` and ``grace`` are in hours.
    ``share`` returns the fraction of a step for which a question is open. ``with_call`` adjusts a question's first
    deadline to the deadline of the round's call. ``pause`` returns how long a computer opponent waits before it answers
    a question, whatever deadline a person would have."""

    calendar: Calendar
    step: float = 24
    minimum: float = 0
    grace: float = 0
    share: Callable[[Question], float] = whole_step
    with_call: Callable[[Question, datetime], datetime] = without_call
    pause: Callable[[Question], timedelta | None] = without_pause

    def hours(self, question: Question) -> float:
        return max(self.step * self.share(question), self.minimum)

    def due(self, question: Question, opened: datetime) -> datetime:
        if (pause := self.pause(question)) is not None:
            return opened + pause
        return self.with_call(question, calendar.due_at(self.calendar, opened, self.hours(question)))

    def call_due(self, part: float, opened: datetime) -> datetime:
        return calendar.due_at(self.calendar, opened, max(self.step * part, self.minimum))

    def due_again(self, question: Question, now: datetime) -> datetime:
        """Return the earliest deadline for a question that was suspended or is asked again: half of its usual time from
        now."""
        if (pause := self.pause(question)) is not None:
            return now + pause
        return calendar.due_at(self.calendar, now, max(self.hours(question) / 2, self.minimum))

    def until(self, question: Question, due: datetime) -> datetime:
        """Return the instant at which the default for a question applies. For public duties this is after the grace
        period; other questions have none."""
        return due + timedelta(hours=self.grace) if self.duty(question) else due

    def duty(self, question: Question) -> bool:
        """Return True if everybody may know that this question waits for its player, and the question takes time. A
        computer opponent's pause before answering does not count."""
        return is_public_duty(question) and self.share(question) > 0 and self.pause(question) is None

    def later(self, due: datetime, since: datetime, back: datetime) -> datetime:
        """Return the deadline after the clocks stood still from ``since`` until ``back``. The player has as much time
        left as they had at ``since``."""
        left = calendar.counted_between(self.calendar, since, due)
        return max(due, calendar.next_allowed(self.calendar, calendar.counted_from(self.calendar, back, left)))

    def extended(self, due: datetime, hours: float) -> datetime:
        return calendar.due_at(self.calendar, due, hours)

    def before_extension(self, due: datetime, hours: float) -> datetime:
        """Return the latest deadline that an extension by ``hours`` would not move beyond ``due``."""
        second = timedelta(seconds=1)
        back = bisect_left(range(MOST_SECONDS), True, key=lambda back: self.extended(due - back * second, hours) <= due)
        return due - back * second


def game_clock(
    settings: Settings,
    own: Mapping[str, Any],
    share: Callable[[Question], float] = whole_step,
    pause: Callable[[Question], timedelta | None] = without_pause,
) -> GameClock:
    clock = _changed(settings.clock, own)
    days_off = frozenset(DAYS.index(day) for day in clock.days_off)
    zone = clock.timezone or settings.mentat.timezone
    dates = frozenset(day for day in clock.holidays if not isinstance(day, str))
    regions = frozenset(region for region in clock.holidays if isinstance(region, str))
    days = Calendar(zone, clock.due_at, days_off, dates, regions)
    return GameClock(days, clock.step_hours, clock.minimum_hours, clock.grace_hours, share, pause=pause)


def read_own_settings(clock: ClockSettings, given: list[str]) -> dict[str, Any]:
    """Parse a game's own clock settings, each given as `NAME=VALUE`, into their stored form. Raise SettingsError, which
    lists all mistakes.

    >>> read_own_settings(ClockSettings(), ["due_at=20:00", "days_off=saturday,sunday"])
    {'due_at': '20:00', 'days_off': ['saturday', 'sunday']}
    """
    own: dict[str, Any] = {}
    problems = []
    for text in given:
        name, found, value = (part.strip() for part in text.partition("="))
        if not found or name not in OWN_SETTINGS:
            problems.append(
                f"{text!r} is not a clock setting: write it like step_hours=48; "
                f"a game may have its own {', '.join(OWN_SETTINGS)}."
            )
        else:
            own[name] = _value(name, value)
    if problems:
        raise SettingsError(problems)
    made = changed_clock(clock, _without_reminders(own))
    return own | ({"timezone": made.timezone.key if made.timezone else ""} if "timezone" in own else {})


def settings_in_force(settings: Settings, own: Mapping[str, Any]) -> dict[str, str]:
    clock = _changed(settings.clock, own)
    zone = clock.timezone or settings.mentat.timezone
    return {
        "step_hours": f"{clock.step_hours:g}",
        "timezone": write_zone(zone.key),
        "due_at": f"{clock.due_at:%H:%M}" if clock.due_at else "",
        "days_off": ", ".join(clock.days_off),
        "holidays": ", ".join(map(str, clock.holidays)),
        "minimum_hours": f"{clock.minimum_hours:g}",
        "grace_hours": f"{clock.grace_hours:g}",
        "opponent_minutes": f"{clock.opponent_minutes:g}",
    }


def shown_settings(own: Mapping[str, Any]) -> list[str]:
    return [
        f"{name.replace('_', ' ')} {', '.join(map(str, value)) if isinstance(value, list) else write_zone(str(value))}"
        for name, value in own.items()
    ]


def is_public_duty(question: Question) -> bool:
    """Return True if everybody may know that this question waits for its player, and the game cannot go on without an
    answer."""
    return question.public and not (question.blanket or question.beside or question.at_once or question.settled)


def _value(name: str, text: str) -> Any:
    if name in ("days_off", "holidays"):
        return [part.strip().lower() for part in text.split(",") if part.strip()]
    if name.endswith(("_hours", "_minutes")):
        try:
            return float(text)
        except ValueError:
            return text
    return text


def _changed(clock: ClockSettings, own: Mapping[str, Any]) -> ClockSettings:
    # A stored zone is an exact name. It is not parsed again, because as a word it may match several zones.
    zone = {"timezone": zone_named(own["timezone"])} if own.get("timezone") else {}
    return changed_clock(clock, _without_reminders(own) | zone) if own else clock


def _without_reminders(own: Mapping[str, Any]) -> dict[str, Any]:
    """If a game has its own step length, drop the default reminders, which might be due before a step even begins."""
    step = own.get("step_hours")
    return {**own, "reminder_hours": []} if step is not None else dict(own)


DEFAULT_TEMPO = "steady"
TEMPO_FILE = "tempos.toml"


class UnknownTempo(ValueError):
    """There is no tempo of this name. The message lists the tempos that exist."""


@dataclass(frozen=True, slots=True)
class Round:
    """A part of the turn that has its own call for sheets. ``at`` lists the kinds of question at which the call opens.
    The call stays open for the fraction ``hours`` of the game's step."""

    name: str
    phases: tuple[PhaseName, ...]
    at: tuple[str, ...]
    hours: float
    opens_in: tuple[PhaseName, ...] = ()  # all phases if empty


@dataclass(frozen=True, slots=True)
class Tempo:
    """A named way to spread a game over days. ``days_a_turn`` is the usual maximum number of days per turn if each step
    lasts 24 hours.

    >>> tempo("steady").window_is_open("karama-window", "voice")
    False
    >>> tempo("steady").hours("bid"), tempo("table").hours("bid")
    (0.5, 1.0)
    """

    name: str
    says: str
    days_a_turn: float
    parts: Mapping[str, float]
    sheet: Mapping[str, str]
    rounds: tuple[Round, ...]

    def hours(self, kind: str, why: str = "") -> float:
        """Return the fraction of the game's step for which a question of this kind is open. For a reaction window,
        ``why`` says what it reacts to."""
        return self.parts.get(f"{kind} {why}", self.parts.get(kind, 1.0))

    def window_is_open(self, kind: str, why: str = "") -> bool:
        return kind not in self.sheet and f"{kind} {why}" not in self.sheet

    def round_of(self, phase: str, kinds: frozenset[str]) -> Round | None:
        rounds = (part for part in self.rounds if phase in (part.opens_in or part.phases))
        return next((part for part in rounds if not kinds.isdisjoint(part.at)), None)


@cache
def tempo(name: str) -> Tempo:
    found: Any = load_toml(TEMPO_FILE)
    if name not in found:
        raise UnknownTempo(f"There is no tempo {name!r}; the tempos are {', '.join(found)}.")
    values = found[name]
    return Tempo(
        name,
        values["says"],
        float(values["days_a_turn"]),
        {kind: float(part) for kind, part in values.get("hours", {}).items()},
        values.get("sheet", {}),
        tuple(
            Round(
                title, tuple(part["phases"]), tuple(part["at"]), float(part["hours"]), tuple(part.get("opens_in", ()))
            )
            for title, part in values.get("round", {}).items()
        ),
    )


def tempo_names() -> tuple[str, ...]:
    return tuple(load_toml(TEMPO_FILE))


def round_at(call: str, of_tempo: str, turn: int, phase: str) -> Round | None:
    called, _, name = call.partition(".")
    if called != str(turn):
        return None
    return next((r for r in tempo(of_tempo).rounds if r.name == name and phase in r.phases), None)
