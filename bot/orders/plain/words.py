"""A line cut into words: without emphasis and typography, numbers as numbers, parts of the sentence told apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.orders.lines import Line
from bot.orders.plain.table import table

MOST_WORDS = 30
"""Longer lines are talk."""

MOST_NUMBERS = 8


@dataclass(frozen=True, slots=True)
class Word:
    """One word, or a sign that counts as one ("+", "->", "/"). ``part`` counts the parts of the sentence; ``start`` and
    ``end`` are its place in the text."""

    text: str
    part: int
    start: int
    end: int
    number: float | None = None
    ordinal: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """The words of a line; ``asks``: it is a question. ``text`` is what the places of the words count in."""

    text: str
    words: tuple[Word, ...]
    asks: bool = False


_PIECE = re.compile(
    r"""(?P<number>(?<![\w.,-])\#?(?:0|[1-9][0-9]{0,2})(?:[.,][05])?(?:st|nd|rd|th)?(?![\w%]|[.,:/%-][0-9]))
    |(?P<lettered>(?<![\w.,-])[ts][0-9]{1,2}(?![\w.,:-]*[0-9]))
    |(?P<with>(?<!\w)w/)
    |(?P<sign>->|=>|\+|&|/)
    |(?P<word>[^\W\d_](?:[^\W\d_]|'(?=[^\W\d_]))*'?)
    |(?P<stop>[,;:.!?()=]+|-+|\s+)
    |(?P<odd>.)""",
    re.VERBOSE,
)
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|`)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_NEVER = re.compile(r"^--|~~|https?:|www\.|\S@\S|\.\.\.?\s*or\b|(?<!\w)-[0-9]")
_STRUCK = re.compile("[\u0335-\u0338\u20d2\u20d3\u20e5]")
_DECIMAL = re.compile(r"[.,]")


def said(line: Line) -> Said | None:
    """The words of a line; None for one in which no order can stand: struck out, in other letters than ours, with signs
    that no order has, or too long."""
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
    words = list(_without_exceptions(list(_counted(words))))
    if sum(word.number is not None for word in words) > MOST_NUMBERS:
        return None
    return Said(text, tuple(words), "?" in text)


def _plain_text(line: Line) -> str | None:
    """The line without emphasis and pictures; None if it is in other letters than ours."""
    text = line.text
    for _ in range(2):
        text = _EMPHASIS.sub(r"\2", text)
    text = text.strip("*_ ")
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
    """Whether a sign is no stop: a hyphen between two letters, the point of a shortened word."""
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
    return [Word(_without_accents(piece.replace("'", "")), part, start, end)]


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(sign for sign in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(sign))


def _without_exceptions(words: list[Word]) -> Iterator[Word]:
    """The words with "all except 2" as "all but 2": it is no doubt."""
    for place, word in enumerate(words):
        texts = [known.text for known in words[max(0, place - 1) : place]]
        behind_all = bool(texts) and table().amounts["all"].length(texts, 0) > 0
        counts = place + 1 < len(words) and words[place + 1].number is not None
        yield replace(word, text="but") if word.text == "except" and behind_all and counts else word


def _counted(words: list[Word]) -> Iterator[Word]:
    """The words with number words as numbers: "twenty five" is 25, "two and a half" 2.5."""
    place = 0
    while place < len(words):
        word = words[place]
        number = table().numbers.get(word.text) if word.number is None else word.number
        if number is None:
            first = table().ordinals.get(word.text)
            yield Word(word.text, word.part, word.start, word.end, first, first is not None) if first else word
            place += 1
            continue
        after = words[place + 1 : place + 2]
        unit = table().numbers.get(after[0].text, 0) if after else 0
        if word.number is None and number >= 20 and not number % 10 and 0 < unit < 10:
            number, place = number + unit, place + 1
        if [w.text for w in words[place + 1 : place + 4]] == ["and", "a", "half"]:
            number, place = number + 0.5, place + 3
        yield Word(word.text, word.part, word.start, words[place].end, float(number), word.ordinal)
        place += 1
