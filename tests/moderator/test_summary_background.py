"""A turn's summary uses who held each stronghold before that turn."""

from __future__ import annotations

from bot.store.database import reading
from tests.moderator.table import World


def test_the_summary_of_a_turn_is_told_what_was_held_after_the_one_before(world: World) -> None:
    world.silent_game("storm", turn=3)
    table = world.table()
    with reading(world.engine) as conn:
        second = world.moderator.writer(conn, world.now).position_after(table, 2)
    assert {news.turn for news in second.background} == {1}
    assert {news.turn for news in second.news} == {2}
