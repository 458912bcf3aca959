"""Tokens, cards, leaders and spice put where a scene wants them, from wherever they are; none are made or lost."""

from __future__ import annotations

from collections.abc import Sequence

from rules.components import (
    KARAMA,
    Card,
    Faction,
    Forces,
    Leader,
    leaders_of,
)
from rules.components.board import (
    STRONGHOLDS,
    TERRITORIES,
    Area,
    TerritoryId,
    sector_of,
)
from rules.components.chance import Chance
from rules.state.game import Game

RICH = 20
"""So much spice has at least who is to pay for something."""


def into_reserve(game: Game, faction: Faction, forces: Forces) -> Forces:
    """So many tokens in reserve, from the tanks or the board where they are short; as many as there are."""
    player = game.player(faction)
    for area, there in game.state.areas_of(faction):
        if not player.reserves.covers(forces):
            game.withdraw(faction, there, area)
    if not player.reserves.covers(forces):
        player.reserves, player.tanks = player.reserves + player.tanks, Forces()
    return Forces(min(forces.ordinary, player.reserves.ordinary), min(forces.elite, player.reserves.elite))


def clear(game: Game, territory: TerritoryId) -> None:
    """Nobody stands there any more."""
    for area in TERRITORIES[territory].areas:
        for faction, there in list(game.state.forces.get(area, {}).items()):
            game.withdraw(faction, there, area)
    game.state.presence.pop(territory, None)


def outside_storm(game: Game, territory: TerritoryId) -> Area:
    """An area of the territory that lies outside the storm, if there is one."""
    areas = TERRITORIES[territory].areas
    return next((area for area in areas if sector_of(area) != game.state.storm), areas[0])


def stand(game: Game, faction: Faction, territory: TerritoryId, forces: Forces) -> None:
    """So many of their tokens stand there."""
    game.deploy(faction, into_reserve(game, faction, forces), outside_storm(game, territory))


def set_against(game: Game, chance: Chance, one: Faction, other: Faction, strong: int = 4, weak: int = 3) -> None:
    """The two stand against each other in a stronghold, with leaders and spice."""
    part(game, one, other)
    places = [place for place in STRONGHOLDS if sector_of(outside_storm(game, place)) != game.state.storm]
    there = chance.pick("battle", places)
    for place in STRONGHOLDS:
        if place == there:
            clear(game, place)
    for faction, number in ((one, strong), (other, weak)):
        ordinary = into_reserve(game, faction, Forces(number))
        game.deploy(faction, ordinary, outside_storm(game, there))
        starred = min(2, game.player(faction).reserves.elite)
        game.deploy(faction, Forces(0, starred), outside_storm(game, there))
        revive_leaders(game, faction)
        enrich(game, faction)


def revive_leaders(game: Game, faction: Faction) -> None:
    """None of their leaders lies in the tanks."""
    for leader in leaders_of(faction):
        if game.state.leaders[leader].status != "ready":
            game.revive_leader(leader)


def enrich(game: Game, faction: Faction) -> None:
    player = game.player(faction)
    player.spice = max(player.spice, RICH)


def bury(game: Game, faction: Faction, forces: Forces, leaders: int = 0) -> None:
    """So many of their tokens, and leaders, lie in the tanks."""
    player = game.player(faction)
    dead = into_reserve(game, faction, forces)
    player.reserves -= dead
    player.tanks += dead
    revive_leaders(game, faction)
    for leader in own_leaders(game, faction)[:leaders]:
        game.kill_leader(leader)


def own_leaders(game: Game, faction: Faction) -> list[Leader]:
    captives = game.captives()
    return [leader for leader in leaders_of(faction) if leader not in captives]


def give_hand(game: Game, faction: Faction, cards: Sequence[Card]) -> None:
    """Their hand becomes these cards and their Karamas; whatever else they held goes into the deck."""
    state, hand = game.state, game.player(faction).hand
    for card in [card for card in hand if card != KARAMA]:
        hand.remove(card)
        state.treachery_deck.append(card)
    for card in cards[: game.hand_limit(faction) - len(hand)]:
        place = next((p for p in (state.treachery_deck, *(o.hand for o in state.players.values())) if card in p), None)
        if place is not None and place is not hand:
            place.remove(card)
            hand.append(card)


def part(game: Game, *factions: Faction) -> None:
    """They have no allies."""
    game.state.alliances = [group for group in game.state.alliances if set(group).isdisjoint(factions)]


def ally_two(game: Game, one: Faction, other: Faction) -> None:
    """The two are allies, and of nobody else."""
    part(game, one, other)
    game.state.alliances.append((one, other))


def somebody_else(game: Game, chance: Chance, *but: Faction) -> Faction:
    """Somebody else of the game."""
    return chance.pick("other", [faction for faction in game.state.players if faction not in but])
