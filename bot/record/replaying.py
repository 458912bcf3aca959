"""Plays a record again and finds the first line that does not follow from the log."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from msgspec.structs import replace

from bot.record.lines import AnyLine, Decided, decode, encode
from bot.record.reading import Read
from bot.record.recording import whole
from bot.record.words import Words, accepted, restored

__all__ = ["difference", "played_again"]


def played_again(record: Read, seed: str) -> Iterator[bytes]:
    """The lines of the record as its log, its acts and the seed make them. Any error of the rules if the log does not
    play."""
    made = accepted(record.lines)
    story = (
        replace(part, entry=restored(part.entry, made)) if isinstance(part, Decided) else part
        for part in record.story()
    )
    return whole(record.head, seed, story, Words(known=made), record.end.day if record.end else None)


def difference(record: Read) -> str:
    """The first line of a finished game's record that the rules do not confirm; empty if they confirm all. What has to
    do with seed, salts and chain was looked at when it was read (``bot.record.reading``)."""
    assert record.end is not None, "only the record of a game that is over can be played again"
    lines = played_again(record, record.end.seed)
    number = 0
    try:
        for number, (found, made) in enumerate(zip_longest(record.lines, lines), 1):
            expected = decode(made) if made is not None else None
            if found is None or expected is None or _bare(found) != _bare(expected):
                return f"Line {number}: expected is {_shown(expected)}; found is {_shown(found)}."
    except Exception as error:  # what was changed may lead anywhere
        return f"Line {number + 1}: the log does not play on from here: {type(error).__name__}: {error}"
    return ""


def _bare(line: AnyLine) -> AnyLine:
    return replace(line, salt="", prev="")


def _shown(line: AnyLine | None) -> str:
    if line is None:
        return "no further line"
    return encode(_bare(line)).decode().replace('"salt":"","prev":"",', "")
