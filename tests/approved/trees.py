"""Inputs that are JSON: how one is varied, value by value, and how values are told briefly."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

Place = tuple[str | int, ...]


def told_briefly(value: Any, place: str = "") -> Iterator[str]:
    """A line for each value that is not empty, false or 0, by the way to it."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from told_briefly(value[key], f"{place}.{key}" if place else str(key))
    elif isinstance(value, list) and any(isinstance(each, (dict, list)) for each in value):
        for number, each in enumerate(value):
            yield from told_briefly(each, f"{place}[{number}]")
    elif isinstance(value, list) and not any(value):
        return
    elif value not in (None, "", 0, {}):
        yield f"{place} {value if isinstance(value, str) else json.dumps(value)}"


def places(value: Any, here: Place = ()) -> Iterator[Place]:
    """The ways to all values in a tree, the outer ones first."""
    if here:
        yield here
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*here, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, (*here, number))


def varied(chance: Random, tree: Any, other: Any, words: Sequence[Any] = ()) -> Any:
    """The same tree with one value gone, doubled, next to what it was, or as in another tree or in ``words``."""
    tree = json.loads(json.dumps(tree))
    ways = list(places(tree))
    if not ways:
        return json.loads(json.dumps(other))
    *path, last = chance.choice(ways)
    holder: Any = _at(tree, path)
    match chance.randrange(8):
        case 0:
            del holder[last]
        case 1 if isinstance(holder, list):
            holder.insert(chance.randrange(len(holder) + 1), holder[int(last)])
        case 2:
            _take_over(chance, tree, other)
        case 3 if words:
            holder[last] = chance.choice(words)
        case 4:
            _exchange(chance, tree, ways)
        case _:
            holder[last] = _next_to(chance, holder[last], tree, other)
    return tree


def _at(tree: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def _take_over(chance: Random, tree: Any, other: Any) -> None:
    """A value of the other tree, where there is room for it."""
    ways = list(places(other))
    if not ways:
        return
    *path, last = chance.choice(ways)
    here, there = tree, other
    for step in path:
        there = there[step]
        if isinstance(here, dict) and isinstance(step, str):
            here = here.setdefault(step, type(there)())
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            here = here[step]
        else:
            return
    if isinstance(here, dict) and isinstance(there, dict):
        here[last] = there[last]
    elif isinstance(here, list) and isinstance(there, list):
        here.append(there[int(last)])


def _exchange(chance: Random, tree: Any, ways: Sequence[Place]) -> None:
    """Two values of the same kind change places."""
    *path, last = chance.choice(ways)
    kind = type(_at(tree, [*path, last]))
    alike = [way for way in ways if type(_at(tree, way)) is kind and kind not in (dict, list)]
    if alike:
        *other_path, other_last = chance.choice(alike)
        one, other = _at(tree, path), _at(tree, other_path)
        one[last], other[other_last] = other[other_last], one[last]


def _next_to(chance: Random, value: Any, tree: Any, other: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + chance.choice((-2, -1, -1, 1, 1, 2, 10))
        case float():
            return round(value * chance.choice((0, 0.5, 0.9, 1.1, 2, 10)), 6)
        case str():
            kinds = [_at(tree, way) for way in places(tree)] + [_at(other, way) for way in places(other)]
            texts = [text for text in kinds if isinstance(text, str)]
            return chance.choice((value[:-1], f"{value}x", value.title(), *[chance.choice(texts)] * 6))
        case list():
            return chance.choice(([], value[::-1], value[:1], [*value, *value[:1]]))
        case dict():
            return chance.choice(({}, dict(list(value.items())[:-1]), dict(list(value.items())[::-1])))
    return value
