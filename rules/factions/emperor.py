"""The Emperor in play (AH.SHIELD.EMP)."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules


class Emperor(FactionRules):
    """The rules of the Emperor."""
