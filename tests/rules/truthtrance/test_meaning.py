"""Tests for Truthtrance questions about the future: understood wordings, and what each answer promises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.language.truthtrance import read
from rules.cards.truthtrance import truth
from rules.components import WORTHLESS, Card
from rules.components.board import TerritoryId
from rules.engine.catalogue import CATALOGUE
from rules.factions.bene_gesserit import BeneGesserit
from rules.factions.guild import Guild
from rules.orders import readings as acts
from rules.orders.readings import Act, Amount
from rules.rulesets.ruleset import not_in_box
from rules.state.state import Prediction, Scope
from tests.rules.truthtrance.questions import (
    ARRAKEEN,
    CARTHAG,
    IN_CARTHAG,
    THIS_TURN,
    TUEKS_SIETCH,
    WBC,
    cards,
    game_in,
    meant,
)

PROJECTILES = cards("Crysknife", "Maula Pistol", "Slip-Tip", "Stunner")


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
            acts.PlayCard(tuple(sorted(WORTHLESS - not_in_box(WBC)))),
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


@pytest.mark.parametrize(("turn", "is_checked"), [(3, False), (4, True), (5, True)])
def test_what_is_asked_of_a_turn_that_is_over_nobody_can_check(turn: int, is_checked: bool) -> None:
    found = meant("guild", "harkonnen", f"Will you ship to Carthag in turn {turn}?")
    assert (found.act is not None) is is_checked
    assert found.scope == Scope(turn, turn)


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
