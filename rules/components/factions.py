"""The factions with their set-up and constant numbers (AH.SHIELD), from `data/factions.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass

from rules.components.board import Area, TerritoryId, parse_area, within
from rules.components.facts import Entry, document, entries
from rules.components.forces import Forces

Faction = str
"""A faction by its id in the data, "bene-gesserit". It is no closed list: an expansion brings factions of its own."""


@dataclass(frozen=True, slots=True)
class FactionFacts:
    """A faction's printed set-up and constant numbers (AH.SHIELD.*.START).

    `forces` are all its tokens, the elite ones (`elite` of them, called `elite_name`, one alone `elite_name_of_one`)
    included; `placed` stand on the board before turn 1; `place_count` more are spread by the faction over
    `place_among`, as in `place_default` where it says nothing; `reserves` is the rest. `reserves_on_planet` tells the
    Fremen's from off-planet ones. `expansion` is the box that brings the faction, "" for the first one;
    `elite_always`: its elite tokens are elite in every game; `small_games_of`: how few players may be for the faction
    to be suggested to them, 0 if only all are.
    """

    id: Faction
    name: str
    abbreviation: str
    character: str
    aliases: tuple[str, ...]
    spice: int
    forces: Forces
    placed: Mapping[TerritoryId, Forces]
    place_among: tuple[TerritoryId, ...]
    place_count: int
    place_default: Mapping[Area, int]
    reserves: int
    reserves_on_planet: bool
    elite: int
    elite_name: str
    free_revival: int
    hand_limit: int
    starting_cards: int
    traitors_drawn: int
    traitors_kept: int
    move_distance: int
    expansion: str = ""
    elite_always: bool = False
    small_games_of: int = 0
    elite_name_of_one: str = ""

    def elite_tokens(self, number: int) -> str:
        """So many of its elite tokens in words: "3 Cyborgs", "1 Cyborg"."""
        return f"{number} {self.elite_name_of_one if number == 1 else self.elite_name}"


def _read_faction(entry: Entry) -> FactionFacts:
    elite = entry.number("elite_forces")
    placed, default = entry.table("placed"), entry.table("place_default", {})
    placed_elite = entry.table("placed_elite", {})
    return FactionFacts(
        id=entry.text("id"),
        name=entry.text("name"),
        abbreviation=entry.text("abbreviation"),
        character=entry.text("character"),
        aliases=entry.texts("aliases", ()),
        spice=entry.number("starting_spice"),
        forces=Forces(entry.number("forces") - elite, elite),
        placed={
            TerritoryId(place): Forces(placed.number(place), placed_elite.number(place, 0)) for place in placed.values
        },
        place_among=tuple(map(TerritoryId, entry.texts("place_among", ()))),
        place_count=entry.number("place_count", 0),
        place_default={parse_area(area): default.number(area) for area in default.values},
        reserves=entry.number("reserves"),
        reserves_on_planet=entry.truth("reserves_on_planet", False),
        elite=elite,
        elite_name=entry.text("elite_name", ""),
        free_revival=entry.number("free_revival"),
        hand_limit=entry.number("hand_limit"),
        starting_cards=entry.number("starting_cards"),
        traitors_drawn=entry.number("traitors_drawn"),
        traitors_kept=entry.number("traitors_kept"),
        move_distance=entry.number("move_distance", 1),
        expansion=entry.text("expansion", ""),
        elite_always=entry.truth("elite_always", False),
        small_games_of=entry.number("small_games_of", 0),
        elite_name_of_one=entry.text("elite_name_of_one", entry.text("elite_name", "")),
    )


FACTION_FACTS: Mapping[Faction, FactionFacts] = {
    facts.id: facts for facts in map(_read_faction, entries("factions.toml", "faction"))
}

FACTIONS: tuple[Faction, ...] = tuple(id for id, facts in FACTION_FACTS.items() if not facts.expansion)
"""The factions of every game's box, in the order of the data; an expansion brings more."""


def as_faction(text: str) -> Faction:
    """The faction with this id; `ValueError` with a sentence for any other text."""
    if text not in FACTION_FACTS:
        raise ValueError(f"There is no faction {text!r}; there are {', '.join(FACTION_FACTS)}.")
    return text


_KWISATZ_HADERACH = document("factions.toml").table("kwisatz_haderach")

KWISATZ_HADERACH_STRENGTH: int = _KWISATZ_HADERACH.number("strength")
KWISATZ_HADERACH_LOSSES: int = _KWISATZ_HADERACH.number("forces_lost_first")


def _read_fremen_landing() -> frozenset[TerritoryId]:
    landing = next(entry for entry in entries("factions.toml", "faction") if entry.text("id") == "fremen")
    landing = landing.table("free_landing")
    return within(TerritoryId(landing.text("from")), landing.number("distance"))


FREMEN_LANDING: frozenset[TerritoryId] = _read_fremen_landing()
"""Where Fremen reserves may land: on or within two territories of The Great Flat (AH.QA.E.7)."""


def faction_name(faction: Faction) -> str:
    """`faction_name("bene-gesserit") == "Bene Gesserit"`."""
    return FACTION_FACTS[faction].name
