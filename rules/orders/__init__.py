"""The orders that a player can give: one type for each form of the order language, arranged by the chapters of the
game.

    from rules import orders as o

An order is a plain value. The order language defines how players write it in an e-mail. The question that the order
answers (``rules.decisions.question``) decides whether it is legal; ``rules.cards`` decides that for cards and powers
that can be played at any stop. ``ANSWERS`` lists the kinds of questions that each order can answer; an order without an
entry can be played at any stop. ``encode`` and ``decode`` convert orders to and from JSON.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.components import Card, Faction, Forces, Leader
from rules.components.board import Area, TerritoryId
from rules.components.cards import CHEAP_HERO as CHEAP_HERO
from rules.components.cards import Element as Element
from rules.components.factions import TechToken
from rules.orders.readings import DealCondition, Reading

PhaseName = Literal[
    "setup", "storm", "spice", "charity", "bidding", "revival", "movement", "battle", "collection", "mentat", "over"
]


class Order(msgspec.Struct, frozen=True, tag=True, omit_defaults=True, gc=False):
    """The base class of all orders. Orders with the same content are equal, and each order can be stored as JSON with
    its type as a tag."""


# --- setup -----------------------------------------------------------------------------------------------------------


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


# --- storm -----------------------------------------------------------------------------------------------------------


class StormDial(Order, frozen=True):
    """``storm N``"""

    number: int


class WeatherControl(Order, frozen=True):
    """``weather control N``"""

    sectors: int


class FamilyAtomics(Order, frozen=True):
    """``family atomics``"""


class NoStormCards(Order, frozen=True):
    """``no storm cards``: the player plays no card in this storm round."""


# --- spice and nexus -------------------------------------------------------------------------------------------------


class PlaceWorm(Order, frozen=True):
    """``worm TERRITORY``: the territory in which an additional worm appears."""

    territory: TerritoryId


class Ride(Order, frozen=True):
    """``ride FORCES from AREA to AREA``"""

    forces: Forces
    source: Area
    target: Area


class NoRide(Order, frozen=True):
    """``no ride``"""


class SpareAlly(Order, frozen=True):
    """``spare ally``: the worm does not devour tokens of allies."""


class FeedAlly(Order, frozen=True):
    """``feed ally``: the worm also devours the tokens of allies."""


class Ally(Order, frozen=True):
    """``ally FACTION``"""

    faction: Faction


class BreakAlliance(Order, frozen=True):
    """``break alliance``"""


class EndGame(Order, frozen=True):
    """``end the game``: the players who have won share the victory."""


class PlayOn(Order, frozen=True):
    """``play on [with N]``: if all agree, the game goes on for another full turn. With a number, it takes N points to
    win."""

    number: int | None = None


class NoAlliance(Order, frozen=True):
    """``no alliance``: nothing changes, and an existing alliance continues."""


class Charity(Order, frozen=True):
    """``charity``"""


class NoCharity(Order, frozen=True):
    """``no charity``"""


class Bid(Order, frozen=True):
    """``bid N`` or ``bid N with karama``"""

    amount: int
    karama: bool = False


class BidKarama(Order, frozen=True):
    """``bid karama``: a bid that is higher than every number."""


class BidUpTo(Order, frozen=True):
    """``bid up to N [by STEP] [from FIRST]``: raise the bid for this card automatically, as often as needed, by the
    step and up to N. The last raise is smaller if the limit is less than a step away. ``first`` is the lowest bid that
    the player makes: the opening bid, or a jump to that amount."""

    limit: int
    step: int = 1
    first: int = 0


class Pass(Order, frozen=True):
    """``pass``"""


class PassAll(Order, frozen=True):
    """``pass all``: the player passes for the rest of this phase."""


class Support(Order, frozen=True):
    """``support N``: the player's ally may spend up to N of the player's spice on this purchase, shipment or
    revival."""

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


class Fight(Order, frozen=True):
    """``fight in TERRITORY``: the Bene Gesserit do not coexist in that territory."""

    territory: TerritoryId


class Coexist(Order, frozen=True):
    """``coexist in TERRITORY``"""

    territory: TerritoryId


class Ship(Order, frozen=True):
    """``ship FORCES [from AREA] to AREA|reserves``: without a source, the tokens come from the reserves; without a
    target, they go back to the reserves."""

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
    """``hajr move …``: play the Hajr card, and make the additional move that it allows."""

    move: Move


VoiceKind = Literal["projectile weapon", "poison weapon", "shield", "snooper", "lasgun", "worthless"]
"""The classes of cards that the Voice may name in every edition."""

SPECIAL_CARD = "special card"
"""A class that the Voice must not name in 2019; it must name the card instead (FAQ.BG.16)."""


class ChooseBattle(Order, frozen=True):
    """``battle FACTION in TERRITORY``"""

    opponent: Faction
    territory: TerritoryId


class Voice(Order, frozen=True):
    """``voice FACTION [not] play KIND``: ``kind`` is a class of cards, one of ``VoiceKind``. Under the 2019 rules it
    may also be ``CHEAP_HERO`` or the name of one card."""

    faction: Faction
    kind: str
    play: bool = True


class NoVoice(Order, frozen=True):
    """``no voice``"""


class Prescience(Order, frozen=True):
    """``prescience leader|weapon|defense|number``"""

    element: Element


class NoPrescience(Order, frozen=True):
    """``no prescience``"""


class Plan(Order, frozen=True):
    """``plan dial N[.5] [spice N] leader NAME|cheap hero|none [kwisatz haderach] [weapon CARD] [defense CARD]``:
    ``leader`` is a leader's name, ``CHEAP_HERO``, or None for no leader."""

    dial: float
    leader: str | None = None
    weapon: Card | None = None
    defense: Card | None = None
    spice: int = 0
    kwisatz_haderach: bool = False


class FremenSupport(Order, frozen=True):
    """``[no] support [in] battles``: the Fremen decide whether the tokens of their ally count in full without spice."""

    granted: bool


class Treachery(Order, frozen=True):
    """``treachery``"""


class NoTreachery(Order, frozen=True):
    """``no treachery``"""


class UsePoisonTooth(Order, frozen=True):
    """``use poison tooth``"""


class NoPoisonTooth(Order, frozen=True):
    """``no poison tooth``: the card has no effect in this battle, and the player keeps it if they win."""


class TakeToken(Order, frozen=True):
    """``take TOKEN``: take one of the loser's tech tokens."""

    token: TechToken


class Lose(Order, frozen=True):
    """``lose FORCES``"""

    forces: Forces


class Keep(Order, frozen=True):
    """``keep CARD, …``: keep some of the cards that were played, and discard the others. An empty tuple means that none
    are kept."""

    cards: tuple[Card, ...]


class Discard(Order, frozen=True):
    """``discard CARD, …``: discard some of the cards that were played, and keep the others. An empty tuple means that
    none are discarded."""

    cards: tuple[Card, ...]


class Capture(Order, frozen=True):
    """``capture keep|kill`` or ``no capture``"""

    choice: Literal["keep", "kill", "none"]


class ReturnCards(Order, frozen=True):
    """``return CARD, …``"""

    cards: tuple[Card, ...]


class NoKarama(Order, frozen=True):
    """``no karama``: the player plays nothing in this window."""


class Answer(Order, frozen=True):
    """``answer yes|no|unknown``: the answer to a Truthtrance. The default, "no answer", cannot be written."""

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
    """``karama EFFECT [with CARD]``: play a Karama, or a card that serves as one, for this effect.

    The effect ``worm`` is followed by a territory, ``revive`` by forces or a leader, ``cancel ghola`` by a leader, and
    ``hms`` by an area and the route there. ``see plan``, ``take cards`` and ``stop revival`` are followed by a faction.
    ``cancel worm``, ``cancel half price`` and ``cancel revival payment`` may be followed by one. ``card`` is the card
    that serves as the Karama. If it is not named, the Bene Gesserit spend a worthless card first.
    """

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
    """``truthtrance FACTION: QUESTION``: ``reading`` is the meaning that the program found in the question when it read
    the order. It is None in logs that predate readings; then no part of the question can be checked."""

    faction: Faction
    question: str
    reading: Reading | None = None


class Ghola(Order, frozen=True):
    """``ghola FORCES|LEADER|kwisatz haderach``"""

    forces: Forces | None = None
    leader: Leader | None = None
    kwisatz_haderach: bool = False


class Thumper(Order, frozen=True):
    """``thumper``: a worm appears as if a worm card had been turned."""


class Harvester(Order, frozen=True):
    """``harvester [on TERRITORY|at N or more]``: the spice of a blow is doubled. If a territory is given, this happens
    only if the spice blew there; if a number is given, only if the blow brought at least that much."""

    territory: TerritoryId | None = None
    least: int = 0


class Amal(Order, frozen=True):
    """``amal [in PHASE]``: everybody gives half of their spice to the bank, now or when that phase begins."""

    phase: PhaseName | None = None


class Waive(Order, frozen=True):
    """``waive reactions until PHASE``: the player passes in every reaction window until that phase begins."""

    until: PhaseName


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


class EmperorGives(Order, frozen=True):
    """``emperor gives N to FACTION``"""

    amount: int
    faction: Faction


Goods = Literal["card", "forces", "leader", "traitor", "power"]
"""Things that a deal may mention but cannot move."""


class Deal(Order, frozen=True):
    """``deal with FACTION: TEXT [; I pay N] [; you pay N] [; I escrow N] [; you escrow N] [; if CONDITION] [; broken if
    CONDITION] [; until turn N]``, or ``secret deal with …``.

    Payments and escrow fall due when the ``condition`` comes true. ``until`` is the last turn in which the deal is
    valid; 0 means that it has no end. ``goods`` are things other than spice that the deal was meant to transfer, which
    no rule set allows.
    """

    faction: Faction
    text: str
    i_pay: int = 0
    you_pay: int = 0
    i_escrow: int = 0
    you_escrow: int = 0
    condition: DealCondition | None = None
    broken_if: DealCondition | None = None
    until: int = 0
    secret: bool = False
    goods: tuple[Goods, ...] = ()


Shown = Literal["cards", "hand", "traitors", "prediction", "spice", "reserves"]
"""The things that players may show, with Mentat's guarantee that they are true: ``cards`` means the named cards, and
``hand`` means all cards."""


class Show(Order, frozen=True):
    """``show CARD, …`` or ``show hand|traitors|prediction|spice|reserves``, followed by ``to FACTION, …`` unless it is
    shown to everybody."""

    what: Shown = "cards"
    cards: tuple[Card, ...] = ()
    readers: tuple[Faction, ...] = ()


class StartWith(Order, frozen=True):
    """``start with CARD``: the treachery card that the player keeps at the start of the game."""

    card: Card


class StrongholdAt(Order, frozen=True):
    """``hms at AREA``: the area that the Hidden Mobile Stronghold points at first."""

    area: Area


class StrongholdTo(Order, frozen=True):
    """``hms [via AREA, …] to AREA``: the route of the Hidden Mobile Stronghold. Not every area on the route need be
    named."""

    target: Area
    via: tuple[Area, ...] = ()


class StrongholdStays(Order, frozen=True):
    """``hms stays``"""


class PutBack(Order, frozen=True):
    """``put CARD on top|at the bottom``: the card that goes back to the deck before the auction, and where it goes."""

    card: Card
    top: bool


class Swap(Order, frozen=True):
    """``swap CARD``: exchange a card of the player's hand for the next card on sale."""

    card: Card


class NoSwap(Order, frozen=True):
    """``no swap``: the player does not swap a card for this one."""


class NoSwapAll(Order, frozen=True):
    """``no swap all``: the player does not swap a card for the rest of this phase."""


class Redraw(Order, frozen=True):
    """``redraw``: discard the card just bought, and take the top card of the deck instead."""


class NoRedraw(Order, frozen=True):
    """``no redraw``"""


class Exchange(Order, frozen=True):
    """``exchange N``: N surviving Suboids go to the tanks in place of Cyborgs."""

    number: int


class NoExchange(Order, frozen=True):
    """``no exchange``: the player exchanges no Suboids for Cyborgs, or no face dancer."""


# --- revival ---------------------------------------------------------------------------------------------------------


class RaiseLimits(Order, frozen=True):
    """``limit five for FACTION, …``, ``limit five for all`` or ``limit five for everybody``. The order ``limit three
    for all`` raises nobody's limit."""

    factions: tuple[Faction, ...] = ()
    everybody: bool = False


class AskForLeader(Order, frozen=True):
    """``ask for LEADER`` or ``ask for kwisatz haderach``, which names no leader."""

    leader: Leader | None = None
    kwisatz_haderach: bool = False


class NoRequest(Order, frozen=True):
    """``no request``"""


class NamePrice(Order, frozen=True):
    """``price N for LEADER`` or ``price N for kwisatz haderach``"""

    amount: int
    leader: Leader | None = None
    kwisatz_haderach: bool = False


class NoPrice(Order, frozen=True):
    """``no price for LEADER`` or ``no price for kwisatz haderach``. The order ``no price`` alone applies to all leaders
    that were asked for."""

    leader: Leader | None = None
    kwisatz_haderach: bool = False


# --- face dancers ----------------------------------------------------------------------------------------------------


class RevealDancer(Order, frozen=True):
    """``face dancer``: reveal the winner's leader as a face dancer."""


class NoDancer(Order, frozen=True):
    """``no face dancer``"""


class Replace(Order, frozen=True):
    """``replace with N from reserves[, N from AREA …] [to AREA]`` or ``replace with none``, which names no group. Each
    of the ``groups`` consists of forces and the area from which they come, or None if they come from the reserves."""

    groups: tuple[tuple[Forces, Area | None], ...] = ()
    target: Area | None = None


class SwapDancer(Order, frozen=True):
    """``exchange dancer LEADER``"""

    leader: Leader


AnyOrder = (
    Predict | ChooseTraitor | Place | StormDial | WeatherControl | FamilyAtomics | NoStormCards | PlaceWorm | Ride |
    NoRide | Ally | BreakAlliance | NoAlliance | Charity | NoCharity | Bid | BidKarama | BidUpTo | Pass | PassAll |
    Support | Revive | ReviveLeader | ReviveKwisatzHaderach | NoRevival | Fight | Coexist | Ship | NoShipment |
    Advise | NoAdvisor | GoNow | Wait | Move | NoMove | Hajr | ChooseBattle | Voice | NoVoice | Prescience |
    NoPrescience | Plan | FremenSupport | Treachery | NoTreachery | Lose | Keep | Discard | Capture | ReturnCards |
    Give | NoTransfer | Accept | Decline | NoKarama | Answer | Karama | Truthtrance | Ghola | EmperorGives | Deal |
    Waive | SpareAlly | FeedAlly | StartWith | StrongholdAt | StrongholdTo | StrongholdStays | PutBack | Swap | NoSwap |
    NoSwapAll | Redraw | NoRedraw | Exchange | NoExchange | UsePoisonTooth | NoPoisonTooth | TakeToken | EndGame |
    PlayOn | Thumper | Harvester | Amal | RaiseLimits | AskForLeader | NoRequest | NamePrice | NoPrice |
    RevealDancer | NoDancer | Replace | SwapDancer | Show
)  # fmt: skip

QuestionKind = Literal[
    "prediction", "traitor", "fremen-placement", "bg-placement", "storm-dial", "storm-cards", "worm-placement",
    "worm-ride", "nexus", "charity", "bid", "ally-support", "revival", "bg-status", "intrusion", "shipment", "advisor",
    "guild-timing", "movement", "battle-order", "voice", "prescience", "prescience-answer", "battle-plan",
    "fremen-support", "traitor-call", "losses", "discards", "capture", "card-return", "transfer", "offer",
    "truthtrance-answer", "karama-window", "starting-card", "hms-placement", "hms-move", "auction-return", "technology",
    "redraw", "exchange", "poison-tooth", "tech-token", "play-on", "revival-limits", "early-revival", "revival-price",
    "face-dancer", "face-dancer-forces", "dancer-swap",
]  # fmt: skip

Key = tuple[Faction, QuestionKind, str]
"""The name of an open question: the faction, the kind, and the subject."""

ANSWERS: dict[type, tuple[QuestionKind, ...]] = {
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
    SpareAlly: ("worm-ride",),
    FeedAlly: ("worm-ride",),
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
    RaiseLimits: ("revival-limits",),
    AskForLeader: ("early-revival",),
    NoRequest: ("early-revival",),
    NamePrice: ("revival-price",),
    NoPrice: ("revival-price",),
    RevealDancer: ("face-dancer",),
    NoDancer: ("face-dancer",),
    Replace: ("face-dancer-forces",),
    SwapDancer: ("dancer-swap",),
    StartWith: ("starting-card",),
    StrongholdAt: ("hms-placement",),
    StrongholdTo: ("hms-move",),
    StrongholdStays: ("hms-move",),
    PutBack: ("auction-return",),
    Swap: ("technology",),
    NoSwap: ("technology",),
    NoSwapAll: ("technology",),
    Redraw: ("redraw",),
    NoRedraw: ("redraw",),
    Exchange: ("exchange",),
    NoExchange: ("exchange", "dancer-swap"),
    UsePoisonTooth: ("poison-tooth",),
    NoPoisonTooth: ("poison-tooth",),
    TakeToken: ("tech-token",),
    EndGame: ("play-on",),
    PlayOn: ("play-on",),
}

STANDING: tuple[type[Order], ...] = (BidUpTo, PassAll, NoSwapAll)  # keep answering until their scope ends

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder: msgspec.json.Decoder[Order] = msgspec.json.Decoder(AnyOrder)


def encode(order: Order) -> bytes:
    """Return the order as JSON. Equal orders give the same bytes."""
    return _encoder.encode(order)


def decode(data: bytes | str) -> Order:
    return _decoder.decode(data)
