"""What is going on within a phase: the auction, the slot, the worm, the battle.

A moment exists while its flow runs and is gone at the end of the phase. It is part of the position as far as cards
and powers played at a stop are concerned: a Karama finds the Voice to cancel here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rules.components import Card, Faction, Leader
from rules.components.board import Area, TerritoryId
from rules.orders import Plan, Prescience, Ship, Voice


@dataclass(slots=True)
class StormMoment:
    """The storm round: how far the storm will go, once it is known, and the storm cards whose time is over."""

    distance: int | None = None
    cards_over: list[Card] = field(default_factory=list)


@dataclass(slots=True)
class SpiceMoment:
    """The spice blow: how many worms the current blow has shown, and whether another card may still be turned."""

    worms: int = 0
    blows_to_come: bool = True


@dataclass(slots=True)
class WormMoment:
    """A worm that has appeared and has not eaten yet.

    ``territory`` is where it is (None: it had no blow to strike, or the Fremen have not placed it yet), ``beneath`` the
    last blow of its pile. ``directed`` is true for an additional worm that the Fremen send where they like, ``called``
    for one that came by their own Karama.
    """

    territory: TerritoryId | None = None
    beneath: TerritoryId | None = None
    directed: bool = False
    called: bool = False
    unprotected: list[Faction] = field(default_factory=list)  # whom a Karama robbed of protection


@dataclass(frozen=True, slots=True)
class MadeBid:
    """A bid as it stands on the table; ``amount`` None is over every number. That a Karama is meant is secret,
    and so is the card that is to serve as it."""

    bidder: Faction
    amount: int | None
    karama: bool = False
    card: Card | None = None


@dataclass(slots=True)
class AuctionMoment:
    """The bidding round."""

    cards: list[Card] = field(default_factory=list)  # dealt, still to be sold; the first is up
    number: int = 0  # which card is up, from 1
    bids: list[MadeBid] = field(default_factory=list)  # on this card; the last is the top bid
    passed: list[Faction] = field(default_factory=list)  # since the top bid
    out: list[Faction] = field(default_factory=list)  # may not bid on this card any more
    support: dict[Faction, int] = field(default_factory=dict)  # what each faction lets its allies spend on this card
    free_card_due: bool = False  # Harkonnen have bought and will draw one more
    free_card_cancelled: bool = False

    @property
    def top(self) -> MadeBid | None:
        """The highest bid on the card that is up."""
        return self.bids[-1] if self.bids else None

    def next_card(self) -> None:
        """The next card of the row comes up."""
        self.number += 1
        self.bids, self.passed, self.out, self.support = [], [], [], {}


@dataclass(slots=True)
class SlotMoment:
    """The movement round: whose slot it is, how far it has come, and what the round remembers between slots."""

    mover: Faction | None = None
    stage: str = ""  # "shipment", "reactions", "advisor", "movement", "revival"; "" between slots
    flying: list[Faction] = field(default_factory=list)  # who has moved, or moves, with ornithopters this round
    support: dict[Faction, int] = field(default_factory=dict)  # what the mover's allies let him spend
    shipment: Ship | None = None
    price: int = 0
    paid: dict[Faction, int] = field(default_factory=dict)  # who has paid how much of the price
    credited: int = 0  # how much of it the Guild has received
    half_meant: bool = False  # a Karama is kept ready for it
    half_card: Card | None = None  # the card that is to serve as that Karama, where one was named
    half_rate: bool = False  # a Karama pays the Guild's rate
    stopped: bool = False  # the Guild's Karama
    advisor: Area | None = None
    advisor_cancelled: bool = False
    declared: bool = False  # the mover has begun to say what moves, be it only a Hajr's move
    moved: bool = False
    done: list[Faction] = field(default_factory=list)
    before: Faction | None = None  # whose slot ended last, while nobody has done anything since
    late: Faction | None = None  # whose Hajr is carried out though the next slot has begun
    opponents: dict[TerritoryId, list[Faction]] = field(default_factory=dict)  # whom the Bene Gesserit met as fighters
    vacated: list[TerritoryId] = field(default_factory=list)  # where all those have left them alone
    spice_card_blocked: bool = False
    guild_forced: bool = False  # a Karama holds the Guild to its proper place
    guild_place: str = "ahead"  # its proper place: "ahead", "here" (and the Guild wants to wait), "passed"

    @property
    def moving(self) -> Faction | None:
        """Whose tokens go: the mover's, or those of a late Hajr."""
        return self.late or self.mover

    def begin(self, mover: Faction) -> None:
        """Open the slot of a faction."""
        self.mover, self.stage, self.declared, self.moved = mover, "shipment", False, False
        self.support, self.paid = {}, {}
        self.shipment, self.price, self.credited = None, 0, 0
        self.half_meant = self.half_rate = self.stopped = False
        self.half_card = None
        self.advisor, self.advisor_cancelled = None, False

    def end(self, mover: Faction) -> None:
        """Close the slot."""
        self.mover, self.stage = None, ""
        self.shipment = self.advisor = None
        self.done.append(mover)
        self.before = mover


@dataclass(frozen=True, slots=True)
class Committed:
    """A battle plan as it counts: final, its faults mended, its spice set aside.

    ``cards`` are the cards played, the cheap hero's among them. ``repairs`` names what was mended, for all to know.
    """

    plan: Plan
    cards: tuple[Card, ...] = ()
    repairs: tuple[str, ...] = ()


BattlePower = Literal["voice", "prescience", "kwisatz haderach", "sardaukar", "fedaykin", "fremen support", "capture"]
"""A power that works in one battle, and that a Karama can cancel there."""


@dataclass(slots=True)
class BattleMoment:
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
    capturing: bool = False
    captive: Leader | None = None  # the leader drawn; None too where there was none to draw

    def opponent(self, faction: Faction) -> Faction:
        """The other fighter."""
        return self.sides[1] if faction == self.sides[0] else self.sides[0]

    def committed_cards(self, faction: Faction) -> tuple[Card, ...]:
        """Cards of the faction that lie in a final plan and cannot be taken (AH.SHIELD.HAR.KARAMA-b)."""
        return self.committed[faction].cards if faction in self.committed else ()


@dataclass(slots=True)
class Moments:
    """The moments that are on; None where none is."""

    storm: StormMoment | None = None
    spice: SpiceMoment | None = None
    worm: WormMoment | None = None
    auction: AuctionMoment | None = None
    slot: SlotMoment | None = None
    battle: BattleMoment | None = None
    transfers_open: bool = False  # the stop of the Collection at which everybody may give
    worthless_played_by: Faction | None = None  # a worthless card is up as a Karama and may still be cancelled
    karama_cancelled: bool = False
