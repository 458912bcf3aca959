"""The fixtures of a test that is played outside pytest: those of its module and of the conftest of its folder.

pytest's own are there as far as such tests need them: a temporary folder, patches that are taken back, what was
printed. Of a fixture with several parameters the first is taken.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tests.cli import conftest
from tests.transcripts.commands import run

Test = Callable[..., object]


class Printed(NamedTuple):
    """What was printed since it was asked last."""

    out: str
    err: str


class Capture:
    """What is printed while a test is played, by a command or by the test itself."""

    def __init__(self) -> None:
        self._out, self._err = io.StringIO(), io.StringIO()

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        with contextlib.redirect_stdout(self._out), contextlib.redirect_stderr(self._err):
            yield

    def readouterr(self) -> Printed:
        """As pytest's ``capfd`` has it."""
        printed = Printed(self._out.getvalue(), self._err.getvalue())
        for stream in (self._out, self._err):
            stream.seek(0)
            stream.truncate()
        return printed


class Request:
    """What a fixture is told of the test that asks for it."""

    def __init__(self, fixtures: Fixtures, param: Any = None) -> None:
        self.param, self.getfixturevalue, self.config = param, fixtures.__getitem__, self

    def getoption(self, _: str) -> bool:
        """No option of the command line is given."""
        return False


class Fixtures:
    """The fixtures for one time that a test is played in a folder of its own. Whoever enters it ends them all."""

    def __init__(self, module: ModuleType, folder: Path, values: Mapping[str, Any], ran: Callable[..., None]) -> None:
        self._module, self._folder, self._ran = module, folder, ran
        self._made: dict[str, Any] = dict(values)
        self._ends = contextlib.ExitStack()
        self._capture = Capture()

    def play(self, test: Test) -> None:
        """Play the test with what it asks for."""
        with self._ends, self._capture.taken():
            for name, made in vars(self._module).items():
                if getattr(getattr(made, "_fixture_function_marker", None), "autouse", False):
                    self[name]
            for mark in getattr(test, "pytestmark", ()):
                for name in mark.args if mark.name == "usefixtures" else ():
                    self[name]
            test(**{name: self[name] for name in inspect.signature(test).parameters})

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Any:
        match name:
            case "tmp_path":
                return self._folder
            case "monkeypatch":
                return self._ends.enter_context(pytest.MonkeyPatch.context())
            case "capfd" | "capsys":
                return self._capture
            case "mentat":
                self["place"]
                return self._mentat
        fixture = self._fixture(name)
        made, request = fixture._fixture_function, Request(self, *(fixture._fixture_function_marker.params or ())[:1])
        asked = inspect.signature(made).parameters
        value = made(**{each: request if each == "request" else self[each] for each in asked})
        if inspect.isgenerator(value):
            return self._ends.enter_context(contextlib.contextmanager(lambda: value)())
        return value

    def _fixture(self, name: str) -> Any:
        for module in self._modules():
            if hasattr(fixture := getattr(module, name, None), "_fixture_function"):
                return fixture
        raise LookupError(f"{self._module.__name__} has no fixture {name}")

    def _modules(self) -> Iterator[ModuleType]:
        yield self._module
        folder = self._module.__name__.rpartition(".")[0]
        for each in (f"{folder}.conftest", "tests.cli.conftest"):
            with contextlib.suppress(ModuleNotFoundError):
                yield import_module(each)

    def _mentat(self, *words: str) -> conftest.Ran:
        ran = run(words)
        self._ran(words, ran)
        return conftest.Ran(ran.code if isinstance(ran.code, int) else 1, ran.out, ran.err)


def parameters(test: Test) -> Iterator[dict[str, Any]]:
    """The values of each time that a test runs."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    for chosen in itertools.product(*(_values(*mark.args[:2]) for mark in marks)):
        yield {name: value for one in chosen for name, value in one.items()}


def _values(names: str | Sequence[str], rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    for row in rows:
        values = row.values if isinstance(row, type(pytest.param())) else row if len(keys) > 1 else (row,)
        yield dict(zip(keys, values, strict=True))


def tests_of(module: ModuleType) -> dict[str, Test]:
    """The tests of a module, by name."""
    return {name: test for name, test in vars(module).items() if name.startswith("test_") and callable(test)}
