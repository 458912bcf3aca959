"""Talk: lines about the world, about others or about time, by `data/plain-words.toml` (`[talk]`, `never`, `doubt`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.language.attempts import SORTS_OF_NAMES, name_at
from bot.language.forms import Blank, pieces
from bot.language.lines import Context, WriterView
from bot.language.vocabulary import LineWords, Word, vocabulary

MOST_UNKNOWN = 10  # words that no table has, including names

_MAY_DOUBT = frozenset({"truthtrance", "truth", "tt", "know", "unknown", "idea", "say"})
"""Orders with these words may contain doubt: a Truthtrance question, the answer "unknown"."""


def doubts(heard: LineWords) -> bool:
    # Does the line doubt, or have more unknown words than any order?
    texts, plain, place = _texts(heard), vocabulary(), 0
    while place < len(texts) and _MAY_DOUBT.isdisjoint(texts):
        certain = max(plain.filler.length(texts, place), plain.negation.length(texts, place))
        cancels = texts[place] == "cancel" and "karama" in texts
        if certain < 2 and plain.doubt.length(texts, place) and not cancels:
            return True
        place += max(certain, 1)
    return sum(word.number is None and word.text not in plain.known for word in heard.words) > MOST_UNKNOWN


def is_talk(heard: LineWords, context: Context, known: WriterView) -> bool:
    texts = _texts(heard)
    places = range(len(texts))
    return (
        any(vocabulary().never.length(texts, place) for place in places)
        or any(_counts_time(heard.words, texts, place) for place in places)
        or any(_describes(heard.words, texts, place) for place in places)
        or any(_reports(texts, place, context) for place in places)
        or _tells_of_another(texts, context, known)
        or _passes_on(texts)
        or _is_ironic(heard.words, texts)
        or _bids_another(heard.words, context, known)
    )


def _is_ironic(words: Sequence[Word], texts: Sequence[str]) -> bool:
    # Does it end in a mark of irony ("bid 12 /s"), or in a part that asks for assent: "nothing ships itself, does it"?
    talk = vocabulary().talk
    ends = any(talk["ironic"].length(texts, place) == len(texts) - place for place in range(len(texts)))
    last = [word.text for word in words if word.part == words[-1].part]
    return ends or (len(last) < len(texts) and talk["tags"].length(last, 0) == len(last))


def _bids_another(words: Sequence[Word], context: Context, known: WriterView) -> bool:
    # Does it ask another faction for something ("Emperor, please ship 5"), or say what others do?
    texts, talk = [word.text for word in words], vocabulary().talk
    if _asks_of_factions(known):
        return False
    first = talk["hails"].length(texts, 0)
    if first < len(texts) and talk["he"].length(texts, first):
        return any(_is_order_word(texts, first + 1 + more) for more in range(2))
    named = name_at("faction", texts, first) if first < len(texts) else None
    after = first + named.length if named else len(texts)
    if not named or not named.whole or context.faction in named.values or after >= len(texts):
        return False
    apart = words[after].part != words[after - 1].part
    return apart and (talk["begs"].length(texts, after) > 0 or _is_order_word(texts, after))


def _is_order_word(texts: Sequence[str], place: int) -> bool:
    return place < len(texts) and (
        texts[place] in vocabulary().words_of_orders or vocabulary().talk["acts"].length(texts, place) > 0
    )


def _texts(heard: LineWords) -> list[str]:
    return [word.text for word in heard.words]


def _counts_time(words: Sequence[Word], texts: Sequence[str], place: int) -> bool:
    talk = vocabulary().talk
    if words[place].number is None and not talk["some"].length(texts, place):
        return False
    after = place + 1
    while after < len(texts) and not talk["counted"].length(texts, after) and talk["between"].length(texts, after):
        after += 1
    return after < len(texts) and talk["counted"].length(texts, after) > 0


def _describes(words: Sequence[Word], texts: Sequence[str], place: int) -> bool:
    # Does "is" stand here before a word that no table has: "Fremen are annoying"?
    talk, after = vocabulary().talk, place + 1
    if not place or not talk["is"].length(texts, place) or words[place - 1].part != words[place].part:
        return False
    while after < len(texts) and talk["beside_is"].length(texts, after):
        after += 1
    if after >= len(texts) or words[after].part != words[place].part:
        return False
    word = words[after]
    strange = word.number is None and word.text.isalpha() and word.text not in vocabulary().known
    if strange and any(group.length(texts, after) for entry in vocabulary().orders for group in entry.words):
        return False
    return strange and not any(name_at(sort, texts, after, misspelt=True) for sort in SORTS_OF_NAMES)


_POSSESSIVE = re.compile(r"(\w+)['’]s\b")
_NO_OWNERS = frozenset({"it", "that", "let", "here", "there", "what", "tuek"})


def tells_a_fact(words: Sequence[Word], text: str) -> bool:
    """Does the line state a fact or an owner, and nothing about its writer: "Harkonnen is at 4", "Guild's 3"?"""
    texts, talk = [word.text for word in words], vocabulary().talk
    if any(talk["writer"].length(texts, place) for place in range(len(texts))):
        return False
    if any(match[1].lower() not in _NO_OWNERS for match in _POSSESSIVE.finditer(text)):
        return True
    return any(
        talk["facts"].length(texts, place)
        and words[place - 1].part == words[place + 1].part
        and (
            words[place - 1].number is not None
            or any(name_at(sort, texts[:place], place - 1) for sort in SORTS_OF_NAMES)
        )
        for place in range(1, len(texts) - 1)
    )


def _reports(texts: Sequence[str], place: int, context: Context) -> bool:
    if not vocabulary().talk["says"].length(texts, place):
        return False
    before = texts[:place]
    while before and vocabulary().talk["beside_is"].length(before, len(before) - 1):
        before = before[:-1]
    if not before or before[-1] in ("i", "we") or "than" in before:
        return False
    named = next((name for first in range(len(before)) if (name := name_at("faction", before, first))), None)
    return named is None or named.values != (context.faction,)


def _passes_on(texts: Sequence[str]) -> bool:
    # Does it ask the reader to tell another faction something: "tell the Emperor I'd bid 5"?
    first = 2 if texts[1:2] == ["the"] else 1
    named = name_at("faction", texts, first) if texts[0] in _TELLS and first < len(texts) else None
    return named is not None and named.whole


_TELLS = frozenset({"tell", "ask", "warn", "remind", "inform", "thank"})


def _tells_of_another(texts: Sequence[str], context: Context, known: WriterView) -> bool:
    # Is it about what another faction does, where no open question is about other factions?
    first = 1 if texts[0] in ("the", "house") and len(texts) > 1 else 0
    named = name_at("faction", texts, first)
    verb = first + named.length if named else len(texts)
    if not named or not named.whole or context.faction in named.values or verb >= len(texts):
        return False
    return vocabulary().talk["acts"].length(texts, verb) > 0 and not _asks_of_factions(known)


def _asks_of_factions(known: WriterView) -> bool:
    return any(
        isinstance(piece, Blank) and piece.slot_name in ("faction", "factions", "leader", "traitor")
        for entry in vocabulary().orders
        if any(question.kind in entry.form.kinds for question in known.asked)
        for piece in pieces(entry.form.pattern)
    )
