"""The tables of several processes on one database, and of the installation as a whole."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from bot.store.instants import Instant
from bot.store.packing import Packed


class InboxRow(SQLModel, table=True):
    """A mail that was fetched and waits for a worker, in the order in which they came; it lies in the mailbox until its
    verdict stands here. ``key`` is that of the mailbox; ``raw`` the head alone where the mail has the size
    ``too_large``. ``game_id`` is the one game that it is for, None where that is not known or there are several.
    ``tries`` counts the workers that took it in hand. ``disposition`` is "" while it waits, then the verdict, with its
    ``reason``, and whether it is to be ``shunt``ed."""

    __tablename__ = "inbox"

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(index=True, unique=True)
    raw: bytes = Field(sa_type=Packed)
    too_large: int = 0
    sender: str = ""
    game_id: str | None = None
    arrived_at: datetime = Field(sa_type=Instant)
    tries: int = 0
    disposition: str = Field(default="", index=True)
    reason: str = ""
    shunt: bool = False


class LeaderRow(SQLModel, table=True):
    """Who does some work that one process does at a time. ``number`` goes up with each new leader, so that one that was
    frozen meanwhile finds out (a fencing token)."""

    __tablename__ = "leader"

    work: str = Field(primary_key=True)
    number: int
    holder: str
    since: datetime = Field(sa_type=Instant)


class WorkerRow(SQLModel, table=True):
    """A process that works on this database, and when it last said so. ``role`` is "worker" in every row: each process
    can do all of the work."""

    __tablename__ = "worker"

    name: str = Field(primary_key=True)
    role: str
    host: str
    version: str
    started_at: datetime = Field(sa_type=Instant)
    seen_at: datetime = Field(sa_type=Instant)


class InstallationRow(SQLModel, table=True):
    """This installation, in the one row that its database was made with. ``held_since`` and ``held_why``: nothing is
    sent and no deadline passes, since when and why (``bot.store.holding``). ``restored_copy_at``: when the copy was
    made that it goes on from. When a backup was last begun (``copied_at``), by which version (``copied_by``), and the
    ``address`` of Mentat then: so a backup says what it is one of."""

    __tablename__ = "installation"

    id: str = Field(primary_key=True)
    made_at: datetime = Field(sa_type=Instant)
    held_since: datetime | None = Field(default=None, sa_type=Instant)
    held_why: str = ""
    restored_copy_at: datetime | None = Field(default=None, sa_type=Instant)
    copied_at: datetime | None = Field(default=None, sa_type=Instant)
    copied_by: str = ""
    address: str = ""


_tables = SQLModel.metadata.tables
INBOX = _tables["inbox"]
LEADER = _tables["leader"]
WORKER = _tables["worker"]
INSTALLATION = _tables["installation"]
