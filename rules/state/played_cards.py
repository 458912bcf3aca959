"""Which card an event tells to have been played, apart from those in battle plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.components import Card, Faction


def card_played(kind: str, facts: Mapping[str, Any], faction: Faction) -> Card | None:
    """The card that the faction put down with an event of this kind, apart from battle plans."""
    if facts.get("faction") != faction:
        return None
    match kind:
        case "karama-played":
            return Card(facts["card"])
        case "move" if facts["hajr"]:
            return Card("Hajr")
    return _CARD_PLAYED_BY.get(kind)


_CARD_PLAYED_BY = {
    "ghola-tokens": Card("Tleilaxu Ghola"),
    "ghola-leader": Card("Tleilaxu Ghola"),
    "ghola-kwisatz-haderach": Card("Tleilaxu Ghola"),
    "truthtrance-asked": Card("Truthtrance"),
    "weather-control": Card("Weather Control"),
    "family-atomics": Card("Family Atomics"),
    "thumper": Card("Thumper"),
    "harvester": Card("Harvester"),
    "amal": Card("Amal"),
}
