"""Tests that a PostgreSQL database is opened, migrated, written and read like a file, and for its own errors."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, delete, make_url

from bot.mail.mailbox import MaildirMailbox, MaildirPlace
from bot.monitoring.logs import without_secrets
from bot.service import loop
from bot.store import installation, people
from bot.store.database import (
    DatabaseUnavailable,
    Engine,
    backend_of,
    open_database,
    reading,
    rewrite,
    size_of,
    writing,
)
from bot.store.installation import AlreadyRunning, inspect_database, only_one
from bot.store.people import BAN, Ban
from tests.moderator.table import START, World
from tests.postgresql_server import PostgresqlServer

Empty = Callable[[], str]
Fresh = Callable[[], str]
ON_A_SERVER = """
[mentat]
address = "mentat@arrakis.example"
game_master = "gm@arrakis.example"
[database]
url = "{url}"
[mailbox]
kind = "maildir"
[smtp]
kind = "directory"
"""


def test_a_game_named_by_the_settings_is_played_on_the_server_and_leaves_no_file(fresh: Fresh, tmp_path: Path) -> None:
    world = World.at(tmp_path, ON_A_SERVER.format(url=fresh()))
    world.new_game()
    world.silence_until("bidding")
    world.engine.dispose()
    again = open_database(world.settings.database_place)
    with reading(again) as conn:
        assert inspect_database(conn).running == 1
        assert inspect_database(conn).damage == ""
        assert size_of(conn) > 1_000_000
    again.dispose()


def test_two_processes_that_start_at_once_make_one_schema(empty: Empty) -> None:
    url, failed = empty(), list[BaseException]()

    def open_it() -> None:
        try:
            open_database(url, timeout_seconds=30).dispose()
        except BaseException as error:
            failed.append(error)

    starting = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in starting:
        thread.start()
    for thread in starting:
        thread.join()
    assert failed == []


def test_one_writes_at_a_time_so_nothing_that_was_read_is_lost(fresh: Fresh) -> None:
    engine = open_database(fresh(), timeout_seconds=30)
    with writing(engine) as conn:
        installation.beat(conn, "service", START)

    def add() -> None:
        for _ in range(20):
            with writing(engine) as conn:
                known = installation.heartbeat(conn, "service")
                assert known is not None
                installation.beat(conn, "service", known.at + timedelta(seconds=1))

    adding = [threading.Thread(target=add) for _ in range(4)]
    for thread in adding:
        thread.start()
    for thread in adding:
        thread.join()
    with reading(engine) as conn:
        found = installation.heartbeat(conn, "service")
    assert found is not None
    assert found.at - START == timedelta(seconds=80)
    engine.dispose()


def test_who_waits_too_long_for_another_writer_is_told(empty: Empty) -> None:
    url = empty()
    first, second = open_database(url), open_database(url, timeout_seconds=0.1)
    with writing(first), pytest.raises(DatabaseUnavailable, match="is held by another program"), writing(second):
        pass
    with writing(second):
        pass
    first.dispose()
    second.dispose()


def test_who_reads_sees_one_moment_and_writes_nothing(fresh: Fresh) -> None:
    engine = open_database(fresh())
    with reading(engine) as conn:
        assert installation.heartbeat(conn, "service") is None
        with writing(engine) as other:
            installation.beat(other, "service", START)
        assert installation.heartbeat(conn, "service") is None
    with pytest.raises(DatabaseUnavailable, match="can only be read"), reading(engine) as conn:
        installation.beat(conn, "service", START)
    engine.dispose()


def test_the_lock_of_a_piece_of_work_is_had_by_one_and_goes_with_its_connection(empty: Empty) -> None:
    url = empty()
    first, second = open_database(url), open_database(url)
    with only_one(first, "sending"):
        with pytest.raises(AlreadyRunning, match="is sending with postgresql://"), only_one(second, "sending"):
            pass
        with only_one(second, "reading mail"):
            pass
    with only_one(second, "sending"):
        pass
    first.dispose()
    second.dispose()


def test_a_server_that_was_started_anew_is_found_again(fresh: Fresh, server: PostgresqlServer) -> None:
    engine = open_database(fresh())
    with writing(engine) as conn:
        installation.beat(conn, "service", START)
    with pytest.raises(DatabaseUnavailable, match="postgresql://"), writing(engine) as conn:  # noqa: PT012
        server.stop()
        installation.beat(conn, "service", START + timedelta(hours=1))
    try:
        with pytest.raises(DatabaseUnavailable, match="cannot be reached"), reading(engine):
            pass
    finally:
        server.start()
    with reading(engine) as conn:
        found = installation.heartbeat(conn, "service")
    assert found is not None
    assert found.at == START
    engine.dispose()


def test_what_a_server_says_when_it_stops_is_told_in_whole_words(fresh: Fresh, server: PostgresqlServer) -> None:
    engine = open_database(fresh())
    try:
        with pytest.raises(DatabaseUnavailable, match=r"stopped|closed the connection"), writing(engine) as conn:  # noqa: PT012
            server.stop()
            installation.beat(conn, "service", START)
    finally:
        server.start()
        engine.dispose()


def test_a_database_that_is_not_there_is_told_with_the_words_of_the_server(server: PostgresqlServer) -> None:
    with pytest.raises(DatabaseUnavailable, match=r'does not let Mentat in \(database "nix" does not exist\)'):
        open_database(server.url("nix"))


def test_a_server_that_is_not_there_is_told() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(DatabaseUnavailable) as told:
        open_database("postgresql://mentat@127.0.0.1:1/mentat")
    assert str(told.value) == (
        "The database postgresql://127.0.0.1:1/mentat cannot be reached (Connection refused); "
        "check [database] url and its server."
    )
    assert without_secrets(str(told.value)) == str(told.value)


def test_no_message_names_the_password() -> None:
    with pytest.raises(DatabaseUnavailable) as told:
        open_database("postgresql://mentat:desert-power@127.0.0.1:1/mentat")
    assert "desert-power" not in str(told.value)


def test_a_database_of_a_newer_mentat_is_left_alone(empty: Empty, server: PostgresqlServer) -> None:
    url = empty()
    open_database(url).dispose()
    server.run("UPDATE alembic_version SET version_num = '9999'", _name(url))
    with pytest.raises(DatabaseUnavailable, match="made by a newer Mentat"):
        open_database(url)


def test_a_replica_and_any_other_that_can_only_be_read_is_told(empty: Empty, server: PostgresqlServer) -> None:
    url = empty()
    open_database(url).dispose()
    server.run(f"ALTER DATABASE {_name(url)} SET default_transaction_read_only = on")
    engine = open_database(url)
    with pytest.raises(DatabaseUnavailable, match="can only be read"), writing(engine) as conn:
        installation.beat(conn, "service", START)
    engine.dispose()


def _name(url: str) -> str:
    return str(make_url(url).database)


@pytest.mark.parametrize("collation", ["en-US", "de-DE-u-ka-shifted"])
def test_a_collation_that_sorts_otherwise_changes_no_letter(
    server: PostgresqlServer, tmp_path: Path, collation: str
) -> None:
    name = f"collated_{collation.lower().replace('-', '_')}"
    server.run(f"CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '{collation}'")
    written = []
    for folder, url in ((tmp_path / "file", ""), (tmp_path / "server", server.url(name))):
        folder.mkdir()
        world = World.at(folder, ON_A_SERVER.format(url=url))
        world.new_game("wbc-2018")
        world.silence_until("bidding", turn=2)
        written.append([(letter.recipient, _SALTED.sub("", letter.message.as_string())) for letter in world.letters()])
        world.engine.dispose()
    assert written[0] == written[1]


_SALTED = re.compile("record so far: [0-9a-f]{16}|boundary=.*|--=+[0-9]+=+.*")


def test_what_was_deleted_is_gone_from_its_tables(fresh: Fresh, server: PostgresqlServer) -> None:
    words = "the spice must flow from Sietch Tabr"
    engine = open_database(fresh())
    with writing(engine) as conn:
        people.add_ban(conn, Ban("feyd@example.org", "", "warning", words, "", START))
    with writing(engine) as conn:
        conn.execute(delete(BAN))
    assert server.holds(words)
    rewrite(engine)
    assert not server.holds(words)
    engine.dispose()


def test_a_server_without_room_leaves_the_mail_in_the_mailbox_and_nothing_half_done(
    fresh: Fresh, tmp_path: Path
) -> None:
    world = World.at(tmp_path, ON_A_SERVER.format(url=fresh()))
    world.new_game(factions=("atreides", "guild", "harkonnen"))
    box = MaildirMailbox(MaildirPlace(tmp_path / "box"))
    for name in ("new", "cur", "tmp"):
        (tmp_path / "box" / name).mkdir(parents=True)
    (tmp_path / "box" / "new" / "1.mail").write_bytes(world.mail("guild", world.line("guild", "traitor"), "status"))
    with world.engine.begin() as conn:
        conn.exec_driver_sql(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
        )
        conn.exec_driver_sql("CREATE TRIGGER full_disk BEFORE INSERT ON letter EXECUTE FUNCTION full_disk()")
    written = world.written()
    with pytest.raises(DatabaseUnavailable, match="has no room because its server's disk is full"):
        loop.poll(world.moderator, box, lambda: world.now)
    assert (world.messages(), world.written()) == ([], written)
    assert "guild" in world.asked()
    with world.engine.begin() as conn:
        conn.exec_driver_sql("DROP FUNCTION full_disk CASCADE")
    assert loop.poll(world.moderator, box, lambda: world.now).messages == 1
    assert "guild" not in world.asked()
    world.engine.dispose()


def test_a_program_that_starts_waits_until_another_has_made_the_schema(empty: Empty) -> None:
    url, opened = empty(), list[Engine]()
    other = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with other.connect() as conn, conn.begin():
        backend_of(other).take_turn_to_migrate(conn)
        starting = threading.Thread(target=lambda: opened.append(open_database(url, timeout_seconds=0.1)))
        starting.start()
        starting.join(1)
        assert starting.is_alive()
    starting.join()
    for engine in (other, *opened):
        engine.dispose()
    assert len(opened) == 1
