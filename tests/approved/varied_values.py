"""Variations of inputs that are JSON texts: another number, a flag turned, one more or fewer of something, a part as
another input has it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from tests.approved.subject import vary_words

WORDS = ("words", "press", "after")
"""Under these names stand texts that people write; other texts are one of some, and only those of others take their
place."""
STEPS = (-10, -2, -1, -1, 1, 1, 2, 10)


def vary_values(chance: Random, text: str, others: Sequence[str]) -> str:
    """One to three such changes.

    >>> vary_values(Random(1), '{"a": [1, 2]}', ['{"a": [5]}'])
    '{"a": [5, 2]}'
    """
    value = json.loads(text)
    for _ in range(chance.choice((1, 1, 2, 3))):
        other = json.loads(chance.choice(others))
        places = list(_places(value, other))
        if places:
            holder, key, theirs = chance.choice(places)
            _change(chance, holder, key, theirs)
    return json.dumps(value)


def _places(value: Any, other: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Every place in a value: what holds it, its key there, and what stands in the same place of another."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        theirs = _at(other, key)
        yield value, key, theirs
        yield from _places(value[key], theirs)


def _at(other: Any, key: Any) -> Any:
    if isinstance(other, dict):
        return other.get(key)
    return other[key % len(other)] if isinstance(other, list) and other and isinstance(key, int) else None


def _change(chance: Random, holder: Any, key: Any, theirs: Any) -> None:
    value = holder[key] if isinstance(holder, dict) or key < len(holder) else None
    if theirs is not None and chance.random() < 0.3:
        holder[key] = theirs
        return
    match value:
        case bool():
            holder[key] = not value
        case int() | float():
            holder[key] = value + chance.choice(STEPS)
        case str() if key in WORDS:
            holder[key] = vary_words(chance, value, [theirs if isinstance(theirs, str) and theirs else value or "word"])
        case str() if isinstance(theirs, str):
            holder[key] = theirs
        case list():
            _longer_or_shorter(chance, value)
    if isinstance(holder, list) and chance.random() < 0.2:
        _longer_or_shorter(chance, holder)


def _longer_or_shorter(chance: Random, values: list[Any]) -> None:
    if not values:
        return
    place = chance.randrange(len(values))
    if chance.random() < 0.5:
        del values[place]
    else:
        values.insert(place, json.loads(json.dumps(values[place])))
