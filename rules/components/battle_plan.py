"""The parts of a battle plan, by name (AH.X.C.3)."""

from __future__ import annotations

from typing import Literal

Element = Literal["leader", "weapon", "defense", "number"]
"""What Atreides may ask to see of a plan."""

CHEAP_HERO = "cheap hero"  # stands in a plan for whichever cheap hero card the player holds
