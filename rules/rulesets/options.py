"""Options: the points on which the documents differ.

The chapter that reads an option declares it, with what each value means there: usually a function, or for a number the
number itself. So every option is read somewhere, and the declarations define the playable values:

    LOSSES = Option("fremen_storm_loss", {"all": _lose_all, "half_up": _lose_half})
    ...
    dead = LOSSES(game.rules)(game, area)

``data/options.toml`` has the name of each option in a rule set's file, the meaning of its values to a reader, and its
clauses.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

Value = str | int | bool
"""A value in a rule set's file: a word, a number, or true and false."""

T = TypeVar("T")


class RuleSetError(Exception):
    """The error for an unknown or unplayable rule set or option; the message says what would be right."""


class Chosen(Protocol):
    """The source of an option's value: a rule set."""

    @property
    def options(self) -> Mapping[str, Value]: ...


class Option(Generic[T]):
    """One option, as one chapter reads it. Calling it with a rule set returns the meaning of that rule set's value.

    ``usual`` is the value in every rule set whose file does not name the option. None: every file names it.
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
"""Every option that some chapter reads, with the values known to all its readers."""


def declared(options: Iterable[Option[Any]]) -> Declared:
    found: dict[str, tuple[Value, ...]] = {}
    for option in options:
        values = found.get(option.name, tuple(option.values))
        found[option.name] = tuple(value for value in values if value in option.values)
    return found


def read_value(name: str, known: Declared, value: object) -> Value:
    """Return the option's value; a switch may be given as true or false, "yes" or "no", "on" or "off". Raises
    RuleSetError for an unknown option or value."""
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
    if wanted is not None:  # "on" for an option that is no switch
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
    """Return `` (did you mean X?)`` with a similar known word; "" if there is none."""
    close = difflib.get_close_matches(word, known, n=1) or [name for name in known if word.lower() in name]
    return f" (did you mean {close[0]}?)" if close[:1] and word else ""
