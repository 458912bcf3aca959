"""Which rulings show which clause: the executable rulebook by clause.

The rulings ship with the wheel as `rules/data/rulings`; in a clone they are `tests/rulings`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from rules.components.facts import data_folder


def rulings_folder() -> Path:
    """Where the rulings lie; a folder that is not there holds none."""
    shipped = data_folder() / "rulings"
    return shipped if shipped.is_dir() else data_folder().parent / "tests" / "rulings"


def rulings_citing(clause_id: str) -> tuple[tuple[Path, str], ...]:
    """The rulings that cite a clause, as file and title.

    >>> rulings_citing("AH.X.C.2")[0][1]  # doctest: +SKIP
    'A tie goes to the aggressor'
    """
    return _index().get(clause_id, ())


@cache
def _index() -> Mapping[str, tuple[tuple[Path, str], ...]]:
    found: dict[str, tuple[tuple[Path, str], ...]] = {}
    for path in sorted(rulings_folder().rglob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        for cited in document.get("clauses", ()):
            found[cited] = (*found.get(cited, ()), (path, str(document.get("title", path.stem))))
    return found
