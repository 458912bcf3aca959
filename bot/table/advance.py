"""How a game goes on by itself after somebody has spoken or a deadline has passed, until a person has to be asked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from bot.table import rounds
from bot.table.caretaker import play_for_absent_seats
from bot.table.deputy import answer_from_sheets
from bot.table.table import Table

ACTS: tuple[Callable[[Table], bool], ...] = (answer_from_sheets, rounds.pass_sheet_windows, play_for_absent_seats)
"""What may speak in place of a person, in this order; each says whether it did."""


def go_on(table: Table, now: datetime) -> None:
    """Let the game run up to the next question that only a person can answer. ``now`` is the instant of the mail or
    the deadline that set it going. A game on hold stays where it is."""
    table.now = now
    if table.on_hold:
        return
    table.play.advance()
    rounds.open_call(table)
    while not table.play.over and any(act(table) for act in ACTS):
        table.play.advance()
        rounds.open_call(table)
