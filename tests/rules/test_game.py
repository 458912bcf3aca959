"""Tests for the position: impossible transfers are refused, and reshuffled cards are no longer known."""

from __future__ import annotations

import pytest

from rules.components import Card, Forces
from rules.components.board import Area
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.state.game import Game


@pytest.fixture
def game() -> Game:
    """Return a game before the set-up of the Guild, who have five spice, and Harkonnen."""
    rules = load_rule_set("gf9-basic").with_options({"expansion": "ixians-tleilaxu"})
    return Play.start(rules, "box", {"guild": 2, "harkonnen": 5}).game


@pytest.mark.parametrize(("cards", "full"), [(7, False), (8, True), (9, True)])
def test_a_hand_is_full_at_its_limit_and_beyond(game: Game, cards: int, full: bool) -> None:
    game.player("harkonnen").hand[:] = [Card("Shield")] * cards
    assert game.hand_full("harkonnen") == full


@pytest.mark.parametrize("amount", [-1, 6])
def test_nobody_pays_less_than_nothing_or_more_than_they_have(game: Game, amount: int) -> None:
    with pytest.raises(ValueError, match=f"^guild cannot pay {amount} of 5$"):
        game.pay("guild", amount, to="harkonnen")
    assert (game.player("guild").spice, game.player("harkonnen").spice) == (5, 10)


def test_all_and_nothing_can_be_paid(game: Game) -> None:
    game.pay("guild", 0, to="harkonnen")
    game.pay("guild", 5, to="harkonnen")
    assert (game.player("guild").spice, game.player("harkonnen").spice) == (0, 15)


def test_no_tokens_stand_nowhere(game: Game) -> None:
    before = dict(game.state.forces)
    game.put(Area("red-chasm/7"), "guild", Forces())
    game.lift(Area("red-chasm/7"), "guild", Forces())
    game.lift(Area("tueks-sietch/5"), "guild", Forces())
    assert game.state.forces == before


def test_from_no_cards_none_is_drawn(game: Game) -> None:
    game.state.treachery_deck, game.state.treachery_discard = [], []
    assert game.draw_treachery() is None


def test_who_knows_of_a_deck_that_is_shuffled_knows_no_more_of_it(game: Game) -> None:
    game.put_in_deck(Card("Lasgun"), top=True, known=True)
    assert [one.card for one in game.state.box.deck_known] == ["Lasgun"]
    game.forget_deck()
    assert game.state.box.deck_known == []
