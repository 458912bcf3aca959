"""Words of a mail that do something other than give an order: they correct, withdraw, doubt, forbid, report, greet, ask
or agree.

The words are in `data/words/`, with one file for each language. Phrases of several words are matched as a whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from bot.language.names import fold_words
from bot.language.plain_words import greets
from bot.language.vocabulary import Phrases, vocabulary
from rules.components.facts import data_folder, load_toml

Sort = str
"""A key of `[move]` in `data/words/`: one sort of words, named after their purpose."""

FOLDER = "words"
LONGEST_HEADING = 6  # words
LONGEST_NAME = 3  # words
MOST_BARE = 2  # words


@cache
def move_words() -> Mapping[str, Phrases]:
    files = sorted(path.name for path in (data_folder() / FOLDER).glob("*.toml"))
    tables = [load_toml(f"{FOLDER}/{name}").get("move", {}) for name in files]
    sorts = dict.fromkeys(sort for table in tables for sort in table)
    return {sort: Phrases(text for table in tables for text in table.get(sort, ())) for sort in sorts}


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def length(self, sort: Sort, place: int) -> int:
        return move_words()[sort].length(self.words, place) if place < len(self.words) else 0

    def has(self, sort: Sort) -> str:
        for place in range(len(self.words)):
            if length := self.length(sort, place):
                return self.written(place, place + length)
        return ""

    def begins(self, sort: Sort, place: int = 0) -> str:
        length = self.length(sort, place)
        return self.written(place, place + length) if length else ""

    def is_all(self, sort: Sort, *, beside: Phrases | None = None) -> bool:
        place, found = 0, False
        while place < len(self.words):
            length = self.length(sort, place)
            found |= length > 0
            length = length or (beside or vocabulary().courtesy).length(self.words, place)
            if not length:
                return False
            place += length
        return found

    def consists_of(self, *sorts: Sort) -> bool:
        place = 0
        while place < len(self.words):
            length = max(self.length(sort, place) for sort in sorts)
            if not length:
                return False
            place += length
        return bool(self.words)

    def written(self, first: int, after: int) -> str:
        return self.text[self.spans[first][0] : self.spans[after - 1][1]] if first < after else ""


_WORD = re.compile(
    r"(?P<address>(?i:https?://|www\.)[^\s<>]*[\w/]|[^\s<>,;:]+@[^\s<>,;:]*\w)|[^\W_]+(?:['’`´][^\W_]+)*|->|[+*/]"
)
_EMOJI = {"👍": "yes", "👌": "yes", "✅": "yes", "✔": "yes", "🆗": "yes", "👎": "no", "❌": "no"}


@lru_cache(maxsize=1024)  # the same few lines are searched for every move
def said(text: str) -> Said:
    """Split a text into words.

    >>> said("Scratch that, dial 2! www.example.org").words
    ('scratch', 'that', 'dial', '2', 'www.example.org')
    """
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(_with_words_for_signs(text)):
        token = unicodedata.normalize("NFKC", match[0]).replace("⁄", "/")
        for part in [token.lower()] if match["address"] else fold_words(token):
            if part != "/" or match[0] == "/":
                words.append(part)
                spans.append(match.span())
    return Said(text, tuple(words), tuple(spans))


def _with_words_for_signs(text: str) -> str:
    return text.replace("¡", " ").replace("¿", " ")


def agrees(text: str) -> bool:
    signs = text.strip().replace("\ufe0f", "")
    return "?" not in text and (_is_sign(signs, "yes") or said(text).is_all("yes"))


def declines(text: str) -> bool:
    signs = text.strip().replace("\ufe0f", "")
    return _is_sign(signs, "no") or said(text).is_all("no")


def is_bare(text: str) -> bool:
    words = said(text).words
    if agrees(text) or declines(text):
        return True
    return len(words) <= MOST_BARE and not vocabulary().naming(filter(str.isalpha, words))


def _is_sign(signs: str, meaning: str) -> bool:
    bare = "".join(sign for sign in signs if not "\U0001f3fb" <= sign <= "\U0001f3ff")  # without skin tones
    return bool(bare) and all(_EMOJI.get(sign) == meaning for sign in bare)


def chosen(text: str) -> int | None:
    """Return the index of the proposal that the words choose out of several, or None."""
    heard = said("" if "?" in text else text)
    for number, sort in enumerate(_CHOICES):
        if heard.is_all(sort, beside=move_words()["choosing"]):
            return number
    return None


_CHOICES: Sequence[Sort] = ("first", "second", "third")


def is_courtesy(text: str, *, last: bool, signed: bool) -> bool:
    """Return True if the line is a greeting, thanks or a good wish. A name also counts if it is in the `last` line, or
    if the line above it is a courtesy (`signed`)."""
    heard = said(text)
    after = next((n for n in range(1, len(heard.words)) if heard.length("vocative", n) == len(heard.words) - n), None)
    if heard.words and heard.has("report") and heard.length("unfinished", len(heard.words) - 1):
        return False  # "my friend told me to"
    if heard.has("settling") or (heard.words[:1] == ("for",) and heard.has("thing")):
        return False  # "Ha, fooled you!", "for the weapon only"
    if greets(text) or (after and greets(heard.written(0, after))):
        return True
    return (signed or (last and text.strip()[-1:].isalpha())) and is_name(
        text, known=frozenset() if signed else vocabulary().known
    )


def is_name(text: str, known: Collection[str]) -> bool:
    heard = said(text)
    written = [text[first:after] for first, after in heard.spans]
    return 0 < len(written) <= LONGEST_NAME and all(
        word[0].isupper() and word not in _NO_NAMES and folded not in known and not folded.isdigit()
        for word, folded in zip(written, heard.words, strict=True)
    )


_NO_NAMES = frozenset({"I", "A"})


def is_sentence(text: str) -> bool:
    stripped = text.strip()
    return stripped.lstrip("(\"'“„«¡¿")[:1].isupper() and (stripped[-1:] in ".!)…:;?" or ends(stripped))


_ENDS_IN_SIGN = re.compile(
    r"[.!?…][\s\"')*_]*(?:[:;]-?[)D(P]|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]+)*$|(?::-?[)D])$"
)


def ends(text: str) -> bool:
    return bool(_ENDS_IN_SIGN.search(text.strip()))


def asks(text: str) -> bool:
    return "?" in text


def is_heading(text: str) -> bool:
    heard = said(text)  # "Turn 4 orders:", "My bid"
    if not heard.words or len(heard.words) > LONGEST_HEADING or "?" in text:
        return False
    place, found = 0, False
    while place < len(heard.words):
        length = heard.length("heading", place)
        found |= length > 0
        plain = vocabulary()
        length = length or plain.filler.length(heard.words, place) or plain.courtesy.length(heard.words, place)
        if not length and not heard.words[place].isdigit():
            return False
        place += length or 1
    return found


def points_back(text: str) -> bool:
    return bool(said(text).has("pointing"))
