"""What a line is about if it is not yet a command: the table of matters (`data/desk-matters.toml`).

A matter has commands, and cues that suggest it. A cue is a set of word families and blanks; it counts if a line has all
of them, in any order. The weight of a matter is the sum of the weights of all words in the cues that count. Words after
"don't" count for nothing, unless the phrase itself begins with it ("don't wait").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from math import log

from bot.effort import charge
from bot.language.names import fold_words
from bot.language.vocabulary import Phrases, vocabulary
from rules.components.facts import load_toml

FILE = "desk-matters.toml"
_WEIGHTS = {"strong": 3, "plain": 2, "weak": 1}
FORBIDDEN = 2  # words behind "don't"
_SPOKEN_FOR = 3  # characters of a stem


@dataclass(frozen=True, slots=True)
class Family:
    weight: int
    words: Phrases


@dataclass(frozen=True, slots=True)
class Matter:
    """A matter: what its `lines` do. Besides the families of its cues, `phrases` suggest it too."""

    lines: tuple[str, ...]
    cues: tuple[frozenset[str], ...] = ()
    phrases: tuple[str, ...] = ()


def stem(word: str) -> str:
    """Return a word without its ending: the part that is the same in all its forms.

    >>> [stem(word) for word in ("stop", "stopped", "stopping", "moves", "moving")]
    ['stop', 'stop', 'stop', 'mov', 'mov']
    """
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= _SPOKEN_FOR and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _SPOKEN_FOR and word[-1] == word[-2] and word[-1] not in "aeiou" else word


def _stems(text: str) -> list[str]:
    """Return the stems of the words of a text. Small words are dropped; slang and pronouns are replaced by common
    words."""
    folded = (_ALIKE.get(word, word) for word in _spelt_out(text))
    return [stem(word) for word in folded if word not in _SMALL]


_WILL_NOT = re.compile(r"\bwon['’]t\b", re.IGNORECASE)
_SMALL = frozenset(load_toml(FILE)["small"]["words"])
_ALIKE = {
    "her": "him",
    "his": "him",
    "their": "him",
    "hers": "him",
    "she": "he",
    "cannot": "cant",
    "note": "memo",
    "notes": "memo",
}
_NO_MORE = frozenset({"mor", "furth", "further"})
_FORBIDS = frozenset({"not", "never"})


@cache
def _families() -> Mapping[str, Family]:
    table = load_toml(FILE)
    return {
        name: Family(weight, Phrases(" ".join(_stems(text)) for text in texts))
        for sort, weight in _WEIGHTS.items()
        for name, texts in table[sort].items()
    }


@cache
def known_words() -> frozenset[str]:
    table = load_toml(FILE)
    texts = (text for sort in _WEIGHTS for family in table[sort].values() for text in family)
    return frozenset(word for text in texts for word in fold_words(text)) | frozenset(table["slang"])


LEAST_ALIKE = 0.85
MOST_STRANGE = 8
_LONG_WORD = re.compile(r"(?<![\w@.])[A-Za-z]{4,}(?![\w@.]*@)")


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

    >>> spelt_right("plese puase teh gmae, extnd freman", frozenset({"fremen"}))
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
        charge(10)
        turned = [each for each in known if each[0] == word[0] and sorted(each) == sorted(word)]
        alike = [each for each in known if each[0] == word[0] and len(word) > len("sake")]
        near = turned or get_close_matches(word, alike, 1, LEAST_ALIKE)
        return (near or get_close_matches(word, names, 1, LEAST_ALIKE - 0.05) or [found[0]])[0]

    slips = {slip: word for slip, word in load_toml(FILE)["slang"].items() if sorted(slip) == sorted(word)}
    text = re.sub(r"\b[A-Za-z]{3}\b", lambda found: slips.get(found[0].lower(), found[0]), text)
    return _LONG_WORD.sub(right, text)


@cache
def _known_stems() -> frozenset[str]:
    return frozenset(map(stem, known_words()))


@cache
def matters() -> Sequence[Matter]:
    return [
        Matter(tuple(each["lines"]), tuple(frozenset(cue.split()) for cue in each["cues"]))
        for each in load_toml(FILE)["matter"]
    ]


@cache
def _event_matters() -> Sequence[Matter]:
    return [Matter((line,), phrases=tuple(phrases)) for line, phrases in load_toml(FILE)["event"].items()]


@cache
def opposites() -> Mapping[str, frozenset[str]]:
    pairs = [(one, other) for one, other in load_toml(FILE)["opposites"]["pairs"]]
    both = [*pairs, *((other, one) for one, other in pairs)]
    return {one: frozenset(other for each, other in both if each == one) for one, _ in both}


@dataclass(frozen=True, slots=True)
class Heard:
    """The places where a text has words of a family, and the length of the longest phrase among them."""

    places: tuple[int, ...]
    length: int


# --- what is nearest --------------------------------------------------------------------------------------------------


COMMON = 0.15  # of the weight of a word that stands in phrases of every sort
LONGEST_PHRASE = 6


@cache
def _phrases_of(matter: Matter) -> Mapping[frozenset[str], float]:
    """Return the phrases that suggest a matter, as sets of stems, with their weights: the phrases of its families and
    of its plain commands."""
    table, commands = load_toml(FILE), load_toml("command-words.toml")["event" if matter.phrases else "desk"]
    families = {name: _families()[name].weight for cue in matter.cues for name in cue if name in _families()}
    texts = {text: families[name] for sort in _WEIGHTS for name in families for text in table[sort].get(name, ())}
    texts |= dict.fromkeys(matter.phrases, _WEIGHTS["strong"])
    own = {(line.split()[0], line.split()[-1] == "off") for line in matter.lines}
    for row in commands:
        if own & {(line.split()[0], line.split()[-1] == "off") for line in row["lines"]}:
            words = (re.sub(r"\\.|[^a-z' ]+", " ", re.sub(r"\(\?[:=!]|'\?s", "(", text)) for text in row["words"])
            texts |= dict.fromkeys(words, _WEIGHTS["strong"])
    phrases = {frozenset(_stems(text)): weight / _WEIGHTS["strong"] for text, weight in texts.items() if weight > 1}
    return {phrase: weight for phrase, weight in phrases.items() if 0 < len(phrase) <= LONGEST_PHRASE}


@cache
def _rarity(*, of_events: bool) -> Mapping[str, float]:
    every_matter = _event_matters() if of_events else matters()
    stems = [frozenset[str]().union(*_phrases_of(matter)) for matter in every_matter]
    common = frozenset(_stems(" ".join(load_toml(FILE)["small"]["common"])))
    every = Counter(word for each in stems for word in each)
    return {word: log(1 + len(stems) / of) * (COMMON if word in common else 1) for word, of in every.items()}


@lru_cache(maxsize=256)
def nearest(text: str, *, of_events: bool = False) -> Sequence[tuple[float, Matter]]:
    """Return all matters with a score, the nearest first. The score says how much of the matter's phrases occurs in the
    text. Rare words count more than common ones, and whole phrases more than parts."""
    stems = _stems(text)
    denied = {place + ahead for place in _forbidding(stems) for ahead in range(1, FORBIDDEN + 1)}
    words = frozenset(word for place, word in enumerate(stems) if place not in denied)
    rare, found = _rarity(of_events=of_events), list[tuple[float, Matter]]()
    for matter in _event_matters() if of_events else matters():
        charge(1)
        best: dict[str, float] = {}
        for phrase, weight in _phrases_of(matter).items():
            heard = phrase & words
            part = weight * sum(rare[word] for word in heard) / sum(rare[word] for word in phrase) if heard else 0
            best |= {word: part * rare[word] for word in heard if part * rare[word] > best.get(word, 0)}
        found.append((sum(best.values()), matter))
    return sorted(found, key=lambda each: -each[0])


@cache
def _said(sort: str) -> Phrases:
    return Phrases(load_toml(FILE)["said"][sort])


def _has(sort: str, words: Sequence[str]) -> bool:
    return any(_said(sort).length(words, place) for place in range(len(words)))


_CLAUSE = re.compile(r"[,;:!?.]+\s+|\s+[-–—]+\s+|\s+(?:and|so|but|then)\s+", re.IGNORECASE)


def wants_something(text: str) -> bool:
    """Does a text ask for something? It does if it contains a word of wishing, begging or demanding, or if one of its
    clauses begins with a command."""
    if _has("wish", _spelt_out(text)):
        return True
    heads = (_spelt_out(clause) for clause in _CLAUSE.split(text))
    return any(words and (words[0] in _commanding() or _said("command").length(words, 0)) for words in heads)


@cache
def _commanding() -> frozenset[str]:
    table, lines = load_toml(FILE), [line for matter in matters() for line in matter.lines]
    texts = (text for sort in ("strong", "plain") for family in table[sort].values() for text in family)
    heads = {words[0] for text in (*texts, *lines) if (words := fold_words(text))}
    return frozenset(heads) - _said_words("no-command") - {*table["small"]["common"]}


def _said_words(sort: str) -> frozenset[str]:
    return frozenset(word for phrase in _said(sort) for word in phrase)


def asks_something(text: str) -> bool:
    words = _spelt_out(text)  # a question that begs for something is a request
    asks = "?" in text or (len(words) > 2 and _said("asks").length(words, 0) > 0)
    return asks and not _has("begs", words)


def _spelt_out(text: str) -> Sequence[str]:
    slang = load_toml(FILE)["slang"]
    return fold_words(" ".join(slang.get(word, word) for word in fold_words(_WILL_NOT.sub("will not", text))))


def forbids_all(text: str) -> bool:
    return _has("veto", _spelt_out(text))  # "just asking", "I'll sleep on it"


def thinks_aloud(text: str) -> bool:
    """Is a sentence a thought, a joke or a story: "I wonder whether …", "What a fight!", "I was on the train"?"""
    words = list(_spelt_out(text))
    while words and words[0] in _said_words("before"):
        words = words[1:]
    if words[:1] and words[0] in _said_words("supposing") and {"were", "was", "had"} & {*words}:
        return True
    if _has("aloud", words) or (
        words[:1] == ["if"] and {"would", "ll", "d", "i"} & {*words} and not _has("begs", words)
    ):
        return True
    return bool(words) and words[0] in _said_words("self") and not wants_something(text) and not _has("does", words)


def _forbidding(words: Sequence[str]) -> list[int]:
    ahead = [*words[1:], ""]
    return [
        place for place, word in enumerate(words) if word in _FORBIDS or (word == "no" and ahead[place] in _NO_MORE)
    ]


@lru_cache(maxsize=256)
def families_in(text: str) -> Mapping[str, Heard]:
    """Return the word families that occur in a text. "not-mute" means that the text has a word of the family "mute",
    but denies it."""
    words = _stems(text)
    forbids = _forbidding(words)
    found: dict[str, Heard] = {}
    each_place = [*range(len(words))]
    apart = [place for place in each_place if words[place] != "him"]  # "give them a kick" is "give a kick"
    rows = [(places, [words[place] for place in places]) for places in (each_place, apart)]
    heard = [
        (places[number], places[number + length - 1], length, name)
        for places, row in rows[: 1 + (apart != each_place)]
        for number in range(len(places))
        for name, family in _families().items()
        if (length := family.words.length(row, number))
    ]
    strong = [(first, last) for first, last, _, name in heard if _families()[name].weight == _WEIGHTS["strong"]]
    for place, last, length, name in heard:
        wider = any(at <= place and last <= to and to - at > last - place for at, to in strong)
        if wider and _families()[name].weight == _WEIGHTS["strong"]:
            continue  # "changed my mind" minds nobody's seat
        denied = "not-" if any(0 < place - each <= FORBIDDEN for each in forbids) else ""
        before = found.get(denied + name, Heard((), 0))
        found[denied + name] = Heard((*before.places, place), max(length, before.length))
    return found


NEAR = 7
"""Words from the first to the last of a cue: what stands farther apart belongs to different matters."""


def _stand_near(cue: frozenset[str], found: Mapping[str, Heard]) -> bool:
    first, *others = [found[each].places for each in cue if each in found] or [()]
    for at in first:
        nearest = [at, *(min(places, key=lambda place: abs(place - at)) for places in others)]
        if max(nearest) - min(nearest) <= NEAR:
            return True
    return not others


@dataclass(frozen=True, slots=True)
class Weighed:
    """A matter that a text may be about, and its weight. `strong`: some of the words suggest only this matter."""

    weight: int
    matter: Matter
    strong: bool


def weigh(text: str, named: Collection[str]) -> list[Weighed]:
    """Return the matters that a text may be about, the likeliest first. `named` are the blanks for which the text names
    a value."""
    found = families_in(text)
    families, there = _families(), {*found, *named}
    weighed: list[Weighed] = []
    for matter in matters():
        heard = frozenset[str]().union(*(cue for cue in matter.cues if cue <= there and _stand_near(cue, found)))
        if heard:
            of = {each: families.get(each.removeprefix("not-")) for each in heard}
            weights = {each: family.weight for each, family in of.items() if family}
            of_blanks = sum(1 + (each == "SPAN") for each in heard if each not in weights)
            weight = of_blanks + sum(weights[each] + min(found[each].length - 1, 3) for each in weights)
            strong = any(each == _WEIGHTS["strong"] for each in weights.values())
            weighed.append(Weighed(weight, matter, strong))
    return sorted(weighed, key=lambda each: -each.weight)
