"""Tests for the public and hidden results of a set-up (AH.III, WBC.III)."""

from collections import Counter
from typing import Any

import pytest

from rules.chapters.setup import AnyPlaceQuestion, shuffle_decks, traitor_cards
from rules.components import LEADERS, SPICE_DECK, TREACHERY_DECK, Faction, Leader, leader_strength, leaders_of
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.engine.turn import opening_state
from rules.orders import ChooseTraitor, Predict
from rules.positions.position import position
from rules.rulesets.ruleset import RULE_SETS, RuleSet
from rules.state.state import Prediction
from tests.rules.stage import at

SIX: dict[Faction, int] = {
    "atreides": 2,
    "bene-gesserit": 5,
    "emperor": 8,
    "fremen": 11,
    "guild": 14,
    "harkonnen": 17,
}
BASIC, WBC, VACA = load_rule_set("ah-basic"), load_rule_set("wbc-2018"), load_rule_set("vaca-2.0")


def set_up(rules: RuleSet, seats: dict[Faction, int], seed: str) -> Play:
    """Return a game at the first stop of its set-up."""
    play = Play(rules, seed, opening_state(rules, seats))
    play.begin_phase("setup")
    play.settle()
    return play


def finish(play: Play) -> Play:
    while not play.phase_over:
        play.expire()
    return play


def facts(play: Play, kind: str) -> Any:
    return [{viewer: event.seen_by(viewer) for viewer in SIX} for event in play.events if event.kind == kind]


@pytest.mark.clause("AH.II.D.1", "AH.II.D.2", "AH.III.E.5", "AH.SHIELD.HAR.2-b")
def test_after_dealing_seven_cards_twenty_six_are_left() -> None:
    play = finish(set_up(BASIC, SIX, "deal"))
    hands = {faction: len(player.hand) for faction, player in play.state.players.items()}
    assert hands == {faction: 2 if faction == "harkonnen" else 1 for faction in SIX}
    assert len(play.state.treachery_deck) == 26
    assert len(play.state.spice_deck) == 21


def test_events_are_numbered_from_nought_without_a_gap() -> None:
    play = Play.start(BASIC, "first event", SIX)
    finish(play)
    assert [event.number for event in play.events] == list(range(len(play.events)))
    assert play.state.events == len(play.events) > 0


@pytest.mark.clause("GF9.SETUP.18")
@pytest.mark.parametrize("name", RULE_SETS)
def test_the_first_turn_is_the_turn_one(name: str) -> None:
    play = Play.start(load_rule_set(name), "first turn", SIX)
    assert (play.state.phase, play.state.turn) == ("setup", 1)
    finish(play).advance()
    assert (play.state.phase, play.state.turn) == ("storm", 1)


@pytest.mark.clause("AH.III.C-a")
def test_decks_are_shuffled_by_the_seed_alone() -> None:
    one, again, other = (finish(set_up(BASIC, SIX, seed)).state for seed in ("red", "red", "blue"))
    assert one.treachery_deck == again.treachery_deck
    assert one.spice_deck == again.spice_deck
    assert one.spice_deck != other.spice_deck
    assert one.spice_deck != list(SPICE_DECK)
    everything = one.treachery_deck + [card for player in one.players.values() for card in player.hand]
    assert Counter(everything) == Counter(TREACHERY_DECK)
    assert one.treachery_deck != [card for card in TREACHERY_DECK if card in one.treachery_deck]


@pytest.mark.clause("AH.III.E.2-a", "WBC.HR.7a")
def test_four_leaders_each_are_drawn_without_overlap() -> None:
    (drawn,) = facts(finish(set_up(WBC, SIX, "traitors")), "traitors-drawn")
    leaders = [leader for faction in SIX for leader in drawn[faction]["leaders"]]
    assert len(leaders) == len(set(leaders)) == 24


@pytest.mark.clause("WBC.III.1")
def test_leaders_of_factions_that_are_not_played_are_not_drawn() -> None:
    seats: dict[Faction, int] = {"atreides": 2, "bene-gesserit": 5, "fremen": 8, "guild": 11}
    for seed in range(10):
        (drawn,) = facts(finish(set_up(WBC, seats, str(seed))), "traitors-drawn")
        leaders = {leader for faction in seats for leader in drawn[faction]["leaders"]}
        assert {LEADERS[leader].faction for leader in leaders} == set(seats)


@pytest.mark.clause("VACA.III.E.2-1")
def test_of_twenty_seated_leaders_sixteen_are_drawn_and_no_other() -> None:
    seats: dict[Faction, int] = {"atreides": 2, "emperor": 5, "fremen": 8, "harkonnen": 11}
    for seed in range(5):
        (drawn,) = facts(finish(set_up(VACA, seats, str(seed))), "traitors-drawn")
        leaders = [leader for faction in seats for leader in drawn[faction]["leaders"]]
        assert len(leaders) == len(set(leaders)) == 16
        assert {LEADERS[leader].faction for leader in leaders} <= set(seats)


@pytest.mark.clause("AH.SHIELD.HAR.1", "AH.III.E.2-b", "WBC.HR.7b")
def test_harkonnen_keep_all_opponents_drawn_and_others_one() -> None:
    play = finish(set_up(BASIC, SIX, "pay"))
    (drawn,) = facts(play, "traitors-drawn")
    for faction, player in play.state.players.items():
        leaders: list[Leader] = drawn[faction]["leaders"]
        eligible = [leader for leader in leaders if LEADERS[leader].faction != faction]
        if faction == "harkonnen":
            assert player.traitors == eligible
        else:
            (traitor,) = player.traitors
            assert traitor in eligible
            assert leader_strength(traitor) == max(leader_strength(leader) for leader in eligible)


@pytest.mark.clause("AH.III.E.2-b", "AH.III.E.2-d", "AH.III.E.2-e")
def test_the_chosen_traitor_is_known_to_the_paymaster_alone_and_still_serves_the_old_faction() -> None:
    play = set_up(BASIC, SIX, "secret")
    play.expire()
    (question,) = [q for q in play.questions() if q.faction == "atreides"]
    choice = question.samples()[-1]
    assert isinstance(choice, ChooseTraitor)
    assert play.submit("atreides", [choice])[0].status == "accepted"
    finish(play)
    (chosen,) = facts(play, "traitors-chosen")
    assert chosen["atreides"]["traitors"] == [choice.leader]
    assert all(
        "traitors" in chosen[faction] and choice.leader not in str(chosen[faction])
        for faction in SIX
        if faction != "atreides"
    )
    assert play.state.leaders[choice.leader].status == "ready"


@pytest.mark.clause("AH.III.E.2-b", "AH.III.E.2-c")
def test_a_traitor_is_one_of_the_four_drawn_and_no_leader_of_ones_own() -> None:
    own_ones = 0
    for seed in range(5):
        play = set_up(BASIC, SIX, f"choice-{seed}")
        play.expire()
        for question in play.questions():
            drawn: list[Leader] = question.facts["drawn"]
            own = {leader for leader in drawn if LEADERS[leader].faction == question.faction}
            legal = {leader for leader in LEADERS if question.refusal(ChooseTraitor(leader)) is None}
            assert legal == (set(drawn) if question.faction == "harkonnen" else set(drawn) - own)
            own_ones += len(own)
    assert own_ones > 0


@pytest.mark.clause("AH.III.E.2-c")
def test_who_drew_only_own_leaders_is_asked_all_the_same_and_has_no_traitor() -> None:
    seats: dict[Faction, int] = {"emperor": 2, "fremen": 17}
    for seed in range(400):
        play = set_up(WBC, seats, f"own-{seed}")
        own = [q for q in play.questions() if q.kind == "traitor" and not q.facts["eligible"]]
        if own:
            break
    else:
        pytest.fail("no such draw in 400 games")
    unlucky = own[0].faction
    assert {question.faction for question in play.questions()} == set(seats)
    finish(play)
    assert play.state.players[unlucky].traitors == []


@pytest.mark.clause("AH.SHIELD.BG.1-a")
def test_the_prediction_is_seen_by_the_bene_gesserit_alone() -> None:
    play = set_up(BASIC, SIX, "seen")
    play.submit("bene-gesserit", [Predict("emperor", 7)])
    (made,) = facts(play, "prediction-made")
    assert made["bene-gesserit"] == {"faction": "emperor", "of_turn": 7}
    assert all(made[faction] == {} for faction in SIX if faction != "bene-gesserit")


def test_a_prediction_that_stands_in_a_position_is_not_made_again() -> None:
    gesserit = {"prediction": {"faction": "guild", "turn": 7}}
    play = at("setup", turn=1, factions=["bene-gesserit", "guild"], faction={"bene-gesserit": gesserit})
    assert "prediction" not in {question.kind for question in play.questions()}
    finish(play)
    assert play.state.prediction == Prediction("guild", 7)


@pytest.mark.clause("AH.SHIELD.BG.1-a", "WBC.III.2")
def test_silent_bene_gesserit_predict_at_random() -> None:
    predictions = set()
    for seed in range(40):
        prediction = finish(set_up(WBC, SIX, f"silent-{seed}")).state.prediction
        assert prediction is not None
        assert prediction.faction != "bene-gesserit"
        assert 1 <= prediction.turn <= 15
        predictions.add((prediction.faction, prediction.turn))
    assert len(predictions) > 20


@pytest.mark.clause("AH.II.B.1-a", "AH.II.B.1-b")
def test_every_faction_starts_with_five_leaders_and_twenty_tokens() -> None:
    for rules in (BASIC, WBC):
        state = finish(set_up(rules, SIX, "count")).state
        for faction, player in state.players.items():
            on_board = sum(forces.total for _, forces in state.areas_of(faction))
            assert on_board + player.reserves.total == 20
            assert [leader for leader in leaders_of(faction) if state.leaders[leader].status == "ready"] == list(
                leaders_of(faction)
            )


@pytest.mark.clause("AH.III.E.3", "WBC.HR.1c")
def test_spice_that_went_with_a_trade_of_factions_is_there_from_the_start_and_never_less_than_none() -> None:
    traded = WBC.with_options({"traded_spice_guild": 2, "traded_spice_fremen": -2})
    spice = {faction: player.spice for faction, player in opening_state(traded, SIX).players.items()}
    printed = {faction: player.spice for faction, player in opening_state(WBC, SIX).players.items()}
    assert spice == printed | {"guild": printed["guild"] + 2, "fremen": printed["fremen"] - 2}
    owing = WBC.with_options({"traded_spice_fremen": -20})
    assert opening_state(owing, SIX).players["fremen"].spice == 0


@pytest.mark.clause("AH.III.E.3", "AH.III.E.4", "WBC.III.4")
def test_a_set_up_is_told_in_the_order_of_the_rules() -> None:
    play = finish(set_up(WBC, SIX, "told"))
    assert [event.kind for event in play.events] == [
        "game-set-up",
        "prediction-made",
        "traitors-drawn",
        "traitors-chosen",
        "tokens-placed",
        "tokens-placed",
        "cards-dealt",
    ]
    beginning = play.events[0].facts
    assert beginning["seats"] == SIX
    assert beginning["spice"] == {f: player.spice for f, player in play.state.players.items()}
    assert beginning["forces"] == [
        ["atreides", "arrakeen/10", "10"],
        ["guild", "tueks-sietch/5", "5"],
        ["harkonnen", "carthag/11", "10"],
    ]
    assert [event.facts for event in play.events if event.kind == "tokens-placed"] == [
        {
            "faction": "fremen",
            "groups": [["4", "sietch-tabr/14"], ["3", "false-wall-south/4"], ["3", "false-wall-west/16"]],
        },
        {"faction": "bene-gesserit", "groups": [["1", "polar-sink"]]},
    ]
    dealt = play.events[-1]
    assert dealt.facts["hands"] == {faction: 2 if faction == "harkonnen" else 1 for faction in SIX}
    assert all(dealt.seen_by(f)["cards"] == player.hand for f, player in play.state.players.items())


@pytest.mark.clause("AH.I.1", "AH.I.2")
@pytest.mark.parametrize("number", [2, 3, 4, 5, 6])
def test_two_to_six_factions_can_be_set_up(number: int) -> None:
    seats = dict(list(SIX.items())[-number:])
    for rules in (BASIC, WBC):
        assert len(finish(set_up(rules, seats, "some")).state.players) == number


def test_every_listed_choice_of_a_set_up_question_is_legal() -> None:
    for rules in (BASIC, WBC):
        play = set_up(rules, SIX, "choices")
        asked = set()
        while not play.phase_over:
            for question in play.questions():
                orders = [question.default, *question.samples()]
                assert [question.refusal(order) for order in orders] == [None] * len(orders)
                asked.add((question.kind, question.faction, question.facts.get("tokens")))
            play.expire()
        assert ("prediction", "bene-gesserit", None) in asked
        assert ("fremen-placement", "fremen", 10) in asked
        assert (("bg-placement", "bene-gesserit", 1) in asked) == (rules is WBC)


@pytest.mark.parametrize("placed", [True, False])
def test_who_may_start_anywhere_is_asked_where_until_they_stand_there(placed: bool) -> None:
    forces = {"bene-gesserit": {"forces": {"polar-sink": "1"} if placed else {}, "reserves": "19"}, "guild": {}}
    game = at("storm", factions=["bene-gesserit", "guild"], faction=forces).game
    assert AnyPlaceQuestion.is_due(game, "bene-gesserit") is not placed
    assert not AnyPlaceQuestion.is_due(game, "guild")


@pytest.mark.clause("AH.III.C-a")
@pytest.mark.parametrize("deck", [["Old Gap", "Hagga Basin"], ["Shai-Hulud", "Red Chasm"]])
def test_a_spice_deck_that_was_laid_out_is_not_shuffled_again(deck: list[str]) -> None:
    for seed in "abc":
        play = set_up(WBC, SIX, seed)
        play.state.spice_deck[:2] = deck
        laid_out = list(play.state.spice_deck)
        shuffle_decks(play.game)
        assert play.state.spice_deck == laid_out


@pytest.mark.clause("IT.GEN.4", "WBC.III.1")
@pytest.mark.parametrize("pool", ["all_leaders", "in_play_only"])
def test_leaders_of_the_expansion_are_dealt_only_where_their_faction_is_played(pool: str) -> None:
    options = {"expansion": "ixians-tleilaxu", "traitor_pool": pool}
    start = {"phase": "setup", "factions": ["guild", "ixians", "emperor"]}
    game = position({"ruleset": "gf9-advanced", "options": options, "start": start}).play().game
    owners = {LEADERS[leader].faction for leader in traitor_cards(game) if leader in LEADERS}
    played = {"guild", "ixians", "emperor"}
    assert owners == (played if pool == "in_play_only" else set(SIX) | played)
