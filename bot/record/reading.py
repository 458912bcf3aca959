"""Reads `game.jsonl`, packed or not, and says of a damaged one which line is wrong, what belongs there and what stands.

What can be seen without playing the game is looked at here: that each line is what it says it is, that the chain holds,
that nothing is missing or out of order, and that seed, salts and draws fit each other. That the log leads to these
events and draws, ``bot.record.replaying`` finds out.
"""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from bot.record.lines import FIRST, FORMAT, Act, AnyLine, Decided, Drawn, End, Head, Told, decode, digest, own_sum, salt
from rules.components.chance import commitment

PACKED = b"\x1f\x8b"
"""How a gzip file begins."""
LONGEST_QUOTE = 80  # characters of a line that a complaint shows
_MOST_UNPACKED = 200_000_000  # bytes; the longest games have less than one million


class NotARecord(ValueError):
    """The file is not the record of a game. ``line`` counts from 1; 0 for what has to do with the whole file."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(f"Line {line}: {why}" if line else why)
        self.line = line


@dataclass(frozen=True, slots=True)
class Read:
    """A record: its bytes, one a line, and what they say."""

    data: Sequence[bytes]
    lines: Sequence[AnyLine]

    @property
    def head(self) -> Head:
        """The first line."""
        head = self.lines[0]
        assert isinstance(head, Head), "a record begins with its head"
        return head

    @property
    def end(self) -> End | None:
        """The last line of a game that is over."""
        last = self.lines[-1]
        return last if isinstance(last, End) else None

    @property
    def chain_head(self) -> str:
        """The digest of the last line, by which the whole record is known."""
        return digest(self.data[-1])

    def story(self) -> Iterator[Decided | Act]:
        """The entries and acts, from which all else follows."""
        return (line for line in self.lines if isinstance(line, Decided | Act))


def read(data: bytes) -> Read:
    """The record of a game that is over. NotARecord for anything else."""
    found = read_running(data)
    if found.end is None:
        raise NotARecord(
            "the record has no last line of the kind `end`: the game was still running when this was written, or the "
            "file was cut.",
            len(found.lines),
        )
    return found


def read_running(data: bytes) -> Read:
    """The record of a game that may be still running, without what only its seed can show. NotARecord for anything
    else."""
    rows = _rows(unpacked(data))
    lines: list[AnyLine] = []
    before = FIRST
    for number, row in enumerate(rows, 1):
        lines.append(_line(row, number, len(rows)))
        if lines[-1].prev != before:
            named = f"the SHA-256 of line {number - 1}" if number > 1 else "the SHA-256 of nothing"
            raise NotARecord(
                f"the chain is broken. Its `prev` should be {before}, {named}, and is {lines[-1].prev or 'not there'}. "
                f"{f'Line {number - 1} was changed' if number > 1 else 'It was changed'}, or a line was taken out, put "
                "in or moved.",
                number,
            )
        before = digest(row)
    _check_order(lines)
    end = lines[-1]
    if isinstance(end, End):
        if end.sum != (expected := own_sum(rows[-1])):
            raise NotARecord(
                f"its `sum` should be {expected}, the SHA-256 of this line with an empty `sum`, and is "
                f"{end.sum or 'not there'}. The line was changed.",
                len(rows),
            )
        _check_seed(lines, end.seed)
    return Read(rows, lines)


def unpacked(data: bytes) -> bytes:
    """The bytes of a file that may be packed with gzip. NotARecord if it is packed and damaged."""
    if not data.startswith(PACKED):
        return data
    try:
        made = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise NotARecord(f"the file is packed with gzip, and is damaged or was cut ({error}).") from error
    if len(made) > _MOST_UNPACKED:
        raise NotARecord(f"unpacked the file has {len(made)} bytes; no game has that many.")
    return made


def _rows(data: bytes) -> list[bytes]:
    if not data.strip():
        raise NotARecord("the file is empty; it should be the record of a game, `game.jsonl`.")
    if b"\r\n" in data:
        number = data[: data.index(b"\r\n")].count(b"\n") + 1
        raise NotARecord(
            "it ends with CR LF; lines of a record end with LF alone. The file was changed on its way, perhaps by a "
            "transfer in text mode: get it again as it is.",
            number,
        )
    rows = data.split(b"\n")
    return rows[:-1] if not rows[-1] else rows


def _line(row: bytes, number: int, last: int) -> AnyLine:
    """What one line says."""
    wanted = "the head, with `record`, `game` and `ruleset`" if number == 1 else "one JSON object"
    try:
        said = json.loads(row)
    except (ValueError, RecursionError) as error:
        cut = " The file seems to be cut there." if number == last and number > 1 else ""
        raise NotARecord(f"expected is {wanted}; found is {_quoted(row)} ({error}).{cut}", number) from error
    if not isinstance(said, dict) or not isinstance(said.get("t"), str):
        raise NotARecord(f"expected is {wanted}, whose `t` says what it is; found is {_quoted(row)}.", number)
    if number == 1 and said["t"] == "head" and isinstance(said.get("record"), int) and said["record"] > FORMAT:
        raise NotARecord(
            f"the record has format {said['record']}, and this Mentat reads formats up to {FORMAT}; use the newer one "
            "that wrote it.",
            number,
        )
    try:
        line = decode(row)
    except msgspec.MsgspecError as error:
        raise NotARecord(
            f"it is no line of the kind `{said['t']}`: {error}. Found is {_quoted(row)}.", number
        ) from error
    if (number == 1) != isinstance(line, Head):
        raise NotARecord(f"expected is {wanted}; found is a line of the kind `{said['t']}`.", number)
    if isinstance(line, End) and number != last:
        after = "1 line comes" if last - number == 1 else f"{last - number} lines come"
        raise NotARecord(f"it is the end of the game, and {after} after it.", number)
    return line


def _quoted(row: bytes) -> str:
    text = row.decode(errors="replace")
    return repr(text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "…")


def _check_order(lines: Sequence[AnyLine]) -> None:
    """Entries and events count without gaps; after a rollback they go on from where the game was taken back to."""
    entries, events = 0, 0
    events_before: list[int] = []  # of each entry that still counts, how many events had been told
    for number, line in enumerate(lines, 1):
        if isinstance(line, Decided):
            if line.n != entries:
                raise NotARecord(f"expected is entry {entries}; found is entry {line.n}.", number)
            entries += 1
            events_before.append(events)
        elif isinstance(line, Told):
            if line.event.number != events:
                raise NotARecord(f"expected is event {events}; found is event {line.event.number}.", number)
            events += 1
        elif isinstance(line, Act) and line.what == "rollback" and line.entries is not None:
            if not 0 <= line.entries <= entries:
                raise NotARecord(
                    f"it takes the game back to {line.entries} entries; there are {entries}.",
                    number,
                )
            if line.entries < entries:
                entries, events = line.entries, events_before[line.entries]
                del events_before[entries:]


def _check_seed(lines: Sequence[AnyLine], seed: str) -> None:
    """The seed is the one that was promised; salts and draws follow from it."""
    head = lines[0]
    assert isinstance(head, Head)
    if commitment(seed) != head.commitment:
        raise NotARecord(
            f"the seed is not the one promised in line 1: its SHA-256 should be {head.commitment} and is "
            f"{commitment(seed)}.",
            len(lines),
        )
    for number, line in enumerate(lines):
        if line.salt != (expected := salt(seed, number)):
            raise NotARecord(f"its `salt` should be {expected} and is {line.salt or 'not there'}.", number + 1)
        if isinstance(line, Drawn):
            _check_draw(line, seed, number + 1)


def _check_draw(line: Drawn, seed: str, number: int) -> None:
    """The number follows from the seed and the label (``rules.components.chance``)."""
    if line.size < 1:
        raise NotARecord(f"{line.label!r} was drawn from {line.size} things; there must be one or more.", number)
    drawn = int.from_bytes(hmac.digest(seed.encode(), line.label.encode(), hashlib.sha256)[:8], "big") % line.size
    if line.got != drawn:
        raise NotARecord(f"from the seed {line.label!r} draws {drawn} of {line.size}; found is {line.got}.", number)
