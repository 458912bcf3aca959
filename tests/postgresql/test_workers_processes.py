"""Workers as real processes: killed, frozen, cut off from the server, started at once."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.moderator.moderator import Moderator
from bot.service.workers import reader, supervisor
from bot.service.workers.presence import Present
from bot.store import presence
from bot.store.database import DatabaseUnavailable, reading, writing
from tests.moderator.table import World
from tests.postgresql.place import CONFIG, FEW, GAMES, PATIENCE, Begun, Place
from tests.postgresql_server import PostgresqlServer


def _workers(process: subprocess.Popen[bytes]) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in found.stdout.split()]


def test_killed_workers_and_a_server_that_is_started_anew_lose_and_double_nothing(
    at_present: Place, server: PostgresqlServer
) -> None:
    place, dice, mails = at_present, random.Random("kills"), 0
    place.new_games(*GAMES)
    before = len(place.world.letters())
    with place.running("--workers", "3") as process:
        place.until(lambda: len(_workers(process)) == 4)
        for serial in range(8):
            for game, faction in itertools.product(GAMES, FEW):
                place.drop(place.asks(faction, game, serial))
                mails += 1
            time.sleep(0.5)
            if serial == 4:
                server.stop()
                server.start()
            elif children := _workers(process):
                os.kill(dice.choice(children), signal.SIGKILL)
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
    """A game, or everything: then nobody else can say that they live."""
    place.new_games(GAMES[0])
    monkeypatch.setattr("bot.service.workers.presence.SEEN_SECONDS", 0.2)
    monkeypatch.setattr("bot.service.workers.presence.FROZEN_SECONDS", 2.0)
    begun("worker-1")
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.environ["PGAPPNAME"] = "worker-frozen"
            moderator = place.process()
            Present(moderator.engine, "worker-frozen", "worker", lambda: datetime.now(UTC), lambda: None).begin()
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
    with place.running("--workers", "2", "--verbose") as process:
        place.until(lambda: len(_workers(process)) == 3)
        place.until(lambda: _leader(place, reader.READING))
        frozen = _leader(place, reader.READING)
        pid = _pid_of(place, frozen)
        os.kill(pid, signal.SIGSTOP)
        try:
            place.drop(place.asks("guild", GAMES[0], 1))
            others = [place.run("--workers", "1")]

            def is_read() -> bool:
                if others[-1].poll() is not None:  # the frozen one held everything as it started: systemd tries again
                    others.append(place.run("--workers", "1"))
                return place.left == 0

            place.until(is_read)
            assert _leader(place, reader.READING) != frozen
        finally:
            os.kill(pid, signal.SIGCONT)
        place.drop(place.asks("guild", GAMES[0], 2))
        place.until(is_read)
        assert _leader(place, reader.READING) != frozen
        others[-1].send_signal(signal.SIGTERM)
        assert others[-1].wait(PATIENCE) == 0
    assert [disposition for disposition, _ in place.world.messages()] == ["orders", "orders"]


def test_all_end_with_no_for_an_answer_when_a_newer_mentat_has_renewed_the_database(at_present: Place) -> None:
    """Who started them starts what is installed by then (docs/operating.md); by 2 systemd would let it be."""
    process = at_present.run("--workers", "1")
    try:
        at_present.until(lambda: len(_workers(process)) == 2)
        with at_present.world.engine.begin() as conn:
            conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        assert process.wait(PATIENCE) == 1
    finally:
        process.kill()


def test_a_worker_that_starts_anew_after_a_newer_mentat_has_renewed_the_database_is_not_started_again(
    at_present: Place,
) -> None:
    with at_present.world.engine.begin() as conn:
        conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    work = "from pathlib import Path; from bot.cli.service import _work; import sys; "
    work += "sys.exit(_work(Path(sys.argv[1]), 'worker', 'worker-anew', lambda: None))"
    command = [sys.executable, "-P", "-c", work, str(at_present.folder / "config.toml")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == supervisor.MAY_NOT_WORK
    assert "was made by a newer Mentat" in ended.stderr


def test_the_processes_of_a_supervisor_that_is_killed_end(at_present: Place) -> None:
    supervising = at_present.run("--workers", "1")
    try:
        at_present.until(lambda: len(_workers(supervising)) == 2)
        children = _workers(supervising)
        at_present.until(lambda: _roles(at_present) == ["reader", "worker"])
    finally:
        supervising.kill()
        supervising.wait()
    at_present.until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))
    assert _roles(at_present) == []


def _roles(place: Place) -> list[str]:
    with reading(place.world.engine) as conn:
        return sorted(each.role for each in presence.everybody(conn))


def _leader(place: Place, work: str) -> str:
    with reading(place.world.engine) as conn:
        return next((each.holder for each in presence.led(conn) if each.work == work), "")


def _pid_of(place: Place, name: str) -> int:
    line = next(line for line in (place.folder / "log").read_text().splitlines() if f"{name} is started" in line)
    return int(line.rpartition(" ")[2])


def test_two_that_start_at_once_on_an_empty_database_share_the_work(empty: Callable[[], str], tmp_path: Path) -> None:
    url = empty()
    (tmp_path / "config.toml").write_text(CONFIG.format(url=url), encoding="utf-8")
    (tmp_path / ".env").write_text("MENTAT_SECRET=spice-must-flow-spice-must-flow\n", encoding="utf-8")
    command = [sys.executable, "-P", "-m", "bot", "run", "--workers", "1", "--config", str(tmp_path / "config.toml")]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    try:
        place = Place(tmp_path, url, datetime.now(UTC))
        place.new_games(GAMES[0])
        place.drop(place.asks("guild", GAMES[0], 1))
        place.until(lambda: place.left == 0 and len(place.sent()) == len(place.world.letters()))

        def roles() -> list[str]:
            with reading(place.world.engine) as conn:
                return sorted(each.role for each in presence.everybody(conn))

        place.until(lambda: roles() == ["reader", "reader", "worker", "worker"])
        place.world.engine.dispose()
    finally:
        for each in started:
            each.send_signal(signal.SIGTERM)
        assert [each.wait(PATIENCE) for each in started] == [0, 0]


def test_several_workers_need_a_server(tmp_path: Path) -> None:
    World.at(tmp_path).engine.dispose()
    command = [sys.executable, "-P", "-m", "bot", "run", "--workers", "2", "--config", str(tmp_path / "config.toml")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ended.returncode == 2
    assert "needs a PostgreSQL server" in " ".join(ended.stderr.split())


def _stuck(role: str, _name: str, turned: Callable[[], None]) -> int:
    turned()
    time.sleep(600 if role == "worker" else 0.2)
    return 0


def test_a_process_whose_main_loop_does_not_turn_is_killed_and_started_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching = supervisor.Supervisor(1, _stuck, silent_seconds=0.5)
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # it runs in the process of the tests

    def ends() -> None:
        time.sleep(3)
        watching.stopping = True

    ending = threading.Thread(target=ends)
    ending.start()
    with caplog.at_level("ERROR"):
        assert watching.run() == 0
    ending.join()
    told = [record.getMessage() for record in caplog.records]
    assert any("has been stuck" in each for each in told)
    assert any("a worker has ended (killed by SIGKILL)" in each for each in told)
    assert any("a reader has ended (status 0) and is started again in 0.5 seconds" in each for each in told)
