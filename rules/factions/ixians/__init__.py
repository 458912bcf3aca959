"""The Ixians in play: Suboids and Cyborgs, the Hidden Mobile Stronghold, and their hand in the auction (IT.SETUP-IX,
IT.HMS, IT.BID, IT.FORCE, IT.IX-KARAMA)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from rules.components import Faction, Forces, faction_name
from rules.components.board import TerritoryId
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, Stop
from rules.factions.ixians import auction_look, exchange, first_cards, mobile_stronghold, redraw, technology
from rules.orders import KaramaEffect, Order
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Viewer
from rules.state.game import Game
from rules.state.moments import BattleMoment

ALLIES_LAND = Option("hms_direct_arrival", {"ixians_only": False, "allies_too": True})
"""Whether allies of its owner may ship into the Hidden Mobile Stronghold too (IT.HMS.17)."""
ONE_CYBORG_A_TURN = Option("cyborg_revival_limit", {"none": False, "one_a_turn": True})
"""Whether only one Cyborg comes back in a turn (IT.FORCE.16)."""
KEPT_ON_FOOT = Option("karama_cyborg_speed", {"leaves_ornithopters": False, "takes_ornithopters": True})
"""Whether the Karama against the speed of Cyborgs takes the three territories by ornithopter too (IT.FORCE.12)."""
NEEDS_FORCE_FOR_KARAMA = Option("karama_hms_needs_force", {"yes": True, "no": False})
"""Whether one of their tokens must be inside for the special Karama too (IT.IX-KARAMA.2)."""

OPTIONS = (
    *first_cards.OPTIONS, *mobile_stronghold.OPTIONS, *technology.OPTIONS, *redraw.OPTIONS, ALLIES_LAND,
    ONE_CYBORG_A_TURN, KEPT_ON_FOOT, NEEDS_FORCE_FOR_KARAMA,
)  # fmt: skip

CYBORG_LOAD = 3
CYBORG_WALK = 2


class Ixians(FactionRules):
    """The rules of the Ixians."""

    # --- whose business a decision is --------------------------------------------------------------------------------

    own_questions = (
        *mobile_stronghold.QUESTIONS,
        first_cards.FirstCardQuestion,
        auction_look.ReturnQuestion,
        technology.TechnologyQuestion,
        exchange.ExchangeQuestion,
    )

    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("hms",)

    # --- set-up ------------------------------------------------------------------------------------------------------

    def deals_cards(self, game: Game) -> Flow:
        """They see the first cards and keep one (IT.SETUP-IX.7)."""
        return first_cards.deal(game, self.faction)

    # --- bidding -----------------------------------------------------------------------------------------------------

    def draws_row(self, game: Game, number: int) -> Flow:
        """They look at one card more than are sold, and put one back (IT.BID.1)."""
        return auction_look.look(game, self.faction, number)

    def before_card_up(self, game: Game) -> Flow:
        """Technology, where the rule set has it (IT.BID.8)."""
        return technology.before_card(game, self.faction)

    def after_sale(self, game: Game, buyer: Faction, *, bonus_drawn: bool) -> Flow:
        """Their ally may exchange the card (IT.BID.12)."""
        return redraw.after_sale(game, self.faction, buyer, bonus_drawn=bonus_drawn)

    # --- revival -----------------------------------------------------------------------------------------------------

    starred_token_price = 3

    def revives_one_starred(self, rules: RuleSet) -> bool:
        """Cyborgs come back like others, unless the rule set limits them (IT.FORCE.16)."""
        return ONE_CYBORG_A_TURN(rules)

    # --- shipment and movement ---------------------------------------------------------------------------------------

    far_walk_topic = "movement.far-with-cyborgs"

    far_move_karama = "cancel cyborg speed"

    def walks(self, forces: Forces) -> int:
        """Two territories where a Cyborg goes with them, else one (IT.FORCE.10)."""
        return CYBORG_WALK if forces.elite else 1

    def flies_when_kept_short(self, rules: RuleSet) -> bool:
        """The Karama leaves them ornithopters, or takes those too (IT.FORCE.12)."""
        return not KEPT_ON_FOOT(rules)

    def landing_refusal(self, game: Game, shipper: Faction, territory: TerritoryId) -> Refusal | None:
        """Nobody else ships into the Hidden Mobile Stronghold (IT.HMS.16, IT.HMS.17)."""
        if territory != mobile_stronghold.TERRITORY:
            return None
        if ALLIES_LAND(game.rules) and game.state.allied(self.faction, shipper):
            return None
        why = f"Only {faction_name(self.faction)} ship into the Hidden Mobile Stronghold; others enter it on foot."
        return Refusal(why, "shipment.mobile-stronghold")

    def acts_before_moving(self, game: Game) -> bool:
        """They may move the stronghold by their special Karama, also with nobody inside where the rule set has it."""
        return self.has_karama_power(game, "hms") and not NEEDS_FORCE_FOR_KARAMA(game.rules)

    # --- battle ------------------------------------------------------------------------------------------------------

    ordinary_counts_half = True

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        """A Cyborg counts two (IT.FORCE.1, IT.FORCE.2)."""
        return 1 if "cyborgs" in battle.cancelled else 2

    def losses_unless_told(self, losses: Sequence[Forces]) -> Forces:
        """The fewest tokens; the exchange then saves Cyborgs (IT.FORCE.5)."""
        return min(losses, key=lambda lost: (lost.total, lost.elite))

    def after_losses(self, game: Game, battle: BattleMoment, lost: Forces) -> Flow:
        """Suboids that live for Cyborgs lost (IT.FORCE.6)."""
        return exchange.after_losses(game, battle, self.faction, lost)

    # --- collection --------------------------------------------------------------------------------------------------

    def carries(self, forces: Forces, rate: int) -> int:
        """A Cyborg carries three always (IT.FORCE.13)."""
        return rate * forces.ordinary + CYBORG_LOAD * forces.elite

    # --- the end of a turn -------------------------------------------------------------------------------------------

    def asked_when_turn_ends(self, game: Game) -> Sequence[Question]:
        """Where the Hidden Mobile Stronghold goes in the next storm phase (IT.ORDER.2)."""
        return mobile_stronghold.questions(game, self.faction)

    def when_turn_ends(self, game: Game, order: Order | None) -> Iterable[Stop]:
        """It stands until then."""
        mobile_stronghold.keep_decision(game, order)
        return ()

    # --- what is seen ------------------------------------------------------------------------------------------------

    def shown_of(self, game: Game, viewer: Viewer) -> Mapping[str, Any]:
        """Whether Technology was used this turn (IT.BID.11)."""
        return {"technology_used": technology.is_used(game)}

    def shown_to_all(self, game: Game, viewer: Viewer) -> Mapping[str, Any]:
        """What all see of the look at the auction, and what they alone know of its cards and of the deck (IT.BID.4,
        IT.BID.5)."""
        moment, knows = game.moments.auction, viewer in (self.faction, "gm")
        known = [{"card": one.card, "where": one.where} for one in game.state.box.deck_known]
        found: dict[str, Any] = {"deck_known": known if knows else None}
        if moment is not None:
            seen = sorted(moment.looked_at) or moment.known
            found["auction"] = {
                "returned": moment.returned, "swapped": moment.swapped, "known": list(seen) if knows else None,
            }  # fmt: skip
        return found

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    powers_taken_by = (
        "cancel auction look", "cancel cyborg speed", "cancel cyborgs", "cancel exchange", "cancel hms move",
        "cancel redraw", "cancel technology",
    )  # fmt: skip
