"""Orders sent ahead in the Battle Round: which can still be wanted, and which never will (they are refused at once)."""

from __future__ import annotations

from rules.board import TERRITORIES
from rules.components import LEADERS, Faction, Leader, faction_name
from rules.game import Game
from rules.orders import (
    CHEAP_HERO,
    Capture,
    ChooseBattle,
    Discard,
    FremenSupport,
    Keep,
    Lose,
    NoPrescience,
    NoTreachery,
    NoVoice,
    Order,
    Plan,
    Prescience,
    Treachery,
    Voice,
)
from rules.phases.battle import listing, prescience, support
from rules.refusal import Refusal


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """None where the order can wait for a decision later in this phase; else why it cannot."""
    match order:
        case ChooseBattle():
            return _no_such_battle(game, faction, order)
        case Voice():
            return _no_power(game, faction, "bene-gesserit", "voice", order.faction)
        case NoVoice():
            return _no_power(game, faction, "bene-gesserit", "voice", None)
        case Prescience() | NoPrescience():
            return _no_power(game, faction, "atreides", "prescience", None)
        case Plan():
            return _no_plan(game, faction, order)
        case FremenSupport():
            return support.refusal_without_ally(game, faction)
        case Treachery() | NoTreachery():
            return _no_treachery(game, faction)
        case Lose() | Keep() | Discard():
            return _no_battle_of_his(game, faction)
        case Capture():
            return _no_capture(game, faction)
    return Refusal("Nobody is asking that in the battles.", "AH.V-b")


def _pairs(game: Game) -> list[tuple[Faction, Faction]]:
    """Who fights whom in the battle that is on and in those to come."""
    on = game.moments.battle
    current = [on.sides] if on else []
    return [*current, *((battle.aggressor, battle.defender) for battle in listing.all_battles(game))]


def _no_such_battle(game: Game, faction: Faction, order: ChooseBattle) -> Refusal | None:
    for battle in listing.all_battles(game):
        if battle.territory == order.territory and {battle.aggressor, battle.defender} == {faction, order.opponent}:
            if battle.aggressor == faction:
                return None
            who = faction_name(battle.aggressor)
            return Refusal(f"{who} come first in the order of play and choose that battle.", "AH.X.A.3-a")
    where = TERRITORIES[order.territory].name
    return Refusal(f"You have no battle with {faction_name(order.opponent)} in {where}.", "AH.X.A.3-b")


def _no_power(game: Game, faction: Faction, power: Faction, kind: str, target: Faction | None) -> Refusal | None:
    what, clause = ("The Voice", "AH.SHIELD.BG.3-a") if kind == "voice" else ("Prescience", "AH.SHIELD.ATR.3-a")
    if faction != power:
        return Refusal(f"{what} is a power of {faction_name(power)}.", clause)
    group = game.state.ally_group(power)
    opponents = {
        other
        for one, two in _pairs(game)
        for other, own in ((one, two), (two, one))
        if own in group and other not in group
    }
    if not opponents:
        return Refusal("Neither you nor an ally of yours has a battle to come.", clause)
    if target is not None and target not in opponents:
        names = ", ".join(faction_name(other) for other in sorted(opponents))
        return Refusal(f"{what} speaks only to an opponent in battle: {names}.", clause)
    on = game.moments.battle
    if kind == "prescience" and on and on.question and not listing.all_battles(game):
        return prescience.no_further_question(on.questioned or opponents.pop())
    return None


def _no_battle_of_his(game: Game, faction: Faction) -> Refusal | None:
    if any(faction in pair for pair in _pairs(game)):
        return None
    return Refusal("You have no battle to come in this round.", "AH.X.A.1")


def _no_plan(game: Game, faction: Faction, order: Plan) -> Refusal | None:
    if refusal := _no_battle_of_his(game, faction):
        return refusal
    if order.leader not in (None, CHEAP_HERO):
        leader = Leader(str(order.leader))
        own = leader in LEADERS and LEADERS[leader].faction == faction
        if not own and leader not in game.player(faction).captured:
            return Refusal(f"{leader} is not a leader of yours.", "AH.X.B.2")
    return None


def _no_treachery(game: Game, faction: Faction) -> Refusal | None:
    fights = {fighter for pair in _pairs(game) for fighter in pair}
    group = game.state.ally_group(faction) if faction == "harkonnen" else (faction,)
    if fights.isdisjoint(group):
        return Refusal("You have no battle to come in which you could call treachery.", "AH.X.D.1-b")
    return None


def _no_capture(game: Game, faction: Faction) -> Refusal | None:
    if faction != "harkonnen" or game.rules.leader_capture != "on":
        return Refusal("You take no captives.", "AH.SHIELD.HAR.3-a")
    return _no_battle_of_his(game, faction)
