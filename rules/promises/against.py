"""Whom a card is played against: what "against me" means in an answer under Truthtrance (WBC.AID.8, WBC.AID.12).

In a battle between the two every card counts as played against the other. Elsewhere a Karama is played against the one
whose cards, plan, power, shipment or card it touches, and a Truthtrance against the one who is asked. What serves only
the player himself (a card without paying, a shipment at half price, tokens brought back) is played against nobody.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.chapters.battle import support
from rules.chapters.spice_blow import worms
from rules.components import Faction
from rules.orders import Karama, KaramaEffect, Order, Truthtrance
from rules.state.game import Game

OWNERS: Mapping[KaramaEffect, Faction] = {
    "cancel voice": "bene-gesserit",
    "cancel advisor": "bene-gesserit",
    "cancel prescience": "atreides",
    "cancel kwisatz haderach": "atreides",
    "block spice card": "atreides",
    "block bidding cards": "atreides",
    "cancel sardaukar": "emperor",
    "cancel fedaykin": "fremen",
    "cancel free card": "harkonnen",
    "cancel capture": "harkonnen",
    "guild in turn": "guild",
}
"""Whose power an effect takes away, where only one faction has it."""


def played_against(game: Game, faction: Faction, order: Order, other: Faction) -> bool:
    """Whether the faction, playing this now, plays it against the other one."""
    battle = game.moments.battle
    if battle is not None and {faction, other} == set(battle.sides):
        return True
    match order:
        case Truthtrance(asked):
            return asked == other
        case Karama():
            return other in _touched(game, order)
    return False


def _touched(game: Game, order: Karama) -> tuple[Faction | None, ...]:
    moments = game.moments
    match order.effect:
        case "take cards" | "see plan":
            return (order.faction,)
        case "cancel worm":
            robbed = worms.robbable(game, moments.worm)[:1] if moments.worm and order.faction is None else ()
            return (order.faction, *robbed)
        case "cancel karama":
            return (moments.worthless_played_by,)
        case "stop shipment":
            return (moments.slot.mover if moments.slot else None,)
        case "cancel fremen support":
            return ("fremen", support.supported_ally(game, moments.battle) if moments.battle else None)
    return (OWNERS.get(order.effect),)
