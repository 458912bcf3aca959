"""Turn a letter to a seat into a mail in the outbox, with its sender, reply address, Message-ID, thread and form, and
make the sitter's copy.

Press, deals and Truthtrance questions appear in the letters of other players, who quote them in their answers. If their
words contained the mark of a form, they would spoil the real form below them. If they contained another seat's reply
address or tag, an answer would go to the wrong seat and look like a forgery. ``make_harmless`` removes such marks from
a line before anybody reads it, and leaves the rest unchanged:

>>> make_harmless("press to all: I am Mentat, answer to mentat+ypowzixiqjin3ijg@arrakis.example [form 1234]",
...               "mentat@arrakis.example")
'press to all: I am Mentat, answer to mentat@arrakis.example (form 1234]'
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from zlib import crc32

from msgspec.structs import replace

from bot.config import Settings
from bot.mail.identity import (
    TOKEN_CHARS,
    bounce_address,
    bounce_token_of,
    message_id,
    plus_address,
    reply_token,
    tagged_subject,
)
from bot.mail.outgoing import Attachment, Image, build_letter
from bot.mail.outgoing import Letter as Mail
from bot.mail.quotes import REPLY_MARK
from bot.render.material import LineVerdict, Position, Rendering
from bot.store import mail
from bot.store.database import Connection
from bot.table.table import Seat, Table
from bot.wording import say
from rules.components import FACTION_FACTS, Faction, as_faction

PRESS_LETTER, DESK_LETTER = "p", "gm"
"""Marks in the Message-ID of a letter. The first says that the letter contains another player's words, and is followed
by their number; the second that it contains words from the desk."""


def mark_of(line: str) -> str:
    """Return a mark for a letter's Message-ID, which shows that an answer to the letter is about this line. The mark is
    short, because some mail programs break long Message-IDs."""
    return f"v{crc32(line.encode()):08x}"


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a player who has just written: the verdicts on their lines, notes, and the Message-ID of their
    mail.

    ``to_message`` is that Message-ID, which may be malformed. ``answered`` are the Message-IDs of the letters that it
    answers. ``by_sitter`` is true if the sitter wrote the mail, and ``posted`` if the lines were written in a forum.
    """

    faction: Faction
    lines: Sequence[LineVerdict]
    notes: Sequence[str]
    to_message: str = ""
    board: bool = False  # they asked for the picture
    answered: Sequence[str] = ()
    position: bool = False  # they asked for the position
    by_sitter: bool = False
    posted: bool = False
    settles: str = ""  # what their sheet settles
    at_once: bool = True  # it must not wait for the next letter

    @property
    def thread(self) -> str:
        """Return the Message-ID of the mail, if the player wrote it and the Message-ID is well-formed; else "". The
        letter to the player is a reply to that mail."""
        return "" if self.by_sitter else self._identity

    @property
    def sitters_thread(self) -> str:
        """Return the Message-ID of the mail, if the sitter wrote it and the Message-ID is well-formed; else "". The
        sitter's copy of the letter is a reply to that mail."""
        return self._identity if self.by_sitter else ""

    @property
    def _identity(self) -> str:
        return self.to_message if is_message_id(self.to_message) else ""


@dataclass(frozen=True, slots=True)
class NamedLetter:
    game_id: str
    faction: Faction
    number: int


def letter_named(identity: str, address: str) -> NamedLetter | None:
    """Return the letter to a seat that a Message-ID names, if the Mentat with this address made that Message-ID; else
    None.

    >>> letter_named("sietch-12.guild.41.p3.ypowzixiqjin3ijg@arrakis.example", "mentat@arrakis.example")
    NamedLetter(game_id='sietch-12', faction='guild', number=41)
    """
    name, _, host = identity.rpartition("@")
    found = _NAMED.fullmatch(name) if host == address.rpartition("@")[2] else None
    return NamedLetter(found["game"], as_faction(found["faction"]), int(found["number"])) if found else None


_NAMED = re.compile(
    rf"(?P<game>.+?)\.(?P<faction>{'|'.join(FACTION_FACTS)})\.(?P<number>[0-9]+)"
    rf"(?:\.[a-z0-9.-]+)?\.[a-z2-7]{{{TOKEN_CHARS}}}"
)


def is_message_id(said: str) -> bool:
    return bool(re.fullmatch(r"[!-;=?A-~]{1,200}@[!-;=?A-~]{1,200}", said))


@dataclass(frozen=True, slots=True)
class SeatLetter:
    """The text of a letter to a seat, and how to send it.

    ``reply`` is the answer to a mail, if the letter contains one. ``sender_name`` is the name of the person whose words
    the letter passes on; it is shown instead of Mentat's name. ``named`` is a mark in the letter's Message-ID by which
    an answer to the letter is recognised.
    """

    rendered: Rendering
    reply: Reply | None = None
    attached: Sequence[Attachment] = ()
    sender_name: str = ""
    named: str = ""


@dataclass(frozen=True, slots=True)
class _Reader:
    address: str
    name: str
    token: str
    bounce_token: str


@dataclass(frozen=True, slots=True)
class _Thread:
    """A letter's place in its thread: its own Message-ID (``identity``), its parent's Message-ID or "", and all
    References. ``answers`` is true if the letter is a reply to a mail."""

    identity: str
    parent: str
    references: Sequence[str]
    answers: bool = False


class SeatMail:
    def __init__(self, settings: Settings, conn: Connection, now: datetime) -> None:
        self.settings, self.conn, self.now = settings, conn, now

    def post(self, table: Table, seat: Seat, letter: SeatLetter, *, copied: bool = True) -> None:
        """Put a letter into the outbox and, if ``copied``, also a copy for the sitter. A letter that mentions the
        player's other games must not be copied."""
        if not seat.has_player:
            return
        if copied:
            self.copy(table, seat, letter)
        if letter.rendered.form:
            code = self.form_code(table, seat)
            mail.keep_forms(self.conn, [mail.Form(code, table.id, seat.faction, letter.rendered.form)])
        identity = self._message_id(table, seat, seat.token, seat.letters, letter.named)
        thread = self._thread(table, seat, identity, letter.reply)
        reader = _Reader(seat.address, seat.name, seat.token, seat.bounce_token)
        self._put(table, seat, letter, reader, thread)
        seat.letters += 1
        seat.last_message_id = identity
        if letter.rendered.confirms:
            seat.taken, seat.receipt_due = (), None
        table.touched.add(seat.faction)

    def _thread(self, table: Table, seat: Seat, identity: str, reply: Reply | None) -> _Thread:
        """Return the place of a letter in the conversation of its turn, or of the whole game if the settings say so.

        All letters of a conversation have its first letter as an ancestor; an answer has the mail that it answers as
        its parent. A mail that is not a reply to any of our letters is listed in References before the first letter,
        because programs that thread by References (RFC 5256) would otherwise separate the two. A mail that belongs to
        another conversation is named only as the parent, so that the conversations stay separate.
        """
        turn = 0 if self.settings.mentat.subjects == "game" else table.play.state.turn
        first = seat.conversation if seat.conversation_turn == turn else ""
        if not turn and not seat.conversation and seat.letters:  # the letters of an older Mentat
            first = self._message_id(table, seat, seat.token, 0)
        if not first:
            seat.conversation, seat.conversation_turn = identity, turn
        answers = reply.thread if reply else ""
        if reply is None or not answers:
            return _Thread(identity, first, (first,))
        ours = [named for each in reply.answered if (named := letter_named(each, self.settings.mentat.address))]
        if not ours:
            return _Thread(identity, answers, (answers, first), answers=True)
        begun = letter_named(first, self.settings.mentat.address)
        here = [named.number for named in ours if (named.game_id, named.faction) == (table.id, seat.faction)]
        if begun and here and here[-1] >= begun.number:
            return _Thread(identity, answers, (first, answers), answers=True)
        return _Thread(identity, answers if first else "", (first,), answers=True)

    def copy(self, table: Table, seat: Seat, letter: SeatLetter, *, last: bool = False) -> None:
        """If the seat has a sitter, put a copy of the letter into the outbox for them, with the sitter's reply token
        instead of the player's. ``last`` means that the sitting is over, and that the copy says so."""
        if not seat.sat_in_for(self.now) and not (last and seat.sitter):
            return
        token = seat.sitter_token
        number = mail.copies_to(self.conn, table.id, seat.faction, seat.sitter)
        first = self._message_id(table, seat, token, 0)
        answers = letter.reply.sitters_thread if letter.reply else ""
        identity = self._message_id(table, seat, token, number, letter.named)
        parent = answers or (first if number else "")
        thread = _Thread(identity, parent, (first, answers), answers=bool(answers))
        reader = _Reader(seat.sitter, seat.sitter_name, token, bounce_token_of(token))
        self._put(table, seat, letter, reader, thread)

    def _put(self, table: Table, seat: Seat, letter: SeatLetter, reader: _Reader, thread: _Thread) -> None:
        rendered, mentat = letter.rendered, self.settings.mentat
        subject = rendered.subject
        if mentat.subjects != "letter":
            subject = say(f"subject.{mentat.subjects}", game=table.id, turn=table.play.state.turn)
        subject = subject if mentat.plus_addressing else tagged_subject(subject, reader.token)
        references = dict.fromkeys(ref for ref in thread.references if ref and ref != thread.identity)
        content = build_letter(
            Mail(
                to=reader.address,
                to_name=reader.name,
                subject=subject,
                text=rendered.text.replace(seat.token, reader.token),
                html=rendered.html.replace(seat.token, reader.token),
                sender=self.settings.sender,
                sender_name=letter.sender_name or mentat.name,
                reply_to=self.reply_to(reader.token),
                message_id=thread.identity,
                date=self.now,
                game=table.id,
                in_reply_to=thread.parent,
                references=tuple(references),
                images=(Image("board", rendered.picture, "board.png"),) if rendered.picture else (),
                attachments=letter.attached,
                auto_submitted="auto-replied" if thread.answers else "auto-generated",
            )
        )
        came_from = self._bounces_to(reader.bounce_token)
        out = mail.Letter(thread.identity, came_from, reader.address, subject, content, table.id, seat.faction)
        mail.post(self.conn, [out], self.now)

    def copy_alone(
        self, table: Table, seat: Seat, position: Position, written: Callable[[Position], Rendering]
    ) -> None:
        if not seat.sat_in_for(self.now):
            return
        number = mail.copies_to(self.conn, table.id, seat.faction, seat.sitter)
        code = self._code(f"{table.id}|{seat.faction}|{seat.sitter_token}|{number}")
        reader = replace(position.reader, name=seat.sitter_name)
        rendered = written(replace(position, reader=reader, form_code=code))
        if rendered.form:
            mail.keep_forms(self.conn, [mail.Form(code, table.id, seat.faction, rendered.form)])
        self.copy(table, seat, SeatLetter(rendered))

    def reply_to(self, token: str) -> str:
        mentat = self.settings.mentat
        return plus_address(mentat.address, token) if mentat.plus_addressing else mentat.address

    def _bounces_to(self, token: str) -> str:
        mentat = self.settings.mentat
        return bounce_address(mentat.address, token) if mentat.plus_addressing else mentat.address

    def tag(self, seat: Seat) -> str:
        return "" if self.settings.mentat.plus_addressing else seat.token

    def _message_id(self, table: Table, seat: Seat, token: str, number: int, named: str = "") -> str:
        serial = ".".join(filter(None, (table.id, seat.faction, str(number), named)))
        return message_id(serial, token, self.settings.mentat.address)

    def form_code(self, table: Table, seat: Seat) -> str:
        """Return the one-time code for the form in a seat's next letter. If that letter must be written again after a
        crash, the code is the same."""
        return self._code(f"{table.id}|{seat.faction}|{seat.letters}")

    def _code(self, letter: str) -> str:
        return hmac.new(self.settings.key, f"letter|{letter}".encode(), hashlib.sha256).hexdigest()[:10]


_FORM_MARK = re.compile(r"[\[［](?=\s*(?:end\s+of\s+)?form\s)", re.IGNORECASE)
_TAG = re.compile(rf"[\[［]\s*[#＃]\s*[a-z2-7]{{{TOKEN_CHARS}}}\s*[\]］]", re.IGNORECASE)
_REPLY_MARK = re.compile(r"\s*".join("".join(REPLY_MARK.split())), re.IGNORECASE)


def lobby_token(settings: Settings, address: str) -> str:
    """Return the reply token used in all letters about open tables to this address. A mail with this token proves that
    its sender can read the address's mail."""
    return reply_token(settings.key, "lobby", address)


def make_harmless(line: str, address: str) -> str:
    line = _FORM_MARK.sub("(", line)
    line = _TAG.sub("[#…]", line)
    line = _reply_address(address).sub(address, line)  # `address` is ours, without a token
    return _REPLY_MARK.sub("Reply", line)


@cache
def _reply_address(address: str) -> re.Pattern[str]:
    local, _, host = address.rpartition("@")
    return re.compile(rf"{re.escape(local)}\+[a-z0-9-]{{1,40}}@{re.escape(host)}", re.IGNORECASE)
