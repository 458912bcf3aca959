"""Mentat processes each message once and sends each letter once, despite duplicates and crashes."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import Connection

from bot import ResourceError
from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest
from bot.games import retention
from bot.games.identity import MailOutcome
from bot.games.letter_writer import LetterWriter
from bot.games.seat_mail import Reply
from bot.mail.mailbox import FetchedMail, MaildirMailbox, MaildirPlace
from bot.mail.transport import SendDeferred, SendRefused
from bot.moderator import outage
from bot.service import loop, outbox
from bot.store import deadlines, games, mail
from bot.store.database import DatabaseUnavailable, explained, reading
from bot.store.installation import only_one
from bot.table.table import Table, TableBefore
from rules.components import Faction
from tests.moderator.table import GAME, GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


class Killed(BaseException):
    """Simulates the death of the process."""


def entries(world: World) -> int:
    return world.table().entries


def test_the_same_message_from_the_same_place_is_taken_once(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", world.line("guild", "traitor"))
    assert world.moderator.receive(raw, "INBOX:1:5", world.now).taken == 1
    letters, log = len(world.letters()), entries(world)
    assert world.moderator.receive(raw, "INBOX:1:5", world.now).disposition == "duplicate"
    assert (len(world.letters()), entries(world)) == (letters, log)


def test_the_same_bytes_from_another_place_are_taken_once(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", world.line("guild", "traitor"))
    world.moderator.receive(raw, "INBOX:1:5", world.now)
    again = world.moderator.receive(raw, "INBOX:2:9", world.now)
    assert (again.disposition, again.shunt) == ("duplicate", False)


def test_a_copy_that_came_another_way_is_taken_once(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", world.line("guild", "traitor"), message_id="<one@players.example>")
    world.moderator.deliver(raw, world.now)
    assert world.moderator.deliver(b"Received: from a list\r\n" + raw, world.now).disposition == "duplicate"


def test_the_message_id_of_somebody_else_does_not_hide_a_message(world: World) -> None:
    world.new_game(factions=FEW)
    world.moderator.deliver(world.mail("guild", "status", message_id="<one@players.example>"), world.now)
    other = world.mail("harkonnen", "status", message_id="<one@players.example>")
    assert world.moderator.deliver(other, world.now).disposition == "orders"


def test_a_copy_of_a_mail_that_was_deleted_meanwhile_is_not_taken(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", world.line("guild", "traitor"), message_id="<one@players.example>")
    world.moderator.deliver(raw, world.now)
    retention.carry_out_deletion(world.moderator.open_games, retention.one_message(1))
    assert world.moderator.deliver(b"Received: from a list\r\n" + raw, world.now).disposition == "duplicate"


def test_what_a_program_wrote_hides_no_mail_of_a_person(world: World) -> None:
    world.new_game(factions=FEW)
    same = {"message_id": "<one@players.example>", "Date": "Tue, 26 Nov 2024 20:00:00 +0000"}
    away = world.mail("guild", "I am away.", Auto_Submitted="auto-replied", **same)
    assert world.moderator.deliver(away, world.now).disposition == "auto-reply"
    own = world.mail("guild", world.line("guild", "traitor"), **same)
    assert world.moderator.deliver(own, world.now).taken == 1


def test_what_was_put_aside_is_put_aside_again_after_a_crash_before_the_move(world: World) -> None:
    world.new_game(factions=FEW)
    strange = world.mail("guild", "buy", sender="spam@elsewhere.example")
    world.moderator.receive(strange, "INBOX:1:5", world.now)
    again = world.moderator.receive(strange, "INBOX:1:5", world.now)
    assert (again.disposition, again.shunt) == ("duplicate", True)
    assert len(world.letters(GAME_MASTER)) == 1


def mailbox_with(world: World, folder: Path, *mails: bytes) -> MaildirMailbox:
    box = MaildirMailbox(MaildirPlace(folder / "Maildir"))
    list(box.fetch_new())
    for number, raw in enumerate(mails):
        (folder / "Maildir" / "new" / f"{number}.mail").write_bytes(raw)
    return box


def in_folder(folder: Path, name: str) -> int:
    return len(list((folder / "Maildir" / name / "cur").glob("*")))


def test_a_crash_between_commit_and_move_takes_the_message_once(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.new_game(factions=FEW)
    box = mailbox_with(world, tmp_path, world.mail("guild", world.line("guild", "traitor")))

    def dies(_key: str) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(box, "done", dies)
        with pytest.raises(Killed):
            loop.poll(world.moderator, box, lambda: world.now)
    letters, log = len(world.letters()), entries(world)
    after = world.another_process()
    assert loop.poll(after.moderator, box, lambda: world.now).messages == 1
    assert (len(world.letters()), entries(world)) == (letters, log)
    assert in_folder(tmp_path, ".Mentat.Processed") == 1


def test_a_crash_before_the_commit_leaves_nothing_behind_also_not_in_memory(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.new_game(factions=FEW)
    world.say("harkonnen", "status")  # the game is in memory now
    before = world.table().play.state
    raw = world.mail("guild", world.line("guild", "traitor"))
    letters = len(world.letters())

    def dies(*_args: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(games, "close", dies)
        with pytest.raises(Killed):
            world.moderator.deliver(raw, world.now)
    assert world.table().play.state == before
    assert len(world.letters()) == letters
    assert world.moderator.deliver(raw, world.now).taken == 1
    assert "guild" not in world.asked()


def test_a_fault_puts_the_message_aside_and_the_next_one_goes_on(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.new_game(factions=FEW)
    world.say("harkonnen", "status")
    bad, good = world.mail("guild", world.line("guild", "traitor")), world.mail("atreides", "status")
    box = mailbox_with(world, tmp_path, bad, good)
    answer = LetterWriter.answer

    def breaks(writer: LetterWriter, table: Table, before: TableBefore, reply: Reply) -> None:
        if reply.faction == "guild":
            raise RuntimeError("the sand got in")
        answer(writer, table, before, reply)

    before = world.table().play.state
    with monkeypatch.context() as patched:
        patched.setattr(LetterWriter, "answer", breaks)
        polled = loop.poll(world.moderator, box, lambda: world.now)
    assert (polled.messages, polled.shunted) == (2, 1)
    assert in_folder(tmp_path, ".Mentat.Shunted") == 1
    assert world.table().play.state == before
    assert [disposition for disposition, _ in world.messages()] == ["orders", "fault", "orders"]
    notice = " ".join(world.newest(GAME_MASTER).text.split())
    assert "because of a fault in the program" in notice
    assert "the sand got in" in notice
    assert world.moderator.receive(bad, "moved back", world.now).taken == 1  # once the fault is fixed


def test_a_fault_in_one_game_does_not_stop_the_deadlines_of_another(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.new_game(factions=FEW)
    world.new_game(factions=FEW, game="sietch-13")
    answer = LetterWriter.answer

    def breaks(writer: LetterWriter, table: Table, before: TableBefore) -> None:
        if table.id == GAME:
            raise RuntimeError("the sand got in")
        answer(writer, table, before)

    with monkeypatch.context() as patched:
        patched.setattr(LetterWriter, "answer", breaks)
        assert world.wait(24) == 1
        assert world.moderator.timekeeper.tick(world.now) == 0
    assert len(world.letters(GAME_MASTER)) == 1
    assert f"{GAME} is stuck" in world.newest(GAME_MASTER).subject
    assert world.moderator.timekeeper.tick(world.now) == 1  # once the fault is fixed


# --- two processes -------------------------------------------------------------------------------------------------


def test_two_processes_with_the_same_game_in_memory_see_what_the_other_did(world: World) -> None:
    world.new_game(factions=FEW)
    other = world.another_process()
    world.say("guild", "status")
    other.say("guild", "status")
    world.say("guild", world.line("guild", "traitor"))
    assert other.say("harkonnen", world.line("harkonnen", "traitor")).taken == 1
    assert world.say("atreides", world.line("atreides", "traitor")).taken == 1
    assert world.table().play.state.phase != "setup"
    identities = [letter.message["Message-ID"] for letter in world.letters()]
    assert len(identities) == len(set(identities))


def test_a_reminder_of_another_process_does_not_spoil_the_numbers_of_letters(world: World) -> None:
    world.new_game(factions=FEW)
    other = world.another_process()
    world.say("guild", "status")  # in memory here
    other.now = world.now
    other.wait(19)  # reminds
    assert world.say("guild", "status").disposition == "orders"


def test_two_ticks_at_once_let_silence_answer_once(world: World) -> None:
    world.new_game(factions=FEW)
    other = world.another_process()
    world.now = other.now = world.now.replace(day=28)
    assert world.moderator.timekeeper.tick(world.now) + other.moderator.timekeeper.tick(world.now) == 1


def test_an_order_in_one_process_and_a_rollback_in_another(world: World) -> None:
    world.new_game(factions=FEW)
    other = world.another_process()
    world.say("guild", world.line("guild", "traitor"))
    roll_back(DeskRequest(other.moderator.open_games, GAME, world.now), 0)
    assert "guild" in world.asked()
    assert world.say("guild", world.line("guild", "traitor")).taken == 1
    assert entries(world) == 1


# --- the database is away ------------------------------------------------------------------------------------------


@pytest.mark.sqlite_only
def test_a_locked_database_leaves_the_message_in_the_inbox(world: World, tmp_path: Path) -> None:
    world.new_game(factions=FEW)
    box = mailbox_with(world, tmp_path, world.mail("guild", world.line("guild", "traitor")))
    holder = world.another_process()
    with holder.engine.connect().execution_options(write=True) as held, held.begin():
        held.exec_driver_sql("SELECT 1")
        with pytest.raises(DatabaseUnavailable, match="held by another program"):
            loop.poll(world.moderator, box, lambda: world.now)
    assert "guild" in world.asked()
    assert loop.poll(world.moderator, box, lambda: world.now).messages == 1
    assert "guild" not in world.asked()


LONG = random.Random("long").randbytes(200_000).hex(" ", 40).split()
"""Lines that do not compress."""


@pytest.mark.sqlite_only
def test_a_full_disk_leaves_the_message_in_the_inbox(world: World, tmp_path: Path) -> None:
    world.new_game(factions=FEW)
    world.say("harkonnen", "status")
    box = mailbox_with(
        world, tmp_path, world.mail("guild", world.line("guild", "traitor"), "", "Here comes a long poem.", "", *LONG)
    )
    with world.engine.connect() as conn:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(DatabaseUnavailable, match="the disk is full"):
        loop.poll(world.moderator, box, lambda: world.now)
    assert "guild" in world.asked()
    with world.engine.connect() as conn:
        conn.exec_driver_sql("PRAGMA max_page_count = 1000000")
    assert loop.poll(world.moderator, box, lambda: world.now).messages == 1
    assert "guild" not in world.asked()


@pytest.mark.sqlite_only
@pytest.mark.parametrize(("free", "told"), [(0, "the disk is full"), (10**9, "the disk reports an error")])
def test_a_file_that_cannot_be_opened_for_want_of_room_is_told_apart_from_a_broken_disk(
    world: World, monkeypatch: pytest.MonkeyPatch, free: int, told: str
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda place: SimpleNamespace(free=free))
    with pytest.raises(DatabaseUnavailable, match=told), explained(world.engine):
        raise sqlite3.OperationalError("disk I/O error")  # SQLite's message in both cases


def test_a_missing_template_leaves_the_message_in_the_inbox(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.new_game(factions=FEW)
    box = mailbox_with(world, tmp_path, world.mail("guild", world.line("guild", "traitor")))

    def gone(*_args: object, **_facts: object) -> str:
        raise ResourceError("The template letters/words.toml cannot be read: restore it, or reinstall Mentat.")

    with monkeypatch.context() as patched:
        patched.setattr("bot.render.letters.say", gone)
        with pytest.raises(ResourceError, match="restore it"):
            loop.poll(world.moderator, box, lambda: world.now)
    assert "guild" in world.asked()
    assert world.messages() == []
    assert loop.poll(world.moderator, box, lambda: world.now).messages == 1
    assert "guild" not in world.asked()


# --- the service ---------------------------------------------------------------------------------------------------


class Troubled:
    """A mailbox whose first fetch fails with a bug; after that it is empty."""

    def __init__(self) -> None:
        self.looks = 0
        self.thread: threading.Thread | None = None
        self.service: loop.Service | None = None

    def fetch_new(self) -> Iterator[FetchedMail]:
        self.looks += 1
        self.thread = threading.current_thread()
        if self.looks == 1:
            raise RuntimeError("a fault of ours")
        assert self.service is not None
        self.service.stop()
        return iter(())

    def done(self, key: str) -> None: ...
    def shunt(self, key: str, reason: str) -> None: ...
    def wait(self, seconds: float) -> bool:
        return False

    def close(self) -> None: ...


def test_the_service_survives_a_fault_sends_and_stops_when_it_is_told(world: World) -> None:
    world.new_game(factions=FEW)
    box, server = Troubled(), Server()
    box.service = loop.Service(world.moderator, box, server)
    box.service.run()
    assert box.looks == 2
    assert len(server.got) >= len(FEW)
    assert box.thread is threading.main_thread()  # only there can a message that takes too long be stopped


# --- letters -------------------------------------------------------------------------------------------------------


class Server:
    """A mail server that accepts and records letters."""

    def __init__(self) -> None:
        self.got: list[tuple[str, bytes]] = []

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        self.got.append((to, letter))

    def close(self) -> None: ...


def test_a_crash_between_sending_and_noting_it_sends_that_one_letter_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.new_game(factions=FEW)
    server = Server()

    def dies(*_args: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(mail, "note_sent", dies)
        with pytest.raises(Killed):
            loop.send(world.outbox, server, world.now)
    first = list(server.got)
    assert len(first) == 1
    again = world.another_process()
    assert loop.send(again.outbox, server, again.now).sent == 3
    assert server.got[1:2] == first
    assert len({letter for _, letter in server.got}) == 3
    assert loop.send(again.outbox, server, again.now).sent == 0


@pytest.mark.sqlite_only  # on a database server the processes share the work
def test_while_one_process_sends_another_does_not(world: World) -> None:
    world.new_game(factions=FEW)
    with only_one(world.engine, "sending"):
        assert loop.send(world.outbox, Server(), world.now).sent == 0
    assert loop.send(world.outbox, Server(), world.now).sent == 3


class Away(Server):
    """A mail server that cannot be reached."""

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        raise SendDeferred("no SMTP connection; check [smtp] host")


class Picky(Server):
    """A mail server that permanently refuses one recipient."""

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        if to == address_of("guild"):
            raise SendRefused("550 no such user")
        super().send(envelope_from, to, letter)


class Odd(Server):
    """A mail server that crashes on letters to one recipient."""

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        if to == address_of("guild"):
            raise ValueError("an odd letter")
        super().send(envelope_from, to, letter)


def test_a_letter_that_breaks_the_way_out_keeps_back_no_other_and_sends_none_twice(world: World) -> None:
    world.new_game(factions=FEW)
    server = Odd()
    tried = loop.send(world.outbox, server, world.now)
    assert (tried.sent, tried.deferred) == (2, 1)
    assert loop.send(world.outbox, server, world.now).sent == 0
    assert sorted(to for to, _ in server.got) == [address_of("atreides"), address_of("harkonnen")]


def test_letters_wait_for_a_server_that_is_away_and_go_out_later(world: World) -> None:
    world.new_game()
    tried = loop.send(world.outbox, Away(), world.now)
    assert (tried.sent, tried.deferred) == (0, outbox.SERVER_AWAY)
    server = Server()
    world.now = world.now.replace(hour=22)
    assert loop.send(world.outbox, server, world.now).sent == 6
    assert sorted(to for to, _ in server.got) == sorted(letter.recipient for letter in world.letters())


def test_a_letter_that_is_given_up_is_reported_to_the_game_master(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "GIVE_UP_AFTER", 1)
    world.new_game(factions=("guild", "harkonnen"))
    assert loop.send(world.outbox, Away(), world.now).deferred == 4  # two notices too
    assert len(world.letters(GAME_MASTER)) == 2
    assert "1 attempt failed" in world.newest(GAME_MASTER).text


def test_a_letter_that_is_refused_is_reported_to_the_game_master(world: World) -> None:
    world.new_game(factions=FEW)
    tried = loop.send(world.outbox, Picky(), world.now)
    assert (tried.sent, tried.refused) == (5, 1)  # two players (a player is unreachable), game master
    notice = " ".join(world.newest(GAME_MASTER).text.split())
    assert "could not be delivered: 550 no such user" in notice


def test_time_that_two_processes_find_lost_is_given_back_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.new_game(factions=FEW)
    other = world.another_process()
    due, since, back = _first_due(world), world.now, world.now + timedelta(hours=2)
    without_it = deadlines.games_without_lost_time

    def slowly(conn: Connection, lost: str) -> list[str]:
        found = without_it(conn, lost)
        monkeypatch.setattr(deadlines, "games_without_lost_time", without_it)
        outage.give_time_back(other.moderator.open_games, "mailbox", since, back)
        return found

    monkeypatch.setattr(deadlines, "games_without_lost_time", slowly)
    outage.give_time_back(world.moderator.open_games, "mailbox", since, back)
    assert _first_due(world) == due + timedelta(hours=2)
    assert len(world.letters(GAME_MASTER)) == 1


def _first_due(world: World) -> datetime:
    return min(deadline.due for deadline in world.table().deadlines.values())


def test_no_letter_is_written_twice_for_one_message(world: World) -> None:
    world.new_game(factions=FEW)
    verdicts: list[MailOutcome] = []
    raw = world.mail("guild", world.line("guild", "traitor"))
    for key in ("a", "a", "b"):
        verdicts.append(world.moderator.receive(raw, key, world.now))
    assert [verdict.taken for verdict in verdicts] == [1, 0, 0]
    with reading(world.engine) as conn:
        assert len(mail.to_send(conn, world.now)) == 4
