"""The Bene Gesserit in play (AH.SHIELD.BG)."""

from __future__ import annotations

from rules.components.board import TerritoryId
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.factions.bene_gesserit.prediction import predict
from rules.rulesets.options import Option
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game

STARTS_ANYWHERE = Option("bg_start", {"any_territory": True, "polar_sink": False})


class BeneGesserit(FactionRules):
    """The rules of the Bene Gesserit."""

    # --- set-up ------------------------------------------------------------------------------------------------------

    def before_traitors(self, game: Game) -> Flow:
        """They write down their prediction (AH.SHIELD.BG.1)."""
        return predict(game, self.faction)

    def starts_anywhere(self, rules: RuleSet) -> bool:
        """Their token goes to any territory, where the rule set has it (AH.XV.B.1)."""
        return STARTS_ANYWHERE(rules)

    # --- storm -------------------------------------------------------------------------------------------------------

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        """Not where they share the city and ended the last turn coexisting (WBC.IX.13, WBC.IX.16)."""
        return city not in game.state.coexisted or len(game.state.forces_in(city)) == 1

    # --- charity -----------------------------------------------------------------------------------------------------

    def always_has_charity(self, game: Game) -> bool:
        """Charity whatever they hold, from the second turn on (AH.XV.B.2)."""
        return game.rules.bg_charity == "from_turn_2" and game.state.turn >= 2


OPTIONS = (STARTS_ANYWHERE,)
