"""The game does not wait for decisions that no longer matter: a silent bidder's bids, the choice of traitors for
Harkonnen who keep them all, and a swap declined for the phase."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.components import Faction
from tests.moderator.table import World

PLAYERS: tuple[Faction, ...] = ("ixians", "tleilaxu", "guild")


def bidder(world: World) -> Faction:
    (faction,) = (who for who, kinds in world.asked().items() if "bid" in kinds)
    return faction


def card(world: World) -> int:
    (question,) = (q for q in world.table().play.questions() if q.kind == "bid")
    return int(question.facts["number"])


def round_to_the_last(world: World) -> tuple[Faction, Faction]:
    """Play past a silent bidder, a bid of 1 and passes; return the silent bidder and the last one."""
    world.silent_game("bidding", ruleset="wbc-2018")
    silent = bidder(world)
    assert "you pass until you write or the card is sold" in " ".join(world.newest(silent).text.split())
    world.wait(24)
    world.say(bidder(world), "bid 1")
    for _ in range(3):
        world.say(bidder(world), "pass")
    assert card(world) == 1
    return silent, bidder(world)


@pytest.mark.parametrize("restarted", [False, True])
def test_a_silent_bidder_is_asked_once_a_card(tmp_path: Path, restarted: bool) -> None:
    world = World.at(tmp_path)
    silent, last = round_to_the_last(world)
    if restarted:
        world.engine.dispose()
        world = world.another_process()
    world.say(last, "pass")
    assert card(world) == 2
    for _ in range(5):
        if bidder(world) == silent:
            break
        world.say(bidder(world), "pass")
    assert (card(world), bidder(world)) == (2, silent)


def test_a_bid_that_is_sent_before_the_sale_counts(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    silent, last = round_to_the_last(world)
    world.say(silent, "bid 2")
    world.say(last, "pass")
    assert card(world) == 1
    assert "bid 2" in " ".join(world.newest(bidder(world)).text.split())


def test_whoever_writes_before_the_sale_is_asked_again(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    silent, last = round_to_the_last(world)
    world.say(silent, "bid 99")
    world.say(last, "pass")
    assert (card(world), bidder(world)) == (1, silent)


def test_harkonnen_who_keep_all_traitors_are_not_asked(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.new_game("wbc-2018", factions=("harkonnen", "guild", "emperor"))
    letters = {faction: " ".join(world.newest(faction).text.split()) for faction in ("harkonnen", "guild")}
    assert "NOTHING TO DO RIGHT NOW" in letters["harkonnen"]
    assert "Also open: the choice of traitors (Emperor), until" in letters["guild"]
    for faction in ("guild", "emperor"):
        assert world.table().play.state.phase == "setup"
        world.say(faction, world.line(faction, "traitor"))
    assert world.table().play.state.phase != "setup"


def test_harkonnen_who_keep_all_traitors_are_not_reminded_of_them(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.new_game("wbc-2018", factions=("harkonnen", "guild", "emperor"))
    before = len(world.letters())
    world.wait(23)
    assert {letter.faction for letter in world.letters()[before:]} == {"guild", "emperor"}
    world.wait(2)
    assert [seat.missed for seat in world.table().seats.values()] == [0, 1, 1]


@pytest.mark.clause("IT.BID.8")
@pytest.mark.parametrize("tempo", ["table", "steady"])
def test_a_swap_declined_for_the_phase_takes_no_time(tmp_path: Path, tempo: str) -> None:
    world = World.at(tmp_path)
    world.new_game("gf9-advanced", factions=PLAYERS, expansion="ixians-tleilaxu", tempo=tempo)
    world.silence_until("bidding")
    until_technology(world)
    world.say("ixians", "no swap all")
    for _ in range(20):
        asked = world.asked()
        assert "technology" not in asked.get("ixians", [])
        if "bid" not in str(asked):
            break
        world.say(bidder(world), "bid 1" if bidder(world) == "guild" else "pass")


def until_technology(world: World) -> None:
    for _ in range(10):
        if world.asked().get("ixians") == ["technology"]:
            return
        world.wait(24)
    raise AssertionError(world.asked())
