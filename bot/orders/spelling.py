"""Misspelt words of orders: lines in which the words that hardly differ from a word of the language are put right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from bot.orders.grammar import keywords

NEAR = 0.6  # how alike a word must be to a word of the language, 0 to 1
NEAR_ALONE = 0.75  # the same where the line has no other word: a name below a mail is no misspelt order
MOST_LINES = 12
MOST_WORDS = 24  # longer lines are talk
_POLITE = frozenset({"i", "we", "please", "my", "ok", "okay"})
_GREETINGS = frozenset({"hello", "hallo", "helo", "hey", "heya", "hiya", "dear", "cheers"})  # not "help", nor "clear"
_WITH_COLON = frozenset({"truthtrance", "deal", "press"})  # what they say comes after a colon


def corrected(line: str) -> list[str]:
    """Lines with one misspelt word put right, then with two; the likeliest first.

    >>> corrected("mvoe 3 from carthag to ib/9")[0]
    'move 3 from carthag to ib/9'
    """
    words = line.split()
    if not words or len(words) > MOST_WORDS:
        return []
    first = words[0].lower()
    shorter = [" ".join(words[1:])] if len(words) > 1 and (first in _POLITE or first.endswith(":")) else []
    with_colon = _with_colon(words) if first in _WITH_COLON and ":" not in line else []
    once = _best(_with_one(words))
    twice = _best(hit for line in once[:4] for hit in _with_one(line.split()))
    return list(dict.fromkeys([*shorter, *with_colon, *once, *twice]))


def _with_colon(words: Sequence[str]) -> list[str]:
    """The line with a colon after its second, third … word."""
    return [f"{' '.join(words[:place])}: {' '.join(words[place:])}" for place in range(2, min(6, len(words)))]


def _best(hits: Iterable[tuple[float, str]]) -> list[str]:
    return [line for _, line in sorted(hits, key=lambda hit: (-hit[0], hit[1]))[:MOST_LINES]]


def _with_one(words: Sequence[str]) -> Iterator[tuple[float, str]]:
    needed = NEAR if len(words) > 1 else NEAR_ALONE
    for place, written in enumerate(words):
        word = written.rstrip(":,").lower()
        for known, likeness in _like(word) if word.isalpha() else ():
            if likeness >= needed:
                yield likeness, " ".join([*words[:place], known + written[len(word) :], *words[place + 1 :]])


@lru_cache(maxsize=1024)
def _like(word: str) -> Sequence[tuple[str, float]]:
    """The words of the language that a misspelt one is like, and how much; none for a word that is of the language."""
    if word in keywords() or word in _GREETINGS:
        return ()
    cutoff = NEAR - 0.01  # the library leaves out some that are just as like as that
    hits = process.extract(word, keywords(), scorer=OSA.normalized_similarity, score_cutoff=cutoff, limit=None)
    return [(known, likeness) for known, likeness, _ in hits if likeness >= NEAR]
