"""What is open to all where the documents differ (AH.XIII.B, WBC.VIII.20, WBC.X.28)."""

from __future__ import annotations

from rules.rulesets.options import Option
from rules.rulesets.ruleset import RuleSet
from rules.state.state import State

ALL_DISCARDS_SEEN = Option("discards_visible", {"all": True, "top_card": False})
HAND_COUNTS_SEEN = Option("hand_counts_public", {"always": True, "bidding_only": False})
CAPTIVES_SEEN = Option("captive_identity", {"public": True, "secret": False})

OPTIONS = (ALL_DISCARDS_SEEN, HAND_COUNTS_SEEN, CAPTIVES_SEEN)


def hand_counts_seen(state: State, rules: RuleSet) -> bool:
    """Whether all may know now how many cards each player holds: it is declared for the bidding."""
    return HAND_COUNTS_SEEN(rules) or state.phase == "bidding"
