"""Tests that each game has a home among the workers, and that others take its mail if that home dies or disagrees."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.loop import WaitingMail
from bot.service.outbox import DEAD_INTERVAL
from bot.service.presence import Present, home_of
from bot.store import installation, mail
from bot.store.database import reading
from bot.store.installation import ProcessLocks
from tests.moderator.table import START
from tests.postgresql.place import GAMES, Begun, Place, reads, works

MANY = [f"sietch-{number}" for number in range(300)]
NAMES = tuple(f"worker-{letter}" for letter in "abcd")


def test_homes_are_shared_and_only_those_of_a_process_that_goes_move() -> None:
    homes = {game: home_of(game, NAMES) for game in MANY}
    assert all(50 < list(homes.values()).count(name) < 100 for name in NAMES)
    after = {game: home_of(game, NAMES[:3]) for game in MANY}
    assert {game for game in MANY if after[game] != homes[game]} == {game for game in MANY if homes[game] == NAMES[3]}
    assert {home_of(game, NAMES[:1]) for game in MANY} == {NAMES[0]}


def test_each_game_has_one_home_among_the_processes_at_work_and_the_dead_have_none(
    place: Place, begun: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.service.presence.SEEN_SECONDS", 0.1)
    alone = Present(place.process().engine, "alone", lambda: START, lambda: None)
    assert all(map(alone.is_home, MANY))
    first, second, third = (begun(name) for name in ("worker-1", "worker-2", "worker-3"))

    def shared(*among: Present) -> bool:
        return all(sum(each.is_home(game) for each in among) == 1 for game in MANY)

    place.until(lambda: shared(first, second, third), 20)
    third._ended.set()
    third._direct.close()  # it dies
    place.until(lambda: shared(first, second), 20)


def waiting(place: Place, moderator: Moderator, name: str, is_home: Callable[[str], bool]) -> WaitingMail:
    return WaitingMail(moderator, ProcessLocks(moderator.engine, name), lambda: place.world.now, is_home)


@pytest.mark.parametrize("is_home", [True, False])
def test_two_releases_that_differ_about_homes_take_each_mail_once_and_in_its_order(
    place: Place, monkeypatch: pytest.MonkeyPatch, is_home: bool
) -> None:
    monkeypatch.setattr(loop, "OTHERS_TAKE_AFTER", 0.2)
    place.new_games(*GAMES[:2])
    for serial in range(3):
        for game in GAMES[:2]:
            place.drop(place.asks("guild", game, serial))
    reads(place, place.world.moderator).look()
    with (
        closing(waiting(place, place.process(), "older", lambda _: is_home)) as older,
        closing(waiting(place, place.process(), "newer", lambda _: is_home)) as newer,
    ):
        taken, end = 0, time.monotonic() + 60
        while taken < 6 and time.monotonic() < end:
            taken += older.take_one() + newer.take_one()
        assert (taken, older.take_one(), newer.take_one()) == (6, False, False)
    assert [disposition for disposition, _ in place.world.messages()] == ["orders"] * 6
    with reading(place.world.engine) as conn:
        names = conn.exec_driver_sql("SELECT message_id FROM message ORDER BY id").scalars().all()
    for game in GAMES[:2]:
        assert [name[0] for name in names if game in name] == ["0", "1", "2"]


def test_what_an_older_process_has_in_hand_is_left_to_it_until_it_dies(place: Place) -> None:
    """The older process locks a mail and does not know about homes."""
    place.new_games(GAMES[0])
    for serial in (1, 2):
        place.drop(place.asks("guild", GAMES[0], serial))
    reads(place, place.world.moderator).look()
    older, newer = ProcessLocks(place.world.engine, "older"), works(place, place.process())
    assert older.take("taking mail 1")
    assert newer.take_mail() == 0
    older.close()
    place.until(lambda: newer.take_mail() == 2, 20)


def _die(*_given: object, **_named: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _dies_with_the_claim(handling: WaitingMail, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handling, "_handle", _die)


def _dies_before_the_commit(handling: WaitingMail, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "settle_mail", _die)


def _dies_after_the_commit(handling: WaitingMail, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop.log, "info", _die)


@pytest.mark.parametrize("step", [_dies_with_the_claim, _dies_before_the_commit, _dies_after_the_commit])
def test_a_home_may_die_at_each_step_and_the_next_process_goes_on(
    place: Place, monkeypatch: pytest.MonkeyPatch, step: Callable[[WaitingMail, pytest.MonkeyPatch], None]
) -> None:
    place.new_games(GAMES[0])
    place.drop(place.asks("guild", GAMES[0], 1))
    reads(place, place.world.moderator).look()
    before, next_one = place.world.written(), works(place, place.process())
    sys.stdout.flush()
    if not (pid := os.fork()):
        try:
            dying = works(place, place.process())
            dying.send()
            step(dying._handling, monkeypatch)
            dying.take_mail()
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    next_one.take_mail()
    assert [disposition for disposition, _ in place.world.messages()] == ["orders"]
    assert place.world.written() == before + 1

    def all_sent() -> bool:
        place.world.now += DEAD_INTERVAL
        next_one.send()
        with reading(place.world.engine) as conn:
            return not mail.unsent(conn)

    place.until(all_sent, 20)
