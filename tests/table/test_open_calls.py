"""Tests for which players an open call for sheets waits, and which of its orders apply later in the round."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.table import rounds
from bot.table.table import Table
from rules.components import Faction, Leader
from rules.components.board import Area
from rules.orders import Bid, Charity, NoExchange, Order, PlayOn, StrongholdStays, StrongholdTo, SwapDancer
from tests.moderator.table import World


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Return a game with an open call during its bidding."""
    world = World.at(tmp_path)
    world.silent_game("bidding", ruleset="wbc-2018", tempo="swift")
    table = world.table()
    assert rounds.call_of(table) is not None
    return table


@pytest.mark.parametrize(
    ("answered", "mode", "part", "waits"),
    [
        (False, "all", True, True), (False, "wanted", True, True), (True, "all", True, False),
        (True, "all", False, False), (True, "wanted", True, False), (True, "wanted", False, True),
    ],
)  # fmt: skip
def test_a_call_waits_for_all_who_want_no_letter_about_a_round_in_which_they_have_no_part(
    table: Table, monkeypatch: pytest.MonkeyPatch, answered: bool, mode: str, part: bool, waits: bool
) -> None:
    monkeypatch.setattr(rounds, "takes_part", lambda *_: part)
    seat = table.seats["guild"]
    seat.called, seat.letters_mode = (table.call if answered else ""), mode
    assert rounds.awaits(table, "guild") is waits


@pytest.mark.parametrize(("order", "later"), [(Bid(2), True), (Charity(), True)])
def test_what_is_decided_in_a_later_phase_of_the_round_is_for_later(tmp_path: Path, order: Order, later: bool) -> None:
    world = World.at(tmp_path)
    world.silent_game("spice", ruleset="wbc-2018", tempo="swift")
    assert rounds.later_in_round(world.table(), order) is later


@pytest.mark.parametrize("tempo", ["table", "steady"])
def test_what_every_pause_asks_may_be_said_all_turn(tmp_path: Path, tempo: str) -> None:
    world = World.at(tmp_path)
    players: tuple[Faction, ...] = ("ixians", "tleilaxu", "guild")
    world.new_game("gf9-advanced", factions=players, tempo=tempo, expansion="ixians-tleilaxu")
    goal, dancer = StrongholdTo(Area("south-mesa/6")), SwapDancer(Leader("Staban Tuek"))
    world.silence_until("storm")
    assert not rounds.later_in_round(world.table(), goal)
    assert rounds.later_in_round(world.table(), dancer)
    world.silence_until("bidding")
    orders: tuple[Order, ...] = (goal, StrongholdStays(), dancer, NoExchange(), PlayOn())
    assert [rounds.later_in_round(world.table(), order) for order in orders] == [True, True, True, False, False]


def test_what_is_decided_in_this_phase_or_in_another_round_is_not(table: Table) -> None:
    assert not rounds.later_in_round(table, Bid(2))
    assert not rounds.later_in_round(table, Charity())
