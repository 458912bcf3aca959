"""A sealed auction of the factions of a table: one paper each, the greatest sum of worth, the lowest clearing prices.

Everybody writes what each faction is worth to them, in points of this table. The factions go to where they are worth
most in all. Each pays what the others together lose by their having it: the sum that the others could have had without
them, less the sum that they have now (Vickrey's price, here also the lowest at which nobody would rather have another
faction). So the price does not depend on one's own paper, and to write what is true is best.

Worths and prices are whole tenths of a point.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bot.competition.factions.assignment import cheapest
from bot.competition.factions.naming import PaperRefused, faction_named
from bot.competition.outcomes import Handle
from bot.competition.points import NotANumber, points
from rules.components import Faction

Worths = Mapping[Faction, int]
"""What each faction is worth to somebody, in tenths of a point; nothing where it is missing."""


@dataclass(frozen=True, slots=True)
class Sold:
    """What an entrant got, and what they pay for it in tenths of a point."""

    faction: Faction
    price: int


def auction(
    entrants: Sequence[Handle], factions: Sequence[Faction], papers: Mapping[Handle, Worths]
) -> dict[Handle, Sold]:
    """Who gets which faction at what price; entrants in drawn order. Nothing is worth anything to who sent no paper."""
    costs = {one: {faction: -papers.get(one, {}).get(faction, 0) for faction in factions} for one in entrants}
    assigned = cheapest(entrants, factions, costs)
    whole = _worth(assigned, costs)
    sold = {}
    for one in entrants:
        others = [other for other in entrants if other != one]
        without = _worth(cheapest(others, factions, costs), costs)
        with_them = whole + costs[one][assigned[one]]
        sold[one] = Sold(assigned[one], without - with_them)
    return sold


def _worth(assigned: Mapping[Handle, Faction], costs: Mapping[Handle, Mapping[Faction, int]]) -> int:
    return -sum(costs[one][faction] for one, faction in assigned.items())


_BID = re.compile(r"\s*([^\W\d_][^\d,;:=]*?)(?:\s*[:=]\s*|\s+)(-?[\w./+-]*\d[\w./+-]*)\s*[,;]?")


def read_worths(text: str, factions: Sequence[Faction]) -> dict[Faction, int]:
    """What stands in a line `bid atreides 3 bene gesserit 5.5, guild 0` after its first word: each faction with what it
    is worth in points. Those not named are worth nothing. PaperRefused with a sentence for anything else.

    >>> read_worths("atreides 3 bene gesserit 5.5, guild 0", ["atreides", "bene-gesserit", "guild", "fremen"])
    {'atreides': 30, 'bene-gesserit': 55, 'guild': 0, 'fremen': 0}
    """
    worths: dict[Faction, int] = {}
    rest = text.strip()
    if not rest:
        raise PaperRefused("Write each faction with what it is worth to you in points: bid atreides 3 guild 1.5.")
    while rest:
        found = _BID.match(rest)
        if found is None:
            raise PaperRefused(f"After {rest[:40]!r} a number of points is missing; write bid atreides 3 guild 1.5.")
        faction = faction_named(found[1], factions)
        if faction in worths:
            raise PaperRefused(f"{found[1].strip()!r} stands there twice.")
        worths[faction] = _tenths(found[2])
        rest = rest[found.end() :].strip()
    return {faction: worths.get(faction, 0) for faction in factions}


def _tenths(said: str) -> int:
    try:
        tenths = points(said) * 10
    except NotANumber as error:
        raise PaperRefused(str(error)) from None
    if tenths != Fraction(int(tenths)):
        raise PaperRefused(f"{said!r} is finer than a tenth of a point.")
    return int(tenths)
