"""Tests for a database's finished games as results: their order, start date and rules."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from bot.competition.outcomes import TableOutcome
from bot.store import archive
from bot.store.database import Connection, reading, writing
from bot.store.tables import GAME as GAMES
from tests.competition.a_table import a_table
from tests.moderator.table import World

ENDED = {
    "a": ("wbc-2018", date(2026, 5, 9)),
    "b": ("ah-basic", date(2026, 5, 1)),
    "c": ("wbc-2018", None),
    "d": ("wbc-2018", date(2026, 5, 1)),
    "e": ("ah-basic", date(2026, 6, 1)),
}


@pytest.fixture
def conn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """Yield a database of five games, the last of which is still running."""

    def made(conn: Connection, game_id: str, *_: Any) -> TableOutcome:
        ruleset, ended = ENDED[game_id]
        return a_table(["atreides"], game=game_id, ruleset=ruleset, ended=ended)

    monkeypatch.setattr(archive, "_finished", made)
    world = World.at(tmp_path)
    for name in ENDED:
        world.new_game(game=name)
    with writing(world.engine) as conn:
        conn.execute(update(GAMES).where(GAMES.c.id != "e").values(status="over"))
    with reading(world.engine) as conn:
        yield conn
    world.engine.dispose()


def test_games_that_are_over_come_by_their_day_and_those_without_one_last(conn: Connection) -> None:
    def found(since: date | None = None, ruleset: str = "") -> str:
        return "".join(one.game for one in archive.finished_games(conn, since, ruleset))

    assert (found(), found(None, "wbc-2018"), found(None, "gf9-basic")) == ("bdac", "dac", "")
    assert [found(date(2026, 5, day)) for day in (1, 2, 9, 10)] == ["bda", "a", "a", ""]
    assert found(date(2026, 5, 9), "wbc-2018") == "a"
    assert found(date(2026, 5, 2), "ah-basic") == ""
