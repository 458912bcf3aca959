"""Tests for alert mails: one per episode and one when it ends, without any details of a game."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bot.monitoring.alerts import Alerts
from bot.store import installation, mail
from bot.store.database import reading, writing
from bot.store.installation import MeasurementName
from bot.store.tables import MEASUREMENT
from tests.moderator.table import CONFIG, GAME_MASTER, Sent, World
from tests.monitoring.test_health import DAY, HOUR, MINUTE, SECOND, a_letter, at_work


def alerts(world: World, to: str = GAME_MASTER) -> list[Sent]:
    return [sent for sent in world.letters(to) if "wrong:" in sent.subject or "Solved:" in sent.subject]


def subjects(world: World) -> list[str]:
    return [sent.subject.removeprefix("[Mentat] ") for sent in alerts(world)]


def goes_by(world: World, span: timedelta, *, working: bool = True) -> None:
    """Let time pass with a check each minute; the service works unless the test says otherwise."""
    looking = Alerts(world.moderator.open_games)
    until = world.now + span
    while world.now < until:
        if working:
            at_work(world)
        looking.look(world.now)
        world.now += MINUTE


def mailbox_fails(world: World) -> None:
    with writing(world.engine) as conn:
        installation.note_failure(conn, "mailbox", world.now)
        installation.beat(conn, "loop", world.now)


def failing(world: World, span: timedelta) -> None:
    """Let the mailbox fail for a time, with a check each minute."""
    looking = Alerts(world.moderator.open_games)
    until = world.now + span
    while world.now < until:
        mailbox_fails(world)
        looking.look(world.now)
        world.now += MINUTE


def test_where_all_is_well_nobody_is_told_anything(world: World) -> None:
    goes_by(world, 2 * HOUR)
    assert alerts(world) == []


def test_a_mailbox_that_fails_for_ten_minutes_is_told_once_and_once_when_it_is_over(either: World) -> None:
    at_work(either)
    began = either.now
    failing(either, 10 * MINUTE)
    assert alerts(either) == []
    failing(either, 3 * HOUR)
    assert subjects(either) == ["Something is wrong: the mailbox cannot be read"]
    assert f"since {began:%A}" in alerts(either)[0].text or "20:00" in alerts(either)[0].text
    goes_by(either, HOUR)
    assert subjects(either)[1:] == ["Solved: the mailbox cannot be read"]
    failing(either, HOUR)
    goes_by(either, HOUR)
    assert len(alerts(either)) == 4


def test_what_was_never_at_work_is_not_missed(world: World) -> None:
    goes_by(world, HOUR, working=False)
    assert alerts(world) == []


def test_what_is_over_before_anybody_was_told_is_not_told(world: World) -> None:
    at_work(world)
    failing(world, 5 * MINUTE)
    goes_by(world, HOUR)
    assert alerts(world) == []


def test_an_episode_outlives_the_process_that_told_of_it(world: World) -> None:
    at_work(world)
    failing(world, HOUR)
    other = world.another_process()
    failing(other, HOUR)
    other.engine.dispose()
    assert len(alerts(world)) == 1


def test_a_stuck_loop_is_told_by_the_thread_that_still_lives(world: World) -> None:
    at_work(world)
    goes_by(world, 4 * MINUTE, working=False)
    assert "Something is wrong: Mentat does not read mail" in subjects(world)
    goes_by(world, 5 * MINUTE)
    assert "Solved: Mentat does not read mail" in subjects(world)


def test_that_letters_do_not_go_out_is_logged_and_told_when_they_do(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    a_letter(world)
    goes_by(world, 2 * HOUR)
    assert alerts(world) == []
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "outbox: 1 letter waits to go out, the oldest since 2024-11-26 20:00 UTC"
    ]
    with writing(world.engine) as conn:
        mail.note_sent(conn, [1], world.now)
    goes_by(world, 5 * MINUTE)
    assert subjects(world) == ["Solved: letters do not go out"]


def test_deadlines_that_do_not_pass_are_told_after_ten_minutes(world: World) -> None:
    world.new_game()
    world.now += 2 * DAY
    goes_by(world, 4 * MINUTE)
    assert alerts(world) == []
    goes_by(world, 4 * MINUTE)
    assert subjects(world) == ["Something is wrong: deadlines do not pass"]


@pytest.mark.parametrize(("measure", "label", "value", "about"), [
    ("certificate", "smtp", lambda world: (world.now + 5 * DAY).timestamp(), "the certificate of a mail server"),
    ("disk_used", "2024-11-20", lambda world: -1e18, "too little room on the disk"),
])  # fmt: skip
def test_what_ends_within_two_weeks_is_told_once(
    world: World, measure: MeasurementName, label: str, value: Callable[[World], float], about: str
) -> None:
    with writing(world.engine) as conn:
        installation.set_measurement(conn, measure, label, value(world))
    goes_by(world, 3 * MINUTE)
    assert subjects(world) == [f"Something is wrong: {about}"]


def test_whoever_looks_after_the_machine_hears_it_if_that_is_somebody_else(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + '[monitoring]\noperator = "ops@arrakis.example"\n')
    at_work(world)
    failing(world, HOUR)
    assert (len(alerts(world, "ops@arrakis.example")), alerts(world)) == (1, [])
    world.engine.dispose()


def test_nobody_hears_anything_where_that_is_not_wanted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    world = World.at(tmp_path, CONFIG + "[monitoring]\nalerts = false\n")
    at_work(world)
    failing(world, HOUR)
    assert alerts(world) == []
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] != []
    world.engine.dispose()


def test_an_alert_names_no_game_and_no_person(world: World) -> None:
    world.new_game()
    a_letter(world)
    at_work(world)
    failing(world, HOUR)
    world.now += 10 * DAY
    goes_by(world, HOUR)
    with writing(world.engine) as conn:
        mail.note_sent(conn, range(100), world.now)
    goes_by(world, HOUR)
    assert len(alerts(world)) >= 4
    for sent in alerts(world):
        for secret in ("sietch", "players.example", "harkonnen", "guild"):
            assert secret not in (sent.subject + sent.text).lower()


def test_the_size_of_the_database_is_kept_once_a_day_for_two_weeks(either: World) -> None:
    for _ in range(20):
        goes_by(either, 2 * MINUTE)
        either.now += DAY
    with reading(either.engine) as conn:
        rows = conn.execute(MEASUREMENT.select().where(MEASUREMENT.c.name == "disk_used")).all()
    assert len(rows) == 15
    assert all(row.value > 100_000 for row in rows)


def test_an_instant_that_somebody_made_up_tells_nobody_anything(world: World) -> None:
    at_work(world)
    world.moderator.timekeeper.tick(world.now + 30 * DAY)
    assert alerts(world) == []


def test_a_tick_at_the_present_looks_whether_all_is_well(world: World) -> None:
    at_work(world)
    mailbox_fails(world)
    for _ in range(13):
        world.moderator.timekeeper.tick_now(world.now)
        world.now += MINUTE + SECOND
        mailbox_fails(world)
    assert subjects(world) == ["Something is wrong: the mailbox cannot be read"]
