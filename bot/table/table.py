"""One game over several days, as the moderator knows it: its play, its seats, and its deadlines and absences.

This module contains only data. The other modules of this package work out what follows as time passes; their functions
take a table and an instant. ``bot.store`` writes the rows to the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Literal, Self
from zoneinfo import ZoneInfo

from bot.config.time_zones import zone_named
from bot.config.values import ArchivePolicy
from bot.table import calendar
from bot.table.calendar import instant_at
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
"""Identifies a question within a game: the point at which it is asked, and its key there."""

BESIDE = "beside"
"""Replaces the point of the game in the ``Place`` of an offer, because an offer belongs to no point of the game."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The deadline of a question. ``due`` is the announced end, and ``until`` is when the default applies. If ``state``
    says that the question is suspended, something else must be dealt with first. ``missed`` is true if the default was
    applied. ``asked_at`` is when the question came up, or None if an older Mentat did not store it. ``duty`` is true if
    everybody may know that the game waits for this player."""

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
    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    def holds(self, moment: datetime, zone: ZoneInfo) -> bool:
        return self.first <= moment.astimezone(zone).date() <= self.last

    def back(self, zone: ZoneInfo) -> datetime:
        """Return the deadline for questions that came due while the player was away: the end of the first day after the
        absence."""
        return instant_at(self.last + _DAY, LAST_MINUTE, zone)


Absences = dict[Faction, list[Absence]]


@dataclass(frozen=True, slots=True)
class Overrun:
    """A question whose deadline has passed while its player's time bank runs. The bank runs only in these waking
    ``hours`` of the ``zone``. ``left`` is the number of minutes left in the bank, or -1 until the question is
    answered."""

    hours: str
    zone: str
    left: int = -1

    def minutes(self, now: datetime, end: Deadline | None) -> int:
        until = end.due if end else now
        return calendar.waking_time(now, until, self.hours, zone_named(self.zone)) // timedelta(minutes=1)


Overruns = dict[Place, Overrun]


UNTIMED = "untimed"
"""The reason why the clocks stand still in a game with only one player, where nobody else waits."""


@dataclass(slots=True)
class Table:
    """An open game: its play, its seats, and how much of it is already in the database.

    ``recent`` are events that at least one seat has not been told about yet, and ``touched`` are the seats that have
    changed. ``revision`` shows whether another process has changed the game since it was opened. ``call`` names the
    round for which sheets were last requested, and ``call_due`` is the deadline for them (``bot.table.clock``). ``now``
    is the instant at which the game last moved.
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

    on_hold: datetime | None = None  # when the game began to accept orders without resolving anything
    press: str = ""  # how players may write to each other; "" for open
    blind: bool = False  # nobody at the desk may see hidden information

    head: str = ""  # the head of the game's record, "" before its first line
    lines: int = 0  # the number of lines in that record
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
    """The state of a table before an event. Letters compare the table with it to find out what is new."""

    deadlines: Deadlines
    turn: int
    over: bool

    @classmethod
    def of(cls, table: Table) -> Self:
        return cls(dict(table.deadlines), table.play.state.turn, table.play.over)


@dataclass(slots=True)
class Seat:
    """A player of a game as the moderator knows them. The fields are columns in the database. An empty string or 0
    means that an older Mentat did not store this field."""

    faction: Faction
    dot: int
    address: str
    name: str
    timezone: str
    token: str  # the token in their reply address
    bounce_token: str  # the token in the envelope sender of their letters
    generation: int = 0  # how often both tokens have been renewed
    told: int = 0  # how many events of the game they have been told
    letters: int = 0  # letters written to this seat; numbers their Message-IDs
    letters_mode: str = "all"  # which letters they want: all, wanted, daily (``bot.table.rounds``)
    digest_due: datetime | None = None  # when the daily letter is due; None if it would be empty
    last_message_id: str = ""  # the Message-ID of the last letter, for threading
    conversation: str = ""  # the Message-ID of the first letter of the turn
    conversation_turn: int = 0
    receipts: bool = False  # they want an answer to every mail at once
    taken: Sequence[str] = ()  # orders taken from their mails, not yet confirmed by a letter
    receipt_due: datetime | None = None  # when they are confirmed in a letter of their own, unless another comes first
    unreachable: bool = False
    waking: str = ""  # local hours in which their time bank runs, like "08:00-22:00"; "" means all day
    bank: int = 0  # minutes left in their time bank
    extended: int = 0  # hours of extension granted at their request
    away: int = 0  # days of absence announced
    missed: int = 0  # consecutive deadlines missed
    care: bool = False  # the caretaker plays for them
    called: str = ""  # the last call for sheets that they answered
    warned: str = ""  # digest of the press letter held until they send it again (``bot.moderator.press_mail``)
    undelivered: int = 0  # points for recent bounces (``bot.games.silent_players``)
    undelivered_at: datetime | None = None  # when the last mail bounced
    unreachable_since: datetime | None = None
    waits_until: datetime | None = None  # until when their duties wait because mail does not reach them
    waited: int = 0  # minutes for which their duties have waited in this game before
    lent: int = 0  # minutes for which they are waiting this time
    fruitless: int = 0  # how many mails in a row had no usable line
    warned_at: datetime | None = None  # when Mentat last warned them of another person writing in their name
    board: str = ""  # digest of the last picture that they got (``bot.render.picture.board_digest``)
    drawn: int = 0  # how many events were shown in pictures that they did not ask for
    asked_by_desk: str = ""  # the letter with the game master's open question
    sitter: str = ""  # the address of their sitter, or ""
    sitter_name: str = ""
    sitter_token: str = ""  # the token in the sitter's reply address
    sitter_until: datetime | None = None  # when the sitting ends
    sittings: int = 0  # how many sittings there have been; each has its own token
    opponent: str = ""  # the temperament with which Mentat plays the seat while it is in care; "" for the caretaker's
    pictures: str = ""  # their settings for pictures of the board, like "full dark"; empty for the default

    @property
    def has_player(self) -> bool:
        """Return True if a person holds the seat. If nobody does, Mentat plays it permanently, and nobody gets its
        letters."""
        return bool(self.address)

    @property
    def tokens(self) -> list[str]:
        return [self.token, self.sitter_token]

    def sat_in_for(self, now: datetime) -> bool:
        return bool(self.sitter) and self.sitter_until is not None and now < self.sitter_until
