"""Tests that count meetings to check the designs of leagues."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from bot.competition.seating import SeatingWishes, draw_again, draw_seating, ladder_tables
from bot.competition.seating_designs import (
    LEAGUE_DESIGNS,
    LeagueDesign,
    NoLeague,
    divisions,
    last_season,
    next_divisions,
)
from rules.components import FACTION_FACTS
from tests.competition.seating.test_draw import asked, meetings


@pytest.mark.parametrize("design", LEAGUE_DESIGNS, ids=lambda d: f"{d.players}-at-{d.size}")
def test_every_pair_meets_equally_often_and_everybody_has_every_place_once(design: LeagueDesign) -> None:
    tables = design.tables()
    assert len(tables) == design.players
    met = Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))
    assert set(met.values()) == {design.meetings}
    assert len(met) == design.players * (design.players - 1) // 2
    for place in range(design.size):
        assert sorted(table[place] for table in tables) == list(range(design.players))


@pytest.mark.parametrize(
    ("entrants", "sizes"),
    [(7, [7]), (16, [16]), (31, [31]), (47, [31, 16]), (62, [31, 31]), (12, [11]), (40, [31, 7])],
)  # fmt: skip
def test_divisions_seat_the_most_in_the_fewest(entrants: int, sizes: list[int]) -> None:
    assert [design.players for design in divisions(entrants)] == sizes


def test_too_few_are_no_league() -> None:
    with pytest.raises(NoLeague, match="at least 7"):
        divisions(6)


def test_a_league_of_thirty_one_is_perfect_and_can_be_drawn_again() -> None:
    drawn = draw_seating(asked(31, kind="league"), "arrakis")
    assert set(meetings(drawn).values()) == {1}
    had = Counter((seat.entrant, seat.faction) for table in drawn.tables for seat in table.seats)
    assert set(had.values()) == {1}
    assert len(had) == 31 * 6
    assert draw_again(drawn, SeatingWishes()) == drawn


def test_a_league_at_fives_leaves_out_whom_the_settings_say() -> None:
    drawn = draw_seating(asked(21, kind="league"), "arrakis", SeatingWishes(missing="bene-gesserit"))
    had = {seat.faction for table in drawn.tables for seat in table.seats}
    assert had == {"atreides", "emperor", "fremen", "guild", "harkonnen"}


def test_in_a_league_where_factions_come_later_nobody_has_one() -> None:
    drawn = draw_seating(asked(16, kind="league"), "arrakis", SeatingWishes(factions=False))
    assert {seat.faction for table in drawn.tables for seat in table.seats} == {None}
    assert draw_again(drawn, SeatingWishes(factions=False)) == drawn


def test_the_last_fall_and_the_first_rise() -> None:
    assert next_divisions([["a", "b", "c"], ["d", "e", "f"]], 1, 1) == ["a", "b", "d", "c", "e", "f"]
    assert next_divisions([["a", "b"], ["c", "d"]], 0, 0) == ["a", "b", "c", "d"]


def test_a_ladder_seats_the_nearest_who_have_not_met_lately() -> None:
    ready = [f"E{number}" for number in range(1, 9)]
    ratings = {handle: Fraction(1500 + 10 * number) for number, handle in enumerate(ready)}
    assert ladder_tables(ready, ratings, ()) == [["E1", "E2", "E3", "E4", "E5", "E6"]]
    lately = {frozenset(("E1", "E2"))}
    assert ladder_tables(ready, ratings, lately) == [["E1", "E3", "E4", "E5", "E6", "E7"]]
    assert ladder_tables(ready[:5], ratings, ()) == []


def test_the_divisions_of_the_next_season_follow_from_where_each_ended() -> None:
    drawn = [f"E{number:03d}" for number in range(1, 48)]  # divisions of 31 and 16
    standing = [*reversed(drawn[:31]), *drawn[31:]]
    after = last_season(drawn, standing, 2, 2)
    assert set(after[:31]) == {*drawn[2:31], "E032", "E033"}
    assert after[31:33] == ["E002", "E001"]
    assert sorted(after) == drawn
    assert last_season(drawn, standing, 0, 0) == standing


def test_of_eight_factions_divisions_play_six_each_and_all_of_them_together() -> None:
    wishes = SeatingWishes(box=tuple(FACTION_FACTS))
    record = draw_seating(asked(38, kind="league"), "11" * 16, wishes)
    first = {seat.faction for table in record.tables[:31] for seat in table.seats}
    second = {seat.faction for table in record.tables[31:] for seat in table.seats}
    assert (len(first), len(second)) == (6, 6)
    assert first | second == set(FACTION_FACTS)
    for handle in record.roster:
        assert len({seat.faction for table in record.tables for seat in table.seats if seat.entrant == handle}) == 6
    assert draw_again(record, wishes) == record
