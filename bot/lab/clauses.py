"""The rulings that cite a clause, and the names and explanations of the options.

An installed wheel holds the rulings in `rules/data/rulings`; in a clone they are in `tests/rulings`.
`data/options.toml` names and explains the options, sorted by the part of the turn that they concern.

`mentat rule` loads this module, so it imports nothing that plays a game.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rules.components.facts import data_folder, document
from rules.kept import kept, states_of


def rulings_folder() -> Path:
    shipped = data_folder() / "rulings"
    return shipped if shipped.is_dir() else data_folder().parent / "tests" / "rulings"


def rulings_citing(clause_id: str) -> tuple[tuple[Path, str], ...]:
    """Return the file and title of each ruling that cites a clause.

    >>> rulings_citing("AH.X.C.2")[0][1]  # doctest: +SKIP
    'A tie goes to the aggressor'
    """
    return tuple((Path(path), title) for path, title in _rulings_by_clause().get(clause_id, ()))


@cache
def _rulings_by_clause() -> Mapping[str, Sequence[tuple[str, str]]]:
    folder = rulings_folder()
    return kept(__file__, "rulings", states_of(_rulings_below(folder)), lambda: _index(folder))


def _rulings_below(folder: Path) -> Iterator[os.DirEntry[str]]:
    for entry in os.scandir(folder):  # it finds two thousand files in half the time that `Path` takes
        if entry.is_dir():
            yield from _rulings_below(Path(entry.path))
        elif entry.name.endswith(".toml"):
            yield entry


def _index(folder: Path) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(folder.rglob("*.toml")):
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError:  # `mentat ruling check` reports it
            continue
        for clause_id in dict.fromkeys(document.get("clauses", ())):
            found.setdefault(clause_id, []).append((str(path), str(document.get("title", path.stem))))
    return found


OptionWords = Mapping[str, Any]
"""The description of an option: its meaning, its clauses, the open questions that it settles, its values in words."""


def described_options() -> Mapping[str, Mapping[str, OptionWords]]:
    return {
        str(part["title"]): {name: said for name, said in part.items() if name != "title"}
        for part in document("options.toml").values.values()
    }
