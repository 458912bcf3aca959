"""Resolving a battle (AH.X.C, AH.X.D, AH.AID.BATTLE, WBC.X.13, WBC.X.33 and 34).

Treachery comes before everything, then lasgun and shield, then weapons, totals, losses; by ``traitor_vs_lasgun_shield``
a lasgun with a shield explodes although treachery is called. Spice set aside is gone, whoever wins; only who wins by
treachery has it back (AH.XXII.A.2-b, AH.XXII.A.2-c).
"""

from __future__ import annotations

from rules.chapters.battle import arms, poison_tooth, spoils, strength, traitors
from rules.components import KWISATZ_HADERACH_STRENGTH, LEADERS, Faction, Forces, Leader
from rules.components.board import TERRITORIES
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.orders import CHEAP_HERO
from rules.rulesets.options import Option, switch
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import NONE

WINNER_BY_TREACHERY_DISCARDS = switch("traitor_winner_may_discard")
EXPLODES_ALL_THE_SAME = Option("traitor_vs_lasgun_shield", {"traitor_first": False, "explosion_too": True})

HADERACH_COUNTS = Option("artillery_stops_kh", {"yes": False, "no": True})
"""Whether the Kwisatz Haderach adds to the total though an Artillery Strike takes the leader's strength away
(IT.CARD.19)."""

OPTIONS = (WINNER_BY_TREACHERY_DISCARDS, EXPLODES_ALL_THE_SAME, HADERACH_COUNTS, *poison_tooth.OPTIONS)


def resolve(game: Game, battle: BattleMoment) -> Flow:
    """Step eleven."""
    yield from poison_tooth.before_traitors(game, battle)
    called = yield from traitors.calls(game, battle)
    if called and arms.explodes(battle) and EXPLODES_ALL_THE_SAME(game.rules):
        explosion(game, battle)
    elif len(called) == len(battle.sides):
        both_betrayed(game, battle)
    elif called:
        yield from betrayed(game, battle, called[0])
    elif arms.explodes(battle):
        explosion(game, battle)
    else:
        yield from poison_tooth.after_traitors(game, battle)
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
    battle.tooth_used = arms.holder_of_tooth(battle) is not None and not battle.tooth_withheld
    killed = {faction: arms.is_killed(battle, faction) for faction in battle.sides}
    totals, winner = outcome(game, battle)
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
    spoils.reward(game, winner, 0 if arms.artillery_strikes(battle) else reward)
    discard_hero(game, battle, winner)
    yield from spoils.settle(game, battle, winner)


def outcome(game: Game, battle: BattleMoment) -> tuple[dict[Faction, int], Faction]:
    """The totals of both sides in halves, and who wins by them: the aggressor where they are equal (AH.X.C.2)."""
    totals = {faction: total(game, battle, faction, arms.is_killed(battle, faction)) for faction in battle.sides}
    aggressor, defender = battle.sides
    return totals, aggressor if totals[aggressor] >= totals[defender] else defender


def total(game: Game, battle: BattleMoment, faction: Faction, killed: bool) -> int:
    """Dial and leader together, in halves; a killed leader adds nothing, nor does the Kwisatz Haderach beside them
    (AH.X.C.3-b). With an Artillery Strike no leader does (IT.CARD.17)."""
    plan = battle.committed[faction].plan
    halves = strength.in_halves(plan.dial) or 0
    if arms.artillery_strikes(battle):
        haderach = not killed and plan.kwisatz_haderach and HADERACH_COUNTS(game.rules)
        return halves + 2 * KWISATZ_HADERACH_STRENGTH if haderach else halves
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
    """A cheap hero goes once it was played, the winner's too (AH.AID.BATTLE.6-c), and so do weapons that work once
    (FAQ.ERRATA.2)."""
    committed = battle.committed[faction]
    hero = committed.cards[:1] if committed.plan.leader == CHEAP_HERO else ()
    spoils.discard(game, faction, (*hero, *(card for card in committed.cards if arms.goes_once_played(battle, card))))
