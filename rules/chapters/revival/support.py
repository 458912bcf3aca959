"""What is asked of a helper about the revival of an ally (FAQ.TLEILAXU.16): how much of their spice may be spent on it.

It stands beside the ally's own question, and nobody waits for the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.revival.costs import MOST_BY_A_HELPER, helper, spendable
from rules.components import Faction
from rules.decisions.catalogue import factions_with
from rules.decisions.faction_rules import TOKEN_PRICE, FactionRules
from rules.decisions.question import Question
from rules.orders import Order, Support
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


class RevivalSupportQuestion(Question):
    """How much of your spice may your ally spend on revival?"""

    kind = "ally-support"
    beside = True
    leads_on = True

    def __init__(self, game: Game, faction: Faction, reviving: Faction) -> None:
        super().__init__(game, faction, subject=reviving)
        self._reviving = reviving

    @property
    def _spice(self) -> int:
        """What may be pledged: all that is not pledged to another ally."""
        return spendable(self.game, self.faction, beside=self._reviving)

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Support) or 0 <= order.amount <= self._spice:
            return None
        return Refusal(f"You have {self._spice} spice to help with.", "revival.extra")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if faction in factions_with(game, FactionRules.is_paid_for_revival):
            return Refusal("You are paid for the revival of others, and pay for nobody's.", "revival.pays-for-nobody")
        return Refusal("Your spice pays for no revival of an ally now.", "revival.extra")

    @property
    def default(self) -> Order:
        return Support(0)

    def samples(self) -> Sequence[Order]:
        price = MOST_BY_A_HELPER * TOKEN_PRICE
        return [Support(amount) for amount in sorted({0, min(TOKEN_PRICE, self._spice), min(price, self._spice)})]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"buyer": self._reviving, "purpose": "revival", "spice": self._spice}


def support_questions(game: Game, reviving: Sequence[Faction]) -> list[Question]:
    """The question to each helper of one of these who has tokens to bring back, as all can see."""
    if not game.state.alliances:
        return []
    found: list[Question] = []
    for faction in reviving:
        ally = helper(game, faction) if game.player(faction).tanks else None
        if ally:
            found.append(RevivalSupportQuestion(game, ally, faction))
    return found
