"""All orders together: which kinds of question each can answer, and how they are stored."""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.components import Faction
from rules.orders.battle import (
    Capture,
    ChooseBattle,
    Discard,
    FremenSupport,
    Keep,
    Lose,
    NoPoisonTooth,
    NoPrescience,
    NoTreachery,
    NoVoice,
    Plan,
    Prescience,
    ReturnCards,
    TakeToken,
    Treachery,
    UsePoisonTooth,
    Voice,
)
from rules.orders.bidding import (
    Bid,
    BidKarama,
    BidUpTo,
    Charity,
    NoCharity,
    NoRevival,
    Pass,
    PassAll,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Support,
)
from rules.orders.cards import (
    Amal,
    Answer,
    Ghola,
    Harvester,
    Karama,
    NoKarama,
    Thumper,
    Truthtrance,
    Waive,
)
from rules.orders.deals import (
    Accept,
    Deal,
    Decline,
    EmperorGives,
    Give,
    NoTransfer,
)
from rules.orders.ixians import (
    Exchange,
    NoExchange,
    NoRedraw,
    NoSwap,
    NoSwapAll,
    PutBack,
    Redraw,
    StartWith,
    StrongholdAt,
    StrongholdStays,
    StrongholdTo,
    Swap,
)
from rules.orders.movement import (
    Advise,
    Coexist,
    Fight,
    GoNow,
    Hajr,
    Move,
    NoAdvisor,
    NoMove,
    NoShipment,
    Ship,
    Wait,
)
from rules.orders.opening import (
    Ally,
    BreakAlliance,
    ChooseTraitor,
    EndGame,
    FamilyAtomics,
    FeedAlly,
    NoAlliance,
    NoRide,
    NoStormCards,
    Place,
    PlaceWorm,
    PlayOn,
    Predict,
    Ride,
    SpareAlly,
    StormDial,
    WeatherControl,
)
from rules.orders.order import Order
from rules.orders.tleilaxu import (
    AskForLeader,
    NamePrice,
    NoDancer,
    NoPrice,
    NoRequest,
    RaiseLimits,
    Replace,
    RevealDancer,
    SwapDancer,
)

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
    RevealDancer | NoDancer | Replace | SwapDancer
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

STANDING: tuple[type[Order], ...] = (BidUpTo, PassAll, NoSwapAll)  # go on answering until their scope ends

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder: msgspec.json.Decoder[Order] = msgspec.json.Decoder(AnyOrder)


def encode(order: Order) -> bytes:
    """The order as JSON, the same bytes each time."""
    return _encoder.encode(order)


def decode(data: bytes | str) -> Order:
    """The order from its JSON; msgspec.ValidationError if it is none."""
    return _decoder.decode(data)
