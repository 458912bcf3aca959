"""Which rulings show which clause: the executable rulebook by clause.

The rulings ship with the wheel as `rules/data/rulings`; in a clone they are `tests/rulings`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
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
    quoted = (f'"{clause_id}"'.encode(), f"'{clause_id}'".encode())
    naming = ((path, text) for path, text in _texts() if any(id in text for id in quoted))
    documents = ((path, tomllib.loads(text.decode("utf-8"))) for path, text in naming)
    return tuple(
        (path, str(document.get("title", path.stem)))
        for path, document in documents
        if clause_id in document.get("clauses", ())
    )


@cache
def _texts() -> Sequence[tuple[Path, bytes]]:
    """The rulings as they are written: to take all of them apart takes longer than to look through them."""
    return [(path, path.read_bytes()) for path in sorted(rulings_folder().rglob("*.toml"))]
