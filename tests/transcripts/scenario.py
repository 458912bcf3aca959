"""The fixed environment in which games are played for transcripts.

A transcript must depend on the code alone. Time stops at ``START`` unless the game advances it, random numbers are
always the same, and the time zone is UTC. The game's folder is shown as FOLDER, and the checkout's as CHECKOUT.
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
    table.empty_database()  # it is made once for all tests, and partly at random
    with tempfile.TemporaryDirectory() as made, steady(), nothing_begun():
        folder = Path(made).resolve()
        pieces = [_placed(piece, folder) for piece in GAMES[name](folder)]
    gc.collect()  # frees files and connections in reference cycles
    gc.freeze()  # the remaining objects serve all games, and need not be checked again after each
    return pieces


def _placed(piece: Piece, folder: Path) -> Piece:
    heading, text = (
        said.replace(str(folder), _FOLDER).replace(_CHECKOUT, _ITS_NAME) for said in (piece.heading, piece.text)
    )
    return Piece(heading, text)


@contextlib.contextmanager
def nothing_begun() -> Iterator[None]:
    """Do not reuse games begun by other tests of this process, because their random values differ."""
    begun = dict(table.TAKEN)
    table.TAKEN.clear()
    try:
        yield
    finally:
        table.TAKEN.clear()
        table.TAKEN.update(begun)


@contextlib.contextmanager
def steady() -> Iterator[None]:
    """Set up an environment that is the same on every machine and every day."""
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
    """Make random values the same each time: ``secrets`` draws from ``random.SystemRandom``, and the standard library
    draws mail boundaries from ``random``."""
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
