"""What the functions that a test calls itself give back or refuse: for many tests that is all that comes of them.

Told are words, numbers, instants and what is made up of them; of anything else stands its kind alone.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AnySet
from dataclasses import fields, is_dataclass
from datetime import date, timedelta, tzinfo
from enum import Enum
from pathlib import PurePath
from types import FunctionType, ModuleType
from typing import Any

MOST = 1500
"""So many characters of a result are shown; of what is longer, a digest stands for all."""
_OF_THE_MACHINE = frozenset({"desk_now", "health", "metrics", "try_upgrade"})
"""Functions whose results hold the room on a disk or how long something took."""
_HASH = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b")


@contextlib.contextmanager
def watched(module: ModuleType, tell: Callable[[str, str], None]) -> Iterator[None]:
    """Tell what Mentat's functions give or refuse that the tests of a module call by name."""
    functions = {
        name: function
        for name, function in vars(module).items()
        if isinstance(function, FunctionType) and function.__module__.startswith("bot.") and name not in _OF_THE_MACHINE
    }
    vars(module).update({name: _watched(function, tell) for name, function in functions.items()})
    try:
        yield
    finally:
        vars(module).update(functions)


def _watched(function: FunctionType, tell: Callable[[str, str], None]) -> Callable[..., Any]:
    @functools.wraps(function)
    def told(*arguments: Any, **named: Any) -> Any:
        try:
            value = function(*arguments, **named)
        except Exception as error:
            tell(f"{function.__name__} refuses", _shown(f"{type(error).__name__}: {error}"))
            raise
        if (text := rendered(value)) not in ("None", f"<{type(value).__name__}>"):
            tell(f"{function.__name__} gives", _shown(text))
        return value

    return told


def _shown(text: str) -> str:
    text = _HASH.sub("HASH", text)
    if len(text) <= MOST:
        return text
    return f"{text[:MOST]}…\n({len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:16]})"


def rendered(value: object) -> str:
    """A value in words that are the same in every process."""
    match value:
        case str():
            return value if type(value) is str else str(value)
        case Enum():
            return value.name
        case float():
            return f"{value:.6g}"
        case None | bool() | int() | date() | timedelta() | tzinfo() | PurePath():
            return str(value)
        case bytes():
            return value.decode(errors="backslashreplace")
        case Mapping():
            return "{" + ", ".join(f"{rendered(key)}: {rendered(each)}" for key, each in value.items()) + "}"
        case AnySet():
            return "{" + ", ".join(sorted(map(rendered, value))) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(rendered, value)) + "]"
    kind = type(value).__name__
    if is_dataclass(value):
        named = ((each.name, getattr(value, each.name, None)) for each in fields(value) if each.repr)
        return f"{kind}({', '.join(f'{name}={rendered(one)}' for name, one in named if one)})"
    return f"<{kind}>"
