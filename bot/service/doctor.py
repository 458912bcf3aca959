"""`mentat doctor`: check everything that a configuration needs, and say what is wrong and what to do about it.

It takes no lock, writes nothing into the database and does not touch any game, so it can run beside `mentat run`. The
mails that it sends to itself are marked by a header. A running service moves them to the folder of processed mail, so
the doctor looks for them there too (``bot.service.round_trip``).

This module makes all checks except those of the mail servers (``bot.service.doctor_servers``):

- the machine: the settings files, the database, free disk space, time zones and the clock
- privacy: who on this machine can read secrets, which are in the database with its journals, in copies of it, in
  records of games, in the passwords and in the mail folders
- workers: the processes that share the work on a server, what each of them leads, and how much mail waits for them
- the archive's folder: whether it is writable, whether it belongs to this Mentat, and whether the last update succeeded
- the forums: whether they respond, whether they let Mentat in, and whether a mailing list can prove who posted
- another Mentat on the same mailbox, shown by processed mail that is not in this database. Two Mentats on one mailbox
  would each take some of a player's mails. This happens if a backup was restored while the old machine is still
  running, or if somebody tries out a copy of the settings.
"""

from __future__ import annotations

import glob
import importlib.resources
import os
import shlex
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.parser import BytesHeaderParser
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.archive import site as folders
from bot.channels import ChannelError, NotPossible, Refused, TooSoon
from bot.config import ForumSettings, Settings, SettingsError, load_settings, placeholders
from bot.forum.access import open_channel
from bot.games.proof import RECORD_BEGINS
from bot.mail.kept_mail import KeptMessage
from bot.mail.mailbox import MailboxUnavailable
from bot.moderator.intake import digest_of_head, subscribed_address
from bot.monitoring import checks
from bot.monitoring.checks import Finding, State
from bot.service import doctor_servers, round_trip
from bot.service.machine import utc_now
from bot.service.mail_servers import open_kept_mail
from bot.service.presence import living_processes
from bot.service.workers import READING
from bot.store import glance, installation, mail
from bot.store.database import (
    Connection,
    DatabaseUnavailable,
    Engine,
    backend_of,
    name_of,
    open_database,
    reading,
    refuse_if_read_only,
    writing,
)
from bot.store.glance import is_open_to_others
from bot.store.installation import ProcessLocks, inspect_database
from bot.wording import now_there


def examine(config: Path, wait: float) -> Iterator[Finding]:
    """Run all checks one after the other, and yield each finding as soon as it is made. `wait` is the number of seconds
    to wait for the mails that the doctor sends to itself; with 0, it sends none."""
    try:
        settings = load_settings(config)
    except SettingsError as error:
        for problem in error.problems:
            yield Finding("settings", "wrong", problem)
        return
    yield from examine_machine(settings, config)
    yield from examine_archive(settings)
    yield from examine_forums(settings)
    can_receive = can_send = True
    for finding in doctor_servers.examine_mailbox(settings):
        can_receive = can_receive and finding.state != "wrong"
        yield finding
    if can_receive:
        yield from examine_other_mentat(settings)
    for finding in doctor_servers.examine_sending(settings):
        can_send = can_send and finding.state != "wrong"
        yield finding
    if settings.smtp.kind == "directory":
        yield Finding("a mail to itself", "skipped", "no mail is sent: letters are written into a folder")
    elif not wait:
        yield Finding("a mail to itself", "skipped", "no mail was sent, as requested")
    elif not (can_receive and can_send):
        yield Finding("a mail to itself", "skipped", "fix the problems above first")
    else:
        yield from round_trip.examine_round_trip(settings, wait)


_BEFORE_MENTAT = datetime(2025, 1, 1, tzinfo=UTC)
_FUTURE = timedelta(minutes=5)


def examine_machine(settings: Settings, config: Path) -> Iterator[Finding]:
    if left := placeholders(settings):
        told = f"{', '.join(left)} {'is' if len(left) == 1 else 'are'} still as in the example"
        yield Finding("settings", "wrong", told, f"Put your own into {config} and the .env next to it.")
    else:
        yield Finding("settings", "well", f"{config} is complete and valid")
    yield from examine_privacy(settings, config)
    yield from _database(settings)
    yield checks.disk(settings.mentat.database.parent)
    yield _zones(settings.mentat.timezone)
    if utc_now() < _BEFORE_MENTAT:
        told = f"this machine believes that it is {utc_now():%d %B %Y}"
        yield Finding("clock", "wrong", told, "Set the clock, and have the machine synchronise it (NTP).")


def _database(settings: Settings) -> Iterator[Finding]:
    place = settings.database_place
    if isinstance(place, Path) and not place.exists():
        if os.access(place.parent, os.W_OK):
            yield Finding("database", "note", f"there is no {place} yet", "Run: mentat init")
        else:
            advice = "Create the folder, or let this user write there."
            yield Finding("database", "wrong", f"{place} cannot be created: {place.parent} cannot be written", advice)
        return
    try:
        engine = open_database(place, direct=settings.database_direct)
        with writing(engine) as conn:
            refuse_if_read_only(conn)
    except DatabaseUnavailable as problem:
        yield Finding("database", "wrong", str(problem))
        return
    try:
        yield from _database_contents(engine, settings)
    except DatabaseUnavailable as problem:
        yield Finding("database", "wrong", str(problem))
    finally:
        engine.dispose()


def _database_contents(engine: Engine, settings: Settings) -> Iterator[Finding]:
    name = name_of(engine)
    with reading(engine) as conn:
        found = inspect_database(conn)
        seen = glance.take_glance(lambda sql: conn.exec_driver_sql(sql).all(), utc_now())
    if found.damage:
        yield Finding("database", "wrong", f"{name} is damaged ({found.damage})", "Restore a backup.")
        return
    games = "1 game" if found.games == 1 else f"{found.games} games"
    told = f"{name} can be read and written; {games}, {found.running} of them running"
    yield Finding("database", "well", told, facts={"games": found.games, "running": found.running})
    now = utc_now()
    if checks.main_loop(seen, settings, now).state == "well":
        yield Finding("service", "well", "`mentat run` is running; it is not disturbed")
        judged = (checks.inbox(seen, now), checks.outbox(seen, now), checks.deadlines(seen, settings, now))
        yield from (each for each in (*judged, checks.canary(seen, settings)) if each.state != "well")
    else:
        yield Finding("service", "note", "`mentat run` is not running here", "Start it when all is well.")
    if backend_of(engine).several:
        yield examine_workers(engine)
    if found.newest_message and found.newest_message > now + _FUTURE:
        told = f"the last message came at {found.newest_message}, which is in the future for this machine"
        yield Finding("clock", "wrong", told, "Set the clock, and have the machine synchronise it (NTP).")


def _zones(own: ZoneInfo) -> Finding:
    try:
        summer, winter = (
            datetime(2026, month, 1, 12, tzinfo=ZoneInfo("Europe/Berlin")).utcoffset() for month in (7, 1)
        )
    except (ZoneInfoNotFoundError, OSError, ValueError):
        summer = winter = None
    if summer != timedelta(hours=2) or winter != timedelta(hours=1):
        told = "the time zones of this machine are missing or wrong: Europe/Berlin has no summer time"
        return Finding("time zones", "wrong", told, "Reinstall the package tzdata.")
    version = importlib.resources.files("tzdata").joinpath("__init__.py").read_text(encoding="utf-8")
    release = version.partition('IANA_VERSION = "')[2].partition('"')[0]
    told = f"summer time is applied correctly; with [mentat] timezone it is now {now_there(utc_now(), own)}"
    return Finding("time zones", "well", told, facts={"tzdata": release})


_DATABASE_BEGINS = b"SQLite format 3\0"
_JOURNALS = ("-wal", "-shm", "-journal")
_MOST_FILES = 2_000


def examine_privacy(settings: Settings, config: Path) -> Iterator[Finding]:
    """Check who can read secrets. Also look for copies and records in the folders of the settings and the database, and
    one level below."""
    yield from _secrets(config.parent / ".env")
    database = settings.mentat.database
    locks = sorted(database.parent.glob(f"{glob.escape(database.name)}.*.lock"))
    own = [path for path in (database, *_journals(database), *locks) if is_open_to_others(path)]
    if own:
        yield _readable("database: who can read it", "wrong", own)
    elif database.exists():
        yield Finding("database: who can read it", "well", f"nobody else on this machine can read {database}")
    copies, records = _copies_and_records(config.parent, database)
    if copies:
        yield _readable("database: copies", "wrong", copies)
    if records:
        yield _readable("records of games", "wrong", records)
    yield from _mail_folders(settings)


def _secrets(env: Path) -> Iterator[Finding]:
    if is_open_to_others(env):
        yield _readable("secrets", "note", [env])


def _mail_folders(settings: Settings) -> Iterator[Finding]:
    places = []
    if settings.mailbox.kind == "maildir" and settings.mailbox.maildir:
        places.append(settings.mailbox.maildir)
    if settings.smtp.kind == "directory" and settings.smtp.directory:
        places.append(settings.smtp.directory)
    if found := [place for place in places if is_open_to_others(place)]:
        told = f"others on this machine can look into {_paths_named(found)}"
        yield Finding("folders of mail", "note", told, f"Run: chmod 700 {_paths_told(found)}", _path_facts(found))


def _journals(database: Path) -> list[Path]:
    return [database.with_name(database.name + ending) for ending in _JOURNALS]


def _copies_and_records(beside: Path, database: Path) -> tuple[list[Path], list[Path]]:
    copies, records = [], []
    known = {path.resolve() for path in (database, *_journals(database))}
    for path in islice(_files_in(sorted({beside.resolve(), database.parent.resolve()})), _MOST_FILES):
        if path in known or not is_open_to_others(path):
            continue
        beginning = _beginning(path)
        if beginning.startswith(RECORD_BEGINS):
            records.append(path)
        elif beginning and _is_copy(path, beginning, database):
            copies.append(path)
    return copies, records


def _is_copy(path: Path, beginning: bytes, database: Path) -> bool:
    of_ours = path.name.startswith(f"{database.name}.") or path.name.endswith(_JOURNALS)
    return of_ours or beginning.startswith(_DATABASE_BEGINS)


def _files_in(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        try:
            inside = sorted(folder.iterdir())
        except OSError:
            continue
        yield from (path for path in inside if path.is_file() and not path.is_symlink())
        for deeper in inside:
            if deeper.is_dir() and not deeper.is_symlink() and deeper not in folders:
                try:
                    yield from sorted(path for path in deeper.iterdir() if path.is_file() and not path.is_symlink())
                except OSError:
                    continue


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(32)
    except OSError:
        return b""


def _readable(about: str, state: State, paths: list[Path]) -> Finding:
    told = f"others on this machine can read {_paths_named(paths)}"
    advice = f"Run: chmod 600 {_paths_told(paths)}"
    return Finding(about, state, told, advice, _path_facts(paths))


def _paths_named(paths: list[Path]) -> str:
    return ", ".join(map(str, paths))


def _paths_told(paths: list[Path]) -> str:
    return " ".join(shlex.quote(str(path)) for path in paths)


def _path_facts(paths: list[Path]) -> dict[str, list[str]]:
    return {"files": [str(path) for path in paths]}


def examine_workers(engine: Engine) -> Finding:
    direct = ProcessLocks(engine, "mentat")
    try:
        direct.reach()
        here = living_processes(engine, direct)
        with reading(engine) as conn:
            led = {each.work: each.holder for each in installation.lead_holders(conn) if direct.is_taken(each.work)}
            waiting = installation.count_waiting_mail(conn)
    finally:
        direct.close()
    facts = {
        "processes": [{"name": each.name, "host": each.host} for each in here],
        "leads": led,
        "mails_waiting": waiting,
    }
    if not here:
        return Finding("workers", "note", "no worker is running", "Start them when all is well.", facts)
    hosts = Counter(each.host for each in here)
    told = ", ".join(f"{n} worker{'' if n == 1 else 's'} on {host}" for host, n in sorted(hosts.items()))
    does = "; ".join(f"{holder} is {work}" for work, holder in led.items())
    told = f"{told}; {waiting} mails wait for them" + (f"; {does}" if does else "")
    if READING not in led:
        return Finding("workers", "wrong", f"{told}; none of them reads the mailbox", "See the log of `mentat run`.")
    return Finding("workers", "well", told, facts=facts)


def examine_archive(settings: Settings) -> Iterator[Finding]:
    folder = settings.archive.folder
    if folder is None:
        return
    if problem := folders.folder_complaint(folder):
        yield Finding("archive", "wrong", problem.rstrip("."), "Name another folder under [archive], or fix this one.")
        return
    if since := _failing_since(settings):
        told = f"{folder} could not be written since {since}"
        yield Finding("archive", "wrong", told, "`mentat archive build` says why; the games are not affected.")
        return
    made = "is kept up to date" if folders.is_archive(folder) else "is made by `mentat run` or `mentat archive build`"
    yield Finding("archive", "well", f"{folder} {made}")


def _failing_since(settings: Settings) -> str:
    if not settings.database.url and not settings.mentat.database.exists():
        return ""
    try:
        engine = open_database(settings.database_place)
    except DatabaseUnavailable:  # the doctor has reported it already
        return ""
    try:
        with reading(engine) as conn:
            beat = installation.heartbeat(conn, "archive")
    finally:
        engine.dispose()
    return f"{beat.failing_since:%Y-%m-%d %H:%M} UTC" if beat and beat.failing_since else ""


def examine_forums(settings: Settings) -> Iterator[Finding]:
    for name, forum in settings.forums.items():
        about = f"forum {name}"
        if forum.kind == "paste":
            yield Finding(about, "well", "you post there by hand: `mentat forum show` shows what to post")
        elif forum.kind == "list":
            yield from _mailing_list(about, name, forum, settings)
        else:
            yield _reached(about, name, forum, settings)


def _mailing_list(about: str, name: str, forum: ForumSettings, settings: Settings) -> Iterator[Finding]:
    address = subscribed_address(settings, name)
    yield Finding(about, "well", f"Mentat must be a member of {forum.address} as {address}")
    if not (forum.authserv_id or forum.envelope_header):
        told = "nothing proves who posts there, so nobody can play by posts"
        yield Finding(about, "note", told, f"Set authserv_id or envelope_header in [forums.{name}] (docs/forum.md).")


def _reached(about: str, name: str, forum: ForumSettings, settings: Settings) -> Finding:
    try:
        open_channel(name, settings).messages_since(None)
    except (NotPossible, TooSoon):
        pass  # any response shows that the server works
    except Refused as no:
        return Finding(
            about, "wrong", f"{forum.url} does not let Mentat in: {no}", f"`mentat forum test {name}` says more."
        )
    except ChannelError as away:
        return Finding(
            about, "wrong", f"{forum.url} cannot be reached: {away}", "No game waits for it; try again later."
        )
    return Finding(about, "well", f"{forum.url} answers, and lets Mentat in as {forum.username}")


NEWEST_MAILS = 20
"""The number of newest messages that are checked."""


def examine_other_mentat(settings: Settings) -> Iterator[Finding]:
    """Look among the newest processed mails for signs of another Mentat, unless the database is held after a
    restoration."""
    place = settings.database_place
    if isinstance(place, Path) and not place.exists():
        return
    try:
        kept = open_kept_mail(settings).newest(NEWEST_MAILS)
        engine = open_database(place, direct=settings.database_direct)
    except (MailboxUnavailable, DatabaseUnavailable):
        return  # reported before
    try:
        with reading(engine) as conn:
            own = installation.this_installation(conn)
            if own.held_since:
                return
            strange = [message for message in kept if _is_unknown(conn, message, own.made_at)]
    finally:
        engine.dispose()
    if strange:
        came = max(message.arrived for message in strange)
        count = "a mail was" if len(strange) == 1 else f"{len(strange)} mails were"
        told = f"{count} processed that this database does not know, the last at {came:%Y-%m-%d %H:%M} UTC"
        advice = (
            "Another Mentat reads this mailbox, or did: stop one of them. If a backup was restored without "
            "`mentat restore`, use that command."
        )
        yield Finding("mailbox: alone", "wrong", told, advice, {"unknown": len(strange)})
    elif kept:
        yield Finding("mailbox: alone", "well", "this database knows all processed mail")


def _is_unknown(conn: Connection, message: KeptMessage, since: datetime) -> bool:
    head = BytesHeaderParser().parsebytes(message.raw if message.raw is not None else message.head)
    identity = str(head.get("Message-ID", "")).strip().strip("<>")
    if message.arrived < since or not identity or "X-Mentat" in head:
        return False
    digest = mail.message_digest(message.raw) if message.raw is not None else digest_of_head(message.head, message.size)
    return not mail.is_known(conn, digest, identity)
