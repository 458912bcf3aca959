"""One attempt to read a line as one form of an order: which of its words are used, and for what."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from bot.orders.context import Context, Known
from bot.orders.forms import Blank, pieces
from bot.orders.plain.names import SORTS, Named, name_at
from bot.orders.plain.table import OrderWords, Phrases, table
from bot.orders.plain.words import Said, Word


@dataclass(frozen=True, slots=True)
class Meant:
    """A name that was found, and the words that say it."""

    place: int
    named: Named

    @property
    def values(self) -> tuple[str, ...]:
        return self.named.values


@dataclass(slots=True)
class Attempt:
    """A line that is being read as one form. ``used`` are the places of the words that have done their work;
    ``misspelt``: something had to be put right; ``guessed``: something was not said and
    follows from the position. ``told`` counts the names and numbers that have found their blanks."""

    said: Said
    context: Context
    known: Known
    entry: OrderWords
    spelt: bool = False
    used: set[int] = field(default_factory=set)
    misspelt: bool = False
    guessed: bool = False
    told: int = 0
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = [word.text for word in self.said.words]

    @property
    def words(self) -> Sequence[Word]:
        return self.said.words

    def free(self, place: int) -> bool:
        return place not in self.used

    def use(self, place: int, length: int = 1) -> None:
        self.used.update(range(place, place + length))

    def unused(self) -> list[int]:
        return [place for place in range(len(self.words)) if place not in self.used]

    def take_all(self, phrases: Phrases, shortest: int = 1) -> int:
        """Use every text of these that stands in the line; how many there were."""
        taken = 0
        for place in self.unused():
            length = phrases.length(self.texts, place) if self.free(place) else 0
            if length >= shortest and all(self.free(place + more) for more in range(length)):
                self.use(place, length)
                taken += 1
        return taken

    def names(self, sort: str, likely: Collection[str] = ()) -> Iterator[Meant]:
        """The names of this sort among the words that are left, used up as they are found."""
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
                    self.told += 1
                    yield Meant(place, named)
                    place += named.length
                    continue
            place += 1

    def _together(self, place: int, named: Named) -> bool:
        """Whether the words of a name stand in one part of the sentence; a whole name may have commas."""
        words = self.words[place : place + named.length]
        return words[0].part == words[-1].part or (
            named.whole and len(set(self.texts[place : place + named.length])) == 1
        )

    def word_before(self, place: int) -> int | None:
        """The place of the word before this one, articles left aside."""
        place -= 1
        while place >= 0 and self.texts[place] in ("the", "my", "our", "sector"):
            place -= 1
        return place if place >= 0 else None


_THINGS = ("faction", "territory", "leader", "card")
"""Sorts of names of which none may be left over."""

_PRICE = frozenset({"pay", "paying", "costs", "cost"})
"""A number behind one of these is what an order costs, which the rules know better."""


def mentions(attempt: Attempt, *, strict: bool = False) -> bool:
    """Use up the names of what the question is about anyway, and of the writer themselves; False if a number is left
    that the order has no place for, or a name of a sort that it has a place for (of any sort where this is strict)."""
    about = [question.about for question in attempt.known.asked if question.kind in attempt.entry.form.kinds]
    facts = {str(value) for facts in about for value in facts.values() if isinstance(value, str)}
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
            if before in _PRICE or after in table().units["spice"] or _counts_others(attempt, place + 1):
                attempt.guessed = True
            elif (before, number) not in numbers and not (word.ordinal and (after, number) in numbers):
                return False
            attempt.use(place)
        elif not _mention(attempt, place, facts, strict=strict):
            return False
    return True


def _counts_others(attempt: Attempt, place: int) -> bool:
    """Whether a number is how many another faction has there."""
    named = name_at("faction", attempt.texts, place) if place < len(attempt.texts) else None
    if named is None or not named.whole or attempt.context.faction in named.values or not attempt.free(place):
        return False
    attempt.use(place, named.length)
    return True


def _mention(attempt: Attempt, place: int, facts: set[str], *, strict: bool) -> bool:
    taken = {_SORT_OF.get(p.slot_name, "") for p in pieces(attempt.entry.form.pattern) if isinstance(p, Blank)}
    for sort in SORTS:
        named = name_at(sort, attempt.texts, place)
        if named is None or any(not attempt.free(place + more) for more in range(named.length)):
            continue
        own = sort == "faction" and named.values == (attempt.context.faction,) and named.whole
        if own or facts.intersection(named.values) or sort in attempt.entry.mentions:
            attempt.use(place, named.length)
            return True
        if sort in _THINGS and named.whole and attempt.texts[place] not in table().known:
            if strict or sort in taken or "plan" in taken or (sort == "faction" and not place):
                return False
            attempt.guessed = True
    return True


_SORT_OF = {
    "faction": "faction", "leader": "leader", "traitor": "leader", "card": "card", "cards": "card",
    "area": "territory", "territory": "territory", "groups": "territory", "via": "territory", "plan": "plan",
}  # fmt: skip
"""Which sort of name stands in which blank."""
