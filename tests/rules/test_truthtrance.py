"""Questions under Truthtrance: which words are understood, what an answer demands, and whether it is kept.

What the answers demand of single decisions is shown by the rulings in ``tests/rulings/cards``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.orders.context import Context
from bot.orders.language import Unread, read_line
from bot.orders.truthtrance import read, with_reading
from rules.cards.truthtrance import check
from rules.cards.truthtrance.meaning import Meaning, meaning
from rules.cards.truthtrance.promises.fulfilment import does, in_named_battle
from rules.cards.truthtrance.promises.noticing import notice, shows
from rules.cards.truthtrance.promises.standing import standing
from rules.cards.truthtrance.truth import truth
from rules.components import FACTIONS, WORTHLESS, Card, Faction, Forces, Leader
from rules.components.board import POLAR_SINK, Area, TerritoryId
from rules.engine.catalogue import CATALOGUE
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.factions.bene_gesserit import BeneGesserit
from rules.factions.guild import Guild
from rules.orders import (
    Advise,
    Ally,
    Answer,
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
    NoShipment,
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
from rules.orders.readings import Act, Amount
from rules.positions.position import position
from rules.selfplay.random_player import RandomPlayer, random_seats
from rules.state.events import Event
from rules.state.game import Game
from rules.state.moments import AuctionMoment, BattleMoment
from rules.state.promises import Promise, Scope
from rules.state.state import Prediction
from tests.rules.stage import at, say, told

WBC = load_rule_set("wbc-2018")
CARTHAG, ARRAKEEN, TUEKS_SIETCH = map(TerritoryId, ("carthag", "arrakeen", "tueks-sietch"))
IN_CARTHAG = Scope(4, 4, in_battle=True, territory=CARTHAG)


def game_in(phase: str = "bidding") -> Game:
    """Turn 4, all six factions; a card is up, and Atreides fight Harkonnen in Carthag."""
    play = position({"ruleset": "wbc-2018", "start": {"turn": 4, "phase": phase, "storm": 6}}).play()
    game = play.game
    game.moments.auction = AuctionMoment(number=2)
    game.moments.battle = BattleMoment(CARTHAG, (Area("carthag/11"),), ("atreides", "harkonnen"))
    return game


def asked(asker: Faction, target: Faction, question: str) -> Truthtrance:
    """The question as it comes in a mail."""
    return with_reading(Truthtrance(target, question), asker)


def meant(asker: Faction, target: Faction, question: str, game: Game | None = None) -> Meaning:
    """What an answer to the question would promise in this position."""
    return meaning(game or game_in(), target, read(asker, target, question))


def cards(*names: str) -> acts.PlayCard:
    return acts.PlayCard(tuple(sorted(map(Card, names))))


PROJECTILES = cards("Crysknife", "Maula Pistol", "Slip-Tip", "Stunner")
THIS_TURN = Scope(4, 4)


@pytest.mark.clause("WBC.AID.6")
@pytest.mark.parametrize(
    ("question", "act", "scope"),
    [
        (
            "Will you play a projectile weapon in battle against me in Carthag this turn?",
            PROJECTILES,
            Scope(4, 4, in_battle=True, territory=CARTHAG, opponent="guild"),
        ),
        (
            "will you play a projectile in this battle",
            PROJECTILES,
            Scope(4, 4, in_battle=True, territory=CARTHAG, opponent="atreides"),
        ),
        ("Are you going to use the Lasegun or a Shield?", cards("Lasgun", "Shield"), THIS_TURN),
        (
            "WILL YOU PLAY A WORTHLESS CARD AGAINST THE EMPEROR NEXT TURN?",
            acts.PlayCard(tuple(sorted(WORTHLESS))),
            Scope(5, 5, in_battle=True, opponent="emperor"),
        ),
        ("Will you ever play Family Atomics this game?", None, None),
        ("Will you play Family Atomics this game?", cards("Family Atomics"), Scope(4, 15)),
        ("Will you use Feyd in battle?", acts.Lead(("Feyd-Rautha",)), Scope(4, 4, in_battle=True)),
        ("Will you play a cheap hero this turn?", acts.Lead(("cheap hero",)), THIS_TURN),
        ("Will you dial more than 3.5?", acts.Dial(Amount(4.0)), THIS_TURN),
        ("Will you dial at least 3?", acts.Dial(Amount(3.0)), THIS_TURN),
        ("Will you dial 5 or more in Carthag?", acts.Dial(Amount(5.0)), IN_CARTHAG),
        ("Will you dial fewer than 3?", acts.Dial(Amount(0, 2.5)), THIS_TURN),
        ("Will you dial 4?", acts.Dial(Amount(4.0, 4.0)), THIS_TURN),
        ("Will you call treachery against me?", acts.CallTreachery(), Scope(4, 4, in_battle=True, opponent="guild")),
        ("Will you bid on this card?", acts.BidFor(), Scope(4, 4, card=2)),
        ("Will you bid more than 5 spice on this card?", acts.BidFor(Amount(6)), Scope(4, 4, card=2)),
        ("Will you bid this turn?", acts.BidFor(), THIS_TURN),
        ("Will you ship to Arrakeen this turn?", acts.ShipTo(ARRAKEEN), THIS_TURN),
        ("Will you ship 6 or more forces to Arrakeen?", acts.ShipTo(ARRAKEEN, Amount(6)), THIS_TURN),
        ("Would you ship?", acts.ShipTo(), THIS_TURN),
        ("Will you move into imp basin?", acts.MoveTo(TerritoryId("imperial-basin")), THIS_TURN),
        ("Will you move more than 3 tokens to Tuek's Sietch?", acts.MoveTo(TUEKS_SIETCH, Amount(4)), THIS_TURN),
        ("Will you revive any tokens next turn?", acts.ReviveTokens(), Scope(5, 5)),
        ("Will you revive Piter?", acts.ReviveOneOf(("Piter DeVries",)), THIS_TURN),
        ("Will you send an advisor to Carthag?", acts.SendAdvisor(CARTHAG), THIS_TURN),
        ("Will you ally with me at this nexus?", acts.AllyWith("guild"), Scope(4, 4, nexus=True)),
        ("Will you break your alliance?", acts.LeaveAlliance(), Scope(5, 5)),
        ("Will you ride the worm to Carthag next turn?", acts.RideWorm(CARTHAG), Scope(5, 5)),
        ("Will you take charity in turn 6?", acts.TakeCharity(), Scope(6, 6)),
        ("Will you ship to Atlantis?", None, None),
        ("Will you attack me this turn?", acts.Attack("guild"), THIS_TURN),
        ("Will you attack the Emperor in Arrakeen?", acts.Attack("emperor", ARRAKEEN), THIS_TURN),
        ("Will you attack Arrakeen?", acts.Enter(ARRAKEEN), THIS_TURN),
        ("Will you enter the Imperial Basin this turn?", acts.Enter(TerritoryId("imperial-basin")), THIS_TURN),
        ("Will you ship or move any tokens into Carthag?", acts.Enter(CARTHAG), THIS_TURN),
        ("Will you give me 3 spice?", acts.GiveSpice("guild", Amount(3, 3)), THIS_TURN),
        ("Will you give me at least 3 spice in Collection?", acts.GiveSpice("guild", Amount(3)), THIS_TURN),
        ("Will you pay any spice to the Emperor this turn?", acts.GiveSpice("emperor"), THIS_TURN),
        ("Will you give me spice?", acts.GiveSpice("guild"), THIS_TURN),
        ("Will you give yourself 3 spice?", None, None),
        ("Will you attack yourself?", None, None),
        ("Will you use the Voice?", None, None),
        ("Will you use prescience?", None, None),
        ("Will you win this battle?", None, None),
        ("Will you win a battle this turn?", None, None),
        ("Will you bid in Carthag?", None, None),
        ("Will you ship to Carthag in turn 3?", None, None),
        ("Do you hold a Shield?", None, None),
    ],
)
def test_a_question_about_the_future_is_read_as_it_is_meant(
    question: str, act: Act | None, scope: Scope | None
) -> None:
    found = meant("guild", "harkonnen", question)
    assert found.act == act
    if scope is not None:
        assert found.scope == scope


@pytest.mark.clause("WBC.AID.6")
def test_the_voice_and_prescience_are_those_of_their_factions() -> None:
    game = game_in()
    voice = meant("guild", "bene-gesserit", "Will you use the Voice on me?", game)
    assert (voice.act, voice.scope) == (acts.UseVoice(), Scope(4, 4, in_battle=True, opponent="guild"))
    assert meant("guild", "bene-gesserit", "Will you voice me in Carthag?", game).scope.territory == CARTHAG
    foreseen = meant("guild", "atreides", "Will you ask for my weapon in this battle?", game)
    assert foreseen.act == acts.UsePrescience(("weapon",))
    assert meant("guild", "atreides", "Will you use prescience against me?", game).act == acts.UsePrescience()


@pytest.mark.clause("WBC.AID.6")
@pytest.mark.parametrize(
    ("question", "negative"),
    [
        ("Will you ship to Carthag?", False),
        ("Will you not ship to Carthag?", True),
        ("Will you refrain from shipping to Carthag this turn?", True),
        ("Won't you ship to Carthag?", True),
        ("Will you never ship to Carthag?", True),
        ("Are you not going to ship to Carthag?", True),
        ("Do you plan not to ship to Carthag?", True),
        ("Won't you not ship to Carthag?", False),
    ],
)
def test_a_question_whether_they_will_not_is_seen_as_one(question: str, negative: bool) -> None:
    assert meant("guild", "harkonnen", question).act == acts.ShipTo(CARTHAG)
    assert read("guild", "harkonnen", question).negative is negative


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("Will you ally with me if there is a nexus?", None),
        ("Will you ship to Carthag if you can?", None),
        ("If I ship to Arrakeen, will you ship to Carthag?", acts.Does("guild", acts.ShipTo(ARRAKEEN))),
        ("Will you ship to Carthag if the Emperor moves into Arrakeen?", acts.Does("emperor", acts.MoveTo(ARRAKEEN))),
        ("If I ally with you will you ship to Carthag?", acts.Does("guild", acts.AllyWith("harkonnen"))),
        ("If I give you 5 spice, will you ship?", acts.Does("guild", acts.GiveSpice("harkonnen", Amount(5, 5)))),
        ("If the Bene Gesserit play a Karama, will you ship?", acts.Does("bene-gesserit", cards("Karama"))),
        ("If you win this card, will you ship to Carthag?", acts.Buys("harkonnen", 2)),
        ("Will you ship to Carthag when I buy a card?", acts.Buys("guild")),
        ("If there is a nexus, will you revive any tokens next turn?", acts.Comes("nexus")),
        ("If we are allied, will you ship?", acts.Allied("guild", "harkonnen")),
        ("Will you ship if you are allied with the Emperor?", acts.Allied("harkonnen", "emperor")),
        ("If I am in Arrakeen, will you ship to Carthag?", acts.Stands("guild", ARRAKEEN)),
        ("If you hold a Shield, will you play a Shield?", acts.Holds((Card("Shield"),))),
    ],
)
def test_a_condition_is_read_before_and_behind_the_question(question: str, condition: acts.Condition | None) -> None:
    found = meant("guild", "harkonnen", question)
    assert found.act is not None
    assert found.condition == condition


@pytest.mark.clause("WBC.AID.10")
@pytest.mark.parametrize(
    ("question", "scope"),
    [
        (
            "If I attack you in Carthag, will you play a shield?",
            Scope(4, 4, in_battle=True, territory=CARTHAG, opponent="guild"),
        ),
        ("Will you play a shield if we fight?", Scope(4, 4, in_battle=True, opponent="guild")),
        (
            "Will you dial more than 3 if there is a battle with the Emperor in Carthag?",
            Scope(4, 4, in_battle=True, territory=CARTHAG, opponent="emperor"),
        ),
    ],
)
def test_a_battle_as_a_condition_is_part_of_what_is_promised(question: str, scope: Scope) -> None:
    found = meant("guild", "harkonnen", question)
    assert found.act is not None
    assert (found.scope, found.condition) == (scope, None)


@pytest.mark.parametrize(
    "question",
    [
        "Will you ship to Carthag even if I am there?",
        "Will you ship to Carthag unless I bid?",
        "Will you ship to Carthag if I win two battles?",
        "Will you ship to Carthag if I do not bid?",
        "If I play a shield in Carthag will you revive any tokens?",
        "If I ship if you ship, will you ship?",
    ],
)
def test_a_condition_that_is_not_understood_leaves_the_question_to_the_players(question: str) -> None:
    assert meant("guild", "harkonnen", question).act is None


def test_this_battle_is_none_where_none_is_on() -> None:
    game = game_in()
    game.moments.battle = None
    assert meant("guild", "harkonnen", "Will you play a shield in this battle?", game).act is None
    game.moments.auction = None
    assert meant("guild", "harkonnen", "Will you bid on this card?", game).act is None


def test_what_is_asked_after_its_phase_means_the_next_turn() -> None:
    game = game_in("collection")
    assert meant("guild", "harkonnen", "Will you ship to Carthag?", game).scope == Scope(5, 5)
    assert meant("guild", "harkonnen", "Will you ship to Carthag this turn?", game).scope == THIS_TURN


@pytest.mark.clause("AH.AID.TIMED.1-b")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do you hold the Slip Tip?", True),
        ("Do you have any projectile weapon?", True),
        ("Do you hold a poison weapon or a snooper?", False),
        ("Do you hold Cheap Heroine?", True),
        ("Do you hold Cheap Hero?", False),
        ("Do you hold a cheap hero?", True),
        ("Is Idaho your traitor?", True),
        ("Is Gurney or Hawat in your pay?", False),
        ("Is your spice at least 5?", True),
        ("Is your spice at least 6?", False),
        ("Do you hold two projectile weapons?", True),
        ("Do you hold three projectile weapons?", False),
        ("Do you hold exactly 1 projectile weapon?", False),
        ("Do you hold at most one shield?", True),
        ("Do you hold no shield?", True),
        ("Do you hold two shields?", False),
        ("Have you got both Karamas?", False),
        ("Are you holding a cheap hero and a projectile weapon?", True),
        ("Do you hold a cheap hero and a shield?", False),
        ("Do you have more than 2 treachery cards?", True),
        ("Do you have at least 4 cards in your hand?", False),
        ("Is the Slip-Tip in your hand?", True),
        ("Is your hand full?", False),
        ("Do you have Duncan Idaho as a traitor?", True),
        ("Is one of my leaders in your pay?", True),
        ("Is any Guild leader your traitor?", False),
        ("Do you hold Gurney Halleck captive?", True),
        ("Have you captured Thufir Hawat?", False),
        ("Did you predict me?", False),
        ("Is your spice 5?", True),
        ("Is your spice less than 5?", False),
        ("Do you have 4 spice?", True),
        ("Do you have exactly 4 spice?", False),
        ("Do you have more than 5 spice right now?", False),
        ("Do you have 3 tokens in your tanks?", True),
        ("Do you have more than 3 tokens in the tanks?", False),
        ("Do you have my trust and a shield?", None),
        ("Do you hold your ground?", None),
        ("Do you like me?", None),
    ],
)
def test_a_question_about_facts_has_one_true_answer(question: str, answer: bool | None) -> None:
    game = game_in()
    player = game.player("harkonnen")
    player.hand, player.spice = [Card("Slip-Tip"), Card("Cheap Heroine")], 5
    player.hand.append(Card("Stunner"))
    player.traitors = [Leader("Duncan Idaho")]
    player.captured = {Leader("Gurney Halleck"): "atreides"}
    player.tanks = Forces(3)
    assert truth(game, "harkonnen", read("atreides", "harkonnen", question).facts) is answer


@pytest.mark.clause("AH.AID.TIMED.1-b", "AH.SHIELD.BG.1-c")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Did you predict me?", True),
        ("Did you predict Atreides?", True),
        ("Did you predict the Guild?", False),
        ("Did you predict yourself?", False),
        ("Did you predict the Guild or Atreides?", True),
        ("Did you predict me to win in turn 7?", True),
        ("Did you predict me to win on turn 8?", False),
        ("Did you predict the Guild to win in turn 7?", False),
        ("Did you predict that I will win in turn 7 or 8?", True),
        ("Did you predict turn 7?", True),
        ("Did you predict a win before turn 7?", False),
        ("Did you predict turn 6 or later?", True),
        ("Is your prediction for turn 5?", False),
        ("Is your prediction Atreides in turn 7?", True),
        ("Have you predicted me?", True),
        ("Did you predict my move?", None),
        ("Did you predict rain in turn 7?", None),
    ],
)
def test_a_question_about_the_prediction_has_one_true_answer(question: str, answer: bool | None) -> None:
    game = game_in()
    game.state.prediction = Prediction("atreides", 7)
    assert truth(game, "bene-gesserit", read("atreides", "bene-gesserit", question).facts) is answer


@pytest.mark.clause("WBC.AID.14")
@pytest.mark.parametrize(
    "question",
    [
        "Will you answer No to this?",
        "Is your answer no?",
        "Will you say yes?",
        "Are you lying?",
        "Is this question true?",
    ],
)
def test_a_question_about_its_own_answer_is_refused(question: str) -> None:
    game = game_in()
    game.player("guild").hand = [Card("Truthtrance")]
    refusal = check(game, "guild", asked("guild", "harkonnen", question))
    assert refusal is not None
    assert refusal.topic == "truthtrance.no-paradox"


@pytest.mark.parametrize("question", ["Will you say yes to a deal this turn?", "Will you attack this turn?"])
def test_other_questions_are_not_taken_for_paradoxes(question: str) -> None:
    game = game_in()
    game.player("guild").hand = [Card("Truthtrance")]
    assert check(game, "guild", asked("guild", "harkonnen", question)) is None


# --- Whose powers they are ---------------------------------------------------------------------------------------


@pytest.mark.clause("WBC.AID.6", "AH.SHIELD.BG.1-c", "AH.SHIELD.BG.KARAMA")
def test_what_is_asked_of_a_power_is_asked_of_whoever_has_it() -> None:
    game = game_in()
    voice, kulon = "Will you use the Voice on me?", "Will you play Kulon against me?"
    game.state.prediction = Prediction("atreides", 7)
    for rules, has_it in ((Guild, False), (BeneGesserit, True)):
        catalogue = replace(CATALOGUE, factions={**CATALOGUE.factions, "guild": rules("guild")})
        game.rules = replace(game.rules, catalogue=catalogue)
        assert (meant("emperor", "guild", voice, game).act is not None) is has_it
        assert meant("emperor", "guild", kulon, game).scope.in_battle is not has_it
        assert truth(game, "guild", read("emperor", "guild", "Did you predict Atreides?").facts) is has_it


# --- Which orders do what was promised ------------------------------------------------------------------------------

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
        assert does(game_in(), promise, order) is done


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
    assert does(game, promise, Prescience("weapon")) is holds
    game.moments.battle = None
    assert in_named_battle(game, promise) is not scope.in_battle


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(("card", "done"), [(0, True), (2, True), (1, False), (3, False)])
def test_what_was_said_of_one_card_of_the_auction_is_about_that_card(card: int, done: bool) -> None:
    promise = Promise("emperor", "guild", "Will you bid?", "yes", 0, Scope(4, 4, card=card), acts.BidFor())
    assert does(game_in(), promise, Bid(1)) is done
    game = game_in()
    game.moments.auction = None
    assert does(game, promise, Bid(1)) is False


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
    ],
)
def test_an_event_tells_that_somebody_did_what_a_condition_speaks_of(
    act: acts.AnyAct, kind: str, facts: dict[str, object], told: bool
) -> None:
    event = Event(0, 4, "bidding", kind, {"faction": "emperor", **facts})
    assert shows(game_in(), event, "emperor", act) is told
    assert not shows(game_in(), event, "guild", act)


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
    assert (standing(game, "emperor") == [promise]) is stands
    assert standing(game, "guild") == []


# --- What cannot be checked --------------------------------------------------------------------------------------


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
    """Silence until the faction is asked; what the question is about."""
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


# --- Whole games ---------------------------------------------------------------------------------------------------


class Curious(RandomPlayer):
    """Asks about the future wherever a Truthtrance is held."""

    def _truthtrance(self, asker: Faction, target: Faction) -> Truthtrance:
        place = self._pick(["Carthag", "Arrakeen", "Sietch Tabr", "Tuek's Sietch", "Habbanya Sietch"])
        number = self._draw(6)
        question = self._pick([
            f"Will you play {self._pick(['a weapon', 'a defense', 'poison', 'a worthless card'])} this turn?",
            f"Will you play {self._pick(['a projectile weapon', 'a snooper', 'a cheap hero'])} in {place} this turn?",
            f"Will you dial {self._pick(['more than', 'at most'])} {number} against me this turn?",
            f"Will you bid more than {number} this turn?",
            f"Will you ship {number + 1} or more tokens to {place} this turn?",
            f"Will you ship to {place} next turn?",
            "Will you ship this turn?",
            f"Will you move to {place} this turn?",
            "Will you play a Karama this turn?",
            "Will you ally with me this turn?",
            "Will you revive any tokens next turn?",
            "Will you ride the worm next turn?",
            "Will you call treachery this turn?",
            "Will you attack me this turn?",
            f"Will you enter {place} this turn?",
            f"Will you not ship to {place} this turn?",
            f"Will you refrain from moving to {place} this turn?",
            f"Will you give me {number + 1} spice this turn?",
            "Will you give me spice in Collection?",
            f"Will you play {self._pick(['the Ghola', 'the Hajr', 'a Truthtrance', 'Karama'])} this turn?",
            "Will you use the Voice this turn?",
            "Will you use prescience on me this turn?",
            f"If I ship to {place}, will you ship to {self._pick(['Carthag', 'Arrakeen'])} this turn?",
            f"Will you enter {place} if we are allied?",
            "If you win a card this turn, will you ship?",
            f"If we fight in {place}, will you play a weapon?",
            "Will you ally with me if there is a nexus?",
        ])  # fmt: skip
        return asked(asker, target, question)


@pytest.mark.clause("WBC.AID.8", "WBC.AID.12")
@pytest.mark.parametrize("ruleset", ["wbc-2018", "ah-basic"])
def test_no_promise_is_broken_in_a_whole_game(ruleset: str) -> None:
    answered = 0
    for seed in ("faith", "troth", "pledge", "vow", "oath", "honour"):
        player = Curious(seed, impulses=40)
        play = Play.start(load_rule_set(ruleset), seed, random_seats(seed, FACTIONS))
        watched: list[tuple[Promise, int]] = []
        while not play.over:
            _lend_a_truthtrance(play)
            player.act(play)
            for promise in play.state.promises:
                if not any(promise is known for known, _ in watched):
                    watched.append((promise, play.state.turn))
            for question in play.questions():
                assert question.refusal(question.default) is None
        answered += len(watched)
        for promise, _ in watched:
            if promise.forbids and promise.condition is None:
                later = [event for event in play.events if event.number > promise.made and _counts(event, promise)]
                void = [event.number for event in later if event.kind == "truthtrance-negated"]
                ended = min(void, default=play.state.events)
                assert not [event for event in later if event.number < ended and _breaks(event, promise)], promise
    assert answered > 20


def _lend_a_truthtrance(play: Play) -> None:
    """A discarded Truthtrance goes to whoever is asked, so that many questions are put."""
    state, card = play.state, Card("Truthtrance")
    faction = play.questions()[0].faction if play.questions() else None
    if faction and card in state.treachery_discard and len(state.players[faction].hand) < 4 and state.events % 7 == 0:
        state.treachery_discard.remove(card)
        state.players[faction].hand.append(card)


def _counts(event: Event, promise: Promise) -> bool:
    """Whether the promise speaks of the time of this event."""
    if event.kind == "truthtrance-negated":
        facts = event.facts
        return bool(facts["faction"] == promise.faction and facts["question"] == promise.question)
    return promise.scope.first_turn <= event.turn <= promise.scope.last_turn


def _breaks(event: Event, promise: Promise) -> bool:
    """Whether the event is what the promise said would not happen."""
    facts, scope = event.facts, promise.scope
    match promise.act, event.kind:
        case acts.PlayCard(names), "plans-revealed":
            plans = {plan["faction"]: plan for plan in facts["plans"]}
            other = [faction for faction in plans if faction != promise.faction]
            mine = plans.get(promise.faction)
            there = scope.territory in (None, facts["territory"]) and scope.opponent in (None, *other)
            return bool(mine and there and {mine["weapon"], mine["defense"]} & set(names))
        case acts.PlayCard(names), "karama-played":
            return bool(not scope.in_battle and facts["faction"] == promise.faction and facts["card"] in names)
        case acts.BidFor(amount), "bid":
            return bool(facts["faction"] == promise.faction and amount.holds(facts["amount"] or 99))
        case acts.ShipTo(goal, amount), "shipment":
            forces = sum(map(int, facts["forces"].split("+")))
            there = goal is None or (facts["target"] or "").startswith(goal)
            return bool(facts["faction"] == promise.faction and there and amount.holds(forces))
        case acts.MoveTo(goal, _), "move":
            return bool(facts["faction"] == promise.faction and goal and facts["target"].startswith(goal))
        case acts.ReviveTokens(), "tokens-revived":
            return bool(facts["faction"] == promise.faction)
        case acts.RideWorm(), "worm-ridden":
            return promise.faction == "fremen"
        case acts.Enter(goal), "shipment" | "move":
            source, target = ((facts[end] or "").split("/")[0] for end in ("source", "target"))
            return bool(facts["faction"] == promise.faction and source != target == goal)
        case acts.UseVoice(), "voice-given":
            return promise.faction == "bene-gesserit" and scope.opponent is None
        case acts.UsePrescience(), "prescience-asked":
            return promise.faction == "atreides" and scope.opponent in (None, facts["target"])
        case acts.GiveSpice(other, amount), "spice-given" if amount == acts.ANY:
            return (facts["payer"], facts["receiver"], facts["why"]) == (promise.faction, other, "gift")
        case acts.CallTreachery(), "treachery-called":
            return bool(facts["caller"] == promise.faction and scope.territory is None)
    return False


@pytest.mark.clause("WBC.AID.4", "AH.AID.TIMED.1-b")
@pytest.mark.parametrize(
    ("question", "answer", "promises"),
    [
        ("Do you like me?", "no answer", 0),
        ("Will you be kind to me?", "no answer", 0),
        ("Do you hold a Shield?", "yes", 0),
        ("Will you ship to Carthag?", "no", 1),
    ],
)
def test_silence_publishes_nothing_that_may_be_untrue(question: str, answer: str, promises: int) -> None:
    play = at("bidding", faction={"harkonnen": {"hand": ["Shield"]}, "guild": {"hand": ["Truthtrance"]}})
    say(play, "guild", asked("guild", "harkonnen", question))
    play.expire()
    (answered,) = told(play, "truthtrance-answered")
    assert answered.facts["answer"] == answer
    assert len(play.state.promises) == promises


@pytest.mark.clause("WBC.AID.4")
def test_nobody_can_write_that_they_do_not_answer() -> None:
    for line in ("no answer", "answer no answer"):
        assert isinstance(read_line(line, Context(faction="guild")), Unread)


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(
    ("question", "scope"),
    [
        ("Will you play a Karama against me?", Scope(4, 4, opponent="guild")),
        ("Will you play a Karama against me in battle?", Scope(4, 4, in_battle=True, opponent="guild")),
        ("Will you play a Karama in battle against me?", Scope(4, 4, in_battle=True, opponent="guild")),
        ("Will you play a shield against me?", Scope(4, 4, in_battle=True, opponent="guild")),
    ],
)
def test_a_card_against_somebody_is_played_in_battle_only_where_it_has_no_other_use(
    question: str, scope: Scope
) -> None:
    assert meant("guild", "emperor", question).scope == scope


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
