"""Blanks for a player's own words: questions, days and addresses. Those of a deal are in ``deal_clauses``."""

from __future__ import annotations

import re
from datetime import date

from bot.mail.typed_address import is_one_address
from bot.orders.blanks import Misread, Node, Reading
from bot.wording.sentences import say


def read_text(reading: Reading, node: Node) -> str:
    return reading.text[reading.words(node).span[0] :].strip()


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


def read_address(reading: Reading, node: Node) -> str:
    """One mail address in lower case, alone or in angle brackets behind a name."""
    words = reading.words(node)
    address = words.text.rpartition("<")[2].rstrip(">").strip().lower().removeprefix("mailto:")
    if not is_one_address(address) or "." not in address.rpartition("@")[2]:
        raise Misread(say("unread.mail-address", text=words.text), words.span)
    return address
