"""What lies in the box besides the board: forces, cards, leaders, and the six factions with their set-up.

The facts come from `data/cards.toml`, `data/leaders.toml` and `data/factions.toml` (AH.COMP, AH.SHIELD).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, NewType, cast, get_args

from rules.components.board import TERRITORIES, Area, TerritoryId, parse_area, within
from rules.components.facts import Entry, FactsError, document, entries

# --- Factions ------------------------------------------------------------------------------------------------

Faction = Literal["atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen"]

FACTIONS: tuple[Faction, ...] = get_args(Faction)


def as_faction(text: str) -> Faction:
    """The faction with this id; `ValueError` with a sentence for any other text."""
    if text not in FACTIONS:
        raise ValueError(f"There is no faction {text!r}; there are {', '.join(FACTIONS)}.")
    return text


# --- Forces --------------------------------------------------------------------------------------------------


class Forces(NamedTuple):
    """Tokens of one faction: ordinary ones and elite ones (Fedaykin, Sardaukar).

    Written "5" for five ordinary, "3+2" for three ordinary and two elite, "0+2" for two elite. Sums and
    differences are forces again; a difference below nothing is a `ValueError`. No forces are false.
    """

    ordinary: int = 0
    elite: int = 0

    @classmethod
    def parse(cls, text: str) -> "Forces":
        """`Forces.parse("3+2") == Forces(3, 2)`; `ValueError` with a sentence for anything else."""
        match = re.fullmatch(r"\s*([0-9]{1,3})\s*(?:\+\s*([0-9]{1,3})\s*)?", text, re.ASCII)
        if match is None:
            raise ValueError(f"{text!r} is no number of forces; write 5, or 3+2 for three ordinary and two elite.")
        return cls(int(match[1]), int(match[2] or 0))

    @property
    def total(self) -> int:
        return self.ordinary + self.elite

    def covers(self, other: "Forces") -> bool:
        """Whether `other` can be taken from these."""
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
        return self.total > 0

    def __str__(self) -> str:
        return f"{self.ordinary}+{self.elite}" if self.elite else str(self.ordinary)


# --- Treachery cards -----------------------------------------------------------------------------------------

Card = NewType("Card", str)
"""A treachery card by its printed name; two equal cards are two equal strings."""

CardKind = Literal[
    "projectile-weapon",
    "poison-weapon",
    "lasgun",
    "shield",
    "snooper",
    "cheap-hero",
    "worthless",
    "karama",
    "truthtrance",
    "hajr",
    "ghola",
    "weather-control",
    "family-atomics",
]


@dataclass(frozen=True, slots=True)
class CardFacts:
    """A treachery card as printed: how often it is in the deck, and whether battle plans use it."""

    name: Card
    kind: CardKind
    count: int
    battle_plan: bool
    removed_when_played: bool
    aliases: tuple[str, ...]


def _read_cards() -> dict[Card, CardFacts]:
    cards = {}
    for entry in entries("cards.toml", "treachery_card"):
        kind = entry.text("kind")
        if kind not in get_args(CardKind):
            raise FactsError(f"{entry.where}: {kind!r} is not a kind of treachery card.")
        name = Card(entry.text("name"))
        cards[name] = CardFacts(
            name=name,
            kind=cast(CardKind, kind),
            count=entry.number("count"),
            battle_plan=entry.truth("battle_plan"),
            removed_when_played=entry.truth("removed_when_played", False),
            aliases=entry.texts("aliases", ()),
        )
    return cards


CARDS: Mapping[Card, CardFacts] = _read_cards()

TREACHERY_DECK: tuple[Card, ...] = tuple(card.name for card in CARDS.values() for _ in range(card.count))
"""All 33 cards, each as often as it is printed, in the order of the printed list."""

WORTHLESS: frozenset[Card] = frozenset(card.name for card in CARDS.values() if card.kind == "worthless")

_WEAPONS = frozenset(
    card.name for card in CARDS.values() if card.kind in ("projectile-weapon", "poison-weapon", "lasgun")
)
_DEFENSES = frozenset(card.name for card in CARDS.values() if card.kind in ("shield", "snooper"))


def card_kind(card: Card) -> CardKind:
    """`card_kind(Card("Crysknife")) == "projectile-weapon"`."""
    return CARDS[card].kind


def is_weapon(card: Card) -> bool:
    """Whether it is a weapon, the Lasgun included; worthless cards are none."""
    return card in _WEAPONS


def is_defense(card: Card) -> bool:
    """Whether it is a Shield or a Snooper; worthless cards are none."""
    return card in _DEFENSES


# --- Spice cards ---------------------------------------------------------------------------------------------

SHAI_HULUD = "Shai-Hulud"


def _read_spice_cards() -> dict[str, tuple[int, TerritoryId | None]]:
    cards: dict[str, tuple[int, TerritoryId | None]] = {}
    for entry in entries("cards.toml", "spice_card"):
        territory = TerritoryId(entry.text("territory", ""))
        if territory and territory not in TERRITORIES:
            raise FactsError(f"{entry.where}: there is no territory {territory!r}.")
        cards[entry.text("name")] = (entry.number("count"), territory or None)
    return cards


_SPICE_CARDS = _read_spice_cards()

SPICE_DECK: tuple[str, ...] = tuple(name for name, (count, _) in _SPICE_CARDS.items() for _ in range(count))
"""All 21 cards by printed name: fifteen territories and six times "Shai-Hulud"."""


def spice_card_territory(name: str) -> TerritoryId | None:
    """The territory where the spice of this card blows; None for Shai-Hulud."""
    return _SPICE_CARDS[name][1]


# --- Leaders -------------------------------------------------------------------------------------------------

Leader = NewType("Leader", str)
"""A leader by the name on the 1979 disc, "Feyd-Rautha"."""


@dataclass(frozen=True, slots=True)
class LeaderFacts:
    """A leader disc: its fighting strength, 1 to 7, is also what it costs to revive. ``name_2019`` is what the disc of
    that edition reads, where it is another name."""

    name: Leader
    faction: Faction
    strength: int
    aliases: tuple[str, ...]
    name_2019: str = ""


def _read_leaders() -> dict[Leader, LeaderFacts]:
    leaders = {}
    for entry in entries("leaders.toml", "leader"):
        faction, name = entry.text("faction"), Leader(entry.text("name"))
        if faction not in FACTIONS:
            raise FactsError(f"{entry.where}: {faction!r} is not a faction.")
        leaders[name] = LeaderFacts(
            name, faction, entry.number("strength"), entry.texts("aliases", ()), entry.text("name_2019", "")
        )
    return leaders


LEADERS: Mapping[Leader, LeaderFacts] = _read_leaders()

_LEADERS_OF: Mapping[Faction, tuple[Leader, ...]] = {
    faction: tuple(leader.name for leader in LEADERS.values() if leader.faction == faction) for faction in FACTIONS
}


def leaders_of(faction: Faction) -> tuple[Leader, ...]:
    """The five leaders of a faction, strongest first."""
    return _LEADERS_OF[faction]


def leader_strength(leader: Leader) -> int:
    """`leader_strength(Leader("Stilgar")) == 7`."""
    return LEADERS[leader].strength


_WEAKEST_FIRST: Mapping[Faction, tuple[Leader, ...]] = {
    faction: tuple(sorted(leaders, key=leader_strength)) for faction, leaders in _LEADERS_OF.items()
}


def weakest_first(faction: Faction) -> tuple[Leader, ...]:
    """The five leaders of a faction, weakest first; of two as strong as each other the one printed first."""
    return _WEAKEST_FIRST[faction]


# --- What the factions start with ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FactionFacts:
    """A faction's printed set-up and constant numbers (AH.SHIELD.*.START).

    `forces` are all its tokens, the elite ones (`elite` of them, called `elite_name`) included; `placed` stand on
    the board before turn 1; `place_count` more are spread by the faction over `place_among`, as in `place_default`
    where it says nothing; `reserves` is the rest. `reserves_on_planet` tells the Fremen's from off-planet ones.
    """

    id: Faction
    name: str
    abbreviation: str
    character: str
    aliases: tuple[str, ...]
    spice: int
    forces: Forces
    placed: Mapping[TerritoryId, int]
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


def _read_faction(entry: Entry) -> FactionFacts:
    elite = entry.number("elite_forces")
    placed, default = entry.table("placed"), entry.table("place_default", {})
    return FactionFacts(
        id=as_faction(entry.text("id")),
        name=entry.text("name"),
        abbreviation=entry.text("abbreviation"),
        character=entry.text("character"),
        aliases=entry.texts("aliases", ()),
        spice=entry.number("starting_spice"),
        forces=Forces(entry.number("forces") - elite, elite),
        placed={TerritoryId(territory): placed.number(territory) for territory in placed.values},
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
    )


FACTION_FACTS: Mapping[Faction, FactionFacts] = {
    facts.id: facts for facts in map(_read_faction, entries("factions.toml", "faction"))
}

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
