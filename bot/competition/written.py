"""A TOML table read into a type, with a sentence for each thing in it that cannot be, not only for the first."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

S = TypeVar("S", bound=msgspec.Struct)
_TYPES = {bool: "true or false", int: "a whole number", str: "text in quotes"}


def read_table(said: Mapping[str, Any], into: type[S], problems: list[str], where: str = "") -> S | None:
    """The table as this type; what is wrong in it is added to ``problems``, and None is returned if anything is.

    >>> wrong: list[str] = []
    >>> read_table({"x": 1}, msgspec.defstruct("Table", [("a", int, 2)]), wrong, "seats"), wrong
    (None, ['There is no setting x in [seats]; there are a.'])
    """
    place = f"[{where}]" if where else "the settings"
    found = len(problems)
    hints = get_type_hints(into)
    known: dict[str, Any] = {}
    for name, value in said.items():
        if name not in into.__struct_fields__:
            problems.append(
                f"There is no setting {name[:60]} in {place}; there are {', '.join(into.__struct_fields__)}."
            )
        elif isinstance(hints[name], type) and issubclass(hints[name], msgspec.Struct):
            if isinstance(value, Mapping):
                known[name] = read_table(value, hints[name], problems, name)
            else:
                problems.append(f"{name} is a table: its settings stand below [{name}].")
        else:
            known[name] = _read(value, hints[name], f"[{where}] {name}" if where else name, problems)
    for name in _required(into):
        if name not in said:
            problems.append(f"{name} is missing in {place}.")
    return into(**known) if len(problems) == found else None


def _required(into: type[msgspec.Struct]) -> list[str]:
    return [field.name for field in msgspec.structs.fields(into) if field.required]


def _read(value: Any, hint: Any, where: str, problems: list[str]) -> Any:
    try:
        return msgspec.convert(value, hint)
    except msgspec.ValidationError:
        shown = repr(value)
        problems.append(f"{where} is {shown[:60]}: it is {_described(hint)}.")
        return None


def _described(hint: Any) -> str:
    """What a setting may be, in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return "one of " + ", ".join(f'"{part}"' for part in parts)
    if origin in (Union, types.UnionType):
        return " or ".join(_described(part) for part in parts if part is not type(None))
    if origin is tuple and parts[-1] is ...:
        return f"a list, each of it {_described(parts[0])}"
    if origin is tuple:
        return f"a list of {len(parts)}, each of it {_described(parts[0])}"
    if origin is not None:
        if parts[1] is Any:
            return "a table"
        names = _described(parts[0]) if get_origin(parts[0]) is Literal else "names"
        return f"a table of {names}, each with {_described(parts[1])}"
    return _TYPES.get(hint, "something else")
