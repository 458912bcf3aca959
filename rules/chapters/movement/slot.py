"""The slot that is on in the movement round."""

from __future__ import annotations

from rules.components import FACTION_FACTS, Faction, Forces
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment


def slot_of(game: Game) -> SlotMoment:
    """What the movement round knows of the slot that is on; nothing yet where the round has not begun."""
    return game.moments.slot or SlotMoment()


def all_tokens(game: Game, faction: Faction) -> Forces:
    """Every token of the faction, wherever it is."""
    player = game.player(faction)
    return sum((forces for _, forces in game.state.areas_of(faction)), player.reserves + player.tanks)


def never_so_many(faction: Faction, forces: Forces) -> Refusal | None:
    """Whether these are more tokens than the faction has in all."""
    own = FACTION_FACTS[faction]
    if forces.total > own.forces.total:
        return Refusal(f"You have {own.forces.total} tokens in all.", "movement.tokens-in-all")
    if forces.elite > own.elite:
        has = f"{own.elite} {own.elite_name}" if own.elite else "no elite tokens"
        return Refusal(f"You have {has} in all.", "movement.tokens-in-all")
    return None
