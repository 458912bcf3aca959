"""Days on which a player is away, and the deadlines that wait for them.

Only public duties wait: a question that others do not know of, and a reaction that is open to everybody, keep their
time whoever is away, or a pause would tell of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from zoneinfo import ZoneInfo

from bot.clock.calendar import allowed
from bot.clock.settings import GameClock
from bot.table.deadlines import Delays
from bot.table.duties import come_up, open_duties
from bot.table.table import Absence, Deadlines, Place, Table
from rules.components import Faction


def announce(table: Table, faction: Faction, absence: Absence, clock: GameClock) -> Delays:
    """Note an absence; what the duties that are open now get, where they fall into it. What waits already for an
    earlier absence waits no longer for this one."""
    earlier = table.absences.get(faction, [])
    table.absences[faction] = sorted([*earlier, absence], key=lambda each: each.first)
    zone = ZoneInfo(table.seats[faction].timezone)
    moved = {allowed(clock.calendar, each.back(zone)) for each in earlier}
    own = [place for place in open_duties(table, (faction,)) if table.deadlines[place].due not in moved]
    return _delays(table, own, clock)


def take_back(table: Table, faction: Faction, absence: Absence) -> None:
    """Forget an absence. Deadlines that were moved for it stay where they are."""
    table.absences[faction].remove(absence)
    if not table.absences[faction]:
        del table.absences[faction]


def delays(table: Table, known: Deadlines, clock: GameClock) -> Delays:
    """What the duties of players who are away get that have just come up. ``known`` are the deadlines before."""
    return _delays(table, come_up(table, table.absences, known), clock) if table.absences else {}


def _delays(table: Table, places: Iterable[Place], clock: GameClock) -> Delays:
    found: Delays = {}
    for place in places:
        faction = place[1][0]
        zone, due = ZoneInfo(table.seats[faction].timezone), table.deadlines[place].due
        for absence in table.absences[faction]:
            if absence.holds(due, zone):
                found[place] = allowed(clock.calendar, absence.back(zone))
                break
    return found
