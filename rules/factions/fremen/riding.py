"""Riding a worm: Fremen tokens at it may go to any one other territory, together or only some of them
(AH.SHIELD.FRE.3-b, WBC.VII.5 to 10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.chapters.movement import entering
from rules.chapters.spice_blow import worms
from rules.components import Faction, Forces, board, faction_name
from rules.components.board import POLAR_SINK, TERRITORIES, Area, TerritoryId, territory_of
from rules.decisions.asking import ask
from rules.decisions.catalogue import rules_of
from rules.decisions.departures import tokens_gone
from rules.decisions.question import Flow, Question
from rules.decisions.under_storm import in_storm
from rules.factions.fremen.placing import COMMAND_WORMS
from rules.orders import FeedAlly, NoRide, Order, Ride, SpareAlly
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import WormMoment

ALLIES_MAY_BE_FED = Option("worm_ally_protection", {"automatic": False, "fremen_choice": True})
NO_RIDE_OUT_OF_THE_STORM = Option("worm_ride_storm", {"no_entry_or_exit": True, "no_entry": False})


def ride(game: Game, faction: Faction, worm: WormMoment) -> Flow:
    """Ask who rides, and whether allies are spared. Lines of one answer that do not fit together are dropped."""

    def build() -> list[Question]:
        questions: list[Question] = []
        if not worm.ridden_later and _may_ride(game, faction, worm):
            questions.append(RideQuestion(game, faction, worm))
        if _edible_allies(game, faction, worm):
            questions.append(AllyQuestion(game, faction, worm))
        return questions

    answers = yield from ask(build)
    if isinstance(answers.of(faction, AllyQuestion.about), FeedAlly):
        worm.fed = _edible_allies(game, faction, worm)
        game.tell("allies-fed", faction=faction, allies=list(worm.fed), territory=worm.territory)
    goal: TerritoryId | None = None
    for order in answers.all_of(faction):
        if isinstance(order, Ride):
            if _ride_refusal(game, faction, worm, order) or goal not in (None, territory_of(order.target)):
                game.tell("ride-dropped", audience=[faction], forces=str(order.forces), source=order.source)
                continue
            goal = territory_of(order.target)
            game.shift(faction, order.forces, order.source, order.target)
            game.state.ridden_to.append(goal)
            game.tell("worm-ridden", forces=str(order.forces), source=order.source, target=order.target)
            yield from entering.arrived(game, faction, order.forces, order.source, order.target)
    tokens_gone(game)


def _may_ride(game: Game, faction: Faction, worm: WormMoment) -> bool:
    return faction not in worm.unprotected and bool(_ridable_areas(game, faction, worm))


def _ridable_areas(game: Game, faction: Faction, worm: WormMoment) -> list[Area]:
    areas = TERRITORIES[worm.territory].areas if worm.territory else ()
    return [area for area in areas if _ridable(game, faction, area)]


def _ridable(game: Game, faction: Faction, area: Area) -> bool:
    return bool(game.here(area, faction)) and not (in_storm(game, area) and NO_RIDE_OUT_OF_THE_STORM(game.rules))


class RideQuestion(Question):
    """Who rides the worm, and where to?"""

    kind = "worm-ride"
    takes = (Ride, NoRide)
    many = True
    only_refusal = COMMAND_WORMS

    def __init__(self, game: Game, faction: Faction, worm: WormMoment) -> None:
        super().__init__(game, faction)
        self._worm = worm

    def refusal(self, order: Order) -> Refusal | None:
        return None if isinstance(order, NoRide) else _ride_refusal(self.game, self.faction, self._worm, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """A worm may still be called in the spice round; alliances may change before it comes."""
        if game.state.phase != "spice":
            return Refusal("There is no worm here to be ridden now.", "spice-blow.riding")
        if not rules_of(game, faction).commands_worms(game):
            return cls.only_refusal
        if not isinstance(order, Ride):
            return None
        to_come = None if rules_of(game, faction).has_karama_power(game, "worm") else worms.none_to_come(game)
        return to_come or _tokens_refusal(game, faction, order) or _room_refusal(game, faction, order)

    @property
    def default(self) -> Order:
        return NoRide()

    def samples(self) -> list[Order]:
        game, faction = self.game, self.faction
        strongholds = [TERRITORIES[stronghold].areas[0] for stronghold in game.strongholds()]
        rides = [
            Ride(forces, area, goal)
            for area in _ridable_areas(game, faction, self._worm)
            for forces in dict.fromkeys((game.here(area, faction), _one_of(game.here(area, faction))))
            for goal in (*strongholds, *game.state.spice)
        ]
        return [NoRide(), *(order for order in rides if self.refusal(order) is None)]

    @property
    def facts(self) -> Mapping[str, Any]:
        areas = _ridable_areas(self.game, self.faction, self._worm)
        return {
            "territory": self._worm.territory,
            "forces": [[str(self.game.here(area, self.faction)), area] for area in areas],
            "allies": [],
        }


def _edible_allies(game: Game, faction: Faction, worm: WormMoment) -> list[Faction]:
    """The allies whom the worm will spare, or not, as the faction likes (FAQ.ADV-KARAMA.4)."""
    if not ALLIES_MAY_BE_FED(game.rules) or worm.ate or worm.territory is None:
        return []
    if TERRITORIES[worm.territory].kind != "sand":
        return []
    here = game.state.forces_in(worm.territory)
    group = game.state.ally_group(faction)
    return [ally for ally in group if ally != faction and ally in here and ally not in worm.unprotected]


class AllyQuestion(Question):
    """Does the worm spare your allies? Of silent players it does."""

    kind = "worm-ride"
    takes = (SpareAlly, FeedAlly)
    only_refusal = COMMAND_WORMS
    about = "ally"

    def __init__(self, game: Game, faction: Faction, worm: WormMoment) -> None:
        super().__init__(game, faction, self.about)
        self._worm = worm

    def refusal(self, order: Order) -> Refusal | None:
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Alliances may change before a worm comes."""
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        if game.state.phase != "spice":
            return Refusal("There is no worm here now.", "spice-blow.sparing-allies")
        if not rules_of(game, faction).commands_worms(game):
            return cls.only_refusal
        return None if rules_of(game, faction).has_karama_power(game, "worm") else worms.none_to_come(game)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if ALLIES_MAY_BE_FED(game.rules):
            return None
        return Refusal("Worms spare the allies of the Fremen by themselves.", "spice-blow.sparing-allies")

    @property
    def default(self) -> Order:
        return SpareAlly()

    def samples(self) -> list[Order]:
        return [SpareAlly(), FeedAlly()]

    @property
    def facts(self) -> Mapping[str, Any]:
        allies = _edible_allies(self.game, self.faction, self._worm)
        return {"territory": self._worm.territory, "forces": [], "allies": allies}


def _one_of(forces: Forces) -> Forces:
    return Forces(1, 0) if forces.ordinary else Forces(0, 1)


def _ride_refusal(game: Game, faction: Faction, worm: WormMoment, order: Order) -> Refusal | None:
    """Why these tokens cannot ride this worm to that area."""
    if not isinstance(order, Ride):
        return Refusal("Say who rides, from where and to where.", "spice-blow.riding")
    if worm.territory is None or territory_of(order.source) != worm.territory:
        where = TERRITORIES[worm.territory].name if worm.territory else "nowhere"
        return Refusal(f"The worm is in {where}; only tokens there can ride it.", "spice-blow.riding")
    return (
        _tokens_refusal(game, faction, order)
        or _room_refusal(game, faction, order)
        or _allies_refusal(game, faction, order)
    )


def _tokens_refusal(game: Game, faction: Faction, order: Ride) -> Refusal | None:
    here = game.here(order.source, faction)
    name = board.area_name(order.source)
    if not order.forces or not here.covers(order.forces):
        reason = f"You have {here.in_words} in {name}, so {order.forces} cannot ride from there."
        return Refusal(reason, "spice-blow.riding")
    if not _ridable(game, faction, order.source):
        return Refusal(f"{name} lies in the storm; riders cannot leave it.", "spice-blow.riding-out-of-storm")
    return None


def _room_refusal(game: Game, faction: Faction, order: Ride) -> Refusal | None:
    """Storm and the limit of two others where the riders arrive (WBC.VII.8, WBC.VII.9)."""
    goal = territory_of(order.target)
    name = board.area_name(order.target)
    if goal == territory_of(order.source):
        return Refusal(f"{name} is where the worm is; ride to another territory.", "spice-blow.riding")
    if in_storm(game, order.target):
        return Refusal(f"{name} lies in the storm (sector {game.state.storm}).", "spice-blow.riding-into-storm")
    there = [other for other in game.state.forces_in(goal) if other != faction]
    counted = [other for other in there if not rules_of(game, other).leaves_room_for_riders(game, goal)]
    if TERRITORIES[goal].kind == "stronghold" and len(counted) > 1:
        return Refusal(f"{name} is full: {entering.names_of(counted)} are there.", "spice-blow.riding")
    if game.moments.battle is not None and game.moments.battle.territory == goal:
        return Refusal(f"A battle has begun in {name}; nobody joins it.", "spice-blow.riding")
    return None


def _allies_refusal(game: Game, faction: Faction, order: Ride) -> Refusal | None:
    """Nobody enters where an ally stands, but in the Polar Sink (AH.XII.E.5-a)."""
    goal = territory_of(order.target)
    here = game.state.forces_in(goal)
    for ally in game.state.ally_group(faction):
        if ally == faction or ally not in here or order.target == POLAR_SINK:
            continue
        if not rules_of(game, ally).stays_beside_riders(game, goal, faction):
            name = board.area_name(order.target)
            why = f"Your ally {faction_name(ally)} stands in {name}; you may not enter."
            return Refusal(why, "spice-blow.riding-to-an-ally")
    return None


OPTIONS = (NO_RIDE_OUT_OF_THE_STORM, ALLIES_MAY_BE_FED)
QUESTIONS: tuple[type[Question], ...] = (RideQuestion, AllyQuestion)
