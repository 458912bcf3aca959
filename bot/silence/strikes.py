"""Missed deadlines in a row, and when the caretaker takes a seat.

Only public duties count: everybody could see that they were missed. A reaction that somebody left to silence, or what
is asked of them in secret, never counts, or the count would tell of it; nor does a question whose silence is forgiven.

Where a whole table is silent, it is more likely that its mail is lost than that its players are; the caretaker takes a
seat only while at least half of the others play.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bot.store.database import Connection
from bot.store.persons import who_ordered
from bot.table.rounds import is_duty
from bot.table.table import Table
from rules.components import Faction
from rules.orders import Key


def duties_among(table: Table, keys: Collection[Key]) -> set[Faction]:
    """Whose public duties are among these open questions."""
    return {
        question.faction
        for question in table.play.questions()
        if question.key in keys and is_duty(table, question) and not question.forgiven
    }


def missed(conn: Connection, table: Table, factions: Iterable[Faction], caretaker_after: int) -> list[Faction]:
    """Count a missed deadline for each of these; those whose seats the caretaker takes now (never, after 0)."""
    taken = []
    for faction in sorted(factions):
        seat = table.seats[faction]
        seat.missed += 1
        table.touched.add(faction)
        if caretaker_after and seat.missed >= caretaker_after and not seat.care and _others_play(conn, table, faction):
            seat.care = True
            taken.append(faction)
    return taken


def heard_from(table: Table, faction: Faction) -> bool:
    """The player has written an order, so nothing counts as missed; whether they take their seat from the caretaker."""
    seat = table.seats[faction]
    back, seat.care, seat.missed = seat.care, False, 0
    table.touched.add(faction)
    return back


def _others_play(conn: Connection, table: Table, faction: Faction) -> bool:
    """Whether at least half of the other seats have players who once wrote and have missed nothing since."""
    heard = who_ordered(conn, table.id)
    others = [seat for seat in table.seats.values() if seat.faction != faction]
    playing = [seat for seat in others if not (seat.care or seat.missed) and seat.faction in heard]
    return 2 * len(playing) >= len(others)
