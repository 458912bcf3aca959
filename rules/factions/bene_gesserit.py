"""The Bene Gesserit in play (AH.SHIELD.BG)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rules.chapters.battle.commitment import shown_cards
from rules.components import WORTHLESS, Card
from rules.decisions.faction_rules import FactionRules
from rules.rulesets.options import Option
from rules.state.game import Game

WORTHLESS_SERVE: Option[Collection[Card]] = Option("bg_worthless_as_karama", {"no": (), "yes": WORTHLESS})


class BeneGesserit(FactionRules):
    """The rules of the Bene Gesserit."""

    # --- charity -----------------------------------------------------------------------------------------------------

    def always_has_charity(self, game: Game) -> bool:
        """Charity whatever they hold, from the second turn on (AH.XV.B.2)."""
        return game.rules.bg_charity == "from_turn_2" and game.state.turn >= 2

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


OPTIONS = (WORTHLESS_SERVE,)
