"""Options: the points on which the documents differ.

An option is declared by the chapter that reads it, with what each of its values means to that chapter: usually a
function, for a number the number itself. So an option that nothing reads cannot exist, and which values are played
follows from these declarations:

    LOSSES = Option("fremen_storm_loss", {"all": _lose_all, "half_up": _lose_half})
    ...
    dead = LOSSES(game.rules)(game, area)

What an option is called in a rule set's file, what its values mean to a reader, and the clauses on which it rests stand
in ``data/options.toml``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

Value = str | int | bool
"""What may stand in a rule set's file: a word, a number, or true and false."""

T = TypeVar("T")


class RuleSetError(Exception):
    """A rule set or an option that does not exist, or is not played; the message says what would be right."""


class Chosen(Protocol):
    """What an option is read from: a rule set."""

    @property
    def options(self) -> Mapping[str, Value]:
        """The value of every option by its name."""


class Option(Generic[T]):
    """One option, as one chapter reads it; calling it with a rule set gives what that rule set's value means."""

    __slots__ = ("name", "values")

    def __init__(self, name: str, values: Mapping[Value, T]) -> None:
        self.name = name
        self.values = values

    def __call__(self, rules: Chosen) -> T:
        return self.values[rules.options[self.name]]


def number(name: str, values: Iterable[int]) -> Option[int]:
    """An option whose value is a number: ``number("max_turns", range(1, 16))``."""
    return Option(name, {value: value for value in values})


def switch(name: str) -> Option[bool]:
    """An option that is on or off."""
    return Option(name, {"on": True, "off": False})


Declared = Mapping[str, tuple[Value, ...]]
"""Every option that some chapter reads, with the values that all who read it know."""


def declared(options: Iterable[Option[Any]]) -> Declared:
    """The options with the values that are played; several chapters may read the same one."""
    found: dict[str, tuple[Value, ...]] = {}
    for option in options:
        values = found.get(option.name, tuple(option.values))
        found[option.name] = tuple(value for value in values if value in option.values)
    return found


def read_value(name: str, known: Declared, value: object) -> Value:
    """The value as the option has it; a switch may be given as true or false, "yes" or "no", "on" or "off".

    RuleSetError for an option or a value that is not played.
    """
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
    raise RuleSetError(f"The option {name} cannot be {written(value)}; it can be {listed(values)}{guess}.")


_SWITCHED: Mapping[Value, bool] = {True: True, "yes": True, "on": True, False: False, "no": False, "off": False}


def written(value: object) -> str:
    """A value as a rule set's file has it."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def listed(values: Iterable[Value]) -> str:
    """The values as a reader wants them: numbers in a row as a span, words in their order."""
    values = tuple(values)
    if len(values) > 3 and all(type(value) is int for value in values):
        return f"a number from {values[0]} to {values[-1]}"
    return " or ".join(map(written, values))


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """`` (did you mean X?)`` where a known word is like it; "" where none is."""
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
