"""Karama against the payment of a tech token, where the rule set lets one touch them (IT.TECH.20)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.components import Faction
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def _check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    token = game.moments.token_pays
    if token is None:
        return Refusal(
            "The payment of a tech token is stopped as it is made, when the phase ends.", "karama.token-payment"
        )
    if game.state.box.tech_tokens[token] == faction:
        return Refusal("That tech token pays you.", "karama.token-payment")
    return None


def _cancel(game: Game, faction: Faction, order: Karama) -> Flow:
    token, game.moments.token_pays = game.moments.token_pays, None
    if token is not None:
        game.tell("token-payment-cancelled", by=faction, faction=game.state.box.tech_tokens[token], token=token)
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {"cancel token payment": Effect(_check, _cancel)}
