"""The running service reads waiting mail before deadlines expire and stops deadlines when its clock jumps."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine

from bot.mail.mailbox import MailboxUnavailable, MaildirMailbox
from bot.service.loop import LONGEST_PAUSE, Service
from bot.service.machine import WallClock, utc_now
from bot.service.mail_servers import open_mailbox, open_transport
from bot.store import installation
from bot.store.database import DatabaseUnavailable, reading
from rules.components import Faction
from tests.moderator.table import CONFIG, GAME_MASTER, START, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


class OneLook:
    """A real mailbox that stops its service instead of letting it wait for more mail."""

    def __init__(self, world: World, clock: Callable[[], datetime] = utc_now) -> None:
        self._box = open_mailbox(world.settings)
        assert isinstance(self._box, MaildirMailbox)
        self.fetch_new, self.done, self.shunt, self.close = (
            self._box.fetch_new, self._box.done, self._box.shunt, self._box.close,
        )  # fmt: skip
        self.service = Service(world.moderator, self, open_transport(world.settings), clock)

    def wait(self, seconds: float) -> bool:
        self.service.stop()
        return False


def put(world: World, raw: bytes) -> None:
    inbox = Path(world.settings.mailbox.maildir) / "new"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / "1.mail").write_bytes(raw)


def test_an_answer_that_came_while_the_service_was_down_is_not_too_late(world: World) -> None:
    world.new_game(factions=FEW)
    put(world, world.mail("guild", world.line("guild", "traitor")))
    with time_machine.travel(START + timedelta(days=3), tick=False):
        OneLook(world).service.run()
    replies = [sent for sent in world.letters("guild") if sent.message["Auto-Submitted"] == "auto-replied"]
    assert len(replies) == 1
    assert "Taken from your mail: traitor" in replies[0].text


def test_a_service_is_given_its_clock_and_finds_no_jump_in_it(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:  # fmt: skip
    world.new_game(factions=FEW)
    times = iter(START + timedelta(hours=10) * (n // 4) for n in range(100))
    look = OneLook(world, lambda: next(times))
    look.service.run()
    look.service.tick()
    look.service.tick()
    assert "jumped" not in caplog.text
    with reading(world.engine) as conn:
        known = installation.heartbeat(conn, "service")
    assert known is not None
    assert START <= known.at < START + timedelta(days=30), "the machine's clock was not asked"


def test_the_time_for_which_the_service_was_down_is_given_back_before_its_first_look_into_the_mailbox(
    world: World,
) -> None:
    world.new_game(factions=FEW)
    with time_machine.travel(START, tick=False):
        OneLook(world).service.run()
    with time_machine.travel(START + timedelta(hours=10), tick=False):
        OneLook(world).service.run()
    table = world.table()
    assert {table.due(q) for q in table.play.questions()} == {START + timedelta(hours=34)}


def test_no_deadline_passes_before_the_mail_has_been_read(world: World) -> None:
    world.new_game(factions=FEW)
    look = OneLook(world)
    with time_machine.travel(START + timedelta(days=3), tick=False):
        look.service.tick()
        assert world.asked().keys() == set(FEW)
        look.service.run()
    assert world.table().entries > 0


def test_a_clock_that_jumps_stops_deadlines_until_the_mailbox_is_read_and_the_game_master_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.service.loop.WallClock", lambda: WallClock(lambda: 0.0))
    world.new_game(factions=FEW)
    look = OneLook(world)
    with time_machine.travel(START, tick=False):
        look.service.run()
    with time_machine.travel(START + timedelta(days=2), tick=False):
        look.service.tick()
        look.service.tick()
    told = [sent for sent in world.letters(GAME_MASTER) if "jumped" in sent.subject]
    assert len(told) == 1
    assert "48 h 0 min forward" in " ".join(told[0].text.split())
    table = world.table()
    assert {table.due(q) for q in table.play.questions()} == {START + timedelta(days=3)}  # players get the time back


def test_the_service_leaves_its_pulse(world: World) -> None:
    look = OneLook(world)
    at = datetime(2026, 11, 22, 12, tzinfo=UTC)
    with time_machine.travel(at, tick=False):
        look.service.tick()
    with reading(world.engine) as conn:
        known = installation.heartbeat(conn, "service")
    assert known
    assert known.at == at


@pytest.mark.parametrize("work", ["tick", "send", "run"])
def test_what_ails_the_database_stands_in_the_log_and_the_service_goes_on(
    world: World, work: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    look = OneLook(world)

    def ails(*_: object) -> None:
        look.service.stop()
        raise DatabaseUnavailable("The disk is full.")

    monkeypatch.setattr(
        "bot.service.loop.send" if work == "send" else "bot.service.loop.outage.note_service_beat", ails
    )
    getattr(look.service, work)()
    told = [record.getMessage() for record in caplog.records if record.exc_info is None]
    assert told[-1:] == ["The disk is full. Mentat will try again."]


def test_a_trouble_of_the_database_is_told_once_and_then_that_it_is_over(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = OneLook(world).service

    def ails(*_: object) -> None:
        raise DatabaseUnavailable("The disk is full.")

    with monkeypatch.context() as full, caplog.at_level("WARNING"):
        full.setattr("bot.service.loop.send", ails)
        full.setattr("bot.service.loop.outage.note_service_beat", ails)
        full.setattr("bot.service.machine.installation.beat", ails)
        for _ in range(3):
            service.tick()
            service.send()
            service.see_that_it_turns()
    service.see_that_it_turns()
    told = [record.getMessage() for record in caplog.records]
    assert told == ["The disk is full. Mentat will try again.", "the database can be used again"]


def test_while_it_waits_for_mail_the_service_looks_after_deadlines_and_sends_letters(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = OneLook(world)
    done = {"tick": threading.Event(), "send": threading.Event()}
    came: list[bool] = []

    def wait(_seconds: float) -> bool:
        for event in done.values():
            event.clear()
        came.extend(event.wait(5) for event in done.values())
        look.service.stop()
        return False

    for work, event in done.items():
        monkeypatch.setattr(f"bot.service.loop.{work.upper()}_SECONDS", 0.05)
        monkeypatch.setattr(look.service, work, event.set)
    monkeypatch.setattr(look, "wait", wait)
    look.service.run()
    assert came == [True, True]


@pytest.mark.parametrize(
    ("config", "works"),
    [
        ("", set()),
        ('[archive]\nfolder = "site"\n', {"publish"}),
        ('[forums.arrakis]\nkind = "paste"\ndialect = "text"\n', {"look_after_forums"}),
    ],
)
def test_the_service_looks_after_an_archive_and_forums_where_the_settings_name_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, works: set[str]
) -> None:
    world = World.at(tmp_path, CONFIG + config)
    monkeypatch.setattr("bot.service.loop.PUBLISH_SECONDS", 0.02)
    monkeypatch.setattr("bot.service.loop.FORUM_SECONDS", 0.02)
    look = OneLook(world)
    came = {"publish": threading.Event(), "look_after_forums": threading.Event()}

    def wait(_seconds: float) -> bool:
        assert all(came[work].wait(5) for work in works)
        came["publish"].wait(0.1)
        look.service.stop()
        return False

    for work, event in came.items():
        monkeypatch.setattr(look.service, work, event.set)
    monkeypatch.setattr(look, "wait", wait)
    look.service.run()
    assert {work for work, event in came.items() if event.is_set()} == works
    world.engine.dispose()


def test_deadlines_are_looked_after_at_once_when_the_mail_was_read_for_the_first_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, ticks, looks = OneLook(world), list[int](), list[float]()

    def wait(seconds: float) -> bool:
        looks.append(seconds)
        if len(looks) == 3:
            look.service.stop()
        return False

    monkeypatch.setattr(look, "wait", wait)
    monkeypatch.setattr(look.service, "tick", lambda: ticks.append(len(looks)))
    look.service.run()
    assert (len(looks), ticks) == (3, [0])


def test_a_mailbox_that_stays_away_is_tried_again_in_longer_and_longer_pauses(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, paused = OneLook(world), list[float]()

    def away(*_: object) -> None:
        raise MailboxUnavailable("nobody answers")

    def pause(seconds: float) -> bool:
        paused.append(seconds)
        if len(paused) == 12:
            look.service.stop()
        return True

    monkeypatch.setattr("bot.service.loop.poll", away)
    monkeypatch.setattr(look.service._stopping, "wait", pause)
    look.service.run()
    assert paused == [min(2.0**n, LONGEST_PAUSE) for n in range(12)]
