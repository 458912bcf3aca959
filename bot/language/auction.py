"""Bids for one card or another in plain words: "card 2: up to 4", "pass this one, the next one up to 3"."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.language.forms import write
from bot.language.lines import Context
from bot.language.orders import Unread, read_as_written
from bot.language.vocabulary import vocabulary
from bot.wording import say
from rules.orders import ANSWERS, BidUpTo, Order

_NUMBER = r"(?:one|two|three|four|five|six|\d)"
_ORDINAL = r"(?:first|second|third|fourth|fifth|sixth|[1-6](?:st|nd|rd|th))"
_CARD = (
    rf"(?:(?:the\s+)?cards?\s+(?:no\.?\s*|number\s+|#\s*)?(?P<number>{_NUMBER}(?:\s*(?:,|and|&|\+)\s*{_NUMBER})*)"
    rf"|the\s+(?P<which>{_ORDINAL})(?:\s+(?:card|one))?|(?P<this>this\s+(?:card|one))|(?P<next>(?:the\s+)?next\s+(?:card|one))"
    r"|(?P<rest>the\s+(?:rest|others|other\s+cards)))"
)
_BEFORE = re.compile(rf"(?:(?:on|for|at|and|then|but)\s+)*{_CARD}\s*[:,=-]?\s*(?P<bid>\S.*)", re.IGNORECASE)
_BEHIND = re.compile(rf"(?P<bid>\S.*?)\s+(?:(?:on|for|at)\s+)?{_CARD}(?:\s+each)?", re.IGNORECASE)
_CUTS = re.compile(
    r"\s*[,;]\s*(?:and\s+|then\s+)?|\s+but\s+|\s+and\s+then\s+|\s+and\s+(?=(?:the|pass|bid|on|for|up)\b)", re.IGNORECASE
)
_LIMIT = re.compile(
    r"(?:max(?:imum)?|at most|not more than|no more than|up to|until)\s+(\d+)|(\d+)\s+(?:max(?:imum)?|at most|tops?)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?:bid )?(\d+)|(?:i )?(?:pass|skip)", re.IGNORECASE)
_UNTIL_BIDDING = ("storm", "spice", "charity", "bidding")
MOST_BIDS = 6


def for_cards(text: str, context: Context, read: Callable[[str], object]) -> Unread | None:
    """Propose a line for each card that a text about several cards of the auction names, or return None."""
    now, last = _cards_up(context)
    if not last or len(text) > 200:
        return None
    lines: list[str] = []
    named = False
    said: set[int] = set()
    for piece in filter(None, (piece.strip(" .!") for piece in _CUTS.split(_spelt_out(text)))):
        match = _BEFORE.fullmatch(piece) or _BEHIND.fullmatch(piece)
        bid = _bid(match["bid"] if match else piece, context, read)
        if (
            bid is None
            or (not match and (lines or not now))
            or (match and not now and (match["this"] or match["next"]))
        ):
            return None
        for number in _cards(match, now, last, said) if match else [now]:
            named |= number != now or bool(match and not match["this"])
            said.add(number)
            lines.append(bid if number == now else f"when card {number}: {bid}")
    later = [line for line in lines if line.startswith("when card")]
    if not named or not lines or len(lines) > MOST_BIDS or not (later or len(lines) == 1):
        return None
    return Unread(say("unread.for-cards"), tuple(lines), together=len(lines) > 1)


def _cards_up(context: Context) -> tuple[int, int]:
    """Return the number of the card that the writer is asked to bid on, and of the last card of the turn, else 0."""
    known = context.known() if context.known else None
    if known is None or context.phase not in _UNTIL_BIDDING:
        return 0, 0
    facts = next((question.about for question in known.asked if question.kind == "bid"), {})
    return facts.get("number", 0), facts.get("of", len(context.factions))


def _spelt_out(text: str) -> str:
    return re.sub(r"(?i)\bcards?\s+(\d)\s*,\s*(\d)", r"cards \1 and \2", text)


def _cards(match: re.Match[str], now: int, last: int, said: set[int]) -> list[int]:
    if match["number"]:
        found = re.findall(_NUMBER, match["number"].lower())
        return [vocabulary().numbers.get(each) or int(each) for each in found]
    if match["which"]:
        which = match["which"].lower()
        return [vocabulary().ordinals.get(which) or int(which[0])]
    if match["rest"]:
        return [number for number in range(now or 1, last + 1) if number not in said]
    return [now + 1] if match["next"] else [now]


def _bid(text: str, context: Context, read: Callable[[str], object]) -> str | None:
    if limit := _LIMIT.search(text):
        return write(BidUpTo(int(limit[1] or limit[2])))
    text = re.sub(r"\s+each$", "", text, flags=re.IGNORECASE)
    if short := _SHORT.fullmatch(text):
        return f"bid {short[1]}" if short[1] else "pass"
    found = read(text)
    if isinstance(found, Unread) and len(found.suggestions) == 1:
        found = read_as_written(found.suggestions[0], context)
    if not isinstance(found, Order) or "bid" not in ANSWERS.get(type(found), ()):
        return None
    return write(found)
