"""Tests for the workers' clock: one leads, no deadline passes before the mailbox is read, and another takes over."""

from __future__ import annotations

import math
from datetime import timedelta

from bot.service import workers
from bot.service.machine import WallClock
from bot.store import installation
from bot.store.database import reading
from tests.moderator.table import GAME_MASTER
from tests.postgresql.place import GAMES, Place, reads, works
from tests.postgresql_server import PostgresqlServer


def test_no_deadline_passes_before_the_mailbox_was_read_since_the_clock_was_taken(place: Place) -> None:
    place.new_games(GAMES[0])
    place.world.now += timedelta(days=30)
    place.drop(place.asks("guild", GAMES[0], 1))
    working, before = works(place, place.process()), place.world.table(GAMES[0]).entries
    working.tick()
    assert place.world.table(GAMES[0]).entries == before
    reads(place, place.world.moderator).look()
    working.tick()
    assert place.world.table(GAMES[0]).entries == before  # its mail is waiting
    working.take_mail()
    working._ticked = -math.inf
    working.tick()
    assert place.world.table(GAMES[0]).entries > before


def test_who_lost_the_clock_and_has_it_again_waits_for_the_mailbox_once_more(
    place: Place, server: PostgresqlServer
) -> None:
    place.new_games(GAMES[0])
    place.world.now += timedelta(days=30)
    working, before = works(place, place.process()), place.world.table(GAMES[0]).entries
    working.tick()
    reads(place, place.world.moderator).look()
    server.stop()
    server.start()
    place.drop(place.asks("guild", GAMES[0], 1))
    place.world.now += timedelta(seconds=30)
    working.tick()
    assert place.world.table(GAMES[0]).entries == before
    again = reads(place, place.world.moderator)
    again.look()
    working.take_mail()
    working.tick()
    assert place.world.table(GAMES[0]).entries > before


def test_a_leader_whose_clock_is_set_back_waits_for_the_mailbox_once_more_and_the_game_master_is_told(
    place: Place,
) -> None:
    place.new_games(GAMES[0])
    place.world.now += timedelta(days=30)
    working, before = works(place, place.process()), place.world.table(GAMES[0]).entries
    working._wall_clock = WallClock(lambda: 0.0)
    working.tick()
    reading_it = reads(place, place.world.moderator)
    reading_it.look()
    place.world.now -= timedelta(days=2)
    working.tick()
    assert place.world.table(GAMES[0]).entries == before
    assert [letter.subject for letter in place.world.letters(GAME_MASTER) if "jumped" in letter.subject] != []
    reading_it._store_at = 0.0
    reading_it.look()
    working.tick()
    assert place.world.table(GAMES[0]).entries > before


def test_the_mailbox_counts_as_failing_where_nobody_reads_it(place: Place) -> None:
    place.new_games(GAMES[0])
    working = works(place, place.process())
    working.tick()
    place.world.now += workers.NOT_READ_FOR + timedelta(seconds=1)
    working.tick()
    with reading(place.world.engine) as conn:
        beat = installation.heartbeat(conn, "mailbox")
    assert beat is not None
    assert beat.failing_since is not None


def test_one_leads_the_clock_and_another_takes_over(place: Place) -> None:
    place.new_games(GAMES[0])
    reads(place, place.world.moderator).look()
    first, second = works(place, place.process()), works(place, place.process())
    first.tick()
    second.tick()
    with reading(place.world.engine) as conn:
        (led,) = [each for each in installation.lead_holders(conn) if each.work == workers.CLOCK]
    first._locks.close()
    place.world.now += timedelta(seconds=10)

    def led_again() -> bool:
        second.tick()
        with reading(place.world.engine) as conn:
            (then,) = [each for each in installation.lead_holders(conn) if each.work == workers.CLOCK]
        return then.since > led.since

    place.until(led_again, 5)
