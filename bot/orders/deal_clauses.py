"""The terms of a deal: its words, and behind them, each after a semicolon, what it pays and hangs on.

    peace in Carthag; I pay 3; you pay 2; I escrow 4; if turn 5 and guild is not in arrakeen; broken if …; until turn 6

What stands in a place for spice and is none (“you give Shield”) is marked, so that the rules can say why it moves by no
deal. A condition is read by whoever knows the language of conditions (``Context.conditions``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.orders.blanks import Misread, Node, Reading
from bot.orders.context import Context
from bot.orders.names import CARD_NAMES, LEADER_NAMES
from bot.wording.sentences import say
from rules.orders.conditions import Condition, as_facts

_IF = r"(?: (?:if|when|once) (?P<condition>.+))?"
_ENDS = r"[\s.!]*"
_PAY = re.compile(rf"(?P<who>i|you) (?:will )?pay (?P<amount>[0-9]{{1,4}})(?: spice)?{_IF}{_ENDS}", re.IGNORECASE)
_ESCROW = re.compile(
    rf"(?:(?P<who>i|you) )?(?:(?:will )?(?:put|set) )?escrow (?P<amount>[0-9]{{1,4}})(?: spice)?{_IF}{_ENDS}",
    re.IGNORECASE,
)
_UNTIL = re.compile(rf"until (?:(?:the )?end of )?turn (?P<turn>[0-9]{{1,2}}){_ENDS}", re.IGNORECASE)
_HANGS = re.compile(r"(?P<what>broken )?(?:if|when) (?P<condition>.+)", re.IGNORECASE)
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
    """The words of a bargain; its clauses are taken off its end."""
    words = reading.words(node)
    start = words.span[0]
    text = reading.text[start:].rstrip()
    spoken, terms = _taken(text, start, reading.context)
    if unmarked := _UNMARKED.search(spoken):
        instead = (f"; {unmarked['who']} pay {unmarked['amount']}",) if unmarked.start() else ()
        raise Misread(say("unread.payment"), (start + unmarked.start(), start + unmarked.end()), instead)
    if not spoken:
        raise Misread(say("unread.payment"), words.span)
    return {"text": spoken, **terms}


def read_clauses(text: str, context: Context) -> dict[str, Any]:
    """The clauses alone, as they stand behind the words of a deal: "; I pay 3; until turn 4". Misread if something else
    stands there."""
    rest, terms = _taken(text, 0, context)
    if rest:
        raise Misread(say("unread.deal-clause", text=rest), (0, len(text)))
    return terms


def _taken(text: str, start: int, context: Context) -> tuple[str, dict[str, Any]]:
    """The text without the clauses at its end, and what these say. ``start`` is where the text stands in its line."""
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
    """The fields of the order that a piece between two semicolons fills; none where it is words."""
    for pattern, sort in ((_PAY, "pay"), (_ESCROW, "escrow")):
        if match := pattern.fullmatch(piece):
            who = "i" if (match["who"] or "i").lower() == "i" else "you"
            yield f"{who}_{sort}", int(match["amount"])
            if match["condition"]:
                yield "condition", _condition(match, at, context)
            return
    if match := _UNTIL.fullmatch(piece):
        yield "until", int(match["turn"])
    elif match := _HANGS.fullmatch(piece):
        yield "broken_if" if match["what"] else "condition", _condition(match, at, context)
    elif _NEARLY.match(piece):
        raise Misread(say("unread.deal-clause", text=piece), (at, at + len(piece)))


def _condition(match: re.Match[str], at: int, context: Context) -> Condition:
    first, last = (at + place for place in match.span("condition"))
    if context.conditions is None:
        raise Misread(say("unread.deal-clause", text=match["condition"]), (first, last))
    try:
        return context.conditions(match["condition"].rstrip(" .!"), context)
    except Misread as wrong:
        raise Misread(wrong.reason, (first, last), wrong.instead) from None


def _goods(piece: str) -> str:
    """What a piece would hand over besides spice: "card", "forces" …; nothing where it is about something else."""
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
    return "".join([str(terms["text"]), *written_clauses(terms)])


def written_clauses(terms: Mapping[str, Any]) -> list[str]:
    """The clauses of a deal in canonical words, each with its semicolon: ["; I pay 3", "; until turn 4"]."""
    spice = (("i_pay", "I pay"), ("you_pay", "you pay"), ("i_escrow", "I escrow"), ("you_escrow", "you escrow"))
    found = [f"; {words} {terms[field]}" for field, words in spice if terms[field]]
    for field, word in (("condition", "if"), ("broken_if", "broken if")):
        if terms[field] is not None:
            found.append(f"; {word} {write_deal_condition(terms[field])}")
    return found + ([f"; until turn {terms['until']}"] if terms["until"] else [])


def write_deal_condition(condition: Condition) -> str:
    """The condition of a deal in canonical words: "turn 5 and not Guild is in Arrakeen"."""
    return say("condition.any", **as_facts(condition) or {})
