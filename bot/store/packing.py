"""Entries, events and snapshots as they lie in the database: a sixth of their JSON.

A row is about a hundred bytes, of which nearly all stand in every row of its kind. So each is compressed by itself
(raw deflate) with a preset dictionary, ``packing-1.txt``: pieces of entries and events of random games, what comes most
often last. A row that was packed with it can be unpacked with nothing else, so that file never changes; better
pieces would be ``packing-2.txt``, with a mark of their own.

Packed data begins with the mark and a check of the rest. JSON never begins like that: rows of older databases are
plain, and are read as they are.
"""

from __future__ import annotations

import zlib
from pathlib import Path

_MARK = 1
_HEAD = 2
_PIECES = Path(__file__).with_name(f"packing-{_MARK}.txt").read_text(encoding="utf-8").encode()
_RAW_DEFLATE = -15


def pack(data: bytes) -> bytes:
    """The data as they are stored.

    >>> unpack(pack(b'{"type":"NoMove"}'))
    b'{"type":"NoMove"}'
    """
    packer = zlib.compressobj(6, zlib.DEFLATED, _RAW_DEFLATE, 8, zlib.Z_DEFAULT_STRATEGY, _PIECES)
    packed = packer.compress(data) + packer.flush()
    return bytes((_MARK, _check(packed))) + packed


def unpack(stored: bytes) -> bytes:
    """The data that were stored. What was never packed, and what was damaged since, is given as it is: who decodes it
    will see.

    >>> unpack(b'{"type":"NoMove"}')
    b'{"type":"NoMove"}'
    """
    if len(stored) < _HEAD or stored[0] != _MARK or stored[1] != _check(stored[_HEAD:]):
        return stored
    unpacker = zlib.decompressobj(_RAW_DEFLATE, _PIECES)
    try:
        data = unpacker.decompress(stored[_HEAD:])
    except zlib.error:
        return stored
    return data if unpacker.eof and not unpacker.unused_data else stored


def _check(packed: bytes) -> int:
    """A byte that shows a changed one, also where it would unpack to the same (a bit that fills up the last byte)."""
    return zlib.crc32(packed) & 0xFF
