"""Karama against the look at the spice card (AH.AID.KARAMA.A.1-a, AH.SHIELD.ATR.2, WBC.AID.17)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect, PhaseName
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

BEFORE_THE_LOOK: tuple[PhaseName, ...] = ("storm", "spice", "charity", "bidding", "revival")


def _check_spice_look(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if not any(rules_of(game, other).sees_spice_card(game) for other in game.state.players):
        return Refusal("Atreides are not played in this game.", "karama.look-at-the-spice-card")
    if game.state.phase not in BEFORE_THE_LOOK:
        why = "Atreides look at the spice card before anybody ships; for this turn that is over."
        return Refusal(why, "karama.look-at-the-spice-card")
    if game.state.sights_blocked.get("spice card") == game.state.turn:
        return Refusal("Atreides do not look at the spice card this turn already.", "karama.look-at-the-spice-card")
    return None


def _block_spice_look(game: Game, faction: Faction, order: Karama) -> Flow:
    game.state.sights_blocked["spice card"] = game.state.turn
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "block spice card": Effect(_check_spice_look, _block_spice_look),
}
