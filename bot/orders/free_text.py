"""Blanks for a player's own words: questions, bargains, press and days."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from bot.orders.blanks import Misread, Node, Reading, named
from bot.orders.names import FACTION_NAMES
from bot.wording.sentences import say
from rules.components import Faction


def read_text(reading: Reading, node: Node) -> str:
    return reading.text[reading.words(node).span[0] :].strip()


_PAYMENT = re.compile(
    r"\s*(?P<mark>[;,.]?)\s*\b(?P<who>i|you) (?:will )?pay (?P<amount>[0-9]{1,4})(?: spice)?[\s.!]*$", re.IGNORECASE
)


def read_terms(reading: Reading, node: Node) -> dict[str, Any]:
    """The words of a bargain; payments are taken off its end."""
    words = reading.words(node)
    text = read_text(reading, node)
    terms: dict[str, Any] = {}
    while payment := _PAYMENT.search(text):
        if payment["mark"] != ";":
            start = words.span[0] + payment.start()
            instead = (f"; {payment['who']} pay {payment['amount']}",) if payment.start() else ()
            raise Misread(say("unread.payment"), (start, words.span[0] + payment.end()), instead)
        field = "i_pay" if payment["who"].lower() == "i" else "you_pay"
        if field in terms:
            raise Misread(say("unread.paid-twice"), words.span)
        terms[field] = int(payment["amount"])
        text = text[: payment.start()]
    text = text.rstrip(" ;")
    if not text:
        raise Misread(say("unread.payment"), words.span)
    return {"text": text, **terms}


def write_terms(terms: Mapping[str, Any]) -> str:
    payments = [f"; {who} pay {terms[field]}" for field, who in (("i_pay", "I"), ("you_pay", "you")) if terms[field]]
    return "".join([str(terms["text"]), *payments])


def read_whom(reading: Reading, node: Node) -> tuple[Faction, ...]:
    parts = [reading.words(child) for child in node.children]
    if len(parts) == 1 and parts[0].text.casefold() in ("all", "everybody", "everyone"):
        return ()
    return tuple(dict.fromkeys(named(FACTION_NAMES, words) for words in parts))


def write_whom(factions: Sequence[Faction]) -> str:
    return ", ".join(map(FACTION_NAMES.name, factions)) or "all"


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATES = (
    re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"),
    re.compile(r"(?P<day>[0-9]{1,2})\.\s?(?P<month>[0-9]{1,2})\.?(?:\s?(?P<year>[0-9]{4}))?"),
    re.compile(r"(?P<day>[0-9]{1,2})(?:\.|st|nd|rd|th)?\s(?P<month>[a-z]{3,9})\.?(?:\s(?P<year>[0-9]{4}))?"),
    re.compile(r"(?P<month>[a-z]{3,9})\.?\s(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?:\s(?P<year>[0-9]{4}))?"),
)


def read_date(reading: Reading, node: Node) -> date:
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
        raise Misread(say("unread.date", text=words.text), words.span) from None


_ADDRESS = re.compile(r"""(?:mailto:)?([^\s@<>,;:"()\[\]\\]{1,64}@[a-z0-9.-]{1,200}\.[a-z0-9-]{2,63})""", re.ASCII)


def read_address(reading: Reading, node: Node) -> str:
    """One mail address in lower case, alone or in angle brackets behind a name."""
    words = reading.words(node)
    inside = words.text.rpartition("<")[2].rstrip(">").strip()
    match = _ADDRESS.fullmatch(inside.lower()) if inside.isascii() else None
    if match is None:
        raise Misread(say("unread.mail-address", text=words.text), words.span)
    return match[1]
