"""Whether a record says what the log of its game leads to.

A record that holds may still be another game's, or one in which the game master wrote what they liked before they
chained it. So the log is played again, and each line that counts in the end is compared with what comes out. What a
rollback undid stays in the record, and is held by the chain alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from bot.record.lines import Act, AnyLine, Chain, Decided, Drawn, End, Told, decode, encode
from bot.record.recording import Recorder, is_rollback
from rules.engine.play import Play

L = TypeVar("L", bound=AnyLine)


class Counting(NamedTuple):
    """A line that counts in the end, without what the chain put in, and its number in the record from 0."""

    number: int
    line: Decided | Drawn | Told


@dataclass(frozen=True, slots=True)
class Difference:
    """The first line that is not as the game comes out. ``entry`` is the entry of the log that led to it, 0 for what
    came before the first; an empty ``expected`` or ``found`` says that there is a line too many or too few."""

    number: int
    entry: int
    expected: bytes
    found: bytes

    def __str__(self) -> str:
        expected, found = (data.decode(errors="replace") for data in (self.expected, self.found))
        if not expected:
            return f"line {self.number + 1} should not be there: {found}"
        if not found:
            return f"after line {self.number} this is missing: {expected}"
        return f"line {self.number + 1} should be {expected} and is {found}"


def counting(lines: Iterable[AnyLine]) -> list[Counting]:
    """The lines that count in the end, without acts and without what rollbacks undid."""
    found: list[Counting] = []
    for number, line in enumerate(lines):
        if isinstance(line, Decided | Drawn | Told):
            found.append(Counting(number, bare(line)))
        elif isinstance(line, Act) and is_rollback(line):
            undone = (
                place for place, (_, kept) in enumerate(found) if isinstance(kept, Decided) and kept.n == line.entries
            )
            del found[next(undone, len(found)) :]
    return found


def difference(kept: Sequence[Counting], play: Play, key: bytes) -> Difference | None:
    """The first difference between the lines that count and a game that was played again from its beginning."""
    made = [bare(decode(data)) for data in Recorder(Chain(""), 0, 0, key).fresh(play, None)]
    entry = 0
    for there, line in zip_longest(kept, made):
        expected, found = encode(line) if line else b"", encode(there.line) if there else b""
        if expected != found:
            return Difference(there.number if there else _after(kept), entry, expected, found)
        if isinstance(line, Decided):
            entry = line.n
    return None


def _after(kept: Sequence[Counting]) -> int:
    """The number of the line behind the last."""
    return kept[-1].number + 1 if kept else 0


def bare(line: L) -> L:
    """The line without what the chain put in, and without a day, of which the rules know nothing."""
    line = replace(line, salt="", prev="")
    if isinstance(line, End):
        return replace(line, day=None, sum="")
    return replace(line, day=None) if isinstance(line, Decided) else line
