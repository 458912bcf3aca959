"""The Ixians (IT.SETUP-IX): Suboids and Cyborgs, and the Hidden Mobile Stronghold, which is on the board with them."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules


class Ixians(FactionRules):
    """The rules of the Ixians."""
