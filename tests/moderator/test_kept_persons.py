"""What the database knows of persons: their addresses, their duties, when they wrote; and of Mentat's own parts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from bot.store import act_log, addresses, duties, heartbeats, mass_silence, measurements
from bot.store.addresses import CODE_HOLDS
from bot.store.database import writing
from bot.store.duties import Duties
from bot.store.heartbeats import Heartbeat
from bot.store.tables import DEADLINE, GAME, MEASUREMENT, SEAT
from rules.components import Faction
from tests.moderator.table import GAME as SIETCH
from tests.moderator.table import START, World, address_of

OTHER = "sietch-13"
THREE: tuple[Faction, ...] = ("atreides", "fremen", "guild")
MINUTE = timedelta(minutes=1)
GUILD, HOME, WORK = address_of("guild"), "edric@home.example", "edric@work.example"


@pytest.fixture
def two_games(tmp_path: Path) -> Iterator[World]:
    """Two games of the same three persons."""
    made = World.at(tmp_path)
    made.new_game(factions=THREE)
    made.new_game(factions=THREE, game=OTHER)
    yield made
    made.engine.dispose()


def test_a_further_address_is_a_persons_once_its_code_comes_back_in_time(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        addresses.ask(conn, GUILD, HOME, "one", START)
        addresses.ask(conn, GUILD, WORK, "two", START + MINUTE)
        addresses.ask(conn, address_of("fremen"), WORK, "three", START + 2 * MINUTE)
        assert addresses.waiting(conn, GUILD, START) == [HOME, WORK]
        assert addresses.waiting(conn, GUILD, START + CODE_HOLDS) == [WORK]
        assert addresses.waiting(conn, "nobody@home.example", START) == []
        assert [addresses.asked_since(conn, WORK, START + minutes * MINUTE) for minutes in (0, 1, 2)] == [2, 1, 0]
        assert addresses.known_as(conn, HOME) == {HOME}, "it is not confirmed yet"
        assert addresses.asked_by(conn, "one", START + CODE_HOLDS) is None
        assert addresses.asked_by(conn, "", START) is None
        asked = addresses.asked_by(conn, "one", START + CODE_HOLDS - MINUTE)
        assert asked is not None
        assert (asked.address, asked.owner) == (HOME, GUILD)
        addresses.confirm(conn, asked)
        assert addresses.known_as(conn, HOME) == addresses.known_as(conn, GUILD) == {GUILD, HOME}
        assert addresses.waiting(conn, HOME, START) == [WORK]
        assert (addresses.in_use(conn, HOME), addresses.in_use(conn, WORK)) == (GUILD, WORK)
        addresses.use(conn, HOME)
        assert (addresses.in_use(conn, GUILD), addresses.in_use(conn, HOME)) == (HOME, HOME)
        assert addresses.in_use(conn, address_of("fremen")) == address_of("fremen")
        addresses.forget_asked(conn, GUILD)
        assert addresses.waiting(conn, GUILD, START) == []
        assert addresses.waiting(conn, address_of("fremen"), START) == [WORK]
        addresses.ask(conn, HOME, "edric@guild.example", "four", START)
        third = addresses.asked_by(conn, "four", START)
        assert third is not None
        addresses.confirm(conn, third)
        addresses.remove(conn, GUILD)
        assert addresses.known_as(conn, HOME) == {HOME, "edric@guild.example"}
        assert addresses.known_as(conn, GUILD) == {GUILD}


def test_mailboxes_and_addresses_tell_persons_apart(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        addresses.ask(conn, GUILD, "edric+dune@home.example", "one", START)
        asked = addresses.asked_by(conn, "one", START)
        assert asked is not None
        addresses.confirm(conn, asked)
        assert addresses.mailboxes(conn, HOME) == {HOME, GUILD}
        assert addresses.mailboxes(conn, WORK) == {WORK}
        assert addresses.identifiers(conn, " Edric@HOME.example ", tags_apart=False) == {HOME, GUILD}
        assert addresses.identifiers(conn, " Edric@HOME.example ", tags_apart=True) == {HOME}
        assert addresses.identifiers(conn, GUILD, tags_apart=True) == {GUILD, "edric+dune@home.example"}


def test_the_seats_of_an_address_are_those_of_games_that_are_not_over(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        both = [(game, "guild") for game in sorted((SIETCH, OTHER))]
        assert addresses.seats_of(conn, [GUILD, "x@y.example"]) == both
        assert addresses.sits_at(conn, [GUILD]) == []
        conn.execute(update(SEAT).where(SEAT.c.faction == "fremen").values(sitter=GUILD))
        assert addresses.sits_at(conn, [GUILD]) == [(game, "fremen") for game, _ in both]
        conn.execute(update(GAME).where(GAME.c.id == OTHER).values(status="over"))
        assert addresses.seats_of(conn, [GUILD]) == [(SIETCH, "guild")]
        assert addresses.sits_at(conn, [GUILD]) == [(SIETCH, "fremen")]
        assert addresses.seats_of(conn, []) == []


def test_an_ended_reply_token_still_names_its_seat(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        addresses.end_token(conn, "spice", SIETCH, "guild")
        assert addresses.seat_of_old_token(conn, "spice") == (SIETCH, "guild")
        assert addresses.seat_of_old_token(conn, "melange") is None


def test_duties_count_for_whoever_sits_there_and_are_summed_over_games_that_are_over(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.faction == "fremen").values(care=True))
        duties.count(conn, SIETCH, [])
        duties.count(conn, SIETCH, [("guild", True), ("guild", False), ("fremen", True), ("atreides", False)])
        duties.count(conn, SIETCH, [("guild", True)])
        duties.count(conn, OTHER, [("guild", True), ("fremen", True)])
        assert duties.of_person(conn, GUILD) == Duties()
        conn.execute(update(GAME).where(GAME.c.id == SIETCH).values(status="over"))
        persons = (GUILD, address_of("atreides"), address_of("fremen"))
        assert [duties.of_person(conn, each) for each in persons] == [Duties(3, 2), Duties(1, 0), Duties()]
        conn.execute(update(GAME).values(status="over"))
        assert duties.of_person(conn, GUILD) == Duties(4, 3)
        duties.forget(conn, GUILD)
        assert [duties.of_person(conn, each) for each in persons] == [Duties(), Duties(1, 0), Duties()]


def test_clocks_stop_in_running_games_whose_clocks_go_and_in_no_others(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        conn.execute(update(DEADLINE).values(duty=True, state="open", until=START))
        conn.execute(update(DEADLINE).where(DEADLINE.c.faction == "fremen").values(duty=False))
        conn.execute(update(DEADLINE).where(DEADLINE.c.faction == "atreides").values(state="answered"))
        due = len([each for each in conn.execute(select(DEADLINE)) if each.duty])
        assert due
        assert len(mass_silence.overdue_duties(conn, START)) == due
        assert mass_silence.overdue_duties(conn, START - MINUTE) == []
        conn.execute(update(GAME).where(GAME.c.id == OTHER).values(status="held"))
        assert 0 < len(mass_silence.overdue_duties(conn, START)) < due
        mass_silence.stop_clocks(conn, START, "silence", START + MINUTE)
        assert mass_silence.stopped_games(conn, "silence") == [SIETCH]
        assert mass_silence.stopped_games(conn, "pause") == []
        assert mass_silence.overdue_duties(conn, START) == []
        last = act_log.of_game(conn, SIETCH)[-1]
        assert (last.at, last.what, last.told) == (START + MINUTE, "silence", "")
        assert [each for each in act_log.of_game(conn, OTHER) if each.what == "silence"] == []
        mass_silence.stop_clocks(conn, START, "again", START + 2 * MINUTE)
        assert mass_silence.stopped_games(conn, "again") == []


def test_a_part_that_fails_goes_on_failing_from_the_first_time_on_until_it_beats(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        heartbeats.fail(conn, "mailbox", START)
        assert heartbeats.heartbeat(conn, "mailbox") == Heartbeat(START, START)
        heartbeats.beat(conn, "mailbox", START + MINUTE)
        heartbeats.fail(conn, "mailbox", START + 2 * MINUTE)
        heartbeats.fail(conn, "mailbox", START + 3 * MINUTE)
        assert heartbeats.heartbeat(conn, "mailbox") == Heartbeat(START + MINUTE, START + 2 * MINUTE)
        heartbeats.beat(conn, "loop", START)
        heartbeats.forget(conn, "mailbox")
        assert heartbeats.heartbeat(conn, "mailbox") is None
        assert heartbeats.heartbeat(conn, "loop") == Heartbeat(START, None)


def test_what_is_counted_adds_up_and_what_is_measured_takes_the_place_of_the_last(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        conn.execute(MEASUREMENT.delete())
        measurements.add(conn, {("faults", "mail"): 2, ("deadline_lag", "1"): 1})
        measurements.add(conn, {("faults", "mail"): 3})
        for day in ("2026-11-01", "2026-11-02"):
            measurements.measured(conn, "disk_used", day, 5)
            measurements.measured(conn, "disk_used", day, 7)
        measurements.measured(conn, "certificate", "2026-11-01", 9)
        measurements.forget_days_before(conn, "disk_used", date(2026, 11, 2))
        assert {(row.name, row.label): row.value for row in conn.execute(select(MEASUREMENT))} == {
            ("faults", "mail"): 5, ("deadline_lag", "1"): 1, ("disk_used", "2026-11-02"): 7,
            ("certificate", "2026-11-01"): 9,
        }  # fmt: skip
