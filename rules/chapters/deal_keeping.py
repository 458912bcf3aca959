"""Deals with terms as time goes by: what they wait for comes, or breaks them, or their last turn ends.

Each is looked at where the game comes to a stop, from what everybody can see. When its condition comes true its two
parties are reminded, its escrow is owed, and its spice moves as all spice of deals does (``rules.chapters.deals``).
That a deal was broken undoes nothing: its breach is legal, is noted, and what waited for it in escrow goes back. How
deals ended is told to the two, and to everybody when the game is over.
"""

from __future__ import annotations

from typing import Any

from rules.chapters.deals import PAID_AT_ONCE, pay_debt
from rules.chapters.public_facts import count, truth
from rules.components import Faction
from rules.orders.conditions import Condition, as_facts
from rules.state.game import Game
from rules.state.state import Deal, DealStage, Terms

RUNNING: tuple[DealStage, ...] = ("waiting", "due")
"""The stages in which a deal has not ended."""


def look(game: Game) -> None:
    """See what has become of the deals since the last time."""
    for deal in game.state.deals:
        if deal.terms and deal.terms.stage in RUNNING:
            _look_at(game, deal, deal.terms)


def _look_at(game: Game, deal: Deal, terms: Terms) -> None:
    count(game, terms)
    if terms.stage == "waiting" and _is_so(game, terms, terms.condition):
        _fall_due(game, deal, terms)
    elif _is_so(game, terms, terms.broken_if):
        _end(game, deal, terms, "broken")
    if terms.stage == "due" and _has_paid(deal, terms):
        _end(game, deal, terms, "kept")


def _is_so(game: Game, terms: Terms, condition: Condition | None) -> bool:
    return condition is not None and truth(game, condition, terms.counts) is True


def _has_paid(deal: Deal, terms: Terms) -> bool:
    """Whether a deal that waited to be paid is, and nothing can break it any more."""
    return terms.released and terms.broken_if is None and not deal.pays


def _fall_due(game: Game, deal: Deal, terms: Terms) -> None:
    """What the deal waited for has come: its two are reminded of it, and pay."""
    terms.stage = "due"
    game.tell("deal-due", audience=deal.parties, **_facts(deal), condition=as_facts(terms.condition))
    _release(game, deal, terms)


def _release(game: Game, deal: Deal, terms: Terms) -> None:
    """What was set aside is owed now, and what is owed is paid where the rule set lets spice move."""
    for payer, amount in terms.escrow.items():
        deal.pays[payer] = deal.pays.get(payer, 0) + amount
    terms.released = bool(deal.pays)
    if PAID_AT_ONCE(game.rules):
        for debtor in deal.parties:
            pay_debt(game, deal, debtor)


def end_those_of_this_turn(game: Game) -> None:
    """A Collection: deals whose last turn this is end, before its debts are paid."""
    for deal in game.state.deals:
        terms = deal.terms
        if terms and terms.stage in RUNNING and 0 < terms.until <= game.state.turn:
            _look_at(game, deal, terms)
            if terms.stage in RUNNING:
                _run_out(game, deal, terms)


def _run_out(game: Game, deal: Deal, terms: Terms) -> None:
    """The last turn of the deal is over, and what would have broken it has not come."""
    if terms.stage == "waiting":
        _end(game, deal, terms, "lapsed")
        return
    if terms.escrow and not terms.released:
        _release(game, deal, terms)
    if not deal.pays:
        _end(game, deal, terms, "kept" if terms.broken_if else "over")
    else:
        terms.broken_if, terms.until = None, 0  # a debt stays due, however long the deal stood
        terms.released = True


def end_all(game: Game) -> None:
    """The game ends, and with it all deals; from now on everybody knows those with terms, and what became of them."""
    ended = [(deal, deal.terms) for deal in game.state.deals if deal.terms]
    for deal, terms in ended:
        if terms.stage in RUNNING:
            _end(game, deal, terms, _at_the_end(deal, terms))
        _give_back(game, terms)
    if ended:
        deals = [{**_facts(deal), "how": terms.stage, "secret": terms.secret} for deal, terms in ended]
        game.tell("deals-told", deals=deals)


def _at_the_end(deal: Deal, terms: Terms) -> DealStage:
    if terms.stage == "waiting":
        return "lapsed"
    if deal.pays:
        return "unpaid"
    return "kept" if terms.broken_if or terms.released else "over"


def _end(game: Game, deal: Deal, terms: Terms, how: DealStage) -> None:
    """The deal ends; escrow that is not owed goes back, and what was never due is not owed."""
    if terms.stage == "waiting":
        deal.pays.clear()
    back = {} if terms.released and how != "unpaid" else _give_back(game, terms)
    terms.stage = how
    game.tell("deal-ended", audience=deal.parties, **_facts(deal), how=how, back=back)


def _give_back(game: Game, terms: Terms) -> dict[Faction, int]:
    """What is in escrow goes back to whose it is; how much that was."""
    back, terms.escrow = terms.escrow, {}
    for payer, amount in back.items():
        game.gain(payer, amount)
    return back


def _facts(deal: Deal) -> dict[str, Any]:
    return {"parties": list(deal.parties), "text": deal.text, "turn": deal.turn}
