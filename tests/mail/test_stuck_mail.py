"""The mail loop over several days with a server that answers OK but does nothing, or that withholds a mail.

In every case the player gets one answer, clocks stop while mail is unread, the game master is told once, and there is
less than one FETCH a minute.
"""

from __future__ import annotations

import contextlib
import imaplib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, event

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.mail import imap
from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.mailbox import MailboxUnavailable, MaildirMailbox
from bot.moderator.moderator import Moderator
from bot.monitoring import checks
from bot.service import loop
from bot.service.mail_servers import open_mailbox
from bot.store import installation
from bot.store.database import reading
from bot.store.glance import take_glance
from rules.components import Faction
from tests.mail.scripted_server import HIDES, KEEPS, KEEPS_COPIED, Fault, ScriptedServer
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, START, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "emperor")
PLACES = 1 if os.environ.get("MENTAT_SLOW") else 11
"""Distance between the kill points that the test tries."""
PROCESSED, OTHER = "Mentat/Processed", "sietch-13"


class Lives(threading.Event):
    """Replaces the loop's waiting: instead of real time, the world's time passes, with deadlines and letters."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.until = world.now
        self.service: loop.Service | None = None

    def wait(self, timeout: float | None = None) -> bool:
        left = timedelta(seconds=timeout or 0)
        while left > timedelta() and not self.is_set():
            step = min(left, timedelta(minutes=15))
            self.world.now, left = self.world.now + step, left - step
            assert self.service
            self.service.see_that_it_turns()
            self.service.tick()
            self.service.send()
            if self.world.now >= self.until:
                self.set()
        return self.is_set()


class Patient(ImapMailbox):
    """Checks once for new mail, then lets the world's time pass."""

    def __init__(self, server: ImapServer, lives: Lives) -> None:
        super().__init__(server)
        self._lives = lives

    def wait(self, seconds: float) -> bool:
        return super().wait(0) or self._lives.wait(seconds)


class Nowhere:
    """A transport that discards every letter."""

    def send(self, envelope_from: str, to: str, letter: bytes) -> None: ...
    def close(self) -> None: ...


class NoScheduler:
    def __init__(self, **_: object) -> None: ...
    def add_job(self, *_: object, **__: object) -> None: ...
    def start(self) -> None: ...
    def shutdown(self, wait: bool) -> None: ...


class Post:
    """A world whose mail is on a scripted server."""

    def __init__(self, world: World, server: ScriptedServer) -> None:
        self.world, self.server = world, server
        self.place = ImapServer(server.host, server.port, "mentat", "spice", security="none", timeout=2)

    def run(self, hours: float) -> None:
        """Start `mentat run`, let it work for this many hours, and stop it."""
        lives = Lives(self.world)
        lives.until = self.world.now + timedelta(hours=hours)
        service = loop.Service(self.world.moderator, Patient(self.place, lives), Nowhere(), lambda: self.world.now)
        service._stopping, lives.service = lives, service
        service.run()

    def cron(self, hours: float, minutes: float = 15) -> None:
        """Run `mentat poll && mentat tick` every few minutes, each time in a new process."""
        for _ in range(round(hours * 60 / minutes)):
            with contextlib.suppress(MailboxUnavailable):
                self.poll()
            self.world.moderator.timekeeper.tick_now(self.world.now)
            self.world.now += timedelta(minutes=minutes)

    def poll(self) -> None:
        moderator = Moderator(self.world.settings, self.world.engine)
        with ImapMailbox(self.place) as mailbox:
            loop.poll(moderator, mailbox, lambda: self.world.now)

    def writes(self, faction: Faction, *more: str, game: str = GAME) -> int:
        line = self.world.line(faction, "traitor", game=game)
        return self.server.deliver(self.world.mail(faction, line, *more, game=game))

    def to_game_master(self) -> list[str]:
        return [sent.subject.removeprefix("[Mentat] ") for sent in self.world.letters(GAME_MASTER)]

    def answers(self, faction: Faction) -> int:
        return len([sent for sent in self.world.letters(faction) if sent.message["Auto-Submitted"] == "auto-replied"])

    def dues(self) -> set[datetime | None]:
        table = self.world.table()
        return {table.due(question) for question in table.play.questions()}

    def stuck(self) -> int:
        with reading(self.world.engine) as conn:
            return len(installation.stuck_mails(conn))


Living = Callable[[Post, float], None]
WAYS: dict[str, Living] = {"run": Post.run, "cron": Post.cron}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(imap, "_LOOK_PAUSE", 0.0)
    monkeypatch.setattr(loop, "BackgroundScheduler", NoScheduler)
    made = World.at(tmp_path, CONFIG.replace("[smtp]", "poll_seconds = 900\n[smtp]"))
    yield made
    made.engine.dispose()


@pytest.fixture
def post(world: World) -> Iterator[Post]:
    with ScriptedServer() as server:
        made = Post(world, server)
        made.poll()
        world.new_game(factions=FEW)
        yield made


@pytest.mark.parametrize("way", WAYS)
def test_a_server_without_faults_keeps_nobody_waiting(post: Post, way: str) -> None:
    post.writes("guild")
    WAYS[way](post, 23)
    assert post.world.asked().keys() == {"atreides", "emperor"}
    assert (post.answers("guild"), post.to_game_master(), post.server.waiting) == (1, [], set())
    assert len(post.server.moved_to(PROCESSED)) == 1
    WAYS[way](post, 2)
    assert "traitor" not in post.world.asked().get("atreides", [])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", HIDES)
def test_a_mail_that_is_not_handed_out_stops_the_clocks_until_it_is(post: Post, fault: Fault, way: str) -> None:
    server, world = post.server, post.world
    world.now += timedelta(hours=20)
    server.fault, server.faulty = fault, {post.writes("guild")}
    if fault == "long frame":
        post.place = replace(post.place, timeout=0.2)
    WAYS[way](post, 12)
    assert world.asked().keys() == set(FEW), "silence answers for nobody"
    assert post.to_game_master() == ["A message cannot be read: clocks are stopped"]
    assert server.commands["UID FETCH"] < 60, "in twelve hours"
    assert post.answers("guild") == 0
    post.writes("atreides")
    WAYS[way](post, 1)
    assert world.asked().keys() == {"guild", "emperor"}, "the mail behind it is read"
    server.fault = ""
    WAYS[way](post, 4)
    assert world.asked().keys() == {"emperor"}
    assert (post.answers("guild"), post.answers("atreides"), server.waiting, post.stuck()) == (1, 1, set(), 0)
    (due,) = post.dues()
    assert due is not None
    assert timedelta(hours=36) < due - START < timedelta(hours=41), "the time is given back"
    assert len(post.to_game_master()) == 1
    (told,) = {sent.text for sent in world.letters("emperor") if "The clocks were stopped" in sent.text}
    assert "as much time left as when they stopped" in " ".join(told.split())
    WAYS[way](post, 10)
    assert world.asked().get("emperor") != ["traitor"], "the clocks go on"


@pytest.mark.parametrize(
    ("fault", "extensions", "way"),
    [
        ("flag forgotten", "", "cron"),
        *(
            (fault, extensions, way)
            for faults, extensions in ((KEEPS, "MOVE UIDPLUS"), (KEEPS_COPIED, "UIDPLUS"), (KEEPS_COPIED, ""))
            for fault in faults
            for way in WAYS
        ),
    ],
)
def test_a_mail_that_cannot_be_moved_is_answered_once_and_holds_nobody_up(
    post: Post, fault: Fault, extensions: str, way: str
) -> None:
    server, world = post.server, post.world
    server.fault, server.extensions = fault, extensions
    server.faulty = {post.writes("guild")}
    WAYS[way](post, 12)
    assert post.to_game_master() == ["Mail cannot be moved out of the inbox"]
    assert post.answers("guild") == 1
    assert server.commands["UID FETCH"] < 10, "it is fetched once"
    assert server.commands["UID MOVE"] + server.commands["UID COPY"] + server.commands["UID STORE"] < 60
    assert len(server.moved_to(PROCESSED)) <= 2, "it is copied no more than once, or twice where MOVE copies"
    post.writes("emperor")
    WAYS[way](post, 1)
    assert world.asked().keys() == {"atreides"}
    WAYS[way](post, 12)
    assert world.asked().get("atreides") != ["traitor"], "no clock stands still"
    copies = len(server.moved_to(PROCESSED))
    server.fault = ""
    WAYS[way](post, 8)
    assert (server.waiting, post.stuck()) == (set(), 0)
    assert len(server.moved_to(PROCESSED)) <= max(2, copies)
    assert (post.answers("guild"), post.answers("emperor"), len(post.to_game_master())) == (1, 1, 1)


@pytest.mark.parametrize("way", WAYS)
def test_where_a_server_moves_only_a_copy_the_original_is_deleted(post: Post, way: str) -> None:
    post.server.fault = "moves a copy"
    post.writes("guild")
    WAYS[way](post, 6)
    assert (post.server.waiting, post.stuck(), post.to_game_master()) == (set(), 0, [])
    assert len(post.server.moved_to(PROCESSED)) == 2
    assert post.answers("guild") == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_over_which_the_connection_breaks_is_made_once(post: Post, way: str) -> None:
    post.server.fault, post.server.extensions = "copies and hangs up", ""
    post.writes("guild")
    WAYS[way](post, 6)
    assert (post.server.waiting, post.stuck(), post.to_game_master()) == (set(), 0, [])
    assert (len(post.server.moved_to(PROCESSED)), post.answers("guild")) == (1, 1)


@pytest.mark.parametrize("way", WAYS)
def test_a_mail_that_is_flagged_and_not_expunged_is_dealt_with(post: Post, way: str) -> None:
    post.server.fault, post.server.extensions = "expunge refused", "UIDPLUS"
    post.writes("guild")
    WAYS[way](post, 6)
    assert (post.server.waiting, post.stuck(), post.to_game_master()) == (set(), 0, [])
    assert (len(post.server.moved_to(PROCESSED)), post.answers("guild")) == (1, 1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", ["", "half a body", "NIL"])
def test_a_server_that_numbers_anew_in_each_session_is_read_all_the_same(post: Post, fault: Fault, way: str) -> None:
    server = post.server
    server.new_validity_each_time = True
    server.fault, server.faulty = fault, {post.writes("guild")}
    post.writes("atreides")
    WAYS[way](post, 30)
    assert (post.answers("guild"), post.answers("atreides")) == (not fault, 1)
    assert len(post.to_game_master()) == bool(fault)
    assert server.commands["UID FETCH"] < 120
    server.fault = ""
    WAYS[way](post, 4)
    assert (post.answers("guild"), server.waiting, post.stuck()) == (1, set(), 0)


@pytest.mark.parametrize("way", WAYS)
def test_a_size_that_is_an_estimate_keeps_no_mail_back(post: Post, way: str) -> None:
    post.server.sizes_are_estimates = True
    post.writes("guild")
    WAYS[way](post, 1)
    assert (post.answers("guild"), post.server.waiting, post.to_game_master()) == (1, set(), [])


@pytest.mark.parametrize("extensions", ["MOVE", "MOVE IDLE"])
def test_a_server_that_announces_mail_again_and_again_is_not_asked_without_end(post: Post, extensions: str) -> None:
    post.server.always_announces, post.server.extensions = True, extensions
    post.writes("guild")
    post.run(24)
    assert post.answers("guild") == 1
    assert post.server.commands["UID SEARCH"] < 24 * 60


def test_a_withheld_mail_that_somebody_moves_away_lets_the_clocks_go_on(post: Post) -> None:
    server = post.server
    server.fault, server.faulty = "NIL", {uid := post.writes("guild")}
    post.run(30)
    assert post.world.asked().keys() == set(FEW)
    server.remove(uid)
    post.run(1)
    assert post.stuck() == 0
    post.run(25)
    assert post.world.asked().get("guild") != ["traitor"]


def test_a_game_for_which_a_withheld_mail_cannot_be_goes_on(post: Post) -> None:
    post.world.new_game(factions=("emperor", "fremen"), game=OTHER)
    post.server.fault, post.server.faulty = "half a body", {post.writes("guild")}
    post.run(30)
    assert post.world.asked().keys() == set(FEW)
    assert "traitor" not in {kind for kinds in post.world.asked(OTHER).values() for kind in kinds}
    (told,) = post.world.letters(GAME_MASTER)
    assert f"the clocks of {GAME} are stopped" in " ".join(told.text.split())
    assert "from guild@players.example" in " ".join(told.text.split())


@pytest.mark.parametrize("fault", ["NIL", "half a body", "moves nothing", "no size"])
def test_one_letter_is_about_all_mail_that_is_stuck(post: Post, fault: Fault) -> None:
    post.server.fault = fault
    for faction in FEW:
        post.writes(faction)
        post.cron(0.5)
    post.cron(6)
    assert len(post.to_game_master()) == 1
    post.server.fault = ""
    post.cron(8)
    assert [post.answers(faction) for faction in FEW] == [1, 1, 1]
    assert (post.server.waiting, post.stuck(), len(post.to_game_master())) == (set(), 0, 1)


def test_a_game_that_its_game_master_lets_go_on_is_not_stopped_again(post: Post) -> None:
    post.server.fault = "NIL"
    post.writes("guild")
    post.run(1)
    clocks.resume(DeskRequest(post.world.moderator.open_games, GAME, post.world.now))
    post.run(30)
    assert "traitor" not in {kind for kinds in post.world.asked().values() for kind in kinds}
    assert len(post.to_game_master()) == 1


@pytest.mark.parametrize("fault", ["NIL", "moves nothing"])
def test_stuck_mail_is_seen_by_who_looks_at_the_machine(post: Post, fault: Fault) -> None:
    post.server.fault = fault
    post.writes("guild")
    post.cron(2)
    world = post.world
    with reading(world.engine) as conn:
        seen = take_glance(lambda sql: conn.exec_driver_sql(sql).all(), world.now)
    found = {each.about: each.state for each in checks.all_checks(seen, world.settings, world.now)}
    assert found["stuck mail"] == "note"
    assert found["deadlines"] == "well"
    with reading(world.engine) as conn:
        stopped = conn.exec_driver_sql("SELECT stopped_why FROM game").scalar_one()
    assert stopped == ("withheld" if fault == "NIL" else "")


def read_maildir(world: World) -> None:
    moderator = Moderator(world.settings, world.engine)
    with closing(open_mailbox(world.settings)) as mailbox, contextlib.suppress(MailboxUnavailable):
        loop.poll(moderator, mailbox, lambda: world.now)
    moderator.timekeeper.tick(world.now)


def test_a_file_that_cannot_be_read_stops_the_clocks_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    read_maildir(world)
    world.new_game(factions=FEW)
    (world.settings.mailbox.maildir / "new" / "1.guild").write_bytes(
        world.mail("guild", world.line("guild", "traitor"))
    )
    with monkeypatch.context() as patched:
        patched.setattr(MaildirMailbox, "_read", refused)
        for _ in range(30):
            read_maildir(world)
            world.now += timedelta(hours=1)
    assert world.asked().keys() == set(FEW)
    (told,) = world.letters(GAME_MASTER)
    assert "cannot be opened (Permission denied)" in " ".join(told.text.split())
    for _ in range(4):
        read_maildir(world)
        world.now += timedelta(hours=1)
    assert world.asked().keys() == {"atreides", "emperor"}
    world.now += timedelta(hours=24)
    read_maildir(world)
    assert "traitor" not in {kind for kinds in world.asked().values() for kind in kinds}


def test_a_file_that_cannot_be_moved_is_told_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    read_maildir(world)
    world.new_game(factions=FEW)
    place = world.settings.mailbox.maildir / "new" / "1.guild"
    place.write_bytes(world.mail("guild", world.line("guild", "traitor")))
    with monkeypatch.context() as patched:
        patched.setattr(os, "rename", refused)
        for _ in range(10):
            read_maildir(world)
            world.now += timedelta(hours=1)
    assert [sent.subject for sent in world.letters(GAME_MASTER)] == ["[Mentat] Mail cannot be moved out of the inbox"]
    assert len([sent for sent in world.letters("guild") if sent.message["Auto-Submitted"] == "auto-replied"]) == 1
    world.now += timedelta(hours=3)
    read_maildir(world)
    assert not place.exists()


class Killed(BaseException):
    """Simulates the death of the process."""


class Fuse:
    """Kills at point number `place`: before or after a command to the server, or before a commit."""

    def __init__(self, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place = self.passed = 0
        command = imaplib.IMAP4._command  # type: ignore[attr-defined]

        def burning(connection: object, *words: object) -> object:
            self.burn()
            tag = command(connection, *words)
            self.burn()
            return tag

        def committed(connection: Connection) -> None:
            if connection.get_execution_options().get("write"):
                self.burn()

        monkeypatch.setattr(imaplib.IMAP4, "_command", burning)
        event.listen(post.world.engine, "commit", committed)

    def burn(self) -> None:
        self.passed += 1
        if self.passed == self.place:
            raise Killed


def lived(post: Post, fault: Fault, extensions: str) -> tuple[object, ...]:
    """Run some hours with a fault and some without, restarting the process if it dies; return the outcome."""
    server, world = post.server, post.world
    server.fault, server.extensions = fault, extensions
    server.faulty = {post.writes("guild")}
    for hours in (0.1, 0.1, 1, 20, 4, 4, 4):
        if hours == 4:
            server.fault = ""
        for work in (post.poll, lambda: world.moderator.timekeeper.tick(world.now)):
            try:
                work()
            except Killed:
                work()
        world.now += timedelta(hours=hours)
    assert server.moved_to(PROCESSED)
    return (
        [sent.subject for sent in world.letters()],
        post.dues(),
        sorted(world.asked()),
        server.waiting,
        post.stuck(),
        [disposition for disposition, _ in world.messages()],
    )


@pytest.mark.parametrize(
    ("fault", "extensions"),
    [("half a body", "MOVE"), ("moves nothing", "MOVE"), ("copies nothing", ""), ("flag refused", "UIDPLUS")],
)
def test_wherever_the_process_dies_nothing_is_lost_or_answered_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault, extensions: str
) -> None:
    monkeypatch.setattr(imap, "_LOOK_PAUSE", 0.0)
    expected: tuple[object, ...] = ()
    place, places = 0, 1
    while place <= places:
        (folder := tmp_path / str(place)).mkdir()
        world = World.at(folder)
        with ScriptedServer() as server, monkeypatch.context() as patched:
            post = Post(world, server)
            post.poll()
            world.new_game(factions=FEW)
            fuse = Fuse(post, patched)
            fuse.place = place
            outcome = lived(post, fault, extensions)
        world.engine.dispose()
        expected = expected or outcome
        assert outcome == expected, f"after a death at {place}"
        places = max(places, fuse.passed if not place else 0)
        place += PLACES if place else 1
    assert places > 50
