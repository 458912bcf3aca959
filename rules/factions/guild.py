"""The Spacing Guild in play (AH.SHIELD.GUI)."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules


class Guild(FactionRules):
    """The rules of the Spacing Guild."""

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    powers_taken_by = ("guild in turn",)
