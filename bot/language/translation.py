"""Translate lines in German, French and Spanish word by word into the English that `plain_words` understands.

The tables are `data/words/*.toml`. Each line is assumed to be in the language that has most of its words, counting only
words that do not exist in English. Words that also exist in English are translated only next to such foreign words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from bot.language.attempts import LONGEST_NAME, whole_names
from bot.language.names import fold_words
from bot.language.vocabulary import LineWords, Word, counted, vocabulary
from rules.components.facts import load_toml

LANGUAGES = ("de", "fr", "es")


@dataclass(frozen=True, slots=True)
class Language:
    """A language's table, prepared for searching. `phrases` maps a first word to the phrases that begin with it, each
    with its English translation; `own` holds the words that do not exist in English."""

    phrases: Mapping[str, Sequence[tuple[tuple[str, ...], tuple[str, ...]]]]
    own: frozenset[str]
    elided: frozenset[str]


@dataclass(frozen=True, slots=True)
class Translation:
    """A line translated into English. `own` counts its words that exist only in the foreign language, and `others`
    counts those that are not in that language's table."""

    line: LineWords
    own: int
    others: int

    @property
    def foreign(self) -> bool:
        return self.own > self.others


@cache
def language(code: str) -> Language:
    table = load_toml(f"words/{code}.toml")
    english = {word for text in table["also_english"] for word in fold_words(text)} | vocabulary().known
    phrases: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for meaning, texts in table["words"].items():
        for spelling in dict.fromkeys(spelling for text in texts for spelling in (text, _without_umlauts(text))):
            words = fold_words(spelling)
            phrases.setdefault(words[0], []).append((words, fold_words(meaning)))
    for known in phrases.values():
        known.sort(key=lambda phrase: -len(phrase[0]))
    own = {word for known in phrases.values() for words, _ in known for word in words} - english
    return Language(phrases, frozenset(own), frozenset(table["elided"]))


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def _without_umlauts(text: str) -> str:
    return text.translate(_UMLAUTS)


def into_english(line: LineWords) -> Translation | None:
    found = [each for code in LANGUAGES if (each := _translated(line, language(code)))]
    best = [each for each in found if (each.own, -each.others) == max((one.own, -one.others) for one in found)]
    said = {tuple(word.text for word in each.line.words) for each in best}
    return best[0] if len(said) == 1 else None


def _translated(line: LineWords, into: Language) -> Translation | None:
    heard = list(_without_elisions(line, into)) if into.elided else list(line.words)
    texts = [word.text for word in heard]
    elisions = len(heard) - len(line.words)
    if not elisions and into.own.isdisjoint(texts):
        return None
    words: list[Word] = []
    own, others, place = elisions, 0, 0
    while place < len(heard):
        length, english = _phrase_at(into, heard, texts, place)
        if length:
            own += len(into.own.intersection(texts[place : place + length]))
            words += [replace(heard[place], text=text, end=heard[place + length - 1].end) for text in english]
        else:
            length = _name_length(texts, place) or 1
            named = length > 1 or heard[place].number is not None or not texts[place].isalpha()
            others += 0 if named or _name_length(texts, place) else 1
            words += heard[place : place + length]
        place += length
    return Translation(replace(line, words=tuple(counted(words))), own, others)


def _phrase_at(into: Language, heard: Sequence[Word], texts: Sequence[str], place: int) -> tuple[int, Sequence[str]]:
    if _name_length(texts, place) > 1 or heard[place].number is not None:
        return 0, ()
    for words, english in into.phrases.get(texts[place], ()):
        if tuple(texts[place : place + len(words)]) == words:
            return len(words), english
    return 0, ()


def _name_length(texts: Sequence[str], place: int) -> int:
    lengths = range(min(LONGEST_NAME, len(texts) - place), 0, -1)
    return next((length for length in lengths if "".join(texts[place : place + length]) in whole_names()), 0)


def _without_elisions(line: LineWords, into: Language) -> Iterator[Word]:
    # Cut "j'envoie" into "j" and "envoie".
    for word in line.words:
        written = line.text[word.start : word.end].lower()
        before, apostrophe, after = written.partition("'")
        if apostrophe and before in into.elided and after[:1].isalpha():
            cut = word.start + len(before) + 1
            yield replace(word, text=before, end=cut)
            yield replace(word, text=word.text[len(before) :], start=cut)
        else:
            yield word
