"""Tests that the wheel contains all files Mentat reads, is reproducible, and runs without a clone.

`./mentat test` unpacks the wheel and uses the packages of this environment. With ``MENTAT_INSTALL=1``, as in `.ci/run`,
pip and uv install it into fresh environments with the locked versions, and a game is played there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bot import VERSION
from tests.packaging.conftest import REPOSITORY, build

INSTALL = bool(os.environ.get("MENTAT_INSTALL"))
LOCK = REPOSITORY / "requirements-demo.lock"
AT_RUN_TIME = {"bot": "bot", "rules": "rules", "data": "rules/data", "templates": "bot/templates"}
"""Folders of the repository, and their places in the wheel."""


def test_the_wheel_holds_every_module_template_fact_and_example_as_it_is_here(wheel: Path) -> None:
    wanted = {f"bot/{name}": REPOSITORY / name for name in ("config.example.toml", ".env.example")}
    for folder, place in AT_RUN_TIME.items():
        files = [
            path for path in (REPOSITORY / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts
        ]
        assert files, f"{folder} is empty"
        wanted |= {f"{place}/{path.relative_to(REPOSITORY / folder)}": path for path in files}
    with zipfile.ZipFile(wheel) as archive:
        shipped = set(archive.namelist())
        entry_points = archive.read(next(name for name in shipped if name.endswith("/entry_points.txt"))).decode()
        assert wanted.keys() - shipped == set()
        assert [name for name, path in wanted.items() if archive.read(name) != path.read_bytes()] == []
    assert "mentat = bot.cli:main" in entry_points
    assert {name.split("/")[0] for name in shipped} == {"bot", "rules", f"mentat-{VERSION}.dist-info"}


def test_the_same_sources_give_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    assert build(tmp_path).read_bytes() == wheel.read_bytes()


def test_an_unpacked_wheel_runs_where_there_is_no_clone(wheel: Path, tmp_path: Path) -> None:
    installed, games = tmp_path / "installed", tmp_path / "games"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    games.mkdir()

    def run(*words: str) -> str:
        return _run(games, [sys.executable, "-P", *words], PYTHONPATH=str(installed))

    assert run("-c", "import bot, rules; print(bot.__file__, rules.__file__)").count(str(installed)) == 2
    assert run("-m", "bot", "--version") == f"mentat {VERSION}\n"
    assert "ruling:" in run("-m", "bot", "rule", "storm")
    assert "the database is mentat.db" in run("-m", "bot", "init")
    assert "There is no game yet" in run("-m", "bot", "game", "list")


@pytest.mark.slow
@pytest.mark.skipif(not INSTALL, reason="MENTAT_INSTALL=1 installs into fresh environments, as .ci/run does")
@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_a_fresh_environment_with_the_versions_of_the_lock_plays_a_turn_in_an_empty_folder(
    wheel: Path, tmp_path: Path, installer: str
) -> None:
    place, games = tmp_path / "environment", tmp_path / "games"
    games.mkdir()
    python = str(place / "bin/python")
    _run(tmp_path, [sys.executable, "-m", "venv", str(place)])
    if installer == "pip":
        _run(tmp_path, [python, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(LOCK)])
        _run(tmp_path, [python, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)])
    else:
        uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python]
        _run(tmp_path, [*uv, "--constraints", str(LOCK), f"{wheel}[demo]"], **_as_pip_is_set_up())

    def mentat(*words: str) -> str:
        return _run(games, [str(place / "bin/mentat"), *words])

    assert mentat("--version") == f"mentat {VERSION}\n"
    assert "Verified:" in mentat("demo", "--turns", "1")
    assert (games / "mentat-demo/index.html").is_file()
    assert "ruling:" in mentat("rule", "storm")
    assert "wrote" in mentat("init", "mine")
    assert _run(games, [python, "-m", "pip", "check"]) == "No broken requirements found.\n"


def _run(folder: Path, command: list[str], **environment: str) -> str:
    """Run a command in a folder, with no clone on its path, and return its output."""
    known = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    ran = subprocess.run(
        command, cwd=folder, env={**known, "COLUMNS": "200", **environment}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def _as_pip_is_set_up() -> dict[str, str]:
    """Return pip's index and the system's certificates as settings for uv, which does not read them by default."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    index = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    index = os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("PIP_INDEX_URL") or index
    return {"UV_SYSTEM_CERTS": "1"} | ({"UV_DEFAULT_INDEX": index} if index else {})
