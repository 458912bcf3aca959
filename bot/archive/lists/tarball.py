"""`all-games.tar.gz`: the record of every game in one file.

A gzip file may be several one after the other, and a tar file too is one entry after the other. So each game is packed
by itself, and where its record has not changed the packed bytes are taken from the file as it was: a game more costs
the packing of that game and a copy of the rest. Which bytes are whose stands in the head of each piece (the extra field
of RFC 1952): how long the piece is, and the SHA-256 of the record and its name.

Everything in it that is not a record is fixed (no times, no owners, games by name), so the same games give the same
bytes.
"""

from __future__ import annotations

import hashlib
import struct
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

ALL_GAMES = "all-games.tar.gz"
_HEAD = struct.Struct("<4sIBB")
_EXTRA = struct.Struct("<HBBHI32s")
_TAIL = struct.Struct("<II")
_FIRST = b"\x1f\x8b\x08\x04"
_LAST = hashlib.sha256(b"").digest()  # what stands for the end of the tar file


@dataclass(frozen=True, slots=True)
class Recorded:
    """The record of a game: its ``id``, the ``sha256`` of its `game.jsonl` in hexadecimal, and how to read that."""

    id: str
    sha256: str
    read: Callable[[], bytes]


def all_games(games: Iterable[Recorded], before: BinaryIO | None = None) -> Iterator[bytes]:
    """The file in pieces, one a game; ``before`` is the file as it was, from which unchanged games are taken. What is
    no such file is left alone, and all is packed anew."""
    kept = dict(_pieces(before)) if before is not None else {}
    for game in sorted(games, key=lambda game: game.id):
        key = hashlib.sha256(f"{game.id}\n{game.sha256}".encode()).digest()
        place = kept.get(key)
        if before is not None and place is not None:
            before.seek(place[0])
            yield before.read(place[1])
        else:
            yield _packed(_entry(game.id, game.read()), key)
    yield _packed(bytes(2 * tarfile.BLOCKSIZE), _LAST)


def _entry(game: str, record: bytes) -> bytes:
    """The part of the tar file for a game."""
    about = tarfile.TarInfo(f"all-games/{game}.jsonl")
    about.size, about.mode = len(record), 0o644
    head = about.tobuf(format=tarfile.PAX_FORMAT)
    return head + record + bytes(-len(record) % tarfile.BLOCKSIZE)


def _packed(data: bytes, key: bytes) -> bytes:
    """The data as a gzip file of its own, with its length and key in its head."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(data) + packer.flush()
    tail = _TAIL.pack(zlib.crc32(data), len(data) & 0xFFFFFFFF)
    size = _HEAD.size + _EXTRA.size + len(body) + len(tail)
    extra = _EXTRA.pack(40, ord("M"), ord("T"), 36, size, key)
    return _HEAD.pack(_FIRST, 0, 0, 255) + extra + body + tail


def _pieces(file: BinaryIO) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Where the pieces of a file of ours lie: their keys with place and length, as far as it is one."""
    place, head = 0, _HEAD.size + _EXTRA.size
    end = file.seek(0, 2)
    while place + head <= end:
        file.seek(place)
        read = file.read(head)
        _, first, second, _, size, key = _EXTRA.unpack_from(read, _HEAD.size)
        if not read.startswith(_FIRST) or (first, second) != (ord("M"), ord("T")) or not head < size <= end - place:
            return
        yield key, (place, size)
        place += size
