"""A mail as it came, made into a plain value: `parse(raw)` gives an `Incoming`, or `Malformed` and why.

Nothing in a mail is trusted to be well-formed. The bytes are weighed before they are parsed (size,
number and depth of parts, boundaries times lines), because the standard parser recurses and compares each line
with every open boundary; headers are read raw by `bot.mail.headers`; each part is decoded under guard. So
`parse` returns for every input and never raises.

What a mail holds is decided here (RFC 2046, RFC 3676 for the format of text); which of its words are the
player's own is decided in `bot.mail.reading`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.feedparser import BytesFeedParser
from email.message import Message

from bot.mail import enriched, headers, tnef
from bot.mail.charset import charset_of_page, decode_bytes, is_binary
from bot.mail.embedded import without_files
from bot.mail.head import mended, with_found_boundary
from bot.mail.phrases import any_of
from bot.mail.sealed import SIGNED_TYPES, signed_content
from bot.mail.transfer import content

MAX_BYTES = 10_000_000
MAX_PARTS = 100
MAX_DEPTH = 20
MAX_ROWS = 200_000
"""Lines of the whole message, with its files: a picture of 10 MB has 135,000. Each costs memory."""
MAX_REPORT_BLOCKS = 5_000
"""Empty lines of a message that holds a delivery report: the standard parser makes a message of what is between two."""
MAX_TEXT = 1_000_000
"""Characters of text kept of one mail, plain and HTML each."""

MAX_BOUNDARY_WORK = 4_000_000
"""Lines times declared boundaries: the number of comparisons that the standard parser may be led into."""

MAX_HEADER_LINES = 5_000
MAX_CONTENT_FIELD = 4_000
"""Bytes of one Content-… field: the standard parser is quadratic in its parameters."""
MAX_ATTACHED_TEXT = 100_000

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
    "dkim-signature",
    "from",
    "list-id",
    "list-post",
    "mailing-list",
    "precedence",
    "reply-to",
    "return-path",
    "sender",
    "subject",
    "x-beenthere",
    "x-failed-recipients",
    "x-mentat",
)

# These are for a message in lower case, with a line end put before it and every line end the same: case and starts of
# lines, asked for by flags, make the search of a large message ten times as long.
_BOUNDARY = re.compile(rb"boundary\s*=\s*(?:\"([^\"\r\n]{1,200})\"|([^\s;\"]{1,200}))")
_CONTAINER = re.compile(rb"\ncontent-type[ \t]*:\s*(?:multipart|message)/")
_CONTENT_FIELD = re.compile(rb"\ncontent-[a-z-]{1,40}[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*")
_DELIMITER = re.compile(rb"\n--([^\n]{1,210}?)[ \t]*(?=\n|\Z)")

_FIELD_OF_A_PROGRAM = re.compile(any_of("automatic", "fields"))
_TEXT_FILE = re.compile(r"\.(?:txt|text|md|markdown|log)\Z", re.IGNORECASE)
_PIECE = 65_536
_OTHER_WORDS = ("text/markdown", "text/x-markdown", "text/x-web-markdown", "text/unknown", *enriched.TYPES)
"""Types of text that are read as plain text is, where the same words do not come as plain text or HTML too."""
_LINE_ENDS = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"))


@dataclass(frozen=True, slots=True)
class TextAttachment:
    """A text that came as a file and is not part of what the sender wrote in the mail."""

    name: str
    content_type: str
    text: str


@dataclass(frozen=True, slots=True)
class Incoming:
    """One mail, read. Addresses are in lower case, message ids without angle brackets, `date` in UTC."""

    message_id: str | None
    senders: tuple[str, ...]
    sender_name: str
    recipients: tuple[str, ...]
    subject: str
    date: datetime | None
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    headers: Mapping[str, tuple[str, ...]]
    raw_sha256: str
    size: int
    content_type: str
    text_plain: str | None
    html: str | None
    flowed: bool = False
    """The plain text is `format=flowed` (RFC 3676)."""
    delsp: bool = False
    attachments: tuple[TextAttachment, ...] = ()
    unread: tuple[str, ...] = ()
    """Content types, with names, of the parts that are neither text nor a known envelope."""
    hops: int = 0
    """How many servers say that they passed the mail on."""

    @property
    def sender(self) -> str:
        """The one address of the From field; empty when there is none or more than one."""
        return self.senders[0] if len(self.senders) == 1 else ""

    def header(self, name: str) -> str:
        """The first field of that name (lower case), or an empty string."""
        return self.headers.get(name, ("",))[0]


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that are not read as a mail, and why; the hash names the raw message as in `Incoming`."""

    reason: str
    raw_sha256: str
    size: int


@dataclass(slots=True)
class _Texts:
    """What a walk over the parts has found so far."""

    plain: list[str] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    html_alone: bool = False
    flowed: bool = False
    delsp: bool = False
    attachments: list[TextAttachment] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def parse(raw: bytes, max_bytes: int = MAX_BYTES) -> Incoming | Malformed:
    """Read a message. Never raises.

    >>> mail = parse(b"From: Baron <baron@example.org>\\r\\nSubject: bid\\r\\n\\r\\nbid 4\\r\\n")
    >>> mail.sender, mail.text_plain
    ('baron@example.org', 'bid 4\\n')
    """
    digest = hashlib.sha256(raw).hexdigest()
    why = objection(raw, max_bytes)
    if why:
        return Malformed(why, digest, len(raw))
    try:
        return _incoming(tree(raw), digest, len(raw))
    except Exception as error:  # the promise of this module; the class of the error is told to the game master
        return Malformed(f"the message cannot be parsed ({type(error).__name__})", digest, len(raw))


def tree(raw: bytes) -> Message:
    """The parts of a message whose bytes have been weighed; fields stay raw (the compatible policy)."""
    return parsed(mended(raw))


def parsed(raw: bytes) -> Message:
    """What the standard parser makes of bytes, given to it in pieces: of a whole mail it makes copies of many times
    its size."""
    parser: BytesFeedParser[Message] = BytesFeedParser(policy=policy.compat32)
    for start in range(0, len(raw), _PIECE):
        parser.feed(raw[start : start + _PIECE])
    return parser.close()


def objection(raw: bytes, max_bytes: int) -> str:
    """Why these bytes are not given to the parser at all; empty when they are."""
    if not raw.strip():
        return "the message is empty"
    if len(raw) > max_bytes:
        return f"the message has {len(raw)} bytes; at most {max_bytes} are read"
    if max(raw.count(b"\n"), raw.count(b"\r")) > MAX_ROWS:
        return f"the message has more than {MAX_ROWS} lines"
    lower = b"\n" + raw.lstrip().lower().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"delivery-status" in lower and lower.count(b"\n\n") > MAX_REPORT_BLOCKS:
        return "the message reports about too many recipients"
    if len(_CONTAINER.findall(lower)) > MAX_PARTS:
        return f"the message has more than {MAX_PARTS} parts inside one another"
    if lower.partition(b"\n\n")[0].count(b"\n") > MAX_HEADER_LINES:
        return f"the message has more than {MAX_HEADER_LINES} header lines"
    if any(len(found.group()) > MAX_CONTENT_FIELD for found in _CONTENT_FIELD.finditer(lower)):
        return f"a Content field of the message has more than {MAX_CONTENT_FIELD} bytes"
    boundaries = {quoted or bare for quoted, bare in _BOUNDARY.findall(lower)}
    if len(boundaries) * lower.count(b"\n") > MAX_BOUNDARY_WORK:
        return "the message declares too many boundaries for its length"
    if boundaries:
        opened = sum(found in boundaries for found in _DELIMITER.findall(lower))
        if opened > MAX_PARTS:
            return f"the message has more than {MAX_PARTS} parts"
    return ""


def _incoming(message: Message, digest: str, size: int) -> Incoming:
    fields = _fields(message)
    texts = _Texts()
    _walk(message, texts, depth=0)
    senders = [mailbox for value in fields.get("from", ()) for mailbox in headers.mailboxes(value)]
    recipients = [a for name in RECIPIENT_FIELDS for value in fields.get(name, ()) for a in _recipients(name, value)]
    own_id = _ids(fields, "message-id")
    subject = headers.decoded(fields.get("subject", ("",))[0])[:500]
    return Incoming(
        message_id=own_id[0] if own_id else None,
        senders=tuple(dict.fromkeys(address for _, address in senders)),
        sender_name=senders[0][0][:200] if senders else "",
        recipients=tuple(dict.fromkeys(recipients)),
        subject=subject,
        date=headers.date(fields["date"][0]) if "date" in fields else None,
        in_reply_to=_ids(fields, "in-reply-to"),
        references=_ids(fields, "references"),
        headers={
            name: tuple(headers.unfold(headers.repaired(value)) for value in values[:20])
            for name, values in fields.items()
            if name in _KEPT_FIELDS or "auto" in name or _FIELD_OF_A_PROGRAM.fullmatch(name)
        },
        raw_sha256=digest,
        size=size,
        content_type=_content_type(message),
        text_plain=_joined(texts.plain) if texts.plain and not texts.html_alone else None,
        html=_joined(texts.html) if texts.html else None,
        flowed=texts.flowed,
        delsp=texts.delsp,
        attachments=tuple(texts.attachments[:10]),
        unread=tuple(texts.unread[:10]),
        hops=len(fields.get("received", ())),
    )


def _fields(message: Message) -> dict[str, tuple[str, ...]]:
    """Raw values by lower-case field name, in order of appearance."""
    fields: dict[str, list[str]] = {}
    for name, value in message.raw_items():
        fields.setdefault(name.strip().lower(), []).append(str(value))
    return {name: tuple(values) for name, values in fields.items()}


def _recipients(name: str, value: str) -> list[str]:
    """The addresses in a field: not those in display names where people write it, all where servers do."""
    if name in ("to", "cc", "bcc", "resent-to", "resent-cc"):
        return [address for _, address in headers.mailboxes(value)]
    return headers.addresses(value)


def _ids(fields: Mapping[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
    return tuple(headers.message_ids(fields[name][0])) if name in fields else ()


def _joined(texts: list[str]) -> str:
    return "\n".join(texts)[:MAX_TEXT]


def _walk(part: Message, texts: _Texts, depth: int) -> None:
    """Collect the texts of a part: every alternative, every inline sibling, nothing of an enclosed message."""
    if depth > MAX_DEPTH:
        texts.unread.append("parts too deep inside one another")
        return
    content_type = _content_type(part)
    if content_type.startswith("message/"):
        texts.unread.append(_label(part))
    elif part.is_multipart():
        children = list(_children(part))
        if content_type == "multipart/alternative":
            _alternatives(children, texts, depth)
        else:
            for child in children:
                _walk(child, texts, depth + 1)
    elif content_type.startswith("text/") or (content_type.startswith("multipart/") and depth == 0):
        _text(part, content_type, texts)
    elif content_type in SIGNED_TYPES:
        _sealed(part, texts, depth)
    elif content_type in tnef.TYPES or _filename(part).lower() == "winmail.dat":
        _packed_by_outlook(part, texts)
    elif _TEXT_FILE.search(_filename(part)):
        _attach(part, "text/plain", texts)
    elif not content_type.startswith("multipart/"):
        texts.unread.append(_label(part))


def _alternatives(children: list[Message], texts: _Texts, depth: int) -> None:
    """The same words in several forms: one plain text and one HTML text are kept, the last of each."""
    if any(_content_type(child) not in _OTHER_WORDS for child in children):
        children = [child for child in children if _content_type(child) not in _OTHER_WORDS]
    found = [_Texts() for _ in children]
    for child, seen in zip(children, found, strict=True):
        _walk(child, seen, depth + 1)
        texts.attachments += seen.attachments
        texts.unread += seen.unread
    plain = [seen for seen in found if seen.plain]
    html = [seen for seen in found if seen.html]
    if plain:
        _add_plain(texts, _joined(plain[-1].plain), plain[-1].flowed, plain[-1].delsp)
    if html:
        texts.html.append(_joined(html[-1].html))
    if html and not plain and not texts.plain:
        texts.html_alone = True


def _sealed(part: Message, texts: _Texts, depth: int) -> None:
    """The part that an opaque signature wraps, if it is one and what is inside would be read as a mail."""
    inside = signed_content(content(part, MAX_BYTES))
    if inside is None or objection(inside, MAX_BYTES):
        texts.unread.append(_label(part))
    else:
        _walk(tree(inside), texts, depth + 1)


def _packed_by_outlook(part: Message, texts: _Texts) -> None:
    """The text of a winmail.dat, where the mail has none beside it."""
    found = tnef.tnef_text(content(part, tnef.MAX_TNEF))
    if not any(text.strip() for text in (*texts.plain, *texts.html)) and (found.plain.strip() or found.html.strip()):
        texts.plain += [found.plain[:MAX_TEXT]] if found.plain.strip() else []
        texts.html += [found.html[:MAX_TEXT]] if found.html.strip() else []
    else:
        texts.unread.append(f"{tnef.TYPES[0]} ({_filename(part)})")


def _attach(part: Message, content_type: str, texts: _Texts) -> None:
    name = _filename(part)
    if is_binary(content(part, MAX_ATTACHED_TEXT)):
        texts.unread.append(_label(part))
    else:
        kind = "text/plain" if _TEXT_FILE.search(name) and content_type != "text/html" else content_type
        texts.attachments.append(TextAttachment(name, kind, _decoded_text(part)[:MAX_ATTACHED_TEXT]))


def _text(part: Message, content_type: str, texts: _Texts) -> None:
    if content_type.startswith("multipart/") and _boundary_found(part, content_type, texts):
        return
    words = content_type in ("text/plain", "text/html", *_OTHER_WORDS) or content_type.startswith("multipart/")
    if _is_attachment(part) or not words:
        _attach(part, content_type, texts)
        return
    text = _decoded_text(part)
    if content_type == "text/html":
        texts.html.append(text)
        texts.html_alone = texts.html_alone or not texts.plain
        return
    text, files = without_files(enriched.plain_text(text) if content_type in enriched.TYPES else text)
    for file in files:
        if _TEXT_FILE.search(file.name) and file.content and not is_binary(file.content):
            texts.attachments.append(TextAttachment(file.name, "text/plain", _as_lines(decode_bytes(file.content, ""))))
        else:
            texts.unread.append(f"application/octet-stream ({file.name})")
    flowed = _parameter(part, "format") == "flowed"
    _add_plain(texts, text, flowed, flowed and _parameter(part, "delsp") == "yes")


def _boundary_found(part: Message, content_type: str, texts: _Texts) -> bool:
    """Read a multipart mail that does not say what stands between its parts, if its body shows it."""
    inside = with_found_boundary(content_type, content(part, MAX_BYTES))
    if inside is None or objection(inside, MAX_BYTES):
        return False
    _walk(tree(inside), texts, depth=1)
    return True


def _add_plain(texts: _Texts, text: str, flowed: bool, delsp: bool) -> None:
    if not texts.plain:
        texts.flowed, texts.delsp = flowed, delsp
    texts.plain.append(text)


def _decoded_text(part: Message) -> str:
    payload = content(part, MAX_TEXT * 4)
    try:
        declared = part.get_content_charset() or ""
    except Exception:  # a broken RFC 2231 parameter raises
        declared = ""
    if not declared and _content_type(part) == "text/html":
        declared = charset_of_page(payload)
    return _as_lines(decode_bytes(payload, declared)[:MAX_TEXT])


def _as_lines(text: str) -> str:
    """Every sign that ends a line somewhere as the one that does here."""
    return text.replace("\r\n", "\n").translate(_LINE_ENDS)


def _children(part: Message) -> Iterator[Message]:
    payload = part.get_payload()
    if isinstance(payload, list):
        yield from (child for child in payload if isinstance(child, Message))


def _content_type(part: Message) -> str:
    try:
        return part.get_content_type()
    except Exception:  # raised by some broken parameters
        return "application/octet-stream"


def _is_attachment(part: Message) -> bool:
    disposition = str(part.get("content-disposition", "")).strip().lower()
    return disposition.startswith("attachment") or bool(_filename(part))


def _filename(part: Message) -> str:
    try:
        return headers.decoded(part.get_filename() or "")[:200]
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
    return f"{_content_type(part)} ({name})" if name else _content_type(part)
