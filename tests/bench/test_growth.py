"""Tests for the benchmark of thousands of games; queries for open games must not read finished ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text, update

from bot.lab.bench_growth import Sizes, measure_growth, measure_lists, measure_open_games
from bot.lab.postgresql import DatabaseKind, database_kinds
from bot.store import archive, lab, mail, people
from bot.store.database import reading, writing
from bot.store.tables import GAME
from tests.moderator.table import START, World

FILE = DatabaseKind("SQLite", lambda: "")


def test_growth_is_measured_on_every_kind_of_database(tmp_path: Path) -> None:
    with database_kinds() as kinds:
        assert kinds[0].name == "SQLite"
        for kind in kinds:
            found = measure_growth(tmp_path / kind.name, kind, "wbc-2018", Sizes(few=2, many=6, times_old=3, mails=2))
            assert [one.against for one in found] == ["2 games"] * 3
            assert all(one.value > 0 and one.aim == 1.5 for one in found)


def test_many_open_games_and_long_lists_are_measured_against_a_second_or_two(tmp_path: Path) -> None:
    idle, due = measure_open_games(tmp_path / "open", FILE, "wbc-2018", 12)
    assert idle.name == "a tick over 12 open games"
    assert due.value > idle.value
    listed, desk, tick, archive = measure_lists(tmp_path / "lists", FILE, "wbc-2018", 12)
    assert listed.ratio == pytest.approx(listed.value / 2_000)
    assert min(desk.value, tick.value, archive.value) > 0


@contextmanager
def statements(world: World) -> Iterator[list[tuple[str, object]]]:
    """Yield a list of the statements sent to the database."""
    asked: list[tuple[str, object]] = []

    def note(conn: object, cursor: object, statement: str, values: object, *_: object) -> None:
        asked.append((statement, values))

    event.listen(world.engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(world.engine, "before_cursor_execute", note)


def plan(world: World, look: Callable[[Connection], object], table: str) -> str:
    """Return SQLite's query plan for the query that reads this table."""
    with statements(world) as asked, reading(world.engine) as conn:
        look(conn)
    (found,) = [each for each in asked if each[0].startswith(f"SELECT {table}.")]
    with world.engine.connect() as conn:
        rows = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {found[0]}", found[1])  # type: ignore[arg-type]
        return " ".join(str(row[3]) for row in rows)


@pytest.mark.sqlite_only
def test_a_look_into_the_outbox_reads_only_what_waits_there(world: World) -> None:
    world.new_game()
    found = plan(world, lambda conn: mail.to_send(conn, START), "letter")
    assert "ix_letter_waiting" in found
    assert "TEMP B-TREE" not in found, "they come in their order"


@pytest.mark.sqlite_only
def test_a_look_for_sitters_reads_only_seats_where_somebody_sits(world: World) -> None:
    world.new_game()
    found = plan(world, lambda conn: people.sittings_over(conn, START), "seat")
    assert "sitter_until>? AND sitter_until<?" in found


def test_the_shelf_of_the_archive_asks_as_often_for_many_games_as_for_one(world: World) -> None:
    world.new_game()
    counted = []
    for names in ([], [f"other-{number}" for number in range(8)]):
        with writing(world.engine) as conn:
            lab.copy_game(conn, world.table().id, names, b"secret")
            conn.execute(update(GAME).values(status="over"))
        with statements(world) as asked, reading(world.engine) as conn:
            shown = archive.shelf(conn)
        counted.append((len(shown), len(asked)))
    assert [games for games, _ in counted] == [1, 9]
    assert counted[0][1] == counted[1][1]


def test_old_mails_and_letters_are_there_and_wait_for_nobody(world: World) -> None:
    world.new_game()
    game = world.table().id
    world.say("atreides", "status")
    with writing(world.engine) as conn:
        before = mail.newest_letter(conn)
        mails, letters = lab.add_history(conn, game, [game], 3)
        lab.have_own_addresses(conn)
    with reading(world.engine) as conn:
        assert mail.newest_letter(conn) == before + letters
        assert (mails, letters) == (3, 3 * before)
        old = "SELECT count(*) FROM letter WHERE next_try_at IS NULL AND created_at < :then"
        assert conn.execute(text(old), {"then": (START - timedelta(days=300)).isoformat()}).scalar_one() == letters
        assert [seat.address[:10] for seat in lab.first_seats(conn)] == ["sietch-12."]
