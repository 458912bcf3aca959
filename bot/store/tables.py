"""The tables of the database, one class each. The table of seats follows from ``bot.table.seat.Seat``.

Tournaments, the forum and the installation have their tables in ``tournament_tables``, ``forum_threads`` and
``installation``.

A game is its seats, its seed and its log (``entry``). ``event`` and ``snapshot`` are derived, and stored so that
reading needs no replay. ``message`` holds every mail as it came. ``letter`` is the outbox. Acts, press and dropped
entries are only added. All instants are in UTC, as ISO text with microseconds, which sorts correctly
(``bot.store.database``).

The classes define the types and the schema. The store uses the tables through SQLAlchemy Core, which commits three
times as many messages a second as the ORM.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, get_type_hints

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, PrimaryKeyConstraint, Table, text
from sqlalchemy.types import TypeEngine
from sqlmodel import AutoString, Field, SQLModel

from bot.store.database import Day, Instant, InstantOrEmpty, Packed
from bot.table.seat import Seat
from rules.components import Faction

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
    options: str = "{}"  # JSON: options changed from the rule set's own
    seed: str
    commitment: str
    status: str = Field(default="running", index=True)
    turn: int = 1
    phase: str = "setup"
    created_at: datetime = Field(sa_type=Instant)
    entries: int = 0
    events: int = 0
    rules_digest: str = ""  # of the rules that the last replay agreed with
    winners: str = ""
    revision: int = 0  # counts the transactions that changed the game: what is kept in memory may be older
    tempo: str = "table"
    clock: str = "{}"
    stopped_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    stopped_why: str = ""
    call: str = ""  # the round for which sheets were asked last, like "4.bidding"
    call_due: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    archive: str = UNTOLD  # what the archive shows of it (``bot.config.values.ArchivePolicy.words``)
    record_head: str = ""
    record_lines: int = 0
    record_key: bytes = b""
    press: str = (
        ""  # how its players may write to each other (``bot.press``); "" for open, as before there was a choice
    )
    blind: bool = False  # nobody at the desk may look at what is sealed
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
    """One event, as JSON (``rules.state.events.Event``)."""

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


class DeadlineRow(SQLModel, table=True):
    """A question, and when its default applies. ``due`` is the announced deadline, ``until`` when the default applies,
    ``asked_at`` when the question came up. ``duty``: everybody may know that the game waits for this player.

    ``state``: open, answered (which others must not notice), suspended (while a card or power is handled first), gone.
    ``missed``: the default applied. Of gone questions only the missed are kept, so that a late order can be told so.
    """

    __tablename__ = "deadline"
    __table_args__ = (
        Index("ix_deadline_to_remind", "state", "reminded", "due"),
        Index("ix_deadline_state_until", "state", "until"),
    )

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    opened_at: str = Field(primary_key=True)  # the stop it belongs to ("4.bidding.7")
    faction: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    subject: str = Field(default="", primary_key=True)
    due: datetime = Field(sa_type=Instant)
    until: datetime = Field(sa_type=Instant)
    asked_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    duty: bool = False
    state: str = "open"
    missed: bool = False
    reminded: int = 0  # how many reminders went out


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


class AbsenceRow(SQLModel, table=True):
    """Days on which a player is away, both included, in their own time zone."""

    __tablename__ = "absence"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    faction: str = Field(primary_key=True)
    first: date = Field(primary_key=True, sa_type=Day)
    last: date = Field(sa_type=Day)
    filed_at: datetime = Field(sa_type=Instant)


class OverrunRow(SQLModel, table=True):
    """A deadline overrun that uses its player's time bank. The bank runs in these ``hours`` of this ``zone``.
    ``left`` is the number of minutes left when the player answered, -1 before that. The bank is charged when the
    question is gone."""

    __tablename__ = "overrun"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    opened_at: str = Field(primary_key=True)
    faction: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    subject: str = Field(default="", primary_key=True)
    hours: str
    zone: str
    left: int = -1


class HeartbeatRow(SQLModel, table=True):
    """When a part (the service, the mailbox) was last known to work, or since when it has failed."""

    __tablename__ = "pulse"

    name: str = Field(primary_key=True)
    at: datetime = Field(sa_type=Instant)
    failing_since: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)


class MeasurementRow(SQLModel, table=True):
    """A number that no other row holds (``bot.store.installation``). ``name`` and ``label`` say what was measured."""

    __tablename__ = "measurement"

    name: str = Field(primary_key=True)
    label: str = Field(default="", primary_key=True)
    value: float = 0.0


class ActRow(SQLModel, table=True):
    """An act on a game. ``what`` is the power or the event (``bot.store.record.GameAct``), ``words`` what exactly.
    ``who`` and ``right`` are "" for the calendar or the console. ``why`` is for the record, ``tell`` is what the
    table was told. Everybody may read acts at the end of the game."""

    __tablename__ = "act"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    at: datetime = Field(sa_type=Instant)
    what: str
    why: str = ""
    who: str = ""
    right: str = ""
    words: str = ""
    tell: str = ""


class RollbackRow(SQLModel, table=True):
    """A rollback of a game to its first ``entries`` of the log and the ``events`` that these give, in this turn and
    phase. ``why`` is what the players were told."""

    __tablename__ = "rollback"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    at: datetime = Field(sa_type=Instant)
    entries: int
    events: int
    turn: int
    phase: str
    why: str = ""
    undone: bool = False  # what it had cut was put back


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


_WAITS = text("next_try_at IS NOT NULL")
"""Selects the few letters that wait among the many that were sent."""


class LetterRow(SQLModel, table=True):
    """The outbox: letters written in the transaction that caused them, sent afterwards and retried until they are
    gone. A process claims a letter before sending it, until ``claimed_until``. ``tries`` counts the claims.
    ``content`` is the letter as stored (``bot.store.mail``), and ``pictures`` are the hashes of its pictures."""

    __tablename__ = "letter"
    __table_args__ = (Index("ix_letter_waiting", "id", sqlite_where=_WAITS, postgresql_where=_WAITS),)

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    game_id: str | None = Field(default=None, index=True)
    faction: str | None = None
    envelope_from: str
    recipient: str
    subject: str
    content: bytes = Field(sa_type=Packed)
    pictures: str = ""
    created_at: datetime = Field(sa_type=Instant)
    sent_at: datetime | None = Field(default=None, sa_type=Instant)
    next_try_at: datetime | None = Field(default=None, index=True, sa_type=Instant)  # None when sent or given up
    tries: int = 0
    error: str = ""
    claimed_by: str = ""  # the process that sends it just now; empty for none
    claimed_until: datetime | None = Field(default=None, sa_type=Instant)


class PictureRow(SQLModel, table=True):
    """A picture in letters, by the SHA-256 of its bytes."""

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


class PseudonymRow(SQLModel, table=True):
    """A pseudonym in the archive. ``listed``: it appears in the list of players. Two names with the same ``folded``
    form are the same (``bot.language.slots.fold_name``)."""

    __tablename__ = "pseudonym"

    id: int | None = Field(default=None, primary_key=True)
    name: str
    folded: str = Field(index=True, unique=True)
    listed: bool = False


class SeatPseudonymRow(SQLModel, table=True):
    """The pseudonym of a seat. It is tied to seats alone, so that it belongs to nobody once the seats are nameless."""

    __tablename__ = "seat_pseudonym"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    faction: str = Field(primary_key=True)
    pseudonym: int = Field(index=True, foreign_key="pseudonym.id")


class OldTokenRow(SQLModel, table=True):
    """An expired reply token, and its seat."""

    __tablename__ = "old_token"

    token: str = Field(primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    faction: str


class ObserverRow(SQLModel, table=True):
    """An observer, who gets the public summary of each turn and nothing else. ``turn`` is the last one they were
    sent. ``letters`` numbers their Message-IDs. ``board`` is their last picture, ``drawn`` its number of events.
    Anybody with the ``token`` may end the observation."""

    __tablename__ = "observer"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    address: str = Field(primary_key=True)
    token: str = Field(index=True, unique=True)
    since: datetime = Field(sa_type=Instant)
    turn: int = 0
    letters: int = 0
    board: str = ""
    drawn: int = 0
    delay: int = 0
    full: bool = False


class FormRow(SQLModel, table=True):
    """The lines of a form as it was sent, by its one-time code, to detect what the player changed."""

    __tablename__ = "form"

    code: str = Field(primary_key=True)
    game_id: str = Field(index=True)
    faction: str
    lines: str  # JSON


_COLUMNS: dict[object, type[TypeEngine[Any]]] = {
    str: AutoString, int: Integer, bool: Boolean, datetime | None: InstantOrEmpty, Faction: AutoString
}  # fmt: skip


def _seat() -> Table:
    """Build the table of seats from the fields of ``bot.table.seat.Seat``. It has no class of its own."""
    columns = [Column(name, _COLUMNS[kind], nullable=False) for name, kind in get_type_hints(Seat).items()]
    seat = Table("seat", SQLModel.metadata, Column("game_id", AutoString, ForeignKey("game.id")), *columns)
    PrimaryKeyConstraint(seat.c.game_id, seat.c.faction)
    Index("ix_seat_address", seat.c.address)
    Index("ix_seat_digest_due", seat.c.digest_due)
    Index("ix_seat_token", seat.c.token, unique=True)
    Index("ix_seat_sitter_token", seat.c.sitter_token)
    Index("ix_seat_sitter_until", seat.c.sitter_until)
    Index("ix_seat_bounce_token", seat.c.bounce_token, unique=True)
    return seat


SEAT = _seat()
_tables = SQLModel.metadata.tables
GAME = _tables["game"]
ENTRY = _tables["entry"]
EVENT = _tables["event"]
RECORD_PART = _tables["record_part"]
SNAPSHOT = _tables["snapshot"]
DEADLINE = _tables["deadline"]
MESSAGE = _tables["message"]
LETTER = _tables["letter"]
PICTURE = _tables["picture"]
OBSERVER = _tables["observer"]
ADDRESS = _tables["address"]
OLD_TOKEN = _tables["old_token"]
PSEUDONYM = _tables["pseudonym"]
SEAT_PSEUDONYM = _tables["seat_pseudonym"]
FORM = _tables["form"]
SHEET = _tables["sheet"]
ABSENCE = _tables["absence"]
OVERRUN = _tables["overrun"]
HEARTBEAT = _tables["pulse"]
MEASUREMENT = _tables["measurement"]
ACT = _tables["act"]
ROLLBACK = _tables["rollback"]


class GameRightRow(SQLModel, table=True):
    """A person's right in a game, in addition to this Mentat's game master and the organisers of the game's
    tournament. Replies to their letters carry the ``token``."""

    __tablename__ = "game_right"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    address: str = Field(primary_key=True)
    right: str
    token: str = Field(index=True, unique=True)
    since: datetime = Field(sa_type=Instant)


class MasterCodeRow(SQLModel, table=True):
    """A dangerous command that came by mail and waits for one answer to a letter with its ``code``. ``entries`` is
    the length of the game's log then. ``state``: waiting, done, refused, over."""

    __tablename__ = "master_code"

    code: str = Field(primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    address: str
    line: str
    entries: int
    asked_at: datetime = Field(sa_type=Instant)
    until: datetime = Field(sa_type=Instant)
    state: str = "waiting"


class MasterNoteRow(SQLModel, table=True):
    """A game master's private note. ``about`` is "" for the whole game, a faction, or an address. If ``successor``
    is set, the next game master may read it."""

    __tablename__ = "master_note"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(default="", index=True)
    about: str = Field(default="", index=True)
    words: str
    who: str = ""
    at: datetime = Field(sa_type=Instant)
    successor: bool = False


class BanRow(SQLModel, table=True):
    """A ban, in all games (``tournament_id`` "") or in one tournament. ``until`` None is permanent. A row of
    ``kind`` warning forbids nothing."""

    __tablename__ = "ban"

    id: int | None = Field(default=None, primary_key=True)
    address: str = Field(index=True)
    tournament_id: str = ""
    kind: str = "ban"
    why: str = ""
    who: str = ""
    since: datetime = Field(sa_type=Instant)
    until: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    lifted_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    lifted_why: str = ""
    lifted_by: str = ""


class DroppedEntryRow(SQLModel, table=True):
    """A log entry that a rollback has cut, as it was in the log. `rollback --undo` restores it."""

    __tablename__ = "dropped_entry"

    rollback_id: int = Field(primary_key=True, foreign_key="rollback.id")
    number: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Instant)
    data: bytes
    message_id: int | None = None
    sheet: str = ""


class PressRow(SQLModel, table=True):
    """Press by one seat. ``readers`` got it, ``said_readers`` are the readers that it names, both as comma-separated
    factions. ``signed``: the readers learn its writer. ``state``: sent, waiting (until ``due``), held (the writer
    may still withdraw it), withdrawn. ``objected`` is not used: objections to the archive are stored with the
    settings of the game (``bot.press``)."""

    __tablename__ = "press"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    number: int
    faction: str
    readers: str
    said_readers: str = ""
    words: str
    signed: bool = True
    turn: int
    at: datetime = Field(sa_type=Instant)
    due: datetime | None = Field(default=None, index=True, sa_type=InstantOrEmpty, nullable=False)
    state: str = Field(default="sent", index=True)
    reported_by: str = ""
    objected: str = ""


class HeldLinesRow(SQLModel, table=True):
    """The lines of one mail that came while its game was on hold. They are played when it resumes."""

    __tablename__ = "held_lines"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    faction: str
    lines: str
    message_id: int | None = None
    at: datetime = Field(sa_type=Instant)


class MutedRow(SQLModel, table=True):
    """A seat whose press goes to the desk only."""

    __tablename__ = "muted"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    faction: str = Field(primary_key=True)
    since: datetime = Field(sa_type=Instant)


class WithheldRow(SQLModel, table=True):
    """A letter to an observer with a delay, as written. It goes out when ``due_turn`` or the game has ended.
    ``covers`` is the turn that it summarises (0 for other letters), ``events`` the number of events by then."""

    __tablename__ = "withheld"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    token: str = Field(index=True)
    covers: int
    due_turn: int
    events: int
    subject: str
    text: str
    html: str
    picture: bytes | None = None


class MasterRulingRow(SQLModel, table=True):
    """A game master's ruling where the rules are silent. It is a precedent in its game, and in the whole tournament."""

    __tablename__ = "master_ruling"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    tournament_id: str = Field(default="", index=True)
    words: str
    clause: str = ""
    at: datetime = Field(sa_type=Instant)


GAME_RIGHT = _tables["game_right"]
MASTER_CODE = _tables["master_code"]
MASTER_NOTE = _tables["master_note"]
BAN = _tables["ban"]
DROPPED_ENTRY = _tables["dropped_entry"]
PRESS = _tables["press"]
HELD_LINES = _tables["held_lines"]
MUTED = _tables["muted"]
MASTER_RULING = _tables["master_ruling"]
WITHHELD = _tables["withheld"]
