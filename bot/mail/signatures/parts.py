"""The parts of a mail as the very bytes that were sent, for it is bytes that are signed (RFC 2046 section 5.1.1).

The standard parser tells what a part is; where it begins and ends is found here, by the same rule. A part is a stretch
of the message and copies nothing, so that parts inside parts cost no memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from functools import cached_property
from typing import NamedTuple

from bot.mail.mime.parts import MAX_DEPTH
from bot.mail.mime.transfer import content
from bot.mail.mime.weighing import MAX_BYTES, parsed

_HEAD_END = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")
_DELIMITER_REST = re.compile(rb"(--)?[ \t]*(?:\r\n|\n|\r|\Z)")
_MAX_HEAD = 200_000


class _Delimiter(NamedTuple):
    """A line between parts: the line end before it belongs to it."""

    start: int
    end: int
    last: bool


@dataclass(frozen=True)
class Part:
    """A part that stands in `raw` from `start` to `end`, its own header fields included."""

    raw: bytes
    start: int
    end: int
    depth: int = 0

    @cached_property
    def _body_start(self) -> int:
        if self.raw[self.start : self.start + 1] in (b"\r", b"\n"):
            return self.start
        found = _HEAD_END.search(self.raw, self.start, self.end)
        return found.end() if found else self.end

    @cached_property
    def head(self) -> Message:
        """Its header fields, with no body."""
        return parsed(self.raw[self.start : min(self._body_start, self.start + _MAX_HEAD)])

    @cached_property
    def content_type(self) -> str:
        try:
            return self.head.get_content_type()
        except Exception:  # raised by some broken parameters
            return "application/octet-stream"

    def parameter(self, name: str) -> str:
        """A parameter of its content type, in lower case."""
        try:
            value = self.head.get_param(name, "")
        except Exception:  # broken RFC 2231 parameters raise
            return ""
        return value.strip().lower() if isinstance(value, str) else ""

    def whole(self) -> bytes:
        return self.raw[self.start : self.end]

    def content(self) -> bytes:
        """What a part that is no multipart holds, its transfer encoding undone."""
        return content(parsed(self.whole()), MAX_BYTES)

    def children(self) -> Iterator[Part]:
        """The parts of a multipart; of a part within `MAX_DEPTH` others nothing."""
        if not self.content_type.startswith("multipart/") or self.depth >= MAX_DEPTH:
            return
        try:
            boundary = (self.head.get_boundary() or "").encode("utf-8", "surrogateescape")
        except Exception:  # broken RFC 2231 parameters raise
            return
        if not boundary:
            return
        start = None
        for delimiter in self._delimiters(boundary):
            if start is not None:
                yield Part(self.raw, start, max(start, delimiter.start), self.depth + 1)
            start = delimiter.end
            if delimiter.last:
                return
        if start is not None:
            yield Part(self.raw, start, self.end, self.depth + 1)

    def _delimiters(self, boundary: bytes) -> Iterator[_Delimiter]:
        """Found by their text alone, for an expression with choices takes ten times as long on a large mail."""
        line_end = b"\n" if self.raw.find(b"\n", self.start, self.end) >= 0 else b"\r"
        text = line_end + b"--" + boundary
        position = self._body_start - 1
        while (position := self.raw.find(text, max(position, 0), self.end)) >= 0:
            rest = _DELIMITER_REST.match(self.raw, position + len(text), self.end)
            if rest:
                folded = self.raw[position - 1 : position + 1] == b"\r\n"
                yield _Delimiter(position - folded, rest.end(), bool(rest.group(1)))
            position += len(text)
