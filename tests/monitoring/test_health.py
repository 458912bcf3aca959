"""Tests for `mentat health`: one line, from one read-only look, with a database file or server."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from bot.config import ForumSettings
from bot.games import notices
from bot.monitoring import checks
from bot.monitoring.checks import Finding
from bot.service.health import Health, health
from bot.service.machine import utc_now
from bot.store import glance, installation, mail
from bot.store.database import open_database, reading, writing
from bot.store.glance import connection_failure
from bot.store.installation import INSTALLATION
from bot.store.tables import DEADLINE, GAME, MESSAGE
from tests.end_to_end.service_process import ROOT, command, environment
from tests.moderator.table import GAME_MASTER, START, World
from tests.old_databases.next_schema import next_schema as next_schema

SECOND, MINUTE, HOUR, DAY = (timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))


def at_work(world: World) -> None:
    """Record that the service ran and read the mailbox just now."""
    with writing(world.engine) as conn:
        for name in ("loop", "service", "mailbox"):
            installation.beat(conn, name, world.now)


def seen(world: World, about: str) -> Finding:
    (found,) = (each for each in health(world.settings, world.now).findings if each.about == about)
    return found


def a_letter(world: World, number: int = 1) -> None:
    letter = mail.Letter(f"<{number}@arrakis.example>", "a@arrakis.example", "b@players.example", "Turn 3", b"\r\n")
    with writing(world.engine) as conn:
        mail.post(conn, [letter], world.now)


def test_where_all_is_well_one_line_says_so(either: World) -> None:
    at_work(either)
    found = health(either.settings, either.now)
    assert (found.well, found.ready, found.live) == (True, True, True)
    assert found.line == "well: main loop: it ran 0 s ago; mailbox: it was read 0 s ago; outbox: no letter waits"


def test_a_loop_that_does_not_turn_any_more_is_known_within_two_minutes(either: World) -> None:
    at_work(either)
    either.now += checks.LOOP_LATE + SECOND
    found = health(either.settings, either.now)
    assert (found.well, found.ready, found.live) == (False, True, False)
    assert "`mentat run` has stopped or is stuck" in found.line


def test_a_stuck_loop_stops_its_heartbeat_in_time_for_that() -> None:
    from bot.service.machine import LOOP_PATIENCE

    assert LOOP_PATIENCE + checks.LOOP_LATE.total_seconds() <= 120


def test_where_commands_do_the_work_their_reading_of_the_mailbox_counts(either: World) -> None:
    with writing(either.engine) as conn:
        installation.beat(conn, "mailbox", either.now)
    either.now += 10 * MINUTE
    assert health(either.settings, either.now).well
    either.now += 10 * MINUTE
    assert not health(either.settings, either.now).well


def test_a_database_on_which_nothing_was_ever_at_work_is_not_well(either: World) -> None:
    assert health(either.settings, either.now).line.startswith("wrong: main loop: `mentat run` has never run")


def test_a_mailbox_that_cannot_be_read_is_wrong_and_no_deadline_is_late_for_it(either: World) -> None:
    either.new_game()
    at_work(either)
    with writing(either.engine) as conn:
        installation.note_failure(conn, "mailbox", either.now)
    either.now += 5 * DAY
    with writing(either.engine) as conn:
        installation.beat(conn, "loop", either.now)
    assert seen(either, "mailbox").state == "wrong"
    assert seen(either, "deadlines").state == "well"


def test_a_mailbox_that_was_not_read_for_three_intervals_is_wrong(either: World) -> None:
    at_work(either)
    either.now += 3 * MINUTE
    assert seen(either, "mailbox").state == "well"
    either.now += 2 * MINUTE
    assert seen(either, "mailbox").state == "wrong"


def test_a_letter_that_waits_for_a_quarter_of_an_hour_is_wrong_and_noted_if_others_go_out(either: World) -> None:
    a_letter(either)
    either.now += 15 * MINUTE
    assert seen(either, "outbox").state == "well"
    either.now += MINUTE
    assert seen(either, "outbox").state == "wrong"
    a_letter(either, 2)
    with writing(either.engine) as conn:
        mail.note_sent(conn, [2], either.now)
    assert seen(either, "outbox").state == "note"
    with writing(either.engine) as conn:
        mail.note_sent(conn, [1], either.now)
    assert seen(either, "outbox").told == "no letter waits"


def test_a_deadline_that_nobody_lets_pass_is_wrong_after_five_minutes(either: World) -> None:
    either.new_game()
    at_work(either)
    with reading(either.engine) as conn:
        due = min(conn.scalars(DEADLINE.select().with_only_columns(DEADLINE.c.until)))
    either.now = due + 4 * MINUTE
    assert seen(either, "deadlines").state == "well"
    either.now = due + 6 * MINUTE
    assert seen(either, "deadlines").state == "wrong"
    for changed in ({"status": "held"}, {"stopped_at": either.now}, {"on_hold": either.now}):
        with writing(either.engine) as conn:
            conn.execute(update(GAME).values(status="running", stopped_at=None, on_hold=None))
            conn.execute(update(GAME).values(**changed))
        assert seen(either, "deadlines").told == "none is overdue"


@pytest.mark.parametrize(("poll_seconds", "state"), [(60, "wrong"), (600, "well")])
def test_deadlines_may_wait_for_two_polls_of_a_forum(world: World, poll_seconds: float, state: str) -> None:
    forum = ForumSettings(kind="paste", poll_seconds=poll_seconds)
    world.settings = world.settings.model_copy(update={"forums": {"arrakis": forum}})
    world.new_game()
    at_work(world)
    with reading(world.engine) as conn:
        world.now = min(conn.scalars(DEADLINE.select().with_only_columns(DEADLINE.c.until))) + 20 * MINUTE
    assert seen(world, "deadlines").state == state


def test_the_deadlines_of_a_game_wait_for_a_mail_that_waits_to_be_proved(either: World) -> None:
    table = either.new_game()
    at_work(either)
    either.now += 10 * DAY
    assert seen(either, "deadlines").state == "wrong"
    with writing(either.engine) as conn:
        keys = mail.DeduplicationKeys("INBOX;1;1", "digest")
        mail.keep_message(
            conn, mail.Message(keys, "", "waiting", "the DNS is away", b"", table.id, "guild"), either.now
        )
    assert seen(either, "deadlines").state == "well"


def test_a_held_game_and_a_mail_put_aside_by_a_fault_are_noted(either: World) -> None:
    either.new_game()
    at_work(either)
    with writing(either.engine) as conn:
        conn.execute(update(GAME).values(status="held"))
        mail.keep_message(
            conn, mail.Message(mail.DeduplicationKeys("k", "d"), "", "fault", "KeyError", b""), either.now
        )
    found = health(either.settings, either.now)
    assert found.well
    assert found.line.startswith("well, but note: games: 1 game held; mails: 1 mail put aside in the last day")


def test_a_database_that_is_held_is_not_ready(either: World) -> None:
    at_work(either)
    with writing(either.engine) as conn:
        conn.execute(update(INSTALLATION).values(held_since=either.now, held_why="restored"))
    found = health(either.settings, either.now)
    assert (found.well, found.ready) == (False, False)
    assert "database: it was restored and has been held since 2024-11-26 20:00 UTC" in found.line


@pytest.mark.parametrize(
    ("schema", "told"), [("0011", "is from before version 1.0.0 (schema 0011)"), ("9999", "a newer Mentat")]
)
def test_the_schema_of_another_mentat_is_wrong_and_stays_as_it_is(either: World, schema: str, told: str) -> None:
    with writing(either.engine) as conn:
        conn.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{schema}'")
    found = health(either.settings, either.now)
    assert (found.well, found.ready, found.live) == (False, False, False)
    assert told in found.line
    with reading(either.engine) as conn:
        assert conn.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one() == schema


def test_an_older_schema_is_wrong_until_it_is_upgraded(either: World, next_schema: Path) -> None:
    found = health(either.settings, either.now)
    assert "was made by an older Mentat; `mentat upgrade` upgrades it" in found.line
    assert not found.ready


def test_a_look_makes_no_database_and_waits_for_no_writer(world: World, tmp_path: Path) -> None:
    at_work(world)
    with writing(world.engine) as conn:
        installation.beat(conn, "retention", world.now)
        assert health(world.settings, world.now).well
    world.engine.dispose()
    file = world.settings.mentat.database
    file.rename(tmp_path / "away")
    assert health(world.settings, world.now).line.startswith(f"wrong: database: there is no database {file}")
    assert not file.exists()


def test_a_file_that_is_no_database_is_said_to_be_none(world: World) -> None:
    world.engine.dispose()
    for left in world.settings.mentat.database.parent.glob("mentat.db*"):
        left.unlink()
    world.settings.mentat.database.write_bytes(b"melange" * 1000)
    assert "cannot be read (file is not a database)" in health(world.settings, world.now).line


def test_an_empty_database_waits_for_its_first_command(world: World) -> None:
    world.engine.dispose()
    for left in world.settings.mentat.database.parent.glob("mentat.db*"):
        left.unlink()
    sqlite3.connect(world.settings.mentat.database).close()
    assert "has no tables yet" in health(world.settings, world.now).line


def test_the_room_on_a_disk_is_told_in_days_at_the_pace_of_the_last_ones(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work(world)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": 1_000_000_000}))
    with writing(world.engine) as conn:
        installation.set_measurement(conn, "disk_used", "2024-11-20", 1_000_000_000)
    assert "days" not in seen(world, "disk").facts
    with writing(world.engine) as conn:
        installation.set_measurement(conn, "disk_used", "2024-11-25", 1_500_000_000)
    found = seen(world, "disk")
    assert (found.state, found.facts["days"]) == ("note", 10)
    assert "enough for 10 days" in found.told
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": 40_000_000}))
    assert seen(world, "disk").state == "wrong"


@pytest.mark.parametrize(("late", "state", "told"), [
    (timedelta(0), "well", "mail is being read"),
    (15 * MINUTE, "well", "mail is being read"),
    (15 * MINUTE + SECOND, "wrong", "2 mails waiting for a worker, the oldest since 2024-11-26 20:00 UTC"),
])  # fmt: skip
def test_mail_that_no_worker_takes_for_a_quarter_of_an_hour_is_wrong(late: timedelta, state: str, told: str) -> None:
    found = checks.inbox(glance.Glance(mail=glance.Queue(2, START)), START + late)
    assert (found.state, found.told) == (state, told)
    assert found.facts == ({"mails": 2} if state == "wrong" else {})


def test_where_no_mail_waits_for_a_worker_all_is_well() -> None:
    assert checks.inbox(glance.Glance(), START).told == "no mail waits for a worker"


@pytest.mark.parametrize(("minutes", "beat", "state", "told"), [
    (0, glance.Beat(START, START), "well", "Mentat sends no mail to itself"),
    (60, None, "well", "no mail from Mentat to itself has come back yet"),
    (60, glance.Beat(START, None), "well", "a mail from Mentat to itself last came back at 2024-11-26 20:00 UTC"),
    (60, glance.Beat(START, START + HOUR), "wrong",
     "no mail that Mentat sent to itself has come back since 2024-11-26 20:00 UTC; no deadline passes"),
])  # fmt: skip
def test_whether_mails_to_itself_come_back_is_told(
    world: World, minutes: int, beat: glance.Beat | None, state: str, told: str
) -> None:
    monitoring = world.settings.monitoring.model_copy(update={"canary_minutes": minutes})
    settings = world.settings.model_copy(update={"monitoring": monitoring})
    found = checks.canary(glance.Glance(beats={"canary": beat} if beat else {}), settings)
    assert (found.state, found.told) == (state, told)


@pytest.mark.parametrize(("megabytes", "state"), [(49, "wrong"), (50, "note"), (499, "note"), (500, "well")])
def test_little_room_is_noted_and_hardly_any_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, megabytes: int, state: str
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": megabytes * 1_000_000}))
    found = checks.disk(tmp_path)
    assert (found.state, found.told) == (state, f"{megabytes} MB are free at {tmp_path}")


def test_a_certificate_is_noted_two_weeks_before_its_end_and_wrong_after_it(world: World) -> None:
    for days, state in ((20, "well"), (13, "note"), (-1, "wrong")):
        with writing(world.engine) as conn:
            installation.set_measurement(conn, "certificate", "smtp", (world.now + days * DAY).timestamp())
        assert seen(world, "smtp: TLS").state == state


def test_no_game_person_or_faction_is_named(either: World) -> None:
    either.new_game()
    a_letter(either)
    with writing(either.engine) as conn:
        conn.execute(insert(MESSAGE).values(
            key="k", digest="d", received_at=either.now, disposition="fault", sender="ann@players.example",
            game_id="sietch-12",
        ))  # fmt: skip
        notices.report_game_fault(either.moderator.writer(conn, either.now), "sietch-12", ValueError("Crysknife"))
    either.now += 10 * DAY
    told = str(health(either.settings, either.now))
    for secret in ("sietch", "players", "Crysknife", GAME_MASTER, "guild", "harkonnen"):
        assert secret not in told


def run(world: World, *words: str) -> subprocess.CompletedProcess[str]:
    config = str(world.settings.mentat.database.parent / "config.toml")
    return subprocess.run(
        command(*words, "--config", config), cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60
    )


def test_the_command_says_it_in_one_line_and_by_its_exit_status(either: World) -> None:
    told = run(either, "health")
    assert told.returncode == 1
    assert told.stdout.startswith("wrong: ")
    assert told.stdout.count("\n") == 1
    as_json: dict[str, Any] = json.loads(run(either, "health", "--json").stdout)
    assert (as_json["well"], as_json["ready"], as_json["live"]) == (False, True, False)
    assert {each["about"] for each in as_json["findings"]} >= {"database", "main loop", "mailbox", "outbox", "disk"}


def test_a_service_that_is_stopped_in_its_tracks_is_not_live_any_more(world: World) -> None:
    config = str(world.settings.mentat.database.parent / "config.toml")
    running = subprocess.Popen(
        command("run", "--config", config), cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 60
        while not (found := health(world.settings, utc_now())).well:
            assert time.monotonic() < until, found.line
            time.sleep(0.1)
        running.send_signal(signal.SIGSTOP)
        assert not health(world.settings, utc_now() + checks.LOOP_LATE + SECOND).live
        running.send_signal(signal.SIGCONT)
    finally:
        running.send_signal(signal.SIGCONT)
        running.terminate()
        assert running.wait(60) == 0


def test_the_command_loads_no_more_than_it_needs(world: World) -> None:
    done = subprocess.run(
        [command("health")[0], "-X", "importtime", *command("health", "--config", "nowhere.toml")[1:]],
        cwd=world.settings.mentat.database.parent, env=environment(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "nowhere.toml is missing" in done.stderr
    done = subprocess.run(
        [command("health")[0], "-X", "importtime", *command("health")[1:]],
        cwd=world.settings.mentat.database.parent, env=environment(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.startswith("wrong: ")
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    loaded |= {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "bot.service.health" in loaded
    assert loaded.isdisjoint({"sqlalchemy", "sqlmodel", "psycopg", "jinja2", "lark", "bot.moderator", "rules.engine"})


@pytest.mark.sqlite_only
def test_a_look_reads_no_table_from_its_beginning_to_its_end_that_grows_for_ever(world: World) -> None:
    plans: list[str] = []
    with reading(world.engine) as conn:

        def rows(sql: str) -> Any:
            plans.extend(row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}"))
            return conn.exec_driver_sql(sql).all()

        glance.take_glance(rows, world.now)
        glance.count_messages(rows)
    assert len(plans) > 10
    growing = ("letter", "message", "deadline", "event", "entry")
    whole = [plan for plan in plans if plan.startswith(tuple(f"SCAN {table}" for table in growing))]
    assert [plan for plan in whole if "COVERING INDEX" not in plan] == []


def test_while_others_read_and_write_the_answer_is_the_same(world: World) -> None:
    at_work(world)
    stop = threading.Event()

    def write() -> None:
        engine = open_database(world.settings.database_place)
        while not stop.is_set():
            with writing(engine) as conn:
                installation.beat(conn, "loop", world.now)
        engine.dispose()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        found: list[Health] = [health(world.settings, world.now) for _ in range(50)]
    finally:
        stop.set()
        writer.join()
    assert all(each.well for each in found)


def test_a_password_that_is_missing_is_named_by_its_variable() -> None:
    asked = OSError('connection to server at "::1", port 5432 failed: fe_sendauth: no password supplied\n')
    why, refused = connection_failure(asked)
    assert refused
    assert "MENTAT_DATABASE_PASSWORD is not set" in why
