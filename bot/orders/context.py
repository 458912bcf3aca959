"""What the reader of a line may use to understand it: only what its writer knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from rules.components import FACTIONS, Card, Faction, Forces, Leader
from rules.components.board import Area
from rules.orders import Order, PhaseName, QuestionKind
from rules.orders.conditions import Condition


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that is open for the writer: what it is about, and sample answers, legal all of them."""

    kind: QuestionKind
    about: Mapping[str, Any]
    samples: Callable[[], Sequence[Order]]


@dataclass(frozen=True, slots=True)
class Known:
    """The position as its writer sees it.

    ``forces`` are their own on the board. ``judge`` says what would become of an order of theirs if they sent it now:
    "accepted", "held", or "refused" and why, in the words in which they would be told.
    """

    asked: Sequence[Asked]
    forces: Mapping[Area, Forces]
    reserves: Forces
    tanks: Forces
    spice: int
    allies: Sequence[Faction]
    judge: Callable[[Order], tuple[Literal["accepted", "held", "refused"], str]]


@dataclass(frozen=True, slots=True)
class Context:
    """The writer of a line.

    ``factions`` are those in play, ``hand`` their cards, ``leaders`` those they may send into battle, captives
    included (left out: their faction's), ``traitors`` the ones they drew. All this only decides what a shortened name
    means. ``today`` is the day on which they write, for dates without a year; ``turn`` and ``phase`` are when they
    write, to tell what is over. ``edition`` is whose leaders' names they are used to: "Yueh" is one leader in 1979
    and part of two names in 2019. ``known`` is the position as the writer sees it, from which plain words are
    understood (``bot.orders.plain``); without it only the grammar is read. ``takes``: whether what is certain in
    plain words is taken, or only proposed. ``conditions`` reads what a deal hangs on, or raises ``Misread``; without it
    no such deal can be read.
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
    known: Callable[[], Known] | None = None
    takes: bool = True
    conditions: Callable[[str, Context], Condition] | None = None
