"""Computer opponents, which choose their orders strategically from their seat's own knowledge.

``choose`` returns the orders with which a seat would answer a question, the best first. It receives a ``Seat`` and the
question as the seat's player sees it (``Asked``), never a position. If there is no policy for that kind of question, or
if the policy finds no legal order, the default applies. So a game never waits for an opponent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Literal, get_args

from rules.components.facts import document
from rules.orders import Order
from rules.players import marches, worth
from rules.players.plain import plain_orders
from rules.players.policies import POLICIES, may_react
from rules.players.seat import MOST_TRIES, UNFORESEEN, Asked, Heard, House, Knowledge, Memory, Seat

Temperament = Literal["careful", "steady", "sharp", "plain"]
TEMPERAMENTS: tuple[Temperament, ...] = get_args(Temperament)


def temperament_named(name: str) -> Temperament:
    for one in TEMPERAMENTS:
        if one == name:
            return one
    raise ValueError(f"There is no opponent {name!r}; the opponents are {', '.join(TEMPERAMENTS)}.")


MOST_ORDERS = 4
"""The maximum number of orders in a choice, including the default, which comes last."""


@cache
def weights_of(temperament: Temperament) -> Mapping[str, float]:
    """Return the numbers of a temperament from ``data/opponents.toml``. The temperament's own numbers replace those of
    ``steady``."""
    file = document("opponents.toml")
    numbers = dict(file.table("steady").values)
    if temperament in file.values:
        numbers |= file.table(temperament).values
    return {name: float(value) for name, value in numbers.items()}


def choose(asked: Asked, seat: Seat, temperament: Temperament = "steady") -> list[Order]:
    """Return legal orders that answer the question, the best first. The last of them is the default."""
    if temperament == "plain":
        wanted = _as_far_as_foreseen(lambda: plain_orders(seat, asked))
    elif temperament == "careful" and asked.kind in _LEFT_ALONE:
        wanted = ()
    else:
        policy = POLICIES.get(asked.kind)
        wanted = _as_far_as_foreseen(lambda: policy(seat, asked)) if policy else ()
    found: list[Order] = []
    if "deals" in seat.view:
        wanted = _as_far_as_foreseen(partial(worth.without_broken_deals, seat, wanted))
    for tries, order in enumerate(wanted):
        if tries == MOST_TRIES or len(found) == MOST_ORDERS - 1:
            break
        if order == asked.default:
            break
        if _is_permitted(asked, order):
            found.append(order)
    return [*found, asked.default]


def sent_along(asked: Asked, seat: Seat, order: Order, temperament: Temperament) -> list[Order]:
    """Return the orders that the seat sends in the same message as its answer. Only a move has one: the best additional
    Hajr move, if it is worth the card."""
    if asked.kind != "movement" or temperament in ("careful", "plain"):
        return []
    return list(_as_far_as_foreseen(lambda: marches.second_move(seat, asked, order)))


def _is_permitted(asked: Asked, order: Order) -> bool:
    return bool(_as_far_as_foreseen(lambda: [order] if asked.permits(order) else []))


def _as_far_as_foreseen(policy: Callable[[], Sequence[Order]]) -> Sequence[Order]:
    """Return the orders that the policy proposes. Return no orders if the policy fails because it was not designed for
    the facts of a rule set or faction."""
    try:
        return list(policy())
    except UNFORESEEN:
        return ()


_LEFT_ALONE = frozenset(
    ("nexus", "shipment", "offer", "transfer", "capture", "ally-support", "karama-window", "storm-cards")
)
"""The questions that a careful player leaves at their default, because an answer could bind the seat's next player."""

__all__ = [
    "POLICIES",
    "TEMPERAMENTS",
    "Asked",
    "Heard",
    "House",
    "Knowledge",
    "Memory",
    "Seat",
    "Temperament",
    "choose",
    "may_react",
    "sent_along",
    "temperament_named",
    "weights_of",
]
