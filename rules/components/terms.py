"""The terms of an edition: in games under the 2019 rules, the program's sentences use the 2019 terms instead of the
1979 ones.

The terms are in `data/terms.toml`, and the names are in the data files of leaders, cards and the board ("name_2019").
Only the program's own sentences are changed, never what a player wrote.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal, get_args

from rules.components.facts import document, entries

Edition = Literal["1979", "2019"]
"""The year of the edition whose terms the letters use."""

EDITIONS: tuple[Edition, ...] = get_args(Edition)


def in_words_of(edition: Edition, text: str) -> str:
    """Return one of the program's sentences in the terms of an edition.

    >>> in_words_of("2019", "Tokens of two players fight."), in_words_of("1979", "Tokens of two players fight.")
    ('Forces of two players fight.', 'Tokens of two players fight.')
    """
    if edition == "1979":
        return text
    words = _words(edition)
    return _pattern(edition).sub(lambda found: _as_begun(found[0], words[found[0].casefold()]), text)


def order_in_words_of(edition: Edition, line: str) -> str:
    """Return an order line in the terms and printed names of the edition. Lines with words that players say to each
    other are returned unchanged.

    >>> order_in_words_of("2019", "standing: coexist in Carthag"), order_in_words_of("2019", "revive Wanna Marcus")
    ('standing: advisors in Carthag', 'revive Wanna Yueh')
    """
    if edition == "1979" or line.startswith(_IN_OWN_WORDS):
        return line
    orders, names = document("terms.toml").table(edition).table("orders"), _names(edition)
    line = _beginnings(edition).sub(lambda found: orders.text(found[0]), line)
    return _printed(edition).sub(lambda found: names[found[0]], line)


def name_of(edition: Edition, name: str) -> str:
    """Return the name that an edition prints on a disc, a card or the board. For example, ``name_of("2019", "Wanna
    Marcus") == "Wanna Yueh"``."""
    return name if edition == "1979" else _names(edition).get(name, name)


def _as_begun(said: str, word: str) -> str:
    return word[:1].upper() + word[1:] if said[:1].isupper() else word


@cache
def _words(edition: Edition) -> Mapping[str, str]:
    table = document("terms.toml").table(edition).table("sentences")
    return {said: table.text(said) for said in table.values} | {
        said.casefold(): name for said, name in _names(edition).items()
    }


@cache
def _pattern(edition: Edition) -> re.Pattern[str]:
    longest_first = sorted(_words(edition), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])", re.IGNORECASE)


def orders_of(edition: Edition) -> Mapping[str, str]:
    if edition == "1979":
        return {}
    table = document("terms.toml").table(edition).table("orders")
    return {said: table.text(said) for said in table.values}


_IN_OWN_WORDS = ("press", "deal", "truthtrance")
"""The first words of orders that contain what players say to each other."""


@cache
def _beginnings(edition: Edition) -> re.Pattern[str]:
    orders = document("terms.toml").table(edition).table("orders").values
    return re.compile(rf"(?:^|(?<=: ))(?:{'|'.join(map(re.escape, orders))})(?= )")


@cache
def _printed(edition: Edition) -> re.Pattern[str]:
    longest_first = sorted(_names(edition), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")


@cache
def _names(edition: Edition) -> Mapping[str, str]:
    key = f"name_{edition}"
    files = (("leaders.toml", "leader"), ("cards.toml", "treachery_card"), ("board.toml", "territory"))
    found = {}
    for file, kind in files:
        for entry in entries(file, kind):
            if other := entry.text(key, ""):
                found[entry.text("name")] = other
    return found
