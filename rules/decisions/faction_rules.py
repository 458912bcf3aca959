"""What a faction may do that others may not: the hooks by which the chapters reach the modules of the factions.

Each method is one question that a chapter asks of every faction alike; the methods are grouped by chapter. The base
class answers for a faction without that advantage; a class in ``rules.factions`` answers otherwise.

``Claim`` ranks the claims to a game whose last turn ends without a winner (AH.SHIELD.FRE.4, AH.SHIELD.GUI.4,
AH.QA.E.3). The options of the special Karama powers say whether, how often and in which phase a Karama has a faction's
special power (AH.XVII.A, FAQ.ADV-KARAMA.6 to 10).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar

from rules.components import FACTION_FACTS, KARAMA, Card, Faction, Forces, Leader, leader_strength
from rules.components.board import Area, TerritoryId
from rules.decisions.question import Question, Stop
from rules.orders import KaramaEffect, Order, PhaseName, Ship
from rules.rulesets.options import Option, switch
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Viewer
from rules.state.game import Game
from rules.state.moments import BattleMoment, Returning, SlotMoment, WormMoment
from rules.state.state import Prediction

TOKEN_PRICE = 2
"""What a token costs to revive (AH.IX.B.2)."""


class FactionRules:
    """The rules of one faction."""

    def __init__(self, faction: Faction) -> None:
        self.faction = faction

    # --- whose business a decision is --------------------------------------------------------------------------------

    own_questions: ClassVar[tuple[type[Question], ...]] = ()
    """Kinds of decision for which only a faction with this power is ever asked."""

    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ()
    """Effects of a Karama that only a faction with this power has."""

    def has_karama_power(self, game: Game, effect: KaramaEffect) -> bool:
        """Whether a Karama of the faction may have this effect now, which is not everybody's (AH.XVII.A)."""
        if effect not in self.own_karama or not SPECIAL_KARAMA(game.rules):
            return False
        if self.faction in game.state.special_karamas:
            return False
        return phase_of_special_karama(game.rules, effect) in (None, game.state.phase)

    # --- set-up ------------------------------------------------------------------------------------------------------

    def before_traitors(self, game: Game) -> Iterable[Stop]:
        """What the faction decides before the traitors are dealt."""
        return ()

    def deals_cards(self, game: Game) -> Iterable[Stop]:
        """The faction has a hand in the deal of the first treachery cards; who has none of them afterwards is dealt
        theirs by chance."""
        return ()

    def after_traitors(self, game: Game) -> Iterable[Stop]:
        """What the faction does with the leaders whom nobody has kept as a traitor."""
        return ()

    def starts_anywhere(self, rules: RuleSet) -> bool:
        """Whether the faction's first tokens stand where it likes, instead of where the board says."""
        return False

    def was_placed(self, game: Game, territory: TerritoryId) -> None:
        """The faction has placed first tokens there."""

    # --- storm -------------------------------------------------------------------------------------------------------

    def draws_storm_marker(self, game: Game) -> bool:
        """Whether the faction draws the marker of the next storm and alone looks at it."""
        return False

    def storm_losses(self, game: Game, there: Mapping[Area, Forces]) -> Mapping[Area, Forces]:
        """Which of the tokens that the storm catches in one territory die."""
        return there

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        """Whether tokens of the faction in the city give ornithopters for this turn."""
        return True

    # --- spice blow, worms, nexus ------------------------------------------------------------------------------------

    def commands_worms(self, game: Game) -> bool:
        """Whether worms obey the faction: they spare it and its allies, and go where it sends them."""
        return False

    def place_worm(self, game: Game, worm: WormMoment) -> Iterable[Stop]:
        """The faction, which commands worms, sends an additional one."""
        return ()

    def ride_worm(self, game: Game, worm: WormMoment) -> Iterable[Stop]:
        """The faction, which commands worms, rides one before it eats."""
        return ()

    def leaves_room_for_riders(self, game: Game, territory: TerritoryId) -> bool:
        """Whether tokens of the faction in a stronghold do not count for its limit where riders arrive."""
        return False

    def stays_beside_riders(self, game: Game, territory: TerritoryId, rider: Faction) -> bool:
        """Whether an allied rider may come where tokens of the faction stand."""
        return False

    # --- charity -----------------------------------------------------------------------------------------------------

    def always_has_charity(self, game: Game) -> bool:
        """Whether charity is due whatever the faction holds."""
        return False

    # --- bidding -----------------------------------------------------------------------------------------------------

    def sees_cards_for_bid(self, game: Game) -> bool:
        """Whether the faction sees a card that comes up before anybody bids on it."""
        return False

    def draws_row(self, game: Game, number: int) -> Iterable[Stop]:
        """The faction draws the row of so many cards that are to be sold, instead of chance alone."""
        return ()

    def before_card_up(self, game: Game) -> Iterable[Stop]:
        """What the faction does about the next card of the row before anybody looks at it or bids."""
        return ()

    def after_sale(self, game: Game, buyer: Faction, *, bonus_drawn: bool) -> Iterable[Stop]:
        """What the faction does when somebody has bought a card; asked before and after what follows the purchase for
        the buyer (``after_buying``)."""
        return ()

    def is_paid_for_cards(self, game: Game) -> bool:
        """Whether what others pay for treachery cards goes to the faction instead of the bank."""
        return False

    def after_buying(self, game: Game) -> Iterable[Stop]:
        """What follows when the faction has bought a treachery card."""
        return ()

    # --- revival -----------------------------------------------------------------------------------------------------

    def buys_tokens(self, game: Game) -> bool:
        """Whether the faction may have more tokens back than its free ones for spice of its own."""
        return True

    def pays_for_revival(self, game: Game) -> bool:
        """Whether the faction may pay for tokens of its allies, beyond the limit of a turn too."""
        return False

    token_price: ClassVar[int] = TOKEN_PRICE
    starred_token_price: ClassVar[int] = TOKEN_PRICE
    """What a token of the faction costs to revive, where it is not free; a starred one."""

    def revives_one_starred(self, rules: RuleSet) -> bool:
        """Whether only one starred token of the faction comes back in a turn."""
        return True

    def most_tokens_revived(self, game: Game, reviving: Faction) -> int:
        """How many tokens of a faction, its own or another, may come back in a turn by this faction's leave, where that
        is more than usual; 0 where it has no say."""
        return 0

    def lowers_price_of_revival(self, game: Game, reviving: Faction, price: int, what: Returning) -> int:
        """What tokens or leaders of a faction, its own or another, cost because of this one, instead of the price."""
        return price

    def is_paid_for_revival(self, game: Game, reviving: Faction, payer: Faction) -> bool:
        """Whether what somebody pays for tokens and leaders of a faction, their own or another's, goes to this one
        instead of the bank."""
        return False

    def notices_free_revival(self, game: Game, reviving: Faction) -> None:
        """A faction, this one or another, has used its free revival."""

    def notices_karama_revival(self, game: Game, reviving: Faction) -> None:
        """A faction, this one or another, has had tokens or a leader back by a special Karama."""

    def stops_of_revival(self, game: Game) -> tuple[Returning, ...]:
        """What of another faction's revival this one's special Karama would stop now."""
        return ()

    def before_revival(self, game: Game) -> Iterable[Stop]:
        """What the faction decides, or lets others ask of it, before anybody's tokens come back."""
        return ()

    def before_revival_of(self, game: Game, reviving: Faction) -> Iterable[Stop]:
        """What the faction decides before the tokens of this one come back, where revival goes one after another."""
        return ()

    def beside_revival(self, game: Game, reviving: Collection[Faction]) -> Sequence[Question]:
        """What is open beside the choice of tokens to revive that these have, because of this faction."""
        return ()

    def price_of_leader(self, game: Game, leader: Leader) -> int | None:
        """What a leader costs this faction to revive where that is not their strength, by which others may make it
        cheaper; None where it is."""
        return None

    def revives_leaders_at_will(self, game: Game) -> bool:
        """Whether the faction may have back any number of its leaders in a turn, whatever others it has."""
        return False

    def foreign_leaders(self, game: Game) -> Collection[Leader]:
        """Leaders of others who are in this faction's service for good, alive or dead."""
        return ()

    def leaders_out_of_reach(self, game: Game) -> Collection[Leader]:
        """Those of them who count for their own faction as if they were no more."""
        return ()

    def foreign_leaders_to_revive(self, game: Game) -> Sequence[Leader]:
        """Dead leaders of others whom the faction may bring back into its own service now."""
        return ()

    def never_revives(self, game: Game, leader: Leader) -> Refusal | None:
        """Why the faction brings back this leader of another in no position; None where it may."""
        return Refusal(f"{leader} is not a leader of yours.", "revival.leaders")

    def foreign_leader_refusal(self, game: Game, leader: Leader) -> Refusal | None:
        """Why the faction cannot bring back this leader of another now, or None."""
        return self.never_revives(game, leader)

    def refusal_of_foreign_leader_beside(self, game: Game, others: Sequence[Leader]) -> Refusal | None:
        """Why no leader of another can come into the faction's service beside these who come back, or None."""
        return None

    def takes_foreign_leader(self, game: Game, leader: Leader) -> Iterable[Stop]:
        """The faction brings back a leader of another into its own service."""
        raise NotImplementedError

    def notices_ghola_card(self, game: Game, player: Faction) -> None:
        """Somebody, this faction or another, has played a Tleilaxu Ghola."""

    def sees_spice_card(self, game: Game) -> bool:
        """Whether the faction looks at the next spice card before anybody ships."""
        return False

    # --- shipment and movement ---------------------------------------------------------------------------------------

    reserves_on_dune: ClassVar[bool] = False
    """Whether the reserves wait on Dune itself, so that shipping them is no business of those off the planet."""

    home_landing: ClassVar[tuple[TerritoryId, ...]] = ()
    """Where reserves may be worth landing though there is neither spice nor a stronghold."""

    out_of_storm_topic: ClassVar[str] = "movement.storm"
    """The rule by which tokens of the faction do not move out of the storm."""

    def walks(self, forces: Forces) -> int:
        """How many territories a group of these tokens goes without ornithopters."""
        return FACTION_FACTS[self.faction].move_distance

    far_walk_topic: ClassVar[str] = "movement.far-by-nature"
    """The rule by which a group of the faction goes more than one territory by itself."""

    far_move_karama: ClassVar[KaramaEffect | None] = None
    """The effect of a Karama that keeps a group of the faction to a single territory; None where none does."""

    def flies_when_kept_short(self, rules: RuleSet) -> bool:
        """Whether the faction may still use ornithopters under that Karama (``far_move_karama``)."""
        return True

    def landing_refusal(self, game: Game, shipper: Faction, territory: TerritoryId) -> Refusal | None:
        """Why another faction may not ship into the territory, as it is this faction's own."""
        return None

    def flies_at_once(self, game: Game, city: TerritoryId) -> bool:
        """Whether tokens of the faction in the city, if they count there, give ornithopters in this very turn."""
        return True

    def boards(self, game: Game, territory: TerritoryId) -> bool:
        """Whether tokens of the faction that stand there go by ornithopter, where the faction has ornithopters."""
        return True

    def chooses_when_to_go(self, game: Game) -> bool:
        """Whether the faction takes its slot when it likes instead of in the order of play."""
        return False

    def ships_every_way(self, game: Game) -> bool:
        """Whether the faction, and so its allies, ships across Dune and back to the reserves too, at half the price."""
        return False

    def is_paid_for_shipments(self, game: Game) -> bool:
        """Whether what others pay for shipments goes to the faction instead of the bank."""
        return False

    def has_own_help_back(self, game: Game) -> bool:
        """Whether the faction, if it is paid for shipments, gets back its own help with an ally's price."""
        return True

    def shipping_refusal(self, game: Game, order: Ship, *, on_guild_terms: bool) -> Refusal | None:
        """Why this faction in particular does not ship that way."""
        return None

    def lands_free(self, game: Game, order: Ship) -> bool:
        """Whether the shipment is of a kind for which the faction pays nothing."""
        return False

    def lands_in_storm(self, game: Game, order: Ship) -> bool:
        """Whether the shipment may go into the storm."""
        return False

    def joins_shipment(self, game: Game, slot: SlotMoment) -> Iterable[Stop]:
        """What the faction sends along with the shipment of this slot."""
        return ()

    def leaves_shipment(self, game: Game, slot: SlotMoment) -> None:
        """What the faction sent along goes back, as it was cancelled or the shipment was stopped."""

    def acts_before_moving(self, game: Game) -> bool:
        """Whether the faction's time to move has something for it even where it has no token on Dune."""
        return False

    def begins_turn(self, game: Game) -> None:
        """What of the last turn's declarations is still true when a turn begins."""

    def declares_before_moves(self, game: Game) -> Iterable[Stop]:
        """What the faction declares of its tokens before anybody ships or moves."""
        return ()

    def declares_when_met(self, game: Game) -> Iterable[Stop]:
        """What the faction declares of its tokens when tokens have come or gone; called after each such change."""
        return ()

    def declares_when_entered(
        self, game: Game, mover: Faction, forces: Forces, source: Area | None, target: Area
    ) -> Iterable[Stop]:
        """What the faction declares of its tokens as these come to the area, its own or another's; None as source is
        from the reserves. Asked at the instant, before ``declares_when_met``."""
        return ()

    def notices_departures(self, game: Game) -> None:
        """Tokens have left the board or their place, so that the faction's may be alone now."""

    def may_coexist(self, game: Game) -> bool:
        """Whether tokens of the faction can stand apart from others in a territory, fighting nobody and holding
        nothing."""
        return False

    def is_occupant(self, game: Game, territory: TerritoryId) -> bool:
        """Whether tokens of the faction in the territory count: fill a stronghold, hold it, fight, collect."""
        return True

    def enters_full_stronghold(self, game: Game, territory: TerritoryId) -> bool:
        """Whether the faction may enter a stronghold that is full for others."""
        return False

    def stands_beside_allies(self, game: Game) -> bool:
        """Whether tokens of the faction and of its allies may stand in one territory."""
        return False

    def beside_ally_refusal(self, game: Game, territory: TerritoryId, entering: Faction) -> Refusal | None:
        """Why, of the faction and its ally who may stand together, this one may not join the other there."""
        return None

    # --- battle ------------------------------------------------------------------------------------------------------

    def calls_traitors(self, game: Game) -> bool:
        """Whether the faction ever has a leader of others in its pay."""
        return True

    def worth_of_leader(self, game: Game, leader: Leader, opposing: Leader | None) -> int:
        """What a leader of the faction counts in battle, whoever uses them, against the leader whom the opponent has
        shown; None is a cheap hero, or nobody."""
        return leader_strength(leader)

    def pay_for_traitor(self, game: Game, leader: Leader, opposing: Leader | None) -> int:
        """What is paid for a leader of the faction who betrays, to the fighter with the opposing leader."""
        return self.worth_of_leader(game, leader, opposing)

    def fights_in(self, game: Game, territory: TerritoryId) -> bool:
        """Whether tokens of the faction in the territory fight the others there."""
        return True

    def has_voice(self, game: Game) -> bool:
        """Whether the faction commands an opponent, its own or its ally's, before anything is foreseen."""
        return False

    def has_prescience(self, game: Game) -> bool:
        """Whether the faction asks for an element of the plan of an opponent, its own or its ally's."""
        return False

    def has_kwisatz_haderach(self, game: Game) -> bool:
        """Whether the Kwisatz Haderach fights for the faction, once it has come."""
        return False

    def lost_in_battle(self, game: Game, battle: BattleMoment, dead: int) -> None:
        """So many tokens of the faction have died by this battle."""

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        """What a starred token of the faction counts in this battle."""
        return 1

    ordinary_counts_half: ClassVar[bool] = False
    """Whether an ordinary token counts a half in every battle, whatever spice stands behind it."""

    def losses_unless_told(self, losses: Sequence[Forces]) -> Forces:
        """Which of these possible losses the faction takes if its player says nothing. There is at least one."""
        return losses[0]

    def after_losses(self, game: Game, battle: BattleMoment, lost: Forces) -> Iterable[Stop]:
        """What the faction, which has won a battle, does about the tokens that it has lost there."""
        return ()

    def supports(self, game: Game, fighter: Faction) -> bool:
        """Whether the fighter, the faction itself or an ally, is at full strength without spice by this faction."""
        return False

    def lends_support(self, game: Game) -> bool:
        """Whether the faction decides in its ally's battles if the ally is at full strength without spice."""
        return False

    def betrays_for_allies(self, game: Game) -> bool:
        """Whether the faction's traitors count against the opponents of its allies too."""
        return False

    def takes_captives(self, game: Game) -> bool:
        """Whether the faction takes leaders of those whom it has beaten."""
        return False

    def after_battle(self, game: Game, battle: BattleMoment) -> Iterable[Stop]:
        """What the faction does when a battle, of its own or of others, is resolved."""
        return ()

    def when_battle_is_over(self, game: Game, battle: BattleMoment) -> Iterable[Stop]:
        """What the faction does when a battle, of its own or of others, is finished in every respect."""
        return ()

    def sees_face_down_leaders(self, game: Game) -> bool:
        """Whether the faction may look who lies face down in the tanks."""
        return False

    # --- collection --------------------------------------------------------------------------------------------------

    def carries(self, forces: Forces, rate: int) -> int:
        """How much spice these tokens carry where each of other factions carries ``rate``."""
        return rate * forces.total

    def gives_to_allies(self, game: Game) -> bool:
        """Whether the faction may give spice to an ally without waiting for the collection round."""
        return False

    # --- what is seen ------------------------------------------------------------------------------------------------

    def shown_of(self, game: Game, viewer: Viewer) -> Mapping[str, Any]:
        """What a viewer sees of the faction besides what they see of every player; None for what they may not know."""
        return {}

    def shown_to_all(self, game: Game, viewer: Viewer) -> Mapping[str, Any]:
        """What the faction's powers add to what a viewer sees of the table; None for what they may not know."""
        return {}

    # --- the end of a turn -------------------------------------------------------------------------------------------

    def asked_when_turn_ends(self, game: Game) -> Sequence[Question]:
        """What the faction decides when a turn has ended and nobody has won; all are asked together."""
        return ()

    def when_turn_ends(self, game: Game, order: Order | None) -> Iterable[Stop]:
        """What comes of it, in the order of play; None is given where nothing was asked."""
        return ()

    # --- victory -----------------------------------------------------------------------------------------------------

    def foresaw_victory(self, game: Game, winners: Collection[Faction]) -> bool:
        """Whether the faction has foreseen that one of these wins now, and so wins alone."""
        return False

    def claim_to_last_turn(self, game: Game) -> Claim:
        """How good the faction's claim is to a win at the end of the last turn, where nobody has won."""
        return Claim.NONE

    # --- cards -------------------------------------------------------------------------------------------------------

    def serve_as_karama(self, game: Game) -> Collection[Card]:
        """Cards that serve this faction as a Karama beside the Karama itself, for all to know."""
        return ()

    def karama_cards(self, game: Game, hand: Sequence[Card]) -> list[Card]:
        """The cards of this hand that could be played as a Karama; where none is named, the first goes."""
        return [card for card in hand if card == KARAMA]

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    unnamed_event_kinds: ClassVar[tuple[str, ...]] = ()
    """Kinds of events that tell of something the faction does without naming it."""

    powers_taken_by: ClassVar[tuple[KaramaEffect, ...]] = ()
    """Effects of a Karama that take away a power of the faction, or what it gains by one."""

    def face_dancers(self, game: Game) -> Collection[Leader]:
        """The leaders who are the faction's face dancers, shown or not."""
        return ()

    def prediction(self, game: Game) -> Prediction | None:
        """Who the faction has predicted to win, and when."""
        return None


class Claim(IntEnum):
    """How good a faction's claim is to win when the last turn ends without a winner; the best one wins."""

    NONE = 0
    WHERE_NO_OTHER = 1
    BY_DEFAULT = 2
    EARNED = 3


SPECIAL_KARAMA = switch("karama_special")
SPECIAL_KARAMA_ONCE = Option("karama_special_uses", {"per_card": False, "once_per_game": True})

_WHENEVER: Mapping[KaramaEffect, PhaseName] = {}
_OWN_PHASES: Mapping[KaramaEffect, PhaseName] = {
    "worm": "spice", "take cards": "bidding", "revive": "revival", "stop shipment": "movement", "see plan": "battle",
    "stop revival": "revival",
    "hms": "movement",
}  # fmt: skip
SPECIAL_KARAMA_PHASES = Option(
    "karama_special_window", {"any_time": _WHENEVER, "wbc_windows": _WHENEVER, "own_phase_only": _OWN_PHASES}
)
"""The phase to which each special power is held; what is not named is played whenever there is something that it can
touch (FAQ.ADV-KARAMA.6 to 10)."""
SPECIAL_REVIVAL_PHASE: Option[PhaseName | None] = Option(
    "emperor_karama_window", {"any_time": None, "revival_phase": "revival"}
)

SPECIAL_KARAMA_OPTIONS = (SPECIAL_KARAMA, SPECIAL_KARAMA_ONCE, SPECIAL_KARAMA_PHASES, SPECIAL_REVIVAL_PHASE)


def phase_of_special_karama(rules: RuleSet, effect: KaramaEffect) -> PhaseName | None:
    """The only phase in which this special power is played; None where it is not held to one."""
    only = SPECIAL_KARAMA_PHASES(rules).get(effect)
    return SPECIAL_REVIVAL_PHASE(rules) if only is None and effect == "revive" else only
