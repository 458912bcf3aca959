"""The Sandtrout, a spice card of an expansion (IT.TROUT): it ends all alliances at once and waits, open to all, until
a worm comes. That worm is stilled: it calls no nexus, and the spice that takes its place is doubled.
"""

from __future__ import annotations

from rules.chapters.spice_blow import worms
from rules.components import SANDTROUT
from rules.components.board import TerritoryId
from rules.rulesets.options import Option
from rules.state.game import Game
from rules.state.moments import WormMoment

WAITS_ON_FIRST_TURN = Option("sandtrout_turn_1", {"set_aside": False, "waits": True})
"""Whether a Sandtrout of the first turn waits for a worm, or goes back into the deck as worms do (IT.TROUT.8)."""
WORM_EATS = Option("sandtrout_worm_eats", {"no": False, "yes": True})
"""Whether a worm that is stilled eats all the same (IT.TROUT.4)."""

OPTIONS = (WAITS_ON_FIRST_TURN, WORM_EATS)


def turned(game: Game, pile: int) -> None:
    """A Sandtrout was turned: it ends all alliances and is set aside to wait for a worm (IT.TROUT.2, IT.TROUT.7), or
    lies with the discards where the first turn has none."""
    if worms.on_first_turn(game) and not WAITS_ON_FIRST_TURN(game.rules):
        game.state.spice_discard[pile].append(SANDTROUT)
        game.tell("sandtrout", pile=pile + 1, waits=False, ended=[])
        return
    state = game.state
    ended = [list(group) for group in state.alliances]
    state.alliances = []
    state.box.sandtrout = True
    game.tell("sandtrout", pile=pile + 1, waits=True, ended=ended)


def stills(game: Game, pile: int, beneath: TerritoryId | None) -> None:
    """The next worm does nothing, and the Sandtrout goes to the discards before it (IT.TROUT.3, IT.TROUT.4)."""
    state = game.state
    state.box.sandtrout = False
    state.spice_discard[pile].append(SANDTROUT)
    worms.count_worm(game)
    game.tell("sandtrout-stilled", pile=pile + 1, territory=beneath)
    if WORM_EATS(game.rules):
        worms.eat(game, WormMoment(beneath, beneath))
