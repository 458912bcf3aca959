"""What of press the archive shows when a game is over: what was said before it began, and what nobody objects to."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.archive import shelf
from bot.archive.game_pages import press_page
from bot.archive.games import StoryGathering, play_steps
from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.games import retention
from bot.press import SentPress, ShownPress, press_to_show
from bot.store import press as store
from bot.store.database import reading
from rules.components import Faction
from tests.archive.finished import finished
from tests.moderator.table import GAME, World, address_of
from tests.press.test_modes_by_mail import game_with, told

LETTERS = [
    SentPress(1, "guild", ("fremen", "emperor"), True, True, "to all"),
    SentPress(1, "guild", ("fremen",), False, True, "to one"),
    SentPress(2, "emperor", ("fremen", "guild"), True, False, "unsigned to all"),
    SentPress(2, "emperor", ("fremen",), False, False, "unsigned; write to me@home.example"),
]


def test_everything_where_everything_may_be_known_and_nobody_objects() -> None:
    assert press_to_show(LETTERS, (), everything=True) == [
        ShownPress(1, "guild", (), "to all"),
        ShownPress(1, "guild", ("fremen",), "to one"),
        ShownPress(2, "emperor", (), "unsigned to all"),
        ShownPress(2, "emperor", ("fremen",), "unsigned; write to …@…"),
    ]


@pytest.mark.parametrize(("who", "left"), [("guild", 3), ("emperor", 3), ("fremen", 2)])
def test_one_of_the_two_ends_is_enough_to_keep_it_private(who: Faction, left: int) -> None:
    seen = press_to_show(LETTERS, (who,), everything=True)
    assert len(seen) == left
    assert (seen[-1].faction is None) == (who == "emperor")


def test_where_hidden_things_stay_hidden_only_what_all_have_read_is_shown_and_no_writer_named() -> None:
    seen = press_to_show(LETTERS, (), everything=False)
    assert [(each.faction, each.readers) for each in seen] == [("guild", ()), (None, ())]


def written(world: World) -> None:
    world.say("guild", "press to fremen: between us two", "press to all: for everybody")
    world.say("emperor", "press to fremen: between us other two")


@pytest.mark.parametrize("mode", ["open", "open,archived"])
def test_the_archive_shows_it_where_the_game_began_so(world: World, mode: str) -> None:
    game_with(world, mode)
    written(world)
    world.say("emperor", "archive press no")
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    world.wait(1)
    world.say("guild", "press to fremen: after the end")
    game = shelf.finished(world.engine, GAME)
    shown = [each.words for each in game.press]
    assert shown == ([] if mode == "open" else ["between us two", "for everybody"])


def test_what_is_shown_is_in_the_key_of_its_pages(world: World) -> None:
    game_with(world, "open,archived")
    written(world)
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    [before] = shelf.shelved(world.engine)
    assert world.say("fremen", "archive press no").taken == 1
    [after] = shelf.shelved(world.engine)
    assert before.key != after.key
    assert [each.words for each in shelf.finished(world.engine, GAME).press] == ["for everybody"]


def test_the_page_tells_it_turn_by_turn_and_obeys_no_markup_in_it() -> None:
    press = [ShownPress(1, "guild", ("fremen", "emperor"), "<b>one</b>"), ShownPress(3, None, (), "three")]
    game = replace(finished(players=2), press=press)
    gathering = StoryGathering(game, "archive")
    for step in play_steps(game, "archive"):
        gathering.see(step)
    page = press_page(gathering.told()).decode()
    text = " ".join(re.sub("<[^>]+>", "", page).replace("&nbsp;", " ").split())
    assert "G Guild to F Fremen and E Emperor" in text
    assert "Somebody to all" in page
    assert "&lt;b&gt;one&lt;/b&gt;" in page
    assert page.index("Turn 1") < page.index("Turn 3")


def test_the_players_are_told_before_the_first_letter(world: World) -> None:
    game_with(world, "open,archived")
    text = " ".join(world.newest("guild").text.split())
    assert "When the game is over, the archive shows what players wrote to each other" in text
    assert "It never shows addresses or times of day" in text
    assert "times of day or what you write to each other" not in text


@pytest.mark.parametrize("mode", ["open", "open,archived"])
def test_words_go_with_the_mail_of_a_game_that_is_over_unless_they_are_shown(world: World, mode: str) -> None:
    game_with(world, mode)
    written(world)
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    world.wait(24)
    retention.carry_out_deletion(world.moderator.open_games, retention.bodies_before(world.now))
    with reading(world.engine) as conn:
        assert any(each.words for each in store.press_of_game(conn, GAME)) == (mode == "open,archived")


def test_the_words_of_a_deleted_person_go_wherever_they_were_to_be_shown(world: World) -> None:
    game_with(world, "open,archived")
    written(world)
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    retention.carry_out_deletion(world.moderator.open_games, retention.a_person(address_of("guild")))
    assert [each.words for each in shelf.finished(world.engine, GAME).press] == ["between us other two"]


def test_a_player_who_lets_their_letters_be_shown_after_all_is_told_so(world: World) -> None:
    game_with(world, "open,archived")
    written(world)
    world.say("fremen", "archive press no")
    assert "The archive will not show what you wrote to other players" in told(world, "fremen")
    world.say("fremen", "archive press yes")
    assert "the archive may show what you and another player wrote to each other" in told(world, "fremen")
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    shown = [each.words for each in shelf.finished(world.engine, GAME).press]
    assert shown == ["between us two", "for everybody", "between us other two"]
