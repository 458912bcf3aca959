"""Shipment: tokens come to Dune, and with the Guild's help cross it or leave it (AH.IX.C.1, AH.SHIELD.GUI,
AH.SHIELD.FRE.2, WBC.IX.4 to 26).

A player declares one shipment; his allies may let him spend their spice on it at the same stop. The tokens are set
down and the price is paid, and then there is time for reactions, before anybody moves: the Guild's Karama that stops
a shipment, the shipper's own that halves the price.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from rules.chapters.bidding import pledges
from rules.chapters.movement import coexistence, fares
from rules.components import FREMEN_LANDING, Faction, Forces, board
from rules.components.board import STRONGHOLDS, TERRITORIES, Area
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.karama import karama_card, put_down
from rules.decisions.question import Flow, Question, Stop
from rules.decisions.windows import window
from rules.orders import NoShipment, Order, Ship, Support
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment
from rules.state.state import NONE

POLAR_SINK = board.territory_of(board.POLAR_SINK)


def declare(game: Game, slot: SlotMoment, mover: Faction) -> Generator[Stop, None, Ship | None]:
    """Ask for the shipment; None where there is none. The price is not paid yet."""
    answers = yield from ask(lambda: [*_support_questions(game, mover), _question(game, mover)])
    slot.support = {
        ally: order.amount
        for ally in _allies(game, mover)
        if isinstance(order := answers.of(ally, mover), Support) and order.amount
    }
    order = answers.of(mover)
    return order if isinstance(order, Ship) else None


def carry_out(game: Game, slot: SlotMoment, mover: Faction, order: Ship) -> Flow:
    """Set the tokens down, take the price, and wait for reactions."""
    slot.stage = "reactions"
    slot.shipment, slot.price = order, fares.price(game, mover, order)
    _set_down(game, mover, order)
    game.tell(
        "shipment",
        faction=mover,
        forces=str(order.forces),
        source=order.source,
        target=order.target,
        price=slot.price,
        paid_to=_paid_to(game, mover),
    )
    if fares.own_landing(mover, order):
        _land_in_storm(game, mover, order)
    elif slot.half_meant and fares.off_planet(mover, order):
        yield from pay_by_karama(game, slot, mover)
    elif not fares.charge(game, slot, mover):
        slot.half_meant = True  # he relied on his Karama and has until his move to play it
    yield from window(game, "shipment", lambda: _can_be_stopped(game, slot, mover), shipper=mover, area=order.target)
    fares.credit(game, slot, mover)


def pay_by_karama(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """Spend the Karama that was meant for this shipment; without it the full price is due or nothing is shipped."""
    if karama_card(game, mover) and (yield from put_down(game, mover, "half shipping", slot.half_card)):
        fares.halve(game, slot, mover)
    elif not fares.charge(game, slot, mover):
        fares.undo(game, slot, mover)
        game.tell("shipment-unpaid", faction=mover, forces=str(slot.shipment.forces if slot.shipment else NONE))


def owed(slot: SlotMoment) -> bool:
    """Whether the shipment still has to be paid."""
    return slot.shipment is not None and not slot.stopped and slot.price > sum(slot.paid.values())


def _set_down(game: Game, mover: Faction, order: Ship) -> None:
    if order.source is None and order.target is not None:
        game.deploy(mover, order.forces, order.target)
    elif order.source is not None and order.target is not None:
        game.shift(mover, order.forces, order.source, order.target)
    elif order.source is not None:
        game.withdraw(mover, order.forces, order.source)


def _paid_to(game: Game, mover: Faction) -> str:
    return "guild" if game.plays("guild") and mover != "guild" else "bank"


def _land_in_storm(game: Game, mover: Faction, order: Ship) -> None:
    """Half of those who land in the storm die, fractions rounded up; ordinary tokens first (WBC.IX.19)."""
    if order.target is None or board.sector_of(order.target) != game.state.storm:
        return
    losses = (order.forces.total + 1) // 2
    ordinary = min(losses, order.forces.ordinary)
    dead = Forces(ordinary, losses - ordinary)
    game.kill(order.target, mover, dead)
    game.tell("landed-in-storm", faction=mover, forces=str(dead), area=order.target)


def _can_be_stopped(game: Game, slot: SlotMoment, mover: Faction) -> bool:
    """Whether everybody can see that the Guild might stop this shipment by a Karama (AH.SHIELD.GUI.KARAMA)."""
    return (
        game.rules.karama_special == "on"
        and game.plays("guild")
        and mover not in ("guild", "fremen")
        and slot.shipment is not None
        and slot.shipment.source is None
        and not slot.stopped
    )


# --- The questions ---------------------------------------------------------------------------------------------------


def _allies(game: Game, mover: Faction) -> list[Faction]:
    return [ally for ally in game.state.ally_group(mover) if ally != mover]


def _pledged(game: Game, mover: Faction) -> dict[Faction, int]:
    """What the allies have filed so far for this shipment."""
    filed = {ally: game.filed.get((ally, "ally-support", mover), ()) for ally in _allies(game, mover)}
    return {ally: orders[-1].amount for ally, orders in filed.items() if orders and isinstance(orders[-1], Support)}


def _question(game: Game, mover: Faction) -> Question:
    player = game.player(mover)
    return Asked(
        mover,
        "shipment",
        NoShipment(),
        lambda order: check(game, mover, order),
        lambda: choices(game, mover),
        about={
            "reserves": str(player.reserves),
            "spice": player.spice,
            "half_price": fares.guild_terms(game, mover),
            "allies": _allies(game, mover),
        },
    )


def _support_questions(game: Game, mover: Faction) -> list[Question]:
    return [_support_question(game, ally, mover) for ally in _allies(game, mover)]


def _support_question(game: Game, ally: Faction, mover: Faction) -> Question:
    spice = game.player(ally).spice

    def check_support(order: Order) -> Refusal | None:
        if not isinstance(order, Support) or 0 <= order.amount <= spice:
            return None
        return Refusal(f"You have {spice} spice to help with.", "AH.XII.E.4")

    return Asked(
        ally,
        "ally-support",
        Support(0),
        check_support,
        lambda: [Support(amount) for amount in sorted({0, (spice + 1) // 2, spice})],
        subject=mover,
        about={"buyer": mover, "purpose": "shipment", "spice": spice},
        beside=True,
        leads_on=True,
    )


# --- What is legal ---------------------------------------------------------------------------------------------------


def check(game: Game, mover: Faction, order: Order) -> Refusal | None:
    """Why this shipment is not legal now, or None."""
    if not isinstance(order, Ship):
        return None
    return (
        impossible(game, mover, order)
        or _check_tokens(game, mover, order)
        or (coexistence.barred(game, mover, board.territory_of(order.target)) if order.target else None)
        or _check_price(game, mover, order)
    )


def impossible(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    """Why this shipment can never be legal in this round, whatever happens before it."""
    if not order.forces:
        return Refusal("A shipment needs at least one token.", "AH.IX.C.1.a-a")
    if order.source is None and order.target is None:
        return Refusal("Say where the tokens are shipped.", "AH.IX.C.1.a-a")
    return _check_kind(game, mover, order) or _check_storm(game, mover, order)


def _check_kind(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    """Who may ship in which way."""
    guild = fares.guild_terms(game, mover)
    if mover == "fremen" and (order.source is None or order.target is None):
        every_way = guild and game.rules.fremen_with_guild == "any_guild_form"
        if order.target is None and not every_way:
            return Refusal("Fremen do not go back to their reserves.", "WBC.IX.22" if guild else "AH.IX.C.1.d")
        if not fares.own_landing(mover, order) and not every_way:
            why = "Fremen reserves land on The Great Flat or within two territories of it, nowhere else."
            return Refusal(why, "AH.SHIELD.FRE.2-b")
        return None
    if order.source is None or guild:
        if order.source and order.target and board.territory_of(order.source) == board.territory_of(order.target):
            return Refusal("A shipment across Dune goes from one territory to another.", "AH.SHIELD.GUI.1-b")
        return None
    if order.target is None:
        return Refusal("Only the Guild and its allies ship tokens back to their reserves.", "AH.IX.C.1.d")
    return Refusal("Only the Guild and its allies ship from one territory to another.", "AH.IX.C.1.a-a")


def _check_storm(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    storm = game.state.storm
    if order.source and board.sector_of(order.source) == storm and game.rules.guild_ship_out_of_storm == "forbidden":
        why = f"{_name(order.source)} is under the storm; nothing can be shipped out of it."
        return Refusal(why, "WBC.IX.25")
    if order.target and board.sector_of(order.target) == storm:
        if fares.own_landing(mover, order) and game.rules.fremen_ship_into_storm == "half_loss":
            return None
        return Refusal(f"{_name(order.target)} is under the storm; nothing can be shipped there.", "AH.IX.C.1.c-a")
    return None


def _check_tokens(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    if order.source is None:
        reserves = game.player(mover).reserves
        if reserves.covers(order.forces):
            return None
        return Refusal(f"You have {reserves} in reserve, not {order.forces}.", "AH.IX.C.1.a-b")
    here = game.here(order.source, mover)
    if here.covers(order.forces):
        return None
    return Refusal(f"You have {here} in {_name(order.source)}, not {order.forces}.", "AH.SHIELD.GUI.1-b")


def _check_price(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    cost = fares.price(game, mover, order)
    means = pledges.means(game, mover, _pledged(game, mover))
    if cost <= means or (_karama_helps(game, mover, order) and fares.price(game, mover, order, karama=True) <= means):
        return None
    most = _affordable(game, mover, order, means)
    enough = f"so at most {most} token{'s' if most != 1 else ''}" if most else "not enough for one token"
    allies = " with your ally's help" if _pledged(game, mover) else ""
    return Refusal(f"That costs {cost} spice; you have {means}{allies}, {enough}.", "WBC.IX.11")


def _affordable(game: Game, mover: Faction, order: Ship, means: int) -> int:
    """How many of the tokens the means pay for the same way."""
    if fares.price(game, mover, order) <= means:
        return order.forces.total
    stronghold = order.target is None or TERRITORIES[board.territory_of(order.target)].kind == "stronghold"
    for_two = (1 if stronghold else 2) * (1 if fares.guild_terms(game, mover) else 2)
    return means * 2 // for_two


def _karama_helps(game: Game, mover: Faction, order: Ship) -> bool:
    """Whether he can rely on a Karama of his own for half the price (WBC.IX.11, WBC.AID.35)."""
    return (
        fares.off_planet(mover, order) and not fares.guild_terms(game, mover) and karama_card(game, mover) is not None
    )


def _name(area: Area) -> str:
    return board.area_name(area)


# --- What might be a good idea ---------------------------------------------------------------------------------------


def choices(game: Game, mover: Faction) -> list[Order]:
    """No shipment, and some that are legal: as many tokens as can be paid, or half of that, to places worth it."""
    reserves, means = game.player(mover).reserves, pledges.means(game, mover, _pledged(game, mover))
    closed = coexistence.closed(game, mover)
    found: list[Order] = [NoShipment()]
    for target in _targets(game, mover) if reserves else ():
        order = Ship(reserves, None, target)
        if board.territory_of(target) in closed or _check_storm(game, mover, order):
            continue
        most = _affordable(game, mover, order, means)
        if most:
            found.append(order if most == reserves.total else Ship(_some(reserves, most), None, target))
        if most > 3:
            found.append(Ship(_some(reserves, most // 2), None, target))
    if fares.guild_terms(game, mover):
        found += [order for order in _guild_choices(game, mover) if check(game, mover, order) is None]
    return found


def _targets(game: Game, mover: Faction) -> Iterator[Area]:
    """Strongholds, where spice lies, the Polar Sink; for the Fremen what is in their reach."""
    anywhere = mover != "fremen" or (
        fares.guild_terms(game, mover) and game.rules.fremen_with_guild == "any_guild_form"
    )
    within_reach = TERRITORIES if anywhere else FREMEN_LANDING
    for territory in (*STRONGHOLDS, POLAR_SINK):
        if territory in within_reach:
            yield TERRITORIES[territory].areas[0]
    for area in sorted(game.state.spice):
        if board.territory_of(area) in within_reach:
            yield area
    if mover == "fremen":
        yield from TERRITORIES[board.TerritoryId("the-great-flat")].areas


def _guild_choices(game: Game, mover: Faction) -> Iterator[Ship]:
    groups = sorted(game.state.areas_of(mover), key=lambda group: -group[1].total)[:2]
    for source, forces in groups:
        yield Ship(forces, source, None)
        for territory in STRONGHOLDS:
            yield Ship(forces, source, TERRITORIES[territory].areas[0])


def _some(forces: Forces, number: int) -> Forces:
    """So many of the tokens, elite ones last."""
    ordinary = min(forces.ordinary, number)
    return Forces(ordinary, min(forces.elite, number - ordinary))
