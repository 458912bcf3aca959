"""The texts of a mail out of its parts (RFC 2046; RFC 3676 for the format of text): `texts_of(tree)`.

Every alternative and every inline sibling is read, nothing of an enclosed message; each part is decoded under guard. A
file of text is an attachment, and what is neither text nor a known envelope is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message

from bot.mail.mime import enriched, headers, tnef
from bot.mail.mime.charset import charset_of_page, decode_bytes, is_binary
from bot.mail.mime.embedded import without_files
from bot.mail.mime.head import with_found_boundary
from bot.mail.mime.sealed import SIGNED_TYPES, signed_content
from bot.mail.mime.transfer import content
from bot.mail.mime.weighing import MAX_BYTES, objection, tree

MAX_DEPTH = 50
MAX_TEXT = 1_000_000
"""Characters of text kept of one mail, plain and HTML each."""

MAX_ATTACHED_TEXT = 100_000
TOO_DEEP = "parts too deep inside one another"
TOO_LONG = "the end of a long text"
_MAX_ROW = 5_000
"""Characters of one row of plain text that are kept, more than are read: what follows an endless one counts, too."""
_PAGE = re.compile(r"\s{0,200}(?:<\?xml[^>]{0,200}>\s{0,200})?(?:<!doctype html\b|<html\b)", re.IGNORECASE)

_TEXT_FILE = re.compile(r"\.(?:txt|text|md|markdown|log)\Z", re.IGNORECASE)
_OTHER_WORDS = ("text/markdown", "text/x-markdown", "text/x-web-markdown", "text/unknown", *enriched.TYPES)
"""Types of text that are read as plain text is, where the same words do not come as plain text or HTML too."""
_ROW_MARKS = re.compile(r"[ \u00a0]?[>＞][>＞ \u00a0]{0,40}")
_WITHIN_ROW = re.compile(r"\r(?!\n)|[\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_LINE_ENDS = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"))


@dataclass(frozen=True, slots=True)
class TextAttachment:
    """A text that came as a file and is not part of what the sender wrote in the mail."""

    name: str
    content_type: str
    text: str


@dataclass(slots=True)
class Texts:
    """What a walk over the parts has found so far."""

    plain: list[str] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    html_alone: bool = False
    flowed: bool = False
    delsp: bool = False
    attachments: list[TextAttachment] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def texts_of(message: Message) -> Texts:
    """Everything that a mail says, and the names of what it holds besides."""
    texts = Texts()
    _walk(message, texts, depth=0)
    return texts


def joined(texts: list[str]) -> str:
    """Texts that follow one another as one, as long as one is read."""
    return "\n".join(texts)[:MAX_TEXT]


def _walk(part: Message, texts: Texts, depth: int) -> None:
    """Collect the texts of a part: every alternative, every inline sibling, nothing of an enclosed message."""
    if depth > MAX_DEPTH:
        texts.unread.append(TOO_DEEP)
        return
    content_type = content_type_of(part)
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


def _alternatives(children: list[Message], texts: Texts, depth: int) -> None:
    """The same words in several forms: one plain text and one HTML text are kept, the last of each."""
    if any(content_type_of(child) not in _OTHER_WORDS for child in children):
        children = [child for child in children if content_type_of(child) not in _OTHER_WORDS]
    found = [Texts() for _ in children]
    for child, seen in zip(children, found, strict=True):
        _walk(child, seen, depth + 1)
        texts.attachments += seen.attachments
        texts.unread += seen.unread
    plain = [seen for seen in found if seen.plain]
    html = [seen for seen in found if seen.html]
    if plain:
        _add_plain(texts, joined(plain[-1].plain), plain[-1].flowed, plain[-1].delsp)
    if html:
        texts.html.append(joined(html[-1].html))
    if html and not plain and not texts.plain:
        texts.html_alone = True


def _sealed(part: Message, texts: Texts, depth: int) -> None:
    """The part that an opaque signature wraps, if it is one and what is inside would be read as a mail."""
    inside = signed_content(content(part, MAX_BYTES))
    if inside is None or objection(inside, MAX_BYTES):
        texts.unread.append(_label(part))
    else:
        _walk(tree(inside), texts, depth + 1)


def _packed_by_outlook(part: Message, texts: Texts) -> None:
    """The text of a winmail.dat, where the mail has none beside it."""
    found = tnef.tnef_text(content(part, tnef.MAX_TNEF))
    if not any(text.strip() for text in (*texts.plain, *texts.html)) and (found.plain.strip() or found.html.strip()):
        texts.plain += [found.plain[:MAX_TEXT]] if found.plain.strip() else []
        texts.html += [found.html[:MAX_TEXT]] if found.html.strip() else []
    else:
        texts.unread.append(f"{tnef.TYPES[0]} ({_filename(part)})")


def _attach(part: Message, content_type: str, texts: Texts) -> None:
    name = _filename(part)
    if is_binary(content(part, MAX_ATTACHED_TEXT)):
        texts.unread.append(_label(part))
    else:
        kind = "text/plain" if _TEXT_FILE.search(name) and content_type != "text/html" else content_type
        texts.attachments.append(TextAttachment(name, kind, _decoded_text(part)[:MAX_ATTACHED_TEXT]))


def _text(part: Message, content_type: str, texts: Texts) -> None:
    if content_type.startswith("multipart/") and _boundary_found(part, content_type, texts):
        return
    words = content_type in ("text/plain", "text/html", *_OTHER_WORDS) or content_type.startswith("multipart/")
    if _is_attachment(part) or not words:
        _attach(part, content_type, texts)
        return
    text = _decoded_text(part)
    if len(text) >= MAX_TEXT:
        texts.unread.append(TOO_LONG)
    if content_type == "text/html" or _PAGE.match(text):
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


def _boundary_found(part: Message, content_type: str, texts: Texts) -> bool:
    """Read a multipart mail that does not say what stands between its parts, if its body shows it."""
    inside = with_found_boundary(content_type, content(part, MAX_BYTES))
    if inside is None or objection(inside, MAX_BYTES):
        return False
    _walk(tree(inside), texts, depth=1)
    return True


def _add_plain(texts: Texts, text: str, flowed: bool, delsp: bool) -> None:
    if not texts.plain:
        texts.flowed, texts.delsp = flowed, delsp
    texts.plain.append(text)


def _decoded_text(part: Message) -> str:
    payload = content(part, MAX_TEXT * 4)
    declared = charset_of(part)
    if not declared and content_type_of(part) == "text/html":
        declared = charset_of_page(payload)
    text = decode_bytes(payload, declared).replace("\r\n", "\n")
    if content_type_of(part) == "text/html" or _PAGE.match(text):
        return _as_lines(text[:MAX_TEXT])
    return "\n".join(row[:_MAX_ROW] for row in _as_lines(_quoted_whole(text)).split("\n"))[:MAX_TEXT]


def _as_lines(text: str) -> str:
    """Every sign that ends a line somewhere as the one that does here."""
    return text.replace("\r\n", "\n").translate(_LINE_ENDS)


def _quoted_whole(text: str) -> str:
    """The text, where a quoted row that holds another sign of a line's end is quoted on both sides of it. Where nothing
    but CR ends lines, they are rows of their own."""
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
    """The type of a part in lower case, whatever its field looks like."""
    try:
        return part.get_content_type()
    except Exception:  # raised by some broken parameters
        return "application/octet-stream"


def charset_of(part: Message) -> str:
    """The charset that a part declares; empty where it declares none, or in a way that cannot be read."""
    try:
        return part.get_content_charset() or ""
    except Exception:  # a broken RFC 2231 parameter raises
        return ""


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
    return f"{content_type_of(part)} ({name})" if name else content_type_of(part)
