"""The slot that is on in the movement round."""

from __future__ import annotations

from rules.components import Faction, Forces
from rules.state.game import Game
from rules.state.moments import SlotMoment


def slot_of(game: Game) -> SlotMoment:
    """What the movement round knows of the slot that is on; nothing yet where the round has not begun."""
    return game.moments.slot or SlotMoment()


def all_tokens(game: Game, faction: Faction) -> Forces:
    """Every token of the faction, wherever it is."""
    player = game.player(faction)
    return sum((forces for _, forces in game.state.areas_of(faction)), player.reserves + player.tanks)
