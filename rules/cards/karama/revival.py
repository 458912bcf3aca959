"""Karama and revival: three tokens or a leader come back free (AH.SHIELD.EMP.KARAMA, WBC.XVII.19)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.revival import costs
from rules.chapters.revival.costs import stopped_for_cards, too_many_by_card
from rules.chapters.revival.tokens import LIMIT_HOLDS_FOR_CARDS, starred_left
from rules.components import LEADERS, Faction, Forces
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

MOST_TOKENS = 3
ONLY = Refusal("Only the Emperor revives by Karama.", "karama.revive")


def _check_revive(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if refusal := _never_revives(game, faction, order) or stopped_for_cards(game, faction):
        return refusal
    if order.leader is not None:
        if game.state.leaders[order.leader].status == "ready":
            return Refusal(f"{order.leader} is not in the tanks.", "karama.revive-what")
        return None
    assert order.forces is not None
    return _check_tokens(game, faction, order.forces)


def _never_revives(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """What cannot come back in any position."""
    if (order.forces is None) == (order.leader is None):
        return Refusal("A Karama brings back either tokens or one leader: name one of them.", "karama.revive")
    leader = order.leader
    if leader is not None and LEADERS[leader].faction != faction:
        return Refusal(f"{leader} is not a leader of yours.", "karama.revive-what")
    return None


def _check_tokens(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    tanks = game.player(faction).tanks
    if not 1 <= forces.total <= MOST_TOKENS:
        return Refusal(f"A Karama brings back 1 to {MOST_TOKENS} tokens, not {forces.total}.", "karama.revive-what")
    if not tanks.covers(forces):
        return Refusal(f"You have {tanks} in the tanks, so {forces} cannot come back.", "karama.revive-what")
    if LIMIT_HOLDS_FOR_CARDS(game.rules) and forces.elite > starred_left(game, faction):
        return Refusal("One starred token may come back in a turn, by whatever means.", "revival.starred")
    return too_many_by_card(game, faction, forces.total)


def _revive(game: Game, faction: Faction, order: Karama) -> Flow:
    if order.leader is not None:
        game.revive_leader(order.leader)
        game.tell("leader-revived", faction=faction, leader=order.leader, price=0)
    else:
        assert order.forces is not None
        game.revive(faction, order.forces)
        if order.forces.elite and LIMIT_HOLDS_FOR_CARDS(game.rules):
            game.state.elite_revived.append(faction)
        game.tell("tokens-revived", faction=faction, forces=str(order.forces), price=0)
    for other in factions_with(game, FactionRules.notices_karama_revival):
        rules_of(game, other).notices_karama_revival(game, faction)
    yield from ()


# --- the tokens that a helper pays -----------------------------------------------------------------------------------


def _helped(game: Game) -> dict[Faction, Faction]:
    """Who may have more tokens back than the limit by whose help, by what everybody can see."""
    found: dict[Faction, Faction] = {}
    for faction in game.order_of_play():
        helper = costs.helper(game, faction)
        if helper is not None and game.player(faction).tanks:
            found[faction] = helper
    return found


def _check_extra(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    helped = _helped(game) if game.moments.tokens_come_back else {}
    if not helped:
        return Refusal("No ally of the Emperor is reviving more than the limit now.", "karama.extra-revival")
    if faction in helped.values():
        return Refusal("That is your own help.", "karama.extra-revival")
    return None


def _stop_extra(game: Game, faction: Faction, order: Karama) -> Flow:
    """Nobody has more tokens back than the limit in this phase."""
    for reviving, helper in _helped(game).items():
        game.moments.no_extra_revival.append(reviving)
        game.tell("extra-revival-stopped", by=faction, faction=reviving, helper=helper)
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "revive": Effect(_check_revive, _revive, only_refusal=ONLY, never_legal=_never_revives),
    "cancel extra revival": Effect(_check_extra, _stop_extra),
}
