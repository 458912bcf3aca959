"""Tests for held orders: which of them replace others, and how they are withdrawn."""

from __future__ import annotations

import pytest

from rules.components import Leader
from rules.engine.play import Play
from rules.orders import NoMove, NoRevival, NoShipment, Order, ReviveLeader
from rules.rulesets.rulebook import Refusal
from tests.rules.stage import at, say, silence, told, until

STABAN = Leader("Staban Tuek")
ALL_OF_THE_EMPEROR = ["Caid", "Bashar", "Burseg", "Count Hasimir Fenring", "Captain Aramsham"]
ALL_OF_THE_GUILD = ["Staban Tuek", "Esmar Tuek", "Master Bewt", "Soo Soo Sook", "Guild Representative"]


def guild_moves_second() -> Play:
    """Ask the Emperor for a shipment before the Guild, all of whose leaders are dead."""
    players = {
        "emperor": {"spice": 9, "reserves": "5", "forces": {"carthag/11": "2"}},
        "guild": {"spice": 9, "reserves": "5", "dead_leaders": ALL_OF_THE_GUILD, "forces": {"arrakeen/10": "2"}},
    }
    play = at("movement", "ah-basic", factions=list(players), faction=players, storm=3, dots={"emperor": 5, "guild": 8})
    until(play, "shipment")
    return play


@pytest.mark.clause("AH.IX.D.4")
def test_a_leader_named_for_the_end_of_the_own_move_takes_the_place_of_no_revival() -> None:
    play = guild_moves_second()
    for order in (NoRevival(), ReviveLeader(STABAN)):
        assert [outcome.status for outcome in play.submit("guild", [order])] == ["held"]
        assert play.game.held["guild"] == [order]
    silence(play)
    assert [event.facts["leader"] for event in told(play, "leader-revived")] == [STABAN]


@pytest.mark.clause("GF9.REV.6")
def test_no_revival_is_for_tokens_until_those_are_back_and_for_leaders_then() -> None:
    """While tokens come back, "no revival" means both; afterwards the later order replaces the earlier."""
    players = {
        "emperor": {"spice": 9, "dead_leaders": ALL_OF_THE_EMPEROR},
        "guild": {"spice": 9, "tanks": "2", "dead_leaders": ALL_OF_THE_GUILD},
    }
    play = at("revival", "gf9-basic", factions=list(players), faction=players, storm=3, dots={"emperor": 5, "guild": 8})
    say(play, "guild", NoRevival())
    say(play, "emperor", NoRevival())
    assert [(question.faction, question.facts["what"]) for question in play.questions()] == [("emperor", "leader")]
    say(play, "guild", NoRevival())
    say(play, "guild", ReviveLeader(STABAN))
    assert play.game.held["guild"] == [ReviveLeader(STABAN)]


@pytest.mark.parametrize(
    ("named", "gone", "left"),
    [
        (None, [NoShipment(), NoMove()], []),
        (NoMove(), [NoMove()], [NoShipment()]),
        (NoRevival(), [], [NoShipment(), NoMove()]),
    ],
)
def test_what_is_held_is_taken_back_by_name_or_all_at_once(
    named: Order | None, gone: list[Order], left: list[Order]
) -> None:
    play = guild_moves_second()
    say(play, "guild", NoShipment(), NoMove())
    entries = len(play.log)
    assert play.withdraw("guild", named) == gone
    assert play.game.held.get("guild", []) == left
    assert len(play.log) - entries == bool(gone)


def test_nothing_can_wait_once_the_game_is_over() -> None:
    play = guild_moves_second()
    assert play.check("guild", NoMove()).status == "held"
    play.stop("void")
    refused = play.check("guild", NoMove())
    assert (refused.status, refused.refusal) == (
        "refused",
        Refusal("The game is over.", ""),
    )
