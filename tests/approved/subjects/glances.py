"""What one look at a database has seen: how healthy Mentat says it is, in words, to programs and to Prometheus.

An input is what was seen, with ages in seconds instead of moments, and settings, and how much of the disk is free.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

from bot.config.sections import (
    DatabaseSettings,
    ForumSettings,
    MailboxSettings,
    MentatSettings,
    MonitoringSettings,
    Secrets,
    Settings,
    SmtpSettings,
)
from bot.monitoring import alerts, checks, logs
from bot.monitoring.checks import LAG_BOUNDS, Finding
from bot.monitoring.logs import Counters
from bot.service import health as health_of
from bot.service import health as metrics
from bot.store.glance import Beat, CannotLook, Glance, Queue, Rows
from tests.approved.subject import Subject

NOW = datetime(2026, 11, 24, 20, tzinfo=UTC)
DAY = 86_400
_BEATS = ("loop", "service", "mailbox", "canary", "archive", "retention", "desk", "ratings")
_AGES = (0, 15, 45, 60, 119, 120, 180, 240, 300, 600, 900, 960, 1200, 3600, 7199, 7200, 172_799, 172_800, -5)
_BARELY = (0, 0, 0.000001, -0.000001, 1, -1)
_MB = 1_000_000
_FREE = (49 * _MB, 50 * _MB - 1, 50 * _MB, 499 * _MB, 500 * _MB, 14_000 * _MB, 13_999 * _MB, 123_456_789_012)


def _seeds() -> Iterator[str]:
    well: dict[str, Any] = {"beats": {"loop": [5, None], "mailbox": [20, None]}, "free": 9_000 * _MB}
    yield json.dumps(well)
    yield json.dumps({"free": 9_000 * _MB})
    yield json.dumps({**well, "beats": {"mailbox": [20, None]}})
    yield json.dumps({**well, "beats": {"mailbox": [20, 400], "canary": [9000, 100]}, "canary_minutes": 60})
    yield json.dumps({**well, "held": [600, "restored"], "games": {"running": 2, "held": 1, "odd": 3}})
    yield json.dumps({**well, "letters": [3, 901], "mail": [1, 901], "last_sent": 800, "overdue": 301, "faults": 1})
    yield json.dumps({**well, "forums": {"arrakis": 60, "bazaar": None, "gone": 5}, "polls": [60, 300]})
    sizes = {"disk_used 2026-11-20": 1000, "disk_used 2026-11-24": 500_000_000}
    certificates = {"certificate mailbox": 14 * DAY, "certificate smtp": -1}
    counted = {
        "faults outbox": 2,
        "faults mail": 1,
        "deadline_lag 30": 2,
        "deadline_lag +Inf": 1,
        "deadline_lag_sum ": 9,
    }
    yield json.dumps({**well, "measured": {**sizes, **certificates, **counted}})
    yield json.dumps({**well, "leaders": {"the clock": "a", "reading": "b"}, "workers": {"a": 10, "b": 46}})
    yield json.dumps(
        {**well, "url": "postgresql://mentat@db/mentat", "measured": sizes, "lags": [0.5, 5, 5.5, 1e6, -1]}
    )
    yield json.dumps({**well, "away": "is not there"})
    yield json.dumps({**well, "away": "is of another schema"})
    yield json.dumps({**well, "messages": {"taken": 3, "waiting": 1, "fault": 2}, "free": None})


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """One to three numbers that are otherwise, or parts that are gone or as in another input."""
    seen = json.loads(text)
    for _ in range(chance.choice((1, 1, 2, 3))):
        seen = _another(chance, seen, json.loads(chance.choice(others)))
    return json.dumps(seen)


def _another(chance: Random, seen: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    match chance.randrange(11):
        case 0:
            name = chance.choice(list(other))
            return {**seen, name: other[name]}
        case 1 if len(seen) > 1:
            gone = chance.choice(list(seen))
            return {name: part for name, part in seen.items() if name != gone}
        case 2 | 3 | 4:
            beats = {
                **seen.get("beats", {}),
                chance.choice(_BEATS): [_age(chance), chance.choice((None, None, _age(chance)))],
            }
            if chance.randrange(4) == 0:
                del beats[chance.choice(list(beats))]
            return {**seen, "beats": beats}
        case 5:
            return {
                **seen,
                chance.choice(("letters", "mail")): [chance.randrange(4), chance.choice((None, _age(chance)))],
            }
        case 6:
            return {**seen, chance.choice(("last_sent", "overdue")): _age(chance), "faults": chance.randrange(3)}
        case 7:
            return {
                **seen,
                "free": chance.choice((*_FREE, None)),
                "polls": [chance.choice((1, 30, 60, 61, 400)) for _ in range(2)],
            }
        case 8:
            return {**seen, "measured": {**seen.get("measured", {}), **_measured(chance)}}
        case 9:
            return {
                **seen,
                "leaders": {"the clock": chance.choice("ab")},
                "workers": {"a": _age(chance), "b": _age(chance)},
            }
    return {
        **seen,
        "canary_minutes": chance.choice((0, 1, 60)),
        "forums": {
            name: chance.choice((None, _age(chance))) for name in ("arrakis", "gone", "bazaar") if chance.randrange(3)
        },
        "lags": [chance.choice(LAG_BOUNDS) + chance.choice((0, 0, 0.001, -0.5, 1e5)) for _ in range(3)],
    }


def _age(chance: Random) -> float:
    return chance.choice(_AGES) + chance.choice(_BARELY)


def _measured(chance: Random) -> dict[str, float]:
    match chance.randrange(3):
        case 0:
            day = f"disk_used 2026-11-{chance.randrange(18, 25)}"
            return {day: chance.choice((0, 1, 10, 500, 1000, 1001)) * _MB}
        case 1:
            until = chance.choice((0, 1, 13, 14, 15)) * DAY + chance.choice((-1, 0, 1))
            return {chance.choice(("certificate mailbox", "certificate smtp")): until}
    return {chance.choice((*(f"deadline_lag {bound}" for bound in LAG_BOUNDS), "faults mail")): chance.choice((1, 2.5))}


def _told(text: str) -> str:
    given = json.loads(text)
    seen, settings = _glance(given), _settings(given)
    with _free(given.get("free")), _looked(given, seen):
        health = health_of.health(settings, NOW)
        numbers = metrics.metrics(settings, NOW)
        disk = _finding(checks.disk(Path("/nowhere")))
    return "\n".join((
        *map(_finding, health.findings), f"well {health.well}, ready {health.ready}, live {health.live}", health.line,
        f"by commands: {checks.by_commands(seen)}", disk, f"alerts: {_alerts(health.findings)}",
        numbers, f"counted: {_counted(given.get('lags', []))}",
    ))  # fmt: skip


@contextmanager
def _looked(given: Mapping[str, Any], seen: Glance) -> Iterator[None]:
    """What is seen of a database, or why nothing is."""

    @contextmanager
    def opened(place: object) -> Iterator[Rows]:
        if away := given.get("away"):
            raise CannotLook(f"the database {place} {away}", reachable="schema" in away)
        yield lambda sql: [[4096 if "SELECT" in sql else 0]]

    def look(place: object, _now: datetime) -> Glance:
        with opened(place):
            return seen

    with (
        mock.patch.object(metrics, "opened_read_only", opened),
        mock.patch.object(metrics, "take_glance", return_value=seen),
        mock.patch.object(metrics, "count_messages", return_value=given.get("messages", {})),
        mock.patch.object(health_of, "look", look),
    ):
        yield


def _finding(found: Finding) -> str:
    return f"{found.about}: {found.state}: {found.told}. {found.advice} {dict(found.facts)}"


def _alerts(findings: Sequence[Finding]) -> str:
    return ", ".join(f"{kind} {found and found.state}" for kind, found in alerts._by_kind(findings).items())


def _counted(lags: Sequence[float]) -> str:
    """How lags are counted."""
    with mock.patch.object(logs, "_COUNTERS", Counters()) as counting:
        for lag in lags:
            logs.count_lag(timedelta(seconds=lag))
        return str(sorted(counting._counted.items()))


@contextmanager
def _free(room: int | None) -> Iterator[None]:
    """So much is free on the disk; None where it cannot be looked at."""
    usage: Any = (
        {"side_effect": OSError(2, "No such file")} if room is None else {"return_value": SimpleNamespace(free=room)}
    )
    with mock.patch.object(shutil, "disk_usage", **usage):
        yield


def _glance(given: Mapping[str, Any]) -> Glance:
    held = given.get("held", [None, ""])
    return Glance(
        beats={
            name: Beat(NOW - timedelta(seconds=age), _before(failing))
            for name, (age, failing) in given.get("beats", {}).items()
        },
        forums={name: _before(age) for name, age in given.get("forums", {}).items()},
        games=given.get("games", {}),
        letters=_queue(given.get("letters")),
        mail=_queue(given.get("mail")),
        last_sent=_before(given.get("last_sent")),
        overdue_since=_before(given.get("overdue")),
        faults=given.get("faults", 0),
        measured=dict(_measurement(*each) for each in given.get("measured", {}).items()),
        leaders=given.get("leaders", {}),
        workers={name: NOW - timedelta(seconds=age) for name, age in given.get("workers", {}).items()},
        held_since=_before(held[0]),
        held_why=held[1],
    )


def _before(age: float | None) -> datetime | None:
    return None if age is None else NOW - timedelta(seconds=age)


def _queue(given: Any) -> Queue:
    return Queue(given[0], _before(given[1])) if given else Queue()


def _measurement(named: str, value: float) -> tuple[tuple[str, str], float]:
    """Certificates are valid for so many seconds from now on."""
    name, _, label = named.partition(" ")
    return (name, label), value + NOW.timestamp() if name == "certificate" else value


def _settings(given: Mapping[str, Any]) -> Settings:
    mailbox, forum = given.get("polls", [60, 60])
    address = "mentat@arrakis.example"
    forums = {name: ForumSettings(kind="paste", poll_seconds=forum) for name in ("arrakis", "bazaar")}
    return Settings(
        mentat=MentatSettings(address=address, game_master=address, database=Path("/var/lib/mentat/mentat.db")),
        mailbox=MailboxSettings(poll_seconds=mailbox),
        smtp=SmtpSettings(),
        database=DatabaseSettings(url=given.get("url", "")),
        monitoring=MonitoringSettings(canary_minutes=given.get("canary_minutes", 0)),
        forums=forums if "forums" in given else {},
        secrets=Secrets(),
    )


SUBJECT = Subject("glances", ("bot.monitoring",), _seeds, _vary, _told)
