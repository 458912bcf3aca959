"""What a process has of its own at a server: locks that go with it, and hints that wake it."""

from __future__ import annotations

from typing import Protocol


class Direct(Protocol):
    """A connection outside of all transactions. Where it breaks all its locks are gone, and it is made anew when it is
    next used. All methods but ``close`` may raise an error of the database (``bot.store.direct``)."""

    def reach(self) -> None:
        """Connect, if it is not yet: what stands against locks of a session is an error."""

    def holds(self, work: str) -> bool:
        """Whether it has the lock of some work, and its server still says so."""

    def take(self, work: str) -> bool:
        """Take the lock of some work; returns whether this process has it now, also if it had it before."""

    def share(self, work: str) -> bool:
        """Take the lock of some work together with others who share it, unless somebody holds it alone; returns whether
        it was to be had."""

    def give_back(self, work: str) -> None:
        """Let go of a lock."""

    def is_taken(self, work: str) -> bool:
        """Whether any process has the lock of some work."""

    def wait(self, seconds: float) -> bool:
        """Wait until something was called out (``call_out``), or so many seconds; which of both. A hint only: what was
        called out while nobody listened is not heard."""

    def silent_seconds(self, program: str) -> float:
        """How long no connection of a process has asked the server anything, by the clock of the server; 0 where it has
        no connection."""

    def end_sessions(self, program: str) -> None:
        """End all connections of a process that is frozen, so that it holds nothing any more."""

    def close(self) -> None:
        """Let go of everything."""
