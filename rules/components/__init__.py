"""What lies in the box: the board, forces, cards, leaders and factions, and chance.

The facts come from files in `data/`. The names used most can be imported from here.
"""

from rules.components.cards import (
    CARDS,
    KARAMA,
    SANDTROUT,
    SHAI_HULUD,
    SPICE_DECK,
    TREACHERY_DECK,
    WORTHLESS,
    Card,
    CardFacts,
    CardKind,
    card_kind,
    is_defense,
    is_weapon,
    spice_card_territory,
    spice_cards_of,
    treachery_of,
)
from rules.components.factions import (
    FACTION_FACTS,
    FACTIONS,
    FREMEN_LANDING,
    KWISATZ_HADERACH_LOSSES,
    KWISATZ_HADERACH_STRENGTH,
    Faction,
    FactionFacts,
    as_faction,
    faction_name,
)
from rules.components.forces import Forces
from rules.components.leaders import LEADERS, Leader, LeaderFacts, leader_strength, leaders_of, weakest_first

__all__ = [
    "CARDS",
    "FACTIONS",
    "FACTION_FACTS",
    "FREMEN_LANDING",
    "KARAMA",
    "KWISATZ_HADERACH_LOSSES",
    "KWISATZ_HADERACH_STRENGTH",
    "LEADERS",
    "SANDTROUT",
    "SHAI_HULUD",
    "SPICE_DECK",
    "TREACHERY_DECK",
    "WORTHLESS",
    "Card",
    "CardFacts",
    "CardKind",
    "Faction",
    "FactionFacts",
    "Forces",
    "Leader",
    "LeaderFacts",
    "as_faction",
    "card_kind",
    "faction_name",
    "is_defense",
    "is_weapon",
    "leader_strength",
    "leaders_of",
    "spice_card_territory",
    "spice_cards_of",
    "treachery_of",
    "weakest_first",
]
