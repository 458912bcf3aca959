"""What answers under Truthtrance demand of a battle plan (WBC.AID.10 to 12, WBC.X.16).

A *no* forbids the card, the leader or the dial in every battle that it speaks of. A *yes* binds if the battle is
fought and the plan can still keep it; where other battles to come could keep it too, it does not bind yet. Of a promise
and the Voice that cannot both be obeyed the earlier binds (A-47). What counts is the plan as it will be once mended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from msgspec.structs import replace

from rules.chapters.battle import arms, leaders, listing, strength
from rules.components import CARDS, Card, Faction, Place, beside_another, card_kind, is_defense, is_weapon
from rules.orders import CHEAP_HERO, Plan
from rules.orders.readings import (
    IN_BATTLE,
    KWISATZ_HADERACH,
    Dial,
    Lead,
    PlayCard,
)
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.promises import Promise

Cards = tuple[Card | None, Card | None]

MOST_SKETCHES = 600


def concerns(battle: BattleMoment, side: Faction, promise: Promise) -> bool:
    """Whether the promise speaks of this battle of the side."""
    return isinstance(promise.act, IN_BATTLE) and _speaks_of(promise, battle.territory, battle.opponent(side))


def is_due(game: Game, battle: BattleMoment, sides: Sequence[Faction], promise: Promise) -> bool:
    """Whether no other battle of these sides is to come in which a *yes* could be kept."""
    return not any(
        _speaks_of(promise, other.territory, other.defender if other.aggressor in sides else other.aggressor)
        for other in listing.all_battles(game)
        if (other.aggressor in sides or other.defender in sides)
        and not (other.areas == battle.areas and {other.aggressor, other.defender} == set(battle.sides))
    )


def _speaks_of(promise: Promise, territory: str, opponent: Faction) -> bool:
    scope = promise.scope
    return scope.territory in (None, territory) and scope.opponent in (None, opponent)


def does(game: Game, battle: BattleMoment, faction: Faction, promise: Promise, plan: Plan) -> bool:
    """Whether the plan, as it will count, does what the promise is about."""
    match promise.act:
        case PlayCard(cards):
            played = _played_as_promised(promise.act, (plan.weapon, plan.defense))
            if not promise.forbids:
                played = {card for card in played if _counts(game, battle, faction, plan, card)}
            return not played.isdisjoint(cards)
        case Lead(fighters):
            haderach = KWISATZ_HADERACH in fighters and plan.kwisatz_haderach
            return haderach or _leader(game, battle, faction, plan) in fighters
        case Dial(amount):
            return amount.holds(_dial(game, battle, faction, plan))
    return False


def _played_as_promised(act: PlayCard, pair: Cards) -> set[Card]:
    """The cards of a plan that a promise may mean. A card that lies where it is not meant to be is none of a sort of
    cards, and only itself: beside another weapon Weirding Way is no projectile weapon (IT.CARD.9, IT.CARD.10)."""
    by_name = len(act.cards) == 1
    weapon, defense = pair
    placed: tuple[tuple[Card | None, Place], ...] = ((weapon, "weapon"), (defense, "defense"))
    return {card for card, place in placed if card and (by_name or beside_another(card) != place)}


def _leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> str | None:
    """Who will lead: the lowest takes the place of one who cannot."""
    if plan.leader is None or leaders.unavailable(game, battle, faction, plan.leader):
        return None if battle.leaders == "waived" else leaders.lowest(game, battle, faction)
    return plan.leader


def _counts(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, card: Card) -> bool:
    """Whether the card is sure to be played: held, with a leader, and not one of two of its type."""
    if not game.holds(faction, card) or _leader(game, battle, faction, plan) is None:
        return False
    both = (plan.weapon, plan.defense)
    if not arms.misplaced(*arms.in_place(*both)):
        return True
    return not any(all(one and kind(one) for one in both) for kind in (is_weapon, is_defense))


def _dial(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> float:
    """The dial that tokens and spice will make."""
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    spice = min(plan.spice, game.player(faction).spice)
    return strength.as_dial(strength.highest(forces, worth, spice, strength.in_halves(plan.dial) or 0))


# --- The Voice ---------------------------------------------------------------------------------------------------


def stands_against_voice(game: Game, battle: BattleMoment, faction: Faction, obeys: Callable[[Cards], bool]) -> bool:
    """Whether promises made before the Voice leave no way to obey it (A-47)."""
    earlier = [promise for promise in _before_voice(game, battle, faction) if isinstance(promise.act, PlayCard)]
    if not earlier:
        return False
    pairs = list(card_pairs(game, faction))
    for promise in earlier:
        pairs = [pair for pair in pairs if _keeps(promise, pair)] or pairs
    return not any(obeys(pair) for pair in pairs)


def leader_stands_against(game: Game, battle: BattleMoment, faction: Faction, *, hero: bool) -> bool:
    """Whether promises made before the Voice leave no way to lead with a cheap hero, or with anybody else (A-47)."""
    fighters = [CHEAP_HERO] if hero else list(leaders.available(game, battle, faction))
    for promise in _before_voice(game, battle, faction):
        if isinstance(promise.act, Lead):
            fighters = [one for one in fighters if (one in promise.act.leaders) != promise.forbids]
    return not fighters


def _before_voice(game: Game, battle: BattleMoment, faction: Faction) -> list[Promise]:
    """What binds the faction in this battle and was promised before the Voice was given."""
    return [
        promise
        for promise in game.state.promises
        if promise.faction == faction
        and promise.binds
        and promise.made < battle.voice_at
        and concerns(battle, faction, promise)
        and (promise.forbids or is_due(game, battle, [faction], promise))
        and promise.scope.first_turn <= game.state.turn <= promise.scope.last_turn
    ]


def _keeps(promise: Promise, pair: Cards) -> bool:
    assert isinstance(promise.act, PlayCard)
    done = not _played_as_promised(promise.act, pair).isdisjoint(promise.act.cards)
    return done != promise.forbids


def card_pairs(game: Game, faction: Faction) -> Iterator[Cards]:
    """Every weapon and defense that the hand allows, a worthless card in either place, none first."""
    hand = [card for card in game.player(faction).hand if CARDS[card].battle_plan and card_kind(card) != "cheap-hero"]
    weapons = [None, *dict.fromkeys(card for card in hand if arms.can_serve(card, "weapon"))]
    defenses = [None, *dict.fromkeys(card for card in hand if arms.can_serve(card, "defense"))]
    for weapon, defense in product(weapons, defenses):
        if not arms.misplaced(weapon, defense) and (weapon is None or weapon != defense):
            yield weapon, defense


# --- Plans that keep their word ----------------------------------------------------------------------------------


def sketches(
    game: Game, battle: BattleMoment, faction: Faction, promises: Sequence[Promise], like: Plan
) -> Iterator[Plan]:
    """Plans that keep the promises, those nearest to the one given first; whether they are legal is to be seen."""
    fighters = [like.leader, *leaders.available(game, battle, faction), CHEAP_HERO, None]
    pairs = [(like.weapon, like.defense), *card_pairs(game, faction)]
    found = (
        replace(like, leader=leader, weapon=weapon, defense=defense, dial=dial, spice=spice, kwisatz_haderach=haderach)
        for haderach in (like.kwisatz_haderach, not like.kwisatz_haderach)
        for leader in dict.fromkeys(fighters)
        for dial, spice in _dials(game, battle, faction, promises, like)
        for weapon, defense in dict.fromkeys(pairs)
        if leader is not None or (weapon is None and defense is None)
    )
    kept = (plan for plan in found if all(_kept(game, battle, faction, one, plan) for one in promises))
    for plan, _ in zip(kept, range(MOST_SKETCHES), strict=False):
        yield plan


def _kept(game: Game, battle: BattleMoment, faction: Faction, promise: Promise, plan: Plan) -> bool:
    return does(game, battle, faction, promise, plan) != promise.forbids


def _dials(
    game: Game, battle: BattleMoment, faction: Faction, promises: Sequence[Promise], like: Plan
) -> list[tuple[float, int]]:
    """The dial given, and those at the bounds of what was promised, each with the least spice that makes it."""
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    held = game.player(faction).spice if worth.paid else 0
    wanted = [0.0, strength.as_dial(strength.most(forces, worth, 0))]
    for promise in promises:
        if isinstance(promise.act, Dial):
            least, most = promise.act.amount.least, promise.act.amount.most
            wanted += [bound for bound in (least, least - 0.5, least - 1) if bound >= 0]
            wanted += [] if most is None else [most, most + 0.5, most + 1]
    found = [(like.dial, like.spice)]
    for dial in wanted:
        halves = strength.in_halves(dial)
        spice = None if halves is None else strength.least_spice(forces, worth, held, halves)
        if spice is not None:
            found.append((dial, spice))
    return list(dict.fromkeys(found))
