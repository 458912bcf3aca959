"""Tests of other rooms told whole: all that came of one while it was played."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from bot.store.database import DatabaseUnavailable
from tests.channels.memory import MemoryForum
from tests.moderator.table import World, silent_database
from tests.transcripts.commands import Ran
from tests.transcripts.fixtures import Fixtures, Test, parameters, tests_of
from tests.transcripts.letters import without_hashes
from tests.transcripts.results import watched
from tests.transcripts.story import Story
from tests.transcripts.transcript import Piece

LONG = 200
COUNTED = "database: measurement"
"""What a process has counted, of all that it did."""
_MASKED = {
    re.compile(r"(?:127\.0\.0\.1|localhost):[0-9]+"): "127.0.0.1:PORT",
    re.compile(r"(\binstallation(?:\": \"| ))[0-9a-f]{32}"): r"\1ID",
    re.compile(r"\b(copying|renewing|playing) [0-9.]+ s\b"): r"\1 TIME",
    re.compile(r"\b(copying|renewing|playing|renewed_in_seconds)(\": )[0-9.e-]+"): r"\1\2TIME",
    re.compile(r"(\bwrote \S+: |\bOn a copy of |\bdisk: )[0-9.,]+ (?:[kMG]B|bytes)\b"): r"\1SIZE",
    re.compile(r"\bat 0x[0-9a-f]+\b"): "at ADDRESS",
    re.compile(r'("bytes": |\bsize=)[0-9]+'): r"\1SIZE",
    re.compile(r"[0-9,]+ (?=MB (?:are|is) free)"): "SIZE ",
    re.compile(r"(free_bytes\W+)[0-9]+|(tzdata\W+)[0-9]{4}[a-z]"): r"\1\2SIZE",
    re.compile(r'("version": "|\bversion=)[0-9]+\.[0-9.]+'): r"\1VERSION",
}
"""What is otherwise each time or elsewhere: ports, installations, places in memory, how long something took, sizes,
versions."""


def told(folder: Path, module_name: str, chosen: Mapping[str, list[int]]) -> Iterator[Piece]:
    """Tests of a module, each as often as there are numbers of its parameters."""
    module = fresh(module_name)
    silent_database.cache_clear()  # what others made of it, they made by another chance
    seen: set[str] = set()
    tests = tests_of(module)
    for name, numbers in chosen.items():
        every = list(parameters(tests[name]))
        for number in numbers:
            place = folder / f"{len(list(folder.iterdir()))}"
            for piece in one(place, module, tests[name], every[number]):
                yield _once(piece, seen)


def fresh(module_name: str) -> ModuleType:
    """A module of tests with nothing in it yet of what others played (serial numbers, what was made once for all)."""
    spec = find_spec(f"tests.{module_name}")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _once(piece: Piece, seen: set[str]) -> Piece:
    """What was shown before is not shown again."""
    if len(piece.text) < LONG:
        return piece
    if piece.text in seen:
        return Piece(piece.heading, "(as before)")
    seen.add(piece.text)
    return piece


def one(folder: Path, module: ModuleType, test: Test, values: Mapping[str, Any]) -> Iterator[Piece]:
    """What one test with these parameters leaves: what its commands printed, posts, letters and rows."""
    folder.mkdir(parents=True)
    folder = folder.resolve()
    said = ", ".join(f"{name}={value!r}" for name, value in values.items())
    yield Piece(f"SCENE {test.__name__.removeprefix('test_').replace('_', ' ')}", masked(said[:2000]))
    for heading, text in _left(folder, module, test, values):
        yield Piece(*(masked(each.replace(str(folder), "FOLDER")) for each in (heading, text)))


def masked(text: str) -> str:
    """A text without what is otherwise each time or elsewhere."""
    text = without_hashes(text)
    for pattern, name in _MASKED.items():
        text = pattern.sub(name, text)
    return text


def _left(folder: Path, module: ModuleType, test: Test, values: Mapping[str, Any]) -> Iterator[Piece]:
    printed: list[Piece] = []
    worlds: list[World] = []
    forums: list[MemoryForum] = []

    def ran(words: tuple[str, ...], ran: Ran) -> None:
        printed.append(Piece(f"$ mentat {' '.join(words)}"[:300], str(ran)))

    def gave(heading: str, text: str) -> None:
        printed.append(Piece(heading, text))

    with pytest.MonkeyPatch.context() as patch, watched(module, gave, str(folder)):
        patch.chdir(folder)
        patch.setattr(World, "__post_init__", _noted(World.__post_init__, worlds))
        patch.setattr(MemoryForum, "__init__", _noted(MemoryForum.__init__, forums))
        Fixtures(module, folder, values, ran).play(test)
    yield from printed
    for forum in forums:
        yield from posts(forum)
    for database, world in {world.settings.mentat.database: world for world in worlds}.items():
        if database.exists():
            yield from _kept(world)


def _kept(world: World) -> Iterator[Piece]:
    """The letters and the rows of a database, as far as today's code can read it."""
    try:
        yield from (piece for piece in Story(world).told() if piece.heading != COUNTED)
    except (DatabaseUnavailable, OperationalError):
        yield Piece("database", "of another schema, or none at all")


def _noted(made: Callable[..., None], those: list[Any]) -> Callable[..., None]:
    def noted(self: Any, *arguments: Any, **named: Any) -> None:
        made(self, *arguments, **named)
        those.append(self)

    return noted


def posts(forum: MemoryForum) -> Iterator[Piece]:
    """All that stands in a forum."""
    for thread in forum.threads():
        yield Piece(f"thread {thread}", forum.title(thread))
        for post in forum.posts(thread):
            facts = {each.name: getattr(post, each.name) for each in fields(post) if each.name != "raw"}
            told = ", ".join(f"{name} {value}" for name, value in facts.items() if value)
            yield Piece(f"post of {post.author}", f"{told}\n{post.raw}".encode(errors="backslashreplace").decode())
