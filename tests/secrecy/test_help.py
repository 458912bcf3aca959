"""The examples of `help` are of what its reader may see, and of leaders that they have."""

from __future__ import annotations

import pytest

from bot.moderator.help_now import help_now
from bot.table.table import Table
from rules.components import LEADERS, Faction, leaders_of
from tests.moderator.table import World


def _example(table: Table, faction: Faction, world: World) -> str:
    """The leader of the battle plan in the examples."""
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
