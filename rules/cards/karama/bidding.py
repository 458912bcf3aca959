"""Karama in the bidding round: a card without paying, a look that Atreides do not get, a free card that is not drawn.

AH.AID.KARAMA.A.1-a, A.2-a, A.5-a; WBC.AID.18, 28, 29, 38; FAQ.KARAMA-EMP.1.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from rules.cards.karama.effect import Effect
from rules.chapters.bidding.bids import full_hand
from rules.chapters.bidding.card_up import HIDES_ONE_CARD, may_bid
from rules.components import Faction, faction_name
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import MadeBid

TAKES_THE_CARD_AT_ONCE = Option(
    "karama_purchase", {"infinity_bid": False, "at_end_of_auction": False, "take_at_once": True}
)
"""Whether who may bid can play the Karama at any time of the auction and have the card (FAQ.KARAMA.4)."""

OPTIONS = (TAKES_THE_CARD_AT_ONCE,)


def _check_purchase(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Only for one's own purchase, at its moment: the top bidder may still say that they mean to pay by Karama."""
    auction = game.moments.auction
    if TAKES_THE_CARD_AT_ONCE(game.rules):
        return _check_taking(game, faction)
    top = auction.top if auction else None
    if top is None or top.bidder != faction:
        why = "The top bid is not yours: bid N with karama in your turn, and the card is spent if you win."
        return Refusal(why, "karama.own-purchase" if top else "karama.when-to-purchase")
    if top.karama:
        return Refusal("Your bid is backed by a Karama already.", "karama.when-to-purchase")
    return None


def _check_taking(game: Game, faction: Faction) -> Refusal | None:
    """Why the faction cannot have the card that is up now."""
    auction = game.moments.auction
    if auction is None or not auction.cards or auction.coming or auction.selling:
        return Refusal("No card is up for bid now.", "karama.when-to-purchase")
    if (top := auction.top) is not None and top.amount is None:
        taken = "Your Karama has taken this card already."
        by_another = f"{faction_name(top.bidder)} have taken this card by a Karama."
        return Refusal(taken if top.bidder == faction else by_another, "karama.when-to-purchase")
    if game.hand_full(faction):
        return full_hand(game, faction)
    if not may_bid(game, faction):
        return Refusal("You may not bid on this card.", "karama.when-to-purchase")
    return None


def _purchase(game: Game, faction: Faction, order: Karama) -> Flow:
    """The bid that stands is now meant to be paid by the Karama, which stays in hand until the sale; or the card is
    taken over every bid, and the auction is over."""
    auction = game.moments.auction
    assert auction is not None
    if TAKES_THE_CARD_AT_ONCE(game.rules):
        auction.bids.append(MadeBid(faction, None, karama=True, card=order.card))
        game.tell("bid", faction=faction, number=auction.number, amount=None)
        return
    auction.bids[-1] = replace(auction.bids[-1], karama=True, card=order.card)
    yield from ()


def _check_look(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    blocked = game.state.sights_blocked.get("bidding cards") == game.state.turn
    if not blocked and not any(rules_of(game, other).sees_cards_for_bid(game) for other in game.state.players):
        return Refusal("Atreides are not played in this game.", "karama.look-at-cards")
    if game.state.phase not in ("charity", "bidding"):
        return Refusal("Atreides look at cards for bid in the bidding phase only.", "karama.look-at-cards")
    if blocked:
        what = "not at the next card" if HIDES_ONE_CARD(game.rules) else "at no cards for bid this turn"
        return Refusal(f"Atreides look {what} already.", "karama.look-at-all-cards")
    auction = game.moments.auction
    if auction is not None and auction.number and len(auction.cards) < 2:
        return Refusal("Atreides have looked at every card for bid of this turn.", "karama.look-at-cards")
    return None


def _block_look(game: Game, faction: Faction, order: Karama) -> Flow:
    """Atreides see none of the cards that still come up this turn (AH.QA.A.4), or only not the next one
    (FAQ.KARAMA-ATR.1)."""
    game.state.sights_blocked["bidding cards"] = game.state.turn
    yield from ()


def _check_free_card(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    auction = game.moments.auction
    if auction is None or not auction.free_card_due:
        return Refusal("Harkonnen are not about to draw a free card.", "karama.free-card")
    if auction.free_card_cancelled:
        return Refusal("This free card is cancelled already.", "karama.free-card")
    return None


def _cancel_free_card(game: Game, faction: Faction, order: Karama) -> Flow:
    """No free card for this purchase; the next purchase brings one again."""
    auction = game.moments.auction
    assert auction is not None
    auction.free_card_cancelled = True
    yield from ()


def _check_payment(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """From the moment the card is up until it is paid for."""
    auction = game.moments.auction
    paid = next((f for f in factions_with(game, FactionRules.is_paid_for_cards)), None)
    if paid is None:
        return Refusal("Nobody is paid for treachery cards in this game.", "karama.card-payment")
    if auction is None or not auction.cards or auction.coming:
        return Refusal("No card is up that could be paid for.", "karama.card-payment")
    if auction.sold:
        return Refusal("The card that was up is paid for.", "karama.card-payment")
    if auction.payment_cancelled:
        return Refusal("A Karama has done that for this card.", "karama.card-payment")
    if faction == paid:
        return Refusal("That is your own income.", "karama.card-payment")
    if auction.top is not None and auction.top.bidder == paid:
        return Refusal(f"{faction_name(paid)} pay for their own card to the bank anyway.", "karama.card-payment")
    return None


def _cancel_payment(game: Game, faction: Faction, order: Karama) -> Flow:
    """For this card alone: its price goes to the bank."""
    auction = game.moments.auction
    assert auction is not None
    auction.payment_cancelled = True
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "free card purchase": Effect(
        _check_purchase, _purchase, spent_later=True, unseen=lambda game: not TAKES_THE_CARD_AT_ONCE(game.rules)
    ),
    "block bidding cards": Effect(_check_look, _block_look),
    "cancel card payment": Effect(_check_payment, _cancel_payment),
    "cancel free card": Effect(_check_free_card, _cancel_free_card),
}
