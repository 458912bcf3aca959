"""Workers: several processes take mail, send letters and keep the clock, and any of them may die or freeze."""

from __future__ import annotations

import itertools
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.backup.moving import move
from bot.doctor import workers as doctor_of_workers
from bot.mail.servers.maildir import MaildirMailbox, MaildirPlace
from bot.moderator.moderator import Moderator
from bot.monitoring.finding import Finding
from bot.service import loop
from bot.service.handling import Handling
from bot.service.outbox import Outbox
from bot.service.system_clock import WallClock
from bot.service.workers import reader, supervisor, worker
from bot.service.workers.presence import MayNotWork, Present
from bot.service.workers.reader import Reader
from bot.service.workers.worker import Worker
from bot.store import heartbeats, inbox, mail, presence
from bot.store.database import DatabaseUnavailable, backend_of, open_database, reading, writing, writing_no_game
from bot.store.direct import Direct
from bot.store.only_one import AlreadyRunning, only_one
from bot.upgrade.upgrading import upgrade
from rules.components import Faction
from tests.moderator.table import GAME_MASTER, START, World
from tests.postgresql_server import PostgresqlServer

CONFIG = """
[mentat]
address = "mentat@arrakis.example"
game_master = "gm@arrakis.example"
desk_mail = "off"
[database]
url = "{url}"
[mailbox]
kind = "maildir"
maildir = "Maildir"
poll_seconds = 1
[smtp]
kind = "directory"
directory = "outgoing"
"""
FEW: tuple[Faction, ...] = ("atreides", "fremen", "guild")
GAMES = ("sietch-1", "sietch-2", "sietch-3")
_PATIENCE = 90.0


class Place:
    """A Mentat on a server, with a Maildir and a folder of letters."""

    def __init__(self, folder: Path, url: str, now: datetime = START) -> None:
        self.folder = folder
        self.url = url
        self.world = World.at(folder, CONFIG.format(url=url))
        self.world.now = now
        self.box = folder / "Maildir"
        for name in ("new", "cur", "tmp"):
            (self.box / name).mkdir(parents=True, exist_ok=True)
        self._numbers = itertools.count(1)

    def new_games(self, *games: str) -> None:
        for game in games:
            self.world.new_game(factions=FEW, game=game)

    def drop(self, raw: bytes) -> None:
        """Deliver a mail."""
        name = f"{1_700_000_000 + next(self._numbers)}.x"
        (self.box / "tmp" / name).write_bytes(raw)
        (self.box / "tmp" / name).rename(self.box / "new" / name)

    def asks(self, faction: Faction, game: str, serial: int) -> bytes:
        """A mail of one of many players, each with an address of their own."""
        return self.world.mail(faction, "status", game=game, message_id=f"<{serial}.{game}.{faction}@players.example>")

    @property
    def left(self) -> int:
        """How many mails lie in the inbox of the mailbox."""
        return sum(1 for name in ("new", "cur") for _ in (self.box / name).iterdir())

    def set_aside(self) -> int:
        folder = self.box / ".Mentat.Shunted"
        return sum(1 for name in ("new", "cur") for _ in (folder / name).iterdir()) if folder.exists() else 0

    def process(self) -> Moderator:
        """Another process, as far as the database can see."""
        return Moderator(self.world.settings, open_database(self.url, timeout_seconds=1))

    def sent(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "outgoing").glob("*.eml"))

    def run(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-m", "bot", "run", "--config", str(self.folder / "config.toml"), *words]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    @contextmanager
    def running(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """`mentat run`, stopped at the end."""
        process = self.run(*words)
        try:
            yield process
            process.send_signal(signal.SIGTERM)
            assert process.wait(_PATIENCE) == 0, (self.folder / "log").read_text()
        finally:
            process.kill()
            process.wait()

    def until(self, true: Callable[[], object], seconds: float = _PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, (self.folder / "log").read_text() if (self.folder / "log").exists() else ""
            time.sleep(0.1)


@pytest.fixture
def place(empty: Callable[[], str], tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path, empty())
    yield made
    made.world.engine.dispose()


@pytest.fixture
def at_present(empty: Callable[[], str], tmp_path: Path) -> Iterator[Place]:
    """The same today, for processes that ask the machine what time it is."""
    made = Place(tmp_path, empty(), datetime.now(UTC))
    yield made
    made.world.engine.dispose()


def reads(place: Place, moderator: Moderator) -> Reader:
    box = MaildirMailbox(MaildirPlace(place.box))
    return Reader(moderator, box, Direct(moderator.engine, "reader"), "reader", lambda: place.world.now)


class Taking:
    """Takes letters."""

    def __init__(self) -> None:
        self.got: list[bytes] = []

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        self.got.append(letter)

    def close(self) -> None: ...


def works(place: Place, moderator: Moderator) -> Worker:
    return Worker(moderator, Taking(), "worker", lambda: place.world.now)


# --- mail ------------------------------------------------------------------------------------------------------------


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
        assert inbox.keys(conn) == set()
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
        ["chani"],  # who waited for all before it
        ["fremen@2"],  # which waited for that
        [],
    ]
    for expected in orders:
        with reading(place.world.engine) as conn:
            free = inbox.takeable(conn)
            rows = dict(tuple(row) for row in conn.exec_driver_sql("SELECT id, sender FROM inbox").all())
        named = [f"{rows[each.id].partition('@')[0]}{'@' + each.game_id[-1] if each.game_id else ''}" for each in free]
        assert named == expected
        if expected:
            works(place, place.world.moderator)._handling.take_one()
    reading_it._direct.close()


def test_only_one_reads_the_mailbox_and_another_takes_over(place: Place) -> None:
    place.new_games(GAMES[0])
    first, second = reads(place, place.world.moderator), reads(place, place.process())
    place.drop(place.asks("guild", GAMES[0], 1))
    assert first.look() == 1
    place.drop(place.asks("guild", GAMES[0], 2))
    assert second.look() == 0
    first._direct.close()
    place.until(lambda: second.look() == 2, 5)


def test_a_reader_that_died_between_the_verdict_and_the_move_leaves_nothing_undone(place: Place) -> None:
    place.new_games(GAMES[0])
    place.drop(place.asks("guild", GAMES[0], 1))
    first, working = reads(place, place.world.moderator), works(place, place.process())
    first.look()
    working.take_mail()
    written = place.world.written()
    first._direct.close()
    second = reads(place, place.process())
    assert second.look() == 0
    assert working.take_mail() == 0
    assert place.left == 0
    assert place.world.written() == written


@contextmanager
def dies(before_commit: Callable[[Moderator], None]) -> Iterator[Callable[[Place], int]]:
    """A process of its own that takes one mail and is killed where ``before_commit`` says; its exit status."""

    def taken(place: Place) -> int:
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            try:
                moderator = place.process()
                before_commit(moderator)
                Handling(moderator, Direct(moderator.engine, "dying"), lambda: START).take_one()
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
        for _ in range(inbox.MOST_TRIES):
            assert dying(place) == -signal.SIGKILL
    assert works(place, place.process()).take_mail() == 2
    assert [disposition for disposition, _ in place.world.messages()] == ["fault", "orders"]
    reading_it._stored = -reader.STORE_SECONDS
    reading_it.look()
    assert place.left == 0
    assert place.set_aside() == 1


def test_a_worker_that_cannot_reach_the_database_does_not_count_as_dead(place: Place) -> None:
    place.new_games(GAMES[0])
    place.drop(place.asks("guild", GAMES[0], 1))
    reads(place, place.world.moderator).look()
    working = works(place, place.process())
    with writing(place.world.engine):
        for _ in range(inbox.MOST_TRIES + 1):
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
    assert loop.poll(place.process(), MaildirMailbox(MaildirPlace(place.box))).messages == 0  # the reader lives
    left._direct.close()
    assert loop.poll(place.process(), MaildirMailbox(MaildirPlace(place.box)), lambda: START).messages == 2
    assert [disposition for disposition, _ in place.world.messages()] == ["orders", "orders"]
    assert place.left == 0


# --- the clock -------------------------------------------------------------------------------------------------------


def test_no_deadline_passes_before_the_mailbox_was_read_since_the_clock_was_taken(place: Place) -> None:
    place.new_games(GAMES[0])
    place.world.now += timedelta(days=30)
    place.drop(place.asks("guild", GAMES[0], 1))
    working, before = works(place, place.process()), place.world.table(GAMES[0]).entries
    working.tick()
    assert place.world.table(GAMES[0]).entries == before
    reads(place, place.world.moderator).look()
    working.tick()
    assert place.world.table(GAMES[0]).entries == before  # its mail waits
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
    reading_it._stored = -math.inf
    reading_it.look()
    working.tick()
    assert place.world.table(GAMES[0]).entries > before


def test_the_mailbox_counts_as_failing_where_nobody_reads_it(place: Place) -> None:
    place.new_games(GAMES[0])
    working = works(place, place.process())
    working.tick()
    place.world.now += worker.NOT_READ_FOR + timedelta(seconds=1)
    working.tick()
    with reading(place.world.engine) as conn:
        beat = heartbeats.heartbeat(conn, "mailbox")
    assert beat is not None
    assert beat.failing_since is not None


def test_one_leads_the_clock_and_another_takes_over(place: Place) -> None:
    place.new_games(GAMES[0])
    reads(place, place.world.moderator).look()
    first, second = works(place, place.process()), works(place, place.process())
    first.tick()
    second.tick()
    with reading(place.world.engine) as conn:
        (led,) = [each for each in presence.led(conn) if each.work == worker.CLOCK]
    first._locks.close()
    place.world.now += timedelta(seconds=10)

    def led_again() -> bool:
        second.tick()
        with reading(place.world.engine) as conn:
            (then,) = [each for each in presence.led(conn) if each.work == worker.CLOCK]
        return then.since > led.since

    place.until(led_again, 5)


# --- letters ---------------------------------------------------------------------------------------------------------


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
        mail.later(conn, again, START, "the server is away")
        assert mail.claim(conn, to_one[1], "second", START)


def test_two_who_send_at_once_send_every_letter_once_and_in_order(place: Place) -> None:
    place.new_games(*GAMES)
    written = [str(letter.message["Message-ID"]) for letter in place.world.letters()]
    sent: list[tuple[str, bytes]] = []

    class Slow(Taking):
        def send(self, envelope_from: str, to: str, letter: bytes) -> None:
            time.sleep(0.005)
            sent.append((to, letter))

    workers = [Worker(place.process(), Slow(), f"worker-{n}", lambda: START) for n in range(3)]
    threads = [threading.Thread(target=each.send) for each in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in workers:
        workers[0].send()  # what nobody took as another sent to the same address
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
    living = Direct(place.world.engine, "alive")
    assert living.take("sending as alive")
    working = works(place, place.process())
    working.send()
    with reading(place.world.engine) as conn:
        assert set(mail.claimants(conn)) == {"alive", "dead.another start"}  # it may have lost its lock, and live
    place.world.now = START + timedelta(minutes=1)
    working.send()
    with reading(place.world.engine) as conn:
        assert set(mail.claimants(conn)) == {"alive"}
    living.close()

    def all_ended() -> bool:
        working.send()
        with reading(place.world.engine) as conn:
            return not mail.claimants(conn)

    place.until(all_ended, 5)


# --- who may work ----------------------------------------------------------------------------------------------------


Begun = Callable[..., Present]


@pytest.fixture
def begun(place: Place) -> Iterator[Begun]:
    """Processes that say that they are at work, until the test ends."""
    all_begun: list[Present] = []

    def begin(name: str, role: str = "worker", when_not: Callable[[], None] = lambda: None) -> Present:
        made = Present(place.process().engine, name, role, lambda: START, when_not)
        all_begun.append(made)
        made.begin()
        return made

    yield begin
    for each in all_begun:
        each.end()


def test_workers_with_other_rules_do_not_work_beside_each_other(begun: Begun, monkeypatch: pytest.MonkeyPatch) -> None:
    begun("worker-1")
    begun("worker-2")
    monkeypatch.setattr("bot.service.workers.presence.rules_digest", lambda: "other rules")
    with pytest.raises(MayNotWork, match="another version"):
        begun("worker-3")


def test_nobody_has_the_database_for_themselves_beside_workers_nor_workers_beside_them(
    place: Place, begun: Begun
) -> None:
    engine = place.world.engine
    with only_one(engine, "running"), pytest.raises(MayNotWork, match="for itself"):
        begun("worker-1")
    begun("worker-2")
    begun("worker-3")
    with pytest.raises(AlreadyRunning), only_one(engine, "running"):
        pass
    settings = place.world.settings
    with pytest.raises(AlreadyRunning, match="stop it first"):
        upgrade(settings, None, place.folder, START)
    with pytest.raises(AlreadyRunning, match="is at work"):
        move(engine, place.folder / "moved.db", START, lambda table, rows: None)
    assert list(place.folder.glob("moved.db*")) == []


def test_a_worker_ends_when_a_newer_mentat_has_renewed_the_database(
    place: Place, begun: Begun, server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.service.workers.presence.SEEN_SECONDS", 0.05)
    told = threading.Event()
    present = begun("worker-1", when_not=told.set)
    server.run("UPDATE alembic_version SET version_num = '9999'", place.url.partition("?")[0].rpartition("/")[2])
    assert told.wait(10)
    assert "newer Mentat" in present.why_not


def test_the_doctor_names_the_processes_at_work(place: Place, begun: Begun) -> None:
    def found() -> Finding:
        return doctor_of_workers.examine(place.world.engine)

    assert found().state == "note"
    begun("worker-1")
    begun("worker-2")
    assert found().state == "wrong"
    leading = reads(place, place.process())
    leading.look()
    begun("reader-1", "reader")
    told = found()
    assert told.state == "well"
    assert "1 reader on " in told.told
    assert "2 workers on " in told.told
    assert "reader is reading mail" in told.told
    assert found().facts["leads"] == {reader.READING: "reader"}
    leading._direct.close()


# --- real processes --------------------------------------------------------------------------------------------------


def _workers(process: subprocess.Popen[bytes]) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in found.stdout.split()]


def test_killed_workers_and_a_server_that_is_started_anew_lose_and_double_nothing(
    at_present: Place, server: PostgresqlServer
) -> None:
    place, dice, mails = at_present, random.Random("kills"), 0
    place.new_games(*GAMES)
    before = len(place.world.letters())
    with place.running("--workers", "3") as process:
        place.until(lambda: len(_workers(process)) == 4)
        for serial in range(8):
            for game, faction in itertools.product(GAMES, FEW):
                place.drop(place.asks(faction, game, serial))
                mails += 1
            time.sleep(0.5)
            if serial == 4:
                server.stop()
                server.start()
            elif children := _workers(process):
                os.kill(dice.choice(children), signal.SIGKILL)
        place.until(lambda: place.left == 0)
        place.until(lambda: len(place.sent()) == len(place.world.letters()))
    messages = [disposition for disposition, _ in place.world.messages()]
    assert messages.count("orders") == mails == len(messages)
    letters = place.world.letters()[before:]
    assert len([letter for letter in letters if letter.faction in FEW]) >= mails
    answered = [str(letter.message["In-Reply-To"]) for letter in letters if letter.message["In-Reply-To"]]
    assert len(answered) == len(set(answered)) == mails
    with reading(place.world.engine) as conn:
        taken = [str(row[0]) for row in conn.exec_driver_sql("SELECT message_id FROM message ORDER BY id")]
    for game, faction in itertools.product(GAMES, FEW):
        own = [each for each in taken if f".{game}.{faction}@" in each]
        assert own == sorted(own)


def test_what_a_frozen_process_holds_is_free_soon_and_it_writes_nothing_when_it_goes_on(
    place: Place, begun: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.new_games(GAMES[0])
    monkeypatch.setattr("bot.service.workers.presence.SEEN_SECONDS", 0.2)
    monkeypatch.setattr("bot.service.workers.presence.FROZEN_SECONDS", 2.0)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.environ["PGAPPNAME"] = "worker-frozen"
            moderator = place.process()
            Present(moderator.engine, "worker-frozen", "worker", lambda: datetime.now(UTC), lambda: None).begin()
            with writing(moderator.engine, GAMES[0]) as conn:
                conn.exec_driver_sql("UPDATE game SET turn = 9")
                os.kill(os.getpid(), signal.SIGSTOP)
        except DatabaseUnavailable:
            status = 7
        finally:
            os._exit(status)
    os.waitpid(pid, os.WUNTRACED)
    try:
        other = place.process()
        with pytest.raises(DatabaseUnavailable), writing(other.engine, GAMES[0]):
            pass
        begun("worker-1")
        place.until(lambda: _is_free(other), 20)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert place.world.table(GAMES[0]).play.state.turn == 1


def _is_free(moderator: Moderator) -> bool:
    try:
        with writing(moderator.engine, GAMES[0]):
            return True
    except DatabaseUnavailable:
        return False


def test_another_process_goes_on_where_one_is_frozen_and_that_one_finds_out(at_present: Place) -> None:
    place = at_present
    place.new_games(GAMES[0])
    with place.running("--workers", "2", "--verbose") as process:
        place.until(lambda: len(_workers(process)) == 3)
        place.until(lambda: _leader(place, reader.READING))
        frozen = _leader(place, reader.READING)
        pid = _pid_of(place, frozen)
        os.kill(pid, signal.SIGSTOP)
        try:
            place.drop(place.asks("guild", GAMES[0], 1))
            other = place.run("--workers", "1")
            place.until(lambda: place.left == 0)
            assert _leader(place, reader.READING) != frozen
        finally:
            os.kill(pid, signal.SIGCONT)
        place.drop(place.asks("guild", GAMES[0], 2))
        place.until(lambda: place.left == 0)
        assert _leader(place, reader.READING) != frozen
        other.send_signal(signal.SIGTERM)
        assert other.wait(_PATIENCE) == 0
    assert [disposition for disposition, _ in place.world.messages()] == ["orders", "orders"]


def test_the_processes_of_a_supervisor_that_is_killed_end(at_present: Place) -> None:
    supervising = at_present.run("--workers", "1")
    try:
        at_present.until(lambda: len(_workers(supervising)) == 2)
        children = _workers(supervising)
        at_present.until(lambda: _roles(at_present) == ["reader", "worker"])
    finally:
        supervising.kill()
        supervising.wait()
    at_present.until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))
    assert _roles(at_present) == []


def _roles(place: Place) -> list[str]:
    with reading(place.world.engine) as conn:
        return sorted(each.role for each in presence.everybody(conn))


def _leader(place: Place, work: str) -> str:
    with reading(place.world.engine) as conn:
        return next((each.holder for each in presence.led(conn) if each.work == work), "")


def _pid_of(place: Place, name: str) -> int:
    line = next(line for line in (place.folder / "log").read_text().splitlines() if f"{name} is started" in line)
    return int(line.rpartition(" ")[2])


def test_two_that_start_at_once_on_an_empty_database_share_the_work(empty: Callable[[], str], tmp_path: Path) -> None:
    url = empty()
    (tmp_path / "config.toml").write_text(CONFIG.format(url=url), encoding="utf-8")
    (tmp_path / ".env").write_text("MENTAT_SECRET=spice-must-flow-spice-must-flow\n", encoding="utf-8")
    command = [sys.executable, "-P", "-m", "bot", "run", "--workers", "1", "--config", str(tmp_path / "config.toml")]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    try:
        place = Place(tmp_path, url, datetime.now(UTC))
        place.new_games(GAMES[0])
        place.drop(place.asks("guild", GAMES[0], 1))
        place.until(lambda: place.left == 0 and len(place.sent()) == len(place.world.letters()))

        def roles() -> list[str]:
            with reading(place.world.engine) as conn:
                return sorted(each.role for each in presence.everybody(conn))

        place.until(lambda: roles() == ["reader", "reader", "worker", "worker"])
        place.world.engine.dispose()
    finally:
        for each in started:
            each.send_signal(signal.SIGTERM)
        assert [each.wait(_PATIENCE) for each in started] == [0, 0]


def test_several_workers_need_a_server(tmp_path: Path) -> None:
    World.at(tmp_path).engine.dispose()
    command = [sys.executable, "-P", "-m", "bot", "run", "--workers", "2", "--config", str(tmp_path / "config.toml")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
    assert ended.returncode == 2
    assert "needs a PostgreSQL server" in " ".join(ended.stderr.split())


def _stuck(role: str, _name: str, turned: Callable[[], None]) -> int:
    turned()
    time.sleep(600 if role == "worker" else 0.2)
    return 0


def test_a_process_whose_main_loop_does_not_turn_is_killed_and_started_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching = supervisor.Supervisor(1, _stuck, silent_seconds=0.5)
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # it runs in the process of the tests

    def ends() -> None:
        time.sleep(3)
        watching.stopping = True

    ending = threading.Thread(target=ends)
    ending.start()
    with caplog.at_level("ERROR"):
        assert watching.run() == 0
    ending.join()
    told = [record.getMessage() for record in caplog.records]
    assert any("has been stuck" in each for each in told)
    assert any("a worker has ended (killed by SIGKILL)" in each for each in told)
    assert any("a reader has ended (status 0) and is started again in 0.5 seconds" in each for each in told)
