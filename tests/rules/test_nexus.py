"""Tests for the nexus beyond the rulings: orders held for a later nexus, who may ally, and what is announced."""

from __future__ import annotations

from typing import Any

import pytest

from rules.components import Faction
from rules.orders import Ally, BreakAlliance, NoAlliance
from rules.positions.position import position
from tests.rules.stage import at, spice_round, until

WORM = "Shai-Hulud"


@pytest.mark.clause("AH.XII.D", "FAQ.ADV-KARAMA.3")
@pytest.mark.parametrize(
    ("ruleset", "status", "told_why"),
    [
        ("gf9-advanced", "held", None),
        ("wbc-2018", "refused", "Alliances change only at a nexus, and there is no other this turn."),
    ],
)
def test_once_all_spice_has_blown_a_nexus_can_come_only_with_a_worm_that_the_fremen_call(
    ruleset: str, status: str, told_why: str | None
) -> None:
    deck = ["Hagga Basin", "Old Gap", "Red Chasm"]
    play = at("spice", ruleset, storm=3, factions=["guild", "emperor", "fremen"], spice_deck=deck)
    until(play, "karama-window")  # this already holds before the first card is turned
    assert play.check("guild", Ally("emperor")).status == "held"
    play.expire()
    assert {question.facts["why"] for question in until(play, "karama-window")} == {"fremen-worm"}
    outcome = play.check("guild", Ally("emperor"))
    assert outcome.status == status
    assert (outcome.refusal and outcome.refusal.reason) == told_why


@pytest.mark.clause("WBC.HR.2b")
@pytest.mark.parametrize(("agreed", "size"), [(True, 3), (False, 2)])
def test_three_ally_only_where_all_six_agreed_at_the_start(agreed: bool, size: int) -> None:
    play = spice_round(spice_deck=[WORM, "Old Gap", "Red Chasm"], spice_discard=[["Hagga Basin"], []])
    play.state.triple_alliances = agreed
    until(play, "nexus")
    wish: list[Faction] = ["atreides", "emperor", "guild"]
    for faction in wish:
        play.submit(faction, [Ally(other) for other in wish if other != faction])
    until(play, "nothing")
    (group,) = play.state.alliances
    assert len(group) == size


@pytest.mark.clause("WBC.HR.2a")
def test_three_players_may_ally_in_pairs_only() -> None:
    three: list[Faction] = ["atreides", "emperor", "guild"]
    play = spice_round(factions=three, spice_deck=[WORM, "Old Gap", "Red Chasm"], spice_discard=[["Hagga Basin"], []])
    until(play, "nexus")
    for faction in three:
        play.submit(faction, [Ally(other) for other in three if other != faction])
    until(play, "nothing")
    assert [len(group) for group in play.state.alliances] == [2]


@pytest.mark.clause("WBC.HR.2a", "AH.XII.C.2")
def test_two_players_may_ally_where_the_rule_set_makes_no_difference_for_small_games() -> None:
    start = {"turn": 4, "phase": "spice", "factions": ["emperor", "guild"], "spice_deck": [WORM]}
    play = position({"options": {"alliances_small_games": "as_larger"}, "start": start}).play()
    play.begin_phase("spice")
    play.settle()
    assert len(until(play, "nexus")) == 2


@pytest.mark.clause("AH.XII.C.3")
def test_the_alliances_after_a_nexus_are_told_to_all() -> None:
    start = {"alliances": [["emperor", "harkonnen"]], "spice_discard": [["Hagga Basin"]]}
    play = spice_round("ah-basic", spice_deck=[WORM, "Old Gap"], **start)
    until(play, "nexus")
    play.submit("atreides", [Ally("guild")])
    play.submit("guild", [Ally("atreides")])
    play.submit("harkonnen", [BreakAlliance()])
    until(play, "nothing")
    told = [(event.kind, event.facts) for event in play.events if "alliance" in event.kind or "over" in event.kind]
    assert told == [
        ("alliance-broken", {"faction": "harkonnen", "allies": ["emperor"]}),
        ("alliance-formed", {"factions": ["atreides", "guild"]}),
        ("nexus-over", {"alliances": [["atreides", "guild"]]}),
    ]


@pytest.mark.clause("AH.XII.B-a", "AH.XII.C.1")
def test_a_wish_that_was_not_met_is_told_to_nobody() -> None:
    def news(*orders: Ally | NoAlliance) -> list[Any]:
        play = spice_round(spice_deck=[WORM, "Old Gap", "Red Chasm"], spice_discard=[["Hagga Basin"], []])
        until(play, "nexus")
        play.submit("emperor", orders)
        until(play, "nothing")
        return [(event.kind, event.facts, event.private) for event in play.events]

    assert news(Ally("guild"), Ally("fremen")) == news(NoAlliance())
