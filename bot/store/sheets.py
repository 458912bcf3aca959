"""The sheets of a game in the database: every line that was ever filed, and what became of it.

A line is stored in its canonical words and read again when the game is opened; only active lines and those with
something still to tell are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, or_, select, update

from bot.orders.context import Context
from bot.orders.language import read_line
from bot.sheets.deal_conditions import read_deal_condition
from bot.sheets.reading import SheetLine, read_sheet_line
from bot.sheets.sheet import Filed, Sheet
from bot.store.tables import SHEET
from rules.components import Faction, as_faction
from rules.orders import Order


def load(conn: Connection, game_id: str, factions: Iterable[Faction]) -> dict[Faction, Sheet]:
    """The sheets of a game by faction, for the seats that ever filed a line."""
    last = select(SHEET.c.faction, func.max(SHEET.c.number)).where(SHEET.c.game_id == game_id).group_by(SHEET.c.faction)
    sheets = {as_faction(faction): Sheet(next_number=number + 1) for faction, number in conn.execute(last)}
    if not sheets:
        return sheets
    counting = or_(SHEET.c.state == "active", SHEET.c.note != "")
    rows = conn.execute(select(SHEET).where(SHEET.c.game_id == game_id, counting).order_by(SHEET.c.number)).all()
    in_play = frozenset(factions)
    for row in rows:
        faction = as_faction(row.faction)
        sheet = sheets[faction]
        line = _read(row.line, faction, in_play)
        if line is None:
            _unreadable(conn, game_id, row)
            continue
        sheet.lines.append(
            Filed(row.number, line, row.line, row.turn, row.left, row.state, row.note, row.filed, row.changed,
                  row.acted)
        )  # fmt: skip
    return sheets


@lru_cache(maxsize=4096)
def _read(text: str, faction: Faction, factions: frozenset[Faction]) -> SheetLine | None:
    """A line in canonical words; without a condition, kept for a later phase of a called round, it is a plain order."""
    context = Context(faction=faction, factions=factions, conditions=read_deal_condition)
    line = read_sheet_line(text, context) or read_line(text, context)
    if isinstance(line, Order):
        return SheetLine(line)
    return line if isinstance(line, SheetLine) else None


def _unreadable(conn: Connection, game_id: str, row: Any) -> None:
    """A line written by an older Mentat whose words have changed since."""
    this = (SHEET.c.game_id == game_id, SHEET.c.faction == row.faction, SHEET.c.number == row.number)
    conn.execute(update(SHEET).where(*this).values(state="withdrawn", note=""))


def save(conn: Connection, game_id: str, sheets: Mapping[Faction, Sheet], now: datetime) -> None:
    """Write the lines that were filed or have changed since the sheets were loaded or last saved."""
    for faction, sheet in sheets.items():
        changed = [filed for filed in sheet.lines if filed.number in sheet.touched]
        if not changed:
            continue
        there = select(SHEET.c.number).where(SHEET.c.game_id == game_id, SHEET.c.faction == faction)
        known = {number for (number,) in conn.execute(there)}
        fresh = [_row(game_id, faction, filed, now) for filed in changed if filed.number not in known]
        if fresh:
            conn.execute(insert(SHEET), fresh)
        old = [
            {"of": game_id, "seat": faction, "line_number": filed.number, **_standing(filed)}
            for filed in changed
            if filed.number in known
        ]
        if old:
            conn.execute(_UPDATE, old)
        sheet.saved()


def cut(conn: Connection, game_id: str, entries: int) -> None:
    """The game was taken back to where its log had so many entries: what was filed, used or over since is withdrawn."""
    since = or_(SHEET.c.filed > entries, SHEET.c.changed > entries)
    counted = SHEET.c.state.in_(("active", "used", "over"))
    conn.execute(update(SHEET).where(SHEET.c.game_id == game_id, counted, since).values(state="withdrawn", note=""))


def _standing(filed: Filed) -> dict[str, Any]:
    return {
        "turn": filed.turn, "left": filed.left, "state": filed.state, "note": filed.note, "changed": filed.changed,
        "acted": filed.acted,
    }  # fmt: skip


def _row(game_id: str, faction: Faction, filed: Filed, now: datetime) -> dict[str, Any]:
    return {
        "game_id": game_id, "faction": faction, "number": filed.number, "line": filed.text, "filed_at": now,
        "filed": filed.filed, **_standing(filed),
    }  # fmt: skip


_UPDATE = (
    update(SHEET)
    .where(
        SHEET.c.game_id == bindparam("of"),
        SHEET.c.faction == bindparam("seat"),
        SHEET.c.number == bindparam("line_number"),
    )
    .values({name: bindparam(name) for name in ("turn", "left", "state", "note", "changed", "acted")})
)
