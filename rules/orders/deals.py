"""Orders by which spice is given and deals are made: in the collection, and at any stop."""

from __future__ import annotations

from typing import Literal

from rules.components import Faction
from rules.orders.conditions import Condition
from rules.orders.order import Order


class Give(Order, frozen=True):
    """``give N spice to FACTION``"""

    amount: int
    faction: Faction


class NoTransfer(Order, frozen=True):
    """``no transfer``"""


class Accept(Order, frozen=True):
    """``accept``"""


class Decline(Order, frozen=True):
    """``decline``"""


class EmperorGives(Order, frozen=True):
    """``emperor gives N to FACTION``"""

    amount: int
    faction: Faction


Goods = Literal["card", "forces", "leader", "traitor", "power"]
"""What a deal may speak of and cannot move."""


class Deal(Order, frozen=True):
    """``deal with FACTION: TEXT [; I pay N] [; you pay N] [; I escrow N] [; you escrow N] [; if CONDITION]
    [; broken if CONDITION] [; until turn N]``, or ``secret deal with …``.

    What is paid, and what is set aside in escrow, falls due when the ``condition`` comes true. ``until`` is the last
    turn for which the deal stands (0: no end). ``goods`` is what else was to change hands, which no rules allow.
    """

    faction: Faction
    text: str
    i_pay: int = 0
    you_pay: int = 0
    i_escrow: int = 0
    you_escrow: int = 0
    condition: Condition | None = None
    broken_if: Condition | None = None
    until: int = 0
    secret: bool = False
    goods: tuple[Goods, ...] = ()
