"""Which players count as silent, and when the caretaker takes over their seats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.games import silent_players
from bot.store.database import reading
from rules.components import Faction
from tests.moderator.table import World

FOUR: tuple[Faction, ...] = ("atreides", "emperor", "guild", "harkonnen")
OTHERS: tuple[Faction, ...] = ("atreides", "emperor", "harkonnen")


@pytest.mark.parametrize(("missed", "after", "care", "heard", "silent", "taken"), [
    (0, 2, False, OTHERS, (), False), (1, 2, False, OTHERS, (), True), (5, 2, False, OTHERS, (), True),
    (5, 0, False, OTHERS, (), False), (1, 2, True, OTHERS, (), False),
    (1, 2, False, OTHERS[:2], (), True), (1, 2, False, OTHERS[:1], (), False),
    (1, 2, False, OTHERS, OTHERS[:1], True), (1, 2, False, OTHERS, OTHERS[:2], False),
    (1, 2, False, (*OTHERS[:1], "guild"), (), False),
])  # fmt: skip
def test_the_caretaker_takes_a_seat_after_so_many_misses_where_half_of_the_others_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missed: int, after: int, care: bool, heard: Sequence[Faction],
    silent: Sequence[Faction], taken: bool,
) -> None:  # fmt: skip
    world = World.at(tmp_path)
    table = world.new_game(factions=FOUR)
    table.touched.clear()
    seat = table.seats["guild"]
    seat.missed, seat.care = missed, care
    for faction in silent:
        table.seats[faction].missed = 1
    monkeypatch.setattr(silent_players, "who_ordered", lambda *_: frozenset(heard))
    with reading(world.engine) as conn:
        assert silent_players.count_missed_deadlines(conn, table, ["guild"], after) == (["guild"] if taken else [])
    assert (seat.missed, seat.care, table.touched) == (missed + 1, care or taken, {"guild"})
    assert silent_players.clear_strikes(table, "guild") is (care or taken)
    assert (seat.missed, seat.care) == (0, False)
    world.engine.dispose()


def test_several_misses_of_one_moment_are_counted_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World.at(tmp_path)
    table = world.new_game(factions=FOUR)
    monkeypatch.setattr(silent_players, "who_ordered", lambda *_: frozenset(FOUR))
    table.seats["harkonnen"].missed = table.seats["atreides"].missed = 1
    with reading(world.engine) as conn:
        assert silent_players.count_missed_deadlines(conn, table, ["harkonnen"], 2) == ["harkonnen"]
        assert silent_players.count_missed_deadlines(conn, table, ["guild", "atreides"], 2) == ["atreides"]
    assert [table.seats[faction].missed for faction in FOUR] == [2, 0, 1, 2]
    world.engine.dispose()
