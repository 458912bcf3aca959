"""The cards of a battle plan by the place in which they lie: what each is there, whom they kill, whom they save.

Most cards are one thing wherever they lie. Weirding Way is a defense only beside another weapon, and Chemistry a weapon
only beside another defense (IT.CARD.9 to 11). Nothing helps against a lasgun, only Chemistry against a Poison Tooth,
and only a Shield, alone or with a Snooper, against an Artillery Strike (IT.CARD.12, IT.CARD.16).
"""

from __future__ import annotations

from functools import cache

from rules.components import (
    Card,
    CardKind,
    Class,
    Faction,
    Place,
    beside_another,
    card_kind,
    classes,
    is_defense,
    is_weapon,
)
from rules.state.moments import BattleMoment

SHIELDS: tuple[CardKind, ...] = ("shield", "shield-snooper")
"""What a lasgun makes explode, and what stops artillery (FAQ.SPECIAL.3, FAQ.SPECIAL.4)."""

KILLS_BOTH: tuple[CardKind, ...] = ("poison-tooth", "artillery-strike")
"""Weapons that kill their own side's leader, too."""


# --- Where a card may lie -----------------------------------------------------------------------------------------


def serves(card: Card, place: Place, other: Card | None) -> bool:
    """Whether the card may lie in this place of a plan, with the ``other`` card in the other one. What is neither
    weapon nor defense, like a worthless card, may lie in either."""
    if not classes(card, "weapon") and not classes(card, "defense"):
        return True
    if not classes(card, place):
        return False
    if beside_another(card) != place:
        return True
    return other is not None and (is_weapon(other) if place == "defense" else is_defense(other))


def can_serve(card: Card, place: Place) -> bool:
    """Whether the card may lie in this place of some plan."""
    return card_kind(card) == "worthless" or bool(classes(card, place))


@cache
def misplaced(weapon: Card | None, defense: Card | None) -> tuple[tuple[Card, Place], ...]:
    """The cards of a plan that may not lie where they are."""
    lying: tuple[tuple[Card | None, Place, Card | None], ...] = (
        (weapon, "weapon", defense),
        (defense, "defense", weapon),
    )
    return tuple((card, place) for card, place, other in lying if card is not None and not serves(card, place, other))


@cache
def in_place(weapon: Card | None, defense: Card | None) -> tuple[Card | None, Card | None]:
    """The two cards, each where it belongs: exchanged where that alone makes them right.

    >>> in_place(Card("Shield"), Card("Kulon")), in_place(Card("Crysknife"), Card("Weirding Way"))
    (('Kulon', 'Shield'), ('Crysknife', 'Weirding Way'))
    """
    if misplaced(weapon, defense) and not misplaced(defense, weapon):
        return defense, weapon
    return weapon, defense


# --- What they do -------------------------------------------------------------------------------------------------


def kills(weapon: Card, defense: Card | None) -> bool:
    """Whether the card in the weapon's place kills an opponent's leader behind this defense (AH.AID.BATTLE.1 to 5).

    >>> kills(Card("Gom Jabbar"), Card("Shield")), kills(Card("Slip-Tip"), Card("Shield")), kills(Card("Kulon"), None)
    (True, False, False)
    """
    by, kind = classes(weapon, "weapon"), card_kind(weapon)
    if kind == "poison-tooth":
        return defense is None or card_kind(defense) != "chemistry"
    if kind == "artillery-strike":
        return defense is None or card_kind(defense) not in SHIELDS
    stopped: tuple[Class, ...] = classes(defense, "defense") if defense else ()
    return bool(by) and not set(by) <= set(stopped)


def is_killed(battle: BattleMoment, faction: Faction) -> bool:
    """Whether the opponent's weapon, or an own one that kills both, kills the fighter's leader, or the cheap hero in a
    leader's place (AH.X.C.3-a, IT.CARD.12, IT.CARD.16)."""
    own = battle.committed[faction].plan
    if own.leader is None:
        return False
    weapons = [weapon_of(battle, battle.opponent(faction))]
    if (mine := weapon_of(battle, faction)) and card_kind(mine) in KILLS_BOTH:
        weapons.append(mine)
    return any(weapon is not None and kills(weapon, own.defense) for weapon in weapons)


def weapon_of(battle: BattleMoment, faction: Faction) -> Card | None:
    """The weapon of a fighter that works: a Poison Tooth that is withheld does nothing (IT.CARD.13)."""
    weapon = battle.committed[faction].plan.weapon
    return None if weapon and battle.tooth_withheld and card_kind(weapon) == "poison-tooth" else weapon


def explodes(battle: BattleMoment) -> bool:
    """Whether a lasgun meets a shield, in one plan or in two (AH.AID.BATTLE.5-b, AH.AID.BATTLE.5-c)."""
    kinds = {card_kind(card) for committed in battle.committed.values() for card in committed.cards}
    return "lasgun" in kinds and not kinds.isdisjoint(SHIELDS)


def artillery_strikes(battle: BattleMoment) -> bool:
    """Whether one of the plans holds an Artillery Strike, with which no leader counts and nobody is paid (IT.CARD.17,
    IT.CARD.18)."""
    weapons = (committed.plan.weapon for committed in battle.committed.values())
    return any(weapon is not None and card_kind(weapon) == "artillery-strike" for weapon in weapons)


def goes_once_played(battle: BattleMoment, card: Card) -> bool:
    """Whether a winner, too, discards the card: Artillery Strike always, the Poison Tooth if it was used (FAQ.ERRATA.2,
    IT.CARD.18)."""
    kind = card_kind(card)
    return kind == "artillery-strike" or (kind == "poison-tooth" and battle.tooth_used)


def holder_of_tooth(battle: BattleMoment) -> Faction | None:
    """The fighter whose plan shows the Poison Tooth as its weapon."""
    for faction, committed in battle.committed.items():
        if committed.plan.weapon and card_kind(committed.plan.weapon) == "poison-tooth":
            return faction
    return None
