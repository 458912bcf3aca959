"""What a random game is played for: one effect of a Karama, so that each is seen often enough in a long run; a few with
an expansion, which brings more of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.soak.powers import SPECIAL, karama_effects
from rules.components import Faction
from rules.components.chance import Chance
from rules.orders import KaramaEffect
from rules.rulesets.box import expansion_of
from rules.rulesets.ruleset import RuleSet

EASY: frozenset[KaramaEffect] = frozenset({
    "block spice card", "block bidding cards", "free card purchase", "cancel card payment", "guild in turn",
})  # fmt: skip
"""Effects that come by themselves."""

SELDOM_WITH_EIGHT: frozenset[KaramaEffect] = frozenset({"cancel card payment", "guild in turn"})
"""But not these where eight factions may be played, as whom they touch is less often there."""

RAREST: frozenset[KaramaEffect] = frozenset({
    "cancel flip", "cancel advisor", "cancel guild shipment", "cancel half rate", "cancel capture", "cancel fedaykin",
    "cancel sardaukar", "cancel karama", "cancel free card", "cancel worm", "cancel exchange", "cancel technology",
    "cancel ghola", "cancel early revival", "cancel raised limits", "cancel dancer swap", "cancel token payment", "hms",
})  # fmt: skip
"""Effects for which a chance seldom comes; they are wished for twice as often."""

FOR_ALLIES: frozenset[KaramaEffect] = frozenset({
    "cancel gift", "cancel extra revival", "cancel ally rate", "cancel ally traitor", "cancel redraw",
})  # fmt: skip
"""Effects against what somebody does for an ally: wished for in games of enough players for alliances, and there
oftener still."""
ENOUGH_FOR_ALLIANCES = 4

AT_ONCE = 2
"""So many effects are wished for in one game with an expansion."""

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
    "cancel auction look": "ixians", "cancel cyborg speed": "ixians", "cancel cyborgs": "ixians", "hms": "ixians",
    "cancel exchange": "ixians", "cancel hms move": "ixians", "cancel redraw": "ixians", "cancel technology": "ixians",
    "cancel dancer swap": "tleilaxu", "cancel raised limits": "tleilaxu", "cancel half price": "tleilaxu",
    "cancel revival payment": "tleilaxu", "cancel early revival": "tleilaxu", "cancel ghola": "tleilaxu",
    "stop revival": "tleilaxu",
}  # fmt: skip
"""Without whom an effect meets nothing."""


def wishes_for(rules: RuleSet, seed: str, factions: Sequence[Faction]) -> tuple[KaramaEffect, ...]:
    """The effects for which the Karamas of a game are kept; such as its players can bring about."""
    effects = karama_effects(rules)
    wished: list[KaramaEffect] = []
    many = bool(expansion_of(rules))
    easy = EASY - SELDOM_WITH_EIGHT if many else EASY
    for effect in effects:
        if effect in easy or TOUCHED.get(effect, "") not in ("", *factions):
            continue
        if effect in FOR_ALLIES:
            wished += [effect] * ((8 if many else 4) if len(factions) >= ENOUGH_FOR_ALLIANCES else 0)
        else:
            wished += [effect] * ((4 if many else 2) if effect in RAREST else 1)
    chance, number = Chance(seed, {}), AT_ONCE if many else 1
    return tuple(dict.fromkeys(chance.pick("wish", wished or effects) for _ in range(number)))


def may_hold(effect: KaramaEffect, faction: Faction) -> bool:
    """Whether a Karama in this faction's hand can be played for the effect."""
    return TOUCHED.get(effect) == faction if effect in SPECIAL else TOUCHED.get(effect) != faction
