"""How many duties people had in their games, and how many of them they answered in time.

A duty is a question of which all know that the game waits for its player. Its deadline moves with absences and
outages, so these do not count against anybody; what the caretaker of a seat answers counts for nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from bot.store.addresses import known_as
from bot.store.inserting import adding
from bot.store.tables import GAME, NOBODY, SEAT
from bot.store.tournament_tables import DUTY_COUNT
from rules.components import Faction


@dataclass(frozen=True, slots=True)
class Duties:
    """What somebody had to do, and how much of it they did in time."""

    duties: int = 0
    on_time: int = 0


def count(conn: Connection, game_id: str, gone: Iterable[tuple[Faction, bool]]) -> None:
    """Duties are over: whose they were, and whether they were answered in time."""
    had, kept = Counter[Faction](), Counter[Faction]()
    for faction, in_time in gone:
        had[faction] += 1
        kept[faction] += in_time
    if not had:
        return
    new = [
        {"game_id": game_id, "address": row.address, "duties": had[row.faction], "on_time": kept[row.faction]}
        for row in conn.execute(_MANNED, {"of": game_id})
        if had[row.faction]
    ]
    if new:
        _add(conn, new)


_MANNED = select(SEAT.c.faction, SEAT.c.address).where(SEAT.c.game_id == bindparam("of"), ~SEAT.c.care)


def _add(conn: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Count what is new with what was counted."""
    conn.execute(adding(conn, DUTY_COUNT, "duties", "on_time"), rows)


def of_person(conn: Connection, address: str) -> Duties:
    """The duties of whoever has this address, in games that are over."""
    sums = select(func.sum(DUTY_COUNT.c.duties), func.sum(DUTY_COUNT.c.on_time))
    sums = sums.join(GAME, GAME.c.id == DUTY_COUNT.c.game_id)
    found = sums.where(DUTY_COUNT.c.address.in_(known_as(conn, address)), GAME.c.status == "over")
    duties, on_time = conn.execute(found).one()
    return Duties(duties or 0, on_time or 0)


def forget(conn: Connection, address: str) -> None:
    """A person is deleted: what they did is nobody's. Where others of the game were deleted too, it is added up."""
    rows = conn.execute(select(DUTY_COUNT).where(DUTY_COUNT.c.address == address)).all()
    conn.execute(DUTY_COUNT.delete().where(DUTY_COUNT.c.address == address))
    for row in rows:
        new = {"game_id": row.game_id, "address": NOBODY, "duties": row.duties, "on_time": row.on_time}
        _add(conn, [new])
