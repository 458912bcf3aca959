"""Random orders of every kind, mostly senseless, which the net tries in addition to the orders from its own games."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from rules.chapters.voice_and_prescience import VOICE_KINDS
from rules.components import CARDS, FACTION_FACTS, LEADERS, Card, Forces, Leader
from rules.components.board import AREAS, TERRITORIES, Area, TerritoryId
from rules.components.chance import Chance
from rules.orders import CHEAP_HERO, SPECIAL_CARD, AnyOrder

OF_EACH = 4

_NAMED: dict[Any, tuple[str, ...]] = {
    Card: tuple(CARDS), Leader: tuple(LEADERS), Area: tuple(AREAS), TerritoryId: tuple(TERRITORIES),
}  # fmt: skip
_WORDS: dict[str, tuple[str, ...]] = {
    "leader": (*LEADERS, CHEAP_HERO), "kind": (*VOICE_KINDS, CHEAP_HERO, SPECIAL_CARD, *CARDS), "text": ("Stay away",),
    "question": ("Do you hold a Karama?",),
}  # fmt: skip
"""The values of text fields that do not name a faction."""

_READ = ("reading", "condition", "broken_if")
"""Fields that are parsed from words, so random values are useless. The games' own orders have some."""


def orders_at_random(seed: str) -> list[bytes]:
    """Return some orders of each kind as JSON, always the same for the same seed."""
    chance = Chance(seed, {})
    return [msgspec.json.encode(_order(kind, chance)) for kind in get_args(AnyOrder) for _ in range(OF_EACH)]


def _order(kind: type[Any], chance: Chance) -> Any:
    hints = {name: hint for name, hint in get_type_hints(kind).items() if name in kind.__struct_fields__}
    optional = {each.name for each in msgspec.structs.fields(kind) if not each.required}
    given = {
        name: _value(hint, name, chance)
        for name, hint in hints.items()
        if name not in optional or (name not in _READ and chance.draw("given", 2) == 0)
    }
    return kind(**given)


def _value(hint: Any, name: str, chance: Chance) -> Any:
    if hint in _NAMED:
        return chance.pick(name, _NAMED[hint])
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _value(next(part for part in parts if part is not NoneType), name, chance)
    if origin is Literal:
        return chance.pick(name, parts)
    if origin is tuple:
        several = parts[:1] * chance.draw("several", 3) if parts[-1] is Ellipsis else parts
        return tuple(_value(part, name, chance) for part in several)
    if hint is Forces:
        return Forces(chance.draw(name, 6), chance.draw(name, 3))
    if hint is bool:
        return bool(chance.draw(name, 2))
    if hint is float:
        return chance.draw(name, 40) / 2
    if hint is int:
        return chance.draw(name, 12)
    if hint is str:
        return chance.pick(name, _WORDS.get(name, tuple(FACTION_FACTS)))
    return _order(hint, chance)  # a value with several fields, like the move of a Hajr
