"""Mail that waits for a worker: in which order it may be taken, how often it is tried, and what waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import update

from bot.moderator.moderator import TAKEN_MEANWHILE
from bot.service.handling import Handling
from bot.store import inbox
from bot.store.database import reading, writing
from bot.store.direct import Direct
from bot.store.inbox import Next, Settled, Stored
from bot.store.tables import DEADLINE
from bot.store.worker_tables import INBOX
from tests.moderator.table import GAME, GAME_MASTER, START, World

MINUTE = timedelta(minutes=1)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path)
    yield made
    made.engine.dispose()


def stored(world: World, *mails: Stored) -> None:
    with writing(world.engine) as conn:
        for mail in mails:
            inbox.store(conn, mail)


def mail(key: str, sender: str = "guild@players.example", game: str | None = GAME) -> Stored:
    return Stored(key, b"status", 0, sender, game, START)


def test_a_mail_waits_once_until_it_has_its_verdict_and_is_then_moved_away(world: World) -> None:
    first, second = mail("1"), mail("2", "fremen@players.example", "sietch-13")
    stored(world, first, second, first)
    with writing(world.engine) as conn:
        assert (inbox.waiting(conn), inbox.keys(conn), inbox.settled(conn)) == (2, {"1", "2"}, [])
        assert inbox.takeable(conn) == [Next(1, GAME), Next(2, "sietch-13")]
        taken = inbox.take(conn, 1)
        assert taken == Stored("1", b"status", 0, first.sender, GAME, START, 1, 0)
        assert inbox.still_waits(conn, taken)
        inbox.settle(conn, taken, "rejected", "nobody knows the sender", shunt=True)
        assert not inbox.still_waits(conn, taken)
        assert inbox.take(conn, 1) is None
        assert (inbox.waiting(conn), inbox.takeable(conn)) == (1, [Next(2, "sietch-13")])
        assert [inbox.any_for(conn, game) for game in (GAME, "sietch-13")] == [False, True]
        assert inbox.settled(conn) == [Settled(1, "1", "rejected", "nobody knows the sender", True)]
        inbox.drop(conn, [1])
        assert (inbox.settled(conn), inbox.keys(conn)) == ([], {"2"})


def test_each_try_counts_unless_it_is_let_go(world: World) -> None:
    stored(world, mail("1"), mail("2"))
    tries = []
    with writing(world.engine) as conn:
        for let_go in (True, False, True, True, False, False):
            taken = inbox.take(conn, 1)
            assert taken is not None
            tries.append(taken.tries)
            if let_go:
                inbox.let_go(conn, taken)
        other = inbox.take(conn, 2)
        assert other is not None
    assert (tries, other.tries) == ([0, 0, 1, 1, 1, 2], 0)


@pytest.mark.parametrize(
    ("waiting", "free"),
    [
        ([(None, "paul"), (GAME, "chani")], [1]),
        ([(GAME, "paul"), (None, "chani"), ("b", "duncan")], [1]),
        ([(GAME, "paul"), (GAME, "chani"), ("b", "chani"), ("b", "duncan"), ("c", "duncan"), ("d", "jessica")], [1, 6]),
        ([], []),
    ],
)
def test_what_came_before_for_the_game_or_from_the_sender_is_taken_first(
    world: World, waiting: list[tuple[str | None, str]], free: list[int]
) -> None:
    stored(world, *(mail(str(number), sender, game) for number, (game, sender) in enumerate(waiting)))
    with reading(world.engine) as conn:
        assert [each.id for each in inbox.takeable(conn)] == free


def test_a_game_that_is_due_waits_for_its_mail_and_for_any_that_came_in_time(world: World) -> None:
    world.new_game()
    world.new_game(game="sietch-13")
    games, now = {GAME, "sietch-13"}, START + 3 * MINUTE
    with writing(world.engine) as conn:
        conn.execute(update(DEADLINE).where(DEADLINE.c.game_id == GAME).values(until=START + MINUTE))
        conn.execute(update(DEADLINE).where(DEADLINE.c.game_id != GAME).values(until=START + 2 * MINUTE))
        assert inbox.games_waited_for(conn, games, now) == set()
    stored(world, mail("1", game="sietch-13"), mail("2", "a", "elsewhere"))
    with reading(world.engine) as conn:
        assert inbox.games_waited_for(conn, games, now) == {"sietch-13"}
        assert inbox.games_waited_for(conn, {GAME}, now) == set()
        assert inbox.games_waited_for(conn, set(), now) == set()
    with writing(world.engine) as conn:
        inbox.drop(conn, [1, 2])
        for came, waits in ((1, games), (2, {"sietch-13"}), (3, set())):
            inbox.store(conn, Stored(f"any {came}", b"", 0, "b", None, START + came * MINUTE))
            assert inbox.games_waited_for(conn, games, now) == waits
            conn.exec_driver_sql("DELETE FROM inbox")


class Locks:
    """The locks of one process, where others may have some in hand already."""

    def __init__(self, *elsewhere: str) -> None:
        self._elsewhere = elsewhere
        self.held: list[str] = []
        self.had: list[str] = []

    def take(self, work: str) -> bool:
        if work in self._elsewhere:
            return False
        self.held.append(work)
        self.had.append(work)
        return True

    def give_back(self, work: str) -> None:
        self.held.remove(work)


def handling(world: World, locks: Locks) -> Handling:
    return Handling(world.moderator, cast(Direct, locks), lambda: START + MINUTE)


STRANGER = b"From: chani@sietch.example\r\nTo: mentat@arrakis.example\r\nSubject: Hello\r\n\r\nHello\r\n"


@pytest.mark.parametrize(
    ("tries", "logged"),
    [
        (inbox.MOST_TRIES - 1, ["1: rejected (no reply token: it is for no game here)"]),
        (inbox.MOST_TRIES, [f"1: {inbox.MOST_TRIES} processes have ended over it; it is put aside"]),
        (inbox.MOST_TRIES + 1, [f"1: {inbox.MOST_TRIES + 1} processes have ended over it; it is put aside"]),
    ],
)
def test_a_mail_on_which_too_many_processes_have_ended_is_put_aside_unread(
    world: World, caplog: pytest.LogCaptureFixture, tries: int, logged: list[str]
) -> None:
    caplog.set_level("INFO", "bot.service.handling")
    stored(world, Stored("1", STRANGER, 0, "chani@sietch.example", None, START))
    with writing(world.engine) as conn:
        conn.execute(update(INBOX).values(tries=tries))
    assert handling(world, Locks()).take_one()
    assert [each.getMessage() for each in caplog.records if each.name == "bot.service.handling"] == logged
    with reading(world.engine) as conn:
        assert (inbox.waiting(conn), len(inbox.settled(conn))) == (0, 1)


def test_a_worker_takes_the_first_mail_that_no_other_has_in_hand_and_lets_go_of_it(world: World) -> None:
    stored(world, *(Stored(key, STRANGER, 0, f"{key}@sietch.example", None, START) for key in ("1", "2", "3")))
    with reading(world.engine) as conn:
        free = [each.id for each in inbox.takeable(conn)]
    locks = Locks(*(f"taking mail {number}" for number in free))
    assert not handling(world, locks).take_one()
    assert (locks.held, locks.had) == ([], [])
    locks = Locks()
    working = handling(world, locks)
    assert [working.take_one() for _ in range(4)] == [True, True, True, False]
    assert (locks.held, locks.had) == ([], ["taking mail 1", "taking mail 2", "taking mail 3"])


def in_hand(world: World, key: str, raw: bytes) -> Stored:
    """A mail that was fetched and that this process has taken in hand."""
    stored(world, Stored(key, raw, 0, "guild@players.example", GAME, world.now))
    with writing(world.engine) as conn:
        taken = inbox.take(conn, inbox.takeable(conn)[-1].id)
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
        [settled] = inbox.settled(conn)
    assert (settled.key, settled.disposition, settled.shunt) == ("1", "orders", False)


def test_a_mail_that_ends_processes_is_put_aside_and_told_once_though_it_is_fetched_again(world: World) -> None:
    world.new_game()
    raw, before = world.mail("guild", "status"), world.written()
    for _ in range(2):
        assert world.moderator.give_up(in_hand(world, "1", raw), world.now).disposition == "fault"
        with writing(world.engine) as conn:
            [settled] = inbox.settled(conn)
            assert (settled.key, settled.disposition, settled.shunt) == ("1", "fault", True)
            inbox.drop(conn, [settled.id])
    assert world.messages() == [("fault", "EndedProcesses while it was processed")]
    assert [letter.recipient for letter in world.letters(after=before)] == [GAME_MASTER]
