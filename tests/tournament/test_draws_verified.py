"""Published draws pass `verify`, whatever the method of assigning factions."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.competition.published import encode_published
from bot.competition.verification import verify
from bot.store import tournaments
from bot.store.database import reading, writing
from bot.store.publication import published_tournament
from bot.store.tournaments import PairApart
from bot.tournament import drawing, progress
from bot.tournament import rounds as dates
from bot.tournament.desk import DIRECTOR, Caller
from tests.tournament.cup import CUP, Entered, end_game

SETTINGS = """title = "The Cup"
beacon = "the lottery"
beacon_date = "2024-11-27"
[rounds]
heats = 2
semifinal = 0
final = 6
[endings]
protest_hours = 0
"""


def difference(cup: Entered) -> str:
    with reading(cup.world.engine) as conn:
        return verify(encode_published(published_tournament(conn, CUP, cup.world.now))).difference


def play(cup: Entered, beacon: str) -> None:
    drawn = cup.draw(beacon=beacon)
    assert difference(cup) == ""
    cup.tick(72)
    assert difference(cup) == ""
    cup.start()
    for table in drawn.record.tables:
        seat = next(s for s in cup.seats() if (s.round, s.table) == (table.round, table.table))
        end_game(cup.world, f"cup-r{table.round}-t{table.table:02d}", seat.faction)
    cup.tick(1)
    cup.tick(1)
    for number in drawn.rounds:
        dates.close_round(Caller(cup.open_games, cup.world.now, DIRECTOR), CUP, number)
    assert difference(cup) == ""


@pytest.mark.parametrize("by", ["trade", "two-cards", "preference", "auction"])
def test_a_draw_is_verified_before_and_after_its_factions_are_settled(tmp_path: Path, by: str) -> None:
    cup = Entered.at(tmp_path, 12, f'{SETTINGS}[factions]\nby = "{by}"\n')
    cup.tick(24)
    cup.draw(beacon="4 8 15 16 23 42")
    assert difference(cup) == ""
    cup.tick(72)
    assert all(seat.faction for seat in cup.seats())
    assert difference(cup) == ""


def test_from_the_first_draw_to_the_end_what_is_published_is_verified(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, SETTINGS.replace("heats = 2", "heats = 1"))
    cup.tick(24)
    play(cup, "4 8 15 16 23 42")
    frozen = drawing.freeze(Caller(cup.open_games, cup.world.now), CUP).frozen
    assert frozen.at.weekday() == 2, "the lottery of Wednesday"
    cup.world.now = frozen.at
    play(cup, "4 8 15 16 23 43")
    with reading(cup.world.engine) as conn:
        state = tournaments.find_tournament(conn, CUP).state
    if state == "running":
        progress.finish_tournament(Caller(cup.open_games, cup.world.now, DIRECTOR), CUP)
    assert cup.cup.state == "finished"
    assert difference(cup) == ""


def test_a_draw_with_pairs_that_are_not_published_is_verified_as_far_as_can_be(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12, SETTINGS)
    with writing(cup.world.engine) as conn:
        tournaments.keep_apart(conn, CUP, PairApart(1, 2, "sisters"))
    cup.tick(24)
    cup.draw(beacon="4 8 15")
    assert difference(cup) == ""
    with reading(cup.world.engine) as conn:
        data = encode_published(published_tournament(conn, CUP, cup.world.now))
    assert b"sisters" not in data
    assert any("kept apart" in note for note in verify(data).notes)
