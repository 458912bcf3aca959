"""Tests for the complete output of each benchmark, with fixed times for all measured blocks."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.lab import bench as archives_module
from bot.lab import bench as engine_module
from bot.lab import bench as reading_module
from bot.lab import bench as seating_module
from bot.lab import bench as starting_module
from bot.lab import bench_growth as clocks_module
from bot.lab import bench_growth as growth_module
from bot.lab import bench_growth as workers_module
from bot.lab import bench_mail as crowd_module
from bot.lab import bench_mail as mails_module
from bot.lab.bench_growth import Sizes, Throughput
from bot.lab.bench_mail import CrowdCosts
from bot.lab.postgresql import DatabaseKind
from bot.lab.workbench import Measurement, Stopwatch
from rules.engine.play import Play

FILE = DatabaseKind("SQLite", lambda: "")


@pytest.fixture(autouse=True)
def timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the stopwatch report a median of two seconds, a worst of three and a total of five."""

    def of(seconds: float) -> property:
        return property(lambda watch: seconds if watch.taken else pytest.fail("nothing was timed"))

    for name, seconds in (("median", 2.0), ("worst", 3.0), ("total", 5.0)):
        monkeypatch.setattr(Stopwatch, name, of(seconds))


def test_the_engine_is_told_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    step = 2.0 / engine_module.STEPS
    found = engine_module.measure_engine(("ah-basic",), 2)
    decisions = found[-1].value * 5.0
    assert decisions > 100
    assert found == [
        Measurement("bare generator step", step * 1e6, "µs"),
        Measurement("ah-basic: random game", 2_000.0, "ms", 2.0 / step, "a step"),
        Measurement("ah-basic: game from log", 2_000.0, "ms", 2.0 / step, "a step"),
        Measurement("ah-basic: resumed from snapshot", 2_000.0, "ms", 2.0 / step, "a step"),
        Measurement("ah-basic: resumed, at worst", 3_000.0, "ms", 3.0 / step, "a step"),
        Measurement("ah-basic: a decision", 5e6 / decisions, "µs", 5 / decisions / step, "a step"),
        Measurement("ah-basic: decisions", found[-1].value, "/s"),
    ]  # fmt: skip
    kept = Play.replay
    monkeypatch.setattr(Play, "replay", lambda play, log: kept(play, list(log)[:-1]))
    with pytest.raises(RuntimeError, match="the replay differs"):
        engine_module.measure_engine(("ah-basic",), 1)


def test_the_pages_of_an_archive_are_told_in_games_and_what_they_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = archives_module.MOST_SECONDS_TO_BUILD
    assert archives_module.measure_archive(tmp_path, "ah-basic", 1) == [
        Measurement("pages of a game", 2_000.0, "ms", 1.0, "a game from log"),
        Measurement("the same, at worst", 3.0, "s", 3.0 / most, "what it may take", 1),
        Measurement("nothing changed", 5_000.0, "ms", 2.5, "pages of a game"),
    ]
    monkeypatch.setattr(archives_module, "build", lambda folder, offered: SimpleNamespace(games=["x"]))
    with pytest.raises(RuntimeError, match="rewritten"):
        archives_module.measure_archive(tmp_path, "ah-basic", 1)


def test_seating_is_told_in_what_it_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seating_module.measure_seating(600) == [
        Measurement("60 entrants, 3 heats", 5.0, "s", 5 / (10.0 * 60 / 10_000), "what it may take", 1),
        Measurement("600 entrants, 3 heats", 5.0, "s", 5 / (10.0 * 600 / 10_000), "what it may take", 1),
    ]
    asked = []

    def draw(record: Any, seed: str) -> Any:
        asked.append(record)
        return SimpleNamespace(cost=SimpleNamespace(meetings=1))

    monkeypatch.setattr(seating_module, "draw_seating", draw)
    with pytest.raises(RuntimeError, match="of 12 entrants some met twice"):
        seating_module._three_heats(12)
    assert asked[0].roster == tuple(f"E{number:05d}" for number in range(1, 13))
    assert asked[0].rounds == (1, 2, 3)


def test_games_that_wait_and_end_are_told_beside_their_aims(tmp_path: Path) -> None:
    assert clocks_module.measure_clocks(tmp_path, "ah-basic", games=1_001, at_once=2) == [
        Measurement("a look at 1,001 idle games", 2_000.0, "ms", 100.0, "20 ms", 1.0),
        Measurement("2 answers by mail", 5_000.0, "ms"),
        Measurement("2 deadlines in one pass", 5_000.0, "ms", 1.0, "the mails", 1.2),
    ]


def test_a_thousand_games_are_told_beside_ten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = CrowdCosts(10, 2**20, 0.5, 0.25, 0.125, 0.1), CrowdCosts(1_000, 3 * 2**20, 1.0, 1.0, 1.0, 0.2)
    filled: list[str] = []

    @contextmanager
    def servers(users: Any) -> Any:
        yield None

    def open_world(place: Path, there: Any) -> Any:
        filled.append(place.name)
        return SimpleNamespace(
            fill=lambda ruleset, games, rounds: filled.append(f"{games} by {ruleset}"), close=lambda: None
        )

    monkeypatch.setattr(crowd_module, "LocalMail", servers)
    monkeypatch.setattr(crowd_module, "open_world", open_world)
    monkeypatch.setattr(crowd_module, "_write_mail", lambda world: None)
    monkeypatch.setattr(crowd_module, "_measured_apart", lambda place, games: few if games == 10 else many)
    assert crowd_module.measure_crowd(tmp_path, "ah-basic") == [
        Measurement("memory", 3.0, "MiB", 3.0, "10 games", 1.25),
        Measurement("a look at the deadlines", 1_000.0, "ms", 2.0, "10 games", 3.0),
        Measurement("a look into the mailbox", 1_000.0, "ms", 4.0, "10 games", 3.0),
        Measurement("first mail of a game", 1_000.0, "ms", 8.0, "10 games"),
        Measurement("the game master's desk", 200.0, "ms", 0.4, "0.5 s", 1.0),
    ]
    assert filled == ["games-10", "10 by ah-basic", "games-1000", "1000 by ah-basic"]


def test_growth_is_told_beside_few_games(tmp_path: Path) -> None:
    mail, sent, look = growth_module.measure_growth(tmp_path / "growth", FILE, "ah-basic", Sizes(2, 4, 3, 2))
    assert mail.name.startswith("a mail, 4 games, ")
    assert [(one.value, one.unit, one.ratio, one.against, one.aim) for one in (mail, sent, look)] == [
        (2_000.0, "ms", 1.0, "2 games", 1.5)
    ] * 3
    assert [sent.name, look.name] == ["its letters sent", "a look at the deadlines"]
    assert growth_module.measure_open_games(tmp_path / "open", FILE, "ah-basic", 12) == [
        Measurement("a tick over 12 open games", 3_000.0, "ms", 3.0, "1 s", 1.0),
        Measurement("one in which 10 deadlines pass", 5_000.0, "ms", 2.5, "one with none"),
    ]
    assert growth_module.measure_lists(tmp_path / "lists", FILE, "ah-basic", 6) == [
        Measurement("6 games listed", 2_000.0, "ms", 1.0, "2 s", 1.0),
        Measurement("the game master's desk", 2_000.0, "ms", 1.0, "2 s", 1.0),
        Measurement("a tick over them", 2_000.0, "ms", 2.0, "1 s", 1.0),
        Measurement("what the archive shows of them", 2_000.0, "ms", 1.0, "2 s", 1.0),
    ]


def test_mails_are_told_beside_their_bare_work(tmp_path: Path) -> None:
    assert mails_module.measure_mails(tmp_path, "ah-basic", 2) == [
        *(Measurement(f"bare: {part}", 2_000.0, "ms") for part in (
            "NOOP, SEARCH, FETCH", "parser", "durable commit", "MOVE",
        )),
        Measurement("bare work of a mail", 2_000.0, "ms"),
        Measurement("a mail processed", 2_000.0, "ms", 1.0, "the bare work", 3.0),
        Measurement("mails processed", 0.5, "/s"),
    ]  # fmt: skip


def test_the_reading_of_mail_is_told_beside_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    took = {"examine": iter([1.0, 2.0, 9.0, 4.0, 5.0, 6.0, 7.0, *range(8)]), "_parsed": iter([1.0, 2, 3, 4, 5, 6, 7])}
    times = []

    def seconds(work: Any, number: int, clock: Any) -> float:
        times.append(number)
        return next(took[work.func.__name__])

    monkeypatch.setattr(reading_module, "seconds_each", seconds)
    assert reading_module.measure_reading(5) == [
        Measurement("standard library, median", 4_000.0, "ms"),
        Measurement("a mail read, median", 5_000.0, "ms", 1.25, "the library"),
        Measurement("a mail read, worst", 9_000.0, "ms", 3.0, "the library"),
        Measurement("mails read", 7 / 34, "/s"),
        Measurement("a hostile mail, worst", 7, "s", 3.5, "the most allowed", 1.0),
    ]
    assert times == [5] * 14 + [1] * 8
    assert all(150_000 < len(raw) < 1_100_000 for raw in reading_module._hostile_mails())


def test_the_start_of_commands_is_told_beside_what_every_command_line_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], int]] = []

    def start(words: list[str], folder: str, times: int) -> tuple[float, float]:
        started.append((words[2:], times))
        return (0.1, 30.0) if len(started) < 4 else (0.2, 45.0)

    monkeypatch.setattr(starting_module, "_measure_start", start)
    bare, *found = starting_module.measure_starting(4)
    assert bare == Measurement("typer and rich alone", 100.0, "ms")
    assert found == [
        one for name in ("--help", "mail parse", "mail parse --config", "rule", "order check --help") for one in (
            Measurement(f"{name}: start", 200.0, "ms", 2.0, "typer and rich", 3),
            Measurement(f"{name}: memory", 45.0, "MB", 0.75, "60 MB", 1.0),
        )
    ] + [
        Measurement(f"{name}: start", 200.0, "ms", 2.0, "typer and rich", 8)
        for name in ("desk", "game list", "game show", "game log", "order check", "ruling check")
    ]  # fmt: skip
    assert [times for _, times in started] == [0, 0, *[4] * 12]


def test_the_time_and_memory_of_a_process_are_its_own(tmp_path: Path) -> None:
    seconds, megabytes = starting_module._measure_start(["-c", "pass"], str(tmp_path), 1)
    assert 0 < seconds < 5
    assert 4 < megabytes < 100
    with pytest.raises(RuntimeError, match="ended with 3"):
        starting_module._measure_start(["-c", "raise SystemExit(3)"], str(tmp_path), 0)


def test_workers_are_told_beside_one_and_beside_a_bare_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def server(*, durable: bool) -> Any:
        assert durable
        yield SimpleNamespace(empty=lambda name: name)

    @contextmanager
    def processes(folder: Path, url: str, count: int) -> Any:
        assert (folder.name, url) == (f"workers-{count}", f"workers_{count}")
        yield SimpleNamespace(fill=lambda ruleset, games: None)

    taken = {
        1: Throughput(4.0, 800, {7: 2**20}, {7: 2**20}, 0.02, 5.0, 2.0),
        2: Throughput(2.0, 80, {7: 2**20, 8: 2**20}, {7: 2**21, 8: 2**20}, 0.03, 6.0, 2.0),
    }
    asked: list[int] = []

    def bare(there: Any, letters: int) -> float:
        asked.append(letters)
        return 0.01

    monkeypatch.setattr(workers_module, "PrivateServer", server)
    monkeypatch.setattr(workers_module, "InProcesses", processes)
    monkeypatch.setattr(workers_module, "_tell_apart", lambda there: None)
    monkeypatch.setattr(workers_module, "_measure_throughput", lambda there, server, count, mails, games: taken[count])
    monkeypatch.setattr(workers_module, "_measure_bare_transaction", bare)
    assert workers_module.measure_workers(tmp_path, "ah-basic", 40, (1, 2)) == [
        Measurement("a bare transaction", 10.0, "ms"),
        Measurement("1 worker: mails", 10.0, "/s", 1.0, "1 worker"),
        Measurement("1 worker: a mail", 100.0, "ms", 10.0, "a bare transaction"),
        Measurement("1 worker: CPU of a mail", 20.0, "ms", 1.0, "1 worker", 1.1),
        Measurement("1 worker: transactions", 5.0, "a mail", 5.0, "", 6.0),
        Measurement("1 worker: waits for the disk", 2.0, "a mail", 2.0, "", 2.5),
        Measurement("1 worker: memory of each", 1.0, "MiB", 1.0, "half-way", 1.1),
        Measurement("2 workers: mails", 20.0, "/s", 2.0, "1 worker"),
        Measurement("2 workers: a mail", 50.0, "ms", 5.0, "a bare transaction"),
        Measurement("2 workers: CPU of a mail", 30.0, "ms", 1.5, "1 worker", 1.1),
        Measurement("2 workers: transactions", 6.0, "a mail", 6.0, "", 6.0),
        Measurement("2 workers: waits for the disk", 2.0, "a mail", 2.0, "", 2.5),
        Measurement("2 workers: memory of each", 2.0, "MiB", 2.0, "half-way", 1.1),
    ]
    assert asked == [20], "as many bytes of letters as follow from a mail"
