"""Verifies the record of a game in a file: `game.jsonl`, packed or not, `game.dune`, or the JSON document of before."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bot.games.proof import Proof, read_record, verify
from bot.record import reading, replaying
from bot.record.dune_reading import looks_like_dune, read_dune
from bot.record.lines import AnyLine, Decided, Told
from bot.record.reading import NotARecord, Read


def verify_file(path: Path) -> Proof:
    """Play the game in a file again; the first line that differs, or none. NotARecord for a file that is no record."""
    try:
        data = path.read_bytes()
        found = _played_again(data)
    except OSError as error:
        raise NotARecord(f"{path} cannot be read: {error.strerror}.") from error
    except NotARecord as error:
        if error.line <= 1:
            raise NotARecord(f"{path} is not the record of a game. {error}") from error
        return Proof(path.name, 0, 0, str(error))
    if found is None:
        return verify(read_record(path))
    record, difference = found
    return Proof(record.head.game, _count(record.lines, Decided), _count(record.lines, Told), difference)


def _played_again(data: bytes) -> tuple[Read, str] | None:
    """The record and its first line that differs; None for the JSON document of before."""
    start = reading.unpacked(data)
    if start.startswith(b'{"') and not start.startswith(b'{"mentat":'):
        record = reading.read(data)
        return record, replaying.difference(record)
    if looks_like_dune(start):
        record, _ = read_dune(data)
        return record, "" if record.end else "The game that it tells is not over."
    return None


def _count(lines: Iterable[AnyLine], kind: type[AnyLine]) -> int:
    return sum(isinstance(line, kind) for line in lines)
