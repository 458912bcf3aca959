"""Mail to the machine's administrator: one letter when something has gone wrong, and one when it works again.

``checks`` finds out what is wrong. A problem is reported only after it has lasted for a while, so nobody is woken by a
fault that goes away on its own, and a fault that comes and goes within that time counts as one episode. If no letters
can be sent, the log and `mentat health` report it instead, and a letter afterwards says how long it lasted. A held game
and a quarantined mail are reported at once (``bot.games.notices``). An alert names no game, no person and no faction.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Literal

from bot.games.open_games import OpenGames
from bot.monitoring import checks
from bot.monitoring.checks import Finding
from bot.monitoring.logs import about
from bot.store import installation
from bot.store.database import Connection, reading, size_of, writing_no_game
from bot.store.glance import Beat, Glance, take_glance
from bot.wording import clock_of, moment, say

log = logging.getLogger(__name__)

Told = Literal["notice", "over"]
Kind = Literal["loop", "mailbox", "canary", "outbox", "deadlines", "disk", "certificate"]

_LASTS: Mapping[Kind, timedelta] = {
    "loop": timedelta(minutes=1),
    "mailbox": timedelta(minutes=10),
    "canary": timedelta(),
    "outbox": timedelta(),
    "deadlines": timedelta(minutes=5),
    "disk": timedelta(),
    "certificate": timedelta(),
}
"""How long a problem must last before anybody is told, in addition to the time that its check allows."""

_ABOUT: Mapping[str, Kind] = {
    "main loop": "loop",
    "mailbox": "mailbox",
    "canary": "canary",
    "outbox": "outbox",
    "deadlines": "deadlines",
    "disk": "disk",
    "mailbox: TLS": "certificate",
    "smtp: TLS": "certificate",
}
_ALSO_NOTES = ("disk", "certificate")
"""Findings that are mailed even if they are only notes, because they must be dealt with within days."""

_DAYS_KEPT = timedelta(days=checks.DAYS_LEFT)
_AT_MOST_EVERY = timedelta(minutes=1)


class Alerts:
    def __init__(self, open_games: OpenGames) -> None:
        self._open_games = open_games
        self._looked: datetime | None = None

    def look(self, now: datetime) -> None:
        if self._looked and timedelta() <= now - self._looked < _AT_MOST_EVERY:
            return
        self._looked = now
        with reading(self._open_games.engine) as conn:
            seen = take_glance(lambda sql: conn.exec_driver_sql(sql).all(), now)
            size = size_of(conn)
        self._measure(seen, size, now)
        found = _by_kind(checks.all_checks(seen, self._open_games.settings, now))
        for kind, finding in found.items():
            if kind in ("loop", "mailbox") and kind not in seen.beats:
                continue  # it has never run
            self._follow(kind, finding, seen.beats.get(_name(kind)), now)

    def _measure(self, seen: Glance, size: int, now: datetime) -> None:
        today = now.date().isoformat()
        if ("disk_used", today) in seen.measured:
            return
        with writing_no_game(self._open_games.engine) as conn:
            installation.set_measurement(conn, "disk_used", today, size)
            installation.forget_measurements_before(conn, "disk_used", (now - _DAYS_KEPT).date())

    def _follow(self, kind: Kind, finding: Finding | None, known: Beat | None, now: datetime) -> None:
        """Begin an episode, report it, or end it. While an episode lasts, its heartbeat is stored as failing; the
        instant stored with it shows whether the episode has already been reported."""
        since = known.failing_since if known else None
        if finding is None and since is None:
            return
        with writing_no_game(self._open_games.engine) as conn:
            if finding is None:
                assert known is not None
                assert since is not None
                installation.beat(conn, _name(kind), now)
                if known.at > since:
                    log.warning("%s: well again", kind, extra=about(f"alert.{kind}"))
                    self._tell(conn, kind, "over", since, now)
                return
            if since is None:
                since = now
                installation.note_stop(conn, _name(kind), now, now)
            if now - since >= _LASTS[kind] and (known is None or known.at <= since):
                log.error("%s: %s", finding.about, finding.told, extra=about(f"alert.{kind}"))
                if kind != "outbox":
                    self._tell(conn, kind, "notice", since, now)
                installation.note_stop(conn, _name(kind), now + timedelta(microseconds=1), since)

    def _tell(self, conn: Connection, kind: Kind, what: Told, since: datetime, now: datetime) -> None:
        settings = self._open_games.settings
        if not settings.monitoring.alerts:
            return
        zone = settings.mentat.timezone
        facts = {"since": f"{moment(since, zone)} {clock_of(zone)}"}
        subject = say(f"alert-{what}.subject", about=say(f"alert-{kind}.about"))
        told = [say(f"alert-{kind}.{what}", **facts), say(f"alert-{what}.advice")]
        cause = f"alert.{kind}.{what}.{since.isoformat()}"
        self._open_games.writer(conn, now).tell(settings.operator, subject, told, cause)


def _by_kind(findings: Iterable[Finding]) -> dict[Kind, Finding | None]:
    found: dict[Kind, Finding | None] = dict.fromkeys(_LASTS)
    for each in findings:
        kind = _ABOUT.get(each.about)
        if kind and (each.state == "wrong" or (each.state == "note" and kind in _ALSO_NOTES)):
            found[kind] = each
    return found


def _name(kind: Kind) -> installation.HeartbeatName:
    return installation.ALERTS[kind]
