"""Orders held for a decision still to come in the phase: which of them takes the place of which.

A later message replaces what an earlier one said of the same decision; the lines of one message that can all be meant
are all kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from rules.components import Faction
from rules.components.board import territory_of
from rules.decisions.catalogue import rules_of
from rules.orders import (
    ANSWERS,
    FeedAlly,
    Hajr,
    NoRevival,
    Order,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ride,
    SpareAlly,
    Voice,
)
from rules.state.game import Game


def staying(game: Game, faction: Faction, order: Order, of_this_message: Sequence[Order]) -> list[Order]:
    """The faction's held orders that go on to wait when this one is held too. ``of_this_message`` are those that came
    in the same message."""
    return [
        other
        for other in game.held.get(faction, ())
        if not replaces(order, other)
        or (other in of_this_message and stand_together(order, other))
        or _both_come_back(game, faction, order, other)
    ]


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


def _both_come_back(game: Game, faction: Faction, later: Order, earlier: Order) -> bool:
    """Whether two orders about revival are meant together, in whatever messages they came: leaders where the
    faction may have several back, and a leader where no tokens are wanted."""
    if not isinstance(later, ReviveLeader | ReviveKwisatzHaderach) or later == earlier:
        return False
    if isinstance(earlier, NoRevival):
        return game.state.phase == "revival" and not game.moments.tokens_are_back
    return rules_of(game, faction).revives_leaders_at_will(game)


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
