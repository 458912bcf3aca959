"""The powers of the Ixians: Suboids and Cyborgs, the Hidden Mobile Stronghold, and their part in the auction.

Clauses: IT.SETUP-IX, IT.HMS, IT.BID, IT.FORCE, IT.IX-KARAMA.

First treachery cards (IT.SETUP-IX.7 to 9): the Ixians look at one card for each faction and keep one of them. The rest
are shuffled and dealt to the others, one each. Harkonnen's second card is drawn from the deck after that. In some
rule sets, it is one of the cards that the Ixians look at instead.

The look before the auction (IT.BID.1 to 7): the Ixians look at one more card than will be sold, and return one of them
to the deck. They then know where the returned card is, and which cards are on sale, but not in which order. All others
learn only that a card went back, and to which end of the deck. A Karama may prevent the look before it happens
(IT.IX-KARAMA.5).

Technology (IT.BID.8 to 11): once in a bidding phase the Ixians may swap a card of their hand for the next card on sale.
They are asked before each card comes up, and before anybody looks at it, until they have used the swap. If they have
waived the swap for the phase, they are not asked again, but there is still a pause before each card. Everybody learns
that they have swapped, and before which card, but not the names of the cards. A Karama may stop the swap when it is
announced (FAQ.KARAMA-IXI.7).

The ally's redraw (IT.BID.12 to 15, FAQ.IXIANS.1): an ally of the Ixians who has just bought a card may look at it,
discard it and take the top card of the deck instead. Everybody else learns only whether the card was kept or discarded,
and the name of a discarded card. A Karama may stop the exchange when it is announced (FAQ.KARAMA-IXI.6).

Suboids for Cyborgs (IT.FORCE.6, IT.FORCE.7): after a battle that the Ixians have won, they may send surviving Suboids
to the tanks in place of Cyborgs that they have lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from rules import orders as o
from rules.chapters import battle_list, battle_strength
from rules.chapters.battle_list import BattleQuestion
from rules.chapters.bidding import auction_of
from rules.components import FACTION_FACTS, Card, CardKind, Faction, Forces, card_kind, the_faction
from rules.components.board import TerritoryId
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, Stop, ask, ask_one
from rules.decisions.windows import IXIANS_HAVE_TECHNOLOGY, window
from rules.factions import mobile_stronghold
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Viewer
from rules.state.game import Game
from rules.state.moments import BattleMoment

EVERY_CARD_IS_SEEN = Option("ix_starting_pool", {"one_a_faction": False, "all_cards_dealt": True})
"""True if the Ixians look at as many cards as are dealt, and therefore at two for a faction that starts with two
(IT.SETUP-IX.8)."""

CARD_RANKING: tuple[frozenset[CardKind], ...] = (
    frozenset({"karama"}),
    frozenset({"lasgun"}),
    frozenset({"shield", "snooper", "shield-snooper"}),
    frozenset({"projectile-weapon", "poison-weapon", "poison-blade", "poison-tooth", "artillery-strike"}),
)
"""The order in which the Ixians keep cards by default, the best first. Special cards follow, and worthless cards come
last."""


def rank_of_card(card: Card) -> int:
    kind = card_kind(card)
    last = len(CARD_RANKING) + (kind == "worthless")
    return next((place for place, kinds in enumerate(CARD_RANKING) if kind in kinds), last)


def deal_first_cards(game: Game, faction: Faction) -> Flow:
    box = game.state.box
    first = {other: _number_in_the_pool(game, other) for other in game.order_of_play()}
    while len(box.dealt_cards) < sum(first.values()) and (card := game.draw_treachery()) is not None:
        box.dealt_cards.append(card)
    seen = sorted(box.dealt_cards)
    game.tell("first-cards-seen", faction=faction, cards=len(seen), private={faction: {"cards": seen}})
    order = yield from ask_one(FirstCardQuestion(game, faction))
    kept = order.card if isinstance(order, o.StartWith) else min(seen, key=rank_of_card)
    rest, box.dealt_cards = box.dealt_cards, []
    rest.remove(kept)
    game.player(faction).hand.append(kept)
    game.chance.shuffle("first-cards", rest)
    for other, number in first.items():
        number -= other == faction
        game.player(other).hand.extend(rest[:number])
        rest = rest[number:]


def _number_in_the_pool(game: Game, faction: Faction) -> int:
    return FACTION_FACTS[faction].starting_cards if EVERY_CARD_IS_SEEN(game.rules) else 1


class FirstCardQuestion(Question):
    kind = "starting-card"
    only_refusal = Refusal("Only the Ixians can choose their first card.", "setup.first-card")

    def refusal(self, order: o.Order) -> Refusal | None:
        seen = self.game.state.box.dealt_cards
        if isinstance(order, o.StartWith) and order.card in seen:
            return None
        return Refusal(f"Your choice is {', '.join(sorted(seen))}: keep one of them.", "setup.first-card")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        """Accept any card in an order that is sent ahead, because nobody knows yet which cards there will be."""
        return None if faction in factions_with(game, FactionRules.deals_cards) else cls.only_refusal

    @property
    def default(self) -> o.Order:
        return o.StartWith(min(sorted(self.game.state.box.dealt_cards), key=rank_of_card))

    def samples(self) -> Sequence[o.Order]:
        return [o.StartWith(card) for card in sorted(set(self.game.state.box.dealt_cards))]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"cards": sorted(self.game.state.box.dealt_cards)}


def look_before_auction(game: Game, faction: Faction, number: int) -> Flow:
    moment = auction_of(game)
    if not number:
        return
    moment.look_due = True
    game.tell("auction-look-due", faction=faction, cards=number + 1)
    yield from window(game, "auction-look", lambda: not moment.look_cancelled, by=faction)
    moment.look_due = False
    if moment.look_cancelled:
        return
    while len(moment.looked_at) <= number and (card := game.draw_treachery()) is not None:
        moment.looked_at.append(card)
    seen = sorted(moment.looked_at)
    game.tell("auction-looked", faction=faction, cards=len(seen), private={faction: {"cards": seen}})
    if len(seen) > number:
        order = yield from ask_one(ReturnQuestion(game, faction))
        if isinstance(order, o.PutBack):
            _put_back(game, faction, order)
    moment.cards, moment.looked_at = moment.looked_at, []
    moment.known, moment.known_to = sorted(moment.cards), faction
    game.chance.shuffle("auction-row", moment.cards)


def _put_back(game: Game, faction: Faction, order: o.PutBack) -> None:
    moment = auction_of(game)
    moment.looked_at.remove(order.card)
    game.put_in_deck(order.card, top=order.top, known=True)
    moment.returned = "top" if order.top else "bottom"
    game.tell("auction-returned", faction=faction, where=moment.returned, private={faction: {"card": order.card}})


def weakest_card(cards: Sequence[Card]) -> Card:
    return max(sorted(cards), key=rank_of_card)


class ReturnQuestion(Question):
    kind = "auction-return"
    only_refusal = Refusal("Only the Ixians can put a card back before the auction.", "bidding.look")

    @property
    def _seen(self) -> list[Card]:
        return auction_of(self.game).looked_at

    def refusal(self, order: o.Order) -> Refusal | None:
        if isinstance(order, o.PutBack) and order.card in self._seen:
            return None
        return Refusal(f"You see {', '.join(sorted(self._seen))}: put one of them back.", "bidding.look")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        """Accept any card in an order that is sent ahead, because nobody knows yet which cards they will see."""
        moment = game.moments.auction
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        if moment is not None and moment.number:
            return Refusal("The auction has begun; no card can go back now.", "bidding.look")
        return None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        return None if faction in factions_with(game, FactionRules.draws_row) else cls.only_refusal

    @property
    def default(self) -> o.Order:
        return o.PutBack(weakest_card(self._seen), top=False)

    def samples(self) -> Sequence[o.Order]:
        return [o.PutBack(card, top) for card in sorted(set(self._seen)) for top in (True, False)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"cards": sorted(self._seen)}


SWAPS_BLIND = Option("technology_blind", {"yes": True, "no": False})
"""True if the Ixians swap without having seen the next card (IT.BID.9)."""


def technology_is_used(game: Game) -> bool:
    return game.state.box.technology_used == game.state.turn


def swap_before_card(game: Game, faction: Faction) -> Flow:
    if not IXIANS_HAVE_TECHNOLOGY(game.rules):
        return
    hand = game.player(faction).hand
    answers = yield from ask(
        lambda: [TechnologyQuestion(game, faction)] if hand and not technology_is_used(game) else []
    )
    order = answers.of(faction)
    if isinstance(order, o.Swap):
        yield from _swap_card(game, faction, order.card)


def _swap_card(game: Game, faction: Faction, card: Card) -> Flow:
    moment, hand = auction_of(game), game.player(faction).hand
    moment.swapping = True
    game.tell("technology-announced", faction=faction, number=moment.number)
    yield from window(game, "technology", lambda: moment.swapping, by=faction, number=moment.number)
    game.state.box.technology_used = game.state.turn
    if not moment.swapping or card not in hand:
        moment.swapping = False
        return
    moment.swapping = False
    got, moment.cards[0] = moment.cards[0], card
    hand.remove(card)
    hand.append(got)
    if moment.known_to == faction:
        moment.known.remove(got)
        moment.known = sorted([*moment.known, card])
    moment.swapped = moment.number
    game.tell("technology-used", faction=faction, number=moment.number, private={faction: {"gave": card, "got": got}})


class TechnologyQuestion(Question):
    kind = "technology"
    forgiven = True
    default = o.NoSwap()

    def __init__(self, game: Game, faction: Faction) -> None:
        super().__init__(game, faction)
        self.waived = o.NoSwapAll() in game.held.get(faction, ())

    only_refusal = Refusal("Only the Ixians can swap a card for one that will be sold.", "bidding.technology")

    def refusal(self, order: o.Order) -> Refusal | None:
        if not isinstance(order, o.Swap) or order.card in self.game.player(self.faction).hand:
            return None
        return Refusal(f"You do not hold {order.card}.", "bidding.technology")

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return IXIANS_HAVE_TECHNOLOGY(rules)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        if technology_is_used(game):
            return Refusal("You have already used Technology in this bidding phase.", "bidding.technology-once")
        return cls(game, faction).refusal(order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        return None if faction in factions_with(game, FactionRules.before_card_up) else cls.only_refusal

    def samples(self) -> Sequence[o.Order]:
        hand = sorted(set(self.game.player(self.faction).hand))
        return [o.NoSwap(), o.NoSwapAll(), *(o.Swap(card) for card in hand)]

    @property
    def facts(self) -> Mapping[str, Any]:
        moment = auction_of(self.game)
        seen = {} if SWAPS_BLIND(self.game.rules) else {"next": moment.cards[0]}
        last = moment.number + len(moment.cards) - 1
        return {"number": moment.number, "of": last, "waived": self.waived, **seen}


REDRAW_AFTER_KARAMA = Option("redraw_after_karama", {"yes": True, "no": False})
"""True if a card that was bought with a Karama may also be exchanged (IT.BID.14)."""
REDRAW_BEFORE_BONUS = Option("redraw_before_bonus", {"yes": True, "no": False})
"""True if the exchange comes before the free card that the buyer draws after the purchase (IT.BID.15)."""

ONLY_ALLIES_REDRAW = Refusal("Only an ally of the Ixians can exchange a card that they have bought.", "bidding.redraw")


def redraw_after_sale(game: Game, faction: Faction, buyer: Faction, *, bonus_drawn: bool) -> Flow:
    moment = auction_of(game)
    card = moment.bought
    if card is None or not game.state.allied(faction, buyer) or bonus_drawn == REDRAW_BEFORE_BONUS(game.rules):
        return
    if moment.bought_by_karama and not REDRAW_AFTER_KARAMA(game.rules):
        return

    def build() -> list[Question]:
        return [RedrawQuestion(game, buyer, card)] if game.holds(buyer, card) else []

    answers = yield from ask(build)
    if isinstance(answers.of(buyer), o.Redraw):
        yield from _redraw_card(game, faction, buyer, card)
    else:
        game.tell("bought-card-kept", faction=buyer, number=moment.number)


def _redraw_card(game: Game, faction: Faction, buyer: Faction, card: Card) -> Flow:
    moment = auction_of(game)
    moment.redrawing = True
    game.tell("redraw-announced", faction=buyer, number=moment.number)
    yield from window(game, "redraw", lambda: moment.redrawing, by=faction, ally=buyer, number=moment.number)
    goes = moment.redrawing and game.holds(buyer, card)
    moment.redrawing = False
    if not goes:
        return
    game.discard(buyer, card)
    drawn = game.draw_treachery()
    if drawn is not None:
        game.player(buyer).hand.append(drawn)
    game.tell("redrawn", faction=buyer, number=moment.number, discarded=card, private={buyer: {"card": drawn}})


class RedrawQuestion(Question):
    kind = "redraw"
    default = o.NoRedraw()

    def __init__(self, game: Game, faction: Faction, card: Card) -> None:
        super().__init__(game, faction)
        self._card = card

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        able = factions_with(game, FactionRules.after_sale)
        return None if any(game.state.allied(giver, faction) for giver in able) else ONLY_ALLIES_REDRAW

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        others = [giver for giver in factions_with(game, FactionRules.after_sale) if giver != faction]
        return None if others else ONLY_ALLIES_REDRAW

    def samples(self) -> Sequence[o.Order]:
        return [o.NoRedraw(), o.Redraw()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"card": self._card, "number": auction_of(self.game).number}


def exchange_after_losses(game: Game, battle: BattleMoment, faction: Faction, lost: Forces) -> Flow:
    """Let the winner exchange any number of surviving Suboids for lost Cyborgs, one for one, unless a Karama stops it
    (FAQ.KARAMA-IXI.4)."""
    most = _most_exchanged(game, battle, faction, lost)
    if not most:
        return
    battle.exchanging = True
    about = {"by": faction, "territory": battle.territory, "most": most}
    yield from window(game, "exchange", lambda: "exchange" not in battle.cancelled, **about)
    battle.exchanging = False
    if "exchange" in battle.cancelled or not _most_exchanged(game, battle, faction, lost):
        return
    order = yield from ask_one(ExchangeQuestion(game, battle, faction, lost))
    number = order.number if isinstance(order, o.Exchange) else 0
    if number:
        _exchange_suboids(game, battle, faction, number)
    game.tell("exchanged", faction=faction, number=number, territory=battle.territory)


def _most_exchanged(game: Game, battle: BattleMoment, faction: Faction, lost: Forces) -> int:
    """Return the number of tokens that can be exchanged. There may be fewer Cyborgs in the tanks than were lost,
    because a Tleilaxu Ghola may have revived some in the meantime."""
    standing = battle_strength.forces_in(game, battle, faction).ordinary
    return min(lost.elite, game.player(faction).tanks.elite, standing)


def _exchange_suboids(game: Game, battle: BattleMoment, faction: Faction, number: int) -> None:
    player = game.player(faction)
    for area in battle.areas:
        here = min(number, game.here(area, faction).ordinary)
        game.kill(area, faction, Forces(here))
        player.tanks -= Forces(0, here)
        game.put(area, faction, Forces(0, here))
        number -= here


class ExchangeQuestion(BattleQuestion):
    kind = "exchange"
    only_refusal = Refusal("Only the Ixians can exchange Suboids for Cyborgs.", "battle.exchange")

    def __init__(self, game: Game, battle: BattleMoment, faction: Faction, lost: Forces) -> None:
        super().__init__(game, battle, faction)
        self._lost = lost

    @property
    def _most(self) -> int:
        return _most_exchanged(self.game, self.battle, self.faction, self._lost)

    def refusal(self, order: o.Order) -> Refusal | None:
        if isinstance(order, o.NoExchange) or (isinstance(order, o.Exchange) and 0 <= order.number <= self._most):
            return None
        return Refusal(f"You may exchange 0 to {self._most} of them.", "battle.exchange")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        return cls.never_legal(game, faction, order) or battle_list.refusal_without_battle(game, faction)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        return None if cls in rules_of(game, faction).own_questions else cls.only_refusal

    @property
    def default(self) -> o.Order:
        return o.Exchange(self._most)

    def samples(self) -> Sequence[o.Order]:
        return [*(o.Exchange(number) for number in range(self._most, 0, -1)), o.NoExchange()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "most": self._most}


ALLIES_LAND = Option("hms_direct_arrival", {"ixians_only": False, "allies_too": True})
"""True if allies of the Ixians may also ship into the Hidden Mobile Stronghold (IT.HMS.17)."""
ONE_CYBORG_A_TURN = Option("cyborg_revival_limit", {"none": False, "one_a_turn": True})
"""True if only one Cyborg comes back in a turn (IT.FORCE.16)."""
KEPT_ON_FOOT = Option("karama_cyborg_speed", {"leaves_ornithopters": False, "takes_ornithopters": True})
"""True if the Karama that limits the far moves of Cyborgs also takes away ornithopters (IT.FORCE.12)."""
NEEDS_FORCE_FOR_KARAMA = Option("karama_hms_needs_force", {"yes": True, "no": False})
"""True if the Ixians need a token inside the stronghold even for their special Karama (IT.IX-KARAMA.2)."""

CYBORG_LOAD = 3
CYBORG_WALK = 2


class Ixians(FactionRules):
    # --- decisions of the faction ------------------------------------------------------------------------------------

    own_questions = (
        *mobile_stronghold.QUESTIONS,
        FirstCardQuestion,
        ReturnQuestion,
        TechnologyQuestion,
        ExchangeQuestion,
    )

    own_karama: ClassVar[tuple[o.KaramaEffect, ...]] = ("hms",)

    # --- set-up ------------------------------------------------------------------------------------------------------

    def deals_cards(self, game: Game) -> Flow:
        return deal_first_cards(game, self.faction)  # IT.SETUP-IX.7

    # --- bidding -----------------------------------------------------------------------------------------------------

    def draws_row(self, game: Game, number: int) -> Flow:
        """Look at one more card than will be sold, and return one to the deck (IT.BID.1)."""
        return look_before_auction(game, self.faction, number)

    def before_card_up(self, game: Game) -> Flow:
        return swap_before_card(game, self.faction)  # IT.BID.8

    def after_sale(self, game: Game, buyer: Faction, *, bonus_drawn: bool) -> Flow:
        return redraw_after_sale(game, self.faction, buyer, bonus_drawn=bonus_drawn)  # IT.BID.12

    # --- revival -----------------------------------------------------------------------------------------------------

    starred_token_price = 3

    def revives_one_starred(self, rules: RuleSet) -> bool:
        return ONE_CYBORG_A_TURN(rules)  # IT.FORCE.16

    # --- shipment and movement ---------------------------------------------------------------------------------------

    far_walk_topic = "movement.far-with-cyborgs"

    far_move_karama = "cancel cyborg speed"

    def walks(self, forces: Forces) -> int:
        """Return two territories for a group with a Cyborg in it, one for any other group (IT.FORCE.10)."""
        return CYBORG_WALK if forces.elite else 1

    def flies_when_kept_short(self, rules: RuleSet) -> bool:
        """Return whether the Ixians may still use ornithopters when a Karama limits their far moves (IT.FORCE.12)."""
        return not KEPT_ON_FOOT(rules)

    def landing_refusal(self, game: Game, shipper: Faction, territory: TerritoryId) -> Refusal | None:
        """Refuse to let other factions ship into the Hidden Mobile Stronghold (IT.HMS.16, IT.HMS.17). In some rule sets
        allies may do so."""
        if territory != mobile_stronghold.TERRITORY:
            return None
        if ALLIES_LAND(game.rules) and game.state.allied(self.faction, shipper):
            return None
        why = f"Only {the_faction(self.faction)} can ship into the Hidden Mobile Stronghold; others enter it on foot."
        return Refusal(why, "shipment.mobile-stronghold")

    def acts_before_moving(self, game: Game) -> bool:
        return self.has_karama_power(game, "hms") and not NEEDS_FORCE_FOR_KARAMA(game.rules)

    # --- battle ------------------------------------------------------------------------------------------------------

    ordinary_counts_half = True

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        return 1 if "cyborgs" in battle.cancelled else 2  # IT.FORCE.1, IT.FORCE.2

    def losses_unless_told(self, losses: Sequence[Forces]) -> Forces:
        """Return the losses with the fewest tokens, because the exchange that follows can save Cyborgs (IT.FORCE.5)."""
        return min(losses, key=lambda lost: (lost.total, lost.elite))

    def after_losses(self, game: Game, battle: BattleMoment, lost: Forces) -> Flow:
        return exchange_after_losses(game, battle, self.faction, lost)  # IT.FORCE.6

    # --- collection --------------------------------------------------------------------------------------------------

    def carries(self, forces: Forces, rate: int) -> int:
        """Return the spice that the tokens can carry. A Cyborg carries three, regardless of the rate for other tokens
        (IT.FORCE.13)."""
        return rate * forces.ordinary + CYBORG_LOAD * forces.elite

    # --- the end of a turn -------------------------------------------------------------------------------------------

    def asked_when_turn_ends(self, game: Game) -> Sequence[Question]:
        return mobile_stronghold.move_questions(game, self.faction)  # IT.ORDER.2

    def when_turn_ends(self, game: Game, order: o.Order | None) -> Iterable[Stop]:
        mobile_stronghold.keep_decision(game, order)
        return ()

    # --- visibility --------------------------------------------------------------------------------------------------

    def shown_of(self, game: Game, viewer: Viewer) -> Mapping[str, Any]:
        return {"technology_used": technology_is_used(game)}  # IT.BID.11

    def shown_to_all(self, game: Game, viewer: Viewer) -> Mapping[str, Any]:
        """Return the public result of the look before the auction. For the Ixians themselves, add their secret
        knowledge of the cards on sale and the deck (IT.BID.4, IT.BID.5)."""
        moment, knows = game.moments.auction, viewer in (self.faction, "gm")
        known = [{"card": one.card, "where": one.where} for one in game.state.box.deck_known]
        found: dict[str, Any] = {"deck_known": known if knows else None}
        if moment is not None:
            seen = sorted(moment.looked_at) or moment.known
            found["auction"] = {
                "returned": moment.returned,
                "swapped": moment.swapped,
                "known": list(seen) if knows else None,
            }
        return found

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    powers_taken_by = (
        "cancel auction look",
        "cancel cyborg speed",
        "cancel cyborgs",
        "cancel exchange",
        "cancel hms move",
        "cancel redraw",
        "cancel technology",
    )
