"""Karama in the movement round (AH.AID.KARAMA.A.3-a, A.6, AH.SHIELD.GUI.KARAMA, WBC.AID.25, 35-37, WBC.XVII.16 to 17).

Half the price for one's own shipment, one advisor cancelled, the Guild held to its place; and the Guild's own power, a
shipment stopped. The first and the last are open from the shipment's declaration until the move is declared.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.movement import fares, shipment, timing
from rules.components import Faction, faction_name
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import put_down
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

ONLY_STOPS = Refusal("Only the Guild stops shipments.", "karama.stop-shipment")
FOR_ANY_PLAYER = Option("karama_half_rate_for", {"own_only": False, "any_player": True})
"""Whether a Karama may halve the price of another player's shipment (FAQ.KARAMA.1)."""
BEFORE_THE_MOVE = ("reactions", "advisor", "movement")


def _open_shipment(slot: SlotMoment) -> bool:
    """Whether a shipment was declared and its shipper has not declared their move yet."""
    return (
        slot.shipment is not None
        and not slot.stopped
        and not slot.move_declared
        and not slot.moved
        and slot.stage in BEFORE_THE_MOVE
    )


# --- half shipping ---------------------------------------------------------------------------------------------------


def _check_half(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot, shipper = game.moments.slot, order.faction or faction
    if shipper != faction and not FOR_ANY_PLAYER(game.rules):
        return Refusal("A Karama halves the price of your own shipment only.", "karama.own-shipment")
    if slot is None or slot.mover != shipper:
        whose = "your own shipment only, in your own slot" if shipper == faction else "a shipment in its player's slot"
        return Refusal(f"A Karama halves the price of {whose}.", "karama.own-shipment")
    whose = "Your" if shipper == faction else "Their"
    if rules_of(game, shipper).reserves_on_dune or fares.guild_terms(game, shipper):
        return Refusal(f"{whose} shipments cost no more than the Guild's rate anyway.", "karama.guild-rate")
    if slot.halved or (slot.karama_ready and slot.stage == "shipment" and (slot.karama_of or shipper) == faction):
        return Refusal(f"{whose} shipment is at half price already.", "karama.guild-rate")
    if slot.stage == "shipment":
        return None
    if not _open_shipment(slot) or not slot.price:
        why = "The price can be halved from the moment you declare your shipment until you declare your move."
        return Refusal(why, "karama.when-to-halve")
    return None


def _halve(game: Game, faction: Faction, order: Karama) -> Flow:
    """Before the shipment is declared the Karama is only kept ready for it; another shipper is told so."""
    slot, shipper = game.moments.slot, order.faction or faction
    assert slot is not None
    if slot.stage == "shipment":
        slot.karama_ready, slot.karama_card = True, order.card
        slot.karama_of = faction if shipper != faction else None
        if shipper != faction:
            game.tell("half-rate-meant", audience=[faction, shipper], faction=faction, shipper=shipper)
    elif (yield from put_down(game, faction, order.effect, order.card)):
        fares.halve(game, slot, shipper)


def _never_half(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if order.faction in (None, faction) or FOR_ANY_PLAYER(game.rules):
        return None
    return Refusal("A Karama halves the price of your own shipment only.", "karama.own-shipment")


def _only_meant(game: Game) -> bool:
    return game.moments.slot is not None and game.moments.slot.stage == "shipment"


# --- stop shipment ---------------------------------------------------------------------------------------------------


def _check_stop(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if slot is None or slot.mover is None or slot.shipment is None or not _open_shipment(slot):
        return Refusal(
            "A shipment is stopped after it is declared and before its shipper declares their move.",
            "karama.when-to-stop",
        )
    if rules_of(game, slot.mover).reserves_on_dune:
        return Refusal("The Guild cannot stop a shipment of the Fremen.", "karama.stop-fremen")
    if slot.mover == faction:
        return Refusal("This is your own shipment.", "karama.when-to-stop")
    if not fares.off_planet(game, slot.mover, slot.shipment):
        return Refusal("Only a shipment from off the planet can be stopped.", "karama.stop-shipment")
    if not fares.stands(game, slot.mover, slot.shipment):
        return Refusal("The tokens that were shipped are dead.", "karama.when-to-stop")
    return None


def _stop(game: Game, faction: Faction, order: Karama) -> Flow:
    slot = game.moments.slot
    assert slot is not None
    assert slot.mover is not None
    assert slot.shipment is not None
    shipment.stop(game, slot, slot.mover)
    game.tell("shipment-stopped", faction=slot.mover, forces=str(slot.shipment.forces), area=slot.shipment.target)
    yield from ()


# --- cancel advisor --------------------------------------------------------------------------------------------------


def _check_cancel(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if slot is None or slot.stage != "advisor" or slot.advisor is None or slot.advisor_cancelled:
        return Refusal("An advisor is cancelled right after it is announced.", "karama.advisor")
    return None


def _cancel(game: Game, faction: Faction, order: Karama) -> Flow:
    slot = game.moments.slot
    assert slot is not None
    game.tell("advisor-cancelled", area=slot.advisor, by=faction)
    shipment.take_back_companions(game, slot)
    yield from ()


# --- cancel flip -----------------------------------------------------------------------------------------------------


def _check_flip(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    flip = game.moments.flip
    if flip is None or flip.cancelled:
        return Refusal("A flip of advisors or fighters is cancelled right after it is announced.", "karama.flip")
    return None


def _cancel_flip(game: Game, faction: Faction, order: Karama) -> Flow:
    flip = game.moments.flip
    assert flip is not None
    flip.cancelled = True
    game.tell("flip-cancelled", by=faction, territory=flip.territory, advisors=flip.advisors)
    yield from ()


# --- guild in turn ---------------------------------------------------------------------------------------------------


def _check_guild(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    free = timing.free(game)
    if not free and not any("guild in turn" in rules_of(game, f).powers_taken_by for f in game.state.players):
        return Refusal("The Guild is not in this game.", "karama.guild-in-turn")
    if not free:
        return Refusal("In this game the Guild moves in its place anyway.", "karama.guild-in-place")
    if slot is None:
        return Refusal("The Guild is held to its place in the movement round.", "karama.guild-in-turn")
    guild = free[0]
    if slot.begun(guild):
        return Refusal("The Guild has begun its move.", "karama.guild-in-turn")
    if slot.places.get(guild) == "passed":
        return Refusal(f"The Guild's place is past: {_after(game, guild)} has begun.", "karama.guild-in-turn")
    if guild in slot.held_to_place:
        return Refusal("The Guild is held to its place already.", "karama.guild-in-turn")
    return None


def _after(game: Game, guild: Faction) -> str:
    order = game.order_of_play()
    return faction_name(order[(order.index(guild) + 1) % len(order)])


def _force_guild(game: Game, faction: Faction, order: Karama) -> Flow:
    slot = game.moments.slot
    assert slot is not None
    slot.held_to_place += timing.free(game)[:1]
    game.tell("guild-forced", by=faction)
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "half shipping": Effect(_check_half, _halve, spent_later=True, unseen=_only_meant, never_legal=_never_half),
    "stop shipment": Effect(_check_stop, _stop, only_refusal=ONLY_STOPS),
    "cancel advisor": Effect(_check_cancel, _cancel),
    "cancel flip": Effect(_check_flip, _cancel_flip),
    "guild in turn": Effect(_check_guild, _force_guild),
}
OPTIONS = (FOR_ANY_PLAYER,)
