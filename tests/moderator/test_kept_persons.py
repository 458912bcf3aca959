"""Stored data about persons (addresses, duties, last mail) and about Mentat's own components."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from bot.store import acts, deadlines, installation, people
from bot.store.database import writing
from bot.store.deadlines import Duties
from bot.store.installation import Heartbeat
from bot.store.people import CODE_HOLDS
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
    made = World.at(tmp_path)
    made.new_game(factions=THREE)
    made.new_game(factions=THREE, game=OTHER)
    yield made
    made.engine.dispose()


def test_a_further_address_is_a_persons_once_its_code_comes_back_in_time(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        people.ask_for_address(conn, GUILD, HOME, "one", START)
        people.ask_for_address(conn, GUILD, WORK, "two", START + MINUTE)
        people.ask_for_address(conn, address_of("fremen"), WORK, "three", START + 2 * MINUTE)
        assert people.addresses_waiting(conn, GUILD, START) == [HOME, WORK]
        assert people.addresses_waiting(conn, GUILD, START + CODE_HOLDS) == [WORK]
        assert people.addresses_waiting(conn, "nobody@home.example", START) == []
        assert [people.count_address_requests(conn, WORK, START + minutes * MINUTE) for minutes in (0, 1, 2)] == [
            2,
            1,
            0,
        ]
        assert people.known_as(conn, HOME) == {HOME}, "it is not confirmed yet"
        assert people.address_request(conn, "one", START + CODE_HOLDS) is None
        assert people.address_request(conn, "", START) is None
        asked = people.address_request(conn, "one", START + CODE_HOLDS - MINUTE)
        assert asked is not None
        assert (asked.address, asked.owner) == (HOME, GUILD)
        people.confirm_address(conn, asked)
        assert people.known_as(conn, HOME) == people.known_as(conn, GUILD) == {GUILD, HOME}
        assert people.addresses_waiting(conn, HOME, START) == [WORK]
        assert (people.address_in_use(conn, HOME), people.address_in_use(conn, WORK)) == (GUILD, WORK)
        people.use_address(conn, HOME)
        assert (people.address_in_use(conn, GUILD), people.address_in_use(conn, HOME)) == (HOME, HOME)
        assert people.address_in_use(conn, address_of("fremen")) == address_of("fremen")
        people.forget_address_requests(conn, GUILD)
        assert people.addresses_waiting(conn, GUILD, START) == []
        assert people.addresses_waiting(conn, address_of("fremen"), START) == [WORK]
        people.ask_for_address(conn, HOME, "edric@guild.example", "four", START)
        third = people.address_request(conn, "four", START)
        assert third is not None
        people.confirm_address(conn, third)
        people.remove_address(conn, GUILD)
        assert people.known_as(conn, HOME) == {HOME, "edric@guild.example"}
        assert people.known_as(conn, GUILD) == {GUILD}


def test_mailboxes_and_addresses_tell_persons_apart(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        people.ask_for_address(conn, GUILD, "edric+dune@home.example", "one", START)
        asked = people.address_request(conn, "one", START)
        assert asked is not None
        people.confirm_address(conn, asked)
        assert people.mailboxes(conn, HOME) == {HOME, GUILD}
        assert people.mailboxes(conn, WORK) == {WORK}
        assert people.identifiers(conn, " Edric@HOME.example ", tags_apart=False) == {HOME, GUILD}
        assert people.identifiers(conn, " Edric@HOME.example ", tags_apart=True) == {HOME}
        assert people.identifiers(conn, GUILD, tags_apart=True) == {GUILD, "edric+dune@home.example"}


def test_the_seats_of_an_address_are_those_of_games_that_are_not_over(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        both = [(game, "guild") for game in sorted((SIETCH, OTHER))]
        assert people.seats_at_addresses(conn, [GUILD, "x@y.example"]) == both
        assert people.seats_of_sitter(conn, [GUILD]) == []
        conn.execute(update(SEAT).where(SEAT.c.faction == "fremen").values(sitter=GUILD))
        assert people.seats_of_sitter(conn, [GUILD]) == [(game, "fremen") for game, _ in both]
        conn.execute(update(GAME).where(GAME.c.id == OTHER).values(status="over"))
        assert people.seats_at_addresses(conn, [GUILD]) == [(SIETCH, "guild")]
        assert people.seats_of_sitter(conn, [GUILD]) == [(SIETCH, "fremen")]
        assert people.seats_at_addresses(conn, []) == []


def test_an_ended_reply_token_still_names_its_seat(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        people.end_token(conn, "spice", SIETCH, "guild")
        assert people.seat_of_old_token(conn, "spice") == (SIETCH, "guild")
        assert people.seat_of_old_token(conn, "melange") is None


def test_duties_count_for_whoever_sits_there_and_are_summed_over_games_that_are_over(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.faction == "fremen").values(care=True))
        deadlines.count_duties(conn, SIETCH, [])
        deadlines.count_duties(conn, SIETCH, [("guild", True), ("guild", False), ("fremen", True), ("atreides", False)])
        deadlines.count_duties(conn, SIETCH, [("guild", True)])
        deadlines.count_duties(conn, OTHER, [("guild", True), ("fremen", True)])
        assert deadlines.duties_of(conn, GUILD) == Duties()
        conn.execute(update(GAME).where(GAME.c.id == SIETCH).values(status="over"))
        persons = (GUILD, address_of("atreides"), address_of("fremen"))
        assert [deadlines.duties_of(conn, each) for each in persons] == [Duties(3, 2), Duties(1, 0), Duties()]
        conn.execute(update(GAME).values(status="over"))
        assert deadlines.duties_of(conn, GUILD) == Duties(4, 3)
        deadlines.forget_duties(conn, GUILD)
        assert [deadlines.duties_of(conn, each) for each in persons] == [Duties(), Duties(1, 0), Duties()]


def test_clocks_stop_in_running_games_whose_clocks_go_and_in_no_others(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        conn.execute(update(DEADLINE).values(duty=True, state="open", until=START))
        conn.execute(update(DEADLINE).where(DEADLINE.c.faction == "fremen").values(duty=False))
        conn.execute(update(DEADLINE).where(DEADLINE.c.faction == "atreides").values(state="answered"))
        due = len([each for each in conn.execute(select(DEADLINE)) if each.duty])
        assert due
        assert len(deadlines.overdue_duties(conn, START)) == due
        assert deadlines.overdue_duties(conn, START - MINUTE) == []
        conn.execute(update(GAME).where(GAME.c.id == OTHER).values(status="held"))
        assert 0 < len(deadlines.overdue_duties(conn, START)) < due
        deadlines.stop_clocks(conn, START, "silence", START + MINUTE)
        assert deadlines.stopped_games(conn, "silence") == [SIETCH]
        assert deadlines.stopped_games(conn, "pause") == []
        assert deadlines.overdue_duties(conn, START) == []
        last = acts.acts_of(conn, game_id=SIETCH)[-1]
        assert (last.at, last.what, last.told) == (START + MINUTE, "silence", "")
        assert [each for each in acts.acts_of(conn, game_id=OTHER) if each.what == "silence"] == []
        deadlines.stop_clocks(conn, START, "again", START + 2 * MINUTE)
        assert deadlines.stopped_games(conn, "again") == []


def test_a_part_that_fails_goes_on_failing_from_the_first_time_on_until_it_beats(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        installation.note_failure(conn, "mailbox", START)
        assert installation.heartbeat(conn, "mailbox") == Heartbeat(START, START)
        installation.beat(conn, "mailbox", START + MINUTE)
        installation.note_failure(conn, "mailbox", START + 2 * MINUTE)
        installation.note_failure(conn, "mailbox", START + 3 * MINUTE)
        assert installation.heartbeat(conn, "mailbox") == Heartbeat(START + MINUTE, START + 2 * MINUTE)
        installation.beat(conn, "loop", START)
        installation.forget_heartbeat(conn, "mailbox")
        assert installation.heartbeat(conn, "mailbox") is None
        assert installation.heartbeat(conn, "loop") == Heartbeat(START, None)


def test_what_is_counted_adds_up_and_what_is_measured_takes_the_place_of_the_last(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        conn.execute(MEASUREMENT.delete())
        installation.add_measurements(conn, {("faults", "mail"): 2, ("deadline_lag", "1"): 1})
        installation.add_measurements(conn, {("faults", "mail"): 3})
        for day in ("2026-11-01", "2026-11-02"):
            installation.set_measurement(conn, "disk_used", day, 5)
            installation.set_measurement(conn, "disk_used", day, 7)
        installation.set_measurement(conn, "certificate", "2026-11-01", 9)
        installation.forget_measurements_before(conn, "disk_used", date(2026, 11, 2))
        assert {(row.name, row.label): row.value for row in conn.execute(select(MEASUREMENT))} == {
            ("faults", "mail"): 5, ("deadline_lag", "1"): 1, ("disk_used", "2026-11-02"): 7,
            ("certificate", "2026-11-01"): 9,
        }  # fmt: skip
