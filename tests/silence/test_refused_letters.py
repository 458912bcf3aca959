"""Refused and bounced letters: when they show that a player's mailbox fails, and for how long they count."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.games.open_games import Session
from bot.games.silent_players import FOR_NOW, FOR_THE_LETTER, FORGOTTEN_AFTER, take_bounce, take_refusal
from bot.store.mail import Letter
from rules.components import Faction
from tests.moderator.table import ADDRESS, GAME, GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World.at(tmp_path)
    made.new_game(factions=FEW)
    return made


@pytest.mark.parametrize(
    ("recipient", "game", "faction", "unreachable"),
    [
        (address_of("guild"), GAME, "guild", True),
        ("guild@elsewhere.example", GAME, "guild", False),
        ("olga@elsewhere.example", GAME, None, False),
        (address_of("guild"), None, None, False),
    ],
)
def test_a_letter_that_was_refused_speaks_of_a_seat_if_it_went_to_the_address_of_its_player(
    world: World, recipient: str, game: str | None, faction: Faction | None, unreachable: bool
) -> None:
    letter = Letter("<1@arrakis.example>", ADDRESS, recipient, "Your turn", b"", game, faction)
    games = world.moderator.open_games
    with games.transaction(GAME) as (conn, _):
        take_refusal(Session(conn, games, world.now), letter, "550 no such user")
    assert world.table().seats["guild"].unreachable is unreachable
    told = " ".join(world.newest(GAME_MASTER).text.split())
    assert "550 no such user" in told
    assert recipient in told
    assert ("The letter 'Your turn'" in told) is not unreachable


@pytest.mark.parametrize(
    ("later", "believed"), [(FORGOTTEN_AFTER - timedelta(seconds=1), True), (FORGOTTEN_AFTER, False)]
)
def test_what_came_back_a_week_ago_counts_no_more(world: World, later: timedelta, believed: bool) -> None:
    games = world.moderator.open_games
    for points, now in ((FOR_THE_LETTER, world.now), (FOR_NOW, world.now + later)):
        with games.transaction(GAME) as (conn, table):
            take_bounce(Session(conn, games, now), table, "guild", points, "452 full")
    seat = world.table().seats["guild"]
    assert (seat.unreachable, seat.undelivered) == (believed, FOR_THE_LETTER + FOR_NOW if believed else FOR_NOW)
