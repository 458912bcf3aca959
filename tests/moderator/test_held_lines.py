"""Lines that arrive while a game is on hold are stored by game and seat, and seats do not see each other's."""

from __future__ import annotations

import pytest

from bot.store import games
from bot.store.database import reading, writing
from bot.store.games import HeldLines
from rules.components import Faction
from tests.moderator.table import GAME, World

OTHER = "sietch-13"
KEPT: list[tuple[str, Faction, tuple[str, ...]]] = [
    (GAME, "guild", ("bid 2", "pass")),
    (GAME, "fremen", ("bid 2",)),
    (OTHER, "guild", ("bid 2",)),
    (GAME, "guild", ("bid 2",)),
]


@pytest.fixture
def kept(world: World) -> World:
    """Start two games and store held lines for their seats."""
    world.new_game(factions=("fremen", "guild"))
    world.new_game(factions=("fremen", "guild"), game=OTHER)
    with writing(world.engine) as conn:
        for game, faction, lines in KEPT:
            games.hold_lines(conn, game, HeldLines(faction, lines, None), world.now)
    return world


def of(world: World, game: str, faction: Faction) -> list[str]:
    with reading(world.engine) as conn:
        return games.held_lines_of(conn, game, faction)


def test_a_seat_has_its_own_lines_of_its_own_game_in_their_order(kept: World) -> None:
    assert of(kept, GAME, "guild") == ["bid 2", "pass", "bid 2"]
    assert (of(kept, GAME, "fremen"), of(kept, OTHER, "guild"), of(kept, OTHER, "fremen")) == (["bid 2"], ["bid 2"], [])


def test_what_a_player_takes_back_stays_for_the_others(kept: World) -> None:
    with writing(kept.engine) as conn:
        games.withdraw_held_lines(conn, GAME, "guild", {"bid 2"})
    assert of(kept, GAME, "guild") == ["pass"]
    assert (of(kept, GAME, "fremen"), of(kept, OTHER, "guild")) == (["bid 2"], ["bid 2"])


def test_lines_of_a_seat_that_are_dropped_leave_those_of_other_seats_and_games(kept: World) -> None:
    with writing(kept.engine) as conn:
        games.drop_held_lines(conn, GAME, ["guild"])
    assert of(kept, GAME, "guild") == []
    assert (of(kept, GAME, "fremen"), of(kept, OTHER, "guild")) == (["bid 2"], ["bid 2"])


def test_they_are_taken_once_in_the_order_in_which_they_came(kept: World) -> None:
    with writing(kept.engine) as conn:
        taken = games.take_held_lines(conn, GAME)
        assert [(held.faction, held.lines) for held in taken] == [row[1:] for row in KEPT if row[0] == GAME]
        assert games.take_held_lines(conn, GAME) == []
    assert of(kept, OTHER, "guild") == ["bid 2"]
