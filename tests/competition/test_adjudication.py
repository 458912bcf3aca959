"""Tests that a stopped game is decided by the public board."""

from __future__ import annotations

from itertools import permutations

import pytest

from bot.competition.outcomes import Side, decide_stopped_game
from bot.competition.scoring import Scoring, printed_points, scoring_system, seat_points
from tests.competition.a_table import a_table

PAIR = Side(("atreides", "emperor"), needed=4, held=3, tokens=11, order=3)
ALONE = Side(("harkonnen",), needed=3, held=2, tokens=15, order=1)
GUILD = Side(("guild",), needed=3, held=0, tokens=0, order=2)


def test_the_pair_is_before_harkonnen_by_strongholds_and_each_has_six_points() -> None:
    for sides in permutations((PAIR, ALONE, GUILD)):
        ended = decide_stopped_game(sides)
        assert (ended.kind, ended.winners, ended.by) == ("adjudicated", ("atreides", "emperor"), "strongholds")
        assert [side.deficit for side in ended.sides] == [1, 1, 3]
    table = a_table(ended.winners, kind=ended.kind)
    points = seat_points(scoring_system(Scoring()), table)
    assert {seat: printed_points(one) for seat, one in points.items() if one} == {"atreides": "6", "emperor": "6"}


@pytest.mark.parametrize(
    ("first", "second", "by"),
    [
        (Side(("fremen",), 3, 2, 1, 6), Side(("guild", "emperor"), 4, 2, 9, 1), "deficit"),
        (Side(("guild", "emperor"), 4, 3, 1, 6), Side(("fremen",), 3, 2, 9, 1), "strongholds"),
        (Side(("fremen",), 3, 2, 8, 6), Side(("guild",), 3, 2, 7, 1), "tokens"),
        (Side(("fremen",), 3, 2, 8, 1), Side(("guild",), 3, 2, 8, 2), "storm"),
        (Side(("fremen",), 3, 2, 8, 1), Side(("guild",), 3, 2, 8, 1), ""),
    ],
)
def test_sides_are_compared_by_what_they_lack_then_hold_then_by_tokens_then_by_the_storm(
    first: Side, second: Side, by: str
) -> None:
    for sides in ([first, second], [second, first]):
        assert (decide_stopped_game(sides).winners, decide_stopped_game(sides).by) == (first.members, by)


def test_where_nobody_holds_a_stronghold_the_table_is_void() -> None:
    ended = decide_stopped_game([Side(("fremen",), 3, 0, 0, 1), Side(("guild",), 3, 0, 0, 2)])
    assert (ended.kind, ended.winners) == ("void", ())


def test_one_side_alone_wins_and_a_board_without_sides_is_refused() -> None:
    assert decide_stopped_game([PAIR]).winners == PAIR.members
    with pytest.raises(ValueError, match="not the sides of a table"):
        decide_stopped_game([])
    with pytest.raises(ValueError, match="not the sides of a table"):
        decide_stopped_game([PAIR, Side(("emperor",), 3, 1, 1, 1)])
    with pytest.raises(ValueError, match="not the sides of a table"):
        decide_stopped_game([Side((), 3, 1, 1, 1)])
