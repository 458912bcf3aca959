"""What is going on within a phase: the auction, the slot, the worm, the battle.

A moment exists while its flow runs and is gone at the end of the phase. It is part of the position as far as cards
and powers played at a stop are concerned: a Karama finds the Voice to cancel here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rules.board import Area, TerritoryId
from rules.components import Card, Faction, Forces, Leader
from rules.orders import Plan, Prescience, Ship, Voice


@dataclass(slots=True)
class StormMoment:
    """The storm round: how far the storm will go, once it is known, and which decisions are still to come."""

    distance: int | None = None
    to_come: list[Literal["dial", "weather control", "family atomics"]] = field(default_factory=list)


@dataclass(slots=True)
class SpiceMoment:
    """The spice blow: how many worms the current blow has shown, and whether another card may still be turned."""

    worms: int = 0
    blows_to_come: bool = True


@dataclass(slots=True)
class WormMoment:
    """A worm that has appeared and has not eaten yet.

    ``territory`` is where it is (None: there was no blow for it to strike, or the Fremen have not placed it yet), ``beneath``
    the last blow of its pile. ``directed`` is true for an additional worm that the Fremen send where they like, ``called`` for
    one that came by their own Karama.
    """

    territory: TerritoryId | None = None
    beneath: TerritoryId | None = None
    directed: bool = False
    called: bool = False
    unprotected: list[Faction] = field(default_factory=list)  # whom a Karama robbed of protection


@dataclass(slots=True)
class AuctionMoment:
    """The bidding round."""

    cards: list[Card] = field(default_factory=list)  # dealt, still to be sold; the first is up
    number: int = 0  # which card is up, from 1
    top: int = 0
    top_bidder: Faction | None = None
    karama_bid: bool = False  # the top bid is backed by a Karama
    support: dict[Faction, int] = field(default_factory=dict)  # what each faction lets its ally spend
    atreides_blocked: bool = False
    free_card_cancelled: bool = False


@dataclass(slots=True)
class SlotMoment:
    """The shipment and movement of one faction."""

    mover: Faction | None = None
    stage: str = ""  # "shipment", "reactions", "advisor", "movement", "revival"
    support: dict[Faction, int] = field(default_factory=dict)
    shipment: Ship | None = None
    price: int = 0
    half_rate: bool = False  # a Karama pays the Guild's rate
    stopped: bool = False  # the Guild's Karama
    advisor: Area | None = None
    advisor_cancelled: bool = False
    moved: bool = False
    done: list[Faction] = field(default_factory=list)
    spice_card_blocked: bool = False
    guild_forced: bool = False
    guild_timing: str = "own"  # see WBC.AID.37


@dataclass(slots=True)
class BattleMoment:
    """One battle; ``sides`` are aggressor and defender."""

    territory: TerritoryId
    areas: tuple[Area, ...]
    sides: tuple[Faction, Faction]
    voice: Voice | None = None
    voice_by: Faction | None = None
    question: Prescience | None = None
    bound: dict[Faction, Plan] = field(default_factory=dict)  # the plan as answered: what was asked of it binds
    cancelled: list[str] = field(default_factory=list)  # "voice", "prescience", "kwisatz haderach", ...
    plans: dict[Faction, Plan] = field(default_factory=dict)
    committed: list[Faction] = field(default_factory=list)
    captive: Leader | None = None
    capture_cancelled: bool = False
    losses: dict[Faction, Forces] = field(default_factory=dict)


@dataclass(slots=True)
class Moments:
    """The moments that are on; None where none is."""

    storm: StormMoment | None = None
    spice: SpiceMoment | None = None
    worm: WormMoment | None = None
    auction: AuctionMoment | None = None
    slot: SlotMoment | None = None
    battle: BattleMoment | None = None
    worthless_played_by: Faction | None = None  # a worthless card is up as a Karama and may still be cancelled
    karama_cancelled: bool = False
