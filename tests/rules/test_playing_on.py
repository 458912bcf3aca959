"""Tests for several winners at once, and for the vote to play on, with the expansion (IT.VICTORY.2)."""

from __future__ import annotations

import pytest

from rules.engine.play import Play
from rules.orders import EndGame, PlayOn
from rules.positions.position import position
from tests.rules.stage import say, told, until

SEATS = {"emperor": 17, "guild": 5, "ixians": 14, "fremen": 8}


def three_each(turn: int = 4, number: int = 0) -> Play:
    """Return a game in which the Guild and the Ixians hold three points each."""
    holds = {
        "guild": {"forces": {"carthag": "1", "tueks-sietch": "1"}},
        "ixians": {"forces": {"hidden-mobile-stronghold": "1", "arrakeen": "1", "sietch-tabr": "1"}},
    }
    start = {
        "turn": turn,
        "phase": "mentat",
        "storm": 14,
        "factions": list(SEATS),
        "dots": SEATS,
        "hms": "polar-sink",
        "tech_tokens": {"heighliners": "guild", "axlotl-tanks": "guild", "spice-production": "guild"},
        "faction": holds,
    }
    options = {"expansion": "ixians-tleilaxu"}
    play = position({"ruleset": "gf9-advanced", "options": options, "start": start}).play()
    play.state.box.victory_number = number
    play.begin_phase("mentat")
    play.settle()
    return play


@pytest.mark.clause("IT.VICTORY.2")
def test_all_are_asked_and_may_end_the_game_play_on_or_play_for_more() -> None:
    play = three_each()
    questions = until(play, "play-on")
    assert sorted(question.faction for question in questions) == sorted(SEATS)
    for question in questions:
        assert question.facts == {"winners": ["guild", "ixians"]}
        assert question.default == EndGame()
        assert question.samples() == [EndGame(), PlayOn(), PlayOn(4)]
        assert not any(question.refusal(order) for order in question.samples())


@pytest.mark.clause("IT.VICTORY.2")
@pytest.mark.parametrize(("number", "taken"), [(-3, False), (2, False), (3, True), (4, True), (7, True), (8, False)])
def test_a_player_needs_as_many_points_as_there_can_be(number: int, taken: bool) -> None:
    refusal = until(three_each(), "play-on")[0].refusal(PlayOn(number))
    assert (refusal is None) is taken
    assert refusal is None or refusal.reason == "The number of points must be from 3 to 7."


@pytest.mark.clause("IT.VICTORY.2")
def test_in_the_last_turn_the_game_ends_with_all_who_have_won() -> None:
    assert until(three_each(turn=9), "play-on")
    play = three_each(turn=10)
    assert until(play, "play-on") == []
    (ended,) = told(play, "game-won")
    assert sorted(ended.facts["winners"]) == ["guild", "ixians"]


@pytest.mark.clause("IT.VICTORY.2")
@pytest.mark.parametrize(("before", "said", "needed"), [(0, 3, 3), (0, 5, 5), (3, 4, 4), (3, None, 3)])
def test_what_is_needed_is_raised_and_never_lowered(before: int, said: int | None, needed: int) -> None:
    play = three_each(number=before)
    until(play, "play-on")
    for faction in SEATS:
        say(play, faction, PlayOn(said))
    assert play.state.box.victory_number == needed
    assert told(play, "played-on")[0].facts["number"] == (said or 0)
