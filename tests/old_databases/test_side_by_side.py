"""Tests that schemas only grow, so that a running older Mentat can finish its work on a newer schema.

The older Mentat notices the newer schema within seconds and stops; it does not start on one. Until then the database
must accept its writes. A migration that removes something gives the reason in ``TAKES_AWAY``. It comes at least one
schema after the last one that uses what it removes.
"""

from __future__ import annotations

import ast
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.store import acts
from bot.store.database import Engine, NewerSchema, open_database, reading, renew, schema_of, unopened
from bot.store.glance import MIGRATIONS
from tests.old_databases.next_schema import NEXT
from tests.old_databases.next_schema import next_schema as next_schema
from tests.old_databases.test_old_databases import HERE, KEPT, SCHEMAS

pytestmark = [pytest.mark.sqlite_only, pytest.mark.usefixtures("next_schema")]
_FIRST, *LATER = sorted((MIGRATIONS / "versions").glob("[0-9]*.py"))
TAKING = {"alter_column", "batch_alter_table", "create_check_constraint", "create_foreign_key", "rename_table"}
"""Operations that may make the database reject an older Mentat's writes."""


def taken_away(source: str) -> list[str]:
    """Return the operations of a migration that remove something the previous schema uses."""
    found = []
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        words = ast.unparse(call)
        statement = name == "execute" and any(each in words.upper() for each in ("DROP ", "RENAME ", "DELETE "))
        if (
            name.startswith("drop_")
            or name in TAKING
            or statement
            or (name == "add_column" and not _may_be_left_out(words))
        ):
            found.append(words)
    return found


def _may_be_left_out(column: str) -> bool:
    return "server_default=" in column or "nullable=True" in column or "nullable" not in column


def test_a_migration_takes_nothing_away_or_says_why(next_schema: Path) -> None:
    for file in (*LATER, *next_schema.glob(f"versions/{NEXT}_*.py")):
        source = file.read_text(encoding="utf-8")
        names = {name.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assign)
                 for name in node.targets if isinstance(name, ast.Name)}  # fmt: skip
        assert bool(taken_away(source)) == ("TAKES_AWAY" in names), file.name


@pytest.mark.parametrize(
    "words",
    [
        "op.drop_column('game', 'press')",
        "op.rename_table('pulse', 'heartbeat')",
        "op.execute('DROP TABLE pulse')",
        "op.alter_column('game', 'press', nullable=False)",
        "op.add_column('game', sa.Column('worth', sa.Integer(), nullable=False))",
    ],
)
def test_what_takes_something_away_would_be_found(words: str) -> None:
    assert taken_away(words) == [words]


def test_what_only_adds_is_let_through() -> None:
    assert (
        taken_away("op.add_column('game', sa.Column('worth', sa.Integer(), nullable=False, server_default='0'))") == []
    )
    assert taken_away("op.create_table('guest', sa.Column('id', sa.Integer()))") == []


@pytest.mark.parametrize("schema", KEPT)
def test_what_an_older_mentat_writes_is_taken_by_the_newest_schema(schema: str, tmp_path: Path) -> None:
    """The test copies each row of the old database, with its own columns, into the newest schema's tables."""
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    old.write_bytes(lzma.decompress((HERE / f"{schema}.db.xz").read_bytes()))
    open_database(new).dispose()
    with closing(sqlite3.connect(new)) as conn, conn:
        conn.execute("DELETE FROM installation")  # every new database has a row there
        conn.execute("ATTACH ? AS old", (str(old),))
        tables = [name for (name,) in conn.execute("SELECT name FROM old.sqlite_master WHERE type = 'table'")]
        for table in (table for table in tables if not table.startswith(("sqlite_", "alembic_"))):
            columns = ", ".join(f'"{column[1]}"' for column in conn.execute(f"PRAGMA old.table_info({table})"))
            conn.execute(f'INSERT INTO main."{table}" ({columns}) SELECT {columns} FROM old."{table}"')
            count = f'SELECT (SELECT count(*) FROM old."{table}") - (SELECT count(*) FROM main."{table}")'
            assert conn.execute(count).fetchone() == (0,)
        assert conn.execute("SELECT count(*) > 0 FROM main.event").fetchone() == (1,)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_mentat_that_is_older_than_the_schema_does_not_start(
    schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mentat.db"
    open_database(file).dispose()
    monkeypatch.setattr("bot.store.database.newest_schema", lambda: schema)
    with pytest.raises(NewerSchema, match="made by a newer Mentat; install that one"):
        open_database(file)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_schema_can_be_made_as_it_was(schema: str, tmp_path: Path) -> None:
    engine = unopened(tmp_path / "mentat.db")
    renew(engine, schema)
    assert schema_of(engine) == schema
    engine.dispose()


_TOURNAMENT = (
    "INSERT INTO tournament VALUES ('cup', 'Cup', '', '', 'open', '', '', '', 'cup', '', '', '', '', NULL, 0, 0)"
)
_GAME_ACT = "INSERT INTO act (game_id, at, what, why) VALUES ('running', '{at}', '{what}', 'rain')"
_CUP_ACT = (
    'INSERT INTO tournament_act (tournament_id, number, at, who, "right", command, words, why, audience, opens_at) '
    "VALUES ('cup', {number}, '{at}', 'rey@example.org', 'director', '{what}', 'round 1', '', 'directors', '')"
)
_GRANT = (
    'INSERT INTO {of}_right ({of}_id, address, "right", token, since) '
    "VALUES ('{id}', '{who}', '{right}', '{id} {who}', '2026-11-29T08:00:00+00:00')"
)
AT_0012 = (
    _TOURNAMENT,
    _GAME_ACT.format(at="2026-11-29T08:00:00+00:00", what="pause"),
    _CUP_ACT.format(number=1, at="2026-11-29T08:00:00+00:00", what="open"),
    _CUP_ACT.format(number=2, at="2026-11-29T09:00:00+00:00", what="draw"),
    _GRANT.format(of="game", id="running", who="rey", right="clerk"),
    _GRANT.format(of="tournament", id="cup", who="rey", right="deputy"),
)
STILL_AT_WORK = (
    _GAME_ACT.format(at="2026-11-29T10:00:00+00:00", what="resume"),
    _CUP_ACT.format(number=3, at="2026-11-29T10:00:00+00:00", what="start"),
    "DELETE FROM game_right WHERE game_id = 'running' AND address = 'rey'",
    _GRANT.format(of="game", id="running", who="rey", right="arbiter"),
    _GRANT.format(of="tournament", id="cup", who="ann", right="clerk"),
)
"""Statements from a Mentat of schema 0012, before and after games and tournaments share one table."""


def see_one_desk(engine: Engine) -> None:
    with reading(engine) as conn:
        done = acts.acts_of(conn, game_id="running")
        assert [(act.what, act.why, act.audience) for act in done][-2:] == [
            ("pause", "rain", "all"),
            ("resume", "rain", "all"),
        ]
        of_cup = acts.acts_of(conn, tournament_id="cup")
        assert [(act.what, act.words, act.right) for act in of_cup] == [
            (what, "round 1", "director") for what in ("open", "draw", "start")
        ]
        assert {act.audience for act in of_cup} == {"directors"}
        assert [(who.address, who.right) for who in acts.rights_of(conn, game_id="running")] == [("rey", "arbiter")]
        there = acts.rights_of(conn, tournament_id="cup")
        assert [(who.address, who.right, who.token) for who in there] == [
            ("ann", "clerk", "cup ann"), ("rey", "deputy", "cup rey"),
        ]  # fmt: skip
        told = conn.exec_driver_sql("SELECT number, command FROM tournament_act ORDER BY number").all()
        assert [tuple(row) for row in told] == [(1, "open"), (2, "draw"), (3, "start")]


def test_acts_and_rights_of_games_and_tournaments_become_one_and_an_older_mentat_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "mentat.db"
    file.write_bytes(lzma.decompress((HERE / "0012.db.xz").read_bytes()))
    with closing(sqlite3.connect(file)) as conn, conn:
        for statement in AT_0012:
            conn.execute(statement)
    engine = open_database(file)
    with closing(sqlite3.connect(file)) as conn, conn:
        for statement in STILL_AT_WORK:
            conn.execute(statement)
    see_one_desk(engine)
    engine.dispose()
