"""Tests that a ruling's position is used as written or refused with a sentence, and its expectations are compared."""

from typing import Any

import pytest

from rules.components import FACTIONS, SPICE_DECK, TREACHERY_DECK, Forces
from rules.components.board import Area
from rules.positions.expectation import differences
from rules.positions.position import Position, PositionError, Table, position
from rules.state.state import Prediction


def placed(**start: Any) -> Position:
    return position({"start": {"phase": "bidding", "factions": ["fremen", "guild", "harkonnen"], **start}})


def refused(**start: Any) -> str:
    with pytest.raises(PositionError) as error:
        placed(**start)
    return str(error.value)


def of(faction: str, **values: Any) -> dict[str, Any]:
    return {"faction": {faction: values}}


def test_what_is_left_out_is_nothing() -> None:
    state = position({"start": {"phase": "bidding"}}).state
    assert [(p.faction, p.dot) for p in state.players.values()] == list(
        zip(FACTIONS, (2, 5, 8, 11, 14, 17), strict=True)
    )
    for player in state.players.values():
        assert (player.spice, player.hand, player.reserves, player.tanks) == (0, [], Forces(), Forces())
    assert not state.forces
    assert not state.spice
    assert all(standing.status == "ready" for standing in state.leaders.values())
    assert sorted(state.treachery_deck) == sorted(TREACHERY_DECK)
    assert sorted(state.spice_deck) == sorted(SPICE_DECK)


def test_the_set_up_begins_with_what_it_gives() -> None:
    state = position({"start": {"phase": "setup", "factions": ["guild"]}}).state
    assert state.forces == {Area("tueks-sietch/5"): {"guild": Forces(5)}}
    assert (state.players["guild"].spice, state.players["guild"].reserves) == (5, Forces(15))


def test_cards_not_named_follow_shuffled_by_the_text_of_rng() -> None:
    named = {"treachery_deck": ["Karama", "Shield"], **of("guild", hand=["Lasgun"])}
    one, other, again = (placed(rng=rng, **named).state.treachery_deck for rng in ("a", "b", "a"))
    assert one[:2] == other[:2] == ["Karama", "Shield"]
    assert len(one) == 32
    assert "Lasgun" not in one
    assert one == again
    assert one != other
    assert sorted(one) == sorted(other)


def test_a_destroyed_shield_wall_has_used_up_family_atomics() -> None:
    state = placed(shield_wall=False).state
    assert state.set_aside == ["Family Atomics"]
    assert "Family Atomics" not in state.treachery_deck
    assert "out of the game" in refused(shield_wall=False, treachery_deck=["Family Atomics"])


def test_whoever_stands_in_a_city_held_it_when_the_storm_ended() -> None:
    state = position({"start": {
        "phase": "movement",
        "faction": {
            "atreides": {"forces": {"arrakeen": "1"}},
            "bene-gesserit": {"forces": {"arrakeen": "1", "polar-sink": "2"}, "coexisting": ["arrakeen"]},
            "guild": {"forces": {"tueks-sietch": "5"}},
        },
    }}).state  # fmt: skip
    assert state.ornithopters == ["atreides"]


def test_an_alliance_can_be_written_on_either_side() -> None:
    assert placed(alliances=[["fremen", "guild"]]).state.alliances == [("fremen", "guild")]
    assert placed(**of("guild", ally_of="fremen")).state.alliances == [("guild", "fremen")]
    both = {"faction": {"guild": {"ally_of": "fremen"}, "fremen": {"ally_of": "guild"}}}
    assert [set(group) for group in placed(**both).state.alliances] == [{"fremen", "guild"}]
    assert placed(alliances=[["fremen", "guild"]], **both).state.alliances == [("fremen", "guild")]


def test_a_victory_is_predicted_for_any_turn_of_the_game() -> None:
    def predicted(turn: int) -> dict[str, Any]:
        prediction = {"faction": "guild", "turn": turn}
        return {"factions": ["bene-gesserit", "guild"], **of("bene-gesserit", prediction=prediction)}

    for turn in (1, 15):
        assert placed(**predicted(turn)).state.prediction == Prediction("guild", turn)
    for turn in (0, 16):
        assert "1 to 15" in refused(**predicted(turn))


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ({"phases": "storm"}, "did you mean 'phase'?"),
        ({"phase": "stormy"}, "did you mean 'storm'?"),
        ({"turn": 16}, "1 to 15"),
        ({"turn": True}, "1 to 15"),
        ({"phase": "setup", "turn": 2}, "belongs to turn 1"),
        ({"storm": 19}, "1 to 18"),
        ({"factions": ["guilds"]}, "did you mean 'guild'?"),
        ({"dots": {"guild": 3}}, "2, 5, 8, 11, 14, 17"),
        ({"dots": {"guild": 2, "fremen": 2}}, "one dot"),
        ({"dots": {"emperor": 2}}, "there is no 'emperor' here"),
        ({"spice": {"arrakeen": 3}}, "no spice blows there"),
        ({"spice": {"red-chasm/7": 1000}}, "0 to 999"),
        ({"spice": {"red-chasm/8": 3}}, "Red Chasm lies in sector 7"),
        ({"next_storm": 7}, "1 to 6"),
        ({"alliances": [["fremen", "guild"], ["guild", "harkonnen"]]}, "Guild cannot be in two alliances"),
        (
            {"alliances": [["fremen", "guild"]], **of("fremen", ally_of="harkonnen")},
            "Fremen cannot be in two alliances",
        ),
        ({"alliances": [["fremen"]]}, "two members"),
        ({"alliances": [["fremen", "guild", "harkonnen"]]}, "at most 2 members"),
        ({"treachery_deck": ["Karama", "Karama", "Karama"]}, "Karama is named 3 times, but the game has only 2"),
        ({"spice_deck": ["Red Chasm"], "spice_discard": [["Red Chasm"], []]}, "Red Chasm is named 2 times"),
        ({"spice_discard": [[], [], []]}, "2 spice blow"),
        ({"treachery_deck": ["Crysknive"]}, "did you mean 'Crysknife'?"),
        (of("atreides", spice=1), "there is no 'atreides' here"),
        (of("guild", spices=1), "did you mean 'spice'?"),
        (of("guild", spice=-1), "0 to 999"),
        (of("guild", spice=1000), "0 to 999"),
        (of("harkonnen", hand=["Shield"] * 5), "Shield is named 5 times, but the game has only 4"),
        (of("guild", hand=["Shield"] * 4 + ["Snooper"]), "can hold 4 cards"),
        (of("guild", reserves="3+1"), "has no elite tokens"),
        (of("fremen", reserves="0+4"), "has 3 elite tokens"),
        (of("guild", reserves="18", tanks="3"), "these are 21 tokens"),
        (of("guild", reserves="many"), "forces are written"),
        (of("guild", forces={"imperial-basin": "2"}), "say which one"),
        (of("guild", forces={"carthag/10": "2"}), "Carthag lies in sector 11"),
        (of("guild", forces={"carthag": "2", "carthag/11": "2"}), "named twice"),
        (of("guild", forces={"caladan": "2"}), "caladan"),
        (of("guild", dead_leaders=["Stilgar"]), "there is no 'Stilgar' here"),
        (of("guild", dead_leaders=["Staban Tuek"], twice_dead=["Staban Tuek"]), "named twice"),
        (of("guild", traitors=["Staban Tuek"]), "a leader of Guild itself"),
        (of("guild", traitors=["Stilgar", "Chani"]), "Guild can have 1 in their pay"),
        (of("harkonnen", captured={"Stilgar": "guild"}), "belongs to Fremen"),
        (of("guild", captured={"Stilgar": "fremen"}), "only Harkonnen capture"),
        (of("harkonnen", captured={"Caid": "emperor"}), "Emperor is not played here"),
        (of("guild", prediction={"faction": "fremen", "turn": 3}), "only to the Bene Gesserit"),
        (of("guild", kwisatz_haderach="ready"), "only Atreides have a"),
        (of("guild", ally_of="guild"), "there is no 'guild' here"),
        ({"factions": []}, "a game needs a player"),
        ({"dots": [2]}, "this must be a table"),
        ({"shield_wall": 1}, "this must be true or false"),
        ({"rng": 3}, "this must be a text"),
        ({"alliances": "fremen"}, "this must be a list of lists"),
        ({"alliances": ["fremen"]}, "this must be a list"),
        ({"factions": "guild"}, "this must be a list"),
        ({"factions": ["guild", "guild"]}, "guild is named twice"),
        ({"dots": {"guild": None}}, "a number from 1 to 18"),
        (of("guild", dealt_traitors=["Stilgar"]), "they exist only in the set-up"),
        ({"phase": "setup", **of("guild", dealt_traitors=["Caid", "Bashar", "Burseg", "Alia", "Stilgar"])}, "draws 4"),
        (
            {
                "phase": "setup",
                "faction": {
                    "guild": {"dealt_traitors": ["Stilgar"]},
                    "fremen": {"dealt_traitors": ["Stilgar"]},
                },
            },
            "Stilgar is dealt twice",
        ),
        ({"phase": "setup", **of("guild", dealt_traitors=["Caid"])}, "Caid is not dealt in this game"),
        (of("harkonnen", captured={"Umman Kudu": "harkonnen"}), "a leader of Harkonnen itself"),
        (
            {"faction": {"harkonnen": {"captured": {"Stilgar": "fremen"}}, "fremen": {"dead_leaders": ["Stilgar"]}}},
            "Stilgar is in the tanks",
        ),
        (of("guild", coexisting=["carthag"]), "that applies only to the Bene Gesserit"),
        (of("guild", prediction={"turn": 3}), "only to the Bene Gesserit"),
    ],
)
def test_a_position_that_no_game_could_hold_is_refused(start: dict[str, Any], words: str) -> None:
    assert words in refused(**start)


def test_a_leader_is_in_one_place() -> None:
    captive = {"fremen": {"dead_leaders": ["Stilgar"]}, "harkonnen": {"captured": {"Stilgar": "fremen"}}}
    assert "in the tanks" in refused(faction=captive)
    paid = {"guild": {"traitors": ["Stilgar"]}, "harkonnen": {"traitors": ["Stilgar"]}}
    assert "already in the pay of Guild" in refused(faction=paid)


@pytest.mark.parametrize(
    ("ruleset", "start", "words"),
    [
        ("ah-basic", of("fremen", reserves="3+1"), "no elite tokens in this rule set"),
        ("ah-basic", of("harkonnen", captured={"Stilgar": "fremen"}), "in this rule set nobody captures leaders"),
        ("ah-basic", {"next_storm": 3}, "this rule set has no storm marker"),
        ("ah-basic", of("bene-gesserit", coexisting=["carthag"]), "this rule set has no coexistence"),
        ("wbc-2018", of("bene-gesserit", coexisting=["carthag"]), "they have no token in Carthag"),
    ],
)
def test_what_a_rule_set_has_not_got_is_refused(ruleset: str, start: dict[str, Any], words: str) -> None:
    with pytest.raises(PositionError, match=words):
        position({"ruleset": ruleset, "start": {"phase": "battle", **start}})


def test_an_option_that_does_not_exist_is_named() -> None:
    with pytest.raises(PositionError, match="spice_blow"):
        position({"options": {"spice_blow": 1}, "start": {"phase": "bidding"}})


def test_the_kwisatz_haderach_wakes_with_the_seventh_loss() -> None:
    def atreides(**values: Any) -> dict[str, Any]:
        return {"start": {"phase": "battle", **of("atreides", **values)}}

    assert position(atreides(lost_in_battle=7)).state.kwisatz_haderach == "ready"
    assert position(atreides(lost_in_battle=6)).state.kwisatz_haderach == "locked"
    assert position(atreides(kwisatz_haderach="dead")).state.lost_in_battle == 7
    with pytest.raises(PositionError, match="wakes after 7 tokens"):
        position(atreides(lost_in_battle=3, kwisatz_haderach="ready"))


@pytest.mark.parametrize(("sleeps", "lost"), [("next_turn", 7), ("next_turn", 12), ("next_battle", 6)])
def test_the_kwisatz_haderach_may_sleep_after_the_seventh_loss_where_it_wakes_with_the_next_turn(
    sleeps: str, lost: int
) -> None:
    asleep = of("atreides", lost_in_battle=lost, kwisatz_haderach="locked")
    options = {"kh_from": sleeps}
    state = position({"options": options, "start": {"phase": "battle", **asleep}}).state
    assert (state.kwisatz_haderach, state.lost_in_battle) == ("locked", lost)


def test_the_kwisatz_haderach_is_awake_after_the_seventh_loss_where_it_wakes_at_once() -> None:
    asleep = of("atreides", lost_in_battle=7, kwisatz_haderach="locked")
    with pytest.raises(PositionError, match="wakes after 7 tokens"):
        position({"options": {"kh_from": "next_battle"}, "start": {"phase": "battle", **asleep}})


@pytest.mark.parametrize(
    ("known", "listed"),
    [
        ([], ""),
        (["storm"], "; it can be storm"),
        (list("abcdefghijkl"), "; it can be a, b, c, d, e, f, g, h, i, j, k, l"),
        (list("abcdefghijklm"), ""),
    ],
)
def test_what_a_word_can_be_is_listed_where_that_is_not_too_much(known: list[str], listed: str) -> None:
    with pytest.raises(PositionError) as error:
        Table("[start]", {"phase": "xyzzy"}).word("phase", None, known)
    assert str(error.value) == f"[start] phase = 'xyzzy': there is no 'xyzzy' here{listed}."


# --- Expectations ------------------------------------------------------------------------------------------------

START: dict[str, Any] = {
    "turn": 4,
    "treachery_discard": ["Shield", "Hajr"],
    "spice": {"red-chasm/7": 8},
    "faction": {
        "guild": {"spice": 5, "hand": ["Lasgun", "Karama"], "forces": {"tueks-sietch": "5"}, "reserves": "2"},
        "fremen": {"forces": {"tueks-sietch": "1+2"}, "tanks": "1", "dead_leaders": ["Stilgar"]},
    },
}


@pytest.mark.parametrize(
    "expect",
    [
        {"phase": "bidding", "turn": 4, "winner": [], "discard": ["Hajr"], "shield_wall": True, "alliances": []},
        {"faction": {"guild": {"spice": 5, "hand": ["Karama", "Lasgun"], "reserves": "2", "ally_of": ""}}},
        {"faction": {"fremen": {"tanks": "1", "dead_leaders": ["Stilgar"], "captured": {}, "traitors": []}}},
        {"forces": {"tueks-sietch": {"guild": "5", "fremen": "1+2"}, "carthag/11": {}, "arrakeen": {"guild": "0"}}},
        {"spice": {"red-chasm/7": 8, "old-gap/10": 0}},
        {"view": {"guild": {"players": {"guild": {"spice": 5}, "fremen": {"spice": "null", "tanks": "1"}}}}},
        {"view": {"public": {"forces": {"tueks-sietch": {"guild": "5"}}, "discard": ["Hajr", "Shield"]}}},
        {"view": {"public": {"forces": {"arrakeen": {}, "carthag": 0}}}},
    ],
)
def test_an_expectation_that_holds_has_no_differences(expect: dict[str, Any]) -> None:
    assert differences(placed(**START).play(), expect) == []


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        ({"phase": "battle"}, "phase and turn: battle"),
        ({"turn": 5}, "turn 5 expected"),
        ({"winner": ["guild"]}, "winner: guild expected"),
        ({"discard": ["Shield", "Shield"]}, "discard: Shield expected"),
        ({"asked": ["guild:bid"]}, "asked: guild:bid; open is nothing"),
        ({"alliances": [["guild", "fremen"]]}, "alliances"),
        ({"faction": {"guild": {"hand": ["Lasgun"]}}}, "guild hand: Lasgun expected, there is Karama, Lasgun"),
        ({"faction": {"guild": {"reserves": "3"}}}, "guild reserves: 3 expected, there is 2"),
        ({"faction": {"guild": {"forces": {}}}}, "guild forces: nothing expected"),
        ({"forces": {"tueks-sietch": {"guild": "5"}}}, "forces in Tuek's Sietch: guild 5 expected"),
        ({"forces": {"tueks-sietch": {}}}, "nothing expected, there is"),
        ({"spice": {"red-chasm/7": 0}}, "spice in Red Chasm: 0 expected, there is 8"),
        ({"view": {"guild": {"players": {"guild": {"spice": "null"}}}}}, "must be hidden, and 5 is shown"),
        ({"view": {"public": {"players": {"guild": {"spice": 5}}}}}, "5 expected, there is null"),
        ({"view": {"public": {"discard": ["Hajr"]}}}, "Shield is there and was not expected"),
        ({"view": {"public": {"discard": {"Hajr": 1}}}}, "discard: Hajr 1 expected, there is"),
        ({"view": {"public": {"players": ["guild"]}}}, "players: guild expected, there is"),
        ({"view": {"public": {"discard": ["Hajr", "Lasgun"]}}}, "Lasgun expected, there is"),
        ({"view": {"public": {"forces": {"arrakeen": {"guild": "5"}}}}}, "expected, there is nothing of that name"),
    ],
)
def test_a_difference_says_what_was_expected_and_what_there_is(expect: dict[str, Any], words: str) -> None:
    found = differences(placed(**START).play(), expect)
    assert len(found) == 1
    assert words in found[0]


@pytest.mark.parametrize(
    "expect",
    [
        {"phas": "battle"},
        {"asked": ["guild"]},
        {"asked": ["guild:bids"]},
        {"faction": {"atreides": {"spice": 1}}},
        {"faction": {"guild": {"colour": "red"}}},
        {"forces": {"imperial-basin": {}}},
        {"view": {"nobody": {}}},
        {"discard": "Hajr"},
        {"faction": {"guild": {"hand": [1]}}},
    ],
)
def test_an_expectation_that_makes_no_sense_is_an_error_and_not_a_difference(expect: dict[str, Any]) -> None:
    with pytest.raises(PositionError):
        differences(placed(**START).play(), expect)
