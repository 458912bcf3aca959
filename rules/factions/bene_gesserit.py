"""The powers of the Bene Gesserit (AH.SHIELD.BG).

The rule set decides whether their tokens can stand apart from other factions' tokens.
``rules.factions.bene_gesserit_coexistence`` contains the code common to all rule sets, and coexistence as in the 1979
and WBC rules. ``rules.factions.bene_gesserit_advisors`` contains the advisors and fighters of 2019 and the spiritual
advisor.

The prediction (AH.SHIELD.BG.1, WBC.III.2): before the game, the Bene Gesserit write down which other player will win,
and in which turn.

Ornithopters (AH.XV.B.4-e, VACA.IX.C.2.a.i.b, VACA.XV.B.2, WBC.XV.23 to 24): tokens that stand apart in a city never
give them ornithopters. The documents differ on two points. Does a city give them ornithopters in the turn in which
their tokens there stop coexisting? May tokens that stand apart use the ornithopters that other Bene Gesserit tokens
give?
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from rules.chapters import voice_and_prescience
from rules.chapters.battle_plans import cards_named_in_answer
from rules.chapters.setup import MAX_TURNS
from rules.components import Card, Faction, Forces, the_faction
from rules.components.board import Area, TerritoryId
from rules.decisions.catalogue import EarlyAnswer, rules_of
from rules.decisions.early_orders import not_theirs
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, ask_one
from rules.factions import bene_gesserit_advisors, bene_gesserit_coexistence
from rules.factions.bene_gesserit_advisors import PRESENCE
from rules.factions.bene_gesserit_coexistence import PRESUMED_APART
from rules.orders import Coexist, Fight, Order, Predict
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet, worthless_in
from rules.state.game import Game
from rules.state.moments import SlotMoment
from rules.state.state import Prediction


def predict(game: Game, faction: Faction) -> Flow:
    others, turns = _factions_to_predict(game, faction), _turns_to_predict(game)
    if not others or game.state.prediction is not None:
        return
    silent = Predict(game.chance.pick("prediction", others), turns[game.chance.draw("prediction", len(turns))])
    order = yield from ask_one(PredictionQuestion(game, faction, silent))
    if isinstance(order, Predict):
        game.state.prediction = Prediction(order.faction, order.turn)
        game.tell("prediction-made", private={faction: {"faction": order.faction, "of_turn": order.turn}})


class PredictionQuestion(Question):
    kind = "prediction"
    only_refusal = Refusal("Only the Bene Gesserit make a prediction.", "setup.prediction")

    def __init__(self, game: Game, faction: Faction, silent: Predict) -> None:
        super().__init__(game, faction)
        self._silent = silent

    def refusal(self, order: Order) -> Refusal | None:
        return _prediction_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := not_theirs(game, faction, cls):
            return refusal
        if game.state.prediction is not None:
            return Refusal("Your prediction is written down and cannot be changed.", "setup.prediction")
        return _prediction_refusal(game, faction, order)

    @property
    def default(self) -> Order:
        return self._silent

    def samples(self) -> list[Predict]:
        return [
            Predict(other, turn)
            for other in _factions_to_predict(self.game, self.faction)
            for turn in _turns_to_predict(self.game)
        ]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"factions": _factions_to_predict(self.game, self.faction), "turns": MAX_TURNS(self.game.rules)}


def _factions_to_predict(game: Game, faction: Faction) -> list[Faction]:
    return [other for other in game.state.players if other != faction]


def _turns_to_predict(game: Game) -> range:
    return range(1, MAX_TURNS(game.rules) + 1)


def _prediction_refusal(game: Game, faction: Faction, order: Order) -> Refusal | None:
    if not isinstance(order, Predict):
        return Refusal("Name a player and a turn.", "setup.prediction")
    if order.faction == faction:
        return Refusal("You must predict the victory of another player, not your own.", "setup.prediction")
    if not game.plays(order.faction):
        return Refusal(f"Nobody plays {the_faction(order.faction)} in this game.", "setup.prediction")
    last = MAX_TURNS(game.rules)
    if not 1 <= order.turn <= last:
        return Refusal(f"The game has turns 1 to {last}; there is no turn {order.turn}.", "setup.prediction")
    return None


PREDICTION_QUESTIONS = (PredictionQuestion,)


def _not_this_turn(game: Game, city: TerritoryId) -> bool:
    return city not in game.state.coexisted


def _if_alone(game: Game, city: TerritoryId) -> bool:
    """Return whether Bene Gesserit tokens are alone in the city, or are there with others but not presumed to coexist.
    Tokens that are presumed to coexist do so until the Bene Gesserit declare otherwise, and that is possible only in
    the movement round (VACA.XV.B.2)."""
    return len(game.state.forces_in(city)) == 1 or not (PRESUMED_APART(game.rules) or city in game.state.coexisted)


def _at_once(game: Game, city: TerritoryId) -> bool:
    return True


AFTER_COEXISTENCE: Option[Callable[[Game, TerritoryId], bool]] = Option(
    "ornithopter_after_leaving_coexistence", {"no": _not_this_turn, "if_alone": _if_alone, "yes": _at_once}
)
THOSE_APART_FLY = Option("bg_coexisting_may_fly", {"no": False, "yes": True})


def ornithopters_at_once(game: Game, city: TerritoryId) -> bool:
    return AFTER_COEXISTENCE(game.rules)(game, city)


COEXISTING_LEAVE_ROOM_FOR_RIDERS = Option("worm_ride_full_stronghold", {"bg_coexisting_ignored": True, "closed": False})
WORTHLESS_SERVE: Option[bool] = Option("bg_worthless_as_karama", {"no": False, "yes": True})
CHARITY_FROM_TURN: Option[int | None] = Option("bg_charity", {"from_turn_1": 1, "from_turn_2": 2, "no": None})
ENTERS_FULL_STRONGHOLD = Option("bg_enter_full_stronghold", {"coexisting": True, "forbidden": False})
STANDS_BESIDE_ALLIES = Option(
    "bg_beside_ally", {"not_allowed": False, "must_coexist": True, "may_coexist": True, "must_leave": False}
)
STARTS_ANYWHERE = Option("bg_start", {"any_territory": True, "polar_sink": False})


class BeneGesserit(FactionRules):
    # --- decisions of the faction ------------------------------------------------------------------------------------

    own_questions = (
        *PREDICTION_QUESTIONS,
        *bene_gesserit_coexistence.QUESTIONS,
        *bene_gesserit_advisors.FLIP_QUESTIONS,
        *bene_gesserit_advisors.QUESTIONS_WHEN_RIDDEN,
        *bene_gesserit_advisors.ADVISOR_QUESTIONS,
        voice_and_prescience.VoiceQuestion,
    )

    # --- set-up ------------------------------------------------------------------------------------------------------

    def before_traitors(self, game: Game) -> Flow:
        return predict(game, self.faction)  # AH.SHIELD.BG.1

    def starts_anywhere(self, rules: RuleSet) -> bool:
        """Return whether the rule set lets the token of the Bene Gesserit start in any territory (AH.XV.B.1)."""
        return STARTS_ANYWHERE(rules)

    def was_placed(self, game: Game, territory: TerritoryId) -> None:
        """Turn the tokens of the Bene Gesserit into advisors if they start together with other factions, in a rule set
        that has advisors (FAQ.BG.2)."""
        PRESENCE(game.rules).was_placed(game, self.faction, territory)

    # --- storm -------------------------------------------------------------------------------------------------------

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        """Return false for a city in which the Bene Gesserit stand apart from others (WBC.IX.13, WBC.IX.16)."""
        return PRESENCE(game.rules).has_ornithopters_of(game, city)

    # --- spice blow, worms, nexus ------------------------------------------------------------------------------------

    def leaves_room_for_riders(self, game: Game, territory: TerritoryId) -> bool:
        """Return whether worm riders may ignore the Bene Gesserit in this territory, because they coexist there and the
        rule set allows it (WBC.VII.9)."""
        return COEXISTING_LEAVE_ROOM_FOR_RIDERS(game.rules) and self._stood_apart(game, territory)

    def stays_beside_riders(self, game: Game, territory: TerritoryId, rider: Faction) -> bool:
        """Return whether the Bene Gesserit coexist in the territory or will have to. They will if the rider is the only
        other faction there, or if they have coexisted since the last turn (WBC.XV.14 to 16)."""
        if not self.stands_beside_allies(game):
            return False
        others = [faction for faction in game.state.forces_in(territory) if faction not in (rider, self.faction)]
        return not others or self._stood_apart(game, territory)

    def _stood_apart(self, game: Game, territory: TerritoryId) -> bool:
        return PRESENCE(game.rules).stood_apart(game, territory)

    # --- charity -----------------------------------------------------------------------------------------------------

    def always_has_charity(self, game: Game) -> bool:
        """Return whether the Bene Gesserit receive charity however much spice they hold. They do from the second turn
        on (AH.XV.B.2) or from the first (FAQ.DIFF.13), as the rule set says."""
        first = CHARITY_FROM_TURN(game.rules)
        return first is not None and game.state.turn >= first

    # --- shipment and movement ---------------------------------------------------------------------------------------

    def joins_shipment(self, game: Game, slot: SlotMoment) -> Flow:
        return bene_gesserit_advisors.send_advisor(game, slot, self.faction)  # AH.SHIELD.BG.2

    def leaves_shipment(self, game: Game, slot: SlotMoment) -> None:
        bene_gesserit_advisors.take_back_advisor(game, slot, self.faction)

    def flies_at_once(self, game: Game, city: TerritoryId) -> bool:
        """Return false for some cities in which the Bene Gesserit have stopped coexisting this turn (VACA.XV.B.2)."""
        return ornithopters_at_once(game, city)

    def boards(self, game: Game, territory: TerritoryId) -> bool:
        """Return false for tokens that coexist, unless the rule set lets coexisting tokens use ornithopters
        (AH.XV.B.4-e, WBC.XV.23)."""
        return THOSE_APART_FLY(game.rules) or self.is_occupant(game, territory)

    def begins_turn(self, game: Game) -> None:
        PRESENCE(game.rules).begins_turn(game)  # WBC.XV.10

    def declares_before_moves(self, game: Game) -> Flow:
        return PRESENCE(game.rules).declares_before_moves(game, self.faction)  # AH.XV.B.5-a, WBC.IX.2

    def declares_when_met(self, game: Game) -> Flow:
        return PRESENCE(game.rules).declares_when_met(game, self.faction)  # WBC.XV.11

    def declares_when_entered(
        self, game: Game, mover: Faction, forces: Forces, source: Area | None, target: Area
    ) -> Flow:
        """Ask whether tokens of the Bene Gesserit flip, when other tokens arrive or when their own tokens arrive where
        others are (FAQ.BG.6, FAQ.BG.8)."""
        return PRESENCE(game.rules).declares_when_entered(game, self.faction, mover, forces, source, target)

    def notices_departures(self, game: Game) -> None:
        PRESENCE(game.rules).notices_departures(game, self.faction)  # FAQ.BG.7

    def may_coexist(self, game: Game) -> bool:
        return PRESENCE(game.rules).exists  # AH.XV.B.4

    def is_occupant(self, game: Game, territory: TerritoryId) -> bool:
        """Return false where the Bene Gesserit coexist: there they do not help to fill a stronghold, hold it or collect
        spice (AH.XV.B.4-d, -e, -g, WBC.IV.1)."""
        return not PRESENCE(game.rules).stands_apart(game, territory)

    def enters_full_stronghold(self, game: Game, territory: TerritoryId) -> bool:
        """Return whether tokens of the Bene Gesserit could coexist in the stronghold, and may therefore enter it
        although it is full (A-38)."""
        return PRESENCE(game.rules).may_come_apart(game, territory) and ENTERS_FULL_STRONGHOLD(game.rules)

    def stands_beside_allies(self, game: Game) -> bool:
        """Return whether the rule set lets the Bene Gesserit coexist with their ally (WBC.XV.14 to 16)."""
        return STANDS_BESIDE_ALLIES(game.rules)

    def beside_ally_refusal(self, game: Game, territory: TerritoryId, entering: Faction) -> Refusal | None:
        """Refuse a territory in which the Bene Gesserit have declared that they fight other factions (WBC.XV.14,
        WBC.XV.16)."""
        return PRESENCE(game.rules).beside_ally_refusal(game, self.faction, territory, entering)

    # --- battle ------------------------------------------------------------------------------------------------------

    def fights_in(self, game: Game, territory: TerritoryId) -> bool:
        return self.is_occupant(game, territory)  # AH.XV.B.4-c

    def has_voice(self, game: Game) -> bool:
        return True  # AH.SHIELD.BG.3

    # --- victory -----------------------------------------------------------------------------------------------------

    def foresaw_victory(self, game: Game, winners: Collection[Faction]) -> bool:
        prediction = game.state.prediction  # AH.SHIELD.BG.1-c
        return prediction is not None and prediction.faction in winners and prediction.turn == game.state.turn

    # --- cards -------------------------------------------------------------------------------------------------------

    def serve_as_karama(self, game: Game) -> Collection[Card]:
        return worthless_in(game.rules) if WORTHLESS_SERVE(game.rules) else ()  # AH.SHIELD.BG.KARAMA

    def karama_cards(self, game: Game, hand: Sequence[Card]) -> list[Card]:
        """Return the cards that can serve as a Karama: worthless cards come before Karamas, but worthless cards that
        the Bene Gesserit have named in an answer to prescience come last."""
        serve = self.serve_as_karama(game)
        worthless = sorted(card for card in hand if card in serve)
        shown = cards_named_in_answer(game, self.faction) if worthless else ()
        karamas = super().karama_cards(game, hand)
        return [
            *(card for card in worthless if card not in shown),
            *karamas,
            *(card for card in worthless if card in shown),
        ]

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    unnamed_event_kinds = ("advisor", "voice-given", "bg-flip")
    powers_taken_by = ("cancel voice", "cancel advisor", "cancel flip")

    def prediction(self, game: Game) -> Prediction | None:
        return game.state.prediction  # AH.SHIELD.BG.1


def early_refusal(game: Game, faction: Faction, order: Fight | Coexist) -> Refusal | None:
    if not rules_of(game, faction).may_coexist(game):
        return bene_gesserit_coexistence.NOTHING_IS_DECLARED
    return PRESENCE(game.rules).early_refusal(game, faction, order)


def declare_early(game: Game, faction: Faction, order: Fight | Coexist) -> Flow:
    return PRESENCE(game.rules).declares_early(game, faction, order)  # FAQ.BG.4, AH.XV.B.5-a


EARLY_ANSWER = EarlyAnswer(early_refusal, declare_early)
