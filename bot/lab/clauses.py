"""The rulings that cite a clause, and the options in words.

The rulings ship with the wheel as `rules/data/rulings`; in a clone they are `tests/rulings`. What options are called
and mean to a reader stands in `data/options.toml`, by the parts of the turn.

`mentat rule` loads this module, so it imports nothing that plays a game.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rules.components.facts import data_folder, document


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
        for path in _rulings_by_word().get(clause_id, ())
        if clause_id in _document(path).get("clauses", ())
    )


@cache
def _rulings_by_word() -> Mapping[str, Sequence[Path]]:
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


OptionWords = Mapping[str, Any]
"""Of one option: its meaning, its clauses, the open questions it answers, its values in words."""


def described_options() -> Mapping[str, Mapping[str, OptionWords]]:
    """The options by the title of their part, both in the order of the turn."""
    return {
        str(part["title"]): {name: said for name, said in part.items() if name != "title"}
        for part in document("options.toml").values.values()
    }
