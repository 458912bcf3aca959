"""Which shipments are legal (AH.IX.C.1, AH.SHIELD.GUI, AH.SHIELD.FRE.2, WBC.IX.11, WBC.IX.18 to 26).

``impossible`` is what no change until the end of the round can make right; what else makes a shipment illegal now
depends on reserves, occupants and spice.
"""

from __future__ import annotations

from rules.chapters.bidding import pledges
from rules.chapters.movement import allies_together, fares
from rules.chapters.movement.slot import all_tokens, slot_of
from rules.components import Faction, Forces, board
from rules.components.board import STRONGHOLDS, TERRITORIES, Area, TerritoryId
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.karama import karama_card
from rules.decisions.under_storm import in_storm
from rules.orders import Order, Ship, Support
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

ONE = Forces(1)

OUT_OF_STORM = Option("guild_ship_out_of_storm", {"allowed": True, "forbidden": False})
ALLIES_GO_BACK = Option("guild_ally_shipments", {"all_three": True, "no_return": False})
"""Whether allies of the Guild ship tokens back to their reserves too."""


def refusal(game: Game, mover: Faction, order: Order) -> Refusal | None:
    """Why this shipment is not legal now, or None."""
    if not isinstance(order, Ship):
        return None
    return (
        impossible(game, mover, order)
        or _refuse_tokens(game, mover, order)
        or allies_together.lands_on_its_way(game, mover, order)
        or _refuse_price(game, mover, order)
    )


def refusal_ahead(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    """Why this shipment cannot be legal any more in this round: the rules never allow it, or there cannot be so many
    tokens."""
    if why := impossible(game, mover, order):
        return why
    player = game.player(mover)
    there = player.reserves + player.tanks if order.source is None else all_tokens(game, mover)
    if there.covers(order.forces):
        return None
    return Refusal(f"You have {there.in_words} for that at most, not {order.forces}.", "shipment.from-reserve")


def impossible(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    """Why this shipment can never be legal in this round, whatever happens before it."""
    if not order.forces:
        return Refusal("A shipment needs at least one token.", "shipment.to-one-territory")
    if order.source is None and order.target is None:
        return Refusal("Say where the tokens are shipped.", "shipment.to-one-territory")
    return _refuse_way(game, mover, order) or refuse_storm(game, mover, order)


def _refuse_way(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    """Who may ship in which way."""
    guild = fares.guild_terms(game, mover)
    if guild and order.source and fares.denied(game, mover, "cancel guild shipment"):
        stopped = "A Karama keeps you from shipping across Dune or back to the reserves this time."
        return Refusal(stopped, "karama.guild-shipment")
    if why := rules_of(game, mover).shipping_refusal(game, order, on_guild_terms=guild):
        return why
    if order.target and (why := lands_at_anothers(game, mover, board.territory_of(order.target))):
        return why
    if order.source is None or guild:
        if order.source and order.target and board.territory_of(order.source) == board.territory_of(order.target):
            return Refusal("A shipment across Dune goes from one territory to another.", "shipment.across-dune")
        if order.target or ALLIES_GO_BACK(game.rules) or rules_of(game, mover).ships_every_way(game):
            return None
        return Refusal("In this game allies of the Guild do not ship back to their reserves.", "shipment.guild-ally")
    if order.target is None:
        whose = "the Guild and its allies ship" if ALLIES_GO_BACK(game.rules) else "the Guild ships"
        return Refusal(f"Only {whose} tokens back to the reserves.", "shipment.no-return")
    return Refusal("Only the Guild and its allies ship from one territory to another.", "shipment.to-one-territory")


def lands_at_anothers(game: Game, shipper: Faction, territory: TerritoryId) -> Refusal | None:
    """Why the shipment may not land where only one faction lands, and it is not the shipper."""
    for owner in factions_with(game, FactionRules.landing_refusal):
        if owner != shipper and (why := rules_of(game, owner).landing_refusal(game, shipper, territory)):
            return why
    return None


def lands_anywhere(game: Game, mover: Faction) -> bool:
    """Whether the mover's reserves may be shipped to any territory."""
    return all(_refuse_way(game, mover, Ship(ONE, None, TERRITORIES[goal].areas[0])) is None for goal in STRONGHOLDS)


def goes_back(game: Game, mover: Faction) -> bool:
    """Whether the mover may ship tokens back to the reserves."""
    return _refuse_way(game, mover, Ship(ONE, board.POLAR_SINK, None)) is None


def refuse_storm(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    """Why the storm forbids this shipment, or None."""
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
        return Refusal(f"You have {reserves} in reserve, not {order.forces}.", "shipment.from-reserve")
    here = game.here(order.source, mover)
    if here.covers(order.forces):
        return None
    return Refusal(f"You have {here} in {_name(order.source)}, not {order.forces}.", "shipment.across-dune")


# --- The price -------------------------------------------------------------------------------------------------------


def allies(game: Game, mover: Faction) -> list[Faction]:
    """Who may help to pay."""
    return [ally for ally in game.state.ally_group(mover) if ally != mover]


def means(game: Game, mover: Faction) -> int:
    """What the mover can pay, with what the allies have filed so far for this shipment."""
    return pledges.means(game, mover, _pledged(game, mover))


def _pledged(game: Game, mover: Faction) -> dict[Faction, int]:
    filed = {ally: game.filed.get((ally, "ally-support", mover), ()) for ally in allies(game, mover)}
    return {ally: orders[-1].amount for ally, orders in filed.items() if orders and isinstance(orders[-1], Support)}


def _refuse_price(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    cost, spice = fares.price(game, mover, order), means(game, mover)
    if cost <= spice or (_karama_helps(game, mover, order) and fares.price(game, mover, order, karama=True) <= spice):
        return None
    most = affordable(game, mover, order, spice)
    enough = f"so at most {most} token{'s' if most != 1 else ''}" if most else "not enough for one token"
    with_help = " with your ally's help" if _pledged(game, mover) else ""
    return Refusal(f"That costs {cost} spice; you have {spice}{with_help}, {enough}.", "shipment.price-covered")


def affordable(game: Game, mover: Faction, order: Ship, spice: int) -> int:
    """How many of the tokens so much spice pays for the same way."""
    if fares.price(game, mover, order) <= spice:
        return order.forces.total
    stronghold = order.target is None or TERRITORIES[board.territory_of(order.target)].kind == "stronghold"
    for_two = (1 if stronghold else 2) * (1 if fares.at_guild_rate(game, mover) else 2)
    return spice * 2 // for_two


def _karama_helps(game: Game, mover: Faction, order: Ship) -> bool:
    """Whether they can rely on a Karama for half the price, their own or one that another player means for it
    (WBC.IX.11, WBC.AID.35, FAQ.KARAMA.1)."""
    payer = slot_of(game).karama_of or mover
    return (
        fares.off_planet(game, mover, order)
        and not fares.guild_terms(game, mover)
        and karama_card(game, payer) is not None
    )


def _name(area: Area) -> str:
    return board.area_name(area)


OPTIONS = (OUT_OF_STORM, ALLIES_GO_BACK)
