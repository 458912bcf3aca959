"""Deadlines that a player overruns on their time bank, and what that costs.

What is left is what lies between the answer and the end that was announced: time that is given back to all (a
pause, an outage, an extension) moves that end and costs nobody anything. It is taken off only when nobody is asked
that any more: a balance that changed at the moment of the answer would show that there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from bot.table.table import Deadlines, Overruns, Place, Table
from rules.components import Faction


def measure(table: Table, known: Deadlines, now: datetime) -> Mapping[Place, int]:
    """Note which overrun questions were answered, or are open again: the minutes left of each whose minutes have
    changed. ``known`` are the deadlines before."""
    changed: dict[Place, int] = {}
    for place, overrun in table.overruns.items():
        deadline, left = table.deadlines.get(place), overrun.left
        if deadline is None or deadline.state == "answered":
            left = overrun.minutes(now, deadline or known.get(place)) if left < 0 else left
        elif deadline.state == "open":
            left = -1
        if left != overrun.left:
            changed[place] = left
    table.overruns.update({place: replace(table.overruns[place], left=left) for place, left in changed.items()})
    return changed


def settle(table: Table) -> list[Place]:
    """Charge the time bank of each player who is asked none of their overrun questions any more. Returns the questions
    that are settled by that."""
    settled: list[Place] = []
    for faction in {place[1][0] for place in table.overruns}:
        own = {place: overrun for place, overrun in table.overruns.items() if place[1][0] == faction}
        if not any(place in table.deadlines for place in own):
            _pay(table, faction, own)
            settled += own
    return settled


def _pay(table: Table, faction: Faction, own: Overruns) -> None:
    """Questions of one moment run together: the one answered last counts."""
    seat = table.seats[faction]
    seat.bank = min(seat.bank, *(overrun.left for overrun in own.values()))
    table.touched.add(faction)
