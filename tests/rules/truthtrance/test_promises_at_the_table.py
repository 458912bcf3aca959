"""Tests for Truthtrance promises during play: recalled, kept, fulfilled late and ended."""

from __future__ import annotations

from typing import Any

import pytest

from rules.chapters.voice_and_prescience import card_pairs
from rules.components import Card, Faction, Forces, Leader
from rules.components.board import POLAR_SINK, Area
from rules.engine.play import Play
from rules.orders import (
    Accept,
    Advise,
    Answer,
    Bid,
    BidUpTo,
    Decline,
    Give,
    Hajr,
    Karama,
    Move,
    NoShipment,
    Plan,
    Prescience,
    Ship,
)
from rules.positions.position import position
from tests.rules.stage import at, say, told
from tests.rules.truthtrance.questions import WBC, asked


def table(phase: str, **hands: list[str]) -> Play:
    start: dict[str, object] = {"turn": 4, "phase": phase, "storm": 6}
    start["faction"] = {
        faction.replace("_", "-"): {"hand": hand, "spice": 9, "reserves": "9"} for faction, hand in hands.items()
    }
    play = position({"ruleset": "wbc-2018", "start": start}).play()
    play.begin_phase(play.state.phase)
    play.settle()
    return play


def until(play: Play, faction: Faction, kind: str) -> dict[str, object]:
    """Let everybody be silent until the faction is asked; return the question's facts."""
    while not any((q.faction, q.kind) == (faction, kind) for q in play.questions()):
        play.expire()
        play.advance()
    return dict(next(q.facts for q in play.questions() if (q.faction, q.kind) == (faction, kind)))


@pytest.mark.clause("WBC.AID.6", "WBC.AID.8")
def test_an_answer_that_nobody_can_check_is_put_before_the_one_who_gave_it() -> None:
    play = table("revival", guild=["Truthtrance"], harkonnen=[])
    question = "If I ship to Carthag, will you follow me there?"
    play.submit("guild", [asked("guild", "harkonnen", question)])
    play.submit("harkonnen", [Answer("yes")])
    assert until(play, "harkonnen", "shipment")["promised"] == [f"“{question}” Yes."]
    assert play.check("harkonnen", NoShipment()).status == "accepted"
    assert "promised" not in until(play, "guild", "shipment")


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize("card", ["Tleilaxu Ghola", "Truthtrance", "Karama"])
def test_a_card_promised_for_this_turn_is_recalled_in_a_reaction_window(card: str) -> None:
    play = table("movement", guild=["Truthtrance"], bene_gesserit=[card], harkonnen=["Karama"])
    until(play, "guild", "shipment")
    question = f"Will you play the {card} this turn?"
    play.submit("guild", [asked("guild", "bene-gesserit", question)])
    play.submit("bene-gesserit", [Answer("yes")])
    play.submit("guild", [Ship(Forces(1), None, Area("carthag/11"))])
    until(play, "bene-gesserit", "advisor")
    play.submit("bene-gesserit", [Advise(POLAR_SINK)])
    assert until(play, "bene-gesserit", "karama-window")["promised"] == [f"“{question}” Yes."]


def test_a_question_about_the_present_leaves_no_reminder() -> None:
    play = table("revival", guild=["Truthtrance"], harkonnen=[])
    play.submit("guild", [asked("guild", "harkonnen", "Do you trust me?")])
    play.submit("harkonnen", [Answer("yes")])
    assert play.state.promises == []
    assert len(play.state.truths) == 1


@pytest.mark.clause("WBC.AID.12")
def test_a_promise_ends_with_its_turn() -> None:
    play = table("revival", guild=["Truthtrance"], harkonnen=[])
    play.submit("guild", [asked("guild", "harkonnen", "Will you ship to Carthag this turn?")])
    play.submit("harkonnen", [Answer("no")])
    ship = Ship(Forces(1), None, Area("carthag/11"))
    until(play, "harkonnen", "shipment")
    assert play.check("harkonnen", ship).status == "refused"
    play.expire()
    until(play, "harkonnen", "charity")
    assert play.state.turn == 5
    assert play.state.promises == []
    until(play, "harkonnen", "shipment")
    assert play.check("harkonnen", ship).status == "accepted"


@pytest.mark.clause("WBC.AID.8")
def test_a_condition_met_as_a_phase_ends_is_met_after_the_game_is_taken_up_again() -> None:
    play = table("bidding", guild=["Truthtrance"], harkonnen=[])
    play.submit("guild", [asked("guild", "harkonnen", "If you buy a card, will you ship to Carthag?")])
    play.submit("harkonnen", [Answer("yes")])
    until(play, "harkonnen", "bid")
    play.submit("harkonnen", [BidUpTo(5)])
    until(play, "harkonnen", "revival")
    assert [promise.met for promise in play.state.promises] == [True]
    since = play.log[play.snapshot.entries - play.entries_before :]
    again = Play.resume(WBC, "any", play.snapshot, since)
    assert again.state.promises == play.state.promises
    until(again, "harkonnen", "shipment")
    assert again.check("harkonnen", NoShipment()).status == "refused"


@pytest.mark.clause("WBC.AID.7")
def test_what_was_done_before_the_condition_was_met_keeps_no_promise() -> None:
    play = table("revival", guild=["Truthtrance"], harkonnen=["Karama"])
    question = "Will you play a Karama this turn if I ship to Arrakeen?"
    play.submit("guild", [asked("guild", "harkonnen", question)])
    play.submit("harkonnen", [Answer("yes")])
    assert play.submit("harkonnen", [Karama("block spice card")])[0].status == "accepted"
    until(play, "guild", "shipment")
    assert [promise.question for promise in play.state.promises] == [question]


@pytest.mark.clause("WBC.AID.3")
def test_what_a_yes_means_to_a_not_is_told_to_all_with_question_and_answer() -> None:
    play = table("revival", guild=["Truthtrance"], harkonnen=[])
    play.submit("guild", [asked("guild", "harkonnen", "Will you not ship to Carthag this turn?")])
    assert play.questions()[0].facts["negative"] is True
    play.submit("harkonnen", [Answer("yes")])
    told = [event.facts["negative"] for event in play.events if event.kind.startswith("truthtrance-")]
    assert told == [True, True]


@pytest.mark.clause("WBC.AID.8")
def test_an_attack_that_was_promised_is_made_by_a_battle_of_these_two_alone() -> None:
    dots = {"harkonnen": 5, "emperor": 8, "guild": 11}
    forces = {"emperor": {"arrakeen": "2"}, "guild": {"carthag": "2"}, "harkonnen": {"arrakeen": "3", "carthag": "2"}}
    players = {
        faction: {"forces": tokens, "hand": ["Truthtrance"] * (faction == "guild")}
        for faction, tokens in forces.items()
    }
    play = at("battle", storm=2, factions=list(dots), dots=dots, faction=players)
    say(play, "guild", asked("guild", "harkonnen", "Will you attack me this game?"))
    say(play, "harkonnen", Answer("yes"))
    standing = []
    while len(battles := told(play, "battle-begins")) < 2:
        standing.append((len(battles), len(play.state.promises)))
        play.expire()
    assert set(standing) == {(0, 1), (1, 1)}
    assert [battle.facts["defender"] for battle in battles] == ["emperor", "guild"]
    play.expire()
    assert not play.state.promises


@pytest.mark.clause("WBC.AID.8")
def test_a_gift_that_is_only_offered_keeps_no_promise_yet() -> None:
    play = table("collection", guild=["Truthtrance"], harkonnen=[])
    until(play, "harkonnen", "transfer")
    play.submit("guild", [asked("guild", "harkonnen", "Will you give me 3 spice?")])
    play.submit("harkonnen", [Answer("yes")])
    play.submit("harkonnen", [Give(3, "guild")])
    until(play, "guild", "offer")
    assert len(play.state.promises) == 1
    play.submit("guild", [Accept()])
    until(play, "harkonnen", "charity")
    assert not play.state.promises
    assert not told(play, "truthtrance-unkept")


@pytest.mark.clause("WBC.AID.8", "WBC.X.16")
def test_what_is_shown_to_atreides_does_not_end_the_promise_that_the_plan_must_keep() -> None:
    dots = {"atreides": 5, "harkonnen": 8}
    sides = {
        "atreides": {"hand": ["Truthtrance"], "forces": {"carthag": "4"}},
        "harkonnen": {"hand": ["Slip-Tip", "Chaumas"], "spice": 5, "forces": {"carthag": "4"}},
    }
    play = at("battle", storm=2, factions=list(dots), dots=dots, faction=sides)
    until(play, "atreides", "prescience")
    say(play, "atreides", asked("atreides", "harkonnen", "Will you use the Slip Tip in this battle?"))
    say(play, "harkonnen", Answer("yes"))
    say(play, "atreides", Prescience("weapon"))
    until(play, "harkonnen", "prescience-answer")
    say(play, "harkonnen", Plan(2, Leader("Piter DeVries"), weapon=Card("Slip-Tip")))
    reminded = until(play, "harkonnen", "battle-plan")["promised"]
    assert reminded == ["“Will you use the Slip Tip in this battle?” Yes."]


@pytest.mark.clause("WBC.AID.6", "WBC.AID.8")
def test_an_answer_about_an_alliance_that_nobody_can_check_is_recalled_at_the_nexus() -> None:
    deck: dict[str, Any] = {
        "spice_deck": ["Shai-Hulud", "Red Chasm", "Old Gap"],
        "spice_discard": [["Cielago North"], []],
    }
    play = at("spice", faction={"guild": {"hand": ["Truthtrance"]}}, **deck)
    until(play, "harkonnen", "nexus")
    say(play, "guild", asked("guild", "harkonnen", "Will you ally with whom I choose?"))
    say(play, "harkonnen", Answer("yes"))
    assert until(play, "harkonnen", "nexus")["promised"] == ["“Will you ally with whom I choose?” Yes."]


@pytest.mark.clause("WBC.AID.8")
def test_a_gift_that_is_declined_keeps_no_promise_of_the_whole_game() -> None:
    play = table("collection", guild=["Truthtrance"], harkonnen=[])
    until(play, "harkonnen", "transfer")
    say(play, "guild", asked("guild", "harkonnen", "Will you give me 3 spice this game?"))
    say(play, "harkonnen", Answer("yes"), Give(3, "guild"))
    until(play, "guild", "offer")
    say(play, "guild", Decline())
    until(play, "harkonnen", "charity")
    assert told(play, "offer-declined")
    assert len(play.state.promises) == 1


@pytest.mark.clause("WBC.AID.8")
def test_a_karama_that_was_meant_for_a_bid_and_not_used_keeps_no_promise() -> None:
    play = table("bidding", guild=["Truthtrance"], harkonnen=["Karama"])
    until(play, "harkonnen", "bid")
    say(play, "guild", asked("guild", "harkonnen", "Will you play a Karama this turn?"))
    say(play, "harkonnen", Answer("yes"), Bid(2, karama=True))
    until(play, "guild", "bid")
    say(play, "guild", Bid(5))
    until(play, "harkonnen", "revival")
    assert play.game.holds("harkonnen", Card("Karama"))
    assert len(play.state.promises) == 1


@pytest.mark.clause("WBC.AID.10")
def test_what_a_hand_can_play_is_one_weapon_and_one_defense_or_neither_and_no_card_twice() -> None:
    game = table("battle", harkonnen=["Kulon", "Crysknife", "Shield", "Shield", "Karama", "Cheap Hero"]).game
    places = [(weapon, defense) for weapon in (None, "Kulon", "Crysknife") for defense in (None, "Kulon", "Shield")]
    assert list(card_pairs(game, "harkonnen")) == [pair for pair in places if pair != ("Kulon", "Kulon")]


@pytest.mark.clause("WBC.AID.8")
def test_a_promise_is_kept_by_one_order_of_several() -> None:
    start = {
        "guild": {"hand": ["Truthtrance"]},
        "harkonnen": {"hand": ["Hajr"], "forces": {"imperial-basin/10": "3", "tsimpo/11": "2"}},
    }
    play = at("movement", storm=1, faction=start)
    play.submit("guild", [asked("guild", "harkonnen", "Will you move to Carthag this turn?")])
    play.submit("harkonnen", [Answer("yes")])
    assert len(play.state.promises) == 1
    until(play, "harkonnen", "movement")
    to_carthag = Move(Forces(2), Area("tsimpo/11"), Area("carthag/11"))
    elsewhere = Move(Forces(3), Area("imperial-basin/10"), Area("arrakeen/10"))
    assert [outcome.refusal for outcome in play.submit("harkonnen", [to_carthag, Hajr(elsewhere)])] == [None, None]
    assert play.state.promises == []
