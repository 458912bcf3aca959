"""The facts of the game, read from the project's data files.

Numbers, names and borders are data. The files are in `data/` in the repository, and in `rules/data` in an installed
package. No other module of the rules reads files, and this module reads no other files.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rules.kept import kept, states_of


class FactsError(Exception):
    """The error for a data file that is missing or broken. Its message is one sentence that names the file and the
    fault."""


def data_file(name: str) -> Path:
    """Return the path of a data file, for example `data_file("rule-sets/wbc-2018.toml")`."""
    path = data_folder() / name
    if not path.is_file():
        raise FactsError(f"The data file {name} is missing: it should be at {path}.")
    return path


def data_folder() -> Path:
    rules = Path(__file__).parent.parent
    packaged = rules / "data"
    return packaged if packaged.is_dir() else rules.parent / "data"


@cache
def load_toml(name: str) -> Mapping[str, Any]:
    """Return the content of a data file. The file is read only once and every caller gets the same object, so it must
    not be changed."""
    file = data_file(name)
    return kept(__file__, name, states_of([file]), lambda: _parsed(name, _written(name)))


def _written(name: str) -> str:
    try:
        return data_file(name).read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError) as error:
        raise FactsError(f"The data file {name} cannot be read: {error}.") from error


def _parsed(name: str, text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FactsError(f"The data file {name} cannot be read: {error}.") from error


class Entry:
    """A TOML table from a data file, with methods that read its values by type: `entry.text("name")`,
    `entry.number("spice", 0)`. If a value without a default is missing, or a value has the wrong type, `FactsError` is
    raised with the file, the entry and the key."""

    def __init__(self, where: str, values: Mapping[str, Any]) -> None:
        self.where = where
        self.values = values

    def text(self, key: str, default: str | None = None) -> str:
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        return value

    def number(self, key: str, default: int | None = None) -> int:
        value = self._value(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(key, "a whole number")
        return value

    def truth(self, key: str, default: bool | None = None) -> bool:
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        value = self._value(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "a list of texts")
        return tuple(value)

    def numbers(self, key: str) -> tuple[int, ...]:
        value = self._value(key, None)
        if not isinstance(value, list) or not all(isinstance(item, int) for item in value):
            raise self._wrong(key, "a list of whole numbers")
        return tuple(value)

    def table(self, key: str, default: Mapping[str, Any] | None = None) -> "Entry":
        value = self._value(key, default)
        if not isinstance(value, dict):
            raise self._wrong(key, "a table")
        return Entry(f"{self.where}, {key}", value)

    def pairs(self, key: str) -> list[tuple[str, str]]:
        value = self._value(key, None)
        if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
            raise self._wrong(key, "a list of pairs")
        return [(str(first), str(second)) for first, second in value]

    def _value(self, key: str, default: object) -> object:
        value = self.values.get(key, default)
        if value is None:
            raise FactsError(f"{self.where}: {key} is missing.")
        return value

    def _wrong(self, key: str, expected: str) -> FactsError:
        return FactsError(f"{self.where}: {key} is {self.values.get(key)!r}; it must be {expected}.")


def document(name: str) -> Entry:
    return Entry(f"The data file {name}", load_toml(name))


def entries(name: str, key: str) -> list[Entry]:
    tables = load_toml(name).get(key)
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise FactsError(f"The data file {name} has no list of tables named {key}.")
    return [
        Entry(f"The data file {name}, {key} {table.get('id', table.get('name', number))}", table)
        for number, table in enumerate(tables, start=1)
    ]


def written_tables(name: str, key: str) -> list[str]:
    """Return the text of a large data file, split before each TOML table of the list ``key``. The first part is the
    text before the first table."""
    return re.split(rf"^\[\[{re.escape(key)}\]\]$", _written(name), flags=re.MULTILINE)


def written_table(name: str, text: str) -> Entry:
    return Entry(f"The data file {name}", _parsed(name, text))
