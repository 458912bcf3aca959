"""Scenes: tests of other rooms, played once more for all that people receive in them.

Such a test plays something that seldom comes about and looks at one thing. Here everything is looked at: each letter of
each Mentat that the test makes, what its commands print, and what its databases hold at the end. ``scenes.toml`` names
the tests, chosen for much that nothing else reaches in little time.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.moderator.table import World
from tests.transcripts.commands import Ran, run
from tests.transcripts.story import Story
from tests.transcripts.transcript import Piece

Test = Callable[..., object]
SCENES = Path(__file__).with_name("scenes.toml")


@cache
def scenes() -> Mapping[str, list[str]]:
    """The names of tests, by module ("moderator.test_silence")."""
    return {module: list(names) for module, names in tomllib.loads(SCENES.read_text(encoding="utf-8")).items()}


def play_scenes(module: str, names: list[str], folder: Path) -> Iterator[Piece]:
    """Play these tests of a module, and tell of each what came of it."""
    tests = importlib.import_module(f"tests.{module}")
    for name in names:
        test = getattr(tests, name)
        for number, values in enumerate(_parameters(test)):
            made = folder / f"{name}-{number}"
            made.mkdir()
            said = ", ".join(f"{key}={value!r}" for key, value in values.items())
            yield Piece(f"SCENE {name}", said[:2000])
            yield from _play(test, values, made)


def _play(test: Test, values: Mapping[str, Any], folder: Path) -> Iterator[Piece]:
    worlds: dict[Path, World] = {}
    printed: list[Piece] = []
    at = World.at.__func__  # type: ignore[attr-defined]

    def noted(cls: type[World], *arguments: Any, **named: Any) -> World:
        world: World = at(cls, *arguments, **named)
        worlds.setdefault(world.settings.mentat.database, world)
        return world

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(World, "at", classmethod(noted))
        patch.chdir(folder)
        test(**values, **_fixtures(test, values, folder, patch, printed))
        yield from printed
        for place, world in worlds.items():
            if place.exists():
                yield Piece("a Mentat", str(place.parent.relative_to(folder)))
                yield from Story(world).told()


def _fixtures(
    test: Test,
    values: Mapping[str, Any],
    folder: Path,
    patch: pytest.MonkeyPatch,
    printed: list[Piece],
) -> dict[str, Any]:
    """What the test asks for besides the values that it is given."""

    @cache
    def world() -> World:
        return World.at(folder)

    def begun() -> World:
        world().new_game()
        return world()

    def mentat() -> Callable[..., Ran]:
        world()
        return typed

    def typed(*words: str) -> Ran:
        ran = run(words)
        printed.append(Piece(f"$ mentat {' '.join(words)}", str(ran)))
        return ran

    made: dict[str, Callable[[], Any]] = {
        "world": world, "place": world, "begun": begun, "mentat": mentat, "tmp_path": lambda: folder,
        "monkeypatch": lambda: patch,
    }  # fmt: skip
    return {name: made[name]() for name in _asked(test) if name not in values}


def can_be_played(test: Test) -> bool:
    """Whether a test asks for nothing but what a scene can give."""
    given = {"world", "place", "begun", "mentat", "tmp_path", "monkeypatch", *next(iter(_parameters(test)))}
    return set(_asked(test)) <= given


def _asked(test: Test) -> list[str]:
    return list(inspect.signature(test).parameters)


def _parameters(test: Test) -> Iterator[dict[str, Any]]:
    """The values of each time that a test runs."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    for chosen in itertools.product(*(_values(*mark.args[:2]) for mark in marks)):
        yield {name: value for one in chosen for name, value in one.items()}


def _values(names: Any, rows: Any) -> Iterator[dict[str, Any]]:
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    for row in rows:
        row = (
            getattr(row, "values", row) if type(row).__name__ == "ParameterSet" else ((row,) if len(keys) == 1 else row)
        )
        yield dict(zip(keys, row, strict=True))
