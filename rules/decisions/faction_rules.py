"""What a faction may do that others may not: the hooks by which the chapters reach the rooms of the factions.

Each method is one question that a chapter asks of every faction alike, by the chapter that asks it. What stands here is
the answer of a faction without that advantage; a room in ``rules.factions`` answers otherwise.
"""

from __future__ import annotations

from typing import ClassVar

from rules.components import Faction
from rules.components.board import TerritoryId
from rules.decisions.question import Flow
from rules.orders import KaramaEffect, QuestionKind
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


class FactionRules:
    """The rules of one faction."""

    def __init__(self, faction: Faction) -> None:
        self.faction = faction

    # --- whose business a decision is --------------------------------------------------------------------------------

    own_questions: ClassVar[tuple[tuple[Refusal, tuple[QuestionKind, ...]], ...]] = ()
    """Kinds of decision that only this faction is ever asked for, and what is answered to the others."""

    own_karama: ClassVar[tuple[tuple[Refusal, tuple[KaramaEffect, ...]], ...]] = ()
    """Effects of a Karama that are this faction's alone, and what is answered to the others."""

    # --- set-up ------------------------------------------------------------------------------------------------------

    # --- storm -------------------------------------------------------------------------------------------------------

    # --- spice blow, worms, nexus ------------------------------------------------------------------------------------

    # --- charity -----------------------------------------------------------------------------------------------------

    def always_has_charity(self, game: Game) -> bool:
        """Whether charity is due whatever the faction holds."""
        return False

    # --- bidding -----------------------------------------------------------------------------------------------------

    # --- revival -----------------------------------------------------------------------------------------------------

    # --- shipment and movement ---------------------------------------------------------------------------------------

    # --- battle ------------------------------------------------------------------------------------------------------

    def fights_in(self, game: Game, territory: TerritoryId) -> bool:
        """Whether tokens of the faction in the territory fight the others there."""
        return True

    def has_voice(self, game: Game) -> bool:
        """Whether the faction commands an opponent, its own or its ally's, before anything is foreseen."""
        return False

    def has_prescience(self, game: Game) -> bool:
        """Whether the faction asks for an element of the plan of an opponent, its own or its ally's."""
        return False

    def sees_plans_by_karama(self, game: Game) -> bool:
        """Whether a Karama of the faction may lay a whole plan open."""
        return False

    def has_kwisatz_haderach(self, game: Game) -> bool:
        """Whether the Kwisatz Haderach fights for the faction, once it has come."""
        return False

    def lost_in_battle(self, game: Game, battle: BattleMoment, dead: int) -> None:
        """So many tokens of the faction have died by this battle."""

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        """What a starred token of the faction counts in this battle."""
        return 1

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

    def after_battle(self, game: Game, battle: BattleMoment) -> Flow:
        """What the faction does when a battle, of its own or of others, is resolved."""
        yield from ()

    # --- collection --------------------------------------------------------------------------------------------------

    # --- victory -----------------------------------------------------------------------------------------------------

    # --- cards -------------------------------------------------------------------------------------------------------
