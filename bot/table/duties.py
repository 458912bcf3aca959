"""The public duties that are open at a table, and which of them have just come up."""

from __future__ import annotations

from collections.abc import Iterable

from bot.table.rounds import is_duty
from bot.table.table import Deadlines, Place, Table, place_of
from rules.components import Faction


def open_duties(table: Table, factions: Iterable[Faction]) -> list[Place]:
    """The public duties of these factions that have a deadline, answered or not."""
    asked = [q for q in table.play.asked() if q.faction in factions and is_duty(table, q)]
    return [place for q in asked if (place := place_of(table.play, q)) in table.deadlines]


def come_up(table: Table, factions: Iterable[Faction], known: Deadlines) -> list[Place]:
    """Those of them that are new, or asked again. ``known`` are the deadlines before."""
    return [place for place in open_duties(table, factions) if place not in known or known[place].state == "suspended"]
