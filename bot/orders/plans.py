"""The blanks of a battle plan: its parts come in any order, and those left out are nothing.

The dial and the leader must be said; a plan without a leader is a decision of its own ("leader none"). Of two weapons
or two defenses the second is written in the other slot: whether that is legal, and what becomes of it, are rules
(AH.X.B.3-a, WBC.X.25).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

from lark import Token

from bot.orders.blanks import Misread, Node, Reading, SaidTwice, Words, named
from bot.orders.context import Context
from bot.orders.names import CARD_NAMES, FIGHTER_NAMES, NOBODY
from bot.wording.sentences import say
from rules.components import CARDS, Card, is_defense, is_weapon, leaders_of
from rules.orders import CHEAP_HERO

NO_CARD = frozenset({"none", "nothing", "-"})


def _own_leaders(context: Context) -> list[Collection[str]]:
    return [{*(context.leaders or leaders_of(context.faction)), CHEAP_HERO, NOBODY}]


def _cards(kinds: Callable[[Card], bool]) -> Callable[[Context], list[Collection[Card]]]:
    fitting = frozenset(card for card in CARDS if kinds(card))
    return lambda context: [fitting.intersection(context.hand), frozenset(context.hand), fitting]


def _read_fighter(reading: Reading, node: Node) -> str | None:
    name = named(FIGHTER_NAMES, reading.words(node), _own_leaders(reading.context))
    return None if name == NOBODY else name


def _optional_card(kinds: Callable[[Card], bool]) -> Callable[[Reading, Node], Card | None]:
    likely = _cards(kinds)

    def read(reading: Reading, node: Node) -> Card | None:
        words = reading.words(node)
        return None if words.text.casefold() in NO_CARD else named(CARD_NAMES, words, likely(reading.context))

    return read


def _read_dial(words: Words) -> float:
    """The dial written 3, 3.5 or 3,5."""
    value = float(words.text.replace(",", "."))
    if value * 2 % 1:
        raise Misread(say("unread.half-dial", text=words.text), words.span, (f"{int(value)}", f"{int(value)}.5"))
    return value


def _write_dial(dial: float) -> str:
    return f"{dial:g}"


_OTHER_SLOT = {"weapon": "defense", "defense": "weapon"}

_PART_READERS: Mapping[str, Callable[[Reading, Node], Any]] = {
    "dial": lambda reading, node: _read_dial(reading.words(node)),
    "spice": lambda reading, node: int(reading.words(node).text),
    "leader": _read_fighter,
    "weapon": _optional_card(lambda card: is_weapon(card) or CARDS[card].kind == "worthless"),
    "defense": _optional_card(lambda card: is_defense(card) or CARDS[card].kind == "worthless"),
}


def read_plan(reading: Reading, node: Node) -> dict[str, Any]:
    plan: dict[str, Any] = {}
    mentioned = {str(cast(Node, child).data) for child in node.children}
    for child in node.children:
        part = cast(Node, child)
        field = slot = str(part.data)
        if slot in plan and _OTHER_SLOT.get(slot, slot) not in mentioned:
            slot = _OTHER_SLOT[slot]
        if slot in plan:
            raise SaidTwice(say("unread.part-twice", part=field.replace("_", " ")), reading.words(node).span)
        match part.children:
            case []:
                plan[slot] = True if field == "kwisatz_haderach" else None
            case [Token(type="BLANK")]:
                plan[slot] = None
            case _:
                plan[slot] = _PART_READERS[field](reading, part)
    if plan.get("spice", 0) is None:
        del plan["spice"]
    if plan.get("dial") is None:
        raise Misread(say("unread.no-dial"), reading.words(node).span)
    if "leader" not in plan:
        end = len(reading.text.rstrip(" .!?;,"))
        raise Misread(say("unread.no-leader"), (end, end), (" leader none",))
    return plan


def write_plan(plan: Mapping[str, Any]) -> str:
    parts = [f"dial {_write_dial(plan['dial'])}"]
    if plan["spice"]:
        parts.append(f"spice {plan['spice']}")
    parts.append(f"leader {plan['leader'] or NOBODY}")
    if plan["kwisatz_haderach"]:
        parts.append("kwisatz haderach")
    parts += [f"{part} {plan[part]}" for part in ("weapon", "defense") if plan[part]]
    return " ".join(parts)
