"""Tests for shipment and movement with another faction's powers, and for the clauses that refusals cite.

In these tests the Emperor or the Guild plays by the rules of another faction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rules.components import Faction, Forces
from rules.components.board import Area, TerritoryId, parse_area, territory_of
from rules.decisions.faction_rules import FactionRules
from rules.engine.catalogue import CATALOGUE
from rules.engine.play import Play
from rules.factions.bene_gesserit import BeneGesserit
from rules.factions.fremen import Fremen
from rules.factions.guild import Guild
from rules.orders import Advise, Coexist, GoNow, NoShipment, Order, Ship
from rules.positions.position import position
from tests.rules.stage import at, say, silence, told, until

CARTHAG, ARRAKEEN, ARSUNT = parse_area("carthag"), parse_area("arrakeen"), parse_area("arsunt/11")
POLAR_SINK, GREAT_FLAT = parse_area("polar-sink"), parse_area("the-great-flat")


def in_the_room_of(who: Faction, rules: type[FactionRules], ruleset: str = "wbc-2018", **factions: Any) -> Play:
    """Return a movement round in which a faction plays by another's rules. The factions have dots 2, 5, 8, ... in the
    order named, so the first one moves first."""
    start = {
        "turn": 4,
        "phase": "movement",
        "storm": 1,
        "factions": list(factions),
        "dots": {name: 2 + 3 * place for place, name in enumerate(factions)},
        "faction": factions,
    }
    play = position({"ruleset": ruleset, "start": start}).play()
    play.game.rules = replace(
        play.game.rules, catalogue=replace(CATALOGUE, factions={**CATALOGUE.factions, who: rules(who)})
    )
    play.begin_phase("movement")
    play.settle()
    return play


def ship(tokens: int, target: Area | None = None, source: Area | None = None) -> Ship:
    return Ship(Forces(tokens), source, target)


@pytest.mark.clause("AH.SHIELD.GUI.1-b", "AH.SHIELD.GUI.2")
def test_whoever_ships_every_way_ships_across_dune_for_half_the_price() -> None:
    play = in_the_room_of("emperor", Guild, emperor={"spice": 5, "forces": {"carthag": "4"}}, atreides={})
    until(play, "shipment")
    say(play, "emperor", ship(4, ARRAKEEN, CARTHAG))
    assert play.game.here(ARRAKEEN, "emperor") == Forces(4)
    assert play.game.player("emperor").spice == 3


@pytest.mark.clause("AH.SHIELD.GUI.3", "WBC.IX.6")
def test_what_a_shipment_costs_goes_to_whoever_is_paid_for_shipments() -> None:
    play = in_the_room_of("emperor", Guild, atreides={"spice": 5, "reserves": "4"}, emperor={"spice": 1})
    until(play, "shipment")
    say(play, "atreides", ship(4, CARTHAG))
    silence(play)
    assert told(play, "shipment")[0].facts["paid_to"] == "emperor"
    assert play.game.player("emperor").spice == 5


@pytest.mark.clause("AH.SHIELD.GUI.5-a")
def test_whoever_chooses_when_to_go_may_go_before_others() -> None:
    play = in_the_room_of("emperor", Guild, atreides={}, harkonnen={}, emperor={})
    say(play, "emperor", GoNow())
    assert until(play, "shipment")[0].faction == "emperor"


@pytest.mark.clause("AH.SHIELD.GUI.5-b")
def test_two_who_choose_when_to_go_are_each_asked() -> None:
    play = in_the_room_of("emperor", Guild, atreides={}, harkonnen={}, emperor={}, guild={})
    say(play, "guild", GoNow())
    assert [question.faction for question in until(play, "guild-timing")] == ["emperor"]
    assert until(play, "shipment")[0].faction == "guild"


@pytest.mark.clause("AH.SHIELD.FRE.2-a", "AH.SHIELD.FRE.2-b")
def test_whose_reserves_are_on_dune_land_free_and_nowhere_else() -> None:
    play = in_the_room_of("emperor", Fremen, emperor={"reserves": "4"}, atreides={})
    until(play, "shipment")
    refusal = play.check("emperor", ship(1, CARTHAG)).refusal
    assert refusal is not None
    assert refusal.clause == "AH.SHIELD.FRE.2-b"
    say(play, "emperor", ship(3, GREAT_FLAT))
    assert play.game.here(GREAT_FLAT, "emperor") == Forces(3)
    assert told(play, "shipment")[0].facts["price"] == 0


@pytest.mark.clause("AH.SHIELD.BG.2-a", "AH.XV.B.3", "AH.XV.B.4-d")
def test_whoever_sends_advisors_sends_one_along_and_it_stands_apart() -> None:
    play = in_the_room_of(
        "guild",
        BeneGesserit,
        emperor={"spice": 9, "reserves": "4"},
        guild={"reserves": "4"},
        atreides={"forces": {"carthag": "1"}},
    )
    until(play, "shipment")
    say(play, "emperor", ship(2, CARTHAG))
    until(play, "advisor")
    say(play, "guild", Advise(CARTHAG))
    until(play, "movement")
    assert play.game.here(CARTHAG, "guild") == Forces(1)
    assert play.state.presence == {territory_of(CARTHAG): "coexist"}


@pytest.mark.clause("AH.XV.B.5-a", "AH.SHIELD.BG.2-a")
def test_of_whom_no_coexistence_is_asked_nobody_holds_orders_for_it() -> None:
    play = in_the_room_of("guild", BeneGesserit, emperor={"spice": 9}, guild={"reserves": "4"})
    coexist = Coexist(TerritoryId("carthag"))
    assert play.check("guild", coexist).status == "held"
    refusal = play.check("emperor", coexist).refusal
    assert refusal is not None
    assert "Only the Bene Gesserit" in refusal.reason


@pytest.mark.clause("AH.SHIELD.BG.2-b", "WBC.XV.21", "AH.IX.C.1.b-a", "WBC.IX.11")
@pytest.mark.parametrize(
    ("ruleset", "own_shipment", "price"),
    [("wbc-2018", "WBC.XV.21", "WBC.IX.11"), ("ah-basic", "AH.SHIELD.BG.2-b", "AH.IX.C.1.b-a")],
)
def test_refusals_in_the_movement_round_cite_the_book_that_is_played(
    ruleset: str, own_shipment: str, price: str
) -> None:
    bene_gesserit = {"spice": 2, "reserves": "9", "forces": {"polar-sink": "1"}}
    dots = {"bene-gesserit": 2, "emperor": 5}
    play = at("movement", ruleset, storm=1, factions=list(dots), dots=dots, faction={"bene-gesserit": bene_gesserit})

    def clause(order: Order) -> str:
        refusal = play.check("bene-gesserit", order).refusal
        assert refusal is not None
        return refusal.clause

    assert clause(ship(9, CARTHAG)) == price
    say(play, "bene-gesserit", ship(1, CARTHAG))
    until(play, "movement")
    assert clause(Advise(POLAR_SINK)) == own_shipment
    assert play.check("emperor", NoShipment()).status == "held"
