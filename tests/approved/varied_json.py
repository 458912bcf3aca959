"""Another JSON value of one: a number next to it, a part less, one more, or one that stands elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from tests.approved.subject import vary_words

Path = tuple[str | int, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The ways to all values in it, itself included."""
    yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, (*path, number))


def at(value: Any, path: Path) -> Any:
    """What stands there."""
    for part in path:
        value = value[part]
    return value


def put(value: Any, path: Path, new: Any) -> Any:
    """The same with something else there."""
    if not path:
        return new
    first, *rest = path
    if isinstance(value, dict):
        return {**value, first: put(value[first], tuple(rest), new)}
    assert isinstance(first, int)
    return [*value[:first], put(value[first], tuple(rest), new), *value[first + 1 :]]


def kind(path: Path) -> str:
    """What stands there, whichever of several: "rounds/N/state"."""
    return "/".join(part if isinstance(part, str) else "N" for part in path)


def varied(chance: Random, value: Any, others: Sequence[Any], words: Sequence[str] = ()) -> Any:
    """The value with one change. Kinds of places that are many are chosen no more often than those that are few."""
    by_kind: dict[str, list[Path]] = {}
    for path in places(value):
        if path:
            by_kind.setdefault(kind(path), []).append(path)
    if not by_kind:
        return value
    path = chance.choice(by_kind[chance.choice(list(by_kind))])
    return put(value, path, varied_at(chance, value, path, others, words))


def varied_at(chance: Random, value: Any, path: Path, others: Sequence[Any], words: Sequence[str] = ()) -> Any:
    """What else may stand there."""
    old = at(value, path)
    if others and chance.random() < 0.3:
        other = chance.choice(others)
        alike = [each for each in places(other) if each and kind(each) == kind(path)]
        if alike:
            return at(other, chance.choice(alike))
    if isinstance(old, bool):
        return not old
    if isinstance(old, (int, float)):
        return old + chance.choice((-10, -2, -1, -1, -1, 1, 1, 1, 2, 10, -old))
    if isinstance(old, str):
        alike = [each for each in places(value) if isinstance(at(value, each), str) and each[-1:] == path[-1:]]
        texts = [at(value, each) for each in alike] or [old]
        return chance.choice((chance.choice(texts), chance.choice(texts), vary_words(chance, old, [*texts, *words])))
    if isinstance(old, list):
        return _another_list(chance, old)
    if isinstance(old, dict) and old:
        gone = chance.choice(list(old))
        return {key: each for key, each in old.items() if key != gone}
    return old


def _another_list(chance: Random, old: list[Any]) -> list[Any]:
    if not old:
        return old
    place, other = chance.randrange(len(old)), chance.randrange(len(old))
    match chance.randrange(5):
        case 0 | 1:
            return [*old[:place], *old[place + 1 :]]
        case 2:
            return [*old[:place], old[place], *old[place:]]
        case 3:
            return old[:place]
        case _:
            new = [*old]
            new[place], new[other] = new[other], new[place]
            return new
