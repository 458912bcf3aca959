"""Karama against a gift of spice to an ally, one gift of this turn (FAQ.KARAMA-EMP.2).

What an ally pays towards a card or a shipment is no gift, and stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.components import Faction
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def _check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    gift = game.moments.gift
    if gift is None or gift.cancelled:
        why = "A gift is stopped when the ally has accepted it, before the spice moves."
        return Refusal(why, "karama.gift")
    return Refusal("That is your own gift.", "karama.gift") if gift.giver == faction else None


def _cancel(game: Game, faction: Faction, order: Karama) -> Flow:
    gift = game.moments.gift
    assert gift is not None
    gift.cancelled = True
    game.tell("gift-cancelled", by=faction, giver=gift.giver, receiver=gift.receiver)
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel gift": Effect(_check, _cancel),
}
