"""Limits on absences: earliest and latest start, length, and the days left."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.table.table import Table
from rules.components import Faction
from tests.moderator.table import CONFIG, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Start a game on 26 November 2024, with 14 days of absence for each player."""
    made = World.at(tmp_path)
    made.new_game(factions=FEW)
    return made


def answer(world: World, line: str) -> str:
    world.say("guild", line)
    return " ".join(world.newest("guild").text.split())


def spans(table: Table) -> list[tuple[str, str]]:
    return [(f"{each.first}", f"{each.last}") for each in table.absences.get("guild", ())]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("absent 2024-11-26 to 2024-11-26", "you will be away from 26 Nov to 26 Nov"),
        ("absent 2024-11-25 to 2024-11-28", "25 Nov is in the past"),
        ("absent 2025-01-25 to 2025-01-26", "you will be away from 25 Jan to 26 Jan"),
        ("absent 2025-01-26 to 2025-01-26", "26 Jan is more than 60 days away"),
        ("absent 2024-12-01 to 2024-12-14", "you will be away from 1 Dec to 14 Dec"),
        ("absent 2024-12-01 to 2024-12-15", "That is 15 days, but you have 14 days of absence left"),
    ],
)
def test_an_absence_begins_today_or_within_sixty_days_and_takes_the_days_that_are_left(
    world: World, line: str, told: str
) -> None:
    assert told in answer(world, line)
    assert len(spans(world.table())) == told.startswith("you will be away")


def test_days_that_are_taken_for_the_next_year_are_told_with_their_years(world: World) -> None:
    told = "The dates are the wrong way round: 28 Nov 2024 comes before 25 Nov 2025. Write the first day first."
    assert told in answer(world, "absent 25 Nov to 28 Nov")


def test_two_absences_may_follow_one_another_in_any_order(world: World) -> None:
    answer(world, "absent 2024-12-05 to 2024-12-06")
    assert "you will be away from 3 Dec to 4 Dec" in answer(world, "absent 2024-12-03 to 2024-12-04")
    assert "you will be away from 7 Dec to 7 Dec" in answer(world, "absent 2024-12-07 to 2024-12-07")
    assert "You have already announced an absence from 5 Dec to 6 Dec" in answer(world, "absent 6 Dec to 9 Dec")
    assert world.table().seats["guild"].away == 5


def test_whoever_has_had_more_days_than_there_are_now_has_none_left(world: World, tmp_path: Path) -> None:
    answer(world, "absent 2024-12-01 to 2024-12-10")
    stricter = World.at(tmp_path, f"{CONFIG}[clock]\nabsence_days = 7\n")
    assert "That is 1 day, but you have 0 days of absence left" in answer(stricter, "absent 24 Dec to 24 Dec")


def test_only_days_that_are_still_to_come_are_taken_back(world: World) -> None:
    answer(world, "absent 2024-11-26 to 2024-11-27")
    answer(world, "absent 2024-11-29 to 2024-12-03")
    answer(world, "absent 2024-12-10 to 2024-12-10")
    world.now += timedelta(days=5)  # the 1st of December
    told = answer(world, "no absence")
    assert "29 Nov to 3 Dec" in told
    assert "10 Dec to 10 Dec" in told
    assert "26 Nov" not in told.partition("29 Nov")[0].rpartition("absence")[2]
    assert world.table().seats["guild"].away == 4, "two days that have passed, and the 29th and 30th"
    assert spans(world.table()) == [("2024-11-26", "2024-11-27")]
