"""Names in the words of a question: cards, leaders, factions, territories.

As in orders, letter case, hyphens, apostrophes, accents and a leading "the" make no difference, and an unmistakable
beginning is enough, but for one that is a word of its own. What is no name, or could be two, is none: the question is
then one that only players understand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

from rules.components import (
    CARDS,
    CHEAP_HERO_CARD,
    FACTION_FACTS,
    LEADERS,
    WORTHLESS,
    Card,
    Faction,
    Leader,
    is_defense,
    is_weapon,
    meant_as,
)
from rules.components.board import TERRITORIES, TerritoryId

T = TypeVar("T")

SHORTEST = 3  # letters of a beginning
_ORDINARY = frozenset({
    "art", "big", "broke", "con", "cry", "dam", "dun", "fun", "hag", "hall", "has", "hid", "hit", "hunt", "jab",
    "jam", "mar", "min", "mob", "moth", "out", "past", "pit", "prince", "ram", "revere", "see", "seek", "shad",
    "sin", "stab", "strike", "strong", "too", "toot", "trance", "true", "wan", "weird", "well",
})  # fmt: skip
"""English words with which a name begins, though nobody shortens it to them: "fight well" names no Dr. Wellington."""

_ARTICLES = re.compile(r"^(?:the|an?|any|some|your|one|of) ")
_SORT = re.compile(r" (?:treachery )?cards?$")


def folded(text: str) -> str:
    """The words alone: ``folded("The Tuek's-Sietch") == "the tueks sietch"``; numbers keep their half."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(re.findall(r"[0-9]+(?:[.,]5)?|[a-z0-9]+", re.sub(r"['’‘`´]", "", plain)))


def bare(words: str) -> str:
    """Without leading articles: ``bare("any of the weapons") == "weapons"``."""
    while (shorter := _ARTICLES.sub("", words)) != words:
        words = shorter
    return words


def cards(words: str) -> frozenset[Card] | None:
    """The cards meant by one name or by names joined with "or", in small letters: a card, a kind of card, any weapon or
    defense. None if one of them is no card.

    "cheap hero" is that card, "a cheap hero" either of the two.

    >>> sorted(cards("a shield or the lasgun"))
    ['Lasgun', 'Shield']
    """
    found: frozenset[Card] = frozenset()
    for one in words.split(" or "):
        exact = _card_names().whole.get(one.replace(" ", ""))
        named = frozenset((exact,)) if exact else _one_card(bare(one))
        if not named:
            return None
        found |= named
    return found


def _one_card(words: str) -> frozenset[Card]:
    kinds = _kinds()
    for name in dict.fromkeys((words, _SORT.sub("", words))):
        for kind in (name, name.removesuffix("s")):
            if kind in kinds:
                return kinds[kind]
        if card := _named(_card_names(), name) or _named(_card_names(), name.removesuffix("s")):
            return frozenset((card,))
    return frozenset()


@cache
def _kinds() -> Mapping[str, frozenset[Card]]:
    def those(fits: Callable[[Card], bool]) -> frozenset[Card]:
        return frozenset(card for card in CARDS if fits(card))

    projectiles, poisons = meant_as("weapon", "projectile"), meant_as("weapon", "poison")
    shields, snoopers = meant_as("defense", "projectile"), meant_as("defense", "poison")
    return {
        "weapon": those(is_weapon),
        "projectile weapon": projectiles,
        "projectile": projectiles,
        "poison weapon": poisons,
        "poison": poisons,
        "defense": those(is_defense),
        "defence": those(is_defense),
        "shield": those(lambda card: CARDS[card].kind == "shield"),
        "projectile defense": shields,
        "projectile defence": shields,
        "snooper": those(lambda card: CARDS[card].kind == "snooper"),
        "poison defense": snoopers,
        "poison defence": snoopers,
        "cheap hero": those(lambda card: CARDS[card].kind == "cheap-hero"),
        "cheap heroine": those(lambda card: CARDS[card].kind == "cheap-hero"),
        "worthless": WORTHLESS,
        "worthless card": WORTHLESS,
        "treachery": frozenset(CARDS),
        "treachery card": frozenset(CARDS),
    }


def leaders(words: str) -> frozenset[Leader] | None:
    """The leaders meant by one name or by names joined with "or"."""
    found = [_named(_leader_names(), bare(one)) for one in words.split(" or ")]
    return frozenset(leader for leader in found if leader) if all(found) else None


def traitors(words: str) -> frozenset[Leader] | None:
    """The traitor cards meant by one name or by names joined with "or": leaders, and the cheap hero's."""
    found: frozenset[Leader] = frozenset()
    for one in words.split(" or "):
        hero = bare(one) in ("cheap hero", "cheap heroine", "cheap heroes")
        named = frozenset((CHEAP_HERO_CARD,)) if hero else leaders(one)
        if not named:
            return None
        found |= named
    return found


def faction(words: str) -> Faction | None:
    """The faction of this name."""
    return _named(_faction_names(), bare(words))


def territory(words: str) -> TerritoryId | None:
    """The territory of this name."""
    return _named(_territory_names(), words) or _named(_territory_names(), bare(words))


@dataclass(frozen=True, slots=True)
class _Names(Generic[T]):
    """All names of one sort of thing: whole ones without spaces, and each as its words."""

    whole: Mapping[str, T]
    spelt: Sequence[tuple[tuple[str, ...], T]]


def _named(names: _Names[T], words: str) -> T | None:
    """What has this name, or alone begins like it, or whose words alone begin like these."""
    key = words.replace(" ", "")
    if key in names.whole:
        return names.whole[key]
    if len(key) < SHORTEST or key in _ORDINARY:
        return None
    begun = {thing for whole, thing in names.whole.items() if whole.startswith(key)}
    hits = begun or {thing for spelt, thing in names.spelt if _begin(words.split(), spelt)}
    return hits.pop() if len(hits) == 1 else None


def _begin(short: Sequence[str], full: Sequence[str]) -> bool:
    """Whether these are beginnings of some of the words, in their order: "imp basin"."""
    left = iter(full)
    return all(any(word.startswith(part) for word in left) for part in short)


def _names(things: Iterable[tuple[T, Iterable[str]]]) -> _Names[T]:
    spelt = [(folded(name), thing) for thing, names in things for name in names]
    whole = {key.replace(" ", ""): thing for words, thing in spelt for key in (words, words.removeprefix("the "))}
    return _Names(whole, [(tuple(words.split()), thing) for words, thing in spelt])


@cache
def _card_names() -> _Names[Card]:
    return _names((card, (card, *facts.aliases)) for card, facts in CARDS.items())


@cache
def _leader_names() -> _Names[Leader]:
    return _names((leader, (leader, *facts.aliases)) for leader, facts in LEADERS.items())


@cache
def _faction_names() -> _Names[Faction]:
    return _names(
        (facts.id, (facts.id, facts.name, facts.abbreviation, *facts.aliases)) for facts in FACTION_FACTS.values()
    )


@cache
def _territory_names() -> _Names[TerritoryId]:
    return _names(
        (place.id, (place.id, place.name, place.abbreviation, *place.aliases)) for place in TERRITORIES.values()
    )
