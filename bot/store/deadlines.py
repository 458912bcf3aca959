"""The deadlines of games as rows (what they are follows in ``bot.table.deadlines``), and who is to be reminded.

Each function writes what the pure one of the same name says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select, update

from bot.clock.settings import GameClock
from bot.store import duties
from bot.store.inserting import replacing
from bot.store.instants import NO_INSTANT
from bot.store.tables import DEADLINE, GAME
from bot.table.deadlines import given_back, postponed, standing
from bot.table.table import Deadline, Deadlines, Place, Table
from rules.components import Faction, as_faction
from rules.engine.play import Play


def load(conn: Connection, game_id: str) -> Deadlines:
    """The deadlines of a game's open questions."""
    rows = conn.execute(select(DEADLINE).where(DEADLINE.c.game_id == game_id, DEADLINE.c.state != "gone"))
    return {
        (row.opened_at, (as_faction(row.faction), row.kind, row.subject)): Deadline(
            row.due, row.until, row.asked_at, row.duty, row.state, row.missed
        )
        for row in rows
    }


def follow(
    conn: Connection, game_id: str, known: Deadlines, play: Play, now: datetime, clock: GameClock
) -> Deadlines:  # fmt: skip
    """The deadlines as the game stands now, written down: new questions are due when the ``clock`` says, those that are
    gone lose theirs."""
    current = standing(known, play, now, clock)
    if current == known:
        return known
    gone = [place for place in known if place not in current]
    duties.count(conn, game_id, [(place[1][0], _in_time(known[place], now)) for place in gone if known[place].duty])
    missed = [_row(game_id, place) for place in gone if known[place].missed]
    other = [_row(game_id, place) for place in gone if not known[place].missed]
    if missed:
        conn.execute(_GONE, missed)
    if other:
        conn.execute(_DELETE, other)
    fresh = [place for place in current if place not in known]
    if fresh:
        rows = [
            {"game_id": game_id, "opened_at": stop, "faction": key[0], "kind": key[1], "subject": key[2],
             **_values(current[stop, key]), "reminded": 0}
            for stop, key in fresh
        ]  # fmt: skip
        conn.execute(replacing(conn, DEADLINE), rows)  # an offer of the same name may have been missed before
    changed = [
        {**_row(game_id, place), "new_due": deadline.due, "new_until": deadline.until, "new_state": deadline.state,
         "new_missed": deadline.missed}
        for place, deadline in current.items()
        if place in known and known[place] != deadline
    ]  # fmt: skip
    if changed:
        conn.execute(_CHANGE, changed)
    return current


def _in_time(gone: Deadline, now: datetime) -> bool:
    """Whether a question that is gone now was answered before its deadline."""
    return not gone.missed and (gone.state == "answered" or now <= gone.due)


def postpone(conn: Connection, table: Table, places: Iterable[Place], until: datetime) -> bool:
    """Let the answers to these questions be due no earlier than this, and remind of them anew; whether that changed
    anything. The grace after them stays as long as it was."""
    later = postponed(table, places, until)
    _move(conn, table.id, later)
    table.deadlines.update(later)
    return bool(later)


def delay(conn: Connection, table: Table, delays: Mapping[Place, datetime]) -> None:
    """Let each of these questions be due no earlier than this."""
    for place, until in delays.items():
        postpone(conn, table, [place], until)


def extend(conn: Connection, table: Table, places: Iterable[Place], hours: float, clock: GameClock) -> None:
    """Let each of these questions be due so many counted hours later."""
    for place in list(places):
        postpone(conn, table, [place], clock.extended(table.deadlines[place].due, hours))


def give_back(
    conn: Connection, game_id: str, known: Deadlines, clock: GameClock, since: datetime, back: datetime
) -> Deadlines:  # fmt: skip
    """The deadlines after the clocks of a game stood still for a time, written down (``given_back``)."""
    current = given_back(known, clock, since, back)
    _move(conn, game_id, {place: deadline for place, deadline in current.items() if deadline != known[place]})
    return current


def _move(conn: Connection, game_id: str, later: Deadlines) -> None:
    """Write deadlines that have moved; reminders of them begin anew."""
    if later:
        rows = [{**_row(game_id, place), "new_due": d.due, "new_until": d.until} for place, d in later.items()]
        conn.execute(_MOVE, rows)


def missed_kinds(conn: Connection, game_id: str, faction: Faction, turn: int) -> dict[str, datetime]:
    """The kinds of question that silence has answered for a faction in this turn or the last, and when each was last
    due."""
    rows = conn.execute(
        select(DEADLINE.c.kind, func.max(DEADLINE.c.due).label("due"))
        .where(
            DEADLINE.c.game_id == game_id,
            DEADLINE.c.faction == faction,
            DEADLINE.c.missed,
            DEADLINE.c.opened_at.startswith(f"{turn}.") | DEADLINE.c.opened_at.startswith(f"{turn - 1}."),
        )
        .group_by(DEADLINE.c.kind)
    )
    return {row.kind: row.due for row in rows}


def due_games(conn: Connection, now: datetime) -> list[str]:
    """The running games, their clocks not stopped, in which a question's time is up, the longest overdue first."""
    return [row.game_id for row in conn.execute(_DUE_GAMES, {"now": now})]


_DUE_GAMES = (
    select(DEADLINE.c.game_id, func.min(DEADLINE.c.until))
    .join(GAME, GAME.c.id == DEADLINE.c.game_id)
    .where(
        DEADLINE.c.state == "open", DEADLINE.c.until <= bindparam("now"), GAME.c.status == "running",
        GAME.c.stopped_at == NO_INSTANT,
    )
    .group_by(DEADLINE.c.game_id)
    .order_by(func.min(DEADLINE.c.until))
)  # fmt: skip


def to_remind(conn: Connection, now: datetime, hours: Sequence[float]) -> list[tuple[str, Faction]]:
    """The seats with an open question that ends in fewer hours than a reminder is due before, and had none for it
    yet. Not what another machine, whose clock is ahead, has asked just now."""
    found: dict[tuple[str, Faction], None] = {}
    for number, before in enumerate(sorted(hours, reverse=True), 1):
        ends = {"now": now, "until": now + timedelta(hours=before), "so_often": range(number)}
        rows = conn.execute(_TO_REMIND, ends)
        found.update(dict.fromkeys((row.game_id, as_faction(row.faction)) for row in rows))
    return list(found)


_TO_REMIND = (
    select(DEADLINE.c.game_id, DEADLINE.c.faction)
    .join(GAME, GAME.c.id == DEADLINE.c.game_id)
    .where(
        DEADLINE.c.state == "open",
        DEADLINE.c.asked_at <= bindparam("now"),
        DEADLINE.c.due > bindparam("now"),
        DEADLINE.c.due <= bindparam("until"),
        DEADLINE.c.reminded.in_(bindparam("so_often", expanding=True)),
        GAME.c.status == "running",
        GAME.c.stopped_at == NO_INSTANT,
    )
)


def mark_reminded(conn: Connection, game_id: str, faction: Faction, now: datetime, hours: Sequence[float]) -> bool:
    """Count the reminder that is due now; False if somebody else has sent it meanwhile."""
    changed = 0
    for number, before in enumerate(sorted(hours, reverse=True), 1):
        changed += conn.execute(
            update(DEADLINE)
            .where(
                DEADLINE.c.game_id == game_id,
                DEADLINE.c.faction == faction,
                DEADLINE.c.state == "open",
                DEADLINE.c.due <= now + timedelta(hours=before),
                DEADLINE.c.reminded < number,
            )
            .values(reminded=number)
        ).rowcount
    return changed > 0


_NAMES = ("game_id", "opened_at", "faction", "kind", "subject")
_THIS = tuple(DEADLINE.c[name] == bindparam(f"at_{name}") for name in _NAMES)
_DELETE = delete(DEADLINE).where(*_THIS)
_GONE = update(DEADLINE).where(*_THIS).values(state="gone", missed=True)
_CHANGE = (
    update(DEADLINE)
    .where(*_THIS)
    .values(
        due=bindparam("new_due"), until=bindparam("new_until"), state=bindparam("new_state"),
        missed=bindparam("new_missed"),
    )
)  # fmt: skip
_MOVE = update(DEADLINE).where(*_THIS).values(due=bindparam("new_due"), until=bindparam("new_until"), reminded=0)


_VALUES = tuple(field.name for field in fields(Deadline))


def _values(deadline: Deadline) -> dict[str, Any]:
    return {name: getattr(deadline, name) for name in _VALUES}


def _row(game_id: str, place: Place) -> dict[str, str]:
    stop, key = place
    return {f"at_{name}": value for name, value in zip(_NAMES, (game_id, stop, *key), strict=True)}
