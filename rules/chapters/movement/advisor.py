"""The spiritual advisor: one Bene Gesserit token, free, with another's shipment from off-planet (AH.SHIELD.BG.2,
AH.XV.B.3, WBC.XV.17 to 22).

In the basic game it goes to the Polar Sink; where there is coexistence it may go to the territory of the shipment
instead and coexists there. Right after it is announced a Karama may cancel it (AH.AID.KARAMA.A.3-a, WBC.AID.25).
"""

from __future__ import annotations

from rules.chapters.movement import coexistence, fares
from rules.chapters.movement.coexistence import BENE_GESSERIT
from rules.components import Faction, Forces, board
from rules.components.board import POLAR_SINK, TERRITORIES, Area
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import Advise, NoAdvisor, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

ONE = Forces(1)


def advisor(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """The advisor to the shipment of this slot, where one may come."""
    slot.stage = "advisor"
    answers = yield from ask(lambda: [_question(game, slot)] if _entitled(game, slot, mover) else [])
    order = answers.of(BENE_GESSERIT)
    if not isinstance(order, Advise):
        return
    slot.advisor = order.area
    game.deploy(BENE_GESSERIT, ONE, order.area)
    game.tell("advisor", area=order.area, shipper=mover)
    yield from window(game, "advisor", lambda: not slot.advisor_cancelled, area=order.area)
    if not slot.advisor_cancelled:
        coexistence.accompany(game, board.territory_of(order.area))


def take_back(game: Game, slot: SlotMoment) -> None:
    """The advisor goes back: it was cancelled, or the shipment it came with was stopped."""
    if slot.advisor is not None and not slot.advisor_cancelled and game.here(slot.advisor, BENE_GESSERIT):
        game.withdraw(BENE_GESSERIT, ONE, slot.advisor)
        slot.advisor_cancelled = True


def _entitled(game: Game, slot: SlotMoment, mover: Faction) -> bool:
    """Whether, as all can see, an advisor may come (AH.SHIELD.BG.2-a to 2-c, WBC.XV.20 to 22)."""
    return (
        game.plays(BENE_GESSERIT)
        and mover != BENE_GESSERIT
        and slot.shipment is not None
        and not slot.stopped
        and fares.off_planet(mover, slot.shipment)
        and bool(game.player(BENE_GESSERIT).reserves)
    )


def _places(game: Game, slot: SlotMoment) -> list[Area]:
    """Where the advisor may go: the Polar Sink; with coexistence also the shipment's territory, unless they fight
    there."""
    places = [POLAR_SINK]
    target = slot.shipment.target if slot.shipment else None
    if target is None or game.rules.advisor_destination == "polar_sink" or target == POLAR_SINK:
        return places
    territory = board.territory_of(target)
    if game.state.presence.get(territory) == "fight":
        return places
    others = [area for area in TERRITORIES[territory].areas if area != target]
    return [*(area for area in (target, *others) if board.sector_of(area) != game.state.storm), *places]


def _question(game: Game, slot: SlotMoment) -> Question:
    return Asked(
        BENE_GESSERIT,
        "advisor",
        NoAdvisor(),
        lambda order: _check(game, slot, order),
        lambda: [*(Advise(area) for area in _places(game, slot)), NoAdvisor()],
        about={"shipper": slot.mover, "places": _places(game, slot)},
    )


def _check(game: Game, slot: SlotMoment, order: Order) -> Refusal | None:
    places = _places(game, slot)
    if not isinstance(order, Advise) or order.area in places:
        return None
    target = slot.shipment.target if slot.shipment else None
    names = " or ".join(board.area_name(area) for area in places)
    if target is None or board.territory_of(order.area) != board.territory_of(target):
        clause = "AH.SHIELD.BG.2-a" if game.rules.advisor_destination == "polar_sink" else "WBC.XV.18"
        return Refusal(f"An advisor goes with the shipment: {names}.", clause)
    if board.sector_of(order.area) == game.state.storm:
        return Refusal(f"{board.area_name(order.area)} is under the storm.", "AH.IX.C.1.c-a")
    if game.rules.advisor_destination == "polar_sink":
        return Refusal("In this game advisors go to the Polar Sink.", "AH.SHIELD.BG.2-a")
    return Refusal(f"You declared not to coexist there; the advisor can go to: {names}.", "AH.XV.B.5-d")
