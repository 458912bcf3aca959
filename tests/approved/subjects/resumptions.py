"""What Mentat does again after a backup was put back: mails that were dealt with meanwhile, letters of which there are
copies, time that passed. What is told of it, and what has changed in the database.

An input is when it was held and goes on, and mails and copies of letters with the minutes after the backup at which
they came. The database is that of a game whose first question is open, or of one at its first bidding.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from bot.mail.kept_mail import KeptMessage, Put, SentCopy
from bot.service.resumption import CannotResume, resume
from bot.store import installation
from bot.store.database import open_database, while_held, writing
from tests.approved.subject import Subject
from tests.approved.subjects import command_lines
from tests.database_copies import put
from tests.moderator.table import CONFIG, World
from tests.transcripts.told import masked

PUTS: Sequence[Put] = ("processed", "shunted", "inbox")
_LINES = (
    "status",
    "pass",
    "traitor duncan-idaho",
    "note to self: nothing",
    "orders",
    "nonsense",
    "large",
    "ours",
    "unknown",
)
_MINUTES = (-61, -60, -5, 0, 1, 10, 59, 60, 119, 120, 121, 122, 123)


def _seeds() -> Iterator[str]:
    yield _input()
    yield _input(mails=[["guild", "status", 10, "processed"], ["atreides", "orders", 20, "inbox"]])
    yield _input(mails=[["guild", "status", 10, "inbox"], ["atreides", "orders", 20, "shunted"]], stopped=60)
    yield _input(mails=[["guild", "status", 130, "processed"]], held=120)
    yield _input(
        mails=[["guild", "unknown", 5, "processed"], ["harkonnen", "ours", 6, "processed"]], copies=[["guild", 5, ""]]
    )
    yield _input(copies=[["guild", 5, "Another subject"], ["atreides", 7, ""]], stopped=30, now=40)
    yield _input(mails=[["guild", "large", 10, "processed"]], place="game", directory=False)
    yield _input(held=None)
    yield _input(moved=True)
    yield _input(
        mails=[["guild", "status", 10, "processed"]], beats=[["mailbox", -5, True], ["service", 5, False]], canary=True
    )


def _input(**facts: Any) -> str:
    return json.dumps(facts)


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Another mail, copy or moment."""
    facts = json.loads(text)
    mail = [
        chance.choice(("guild", "atreides", "harkonnen", "nobody")),
        chance.choice(_LINES),
        chance.choice(_MINUTES),
        chance.choice(PUTS),
    ]
    for _ in range(chance.choice((1, 1, 2))):
        match chance.randrange(8):
            case 0 | 1 | 2:
                facts["mails"] = [*facts.get("mails", ()), mail][-4:]
            case 3:
                copy = [mail[0], mail[2], chance.choice(("", "", "Another subject"))]
                facts["copies"] = [*facts.get("copies", ()), copy][-3:]
            case 4:
                facts[chance.choice(("stopped", "held", "now"))] = chance.choice((None, *_MINUTES))
            case 5:
                facts["beats"] = [[chance.choice(("mailbox", "service")), mail[2], chance.randrange(2) == 0]]
            case 6:
                facts[chance.choice(("directory", "another"))] = chance.randrange(2) == 0
            case _ if facts:
                del facts[chance.choice(list(facts))]
    return json.dumps(facts)


@dataclass
class MailThatWasKept:
    """The folders of a mailbox."""

    mails: Sequence[KeptMessage]
    copies: dict[str, SentCopy]
    asked: list[str]

    def since(self, moment: datetime) -> Iterator[KeptMessage]:
        self.asked.append(f"mails since {moment:%d %H:%M}")
        return iter(sorted((mail for mail in self.mails if mail.arrived >= moment), key=lambda mail: mail.arrived))

    def newest(self, count: int) -> list[KeptMessage]:
        return list(self.mails[:count])

    def sent_since(self, moment: datetime) -> dict[str, SentCopy]:
        self.asked.append(f"copies since {moment:%d %H:%M}")
        return self.copies


def _told(text: str) -> str:
    facts = json.loads(text)
    place = command_lines._place(facts.get("place", "begun"))
    with command_lines._folder() as made, command_lines._as_ever():
        folder = Path(made).resolve()
        os.chdir(folder)
        put(place.database, folder / "mentat.db")
        told = "\n".join((*_resumed(folder, facts, place.now), *command_lines._changed(folder, place)))
    return masked(told.replace(str(folder), "FOLDER"))


def _resumed(folder: Path, facts: Any, copied: datetime) -> Iterator[str]:
    world = World.at(folder, CONFIG)
    world._serials = itertools.count(1000)

    def at(minutes: int) -> datetime:
        return copied + timedelta(minutes=minutes)

    _put_back(world, facts, copied, at)
    kept = MailThatWasKept(
        [_kept(world, mail, at) for mail in facts.get("mails", ())], dict(_copies(world, facts, at)), []
    )
    settings = world.settings
    if facts.get("directory") is False:
        settings = settings.model_copy(
            update={"smtp": settings.smtp.model_copy(update={"kind": "smtp", "host": "smtp.x"})}
        )
    stopped = None if facts.get("stopped") is None else at(facts["stopped"])
    engine = open_database(settings.database_place)
    try:
        done = resume(settings, engine, kept, at(facts.get("now") or 200), stopped)
        yield "\n".join(f"{name}: {value!s}" for name in done.__slots__ for value in (getattr(done, name),))
    except CannotResume as why:
        yield str(why)
    finally:
        yield ", ".join(kept.asked)
        world.engine.dispose()
        engine.dispose()


def _put_back(world: World, facts: Any, copied: datetime, at: Any) -> None:
    """The database is held, as one that was put back."""
    with writing(while_held(world.engine)) as conn:
        for name, minutes, failing in facts.get("beats", ()):
            installation.beat(conn, name, at(minutes))
            if failing:
                installation.note_failure(conn, name, at(minutes))
        if facts.get("moved"):
            installation.hold_moved(conn, "other.db", copied)
        elif facts.get("held", 100) is not None:
            held = at(facts.get("held", 100))
            installation.hold_restored(conn, copied, held, as_another=bool(facts.get("another")))


def _kept(world: World, mail: Sequence[Any], at: Any) -> KeptMessage:
    faction, line, minutes, where = mail
    sender = "" if faction != "nobody" else "nobody@elsewhere.example"
    seat = "guild" if sender else faction
    fields = {}
    if line in ("ours", "unknown"):
        token = world.token(seat)
        number = 1 if line == "ours" else 40
        fields = {"In_Reply_To": f"<sietch-12.{seat}.{number}.{token}@arrakis.example>"}
    raw = world.mail(seat, line, sender=sender, **fields)
    head = raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    return KeptMessage(where, f"{faction}-{minutes}", at(minutes), None if line == "large" else raw, len(raw), head)


def _copies(world: World, facts: Any, at: Any) -> Iterator[tuple[str, SentCopy]]:
    """Copies of letters to some seats; with another subject where one is given."""
    letters = world.letters()
    for faction, minutes, subject in facts.get("copies", ()):
        for sent in letters:
            if sent.faction == faction:
                yield str(sent.message["Message-ID"]).strip("<>"), SentCopy(at(minutes), subject or sent.subject)
        yield f"sietch-12.{faction}.50.aaaaaaaaaaaaaaaa@arrakis.example", SentCopy(at(minutes), "of the lost one")


SUBJECT = Subject("resumptions-long", ("bot.service",), _seeds, _vary, _told, slow=True)
