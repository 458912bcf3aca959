"""Which rulings show which clause: the executable rulebook by clause.

The rulings ship with the wheel as `rules/data/rulings`; in a clone they are `tests/rulings`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

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
    return tuple(
        (path, str(_document(path).get("title", path.stem)))
        for path in _mentioning().get(clause_id, ())
        if clause_id in _document(path).get("clauses", ())
    )


@cache
def _mentioning() -> Mapping[str, Sequence[Path]]:
    """The rulings by every word that stands in them in quotes, as the ids of clauses do: parsing all of them would take
    longer than looking through them."""
    found: dict[str, list[Path]] = {}
    for path in sorted(rulings_folder().rglob("*.toml")):
        for quoted in set(_QUOTED.findall(path.read_text(encoding="utf-8"))):
            found.setdefault(quoted, []).append(path)
    return found


_QUOTED = re.compile(r"""["']([^"'\s]+)["']""")


@cache
def _document(path: Path) -> Mapping[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
