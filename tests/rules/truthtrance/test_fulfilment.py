"""Tests for the orders and events that fulfil a promise under Truthtrance.

The rulings in ``tests/rulings/cards`` show what the answers require of single decisions.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.cards.promised_acts import in_named_battle, meets_opponent, order_does, orders_for, standing_promises
from rules.cards.promises import event_shows, notice
from rules.components import Card, Faction, Forces, Leader
from rules.components.board import POLAR_SINK, Area, TerritoryId
from rules.orders import (
    Advise,
    Ally,
    Bid,
    BidKarama,
    BidUpTo,
    BreakAlliance,
    Charity,
    EmperorGives,
    FamilyAtomics,
    Ghola,
    Give,
    Hajr,
    Karama,
    Move,
    NoCharity,
    NoRide,
    Order,
    Pass,
    Prescience,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ride,
    Ship,
    Truthtrance,
    WeatherControl,
)
from rules.orders import readings as acts
from rules.orders.readings import Amount
from rules.state.events import Event
from rules.state.state import Promise, Scope
from tests.rules.stage import at, until
from tests.rules.truthtrance.questions import ARRAKEEN, CARTHAG, IN_CARTHAG, THIS_TURN, cards, game_in

IN_CARTHAG_AREA, BASIN = Area("carthag/11"), Area("imperial-basin/9")
TWO = Forces(2)
GIFT = {"payer": "emperor", "receiver": "guild", "why": "gift"}


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(
    ("act", "order", "done"),
    [
        (acts.GiveSpice("guild", Amount(3, 3)), Give(3, "guild"), True),
        (acts.GiveSpice("guild", Amount(3, 3)), Give(4, "guild"), False),
        (acts.GiveSpice("guild", Amount(3)), Give(2, "guild"), False),
        (acts.GiveSpice("guild"), Give(3, "fremen"), False),
        (acts.GiveSpice("guild"), EmperorGives(3, "guild"), True),
        (acts.RideWorm(), Ride(TWO, BASIN, IN_CARTHAG_AREA), True),
        (acts.RideWorm(CARTHAG), Ride(TWO, BASIN, IN_CARTHAG_AREA), True),
        (acts.RideWorm(ARRAKEEN), Ride(TWO, BASIN, IN_CARTHAG_AREA), False),
        (acts.RideWorm(), NoRide(), False),
        (acts.Enter(CARTHAG), Ride(TWO, BASIN, IN_CARTHAG_AREA), True),
        (acts.Enter(CARTHAG), Move(TWO, BASIN, IN_CARTHAG_AREA), True),
        (acts.Enter(CARTHAG), Hajr(Move(TWO, BASIN, IN_CARTHAG_AREA)), True),
        (acts.Enter(CARTHAG), Ship(TWO, None, IN_CARTHAG_AREA), True),
        (acts.Enter(CARTHAG), Ship(TWO, IN_CARTHAG_AREA, None), False),
        (acts.Enter(CARTHAG), Advise(IN_CARTHAG_AREA), True),
        (acts.Enter(TerritoryId("imperial-basin")), Move(TWO, BASIN, Area("imperial-basin/10")), False),
        (acts.MoveTo(CARTHAG, Amount(2, 2)), Hajr(Move(TWO, BASIN, IN_CARTHAG_AREA)), True),
        (acts.MoveTo(CARTHAG, Amount(3)), Hajr(Move(TWO, BASIN, IN_CARTHAG_AREA)), False),
        (acts.MoveTo(ARRAKEEN), Move(TWO, BASIN, IN_CARTHAG_AREA), False),
        (acts.MoveTo(CARTHAG), Ship(TWO, None, IN_CARTHAG_AREA), False),
        (acts.ShipTo(), Ship(TWO, IN_CARTHAG_AREA, None), True),
        (acts.ShipTo(CARTHAG), Ship(TWO, IN_CARTHAG_AREA, None), False),
        (acts.ShipTo(CARTHAG, Amount(2)), Ship(TWO, None, IN_CARTHAG_AREA), True),
        (acts.ShipTo(CARTHAG, Amount(0, 1)), Ship(TWO, None, IN_CARTHAG_AREA), False),
        (acts.SendAdvisor(), Advise(POLAR_SINK), True),
        (acts.SendAdvisor(CARTHAG), Advise(POLAR_SINK), False),
        (acts.AllyWith("guild"), Ally("guild"), True),
        (acts.AllyWith("guild"), Ally("emperor"), False),
        (acts.AllyWith("guild"), BreakAlliance(), False),
        (acts.LeaveAlliance(), BreakAlliance(), True),
        (acts.ReviveTokens(Amount(2)), Revive(TWO), True),
        (acts.ReviveTokens(Amount(3)), Revive(TWO), False),
        (acts.ReviveTokens(Amount(2)), Ghola(forces=TWO), True),
        (acts.ReviveTokens(), Ghola(leader=Leader("Caid")), False),
        (acts.ReviveTokens(), Karama("revive", forces=TWO), True),
        (acts.ReviveTokens(), Karama("revive", leader=Leader("Caid")), False),
        (acts.ReviveOneOf(("Caid",)), ReviveLeader(Leader("Caid")), True),
        (acts.ReviveOneOf(("Caid",)), ReviveLeader(Leader("Bashar")), False),
        (acts.ReviveOneOf(("Caid",)), Ghola(leader=Leader("Caid")), True),
        (acts.ReviveOneOf(("Caid",)), Karama("revive", leader=Leader("Caid")), True),
        (acts.ReviveOneOf(("Caid",)), Ghola(forces=TWO), False),
        (acts.ReviveOneOf((acts.KWISATZ_HADERACH,)), ReviveKwisatzHaderach(), True),
        (acts.ReviveOneOf((acts.KWISATZ_HADERACH,)), Ghola(kwisatz_haderach=True), True),
        (acts.ReviveOneOf(("Caid",)), Ghola(kwisatz_haderach=True), False),
        (acts.BidFor(), Bid(0), False),
        (acts.BidFor(Amount(0, 3)), Bid(0), False),
        (acts.BidFor(Amount(0, 3)), Bid(3), True),
        (acts.BidFor(), Bid(1), True),
        (acts.BidFor(Amount(3, 4)), Bid(3), True),
        (acts.BidFor(Amount(3, 4)), Bid(5), False),
        (acts.BidFor(Amount(3)), BidKarama(), True),
        (acts.BidFor(Amount(3, 4)), BidKarama(), False),
        (acts.BidFor(Amount(3)), Pass(), False),
        (cards("Hajr"), Hajr(Move(TWO, BASIN, IN_CARTHAG_AREA)), True),
        (cards("Hajr"), Move(TWO, BASIN, IN_CARTHAG_AREA), False),
        (cards("Tleilaxu Ghola"), Ghola(forces=TWO), True),
        (cards("Hajr"), Ghola(forces=TWO), False),
        (cards("Weather Control"), WeatherControl(3), True),
        (cards("Family Atomics"), WeatherControl(3), False),
        (cards("Family Atomics"), FamilyAtomics(), True),
        (cards("Truthtrance"), Truthtrance("guild", "Will you?"), True),
        (acts.TakeCharity(), Charity(), True),
        (acts.TakeCharity(), NoCharity(), False),
    ],
)
def test_an_order_does_what_was_promised_or_does_not(act: acts.AnyAct, order: Order, done: bool) -> None:
    for word in ("yes", "no"):
        promise = Promise("emperor", "guild", "Will you?", word, 0, THIS_TURN, act)
        assert order_does(game_in(), promise, order) is done


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(
    ("scope", "holds"),
    [
        (THIS_TURN, True),
        (IN_CARTHAG, True),
        (Scope(4, 4, in_battle=True), True),
        (Scope(4, 4, in_battle=True, territory=ARRAKEEN), False),
        (Scope(4, 4, in_battle=True, opponent="harkonnen"), True),
        (Scope(4, 4, in_battle=True, opponent="atreides"), True),
        (Scope(4, 4, in_battle=True, opponent="guild"), False),
        (Scope(4, 4, in_battle=True, territory=ARRAKEEN, opponent="harkonnen"), False),
    ],
)
def test_what_was_said_of_a_battle_is_about_that_battle(scope: Scope, holds: bool) -> None:
    promise = Promise("atreides", "harkonnen", "Will you use prescience?", "yes", 0, scope, acts.UsePrescience())
    game = game_in()
    assert in_named_battle(game, promise) is holds
    assert order_does(game, promise, Prescience("weapon")) is holds
    game.moments.battle = None
    assert in_named_battle(game, promise) is not scope.in_battle


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(("card", "done"), [(0, True), (2, True), (1, False), (3, False)])
def test_what_was_said_of_one_card_of_the_auction_is_about_that_card(card: int, done: bool) -> None:
    promise = Promise("emperor", "guild", "Will you bid?", "yes", 0, Scope(4, 4, card=card), acts.BidFor())
    assert order_does(game_in(), promise, Bid(1)) is done
    game = game_in()
    game.moments.auction = None
    assert order_does(game, promise, Bid(1)) is False


@pytest.mark.clause("WBC.AID.7")
@pytest.mark.parametrize(
    ("act", "kind", "facts", "told"),
    [
        (acts.BidFor(), "bid", {"amount": 1}, True),
        (acts.BidFor(), "bid", {"amount": 0}, False),
        (acts.BidFor(Amount(0, 3)), "bid", {"amount": 0}, False),
        (acts.BidFor(Amount(2, 3)), "bid", {"amount": 3}, True),
        (acts.BidFor(Amount(2, 3)), "bid", {"amount": 4}, False),
        (acts.BidFor(Amount(2)), "bid", {"amount": None}, True),
        (acts.BidFor(Amount(2, 3)), "bid", {"amount": None}, False),
        (acts.RideWorm(), "worm-ridden", {"target": IN_CARTHAG_AREA}, True),
        (acts.RideWorm(ARRAKEEN), "worm-ridden", {"target": IN_CARTHAG_AREA}, False),
        (acts.Enter(CARTHAG), "worm-ridden", {"target": IN_CARTHAG_AREA}, True),
        (acts.ReviveTokens(Amount(2)), "ghola-tokens", {"forces": "2"}, True),
        (acts.ReviveTokens(Amount(3)), "ghola-tokens", {"forces": "2"}, False),
        (acts.ReviveOneOf(("Caid",)), "ghola-leader", {"leader": "Caid"}, True),
        (acts.ReviveOneOf(("Caid",)), "ghola-leader", {"leader": "Bashar"}, False),
        (acts.ReviveOneOf((acts.KWISATZ_HADERACH,)), "ghola-kwisatz-haderach", {}, True),
        (acts.ReviveOneOf(("Caid",)), "ghola-kwisatz-haderach", {}, False),
        (cards("Tleilaxu Ghola"), "ghola-leader", {"leader": "Caid"}, True),
        (cards("Hajr"), "ghola-leader", {"leader": "Caid"}, False),
        (cards("Truthtrance"), "truthtrance-asked", {}, True),
        (cards("Weather Control"), "weather-control", {}, True),
        (cards("Family Atomics"), "family-atomics", {}, True),
        (acts.LeaveAlliance(), "alliance-broken", {}, True),
        (acts.GiveSpice("guild", Amount(3)), "spice-given", {**GIFT, "amount": 3}, True),
        (acts.GiveSpice("guild", Amount(3)), "spice-given", {**GIFT, "amount": 2}, False),
        (acts.GiveSpice("fremen"), "spice-given", {**GIFT, "amount": 3}, False),
        (acts.GiveSpice("guild"), "spice-given", {**GIFT, "amount": 3, "why": "deal"}, False),
        (acts.ShipTo(CARTHAG, Amount(2)), "shipment", {"target": IN_CARTHAG_AREA, "forces": "2"}, True),
        (acts.ShipTo(CARTHAG, Amount(3)), "shipment", {"target": IN_CARTHAG_AREA, "forces": "2"}, False),
        (acts.ShipTo(ARRAKEEN), "shipment", {"target": IN_CARTHAG_AREA, "forces": "2"}, False),
        (acts.ShipTo(CARTHAG), "shipment", {"target": None, "forces": "2"}, False),
        (acts.ShipTo(), "shipment", {"target": None, "forces": "2"}, True),
        (acts.MoveTo(CARTHAG, Amount(2)), "move", {"target": IN_CARTHAG_AREA, "forces": "1+1"}, True),
        (acts.MoveTo(CARTHAG, Amount(3)), "move", {"target": IN_CARTHAG_AREA, "forces": "1+1"}, False),
        (acts.MoveTo(ARRAKEEN), "move", {"target": IN_CARTHAG_AREA, "forces": "2"}, False),
        (acts.MoveTo(), "move", {"target": IN_CARTHAG_AREA, "forces": "2"}, True),
        (acts.Enter(CARTHAG), "shipment", {"target": IN_CARTHAG_AREA, "forces": "2"}, True),
        (acts.Enter(CARTHAG), "shipment", {"target": None, "forces": "2"}, False),
        (acts.Enter(CARTHAG), "advisor", {"area": IN_CARTHAG_AREA}, True),
        (acts.Enter(ARRAKEEN), "advisor", {"area": IN_CARTHAG_AREA}, False),
        (acts.SendAdvisor(), "advisor", {"area": IN_CARTHAG_AREA}, True),
        (acts.SendAdvisor(ARRAKEEN), "advisor", {"area": IN_CARTHAG_AREA}, False),
        (acts.AllyWith("fremen"), "alliance-formed", {"factions": ["emperor", "fremen"]}, True),
        (acts.AllyWith("fremen"), "alliance-formed", {"factions": ["emperor", "atreides"]}, False),
        (acts.UsePrescience(("weapon",)), "prescience-asked", {"element": "weapon"}, True),
        (acts.UsePrescience(("weapon",)), "prescience-asked", {"element": "dial"}, False),
        (acts.UseVoice(), "voice-given", {}, True),
        (acts.TakeCharity(), "charity", {}, True),
        (acts.CallTreachery(), "treachery-called", {"caller": "emperor"}, True),
        (acts.CallTreachery(), "treachery-called", {"caller": "fremen"}, False),
        (cards("Hajr"), "move", {"target": IN_CARTHAG_AREA, "forces": "2", "hajr": True}, True),
        (cards("Hajr"), "move", {"target": IN_CARTHAG_AREA, "forces": "2", "hajr": False}, False),
        (cards("Karama"), "karama-played", {"card": "Karama"}, True),
        (cards("Karama"), "karama-played", {"card": "Kulon"}, False),
    ],
)
def test_an_event_tells_that_somebody_did_what_a_condition_speaks_of(
    act: acts.AnyAct, kind: str, facts: dict[str, object], told: bool
) -> None:
    event = Event(0, 4, "bidding", kind, {"faction": "emperor", **facts})
    assert event_shows(game_in(), event, "emperor", act) is told
    assert not event_shows(game_in(), event, "guild", act)


@pytest.mark.clause("WBC.AID.7")
@pytest.mark.parametrize(
    ("condition", "kind", "facts", "met"),
    [
        (acts.Comes("nexus"), "nexus", {}, True),
        (acts.Comes("nexus"), "worm-appeared", {}, False),
        (acts.Comes("worm-appeared"), "worm-appeared", {}, True),
        (acts.Buys("fremen", 0), "card-sold", {"buyer": "fremen", "number": 2}, True),
        (acts.Buys("fremen", 2), "card-sold", {"buyer": "fremen", "number": 2}, True),
        (acts.Buys("fremen", 1), "card-sold", {"buyer": "fremen", "number": 2}, False),
        (acts.Buys("guild", 0), "card-sold", {"buyer": "fremen", "number": 2}, False),
        (acts.Does("fremen", acts.TakeCharity()), "charity", {"faction": "fremen"}, True),
        (acts.Does("guild", acts.TakeCharity()), "charity", {"faction": "fremen"}, False),
    ],
)
def test_a_condition_is_met_by_what_is_told_after_it_and_stays_met(
    condition: acts.Condition, kind: str, facts: dict[str, Any], met: bool
) -> None:
    game = game_in()
    promise = Promise("emperor", "guild", "Will you?", "no", 0, THIS_TURN, acts.ShipTo(), condition=condition)
    game.state.promises = [promise]
    notice(game)
    assert promise.met is False
    game.tell(kind, **facts)
    notice(game)
    assert promise.met is met
    notice(game)
    assert promise.met is met


@pytest.mark.clause("WBC.AID.6", "WBC.AID.8")
@pytest.mark.parametrize(("turns", "stands"), [((3, 3), False), ((3, 4), True), ((4, 5), True), ((5, 5), False)])
def test_a_promise_stands_in_its_turns_and_for_the_one_who_gave_it(turns: tuple[int, int], stands: bool) -> None:
    game = game_in()
    promise = Promise("emperor", "guild", "Will you ship?", "no", 0, Scope(*turns), acts.ShipTo())
    game.state.promises = [promise]
    assert (standing_promises(game, "emperor") == [promise]) is stands
    assert standing_promises(game, "guild") == []


@pytest.mark.clause("WBC.AID.7")
@pytest.mark.parametrize(
    ("goal", "sides", "told"),
    [
        (None, ("emperor", "guild"), True),
        (CARTHAG, ("emperor", "guild"), True),
        (ARRAKEEN, ("emperor", "guild"), False),
        (CARTHAG, ("guild", "emperor"), True),
        (CARTHAG, ("emperor", "fremen"), False),
    ],
)
def test_an_attack_is_a_battle_of_the_two_in_the_territory_that_was_named(
    goal: TerritoryId | None, sides: tuple[Faction, Faction], told: bool
) -> None:
    facts = {"aggressor": sides[0], "defender": sides[1], "territory": CARTHAG}
    event = Event(0, 4, "battle", "battle-begins", facts)
    assert event_shows(game_in("battle"), event, "emperor", acts.Attack("guild", goal)) is told


@pytest.mark.clause("WBC.AID.7")
def test_a_gift_of_which_only_the_two_know_the_amount_is_still_a_gift() -> None:
    for amount, told in ((3, True), (2, False)):
        event = Event(0, 4, "collection", "spice-set-aside", dict(GIFT), {"emperor": {"amount": amount}})
        assert event_shows(game_in(), event, "emperor", acts.GiveSpice("guild", Amount(3))) is told


@pytest.mark.clause("WBC.AID.8")
def test_an_attack_needs_an_opponent_to_fight_there() -> None:
    play = at("movement", faction={"guild": {"forces": {"carthag": "2", "polar-sink": "1"}}})
    game = play.game
    assert meets_opponent(game, "emperor", "guild", CARTHAG)
    assert not meets_opponent(game, "emperor", "guild", ARRAKEEN)
    assert not meets_opponent(game, "emperor", "guild", TerritoryId("polar-sink")), "nobody fights at the Polar Sink"
    game.state.alliances = [("emperor", "guild")]
    assert not meets_opponent(game, "emperor", "guild", CARTHAG), "allies do not fight"
    assert meets_opponent(game, "fremen", "guild", CARTHAG)


@pytest.mark.clause("WBC.AID.7")
@pytest.mark.parametrize(
    ("condition", "met"),
    [
        (acts.Allied("emperor", "guild"), True),
        (acts.Allied("emperor", "fremen"), False),
        (acts.Stands("guild", CARTHAG), True),
        (acts.Stands("fremen", CARTHAG), False),
        (acts.Stands("guild", ARRAKEEN), False),
    ],
)
def test_a_condition_about_how_things_stand_is_met_while_they_do(condition: acts.Condition, met: bool) -> None:
    play = at("movement", alliances=[["emperor", "guild"]], faction={"guild": {"forces": {"carthag": "2"}}})
    promise = Promise("emperor", "guild", "Will you?", "no", 0, THIS_TURN, acts.ShipTo(), condition=condition)
    play.state.promises = [promise]
    notice(play.game)
    assert promise.met is met
    play.state.alliances, play.state.forces = [], {}
    notice(play.game)
    assert promise.met is False


@pytest.mark.clause("WBC.AID.7")
@pytest.mark.parametrize(
    ("faction", "other", "act", "kind", "facts"),
    [
        ("fremen", "guild", acts.RideWorm(CARTHAG), "worm-ridden", {"target": IN_CARTHAG_AREA}),
        ("bene-gesserit", "guild", acts.SendAdvisor(CARTHAG), "advisor", {"area": IN_CARTHAG_AREA}),
        ("bene-gesserit", "atreides", acts.UseVoice(), "voice-given", {}),
        ("atreides", "fremen", acts.UsePrescience(("weapon",)), "prescience-asked", {"element": "weapon"}),
    ],
)
def test_an_event_that_names_nobody_tells_of_the_one_whose_power_it_is(
    faction: Faction, other: Faction, act: acts.AnyAct, kind: str, facts: dict[str, object]
) -> None:
    event = Event(0, 4, "movement", kind, facts)
    assert event_shows(game_in(), event, faction, act)
    assert not event_shows(game_in(), event, other, act)


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(
    ("amount", "limit", "yes", "no"),
    [
        (Amount(3), 3, False, True),
        (Amount(3), 2, False, False),
        (Amount(0, 3), 5, True, True),
        (Amount(1, 1), 5, True, True),
        (Amount(2, 4), 1, False, False),
        (Amount(2, 4), 2, False, True),
    ],
)
def test_a_bid_that_raises_by_itself_does_for_a_no_whatever_it_may_reach(
    amount: Amount, limit: int, yes: bool, no: bool
) -> None:
    game, act = game_in(), acts.BidFor(amount)
    assert (
        order_does(game, Promise("emperor", "guild", "Will you bid?", "yes", 0, THIS_TURN, act), BidUpTo(limit)) is yes
    )
    assert order_does(game, Promise("emperor", "guild", "Will you bid?", "no", 0, THIS_TURN, act), BidUpTo(limit)) is no


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(
    ("target", "goal", "done"),
    [
        (IN_CARTHAG_AREA, None, True),
        (IN_CARTHAG_AREA, CARTHAG, True),
        (IN_CARTHAG_AREA, ARRAKEEN, False),
        (Area("arrakeen/10"), None, False),
        (Area("arrakeen/10"), ARRAKEEN, False),
    ],
)
def test_tokens_attack_where_they_come_to_the_opponent(target: Area, goal: TerritoryId | None, done: bool) -> None:
    game = at("movement", faction={"guild": {"forces": {"carthag": "2"}}}).game
    promise = Promise("emperor", "guild", "Will you attack me?", "yes", 0, THIS_TURN, acts.Attack("guild", goal))
    assert order_does(game, promise, Ship(TWO, None, target)) is done


@pytest.mark.clause("WBC.AID.8", "AH.XV.B.4-c")
@pytest.mark.parametrize(("one", "other"), [("emperor", "bene-gesserit"), ("bene-gesserit", "emperor")])
def test_nobody_attacks_bene_gesserit_who_coexist_nor_they_anybody(one: Faction, other: Faction) -> None:
    emperor, forces = {"forces": {"carthag": "2"}}, {"forces": {"carthag": "2"}}
    apart = {"emperor": emperor, "bene-gesserit": {**forces, "coexisting": ["carthag"]}}
    assert not meets_opponent(at("battle", faction=apart).game, one, other, CARTHAG)
    together = {"emperor": emperor, "bene-gesserit": forces}
    assert meets_opponent(at("battle", faction=together).game, one, other, CARTHAG)


@pytest.mark.clause("WBC.AID.8")
def test_a_promised_hajr_may_go_wherever_a_move_may() -> None:
    """Other promises may close the first route, and a move may leave too few tokens for the whole group."""
    play = at("movement", faction={"harkonnen": {"hand": ["Hajr"], "forces": {"imperial-basin/10": "3"}}})
    while not (moves := [each for each in until(play, "movement") if each.faction == "harkonnen"]):
        play.expire()
    found = list(orders_for(play.game, moves[0], acts.PlayCard((Card("Hajr"),))))
    whole = [order for order in moves[0].samples() if isinstance(order, Move)]
    of_one = [Hajr(Move(Forces(1), order.source, order.target)) for order in whole]
    assert found == [*map(Hajr, whole), *of_one]
    assert len(whole) > 2
    (revival,) = [each for each in until(at("revival"), "revival") if each.faction == "harkonnen"]
    assert list(orders_for(play.game, revival, acts.PlayCard((Card("Hajr"),)))) == []
    feyd = acts.ReviveOneOf((Leader("Feyd-Rautha"), acts.KWISATZ_HADERACH))
    assert list(orders_for(play.game, revival, feyd)) == [ReviveLeader(Leader("Feyd-Rautha")), ReviveKwisatzHaderach()]
