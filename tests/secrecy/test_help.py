"""Tests that the examples in `help` use only what its reader may see, and leaders that they have."""

from __future__ import annotations

import pytest

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.moderator.commands import help_now
from bot.table.table import Table
from rules.components import LEADERS, Faction, leaders_of
from tests.moderator.table import GAME, World


def _example(table: Table, faction: Faction, world: World) -> str:
    """Return the leader of the battle plan in the examples."""
    return help_now(table, faction, world.now).partition(" leader ")[2].split("”")[0]


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
def test_the_examples_name_a_captive_to_nobody_as_their_own_leader(world: World, ruleset: str) -> None:
    world.new_game(ruleset)
    table = world.table()
    before = _example(table, "guild", world)
    best = leaders_of("guild")[0]
    assert before.startswith(str(best))
    table.play.state.players["harkonnen"].captured[best] = "guild"
    assert LEADERS[best].faction == "guild"
    assert not _example(table, "guild", world).startswith(str(best))
    assert _example(table, "emperor", world) == _example(world.table(), "emperor", world)


def test_who_has_no_leader_left_is_shown_no_plan_and_what_they_can_pay_is_not_exceeded(world: World) -> None:
    world.new_game()
    table = world.table()
    guild = table.play.state.players["guild"]
    for spice, most in ((9, 5), (5, 5), (4, 4), (1, 1), (0, 1)):
        guild.spice = spice
        assert f"“when card 2: bid up to {most}”, “when fighting atreides: plan" in help_now(table, "guild", world.now)
    for leader in leaders_of("guild"):
        table.play.state.players["harkonnen"].captured[leader] = "guild"
    told = help_now(table, "guild", world.now)
    assert "You can send orders ahead, like: “when card 2: bid up to 1”." in told
    assert "when fighting" not in told


def test_help_of_a_game_that_is_over_offers_nothing_more(world: World) -> None:
    world.new_game()
    open_now = help_now(world.table(), "guild", world.now)
    assert "There is nothing to do right now. You will get a letter" in open_now
    assert "You can send orders ahead" in open_now
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    told = help_now(world.table(), "guild", world.now)
    assert told.startswith("The game is over; there is nothing left to do.\nAt any time:")
