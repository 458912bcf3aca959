"""Karamas against the Guild's advantages in one shipment: its ways, its rate, and its pay (FAQ.KARAMA-GUI.1 to
FAQ.KARAMA-GUI.4).

It may be played before the shipment is declared, and in the time for reactions right after it; it holds for this one
shipment. Whose rate is taken away pays the full price, if they can; else, and where the way itself is closed, the
shipment is taken back and its player may declare another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.chapters.movement import fares
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import can_do
from rules.orders import KaramaEffect
from rules.state.game import Game
from rules.state.moments import SlotMoment


def _has_own_rate(game: Game, shipper: Faction) -> bool:
    return rules_of(game, shipper).ships_every_way(game)


def _has_allys_rate(game: Game, shipper: Faction) -> bool:
    return fares.guild_terms(game, shipper) and not _has_own_rate(game, shipper)


def _somebody_is_paid(game: Game, shipper: Faction) -> bool:
    return fares.receiver(game, shipper) is not None


CONCERNS: Mapping[KaramaEffect, Callable[[Game, Faction], bool]] = {
    "cancel guild shipment": fares.guild_terms,
    "cancel half rate": _has_own_rate,
    "cancel ally rate": _has_allys_rate,
    "cancel shipping payment": _somebody_is_paid,
}
"""Whose shipments each effect can touch."""


def touches(game: Game, slot: SlotMoment, effect: KaramaEffect) -> bool:
    """Whether, by what everybody can see, a Karama with this effect could take something away from the shipment of this
    slot."""
    shipper = slot.mover
    if shipper is None or effect in slot.denied or not CONCERNS[effect](game, shipper):
        return False
    if slot.stage == "shipment":
        return True
    order = slot.shipment
    if slot.stage != "reactions" or order is None or slot.stopped:
        return False
    return order.source is not None if effect == "cancel guild shipment" else slot.price > 0 and not slot.halved


def possible(game: Game, slot: SlotMoment) -> bool:
    """Whether everybody can see that a Karama might take something of this shipment away."""
    return any(can_do(game.rules, effect) and touches(game, slot, effect) for effect in CONCERNS)


def take_away(game: Game, slot: SlotMoment, effect: KaramaEffect, by: Faction) -> None:
    """The Karama does what it is played for."""
    slot.denied.append(effect)
    shipper, order = slot.mover, slot.shipment
    if shipper is None:
        return
    game.tell("shipping-power-stopped", by=by, faction=shipper, what=effect.removeprefix("cancel "))
    if order is None or effect == "cancel shipping payment":
        return
    if effect == "cancel guild shipment" or not fares.charge_anew(game, slot, shipper, order):
        _take_back(game, slot, shipper)
    else:
        game.tell("shipping-at-full-price", faction=shipper, price=slot.price, private=fares.shares(slot))


def _take_back(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    order = fares.undo(game, slot, shipper)
    slot.declared_anew = True
    game.tell(
        "shipment-taken-back", faction=shipper, forces=str(order.forces), source=order.source, target=order.target
    )
