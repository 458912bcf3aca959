"""Names within a line: which factions, territories, leaders and cards its words can mean.

Whole names, abbreviations and nicknames come first, then single words and beginnings of names; a word that has another
use in plain words is never the beginning of a name. Misspelt names are looked for only where nothing else was found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from bot.orders.names import (
    CARD_NAMES,
    ELEMENT_NAMES,
    FACTION_NAMES,
    FIGHTER_NAMES,
    KIND_NAMES,
    LEADER_NAMES,
    PHASE_NAMES,
    TERRITORY_NAMES,
    TOKEN_NAMES,
    Names,
)
from bot.orders.plain.table import folded, table

NEAR = 0.75  # how alike a misspelt name must be, 0 to 1
NEAR_LIKELY = 0.65
SHORTEST_MISSPELT = 4
MOST_MEANT = 4  # a word of more names than that says nothing
LONGEST = 5  # words of a name

SORTS: Mapping[str, Names[Any]] = {
    "faction": FACTION_NAMES,
    "territory": TERRITORY_NAMES,
    "leader": LEADER_NAMES,
    "fighter": FIGHTER_NAMES,
    "card": CARD_NAMES,
    "kind": KIND_NAMES,
    "element": ELEMENT_NAMES,
    "phase": PHASE_NAMES,
    "token": TOKEN_NAMES,
}
"""The sorts of things that have names."""


@dataclass(frozen=True, slots=True)
class Named:
    """What ``length`` words can mean; ``whole``: they are a whole name; ``misspelt``: nearly one."""

    length: int
    values: tuple[str, ...]
    whole: bool = False
    misspelt: bool = False


class _Index:
    """The names of one sort by their spellings, their words, and the beginnings of these."""

    def __init__(self, sort: str) -> None:
        nicknames = table().nicknames.get("leader" if sort == "fighter" else sort, {})
        self.whole: dict[str, tuple[str, ...]] = {}
        self.by_word: dict[str, tuple[str, ...]] = {}
        self.spellings: list[tuple[tuple[str, ...], str]] = []
        for value, texts in SORTS[sort].spelt():
            for text in (*texts, *nicknames.get(value, ())):
                words = folded(text)
                if not words:
                    continue
                self._add(self.whole, "".join(words), value)
                for word in words if len(words) > 1 else ():
                    if len(word) >= 3 and word not in table().known:
                        self._add(self.by_word, word, value)
                self.spellings.append((words, value))
        self.initials = frozenset(word[0] for spelling, _ in self.spellings for word in spelling)
        self.keys = tuple(key for key in self.whole if len(key) >= SHORTEST_MISSPELT)

    @staticmethod
    def _add(where: dict[str, tuple[str, ...]], key: str, value: str) -> None:
        if value not in where.get(key, ()):
            where[key] = (*where.get(key, ()), value)

    def beginning(self, words: Sequence[str]) -> tuple[str, ...]:
        """What has a spelling of which these are beginnings of words, in their order."""
        if words[0][0] not in self.initials:
            return ()
        return tuple({value: None for spelling, value in self.spellings if _begins(words, spelling)})


def _begins(short: Sequence[str], full: Sequence[str]) -> bool:
    rest = iter(full)
    return all(any(word.startswith(beginning) for word in rest) for beginning in short)


@cache
def _index(sort: str) -> _Index:
    return _Index(sort)


def name_at(
    sort: str, words: Sequence[str], place: int, likely: Collection[str] = (), *, misspelt: bool = False
) -> Named | None:
    """The name of this sort that begins at this word; None if none does. Of several that could be meant those that are
    likely are, if there are any."""
    index = _index(sort)
    most = min(LONGEST, len(words) - place)
    for length in range(most, 0, -1):
        key = "".join(words[place : place + length])
        values = index.whole.get(key)
        if values and (len(key) > 2 or key not in table().small):
            return Named(length, _likely(values, likely), whole=True)
    for length in range(min(3, most), 0, -1):
        values = _shortened(sort, tuple(words[place : place + length]))
        if values and len(_likely(values, likely)) <= MOST_MEANT:
            return Named(length, _likely(values, likely))
    if misspelt:
        for length in range(min(2, most), 0, -1):
            values = _misspelt(index, words[place : place + length]) or _nearly_likely(
                index, words[place : place + length], likely
            )
            if values:
                return Named(length, _likely(values, likely), misspelt=True)
    return None


def _likely(values: tuple[str, ...], likely: Collection[str]) -> tuple[str, ...]:
    return tuple(value for value in values if value in likely) or values


@lru_cache(maxsize=4096)  # a word is looked up for each form of orders that the line could have
def _shortened(sort: str, words: tuple[str, ...]) -> tuple[str, ...]:
    index = _index(sort)
    known = table().known
    if len(words) == 1:
        word = words[0]
        if word in known:
            return ()
        if word in index.by_word:
            return index.by_word[word]
        return index.beginning(words) if len(word) >= (3 if sort == "faction" else 4) else ()
    if len(words[0]) < 2 or words[0] in known or (words[-1] in known and len(words[-1]) > 1):
        return ()
    return index.beginning(words)


def _misspelt(index: _Index, words: Sequence[str]) -> tuple[str, ...]:
    text = "".join(words)
    if len(text) < SHORTEST_MISSPELT or any(word in table().known for word in words) or not text.isalpha():
        return ()
    hits = process.extract(text, index.keys, scorer=OSA.normalized_similarity, score_cutoff=NEAR, limit=3)
    if not hits:
        return ()
    best = hits[0][1]
    return tuple(dict.fromkeys(v for key, score, _ in hits if score >= best - 0.02 for v in index.whole[key]))


def _nearly_likely(index: _Index, words: Sequence[str], likely: Collection[str]) -> tuple[str, ...]:
    """The one likely name that a word is like, if less than any name must be: where few are meant, "othiem" is
    Otheym."""
    text = "".join(words)
    if not likely or len(text) < SHORTEST_MISSPELT or any(word in table().known for word in words):
        return ()
    keys = [key for key in index.keys if key[0] == text[0] and not set(likely).isdisjoint(index.whole[key])]
    hits = process.extract(text, keys, scorer=OSA.normalized_similarity, score_cutoff=NEAR_LIKELY, limit=3)
    values = {value for key, _, _ in hits for value in index.whole[key] if value in likely}
    return tuple(values) if len(values) == 1 else ()
