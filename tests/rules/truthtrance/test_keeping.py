"""Tests for when a Truthtrance yes falls due, which questions recall it, and the orders that would keep it."""

from __future__ import annotations

from typing import Any

import pytest

from rules.cards.promised_acts import kinds_of_question, order_does, orders_for, played_against, promise_demands
from rules.cards.promises import mend, notice
from rules.components import Card, Faction, Forces, Leader
from rules.components.board import POLAR_SINK, Area
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import Karama, Move, Order, Plan, Revive, Ship, Treachery
from rules.orders import readings as acts
from rules.orders.readings import Amount
from rules.state.moments import BattleMoment
from rules.state.state import Promise, Scope
from tests.rules.stage import at, until
from tests.rules.truthtrance.questions import CARTHAG, THIS_TURN, cards, game_in

CARTHAG_AREA, BASIN = Area("carthag/11"), Area("imperial-basin/10")
ALL_FOUR, ONE, TWO = Amount(0, 4), Forces(1), Forces(2)


def yes(faction: Faction, act: acts.AnyAct, scope: Scope = THIS_TURN) -> Promise:
    return Promise(faction, "guild", "Will you?", "yes", 0, scope, act)


def asked_of(play: Play, faction: Faction, kind: str) -> Question:
    """Return the next question of this kind to the faction."""
    while True:
        for question in until(play, kind):
            if question.faction == faction:
                return question
        play.expire()


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(
    ("kind", "act", "orders"),
    [
        ("shipment", acts.ShipTo(CARTHAG, ALL_FOUR), [Ship(ONE, None, CARTHAG_AREA)]),
        ("shipment", acts.ShipTo(CARTHAG, Amount(1.5)), [Ship(TWO, None, CARTHAG_AREA)]),
        ("shipment", acts.ShipTo(None, Amount(1)), []),
        ("movement", acts.MoveTo(CARTHAG, ALL_FOUR), [Move(ONE, BASIN, CARTHAG_AREA)]),
        ("movement", acts.MoveTo(CARTHAG, Amount(2)), [Move(TWO, BASIN, CARTHAG_AREA)]),
        ("movement", acts.MoveTo(None, Amount(1)), []),
        ("revival", acts.ReviveTokens(ALL_FOUR), [Revive(ONE)]),
        ("revival", acts.ReviveTokens(Amount(2)), [Revive(TWO)]),
        ("revival", acts.CallTreachery(), [Treachery()]),
    ],
)
def test_an_act_is_done_by_as_few_tokens_as_were_promised_and_one_at_least(
    kind: str, act: acts.AnyAct, orders: list[Order]
) -> None:
    there = {"reserves": "5", "tanks": "5", "forces": {"imperial-basin/10": "3"}}
    play = at("revival" if kind == "revival" else "movement", storm=1, faction={"harkonnen": there})
    found = orders_for(play.game, asked_of(play, "harkonnen", kind), act)
    assert [order for order in found if not (isinstance(order, Ship) and order.source)] == orders


@pytest.mark.clause("WBC.AID.8", "AH.SHIELD.BG.KARAMA")
@pytest.mark.parametrize(("faction", "as_karama"), [("bene-gesserit", True), ("harkonnen", False)])
def test_a_worthless_card_is_recalled_where_it_serves_as_a_karama(faction: Faction, as_karama: bool) -> None:
    found = set(kinds_of_question(game_in(), yes(faction, cards("Kulon"))))
    plans = {"battle-plan", "prescience-answer"}
    assert found == (plans | {"bid", "karama-window"} if as_karama else plans)


@pytest.mark.clause("WBC.AID.7")
@pytest.mark.parametrize(
    ("card", "coming", "due"),
    [(1, ["Shield", "Snooper"], True), (2, ["Shield", "Snooper"], False), (0, ["Shield", "Snooper"], False)],
)
def test_a_bid_is_due_at_the_card_that_was_meant_or_at_the_last(card: int, coming: list[str], due: bool) -> None:
    them: dict[str, Any] = {"emperor": {"spice": 5}, "guild": {"spice": 5}}
    dots = {"emperor": 8, "guild": 11}
    play = at("bidding", storm=6, factions=list(them), dots=dots, faction=them, treachery_deck=coming)
    question = asked_of(play, "emperor", "bid")
    promise = yes("emperor", acts.BidFor(), Scope(4, 4, card=card))
    assert promise_demands(play.game, promise, question) is due
    auction = play.game.moments.auction
    assert auction is not None
    del auction.cards[1:]
    assert promise_demands(play.game, promise, question) is (due or card == 0)


@pytest.mark.clause("WBC.AID.7", "WBC.AID.8")
@pytest.mark.parametrize(("allies", "due"), [([["emperor", "guild"]], True), ([], False)])
def test_only_who_has_an_ally_can_leave_an_alliance(allies: list[list[str]], due: bool) -> None:
    deck = ["Shai-Hulud", "Red Chasm", "Old Gap"]
    play = at("spice", storm=1, alliances=allies, spice_deck=deck, spice_discard=[["Cielago South"], []])
    assert promise_demands(play.game, yes("emperor", acts.LeaveAlliance()), asked_of(play, "emperor", "nexus")) is due


@pytest.mark.clause("WBC.AID.8")
def test_an_advisor_is_due_wherever_it_can_go_and_where_no_place_was_named() -> None:
    them: dict[str, Any] = {"guild": {"spice": 9, "reserves": "9"}, "bene-gesserit": {"reserves": "9"}}
    play = at("movement", storm=6, dots={"guild": 8, "bene-gesserit": 11}, factions=list(them), faction=them)
    asked_of(play, "guild", "shipment")
    play.submit("guild", [Ship(ONE, None, CARTHAG_AREA)])
    question = asked_of(play, "bene-gesserit", "advisor")
    places = [None, CARTHAG, "polar-sink", "arrakeen"]
    due = [promise_demands(play.game, yes("bene-gesserit", acts.SendAdvisor(place)), question) for place in places]  # type: ignore[arg-type]
    assert due == [True, CARTHAG_AREA in question.facts["places"], POLAR_SINK in question.facts["places"], False]


@pytest.mark.clause("WBC.AID.8")
def test_what_was_promised_of_a_plan_is_done_by_none_where_no_battle_is_on() -> None:
    game, leader = game_in(), Leader("Feyd-Rautha")
    promise, plan = yes("harkonnen", acts.Lead((leader,))), Plan(1, leader=leader)
    assert order_does(game, promise, plan)
    game.moments.battle = None
    assert not order_does(game, promise, plan)


@pytest.mark.clause("WBC.AID.8", "WBC.HR.6d")
@pytest.mark.parametrize(
    ("battle", "victims"),
    [
        (None, ["fremen"]),
        (("emperor", "guild"), ["emperor", "fremen"]),
        (("atreides", "guild"), ["fremen"]),
    ],
)
def test_the_support_of_the_fremen_is_theirs_and_of_the_ally_who_fights_with_it(
    battle: tuple[Faction, Faction] | None, victims: list[str]
) -> None:
    game = at("battle", alliances=[["emperor", "fremen"]]).game
    game.moments.battle = battle and BattleMoment(CARTHAG, (CARTHAG_AREA,), battle)
    order = Karama("cancel fremen support")
    assert sorted(f for f in game.state.players if played_against(game, "harkonnen", order, f)) == victims


@pytest.mark.clause("WBC.AID.8")
def test_of_two_promises_that_which_was_kept_ends() -> None:
    game = game_in()
    kept, other = yes("emperor", cards("Karama")), yes("emperor", cards("Truthtrance"))
    game.state.promises = [kept, other]
    game.tell("karama-played", faction="emperor", card=Card("Karama"), effect="cancel voice")
    notice(game)
    assert game.state.promises == [other]


@pytest.mark.clause("WBC.AID.9")
def test_no_other_shipment_stands_for_the_one_that_was_promised() -> None:
    """A shipment back to the reserves, which are no territory, does not keep it either."""
    full = {"carthag": "1"}
    them: dict[str, Any] = {"emperor": {"forces": full}, "harkonnen": {"forces": full}}
    them["guild"] = {"spice": 9, "forces": {"imperial-basin/10": "3"}}
    play = at("movement", storm=1, factions=list(them), faction=them)
    question = asked_of(play, "guild", "shipment")
    assert any(isinstance(order, Ship) and order.target is None for order in question.samples())
    promise = Promise("guild", "emperor", "Will you?", "yes", 0, THIS_TURN, acts.ShipTo(CARTHAG, Amount(1)))
    assert mend(play.game, question, [promise]) is None
    elsewhere = Promise("guild", "emperor", "Will you?", "yes", 0, THIS_TURN, acts.ShipTo(None, Amount(3)))
    assert mend(play.game, question, [elsewhere]) is not None
