"""Inputs that are JSON: another of one by small changes, each of a kind that a reader of it would make."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

import msgspec

from tests.approved.subject import Vary, vary_words

Place = tuple[str | int, ...]
"""The way to a value: keys of mappings and numbers in lists."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*")
_FORCES = re.compile(r"\d{1,2}(?:\+\d{1,2})?")
_MINUTES = (1, 30, 59, 89, 90, 91, 1440, 2159, 2160, 2161, 2880)
_STEPS = (-10, -2, -1, -1, -1, 1, 1, 1, 2, 10)


def as_input(given: msgspec.Struct) -> str:
    """The fields of an input as JSON."""
    return msgspec.json.encode(given).decode()


def vary_json(free: Collection[str] | None = (), kept: Collection[str] = (), longest: int = 40_000) -> Vary:
    """A way to vary JSON by one to four changes. Texts below one of the keys ``free`` become other words, all texts
    where it is None; what lies below one of the keys ``kept`` stays. No input gets longer than ``longest``."""

    def vary(chance: Random, text: str, others: Sequence[str]) -> str:
        value = json.loads(text)
        for _ in range(chance.choice((1, 1, 2, 2, 3, 4))):
            value = varied(chance, value, [json.loads(chance.choice(others))], free=free, kept=kept)
        made = json.dumps(value)
        return made if len(made) <= longest else text

    return vary


def places(value: Any, here: Place = ()) -> Iterator[Place]:
    """The ways to all that is in a value, the outer ones first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*here, key)
        yield from places(each, (*here, key))


def at(value: Any, place: Place) -> Any:
    """What stands there."""
    for key in place:
        value = value[key]
    return value


def put(value: Any, place: Place, new: Any) -> Any:
    """The same with something else there."""
    if not place:
        return new
    first, rest = place[0], place[1:]
    if isinstance(value, dict):
        return {**value, first: put(value[first], rest, new)}
    assert isinstance(first, int)
    return [*value[:first], put(value[first], rest, new), *value[first + 1 :]]


def kind(place: Place) -> str:
    """What stands there, whichever of several: "rounds/N/state"."""
    return "/".join(key if isinstance(key, str) else "N" for key in place)


def varied(
    chance: Random, value: Any, others: Sequence[Any], *, words: Sequence[Any] = (),
    free: Collection[str] | None = None, kept: Collection[str] = (),
) -> Any:  # fmt: skip
    """The value with one change. Kinds of places that are many are chosen no more often than those that are few."""
    by_kind: dict[str, list[Place]] = {}
    for place in places(value):
        if not set(place) & set(kept):
            by_kind.setdefault(kind(place), []).append(place)
    if not by_kind:
        return value
    place = chance.choice(by_kind[chance.choice(list(by_kind))])
    above = at(value, place[:-1])
    if isinstance(above, dict) and chance.random() < 0.1:
        return put(value, place[:-1], {key: each for key, each in above.items() if key != place[-1]})
    return put(value, place, varied_at(chance, value, place, others, words=words, free=free))


def varied_at(
    chance: Random, value: Any, place: Place, others: Sequence[Any], *, words: Sequence[Any] = (),
    free: Collection[str] | None = None,
) -> Any:  # fmt: skip
    """What else may stand there: what is next to it, or stands in such a place of another; one of ``words`` too."""
    old = at(value, place)
    alike = _alike(chance.choice(others), place) if others else []
    if alike and chance.random() < 0.3:
        return chance.choice(alike)
    fitting = [word for word in words if type(word) is type(old)]
    if fitting and chance.random() < 0.2:
        return chance.choice(fitting)
    if isinstance(old, bool):
        return not old
    if isinstance(old, int | float):
        return chance.choice((*(round(old + step, 6) for step in _STEPS), old * 3, old / 2 if old % 1 else 0))
    if isinstance(old, str):
        texts = [text for text in (*alike, *_alike(value, place), *fitting) if isinstance(text, str)]
        return _another_text(chance, old, texts, of_words=free is None or bool(set(place) & set(free)))
    if isinstance(old, list):
        return _another_list(chance, old, alike)
    return old


def _alike(value: Any, place: Place) -> list[Any]:
    """What stands in places of the same kind, or under the same name."""
    ways = [way for way in places(value) if way[-1:] == place[-1:] or kind(way) == kind(place)]
    return [at(value, way) for way in ways if kind(way) == kind(place)] or [at(value, way) for way in ways]


def _another_text(chance: Random, old: str, texts: Sequence[str], *, of_words: bool) -> str:
    if _MOMENT.fullmatch(old):
        step = timedelta(minutes=chance.choice(_MINUTES) * chance.choice((1, -1)))
        return (datetime.fromisoformat(old) + step).isoformat()
    if _FORCES.fullmatch(old):
        return re.sub(r"\d+", lambda found: str(max(0, int(found[0]) + chance.choice((-1, 0, 1)))), old)
    if texts and (not of_words or chance.random() < 0.4):
        return chance.choice(texts)
    if not of_words:
        return old
    if chance.random() < 0.1:
        return f"{old} " * chance.choice((2, 5, 12))
    return vary_words(chance, old, texts or [old])


def _another_list(chance: Random, old: list[Any], alike: Sequence[Any]) -> list[Any]:
    theirs = [each for values in alike if isinstance(values, list) for each in values]
    if not old:
        return [chance.choice(theirs)] if theirs else old
    place, other = chance.randrange(len(old)), chance.randrange(len(old))
    match chance.randrange(6):
        case 0 | 1:
            return [*old[:place], *old[place + 1 :]]
        case 2:
            return [*old[:place], old[place], *old[place:]]
        case 3:
            return [*old[:place], chance.choice(theirs or old), *old[place:]]
        case 4:
            return old[:place]
        case _:
            new = [*old]
            new[place], new[other] = new[other], new[place]
            return new


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
