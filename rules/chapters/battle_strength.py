"""Strength in battle: tokens on the dial, an ally's support, weapons and defenses (AH.X.B.1, AH.X.C.6, AH.XXII).

In the basic game a token counts one. In the advanced game it counts one with one spice behind it and a half without
(AH.XXII.A.1). A starred token counts two, unless its bonus is lost (AH.SHIELD.EMP.2, AH.AID.ADV.FRE.4-a). A side that
the Fremen support, including the Fremen themselves, fights at full strength for free (WBC.HR.6). Strength is counted in
halves, so that all numbers are whole: a dial of 2.5 is 5 halves.

Support (WBC.HR.6b and c): the Fremen may let their ally fight at full strength without spice. The last setting remains
in force, and everybody knows it before plans are made. The Fremen are asked in every battle of their ally.

Weapons and defenses: most cards are either one or the other. Weirding Way is a defense only together with another
weapon, and Chemistry is a weapon only together with another defense (IT.CARD.9 to 11). Nothing protects a leader from a
lasgun. Only Chemistry protects from a Poison Tooth, and only a Shield, alone or together with a Snooper, from an
Artillery Strike (IT.CARD.12, IT.CARD.16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from rules.chapters.battle_list import BattleQuestion
from rules.components import (
    FACTION_FACTS,
    Card,
    CardKind,
    Class,
    Faction,
    Forces,
    Place,
    beside_another,
    card_kind,
    classes,
    is_defense,
    is_weapon,
    the_faction,
)
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Answers, Question
from rules.orders import FremenSupport, Order
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import NO_FORCES

SPICE_COUNTS = Option("combat_model", {"tokens": False, "spice_supported": True})
STARS_COUNT = Option("starred_tokens", {"elite": True, "plain": False})


class Worth(NamedTuple):
    """The values of a side's tokens on the dial.

    ``elite`` is the value of a starred token, and ``paid`` is true if a token needs spice to count in full. If ``half``
    is true, an ordinary token counts a half even with spice, so spice is placed behind starred tokens only.
    """

    elite: int
    paid: bool
    half: bool = False


def forces_in(game: Game, battle: BattleMoment, faction: Faction) -> Forces:
    """Return the tokens that the faction has in this battle, added up over all its sectors (AH.QA.B.1-b)."""
    total = NO_FORCES
    for area in battle.areas:
        total += game.here(area, faction)
    return total


def worth_of_tokens(game: Game, battle: BattleMoment, faction: Faction) -> Worth:
    paid = SPICE_COUNTS(game.rules) and not is_supported(game, battle, faction)
    return Worth(_elite_worth(game, battle, faction), paid, half=rules_of(game, faction).ordinary_counts_half)


def is_supported(game: Game, battle: BattleMoment, faction: Faction) -> bool:
    """Return whether the faction fights at full strength for free in this battle, as the Fremen themselves or with
    their support (WBC.HR.6a, WBC.HR.6c, WBC.HR.6d)."""
    if "fremen support" in battle.cancelled:
        return False
    return any(rules_of(game, other).supports(game, faction) for other in game.state.ally_group(faction))


def has_starred_bonus(game: Game, battle: BattleMoment, faction: Faction) -> bool:
    return forces_in(game, battle, faction).elite > 0 and _elite_worth(game, battle, faction) > 1


def karama_against_bonus(faction: Faction) -> str:
    return f"cancel {FACTION_FACTS[faction].elite_name.lower()}"


def _elite_worth(game: Game, battle: BattleMoment, faction: Faction) -> int:
    counts = STARS_COUNT(game.rules) or FACTION_FACTS[faction].elite_always
    return rules_of(game, faction).starred_worth(game, battle) if counts else 1


@lru_cache(maxsize=4096)
def highest_dial(forces: Forces, worth: Worth, spice: int) -> int:
    """Return the highest dial, in halves, that these tokens can make with this much spice.

    >>> highest_dial(Forces(6), Worth(2, paid=True), 2)  # two full, four halves: 4
    8
    >>> highest_dial(Forces(3, 2), Worth(2, paid=False, half=True), 0)
    11
    """
    if not worth.paid:
        return (1 if worth.half else 2) * forces.ordinary + 2 * worth.elite * forces.elite
    full_elite = min(spice, forces.elite)
    full_ordinary = 0 if worth.half else min(spice - full_elite, forces.ordinary)
    return forces.ordinary + worth.elite * forces.elite + full_ordinary + worth.elite * full_elite


def highest_dial_made(forces: Forces, worth: Worth, spice: int, limit: int) -> int:
    """Return the highest dial, in halves and at most ``limit``, that the tokens and the spice can make exactly
    (WBC.X.24)."""
    dial = min(limit, highest_dial(forces, worth, spice))
    while not possible_losses(forces, worth, spice, dial):
        dial -= 1
    return dial


def least_spice_for_dial(forces: Forces, worth: Worth, held: int, dial: int) -> int | None:
    """Return the least spice, at most ``held``, with which the tokens can make this dial, or None if they cannot make
    it."""
    if not worth.paid:
        return 0 if possible_losses(forces, worth, 0, dial) else None
    return next((spice for spice in range(held + 1) if possible_losses(forces, worth, spice, dial)), None)


@lru_cache(maxsize=8192)
def possible_losses(forces: Forces, worth: Worth, spice: int, dial: int) -> tuple[Forces, ...]:
    """Return the combinations of tokens that can be lost for the dial with the spice paid (AH.XXII.C-a). The result is
    empty if no combination makes up the dial.

    As much spice as the dial can use is counted behind the lost tokens; the rest is wasted. The losses are sorted by
    the number of starred tokens, then by the total number of tokens, the fewest first.

    >>> possible_losses(Forces(4, 2), Worth(2, paid=True), 3, 10)
    (Forces(ordinary=4, elite=1), Forces(ordinary=1, elite=2), Forces(ordinary=2, elite=2), Forces(ordinary=3, elite=2))
    """
    if not worth.paid:
        return _full_and_halves(forces, worth.elite, dial) if worth.half else _full(forces, worth.elite, dial)
    able = forces.elite if worth.half else forces.total
    for backed in range(min(spice, able), -1, -1):
        found = tuple(
            Forces(ordinary, elite)
            for elite in range(forces.elite + 1)
            for ordinary in range(forces.ordinary + 1)
            if _makes(ordinary, elite, worth, backed, dial)
        )
        if found:
            return found
    return ()


@lru_cache(maxsize=4096)
def possible_losses_with_spice_left(forces: Forces, worth: Worth, spice: int, dial: int) -> tuple[Forces, ...]:
    """Return the possible losses for this dial if the winner may count less spice than was paid (FAQ.ADV-COMBAT.1).

    >>> possible_losses(Forces(4, 2), Worth(2, paid=True), 4, 10)
    (Forces(ordinary=3, elite=1), Forces(ordinary=4, elite=1))
    >>> possible_losses_with_spice_left(Forces(4, 2), Worth(2, paid=True), 4, 10)[2:4]
    (Forces(ordinary=1, elite=2), Forces(ordinary=2, elite=2))
    """
    if not worth.paid:
        return possible_losses(forces, worth, spice, dial)
    found = {loss for backed in range(spice + 1) for loss in possible_losses(forces, worth, backed, dial)}
    return tuple(sorted(found, key=lambda lost: (lost.elite, lost.ordinary)))


LOSSES = Option("losses_vs_spice", {"exact": possible_losses, "at_most": possible_losses_with_spice_left})


def _full(forces: Forces, elite_worth: int, dial: int) -> tuple[Forces, ...]:
    whole, half = divmod(dial, 2)
    if half:
        return ()
    return tuple(
        Forces(whole - elite_worth * elite, elite)
        for elite in range(forces.elite + 1)
        if 0 <= whole - elite_worth * elite <= forces.ordinary
    )


def _full_and_halves(forces: Forces, elite_worth: int, dial: int) -> tuple[Forces, ...]:
    return tuple(
        Forces(dial - 2 * elite_worth * elite, elite)
        for elite in range(forces.elite + 1)
        if 0 <= dial - 2 * elite_worth * elite <= forces.ordinary
    )


def _makes(ordinary: int, elite: int, worth: Worth, backed: int, dial: int) -> bool:
    if backed > (elite if worth.half else ordinary + elite):
        return False
    unbacked = ordinary + worth.elite * elite
    least = backed if worth.half else max(0, backed - ordinary)
    return any(
        unbacked + backed - full_elite + worth.elite * full_elite == dial
        for full_elite in range(least, min(elite, backed) + 1)
    )


def dial_text(halves: int) -> str:
    return f"{halves // 2}.5" if halves % 2 else str(halves // 2)


def as_dial(halves: int) -> float:
    return halves / 2


def in_halves(dial: float) -> int | None:
    """Return the dial in halves, or None if it is negative or not a multiple of a half.

    >>> in_halves(2.5), in_halves(0.3)
    (5, None)
    """
    halves = dial * 2
    return int(halves) if halves >= 0 and halves == int(halves) else None


def lenders_of_support(game: Game, battle: BattleMoment) -> list[tuple[Faction, Faction]]:
    return [
        (faction, fighter)
        for fighter in battle.sides
        for faction in game.state.ally_group(fighter)
        if faction != fighter and rules_of(game, faction).lends_support(game)
    ]


def supported_ally(game: Game, battle: BattleMoment) -> Faction | None:
    return next((ally for _, ally in lenders_of_support(game, battle)), None)


def support_questions(game: Game, battle: BattleMoment) -> list[Question]:
    return [SupportQuestion(game, battle, faction, ally) for faction, ally in lenders_of_support(game, battle)]


class SupportQuestion(BattleQuestion):
    kind = "fremen-support"
    only_refusal = Refusal("Only the Fremen can lend support in battles.", "battle.support")

    def __init__(self, game: Game, battle: BattleMoment, faction: Faction, ally: Faction) -> None:
        super().__init__(game, battle, faction)
        self._ally = ally

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not rules_of(game, faction).lends_support(game):
            return Refusal(f"In battles {the_faction(faction)} cannot give support.", "battle.support")
        if len(game.state.ally_group(faction)) == 1:
            return Refusal("You have no ally to support.", "battle.support")
        return None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None if rules_of(game, faction).lends_support(game) else cls.only_refusal

    @property
    def default(self) -> Order:
        return FremenSupport(self.game.state.fremen_support)

    def samples(self) -> Sequence[Order]:
        return [FremenSupport(granted=True), FremenSupport(granted=False)]

    @property
    def facts(self) -> Mapping[str, Any]:
        granted = self.game.state.fremen_support
        return {"territory": self.battle.territory, "ally": self._ally, "granted": granted}


def settle_support(game: Game, battle: BattleMoment, answers: Answers) -> None:
    for faction, ally in lenders_of_support(game, battle):
        order = answers.of(faction)
        if isinstance(order, FremenSupport):
            game.state.fremen_support = order.granted
            game.tell("fremen-support", ally=ally, granted=order.granted, territory=battle.territory)


SHIELDS: tuple[CardKind, ...] = ("shield", "shield-snooper")
"""The cards that explode with a lasgun and stop an Artillery Strike (FAQ.SPECIAL.3, FAQ.SPECIAL.4)."""

KILLS_BOTH: tuple[CardKind, ...] = ("poison-tooth", "artillery-strike")
"""The weapons that also kill the leader of the side that plays them."""


# --- Where a card may lie -----------------------------------------------------------------------------------------


def card_serves(card: Card, place: Place, other: Card | None) -> bool:
    """Return whether the card may be played in this place of a plan while the ``other`` card is in the other place. A
    card that is neither weapon nor defense, such as a worthless card, fits both places."""
    if not classes(card, "weapon") and not classes(card, "defense"):
        return True
    if not classes(card, place):
        return False
    if beside_another(card) != place:
        return True
    return other is not None and (is_weapon(other) if place == "defense" else is_defense(other))


def card_can_serve(card: Card, place: Place) -> bool:
    return card_kind(card) == "worthless" or bool(classes(card, place))


@cache
def misplaced_cards(weapon: Card | None, defense: Card | None) -> tuple[tuple[Card, Place], ...]:
    lying: tuple[tuple[Card | None, Place, Card | None], ...] = (
        (weapon, "weapon", defense),
        (defense, "defense", weapon),
    )
    return tuple(
        (card, place) for card, place, other in lying if card is not None and not card_serves(card, place, other)
    )


@cache
def cards_in_place(weapon: Card | None, defense: Card | None) -> tuple[Card | None, Card | None]:
    """Return the two cards, swapped if they fit their places only that way round.

    >>> cards_in_place(Card("Shield"), Card("Kulon")), cards_in_place(Card("Crysknife"), Card("Weirding Way"))
    (('Kulon', 'Shield'), ('Crysknife', 'Weirding Way'))
    """
    if misplaced_cards(weapon, defense) and not misplaced_cards(defense, weapon):
        return defense, weapon
    return weapon, defense


# --- Effects ------------------------------------------------------------------------------------------------------


def weapon_kills(weapon: Card, defense: Card | None) -> bool:
    """Return whether the weapon kills an opponent's leader who has this defense (AH.AID.BATTLE.1 to 5).

    >>> [weapon_kills(Card(weapon), Card("Shield")) for weapon in ("Gom Jabbar", "Slip-Tip")]
    [True, False]
    """
    by, kind = classes(weapon, "weapon"), card_kind(weapon)
    if kind == "poison-tooth":
        return defense is None or card_kind(defense) != "chemistry"
    if kind == "artillery-strike":
        return defense is None or card_kind(defense) not in SHIELDS
    stopped: tuple[Class, ...] = classes(defense, "defense") if defense else ()
    return bool(by) and not set(by) <= set(stopped)


def leader_is_killed(battle: BattleMoment, faction: Faction) -> bool:
    """Return whether a weapon kills the fighter's leader or cheap hero (AH.X.C.3-a, IT.CARD.12, IT.CARD.16). The weapon
    may be the opponent's, or the fighter's own if it kills both leaders."""
    own = battle.committed[faction].plan
    if own.leader is None:
        return False
    weapons = [weapon_of(battle, battle.opponent(faction))]
    if (mine := weapon_of(battle, faction)) and card_kind(mine) in KILLS_BOTH:
        weapons.append(mine)
    return any(weapon is not None and weapon_kills(weapon, own.defense) for weapon in weapons)


def weapon_of(battle: BattleMoment, faction: Faction) -> Card | None:
    """Return the fighter's weapon if it takes effect, else None. A Poison Tooth that is withheld has no effect
    (IT.CARD.13)."""
    weapon = battle.committed[faction].plan.weapon
    return None if weapon and battle.tooth_withheld and card_kind(weapon) == "poison-tooth" else weapon


def battle_explodes(battle: BattleMoment) -> bool:
    """Return whether a lasgun meets a shield, both in one plan or one in each (AH.AID.BATTLE.5-b,
    AH.AID.BATTLE.5-c)."""
    kinds = {card_kind(card) for committed in battle.committed.values() for card in committed.cards}
    return "lasgun" in kinds and not kinds.isdisjoint(SHIELDS)


def artillery_strikes(battle: BattleMoment) -> bool:
    """Return whether a plan holds an Artillery Strike, so that no leader counts and nobody is paid (IT.CARD.17,
    IT.CARD.18)."""
    weapons = (committed.plan.weapon for committed in battle.committed.values())
    return any(weapon is not None and card_kind(weapon) == "artillery-strike" for weapon in weapons)


def is_discarded_once_played(battle: BattleMoment, card: Card) -> bool:
    """Return whether even a winner must discard the card: an Artillery Strike always, the Poison Tooth if it was used
    (FAQ.ERRATA.2, IT.CARD.18)."""
    kind = card_kind(card)
    return kind == "artillery-strike" or (kind == "poison-tooth" and battle.tooth_used)


def holder_of_tooth(battle: BattleMoment) -> Faction | None:
    for faction, committed in battle.committed.items():
        if committed.plan.weapon and card_kind(committed.plan.weapon) == "poison-tooth":
            return faction
    return None
