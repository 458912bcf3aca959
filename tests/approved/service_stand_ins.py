"""Stand-ins for what processes at work need: the clock, mailbox, way out, locks, threads and the log. What each does
follows from the ``Hours`` of the input, which also note what happens (``tests.approved.subjects.services``)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bot.mail.mailbox import FetchedMail, MailboxUnavailable
from bot.mail.transport import SendDeferred, SendRefused
from bot.store.database import DatabaseUnavailable
from bot.store.installation import lock_of_process
from tests.moderator.table import World


@dataclass
class Hours:
    """The clock, what happens at each rest, and all that was done so far."""

    now: datetime
    steps: list[list[Any]]
    steady: float = 1000.0
    told: list[str] = field(default_factory=list)
    wrong: dict[str, str] = field(default_factory=dict)
    jobs: list[list[Any]] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)
    stop: Callable[[], None] = lambda: None
    comes: Callable[[str], None] = lambda event: None
    most: int = 400

    def clock(self) -> datetime:
        return self.now

    def say(self, what: str) -> None:
        self.told.append(what)

    def rest(self, seconds: float = 0.0, why: str = "") -> None:
        """Somebody rests for so long; then something happens, and what is due is done."""
        if why:
            self.say(f"rests {seconds:g} s ({why})")
        self.most -= 1
        if not self.steps or self.most < 0:
            self.stop()
            self.steady += seconds
            return
        span, *events = self.steps.pop(0)
        for event in events:
            self.happens(event)
        passed = seconds if span is None else span
        self.now += timedelta(seconds=passed)
        self.steady += passed
        for job in self.jobs:
            if self.steady >= job[2]:
                job[2] = self.steady + job[1]
                self.say(f"job {job[0].__name__}")
                job[0]()

    def happens(self, event: str) -> None:
        kind, _, rest = event.partition(" ")
        if kind in ("mailbox", "smtp", "database", "work", "folder"):
            self.wrong[kind] = "" if rest == "up" else rest
        elif kind == "mail":
            self.mails.append(rest)
        elif kind == "jump":
            self.now += timedelta(seconds=int(rest))
        elif kind == "stop":
            self.stop()
        else:
            self.comes(event)

    def breaks(self, what: str, otherwise: Exception) -> None:
        """What is broken just now raises."""
        if self.wrong.get("database") and what != "mailbox":
            raise DatabaseUnavailable("The database is away")
        if wrong := self.wrong.get(what):
            raise RuntimeError("the sand got in") if wrong == "fault" else otherwise


class Event:
    """Of a thread."""

    def __init__(self, hours: Hours) -> None:
        self._hours, self._is_set = hours, False

    def set(self) -> None:
        self._is_set = True

    def clear(self) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, seconds: float) -> bool:
        if not self._is_set:
            self._hours.rest(seconds, "waits")
        return self._is_set


@dataclass
class Thread:
    """A thread that does its work when it is joined."""

    target: Callable[[], None]
    name: str = ""
    daemon: bool = False

    def start(self) -> None:
        """It is done at the end."""

    def join(self) -> None:
        self.target()


@dataclass
class Scheduler:
    """Rings when somebody rests."""

    hours: Hours

    def add_job(self, work: Callable[[], None], _kind: str, seconds: float) -> None:
        self.hours.say(f"every {seconds:g} s {work.__name__}")
        self.hours.jobs.append([work, seconds, self.hours.steady + seconds])

    def start(self) -> None:
        self.hours.say("the bell is set")

    def shutdown(self, *, wait: bool) -> None:
        self.hours.say(f"the bell is taken away, waiting {wait}")
        self.hours.jobs.clear()


@dataclass
class Letterbox:
    """A mailbox, and a way out."""

    hours: Hours
    world: World
    waits: dict[str, FetchedMail] = field(default_factory=dict)

    def fetch_new(self) -> Iterator[FetchedMail]:
        self.hours.breaks("mailbox", MailboxUnavailable("The mailbox is away"))
        for said in self.hours.mails:
            key = f"mail-{len(self.waits) + 1}"
            faction, _, line = said.partition(" ")
            if faction == "huge":
                self.waits[key] = FetchedMail(key, None, 9_999_999, b"From: guild@players.example\r\n\r\n")
                continue
            sender = "" if faction != "nobody" else "nobody@elsewhere.example"
            raw = self.world.mail("guild" if sender else faction, line, sender=sender)
            self.waits[key] = FetchedMail(key, raw, len(raw))
        self.hours.mails.clear()
        yield from list(self.waits.values())

    def done(self, key: str) -> None:
        self.hours.say(f"{key} is done")
        self.waits.pop(key, None)

    def shunt(self, key: str, reason: str) -> None:
        self.hours.say(f"{key} is set aside: {reason}")
        self.waits.pop(key, None)

    def wait(self, seconds: float) -> bool:
        self.hours.rest(seconds, "for mail")
        return False

    def close(self) -> None:
        self.hours.say("the mailbox is let go")


@dataclass
class WayOut:
    """Where letters go."""

    hours: Hours

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        refused = self.hours.wrong.get("smtp") == "refused"
        self.hours.breaks("smtp", SendRefused("No such mailbox") if refused else SendDeferred("Later"))
        self.hours.say(f"a letter goes to {to}")

    def close(self) -> None:
        self.hours.say("the way out is closed")


@dataclass
class Locks:
    """The locks of one process among others."""

    hours: Hours
    engine: Any
    taken_by_others: set[str] = field(default_factory=set)
    had: set[str] = field(default_factory=set)
    asked_at: dict[str, datetime] = field(default_factory=dict)
    """When each of the others has asked the server something last."""

    def reach(self) -> None:
        self.hours.breaks("locks", RuntimeError())

    def take(self, work: str) -> bool:
        self.hours.breaks("locks", RuntimeError())
        self.had |= {work} - self.taken_by_others
        return work in self.had

    share = take

    def holds(self, work: str) -> bool:
        return work in self.had and work not in self.taken_by_others

    def give_back(self, work: str) -> None:
        self.hours.say(f"gives back: {work}")
        self.had.discard(work)

    def is_taken(self, work: str) -> bool:
        return work in self.had | self.taken_by_others

    def wait(self, seconds: float) -> bool:
        self.hours.rest(seconds, "for a hint")
        return False

    def silent_seconds(self, program: str) -> float:
        return (self.hours.now - self.asked_at.get(program, self.hours.now)).total_seconds()

    def end_sessions(self, program: str) -> None:
        self.hours.say(f"the connections of {program} are ended")
        self.taken_by_others.discard(lock_of_process(program))

    def close(self) -> None:
        self.hours.say("the locks are let go")


@dataclass
class Lead:
    """The lead of some work."""

    direct: Locks
    work: str
    holder: str
    number: int = 0

    def taken(self, _now: datetime) -> bool:
        if self.number and self.direct.holds(self.work):
            return True
        self.number = self.number + 1 if self.direct.take(self.work) else 0
        return bool(self.number)

    @contextmanager
    def fenced(self) -> Iterator[None]:
        self.direct.hours.say(f"leads {self.work}")
        yield

    def give_back(self) -> None:
        self.number = 0
        self.direct.give_back(self.work)


@dataclass
class Duty:
    """The archive's folder, or the forums."""

    hours: Hours
    name: str

    def look(self, _now: datetime) -> None:
        self.hours.breaks("work", RuntimeError("the sand got in"))
        self.hours.say(f"looks after the {self.name}")

    def stop(self) -> None:
        self.hours.say(f"leaves the {self.name}")


class Said(logging.Handler):
    """What is logged."""

    def __init__(self, hours: Hours) -> None:
        super().__init__()
        self._hours = hours

    def emit(self, record: logging.LogRecord) -> None:
        fault = f" [{record.exc_info[0].__name__}]" if record.exc_info and record.exc_info[0] else ""
        about = " ".join(str(getattr(record, name, "")) for name in ("event", "game", "message_key"))
        self._hours.say(f"{record.levelname} {about.strip()}: {record.getMessage()}{fault}")
