"""Tests that the engine supports a rule set and a faction that exist only in this file.

The rule set consists of data and one kind of window; the faction consists of facts, leaders and one class. No chapter
refers to either.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from rules.components import FACTION_FACTS, FACTIONS, LEADERS, Faction, Forces, Leader, factions
from rules.components.facts import Entry, document
from rules.decisions.catalogue import Stage
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.engine.catalogue import CATALOGUE, load_rule_set
from rules.engine.invariants import check_invariants
from rules.engine.play import Play
from rules.engine.turn import questions_of
from rules.opponents import Opponent, answer_next
from rules.random_players import RandomPlayer, random_game, random_seats
from rules.rulesets.options import Option, RuleSetError
from rules.rulesets.ruleset import RULE_SETS, RuleSet, Standing, read_rule_set, require_playable
from rules.state.game import Game

# --- A rule set ------------------------------------------------------------------------------------------------------

HARVEST = """
name = "harvest"
title = "Harvest before battle"
sequence = ["storm", "spice", "charity", "before-auction", "bidding", "revival", "movement", "collection", "battle",
            "mentat"]
[options]
max_turns = 4
spice_blows = 1
"""


def before_auction(game: Game) -> Flow:
    """Open a Karama window before the first card comes up."""
    yield from window(game, "before-auction")


@pytest.fixture
def harvest() -> RuleSet:
    """Return the rules of 2018 with another sequence, two other options, and one more window."""
    catalogue = replace(CATALOGUE, stages={**CATALOGUE.stages, "before-auction": Stage("bidding", before_auction)})
    file = Entry("the made-up rule set", tomllib.loads(HARVEST))
    return read_rule_set(file, catalogue, load_rule_set("wbc-2018"))


def test_its_clauses_are_those_of_the_other_unless_it_names_its_own(harvest: RuleSet) -> None:
    assert harvest.standing == load_rule_set("wbc-2018").standing
    named = tomllib.loads(HARVEST + '[clauses]\nah-1979 = ["basic"]\nwithout = ["AH.X"]\n')
    file = Entry("the made-up rule set", named)
    own = read_rule_set(file, harvest.catalogue, load_rule_set("wbc-2018"))
    assert own.standing == Standing({"ah-1979": ("basic",)}, ("AH.X",))


def test_a_made_up_rule_set_is_played_in_its_own_sequence(harvest: RuleSet) -> None:
    require_playable(harvest)
    played = random_game(harvest, "harvest")
    told = list(dict.fromkeys((event.turn, event.phase) for event in played.events if event.turn == 2))
    order = [phase for _, phase in told]
    assert order.index("collection") < order.index("battle")
    assert max(event.turn for event in played.events) <= 4
    assert all(event.facts.get("pile", 1) == 1 for event in played.events if event.kind == "spice-blow")


def test_its_window_is_held_before_the_first_card_comes_up(harvest: RuleSet) -> None:
    play = Play.start(harvest, "window", random_seats("window", ["emperor", "guild"]))
    while not any(question.facts.get("why") == "before-auction" for question in play.questions()):
        assert not play.over
        play.expire()
        play.advance()
    assert play.state.phase == "bidding"
    assert {question.faction for question in play.questions()} == {"emperor", "guild"}
    assert play.game.moments.auction is None
    play.expire()
    play.advance()
    assert {question.kind for question in play.questions()} == {"bid"}


def test_what_may_be_asked_follows_from_its_own_catalogue() -> None:
    """The two rule sets differ only in the questions of one stage."""
    rules = load_rule_set("wbc-2018")
    silent = {**CATALOGUE.stages, "charity": replace(CATALOGUE.stages["charity"], questions=())}
    assert questions_of(rules)["charity"] == ("charity",)
    assert questions_of(replace(rules, catalogue=replace(CATALOGUE, stages=silent)))["charity"] == ()


@pytest.mark.parametrize("number", range(3))
def test_random_games_of_it_are_sound_and_replay_to_the_same_events(harvest: RuleSet, number: int) -> None:
    played = random_game(harvest, f"harvest {number}")
    again = Play.start(harvest, f"harvest {number}", {f: seat.dot for f, seat in played.state.players.items()})
    again.replay(played.log)
    assert again.events == played.events
    resumed = Play.resume(harvest, f"harvest {number}", played.snapshot, played.log[played.snapshot.entries :])
    assert resumed.state == played.state


# --- An option -------------------------------------------------------------------------------------------------------


def test_an_option_is_declared_in_one_place() -> None:
    early = Option("harvest", {"early": 1, "late": 2}, usual="early")
    catalogue = replace(CATALOGUE, options=(*CATALOGUE.options, early))
    for name in RULE_SETS:
        rules = read_rule_set(document(f"rule-sets/{name}.toml"), catalogue)
        require_playable(rules)
        assert early(rules) == 1
        assert early(rules.with_options({"harvest": "late"})) == 2
        with pytest.raises(RuleSetError, match="harvest cannot be lat; it can be early or late"):
            rules.with_options({"harvest": "lat"})


# --- A faction -------------------------------------------------------------------------------------------------------

SMUGGLERS: Faction = "smugglers"
LEADERS_OF_SMUGGLERS = {"Staban": 5, "Bewt": 4, "Lingar": 3, "Guuls": 2, "Pander": 1}


class Smugglers(FactionRules):
    """A faction that is paid for every card that others buy."""

    def is_paid_for_cards(self, game: Game) -> bool:
        return True


@pytest.fixture
def with_smugglers(monkeypatch: pytest.MonkeyPatch) -> RuleSet:
    """Return the rules of 2018 with a seventh faction in the box."""
    facts = replace(
        FACTION_FACTS["emperor"], id=SMUGGLERS, name="Smugglers", abbreviation="S", character="Staban", aliases=(),
        forces=Forces(20, 0), elite=0, elite_name="",
    )  # fmt: skip
    their = {
        Leader(name): replace(LEADERS[Leader("Stilgar")], name=Leader(name), faction=SMUGGLERS, strength=strength)
        for name, strength in LEADERS_OF_SMUGGLERS.items()
    }
    in_the_box(monkeypatch, {SMUGGLERS: facts}, their)
    rules = load_rule_set("wbc-2018")
    catalogue = replace(CATALOGUE, factions={**CATALOGUE.factions, SMUGGLERS: Smugglers(SMUGGLERS)})
    return replace(rules, catalogue=catalogue)


def in_the_box(monkeypatch: pytest.MonkeyPatch, more: Mapping[Faction, Any], leaders_: Mapping[Leader, Any]) -> None:
    """Add factions and leaders to the printed ones for one test."""
    for faction, facts in more.items():
        monkeypatch.setitem(factions.FACTION_FACTS, faction, facts)
    for leader, facts in leaders_.items():
        monkeypatch.setitem(factions.LEADERS, leader, facts)
    factions.leaders_of.cache_clear()
    factions.weakest_first.cache_clear()


@pytest.mark.parametrize("number", range(4))
def test_random_games_with_a_seventh_faction_come_to_their_end(with_smugglers: RuleSet, number: int) -> None:
    seats = [SMUGGLERS, *[faction for faction in FACTIONS if faction != "emperor"][: 1 + number]]
    play = Play.start(with_smugglers, f"smugglers {number}", random_seats(f"smugglers {number}", seats))
    player = RandomPlayer(f"smugglers {number}")
    while not play.over:
        check_invariants(play.game)
        player.act(play)
    assert any(event.kind == "card-sold" and event.facts["buyer"] != SMUGGLERS for event in play.events)


def test_opponents_play_a_seventh_faction_and_against_it(with_smugglers: RuleSet) -> None:
    seats: list[Faction] = [SMUGGLERS, "atreides", "guild"]
    play = Play.start(with_smugglers, "rivals", random_seats("rivals", seats))
    rivals = {faction: Opponent(faction, "steady", f"rival {faction}") for faction in seats}
    while not play.over:
        answer_next(play, rivals)
    assert any(event.kind == "shipment" and event.facts["faction"] == SMUGGLERS for event in play.events)


def test_the_power_of_the_seventh_faction_works(with_smugglers: RuleSet) -> None:
    play = Play.start(with_smugglers, "sold", random_seats("sold", [SMUGGLERS, "guild"]))
    player = RandomPlayer("sold")
    while not (sold := [e for e in play.events if e.kind == "card-sold" and e.facts["buyer"] == "guild"]):
        before = play.state.players[SMUGGLERS].spice
        assert not play.over
        player.act(play)
    assert play.state.players[SMUGGLERS].spice == before + sold[0].facts["price"]
