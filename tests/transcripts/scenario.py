"""The surroundings in which games are played for transcripts.

A transcript must follow from the code alone: the time stands still at ``START`` unless the game moves it, chance is the
same each time, the zone is UTC, and the folder is named FOLDER and that of the checkout CHECKOUT.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import itertools
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

import time_machine

from tests.moderator import returned, table
from tests.transcripts.games import GAMES
from tests.transcripts.transcript import Piece

START = datetime(2024, 11, 26, 20, tzinfo=UTC)
_SURROUNDINGS = {"TZ": "UTC", "COLUMNS": "120", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb"}
_FOLDER = "FOLDER"
_CHECKOUT, _ITS_NAME = str(Path(__file__).resolve().parents[2]), "CHECKOUT"


def play(name: str) -> list[Piece]:
    """Play a game, and return all steps and letters."""
    table.empty_database()  # is made once for all tests, and with some chance
    with tempfile.TemporaryDirectory() as made, steady(), nothing_begun():
        folder = Path(made).resolve()
        pieces = [_placed(piece, folder) for piece in GAMES[name](folder)]
    gc.collect()  # what holds files or connections in circles
    gc.freeze()  # what is left is for all games, and need not be looked through again after each
    return pieces


def _placed(piece: Piece, folder: Path) -> Piece:
    heading, text = (
        said.replace(str(folder), _FOLDER).replace(_CHECKOUT, _ITS_NAME) for said in (piece.heading, piece.text)
    )
    return Piece(heading, text)


@contextlib.contextmanager
def nothing_begun() -> Iterator[None]:
    """No game is taken over that another test of this process has begun, with what it drew by lot."""
    begun = dict(table.TAKEN)
    table.TAKEN.clear()
    try:
        yield
    finally:
        table.TAKEN.clear()
        table.TAKEN.update(begun)


@contextlib.contextmanager
def steady() -> Iterator[None]:
    """Surroundings that are the same on every machine and every day."""
    before, where, mask = dict(os.environ), Path.cwd(), os.umask(0o022)
    os.environ.update(_SURROUNDINGS)
    time.tzset()
    try:
        with (
            time_machine.travel(START, tick=False),
            _same_chance(),
            mock.patch.object(returned, "_serials", itertools.count()),
        ):
            yield
    finally:
        os.umask(mask)
        os.chdir(where)
        os.environ.clear()
        os.environ.update(before)
        time.tzset()


@contextlib.contextmanager
def _same_chance() -> Iterator[None]:
    """Let what is drawn by chance be the same each time: ``secrets`` draws from ``random.SystemRandom``, the boundaries
    of the standard library's mails from ``random`` itself."""
    numbers = itertools.count()

    def drawn(size: int) -> bytes:
        stream = (hashlib.sha256(b"%d" % next(numbers)).digest() for _ in range(size // 32 + 1))
        return b"".join(stream)[:size]

    module = sys.modules[random.__name__]
    before, state = vars(module)["_urandom"], random.getstate()
    vars(module)["_urandom"] = drawn
    random.seed(0)
    try:
        yield
    finally:
        vars(module)["_urandom"] = before
        random.setstate(state)
