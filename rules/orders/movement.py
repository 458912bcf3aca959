"""Orders of shipment and movement."""

from __future__ import annotations

from rules.components import Forces
from rules.components.board import Area, TerritoryId
from rules.orders.order import Order


class Fight(Order, frozen=True):
    """``fight in TERRITORY``: the Bene Gesserit do not coexist there."""

    territory: TerritoryId


class Coexist(Order, frozen=True):
    """``coexist in TERRITORY``"""

    territory: TerritoryId


class Ship(Order, frozen=True):
    """``ship FORCES [from AREA] to AREA|reserves``: no source means from reserves, no target back to reserves."""

    forces: Forces
    source: Area | None = None
    target: Area | None = None


class NoShipment(Order, frozen=True):
    """``no shipment``"""


class Advise(Order, frozen=True):
    """``advise AREA``"""

    area: Area


class NoAdvisor(Order, frozen=True):
    """``no advisor``"""


class GoNow(Order, frozen=True):
    """``go now``"""


class Wait(Order, frozen=True):
    """``wait``"""


class Move(Order, frozen=True):
    """``move FORCES from AREA [via TERRITORY, …] to AREA``"""

    forces: Forces
    source: Area
    target: Area
    via: tuple[TerritoryId, ...] = ()


class NoMove(Order, frozen=True):
    """``no move``"""


class Hajr(Order, frozen=True):
    """``hajr move …``: the Hajr card and the second move that it gives."""

    move: Move
