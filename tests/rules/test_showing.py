"""Tests that players can show their own things at any stop, truthfully and only to the players they name."""

from __future__ import annotations

from typing import Any

import pytest

from bot.render.news import event_sentence
from rules.components import Card, Faction
from rules.engine.play import Play
from rules.orders import Answer, Show, Truthtrance
from rules.state.events import Event
from tests.rules.stage import at

HAND = [Card("Karama"), Card("Shield")]


def table(ruleset: str = "wbc-2018", phase: str = "bidding") -> Play:
    return at(
        phase,
        ruleset,
        factions=["atreides", "bene-gesserit", "emperor", "guild"],
        faction={
            "atreides": {"spice": 7, "hand": list(HAND), "traitors": ["Caid"], "reserves": "9"},
            "bene-gesserit": {"prediction": {"faction": "emperor", "turn": 4}},
        },
    )


def shown(play: Play) -> Event:
    (event,) = [event for event in play.events if event.kind == "shown"]
    return event


def refused(play: Play, faction: Faction, order: Show) -> tuple[str, str]:
    outcome = play.check(faction, order)
    assert outcome.refusal is not None
    return outcome.refusal.reason, outcome.refusal.clause


@pytest.mark.clause("WBC.MISC.3", "AH.XIII.A-a", "GF9.SECRECY.1", "FAQ.SECRECY.1")
@pytest.mark.parametrize("ruleset", ["wbc-2018", "ah-basic", "vaca-2.0", "gf9-basic", "gf9-advanced"])
@pytest.mark.parametrize(
    ("order", "facts"),
    [
        (Show(cards=(Card("Karama"),), readers=("guild",)), {"cards": ["Karama"]}),
        (Show("hand", readers=("guild",)), {"cards": ["Karama", "Shield"]}),
        (Show("traitors", readers=("guild",)), {"traitors": ["Caid"]}),
        (Show("spice", readers=("guild",)), {"spice": 7}),
        (Show("reserves", readers=("guild",)), {"reserves": "9"}),
    ],
)
def test_what_is_shown_to_one_player_only_the_two_learn(ruleset: str, order: Show, facts: dict[str, Any]) -> None:
    play = table(ruleset)
    stop = play.stop_name
    assert play.submit("atreides", [order])[0].status == "accepted"
    event = shown(play)
    assert event.audience == ("atreides", "guild")
    assert {name: event.facts[name] for name in facts} == facts
    assert not event.visible_to("emperor")
    assert not event.visible_to("public")
    assert (play.stop_name, play.state.players["atreides"].hand) == (stop, HAND)


@pytest.mark.clause("WBC.MISC.3", "GF9.SECRECY.1")
def test_what_is_shown_to_nobody_in_particular_all_see() -> None:
    play = table()
    play.submit("atreides", [Show(cards=(Card("Shield"),))])
    assert shown(play).audience is None
    assert shown(play).seen_by("public")["cards"] == ["Shield"]


@pytest.mark.clause("WBC.MISC.3", "FAQ.SECRECY.1", "AH.XIII.A-a")
@pytest.mark.parametrize(
    ("ruleset", "clause"),
    [("ah-basic", "AH.XIII.A-a"), ("vaca-2.0", "AH.XIII.A-a"), ("wbc-2018", ""), ("gf9-basic", "")],
)
def test_a_prediction_is_shown_where_the_documents_speak_of_any_information(ruleset: str, clause: str) -> None:
    play, order = table(ruleset), Show("prediction", readers=("emperor",))
    if clause:
        assert refused(play, "bene-gesserit", order)[1] == clause
        return
    play.submit("bene-gesserit", [order])
    assert (shown(play).facts["predicted"], shown(play).facts["in_turn"]) == ("emperor", 4)


@pytest.mark.clause("WBC.MISC.3")
@pytest.mark.parametrize(
    ("faction", "order", "why"),
    [
        ("guild", Show(cards=(Card("Karama"),)), "You do not hold Karama."),
        ("atreides", Show(cards=(Card("Shield"), Card("Shield"))), "You do not hold Shield."),
        ("atreides", Show(), "Name the cards that you want to show"),
        ("guild", Show("traitors"), "You have no traitor."),
        ("guild", Show("prediction"), "You have made no prediction."),
        ("atreides", Show("spice", readers=("atreides",)), "That is you"),
        ("atreides", Show("spice", readers=("fremen",)), "Nobody plays the Fremen in this game"),
    ],
)
def test_mentat_vouches_for_nothing_that_is_not_so(faction: Faction, order: Show, why: str) -> None:
    assert why in refused(table(), faction, order)[0]


@pytest.mark.clause("WBC.MISC.3")
def test_a_card_shown_while_a_window_is_open_is_no_play_in_it() -> None:
    play = at(
        "spice",
        factions=["atreides", "fremen", "guild"],
        faction={"atreides": {"hand": list(HAND)}},
        spice_deck=["Old Gap", "Red Chasm"],
    )
    before = {question.faction for question in play.questions()}
    play.submit("atreides", [Show("hand", readers=("guild",))])
    assert shown(play).audience == ("atreides", "guild")
    assert {question.faction for question in play.questions()} == before
    assert "atreides" in before


@pytest.mark.clause("WBC.AID.5")
def test_a_player_may_show_something_between_a_truthtrance_and_its_answer() -> None:
    factions = {"atreides": {"hand": ["Truthtrance"]}, "guild": {"spice": 3}}
    play = at("bidding", factions=["atreides", "guild", "emperor"], faction=factions)
    play.submit("atreides", [Truthtrance("guild", "Will you bid?")])
    assert [question.kind for question in play.questions()] == ["truthtrance-answer"]
    play.submit("guild", [Show("spice", readers=("atreides",))])
    assert shown(play).facts["spice"] == 3
    assert [question.kind for question in play.questions()] == ["truthtrance-answer"]
    assert play.submit("guild", [Answer("yes")])[0].status == "accepted"


def test_an_empty_hand_is_shown_in_words() -> None:
    play = table()
    play.submit("guild", [Show("hand", readers=("emperor", "atreides"))])
    text = event_sentence("shown", shown(play).facts)
    assert text == "Guild showed Atreides and Emperor all their cards: none. Mentat vouches for it."
