"""Shai-Hulud: what a worm does and what it eats (AH.VII.A.2, WBC.VII).

A worm acts when its nexus is over (WBC.VII.14): who commands worms says where an additional one appears, a Karama may
take their control away, they ride, and then it eats. A worm that is called by a Karama does the same without a nexus,
and nobody can take it from them (WBC.AID.34).
"""

from __future__ import annotations

from rules.components import Faction
from rules.components.board import TERRITORIES
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.departures import tokens_gone
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SpiceMoment, WormMoment

SHIELD_WALL_COUNTS_FROM = 6  # worms seen (WBC.HR.4a)

WORMS_MAKE_THE_WALL_COUNT = Option("shield_wall_rule", {"wbc": True, "none": False, "longer_game_territory": False})
EXTRA_WORMS_IGNORED = Option("extra_worms", {"ignored": True, "fremen_any_territory": False})
ALLIES_LOSE_PROTECTION = Option("karama_vs_alliance_powers", {"worm_and_support_only": True, "no": False})


def on_first_turn(game: Game) -> bool:
    """Whether worms mean nothing yet (AH.VII.D, WBC A-06)."""
    return game.state.turn == 1


def count_worm(game: Game) -> None:
    """One more worm was seen; the sixth makes the Shield Wall count where the rule set has it (WBC.HR.4a, b)."""
    game.state.worms_seen += 1
    if WORMS_MAKE_THE_WALL_COUNT(game.rules) and game.state.worms_seen == SHIELD_WALL_COUNTS_FROM:
        game.tell("shield-wall-counts")


def commanders(game: Game) -> list[Faction]:
    """Who commands worms in this game."""
    able = factions_with(game, FactionRules.commands_worms)
    return [faction for faction in able if rules_of(game, faction).commands_worms(game)]


def resolve(game: Game, worm: WormMoment) -> Flow:
    """What follows the nexus: placing, the last moment for a Karama, riding, eating."""
    if worm.directed:
        for faction in commanders(game)[:1]:
            yield from rules_of(game, faction).place_worm(game, worm)
    if not worm.called:
        yield from window(
            game, "worm", lambda: controlled(game, worm), territory=worm.territory, additional=worm.directed
        )
    if worm.territory is None:
        game.tell("worm-found-nothing")
        return
    for faction in commanders(game):
        yield from rules_of(game, faction).ride_worm(game, worm)
    eat(game, worm)


def controlled(game: Game, worm: WormMoment) -> bool:
    """Whether there is anything that a Karama could take from who commands the worm, or from their allies
    (WBC.AID.31 to 33)."""
    return not worm.called and bool(robbable(game, worm))


def robbable(game: Game, worm: WormMoment) -> list[Faction]:
    """Whom a Karama could rob: the commander of a worm that is directed or stands at their tokens, and their ally who
    stands at it where alliance powers can be stopped (AH.AID.KARAMA.A.4-a, WBC.AID.32)."""
    found: list[Faction] = []
    here = game.state.forces_in(worm.territory) if worm.territory else {}
    for commander in commanders(game):
        if commander not in worm.unprotected and (worm.directed or commander in here):
            found.append(commander)
        if ALLIES_LOSE_PROTECTION(game.rules):
            found += [
                ally
                for ally in game.state.ally_group(commander)
                if ally != commander and ally in here and ally not in worm.unprotected
            ]
    return found


def rob(game: Game, worm: WormMoment, faction: Faction) -> None:
    """A Karama takes control or protection; a directed worm acts where it would without its commander (WBC.AID.33)."""
    worm.unprotected.append(faction)
    if worm.directed and rules_of(game, faction).commands_worms(game):
        worm.territory = worm.beneath


def eat(game: Game, worm: WormMoment) -> None:
    """In sand it takes all spice and all tokens but those of its commanders and their allies, in every sector
    (AH.VII.A.2)."""
    if worm.territory is None:
        return
    if TERRITORIES[worm.territory].kind != "sand":
        game.tell("worm-ate", territory=worm.territory, spice=0, dead={}, sand=False)
        return
    spice = sum(game.take_spice(area) for area in TERRITORIES[worm.territory].areas)
    safe = {ally for commander in commanders(game) for ally in game.state.ally_group(commander)}
    dead = {
        faction: str(game.kill_in(worm.territory, faction))
        for faction in game.state.forces_in(worm.territory)
        if faction not in safe or faction in worm.unprotected
    }
    game.tell("worm-ate", territory=worm.territory, spice=spice, dead=dead, sand=True)
    tokens_gone(game)


def none_to_come(game: Game) -> Refusal | None:
    """Why no worm can come out of the deck any more this turn; None where one can."""
    moment = game.moments.spice or SpiceMoment()
    if on_first_turn(game):
        return Refusal("Worms do nothing on the first turn.", "spice-blow.first-turn")
    if not moment.blows_to_come:
        why = "No further card is turned this turn, so no further worm comes."
        return Refusal(why, "spice-blow.until-spice-blows")
    return None


OPTIONS = (WORMS_MAKE_THE_WALL_COUNT, EXTRA_WORMS_IGNORED, ALLIES_LOSE_PROTECTION)
