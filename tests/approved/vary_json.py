"""Variations of inputs that are JSON: a number next to the one that stands there, one thing more or fewer, a moment
just before or behind, a text or a part as in another input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from tests.approved.subject import vary_words

Place = tuple[Any, Any]
"""A list or a mapping, and where in it something stands."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*")
_FORCES = re.compile(r"\d{1,2}(?:\+\d{1,2})?")
_STEPS = (1, 30, 59, 89, 90, 91, 1440, 2159, 2160, 2161, 2880)


def vary_json(chance: Random, text: str, others: Sequence[str], longest: int = 40_000) -> str:
    """One to four changes.

    >>> vary_json(Random(1), '{"bids": [3]}', ['{"bids": [5, 6]}']) == '{"bids": [3]}'
    False
    """
    for _ in range(20):
        value = json.loads(text)
        other = json.loads(chance.choice(others))
        for _ in range(chance.choice((1, 1, 2, 2, 4))):
            places = list(_places(value))
            if places:
                _change(chance, *chance.choice(places), other)
        varied = json.dumps(value)
        if varied != text and len(varied) <= longest:
            return varied
    return text


def _places(value: Any) -> Iterator[Place]:
    """Each place of a value at which something stands, the inner ones too."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield value, key
        yield from _places(each)


def _change(chance: Random, holder: Any, key: Any, other: Any) -> None:
    value = holder[key]
    if isinstance(holder, list) and chance.random() < 0.4:
        if chance.random() < 0.5:
            del holder[key]
        else:
            holder.insert(chance.randrange(len(holder) + 1), json.loads(json.dumps(value)))
    elif isinstance(holder, dict) and chance.random() < 0.3:
        alike = [there[name] for there, name in _places(other) if name == key]
        holder[key] = chance.choice(alike) if alike else value
    elif isinstance(value, list):
        alike = [each for there, name in _places(other) if name == key for each in _listed(there[name])]
        if alike:
            value.insert(chance.randrange(len(value) + 1), chance.choice(alike))
    elif isinstance(value, dict) and value and chance.random() < 0.2:
        del value[chance.choice(sorted(value))]
    else:
        holder[key] = _another(chance, value, [each for each in _texts(other) if each])


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _texts(value: Any) -> Iterator[str]:
    return (there[name] for there, name in _places(value) if isinstance(there[name], str))


def _another(chance: Random, value: Any, texts: Sequence[str]) -> Any:
    """Another value of the same sort."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return chance.choice((0, value + 1, value - 1, value + 2, value * 2, 1))
    if not isinstance(value, str):
        return value
    if _MOMENT.fullmatch(value):
        step = timedelta(minutes=chance.choice(_STEPS) * chance.choice((1, -1)))
        return (datetime.fromisoformat(value) + step).isoformat()
    if _FORCES.fullmatch(value):
        return re.sub(r"\d+", lambda found: str(max(0, int(found[0]) + chance.choice((-1, 0, 1)))), value)
    if chance.random() < 0.2 and texts:
        return chance.choice(texts)
    if chance.random() < 0.1:
        return f"{value} {value} " * chance.choice((1, 3, 9))
    return vary_words(chance, value, texts or [value])
