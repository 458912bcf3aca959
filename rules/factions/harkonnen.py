"""Harkonnen in play (AH.SHIELD.HAR)."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules


class Harkonnen(FactionRules):
    """rules of Harkonnen."""
