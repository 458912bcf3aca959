"""Options: the points on which the documents differ.

The chapter that reads an option declares it, and defines the meaning of each value in that chapter. The meaning is
usually a function; if the value is a number, it may be that number itself. So every option is read somewhere, and the
declarations define which values can be played:

    LOSSES = Option("fremen_storm_loss", {"all": _lose_all, "half_up": _lose_half})
    ...
    dead = LOSSES(game.rules)(game, area)

``data/options.toml`` lists the options by the names that they have in a rule set's file. It explains their values to
readers, and names the clauses to which they refer.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

Value = str | int | bool
"""A value in a rule set's file: a word, a number, or true or false."""

T = TypeVar("T")


class RuleSetError(Exception):
    """The error for a rule set or option that is unknown or cannot be played. Its message tells the reader what to
    change."""


class Chosen(Protocol):
    """An object that holds the chosen value of each option, such as a rule set."""

    @property
    def options(self) -> Mapping[str, Value]: ...


class Option(Generic[T]):
    """One option, as a chapter reads it. Calling the option with a rule set returns the meaning of that rule set's
    value.

    ``usual`` is the value for all rule sets whose files do not name the option. If it is None, every file must name the
    option.
    """

    __slots__ = ("name", "usual", "values")

    def __init__(self, name: str, values: Mapping[Value, T], usual: Value | None = None) -> None:
        self.name = name
        self.values = values
        self.usual = usual

    def __call__(self, rules: Chosen) -> T:
        return self.values[rules.options[self.name]]


def number(name: str, values: Iterable[int], usual: int | None = None) -> Option[int]:
    return Option(name, {value: value for value in values}, usual)


def switch(name: str, usual: Literal["on", "off"] | None = None) -> Option[bool]:
    return Option(name, {"on": True, "off": False}, usual)


Declared = Mapping[str, tuple[Value, ...]]
"""Every option that some chapter reads, with the values that all its readers know."""


def declared(options: Iterable[Option[Any]]) -> Declared:
    found: dict[str, tuple[Value, ...]] = {}
    for option in options:
        values = found.get(option.name, tuple(option.values))
        found[option.name] = tuple(value for value in values if value in option.values)
    return found


def read_value(name: str, known: Declared, value: object) -> Value:
    """Return the option's value. The value of a switch may be written as true or false, "yes" or "no", "on" or "off".
    Raise RuleSetError for an unknown option or value."""
    if name not in known:
        raise RuleSetError(f"There is no option {name!r} of a rule set{did_you_mean(name, list(known))}.")
    values = known[name]
    for candidate in values:
        if type(candidate) is type(value) and candidate == value:
            return candidate
    wanted = _SWITCHED.get(value) if isinstance(value, str | bool) else None
    for candidate in values:
        if wanted is not None and isinstance(candidate, str | bool) and _SWITCHED.get(candidate) is wanted:
            return candidate
    guess = did_you_mean(value, [str(candidate) for candidate in values]) if isinstance(value, str) else ""
    if wanted is not None:  # "on" for an option that is not a switch
        meant = [each for each in values if (each not in _NOTHING) is wanted and not isinstance(each, int)]
        guess = f"; write {name}={meant[0]}" if len(meant) == 1 else ""
    raise RuleSetError(f"The option {name} cannot be {written(value)}; it can be {listed(values)}{guess}.")


_NOTHING = ("none", "no", "off", "never")
_SWITCHED: Mapping[Value, bool] = {True: True, "yes": True, "on": True, False: False, "no": False, "off": False}


def written(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def listed(values: Iterable[Value]) -> str:
    values = tuple(values)
    if len(values) > 3 and all(type(value) is int for value in values):
        return f"a number from {values[0]} to {values[-1]}"
    return " or ".join(map(written, values))


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Return `` (did you mean X?)``, where X is a known word that is similar to the given one, or "" if there is
    none."""
    close = difflib.get_close_matches(word, known, n=1) or [name for name in known if word.lower() in name]
    return f" (did you mean {close[0]}?)" if close[:1] and word else ""
