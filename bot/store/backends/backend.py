"""What is asked of a database beyond SQL that both understand."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, MetaData

from bot.store.backends.direct import Direct


class Backend(Protocol):
    """One kind of database. ``moments`` are the execution options of a transaction that sees one moment of it, and
    ``changes`` those of one that writes. ``several``: several processes may work on it at once. ``errors`` are
    those of its driver."""

    several: bool
    errors: tuple[type[Exception], ...]

    moments: Mapping[str, Any]
    changes: Mapping[str, Any]

    def connect(self, place: str, timeout_seconds: float, direct: str = "") -> Engine:
        """The engine for a database. ``timeout_seconds``: how long a writer waits for another. ``direct``: another way
        to it, for what belongs to a session."""

    def look(self, engine: Engine) -> AbstractContextManager[Connection | None]:
        """A connection that changes nothing, not even how the database is kept; None where there is no database yet."""

    def take_turn(self, conn: Connection, game_id: str | None) -> bool:
        """Wait, in a transaction that writes, until no other one does; or none that holds this game ("" for no game).
        Whether there is such a game."""

    def try_turn(self, conn: Connection, work: str) -> bool:
        """Take the lock of some work for the rest of a transaction, unless another one has it; returns whether it was
        to be had."""

    def met_another(self, error: BaseException) -> bool:
        """Whether an error is due to others who write at the same time, or to a change of what the transaction does not
        hold."""

    def guard(self, conn: Connection, tables: MetaData) -> None:
        """Let the database refuse changes of what a transaction does not hold."""

    def direct(self, engine: Engine, program: str) -> Direct:
        """A connection of its own for the locks and hints of a process. ``program`` names that to its owner. ValueError
        where several processes cannot work at once."""

    def take_turn_to_migrate(self, conn: Connection) -> None:
        """Wait until no other process renews the schema."""

    def advice(self, error: BaseException, engine: Engine) -> str | None:
        """What goes on after "The database X" for an error that its owner can do something about, else None. The
        ``engine`` that it came from may be asked what the error alone does not say."""

    def name(self, engine: Engine) -> str:
        """The database as messages name it, without a password."""

    def start(self, conn: Connection) -> str:
        """What names the time since the server was last started, "" where there is none: locks that were had before
        are gone, though their holders may live."""

    def damage(self, conn: Connection) -> str:
        """What is broken in it, "" if nothing is known to be."""

    def size(self, conn: Connection) -> int:
        """The bytes that it takes on its disk."""

    def tidy(self, engine: Engine) -> None:
        """Let the room of what was deleted be used again; nobody at work waits for long."""

    def rewrite(self, engine: Engine) -> None:
        """Write it anew without what was deleted."""

    def only_one(self, engine: Engine, work: str) -> AbstractContextManager[bool]:
        """Hold the lock of some work for the length of a block; gives whether it was to be had. It ends with the
        process."""
