"""The table of plain words (`data/plain-words.toml`), and lines split into words that can be looked up in it.

Splitting a line drops emphasis and typographic marks, reads numerals and number words as numbers, and separates the
parts of the sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from bot.language.forms import FORMS, Blank, Form, pieces
from bot.language.lines import Line
from bot.language.names import fold_words, without_accents
from rules.components import Faction
from rules.components.facts import FactsError, load_toml

FILE = "plain-words.toml"


class Phrases:
    """A set of phrases of one or more words, looked up by their first word."""

    __slots__ = ("_by_first",)

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for words in sorted({fold_words(text) for text in texts}, key=len, reverse=True):
            if words:
                self._by_first.setdefault(words[0], []).append(words)

    def length(self, words: Sequence[str], place: int) -> int:
        # the longest phrase that begins at this place; 0 for none
        for phrase in self._by_first.get(words[place], ()):
            if tuple(words[place : place + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def firsts(self) -> Iterable[str]:
        return self._by_first

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return (phrase for phrases in self._by_first.values() for phrase in phrases)


@dataclass(frozen=True, slots=True)
class OrderWords:
    """The plain words for one form of an order; comments in the table itself explain the fields."""

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
    lets: bool
    rivals: Phrases
    """Names of the other orders that answer the same question, unless they are also names of this order. A refusal
    counts only if the line has the words of its form."""
    others: Phrases
    """Used only for a refusal: the names of the other orders that answer the same question."""


@dataclass(frozen=True, slots=True)
class PlainWords:
    filler: Phrases
    courtesy: Phrases
    yes: Phrases
    weak_yes: Phrases
    no: Phrases
    weak_no: Phrases
    lets: Phrases
    flat_no: Phrases
    negation: Phrases
    beside_refusal: Phrases
    doubt: Phrases
    soft: Phrases
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
    wishes: Mapping[str, Phrases]
    talk: Mapping[str, Phrases]
    commands: Mapping[str, Phrases]
    nicknames: Mapping[str, Mapping[str, Sequence[str]]]
    orders: tuple[OrderWords, ...]
    by_word: Mapping[str, frozenset[int]]
    """For each word, the orders (by `id`) that have a keyword phrase beginning with it."""
    words_of_orders: tuple[str, ...]
    """Words of at least four letters that name a kind of order on their own."""
    small: frozenset[str]
    """Every single word of the general phrases, except the keywords of orders."""
    known: frozenset[str]
    """Every single word in the table that is not part of a name."""

    def naming(self, texts: Iterable[str]) -> frozenset[int]:
        return frozenset(order for text in texts for order in self.by_word.get(text, ()))


_FORMS = {form.with_placeholders(): form for form in reversed(FORMS)}


def _rival_words(entry: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
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
            entry.get("aloud", False), entry.get("flat", False), entry.get("lets", False),
            Phrases(rivals), Phrases(others),
        )  # fmt: skip


@cache
def vocabulary() -> PlainWords:
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
    small = {single[0] for text in texts if len(single := fold_words(text)) == 1}
    known = {phrase[0] for phrases in sets for phrase in phrases if len(phrase) == 1}
    known |= {word for key in ("ordinary", "regular", "elite") for word in forces[key]}
    return PlainWords(
        **{key: Phrases(words[key]) for key in words},
        numbers=tables["numbers"],
        ordinals=tables["ordinals"],
        ordinary=frozenset(forces["ordinary"]),
        regular=frozenset(forces["regular"]),
        elite=elites,
        amounts={key: Phrases(forces[key]) for key in forces.keys() - {"ordinary", "regular", "elite", "elite_of"}},
        units={key: frozenset(value) for key, value in tables["units"].items()},
        places={key: Phrases(value) for key, value in tables["places"].items()},
        plan={key: Phrases(value) for key, value in tables["plan"].items()},
        wishes={key: Phrases(value) for key, value in tables["wishes"].items()},
        talk={key: Phrases(value) for key, value in tables["talk"].items()},
        commands={key: Phrases(value) for key, value in tables["commands"].items()},
        nicknames=tables["nicknames"],
        orders=orders,
        by_word=by_word,
        words_of_orders=tuple(
            sorted({p[0] for e in orders for g in e.words for p in g if len(p) == 1 and len(p[0]) > 3})
        ),
        small=frozenset(small).union(*tables["units"].values()),
        known=frozenset(
            known | tables["numbers"].keys() | {word for unit in tables["units"].values() for word in unit}
        ),
    )


MOST_WORDS = 30
"""Longer lines are treated as talk."""

MOST_NUMBERS = 8


@dataclass(frozen=True, slots=True)
class Word:
    """One word, or a symbol that counts as one ("+", "->", "/"). `part` is the number of its part of the sentence;
    `start` and `end` are its offsets in the text."""

    text: str
    part: int
    start: int
    end: int
    number: float | None = None
    ordinal: bool = False


@dataclass(frozen=True, slots=True)
class LineWords:
    """A line split into words; their offsets refer to `text`. `asks` is true if the line is a question."""

    text: str
    words: tuple[Word, ...]
    asks: bool = False


_PIECE = re.compile(
    r"""(?P<number>(?<![\w.,-])\#?(?:0|[1-9][0-9]{0,2})(?:[.,][05]0?)?(?:st|nd|rd|th)?(?![\w%]|[.,:/%-][0-9]))
    |(?P<lettered>(?<![\w.,-])[ts][0-9]{1,2}(?![\w.,:-]*[0-9]))
    |(?P<with>(?<!\w)w/)
    |(?P<sign>->|=>|\+|&|/)
    |(?P<word>[^\W\d_](?:[^\W\d_]|'(?=[^\W\d_]))*'?)
    |(?P<stop>[,;:.!?()=]+|-+|\s+)
    |(?P<odd>.)""",
    re.VERBOSE,
)
_ONE_HALF = re.compile(r"(?<![\w./,-])(?:([0-9]{1,2})[ -])?1/2(?![\w/]|[.,][0-9])")
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|`)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_NEVER = re.compile(r"^--|~~|https?:|www\.|\S@\S|\.\.\.?\s*or\b|(?<!\w)-[0-9]")
_STRUCK = re.compile("[\u0335-\u0338\u20d2\u20d3\u20e5]")
_DECIMAL = re.compile(r"[.,]")


def cut_line(line: Line) -> LineWords | None:
    """Split a line into words. Return None if the line cannot contain an order, because it is struck out, in another
    script, too long, or contains characters that do not occur in orders."""
    if len(line.plain) > 300 or _NEVER.search(line.plain):
        return None
    text = _plain_text(line)
    if text is None:
        return None
    words: list[Word] = []
    part = 0
    small = text.lower()
    if len(small) != len(text):
        return None
    for match in _PIECE.finditer(small):
        kind, piece = str(match.lastgroup), match.group()
        if kind == "odd" or len(words) > MOST_WORDS:
            return None
        if kind == "stop":
            part += not piece.isspace() and not _inside(small, match)
        else:
            words += _words(kind, piece, part, match.start(), match.end())
    words = list(_without_exceptions(list(counted(words))))
    if sum(word.number is not None for word in words) > MOST_NUMBERS:
        return None
    return LineWords(text, tuple(words), "?" in text)


def _plain_text(line: Line) -> str | None:
    text = line.text
    for _ in range(2):
        text = _EMPHASIS.sub(r"\2", text)
    text = _ONE_HALF.sub(lambda match: f"{match[1] or 0}.5", text.strip("*_ "))
    if text.isascii():
        return text
    if _STRUCK.search(text):
        return None
    text = text.replace("→", "->").replace("…", "...").replace("½", ".5").replace("×", " ")
    text = re.sub(r"[‐‑]", "-", re.sub(r"[‒–—―−]", " - ", text))
    text = re.sub(r"[‘’‛′`´]", "'", text)
    kept = []
    for sign in text:
        category = unicodedata.category(sign)
        if sign.isalpha() and not sign.isascii() and not unicodedata.name(sign, "").startswith("LATIN "):
            return None
        kept.append(" " if category in ("So", "Sk", "Mn", "Cf", "Co") else sign)
    return "".join(kept)


def _inside(text: str, stop: re.Match[str]) -> bool:
    before, after = text[: stop.start()], text[stop.end() :]
    if stop.group() == "-":
        return before[-1:].isalpha() and after[:1].isalpha()
    return stop.group() == "." and bool(_SHORTENED.search(before)) and bool(after.strip())


_SHORTENED = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,4}$")


def _words(kind: str, piece: str, part: int, start: int, end: int) -> list[Word]:
    match kind:
        case "number":
            digits = piece.lstrip("#")
            ordinal = digits[-1].isalpha()
            number = float(_DECIMAL.sub(".", digits.rstrip("sthndr")))
            return [Word(digits, part, start, end, number, ordinal)]
        case "lettered":
            letter = Word(piece[0], part, start, start + 1)
            return [letter, Word(piece[1:], part, start + 1, end, float(piece[1:]))]
        case "with":
            return [Word("with", part, start, end)]
        case "sign":
            text = {"=>": "->", "&": "and"}.get(piece, piece)
            return [Word(text, part, start, end)]
    return [Word(without_accents(piece.replace("'", "")), part, start, end)]


def _without_exceptions(words: list[Word]) -> Iterator[Word]:
    """Read the "except" in "all except 2" and "all I have there except 2" as "but". Otherwise, "except" would be read
    as a sign of doubt."""
    for place, word in enumerate(words):
        texts = [known.text for known in words[:place]]
        behind_all = any(vocabulary().amounts["all"].length(texts, before) for before in range(len(texts)))
        counts = place + 1 < len(words) and words[place + 1].number is not None
        yield replace(word, text="but") if word.text == "except" and behind_all and counts else word


def counted(words: Sequence[Word]) -> Iterator[Word]:
    place = 0  # "twenty five" is 25, "two and a half" 2.5
    while place < len(words):
        word = words[place]
        if word.text in _BEFORE_DOZENS and (
            dozen := next((d for d in _DOZENS if tuple(w.text for w in words[place : place + len(d)]) == d), ())
        ):
            last = words[place + len(dozen) - 1]
            yield Word(word.text, word.part, word.start, last.end, _DOZENS[dozen])
            place += len(dozen)
            continue
        number = vocabulary().numbers.get(word.text) if word.number is None else word.number
        if number is None:
            first = vocabulary().ordinals.get(word.text)
            yield Word(word.text, word.part, word.start, word.end, first, first is not None) if first else word
            place += 1
            continue
        after = words[place + 1 : place + 2]
        unit = vocabulary().numbers.get(after[0].text, 0) if after else 0
        if word.number is None and number >= 20 and not number % 10 and 0 < unit < 10:
            number, place = number + unit, place + 1
        if [w.text for w in words[place + 1 : place + 4]] == ["and", "a", "half"]:
            number, place = number + 0.5, place + 3
        yield Word(word.text, word.part, word.start, words[place].end, float(number), word.ordinal)
        place += 1


_DOZENS = {
    ("half", "a", "dozen"): 6.0,
    ("half", "dozen"): 6.0,
    ("a", "dozen"): 12.0,
    ("one", "dozen"): 12.0,
    ("dozen",): 12.0,
}
_BEFORE_DOZENS = frozenset(words[0] for words in _DOZENS)
