"""Rows as they lie in the database: entries, events and snapshots take a sixth of their JSON, mails a tenth of theirs.

A row is small, and most of it stands in every row of its kind. So each is compressed by itself (raw deflate) with a
preset dictionary of 32 KB at most: ``packing-1.txt`` holds pieces of entries and events of random games,
``packing-2.txt`` of letters and of what quotes them; what comes most often stands last. A row that was packed with one
can be unpacked with nothing else, so these files never change: better pieces are a file more, with a mark of its own
(``tests/packing/make.py`` makes one).

Packed data begins with the mark and a check of the rest. JSON never begins like that: rows of older databases are
plain, and are read as they are.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path
from typing import Literal

from sqlalchemy import Dialect, LargeBinary
from sqlalchemy.types import TypeDecorator

Mark = Literal[1, 2]
GAMES: Mark = 1
MAILS: Mark = 2
"""Which pieces are for what."""

_MARKS: tuple[Mark, ...] = (GAMES, MAILS)
_HEAD = 2
_RAW_DEFLATE = -15


class Packed(TypeDecorator[bytes]):
    """A column of mails, packed; where nothing is kept it is empty."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return pack(value, MAILS) if value else value

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return unpack(value) if value else value


def pack(data: bytes, mark: Mark = GAMES) -> bytes:
    """The data as they are stored.

    >>> unpack(pack(b'{"type":"NoMove"}'))
    b'{"type":"NoMove"}'
    """
    packer = _packer(mark).copy()
    packed = packer.compress(data) + packer.flush()
    return bytes((mark, _check(packed))) + packed


def unpack(stored: bytes) -> bytes:
    """The data that were stored. What was never packed, and what was damaged since, is given as it is: who decodes it
    will see.

    >>> unpack(b'{"type":"NoMove"}')
    b'{"type":"NoMove"}'
    """
    if len(stored) < _HEAD or stored[0] not in _MARKS or stored[1] != _check(stored[_HEAD:]):
        return stored
    unpacker = zlib.decompressobj(_RAW_DEFLATE, _pieces(GAMES if stored[0] == GAMES else MAILS))
    try:
        data = unpacker.decompress(stored[_HEAD:])
    except zlib.error:
        return stored
    return data if unpacker.eof and not unpacker.unused_data else stored


@cache
def _packer(mark: Mark) -> zlib._Compress:
    """One that has read its dictionary: to read it takes longer than to pack a row."""
    return zlib.compressobj(6, zlib.DEFLATED, _RAW_DEFLATE, 8, zlib.Z_DEFAULT_STRATEGY, _pieces(mark))


@cache
def _pieces(mark: Mark) -> bytes:
    return Path(__file__).with_name(f"packing-{mark}.txt").read_bytes()


def _check(packed: bytes) -> int:
    """A byte that shows a changed one, also where it would unpack to the same (a bit that fills up the last byte)."""
    return zlib.crc32(packed) & 0xFF
