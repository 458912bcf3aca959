"""Orders of the charity, the bidding and the revival."""

from __future__ import annotations

from rules.components import Forces, Leader
from rules.orders.order import Order


class Charity(Order, frozen=True):
    """``charity``"""


class NoCharity(Order, frozen=True):
    """``no charity``"""


class Bid(Order, frozen=True):
    """``bid N`` or ``bid N with karama``"""

    amount: int
    karama: bool = False


class BidKarama(Order, frozen=True):
    """``bid karama``: over every bid."""


class BidUpTo(Order, frozen=True):
    """``bid up to N [by STEP] [from FIRST]``: raises by the step as needed, for this card, the last raise by less where
    the limit is near. No bid is below ``first``: it opens with it, or jumps to it at once."""

    limit: int
    step: int = 1
    first: int = 0


class Pass(Order, frozen=True):
    """``pass``"""


class PassAll(Order, frozen=True):
    """``pass all``: for the rest of this phase."""


class Support(Order, frozen=True):
    """``support N``: what my ally may spend of my spice on this purchase or shipment."""

    amount: int


class Revive(Order, frozen=True):
    """``revive FORCES``"""

    forces: Forces


class ReviveLeader(Order, frozen=True):
    """``revive LEADER``"""

    leader: Leader


class ReviveKwisatzHaderach(Order, frozen=True):
    """``revive kwisatz haderach``"""


class NoRevival(Order, frozen=True):
    """``no revival``"""
