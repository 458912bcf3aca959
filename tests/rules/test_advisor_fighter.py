"""Tests for advisors and fighters beyond the rulings: stored state, secrecy, and early answers."""

from __future__ import annotations

from typing import Any

import pytest

from rules.components import Faction, Forces
from rules.components.board import TerritoryId, parse_area, territory_of
from rules.decisions.catalogue import rules_of
from rules.engine.play import Play
from rules.engine.turn import questions_of
from rules.orders import Coexist, Fight, Karama, Move, Order, Truthtrance
from rules.positions.position import position
from rules.views import view
from tests.rules.stage import say, told, until

CARTHAG, BASIN = parse_area("carthag"), parse_area("imperial-basin/11")
THERE = territory_of(CARTHAG)
TYPES = {
    "bg_presence_model": "advisor_fighter",
    "bg_silent_default": "keep_type",
    "bg_declare_window": "after_nexus_until_shipment",
    "bg_own_arrival": "fighters_stay_advisors_choose",
    "bg_reaction_to_reinforcement": "yes",
    "bg_undo_non_coexistence_same_turn": "on_any_intrusion",
    "bg_revert_when_alone": "at_once",
    "bg_flip_under_storm": "forbidden",
    "bg_undeclared_status": "keep_type",
    "bg_beside_ally": "must_leave",
}


def with_types(phase: str, *, coexisting: bool = True, karama_cancel_list: str = "gf9_list", **start: Any) -> Play:
    """Return a game in which Bene Gesserit and Harkonnen share Carthag."""
    sisters: dict[str, Any] = {"forces": {"carthag": "3"}, "spice": 4}
    if coexisting:
        sisters["coexisting"] = ["carthag"]
    others = {
        "harkonnen": {"forces": {"carthag": "5"}, "spice": 4, "reserves": "4", "tanks": "4"},
        "emperor": {"spice": 4, "hand": ["Karama", "Truthtrance"]},
    }
    factions = ["bene-gesserit", "emperor", "harkonnen"]
    dots = {"bene-gesserit": 14, "emperor": 17, "harkonnen": 8}
    begin = {"turn": 4, "phase": phase, "storm": 7, "factions": factions, "dots": dots, **start}
    begin["faction"] = {"bene-gesserit": sisters, **others}
    options = {**TYPES, "karama_cancel_list": karama_cancel_list}
    play = position({"ruleset": "wbc-2018", "options": options, "start": begin}).play()
    play.begin_phase(play.state.phase)
    play.settle()
    return play


def refused(play: Play, faction: Faction, order: Order) -> str:
    """Return the reason why the order is refused."""
    refusal = play.check(faction, order).refusal
    assert refusal is not None
    return refusal.reason


@pytest.mark.clause("FAQ.BG.4")
def test_an_early_flip_is_replayed_from_the_log() -> None:
    play = with_types("revival")
    until(play, "revival")
    say(play, "bene-gesserit", Fight(THERE))
    until(play, "revival")
    resumed = Play.resume(play.game.rules, "spice", play.snapshot, play.log)
    assert resumed.state == play.state
    assert resumed.state.presence == {THERE: "fight"}


@pytest.mark.clause("FAQ.BG.4")
def test_nothing_flips_while_a_truthtrance_waits_for_its_answer() -> None:
    play = with_types("revival")
    until(play, "revival")
    say(play, "emperor", Truthtrance("harkonnen", "Do you love us?"))
    assert play.questions()[0].kind == "truthtrance-answer"
    assert refused(play, "bene-gesserit", Fight(THERE))


def test_only_the_bene_gesserit_flip() -> None:
    play = with_types("revival")
    until(play, "revival")
    assert refused(play, "harkonnen", Fight(THERE))
    until(play, "revival")
    play.advance()
    while play.state.phase == "revival":
        play.expire()
        play.advance()
    assert refused(play, "harkonnen", Fight(TerritoryId("arrakeen"))) == (
        "Only the Bene Gesserit have advisors and fighters."
    )


@pytest.mark.clause("FAQ.BG.4", "FAQ.BG.6")
def test_an_order_sent_ahead_answers_when_somebody_comes() -> None:
    play = with_types("movement", coexisting=False, dots={"bene-gesserit": 8, "emperor": 17, "harkonnen": 14})
    play.game.shift("harkonnen", Forces(5), CARTHAG, BASIN)
    until(play, "shipment")
    say(play, "bene-gesserit", Coexist(THERE))
    until(play, "movement")
    while play.state.presence.get(THERE) != "coexist" and not play.phase_over:
        if any(question.kind == "movement" and question.faction == "harkonnen" for question in play.questions()):
            say(play, "harkonnen", Move(Forces(1), BASIN, CARTHAG))
        else:
            play.expire()
    assert play.state.presence == {THERE: "coexist"}


@pytest.mark.clause("FAQ.KARAMA-BG.4")
def test_a_flip_under_way_is_not_announced_twice() -> None:
    play = with_types("movement")
    say(play, "bene-gesserit", Fight(THERE))
    assert [question.kind for question in play.questions()] == ["karama-window"] * 3
    assert refused(play, "bene-gesserit", Fight(THERE))
    assert play.state.presence == {THERE: "coexist"}
    say(play, "emperor", Karama("cancel flip"))
    until(play, "shipment")
    assert play.state.presence == {THERE: "held"}
    assert [event.facts["by"] for event in told(play, "flip-cancelled")] == ["emperor"]


@pytest.mark.clause("FAQ.KARAMA-BG.4")
@pytest.mark.parametrize(("listed", "windows"), [("gf9_list", 3), ("ah_pad", 0)])
def test_nobody_is_asked_about_a_flip_that_no_karama_can_stop(listed: str, windows: int) -> None:
    play = with_types("movement", karama_cancel_list=listed)
    say(play, "bene-gesserit", Fight(THERE))
    assert [question.kind for question in play.questions()].count("karama-window") == windows


@pytest.mark.clause("FAQ.BG.2")
def test_everybody_sees_who_is_an_advisor() -> None:
    play = with_types("revival")
    for viewer in ("public", "harkonnen", "bene-gesserit", "gm"):
        assert view(play, viewer)["coexisting"] == view(play, viewer)["advisors"] == [THERE]
    assert all(event.audience is None and not event.private for event in told(play, "bg-flip"))


@pytest.mark.clause("FAQ.BG.10")
def test_what_the_tokens_are_goes_with_the_last_of_them() -> None:
    play = with_types("movement")
    until(play, "movement")
    while not any(question.faction == "bene-gesserit" for question in until(play, "movement")):
        play.expire()
    say(play, "bene-gesserit", Move(Forces(3), CARTHAG, BASIN))
    assert play.state.presence == {}


@pytest.mark.clause("FAQ.BG.7", "FAQ.BG.12")
def test_advisors_who_go_alone_are_fighters_for_all_to_know() -> None:
    play = with_types("movement")
    while not any(question.faction == "bene-gesserit" for question in until(play, "movement")):
        play.expire()
    say(play, "bene-gesserit", Move(Forces(2), CARTHAG, BASIN))
    (flip,) = told(play, "bg-flip")
    assert (flip.facts["territory"], flip.facts["advisors"], flip.facts["why"]) == ("imperial-basin", False, "alone")
    assert rules_of(play.game, "bene-gesserit").is_occupant(play.game, territory_of(BASIN))
    assert not rules_of(play.game, "bene-gesserit").is_occupant(play.game, THERE)


@pytest.mark.clause("FAQ.BG.4", "FAQ.BG.6")
def test_in_the_movement_round_it_is_known_beforehand_that_somebody_may_be_asked_when_others_come() -> None:
    kinds = questions_of(with_types("movement").game.rules)
    assert {"bg-status", "intrusion"} <= set(kinds["movement"])
    assert "intrusion" in kinds["spice"]
