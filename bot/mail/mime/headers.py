"""Header fields of hostile mail: unfolding, encoded words, addresses, message ids, dates.

The standard library's structured header parser raises on some fields and is quadratic on others, so
fields are kept raw and read here by scanners that are linear, bounded and never raise
(RFC 5322 sections 3.2-3.6, RFC 2047).
"""

from __future__ import annotations

import re
import string
from datetime import UTC, datetime
from email.header import decode_header
from email.utils import parsedate_to_datetime

from bot.mail.mime.charset import decode_bytes

FIELD_CHARS = 8_000
"""More of one header field is not read."""

_ENCODED_WORD = r"=\?[^?\s]{1,60}\?[bBqQ]\?[^?\r\n]{0,2000}\?="
_ENCODED_WORDS = re.compile(rf"{_ENCODED_WORD}(?:\s*{_ENCODED_WORD})*")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]+")
_ADDRESS = re.compile(r"[^\s\x00-\x1f\x7f-\x9f<>()\[\],;:\"\\@]{1,200}@[^\s\x00-\x1f\x7f-\x9f<>()\[\],;:\"\\@]{1,255}")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"')
_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_MESSAGE_ID = re.compile(r"<([^<>\s]{1,900})>")


def unfold(value: str) -> str:
    """One logical line: folds become one space, control characters go, the length is bounded."""
    return _CONTROLS.sub("", _unfolded(value)).strip()[:FIELD_CHARS]


def _unfolded(value: str) -> str:
    return re.sub(r"\r?\n[ \t]*", " ", value[: FIELD_CHARS * 2])


def _lower(address: str) -> str:
    """In lower case, but no letter of another alphabet made a Latin one (U+212A becomes a k elsewhere)."""
    return address.lower() if address.isascii() else address.translate(_ASCII_LOWER)


def decoded(value: str) -> str:
    """The text of an unstructured field, its encoded words decoded (RFC 2047); wrong ones stay as they are.

    >>> decoded("=?utf-8?q?Z=C3=BCge?= 4")
    'Züge 4'
    """
    return unfold(_ENCODED_WORDS.sub(_words, unfold(repaired(value))))


def _words(encoded: re.Match[str]) -> str:
    """What encoded words say that follow one another: a letter may begin in one and end in the next."""
    try:
        pieces = decode_header(encoded.group())
    except Exception:  # the standard library raises several kinds on broken base64
        return encoded.group()
    return "".join(decode_bytes(piece, charset or "") for piece, charset in pieces)


def repaired(value: str) -> str:
    """Bytes above ASCII that came unencoded in a header, read as UTF-8 or, failing that, Windows-1252."""
    if not any("\udc80" <= character <= "\udcff" for character in value):
        return value.encode("utf-8", "replace").decode("utf-8")
    return decode_bytes(value.encode("utf-8", "surrogateescape"), "")


def mailboxes(value: str) -> list[tuple[str, str]]:
    """(name, address) of each mailbox in an address field; addresses in lower case, groups opened.

    A display name that itself looks like an address is a name and nothing more. What others could read as another
    address (two in angle brackets, something behind them, two signs @, a quoted local part, control characters) is
    none.

    >>> mailboxes('"baron@evil.example" <Baron@Example.org>')
    [('baron@evil.example', 'baron@example.org')]
    >>> mailboxes("baron@example.org@evil.example, <baron@example.org> <x@evil.example>")
    []
    """
    found = []
    for item in _split_at_commas(_unfolded(repaired(value))[:FIELD_CHARS]):
        start = item.rfind("<")
        inside, _, behind = item[start + 1 :].partition(">") if start >= 0 else (item, "", "")
        match = _ADDRESS.fullmatch(inside.strip().strip("'>").removeprefix("mailto:"))
        if match and not behind.strip("'\"> \t") and _QUOTED.sub("", item).count("<") <= 1:
            name = item[:start].strip().strip('"').replace('\\"', '"') if start >= 0 else ""
            found.append((decoded(name), _lower(match.group())))
    return found


def addresses(value: str) -> list[str]:
    """Every address anywhere in a field, lower case, in order: for fields that say where a mail was delivered."""
    return [match.group().lower() for match in _ADDRESS.finditer(unfold(repaired(value)))]


def message_ids(value: str) -> list[str]:
    """The message ids of a Message-ID, In-Reply-To or References field, without their angle brackets.

    >>> message_ids("<a@b> (older) <c@d>")
    ['a@b', 'c@d']
    """
    return _MESSAGE_ID.findall(unfold(repaired(value)))


def date(value: str) -> datetime | None:
    """The instant of a Date field, always with a time zone (none given: UTC); None where it cannot be read."""
    try:
        instant = parsedate_to_datetime(unfold(value)[:200])
        instant = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
        return instant.astimezone(UTC)
    except Exception:  # ValueError, TypeError, IndexError and OverflowError have all been seen
        return None


def _split_at_commas(value: str) -> list[str]:
    """Items of an address list, split at commas and semicolons; comments and the names of groups fall away."""
    items: list[str] = []
    current: list[str] = []
    quoted, escaped, comment, angle = False, False, 0, False
    for character in value:
        plain = not quoted and not comment
        hidden = comment > 0
        if escaped:
            escaped = False
        elif character == "\\" and (quoted or comment):
            escaped = True
        elif character == '"' and not comment:
            quoted = not quoted
        elif character == "(" and not quoted:
            comment += 1
            hidden = True
        elif character == ")" and comment:
            comment -= 1
        elif character == "<" and plain:
            angle = True
        elif character == ">" and plain:
            angle = False
        elif plain and not angle and character in ",;:":
            if character != ":":
                items.append("".join(current))
            current = []
            continue
        if not hidden:
            current.append(character)
    items.append("".join(current))
    return [item.strip() for item in items if item.strip()]
