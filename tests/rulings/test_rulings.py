"""Runs every ruling in this folder as a test that cites its clauses; rulings about mails may cite none."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from bot.lab.rulings import run_ruling
from rules.engine.catalogue import load_rule_set

FOLDER = Path(__file__).parent


def _rulings() -> list[Any]:
    return [_case(path) for path in sorted(FOLDER.rglob("*.toml"))]


def _case(path: Path) -> Any:
    try:
        ruling = tomllib.loads(path.read_text(encoding="utf-8").partition("\n[")[0])  # the part before its tables
    except tomllib.TOMLDecodeError:
        ruling = {}
    clauses = ruling.get("clauses", [])
    about_reading = path.parent.name == "mails" and not clauses  # no rulebook says how a mail is read
    marks = [] if about_reading else [pytest.mark.clause(*clauses)]
    if unplayed := load_rule_set(ruling.get("ruleset", "wbc-2018")).unplayed:
        marks.append(pytest.mark.skip(reason=f"not played yet: {len(unplayed)} points of {ruling['ruleset']}"))
    return pytest.param(path, id=str(path.relative_to(FOLDER)), marks=marks)


@pytest.mark.parametrize("path", _rulings())
def test_the_ruling_holds(path: Path) -> None:
    result = run_ruling(path)
    assert result.passed, f"{result.title}: {result.difference}"
