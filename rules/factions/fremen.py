"""The powers of the Fremen (AH.SHIELD.FRE): among other things, they ride worms and place additional ones.

Riding (AH.SHIELD.FRE.3-b, WBC.VII.5 to 10): all or some of the Fremen tokens in a worm's territory may go to one other
territory, whichever they like. Placing (AH.SHIELD.FRE.6-a, WBC.VII.3, FAQ.DIFF.8): if a blow brings more than one worm,
the Fremen send each additional worm to a territory of their choice. Under the 2019 rules it must be a sand territory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from rules.chapters import battle_strength, occupancy, spice_blow, storm
from rules.chapters.collection import occupants
from rules.chapters.occupancy import in_storm
from rules.components import FREMEN_LANDING, Faction, Forces, board, the_faction
from rules.components.board import POLAR_SINK, TERRITORIES, Area, TerritoryId, territory_of
from rules.decisions.catalogue import rules_of, tokens_gone
from rules.decisions.faction_rules import Claim, FactionRules
from rules.decisions.question import Flow, Question, ask
from rules.orders import FeedAlly, KaramaEffect, NoRide, Order, PlaceWorm, Ride, Ship, SpareAlly
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment, WormMoment

TO_SAND_ONLY = Option("extra_worms", {"ignored": False, "fremen_any_territory": False, "fremen_sand_only": True})
COMMAND_WORMS = Refusal("Only the Fremen can command worms.", "spice-blow.riding")


def place_worm(game: Game, faction: Faction, worm: WormMoment) -> Flow:
    def build() -> list[Question]:
        return [] if faction in worm.unprotected else [WormPlacementQuestion(game, faction, worm)]

    answers = yield from ask(build)
    order = answers.of(faction)
    if isinstance(order, PlaceWorm):
        worm.territory = order.territory
        game.tell("worm-placed", territory=order.territory)


class WormPlacementQuestion(Question):
    """Asks where the worm appears. By default it appears where it would have appeared without the Fremen's choice."""

    kind = "worm-placement"
    only_refusal = COMMAND_WORMS

    def __init__(self, game: Game, faction: Faction, worm: WormMoment) -> None:
        super().__init__(game, faction)
        self._worm = worm

    def refusal(self, order: Order) -> Refusal | None:
        return _place_refusal(self.game, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not rules_of(game, faction).commands_worms(game):
            return cls.only_refusal
        if spice_blow.EXTRA_WORMS_IGNORED(game.rules)(True):
            return Refusal("Additional worms are ignored.", "spice-blow.extra-worms")
        return spice_blow.no_worm_to_come(game) or _place_refusal(game, order)

    @property
    def default(self) -> PlaceWorm:
        return PlaceWorm(self._worm.beneath or _where_nothing_is(self.game))

    def samples(self) -> list[PlaceWorm]:
        state = self.game.state
        tempting = [territory_of(area) for area in (*sorted(state.spice), *sorted(state.forces))]
        orders = [PlaceWorm(territory) for territory in dict.fromkeys([self.default.territory, *tempting])]
        return [order for order in orders if self.refusal(order) is None]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "otherwise": self.default.territory,
            "beneath": self._worm.beneath,
            "sand": TO_SAND_ONLY(self.game.rules),
        }


def _where_nothing_is(game: Game) -> TerritoryId:
    """Return a place where a worm does no harm: the Polar Sink, or sand without spice and tokens."""
    if not TO_SAND_ONLY(game.rules):
        return board.territory_of(POLAR_SINK)
    sand = [territory for territory, facts in TERRITORIES.items() if facts.kind == "sand"]
    taken = {territory_of(area) for area in (*game.state.spice, *game.state.forces)}
    return next((territory for territory in sand if territory not in taken), sand[0])


def _place_refusal(game: Game, order: Order) -> Refusal | None:
    if not isinstance(order, PlaceWorm) or order.territory not in TERRITORIES:
        return Refusal("Name the territory in which the worm appears.", "spice-blow.placing-worms")
    if TO_SAND_ONLY(game.rules) and TERRITORIES[order.territory].kind != "sand":
        name = TERRITORIES[order.territory].name
        return Refusal(f"{name} is not sand; an additional worm can go only to sand.", "spice-blow.worms-to-sand")
    return None


PLACING_QUESTIONS: tuple[type[Question], ...] = (WormPlacementQuestion,)


ALLIES_MAY_BE_FED = Option("worm_ally_protection", {"automatic": False, "fremen_choice": True})
NO_RIDE_OUT_OF_THE_STORM = Option("worm_ride_storm", {"no_entry_or_exit": True, "no_entry": False})


def ride_worm(game: Game, faction: Faction, worm: WormMoment) -> Flow:
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
            yield from occupancy.tokens_arrived(game, faction, order.forces, order.source, order.target)
    tokens_gone(game)


def _may_ride(game: Game, faction: Faction, worm: WormMoment) -> bool:
    return faction not in worm.unprotected and bool(_ridable_areas(game, faction, worm))


def _ridable_areas(game: Game, faction: Faction, worm: WormMoment) -> list[Area]:
    areas = TERRITORIES[worm.territory].areas if worm.territory else ()
    return [area for area in areas if _ridable(game, faction, area)]


def _ridable(game: Game, faction: Faction, area: Area) -> bool:
    return bool(game.here(area, faction)) and not (in_storm(game, area) and NO_RIDE_OUT_OF_THE_STORM(game.rules))


class RideQuestion(Question):
    kind = "worm-ride"
    takes = (Ride, NoRide)
    many = True
    only_refusal = COMMAND_WORMS
    default = NoRide()

    def __init__(self, game: Game, faction: Faction, worm: WormMoment) -> None:
        super().__init__(game, faction)
        self._worm = worm

    def refusal(self, order: Order) -> Refusal | None:
        return None if isinstance(order, NoRide) else _ride_refusal(self.game, self.faction, self._worm, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Accept a ride that is filed during the spice round if a worm may still come. An ally in the target territory
        does not matter yet, because alliances may change before then."""
        if game.state.phase != "spice":
            return Refusal("There is no worm here for you to ride now.", "spice-blow.riding")
        if not rules_of(game, faction).commands_worms(game):
            return cls.only_refusal
        if not isinstance(order, Ride):
            return None
        to_come = None if rules_of(game, faction).has_karama_power(game, "worm") else spice_blow.no_worm_to_come(game)
        return to_come or _tokens_refusal(game, faction, order) or _room_refusal(game, faction, order)

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
    """Return the allies with tokens in the worm's territory, whom the faction can let the worm devour or spare
    (FAQ.ADV-KARAMA.4)."""
    if not ALLIES_MAY_BE_FED(game.rules) or worm.ate or worm.territory is None:
        return []
    if TERRITORIES[worm.territory].kind != "sand":
        return []
    here = game.state.forces_in(worm.territory)
    group = game.state.ally_group(faction)
    return [ally for ally in group if ally != faction and ally in here and ally not in worm.unprotected]


class AllyQuestion(Question):
    """Asks whether the worm spares the tokens of allies. By default it does."""

    kind = "worm-ride"
    takes = (SpareAlly, FeedAlly)
    only_refusal = COMMAND_WORMS
    about = "ally"
    default = SpareAlly()

    def __init__(self, game: Game, faction: Faction, worm: WormMoment) -> None:
        super().__init__(game, faction, self.about)
        self._worm = worm

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        if game.state.phase != "spice":
            return Refusal("There is no worm here now.", "spice-blow.sparing-allies")
        if not rules_of(game, faction).commands_worms(game):
            return cls.only_refusal
        return None if rules_of(game, faction).has_karama_power(game, "worm") else spice_blow.no_worm_to_come(game)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if ALLIES_MAY_BE_FED(game.rules):
            return None
        return Refusal("Worms spare the allies of the Fremen automatically.", "spice-blow.sparing-allies")

    def samples(self) -> list[Order]:
        return [SpareAlly(), FeedAlly()]

    @property
    def facts(self) -> Mapping[str, Any]:
        allies = _edible_allies(self.game, self.faction, self._worm)
        return {"territory": self._worm.territory, "forces": [], "allies": allies}


def _one_of(forces: Forces) -> Forces:
    return Forces(1, 0) if forces.ordinary else Forces(0, 1)


def _ride_refusal(game: Game, faction: Faction, worm: WormMoment, order: Order) -> Refusal | None:
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
    """Refuse to let riders go into the storm, or to a territory that two other factions already fill (WBC.VII.8,
    WBC.VII.9)."""
    goal = territory_of(order.target)
    name = board.area_name(order.target)
    if goal == territory_of(order.source):
        return Refusal(f"{name} is where the worm is; ride to another territory.", "spice-blow.riding")
    if in_storm(game, order.target):
        return Refusal(f"{name} lies in the storm (sector {game.state.storm}).", "spice-blow.riding-into-storm")
    there = [other for other in game.state.forces_in(goal) if other != faction]
    counted = [other for other in there if not rules_of(game, other).leaves_room_for_riders(game, goal)]
    if TERRITORIES[goal].kind == "stronghold" and len(counted) > 1:
        return Refusal(f"{name} is full: {occupancy.names_of_factions(counted)} are there.", "spice-blow.riding")
    if game.moments.battle is not None and game.moments.battle.territory == goal:
        return Refusal(f"A battle has begun in {name}; nobody can join it.", "spice-blow.riding")
    return None


def _allies_refusal(game: Game, faction: Faction, order: Ride) -> Refusal | None:
    """Refuse to let riders go where an ally is, except to the Polar Sink (AH.XII.E.5-a)."""
    goal = territory_of(order.target)
    here = game.state.forces_in(goal)
    for ally in game.state.ally_group(faction):
        if ally == faction or ally not in here or order.target == POLAR_SINK:
            continue
        if not rules_of(game, ally).stays_beside_riders(game, goal, faction):
            name = board.area_name(order.target)
            why = f"Tokens of your ally, {the_faction(ally)}, are in {name}; you cannot enter."
            return Refusal(why, "spice-blow.riding-to-an-ally")
    return None


RIDING_QUESTIONS: tuple[type[Question], ...] = (RideQuestion, AllyQuestion)


HALF_DIES_IN_STORM = Option("fremen_storm_loss", {"all": False, "half_up": True})


def _no_support(game: Game, fremen: Faction, fighter: Faction) -> bool:
    return False


def _own_support(game: Game, fremen: Faction, fighter: Faction) -> bool:
    return fighter == fremen


def _own_and_lent_support(game: Game, fremen: Faction, fighter: Faction) -> bool:
    return fighter == fremen or (game.state.allied(fremen, fighter) and game.state.fremen_support)


FREE_STRENGTH = Option(
    "fremen_support", {"paid": _no_support, "free": _own_support, "free_and_lendable": _own_and_lent_support}
)

CALL_WORMS_IN_THEIR_MOVE = Option(
    "fremen_karama_worm_window", {"any_time": True, "spice_or_own_move": True, "spice_phase": False}
)

SIETCHES = (TerritoryId("sietch-tabr"), TerritoryId("habbanya-ridge-sietch"))
TUEKS_SIETCH = TerritoryId("tueks-sietch")
GREAT_POWERS: frozenset[Faction] = frozenset(("harkonnen", "atreides", "emperor"))
NOBODY: frozenset[Faction] = frozenset()
KEPT_FROM_TUEKS = Option("fremen_special_win_tueks", {"required": GREAT_POWERS, "ignored": NOBODY}, usual="required")
SHIPS_INTO_STORM = Option("fremen_ship_into_storm", {"no": False, "half_loss": True})
Way = Literal["from reserves", "to reserves"]
NO_WAY: frozenset[Way] = frozenset()
FROM_RESERVES: frozenset[Way] = frozenset(("from reserves",))
BOTH_WAYS: frozenset[Way] = frozenset(("from reserves", "to reserves"))
WAYS_WITH_GUILD = Option(
    "fremen_with_guild",
    {"planet_to_planet_only": NO_WAY, "cross_planet_from_reserves": FROM_RESERVES, "any_guild_form": BOTH_WAYS},
)
"""The ways of shipping that an allied Guild opens to the Fremen, in addition to shipments between territories."""
RIDERS_FLY = Option("ornithopter_after_worm_ride", {"yes": True, "no": False})
BUYS_TOKENS = Option("fremen_bought_revival", {"moot": True, "never": False, "to_five_with_tleilaxu": True})
"""True if the Fremen may buy tokens beyond their three free ones when something raises the limit of three."""


class Fremen(FactionRules):
    # --- decisions of the faction ------------------------------------------------------------------------------------

    own_questions = (*PLACING_QUESTIONS, *RIDING_QUESTIONS, battle_strength.SupportQuestion)

    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("worm",)

    # --- storm -------------------------------------------------------------------------------------------------------

    def draws_storm_marker(self, game: Game) -> bool:
        return True  # AH.XVI.B

    def storm_losses(self, game: Game, there: Mapping[Area, Forces]) -> Mapping[Area, Forces]:
        """Return half of the tokens in the territory if the rule set says so, else all of them (AH.SHIELD.FRE.7-a)."""
        return storm.half_of(there) if HALF_DIES_IN_STORM(game.rules) else there

    # --- spice blow, worms, nexus ------------------------------------------------------------------------------------

    def commands_worms(self, game: Game) -> bool:
        """Return true: worms spare the Fremen and their allies (AH.SHIELD.FRE.3-a, WBC.VII.11)."""
        return True

    def place_worm(self, game: Game, worm: WormMoment) -> Flow:
        return place_worm(game, self.faction, worm)  # AH.SHIELD.FRE.6-a

    def ride_worm(self, game: Game, worm: WormMoment) -> Flow:
        """Let the Fremen tokens ride to one other territory, and decide whether the worm spares allies
        (AH.SHIELD.FRE.3-b, FAQ.ADV-KARAMA.4)."""
        return ride_worm(game, self.faction, worm)

    # --- revival -----------------------------------------------------------------------------------------------------

    def buys_tokens(self, game: Game) -> bool:
        """Return whether the Fremen can pay for the revival of tokens. They can only if a rule raises their limit
        (VACA.FAC.FRE.REVIVAL, FAQ.FREMEN.5, IT.OTHERS.2), because their three free tokens already reach the usual limit
        of three."""
        return BUYS_TOKENS(game.rules)

    # --- shipment and movement ---------------------------------------------------------------------------------------

    reserves_on_dune = True
    far_move_karama = "cancel fremen move"
    home_landing = (TerritoryId("the-great-flat"),)
    out_of_storm_topic = "movement.fremen-out-of-storm"

    def shipping_refusal(self, game: Game, order: Ship, *, on_guild_terms: bool) -> Refusal | None:
        """Refuse every shipment from or to the reserves of the Fremen except their own free landing (AH.SHIELD.FRE.2-b,
        WBC.IX.20 to 24, FAQ.FREMEN.6). The rule set may let them ship in the other ways if the Guild is their ally."""
        if order.source is not None and order.target is not None:
            return None
        way: Way = "from reserves" if order.source is None else "to reserves"
        if on_guild_terms and way in WAYS_WITH_GUILD(game.rules):
            return None
        if order.target is None:
            topic = "shipment.fremen-return" if on_guild_terms else "shipment.no-return"
            return Refusal("Fremen cannot go back to their reserves.", topic)
        if not self.lands_free(game, order):
            why = "Fremen reserves can land only on The Great Flat or within two territories of it."
            return Refusal(why, "shipment.fremen-landing")
        return None

    def lands_free(self, game: Game, order: Ship) -> bool:
        """Return whether the shipment goes from the far side of Dune to The Great Flat or to a territory near it
        (AH.SHIELD.FRE.2-a)."""
        return order.source is None and order.target is not None and territory_of(order.target) in FREMEN_LANDING

    def lands_in_storm(self, game: Game, order: Ship) -> bool:
        """Return whether the Fremen may land in the storm, where they lose half of the tokens (AH.SHIELD.FRE.7-b,
        WBC.IX.19)."""
        return self.lands_free(game, order) and SHIPS_INTO_STORM(game.rules)

    def flies_at_once(self, game: Game, city: TerritoryId) -> bool:
        """Return false for a city to which the Fremen have ridden a worm this turn, if the rule set says so
        (WBC.IX.15)."""
        return RIDERS_FLY(game.rules) or city not in game.state.ridden_to or self.faction in game.state.ornithopters

    def acts_before_moving(self, game: Game) -> bool:
        """Return whether the Fremen may call a worm during their own move, by their special Karama
        (AH.SHIELD.FRE.KARAMA, WBC.XVII.18)."""
        return self.has_karama_power(game, "worm") and CALL_WORMS_IN_THEIR_MOVE(game.rules)

    # --- battle ------------------------------------------------------------------------------------------------------

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        """Return two for each Fedaykin, or one if a Karama has cancelled the bonus (AH.AID.ADV.FRE.4-a)."""
        return 1 if "fedaykin" in battle.cancelled else 2

    def supports(self, game: Game, fighter: Faction) -> bool:
        """Return true if the fighter is the Fremen themselves, or an ally whom they have chosen to support (WBC.HR.6a,
        WBC.HR.6c)."""
        return FREE_STRENGTH(game.rules)(game, self.faction, fighter)

    def lends_support(self, game: Game) -> bool:
        """Return whether the Fremen are asked, in each battle of their ally, if they support that ally (WBC.HR.6c)."""
        return FREE_STRENGTH(game.rules) is _own_and_lent_support

    # --- victory -----------------------------------------------------------------------------------------------------

    def claim_to_last_turn(self, game: Game) -> Claim:
        """Return an earned claim if no other faction holds either of the two sietches, and none of the three great
        powers holds Tuek's Sietch.

        Otherwise return the claim that counts only if no other faction has one, as in a game without the Guild
        (AH.SHIELD.FRE.4-a, AH.SHIELD.FRE.4-b, AH.QA.E.3).
        """
        alone = all(set(occupants(game, sietch)) <= {self.faction} for sietch in SIETCHES)
        if alone and KEPT_FROM_TUEKS(game.rules).isdisjoint(occupants(game, TUEKS_SIETCH)):
            return Claim.EARNED
        return Claim.WHERE_NO_OTHER

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    unnamed_event_kinds = ("worm-ridden",)
    powers_taken_by = ("cancel fedaykin", "cancel fremen support")
