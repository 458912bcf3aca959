"""Tests for obstacles to a shipment or move: other tokens, a Karama, or no route."""

from typing import Any

import pytest

from rules.components import Faction
from rules.components.board import parse_area
from rules.orders import Karama, NoShipment, Support
from rules.positions.position import position
from tests.rules.stage import say
from tests.rules.test_movement import ARRAKEEN, CARTHAG, asked, at_movement, move, refused, ship, silence_until


@pytest.mark.clause("AH.IX.C.1.c", "FAQ.SHIP.3")
@pytest.mark.parametrize(
    ("third", "why"),
    [
        ("guild", "Carthag is full: two other players are there, the Emperor and the Guild."),
        (
            "bene-gesserit",
            "Carthag is full: three other players are there, the Emperor, the Guild and the Bene Gesserit.",
        ),
    ],
)
def test_those_who_fill_a_stronghold_are_named(third: Faction, why: str) -> None:
    """With this option, coexisting tokens count as well; without it they may join two other factions."""
    factions: dict[str, Any] = {"atreides": {"spice": 5, "reserves": "3"}}
    factions |= {name: {"forces": {"carthag": "1"}} for name in ("emperor", "guild", third)}
    start = {"turn": 4, "phase": "movement", "storm": 1, "factions": list(factions), "faction": factions}
    dots = dict(zip(factions, (2, 5, 8, 11), strict=False))
    options = {"stronghold_limit_counts_coexisting_bg": "yes"}
    play = position({"ruleset": "ah-advanced", "options": options, "start": {**start, "dots": dots}}).play()
    play.begin_phase("movement")
    play.settle()
    silence_until(play, "atreides", "shipment")
    assert refused(play, "atreides", ship("1", CARTHAG)) == why


@pytest.mark.clause("AH.IX.C.2.a.1", "AH.XII.E.5")
@pytest.mark.parametrize(
    ("ally", "why"),
    [
        (
            "carthag",
            "It is 2 territories from False Wall West/17 to Habbanya Ridge Sietch; this group can go at most 1",
        ),
        ("habbanya-ridge-flat/17", "There is no open way from False Wall West/17 to Habbanya Ridge Sietch."),
    ],
)
def test_a_way_that_is_too_long_and_one_that_there_is_not(ally: str, why: str) -> None:
    """The only neighbour of Habbanya Ridge Sietch is the flat; an ally there closes it to this faction."""
    west, sietch = parse_area("false-wall-west/17"), parse_area("habbanya-ridge-sietch")
    factions = {"atreides": {"forces": {"false-wall-west/17": "2"}}, "emperor": {"forces": {ally: "1"}}}
    play = at_movement("ah-basic", factions=factions, alliances=[["atreides", "emperor"]])
    say(play, "atreides", NoShipment())
    assert refused(play, "atreides", move("2", west, sietch)).startswith(why)


@pytest.mark.clause("AH.XII.E.4")
@pytest.mark.parametrize(("amount", "taken"), [(-1, False), (0, True), (4, True), (5, False)])
def test_an_ally_lets_spend_what_they_have(amount: int, taken: bool) -> None:
    factions: dict[str, dict[str, Any]] = {"atreides": {"spice": 2, "reserves": "9"}, "emperor": {"spice": 4}}
    play = at_movement("ah-basic", factions=factions, alliances=[["atreides", "emperor"]])
    assert asked(play) == [("emperor", "ally-support", "atreides"), ("atreides", "shipment", "")]
    if taken:
        say(play, "emperor", Support(amount))
    else:
        assert refused(play, "emperor", Support(amount)) == "You have 4 spice to help with."


@pytest.mark.clause("FAQ.KARAMA-GUI.4")
def test_the_way_that_a_karama_closes_is_closed_to_the_one_who_ships_now() -> None:
    """Allies may still order a shipment across Dune in advance for their own slots."""
    factions: dict[str, dict[str, Any]] = {
        "guild": {"spice": 9, "forces": {"tueks-sietch": "3"}},
        "harkonnen": {"hand": ["Karama"]},
        "emperor": {"spice": 9, "forces": {"carthag": "4"}},
    }
    play = at_movement("gf9-basic", factions=factions, alliances=[["guild", "emperor"]])
    silence_until(play, "guild", "shipment")
    say(play, "harkonnen", Karama("cancel guild shipment"))
    closed = "A Karama prevents you from shipping across Dune or back to the reserves this time."
    assert refused(play, "guild", ship("3", ARRAKEEN, parse_area("tueks-sietch"))) == closed
    assert play.check("emperor", ship("4", ARRAKEEN, CARTHAG)).status == "held"
