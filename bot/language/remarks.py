"""Remarks: decide whether the words next to an order are about that order or about something else.

Words can be about an order only if they contain a *hook* that refers to it: a word that points back, a name, a number
or a thing that the order could contain, a denial, a request, a time. Words *stray* if each of their clauses is a
separate statement without a hook: "My cat had kittens", "What a storm!", "Fremen got lucky with that worm". A word that
points at something in its own sentence ("that worm", "the film, and it …") is not a hook.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

from bot.language.attempts import SORTS_OF_NAMES, NameMatch, name_at
from bot.language.command_lines import Command
from bot.language.edits import sorts_of, sorts_of_type
from bot.language.moves import Said, Sort, ends, move_words, said
from bot.language.verdict import REFUSALS, written
from bot.language.vocabulary import Phrases, vocabulary
from rules.components import Faction
from rules.orders import ANSWERS, Order, QuestionKind

LARGEST_NUMBER = 99  # the largest number in an order; "since 1984" refers to none
FEWEST_OF_FRAGMENT = 4  # words after which a clause without a verb is surely about something else
MOST_WORDS = 60  # words of a sentence that is examined; a longer one may say anything
LIKING = 3  # words in a clause like "I need this"

_GOES_ON = frozenset({"with", "without", "plus", "minus", "including", "except"})
_BEFORE_ONE = frozenset({"this", "that", "the", "which", "another", "no", "any", "every", "some", "a", "good", "last"})
_BEHIND_ONE = frozenset({"can", "may", "must", "could", "should", "would", "has", "is", "does", "needs", "gets"})
_STOP = re.compile(r"[.!?;:,…()–—]|\s-\s")
_PRONOUNS = frozenset({"that", "thats", "it", "its", "this", "these", "those", "them", "above", "below"})
_DEMONSTRATIVE = frozenset({"this", "that", "these", "those"})
_OFTEN = frozenset({"always", "often", "sometimes", "usually"})
_BEING = frozenset({"im", "were"})
_ASKS_WHY = frozenset({"how", "why", "when", "where", "who"})
_DOES = frozenset({("do",), ("does",), ("did",)})
_SEVERAL = frozenset({"they", "them", "these", "those", "theyre", "both"})
_JOINS = frozenset({"and", "so", "but", "because", "cause", "while", "as", "since", "which"})

_GRAVE = frozenset({"mends", "retract", "draft", "settling", "frame"})
"""Words of these sorts are about the order wherever they appear in a clause."""
_GRAVE_FIRST = frozenset(
    {"everybody", "condition", "forbid", "no", "remove", "over", "more", "less"}
    | {"correct", "weighing", "ordering", "only", "request"}
)
"""Words of these sorts are about the order only if a clause begins with them."""
_SET = ("saying", "exclaims")  # words that say nothing else
_REFERRING = _GRAVE | {"thing", "points", "communicates", "everybody"}
_POINTING = frozenset({"pointing", "person"})
_WISHING = frozenset({"ordering", "later", "doubt", "report", "weighing", "forbid", "condition", "request"})
_HOOKING = _GRAVE | _GRAVE_FIRST | _POINTING | _WISHING | {"communicates"}


@dataclass(frozen=True)
class Remark:
    """Words next to an order, and that order; `own` is the writer's faction."""

    heard: Said
    order: Order | Command | None
    own: Faction | None

    @cached_property
    def _sorts(self) -> tuple[tuple[str, ...], bool]:
        return sorts_of(self.order) if self.order else ((), False)

    @property
    def takes_number(self) -> bool:
        return self._sorts[1]

    def of_its_sort(self) -> bool:
        if self.order is None:
            return False
        own = set(said(written(self.order)).words)
        if self._sorts[1] and any(word not in own for word in self.counts()):
            return True
        return bool(self.names(own))

    def names_its_thing(self) -> bool:
        return any(map(_is_elite, self.heard.words)) or bool(self.heard.has("weighing") and self.names())

    def answers_at(self, place: int) -> bool:
        kinds = ANSWERS.get(type(self.order), ()) if isinstance(self.order, Order) else ()
        return any(group.length(self.heard.words, place) for group in _answering(tuple(kinds)))

    def names(self, but: Collection[str] = ()) -> list[NameMatch]:
        """Return the names in the words that could fill blanks of the order. Leave out names that begin with a word in
        `but`, a faction that is addressed ("Guild, ...") and the writer's own faction."""
        words, found = self.heard.words, self._named(self._sorts[0])
        return [name for name in found if words[name.place] not in but and name.values != (self.own,)]

    def _named(self, sorts: Sequence[str]) -> list[NameMatch]:
        words = self.heard.words
        spoken_to = 1 if self.heard.text[self.heard.spans[0][1] :].startswith(",") else 0
        return [
            name
            for sort in sorts
            for place in range(spoken_to if sort == "faction" else 0, len(words))
            if (name := name_at(sort, words, place)) and (name.whole or sort == "leader")
        ]

    def counts(self) -> Iterator[str]:
        """Yield the numbers in the words, except numbers of things outside the game: "my 2 dogs", "3 unread mails"."""
        plain, words = vocabulary(), self.heard.words
        english = self.is_english()
        for place, ((before, word), after) in enumerate(zip(pairwise(("", *words)), (*words[1:], ""), strict=True)):
            anybody = word == "one" and (before in _BEFORE_ONE or after in _BEHIND_ONE)
            year = word.isdigit() and int(word) > LARGEST_NUMBER
            if anybody or year or not (word.isdigit() or word in plain.numbers):
                continue
            strange = after.isalpha() and after not in plain.known and not self.heard.has("weighing")
            strange |= any(self.heard.length("scene", each) for each in (place + 1, place + 2) if each < len(words))
            strange |= (
                after == "of"
                and place + 3 < len(words)
                and self.heard.length("determiner", place + 2) > 0
                and place + 3 in self.strange
            )
            if not (english and (strange or plain.talk["counted"].length([after], 0))):
                yield word

    def refers(self) -> bool:
        """Return True if a clause has a hook to the order, or the words end a sentence about it: "From now on"."""
        if not 0 < len(self.heard.words) <= MOST_WORDS:
            return bool(self.heard.words)
        if "?" in self.heard.text:
            return self.asks_about_order()
        if self.heard.words[0] in _GOES_ON:
            return True
        if self.heard.begins("condition"):  # "If you play chess, come on Sunday."
            return "," not in self.heard.text or any({"thing", "points"} & clause.hooks for clause in self.clauses)
        return any(clause.refers() for clause in self.clauses)

    def asks_about_order(self) -> bool:
        if (doubt := said(self.heard.has("doubt")).words) and doubt[-1] == "i":  # "Should I wait?"
            return True
        hooks = {"doubt", "settling"}
        if not (self.heard.words[0] in _ASKS_WHY and self.heard.words[1:2] in _DOES):  # "How do other tables do this?"
            hooks.add("points")
        return any(hooks & clause.hooks for clause in self.clauses)

    def is_english(self) -> bool:
        return any(
            self.heard.has(sort) for sort in ("writer", "subject", "determiner", "preposition", "tells", "request")
        )

    def leads_in(self) -> bool:
        """Return True if the words end without a full stop and need the next line to complete them: "Harkonnen believes
        that I play", "In the worst case"."""
        heard, last = self.heard, len(self.heard.words) - 1
        if ends(heard.text):
            return False
        if heard.length("unfinished", last) or heard.words[last] in vocabulary().words_of_orders:
            return True
        return bool(heard.begins("preposition")) and not (heard.has("topic") or heard.has("feeling"))

    def strays(self) -> bool:
        few = 0 < len(self.heard.words) <= MOST_WORDS
        return few and all(clause.strays() for clause in self.clauses)

    @cached_property
    def clauses(self) -> tuple[_Clause, ...]:
        """Return the words split into clauses: after each stop, and wherever "and", "so" or "because" is followed by a
        subject."""
        heard, found, first = self.heard, list[_Clause](), 0
        for place in range(1, len(heard.words)):
            between = heard.text[heard.spans[place - 1][1] : heard.spans[place][0]]
            joins = heard.words[place] in _JOINS and heard.length("subject", place + 1)
            if _STOP.search(between) or joins:
                found.append(_Clause(self, first, place))
                first = place + joins
        return (*found, _Clause(self, first, len(heard.words)))

    @cached_property
    def hooks(self) -> frozenset[int]:
        """Return the places of the numbers, names, things and other words that could belong to the order, or to another
        answer to the same question."""
        words = self.heard.words
        sorts = _sorts_of_answers(type(self.order)) if isinstance(self.order, Order) else self._sorts
        things = [f"thing_{each}" for each in (*sorts[0], *["number"] * sorts[1])]
        numbers = set(self.counts()) if sorts[1] else set()
        own = said(written(self.order)).words if self.order else ()
        spoken_to = self.heard.text[self.heard.spans[0][1] :].startswith(",")
        named = {place for name in self._named(sorts[0]) for place in range(name.place, name.after)}
        return frozenset(
            place
            for place, word in enumerate(words)
            if place in named
            or (word in own and place in self.named and not (place == 0 and spoken_to))
            or word in numbers
            or (sorts[1] and _is_elite(word))
            or self.answers_at(place)
            or any(self.heard.length(each, place) for each in things)
            or self._tells_of_writer(place)
        )

    def _tells_of_writer(self, place: int) -> bool:
        own, after = name_at("faction", self.heard.words, place), place + 1  # "The Guild does not pay"
        verb = own and own.values == (self.own,) and after < len(self.heard.words)
        return bool(verb and any(self.heard.length(sort, after) for sort in ("tells", "adverb", "weighing")))

    @cached_property
    def strange(self) -> frozenset[int]:
        """Return the places of words that express a feeling, name a topic of conversation, or do not occur in the
        tables of orders."""
        heard = self.heard
        return frozenset(
            place
            for place, word in enumerate(heard.words)
            if heard.length("feeling", place)
            or heard.length("topic", place)
            or (word.isalpha() and len(word) > 2 and word not in _known() and place not in self.named)
        )

    @cached_property
    def named(self) -> frozenset[int]:
        words = self.heard.words
        return frozenset(p for p in range(len(words)) if any(name_at(sort, words, p) for sort in SORTS_OF_NAMES))

    @cached_property
    def nouns(self) -> frozenset[int]:
        scenes = {place for place in range(len(self.heard.words)) if self.heard.length("scene", place)}
        return (self.strange | self.named | scenes) - self.hooks


@dataclass(frozen=True)
class _Clause:
    remark: Remark
    first: int
    after: int

    @property
    def _words(self) -> Sequence[str]:
        return self.remark.heard.words[self.first : self.after]

    @property
    def _places(self) -> range:
        return range(self.first, self.after)

    @property
    def _is_writers(self) -> bool:
        return self._length("writer", self.first) > 0

    def _length(self, sort: Sort, place: int) -> int:
        return self.remark.heard.length(sort, place)

    def _has(self, *sorts: Sort) -> bool:
        return any(self._length(sort, place) for sort in sorts for place in self._places)

    def strays(self) -> bool:
        opened = self.first
        while opened < self.after and not any(self._length(sort, opened) for sort in _SET):
            courteous = vocabulary().courtesy.length(self.remark.heard.words[: self.after], opened)
            if self._length("preposition", min(opened + courteous, self.after - 1)):  # "Greetings from the sea"
                courteous = 0
            if not (length := max(self._length("opener", opened), courteous)):
                break
            opened += length
        clause = _Clause(self.remark, opened, self.after)
        if opened and clause.hooks == set() and self.remark.named.issuperset(clause._places):
            return True  # "Get well soon, Emperor!"
        if clause.hooks <= {"thing"} and clause._is_exclaimed():
            return True
        return opened >= self.after or clause._is_liked() or (clause.hooks == set() and clause._says_something())

    def _is_exclaimed(self) -> bool:
        exclaims = self.first < self.after and self._length("exclaims", self.first) > 1  # "What a mess in Carthag!"
        return bool(exclaims and self._has("feeling") and "?" not in self.remark.heard.text)

    def refers(self) -> bool:
        if self.strays():
            return False
        short = len(self._words) <= FEWEST_OF_FRAGMENT and not self._has("topic", "feeling")
        if not (self._tells() or self._is_writers) and ("request" in self.hooks or (short and self._has("weighing"))):
            return True  # "Ask the boss.", "Whoever pays more."
        if self._is_writers and self._words[2:3] == ("to",) and self.hooks and not self._has("topic"):
            return True  # "I need to hear from Emperor."
        alien = not self.remark.nouns.isdisjoint(self._places)
        return bool(self.hooks & _REFERRING or ((self.hooks or self._length("preposition", self.first)) and not alien))

    def _is_liked(self) -> bool:
        last = self.after - 1  # "I need this"
        likes = len(self._words) == LIKING and self._is_writers and self._length("affirms", last - 1)
        return bool(likes and self._length("pointing", last) and type(self.remark.order) not in REFUSALS)

    def _says_something(self) -> bool:
        if self._length("exclaims", self.first) or self._length("saying", self.first) == len(self._words):
            return True
        strange = self.remark.strange.intersection(self._places)
        if self._length("person", self.first):  # it belongs to somebody in this sentence
            return True
        if self._is_writers:
            verb = next((place for place in self._places[1:] if not self._length("adverb", place)), self.after)
            feels = verb < self.after and self._words[0] in _BEING and self._length("feeling", verb)
            return bool(self._has_happened() or feels or any(place > verb for place in strange))
        if self._tells():
            return self._has_happened() or bool(strange)
        if self._length("preposition", self.first) or self._has("weighing", "doubt"):
            return False
        return bool(strange) and (self._has("feeling") or len(self._words) >= FEWEST_OF_FRAGMENT)

    def _has_happened(self) -> bool:
        return any(map(_is_past, self._words if len(self._words) >= FEWEST_OF_FRAGMENT else self._words[1:]))

    def _tells(self) -> bool:
        return self._has_happened() or any(self._length("tells", place) for place in self._places[1:])

    # --- hooks -------------------------------------------------------------------------------------------------------

    @cached_property
    def hooks(self) -> Set[str]:
        """Return the ways in which the words of the clause refer to the order: sorts of words, "thing" or "points"."""
        return {why for place in self._places if (why := self._hook(place))}

    def _hook(self, place: int) -> str:
        heard, remark = self.remark.heard, self.remark
        if any(self._length(sort, each) > place - each for sort in _SET for each in range(self.first, place + 1)):
            return ""
        if place in remark.hooks:
            return "thing"
        lengths = {sort: length for sort in _HOOKING if (length := self._length(sort, place))}
        after = place + max(lengths.values(), default=0)
        of_noun = "settling" in lengths or (self._length("determiner", place) and "pointing" not in lengths)
        if of_noun and after < self.after and after in remark.nouns:
            return ""  # "the second film", "too much time"
        sorts = lengths.keys() - self._harmless_at(place)
        if grave := sorts & _GRAVE or (place == self.first and sorts & _GRAVE_FIRST):
            return min(grave)
        is_that = heard.words[place] == "thats" or (heard.words[place] == "its" and place == self.first)
        if (sorts & _POINTING or is_that) and not self._points_inside(place):
            points = heard.words[place] in _PRONOUNS or "person" in sorts or place == self.first
            if points or remark.nouns.isdisjoint(range(place + 1, self.after)):
                return "points"
        to_writer = heard.words[place + 1 : place + 2] in (("me",), ("us",))
        if "communicates" in sorts and (self._is_writers or place == self.first or to_writer):
            return "communicates"
        return min(wishing) if (wishing := sorts & _WISHING) and not self._wishes_else(place, after) else ""

    def _harmless_at(self, place: int) -> Set[str]:
        before = self.remark.heard.words[place - 1] if place else ""
        sorts = set() if self.remark.order is None else {"frame", "report"}
        if not self.remark.takes_number:
            sorts.add("everybody")
        if before == "a":  # "a while"
            sorts.add("condition")
        elif before in _OFTEN:  # "I always forget"
            sorts |= {"settling", "request", "weighing"}
        if self._length("feeling", self.first):  # "nice to see you"
            sorts.add("request")
        if place > self.first and self._tells():
            sorts |= {"weighing"} if self._is_writers and not self._has_happened() else {"weighing", "forbid"}
        return sorts

    def _wishes_else(self, place: int, after: int) -> bool:
        # "I might be late for the train"
        if self._length("soon", place) and self._has("topic"):
            return True
        behind = range(after if after > place + 1 else place, self.after)
        if not self._is_writers:
            return not self.remark.nouns.isdisjoint(behind)
        return any(
            self._length("feeling", each)
            or self._length("topic", each)
            or self._length("determiner", each - 1)
            or (self._length("preposition", each - 1) and self.remark.heard.words[each - 1] != "to")
            for each in self.remark.strange.intersection(behind)
        )

    def _points_inside(self, place: int) -> bool:
        # "that worm", "a film, and it …", "this is fun"
        words, strange, nouns = self.remark.heard.words, self.remark.strange, self.remark.nouns
        word, behind = words[place], place + 1
        asked = "?" in self.remark.heard.text
        told = behind < len(words) and self._length("tells", behind) > 0
        if word in _DEMONSTRATIVE and not (asked and place == self.first + 1 and behind in strange):
            described = behind in strange or self._length("determiner", min(behind, len(words) - 1))
            if behind in nouns or (described and behind + 1 in nouns):
                return True
            if word == "that" and place > self.first and self._length("subject", behind):
                return True
        if word == "such" and words[behind : behind + 1] in (("a",), ("an",)):
            return True
        if self._length("exclaims", self.first) and self._tells() and not asked:
            return True
        before = {each + 1 for each in range(place - 1) if self._length("determiner", each)} & strange
        if any(words[noun].endswith("s") == (word in _SEVERAL) for noun in before):
            return True
        if self._length("person", place) and any(each < place for each in self.remark.named):
            return True
        if told or word in ("its", "thats"):
            if word in _DEMONSTRATIVE and self._has_happened() and self._has("scene"):  # "That was a long storm."
                return True
            return self._has("topic") or (self._has("feeling") and not self._has("weighing", "forbid"))
        return False


def _is_past(word: str) -> bool:
    return bool(move_words()["past"].length((word,), 0)) or (
        len(word) > 4 and word.endswith("ed") and word not in _known()
    )


@cache
def _answering(kinds: tuple[QuestionKind, ...]) -> tuple[Phrases, ...]:
    entries = [entry for entry in vocabulary().orders if not set(kinds).isdisjoint(entry.form.kinds)]
    return tuple(group for entry in entries for group in entry.words[:1])


@cache
def _sorts_of_answers(made: type) -> tuple[tuple[str, ...], bool]:
    kinds = set(ANSWERS.get(made, ()))
    found = [sorts_of_type(each) for each, answered in ANSWERS.items() if not kinds.isdisjoint(answered)]
    return tuple(dict.fromkeys(sort for sorts, _ in found for sort in sorts)), any(number for _, number in found)


@cache
def _known() -> frozenset[str]:
    sorts = move_words()
    singles = {
        words[0]
        for sort, phrases in sorts.items()
        if sort not in ("feeling", "topic")
        for words in phrases
        if len(words) == 1
    }
    return vocabulary().known | singles


def _is_elite(word: str) -> bool:
    return any(word in elite for elite in vocabulary().elite.values())
