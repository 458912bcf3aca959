"""Shipment: tokens come to Dune, and with the Guild's help cross it or leave it (AH.IX.C.1, AH.SHIELD.GUI,
AH.SHIELD.FRE.2, WBC.IX.4 to 26).

A player declares one shipment; the allies may let them spend their spice on it at the same stop. The tokens are set
down and the price is paid, and then there is time for reactions, before anybody moves: the Guild's Karama that stops
a shipment, the shipper's own that halves the price. Then others may send something along (the spiritual advisor).
"""

from __future__ import annotations

from collections.abc import Generator

from rules.chapters import tech_tokens
from rules.chapters.movement import fares, prevented, shipment_rules
from rules.chapters.movement.shipment_question import ShipmentQuestion, ShipmentSupportQuestion
from rules.components import Faction, Forces
from rules.decisions.asking import ask
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.karama import karama_card, put_down
from rules.decisions.question import Flow, Question, Stop
from rules.decisions.under_storm import in_storm
from rules.decisions.windows import window
from rules.orders import Ship, Support
from rules.state.game import Game
from rules.state.moments import SlotMoment


def declare(game: Game, slot: SlotMoment, mover: Faction) -> Generator[Stop, None, Ship | None]:
    """Ask for the shipment; None where there is none. The price is not paid yet."""
    answers = yield from ask(lambda: _questions(game, mover))
    slot.support = {
        ally: order.amount
        for ally in shipment_rules.allies(game, mover)
        if isinstance(order := answers.of(ally, mover), Support) and order.amount
    }
    order = answers.of(mover)
    return order if isinstance(order, Ship) else None


def _questions(game: Game, mover: Faction) -> list[Question]:
    support = [ShipmentSupportQuestion(game, ally, mover) for ally in shipment_rules.allies(game, mover)]
    return [*support, ShipmentQuestion(game, mover)]


def carry_out(game: Game, slot: SlotMoment, mover: Faction, order: Ship) -> Flow:
    """Set the tokens down, take the price, and wait for reactions."""
    slot.stage = "reactions"
    slot.shipment, slot.price = order, fares.price(game, mover, order)
    fares.carry(game, mover, order.forces, order.source, order.target)
    game.tell(
        "shipment",
        faction=mover,
        forces=str(order.forces),
        source=order.source,
        target=order.target,
        price=slot.price,
        paid_to=fares.receiver(game, mover) or "bank",
    )
    if fares.own_landing(game, mover, order):
        _land_in_storm(game, mover, order)
    elif slot.karama_ready:
        yield from pay_by_karama(game, slot, mover)
    else:
        fares.charge(game, slot, mover)  # who has not so much relies on a Karama, which may come until their move
    yield from window(
        game,
        "shipment",
        lambda: _can_be_stopped(game, slot, mover, order) or prevented.possible(game, slot),
        shipper=mover,
        area=order.target,
    )
    if not slot.declared_anew:
        fares.credit(game, slot, mover)


def pay_by_karama(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """Spend the Karama that was meant for this shipment; without it the full price is due or nothing is shipped."""
    payer = slot.karama_of or mover
    if karama_card(game, payer) and (yield from put_down(game, payer, "half shipping", slot.karama_card)):
        fares.halve(game, slot, mover)
    elif not fares.charge(game, slot, mover):
        order = fares.undo(game, slot, mover)
        game.tell("shipment-unpaid", faction=mover, forces=str(order.forces))


def owed(slot: SlotMoment) -> bool:
    """Whether the shipment still has to be paid."""
    return slot.shipment is not None and not slot.stopped and slot.price > sum(slot.paid.values())


def stop(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    """A Karama stops the shipment: it goes back, and so does what others sent along."""
    fares.undo(game, slot, shipper)
    take_back_companions(game, slot)


def companions(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """What others send along with the shipment."""
    slot.stage = "advisor"
    if slot.shipment and not slot.stopped and fares.off_planet(game, mover, slot.shipment):
        tech_tokens.set_off(game, "movement", mover)
    for faction in factions_with(game, FactionRules.joins_shipment):
        yield from rules_of(game, faction).joins_shipment(game, slot)


def take_back_companions(game: Game, slot: SlotMoment) -> None:
    """What others sent along goes back: it was cancelled, or the shipment was stopped."""
    for faction in factions_with(game, FactionRules.leaves_shipment):
        rules_of(game, faction).leaves_shipment(game, slot)


def _land_in_storm(game: Game, mover: Faction, order: Ship) -> None:
    """Half of those who land in the storm die, fractions rounded up; ordinary tokens first (WBC.IX.19)."""
    if order.target is None or not in_storm(game, order.target):
        return
    losses = (order.forces.total + 1) // 2
    ordinary = min(losses, order.forces.ordinary)
    dead = Forces(ordinary, losses - ordinary)
    game.kill(order.target, mover, dead)
    game.tell("landed-in-storm", faction=mover, forces=str(dead), area=order.target)


def _can_be_stopped(game: Game, slot: SlotMoment, mover: Faction, order: Ship) -> bool:
    """Whether everybody can see that a Karama might stop this shipment (AH.SHIELD.GUI.KARAMA)."""
    return (
        fares.off_planet(game, mover, order)
        and fares.stands(game, mover, order)
        and not slot.stopped
        and any(
            rules_of(game, other).has_karama_power(game, "stop shipment")
            for other in game.order_of_play()
            if other != mover
        )
    )
