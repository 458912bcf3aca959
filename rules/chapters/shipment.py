"""Shipment: tokens come to Dune or, with the Guild's help, cross or leave it.

Clauses: AH.IX.C.1, AH.SHIELD.GUI, AH.SHIELD.FRE.2, WBC.IX.4 to 26.

A player declares one shipment. At the same stop, allies may let the player spend their spice on it. The tokens are set
down and the price is paid. Before anybody moves there is time for reactions: the Guild's special Karama may stop the
shipment, or the shipper's Karama may halve the price. After that, another faction may send a token along with the
shipment (the spiritual advisor).

Legality: ``shipment_impossible`` refuses a shipment that will stay illegal until the end of the round, whatever
happens. Other refusals depend on the current reserves, occupants and spice.

Price (AH.IX.C.1.b, AH.SHIELD.GUI.1 to 3, WBC.IX.4 to 11, WBC.AID.35 to 36): the price is taken when the shipment is
declared, first from the shipper and then from the allies who have pledged spice. The faction that is paid for shipments
receives it when the time for reactions is over. Until the move is declared, a Karama can still halve the price or stop
the shipment, and the excess payment is returned.

A Karama can also take from the Guild one of its advantages in one shipment: its special ways of shipping, its half
price, or the payment it receives (FAQ.KARAMA-GUI.1 to 4). Such a Karama may be played before the shipment is declared,
and in the time for reactions right after that. It applies only to this one shipment. A shipper who loses the half price
pays the full price if they can. If they cannot, or if they may no longer ship in this way, the shipment is undone and
the player may declare another.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from rules.chapters import bidding, occupancy, tech_tokens
from rules.chapters.occupancy import all_tokens, in_storm, slot_of
from rules.components import Faction, Forces, board
from rules.components.board import STRONGHOLDS, TERRITORIES, Area, TerritoryId
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, Stop, ask
from rules.decisions.windows import karama_can, karama_card, put_down_karama, window
from rules.orders import KaramaEffect, NoShipment, Order, Ship, Support
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment


def declare_shipment(game: Game, slot: SlotMoment, mover: Faction) -> Generator[Stop, None, Ship | None]:
    answers = yield from ask(lambda: _shipment_questions(game, mover))
    slot.support = {
        ally: order.amount
        for ally in paying_allies(game, mover)
        if isinstance(order := answers.of(ally, mover), Support) and order.amount
    }
    order = answers.of(mover)
    return order if isinstance(order, Ship) else None


def _shipment_questions(game: Game, mover: Faction) -> list[Question]:
    support = [ShipmentSupportQuestion(game, ally, mover) for ally in paying_allies(game, mover)]
    return [*support, ShipmentQuestion(game, mover)]


def carry_out_shipment(game: Game, slot: SlotMoment, mover: Faction, order: Ship) -> Flow:
    slot.stage = "reactions"
    slot.shipment, slot.price = order, price_of_shipment(game, mover, order)
    carry_tokens(game, mover, order.forces, order.source, order.target)
    game.tell(
        "shipment",
        faction=mover,
        forces=str(order.forces),
        source=order.source,
        target=order.target,
        price=slot.price,
        paid_to=receiver_of_price(game, mover) or "bank",
    )
    if is_own_landing(game, mover, order):
        _land_in_storm(game, mover, order)
    elif slot.karama_ready:
        yield from pay_by_karama(game, slot, mover)
    else:
        charge_price(game, slot, mover)  # a mover with too little spice relies on a Karama, possible until their move
    yield from window(
        game,
        "shipment",
        lambda: _can_be_stopped(game, slot, mover, order) or karama_may_touch_shipment(game, slot),
        shipper=mover,
        area=order.target,
    )
    if not slot.declared_anew:
        credit_price(game, slot, mover)


def pay_by_karama(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    payer = slot.karama_of or mover
    if karama_card(game, payer) and (yield from put_down_karama(game, payer, "half shipping", slot.karama_card)):
        halve_price(game, slot, mover)
    elif not charge_price(game, slot, mover):
        order = undo_shipment(game, slot, mover)
        game.tell("shipment-unpaid", faction=mover, forces=str(order.forces))


def shipment_is_owed(slot: SlotMoment) -> bool:
    return slot.shipment is not None and not slot.stopped and slot.price > sum(slot.paid.values())


def stop_shipment(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    undo_shipment(game, slot, shipper)
    take_back_companions(game, slot)


def send_companions(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    slot.stage = "advisor"
    if slot.shipment and not slot.stopped and is_off_planet(game, mover, slot.shipment):
        tech_tokens.set_off(game, "movement", mover)
    for faction in factions_with(game, FactionRules.joins_shipment):
        yield from rules_of(game, faction).joins_shipment(game, slot)


def take_back_companions(game: Game, slot: SlotMoment) -> None:
    for faction in factions_with(game, FactionRules.leaves_shipment):
        rules_of(game, faction).leaves_shipment(game, slot)


def _land_in_storm(game: Game, mover: Faction, order: Ship) -> None:
    """Kill half of the tokens that land in the storm, rounded up. Ordinary tokens die first (WBC.IX.19)."""
    if order.target is None or not in_storm(game, order.target):
        return
    losses = (order.forces.total + 1) // 2
    ordinary = min(losses, order.forces.ordinary)
    dead = Forces(ordinary, losses - ordinary)
    game.kill(order.target, mover, dead)
    game.tell("landed-in-storm", faction=mover, forces=str(dead), area=order.target)


def _can_be_stopped(game: Game, slot: SlotMoment, mover: Faction, order: Ship) -> bool:
    # as far as everybody knows: AH.SHIELD.GUI.KARAMA
    return (
        is_off_planet(game, mover, order)
        and shipment_stands(game, mover, order)
        and not slot.stopped
        and any(
            rules_of(game, other).has_karama_power(game, "stop shipment")
            for other in game.order_of_play()
            if other != mover
        )
    )


POLAR_SINK = board.territory_of(board.POLAR_SINK)


class ShipmentQuestion(Question):
    kind = "shipment"
    default = NoShipment()

    def refusal(self, order: Order) -> Refusal | None:
        return shipment_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if slot_of(game).is_past(faction, "shipment"):
            return Refusal("You can make one shipment a turn, and the time for it has passed.", "shipment.one-a-turn")
        return shipment_refusal_ahead(game, faction, order) if isinstance(order, Ship) else None

    def samples(self) -> Sequence[Order]:
        return shipments_worth_it(self.game, self.faction)

    @property
    def facts(self) -> Mapping[str, Any]:
        player = self.game.player(self.faction)
        return {
            "reserves": str(player.reserves),
            "spice": player.spice,
            "half_price": has_guild_terms(self.game, self.faction),
            "anywhere": lands_anywhere(self.game, self.faction),
            "returns": may_ship_back(self.game, self.faction),
            "allies": paying_allies(self.game, self.faction),
        }


class ShipmentSupportQuestion(Question):
    kind = "ally-support"
    beside = True
    leads_on = True
    default = Support(0)

    def __init__(self, game: Game, faction: Faction, shipper: Faction) -> None:
        super().__init__(game, faction, subject=shipper)
        self._shipper = shipper

    @property
    def _spice(self) -> int:
        return self.game.player(self.faction).spice - self._own_shipment

    @property
    def _own_shipment(self) -> int:
        held = self.game.held.get(self.faction, ())
        price = sum(price_of_shipment(self.game, self.faction, order) for order in held if isinstance(order, Ship))
        return price if price <= self.game.player(self.faction).spice else 0

    def refusal(self, order: Order) -> Refusal | None:
        spice, own = self._spice, self._own_shipment
        if not isinstance(order, Support) or 0 <= order.amount <= spice:
            return None
        beside = f" besides the {own} for your own shipment" if own else ""
        return Refusal(f"You have {spice} spice to help with{beside}.", "shipment.allies-help-to-pay")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        allies = paying_allies(game, faction)
        if not allies:
            return Refusal("You have no ally to help with a shipment.", "shipment.allies-help-to-pay")
        if all(slot_of(game).is_past(ally, "shipment") for ally in allies):
            return Refusal("Your ally's shipment of this turn is over.", "shipment.allies-help-to-pay")
        return None

    def samples(self) -> Sequence[Order]:
        return [Support(amount) for amount in sorted({0, (self._spice + 1) // 2, self._spice})]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"buyer": self._shipper, "purpose": "shipment", "spice": self._spice}


# --- Suggestions -----------------------------------------------------------------------------------------------------


def shipments_worth_it(game: Game, mover: Faction) -> list[Order]:
    reserves, spice = game.player(mover).reserves, means_of_shipper(game, mover)
    closed, guild = occupancy.territories_barred(game, mover), has_guild_terms(game, mover)
    found: list[Order] = [NoShipment()]
    for target in _targets(game, mover) if reserves else ():
        order = Ship(reserves, None, target)
        if storm_refusal(game, mover, order):
            continue
        most = affordable_tokens(game, mover, order, spice)
        if most:
            sketches = [order if most == reserves.total else Ship(_some(reserves, most), None, target)]
            sketches += [Ship(_some(reserves, most // 2), None, target)] if most > 3 else []
            barred = board.territory_of(target) in closed
            found += [
                one for one in sketches if not barred or not occupancy.refusal_to_land_with_ally(game, mover, one)
            ]
    if guild:
        found += [order for order in _across(game, mover) if shipment_refusal(game, mover, order) is None]
    return found


def _targets(game: Game, mover: Faction) -> Iterator[Area]:
    rules, guild = rules_of(game, mover), has_guild_terms(game, mover)
    one = Forces(1)
    some_land_alone = factions_with(game, FactionRules.landing_refusal)

    def within_reach(area: Area) -> bool:
        if some_land_alone and refusal_at_anothers_place(game, mover, board.territory_of(area)):
            return False
        return rules.shipping_refusal(game, Ship(one, None, area), on_guild_terms=guild) is None

    for territory in (*game.strongholds(), POLAR_SINK):
        if within_reach(TERRITORIES[territory].areas[0]):
            yield TERRITORIES[territory].areas[0]
    for area in sorted(game.state.spice):
        if within_reach(area):
            yield area
    for territory in rules.home_landing:
        yield from TERRITORIES[territory].areas


def _across(game: Game, mover: Faction) -> Iterator[Ship]:
    groups = sorted(game.state.areas_of(mover), key=lambda group: -group[1].total)[:2]
    for source, forces in groups:
        yield Ship(forces, source, None)
        for territory in STRONGHOLDS:
            yield Ship(forces, source, TERRITORIES[territory].areas[0])


def _some(forces: Forces, number: int) -> Forces:
    ordinary = min(forces.ordinary, number)
    return Forces(ordinary, number - ordinary)


ONE = Forces(1)

OUT_OF_STORM = Option("guild_ship_out_of_storm", {"allowed": True, "forbidden": False})
ALLIES_GO_BACK = Option("guild_ally_shipments", {"all_three": True, "no_return": False})
"""True if allies of the Guild can also ship tokens back to their reserves."""


def shipment_refusal(game: Game, mover: Faction, order: Order) -> Refusal | None:
    if not isinstance(order, Ship):
        return None
    return (
        shipment_impossible(game, mover, order)
        or _refuse_tokens(game, mover, order)
        or occupancy.refusal_to_land_with_ally(game, mover, order)
        or _refuse_price(game, mover, order)
    )


def shipment_refusal_ahead(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    if why := shipment_impossible(game, mover, order):
        return why
    player = game.player(mover)
    there = player.reserves + player.tanks if order.source is None else all_tokens(game, mover)
    if there.covers(order.forces):
        return None
    return Refusal(f"You can ship at most {there.in_words} that way, not {order.forces}.", "shipment.from-reserve")


def shipment_impossible(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    if not order.forces:
        return Refusal("A shipment needs at least one token.", "shipment.to-one-territory")
    if order.source is None and order.target is None:
        return Refusal("Say where to ship the tokens.", "shipment.to-one-territory")
    return _refuse_way(game, mover, order) or storm_refusal(game, mover, order)


def _refuse_way(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    guild = has_guild_terms(game, mover)
    if guild and order.source and is_denied_by_karama(game, mover, "cancel guild shipment"):
        stopped = "A Karama prevents you from shipping across Dune or back to the reserves this time."
        return Refusal(stopped, "karama.guild-shipment")
    if why := rules_of(game, mover).shipping_refusal(game, order, on_guild_terms=guild):
        return why
    if order.target and (why := refusal_at_anothers_place(game, mover, board.territory_of(order.target))):
        return why
    if order.source is None or guild:
        if order.source and order.target and board.territory_of(order.source) == board.territory_of(order.target):
            return Refusal("A shipment across Dune must go from one territory to another.", "shipment.across-dune")
        if order.target or ALLIES_GO_BACK(game.rules) or rules_of(game, mover).ships_every_way(game):
            return None
        return Refusal("In this game allies of the Guild cannot ship back to their reserves.", "shipment.guild-ally")
    if order.target is None:
        whose = "the Guild and its allies" if ALLIES_GO_BACK(game.rules) else "the Guild"
        return Refusal(f"Only {whose} can ship tokens back to the reserves.", "shipment.no-return")
    return Refusal("Only the Guild and its allies can ship from one territory to another.", "shipment.to-one-territory")


def refusal_at_anothers_place(game: Game, shipper: Faction, territory: TerritoryId) -> Refusal | None:
    for owner in factions_with(game, FactionRules.landing_refusal):
        if owner != shipper and (why := rules_of(game, owner).landing_refusal(game, shipper, territory)):
            return why
    return None


def lands_anywhere(game: Game, mover: Faction) -> bool:
    return all(_refuse_way(game, mover, Ship(ONE, None, TERRITORIES[goal].areas[0])) is None for goal in STRONGHOLDS)


def may_ship_back(game: Game, mover: Faction) -> bool:
    return _refuse_way(game, mover, Ship(ONE, board.POLAR_SINK, None)) is None


def storm_refusal(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    if order.source and in_storm(game, order.source) and not OUT_OF_STORM(game.rules):
        why = f"{_name(order.source)} is under the storm; nothing can be shipped out of it."
        return Refusal(why, "shipment.out-of-storm")
    if order.target and in_storm(game, order.target):
        if rules_of(game, mover).lands_in_storm(game, order):
            return None
        return Refusal(f"{_name(order.target)} is under the storm; nothing can be shipped there.", "shipment.storm")
    return None


def _refuse_tokens(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    if order.source is None:
        reserves = game.player(mover).reserves
        if reserves.covers(order.forces):
            return None
        return Refusal(
            f"You have only {reserves} in reserve, so you cannot ship {order.forces}.", "shipment.from-reserve"
        )
    here = game.here(order.source, mover)
    if here.covers(order.forces):
        return None
    why = f"You have only {here} in {_name(order.source)}, so you cannot ship {order.forces}."
    return Refusal(why, "shipment.across-dune")


# --- The price -------------------------------------------------------------------------------------------------------


def paying_allies(game: Game, mover: Faction) -> list[Faction]:
    return [ally for ally in game.state.ally_group(mover) if ally != mover]


def means_of_shipper(game: Game, mover: Faction) -> int:
    return bidding.means_of_buyer(game, mover, _pledged(game, mover))


def _pledged(game: Game, mover: Faction) -> dict[Faction, int]:
    filed = {ally: game.filed.get((ally, "ally-support", mover), ()) for ally in paying_allies(game, mover)}
    return {ally: orders[-1].amount for ally, orders in filed.items() if orders and isinstance(orders[-1], Support)}


def _refuse_price(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    cost, spice = price_of_shipment(game, mover, order), means_of_shipper(game, mover)
    if cost <= spice or (
        _karama_helps(game, mover, order) and price_of_shipment(game, mover, order, karama=True) <= spice
    ):
        return None
    most = affordable_tokens(game, mover, order, spice)
    enough = f"so at most {most} token{'s' if most != 1 else ''}" if most else "not enough for one token"
    with_help = " with your ally's help" if _pledged(game, mover) else ""
    return Refusal(f"That costs {cost} spice; you have {spice}{with_help}, {enough}.", "shipment.price-covered")


def affordable_tokens(game: Game, mover: Faction, order: Ship, spice: int) -> int:
    if price_of_shipment(game, mover, order) <= spice:
        return order.forces.total
    stronghold = order.target is None or TERRITORIES[board.territory_of(order.target)].kind == "stronghold"
    for_two = (1 if stronghold else 2) * (1 if at_guild_rate(game, mover) else 2)
    return spice * 2 // for_two


def _karama_helps(game: Game, mover: Faction, order: Ship) -> bool:
    """Return whether the shipper can count on a Karama to halve the price (WBC.IX.11, WBC.AID.35, FAQ.KARAMA.1). It may
    be their own card, or one that another player holds ready for this shipment."""
    payer = slot_of(game).karama_of or mover
    return (
        is_off_planet(game, mover, order) and not has_guild_terms(game, mover) and karama_card(game, payer) is not None
    )


def _name(area: Area) -> str:
    return board.area_name(area)


def has_guild_terms(game: Game, faction: Faction) -> bool:
    """Return whether the faction may ship in all three ways and for half the price, as the Guild and its allies do
    (AH.SHIELD.GUI.ALLY-a)."""
    for member in game.state.ally_group(faction):  # noqa: SIM110 - asked of every place to ship to; a loop is the fastest
        if rules_of(game, member).ships_every_way(game):
            return True
    return False


def is_denied_by_karama(game: Game, shipper: Faction, *effects: KaramaEffect) -> bool:
    slot = game.moments.slot
    return (
        slot is not None
        and bool(slot.denied)
        and slot.mover == shipper
        and any(effect in slot.denied for effect in effects)
    )


def at_guild_rate(game: Game, shipper: Faction) -> bool:
    return has_guild_terms(game, shipper) and not is_denied_by_karama(
        game, shipper, "cancel half rate", "cancel ally rate"
    )


def is_own_landing(game: Game, faction: Faction, order: Ship) -> bool:
    """Return whether the shipment is the faction's own free landing from the far side of Dune (AH.SHIELD.FRE.2-a)."""
    return rules_of(game, faction).lands_free(game, order)


def is_off_planet(game: Game, faction: Faction, order: Ship) -> bool:
    return order.source is None and not rules_of(game, faction).reserves_on_dune  # AH.SHIELD.BG.2-c


def receiver_of_price(game: Game, shipper: Faction) -> Faction | None:
    """Return the faction that is paid for this player's shipments, or None if the price goes to the bank
    (AH.SHIELD.GUI.3, WBC.IX.6)."""
    for faction in factions_with(game, FactionRules.is_paid_for_shipments):
        if faction != shipper and rules_of(game, faction).is_paid_for_shipments(game):
            return faction
    return None


def price_of_shipment(game: Game, shipper: Faction, order: Ship, *, karama: bool = False) -> int:
    """Return the price in spice (AH.IX.C.1.b, AH.SHIELD.GUI.2, AH.QA.E.2, AH.QA.E.6). Each token shipped into a
    stronghold costs 1, and each token shipped elsewhere costs 2. The Guild's rate is half of that, rounded up. Tokens
    that go back to the reserves cost 1 for every two."""
    tokens = order.forces.total
    if is_own_landing(game, shipper, order):
        return 0
    if order.target is None:
        return _half(tokens) if at_guild_rate(game, shipper) else tokens
    stronghold = TERRITORIES[board.territory_of(order.target)].kind == "stronghold"
    full = tokens if stronghold else 2 * tokens
    return _half(full) if karama or at_guild_rate(game, shipper) else full


def _half(amount: int) -> int:
    return (amount + 1) // 2


def charge_price(game: Game, slot: SlotMoment, shipper: Faction) -> bool:
    due = bidding.shares_of_price(game, shipper, slot.price, slot.support)
    if sum(due.values()) < slot.price:
        return False
    for payer, share in due.items():
        game.pay(payer, share)
    slot.paid = due
    return True


def credit_price(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    paid = receiver_of_price(game, shipper)
    if paid is None or slot.halved or slot.stopped or "cancel shipping payment" in slot.denied:
        return
    own_help = 0 if rules_of(game, paid).has_own_help_back(game) else slot.paid.get(paid, 0)
    slot.credited = sum(slot.paid.values()) - own_help
    game.gain(paid, slot.credited)


def charge_price_again(game: Game, slot: SlotMoment, shipper: Faction, order: Ship) -> bool:
    _pay_back(game, slot, sum(slot.paid.values()))
    slot.paid = {}
    slot.price = price_of_shipment(game, shipper, order)
    return charge_price(game, slot, shipper)


def halve_price(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    """Charge only the Guild's rate, which goes to the bank, and pay the excess back to the payers (WBC.AID.36). Nothing
    is charged for a shipment that was stopped before the Karama took effect."""
    if slot.shipment is None or slot.stopped:
        return
    slot.halved = True
    slot.price = price_of_shipment(game, shipper, slot.shipment, karama=True)
    if slot.paid:
        _pay_back(game, slot, sum(slot.paid.values()) - slot.price)
    else:
        charge_price(game, slot, shipper)
    _take_back_credit(game, slot, shipper)
    game.tell("shipping-halved", faction=shipper, price=slot.price, private=shares_of_payment(slot))


def carry_tokens(game: Game, shipper: Faction, forces: Forces, source: Area | None, target: Area | None) -> None:
    """Move tokens from one place to another; a place of None means the reserves."""
    player = game.player(shipper)
    if source is None:
        player.reserves -= forces
    else:
        game.lift(source, shipper, forces)
    if target is None:
        player.reserves += forces
    else:
        game.put(target, shipper, forces)


def shipment_stands(game: Game, shipper: Faction, order: Ship) -> bool:
    return order.target is None or game.here(order.target, shipper).covers(order.forces)


def undo_shipment(game: Game, slot: SlotMoment, shipper: Faction) -> Ship:
    """Undo the shipment and return its order. Tokens and spice go back (A-14), but tokens that have died stay dead."""
    order = slot.shipment
    if order is None:
        raise ValueError("there is no shipment to undo")
    if shipment_stands(game, shipper, order):
        carry_tokens(game, shipper, order.forces, order.target, order.source)
    _pay_back(game, slot, sum(slot.paid.values()))
    _take_back_credit(game, slot, shipper)
    slot.stopped = True
    return order


def shares_of_payment(slot: SlotMoment) -> dict[Faction, dict[str, int]]:
    return {payer: {"paid": share} for payer, share in slot.paid.items()}


def _pay_back(game: Game, slot: SlotMoment, surplus: int) -> None:
    for payer in reversed(list(slot.paid)):
        back = min(surplus, slot.paid[payer])
        game.gain(payer, back)
        slot.paid[payer] -= back
        surplus -= back


def _take_back_credit(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    paid = receiver_of_price(game, shipper)
    if slot.credited and paid is not None:
        game.pay(paid, min(slot.credited, game.player(paid).spice))
        slot.credited = 0


def _has_own_rate(game: Game, shipper: Faction) -> bool:
    return rules_of(game, shipper).ships_every_way(game)


def _has_allys_rate(game: Game, shipper: Faction) -> bool:
    return has_guild_terms(game, shipper) and not _has_own_rate(game, shipper)


def _somebody_is_paid(game: Game, shipper: Faction) -> bool:
    return receiver_of_price(game, shipper) is not None


GUILD_ADVANTAGES: Mapping[KaramaEffect, Callable[[Game, Faction], bool]] = {
    "cancel guild shipment": has_guild_terms,
    "cancel half rate": _has_own_rate,
    "cancel ally rate": _has_allys_rate,
    "cancel shipping payment": _somebody_is_paid,
}
"""For each effect, the test for whether it can affect a faction's shipments."""


def karama_touches_shipment(game: Game, slot: SlotMoment, effect: KaramaEffect) -> bool:
    shipper = slot.mover
    if shipper is None or effect in slot.denied or not GUILD_ADVANTAGES[effect](game, shipper):
        return False
    if slot.stage == "shipment":
        return True
    order = slot.shipment
    if slot.stage != "reactions" or order is None or slot.stopped:
        return False
    return order.source is not None if effect == "cancel guild shipment" else slot.price > 0 and not slot.halved


def karama_may_touch_shipment(game: Game, slot: SlotMoment) -> bool:
    return any(
        karama_can(game.rules, effect) and karama_touches_shipment(game, slot, effect) for effect in GUILD_ADVANTAGES
    )


def take_away_advantage(game: Game, slot: SlotMoment, effect: KaramaEffect, by: Faction) -> None:
    slot.denied.append(effect)
    shipper, order = slot.mover, slot.shipment
    if shipper is None:
        return
    game.tell("shipping-power-stopped", by=by, faction=shipper, what=effect.removeprefix("cancel "))
    if order is None or effect == "cancel shipping payment":
        return
    if effect == "cancel guild shipment" or not charge_price_again(game, slot, shipper, order):
        _take_back_shipment(game, slot, shipper)
    else:
        game.tell("shipping-at-full-price", faction=shipper, price=slot.price, private=shares_of_payment(slot))


def _take_back_shipment(game: Game, slot: SlotMoment, shipper: Faction) -> None:
    order = undo_shipment(game, slot, shipper)
    slot.declared_anew = True
    game.tell(
        "shipment-taken-back", faction=shipper, forces=str(order.forces), source=order.source, target=order.target
    )
