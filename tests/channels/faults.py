"""The connection between Mentat and a forum in memory, with faults on request. Each use of the connection meets the
next fault.

- DROP: the request never arrives.
- SERVER_ERROR: the forum answers 502 and does nothing.
- ANSWER_LOST, CUT: the request is carried out, but the answer is lost or cut in half.
- DELAY: the request arrives a minute after Mentat gave it up.
- REORDER: the request arrives after the next one. A read lacks the oldest new post, which comes later.
- DOUBLE: the request arrives twice. A read returns the same posts again next time.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum, auto
from typing import TypeVar

from bot.channels import ChannelError, Unreachable

T = TypeVar("T")

LATE = timedelta(minutes=1)


class Fault(StrEnum):
    """A fault between Mentat and a forum."""

    DROP = auto()
    SERVER_ERROR = auto()
    ANSWER_LOST = auto()
    CUT = auto()
    DELAY = auto()
    REORDER = auto()
    DOUBLE = auto()


class Line:
    """A connection that passes on requests, or causes the requested faults."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.faults: list[Fault] = []
        self._now = now
        self._late: list[tuple[datetime | None, Callable[[], object]]] = []

    def write(self, request: Callable[[], T]) -> T:
        """Send a request that writes something."""
        fault = self._next()
        match fault:
            case Fault.ANSWER_LOST | Fault.CUT:
                with suppress(ChannelError):
                    request()
            case Fault.DELAY:
                self._late.append((self._now() + LATE, request))
            case Fault.REORDER:
                self._late.append((None, request))
            case Fault.DOUBLE | None:
                answer = request()
                if fault:
                    answer = request()
                self._arrive(overtaken=True)
                return answer
        raise Unreachable(f"no answer: {fault}")

    def read(self) -> Fault | None:
        """Prepare to read. Return the fault if posts must come twice or out of order. Raise Unreachable if nothing
        comes."""
        fault = self._next()
        if fault in (None, Fault.DOUBLE, Fault.REORDER):
            return fault
        raise Unreachable(f"nothing could be read: {fault}")

    def _next(self) -> Fault | None:
        self._arrive()
        return self.faults.pop(0) if self.faults else None

    def _arrive(self, overtaken: bool = False) -> None:
        for late in list(self._late):
            due, request = late
            if overtaken if due is None else due <= self._now():
                self._late.remove(late)
                with suppress(ChannelError):
                    request()
