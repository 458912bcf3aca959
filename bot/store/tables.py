"""Tables that several subjects use, and tables whose rows are read column by column, not as values.

A table that stores one class of values is in its subject's module, where ``table_of`` derives it from the class
(``bot.store.rows``). The tables of seats, deadlines, overruns and absences are derived here, because their classes are
in ``bot.table``.

A game consists of its seats, its seed and its log (``entry``). ``event`` and ``snapshot`` are derived from these, and
are stored so that the game can be read without a replay. ``message`` contains every mail as received. ``letter`` is the
outbox. Rows of acts, press and dropped entries are added and never deleted. All instants are in UTC, as ISO text with
microseconds, which sorts correctly (``bot.store.database``). The store uses the tables through SQLAlchemy Core, which
commits three times as many messages a second as the ORM.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, LargeBinary, String, Table

from bot.store.database import Instant, InstantOrEmpty, Packed
from bot.store.rows import METADATA, table_of
from bot.table.table import Absence, Deadline, Overrun, Seat

NOBODY = "deleted"
"""The text that replaces a deleted person's address and name."""


UNTOLD = "hidden public-only"
"""The archive policy of games whose players were not told of any policy when the game began."""


GAME = Table(
    "game",
    METADATA,
    Column("id", String, primary_key=True),
    Column("ruleset", String, nullable=False),
    Column("options", String, nullable=False, default="{}"),  # JSON: options that differ from the rule set
    Column("seed", String, nullable=False),
    Column("commitment", String, nullable=False),
    Column("status", String, nullable=False, default="running", index=True),
    Column("turn", Integer, nullable=False, default=1),
    Column("phase", String, nullable=False, default="setup"),
    Column("created_at", Instant, nullable=False),
    Column("entries", Integer, nullable=False, default=0),
    Column("events", Integer, nullable=False, default=0),
    Column("rules_digest", String, nullable=False, default=""),  # the rules under which the last replay succeeded
    Column("winners", String, nullable=False, default=""),
    Column("revision", Integer, nullable=False, default=0),
    Column("tempo", String, nullable=False, default="table"),
    Column("clock", String, nullable=False, default="{}"),
    Column("stopped_at", InstantOrEmpty, nullable=False),
    Column("stopped_why", String, nullable=False, default=""),
    Column("call", String, nullable=False, default=""),
    Column("call_due", InstantOrEmpty, nullable=False),
    Column("archive", String, nullable=False, default=UNTOLD),
    Column("record_head", String, nullable=False, default=""),
    Column("record_lines", Integer, nullable=False, default=0),
    Column("record_key", LargeBinary, nullable=False, default=b""),
    Column("press", String, nullable=False, default=""),
    Column("blind", Boolean, nullable=False, default=False),
    Column("on_hold", InstantOrEmpty, nullable=False),
)
"""One game. ``status`` is running, held (its replay has changed, so the game master must check it) or over. ``tempo``
is the name of its tempo (``data/tempos.toml``), and ``clock`` contains the game's own clock settings as JSON.
``stopped_at`` is when its clocks were stopped, or None while they run. ``revision`` counts the transactions that have
changed it. ``call`` is the last round for which Mentat asked for sheets, like "4.bidding". ``archive`` is the part of
it that the archive shows (``bot.config.values.ArchivePolicy.words``). ``record_head`` is the digest of the last line of
its record, and ``record_lines`` is the number of lines; they are "" and 0 before the record begins. ``record_key``
hides the words of offers in the record (``bot.record.lines``). ``press`` says how its players may write to each other,
and is "" if there are no limits. If ``blind`` is set, nobody at the desk may see its secrets. ``on_hold`` is when it
was put on hold."""

ENTRY = Table(
    "entry",
    METADATA,
    Column("game_id", String, ForeignKey("game.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("message_id", Integer),
    Column("sheet", String, nullable=False, default=""),
)
"""One entry of a game's log, as JSON (``rules.engine.log.Entry``), and the message from which it came, if any.
``sheet`` contains the numbers of the sheet lines from which the entry was made; nobody may see these before the game is
over."""

EVENT = Table(
    "event",
    METADATA,
    Column("game_id", String, ForeignKey("game.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

RECORD_PART = Table(
    "record_part",
    METADATA,
    Column("game_id", String, ForeignKey("game.id"), primary_key=True),
    Column("first", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
"""Record lines of a game (``bot.record.lines``) that one transaction added, each with its line end. ``first`` is
the number of the first line. Rows are never changed or deleted, not even by a rollback."""

SNAPSHOT = Table(
    "snapshot",
    METADATA,
    Column("game_id", String, ForeignKey("game.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("phase", String, nullable=False),
    Column("entries", Integer, nullable=False),
    Column("events", Integer, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("digest", String, nullable=False),
    Column("head", String, nullable=False, default=""),
)
"""The state at the start of a phase, the number of log entries and events before it, and the SHA-256 of the state.
``number`` counts the game's stored snapshots; the game continues from the last one. ``head`` is the digest of the last
record line before this phase, or "" if the game was played with an older Mentat, which did not store it."""

SHEET = Table(
    "sheet",
    METADATA,
    Column("game_id", String, ForeignKey("game.id"), primary_key=True),
    Column("faction", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("line", String, nullable=False),
    Column("filed_at", Instant, nullable=False),
    Column("turn", Integer, nullable=False, default=0),
    Column("left", Integer, nullable=False, default=-1),
    Column("state", String, nullable=False, default="active"),
    Column("note", String, nullable=False, default=""),
    Column("filed", Integer, nullable=False, default=0),
    Column("changed", Integer, nullable=False, default=0),
    Column("acted", String, nullable=False, default=""),
)
"""A standing or conditional order as a seat filed it. ``state`` is active, used, replaced, withdrawn, or over (its time
has passed). ``turn`` is the last turn for which it is valid, or 0 for every turn. ``left`` is how many more times it
may act, or -1 if there is no limit. ``note`` says what prevented it from acting, until its owner has been told.
``filed`` is the length of the log when it was filed, and ``changed`` is the length when it last acted or ended; a
rollback withdraws lines with a length beyond the restored log. ``acted`` is the stop at which it last made a play."""

RATED_PERSON = Table(
    "rated_person",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("address", String, nullable=False, index=True),
    Column("name", String, nullable=False, default=""),
    Column("private", Boolean, nullable=False, default=False),
)
"""A rated person. ``address`` is any one of their addresses. For a deleted person, it says only that they were deleted,
and which number they had. If ``private`` is set, they are left out of the public list."""

MEASUREMENT = Table(
    "measurement",
    METADATA,
    Column("name", String, primary_key=True),
    Column("label", String, primary_key=True, default=""),
    Column("value", Float, nullable=False, default=0.0),
)
"""A number that cannot be computed from other rows (``bot.store.installation``). ``name`` and ``label`` say what was
measured."""

MESSAGE = Table(
    "message",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("key", String, nullable=False, index=True, unique=True),
    Column("digest", String, nullable=False, index=True),
    Column("message_id", String, nullable=False, default="", index=True),
    Column("sender", String, nullable=False, default=""),
    Column("subject", String, nullable=False, default=""),
    Column("received_at", Instant, nullable=False),
    Column("disposition", String, nullable=False, index=True),
    Column("reason", String, nullable=False, default=""),
    Column("game_id", String),
    Column("faction", String),
    Column("raw", Packed, nullable=False, default=b""),
    Column("content", String, nullable=False, default="", index=True),
    Column("written", String, nullable=False, default=""),
    Index("ix_message_of_seat", "game_id", "faction", "received_at"),
)
"""A mail as received. These columns prevent it from being handled twice: ``key`` (mailbox, UIDVALIDITY, UID),
``digest`` (of its bytes), ``message_id``, and ``content`` (of what its sender wrote) with ``written`` (its Date).
``raw`` is empty once it was deleted."""

PICTURE = Table(
    "picture",
    METADATA,
    Column("digest", String, primary_key=True),
    Column("png", LargeBinary, nullable=False),
)

ADDRESS = Table(
    "address",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("person", Integer, nullable=False, index=True),
    Column("address", String, nullable=False, index=True),
    Column("used", Boolean, nullable=False, default=False),
    Column("code", String, nullable=False, default="", index=True),
    Column("asked_at", InstantOrEmpty, nullable=False),
)
"""One address of a ``person`` (a number) who has several. Letters are sent to the address that is ``used``. An address
with a ``code`` is not yet confirmed: the letter sent to it at ``asked_at`` has not been answered."""

SEAT_PSEUDONYM = Table(
    "seat_pseudonym",
    METADATA,
    Column("game_id", String, ForeignKey("game.id"), primary_key=True),
    Column("faction", String, primary_key=True),
    Column("pseudonym", Integer, ForeignKey("pseudonym.id"), nullable=False, index=True),
)
"""A seat's pseudonym. It is tied only to seats, so it belongs to nobody once the seats are anonymous."""

OLD_TOKEN = Table(
    "old_token",
    METADATA,
    Column("token", String, primary_key=True),
    Column("game_id", String, ForeignKey("game.id"), nullable=False),
    Column("faction", String, nullable=False),
)

DROPPED_ENTRY = Table(
    "dropped_entry",
    METADATA,
    Column("rollback_id", Integer, ForeignKey("rollback.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("message_id", Integer),
    Column("sheet", String, nullable=False, default=""),
)
"""A log entry that a rollback has cut, as it was in the log. `rollback --undo` restores it."""

MUTED = Table(
    "muted",
    METADATA,
    Column("game_id", String, ForeignKey("game.id"), primary_key=True),
    Column("faction", String, primary_key=True),
    Column("since", Instant, nullable=False),
)

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
"""A question, identified by the stop at which it is asked (``opened_at``, like "4.bidding.7"), and the time at which
its default applies. ``state`` may also be "gone". Of questions that are gone, only missed ones are kept, so that the
sender of a late order can be told that it came too late. ``reminded`` is the number of reminders sent."""

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
"""A deadline overrun, which uses up its player's time bank. The bank is charged when the question has been answered or
is gone."""

ABSENCE = table_of(
    "absence", Absence, key="game_id faction first", refers="game_id", game_id=str, faction=str, filed_at=datetime
)
