"""Who may enter a territory, for all those who stand there, and what follows when tokens have come or gone
(AH.IX.C.1.c, AH.IX.C.2.f, AH.XII.E.5).

Nobody goes where an ally stands, nor into a stronghold with two other players. Where the rule set only forbids to end
beside an ally, the way may lead there (FAQ.SHIP.2). Factions whose tokens can stand apart from the others', or beside
their ally's, say so in their rooms; whenever tokens have come or gone they are asked what they declare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rules.chapters.movement import ornithopters
from rules.chapters.movement.slot import slot_of
from rules.components import Faction, Forces, board, faction_name
from rules.components.board import POLAR_SINK, TERRITORIES, Area, TerritoryId
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.departures import tokens_gone
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.orders import Move
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

NOBODYS = board.territory_of(POLAR_SINK)
"""Where nobody fights, holds or collects anything, and everybody may enter (AH.XII.E.5-a)."""


Standing = Mapping[Faction, Forces]
"""Who stands in a territory, with how many tokens."""

PASSES_ALLIES = Option("ally_territory", {"never_enter": False, "pass_through": True})
"""Whether a way may lead through a territory with an ally's tokens."""

THOSE_APART_FILL = Option("stronghold_limit_counts_coexisting_bg", {"no": False, "yes": True})
"""Whether tokens that stand apart from others count where a stronghold is full."""


def barred(
    game: Game, faction: Faction, territory: TerritoryId, *, where_full: str = "movement.full-stronghold"
) -> Refusal | None:
    """Why the faction may not go there because of those who stand there; None where it may."""
    there = game.state.forces_in(territory)
    if territory == NOBODYS or not there:
        return None
    beside = _beside_ally(game, faction, territory, there) if game.state.alliances else None
    return beside or (_full(game, faction, territory, there, where_full) if len(there) > 1 else None)


def beside_ally(game: Game, faction: Faction, territory: TerritoryId) -> Refusal | None:
    """Why the faction's tokens may not stand there with those of an ally; None where they may."""
    return None if territory == NOBODYS else _beside_ally(game, faction, territory, game.state.forces_in(territory))


def _beside_ally(game: Game, faction: Faction, territory: TerritoryId, there: Standing) -> Refusal | None:
    group = game.state.ally_group(faction)
    for other in there:
        if other in group and other != faction and (refusal := _barred_by_ally(game, faction, other, territory)):
            return refusal
    return None


def full(game: Game, faction: Faction, territory: TerritoryId) -> Refusal | None:
    """Why the faction may not even cross the territory: a stronghold with two other players; None where it may."""
    return _full(game, faction, territory, game.state.forces_in(territory), "movement.full-stronghold")


def _full(game: Game, faction: Faction, territory: TerritoryId, there: Standing, topic: str) -> Refusal | None:
    if len(there) < 2 or TERRITORIES[territory].kind != "stronghold":
        return None
    counted = [other for other in there if other != faction and _counts(game, other, territory)]
    if len(counted) < 2 or rules_of(game, faction).enters_full_stronghold(game, territory):
        return None
    number = "two" if len(counted) == 2 else "three"
    why = f"{TERRITORIES[territory].name} is full: {number} other players are there, {names_of(counted)}."
    return Refusal(why, topic)


def names_of(factions: Iterable[Faction]) -> str:
    """Two factions or more, as a sentence has them."""
    *others, last = map(faction_name, factions)
    return f"{', '.join(others)} and {last}"


def _counts(game: Game, other: Faction, territory: TerritoryId) -> bool:
    return rules_of(game, other).is_occupant(game, territory) or THOSE_APART_FILL(game.rules)


def _barred_by_ally(game: Game, faction: Faction, ally: Faction, territory: TerritoryId) -> Refusal | None:
    """Allies do not enter each other's territories, unless one of them may stand beside the other."""
    for one in (faction, ally):
        if rules_of(game, one).stands_beside_allies(game):
            return rules_of(game, one).beside_ally_refusal(game, territory, entering=faction)
    why = f"Your ally {faction_name(ally)} stands in {TERRITORIES[territory].name}."
    return Refusal(why, "movement.where-an-ally-stands")


def closed(game: Game, faction: Faction) -> frozenset[TerritoryId]:
    """All territories that the faction cannot even cross, because of those who stand there."""
    if PASSES_ALLIES(game.rules):
        return frozenset(stronghold for stronghold in game.strongholds() if full(game, faction, stronghold))
    return no_goals(game, faction)


def no_goals(game: Game, faction: Faction) -> frozenset[TerritoryId]:
    """All territories in which the faction's moves cannot end, because of those who stand there. Only strongholds and
    the territories of allies can be among them."""
    allies = [ally for ally in game.state.ally_group(faction) if ally != faction]
    with_allies = {
        board.territory_of(area) for ally in allies for area, here in game.state.forces.items() if ally in here
    }
    places = with_allies.union(game.strongholds())
    return frozenset(territory for territory in places if barred(game, faction, territory))


def go(game: Game, mover: Faction, move: Move, *, hajr: bool) -> Flow:
    """A group goes; where it meets others, these may have something to declare."""
    game.shift(mover, move.forces, move.source, move.target)
    game.tell(
        "move",
        faction=mover,
        forces=str(move.forces),
        source=move.source,
        target=move.target,
        via=list(move.via),
        hajr=hajr,
    )
    yield from arrived(game, mover, move.forces, move.source, move.target)
    yield from meetings(game)
    ornithopters.look_again(game, slot_of(game), mover, move.target)


def arrived(game: Game, mover: Faction, forces: Forces, source: Area | None, target: Area) -> Flow:
    """Tokens have come to an area, wherever from: what is declared at that instant."""
    for faction in factions_with(game, FactionRules.declares_when_entered):
        yield from rules_of(game, faction).declares_when_entered(game, mover, forces, source, target)


def meetings(game: Game) -> Flow:
    """Whenever tokens have come or gone in the movement round: what is declared where they have met."""
    tokens_gone(game)
    for faction in factions_with(game, FactionRules.declares_when_met):
        yield from rules_of(game, faction).declares_when_met(game)


OPTIONS = (PASSES_ALLIES, THOSE_APART_FILL)
