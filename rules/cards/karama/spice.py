"""Karama and the worms: taking one from the Fremen, and the Fremen calling one.

The clauses are AH.AID.KARAMA.A.4-a, AH.SHIELD.FRE.KARAMA, WBC.AID.31 to 34 and WBC.XVII.18.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.movement import entering
from rules.chapters.spice_blow import worms
from rules.components import Faction, faction_name
from rules.components.board import TERRITORIES
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import WormMoment


def _check_cancel(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    worm = game.moments.worm
    if worm is None:
        return Refusal("There is no worm whose control could be taken now.", "karama.worm")
    if worm.called:
        return Refusal("The Fremen's control of a worm that they called with a Karama stands.", "karama.called-worm")
    if rules_of(game, faction).commands_worms(game):
        return Refusal("The Fremen cannot turn a worm against themselves or their ally.", "karama.worm-of-ally")
    robbable = worms.robbable(game, worm)
    if order.faction is not None and order.faction not in robbable:
        return Refusal(f"{faction_name(order.faction)} has nothing to lose to this worm.", "karama.worm")
    if not robbable:
        return Refusal("No tokens of the Fremen or their ally are at the worm.", "karama.worm")
    return None


def _cancel(game: Game, faction: Faction, order: Karama) -> Flow:
    """The one named is robbed; left out, it is the Fremen, or else their ally (WBC A-54)."""
    worm = game.moments.worm
    robbable = worms.robbable(game, worm) if worm else []
    if worm and robbable:
        robbed = order.faction if order.faction in robbable else robbable[0]
        worms.rob(game, worm, robbed)
        game.tell("worm-control-lost", by=faction, faction=robbed, territory=worm.territory)
    yield from ()


def _check_call(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if refusal := _never_called(game, faction, order):
        return refusal
    slot = game.moments.slot
    if game.state.phase != "spice" and not (game.state.phase == "movement" and slot and slot.mover == faction):
        return Refusal(
            "The Fremen call a worm only in the spice round or in their own shipment and movement.",
            "karama.when-to-call-worm",
        )
    if game.moments.worm is not None and game.moments.worm.called:
        return Refusal(
            "The worm that you called has still to be ridden; call another after it.", "karama.when-to-call-worm"
        )
    return None


def _never_called(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """What no worm can do in any position."""
    if order.territory in TERRITORIES:
        return None
    return Refusal("Name the territory in which the worm appears.", "karama.call-worm")


def _call(game: Game, faction: Faction, order: Karama) -> Flow:
    """It counts, it is ridden and eats like any other, but there is no nexus (WBC.VII.2, WBC.HR.4b, WBC A-36).

    Where riders meet the Bene Gesserit in the movement round, these declare at once (WBC.XV.11).
    """
    interrupted = game.moments.worm
    worm = WormMoment(order.territory, called=True)
    game.moments.worm = worm
    game.tell("worm-called", faction=faction, territory=worm.territory, seen=game.state.worms_seen + 1)
    worms.count_worm(game)
    yield from worms.resolve(game, worm)
    game.moments.worm = interrupted
    if game.state.phase == "movement":
        yield from entering.meetings(game)


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel worm": Effect(_check_cancel, _cancel),
    "worm": Effect(_check_call, _call, never_legal=_never_called),
}
