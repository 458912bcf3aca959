"""What a deal may hang on, how long it stands, and what it cannot move (AH.XIII.D; GF9.BRIBE.3; FAQ.BRIBERY.2).

A deal is words, and spice. Its spice may fall due at once, or when a condition comes true that everybody can see; it
may be set aside in escrow until then, and comes back where the condition never does. A deal may name what breaks it,
and the last turn for which it stands. What the books call a deal is announced; so one that is secret is a note between
two, which Mentat keeps for them, and moves no spice.
"""

from __future__ import annotations

from typing import Any

from rules.chapters import public_facts
from rules.chapters.setup import MAX_TURNS
from rules.components import Faction, faction_name
from rules.orders import Deal
from rules.orders.conditions import MOST_FACTS, Condition, as_facts, facts_of
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.state import Deal as AnnouncedDeal
from rules.state.state import Terms

_GOODS = {
    "card": "Treachery cards are no part of a deal",
    "forces": "Tokens are no part of a deal",
    "leader": "Leaders are no part of a deal",
    "traitor": "Traitors are no part of a deal",
    "power": "The advantages of a faction are no part of a deal",
}


def refusal(game: Game, order: Deal) -> Refusal | None:
    """Why a deal cannot have these terms, or None."""
    if order.goods:
        return Refusal(f"{_GOODS[order.goods[0]]}: only spice changes hands by one.", "deals.nothing-but-spice")
    if order.secret and (order.i_pay or order.you_pay or order.i_escrow or order.you_escrow):
        why = "A deal about spice is announced; leave out “secret”, or leave out the spice."
        return Refusal(why, "deals.secret")
    last = game.state.last_turn or MAX_TURNS(game.rules)
    if order.until and not game.state.turn <= order.until <= last:
        why = f"It is turn {game.state.turn}, and the last is {last}: a deal ends in one of these."
        return Refusal(why, "deals.terms")
    if (order.i_escrow or order.you_escrow) and order.condition is None and not (order.broken_if and order.until):
        why = "Say when the escrow is paid: “if CONDITION”, or “broken if CONDITION” with “until turn N”."
        return Refusal(why, "deals.terms")
    for condition in (order.condition, order.broken_if):
        if condition is not None and (barred := _barred(game, condition)):
            return barred
    return None


def _barred(game: Game, condition: Condition) -> Refusal | None:
    """Why a deal cannot hang on this condition in this game, whatever the position."""
    facts = facts_of(condition)
    if len(facts) > MOST_FACTS:
        return Refusal(f"A deal can hang on {MOST_FACTS} facts at most.", "deals.terms")
    for fact in facts:
        for faction in public_facts.factions_in(fact):
            if not game.plays(faction):
                return Refusal(f"{faction_name(faction)} are not played in this game.", "deals.terms")
    return None


def comes_too_late(game: Game, order: Deal) -> Refusal | None:
    """Why a deal would have come to its end as soon as it was made: what it waits for is so already."""
    for condition, what in ((order.condition, "What the deal waits for"), (order.broken_if, "What would break it")):
        if condition is not None and public_facts.truth(game, condition, {}):
            why = f"{what} is so already. Say also when it is to be looked at, like “turn {game.state.turn + 1} and …”."
            return Refusal(why, "deals.terms")
    return None


def has_terms(order: Deal) -> bool:
    """Whether the deal is more than words and spice at once; escrow waits for a condition."""
    return bool(order.secret or order.until or order.condition or order.broken_if)


def told(giver: Faction, order: Deal) -> dict[str, Any]:
    """The facts of an event or a question that tell the terms; nothing for a deal without any."""
    if not has_terms(order):
        return {}
    return {
        "secret": order.secret,
        "until": order.until,
        "condition": as_facts(order.condition),
        "broken_if": as_facts(order.broken_if),
        "escrow": _escrow(giver, order),
    }


def terms_of(game: Game, giver: Faction, order: Deal) -> Terms | None:
    """The terms of a deal that is made now."""
    if not has_terms(order):
        return None
    return Terms(
        secret=order.secret,
        until=order.until,
        condition=order.condition,
        broken_if=order.broken_if,
        escrow=_escrow(giver, order),
        stage="due" if order.condition is None else "waiting",
        counted_in=game.state.turn,
        read_to=game.state.events,
    )


def _escrow(giver: Faction, order: Deal) -> dict[Faction, int]:
    sides = ((giver, order.i_escrow), (order.faction, order.you_escrow))
    return {payer: amount for payer, amount in sides if amount}


def is_waiting(deal: AnnouncedDeal) -> bool:
    """Whether what the deal pays is not due yet."""
    return deal.terms is not None and deal.terms.stage == "waiting"


def owes(deal: AnnouncedDeal, faction: Faction) -> int:
    """What the faction has to find for this deal, besides what it has set aside for it."""
    if is_waiting(deal):
        return 0
    kept = deal.terms.escrow.get(faction, 0) if deal.terms and deal.terms.released else 0
    return deal.pays.get(faction, 0) - kept


def set_aside(game: Game, faction: Faction) -> int:
    """How much spice of theirs the faction has in escrow."""
    return sum(deal.terms.escrow.get(faction, 0) for deal in game.state.deals if deal.terms)
