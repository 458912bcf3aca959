"""Tests that the clock benchmark uses games that really wait and deadlines that really pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.lab.bench_growth import measure_clocks


def test_idle_games_and_deadlines_at_once_are_measured_against_their_aims(tmp_path: Path) -> None:
    idle, mails, silence = measure_clocks(tmp_path, "wbc-2018", games=12, at_once=3)
    assert idle.name == "a look at 12 idle games"
    assert idle.ratio == pytest.approx(idle.value / 20)
    assert silence.ratio == pytest.approx(silence.value / mails.value)


def test_more_deadlines_than_games_wait_is_no_measurement(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="1 games went on of 2"):
        measure_clocks(tmp_path, "wbc-2018", games=3, at_once=2)
