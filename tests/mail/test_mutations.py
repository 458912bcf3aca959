"""Two thousand random mail mutations: nothing raises, no quote is read, no own line vanishes without being named.

Orders with numbers below 500 are own lines; from 500 on, quoted ones. The mutations imitate programs and servers: they
swap, repeat, drop, wrap and re-encode parts, rename boundaries and cut off the end of the mail.
"""

from __future__ import annotations

import base64
import quopri
import random
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from email.message import Message
from html import escape

import pytest

from bot.mail.decoding import MAX_BYTES, content_of
from bot.mail.disposition import Examined, examine
from tests.mail.test_corpus import ADDRESS, EXPECTED, HERE, sent_form

MUTATIONS = 1_500
OF_THE_CORPUS = 500
SEAT = "mentat+ypowzixiqjin3ijg@arrakis.example"
HEAD = f"From: Ann <ann@home.example>\nTo: {SEAT}\nSubject: Re: your bid\nMIME-Version: 1.0\n"
ATTRIBUTION = f"On Mon, 30 Nov 2026 at 10:00, Mentat <{SEAT}> wrote:"
ENDINGS: tuple[list[str], ...] = (
    [], [], [], ["-- ", "Ann"], ["", "Best regards,", "Ann"], ["Sent from my iPhone"], ["[quote]"],
    ["", "This e-mail is confidential and intended solely for the addressee."],
)  # fmt: skip
FIELDS = ["From: Mentat", "Sent: Monday, 30 November 2026 10:00", "To: Ann", "Subject: your bid"]
LONG = "The Guild has bid more for this card than anybody had before, and now everybody waits for your answer."


@dataclass(frozen=True)
class Piece:
    """Part of a mail: a text, or a container of parts."""

    kind: str
    text: str = ""
    inside: tuple[Piece, ...] = ()
    encoding: str = "8bit"
    charset: str = "utf-8"
    fields: tuple[str, ...] = ()
    above: str = ""
    boundary: str = field(default="b", compare=False)

    def written(self) -> str:
        kind = self.kind if self.kind.startswith("image") else f"{self.kind}; charset={self.charset}"
        if self.inside:
            body = "".join(f"--{self.boundary}\n{piece.written()}\n" for piece in self.inside)
            return f'Content-Type: {self.kind}; boundary="{self.boundary}"\n\n{body}--{self.boundary}--\n'
        head = "".join(f"{row}\n" for row in (f"Content-Type: {kind}", *self.fields))
        return f"{head}Content-Transfer-Encoding: {self.encoding}\n\n{self.above}{self._coded()}\n"

    def _coded(self) -> str:
        content = self.text.encode(self.charset, "replace")
        if self.encoding == "base64":
            return base64.encodebytes(content).decode()
        if self.encoding == "quoted-printable":
            return quopri.encodestring(content).decode()
        return content.decode("latin-1")


def orders(first: int, count: int) -> list[str]:
    return [f"bid {number}" for number in range(first, first + count)]


def as_plain(own: list[str], quoted: list[str], below: list[str], style: str) -> str:
    if style == "fields":
        return "\n".join([*own, "", *FIELDS, "", LONG, *quoted])
    rows = [*own, "", ATTRIBUTION, "", f"> {LONG}", *(f"> {line}" for line in quoted), "", *below]
    return "\n".join(rows if quoted else [*own, *below])


def as_page(own: list[str], quoted: list[str], below: list[str], style: str) -> str:
    def rows(lines: list[str]) -> str:
        return "".join(f"<div>{escape(line)}</div>" for line in lines)

    if not quoted:
        return rows(own + below) if style != "indented" else f"<blockquote>{rows(own + below)}</blockquote>"
    letter = rows([LONG, *quoted])
    if style == "fields":
        return f"{rows(own)}<div id=appendonsend></div><p>{'<br>'.join(FIELDS)}</p>{letter}"
    if style == "gmail":
        bar = "margin:0 0 0 .8ex;border-left:1px #ccc solid"
        said = f"<div class=gmail_attr>{escape(ATTRIBUTION)}</div>"
        quote = f"<div class=gmail_quote>{said}<blockquote class=gmail_quote style='{bar}'>{letter}</blockquote></div>"
    else:
        cite = " type=cite" if style == "cited" else ""
        quote = f"<p>{escape(ATTRIBUTION)}</p><blockquote{cite}>{letter}</blockquote>"
    return f"{rows(own)}{quote}{rows(below)}"


class Maker:
    """Makes mails from random texts, and mutates them at random."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.own, self.quoted = 100, 500

    def mail(self) -> Piece:
        inside = [self.text() for _ in range(self.random.choice((1, 1, 2, 3)))]
        if len(inside) == 1:
            return inside[0]
        if self.random.random() < 0.3:
            inside.insert(1, PICTURE)
        return Piece("multipart/mixed", inside=tuple(inside))

    def text(self) -> Piece:
        style = self.random.choice(("gmail", "cited", "bare", "fields", "indented"))
        ending = self.random.choice(ENDINGS)
        own, below = self._next_own(2), [*self._next_own(1), *ending] if style != "fields" else []
        quoted = [] if style == "indented" or self.random.random() < 0.4 else orders(self.quoted, 3)
        self.quoted += len(quoted)
        plain = Piece("text/plain", as_plain(own, quoted, below, style))
        page = Piece("text/html", f"<html><body>{as_page(own, quoted, below, style)}</body></html>")
        return self.random.choice((plain, page, Piece("multipart/alternative", inside=(plain, page), boundary="a")))

    def _next_own(self, count: int) -> list[str]:
        self.own += count
        return orders(self.own - count, count)

    def change(self, mail: Piece) -> Piece:
        packing = (self.swap, self.repeat, self.wrap, self.rename, self.relabel)
        return self.random.choice((*packing, self.encode, self.end_lines, self.fold, self.banner, self.name))(mail)

    def swap(self, mail: Piece) -> Piece:
        return replace(mail, inside=tuple(self.random.sample(mail.inside, len(mail.inside))))

    def repeat(self, mail: Piece) -> Piece:
        return replace(mail, inside=(*mail.inside, self.random.choice(mail.inside))) if mail.inside else mail

    def wrap(self, mail: Piece) -> Piece:
        kind = self.random.choice(("mixed", "related", "signed", "alternative", "x-unknown"))
        beside = () if kind == "alternative" else (self.random.choice((PICTURE, SIGNATURE, EMPTY)),)
        return Piece(f"multipart/{kind}", inside=(mail, *beside), boundary=f"w{self.random.randrange(10**6)}")

    def encode(self, mail: Piece) -> Piece:
        encoding = self.random.choice(("base64", "quoted-printable", "8bit"))
        return self._leaves(mail, encoding=encoding, charset=self.random.choice(("utf-8", "latin-1", "us-ascii")))

    def rename(self, mail: Piece) -> Piece:
        return replace(mail, boundary=self.random.choice(("=_b", "b b", "----=_Part.1", "b'()+_,-./:=?")))

    def fold(self, mail: Piece) -> Piece:
        return self._leaves(mail, text=lambda text: "\n".join(wrap_row(row) for row in text.split("\n")))

    def end_lines(self, mail: Piece) -> Piece:
        return self._leaves(mail, text=lambda text: text.replace("\n", "\r\n"))

    def banner(self, mail: Piece) -> Piece:
        return self._leaves(mail, encoding="base64", above="CAUTION: This mail came from outside.\n\n")

    def relabel(self, mail: Piece) -> Piece:
        if not mail.kind.startswith("multipart"):
            return mail
        return replace(mail, kind=self.random.choice(("multipart/mixed", "multipart/alternative", "multipart/related")))

    def name(self, mail: Piece) -> Piece:
        return self._leaves(mail, fields=("Content-Disposition: inline",))

    def _leaves(self, mail: Piece, **changed: object) -> Piece:
        if mail.inside:
            return replace(mail, inside=tuple(self._leaves(piece, **changed) for piece in mail.inside))
        if mail.kind.startswith("image") or self.random.random() < 0.3:
            return mail
        values = {name: value(getattr(mail, name)) if callable(value) else value for name, value in changed.items()}
        return replace(mail, **values)  # type: ignore[arg-type]


def wrap_row(row: str) -> str:
    return row if row.startswith("<html>") else "\n".join(textwrap.wrap(row, 72)) or row


PICTURE = Piece("image/png", "x", encoding="base64")
SIGNATURE = Piece("application/pgp-signature", "iQEz")
EMPTY = Piece("text/plain", "\n")


def numbers(texts: tuple[str, ...]) -> set[int]:
    return {int(number) for text in texts for number in re.findall(r"\bbid (\d{3})\b", text)}


def texts_in(piece: Piece) -> Iterator[str]:
    if piece.inside:
        for inside in piece.inside:
            yield from texts_in(inside)
    else:
        yield piece.text


def read(mail: str) -> Examined:
    return examine(f"{HEAD}{mail}".encode("latin-1"), ADDRESS, lambda code: None)


@pytest.mark.parametrize("seed", range(10))
def test_a_changed_mail_leaks_nothing_and_loses_nothing_unnamed(seed: int) -> None:
    maker = Maker(seed)
    for _ in range(MUTATIONS // 10):
        maker.own, maker.quoted = 100, 500
        mail = maker.mail()
        for _ in range(maker.random.randrange(4)):
            mail = maker.change(mail)
        seen = read(mail.written()).reading
        lines = tuple(line for section in seen.sections for line in section.lines)
        assert not any(number >= 500 for number in numbers(lines)), mail.written()
        own = {number for number in numbers(tuple(texts_in(mail))) if number < 500}
        assert own <= numbers((*lines, *seen.ignored, *seen.notes)), (own, seen, mail.written())


def test_half_of_a_changed_mail_leaks_nothing() -> None:
    maker = Maker(99)
    for _ in range(MUTATIONS // 5):
        maker.own, maker.quoted = 100, 500
        written = maker.change(maker.mail()).written()
        seen = read(written[: maker.random.randrange(len(written))]).reading
        assert not any(number >= 500 for number in numbers(seen.lines)), written


def _texts(message: Message) -> Iterator[Message]:
    for part in message.walk():
        if part.get_content_maintype() == "text" and not part.is_multipart():
            yield part


ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "base64": base64.encodebytes,
    "quoted-printable": quopri.encodestring,
}


def _encode_again(message: Message, encoding: str) -> None:
    for part in _texts(message):
        content = content_of(part, MAX_BYTES)
        del part["content-transfer-encoding"]
        part["Content-Transfer-Encoding"] = encoding
        part.set_payload(ENCODINGS[encoding](content).decode("ascii"))


def _wrapped(raw: bytes, kind: str) -> bytes:
    head, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    fields = re.findall(rb"^\S[^\n]*(?:\n[ \t][^\n]*)*", head, re.MULTILINE)
    content = [field for field in fields if field.lower().startswith(b"content-")]
    others = [field for field in fields if field not in content]
    part = b"\n".join(content) + b"\n\n" + body
    picture = PICTURE.written().encode()
    top = b"Content-Type: %s; boundary=outermost" % kind.encode()
    return b"\n".join((*others, top, b"", b"--outermost", part, b"--outermost", picture, b"--outermost--", b""))


CORPUS = sorted(name for name, entry in EXPECTED.items() if entry.get("disposition", "orders") == "orders")


def test_the_mails_of_the_corpus_say_the_same_however_they_are_packed() -> None:
    chosen = random.Random(33)
    for _ in range(OF_THE_CORPUS):
        raw = (HERE / "corpus" / f"{chosen.choice(CORPUS)}.eml").read_bytes()
        message = message_from_bytes(raw)
        before = examine(raw, ADDRESS, sent_form).reading
        if any(part.defects for part in message.walk()) or b"pkcs7" in raw:
            continue
        change = chosen.choice((*ENCODINGS, "multipart/mixed", "multipart/related"))
        if change in ENCODINGS:
            _encode_again(message, change)
            changed = message.as_bytes()
        else:
            changed = _wrapped(raw, change)
        assert examine(changed, ADDRESS, sent_form).reading.sections == before.sections, changed.decode("latin-1")
