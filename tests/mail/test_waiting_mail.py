"""Mail waiting for a worker: its order, the limit on attempts, and the games that must wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import Connection, update

from bot.moderator.moderator import TAKEN_MEANWHILE
from bot.service.loop import WaitingMail
from bot.store import installation
from bot.store.database import reading, writing
from bot.store.installation import INBOX, NextMail, ProcessLocks, SettledMail, StoredMail
from bot.store.rows import load
from bot.store.tables import DEADLINE
from tests.moderator.table import GAME, GAME_MASTER, START, World

MINUTE = timedelta(minutes=1)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path)
    yield made
    made.engine.dispose()


def stored(world: World, *mails: StoredMail) -> None:
    with writing(world.engine) as conn:
        for mail in mails:
            installation.store_mail(conn, mail)


def mail(key: str, sender: str = "guild@players.example", game: str | None = GAME) -> StoredMail:
    return StoredMail(key, b"status", 0, sender, game, START)


def test_a_mail_waits_once_until_it_has_its_verdict_and_is_then_moved_away(world: World) -> None:
    first, second = mail("1"), mail("2", "fremen@players.example", "sietch-13")
    stored(world, first, second, first)
    with writing(world.engine) as conn:
        assert (
            installation.count_waiting_mail(conn),
            installation.inbox_keys(conn),
            installation.settled_mail(conn),
        ) == (2, {"1", "2"}, [])
        next_two = [NextMail(1, GAME, first.sender), NextMail(2, "sietch-13", second.sender)]
        assert installation.waiting_mail(conn) == next_two
        taken = take_mail(conn, 1)
        assert taken == StoredMail("1", b"status", 0, first.sender, GAME, START, 1, 0)
        assert installation.mail_still_waits(conn, taken)
        installation.settle_mail(conn, taken, "rejected", "nobody knows the sender", shunt=True)
        assert not installation.mail_still_waits(conn, taken)
        assert take_mail(conn, 1) is None
        assert (installation.count_waiting_mail(conn), installation.waiting_mail(conn)) == (1, next_two[1:])
        assert [installation.mail_waits_for(conn, game) for game in (GAME, "sietch-13")] == [False, True]
        assert installation.settled_mail(conn) == [SettledMail(1, "1", "rejected", "nobody knows the sender", True)]
        installation.drop_mail(conn, [1])
        assert (installation.settled_mail(conn), installation.inbox_keys(conn)) == ([], {"2"})


def test_each_try_counts_unless_it_is_let_go(world: World) -> None:
    stored(world, mail("1"), mail("2"))
    tries = []
    with writing(world.engine) as conn:
        for let_go in (True, False, True, True, False, False):
            taken = take_mail(conn, 1)
            assert taken is not None
            tries.append(taken.tries)
            if let_go:
                installation.put_mail_back(conn, taken)
        other = take_mail(conn, 2)
        assert other is not None
    assert (tries, other.tries) == ([0, 0, 1, 1, 1, 2], 0)


@pytest.mark.parametrize(
    ("waiting", "free"),
    [
        ([(None, "paul"), (GAME, "chani")], [1]),
        ([(GAME, "paul"), (None, "chani"), ("b", "duncan")], [1]),
        ([(GAME, "paul"), (GAME, "chani"), ("b", "chani"), (None, "paul"), ("d", "jessica")], [1, 2, 3]),
        ([], []),
    ],
)
def test_no_mail_is_taken_before_one_for_no_game_that_came_earlier(
    world: World, waiting: list[tuple[str | None, str]], free: list[int]
) -> None:
    stored(world, *(mail(str(number), sender, game) for number, (game, sender) in enumerate(waiting)))
    with reading(world.engine) as conn:
        assert [each.id for each in installation.waiting_mail(conn)] == free


def test_a_game_that_is_due_waits_for_its_mail_and_for_any_that_came_in_time(world: World) -> None:
    world.new_game()
    world.new_game(game="sietch-13")
    games, now = {GAME, "sietch-13"}, START + 3 * MINUTE
    with writing(world.engine) as conn:
        conn.execute(update(DEADLINE).where(DEADLINE.c.game_id == GAME).values(until=START + MINUTE))
        conn.execute(update(DEADLINE).where(DEADLINE.c.game_id != GAME).values(until=START + 2 * MINUTE))
        assert installation.games_waited_for(conn, games, now) == set()
    stored(world, mail("1", game="sietch-13"), mail("2", "a", "elsewhere"))
    with reading(world.engine) as conn:
        assert installation.games_waited_for(conn, games, now) == {"sietch-13"}
        assert installation.games_waited_for(conn, {GAME}, now) == set()
        assert installation.games_waited_for(conn, set(), now) == set()
    with writing(world.engine) as conn:
        installation.drop_mail(conn, [1, 2])
        for came, waits in ((1, games), (2, {"sietch-13"}), (3, set())):
            installation.store_mail(conn, StoredMail(f"any {came}", b"", 0, "b", None, START + came * MINUTE))
            assert installation.games_waited_for(conn, games, now) == waits
            conn.exec_driver_sql("DELETE FROM inbox")


def take_mail(conn: Connection, number: int) -> StoredMail | None:
    """Claim a mail in an SQLite file, as ``ProcessLocks.claim_mail`` does on a server."""
    free = (INBOX.c.id == number, INBOX.c.disposition == "")
    if not conn.execute(update(INBOX).where(*free).values(tries=INBOX.c.tries + 1)).rowcount:
        return None
    taken = load(conn, StoredMail, id=number)
    return replace(taken, tries=taken.tries - 1) if taken else None


class Locks:
    """The mail claimed by one process; other processes already hold the mails in `elsewhere`."""

    def __init__(self, world: World, *elsewhere: int) -> None:
        self._engine = world.engine
        self._elsewhere = elsewhere
        self.held: list[int] = []
        self.had: list[int] = []

    def claim_mail(self, number: int, done: int = 0) -> StoredMail | None:
        if number in self._elsewhere:
            return None
        self.held = [each for each in self.held if each != done] + [number]
        self.had.append(number)
        with writing(self._engine) as conn:
            return take_mail(conn, number)


def handling(world: World, locks: Locks, home: str = "") -> WaitingMail:
    given = (world.moderator, cast(ProcessLocks, locks), lambda: START + MINUTE)
    return WaitingMail(*given, lambda game: game.startswith(home))


STRANGER = b"From: chani@sietch.example\r\nTo: mentat@arrakis.example\r\nSubject: Hello\r\n\r\nHello\r\n"


@pytest.mark.parametrize(
    ("tries", "logged"),
    [
        (installation.MOST_TRIES - 1, ["1: rejected (no reply token: it is not for any game here)"]),
        (installation.MOST_TRIES, [f"1: {installation.MOST_TRIES} processes have ended over it; it is put aside"]),
        (
            installation.MOST_TRIES + 1,
            [f"1: {installation.MOST_TRIES + 1} processes have ended over it; it is put aside"],
        ),
    ],
)
def test_a_mail_on_which_too_many_processes_have_ended_is_put_aside_unread(
    world: World, caplog: pytest.LogCaptureFixture, tries: int, logged: list[str]
) -> None:
    caplog.set_level("INFO", "bot.service.loop")
    stored(world, StoredMail("1", STRANGER, 0, "chani@sietch.example", None, START))
    with writing(world.engine) as conn:
        conn.execute(update(INBOX).values(tries=tries))
    assert handling(world, Locks(world)).take_one()
    assert [each.getMessage() for each in caplog.records if each.name == "bot.service.loop"] == logged
    with reading(world.engine) as conn:
        assert (installation.count_waiting_mail(conn), len(installation.settled_mail(conn))) == (0, 1)


def test_a_worker_takes_the_first_mail_that_no_other_has_in_hand_and_lets_go_of_it(world: World) -> None:
    stored(world, *(StoredMail(key, STRANGER, 0, f"{key}@sietch.example", None, START) for key in ("1", "2", "3")))
    locks = Locks(world, 1)
    assert not handling(world, locks).take_one()
    assert (locks.held, locks.had) == ([], [])
    locks = Locks(world)
    working = handling(world, locks)
    assert [working.take_one() for _ in range(4)] == [True, True, True, False]
    assert (locks.held, locks.had) == ([3], [1, 2, 3])  # the last stays claimed, but it is settled and blocks nobody


def test_a_home_takes_its_mail_at_once_and_others_take_it_after_two_seconds(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter((0.0, 1.9, 2.0))
    monkeypatch.setattr("bot.service.loop.time.monotonic", lambda: next(seconds))
    for key in ("a1", "b1", "a2"):
        stored(world, StoredMail(key, STRANGER, 0, f"{key}@sietch.example", key[0], START))
    locks = Locks(world)
    working = handling(world, locks, home="b")
    taken = [working.take_one()]
    assert (taken, locks.had) == ([True], [2])
    taken = [working.take_one() for _ in range(3)]
    assert (taken, locks.had) == ([False, True, True], [2, 1, 3])


def test_behind_a_mail_that_another_has_in_hand_what_is_of_its_game_or_sender_is_left_alone(world: World) -> None:
    for key, sender, game in (("1", "paul", "a"), ("2", "chani", "a"), ("3", "paul", "b"), ("4", "duncan", "b")):
        stored(world, StoredMail(key, STRANGER, 0, sender, game, START))
    locks = Locks(world, 1)
    working = handling(world, locks)
    assert working.take_one()
    assert locks.had == [4]  # the server's claim refuses mail behind the third
    assert working.own_waits


def in_hand(world: World, key: str, raw: bytes) -> StoredMail:
    """Store a fetched mail, claim it for this process and return it."""
    stored(world, StoredMail(key, raw, 0, "guild@players.example", GAME, world.now))
    with writing(world.engine) as conn:
        taken = take_mail(conn, installation.waiting_mail(conn)[-1].id)
    assert taken is not None
    return taken


def test_what_another_process_has_taken_meanwhile_is_neither_taken_nor_put_aside(world: World) -> None:
    world.new_game()
    taken = in_hand(world, "1", world.mail("guild", "status"))
    assert world.moderator.receive(taken.raw, taken.key, world.now, stored=taken).taken == 1
    letters, messages = world.written(), world.messages()
    assert world.moderator.receive(taken.raw, taken.key, world.now, stored=taken) == TAKEN_MEANWHILE
    assert world.moderator.give_up(taken, world.now) == TAKEN_MEANWHILE
    assert (world.written(), world.messages()) == (letters, messages)
    with writing(world.engine) as conn:
        [settled] = installation.settled_mail(conn)
    assert (settled.key, settled.disposition, settled.shunt) == ("1", "orders", False)


def test_a_mail_that_ends_processes_is_put_aside_and_told_once_though_it_is_fetched_again(world: World) -> None:
    world.new_game()
    raw, before = world.mail("guild", "status"), world.written()
    for _ in range(2):
        assert world.moderator.give_up(in_hand(world, "1", raw), world.now).disposition == "fault"
        with writing(world.engine) as conn:
            [settled] = installation.settled_mail(conn)
            assert (settled.key, settled.disposition, settled.shunt) == ("1", "fault", True)
            installation.drop_mail(conn, [settled.id])
    assert world.messages() == [("fault", "EndedProcesses while it was processed")]
    assert [letter.recipient for letter in world.letters(after=before)] == [GAME_MASTER]
