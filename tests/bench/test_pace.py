"""Tests for the pace simulation: its people are believable, games end, and sheets shorten them."""

from __future__ import annotations

import statistics
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from bot.lab.pace import Manner, measure_pace, play_game, sum_of_games
from bot.lab.players_by_mail import SLEEPS, WAKES, ZONES, Person

NOON = datetime(2026, 9, 7, 12, tzinfo=UTC)


def test_people_answer_after_some_hours_and_never_asleep() -> None:
    waits = []
    for number in range(600):
        person = Person(ZoneInfo(ZONES[number % len(ZONES)]), Random(number))
        asked = NOON + timedelta(hours=number)
        at = person.answers_at(asked, None)
        if at is not None:
            local = at.astimezone(person.zone)
            assert WAKES <= local.time() < SLEEPS
            waits.append((at - asked) / timedelta(hours=1))
    assert 6 < statistics.median(waits) < 14
    assert 550 < len(waits) < 590  # one letter in twenty goes unanswered


def test_people_know_their_deadline() -> None:
    late = 0
    for number in range(300):
        due = NOON + timedelta(hours=24)
        at = Person(ZoneInfo("Europe/Berlin"), Random(number)).answers_at(NOON, due)
        late += at is not None and at >= due
    assert late == 0


def test_who_sleeps_until_the_deadline_misses_it() -> None:
    person = Person(ZoneInfo("Europe/Berlin"), Random(1))
    midnight = datetime(2026, 9, 7, 22, tzinfo=UTC)
    assert person.before(midnight, midnight + timedelta(hours=4)) is None


def test_a_game_repeats_for_a_seed(tmp_path: Path) -> None:
    found = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        found.append(play_game(tmp_path / name, "7", Manner("steady", sheets=True, turns=2)))
    assert found[0] == found[1]


def test_sheets_and_tempo_make_a_game_shorter(tmp_path: Path) -> None:
    steady = measure_pace(Manner("steady", True, turns=3), 1)
    table = measure_pace(Manner("table", False, turns=3), 1)
    assert steady.median_days < 30 < table.median_days
    assert steady.letters_a_turn < table.letters_a_turn / 2
    assert sum(steady.phases.values()) == pytest.approx(steady.median_days, abs=1)


def test_games_are_summed_up_by_their_median_and_their_worst(tmp_path: Path) -> None:
    manner = Manner("swift", sheets=True, turns=1)
    found = [play_game(tmp_path, f"{seed}", manner) for seed in range(3)]
    days = sorted(round(game.days, 1) for game in found)
    whole = sum_of_games(manner, found)
    assert [whole.median_days, whole.worst_days] == days[1:]
