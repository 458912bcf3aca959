"""Keeps the archive's folder up to date while the service runs.

Running games are rewritten at fixed times, all of them at once, so a new page does not reveal when a player moved.
Between these times only games that have finished are added. The games are read in short transactions, and nothing else
waits for the pages to be written. A failure is logged, reported by `mentat doctor`, and retried. No game is affected.

This module imports everything that is needed to make pages, so it is itself imported only if the settings name an
archive.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from bot.archive import shelf, site
from bot.archive.games import FinishedGame, RunningGame
from bot.archive.site import Built, FolderRefused, Offered
from bot.config import Settings
from bot.store import installation
from bot.store.database import DatabaseUnavailable, Engine, reading, writing
from bot.store.installation import AlreadyRunning, only_one

log = logging.getLogger(__name__)

T = TypeVar("T")
AFTER_A_FAILURE = timedelta(minutes=5)
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class _Stopped(BaseException):
    """The service is stopping in the middle of a build. The folder remains valid, and the rest is written next time."""


class Publisher:
    """Keeps the archive folder of one database up to date. ``look`` may be called at any time, and updates what is
    due."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine, self._settings = engine, settings
        archive = settings.archive
        self._folder, self._address = archive.folder, archive.address
        self._beat_seconds = 60 * archive.beat_minutes
        self._stopping = threading.Event()
        self._known: frozenset[tuple[str, str]] = frozenset()  # finished games as of the last build
        self._not_before: datetime | None = None
        self._told: Sequence[str] = ()

    def stop(self) -> None:
        self._stopping.set()

    def look(self, now: datetime) -> Built | None:
        """Update the archive folder if it is due, and return what was built; else return None. Errors about the folder
        are logged, not raised."""
        if self._folder is None or (self._not_before and now < self._not_before):
            return None
        on_the_beat = self._is_beat(now)
        finished, running = shelf.offered(self._engine)
        over = frozenset((game.id, game.key) for game in finished)
        if not on_the_beat and over == self._known:
            return None
        try:
            with only_one(self._engine, "publishing"):
                built = self._build(self._folder, finished, running, on_the_beat, now)
        except AlreadyRunning:
            return None
        except _Stopped:
            return None
        except FolderRefused as refused:
            self._failed(str(refused), now)
            return None
        except DatabaseUnavailable:
            raise
        except Exception as fault:  # a fault in Mentat: do not repeat it every half minute
            log.exception("the archive could not be built")
            self._failed(f"The archive could not be built: {type(fault).__name__}.", now)
            return None
        self._known = over
        self._worked(built, now, on_the_beat)
        return built

    def _is_beat(self, now: datetime) -> bool:
        with reading(self._engine) as conn:
            last = installation.heartbeat(conn, "archive")
        return last is None or self._beat(last.at) != self._beat(now)

    def _beat(self, moment: datetime) -> int:
        return int(moment.timestamp() // self._beat_seconds)

    def _build(
        self,
        folder: Path,
        finished: Sequence[Offered[FinishedGame]],
        running: Sequence[Offered[RunningGame]],
        beat: bool,
        now: datetime,
    ) -> Built:
        over = [replace(game, load=self._stoppable(game.load)) for game in finished]
        under_way = [
            replace(game, load=self._stoppable(game.load) if beat else _waits_for_the_beat) for game in running
        ]
        ratings, tournaments = shelf.rating_list(self._engine), shelf.tournaments(self._engine, now, self._settings)
        tables = shelf.open_tables(self._engine, self._settings)
        return site.build(folder, over, under_way, ratings, tournaments, self._address, tables)

    def _stoppable(self, load: Callable[[], T]) -> Callable[[], T]:
        def loaded() -> T:
            if self._stopping.is_set():
                raise _Stopped
            return load()

        return loaded

    def _worked(self, built: Built, now: datetime, on_the_beat: bool) -> None:
        self._not_before = None
        with reading(self._engine) as conn:
            known = installation.heartbeat(conn, "archive")
        if on_the_beat or (known and known.failing_since):
            with writing(self._engine) as conn:
                installation.beat(conn, "archive", now)
        if built.problems and built.problems != self._told:
            log.error("the archive: %s", " ".join(built.problems))
        self._told = built.problems

    def _failed(self, why: str, now: datetime) -> None:
        log.error("%s Mentat will try again.", why)
        self._not_before = now + AFTER_A_FAILURE
        with writing(self._engine) as conn:
            if installation.heartbeat(conn, "archive") is None:
                installation.beat(conn, "archive", NEVER)  # there was no beat yet, so the first is due
            installation.note_failure(conn, "archive", now)


def publisher_for(settings: Settings, engine: Engine) -> Publisher:
    return Publisher(engine, settings)


def _waits_for_the_beat() -> RunningGame:
    raise site.AsItIs
