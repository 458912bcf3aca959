"""The Bene Gesserit in play (AH.SHIELD.BG)."""

from __future__ import annotations

from rules.components import Faction
from rules.components.board import TerritoryId
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.factions.bene_gesserit import prediction
from rules.rulesets.options import Option
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game

COEXISTING_LEAVE_ROOM_FOR_RIDERS = Option("worm_ride_full_stronghold", {"bg_coexisting_ignored": True, "closed": False})
MUST_COEXIST_WITH_ALLY = Option("bg_beside_ally", {"must_coexist": True, "not_allowed": False})
STARTS_ANYWHERE = Option("bg_start", {"any_territory": True, "polar_sink": False})


class BeneGesserit(FactionRules):
    """The rules of the Bene Gesserit."""

    # --- set-up ------------------------------------------------------------------------------------------------------

    def before_traitors(self, game: Game) -> Flow:
        """They write down their prediction (AH.SHIELD.BG.1)."""
        return prediction.predict(game, self.faction)

    def starts_anywhere(self, rules: RuleSet) -> bool:
        """Their token goes to any territory, where the rule set has it (AH.XV.B.1)."""
        return STARTS_ANYWHERE(rules)

    # --- storm -------------------------------------------------------------------------------------------------------

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        """Not where they share the city and ended the last turn coexisting (WBC.IX.13, WBC.IX.16)."""
        return city not in game.state.coexisted or len(game.state.forces_in(city)) == 1

    # --- spice blow, worms, nexus ------------------------------------------------------------------------------------

    def leaves_room_for_riders(self, game: Game, territory: TerritoryId) -> bool:
        """Coexisting they do not count, where the rule set has it (WBC.VII.9)."""
        return COEXISTING_LEAVE_ROOM_FOR_RIDERS(game.rules) and _coexist(game, territory)

    def stays_beside_riders(self, game: Game, territory: TerritoryId, rider: Faction) -> bool:
        """Where they coexist or will have to: alone there, or coexisting since the last turn (WBC.XV.14 to 16)."""
        if not MUST_COEXIST_WITH_ALLY(game.rules):
            return False
        others = [faction for faction in game.state.forces_in(territory) if faction not in (rider, self.faction)]
        return not others or _coexist(game, territory)

    # --- charity -----------------------------------------------------------------------------------------------------

    def always_has_charity(self, game: Game) -> bool:
        """Charity whatever they hold, from the second turn on (AH.XV.B.2)."""
        return game.rules.bg_charity == "from_turn_2" and game.state.turn >= 2


def _coexist(game: Game, territory: TerritoryId) -> bool:
    """As declared this turn; before they declare, as they ended the last one (WBC.VII.9)."""
    declared = game.state.presence.get(territory)
    return territory in game.state.coexisted if declared is None else declared == "coexist"


OPTIONS = (STARTS_ANYWHERE, COEXISTING_LEAVE_ROOM_FOR_RIDERS, MUST_COEXIST_WITH_ALLY)
QUESTIONS = prediction.QUESTIONS
