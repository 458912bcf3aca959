"""Tests for ratings and statistics on the command line."""

from __future__ import annotations

import pytest

from bot.store.archive import finished_games
from bot.store.database import reading, writing
from tests.cli.conftest import Mentat
from tests.cli.test_archive import THREE, end
from tests.competition.a_table import SIX
from tests.competition.rated_tournament import make, write
from tests.moderator.table import GAME, World


@pytest.fixture
def rated(place: World) -> World:
    """Return a world with a tournament of seven players, six of whom have played seven games."""
    with writing(place.engine) as conn:
        make(conn, "cup")
        for number in range(1, 8):
            write(conn, "cup", number, [SIX[number % 6]])
    return place


def test_everybody_in_the_public_list_is_shown_with_rank_and_games(rated: World, mentat: Mentat) -> None:
    ran = mentat("rating", "show", "--json")
    assert ran.code == 0, ran.err
    players = ran.json["players"]
    assert [one["rank"] for one in players] == [1, 2, 3, 4, 5, 6]
    assert sorted(one["games"] for one in players) == [7] * 6
    assert {one["name"] for one in players} == {"", "A", "C", "D", "E", "F"}, "b has not agreed to be shown"
    assert sum(float(one["worth"]) for one in ran.json["factions"]) == pytest.approx(0, abs=1e-5)
    told = mentat("rating", "show").out
    assert "player 2" in told
    assert "example.org" not in told


def test_one_person_is_shown_by_address_or_name(rated: World, mentat: Mentat) -> None:
    by_address, by_name = mentat("rating", "show", "A@example.org"), mentat("rating", "show", "a")
    assert by_address.out == by_name.out
    assert "7 games" in by_name.out
    assert mentat("rating", "show", "nobody@example.org").code == 2


def test_the_history_of_a_person_leads_to_their_rating(rated: World, mentat: Mentat) -> None:
    ran = mentat("rating", "history", "c@example.org", "--json").json
    assert len(ran["history"]) == 7
    assert ran["history"][0]["before"] == "1500.000000"
    assert ran["history"][-1]["after"] == ran["rating"]
    for one, other in zip(ran["history"], ran["history"][1:], strict=False):
        assert one["after"] == other["before"]
    assert mentat("rating", "history", "c@example.org").out.count("cup-") == 7


def test_a_person_may_be_out_of_the_public_list(rated: World, mentat: Mentat) -> None:
    assert mentat("rating", "private", "a@example.org").code == 0
    assert "A" not in {one["name"] for one in mentat("rating", "show", "--json").json["players"]}
    assert mentat("rating", "show", "a@example.org").code == 0
    assert mentat("rating", "private", "a@example.org", "--off").code == 0
    assert "A" in {one["name"] for one in mentat("rating", "show", "--json").json["players"]}


def test_whether_somebody_stands_in_the_public_list_is_said_in_words(rated: World, mentat: Mentat) -> None:
    for words, said in (((), "is not in the public list"), (("--off",), "is in the public list")):
        assert mentat("rating", "private", "a@example.org", *words).out == f"A {said}.\n"
    alone = mentat("rating", "private", "a@example.org", "--json").json
    assert alone["private"] is True


def test_without_a_rated_game_nobody_has_a_rating(place: World, mentat: Mentat) -> None:
    assert "Nobody has a rating yet" in mentat("rating", "show").out
    assert mentat("rating", "show", "--json").json == {"players": [], "factions": []}


@pytest.fixture
def ended(place: World) -> World:
    """Return a world with one finished and one running game."""
    place.new_game(factions=THREE, max_turns=1)
    end(place)
    place.new_game(game="sietch-13")
    return place


@pytest.mark.parametrize("what", ["factions", "alliances", "turns", "players"])
def test_statistics_are_of_games_that_are_over_and_say_of_how_many(ended: World, mentat: Mentat, what: str) -> None:
    ran = mentat("stats", what, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["games"] == 1
    assert mentat("stats", what).out.startswith("1 finished game: too few to tell anything.\n")
    assert mentat("stats", what, "--ruleset", "gf9-advanced", "--json").json["games"] == 0
    assert mentat("stats", what, "--since", "2100-01-01", "--json").json["games"] == 0
    assert mentat("stats", what, "--since", "soon").code == 2


def test_statistics_count_the_game_as_it_was_won(ended: World, mentat: Mentat) -> None:
    with reading(ended.engine) as conn:
        (game,) = finished_games(conn)
    assert game.game == GAME
    assert game.turn == 1
    assert game.letters > 0
    assert game.days >= 1
    figures = {one["faction"]: one for one in mentat("stats", "factions", "--json").json["factions"]}
    assert set(figures) == set(THREE)
    assert {faction for faction, one in figures.items() if one["wins"]["won"]} == set(game.winners)
    kinds = mentat("stats", "turns", "--json").json["kinds"]
    assert [kind["how"] for kind in kinds] == [game.how]


def test_only_who_agreed_is_listed_among_the_players(ended: World, mentat: Mentat) -> None:
    assert mentat("stats", "players", "--json").json["players"] == []
    ended.say("guild", "archive name Edric", game="sietch-13")
    assert mentat("stats", "players", "--json").json["players"] == []
    ended.say("guild", "archive listed yes", game="sietch-13")
    (edric,) = mentat("stats", "players", "--json").json["players"]
    assert (edric["name"], edric["wins"]["played"], edric["factions"]) == ("Edric", 1, {"guild": 1})
    assert float(edric["reliability"]) < 0.9, "they were silent in the whole game"
    assert edric["duties"] > 0
