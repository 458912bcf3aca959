"""Shai-Hulud: what a worm does and what it eats (AH.VII.A.2, WBC.VII).

A worm acts when its nexus is over (WBC.VII.14), or at once where the nexus waits for the phase to end (GF9.SPICE.9):
who commands worms says where an additional one appears, a Karama may take their control away, they ride, and then it
eats. A worm that is called by a Karama does the same; whether it brings a nexus, and whether it can be taken from them,
is a matter of the rule set (AH.QA.A.8, WBC.AID.34, FAQ.ADV-KARAMA.3, FAQ.ADV-KARAMA.5).
"""

from __future__ import annotations

from collections.abc import Callable

from rules.chapters.spice_blow import nexus
from rules.components import Faction
from rules.components.board import TERRITORIES
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.departures import tokens_gone
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.rulesets.options import Option, switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SpiceMoment, WormMoment

SHIELD_WALL_COUNTS_FROM = 6  # worms seen (WBC.HR.4a)

WORMS_MAKE_THE_WALL_COUNT = Option("shield_wall_rule", {"wbc": True, "none": False, "longer_game_territory": False})

Ignored = Callable[[bool], bool]
"""Whether an additional worm does nothing, by whether somebody commands worms."""

EXTRA_WORMS_IGNORED: Option[Ignored] = Option(
    "extra_worms",
    {
        "ignored": lambda commanded: True,
        "fremen_any_territory": lambda commanded: False,
        "fremen_sand_only": lambda commanded: not commanded,
    },
)
ALLIES_LOSE_PROTECTION = Option("karama_vs_alliance_powers", {"worm_and_support_only": True, "no": False, "yes": True})
CALLED_CAN_BE_TAKEN = switch("fremen_karama_worm_cancellable")
RIDDEN_AT_ONCE = Option("worm_ride_moment", {"after_nexus": False, "when_worm_appears": True})
"""Whether a worm is ridden before the nexus that it calls."""


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


def come(game: Game, worm: WormMoment, *, brings_nexus: bool = True) -> Flow:
    """A worm from the beginning to the end of its meal, with its nexus where it brings one."""
    game.moments.worm, interrupted = worm, game.moments.worm
    first = RIDDEN_AT_ONCE(game.rules) or not brings_nexus
    if not first and not nexus.AT_THE_END(game.rules):
        yield from nexus.worm_came(game)
    yield from _surface(game, worm)
    worm.ridden_later = not first and nexus.AT_THE_END(game.rules)
    yield from _command(game, worm)
    if brings_nexus and (first or nexus.AT_THE_END(game.rules)):
        yield from nexus.worm_came(game)
    eat(game, worm)
    if worm.ridden_later and game.moments.spice is not None:
        game.moments.spice.rides_due.append(worm)
    game.moments.worm = interrupted


def late_rides(game: Game) -> Flow:
    """Worms that have eaten are ridden after the nexus at the end of the phase."""
    for worm in game.moments.spice.rides_due if game.moments.spice else ():
        worm.ridden_later = False
        yield from _command(game, worm)


def _surface(game: Game, worm: WormMoment) -> Flow:
    """Placing, and the last moment for a Karama before it is ridden."""
    if worm.directed:
        for faction in commanders(game)[:1]:
            yield from rules_of(game, faction).place_worm(game, worm)
    if can_be_taken(game, worm):
        yield from window(
            game, "worm", lambda: bool(robbable(game, worm)), territory=worm.territory, additional=worm.directed
        )
    if worm.territory is None:
        game.tell("worm-found-nothing")


def _command(game: Game, worm: WormMoment) -> Flow:
    """Who commands the worm rides it, and says of their allies there whether it spares them."""
    if worm.territory is not None:
        for faction in commanders(game):
            yield from rules_of(game, faction).ride_worm(game, worm)


def can_be_taken(game: Game, worm: WormMoment) -> bool:
    """Whether a Karama works against this worm at all (WBC.AID.34, FAQ.ADV-KARAMA.5)."""
    return not worm.called or CALLED_CAN_BE_TAKEN(game.rules)


def robbable(game: Game, worm: WormMoment) -> list[Faction]:
    """Who could lose power over the worm to a Karama: its commander, if the worm is directed or stands where their
    tokens are, and, where alliance powers can be stopped, their ally whose tokens are there (AH.AID.KARAMA.A.4-a,
    WBC.AID.32)."""
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
    worm.ate = True
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
        if faction not in safe or faction in worm.unprotected or faction in worm.fed
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


OPTIONS = (
    WORMS_MAKE_THE_WALL_COUNT,
    EXTRA_WORMS_IGNORED,
    ALLIES_LOSE_PROTECTION,
    CALLED_CAN_BE_TAKEN,
    RIDDEN_AT_ONCE,
)
