"""What is open to all where the documents differ (AH.XIII.B, WBC.VIII.20, WBC.X.28)."""

from __future__ import annotations

from rules.components import Leader
from rules.components.board import TerritoryId
from rules.rulesets.options import Option
from rules.rulesets.ruleset import RuleSet
from rules.state.state import State

ALL_DISCARDS_SEEN = Option("discards_visible", {"all": True, "top_card": False})
HAND_COUNTS_SEEN = Option("hand_counts_public", {"always": True, "bidding_only": False})
CAPTIVES_SEEN = Option("captive_identity", {"public": True, "secret": False})
USED_LEADERS_STAY = Option("used_leader_display", {"stays_until_battles_end": True, "returned": False})

OPTIONS = (ALL_DISCARDS_SEEN, HAND_COUNTS_SEEN, CAPTIVES_SEEN, USED_LEADERS_STAY)


def hand_counts_seen(state: State, rules: RuleSet) -> bool:
    """Whether all may know now how many cards each player holds: it is declared for the bidding."""
    return HAND_COUNTS_SEEN(rules) or state.phase == "bidding"


def leaders_on_board(state: State, rules: RuleSet) -> dict[TerritoryId, list[Leader]]:
    """The leaders who stay where they fought until all battles are over, by territory (GF9.BATTLE.21)."""
    found: dict[TerritoryId, list[Leader]] = {}
    if state.phase == "battle" and USED_LEADERS_STAY(rules):
        for leader, standing in state.leaders.items():
            if standing.fought_in is not None:
                found.setdefault(standing.fought_in, []).append(leader)
    return found
