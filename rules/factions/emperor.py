"""The Emperor in play (AH.SHIELD.EMP)."""

from __future__ import annotations

from typing import ClassVar

from rules.decisions.faction_rules import FactionRules
from rules.orders import KaramaEffect
from rules.rulesets.options import Option, number
from rules.state.game import Game
from rules.state.moments import BattleMoment

SARDAUKAR_AGAINST_FREMEN_ALLY = number("sardaukar_vs_fremen_ally", range(1, 3), usual=2)

PAYS_FOR_REVIVAL = Option("emperor_ally_revival", {"gift_within_limit": False, "plus_three_paid": True})


class Emperor(FactionRules):
    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("revive",)
    powers_taken_by = ("cancel sardaukar",)

    def is_paid_for_cards(self, game: Game) -> bool:
        """Receive payment at once, even of the Emperor's own gifts; the bank is paid for their own cards
        (AH.SHIELD.EMP.1, WBC.VIII.8 to 12)."""
        return True

    def pays_for_revival(self, game: Game) -> bool:
        """Pay for up to three tokens of an ally beyond the limit, where the rule set allows it (FAQ.TLEILAXU.16)."""
        return PAYS_FOR_REVIVAL(game.rules)

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        """Count Sardaukar as two, against the Fremen as one (AH.SHIELD.EMP.2, A-61)."""
        opponent = battle.opponent(self.faction)
        if opponent == "fremen" or "sardaukar" in battle.cancelled:
            return 1
        return SARDAUKAR_AGAINST_FREMEN_ALLY(game.rules) if game.state.allied("fremen", opponent) else 2

    def gives_to_allies(self, game: Game) -> bool:
        """Give for their cards, revival and shipment, or at any time (AH.SHIELD.EMP.ALLY-a, WBC.HR.5d)."""
        return True
