"""A game that was stopped before its last turn is decided on the public board, as it was at the last completed pause.

A side is somebody alone or an alliance. It is the nearer to winning the fewer strongholds it lacks; then the more it
holds; then the more tokens it has in strongholds; then the earlier one of it comes in the order of the storm. No
prediction counts, and no default. Where nobody holds a stronghold, nobody has won, and the table scores nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rules.components import Faction

Decider = Literal["deficit", "strongholds", "tokens", "storm", ""]


@dataclass(frozen=True, slots=True)
class Side:
    """A side on the public board: how many strongholds it needs and holds, its tokens in those that it holds, and the
    place in the order of the storm (1 is first) of the first of its members."""

    members: tuple[Faction, ...]
    needed: int
    held: int
    tokens: int
    order: int

    @property
    def deficit(self) -> int:
        """How many strongholds it lacks; 0 or less: it has enough."""
        return self.needed - self.held


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a stopped game ends like. ``by`` is what put the winners before the next side ("": there is none)."""

    kind: Literal["adjudicated", "void"]
    winners: tuple[Faction, ...]
    by: Decider
    sides: tuple[Side, ...]


def stopped(sides: Sequence[Side]) -> Stopped:
    """How a game ends that is stopped with this board. ValueError without sides, or if two of them share a member.

    >>> pair, alone = Side(("atreides", "emperor"), 4, 3, 9, 2), Side(("harkonnen",), 3, 2, 12, 1)
    >>> stopped([alone, pair]).winners, stopped([alone, pair]).by
    (('atreides', 'emperor'), 'strongholds')
    """
    members = [member for side in sides for member in side.members]
    if not members or len(set(members)) < len(members):
        raise ValueError(f"no sides of a table: {sides!r}")
    ranked = tuple(sorted(sides, key=lambda side: (_key(side), side.members)))
    if not any(side.held for side in ranked):
        return Stopped("void", (), "", ranked)
    return Stopped("adjudicated", ranked[0].members, _parted(ranked), ranked)


def _key(side: Side) -> tuple[int, int, int, int]:
    return side.deficit, -side.held, -side.tokens, side.order


def _parted(ranked: Sequence[Side]) -> Decider:
    if len(ranked) == 1:
        return ""
    deciders: tuple[Decider, ...] = ("deficit", "strongholds", "tokens", "storm")
    for decider, first, second in zip(deciders, _key(ranked[0]), _key(ranked[1]), strict=True):
        if first != second:
            return decider
    return ""
