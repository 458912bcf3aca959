"""What is going on within a phase: the auction, the slot, the worm, the battle.

A moment exists while its flow runs and is gone at the end of the phase. It is part of the position as far as cards
and powers played at a stop are concerned: a Karama finds the Voice to cancel here.
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
    """The storm round: how far the storm will go, once it is known, and the storm cards whose time is over."""

    distance: int | None = None
    cards_over: list[Card] = field(default_factory=list)


class StrongholdMoment(msgspec.Struct):
    """The way of the mobile stronghold is announced, and could still be stopped."""

    way: tuple[Area, ...]
    cancelled: bool = False  # by a Karama


class SpiceMoment(msgspec.Struct):
    """The spice blow: how many worms the current blow has shown, and whether another card may still be turned.

    ``pile_had_nexus`` and ``turn_had_nexus`` are whether a worm of the current blow, or of the turn, has called one.
    ``nexus_due`` is whether one is to come at the end of the phase, ``rides_due`` the worms that are ridden after it.
    """

    worms: int = 0
    piles_to_come: int = 0
    blows_to_come: bool = True
    pile_had_nexus: bool = False
    turn_had_nexus: bool = False
    nexus_due: bool = False
    rides_due: list[WormMoment] = field(default_factory=list)
    thumper_time: bool = False  # a Thumper may be played instead of the next card
    thumped: bool = False  # one was
    laid: tuple[Area, int] | None = None  # the blow that a Harvester may double, and how much it brought

    def begin_pile(self, piles_to_come: int) -> None:
        """The cards of the next pile are turned; so many piles are to come after it."""
        self.worms, self.piles_to_come, self.pile_had_nexus = 0, piles_to_come, False


class WormMoment(msgspec.Struct):
    """A worm that has appeared and has not eaten yet.

    ``territory`` is where it is (None: it had no blow to strike, or the Fremen have not placed it yet), ``beneath`` the
    last blow of its pile. ``directed`` is true for an additional worm that the Fremen send where they like, ``called``
    for one that came by their own Karama. ``fed`` are allies whom its commander lets it eat; ``ridden_later`` and
    ``ate`` part its riders from its meal where a nexus comes between them.
    """

    territory: TerritoryId | None = None
    beneath: TerritoryId | None = None
    directed: bool = False
    called: bool = False
    unprotected: list[Faction] = field(default_factory=list)  # whom a Karama robbed of protection
    fed: list[Faction] = field(default_factory=list)
    ridden_later: bool = False
    ate: bool = False


class MadeBid(msgspec.Struct, frozen=True):
    """A bid as it stands on the table; ``amount`` None is over every number. That a Karama is meant is secret,
    and so is the card that is to serve as it."""

    bidder: Faction
    amount: int | None
    karama: bool = False
    card: Card | None = None


class AuctionMoment(msgspec.Struct):
    """The bidding round."""

    cards: list[Card] = field(default_factory=list)  # dealt, still to be sold; the first is up
    number: int = 0  # which card is up, from 1
    coming: bool = False  # that card is the next one, and not up yet
    bids: list[MadeBid] = field(default_factory=list)  # on this card; the last is the top bid
    passed: list[Faction] = field(default_factory=list)  # since the top bid
    out: list[Faction] = field(default_factory=list)  # may not bid on this card any more
    support: dict[Faction, int] = field(default_factory=dict)  # what each faction lets its allies spend on this card
    selling: bool = False  # the top bidder is paying for the card that is up
    sold: bool = False  # they have paid
    payment_cancelled: bool = False  # by a Karama: what is paid for the card that is up goes to the bank
    free_card_due: bool = False  # Harkonnen have bought and will draw one more
    free_card_cancelled: bool = False
    bought: Card | None = None  # the card that was sold last
    bought_by_karama: bool = False
    look_due: bool = False  # somebody is to look at the cards before they are sold, and could still be stopped
    look_cancelled: bool = False  # by a Karama
    looked_at: list[Card] = field(default_factory=list)  # drawn and looked at, until one of them goes back
    returned: Literal["top", "bottom"] | None = None  # where that one went
    known: list[Card] = field(default_factory=list)  # which cards were to be sold, in no order, and who knows it
    known_to: Faction | None = None
    swapping: bool = False  # a card of a hand is to be swapped with the one that is up, and could still be stopped
    swapped: int | None = None  # before which card that was done
    redrawing: bool = False  # the card just bought is to be exchanged, and could still be stopped

    @property
    def top(self) -> MadeBid | None:
        """The highest bid on the card that is up."""
        return self.bids[-1] if self.bids else None

    def next_card(self) -> None:
        """The next card of the row comes up."""
        self.number += 1
        self.begin_anew()

    def begin_anew(self, out: Collection[Faction] = ()) -> None:
        """Nobody has bid on the card that is up, or pledged anything for it; ``out`` may not bid."""
        self.bids, self.passed, self.out, self.support = [], [], list(out), {}
        self.selling = self.sold = self.payment_cancelled = False


SlotStage = Literal["between slots", "shipment", "reactions", "advisor", "movement", "revival"]
"""How far the slot of a player has come: their shipment, the time for reactions to it, the advisor that may go with it,
their move, and the revival of a leader at its end."""

Place = Literal["ahead", "here", "passed"]
"""Where the proper place of a player who chooses when to go lies: still ahead; here, and they want to wait; passed."""

_ORDER: Mapping[SlotStage, int] = {stage: number for number, stage in enumerate(get_args(SlotStage))}


class SlotMoment(msgspec.Struct):
    """The movement round: whose slot it is, how far it has come, and what the round remembers between slots.

    ``flying`` are the players whose groups go by ornithopter this round. ``support`` is what the mover's allies let
    them spend on the shipment, ``paid`` who has paid how much of its price, ``credited`` how much of that its receiver
    has. ``last_mover`` is whose slot ended last, until the next player has declared a shipment; ``late_mover`` is
    the same player while a Hajr of theirs is carried out though the next slot has begun.

    What tokens that stand apart from others remember (the Bene Gesserit): ``fought`` are the factions met as enemies in
    a territory, ``vacated`` lists the territories that all those have left.
    """

    mover: Faction | None = None
    stage: SlotStage = "between slots"
    flying: list[Faction] = field(default_factory=list)
    support: dict[Faction, int] = field(default_factory=dict)
    shipment: Ship | None = None
    price: int = 0
    paid: dict[Faction, int] = field(default_factory=dict)
    credited: int = 0
    karama_ready: bool = False  # the shipper means to halve the price by a Karama
    karama_card: Card | None = None  # the card that is to serve as that Karama, where one was named
    karama_of: Faction | None = None  # who means to play that Karama, where it is not the shipper
    halved: bool = False  # a Karama has halved the price
    stopped: bool = False  # by a Karama
    denied: list[KaramaEffect] = field(default_factory=list)  # what Karamas keep the mover from
    declared_anew: bool = False  # a Karama has undone the shipment, and its shipper may declare another
    far_mover: Faction | None = None  # whose far move is declared and can still be kept short
    advisor: Area | None = None
    advisor_cancelled: bool = False
    move_declared: bool = False  # the mover has begun to say what moves, be it only a Hajr's move
    moved: bool = False
    done: list[Faction] = field(default_factory=list)
    last_mover: Faction | None = None
    late_mover: Faction | None = None
    fought: dict[TerritoryId, list[Faction]] = field(default_factory=dict)
    vacated: list[TerritoryId] = field(default_factory=list)
    held_to_place: list[Faction] = field(default_factory=list)  # by a Karama, of those who choose when to go
    with_ally: dict[TerritoryId, list[Faction]] = field(default_factory=dict)  # allies together as the round began
    places: dict[Faction, Place] = field(default_factory=dict)  # of those who choose when to go; none named is ahead

    @property
    def moving(self) -> Faction | None:
        """Whose tokens go: the mover's, or those of a late Hajr."""
        return self.late_mover or self.mover

    def begin(self, mover: Faction) -> None:
        """Open the slot of a faction."""
        self.mover, self.stage, self.move_declared, self.moved = mover, "shipment", False, False
        self.support, self.paid = {}, {}
        self.shipment, self.price, self.credited = None, 0, 0
        self.karama_ready = self.halved = self.stopped = False
        self.denied, self.declared_anew, self.far_mover = [], False, None
        self.karama_card = self.karama_of = None
        self.advisor, self.advisor_cancelled = None, False

    def declare_anew(self) -> None:
        """A shipment was taken back: its player may declare another."""
        self.stage, self.shipment, self.price, self.credited = "shipment", None, 0, 0
        self.support, self.paid = {}, {}
        self.stopped = self.declared_anew = self.karama_ready = False

    def end(self, mover: Faction) -> None:
        """Close the slot."""
        self.mover, self.stage = None, "between slots"
        self.shipment = self.advisor = None
        self.done.append(mover)
        self.last_mover = mover

    def begun(self, faction: Faction) -> bool:
        """Whether the faction's slot has begun or is over."""
        return faction in self.done or self.mover == faction

    def is_past(self, faction: Faction, stage: SlotStage) -> bool:
        """Whether that stage of the faction's slot is over."""
        if faction in self.done:
            return True
        if self.mover != faction:
            return False
        return self.moved if stage == "movement" else _ORDER[self.stage] > _ORDER[stage]


class Committed(msgspec.Struct, frozen=True):
    """A battle plan as it counts: final, its faults mended, its spice set aside.

    ``cards`` are the cards played, the cheap hero's among them. ``repairs`` names what was mended, for all to know.
    """

    plan: Plan
    cards: tuple[Card, ...] = ()
    repairs: tuple[str, ...] = ()


BattlePower = Literal[
    "voice", "prescience", "kwisatz haderach", "sardaukar", "fedaykin", "fremen support", "capture", "ally traitor",
    "cyborgs", "exchange",
]  # fmt: skip
"""A power that works in one battle, and that a Karama can cancel there."""


class BattleMoment(msgspec.Struct):
    """One battle; ``sides`` are aggressor and defender, ``areas`` the sectors whose tokens take part.

    ``asker`` and ``questioned`` are who asked by prescience, and whom; ``forced`` lists the fighters whose plan a
    Karama laid open; ``capturing`` is true from the draw of a captive until the captor has decided.
    """

    territory: TerritoryId
    areas: tuple[Area, ...]
    sides: tuple[Faction, Faction]
    stage: Literal["voice", "prescience", "plans", "resolution"] = "voice"
    voice: Voice | None = None
    voice_at: int = 0  # the number of the event that told it: of two bonds the earlier wins
    question: Prescience | None = None
    asker: Faction | None = None
    questioned: Faction | None = None
    bound: dict[Faction, Plan] = field(default_factory=dict)  # the plan as answered: what was asked of it binds
    cancelled: set[BattlePower] = field(default_factory=set)  # by a Karama
    forced: list[Faction] = field(default_factory=list)
    committed: dict[Faction, Committed] = field(default_factory=dict)
    leaders: Literal["as usual", "waived", "required"] = "as usual"  # by common consent, or because one did not agree
    winner: Faction | None = None
    calls_open: bool = False  # the fighters and their allies are asked whether they call treachery
    betrayed_for_ally: bool = False  # a treachery is called for an ally and could still be cancelled
    exchanging: bool = False  # tokens lost are to be exchanged for others, and a Karama could stop it
    capturing: bool = False
    captive: Leader | None = None  # the leader drawn; None too where there was none to draw
    tooth_withheld: bool = False  # who showed a Poison Tooth does not use it
    tooth_used: bool = False

    def opponent(self, faction: Faction) -> Faction:
        """The other fighter."""
        return self.sides[1] if faction == self.sides[0] else self.sides[0]

    def committed_cards(self, faction: Faction) -> tuple[Card, ...]:
        """Cards of the faction that lie in a final plan and cannot be taken (AH.SHIELD.HAR.KARAMA-b)."""
        return self.committed[faction].cards if faction in self.committed else ()


class GiftMoment(msgspec.Struct):
    """A gift of spice to an ally that both want, before the spice moves."""

    giver: Faction
    receiver: Faction
    cancelled: bool = False  # by a Karama


class FlipMoment(msgspec.Struct):
    """Tokens of a territory are about to become advisors, or fighters again."""

    territory: TerritoryId
    advisors: bool
    cancelled: bool = False  # by a Karama


Returning = Literal["tokens", "leaders", "cards"]
"""What comes back from the tanks in the revival; ``cards`` is what comes back by a card."""


class EarlyOffer(msgspec.Struct, frozen=True):
    """A price named for a leader who may come back before their time; None as leader is the Kwisatz Haderach."""

    by: Faction
    leader: Leader | None
    price: int


class Moments(msgspec.Struct):
    """The moments that are on; None where none is."""

    storm: StormMoment | None = None
    spice: SpiceMoment | None = None
    worm: WormMoment | None = None
    auction: AuctionMoment | None = None
    slot: SlotMoment | None = None
    battle: BattleMoment | None = None
    gift: GiftMoment | None = None
    charity_cancelled: list[Faction] = field(
        default_factory=list
    )  # by a Karama: of those who have it whatever they hold
    flip: FlipMoment | None = None
    stronghold: StrongholdMoment | None = None
    amal_time: bool = False  # the phase has just begun
    transfers_open: bool = False  # the stop of the Collection at which everybody may give
    worthless_played_by: Faction | None = None  # a worthless card is up as a Karama and may still be cancelled
    karama_cancelled: bool = False
    tokens_come_back: bool = False  # the players say which tokens they bring back
    no_extra_revival: list[Faction] = field(default_factory=list)  # by a Karama, of those whose ally would pay for it
    no_revival: dict[Faction, tuple[Returning, ...]] = field(default_factory=dict)  # what a Karama keeps in the tanks
    unpaid_revival: list[Faction] = field(default_factory=list)  # by a Karama: whose revival is paid to the bank
    full_price: list[Faction] = field(default_factory=list)  # by a Karama: of those who would revive for half
    leader_back: list[Faction] = field(default_factory=list)  # whose one leader of the turn has come back
    barred_leaders: list[Leader] = field(default_factory=list)  # by a Karama: may not come into the service of others
    tokens_are_back: bool = False
    limits_stay: bool = False  # by a Karama: the limit is three for all, and nobody's is raised any more
    revival_done: list[Faction] = field(default_factory=list)  # who has had back what they wanted
    early_offers: dict[Faction, EarlyOffer] = field(default_factory=dict)  # to whom
    early_agreed: EarlyOffer | None = None  # accepted, and could still be stopped
    token_pays: TechToken | None = None  # is about to pay, and could still be kept from it
    ghola_wanted: Leader | None = None  # is to come into the service of others, and could still be kept from it
    dancer_going_back: bool = False  # a face dancer is being exchanged, and it could still be stopped
    newcomers: list[TerritoryId] = field(default_factory=list)  # where tokens have come after a battle
