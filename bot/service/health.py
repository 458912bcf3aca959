"""The output of `mentat health` and `mentat metrics`.

`mentat health` says whether Mentat is ready (the database can be used) and live (the main loop is running), and lists
the findings of all checks.

`mentat metrics` prints measurements of Mentat's work in the text format of Prometheus (exposition format 0.0.4). No
label names a game, a person or a faction, so the number of series stays small and readers learn no secrets. Counts are
read from the database, so they survive the process and are the same for every reader. Names follow the conventions of
Prometheus: base units (seconds, bytes), and ``_total`` for counters.

Both commands read the database through ``bot.store.glance``, without SQLAlchemy, because they are run every minute.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from bot.config.sections import Settings
from bot.monitoring import checks
from bot.monitoring.checks import LAG_BOUNDS, Finding
from bot.store.glance import CannotLook, Glance, count_messages, damage, look, opened_read_only, take_glance


@dataclass(frozen=True, slots=True)
class Health:
    findings: Sequence[Finding]

    @property
    def well(self) -> bool:
        return not self._with("wrong")

    @property
    def ready(self) -> bool:
        """Return True if the database responds, has the schema of this Mentat, and is not held."""
        return all(found.state != "wrong" for found in self.findings if found.about == "database")

    @property
    def live(self) -> bool:
        return any(found.state == "well" for found in self.findings if found.about == "main loop")

    @property
    def line(self) -> str:
        wrong, notes = self._with("wrong"), self._with("note")
        if wrong:
            return f"wrong: {_told([*wrong, *notes])}"
        if notes:
            return f"well, but note: {_told(notes)}"
        return f"well: {_told([found for found in self.findings if found.about in ('main loop', 'mailbox', 'outbox')])}"

    def _with(self, state: str) -> list[Finding]:
        return [found for found in self.findings if found.state == state]


def health(settings: Settings, now: datetime) -> Health:
    try:
        seen = look(settings.database_place, now)
        if not settings.database.url and (damaged := damage(settings.mentat.database)):
            raise CannotLook(f"the database {settings.mentat.database} is damaged ({damaged})")
    except CannotLook as problem:
        advice = "" if problem.reachable else "`mentat doctor` says more."
        return Health(
            [Finding("database", "wrong", str(problem), advice), checks.disk(settings.mentat.database.parent)]
        )
    return Health(list(checks.all_checks(seen, settings, now)))


def _told(findings: Sequence[Finding]) -> str:
    return "; ".join(f"{found.about}: {found.told}" for found in findings)


MetricKind = Literal["counter", "gauge", "histogram"]
_STATUSES = ("running", "held", "over")
_LEADERS_FRESH = checks.LOOP_LATE
_WORKS = {"loop": "main_loop", "service": "clock", "mailbox": "poll", "canary": "canary", "archive": "archive",
          "retention": "retention", "desk": "desk", "ratings": "ratings"}  # fmt: skip
"""For each heartbeat, the name of the work that it reports (``bot.store.installation``)."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A family of samples. Each sample is a name suffix ("_bucket", but usually ""), its labels and its value."""

    name: str
    kind: MetricKind
    help: str
    samples: list[tuple[str, Mapping[str, str], float]] = field(default_factory=list)

    def add(self, value: float, *, ending: str = "", **labels: str) -> Metric:
        """Add a sample, and return the family so that calls can be chained. ``ending`` is the suffix of the sample's
        name."""
        self.samples.append((ending, labels, value))
        return self


def metrics(settings: Settings, now: datetime) -> str:
    """Return all metrics as text. If the database cannot be read, return only ``mentat_database_up 0``."""
    try:
        with opened_read_only(settings.database_place) as rows:
            seen, kept = take_glance(rows, now), count_messages(rows)
            size = rows(_SIZE_QUERIES["postgresql" if settings.database.url else "sqlite"])[0][0]
    except CannotLook:
        return metrics_text([_up(0)])
    return metrics_text(
        [_up(1), *_all_metrics(seen, settings, now), _messages(kept), *_disk(settings, seen, int(size))]
    )


_SIZE_QUERIES = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    "postgresql": "SELECT pg_database_size(current_database())",
}


def metrics_text(families: list[Metric]) -> str:
    """Render families of samples as text.

    >>> print(metrics_text([Metric("mentat_games", "gauge", "Games.").add(3, status="running")]), end="")
    # HELP mentat_games Games.
    # TYPE mentat_games gauge
    mentat_games{status="running"} 3
    """
    return "".join(f"{line}\n" for family in families if family.samples for line in _metric_lines(family))


def _metric_lines(family: Metric) -> Iterator[str]:
    yield f"# HELP {family.name} {_escaped(family.help)}"
    yield f"# TYPE {family.name} {family.kind}"
    for ending, labels, value in family.samples:
        told = ",".join(f'{name}="{_escaped(given, quoted=True)}"' for name, given in labels.items())
        yield f"{family.name}{ending}{f'{{{told}}}' if told else ''} {_number(value)}"


def _escaped(text: str, *, quoted: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quoted else text


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) else repr(float(value))


# --- the families ---------------------------------------------------------------------------------------------------


def _up(value: int) -> Metric:
    return Metric("mentat_database_up", "gauge", "Whether the database answers with the right schema.").add(value)


def _all_metrics(seen: Glance, settings: Settings, now: datetime) -> Iterator[Metric]:
    found = Health(list(checks.all_checks(seen, settings, now)))
    yield Metric("mentat_healthy", "gauge", "Whether `mentat health` finds nothing wrong.").add(found.well)
    yield Metric("mentat_held", "gauge", "Whether the whole database is held, as a restored copy is.").add(
        seen.held_since is not None
    )
    games = Metric("mentat_games", "gauge", "Games by status.")
    for status in sorted({*_STATUSES, *seen.games}):
        games.add(seen.games.get(status, 0), status=status)
    yield games
    yield Metric("mentat_letters_pending", "gauge", "Letters in the outbox that are not sent yet.").add(
        seen.letters.waiting
    )
    oldest = Metric("mentat_oldest_pending_seconds", "gauge", "The age of the oldest item that waits, or 0.")
    waits = {"letters": seen.letters.oldest, "mail": seen.mail.oldest, "deadlines": seen.overdue_since}
    for queue, since in waits.items():
        oldest.add(max((now - since).total_seconds(), 0) if since else 0, queue=queue)
    yield oldest
    yield _lags(seen)
    up = Metric("mentat_channel_up", "gauge", "Whether a channel works: the mailbox, the canary, each forum.")
    for name in ("mailbox", "canary"):
        if beat := seen.beats.get(name):
            up.add(beat.failing_since is None, channel=name)
    for forum in sorted(settings.forums):
        up.add(seen.forums.get(forum) is None, channel=f"forum {forum}")
    yield up
    success = Metric("mentat_last_success_timestamp_seconds", "gauge", "When each kind of work last succeeded.")
    for name, work in _WORKS.items():
        if beat := seen.beats.get(name):
            success.add(beat.at.timestamp(), work=work)
    if seen.last_sent:
        success.add(seen.last_sent.timestamp(), work="send")
    yield success
    yield _leaders(seen, now)
    faults = Metric("mentat_faults_total", "counter", "Errors that were logged, by part of the program.")
    until = Metric("mentat_certificate_not_after_timestamp_seconds", "gauge", "When each certificate expires.")
    for (name, label), value in sorted(seen.measured.items()):
        if name == "faults":
            faults.add(value, kind=label)
        elif name == "certificate":
            until.add(value, server=label)
    yield from (faults, until)


def _lags(seen: Glance) -> Metric:
    """Return the histogram of how late defaults were applied. Its buckets are cumulative."""
    lags = Metric("mentat_deadline_lag_seconds", "histogram", "How late defaults were applied after deadlines.")
    so_far = 0.0
    for bound in (*map(str, LAG_BOUNDS), "+Inf"):
        so_far += seen.measured.get(("deadline_lag", bound), 0)
        lags.add(so_far, ending="_bucket", le=bound)
    lags.add(seen.measured.get(("deadline_lag_sum", ""), 0), ending="_sum")
    return lags.add(so_far, ending="_count")


def _leaders(seen: Glance, now: datetime) -> Metric:
    leads = Metric("mentat_leader", "gauge", "Whether a running process leads this kind of work.")
    alive = {name for name, at in seen.workers.items() if now - at <= _LEADERS_FRESH}
    for work, holder in sorted(seen.leaders.items()):
        leads.add(holder in alive, work=work.replace(" ", "_"))
    if not seen.leaders:
        beat = seen.beats.get("loop")
        leads.add(beat is not None and now - beat.at <= _LEADERS_FRESH, work="everything")
    return leads


def _messages(kept: Mapping[str, int]) -> Metric:
    family = Metric("mentat_messages_total", "counter", "Mails that were received, by outcome.")
    for disposition, count in sorted(kept.items()):
        if disposition != "waiting":
            family.add(count, disposition=disposition)
    return family


def _disk(settings: Settings, seen: Glance, size: int) -> Iterator[Metric]:
    yield Metric("mentat_db_bytes", "gauge", "The size of the database on its disk.").add(size)
    folder = settings.mentat.database.parent
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return
    yield Metric("mentat_disk_free_bytes", "gauge", "The free disk space where Mentat keeps its files.").add(free)
    days = None if settings.database.url else checks.days_left(free, seen)
    if days is not None:
        left = Metric("mentat_disk_left_seconds", "gauge", "How long the free space lasts at the recent pace.")
        yield left.add(days * 86_400)
