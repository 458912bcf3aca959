"""The bytes of a mail are weighed before they are parsed: `objection(raw, max_bytes)`, then `tree(raw)`.

The standard parser recurses, compares each line with every open boundary, and is quadratic in the parameters of a
field. So size, lines, parts, boundaries times lines and the length of fields are limited on the bytes (RFC 2046 for
what they mean), and the parser sees nothing that could keep it busy.
"""

from __future__ import annotations

import re
from email import policy
from email.feedparser import BytesFeedParser
from email.message import Message

from bot.mail.mime.head import mended

MAX_BYTES = 10_000_000
MAX_PARTS = 100
MAX_ROWS = 200_000
"""Lines of the whole message, with its files: a picture of 10 MB has 135,000. Each costs memory."""
MAX_REPORT_BLOCKS = 5_000
"""Empty lines of a message that holds a delivery report: the standard parser makes a message of what is between two."""
MAX_BOUNDARY_WORK = 4_000_000
"""Lines times declared boundaries: the number of comparisons that the standard parser may be led into."""

MAX_HEADER_LINES = 5_000
MAX_CONTENT_FIELD = 4_000
"""Bytes of one Content-… field: the standard parser is quadratic in its parameters."""

# These are for a message in lower case, with a line end put before it and every line end the same: case and starts of
# lines, asked for by flags, make the search of a large message ten times as long.
_BOUNDARY = re.compile(rb"boundary\s*=\s*(?:\"([^\"\r\n]{1,200})\"|([^\s;\"]{1,200}))")
_CONTAINER = re.compile(rb"\ncontent-type[ \t]*:\s*(?:multipart|message)/")
_CONTENT_FIELD = re.compile(rb"\ncontent-[a-z-]{1,40}[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*")
_DELIMITER = re.compile(rb"\n--([^\n]{1,210}?)[ \t]*(?=\n|\Z)")

_PIECE = 65_536


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
    if sum(found in boundaries for found in _DELIMITER.findall(lower)) > MAX_PARTS:
        return f"the message has more than {MAX_PARTS} parts"
    return ""


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
