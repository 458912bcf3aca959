"""Tests that receiving fewer letters (``letters wanted``, ``letters daily``) reveals nobody's cards."""

from __future__ import annotations

import pytest

from rules.components import FACTIONS, Faction
from tests.moderator.table import World
from tests.secrecy.conftest import Twinned
from tests.secrecy.silent_games import both_say, differ_in_hands, differ_in_purses, onlookers, unlike
from tests.size import SLOW


@pytest.mark.parametrize("tempo", ["table", "steady"])
def test_nobody_else_notices_that_a_bid_without_a_choice_is_asked_by_no_letter(twinned: Twinned, tempo: str) -> None:
    twins = twinned(tempo, "bidding")
    differ_in_purses(twins, "guild", 0, 9)
    both_say(twins, "guild", "standing: charity")  # so that they miss nothing
    written = twins.one.written()
    assert unlike(twins, onlookers("guild"), "revival") == []
    asked = [len(_asking(world, "bid on card", written)) for world in (twins.one, twins.other)]
    assert asked[0] < asked[1]


def test_nobody_else_notices_that_a_gift_without_a_choice_is_asked_by_no_letter(twinned: Twinned) -> None:
    twins = twinned("table", "movement")
    differ_in_purses(twins, "emperor", 0, 9)
    written = twins.one.written()
    for world in (twins.one, twins.other):
        world.wait_until("collection")
    assert list(twins.differences(onlookers("emperor"))) == []
    assert [_asking(world, "give spice to anybody?", written, "emperor") for world in (twins.one, twins.other)] == [
        [],
        ["emperor"],
    ]


def _asking(world: World, asks: str, written: int, faction: Faction = "guild") -> list[str]:
    return [letter.faction or "" for letter in world.letters(faction, written) if asks in letter.subject]


CALLING = pytest.mark.parametrize("tempo", ["steady", "swift"])
MODES = pytest.mark.parametrize("mode", ["wanted", "all", "daily"] if SLOW else ["wanted", "all"])
OTHERS: dict[Faction, list[str]] = {
    "atreides": ["Stunner"], "bene-gesserit": ["Baliset"], "fremen": ["Kulon"], "harkonnen": ["Chaumas", "Chaumurky"],
}  # fmt: skip
POWERS = ["Karama", "Weather Control", "Tleilaxu Ghola"]
QUIET = tuple(f"standing: {order}" for order in ("no alliance", "pass all", "no revival", "no shipment", "no move"))
"""Standing orders that soon end a turn of public questions."""
WEAPONS = ["Shield", "Snooper", "Lasgun", "Crysknife"]


@CALLING
@MODES
@pytest.mark.parametrize(("phase", "turn", "line"), [("storm", 2, "no storm cards"), ("charity", 1, "no charity")])
def test_a_full_hand_shows_nobody_before_the_auction_by_how_long_the_call_stays_open(
    twinned: Twinned, tempo: str, mode: str, phase: str, turn: int, line: str
) -> None:
    """The number of cards is declared when the bidding begins, not before; everybody has answered the call."""
    twins = twinned(tempo, phase, turn)
    differ_in_hands(twins, {**OTHERS, "emperor": WEAPONS}, {**OTHERS, "emperor": WEAPONS[:3]})
    both_say(twins, "emperor", f"letters {mode}")
    for faction in FACTIONS:
        both_say(twins, faction, line, *QUIET)
    for _ in range(20):
        one, other = (world.table().play.state.phase for world in (twins.one, twins.other))
        assert one == other
        if one not in ("storm", "spice", "charity"):
            return
        assert list(twins.differences(onlookers("emperor"))) == []
        for world in (twins.one, twins.other):
            world.wait(6)
    pytest.fail("the auction never began")


@CALLING
@MODES
@pytest.mark.parametrize(("phase", "turn"), [("storm", 2), ("revival", 1)])
def test_who_is_called_for_a_card_shows_nobody_that_they_hold_it(
    twinned: Twinned, tempo: str, mode: str, phase: str, turn: int
) -> None:
    """The holder of the Karama is called, and the round goes on without them as in the other world."""
    twins = twinned(tempo, phase, turn)
    one: dict[Faction, list[str]] = {**OTHERS, "guild": POWERS, "emperor": WEAPONS[:3]}
    other: dict[Faction, list[str]] = {**OTHERS, "guild": WEAPONS[:3], "emperor": POWERS}
    differ_in_hands(twins, one, other)
    for faction in ("guild", "emperor"):
        both_say(twins, faction, f"letters {mode}")
    for faction in FACTIONS:
        both_say(twins, faction, "waive reactions until mentat", *QUIET)
    assert unlike(twins, onlookers("guild", "emperor"), "mentat") == []
