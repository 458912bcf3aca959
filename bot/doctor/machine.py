"""This machine: the files of the settings, the database, room on the disk, time zones, the clock."""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.config import Settings
from bot.doctor import privacy, workers
from bot.monitoring import checks
from bot.monitoring.finding import Finding
from bot.service.system_clock import utc_now
from bot.store import glance
from bot.store.database import (
    DatabaseUnavailable,
    Engine,
    backend_of,
    name_of,
    open_database,
    reading,
    refuse_if_read_only,
    writing,
)
from bot.store.inspection import inspect

_BEFORE_MENTAT = datetime(2025, 1, 1, tzinfo=UTC)
_FUTURE = timedelta(minutes=5)


def examine(settings: Settings, config: Path) -> Iterator[Finding]:
    """Look at all of it."""
    yield Finding("settings", "well", f"{config} is complete and makes sense")
    yield from privacy.examine(settings, config)
    yield from _database(settings)
    yield checks.disk(settings.mentat.database.parent)
    yield _zones()
    if utc_now() < _BEFORE_MENTAT:
        told = f"this machine believes that it is {utc_now():%d %B %Y}"
        yield Finding("clock", "wrong", told, "Set the clock, and let the machine keep it right (NTP).")


def _database(settings: Settings) -> Iterator[Finding]:
    place = settings.database_place
    if isinstance(place, Path) and not place.exists():
        if os.access(place.parent, os.W_OK):
            yield Finding("database", "well", f"there is no {place} yet; the first command makes it")
        else:
            advice = "Make the folder, or let this user write there."
            yield Finding("database", "wrong", f"{place} cannot be made: {place.parent} cannot be written", advice)
        return
    try:
        engine = open_database(place, direct=settings.database_direct)
        with writing(engine) as conn:
            refuse_if_read_only(conn)
    except DatabaseUnavailable as problem:
        yield Finding("database", "wrong", str(problem))
        return
    try:
        yield from _contents(engine, settings)
    except DatabaseUnavailable as problem:
        yield Finding("database", "wrong", str(problem))
    finally:
        engine.dispose()


def _contents(engine: Engine, settings: Settings) -> Iterator[Finding]:
    name = name_of(engine)
    with reading(engine) as conn:
        found = inspect(conn)
        seen = glance.taken(lambda sql: conn.exec_driver_sql(sql).all(), utc_now())
    if found.damage:
        yield Finding("database", "wrong", f"{name} is damaged ({found.damage})", "Put back a copy of it.")
        return
    games = "1 game" if found.games == 1 else f"{found.games} games"
    told = f"{name} can be read and written; {games}, {found.running} of them running"
    yield Finding("database", "well", told, facts={"games": found.games, "running": found.running})
    now = utc_now()
    if checks.main_loop(seen, settings, now).state == "well":
        yield Finding("service", "well", "`mentat run` is at work; it is not disturbed")
        judged = (checks.inbox(seen, now), checks.outbox(seen, now), checks.deadlines(seen, settings, now))
        yield from (each for each in (*judged, checks.canary(seen, settings)) if each.state != "well")
    else:
        yield Finding("service", "note", "`mentat run` is not at work here", "Start it when all is well.")
    if backend_of(engine).several:
        yield workers.examine(engine)
    if found.newest_message and found.newest_message > now + _FUTURE:
        told = f"the last message came at {found.newest_message}, which this machine takes for the future"
        yield Finding("clock", "wrong", told, "Set the clock, and let the machine keep it right (NTP).")


def _zones() -> Finding:
    try:
        summer, winter = (
            datetime(2026, month, 1, 12, tzinfo=ZoneInfo("Europe/Berlin")).utcoffset() for month in (7, 1)
        )
    except (ZoneInfoNotFoundError, OSError, ValueError):
        summer = winter = None
    if summer != timedelta(hours=2) or winter != timedelta(hours=1):
        told = "the time zones of this machine are missing or wrong: Europe/Berlin has no summer time"
        return Finding("time zones", "wrong", told, "Install the package tzdata anew.")
    version = importlib.resources.files("tzdata").joinpath("__init__.py").read_text(encoding="utf-8")
    release = version.partition('IANA_VERSION = "')[2].partition('"')[0]
    return Finding("time zones", "well", "summer time comes when it should", facts={"tzdata": release})
