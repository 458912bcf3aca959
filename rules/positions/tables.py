"""Reading what somebody wrote into the tables of a ruling, with types and with errors that they can act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rules.components import Forces, board
from rules.components.board import Area, TerritoryId


class PositionError(ValueError):
    """A position that cannot be; the message is a sentence that says where and what would be right."""


class Table:
    """One table of a ruling, read with types; what does not fit is a ``PositionError`` that says where."""

    def __init__(self, where: str, values: Mapping[str, Any], known: Iterable[str] | None = None) -> None:
        self.where = where
        self.values = values
        names = None if known is None else list(known)
        for key in values:
            if names is not None and key not in names:
                raise PositionError(f"{where}: {_unknown(key, names)}.")

    def wrong(self, key: str, why: str) -> PositionError:
        return PositionError(f"{self.where} {key} = {self.values.get(key)!r}: {why}.")

    def table(self, key: str, known: Iterable[str] | None = None) -> Table:
        value = self.values.get(key, {})
        if not isinstance(value, Mapping):
            raise self.wrong(key, "this must be a table")
        where = f"{self.where[:-1]}.{key}]" if self.where.endswith("]") else f"{self.where}, {key}"
        return Table(where, value, known)

    def number(self, key: str, default: int | None, least: int, most: int) -> int:
        value = self.values.get(key, default)
        if type(value) is not int or not (least <= value <= most or value is default):
            raise self.wrong(key, f"this must be a number from {least} to {most}")
        return value

    def truth(self, key: str, default: bool) -> bool:
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "this must be true or false")
        return value

    def text(self, key: str, default: str) -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "this must be a text")
        return value

    def word(self, key: str, default: str | None, known: Iterable[str]) -> str:
        value = self.values.get(key, default)
        names = list(known)
        if value is None:
            raise PositionError(f"{self.where}: {key} is missing; it can be {', '.join(names)}.")
        if not isinstance(value, str) or value not in names:
            raise self.wrong(key, _unknown(value, names))
        return value

    def words(self, key: str, known: Iterable[str], *, twice: bool = False) -> list[str]:
        return self._words(key, self.values.get(key, []), list(known), twice=twice)

    def groups(self, key: str, known: Iterable[str], *, twice: bool = False) -> list[list[str]]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.wrong(key, "this must be a list of lists")
        names = list(known)
        return [self._words(key, group, names, twice=twice) for group in value]

    def _words(self, key: str, value: object, names: list[str], *, twice: bool) -> list[str]:
        if not isinstance(value, list):
            raise self.wrong(key, "this must be a list")
        for word in value:
            if not isinstance(word, str) or word not in names:
                raise self.wrong(key, _unknown(word, names))
            if not twice and value.count(word) > 1:
                raise self.wrong(key, f"{word} is named twice")
        return list(value)

    def forces(self, key: str, default: Forces) -> Forces:
        value = self.values.get(key)
        if value is None:
            return default
        try:
            return Forces.parse(str(value))
        except ValueError:
            raise self.wrong(key, 'forces are written "5", or "3+2" for three ordinary and two elite') from None

    def area(self, text: str) -> Area:
        """The area that a key of this table names."""
        try:
            return board.parse_area(text)
        except ValueError as error:
            raise PositionError(f"{self.where}: {error}") from None

    def spice_area(self, text: str) -> Area:
        """The area of spice that a key names; the territory is enough, for spice blows in one sector of it."""
        territory = board.TERRITORIES.get(TerritoryId(text))
        return territory.spice_area if territory and territory.spice_area else self.area(text)


def _unknown(word: object, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, names, n=1) if isinstance(word, str) else []
    if close:
        return f"there is no {word!r} here; did you mean {close[0]!r}?"
    listed = f"; it can be {', '.join(names)}" if 0 < len(names) <= 12 else ""
    return f"there is no {word!r} here{listed}"
