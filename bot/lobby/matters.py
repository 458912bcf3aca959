"""Determine what a sentence is about (its matter, from `data/lobby-words.toml`) if no row of `data/command-words.toml`
fits.

Names are first taken out of the sentence: tables, factions, addresses, days, rule sets, paces and numbers. The other
words, in any order and amid any small talk, count for some matters and against others. So do the kinds of names that
were taken out, and the tables where the writer sits. A matter is likely if no other scores nearly as high; if two score
about the same, both are proposed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

import msgspec
from rapidfuzz.distance import OSA

from bot.effort import charge
from bot.language.command_lines import ADDRESS, FILE
from bot.language.names import FACTION_NAMES, fold_words
from bot.language.vocabulary import vocabulary
from bot.lobby.lines import (
    FARTHEST,
    ID,
    Known,
    days_of,
    faction_of,
    find_table,
    given_name,
    named_in,
    near_id,
    read_line,
    read_settings,
    read_worths,
    sells_at,
    words_for_rest,
    words_of,
    worth_words,
)
from bot.lobby.requests import Request, line_of
from rules.components.facts import load_toml

WORDS = "lobby-words.toml"
ENOUGH = 3.5  # the score that a matter needs to be proposed
SURE = 5  # the score needed to show the answer without asking
FAR = 2  # the score needed to be offered if nothing was understood
NEAR = 1.5  # a matter whose score is this close to the best is proposed too
MOST_LIKELY = 3
MOST_WORDS, MOST_CHARS = 60, 400
MOST_BETWEEN = 3  # the most words in a gap
STRANGE = 1  # how much each word that is unusual in such mails subtracts
BEFORE = 3  # how far before a phrase a "not" still negates it


class Matter(msgspec.Struct, frozen=True):
    name: str
    line: str
    needs: str = ""
    about: str = ""
    shows: bool = False


@dataclass(frozen=True, slots=True)
class Likely:
    line: str
    score: float
    matter: Matter
    talk: float  # the score for a sentence that is only talk


@cache
def _matters() -> Sequence[Matter]:
    return [msgspec.convert(row, Matter) for row in load_toml(WORDS)["matter"]]


Phrase = tuple[str, ...]
"""A sequence of word stems, names of word classes, and `_` for a gap."""


@cache
def _rows() -> Sequence[tuple[Mapping[str, float], Sequence[Sequence[Phrase]]]]:
    return [
        (row["for"], [[tuple(_stems(part)) for part in text.split(" + ")] for text in row["texts"]])
        for row in load_toml(WORDS)["words"]
    ]


@cache
def _phrases() -> Mapping[str, Mapping[Phrase, set[int]]]:
    found: dict[str, dict[Phrase, set[int]]] = {}
    for number, (_, texts) in enumerate(_rows()):
        for phrase in (phrase for parts in texts for phrase in parts if phrase):
            found.setdefault(phrase[0], {}).setdefault(phrase, set()).add(number)
    return found


@cache
def _classes() -> Mapping[str, Sequence[tuple[str, Phrase]]]:
    found: dict[str, list[tuple[str, Phrase]]] = {}
    for name, texts in load_toml(WORDS)["classes"].items():
        for words in {tuple(_stems(text)) for text in texts} - {()}:
            found.setdefault(words[0], []).append((name, words))
    return found


def _said(words: Sequence[str]) -> Mapping[Phrase, Sequence[int]]:
    kinds: list[dict[str, set[int]]] = [{words[place]: {1}} for place in range(len(words))]
    for place, word in enumerate(words):
        for name, several in _classes().get(word, ()):
            if tuple(words[place : place + len(several)]) == several:
                kinds[place].setdefault(name, set()).add(len(several))
    found: dict[Phrase, list[int]] = {}
    for place in range(len(words)):
        for phrase in (phrase for first in kinds[place] for phrase in _phrases().get(first, ())):
            if _fits(phrase, place, words, kinds):
                found.setdefault(phrase, []).append(place)
    return found


def _fits(phrase: Phrase, place: int, words: Sequence[str], kinds: Sequence[Mapping[str, set[int]]]) -> bool:
    if not phrase:
        return True
    if phrase[0] == "_":
        gaps = (gap for gap in range(MOST_BETWEEN + 1) if "|" not in words[place : place + gap])
        return any(_fits(phrase[1:], place + gap, words, kinds) for gap in gaps)
    lengths = kinds[place].get(phrase[0], ()) if place < len(words) else ()
    return any(_fits(phrase[1:], place + length, words, kinds) for length in lengths)


def _stems(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*|[_|]", text)
    return [_stem(word) for word in words if word.lower() not in _adverbs()]


@cache
def _adverbs() -> frozenset[str]:
    return frozenset(load_toml(WORDS)["beside"]["adverbs"].split())


@cache
def _stem(word: str) -> str:
    """Remove the ending of a word. A placeholder in capitals, which stands for a name that was taken out, keeps its
    ending.

    >>> _stem("leaving"), _stem("leave"), _stem("games"), _stem("quitting"), _stem("I'd"), _stem("TABLE")
    ('leav', 'leav', 'gam', 'quit', 'id', 'TABLE')
    """
    if word in ("_", "|") or (word.isupper() and len(word) > 1):
        return word
    word = "".join(fold_words(word))
    if len(word) > 5 and word.endswith("ing"):
        word = re.sub(r"([bdgmnprt])\1$", r"\1", word[:-3])
    elif len(word) > 3 and word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


# --- names -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Sentence:
    text: str
    known: Known
    plain: str = ""
    tables: list[str] = field(default_factory=list)
    day: str = ""
    named: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        text = self.text.lower().replace("’", "'")
        short = load_toml(WORDS)["short"]
        text = re.sub(rf"(?<![\w@.-])(?:{'|'.join(short)})(?![\w@-])", lambda word: short[word[0]], text)
        text = re.sub(r"\b(?:4|for) (me|us)\b", r"for \1", text)
        text = re.sub(ADDRESS.pattern, " ADDRESS ", text)
        self.text = _spelt_factions(self.text)
        text = _spelt_factions(text)
        for words, id in _tables_in(text, self.known):
            text = re.sub(rf"(?<!\w){re.escape(words)}(?:'s)?(?![\w-])", " TABLE ", text)
            self.tables += [] if id in self.tables else [id]
        text = re.sub(_day(self.known), self._take_day, text, flags=re.IGNORECASE)
        for name, kind in (("RULES", "ruleset"), ("PACE", "tempo")):
            words = "|".join(load_toml(FILE)["lobby-names"][kind].values())
            text = re.sub(rf"(?<![\w.-])(?:{words})(?![\w-])", f" {name} ", text)
        text = re.sub(rf"(?<![\w-])(?:{_factions()})(?:'s)?(?![\w-])", " FACTION ", text)
        numbers = "|".join(word for word, number in vocabulary().numbers.items() if number > 1)
        text = re.sub(rf"(?<![\w-])(?:[0-9]+|{numbers})(?![\w-])", " NUMBER ", text)
        text = re.sub(r"(?<!\w)[.,;:!?]+|[.,;:!?]+(?!\w)|\s[-–—]+\s", " | ", text)
        self.plain = " ".join(_stems(text)[:MOST_WORDS])
        self.named = _SLOTS.intersection(self.plain.split())

    def _take_day(self, found: re.Match[str]) -> str:
        self.day = self.day or days_of(self.known.today).read(found[0].removesuffix("'s"))
        return " DATE "

    @property
    def own(self) -> list[str]:
        return [table for table in self.tables if table in self.known.mine]

    @property
    def others(self) -> list[str]:
        return [table for table in self.tables if table not in self.known.mine]

    def has(self, *words: str) -> bool:
        return any(re.search(rf"(?<!\S){_stem(word)}(?!\S)", self.plain) for word in words)


def _day(known: Known) -> str:
    return (
        rf"(?<!\w)(?!may (?:i|we|you|he|she|they|it|be|have|not|one)\b)(?:{days_of(known.today).pattern})(?:'s)?(?!\w)"
    )


@cache
def _factions() -> str:
    spelt = {each for _, names in FACTION_NAMES.spelt() for each in names if len(each) > 1 and each != "ix"}
    nicknames = load_toml(WORDS)["nicknames"]
    return "|".join(re.escape(each) for each in sorted({*spelt, *nicknames}, key=len, reverse=True))


def _spelt_factions(text: str) -> str:
    return re.sub(r"(?<![\w@.-])[^\W\d_]{5,}(?![\w@-])", lambda word: _spelt_faction(word[0].lower()) or word[0], text)


@lru_cache(maxsize=4096)
def _spelt_faction(word: str) -> str:
    known = re.findall(r"[^\W\d_]{5,}", _factions())
    if word in known or _stem(word) in _common():
        return ""
    near = {OSA.distance(each, word.removesuffix("s")): each for each in known if each[0] == word[0]}
    return near[min(near)] if near and min(near) <= (1 if len(word) < 7 else 2) else ""


def _tables_in(text: str, known: Known) -> Iterator[tuple[str, str]]:
    every = list(dict.fromkeys([*(table.id for table in known.tables), *known.mine, *known.games, *known.others]))
    for found in re.finditer(rf"{ID.pattern}|(?<![\w-])[a-z][a-z-]* [0-9]{{1,6}}(?![\w-])", text):
        id = found[0].replace(" ", "-")
        if id in every or "-" in found[0]:
            yield found[0], near_id(id, every) or id
    for word in dict.fromkeys(re.findall(r"(?<![\w@.-])[a-z]{2,}(?![\w@-])", text)):
        begun = [id for id in every if _begins(word, id.rpartition("-")[0])]
        if len(begun) == 1 and not re.search(rf"\b(?:the|as|be|play|playing) {word}\b", text):
            yield word, begun[0]
    for found in re.finditer(rf"\b(?:{'|'.join(words_of('nouns'))})\b[^.,;:!?]{{1,30}}?({_day(known)})", text):
        meant = find_table(found[1], known)
        if meant and meant.words and meant.table and not _ANY.intersection(text[: found.start()].split()[-1:]):
            yield found[1], meant.table
    words = re.findall(r"\w[\w.'-]*\w|\w", text)
    for length in range(4, 1, -1):
        for place in range(len(words) - length + 1):
            window = words[place : place + length]
            if window[-1] not in words_of("nouns") or _ANY.intersection((*words[max(0, place - 1) : place], *window)):
                continue
            meant = find_table(" ".join(window), known)
            if meant and meant.words and meant.table:
                yield " ".join(window), meant.table


_ANY = {"a", "an", "any", "some", "another", "new", "no", "every", "which", "what", "next", "last", "more", "own"}


def _begins(word: str, name: str) -> bool:
    return word == name or (len(name) >= 5 and len(word) >= 5 and OSA.distance(word, name) <= FARTHEST - 1)


# --- meanings --------------------------------------------------------------------------------------------------------


def likely_lines(text: str, known: Known, least: float = ENOUGH) -> list[Likely]:
    """Return the lines that a sentence may mean, the likeliest first. Return an empty list if the sentence is small
    talk."""
    if len(text) > MOST_CHARS:
        return []
    charge(10)
    heard = _Sentence(text, known)
    scores = _scores(heard)
    talk = max(scores["talk"], scores["stay"])
    found: list[Likely] = []
    for matter in sorted(_matters(), key=lambda each: -scores[each.name]):
        score = scores[matter.name]
        if score < least or score <= talk or (found and score < found[0].score - NEAR) or len(found) == MOST_LIKELY:
            break
        lines = list(_filled(matter, heard)) if matter.line else []
        for line in lines or ([_FORMS[matter.name]] if matter.name in _FORMS and not found else []):
            if line not in [each.line for each in found]:
                found.append(Likely(line, score, matter, talk))
    return found[:MOST_LIKELY]


_FORMS = {"invite": "invite ADDRESS"}  # what to write if nothing fills a blank


def nearest_lines(text: str, known: Known) -> tuple[str, ...]:
    """Return the lines most similar to words that Mentat cannot understand, followed by lines that their writer is
    likely to need now."""
    heard = _Sentence(text[:MOST_CHARS], known)
    scores = _scores(heard)
    ranked = sorted((each for each in _matters() if scores[each.name] >= FAR), key=lambda each: -scores[each.name])
    found = [line for matter in ranked[:MOST_LIKELY] if matter.line for line in _filled(matter, heard)]
    asked = [f"{word} {table}" for table in known.asked[:1] for word in ("yes", "no")]
    own = ["my games"] if known.mine or known.games else ["games"]
    answered = [f"join {known.answers}"] if known.answers not in ("", *known.mine, *known.games) else []
    return tuple(dict.fromkeys((*found, *asked, *answered, *own)))[:MOST_LIKELY]


def tables_named(text: str, known: Known) -> set[str]:
    return {id for _, id in _tables_in(text.lower(), known)}


def several_lines(text: str, known: Known) -> list[str]:
    clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()] if len(text) <= MOST_CHARS else []
    if not 1 < len(clauses) <= MOST_CLAUSES:
        return []
    found: list[Likely] = []
    stays = False
    for clause in clauses:
        first = next(iter(likely_lines(clause, known, SURE)), None)
        if first and not any(_excludes(first, each) for each in found):
            found.append(first)
        stays |= first is None and _scores(_Sentence(clause, known))["stay"] >= SURE
    return [each.line for each in found] if len(found) + stays > 1 else []


def move_lines(text: str, known: Known) -> list[str]:
    heard = _Sentence(text[:MOST_CHARS], known)
    moves = re.search(
        rf"\b(?:{_MOVES}) (?:me |over |across |my seat |from TABLE )*(?:(?:to|into) (?:the )?)?TABLE", heard.plain
    )
    own = heard.own or list(known.mine)
    return [f"leave {own[0]}", f"join {heard.others[0]}"] if moves and len(own) == len(heard.others) == 1 else []


_MOVES = "|".join(map(_stem, ("move", "switch", "swap", "transfer", "change", "shift", "swop")))


def _excludes(one: Likely, other: Likely) -> bool:
    """Return whether only one of these two lines can be meant: they are of the same kind and do not concern two
    tables."""
    of_a_kind = one.matter.about == other.matter.about
    about_two = one.matter.about == "seat" and " " in one.line and one.line.split()[1] != other.line.split()[-1]
    return one.line == other.line or (of_a_kind and not about_two)


_CLAUSE = re.compile(r"[.,;:!?]+\s+|\s+[-–—]+\s+|,?\s+(?:but|and|then|plus|also|while|whereas)\s+", re.IGNORECASE)
MOST_CLAUSES = 8


def is_sure(likely: Sequence[Likely]) -> bool:
    """Return whether the first line is meant beyond doubt: it only shows something, and no other line scores nearly as
    high."""
    first = likely[0]
    alone = all(first.score - each.score > NEAR for each in likely[1:])
    return alone and first.matter.shows and first.score - first.talk >= SURE


def _scores(heard: _Sentence) -> dict[str, float]:
    scores = {matter.name: 0.0 for matter in _matters()}
    words = heard.plain.split()
    said = _said(words)
    for speak, texts in (_rows()[row] for row in sorted({row for each in said for row in _phrases()[each[0]][each]})):
        places = {place for parts in texts if all(part in said for part in parts) for place in said[parts[0]]}
        turned = [_is_turned(words, place) for place in places]
        for name, weight in speak.items() if turned else ():
            often = len(turned) if name == "talk" else 1
            scores[name] += often * weight if not all(turned) else -abs(weight)
    for name, weight in _beside(heard):
        scores[name] += weight
    names = {_stem(word.lower()) for word in re.findall(r"(?<=[\w,] )[A-Z][a-z]+", heard.text)}
    strange = 0 if heard.named & _TELLING else max(0, len(set(heard.plain.split()) - _common() - names) - 1)
    for matter in _matters():
        if matter.line:
            scores[matter.name] = scores[matter.name] - strange * STRANGE if _has_ground(matter, heard) else 0
    return scores


@cache
def _common() -> frozenset[str]:
    phrases = (word for _, texts in _rows() for parts in texts for phrase in parts for word in phrase)
    classes = (word for several in _classes().values() for _, phrase in several for word in phrase)
    beside = map(_stem, (*load_toml(WORDS)["beside"]["words"].split(), *vocabulary().known))
    return frozenset((*phrases, *classes, *beside)) | _SLOTS


_SLOTS = frozenset({"|", "ADDRESS", "TABLE", "DATE", "RULES", "PACE", "FACTION", "NUMBER"})
_TELLING = frozenset({"ADDRESS", "TABLE", "RULES"})


def _is_turned(words: Sequence[str], place: int) -> bool:
    """Return whether a "not" comes before a phrase that contains no "not" itself."""
    before = " ".join(words[max(0, place - BEFORE) : place]).rpartition("|")[2].replace("no matter", "")
    return bool(_NOT.intersection(before.split())) and not _NOT.intersection(words[place : place + 2])


_NOT = frozenset(map(_stem, ("not", "don't", "never", "no", "can't", "cannot", "won't", "didn't", "without")))


def _beside(heard: _Sentence) -> Iterator[tuple[str, float]]:
    known = heard.known
    if heard.own:
        yield from (("leave", 1), ("join", -3), ("mine", 1), ("close", 1), ("start", 1), ("hold", 1))
    if heard.others:
        yield from (("join", 2), ("wait", 1), ("any", -2), ("leave", -1), ("open", -1))
    if known.answers in known.mine:
        yield from (("leave", 0.5), ("start", 0.5), ("hold", 0.5))
    if known.answers in known.games:
        yield "rematch", 1
    if known.asked:
        yield from (("yes", 1), ("no", 1), ("join", -2), ("any", -2))
    if "?" in heard.text:
        yield from (("list", 1), ("soon", 1), ("mine", 1), ("help", 1))
    for name, matters in _NAMED.items():
        yield from matters if name in heard.named else ()


_NAMED: Mapping[str, Sequence[tuple[str, float]]] = {
    "ADDRESS": (("invite", 4), ("join", -2)),
    "FACTION": (("wishes", 1),),
    "DATE": (("hold", 1), ("soon", 1)),
    "RULES": (("list", 1), ("open", 1), ("any", 1)),
    "PACE": (("list", 1), ("open", 1), ("any", 1)),
}


def _has_ground(matter: Matter, heard: _Sentence) -> bool:
    known = heard.known
    match matter.needs:
        case "asked":
            return bool(known.asked)
        case "mine":
            return bool(known.mine)
        case "game":
            return bool(known.games or known.mine)
        case "auction":
            return bool(sells_at(known))
        case "table":
            return bool(heard.others) or known.answers not in ("", *known.mine)
    return True


# --- its line --------------------------------------------------------------------------------------------------------


def _filled(matter: Matter, heard: _Sentence) -> Iterator[str]:
    """Yield the line of a matter, with its blanks filled from anywhere in the sentence. There is one line for each
    table that may be meant, and none if a required blank cannot be filled."""
    blanks = [blank for blank in _BLANKS if blank in matter.line.split()]
    choices = {blank: _BLANKS[blank](heard) for blank in blanks}
    for number in range(max((len(each) for each in choices.values()), default=1)):
        line = matter.line
        for blank, filled in choices.items():
            if not filled:
                return
            line = line.replace(blank, filled[min(number, len(filled) - 1)])
        request = read_line(" ".join(line.split()), heard.known)
        if request is not None:
            yield _canonical(request, line)


def _canonical(request: Request, line: str) -> str:
    table = getattr(request, "table", None)
    return " ".join(line.split()) if table is not None and not table.table else line_of(request)


def own_line(text: str, known: Known) -> str:
    request = read_line(text, known)
    return text if request is None else _canonical(request, text)  # two proposals of the same thing count as one


def _chairs(heard: _Sentence) -> list[str]:
    wishes, name = _wishes_or_bids(heard, heard.others or [heard.known.answers])[:1], _names(heard)[:1]
    beside = " ".join([*(f"with {each}" for each in wishes), *(f"as {each}" for each in name)])
    return [f"{table} {beside}" for table in heard.others or [""]]


def _wishes_or_bids(heard: _Sentence, tables: Sequence[str]) -> list[str]:
    sold = any(table.factions == "auction" for table in heard.known.tables if table.id in tables)
    return (_worths(heard) if sold else []) or _wishes(heard)


def _any_chair(heard: _Sentence) -> list[str]:
    rulesets, tempos = (named_in(_without_nouns(heard), kind)[0][:1] for kind in ("ruleset", "tempo"))
    wishes = "".join(f" with {each}" for each in _wishes(heard)[:1])
    return [f"{' '.join((*rulesets, *tempos)) or 'next'}{wishes}"]


def _without_nouns(heard: _Sentence) -> str:
    return re.sub(r"\btables?\b", " ", heard.text, flags=re.IGNORECASE).lower()  # "table" is also the name of a pace


def _filters(heard: _Sentence) -> list[str]:
    text = _without_nouns(heard)
    return [" ".join(name for kind in ("ruleset", "tempo") for name in named_in(text, kind)[0][:1])]


def _settings(heard: _Sentence) -> list[str]:
    wanted, _ = read_settings(re.sub(r"\btables?\b", " ", heard.text, flags=re.IGNORECASE), heard.known)
    settings = line_of(msgspec.structs.replace(wanted, mistakes=())).partition(": ")[2]
    return [f": {settings}" if settings else " "]


def _wishes(heard: _Sentence) -> list[str]:
    """Return the factions in the order in which the sentence names them, with those after a "not" last, in the form
    that `read_wishes` gives."""
    text = heard.text.lower().replace("’", "'")
    liked, disliked, ties = list[str](), list[str](), ""
    end = 0
    for found in re.finditer(rf"(?<![\w-])(?:{_factions()})(?![\w-])", text):
        faction = load_toml(WORDS)["nicknames"].get(found[0]) or faction_of(found[0])
        between, end = text[end : found.start()], found.end()
        if faction is None or faction in (*liked, *disliked):
            continue
        if _REFUSES.search(between):
            disliked.append(faction)
        else:
            ties += "=" if liked and re.fullmatch(r"\s*,?\s*or\s+(?:the\s+)?", between) else ","
            liked.append(faction)
    line = "".join(f"{' = ' if tie == '=' else ', '}{each}" for tie, each in zip(ties, liked, strict=True))
    whole = ", ".join([*([line[2:].strip()] if liked else ["*"] if disliked else []), *([] if liked else disliked)])
    return [whole] if whole else []


_REFUSES = re.compile(
    r"\b(?:not|n't|no|never|but|except|without|avoid|hate|rather than|instead of|apart from|other than|sick of|"
    r"tired of|keep me away from|dislike|anyone else than)\b[^,;.!?]{0,20}$"
)


def _worths(heard: _Sentence) -> list[str]:
    number = rf"-?[0-9][0-9.,]*|{'|'.join(worth_words())}"
    kept = re.findall(rf"(?<![\w-])(?:{_factions()}|{number})(?![\w-])|{words_for_rest()}|[,;.!]\s", heard.text.lower())
    read = read_worths(" ".join(kept))
    return [read[0]] if read else []


def _names(heard: _Sentence) -> list[str]:
    found = _NAMED_SO.search(heard.text)
    return [name for name in [given_name(found["name"])] if name] if found else []


_NAMED_SO = re.compile(
    r"\b(?i:i'?m|i am|call me|my name is|name's|name is|this is|under the name|put me down as|pencil in|show me as"
    r"|list me as|name as)\s+(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?![\w'-])(?!\s+[a-z]+ing\b)"
)


def _addresses(heard: _Sentence) -> list[str]:
    found = re.findall(ADDRESS.pattern, heard.text)
    return [" ".join(found)] if found else []


def _own_table(heard: _Sentence) -> list[str]:
    mine = heard.known.mine
    return heard.own or [heard.known.answers if heard.known.answers in mine else mine[0] if len(mine) == 1 else ""]


_BLANKS: Mapping[str, Callable[[_Sentence], list[str]]] = {
    "CHAIR": _chairs,
    "ANY": _any_chair,
    "TABLE": lambda heard: heard.others or [""],
    "OWN": lambda heard: heard.own or [""],
    "CLOSED": _own_table,
    "PLAYED": lambda heard: [each for each in heard.tables if each in heard.known.games] or [""],
    "FILTERS": _filters,
    "SETTINGS": _settings,
    "WISHES": lambda heard: _wishes_or_bids(heard, heard.known.mine),
    "ANYWISH": lambda heard: (_worths if sells_at(heard.known) else _wishes)(heard) or ["*"],
    "WORTHS": _worths,
    "NAME": _names,
    "ADDRESSES": _addresses,
    "FROM": lambda heard: [f"not before {heard.day}" if heard.day else " "],
    "UNTIL": lambda heard: [f"until {heard.day}" if heard.day else " "],
    "COMPUTERS": lambda heard: ["with computers" if heard.has("computer", "computers", "bot", "bots") else " "],
    "RULESET": lambda heard: [_filters(heard)[0].split(" ")[0] if "RULES" in heard.named else " "],
    "SIDE": lambda heard: [f"as {wish}" for wish in _wishes(heard) if "," not in wish and "=" not in wish] or [" "],
}
