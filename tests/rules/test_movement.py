"""Tests for the movement round beyond the rulings: fares, payments, early orders and secrecy."""

from typing import Any

import pytest

from rules.chapters import shipment
from rules.components import FACTIONS, Card, Faction, Forces
from rules.components.board import Area, parse_area, territory_of
from rules.engine.play import Play
from rules.orders import (
    Coexist,
    Fight,
    Hajr,
    Karama,
    Key,
    Move,
    NoKarama,
    NoMove,
    NoShipment,
    Order,
    Ship,
    Support,
    Wait,
)
from rules.positions.position import position
from tests.rules.stage import say

CARTHAG, ARRAKEEN, POLAR_SINK = parse_area("carthag"), parse_area("arrakeen"), parse_area("polar-sink")
ARSUNT, IMPERIAL_BASIN = parse_area("arsunt/11"), parse_area("imperial-basin/11")


def at_movement(ruleset: str = "wbc-2018", storm: int = 1, **start: Any) -> Play:
    """Return a game at the first stop of its movement round; factions have dots 2, 5, 8, ... in the order given."""
    factions: dict[str, dict[str, Any]] = start.pop("factions")
    dots = dict(zip(factions, (2, 5, 8, 11, 14, 17), strict=False))
    document = {
        "ruleset": ruleset,
        "start": {
            "turn": 4,
            "phase": "movement",
            "storm": storm,
            "factions": list(factions),
            "dots": dots,
            "faction": factions,
            **start,
        },
    }
    play = position(document).play()
    play.begin_phase("movement")
    play.settle()
    return play


def refused(play: Play, faction: Faction, order: Order) -> str:
    """Submit an order that must be refused, and return the reason."""
    (outcome,) = play.submit(faction, [order])
    assert outcome.refusal is not None, outcome
    return outcome.refusal.reason


def silence_until(play: Play, faction: Faction, kind: str) -> None:
    """Let everybody be silent until this question is open."""
    for _ in range(100):
        if any(q.faction == faction and q.kind == kind for q in play.questions()):
            return
        assert play.expire()
    raise AssertionError(f"{faction} is never asked for {kind}")


def asked(play: Play) -> list[Key]:
    return [question.key for question in play.questions()]


def ship(tokens: str, target: Area | None = None, source: Area | None = None) -> Ship:
    return Ship(Forces.parse(tokens), source, target)


def move(tokens: str, source: Area, target: Area) -> Move:
    return Move(Forces.parse(tokens), source, target)


# --- fares ---------------------------------------------------------------------------------------------------------


@pytest.mark.clause("AH.IX.C.1.b-a", "AH.IX.C.1.b-b", "AH.SHIELD.GUI.2", "AH.QA.E.2", "AH.QA.E.6")
@pytest.mark.parametrize(
    ("tokens", "source", "target", "full", "guild"),
    [
        ("4", None, CARTHAG, 4, 2),
        ("5", None, CARTHAG, 5, 3),
        ("1", None, CARTHAG, 1, 1),
        ("4", None, ARSUNT, 8, 4),
        ("3", None, ARSUNT, 6, 3),
        ("1", None, POLAR_SINK, 2, 1),
        ("4", CARTHAG, ARSUNT, None, 4),
        ("4", CARTHAG, None, None, 2),
        ("5", CARTHAG, None, None, 3),
    ],
)
def test_the_price_of_a_shipment(
    tokens: str, source: Area | None, target: Area | None, full: int | None, guild: int
) -> None:
    game = at_movement(factions={"atreides": {}, "guild": {}}).game
    order = Ship(Forces.parse(tokens), source, target)
    assert shipment.price_of_shipment(game, "guild", order) == guild
    if full is not None:
        assert shipment.price_of_shipment(game, "atreides", order) == full


@pytest.mark.clause("AH.XII.E.4")
def test_the_shipper_pays_first_and_the_ally_what_is_missing() -> None:
    play = at_movement(
        "ah-basic",
        factions={"atreides": {"spice": 2, "reserves": "9"}, "emperor": {"spice": 9}},
        alliances=[["atreides", "emperor"]],
    )
    say(play, "emperor", Support(5))
    say(play, "atreides", ship("6", CARTHAG))
    assert (play.state.players["atreides"].spice, play.state.players["emperor"].spice) == (0, 5)


@pytest.mark.clause("AH.XII.E.4")
def test_a_pledge_is_for_one_shipment() -> None:
    factions = {"atreides": {"spice": 0, "reserves": "9"}, "emperor": {"spice": 9}, "guild": {"reserves": "9"}}
    play = at_movement("ah-basic", factions=factions, alliances=[["atreides", "emperor", "guild"]])
    say(play, "emperor", Support(4))
    say(play, "atreides", ship("1", CARTHAG))
    silence_until(play, "guild", "shipment")
    assert "you have 1," in refused(play, "guild", ship("4", POLAR_SINK))  # the fare of Atreides, not the pledge


@pytest.mark.clause("WBC.AID.36")
def test_what_a_karama_saves_goes_back_to_the_ally_first() -> None:
    factions = {"atreides": {"spice": 2, "reserves": "9", "hand": ["Karama"]}, "emperor": {"spice": 9}, "harkonnen": {}}
    play = at_movement("ah-basic", factions=factions, alliances=[["atreides", "emperor"]])
    say(play, "emperor", Support(4))
    say(play, "atreides", ship("6", CARTHAG))
    say(play, "atreides", Karama("half shipping"))
    assert (play.state.players["atreides"].spice, play.state.players["emperor"].spice) == (0, 8)


@pytest.mark.clause("WBC.AID.36")
@pytest.mark.parametrize(("has", "left"), [(9, 3), (6, 0), (2, 0)])
def test_what_the_guild_have_spent_of_a_fare_since_is_not_taken_back(has: int, left: int) -> None:
    """The Guild were paid a price of 6 and spent some of it before a Karama halved it; 3 go to the bank."""
    factions = {"atreides": {"spice": 6, "reserves": "9", "hand": ["Karama"]}, "guild": {}, "harkonnen": {}}
    play = at_movement(factions=factions)
    silence_until(play, "atreides", "shipment")
    say(play, "atreides", ship("6", CARTHAG))
    silence_until(play, "atreides", "movement")
    assert play.state.players["guild"].spice == 6
    play.state.players["guild"].spice = has
    say(play, "atreides", Karama("half shipping"))
    assert play.state.players["atreides"].spice == 3
    assert play.state.players["guild"].spice == left


# --- a Karama that fails -------------------------------------------------------------------------------------------


def relied_on_a_worthless_card() -> Play:
    """Let the Bene Gesserit, with 2 spice, ship 4 for 4; only a worthless card can halve the price."""
    factions = {
        "bene-gesserit": {"spice": 2, "reserves": "9", "hand": ["Kulon"]},
        "harkonnen": {"hand": ["Karama"]},
    }
    play = at_movement(factions=factions)
    say(play, "bene-gesserit", ship("4", CARTHAG))
    silence_until(play, "bene-gesserit", "movement")
    say(play, "bene-gesserit", NoMove())
    return play


@pytest.mark.clause("WBC.IX.11", "AH.SHIELD.BG.KARAMA")
def test_a_worthless_card_pays_for_half_of_the_shipment() -> None:
    play = relied_on_a_worthless_card()
    silence_until(play, "harkonnen", "shipment")
    assert play.state.players["bene-gesserit"].spice == 0
    assert play.game.here(CARTHAG, "bene-gesserit") == Forces(4)


@pytest.mark.clause("WBC.AID.26", "WBC.IX.11")
def test_a_shipment_that_cannot_be_paid_is_undone() -> None:
    play = relied_on_a_worthless_card()
    say(play, "harkonnen", Karama("cancel karama"))
    silence_until(play, "harkonnen", "shipment")
    player = play.state.players["bene-gesserit"]
    assert (player.spice, player.reserves, player.hand) == (2, Forces(9), [])
    assert play.state.forces == {}


def test_a_shipment_whose_karama_was_stolen_is_undone() -> None:
    play = at_movement(factions={"emperor": {"spice": 2, "reserves": "9", "hand": ["Karama"]}, "harkonnen": {}})
    say(play, "emperor", ship("4", CARTHAG))
    play.state.players["emperor"].hand.remove(Card("Karama"))
    say(play, "emperor", move("4", CARTHAG, ARSUNT))
    assert play.state.forces == {}
    assert play.state.players["emperor"].reserves == Forces(9)


def test_of_a_shipment_that_is_undone_the_dead_do_not_come_back() -> None:
    play = at_movement(factions={"emperor": {"spice": 2, "reserves": "9", "hand": ["Karama"]}, "harkonnen": {}})
    say(play, "emperor", ship("4", CARTHAG))
    play.state.players["emperor"].hand.remove(Card("Karama"))
    play.game.kill(CARTHAG, "emperor", Forces(1))
    say(play, "emperor", NoMove())
    assert play.state.players["emperor"].reserves == Forces(5)
    assert play.game.here(CARTHAG, "emperor") == Forces(3)


# --- early orders --------------------------------------------------------------------------------------------------


@pytest.mark.clause("AH.AID.TIMED.3-a")
def test_a_hajr_that_closes_the_way_has_the_next_shipment_declared_anew() -> None:
    factions = {
        "harkonnen": {"hand": ["Hajr"], "forces": {"arsunt/11": "3"}},
        "emperor": {"reserves": "5", "spice": 5},
        "fremen": {"forces": {"carthag": "2"}},
    }
    play = at_movement("ah-basic", factions=factions)
    say(play, "harkonnen", NoShipment(), NoMove())
    say(play, "harkonnen", Hajr(move("3", ARSUNT, CARTHAG)))
    assert play.game.here(CARTHAG, "harkonnen") == Forces()
    say(play, "emperor", ship("5", CARTHAG))
    assert play.game.here(CARTHAG, "harkonnen") == Forces(3)
    assert asked(play) == [("emperor", "shipment", "")]
    assert "full" in refused(play, "emperor", ship("5", CARTHAG))


@pytest.mark.clause("AH.AID.TIMED.3-a")
def test_while_such_a_hajr_is_played_another_shipment_may_be_sent_in_case_it_closes_the_way() -> None:
    """The Bene Gesserit decide whether Carthag is full when Harkonnen arrive; if they coexist, it is not."""
    factions = {
        "harkonnen": {"hand": ["Hajr"], "forces": {"arsunt/11": "3"}},
        "emperor": {"reserves": "5", "spice": 10},
        "bene-gesserit": {"forces": {"carthag": "1"}},
    }
    play = at_movement(factions=factions)
    say(play, "harkonnen", NoShipment(), NoMove())
    say(play, "harkonnen", Hajr(move("3", ARSUNT, CARTHAG)))
    say(play, "emperor", ship("5", CARTHAG))
    assert asked(play) == [("bene-gesserit", "intrusion", "carthag")]
    assert [outcome.status for outcome in play.submit("emperor", [ship("4", ARSUNT)])] == ["held"]
    say(play, "bene-gesserit", Fight(territory_of(CARTHAG)))
    silence_until(play, "emperor", "movement")
    assert play.game.here(CARTHAG, "emperor") == Forces()
    assert play.game.here(ARSUNT, "emperor") == Forces(4)


@pytest.mark.clause("AH.IX.C.2.b")
def test_of_two_moves_in_one_message_the_later_counts() -> None:
    play = at_movement("ah-basic", factions={"atreides": {"forces": {"carthag": "5"}}, "emperor": {}})
    say(play, "atreides", NoShipment())
    say(play, "atreides", move("5", CARTHAG, ARSUNT), move("2", CARTHAG, IMPERIAL_BASIN))
    assert play.state.forces == {CARTHAG: {"atreides": Forces(3)}, IMPERIAL_BASIN: {"atreides": Forces(2)}}


@pytest.mark.clause("WBC.XV.11")
def test_a_declaration_may_be_sent_ahead_of_the_meeting() -> None:
    factions = {"harkonnen": {"forces": {"arsunt/11": "3"}}, "bene-gesserit": {"forces": {"carthag": "2"}}}
    play = at_movement(factions=factions)
    carthag = territory_of(CARTHAG)
    say(play, "bene-gesserit", Coexist(carthag))
    say(play, "harkonnen", NoShipment(), move("3", ARSUNT, CARTHAG))
    assert play.state.presence == {carthag: "coexist"}


@pytest.mark.clause("AH.SHIELD.GUI.5-a", "WBC.AID.37")
def test_a_waiting_guild_is_asked_again_only_before_the_slot_after_the_next() -> None:
    play = at_movement(factions={"guild": {}, "harkonnen": {"reserves": "5"}, "emperor": {"reserves": "5"}})
    say(play, "guild", Wait())
    play.expire()  # nobody makes the Guild take its turn in order
    assert asked(play) == [("harkonnen", "shipment", "")]
    say(play, "harkonnen", NoShipment())
    assert asked(play) == [("guild", "guild-timing", "")]


@pytest.mark.clause("VACA.IX.C.1.e")
@pytest.mark.parametrize(("source", "afar"), [(None, True), (ARRAKEEN, False)])
def test_who_may_send_an_advisor_hears_whether_the_tokens_come_from_off_the_planet(
    source: Area | None, afar: bool
) -> None:
    factions = {"guild": {"spice": 5, "reserves": "4", "forces": {"arrakeen": "4"}}, "bene-gesserit": {"reserves": "4"}}
    start = {"turn": 4, "phase": "movement", "storm": 1, "factions": list(factions), "faction": factions}
    options = {"advisor_trigger": "any_shipment_onto_dune"}
    play = position({"ruleset": "vaca-2.0", "options": options, "start": start}).play()
    play.begin_phase("movement")
    play.settle()
    silence_until(play, "guild", "shipment")
    say(play, "guild", ship("4", CARTHAG, source))
    silence_until(play, "bene-gesserit", "advisor")
    (question,) = play.questions()
    assert question.facts == {"shipper": "guild", "places": [CARTHAG, POLAR_SINK], "off_planet": afar}


# --- secrecy -------------------------------------------------------------------------------------------------------

EVERYBODY: dict[str, dict[str, Any]] = {
    "atreides": {"forces": {"arrakeen": "3"}, "reserves": "7"},
    "bene-gesserit": {"forces": {"polar-sink": "1"}, "reserves": "9"},
    "emperor": {"forces": {"old-gap/10": "2"}, "reserves": "8"},
    "fremen": {"forces": {"sietch-tabr": "3"}, "reserves": "9"},
    "guild": {"forces": {"tueks-sietch": "3"}, "reserves": "9"},
    "harkonnen": {"forces": {"carthag": "3"}, "reserves": "9"},
}


def stops_of_a_round(ruleset: str, hidden: dict[str, dict[str, Any]]) -> list[list[Key]]:
    """Return the questions at each stop while every shipper ships one token and nobody does anything else."""
    factions = {name: {**values, "spice": 4, **hidden.get(name, {})} for name, values in EVERYBODY.items()}
    play = at_movement(ruleset, factions=factions, alliances=[["atreides", "emperor"]])
    stops = []
    while play.questions():
        stops.append(asked(play))
        for question in play.questions():
            home = next(iter(EVERYBODY[question.faction]["forces"]))
            order = ship("1", parse_area(home)) if question.kind == "shipment" else question.default
            say(play, question.faction, NoKarama() if question.kind == "karama-window" else order)
    return stops


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
def test_no_question_depends_on_what_is_hidden(ruleset: str) -> None:
    poor = stops_of_a_round(ruleset, {})
    armed = stops_of_a_round(
        ruleset,
        {
            "guild": {"hand": ["Karama"], "spice": 30},
            "harkonnen": {"hand": ["Karama", "Hajr", "Kulon"], "spice": 40},
            "bene-gesserit": {"hand": ["Baliset", "La La La"]},
            "atreides": {"traitors": ["Feyd-Rautha"], "spice": 9},
        },
    )
    assert armed == poor
    assert {faction for stop in poor for faction, _, _ in stop} == set(FACTIONS)


@pytest.mark.clause("AH.SHIELD.FRE.2-a")
def test_samples_of_a_fremen_shipment_land_at_home() -> None:
    play = at_movement(factions={"fremen": {"reserves": "9"}, "guild": {}})
    silence_until(play, "fremen", "shipment")
    (question,) = [one for one in play.questions() if one.faction == "fremen"]
    targets = {order.target for order in question.samples() if isinstance(order, Ship)}
    assert parse_area("the-great-flat") in targets
    assert all(question.refusal(order) is None for order in question.samples())
