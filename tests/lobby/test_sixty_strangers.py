"""Sixty strangers write to a real mailbox and find eight tables, although the process is killed repeatedly."""

from __future__ import annotations

import email
import random
import re
import smtplib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from bot.lobby.requests import Open
from bot.lobby.tables import open_table, settings_of
from bot.service.loop import poll, send
from bot.service.mail_servers import open_mailbox, open_transport
from bot.store import lobby as rows
from bot.store.database import reading
from bot.store.mail import LETTER
from bot.store.tables import SEAT
from tests.dovecot_server import Dovecot, why_not_here
from tests.end_to_end.post_office import PostOffice
from tests.lobby.people import OPEN_TO_ALL, Lobby
from tests.moderator.table import ADDRESS, World

PASSWORD = "melange"
TABLES, SEATS, DOMAINS = 8, 5, 6
JOINERS, LEAVERS, RETURNERS = 45, 5, 3
PEOPLE = [f"s{number:02}@town{number % DOMAINS}.example" for number in range(60)]
CONFIG = OPEN_TO_ALL.partition("[mailbox]")[0] + (
    '[mailbox]\nhost = "{host}"\nport = {imap}\nsecurity = "none"\nuser = "{address}"\n'
    '[smtp]\nhost = "{host}"\nport = {smtp}\nsecurity = "none"\n[lobby]\nwho = "anybody"\n'
)


class Killed(BaseException):
    """Simulates the death of the process."""


class Fuse:
    """Kills the process after `place` statements; a commit counts as a statement."""

    def __init__(self, world: World, place: int) -> None:
        self.left = place
        event.listen(world.engine, "before_cursor_execute", self._burn)
        event.listen(world.engine, "commit", self._burn)

    def _burn(self, *_: Any) -> None:
        self.left -= 1
        if self.left == 0:
            raise Killed


@dataclass
class Person:
    """Reads each letter as a person would, and presses one of its buttons."""

    address: str
    asks: str
    proves: bool = True
    leaves: bool = False
    returns: bool = False
    joined: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    returned: int = 0

    def answer(self, letter: EmailMessage, text: str) -> str:
        subject = re.sub(r"^\[[^\]]*\] ", "", str(letter["Subject"]))
        if not self.proves:
            return ""
        if subject.startswith(("You are in:", "You already have a seat there")):
            table = re.findall(r"leave ([a-z]+-\d+)", text)[0]
            self.joined.append(table)
            if self.leaves and not self.left:
                return f"leave {table}"
            return ""
        if subject.startswith("You have left"):
            self.left.append(subject.rpartition(" ")[2])
            if self.returns:
                self.returned += 1
                return "any open games?"
            return ""
        if self.left and not self.returns:
            return ""
        if subject.startswith(("One press", "A seat for you")) or "Still there?" in subject:
            return "yes"
        offered = re.findall(r"join ([a-z]+-\d+)", text)
        return f"join {offered[0]}" if offered else ""


@dataclass
class Town:
    """The mail server, the strangers, and a succession of Mentat processes."""

    lobby: Lobby
    office: PostOffice
    chance: random.Random
    people: dict[str, Person]
    deaths: int = 0
    seen: int = 0

    def post(self, person: Person, line: str, to: str = ADDRESS) -> None:
        raw = self.lobby.mail(person.address, line, to=to)
        with smtplib.SMTP(self.office.host, self.office.smtp_port) as smtp:
            smtp.sendmail(person.address, [to], raw)

    def take(self) -> None:
        """Read all mail; whenever the process is killed, another one continues."""
        Fuse(self.lobby.world, self.chance.randint(20, 700))
        while True:
            world = self.lobby.world
            try:
                poll(world.moderator, open_mailbox(world.settings), lambda: self.lobby.world.now)
                break
            except Killed:
                self.deaths += 1
                self.lobby.world = world.another_process()
                self.lobby.world.now = world.now
                if self.chance.random() < 0.5:
                    Fuse(self.lobby.world, self.chance.randint(20, 700))
        self.lobby.world = self.lobby.world.another_process()  # one without a fuse sends

    def go_by(self, hours: float) -> None:
        """Send letters, let time pass, and let people answer their letters in random order."""
        world = self.lobby.world
        send(world.outbox, open_transport(world.settings), world.now)
        self.lobby.wait(hours)
        send(world.outbox, open_transport(world.settings), world.now)
        answers = []
        new, self.seen = self.office.sent[self.seen :], len(self.office.sent)
        for sent in new:
            message = email.message_from_bytes(sent.raw, policy=policy.default)
            person = self.people.get(str(message["To"]))
            if person is None:
                continue
            part = message.get_body(("plain",))
            assert isinstance(message, EmailMessage)
            assert part is not None
            if line := person.answer(message, str(part.get_content())):
                answers.append((person, line, str(message["Reply-To"]).rpartition("<")[2].strip(">")))
        self.chance.shuffle(answers)
        for person, line, to in answers:
            self.post(person, line, to)


@pytest.fixture
def office() -> Iterator[PostOffice]:
    if reason := why_not_here():
        pytest.skip(reason)
    with Dovecot(dict.fromkeys((ADDRESS, *PEOPLE), PASSWORD)) as dovecot, PostOffice(dovecot) as made:
        yield made


@pytest.mark.slow
@pytest.mark.sqlite_only
def test_sixty_strangers_find_eight_tables(office: PostOffice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MENTAT_IMAP_PASSWORD", PASSWORD)
    config = CONFIG.format(host=office.host, imap=office.imap_port, smtp=office.smtp_port, address=ADDRESS)
    lobby = Lobby.at(tmp_path, config)
    chance = random.Random("sixty strangers")
    with lobby.session() as session:
        ids = [open_table(session, "", settings_of(session, Open(most=SEATS))).id for _ in range(TABLES)]
    people = {}
    for number, address in enumerate(PEOPLE):
        asks = chance.choice(["any open games?", "games", f"join {ids[number % TABLES]}", f"join {ids[0]} as guild"])
        joins = number < JOINERS
        people[address] = Person(address, asks, joins, number < LEAVERS, number < RETURNERS)
    town = Town(lobby, office, chance, people)
    waves = {
        0: [each for each in people.values() if each.leaves],
        2: [each for each in people.values() if not each.leaves],
    }
    for day in range(40):
        wave = waves.get(day, [])
        for person in chance.sample(wave, len(wave)):
            town.post(person, person.asks)
        town.take()
        town.go_by(3)
        with reading(lobby.world.engine) as conn:
            if all(each.state == "started" for each in rows.all_tables(conn)):
                break
    lobby = town.lobby
    with reading(lobby.world.engine) as conn:
        tables = rows.all_tables(conn)
        seats = conn.execute(select(SEAT.c.game_id, SEAT.c.address)).all()
        letters = conn.execute(
            select(LETTER.c.recipient, LETTER.c.game_id, LETTER.c.message_id).order_by(LETTER.c.id)
        ).all()
    assert [each.state for each in tables] == ["started"] * TABLES
    assert len(seats) == TABLES * SEATS == 40
    assert max(Counter(seat.address for seat in seats).values()) == 1
    assert sum(bool(person.left) for person in people.values()) == LEAVERS
    assert sum(bool(person.returned) for person in people.values()) == RETURNERS
    written = Counter(row.recipient for row in letters)
    assert max(written[address] for address, person in people.items() if not person.proves) == 1
    last = {row.recipient: row.game_id for row in letters if row.game_id}  # the proof of the draw follows it
    assert {seat.address: seat.game_id for seat in seats}.items() <= last.items()
    assert max(Counter(row.message_id for row in letters).values()) == 1
    sent = Counter(str(email.message_from_bytes(each.raw)["Message-ID"]) for each in office.sent)
    assert max(sent.values()) == 1
    assert town.deaths >= 5
