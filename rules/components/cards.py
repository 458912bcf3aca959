"""The treachery cards and the spice cards (AH.COMP), from `data/cards.toml`; the parts of a battle plan (AH.X.C.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NewType, cast, get_args

from rules.components.board import TERRITORIES, TerritoryId
from rules.components.facts import Entry, FactsError, entries

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
    "poison-blade",
    "poison-tooth",
    "artillery-strike",
    "weirding-way",
    "chemistry",
    "shield-snooper",
    "harvester",
    "thumper",
    "amal",
]


Class = Literal["projectile", "poison", "lasgun", "tooth", "artillery"]
"""What a weapon kills by, and a defense stops; the last three are stopped by no class of defense."""

Place = Literal["weapon", "defense"]
"""Where a card lies in a battle plan."""

_CLASSES: Mapping[CardKind, tuple[tuple[Class, ...], tuple[Class, ...], Place | None]] = {
    "projectile-weapon": (("projectile",), (), None),
    "poison-weapon": (("poison",), (), None),
    "lasgun": (("lasgun",), (), None),
    "shield": ((), ("projectile",), None),
    "snooper": ((), ("poison",), None),
    "poison-blade": (("projectile", "poison"), (), None),
    "poison-tooth": (("tooth",), (), None),
    "artillery-strike": (("artillery",), (), None),
    "shield-snooper": ((), ("projectile", "poison"), None),
    "weirding-way": (("projectile",), ("projectile",), "defense"),
    "chemistry": (("poison",), ("poison",), "weapon"),
}
"""What a kind of card is in the weapon's place and in the defense's, and which of the two it takes only beside another
card of that sort (IT.CARD.7 to 12)."""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """A treachery card as printed: how often it is in the deck (and how much more often with an expansion), and whether
    battle plans use it."""

    name: Card
    kind: CardKind
    count: int
    battle_plan: bool
    removed_when_played: bool
    aliases: tuple[str, ...]
    added: Mapping[str, int]


def _added(entry: Entry) -> Mapping[str, int]:
    """How many more of a card each expansion brings."""
    table = entry.table("added", {})
    return {expansion: table.number(expansion) for expansion in table.values}


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
            added=_added(entry),
        )
    return cards


CARDS: Mapping[Card, CardFacts] = _read_cards()

TREACHERY_DECK: tuple[Card, ...] = tuple(card.name for card in CARDS.values() for _ in range(card.count))
"""All 33 cards of the first box, each as often as it is printed, in the order of the printed list."""


def treachery_of(expansion: str) -> tuple[Card, ...]:
    """The treachery cards that an expansion adds, in the order of its list."""
    return tuple(card.name for card in CARDS.values() for _ in range(card.added.get(expansion, 0)))


KARAMA = Card("Karama")

WORTHLESS: frozenset[Card] = frozenset(card.name for card in CARDS.values() if card.kind == "worthless")
_ROLES: Mapping[Card, tuple[tuple[Class, ...], tuple[Class, ...], Place | None]] = {
    card: _CLASSES.get(facts.kind, ((), (), None)) for card, facts in CARDS.items()
}


def classes(card: Card, place: Place) -> tuple[Class, ...]:
    """What the card is in this place of a plan: ``classes(Card("Poison Blade"), "weapon")`` is both classes of weapon;
    nothing where it serves no purpose there."""
    as_weapon, as_defense, _ = _ROLES[card]
    return as_weapon if place == "weapon" else as_defense


def called(card: Card, place: Place) -> tuple[Class, ...]:
    """The classes by which players speak of the card in this place: what is printed on it, and a Poison Tooth is a
    poison weapon (FAQ.BG.17, FAQ.BG.18)."""
    return ("poison",) if card_kind(card) == "poison-tooth" and place == "weapon" else classes(card, place)


def beside_another(card: Card) -> Place | None:
    """The place that the card takes only beside another card that is meant for the same purpose (IT.CARD.9, 10)."""
    return _ROLES[card][2]


def meant_as(place: Place, what: Class) -> frozenset[Card]:
    """The cards meant for this place of a plan that are called so there: Poison Blade and Weirding Way are projectile
    weapons, Chemistry is a poison defense and no poison weapon (FAQ.BG.18, FAQ.BG.19)."""
    return frozenset(card for card in CARDS if beside_another(card) != place and what in called(card, place))


_WEAPONS = frozenset(card for card in CARDS if classes(card, "weapon") and beside_another(card) != "weapon")
_DEFENSES = frozenset(card for card in CARDS if classes(card, "defense") and beside_another(card) != "defense")


def card_kind(card: Card) -> CardKind:
    """`card_kind(Card("Crysknife")) == "projectile-weapon"`."""
    return CARDS[card].kind


def is_weapon(card: Card) -> bool:
    """Whether it is meant as a weapon, the Lasgun included; worthless cards are none."""
    return card in _WEAPONS


def is_defense(card: Card) -> bool:
    """Whether it is meant as a defense, as Shield and Snooper are; worthless cards are none."""
    return card in _DEFENSES


# --- Spice cards ---------------------------------------------------------------------------------------------

SHAI_HULUD = "Shai-Hulud"
SANDTROUT = "Sandtrout"


def _read_spice_cards() -> dict[str, tuple[int, TerritoryId | None, Mapping[str, int]]]:
    cards: dict[str, tuple[int, TerritoryId | None, Mapping[str, int]]] = {}
    for entry in entries("cards.toml", "spice_card"):
        territory = TerritoryId(entry.text("territory", ""))
        if territory and territory not in TERRITORIES:
            raise FactsError(f"{entry.where}: there is no territory {territory!r}.")
        cards[entry.text("name")] = (entry.number("count"), territory or None, _added(entry))
    return cards


_SPICE_CARDS = _read_spice_cards()

SPICE_DECK: tuple[str, ...] = tuple(name for name, (count, *_) in _SPICE_CARDS.items() for _ in range(count))
"""All 21 cards of the first box by printed name: fifteen territories and six times "Shai-Hulud"."""


def spice_cards_of(expansion: str) -> tuple[str, ...]:
    """The spice cards that an expansion adds."""
    return tuple(name for name, (*_, added) in _SPICE_CARDS.items() for _ in range(added.get(expansion, 0)))


def spice_card_territory(name: str) -> TerritoryId | None:
    """The territory where the spice of this card blows; None for Shai-Hulud and the Sandtrout."""
    return _SPICE_CARDS[name][1]


Element = Literal["leader", "weapon", "defense", "number"]
"""What Atreides may ask to see of a plan."""

CHEAP_HERO = "cheap hero"  # stands in a plan for whichever cheap hero card the player holds
