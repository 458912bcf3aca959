"""Tests for several real `mentat run` processes: killed, frozen, disconnected from the server, or started together."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.moderator.moderator import Moderator
from bot.service import workers
from bot.service.machine import Liveness
from bot.service.presence import Present
from bot.store import installation
from bot.store.database import DatabaseUnavailable, reading, writing
from tests.moderator.table import World
from tests.postgresql.place import CONFIG, FEW, GAMES, PATIENCE, Begun, Place, works
from tests.postgresql_server import PostgresqlServer


def test_killed_processes_and_a_server_that_is_started_anew_lose_and_double_nothing(
    at_present: Place, server: PostgresqlServer
) -> None:
    place, dice, mails = at_present, random.Random("kills"), 0
    place.new_games(*GAMES)
    before = len(place.world.letters())
    with place.running(3) as processes:
        for serial in range(8):
            for game, faction in itertools.product(GAMES, FEW):
                place.drop(place.asks(faction, game, serial))
                mails += 1
            time.sleep(0.5)
            if serial == 4:
                server.stop()
                server.start()
            else:
                processes.pop(dice.randrange(len(processes))).kill()
                processes.append(place.run())
        place.until(lambda: place.left == 0)
        place.until(lambda: len(place.sent()) == len(place.world.letters()))
    messages = [disposition for disposition, _ in place.world.messages()]
    assert messages.count("orders") == mails == len(messages)
    letters = place.world.letters()[before:]
    assert len([letter for letter in letters if letter.faction in FEW]) >= mails
    answered = [str(letter.message["In-Reply-To"]) for letter in letters if letter.message["In-Reply-To"]]
    assert len(answered) == len(set(answered)) == mails
    with reading(place.world.engine) as conn:
        taken = [str(row[0]) for row in conn.exec_driver_sql("SELECT message_id FROM message ORDER BY id")]
    for game, faction in itertools.product(GAMES, FEW):
        own = [each for each in taken if f".{game}.{faction}@" in each]
        assert own == sorted(own)


@pytest.mark.parametrize("everything", [False, True])
def test_what_a_frozen_process_holds_is_free_soon_and_it_writes_nothing_when_it_goes_on(
    place: Place, begun: Begun, monkeypatch: pytest.MonkeyPatch, everything: bool
) -> None:
    """The process holds one game or everything; in the second case no other process can report that it is alive."""
    place.new_games(GAMES[0])
    monkeypatch.setattr("bot.service.presence.SEEN_SECONDS", 0.2)
    monkeypatch.setattr("bot.service.presence.FROZEN_SECONDS", 2.0)
    begun("worker-1")
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.environ["PGAPPNAME"] = "worker-frozen"
            moderator = place.process()
            Present(moderator.engine, "worker-frozen", lambda: datetime.now(UTC), lambda: None).begin()
            with writing(moderator.engine) if everything else writing(moderator.engine, GAMES[0]) as conn:
                conn.exec_driver_sql("UPDATE game SET turn = 9")
                os.kill(os.getpid(), signal.SIGSTOP)
        except DatabaseUnavailable:
            status = 7
        finally:
            os._exit(status)
    os.waitpid(pid, os.WUNTRACED)
    try:
        other = place.process()
        with pytest.raises(DatabaseUnavailable), writing(other.engine, GAMES[0]):
            pass
        place.until(lambda: _is_free(other), 20)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert place.world.table(GAMES[0]).play.state.turn == 1


def _is_free(moderator: Moderator) -> bool:
    try:
        with writing(moderator.engine, GAMES[0]):
            return True
    except DatabaseUnavailable:
        return False


def test_another_process_goes_on_where_one_is_frozen_and_that_one_finds_out(at_present: Place) -> None:
    place = at_present
    place.new_games(GAMES[0])
    with place.running(2) as processes:
        place.until(lambda: _leader(place, workers.READING))
        frozen = _leader(place, workers.READING)
        pid = _pid_of(place, frozen)
        os.kill(pid, signal.SIGSTOP)
        try:
            place.drop(place.asks("guild", GAMES[0], 1))
            processes.append(place.run())

            def is_read() -> bool:
                if processes[-1].poll() is not None:  # the frozen process held everything during the start
                    processes[-1] = place.run()
                return place.left == 0

            place.until(is_read)
            assert _leader(place, workers.READING) != frozen
        finally:
            os.kill(pid, signal.SIGCONT)
        place.drop(place.asks("guild", GAMES[0], 2))
        place.until(is_read)
        assert _leader(place, workers.READING) != frozen
    assert [disposition for disposition, _ in place.world.messages()] == ["orders", "orders"]


def test_a_process_alone_does_everything(at_present: Place) -> None:
    place = at_present
    place.new_games(GAMES[0])
    with place.running(1):
        place.drop(place.asks("guild", GAMES[0], 1))
        place.until(lambda: place.left == 0)
        place.until(lambda: len(place.sent()) == len(place.world.letters()))
        (name,) = place.at_work()
        place.until(lambda: _leader(place, workers.READING) == _leader(place, workers.CLOCK) == name)
    assert place.at_work() == []


def test_a_process_ends_with_no_for_an_answer_when_a_newer_mentat_has_renewed_the_database(at_present: Place) -> None:
    """After exit code 1 its supervisor starts the new version (docs/operating.md); after 2, systemd would not."""
    process = at_present.run()
    try:
        at_present.until(at_present.at_work)
        with at_present.world.engine.begin() as conn:
            conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        assert process.wait(PATIENCE) == 1
        again = at_present.run()
        assert again.wait(PATIENCE) == 1
    finally:
        process.kill()
    assert "was made by a newer Mentat" in " ".join(at_present.log.split())


def _leader(place: Place, work: str) -> str:
    with reading(place.world.engine) as conn:
        return next((each.holder for each in installation.lead_holders(conn) if each.work == work), "")


def _pid_of(place: Place, name: str) -> int:
    line = next(line for line in place.log.splitlines() if f"{name} is at work" in line)
    return int(line.rpartition(" ")[2])


def test_two_that_start_at_once_on_an_empty_database_share_the_work(empty: Callable[[], str], tmp_path: Path) -> None:
    url = empty()
    (tmp_path / "config.toml").write_text(CONFIG.format(url=url), encoding="utf-8")
    (tmp_path / ".env").write_text("MENTAT_SECRET=spice-must-flow-spice-must-flow\n", encoding="utf-8")
    command = [sys.executable, "-P", "-m", "bot", "run", "--config", str(tmp_path / "config.toml")]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    try:
        place = Place(tmp_path, url, datetime.now(UTC))
        place.new_games(GAMES[0])
        place.drop(place.asks("guild", GAMES[0], 1))
        place.until(lambda: place.left == 0 and len(place.sent()) == len(place.world.letters()))
        place.until(lambda: len(place.at_work()) == 2)
        place.world.engine.dispose()
    finally:
        for each in started:
            each.send_signal(signal.SIGTERM)
        assert [each.wait(PATIENCE) for each in started] == [0, 0]


def test_a_process_whose_main_loop_is_stuck_ends(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []
    monkeypatch.setattr(workers, "_end_at_once", lambda: ended.append(True))
    stuck, at = works(place, place.world.moderator), [0.0]
    monkeypatch.setattr(stuck, "_liveness", Liveness(75.0, lambda: at[0]))
    at[0] = 75 + workers.STUCK_SECONDS
    for _ in range(2):
        stuck.see_that_it_turns()
    assert ended == []
    at[0] += 1
    stuck.see_that_it_turns()
    assert ended == [True]


def test_a_process_that_was_frozen_does_not_end_for_that(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_end_at_once", lambda: pytest.fail("it ends"))
    frozen, at = works(place, place.world.moderator), [0.0]
    monkeypatch.setattr(frozen, "_liveness", Liveness(75.0, lambda: at[0]))
    at[0] = 3600.0
    frozen.see_that_it_turns()
    frozen._liveness.turned()
    frozen.see_that_it_turns()


def test_the_workers_of_before_are_told_how_several_are_started_now(tmp_path: Path) -> None:
    World.at(tmp_path).engine.dispose()
    command = [sys.executable, "-P", "-m", "bot", "run", "--workers", "2", "--config", str(tmp_path / "config.toml")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ended.returncode == 2
    told = " ".join(ended.stderr.split())
    assert "systemctl enable --now mentat@1 mentat@2" in told
    assert "--scale" in told
    assert "docs/operating.md" in told
