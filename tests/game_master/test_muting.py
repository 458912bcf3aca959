"""A muted seat can write only to the desk: who is told, who may mute, and what does not change."""

from __future__ import annotations

import pytest

from bot.desk import clocks, speech
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games.open_games import acts_of
from bot.store import press
from bot.store.database import reading
from tests.moderator.table import GAME, World


def test_the_seat_and_its_table_are_told_and_nobody_why(begun: World) -> None:
    before, log = begun.written(), begun.table().play.log
    speech.mute(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(why="threats", tell="Be kind.")), "guild")
    letters = begun.letters(after=before)
    assert [letter.faction for letter in letters] == list(begun.table().seats)
    assert not any("threats" in letter.message.as_string() for letter in letters)
    assert all("Be kind." in letter.text for letter in letters)
    assert {letter.faction for letter in letters if "for now you may write only" in " ".join(letter.text.split())} == {
        "guild"
    }
    assert begun.table().play.log == log
    assert begun.say("guild", "press to all: hm").taken == 0
    assert begun.say("guild", "press to gm: why?").taken == 1
    assert begun.say("fremen", "press to guild: hm").taken == 1
    with reading(begun.engine) as conn:
        [act] = acts_of(conn, GAME)
    assert (act.what, act.words, act.why, act.tell) == ("mute", "guild", "threats", "Be kind.")


def test_whose_game_is_over_is_told_that_of_their_deal_and_not_that_they_are_muted(begun: World) -> None:
    speech.mute(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild")
    begun.say("guild", "deal with fremen: peace")
    assert "A deal is a message to another player, so it is not offered." in " ".join(
        begun.newest("guild").text.split()
    )
    clocks.end_game(DeskRequest(begun.moderator.open_games, GAME, begun.now), "void", ())
    begun.say("guild", "deal with fremen: peace")
    assert "REFUSED The game is over." in " ".join(begun.newest("guild").text.split())


def test_it_is_taken_back(begun: World) -> None:
    speech.mute(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild")
    with pytest.raises(PowerRefused, match="already"):
        speech.mute(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild")
    speech.unmute(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild")
    assert begun.say("guild", "press to all: hm").taken == 1
    with pytest.raises(PowerRefused, match="not muted"):
        speech.unmute(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild")


def test_a_dry_run_and_a_game_that_has_moved_on_change_nothing(begun: World) -> None:
    speech.mute(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(dry_run=True)), "guild")
    with pytest.raises(PowerRefused, match="has moved on"):
        speech.mute(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(at="4/bidding")), "guild")
    with reading(begun.engine) as conn:
        assert not press.is_muted(conn, GAME, "guild")
