"""The executable rulebook: every ruling of this folder is a test that cites its clauses."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from bot.rulings import run_ruling

FOLDER = Path(__file__).parent


def _rulings() -> list[Any]:
    return [
        pytest.param(path, id=str(path.relative_to(FOLDER)), marks=pytest.mark.clause(*_clauses(path)))
        for path in sorted(FOLDER.rglob("*.toml"))
    ]


def _clauses(path: Path) -> list[str]:
    try:
        return list(tomllib.loads(path.read_text(encoding="utf-8")).get("clauses", []))
    except tomllib.TOMLDecodeError:
        return []


@pytest.mark.parametrize("path", _rulings())
def test_the_ruling_holds(path: Path) -> None:
    result = run_ruling(path)
    assert result.passed, f"{result.title}: {result.difference}"
