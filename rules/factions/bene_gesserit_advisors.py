"""Advisors of the Bene Gesserit: the spiritual advisor, and the advisors and fighters of 2019.

The spiritual advisor (AH.SHIELD.BG.2, AH.XV.B.3, WBC.XV.17 to 22) is one token that goes along, for free, with another
faction's shipment from off the planet. In the basic game it goes to the Polar Sink. In games with coexistence it goes
to the territory of the shipment instead (AH.XV.B.3), or to either place (VACA.IX.C.1.e), and coexists there. A Karama
may cancel it right after it is announced (AH.AID.KARAMA.A.3-a, WBC.AID.25).

Advisors and fighters (FAQ.BG.2 to FAQ.BG.15): all Bene Gesserit tokens in a territory are of the same kind, and they
remain so from turn to turn until they flip.

- Advisors become fighters automatically if they are alone, or if they come to other Bene Gesserit who are fighters.
- Advisors become fighters by announcement, before anybody ships or when they move into a territory where others are.
- Fighters may become advisors at the instant when others come to them. They become advisors automatically if they come
  to other Bene Gesserit who are advisors.

A Karama can stop an announced flip (FAQ.KARAMA-BG.4). In the Polar Sink nobody fights and nothing is announced. In
``State.presence``, advisors are "coexist" or "held", and fighters who have flipped this turn are "fight".

``PRESENCE`` is the option that determines how Bene Gesserit tokens can stand among other factions' tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rules.chapters import shipment, tech_tokens
from rules.chapters.occupancy import NOBODYS_TERRITORY, in_storm, slot_of
from rules.components import Faction, Forces, board, the_faction
from rules.components.board import POLAR_SINK, TERRITORIES, Area, TerritoryId
from rules.decisions.catalogue import TOKENS_FLIP, TOKENS_REVERT_AT_ONCE, rules_of
from rules.decisions.early_orders import not_theirs
from rules.decisions.question import Flow, Question, ask
from rules.decisions.windows import karama_can, window
from rules.factions import bene_gesserit_coexistence as coexistence
from rules.orders import Advise, Coexist, Fight, NoAdvisor, Order
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game
from rules.state.moments import FlipMoment, SlotMoment
from rules.state.state import APART

ONE_TOKEN = Forces(1)

NOT_WITH_THIS_SHIPMENT = Refusal("No advisor can go with this shipment.", "advisor.which-shipments")


@dataclass(frozen=True, slots=True)
class Destination:
    with_the_shipment: bool
    polar_sink: bool


ADVISOR_DESTINATION = Option(
    "advisor_destination",
    {
        "polar_sink": Destination(with_the_shipment=False, polar_sink=True),
        "same_territory": Destination(with_the_shipment=True, polar_sink=False),
        "either": Destination(with_the_shipment=True, polar_sink=True),
    },
)
OFF_PLANET_ONLY = Option(
    "advisor_trigger", {"off_planet_only": True, "any_shipment_onto_dune": False}, usual="off_planet_only"
)
"""True if advisors come only with shipments from off the planet, not with other shipments to a territory."""


def send_advisor(game: Game, slot: SlotMoment, faction: Faction) -> Flow:
    shipper = slot.mover
    answers = yield from ask(lambda: [AdvisorQuestion(game, faction)] if _can_come(game, slot, faction) else [])
    order = answers.of(faction)
    if not isinstance(order, Advise):
        return
    slot.advisor = order.area
    game.deploy(faction, ONE_TOKEN, order.area)
    game.tell("advisor", area=order.area, shipper=shipper)
    yield from window(game, "advisor", lambda: not slot.advisor_cancelled, area=order.area)
    if not slot.advisor_cancelled:
        if tech_tokens.ADVISORS_COUNT(game.rules):
            tech_tokens.set_off(game, "movement", faction)
        if game.here(order.area, faction):  # unless a worm has eaten it
            PRESENCE(game.rules).advisor_came(game, faction, board.territory_of(order.area))


def take_back_advisor(game: Game, slot: SlotMoment, faction: Faction) -> None:
    if slot.advisor is not None and not slot.advisor_cancelled and game.here(slot.advisor, faction):
        game.withdraw(faction, ONE_TOKEN, slot.advisor)
        slot.advisor_cancelled = True


# --- The question ----------------------------------------------------------------------------------------------------


class AdvisorQuestion(Question):
    kind = "advisor"
    only_refusal = Refusal("Only the Bene Gesserit can coexist and send advisors.", "advisor.bene-gesserit")
    default = NoAdvisor()

    @property
    def _places(self) -> list[Area]:
        return _places_for_advisor(self.game, slot_of(self.game), self.faction)

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
            return why  # during a slot's shipment, an advisor refers to that shipment
        return _no_shipment_to_come(game, slot, faction)

    def samples(self) -> Sequence[Order]:
        return [*(Advise(area) for area in self._places), NoAdvisor()]

    @property
    def facts(self) -> Mapping[str, Any]:
        slot = slot_of(self.game)
        afar = slot.mover and slot.shipment and shipment.is_off_planet(self.game, slot.mover, slot.shipment)
        return {"shipper": slot.mover, "places": self._places, "off_planet": bool(afar)}


# --- What is legal ---------------------------------------------------------------------------------------------------


def _can_come(game: Game, slot: SlotMoment, faction: Faction) -> bool:
    return _no_advisor(game, slot, faction) is None and bool(_places_for_advisor(game, slot, faction))


def _no_advisor(game: Game, slot: SlotMoment, faction: Faction) -> Refusal | None:
    """Return the publicly known reason why no advisor may go along with the shipment of this slot, or None
    (AH.SHIELD.BG.2-a to 2-c)."""
    if slot.shipment is None or not game.player(faction).reserves:
        return NOT_WITH_THIS_SHIPMENT
    return _no_advisor_by_rule(game, slot, faction)


def _no_advisor_by_rule(game: Game, slot: SlotMoment, faction: Faction) -> Refusal | None:
    shipper, order = slot.mover, slot.shipment  # WBC.XV.20 to 22
    if shipper is None or order is None:
        return None
    if slot.stopped:
        return Refusal("The shipment was stopped; no advisor can go with it.", "advisor.stopped-shipment")
    if OFF_PLANET_ONLY(game.rules) and rules_of(game, shipper).reserves_on_dune:
        why = f"No advisor can go with a shipment of {the_faction(shipper)}."
        return Refusal(why, "advisor.shipment-of-fremen")
    if shipper == faction:
        return Refusal("No advisor can go with your own shipment.", "advisor.own-shipment")
    if order.target is None or (OFF_PLANET_ONLY(game.rules) and not shipment.is_off_planet(game, shipper, order)):
        return Refusal("An advisor can accompany only an off-planet shipment.", "advisor.off-planet")
    return None


def _no_shipment_to_come(game: Game, slot: SlotMoment, faction: Faction) -> Refusal | None:
    shippers = [other for other in game.state.players if other != faction and _ships_from_afar(game, other)]
    if all(slot.is_past(shipper, "advisor") for shipper in shippers):
        return Refusal("No more shipments are coming that an advisor could go with.", "advisor.bene-gesserit")
    return None


def _ships_from_afar(game: Game, shipper: Faction) -> bool:
    return not (OFF_PLANET_ONLY(game.rules) and rules_of(game, shipper).reserves_on_dune)


def _not_among_fighters(game: Game, faction: Faction, order: Advise) -> Refusal | None:
    """Return a refusal if the tokens that are now in a place keep out an advisor, else None (AH.XV.B.5-d)."""
    territory = board.territory_of(order.area)
    if order.area == POLAR_SINK or PRESENCE(game.rules).may_send_advisor_to(game, faction, territory):
        return None
    name = TERRITORIES[territory].name
    if coexistence.stands_with_ally(game, faction, territory):
        return Refusal(f"Your ally is in {name}; no advisor can go there.", "movement.where-an-ally-stands")
    return Refusal(f"You declared to fight in {name}; no advisor can go there.", "advisor.where-they-fight")


def _places_for_advisor(game: Game, slot: SlotMoment, faction: Faction) -> list[Area]:
    target = slot.shipment.target if slot.shipment else None
    destination = ADVISOR_DESTINATION(game.rules)
    if target is None or target == POLAR_SINK or not destination.with_the_shipment:
        return [POLAR_SINK]
    sink = [POLAR_SINK] if destination.polar_sink else []
    territory = board.territory_of(target)
    if not PRESENCE(game.rules).may_send_advisor_to(game, faction, territory):
        return sink
    others = [area for area in TERRITORIES[territory].areas if area != target]
    return [*(area for area in (target, *others) if not in_storm(game, area)), *sink]


def _never_there(game: Game, order: Advise) -> Refusal | None:
    to = ADVISOR_DESTINATION(game.rules)
    if not to.with_the_shipment and order.area != POLAR_SINK:
        return Refusal("In this game advisors go to the Polar Sink.", "advisor.bene-gesserit")
    if not to.polar_sink and order.area == POLAR_SINK:
        return Refusal("In this game advisors go with the shipment, not to the Polar Sink.", "advisor.destination")
    return None


def _refuse_place(game: Game, slot: SlotMoment, faction: Faction, order: Advise) -> Refusal | None:
    places = _places_for_advisor(game, slot, faction)
    if order.area in places:
        return None
    target = slot.shipment.target if slot.shipment else None
    names = " or ".join(board.area_name(area) for area in places)
    if target is None or board.territory_of(order.area) != board.territory_of(target):
        return Refusal(f"An advisor must go with the shipment: {names}.", "advisor.destination")
    if in_storm(game, order.area):
        return Refusal(f"{board.area_name(order.area)} is under the storm.", "shipment.storm")
    if not ADVISOR_DESTINATION(game.rules).with_the_shipment:
        return Refusal("In this game advisors go to the Polar Sink.", "advisor.bene-gesserit")
    if coexistence.stands_with_ally(game, faction, board.territory_of(target)):
        return Refusal(f"Your ally is there; the advisor can go to: {names}.", "movement.where-an-ally-stands")
    why = f"You declared to fight there; the advisor can go to: {names}."
    return Refusal(why, "advisor.where-they-fight")


ADVISOR_QUESTIONS: tuple[type[Question], ...] = (AdvisorQuestion,)


ONLY_BENE_GESSERIT = Refusal("Only the Bene Gesserit have advisors and fighters.", "flip.types")


class AdvisorFighter(coexistence.Presence):
    exists = True

    # --- status ------------------------------------------------------------------------------------------------------

    def stands_apart(self, game: Game, territory: TerritoryId) -> bool:
        if not _advisors(game, territory):
            return False
        counts_alone = TOKENS_REVERT_AT_ONCE(game.rules) or coexistence.COUNTS_ALONE(game.rules)
        return not counts_alone or len(game.state.forces_in(territory)) > 1

    def may_come_apart(self, game: Game, territory: TerritoryId) -> bool:
        """Return whether Bene Gesserit advisors are already in the territory. If they are, tokens that arrive become
        advisors too (FAQ.BG.13)."""
        return _advisors(game, territory)

    def may_send_advisor_to(self, game: Game, faction: Faction, territory: TerritoryId) -> bool:
        """Return false for an ally's territory, which one of the two would have to leave (FAQ.BG.5, GF9.ALLIANCE.8)."""
        return rules_of(game, faction).stands_beside_allies(game) or not coexistence.stands_with_ally(
            game, faction, territory
        )

    def begins_with(self, game: Game, faction: Faction, territories: Sequence[TerritoryId]) -> None:
        super().begins_with(game, faction, territories)
        self.notices_departures(game, faction, told=False)

    def early_refusal(self, game: Game, faction: Faction, order: Fight | Coexist) -> Refusal | None:
        """Allow advisors to flip at any time from the nexus until somebody ships, and refuse everything else
        (FAQ.BG.4)."""
        territory = order.territory
        if game.state.phase not in coexistence.EARLY_PHASES(game.rules) or isinstance(order, Coexist):
            return coexistence.NOTHING_IS_DECLARED
        if territory not in _may_be_announced(game, faction):
            return coexistence.NOTHING_IS_DECLARED
        return _no_flip(game, faction, territory)

    # --- changes of status -------------------------------------------------------------------------------------------

    def begins_turn(self, game: Game) -> None:
        state = game.state
        state.presence = {where: "coexist" for where, how in state.presence.items() if how in APART}
        if not TOKENS_REVERT_AT_ONCE(game.rules):
            for territory in [where for where in state.presence if len(state.forces_in(where)) == 1]:
                del state.presence[territory]
                game.tell("bg-flip", territory=territory, advisors=False, why="alone")

    def notices_departures(self, game: Game, faction: Faction, *, told: bool = True) -> None:
        """Turn advisors into fighters where all other factions have left (FAQ.BG.7), and forget the status of
        territories in which the Bene Gesserit no longer have tokens."""
        presence = game.state.presence
        for territory in list(presence):
            there = game.state.forces_in(territory)
            if faction not in there:
                del presence[territory]
            elif len(there) == 1 and presence[territory] in APART and TOKENS_REVERT_AT_ONCE(game.rules):
                del presence[territory]
                if told:
                    game.tell("bg-flip", territory=territory, advisors=False, why="alone")

    def was_placed(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        if territory != NOBODYS_TERRITORY and coexistence.others_in(game, faction, territory):
            game.state.presence[territory] = "coexist"

    def declares_early(self, game: Game, faction: Faction, order: Fight | Coexist) -> Flow:
        yield from _announce(game, [order.territory], advisors=False)

    def declares_before_moves(self, game: Game, faction: Faction) -> Flow:
        self.notices_departures(game, faction)  # FAQ.BG.4
        answers = yield from ask(
            lambda: [StatusQuestion(game, faction, territory) for territory in _may_be_announced(game, faction)]
        )
        due = _may_be_announced(game, faction)
        flips = [territory for territory in due if isinstance(answers.of(faction, territory), Fight)]
        yield from _announce(game, flips, advisors=False)

    def declares_when_entered(
        self, game: Game, faction: Faction, mover: Faction, forces: Forces, source: Area | None, target: Area
    ) -> Flow:
        territory = board.territory_of(target)
        came_from = board.territory_of(source) if source else None
        if came_from == territory:
            return
        before = _tokens(game, mover, territory) > forces.total
        if mover == faction:
            advisors = came_from is not None and _advisors(game, came_from)
            yield from _arrive(game, faction, territory, advisors=advisors, residents=before)
        elif _is_entered(game, faction, mover, territory, newcomer=not before):
            yield from _ask_to_flip(game, faction, territory)

    def advisor_came(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        """Make the newly arrived token an advisor, unless Bene Gesserit fighters are already there (FAQ.BG.10,
        FAQ.BG.13)."""
        if territory == NOBODYS_TERRITORY or _advisors(game, territory):
            return
        if _tokens(game, faction, territory) > 1:
            game.tell("bg-flip", territory=territory, advisors=False, why="residents")
        elif coexistence.others_in(game, faction, territory):
            game.state.presence[territory] = "coexist"


# --- Checks ----------------------------------------------------------------------------------------------------------


def _advisors(game: Game, territory: TerritoryId) -> bool:
    return game.state.presence.get(territory) in APART


def _tokens(game: Game, faction: Faction, territory: TerritoryId) -> int:
    return sum(game.here(area, faction).total for area in TERRITORIES[territory].areas)


def _may_be_announced(game: Game, faction: Faction) -> list[TerritoryId]:
    presence, flip = game.state.presence, game.moments.flip
    if "coexist" not in presence.values():
        return []
    closed = {NOBODYS_TERRITORY, flip.territory} if flip else {NOBODYS_TERRITORY}
    return [
        there
        for there in coexistence.shared_territories(game, faction)
        if there not in closed and presence.get(there) == "coexist"
    ]


def _no_flip(game: Game, faction: Faction, territory: TerritoryId) -> Refusal | None:
    name = TERRITORIES[territory].name
    if coexistence.stands_with_ally(game, faction, territory):
        return Refusal(f"Your ally is in {name}; your advisors there cannot become fighters.", "flip.beside-an-ally")
    if coexistence.locked_by_storm(game, territory):
        return Refusal(f"{name} is under the storm; your advisors there cannot become fighters.", "flip.under-storm")
    return None


def _is_entered(game: Game, faction: Faction, mover: Faction, territory: TerritoryId, *, newcomer: bool) -> bool:
    """Return whether Bene Gesserit fighters in the territory may flip because other tokens have arrived there
    (FAQ.BG.6, FAQ.BG.14)."""
    if territory == NOBODYS_TERRITORY or faction not in game.state.forces_in(territory) or _advisors(game, territory):
        return False
    if game.state.allied(faction, mover) or not (newcomer or coexistence.REINFORCEMENT_IS_ENTRY(game.rules)):
        return False
    changes_back = coexistence.CHANGES_BACK(game.rules)
    if game.state.presence.get(territory) != "fight" or changes_back == "any":
        return True
    alone_before = newcomer and coexistence.others_in(game, faction, territory) == [mover]
    met = slot_of(game).fought.get(territory, ())
    return alone_before and (changes_back == "alone" or mover not in met)


# --- Flips -----------------------------------------------------------------------------------------------------------


def _arrive(game: Game, faction: Faction, territory: TerritoryId, *, advisors: bool, residents: bool) -> Flow:
    """Decide whether Bene Gesserit tokens that arrive in the territory become advisors or fighters.

    If the Bene Gesserit already have tokens there, the newcomers become the same kind (FAQ.BG.9, FAQ.BG.10). If nobody
    else is there, the newcomers become fighters (FAQ.BG.12). If only other factions are there, advisors may choose, and
    fighters may choose if the rule set says so (FAQ.BG.8, FAQ.BG.11).
    """
    there = _advisors(game, territory)
    if residents:
        if advisors != there:
            game.tell("bg-flip", territory=territory, advisors=there, why="residents")
        return
    if not coexistence.others_in(game, faction, territory):
        if advisors:
            game.tell("bg-flip", territory=territory, advisors=False, why="alone")
        return
    if advisors:
        game.state.presence[territory] = "coexist"
    choice = advisors or coexistence.FIGHTERS_CHOOSE(game.rules)
    if choice and territory != NOBODYS_TERRITORY and not coexistence.stands_with_ally(game, faction, territory):
        yield from _ask_to_flip(game, faction, territory)


def _ask_to_flip(game: Game, faction: Faction, territory: TerritoryId) -> Flow:
    advisors = _advisors(game, territory)
    answers = yield from ask(
        lambda: [_intrusion(game, faction, territory)] if _stands(game, faction, territory) else []
    )
    order = answers.of(faction, territory)
    if isinstance(order, Fight if advisors else Coexist):
        yield from _announce(game, [territory], advisors=not advisors)


def _stands(game: Game, faction: Faction, territory: TerritoryId) -> bool:
    return faction in game.state.forces_in(territory)


def _announce(game: Game, territories: Sequence[TerritoryId], *, advisors: bool) -> Flow:
    """Flip the tokens, all at the same time, unless a Karama stops one of the flips (FAQ.KARAMA-BG.4)."""
    for territory in territories:
        game.tell("bg-flip", territory=territory, advisors=advisors, why="announced")
    for territory in territories:
        yield from _flip(game, territory, advisors=advisors)


def _flip(game: Game, territory: TerritoryId, *, advisors: bool) -> Flow:
    outer, flip = game.moments.flip, FlipMoment(territory, advisors)
    game.moments.flip = flip
    stoppable = karama_can(game.rules, "cancel flip")
    yield from window(game, "flip", lambda: stoppable and not flip.cancelled, territory=territory, advisors=advisors)
    game.moments.flip = outer
    if not flip.cancelled:
        game.state.presence[territory] = "coexist" if advisors else "fight"
        slot_of(game).fought[territory] = list(game.state.forces_in(territory))
    elif not advisors:
        game.state.presence[territory] = "held"


# --- The questions ---------------------------------------------------------------------------------------------------


class FlipQuestion(Question):
    only_refusal = ONLY_BENE_GESSERIT

    def __init__(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        super().__init__(game, faction, subject=territory)
        self._territory = territory

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return TOKENS_FLIP(rules)

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Fight | Coexist) or order.territory != self._territory:
            where = TERRITORIES[self._territory].name
            return Refusal(f"You are asked about your tokens in {where}.", "flip.when-entered")
        return None if isinstance(order, Coexist) == self._are_advisors else self._no_flip

    @property
    def _are_advisors(self) -> bool:
        return _advisors(self.game, self._territory)

    @property
    def _no_flip(self) -> Refusal | None:
        return None

    @property
    def default(self) -> Order:
        apart = coexistence.SILENTLY_APART(self.game.rules)
        if apart is None or self._no_flip:
            apart = self._are_advisors
        return Coexist(self._territory) if apart else Fight(self._territory)

    def samples(self) -> Sequence[Order]:
        both = [Coexist(self._territory), Fight(self._territory)]
        return [order for order in both if self.refusal(order) is None]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "territory": self._territory,
            "others": coexistence.others_in(self.game, self.faction, self._territory),
            "flips": True,
            "advisors": self._are_advisors,
            "silently_apart": isinstance(self.default, Coexist),
        }

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := not_theirs(game, faction, cls):
            return refusal
        return _never_asked(game, faction, order) if isinstance(order, Fight | Coexist) else None


class StatusQuestion(FlipQuestion):
    """Asks, before anybody ships, whether advisors become fighters."""

    kind = "bg-status"

    @property
    def _no_flip(self) -> Refusal | None:
        return _no_flip(self.game, self.faction, self._territory)


class EntryQuestion(FlipQuestion):
    """Asks whether tokens flip, at the instant when others come to Bene Gesserit fighters, or when Bene Gesserit
    advisors come to others."""

    kind = "intrusion"


class RiddenIntoQuestion(EntryQuestion):
    """Asks whether fighters flip, at the instant when worm riders come to them in the spice phase."""


def _intrusion(game: Game, faction: Faction, territory: TerritoryId) -> Question:
    kind = RiddenIntoQuestion if game.state.phase == "spice" else EntryQuestion
    return kind(game, faction, territory)


def _never_asked(game: Game, faction: Faction, order: Fight | Coexist) -> Refusal | None:
    name = TERRITORIES[order.territory].name
    if order.territory == NOBODYS_TERRITORY:
        return Refusal("Nobody fights in the Polar Sink; nothing is announced there.", "flip.types")
    if _advisors(game, order.territory):
        if isinstance(order, Coexist):
            return Refusal(f"Your tokens in {name} are advisors.", "flip.types")
        if coexistence.stands_with_ally(game, faction, order.territory):
            return _no_flip(game, faction, order.territory)
        if coexistence.locked_by_storm(game, order.territory):
            return _no_flip(game, faction, order.territory)
        why = f"Your advisors in {name} can flip only between the nexus and the first shipment; that time is over."
        if game.state.phase == "spice":
            why = f"Your advisors in {name} can flip only between the nexus and the first shipment."
        return Refusal(why, "flip.before-shipment")
    if isinstance(order, Coexist) and order.territory in coexistence.shared_territories(game, faction):
        why = f"Fighters can become advisors only at the instant when somebody comes; in {name} that has passed."
        return Refusal(why, "flip.when-entered")
    return None


FLIP_QUESTIONS: tuple[type[Question], ...] = (StatusQuestion, EntryQuestion)
QUESTIONS_WHEN_RIDDEN: tuple[type[Question], ...] = (RiddenIntoQuestion,)


PRESENCE: Option[coexistence.Presence] = Option(
    "bg_presence_model",
    {"none": coexistence.Presence(), "coexistence": coexistence.Coexistence(), "advisor_fighter": AdvisorFighter()},
)
