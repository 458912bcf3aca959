"""Makes the pieces with which mails are packed (``bot/store/packing-2.txt``) from the letters of a demo.

    mentat demo --out DEMO
    python -m tests.packing.make DEMO/mentat.db bot/store/packing-3.txt

What was packed with older pieces needs them for ever, so new ones are a file more and a mark more in
``bot/store/database.py``; they are worth it when letters look so different that ``test_mails.py`` says so.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import select

from bot.store.database import open_database, reading
from bot.store.mail import LETTER

MOST = 32_000  # bytes; deflate looks back no further than 32,768
TRIED, COMPARED = 80, 80  # letters: of how many each piece is chosen, and how many show which is best


def pieces(letters: Sequence[bytes]) -> bytes:
    """Letters one after the other: each time the one that makes others the smallest, put before those chosen so far."""
    dice = random.Random("pieces")
    compared = dice.sample(letters, COMPARED)
    chosen = b""
    while len(chosen) < MOST:
        best = min(dice.sample(letters, TRIED), key=lambda letter: _packed(compared, (letter + chosen)[-MOST:]))
        chosen = best + chosen
    return chosen[-MOST:]


def _packed(letters: Sequence[bytes], given: bytes) -> int:
    """How many bytes these take together with such pieces."""
    size = 0
    for letter in letters:
        packer = zlib.compressobj(6, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, given)
        size += len(packer.compress(letter) + packer.flush())
    return size


if __name__ == "__main__":
    with reading(open_database(sys.argv[1])) as connection:
        found = [row for row in connection.scalars(select(LETTER.c.content).order_by(LETTER.c.id)) if row]
    Path(sys.argv[2]).write_bytes(pieces(found))
