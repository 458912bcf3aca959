"""Tests for backing up and restoring a server's database with the server's own programs, as one consistent snapshot."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.service.backup import back_up
from bot.service.machine import utc_now
from bot.service.mail_servers import open_kept_mail
from bot.service.presence import Present
from bot.service.restoration import Restoration, check, restore
from bot.service.resumption import resume
from bot.store import games, installation
from bot.store.copies import CopyFailed
from bot.store.database import DatabaseUnavailable, Held, open_database, reading, writing
from bot.store.installation import AlreadyRunning, only_one
from tests.backup.by_mail import Process, begun
from tests.cli.conftest import Mentat, mentat  # noqa: F401 - a fixture
from tests.moderator.table import ADDRESS, GAME, World
from tests.postgresql.test_database import ON_A_SERVER
from tests.postgresql_server import PostgresqlServer

Fresh = Callable[[], str]


def mentat_on(url: str, folder: Path) -> World:
    folder.mkdir(exist_ok=True)
    return World.at(folder, ON_A_SERVER.format(url=url))


def put_back(world: World, file: Path, *, replace: bool = False) -> Restoration:
    world.engine.dispose()
    return restore(file, world.settings, None, world.now, replace=replace, from_another=False)


@pytest.fixture
def place(fresh: Fresh, tmp_path: Path) -> Iterator[World]:
    """Yield a Mentat on a server, for `mentat ...`."""
    made = mentat_on(fresh(), tmp_path)
    yield made
    made.engine.dispose()


def test_a_backup_under_load_is_of_one_moment_and_restores(fresh: Fresh, tmp_path: Path) -> None:
    world = mentat_on(fresh(), tmp_path)
    world.new_game()
    stop, failed = threading.Event(), list[BaseException]()
    other = mentat_on(world.settings.database.url, tmp_path)

    def play() -> None:
        try:
            while not stop.is_set():
                other.wait(24)
        except BaseException as error:
            failed.append(error)

    player = threading.Thread(target=play)
    player.start()
    patient = open_database(world.settings.database_place)
    try:
        files = [tmp_path / f"copy-{number}.dump" for number in range(3)]
        for file in files:
            made = back_up(patient, ADDRESS, file, None, world.now, force=False)
            assert made.verified.broken == []
    finally:
        stop.set()
        player.join()
    assert failed == []
    assert files[1].stat().st_mode & 0o777 == 0o600
    second = mentat_on(fresh(), tmp_path / "second")
    found = put_back(second, files[1])
    assert (found.label.kind, found.label.address) == ("postgresql", ADDRESS)
    assert found.verified is not None
    assert (found.verified.checked, found.verified.broken) == (1, [])
    restored = open_database(second.settings.database_place)
    with pytest.raises(Held, match="mentat restore --resume"), writing(restored):
        pass
    with reading(restored) as conn, reading(patient) as there:
        assert installation.this_installation(conn).id == installation.this_installation(there).id
        assert games.game_start(conn, GAME).entries < games.game_start(there, GAME).entries
    restored.dispose()
    patient.dispose()


def test_games_give_way_only_where_that_is_said_and_nothing_is_mixed(fresh: Fresh, tmp_path: Path) -> None:
    world = mentat_on(fresh(), tmp_path)
    world.new_game()
    file = tmp_path / "copy.dump"
    back_up(world.engine, ADDRESS, file, None, world.now, force=False)
    world.new_game(game="later")
    with pytest.raises(CopyFailed, match="--replace"):
        put_back(world, file)
    put_back(world, file, replace=True)
    with reading(open_database(world.settings.database_place)) as conn:
        assert games.every(conn) == [GAME]


def test_a_copy_that_is_cut_changes_nothing(fresh: Fresh, tmp_path: Path) -> None:
    world = mentat_on(fresh(), tmp_path)
    world.new_game()
    file, cut = tmp_path / "copy.dump", tmp_path / "cut.dump"
    back_up(world.engine, ADDRESS, file, None, world.now, force=False)
    cut.write_bytes(file.read_bytes()[:-2000])
    with pytest.raises(CopyFailed, match="is incomplete"):
        check(cut, None, world.now)
    with pytest.raises(CopyFailed, match="is incomplete"):
        put_back(world, cut, replace=True)
    with writing(open_database(world.settings.database_place)) as conn:
        assert games.every(conn) == [GAME]


def test_a_kind_of_copy_goes_back_only_where_it_came_from(fresh: Fresh, tmp_path: Path) -> None:
    world = mentat_on(fresh(), tmp_path)
    dump = tmp_path / "copy.dump"
    back_up(world.engine, ADDRESS, dump, 0, world.now, force=False)
    (tmp_path / "file").mkdir()
    in_file = World.at(tmp_path / "file")
    copy = tmp_path / "copy.db"
    back_up(in_file.engine, ADDRESS, copy, 0, world.now, force=False)
    with pytest.raises(CopyFailed, match="mentat move"):
        put_back(world, copy)
    with pytest.raises(CopyFailed, match="mentat move"):
        put_back(in_file, dump)


def test_without_the_servers_programs_it_is_said_what_to_install(
    fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = mentat_on(fresh(), tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CopyFailed, match="postgresql-client"):
        back_up(world.engine, ADDRESS, tmp_path / "copy.dump", 0, world.now, force=False)
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho pg_dump '(PostgreSQL)' 9.6.1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    with pytest.raises(CopyFailed, match="version 9"):
        back_up(world.engine, ADDRESS, tmp_path / "copy.dump", 0, world.now, force=False)
    assert list(tmp_path.glob("*.dump*")) == []


def test_a_password_is_on_no_command_line(fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = fresh()
    told = tmp_path / "told"
    spy = tmp_path / "pg_dump"
    spy.write_text(f'#!/bin/sh\necho "$@ $PGPASSWORD" >> {told}\nPATH=/usr/bin exec pg_dump "$@"\n')
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    world = mentat_on(url, tmp_path)
    with_password = open_database(url.replace("mentat@", "mentat:open%20sesame@"))
    back_up(with_password, ADDRESS, tmp_path / "copy.dump", 0, world.now, force=False)
    words = told.read_text().splitlines()[-1]
    assert words.endswith(" open sesame")
    assert "sesame" not in words.removesuffix(" open sesame")


def test_a_service_at_work_keeps_its_database(fresh: Fresh, tmp_path: Path) -> None:
    world = mentat_on(fresh(), tmp_path)
    file = tmp_path / "copy.dump"
    back_up(world.engine, ADDRESS, file, 0, world.now, force=False)
    with only_one(open_database(world.settings.database_place), "running"), pytest.raises(AlreadyRunning):
        put_back(world, file)


def test_a_game_on_a_server_goes_on_after_a_backup_was_put_back(fresh: Fresh, tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", 2, url=fresh())
    settings, players = process.settings, process.players
    process.turn_over()
    file = tmp_path / "copy.dump"
    back_up(process.engine, ADDRESS, file, 0, players.now, force=False)
    for _ in range(3):
        process.turn_over()
    expected = process.outcome()
    process.dies()
    players.now += timedelta(hours=2)
    restore(file, settings, 0, players.now, replace=True, from_another=False)
    engine = open_database(settings.database_place)
    done = resume(settings, engine, open_kept_mail(settings), players.now)
    engine.dispose()
    assert done.messages > 5
    again = Process(settings, players)
    assert again.outcome() == expected
    for _ in range(3):
        again.turn_over()
    assert players.twice() == []
    again.dies()


def test_below_a_worker_that_is_at_work_nothing_is_put_back(fresh: Fresh, tmp_path: Path) -> None:
    world = mentat_on(fresh(), tmp_path)
    file = tmp_path / "copy.dump"
    back_up(world.engine, ADDRESS, file, 0, world.now, force=False)
    present = Present(open_database(world.settings.database_place), "a worker", utc_now, lambda: None)
    present.begin()
    try:
        with pytest.raises(AlreadyRunning, match="is at work"):
            put_back(world, file, replace=True)
    finally:
        present.end()
    put_back(world, file, replace=True)


def test_a_server_that_can_only_be_read_says_so(fresh: Fresh, tmp_path: Path) -> None:
    world = mentat_on(fresh(), tmp_path)
    name = world.settings.database.url.partition("@/")[2].partition("?")[0]
    with writing(world.engine) as conn:
        conn.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    world.engine.dispose()
    replica = open_database(world.settings.database_place)
    with pytest.raises(DatabaseUnavailable, match="can only be read"):
        back_up(replica, ADDRESS, tmp_path / "copy.dump", 0, world.now, force=False)
    assert list(tmp_path.glob("*.dump*")) == []
    replica.dispose()


def test_a_check_on_a_server_plays_the_games_of_a_copy_again_and_leaves_nothing(
    fresh: Fresh, server: PostgresqlServer, tmp_path: Path
) -> None:
    world = mentat_on(fresh(), tmp_path)
    world.new_game()
    file = tmp_path / "copy.dump"
    back_up(world.engine, ADDRESS, file, 0, world.now, force=False)
    assert check(file, None, world.now).verified is None
    found = check(file, None, world.now, server.url()).verified
    assert found is not None
    assert (found.games, found.checked, found.broken) == (1, 1, [])
    with writing(world.engine) as conn:
        conn.exec_driver_sql("UPDATE game SET seed = 'another'")
    os.remove(file)
    back_up(world.engine, ADDRESS, file, 0, world.now, force=False)
    changed = check(file, None, world.now, server.url()).verified
    assert changed is not None
    assert [each.id for each in changed.broken] == [GAME]
    assert server.run("SELECT 1 FROM pg_database WHERE datname LIKE 'mentat_check%'") == []
    server.run("CREATE ROLE visitor LOGIN")
    with pytest.raises(DatabaseUnavailable, match="cannot be changed by this user"):
        check(file, None, world.now, server.url().replace("mentat@", "visitor@"))
    world.engine.dispose()


def test_the_command_checks_a_copy_of_a_server_on_the_one_that_is_named(
    mentat: Mentat,  # noqa: F811
    place: World,
    server: PostgresqlServer,
) -> None:
    place.new_game()
    mentat("backup", "copy.dump")
    only_read = mentat("restore", "--check", "copy.dump")
    assert (only_read.code, only_read.err) == (0, "")
    assert "a PostgreSQL database" in only_read.out
    assert "were not replayed" in only_read.out
    assert "games" not in mentat("restore", "--check", "copy.dump", "--json").json
    tried = mentat("restore", "--check", "copy.dump", "--on", server.url())
    assert (tried.code, tried.err) == (0, "")
    assert "1 game; 1 of 1 that were replayed hold." in tried.out
    assert "were not replayed" not in tried.out
    none = mentat("restore", "--check", "copy.dump", "--on", server.url(), "--verify", "0", "--json")
    assert (none.json["games"], none.json["checked"]) == (1, 0)
    with writing(place.engine) as conn:
        conn.exec_driver_sql("UPDATE game SET seed = 'another'")
    assert mentat("backup", "copy.dump", "--force").code == 1
    broken = mentat("restore", "--check", "copy.dump", "--on", server.url())
    assert broken.code == 1
    assert f"{GAME} fails verification" in broken.err
    assert [each["game"] for each in mentat("backup", "copy.dump", "--force", "--json").json["broken"]] == [GAME]


def test_what_is_no_server_for_a_check_is_said_in_one_line(
    mentat: Mentat,  # noqa: F811
    place: World,
    server: PostgresqlServer,
) -> None:
    mentat("backup", "copy.dump", "--verify", "0")
    for words, code, told in (
        (["copy.dump", "--on", server.url()], 2, "--on needs --check"),
        (["--check", "copy.dump", "--on", "copy.db"], 2, "postgresql://mentat@db.example.org/postgres"),
        (["--check", "copy.dump", "--on", "postgresql://mentat@127.0.0.1:1/postgres"], 1, "cannot be reached"),
        (["--check", "copy.dump", "--on", "postgresql://mentat@127.0.0.1:x/postgres"], 2, "name an existing database"),
        (["--check", "copy.dump", "--on", "postgresql://mentat:spice@127.0.0.1:1/postgres"], 2, "without a password"),
        (["--check", "copy.dump", "--on", server.url("nix")], 1, 'nix" does not exist'),
    ):
        ran = mentat("restore", *words)
        assert (ran.code, ran.out) == (code, ""), words
        assert told in ran.err, words
        assert len(ran.err.splitlines()) == 1, words
