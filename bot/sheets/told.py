"""This turn's events as one seat saw them: the raw material of what its sheet may know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rules.components import Faction
from rules.orders import PhaseName
from rules.state.events import Event


@dataclass(frozen=True, slots=True)
class Told:
    """An event with the facts that the seat may know, its own among them."""

    kind: str
    phase: PhaseName
    facts: Mapping[str, Any]


def told_to(faction: Faction, happened: Sequence[Event], turn: int) -> Sequence[Told]:
    """What a faction was told of the events of a turn, in their order."""
    return [
        Told(event.kind, event.phase, event.seen_by(faction))
        for event in happened
        if event.turn == turn and event.visible_to(faction)
    ]
