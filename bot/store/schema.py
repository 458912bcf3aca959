"""The schema of a database, as a number: which one this Mentat makes, and what each brought."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class Step:
    """A schema, like "0011", and what it brought."""

    schema: str
    brings: str


def newest() -> str:
    """The schema that this Mentat makes, like "0011"."""
    return max(file.name.partition("_")[0] for file in _files())


def steps(schema: str) -> list[Step]:
    """What is done to a database of this schema, one after the other."""
    found = ((file.name.partition("_")[0], file) for file in sorted(_files()))
    return [Step(number, _brings(file)) for number, file in found if number > schema]


def _brings(file: Path) -> str:
    told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(told.partition("\n\n")[0].split())


def _files() -> list[Path]:
    return list((MIGRATIONS / "versions").glob("[0-9]*.py"))
