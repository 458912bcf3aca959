"""Bargains and the Emperor's gifts (AH.XIII.C, D; AH.SHIELD.EMP.ALLY; WBC.HR.5; WBC.XIII; WBC.MISC.4; FAQ.BRIBERY.1).

A deal binds from the moment that it is public, and its spice moves when the rule set lets spice move: at once, in the
next Collection, or at once to a place before the receiver's shield, where it waits for the next Mentat Pause. What is
offered is between the two until it is accepted; nothing is taken from anybody who has not said yes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from rules.chapters import deal_terms
from rules.chapters.bidding.pledges import held_for_bid
from rules.components import Faction, faction_name
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import can_do
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import Accept, Deal, Decline, EmperorGives, Give, Order, PhaseName
from rules.rulesets.options import Option, switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import GiftMoment
from rules.state.state import Bribe, Offer
from rules.state.state import Deal as AnnouncedDeal

LONGEST_TEXT = 500
FOR_CARDS_REVIVAL_SHIPMENT: tuple[PhaseName, ...] = ("bidding", "revival", "movement")
AT_ANY_TIME: tuple[PhaseName, ...] = get_args(PhaseName)

PAID_AT_ONCE = Option("spice_transfer_timing", {"immediate": True, "collection": False, "mentat_pause_escrow": True})
"""Whether the payer of a deal parts with the spice when it is struck."""
WAITS_FOR_PAUSE = Option(
    "spice_transfer_timing", {"immediate": False, "collection": False, "mentat_pause_escrow": True}
)
"""Whether spice from others waits before its receiver's shield until the Mentat Pause."""
GIFT_PHASES = Option(
    "emperor_transfer",
    {
        "cards_revival_shipment": FOR_CARDS_REVIVAL_SHIPMENT,
        "to_ally": AT_ANY_TIME,
        "to_ally_any_reason": AT_ANY_TIME,
    },
)
AMOUNT_IS_PUBLIC = Option("transfer_amount", {"public": True, "private": False})
DEALS_ARE_MADE = Option("bribery", {"allowed": True, "forbidden": False})
ALLIES_MAKE_DEALS = switch("deals_between_allies")

OPTIONS = (PAID_AT_ONCE, WAITS_FOR_PAUSE, GIFT_PHASES, AMOUNT_IS_PUBLIC, DEALS_ARE_MADE, ALLIES_MAKE_DEALS)


class OfferQuestion(Question):
    """Does the receiver accept what the giver offers? Only the two know of it."""

    kind = "offer"
    public = False

    def __init__(self, game: Game, giver: Faction, order: Give | Deal | EmperorGives, subject: str) -> None:
        super().__init__(game, order.faction, subject)
        self.giver = giver
        self.order = order

    def barred(self) -> Refusal | None:
        """Why the receiver cannot accept, where something stands in the way now."""
        return None

    def refusal(self, order: Order) -> Refusal | None:
        return self.barred() if isinstance(order, Accept) else None

    @property
    def default(self) -> Order:
        return Decline()

    def samples(self) -> Sequence[Order]:
        return [Decline()] if self.barred() else [Accept(), Decline()]


def offer(game: Game, giver: Faction, order: Deal | EmperorGives) -> Flow:
    """Put it to the other player. Nobody else learns of it and nobody waits for the answer."""
    before = [offer.number for offer in game.state.offers if _between(offer) == (giver, order.faction)]
    game.state.offers.append(Offer(giver, order, max(before, default=0) + 1))
    receiver, about = order.faction, _about(giver, order)
    game.tell("offer-made", audience=[giver, receiver], giver=giver, receiver=receiver, **about)
    yield from ()


def _between(offered: Offer) -> tuple[Faction, Faction]:
    return (offered.giver, offered.order.faction)


def offers(game: Game) -> list[Question]:
    """The offers that wait for an answer, each beside the questions of the stop.

    Whether the giver can still pay is their secret: it shows when the offer is accepted, not before.
    """
    return [StandingOffer(game, offered) for offered in game.state.offers] if game.state.offers else []


class StandingOffer(OfferQuestion):
    """A deal or a gift of the Emperor, which waits for its answer beside the questions of each stop."""

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
    return {"what": "deal", "from": giver, "text": text, **spice, **deal_terms.told(giver, order)}


def _settled(game: Game, offered: Offer, accepted: bool) -> Flow:
    """The answer to an offer. If it is no, the two know it."""
    game.state.offers.remove(offered)
    giver, order = offered.giver, offered.order
    if not accepted:
        what = _about(giver, order)["what"]
        game.tell("offer-declined", audience=[giver, order.faction], by=order.faction, what=what, giver=giver)
    elif _fails(game, giver, order):
        what = _about(giver, order)["what"]
        game.tell("offer-failed", audience=[giver, order.faction], giver=giver, receiver=order.faction, what=what)
    elif isinstance(order, EmperorGives):
        yield from _give(game, giver, order)
    else:
        _strike(game, giver, order)
    yield from ()


def _give(game: Game, giver: Faction, order: EmperorGives) -> Flow:
    """The spice moves, unless a Karama stops it where the rule set has that (FAQ.KARAMA-EMP.2)."""
    if can_do(game.rules, "cancel gift"):
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
    transfer(game, giver, order.amount, order.faction, "gift")


def _fails(game: Game, giver: Faction, order: Deal | EmperorGives) -> bool:
    """Whether the giver can no longer pay what they offered."""
    if isinstance(order, EmperorGives):
        return check_gift(game, giver, order) is not None
    return _deal_barred(game, giver, order) is not None


# --- the Emperor to their ally ---------------------------------------------------------------------------------------


def check_gift(game: Game, faction: Faction, order: EmperorGives) -> Refusal | None:
    """Why this cannot be given now, or None."""
    return _gift_barred(game, faction, order) or _check_payment(game, faction, order.amount, order.faction)


def never_gives(game: Game, faction: Faction, order: EmperorGives) -> Refusal | None:
    """Why the faction can never give without waiting for the collection, or None."""
    if rules_of(game, faction).gives_to_allies(game):
        return None
    return Refusal("Only the Emperor gives spice at any time; others give in Collection.", "deals.gift-at-any-time")


def _gift_barred(game: Game, faction: Faction, order: EmperorGives) -> Refusal | None:
    """What all can see that stands in the way of a gift."""
    if refusal := never_gives(game, faction, order):
        return refusal
    if not game.plays(order.faction) or not game.state.allied(faction, order.faction):
        why = f"{faction_name(order.faction)} are not your ally: to others you give in Collection only."
        return Refusal(why, "deals.gift-to-ally")
    if game.state.phase not in GIFT_PHASES(game.rules):
        why = "You give to your ally for cards, revival and shipment: in bidding, revival and movement."
        return Refusal(why, "deals.gift-for-what")
    return None


def transfer(game: Game, payer: Faction, amount: int, receiver: Faction, why: str) -> None:
    """Spice from one player to another; the amount is for the two alone where the rule set keeps it so (WBC.XIII.3)."""
    game.pay(payer, amount, receiver)
    if AMOUNT_IS_PUBLIC(game.rules):
        game.tell("spice-given", payer=payer, receiver=receiver, why=why, amount=amount)
    else:
        known = {"amount": amount}
        game.tell("spice-given", payer=payer, receiver=receiver, why=why, private={payer: known, receiver: known})


def pass_on(game: Game, payer: Faction, amount: int, receiver: Faction, why: str) -> None:
    """Spice of a deal, or a gift to somebody: to the receiver, or before their shield until the Mentat Pause
    (FAQ.BRIBERY.1, FAQ.CHARITY.1). What the Emperor gives to their ally never waits (FAQ.EMPEROR.1)."""
    if not WAITS_FOR_PAUSE(game.rules) or gives_freely(game, payer, receiver):
        transfer(game, payer, amount, receiver, why)
        return
    game.pay(payer, amount)
    game.state.bribes.append(Bribe(payer, receiver, amount))
    game.tell("spice-set-aside", payer=payer, receiver=receiver, why=why, amount=amount)


def take_bribes(game: Game) -> None:
    """A Mentat Pause begins: what lies before a shield joins the spice behind it (FAQ.BRIBERY.1)."""
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
    """Whether the two are allies of whom the giver may give the other spice for itself."""
    return game.state.allied(giver, receiver) and rules_of(game, giver).gives_to_allies(game)


def all_may_deal(game: Game) -> bool:
    """Whether any two players may make deals with each other, allies too."""
    return DEALS_ARE_MADE(game.rules) and ALLIES_MAKE_DEALS(game.rules)


def no_dealings(game: Game, one: Faction, other: Faction) -> Refusal | None:
    """Why the two make no deals and give each other nothing, as all can see; None where they may (GF9.BRIBE.1)."""
    if not DEALS_ARE_MADE(game.rules):
        return Refusal("There are no deals and bribes in this game.", "deals.forbidden")
    if game.state.allied(one, other) and not ALLIES_MAKE_DEALS(game.rules):
        why = f"{faction_name(other)} are your ally: only players who are not allied make deals with each other."
        return Refusal(why, "deals.between-allies")
    return None


def _check_payment(game: Game, payer: Faction, amount: int, receiver: Faction | None) -> Refusal | None:
    spice = game.player(payer).spice
    if amount < 1:
        return Refusal("Say how much spice, 1 or more.", "deals.amount")
    if amount > spice:
        return Refusal(f"That takes {amount} spice; you have {spice}.", "deals.spice-in-a-deal")
    if held_for_bid(game, payer, amount, receiver):
        return Refusal("A bid that stands counts on that spice.", "bidding.own-spice")
    return None


# --- deals -----------------------------------------------------------------------------------------------------------


def check_deal(game: Game, faction: Faction, order: Deal) -> Refusal | None:
    """Why this deal cannot be offered now, or None."""
    return _deal_barred(game, faction, order) or deal_terms.comes_too_late(game, order)


def _deal_barred(game: Game, faction: Faction, order: Deal) -> Refusal | None:
    """Why this deal cannot be made, or None."""
    if order.faction == faction or not game.plays(order.faction):
        return Refusal("A deal is with another player of this game.", "deals.announced")
    if refusal := no_dealings(game, faction, order.faction):
        return refusal
    spice = (order.i_pay, order.you_pay, order.i_escrow, order.you_escrow)
    if not order.text.strip() and not any(spice):
        return Refusal("Write what the deal is; it is read out to all.", "deals.announced")
    if len(order.text) > LONGEST_TEXT:
        return Refusal(f"Your deal has {len(order.text)} letters; it can have {LONGEST_TEXT}.", "deals.announced")
    if min(spice) < 0:
        return Refusal("Spice in a deal is 0 or more.", "deals.spice-in-a-deal")
    if refusal := deal_terms.refusal(game, order):
        return refusal
    return _check_due(game, faction, order.i_pay, order.i_escrow, order.faction, order)


def _check_due(game: Game, payer: Faction, pays: int, escrow: int, to: Faction, order: Deal) -> Refusal | None:
    """Why the payer cannot part with what the deal takes from them as it is made."""
    if order.condition is not None or not PAID_AT_ONCE(game.rules):
        pays = 0
    if escrow:
        return _check_payment(game, payer, pays + escrow, None)
    return _check_payment(game, payer, pays, to) if pays else None


def _strike(game: Game, giver: Faction, order: Deal) -> None:
    """An accepted deal is announced and binds (AH.XIII.C-a, -b; WBC.XIII.7); one that is secret stays between the two,
    and moves nothing."""
    partner = order.faction
    text = " ".join(order.text.split())
    pays = {payer: amount for payer, amount in ((giver, order.i_pay), (partner, order.you_pay)) if amount}
    heard = [giver, partner] if order.secret else None
    more = deal_terms.told(giver, order)
    game.tell("deal-made", audience=heard, parties=[giver, partner], text=text, pays=dict(pays), **more)
    deal = AnnouncedDeal((giver, partner), text, game.state.turn, pays, deal_terms.terms_of(game, giver, order))
    game.state.deals.append(deal)
    if deal.terms:
        for payer, amount in deal.terms.escrow.items():
            game.pay(payer, amount)
    if PAID_AT_ONCE(game.rules):
        for debtor in deal.parties:
            pay_debt(game, deal, debtor)


def pay_debt(game: Game, deal: AnnouncedDeal, debtor: Faction) -> None:
    """What this party still owes the other, as far as their spice reaches; the rest stays due (A-28). What they have
    set aside for it goes first, and is always there."""
    if deal_terms.is_waiting(deal):
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
        pass_on(game, debtor, amount, receiver, "deal")
        deal.pays[debtor] -= amount
    if not deal.pays.get(debtor):
        deal.pays.pop(debtor, None)
