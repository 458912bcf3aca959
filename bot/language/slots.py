"""Every sort of blank in the forms of orders: how it is parsed, read, written and shown.

The blanks are for places, numbers, cards and leaders; for a player's own words, days, mail addresses, waking hours and
time zone; for the look of the board (`map names dark`); and for a person's name in the archive, with the rules for such
names. Blanks that fill several fields of an order are in `compound_blanks`.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NoReturn, TypeVar, cast

from bot.config.time_zones import ZoneRefused, read_zone, write_zone
from bot.language.compound_blanks import (
    NO_CARD,
    faction_named,
    read_plan,
    read_shown,
    read_terms,
    read_whom,
    write_plan,
    write_shown,
    write_terms,
    write_whom,
)
from bot.language.lines import (
    Context,
    Misread,
    Node,
    Reading,
    Slot,
    Words,
    name_slot,
    nothing_likely,
    read_name,
    tokens_of,
)
from bot.language.names import (
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
from bot.mail.identity import is_one_address
from bot.wording import say
from bot.wording.filters import fold_name
from rules.components import CHEAP_HERO_CARD, Card, Faction, Forces, Leader, board, leaders_of
from rules.components.board import Area, TerritoryId


def read_text(reading: Reading, node: Node) -> str:
    return reading.text[reading.words(node).span[0] :].strip()


_DATES = (
    re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})(?!\w)"),
    re.compile(r"(?P<day>[0-9]{1,2})\.\s?(?P<month>[0-9]{1,2})\.?(?:\s?(?P<year>[0-9]{4}))?(?!\w)"),
    re.compile(r"(?P<day>[0-9]{1,2})(?:\.|st|nd|rd|th)?\s(?P<month>[a-z]{3,9})\.?(?:\s(?P<year>[0-9]{4}))?(?!\w)"),
    re.compile(r"(?P<month>[a-z]{3,9})\.?\s(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?:\s(?P<year>[0-9]{4}))?(?!\w)"),
)


_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


def read_date(reading: Reading, node: Node) -> date:
    words = reading.words(node)
    match = next((match for pattern in _DATES if (match := pattern.fullmatch(words.text.lower()))), None)
    return _day(reading, words, match)


def _day(reading: Reading, words: Words, match: re.Match[str] | None) -> date:
    today = reading.context.today
    year = int(match["year"] or 0) if match else 0
    month, day = (_month(match["month"]), int(match["day"])) if match else (0, 0)
    if not (match and month and 1 <= day <= 31 and (year or today)):
        raise Misread(say("unread.date", text=words.text), words.span)
    first, years = (date.min, [year]) if year or not today else (today, [today.year, today.year + 1])
    ends = [date(each, month, monthrange(each, month)[1]) for each in years]
    end = next(end for end in ends if end.replace(day=min(day, end.day)) >= first)
    if day > end.day:
        reason = say("unread.no-such-day", day=day, month=month, year=end.year, last=end.day)
        start = words.span[0]
        raise Misread(reason, (start, start + match.end()), (end.isoformat(), (end + timedelta(days=1)).isoformat()))
    return end.replace(day=day)


def _month(text: str) -> int:
    if text.isdigit():
        return int(text) if 1 <= int(text) <= 12 else 0
    wanted = "sep" if text == "sept" else text
    return next((number for number, name in enumerate(_MONTHS, 1) if name.startswith(wanted)), 0)


def _read_one_day(reading: Reading, node: Node) -> NoReturn:
    day = read_date(reading, node).isoformat()
    raise Misread(say("unread.one-day", day=day), reading.words(node).span, [f"{day} to {day}"])


def _read_last_day(reading: Reading, node: Node) -> dict[str, date | str]:
    # "2 Jan in Berlin": a time zone may follow
    words = reading.words(node)
    match = next((match for pattern in _DATES if (match := pattern.match(words.text.lower()))), None)
    zone = _zone_behind(reading, words, match.end()) if match else ""
    return {"last": _day(reading, words, match), "zone": zone}


def _write_last_day(values: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (values["last"].isoformat(), write_zone(values["zone"]))))


def read_address(reading: Reading, node: Node) -> str:
    words = reading.words(node)  # alone, or in angle brackets after a name
    address = words.text.rpartition("<")[2].rstrip(">").strip().lower().removeprefix("mailto:")
    if not is_one_address(address) or "." not in address.rpartition("@")[2]:
        raise Misread(say("unread.mail-address", text=words.text), words.span)
    return address


ALL_DAY = "all day"

_HOURS = re.compile(
    r"(?:(?P<from>[0-9]{1,2})(?:[:.h](?P<from_minute>[0-9]{2}))?\s?(?:to|until|-)\s?"
    r"(?P<to>[0-9]{1,2})(?:[:.h](?P<to_minute>[0-9]{2}))?(?:\s?h(?:ours)?)?|all day)(?![\w:])",
    re.IGNORECASE,
)


def _read_daytime(reading: Reading, node: Node) -> dict[str, str]:
    # "8:00 to 22:00" is "08:00-22:00", "all day" is ""; hours may cross midnight, and a time zone may follow
    words = reading.words(node)
    match = _HOURS.match(words.text)
    first, last = (_clock(match, end) for end in ("from", "to")) if match and match["from"] else ("", "")
    if not match or (match["from"] and (not first or not last or first == last)):
        raise Misread(say("unread.daytime", text=words.text), words.span)
    return {"hours": f"{first}-{last}" if first else "", "zone": _zone_behind(reading, words, match.end())}


def _clock(match: re.Match[str], end: str) -> str:
    hour, minute = int(match[end]), int(match[f"{end}_minute"] or 0)
    if hour == 24 and minute == 0:
        return "00:00"
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


def _write_daytime(values: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (values["hours"].replace("-", " to ") or ALL_DAY, write_zone(values["zone"]))))


def _zone_behind(reading: Reading, words: Words, end: int) -> str:
    named = re.sub(r"^[\s,.(]*(?:(?:in|at|by|on the clock of)\s)?\s*|[\s,.)]*$", "", words.text[end:])
    first = words.span[0] + words.text.rindex(named) if named else 0
    return _zone(reading, Words(named, (first, first + len(named)))) if named else ""


def _read_zone(reading: Reading, node: Node) -> str:
    return _zone(reading, reading.words(node))


def _zone(reading: Reading, words: Words) -> str:
    try:
        return read_zone(words.text, reading.context.zone)
    except ZoneRefused as refused:
        near = [write_zone(zone) for zone in refused.near]
        raise Misread(say(f"unread.zone-{refused.why}", text=words.text, zones=near), words.span, near) from None


LOOKS = ("codes", "names", "light", "dark")
"""Looks of the map: short codes or full names, on a light or dark background. Any other setting stays unchanged."""


def read_look(reading: Reading, node: Node) -> str:
    words = reading.words(node)
    wanted = words.text.lower().replace(",", " ").replace(" and ", " ").split()
    pairs = (set(LOOKS[:2]), set(LOOKS[2:]))
    if not set(wanted) <= set(LOOKS) or any(pair <= set(wanted) for pair in pairs):
        raise Misread(say("unread.look", text=words.text), words.span)
    return " ".join(dict.fromkeys(wanted))


LONGEST_ARCHIVE_NAME = 40
NO_NAME = "none"
_NOT_SHOWN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")  # Unicode's categories: control, format (marks of direction) …
_RESERVED = ("mentat", "gm", "gamemaster", "caretaker", "deleted", "nobody", "public", NO_NAME)
_PILED_UP = re.compile(r"([\u0300-\u036f\u0489\u1ab0-\u1aff\u20d0-\u20ff]{2})[\u0300-\u036f\u0489\u1ab0-\u20ff]+")


class NameRefused(ValueError):
    pass


def clean_name(text: str) -> str:
    kept = "".join(
        " " if char.isspace() else char
        for char in unicodedata.normalize("NFC", text)
        if char.isspace() or unicodedata.category(char) not in _NOT_SHOWN
    )
    return " ".join(_PILED_UP.sub(r"\1", kept).split()).strip("\"'“”„‘’«» ")


def archive_name(text: str) -> str:
    name = clean_name(text)
    key = fold_name(name)
    if not key:
        raise NameRefused(say("archive-name.empty"))
    if len(name) > LONGEST_ARCHIVE_NAME:
        raise NameRefused(say("archive-name.too-long", length=len(name), most=LONGEST_ARCHIVE_NAME))
    if "@" in unicodedata.normalize("NFKC", name) or re.search(r"\w\.\w+/|://", name):
        raise NameRefused(say("archive-name.address"))
    alone = re.split(r"\bof\b", name, maxsplit=1, flags=re.IGNORECASE)[0]  # "Atreides of sietch-7" names a player
    if key in _RESERVED or FACTION_NAMES.whole(name) or FACTION_NAMES.whole(alone):
        raise NameRefused(say("archive-name.reserved", name=name))
    return name


def read_archive_name(reading: Reading, node: Node) -> str:
    words = reading.words(node)
    text = reading.text[words.span[0] :]
    if clean_name(text).rstrip(".").casefold() == NO_NAME:
        return ""
    try:
        return archive_name(text)
    except NameRefused as refused:
        raise Misread(str(refused), words.span) from None


def write_archive_name(name: str) -> str:
    return name or NO_NAME


# --- places ----------------------------------------------------------------------------------------------------------

RESERVES = frozenset(("reserves", "reserve", "the reserves", "the reserve"))
_AREA = re.compile(r"(?P<name>.*?)[\s/(,-]*(?:\b(?:sector|sec\.?|s))?[\s/]*(?P<sector>[0-9]{1,3})?\)?", re.IGNORECASE)


def _read_area(reading: Reading, node: Node) -> Area:
    return read_area(reading.words(node))


def read_area(words: Words) -> Area:
    match = _AREA.fullmatch(words.text)
    name = match["name"] if match else words.text
    sector = match["sector"] if match else None
    if name.casefold() in RESERVES:
        raise Misread(say("unread.reserves"), words.span)
    start = words.span[0]
    territory = read_name(TERRITORY_NAMES, Words(name, (start, start + len(name))))
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
    return read_name(TERRITORY_NAMES, Words(name, words.span))


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
    return tuple(read_name(CARD_NAMES, words, likely) for words in parts)


def _write_cards(cards: Sequence[Card]) -> str:
    return ", ".join(cards) or "none"


# --- leaders ---------------------------------------------------------------------------------------------------------


HERO_WORDS = frozenset(("cheap hero", "cheap heroine", "hero", "heroine"))


def leader_named(context: Context, words: Words, likely: Sequence[Collection[Leader]]) -> Leader:
    return read_name(LEADER_NAMES if context.edition == "2019" else LEADER_NAMES_1979, words, likely)


def _leader_slot(likely: Callable[[Context], Collection[Leader]], *, hero: bool = False) -> Slot:
    def read(reading: Reading, node: Node) -> Leader:
        words = reading.words(node)
        if hero and words.text.casefold() in HERO_WORDS:
            return CHEAP_HERO_CARD
        return leader_named(reading.context, words, [likely(reading.context)])

    return Slot("LEADER", "______", "NAME", read, TRAITOR_NAMES.name if hero else LEADER_NAMES.name)


def _read_faction(reading: Reading, node: Node) -> Faction:
    return faction_named(reading.context, reading.words(node))


# --- several of a kind -----------------------------------------------------------------------------------------------

T = TypeVar("T")


def _list_slot(of: str, read_one: Callable[[Reading, Node], T], write_one: Callable[[T], str], separator: str) -> Slot:
    def read(reading: Reading, node: Node) -> tuple[T, ...]:
        return tuple(read_one(reading, cast(Node, child)) for child in node.children)

    def write(things: Sequence[T]) -> str:
        return ", ".join(map(write_one, things))

    return Slot(f"{of}, …", "______", f"NAME ({separator} NAME)*", read, write, holds=bool)


def _groups_slot(
    word: str, place: str, read_place: Callable[[Reading, Node], T], write_place: Callable[[T], str]
) -> Slot:
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
    "one_day": Slot("DATE", "______", "(WORD | INT)+", _read_one_day, str),
    "last_day": Slot("DATE [ZONE]", "______", "TEXT", _read_last_day, _write_last_day, holds=lambda _: True),
    "daytime": Slot(
        "HH:MM to HH:MM|all day [ZONE]", "______", "TEXT", _read_daytime, _write_daytime, holds=lambda _: True
    ),
    "address": Slot("ADDRESS", "______", "TEXT", read_address, str),
    "one_address": Slot("ADDRESS", "______", "(WORD | INT)+", read_address, str),
    "forum_name": Slot("NAME", "______", "TEXT", read_text, str),
    "archive_name": Slot("NAME|none", "______", "TEXT", read_archive_name, write_archive_name),
    "look": Slot("codes|names [light|dark]", "______", "TEXT", read_look, str),
    "zone": Slot("ZONE", "______", "TEXT", _read_zone, write_zone),
}

SPREAD: Mapping[str, tuple[str, ...]] = {
    "plan": ("dial", "spice", "leader", "kwisatz_haderach", "weapon", "defense"),
    "terms": ("text", "i_pay", "you_pay", "i_escrow", "you_escrow", "condition", "broken_if", "until", "goods"),
    "whom": ("to", "but"),
    "one_day": ("first", "last"),
    "last_day": ("last", "zone"),
    "daytime": ("hours", "zone"),
}
"""Slots that fill several fields of their order at once, and the names of these fields."""
