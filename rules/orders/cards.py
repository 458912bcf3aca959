"""Orders of the cards and reactions that can be played at any stop."""

from __future__ import annotations

from typing import Literal

from rules.components import Card, Faction, Forces, Leader
from rules.components.board import Area, TerritoryId
from rules.orders.order import Order, PhaseName
from rules.orders.readings import Reading


class NoKarama(Order, frozen=True):
    """``no karama``: nothing to say in this window."""


class Answer(Order, frozen=True):
    """``answer yes|no|unknown`` to a Truthtrance; "no answer" is what silence leaves, and nobody can write it."""

    word: Literal["yes", "no", "unknown", "no answer"]


KaramaEffect = Literal[
    "cancel voice", "cancel prescience", "cancel kwisatz haderach", "cancel sardaukar", "cancel fedaykin",
    "cancel advisor", "cancel worm", "cancel free card", "cancel capture", "cancel karama", "cancel fremen support",
    "cancel card payment", "cancel gift", "cancel extra revival", "cancel fremen move", "cancel charity",
    "cancel guild shipment", "cancel half rate", "cancel shipping payment", "cancel ally rate", "cancel ally traitor",
    "cancel storm card", "cancel flip",
    "half shipping", "free card purchase", "guild in turn", "block spice card", "block bidding cards", "worm", "revive",
    "see plan", "stop shipment", "take cards", "hms", "stop revival",
    "cancel auction look", "cancel cyborg speed", "cancel cyborgs", "cancel exchange", "cancel hms move",
    "cancel redraw", "cancel technology", "cancel dancer swap", "cancel raised limits", "cancel half price",
    "cancel revival payment", "cancel early revival", "cancel ghola", "cancel token payment",
]  # fmt: skip


class Karama(Order, frozen=True):
    """``karama EFFECT [with CARD]``; ``worm`` names a territory, ``revive`` forces or a leader, ``see plan`` and ``take
    cards`` a faction, as ``stop revival`` does, ``hms`` an area and the way there, ``cancel ghola`` a leader; ``cancel
    worm``, ``cancel half price`` and ``cancel revival payment`` may name whom. ``card`` is what serves as the Karama;
    left out, the Bene Gesserit give a worthless card first."""

    effect: KaramaEffect
    territory: TerritoryId | None = None
    forces: Forces | None = None
    leader: Leader | None = None
    faction: Faction | None = None
    number: int = 0
    card: Card | None = None
    area: Area | None = None
    via: tuple[Area, ...] = ()


class Truthtrance(Order, frozen=True):
    """``truthtrance FACTION: QUESTION``; the ``reading`` is what the question was understood to say when the order was
    read. None is in logs that were written before readings were; then nothing of it can be checked."""

    faction: Faction
    question: str
    reading: Reading | None = None


class Ghola(Order, frozen=True):
    """``ghola FORCES|LEADER|kwisatz haderach``"""

    forces: Forces | None = None
    leader: Leader | None = None
    kwisatz_haderach: bool = False


class Thumper(Order, frozen=True):
    """``thumper``: a worm comes as if its card had been turned."""


class Harvester(Order, frozen=True):
    """``harvester [on TERRITORY|at N or more]``: the spice of a blow is doubled; with a territory only if it blew
    there, with a number only if it brought so much."""

    territory: TerritoryId | None = None
    least: int = 0


class Amal(Order, frozen=True):
    """``amal [in PHASE]``: everybody gives half their spice to the bank, now or when that phase begins."""

    phase: PhaseName | None = None


class Waive(Order, frozen=True):
    """``waive reactions until PHASE``: every reaction window until that phase begins is answered with nothing."""

    until: PhaseName
