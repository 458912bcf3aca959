"""Karama against the charity of a faction that has it however much spice it holds (FAQ.KARAMA-BG.5). What the poor are
due cannot be stopped, only what goes beyond that.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.components import Faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def _faction_that_always_has_it(game: Game) -> Faction | None:
    """The faction that has charity however much spice it holds; None where nobody does."""
    able = factions_with(game, FactionRules.always_has_charity)
    return next((faction for faction in able if rules_of(game, faction).always_has_charity(game)), None)


def _check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if game.state.phase != "charity":
        return Refusal("Charity is stopped in the charity phase only.", "karama.charity")
    always = _faction_that_always_has_it(game)
    if always is None:
        return Refusal("Nobody has charity whatever they hold this turn.", "karama.charity")
    if always in game.moments.charity_cancelled:
        return Refusal("A Karama has done that this turn.", "karama.charity")
    return Refusal("That is your own charity.", "karama.charity") if always == faction else None


def _cancel(game: Game, faction: Faction, order: Karama) -> Flow:
    always = _faction_that_always_has_it(game)
    assert always is not None
    game.moments.charity_cancelled.append(always)
    game.tell("charity-cancelled", by=faction, faction=always)
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel charity": Effect(_check, _cancel),
}
