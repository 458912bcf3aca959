"""Players by mail: made-up people who read the letters in their own mailbox and answer through their mail program.

A player knows nothing of the game but what their letters say, so nothing here imports the rules. Players find the
questions and the legal orders in the form in the newest letter, choose by simple preferences of their own, and send
their answer. Now and then they mistype or order something foolish, as people do; Mentat's answer tells them what is
still open, and they try again. They also enter tournaments, confirm, and take the seats that they are offered.

The demo, the tournament demo, the simulation, the event and the measurement of pace all use these people. The
differences between the people are data (``Habits``): some forget letters, send a mail twice, never show up, or take
hours to answer.

*How letters reach them*: from a real mailbox (``MailClient``), or from any collection of letters (``People``). The
people of a simulation play in several games with the same address. Their answers in a game depend only on the letters
of that game, so it does not matter in which order the letters of several games arrive.

*Mail programs*: six functions write an answer as six mail programs would. Each function takes the letter to be answered
and the player's lines. It quotes the letter below the answer, above it or not at all, and writes text, HTML or both in
the program's usual transfer encoding.
"""

from __future__ import annotations

import base64
import contextlib
import email
import hashlib
import html
import math
import quopri
import re
import smtplib
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from email import policy
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.utils import format_datetime, parseaddr
from functools import lru_cache, wraps
from random import Random
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from imapclient import IMAPClient

if TYPE_CHECKING:
    from bot.lab.local_mail import LocalMail


@dataclass(frozen=True, slots=True)
class Habits:
    """People's habits in answering letters. One in ``forgets`` letters stays unanswered, one in ``mistypes`` answers
    has a typo, and one in ``sends_twice`` answers is sent twice; 0 means never.

    If ``silent`` is set, they never send an order. ``confirms`` and ``accepts`` are true if they confirm an entry and
    accept a seat. After ``leaves_after`` answers they stop writing; 0 means never. ``median_hours`` is the median time
    that they take to answer; 0 for no delay.
    """

    mistypes: int = 40
    forgets: int = 0
    sends_twice: int = 0
    silent: bool = False
    confirms: bool = True
    accepts: bool = True
    leaves_after: int = 0
    median_hours: float = 0.0


IN_DEMOS = Habits()
SIMULATED = Habits(forgets=40, sends_twice=30, confirms=False)
PACED = Habits(forgets=20, median_hours=8.0)


@dataclass(frozen=True, slots=True)
class Original:
    subject: str
    sender: str
    reply_to: str
    message_id: str
    references: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Writer:
    """The author of an answer. ``number`` counts the author's answers and becomes part of the Message-ID."""

    name: str
    address: str
    number: int


Program = Callable[[Original, Writer, Sequence[str], datetime], bytes]


@dataclass(frozen=True, slots=True)
class Body:
    """The body of an answer. Message-IDs from the author's mail program begin with ``mark``."""

    mark: str
    content: str
    kind: str = "text/plain; charset=utf-8"
    encoding: str = "8bit"
    charset: str = "utf-8"


def mail_program(write: Callable[[Original, Writer, Sequence[str]], Body]) -> Program:
    @wraps(write)
    def program(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
        body = write(original, writer, lines)
        host = writer.address.rpartition("@")[2]
        answered = original.subject if original.subject.startswith("Re: ") else f"Re: {original.subject}"
        head = [
            f"From: {writer.name} <{writer.address}>",
            f"To: Mentat <{original.reply_to}>",
            f"Subject: {answered}",
            f"Date: {format_datetime(now)}",
            f"Message-ID: <{body.mark}.{writer.number}.{writer.address.partition('@')[0]}@{host}>",
            f"In-Reply-To: {original.message_id}",
            f"References: {original.references} {original.message_id}".rstrip(),
            "MIME-Version: 1.0",
            f"Content-Type: {body.kind}",
            f"Content-Transfer-Encoding: {body.encoding}",
        ]
        text = "\n".join([*head, "", body.content])
        return text.replace("\r\n", "\n").replace("\n", "\r\n").encode(body.charset, "replace")

    return program


@mail_program
def gmail(original: Original, writer: Writer, lines: Sequence[str]) -> Body:
    """Put the answer above the quote, in text and HTML, with the quote in a `gmail_quote` container."""
    said = f"On {original.date}, Mentat <{original.sender}> wrote:"
    text = "\n".join([*lines, "", said, "", *_quoted(original.text)])
    above = "".join(f"<div>{html.escape(line)}</div>" for line in lines)
    page = (
        f'<div dir="ltr">{above}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">'
        f'{html.escape(said)}<br></div><blockquote class="gmail_quote">{_broken(original.text)}</blockquote></div>'
    )
    boundary = f"0000000000{writer.number:06d}"
    parts = "".join(
        f'--{boundary}\r\nContent-Type: {kind}; charset="UTF-8"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{body}\r\n'
        for kind, body in (("text/plain", text), ("text/html", page))
    )
    return Body("CA", f"{parts}--{boundary}--\r\n", f'multipart/alternative; boundary="{boundary}"')


@mail_program
def outlook(original: Original, writer: Writer, lines: Sequence[str]) -> Body:
    """Put the answer above the quoted letter, which begins with a block of header fields; write HTML only, encoded in
    base64."""
    body = "".join(f'<p class="MsoNormal">{html.escape(line)}<o:p></o:p></p>' for line in lines)
    head = (
        f"<b>From:</b> Mentat &lt;{original.sender}&gt;<br><b>Sent:</b> {html.escape(original.date)}<br>"
        f"<b>To:</b> {writer.address}<br><b>Subject:</b> {html.escape(original.subject)}"
    )
    page = (
        f"<html><head><style>p.MsoNormal {{margin:0}}</style></head><body>{body}"
        f'<div id="divRplyFwdMsg"><hr>{head}</div><div>{_broken(original.text)}</div></body></html>'
    )
    return Body("AM0PR", base64.encodebytes(page.encode()).decode("ascii"), "text/html; charset=utf-8", "base64")


@mail_program
def iphone(original: Original, writer: Writer, lines: Sequence[str]) -> Body:
    text = "\n".join(
        [*lines, "", "Sent from my iPhone", "", f"> On {original.date}, Mentat <{original.sender}> wrote:", "> "]
        + [f"> \ufeff{line}" if number == 0 else f"> {line}" for number, line in enumerate(original.text.split("\n"))]
    )
    return Body("9C1B", quopri.encodestring(text.encode()).decode("ascii"), encoding="quoted-printable")


@mail_program
def thunderbird(original: Original, writer: Writer, lines: Sequence[str]) -> Body:
    """Put the answer inside the quoted form: tick the box of each line that is in the form, and add all other lines
    below the form."""
    left = list(lines)
    quoted = []
    for line in original.text.split("\n"):
        order = line.removeprefix("[ ] ")
        if order != line and order in left:
            left.remove(order)
            line = f"[x] {order}"
        quoted.append(f"> {line}")
    said = f"Am {original.date} schrieb Mentat <{original.sender}>:"
    return Body("f3a1", "\n".join([said, *quoted, "", *left, ""]))


@mail_program
def flowed(original: Original, writer: Writer, lines: Sequence[str]) -> Body:
    text = "\n".join([*lines, "", "-- ", writer.name, "Siridar-Governor, retired", ""])
    return Body("fl", text, "text/plain; charset=us-ascii; format=flowed", "7bit")


@mail_program
def webmail(original: Original, writer: Writer, lines: Sequence[str]) -> Body:
    listed = [f"- {line}" for line in lines]
    head = ["----- Original Message -----", f"From: {original.sender}", f"Subject: {original.subject}", ""]
    text = "\n".join(["Hello,", "", *listed, "", *head, *_quoted(original.text)])
    return Body("wm", text, "text/plain; charset=iso-8859-1", charset="latin-1")


PROGRAMS: tuple[Program, ...] = (gmail, outlook, iphone, thunderbird, flowed, webmail)


def _quoted(text: str) -> list[str]:
    return [f"> {line}" if line else ">" for line in text.split("\n")]


def _broken(text: str) -> str:
    return html.escape(text).replace("\n", "<br>\n")


_FORM = re.compile(r"^\[form \w+\]$(.*?)^\[end of form \w+\]$", re.MULTILINE | re.DOTALL)
QUIET = "waive reactions until mentat"
_TURN = " turn _"
_TURNS = 10
_CONFIRMS = "with the word yes or confirm"
_OFFERED = "To take it, write: accept"
_LAST_TURN = re.compile(r"a\s+turn\s+from\s+1\s+to\s+(\d+)")

# The taste of a player with a little ambition: words of an order, and how many times as often it is chosen.
_TASTE = {
    "no ": 0.3,
    "pass": 0.5,
    "pass all": 0.5,
    "bid up to": 2.0,
    "give": 0.05,
    "bid karama": 0.2,
    "ship": 3.0,
    "move": 3.0,
    "plan": 1.0,
    "revive": 3.0,
    "charity": 5.0,
    "ally": 0.6,
    "break": 0.2,
    "karama": 0.3,
}
_STRONGHOLDS = ("Arrakeen", "Carthag", "Tuek's Sietch", "Sietch Tabr", "Habbanya Ridge Sietch")


class Dice:
    """A small stream of random numbers that depends only on the given words, so that a demo with the same seed repeats
    exactly."""

    def __init__(self, *words: object) -> None:
        self._state = hashlib.sha256(repr(words).encode()).digest()

    def below(self, size: float) -> float:
        self._state = hashlib.sha256(self._state).digest()
        return int.from_bytes(self._state[:7], "big") / 2**56 * size


@dataclass(frozen=True, slots=True)
class Mail:
    to: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Letter:
    raw: bytes
    message: EmailMessage


_READING = policy.default.clone(header_factory=lru_cache(1_000)(HeaderRegistry()))
"""A caching policy: without it, the standard library spends half of its time on parsing each Content-Type again."""


@dataclass(slots=True)
class ScriptedPlayer:
    name: str
    address: str
    program: Program
    dice: Dice
    habits: Habits = IN_DEMOS
    letters: list[Letter] = field(default_factory=list)
    sent: int = 0
    decides: Callable[[str], list[str] | None] | None = None
    """Return the lines that answer a letter with this subject, or None for a random choice among its orders."""
    _turns: dict[str, str] = field(default_factory=dict)

    def enters(self, address: str, tournament: str, now: datetime, *, standby: bool = False) -> Mail:
        mail = EmailMessage()
        mail["From"] = f"{self.name} <{self.address}>"
        mail["To"] = address
        mail["Subject"] = "I want to play"
        mail["Date"] = format_datetime(now)
        mail["Message-ID"] = f"<enters.{self.name.lower()}@players.example>"
        mail.set_content(f"enter {tournament} as {self.name}{' standby' if standby else ''}\n")
        return Mail(address, mail.as_bytes())

    def read(self, messages: Sequence[bytes], now: datetime) -> list[Mail]:
        answers: dict[str, tuple[EmailMessage, list[str]]] = {}
        for raw in messages:
            letter = email.message_from_bytes(raw, policy=_READING)
            self.letters.append(Letter(raw, letter))
            to = _address(str(letter["Reply-To"] or letter["From"]))
            lines = self.lines_for(str(letter["Subject"]), _text(letter), to)
            if lines:
                answers[to] = (letter, lines)
        return [self.write_back(letter, to, lines, now) for to, (letter, lines) in answers.items()]

    def write_back(self, letter: EmailMessage, to: str, lines: Sequence[str], now: datetime) -> Mail:
        self.sent += 1
        original = Original(
            str(letter["Subject"]),
            str(letter["From"]),
            to,
            str(letter["Message-ID"]),
            str(letter["References"] or ""),
            str(letter["Date"]),
            _text(letter),
        )
        return Mail(to, self.program(original, Writer(self.name, self.address, self.sent), lines, now))

    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        """Return the lines that the player writes in answer to a letter; ``game`` is the reply address of the game."""
        habits, said = self.habits, " ".join(text.split())
        if _CONFIRMS in said:
            return ["confirm"] if habits.confirms else []
        if _OFFERED in said:
            return ["accept"] if habits.accepts else []
        lines = [] if habits.silent else self._orders(subject, text, game)
        left = habits.leaves_after and self.sent > habits.leaves_after
        forgotten = lines and habits.forgets and self.dice.below(habits.forgets) < 1
        return [] if left or forgotten else lines

    def _orders(self, subject: str, text: str, game: str) -> list[str]:
        form = _FORM.search(text)
        if form is None:
            return []
        if self.decides is not None and (decided := self.decides(subject)) is not None:
            return decided
        last = _LAST_TURN.search(text)
        turns = int(last[1]) if last else _TURNS
        lines = [chosen for options in _questions(form[1]) if (chosen := self._choose(options, turns))]
        if lines and self.habits.mistypes and self.dice.below(self.habits.mistypes) < 1:
            lines.insert(0, _mistype(lines[0]))
        turn = re.search(r"\bT(?:urn )?(\d+)", subject)
        if lines and turn and turn[1] != self._turns.get(game):
            self._turns[game] = turn[1]
            lines.append(QUIET)
        return lines

    def _choose(self, options: Sequence[str], turns: int) -> str:
        weights = [_weight(option) for option in options]
        pick = self.dice.below(sum(weights))
        chosen = options[-1] if options else ""
        for option, weight in zip(options, weights, strict=True):
            pick -= weight
            if pick < 0:
                chosen = option
                break
        return chosen.replace(_TURN, f" turn {1 + int(self.dice.below(turns))}")


def _questions(form: str) -> list[list[str]]:
    found: list[list[str]] = []
    for line in form.split("\n"):
        if line.startswith("#"):
            found.append([])
        elif found and (line.startswith("[ ] ") or line.endswith(_TURN)):
            found[-1].append(line.removeprefix("[ ] ").strip())
    return found


def _weight(order: str) -> float:
    weight = 1.0
    for words, liked in _TASTE.items():
        if order.startswith(words):
            weight = liked
    if order.startswith(("ship", "move")):
        if any(f"to {place}" in order for place in _STRONGHOLDS):
            weight *= 4
        count = re.search(r"\d+", order)
        weight *= 1 + (int(count[0]) if count else 0) / 4
    return weight


def _mistype(order: str) -> str:
    return order[1:2] + order[0:1] + order[2:] if len(order) > 3 else order


def _text(letter: EmailMessage) -> str:
    body = letter.get_body(("plain",))
    return str(body.get_content()).replace("\r\n", "\n") if body else ""


def _address(field_value: str) -> str:
    found = re.search(r"<([^>]+)>", field_value)
    return found[1] if found else field_value.strip()


_NUMBERS_APART = 1_000_000
_HEADS = BytesHeaderParser(policy=policy.compat32)


@dataclass(frozen=True, slots=True)
class PostedLetter:
    recipient: str
    reply_to: str
    message_id: str
    raw: bytes

    @classmethod
    def of(cls, recipient: str, raw: bytes) -> PostedLetter:
        head = _HEADS.parsebytes(raw)
        reply_to = parseaddr(str(head["Reply-To"] or head["From"]))[1]
        return cls(recipient, reply_to, str(head["Message-ID"]), raw)


@dataclass(slots=True)
class People:
    """Players of several games, each created when their first letter arrives. A person who plays in several games is a
    separate player in each."""

    seed: str
    habits: Habits = SIMULATED
    _seats: dict[tuple[str, str], ScriptedPlayer] = field(default_factory=dict)

    def answers(self, letters: Iterable[PostedLetter], now: datetime) -> Iterator[bytes]:
        by_seat: dict[tuple[str, str], list[bytes]] = {}
        for letter in letters:
            by_seat.setdefault((letter.reply_to, letter.recipient), []).append(letter.raw)
        for place, raws in sorted(by_seat.items()):
            seat = self._seats.get(place) or self._seats.setdefault(place, self._new(*place))
            for mail in seat.read(raws, now):
                yield mail.raw
                if self.habits.sends_twice and seat.dice.below(self.habits.sends_twice) < 1:
                    yield mail.raw
            seat.letters.clear()

    def _new(self, reply_to: str, address: str) -> ScriptedPlayer:
        dice = Dice(self.seed, reply_to, address)
        name = address.partition("@")[0].partition(".")[0].title()
        program = PROGRAMS[int(dice.below(len(PROGRAMS)))]
        first = _NUMBERS_APART * int(dice.below(_NUMBERS_APART))
        return ScriptedPlayer(name, address, program, dice, self.habits, sent=first)


class MailClient:
    """A player with a mail program. Its IMAP and SMTP connections stay open as long as the `with` block lasts."""

    def __init__(self, player: ScriptedPlayer, servers: LocalMail, password: str) -> None:
        self.player = player
        self._imap: Any = IMAPClient(servers.host, servers.imap_port, ssl=False)
        self._imap.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._imap.login(player.address, password)
        self._imap.select_folder("INBOX")
        self._smtp = smtplib.SMTP(servers.host, servers.smtp_port)
        self._smtp.ehlo()
        self._next_uid = 1

    def read_and_answer(self, now: datetime) -> int:
        self._imap.noop()
        fresh = [uid for uid in self._imap.search(["UID", f"{self._next_uid}:*"]) if uid >= self._next_uid]
        if not fresh:
            return 0
        bodies = self._imap.fetch(fresh, ["BODY.PEEK[]"])
        self._next_uid = max(fresh) + 1
        answers = self.player.read([bodies[uid][b"BODY[]"] for uid in sorted(fresh)], now)
        for answer in answers:
            self.send(answer)
        return len(answers)

    def send(self, mail: Mail) -> None:
        self._smtp.sendmail(self.player.address, [mail.to], mail.raw)

    def __enter__(self) -> MailClient:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # the servers go away together with the players
            self._smtp.quit()
            self._imap.logout()


ZONES = (
    "Europe/London",
    "Europe/Berlin",
    "America/New_York",
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Australia/Sydney",
)
SIGMA = 1.0
WAKES, SLEEPS = time(7), time(23)
_MARGIN = timedelta(minutes=20)


@dataclass(frozen=True, slots=True)
class Person:
    """A person in a time zone. The time they take to answer is log-normal. They sleep from 23:00 to 7:00, know the
    deadline, and now and then leave a letter unanswered."""

    zone: ZoneInfo
    chance: Random
    habits: Habits = PACED

    def answers_at(self, now: datetime, due: datetime | None) -> datetime | None:
        """Return the time at which this person answers a letter that arrives ``now`` with the deadline ``due``, or None
        if they miss the deadline."""
        if self.chance.random() < 1 / self.habits.forgets:
            return None
        hours = self.chance.lognormvariate(math.log(self.habits.median_hours), SIGMA)
        at = self._awake(now + timedelta(hours=hours))
        if due is None or at < due - _MARGIN:
            return at
        return self.before(now, due)

    def before(self, now: datetime, due: datetime) -> datetime | None:
        """Return the last moment before the deadline at which this person is awake, or None if they sleep until
        then."""
        last = due - _MARGIN
        local = last.astimezone(self.zone)
        if not WAKES <= local.time() < SLEEPS:
            day = local.date() if local.time() >= SLEEPS else local.date() - timedelta(days=1)
            last = datetime.combine(day, SLEEPS, self.zone).astimezone(UTC) - _MARGIN
        return last if last > now else None

    def _awake(self, moment: datetime) -> datetime:
        local = moment.astimezone(self.zone)
        if WAKES <= local.time() < SLEEPS:
            return moment
        day = local.date() + timedelta(days=local.time() >= SLEEPS)
        up = datetime.combine(day, WAKES, self.zone).astimezone(UTC)
        return up + timedelta(minutes=self.chance.uniform(0, 60))
