"""A player's choice of letters (all, only those that ask for something, or one a day) and the answer to ``help``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.table.rounds import next_digest
from bot.table.table import Seat
from rules.components import FACTIONS, Faction
from tests.moderator.table import GAME, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
STEADY: dict[str, Any] = {"ruleset": "wbc-2018", "tempo": "steady"}


def to(world: World, faction: str, after: int) -> list[str]:
    return [letter.text for letter in world.letters(faction, after) if letter.faction == faction]


def test_who_wants_letters_that_ask_gets_no_summary_and_learns_its_news_from_the_next(world: World) -> None:
    world.new_game(factions=FEW, **STEADY)
    assert world.say("guild", "letters wanted").taken == 1
    assert "you will get a letter when we have a question for you" in " ".join(world.newest("guild").text.split())
    before = world.written()
    world.silence_until("bidding", turn=2)
    assert any("turn 1 is over" in text for text in to(world, "atreides", before))
    assert not any("turn 1 is over" in text for text in to(world, "guild", before))
    assert "Turn 1, " in " ".join(letter.text for letter in world.letters("guild", before))


def test_the_same_letters_come_to_all_others_whatever_one_player_wants(world: World) -> None:
    found = []
    for name, mode in (("one", "all"), ("two", "wanted")):
        world.new_game(game=name, factions=FEW, **STEADY)
        world.say("guild", f"letters {mode}", game=name)
    play_to_turn_of(world, "two", 2)
    for name in ("one", "two"):
        letters = [letter for letter in world.letters() if letter.faction == "atreides" and name in letter.subject]
        found.append([letter.subject.replace(name, "") for letter in letters])
    assert found[0] == found[1]


def play_to_turn_of(world: World, game: str, turn: int) -> None:
    for _ in range(400):
        if world.table(game).play.state.turn >= turn:
            return
        world.wait(12)
    raise AssertionError(f"turn {turn} never came")


def test_who_wants_one_letter_a_day_gets_one_in_the_morning_and_sooner_what_cannot_wait(world: World) -> None:
    world.new_game(factions=FEW, **STEADY)
    world.say("guild", "letters daily", "timezone Europe/Berlin", "waking 8:00 to 22:00")
    at = []
    for _ in range(12 * 24):
        before = world.written()
        world.wait(1)
        if [letter for letter in world.letters("guild", before) if "reminder)" not in letter.subject]:
            at.append(world.now.astimezone(ZoneInfo("Europe/Berlin")))
    assert at, "letters come"
    mornings = [moment.date() for moment in at if (moment.hour, moment.minute) == (8, 0)]
    assert len(mornings) >= 3
    assert len(set(mornings)) == len(mornings)


def test_a_daily_letter_comes_as_its_reader_wakes() -> None:
    world = datetime(2026, 11, 22, 6, 30, tzinfo=UTC)
    seat = a_seat("Europe/Berlin", "08:00-22:00")
    assert next_digest(seat, world) == datetime(2026, 11, 22, 7, tzinfo=UTC)
    assert next_digest(seat, world + timedelta(minutes=30)) == datetime(2026, 11, 23, 7, tzinfo=UTC)
    assert next_digest(seat, world + timedelta(hours=1)) == datetime(2026, 11, 23, 7, tzinfo=UTC)
    assert next_digest(a_seat("UTC", ""), world) == datetime(2026, 11, 22, 7, tzinfo=UTC)


def a_seat(zone: str, waking: str) -> Seat:
    return Seat("guild", 2, "g@x.example", "G", zone, "t", "b", waking=waking)


@pytest.mark.parametrize("phase", ["setup", "bidding", "movement"])
def test_help_says_in_ten_lines_what_can_be_done_now(world: World, phase: str) -> None:
    world.new_game("wbc-2018")
    if phase != "setup":
        world.silence_until(phase)
    asked: Faction = next(iter(world.asked()))
    other: Faction = next(faction for faction in FACTIONS if faction not in world.asked())
    for faction in (asked, other):
        world.say(faction, "help")
        said = world.newest(faction).text
        told = said[said.index("Waiting for your answer" if faction == asked else "There is nothing to do right now") :]
        lines = told[: told.index("rules lasgun")].splitlines()
        assert len(lines) <= 12
    world.say(asked, "help all")
    assert "bid up to N by N" in world.newest(asked).text


def test_an_example_of_help_can_be_sent_as_it_stands(world: World) -> None:
    world.new_game()
    world.silence_until("bidding")
    bidder = next(faction for faction, kinds in world.asked().items() if kinds == ["bid"])
    world.say(bidder, "help")
    example = next(line for line in world.newest(bidder).text.splitlines() if line.strip().startswith("bid "))
    assert world.say(bidder, example.strip()).taken == 1


def test_words_for_the_game_master_go_to_them_alone(world: World) -> None:
    world.new_game()
    before = world.written()
    assert world.say("guild", "press to gm: May I swap seats with the Emperor?").taken == 1
    told = [letter for letter in world.letters(after=before) if "swap seats" in letter.text and letter.faction is None]
    assert [letter.recipient for letter in told] == ["gm@arrakis.example"]
    assert address_of("guild") in told[0].text
    assert GAME in told[0].subject
