"""Tests for a game's accounts: payments, reshuffled discards and returning leaders."""

from __future__ import annotations

import pytest

from rules.components import Card, Leader
from rules.engine.play import Play
from tests.rules.stage import at, told

STILGAR = Leader("Stilgar")


def two(phase: str) -> Play:
    players = {"guild": {"spice": 5, "reserves": "20"}, "fremen": {"spice": 3, "reserves": "20"}}
    return at(phase, "ah-basic", factions=list(players), faction=players)


@pytest.mark.parametrize("amount", [-1, 6])
def test_nobody_pays_what_they_have_not_got_or_less_than_nothing(amount: int) -> None:
    play = two("bidding")
    with pytest.raises(ValueError, match="cannot pay"):
        play.game.pay("guild", amount, "fremen")
    assert (play.game.player("guild").spice, play.game.player("fremen").spice) == (5, 3)


@pytest.mark.parametrize("amount", [0, 5])
def test_they_pay_all_they_have_or_nothing(amount: int) -> None:
    play = two("bidding")
    play.game.pay("guild", amount, "fremen")
    assert (play.game.player("guild").spice, play.game.player("fremen").spice) == (5 - amount, 3 + amount)


def test_the_discards_are_shuffled_only_where_the_deck_is_empty_and_there_are_some() -> None:
    play = two("revival")
    game, state = play.game, play.game.state
    state.treachery_deck, state.treachery_discard = [Card("Shield")], [Card("Snooper")]
    game.restock_treachery()
    assert state.treachery_deck == ["Shield"]
    state.treachery_deck, state.treachery_discard = [], []
    game.restock_treachery()
    assert not told(play, "treachery-reshuffled")
    state.treachery_discard = [Card("Snooper")]
    game.restock_treachery()
    assert (state.treachery_deck, state.treachery_discard) == (["Snooper"], [])
    assert [event.facts["cards"] for event in told(play, "treachery-reshuffled")] == [1]


@pytest.mark.clause("AH.QA.A.5")
@pytest.mark.parametrize(("phase", "out"), [("revival", False), ("battle", True)])
def test_a_leader_who_comes_back_while_battles_are_fought_sits_out_the_rest_of_them(phase: str, out: bool) -> None:
    game = two("revival").game
    game.kill_leader(STILGAR)
    game.moments.battles_begun = phase == "battle"
    game.revive_leader(STILGAR)
    assert game.state.leaders[STILGAR].status == "ready"
    assert game.state.leaders[STILGAR].sits_out is out
