"""Karama and what one faction does for, or takes from, the revival of others: raised limits, half prices, payments,
leaders before their time, leaders who change their service (FAQ.KARAMA-TLE.2 to .6, IT.TL-KARAMA.4 and .5); and the
special power to stop a faction's revival (IT.TL-KARAMA.1 to .3)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.revival import costs, payment
from rules.components import Faction, faction_name, leaders_of
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

PROBE = 2
"""A price by which one can see whether it is lowered."""


def _seller(game: Game) -> Faction | None:
    """Who is paid for revivals."""
    return next(iter(factions_with(game, FactionRules.is_paid_for_revival)), None)


def _untimely(game: Game, topic: str) -> Refusal | None:
    if game.state.phase == "revival" and _seller(game) is not None:
        return None
    return Refusal("That is stopped in the revival, where the Tleilaxu play.", topic)


# --- limits ----------------------------------------------------------------------------------------------------------


def _check_limits(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    topic = "karama.raised-limits"
    if refusal := _untimely(game, topic):
        return refusal
    now = game.moments.tokens_come_back if costs.ONE_AFTER_ANOTHER(game.rules) else not game.moments.tokens_are_back
    if not now or game.moments.limits_stay or not (game.state.box.revival_limits or _seller_without_limit(game)):
        return Refusal("No limit of revival is raised now.", topic)
    return Refusal("You have raised them yourself.", topic) if faction == _seller(game) else None


def _seller_without_limit(game: Game) -> bool:
    """Whether more tokens of the one who raises limits may come back now than three, as all can see."""
    seller = _seller(game)
    if seller is None or seller in game.moments.revival_done:
        return False
    return game.player(seller).tanks.total > costs.MOST_TOKENS and costs.turn_limit(game, seller) > costs.MOST_TOKENS


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
        return Refusal("A Karama has done that this turn.", topic)
    if costs.due(game, target, PROBE) == PROBE:
        return Refusal(f"{faction_name(target)} do not revive for half the price.", topic)
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
    """Whose revival may still bring somebody spice, as all can see."""
    return [
        faction
        for faction in game.order_of_play()
        if payment.receiver(game, faction, faction) is not None and _has_dead(game, faction)
    ]


def _check_payment(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    topic = "karama.revival-payment"
    if refusal := _untimely(game, topic):
        return refusal
    payers = _payers(game)
    if faction == _seller(game):
        return Refusal("You are paid yourself.", topic)
    if order.faction is not None and order.faction not in payers:
        return Refusal(f"Nothing is to be paid to the Tleilaxu by {faction_name(order.faction)} now.", topic)
    if not payers:
        return Refusal("Nothing is to be paid to the Tleilaxu now.", topic)
    if order.faction is None and len(payers) > 1:
        names = ", ".join(faction_name(payer) for payer in payers)
        return Refusal(f"Say whose: karama cancel revival payment of FACTION ({names}).", topic)
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
        return Refusal("Nobody has agreed on an early revival now.", topic)
    return Refusal("That is your own bargain.", topic) if faction == agreed.by else None


def _cancel_early(game: Game, faction: Faction, order: Karama) -> Flow:
    game.moments.early_agreed = None
    game.tell("early-revival-stopped", by=faction)
    yield from ()


def _check_service(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Who lies face down may be a secret: named can only be who is known to the player to be dead."""
    topic, leader = "karama.ghola", order.leader
    if refusal := _untimely(game, topic):
        return refusal
    if leader is None:
        return Refusal("Say which leader: karama cancel ghola LEADER.", topic)
    if leader not in game.state.leaders:
        return Refusal(f"{leader} is no leader of this game.", topic)
    able = [other for other in factions_with(game, FactionRules.foreign_leaders_to_revive) if other != faction]
    standing = game.state.leaders[leader]
    known = standing.status != "ready" and (not standing.seen_by or faction in standing.seen_by)
    known = known or game.moments.ghola_wanted == leader
    if not known or not any(leader in rules_of(game, other).foreign_leaders_to_revive(game) for other in able):
        return Refusal(f"{leader} cannot come into the service of others now.", topic)
    return None


def _cancel_service(game: Game, faction: Faction, order: Karama) -> Flow:
    assert order.leader is not None
    game.moments.barred_leaders.append(order.leader)
    game.tell("ghola-cancelled", by=faction, leader=order.leader)
    yield from ()


# --- the special power -----------------------------------------------------------------------------------------------


def _check_stop(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if refusal := _never_stops(game, faction, order):
        return refusal
    if game.state.phase != "revival" or order.faction in (*game.moments.revival_done, *game.moments.no_revival):
        why = "A revival is stopped in its own phase, before that faction has had anything back."
        return Refusal(why, "karama.stop-revival")
    return None


def _never_stops(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if order.faction is None or order.faction == faction or not game.plays(order.faction):
        return Refusal("Say whose revival of this turn you stop, of another faction.", "karama.stop-revival")
    return None


def _stop(game: Game, faction: Faction, order: Karama) -> Flow:
    assert order.faction is not None
    what = rules_of(game, faction).stops_of_revival(game)
    game.moments.no_revival[order.faction] = what
    game.tell("revival-stopped", by=faction, faction=order.faction)
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel raised limits": Effect(_check_limits, _cancel_limits),
    "cancel half price": Effect(_check_half_price, _cancel_half_price),
    "cancel revival payment": Effect(_check_payment, _cancel_payment),
    "cancel early revival": Effect(_check_early, _cancel_early),
    "cancel ghola": Effect(_check_service, _cancel_service),
    "stop revival": Effect(
        _check_stop,
        _stop,
        only_refusal=Refusal("Only the Tleilaxu stop a revival by Karama.", "karama.stop-revival"),
        never_legal=_never_stops,
    ),
}
