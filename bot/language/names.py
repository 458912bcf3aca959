"""Names as players write them: which territory, leader, card or faction is meant.

Letter case, spaces, hyphens, apostrophes, accents and a leading "the" make no difference. An exact name, abbreviation
or usual spelling wins; failing that, a beginning of the name ("imperial b"); failing that, beginnings of some of its
words in their order ("imp basin"). Mentat never guesses between two meanings: it returns the candidates to the caller.

There is no form for treachery cards from boxes that Mentat does not support (IT.CARD.2, `data/other-boxes.toml`). If a
player tries to play such a card, the answer says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Generic, TypeVar, get_args

from rapidfuzz import process
from rapidfuzz.distance import OSA

from bot.wording import say
from rules.components import CARDS, CHEAP_HERO_CARD, FACTION_FACTS, FACTIONS, LEADERS, Card, Faction, Leader
from rules.components.board import PRINTED_TERRITORIES, TERRITORIES, TerritoryId
from rules.components.factions import TECH_TOKENS, TechToken
from rules.components.facts import load_toml
from rules.orders import CHEAP_HERO, SPECIAL_CARD, Element, PhaseName, VoiceKind

T = TypeVar("T", bound=str)

NEAR = 0.72  # minimum similarity of a misspelt name to suggest it, 0 to 1
MOST_NEAR = 3
LONGEST_NEAR = 60  # characters; a longer text is not a misspelt name


def without_accents(text: str) -> str:
    plain = text.casefold()
    if plain.isascii():
        return plain
    return "".join(sign for sign in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(sign))


def fold_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in a form that can be compared: in lower case, without accents and apostrophes."""
    return tuple(_FOLDED.findall(without_accents(text).translate(_APOSTROPHES)))


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a name in comparable form, without a leading "the": `words_of("The Tuek's-Sietch") ==
    ("tueks", "sietch")`."""
    words = tuple(word for word in fold_words(text) if word[0].isalnum())
    return words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words


_FOLDED = re.compile(r"[a-z0-9]+|->|[+/]")
_APOSTROPHES = str.maketrans("", "", "'’‘`´")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    value: T


@dataclass(frozen=True, slots=True)
class Unclear:
    """The result for a text that matches no name, or several. `names` are the candidates or, for an unknown name, the
    known names with a similar spelling."""

    ambiguous: bool
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    value: T
    name: str
    spellings: tuple[tuple[str, ...], ...]
    keys: frozenset[str]  # whole spellings without spaces
    abbreviations: frozenset[str]


_Fits = Callable[[_Entry[Any], str, tuple[str, ...]], bool]


class Names(Generic[T]):
    def __init__(
        self, sort: str, things: Iterable[tuple[T, str, Iterable[str], Iterable[str]]], usual: Iterable[T] = ()
    ) -> None:
        """Index `things`: (value, name, other spellings, abbreviations). An abbreviation must be written in full to
        count. Values in `usual` take precedence over all others."""
        self.sort = sort
        self.usual = tuple(usual)
        self._usual = frozenset(self.usual)
        self._entries: list[_Entry[T]] = []
        for value, name, others, abbreviations in things:
            spellings = tuple(dict.fromkeys(words_of(text) for text in (name, *others)))
            keys = frozenset("".join(words) for words in spellings)
            short = frozenset("".join(words_of(text)) for text in abbreviations)
            self._entries.append(_Entry(value, name, spellings, keys, short))
        self._name = {entry.value: entry.name for entry in self._entries}
        self._beginnings: dict[int, dict[str, set[int]]] = {}
        self._near = lru_cache(maxsize=512)(self._spelt_nearly)
        self._fitting = lru_cache(maxsize=2048)(self._all_fitting)

    def spelt(self) -> Iterator[tuple[T, tuple[str, ...]]]:
        for entry in self._entries:
            yield entry.value, (*(" ".join(words) for words in entry.spellings), *sorted(entry.abbreviations))

    @property
    def values(self) -> tuple[T, ...]:
        return tuple(self._name)

    def name(self, value: T) -> str:
        return self._name[value]

    def find(self, text: str, likely: Sequence[Collection[T]] = ()) -> Found[T] | Unclear:
        """Return the thing that the text names.

        `likely` holds collections of probable values, the likeliest first; a shortened name is looked up in each of
        them, in that order, before all other values. A complete word that occurs in several names ("sietch") can mean
        any of them, but is not taken as the beginning of a longer word.
        """
        words = words_of(text)
        query = "".join(words)
        if not query:
            return Unclear(False, ())
        pools = [[e for e in self._entries if e.value in pool] for pool in (*likely, self._usual) if pool]
        pools.append(self._entries)
        for fits in (_exactly, _as_beginning, _word_by_word):
            fitting = self._fitting(fits, query, words)
            for pool in pools if fitting else ():
                hits = [entry for entry in pool if entry.value in fitting]
                if len(hits) == 1 and fits is _as_beginning and query in (word for e in hits for word in _words(e)):
                    hits = [entry for entry in pool if entry in hits or query in _words(entry)]
                if len(hits) == 1:
                    return Found(hits[0].value)
                if hits:
                    return Unclear(True, tuple(entry.name for entry in hits))
        return self._with_value(text, likely) or Unclear(False, self._near(query, words))

    def _with_value(self, text: str, likely: Sequence[Collection[T]]) -> Found[T] | None:
        name, _, value = text.rpartition(" ")  # as letters print a leader: "Feyd-Rautha 6"
        found = self.find(name, likely) if value.strip("()").isdigit() else None
        if not isinstance(found, Found):
            return None
        facts = LEADERS.get(Leader(found.value))
        return found if facts and f"{facts.strength}" == value.strip("()") else None

    def _all_fitting(self, fits: _Fits, query: str, words: tuple[str, ...]) -> frozenset[T]:
        return frozenset(entry.value for entry in self._entries if fits(entry, query, words))

    def spells(self, text: str) -> bool:
        words = words_of(text)
        return bool(self._fitting(_exactly, "".join(words), words))

    def whole(self, text: str) -> str:
        """Return the printed name if the text is a complete spelling of it, or is a word of at least four letters that
        occurs in no other name; else ""."""
        words = words_of(text)
        query = "".join(words)
        hits = [e for e in self._entries if query in e.keys]
        if not hits and len(words) == 1 and len(query) >= 4:
            hits = [e for e in self._entries if any(query in spelling for spelling in e.spellings)]
        return hits[0].name if len(hits) == 1 else ""

    def _spelt_nearly(self, query: str, words: tuple[str, ...]) -> tuple[str, ...]:
        if len(query) < 3 or len(query) > LONGEST_NEAR:
            return ()
        places = {place for text in (query, *words) for place in self._resembling(text)}
        alike = [self._entries[place] for place in sorted(places)]
        scored = [(_likeness(entry, query, words), entry.name) for entry in alike]
        best = max((score for score, _ in scored), default=0.0)
        close = [(score, name) for score, name in scored if score >= NEAR and score >= best - 0.08]
        return tuple(name for _, name in sorted(close, key=lambda hit: -hit[0])[:MOST_NEAR])

    def _resembling(self, text: str) -> Iterator[int]:
        # Yield the places of the entries that have a key, or a word or its beginning, that resembles the text. No other
        # entry can resemble a name that contains the text.
        if (known := self._beginnings.get(len(text))) is None:
            known = self._beginnings[len(text)] = {}
            for place, entry in enumerate(self._entries):
                for part in (*entry.keys, *_words(entry)):
                    known.setdefault(part, set()).add(place)
                    known.setdefault(part[: len(text)], set()).add(place)
        for part, _ in similar(text, list(known), NEAR - 0.01):
            yield from known[part]


def similar(word: str, known: Collection[str], least: float) -> list[tuple[str, float]]:
    """Return the known words that resemble this word, the most similar first, each with its similarity (0 to 1)."""
    cutoff = least - 0.01  # the library drops some matches at the exact cutoff
    hits = process.extract(word, known, scorer=OSA.normalized_similarity, score_cutoff=cutoff, limit=None)
    return [(each, likeness) for each, likeness, _ in hits if likeness >= least]


def _exactly(entry: _Entry[T], query: str, words: tuple[str, ...]) -> bool:
    return query in entry.keys or query in entry.abbreviations


def _words(entry: _Entry[T]) -> Iterator[str]:
    return (word for spelling in entry.spellings for word in spelling)


def _as_beginning(entry: _Entry[T], query: str, words: tuple[str, ...]) -> bool:
    return any(key.startswith(query) for key in entry.keys)


def _word_by_word(entry: _Entry[T], query: str, words: tuple[str, ...]) -> bool:
    return any(begins_words(words, spelling) for spelling in entry.spellings)


def begins_words(short: Sequence[str], full: Sequence[str]) -> bool:
    rest = iter(full)
    return all(any(word.startswith(beginning) for word in rest) for beginning in short)


def _likeness(entry: _Entry[T], query: str, words: tuple[str, ...]) -> float:
    whole = max(OSA.normalized_similarity(query, key) for key in entry.keys)
    by_words = max(
        sum(max(_word_likeness(word, other) for other in spelling) for word in words) / max(len(words), len(spelling))
        for spelling in entry.spellings
    )
    begun = max(OSA.normalized_similarity(query, key[: len(query)]) for key in entry.keys) * 0.97
    return float(max(whole, by_words, begun if len(query) > 3 else 0.0))


def _word_likeness(word: str, other: str) -> float:
    whole = OSA.normalized_similarity(word, other)
    return max(whole, OSA.normalized_similarity(word, other[: len(word)]) * 0.95) if len(word) > 2 else whole


# --- things with names ---------------------------------------------------------------------------------------------

NOBODY = "none"

FACTION_NAMES: Names[Faction] = Names(
    "faction",
    [
        (facts.id, facts.name, (facts.id, f"House {facts.name}", *facts.aliases), (facts.abbreviation,))
        for facts in FACTION_FACTS.values()
    ],
    FACTIONS,
)
TERRITORY_NAMES: Names[TerritoryId] = Names(
    "territory",
    [(t.id, t.name, (t.id, *t.aliases), (t.abbreviation,)) for t in TERRITORIES.values()],
    PRINTED_TERRITORIES,
)
_USUAL_LEADERS = [leader for leader, facts in LEADERS.items() if facts.faction in FACTIONS]
_USUAL_CARDS = [card for card, facts in CARDS.items() if facts.count]
"""The cards that are in every box. A shortened name means a card of an expansion only if it fits none of these cards,
or if the writer holds the card of the expansion."""
LEADER_NAMES: Names[Leader] = Names(
    "leader", [(facts.name, facts.name, facts.aliases, ()) for facts in LEADERS.values()], _USUAL_LEADERS
)
LEADER_NAMES_1979: Names[Leader] = Names(
    "leader",
    [
        (f.name, f.name, [a for a in f.aliases if a != f.name_2019], (f.name_2019,) if f.name_2019 else ())
        for f in LEADERS.values()
    ],
    _USUAL_LEADERS,
)
"""The leaders for players of a 1979 edition. A name from 2019 must be written in full to count."""
TRAITOR_NAMES: Names[Leader] = Names(
    "leader",
    [
        *((facts.name, facts.name, facts.aliases, ()) for facts in LEADERS.values()),
        (CHEAP_HERO_CARD, CHEAP_HERO_CARD, ("cheap heroine", "hero"), ()),
    ],
)
FIGHTER_NAMES: Names[str] = Names(
    "leader",
    [
        *((str(facts.name), facts.name, facts.aliases, ()) for facts in LEADERS.values()),
        (CHEAP_HERO, CHEAP_HERO, ("cheap heroine", "hero", "heroine"), ()),
        (NOBODY, NOBODY, ("no leader", "nobody", "no one"), ("-",)),
    ],
    [*map(str, _USUAL_LEADERS), CHEAP_HERO, NOBODY],
)
CARD_NAMES: Names[Card] = Names(
    "card", [(facts.name, facts.name, facts.aliases, ()) for facts in CARDS.values()], _USUAL_CARDS
)
KIND_NAMES: Names[str] = Names(
    "kind of card",
    [
        *(
            (kind, kind, other, ())
            for kind, other in zip(
                get_args(VoiceKind),
                (
                    ("projectile", "projectile weapons"),
                    ("poison", "poison weapons"),
                    ("projectile defense",),
                    ("poison defense",),
                    ("lasegun", "laser gun"),
                    ("worthless card",),
                ),
                strict=True,
            )
        ),
        (CHEAP_HERO, CHEAP_HERO, ("cheap heroine",), ()),
        (SPECIAL_CARD, SPECIAL_CARD, (), ()),
        *(
            (facts.name, facts.name, facts.aliases, ())
            for facts in CARDS.values()
            if facts.battle_plan and facts.kind not in ("shield", "snooper", "lasgun", "cheap-hero")
        ),
    ],
    usual=get_args(VoiceKind),
)
"""Everything that the Voice can name: a class of cards, a cheap hero, or one card."""
ELEMENT_NAMES: Names[Element] = Names(
    "part of a plan",
    [
        ("leader", "leader", ("hero",), ()),
        ("weapon", "weapon", (), ()),
        ("defense", "defense", ("defence",), ()),
        ("number", "number", ("dial", "strength"), ()),
    ],
)
TOKEN_NAMES: Names[TechToken] = Names(
    "tech token", [(token, facts.name, (token,), ()) for token, facts in TECH_TOKENS.items()]
)
PHASE_NAMES: Names[PhaseName] = Names(
    "phase",
    [
        (phase, phase, {"movement": ("shipment", "shipping"), "bidding": ("auction",)}.get(phase, ()), ())
        for phase in get_args(PhaseName)
        if phase not in ("setup", "over")
    ],
)


_PLAY_WORDS = ("play", "use")


def told_of_other_box(text: str) -> str:
    """If the text names a card from a box that Mentat does not support, return a sentence that says so; else "".

    The card's name may appear alone, after "play" or "use", or before a faction at the end of the text.

    >>> told_of_other_box("distrans Lasgun to guild") != ""
    True
    """
    words = words_of(text)
    if words and words[0] in _PLAY_WORDS:
        words = words_of(" ".join(words[1:]))
    known = _cards_of_other_boxes()
    longest = len(words) if words and FACTION_NAMES.whole(words[-1]) else 0
    for length in (len(words), *range(longest - 1, 0, -1)):
        if found := known.get(words[:length]):
            card, box = found
            return say("unread.other-box", card=card, box=box)
    return ""


@cache
def _cards_of_other_boxes() -> Mapping[tuple[str, ...], tuple[str, str]]:
    boxes = load_toml("other-boxes.toml")["box"]
    return {words_of(card): (card, box["title"]) for box in boxes for card in box["cards"]}
