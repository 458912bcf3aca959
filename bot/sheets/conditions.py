"""Conditions: a tree of facts, and whether it holds by what a seat may know.

A fact is true, false, or of something that does not exist now or is not to be seen (the price where nothing is for
sale). Such a fact makes nothing true, neither itself nor its negation: what cannot be told is left to the player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.sheets.blanks import PARTS, Measure
from bot.sheets.facts import FACTS, FactForm
from bot.sheets.knowledge import Knowledge


@dataclass(frozen=True, slots=True)
class Condition:
    """Base of all conditions; equal conditions are equal values."""


@dataclass(frozen=True, slots=True)
class Fact(Condition):
    """What is so or not: ``number`` is its form in the table, ``args`` what stands in its blanks."""

    number: int
    args: tuple[Any, ...] = ()

    @property
    def form(self) -> FactForm:
        return FACTS[self.number]


@dataclass(frozen=True, slots=True)
class Comparison(Condition):
    """A number that is compared."""

    number: int
    args: tuple[Any, ...]
    test: Measure

    @property
    def form(self) -> FactForm:
        return FACTS[self.number]


@dataclass(frozen=True, slots=True)
class Negation(Condition):
    """It is known that this does not hold."""

    part: Condition


@dataclass(frozen=True, slots=True)
class AllOf(Condition):
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf(Condition):
    """At least one part holds."""

    parts: tuple[Condition, ...]


def all_of(*parts: Condition) -> Condition:
    """All parts together, those of conjunctions among them taken out of their brackets."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, AllOf) else (part,))]
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def any_of(*parts: Condition) -> Condition:
    """One of the parts at least."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, AnyOf) else (part,))]
    return AnyOf(tuple(flat))


def negation(part: Condition) -> Condition:
    """That it is not so; ``negation(negation(c)) == c``."""
    return part.part if isinstance(part, Negation) else Negation(part)


def holds(condition: Condition, knowledge: Knowledge) -> bool:
    """Whether the seat knows that the condition is true."""
    return truth(condition, knowledge) is True


def truth(condition: Condition, knowledge: Knowledge) -> bool | None:
    """What the seat knows of it: true, false, or None where that cannot be told."""
    match condition:
        case Fact(_, args):
            value = condition.form.value(knowledge, *args)
            return None if value is None else bool(value)
        case Comparison(_, args, test):
            value = condition.form.value(knowledge, *args)
            return None if value is None else test.passes(value)
        case Negation(part):
            value = truth(part, knowledge)
            return None if value is None else not value
        case AllOf(parts):
            return _combined(parts, knowledge, decisive=False)
        case AnyOf(parts):
            return _combined(parts, knowledge, decisive=True)
    raise TypeError(f"{condition} is no condition")


def _combined(parts: Sequence[Condition], knowledge: Knowledge, *, decisive: bool) -> bool | None:
    """The truth of an "and" (``decisive`` is false) or an "or" (true) of these parts: ``decisive`` if one of them is;
    else None if one cannot be told; else the opposite. Nothing after a decisive part is looked at, so whoever wants to
    be quick writes parts that need no view first."""
    untold = False
    for part in parts:
        value = truth(part, knowledge)
        if value is decisive:
            return decisive
        untold = untold or value is None
    return None if untold else not decisive


# --- in words --------------------------------------------------------------------------------------------------------


def write_condition(condition: Condition) -> str:
    """The condition in canonical words, which read back as the same.

    >>> write_condition(all_of(Comparison(0, (), Measure("=", 3)), Fact(1, ("bidding",))))
    'turn 3 and phase bidding'
    """
    match condition:
        case Fact(_, args):
            return _filled(condition.form.pattern, args)
        case Comparison(_, args, test):
            return _filled(condition.form.pattern, (*args, test))
        case Negation(Fact(_, args) as fact) if fact.form.denied:
            return _filled(fact.form.denied[0], args)
        case Negation(AllOf() | AnyOf() as part):
            return f"not ({write_condition(part)})"
        case Negation(part):
            return f"not {write_condition(part)}"
        case AllOf(parts):
            return " and ".join(_in_brackets(part) for part in parts)
        case AnyOf(parts):
            return " or ".join(map(write_condition, parts))
    raise TypeError(f"{condition} is no condition")


def _in_brackets(part: Condition) -> str:
    return f"({write_condition(part)})" if isinstance(part, AnyOf) else write_condition(part)


def _filled(pattern: str, args: Sequence[Any]) -> str:
    values = list(args)
    words: list[str] = []
    after_word = True
    for piece in pattern.split():
        if piece == "{test}":
            test = values.pop()
            words.append(_bare(test) if after_word else str(test))
        elif piece.startswith("{"):
            words.append(PARTS[piece[1:-1]].write(values.pop(0)))
        else:
            words.append(piece.replace("_", " "))
        after_word = not piece.startswith("{")
    return " ".join(words)


def _bare(test: Measure) -> str:
    """After a word of the language "=" need not be written."""
    return str(test.number) if test.operator == "=" else str(test)
