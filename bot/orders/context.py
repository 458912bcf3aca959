"""What the reader of a line may use to understand it: only what its writer knows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from rules.components import FACTIONS, Card, Faction, Leader
from rules.orders import PhaseName


@dataclass(frozen=True, slots=True)
class Context:
    """The writer of a line.

    ``factions`` are those in play, ``hand`` their cards, ``leaders`` those they may send into battle, captives
    included (left out: their faction's), ``traitors`` the ones they drew. All this only decides what a shortened name
    means. ``today`` is the day on which they write, for dates without a year; ``turn`` and ``phase`` are when they
    write, to tell what is over. ``edition`` is whose leaders' names they are used to: "Yueh" is one leader in 1979
    and part of two names in 2019.
    """

    faction: Faction
    factions: frozenset[Faction] = frozenset(FACTIONS)
    hand: tuple[Card, ...] = ()
    leaders: tuple[Leader, ...] = ()
    traitors: tuple[Leader, ...] = ()
    today: date | None = None
    turn: int | None = None
    phase: PhaseName | None = None
    edition: Literal["1979", "2019"] = "1979"
