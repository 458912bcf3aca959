"""The Fremen in play (AH.SHIELD.FRE)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from rules.chapters import storm
from rules.chapters.battle import support
from rules.chapters.collection import occupants
from rules.components import FREMEN_LANDING, Faction, Forces
from rules.components.board import Area, TerritoryId, territory_of
from rules.decisions.claim import Claim
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.factions.fremen import placing, riding
from rules.orders import KaramaEffect, Ship
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment, WormMoment

HALF_DIES_IN_STORM = Option("fremen_storm_loss", {"all": False, "half_up": True})


def _none(game: Game, fremen: Faction, fighter: Faction) -> bool:
    return False


def _own(game: Game, fremen: Faction, fighter: Faction) -> bool:
    return fighter == fremen


def _own_and_lent(game: Game, fremen: Faction, fighter: Faction) -> bool:
    return fighter == fremen or (game.state.allied(fremen, fighter) and game.state.fremen_support)


FREE_STRENGTH = Option("fremen_support", {"paid": _none, "free": _own, "free_and_lendable": _own_and_lent})

CALL_WORMS_IN_THEIR_MOVE = Option(
    "fremen_karama_worm_window", {"any_time": True, "spice_or_own_move": True, "spice_phase": False}
)

SIETCHES = (TerritoryId("sietch-tabr"), TerritoryId("habbanya-ridge-sietch"))
TUEKS_SIETCH = TerritoryId("tueks-sietch")
GREAT_POWERS: frozenset[Faction] = frozenset(("harkonnen", "atreides", "emperor"))
NOBODY: frozenset[Faction] = frozenset()
KEPT_FROM_TUEKS = Option("fremen_special_win_tueks", {"required": GREAT_POWERS, "ignored": NOBODY})
SHIPS_INTO_STORM = Option("fremen_ship_into_storm", {"no": False, "half_loss": True})
Way = Literal["from reserves", "to reserves"]
NO_WAY: frozenset[Way] = frozenset()
FROM_RESERVES: frozenset[Way] = frozenset(("from reserves",))
BOTH_WAYS: frozenset[Way] = frozenset(("from reserves", "to reserves"))
WAYS_WITH_GUILD = Option(
    "fremen_with_guild",
    {
        "planet_to_planet_only": NO_WAY,
        "cross_planet_from_reserves": FROM_RESERVES,
        "any_guild_form": BOTH_WAYS,
    },
)
"""What an allied Guild opens to them beside shipments from territory to territory."""
RIDERS_FLY = Option("ornithopter_after_worm_ride", {"yes": True, "no": False})
BUYS_TOKENS = Option("fremen_bought_revival", {"moot": True, "never": False, "to_five_with_tleilaxu": True})
"""Whether they buy tokens back beyond their three free ones, where something raises the limit of three."""

OPTIONS = (
    HALF_DIES_IN_STORM,
    FREE_STRENGTH,
    SHIPS_INTO_STORM,
    WAYS_WITH_GUILD,
    RIDERS_FLY,
    KEPT_FROM_TUEKS,
    CALL_WORMS_IN_THEIR_MOVE,
    *placing.OPTIONS,
    *riding.OPTIONS,
    BUYS_TOKENS,
)


class Fremen(FactionRules):
    """The rules of the Fremen."""

    # --- whose business a decision is --------------------------------------------------------------------------------

    own_questions = (*placing.QUESTIONS, *riding.QUESTIONS, support.SupportQuestion)

    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("worm",)

    # --- storm -------------------------------------------------------------------------------------------------------

    def draws_storm_marker(self, game: Game) -> bool:
        """They draw the marker and alone see it (AH.XVI.B)."""
        return True

    def storm_losses(self, game: Game, there: Mapping[Area, Forces]) -> Mapping[Area, Forces]:
        """Half of those in the territory, where the rule set has it (AH.SHIELD.FRE.7-a)."""
        return storm.half_of(there) if HALF_DIES_IN_STORM(game.rules) else there

    # --- spice blow, worms, nexus ------------------------------------------------------------------------------------

    def commands_worms(self, game: Game) -> bool:
        """They and their allies are not eaten (AH.SHIELD.FRE.3-a, WBC.VII.11)."""
        return True

    def place_worm(self, game: Game, worm: WormMoment) -> Flow:
        """To any territory (AH.SHIELD.FRE.6-a)."""
        return placing.place(game, self.faction, worm)

    def ride_worm(self, game: Game, worm: WormMoment) -> Flow:
        """To any one other territory; and whether it spares their allies (AH.SHIELD.FRE.3-b, FAQ.ADV-KARAMA.4)."""
        return riding.ride(game, self.faction, worm)

    # --- revival -----------------------------------------------------------------------------------------------------

    def buys_tokens(self, game: Game) -> bool:
        """Three come back free, and with them the limit is reached, unless somebody raises it (VACA.FAC.FRE.REVIVAL,
        FAQ.FREMEN.5, IT.OTHERS.2)."""
        return BUYS_TOKENS(game.rules)

    # --- shipment and movement ---------------------------------------------------------------------------------------

    reserves_on_dune = True
    far_move_karama = "cancel fremen move"
    home_landing = (TerritoryId("the-great-flat"),)
    out_of_storm_topic = "movement.fremen-out-of-storm"

    def shipping_refusal(self, game: Game, order: Ship, *, on_guild_terms: bool) -> Refusal | None:
        """Their reserves come in by their own landing alone and nobody goes back, unless the rule set opens such ways
        of a Guild that is allied to them (AH.SHIELD.FRE.2-b, WBC.IX.20 to 24, FAQ.FREMEN.6)."""
        if order.source is not None and order.target is not None:
            return None
        way: Way = "from reserves" if order.source is None else "to reserves"
        if on_guild_terms and way in WAYS_WITH_GUILD(game.rules):
            return None
        if order.target is None:
            topic = "shipment.fremen-return" if on_guild_terms else "shipment.no-return"
            return Refusal("Fremen do not go back to their reserves.", topic)
        if not self.lands_free(game, order):
            why = "Fremen reserves land on The Great Flat or within two territories of it, nowhere else."
            return Refusal(why, "shipment.fremen-landing")
        return None

    def lands_free(self, game: Game, order: Ship) -> bool:
        """From the far side of Dune to The Great Flat or near it (AH.SHIELD.FRE.2-a)."""
        return order.source is None and order.target is not None and territory_of(order.target) in FREMEN_LANDING

    def lands_in_storm(self, game: Game, order: Ship) -> bool:
        """With the loss of half of them, where the rule set has it (AH.SHIELD.FRE.7-b, WBC.IX.19)."""
        return self.lands_free(game, order) and SHIPS_INTO_STORM(game.rules)

    def flies_at_once(self, game: Game, city: TerritoryId) -> bool:
        """Not in the turn in which they have ridden a worm to the city, where the rule set has it (WBC.IX.15)."""
        return RIDERS_FLY(game.rules) or city not in game.state.ridden_to or self.faction in game.state.ornithopters

    def acts_before_moving(self, game: Game) -> bool:
        """They may call a worm by their special Karama (AH.SHIELD.FRE.KARAMA, WBC.XVII.18)."""
        return self.has_karama_power(game, "worm") and CALL_WORMS_IN_THEIR_MOVE(game.rules)

    # --- battle ------------------------------------------------------------------------------------------------------

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        """Fedaykin are worth two (AH.AID.ADV.FRE.4-a)."""
        return 1 if "fedaykin" in battle.cancelled else 2

    def supports(self, game: Game, fighter: Faction) -> bool:
        """They are at full strength without spice, and may let their ally be (WBC.HR.6a, WBC.HR.6c)."""
        return FREE_STRENGTH(game.rules)(game, self.faction, fighter)

    def lends_support(self, game: Game) -> bool:
        """A switch that they may put in each battle of their ally (WBC.HR.6c)."""
        return FREE_STRENGTH(game.rules) is _own_and_lent

    # --- victory -----------------------------------------------------------------------------------------------------

    def claim_to_last_turn(self, game: Game) -> Claim:
        """Earned, if no other faction is in the two sietches and none of the three great powers in Tuek's Sietch. Else
        they win only where nobody has a claim, as the Guild is not played (AH.SHIELD.FRE.4-a, AH.SHIELD.FRE.4-b,
        AH.QA.E.3)."""
        alone = all(set(occupants(game, sietch)) <= {self.faction} for sietch in SIETCHES)
        if alone and KEPT_FROM_TUEKS(game.rules).isdisjoint(occupants(game, TUEKS_SIETCH)):
            return Claim.EARNED
        return Claim.WHERE_NO_OTHER

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    unnamed_event_kinds = ("worm-ridden",)
    powers_taken_by = ("cancel fedaykin", "cancel fremen support")
