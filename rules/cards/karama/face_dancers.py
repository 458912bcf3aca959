"""Karama against the exchange of a face dancer in the Mentat Pause, the only thing about them that it touches
(FAQ.KARAMA-TLE.1, FAQ.KARAMA-TLE.7)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def _check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if not game.moments.dancer_going_back:
        return Refusal("No face dancer is being exchanged now.", "karama.dancer-swap")
    if "cancel dancer swap" in rules_of(game, faction).powers_taken_by:
        return Refusal("That is your own exchange.", "karama.dancer-swap")
    return None


def _cancel(game: Game, faction: Faction, order: Karama) -> Flow:
    game.moments.dancer_going_back = False
    game.tell("dancer-swap-cancelled", by=faction)
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {"cancel dancer swap": Effect(_check, _cancel)}
