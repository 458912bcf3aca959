"""Tests for the result of each check on both sides of every limit, from one look, the settings and the clock alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.config import Settings
from bot.monitoring import checks
from bot.monitoring.checks import Finding
from bot.store.glance import Beat, Glance, Queue
from tests.moderator.table import CONFIG, make_settings

NOW = datetime(2026, 11, 24, 20, tzinfo=UTC)
SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
BARELY = timedelta(microseconds=1)
MB = 1_000_000


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make_settings(tmp_path, CONFIG + "\n[monitoring]\ncanary_minutes = 60\n")


def beats(**ages: timedelta | None) -> Glance:
    """Return a glance with a heartbeat of each age."""
    return Glance(beats={name: Beat(NOW - age) for name, age in ages.items() if age is not None})


@pytest.mark.parametrize(
    ("loop", "mailbox", "state", "told"),
    [
        (None, None, "wrong", "`mentat run` has never run here"),
        (45 * SECOND, None, "well", "it ran 45 s ago"),
        (45 * SECOND + BARELY, None, "wrong", "it last ran 45 s ago: `mentat run` has stopped or is stuck"),
        (None, 15 * MINUTE, "well", "there is none: single commands do the work"),
        (None, 15 * MINUTE + BARELY, "wrong", "`mentat run` has never run here"),
        (16 * MINUTE, MINUTE, "wrong", "it last ran 16 minutes ago: `mentat run` has stopped or is stuck"),
        (17 * MINUTE, MINUTE, "well", "there is none: single commands do the work"),
    ],
)
def test_the_main_loop_turns_or_commands_do_its_work(
    settings: Settings, loop: timedelta | None, mailbox: timedelta | None, state: str, told: str
) -> None:
    found = checks.main_loop(beats(loop=loop, mailbox=mailbox), settings, NOW)
    assert (found.about, found.state, found.told) == ("main loop", state, told)


@pytest.mark.parametrize(
    ("loop", "mailbox", "commands"),
    [
        (None, None, False),
        (MINUTE, None, False),
        (None, MINUTE, True),
        (16 * MINUTE, MINUTE, False),
        (16 * MINUTE + BARELY, MINUTE, True),
        (MINUTE, 16 * MINUTE, False),
    ],
)
def test_commands_do_the_work_where_the_mailbox_is_read_long_after_the_last_turn_of_the_loop(
    loop: timedelta | None, mailbox: timedelta | None, commands: bool
) -> None:
    assert checks.by_commands(beats(loop=loop, mailbox=mailbox)) is commands


def test_a_mailbox_is_late_after_three_polls_and_a_minute(settings: Settings) -> None:
    late = 3 * timedelta(seconds=max(settings.mailbox.poll_seconds, 60)) + MINUTE
    states = [
        checks.mailbox(beats(loop=SECOND, mailbox=age), settings, NOW).state for age in (late, late + BARELY, None)
    ]
    assert states == ["well", "wrong", "wrong"]
    assert checks.mailbox(beats(mailbox=15 * MINUTE), settings, NOW).state == "well", "commands read it"
    assert checks.mailbox(beats(mailbox=15 * MINUTE + BARELY), settings, NOW).state == "wrong"
    failing = Glance(beats={"mailbox": Beat(NOW - MINUTE, NOW - 2 * MINUTE)})
    assert checks.mailbox(failing, settings, NOW) == Finding(
        "mailbox", "wrong", "it has been unreadable since 2026-11-24 19:58 UTC; no deadline passes",
        "`mentat doctor` says why.", {"seconds": 60},
    )  # fmt: skip


def test_a_canary_is_well_until_it_is_missing(settings: Settings, tmp_path: Path) -> None:
    none, missing = Glance(), Glance(beats={"canary": Beat(NOW - DAY, NOW)})
    told = [(found.state, found.told) for found in (checks.canary(seen, settings) for seen in (
        none, beats(canary=DAY), missing,
    ))]  # fmt: skip
    assert told == [
        ("well", "no mail from Mentat to itself has come back yet"),
        ("well", "a mail from Mentat to itself last came back at 2026-11-23 20:00 UTC"),
        ("wrong", "no mail that Mentat sent to itself has come back since 2026-11-23 20:00 UTC; no deadline passes"),
    ]
    unwanted = make_settings(tmp_path, CONFIG + "\n[monitoring]\ncanary_minutes = 0\n")
    assert checks.canary(missing, unwanted) == Finding("canary", "well", "Mentat sends no mail to itself")


@pytest.mark.parametrize(
    ("age", "told"), [(12 * SECOND, False), (13 * SECOND, True), (5 * MINUTE, True), (6 * MINUTE, False)]
)
def test_a_worker_that_is_frozen_is_told_of_until_it_is_forgotten(
    settings: Settings, age: timedelta, told: bool
) -> None:
    seen = Glance(workers={"worker-1": NOW, "worker-2": NOW - age})
    found = [each for each in checks.all_checks(seen, settings, NOW) if each.about == "workers"]
    assert [each.state for each in found] == ["note"] * told
    assert all("worker-2" in each.told for each in found)


def test_mail_that_waits_for_a_worker_is_late_after_a_quarter_of_an_hour() -> None:
    queues = [Queue(), Queue(2, NOW - 15 * MINUTE), Queue(1, NOW - 15 * MINUTE - BARELY), Queue(2, NOW - 20 * MINUTE)]
    found = [checks.inbox(Glance(mail=queue), NOW) for queue in queues]
    assert [(each.state, each.told, each.facts) for each in found] == [
        ("well", "no mail waits for a worker", {}),
        ("well", "mail is being read", {}),
        ("wrong", "1 mail waiting for a worker, the oldest since 2026-11-24 19:44 UTC", {"mails": 1}),
        ("wrong", "2 mails waiting for a worker, the oldest since 2026-11-24 19:40 UTC", {"mails": 2}),
    ]


@pytest.mark.parametrize(
    ("age", "last_sent", "state"),
    [
        (15 * MINUTE, None, "well"),
        (15 * MINUTE + BARELY, None, "wrong"),
        (15 * MINUTE + BARELY, MINUTE, "note"),
        (20 * MINUTE, 19 * MINUTE, "wrong"),
    ],
)
def test_letters_are_late_after_a_quarter_of_an_hour(age: timedelta, last_sent: timedelta | None, state: str) -> None:
    sent = None if last_sent is None else NOW - last_sent
    assert checks.outbox(Glance(letters=Queue(3, NOW - age), last_sent=sent), NOW).state == state


@pytest.mark.parametrize(
    ("late", "seen", "state", "told"),
    [
        (None, {"loop": SECOND}, "well", "none is overdue"),
        (-MINUTE, {"loop": SECOND}, "well", "none is overdue"),
        (5 * MINUTE, {"loop": SECOND}, "well", "one is 5 minutes late"),
        (6 * MINUTE, {"loop": SECOND}, "wrong", "a default has been overdue for 6 minutes"),
        (15 * MINUTE, {"mailbox": SECOND}, "well", "one is 15 minutes late"),
        (16 * MINUTE, {"mailbox": SECOND}, "wrong", "a default has been overdue for 16 minutes"),
    ],
)
def test_deadlines_are_late_after_five_minutes_and_where_commands_do_the_work_after_fifteen(
    settings: Settings, late: timedelta | None, seen: dict[str, timedelta], state: str, told: str
) -> None:
    since = None if late is None else NOW - late
    found = checks.deadlines(Glance(beats=beats(**seen).beats, overdue_since=since), settings, NOW)
    seconds = max(int(late.total_seconds()), 0) if late else 0
    assert (found.state, found.told, found.facts) == (state, told, {"seconds": seconds})


@pytest.mark.parametrize("failing", ["mailbox", "canary"])
def test_no_deadline_is_late_while_no_mail_comes_in(settings: Settings, failing: str) -> None:
    seen = Glance(beats={"loop": Beat(NOW), failing: Beat(NOW, NOW - DAY)}, overdue_since=NOW - DAY)
    assert checks.deadlines(seen, settings, NOW).told == "none passes while no mail comes in"
    other = Glance(beats={"loop": Beat(NOW), "forum": Beat(NOW, NOW - DAY)}, overdue_since=NOW - DAY)
    assert checks.deadlines(other, settings, NOW).state == "wrong"


def test_what_keeps_nobody_waiting_is_noted(settings: Settings) -> None:
    assert list(checks.noteworthy(Glance(), settings)) == []
    seen = Glance(games={"held": 1, "running": 9}, faults=2, forums={"unknown": NOW})
    assert [(each.about, each.state, each.told, each.facts) for each in checks.noteworthy(seen, settings)] == [
        ("games", "note", "1 game held", {"held": 1}),
        ("mails", "note", "2 mails put aside in the last day because of a fault in the program", {"faults": 2}),
    ]


@pytest.mark.parametrize(
    ("sizes", "free", "days"),
    [
        ({}, 100, None),
        ({"2026-11-20": 50}, 100, None),
        ({"2026-11-20": 50, "2026-11-22": 50}, 100, None),
        ({"2026-11-20": 60, "2026-11-22": 50}, 100, None),
        ({"2026-11-22": 70, "2026-11-20": 50}, 100, 10),
        ({"2026-11-20": 50, "2026-11-21": 90, "2026-11-24": 90}, 105, 10),
    ],
)
def test_the_room_lasts_as_long_as_the_pace_of_the_last_days_says(
    sizes: dict[str, float], free: int, days: int | None
) -> None:
    seen = Glance(measured={("disk_used", day): size for day, size in sizes.items()} | {("certificate", "x"): 1})
    assert checks.days_left(free, seen) == days


@pytest.mark.parametrize(
    ("free", "pace", "state", "facts"),
    [
        (50 * MB - 1, 0, "wrong", {}),
        (50 * MB, 0, "note", {}),
        (500 * MB - 1, 0, "note", {}),
        (500 * MB, 0, "well", {}),
        (1400 * MB, 100 * MB, "well", {"days": 14}),
        (1399 * MB, 100 * MB, "note", {"days": 13}),
    ],
)
def test_a_disk_is_full_or_fills_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, pace: int, state: str, facts: dict[str, int]
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    seen = Glance(measured={("disk_used", "2026-11-20"): 0, ("disk_used", "2026-11-21"): pace})
    found = checks.disk(tmp_path, seen)
    assert (found.state, found.facts) == (state, {"free_bytes": free, **facts})
    assert found.told.startswith(f"{free / MB:,.0f} MB are free at {tmp_path}")
    assert ("13 days at the recent rate" in found.told) is (facts.get("days") == 13)


def test_a_certificate_is_noted_two_weeks_before_it_runs_out() -> None:
    found = [checks.certificate("smtp", (NOW + left).timestamp(), NOW, "mx") for left in (
        14 * DAY, 14 * DAY - SECOND, DAY, timedelta(), -SECOND,
    )]  # fmt: skip
    assert [(each.about, each.state, each.told, each.facts["days"]) for each in found] == [
        ("smtp: TLS", "well", "the certificate is trusted, issued for mx and valid for 14 more days", 14),
        ("smtp: TLS", "note", "the certificate is trusted, issued for mx and valid for 13 more days", 13),
        ("smtp: TLS", "note", "the certificate is trusted, issued for mx and valid for 1 more day", 1),
        ("smtp: TLS", "note", "the certificate is trusted, issued for mx and valid for 0 more days", 0),
        ("smtp: TLS", "wrong", "the certificate expired on 2026-11-24", -1),
    ]
    seen = Glance(measured={("certificate", "smtp"): NOW.timestamp(), ("certificate", "mailbox"): NOW.timestamp(),
                            ("disk_used", "2026-11-24"): 1})  # fmt: skip
    assert [each.about for each in checks.certificates(seen, NOW)] == ["mailbox: TLS", "smtp: TLS"]


@pytest.mark.parametrize(
    ("span", "told"),
    [
        (-MINUTE, "0 s"), (119 * SECOND, "119 s"), (120 * SECOND, "2 minutes"), (119 * MINUTE, "119 minutes"),
        (120 * MINUTE, "2 hours"), (2 * DAY - SECOND, "47 hours"), (2 * DAY, "2 days"), (9 * DAY, "9 days"),
    ],
)  # fmt: skip
def test_a_time_is_told_in_its_largest_unit(settings: Settings, span: timedelta, told: str) -> None:
    seen = Glance(beats={"mailbox": Beat(NOW - span), "loop": Beat(NOW)})
    assert f"{told} ago" in checks.mailbox(seen, settings, NOW).told


def test_a_database_that_is_held_is_wrong() -> None:
    held = Glance(held_since=NOW, held_why="restored")
    told = "it was restored and has been held since 2026-11-24 20:00 UTC: nothing is read, sent or posted"
    assert (checks.held(held).state, checks.held(held).told) == ("wrong", told)
    assert checks.held(Glance()).state == "well"


def test_every_check_is_made_and_a_disk_is_watched_where_the_database_is_a_file(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Glance | None] = []
    disk: Callable[..., Finding] = checks.disk

    def watched(folder: Path, seen: Glance | None = None) -> Finding:
        made.append(seen)
        return disk(folder, seen)

    monkeypatch.setattr(checks, "disk", watched)
    seen = Glance(faults=1, measured={("certificate", "smtp"): NOW.timestamp()})
    abouts = [each.about for each in checks.all_checks(seen, settings, NOW)]
    assert abouts == [
        "database", "main loop", "mailbox", "canary", "inbox", "outbox", "deadlines", "mails", "disk", "smtp: TLS",
    ]  # fmt: skip
    assert made == [None if settings.database.url else seen]
