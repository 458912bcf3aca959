"""The Bene Gesserit in play (AH.SHIELD.BG)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rules.chapters.battle import voice
from rules.chapters.battle.commitment import shown_cards
from rules.components import WORTHLESS, Card, Faction
from rules.components.board import TerritoryId
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.factions.bene_gesserit import prediction
from rules.rulesets.options import Option
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game
from rules.state.state import Prediction

COEXISTING_LEAVE_ROOM_FOR_RIDERS = Option("worm_ride_full_stronghold", {"bg_coexisting_ignored": True, "closed": False})
MUST_COEXIST_WITH_ALLY = Option("bg_beside_ally", {"must_coexist": True, "not_allowed": False})
WORTHLESS_SERVE: Option[Collection[Card]] = Option("bg_worthless_as_karama", {"no": (), "yes": WORTHLESS})
STARTS_ANYWHERE = Option("bg_start", {"any_territory": True, "polar_sink": False})


class BeneGesserit(FactionRules):
    """The rules of the Bene Gesserit."""

    # --- whose business a decision is --------------------------------------------------------------------------------

    own_questions = (prediction.PredictionQuestion, voice.VoiceQuestion)

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

    # --- battle ------------------------------------------------------------------------------------------------------

    def fights_in(self, game: Game, territory: TerritoryId) -> bool:
        """They do not fight where they coexist (AH.XV.B.4-c)."""
        return not game.state.coexisting(territory)

    def has_voice(self, game: Game) -> bool:
        """The Voice (AH.SHIELD.BG.3)."""
        return True

    # --- collection --------------------------------------------------------------------------------------------------

    def occupies(self, game: Game, territory: TerritoryId) -> bool:
        """Not where they coexist: there they collect nothing and hold no stronghold (AH.XV.B.4-g, WBC.IV.1)."""
        return not game.state.coexisting(territory)

    # --- victory -----------------------------------------------------------------------------------------------------

    def foresaw_victory(self, game: Game, winners: Collection[Faction]) -> bool:
        """They named one of the winners and this turn (AH.SHIELD.BG.1-c)."""
        prediction = game.state.prediction
        return prediction is not None and prediction.faction in winners and prediction.turn == game.state.turn

    # --- cards -------------------------------------------------------------------------------------------------------

    def serve_as_karama(self, game: Game) -> Collection[Card]:
        """Worthless cards, where the rule set lets them serve (AH.SHIELD.BG.KARAMA)."""
        return WORTHLESS_SERVE(game.rules)

    def karama_cards(self, game: Game, hand: Sequence[Card]) -> list[Card]:
        """A worthless card goes first; one that they showed to Atreides goes last."""
        serve = self.serve_as_karama(game)
        worthless = sorted(card for card in hand if card in serve)
        shown = shown_cards(game, self.faction) if worthless else ()
        karamas = super().karama_cards(game, hand)
        return [
            *(card for card in worthless if card not in shown),
            *karamas,
            *(card for card in worthless if card in shown),
        ]

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    deeds_told_unnamed = ("advisor", "voice-given")
    powers_taken_by = ("cancel voice", "cancel advisor")

    def prediction(self, game: Game) -> Prediction | None:
        """What they wrote down at the beginning (AH.SHIELD.BG.1)."""
        return game.state.prediction


def _coexist(game: Game, territory: TerritoryId) -> bool:
    """As declared this turn; before they declare, as they ended the last one (WBC.VII.9)."""
    declared = game.state.presence.get(territory)
    return territory in game.state.coexisted if declared is None else declared == "coexist"


OPTIONS = (STARTS_ANYWHERE, COEXISTING_LEAVE_ROOM_FOR_RIDERS, MUST_COEXIST_WITH_ALLY, WORTHLESS_SERVE)
QUESTIONS = prediction.QUESTIONS
