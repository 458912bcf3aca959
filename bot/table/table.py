"""One game over several days, as the moderator holds it: its play, its seats, and its deadlines and absences.

This is plain data. The modules beside it compute what follows from an instant, each with functions of a table and a
given time. ``bot.store`` writes the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Literal, Self
from zoneinfo import ZoneInfo

from bot.config.time_zones import zone_named
from bot.config.values import ArchivePolicy
from bot.table import calendar
from bot.table.calendar import instant_at
from bot.table.seat import Seat
from rules.components import Faction
from rules.orders import Key

if TYPE_CHECKING:
    from bot.language.sheets import Sheet
    from rules.decisions.question import Question
    from rules.engine.play import Play
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
    """The deadline of a question. ``due`` is announced, and at ``until`` the default applies. While the question is
    suspended, something else is handled first. ``missed``: the default applied. ``asked_at`` is when it came up,
    None if an older Mentat did not store it. ``duty``: everybody may know that the game waits for this player."""

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
    """An absence from ``first`` to ``last``, both included, in the player's own time zone."""

    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    def holds(self, moment: datetime, zone: ZoneInfo) -> bool:
        return self.first <= moment.astimezone(zone).date() <= self.last

    def back(self, zone: ZoneInfo) -> datetime:
        """Return until when the player may answer what was due meanwhile: the end of the first day after the
        absence."""
        return instant_at(self.last + _DAY, LAST_MINUTE, zone)


Absences = dict[Faction, list[Absence]]


@dataclass(frozen=True, slots=True)
class Overrun:
    """An overrun on a time bank that runs in these ``hours`` of a zone. ``left`` is in minutes, -1 before the
    answer."""

    hours: str
    zone: str
    left: int = -1

    def minutes(self, now: datetime, end: Deadline | None) -> int:
        until = end.due if end else now
        return calendar.waking_time(now, until, self.hours, zone_named(self.zone)) // timedelta(minutes=1)


Overruns = dict[Place, Overrun]


UNTIMED = "untimed"
"""Why the clocks of a game stand still in which nobody waits for the one player."""


@dataclass(slots=True)
class Table:
    """An open game: its play, its seats, and how much of it is already in the database.

    ``recent`` are events that some seat has not been told yet, ``touched`` the seats that have changed. ``revision``
    shows whether another process has changed the game since. ``call`` names the round whose sheets were requested last,
    and ``call_due`` is its deadline (``bot.table.clock``). ``now`` is the instant at which the game last moved.
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
    snapshot: tuple[int, int, str] = (-1, 0, "")  # number, turn and phase of the last saved snapshot
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
    policy: ArchivePolicy = field(default_factory=ArchivePolicy)  # what the archive shows of the game
    calling: bool = False  # the letters of the call are not written yet
    now: datetime = EARLIEST
    absences: Absences = field(default_factory=dict)
    overruns: Overruns = field(default_factory=dict)

    sheets: dict[Faction, Sheet] = field(default_factory=dict)
    turn_events: list[Event] | None = None  # the events of this turn, if a deputy may need them
    past: list[Event] | None = None  # all written events, if Mentat plays a seat
    by_sheet: dict[int, str] = field(default_factory=dict)  # unwritten entries of deputies, with their sheet lines

    on_hold: datetime | None = None  # since when the game accepts orders and resolves nothing
    press: str = ""  # how players may write to each other; "" for open
    blind: bool = False  # nobody at the desk may see hidden information

    head: str = ""  # the head of the game's record, "" before its first line
    lines: int = 0  # in that record
    words_key: bytes = b""  # the key that hides the words of offers in the record

    @property
    def own_options(self) -> Mapping[str, Value]:
        return {name: self.play.game.rules.options[name] for name in self.options}

    def due(self, question: Question) -> datetime | None:
        if self.stopped_at:
            return None
        deadline = self.deadlines.get(place_of(self.play, question))
        return deadline.due if deadline else None


def place_of(play: Play, question: Question) -> Place:
    return (BESIDE if question.at_once else play.stop_name, question.key)


@dataclass(frozen=True, slots=True)
class TableBefore:
    """A table's state before something happened there. Letters compare with it to find what is new."""

    deadlines: Deadlines
    turn: int
    over: bool

    @classmethod
    def of(cls, table: Table) -> Self:
        return cls(dict(table.deadlines), table.play.state.turn, table.play.over)
