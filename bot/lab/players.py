"""Players by mail: scripted people who read the letters of their own mailbox and answer them through their mail
program.

A player knows nothing of the game but what their letters say, so nothing here imports the rules. They find the
questions and the legal orders in the form of the newest letter, choose with a small taste of their own, and send
their answer. Now and then they mistype, or order something foolish, as people do; the answer tells them what is still
open, and they go on.

*Entrants of a tournament* enter by mail, confirm, take the seats that they are offered, and play.

*The people of a simulation* now and then forget a letter or send a mail twice. Each plays in two games, with the same
address. What they answer in a game follows from the letters of that game alone, so the order in which the letters of
their two games come does not matter.

*Mail programs*: the same few orders as six programs would send them. Each takes the letter that is answered and the
player's lines and gives a message as that program would make it: with the letter quoted below, above, or not at all,
in text, in HTML, or both, in the transfer encoding that the program likes.
"""

from __future__ import annotations

import base64
import email
import hashlib
import html
import quopri
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.utils import format_datetime, parseaddr
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Original:
    """The letter that is answered, as a mail program shows it."""

    subject: str
    sender: str
    reply_to: str
    message_id: str
    references: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Writer:
    """Who answers, and the number of their answer, which makes the Message-ID."""

    name: str
    address: str
    number: int


Program = Callable[[Original, Writer, Sequence[str], datetime], bytes]


def gmail(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Above the quote, in text and HTML, the quote in a `gmail_quote` container."""
    said = f"On {original.date}, Mentat <{original.sender}> wrote:"
    text = "\n".join([*lines, "", said, "", *_quoted(original.text)])
    body = "".join(f"<div>{html.escape(line)}</div>" for line in lines)
    quote = html.escape(original.text).replace("\n", "<br>\n")
    page = (
        f'<div dir="ltr">{body}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">'
        f'{html.escape(said)}<br></div><blockquote class="gmail_quote">{quote}</blockquote></div>'
    )
    return _alternative(original, writer, now, text, page, "CA")


def outlook(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Above a header block, HTML alone, the text in base64."""
    body = "".join(f'<p class="MsoNormal">{html.escape(line)}<o:p></o:p></p>' for line in lines)
    head = (
        f"<b>From:</b> Mentat &lt;{original.sender}&gt;<br><b>Sent:</b> {html.escape(original.date)}<br>"
        f"<b>To:</b> {writer.address}<br><b>Subject:</b> {html.escape(original.subject)}"
    )
    quote = html.escape(original.text).replace("\n", "<br>\n")
    page = (
        f"<html><head><style>p.MsoNormal {{margin:0}}</style></head><body>{body}"
        f'<div id="divRplyFwdMsg"><hr>{head}</div><div>{quote}</div></body></html>'
    )
    data = base64.encodebytes(page.encode()).decode("ascii")
    return _message(original, writer, now, "text/html; charset=utf-8", "base64", data, "AM0PR")


def iphone(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Above the quote, with the footer of a telephone, quoted-printable."""
    text = "\n".join(
        [*lines, "", "Sent from my iPhone", "", f"> On {original.date}, Mentat <{original.sender}> wrote:", "> "]
        + [f"> \ufeff{line}" if number == 0 else f"> {line}" for number, line in enumerate(original.text.split("\n"))]
    )
    data = quopri.encodestring(text.encode()).decode("ascii")
    return _message(original, writer, now, "text/plain; charset=utf-8", "quoted-printable", data, "9C1B")


def thunderbird(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Inside the quoted form: the box of a line is ticked where it stands; what is not in the form stands below it."""
    left = list(lines)
    quoted = []
    for line in original.text.split("\n"):
        order = line.removeprefix("[ ] ")
        if order != line and order in left:
            left.remove(order)
            line = f"[x] {order}"
        quoted.append(f"> {line}")
    said = f"Am {original.date} schrieb Mentat <{original.sender}>:"
    text = "\n".join([said, *quoted, "", *left, ""])
    return _message(original, writer, now, "text/plain; charset=utf-8", "8bit", text, "f3a1")


def flowed(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Text alone, format=flowed (RFC 3676), nothing quoted, a signature."""
    text = "\n".join([*lines, "", "-- ", writer.name, "Siridar-Governor, retired", ""])
    return _message(original, writer, now, "text/plain; charset=us-ascii; format=flowed", "7bit", text, "fl")


def webmail(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """A bulleted list above a bottom quote, latin-1."""
    listed = [f"- {line}" for line in lines]
    head = ["----- Original Message -----", f"From: {original.sender}", f"Subject: {original.subject}", ""]
    text = "\n".join(["Hello,", "", *listed, "", *head, *_quoted(original.text)])
    return _message(original, writer, now, "text/plain; charset=iso-8859-1", "8bit", text, "wm", "latin-1")


PROGRAMS: tuple[Program, ...] = (gmail, outlook, iphone, thunderbird, flowed, webmail)


def _quoted(text: str) -> list[str]:
    return [f"> {line}" if line else ">" for line in text.split("\n")]


def _alternative(original: Original, writer: Writer, now: datetime, text: str, page: str, mark: str) -> bytes:
    boundary = f"0000000000{writer.number:06d}"
    parts = "".join(
        f'--{boundary}\r\nContent-Type: {kind}; charset="UTF-8"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{body}\r\n'
        for kind, body in (("text/plain", text), ("text/html", page))
    )
    kind = f'multipart/alternative; boundary="{boundary}"'
    return _message(original, writer, now, kind, "8bit", f"{parts}--{boundary}--\r\n", mark)


def _message(
    original: Original, writer: Writer, now: datetime, kind: str, encoding: str, body: str, mark: str,
    charset: str = "utf-8",
) -> bytes:  # fmt: skip
    host = writer.address.rpartition("@")[2]
    answered = original.subject if original.subject.startswith("Re: ") else f"Re: {original.subject}"
    head = [
        f"From: {writer.name} <{writer.address}>",
        f"To: Mentat <{original.reply_to}>",
        f"Subject: {answered}",
        f"Date: {format_datetime(now)}",
        f"Message-ID: <{mark}.{writer.number}.{writer.address.partition('@')[0]}@{host}>",
        f"In-Reply-To: {original.message_id}",
        f"References: {original.references} {original.message_id}".rstrip(),
        "MIME-Version: 1.0",
        f"Content-Type: {kind}",
        f"Content-Transfer-Encoding: {encoding}",
    ]
    text = "\n".join([*head, "", body])
    return text.replace("\r\n", "\n").replace("\n", "\r\n").encode(charset, "replace")


_FORM = re.compile(r"^\[form \w+\]$(.*?)^\[end of form \w+\]$", re.MULTILINE | re.DOTALL)
_QUIET = "waive reactions until mentat"
_TURN = " turn _"
_TURNS = 10
_LAST_TURN = re.compile(r"on\s+which\s+turn\s+\(1\s+to\s+(\d+)\)")

# What a player with a little ambition likes: the words of an order, and how much more often it is chosen.
_TASTE = (
    ("no ", 0.3),
    ("pass", 0.5),
    ("pass all", 0.1),
    ("bid karama", 0.2),
    ("ship", 3.0),
    ("move", 3.0),
    ("plan", 1.0),
    ("revive", 3.0),
    ("charity", 5.0),
    ("ally", 0.6),
    ("break", 0.2),
    ("karama", 0.3),
)
_STRONGHOLDS = ("Arrakeen", "Carthag", "Tuek's Sietch", "Sietch Tabr", "Habbanya Ridge Sietch")


class Dice:
    """A small stream of numbers that is the same for the same words (the demo repeats for a seed)."""

    def __init__(self, *words: object) -> None:
        self._state = hashlib.sha256(repr(words).encode()).digest()

    def below(self, size: float) -> float:
        """A number from 0 up to, but not, ``size``."""
        self._state = hashlib.sha256(self._state).digest()
        return int.from_bytes(self._state[:7], "big") / 2**56 * size


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that a player sends."""

    to: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter that came: its bytes, and what they say."""

    raw: bytes
    message: EmailMessage


_READING = policy.default.clone(header_factory=lru_cache(1_000)(HeaderRegistry()))
"""The standard library reads a Content-Type anew each time it is asked for it, which is half its work with a mail."""


@dataclass(slots=True)
class ScriptedPlayer:
    """One player, their mail program and their dice."""

    name: str
    address: str
    program: Program
    dice: Dice
    letters: list[Letter] = field(default_factory=list)
    sent: int = 0
    _turns: dict[str, str] = field(default_factory=dict)

    def read(self, messages: Sequence[bytes], now: datetime) -> list[Mail]:
        """Read what has come, and answer of each game the newest letter that asks for something."""
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
        """A mail of theirs with these lines, in answer to a letter that they read."""
        self.sent += 1
        original = Original(
            str(letter["Subject"]), str(letter["From"]), to, str(letter["Message-ID"]),
            str(letter["References"] or ""), str(letter["Date"]), _text(letter),
        )  # fmt: skip
        return Mail(to, self.program(original, Writer(self.name, self.address, self.sent), lines, now))

    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        """Their orders for the questions of a letter: one each, from the legal ones that the form offers. ``game`` is
        the address to which they answer."""
        form = _FORM.search(text)
        if form is None:
            return []
        last = _LAST_TURN.search(text)
        turns = int(last[1]) if last else _TURNS
        lines = [chosen for options in _questions(form[1]) if (chosen := self._choose(options, turns))]
        if lines and self.dice.below(40) < 1:
            lines.insert(0, _mistype(lines[0]))
        turn = re.search(r"Turn (\d+)", subject)
        if lines and turn and turn[1] != self._turns.get(game):
            self._turns[game] = turn[1]
            lines.append(_QUIET)
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
    """The offered orders, question by question (each begins with a remark)."""
    found: list[list[str]] = []
    for line in form.split("\n"):
        if line.startswith("#"):
            found.append([])
        elif found and (line.startswith("[ ] ") or line.endswith(_TURN)):
            found[-1].append(line.removeprefix("[ ] ").strip())
    return found


def _weight(order: str) -> float:
    weight = 1.0
    for words, liked in _TASTE:
        if order.startswith(words):
            weight = liked
    if order.startswith(("ship", "move")):
        if any(f"to {place}" in order for place in _STRONGHOLDS):
            weight *= 4
        count = re.search(r"\d+", order)
        weight *= 1 + (int(count[0]) if count else 0) / 4
    return weight


def _mistype(order: str) -> str:
    """The same order with two letters of its first word changed about."""
    return order[1:2] + order[0:1] + order[2:] if len(order) > 3 else order


def _text(letter: EmailMessage) -> str:
    body = letter.get_body(("plain",))
    return str(body.get_content()).replace("\r\n", "\n") if body else ""


def _address(field_value: str) -> str:
    found = re.search(r"<([^>]+)>", field_value)
    return found[1] if found else field_value.strip()


_CONFIRMS = "with the one word confirm"
_OFFERED = "To take it, write: accept"


@dataclass(slots=True)
class ScriptedEntrant(ScriptedPlayer):
    """Somebody who enters. Who is ``silent`` enters, and then never sends an order."""

    silent: bool = False

    def enters(self, address: str, tournament: str, now: datetime, *, standby: bool = False) -> Mail:
        """The mail with which they enter."""
        mail = EmailMessage()
        mail["From"] = f"{self.name} <{self.address}>"
        mail["To"] = address
        mail["Subject"] = "I want to play"
        mail["Date"] = format_datetime(now)
        mail["Message-ID"] = f"<enters.{self.name.lower()}@players.example>"
        mail.set_content(f"enter {tournament} as {self.name}{' standby' if standby else ''}\n")
        return Mail(address, mail.as_bytes())

    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        """Their answer to a letter about the tournament, or their orders."""
        said = " ".join(text.split())
        if _CONFIRMS in said:
            return ["confirm"]
        if _OFFERED in said:
            return ["accept"]
        return [] if self.silent else ScriptedPlayer.lines_for(self, subject, text, game)


FORGETS = 40
"""One letter of so many is left unanswered: a deadline passes, a reminder comes."""

SENDS_TWICE = 30
"""One mail of so many arrives twice."""

_NUMBERS_APART = 1_000_000
_HEADS = BytesHeaderParser(policy=policy.compat32)


@dataclass(slots=True)
class ForgetfulPlayer(ScriptedPlayer):
    """A person in one of their games who leaves a letter unanswered now and then."""

    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        """Their orders, if they do not forget."""
        lines = ScriptedPlayer.lines_for(self, subject, text, game)
        return [] if lines and self.dice.below(FORGETS) < 1 else lines


@dataclass(frozen=True, slots=True)
class PostedLetter:
    """A letter as it went out: to whom, which address answers it, its Message-ID, and the whole of it."""

    recipient: str
    reply_to: str
    message_id: str
    raw: bytes

    @classmethod
    def of(cls, recipient: str, raw: bytes) -> PostedLetter:
        """A letter, by what its head says."""
        head = _HEADS.parsebytes(raw)
        reply_to = parseaddr(str(head["Reply-To"] or head["From"]))[1]
        return cls(recipient, reply_to, str(head["Message-ID"]), raw)


@dataclass(slots=True)
class People:
    """Everybody who plays, at their mail programs, and what sort of player each is."""

    seed: str
    sort: type[ScriptedPlayer] = ForgetfulPlayer
    _seats: dict[tuple[str, str], ScriptedPlayer] = field(default_factory=dict)

    def answers(self, letters: Iterable[PostedLetter], now: datetime) -> Iterator[bytes]:
        """What everybody writes who has read these letters, game by game."""
        by_seat: dict[tuple[str, str], list[bytes]] = {}
        for letter in letters:
            by_seat.setdefault((letter.reply_to, letter.recipient), []).append(letter.raw)
        for place, raws in sorted(by_seat.items()):
            yield from self._of(place, raws, now)

    def _of(self, place: tuple[str, str], raws: Sequence[bytes], now: datetime) -> Iterator[bytes]:
        seat = self._seats.get(place) or self._seats.setdefault(place, self._new(*place))
        for mail in seat.read(raws, now):
            yield mail.raw
            if seat.dice.below(SENDS_TWICE) < 1:
                yield mail.raw
        seat.letters.clear()

    def _new(self, reply_to: str, address: str) -> ScriptedPlayer:
        dice = Dice(self.seed, reply_to, address)
        name = address.partition("@")[0].partition(".")[0].title()
        program = PROGRAMS[int(dice.below(len(PROGRAMS)))]
        return self.sort(name, address, program, dice, sent=_NUMBERS_APART * int(dice.below(_NUMBERS_APART)))
