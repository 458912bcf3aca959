"""Every sort of blank in the forms of orders: how it is parsed, read, written and shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import TypeVar, cast

from bot.orders.archive_names import read_archive_name, write_archive_name
from bot.orders.blanks import Misread, Node, Reading, Slot, Words, name_slot, named, nothing_likely, tokens_of
from bot.orders.context import Context
from bot.orders.daytime import read_daytime, read_zone, write_daytime
from bot.orders.deal_clauses import read_terms, write_terms
from bot.orders.free_text import read_address, read_date, read_text
from bot.orders.looks import read_look
from bot.orders.names import (
    CARD_NAMES,
    ELEMENT_NAMES,
    FACTION_NAMES,
    KIND_NAMES,
    LEADER_NAMES,
    LEADER_NAMES_1979,
    PHASE_NAMES,
    TERRITORY_NAMES,
    TOKEN_NAMES,
    TRAITOR_NAMES,
)
from bot.orders.plans import NO_CARD, read_plan, write_plan
from bot.orders.readers import read_shown, read_whom, write_shown, write_whom
from bot.wording.sentences import say
from rules.components import CHEAP_HERO_CARD, Card, Faction, Forces, Leader, board, leaders_of
from rules.components.board import Area, TerritoryId

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
    territory = named(TERRITORY_NAMES, Words(name, (start, start + len(name))))
    try:
        return board.area_at(territory, int(sector) if sector else None)
    except ValueError:
        place = board.TERRITORIES[territory]
        areas = [board.area_name(area) for area in place.areas]
        sentence = "unread.wrong-sector" if sector else "unread.no-sector"
        reason = say(sentence, name=place.name, sectors=place.sectors, sector=sector, example=areas[0])
        raise Misread(reason, words.span, areas) from None


def _read_territory(reading: Reading, node: Node) -> TerritoryId:
    words = reading.words(node)
    name = re.sub(r"\s*/\s*[0-9]{1,2}$", "", words.text)
    return named(TERRITORY_NAMES, Words(name, words.span))


RESERVES = frozenset(("reserves", "reserve", "the reserves", "the reserve"))


def _read_source(reading: Reading, node: Node) -> Area | None:
    return None if reading.words(node).text.casefold() in RESERVES else _read_area(reading, node)


def _write_source(area: Area | None) -> str:
    return board.area_name(area) if area else "reserves"


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


# --- cards ------------------------------------------------------------------------------------------------------------


def _read_cards(reading: Reading, node: Node) -> tuple[Card, ...]:
    parts = [reading.words(child) for child in node.children]
    if len(parts) == 1 and parts[0].text.casefold() in NO_CARD:
        return ()
    likely = [frozenset(reading.context.hand)]
    return tuple(named(CARD_NAMES, words, likely) for words in parts)


def _write_cards(cards: Sequence[Card]) -> str:
    return ", ".join(cards) or "none"


# --- leaders ---------------------------------------------------------------------------------------------------------


HERO_WORDS = frozenset(("cheap hero", "cheap heroine", "hero", "heroine"))


def leader_named(context: Context, words: Words, likely: Sequence[Collection[Leader]]) -> Leader:
    """The leader that is meant, by the names of the writer's edition."""
    return named(LEADER_NAMES if context.edition == "2019" else LEADER_NAMES_1979, words, likely)


def _leader_slot(likely: Callable[[Context], Collection[Leader]], *, hero: bool = False) -> Slot:
    """A leader; with ``hero`` a traitor card, of which one is of cheap heroes."""

    def read(reading: Reading, node: Node) -> Leader:
        words = reading.words(node)
        if hero and words.text.casefold() in HERO_WORDS:
            return CHEAP_HERO_CARD
        return leader_named(reading.context, words, [likely(reading.context)])

    return Slot("LEADER", "______", "NAME", read, TRAITOR_NAMES.name if hero else LEADER_NAMES.name)


def _read_faction(reading: Reading, node: Node) -> Faction:
    there = reading.context.factions
    return named(FACTION_NAMES, reading.words(node), [there - {reading.context.faction}], there)


# --- several of a kind -----------------------------------------------------------------------------------------------

T = TypeVar("T")


def _list_slot(of: str, read_one: Callable[[Reading, Node], T], write_one: Callable[[T], str], separator: str) -> Slot:
    """Things that have a name each, one at least, with a separator of the grammar between them."""

    def read(reading: Reading, node: Node) -> tuple[T, ...]:
        return tuple(read_one(reading, cast(Node, child)) for child in node.children)

    def write(things: Sequence[T]) -> str:
        return ", ".join(map(write_one, things))

    return Slot(f"{of}, …", "______", f"NAME ({separator} NAME)*", read, write, holds=bool)


def _groups_slot(
    word: str, place: str, read_place: Callable[[Reading, Node], T], write_place: Callable[[T], str]
) -> Slot:
    """Groups of tokens, one at least, and behind the word where each is."""

    def read(reading: Reading, node: Node) -> tuple[tuple[Forces, T], ...]:
        pairs = zip(node.children[::2], node.children[1::2], strict=True)
        return tuple((_read_forces(reading, cast(Node, f)), read_place(reading, cast(Node, p))) for f, p in pairs)

    def write(groups: Sequence[tuple[Forces, T]]) -> str:
        return ", ".join(f"{forces} {word} {write_place(where)}" for forces, where in groups)

    group = f"forces _K_{word.upper()} NAME"
    shown = f"FORCES {word} {place}, …"
    return Slot(shown, f"_ {word} ______", f"{group} (_next {group})*", read, write, holds=bool)


# --- the table --------------------------------------------------------------------------------------------------------

SLOTS: Mapping[str, Slot] = {
    "forces": Slot("FORCES", "_", "forces", _read_forces, str),
    "number": Slot("N", "_", "INT", _read_number, str),
    "area": Slot("AREA", "______", "NAME", _read_area, board.area_name),
    "territory": Slot("TERRITORY", "______", "NAME", _read_territory, TERRITORY_NAMES.name),
    "via": _list_slot("TERRITORY", _read_territory, TERRITORY_NAMES.name, '","'),
    "areas": _list_slot("AREA", _read_area, board.area_name, '","'),
    "groups": _groups_slot("in", "AREA", _read_area, board.area_name),
    "faction": Slot("FACTION", "______", "NAME", _read_faction, FACTION_NAMES.name),
    "leader": _leader_slot(lambda context: leaders_of(context.faction)),
    "traitor": _leader_slot(lambda context: context.traitors, hero=True),
    "factions": _list_slot("FACTION", _read_faction, FACTION_NAMES.name, "_next"),
    "senders": _groups_slot("from", "AREA|reserves", _read_source, _write_source),
    "card": name_slot("CARD", CARD_NAMES, lambda context: [frozenset(context.hand)]),
    "cards": Slot("CARD, …", "______", "NAME (_next NAME)*", _read_cards, _write_cards),
    "kind": name_slot("KIND", KIND_NAMES, nothing_likely),
    "element": name_slot("leader|weapon|defense|number", ELEMENT_NAMES, nothing_likely),
    "phase": name_slot("PHASE", PHASE_NAMES, nothing_likely),
    "token": name_slot("TOKEN", TOKEN_NAMES, nothing_likely),
    "plan": Slot(
        "dial N[.5] [spice N] leader NAME|cheap hero|none [kwisatz haderach] [weapon CARD] [defense CARD]",
        "dial _ spice _ leader ______ weapon ______ defense ______",
        "PLAN",
        read_plan,
        write_plan,
        holds=lambda _: True,
    ),
    "text": Slot("TEXT", "______", "TEXT", read_text, str),
    "question": Slot("QUESTION", "______", "TEXT", read_text, str),
    "word": Slot("WORD", "______", "TEXT", read_text, str),
    "line": Slot("LINE", "______", "TEXT", read_text, str),
    "terms": Slot(
        "TEXT [; I pay N] [; you pay N] [; I escrow N] [; if CONDITION] [; broken if CONDITION] [; until turn N]",
        "______",
        "TEXT",
        read_terms,
        write_terms,
        holds=lambda _: True,
    ),
    "whom": Slot("WHOM", "______", "NAME (_next NAME)*", read_whom, write_whom),
    "shown": Slot("WHOM", "______", "NAME (_next NAME)*", read_shown, write_shown),
    "date": Slot("DATE", "______", "(WORD | INT)+", read_date, date.isoformat),
    "daytime": Slot("HH:MM to HH:MM|all day", "______", "TEXT", read_daytime, write_daytime),
    "address": Slot("ADDRESS", "______", "TEXT", read_address, str),
    "one_address": Slot("ADDRESS", "______", "(WORD | INT)+", read_address, str),
    "forum_name": Slot("NAME", "______", "TEXT", read_text, str),
    "archive_name": Slot("NAME|none", "______", "TEXT", read_archive_name, write_archive_name),
    "look": Slot("codes|names [light|dark]", "______", "TEXT", read_look, str),
    "zone": Slot("ZONE", "______", "TEXT", read_zone, str),
}
"""Every sort of blank by the word that stands for it in ``bot.orders.forms``."""

SPREAD: Mapping[str, tuple[str, ...]] = {
    "plan": ("dial", "spice", "leader", "kwisatz_haderach", "weapon", "defense"),
    "terms": ("text", "i_pay", "you_pay", "i_escrow", "you_escrow", "condition", "broken_if", "until", "goods"),
    "whom": ("to", "but"),
}
"""Slots that hold several fields of their order at once."""
