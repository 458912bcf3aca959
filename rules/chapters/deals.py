"""Deals and the Emperor's gifts (AH.XIII.C, D; AH.SHIELD.EMP.ALLY; WBC.HR.5; WBC.XIII; WBC.MISC.4; FAQ.BRIBERY.1).

A deal binds from the moment it is public. The rule set says when its spice is paid: at once, in the next collection
round, or at once but in front of the receiver's shield, where it waits for the next Mentat Pause. An offer is private
until it is accepted, and players pay nothing before they say yes.

Terms (AH.XIII.D; GF9.BRIBE.3; FAQ.BRIBERY.2): a deal consists of words and spice. Its spice falls due at once, or when
a condition comes true. The condition must be one that everybody can check. Until then the spice may be held in escrow,
and it is returned if the condition never comes true. A deal may name what breaks it, and the last turn in which it is
valid. According to the rule books, a deal is always announced. A secret deal is therefore only a note between two
players: Mentat stores it, but no spice is paid for it.

Compliance: at each stop Mentat compares every deal that has terms with the public position. The condition may have come
true, the deal may have been broken, or its last turn may have ended. When the condition comes true, both parties are
reminded, the escrow falls due, and the spice is paid as in any other deal. Breaking a deal is legal and undoes nothing:
the breach is recorded, and the escrow is returned. The two parties learn how their deal ended; everybody else learns it
when the game is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from rules.chapters import public_facts
from rules.chapters.bidding import held_for_bid
from rules.chapters.public_facts import condition_is_true, count_facts
from rules.chapters.setup import MAX_TURNS
from rules.components import Faction, the_faction
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow, Question
from rules.decisions.windows import karama_can, window
from rules.orders import Accept, Deal, Decline, EmperorGives, Give, Order, PhaseName
from rules.orders.readings import MOST_FACTS, DealCondition, as_facts, facts_of
from rules.rulesets.options import Option, switch
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import GiftMoment
from rules.state.state import Bribe, DealStage, Offer, Terms
from rules.state.state import Deal as AnnouncedDeal

LONGEST_TEXT = 500
FOR_CARDS_REVIVAL_SHIPMENT: tuple[PhaseName, ...] = ("bidding", "revival", "movement")
AT_ANY_TIME: tuple[PhaseName, ...] = get_args(PhaseName)

PAID_AT_ONCE = Option("spice_transfer_timing", {"immediate": True, "collection": False, "mentat_pause_escrow": True})
"""True if the spice of a deal is paid when the deal is made."""
WAITS_FOR_PAUSE = Option(
    "spice_transfer_timing", {"immediate": False, "collection": False, "mentat_pause_escrow": True}
)
"""True if spice from others waits in front of its receiver's shield until the Mentat Pause."""
GIFT_PHASES = Option(
    "emperor_transfer",
    {"cards_revival_shipment": FOR_CARDS_REVIVAL_SHIPMENT, "to_ally": AT_ANY_TIME, "to_ally_any_reason": AT_ANY_TIME},
)
AMOUNT_IS_PUBLIC = Option("transfer_amount", {"public": True, "private": False})
DEALS_ARE_MADE = Option("bribery", {"allowed": True, "forbidden": False}, usual="allowed")
ALLIES_MAKE_DEALS = switch("deals_between_allies")


class OfferQuestion(Question):
    """Asks the receiver of an offer whether they accept it. Only the two parties know about the question."""

    kind = "offer"
    public = False
    default = Decline()

    def __init__(self, game: Game, giver: Faction, order: Give | Deal | EmperorGives, subject: str) -> None:
        super().__init__(game, order.faction, subject)
        self.giver = giver
        self.order = order

    def barred(self) -> Refusal | None:
        return None

    def refusal(self, order: Order) -> Refusal | None:
        return self.barred() if isinstance(order, Accept) else None

    def samples(self) -> Sequence[Order]:
        return [Decline()] if self.barred() else [Accept(), Decline()]


def make_offer(game: Game, giver: Faction, order: Deal | EmperorGives) -> Flow:
    before = [offer.number for offer in game.state.offers if _between(offer) == (giver, order.faction)]
    game.state.offers.append(Offer(giver, order, max(before, default=0) + 1))
    receiver, about = order.faction, _about(giver, order)
    game.tell("offer-made", audience=[giver, receiver], giver=giver, receiver=receiver, **about)
    yield from ()


def _between(offered: Offer) -> tuple[Faction, Faction]:
    return (offered.giver, offered.order.faction)


def open_offers(game: Game) -> list[Question]:
    """Return the questions about open offers, which are asked alongside the other questions of the stop. The giver's
    ability to pay stays secret until the offer is accepted."""
    return [StandingOffer(game, offered) for offered in game.state.offers] if game.state.offers else []


class StandingOffer(OfferQuestion):
    """The question about a deal or an Emperor's gift that is still unanswered. It is asked alongside the questions of
    each stop."""

    beside = True
    at_once = True

    def __init__(self, game: Game, offered: Offer) -> None:
        super().__init__(game, offered.giver, offered.order, f"{offered.giver} {offered.number}")
        self.offered = offered

    def barred(self) -> Refusal | None:
        order = self.offered.order
        if isinstance(order, EmperorGives):
            return _gift_barred(self.game, self.giver, order)
        if refusal := no_dealings(self.game, self.faction, self.giver):
            return refusal
        return _check_due(self.game, order.faction, order.you_pay, order.you_escrow, self.giver, order)

    @property
    def facts(self) -> Mapping[str, Any]:
        return _about(self.giver, self.offered.order)

    def carry_out(self, order: Order) -> Flow:
        return _settled(self.game, self.offered, isinstance(order, Accept))


def _about(giver: Faction, order: Deal | EmperorGives) -> dict[str, Any]:
    if isinstance(order, EmperorGives):
        return {"what": "gift", "from": giver, "amount": order.amount}
    text = " ".join(order.text.split())
    spice = {"they_pay": order.i_pay, "you_pay": order.you_pay}
    return {"what": "deal", "from": giver, "text": text, **spice, **terms_told(giver, order)}


def _settled(game: Game, offered: Offer, accepted: bool) -> Flow:
    game.state.offers.remove(offered)
    giver, order = offered.giver, offered.order
    if not accepted:
        what = _about(giver, order)["what"]
        game.tell("offer-declined", audience=[giver, order.faction], by=order.faction, what=what, giver=giver)
    elif _fails(game, giver, order):
        what = _about(giver, order)["what"]
        game.tell("offer-failed", audience=[giver, order.faction], giver=giver, receiver=order.faction, what=what)
    elif isinstance(order, EmperorGives):
        yield from _give_gift(game, giver, order)
    else:
        _strike_deal(game, giver, order)
    yield from ()


def _give_gift(game: Game, giver: Faction, order: EmperorGives) -> Flow:
    """Pay the Emperor's gift, unless a Karama stops it and the rule set allows that (FAQ.KARAMA-EMP.2)."""
    if karama_can(game.rules, "cancel gift"):
        interrupted = game.moments.gift
        gift = game.moments.gift = GiftMoment(giver, order.faction)
        yield from window(game, "gift", lambda: not gift.cancelled, by=giver, receiver=order.faction)
        game.moments.gift = interrupted
        if gift.cancelled:
            return
        if _fails(game, giver, order):
            receiver = order.faction
            game.tell("offer-failed", audience=[giver, receiver], giver=giver, receiver=receiver, what="gift")
            return
    transfer_spice(game, giver, order.amount, order.faction, "gift")


def _fails(game: Game, giver: Faction, order: Deal | EmperorGives) -> bool:
    if isinstance(order, EmperorGives):
        return gift_refusal(game, giver, order) is not None
    return _deal_barred(game, giver, order) is not None


# --- the Emperor to their ally ---------------------------------------------------------------------------------------


def gift_refusal(game: Game, faction: Faction, order: EmperorGives) -> Refusal | None:
    return _gift_barred(game, faction, order) or _check_payment(game, faction, order.amount, order.faction)


def never_gives(game: Game, faction: Faction, order: EmperorGives) -> Refusal | None:
    if rules_of(game, faction).gives_to_allies(game):
        return None
    why = "Only the Emperor can give spice at any time; others can do so only in the Collection."
    return Refusal(why, "deals.gift-at-any-time")


def _gift_barred(game: Game, faction: Faction, order: EmperorGives) -> Refusal | None:
    if refusal := never_gives(game, faction, order):
        return refusal
    if not game.plays(order.faction) or not game.state.allied(faction, order.faction):
        why = f"You are not allied with {the_faction(order.faction)}; you can give to others only in the Collection."
        return Refusal(why, "deals.gift-to-ally")
    if game.state.phase not in GIFT_PHASES(game.rules):
        why = "You can give to your ally only for cards, revival and shipment: in bidding, revival and movement."
        return Refusal(why, "deals.gift-for-what")
    return None


def transfer_spice(game: Game, payer: Faction, amount: int, receiver: Faction, why: str) -> None:
    """Move spice between players. The amount is private if the rule set says so (WBC.XIII.3)."""
    game.pay(payer, amount, receiver)
    if AMOUNT_IS_PUBLIC(game.rules):
        game.tell("spice-given", payer=payer, receiver=receiver, why=why, amount=amount)
    else:
        known = {"amount": amount}
        game.tell("spice-given", payer=payer, receiver=receiver, why=why, private={payer: known, receiver: known})


def pass_on_spice(game: Game, payer: Faction, amount: int, receiver: Faction, why: str) -> None:
    """Pay the spice of a deal or gift to the receiver, or place it in front of their shield until the Mentat Pause
    (FAQ.BRIBERY.1, FAQ.CHARITY.1). The Emperor's gifts to an ally are always paid at once (FAQ.EMPEROR.1)."""
    if not WAITS_FOR_PAUSE(game.rules) or gives_freely(game, payer, receiver):
        transfer_spice(game, payer, amount, receiver, why)
        return
    game.pay(payer, amount)
    game.state.bribes.append(Bribe(payer, receiver, amount))
    game.tell("spice-set-aside", payer=payer, receiver=receiver, why=why, amount=amount)


def take_bribes(game: Game) -> None:
    """Move the spice in front of the shields behind them, at the beginning of a Mentat Pause (FAQ.BRIBERY.1)."""
    waiting = game.state.bribes
    if not waiting:
        return
    game.state.bribes = []
    for receiver in game.order_of_play():
        amount = sum(bribe.spice for bribe in waiting if bribe.receiver == receiver)
        if amount:
            game.gain(receiver, amount)
            game.tell("bribes-taken", faction=receiver, amount=amount)


def gives_freely(game: Game, giver: Faction, receiver: Faction) -> bool:
    return game.state.allied(giver, receiver) and rules_of(game, giver).gives_to_allies(game)


def all_may_deal(game: Game) -> bool:
    return DEALS_ARE_MADE(game.rules) and ALLIES_MAKE_DEALS(game.rules)


def no_dealings(game: Game, one: Faction, other: Faction) -> Refusal | None:
    """Return the publicly known reason why the two factions cannot make deals or give spice to each other, or None if
    they can (GF9.BRIBE.1)."""
    if not DEALS_ARE_MADE(game.rules):
        return Refusal("There are no deals or bribes in this game.", "deals.forbidden")
    if game.state.allied(one, other) and not ALLIES_MAKE_DEALS(game.rules):
        why = f"You are allied with {the_faction(other)}; only players who are not allied can make deals."
        return Refusal(why, "deals.between-allies")
    return None


def _check_payment(game: Game, payer: Faction, amount: int, receiver: Faction | None) -> Refusal | None:
    spice = game.player(payer).spice
    if amount < 1:
        return Refusal("Say how much spice, 1 or more.", "deals.amount")
    if amount > spice:
        return Refusal(f"That takes {amount} spice; you have {spice}.", "deals.spice-in-a-deal")
    if held_for_bid(game, payer, amount, receiver):
        return Refusal("A bid that you have made relies on that spice.", "bidding.own-spice")
    return None


# --- deals -----------------------------------------------------------------------------------------------------------


def deal_refusal(game: Game, faction: Faction, order: Deal) -> Refusal | None:
    return _deal_barred(game, faction, order) or comes_too_late(game, order)


def _deal_barred(game: Game, faction: Faction, order: Deal) -> Refusal | None:
    if order.faction == faction or not game.plays(order.faction):
        return Refusal("A deal must be with another player in this game.", "deals.announced")
    if refusal := no_dealings(game, faction, order.faction):
        return refusal
    spice = (order.i_pay, order.you_pay, order.i_escrow, order.you_escrow)
    if not order.text.strip() and not any(spice):
        return Refusal("Write what you have agreed; the text is announced to all.", "deals.announced")
    if len(order.text) > LONGEST_TEXT:
        return Refusal(f"Your deal has {len(order.text)} characters; the limit is {LONGEST_TEXT}.", "deals.announced")
    if min(spice) < 0:
        return Refusal("Spice in a deal must be 0 or more.", "deals.spice-in-a-deal")
    if refusal := terms_refusal(game, order):
        return refusal
    return _check_due(game, faction, order.i_pay, order.i_escrow, order.faction, order)


def _check_due(game: Game, payer: Faction, pays: int, escrow: int, to: Faction, order: Deal) -> Refusal | None:
    if order.condition is not None or not PAID_AT_ONCE(game.rules):
        pays = 0
    if escrow:
        return _check_payment(game, payer, pays + escrow, None)
    return _check_payment(game, payer, pays, to) if pays else None


def _strike_deal(game: Game, giver: Faction, order: Deal) -> None:
    """Announce an accepted deal, which is binding from now on (AH.XIII.C-a, -b; WBC.XIII.7). Only the two parties learn
    of a secret deal, and no spice is paid for it."""
    partner = order.faction
    text = " ".join(order.text.split())
    pays = {payer: amount for payer, amount in ((giver, order.i_pay), (partner, order.you_pay)) if amount}
    heard = [giver, partner] if order.secret else None
    more = terms_told(giver, order)
    game.tell("deal-made", audience=heard, parties=[giver, partner], text=text, pays=dict(pays), **more)
    deal = AnnouncedDeal((giver, partner), text, game.state.turn, pays, terms_of(game, giver, order))
    game.state.deals.append(deal)
    if deal.terms:
        for payer, amount in deal.terms.escrow.items():
            game.pay(payer, amount)
    if PAID_AT_ONCE(game.rules):
        for debtor in deal.parties:
            pay_debt(game, deal, debtor)


def pay_debt(game: Game, deal: AnnouncedDeal, debtor: Faction) -> None:
    """Pay as much of this party's debt as their spice allows; the rest remains due (A-28). The debtor's escrow is
    used first, and always covers the part of the debt for which it was set aside."""
    if deal_is_waiting(deal):
        return
    one, other = deal.parties
    receiver = other if debtor == one else one
    owed = deal.pays.get(debtor, 0)
    kept = deal.terms.escrow.pop(debtor, 0) if deal.terms and deal.terms.released else 0
    game.gain(debtor, kept)
    amount = min(owed, game.player(debtor).spice)
    if held_for_bid(game, debtor, amount, receiver):
        amount = kept
    if amount:
        pass_on_spice(game, debtor, amount, receiver, "deal")
        deal.pays[debtor] -= amount
    if not deal.pays.get(debtor):
        deal.pays.pop(debtor, None)


_GOODS = {
    "card": "Treachery cards cannot be part of a deal",
    "forces": "Tokens cannot be part of a deal",
    "leader": "Leaders cannot be part of a deal",
    "traitor": "Traitors cannot be part of a deal",
    "power": "A faction's advantages cannot be part of a deal",
}


def terms_refusal(game: Game, order: Deal) -> Refusal | None:
    if order.goods:
        return Refusal(f"{_GOODS[order.goods[0]]}: only spice can change hands.", "deals.nothing-but-spice")
    if order.secret and (order.i_pay or order.you_pay or order.i_escrow or order.you_escrow):
        why = "A deal about spice is public; leave out “secret”, or leave out the spice."
        return Refusal(why, "deals.secret")
    last = game.state.last_turn or MAX_TURNS(game.rules)
    if order.until and not game.state.turn <= order.until <= last:
        why = f"A deal must end between this turn, {game.state.turn}, and the last turn, {last}."
        return Refusal(why, "deals.terms")
    if (order.i_escrow or order.you_escrow) and order.condition is None and not (order.broken_if and order.until):
        why = "Say when the escrow is paid: “if CONDITION”, or “broken if CONDITION” with “until turn N”."
        return Refusal(why, "deals.terms")
    for condition in (order.condition, order.broken_if):
        if condition is not None and (barred := _condition_barred(game, condition)):
            return barred
    return None


def _condition_barred(game: Game, condition: DealCondition) -> Refusal | None:
    facts = facts_of(condition)
    if len(facts) > MOST_FACTS:
        return Refusal(f"A deal can depend on at most {MOST_FACTS} facts.", "deals.terms")
    for fact in facts:
        for faction in public_facts.factions_in(fact):
            if not game.plays(faction):
                return Refusal(f"Nobody plays {the_faction(faction)} in this game.", "deals.terms")
    return None


def comes_too_late(game: Game, order: Deal) -> Refusal | None:
    for condition, what in ((order.condition, "The deal's condition"), (order.broken_if, "The breach condition")):
        if condition is not None and public_facts.condition_is_true(game, condition, {}):
            why = f"{what} is already true. Add a time for the check, such as “turn {game.state.turn + 1} and …”."
            return Refusal(why, "deals.terms")
    return None


def has_terms(order: Deal) -> bool:
    """Return whether the deal contains more than words and immediate payments. Escrow counts only if there is a
    condition."""
    return bool(order.secret or order.until or order.condition or order.broken_if)


def terms_told(giver: Faction, order: Deal) -> dict[str, Any]:
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


def deal_is_waiting(deal: AnnouncedDeal) -> bool:
    return deal.terms is not None and deal.terms.stage == "waiting"


def spice_owed(deal: AnnouncedDeal, faction: Faction) -> int:
    if deal_is_waiting(deal):
        return 0
    kept = deal.terms.escrow.get(faction, 0) if deal.terms and deal.terms.released else 0
    return deal.pays.get(faction, 0) - kept


def spice_set_aside(game: Game, faction: Faction) -> int:
    return sum(deal.terms.escrow.get(faction, 0) for deal in game.state.deals if deal.terms)


RUNNING_STAGES: tuple[DealStage, ...] = ("waiting", "due")
"""The stages of a deal that has not ended."""


def look_at_deals(game: Game) -> None:
    for deal in game.state.deals:
        if deal.terms and deal.terms.stage in RUNNING_STAGES:
            _look_at_deal(game, deal, deal.terms)


def _look_at_deal(game: Game, deal: AnnouncedDeal, terms: Terms) -> None:
    count_facts(game, terms)
    if terms.stage == "waiting" and _condition_is_so(game, terms, terms.condition):
        _fall_due(game, deal, terms)
    elif _condition_is_so(game, terms, terms.broken_if):
        _end_deal(game, deal, terms, "broken")
    if terms.stage == "due" and _has_paid(deal, terms):
        _end_deal(game, deal, terms, "kept")


def _condition_is_so(game: Game, terms: Terms, condition: DealCondition | None) -> bool:
    return condition is not None and condition_is_true(game, condition, terms.counts) is True


def _has_paid(deal: AnnouncedDeal, terms: Terms) -> bool:
    return terms.released and terms.broken_if is None and not deal.pays


def _fall_due(game: Game, deal: AnnouncedDeal, terms: Terms) -> None:
    terms.stage = "due"
    game.tell("deal-due", audience=deal.parties, **_facts_of_deal(deal), condition=as_facts(terms.condition))
    _release(game, deal, terms)


def _release(game: Game, deal: AnnouncedDeal, terms: Terms) -> None:
    for payer, amount in terms.escrow.items():
        deal.pays[payer] = deal.pays.get(payer, 0) + amount
    terms.released = bool(deal.pays)
    if PAID_AT_ONCE(game.rules):
        for debtor in deal.parties:
            pay_debt(game, deal, debtor)


def end_deals_of_this_turn(game: Game) -> None:
    for deal in game.state.deals:
        terms = deal.terms
        if terms and terms.stage in RUNNING_STAGES and 0 < terms.until <= game.state.turn:
            _look_at_deal(game, deal, terms)
            if terms.stage in RUNNING_STAGES:
                _run_out(game, deal, terms)


def _run_out(game: Game, deal: AnnouncedDeal, terms: Terms) -> None:
    if terms.stage == "waiting":
        _end_deal(game, deal, terms, "lapsed")
        return
    if terms.escrow and not terms.released:
        _release(game, deal, terms)
    if not deal.pays:
        _end_deal(game, deal, terms, "kept" if terms.broken_if else "over")
    else:
        terms.broken_if, terms.until = None, 0  # a debt stays due, however long the deal lasts
        terms.released = True


def end_all_deals(game: Game) -> None:
    ended = [(deal, deal.terms) for deal in game.state.deals if deal.terms]
    for deal, terms in ended:
        if terms.stage in RUNNING_STAGES:
            _end_deal(game, deal, terms, _at_the_end(deal, terms))
        _give_back(game, terms)
    if ended:
        deals = [{**_facts_of_deal(deal), "how": terms.stage, "secret": terms.secret} for deal, terms in ended]
        game.tell("deals-told", deals=deals)


def _at_the_end(deal: AnnouncedDeal, terms: Terms) -> DealStage:
    if terms.stage == "waiting":
        return "lapsed"
    if deal.pays:
        return "unpaid"
    return "kept" if terms.broken_if or terms.released else "over"


def _end_deal(game: Game, deal: AnnouncedDeal, terms: Terms, how: DealStage) -> None:
    if terms.stage == "waiting":
        deal.pays.clear()
    back = {} if terms.released and how != "unpaid" else _give_back(game, terms)
    terms.stage = how
    game.tell("deal-ended", audience=deal.parties, **_facts_of_deal(deal), how=how, back=back)


def _give_back(game: Game, terms: Terms) -> dict[Faction, int]:
    back, terms.escrow = terms.escrow, {}
    for payer, amount in back.items():
        game.gain(payer, amount)
    return back


def _facts_of_deal(deal: AnnouncedDeal) -> dict[str, Any]:
    return {"parties": list(deal.parties), "text": deal.text, "turn": deal.turn}
