"""What only greets, thanks or wishes: parts of a line, and whole lines at the top and at the end of a mail."""

from __future__ import annotations

from collections.abc import Sequence

from bot.orders.lines import LONGEST, tidy
from bot.orders.plain.names import name_at
from bot.orders.plain.table import table
from bot.orders.plain.words import Said, Word, said

LONGEST_COURTESY = 5  # words
LONGEST_SIGNATURE = 3  # words


def without_courtesies(heard: Said) -> Said:
    """The line without the parts that only greet, thank or wish."""
    kept = [words for words in _parts(heard) if not _courteous(words)]
    return Said(heard.text, tuple(word for words in kept for word in words), heard.asks)


def without_greetings(lines: Sequence[str]) -> list[str]:
    """Those of these lines that say more than a greeting, thanks and a name below them.

    >>> without_greetings(["Hello Mentat,", "I do not know yet.", "Thanks,", "Ann"])
    ['I do not know yet.']
    """
    kept: list[str] = []
    signed = False
    for line in lines:
        greets = _greets(line)
        if not greets and not (signed and _signature(line)):
            kept.append(line)
        signed = greets and not _hails(line)
    return kept


def _greets(line: str) -> bool:
    """Whether a line is a courtesy, with the name behind it of whoever is greeted or greets."""
    heard = _heard(line)
    parts = _parts(heard) if heard and not heard.asks else []
    courtesies = [_courteous(part) for part in parts]
    if not any(courtesies) or any(_of_the_game(part) for part in parts):
        return False
    named = len(parts) > 1 and courtesies[0] and not courtesies[-1] and _is_name(parts[-1])
    return all(courtesies[:-1] if named else courtesies)


def _hails(line: str) -> bool:
    """Whether a line greets as at the top of a mail; no name is signed below it."""
    heard = _heard(line)
    return heard is not None and heard.words[0].text in _HAILS


_HAILS = frozenset({"hi", "hello", "hallo", "hey", "hiya", "dear", "greetings", "good", "mentat", "moderator", "gm"})


def _of_the_game(words: Sequence[Word]) -> bool:
    """Whether a word of an order stands in a part, or the name of a place or a card."""
    texts = [word.text for word in words]
    return not set(texts).isdisjoint(table().words_of_orders) or any(
        name_at(sort, texts, place) for sort in ("territory", "card") for place in range(len(texts))
    )


def _signature(line: str) -> bool:
    heard = _heard(line)
    parts = _parts(heard) if heard and not heard.asks else []
    return len(parts) == 1 and _is_name(parts[0])


def _is_name(words: Sequence[Word]) -> bool:
    """Whether these words can be the name of a person: few, none of which the language has another use for."""
    return len(words) <= LONGEST_SIGNATURE and not any(
        word.number is not None or word.text in table().known for word in words
    )


def _heard(line: str) -> Said | None:
    return said(tidy(line)) if len(line) <= LONGEST else None


def _parts(heard: Said) -> list[list[Word]]:
    parts: dict[int, list[Word]] = {}
    for word in heard.words:
        parts.setdefault(word.part, []).append(word)
    return list(parts.values())


def _courteous(words: Sequence[Word]) -> bool:
    """Whether a part begins with a courtesy and says nothing else; "hi I pass" is more than one."""
    texts = [word.text for word in words]
    plain = table()
    after = plain.courtesy.length(texts, 0)
    if not after or len(words) > LONGEST_COURTESY or any(word.number is not None for word in words):
        return False
    while after < len(texts) and (more := max(plain.courtesy.length(texts, after), plain.filler.length(texts, after))):
        after += more
    if after < len(texts) and any(entry.words[0].length(texts, after) for entry in plain.orders):
        return False
    return not any(plain.negation.length(texts, place) for place in range(len(texts)))
