"""Tests that Prometheus can read `mentat metrics` from a file or server, and that no label reveals a secret."""

from __future__ import annotations

import re
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert

from bot.config import ForumSettings
from bot.monitoring import checks, logs
from bot.monitoring.logs import Counters, count_fault, count_lag
from bot.service.health import Metric, metrics, metrics_text
from bot.store import forum_threads, installation, mail
from bot.store.database import reading, writing
from bot.store.installation import LEADER, WORKER
from bot.store.tables import MEASUREMENT
from tests.moderator.table import World
from tests.monitoring import promtool
from tests.monitoring.test_health import DAY, SECOND, a_letter, at_work, run

LABELS = {"status", "queue", "le", "channel", "work", "disposition", "kind", "server"}


@pytest.fixture(autouse=True)
def _nothing_counted_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_COUNTERS", Counters())


def samples(text: str) -> dict[str, float]:
    """Return the printed values by name and labels."""
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line[0] != "#"}


def told(world: World) -> dict[str, float]:
    return samples(metrics(world.settings, world.now))


def lived(world: World) -> None:
    """Give every metric a value: a game, mail, letters, faults and passed deadlines."""
    world.settings = world.settings.model_copy(update={"forums": {"arrakis": ForumSettings(kind="paste")}})
    world.new_game()
    at_work(world)
    world.say("guild", "status")
    world.wait(25)
    a_letter(world)
    count_fault("outbox")
    logs.write_counts(world.engine)
    with writing(world.engine) as conn:
        installation.note_failure(conn, "canary", world.now)
        forum_threads.put_forum_state(conn, forum_threads.ForumState("arrakis", failing_since=world.now))
        forum_threads.put_forum_state(conn, forum_threads.ForumState("left", failing_since=world.now))
        installation.set_measurement(conn, "certificate", "mailbox", 1_800_000_000)
        installation.set_measurement(conn, "disk_used", "2024-11-20", 1_000)
        installation.set_measurement(conn, "disk_used", "2024-11-25", 900_000)


def test_promtool_finds_nothing_to_complain_of(either: World) -> None:
    promtool.check_metrics(metrics(either.settings, either.now))
    lived(either)
    promtool.check_metrics(metrics(either.settings, either.now))


def test_what_is_told_is_what_the_database_holds(either: World) -> None:
    lived(either)
    found = told(either)
    assert found["mentat_database_up"] == 1
    assert found['mentat_games{status="running"}'] == 1
    assert found['mentat_games{status="held"}'] == 0
    assert found['mentat_messages_total{disposition="orders"}'] == 1
    assert found["mentat_letters_pending"] == either.written()
    assert found['mentat_oldest_pending_seconds{queue="letters"}'] == 25 * 3600
    assert found['mentat_channel_up{channel="mailbox"}'] == 1
    assert found['mentat_channel_up{channel="canary"}'] == 0
    assert found['mentat_channel_up{channel="forum arrakis"}'] == 0
    assert 'mentat_channel_up{channel="forum left"}' not in found
    assert found['mentat_last_success_timestamp_seconds{work="poll"}'] == either.now.timestamp() - 25 * 3600
    assert found['mentat_faults_total{kind="outbox"}'] == 1
    assert found['mentat_certificate_not_after_timestamp_seconds{server="mailbox"}'] == 1_800_000_000
    assert found["mentat_db_bytes"] > 100_000
    assert found["mentat_disk_free_bytes"] > 0


def test_who_does_what_one_does_at_a_time_is_told_for_as_long_as_they_are_seen(world: World) -> None:
    at_work(world)
    assert told(world)['mentat_leader{work="everything"}'] == 1
    world.now += checks.LOOP_LATE
    assert told(world)['mentat_leader{work="everything"}'] == 1
    world.now += SECOND
    assert told(world)['mentat_leader{work="everything"}'] == 0
    worker = {"role": "worker", "host": "sietch", "version": "1", "started_at": world.now}
    with writing(world.engine) as conn:
        conn.execute(insert(WORKER), [
            worker | {"name": "fresh", "seen_at": world.now - checks.LOOP_LATE},
            worker | {"name": "gone", "seen_at": world.now - checks.LOOP_LATE - SECOND},
        ])  # fmt: skip
        conn.execute(insert(LEADER), [
            {"work": work, "number": 1, "holder": holder, "since": world.now}
            for work, holder in (("reading mail", "fresh"), ("ticking", "gone"), ("publishing", "nobody"))
        ])  # fmt: skip
    assert {name: value for name, value in told(world).items() if name.startswith("mentat_leader")} == {
        'mentat_leader{work="reading_mail"}': 1,
        'mentat_leader{work="ticking"}': 0,
        'mentat_leader{work="publishing"}': 0,
    }


def test_a_mail_that_waits_to_be_proved_is_not_counted_yet(world: World) -> None:
    dispositions: tuple[mail.Disposition, ...] = ("waiting", "orders", "orders")
    with writing(world.engine) as conn:
        for number, disposition in enumerate(dispositions):
            keys = mail.DeduplicationKeys(f"k{number}", f"d{number}")
            mail.keep_message(conn, mail.Message(keys, "", disposition, "", b""), world.now)
    assert {name: value for name, value in told(world).items() if name.startswith("mentat_messages")} == {
        'mentat_messages_total{disposition="orders"}': 2
    }


def test_the_lag_of_deadlines_is_counted_where_silence_answers(either: World) -> None:
    either.new_game()
    at_work(either)
    table = either.table()
    until = max(deadline.until for deadline in table.deadlines.values())
    questions = len(table.deadlines)
    either.now = until + 100 * SECOND
    either.moderator.timekeeper.tick(either.now)
    logs.write_counts(either.engine)
    found = told(either)
    assert found['mentat_deadline_lag_seconds_bucket{le="60"}'] == 0
    assert found['mentat_deadline_lag_seconds_bucket{le="120"}'] == questions
    assert found['mentat_deadline_lag_seconds_bucket{le="+Inf"}'] == questions
    assert found["mentat_deadline_lag_seconds_count"] == questions
    assert found["mentat_deadline_lag_seconds_sum"] == pytest.approx(100 * questions, abs=1)


@pytest.mark.parametrize(("seconds", "bound"), [(-5, "1"), (1, "1"), (1.1, "5"), (30, "30"), (10**6, "+Inf")])
def test_a_lag_is_counted_under_the_smallest_bound_that_holds_it(world: World, seconds: float, bound: str) -> None:
    count_lag(timedelta(seconds=seconds))
    logs.write_counts(world.engine)
    with reading(world.engine) as conn:
        rows = conn.execute(MEASUREMENT.select().where(MEASUREMENT.c.name == "deadline_lag")).all()
    assert [(row.label, row.value) for row in rows] == [(bound, 1)]


def test_counts_of_several_processes_add_up_and_survive_a_database_that_refuses(either: World) -> None:
    first, second = Counters(), Counters()
    first.add("faults", "outbox", 2)
    second.add("faults", "outbox")
    second.add("faults", "forum")
    first.write(either.engine)
    with pytest.MonkeyPatch.context() as refused:
        refused.setattr(installation, "add_measurements", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            second.write(either.engine)
    second.write(either.engine)
    second.write(either.engine)
    found = told(either)
    assert (found['mentat_faults_total{kind="outbox"}'], found['mentat_faults_total{kind="forum"}']) == (3, 1)


def test_what_is_logged_as_an_error_is_counted_by_what_it_is_about(world: World, tmp_path: Path) -> None:
    import logging

    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        logs.begin(world.settings.log.model_copy(update={"file": tmp_path / "log"}))
        logging.getLogger("bot.service.loop").error("away", extra=logs.about("mailbox.unavailable"))
        logging.getLogger("bot.archive.site").error("broken")
        logging.getLogger("bot.archive.site").warning("no fault")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    logs.write_counts(world.engine)
    assert {name for name in told(world) if "faults" in name} == {
        'mentat_faults_total{kind="mailbox"}', 'mentat_faults_total{kind="archive"}',
    }  # fmt: skip


def test_no_label_names_a_game_a_person_or_a_faction(either: World) -> None:
    lived(either)
    text = metrics(either.settings, either.now)
    assert set(re.findall(r"[{,]([a-z_]+)=", text)) <= LABELS
    assert not re.search("sietch|guild|harkonnen|players|arrakis.example", text)


def test_of_a_database_that_is_not_there_only_that_is_told(world: World) -> None:
    world.engine.dispose()
    world.settings.mentat.database.unlink()
    assert told(world) == {"mentat_database_up": 0}


def test_strange_labels_are_escaped_and_infinity_is_written_as_prometheus_writes_it() -> None:
    text = metrics_text([Metric("a", "gauge", 'of "b"\nand \\').add(float("inf"), kind='b"\n\\').add(0.25)])
    assert text.splitlines()[0] == '# HELP a of "b"\\nand \\\\'
    assert text.splitlines()[2:] == ['a{kind="b\\"\\n\\\\"} +Inf', "a 0.25"]


def test_a_file_is_replaced_as_a_whole_and_for_everybody_to_read(either: World, tmp_path: Path) -> None:
    folder = tmp_path / "collector"
    folder.mkdir()
    file = folder / "mentat.prom"
    file.write_text("before\n")
    done = run(either, "metrics", "--file", str(file))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert file.read_text().startswith("# HELP mentat_database_up")
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert list(folder.iterdir()) == [file]


def test_a_file_that_cannot_be_written_is_named_and_the_old_one_stays(world: World, tmp_path: Path) -> None:
    done = run(world, "metrics", "--file", str(tmp_path / "nowhere" / "mentat.prom"))
    assert done.returncode == 1
    assert "mentat.prom cannot be written: No such file or directory." in done.stderr


def test_the_oldest_deadline_waits_for_as_long_as_it_is_overdue(either: World) -> None:
    either.new_game()
    either.now += 40 * DAY
    assert told(either)['mentat_oldest_pending_seconds{queue="deadlines"}'] > (30 * DAY).total_seconds()
    with writing(either.engine) as conn:
        mail.note_sent(conn, range(100), either.now)
    assert told(either)['mentat_oldest_pending_seconds{queue="letters"}'] == 0
