"""Tests for the commands that set a game's clocks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.desk import seats as sitters
from bot.desk.powers import DeskRequest
from rules.components import Faction
from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


@pytest.fixture
def begun(place: World) -> World:
    place.new_game(factions=FEW)
    return place


@pytest.mark.usefixtures("begun")
def test_a_game_is_paused_shown_as_such_and_resumed(mentat: Mentat) -> None:
    paused = mentat("game", "pause", GAME, "--why", "Christmas", "--json")
    assert paused.code == 0
    assert paused.json["stopped_at"]
    assert mentat("game", "show", GAME, "--json").json["stopped_at"] == paused.json["stopped_at"]
    assert mentat("tick", "--now", "2030-01-01", "--json").json == {"games": 0}
    again = mentat("game", "pause", GAME)
    assert again.code == 1
    assert "already paused" in again.err
    resumed = mentat("game", "resume", GAME, "--json")
    assert resumed.json["stopped_at"] is None
    assert resumed.json["deadline"]
    assert mentat("game", "resume", GAME).code == 1


@pytest.mark.usefixtures("begun")
def test_what_is_open_is_extended(mentat: Mentat) -> None:
    assert mentat("game", "extend", GAME, "36", "--json").json["deadline"] == "2024-11-29T08:00:00+00:00"
    for absurd in ("0", "-5", "1e9", "nan"):
        assert mentat("game", "extend", GAME, "--", absurd).code == 2
    assert mentat("game", "extend", GAME, "soon").code == 2
    assert mentat("game", "extend", "no-such-game", "5").code == 2


@pytest.mark.usefixtures("begun")
def test_the_clock_of_a_game_is_changed_and_shown_with_what_was_done_to_it(mentat: Mentat) -> None:
    mentat("game", "pause", GAME, "--why", "Christmas")
    ran = mentat("game", "clock", GAME, "due_at=20:30", "days_off=sunday", "--json")
    assert ran.code == 0
    assert ran.json["own"] == {"due_at": "20:30", "days_off": ["sunday"]}
    assert ran.json["clock"]["due_at"] == "20:30"
    assert [(act["what"], act["why"]) for act in ran.json["acts"]] == [("pause", "Christmas"), ("clock", "")]
    shown = mentat("game", "clock", GAME)
    assert "due_at = 20:30" in shown.out
    assert "pause" in shown.out


@pytest.mark.usefixtures("begun")
def test_a_clock_that_cannot_be_is_refused_and_changes_nothing(mentat: Mentat) -> None:
    ran = mentat("game", "clock", GAME, "due_at=25:00", "minimum_hours=-1")
    assert ran.code == 2
    assert "'25:00' is not a time of day" in ran.err
    assert "minimum_hours" in ran.err
    assert mentat("game", "clock", GAME, "--json").json["own"] == {}


def test_a_game_starts_with_a_clock_of_its_own(mentat: Mentat) -> None:
    players = ["--seat", "guild=ann@example.org", "--seat", "fremen=bob@example.org"]
    assert mentat("game", "new", "--id", "g", *players, "--clock", "step_hours=48").code == 0
    assert mentat("game", "clock", "g", "--json").json["clock"]["step_hours"] == "48"
    assert mentat("game", "new", "--id", "h", *players, "--clock", "step_hours=never").code == 2


def test_resume_without_a_game_lets_those_go_on_that_silence_has_stopped(mentat: Mentat) -> None:
    assert mentat("game", "resume", "--json").json == {"games": 0}


def test_games_that_the_silence_of_all_has_stopped_go_on_together_and_no_other(mentat: Mentat, place: World) -> None:
    for game in (GAME, "paused"):
        place.new_game(factions=FEW, game=game)
    mentat("game", "pause", "paused", "--why", "a wedding")
    with place.moderator.open_games.transaction(GAME) as (_, table):
        table.stopped_at, table.stopped_why = place.now, "silence"
    shown = mentat("game", "clock", GAME)
    assert shown.out.startswith("stopped since 2024-11-26 20:00Z: silence\n")
    assert mentat("game", "resume").out == "The clocks of 1 game are running again.\n"
    assert mentat("game", "resume").out == "The clocks of 0 games are running again.\n"
    assert "stopped since" not in mentat("game", "clock", GAME).out
    stopped = mentat("game", "clock", "paused").out.splitlines()
    assert stopped[0].startswith("stopped since ")
    assert stopped[-1].endswith("Z  pause  a wedding")


def test_time_can_pass_in_one_game_alone(mentat: Mentat, place: World) -> None:
    for game in (GAME, "other"):
        place.new_game(factions=FEW, game=game)
    later = "2024-12-24T20:00:00Z"
    letters, other = place.written(), place.table("other").revision
    ran = mentat("tick", "--now", later, "--game", GAME, "--json")
    assert (ran.code, ran.json) == (0, {"games": 1})
    assert place.table("other").revision == other
    told = place.letters(after=letters)
    assert told
    assert all(GAME in sent.subject and "[other]" not in sent.text for sent in told)
    assert mentat("tick", "--now", later, "--json").json["games"] >= 1
    assert place.table("other").revision > other


def test_time_passes_in_no_game_that_does_not_exist(mentat: Mentat, begun: World) -> None:
    before = begun.written()
    ran = mentat("tick", "--now", "2030-01-01", "--game", "nowhere")
    assert ran.code == 2
    assert "There is no game 'nowhere' here" in ran.err
    assert begun.written() == before


def test_a_reminder_of_one_game_alone_names_no_other_of_the_same_players(mentat: Mentat, place: World) -> None:
    for game in (GAME, "other"):
        place.new_game(factions=FEW, game=game)
    before = place.written()
    mentat("tick", "--now", "2024-11-27T17:00:00Z", "--game", GAME)
    told = place.letters(after=before)
    assert told
    assert all("[other]" not in sent.subject + sent.text for sent in told)


def test_what_is_due_in_several_games_is_done_in_the_one_that_is_named_alone(place: World) -> None:
    for game in (GAME, "other"):
        place.new_game(factions=FEW, game=game, tempo="steady", press="grey")
        until = place.now + timedelta(hours=3)
        sitters.set_sitter(
            DeskRequest(place.moderator.open_games, game, place.now), "guild", "sam@elsewhere.example", until
        )
        place.say("atreides", "letters daily", game=game)
        place.say("harkonnen", "press to all: Let us wait.", game=game)
        with place.moderator.open_games.transaction(game) as (_, table):
            table.seats["atreides"].digest_due = place.now
            table.touched.add("atreides")
    before = place.written()
    place.now += timedelta(hours=3)
    place.moderator.timekeeper.tick(place.now, GAME)
    told = [(letter.recipient, letter.subject) for letter in place.letters(after=before)]
    other = place.table("other")
    assert {subject.removeprefix(f"[{GAME}] ") for _, subject in told} == {
        "You no longer sit in", "Nobody sits in for you any more", "Somebody writes without a signature",
        "which traitor is yours? by Wed 20:00",
    }  # fmt: skip
    assert (other.seats["guild"].sitter, place.table().seats["guild"].sitter) == ("sam@elsewhere.example", "")
    assert all(subject.startswith(f"[{GAME}] ") for _, subject in told)
    before = place.written()
    place.moderator.timekeeper.tick(place.now)
    again = [(letter.recipient, letter.subject.replace("other", GAME)) for letter in place.letters(after=before)]
    assert sorted(again) == sorted(told)
