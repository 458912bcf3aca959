"""The table of plain words (``data/plain-words.toml``), ready for looking things up in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bot.orders.forms import FORMS, Blank, Form, pieces
from rules.components import Faction
from rules.components.facts import FactsError, load_toml

FILE = "plain-words.toml"


def folded(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared: small, without accents and apostrophes."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return tuple(re.findall(r"[a-z0-9]+|->|[+/]", re.sub(r"['’`´]", "", plain)))


class Phrases:
    """A set of texts of one or more words, found by where they begin."""

    __slots__ = ("_by_first",)

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for words in sorted({folded(text) for text in texts}, key=len, reverse=True):
            if words:
                self._by_first.setdefault(words[0], []).append(words)

    def length(self, words: Sequence[str], place: int) -> int:
        """How many words of the longest text that stands at this place; 0 for none."""
        for phrase in self._by_first.get(words[place], ()):
            if tuple(words[place : place + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def firsts(self) -> Iterable[str]:
        """The words with which the texts begin."""
        return self._by_first

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return (phrase for phrases in self._by_first.values() for phrase in phrases)


@dataclass(frozen=True, slots=True)
class OrderWords:
    """How one form of an order is said in plain words; the fields are explained in the table itself."""

    form: Form
    words: tuple[Phrases, ...]
    beside: Phrases
    bare: bool
    taken: bool
    refuses: bool
    agrees: bool
    denies: bool
    unsure: bool
    mentions: tuple[str, ...]
    above: str
    asks: bool
    aloud: bool
    flat: bool
    rivals: Phrases
    """What the other orders of the same question are called, where it is called nothing of that; refusals only by the
    words of their form."""
    others: Phrases
    """Of a refusal: what the other orders of the same question are called."""


@dataclass(frozen=True, slots=True)
class PlainWords:
    """All of the table."""

    filler: Phrases
    courtesy: Phrases
    yes: Phrases
    weak_yes: Phrases
    no: Phrases
    flat_no: Phrases
    negation: Phrases
    beside_refusal: Phrases
    doubt: Phrases
    never: Phrases
    hesitation: Phrases
    loose: Phrases
    beside_bare: Phrases
    inexact: Phrases
    numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    ordinary: frozenset[str]
    regular: frozenset[str]
    elite: Mapping[Faction, frozenset[str]]
    amounts: Mapping[str, Phrases]
    units: Mapping[str, frozenset[str]]
    places: Mapping[str, Phrases]
    plan: Mapping[str, Phrases]
    around: Mapping[str, Phrases]
    wishes: Mapping[str, Phrases]
    nicknames: Mapping[str, Mapping[str, Sequence[str]]]
    orders: tuple[OrderWords, ...]
    by_word: Mapping[str, frozenset[int]]
    """The orders (by ``id``) of which a word of their own begins with this one."""
    words_of_orders: tuple[str, ...]
    """Those of four letters and more that alone stand for a kind of order."""
    small: frozenset[str]
    """Every single word of the small ones, those of the kinds of orders aside."""
    known: frozenset[str]
    """Every single word that the table has for anything but a name."""

    def naming(self, texts: Iterable[str]) -> frozenset[int]:
        """The orders for which a line may have a word of their own."""
        return frozenset(order for text in texts for order in self.by_word.get(text, ()))


_FORMS = {form.with_placeholders(): form for form in reversed(FORMS)}


def _rival_words(entry: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """The words of another order of the same question that are none of this one; of a refusal only the order itself
    ("pass 5" is no bid)."""
    shared = set(_FORMS[entry["form"]].kinds).intersection(_FORMS[other["form"]].kinds)
    own = {text for group in entry["words"] for text in group} | set(entry.get("beside", ()))
    blank = any(isinstance(piece, Blank) for piece in pieces(_FORMS[other["form"]].pattern))
    if shared and other["form"] != entry["form"]:
        said = other["words"][0] if blank or not other.get("refuses") else [other["form"]]
        yield from (text for text in said if text not in own)


def _orders(entries: Sequence[Mapping[str, Any]]) -> Iterator[OrderWords]:
    for entry in entries:
        if entry["form"] not in _FORMS:
            raise FactsError(f"{FILE}: there is no form of orders {entry['form']!r}; `mentat help` lists them.")
        form = _FORMS[entry["form"]]
        others: list[str] = []
        rivals = [text for other in entries for text in _rival_words(entry, other)]
        for other in entries if entry.get("refuses") else ():
            shared = set(form.kinds).intersection(_FORMS[other["form"]].kinds)
            if shared and not (other.get("refuses") or other.get("extra")):
                others += [text for group in other["words"] for text in group]
        yield OrderWords(
            form, tuple(Phrases(group) for group in entry["words"]), Phrases(entry.get("beside", ())),
            entry.get("bare", False), entry.get("taken", False), entry.get("refuses", False),
            entry.get("agrees", False), entry.get("denies", False), entry.get("unsure", False),
            tuple(entry.get("mentions", ())), entry.get("above", ""), entry.get("asks", False),
            entry.get("aloud", False), entry.get("flat", False), Phrases(rivals), Phrases(others),
        )  # fmt: skip


@cache
def table() -> PlainWords:
    """The table, read once."""
    tables = load_toml(FILE)
    words, forces = tables["words"], tables["forces"]
    orders = tuple(_orders(tables["order"]))
    elites = {faction: frozenset((*forces["elite"], *own)) for faction, own in forces["elite_of"].items()}
    sets = [Phrases(words[key]) for key in words]
    sets += [p for entry in orders for p in (*entry.words, entry.beside)] + [
        Phrases(v) for v in tables["places"].values()
    ]
    by_word: dict[str, frozenset[int]] = {}
    for entry in orders:
        for word in entry.words[0].firsts():
            by_word[word] = by_word.get(word, frozenset()) | {id(entry)}
    texts = [text for key in words for text in words[key]]
    texts += [text for value in tables["places"].values() for text in value]
    small = {single[0] for text in texts if len(single := folded(text)) == 1}
    known = {phrase[0] for phrases in sets for phrase in phrases if len(phrase) == 1}
    known |= {word for key in ("ordinary", "regular", "elite") for word in forces[key]}
    return PlainWords(
        **{key: Phrases(words[key]) for key in words},
        numbers=tables["numbers"],
        ordinals=tables["ordinals"],
        ordinary=frozenset(forces["ordinary"]),
        regular=frozenset(forces["regular"]),
        elite=elites,
        amounts={key: Phrases(forces[key]) for key in ("all", "half", "both", "rest", "couple", "single", "including")},
        units={key: frozenset(value) for key, value in tables["units"].items()},
        places={key: Phrases(value) for key, value in tables["places"].items()},
        plan={key: Phrases(value) for key, value in tables["plan"].items()},
        around={key: Phrases(value) for key, value in tables["around"].items()},
        wishes={key: Phrases(value) for key, value in tables["wishes"].items()},
        nicknames=tables["nicknames"],
        orders=orders,
        by_word=by_word,
        words_of_orders=tuple(
            sorted({p[0] for e in orders for g in e.words for p in g if len(p) == 1 and len(p[0]) > 3})
        ),
        small=frozenset(small),
        known=frozenset(
            known | tables["numbers"].keys() | {word for unit in tables["units"].values() for word in unit}
        ),
    )
