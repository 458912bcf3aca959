"""One game over days, as the moderator holds it: its play, its seats, and what the calendar has to do with it.

This is plain data. What follows from an instant stands in the modules beside it, each a function of a table and of the
time it is given; ``bot.store`` writes the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, Self
from zoneinfo import ZoneInfo

from bot.config.values import ArchivePolicy
from bot.language.sheets import Sheet
from bot.table import calendar
from bot.table.calendar import instant_at
from bot.table.seat import Seat
from rules.components import Faction
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import Key
from rules.rulesets.options import Value
from rules.state.events import Event

EARLIEST = datetime.min.replace(tzinfo=UTC)


State = Literal["open", "answered", "suspended"]
Place = tuple[str, Key]
"""A question in a whole game: the stop at which it is asked, and its key there."""

BESIDE = "beside"
"""The place of an offer, which belongs to no stop."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """When an answer to a question is due, ``until`` when silence answers it, and whether it still would: while it is
    suspended, something else is dealt with first. ``missed``: it has. ``asked_at``: when it came up, None where an
    older Mentat did not note it. ``duty``: all may know that the game waits for this player."""

    due: datetime
    until: datetime
    asked_at: datetime | None
    duty: bool
    state: State = "open"
    missed: bool = False


Deadlines = dict[Place, Deadline]


LAST_MINUTE = time(23, 59)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Absence:
    """The days from ``first`` to ``last``, both included, on the calendar of the player's own zone."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """How many days it is."""
        return (self.last - self.first).days + 1

    def holds(self, moment: datetime, zone: ZoneInfo) -> bool:
        """Whether an instant falls into it."""
        return self.first <= moment.astimezone(zone).date() <= self.last

    def back(self, zone: ZoneInfo) -> datetime:
        """Until when they may answer what fell due meanwhile: the end of the first day after it."""
        return instant_at(self.last + _DAY, LAST_MINUTE, zone)


Absences = dict[Faction, list[Absence]]


@dataclass(frozen=True, slots=True)
class Overrun:
    """A bank that runs in these ``hours`` of a zone; ``left`` are the minutes left at the answer, -1 before that."""

    hours: str
    zone: str
    left: int = -1

    def minutes(self, now: datetime, end: Deadline | None) -> int:
        """What is left of it now."""
        until = end.due if end else now
        return calendar.waking_time(now, until, self.hours, ZoneInfo(self.zone)) // timedelta(minutes=1)


Overruns = dict[Place, Overrun]


@dataclass(slots=True)
class Table:
    """An open game: its play, its seats, and how much of it is already in the database.

    ``recent`` are the events that some seat has not been told of yet, ``touched`` the seats that have changed.
    ``revision`` tells whether another process has changed the game since. ``call`` names the round for which sheets
    were asked last, ``call_due`` until when (``bot.table.clock``); ``now`` is the instant at which the game last went
    on.
    """

    id: str
    ruleset: str
    options: Mapping[str, Any]
    seed: str
    play: Play
    seats: dict[Faction, Seat]
    status: str = "running"
    entries: int = 0
    events: int = 0
    snapshot: tuple[int, int, str] = (-1, 0, "")  # number, turn and phase of the one last saved
    revision: int = 0
    deadlines: Deadlines = field(default_factory=dict)
    recent: list[Event] = field(default_factory=list)
    touched: set[Faction] = field(default_factory=set)
    tempo: str = "table"
    clock: Mapping[str, Any] = field(default_factory=dict)
    stopped_at: datetime | None = None
    stopped_why: str = ""
    call: str = ""
    call_due: datetime | None = None
    policy: ArchivePolicy = field(default_factory=ArchivePolicy)  # what the archive shows of it
    calling: bool = False  # the letters of the call are still to be written
    now: datetime = EARLIEST
    absences: Absences = field(default_factory=dict)
    overruns: Overruns = field(default_factory=dict)

    sheets: dict[Faction, Sheet] = field(default_factory=dict)
    turn_events: list[Event] | None = None  # this turn's, where a deputy may have to look at them
    by_sheet: dict[int, str] = field(default_factory=dict)  # entries not yet written that deputies sent: their lines

    on_hold: datetime | None = None  # since when orders are taken and nothing resolves
    press: str = ""  # how its players may write to each other; "" for open
    blind: bool = False  # nobody at the desk may look at what is sealed

    head: str = ""  # of the record that is kept of the game, "" before its first line
    lines: int = 0  # in that record
    words_key: bytes = b""  # what hides the words of offers in it

    @property
    def own_options(self) -> Mapping[str, Value]:
        """The options in which the game differs from its rule set."""
        return {name: self.play.game.rules.options[name] for name in self.options}

    def due(self, question: Question) -> datetime | None:
        """When an answer to a question of the open stop is due; None while the clocks are stopped."""
        if self.stopped_at:
            return None
        deadline = self.deadlines.get(place_of(self.play, question))
        return deadline.due if deadline else None


def place_of(play: Play, question: Question) -> Place:
    """Where a question of the open stop stands."""
    return (BESIDE if question.at_once else play.stop_name, question.key)


@dataclass(frozen=True, slots=True)
class TableBefore:
    """What letters must know of a table as it was before something happened there, to tell what is new."""

    deadlines: Deadlines
    turn: int
    over: bool

    @classmethod
    def of(cls, table: Table) -> Self:
        """The table as it is now, before something happens."""
        return cls(dict(table.deadlines), table.play.state.turn, table.play.over)
