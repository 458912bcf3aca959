"""The spiritual advisor: one Bene Gesserit token, free, with another's shipment from off-planet (AH.SHIELD.BG.2,
AH.XV.B.3, WBC.XV.17 to 22).

In the basic game it goes to the Polar Sink; where there is coexistence it goes to the territory of the shipment instead
(AH.XV.B.3) or to either (VACA.IX.C.1.e) and coexists there. Right after it is announced a Karama may
cancel it (AH.AID.KARAMA.A.3-a, WBC.AID.25).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rules.chapters import tech_tokens
from rules.chapters.movement import fares
from rules.chapters.movement.slot import slot_of
from rules.components import Faction, Forces, board, faction_name
from rules.components.board import POLAR_SINK, TERRITORIES, Area
from rules.decisions.asking import ask
from rules.decisions.catalogue import rules_of
from rules.decisions.never_legal import not_theirs
from rules.decisions.question import Flow, Question
from rules.decisions.under_storm import in_storm
from rules.decisions.windows import window
from rules.factions.bene_gesserit.models import PRESENCE
from rules.factions.bene_gesserit.presence import with_ally
from rules.orders import Advise, NoAdvisor, Order
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

ONE = Forces(1)

NOT_WITH_THIS_SHIPMENT = Refusal("No advisor goes with this shipment.", "advisor.which-shipments")


@dataclass(frozen=True, slots=True)
class Destination:
    """Where an advisor may go: to the territory of the shipment, to the Polar Sink."""

    with_the_shipment: bool
    polar_sink: bool


DESTINATION = Option(
    "advisor_destination",
    {
        "polar_sink": Destination(with_the_shipment=False, polar_sink=True),
        "same_territory": Destination(with_the_shipment=True, polar_sink=False),
        "either": Destination(with_the_shipment=True, polar_sink=True),
    },
)
OFF_PLANET_ONLY = Option("advisor_trigger", {"off_planet_only": True, "any_shipment_onto_dune": False})
"""Whether advisors come with shipments from off the planet alone, not with whatever else is shipped to a territory."""


def send(game: Game, slot: SlotMoment, faction: Faction) -> Flow:
    """The advisor to the shipment of this slot, where one may come."""
    shipper = slot.mover
    answers = yield from ask(lambda: [AdvisorQuestion(game, faction)] if _can_come(game, slot, faction) else [])
    order = answers.of(faction)
    if not isinstance(order, Advise):
        return
    slot.advisor = order.area
    game.deploy(faction, ONE, order.area)
    game.tell("advisor", area=order.area, shipper=shipper)
    yield from window(game, "advisor", lambda: not slot.advisor_cancelled, area=order.area)
    if not slot.advisor_cancelled:
        if tech_tokens.ADVISORS_COUNT(game.rules):
            tech_tokens.set_off(game, "movement", faction)
        if game.here(order.area, faction):  # unless a worm has eaten it
            PRESENCE(game.rules).advisor_came(game, faction, board.territory_of(order.area))


def take_back(game: Game, slot: SlotMoment, faction: Faction) -> None:
    """The advisor goes back: it was cancelled, or the shipment it came with was stopped."""
    if slot.advisor is not None and not slot.advisor_cancelled and game.here(slot.advisor, faction):
        game.withdraw(faction, ONE, slot.advisor)
        slot.advisor_cancelled = True


# --- The question ----------------------------------------------------------------------------------------------------


class AdvisorQuestion(Question):
    """Do you send an advisor with this shipment, and where to?"""

    kind = "advisor"
    only_refusal = Refusal("Only the Bene Gesserit coexist and send advisors.", "advisor.bene-gesserit")

    @property
    def _places(self) -> list[Area]:
        return _places(self.game, slot_of(self.game), self.faction)

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Advise):
            return None
        return _refuse_place(self.game, slot_of(self.game), self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := not_theirs(game, faction, cls):
            return refusal
        slot = slot_of(game)
        if isinstance(order, Advise) and (why := _never_there(game, order)):
            return why
        if isinstance(order, Advise) and (why := _not_among_fighters(game, faction, order)):
            return why
        if slot.shipment is not None and not slot.moved and (why := _no_advisor_by_rule(game, slot, faction)):
            return why  # while the shipment of a slot is talked about, an advisor means that one
        return _no_shipment_to_come(game, slot, faction)

    @property
    def default(self) -> Order:
        return NoAdvisor()

    def samples(self) -> Sequence[Order]:
        return [*(Advise(area) for area in self._places), NoAdvisor()]

    @property
    def facts(self) -> Mapping[str, Any]:
        slot = slot_of(self.game)
        afar = slot.mover and slot.shipment and fares.off_planet(self.game, slot.mover, slot.shipment)
        return {"shipper": slot.mover, "places": self._places, "off_planet": bool(afar)}


# --- What is legal ---------------------------------------------------------------------------------------------------


def _can_come(game: Game, slot: SlotMoment, faction: Faction) -> bool:
    """Whether, as all can see, an advisor may come with the shipment of the slot, and there is a place for it."""
    return _no_advisor(game, slot, faction) is None and bool(_places(game, slot, faction))


def _no_advisor(game: Game, slot: SlotMoment, faction: Faction) -> Refusal | None:
    """Why, as all can see, no advisor may come with the shipment of the slot (AH.SHIELD.BG.2-a to 2-c)."""
    if slot.shipment is None or not game.player(faction).reserves:
        return NOT_WITH_THIS_SHIPMENT
    return _no_advisor_by_rule(game, slot, faction)


def _no_advisor_by_rule(game: Game, slot: SlotMoment, faction: Faction) -> Refusal | None:
    """Why no advisor goes with the shipment that was declared (WBC.XV.20 to 22)."""
    shipper, order = slot.mover, slot.shipment
    if shipper is None or order is None:
        return None
    if slot.stopped:
        return Refusal("The shipment was stopped; no advisor goes with it.", "advisor.stopped-shipment")
    if OFF_PLANET_ONLY(game.rules) and rules_of(game, shipper).reserves_on_dune:
        why = f"No advisor goes with a shipment of the {faction_name(shipper)}."
        return Refusal(why, "advisor.shipment-of-fremen")
    if shipper == faction:
        return Refusal("No advisor goes with your own shipment.", "advisor.own-shipment")
    if order.target is None or (OFF_PLANET_ONLY(game.rules) and not fares.off_planet(game, shipper, order)):
        return Refusal("An advisor goes with shipments from off the planet only.", "advisor.off-planet")
    return None


def _no_shipment_to_come(game: Game, slot: SlotMoment, faction: Faction) -> Refusal | None:
    """An advisor can still come with a shipment of another from off the planet."""
    shippers = [other for other in game.state.players if other != faction and _ships_from_afar(game, other)]
    if all(slot.is_past(shipper, "advisor") for shipper in shippers):
        return Refusal("No shipment is to come that an advisor could go with.", "advisor.bene-gesserit")
    return None


def _ships_from_afar(game: Game, shipper: Faction) -> bool:
    """Whether shipments of the player are such that an advisor may go with."""
    return not (OFF_PLANET_ONLY(game.rules) and rules_of(game, shipper).reserves_on_dune)


def _not_among_fighters(game: Game, faction: Faction, order: Advise) -> Refusal | None:
    """Why no advisor can be sent there, as the tokens there stand now (AH.XV.B.5-d)."""
    territory = board.territory_of(order.area)
    if order.area == POLAR_SINK or PRESENCE(game.rules).may_send_advisor_to(game, faction, territory):
        return None
    name = TERRITORIES[territory].name
    if with_ally(game, faction, territory):
        return Refusal(f"Your ally stands in {name}; no advisor goes there.", "movement.where-an-ally-stands")
    return Refusal(f"You declared not to coexist in {name}; no advisor goes there.", "advisor.where-they-fight")


def _places(game: Game, slot: SlotMoment, faction: Faction) -> list[Area]:
    """Where the advisor may go: the Polar Sink, the shipment's territory where they would not fight, or both."""
    target = slot.shipment.target if slot.shipment else None
    destination = DESTINATION(game.rules)
    if target is None or target == POLAR_SINK or not destination.with_the_shipment:
        return [POLAR_SINK]
    sink = [POLAR_SINK] if destination.polar_sink else []
    territory = board.territory_of(target)
    if not PRESENCE(game.rules).may_send_advisor_to(game, faction, territory):
        return sink
    others = [area for area in TERRITORIES[territory].areas if area != target]
    return [*(area for area in (target, *others) if not in_storm(game, area)), *sink]


def _never_there(game: Game, order: Advise) -> Refusal | None:
    """A place to which no advisor of this rule set goes, whatever is shipped."""
    to = DESTINATION(game.rules)
    if not to.with_the_shipment and order.area != POLAR_SINK:
        return Refusal("In this game advisors go to the Polar Sink.", "advisor.bene-gesserit")
    if not to.polar_sink and order.area == POLAR_SINK:
        return Refusal("In this game advisors go with the shipment, not to the Polar Sink.", "advisor.destination")
    return None


def _refuse_place(game: Game, slot: SlotMoment, faction: Faction, order: Advise) -> Refusal | None:
    places = _places(game, slot, faction)
    if order.area in places:
        return None
    target = slot.shipment.target if slot.shipment else None
    names = " or ".join(board.area_name(area) for area in places)
    if target is None or board.territory_of(order.area) != board.territory_of(target):
        return Refusal(f"An advisor goes with the shipment: {names}.", "advisor.destination")
    if in_storm(game, order.area):
        return Refusal(f"{board.area_name(order.area)} is under the storm.", "shipment.storm")
    if not DESTINATION(game.rules).with_the_shipment:
        return Refusal("In this game advisors go to the Polar Sink.", "advisor.bene-gesserit")
    if with_ally(game, faction, board.territory_of(target)):
        return Refusal(f"Your ally stands there; the advisor can go to: {names}.", "movement.where-an-ally-stands")
    why = f"You declared not to coexist there; the advisor can go to: {names}."
    return Refusal(why, "advisor.where-they-fight")


OPTIONS = (DESTINATION, OFF_PLANET_ONLY)
QUESTIONS: tuple[type[Question], ...] = (AdvisorQuestion,)
