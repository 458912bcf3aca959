"""Karama against a worthless card that is up as a Karama (AH.AID.KARAMA.A.3-c, WBC.AID.26, WBC.AID.27)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.components import Faction
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def _check_cancel(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    by = game.moments.worthless_played_by
    if by is None or game.moments.karama_cancelled:
        return Refusal("No worthless card is being used as a Karama now.", "karama.cancel-karama")
    if by == faction:
        return Refusal("That is your own card.", "karama.cancel-karama")
    return None


def _cancel(game: Game, faction: Faction, order: Karama) -> Flow:
    """Both cards are discarded and nothing comes of either (AH.QA.A.7)."""
    game.moments.karama_cancelled = True
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel karama": Effect(_check_cancel, _cancel),
}
