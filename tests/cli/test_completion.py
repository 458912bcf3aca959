"""Tests that shell completion offers commands and options, without using the network or opening a database."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot import VERSION
from tests.cli.conftest import Mentat

CLONE = Path(__file__).parents[2]
AND_SAY_WHAT_WAS_IMPORTED = """
import atexit, sys
atexit.register(lambda: print(*sorted(name for name in sys.modules if name.startswith("bot.cli."))))
from bot.cli import main
main()
"""
TYPED = """
eval "$(_MENTAT_COMPLETE=source_bash mentat)"
complete -p mentat
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_mentat_completion mentat
printf '%s\\n' "${COMPREPLY[@]}"
"""
"""The steps bash takes when somebody types these words and presses Tab."""


def typed(folder: Path, *words: str) -> set[str]:
    """Return bash's completions for these words; the last word may be incomplete."""
    command = folder / "commands/mentat"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f"#!/bin/sh\nPYTHONPATH='{CLONE}' exec '{sys.executable}' -P -m bot \"$@\"\n", encoding="utf-8")
    command.chmod(0o755)
    ran = subprocess.run(
        ["bash", "-c", TYPED, "bash", *words], cwd=folder, capture_output=True, text=True, check=True,
        env={"PATH": f"{command.parent}:/usr/bin:/bin"},
    )  # fmt: skip
    assert ran.stderr == ""
    registered, *offered = ran.stdout.splitlines()
    assert "_mentat_completion mentat" in registered
    return set(offered)


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    assert typed(tmp_path, "mentat", "ga") == {"game"}
    assert {"rollback", "replace", "resume"} <= typed(tmp_path, "mentat", "game", "r")
    assert {"--ruleset", "--seed"} <= typed(tmp_path, "mentat", "game", "new", "--")
    assert [path.name for path in tmp_path.iterdir()] == ["commands"]


def test_completion_imports_no_command(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", AND_SAY_WHAT_WAS_IMPORTED], capture_output=True, text=True, check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(CLONE), "_MENTAT_COMPLETE": "complete_bash", "COMP_WORDS": "mentat d",
             "COMP_CWORD": "1"},
    )  # fmt: skip
    *offered, imported = ran.stdout.splitlines()
    assert {"demo", "doctor", "deliver", "desk"} <= set(offered)
    assert imported == "bot.cli.session"


def test_the_version_is_told(mentat: Mentat) -> None:
    ran = mentat("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"mentat {VERSION}\n", "")
