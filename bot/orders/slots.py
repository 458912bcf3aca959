"""The blanks in the forms of orders: how each is parsed, read, written and shown.

A slot has a piece of grammar, a reader (from the parsed words to a value) and a writer (from a value to canonical
words). What the grammar lets through and the reader cannot take is a ``Misread``: the reason, the place in the line,
and what could stand there instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar, cast

from lark import Token, Tree

from bot.orders.context import Context
from bot.orders.names import (
    CARD_NAMES,
    ELEMENT_NAMES,
    FACTION_NAMES,
    FIGHTER_NAMES,
    KIND_NAMES,
    LEADER_NAMES,
    NOBODY,
    PHASE_NAMES,
    TERRITORY_NAMES,
    Found,
    Names,
)
from bot.orders.wording import either, say
from rules import board
from rules.board import Area, TerritoryId
from rules.components import CARDS, Card, Faction, Forces, is_defense, is_weapon, leaders_of
from rules.orders import CHEAP_HERO

T = TypeVar("T", bound=str)
Node = Tree[Token]


class Misread(Exception):
    """A slot holds nothing that can be read. ``span`` are the characters in the line, ``instead`` what would fit."""

    def __init__(self, reason: str, span: tuple[int, int], instead: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.instead = tuple(instead)


@dataclass(frozen=True, slots=True)
class Words:
    """The words that stand in a slot, and where in the line."""

    text: str
    span: tuple[int, int]


def tokens_of(node: Node) -> list[Token]:
    """All words under a node, in their order."""
    return [token for token in node.scan_values(lambda _: True) if isinstance(token, Token)]


@dataclass(frozen=True, slots=True)
class Reading:
    """A line that is being read by somebody."""

    text: str
    context: Context

    def words(self, node: Node | Token) -> Words:
        """What the player wrote in this part of the line."""
        tokens = [node] if isinstance(node, Token) else tokens_of(node)
        first, last = tokens[0].start_pos or 0, tokens[-1].end_pos or 0
        return Words(self.text[first:last], (first, last))


def _is_given(value: object) -> bool:
    return value is not None


@dataclass(frozen=True, slots=True)
class Slot:
    """One sort of blank.

    ``placeholder`` stands for it in a form ("AREA"), ``blank`` in a line to be filled in. ``rule`` is the right side
    of its grammar rule; "NAME" in it is a name that ends where what follows the slot begins. ``holds`` says which values
    it can show at all.
    """

    placeholder: str
    blank: str
    rule: str
    read: Callable[[Reading, Node], Any]
    write: Callable[[Any], str]
    holds: Callable[[Any], bool] = _is_given


# --- names -----------------------------------------------------------------------------------------------------------


def _named(names: Names[T], words: Words, likely: Sequence[Collection[T]] = ()) -> T:
    found = names.find(words.text, likely)
    if isinstance(found, Found):
        return found.value
    if found.ambiguous:
        reason = say("ambiguous", text=words.text, sort=names.sort, names=either(found.names))
    elif found.names:
        reason = say("misspelt", text=words.text, sort=names.sort, names=either(found.names))
    elif len(names.values) <= 9:
        all_names = either([names.name(value) for value in names.values])
        reason = say("unknown-of-few", text=words.text, sort=names.sort, names=all_names)
    else:
        reason = say("unknown", text=words.text, sort=names.sort)
    raise Misread(reason, words.span, found.names)


def _name_slot(placeholder: str, names: Names[T], likely: Callable[[Context], Sequence[Collection[T]]]) -> Slot:
    return Slot(
        placeholder,
        "______",
        "NAME",
        lambda reading, node: _named(names, reading.words(node), likely(reading.context)),
        names.name,
    )


def _nothing_likely(_: Context) -> tuple[()]:
    return ()


def _own_leaders(context: Context) -> list[Collection[str]]:
    return [{*(context.leaders or leaders_of(context.faction)), CHEAP_HERO, NOBODY}]


def _cards(kinds: Callable[[Card], bool]) -> Callable[[Context], list[Collection[Card]]]:
    fitting = frozenset(card for card in CARDS if kinds(card))
    return lambda context: [fitting.intersection(context.hand), frozenset(context.hand), fitting]


def _read_fighter(reading: Reading, node: Node) -> str | None:
    name = _named(FIGHTER_NAMES, reading.words(node), _own_leaders(reading.context))
    return None if name == NOBODY else name


def _optional_card(kinds: Callable[[Card], bool]) -> Callable[[Reading, Node], Card | None]:
    likely = _cards(kinds)

    def read(reading: Reading, node: Node) -> Card | None:
        words = reading.words(node)
        return None if words.text.casefold() in NO_CARD else _named(CARD_NAMES, words, likely(reading.context))

    return read


NO_CARD = frozenset({"none", "nothing", "-"})


def _read_cards(reading: Reading, node: Node) -> tuple[Card, ...]:
    parts = [reading.words(child) for child in node.children]
    if len(parts) == 1 and parts[0].text.casefold() in NO_CARD:
        return ()
    likely = [frozenset(reading.context.hand)]
    return tuple(_named(CARD_NAMES, words, likely) for words in parts)


def _write_cards(cards: Sequence[Card]) -> str:
    return ", ".join(cards) or "none"


# --- places ----------------------------------------------------------------------------------------------------------

_AREA = re.compile(r"(?P<name>.*?)[\s/(,-]*(?:\b(?:sector|sec\.?|s))?[\s/]*(?P<sector>[0-9]{1,3})?\)?", re.IGNORECASE)


def _read_area(reading: Reading, node: Node) -> Area:
    return read_area(reading.words(node))


def read_area(words: Words) -> Area:
    """The area that somebody means: "imperial basin/9", "ib 9", "carthag"."""
    match = _AREA.fullmatch(words.text)
    name = match["name"] if match else words.text
    sector = match["sector"] if match else None
    start = words.span[0]
    territory = _named(TERRITORY_NAMES, Words(name, (start, start + len(name))))
    try:
        return board.area_at(territory, int(sector) if sector else None)
    except ValueError:
        place = board.TERRITORIES[territory]
        areas = [board.area_name(area) for area in place.areas]
        sentence = "wrong-sector" if sector else "no-sector"
        reason = say(sentence, name=place.name, sectors=_listed(place.sectors), sector=sector, example=areas[0])
        raise Misread(reason, words.span, areas) from None


def _listed(sectors: Sequence[int]) -> str:
    if len(sectors) < 2:
        return f"sector {sectors[0]}" if sectors else "no sector"
    return f"the sectors {', '.join(map(str, sectors[:-1]))} and {sectors[-1]}"


def _read_territory(reading: Reading, node: Node) -> TerritoryId:
    words = reading.words(node)
    name = re.sub(r"\s*/\s*[0-9]{1,2}$", "", words.text)
    return _named(TERRITORY_NAMES, Words(name, words.span))


def _read_territories(reading: Reading, node: Node) -> tuple[TerritoryId, ...]:
    return tuple(_read_territory(reading, cast(Node, child)) for child in node.children)


def _read_groups(reading: Reading, node: Node) -> tuple[tuple[Forces, Area], ...]:
    pairs = zip(node.children[::2], node.children[1::2], strict=True)
    return tuple((_read_forces(reading, cast(Node, f)), _read_area(reading, cast(Node, a))) for f, a in pairs)


def _write_groups(groups: Sequence[tuple[Forces, Area]]) -> str:
    return ", ".join(f"{forces} in {board.area_name(area)}" for forces, area in groups)


# --- numbers ---------------------------------------------------------------------------------------------------------


def _read_forces(reading: Reading, node: Node) -> Forces:
    tokens = tokens_of(node)
    if tokens[0].type == "FORCES":
        return Forces.parse(tokens[0])
    numbers = [int(token) for token in tokens if token.type == "INT"]
    if len(numbers) == 2:
        return Forces(*numbers)
    return Forces(0, numbers[0]) if tokens[-1].type == "ELITE" else Forces(numbers[0])


def _read_number(reading: Reading, node: Node) -> int:
    return int(reading.words(node).text)


def read_dial(words: Words) -> float:
    """"3", "3.5" or "3,5"."""
    value = float(words.text.replace(",", "."))
    if value * 2 % 1:
        raise Misread(say("half-dial", text=words.text), words.span, (f"{int(value)}", f"{int(value)}.5"))
    return value


def write_dial(dial: float) -> str:
    return f"{dial:g}"


# --- free text -------------------------------------------------------------------------------------------------------


def _read_text(reading: Reading, node: Node) -> str:
    return reading.text[reading.words(node).span[0] :].strip()


_PAYMENT = re.compile(
    r"\s*(?P<mark>[;,.]?)\s*\b(?P<who>i|you) (?:will )?pay (?P<amount>[0-9]{1,4})(?: spice)?[\s.!]*$", re.IGNORECASE
)


def _read_terms(reading: Reading, node: Node) -> dict[str, Any]:
    """The words of a bargain; payments are taken off its end."""
    words = reading.words(node)
    text = _read_text(reading, node)
    terms: dict[str, Any] = {}
    while payment := _PAYMENT.search(text):
        if payment["mark"] != ";":
            start = words.span[0] + payment.start()
            instead = (f"; {payment['who']} pay {payment['amount']}",) if payment.start() else ()
            raise Misread(say("payment"), (start, words.span[0] + payment.end()), instead)
        field = "i_pay" if payment["who"].lower() == "i" else "you_pay"
        if field in terms:
            raise Misread(say("paid-twice"), words.span)
        terms[field] = int(payment["amount"])
        text = text[: payment.start()]
    text = text.rstrip(" ;")
    if not text:
        raise Misread(say("payment"), words.span)
    return {"text": text, **terms}


def _write_terms(terms: Mapping[str, Any]) -> str:
    payments = [f"; {who} pay {terms[field]}" for field, who in (("i_pay", "I"), ("you_pay", "you")) if terms[field]]
    return "".join([str(terms["text"]), *payments])


def _read_whom(reading: Reading, node: Node) -> tuple[Faction, ...]:
    parts = [reading.words(child) for child in node.children]
    if len(parts) == 1 and parts[0].text.casefold() in ("all", "everybody", "everyone"):
        return ()
    return tuple(dict.fromkeys(_named(FACTION_NAMES, words) for words in parts))


def _write_whom(factions: Sequence[Faction]) -> str:
    return ", ".join(map(FACTION_NAMES.name, factions)) or "all"


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATES = (
    re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"),
    re.compile(r"(?P<day>[0-9]{1,2})\.\s?(?P<month>[0-9]{1,2})\.?(?:\s?(?P<year>[0-9]{4}))?"),
    re.compile(r"(?P<day>[0-9]{1,2})(?:\.|st|nd|rd|th)?\s(?P<month>[a-z]{3,9})\.?(?:\s(?P<year>[0-9]{4}))?"),
    re.compile(r"(?P<month>[a-z]{3,9})\.?\s(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?:\s(?P<year>[0-9]{4}))?"),
)


def _read_date(reading: Reading, node: Node) -> date:
    words = reading.words(node)
    text, today = words.text.lower(), reading.context.today
    match = next((match for pattern in _DATES if (match := pattern.fullmatch(text))), None)
    try:
        if match is None:
            raise ValueError(text)
        month = match["month"]
        number = int(month) if month.isdigit() else _MONTHS.index(month[:3]) + 1
        day = int(match["day"])
        if match["year"]:
            return date(int(match["year"]), number, day)
        if today is None:
            raise ValueError(text)
        this_year = date(today.year, number, day)
        return this_year if this_year >= today else date(today.year + 1, number, day)
    except ValueError:
        raise Misread(say("date", text=words.text), words.span) from None


# --- plans -----------------------------------------------------------------------------------------------------------

_PART_READERS: Mapping[str, Callable[[Reading, Node], Any]] = {
    "dial": lambda reading, node: read_dial(reading.words(node)),
    "spice": _read_number,
    "leader": _read_fighter,
    "weapon": _optional_card(lambda card: is_weapon(card) or CARDS[card].kind == "worthless"),
    "defense": _optional_card(lambda card: is_defense(card) or CARDS[card].kind == "worthless"),
}


def _read_plan(reading: Reading, node: Node) -> dict[str, Any]:
    plan: dict[str, Any] = {}
    for child in node.children:
        part = cast(Node, child)
        field = str(part.data)
        if field in plan:
            raise Misread(say("part-twice", part=field.replace("_", " ")), reading.words(part).span)
        match part.children:
            case []:
                plan[field] = True if field == "kwisatz_haderach" else None
            case [Token(type="BLANK")]:
                plan[field] = None
            case _:
                plan[field] = _PART_READERS[field](reading, part)
    if plan.get("spice", 0) is None:
        del plan["spice"]
    if plan.get("dial") is None:
        raise Misread(say("no-dial"), reading.words(node).span)
    if "leader" not in plan:
        end = len(reading.text.rstrip(" .!?;,"))
        raise Misread(say("no-leader"), (end, end), (" leader none",))
    return plan


def _write_plan(plan: Mapping[str, Any]) -> str:
    parts = [f"dial {write_dial(plan['dial'])}"]
    if plan["spice"]:
        parts.append(f"spice {plan['spice']}")
    parts.append(f"leader {plan['leader'] or NOBODY}")
    if plan["kwisatz_haderach"]:
        parts.append("kwisatz haderach")
    parts += [f"{part} {plan[part]}" for part in ("weapon", "defense") if plan[part]]
    return " ".join(parts)


SLOTS: Mapping[str, Slot] = {
    "forces": Slot("FORCES", "_", "forces", _read_forces, str),
    "number": Slot("N", "_", "INT", _read_number, str),
    "area": Slot("AREA", "______", "NAME", _read_area, board.area_name),
    "territory": Slot("TERRITORY", "______", "NAME", _read_territory, TERRITORY_NAMES.name),
    "via": Slot(
        "TERRITORY, …",
        "______",
        'NAME ("," NAME)*',
        _read_territories,
        lambda territories: ", ".join(map(TERRITORY_NAMES.name, territories)),
        holds=bool,
    ),
    "groups": Slot(
        "FORCES in AREA, …",
        "_ in ______",
        "forces _K_IN NAME (_next forces _K_IN NAME)*",
        _read_groups,
        _write_groups,
        holds=bool,
    ),
    "faction": _name_slot("FACTION", FACTION_NAMES, lambda context: [context.factions - {context.faction}]),
    "leader": _name_slot("LEADER", LEADER_NAMES, lambda context: [leaders_of(context.faction)]),
    "traitor": _name_slot("LEADER", LEADER_NAMES, lambda context: [context.traitors]),
    "cards": Slot("CARD, …", "______", 'NAME (_next NAME)*', _read_cards, _write_cards),
    "kind": _name_slot("KIND", KIND_NAMES, _nothing_likely),
    "element": _name_slot("leader|weapon|defense|number", ELEMENT_NAMES, _nothing_likely),
    "phase": _name_slot("PHASE", PHASE_NAMES, _nothing_likely),
    "plan": Slot(
        "dial N[.5] [spice N] leader NAME|cheap hero|none [kwisatz haderach] [weapon CARD] [defense CARD]",
        "dial _ spice _ leader ______ weapon ______ defense ______",
        "PLAN",
        _read_plan,
        _write_plan,
        holds=lambda _: True,
    ),
    "text": Slot("TEXT", "______", "TEXT", _read_text, str),
    "question": Slot("QUESTION", "______", "TEXT", _read_text, str),
    "word": Slot("WORD", "______", "TEXT", _read_text, str),
    "line": Slot("LINE", "______", "TEXT", _read_text, str),
    "terms": Slot("TEXT [; I pay N] [; you pay N]", "______", "TEXT", _read_terms, _write_terms),
    "whom": Slot("WHOM", "______", 'NAME (_next NAME)*', _read_whom, _write_whom),
    "date": Slot("DATE", "______", "(WORD | INT)+", _read_date, date.isoformat),
}
"""Every sort of blank by the word that stands for it in ``bot.orders.forms``."""

SPREAD: Mapping[str, tuple[str, ...]] = {
    "plan": ("dial", "spice", "leader", "kwisatz_haderach", "weapon", "defense"),
    "terms": ("text", "i_pay", "you_pay"),
}
"""Slots that hold several fields of their order at once."""
