"""Resolving a battle (AH.X.C, AH.X.D, AH.AID.BATTLE, WBC.X.13, WBC.X.33 and 34).

Treachery comes before everything, then lasgun and shield, then weapons, totals, losses; by ``traitor_vs_lasgun_shield``
a lasgun with a shield explodes although treachery is called. Spice set aside is gone, whoever wins; only who wins by
treachery has it back (AH.XXII.A.2-b, AH.XXII.A.2-c).
"""

from __future__ import annotations

from rules.chapters.battle import spoils, strength, traitors
from rules.components import KWISATZ_HADERACH_STRENGTH, LEADERS, Card, CardKind, Faction, Forces, Leader, card_kind
from rules.components.board import TERRITORIES
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.orders import CHEAP_HERO
from rules.rulesets.options import Option, switch
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import NONE

STOPPED_BY: dict[CardKind, CardKind] = {"projectile-weapon": "shield", "poison-weapon": "snooper"}
"""What defense helps against which weapon (AH.AID.BATTLE.1 to 4); nothing helps against a lasgun
(AH.AID.BATTLE.5-a).
"""

WINNER_BY_TREACHERY_DISCARDS = switch("traitor_winner_may_discard")
EXPLODES_ALL_THE_SAME = Option("traitor_vs_lasgun_shield", {"traitor_first": False, "explosion_too": True})

OPTIONS = (WINNER_BY_TREACHERY_DISCARDS, EXPLODES_ALL_THE_SAME)


def resolve(game: Game, battle: BattleMoment) -> Flow:
    """Step eleven."""
    called = yield from traitors.calls(game, battle)
    if called and explodes(battle) and EXPLODES_ALL_THE_SAME(game.rules):
        explosion(game, battle)
    elif len(called) == len(battle.sides):
        both_betrayed(game, battle)
    elif called:
        yield from betrayed(game, battle, called[0])
    elif explodes(battle):
        explosion(game, battle)
    else:
        yield from fight_out(game, battle)


# --- Treachery ------------------------------------------------------------------------------------------------


def both_betrayed(game: Game, battle: BattleMoment) -> None:
    """Each leader in the other's pay: both lose everything, and nobody is paid (AH.X.D.4)."""
    for faction in battle.sides:
        lose_leader(game, battle, faction)
        lose_tokens(game, battle, faction)
        discard_played(game, battle, faction)
    game.tell("battle-without-winner", territory=battle.territory, sides=list(battle.sides), why="two traitors")


def betrayed(game: Game, battle: BattleMoment, winner: Faction) -> Flow:
    """The caller's side wins at once and loses nothing but a cheap hero; the traitor's pay is the leader's strength
    (AH.X.D.2 and 3). Like every winner they may keep or discard the cards they played (AH.X.C.6).
    """
    loser = battle.opponent(winner)
    traitor = traitors.shown_leader(battle, loser)
    game.gain(winner, battle.committed[winner].plan.spice)
    opposing = traitors.shown_leader(battle, winner)
    pay = _owner(game, traitor).pay_for_traitor(game, traitor, opposing) if traitor else 0
    game.tell("battle-won", territory=battle.territory, winner=winner, loser=loser, by="treachery", totals=None)
    lose_leader(game, battle, loser)
    lose_tokens(game, battle, loser)
    discard_played(game, battle, loser)
    discard_hero(game, battle, winner)
    spoils.reward(game, winner, pay)
    battle.winner = winner
    if WINNER_BY_TREACHERY_DISCARDS(game.rules):
        yield from spoils.give_up_cards(game, battle, winner)


# --- Lasgun and shield ------------------------------------------------------------------------------------------


def explodes(battle: BattleMoment) -> bool:
    """Whether a lasgun meets a shield, in one plan or in two (AH.AID.BATTLE.5-b, AH.AID.BATTLE.5-c)."""
    kinds = {card_kind(card) for committed in battle.committed.values() for card in committed.cards}
    return {"lasgun", "shield"} <= kinds


def explosion(game: Game, battle: BattleMoment) -> None:
    """Everything in the territory is lost, and nobody is paid (AH.AID.BATTLE.5-d, AH.AID.BATTLE.5-e, AH.QA.A.3)."""
    game.tell("explosion", territory=battle.territory)
    lost_spice = 0
    for area in TERRITORIES[battle.territory].areas:
        lost_spice += game.take_spice(area)
    dead: dict[str, str] = {}
    for faction in game.order_of_play():
        if forces := game.kill_in(battle.territory, faction):
            dead[faction] = str(forces)
            rules_of(game, faction).lost_in_battle(game, battle, forces.total)
    game.tell("explosion-losses", territory=battle.territory, spice=lost_spice, tokens_lost=dead)
    for faction in battle.sides:
        if battle.committed[faction].plan.kwisatz_haderach:
            game.state.kwisatz_haderach = "dead"
            game.tell("kwisatz-haderach-killed")
        lose_leader(game, battle, faction)
        discard_played(game, battle, faction)
    game.tell("battle-without-winner", territory=battle.territory, sides=list(battle.sides), why="explosion")


# --- Weapons and totals -----------------------------------------------------------------------------------------


def fight_out(game: Game, battle: BattleMoment) -> Flow:
    """Leaders die, totals are compared, the loser loses all and the winner what was dialed (AH.X.C.1 to 6)."""
    killed = {faction: is_killed(battle, faction) for faction in battle.sides}
    totals = {faction: total(game, battle, faction, killed[faction]) for faction in battle.sides}
    aggressor, defender = battle.sides
    winner = aggressor if totals[aggressor] >= totals[defender] else defender
    loser = battle.opponent(winner)
    battle.winner = winner
    game.tell(
        "battle-won",
        territory=battle.territory,
        winner=winner,
        loser=loser,
        by="strength",
        totals={faction: totals[faction] / 2 for faction in battle.sides},
    )
    reward = 0
    for faction in battle.sides:
        leader = traitors.shown_leader(battle, faction)
        if killed[faction] and leader:
            lose_leader(game, battle, faction)
            reward += worth_of_leader(game, battle, faction)
    lose_tokens(game, battle, loser)
    discard_played(game, battle, loser)
    spoils.reward(game, winner, reward)
    discard_hero(game, battle, winner)
    yield from spoils.settle(game, battle, winner)


def is_killed(battle: BattleMoment, faction: Faction) -> bool:
    """Whether the opponent's weapon kills the fighter's leader, or the cheap hero in a leader's place (AH.X.C.3-a)."""
    weapon = battle.committed[battle.opponent(faction)].plan.weapon
    defense = battle.committed[faction].plan.defense
    if weapon is None or battle.committed[faction].plan.leader is None:
        return False
    return kills(weapon, defense)


def kills(weapon: Card, defense: Card | None) -> bool:
    """Whether the card in the weapon's place kills a leader behind this defense.

    >>> kills(Card("Gom Jabbar"), Card("Shield")), kills(Card("Slip-Tip"), Card("Shield")), kills(Card("Kulon"), None)
    (True, False, False)
    """
    kind = card_kind(weapon)
    if kind == "lasgun":
        return True
    return kind in STOPPED_BY and (defense is None or card_kind(defense) != STOPPED_BY[kind])


def total(game: Game, battle: BattleMoment, faction: Faction, killed: bool) -> int:
    """Dial and leader together, in halves; a killed leader adds nothing, nor does who stands beside (AH.X.C.3-b)."""
    plan = battle.committed[faction].plan
    halves = strength.in_halves(plan.dial) or 0
    if killed or plan.leader is None:
        return halves
    halves += 2 * worth_of_leader(game, battle, faction)
    return halves + (2 * KWISATZ_HADERACH_STRENGTH if plan.kwisatz_haderach else 0)


def worth_of_leader(game: Game, battle: BattleMoment, faction: Faction) -> int:
    """What the leader whom the fighter has shown counts: their strength, or what follows from the opponent's leader; 0
    for a cheap hero or nobody."""
    leader, opposing = traitors.shown_leader(battle, faction), traitors.shown_leader(battle, battle.opponent(faction))
    return _owner(game, leader).worth_of_leader(game, leader, opposing) if leader else 0


def _owner(game: Game, leader: Leader) -> FactionRules:
    """The rules of the faction that the leader belongs to, whoever uses them."""
    return rules_of(game, LEADERS[leader].faction)


# --- What is lost -------------------------------------------------------------------------------------------------


def lose_leader(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """The leader in the fighter's plan goes to the tanks of the faction it belongs to (AH.X.C.4-a,
    AH.SHIELD.HAR.3-f).
    """
    leader = traitors.shown_leader(battle, faction)
    if leader:
        game.kill_leader(leader)
        game.tell("leader-killed", leader=leader, user=faction, status=game.state.leaders[leader].status)


def lose_tokens(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """All tokens of the fighter in this battle go to the tanks, whatever was dialed (AH.X.C.5-a)."""
    dead: Forces = NONE
    for area in battle.areas:
        dead += game.kill(area, faction)
    if dead:
        game.tell("tokens-lost", faction=faction, forces=str(dead), territory=battle.territory)
    rules_of(game, faction).lost_in_battle(game, battle, dead.total)


def discard_played(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """Every card of the plan is discarded (AH.X.C.5-b)."""
    spoils.discard(game, faction, battle.committed[faction].cards)


def discard_hero(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """A cheap hero goes once it was played, the winner's too (AH.AID.BATTLE.6-c)."""
    committed = battle.committed[faction]
    if committed.plan.leader == CHEAP_HERO:
        spoils.discard(game, faction, committed.cards[:1])
