"""Mending a faulty plan at the reveal (WBC.X.23 to 26).

A missing leader is the lowest that is free; of two weapons or two defenses chance keeps one, unless an order binds
one of them (A-24); a dial above what tokens and spice make comes down; anything else that is wrong is taken out.
Whoever has no leader at all plays no cards (AH.X.C.10-b). Where the rule set refuses faulty plans there is nothing
left to mend.
"""

from __future__ import annotations

from msgspec.structs import replace

from rules.chapters.battle import arms, kwisatz_haderach, leaders, prescience, strength, voice
from rules.components import CARDS, Card, Faction, card_kind, is_weapon
from rules.orders import CHEAP_HERO, Plan
from rules.rulesets.options import switch
from rules.state.game import Game
from rules.state.moments import BattleMoment, Committed

BOUND_CARD_COUNTS = switch("two_cards_random_unless_bound")

OPTIONS = (BOUND_CARD_COUNTS,)


def mended(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Committed:
    """The plan as it counts, and what had to be mended."""
    repairs: list[str] = []
    plan = _with_leader(game, battle, faction, plan, repairs)
    plan = _with_cards(game, battle, faction, plan, repairs)
    if plan.kwisatz_haderach and kwisatz_haderach.barred(game, battle, faction, plan.leader):
        plan = replace(plan, kwisatz_haderach=False)
        repairs.append("kwisatz-haderach-removed")
    plan = _with_dial(game, battle, faction, plan, repairs)
    hero = leaders.cheap_hero(game, faction) if plan.leader == CHEAP_HERO else None
    cards = tuple(card for card in (hero, plan.weapon, plan.defense) if card)
    return Committed(plan, cards, tuple(repairs))


def _with_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, repairs: list[str]) -> Plan:
    if battle.leaders == "waived":
        return plan
    if plan.leader is not None and leaders.unavailable(game, battle, faction, plan.leader):
        repairs.append("leader-removed")
        plan = replace(plan, leader=None)
    if plan.leader is None and (lowest := leaders.lowest(game, battle, faction)):
        repairs.append("leader-added")
        plan = replace(plan, leader=lowest)
    return plan


def _with_cards(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, repairs: list[str]) -> Plan:
    hand = list(game.player(faction).hand)
    cards: list[Card | None] = []
    for card in prescience.slots(plan):
        fit = card is not None and card in hand and CARDS[card].battle_plan and card_kind(card) != "cheap-hero"
        if card is not None and fit and plan.leader is not None:
            hand.remove(card)
            cards.append(card)
        else:
            if card is not None:
                repairs.append("card-removed")
            cards.append(None)
    weapon, defense = cards
    if not arms.misplaced(weapon, defense):
        return replace(plan, weapon=weapon, defense=defense)
    if weapon is None or defense is None:  # the other is of use only beside a second one
        repairs.append("card-removed")
        return replace(plan, weapon=None, defense=None)
    if is_weapon(weapon):
        repairs.append("one-weapon-of-two")
        return replace(plan, weapon=_one_of(game, battle, faction, weapon, defense), defense=None)
    repairs.append("one-defense-of-two")
    return replace(plan, weapon=None, defense=_one_of(game, battle, faction, weapon, defense))


def _one_of(game: Game, battle: BattleMoment, faction: Faction, first: Card, second: Card) -> Card:
    """The card that counts of two of one type: the one an order binds, else chance decides (WBC.X.25, A-24)."""
    if BOUND_CARD_COUNTS(game.rules):
        answer = prescience.live(game, battle, faction)
        command = voice.live(battle, faction)
        for card in (first, second):
            commanded = command and command.play and voice.means(command, card)
            if commanded or (answer and _was_shown(battle, answer, card)):
                return card
    return game.chance.pick("two-cards", (first, second))


def _was_shown(battle: BattleMoment, answer: Plan, card: Card) -> bool:
    return battle.question is not None and prescience.shown(answer, battle.question.element) == card


def _with_dial(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, repairs: list[str]) -> Plan:
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    held = game.player(faction).spice if strength.SPICE_COUNTS(game.rules) else 0
    held = min(held, forces.elite) if worth.half else held
    if plan.spice > held:
        repairs.append("spice-lowered")
        plan = replace(plan, spice=held)
    dial = strength.in_halves(plan.dial) or 0
    made = strength.highest(forces, worth, plan.spice, dial)
    if made != dial:
        repairs.append("dial-lowered")
        plan = replace(plan, dial=strength.as_dial(made))
    return plan
