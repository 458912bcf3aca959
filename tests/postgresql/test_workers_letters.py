"""Tests that workers send each letter once and in order, whichever of them sends it or dies."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from bot.service.outbox import DEAD_INTERVAL, Outbox
from bot.service.presence import living_processes
from bot.service.workers import Worker
from bot.store import installation, mail
from bot.store.database import backend_of, reading, writing_no_game
from bot.store.installation import Presence, ProcessLocks, lock_of_process
from tests.moderator.table import START
from tests.postgresql.place import GAMES, Place, Taking, reads, works


def test_letters_to_one_reader_go_out_in_their_order_whoever_sends_them(place: Place) -> None:
    place.new_games(*GAMES)
    with reading(place.world.engine) as conn:
        due = mail.to_send(conn, START)
    to_one = [each for each in due if each.letter.recipient == due[0].letter.recipient]
    assert len(to_one) > 1
    with writing_no_game(place.world.engine) as conn:
        assert not mail.claim(conn, to_one[1], "second", START)
    with writing_no_game(place.world.engine) as conn:
        assert mail.claim(conn, to_one[0], "first", START)
    with writing_no_game(place.world.engine) as conn:
        assert not mail.claim(conn, to_one[1], "second", START)
    with writing_no_game(place.world.engine) as conn:
        mail.end_claims(conn, "first")  # it died, and nobody knows whether the letter went out
        assert not mail.claim(conn, to_one[1], "second", START)
    again = replace(to_one[0], tries=1)
    with writing_no_game(place.world.engine) as conn:
        assert mail.claim(conn, again, "second", START)
        mail.try_later(conn, again, START, "the server is away")
        assert mail.claim(conn, to_one[1], "second", START)


def test_two_who_send_at_once_send_every_letter_once_and_in_order(place: Place) -> None:
    place.new_games(*GAMES)
    written = [str(letter.message["Message-ID"]) for letter in place.world.letters()]
    sent: list[tuple[str, bytes]] = []

    class Slow(Taking):
        def send(self, envelope_from: str, to: str, letter: bytes) -> None:
            time.sleep(0.005)
            sent.append((to, letter))

    workers = [works(place, place.process(), Slow()) for _ in range(3)]
    threads = [threading.Thread(target=each.send) for each in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in workers:
        workers[0].send()  # letters that nobody took while another worker was sending to the same address
    ids = [letter.partition(b"Message-ID: ")[2].split(b"\r\n")[0].decode().strip() for _, letter in sent]
    assert sorted(ids) == sorted(written)
    for reader_of in {to for to, _ in sent}:
        own = [each for each, (to, _) in zip(ids, sent, strict=True) if to == reader_of]
        assert own == [each for each in written if each in own]


def test_nobody_is_at_work_while_their_claims_are_ended(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.new_games(GAMES[0])

    class Ending(Taking):
        def send(self, envelope_from: str, to: str, letter: bytes) -> None:
            raise KeyboardInterrupt

    slow, other = Outbox(place.process().open_games), Outbox(place.process().open_games)
    with pytest.raises(KeyboardInterrupt), slow.at_work():
        slow.send(Ending(), START)
    at_work = list[bool]()
    ends = mail.end_claims

    def end_claims(conn: Connection, claimant: str | None = None) -> None:
        with slow.at_work() as had:
            at_work.append(had)
        ends(conn, claimant)

    monkeypatch.setattr(mail, "end_claims", end_claims)
    with other.at_work():
        other.end_claims_of_the_dead(START + timedelta(minutes=1))
    with reading(place.world.engine) as conn:
        assert mail.claimants(conn) == {}
    assert at_work == [False]


def test_the_claims_of_a_dead_sender_are_ended_and_those_of_a_living_one_are_not(place: Place) -> None:
    place.new_games(GAMES[0])
    with reading(place.world.engine) as conn:
        due = mail.to_send(conn, START)
        start = backend_of(conn).start(conn)
    names = ("alive", "dead.another start", f"dead.{start}")
    by_reader = {each.letter.recipient: each for each in reversed(due)}
    with writing_no_game(place.world.engine) as conn:
        for name, letter in zip(names, list(by_reader.values())[:3], strict=True):
            assert mail.claim(conn, letter, name, START)
    alive = ProcessLocks(place.world.engine, "alive")
    assert alive.take("sending as alive")
    working = works(place, place.process())
    working.send()
    with reading(place.world.engine) as conn:
        assert set(mail.claimants(conn)) == {"alive", "dead.another start"}  # it may have lost its lock but be alive
    place.world.now = START + timedelta(minutes=1)
    working.send()
    with reading(place.world.engine) as conn:
        assert set(mail.claimants(conn)) == {"alive"}
    alive.close()

    def all_ended() -> bool:
        place.world.now += DEAD_INTERVAL
        working.send()
        with reading(place.world.engine) as conn:
            return not mail.claimants(conn)

    place.until(all_ended, 5)


def test_a_process_that_has_died_is_at_work_no_more_from_the_first_look_on(place: Place) -> None:
    alive, dead = (Presence(name, "here", "1", START, START) for name in ("alive", "dead"))
    direct, own = ProcessLocks(place.world.engine, "alive"), ProcessLocks(place.world.engine, "looks")
    with writing_no_game(place.world.engine) as conn:
        for each in (alive, dead):
            installation.note_presence(conn, each)
    assert direct.take(lock_of_process("alive"))
    for _ in range(2):
        assert [each.name for each in living_processes(place.world.engine, own)] == ["alive"]
    with reading(place.world.engine) as conn:
        assert [each.name for each in installation.present_processes(conn)] == ["alive"]
    direct.close()
    own.close()


def writes_claimed(place: Place, name: str) -> tuple[Worker, Taking]:
    """Return a worker that claims letters as it writes them, and the transport that records what it sends."""
    takes = Taking()
    working = works(place, place.process(), takes)
    working.send()
    takes.got.clear()
    return working, takes


def take_in_turn(place: Place, *workers: Worker) -> None:
    """Let each worker take one mail from the same seat."""
    reader = reads(place, place.world.moderator)
    for serial, each in enumerate(workers):
        place.drop(place.asks("guild", GAMES[0], serial))
        reader._store_at = 0.0
        reader.look()
        assert each.take_mail() == 1
    reader._lead._direct.close()


def test_a_worker_sends_what_it_wrote_and_others_send_nothing_to_that_reader_before(place: Place) -> None:
    place.new_games(GAMES[0])
    (first, by_first), (second, by_second) = writes_claimed(place, "first"), writes_claimed(place, "second")
    take_in_turn(place, first, second)
    second.send()
    assert (len(by_first.got), len(by_second.got)) == (0, 0)
    first.send()
    assert (len(by_first.got), len(by_second.got)) == (1, 0)
    second.send()
    assert (len(by_first.got), len(by_second.got)) == (1, 1)
    with reading(place.world.engine) as conn:
        assert mail.unsent(conn) == []


def test_what_a_worker_wrote_before_it_died_or_while_its_sender_hangs_others_send(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.new_games(GAMES[0])
    (first, by_first), (second, by_second) = writes_claimed(place, "first"), writes_claimed(place, "second")
    take_in_turn(place, first)
    first._locks.close()

    def sent(count: int) -> bool:
        place.world.now += DEAD_INTERVAL
        second.send()
        return len(by_second.got) == count

    place.until(lambda: sent(1), 20)
    monkeypatch.setattr("bot.service.outbox.SENDER_HANGS", -1)
    place.drop(place.asks("guild", GAMES[0], 9))
    reader = reads(place, place.world.moderator)
    reader.look()
    assert first.take_mail() == 1
    assert sent(2)
    assert by_first.got == []
