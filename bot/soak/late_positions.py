"""Positions late in a game, in which everything rare is near: where every second game of a long run begins.

A set-up and a silent first turn are played, then the position is made richer by chance: cards that few draw lie in
hands, leaders and tokens in the tanks, allies stand together, the Kwisatz Haderach has awoken, Harkonnen hold a
captive. Nothing is made or lost by it, so such a game is watched like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from rules.cards.ghola import GHOLA
from rules.chapters.setup import MAX_TURNS
from rules.components import FACTIONS, KARAMA, KWISATZ_HADERACH_LOSSES, Card, Faction, Forces, leaders_of
from rules.components.board import STRONGHOLDS, TERRITORIES, territory_of
from rules.components.chance import Chance
from rules.decisions.catalogue import rules_of
from rules.engine.play import Play
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game
from rules.state.state import Prediction, State

WANTED: tuple[Card, ...] = (
    KARAMA, KARAMA, Card("Lasgun"), Card("Shield"), Card("Shield"), Card("Shield"), Card("Shield"),
    GHOLA, Card("Family Atomics"), Card("Weather Control"), Card("Hajr"), Card("Truthtrance"),
    Card("Baliset"), Card("Kulon"), Card("Trip to Gamont"),
)  # fmt: skip
LAST_TURNS = 6
"""The game goes on for so many turns at most."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(State)


def late_position(rules: RuleSet, seed: str, seats: Mapping[Faction, int]) -> State:
    """The position at the beginning of a late turn, the same each time for the same seed."""
    return _decoder.decode(_late_position(rules, tuple(rules.options.items()), seed, tuple(seats.items())))


@lru_cache(maxsize=4)
def _late_position(rules: RuleSet, options: object, seed: str, seats: tuple[tuple[Faction, int], ...]) -> bytes:
    play = Play.start(rules, seed, dict(seats))
    while play.state.turn < 2:
        play.expire()
        play.advance()
    state = _decoder.decode(play.snapshot.state)
    chance = Chance(f"late {seed}", {})
    game = Game(rules, seed, state)
    state.events = 0
    state.turn = MAX_TURNS(rules) - chance.draw("turn", LAST_TURNS)
    _deal(game, chance)
    _ally(game, chance)
    _spread(game, chance)
    _bury(game, chance)
    _capture(game, chance)
    _awaken(game, chance)
    if state.prediction is not None:
        others = [faction for faction in state.players if faction != "bene-gesserit"]
        last = MAX_TURNS(rules) - chance.draw("predicted", LAST_TURNS)
        state.prediction = Prediction(chance.pick("winner", others), last)
    return _encoder.encode(state)


def _deal(game: Game, chance: Chance) -> None:
    """Cards that are seldom drawn, to anybody with room for them; and spice."""
    state = game.state
    for card in WANTED:
        faction = chance.pick("holder", list(state.players))
        if card in state.treachery_deck and len(state.players[faction].hand) + 1 < game.hand_limit(faction):
            state.treachery_deck.remove(card)
            state.players[faction].hand.append(card)
    for player in state.players.values():
        player.spice += chance.draw("spice", 12)


def _ally(game: Game, chance: Chance) -> None:
    """Pairs that have stood for a while."""
    state = game.state
    few = game.rules.option("alliances_enabled") == "off" or len(state.players) < 4
    if few or chance.draw("allied", 4) == 0:
        return
    factions = list(state.players)
    chance.shuffle("allies", factions)
    pairs = 1 + chance.draw("pairs", len(factions) // 2)
    state.alliances = [(factions[2 * number], factions[2 * number + 1]) for number in range(pairs)]


def _spread(game: Game, chance: Chance) -> None:
    """Tokens from reserves to strongholds and to the sand; now and then beside an ally's."""
    state = game.state
    sand = [territory for territory, facts in TERRITORIES.items() if facts.kind == "sand"]
    for faction, player in state.players.items():
        for _ in range(2):
            here = chance.pick("sand", sand) if chance.draw("where", 3) else chance.pick("stronghold", STRONGHOLDS)
            allies = [ally for ally in state.ally_group(faction) if ally != faction]
            theirs = [area for ally in allies for area, _ in state.areas_of(ally)]
            area = chance.pick("area", list(TERRITORIES[here].areas))
            if theirs and chance.draw("beside", 3) == 0:
                area = chance.pick("beside whom", theirs)
            there = [other for other in state.forces_in(territory_of(area)) if other != faction]
            many = min(4, player.reserves.ordinary)
            if many and len(there) < 2:
                game.deploy(faction, Forces(many), area)
    for faction in state.players:
        for area, _ in state.areas_of(faction):
            rules_of(game, faction).was_placed(game, territory_of(area))


def _bury(game: Game, chance: Chance) -> None:
    """Tokens and leaders in the tanks; now and then every leader of a faction."""
    for faction, player in game.state.players.items():
        dead = Forces(min(chance.draw("tokens", 8), player.reserves.ordinary), min(1, player.reserves.elite))
        player.reserves -= dead
        player.tanks += dead
        number = 5 if chance.draw("all", 5) == 0 else chance.draw("leaders", 4)
        for leader in leaders_of(faction)[:number]:
            game.kill_leader(leader)


def _capture(game: Game, chance: Chance) -> None:
    """A leader whom Harkonnen have taken."""
    state = game.state
    harkonnen = state.players.get("harkonnen")
    if harkonnen is None or not rules_of(game, "harkonnen").takes_captives(game) or chance.draw("captive", 2):
        return
    for faction in FACTIONS:
        alive = [leader for leader in leaders_of(faction) if faction in state.players and faction != "harkonnen"]
        alive = [leader for leader in alive if state.leaders[leader].status == "ready"]
        if alive:
            harkonnen.captured[alive[0]] = faction
            return


def _awaken(game: Game, chance: Chance) -> None:
    """The Kwisatz Haderach has come, and may have died since."""
    state = game.state
    if "atreides" in state.players and rules_of(game, "atreides").has_kwisatz_haderach(game):
        state.lost_in_battle = KWISATZ_HADERACH_LOSSES
        state.kwisatz_haderach = "dead" if chance.draw("haderach", 3) == 0 else "ready"
