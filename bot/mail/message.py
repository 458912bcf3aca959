"""Mails as plain values: `parse(raw)` returns an `Incoming`, or a `Malformed` that gives the reason.

Nothing in a mail is trusted to be well-formed. Its bytes are checked before they are parsed, and its raw headers are
read by our own code (`decoding`). So `parse` returns a value for every input and never raises an exception.
`bot.mail.own_words` decides which of the words are the player's own.

Texts from the parts (RFC 2046; RFC 3676 for format=flowed): only the children of one multipart/alternative are versions
of one text (sections 5.1.3, 5.1.4). Every other text is a separate `Passage`, and the passages are read in order.
Enclosed messages are not read, nor are the header fields that a program repeats in a body to protect them (RFC 9788).
Errors in the decoding of a part are caught. A text file counts as an attachment. For parts that are neither text nor a
known container, only the name is kept.

Files within the text of a mail are encoded with uuencode (POSIX) or yEnc; news readers and old programs send these.
Their rows are not words that anybody wrote. A text file among them is read like an attachment; for other files only the
name is kept.

Text of the type `text/enriched` (RFC 1896) and its forerunner `text/richtext` (RFC 1341), which Emacs, Eudora,
Evolution and older Apple programs wrote, becomes plain text. Its commands are removed, its quotes (`<excerpt>`) get the
quote marks of plain text, and its line breaks are converted: a single line break becomes a space, and n in a row become
n - 1.

If Outlook believes that the reader uses Outlook too, it sends a winmail.dat instead of a mail. This is a TNEF stream
(MS-OXTNEF), a sequence of attributes. One attribute may contain the body; another contains the MAPI properties, which
may contain the body as well (MS-OXCDATA section 2.11). Only these two are read, so a body that exists only as
compressed RTF is not. No count in the stream is trusted: its length limits everything that is read.
"""

from __future__ import annotations

import binascii
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.errors import CloseBoundaryNotFoundDefect
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from typing import NamedTuple

from bot.mail import decoding
from bot.mail.decoding import (
    MAX_BYTES,
    charset_of_page,
    content_of,
    decode_bytes,
    is_binary,
    objection,
    parse_tree,
    with_found_boundary,
)
from bot.mail.lines import any_of, rows
from bot.mail.signatures import SIGNED_TYPES, signed_content

MAX_EMBEDDED_FILES = 10

_UU_BEGIN = re.compile(r"begin(?:-base64)? [0-7]{3,4} (\S[^\n]{0,200})")
_YENC_BEGIN = re.compile(r"=ybegin [^\n]{0,200}?name=([^\n]{1,200})")
_UU_ROW = re.compile(r"[ -`]{1,90}")


class EmbeddedFile(NamedTuple):
    name: str
    content: bytes
    """The content of the part, or empty if it is not worth decoding."""


def without_files(text: str) -> tuple[str, list[EmbeddedFile]]:
    """Return the text without the files that are encoded in it, and these files.

    >>> without_files("bid 4\\nbegin 644 a.txt\\n$<&%S<P``\\n`\\nend\\nno move")
    ('bid 4\\nno move', [EmbeddedFile(name='a.txt', content=b'pass')])
    """
    if "\nend" not in text and "\n=yend" not in text:
        return text, []
    rows = text.split("\n")
    kept: list[str] = []
    files: list[EmbeddedFile] = []
    position = 0
    while position < len(rows):
        end = _end_of_file(rows, position) if len(files) < MAX_EMBEDDED_FILES else None
        if end is None:
            kept.append(rows[position])
            position += 1
            continue
        begin = _UU_BEGIN.fullmatch(rows[position].rstrip())
        yenc = _YENC_BEGIN.match(rows[position])
        if begin:
            files.append(EmbeddedFile(begin.group(1), _decode_file(rows[position + 1 : end])))
        elif yenc:
            files.append(EmbeddedFile(yenc.group(1).strip(), b""))
        position = end + 1
    return "\n".join(kept), files


def _end_of_file(rows: list[str], start: int) -> int | None:
    """Return the row at which a file that begins at ``start`` ends, or None if no file begins there. If one of the rows
    in between cannot belong to an encoded file, there is no file: all of these rows are text that a person wrote."""
    if _YENC_BEGIN.match(rows[start]):
        return next((index for index in range(start + 1, len(rows)) if rows[index].startswith("=yend ")), None)
    if not _UU_BEGIN.fullmatch(rows[start].rstrip()):
        return None
    for index in range(start + 1, len(rows)):
        row = rows[index].rstrip("\r")
        if row.rstrip() == "end":
            return index if index > start + 1 else None
        if row.rstrip() and not (_UU_ROW.fullmatch(row) and _fits(row)):
            return None
    return None


def _fits(row: str) -> bool:
    # the first character of every uuencoded row states its length
    coded = (((ord(row[0]) - 32) & 63) + 2) // 3 * 4
    return len(row.rstrip()) - 1 <= coded + 2 and len(row) - 1 <= coded + 6


def _decode_file(rows: list[str]) -> bytes:
    pieces = []
    for row in filter(None, (row.rstrip("\r\n") for row in rows)):  # an empty row would decode to 32 zeros
        try:
            pieces.append(binascii.a2b_uu(row))
        except binascii.Error:
            continue
    return b"".join(pieces)


ENRICHED_TYPES = ("text/enriched", "text/richtext")

_ENRICHED_PIECE = re.compile(r"<<|<(/?)([A-Za-z0-9-]{1,60})>|\n+|[^<\n]+|<")
_MAX_EXCERPTS = 9


def plain_text(text: str) -> str:
    """Return the text that a program would show for enriched text.

    >>> plain_text("<bold>ship 4</bold> to\\ncarthag\\n\\n<excerpt>bid 9</excerpt>")
    'ship 4 to carthag\\n> bid 9\\n'
    >>> plain_text("<excerpt>bid 9</excerpt>pass")
    '> bid 9\\npass'
    """
    return "".join(_shown(text))


def _shown(text: str) -> Iterator[str]:
    verbatim = parameters = depth = 0
    starts_line = True
    for found in _ENRICHED_PIECE.finditer(text):
        piece, command = found.group(), (found.group(2) or "").lower()
        change = -1 if found.group(1) else 1
        if command == "param":
            parameters = max(parameters + change, 0)
        elif command == "nofill":
            verbatim = max(verbatim + change, 0)
        elif command == "excerpt":
            depth = min(max(depth + change, 0), _MAX_EXCERPTS)
            if not starts_line:
                yield "\n"
            starts_line = True
        elif command in ("nl", "paragraph", "lt"):
            yield "<" if command == "lt" else "\n"
            starts_line = command != "lt"
        elif command or parameters:
            continue
        elif piece.startswith("\n"):
            ends = len(piece) if verbatim else len(piece) - 1
            yield "\n" * ends or ("" if starts_line else " ")
            starts_line = starts_line or ends > 0
        else:
            marks = "> " * depth if starts_line else ""
            yield marks + ("<" if piece == "<<" else piece)
            starts_line = False


MAX_DEPTH = 50
MAX_TEXT = 1_000_000
"""The number of characters kept from all passages of a mail together, once for plain text and once for HTML."""

MAX_ATTACHED_TEXT = 100_000
TOO_DEEP = "parts too deep inside one another"
TOO_LONG = "the end of a long text"
CUT_OFF = "the end of a mail that was cut off"
_MAX_ROW = 5_000
"""The number of characters kept of a row of plain text. This is more than are read, because the text after an overlong
row also counts."""
_PAGE = re.compile(r"\s{0,200}(?:<\?xml[^>]{0,200}>\s{0,200})?(?:<!doctype html\b|<html\b)", re.IGNORECASE)

_PROTECTED_FIELDS = re.compile(
    r"\s*+(?:(?:subject|from|to|cc|date|reply-to|followup-to|message-id|in-reply-to|references)[ \t]*:[^\n]*+"
    r"(?:\n[ \t]++[^\s][^\n]*+)*+(?:\n|\Z))++(?:[ \t]*+(?:\n|\Z))",
    re.IGNORECASE,
)
"""Header fields repeated at the beginning of a text, and the empty line below them."""

_TEXT_FILE = re.compile(r"\.(?:txt|text|md|markdown|log)\Z", re.IGNORECASE)
_OTHER_WORDS = ("text/markdown", "text/x-markdown", "text/x-web-markdown", "text/unknown", *ENRICHED_TYPES)
"""Text types that are read like plain text if the mail has no plain text or HTML alternative."""
_ROW_MARKS = re.compile(r"[ \u00a0]?[>＞][>＞ \u00a0]{0,40}")
_WITHIN_ROW = re.compile(r"[\r\v\f\x1c\x1d\x1e\x85\u2028\u2029](?<!\r(?=\n))")
_FOOTER_RULE = re.compile(r"^(?:-- ?$|_{5,}|-{5,}|={5,})", re.MULTILINE)
_KEYCAP = re.compile("[0-9]\ufe0f?\u20e3")
_LINE_ENDS = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"))


@dataclass(frozen=True, slots=True)
class TextAttachment:
    name: str
    content_type: str
    text: str
    disposition: str = field(default="", compare=False)
    """Its Content-Disposition (RFC 2183) without parameters: attachment, inline, reaction; empty if it has none."""
    method: str = field(default="", compare=False)
    """The method parameter of a calendar part (RFC 5545)."""


class Text(NamedTuple):
    content: str
    is_page: bool = False
    """HTML, not plain text."""
    flowed: bool = False
    """`format=flowed` (RFC 3676)."""
    delsp: bool = False


Version = tuple[Text, ...]
"""One version of a text. If a program shows a picture within the text, the version has several parts."""


@dataclass(frozen=True, slots=True)
class Passage:
    versions: tuple[Version, ...]
    """The versions of the passage, with the best version last."""
    goes_on: bool = False
    """There is only a picture between this passage and the text above it, so both may be one text that a program has
    divided."""

    @property
    def plain(self) -> Version:
        return next((version for version in reversed(self.versions) if not has_page(version)), ())

    @property
    def page(self) -> Version:
        return next((version for version in reversed(self.versions) if has_page(version)), ())


def has_page(version: Version) -> bool:
    return any(text.is_page for text in version)


@dataclass(slots=True)
class Texts:
    passages: list[Passage] = field(default_factory=list)
    picture_last: bool = False
    attachments: list[TextAttachment] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def texts_of(message: Message) -> Texts:
    texts = Texts()
    _walk(message, texts, depth=0)
    return texts


def _walk(part: Message, texts: Texts, depth: int) -> None:
    if depth > MAX_DEPTH:
        texts.unread.append(TOO_DEEP)
        return
    content_type = content_type_of(part)
    kind = content_type.partition("/")[0]
    if kind == "message":
        texts.unread.append(_label(part))
    elif part.is_multipart():
        if depth == 0 and any(isinstance(found, CloseBoundaryNotFoundDefect) for found in part.defects):
            texts.unread.append(CUT_OFF)
        children = list(_children(part))
        if content_type == "multipart/alternative":
            _alternatives(children, texts, depth)
        else:
            for child in children:
                _walk(child, texts, depth + 1)
    elif kind in ("text", "multipart"):
        _text(part, content_type, texts, depth)
    elif content_type in SIGNED_TYPES:
        _sealed(part, texts, depth)
    elif content_type in TNEF_TYPES or _filename(part).lower() == "winmail.dat":
        _packed_by_outlook(part, texts)
    elif _TEXT_FILE.search(_filename(part)) or (content_type == "application/octet-stream" and not _filename(part)):
        _attach(part, "text/plain", texts)
    else:
        texts.picture_last = kind in ("image", "video") and _disposition(part) != "attachment"
        texts.unread.append(_label(part))


def _alternatives(children: list[Message], texts: Texts, depth: int) -> None:
    if any(content_type_of(child) not in _OTHER_WORDS for child in children):
        children = [child for child in children if content_type_of(child) not in _OTHER_WORDS]
    versions: list[Version] = []
    for child in children:
        seen = Texts()
        _walk(child, seen, depth + 1)
        texts.attachments += seen.attachments
        texts.unread += seen.unread
        versions += _versions_of(seen.passages)
    if versions:
        _add(texts, *dict.fromkeys(versions))


def _add(texts: Texts, *versions: Version) -> None:
    texts.passages.append(Passage(versions, texts.picture_last))
    texts.picture_last = False


def _versions_of(passages: list[Passage]) -> Iterable[Version]:
    if len(passages) == 1:
        return passages[0].versions
    plain = tuple(text for passage in passages for text in passage.plain or passage.page)
    page = tuple(text for passage in passages for text in passage.page or passage.plain)
    return filter(None, (plain, page))


def _sealed(part: Message, texts: Texts, depth: int) -> None:
    inside = signed_content(content_of(part, MAX_BYTES))
    if inside is None or objection(inside, MAX_BYTES):
        texts.unread.append(_label(part))
    else:
        _walk(parse_tree(inside), texts, depth + 1)


def _packed_by_outlook(part: Message, texts: Texts) -> None:
    found = tnef_text(content_of(part, MAX_TNEF))
    inside = (Text(found.plain[:MAX_TEXT]), Text(found.html[:MAX_TEXT], is_page=True))
    versions = tuple((text,) for text in inside if text.content.strip())
    beside = (text for passage in texts.passages for version in passage.versions for text in version)
    if versions and not any(text.content.strip() for text in beside):
        texts.passages = [Passage(versions)]
    else:
        texts.unread.append(f"{TNEF_TYPES[0]} ({_filename(part)})")


def _attach(part: Message, content_type: str, texts: Texts) -> None:
    name = _filename(part)
    if is_binary(content_of(part, MAX_ATTACHED_TEXT)):
        texts.unread.append(_label(part))
    else:
        kind = "text/plain" if _TEXT_FILE.search(name) and content_type != "text/html" else content_type
        text, method = _decoded_text(part)[:MAX_ATTACHED_TEXT], _parameter(part, "method")
        texts.attachments.append(TextAttachment(name, kind, text, _disposition(part), method))


def _text(part: Message, content_type: str, texts: Texts, depth: int) -> None:
    has_lost_boundary = content_type.startswith("multipart/")
    if has_lost_boundary and _boundary_found(part, content_type, texts, depth):
        return
    if content_type == "text/rfc822-headers" and _protects_fields(part):
        return
    words = content_type in ("text/plain", "text/html", *_OTHER_WORDS) or has_lost_boundary
    if _is_attachment(part) or not words:
        _attach(part, content_type, texts)
        return
    text = _decoded_text(part)
    if _disposition(part) == "reaction" and is_emoji(text):  # RFC 9078: a part with words is not a reaction
        texts.attachments.append(TextAttachment("", content_type, text, "reaction"))
        return
    if _protects_fields(part) and content_type != "text/html":
        fields = _PROTECTED_FIELDS.match(text)
        text = text[fields.end() :] if fields else text
    if len(text) >= MAX_TEXT:
        texts.unread.append(TOO_LONG)
    if content_type == "text/html" or _PAGE.match(text):
        _add(texts, (Text(text, is_page=True),))
        return
    text, files = without_files(plain_text(text) if content_type in ENRICHED_TYPES else text)
    for file in files:
        if _TEXT_FILE.search(file.name) and file.content and not is_binary(file.content):
            texts.attachments.append(TextAttachment(file.name, "text/plain", _as_lines(decode_bytes(file.content, ""))))
        else:
            texts.unread.append(f"application/octet-stream ({file.name})")
    flowed = _parameter(part, "format") == "flowed"
    _add(texts, (Text(text, False, flowed, flowed and _parameter(part, "delsp") == "yes"),))


def _protects_fields(part: Message) -> bool:
    # as in RFC 9788, or in its forerunner, Enigmail
    return _parameter(part, "hp-legacy-display") == "1" or _parameter(part, "protected-headers") == "v1"


def _boundary_found(part: Message, content_type: str, texts: Texts, depth: int) -> bool:
    inside = with_found_boundary(content_type, content_of(part, MAX_BYTES))
    if inside is None or objection(inside, MAX_BYTES):
        return False
    _walk(parse_tree(inside), texts, depth + 1)
    return True


def _decoded_text(part: Message) -> str:
    payload = content_of(part, MAX_TEXT * 4)
    declared = charset_of(part)
    if not declared and content_type_of(part) == "text/html":
        declared = charset_of_page(payload)
    text = decode_bytes(payload, declared).replace("\r\n", "\n")
    if content_type_of(part) == "text/html" or _PAGE.match(text):
        return _as_lines(text[:MAX_TEXT])
    return "\n".join(row[:_MAX_ROW] for row in _as_lines(_quoted_whole(text)).split("\n"))[:MAX_TEXT]


def _as_lines(text: str) -> str:
    return text.replace("\r\n", "\n").translate(_LINE_ENDS)


def _quoted_whole(text: str) -> str:
    """Mark every part of a quoted row as quoted: repeat the quote marks after any unusual line-end character within the
    row. In a text whose only line ends are CR, each CR ends a row."""
    if not _WITHIN_ROW.search(text):
        return text
    if "\n" not in text.strip():
        text = text.replace("\r", "\n")
    rows = text.split("\n")
    for index, row in enumerate(rows):
        marks = _ROW_MARKS.match(row)
        if marks:
            rows[index] = _WITHIN_ROW.sub(f"\n{marks.group()}", row)
    return "\n".join(rows)


def _children(part: Message) -> Iterator[Message]:
    payload = part.get_payload()
    if isinstance(payload, list):
        yield from (child for child in payload if isinstance(child, Message))


def content_type_of(part: Message) -> str:
    try:
        return part.get_content_type()
    except Exception:  # raised by some broken parameters
        return "application/octet-stream"


def charset_of(part: Message) -> str:
    try:
        return part.get_content_charset() or ""
    except Exception:  # a broken RFC 2231 parameter raises
        return ""


def _is_attachment(part: Message) -> bool:
    return _disposition(part) == "attachment" or bool(_filename(part))


def _disposition(part: Message) -> str:
    found = re.match(r"[\s\"]*([\w-]+)", str(part.get("content-disposition", "")))
    return found.group(1).lower() if found else ""


def is_emoji(text: str) -> bool:
    own = _FOOTER_RULE.split(text, maxsplit=1)[0]
    return not any(letter.isalnum() for letter in _KEYCAP.sub("", own))


def _filename(part: Message) -> str:
    try:
        return decoding.decode_field(part.get_filename() or "")[:200]
    except Exception:  # broken RFC 2231 continuations raise
        return "a file"


def _parameter(part: Message, name: str) -> str:
    try:
        value = part.get_param(name, "")
    except Exception:  # broken RFC 2231 parameters raise
        return ""
    return value.strip().lower() if isinstance(value, str) else ""


def _label(part: Message) -> str:
    name = _filename(part)
    return f"{content_type_of(part)} ({name})" if name else content_type_of(part)


RECIPIENT_FIELDS = (
    "to",
    "cc",
    "bcc",
    "delivered-to",
    "x-original-to",
    "envelope-to",
    "x-envelope-to",
    "x-forwarded-to",
    "apparently-to",
    "resent-to",
    "resent-cc",
)

_KEPT_FIELDS = (
    "authentication-results",
    "auto-submitted",
    "content-type",
    "delivered-to",
    "dkim-signature",
    "from",
    "list-id",
    "list-post",
    "mailing-list",
    "precedence",
    "preference",
    "reply-to",
    "return-path",
    "sender",
    "subject",
    "x-beenthere",
    "x-failed-recipients",
    "x-loop",
    "x-mentat",
    "x-post-messageclass",
    "x-precedence",
)

_FIELD_OF_A_PROGRAM = rows(lambda: any_of("automatic", "fields"))


@dataclass(frozen=True, slots=True)
class Incoming:
    """A parsed mail. Addresses are in lower case, message ids have no angle brackets, and `date` is in UTC."""

    message_id: str | None
    senders: tuple[str, ...]
    sender_name: str
    recipients: tuple[str, ...]
    subject: str
    date: datetime | None
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    headers: Mapping[str, tuple[str, ...]]
    content_type: str
    passages: tuple[Passage, ...] = ()
    attachments: tuple[TextAttachment, ...] = ()
    unread: tuple[str, ...] = ()
    """The content types and names of the parts that are neither text nor a known container."""
    hops: int = 0
    """The number of Received fields."""

    @property
    def sender(self) -> str:
        """The address in the From field, or "" if there is none or more than one."""
        return self.senders[0] if len(self.senders) == 1 else ""

    @property
    def files(self) -> tuple[TextAttachment, ...]:
        return tuple(attached for attached in self.attachments if attached.disposition != "reaction")

    @property
    def text_plain(self) -> str | None:
        return _joined(passage.plain for passage in self.passages)

    @property
    def html(self) -> str | None:
        return _joined(passage.page for passage in self.passages)

    def header(self, name: str) -> str:
        return self.headers.get(name, ("",))[0]


def _joined(versions: Iterable[Version]) -> str | None:
    texts = [text.content for version in versions for text in version]
    return "\n".join(texts) if texts else None


@dataclass(frozen=True, slots=True)
class Malformed:
    reason: str


def parse(raw: bytes, max_bytes: int = MAX_BYTES) -> Incoming | Malformed:
    """Read a message. This never raises an exception.

    >>> mail = parse(b"From: Baron <baron@example.org>\\r\\nSubject: bid\\r\\n\\r\\nbid 4\\r\\n")
    >>> mail.sender, mail.text_plain
    ('baron@example.org', 'bid 4\\n')
    """
    why = objection(raw, max_bytes)
    if why:
        return Malformed(why)
    try:
        return _incoming(parse_tree(raw))
    except Exception as error:  # this module promises not to raise; the game master is told the class of the error
        return Malformed(f"the message cannot be parsed ({type(error).__name__})")


def _incoming(message: Message) -> Incoming:
    fields = _fields(message)
    texts = texts_of(message)
    senders = [mailbox for value in fields.get("from", ()) for mailbox in decoding.mailboxes_in(value)]
    if any(map(decoding.hides_mailbox, fields.get("from", ()))):
        senders.append(("", ""))  # ambiguous: some program may show this sender
    recipients = [a for name in RECIPIENT_FIELDS for value in fields.get(name, ()) for a in _recipients(name, value)]
    own_id = _ids(fields, "message-id")
    subject = decoding.decode_field(fields.get("subject", ("",))[0])[:500]
    return Incoming(
        message_id=own_id[0] if own_id else None,
        senders=tuple(dict.fromkeys(address for _, address in senders)),
        sender_name=senders[0][0][:200] if senders else "",
        recipients=tuple(dict.fromkeys(recipients)),
        subject=subject,
        date=decoding.date_in(fields["date"][0]) if "date" in fields else None,
        in_reply_to=_ids(fields, "in-reply-to"),
        references=_ids(fields, "references"),
        headers={
            name: tuple(decoding.unfold_field(decoding.repair_field(value)) for value in values[:20])
            for name, values in fields.items()
            if name in _KEPT_FIELDS or "auto" in name or _is_of_a_program(name)
        },
        content_type=content_type_of(message),
        passages=tuple(_limited(texts)),
        attachments=tuple(texts.attachments[:10]),
        unread=tuple(texts.unread[:10]),
        hops=len(fields.get("received", ())),
    )


@dataclass(frozen=True, slots=True)
class Station:
    server: str
    at: datetime | None


def route_of(raw: bytes) -> list[Station]:
    """Return the servers that received a mail, in order of time (RFC 5321, section 4.4). The sender can forge
    everything except the entry of the last server, which is our own."""
    received = _fields(BytesHeaderParser(policy=compat32).parsebytes(raw)).get("received", ())
    return [
        _station(decoding.unfold_field(decoding.repair_field(field))) for field in reversed(received[:MOST_STATIONS])
    ]


def _station(field: str) -> Station:
    told, ends, date = field.rpartition(";")
    by = _BY.search(told if ends else field)
    return Station(by[1][:200] if by else "", decoding.date_in(date.strip()))


MOST_STATIONS = 20
_BY = re.compile(r"\bby\s+([^\s;()]+)", re.IGNORECASE)


def _limited(texts: Texts) -> Iterator[Passage]:
    left = {False: MAX_TEXT, True: MAX_TEXT}
    for passage in texts.passages:
        versions: list[Version] = []
        for version in passage.versions:
            kept = tuple(text._replace(content=text.content[: left[text.is_page]]) for text in version)
            for text in kept:
                left[text.is_page] -= len(text.content)
            versions.append(kept)
            if kept != version and TOO_LONG not in texts.unread:
                texts.unread.append(TOO_LONG)
        yield replace(passage, versions=tuple(versions))


def _is_of_a_program(name: str) -> bool:
    return name.startswith("x-discourse-") or bool(_FIELD_OF_A_PROGRAM.fullmatch(name))


def _fields(message: Message) -> dict[str, tuple[str, ...]]:
    fields: dict[str, list[str]] = {}
    for name, value in message.raw_items():
        fields.setdefault(name.strip().lower(), []).append(str(value))
    return {name: tuple(values) for name, values in fields.items()}


def _recipients(name: str, value: str) -> list[str]:
    """Return the addresses in a field. In fields that people fill in, addresses that are part of a display name are
    left out."""
    if name in ("to", "cc", "bcc", "resent-to", "resent-cc"):
        return [address for _, address in decoding.mailboxes_in(value)]
    return decoding.addresses_in(value)


def _ids(fields: Mapping[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
    return tuple(decoding.message_ids_in(fields[name][0])) if name in fields else ()


TNEF_TYPES = ("application/ms-tnef", "application/vnd.ms-tnef")
MAX_TNEF = 1_000_000

_TNEF_SIGNATURE = 0x223E9F78
_BODY, _PROPERTIES = 0x800C, 0x9003
_TEXT, _HTML = 0x1000, 0x1013
_STRING, _UNICODE, _OBJECT, _BINARY = 0x001E, 0x001F, 0x000D, 0x0102
_FIXED = {0x0002: 4, 0x0003: 4, 0x0004: 4, 0x0005: 8, 0x0006: 8, 0x0007: 8, 0x000A: 4, 0x000B: 4, 0x0014: 8,
          0x0040: 8, 0x0048: 16}  # fmt: skip
_SEVERAL = 0x1000
_NAMED = 0x8000


class TnefText(NamedTuple):
    plain: str
    html: str


def tnef_text(data: bytes) -> TnefText:
    found = {_TEXT: "", _HTML: ""}
    try:
        for name, value in _attributes(data[:MAX_TNEF]):
            if name == _BODY:
                found[_TEXT] = found[_TEXT] or _tnef_string(value, "")
            elif name == _PROPERTIES:
                for identity, kind, content in _properties(value):
                    if identity in found:
                        found[identity] = (
                            _tnef_string(content, "utf-16-le" if kind == _UNICODE else "") or found[identity]
                        )
    except (struct.error, ValueError):  # the stream is truncated, or not TNEF
        pass
    return TnefText(found[_TEXT], found[_HTML])


def _tnef_string(value: bytes, charset: str) -> str:
    return decode_bytes(value, charset).rstrip("\0").replace("\r\n", "\n").replace("\r", "\n")


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    if struct.unpack_from("<I", data)[0] != _TNEF_SIGNATURE:
        raise ValueError("no TNEF stream")
    place = 6
    while place + 11 <= len(data):
        _, name, _, length = struct.unpack_from("<BHHI", data, place)
        yield name, data[place + 9 : place + 9 + length]
        place += 9 + length + 2


def _properties(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield (id, type, value) for each MAPI property. Stop at a property of an unknown type, because its length is then
    unknown too. Raise struct.error if there are fewer properties than declared."""
    (count,) = struct.unpack_from("<I", data)
    place = 4
    for _ in range(count):
        kind, identity = struct.unpack_from("<HH", data, place)
        place += 4
        if identity >= _NAMED:
            place = _after_name(data, place)
        several = kind & _SEVERAL
        kind &= ~_SEVERAL
        if kind in _FIXED:
            values = struct.unpack_from("<I", data, place)[0] if several else 1
            place += (4 if several else 0) + values * _FIXED[kind]
        elif kind in (_STRING, _UNICODE, _OBJECT, _BINARY):
            (values,) = struct.unpack_from("<I", data, place)
            place += 4
            for _ in range(values):
                (length,) = struct.unpack_from("<I", data, place)
                yield identity, kind, data[place + 4 : place + 4 + length]
                place += 4 + length + (-length % 4)
        else:
            return


def _after_name(data: bytes, place: int) -> int:
    (named_by,) = struct.unpack_from("<I", data, place + 16)
    place += 20
    if named_by == 0:
        return place + 4
    length = int(struct.unpack_from("<I", data, place)[0])
    return place + 4 + length + (-length % 4)
