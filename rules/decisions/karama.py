"""The cards that serve as a Karama, and how one is put down (AH.AID.KARAMA, AH.SHIELD.BG.KARAMA, WBC.AID.26).

What a Karama brings about stands with the card (``rules.cards.karama``). Here is what the chapters need of it: which
effects the rule set knows, whether a faction has one to pay with, the discard, and the answer to a worthless card that
is played as one.
"""

from __future__ import annotations

from collections.abc import Collection, Generator

from rules.components import KARAMA, Card, Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Stop
from rules.decisions.windows import window
from rules.rulesets.box import expansion_of
from rules.rulesets.options import Option, switch
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game

OF_1979 = frozenset({
    "cancel voice", "cancel prescience", "cancel kwisatz haderach", "cancel sardaukar", "cancel fedaykin",
    "cancel advisor", "cancel worm", "cancel free card", "cancel capture", "cancel karama", "cancel fremen support",
    "half shipping", "free card purchase", "guild in turn", "block spice card", "block bidding cards", "worm", "revive",
    "see plan", "stop shipment", "take cards",
})  # fmt: skip
"""What a Karama does by the Player Aid Pad and the shields of 1979, with what the WBC adds (AH.AID.KARAMA)."""

OF_2019 = (OF_1979 - {"cancel fremen support"}) | {
    "cancel card payment", "cancel gift", "cancel extra revival", "cancel fremen move", "cancel charity", "cancel flip",
    "cancel guild shipment", "cancel half rate", "cancel shipping payment", "cancel ally rate", "cancel ally traitor",
    "cancel storm card",
}  # fmt: skip
"""What a Karama does by the questions and answers of the 2019 edition (FAQ.KARAMA-ATR to FAQ.KARAMA-HAR)."""

BY_ALLIANCE = frozenset({"cancel gift", "cancel extra revival", "cancel ally rate", "cancel ally traitor"})
"""Effects against what somebody does for an ally (FAQ.KARAMA.7)."""

AGAINST_IXIANS = frozenset({
    "cancel auction look", "cancel cyborg speed", "cancel cyborgs", "cancel exchange", "cancel hms move",
    "cancel redraw", "cancel technology",
})  # fmt: skip
"""Effects against what the Ixians do (FAQ.KARAMA-IXI.1 to FAQ.KARAMA-IXI.7)."""

AGAINST_TLEILAXU = frozenset({
    "cancel dancer swap", "cancel raised limits", "cancel half price", "cancel revival payment", "cancel early revival",
    "cancel ghola",
})  # fmt: skip
"""Effects against what the Tleilaxu do (FAQ.KARAMA-TLE.1 to FAQ.KARAMA-TLE.6)."""

WITH_THE_EXPANSION = AGAINST_IXIANS | AGAINST_TLEILAXU | {"hms", "stop revival", "cancel token payment"}
"""What a Karama does only where the Ixians and Tleilaxu can be played."""

EFFECTS: Option[Collection[str]] = Option("karama_cancel_list", {"ah_pad": OF_1979, "gf9_list": OF_2019})
EVERY_ALLIANCE_POWER = Option("karama_vs_alliance_powers", {"no": False, "worm_and_support_only": False, "yes": True})
TECHNOLOGY = switch("technology")
GHOLAS = switch("tleilaxu_gholas")
AGAINST_CYBORGS = Option("karama_vs_cyborgs", {"basic_only": False, "both": True})
"""Whether a Karama takes the double value of Cyborgs where strength is paid for too (IT.FORCE.9)."""
AGAINST_TOKENS = Option("karama_vs_tokens", {"no": False, "yes": True})
"""Whether a Karama stops the payment of a tech token (IT.TECH.20)."""
STRENGTH_IS_PAID = Option("combat_model", {"tokens": False, "spice_supported": True})
EMPERORS_INCOME = Option("karama_vs_emperor_income", {"no": False, "yes": True})

OPTIONS = (
    EFFECTS, EVERY_ALLIANCE_POWER, EMPERORS_INCOME, TECHNOLOGY, GHOLAS, AGAINST_CYBORGS, AGAINST_TOKENS,
    STRENGTH_IS_PAID,
)  # fmt: skip


def can_do(rules: RuleSet, effect: str) -> bool:
    """Whether a Karama can have this effect in the rule set at all."""
    if effect in WITH_THE_EXPANSION:
        return bool(expansion_of(rules)) and not _has_no_object(rules, effect)
    if effect == "cancel card payment" and not EMPERORS_INCOME(rules):
        return False
    if effect in BY_ALLIANCE and not EVERY_ALLIANCE_POWER(rules):
        return False
    return effect in EFFECTS(rules)


def _has_no_object(rules: RuleSet, effect: str) -> bool:
    """Whether what the effect would take away does not exist in the rule set."""
    if effect == "cancel cyborgs":
        return STRENGTH_IS_PAID(rules) and not AGAINST_CYBORGS(rules)
    if effect == "cancel ghola":
        return not GHOLAS(rules)
    if effect == "cancel token payment":
        return not AGAINST_TOKENS(rules)
    return effect == "cancel technology" and not TECHNOLOGY(rules)


def uncommitted_cards(game: Game, faction: Faction) -> list[Card]:
    """The faction's hand without the cards that lie in a committed battle plan, which are played already."""
    hand = list(game.player(faction).hand)
    battle = game.moments.battle
    for card in battle.committed_cards(faction) if battle else ():
        if card in hand:
            hand.remove(card)
    return hand


def karama_cards(game: Game, faction: Faction) -> list[Card]:
    """The cards that the faction could play as a Karama, in the order in which they go where none is named."""
    return rules_of(game, faction).karama_cards(game, uncommitted_cards(game, faction))


def karama_card(game: Game, faction: Faction, wanted: Card | None = None) -> Card | None:
    """The card that the faction plays as a Karama: the one wanted if it can serve, else the first that does."""
    able = karama_cards(game, faction)
    return wanted if wanted in able else next(iter(able), None)


def put_down(game: Game, faction: Faction, effect: str, wanted: Card | None = None) -> Generator[Stop, None, bool]:
    """Discard the card that serves as a Karama; whether it takes effect, as a worthless one may be cancelled."""
    card = spend(game, faction, effect, wanted)
    if card == KARAMA:
        return True
    moments = game.moments
    before = moments.worthless_played_by, moments.karama_cancelled  # of a card beside which this one is played
    moments.worthless_played_by, moments.karama_cancelled = faction, False
    yield from window(game, "worthless-karama", lambda: not moments.karama_cancelled, by=faction)
    cancelled = moments.karama_cancelled
    moments.worthless_played_by, moments.karama_cancelled = before
    if cancelled:
        game.tell("karama-cancelled", faction=faction, effect=effect)
    return not cancelled


def spend(game: Game, faction: Faction, effect: str, wanted: Card | None = None) -> Card:
    """Discard the card that serves as a Karama and say so; ValueError if there is none."""
    card = karama_card(game, faction, wanted)
    if card is None:
        raise ValueError(f"{faction} holds no Karama")
    game.discard(faction, card)
    game.tell("karama-played", faction=faction, card=card, effect=effect)
    return card
