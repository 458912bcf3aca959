"""The Tleilaxu (IT.SETUP-TL): twenty forces in reserve, and nobody in their pay."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules


class Tleilaxu(FactionRules):
    """The rules of the Tleilaxu."""
