"""Verifies the record of a game in a file: `game.jsonl`, packed or not, `game.dune`, or the JSON document of before."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bot.games.proof import NotARecord, Proof, read_record, verify
from bot.record import reading
from bot.record.dune_reading import looks_like_dune, read_dune
from bot.record.lines import AnyLine, Decided, Told
from bot.record.replaying import difference


def verify_file(path: Path) -> Proof:
    """Play the game in a file again; the first line that differs, or none. NotARecord for a file that is no record."""
    try:
        data = path.read_bytes()
        start = reading.unpacked(data)
        if start.startswith(b'{"') and not start.startswith(b'{"mentat":'):
            record = reading.read(data)
            found = difference(record)
        elif looks_like_dune(start):
            record, _ = read_dune(data)
            found = "" if record.end else "The game that it tells is not over."
        else:
            return verify(read_record(path))
    except OSError as error:
        raise NotARecord(f"{path} cannot be read: {error.strerror}.") from error
    except reading.NotARecord as error:
        if error.line <= 1:
            raise NotARecord(f"{path} is not the record of a game. {error}") from error
        return Proof(path.name, 0, 0, str(error))
    return Proof(record.head.game, _count(record.lines, Decided), _count(record.lines, Told), found)


def _count(lines: Iterable[AnyLine], kind: type[AnyLine]) -> int:
    return sum(isinstance(line, kind) for line in lines)
