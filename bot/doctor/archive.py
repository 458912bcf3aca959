"""The folder of the archive: can it be written, is it ours, and did the service write it last time?"""

from __future__ import annotations

from collections.abc import Iterator

from bot.archive import folder as folders
from bot.config import Settings
from bot.monitoring.finding import Finding
from bot.store import heartbeats
from bot.store.database import DatabaseUnavailable, open_database, reading


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at it, where the settings name one; nothing is written into it."""
    folder = settings.archive.folder
    if folder is None:
        return
    if problem := folders.complaint(folder):
        yield Finding("archive", "wrong", problem.rstrip("."), "Name another folder under [archive], or mend this one.")
        return
    if since := _failing_since(settings):
        told = f"{folder} could not be written since {since}"
        yield Finding("archive", "wrong", told, "`mentat archive build` says why; the games are not touched by it.")
        return
    made = "is kept up to date" if folders.is_archive(folder) else "is made by `mentat run` or `mentat archive build`"
    yield Finding("archive", "well", f"{folder} {made}")


def _failing_since(settings: Settings) -> str:
    """Since when the folder could not be written; empty while it can be."""
    if not settings.database.url and not settings.mentat.database.exists():
        return ""
    try:
        engine = open_database(settings.database_place)
    except DatabaseUnavailable:  # the doctor has said so
        return ""
    try:
        with reading(engine) as conn:
            beat = heartbeats.heartbeat(conn, "archive")
    finally:
        engine.dispose()
    return f"{beat.failing_since:%Y-%m-%d %H:%M} UTC" if beat and beat.failing_since else ""
