"""Plays a record again: to make it anew, byte for byte, and to find the first line that does not follow from the log.

What a rollback undid may have been played by rules that were wrong; that may be why it was undone. So only what counts
in the end is compared with what the rules make of it, and the rest is held by the chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from msgspec.structs import replace

from bot.record.comparing import Difference, bare, counting
from bot.record.lines import Act, AnyLine, Decided, decode, encode
from bot.record.reading import Read
from bot.record.recording import whole
from bot.record.words import Words, accepted, restored


def played_again(record: Read, seed: str) -> Iterator[bytes]:
    """The lines of the record as its log, its acts and the seed make them. Any error of the rules if the log does not
    play."""
    return _played(record, record.story(), seed)


def _played(record: Read, story: Iterable[Decided | Act], seed: str) -> Iterator[bytes]:
    made = accepted(record.lines)
    restoring = (
        replace(part, entry=restored(part.entry, made)) if isinstance(part, Decided) else part for part in story
    )
    return whole(record.head, seed, restoring, Words(known=made), record.end.day if record.end else None)


def difference(record: Read) -> str:
    """The first line of a finished game's record that the rules do not confirm, as a sentence; empty if they confirm
    all. What has to do with seed, salts and chain was looked at when it was read (``bot.record.reading``)."""
    end = record.end
    assert end is not None, "only the record of a game that is over can be played again"
    log = [line for _, line in counting(record.lines) if isinstance(line, Decided)]
    made: list[AnyLine] = []
    try:
        for line in _played(record, log, end.seed):
            made.append(decode(line))
    except Exception as error:  # what was changed may lead anywhere
        reached = sum(isinstance(line, Decided) for line in made)
        return _compare(record, made[1:]) or (
            f"Line {_line_of(record, reached)}: entry {reached} does not play: {type(error).__name__}: {error}"
        )
    return _compare(record, made[1:], whole_game=True)


def _compare(record: Read, made: Sequence[AnyLine], *, whole_game: bool = False) -> str:
    kept: list[tuple[int, AnyLine]] = [*counting(record.lines)]
    last = record.lines[-1]
    kept.append((len(record.lines) - 1, last))
    for there, line in zip_longest(kept if whole_game else kept[: len(made)], made):
        expected = encode(bare(line)) if line else b""
        found = encode(bare(there[1])) if there else b""
        if expected != found:
            told = str(Difference(there[0] if there else len(record.lines), 0, expected, found))
            return f"{told[0].upper()}{told[1:]}.".replace('"salt":"","prev":"",', "").replace(',"sum":""', "")
    return ""


def _line_of(record: Read, entry: int) -> int:
    """Where the entry that counts stands, from 1."""
    return next(number + 1 for number, line in counting(record.lines) if isinstance(line, Decided) and line.n == entry)
