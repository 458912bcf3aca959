"""Tests with a real PgBouncer: with session pooling it is like the server; with transaction pooling Mentat needs a
direct connection as well, and refuses to start without one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.moderator.moderator import Moderator
from bot.service import doctor, workers
from bot.service.backup import back_up
from bot.service.machine import utc_now
from bot.store import glance
from bot.store.database import DatabaseUnavailable, open_database, reading, writing
from bot.store.installation import AlreadyRunning, ProcessLocks, call_out, only_one
from tests.moderator.table import ADDRESS, World, make_settings
from tests.postgresql.pgbouncer import pgbouncer
from tests.postgresql.test_database import ON_A_SERVER
from tests.postgresql_server import PostgresqlServer

Empty = Callable[[], str]


def plays_and_is_hindered_by_nothing(world: World) -> None:
    """Check that a game goes on, locks exclude, notifications arrive, and waiting for a lock ends after a while."""
    world.new_game()
    world.silence_until("bidding")
    with only_one(world.engine, "sending"):
        with pytest.raises(AlreadyRunning), only_one(world.engine, "sending"):
            pass
        with only_one(world.engine, "reading mail"):
            pass
    direct = ProcessLocks(world.engine, "one who waits")
    direct.wait(0, lambda _: True)
    with writing(world.engine) as conn:
        call_out(conn, "")
    assert direct.wait(5, lambda _: True)
    direct.close()
    workers.may_begin(world.engine)


def waits_for_a_while_only(place: str, direct: str = "") -> None:
    first, second = (open_database(place, seconds, direct=direct) for seconds in (5.0, 0.1))
    with writing(first), pytest.raises(DatabaseUnavailable, match="is held by another"), writing(second):
        pass
    for engine in (first, second):
        with reading(engine) as conn:
            limit = conn.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar_one()
        assert limit == "5min"
        engine.dispose()


def test_a_pool_of_sessions_is_like_the_server(empty: Empty, server: PostgresqlServer, tmp_path: Path) -> None:
    with pgbouncer(server, empty(), "session") as pooled:
        world = World.at(tmp_path, ON_A_SERVER.format(url=pooled))
        plays_and_is_hindered_by_nothing(world)
        made = back_up(world.engine, ADDRESS, tmp_path / "copy.dump", None, world.now, force=False)
        assert (made.verified.checked, made.verified.broken) == (1, [])
        waits_for_a_while_only(pooled)
        assert glance.look(pooled, utc_now()).games == {"running": 1}
        world.engine.dispose()


def test_a_pool_of_transactions_will_do_where_there_is_a_way_past_it(
    empty: Empty, server: PostgresqlServer, tmp_path: Path
) -> None:
    url = empty()
    with pgbouncer(server, url, "transaction") as pooled:
        settings = ON_A_SERVER.format(url=pooled).replace("[mailbox]", f'direct_url = "{url}"\n[mailbox]')
        of_settings = make_settings(tmp_path, settings)
        engine = open_database(pooled, direct=url)
        world = World(of_settings, engine, Moderator(of_settings, engine))
        plays_and_is_hindered_by_nothing(world)
        waits_for_a_while_only(pooled, url)
        assert glance.look(pooled, utc_now()).games == {"running": 1}
        world.engine.dispose()


@pytest.mark.parametrize("servers", [1, 5])
def test_a_pool_of_transactions_alone_is_refused_by_all_that_need_locks(
    empty: Empty, server: PostgresqlServer, tmp_path: Path, servers: int
) -> None:
    with pgbouncer(server, empty(), "transaction", f"min_pool_size = {servers}\nserver_round_robin = 1") as pooled:
        world = World.at(tmp_path, ON_A_SERVER.format(url=pooled))
        with pytest.raises(DatabaseUnavailable, match=r"pools transactions.*direct_url"):
            workers.may_begin(world.engine)
        with pytest.raises(DatabaseUnavailable, match="pools transactions"), only_one(world.engine, "sending"):
            pass
        found = [
            each for each in doctor.examine_machine(world.settings, tmp_path / "config.toml") if each.state == "wrong"
        ]
        assert [(each.about, "pools transactions" in each.told) for each in found] == [("database", True)]
        world.engine.dispose()
