"""Restoring a backup. The restored database is held (``bot.store.database``), because it does not know what has
happened since the backup was made.

A file is prepared next to its target and put in its place in one step. On a server, a single transaction restores the
backup and holds the database. If the process dies, there is either the former database, or the restored one, which is
held. So a restored database can never start to send letters.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.config import Settings
from bot.service.backup import Verification, nobody_else_at_work, verify
from bot.store import copies, database, installation
from bot.store.copies import CopyFailed, Label
from bot.store.glance import before_version_1, newest_schema
from bot.store.installation import inspect_database


@dataclass(frozen=True, slots=True)
class Restoration:
    """A backup that was restored or checked. It gives the backup's label, the time at which it was made, if known, the
    result of replaying its games (None if they were not replayed), and the place where the former database is kept."""

    label: Label
    copy_at: datetime | None
    verified: Verification | None
    aside: Path | None = None


def check(file: Path, most: int | None, now: datetime, server: str = "") -> Restoration:
    """Check that a backup is complete, and replay ``most`` of its games. Raise CopyFailed if it is not complete.

    To check the games of a PostgreSQL backup, it is restored into a new database on the ``server`` with this URL.
    Without a server, its games are not checked. Raise DatabaseUnavailable if no database can be created there.
    """
    label = _read_label(file)
    if label.kind == "postgresql":
        return Restoration(label, label.copied_at, _tried_on(server, file, most, now) if server else None)
    with _as_it_would_be(file, label) as conn:
        return Restoration(label, label.copied_at or _last_sign_of_life(conn), verify(conn, most, now))


def restore(
    file: Path, settings: Settings, most: int | None, now: datetime, *, replace: bool, from_another: bool
) -> Restoration:
    """Replace the database that the settings name with a backup, and hold the restored database.

    A database that contains games, or is damaged, is replaced only if ``replace`` is set; a database file is then kept
    next to the new one. With ``from_another``, the backup comes from another installation, and this one continues that
    installation's games under its own address. Raise CopyFailed, with advice, if it is impossible, and AlreadyRunning
    while a service is at work on the database.
    """
    label, place = _read_label(file), settings.database_direct or settings.database_place
    address = settings.mentat.address
    if label.address and label.address != address and not from_another:
        raise CopyFailed(
            f"{file} is a backup of {label.address}, and the settings are those of {address}: its players write to the "
            "other address. Correct [mentat] address, or add --from-another to take over its games here."
        )
    with _nobody_else(place) as engine:
        before = _contents(place, replace=replace)
        _refuse_to_replace(engine, before, label, replace=replace, from_another=from_another)
        hold = _Hold(label, most, now, from_another and bool(label.address) and label.address != address)
        if isinstance(place, Path):
            return _restore_file(file, label, place, hold, keep=before is None or before.has)
        return _restore_dump(file, label, engine, place, hold)


def _tried_on(server: str, file: Path, most: int | None, now: datetime) -> Verification:
    engine = database.unopened(server)
    try:
        with copies.tried_postgresql(file, engine) as copy:
            database.renew(copy)
            with database.reading(copy) as conn:
                return verify(conn, most, now)
    finally:
        engine.dispose()


@dataclass(frozen=True, slots=True)
class _Before:
    has: bool
    installation: str


def _read_label(file: Path) -> Label:
    label = copies.label_of(file)
    if label.schema > newest_schema():
        raise CopyFailed(f"{file} was made by a newer Mentat (schema {label.schema}); install that one.")
    if why := before_version_1(label.schema):
        raise CopyFailed(f"{file} {why}.")
    return label


@contextmanager
def _as_it_would_be(file: Path, label: Label) -> Iterator[database.Connection]:
    if label.schema == newest_schema():
        with copies.opened_sqlite(file) as conn:
            yield conn
        return
    with tempfile.TemporaryDirectory(prefix="mentat-") as folder:
        copy = Path(folder) / "copy.db"
        copies.take(file, copy)
        engine = database.open_database(copy)
        try:
            with database.reading(engine) as conn:
                yield conn
        finally:
            engine.dispose()


@contextmanager
def _nobody_else(place: Path | str) -> Iterator[database.Engine]:
    if isinstance(place, Path) and not place.parent.is_dir():
        raise CopyFailed(f"There is no folder {place.parent}; create it first.")
    engine = database.unopened(place) if isinstance(place, Path) else database.open_database(place)
    try:
        with nobody_else_at_work(engine, "making a backup"):
            yield engine
    finally:
        engine.dispose()


def _contents(place: Path | str, *, replace: bool) -> _Before | None:
    try:
        engine = database.open_database(place)
        try:
            with database.reading(engine) as conn:
                found, known = inspect_database(conn), installation.this_installation(conn)
        finally:
            engine.dispose()
    except database.OlderSchema:
        raise
    except database.DatabaseUnavailable as problem:
        if replace and isinstance(place, Path):
            return None
        raise CopyFailed(f"{problem} Repair that first{_OR_REPLACE if isinstance(place, Path) else ''}.") from problem
    if found.damage:
        if replace:
            return None
        raise CopyFailed(f"{place} is damaged; fix it first{_OR_REPLACE}.")
    return _Before(bool(found.games or found.newest_message), known.id)


_OR_REPLACE = ", or add --replace to put the backup in its place"


def _refuse_to_replace(
    engine: database.Engine, before: _Before | None, label: Label, *, replace: bool, from_another: bool
) -> None:
    if before is None or not before.has:
        return
    if not replace:
        raise CopyFailed(
            f"{database.name_of(engine)} contains games or mail already; add --replace to replace them with the backup."
        )
    if label.installation and before.installation and label.installation != before.installation and not from_another:
        raise CopyFailed(
            f"The backup is from another installation ({label.installation}) than {database.name_of(engine)} "
            f"({before.installation}); add --from-another to replace it anyway."
        )


@dataclass(frozen=True, slots=True)
class _Hold:
    label: Label
    most: int | None  # how many of its games to replay, or None for all
    now: datetime
    as_another: bool

    def begin(self, engine: database.Engine) -> tuple[datetime, Verification]:
        with database.writing(database.while_held(engine)) as conn:
            copy_at = self.label.copied_at or _last_sign_of_life(conn) or self.now
            installation.hold_restored(conn, copy_at, self.now, as_another=self.as_another)
        with database.reading(engine) as conn:
            return copy_at, verify(conn, self.most, self.now)


def _restore_file(file: Path, label: Label, place: Path, hold: _Hold, *, keep: bool) -> Restoration:
    if label.kind != "sqlite":
        raise CopyFailed(
            f"{file} is a copy of a PostgreSQL database, but the settings name a file; name a database on a server "
            "under [database] url, restore it there, and move it into a file with `mentat move`."
        )
    made = place.with_name(f"{place.name}.restoring")
    copies.take(file, made)
    try:
        engine = database.open_database(made)
        try:
            copy_at, verified = hold.begin(engine)
        finally:
            engine.dispose()
        aside = place.with_name(f"{place.name}.before-{hold.now:%Y%m%dT%H%M%S}") if keep and place.exists() else None
        copies.put_in_place(made, place, aside)
    finally:
        copies.remove(made)
    return Restoration(label, copy_at, verified, aside)


def _restore_dump(file: Path, label: Label, engine: database.Engine, place: str, hold: _Hold) -> Restoration:
    if label.kind != "postgresql":
        raise CopyFailed(
            f"{file} is a copy of a SQLite database, but the settings name a server; leave out [database] url, restore "
            "it to a file, and move it to the server with `mentat move`."
        )
    stamp = database.Instant().process_bind_param(hold.now, engine.dialect)
    held = (
        f"held_since = '{stamp}', held_why = '{database.RESTORED}', restored_copy_at = coalesce(copied_at, '{stamp}')"
    )
    copies.put_back_postgresql(file, engine, [f"UPDATE public.installation SET {held}"])
    opened = database.open_database(place)
    try:
        return Restoration(label, *hold.begin(opened))
    finally:
        opened.dispose()


def _last_sign_of_life(conn: database.Connection) -> datetime | None:
    of_both = (installation.heartbeat(conn, "service"), installation.heartbeat(conn, "mailbox"))
    beats = [beat.at for beat in of_both if beat]
    newest = inspect_database(conn).newest_message
    return max([*beats, *([newest] if newest else [])], default=None)
