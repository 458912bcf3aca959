"""Fixtures that run the command line in this process and return its output and exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main, session
from bot.games.open_games import would_be_written
from tests.moderator.table import World


@dataclass(frozen=True)
class Ran:
    """The output and exit code of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Mentat = Callable[..., Ran]


@pytest.fixture
def place(tmp_path: Path) -> World:
    """Return a folder with settings and a database, which the test uses as another process would."""
    made = World.at(tmp_path)
    made.engine.dispose()  # otherwise rows of other worlds in this folder would not yet be in the file
    return made


@pytest.fixture
def mentat(place: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Mentat:
    """Return a function that runs `mentat ...` in that folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for console in (session.console, session.errors):
        monkeypatch.setattr(console, "_width", None)  # the width was set when the module was imported

    def run(*words: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["mentat", *words])
        capfd.readouterr()
        would_be_written()  # a command is a separate process, so forget the letters of earlier dry runs
        with pytest.raises(SystemExit) as end:
            main()
        printed = capfd.readouterr()
        code = end.value.code
        assert isinstance(code, int)
        return Ran(code, printed.out, printed.err)

    return run
