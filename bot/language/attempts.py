"""One attempt to read a line in plain words as one form of an order, with a record of how each word was used.

The search for names tries full names, abbreviations and nicknames first, then single words of a name and beginnings of
names. A word that has another use in plain words never counts as the beginning of a name. Words are tried as misspelt
names only if nothing else was found. Forces are read as players name them: "four tokens", "2 regulars + 1 fedaykin",
"everyone", "half of my men".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Literal

from bot.effort import charge
from bot.language.forms import Blank, pieces
from bot.language.lines import Context, WriterView
from bot.language.names import (
    CARD_NAMES,
    ELEMENT_NAMES,
    FACTION_NAMES,
    FIGHTER_NAMES,
    KIND_NAMES,
    LEADER_NAMES,
    PHASE_NAMES,
    TERRITORY_NAMES,
    TOKEN_NAMES,
    Names,
    begins_words,
    fold_words,
    similar,
)
from bot.language.vocabulary import LineWords, OrderWords, Phrases, PlainWords, Word, vocabulary
from rules.components import LEADERS, Faction, Forces, Leader

NEAR_NAME = 0.75  # minimum similarity of a misspelt name, 0 to 1
NEAR_LIKELY = 0.65
CLEARLY = 0.85  # minimum similarity of a misspelt name that still counts as certain
SHORTEST_MISSPELT = 4
MOST_MEANT = 4  # a word that fits more names than this identifies none
LONGEST_NAME = 5  # in words

SORTS_OF_NAMES: Mapping[str, Names[Any]] = {
    "faction": FACTION_NAMES,
    "territory": TERRITORY_NAMES,
    "leader": LEADER_NAMES,
    "fighter": FIGHTER_NAMES,
    "card": CARD_NAMES,
    "kind": KIND_NAMES,
    "element": ELEMENT_NAMES,
    "phase": PHASE_NAMES,
    "token": TOKEN_NAMES,
}


@dataclass(frozen=True, slots=True)
class NameMatch:
    """The names that some words of a line can mean: the `length` words that start at position `place` can mean any name
    in `values`. `whole` is true if they are a full name, and `misspelt` if they only resemble one (a doubtful
    match)."""

    length: int
    values: tuple[str, ...]
    whole: bool = False
    misspelt: bool = False
    place: int = field(default=0, compare=False)

    @property
    def after(self) -> int:
        return self.place + self.length


class _Index:
    def __init__(self, sort: str) -> None:
        nicknames = vocabulary().nicknames.get("leader" if sort == "fighter" else sort, {})
        self.whole: dict[str, tuple[str, ...]] = {}
        self.by_word: dict[str, tuple[str, ...]] = {}
        self.spellings: list[tuple[tuple[str, ...], str]] = []
        for value, texts in SORTS_OF_NAMES[sort].spelt():
            for text in (*texts, *nicknames.get(value, ())):
                words = fold_words(text)
                if not words:
                    continue
                self._add(self.whole, "".join(words), value)
                if sort == "faction" and len(words[-1]) > 3 and words[-1][-1] != "s":  # "the Emperor's"
                    self._add(self.whole, f"{''.join(words)}s", value)
                for word in words if len(words) > 1 else ():
                    if len(word) >= 3 and word not in vocabulary().known:
                        self._add(self.by_word, word, value)
                self.spellings.append((words, value))
        self._by_initials: dict[str, dict[tuple[tuple[str, ...], str], None]] = {}
        for spelling, value in self.spellings:
            for word in spelling:
                for initials in (word[:1], word[:2], word[:3]):
                    self._by_initials.setdefault(initials, {})[spelling, value] = None
        self.keys = tuple(key for key in self.whole if len(key) >= SHORTEST_MISSPELT)

    @staticmethod
    def _add(where: dict[str, tuple[str, ...]], key: str, value: str) -> None:
        if value not in where.get(key, ()):
            where[key] = (*where.get(key, ()), value)

    def beginning(self, words: Sequence[str]) -> tuple[str, ...]:
        likely = self._by_initials.get(words[0][:3], ())
        return tuple({value: None for spelling, value in likely if begins_words(words, spelling)})


@cache
def _index(sort: str) -> _Index:
    return _Index(sort)


@cache
def whole_names() -> frozenset[str]:
    return frozenset(key for sort in SORTS_OF_NAMES for key in _index(sort).whole if key not in vocabulary().small)


def name_at(
    sort: str, words: Sequence[str], place: int, likely: Collection[str] = (), *, misspelt: bool = False
) -> NameMatch | None:
    """Return the names of this sort that the words at `place` can mean, or None if they mean no name. If several names
    are possible, those in `likely` take precedence."""
    index = _index(sort)
    most = min(LONGEST_NAME, len(words) - place)
    for length in range(most, 0, -1):
        key = "".join(words[place : place + length])
        values = index.whole.get(key)
        if values and (len(key) > 2 or key not in vocabulary().small):
            return NameMatch(length, _likely(values, likely), whole=True, place=place)
    for length in range(min(3, most), 1, -1) if misspelt else ():
        values = _misspelt(index, words[place : place + length], CLEARLY)
        if len(values) == 1:
            return NameMatch(length, values, place=place)
    for length in range(min(3, most), 0, -1):
        values = _shortened(sort, tuple(words[place : place + length]))
        if values and len(_likely(values, likely)) <= MOST_MEANT:
            return NameMatch(length, _likely(values, likely), place=place)
    if misspelt:
        for length in range(min(2, most), 0, -1):
            said = words[place : place + length]
            values = _misspelt(index, said, NEAR_NAME) or _nearly_likely(index, said, likely)
            if values:
                values = _likely(values, likely)
                doubtful = _misspelt(index, said, CLEARLY) != values or len(values) > 1
                return NameMatch(length, values, misspelt=doubtful, place=place)
    return None


def _likely(values: tuple[str, ...], likely: Collection[str]) -> tuple[str, ...]:
    return tuple(value for value in values if value in likely) or values


@lru_cache(maxsize=4096)  # each form that could fit the line looks up the same words
def _shortened(sort: str, words: tuple[str, ...]) -> tuple[str, ...]:
    index = _index(sort)
    known = vocabulary().known
    if len(words) == 1:
        word = words[0]
        if word in known:
            return ()
        if word in index.by_word:
            return index.by_word[word]
        return index.beginning(words) if len(word) >= (3 if sort == "faction" else 4) else ()
    if len(words[0]) < 2 or words[0] in known or (words[-1] in known and len(words[-1]) > 1):
        return ()
    return index.beginning(words)


def _misspelt(index: _Index, words: Sequence[str], least: float) -> tuple[str, ...]:
    text = "".join(words)
    if len(text) < SHORTEST_MISSPELT or any(word in vocabulary().known for word in words) or not text.isalpha():
        return ()
    hits = similar(text, index.keys, least)[:3]
    return tuple(dict.fromkeys(v for key, score in hits if score >= hits[0][1] - 0.02 for v in index.whole[key]))


def _nearly_likely(index: _Index, words: Sequence[str], likely: Collection[str]) -> tuple[str, ...]:
    """Return the one likely name that resembles the words. Likely names are few, so they need less resemblance than
    other names: "othiem" can be read as Otheym."""
    text = "".join(words)
    if not likely or len(text) < SHORTEST_MISSPELT or any(word in vocabulary().known for word in words):
        return ()
    keys = [key for key in index.keys if key[0] == text[0] and not set(likely).isdisjoint(index.whole[key])]
    hits = similar(text, keys, NEAR_LIKELY)[:3]
    values = {value for key, _ in hits for value in index.whole[key] if value in likely}
    return tuple(values) if len(values) == 1 else ()


@dataclass(slots=True)
class Attempt:
    """A line being read as one form.

    `used` holds the places of the words already accounted for, and `told` counts the names and numbers that filled a
    blank. The flags are `misspelt` (a misspelling was corrected), `guessed` (a blank that the line leaves open was
    filled in from the position), `named` (words in the line name the order) and `shortened` (a name is not given in
    full).
    """

    said: LineWords
    context: Context
    known: WriterView
    entry: OrderWords
    spelt: bool = False
    used: set[int] = field(default_factory=set)
    misspelt: bool = False
    guessed: bool = False
    told: int = 0
    named: bool = False
    shortened: bool = False
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        charge(1 + len(self.said.words) // 8)
        self.texts = [word.text for word in self.said.words]

    @property
    def words(self) -> Sequence[Word]:
        return self.said.words

    @property
    def asked(self) -> bool:
        return any(question.kind in self.entry.form.kinds for question in self.known.asked)

    def free(self, place: int) -> bool:
        return place not in self.used

    def use(self, place: int, length: int = 1) -> None:
        self.used.update(range(place, place + length))

    def unused(self) -> list[int]:
        return [place for place in range(len(self.words)) if place not in self.used]

    def take_all(self, phrases: Phrases, shortest: int = 1) -> int:
        taken = 0
        for place in self.unused():
            length = phrases.length(self.texts, place) if self.free(place) else 0
            if length >= shortest and all(self.free(place + more) for more in range(length)):
                self.use(place, length)
                taken += 1
        return taken

    def names(self, sort: str, likely: Collection[str] = ()) -> Iterator[NameMatch]:
        """Yield the names of this sort among the unused words, and mark their words as used."""
        place = 0
        while place < len(self.words):
            if self.free(place):
                named = name_at(sort, self.texts, place, likely, misspelt=self.spelt)
                if (
                    named
                    and all(self.free(place + more) for more in range(named.length))
                    and self._together(place, named)
                ):
                    self.use(place, named.length)
                    self.misspelt |= named.misspelt
                    self.shortened |= not named.whole
                    self.told += 1
                    if sort in ("leader", "fighter"):
                        self._use_marks(place + named.length, named.values)
                    yield named
                    place += named.length
                    continue
            place += 1

    def _use_marks(self, place: int, leaders: Collection[str]) -> None:
        # Mark as used the words printed next to a leader: "Feyd-Rautha (6)", "Burseg (Emperor, 3)".
        known = [LEADERS[Leader(leader)] for leader in leaders if leader in LEADERS]
        while place < len(self.words) and known:
            word = self.words[place]
            faction = name_at("faction", self.texts, place)
            if word.number is not None:
                fits = [facts for facts in known if facts.strength == word.number and self._marks(place)]
            elif word.text == "x" and self.said.text[word.start - 1] == "(":
                fits = [facts for facts in known if not facts.strength]
            elif faction and faction.whole and not faction.misspelt and self._in_brackets(place):
                fits = [facts for facts in known if facts.faction in faction.values]
            else:
                return
            if not fits:
                return
            length = faction.length if faction and word.number is None else 1
            self.use(place, length)
            place += length

    def _in_brackets(self, place: int) -> bool:
        before = self.said.text[: self.words[place].start]
        return before.count("(") > before.count(")")

    def _marks(self, place: int) -> bool:
        # A number after a leader is its strength, not a dial, if it is in brackets or next to another number.
        if self._in_brackets(place) or "plan" not in self.entry.form.pattern:
            return True
        others = [
            other
            for other, word in enumerate(self.words)
            if other != place
            and word.number is not None
            and _SPENT.isdisjoint(self.texts[max(0, other - 2) : other + 2])
        ]
        beside = self.words[place].part == self.words[place - 1].part
        self.guessed |= beside and not others
        return beside and bool(others)

    def _together(self, place: int, named: NameMatch) -> bool:
        words = self.words[place : place + named.length]
        return words[0].part == words[-1].part or (
            named.whole and len(set(self.texts[place : place + named.length])) == 1
        )

    def word_before(self, place: int) -> int | None:
        place -= 1
        while place >= 0 and self.texts[place] in ("the", "my", "our", "sector"):
            place -= 1
        return place if place >= 0 else None


_SPENT = frozenset({"spice", "sp", "pay", "paying", "spend", "spending", "support", "supporting"})
_THINGS = ("faction", "territory", "leader", "card")
"""If the line has an unused full name of one of these sorts, the order is not carried out, only proposed."""

_PRICE = frozenset({"pay", "paying", "costs", "cost"})
"""A number after one of these words is the cost of the order, which the rules compute themselves."""


def use_up_mentions(attempt: Attempt, *, strict: bool = False) -> bool:
    """Mark as used the writer's own name and the names that the question itself mentions. Return False if the line
    still has a number for which the order has no blank, or a name that could fill one of the order's blanks. If
    `strict`, return False for any remaining name."""
    about = [question.about for question in attempt.known.asked if question.kind in attempt.entry.form.kinds]
    facts = {str(value) for facts in about for value in facts.values() if isinstance(value, str)}
    facts.update(value for text in facts.copy() for value in _named_in(text))
    facts.update(attempt.known.allies if "ally" in attempt.entry.mentions else ())
    numbers = {("card", facts.get("number")) for facts in about} | {("turn", attempt.context.turn)}
    for place in attempt.unused():
        if not attempt.free(place):
            continue
        word = attempt.words[place]
        if word.number is not None:
            before = attempt.texts[place - 1] if place else ""
            after = attempt.texts[place + 1] if place + 1 < len(attempt.words) else ""
            number = int(word.number)
            priced = before in _PRICE or (before == "for" and attempt.entry.form.pattern == "revive {leader}")
            if priced or after in vocabulary().units["spice"] or _counts_others(attempt, place + 1):
                attempt.guessed = True
            elif (before, number) not in numbers and not (word.ordinal and (after, number) in numbers):
                return False
            attempt.use(place)
        elif not _mention(attempt, place, facts, strict=strict):
            return False
    return True


@lru_cache(maxsize=256)
def _named_in(text: str) -> tuple[str, ...]:
    # Return the cards and leaders of a Truthtrance question, which its answer may name again.
    words = fold_words(text)
    places = range(len(words)) if len(words) > 3 else ()
    found = [name_at(sort, words, place) for place in places for sort in ("card", "leader")]
    return tuple(value for named in found if named and named.whole for value in named.values)


def _counts_others(attempt: Attempt, place: int) -> bool:
    named = name_at("faction", attempt.texts, place) if place < len(attempt.texts) else None
    if named is None or not named.whole or attempt.context.faction in named.values or not attempt.free(place):
        return False
    attempt.use(place, named.length)
    return True


def _mention(attempt: Attempt, place: int, facts: set[str], *, strict: bool) -> bool:
    slots = [piece.slot_name for piece in pieces(attempt.entry.form.pattern) if isinstance(piece, Blank)]
    taken = {each for slot in slots for each in SORTS_OF_BLANKS.get(slot, ())}
    for sort in SORTS_OF_NAMES:
        named = name_at(sort, attempt.texts, place)
        if named is None or any(not attempt.free(place + more) for more in range(named.length)):
            continue
        own = sort == "faction" and named.values == (attempt.context.faction,) and named.whole
        if own or facts.intersection(named.values) or sort in attempt.entry.mentions:
            attempt.use(place, named.length)
            return True
        if sort in _THINGS and named.whole and attempt.texts[place] not in vocabulary().known:
            if strict or sort in taken or "plan" in slots or (sort == "faction" and not place):
                return False
            attempt.guessed = True
    return True


SORTS_OF_BLANKS: Mapping[str, tuple[str, ...]] = {
    "area": ("territory",),
    "territory": ("territory",),
    "via": ("territory",),
    "groups": ("territory",),
    "faction": ("faction",),
    "factions": ("faction",),
    "leader": ("leader",),
    "traitor": ("leader",),
    "card": ("card",),
    "cards": ("card",),
    "kind": ("kind",),
    "element": ("element",),
    "plan": ("leader", "card"),
}
"""The sorts of names that can fill each sort of blank."""


def names_value(texts: Sequence[str]) -> bool:
    numbers = vocabulary().numbers
    return any(text[0].isdigit() or text in numbers for text in texts) or any(
        (name := name_at(sort, texts, place)) and name.whole for sort in _THINGS for place in range(len(texts))
    )


NOTHING = Forces()


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity of forces as a player wrote it: a fixed number, or a share of the forces present.

    `share` is "all", "half", "both" or "single", or "" for a fixed number; "ordinary" or "elite" follows if the share
    is taken from those forces only. `first` is the place of the quantity's first word. `exact` is true if the quantity
    was given in numbers or as "all". `less` is the number that stays behind ("all but 2"). `counted` is the number that
    the writer gives for "all" ("all 5").
    """

    first: int
    forces: Forces = NOTHING
    share: str = ""
    exact: bool = True
    less: int = 0
    counted: int = 0

    def sorts(self) -> set[str]:
        said = {"ordinary": bool(self.forces.ordinary), "elite": bool(self.forces.elite)}
        return {sort for sort in said if said[sort] or self.share.endswith(sort)}

    def of(self, there: Forces) -> Forces | None:
        if not self.share:
            return self.forces
        shared = _share(self.share, there)
        if self.less:
            return Forces(shared.ordinary - self.less) if shared.ordinary > self.less and not shared.elite else None
        if self.counted and shared.total != self.counted:
            return Forces(self.counted)
        return self.forces + shared if shared else None


def _share(share: str, there: Forces) -> Forces:
    how, _, sort = share.partition(" ")
    meant = Forces(0 if sort == "elite" else there.ordinary, 0 if sort == "ordinary" else there.elite)
    if how == "half":
        told = meant.total % 2 == 0 and not (meant.ordinary and meant.elite)
        return Forces(meant.ordinary // 2, meant.elite // 2) if told and (sort or not meant.elite) else NOTHING
    return meant if how == "all" or meant.total == {"both": 2, "single": 1}[how] else NOTHING


def find_quantities(
    words: Sequence[Word], free: Callable[[int], bool], use: Callable[[int], None], faction: Faction
) -> list[Quantity] | None:
    """Return the quantities of forces in the order of the words, and mark their words as used. Return
    None if the line has a number that cannot be a number of forces."""
    texts = [word.text for word in words]
    groups: list[_Group] = []
    denied: set[str] = set()
    place = 0
    while place < len(words):
        if free(place) and (sort := _denied_at(texts, place, faction)):
            denied.add(sort[0])
            for used in range(place, sort[1]):
                use(used)
            place = sort[1]
            continue
        group = _group_at(words, texts, place, free, vocabulary(), faction) if free(place) else None
        if group is None:
            place += 1
            continue
        for used in range(group.first, group.after):
            use(used)
        groups.append(group)
        place = group.after
    found = _joined(groups, words, use)
    if denied and found is not None:
        rest = "elite" if "ordinary" in denied else "ordinary"
        found = [replace(each, share=f"all {rest}") if each.share == "all" else each for each in found]
    if found and any(denied & each.sorts() for each in found):
        return None
    return found


def _denied_at(texts: Sequence[str], place: int, faction: Faction) -> tuple[str, int] | None:
    """If the words at `place` exclude a sort of forces ("no Fedaykin", "without any normals"), return that sort and the
    place after the words; else None."""
    after = place + 1
    if texts[place] not in _DENYING:
        return None
    while after < len(texts) and texts[after] in ("any", "the", "my"):
        after += 1
    sort, end = _unit(texts, after, vocabulary(), faction)
    return (sort, end) if sort in ("ordinary", "elite") else None


_DENYING = frozenset({"no", "without", "zero"})


@dataclass(frozen=True, slots=True)
class _Group:
    first: int
    after: int
    number: int | None
    share: str
    sort: Literal["", "any", "ordinary", "elite"]
    exact: bool = True
    less: int = 0
    counted: int = 0


def _group_at(
    words: Sequence[Word],
    texts: Sequence[str],
    place: int,
    free: Callable[[int], bool],
    plain: PlainWords,
    faction: Faction,
) -> _Group | None:
    word = words[place]
    number: int | None = None
    share = next((each for each in _AMOUNTS if plain.amounts[each].length(texts, place)), "")
    after, exact = place + (plain.amounts[share].length(texts, place) if share else 1), share not in _INEXACT
    if word.number is not None and not word.ordinal:
        if word.number % 1:
            return None
        number, share, after, exact = int(word.number), "", place + 1, True
    elif word.text in ("a", "an"):
        number, share, after, exact = 1, "", place + 1, True
    elif share == "couple":
        number, share = 2, ""
    elif share == "rest":
        share = "all"
    elif not share:
        sort, end = _unit(texts, place, plain, faction)
        if sort in ("any", "ordinary", "elite") and free(place) and texts[place] != "special":
            alone = texts[place] in _ONE or not _ALONE.isdisjoint(texts[place:end])
            how = "single" if alone else "all" if sort != "any" else ""
            return _Group(place, end, None, _of_sort(how, sort), sort, False)
        return None
    sort, end = _unit(texts, after, plain, faction)
    less = counted = 0
    if share == "all" and not sort and (said := _counted(words, after, ("but", "except"))):
        less, after = said, after + 2
        sort, end = _unit(texts, after, plain, faction)
    elif share == "all" and not sort and (said := _counted(words, after, ())):
        counted, after = said, after + 1
        sort, end = _unit(texts, after, plain, faction)
        if sort in ("ordinary", "elite"):
            number, share = counted, ""
    if sort == "wrong":
        return None
    if word.text in ("a", "an") and not sort:
        return None
    return _Group(place, end if sort else after, number, _of_sort(share, sort), sort, exact, less, counted)


def _of_sort(share: str, sort: str) -> str:
    return f"{share} {sort}" if share and sort in ("ordinary", "elite") else share


_AMOUNTS = ("couple", "half", "rest", "all", "both", "single")
_INEXACT = ("couple", "half", "rest", "single")


def _counted(words: Sequence[Word], place: int, behind: Sequence[str]) -> int:
    if behind:
        if place >= len(words) or words[place].text not in behind:
            return 0
        place += 1
    number = words[place].number if place < len(words) and not words[place].ordinal else None
    return int(number) if number and not number % 1 else 0


_ONE = frozenset({"token", "man", "guy", "soldier", "unit", "piece", "troop", "force", "fighter"})
_ALONE = frozenset({"single", "lone"})
_BETWEEN = frozenset({"of", "my", "the", *_ALONE, "those", "these", "our", "remaining", "whole", "brave", "x"})


def _unit(
    texts: Sequence[str], place: int, plain: PlainWords, faction: Faction
) -> tuple[Literal["", "any", "ordinary", "elite", "wrong"], int]:
    at = place
    while at < len(texts) and texts[at] in _BETWEEN:
        at += 1
    if at >= len(texts):
        return "", place
    if texts[at] in plain.regular:
        return "ordinary", at + 2 if at + 1 < len(texts) and texts[at + 1] in (*plain.ordinary, "ones") else at + 1
    if is_elite(texts[at], faction):
        return "elite", at + 2 if at + 1 < len(texts) and texts[at + 1] in plain.ordinary else at + 1
    if texts[at] in plain.ordinary:
        return "any", at + 1
    if any(texts[at] in unit for unit in plain.units.values()) or any(
        texts[at] in elite for elite in plain.elite.values()
    ):
        return "wrong", at
    return "", place


def is_elite(text: str, faction: Faction) -> bool:
    plain = vocabulary()
    names = plain.elite.get(faction, frozenset())
    return text in names or (
        len(text) >= 4 and text not in plain.known and any(name.startswith(text) for name in names)
    )


def _joined(groups: list[_Group], words: Sequence[Word], use: Callable[[int], None]) -> list[Quantity] | None:
    found: list[Quantity] = []
    texts = [word.text for word in words]
    place = 0
    while place < len(groups):
        group = groups[place]
        after = groups[place + 1] if place + 1 < len(groups) else None
        between = texts[group.after : after.first] if after else []
        if (
            after
            and group.number is not None
            and group.sort != "elite"
            and after.share in ("all elite", "both elite")
            and between in (["and"], ["+"], [])
        ):
            found.append(Quantity(group.first, Forces(group.number), after.share))
            place += 2
            continue
        if after and group.number is not None and after.number is not None and _pair(group, after, between):
            for used in range(group.after, after.first):
                use(used)
            elite = group.number if group.sort == "elite" else after.number
            ordinary = after.number if group.sort == "elite" else group.number
            if _includes(between):
                ordinary -= elite
            if ordinary < 0:
                return None
            found.append(Quantity(group.first, Forces(ordinary, elite), exact=group.exact and after.exact))
            place += 2
            continue
        if group.share:
            found.append(
                Quantity(group.first, NOTHING, group.share, group.exact and not group.less, group.less, group.counted)
            )
        elif group.number is not None:
            forces = Forces(0, group.number) if group.sort == "elite" else Forces(group.number)
            found.append(Quantity(group.first, forces, exact=group.exact))
        place += 1
    return _said_twice(found, words)


def _said_twice(found: list[Quantity], words: Sequence[Word]) -> list[Quantity]:
    """Drop a quantity that only repeats the one before it.

    The same number may appear with and without its sorts of forces ("3: 2 normal and 1 elite"), in digits and as a word
    ("3 (three)"), or again as a limit ("a Sardaukar, only one"). But "3 and 3" are two quantities.
    """
    if len(found) != 2 or found[0].share or found[1].share or found[0].forces.total != found[1].forces.total:
        return found
    if words[found[1].first - 1].text in _JOINS:
        return found
    if words[found[1].first - 1].text in ("only", "just"):
        return found[:1]
    by_sorts = [quantity for quantity in found if quantity.forces.ordinary and quantity.forces.elite]
    if len(by_sorts) == 1:
        return by_sorts
    in_digits = {words[quantity.first].text.isdigit() for quantity in found}
    return found[:1] if found[0].forces == found[1].forces and len(in_digits) == 2 else found


_JOINS = frozenset({"and", "+", "plus", "with"})


def _pair(one: _Group, other: _Group, between: list[str]) -> bool:
    joined = between in (["+"], ["and"], []) or _includes(between)
    sorts = {one.sort, other.sort}
    if between == ["+"] and one.sort == other.sort == "":
        return True
    return joined and "elite" in sorts and len(sorts) == 2


def _includes(between: list[str]) -> bool:
    return bool(between) and vocabulary().amounts["including"].length(between, 0) == len(between)
