"""The schema of a database, as a number: which one this Mentat makes, which it can upgrade, and what each brought."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

MIGRATIONS = Path(__file__).parent / "migrations"
LAST_BEFORE_1 = "0.1.0"
"""The last version before 1.0.0, which upgrades all older schemas to the first that is known here."""


@dataclass(frozen=True, slots=True)
class Step:
    """A schema, like "0012", and what it brought."""

    schema: str
    brings: str


def newest() -> str:
    """The schema that this Mentat makes, like "0012"."""
    return max(_files())


def before_version_1(schema: str) -> str:
    """What is wrong with a database or backup of before version 1.0.0, as the end of a sentence; "" for any other.

    >>> before_version_1("0012")
    ''
    """
    if not schema or schema >= min(_files()):
        return ""
    return (
        f"is from before version 1.0.0 (schema {schema}): upgrade it first with version {LAST_BEFORE_1}, "
        "the last before that, then with this one"
    )


def steps(schema: str) -> list[Step]:
    """What is done to a database of this schema, one after the other."""
    return [Step(number, _brings(file)) for number, file in sorted(_files().items()) if number > schema]


def _brings(file: Path) -> str:
    told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(told.partition("\n\n")[0].split())


def _files() -> dict[str, Path]:
    """The migrations by the numbers of the schemas that they make."""
    return {file.name.partition("_")[0]: file for file in (MIGRATIONS / "versions").glob("[0-9]*.py")}
