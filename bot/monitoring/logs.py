"""The log, written as lines for people or as JSON objects for programs, without private data; and counters for facts
that the database does not otherwise contain.

At the level INFO and above, a line contains no address, no token and no order. Addresses and tokens are removed from
its text. Of an exception, only the type and the code location are logged, because its message may quote the mail that
was being read. At the level "debug", which is meant for finding faults, the log contains everything.

A line may name an ``event`` (such as ``message.taken``), a ``game``, a ``message_key`` and a ``worker``, given as
``log.info("...", extra=about("message.taken", game=...))``. A log file may be moved away while it is being written
(logrotate). The next line then goes into a new file of the same name, and no line is lost.

A process counts faults, and how late defaults were applied, in memory, where counting costs nothing. From time to time
it adds its counts to those in the database (``write_counts``). So counts survive the process, and several processes
share them. A process that is killed loses only the counts of its last half minute.
"""

from __future__ import annotations

import json
import logging
import os
import re
import socket
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from types import TracebackType
from typing import Any

from bot.config.sections import LogSettings
from bot.monitoring.checks import LAG_BOUNDS
from bot.store import installation
from bot.store.database import Engine, writing_no_game
from bot.store.installation import MeasurementName

Fault = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_ADDRESS = re.compile(  # RFC 5322, 3.4.1, with a quoted local part and a domain literal
    r"""(?:"(?:[^"\\\n]|\\.)*\\?"|[^\s<>()"',;:\[\]@][^\s<>()",;:\[\]@]*)"""
    r"""@(?:\[[^\s\]]*\]|[^\s<>()"',;:\[\]{}]*[^\s<>()"',;:\[\]{}.])"""
)
_TOKEN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z2-7]{16}(?![A-Za-z0-9])")
_ABOUT = ("game", "message_key", "worker")


def about(event: str, *, game: str | None = None, message_key: str | None = None) -> dict[str, str]:
    """Return the ``extra`` argument that says what a line of the log is about.

    >>> about("message.taken", game="sietch-12")
    {'event': 'message.taken', 'game': 'sietch-12'}
    """
    given = {"event": event, "game": game, "message_key": message_key}
    return {name: value for name, value in given.items() if value}


def without_secrets(words: str) -> str:
    """Return a text without addresses and without anything that looks like a reply token.

    >>> without_secrets("mentat+ypowzixiqjin3ijg@arrakis.example is refused [#ypowzixiqjin3ijg]")
    '(address) is refused [#(token)]'
    """
    return _TOKEN.sub("(token)", _ADDRESS.sub("(address)", words))


def begin(settings: LogSettings, *, verbose: bool = False) -> None:
    """Start the log of this process as the settings say. With ``verbose``, lines at the level INFO are always logged.
    Raise OSError if the file cannot be written."""
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    level = min(level, logging.INFO) if verbose else level
    handler = _OwnFile(settings.file) if settings.file else logging.StreamHandler(sys.stderr)
    secrets_too = level <= logging.DEBUG
    handler.setFormatter(JsonLines(secrets_too) if settings.format == "json" else Lines(secrets_too))
    root = logging.getLogger()
    for before in list(root.handlers):
        root.removeHandler(before)
    root.addHandler(handler)
    root.addHandler(_CountFaults(logging.ERROR))
    root.setLevel(level)
    for library in ("alembic.runtime.plugins", "httpx", "httpcore", "imapclient", "asyncio", "markdown_it"):
        logging.getLogger(library).setLevel(max(level, logging.WARNING))
    logging.getLogger("apscheduler").setLevel(max(level, logging.ERROR))  # it warns about each timer that fires early


class _OwnFile(WatchedFileHandler):
    def _open(self) -> TextIOWrapper:
        def owners(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        return open(self.baseFilename, "a", encoding="utf-8", opener=owners)


class Lines(logging.Formatter):
    """Format a record as a line for people: ``2026-11-24 20:00:00,123 WARNING no letter goes out at present``."""

    def __init__(self, secrets_too: bool) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")
        self._secrets_too = secrets_too

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # the library's name
        if not self._secrets_too:
            record.message = without_secrets(record.message)
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line with the exception below it. Leave the record unchanged, because other handlers may need the
        full exception."""
        kept, record.exc_text = record.exc_text, None
        try:
            return super().format(record)
        finally:
            record.exc_text = kept

    def formatException(self, ei: Fault) -> str:  # noqa: N802
        return super().formatException(ei) if self._secrets_too else "\n".join(_places(ei))


class JsonLines(logging.Formatter):
    """Format a record as a JSON object on one line, in UTF-8: ``{"time": "2026-11-24T20:00:00.123Z", "level":
    "warning", "event": ...}``."""

    def __init__(self, secrets_too: bool) -> None:
        super().__init__()
        self._secrets_too = secrets_too

    def format(self, record: logging.LogRecord) -> str:
        told = record.getMessage()
        at = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": event_of(record),
            "message": told if self._secrets_too else without_secrets(told),
        }
        given: Mapping[str, Any] = {"worker": _this_process(), **vars(record)}
        for name in _ABOUT:
            if value := given.get(name):
                line[name] = value if self._secrets_too else without_secrets(str(value))
        if record.exc_info and record.exc_info[0]:
            whole = self._secrets_too
            line["exception"] = (
                self.formatException(record.exc_info).splitlines() if whole else list(_places(record.exc_info))
            )
        return json.dumps(line, ensure_ascii=False, default=str)


def this_process_is(worker: str) -> None:
    global _worker
    _worker = worker


def _this_process() -> str:
    return _worker or f"{socket.gethostname()}:{os.getpid()}"


_worker = ""


class _CountFaults(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        count_fault(event_of(record).partition(".")[0])


def event_of(record: logging.LogRecord) -> str:
    """Return the event that a line names. If it names none, return the part of the program that wrote it
    ("service.outbox")."""
    return str(getattr(record, "event", "") or record.name.removeprefix("bot."))


def _places(fault: Fault) -> Iterator[str]:
    """Yield the type and the code locations of an exception and of its causes, without their messages."""
    error = fault[1]
    while error is not None:
        yield type(error).__qualname__
        for frame in traceback.extract_tb(error.__traceback__):
            yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


class Counters:
    def __init__(self) -> None:
        self._counted: Counter[tuple[MeasurementName, str]] = Counter()
        self._lock = threading.Lock()

    def add(self, name: MeasurementName, label: str, by: float = 1) -> None:
        with self._lock:
            self._counted[name, label] += by  # type: ignore[assignment]  # seconds may be fractional

    def write(self, engine: Engine) -> None:
        with self._lock:
            counted, self._counted = self._counted, Counter()
        if not counted:
            return
        try:
            with writing_no_game(engine) as conn:
                installation.add_measurements(conn, counted)
        except BaseException:
            with self._lock:
                self._counted.update(counted)
            raise


_COUNTERS = Counters()


def count_fault(kind: str) -> None:
    _COUNTERS.add("faults", kind)


def count_lag(lag: timedelta) -> None:
    seconds = max(lag.total_seconds(), 0.0)
    bound = next((str(bound) for bound in LAG_BOUNDS if seconds <= bound), "+Inf")
    _COUNTERS.add("deadline_lag", bound)
    _COUNTERS.add("deadline_lag_sum", "", seconds)


def write_counts(engine: Engine) -> None:
    _COUNTERS.write(engine)
