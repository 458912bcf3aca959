"""The Emperor in play (AH.SHIELD.EMP)."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules
from rules.state.game import Game


class Emperor(FactionRules):
    """The rules of the Emperor."""

    # --- bidding -----------------------------------------------------------------------------------------------------

    def is_paid_for_cards(self, game: Game) -> bool:
        """At once, also what they gave themselves; their own cards are paid to the bank (AH.SHIELD.EMP.1,
        WBC.VIII.8 to 12)."""
        return True
