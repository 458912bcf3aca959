"""This machine: the files of the settings, the database, room on the disk, time zones, the clock."""

from __future__ import annotations

import importlib.resources
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.config import Settings
from bot.doctor import privacy
from bot.monitoring.finding import Finding
from bot.service.system_clock import utc_now
from bot.store import heartbeats, inbox, presence
from bot.store.database import DatabaseUnavailable, Engine, backend_of, name_of, open_database, reading, writing
from bot.store.direct import Direct
from bot.store.inspection import inspect

_MEGABYTE = 1_000_000
_LITTLE_ROOM = 50 * _MEGABYTE
_NO_LESS_THAN = 500 * _MEGABYTE
_BEFORE_MENTAT = datetime(2025, 1, 1, tzinfo=UTC)
_AT_WORK = timedelta(minutes=3)
_FUTURE = timedelta(minutes=5)


def examine(settings: Settings, config: Path) -> Iterator[Finding]:
    """Look at all of it."""
    yield Finding("settings", "well", f"{config} is complete and makes sense")
    yield from privacy.examine(settings, config)
    yield from _database(settings.database_place)
    yield _room(settings.mentat.database.parent)
    yield _zones()
    if utc_now() < _BEFORE_MENTAT:
        told = f"this machine believes that it is {utc_now():%d %B %Y}"
        yield Finding("clock", "wrong", told, "Set the clock, and let the machine keep it right (NTP).")


def _database(place: Path | str) -> Iterator[Finding]:
    if isinstance(place, Path) and not place.exists():
        if os.access(place.parent, os.W_OK):
            yield Finding("database", "well", f"there is no {place} yet; the first command makes it")
        else:
            advice = "Make the folder, or let this user write there."
            yield Finding("database", "wrong", f"{place} cannot be made: {place.parent} cannot be written", advice)
        return
    try:
        engine = open_database(place)
        with writing(engine):
            pass
    except DatabaseUnavailable as problem:
        yield Finding("database", "wrong", str(problem))
        return
    try:
        yield from _contents(engine)
    finally:
        engine.dispose()


def _contents(engine: Engine) -> Iterator[Finding]:
    name = name_of(engine)
    with reading(engine) as conn:
        found = inspect(conn)
        beat = heartbeats.heartbeat(conn, "service")
    if found.damage:
        yield Finding("database", "wrong", f"{name} is damaged ({found.damage})", "Put back a copy of it.")
        return
    told = f"{name} can be read and written; {found.games} games, {found.running} of them running"
    yield Finding("database", "well", told, facts={"games": found.games, "running": found.running})
    now = utc_now()
    if beat and now - beat.at < _AT_WORK and not beat.failing_since:
        yield Finding("service", "well", "`mentat run` is at work; it is not disturbed")
    else:
        yield Finding("service", "note", "`mentat run` is not at work here", "Start it when all is well.")
    if backend_of(engine).several:
        yield _workers(engine)
    if found.newest_message and found.newest_message > now + _FUTURE:
        told = f"the last message came at {found.newest_message}, which this machine takes for the future"
        yield Finding("clock", "wrong", told, "Set the clock, and let the machine keep it right (NTP).")


def _workers(engine: Engine) -> Finding:
    """The processes that share the work, and which leads what."""
    from bot.service.workers.presence import living  # it loads the driver of a server

    direct = Direct(engine, "mentat")
    try:
        here = living(engine, direct)
        with reading(engine) as conn:
            led = {each.work: each.holder for each in presence.led(conn) if direct.is_taken(each.work)}
            waiting = inbox.waiting(conn)
    finally:
        direct.close()
    facts = {
        "processes": [{"name": each.name, "role": each.role, "host": each.host} for each in here],
        "leads": led,
        "mails_waiting": waiting,
    }
    if not here:
        return Finding("workers", "note", "no worker is at work", "Start them when all is well.", facts)
    hosts = Counter((each.host, each.role) for each in here)
    told = ", ".join(f"{n} {role}{'' if n == 1 else 's'} on {host}" for (host, role), n in sorted(hosts.items()))
    does = "; ".join(f"{holder} is {work}" for work, holder in led.items())
    told = f"{told}; {waiting} mails wait for them" + (f"; {does}" if does else "")
    if not any(each.role == "reader" for each in here):
        return Finding("workers", "wrong", f"{told}; none of them reads the mailbox", "See the log of `mentat run`.")
    return Finding("workers", "well", told, facts=facts)


def _room(folder: Path) -> Finding:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding("disk", "wrong", f"{folder} cannot be looked at ({error.strerror})", "Check that it exists.")
    told, facts = f"{free / _MEGABYTE:,.0f} MB are free at {folder}", {"free_bytes": free}
    if free < _LITTLE_ROOM:
        return Finding("disk", "wrong", told, "Make room: without it no mail can be taken in.", facts)
    if free < _NO_LESS_THAN:
        return Finding("disk", "note", told, "That is little; a game needs some 10 MB with all its mail.", facts)
    return Finding("disk", "well", told, facts=facts)


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
