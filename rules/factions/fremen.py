"""The Fremen in play (AH.SHIELD.FRE)."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules


class Fremen(FactionRules):
    """The rules of the Fremen."""
