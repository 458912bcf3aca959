"""What a test calls itself gives back or refuses: for many tests that is all that comes of them.

Told are words, numbers, instants and what is made up of them; of anything else stands its kind alone.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AnySet
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta, tzinfo
from enum import Enum
from numbers import Number
from pathlib import PurePath
from types import FunctionType, ModuleType
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel

Tell = Callable[[str, str], None]

MOST = 1500
"""So many characters of a result are shown; of what is longer, a digest stands for all."""
_OF_THE_MACHINE = frozenset({"desk_now", "health", "metrics", "try_upgrade"})
"""Functions whose results hold the room on a disk or how long something took."""
_HASH = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b")


@contextlib.contextmanager
def watched(module: ModuleType, tell: Tell, folder: str = "FOLDER") -> Iterator[None]:
    """Tell what a module of tests calls itself, and what came of it: Mentat's functions and those of other modules of
    tests, by name or through a module; the methods and properties of Mentat's classes that it names, or is given an
    object of. What these call in their turn is not told.
    ``folder`` is where the test plays, which is another each time."""
    with pytest.MonkeyPatch.context() as patch:
        watch = _Watch(vars(module), lambda heading, text: tell(heading, _shown(text.replace(folder, "FOLDER"))), patch)
        for name, made in [*vars(module).items()]:
            if isinstance(made, FunctionType) and made.__module__ != module.__name__:
                watch.function(module, name, made)
            elif isinstance(made, ModuleType):
                watch.module(made)
            elif isinstance(made, type):
                watch.methods(made)
        yield


class _Watch:
    """What is told while a test is played. ``caller`` are the names of its module: by them its own calls are known."""

    def __init__(self, caller: dict[str, Any], tell: Tell, patch: pytest.MonkeyPatch) -> None:
        self._caller, self._tell, self._patch = caller, tell, patch
        self._classes: set[type] = set()

    def module(self, module: ModuleType) -> None:
        """All functions and classes that a module makes."""
        for name, made in [*vars(module).items()]:
            if getattr(made, "__module__", None) != module.__name__:
                continue
            if isinstance(made, FunctionType):
                self.function(module, name, made)
            elif isinstance(made, type):
                self.methods(made)

    def function(self, where: ModuleType, name: str, function: FunctionType) -> None:
        if function.__module__.startswith(("bot.", "tests.")) and name not in _OF_THE_MACHINE:
            self._patch.setattr(where, name, self._told(function, function.__name__))

    def methods(self, kind: type) -> None:
        """What a class of Mentat offers, and the classes that it is made of."""
        for each in kind.__mro__:
            if each.__module__.startswith("bot.") and each not in self._classes:
                self._classes.add(each)
                for name, made in [*vars(each).items()]:
                    if not name.startswith("_") and (told := self._method(made, f"{each.__name__}.{name}")):
                        self._patch.setattr(each, name, told)

    def _method(self, made: object, name: str) -> object:
        match made:
            case FunctionType():
                return self._told(made, name)
            case classmethod() | staticmethod():
                return type(made)(self._told(made.__func__, name))
            case property(fget=FunctionType() as read):
                return property(self._told(read, name), made.fset, made.fdel, made.__doc__)
        return None

    def _told(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def told(*arguments: Any, **named: Any) -> Any:
            if sys._getframe(1).f_globals is not self._caller:
                return function(*arguments, **named)
            try:
                value = function(*arguments, **named)
            except Exception as error:
                self._tell(f"{name} refuses", f"{type(error).__name__}: {error}")
                raise
            return self._given(name, value)

        return told

    def _given(self, name: str, value: object) -> object:
        """The value, after it is told; what comes one by one is told when it is asked for."""
        if inspect.isgenerator(value):
            return self._one_by_one(name, value)
        self.methods(type(value))
        if (text := rendered(value)) not in ("None", f"<{type(value).__name__}>"):
            self._tell(f"{name} gives", text)
        return value

    def _one_by_one(self, name: str, values: Iterator[object]) -> Iterator[object]:
        came: list[object] = []
        try:
            for value in values:
                came.append(value)
                yield value
        finally:
            self._given(name, came)


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
        case None | Number() | date() | time() | timedelta() | tzinfo() | PurePath():
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
    if isinstance(value, BaseException):
        return f"{kind}: {value}"
    if (names := _fields(value)) is None:
        return f"<{kind}>"
    named = ((name, getattr(value, name, None)) for name in names)
    return f"{kind}({', '.join(f'{name}={rendered(one)}' for name, one in named if one)})"


def _fields(value: object) -> Iterable[str] | None:
    """What a value is made up of, where its class says so: of settings what was set."""
    match value:
        case msgspec.Struct():
            return value.__struct_fields__
        case BaseModel():
            return sorted(value.model_fields_set)
    return [each.name for each in fields(value) if each.repr] if is_dataclass(value) else None
