"""The things that a Truthtrance question names: facts, occasions, cards, leaders, factions and territories.

A question about a fact that the engine knows has one true answer (AH.AID.TIMED.1-b, WBC.AID.4). Such facts concern:

- cards: "do you hold two shields?", "do you hold a Shield and a Snooper?", "is your hand full?"
- traitors: "is LEADER your traitor?", "is any of my leaders in your pay?"
- captives: "have you captured LEADER?"
- the prediction: "did you predict me?", "did you predict the Guild to win in turn 7?"
- spice: "is your spice at least 5?", "do you have more than 3 spice?"
- tokens in the reserves and in the tanks: "do you have 5 tokens in your reserves?"

A player who holds more than the number in a question also holds that number; with "exactly", only that number counts.

An occasion, at the end of a question, says when and where an act counts: "in Carthag", "against me", "this turn".

Names are read as in orders: letter case, hyphens, apostrophes, accents and a leading "the" make no difference. A
beginning that fits only one name is enough, unless it is itself an English word. If a question contains an unknown or
ambiguous name, Mentat leaves it to the players.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Literal, TypeVar

from msgspec.structs import replace

from bot.language.names import (
    CARD_NAMES,
    FACTION_NAMES,
    LEADER_NAMES,
    TERRITORY_NAMES,
    Found,
    Names,
    without_accents,
    words_of,
)
from rules.components import (
    CARDS,
    CHEAP_HERO_CARD,
    LEADERS,
    WORTHLESS,
    Card,
    Faction,
    Leader,
    is_defense,
    is_weapon,
    meant_as,
)
from rules.components.board import TerritoryId
from rules.orders.readings import (
    Amount,
    AnyFact,
    Captured,
    HandFull,
    InDisguise,
    InHand,
    InPay,
    Occasion,
    OwnsSpice,
    OwnsTokens,
    Predicted,
)

Facts = tuple[AnyFact, ...] | None
"""Facts that must all be true for the answer to be yes; None if the words are not understood."""


@dataclass(frozen=True, slots=True)
class _Asked:
    asker: Faction
    target: Faction

    def faction(self, words: str) -> Faction | None:
        if words in ("i", "me", "my victory", "my win"):
            return self.asker
        return self.target if words in ("you", "yourself", "your own victory") else faction_called(words)


def read_facts(asker: Faction, target: Faction, question: str) -> tuple[AnyFact, ...]:
    words = _AROUND.sub("", fold_words(question))
    asked = _Asked(asker, target)
    for pattern, read in _FORMS:
        match = pattern.fullmatch(words)
        if match and (facts := read(asked, *(part or "" for part in match.groups()))):
            return facts
    return ()


# --- how many --------------------------------------------------------------------------------------------------------

_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_NUMBER = rf"[0-9]{{1,4}}|{'|'.join(_NUMBERS)}"
_LEAST, _MOST = ("at least", "no less than", "no fewer than"), ("at most", "up to", "no more than")
_ABOVE, _BELOW = ("more than", "over"), ("less than", "fewer than", "under")
_HOW_MANY = re.compile(
    rf"(?:({'|'.join((*_LEAST, *_MOST, *_ABOVE, *_BELOW))}|exactly|only|just|both|a pair of|no|not any|neither) )?"
    rf"(?:({_NUMBER}) )?(?:or (more|less|fewer) )?(?:of )?(.+)"
)


def _counted(words: str) -> tuple[Amount, str]:
    match = _HOW_MANY.fullmatch(words)
    assert match is not None
    bound, said, side, what = match.groups()
    number = (
        _NUMBERS[said] if said in _NUMBERS else int(said) if said else 2 if bound in ("both", "a pair of") else None
    )
    if number is None:
        return (Amount(0, 0), what) if bound in ("no", "not any", "neither") else (Amount(1), words)
    if bound in _ABOVE:
        return Amount(number + 1), what
    if bound in _BELOW:
        return Amount(0, number - 1), what
    if bound in _MOST or side in ("less", "fewer"):
        return Amount(0, number), what
    if bound in ("exactly", "only", "just"):
        return Amount(number, number), what
    return Amount(number), what


# --- cards -----------------------------------------------------------------------------------------------------------


def _holds(asked: _Asked, words: str) -> Facts:
    held: list[AnyFact] = []
    for part in words.removeprefix("both a ").split(" and "):
        amount, what = _counted(part)
        if without_articles(what) in ("card", "cards", "treachery card", "treachery cards"):
            held.append(InHand(None, amount))
            continue
        cards = cards_named(what)
        if cards is None:
            return None
        held.append(InHand(tuple(sorted(cards)), amount))
    return tuple(held)


def _hand_full(asked: _Asked) -> Facts:
    return (HandFull(),)


# --- leaders ---------------------------------------------------------------------------------------------------------


def _leaders(asked: _Asked, words: str) -> frozenset[Leader] | None:
    whose = re.fullmatch(r"(?:(?:any|one|some|a|an|the|of) )*(.+?) leaders?", words)
    if whose is None:
        return traitors_named(words.removeprefix("my ").removeprefix("leader "))
    owner = asked.asker if whose[1] == "my" else faction_called(whose[1]) or faction_called(whose[1].removesuffix("s"))
    if owner is None:
        return None
    return frozenset(leader for leader, facts in LEADERS.items() if facts.faction == owner)


def _each(about: type[InPay | InDisguise], asked: _Asked, words: str) -> Facts:
    """Read leaders joined with "or" as a single fact, and leaders joined with "and" as one fact for each leader
    (FAQ.TRUTHTRANCE.7)."""
    found: list[AnyFact] = []
    for part in re.split(r" and ", words.removeprefix("either ").removeprefix("both ")):
        leaders = _leaders(asked, part)
        if leaders is None:
            return None
        found.append(about(tuple(sorted(leaders))))
    return tuple(found)


_pays = partial(_each, InPay)
_disguised = partial(_each, InDisguise)


def _captured(asked: _Asked, words: str) -> Facts:
    leaders = _leaders(asked, words)
    return None if leaders is None else (Captured(tuple(sorted(leaders))),)


# --- the prediction --------------------------------------------------------------------------------------------------


_TURNS = re.compile(
    r"(?:^| )(?:(?:in|on|for) )?(?:(before|after|by) )?turns? "
    r"([0-9]{1,2}(?: or (?:on |in )?(?:turn )?(?:[0-9]{1,2}|later|earlier|after|before))*)$"
)
_WINS = re.compile(r" (?:to win|will win|wins|would win|as (?:the )?winner)$")


def _predicted(asked: _Asked, said: str) -> Facts:
    time = _TURNS.search(said)
    when, turns = (time[1] or "", time[2]) if time else ("", "")
    words = _WINS.sub("", said[: time.start()] if time else said)
    words = "" if turns and words in ("a win", "a victory", "the win", "victory", "somebody", "anybody") else words
    named = [asked.faction(one) for one in words.split(" or ")] if words else []
    if not all(named) or not (named or turns):
        return None
    return (Predicted(tuple(faction for faction in named if faction), _turns(when, turns) if turns else ()),)


def _turns(when: str, turns: str) -> tuple[Amount, ...]:
    numbers = [int(number) for number in re.findall(r"[0-9]+", turns)]
    if when == "before":
        return (Amount(0, numbers[0] - 1),)
    if when == "after":
        return (Amount(numbers[0] + 1),)
    if turns.endswith(("later", "after")):
        return (Amount(numbers[0]),)
    if when == "by" or turns.endswith(("earlier", "before")):
        return (Amount(0, numbers[0]),)
    return tuple(Amount(number, number) for number in numbers)


# --- spice and tokens ------------------------------------------------------------------------------------------------


def _has_spice(asked: _Asked, words: str) -> Facts:
    if words in ("", "any", "some"):
        return (OwnsSpice(),)
    amount, what = _counted(f"{words} spice")
    return (OwnsSpice(amount),) if what == "spice" else None


def _has_so_much(asked: _Asked, words: str) -> Facts:
    """Read a question about an amount of spice; "Is your spice 5?" asks for exactly 5."""
    said = words.removeprefix("equal to ")
    return _has_spice(asked, f"exactly {said}" if re.fullmatch(_NUMBER, said) else said)


def _has_tokens(asked: _Asked, words: str, where: str) -> Facts:
    place: Literal["reserves", "tanks"] = "tanks" if where == "tanks" else "reserves"
    if words in ("any", "some"):
        return (OwnsTokens(place),)
    amount, what = _counted(f"{words} tokens")
    return (OwnsTokens(place, amount),) if what == "tokens" else None


# --- the words -------------------------------------------------------------------------------------------------------

_AROUND = re.compile(r"^(?:please |truthfully |so |now )+| (?:right now|now|at the moment|at this moment|at present)$")
_HAVE = r"(?:do you (?:still |currently |now )?(?:hold|have|own|possess|have got)|have you got|are you holding)"
_PREDICT = r"(?:did you predict|have you predicted|(?:is|was) your prediction(?: for| of)?)(?: that)?"

_FORMS: Sequence[tuple[re.Pattern[str], Callable[..., Facts]]] = (
    (re.compile(rf"{_HAVE} (?:(.+) )?spice"), _has_spice),
    (re.compile(r"is your spice (.+)"), _has_so_much),
    (
        re.compile(
            rf"{_HAVE} (.+?) (?:tokens?|forces?|troops?) (?:left )?in (?:your |the )?(?:tleilaxu )?(tanks|reserves?)"
        ),
        _has_tokens,
    ),
    (re.compile(r"is your hand full|do you (?:have|hold) a full hand"), _hand_full),
    (re.compile(rf"{_HAVE} (.+?) as (?:a |your )?traitors?"), _pays),
    (re.compile(rf"{_HAVE} (.+) in your pay"), _pays),
    (re.compile(r"(?:is|are) (.+?) (?:your traitors?|in your pay|(?:a|one of your) traitors?(?: of yours)?)"), _pays),
    (re.compile(rf"{_HAVE} (.+?) as (?:a |your )?face ?dancers?"), _disguised),
    (
        re.compile(r"(?:is|are) (.+?) (?:a face ?dancer|(?:one of )?your face ?dancers?|a face ?dancer of yours)"),
        _disguised,
    ),
    (re.compile(r"(?:have you captured|did you capture) (.+)"), _captured),
    (re.compile(r"(?:is|are) (.+?) your (?:captives?|prisoners?)"), _captured),
    (re.compile(rf"{_HAVE} (.+?) (?:as (?:a |your )?)?(?:captive|prisoner)"), _captured),
    (re.compile(rf"{_PREDICT} (.+)"), _predicted),
    (re.compile(rf"{_HAVE} (.+?)(?: in (?:your )?hand)?"), _holds),
    (re.compile(r"is (.+?) in your hand"), _holds),
)


@dataclass(slots=True)
class QuestionInWork:
    """A question that is being read. `actor` is the faction whose act the question is about, `target` is the faction
    that "you" means, and `words` are the words still unread. `battle_named` is true if the question mentions a battle,
    not only an act *against* somebody."""

    asker: Faction
    actor: Faction
    target: Faction
    words: str
    occasion: Occasion = field(default_factory=Occasion)
    battle_named: bool = False

    def set(self, **found: Any) -> None:
        self.occasion = replace(self.occasion, **found)

    def take_tail(self, pattern: str) -> re.Match[str] | None:
        match = re.search(rf"(?:^| )(?:{pattern})$", self.words)
        if match:
            self.words = self.words[: match.start()]
        return match

    def faction(self, words: str) -> Faction | None:
        if words in ("i", "me", "us", "we"):
            return self.asker
        return self.target if words == "you" else faction_called(words)


def read_occasion(asked: QuestionInWork) -> bool:
    """Read the phrases at the end that say when and where, and remove them from the words; return False if one of these
    phrases is not understood."""
    while asked.words:
        before = asked.words
        _read_turn(asked)
        _read_battle(asked)
        _read_opponent(asked)
        _read_place(asked)
        if not _read_card(asked):
            return False
        if asked.words == before:
            return True
    return True


def _read_turn(asked: QuestionInWork) -> None:
    if asked.take_tail("(?:later |during |in )?this (?:turn|round)"):
        asked.set(turn="this")
    elif asked.take_tail("(?:during |in )?(?:the )?next turn"):
        asked.set(turn="next")
    elif match := asked.take_tail("(?:in|on|during) turn ([0-9]{1,2})"):
        asked.set(turn=int(match[1]))
    elif asked.take_tail("(?:in )?this game|ever(?: again)?"):
        asked.set(turn="this game")
    elif asked.take_tail("(?:at|in|during) (?:this|the|the next) nexus"):
        asked.set(turn="this", nexus=True)


def _read_battle(asked: QuestionInWork) -> None:
    if asked.take_tail("(?:in |during |for )?this battle"):
        asked.set(in_battle=True, this_battle=True, territory=None, opponent=None)
        asked.battle_named = True
    elif asked.take_tail("(?:in |during |for )(?:our|a|any|the|your|the next|the coming) battles?|in battles?"):
        asked.set(in_battle=True)
        asked.battle_named = True


def _read_opponent(asked: QuestionInWork) -> None:
    against = r"\b(?:against|versus|vs)|(?:in |during )?(?:an? )?battles? with"
    match = re.search(rf"^(.*?) ?({against}) ([a-z ]+)$", asked.words)
    opponent = asked.faction(match[3]) if match else None
    if match and opponent:
        asked.words = match[1]
        asked.set(opponent=opponent, in_battle=True)
        asked.battle_named = asked.battle_named or "battle" in match[2]


def _read_place(asked: QuestionInWork) -> None:
    match = re.search(r"^(.*) (?:in|at|for) ([a-z0-9 ]+)$", asked.words)
    territory = territory_called(match[2]) if match else None
    if match and territory:
        asked.words = match[1]
        asked.set(territory=territory, in_battle=True)
        asked.battle_named = True


def _read_card(asked: QuestionInWork) -> bool:
    if asked.take_tail("(?:on|for) (?:this|the) card"):
        asked.set(this_card=True, card=0)
    elif match := asked.take_tail("(?:on|for) card (?:number )?([0-9])"):
        asked.set(this_card=False, card=int(match[1]))
        return asked.occasion.card > 0
    return True


T = TypeVar("T", bound=str)

SHORTEST_BEGINNING = 3  # letters
_ORDINARY = frozenset({
    "art", "big", "broke", "con", "cry", "dam", "dun", "fun", "hag", "hall", "has", "hid", "hit", "hunt", "jab",
    "jam", "mar", "min", "mob", "moth", "out", "past", "pit", "prince", "ram", "revere", "see", "seek", "shad",
    "sin", "stab", "strike", "strong", "too", "toot", "trance", "true", "wan", "weird", "well",
})  # fmt: skip
"""English words with which a name begins, but which never mean it: "fight well" does not name Dr. Wellington."""

_ARTICLES = re.compile(r"^(?:the|an?|any|some|your|one|of) ")
_SORT = re.compile(r" (?:treachery )?cards?$")


def fold_words(text: str) -> str:
    """Return only the words, in lower case: `fold_words("The Tuek's-Sietch") == "the tueks sietch"`. The decimal point
    of a number such as "4.5" is kept."""
    return " ".join(re.findall(r"[0-9]+(?:[.,]5)?|[a-z0-9]+", re.sub(r"['’‘`´]", "", without_accents(text))))


def without_articles(words: str) -> str:
    while (shorter := _ARTICLES.sub("", words)) != words:
        words = shorter
    return words


def cards_named(words: str) -> frozenset[Card] | None:
    """Return the cards that the lower-case words name: a card, a kind of card, any weapon or any defense, or several of
    these joined with "or".

    Return None if any name is not a card's. "cheap hero" means that card; "a cheap hero" means either of the two.

    >>> sorted(cards_named("a shield or the lasgun"))
    ['Lasgun', 'Shield']
    """
    found: frozenset[Card] = frozenset()
    for one in words.split(" or "):
        bare = without_articles(one)
        exact = bare == one and CARD_NAMES.spells(one) and _named(CARD_NAMES, one)
        named = frozenset((exact,)) if exact else _one_card(bare)
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
        if card := _named(CARD_NAMES, name) or _named(CARD_NAMES, name.removesuffix("s")):
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


def leaders_named(words: str) -> frozenset[Leader] | None:
    found = [_named(LEADER_NAMES, without_articles(one)) for one in words.split(" or ")]
    return frozenset(leader for leader in found if leader) if all(found) else None


def traitors_named(words: str) -> frozenset[Leader] | None:
    """Return the traitor cards that the words name: one, or several joined with "or". The cheap heroes' card can be
    among them."""
    found: frozenset[Leader] = frozenset()
    for one in words.split(" or "):
        hero = without_articles(one) in ("cheap hero", "cheap heroine", "cheap heroes")
        named = frozenset((CHEAP_HERO_CARD,)) if hero else leaders_named(one)
        if not named:
            return None
        found |= named
    return found


def faction_called(words: str) -> Faction | None:
    return _named(FACTION_NAMES, without_articles(words))


def territory_called(words: str) -> TerritoryId | None:
    return _named(TERRITORY_NAMES, without_articles(words))


def _named(names: Names[T], words: str) -> T | None:
    key = "".join(words_of(words))
    if (len(key) < SHORTEST_BEGINNING or key in _ORDINARY) and not names.spells(words):
        return None
    found = names.find(words)
    return found.value if isinstance(found, Found) else None
