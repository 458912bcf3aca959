"""The answer to ``deals``: what a player has agreed on with others, and what became of it.

Only the deals of the one who asks are told, and what is offered to them or by them and not answered.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.wording.sentences import say
from rules.chapters.deal_terms import owes
from rules.components import Faction
from rules.orders import Deal as Offered
from rules.orders.conditions import as_facts
from rules.state.state import Deal, Offer, State


def deals_of(state: State, faction: Faction) -> str:
    """All deals of a player, a line each, the oldest first; then what waits for an answer."""
    made = [_made(deal, faction) for deal in state.deals if faction in deal.parties]
    waiting = list(_waiting(state.offers, faction))
    return "\n".join(made + waiting) or say("own-deals.nothing")


def _made(deal: Deal, faction: Faction) -> str:
    terms = deal.terms
    (other,) = (party for party in deal.parties if party != faction)
    return say(
        "own-deals.made",
        turn=deal.turn,
        other=other,
        text=deal.text,
        secret=bool(terms and terms.secret),
        condition=as_facts(terms.condition) if terms else None,
        broken_if=as_facts(terms.broken_if) if terms else None,
        escrow=dict(terms.escrow) if terms else {},
        until=terms.until if terms else 0,
        stage=terms.stage if terms else "due",
        pays={payer: amount for payer in deal.parties if (amount := owes(deal, payer))},
    )


def _waiting(offers: list[Offer], faction: Faction) -> Iterator[str]:
    for offer in offers:
        order = offer.order
        if isinstance(order, Offered) and faction in (offer.giver, order.faction):
            text = " ".join(order.text.split())
            yield say("own-deals.offered", giver=offer.giver, receiver=order.faction, text=text)
