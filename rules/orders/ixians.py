"""Orders of the Ixians, and of their ally: the mobile stronghold, the cards that they handle, their losses."""

from __future__ import annotations

from rules.components import Card
from rules.components.board import Area
from rules.orders.order import Order


class StartWith(Order, frozen=True):
    """``start with CARD``: of the first cards that one is kept."""

    card: Card


class StrongholdAt(Order, frozen=True):
    """``hms at AREA``: where the Hidden Mobile Stronghold points first."""

    area: Area


class StrongholdTo(Order, frozen=True):
    """``hms [via AREA, …] to AREA``: the way of the Hidden Mobile Stronghold; areas between two named ones may be left
    out."""

    target: Area
    via: tuple[Area, ...] = ()


class StrongholdStays(Order, frozen=True):
    """``hms stays``"""


class PutBack(Order, frozen=True):
    """``put CARD on top|at the bottom``: the card that goes back to the deck before the auction."""

    card: Card
    top: bool


class Swap(Order, frozen=True):
    """``swap CARD``: a card of one's hand for the next one that is to be sold."""

    card: Card


class NoSwap(Order, frozen=True):
    """``no swap``: not for this card."""


class NoSwapAll(Order, frozen=True):
    """``no swap all``: not for the rest of this phase."""


class Redraw(Order, frozen=True):
    """``redraw``: discard the card just bought and take the top card of the deck."""


class NoRedraw(Order, frozen=True):
    """``no redraw``"""


class Exchange(Order, frozen=True):
    """``exchange N``: so many surviving Suboids go to the tanks instead of Cyborgs."""

    number: int


class NoExchange(Order, frozen=True):
    """``no exchange``: neither of Cyborgs for Suboids, nor of a face dancer."""
