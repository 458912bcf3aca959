"""What a random game is played for: one effect of a Karama, so that each is seen often enough in a long run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.soak.powers import SPECIAL, karama_effects
from rules.components import Faction
from rules.components.chance import Chance
from rules.orders import KaramaEffect
from rules.rulesets.ruleset import RuleSet

EASY: frozenset[KaramaEffect] = frozenset({
    "block spice card", "block bidding cards", "free card purchase", "cancel card payment", "guild in turn",
})  # fmt: skip
"""Effects that come by themselves."""

TOUCHED: Mapping[KaramaEffect, Faction] = {
    "cancel voice": "bene-gesserit", "cancel karama": "bene-gesserit", "cancel advisor": "bene-gesserit",
    "cancel charity": "bene-gesserit", "cancel flip": "bene-gesserit",
    "cancel prescience": "atreides", "cancel kwisatz haderach": "atreides", "see plan": "atreides",
    "block spice card": "atreides", "block bidding cards": "atreides",
    "cancel sardaukar": "emperor", "cancel card payment": "emperor", "cancel gift": "emperor", "revive": "emperor",
    "cancel extra revival": "emperor",
    "cancel fedaykin": "fremen", "cancel worm": "fremen", "cancel fremen support": "fremen",
    "cancel fremen move": "fremen", "cancel storm card": "fremen", "worm": "fremen",
    "cancel free card": "harkonnen", "cancel capture": "harkonnen", "cancel ally traitor": "harkonnen",
    "take cards": "harkonnen",
    "cancel guild shipment": "guild", "cancel half rate": "guild", "cancel shipping payment": "guild",
    "cancel ally rate": "guild", "guild in turn": "guild", "stop shipment": "guild",
}  # fmt: skip
"""Without whom an effect meets nothing."""


def wish_for(rules: RuleSet, seed: str, factions: Sequence[Faction]) -> KaramaEffect:
    """The effect for which the Karamas of a game are kept; one that its players can bring about."""
    effects = karama_effects(rules)
    possible = [effect for effect in effects if effect not in EASY and TOUCHED.get(effect, "") in ("", *factions)]
    return Chance(seed, {}).pick("wish", possible or effects)


def may_hold(effect: KaramaEffect, faction: Faction) -> bool:
    """Whether a Karama in this faction's hand can be played for the effect."""
    return TOUCHED.get(effect) == faction if effect in SPECIAL else TOUCHED.get(effect) != faction
