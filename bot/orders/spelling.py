"""Misspelt words of orders: lines in which the words that hardly differ from a word of the language are put right."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz.distance import OSA

from bot.orders.grammar import keywords

NEAR = 0.6  # how alike a word must be to a word of the language, 0 to 1
MOST_LINES = 12


def corrected(plain: str) -> list[str]:
    """Lines with one misspelt word put right, then with two; the likeliest first.

    >>> corrected("mvoe 3 from carthag to ib/9")[0]
    'move 3 from carthag to ib/9'
    """
    words = plain.split()
    once = [(likeness, line) for likeness, line in _with_one(words, range(len(words)))]
    best = [line for _, line in sorted(once, key=lambda hit: -hit[0])[:MOST_LINES]]
    twice = [
        (likeness, line)
        for first in best[:4]
        for likeness, line in _with_one(first.split(), range(1, len(words)))
    ]
    return best + [line for _, line in sorted(twice, key=lambda hit: -hit[0])[:MOST_LINES]]


def _with_one(words: list[str], places: range) -> Iterator[tuple[float, str]]:
    for place in places:
        word, end = words[place].rstrip(":,"), words[place][len(words[place].rstrip(":,")) :]
        if word in keywords() or not word.isalpha():
            continue
        for known in keywords():
            likeness = OSA.normalized_similarity(word, known)
            if likeness >= (NEAR if len(word) > 3 else 0.5):
                yield likeness, " ".join([*words[:place], known + end, *words[place + 1 :]])
