"""What a text is about that is no command: the matters whose phrases come nearest (`data/desk-phrases.toml`).

A text is compared with every phrase by its words and pairs of neighbouring words. Rare ones count more than common ones
(TF-IDF), and a text of many words no more than one of few (cosine similarity). A matter is as near as the phrases of it
that come nearest, and as all its phrases together. Phrases that ask for nothing form a matter without commands.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from heapq import nlargest
from math import log, sqrt
from pathlib import Path
from typing import Any

from bot.effort import charge
from bot.language.command_lines import ADDRESS, SENTENCE
from bot.language.names import fold_words
from bot.language.vocabulary import vocabulary
from rules.components.facts import data_folder, load_toml
from rules.kept import kept, states_of

FILE = "desk-phrases.toml"
SHORTEST_STEM = 3


@dataclass(frozen=True, slots=True)
class Matter:
    """What its `lines` do. A matter without lines asks for nothing."""

    lines: tuple[str, ...]
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """How near a text comes to a matter: 2 would be the matter's own words."""

    score: float
    matter: Matter


def stem(word: str) -> str:
    """Return a word without its ending: the part that is the same in all its forms.

    >>> [stem(word) for word in ("stop", "stopped", "stopping", "moves", "moving")]
    ['stop', 'stop', 'stop', 'mov', 'mov']
    """
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "aeiou" else word


def _spelt_out(text: str) -> Sequence[str]:
    slang = load_toml(FILE)["slang"]
    return [part for word in fold_words(text) for part in slang.get(word, word).split()]


def _features(text: str) -> set[str]:
    words = ["1" if word.isdigit() else stem(word) for word in _spelt_out(_NAMED.sub(r"\1\1", text))]
    return {*words, *(f"{one} {other}" for one, other in zip(["", *words], [*words, ""], strict=True))}


_NAMED = re.compile(r"\b(NAME|ADDRESS|DAY)\b")  # doubled, they are no longer the words "name", "address" and "day"
NEAREST, COMMON = 5, 1000
"""So many phrases of a matter say how near it is; what stands in more phrases than this makes no two of them alike."""


class _Search:
    """The phrases of all matters of a desk, by their features. The weights are kept on disk, because it takes two
    seconds to compute them."""

    def __init__(self, desk: str, matters: Sequence[Matter]) -> None:
        self._matters = matters
        self._of = [number for number, matter in enumerate(matters) for _ in matter.phrases]
        files = [data_folder() / FILE, *Path(__file__).parent.glob("*.py")]
        index = kept(__file__, desk, states_of(files), lambda: _index(matters, self._of))
        self._rare, self._phrases, self._whole = index["rare"], index["phrases"], index["whole"]

    def nearest(self, text: str) -> list[Near]:
        charge(20)
        vector = _vector(_features(text), self._rare)
        alike: dict[int, float] = defaultdict(float)
        for feature, weight in vector.items():
            places, weights = self._phrases.get(feature, (b"", b""))
            for place, other in zip(array("H", places), array("f", weights), strict=True):
                alike[place] += weight * other
        by_matter: list[list[float]] = [[] for _ in self._matters]
        for place, likeness in alike.items():
            by_matter[self._of[place]].append(likeness)
        found = [
            Near(
                sum(nlargest(NEAREST, by_matter[number])) / NEAREST
                + sum(weight * self._whole[number].get(feature, 0) for feature, weight in vector.items()),
                matter,
            )
            for number, matter in enumerate(self._matters)
        ]
        return sorted(found, key=lambda each: -each.score)


def _index(matters: Sequence[Matter], of: Sequence[int]) -> dict[str, Any]:
    """Return how rare each feature is, the phrases that have it (their places and its weight in each, as bytes), and
    its weights in all phrases of each matter together."""
    often = Counter(feature for matter in matters for phrase in matter.phrases for feature in _features(phrase))
    rare = {each: 1 + log(len(of) / count) for each, count in often.items() if count > 1}
    phrases: dict[str, tuple[array[int], array[float]]] = defaultdict(lambda: (array("H"), array("f")))
    whole: list[dict[str, float]] = [defaultdict(float) for _ in matters]
    for place, phrase in enumerate(phrase for matter in matters for phrase in matter.phrases):
        for feature, weight in _vector(_features(phrase), rare).items():
            whole[of[place]][feature] += weight
            if often[feature] <= COMMON:
                phrases[feature][0].append(place)
                phrases[feature][1].append(weight)
    packed = {feature: (places.tobytes(), weights.tobytes()) for feature, (places, weights) in phrases.items()}
    return {"rare": rare, "phrases": packed, "whole": [_unit(vector) for vector in whole]}


STRANGE = 5.0
"""The weight of a word that no two phrases have. Without it, a text of which one word is known would come near."""


def _vector(features: set[str], rare: Mapping[str, float]) -> dict[str, float]:
    strange = sum(" " not in each and each not in rare for each in features)
    return _unit({each: rare[each] for each in sorted(features) if each in rare}, strange * STRANGE**2)


def _unit(vector: Mapping[str, float], beside: float = 0) -> dict[str, float]:
    length = sqrt(sum(weight * weight for weight in vector.values()) + beside) or 1
    return {feature: weight / length for feature, weight in vector.items()}


@cache
def _search(desk: str) -> _Search:
    table = load_toml(FILE)
    return _Search(desk, [*_read(table[desk]), *_read([{"lines": [], **table["nothing"]}])])


def _read(rows: Sequence[Mapping[str, Sequence[str] | str]]) -> Iterator[Matter]:
    for row in rows:
        yield Matter(tuple(row["lines"]), tuple(str(row["phrases"]).strip().splitlines()))


@lru_cache(maxsize=256)
def nearest(text: str, *, of_events: bool = False) -> Sequence[Near]:
    """Return all matters of the desk of a game or of an event, the nearest to a text first. Names of people, addresses
    and days stand in the text as in the phrases: as NAME, ADDRESS and DAY."""
    return _search("event" if of_events else "game").nearest(text)


_STRANGER = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+\b")
_TIME = load_toml("command-words.toml")["time"]
_DAY_NAME = re.compile(rf"\b(?:{_TIME['days']}|{_TIME['months']})s?\b", re.IGNORECASE)


def as_phrase(text: str, names: str) -> str:
    """Return a text as the phrases are written. ``names`` is the pattern of the names of people and factions."""
    text = re.sub(ADDRESS.pattern, "ADDRESS", text)
    text = re.sub(rf"(?:\bthe )?{names}", "NAME", text, flags=re.IGNORECASE)
    text = _DAY_NAME.sub("DAY", text)
    return _STRANGER.sub(lambda word: word[0] if word[0].lower() in known_words() else "NAME", text)


_FORBIDDEN = re.compile(
    r"\b(?:not|don'?t|never)\s+(?!(?:\w+\s+){1,3}yet\b)(?P<words>(?:\w+\s+){0,2}\w+)", re.IGNORECASE
)


def forbids(text: str, matter: Matter) -> bool:
    """Return whether a text says not to do what a matter's command does: "do not release the game"."""
    words = {stem(word) for found in _FORBIDDEN.finditer(text) for word in fold_words(found["words"])}
    return stem(matter.lines[0].split()[0]) in words


def lacks(line: str) -> list[str]:
    """Return the names of the parts of a line that have yet to be filled in: its words in capitals."""
    head, _, words = (line, "", "") if line.startswith("position:") else line.partition(": ")
    return list(dict.fromkeys(re.findall(r"\b[A-Z]{4,}\b", head))) + ["WORDS"] * (words == "WORDS")


@cache
def _signs() -> Mapping[str, re.Pattern[str]]:
    return {word: re.compile(rf"\b(?:{text})\b", re.IGNORECASE) for word, text in load_toml(FILE)["signs"].items()}


def count_signs(line: str, values: Mapping[str, str], text: str) -> tuple[int, int]:
    """Return how many of a command's words that must be asked for, such as "replay", a text asks for, and for how many
    it does not ask (`[signs]`). It does not ask for a part that it does not name."""
    signs = [(words, sign) for words, sign in _signs().items() if f" {words} " in f" {line} "]
    asked = [bool(sign.search(text)) and not left_open(words, values) - {"SEAT"} for words, sign in signs]
    return asked.count(True), asked.count(False)


def right_described(text: str) -> str:
    """Return the right that a text describes ("reminders, but no secrets"), or "" (`[rights]`)."""
    rights = load_toml(FILE)["rights"].items()
    return next((right for right, words in rights if re.search(rf"\b(?:{words})\b", text, re.IGNORECASE)), "")


OPEN_PART = re.compile(r"\b[A-Z]{4,}\b|\{\w+\}")


def left_open(line: str, values: Mapping[str, str]) -> set[str]:
    return {part for part in OPEN_PART.findall(line) if part not in values}


def fit(line: str, values: Mapping[str, str], text: str) -> int:
    """Return how well a command fits a text. Each of its parts that the text names counts for it; what it leaves open,
    and what the text names and it has no part for, count against it."""
    parts = set(OPEN_PART.findall(line))
    seats, words = {"SEAT", "SEATS"} & parts, "WORDS" in parts
    fits = sum(part in values for part in parts) - len(left_open(line, values) - {"WORDS", "DATE"})
    fits -= 2 * ("ADDRESS" in values and "ADDRESS" not in parts and not words)
    fits += 2 * ("LIMITED" in values and "DATE" in parts)
    asked, missing = count_signs(line, values, text)
    fits += 2 * asked - 3 * missing
    fits -= 3 * ("SEAT" in values and "SPAN" in parts and not seats)
    fits -= "SEAT" in values and not seats and "ADDRESS" not in parts and not words
    fits -= "SPAN" in values and not parts & {"SPAN", "HOURS", "DATE", "NUMBER", "TURN", "WORDS"}
    less = "LESS" in values
    return fits + (1 if less else -1) * (" -" in line) - (less and " +" in line)


FIT, MOST_FIT = 0.08, 2
"""How much each part that a text fills or leaves open makes a command likelier or less likely."""


def times_likelier(line: str, values: Mapping[str, str], text: str) -> float:
    return 1 + FIT * max(-MOST_FIT, min(MOST_FIT, fit(line, values, text)))


LEAST, IDLE = 0.2, 1
LEAST_OF_SENTENCE, IDLE_OF_SENTENCE, SHORTEST_SENTENCE = 0.25, 1.3, 3
"""A text asks for nothing if no command comes nearer to it than `LEAST`, or than so many times as near as phrases that
ask for nothing. One of its sentences can ask for something nevertheless, but it must come nearer."""
SURE, MARGIN = 0.3, 1.15
"""A text clearly asks for the nearest matter if it comes so near, and so many times nearer than the next one."""


def asks_for_nothing(text: str, *, of_events: bool = False) -> bool:
    if re.search(load_toml(FILE)["nothing"]["says"], text, re.IGNORECASE):
        return True
    if not {word for word in _spelt_out(_NAMED.sub("", text)) if stem(word) in _known_stems()}:
        return True  # names alone
    sentences = [each for each in SENTENCE.split(text) if len(each.split()) >= SHORTEST_SENTENCE]
    parts = [(text, LEAST, IDLE), *((each, LEAST_OF_SENTENCE, IDLE_OF_SENTENCE) for each in sentences)]
    for part, least, times in parts:
        ranked = nearest(part, of_events=of_events)
        idle, asked = (next(near.score for near in ranked if bool(near.matter.lines) is asks) for asks in (False, True))
        if asked > max(least, times * idle):
            return False
    return True


def clear_matter(text: str, least: float, *, of_events: bool = False) -> Matter | None:
    """Return the one matter that a text clearly asks for, or None."""
    first, second = nearest(text, of_events=of_events)[:2]
    return first.matter if first.matter.lines and first.score > max(least, MARGIN * second.score) else None


@cache
def opposites() -> Mapping[str, frozenset[str]]:
    pairs = [(one, other) for one, other in load_toml(FILE)["opposites"]["pairs"]]
    both = [*pairs, *((other, one) for one, other in pairs)]
    return {one: frozenset(other for each, other in both if each == one) for one, _ in both}


# --- spelling ---------------------------------------------------------------------------------------------------------

OFTEN = 3
"""A word that stands in so many phrases is spelt right."""
LEAST_ALIKE = 0.85
MOST_STRANGE = 8
_LONG_WORD = re.compile(r"(?<![\w@.])[A-Za-z]{4,}(?![\w@.]*@)")


@cache
def known_words() -> frozenset[str]:
    table = load_toml(FILE)
    rows = [*table["game"], *table["event"], table["nothing"]]
    often = Counter(word for row in rows for word in fold_words(row["phrases"]))
    return frozenset(word for word, count in often.items() if count >= OFTEN) | frozenset(table["slang"])


@cache
def _english() -> frozenset[str]:
    sorts = load_toml("words/en.toml")["move"].values()
    beside = load_toml("command-words.toml")["beside"].values()
    used = frozenset(word for texts in (*sorts, *beside) for text in texts for word in fold_words(text))
    return used | {*vocabulary().numbers, *vocabulary().ordinals, *vocabulary().small}


@lru_cache(maxsize=256)
def spelt_right(text: str, names: frozenset[str]) -> str:
    """Correct words that are plainly misspelt: two letters have changed places, or a name has one letter too many, too
    few or wrong.

    >>> spelt_right("please puase teh gmae, extnd freman", frozenset({"fremen"}))
    'please pause the game, extend fremen'
    """
    known = known_words() | _english()
    words = {word.lower() for word in _LONG_WORD.findall(text)}
    strange = {word for word in words if word not in known | names and stem(word) not in _known_stems()}
    if len(strange) > MOST_STRANGE:
        return text

    def right(found: re.Match[str]) -> str:
        word = found[0].lower()
        if word not in strange:
            return found[0]
        charge(20)
        alike = _beginning_with().get(word[0], ())
        turned = [each for each in alike if len(each) == len(word) and sorted(each) == sorted(word)]
        near = turned or (get_close_matches(word, alike, 1, LEAST_ALIKE) if len(word) > len("sake") else [])
        return (near or get_close_matches(word, sorted(names), 1, LEAST_ALIKE - 0.05) or [found[0]])[0]

    slips = {slip: word for slip, word in load_toml(FILE)["slang"].items() if sorted(slip) == sorted(word)}
    text = re.sub(r"\b[A-Za-z]{3,}\b", lambda found: slips.get(found[0].lower(), found[0]), text)
    return _LONG_WORD.sub(right, text)


@cache
def _beginning_with() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for word in sorted(known_words() | _english()):
        found[word[0]].append(word)
    return found


@cache
def _known_stems() -> frozenset[str]:
    return frozenset(map(stem, known_words()))
