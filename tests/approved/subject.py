"""What an approval test is about: a part of the product that makes a text of a text, and texts to begin with.

A *subject* has seeds, which are inputs that people really send, and a way to vary them; coverage leads from these to
inputs that do what no other does (``choosing``). Those are kept with what the product makes of them, and from then on
any change of it has to be approved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

import time_machine

MOMENT = datetime(2026, 11, 24, 8, tzinfo=UTC)
"""Whatever day it is, an input is always asked at this moment; a subject may set the clock otherwise for itself."""

Vary = Callable[[Random, str, Sequence[str]], str]


@dataclass(frozen=True)
class Subject:
    """``told`` gives all that the product makes of an input, in words or as JSON: the same text each time, on every
    machine; ``ask`` asks for it. ``vary`` makes another input of one, and may take from others. ``rooms`` are the
    packages whose code leads to new inputs: "bot.language". Where the seeds are tests already, they are not kept
    (``keeps_seeds``). What takes more than some two seconds is ``slow``, and waits for the long tests."""

    name: str
    rooms: tuple[str, ...]
    seeds: Callable[[], Iterable[str]]
    vary: Vary
    told: Callable[[str], str]
    keeps_seeds: bool = True
    slow: bool = False

    def ask(self, given: str) -> str:
        """What the product makes of an input at the moment at which all inputs are asked."""
        with time_machine.travel(MOMENT):
            return self.told(given)


def without_hashes(told: Callable[[str], str]) -> Callable[[str], str]:
    """The same without hashes of a record, which hold the text of the rules too and are others after any change of
    it."""
    return lambda given: re.sub(r"\b[0-9a-f]{16,64}\b", "HASH", told(given))


def vary_words(chance: Random, text: str, others: Sequence[str]) -> str:
    """One to three small changes: words that are gone, doubled, moved, run together, or out of another input; numbers
    next to those that stand there; a sign or a letter more or less.

    >>> vary_words(Random(2), "ship 3 to Arrakeen", ["bid 4"]) == vary_words(Random(2), "ship 3 to Arrakeen", ["bid 4"])
    True
    """
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        text = chance.choice(_CHANGES)(chance, text, others)
    return text


def _words(text: str) -> list[str]:
    """Words and what stands between them, in turn."""
    return re.findall(r"\w+|\s+|[^\w\s]", text)


def _without(chance: Random, text: str, _: Sequence[str]) -> str:
    words = _words(text)
    if words:
        del words[chance.randrange(len(words))]
    return "".join(words)


def _doubled(chance: Random, text: str, _: Sequence[str]) -> str:
    words = text.split(" ")
    place = chance.randrange(len(words))
    return " ".join([*words[: place + 1], *words[place:]])


def _moved(chance: Random, text: str, _: Sequence[str]) -> str:
    words = text.split(" ")
    word = words.pop(chance.randrange(len(words)))
    words.insert(chance.randrange(len(words) + 1), word)
    return " ".join(words)


def _another_number(chance: Random, text: str, _: Sequence[str]) -> str:
    numbers = list(re.finditer(r"\d+(?:\.\d+)?", text))
    if not numbers:
        return text
    found = chance.choice(numbers)
    value = float(found[0]) + chance.choice((-2, -1, -1, -0.5, 0.5, 1, 1, 2, 10))
    return f"{text[: found.start()]}{max(value, 0):g}{text[found.end() :]}"


def _of_another(chance: Random, text: str, others: Sequence[str]) -> str:
    """One word, or some in a row, are as in another input."""
    theirs, words = _words(chance.choice(others)), _words(text)
    if not theirs or not words:
        return text
    begin, place = chance.randrange(len(theirs)), chance.randrange(len(words))
    words[place : place + chance.choice((0, 1, 1, 1, 3))] = theirs[begin : begin + chance.choice((1, 1, 3, 5))]
    return "".join(words)


def _joined(chance: Random, text: str, others: Sequence[str]) -> str:
    return text + chance.choice((" ", ", ", "; ", " and ", " then ", ". ", "\n")) + chance.choice(others)


def _mistyped(chance: Random, text: str, _: Sequence[str]) -> str:
    if not text:
        return text
    place = chance.randrange(len(text))
    middle = chance.choice(("", text[place] * 2, text[place].swapcase(), chance.choice(" .,:;!?-()'\"*>#/&+=%")))
    return text[:place] + middle + text[place + 1 :]


_CHANGES: Sequence[Vary] = (
    _without, _without, _doubled, _moved, _another_number, _another_number, _of_another, _of_another, _of_another,
    _joined, _mistyped,
)  # fmt: skip
