"""Forces as players name them: "four tokens", "2 regulars + 1 fedaykin", "everyone", "half of my men"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.orders.plain.table import PlainWords, table
from bot.orders.plain.words import Word
from rules.components import Faction, Forces

Share = Literal[
    "all", "all ordinary", "all elite", "half", "half ordinary", "half elite", "both", "both ordinary", "both elite",
    "single", "single ordinary", "single elite",
]  # fmt: skip
NOTHING = Forces()


@dataclass(frozen=True, slots=True)
class Quantity:
    """So many, and a share of those that there are; ``exact``: it was said in numbers or as all. ``first`` is the word
    with which it begins. ``less``: so many of the share stay; ``counted``: how many are said to be all."""

    first: int
    forces: Forces = NOTHING
    share: Share | None = None
    exact: bool = True
    less: int = 0
    counted: int = 0

    def of(self, there: Forces) -> Forces | None:
        """The forces that are meant where these are there; None if that is nothing certain."""
        if self.share is None:
            return self.forces
        shared = _share(self.share, there)
        if self.less:
            return Forces(shared.ordinary - self.less) if shared.ordinary > self.less and not shared.elite else None
        if self.counted and shared.total != self.counted:
            return Forces(self.counted)
        return self.forces + shared if shared else None


def _share(share: Share, there: Forces) -> Forces:
    """The share that is meant of the forces that there are; nothing where that is not certain."""
    match share:
        case "all":
            return there
        case "all ordinary":
            return Forces(there.ordinary)
        case "all elite":
            return Forces(0, there.elite)
        case "both ordinary" | "single ordinary":
            return Forces(there.ordinary) if there.ordinary == _NUMBER_OF[share] else NOTHING
        case "both elite" | "single elite":
            return Forces(0, there.elite) if there.elite == _NUMBER_OF[share] else NOTHING
        case "half":
            return Forces(there.ordinary // 2) if not there.ordinary % 2 and not there.elite else NOTHING
        case "half ordinary":
            return Forces(there.ordinary // 2) if not there.ordinary % 2 else NOTHING
        case "half elite":
            return Forces(0, there.elite // 2) if not there.elite % 2 else NOTHING
        case "both" | "single":
            return there if there.total == _NUMBER_OF[share] else NOTHING


_NUMBER_OF: Mapping[Share, int] = {
    "both": 2, "both ordinary": 2, "both elite": 2, "single": 1, "single ordinary": 1, "single elite": 1,
}  # fmt: skip
"""How many there must be where both of them, or the single one, are meant."""


def quantities(
    words: Sequence[Word], free: Callable[[int], bool], use: Callable[[int], None], faction: Faction
) -> list[Quantity] | None:
    """The quantities of forces that are said, each after the other; their words are used up. None if a number is one
    that no forces can have."""
    texts = [word.text for word in words]
    groups: list[_Group] = []
    place = 0
    while place < len(words):
        group = _group_at(words, texts, place, free, table(), faction) if free(place) else None
        if group is None:
            place += 1
            continue
        for used in range(group.first, group.after):
            use(used)
        groups.append(group)
        place = group.after
    return _joined(groups, words, use)


@dataclass(frozen=True, slots=True)
class _Group:
    first: int
    after: int
    number: int | None
    share: Share | None
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
    share: Share | None = None
    after, exact = place + 1, True
    if word.number is not None and not word.ordinal:
        if word.number % 1:
            return None
        number = int(word.number)
    elif word.text in ("a", "an"):
        number = 1
    elif length := plain.amounts["couple"].length(texts, place):
        number, after, exact = 2, place + length, False
    elif length := plain.amounts["half"].length(texts, place):
        share, after, exact = "half", place + length, False
    elif length := plain.amounts["rest"].length(texts, place):
        share, after, exact = "all", place + length, False
    elif length := plain.amounts["all"].length(texts, place):
        share, after = "all", place + length
    elif length := plain.amounts["both"].length(texts, place):
        share, after = "both", place + length
    elif length := plain.amounts["single"].length(texts, place):
        share, after, exact = "single", place + length, False
    else:
        sort, end = _unit(texts, place, plain, faction)
        if sort in ("any", "ordinary", "elite") and free(place) and texts[place] != "special":
            alone = texts[place] in _ONE or not _ALONE.isdisjoint(texts[place:end])
            share = "single" if alone else "all" if sort != "any" else None
            return _Group(place, end, None, _of_sort(share, sort), sort, False)
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
            number, share = counted, None
    if sort == "wrong":
        return None
    if word.text in ("a", "an") and not sort:
        return None
    return _Group(place, end if sort else after, number, _of_sort(share, sort), sort, exact, less, counted)


def _of_sort(share: Share | None, sort: str) -> Share | None:
    """A share of the forces of this sort."""
    return _SHARES.get((share, sort), share)


_SHARES: Mapping[tuple[Share | None, str], Share] = {
    ("all", "ordinary"): "all ordinary", ("all", "elite"): "all elite",
    ("half", "ordinary"): "half ordinary", ("half", "elite"): "half elite",
    ("both", "ordinary"): "both ordinary", ("both", "elite"): "both elite",
    ("single", "ordinary"): "single ordinary", ("single", "elite"): "single elite",
}  # fmt: skip


def _counted(words: Sequence[Word], place: int, behind: Sequence[str]) -> int:
    """The number at this place, behind one of these words where there are any; 0 if there is none."""
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
    """Which sort of thing is counted, and where its words end; "wrong" for what are no forces."""
    at = place
    while at < len(texts) and texts[at] in _BETWEEN:
        at += 1
    if at >= len(texts):
        return "", place
    if texts[at] in plain.regular:
        return "ordinary", at + 2 if at + 1 < len(texts) and texts[at + 1] in (*plain.ordinary, "ones") else at + 1
    if _is_elite(texts[at], plain, faction):
        return "elite", at + 2 if at + 1 < len(texts) and texts[at + 1] in plain.ordinary else at + 1
    if texts[at] in plain.ordinary:
        return "any", at + 1
    if any(texts[at] in unit for unit in plain.units.values()) or any(
        texts[at] in elite for elite in plain.elite.values()
    ):
        return "wrong", at
    return "", place


def _is_elite(text: str, plain: PlainWords, faction: Faction) -> bool:
    """Whether a word is what this faction's elite forces are called, or the beginning of it."""
    names = plain.elite.get(faction, frozenset())
    return text in names or (
        len(text) >= 4 and text not in plain.known and any(name.startswith(text) for name in names)
    )


def _joined(groups: list[_Group], words: Sequence[Word], use: Callable[[int], None]) -> list[Quantity] | None:
    """Groups that stand beside each other with "and" or "+" between them are one quantity of two sorts."""
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
    """The same number said once with its sorts and once without ("3: 2 normal and 1 elite"), once in digits and once as
    a word ("3 (three)"), or again as no more ("a Sardaukar, only one"). "3 and 3" are two numbers."""
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
    """Whether two groups are the two sorts of one quantity."""
    joined = between in (["+"], ["and"], []) or _includes(between)
    sorts = {one.sort, other.sort}
    if between == ["+"] and one.sort == other.sort == "":
        return True
    return joined and "elite" in sorts and len(sorts) == 2


def _includes(between: list[str]) -> bool:
    return bool(between) and table().amounts["including"].length(between, 0) == len(between)
