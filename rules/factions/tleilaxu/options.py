"""What is chosen about the Tleilaxu before a game: readings of rules that the documents leave open (IT.LIST.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rules.rulesets.options import Option, switch

GHOLAS = switch("tleilaxu_gholas")
"""Whether dead leaders of others may come into their service: in the advanced game (IT.LIST.2)."""

OWN_GHOLA_CARD_PAYS = Option("ghola_card_spice_own", {"yes": True, "no": False})
ALLYS_LEADERS_ROUNDED_UP = Option("tleilaxu_rounding", {"up": True, "down": False})
FACE_DOWN_COME_EARLY = Option("early_face_down", {"yes": True, "no": False})
KARAMA_REVIVAL_PAYS = Option("karama_revival_pays", {"no": False, "yes": True})
KARAMA_STOPS_FREE_PAY = Option("karama_revival_payment", {"price_and_free": True, "price": False})

BARRED_BY_STORM = Option("face_dancer_storm", {"barred": True, "free": False})
HERO_MAY_BE_ONE = Option("cheap_hero_face_dancer", {"yes": True, "no": False})
LEADERS_OF_OTHERS_MAY_BE_ONE = Option("face_dancer_captive", {"yes": True, "no": False})
AGAINST_THE_ALLY = Option("face_dancer_vs_ally", {"yes": True, "no": False})
NEWCOMERS_FIGHT = Option("face_dancer_battle_due", {"yes": True, "no": False})

TraitorValue = Literal["opponent", 3, 0]
_VALUES: Mapping[str | int | bool, TraitorValue] = {"opponent_leader": "opponent", "3": 3, "0": 0}
ZOAL_AS_TRAITOR: Option[TraitorValue] = Option("zoal_traitor_value", _VALUES)
ZOAL_IS_HALVED = Option("zoal_price", {"3_flat": False, "6_halved": True})

DEAD_GHOLA_STAYS = Option("dead_ghola", {"tleilaxu_sell": True, "owner_revives": False})
GHOLA_IS_GONE = Option("ghola_counts_as_gone", {"yes": True, "no": False})
GHOLA_RETURNS_TO_THEM = Option("ghola_captive_returns_to", {"tleilaxu": True, "old_owner": False})

STOPS_ALL = Option("stop_revival", {"all_normal": True, "forces_or_leader": False})
"""Whether their special Karama stops tokens and leaders, or only one of the two: leaders if it is played once tokens
have come back, else tokens (IT.TL-KARAMA.2)."""
STOPS_CARDS = Option("stop_revival_cards", {"no": False, "yes": True})

OPTIONS = (
    GHOLAS,
    OWN_GHOLA_CARD_PAYS,
    ALLYS_LEADERS_ROUNDED_UP,
    FACE_DOWN_COME_EARLY,
    KARAMA_REVIVAL_PAYS,
    KARAMA_STOPS_FREE_PAY,
    BARRED_BY_STORM,
    HERO_MAY_BE_ONE,
    LEADERS_OF_OTHERS_MAY_BE_ONE,
    AGAINST_THE_ALLY,
    NEWCOMERS_FIGHT,
    ZOAL_AS_TRAITOR,
    ZOAL_IS_HALVED,
    DEAD_GHOLA_STAYS,
    GHOLA_IS_GONE,
    GHOLA_RETURNS_TO_THEM,
    STOPS_ALL,
    STOPS_CARDS,
)
