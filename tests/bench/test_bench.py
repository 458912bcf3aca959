"""Tests that the benchmarks run with small numbers and measure what they claim to."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.lab import bench_mail
from bot.lab.bench import measure_archive, measure_engine, measure_reading, measure_seating, measure_starting
from bot.lab.bench_mail import measure_long_mails, measure_mails, measure_waiting_time
from bot.lab.workbench import Measurement, Stopwatch


def by_name(measured: list[Measurement]) -> dict[str, Measurement]:
    return {one.name: one for one in measured}


def test_a_game_is_measured_in_bare_steps() -> None:
    found = by_name(measure_engine(("ah-basic",), 1))
    step, game = found["bare generator step"], found["ah-basic: game from log"]
    assert step.value > 0
    assert game.ratio == pytest.approx(game.value * 1000 / step.value)
    resumed, worst = found["ah-basic: resumed from snapshot"], found["ah-basic: resumed, at worst"]
    assert 0 < resumed.value <= worst.value < game.value, "a phase takes less than the game"
    assert worst.ratio == pytest.approx(worst.value * 1000 / step.value)
    assert all(one.aim is None for one in found.values())
    assert found["ah-basic: decisions"].value == pytest.approx(1e6 / found["ah-basic: a decision"].value)


def test_mails_of_a_real_game_are_measured_against_the_bare_work_of_the_same_mails(tmp_path: Path) -> None:
    found = by_name(measure_mails(tmp_path, "ah-basic", 5))
    bare, processed = found["bare work of a mail"], found["a mail processed"]
    parts = [one.value for name, one in found.items() if name.startswith("bare: ")]
    assert len(parts) == 4
    assert max(parts) <= bare.value, "each part is done within the whole, with every mail"
    assert processed.ratio == pytest.approx(processed.value / bare.value)
    assert processed.ratio is not None
    assert processed.ratio > 1, "no mail is processed in less than its bare work"
    assert processed.aim == 3


def test_the_longest_mails_are_measured_against_the_most_that_others_may_wait(tmp_path: Path) -> None:
    sheet, talk = measure_long_mails(tmp_path, "ah-basic", 1)
    assert sheet.ratio == pytest.approx(sheet.value / 300)
    assert talk.value > 0


def test_the_way_of_a_mail_is_measured_through_the_running_service(tmp_path: Path) -> None:
    (answered,) = measure_waiting_time(tmp_path, "ah-basic", 2)
    assert 0 < answered.value < 30_000


def test_seating_is_measured_against_what_it_may_take() -> None:
    small, large = measure_seating(600)
    assert (small.name, large.name) == ("60 entrants, 3 heats", "600 entrants, 3 heats")
    assert large.ratio == pytest.approx(large.value / 0.6)
    assert large.aim == 1


def test_the_pages_of_a_game_are_measured_against_playing_its_log_again(tmp_path: Path) -> None:
    pages, worst, again = measure_archive(tmp_path / "archive", "ah-basic", 1)
    assert pages.ratio is not None
    assert pages.ratio > 1
    assert worst.aim == 1
    assert again.value < pages.value


def test_many_games_are_really_there_and_are_compared_with_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_mail, "FEW_GAMES", 2)
    monkeypatch.setattr(bench_mail, "MANY_GAMES", 30)
    found = by_name(bench_mail.measure_crowd(tmp_path, "ah-basic"))
    assert len(list(tmp_path.glob("games-*/mentat.db"))) == 2
    assert found["memory"].against == "2 games"
    assert found["memory"].value > 10
    assert found["first mail of a game"].value > 0


def test_the_start_of_commands_is_measured_with_its_memory() -> None:
    found = by_name(measure_starting(1))
    assert found["--help: start"].value > found["typer and rich alone"].value
    assert found["rule: memory"].ratio == pytest.approx(found["rule: memory"].value / 60)


def test_an_aim_is_missed_only_above_it() -> None:
    assert Measurement("a", 1, "ms", 3.0, "b", aim=3.0).reached
    assert not Measurement("a", 1, "ms", 3.1, "b", aim=3.0).reached
    assert Measurement("a", 1, "ms").reached


def test_the_median_is_not_moved_by_one_slow_block() -> None:
    moments = iter([0.0, 1.0, 10.0, 11.0, 20.0, 50.0])
    watch = Stopwatch(lambda: next(moments))
    for _ in range(3):
        with watch.running():
            pass
    assert (watch.median, watch.total) == (1.0, 32.0)


def test_reading_is_measured_beside_the_bare_parser_and_no_hostile_mail_takes_long() -> None:
    found = by_name(measure_reading(1))
    bare, read = found["standard library, median"], found["a mail read, median"]
    assert read.ratio == pytest.approx(read.value / bare.value)
    assert found["a mail read, worst"].value >= read.value
    assert found["a hostile mail, worst"].value < 10, "two seconds of work, on a machine like ours"
