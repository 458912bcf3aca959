"""What is open to all where the documents differ (AH.XIII.B, WBC.VIII.20, WBC.X.28)."""

from __future__ import annotations

from rules.rulesets.options import Option

ALL_DISCARDS_SEEN = Option("discards_visible", {"all": True, "top_card": False})
HAND_COUNTS_SEEN = Option("hand_counts_public", {"always": True, "bidding_only": False})
CAPTIVES_SEEN = Option("captive_identity", {"public": True, "secret": False})

OPTIONS = (ALL_DISCARDS_SEEN, HAND_COUNTS_SEEN, CAPTIVES_SEEN)
