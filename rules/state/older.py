"""Positions as they were written before some of their fields existed.

Of most snapshots of a game only a digest is kept. A rule set that needs to remember more adds a field to the position,
which is then in every new snapshot, also of games that have no use for it. So that a game which began before can still
be checked against its digests, a position can be written without those fields. Who adds one names it here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

LATEST = ("last_turn",)
"""What only the newest Mentat has."""
ADDED_TO_STATE = (
    "bribes", "old_alliances", "ridden_to", "forfeits", "revived", "next_storm_unseen", "special_karamas", *LATEST
)  # fmt: skip
ADDED_TO_PLAYERS = ("dealt_traitors",)
ADDED_TO_LEADERS = ("seen_by",)
ADDED_TO_PROMISES = ("on_the_way",)
ADDED_TO_DEALS = ("terms",)


def as_written_before(state: bytes) -> bytes:
    """The same position without the fields that were added since the first rule set."""
    position: dict[str, Any] = msgspec.msgpack.decode(state)
    _drop(position, ADDED_TO_STATE)
    for player in position["players"].values():
        _drop(player, ADDED_TO_PLAYERS)
    for leader in position["leaders"].values():
        _drop(leader, ADDED_TO_LEADERS)
    for promise in position["promises"]:
        _drop(promise, ADDED_TO_PROMISES)
    for deal in position["deals"]:
        _drop(deal, ADDED_TO_DEALS)
    return msgspec.msgpack.encode(position)


def as_written_lately(state: bytes) -> bytes:
    """The same position without the fields that were added last."""
    position: dict[str, Any] = msgspec.msgpack.decode(state)
    _drop(position, LATEST)
    for deal in position["deals"]:
        _drop(deal, ADDED_TO_DEALS)
    return msgspec.msgpack.encode(position)


def _drop(table: dict[str, Any], names: Collection[str]) -> None:
    for name in names:
        table.pop(name, None)
