"""What a shipment costs, who pays, and who is paid (AH.IX.C.1.b, AH.SHIELD.GUI.1 to 3, WBC.IX.4 to 11, WBC.AID.35 to
36).

The price is taken when the shipment is declared, from the shipper first and then from the allies who let them spend.
Who is paid for shipments receives it when the time for reactions is over; until the movement is declared a Karama can
still halve the price or stop the shipment, and what was paid too much goes back.
"""

from __future__ import annotations

from rules.chapters.bidding import pledges
from rules.components import Faction, Forces, board
from rules.components.board import TERRITORIES, Area
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.orders import KaramaEffect, Ship
from rules.state.game import Game
from rules.state.moments import SlotMoment


def guild_terms(game: Game, faction: Faction) -> bool:
    """Whether the faction ships in all three ways at half the price, as the Guild and its allies do
    (AH.SHIELD.GUI.ALLY-a)."""
    for member in game.state.ally_group(faction):  # noqa: SIM110 - asked of every place to ship to; a loop is the fastest
        if rules_of(game, member).ships_every_way(game):
            return True
    return False


def denied(game: Game, shipper: Faction, *effects: KaramaEffect) -> bool:
    """Whether a Karama has taken one of these from the shipment of the slot that is on."""
    slot = game.moments.slot
    return (
        slot is not None
        and bool(slot.denied)
        and slot.mover == shipper
        and any(effect in slot.denied for effect in effects)
    )


def at_guild_rate(game: Game, shipper: Faction) -> bool:
    """Whether the faction ships at half the price without a Karama of its own."""
    return guild_terms(game, shipper) and not denied(game, shipper, "cancel half rate", "cancel ally rate")


def own_landing(game: Game, faction: Faction, order: Ship) -> bool:
    """Whether this is the faction's own way from the far side of Dune, which costs nothing (AH.SHIELD.FRE.2-a)."""
    return rules_of(game, faction).lands_free(game, order)


def off_planet(game: Game, faction: Faction, order: Ship) -> bool:
    """Whether the tokens come from reserves off Dune (AH.SHIELD.BG.2-c)."""
    return order.source is None and not rules_of(game, faction).reserves_on_dune


def receiver(game: Game, shipper: Faction) -> Faction | None:
    """Who is paid for this player's shipments; None is the bank (AH.SHIELD.GUI.3, WBC.IX.6)."""
    for faction in factions_with(game, FactionRules.is_paid_for_shipments):
        if faction != shipper and rules_of(game, faction).is_paid_for_shipments(game):
            return faction
    return None


def price(game: Game, shipper: Faction, order: Ship, *, karama: bool = False) -> int:
    """What the shipment costs: 1 spice a token into a stronghold, else 2; half at the Guild's rate, rounded up; back to
    the reserves 1 for two tokens (AH.IX.C.1.b, AH.SHIELD.GUI.2, AH.QA.E.2, AH.QA.E.6)."""
    tokens = order.forces.total
    if own_landing(game, shipper, order):
        return 0
    if order.target is None:
        return _half(tokens) if at_guild_rate(game, shipper) else tokens
    stronghold = TERRITORIES[board.territory_of(order.target)].kind == "stronghold"
    full = tokens if stronghold else 2 * tokens
    return _half(full) if karama or at_guild_rate(game, shipper) else full


def _half(amount: int) -> int:
    return (amount + 1) // 2


def charge(game: Game, slot: SlotMoment, shipper: Faction) -> bool:
    """Take the price; whether there was enough for it."""
    due = pledges.shares(game, shipper, slot.price, slot.support)
    if sum(due.values()) < slot.price:
        return False
    for payer, share in due.items():
        game.pay(payer, share)
    slot.paid = due
    return True


def credit(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    """What was paid goes to its receiver, except where a Karama halved it; all else stays with the bank."""
    paid = receiver(game, shipper)
    if paid is None or slot.halved or slot.stopped or "cancel shipping payment" in slot.denied:
        return
    own_help = 0 if rules_of(game, paid).has_own_help_back(game) else slot.paid.get(paid, 0)
    slot.credited = sum(slot.paid.values()) - own_help
    game.gain(paid, slot.credited)


def charge_anew(game: Game, slot: SlotMoment, shipper: Faction, order: Ship) -> bool:
    """Take the price as it is now instead of what was paid; whether there was enough for it."""
    _pay_back(game, slot, sum(slot.paid.values()))
    slot.paid = {}
    slot.price = price(game, shipper, order)
    return charge(game, slot, shipper)


def halve(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    """A Karama pays the Guild's rate, to the bank; the surplus goes back (WBC.AID.36).

    A shipment that was stopped before the Karama took effect has no price."""
    if slot.shipment is None or slot.stopped:
        return
    slot.halved = True
    slot.price = price(game, shipper, slot.shipment, karama=True)
    if slot.paid:
        _pay_back(game, slot, sum(slot.paid.values()) - slot.price)
    else:
        charge(game, slot, shipper)
    _take_back_credit(game, slot, shipper)
    game.tell("shipping-halved", faction=shipper, price=slot.price, private=shares(slot))


def carry(game: Game, shipper: Faction, forces: Forces, source: Area | None, target: Area | None) -> None:
    """Take tokens from one place and set them down in another; a place of None is the reserves."""
    player = game.player(shipper)
    if source is None:
        player.reserves -= forces
    else:
        game.lift(source, shipper, forces)
    if target is None:
        player.reserves += forces
    else:
        game.put(target, shipper, forces)


def stands(game: Game, shipper: Faction, order: Ship) -> bool:
    """Whether the tokens shipped are where they went; a worm may have come there since."""
    return order.target is None or game.here(order.target, shipper).covers(order.forces)


def undo(game: Game, slot: SlotMoment, shipper: Faction) -> Ship:
    """The shipment, which does not take place: tokens and spice go back (A-14), the dead do not."""
    order = slot.shipment
    if order is None:
        raise ValueError("there is no shipment to undo")
    if stands(game, shipper, order):
        carry(game, shipper, order.forces, order.target, order.source)
    _pay_back(game, slot, sum(slot.paid.values()))
    _take_back_credit(game, slot, shipper)
    slot.stopped = True
    return order


def shares(slot: SlotMoment) -> dict[Faction, dict[str, int]]:
    """What each payer alone may know: their share."""
    return {payer: {"paid": share} for payer, share in slot.paid.items()}


def _pay_back(game: Game, slot: SlotMoment, surplus: int) -> None:
    for payer in reversed(list(slot.paid)):
        back = min(surplus, slot.paid[payer])
        game.gain(payer, back)
        slot.paid[payer] -= back
        surplus -= back


def _take_back_credit(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    paid = receiver(game, shipper)
    if slot.credited and paid is not None:
        game.pay(paid, min(slot.credited, game.player(paid).spice))
        slot.credited = 0
