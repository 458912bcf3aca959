"""Deadline rows: which players to remind, and which questions silence has answered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, delete, insert

from bot.store import deadlines
from bot.store.database import writing
from bot.store.tables import DEADLINE
from bot.table.table import Deadline
from rules.components import as_faction
from tests.moderator.table import GAME, START, World


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[Connection]:
    world = World.at(tmp_path)
    world.new_game()
    with writing(world.engine) as conn:
        conn.execute(delete(DEADLINE))
        yield conn
    world.engine.dispose()


def add(conn: Connection, faction: str, due: float, stop: str = "3.bidding.1", **more: Any) -> None:
    """Add a question that is due `due` hours after the start."""
    at = START + timedelta(hours=due)
    row = {"game_id": GAME, "opened_at": stop, "faction": faction, "kind": "bid", "subject": "", "due": at, "until": at,
           "asked_at": START, "duty": True, "state": "open", "missed": False, "reminded": 0}  # fmt: skip
    conn.execute(insert(DEADLINE), row | more)


def test_each_reminder_goes_once_to_those_whose_open_question_ends_soon(conn: Connection) -> None:
    hours = [6.0, 24.0]
    add(conn, "guild", 24)
    add(conn, "fremen", 24.1)
    add(conn, "emperor", 6)
    add(conn, "atreides", 0)
    add(conn, "harkonnen", 5, state="answered")
    add(conn, "bene-gesserit", 5, asked_at=START + timedelta(minutes=1))
    seats = [(GAME, "emperor"), (GAME, "guild")]
    assert sorted(deadlines.seats_to_remind(conn, START, hours)) == seats
    for _, faction in seats:
        marked = [deadlines.mark_reminded(conn, GAME, as_faction(faction), START, hours) for _ in range(2)]
        assert marked == [True, False]
    assert deadlines.seats_to_remind(conn, START, hours) == []
    later = START + timedelta(hours=18)
    assert {faction for _, faction in deadlines.seats_to_remind(conn, later, hours)} == {"guild", "fremen"}


def test_silence_answered_what_was_missed_in_this_turn_or_the_last(conn: Connection) -> None:
    add(conn, "guild", 1, "3.bidding.1", missed=True)
    add(conn, "guild", 2, "2.bidding.1", missed=True)
    add(conn, "guild", 3, "1.bidding.1", missed=True)
    add(conn, "guild", 4, "4.bidding.1", missed=True)
    add(conn, "guild", 5, "3.bidding.2", missed=False)
    add(conn, "guild", 6, "30.bidding.2", missed=True)
    add(conn, "fremen", 7, missed=True)
    add(conn, "guild", 1, "3.shipment.1", missed=True, kind="ship")
    assert deadlines.missed_kinds(conn, GAME, "guild", 3) == {
        "bid": START + timedelta(hours=2),
        "ship": START + timedelta(hours=1),
    }


@pytest.mark.parametrize(
    ("state", "missed", "seconds", "in_time"),
    [
        ("answered", False, 1, True), ("open", False, -1, True), ("open", False, 0, True), ("open", False, 1, False),
        ("answered", True, -1, False), ("open", True, -1, False),
    ],
)  # fmt: skip
def test_who_answers_by_the_moment_at_which_it_is_due_is_in_time(
    state: Any, missed: bool, seconds: int, in_time: bool
) -> None:
    gone = Deadline(START, START + timedelta(hours=12), START, True, state, missed)
    assert deadlines._in_time(gone, START + timedelta(seconds=seconds)) == in_time
