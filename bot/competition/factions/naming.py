"""Factions as players write them on a paper: by name, abbreviation or nickname."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rules.components import FACTION_FACTS, Faction, faction_name

FEWEST_LETTERS = 3


class PaperRefused(ValueError):
    """What was filed cannot be what is asked for; the message tells its writer what would be."""


def faction_named(words: str, among: Sequence[Faction]) -> Faction:
    """The faction that is meant, of those that are played here; three letters or more of its name are enough where they
    begin no other. PaperRefused for what is none of them.

    >>> faction_named("Bene Gesserit", ["guild", "bene-gesserit"]), faction_named("bg", ["bene-gesserit"])
    ('bene-gesserit', 'bene-gesserit')
    """
    said = _bare(words)
    for faction in among:
        facts = FACTION_FACTS[faction]
        if said in map(_bare, (faction, facts.name, facts.abbreviation, *facts.aliases)):
            return faction
    begun = [faction for faction in among if len(said) >= FEWEST_LETTERS and _bare(faction).startswith(said)]
    if len(begun) == 1:
        return begun[0]
    shown = words.strip()[:40]
    known = ", ".join(map(faction_name, among))
    raise PaperRefused(f"{shown!r} is no faction of this table; there are {known}.")


def _bare(words: str) -> str:
    return re.sub(r"[\s_-]+", " ", words.strip().casefold())
