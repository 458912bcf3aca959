"""Orders sent ahead in the Battle Round: which can still be wanted, and which never will (they are refused at once)."""

from __future__ import annotations

from rules.chapters.battle import listing, support
from rules.components import LEADERS, Faction, Leader, faction_name
from rules.components.board import TERRITORIES
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
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """None where the order can wait for a decision later in this phase; else why it cannot."""
    match order:
        case ChooseBattle():
            return _no_such_battle(game, faction, order)
        case Voice():
            return _no_voice(game, faction, order.faction)
        case NoVoice():
            return _no_voice(game, faction, None)
        case Prescience() | NoPrescience():
            return _no_prescience(game, faction)
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


def _later(game: Game) -> list[tuple[Faction, Faction]]:
    """Who fights whom after the battle that is on."""
    on = game.moments.battle
    now = (frozenset(on.sides), on.areas) if on else None
    return [
        (battle.aggressor, battle.defender)
        for battle in listing.all_battles(game)
        if (frozenset((battle.aggressor, battle.defender)), battle.areas) != now
    ]


def _pairs(game: Game) -> list[tuple[Faction, Faction]]:
    """Who fights whom in the battle that is on and in those to come."""
    on = game.moments.battle
    return [*([on.sides] if on else []), *_later(game)]


def _no_such_battle(game: Game, faction: Faction, order: ChooseBattle) -> Refusal | None:
    for battle in listing.all_battles(game):
        if battle.territory == order.territory and {battle.aggressor, battle.defender} == {faction, order.opponent}:
            if battle.aggressor == faction:
                return None
            who = faction_name(battle.aggressor)
            return Refusal(f"{who} come first in the order of play and choose that battle.", "AH.X.A.3-a")
    where = TERRITORIES[order.territory].name
    return Refusal(f"You have no battle with {faction_name(order.opponent)} in {where}.", "AH.X.A.3-b")


def _no_voice(game: Game, faction: Faction, target: Faction | None) -> Refusal | None:
    if faction != "bene-gesserit":
        return Refusal("The Voice is a power of the Bene Gesserit.", "AH.SHIELD.BG.3-a")
    on = game.moments.battle
    open_pairs = _pairs(game) if on and on.stage == "voice" else _later(game)
    opponents = _opponents(game, faction, open_pairs)
    if not opponents:
        return Refusal("There is no battle to come in which you could use the Voice.", "AH.SHIELD.BG.3-b")
    if target is not None and target not in opponents:
        names = ", ".join(faction_name(other) for other in sorted(opponents))
        return Refusal(f"The Voice speaks only to an opponent in battle: {names}.", "AH.SHIELD.BG.3-a")
    return None


def _no_prescience(game: Game, faction: Faction) -> Refusal | None:
    if faction != "atreides":
        return Refusal("Prescience is a power of Atreides.", "AH.SHIELD.ATR.3-a")
    on = game.moments.battle
    asking = on is not None and on.question is None and on.stage in ("voice", "prescience")
    if _opponents(game, faction, _pairs(game) if asking else _later(game)):
        return None
    if on and on.questioned:
        who = faction_name(on.questioned)
        return Refusal(f"You have asked {who} in this battle; one question is all.", "AH.SHIELD.ATR.3-b")
    return Refusal("There is no battle to come in which you could ask.", "AH.SHIELD.ATR.3-a")


def _opponents(game: Game, power: Faction, pairs: list[tuple[Faction, Faction]]) -> set[Faction]:
    """Whom the power's faction and its allies fight."""
    group = game.state.ally_group(power)
    both_ways = [*pairs, *((two, one) for one, two in pairs)]
    return {other for own, other in both_ways if own in group and other not in group}


def _no_battle_of_his(game: Game, faction: Faction) -> Refusal | None:
    if any(faction in pair for pair in _pairs(game)):
        return None
    return Refusal("You have no battle to come in this round.", "AH.X.A.1")


def _no_plan(game: Game, faction: Faction, order: Plan) -> Refusal | None:
    if refusal := _no_battle_of_his(game, faction):
        return refusal
    on = game.moments.battle
    if on and faction in on.committed and not any(faction in pair for pair in _later(game)):
        return Refusal("Your plan is committed and cannot change.", "WBC.X.11")
    if order.leader not in (None, CHEAP_HERO):
        leader = Leader(str(order.leader))
        own = leader in LEADERS and LEADERS[leader].faction == faction
        if not own and leader not in game.player(faction).captured:
            return Refusal(f"{leader} is not a leader of yours.", "AH.X.B.2")
    return None


def _no_treachery(game: Game, faction: Faction) -> Refusal | None:
    """While a battle is resolved a call means that battle, and there it was asked for if it could be made."""
    group = game.state.ally_group(faction) if faction == "harkonnen" else (faction,)
    on = game.moments.battle
    resolved = on is not None and on.stage == "resolution"
    if on and resolved and any(on.committed[on.opponent(f)].plan.kwisatz_haderach for f in on.sides if f in group):
        return Refusal("A leader beside the Kwisatz Haderach is in nobody's pay.", "AH.SHIELD.ATR.4-e")
    fights = {fighter for pair in (_later(game) if resolved else _pairs(game)) for fighter in pair}
    if fights.isdisjoint(group):
        return Refusal("You have no battle to come in which you could call treachery.", "AH.X.D.1-b")
    return None


def _no_capture(game: Game, faction: Faction) -> Refusal | None:
    if faction != "harkonnen" or game.rules.leader_capture != "on":
        return Refusal("You take no captives.", "AH.SHIELD.HAR.3-a")
    return _no_battle_of_his(game, faction)
