"""The factions with their set-up and fixed numbers (AH.SHIELD), their forces, leaders and tech tokens.

The facts come from `data/factions.toml`, `data/leaders.toml` (AH.COMP) and `data/technology.toml` (IT.TECH.1).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, NewType, cast

from rules.components.board import Area, TerritoryId, parse_area, within
from rules.components.facts import Entry, FactsError, document, entries


class Forces(NamedTuple):
    """Tokens of one faction: ordinary ones and elite ones (Fedaykin, Sardaukar).

    They are written "5" for five ordinary tokens, "3+2" for three ordinary and two elite, and "0+2" for two elite. Sums
    and differences of forces are forces again; a negative difference raises `ValueError`. Empty forces are false.
    """

    ordinary: int = 0
    elite: int = 0

    @classmethod
    def parse(cls, text: str) -> "Forces":
        """Return the forces that a text represents: `Forces.parse("3+2") == Forces(3, 2)`. Raise `ValueError`, with a
        message for the player, for any other text."""
        match = re.fullmatch(r"\s*([0-9]{1,3})\s*(?:\+\s*([0-9]{1,3})\s*)?", text, re.ASCII)
        if match is None:
            raise ValueError(f"{text!r} is not a number of forces; write 5, or 3+2 for three ordinary and two elite.")
        return cls(int(match[1]), int(match[2] or 0))

    @property
    def in_words(self) -> str:
        """Return the forces as they are written in a sentence: "1 token", "3+2 tokens"."""
        return f"{self} token{'' if self == Forces(1) else 's'}"

    @property
    def total(self) -> int:
        return self.ordinary + self.elite

    def covers(self, other: "Forces") -> bool:
        return self.ordinary >= other.ordinary and self.elite >= other.elite

    def __add__(self, other: object) -> "Forces":
        if not isinstance(other, Forces):
            return NotImplemented
        return Forces(self.ordinary + other.ordinary, self.elite + other.elite)

    def __sub__(self, other: "Forces") -> "Forces":
        if not self.covers(other):
            raise ValueError(f"{other} cannot be taken from {self}.")
        return Forces(self.ordinary - other.ordinary, self.elite - other.elite)

    def __bool__(self) -> bool:
        return self.ordinary + self.elite > 0

    def __str__(self) -> str:
        return f"{self.ordinary}+{self.elite}" if self.elite else str(self.ordinary)


Faction = str
"""A faction by its id in the data, such as "bene-gesserit". The list is open, because an expansion brings its own
factions."""


@dataclass(frozen=True, slots=True)
class FactionFacts:
    """The printed set-up and fixed numbers of a faction (AH.SHIELD.*.START).

    - `forces` are all its tokens, and `elite` is the number of elite tokens among them. Elite tokens are called
      `elite_name`, and a single one `elite_name_of_one`. If `elite_always` is true, they are elite in every game.
    - `placed` are the tokens that are on the board before turn 1.
    - `place_count` is the number of further tokens that the faction places in the territories `place_among`, by default
      as in `place_default`.
    - `reserves` is the number of all other tokens.
    - `expansion` is the box that contains the faction, or "" for the first box.
    - `house` is true if the name is used without an article ("Atreides", but "the Guild").
    - `small_games_of` is the smallest number of players for which the faction is suggested, or 0 if it is suggested
      only for a full game.
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
    house: bool = False

    def elite_tokens(self, number: int) -> str:
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
        house=entry.truth("house", False),
    )


FACTION_FACTS: Mapping[Faction, FactionFacts] = {
    facts.id: facts for facts in map(_read_faction, entries("factions.toml", "faction"))
}

FACTIONS: tuple[Faction, ...] = tuple(id for id, facts in FACTION_FACTS.items() if not facts.expansion)
"""The factions of the first box, in the order of the data. An expansion brings more."""


def as_faction(text: str) -> Faction:
    """Return the faction with this id. Raise `ValueError`, with a message for the player, for any other text."""
    if text not in FACTION_FACTS:
        raise ValueError(f"There is no faction {text!r}; the factions are {', '.join(FACTION_FACTS)}.")
    return text


_KWISATZ_HADERACH = document("factions.toml").table("kwisatz_haderach")

KWISATZ_HADERACH_STRENGTH: int = _KWISATZ_HADERACH.number("strength")
KWISATZ_HADERACH_LOSSES: int = _KWISATZ_HADERACH.number("forces_lost_first")


def _read_fremen_landing() -> frozenset[TerritoryId]:
    landing = next(entry for entry in entries("factions.toml", "faction") if entry.text("id") == "fremen")
    landing = landing.table("free_landing")
    return within(TerritoryId(landing.text("from")), landing.number("distance"))


FREMEN_LANDING: frozenset[TerritoryId] = _read_fremen_landing()
"""The territories where Fremen reserves may land: The Great Flat and every territory within two moves of it
(AH.QA.E.7)."""


def faction_name(faction: Faction) -> str:
    return FACTION_FACTS[faction].name


def the_faction(faction: Faction) -> str:
    facts = FACTION_FACTS[faction]
    return facts.name if facts.house else f"the {facts.name}"


Leader = NewType("Leader", str)
"""A leader by the name on the 1979 disc, such as "Feyd-Rautha"."""


@dataclass(frozen=True, slots=True)
class LeaderFacts:
    """A leader disc. The leader's fighting strength, 1 to 7, is also the price of their revival. A strength of 0 is
    printed as X. ``name_2019`` is the name on the 2019 disc if it differs."""

    name: Leader
    faction: Faction
    strength: int
    aliases: tuple[str, ...]
    name_2019: str = ""


def _read_leaders() -> dict[Leader, LeaderFacts]:
    leaders = {}
    for entry in entries("leaders.toml", "leader"):
        faction, name = entry.text("faction"), Leader(entry.text("name"))
        if faction not in FACTION_FACTS:
            raise FactsError(f"{entry.where}: {faction!r} is not a faction.")
        leaders[name] = LeaderFacts(
            name, faction, entry.number("strength"), entry.texts("aliases", ()), entry.text("name_2019", "")
        )
    return leaders


LEADERS: Mapping[Leader, LeaderFacts] = _read_leaders()


@cache
def leaders_of(faction: Faction) -> tuple[Leader, ...]:
    return tuple(leader.name for leader in LEADERS.values() if leader.faction == faction)


def leader_strength(leader: Leader) -> int:
    return LEADERS[leader].strength


@cache
def weakest_first(faction: Faction) -> tuple[Leader, ...]:
    return tuple(sorted(leaders_of(faction), key=leader_strength))


# --- traitor cards ---------------------------------------------------------------------------------------------------

CHEAP_HERO_CARD = Leader("Cheap Hero")
"""The traitor card that shows no leader and matches every cheap hero (IT.TRAITOR.1, IT.TRAITOR.2)."""


def traitor_owner(card: Leader) -> Faction | None:
    return LEADERS[card].faction if card in LEADERS else None


def traitor_strength(card: Leader) -> int:
    """Return the strength of the leader on a traitor card, or 0 for the cheap hero (IT.TRAITOR.4).

    >>> traitor_strength(CHEAP_HERO_CARD)
    0
    """
    return LEADERS[card].strength if card in LEADERS else 0


TechToken = Literal["heighliners", "axlotl-tanks", "spice-production"]


@dataclass(frozen=True, slots=True)
class TechTokenFacts:
    """A tech token as printed. ``owner`` is the faction that has it at the start, ``pays_at`` is the phase at whose end
    it pays, and ``not_by`` is the only faction that does not trigger it."""

    id: TechToken
    name: str
    owner: Faction
    pays_at: str
    not_by: Faction


TECH_TOKENS: Mapping[TechToken, TechTokenFacts] = {
    facts.id: facts
    for facts in (
        TechTokenFacts(
            cast(TechToken, entry.text("id")),
            entry.text("name"),
            entry.text("owner"),
            entry.text("pays_at"),
            entry.text("not_by"),
        )
        for entry in entries("technology.toml", "token")
    )
}
"""The tech tokens, in the order in which a winner takes one by default."""
