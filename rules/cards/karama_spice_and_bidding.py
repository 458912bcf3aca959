"""Karamas from the storm to the bidding: worms, charity, gifts, purchases, tech tokens, and looking at hidden cards.

- Storm: a Karama prevents the Fremen from looking at the next storm marker. The storm still moves as far as the marker
  says (FAQ.KARAMA-FRE.3).
- Worms: a Karama takes the benefits of a worm from the Fremen. The Fremen's special Karama calls a worm
  (AH.AID.KARAMA.A.4-a, AH.SHIELD.FRE.KARAMA, WBC.AID.31 to 34, WBC.XVII.18, FAQ.ADV-KARAMA.2 to 5).
- Spice card: a Karama prevents Atreides from looking at it (AH.AID.KARAMA.A.1-a, AH.SHIELD.ATR.2, WBC.AID.17).
- Charity: a Karama is played against a faction that always receives charity, however much spice it holds
  (FAQ.KARAMA-BG.5). It stops only the part that exceeds the charity that any poor player would get.
- Bidding: a player buys a card without paying, prevents Atreides from looking at cards, or stops the draw of a free
  card (AH.AID.KARAMA.A.1-a, A.2-a, A.5-a; WBC.AID.18, 28, 29, 38; FAQ.KARAMA-EMP.1).
- Gifts: a Karama stops one gift of spice from the Emperor to an ally in this turn (FAQ.KARAMA-EMP.2). An ally's payment
  towards a card or a shipment is not a gift, so a Karama does not stop it.
- Tech tokens: a Karama stops the payment of one token, if the rule set lets a Karama affect tech tokens (IT.TECH.20).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from rules.chapters import occupancy, spice_blow, storm
from rules.chapters.bidding import HIDES_ONE_CARD, may_bid, refusal_of_full_hand
from rules.components import Faction, the_faction
from rules.components.board import TERRITORIES
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import Effect
from rules.orders import Karama, KaramaEffect, PhaseName
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import MadeBid, WormMoment


def _check_marker_look(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    watchers = storm.about_to_look(game)
    if not watchers:
        return Refusal("Nobody is about to look at a storm marker.", "karama.storm-marker")
    if storm.look_is_blocked(game):
        return Refusal("A Karama has already blocked that look this turn.", "karama.storm-marker")
    return Refusal("That is your own marker.", "karama.storm-marker") if faction in watchers else None


def _block_marker_look(game: Game, faction: Faction, order: Karama) -> Flow:
    game.state.sights_blocked["storm card"] = game.state.turn
    yield from ()


STORM_MARKER_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel storm card": Effect(_check_marker_look, _block_marker_look)
}


ONLY_CALL = Refusal("Only the Fremen can call worms.", "karama.call-worm")


def _check_worm(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    worm = game.moments.worm
    if worm is None:
        return Refusal("There is no worm now that a Karama could take from the Fremen.", "karama.worm")
    if not spice_blow.worm_can_be_taken(game, worm):
        return Refusal("The Fremen keep control of a worm that they called with a Karama.", "karama.called-worm")
    if rules_of(game, faction).commands_worms(game):
        return Refusal("The Fremen cannot turn a worm against themselves or their ally.", "karama.worm-of-ally")
    robbable = spice_blow.who_may_lose_worm(game, worm)
    if order.faction is not None and order.faction not in robbable:
        return Refusal(f"This worm can take nothing from {the_faction(order.faction)}.", "karama.worm")
    if not robbable:
        return Refusal("No tokens of the Fremen or their ally are at the worm.", "karama.worm")
    return None


def _cancel_worm(game: Game, faction: Faction, order: Karama) -> Flow:
    """Take the power over the worm from the faction that the order names. If it names none, take it from the Fremen if
    they can lose it, else from their ally (WBC A-54)."""
    worm = game.moments.worm
    assert worm is not None
    robbed = order.faction or spice_blow.who_may_lose_worm(game, worm)[0]
    spice_blow.take_worm_from(game, worm, robbed)
    game.tell("worm-control-lost", by=faction, faction=robbed, territory=worm.territory)
    yield from ()


def _any_time(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Allow the Karama at any stop of a turn. No worm may be called to a territory in which a battle has begun, because
    only the tokens already there fight in that battle (AH.SHIELD.FRE.KARAMA-a)."""
    if game.state.phase == "setup":
        return Refusal("No worm comes before the first turn.", "karama.when-to-call-worm")
    battle = game.moments.battle
    if battle is not None and battle.territory == order.territory:
        return Refusal("A battle has begun there; call the worm before or after it.", "karama.when-to-call-worm")
    return None


def _in_spice_or_own_move(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if game.state.phase == "spice" or (game.state.phase == "movement" and slot and slot.mover == faction):
        return None
    why = "The Fremen can call a worm only in the spice round or in their own shipment and movement."
    return Refusal(why, "karama.when-to-call-worm")


def _in_spice(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if game.state.phase == "spice":
        return None
    return Refusal("The Fremen can call a worm only in the spice round.", "karama.when-to-call-worm")


MomentOfCall = Callable[[Game, Faction, Karama], Refusal | None]
WHEN_CALLED: Option[MomentOfCall] = Option(
    "fremen_karama_worm_window",
    {"any_time": _any_time, "spice_or_own_move": _in_spice_or_own_move, "spice_phase": _in_spice},
)
SAND_ONLY = Option("fremen_karama_worm_place", {"any_territory": False, "sand_only": True})


def _check_call(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if refusal := _never_called(game, faction, order):
        return refusal
    if refusal := WHEN_CALLED(game.rules)(game, faction, order):
        return refusal
    if game.moments.worm is not None and game.moments.worm.called:
        return Refusal("Decide first about the worm that you called; then call another.", "karama.when-to-call-worm")
    return None


def _never_called(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if order.territory is None:
        return Refusal("Name the territory in which the worm appears.", "karama.call-worm")
    if SAND_ONLY(game.rules) and TERRITORIES[order.territory].kind != "sand":
        return Refusal("The Fremen can call a worm only to a sand territory.", "karama.call-worm-to-sand")
    return None


def _call(game: Game, faction: Faction, order: Karama) -> Flow:
    """Call a worm. It is counted, can be ridden and devours, like any other worm.

    In the spice round the worm may bring a nexus (WBC.VII.2, WBC.HR.4b, WBC A-36, FAQ.ADV-KARAMA.3). If riders meet the
    Bene Gesserit in the movement round, the Bene Gesserit declare at once whether they coexist (WBC.XV.11).
    """
    worm = WormMoment(order.territory, called=True)
    game.tell("worm-called", faction=faction, territory=worm.territory, seen=game.state.worms_seen + 1)
    spice_blow.count_worm(game)
    brings_nexus = game.state.phase == "spice" and spice_blow.CALLED_WORM_CALLS_NEXUS(game.rules)
    yield from spice_blow.worm_comes(game, worm, brings_nexus=brings_nexus)
    if game.state.phase == "movement":
        yield from occupancy.declare_meetings(game)


WORM_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel worm": Effect(_check_worm, _cancel_worm),
    "worm": Effect(_check_call, _call, only_refusal=ONLY_CALL, never_legal=_never_called),
}


BEFORE_THE_SPICE_LOOK: tuple[PhaseName, ...] = ("storm", "spice", "charity", "bidding", "revival")


def _check_spice_look(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if not any(rules_of(game, other).sees_spice_card(game) for other in game.state.players):
        return Refusal("Nobody plays Atreides in this game.", "karama.look-at-the-spice-card")
    if game.state.phase not in BEFORE_THE_SPICE_LOOK:
        why = "Atreides look at the spice card before anybody ships; it is too late for that this turn."
        return Refusal(why, "karama.look-at-the-spice-card")
    if game.state.sights_blocked.get("spice card") == game.state.turn:
        return Refusal("A Karama has already stopped that look this turn.", "karama.look-at-the-spice-card")
    return None


def _block_spice_look(game: Game, faction: Faction, order: Karama) -> Flow:
    game.state.sights_blocked["spice card"] = game.state.turn
    yield from ()


SPICE_CARD_EFFECTS: Mapping[KaramaEffect, Effect] = {"block spice card": Effect(_check_spice_look, _block_spice_look)}


def _faction_that_always_has_it(game: Game) -> Faction | None:
    able = factions_with(game, FactionRules.always_has_charity)
    return next((faction for faction in able if rules_of(game, faction).always_has_charity(game)), None)


def _check_charity(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if game.state.phase != "charity":
        return Refusal("You can stop charity only in the charity phase.", "karama.charity")
    always = _faction_that_always_has_it(game)
    if always is None:
        return Refusal("This turn there is no unconditional charity for you to stop.", "karama.charity")
    if always in game.moments.charity_cancelled:
        return Refusal("A Karama has already done that this turn.", "karama.charity")
    return Refusal("That is your own charity.", "karama.charity") if always == faction else None


def _cancel_charity(game: Game, faction: Faction, order: Karama) -> Flow:
    always = _faction_that_always_has_it(game)
    assert always is not None
    game.moments.charity_cancelled.append(always)
    game.tell("charity-cancelled", by=faction, faction=always)
    yield from ()


CHARITY_EFFECTS: Mapping[KaramaEffect, Effect] = {"cancel charity": Effect(_check_charity, _cancel_charity)}


TAKES_THE_CARD_AT_ONCE = Option(
    "karama_purchase", {"infinity_bid": False, "at_end_of_auction": False, "take_at_once": True}
)
"""True if a player who may bid can play the Karama at any time of the auction and take the card (FAQ.KARAMA.4)."""


def _check_purchase(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Allow a Karama only for the player's own purchase. A top bidder whose bid did not include a Karama may still
    announce one, until the card is sold."""
    auction = game.moments.auction
    if TAKES_THE_CARD_AT_ONCE(game.rules):
        return _check_taking(game, faction)
    top = auction.top if auction else None
    if top is None or top.bidder != faction:
        why = "The top bid is not yours: bid N with karama on your turn, and the Karama is spent if you win."
        return Refusal(why, "karama.own-purchase" if top else "karama.when-to-purchase")
    if auction is not None and auction.selling:
        return Refusal("The card has been bought; a Karama can pay only during the sale.", "karama.when-to-purchase")
    if top.karama:
        return Refusal("A Karama already backs your bid.", "karama.when-to-purchase")
    return None


def _check_taking(game: Game, faction: Faction) -> Refusal | None:
    auction = game.moments.auction
    if auction is None or not auction.cards or auction.coming or auction.selling:
        return Refusal("No card is up for bid now.", "karama.when-to-purchase")
    if (top := auction.top) is not None and top.amount is None:
        taken = "Your Karama has already taken this card."
        by_another = f"A Karama of {the_faction(top.bidder)} has already taken this card."
        return Refusal(taken if top.bidder == faction else by_another, "karama.when-to-purchase")
    if game.hand_full(faction):
        return refusal_of_full_hand(game, faction)
    if not may_bid(game, faction):
        return Refusal("You may not bid on this card.", "karama.when-to-purchase")
    return None


def _purchase(game: Game, faction: Faction, order: Karama) -> Flow:
    """Let a Karama pay for the card. If the rule set says so, the Karama outbids everybody and ends the auction at
    once. Otherwise it covers the player's top bid and stays in their hand until the sale."""
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
        return Refusal("Nobody plays Atreides in this game.", "karama.look-at-cards")
    if game.state.phase not in ("charity", "bidding"):
        return Refusal("Atreides look at cards for bid only in the bidding phase.", "karama.look-at-cards")
    if blocked:
        what = "the next card" if HIDES_ONE_CARD(game.rules) else "the cards for bid this turn"
        return Refusal(f"A Karama has already stopped the look at {what}.", "karama.look-at-all-cards")
    auction = game.moments.auction
    if auction is not None and auction.number and len(auction.cards) < 2:
        return Refusal("Atreides have already looked at every card for bid this turn.", "karama.look-at-cards")
    return None


def _block_look(game: Game, faction: Faction, order: Karama) -> Flow:
    """Prevent Atreides from looking at the remaining cards of this turn (AH.QA.A.4), or only at the next one
    (FAQ.KARAMA-ATR.1)."""
    game.state.sights_blocked["bidding cards"] = game.state.turn
    yield from ()


def _check_free_card(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    auction = game.moments.auction
    if auction is None or not auction.free_card_due:
        return Refusal("Harkonnen are not about to draw a free card.", "karama.free-card")
    if auction.free_card_cancelled:
        return Refusal("This free card has already been cancelled.", "karama.free-card")
    return None


def _cancel_free_card(game: Game, faction: Faction, order: Karama) -> Flow:
    auction = game.moments.auction
    assert auction is not None
    auction.free_card_cancelled = True  # for this purchase; the next one brings another
    yield from ()


def _check_payment(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    auction = game.moments.auction
    paid = next((f for f in factions_with(game, FactionRules.is_paid_for_cards)), None)
    if paid is None:
        return Refusal("Nobody is paid for treachery cards in this game.", "karama.card-payment")
    if auction is None or not auction.cards or auction.coming:
        return Refusal("No card is up for bid.", "karama.card-payment")
    if auction.sold:
        return Refusal("The card that was up for bid is already paid for.", "karama.card-payment")
    if auction.payment_cancelled:
        return Refusal("A Karama has already done that for this card.", "karama.card-payment")
    if faction == paid:
        return Refusal("That is your own income.", "karama.card-payment")
    if auction.top is not None and auction.top.bidder == paid:
        return Refusal(f"For their own card, {the_faction(paid)} must pay the bank anyway.", "karama.card-payment")
    return None


def _cancel_payment(game: Game, faction: Faction, order: Karama) -> Flow:
    auction = game.moments.auction
    assert auction is not None
    auction.payment_cancelled = True
    yield from ()


BIDDING_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "free card purchase": Effect(
        _check_purchase, _purchase, spent_later=True, unseen=lambda game: not TAKES_THE_CARD_AT_ONCE(game.rules)
    ),
    "block bidding cards": Effect(_check_look, _block_look),
    "cancel card payment": Effect(_check_payment, _cancel_payment),
    "cancel free card": Effect(_check_free_card, _cancel_free_card),
}


def _check_gift(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    gift = game.moments.gift
    if gift is None or gift.cancelled:
        why = "You can stop a gift only after the ally has accepted it and before the spice moves."
        return Refusal(why, "karama.gift")
    return Refusal("That is your own gift.", "karama.gift") if gift.giver == faction else None


def _cancel_gift(game: Game, faction: Faction, order: Karama) -> Flow:
    gift = game.moments.gift
    assert gift is not None
    gift.cancelled = True
    game.tell("gift-cancelled", by=faction, giver=gift.giver, receiver=gift.receiver)
    yield from ()


GIFT_EFFECTS: Mapping[KaramaEffect, Effect] = {"cancel gift": Effect(_check_gift, _cancel_gift)}


def _check_token_payment(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    token = game.moments.token_pays
    if token is None:
        return Refusal(
            "You can stop a tech token's payment only when it is made, at the end of the phase.", "karama.token-payment"
        )
    if game.state.box.tech_tokens[token] == faction:
        return Refusal("That tech token pays you.", "karama.token-payment")
    return None


def _cancel_token_payment(game: Game, faction: Faction, order: Karama) -> Flow:
    token, game.moments.token_pays = game.moments.token_pays, None
    if token is not None:
        game.tell("token-payment-cancelled", by=faction, faction=game.state.box.tech_tokens[token], token=token)
    yield from ()


TECH_TOKEN_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel token payment": Effect(_check_token_payment, _cancel_token_payment)
}
