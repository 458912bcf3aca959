"""The lines of a mail that came while its game is on hold: kept until it goes on, unless their player takes them back.

A ``cancel`` takes back what was kept of the same seat, of earlier mails and earlier in its own. What it says of orders
that the game holds, and of the sheet, waits like any other line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bot.moderator.order_lines import Played, is_order
from bot.orders.context import Context
from bot.orders.language import Unread
from bot.reports.given import LineRead
from bot.sheets.lines import read_any
from bot.store import held_lines
from bot.store.database import Connection
from bot.store.held_lines import HeldLines
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction


def keep(
    conn: Connection, table: Table, faction: Faction, played: Played, context: Context, number: int | None,
    now: datetime,
) -> Played:  # fmt: skip
    """Keep the orders of a mail that was tried on a copy of its game; its lines as they are answered. ``number`` is
    that of the mail."""
    kept: list[str] = []
    answered: list[LineRead] = []
    for place, line in enumerate(played.lines):
        if place in played.cancels:
            asked = played.cancels[place]
            waiting = held_lines.of_seat(conn, table.id, faction)
            gone = _meant([*waiting, *kept], asked, context)
            held_lines.withdraw(conn, table.id, faction, gone)
            kept = [text for text in kept if text not in gone]
            if line.status == "done":
                kept.append(line.text)
            answered.append(_taken_back(line, gone) if gone else line)
        elif is_order(played, place):
            kept.append(line.text)
            answered.append(_waits(line))
        else:
            answered.append(line)
    if kept:
        held_lines.keep(conn, table.id, HeldLines(faction, tuple(kept), number), now)
    return Played(answered, played.commands)


def _meant(waiting: Sequence[str], asked: str, context: Context) -> list[str]:
    """Those of the waiting lines that say the same as what is asked for; all, where nothing is named."""
    if not asked:
        return list(dict.fromkeys(waiting))
    wanted = read_any(asked, context)

    def is_meant(text: str) -> bool:
        same_words = text.casefold().split() == asked.casefold().split()
        return same_words or (not isinstance(wanted, Unread) and read_any(text, context) == wanted)

    return [text for text in dict.fromkeys(waiting) if is_meant(text)]


def _taken_back(line: LineRead, gone: Sequence[str]) -> LineRead:
    told = [line.reason] if line.status == "done" else []
    return replace(line, status="done", reason=" ".join([*told, say("cancel.taken-back", orders=gone)]))


def _waits(line: LineRead) -> LineRead:
    if line.status not in ("accepted", "held"):
        return line
    return replace(line, status="held", reason=" ".join((line.reason, say("desk.on-hold"))).strip())
