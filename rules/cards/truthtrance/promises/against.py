"""Whom a card is played against: what "against me" means in an answer under Truthtrance (WBC.AID.8, WBC.AID.12).

In a battle between the two every card counts as played against the other. Elsewhere a Karama is played against the one
whose cards, plan, power, shipment or card it touches, and a Truthtrance against the one who is asked. What serves only
the player (a card without paying, a shipment at half price, tokens brought back) is played against nobody.
"""

from __future__ import annotations

from rules.chapters.battle import support
from rules.chapters.spice_blow import worms
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.orders import Karama, Order, Truthtrance
from rules.state.game import Game


def played_against(game: Game, faction: Faction, order: Order, other: Faction) -> bool:
    """Whether the faction, playing this now, plays it against the other one."""
    battle = game.moments.battle
    if battle is not None and {faction, other} == set(battle.sides):
        return True
    match order:
        case Truthtrance(asked):
            return asked == other
        case Karama():
            return _touches(game, order, other)
    return False


def _touches(game: Game, order: Karama, other: Faction) -> bool:
    """Whether the Karama takes something away from the other faction, or looks at what is theirs."""
    moments = game.moments
    match order.effect:
        case "take cards" | "see plan":
            return order.faction == other
        case "cancel worm":
            robbed = worms.robbable(game, moments.worm)[:1] if moments.worm and order.faction is None else ()
            return other in (order.faction, *robbed)
        case "cancel karama":
            return moments.worthless_played_by == other
        case "stop shipment":
            return moments.slot is not None and moments.slot.mover == other
        case "cancel fremen support" if moments.battle and support.supported_ally(game, moments.battle) == other:
            return True
    return order.effect in rules_of(game, other).powers_taken_by
