"""Tests for several writers at once: each locks its game, and the database refuses all others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, update

from bot.moderator.moderator import Moderator
from bot.store import deadlines, games, installation, people
from bot.store.backends import UNGUARDED
from bot.store.database import (
    DatabaseUnavailable,
    Fence,
    LostLead,
    NotHeld,
    fenced,
    open_database,
    reading,
    writing,
    writing_no_game,
)
from bot.store.installation import AlreadyRunning, Lead, ProcessLocks, only_one
from bot.store.rows import METADATA
from bot.store.tables import SEAT
from bot.table.table import Table
from rules.components import Faction
from tests.moderator.table import START, World, address_of
from tests.postgresql.test_database import ON_A_SERVER

FEW: tuple[Faction, ...] = ("atreides", "fremen", "guild")
ONE, OTHER = "sietch-1", "sietch-2"


@pytest.fixture
def world(fresh: Callable[[], str], tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path, ON_A_SERVER.format(url=fresh()))
    for game in (ONE, OTHER):
        made.new_game(factions=FEW, game=game)
    yield made
    made.engine.dispose()


@pytest.fixture
def neighbour(world: World) -> Iterator[Moderator]:
    """Yield another process on the same database."""
    engine = open_database(world.settings.database_place, timeout_seconds=0.2)
    yield Moderator(world.settings, engine)
    engine.dispose()


def test_two_write_in_two_games_at_once(world: World, neighbour: Moderator) -> None:
    with writing(world.engine, ONE), writing(neighbour.engine, OTHER), writing_no_game(world.engine):
        pass


def test_two_who_write_in_one_game_wait_for_each_other(world: World, neighbour: Moderator) -> None:
    with writing(world.engine, ONE), pytest.raises(DatabaseUnavailable, match="held"), writing(neighbour.engine, ONE):
        pass


def test_who_holds_everything_waits_for_all_others_and_they_for_them(world: World, neighbour: Moderator) -> None:
    with writing(world.engine, ONE), pytest.raises(DatabaseUnavailable, match="held"), writing(neighbour.engine):
        pass
    with writing(world.engine), pytest.raises(DatabaseUnavailable, match="held"), writing(neighbour.engine, ONE):
        pass


def _seat(conn: Connection, game: str) -> None:
    conn.execute(update(SEAT).where(SEAT.c.game_id == game).values(letters=SEAT.c.letters + 1))


@pytest.mark.parametrize("held", [ONE, ""])
def test_a_change_of_a_game_that_is_not_held_is_refused_by_the_database(world: World, held: str) -> None:
    with pytest.raises(NotHeld), writing(world.engine, held) as conn:
        _seat(conn, OTHER)
    with writing(world.engine, OTHER) as conn:
        _seat(conn, OTHER)
    with writing(world.engine) as conn:
        _seat(conn, OTHER)


def test_what_games_have_in_common_is_changed_by_those_alone_who_hold_everything(world: World) -> None:
    with pytest.raises(NotHeld), writing(world.engine, ONE) as conn:
        people.ask_for_address(conn, address_of("guild"), "guild@second.example", "code", START)
    with writing(world.engine) as conn:
        people.ask_for_address(conn, address_of("guild"), "guild@second.example", "code", START)


def test_every_table_is_guarded_but_those_of_which_it_is_said(world: World) -> None:
    with reading(world.engine) as conn:
        found = conn.exec_driver_sql(
            "SELECT c.relname, count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
            "WHERE t.tgname LIKE 'mentat_holds_%%' GROUP BY 1"
        )
        guarded = {str(name): int(count) for name, count in found}
    assert set(guarded) == set(METADATA.tables) - UNGUARDED
    assert set(guarded.values()) == {2}
    assert set(METADATA.tables) >= UNGUARDED


def test_another_game_cannot_be_opened_by_who_holds_one(world: World) -> None:
    with pytest.raises(NotHeld), writing(world.engine, ONE) as conn:
        world.moderator.open_games.table(conn, OTHER)


def test_work_that_reaches_further_is_undone_and_done_again_with_everything_held(world: World) -> None:
    tried: list[str] = []

    def reach(conn: Connection, table: Table) -> None:
        table.seats["guild"].letters += 1
        table.touched.add("guild")
        tried.append(table.id)
        _seat(conn, OTHER)

    before = [world.table(game).seats["guild"].letters for game in (ONE, OTHER)]
    world.moderator.open_games.in_game(ONE, reach)
    assert tried == [ONE, ONE]
    assert [world.table(game).seats["guild"].letters for game in (ONE, OTHER)] == [letters + 1 for letters in before]


def test_a_game_that_another_process_has_moved_on_is_read_anew(world: World, neighbour: Moderator) -> None:
    world.say("guild", "status", game=ONE)
    letters = world.table(ONE).seats["guild"].letters
    neighbour.deliver(world.mail("guild", "status", game=ONE), world.now)
    world.say("guild", "status", game=ONE)
    assert world.table(ONE).seats["guild"].letters == letters + 2
    assert len({letter.message["Message-ID"] for letter in world.letters()}) == len(world.letters())


def stored(world: World, raw: bytes, key: str) -> installation.StoredMail:
    """Store a mail as the mailbox reader does, and return it."""
    sender, game = world.moderator.intake.for_whom(raw, world.now)
    with writing_no_game(world.engine) as conn:
        installation.store_mail(conn, installation.StoredMail(key, raw, 0, sender, game, world.now))
        installation.store_mail(conn, installation.StoredMail(key, raw, 0, sender, game, world.now))
    with reading(world.engine) as conn:
        number = conn.exec_driver_sql(f"SELECT id FROM inbox WHERE key = '{key}'").scalar_one()
    direct = ProcessLocks(world.engine, "taking")
    taken = direct.claim_mail(number)
    direct.close()
    assert taken is not None
    return taken


def take(world: World, mail: installation.StoredMail) -> str:
    return world.moderator.receive(mail.raw, mail.key, mail.arrived_at, stored=mail).disposition


def test_the_game_of_a_mail_is_found_without_taking_it(world: World) -> None:
    def game_of(raw: bytes) -> str | None:
        return world.moderator.intake.for_whom(raw, world.now)[1]

    both = ", ".join(f"mentat+{world.token('guild', game)}@arrakis.example" for game in (ONE, OTHER))
    assert game_of(world.mail("guild", "status", game=ONE)) == ONE
    assert game_of(world.mail("guild", "status", game=ONE, to=both)) is None
    assert game_of(world.mail("guild", "status", f"[#{world.token('guild', OTHER)}]", "status", game=ONE)) is None
    assert game_of(b"From: chani@sietch.example\r\nTo: mentat@arrakis.example\r\n\r\nHello") is None
    assert game_of(b"no mail at all") is None
    assert world.messages() == []


def test_a_mail_with_parts_for_two_games_is_for_none_alone_and_acts_in_both(world: World) -> None:
    lines = ("status", f"[#{world.token('guild', OTHER)}]", "status")
    mail = stored(world, world.mail("guild", *lines, game=ONE), "1")
    before = len(world.letters("guild"))
    assert mail.game_id is None
    assert take(world, mail) == "orders"
    answers = [letter.subject for letter in world.letters("guild")[before:]]
    assert [game for subject in answers for game in (ONE, OTHER) if game in subject] == [ONE, OTHER]


def test_a_mail_that_turns_out_to_be_for_two_games_is_done_with_everything_held(world: World) -> None:
    lines = ("status", f"[#{world.token('guild', OTHER)}]", "status")
    mail = replace(stored(world, world.mail("guild", *lines, game=ONE), "1"), game_id=ONE)
    before = len(world.letters("guild"))
    assert take(world, mail) == "orders"
    assert len(world.letters("guild")) == before + 2
    assert [disposition for disposition, _ in world.messages()] == ["orders"]


def test_a_mail_whose_verdict_stands_is_not_taken_again(world: World) -> None:
    mail = stored(world, world.mail("guild", "status", game=ONE), "1")
    assert take(world, mail) == "orders"
    written = world.written()
    assert take(world, mail) == "duplicate"
    assert world.written() == written
    assert [disposition for disposition, _ in world.messages()] == ["orders"]


def test_a_fault_settles_the_mail_and_it_is_put_aside(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mail = stored(world, world.mail("guild", "status", game=ONE), "1")
    monkeypatch.setattr(games, "save", lambda *_, **__: 1 / 0)
    assert take(world, mail) == "fault"
    with reading(world.engine) as conn:
        assert [(each.disposition, each.shunt) for each in installation.settled_mail(conn)] == [("fault", True)]


def test_mail_that_waits_holds_up_the_deadlines_of_its_game_alone(world: World) -> None:
    stored(world, world.mail("guild", "status", game=ONE), "1")
    later = world.now + timedelta(days=30)
    before = {game: world.table(game).entries for game in (ONE, OTHER)}
    world.moderator.timekeeper.tick(later)
    assert world.table(ONE).entries == before[ONE]
    assert world.table(OTHER).entries > before[OTHER]


def test_mail_that_may_be_for_any_game_holds_up_what_was_due_after_it_came(world: World) -> None:
    stored(world, b"From: chani@sietch.example\r\nTo: mentat@arrakis.example\r\n\r\nHello", "1")
    later = world.now + timedelta(days=30)
    with reading(world.engine) as conn:
        assert installation.games_waited_for(conn, deadlines.due_games(conn, later), later) == {ONE, OTHER}
        assert installation.games_waited_for(conn, [], later) == set()
    with writing_no_game(world.engine) as conn:
        conn.exec_driver_sql("UPDATE inbox SET arrived_at = '2030-01-01T00:00:00.000000+00:00'")
    with reading(world.engine) as conn:
        assert installation.games_waited_for(conn, deadlines.due_games(conn, later), later) == set()


def test_a_leader_whose_lock_another_has_by_now_writes_nothing(world: World, neighbour: Moderator) -> None:
    first, second = ProcessLocks(world.engine, "first"), ProcessLocks(neighbour.engine, "second")
    one, two = Lead(first, "keeping the clock", "first"), Lead(second, "keeping the clock", "second")
    assert one.taken(START)
    assert not two.taken(START)
    with one.fenced(), writing(world.engine) as conn:
        installation.beat(conn, "service", START)
    second.end_sessions("first")  # as the server does when it restarts
    assert soon(lambda: two.taken(START))
    with pytest.raises(LostLead, match="keeping the clock"), one.fenced(), writing(world.engine) as conn:
        installation.beat(conn, "service", START + timedelta(hours=1))
    assert not one.taken(START)
    with two.fenced(), writing(neighbour.engine) as conn:
        beat = installation.heartbeat(conn, "service")
    assert beat is not None
    assert beat.at == START
    first.close()
    assert not Lead(first, "keeping the clock", "first").taken(START)
    two.give_back()  # a server notices a closed session a moment later
    assert one.taken(START)
    first.close()
    second.close()


def test_the_locks_of_a_session_go_with_its_connection(world: World, neighbour: Moderator) -> None:
    first, second = ProcessLocks(world.engine, "first"), ProcessLocks(neighbour.engine, "second")
    assert first.take("keeping the clock")
    assert not second.take("keeping the clock")
    assert second.is_taken("keeping the clock")
    first.close()
    assert soon(lambda: second.take("keeping the clock"))
    assert not first.take("keeping the clock")
    first.end_sessions("second")
    assert soon(lambda: first.take("keeping the clock"))
    assert not second.holds("keeping the clock")
    for each in (first, second):
        each.close()


def soon(true: Callable[[], bool]) -> bool:
    """Wait for the condition and return whether it holds; a busy server notices the end of a session late."""
    end = time.monotonic() + 20
    while not (is_true := true()) and time.monotonic() < end:
        time.sleep(0.02)
    return is_true


def test_who_takes_the_lead_waits_for_the_transaction_of_the_last_leader(world: World, neighbour: Moderator) -> None:
    first, second = ProcessLocks(world.engine, "first"), ProcessLocks(neighbour.engine, "second")
    one, two = Lead(first, "keeping the clock", "first"), Lead(second, "keeping the clock", "second")
    assert one.taken(START)
    with one.fenced(), writing_no_game(world.engine):
        second.end_sessions("first")
        with pytest.raises(DatabaseUnavailable, match="held"):
            soon(lambda: two.taken(START))
    assert two.taken(START)
    first.close()
    second.close()


def test_a_transaction_outside_of_any_lead_has_no_fence(world: World) -> None:
    with pytest.raises(LostLead), fenced(Fence("nobody's", 1)), writing(world.engine):
        pass
    with writing(world.engine):
        pass


def test_who_waits_hears_what_is_called_out(world: World, neighbour: Moderator) -> None:
    direct = ProcessLocks(neighbour.engine, "second")
    assert not direct.wait(0.05, lambda _: True)
    stored(world, world.mail("guild", "status", game=ONE), "1")
    stored(world, world.mail("fremen", "status", game=OTHER), "2")
    time.sleep(1)  # the server delivers notifications when it has time
    assert direct.wait(5, lambda _: True)
    assert not direct.wait(0.05, lambda _: True)  # both notifications arrived together
    with writing_no_game(world.engine) as conn:
        installation.call_out(conn, OTHER)
    assert not direct.wait(1, lambda game: game == ONE)
    direct.close()


def test_the_locks_of_a_session_take_the_direct_way_where_one_is_named(world: World) -> None:
    place = str(world.settings.database_place)
    past, nowhere = (open_database(place, direct=url) for url in (place, "postgresql://mentat@127.0.0.1:1/mentat"))
    with writing(nowhere), pytest.raises(DatabaseUnavailable, match="cannot be reached"), only_one(nowhere, "sending"):
        pass
    with only_one(past, "sending"), pytest.raises(AlreadyRunning), only_one(world.engine, "sending"):
        pass
    for engine in (past, nowhere):
        engine.dispose()
