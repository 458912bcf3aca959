"""Tests for which factions a hook asks."""

from rules.decisions.catalogue import catalogue_of, factions_with
from rules.decisions.faction_rules import FactionRules
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play


def test_a_hook_is_asked_of_those_who_answer_it_in_their_own_way_in_the_order_of_play() -> None:
    seats = {"harkonnen": 1, "guild": 4, "emperor": 9, "fremen": 12}
    game = Play.start(load_rule_set("wbc-2018"), "hooks", seats).game
    assert factions_with(game, FactionRules.is_paid_for_cards) == ("emperor",)
    for storm in (2, 10):
        game.state.storm = storm
        in_order = tuple(faction for faction in game.order_of_play() if faction in ("emperor", "fremen"))
        assert factions_with(game, FactionRules.starred_worth) == in_order


def test_what_everybody_answers_alike_is_asked_of_nobody() -> None:
    game = Play.start(load_rule_set("wbc-2018"), "hooks", {"guild": 4, "emperor": 9}).game
    assert factions_with(game, FactionRules.declares_when_met) == ()
    assert catalogue_of(game).factions_with(FactionRules.declares_when_met) == {"bene-gesserit"}
