"""What an order names that is not in this game: a faction, a leader, a card or a territory of an expansion that is not
played. Such an order is refused whatever is being decided, before anything is looked at (IT.GEN.1, IT.HMS.30)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.components import FACTION_FACTS
from rules.components.board import MOBILE_STRONGHOLD, TERRITORIES, territory_of
from rules.orders import Order
from rules.rulesets.box import not_in
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

_MOBILE = territory_of(MOBILE_STRONGHOLD)
_IN_OWN_WORDS = ("text", "question")
"""Fields of orders that hold what a player says to others."""


def not_in_this_game(game: Game, order: Order) -> Refusal | None:
    """Why the order cannot be right in this game: it names what its box does not hold; None where it does not.

    What a player says in words of their own, and what a Truthtrance asks, may speak of anything.
    """
    lacking = not_in(game.rules)
    mobile_is_there = game.plays(TERRITORIES[_MOBILE].owner)
    for name in _names(order):
        if name in lacking:
            printed = FACTION_FACTS[name].name if name in FACTION_FACTS else name
            return Refusal(f"{printed}: that is not in this game; it belongs to an expansion.", "box.not-in-this-game")
        if name == _MOBILE and not mobile_is_there:
            owner = FACTION_FACTS[TERRITORIES[_MOBILE].owner].name
            return Refusal(
                f"{TERRITORIES[_MOBILE].name}: it is in no game without {owner}.", "box.no-mobile-stronghold"
            )
    return None


def _names(part: object) -> Iterator[str]:
    """Every name in an order; areas of one sector are not looked at, as they are on every board."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Order):
        for field in part.__struct_fields__:
            if field not in _IN_OWN_WORDS:
                yield from _names(getattr(part, field))
    elif isinstance(part, tuple):
        for value in part:
            yield from _names(value)
