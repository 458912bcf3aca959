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

from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from rules.rulesets.ruleset import RuleSet, Value

T = TypeVar("T")


class Option(Generic[T]):
    """One option; calling it with a rule set gives what that rule set's value means."""

    __slots__ = ("name", "values")

    def __init__(self, name: str, values: Mapping[Value, T]) -> None:
        self.name = name
        self.values = values

    def __call__(self, rules: RuleSet) -> T:
        return self.values[rules.option(self.name)]


def number(name: str, values: Iterable[int]) -> Option[int]:
    """An option whose value is a number: ``number("max_turns", range(1, 16))``."""
    return Option(name, {value: value for value in values})


def switch(name: str) -> Option[bool]:
    """An option that is on or off; a file may write "yes" and "no", "on" and "off", or true and false."""
    return Option(name, {"on": True, "yes": True, True: True, "off": False, "no": False, False: False})
