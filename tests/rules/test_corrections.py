"""Tests that corrections of a position keep its accounts balanced."""

from __future__ import annotations

import re

import pytest

from rules.components import Card, Faction, Leader
from rules.engine import log
from rules.engine.catalogue import load_rule_set
from rules.engine.invariants import check_invariants
from rules.engine.log import CardCorrected
from rules.engine.play import Play
from rules.orders import Answer, Plan, Truthtrance
from rules.positions.position import position
from rules.views import view
from tests.rules.stage import at, say, silence, told, until

STILGAR = Leader("Stilgar")


@pytest.mark.parametrize("status", ["dead", "alive"])
def test_where_a_leader_stands_is_known_to_all_once_it_is_corrected(status: str) -> None:
    """This holds even for a leader killed face down, so that only two players knew (FAQ.HARKONNEN.5)."""
    play = at("revival", "gf9-advanced", faction={"harkonnen": {}, "fremen": {}, "emperor": {}})
    standing = play.state.leaders[STILGAR]
    standing.status, standing.deaths, standing.seen_by = "face-down", 2, ("harkonnen", "fremen")
    assert view(play, "emperor")["players"]["fremen"]["leaders"][STILGAR] == "ready"
    play.correct([log.read_correction(f"leader Stilgar {status}")])
    shown = "dead" if status == "dead" else "ready"
    for viewer in ("emperor", "harkonnen", "public"):
        assert view(play, viewer)["players"]["fremen"]["leaders"][STILGAR] == shown
    assert play.state.leaders[STILGAR].seen_by == ()


def corrected(*texts: str) -> Play:
    """Return a position of two after these corrections, each of which must keep the accounts balanced."""
    guild = {"spice": 5, "hand": ["Karama"], "tanks": "3", "reserves": "13", "forces": {"carthag/11": "4"}}
    fremen = {"tanks": "2+1", "reserves": "15+2"}
    players = {"guild": guild, "fremen": fremen}
    play = at("revival", factions=list(players), faction=players, spice={"red-chasm/7": 8}, storm=9)
    for text in texts:
        play.correct([log.read_correction(text)])
        check_invariants(play.game)
    return play


@pytest.mark.parametrize(
    ("text", "faction", "there", "reserves"),
    [
        ("forces carthag/11 guild 6", "guild", {"guild": "6"}, "11"),
        ("forces carthag/11 guild 1", "guild", {"guild": "1"}, "16"),
        ("forces carthag/11 guild 0", "guild", None, "17"),
        ("forces carthag/11 fremen 2+1", "fremen", {"guild": "4", "fremen": "2+1"}, "13+1"),
        ("tanks guild 0", "guild", {"guild": "4"}, "16"),
        ("tanks fremen 3", "fremen", {"guild": "4"}, "14+3"),
    ],
)
def test_tokens_that_are_corrected_come_from_the_reserves_and_go_there(
    text: str, faction: Faction, there: dict[str, str] | None, reserves: str
) -> None:
    seen = view(corrected(text), "gm")
    assert seen["forces"].get("carthag/11") == there
    assert seen["players"][faction]["reserves"] == reserves


def test_everybody_is_told_what_was_corrected_where_all_can_see_it() -> None:
    play = corrected("storm 12")
    (event,) = told(play, "corrected")
    assert event.facts["changes"] == ["storm 12"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("forces carthag/11 guild 18", "There and in reserve, the Guild can have only 17 tokens, not 18"),
        ("forces carthag/11 emperor 1", "Nobody plays the Emperor"),
        ("tanks fremen 0+4", "tokens, not 0[+]4"),
        ("spice guild -6", "-6 spice is impossible for the Guild: they have 5"),
        ("spice carthag/11 = 3", "Spice never lies in carthag/11"),
        ("card Shield from guild to deck", "Shield is not there: guild"),
        ("leader Feyd-Rautha dead", "Feyd-Rautha is not in this game"),
        ("storm 0", "The storm's sector must be from 1 to 18[.]"),
        ("storm 19", "from 1 to 18"),
        ("spice red-chasm/7 = 201", "from 0 to 200"),
    ],
)
def test_a_correction_that_the_position_cannot_take_is_refused_and_says_why(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        corrected(text)


def test_spice_cards_leaders_and_the_storm_are_as_they_were_corrected() -> None:
    play = corrected(
        "spice guild -5", "spice fremen +3", "spice red-chasm/7 = 0", "spice broken-land/12 = 200",
        "card Karama from guild to deck", "leader Stilgar dead", "storm 1", "storm 18",
    )  # fmt: skip
    seen, state = view(play, "gm"), play.state
    assert (seen["spice"], seen["storm"]) == ({"broken-land/12": 200}, 18)
    assert (seen["players"]["guild"]["spice"], seen["players"]["fremen"]["spice"]) == (0, 3)
    assert (state.players["guild"].hand, state.treachery_deck[0]) == ([], "Karama")
    assert seen["players"]["fremen"]["leaders"]["Stilgar"] == "dead"
    play.correct([log.read_correction("card Karama from deck to discard")])
    assert state.treachery_discard[-1] == "Karama"


@pytest.mark.parametrize("faction", ["guild", "ixians"])
def test_of_a_card_corrected_its_holders_alone_are_told(faction: Faction) -> None:
    """In any game, factions may hold cards behind a shield, including those of an expansion."""
    for source, to in ((faction, "deck"), ("deck", faction)):
        correction = CardCorrected(Card("Karama"), source, to)
        assert log.owners_of_correction(correction) == (faction,)
        assert log.looks_behind_shields(correction)
    assert log.looks_behind_shields(CardCorrected(Card("Karama"), "discard", faction))


def test_a_card_of_a_plan_that_binds_stays_in_the_hand_until_the_battle_is_fought_out() -> None:
    sides = {
        "emperor": {"forces": {"plastic-basin/13": "5"}, "hand": ["Crysknife", "Shield"]},
        "guild": {"forces": {"plastic-basin/13": "1"}},
    }
    play = at("battle", storm=7, factions=list(sides), dots={"emperor": 8, "guild": 11}, faction=sides)
    until(play, "battle-plan")
    say(play, "emperor", Plan(2, Leader("Count Hasimir Fenring"), weapon=Card("Crysknife")))
    say(play, "guild", Plan(0, Leader("Guild Representative")))
    until(play, "traitor-call")
    with pytest.raises(ValueError, match="Crysknife is in a battle plan of the Emperor"):
        log.apply_correction(play.game, log.read_correction("card Crysknife from emperor to deck"))
    play.correct([log.read_correction("card Shield from emperor to deck")])
    until(play, "nothing more")
    assert told(play, "battle-won")


@pytest.mark.clause("WBC.AID.5")
def test_a_truthtrance_that_comes_back_may_have_been_put_elsewhere_while_its_question_was_open() -> None:
    hands = {"emperor": {"hand": ["Truthtrance"]}, "fremen": {}, "guild": {}}
    start = {"phase": "revival", "turn": 4, "factions": list(hands), "faction": hands}
    play = position(
        {"ruleset": "gf9-basic", "options": {"truthtrance_unknown_answer": "allowed_card_kept"}, "start": start}
    ).play()
    play.begin_phase("revival")
    play.settle()
    say(play, "emperor", Truthtrance("guild", "Is Fremen afraid of me?"))
    play.correct([log.read_correction("card Truthtrance from discard to deck")])
    say(play, "guild", Answer("unknown"))
    assert play.state.treachery_deck.count(Card("Truthtrance")) >= 1
    assert play.state.players["emperor"].hand == []


def test_a_last_turn_that_was_announced_is_one_after_a_replay_too() -> None:
    def played() -> Play:
        return Play.start(load_rule_set("ah-basic"), "sand", {"guild": 2, "fremen": 8})

    play, again = played(), played()
    play.announce_last_turn(3)
    again.replay(play.log)
    assert (again.log, again.state.last_turn) == (play.log, 3)


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (0, "Turn 0 is already over; the game is in turn 1."),
        (15, "Turn 15 is already the last; you can announce only an earlier one."),
    ],
)
def test_a_last_turn_lies_ahead_and_before_the_one_that_there_is(last: int, words: str) -> None:
    play = Play.start(load_rule_set("ah-basic"), "sand", {"guild": 2, "fremen": 8})
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        play.announce_last_turn(last)
    assert play.state.last_turn == 0
    play.announce_last_turn(1)
    assert play.state.last_turn == 1


def test_what_is_over_is_not_corrected_and_nothing_is_no_correction() -> None:
    play = corrected()
    with pytest.raises(ValueError, match=r"^There is nothing to correct\.$"):
        play.correct([])
    play.stop("void")
    with pytest.raises(ValueError, match=r"^The game is over\.$"):
        play.correct([log.read_correction("storm 12")])
    assert told(play, "corrected") == []


def test_a_correction_may_come_between_two_phases() -> None:
    play = corrected()
    silence(play)
    assert play.phase_over
    play.correct([log.read_correction("storm 12")])
    play.advance()
    assert (play.state.phase, play.state.storm) == ("movement", 12)
