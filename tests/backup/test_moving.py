"""Tests that a move to another file copies, compares and replays everything; a database that fails stays in use."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.games.proof import Proof
from bot.service import backup
from bot.service.backup import Move, Verification, move, take_back
from bot.store import copies, games, installation
from bot.store.copies import CopyFailed
from bot.store.database import Held, open_database, reading, writing
from tests.forgetful import forgets_a_seat
from tests.moderator.table import GAME, START, World

pytestmark = pytest.mark.sqlite_only


def moved(world: World, place: Path) -> Move:
    return move(world.engine, place, START, lambda table, rows: None)


def refused(world: World, place: Path) -> str:
    """Return the reason why the move was refused, and check that the source is still in use."""
    with pytest.raises(CopyFailed) as why:
        moved(world, place)
    with writing(world.engine):
        pass
    return str(why.value)


def test_all_is_in_another_file_which_goes_on_and_the_first_says_where(world: World, tmp_path: Path) -> None:
    world.new_game()
    told: dict[str, int] = {}
    done = move(world.engine, tmp_path / "new.db", START, told.__setitem__)
    there = open_database(tmp_path / "new.db")
    with reading(world.engine) as before, reading(there) as after:
        assert copies.contents(before) == copies.contents(after)
        assert installation.this_installation(before).id == installation.this_installation(after).id
    assert (done.target, done.tables, done.rows) == (str(tmp_path / "new.db"), len(told), sum(told.values()))
    assert (done.verified.games, done.verified.broken, told["seat"]) == (1, [], 6)
    with pytest.raises(Held, match=f"was moved to {tmp_path}/new.db and is held"), writing(world.engine):
        pass
    with writing(there) as conn:
        assert games.every(conn) == [GAME]
    there.dispose()
    with pytest.raises(CopyFailed, match="is held"):
        moved(world, tmp_path / "third.db")
    assert take_back(world.engine) == str(tmp_path / "new.db")
    with writing(world.engine):
        pass


def test_a_target_that_holds_something_is_left_as_it_is(world: World, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = World.at(tmp_path / "other")
    other.new_game(game="theirs")
    place = other.settings.mentat.database
    assert refused(world, place) == f"{place} is not empty; name an empty database."
    with writing(other.engine) as conn:
        assert games.every(conn) == ["theirs"]
    other.engine.dispose()


def test_tables_that_are_not_known_stop_a_move(world: World, tmp_path: Path) -> None:
    with writing(world.engine) as conn:
        conn.exec_driver_sql("CREATE TABLE melange (id INTEGER)")
        conn.exec_driver_sql("CREATE TABLE bene_tleilax (id INTEGER)")
    assert refused(world, tmp_path / "new.db") == (
        "There are tables here that this Mentat does not know: bene_tleilax, melange."
    )


def test_what_differs_over_there_is_noticed(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world.new_game()
    forgets_a_seat(monkeypatch)
    assert "seat has 6 rows where 6 were copied, or values differ. Start again." in refused(world, tmp_path / "new.db")


@pytest.mark.parametrize("holds_here", [True, False])
def test_a_game_that_does_not_hold_there_stops_a_move_if_it_does_here(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holds_here: bool
) -> None:
    world.new_game()
    if not holds_here:
        with writing(world.engine) as conn:
            conn.exec_driver_sql("UPDATE game SET seed = 'another'")
        assert [proof.id for proof in moved(world, tmp_path / "new.db").verified.broken] == [GAME]
        return
    broken = Verification(1, 1, [Proof(GAME, 1, 1, "Event 3 (spice) differs.")])
    monkeypatch.setattr(backup, "verify", lambda conn, most, now: broken)
    assert refused(world, tmp_path / "new.db") == (
        f"{GAME} fails verification in {tmp_path}/new.db: Event 3 (spice) differs. Nothing was switched."
    )
    with pytest.raises(Held, match="start `mentat move` again"), writing(open_database(tmp_path / "new.db")):
        pass
