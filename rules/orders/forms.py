"""What a player may say: one typed order for each form of the order language.

An order is a plain value. How it is written in a mail is the business of the order language; whether it is legal is
decided by the question that it answers (``rules.decisions.question``) or, for cards and powers playable at any stop, by
``rules.cards``. ``ANSWERS`` says which kinds of question an order can answer; orders not in it are plays for any stop.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.components import Card, Faction, Forces, Leader
from rules.components.battle_plan import CHEAP_HERO as CHEAP_HERO
from rules.components.battle_plan import Element as Element
from rules.components.board import Area, TerritoryId
from rules.orders.readings import Reading

PhaseName = Literal[
    "setup", "storm", "spice", "charity", "bidding", "revival", "movement", "battle", "collection", "mentat", "over"
]
VoiceKind = Literal["projectile weapon", "poison weapon", "shield", "snooper", "lasgun", "worthless"]


class Order(msgspec.Struct, frozen=True, tag=True, omit_defaults=True, gc=False):
    """Base of all orders; equal orders are equal values, and each can be stored as JSON with its type as a tag."""


# --- setup ---------------------------------------------------------------------------------------------------------


class Predict(Order, frozen=True):
    """``predict FACTION turn N``"""

    faction: Faction
    turn: int


class ChooseTraitor(Order, frozen=True):
    """``traitor LEADER``"""

    leader: Leader


class Place(Order, frozen=True):
    """``place FORCES in AREA[, FORCES in AREA …]``"""

    groups: tuple[tuple[Forces, Area], ...]


# --- storm ---------------------------------------------------------------------------------------------------------


class StormDial(Order, frozen=True):
    """``storm N``"""

    number: int


class WeatherControl(Order, frozen=True):
    """``weather control N``"""

    sectors: int


class FamilyAtomics(Order, frozen=True):
    """``family atomics``"""


class NoStormCards(Order, frozen=True):
    """``no storm cards``: nothing to play at this storm."""


# --- spice and nexus -----------------------------------------------------------------------------------------------


class PlaceWorm(Order, frozen=True):
    """``worm TERRITORY``: where an additional worm appears."""

    territory: TerritoryId


class Ride(Order, frozen=True):
    """``ride FORCES from AREA to AREA``"""

    forces: Forces
    source: Area
    target: Area


class NoRide(Order, frozen=True):
    """``no ride``"""


class Ally(Order, frozen=True):
    """``ally FACTION``"""

    faction: Faction


class BreakAlliance(Order, frozen=True):
    """``break alliance``"""


class NoAlliance(Order, frozen=True):
    """``no alliance``: no change; an alliance that stands goes on."""


# --- charity, bidding, revival -------------------------------------------------------------------------------------


class Charity(Order, frozen=True):
    """``charity``"""


class NoCharity(Order, frozen=True):
    """``no charity``"""


class Bid(Order, frozen=True):
    """``bid N`` or ``bid N with karama``"""

    amount: int
    karama: bool = False


class BidKarama(Order, frozen=True):
    """``bid karama``: over every bid."""


class BidUpTo(Order, frozen=True):
    """``bid up to N [by STEP] [from FIRST]``: raises by the step as needed, for this card, the last raise by less where
    the limit is near. No bid is below ``first``: it opens with it, or jumps to it at once."""

    limit: int
    step: int = 1
    first: int = 0


class Pass(Order, frozen=True):
    """``pass``"""


class PassAll(Order, frozen=True):
    """``pass all``: for the rest of this phase."""


class Support(Order, frozen=True):
    """``support N``: what my ally may spend of my spice on this purchase or shipment."""

    amount: int


class Revive(Order, frozen=True):
    """``revive FORCES``"""

    forces: Forces


class ReviveLeader(Order, frozen=True):
    """``revive LEADER``"""

    leader: Leader


class ReviveKwisatzHaderach(Order, frozen=True):
    """``revive kwisatz haderach``"""


class NoRevival(Order, frozen=True):
    """``no revival``"""


# --- shipment and movement -----------------------------------------------------------------------------------------


class Fight(Order, frozen=True):
    """``fight in TERRITORY``: the Bene Gesserit do not coexist there."""

    territory: TerritoryId


class Coexist(Order, frozen=True):
    """``coexist in TERRITORY``"""

    territory: TerritoryId


class Ship(Order, frozen=True):
    """``ship FORCES [from AREA] to AREA|reserves``: no source means from reserves, no target back to reserves."""

    forces: Forces
    source: Area | None = None
    target: Area | None = None


class NoShipment(Order, frozen=True):
    """``no shipment``"""


class Advise(Order, frozen=True):
    """``advise AREA``"""

    area: Area


class NoAdvisor(Order, frozen=True):
    """``no advisor``"""


class GoNow(Order, frozen=True):
    """``go now``"""


class Wait(Order, frozen=True):
    """``wait``"""


class Move(Order, frozen=True):
    """``move FORCES from AREA [via TERRITORY, …] to AREA``"""

    forces: Forces
    source: Area
    target: Area
    via: tuple[TerritoryId, ...] = ()


class NoMove(Order, frozen=True):
    """``no move``"""


class Hajr(Order, frozen=True):
    """``hajr move …``: the Hajr card and the second move that it gives."""

    move: Move


# --- battle --------------------------------------------------------------------------------------------------------


class ChooseBattle(Order, frozen=True):
    """``battle FACTION in TERRITORY``"""

    opponent: Faction
    territory: TerritoryId


class Voice(Order, frozen=True):
    """``voice FACTION [not] play KIND``"""

    faction: Faction
    kind: VoiceKind
    play: bool = True


class NoVoice(Order, frozen=True):
    """``no voice``"""


class Prescience(Order, frozen=True):
    """``prescience leader|weapon|defense|number``"""

    element: Element


class NoPrescience(Order, frozen=True):
    """``no prescience``"""


class Plan(Order, frozen=True):
    """``plan dial N[.5] [spice N] leader NAME|cheap hero|none [kwisatz haderach] [weapon CARD] [defense CARD]``

    ``leader`` is a leader's name, ``CHEAP_HERO``, or None for no leader at all.
    """

    dial: float
    leader: str | None = None
    weapon: Card | None = None
    defense: Card | None = None
    spice: int = 0
    kwisatz_haderach: bool = False


class FremenSupport(Order, frozen=True):
    """``[no] support [in] battles``: whether the Fremen's ally counts at full strength without spice."""

    granted: bool


class Treachery(Order, frozen=True):
    """``treachery``"""


class NoTreachery(Order, frozen=True):
    """``no treachery``"""


class Lose(Order, frozen=True):
    """``lose FORCES``"""

    forces: Forces


class Keep(Order, frozen=True):
    """``keep CARD, …``: of the cards played; the others are discarded. An empty tuple keeps none."""

    cards: tuple[Card, ...]


class Discard(Order, frozen=True):
    """``discard CARD, …``: of the cards played; the others are kept. An empty tuple discards none."""

    cards: tuple[Card, ...]


class Capture(Order, frozen=True):
    """``capture keep|kill`` or ``no capture``"""

    choice: Literal["keep", "kill", "none"]


class ReturnCards(Order, frozen=True):
    """``return CARD, …``"""

    cards: tuple[Card, ...]


# --- collection, deals ---------------------------------------------------------------------------------------------


class Give(Order, frozen=True):
    """``give N spice to FACTION``"""

    amount: int
    faction: Faction


class NoTransfer(Order, frozen=True):
    """``no transfer``"""


class Accept(Order, frozen=True):
    """``accept``"""


class Decline(Order, frozen=True):
    """``decline``"""


# --- at any stop ---------------------------------------------------------------------------------------------------


class NoKarama(Order, frozen=True):
    """``no karama``: nothing to say in this window."""


class Answer(Order, frozen=True):
    """``answer yes|no|unknown`` to a Truthtrance; "no answer" is what silence leaves, and nobody can write it."""

    word: Literal["yes", "no", "unknown", "no answer"]


KaramaEffect = Literal[
    "cancel voice", "cancel prescience", "cancel kwisatz haderach", "cancel sardaukar", "cancel fedaykin",
    "cancel advisor", "cancel worm", "cancel free card", "cancel capture", "cancel karama", "cancel fremen support",
    "half shipping", "free card purchase", "guild in turn", "block spice card", "block bidding cards", "worm", "revive",
    "see plan", "stop shipment", "take cards",
]  # fmt: skip


class Karama(Order, frozen=True):
    """``karama EFFECT [with CARD]``; ``worm`` names a territory, ``revive`` forces or a leader, ``see plan`` and ``take
    cards`` a faction; ``cancel worm`` may name whom. ``card`` is what serves as the Karama; left out, the Bene Gesserit
    give a worthless card first."""

    effect: KaramaEffect
    territory: TerritoryId | None = None
    forces: Forces | None = None
    leader: Leader | None = None
    faction: Faction | None = None
    number: int = 0
    card: Card | None = None


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


class EmperorGives(Order, frozen=True):
    """``emperor gives N to FACTION``"""

    amount: int
    faction: Faction


class Deal(Order, frozen=True):
    """``deal with FACTION: TEXT [; I pay N] [; you pay N]``"""

    faction: Faction
    text: str
    i_pay: int = 0
    you_pay: int = 0


class Waive(Order, frozen=True):
    """``waive reactions until PHASE``: every reaction window until that phase begins is answered with nothing."""

    until: PhaseName


AnyOrder = (
    Predict | ChooseTraitor | Place | StormDial | WeatherControl | FamilyAtomics | NoStormCards | PlaceWorm | Ride |
    NoRide | Ally | BreakAlliance | NoAlliance | Charity | NoCharity | Bid | BidKarama | BidUpTo | Pass | PassAll |
    Support | Revive | ReviveLeader | ReviveKwisatzHaderach | NoRevival | Fight | Coexist | Ship | NoShipment |
    Advise | NoAdvisor | GoNow | Wait | Move | NoMove | Hajr | ChooseBattle | Voice | NoVoice | Prescience |
    NoPrescience | Plan | FremenSupport | Treachery | NoTreachery | Lose | Keep | Discard | Capture | ReturnCards |
    Give | NoTransfer | Accept | Decline | NoKarama | Answer | Karama | Truthtrance | Ghola | EmperorGives | Deal |
    Waive
)  # fmt: skip

QuestionKind = Literal[
    "prediction", "traitor", "fremen-placement", "bg-placement", "storm-dial", "storm-cards", "worm-placement",
    "worm-ride", "nexus", "charity", "bid", "ally-support", "revival", "bg-status", "intrusion", "shipment", "advisor",
    "guild-timing", "movement", "battle-order", "voice", "prescience", "prescience-answer", "battle-plan",
    "fremen-support", "traitor-call", "losses", "discards", "capture", "card-return", "transfer", "offer",
    "truthtrance-answer", "karama-window",
]  # fmt: skip

Key = tuple[Faction, QuestionKind, str]
"""What names an open question: who is asked, which kind, and about what."""

ANSWERS: dict[type[Order], tuple[QuestionKind, ...]] = {
    Predict: ("prediction",),
    ChooseTraitor: ("traitor",),
    Place: ("fremen-placement", "bg-placement"),
    StormDial: ("storm-dial",),
    WeatherControl: ("storm-cards",),
    FamilyAtomics: ("storm-cards",),
    NoStormCards: ("storm-cards",),
    PlaceWorm: ("worm-placement",),
    Ride: ("worm-ride",),
    NoRide: ("worm-ride",),
    Ally: ("nexus",),
    BreakAlliance: ("nexus",),
    NoAlliance: ("nexus",),
    Charity: ("charity",),
    NoCharity: ("charity",),
    Bid: ("bid",),
    BidKarama: ("bid",),
    BidUpTo: ("bid",),
    Pass: ("bid",),
    PassAll: ("bid",),
    Support: ("ally-support",),
    Revive: ("revival",),
    ReviveLeader: ("revival",),
    ReviveKwisatzHaderach: ("revival",),
    NoRevival: ("revival",),
    Fight: ("bg-status", "intrusion"),
    Coexist: ("bg-status", "intrusion"),
    Ship: ("shipment",),
    NoShipment: ("shipment",),
    Advise: ("advisor",),
    NoAdvisor: ("advisor",),
    GoNow: ("guild-timing",),
    Wait: ("guild-timing",),
    Move: ("movement",),
    NoMove: ("movement",),
    Hajr: ("movement",),
    ChooseBattle: ("battle-order",),
    Voice: ("voice",),
    NoVoice: ("voice",),
    Prescience: ("prescience",),
    NoPrescience: ("prescience",),
    Plan: ("prescience-answer", "battle-plan"),
    FremenSupport: ("fremen-support",),
    Treachery: ("traitor-call",),
    NoTreachery: ("traitor-call",),
    Lose: ("losses",),
    Keep: ("discards",),
    Discard: ("discards",),
    Capture: ("capture",),
    ReturnCards: ("card-return",),
    Give: ("transfer",),
    NoTransfer: ("transfer",),
    Accept: ("offer",),
    Decline: ("offer",),
    Answer: ("truthtrance-answer",),
    NoKarama: ("karama-window",),
}

STANDING: tuple[type[Order], ...] = (BidUpTo, PassAll)  # go on answering until their scope ends

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder: msgspec.json.Decoder[Order] = msgspec.json.Decoder(AnyOrder)


def encode(order: Order) -> bytes:
    """The order as JSON, the same bytes each time."""
    return _encoder.encode(order)


def decode(data: bytes | str) -> Order:
    """The order from its JSON; msgspec.ValidationError if it is none."""
    return _decoder.decode(data)
