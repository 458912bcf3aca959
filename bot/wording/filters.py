"""The filters for sentences: names, numbers, lists, forces and times as people write them, in the terms of an edition.

A template says what to write, ``{{ forces | tokens(faction) }}``, and a filter from this module knows how to write it.
Each filter is a plain function, which code may also call.

A letter is about one game and uses the terms of that game's edition. The code that begins a letter sets the edition
once (``speaking``), and every sentence and filter used inside that block follows it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rules.components import CARDS, FACTION_FACTS, LEADERS, Faction, Forces, Leader, faction_name
from rules.components.board import TERRITORIES, Area, TerritoryId, area_name
from rules.components.factions import TECH_TOKENS
from rules.components.terms import Edition, in_words_of, name_of, order_in_words_of


def name(thing: str) -> str:
    """Return the printed name of a faction, a territory, an area, a leader or a card. Other text is returned unchanged.

    >>> name("bene-gesserit"), name("imperial-basin/9"), name("tueks-sietch")
    ('Bene Gesserit', 'Imperial Basin/9', "Tuek's Sietch")
    """
    if thing in FACTION_FACTS:
        return faction_name(thing)
    if thing in TECH_TOKENS:
        return next(facts.name for facts in TECH_TOKENS.values() if facts.id == thing)
    if thing in TERRITORIES:
        return name_of(spoken_edition(), TERRITORIES[TerritoryId(thing)].name)
    if "/" in thing:
        try:
            return in_words_of(spoken_edition(), area_name(Area(thing)))
        except KeyError:
            return thing
    return name_of(spoken_edition(), thing)


def the(faction: str) -> str:
    """Return the name of a faction, with "the" in front if it takes an article.

    >>> the("guild"), the("atreides")
    ('the Guild', 'Atreides')
    """
    facts = FACTION_FACTS.get(faction)
    return f"the {name(faction)}" if facts and not facts.house else name(faction)


def whose(name: str) -> str:
    """Return a name in the possessive.

    >>> whose("the Guild"), whose("Atreides")
    ("the Guild's", "Atreides'")
    """
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def isolated(name: str) -> str:
    """Return a person's name in bidirectional isolates, so that a name written from right to left does not disturb the
    order of the words around it (UAX 9)."""
    turns = any(unicodedata.bidirectional(sign) in ("R", "AL", "RLE", "RLO", "RLI") for sign in name)
    return f"\u2068{name}\u2069" if turns else name


def tokens(forces: str | int, faction: str = "") -> str:
    """Return forces in words: "5 tokens", "3 tokens and 2 elite", with the faction "3 tokens and 2 Fedaykin".

    >>> tokens("1"), tokens("3+2"), tokens("0+1", "emperor"), tokens("2+1", "ixians")
    ('1 token', '3 tokens and 2 elite', '1 Sardaukar', '2 tokens and 1 Cyborg')
    """
    counted, owner = Forces.parse(str(forces)), FACTION_FACTS.get(faction)
    if not counted.elite:
        return plural(counted.ordinary, "token")
    named = owner.elite_tokens(counted.elite) if owner and owner.elite else ""
    if not counted.ordinary:
        return named or plural(counted.elite, "elite token")
    return f"{plural(counted.ordinary, 'token')} and {named or f'{counted.elite} elite'}"


def voiced(card: str) -> str:
    """Return in words what a Voice command names: a class of cards, or one card.

    >>> voiced("shield"), voiced("worthless"), voiced("Crysknife")
    ('a shield', 'a worthless card', 'Crysknife')
    """
    if card in CARDS:
        return name(card)
    return f"a {card} card" if card == "worthless" else f"a {card}"


def strength(leader: str) -> int | str:
    """Return a leader's printed strength, which may be "X", or "" if the text does not name a leader.

    >>> strength("Stilgar"), strength("Zoal"), strength("cheap hero")
    (7, 'X', '')
    """
    facts = LEADERS.get(Leader(leader))
    return facts.strength or "X" if facts else ""


def plural(number: float, word: str) -> str:
    """Return a number and its noun: ``plural(1, "token")`` is "1 token", ``plural(3, "territory")`` "3 territories"."""
    word = in_words_of(spoken_edition(), word)
    if number == 1:
        return f"{number} {word}"
    many = f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"
    return f"{number} {many}"


IN_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def spelled(number: int) -> str:
    """Return a small number in words, a large one in figures: "three", "13"."""
    return IN_WORDS[number] if 0 <= number < len(IN_WORDS) else str(number)


def ordinal(number: int) -> str:
    """Return a number as an ordinal.

    >>> ordinal(1), ordinal(2), ordinal(3), ordinal(4), ordinal(12), ordinal(21)
    ('1st', '2nd', '3rd', '4th', '12th', '21st')
    """
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def listed(things: Iterable[str], last: str = "and") -> str:
    """Join things with commas and "and": ``listed(["a", "b", "c"]) == "a, b and c"``."""
    *others, final = list(things) or [""]
    return f"{', '.join(others)} {last} {final}" if others else final


def either(things: Iterable[str]) -> str:
    return listed(things, "or")


def halves(number: float) -> str:
    """Return a number that may be a half, as players write it: "3", "3.5"."""
    return f"{number:g}"


def bounds(least: int, most: int | None) -> str:
    """Return the bounds of a number as a player writes them in a condition.

    >>> bounds(3, 3), bounds(3, None), bounds(0, 3), bounds(2, 4)
    ('3', '>= 3', '<= 3', 'between 2 and 4')
    """
    if least == most:
        return f"{least}"
    if most is None:
        return f">= {least}"
    return f"between {least} and {most}" if least else f"<= {most}"


def grouped(number: int) -> str:
    return f"{number:,}"


def sectors(numbers: Sequence[int]) -> str:
    """Return sectors of the board in words.

    >>> sectors([9]), sectors([9, 10, 11])
    ('sector 9', 'the sectors 9, 10 and 11')
    """
    if len(numbers) < 2:
        return f"sector {numbers[0]}" if numbers else "no sector"
    return f"the sectors {listed(map(str, numbers))}"


def hours(minutes: int) -> str:
    """Return a number of minutes as whole hours, for a column of a table: ``hours(150) == "2 h"``."""
    return f"{minutes // 60} h"


def span(minutes: int) -> str:
    """Return a length of time, such as what is left in a time bank: "3 hours", "40 minutes"."""
    return plural(minutes // 60, "hour") if minutes >= 120 else plural(minutes, "minute")


def clock_span(minutes: int) -> str:
    """Return a length of time to the minute: "40 min", "3 h 5 min"."""
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


def quoted(text: object) -> str:
    """Return text from outside, such as a subject or an error message, in quotation marks and with unprintable
    characters escaped."""
    return repr(text)


def tenths(number: int) -> str:
    """Convert tenths of a point into points.

    >>> tenths(15), tenths(20)
    ('1.5', '2')
    """
    return f"{number / 10:g}"


def typed(line: str, game: str, shell: bool) -> str:
    """Return a command to the desk of a game, written as it would be mailed or, if ``shell``, as it would be typed at
    the command line.

    >>> typed("replace guild ADDRESS", "ix", False), typed("resume", "ix", True)
    ('“ix: replace guild ADDRESS”', '`mentat game resume ix`')
    """
    if not shell:
        return f"“{game}: {line}”"
    power, _, parts = line.partition(" ")
    return f"`mentat {_NOT_OF_GAMES.get(power, 'game')} {power} {game} {parts}".rstrip() + "`"


_NOT_OF_GAMES = {"resend": "mail", "repost": "forum"}


FILTERS: Mapping[str, Callable[..., Any]] = {
    made.__name__: made
    for made in (
        name, the, whose, isolated, tokens, voiced, strength, plural, spelled, ordinal, listed, either, halves, bounds,
        grouped, sectors, hours, span, clock_span, quoted, tenths, typed,
    )
}  # fmt: skip


_SPOKEN: ContextVar[Edition] = ContextVar("edition", default="1979")


def spoken_edition() -> Edition:
    return _SPOKEN.get()


def order_as_spoken(line: str) -> str:
    return order_in_words_of(spoken_edition(), line)


@contextmanager
def speaking(edition: Edition) -> Iterator[None]:
    before = _SPOKEN.set(edition)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def default_archive_name(faction: Faction, game: str) -> str:
    """Return the name that the archive uses for a player who chose none: "Atreides of sietch-7"."""
    return f"{faction_name(faction)} of {game}"


def fold_name(name: str) -> str:
    """Return a key that is equal for two names that count as the same: their letters and digits, regardless of case and
    width."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(char for char in plain if char.isalnum())
