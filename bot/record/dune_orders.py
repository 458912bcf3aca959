"""Orders in `game.dune`: as players mail them, in their canonical words.

What a player wrote in their own words stands in quotes, and behind a question under Truthtrance stands what it was
understood to say, so that a later reader of English changes no game:

    atreides: deal with Fremen: "No attack on Arrakeen" words:1c18…; I pay 3
    fremen: deal with Guild: words:a02b…                                      (an offer that came to nothing)
    guild: truthtrance Emperor: "Do you hold a shield?" understood {"facts":[…]}

The rare order that its canonical words would not give back stands as a value: ``order {"type":…}``. Whatever a mail may
say is read too, with abbreviations, capital letters and spaces as anybody types them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from bot.orders.blanks import Misread
from bot.orders.deal_clauses import read_clauses, written_clauses
from bot.orders.language import Context, Unread, read_line, understood, write
from bot.orders.names import FACTION_NAMES
from bot.record.words import HIDDEN, Made
from bot.sheets.deal_conditions import read_deal_condition
from rules import orders
from rules.components import Faction
from rules.components.terms import Edition
from rules.orders import AnyOrder, Deal, Order, Truthtrance
from rules.orders.readings import Reading

_json = json.JSONDecoder()
_order: msgspec.json.Decoder[AnyOrder] = msgspec.json.Decoder(AnyOrder)
_plain_json = msgspec.json.Encoder(order="deterministic")


class Unreadable(ValueError):
    """What stands there is no order; the message is a sentence. ``suggestions`` are lines that would be right."""

    def __init__(self, why: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(why)
        self.suggestions = suggestions


def quoted(text: str) -> str:
    """The text in quotes, as a JSON string. Signs that cannot be seen or would change are escaped.

    >>> quoted('a "word"')
    '"a \\\\"word\\\\""'
    """
    if text.isascii() and text.isprintable():
        return json.dumps(text)
    seen = unicodedata.is_normalized("NFC", text) and not any(
        unicodedata.category(sign) in _UNSEEN or unicodedata.combining(sign) for sign in text
    )
    return json.dumps(text, ensure_ascii=not seen)


_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Zl", "Zp")


def seen_only(text: str) -> str:
    """The text without signs that cannot be seen, each letter with its accent as one sign."""
    if text.isascii() and text.isprintable():
        return text
    kept = "".join(sign for sign in text if sign.isspace() or unicodedata.category(sign) not in _UNSEEN)
    return unicodedata.normalize("NFC", kept)


# --- writing -------------------------------------------------------------------------------------------------------


def order_text(faction: Faction, order: Order, made: Mapping[str, Made]) -> str:
    """The order in canonical words; ``made`` are the words of the deals that were made."""
    if isinstance(order, Deal):
        return _deal_text(order, made)
    if isinstance(order, Truthtrance):
        said = f"truthtrance {FACTION_NAMES.name(order.faction)}: {quoted(order.question)} understood "
        return said + (_value(order.reading) if order.reading is not None else "nothing")
    return _canonical(faction, order)


def _deal_text(order: Deal, made: Mapping[str, Made]) -> str:
    text = quoted(order.text)
    if HIDDEN.fullmatch(order.text):
        text = f"{quoted(made[order.text].text)} {order.text}" if order.text in made else order.text
    clauses = written_clauses({field: getattr(order, field) for field in order.__struct_fields__})
    secret = "secret " if order.secret else ""
    return f"{secret}deal with {FACTION_NAMES.name(order.faction)}: {text}{''.join(clauses)}"


@lru_cache(maxsize=16384)  # most orders of a game are the same few
def _canonical(faction: Faction, order: Order) -> str:
    """The canonical words if they give the order back, else the order as a value."""
    try:
        text = write(order)
        if understood(text, Context(faction)) == order and not set('{}"\n').intersection(text):
            return text
    except (LookupError, ValueError):
        pass
    return f"order {_value(order)}"


def _value(value: Any) -> str:
    data = _plain_json.encode(value).decode()
    return json.dumps(json.loads(data), ensure_ascii=True, separators=(",", ":"))


# --- reading -------------------------------------------------------------------------------------------------------


def read_order(faction: Faction, text: str, edition: Edition, made: dict[str, Made]) -> AnyOrder:
    """The order that stands there; the words of deals that were made are added to ``made``. Unreadable if it is
    none."""
    first = text.removeprefix("secret ").partition(" ")[0].lower()
    if first == "order" and text[5:].lstrip().startswith("{"):
        return _from_value(text[5:].strip())
    if first in ("deal", "truthtrance") and (found := _in_quotes(faction, text, made)):
        return found
    return _as_mailed(faction, text, edition)


def _from_value(text: str) -> AnyOrder:
    try:
        return _order.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise Unreadable(f"{_short(text)} is no order as a value: {error}.") from error


_OWN_WORDS = re.compile(
    rf"(?P<what>(?P<secret>secret +)?deal +with|truthtrance) +(?P<whom>[^:]+?) *: *(?={HIDDEN.pattern}|\")",
    re.IGNORECASE,
)
_UNDERSTOOD = re.compile(r"\s*understood\s+(?P<nothing>nothing$)?", re.IGNORECASE)


def _in_quotes(faction: Faction, text: str, made: dict[str, Made]) -> Deal | Truthtrance | None:
    """A deal or a question whose words stand in quotes; None if it is written as in a mail."""
    begin = _OWN_WORDS.match(text)
    if begin is None:
        return None
    whom = faction_named(begin["whom"])
    hidden = HIDDEN.match(text, begin.end())
    if hidden:
        said, rest = hidden[0], text[hidden.end() :]
    else:
        try:
            said, end = _json.raw_decode(text, begin.end())
        except ValueError as error:
            raise Unreadable(f"the words in quotes cannot be read ({error}).") from error
        rest = text[end:]
    if begin["what"].lower().endswith("with"):
        deal = _deal(faction, whom, said, rest, made)
        return replace(deal, secret=True) if begin["secret"] else deal
    return _question(faction, whom, said, rest)


def _deal(faction: Faction, whom: Faction, said: str, rest: str, made: dict[str, Made]) -> Deal:
    if found := re.match(rf"\s*({HIDDEN.pattern})", rest):
        made[found[1]] = Made(faction, whom, " ".join(said.split()))
        rest = rest[found.end() :]
    try:
        return Deal(whom, said, **read_clauses(rest, Context(faction, conditions=read_deal_condition)))
    except Misread as error:
        raise Unreadable(f"after the words of a deal comes “; I pay N” or “; until turn N”; {error.reason}") from error


def _question(faction: Faction, whom: Faction, said: str, rest: str) -> Truthtrance:
    if not rest.strip():
        read = understood(f"truthtrance {FACTION_NAMES.name(whom)}: {said}", Context(faction))
        return read if isinstance(read, Truthtrance) else Truthtrance(whom, said)
    mark = _UNDERSTOOD.match(rest)
    if mark is None:
        raise Unreadable(f"after a question comes “understood” with what it was read as; found is {_short(rest)}.")
    if mark["nothing"]:
        return Truthtrance(whom, said)
    try:
        return Truthtrance(whom, said, msgspec.json.decode(rest[mark.end() :], type=Reading))
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise Unreadable(f"what a question was understood as cannot be read: {error}.") from error


@lru_cache(maxsize=16384)
def _mailed(faction: Faction, text: str, edition: Edition) -> Order | Unreadable:
    read = understood(text, Context(faction))
    if not isinstance(read, Order):
        found = read_line(text, Context(faction, edition=edition))
        if isinstance(found, Unread):
            return Unreadable(found.reason, found.suggestions)
        read = found if isinstance(found, Order) else None
    return read or Unreadable(f"{_short(text)} is a command of mails and no order of the game.")


def _as_mailed(faction: Faction, text: str, edition: Edition) -> AnyOrder:
    found = _mailed(faction, text, edition)
    if isinstance(found, Unreadable):
        raise Unreadable(str(found), found.suggestions)
    return _order.decode(orders.encode(found))


def faction_named(text: str) -> Faction:
    """The faction of this name or abbreviation. Unreadable if there is none, or several."""
    found = FACTION_NAMES.find(text)
    if isinstance(value := getattr(found, "value", None), str):
        return FACTION_NAMES.values[FACTION_NAMES.values.index(value)]
    near = tuple(getattr(found, "names", ()))
    raise Unreadable(f"{_short(text)} is no faction{'; did you mean the one below?' if near else '.'}", near)


def _short(text: str) -> str:
    text = text.strip()
    return f"“{text if len(text) <= 80 else text[:80] + '…'}”"
