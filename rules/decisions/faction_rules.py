"""What a faction may do that others may not: the hooks by which the chapters reach the rooms of the factions.

Each method is one question that a chapter asks of every faction alike, by the chapter that asks it. What stands here is
the answer of a faction without that advantage; a room in ``rules.factions`` answers otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from rules.components import KARAMA, Card, Faction
from rules.orders import KaramaEffect, QuestionKind
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


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

    # --- collection --------------------------------------------------------------------------------------------------

    # --- victory -----------------------------------------------------------------------------------------------------

    # --- cards -------------------------------------------------------------------------------------------------------

    def serve_as_karama(self, game: Game) -> Collection[Card]:
        """Cards that serve this faction as a Karama beside the Karama itself, for all to know."""
        return ()

    def karama_cards(self, game: Game, hand: Sequence[Card]) -> list[Card]:
        """The cards of this hand that could be played as a Karama; where none is named, the first goes."""
        return [card for card in hand if card == KARAMA]
