"""The treachery cards and spice cards (AH.COMP, `data/cards.toml`), and the parts of a battle plan (AH.X.C.3)."""

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
"""The class of a weapon, or of a defense that stops such weapons. No defense has any of the last three classes."""

Place = Literal["weapon", "defense"]
"""The place of a card in a battle plan."""

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
"""The roles of each kind of card: its classes as a weapon, its classes as a defense, and its conditional place.

In the conditional place, the card works only if the other place of the plan holds a second card of its own type. For
example, Weirding Way works as a defense only next to another weapon (IT.CARD.7 to 12).
"""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """A treachery card as printed. ``count`` is the number of copies in the deck, and ``added`` is the number that each
    expansion adds. ``battle_plan`` is true if the card can be part of a battle plan."""

    name: Card
    kind: CardKind
    count: int
    battle_plan: bool
    aliases: tuple[str, ...]
    added: Mapping[str, int]


def _added(entry: Entry) -> Mapping[str, int]:
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
            aliases=entry.texts("aliases", ()),
            added=_added(entry),
        )
    return cards


CARDS: Mapping[Card, CardFacts] = _read_cards()

TREACHERY_DECK: tuple[Card, ...] = tuple(card.name for card in CARDS.values() for _ in range(card.count))
"""All 33 cards of the first box, including duplicates, in the order of the printed list."""


def treachery_of(expansion: str) -> tuple[Card, ...]:
    return tuple(card.name for card in CARDS.values() for _ in range(card.added.get(expansion, 0)))


KARAMA = Card("Karama")

WORTHLESS: frozenset[Card] = frozenset(card.name for card in CARDS.values() if card.kind == "worthless")
_ROLES: Mapping[Card, tuple[tuple[Class, ...], tuple[Class, ...], Place | None]] = {
    card: _CLASSES.get(facts.kind, ((), (), None)) for card, facts in CARDS.items()
}


def classes(card: Card, place: Place) -> tuple[Class, ...]:
    """Return the classes of the card when it is played in this place of a plan, or an empty tuple if it has no use
    there. For example, ``classes(Card("Poison Blade"), "weapon")`` returns both classes of weapon."""
    as_weapon, as_defense, _ = _ROLES[card]
    return as_weapon if place == "weapon" else as_defense


def called(card: Card, place: Place) -> tuple[Class, ...]:
    """Return the classes by which players name the card when it is played in this place (FAQ.BG.17, FAQ.BG.18). These
    are the printed classes, except that a Poison Tooth is named as a poison weapon."""
    return ("poison",) if card_kind(card) == "poison-tooth" and place == "weapon" else classes(card, place)


def beside_another(card: Card) -> Place | None:
    """Return the place in which the card works only next to a second card, or None. For example, Weirding Way works as
    a defense only next to another weapon (IT.CARD.9, 10)."""
    return _ROLES[card][2]


def meant_as(place: Place, what: Class) -> frozenset[Card]:
    """Return the cards meant for this place in a plan that players count as members of this class (FAQ.BG.18,
    FAQ.BG.19). Poison Blade and Weirding Way count as projectile weapons. Chemistry counts as a poison defense, but not
    as a poison weapon."""
    return frozenset(card for card in CARDS if beside_another(card) != place and what in called(card, place))


_WEAPONS = frozenset(card for card in CARDS if classes(card, "weapon") and beside_another(card) != "weapon")
_DEFENSES = frozenset(card for card in CARDS if classes(card, "defense") and beside_another(card) != "defense")


def card_kind(card: Card) -> CardKind:
    return CARDS[card].kind


def is_weapon(card: Card) -> bool:
    return card in _WEAPONS


def is_defense(card: Card) -> bool:
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
"""All 21 cards of the first box by printed name: fifteen territories and six copies of "Shai-Hulud"."""


def spice_cards_of(expansion: str) -> tuple[str, ...]:
    return tuple(name for name, (*_, added) in _SPICE_CARDS.items() for _ in range(added.get(expansion, 0)))


def spice_card_territory(name: str) -> TerritoryId | None:
    """Return the territory in which this card brings spice, or None for Shai-Hulud and the Sandtrout."""
    return _SPICE_CARDS[name][1]


Element = Literal["leader", "weapon", "defense", "number"]
"""The elements of a plan that Atreides may ask for."""

CHEAP_HERO = "cheap hero"  # in a plan, means any cheap hero card that the player holds
