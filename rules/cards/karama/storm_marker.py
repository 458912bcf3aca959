"""Karama against the look at the next storm marker; the storm goes as far as it says (FAQ.KARAMA-FRE.3)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.chapters import storm
from rules.components import Faction
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def _check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    watchers = storm.about_to_look(game)
    if not watchers:
        return Refusal("Nobody is about to look at a storm marker.", "karama.storm-marker")
    if storm.look_is_blocked(game):
        return Refusal("A Karama has done that this turn.", "karama.storm-marker")
    return Refusal("That is your own marker.", "karama.storm-marker") if faction in watchers else None


def _block(game: Game, faction: Faction, order: Karama) -> Flow:
    game.state.sights_blocked["storm card"] = game.state.turn
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel storm card": Effect(_check, _block),
}
