"""Orders by which spice is given and deals are made: in the collection, and at any stop."""

from __future__ import annotations

from rules.components import Faction
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


class Deal(Order, frozen=True):
    """``deal with FACTION: TEXT [; I pay N] [; you pay N]``"""

    faction: Faction
    text: str
    i_pay: int = 0
    you_pay: int = 0
