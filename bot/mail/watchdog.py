"""An end to what takes too long: the reading of one hostile message must not keep all others waiting.

What is read is bounded in bytes, parts and lines, so this should never be needed; it is for what nobody has thought of.
Python interrupts the main thread alone, and there all mail is read: by `mentat run` (``bot.service.loop.Service.run``,
which gives the clock and the outbox threads of their own) as by `poll`, `deliver`, `mail parse` and `mail replay`.

A timer of the system interrupts the reading, regular expressions included, where it stands. A process of its own for
each message would stop even more (a fault in a C library), but takes longer to start than a message takes to read.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 1.0
"""Seconds until the next interruption, where somebody caught the first."""


class TakesTooLong(Exception):
    """Something did not end in its time."""


class _Interrupted(BaseException):
    """Passes the guards that catch every `Exception`."""


@contextmanager
def at_most(seconds: float, what: str) -> Iterator[None]:
    """Let the block run for so many seconds; `TakesTooLong` names it if it is not done then. Python lets only the main
    thread be interrupted, so elsewhere there is no limit.

    >>> with at_most(20, "counting"):
    ...     sum(range(1000))
    499500
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    armed = True

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if armed:
            raise _Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
        try:
            yield
        finally:
            armed = False
    except _Interrupted:
        raise TakesTooLong(f"{what} took longer than {seconds:g} seconds") from None
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
