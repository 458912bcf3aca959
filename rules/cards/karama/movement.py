"""Karama in the movement round (AH.AID.KARAMA.A.3-a, A.6, AH.SHIELD.GUI.KARAMA, WBC.AID.25, 35-37, WBC.XVII.16 to 17).

Half the price for one's own shipment, one advisor cancelled, the Guild held to its place; and the Guild's own power, a
shipment stopped. The first and the last are open from the shipment's declaration until the move is declared.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.movement import advisor, fares, guild_timing
from rules.components import Faction, faction_name
from rules.decisions.karama import put_down
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

BEFORE_THE_MOVE = ("reactions", "advisor", "movement")


def _open_shipment(slot: SlotMoment | None) -> bool:
    """Whether a shipment was declared and its shipper has not declared his move yet."""
    return (
        slot is not None
        and slot.shipment is not None
        and not slot.stopped
        and not slot.declared
        and not slot.moved
        and slot.stage in BEFORE_THE_MOVE
    )


# --- half shipping ---------------------------------------------------------------------------------------------------


def _check_half(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if slot is None or slot.mover != faction:
        return Refusal("A Karama halves the price of your own shipment only, in your own slot.", "WBC.AID.35")
    if faction == "fremen" or fares.guild_terms(game, faction):
        return Refusal("Your shipments cost no more than the Guild's rate anyway.", "AH.AID.KARAMA.A.6-a")
    if slot.half_rate or (slot.half_meant and slot.stage == "shipment"):
        return Refusal("Your shipment is at half price already.", "AH.AID.KARAMA.A.6-a")
    if slot.stage == "shipment":
        return None
    if not _open_shipment(slot) or not slot.price:
        why = "The price can be halved from the moment you declare your shipment until you declare your move."
        return Refusal(why, "WBC.AID.36")
    return None


def _halve(game: Game, faction: Faction, order: Karama) -> Flow:
    """Before the shipment is declared the Karama is only kept ready for it."""
    slot = game.moments.slot
    if slot is None:
        return
    if slot.stage == "shipment":
        slot.half_meant, slot.half_card = True, order.card
    elif (yield from put_down(game, faction, order.effect, order.card)):
        fares.halve(game, slot, faction)


def _only_meant(game: Game) -> bool:
    return game.moments.slot is not None and game.moments.slot.stage == "shipment"


# --- stop shipment ---------------------------------------------------------------------------------------------------


def _check_stop(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if game.rules.karama_special == "off":
        return Refusal("The special Karama powers are not played in this game.", "AH.XVII.A")
    if faction != fares.GUILD:
        return Refusal("Only the Guild stops shipments.", "AH.SHIELD.GUI.KARAMA")
    if slot is None or slot.mover is None or slot.shipment is None or not _open_shipment(slot):
        return Refusal(
            "A shipment is stopped after it is declared and before its shipper declares his move.", "WBC.XVII.16"
        )
    if slot.mover == "fremen":
        return Refusal("The Guild cannot stop a shipment of the Fremen.", "WBC.XVII.17")
    if slot.mover == fares.GUILD:
        return Refusal("This is your own shipment.", "WBC.XVII.16")
    if not fares.off_planet(slot.mover, slot.shipment):
        return Refusal("Only a shipment from off the planet can be stopped.", "AH.SHIELD.GUI.KARAMA")
    return None


def _stop(game: Game, faction: Faction, order: Karama) -> Flow:
    slot = game.moments.slot
    if slot and slot.mover and slot.shipment:
        fares.undo(game, slot, slot.mover)
        advisor.take_back(game, slot)
        game.tell("shipment-stopped", faction=slot.mover, forces=str(slot.shipment.forces), area=slot.shipment.target)
    yield from ()


# --- cancel advisor --------------------------------------------------------------------------------------------------


def _check_cancel(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if slot is None or slot.stage != "advisor" or slot.advisor is None or slot.advisor_cancelled:
        return Refusal("An advisor is cancelled right after it is announced.", "WBC.AID.25")
    return None


def _cancel(game: Game, faction: Faction, order: Karama) -> Flow:
    slot = game.moments.slot
    if slot and slot.advisor:
        game.tell("advisor-cancelled", area=slot.advisor, by=faction)
        advisor.take_back(game, slot)
    yield from ()


# --- guild in turn ---------------------------------------------------------------------------------------------------


def _check_guild(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if not game.plays(fares.GUILD):
        return Refusal("The Guild is not in this game.", "WBC.AID.37")
    if not guild_timing.free(game):
        return Refusal("In this game the Guild moves in its place anyway.", "AH.IX.C-a")
    if slot is None:
        return Refusal("The Guild is held to its place in the movement round.", "WBC.AID.37")
    if fares.GUILD in slot.done or slot.mover == fares.GUILD:
        return Refusal("The Guild has begun its move.", "WBC.AID.37")
    if slot.guild_place == "passed":
        return Refusal(f"The Guild's place is past: {_after_guild(game)} has begun.", "WBC.AID.37")
    if slot.guild_forced:
        return Refusal("The Guild is held to its place already.", "WBC.AID.37")
    return None


def _after_guild(game: Game) -> str:
    order = game.order_of_play()
    return faction_name(order[(order.index(fares.GUILD) + 1) % len(order)])


def _force_guild(game: Game, faction: Faction, order: Karama) -> Flow:
    if game.moments.slot:
        game.moments.slot.guild_forced = True
    game.tell("guild-forced", by=faction)
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "half shipping": Effect(_check_half, _halve, spent_later=True, unseen=_only_meant),
    "stop shipment": Effect(_check_stop, _stop),
    "cancel advisor": Effect(_check_cancel, _cancel),
    "guild in turn": Effect(_check_guild, _force_guild),
}
