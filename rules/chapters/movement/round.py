"""The movement round: one slot after another (AH.IX.C, WBC.IX.3, timing of the Guild in
``rules.chapters.movement.guild_timing``).

First the Bene Gesserit say where they coexist. Then each player in the order of play takes his slot: a shipment, time
for reactions, the spiritual advisor, the move, and last the revival of a leader. Where tokens of the Bene Gesserit
meet others, they declare at that instant.
"""

from __future__ import annotations

from rules.chapters import revival
from rules.chapters.movement import advisor, coexistence, fares, guild_timing, shipment, token_movement
from rules.chapters.movement.fares import GUILD
from rules.components import Faction, Forces
from rules.decisions.question import Flow
from rules.orders import (
    Advise,
    Coexist,
    Fight,
    GoNow,
    Hajr,
    Move,
    NoAdvisor,
    NoMove,
    NoRevival,
    NoShipment,
    Order,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ship,
    Support,
    Wait,
)
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

STAGES = ("shipment", "reactions", "advisor", "movement", "revival")


def flow(game: Game) -> Flow:
    """The movement round, from the declarations to the last slot."""
    slot = game.moments.slot = SlotMoment()
    yield from coexistence.declarations(game)
    for faction in game.order_of_play():
        if not guild_timing.free(game):
            yield from take_slot(game, slot, faction)
        elif faction == GUILD:
            if GUILD not in slot.done and (yield from guild_timing.goes_in_its_place(game, slot)):
                yield from take_slot(game, slot, GUILD)
        else:
            if not _just_waited(game, slot, faction) and (yield from guild_timing.goes_before(game, slot)):
                yield from take_slot(game, slot, GUILD)
            yield from take_slot(game, slot, faction)
    if game.plays(GUILD) and GUILD not in slot.done:
        yield from take_slot(game, slot, GUILD)


def _just_waited(game: Game, slot: SlotMoment, faction: Faction) -> bool:
    """Whether the Guild has only now let its own place go by in favour of this player."""
    order = game.order_of_play()
    return GUILD not in slot.done and order.index(faction) == order.index(GUILD) + 1


def take_slot(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """Everything one player does in the movement round."""
    slot.begin(mover)
    if token_movement.ornithopters(game, mover):
        slot.flying.append(mover)
    yield from _ship(game, slot, mover)
    yield from advisor.advisor(game, slot, mover)
    yield from token_movement.token_movement(game, slot, mover)
    yield from coexistence.meetings(game)
    slot.stage = "revival"
    yield from revival.leader_revival(game, mover)
    yield from token_movement.held_hajr(game, mover)
    slot.end(mover)


def _ship(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """The shipment. Until it is declared the player before may still have played his Hajr; if that closed the way it is
    declared anew."""
    while True:
        order = yield from shipment.declare(game, slot, mover)
        yield from token_movement.late_hajr(game, slot)
        if order is None:
            game.tell("no-shipment", faction=mover)
            return
        if shipment.check(game, mover, order) is None:
            break
    yield from shipment.carry_out(game, slot, mover, order)
    yield from coexistence.meetings(game)


# --- Orders ahead of their time --------------------------------------------------------------------------------------


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Whether the order can wait for a decision later in this round, or why not."""
    slot = game.moments.slot or SlotMoment()
    match order:
        case Fight() | Coexist():
            return _bene_gesserit_only(faction) or coexistence.never_declared(game, order)
        case Ship() | NoShipment():
            if _past(slot, faction, "shipment"):
                return Refusal("You make one shipment a turn; its time has passed.", "AH.IX.C.1.a-a")
            return _impossible_shipment(game, faction, order) if isinstance(order, Ship) else None
        case Support():
            return _no_ally_to_support(game, slot, faction)
        case Advise() | NoAdvisor():
            return _bene_gesserit_only(faction) or _without_advisor(slot) or _no_shipment_to_come(game, slot)
        case GoNow() | Wait():
            return _guild_cannot_choose(game, slot, faction)
        case Move() | NoMove():
            if _past(slot, faction, "movement"):
                return Refusal("You make one move a turn; it has been made.", "AH.IX.C.2.b")
            return _impossible_move(game, faction, order) if isinstance(order, Move) else None
        case Hajr():
            return _impossible_hajr(game, slot, faction, order)
        case ReviveLeader() | ReviveKwisatzHaderach() | NoRevival():
            if _past(slot, faction, "revival"):
                return Refusal("Leaders are revived at the end of one's own move; yours is over.", "AH.IX.D.4")
            return revival.impossible(game, faction, order)
        case Revive():
            return Refusal("Tokens are revived before anybody moves.", "AH.IX.B-a")
    return Refusal("There is no worm here to be ridden now.", "AH.SHIELD.FRE.3-b")


def _past(slot: SlotMoment, faction: Faction, stage: str) -> bool:
    """Whether that stage of the faction's slot is over."""
    if faction in slot.done:
        return True
    if slot.mover != faction:
        return False
    return slot.moved if stage == "movement" else STAGES.index(slot.stage) > STAGES.index(stage)


def _bene_gesserit_only(faction: Faction) -> Refusal | None:
    if faction == coexistence.BENE_GESSERIT:
        return None
    return Refusal("Only the Bene Gesserit coexist and send advisors.", "AH.SHIELD.BG.2-a")


def _no_ally_to_support(game: Game, slot: SlotMoment, faction: Faction) -> Refusal | None:
    allies = [ally for ally in game.state.ally_group(faction) if ally != faction]
    if not allies:
        return Refusal("You have no ally to help with a shipment.", "AH.XII.E.4")
    if all(_past(slot, ally, "shipment") for ally in allies):
        return Refusal("Your ally's shipment of this turn is over.", "AH.XII.E.4")
    return None


def _without_advisor(slot: SlotMoment) -> Refusal | None:
    """While the shipment of a slot is talked about, an advisor means that one (WBC.XV.20 to 22)."""
    mover, order = slot.mover, slot.shipment
    if mover is None or order is None or slot.moved:
        return None
    if slot.stopped:
        return Refusal("The shipment was stopped; no advisor goes with it.", "AH.XV.B.3")
    if mover == "fremen":
        return Refusal("No advisor goes with a shipment of the Fremen.", "WBC.XV.20")
    if mover == coexistence.BENE_GESSERIT:
        return Refusal("No advisor goes with your own shipment.", "WBC.XV.21")
    if not fares.off_planet(mover, order):
        return Refusal("An advisor goes with shipments from off the planet only.", "WBC.XV.22")
    return None


def _no_shipment_to_come(game: Game, slot: SlotMoment) -> Refusal | None:
    """An advisor can still come with somebody's shipment (not one of the Fremen or the Bene Gesserit)."""
    shippers = [faction for faction in game.state.players if faction not in (coexistence.BENE_GESSERIT, "fremen")]
    if all(_past(slot, faction, "advisor") for faction in shippers):
        return Refusal("No shipment is to come that an advisor could go with.", "AH.SHIELD.BG.2-a")
    if slot.mover in ("fremen", coexistence.BENE_GESSERIT) and all(f in slot.done for f in shippers):
        return Refusal("No advisor goes with this shipment.", "AH.SHIELD.BG.2-c")
    return None


def _guild_cannot_choose(game: Game, slot: SlotMoment, faction: Faction) -> Refusal | None:
    if faction != GUILD:
        return Refusal("Only the Guild chooses when it moves.", "AH.SHIELD.GUI.5-b")
    if not guild_timing.free(game):
        return Refusal("In this game the Guild moves in its place.", "AH.IX.C-a")
    if GUILD in slot.done or slot.mover == GUILD:
        return Refusal("You have begun your move.", "AH.SHIELD.GUI.5-a")
    if slot.guild_forced:
        return Refusal("A Karama holds you to your proper place.", "WBC.AID.37")
    return None


def _impossible_shipment(game: Game, faction: Faction, order: Ship) -> Refusal | None:
    """More tokens than there can be, or a shipment that the rules never allow."""
    if refusal := shipment.impossible(game, faction, order):
        return refusal
    player = game.player(faction)
    there = player.reserves + player.tanks if order.source is None else _all_tokens(game, faction)
    if there.covers(order.forces):
        return None
    return Refusal(f"You have {there} tokens for that at most, not {order.forces}.", "AH.IX.C.1.a-b")


def _impossible_move(game: Game, faction: Faction, move: Move) -> Refusal | None:
    if refusal := token_movement.impossible(game, faction, move):
        return refusal
    there = _all_tokens(game, faction)
    if there.covers(move.forces):
        return None
    return Refusal(f"You have {there} tokens, not {move.forces}.", "AH.IX.C.2.a-a")


def _impossible_hajr(game: Game, slot: SlotMoment, faction: Faction, order: Hajr) -> Refusal | None:
    if faction in slot.done and (faction != slot.before or slot.stage not in ("", "shipment")):
        return Refusal("A Hajr is played in one's own move; yours is over.", "AH.AID.TIMED.3-a")
    if not game.holds(faction, token_movement.HAJR):
        return Refusal("You hold no Hajr.", "AH.AID.TIMED.3-a")
    if refusal := _impossible_move(game, faction, order.move):
        return refusal
    return token_movement.check(game, faction, order) if faction == slot.before else None


def _all_tokens(game: Game, faction: Faction) -> Forces:
    player = game.player(faction)
    return sum((forces for _, forces in game.state.areas_of(faction)), player.reserves + player.tanks)
