"""Tests that each table and its value are declared once, and that only the store uses tables."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from sqlalchemy import Table, create_engine

from bot.store.rows import METADATA, add_value, load, load_all, table_of

START = datetime(2026, 11, 29, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Duel:
    place: str
    fighters: tuple[str, ...]
    at: datetime
    ended_at: datetime | None = None
    number: int = 0


def test_a_table_and_its_value_are_declared_in_one_place() -> None:
    duels = table_of("duel", Duel, key="id", index="place", moon=int)
    with create_engine("sqlite://").begin() as conn:
        duels.create(conn)
        number = add_value(conn, Duel("arrakeen", ("paul", "feyd"), START), moon=2)
        assert load(conn, Duel, duels.c.id == number, moon=2) == Duel("arrakeen", ("paul", "feyd"), START, None, 1)
        assert load_all(conn, Duel, duels.c.at > START, place="arrakeen") == []
    METADATA.remove(duels)


def test_no_room_but_the_store_sees_a_table() -> None:
    for path in Path("bot").rglob("*.py"):
        if "store" not in path.parts:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith("bot.store"):
                    there = vars(import_module(str(node.module)))
                    assert not [a.name for a in node.names if isinstance(there.get(a.name), Table)], path
