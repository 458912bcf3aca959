"""The special powers of the factions: the hooks through which the chapters reach the modules of the factions.

Each method answers a question that a chapter has about every faction, or lets the faction act. The methods are grouped
by chapter. The base class answers for a faction that has no such power; a class in ``rules.factions`` overrides the
methods for the powers that its faction has.

``Claim`` ranks the claims to win a game whose last turn ends without a winner (AH.SHIELD.FRE.4, AH.SHIELD.GUI.4,
AH.QA.E.3). The options of the special Karama powers determine whether, how often and in which phase a faction may use
its own special power by playing a Karama (AH.XVII.A, FAQ.ADV-KARAMA.6 to 10).
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
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Viewer
from rules.state.game import Game
from rules.state.moments import BattleMoment, Returning, SlotMoment, WormMoment
from rules.state.state import Prediction

TOKEN_PRICE = 2
"""The price of reviving a token (AH.IX.B.2)."""


class FactionRules:
    def __init__(self, faction: Faction) -> None:
        self.faction = faction

    # --- decisions of the faction ------------------------------------------------------------------------------------

    own_questions: ClassVar[tuple[type[Question], ...]] = ()
    """The kinds of questions that are asked only of a faction with this power."""

    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ()
    """The Karama effects that only a faction with this power has."""

    def has_karama_power(self, game: Game, effect: KaramaEffect) -> bool:
        """Return whether a Karama played by the faction may have this effect now. The effect is one that only some
        factions have (AH.XVII.A)."""
        if effect not in self.own_karama or not SPECIAL_KARAMA(game.rules):
            return False
        if self.faction in game.state.special_karamas:
            return False
        return phase_of_special_karama(game.rules, effect) in (None, game.state.phase)

    # --- set-up ------------------------------------------------------------------------------------------------------

    def before_traitors(self, game: Game) -> Iterable[Stop]:
        return ()

    def deals_cards(self, game: Game) -> Iterable[Stop]:
        """Take part in dealing the first treachery cards. A faction that has no cards after this is dealt random
        ones."""
        return ()

    def after_traitors(self, game: Game) -> Iterable[Stop]:
        return ()

    def starts_anywhere(self, rules: RuleSet) -> bool:
        return False

    def was_placed(self, game: Game, territory: TerritoryId) -> None: ...

    # --- storm -------------------------------------------------------------------------------------------------------

    def draws_storm_marker(self, game: Game) -> bool:
        return False

    def storm_losses(self, game: Game, there: Mapping[Area, Forces]) -> Mapping[Area, Forces]:
        return there

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        return True

    # --- spice blow, worms, nexus ------------------------------------------------------------------------------------

    def commands_worms(self, game: Game) -> bool:
        return False

    def place_worm(self, game: Game, worm: WormMoment) -> Iterable[Stop]:
        return ()

    def ride_worm(self, game: Game, worm: WormMoment) -> Iterable[Stop]:
        return ()

    def leaves_room_for_riders(self, game: Game, territory: TerritoryId) -> bool:
        return False

    def stays_beside_riders(self, game: Game, territory: TerritoryId, rider: Faction) -> bool:
        return False

    # --- charity -----------------------------------------------------------------------------------------------------

    def always_has_charity(self, game: Game) -> bool:
        return False

    # --- bidding -----------------------------------------------------------------------------------------------------

    def sees_cards_for_bid(self, game: Game) -> bool:
        return False

    def draws_row(self, game: Game, number: int) -> Iterable[Stop]:
        return ()

    def before_card_up(self, game: Game) -> Iterable[Stop]:
        return ()

    def after_sale(self, game: Game, buyer: Faction, *, bonus_drawn: bool) -> Iterable[Stop]:
        """Act after another faction has bought a card. This is called twice, before and after the buyer's own
        ``after_buying``."""
        return ()

    def is_paid_for_cards(self, game: Game) -> bool:
        return False

    def after_buying(self, game: Game) -> Iterable[Stop]:
        return ()

    # --- revival -----------------------------------------------------------------------------------------------------

    def buys_tokens(self, game: Game) -> bool:
        return True

    def pays_for_revival(self, game: Game) -> bool:
        return False

    token_price: ClassVar[int] = TOKEN_PRICE
    starred_token_price: ClassVar[int] = TOKEN_PRICE

    def revives_one_starred(self, rules: RuleSet) -> bool:
        return True

    def most_tokens_revived(self, game: Game, reviving: Faction) -> int:
        """Return the number of tokens that this faction lets the ``reviving`` faction bring back in a turn, or 0 if
        this faction does not raise the limit."""
        return 0

    def lowers_price_of_revival(self, game: Game, reviving: Faction, price: int, what: Returning) -> int:
        """Return the price that the ``reviving`` faction pays for tokens or leaders once this faction has lowered it.
        ``reviving`` may be this faction itself."""
        return price

    def is_paid_for_revival(self, game: Game, reviving: Faction, payer: Faction) -> bool:
        """Return whether the payment for a revival goes to this faction instead of the bank. ``reviving`` may be this
        faction itself."""
        return False

    def notices_free_revival(self, game: Game, reviving: Faction) -> None: ...

    def notices_karama_revival(self, game: Game, reviving: Faction) -> None: ...

    def stops_of_revival(self, game: Game) -> tuple[Returning, ...]:
        return ()

    def before_revival(self, game: Game) -> Iterable[Stop]:
        return ()

    def before_revival_of(self, game: Game, reviving: Faction) -> Iterable[Stop]:
        return ()

    def beside_revival(self, game: Game, reviving: Collection[Faction]) -> Sequence[Question]:
        return ()

    def price_of_leader(self, game: Game, leader: Leader) -> int | None:
        """Return a leader's special price of revival. None means that the price is the leader's strength, which other
        factions may lower."""
        return None

    def revives_leaders_at_will(self, game: Game) -> bool:
        return False

    def foreign_leaders(self, game: Game) -> Collection[Leader]:
        return ()

    def leaders_out_of_reach(self, game: Game) -> Collection[Leader]:
        return ()

    def foreign_leaders_to_revive(self, game: Game) -> Sequence[Leader]:
        return ()

    def never_revives(self, game: Game, leader: Leader) -> Refusal | None:
        return Refusal(f"{leader} is not one of your leaders.", "revival.leaders")

    def foreign_leader_refusal(self, game: Game, leader: Leader) -> Refusal | None:
        return self.never_revives(game, leader)

    def refusal_of_foreign_leader_beside(self, game: Game, others: Sequence[Leader]) -> Refusal | None:
        return None

    def takes_foreign_leader(self, game: Game, leader: Leader) -> Iterable[Stop]:
        raise NotImplementedError

    def notices_ghola_card(self, game: Game, player: Faction) -> None: ...

    def sees_spice_card(self, game: Game) -> bool:
        return False

    # --- shipment and movement ---------------------------------------------------------------------------------------

    reserves_on_dune: ClassVar[bool] = False
    """True if the reserves are on Dune itself, so that shipping them is not a shipment from off the planet."""

    home_landing: ClassVar[tuple[TerritoryId, ...]] = ()
    """Territories where it is attractive to land reserves even if there is no spice and no stronghold."""

    out_of_storm_topic: ClassVar[str] = "movement.storm"
    """The topic of the rule that keeps tokens of the faction from moving out of the storm."""

    def walks(self, forces: Forces) -> int:
        return FACTION_FACTS[self.faction].move_distance

    far_walk_topic: ClassVar[str] = "movement.far-by-nature"
    """The topic of the rule that lets a group of the faction go more than one territory on foot."""

    far_move_karama: ClassVar[KaramaEffect | None] = None
    """The Karama effect that limits a group of the faction to a single territory, or None if there is none."""

    def flies_when_kept_short(self, rules: RuleSet) -> bool:
        return True

    def landing_refusal(self, game: Game, shipper: Faction, territory: TerritoryId) -> Refusal | None:
        return None

    def flies_at_once(self, game: Game, city: TerritoryId) -> bool:
        return True

    def boards(self, game: Game, territory: TerritoryId) -> bool:
        return True

    def chooses_when_to_go(self, game: Game) -> bool:
        return False

    def ships_every_way(self, game: Game) -> bool:
        return False

    def is_paid_for_shipments(self, game: Game) -> bool:
        return False

    def has_own_help_back(self, game: Game) -> bool:
        """Return whether a faction that is paid for shipments also receives its own contribution to an ally's
        shipment."""
        return True

    def shipping_refusal(self, game: Game, order: Ship, *, on_guild_terms: bool) -> Refusal | None:
        return None

    def lands_free(self, game: Game, order: Ship) -> bool:
        return False

    def lands_in_storm(self, game: Game, order: Ship) -> bool:
        return False

    def joins_shipment(self, game: Game, slot: SlotMoment) -> Iterable[Stop]:
        return ()

    def leaves_shipment(self, game: Game, slot: SlotMoment) -> None: ...

    def acts_before_moving(self, game: Game) -> bool:
        return False

    def begins_turn(self, game: Game) -> None: ...

    def declares_before_moves(self, game: Game) -> Iterable[Stop]:
        return ()

    def declares_when_met(self, game: Game) -> Iterable[Stop]:
        return ()

    def declares_when_entered(
        self, game: Game, mover: Faction, forces: Forces, source: Area | None, target: Area
    ) -> Iterable[Stop]:
        """Declare the status of the faction's tokens at the instant when tokens, its own or another faction's, enter
        the area. A source of None means the reserves. This is called before ``declares_when_met``."""
        return ()

    def notices_departures(self, game: Game) -> None: ...

    def may_coexist(self, game: Game) -> bool:
        """Return whether tokens of the faction can stand apart in a territory, without fighting or holding anything
        there."""
        return False

    def is_occupant(self, game: Game, territory: TerritoryId) -> bool:
        """Return whether tokens of the faction in the territory count, so that they help to fill a stronghold, hold it,
        fight and collect spice."""
        return True

    def enters_full_stronghold(self, game: Game, territory: TerritoryId) -> bool:
        return False

    def stands_beside_allies(self, game: Game) -> bool:
        return False

    def beside_ally_refusal(self, game: Game, territory: TerritoryId, entering: Faction) -> Refusal | None:
        return None

    # --- battle ------------------------------------------------------------------------------------------------------

    def calls_traitors(self, game: Game) -> bool:
        return True

    def worth_of_leader(self, game: Game, leader: Leader, opposing: Leader | None) -> int:
        """Return the battle strength of one of this faction's leaders against the opponent's leader, no matter which
        side uses this faction's leader. ``opposing`` is None if the opponent plays a cheap hero or nobody."""
        return leader_strength(leader)

    def pay_for_traitor(self, game: Game, leader: Leader, opposing: Leader | None) -> int:
        return self.worth_of_leader(game, leader, opposing)

    def fights_in(self, game: Game, territory: TerritoryId) -> bool:
        return True

    def has_voice(self, game: Game) -> bool:
        return False

    def has_prescience(self, game: Game) -> bool:
        return False

    def has_kwisatz_haderach(self, game: Game) -> bool:
        return False

    def lost_in_battle(self, game: Game, battle: BattleMoment, dead: int) -> None: ...

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        return 1

    ordinary_counts_half: ClassVar[bool] = False

    def losses_unless_told(self, losses: Sequence[Forces]) -> Forces:
        """Return the losses that the faction suffers by default, out of these possible ones."""
        return losses[0]

    def after_losses(self, game: Game, battle: BattleMoment, lost: Forces) -> Iterable[Stop]:
        return ()

    def supports(self, game: Game, fighter: Faction) -> bool:
        return False

    def lends_support(self, game: Game) -> bool:
        return False

    def betrays_for_allies(self, game: Game) -> bool:
        return False

    def takes_captives(self, game: Game) -> bool:
        return False

    def after_battle(self, game: Game, battle: BattleMoment) -> Iterable[Stop]:
        return ()

    def when_battle_is_over(self, game: Game, battle: BattleMoment) -> Iterable[Stop]:
        return ()

    def sees_face_down_leaders(self, game: Game) -> bool:
        return False

    # --- collection --------------------------------------------------------------------------------------------------

    def carries(self, forces: Forces, rate: int) -> int:
        return rate * forces.total

    def gives_to_allies(self, game: Game) -> bool:
        return False

    # --- visibility --------------------------------------------------------------------------------------------------

    def shown_of(self, game: Game, viewer: Viewer) -> Mapping[str, Any]:
        """Return the facts about things that only this faction has. Any fact that the viewer must not know is None."""
        return {}

    def shown_to_all(self, game: Game, viewer: Viewer) -> Mapping[str, Any]:
        return {}

    # --- the end of a turn -------------------------------------------------------------------------------------------

    def asked_when_turn_ends(self, game: Game) -> Sequence[Question]:
        return ()

    def when_turn_ends(self, game: Game, order: Order | None) -> Iterable[Stop]:
        return ()

    # --- victory -----------------------------------------------------------------------------------------------------

    def foresaw_victory(self, game: Game, winners: Collection[Faction]) -> bool:
        return False

    def claim_to_last_turn(self, game: Game) -> Claim:
        return Claim.NONE

    # --- cards -------------------------------------------------------------------------------------------------------

    def serve_as_karama(self, game: Game) -> Collection[Card]:
        """Return the cards, other than the Karama, that everybody knows this faction may play as a Karama."""
        return ()

    def karama_cards(self, game: Game, hand: Sequence[Card]) -> list[Card]:
        """Return the cards in this hand that can be played as a Karama. By default the first of them is played."""
        return [card for card in hand if card == KARAMA]

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    unnamed_event_kinds: ClassVar[tuple[str, ...]] = ()
    """The kinds of events that report an act of the faction without naming it."""

    powers_taken_by: ClassVar[tuple[KaramaEffect, ...]] = ()
    """The Karama effects that remove a power of the faction, or its gain from one."""

    def face_dancers(self, game: Game) -> Collection[Leader]:
        return ()

    def prediction(self, game: Game) -> Prediction | None:
        return None


class Claim(IntEnum):
    """The rank of a faction's claim to win a game whose last turn ends without a winner. The faction with the highest
    claim wins."""

    NONE = 0
    WHERE_NO_OTHER = 1
    BY_DEFAULT = 2
    EARNED = 3


SPECIAL_KARAMA = switch("karama_special")
SPECIAL_KARAMA_ONCE = Option("karama_special_uses", {"per_card": False, "once_per_game": True})

_WHENEVER: Mapping[KaramaEffect, PhaseName] = {}
_OWN_PHASES: Mapping[KaramaEffect, PhaseName] = {
    "worm": "spice",
    "take cards": "bidding",
    "revive": "revival",
    "stop shipment": "movement",
    "see plan": "battle",
    "stop revival": "revival",
    "hms": "movement",
}
SPECIAL_KARAMA_PHASES = Option(
    "karama_special_window", {"any_time": _WHENEVER, "wbc_windows": _WHENEVER, "own_phase_only": _OWN_PHASES}
)
"""The phase in which each special power may be used. A power without an entry may be used whenever there is something
to use it on (FAQ.ADV-KARAMA.6 to 10)."""
SPECIAL_REVIVAL_PHASE: Option[PhaseName | None] = Option(
    "emperor_karama_window", {"any_time": None, "revival_phase": "revival"}
)


def phase_of_special_karama(rules: RuleSet, effect: KaramaEffect) -> PhaseName | None:
    only = SPECIAL_KARAMA_PHASES(rules).get(effect)
    return SPECIAL_REVIVAL_PHASE(rules) if only is None and effect == "revive" else only
