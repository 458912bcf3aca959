"""Blanks that fill several fields of an order: a battle plan, the terms of a deal, the readers of press.

The parts of a battle plan may come in any order. A card that is left out means that no such card is played, but the
player must name the dial and the leader; a plan without a leader says "leader none". A second weapon or defense is
written in the other card's slot; the rules decide whether that is legal and how it counts (AH.X.B.3-a, WBC.X.25).

The terms of a deal are its words, followed by its payments and conditions, each after a semicolon:

    peace in Carthag; I pay 3; you pay 2; I escrow 4; if turn 5 and guild is not in arrakeen; broken if …; until turn 6

If a payment names something other than spice (“you give Shield”), it is marked, so that the rules can say why a deal
cannot transfer it. `Context.conditions` reads the condition of a deal.

The readers of press are factions, all players, or all players except some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from lark import Token

from bot.language.lines import Context, Misread, Node, Reading, Words, read_name
from bot.language.names import CARD_NAMES, FACTION_NAMES, FIGHTER_NAMES, LEADER_NAMES, NOBODY, Found, Names, words_of
from bot.wording import say
from rules.components import CARDS, Card, Faction, is_defense, is_weapon, leaders_of
from rules.orders import CHEAP_HERO
from rules.orders.readings import DealCondition, as_facts

NO_CARD = frozenset({"none", "nothing", "-"})


def _own_leaders(context: Context) -> list[Collection[str]]:
    return [{*(context.leaders or leaders_of(context.faction)), CHEAP_HERO, NOBODY}]


def _likely_cards(kinds: Callable[[Card], bool]) -> Callable[[Context], list[Collection[Card]]]:
    fitting = frozenset(card for card in CARDS if kinds(card))
    return lambda context: [fitting.intersection(context.hand), frozenset(context.hand), fitting]


def _read_fighter(reading: Reading, node: Node) -> str | None:
    name = read_name(FIGHTER_NAMES, reading.words(node), _own_leaders(reading.context))
    return None if name == NOBODY else name


def _optional_card(kinds: Callable[[Card], bool]) -> Callable[[Reading, Node], Card | None]:
    likely = _likely_cards(kinds)

    def read(reading: Reading, node: Node) -> Card | None:
        words = reading.words(node)
        return None if words.text.casefold() in NO_CARD else read_name(CARD_NAMES, words, likely(reading.context))

    return read


def _read_dial(words: Words) -> float:
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
            raise Misread(say("unread.part-twice", part=field.replace("_", " ")), reading.words(node).span)
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


_IF = r"(?: (?:if|when|once) (?P<condition>.+))?"
_ENDS = r"[\s.!]*"
_PAY = re.compile(rf"(?P<who>i|you) (?:will )?pay (?P<amount>[0-9]{{1,4}})(?: spice)?{_IF}{_ENDS}", re.IGNORECASE)
_ESCROW = re.compile(
    rf"(?:(?P<who>i|you) )?(?:(?:will )?(?:put|set) )?escrow (?P<amount>[0-9]{{1,4}})(?: spice)?{_IF}{_ENDS}",
    re.IGNORECASE,
)
_UNTIL = re.compile(rf"until (?:(?:the )?end of )?turn (?P<turn>[0-9]{{1,2}}){_ENDS}", re.IGNORECASE)
_DEPENDS = re.compile(r"(?P<what>broken )?(?:if|when) (?P<condition>.+)", re.IGNORECASE)
_NEARLY = re.compile(r"(?:(?:i|you) )?escrow\b|until turn\b|(?:i|you) (?:will )?pay [0-9]", re.IGNORECASE)
_UNMARKED = re.compile(
    r"\s*[,.]?\s*\b(?P<who>i|you) (?:will )?pay (?P<amount>[0-9]{1,4})(?: spice)?[\s.!]*$", re.IGNORECASE
)
_GIVES = re.compile(
    r"(?:i|you) (?:will )?(?:give|pay|escrow|hand over|lend) (?:me |you )?(?:(?:a|an|the|my|your|one) )?(?P<what>.+?)"
    r"(?: to (?:me|you))?[\s.!]*",
    re.IGNORECASE,
)
_FORCES = re.compile(r"[0-9]{1,2} (?:tokens?|forces?|troops?|fedaykin|sardaukar)(?: .*)?", re.IGNORECASE)
_CARD = re.compile(r"(?:treachery |worthless )?cards?", re.IGNORECASE)


def read_terms(reading: Reading, node: Node) -> dict[str, Any]:
    words = reading.words(node)
    start = words.span[0]
    text = reading.text[start:].rstrip()
    spoken, terms = _split_terms(text, start, reading.context)
    if unmarked := _UNMARKED.search(spoken):
        instead = (f"; {unmarked['who']} pay {unmarked['amount']}",) if unmarked.start() else ()
        raise Misread(say("unread.payment"), (start + unmarked.start(), start + unmarked.end()), instead)
    if not spoken:
        raise Misread(say("unread.payment"), words.span)
    return {"text": spoken, **terms}


def read_clauses(text: str, context: Context) -> dict[str, Any]:
    """Read the clauses that follow the words of a deal: "; I pay 3; until turn 4". Raise Misread for any other text."""
    rest, terms = _split_terms(text, 0, context)
    if rest:
        raise Misread(say("unread.deal-clause", text=rest), (0, len(text)))
    return terms


def _split_terms(text: str, start: int, context: Context) -> tuple[str, dict[str, Any]]:
    terms: dict[str, Any] = {}
    moved: list[str] = []
    end = len(text)
    while (mark := text.rfind(";", 0, end)) >= 0:
        piece = text[mark + 1 : end].strip()
        at = start + mark + 1 + (len(text[mark + 1 : end]) - len(text[mark + 1 : end].lstrip()))
        if piece and (goods := _goods(piece)):
            terms["goods"] = (goods, *terms.get("goods", ()))
            moved.insert(0, piece)
        elif piece:
            read = list(_clause(piece, at, context))
            if not read:
                break
            for field, value in read:
                if field in terms:
                    raise Misread(say("unread.paid-twice"), (at, at + len(piece)))
                terms[field] = value
        end = mark
    return "; ".join([*filter(None, [text[:end].rstrip(" ;")]), *moved]), terms


def _clause(piece: str, at: int, context: Context) -> Iterator[tuple[str, Any]]:
    for pattern, sort in ((_PAY, "pay"), (_ESCROW, "escrow")):
        if match := pattern.fullmatch(piece):
            who = "i" if (match["who"] or "i").lower() == "i" else "you"
            yield f"{who}_{sort}", int(match["amount"])
            if match["condition"]:
                yield "condition", _condition(match, at, context)
            return
    if match := _UNTIL.fullmatch(piece):
        yield "until", int(match["turn"])
    elif match := _DEPENDS.fullmatch(piece):
        yield "broken_if" if match["what"] else "condition", _condition(match, at, context)
    elif _NEARLY.match(piece):
        raise Misread(say("unread.deal-clause", text=piece), (at, at + len(piece)))


def _condition(match: re.Match[str], at: int, context: Context) -> DealCondition:
    first, last = (at + place for place in match.span("condition"))
    if context.conditions is None:
        raise Misread(say("unread.deal-clause", text=match["condition"]), (first, last))
    try:
        return context.conditions(match["condition"].rstrip(" .!"), context)
    except Misread as wrong:
        raise Misread(wrong.reason, (first, last), wrong.instead) from None


def _goods(piece: str) -> str:
    match = _GIVES.fullmatch(piece)
    if match is None:
        return ""
    what = match["what"].strip()
    if _FORCES.fullmatch(what):
        return "forces"
    if CARD_NAMES.whole(what) or _CARD.fullmatch(what):
        return "card"
    if what.lower() in ("traitor", "traitors"):
        return "traitor"
    if what.lower() in ("power", "powers", "advantage", "advantages"):
        return "power"
    return "leader" if LEADER_NAMES.whole(what) or what.lower() in ("leader", "leaders") else ""


def write_terms(terms: Mapping[str, Any]) -> str:
    return "".join([str(terms["text"]), *write_clauses(terms)])


def write_clauses(terms: Mapping[str, Any]) -> list[str]:
    """Write the clauses of a deal in canonical words, each with its semicolon: ["; I pay 3", "; until turn 4"]."""
    spice = (("i_pay", "I pay"), ("you_pay", "you pay"), ("i_escrow", "I escrow"), ("you_escrow", "you escrow"))
    found = [f"; {words} {terms[field]}" for field, words in spice if terms[field]]
    for field, word in (("condition", "if"), ("broken_if", "broken if")):
        if terms[field] is not None:
            found.append(f"; {word} {write_deal_condition(terms[field])}")
    return found + ([f"; until turn {terms['until']}"] if terms["until"] else [])


def write_deal_condition(condition: DealCondition) -> str:
    return say("condition.any", **as_facts(condition) or {})


_ALL = re.compile(r"(?:all|everybody|everyone)(?: (?:players|factions))?", re.IGNORECASE)
_ALL_BUT = re.compile(rf"{_ALL.pattern} (?:but|except|without)(?: for)? ", re.IGNORECASE)


def read_whom(reading: Reading, node: Node) -> Mapping[str, Any]:
    """Return the readers (`to`, empty for everybody) and the factions that are left out (`but`)."""
    parts = [reading.words(child) for child in node.children]
    if but := _ALL_BUT.match(parts[0].text):
        parts[0] = Words(parts[0].text[but.end() :], (parts[0].span[0] + but.end(), parts[0].span[1]))
        return {"to": (), "but": _factions(reading.context, parts)}
    return {"to": _receivers(reading.context, parts), "but": ()}


def write_whom(whom: Mapping[str, Any]) -> str:
    if whom["but"]:
        return f"all but {_names(whom['but'])}"
    return _names(whom["to"])


def read_shown(reading: Reading, node: Node) -> tuple[Faction, ...]:
    return _receivers(reading.context, [reading.words(child) for child in node.children])


def write_shown(factions: Sequence[Faction]) -> str:
    return _names(factions)


def _receivers(context: Context, parts: Sequence[Words]) -> tuple[Faction, ...]:
    if any(_ALL.fullmatch(part.text) for part in parts):
        if len(parts) > 1:
            raise Misread(say("unread.all-and-some"), (parts[0].span[0], parts[-1].span[1]))
        return ()
    return _factions(context, parts)


def _factions(context: Context, parts: Sequence[Words]) -> tuple[Faction, ...]:
    return tuple(dict.fromkeys(_reader(context, words) for words in parts))


def _reader(context: Context, words: Words) -> Faction:
    # A full name takes precedence over a shortened one, and a faction's name over a player's
    said = words.text.casefold()
    if context.players and not FACTION_NAMES.whole(words.text):
        named = [faction for faction, name in context.players if said in (name.casefold(), *words_of(name))]
        if len(named) == 1:
            return named[0]
        if named:
            names = [f"{name} ({FACTION_NAMES.name(faction)})" for faction, name in context.players if faction in named]
            reason = say("unread.ambiguous", text=words.text, sort="player", names=names)
            raise Misread(reason, words.span, tuple(map(FACTION_NAMES.name, named)))
    try:
        return read_name(FACTION_NAMES, words, there=context.factions)
    except Misread as wrong:
        players = Names(
            "player", ((faction, name, words_of(name), ()) for faction, name in context.players if words_of(name))
        )
        near = players.find(words.text) if players.values else None
        if isinstance(near, Found):
            return near.value
        raise Misread(wrong.reason, wrong.span, (*(near.names if near else ()), *wrong.instead)) from None


def faction_named(context: Context, words: Words) -> Faction:
    others = context.factions - {context.faction}
    return read_name(FACTION_NAMES, words, [others], there=others)


def _names(factions: Sequence[Faction]) -> str:
    return ", ".join(map(FACTION_NAMES.name, factions)) or "all"
