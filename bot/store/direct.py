"""What a process has of its own at the database: locks that go with it however it ends, and hints that wake others.

Only a server has that. A lock is the lead of a piece of work (``lead``), or says that a process lives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar

from sqlalchemy import Connection, select, text

from bot.store.database import Engine, Fence, backend_of, explained, fenced, writing_no_game
from bot.store.inserting import replacing
from bot.store.worker_tables import LEADER

T = TypeVar("T")


class Direct:
    """The locks of one process. ValueError where the database is for one process; DatabaseUnavailable from every method
    but ``close`` while the server is away. Where the connection breaks all locks are gone."""

    def __init__(self, engine: Engine, program: str) -> None:
        self.engine = engine
        self._session = backend_of(engine).direct(engine, program)

    def reach(self) -> None:
        """Connect, so that DatabaseUnavailable tells before any work where locks cannot be had."""
        self._asked(self._session.reach)

    def take(self, work: str) -> bool:
        """Take the lock of some work; whether it is had now."""
        return self._asked(lambda: self._session.take(work))

    def share(self, work: str) -> bool:
        """Take the lock of some work together with others who share it; returns whether it was to be had. It is not
        while somebody holds the lock alone or waits to."""
        return self._asked(lambda: self._session.share(work))

    def holds(self, work: str) -> bool:
        """Whether this process still has the lock of some work."""
        return self._asked(lambda: self._session.holds(work))

    def give_back(self, work: str) -> None:
        """Let go of a lock."""
        self._asked(lambda: self._session.give_back(work))

    def is_taken(self, work: str) -> bool:
        """Whether any process has the lock of some work."""
        return self._asked(lambda: self._session.is_taken(work))

    def wait(self, seconds: float) -> bool:
        """Wait until something is called out, or so many seconds; whether something was."""
        return self._asked(lambda: self._session.wait(seconds))

    def silent_seconds(self, program: str) -> float:
        """How long no connection of a process has asked the server anything; 0 where it has no connection."""
        return self._asked(lambda: self._session.silent_seconds(program))

    def end_sessions(self, program: str) -> None:
        """End all connections of a process that is frozen, so that it holds nothing any more."""
        self._asked(lambda: self._session.end_sessions(program))

    def close(self) -> None:
        """Let go of everything."""
        self._session.close()

    def _asked(self, question: Callable[[], T]) -> T:
        with explained(self.engine):
            return question()


class Lead:
    """The lead of a piece of work that one process does at a time. Whoever takes it counts up its number, and every
    transaction within ``fenced`` looks whether that still stands."""

    def __init__(self, direct: Direct, work: str, holder: str) -> None:
        self.work = work
        self._direct = direct
        self._holder = holder
        self._fence: Fence | None = None

    @property
    def number(self) -> int:
        """Under which number it was had when it was last asked for; 0 if it was not. Another number is another lead."""
        return self._fence.number if self._fence else 0

    def taken(self, now: datetime) -> bool:
        """Take the lead, if nobody has it; whether it is had now."""
        if self._fence is not None and self._direct.holds(self.work):
            return True
        self._fence = None
        if not self._direct.take(self.work):
            return False
        with writing_no_game(self._direct.engine) as conn:
            self._fence = Fence(self.work, _next(conn, self.work, self._holder, now))
        return True

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """Do the work: every transaction of the block that writes is LostLead where another leads meanwhile."""
        assert self._fence is not None, "the lead is taken before the work is begun"
        with fenced(self._fence):
            yield

    def give_back(self) -> None:
        """Let another lead."""
        self._fence = None
        self._direct.give_back(self.work)


def _next(conn: Connection, work: str, holder: str, now: datetime) -> int:
    last = conn.execute(select(LEADER.c.number).where(LEADER.c.work == work).with_for_update()).scalar_one_or_none()
    number = (last or 0) + 1
    conn.execute(replacing(conn, LEADER), {"work": work, "number": number, "holder": holder, "since": now})
    return number


def call_out(conn: Connection, hint: str = "") -> None:
    """Wake those who ``wait``, once the transaction is committed."""
    if backend_of(conn).several:
        conn.execute(_CALL, {"hint": hint})


_CALL = text("SELECT pg_notify('mentat', :hint)")
