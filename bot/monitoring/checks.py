"""Health checks, made from a single reading of the database, the disk and the clock.

`mentat health` prints every finding, ``bot.monitoring.alerts`` mails some of them, and `mentat doctor` adds them to its
own. A "wrong" finding will cost somebody time unless somebody acts, and makes `mentat health` exit with status 1. A
"note" should be dealt with in the next few days. No finding names a game, a person or a faction.

`mentat health` and `mentat metrics` load this module every minute, so it imports neither SQLAlchemy nor the games.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from bot.config.sections import Settings
from bot.store.glance import Glance

State = Literal["well", "note", "wrong", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check. `about` names the subject of the check. `told` describes the result, as a clause without a
    full stop or as a whole sentence, and `advice` says what to do. `facts` gives the result to programs, under fixed
    names: `{"days": 12}`."""

    about: str
    state: State
    told: str
    advice: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


LAG_BOUNDS = (1, 5, 15, 30, 60, 120, 300, 900, 3600, 21600)
"""Bounds in seconds. 30 is one tick of the clock, and an alert is sent after 300."""


LOOP_BEATS = timedelta(seconds=15)
"""How often the service reports that its main loop is running."""

LOOP_LATE = timedelta(seconds=45)
"""A main loop that has not reported for this long has stopped or is stuck (``bot.service.machine``)."""

LETTERS_LATE = timedelta(minutes=15)
DEADLINES_LATE = timedelta(minutes=5)
BY_COMMANDS_LATE = timedelta(minutes=15)
"""How late anything may be if `mentat run` is not running and single commands (from cron) do its work."""

WORKER_SILENT, WORKER_GONE = timedelta(seconds=12), timedelta(minutes=5)
"""A worker that has been silent for the first time span counts as frozen or killed, and is reported until the second
has passed. A healthy worker reports every four seconds."""

MISSED_POLLS = 3
_OFTEN_ENOUGH = 60.0  # seconds between two records of a successful mailbox read
DAYS_LEFT = 14
_MEGABYTE = 1_000_000
_LITTLE_ROOM, _NO_LESS_THAN = 50 * _MEGABYTE, 500 * _MEGABYTE


def all_checks(seen: Glance, settings: Settings, now: datetime) -> Iterator[Finding]:
    yield held(seen)
    yield main_loop(seen, settings, now)
    yield mailbox(seen, settings, now)
    yield canary(seen, settings)
    yield inbox(seen, now)
    yield outbox(seen, now)
    yield deadlines(seen, settings, now)
    yield from noteworthy(seen, settings)
    yield from silent_workers(seen, now)
    yield disk(settings.mentat.database.parent, None if settings.database.url else seen)
    yield from certificates(seen, now)


def held(seen: Glance) -> Finding:
    if seen.held_since:
        since = _time(seen.held_since)
        told = f"it was {seen.held_why} and has been held since {since}: nothing is read, sent or posted"
        advice = "If it was restored, `mentat restore --resume` resumes it; if it was moved, use the new one."
        return Finding("database", "wrong", told, advice)
    return Finding("database", "well", "it can be read and has the current schema")


def main_loop(seen: Glance, settings: Settings, now: datetime) -> Finding:
    about = "main loop"
    beat, read = seen.beats.get("loop"), seen.beats.get("mailbox")
    if beat and now - beat.at <= LOOP_LATE:
        return Finding(about, "well", f"it ran {_ago(now - beat.at)}", facts=_age(now - beat.at))
    if read and by_commands(seen) and now - read.at <= max(BY_COMMANDS_LATE, _poll_late(settings)):
        return Finding(about, "well", "there is none: single commands do the work", facts=_age(now - read.at))
    if beat is None:
        return Finding(about, "wrong", "`mentat run` has never run here", "Start it.")
    told = f"it last ran {_ago(now - beat.at)}: `mentat run` has stopped or is stuck"
    return Finding(about, "wrong", told, "Restart it; its log says why.", _age(now - beat.at))


def by_commands(seen: Glance) -> bool:
    """Return True if `mentat run` is not running and single commands read the mailbox instead, for example from
    cron."""
    beat, read = seen.beats.get("loop"), seen.beats.get("mailbox")
    return read is not None and (beat is None or read.at - beat.at > BY_COMMANDS_LATE)


def mailbox(seen: Glance, settings: Settings, now: datetime) -> Finding:
    beat = seen.beats.get("mailbox")
    if beat is None:
        return Finding("mailbox", "wrong", "it has never been read", "`mentat doctor` says what is wrong with it.")
    facts = _age(now - beat.at)
    if beat.failing_since:
        told = f"it has been unreadable since {_time(beat.failing_since)}; no deadline passes"
        return Finding("mailbox", "wrong", told, "`mentat doctor` says why.", facts)
    late = max(_poll_late(settings), BY_COMMANDS_LATE if by_commands(seen) else timedelta())
    if now - beat.at > late:
        return Finding("mailbox", "wrong", f"it was last read {_ago(now - beat.at)}", "Is `mentat run` running?", facts)
    return Finding("mailbox", "well", f"it was read {_ago(now - beat.at)}", facts=facts)


def canary(seen: Glance, settings: Settings) -> Finding:
    beat = seen.beats.get("canary")
    if not settings.monitoring.canary_minutes:
        return Finding("canary", "well", "Mentat sends no mail to itself")
    if beat is None:
        return Finding("canary", "well", "no mail from Mentat to itself has come back yet")
    if beat.failing_since:
        told = f"no mail that Mentat sent to itself has come back since {_time(beat.at)}; no deadline passes"
        return Finding("canary", "wrong", told, "`mentat doctor` says where mail is lost.")
    return Finding("canary", "well", f"a mail from Mentat to itself last came back at {_time(beat.at)}")


def inbox(seen: Glance, now: datetime) -> Finding:
    queue = seen.mail
    if queue.oldest is None or now - queue.oldest <= LETTERS_LATE:
        return Finding("inbox", "well", "no mail waits for a worker" if queue.oldest is None else "mail is being read")
    told = f"{_many(queue.waiting, 'mail')} waiting for a worker, the oldest since {_time(queue.oldest)}"
    return Finding("inbox", "wrong", told, "The log of the workers says what fails.", {"mails": queue.waiting})


def outbox(seen: Glance, now: datetime) -> Finding:
    """Check whether letters are being sent. Letters delayed only by their recipients' servers are a note."""
    queue = seen.letters
    if queue.oldest is None:
        return Finding("outbox", "well", "no letter waits", facts={"letters": 0})
    told = f"{_letters(queue.waiting)} to go out, the oldest since {_time(queue.oldest)}"
    facts = {"letters": queue.waiting, **_age(now - queue.oldest)}
    if now - queue.oldest <= LETTERS_LATE:
        return Finding("outbox", "well", told, facts=facts)
    if seen.last_sent and now - seen.last_sent <= LETTERS_LATE:
        return Finding("outbox", "note", told, "Others go out; `mentat mail list` names those that do not.", facts)
    return Finding("outbox", "wrong", told, "`mentat send` and `mentat doctor` say why none goes out.", facts)


def deadlines(seen: Glance, settings: Settings, now: datetime) -> Finding:
    """Check whether defaults are applied soon after their deadlines. They must wait while no mail comes in and, in a
    game with a forum thread, until the thread has been read, but for at most two polls."""
    late = max(now - seen.overdue_since, timedelta()) if seen.overdue_since else timedelta()
    facts = {"seconds": int(late.total_seconds())}
    if any(beat.failing_since for name, beat in seen.beats.items() if name in ("mailbox", "canary")):
        return Finding("deadlines", "well", "none passes while no mail comes in", facts=facts)
    polls = timedelta(seconds=2 * max((forum.poll_seconds for forum in settings.forums.values()), default=0))
    if late > polls + (BY_COMMANDS_LATE if by_commands(seen) else DEADLINES_LATE):
        told = f"a default has been overdue for {_span(late)}"
        return Finding("deadlines", "wrong", told, "The log of `mentat run` says what fails.", facts)
    told = f"one is {_span(late)} late" if late else "none is overdue"
    return Finding("deadlines", "well", told, facts=facts)


def noteworthy(seen: Glance, settings: Settings) -> Iterator[Finding]:
    games = seen.games.get("held", 0)
    if games:
        advice = "`mentat game list` names them; newer rules would play them differently."
        yield Finding("games", "note", f"{_many(games, 'game')} held", advice, {"held": games})
    if seen.faults:
        told = f"{_many(seen.faults, 'mail')} put aside in the last day because of a fault in the program"
        yield Finding("mails", "note", told, "`mentat mail list` names them.", {"faults": seen.faults})
    if seen.stuck:
        told = f"{_many(seen.stuck, 'mail')} in the inbox cannot be read or cannot be moved away"
        yield Finding("stuck mail", "note", told, "A letter to the game master says what to do.")
    for forum, failing in sorted(seen.forums.items()):
        if failing and forum in settings.forums:
            told = f"it has not worked since {_time(failing)}; no game waits for it"
            yield Finding(f"forum {forum}", "note", told, "`mentat forum status` says why.")


def silent_workers(seen: Glance, now: datetime) -> Iterator[Finding]:
    silent = {name: at for name, at in seen.workers.items() if WORKER_SILENT < now - at <= WORKER_GONE}
    for name, at in sorted(silent.items()):
        told = f"{name} last reported {_ago(now - at)}: it is frozen, or was killed"
        yield Finding("workers", "note", told, "Other workers take over its work within half a minute.", _age(now - at))


def disk(folder: Path, seen: Glance | None = None) -> Finding:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding("disk", "wrong", f"{folder} cannot be checked ({error.strerror})", "Check that it exists.")
    told, facts = f"{free / _MEGABYTE:,.0f} MB are free at {folder}", {"free_bytes": free}
    days = days_left(free, seen) if seen else None
    if days is not None:
        facts["days"] = days
    if free < _LITTLE_ROOM:
        return Finding("disk", "wrong", told, "Make room: otherwise no mail can be received.", facts)
    if days is not None and days < DAYS_LEFT:
        told += f", enough for {_many(days, 'day')} at the recent rate"
        return Finding("disk", "note", told, "Make room, or keep letters for fewer days ([retention]).", facts)
    if free < _NO_LESS_THAN:
        return Finding("disk", "note", told, "That is not much; a game with all its mail needs about 10 MB.", facts)
    return Finding("disk", "well", told, facts=facts)


def days_left(free: int, seen: Glance) -> int | None:
    """Return how many days the free space will last if the database goes on growing as it has lately. Return None if
    the database is not growing, or if it has been measured for less than a day."""
    sizes = sorted(
        (date.fromisoformat(day), size) for (name, day), size in seen.measured.items() if name == "disk_used"
    )
    if len(sizes) < 2:
        return None
    grown = (sizes[-1][1] - sizes[0][1]) / (sizes[-1][0] - sizes[0][0]).days
    return int(free / grown) if grown > 0 else None


def certificates(seen: Glance, now: datetime) -> Iterator[Finding]:
    for (name, section), until in sorted(seen.measured.items()):
        if name == "certificate":
            yield certificate(section, until, now)


def certificate(server: str, until: float, now: datetime, host: str = "") -> Finding:
    """Check how long a server's certificate remains valid. ``until`` is in seconds since 1970, and ``host`` is the name
    for which the certificate was issued."""
    days = int((until - now.timestamp()) // 86_400)
    about, facts = f"{server}: TLS", {"days": days}
    if days < 0:
        told = f"the certificate expired on {datetime.fromtimestamp(until, UTC):%Y-%m-%d}"
        return Finding(about, "wrong", told, "Its owner must renew it.", facts)
    told = f"the certificate is trusted{f', issued for {host}' if host else ''} and valid for {_many(days, 'more day')}"
    state: State = "note" if days < DAYS_LEFT else "well"
    return Finding(about, state, told, "Its owner must renew it before then." if state == "note" else "", facts)


def _poll_late(settings: Settings) -> timedelta:
    return timedelta(seconds=MISSED_POLLS * max(settings.mailbox.poll_seconds, _OFTEN_ENOUGH) + _OFTEN_ENOUGH)


def _age(span: timedelta) -> dict[str, int]:
    return {"seconds": max(int(span.total_seconds()), 0)}


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _ago(span: timedelta) -> str:
    return f"{_span(span)} ago"


def _span(span: timedelta) -> str:
    seconds = max(int(span.total_seconds()), 0)
    if seconds < 120:
        return f"{seconds} s"
    units = ((86_400, "days"), (3_600, "hours"), (60, "minutes"))
    size, unit = next(each for each in units if seconds >= 2 * each[0])
    return f"{seconds // size} {unit}"


def _many(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _letters(number: int) -> str:
    return "1 letter waits" if number == 1 else f"{number} letters wait"
