"""Opponents: players who decide by strategy, from what their seat may know.

``choose`` returns the orders with which a seat would answer a question, the best first. It sees a ``Seat`` and what was
asked (``Asked``), never a position. A kind of question without a policy gets its default, and so does one where the
policy fails to find a legal order: a game never waits for an opponent.
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
    raise ValueError(f"There is no opponent {name!r}; there are {', '.join(TEMPERAMENTS)}.")


MOST_ORDERS = 4
"""How many orders a choice offers at most, the last of them the default."""


@cache
def weights_of(temperament: Temperament) -> Mapping[str, float]:
    """Return the numbers of a temperament from ``data/opponents.toml``: those of ``steady``, with its own changes."""
    file = document("opponents.toml")
    numbers = dict(file.table("steady").values)
    if temperament in file.values:
        numbers |= file.table(temperament).values
    return {name: float(value) for name, value in numbers.items()}


def choose(asked: Asked, seat: Seat, temperament: Temperament = "steady") -> list[Order]:
    """Return legal orders that answer the question, the best first; the default ends the list."""
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
    """Return what the seat sends in the same message as its answer: the best Hajr beside a move, if there is one."""
    if asked.kind != "movement" or temperament in ("careful", "plain"):
        return []
    return list(_as_far_as_foreseen(lambda: marches.second_move(seat, asked, order)))


def _is_permitted(asked: Asked, order: Order) -> bool:
    return bool(_as_far_as_foreseen(lambda: [order] if asked.permits(order) else []))


def _as_far_as_foreseen(policy: Callable[[], Sequence[Order]]) -> Sequence[Order]:
    """Return what the policy proposes; nothing if a rule set or a faction shows it facts that nobody foresaw."""
    try:
        return list(policy())
    except UNFORESEEN:
        return ()


_LEFT_ALONE = frozenset(
    ("nexus", "shipment", "offer", "transfer", "capture", "ally-support", "karama-window", "storm-cards")
)
"""What a careful player leaves at its default: it would bind or spend what belongs to the seat's next player."""

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
