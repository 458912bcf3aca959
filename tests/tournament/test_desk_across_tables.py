"""A tournament's players learn nothing sealed at the desks of its other tables while a round is open, and cannot sit
in there."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.desk import rights, seats
from bot.desk.powers import DeskRequest, PowerRefused, Use, right_at
from bot.store import acts
from bot.store.acts import GrantedRight, Right
from bot.store.database import reading, writing
from tests.moderator.table import GAME_MASTER
from tests.tournament.cup import Cup, address

HERE = "cup-1-1"


def of_the_other_table(cup: Cup) -> str:
    """Return the address of a player at the second table."""
    at_first = {seat.address for seat in cup.world.table(HERE).seats.values()}
    return next(address(number) for number in range(1, 13) if address(number) not in at_first)


@pytest.mark.parametrize("right", ["director", "arbiter", "auditor"])
def test_no_right_that_sees_what_is_sealed_goes_to_a_player_of_another_table(cup: Cup, right: Right) -> None:
    cup.round()
    player = of_the_other_table(cup)
    with pytest.raises(PowerRefused, match="tournament"):
        rights.grant(DeskRequest(cup.open_games, HERE, cup.now), right, player)
    rights.grant(DeskRequest(cup.open_games, HERE, cup.now), "clerk", player)
    with pytest.raises(PowerRefused, match="tournament"):
        rights.hand_over(DeskRequest(cup.open_games, HERE, cup.now), player)


def test_a_right_from_before_the_entry_is_that_of_a_clerk_while_the_round_is_open(cup: Cup) -> None:
    cup.round()
    player = of_the_other_table(cup)
    with writing(cup.world.engine) as conn:
        acts.grant_right(conn, GrantedRight(player, "arbiter", "t" * 16, cup.now, game_id=HERE))
    with reading(cup.world.engine) as conn:
        assert right_at(conn, cup.open_games, cup.world.table(HERE), player) == "clerk"


def test_a_player_of_another_table_sits_in_for_nobody_and_takes_no_seat(cup: Cup) -> None:
    cup.round()
    player = of_the_other_table(cup)
    until = cup.now + timedelta(days=9)
    with pytest.raises(PowerRefused, match="tournament"):
        seats.set_sitter(DeskRequest(cup.open_games, HERE, cup.now), "guild", player, until)
    with pytest.raises(PowerRefused, match="tournament"):
        seats.replace_player(DeskRequest(cup.open_games, HERE, cup.now, Use(why="x")), "guild", player)


def test_what_players_write_to_the_desk_is_read_by_no_organiser_who_plays_at_another_table(cup: Cup) -> None:
    cup.round()
    world, player = cup.world, of_the_other_table(cup)
    cup.grant("ann@x.example", "director")
    cup.grant("bob@x.example", "clerk")
    cup.grant(player, "director")
    with writing(world.engine) as conn:
        acts.grant_right(conn, GrantedRight(address(8), "director", "t" * 16, cup.now, game_id=HERE))
    letters = world.written()
    guild = world.table(HERE).seats["guild"]
    mail = world.mail("guild", "press to gm: I hold a Karama", sender=guild.address, game=HERE)
    assert world.moderator.deliver(mail, cup.now).taken == 1
    read = {letter.recipient for letter in world.letters(after=letters) if "I hold a Karama" in letter.text}
    assert read - {guild.address} == {GAME_MASTER, "ann@x.example"}
