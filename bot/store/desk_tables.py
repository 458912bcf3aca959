"""The tables of the game master's desk and of the post between players (``bot.store.tables`` has those of games).

Acts, press and dropped entries are only added to; the other rows say how things stand now.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from bot.store.instants import Instant, InstantOrEmpty


class GameRightRow(SQLModel, table=True):
    """Who may do what in a game, beside the game master of this Mentat and the organisers of its tournament. Letters to
    them bring back the ``token``."""

    __tablename__ = "game_right"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    address: str = Field(primary_key=True)
    right: str
    token: str = Field(index=True, unique=True)
    since: datetime = Field(sa_type=Instant)


class MasterCodeRow(SQLModel, table=True):
    """A dangerous command that came by mail and waits, once, for the answer to a letter with its ``code``. ``entries``
    is how long the log of its game was then. ``state``: waiting, done, refused, over."""

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
    """A private note of a game master. ``about`` is "" for the whole game, a faction, or an address; ``successor``:
    whoever takes the game over may read it."""

    __tablename__ = "master_note"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(default="", index=True)
    about: str = Field(default="", index=True)
    words: str
    who: str = ""
    at: datetime = Field(sa_type=Instant)
    successor: bool = False


class BanRow(SQLModel, table=True):
    """Somebody who may not play: anywhere here (``tournament_id`` ""), or in one tournament; ``until`` None is for
    good. A warning is a row of ``kind`` warning, which forbids nothing."""

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
    """An entry of a game's log that a rollback has cut, as it stood there; `rollback --undo` puts it back."""

    __tablename__ = "dropped_entry"

    rollback_id: int = Field(primary_key=True, foreign_key="rollback.id")
    number: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Instant)
    data: bytes
    message_id: int | None = None
    sheet: str = ""


class PressRow(SQLModel, table=True):
    """What one seat wrote to others. ``readers`` are who got it, ``said_readers`` whom it says it went to, both as
    factions with commas between; ``signed``: its writer is told to the readers. ``state``: sent, waiting (until
    ``due``), held (for the writer's second thought), withdrawn. ``objected`` is not used: who
    does not want theirs in the archive stands beside the settings of the game (``bot.press.consents``)."""

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
    """The lines of one mail that came while its game was on hold, one a line; they are played when it goes on."""

    __tablename__ = "held_lines"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    faction: str
    lines: str
    message_id: int | None = None
    at: datetime = Field(sa_type=Instant)


class MutedRow(SQLModel, table=True):
    """A seat whose press goes to the desk alone."""

    __tablename__ = "muted"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    faction: str = Field(primary_key=True)
    since: datetime = Field(sa_type=Instant)


class WithheldRow(SQLModel, table=True):
    """A letter to an observer who reads late, as it was written: it goes out when ``due_turn`` has ended, or the game.
    ``covers`` is the turn that it sums up (0 for other letters), ``events`` how many had happened by then."""

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
    """What a game master ruled where the rules are silent; a precedent in its game, and in the whole tournament."""

    __tablename__ = "master_ruling"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    tournament_id: str = Field(default="", index=True)
    words: str
    clause: str = ""
    at: datetime = Field(sa_type=Instant)


_tables = SQLModel.metadata.tables
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
