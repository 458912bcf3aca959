"""What lies in the box of a game: that of the first edition, or an expansion's beside it (IT.GEN.1, IT.GEN.3).

The facts of an expansion stand in the same files as all others (``expansion`` and ``added`` in ``data/``); here it is
decided which of them a game has. What is not in its box is refused by name, wherever a player writes it.
"""

from __future__ import annotations

from functools import cache

from rules.components import (
    CARDS,
    FACTION_FACTS,
    FACTIONS,
    LEADERS,
    SPICE_DECK,
    TREACHERY_DECK,
    WORTHLESS,
    Card,
    Faction,
    Leader,
    spice_cards_of,
    treachery_of,
)
from rules.rulesets.options import Option, switch
from rules.rulesets.ruleset import RuleSet

EXPANSION = Option("expansion", {"none": "", "ixians-tleilaxu": "ixians-tleilaxu"})
EXPANSION_CARDS = switch("expansion_cards")
WITH_SANDTROUT = switch("sandtrout")
HERO_IS_A_TRAITOR = switch("cheap_hero_traitor")


def expansion_of(rules: RuleSet) -> str:
    """The expansion that is played, "" for none."""
    return EXPANSION(rules)


def factions_of(rules: RuleSet) -> tuple[Faction, ...]:
    """The factions that can be seated, in the order of the data (IT.GEN.2)."""
    return factions_with(EXPANSION(rules))


def factions_with(expansion: str) -> tuple[Faction, ...]:
    """The factions of the first box and of this expansion beside it ("" for none), in the order of the data."""
    if not expansion:
        return FACTIONS
    return tuple(id for id, facts in FACTION_FACTS.items() if facts.expansion in ("", expansion))


@cache
def leaders_in(rules: RuleSet) -> tuple[Leader, ...]:
    """The leaders in the box, whoever is seated, in the order of the data."""
    boxes = ("", EXPANSION(rules))
    return tuple(name for name, facts in LEADERS.items() if FACTION_FACTS[facts.faction].expansion in boxes)


@cache
def treachery_deck(rules: RuleSet) -> tuple[Card, ...]:
    """All treachery cards of the box, each as often as it is in it (IT.CARD.1)."""
    expansion = EXPANSION(rules)
    return (*TREACHERY_DECK, *(treachery_of(expansion) if expansion and EXPANSION_CARDS(rules) else ()))


@cache
def cards_in(rules: RuleSet) -> tuple[Card, ...]:
    """The different treachery cards of the box."""
    there = set(treachery_deck(rules))
    return tuple(card for card in CARDS if card in there)


@cache
def worthless_in(rules: RuleSet) -> frozenset[Card]:
    """The worthless cards of the box."""
    return WORTHLESS.intersection(cards_in(rules))


@cache
def spice_deck(rules: RuleSet) -> tuple[str, ...]:
    """All spice cards of the box (IT.TROUT.1)."""
    expansion = EXPANSION(rules)
    return (*SPICE_DECK, *(spice_cards_of(expansion) if expansion and WITH_SANDTROUT(rules) else ()))


@cache
def not_in(rules: RuleSet) -> frozenset[str]:
    """Every faction, leader and treachery card that this game has not got."""
    boxes = ("", EXPANSION(rules))
    factions = {id for id, facts in FACTION_FACTS.items() if facts.expansion not in boxes}
    return frozenset({*factions, *LEADERS.keys() - leaders_in(rules), *CARDS.keys() - cards_in(rules)})


def hero_is_dealt(rules: RuleSet) -> bool:
    """Whether the card of all cheap heroes is among the traitor cards (IT.TRAITOR.1)."""
    return bool(EXPANSION(rules)) and HERO_IS_A_TRAITOR(rules)


OPTIONS = (EXPANSION, EXPANSION_CARDS, WITH_SANDTROUT, HERO_IS_A_TRAITOR)
