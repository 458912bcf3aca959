"""Tests that workers take mail in order, with one reader of the mailbox, and that any worker may die midway."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

import pytest

from bot.mail.mailbox import MailboxUnavailable
from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.loop import WaitingMail
from bot.store import installation
from bot.store.database import reading, writing, writing_no_game
from bot.store.installation import ProcessLocks
from tests.moderator.table import START
from tests.postgresql.place import GAMES, Place, reads, works


def test_mail_is_stored_taken_in_its_order_and_moved_away_when_its_verdict_stands(place: Place) -> None:
    place.new_games(*GAMES)
    reading_it, working = reads(place, place.world.moderator), works(place, place.process())
    for serial in range(3):
        for game in GAMES:
            place.drop(place.asks("guild", game, serial))
    place.drop(b"From: chani@sietch.example\r\nTo: mentat@arrakis.example\r\n\r\nHello")
    assert reading_it.look() == 10
    assert place.left == 10
    assert working.take_mail() == 10
    assert place.left == 10
    assert reading_it.look() == 0
    assert place.left == 0
    assert place.set_aside() == 1
    assert [disposition for disposition, _ in place.world.messages()] == ["orders"] * 9 + ["rejected"]
    with reading(place.world.engine) as conn:
        taken = conn.exec_driver_sql("SELECT message_id FROM message WHERE disposition = 'orders' ORDER BY id").all()
        assert installation.inbox_keys(conn) == set()
    for game in GAMES:
        assert [row[0][0] for row in taken if game in row[0]] == ["0", "1", "2"]


def test_mail_waits_for_what_came_before_it_for_its_game_or_from_its_sender(place: Place) -> None:
    stranger = b"From: chani@sietch.example\r\nTo: mentat@arrakis.example\r\n\r\nHello"
    place.new_games(*GAMES)
    reading_it = reads(place, place.world.moderator)
    for faction, game in (("guild", 0), ("fremen", 0), ("guild", 1), ("atreides", 2)):
        place.drop(place.asks(faction, GAMES[game], 1))
    place.drop(stranger)
    place.drop(place.asks("fremen", GAMES[1], 2))
    reading_it.look()
    orders = [
        ["guild@1", "atreides@3"],  # the second is for the same game, the third from the same sender
        ["fremen@1", "guild@2", "atreides@3"],
        ["guild@2", "atreides@3"],
        ["atreides@3"],
        ["chani"],  # the stranger waited for all earlier mail
        ["fremen@2"],  # which waited for the stranger's
        [],
    ]
    for expected in orders:
        assert free(place) == expected
        if expected:
            works(place, place.world.moderator)._handling.take_one()
    reading_it._lead._direct.close()


def test_only_one_reads_the_mailbox_and_another_takes_over(place: Place) -> None:
    place.new_games(GAMES[0])
    first, second = reads(place, place.world.moderator), reads(place, place.process())
    place.drop(place.asks("guild", GAMES[0], 1))
    assert first.look() == 1
    place.drop(place.asks("guild", GAMES[0], 2))
    assert second.look() == 0
    first._lead._direct.close()
    place.until(lambda: second.look() == 2, 5)


def test_what_came_in_while_the_mailbox_was_waited_for_is_stored_at_once(place: Place) -> None:
    place.new_games(GAMES[0])
    reading_it = reads(place, place.world.moderator)
    assert reading_it.read(lambda: None) == 0
    place.drop(place.asks("guild", GAMES[0], 1))
    assert reading_it.read(lambda: None) == 0  # the mailbox was checked a moment ago
    reading_it.wait(5)
    assert reading_it.read(lambda: None) == 1
    reading_it._lead._direct.close()


def test_a_mailbox_that_fails_is_left_alone_for_a_while_and_another_process_may_read_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.new_games(GAMES[0])
    first, second = reads(place, place.world.moderator), reads(place, place.process())
    with monkeypatch.context() as patched:
        patched.setattr(first._mailbox, "fetch_new", mock.Mock(side_effect=MailboxUnavailable("it is away")))
        assert first.read(lambda: None) is None
    place.drop(place.asks("guild", GAMES[0], 1))
    assert first.read(lambda: None) is None
    assert second.read(lambda: None) == 1
    first._paused_until = 0.0
    assert first.read(lambda: None) is None  # the other process reads it
    second._lead._direct.close()


def test_a_reader_that_died_between_the_verdict_and_the_move_leaves_nothing_undone(place: Place) -> None:
    place.new_games(GAMES[0])
    place.drop(place.asks("guild", GAMES[0], 1))
    first, working = reads(place, place.world.moderator), works(place, place.process())
    first.look()
    working.take_mail()
    written = place.world.written()
    first._lead._direct.close()
    second = reads(place, place.process())
    assert second.look() == 0
    assert working.take_mail() == 0
    assert place.left == 0
    assert place.world.written() == written


def free(place: Place) -> list[str]:
    """Return the mail that a process could take now, as sender and last character of the game."""
    named = list[str]()
    with reading(place.world.engine) as conn:
        waiting = installation.waiting_mail(conn)
    for each in waiting:
        looking = ProcessLocks(place.world.engine, "looks")
        mail = looking.claim_mail(each.id)
        looking.close()
        if mail:
            named.append(f"{mail.sender.partition('@')[0]}{'@' + mail.game_id[-1] if mail.game_id else ''}")
            with writing_no_game(place.world.engine) as conn:
                installation.put_mail_back(conn, mail)
    return named


@contextmanager
def dies(before_commit: Callable[[Moderator], None]) -> Iterator[Callable[[Place], int]]:
    """Yield a function that lets a new process take one mail, kills it there, and returns its exit status."""

    def taken(place: Place) -> int:
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            try:
                moderator = place.process()
                before_commit(moderator)
                WaitingMail(moderator, ProcessLocks(moderator.engine, "dying"), lambda: START).take_one()
            finally:
                os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    yield taken


def _kill_before_commit(moderator: Moderator) -> None:
    receive = moderator._receive

    def killed(*given: object, **named: object) -> None:
        receive(*given, **named)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGKILL)

    moderator._receive = killed  # type: ignore[method-assign,assignment]


def test_a_worker_killed_in_the_middle_of_a_mail_leaves_it_to_the_next(place: Place) -> None:
    place.new_games(GAMES[0])
    place.drop(place.asks("guild", GAMES[0], 1))
    reads(place, place.world.moderator).look()
    before = place.world.written()
    with dies(_kill_before_commit) as dying:
        assert dying(place) == -signal.SIGKILL
    assert place.world.written() == before
    assert place.world.messages() == []
    assert works(place, place.process()).take_mail() == 1
    assert [disposition for disposition, _ in place.world.messages()] == ["orders"]
    assert place.world.written() == before + 1


def test_a_mail_over_which_process_after_process_dies_is_put_aside_and_the_next_is_taken(place: Place) -> None:
    place.new_games(GAMES[0])
    for serial in (1, 2):
        place.drop(place.asks("guild", GAMES[0], serial))
    reading_it = reads(place, place.world.moderator)
    reading_it.look()
    with dies(_kill_before_commit) as dying:
        for _ in range(installation.MOST_TRIES):
            assert dying(place) == -signal.SIGKILL
    assert works(place, place.process()).take_mail() == 2
    assert [disposition for disposition, _ in place.world.messages()] == ["fault", "orders"]
    reading_it._store_at = 0.0
    reading_it.look()
    assert place.left == 0
    assert place.set_aside() == 1


def test_a_worker_that_cannot_reach_the_database_does_not_count_as_dead(place: Place) -> None:
    place.new_games(GAMES[0])
    place.drop(place.asks("guild", GAMES[0], 1))
    reads(place, place.world.moderator).look()
    working = works(place, place.process())
    with writing(place.world.engine):
        for _ in range(installation.MOST_TRIES + 1):
            with pytest.raises(Exception, match="held by another program"):
                working.take_mail()
    assert working.take_mail() == 1
    assert [disposition for disposition, _ in place.world.messages()] == ["orders"]


def test_two_workers_take_the_mail_of_two_games_at_once(place: Place) -> None:
    place.new_games(*GAMES[:2])
    place.drop(place.asks("guild", GAMES[0], 1))
    place.drop(place.asks("fremen", GAMES[1], 1))
    reads(place, place.world.moderator).look()
    first, second = place.process(), place.process()
    met = threading.Barrier(2, timeout=20)
    for each in (first, second):
        receive = each._receive

        def both(*given: object, _receive: Callable[..., object] = receive, **named: object) -> object:
            met.wait()  # each is in its transaction
            return _receive(*given, **named)

        each._receive = both  # type: ignore[method-assign,assignment]
    taken: list[int] = []
    threads = [
        threading.Thread(target=lambda each=each: taken.append(works(place, each).take_mail()))
        for each in (first, second)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken == [1, 1]
    assert [disposition for disposition, _ in place.world.messages()] == ["orders", "orders"]


def test_mentat_poll_takes_first_what_workers_have_left(place: Place) -> None:
    place.new_games(GAMES[0])
    place.drop(place.asks("guild", GAMES[0], 1))
    left = reads(place, place.world.moderator)
    left.look()
    place.drop(place.asks("guild", GAMES[0], 2))
    assert loop.poll(place.process(), place.mailbox()).messages == 0  # the reader is alive
    left._lead._direct.close()
    assert loop.poll(place.process(), place.mailbox(), lambda: START).messages == 2
    assert [disposition for disposition, _ in place.world.messages()] == ["orders", "orders"]
    assert place.left == 0
