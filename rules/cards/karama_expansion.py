"""Karamas played by or against the Ixians and the Tleilaxu.

Ixians (IT.IX-KARAMA, FAQ.KARAMA-IXI.1 to 7): their special Karama moves the Hidden Mobile Stronghold once more, during
their own shipment and movement. Any other Karama stops one use of their powers when the use is announced. No Karama
changes the battle strength of Suboids (FAQ.KARAMA-IXI.8).

Tleilaxu: a Karama stops the exchange of a face dancer in the Mentat Pause, but nothing else about face dancers
(FAQ.KARAMA-TLE.1, FAQ.KARAMA-TLE.7). A Karama also stops every way in which the Tleilaxu affect other factions'
revivals: raised limits, half prices, payments to them, leaders who come back early, and leaders who enter their service
(FAQ.KARAMA-TLE.2 to .6, IT.TL-KARAMA.4 and .5). Their special Karama stops another faction's revival (IT.TL-KARAMA.1 to
.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.chapters import revival_costs
from rules.chapters.bidding import auction_of
from rules.components import Faction, faction_name, leaders_of, the_faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import Effect
from rules.factions import mobile_stronghold
from rules.factions.ixians import NEEDS_FORCE_FOR_KARAMA
from rules.orders import Karama, KaramaEffect
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game

FARTHEST_BY_KARAMA = 2
TAKES_SPICE = Option("karama_hms_collects", {"yes": True, "no": False})
"""True if the move by special Karama also collects spice on the way (IT.IX-KARAMA.3)."""

ONLY_MOVES = Refusal("Only the Ixians can move the Hidden Mobile Stronghold with a Karama.", "karama.mobile-stronghold")


# --- by the Ixians ---------------------------------------------------------------------------------------------------


def _check_move(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot, door = game.moments.slot, game.state.door
    if slot is None or slot.mover != faction:
        why = "You can play this special Karama only during your own shipment and movement."
        return Refusal(why, "karama.mobile-stronghold")
    if refusal := mobile_stronghold.refusal_to_move_now(game, faction, needs_force=NEEDS_FORCE_FOR_KARAMA(game.rules)):
        return refusal
    if order.area is None or door is None:
        return Refusal("Say where it goes: karama hms to AREA.", "karama.mobile-stronghold")
    return mobile_stronghold.way_refusal(game, door, order.via, order.area, FARTHEST_BY_KARAMA)


def _move(game: Game, faction: Faction, order: Karama) -> Flow:
    door = game.state.door
    assert order.area is not None
    assert door is not None
    way = mobile_stronghold.best_way(game, door, order.via, order.area)
    assert way is not None
    mobile_stronghold.travel_along(game, faction, way, takes=TAKES_SPICE(game.rules))
    yield from ()


def _never_move(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if order.area is not None and mobile_stronghold.is_stronghold(order.area):
        return Refusal("The Hidden Mobile Stronghold cannot stop in another stronghold.", "hms.end")
    return None


# --- against the Ixians ----------------------------------------------------------------------------------------------


def _stopping(
    what: KaramaEffect, topic: str, is_on: Callable[[Game], bool], stop: Callable[[Game], None], why_not: str
) -> Effect:
    def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
        return None if is_on(game) else Refusal(why_not, topic)

    def play(game: Game, faction: Faction, order: Karama) -> Flow:
        stop(game)
        game.tell("ixian-power-stopped", by=faction, what=what.removeprefix("cancel "))
        yield from ()

    return Effect(check, play)


def _look_is_due(game: Game) -> bool:
    auction = game.moments.auction
    return auction is not None and auction.look_due and not auction.look_cancelled


def _stop_look(game: Game) -> None:
    auction_of(game).look_cancelled = True


def _move_is_announced(game: Game) -> bool:
    return game.moments.stronghold is not None and not game.moments.stronghold.cancelled


def _stop_move(game: Game) -> None:
    moment = game.moments.stronghold
    assert moment is not None
    moment.cancelled = True


def _swap_is_announced(game: Game) -> bool:
    return game.moments.auction is not None and game.moments.auction.swapping


def _stop_swap(game: Game) -> None:
    auction_of(game).swapping = False


def _redraw_is_announced(game: Game) -> bool:
    return game.moments.auction is not None and game.moments.auction.redrawing


def _stop_redraw(game: Game) -> None:
    auction_of(game).redrawing = False


def _exchange_is_due(game: Game) -> bool:
    battle = game.moments.battle
    return battle is not None and battle.exchanging and "exchange" not in battle.cancelled


def _stop_exchange(game: Game) -> None:
    battle = game.moments.battle
    assert battle is not None
    battle.cancelled.add("exchange")


IXIAN_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "hms": Effect(_check_move, _move, only_refusal=ONLY_MOVES, never_legal=_never_move),
    "cancel auction look": _stopping(
        "cancel auction look", "karama.auction-look", _look_is_due, _stop_look,
        "You can stop the look at the auction's cards only before the Ixians have looked.",
    ),
    "cancel hms move": _stopping(
        "cancel hms move", "karama.mobile-stronghold-stays", _move_is_announced, _stop_move,
        "You can stop the move of the Hidden Mobile Stronghold only when its route is announced.",
    ),
    "cancel technology": _stopping(
        "cancel technology", "karama.technology", _swap_is_announced, _stop_swap,
        "You can stop a swap by Technology only when it is announced.",
    ),
    "cancel redraw": _stopping(
        "cancel redraw", "karama.redraw", _redraw_is_announced, _stop_redraw,
        "You can stop a redraw only when it is announced.",
    ),
    "cancel exchange": _stopping(
        "cancel exchange", "karama.exchange", _exchange_is_due, _stop_exchange,
        "You can stop the exchange of Suboids for Cyborgs only before it is made.",
    ),
}  # fmt: skip


def _check_dancer_swap(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if not game.moments.dancer_going_back:
        return Refusal("No face dancer is being exchanged now.", "karama.dancer-swap")
    if "cancel dancer swap" in rules_of(game, faction).powers_taken_by:
        return Refusal("That is your own exchange.", "karama.dancer-swap")
    return None


def _cancel_dancer_swap(game: Game, faction: Faction, order: Karama) -> Flow:
    game.moments.dancer_going_back = False
    game.tell("dancer-swap-cancelled", by=faction)
    yield from ()


FACE_DANCER_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel dancer swap": Effect(_check_dancer_swap, _cancel_dancer_swap)
}


PROBE = 2
"""A sample price, large enough to show whether the faction pays half."""


def _seller(game: Game) -> Faction | None:
    return next(iter(factions_with(game, FactionRules.is_paid_for_revival)), None)


def _untimely(game: Game, topic: str) -> Refusal | None:
    if game.state.phase == "revival" and _seller(game) is not None:
        return None
    return Refusal("You can stop that only in the revival phase, in a game with the Tleilaxu.", topic)


# --- limits ----------------------------------------------------------------------------------------------------------


def _check_limits(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    topic = "karama.raised-limits"
    if refusal := _untimely(game, topic):
        return refusal
    now = (
        game.moments.tokens_come_back
        if revival_costs.ONE_AFTER_ANOTHER(game.rules)
        else not game.moments.tokens_are_back
    )
    if not now or game.moments.limits_stay or not (game.state.box.revival_limits or _seller_without_limit(game)):
        return Refusal("No revival limit is raised now.", topic)
    return Refusal("You raised the limits yourself.", topic) if faction == _seller(game) else None


def _seller_without_limit(game: Game) -> bool:
    seller = _seller(game)
    if seller is None or seller in game.moments.revival_done:
        return False
    return (
        game.player(seller).tanks.total > revival_costs.MOST_TOKENS
        and revival_costs.turn_limit(game, seller) > revival_costs.MOST_TOKENS
    )


def _cancel_limits(game: Game, faction: Faction, order: Karama) -> Flow:
    game.state.box.revival_limits, game.moments.limits_stay = {}, True
    game.tell("raised-limits-cancelled", by=faction, faction=_seller(game))
    yield from ()


# --- prices ----------------------------------------------------------------------------------------------------------


def _check_half_price(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    topic = "karama.half-price"
    if refusal := _untimely(game, topic):
        return refusal
    seller = _seller(game)
    target = order.faction or seller
    if faction == seller or target is None or not game.plays(target) or target in game.moments.revival_done:
        return Refusal("There is no half price for you to stop now.", topic)
    if target in game.moments.full_price:
        return Refusal("A Karama has already done that this turn.", topic)
    if revival_costs.price_due(game, target, PROBE) == PROBE:
        return Refusal(f"There is no half price for {the_faction(target)} now.", topic)
    return None


def _cancel_half_price(game: Game, faction: Faction, order: Karama) -> Flow:
    target = order.faction or _seller(game)
    assert target is not None
    game.moments.full_price.append(target)
    game.tell("half-price-cancelled", by=faction, faction=target)
    yield from ()


# --- payments --------------------------------------------------------------------------------------------------------


def _has_dead(game: Game, faction: Faction) -> bool:
    dead = any(game.state.leaders[leader].status != "ready" for leader in leaders_of(faction))
    return dead or bool(game.player(faction).tanks)


def _payers(game: Game) -> list[Faction]:
    return [
        faction
        for faction in game.order_of_play()
        if revival_costs.receiver_of_price(game, faction, faction) is not None and _has_dead(game, faction)
    ]


def _check_payment(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    topic = "karama.revival-payment"
    if refusal := _untimely(game, topic):
        return refusal
    payers = _payers(game)
    if faction == _seller(game):
        return Refusal("That payment goes to you.", topic)
    if order.faction is not None and order.faction not in payers:
        return Refusal(f"The Tleilaxu are owed nothing by {the_faction(order.faction)} now.", topic)
    if not payers:
        return Refusal("Nobody owes the Tleilaxu anything now.", topic)
    if order.faction is None and len(payers) > 1:
        names = ", ".join(faction_name(payer) for payer in payers)
        return Refusal(f"Say whose payment: karama cancel revival payment of FACTION ({names}).", topic)
    return None


def _cancel_payment(game: Game, faction: Faction, order: Karama) -> Flow:
    payer = order.faction or _payers(game)[0]
    seller = _seller(game)
    game.moments.unpaid_revival.append(payer)
    game.tell("revival-payment-cancelled", by=faction, faction=payer, receiver=seller)
    yield from ()


# --- leaders ---------------------------------------------------------------------------------------------------------


def _check_early(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    topic = "karama.early-revival"
    if (agreed := game.moments.early_agreed) is None:
        return Refusal("Nobody has agreed on an early revival.", topic)
    return Refusal("That is your own bargain.", topic) if faction == agreed.by else None


def _cancel_early(game: Game, faction: Faction, order: Karama) -> Flow:
    game.moments.early_agreed = None
    game.tell("early-revival-stopped", by=faction)
    yield from ()


def _check_service(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Return a refusal if no Karama can keep a leader out of another faction's service now, else None. The order may
    name only a leader whom the player knows to be dead, because the death of a face-down leader may be a secret."""
    topic, leader = "karama.ghola", order.leader
    if refusal := _untimely(game, topic):
        return refusal
    if leader is None:
        return Refusal("Say which leader: karama cancel ghola LEADER.", topic)
    if leader not in game.state.leaders:
        return Refusal(f"There is no {leader} in this game.", topic)
    able = [other for other in factions_with(game, FactionRules.foreign_leaders_to_revive) if other != faction]
    standing = game.state.leaders[leader]
    known = standing.status != "ready" and (not standing.seen_by or faction in standing.seen_by)
    known = known or game.moments.ghola_wanted == leader
    if not known or not any(leader in rules_of(game, other).foreign_leaders_to_revive(game) for other in able):
        return Refusal(f"{leader} cannot enter another faction's service now.", topic)
    return None


def _cancel_service(game: Game, faction: Faction, order: Karama) -> Flow:
    assert order.leader is not None
    game.moments.barred_leaders.append(order.leader)
    game.tell("ghola-cancelled", by=faction, leader=order.leader)
    yield from ()


# --- the special power -----------------------------------------------------------------------------------------------


def _check_stop_revival(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if refusal := _never_stops(game, faction, order):
        return refusal
    if game.state.phase != "revival" or order.faction in (*game.moments.revival_done, *game.moments.no_revival):
        why = "You can stop a revival only in the revival phase, before that faction has revived anything."
        return Refusal(why, "karama.stop-revival")
    return None


def _never_stops(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if order.faction is None or order.faction == faction or not game.plays(order.faction):
        return Refusal("Name another faction whose revival you want to stop this turn.", "karama.stop-revival")
    return None


def _stop_revival(game: Game, faction: Faction, order: Karama) -> Flow:
    assert order.faction is not None
    what = rules_of(game, faction).stops_of_revival(game)
    game.moments.no_revival[order.faction] = what
    game.tell("revival-stopped", by=faction, faction=order.faction)
    yield from ()


REVIVAL_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel raised limits": Effect(_check_limits, _cancel_limits),
    "cancel half price": Effect(_check_half_price, _cancel_half_price),
    "cancel revival payment": Effect(_check_payment, _cancel_payment),
    "cancel early revival": Effect(_check_early, _cancel_early),
    "cancel ghola": Effect(_check_service, _cancel_service),
    "stop revival": Effect(
        _check_stop_revival,
        _stop_revival,
        only_refusal=Refusal("Only the Tleilaxu can stop a revival with a Karama.", "karama.stop-revival"),
        never_legal=_never_stops,
    ),
}
