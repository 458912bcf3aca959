"""The moments within a phase: the auction, the slot of a player who ships and moves, the worm, the battle.

A moment exists while its flow runs, and is gone at the end of the phase. Cards and powers that are played at a stop can
read and change it. For example, a Karama finds there the Voice that it cancels.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, get_args

import msgspec
from msgspec import field

from rules.components import Card, Faction, Leader
from rules.components.board import Area, TerritoryId
from rules.components.factions import TechToken
from rules.orders import KaramaEffect, Plan, Prescience, Ship, Voice


class StormMoment(msgspec.Struct):
    """The storm round. ``distance`` is the distance that the storm moves, once it is known. ``cards_over`` lists the
    storm cards that can no longer be played."""

    distance: int | None = None
    cards_over: list[Card] = field(default_factory=list)


class StrongholdMoment(msgspec.Struct):
    way: tuple[Area, ...]
    cancelled: bool = False  # by a Karama


class SpiceMoment(msgspec.Struct):
    """The spice blow.

    ``worms`` is the number of worms in the current blow. ``blows_to_come`` is true if another card may still be turned.
    ``pile_had_nexus`` and ``turn_had_nexus`` are true if a worm of the current blow, or of this turn, has called a
    nexus. ``nexus_due`` is true if there will be a nexus at the end of the phase. ``rides_due`` lists the worms that
    are ridden after that nexus.
    """

    worms: int = 0
    piles_to_come: int = 0
    blows_to_come: bool = True
    pile_had_nexus: bool = False
    turn_had_nexus: bool = False
    nexus_due: bool = False
    rides_due: list[WormMoment] = field(default_factory=list)
    thumper_time: bool = False  # a Thumper may be played instead of the next card
    thumped: bool = False  # a Thumper was played
    laid: tuple[Area, int] | None = None  # the blow that a Harvester may double, and its spice

    def begin_pile(self, piles_to_come: int) -> None:
        self.worms, self.piles_to_come, self.pile_had_nexus = 0, piles_to_come, False


class WormMoment(msgspec.Struct):
    """A worm that has appeared and may still be ridden or devour something.

    - ``territory`` is the worm's territory. It is None if there has been no blow where it could appear, or if the
      Fremen have not placed it yet.
    - ``beneath`` is the territory of the last blow on its pile.
    - ``directed`` means that it is an additional worm, which the Fremen send where they like.
    - ``called`` means that the Fremen have called it with their special Karama.
    - ``fed`` lists the allies whose tokens its commander lets it devour.
    - ``ridden_later`` and ``ate`` keep track of the ride and of the devouring if a nexus comes between them.
    """

    territory: TerritoryId | None = None
    beneath: TerritoryId | None = None
    directed: bool = False
    called: bool = False
    unprotected: list[Faction] = field(default_factory=list)  # factions that lost their protection to a Karama
    fed: list[Faction] = field(default_factory=list)
    ridden_later: bool = False
    ate: bool = False


class MadeBid(msgspec.Struct, frozen=True):
    """A bid that has been made. An ``amount`` of None is higher than every number. A planned Karama, and the card that
    will serve as it, are secret."""

    bidder: Faction
    amount: int | None
    karama: bool = False
    card: Card | None = None


class AuctionMoment(msgspec.Struct):
    cards: list[Card] = field(default_factory=list)  # dealt but not sold yet; the first is up
    number: int = 0  # which card is up, from 1
    up_at: int = 0  # how many events came before it was up
    coming: bool = False  # the card comes next and is not up yet
    bids: list[MadeBid] = field(default_factory=list)  # on this card; the last is the top bid
    passed: list[Faction] = field(default_factory=list)  # since the top bid
    out: list[Faction] = field(default_factory=list)  # factions that may no longer bid on this card
    support: dict[Faction, int] = field(default_factory=dict)  # what each faction lets its allies spend on this card
    selling: bool = False  # the top bidder is paying for the card that is up
    sold: bool = False  # the top bidder has paid
    payment_cancelled: bool = False  # by a Karama: the payment for the card that is up goes to the bank
    free_card_due: bool = False  # Harkonnen have bought a card and will draw another
    free_card_cancelled: bool = False
    bought: Card | None = None  # the last card sold
    bought_by_karama: bool = False
    look_due: bool = False  # a player is about to look at the cards for sale, and can still be stopped
    look_cancelled: bool = False  # by a Karama
    looked_at: list[Card] = field(default_factory=list)  # drawn and looked at, until one of them goes back
    returned: Literal["top", "bottom"] | None = None  # where the returned card went
    known: list[Card] = field(default_factory=list)  # the cards for sale, unordered, and the factions that know them
    known_to: Faction | None = None
    swapping: bool = False  # a player is about to swap a card with the one that is up, and can still be stopped
    swapped: int | None = None  # the card before which the swap happened
    redrawing: bool = False  # a player is about to exchange the card just bought, and can still be stopped

    @property
    def top(self) -> MadeBid | None:
        return self.bids[-1] if self.bids else None

    def next_card(self) -> None:
        self.number += 1
        self.begin_anew()

    def begin_anew(self, out: Collection[Faction] = ()) -> None:
        """Restart the auction of the current card, without bids and pledges. The factions in ``out`` may not bid on
        it."""
        self.bids, self.passed, self.out, self.support = [], [], list(out), {}
        self.selling = self.sold = self.payment_cancelled = False


SlotStage = Literal["between slots", "shipment", "reactions", "advisor", "movement", "revival"]
"""The stage of a player's slot.

The stages are the shipment, the time for reactions, the advisor that may go with it, the move, and the revival of a
leader at the end.
"""

Place = Literal["ahead", "here", "passed"]
"""The state of a player who may choose when to go: their proper place in the order of play is still ahead, has come
although they want to wait, or has passed."""

_ORDER: Mapping[SlotStage, int] = {stage: number for number, stage in enumerate(get_args(SlotStage))}


class SlotMoment(msgspec.Struct):
    """The movement round: the player and stage of the current slot, and everything that is remembered from one slot to
    the next.

    - ``flying`` lists the players whose groups go by ornithopter this round.
    - ``support`` is the spice that each of the mover's allies lets the mover spend on the shipment.
    - ``paid`` is each payer's share of the price of the shipment, and ``credited`` is the part of the price that the
      receiver already has.
    - ``last_mover`` is the player whose slot ended last, until the next player has declared a shipment.
    - ``late_mover`` is the same player, while a Hajr of theirs is carried out after the next slot has begun.
    - ``fought`` lists, by territory, the factions that Bene Gesserit tokens have met there as enemies.
    - ``vacated`` lists the territories that all factions in ``fought`` have left.
    """

    mover: Faction | None = None
    stage: SlotStage = "between slots"
    flying: list[Faction] = field(default_factory=list)
    support: dict[Faction, int] = field(default_factory=dict)
    shipment: Ship | None = None
    price: int = 0
    paid: dict[Faction, int] = field(default_factory=dict)
    credited: int = 0
    karama_ready: bool = False  # the shipper intends to halve the price by a Karama
    karama_card: Card | None = None  # the card to serve as that Karama, if one was named
    karama_of: Faction | None = None  # the player of that Karama, if not the shipper
    halved: bool = False  # a Karama has halved the price
    stopped: bool = False  # by a Karama
    denied: list[KaramaEffect] = field(default_factory=list)  # what Karamas forbid the mover
    declared_anew: bool = False  # a Karama has undone the shipment; its shipper may declare another
    far_mover: Faction | None = None  # the faction whose declared far move can still be cut short
    advisor: Area | None = None
    advisor_cancelled: bool = False
    move_declared: bool = False  # the mover has begun to declare a move, even only a Hajr's
    moved: bool = False
    done: list[Faction] = field(default_factory=list)
    last_mover: Faction | None = None
    late_mover: Faction | None = None
    fought: dict[TerritoryId, list[Faction]] = field(default_factory=dict)
    vacated: list[TerritoryId] = field(default_factory=list)
    held_to_place: list[Faction] = field(default_factory=list)  # by a Karama: factions that choose when to go
    with_ally: dict[TerritoryId, list[Faction]] = field(default_factory=dict)  # allies together at the start
    places: dict[Faction, Place] = field(default_factory=dict)  # of factions that choose when to go; none means ahead

    @property
    def moving(self) -> Faction | None:
        return self.late_mover or self.mover

    def begin(self, mover: Faction) -> None:
        self.mover, self.stage, self.move_declared, self.moved = mover, "shipment", False, False
        self.support, self.paid = {}, {}
        self.shipment, self.price, self.credited = None, 0, 0
        self.karama_ready = self.halved = self.stopped = False
        self.denied, self.declared_anew, self.far_mover = [], False, None
        self.karama_card = self.karama_of = None
        self.advisor, self.advisor_cancelled = None, False

    def declare_anew(self) -> None:
        self.stage, self.shipment, self.price, self.credited = "shipment", None, 0, 0
        self.support, self.paid = {}, {}
        self.stopped = self.declared_anew = self.karama_ready = False

    def end(self, mover: Faction) -> None:
        self.mover, self.stage = None, "between slots"
        self.shipment = self.advisor = None
        self.done.append(mover)
        self.last_mover = mover

    def begun(self, faction: Faction) -> bool:
        return faction in self.done or self.mover == faction

    def is_past(self, faction: Faction, stage: SlotStage) -> bool:
        if faction in self.done:
            return True
        if self.mover != faction:
            return False
        return self.moved if stage == "movement" else _ORDER[self.stage] > _ORDER[stage]


class Committed(msgspec.Struct, frozen=True):
    """A final battle plan: its faults have been repaired and its spice has been set aside. ``cards`` are the cards
    played, including the cheap hero. ``repairs`` lists the repairs, which are public."""

    plan: Plan
    cards: tuple[Card, ...] = ()
    repairs: tuple[str, ...] = ()


BattlePower = Literal[
    "voice", "prescience", "kwisatz haderach", "sardaukar", "fedaykin", "fremen support", "capture", "ally traitor",
    "cyborgs", "exchange",
]  # fmt: skip
"""A power that works in one battle, and that a Karama can cancel there."""


class BattleMoment(msgspec.Struct):
    """One battle. ``sides`` are the aggressor and the defender, and ``areas`` are the areas whose tokens take part.

    ``asker`` is the faction that uses prescience, and ``questioned`` is the fighter who must answer. ``forced`` lists
    the fighters whose plan a Karama has revealed. ``capturing`` is true from the draw of a captive until the captor has
    decided what happens to them.
    """

    territory: TerritoryId
    areas: tuple[Area, ...]
    sides: tuple[Faction, Faction]
    stage: Literal["voice", "prescience", "plans", "resolution"] = "voice"
    voice: Voice | None = None
    voice_at: int = 0  # the number of the Voice's event: the earlier of two bonds wins
    question: Prescience | None = None
    asker: Faction | None = None
    questioned: Faction | None = None
    bound: dict[Faction, Plan] = field(default_factory=dict)  # the plan as answered; the answered parts are binding
    cancelled: set[BattlePower] = field(default_factory=set)  # by a Karama
    forced: list[Faction] = field(default_factory=list)
    committed: dict[Faction, Committed] = field(default_factory=dict)
    leaders: Literal["as usual", "waived", "required"] = "as usual"  # by consent, or because one player refused
    winner: Faction | None = None
    calls_open: bool = False  # Mentat asks the fighters and their allies whether they call treachery
    betrayed_for_ally: bool = False  # a treachery called for an ally can still be cancelled
    exchanging: bool = False  # an exchange of lost tokens is coming, and a Karama can still stop it
    capturing: bool = False
    captive: Leader | None = None  # the leader drawn; also None if there was none to draw
    tooth_withheld: bool = False  # the player who showed a Poison Tooth does not use it
    tooth_used: bool = False

    def opponent(self, faction: Faction) -> Faction:
        return self.sides[1] if faction == self.sides[0] else self.sides[0]

    def committed_cards(self, faction: Faction) -> tuple[Card, ...]:
        """Return the cards in the faction's final plan. Nobody can take these cards (AH.SHIELD.HAR.KARAMA-b)."""
        return self.committed[faction].cards if faction in self.committed else ()


class GiftMoment(msgspec.Struct):
    """A gift of spice to an ally that has been accepted but not paid yet."""

    giver: Faction
    receiver: Faction
    cancelled: bool = False  # by a Karama


class FlipMoment(msgspec.Struct):
    territory: TerritoryId
    advisors: bool
    cancelled: bool = False  # by a Karama


Returning = Literal["tokens", "leaders", "cards"]
"""The kinds of revival; ``cards`` means revival by a card."""


class EarlyOffer(msgspec.Struct, frozen=True):
    """The price at which a leader may come back early. If ``leader`` is None, the price is for the Kwisatz Haderach."""

    by: Faction
    leader: Leader | None
    price: int


class Moments(msgspec.Struct):
    """The moments that are in progress now. Those that are not in progress are None."""

    storm: StormMoment | None = None
    spice: SpiceMoment | None = None
    worm: WormMoment | None = None
    auction: AuctionMoment | None = None
    slot: SlotMoment | None = None
    battle: BattleMoment | None = None
    gift: GiftMoment | None = None
    charity_cancelled: list[Faction] = field(
        default_factory=list
    )  # by a Karama: factions with charity whatever they hold
    flip: FlipMoment | None = None
    stronghold: StrongholdMoment | None = None
    amal_time: bool = False  # the phase has just begun
    battles_begun: bool = False  # the battles of the turn are listed
    transfers_open: bool = False  # the stop of the Collection at which everybody may give
    worthless_played_by: Faction | None = None  # a worthless card was played as a Karama and can still be cancelled
    karama_cancelled: bool = False
    tokens_come_back: bool = False  # players choose the tokens that come back
    no_extra_revival: list[Faction] = field(default_factory=list)  # by a Karama: factions whose ally would pay
    no_revival: dict[Faction, tuple[Returning, ...]] = field(default_factory=dict)  # what a Karama leaves in the tanks
    unpaid_revival: list[Faction] = field(default_factory=list)  # by a Karama: the bank gets their payment
    full_price: list[Faction] = field(default_factory=list)  # by a Karama: factions that otherwise revive for half
    leader_back: list[Faction] = field(default_factory=list)  # factions that have revived their one leader of the turn
    barred_leaders: list[Leader] = field(default_factory=list)  # by a Karama: not to enter the service of others
    tokens_are_back: bool = False
    limits_stay: bool = False  # by a Karama: everybody's limit is three, and nobody can raise it
    revival_done: list[Faction] = field(default_factory=list)  # factions that have finished their revival
    early_offers: dict[Faction, EarlyOffer] = field(default_factory=dict)  # by the faction that gets the offer
    early_agreed: EarlyOffer | None = None  # accepted, and can still be stopped
    token_pays: TechToken | None = None  # about to pay, and can still be stopped
    ghola_wanted: Leader | None = None  # about to enter the service of others, and can still be stopped
    dancer_going_back: bool = False  # a face dancer is about to be exchanged, and can still be stopped
    newcomers: list[TerritoryId] = field(default_factory=list)  # territories that tokens entered after a battle
