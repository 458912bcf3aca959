"""In a gunboat game, nobody learns who plays which faction until the game is over."""

from __future__ import annotations

import pytest

from bot.desk import clocks, seats, sight
from bot.desk.game_view import json_view
from bot.desk.new_game import NewGame, Player, begin_game
from bot.desk.powers import DeskRequest
from bot.games.open_games import Session
from bot.press import read_press
from bot.store import archive, people
from bot.store.database import reading, writing
from rules.components import FACTIONS
from tests.moderator.table import DOTS, GAME, GAME_MASTER, World, address_of

NAMES = dict(zip(FACTIONS, ("Ann Able", "Bob Baker", "Cid Clark", "Dan Dix", "Eve East", "Flo Fox"), strict=True))


def gunboat(world: World, mode: str = "open,gunboat") -> World:
    players = {faction: Player(address_of(faction), NAMES[faction]) for faction in FACTIONS}
    with writing(world.engine) as conn:
        begin_game(
            Session(conn, world.moderator.open_games, world.now),
            NewGame(GAME, "ah-basic", players, dict(zip(FACTIONS, DOTS, strict=True)), "spice", press=read_press(mode)),
        )
    return world


def leaked(world: World) -> list[tuple[str | None, str]]:
    """Return the players' names and addresses that appear in letters to other people."""
    return [
        (letter.faction or letter.recipient, name)
        for letter in world.letters()
        if letter.recipient != "gm@arrakis.example"
        for faction, name in NAMES.items()
        for whole in (letter.message.as_string() + letter.text + letter.html,)
        if letter.faction != faction and (name in whole or address_of(faction) in whole)
    ]


def test_without_it_the_first_letter_says_who_plays(world: World) -> None:
    gunboat(world, "open")
    assert ("guild", NAMES["fremen"]) in leaked(world)


def test_no_letter_names_another_player_until_the_game_is_over(world: World) -> None:
    gunboat(world)
    assert "Until the game is over, nobody will be told who plays which faction" in world.newest("guild").text.replace(
        "\r\n", " "
    )
    sight.add_observer(DeskRequest(world.moderator.open_games, GAME, world.now), "watch@elsewhere.example")
    world.say("guild", "press to all: I am the Guild", "status", "absent 24 Dec to 26 Dec")
    world.say("fremen", "extend 5")
    while world.table().play.state.turn < 2:
        world.wait(24)
    assert any("I am the Guild" in letter.text for letter in world.letters("fremen"))
    assert leaked(world) == []
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    assert ("guild", NAMES["fremen"]) in leaked(world)


def test_a_substitute_is_announced_without_a_name(world: World) -> None:
    gunboat(world)
    seats.replace_player(
        DeskRequest(world.moderator.open_games, GAME, world.now), "guild", "gus@elsewhere.example", "Gus Gray"
    )
    told = [letter.text for letter in world.letters() if letter.faction not in ("guild", None)]
    assert not any("Gus" in text for text in told)
    assert any("From now on somebody else plays Guild" in " ".join(text.split()) for text in told)


def test_what_the_public_is_shown_names_nobody(world: World) -> None:
    gunboat(world)
    table = world.table()
    assert {seat["player"] for seat in json_view(table, "public", world.settings)["players"].values()} == {""}
    assert json_view(table, "guild", world.settings)["players"]["guild"]["player"] == NAMES["guild"]
    assert json_view(table, "gm", world.settings)["players"]["fremen"]["player"] == NAMES["fremen"]


def test_the_archive_of_a_running_game_names_nobody(world: World) -> None:
    gunboat(world)
    with writing(world.engine) as conn:
        people.choose_pseudonym(conn, address_of("guild"), "Spacer")
    with reading(world.engine) as conn:
        assert "Spacer" not in [each.name for each in archive.cast_of(conn, GAME)]
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    with reading(world.engine) as conn:
        assert "Spacer" in [each.name for each in archive.cast_of(conn, GAME)]


@pytest.mark.parametrize(
    ("mode", "who"), [("open,gunboat", "Guild writes: "), ("open", "Guild (guild@players.example) writes: ")]
)
def test_the_desk_is_told_from_which_seat_it_is_written_to_and_by_whom_only_where_that_may_be_known(
    world: World, mode: str, who: str
) -> None:
    gunboat(world, mode)
    world.say("guild", "press to gm: who won?")
    assert f"{who}who won?" in " ".join(world.newest(GAME_MASTER).text.split())


READERS: dict[str, set[str]] = {
    f"{NAMES['fremen']}": {"fremen"},
    "bob": {FACTIONS[1]},
    "CLARK, Dix": {FACTIONS[2], FACTIONS[3]},
    "all but Flo": set(FACTIONS) - {FACTIONS[5]},
    "Evve": set(),
}


@pytest.mark.parametrize("whom", READERS)
def test_press_is_written_to_players_by_their_names(world: World, whom: str) -> None:
    gunboat(world, "open")
    before = world.written()
    writer = FACTIONS[0]
    world.say(writer, f"press to {whom}: Under four eyes.")
    got = {letter.faction for letter in world.letters(after=before) if "Under four eyes." in letter.text}
    assert got - {writer} == READERS[whom] - {writer}


@pytest.mark.parametrize("whom", ["Flo Fox", "bob", "Nobody Known"])
def test_where_names_are_hidden_a_name_is_no_better_than_another_word(world: World, whom: str) -> None:
    gunboat(world)
    before = world.written()
    world.say("guild", f"press to {whom}: Under four eyes.")
    assert {letter.faction for letter in world.letters(after=before)} == {"guild"}
    answer = " ".join(world.newest("guild").text.split())
    assert f"There is no faction “{whom}”" in answer
