"""The outbox claims, sends and records each letter once, and sends nothing while the database is not writable."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, event, select

from bot.mail.transport import SendDeferred
from bot.service import loop
from bot.service.outbox import STILL_OURS, SendResult
from bot.store import mail, tournament_rounds
from bot.store.database import DatabaseUnavailable, reading, writing
from bot.store.mail import FORM, LETTER
from bot.store.tournament_rounds import TABLE as TOURNAMENT_TABLE
from rules.components import Faction
from tests.moderator.table import World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
PASSES = 5


class Server:
    """A mail server that accepts letters and calls ``then`` after each."""

    def __init__(self, then: Callable[[], object] = lambda: None) -> None:
        self.got: list[bytes] = []
        self.then = then

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        self.got.append(letter)
        self.then()

    def close(self) -> None: ...


class Away(Server):
    """A mail server that cannot be reached."""

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        raise SendDeferred("no SMTP connection; check [smtp] host")


class Killed(BaseException):
    """Simulates the death of the process."""


class Disk:
    """The disk under the database; while it is full, commits fail."""

    def __init__(self, engine: Engine) -> None:
        self.full = False
        event.listen(engine, "commit", self._commit)

    def _commit(self, connection: Connection) -> None:
        if self.full and connection.get_execution_options().get("write"):
            raise sqlite3.OperationalError("database or disk is full")

    def fill(self) -> None:
        self.full = True


@contextmanager
def held_by_another_program(world: World) -> Iterator[None]:
    with closing(sqlite3.connect(world.settings.mentat.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def send(world: World, server: Server) -> SendResult:
    return loop.send(world.outbox, server, world.now)


def passes_in_vain(world: World, server: Server) -> None:
    for _ in range(PASSES):
        world.now += timedelta(seconds=loop.SEND_SECONDS)
        with pytest.raises(DatabaseUnavailable):
            send(world, server)


@pytest.mark.parametrize(("frozen", "sent"), [(STILL_OURS, 3), (STILL_OURS + 0.1, 0)])
def test_who_was_frozen_after_the_claim_sends_nothing_until_the_claim_has_ended(
    world: World, monkeypatch: pytest.MonkeyPatch, frozen: float, sent: int
) -> None:
    world.new_game(factions=FEW)
    server, times = Server(), itertools.cycle((100.0, 100.0 + frozen))
    with monkeypatch.context() as slow:
        slow.setattr("bot.service.outbox.time.monotonic", lambda: next(times))
        assert send(world, server) == SendResult(sent)
    assert len(server.got) == sent
    assert send(world, server) == SendResult(3 - sent)
    assert len(server.got) == len(set(server.got)) == 3


def test_where_there_is_nothing_to_write_nothing_is_written(world: World) -> None:
    with writing(world.engine) as conn:
        mail.post(conn, (), world.now)
        mail.keep_forms(conn, ())
        tournament_rounds.add_tables(conn, (), ())
        assert [conn.execute(select(table)).all() for table in (LETTER, FORM, TOURNAMENT_TABLE)] == [[], [], []]


@pytest.mark.sqlite_only
def test_no_letter_goes_out_while_the_database_is_locked(world: World) -> None:
    world.new_game(factions=FEW)
    server = Server()
    with held_by_another_program(world):
        passes_in_vain(world, server)
    assert server.got == []
    assert send(world, server).sent == 3
    assert len(set(server.got)) == len(server.got) == 3


@pytest.mark.sqlite_only
def test_no_letter_goes_out_while_the_disk_is_full(world: World) -> None:
    world.new_game(factions=FEW)
    server, disk = Server(), Disk(world.engine)
    disk.fill()
    passes_in_vain(world, server)
    assert server.got == []


@pytest.mark.sqlite_only
def test_a_letter_that_could_not_be_noted_goes_out_once_for_as_long_as_the_process_lives(world: World) -> None:
    world.new_game(factions=FEW)
    disk = Disk(world.engine)
    server = Server(then=disk.fill)
    passes_in_vain(world, server)
    assert len(server.got) == 1
    disk.full, server.then = False, lambda: None
    assert send(world, server).sent == 2
    assert len(set(server.got)) == len(server.got) == 3
    with reading(world.engine) as conn:
        assert all(row.sent_at and not row.next_try_at for row in conn.execute(select(LETTER)))


def dies() -> None:
    raise Killed


def test_a_letter_of_which_a_dead_process_told_nothing_goes_out_once_more_and_then_waits(world: World) -> None:
    world.new_game(factions=FEW)
    server = Server(then=dies)
    for _ in range(PASSES):
        with pytest.raises(Killed):
            send(world.another_process(), server)
        world.now += timedelta(seconds=loop.SEND_SECONDS)
    assert max(map(server.got.count, server.got)) == 2
    assert len(set(server.got)) == 3
    server.then = lambda: None
    world.now += timedelta(hours=1)
    send(world, server)
    with reading(world.engine) as conn:
        assert all(row.sent_at for row in conn.execute(select(LETTER)))


def test_a_letter_is_claimed_by_one_until_its_lease_has_run_out(world: World) -> None:
    world.new_game(factions=FEW)
    with writing(world.engine) as conn:
        first, *others = mail.to_send(conn, world.now)
        assert mail.claim(conn, first, "one worker", world.now)
        assert not mail.claim(conn, first, "another worker", world.now)
        assert mail.to_send(conn, world.now) == others
        later = world.now + mail.LEASE
        again = mail.to_send(conn, later)[0]
        assert (again.id, again.tries) == (first.id, 1)
        assert mail.claim(conn, again, "another worker", later)


def test_what_a_worker_says_after_its_lease_changes_nothing_but_that_a_letter_was_sent(world: World) -> None:
    world.new_game(factions=FEW)
    with writing(world.engine) as conn:
        first = mail.to_send(conn, world.now)[0]
        assert mail.claim(conn, first, "one worker", world.now)
        later = world.now + mail.LEASE
        assert mail.claim(conn, mail.to_send(conn, later)[0], "another worker", later)
        mail.note_sent(conn, [first.id], later)
        mail.try_later(conn, first, later, "no answer in time")
        mail.note_refused(conn, first, "550 no such user")
        row = conn.execute(select(LETTER).where(LETTER.c.id == first.id)).one()
    assert (row.sent_at is not None, row.next_try_at, row.error) == (True, None, "")


def test_the_pauses_between_tries_grow_to_three_hours_and_no_further(world: World) -> None:
    world.new_game(factions=FEW[:1])
    minutes = []
    while next_try := _next_try(world):
        world.now = max(world.now, next_try)
        before = world.now
        send(world, Away())
        if after := _next_try(world):
            minutes.append((after - before) / timedelta(minutes=1))
    assert minutes == [1, 2, 4, 8, 16, 32, 64, 128] + [180] * (mail.GIVE_UP_AFTER - 9)


def _next_try(world: World) -> datetime | None:
    with reading(world.engine) as conn:
        at: datetime | None = conn.execute(select(LETTER.c.next_try_at).order_by(LETTER.c.id).limit(1)).scalar_one()
    return at
