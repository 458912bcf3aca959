"""Karama and the worms: taking one from the Fremen, and the Fremen calling one.

The clauses are AH.AID.KARAMA.A.4-a, AH.SHIELD.FRE.KARAMA, WBC.AID.31 to 34, WBC.XVII.18 and FAQ.ADV-KARAMA.2 to 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.movement import entering
from rules.chapters.spice_blow import nexus, worms
from rules.components import Faction, faction_name
from rules.components.board import TERRITORIES
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import WormMoment

ONLY_CALL = Refusal("Only the Fremen call worms.", "karama.call-worm")


def _check_cancel(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    worm = game.moments.worm
    if worm is None:
        return Refusal("There is no worm whose control could be taken now.", "karama.worm")
    if not worms.can_be_taken(game, worm):
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
    """The faction that the order names loses its power over the worm; where it names none, the Fremen do, or else their
    ally (WBC A-54)."""
    worm = game.moments.worm
    assert worm is not None
    robbed = order.faction or worms.robbable(game, worm)[0]
    worms.rob(game, worm, robbed)
    game.tell("worm-control-lost", by=faction, faction=robbed, territory=worm.territory)
    yield from ()


def _any_time(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """At any stop of the game's turns; a battle that has begun is fought by those who are there
    (AH.SHIELD.FRE.KARAMA-a)."""
    if game.state.phase == "setup":
        return Refusal("No worm comes before the first turn.", "karama.when-to-call-worm")
    battle = game.moments.battle
    if battle is not None and battle.territory == order.territory:
        return Refusal("A battle has begun there; call the worm before or after it.", "karama.when-to-call-worm")
    return None


def _in_spice_or_own_move(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if game.state.phase == "spice" or (game.state.phase == "movement" and slot and slot.mover == faction):
        return None
    why = "The Fremen call a worm only in the spice round or in their own shipment and movement."
    return Refusal(why, "karama.when-to-call-worm")


def _in_spice(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if game.state.phase == "spice":
        return None
    return Refusal("The Fremen call a worm only in the spice round.", "karama.when-to-call-worm")


When = Callable[[Game, Faction, Karama], Refusal | None]
WHEN: Option[When] = Option(
    "fremen_karama_worm_window",
    {"any_time": _any_time, "spice_or_own_move": _in_spice_or_own_move, "spice_phase": _in_spice},
)
SAND_ONLY = Option("fremen_karama_worm_place", {"any_territory": False, "sand_only": True})


def _check_call(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if refusal := _never_called(game, faction, order):
        return refusal
    if refusal := WHEN(game.rules)(game, faction, order):
        return refusal
    if game.moments.worm is not None and game.moments.worm.called:
        return Refusal(
            "The worm that you called has still to be ridden; call another after it.", "karama.when-to-call-worm"
        )
    return None


def _never_called(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """What no worm can do in any position."""
    if order.territory is None:
        return Refusal("Name the territory in which the worm appears.", "karama.call-worm")
    if SAND_ONLY(game.rules) and TERRITORIES[order.territory].kind != "sand":
        return Refusal("The Fremen call a worm to a sand territory only.", "karama.call-worm-to-sand")
    return None


def _call(game: Game, faction: Faction, order: Karama) -> Flow:
    """The called worm counts, is ridden and eats like any other; in the spice round it may bring a nexus (WBC.VII.2,
    WBC.HR.4b, WBC A-36, FAQ.ADV-KARAMA.3). Where riders meet the Bene Gesserit in the movement round, these declare at
    once (WBC.XV.11).
    """
    worm = WormMoment(order.territory, called=True)
    game.tell("worm-called", faction=faction, territory=worm.territory, seen=game.state.worms_seen + 1)
    worms.count_worm(game)
    brings_nexus = game.state.phase == "spice" and nexus.CALLED_WORM_CALLS_ONE(game.rules)
    yield from worms.come(game, worm, brings_nexus=brings_nexus)
    if game.state.phase == "movement":
        yield from entering.meetings(game)


OPTIONS = (WHEN, SAND_ONLY)
EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel worm": Effect(_check_cancel, _cancel),
    "worm": Effect(_check_call, _call, only_refusal=ONLY_CALL, never_legal=_never_called),
}
