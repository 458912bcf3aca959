"""The blank for whom something is written to: factions, all, or all but some."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bot.orders.blanks import Misread, Node, Reading, Words, named
from bot.orders.context import Context
from bot.orders.names import FACTION_NAMES
from bot.wording.sentences import say
from rules.components import Faction

_ALL = re.compile(r"(?:all|everybody|everyone)(?: (?:players|factions))?", re.IGNORECASE)
_ALL_BUT = re.compile(rf"{_ALL.pattern} (?:but|except|without)(?: for)? ", re.IGNORECASE)


def read_whom(reading: Reading, node: Node) -> Mapping[str, Any]:
    """Whom it is ``to``, empty for everybody, and who is left out (``but``)."""
    parts = [reading.words(child) for child in node.children]
    if but := _ALL_BUT.match(parts[0].text):
        parts[0] = Words(parts[0].text[but.end() :], (parts[0].span[0] + but.end(), parts[0].span[1]))
        return {"to": (), "but": _factions(reading.context, parts)}
    return {"to": _to(reading.context, parts), "but": ()}


def write_whom(whom: Mapping[str, Any]) -> str:
    if whom["but"]:
        return f"all but {_names(whom['but'])}"
    return _names(whom["to"])


def read_shown(reading: Reading, node: Node) -> tuple[Faction, ...]:
    """Whom a letter is to name as its readers; empty for everybody."""
    return _to(reading.context, [reading.words(child) for child in node.children])


def write_shown(factions: Sequence[Faction]) -> str:
    return _names(factions)


def _to(context: Context, parts: Sequence[Words]) -> tuple[Faction, ...]:
    if any(_ALL.fullmatch(part.text) for part in parts):
        if len(parts) > 1:
            raise Misread(say("unread.all-and-some"), (parts[0].span[0], parts[-1].span[1]))
        return ()
    return _factions(context, parts)


def _factions(context: Context, parts: Sequence[Words]) -> tuple[Faction, ...]:
    return tuple(dict.fromkeys(named(FACTION_NAMES, words, there=context.factions) for words in parts))


def faction_named(context: Context, words: Words) -> Faction:
    """The faction that is meant, likely another one of this game."""
    others = context.factions - {context.faction}
    return named(FACTION_NAMES, words, [others], there=others)


def _names(factions: Sequence[Faction]) -> str:
    return ", ".join(map(FACTION_NAMES.name, factions)) or "all"
