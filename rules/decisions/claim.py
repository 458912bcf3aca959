"""Claims to a game whose last turn ends without a winner (AH.SHIELD.FRE.4, AH.SHIELD.GUI.4, AH.QA.E.3)."""

from __future__ import annotations

from enum import IntEnum


class Claim(IntEnum):
    """How good a faction's claim is to win when the last turn ends without a winner; the best one wins."""

    NONE = 0
    WHERE_NO_OTHER = 1
    BY_DEFAULT = 2
    EARNED = 3
