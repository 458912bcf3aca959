"""Who can lead a battle (AH.X.C.8 to 10): the leaders that a fighter has for it, and cheap heroes in their place.

A leader who survived a battle is bound to that territory for the round; one brought back from the tanks during the
battles sits them out (AH.QA.A.5). A captor may use captives like leaders of their own, each once (AH.SHIELD.HAR.3-d).
"""

from __future__ import annotations

from rules.components import (
    LEADERS,
    Card,
    Faction,
    Leader,
    card_kind,
    faction_name,
    leader_strength,
    leaders_of,
    weakest_first,
)
from rules.decisions.catalogue import rules_of
from rules.decisions.service import serving_others
from rules.orders import CHEAP_HERO
from rules.rulesets.options import switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment

HERO_FOR_MISSING_LEADER = switch("missing_leader_uses_cheap_hero")

OPTIONS = (HERO_FOR_MISSING_LEADER,)


def available(game: Game, battle: BattleMoment, faction: Faction) -> list[Leader]:
    """The leaders the faction can use in this battle, weakest first, captives of others last."""
    elsewhere, taken = game.captives(), list(game.player(faction).captured)
    if serving := serving_others(game):
        taken += [leader for leader, whose in serving.items() if whose == faction and leader not in elsewhere]
        elsewhere.update(serving)
    own = [leader for leader in weakest_first(faction) if leader not in elsewhere and _free(game, battle, leader)]
    return own + sorted((leader for leader in taken if _free(game, battle, leader)), key=leader_strength)


def in_pool(game: Game, faction: Faction) -> list[Leader]:
    """The leaders who are the faction's to use and not dead: its own, strongest first, but for those who serve others,
    and those of others who serve it; captives of others among them."""
    elsewhere = serving_others(game)
    own = [leader for leader in leaders_of(faction) if leader not in elsewhere]
    serving = rules_of(game, faction).foreign_leaders(game)
    return [leader for leader in (*own, *serving) if game.state.leaders[leader].status == "ready"]


def _free(game: Game, battle: BattleMoment, leader: Leader) -> bool:
    standing = game.state.leaders[leader]
    return standing.status == "ready" and not standing.sits_out and standing.fought_in in (None, battle.territory)


def cheap_hero(game: Game, faction: Faction) -> Card | None:
    """The cheap hero card that the faction would play."""
    return next((card for card in game.player(faction).hand if card_kind(card) == "cheap-hero"), None)


def has_any(game: Game, battle: BattleMoment, faction: Faction) -> bool:
    """Whether the faction has a leader or a cheap hero for this battle (AH.X.C.9)."""
    return bool(available(game, battle, faction)) or cheap_hero(game, faction) is not None


def lowest(game: Game, battle: BattleMoment, faction: Faction) -> str | None:
    """Who leads where nobody is named: the weakest leader, else a cheap hero, else nobody (WBC.X.23, AH.X.C.9-c)."""
    for leader in available(game, battle, faction):
        return leader
    uses_hero = HERO_FOR_MISSING_LEADER(game.rules) and cheap_hero(game, faction)
    return CHEAP_HERO if uses_hero else None


def refusal_unless_own(game: Game, faction: Faction, leader: str | None) -> Refusal | None:
    """Why this leader is nobody whom the faction could lead with, now or in a battle to come; None where it may."""
    if leader in (None, CHEAP_HERO):
        return None
    name = Leader(str(leader))
    if name in LEADERS and (LEADERS[name].faction == faction or name in game.player(faction).captured):
        return None
    if name in rules_of(game, faction).foreign_leaders(game):
        return None
    return Refusal(f"{leader} is not a leader of yours.", "battle.leader-in-plan")


def unavailable(game: Game, battle: BattleMoment, faction: Faction, leader: str) -> Refusal | None:
    """Why this leader or cheap hero cannot lead here, or None. It says only what the faction knows of its own."""
    if leader == CHEAP_HERO:
        return None if cheap_hero(game, faction) else Refusal("You hold no cheap hero.", "battle.cards-in-hand")
    name = Leader(leader)
    if name in available(game, battle, faction):
        return None
    if refusal := refusal_unless_own(game, faction, leader):
        return refusal
    standing = game.state.leaders[name]
    if standing.status != "ready":
        return Refusal(f"{leader} is in the tanks.", "battle.leader-in-tanks")
    if (service := serving_others(game).get(name)) not in (None, faction):
        return Refusal(f"{leader} is in the service of {faction_name(str(service))}.", "battle.capture")
    captor = game.captor_of(name)
    if captor is not None and captor != faction:
        return Refusal(f"{leader} is a captive of {faction_name(captor)}.", "battle.capture")
    if standing.sits_out:
        return Refusal(f"{leader} came back during these battles and sits them out.", "battle.leader-sits-out")
    return Refusal(f"{leader} has fought in another territory this round.", "battle.leader-fought-elsewhere")
