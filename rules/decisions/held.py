"""Orders held for a decision still to come in the phase: which of them takes the place of which.

A later message replaces what an earlier one said of the same decision; the lines of one message that can all be meant
are all kept.
"""

from __future__ import annotations

from rules.components.board import territory_of
from rules.orders import (
    ANSWERS,
    FeedAlly,
    Hajr,
    Order,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ride,
    SpareAlly,
    Voice,
)


def replaces(later: Order, earlier: Order) -> bool:
    """Whether two held orders are for the same decision. "no ride", "no voice" and "no revival" are for all of their
    kind."""
    if _decision(later) != _decision(earlier):
        return False
    one, other = _about(later), _about(earlier)
    return one == other or None in (one, other)


def stand_together(later: Order, earlier: Order) -> bool:
    """Whether both lines of one message are meant: several groups may ride the same worm."""
    return later != earlier and isinstance(later, Ride) and isinstance(earlier, Ride)


def _decision(order: Order) -> tuple[object, ...]:
    kinds = ANSWERS.get(type(order), ())
    if isinstance(order, SpareAlly | FeedAlly):
        return (kinds, "ally")
    return (kinds, type(order) if kinds in (("nexus",), ("transfer",)) or isinstance(order, Hajr) else None)


def _about(order: Order) -> str | None:
    """Which of several decisions of a kind is meant: the worm by where it is, the Voice by whom it speaks to, the
    revival by what comes back."""
    match order:
        case Revive():
            return "tokens"
        case ReviveLeader() | ReviveKwisatzHaderach():
            return "leaders"
        case Ride():
            return territory_of(order.source)
        case Voice():
            return order.faction
    return getattr(order, "territory", None)
