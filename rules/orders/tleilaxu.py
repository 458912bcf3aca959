"""Orders of the Tleilaxu, and of those who deal with them: revivals for others, and face dancers."""

from __future__ import annotations

from rules.components import Faction, Forces, Leader
from rules.components.board import Area
from rules.orders.order import Order

# --- revival ---------------------------------------------------------------------------------------------------------


class RaiseLimits(Order, frozen=True):
    """``limit five for FACTION, …`` or ``limit five for all`` (``everybody``); ``limit three for all`` names nobody."""

    factions: tuple[Faction, ...] = ()
    everybody: bool = False


class AskForLeader(Order, frozen=True):
    """``ask for LEADER`` or ``ask for kwisatz haderach``, which names no leader."""

    leader: Leader | None = None
    kwisatz_haderach: bool = False


class NoRequest(Order, frozen=True):
    """``no request``"""


class NamePrice(Order, frozen=True):
    """``price N for LEADER`` or ``price N for kwisatz haderach``"""

    amount: int
    leader: Leader | None = None
    kwisatz_haderach: bool = False


class NoPrice(Order, frozen=True):
    """``no price for LEADER`` or ``no price for kwisatz haderach``; ``no price`` is for all who were asked for."""

    leader: Leader | None = None
    kwisatz_haderach: bool = False


# --- face dancers ----------------------------------------------------------------------------------------------------


class RevealDancer(Order, frozen=True):
    """``face dancer``: the leader who has won is one."""


class NoDancer(Order, frozen=True):
    """``no face dancer``"""


class Replace(Order, frozen=True):
    """``replace with N from reserves[, N from AREA …] [to AREA]`` or ``replace with none``, which names no group.

    ``groups`` are forces with the area that they come from, None for the reserves.
    """

    groups: tuple[tuple[Forces, Area | None], ...] = ()
    target: Area | None = None


class SwapDancer(Order, frozen=True):
    """``exchange dancer LEADER``"""

    leader: Leader
