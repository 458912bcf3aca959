"""Processes at work, one at a time and each turn of its loop as somebody says: the service, one of several workers, the
presence of a process, the publisher of the archive. What they do when, what is logged and told to systemd, and what has
come of it in the database.

An input is who is at work, and what happens at each rest: how many seconds pass, and what comes or breaks. Mailbox,
server, locks, threads and the clock are stand-ins.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

from bot.archive import site
from bot.archive.site import Built, FolderRefused
from bot.config.sections import MailboxSettings, SmtpSettings
from bot.moderator import outage
from bot.moderator.moderator import Moderator
from bot.service import loop, machine, outbox, presence, workers
from bot.service import publisher as publishing
from bot.service.machine import WallClock
from bot.store import installation as presences
from bot.store.database import writing_no_game
from tests.approved.service_stand_ins import (
    Duty,
    Event,
    Hours,
    Lead,
    Letterbox,
    Locks,
    Said,
    Scheduler,
    Thread,
    WayOut,
)
from tests.approved.subject import Subject
from tests.approved.subjects import command_lines
from tests.approved.subjects.command_lines import Place
from tests.database_copies import put
from tests.moderator.table import CONFIG, World
from tests.transcripts.told import masked

WHO = ("service", "worker", "presence", "publisher", "systemd")
MOST_STEPS = 8
_SPANS = (
    None, None, 0, 1, 2, 14, 15, 16, 29, 30, 60, 119, 120, 121, 180, 181, 300, 599, 600, 601, 3600, 86_000, 86_400
)  # fmt: skip
_EVENTS = (
    "mail guild status", "mail fremen pass", "mail nobody pass", "mail huge", "mailbox down", "mailbox up",
    "mailbox fault",
    "smtp deferred", "smtp refused", "smtp fault", "smtp up", "database down", "database up", "work fault", "work up",
    "others lead", "others leave", "jump 601", "jump -601", "jump 600", "silent", "speaks", "frozen a", "newer schema",
    "folder refused", "folder problems", "folder up", "stop",
)  # fmt: skip


def _seeds() -> Iterator[str]:
    for who in WHO:
        yield _input(who, [])
        yield _input(who, [[15], [30, "mail guild status"], [None]])
        yield _input(who, [[30, "mailbox down"], [30, "smtp deferred"], [200, "mailbox up"], [30, "smtp up"]])
        yield _input(who, [[30, "database down"], [30, "database up"], [30, "work fault"], [30, "work up"]])
        yield _input(who, [[30, "mail guild status", "smtp refused"], [86_400], [60], [60]])
        yield _input(who, [[30, "others lead"], [30, "others leave"], [30, "jump 700"], [30]])
        yield _input(who, [[40, "silent"], [181], [1]])
        yield _input(who, [[30, "frozen a"], [16], [16], [16, "newer schema"]])
        yield _input(who, [[3600, "folder refused"], [299], [1, "folder problems"], [3600, "folder up"], [3600]])
    yield _input("service", [[15], [15]], watchdog=30)


def _input(who: str, steps: Sequence[Any], **more: Any) -> str:
    return json.dumps({"who": who, "steps": steps, **more})


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Another span, something else that comes, another process, a step more or fewer."""
    given = json.loads(text)
    for _ in range(chance.choice((1, 1, 2, 3))):
        steps = given["steps"]
        place = chance.randrange(len(steps) + 1)
        match chance.randrange(8):
            case 0:
                given["who"] = chance.choice(WHO)
            case 1 if steps:
                del steps[chance.randrange(len(steps))]
            case 2 | 3:
                steps.insert(place, [chance.choice(_SPANS), *chance.sample(_EVENTS, chance.randrange(3))])
            case 4 if steps:
                steps[place - 1] = [chance.choice(_SPANS), *steps[place - 1][1:]]
            case 5:
                given[chance.choice(("workers", "slow", "watchdog", "waiting"))] = chance.choice(
                    (0, 1, 2, 3, 30, 59, 61, 90)
                )
            case _ if steps:
                steps[place - 1] = [*steps[place - 1], chance.choice(_EVENTS)]
        steps[MOST_STEPS:] = []
    given["workers"] = min(given.get("workers", 1), 3)
    return json.dumps(given)


# --- who is at work --------------------------------------------------------------------------------------------------


@contextmanager
def _stand_ins(hours: Hours) -> Iterator[None]:
    """Everywhere the stand-ins in place of the machine."""
    steady = SimpleNamespace(monotonic=lambda: hours.steady, sleep=hours.rest)
    threads = SimpleNamespace(Event=lambda: Event(hours), Thread=Thread, Lock=threading.Lock)
    log, handler = logging.getLogger("bot"), Said(hours)
    beats = outage.note_service_beat

    def service_beats(*given: Any) -> None:
        hours.breaks("work", RuntimeError("the sand got in"))
        beats(*given)

    with ExitStack() as patched:
        for module in (workers, workers, outbox):
            patched.enter_context(mock.patch.object(module, "time", steady))
        for module in (loop, workers, workers, presence, publishing):
            patched.enter_context(mock.patch.object(module, "threading", threads))
        for module in (loop, workers):
            patched.enter_context(mock.patch.object(module, "BackgroundScheduler", return_value=Scheduler(hours)))
        for module in (loop, workers, machine):
            tells = lambda *states: hours.say(f"systemd: {', '.join(states)}")  # noqa: E731
            patched.enter_context(mock.patch.object(module, "tell_systemd", tells))
        for place, stand_in in {
            "loop.publisher_of": lambda _: Duty(hours, "archive"), "loop.watch_of": lambda _: Duty(hours, "forums"),
            "worker.Lead": Lead, "reader.Lead": Lead, "certificates.certificate_ends": lambda *_: _ends(hours),
            "outage.service_beats": service_beats, "presence._version": lambda: "rules",
        }.items():  # fmt: skip
            module_name, _, name = place.partition(".")
            patched.enter_context(mock.patch.object(globals()[module_name], name, stand_in))
        patched.enter_context(mock.patch.object(log, "propagate", new=False))
        patched.enter_context(mock.patch.object(log, "handlers", [handler]))
        patched.callback(log.setLevel, log.level)
        log.setLevel(logging.INFO)
        yield


def _ends(hours: Hours) -> float | None:
    """Until when a certificate holds."""
    hours.breaks("mailbox", OSError("no answer"))
    return None if hours.wrong.get("smtp") else 1_800_000_000.0


def _told(text: str) -> str:
    given = json.loads(text)
    place = command_lines._place("over" if given["who"] == "publisher" else "game")
    hours = Hours(place.now, [list(step) for step in given["steps"]])
    with command_lines._folder() as made, command_lines._as_ever(), _stand_ins(hours):
        folder = Path(made).resolve()
        os.chdir(folder)
        if given.get("watchdog"):
            os.environ["WATCHDOG_USEC"] = str(given["watchdog"] * 1_000_000)
        _AT_WORK[given["who"]](hours, given, folder, place)
    return masked("\n".join(hours.told).replace(str(folder), "FOLDER"))


def _in_the_place(
    run: Callable[[Hours, Any, World], None],
) -> Callable[[Hours, Any, Path, Place], None]:
    """Somebody who works with a database, and what has changed there at the end."""

    def at_work(hours: Hours, given: Any, folder: Path, place: Place) -> None:
        put(place.database, folder / "mentat.db")
        world = World.at(folder, CONFIG + command_lines.FORUMS)
        settings = world.settings.model_copy(update={
            "mailbox": MailboxSettings(host="imap.example", user="mentat"), "smtp": SmtpSettings(host="smtp.example"),
        })  # fmt: skip
        world.moderator = Moderator(settings, world.engine)
        world._serials = itertools.count(1000)  # other mails than those that came before
        try:
            run(hours, given, world)
        except Exception as failure:
            hours.say(f"breaks off: {type(failure).__name__} {failure}")
        finally:
            world.engine.dispose()
        hours.told += command_lines._changed(folder, place)

    return at_work


def _service(hours: Hours, _given: Any, world: World) -> None:
    service = loop.Service(world.moderator, Letterbox(hours, world), WayOut(hours), hours.clock)
    service._wall_clock = WallClock(lambda: hours.steady)
    service._liveness = machine.Liveness(machine.LOOP_PATIENCE, lambda: hours.steady)
    hours.stop = service.stop
    hours.comes = lambda event: hours.happens("jump 10") if event == "silent" else None
    service.run()


def _worker(hours: Hours, given: Any, world: World) -> None:
    letters, locks = Letterbox(hours, world), Locks(hours, world.engine)
    with (
        mock.patch.object(workers, "ProcessLocks", return_value=locks),
        mock.patch.object(workers, "_end_at_once", side_effect=lambda: hours.say("ends at once")),
    ):
        clocks = workers.Clocks(hours.clock, hours.clock, hours.clock)
        working = workers.Worker(world.moderator, letters, WayOut(hours), "worker-a", clocks)
        working._wall_clock = WallClock(lambda: hours.steady)
        working._liveness = machine.Liveness(machine.LOOP_PATIENCE, lambda: hours.steady)
        other = loop.WaitingMail(world.moderator, locks, hours.clock)  # type: ignore[arg-type]  # a stand-in
        hours.stop = working.stop
        hours.comes = _others(hours, locks, other.take_one)
        hours.mails += ["guild status", "fremen pass"][: given.get("waiting", 1)]
        working.run()


def _others(hours: Hours, locks: Locks, works: Callable[[], object]) -> Callable[[str], None]:
    """What other processes do."""

    def comes(event: str) -> None:
        if event == "others lead":
            locks.taken_by_others |= {workers.CLOCK, workers.ARCHIVE, workers.FORUMS, workers.READING}
        elif event == "others leave":
            locks.taken_by_others.clear()
        elif event == "speaks":
            hours.say(f"another works: {works()}")

    return comes


def _presence(hours: Hours, given: Any, world: World) -> None:
    locks = Locks(hours, world.engine, {presences.lock_of_process("worker-b"), presences.lock_of_process("worker-c")})
    now = hours.now
    with writing_no_game(world.engine) as conn:
        for name, version, age in (("worker-b", "rules", 0), ("worker-c", "rules", 3), ("dead", "rules", 9)):
            strange = "others" if given.get("workers") == 3 and name == "worker-c" else version
            locks.asked_at[name] = now - timedelta(seconds=age)
            presences.note_presence(conn, presences.Presence(name, "host", strange, now, locks.asked_at[name]))

    def comes(event: str) -> None:
        if event == "speaks":
            locks.asked_at["worker-b"] = hours.now
        elif event == "frozen a":
            locks.asked_at["worker-c"] = hours.now
        elif event == "others lead":
            locks.taken_by_others |= {"running"}
        elif event == "newer schema":
            hours.wrong["schema"] = "9999"

    def newer_schema(_conn: object) -> str:
        return hours.wrong.get("schema", "")

    with (
        mock.patch.object(presence, "ProcessLocks", return_value=locks),
        mock.patch.object(presence, "newer_schema", newer_schema),
        mock.patch.object(socket, "gethostname", return_value="host"),
    ):
        if given.get("waiting"):
            hours.happens("others lead")
        present = presence.Present(world.engine, "worker-a", hours.clock, lambda: hours.say("may not work"))
        hours.comes, hours.stop = comes, present._ended.set
        hours.say(f"living: {[each.name for each in presence.living_processes(world.engine, locks)]}")  # type: ignore[arg-type]  # a stand-in
        present.begin()
        present._again_and_again()
        hours.say(f"why not: {present.why_not}")
        present.end()


def _publisher(hours: Hours, _given: Any, world: World) -> None:
    def build(folder: Path, finished: Sequence[Any], running: Sequence[Any], *_: Any) -> Built:
        hours.breaks("work", RuntimeError("the sand got in"))
        if hours.wrong.get("folder") == "refused":
            raise FolderRefused("The folder is not ours.")
        for game in (*finished, *running):
            try:
                hours.say(f"{game.id} is loaded: {type(game.load()).__name__}")
            except Exception as why:
                hours.say(f"{game.id}: {type(why).__name__}")
        problems = ["One page is too long."] if hours.wrong.get("folder") else []
        return Built([game.id for game in finished], len(running), 0, problems)

    publisher = publishing.Publisher(world.engine, Path("site"), 60)
    going = [True]
    hours.stop = lambda: going.clear()
    with mock.patch.object(site, "build", build):
        while going:
            hours.say(f"{hours.now:%d %H:%M:%S}: {publisher.look(hours.now)}")
            hours.rest(30)
        publisher.stop()
        hours.say(f"{publisher.look(hours.now + timedelta(hours=2))}")
    hours.say(f"{publishing.Publisher(world.engine, None, 60).look(hours.now)}")


def _systemd(hours: Hours, given: Any, _folder: Path, _place: Place) -> None:
    """What this process hears of systemd, and how long a loop may rest."""
    for pid in (None, str(os.getpid()), str(os.getpid() + 1), "x"):
        os.environ.pop("WATCHDOG_PID", None)
        if pid:
            os.environ["WATCHDOG_PID"] = pid
        hours.say(f"watchdog {machine.watchdog_seconds()}")
    turning = machine.Liveness(75, lambda: hours.steady)
    clock = WallClock(lambda: hours.steady)
    while hours.steps:
        turning.turned(given.get("slow", 0)) if hours.wrong.get("mailbox") else None
        hours.rest()
        hours.say(f"alive {turning.alive()}, jumped {clock.jumped(hours.now):g}")
    servers = loop.Certificates(
        SimpleNamespace(mailbox=SimpleNamespace(kind="maildir"), smtp=SimpleNamespace(kind="directory")), None  # type: ignore[arg-type]  # none is asked
    )  # fmt: skip
    hours.say(f"certificates {servers._ends()}")


_AT_WORK: dict[str, Callable[[Hours, Any, Path, Place], None]] = {
    "service": _in_the_place(_service), "worker": _in_the_place(_worker), "presence": _in_the_place(_presence),
    "publisher": _in_the_place(_publisher), "systemd": _systemd,
}  # fmt: skip


SUBJECT = Subject("services-long", ("bot.service",), _seeds, _vary, _told, slow=True)
