"""What the spice or the end of a deal can hang on: facts that everybody sees, and their combinations.

Players write a condition in the language of their sheets; whoever takes the order reads it once and puts these values
beside the words, and both are logged together (as with readings). A condition names only what lies open: the turn, the
board, what all hear. What lies behind a shield has no name here. What a name means ``rules.chapters.public_facts``
says.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

FactName = Literal[
    "turn", "phase", "storm", "worms", "wall-destroyed", "tokens", "stands-in", "empty", "spice-in", "strongholds",
    "tanks", "dead", "allied", "allied-with", "ornithopters", "hand-count", "discarded", "fighting", "fighting-with",
    "battle-in", "attacking", "defending", "has-bought", "bought", "broke-alliance", "charity", "played", "nexus",
    "worm", "worm-in", "shipped", "shipped-to", "tokens-shipped", "tokens-shipped-to", "moved", "moved-to",
    "past-move", "past-shipment", "battles-won", "won-in", "lost-in", "asked", "answered-yes", "answered-no",
    "answered-unknown",
]  # fmt: skip
"""Everything that can be asked for."""

NUMBERS: frozenset[FactName] = frozenset({
    "turn", "storm", "worms", "tokens", "spice-in", "strongholds", "tanks", "hand-count", "bought", "tokens-shipped",
    "tokens-shipped-to", "battles-won",
})  # fmt: skip
"""Those that are a number, which is compared."""

MOST_FACTS = 16


class PublicFact(msgspec.Struct, frozen=True, tag=True, gc=False):
    """One fact: ``about`` are the factions, places, leaders and cards that it is about, as named in ``data/``. A number
    is to be at least ``least`` and at most ``most`` (None: no upper bound)."""

    name: FactName
    about: tuple[str, ...] = ()
    least: int = 1
    most: int | None = None


class NotSo(msgspec.Struct, frozen=True, tag=True, gc=False):
    """It is known that this does not hold."""

    part: Condition


class EachOf(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Every part holds."""

    parts: tuple[Condition, ...]


class OneOf(msgspec.Struct, frozen=True, tag=True, gc=False):
    """At least one part holds."""

    parts: tuple[Condition, ...]


Condition = PublicFact | NotSo | EachOf | OneOf


def facts_of(condition: Condition) -> list[PublicFact]:
    """All facts that a condition asks for, in the order written."""
    match condition:
        case PublicFact():
            return [condition]
        case NotSo(part):
            return facts_of(part)
        case EachOf(parts) | OneOf(parts):
            return [fact for part in parts for fact in facts_of(part)]


def as_facts(condition: Condition | None) -> dict[str, Any] | None:
    """The condition as a plain value for an event or a view."""
    plain: dict[str, Any] | None = msgspec.json.decode(msgspec.json.encode(condition))
    return plain
