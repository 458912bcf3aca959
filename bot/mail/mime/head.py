"""Mending of what stands at the head of a message before the standard parser sees it.

Mailboxes in one file put a line `From …` above a mail; some filters write a space before the colon of a field, at which
the standard parser would take the rest of the head for the body (RFC 5322 section 4.5 still allows it); and a multipart
mail may have lost the parameter that names its boundary, or name another one. Fields by which anybody is known
stay as they are: who checked them on the way must have seen the same.
"""

from __future__ import annotations

import re

_ABOVE = re.compile(rb"(?:\s*\r?\n)*(?:>?From [^\r\n]*\r?\n)?")
_SPACED_FIELD = re.compile(
    rb"(\n(?!from|sender|reply-to|return-path|authentication|dkim|arc|resent|x-mentat)[a-z0-9-]{1,60})[ \t]{1,20}:",
    re.IGNORECASE,
)
_HEAD_END = re.compile(rb"\n\r?\n|\r\r")
_FIRST_BOUNDARY = re.compile(rb"(?:\A|\n)--([^\s\"-][^\r\n\"]{0,69})(?<!\s)[ \t]{0,9}\r?\n")
_LONGEST_LEAD = 10_000


def mended(raw: bytes) -> bytes:
    """The message without what stands above its first field, its fields without spaces before their colons."""
    start = _ABOVE.match(raw[:_LONGEST_LEAD])
    raw = raw[start.end() :] if start else raw
    end = _HEAD_END.search(raw)
    head = raw[: end.start()] if end else raw
    if b" :" not in head and b"\t:" not in head:
        return raw
    return _SPACED_FIELD.sub(rb"\1:", b"\n" + head)[1:] + raw[len(head) :]


def with_found_boundary(content_type: str, body: bytes) -> bytes | None:
    """A multipart body whose boundary is not declared, as a message that declares the one that it has; None where it
    has none that opens and closes.

    >>> with_found_boundary("multipart/mixed", b"--abc\\n\\nbid 4\\n--abc--\\n")
    b'Content-Type: multipart/mixed; boundary="abc"\\n\\n--abc\\n\\nbid 4\\n--abc--\\n'
    """
    found = _FIRST_BOUNDARY.search(body[:_LONGEST_LEAD])
    if found is None or b"\n--" + found.group(1) + b"--" not in body:
        return None
    return b'Content-Type: %s; boundary="%s"\n\n%s' % (content_type.encode("ascii", "replace"), found.group(1), body)
