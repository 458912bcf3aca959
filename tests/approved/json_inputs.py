"""Inputs that are JSON: another of one by one to three small changes, each of a kind that a reader of it would make."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from random import Random
from typing import Any

from tests.approved.subject import Vary, vary_words

Place = tuple[str | int, ...]


def vary_json(words: Collection[str] = (), kept: Collection[str] = ()) -> Vary:
    """A way to vary JSON: numbers next to those that stand there, things that are gone, doubled, moved, or as they are
    in another input. Texts below one of the keys ``words`` become other words too; what lies below one of the keys
    ``kept`` stays."""

    def vary(chance: Random, text: str, others: Sequence[str]) -> str:
        made = json.loads(text)
        for _ in range(chance.choice((1, 1, 2, 3))):
            places = [place for place in _places(made) if not set(place) & set(kept)]
            if places:
                made = _changed(chance, made, chance.choice(places), json.loads(chance.choice(others)), words)
        return json.dumps(made, ensure_ascii=True)

    return vary


def _places(value: Any, above: Place = ()) -> Iterator[Place]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*above, key)
            yield from _places(inner, (*above, key))


def _at(value: Any, place: Place) -> Any:
    """What stands there; where a list is shorter, what stands last in it. None where there is nothing."""
    for key in place:
        if isinstance(value, list) and value and isinstance(key, int):
            value = value[min(key, len(value) - 1)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return None
    return value


def _changed(chance: Random, whole: Any, place: Place, other: Any, words: Collection[str]) -> Any:
    above, key = _at(whole, place[:-1]), place[-1]
    how = chance.random()
    if isinstance(above, list) and how < 0.35:
        _in_a_list(chance, above, key)
    elif isinstance(above, dict) and how < 0.06:
        del above[key]
    elif how < 0.55:
        theirs = _at(other, place)
        if theirs is not None or chance.random() < 0.1:
            above[key] = theirs
    else:
        above[key] = _another(chance, above[key], theirs=_at(other, place), of_words=bool(set(place) & set(words)))
    return whole


def _in_a_list(chance: Random, values: list[Any], key: Any) -> None:
    match chance.randrange(4):
        case 0 | 1:
            del values[key]
        case 2:
            values.insert(chance.randrange(len(values) + 1), json.loads(json.dumps(values[key])))
        case _:
            values.insert(chance.randrange(len(values)), values.pop(key))


def _another(chance: Random, value: Any, *, theirs: Any, of_words: bool) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return max(value + chance.choice((-10, -2, -1, -1, 1, 1, 2, 10)), 0) if chance.random() < 0.9 else value * 3
    if isinstance(value, float):
        return max(round(value + chance.choice((-1, -0.5, -0.1, 0.1, 0.5, 1)), 3), 0)
    if isinstance(value, str):
        if of_words and chance.random() < 0.1:
            return value * chance.choice((2, 5, 12))
        return vary_words(chance, value, [theirs if isinstance(theirs, str) else value]) if of_words else value
    if isinstance(value, list) and chance.random() < 0.3:
        return []
    return value
