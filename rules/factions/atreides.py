"""Atreides in play (AH.SHIELD.ATR)."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules


class Atreides(FactionRules):
    """rules of Atreides."""
