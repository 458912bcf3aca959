"""Factions by preference: everybody files a list, and the least is lost in all.

`guild, fremen = atreides, *, harkonnen`: the Guild first, then Fremen or Atreides alike, then any of the others, then
Harkonnen. Who gets the n-th best of their list loses as many places as there are factions that they would rather have
had. What somebody lost in earlier rounds counts with it: the assignment is the one with the least sum of
``(lost before + lost now)²`` over the table. So whose wish was granted in the last round pays in the next, when they
and another want the same, and nobody is always the last.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from bot.competition.factions.assignment import cheapest
from bot.competition.factions.naming import PaperRefused, faction_named
from bot.competition.outcomes import Handle
from rules.components import Faction

Wishes = tuple[tuple[Faction, ...], ...]
"""Groups of factions, the best first; those of one group are liked alike."""

REST = "*"


def read_preferences(text: str, factions: Sequence[Faction]) -> Wishes:
    """What stands in a line `preferences guild, fremen, *` after its first word. What is not named stands where the
    `*` is, and at the end where there is none. PaperRefused with a sentence for anything else.

    >>> read_preferences("guild, fremen, *", ["atreides", "fremen", "guild", "harkonnen"])
    (('guild',), ('fremen',), ('atreides', 'harkonnen'))
    """
    groups: list[list[Faction] | None] = []
    named: set[Faction] = set()
    for part in re.split(r"[,;>]", text.strip().rstrip(".")):
        said = [one.strip() for one in re.split(r"[=/]", part)]
        if said == [REST]:
            if None in groups:
                raise PaperRefused("The * stands there twice; it means all factions that are not named.")
            groups.append(None)
            continue
        group = []
        for one in said:
            if one in ("", REST):
                raise PaperRefused("Write the factions with commas between: preferences guild, fremen = atreides, *.")
            faction = faction_named(one, factions)
            if faction in named:
                raise PaperRefused(f"{one!r} stands there twice.")
            named.add(faction)
            group.append(faction)
        groups.append(group)
    rest = [faction for faction in factions if faction not in named]
    whole = [rest if group is None else group for group in groups] + ([] if None in groups else [rest])
    return tuple(tuple(sorted(group, key=factions.index)) for group in whole if group)


def among(wishes: Wishes, factions: Collection[Faction]) -> Wishes:
    """The same wishes where only these factions can be had.

    >>> among((("guild",), ("fremen", "emperor")), ["emperor", "fremen"])
    (('fremen', 'emperor'),)
    """
    groups = (tuple(faction for faction in group if faction in factions) for group in wishes)
    return tuple(group for group in groups if group)


def places_lost(wishes: Wishes, faction: Faction) -> int:
    """How many factions they would rather have had; none where they filed no list.

    >>> wishes = (("guild",), ("fremen", "emperor"), ("atreides",))
    >>> [places_lost(wishes, faction) for faction in ("guild", "emperor", "atreides")]
    [0, 1, 3]
    """
    better = 0
    for group in wishes:
        if faction in group:
            return better
        better += len(group)
    return better


def by_preference(
    entrants: Sequence[Handle],
    factions: Sequence[Faction],
    papers: Mapping[Handle, Wishes],
    lost_before: Mapping[Handle, int] | None = None,
) -> dict[Handle, Faction]:
    """Who gets which faction; entrants in drawn order, which decides between assignments that are as good. Who filed no
    list likes all alike. ``lost_before``: the places that somebody lost in earlier rounds."""
    costs = {
        one: {faction: ((lost_before or {}).get(one, 0) + places_lost(papers.get(one, ()), faction)) ** 2
              for faction in factions}
        for one in entrants
    }  # fmt: skip
    return cheapest(entrants, factions, costs)
