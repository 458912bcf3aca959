"""Press that is held for a second thought, reported, copied to the desk, or sent with a false list of readers."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.desk import seats, sight
from bot.desk.powers import DeskRequest
from bot.press import consents_in, harsh_word, settings_in
from bot.store import acts
from bot.store import press as press_store
from bot.store.acts import GrantedRight
from bot.store.database import reading, writing
from rules.components import FACTIONS, as_faction
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, World, address_of
from tests.press.test_modes_by_mail import game_with, told


def test_harsh_words_are_whole_words() -> None:
    assert harsh_word("You IDIOTS!") == "IDIOTS"
    assert harsh_word("shut  up, Baron") == "shut  up"
    assert harsh_word("The assassin classifies the Atreides; Dickens was no foolhardy man") == ""


def test_harsh_words_wait_for_a_second_thought_and_are_never_lost(world: World) -> None:
    game_with(world, "open,language")
    before = world.written()
    assert world.say("guild", "press to fremen, emperor: you idiots").taken == 0
    assert "It contains the word “idiots”" in told(world, "guild")
    assert world.written() == before + 1
    assert world.say("guild", "send anyway").taken == 1
    assert "you idiots" in world.newest("fremen").text
    assert "Guild writes to you and Emperor:" in world.newest("fremen").text
    assert world.say("guild", "send anyway").taken == 0


def test_another_press_takes_the_place_of_what_was_held(world: World) -> None:
    game_with(world, "open,language")
    world.say("guild", "press to fremen: you idiot")
    world.say("guild", "press to fremen: my friend")
    assert world.say("guild", "send anyway").taken == 0


def test_without_the_setting_nothing_is_held(begun: World) -> None:
    assert begun.say("guild", "press to fremen: you idiot").taken == 1


def test_what_was_held_goes_out_by_the_rules_of_the_hour(world: World) -> None:
    game_with(world, "grey,language,quota=1")
    world.say("guild", "press to all: you idiots")
    world.say("guild", "press to fremen: my friend")
    assert world.say("guild", "send anyway").taken == 0
    world.say("emperor", "press to all: you idiots")
    assert world.say("emperor", "send anyway").taken == 1
    assert "you idiots" not in world.newest("fremen").text
    world.wait(2)
    to_all = [letter for letter in world.letters("fremen") if "writes to all, including themselves" in letter.text]
    assert len(to_all) == 1
    assert "Somebody" in world.newest("emperor").subject


def test_a_reader_shows_press_to_the_game_master_as_it_was_written(world: World) -> None:
    game_with(world, "grey")
    world.say("guild", "press to all: I am the Emperor")
    world.wait(2)
    assert "report 1" in world.newest("fremen").text
    before = world.written()
    assert world.say("fremen", "report 1: they lie about who they are").taken == 1
    letters = world.letters(after=before)
    assert {letter.recipient for letter in letters} == {GAME_MASTER, address_of("fremen")}
    reported = " ".join(world.newest(GAME_MASTER).text.split())
    assert "Fremen has reported press in sietch-12: they lie about who they are" in reported
    assert "written by Guild, unsigned" in reported
    assert "I am the Emperor" in reported
    assert "Guild" not in " ".join(world.newest("fremen").text.split()).partition("Open: ")[0]


def test_numbers_count_what_this_reader_got_and_nothing_else(begun: World) -> None:
    for _ in range(3):
        begun.say("guild", "press to emperor: hm")
    begun.say("guild", "press to fremen: first")
    begun.say("guild", "press to all: second")
    assert "report 2" in begun.newest("fremen").text
    assert begun.say("fremen", "report 3").taken == 0
    assert "You have had 2 letters from other players" in told(begun, "fremen")
    assert begun.say("harkonnen", "report 2", "report 0").taken == 0


def test_an_arbiter_of_the_game_is_shown_it_too_and_nobody_who_plays(begun: World) -> None:
    with writing(begun.engine) as conn:
        acts.grant_right(conn, GrantedRight("rey@elsewhere.example", "arbiter", "token-1", begun.now, game_id=GAME))
        acts.grant_right(conn, GrantedRight("clerk@elsewhere.example", "clerk", "token-2", begun.now, game_id=GAME))
        acts.grant_right(conn, GrantedRight(address_of("emperor"), "arbiter", "token-3", begun.now, game_id=GAME))
    begun.say("guild", "press to fremen: hm")
    before = begun.written()
    begun.say("fremen", "report 1")
    assert {letter.recipient for letter in begun.letters(after=before)} == {
        GAME_MASTER, "rey@elsewhere.example", address_of("fremen"),
    }  # fmt: skip


def test_copies_to_the_desk_are_sent_and_every_letter_says_so(world: World) -> None:
    game_with(world, "open,copies-to-desk")
    assert "The game master reads everything that players write to each other" in told(world, "emperor")
    world.say("guild", "press to fremen: hm")
    assert "The game master of this game reads everything that players write" in " ".join(
        world.newest("fremen").text.split()
    )
    assert "Guild writes to Fremen:" in " ".join(world.newest(GAME_MASTER).text.split())


def test_no_copy_goes_to_the_desk_where_that_was_not_said(begun: World) -> None:
    before = len(begun.letters(GAME_MASTER))
    begun.say("guild", "press to fremen: hm")
    assert len(begun.letters(GAME_MASTER)) == before


@pytest.mark.parametrize("who", ["none", "desk", "white"])
def test_observers_read_what_is_signed_and_to_all_where_that_was_said(world: World, who: str) -> None:
    game_with(world, f"mixed,observers={who}")
    sight.add_observer(DeskRequest(world.moderator.open_games, GAME, world.now), "watch@elsewhere.example")
    welcome = world.newest("watch@elsewhere.example")
    assert str(welcome.message["Reply-To"].addresses[0].addr_spec) == (
        "mentat@arrakis.example" if who == "none" else GAME_MASTER
    )
    world.say("guild", "press to all: for all", "press to fremen: for one", "press unsigned to all: who am I")
    world.wait(2)
    got = [letter.text for letter in world.letters("watch@elsewhere.example")[1:]]
    assert ["for all" in text for text in got] == ([True] if who == "white" else [])
    assert not any("report 0" in text or "To answer" in text for text in got)


def test_letters_name_false_readers_only_when_everybody_has_agreed(world: World) -> None:
    game_with(world, "fake")
    line = "press to fremen as to fremen, emperor: hm"
    assert world.say("guild", line).taken == 0
    assert "some have not" in told(world, "guild")
    for faction in FACTIONS:
        assert world.say(faction, "false readers yes").taken == 1
    assert world.say("guild", line).taken == 1
    assert "Guild writes to you and Emperor:" in world.newest("fremen").text
    seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "emperor", "eve@elsewhere.example")
    assert world.say("guild", line).taken == 0
    world.say("harkonnen", "false readers no")
    assert world.say("guild", line).taken == 0


def test_whose_seat_the_caretaker_plays_need_not_agree_to_false_readers_and_may_have_done_so(world: World) -> None:
    game_with(world, "fake")
    line = "press to fremen as to fremen, emperor: hm"
    for faction in FACTIONS:
        if faction != "harkonnen":
            world.say(faction, "false readers yes")
    assert world.say("guild", line).taken == 0
    for faction in ("harkonnen", "emperor"):
        seats.set_caretaker(DeskRequest(world.moderator.open_games, GAME, world.now), as_faction(faction), True)
        assert world.say("guild", line).taken == 1


def test_in_another_mode_there_is_nothing_to_agree_to(begun: World) -> None:
    assert begun.say("guild", "false readers yes").taken == 0


@pytest.mark.parametrize("text", ["fake", "fake;false-readers=fremen,guild", "open,archived;private=guild"])
def test_what_players_have_said_stands_behind_the_settings(text: str) -> None:
    assert consents_in(text).after(settings_in(text).words) == text


def test_where_only_players_could_read_it_nothing_is_reported(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG.replace(GAME_MASTER, address_of("emperor")))
    world.new_game()
    world.say("guild", "press to fremen: hm")
    before = world.written()
    assert world.say("fremen", "report 1: rude").taken == 0
    assert "so none of them may judge. Please write to the organisers yourself" in told(world, "fremen")
    assert {letter.recipient for letter in world.letters(after=before)} == {address_of("fremen")}
    with reading(world.engine) as conn:
        assert [press.reported_by for press in press_store.press_of_game(conn, GAME)] == [()]
    world.engine.dispose()
