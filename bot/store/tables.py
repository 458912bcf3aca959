"""Tables that several subjects use, or that no value is read from as a whole.

A table with a value stands with it, in the module of its subject: ``table_of`` derives it (``bot.store.rows``). So do
the tables of seats, deadlines, overruns and absences here, whose values are in ``bot.table``. A class here declares a
table whose rows are read column by column.

A game is its seats, its seed and its log (``entry``). ``event`` and ``snapshot`` are derived, and stored so that
reading needs no replay. ``message`` holds every mail as it came. ``letter`` is the outbox. Acts, press and dropped
entries are only added. All instants are in UTC, as ISO text with microseconds, which sorts correctly
(``bot.store.database``). The store uses the tables through SQLAlchemy Core, which commits three times as many
messages a second as the ORM."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from bot.store.database import Instant, InstantOrEmpty, Packed
from bot.store.rows import table_of
from bot.table.seat import Seat
from bot.table.table import Absence, Deadline, Overrun

NOBODY = "deleted"
"""Replaces the address and the name of a deleted person."""


UNTOLD = "hidden public-only"
"""The archive policy of games whose players were told nothing about it when they began."""


class GameRow(SQLModel, table=True):
    """One game. ``status``: running, held (its replay differs, so the game master must look), over. ``tempo`` names how
    its stops are spread over days (``data/tempos.toml``), and ``clock`` holds its own clock settings as JSON.
    ``stopped_at`` is when its clocks were stopped, None while they run.

    ``record_head`` is the digest of the last line of its record, and ``record_lines`` the number of lines: "" and 0
    before the record begins. ``record_key`` hides the words of offers in it (``bot.record.lines``). ``press`` says how
    its players may write to each other, "" without limits. If ``blind``, nobody at the desk may see what is secret.
    Since ``on_hold`` nothing resolves.
    """

    __tablename__ = "game"

    id: str = Field(primary_key=True)
    ruleset: str
    options: str = "{}"  # JSON: options that differ from the rule set
    seed: str
    commitment: str
    status: str = Field(default="running", index=True)
    turn: int = 1
    phase: str = "setup"
    created_at: datetime = Field(sa_type=Instant)
    entries: int = 0
    events: int = 0
    rules_digest: str = ""  # the rules with which the last replay agreed
    winners: str = ""
    revision: int = 0  # transactions that changed the game: tells whether the copy in memory is current
    tempo: str = "table"
    clock: str = "{}"
    stopped_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    stopped_why: str = ""
    call: str = ""  # the last round for which Mentat asked for sheets, like "4.bidding"
    call_due: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    archive: str = UNTOLD  # what the archive shows of the game (``bot.config.values.ArchivePolicy.words``)
    record_head: str = ""
    record_lines: int = 0
    record_key: bytes = b""
    press: str = ""  # how players may write to each other (``bot.press``); "" for open
    blind: bool = False  # nobody at the desk may see hidden information
    on_hold: datetime | None = Field(
        default=None, sa_type=InstantOrEmpty, nullable=False
    )  # since when nothing resolves


class EntryRow(SQLModel, table=True):
    """One entry of a game's log, as JSON (``rules.engine.log.Entry``), and the message that brought it, if any.
    ``sheet`` holds the numbers of the sheet lines from which it was made. Nobody may see it before the end of the
    game."""

    __tablename__ = "entry"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Instant)
    data: bytes
    message_id: int | None = None
    sheet: str = ""


class EventRow(SQLModel, table=True):
    __tablename__ = "event"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    turn: int
    data: bytes


class RecordPartRow(SQLModel, table=True):
    """Record lines of a game (``bot.record.lines``) that one transaction added, each with its line end. ``first`` is
    the number of the first line. Rows are never changed or deleted, not even by a rollback."""

    __tablename__ = "record_part"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    first: int = Field(primary_key=True)
    data: bytes


class SnapshotRow(SQLModel, table=True):
    """The state at the start of a phase, the number of log entries and events before it, and the SHA-256 of the
    state. ``number`` counts the stored snapshots of the game, which continues from the last. ``head`` is the
    digest of the last record line before this phase, "" if an older Mentat kept none."""

    __tablename__ = "snapshot"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    turn: int
    phase: str
    entries: int
    events: int
    state: bytes
    digest: str
    head: str = ""


class SheetRow(SQLModel, table=True):
    """A standing or conditional order as a seat filed it. ``state``: active, used, replaced, withdrawn, over (its time
    has passed). ``turn`` is the last turn for which it is valid, 0 for every turn. ``left`` is how often it may
    still act, -1 for no limit. ``note`` says what kept it from acting, until its owner has been told.

    ``filed`` is the length of the log when it was filed, and ``changed`` when it last acted or ended: a rollback
    withdraws later lines. ``acted`` is the stop at which it last made a play.
    """

    __tablename__ = "sheet"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    faction: str = Field(primary_key=True)
    number: int = Field(primary_key=True)
    line: str
    filed_at: datetime = Field(sa_type=Instant)
    turn: int = 0
    left: int = -1
    state: str = "active"
    note: str = ""
    filed: int = 0
    changed: int = 0
    acted: str = ""


class RatedPersonRow(SQLModel, table=True):
    """A rated person. ``address`` is any of theirs. After deletion it says only that they were deleted, and their
    number. ``private``: not in the public list."""

    __tablename__ = "rated_person"

    id: int | None = Field(default=None, primary_key=True)
    address: str = Field(index=True)
    name: str = ""
    private: bool = False


class MeasurementRow(SQLModel, table=True):
    """A number that no other row holds (``bot.store.installation``). ``name`` and ``label`` say what was measured."""

    __tablename__ = "measurement"

    name: str = Field(primary_key=True)
    label: str = Field(default="", primary_key=True)
    value: float = 0.0


class MessageRow(SQLModel, table=True):
    """A mail as it came. These columns keep it from being handled twice: ``key`` (mailbox, UIDVALIDITY, UID),
    ``digest`` (of its bytes), ``message_id``, and ``content`` (of what its sender wrote) with ``written`` (its
    Date). ``raw`` is empty once it was deleted."""

    __tablename__ = "message"
    __table_args__ = (Index("ix_message_of_seat", "game_id", "faction", "received_at"),)

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(index=True, unique=True)
    digest: str = Field(index=True)
    message_id: str = Field(default="", index=True)
    sender: str = ""
    subject: str = ""
    received_at: datetime = Field(sa_type=Instant)
    disposition: str = Field(index=True)
    reason: str = ""
    game_id: str | None = None
    faction: str | None = None
    raw: bytes = Field(default=b"", sa_type=Packed, nullable=False)
    content: str = Field(default="", index=True)
    written: str = ""


class PictureRow(SQLModel, table=True):
    __tablename__ = "picture"

    digest: str = Field(primary_key=True)
    png: bytes


class AddressRow(SQLModel, table=True):
    """One address of a ``person`` (a number) with several. Letters go to the address that is ``used``. An address
    with a ``code`` is unconfirmed: it waits for the answer to a letter sent there at ``asked_at``."""

    __tablename__ = "address"

    id: int | None = Field(default=None, primary_key=True)
    person: int = Field(index=True)
    address: str = Field(index=True)
    used: bool = False
    code: str = Field(default="", index=True)
    asked_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)


class SeatPseudonymRow(SQLModel, table=True):
    """The pseudonym of a seat. It is tied to seats alone, so that it belongs to nobody once the seats are nameless."""

    __tablename__ = "seat_pseudonym"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    faction: str = Field(primary_key=True)
    pseudonym: int = Field(index=True, foreign_key="pseudonym.id")


class OldTokenRow(SQLModel, table=True):
    __tablename__ = "old_token"

    token: str = Field(primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    faction: str


class DroppedEntryRow(SQLModel, table=True):
    """A log entry that a rollback has cut, as it was in the log. `rollback --undo` restores it."""

    __tablename__ = "dropped_entry"

    rollback_id: int = Field(primary_key=True, foreign_key="rollback.id")
    number: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Instant)
    data: bytes
    message_id: int | None = None
    sheet: str = ""


class MutedRow(SQLModel, table=True):
    __tablename__ = "muted"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    faction: str = Field(primary_key=True)
    since: datetime = Field(sa_type=Instant)


SEAT = table_of(
    "seat",
    Seat,
    key="game_id faction",
    index="address digest_due receipt_due sitter_token sitter_until",
    unique="token bounce_token",
    refers="game_id",
    game_id=str,
)
DEADLINE = table_of(
    "deadline", Deadline, Index("ix_deadline_to_remind", "state", "reminded", "due"),
    Index("ix_deadline_state_until", "state", "until"), key="game_id opened_at faction kind subject", refers="game_id",
    game_id=str, opened_at=str, faction=str, kind=str, subject=str, reminded=int,
)  # fmt: skip
"""A question, by the stop at which it is asked (``opened_at``, "4.bidding.7"), and when its default applies. ``state``
is also "gone": of gone questions only the missed are kept, so that a late order can be told so. ``reminded`` is how
many reminders went out."""

OVERRUN = table_of(
    "overrun",
    Overrun,
    key="game_id opened_at faction kind subject",
    refers="game_id",
    game_id=str,
    opened_at=str,
    faction=str,
    kind=str,
    subject=str,
)
"""A deadline overrun that uses its player's time bank. The bank is charged when the question is gone."""

ABSENCE = table_of(
    "absence", Absence, key="game_id faction first", refers="game_id", game_id=str, faction=str, filed_at=datetime
)

_tables = SQLModel.metadata.tables
GAME = _tables["game"]
ENTRY = _tables["entry"]
EVENT = _tables["event"]
RECORD_PART = _tables["record_part"]
SNAPSHOT = _tables["snapshot"]
MESSAGE = _tables["message"]
PICTURE = _tables["picture"]
ADDRESS = _tables["address"]
OLD_TOKEN = _tables["old_token"]
SEAT_PSEUDONYM = _tables["seat_pseudonym"]
SHEET = _tables["sheet"]
MEASUREMENT = _tables["measurement"]
RATED_PERSON = _tables["rated_person"]
DROPPED_ENTRY = _tables["dropped_entry"]
MUTED = _tables["muted"]
