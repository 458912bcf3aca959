"""Make the dictionary with which mails are packed (``bot/store/packing-2.txt``) from the letters of a demo.

    mentat demo --out DEMO
    python -m tests.packing.make DEMO/mentat.db bot/store/packing-3.txt

Data packed with an older dictionary needs it for ever, so a new dictionary is another file with another mark in
``bot/store/database.py``. It is worth adding when letters have changed so much that ``test_mails.py`` fails.
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
TRIED, COMPARED = 80, 80  # the number of letters from which each piece is chosen, and the number used to compare them


def pieces(letters: Sequence[bytes]) -> bytes:
    """Choose and join letters. Each step puts in front the letter with which other letters pack smallest."""
    dice = random.Random("pieces")
    compared = dice.sample(letters, COMPARED)
    chosen = b""
    while len(chosen) < MOST:
        best = min(dice.sample(letters, TRIED), key=lambda letter: _packed(compared, (letter + chosen)[-MOST:]))
        chosen = best + chosen
    return chosen[-MOST:]


def _packed(letters: Sequence[bytes], given: bytes) -> int:
    """Return the packed size of these letters with this dictionary."""
    size = 0
    for letter in letters:
        packer = zlib.compressobj(6, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, given)
        size += len(packer.compress(letter) + packer.flush())
    return size


if __name__ == "__main__":
    with reading(open_database(sys.argv[1])) as connection:
        found = [row for row in connection.scalars(select(LETTER.c.content).order_by(LETTER.c.id)) if row]
    Path(sys.argv[2]).write_bytes(pieces(found))
