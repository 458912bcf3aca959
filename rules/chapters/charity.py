"""CHOAM charity (AH.VIII.I, AH.XV.B.2): two spice for who has none, before the bidding.

How much spice a player has is secret, so everybody is asked alike, and who is silent takes what is due to them (A-09).
The same stop is the gap before the first card comes up: whoever wants to keep Atreides from looking plays the Karama
here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.components import Faction
from rules.decisions.asking import ask
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import can_do
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import Charity, NoCharity, Order
from rules.rulesets.options import number
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

CHARITY = 2
MOST_SPICE_OF_THE_POOR = number("charity_max_spice", range(6))


def flow(game: Game) -> Flow:
    """The story of the charity."""
    answers = yield from ask(lambda: [CharityQuestion(game, faction) for faction in game.order_of_play()])
    claimed = [faction for faction in game.order_of_play() if isinstance(answers.of(faction), Charity)]
    yield from _time_to_cancel(game, claimed)
    for faction in claimed:
        if _entitled(game, faction):
            game.gain(faction, CHARITY)
            stopped = faction in game.moments.charity_cancelled
            always = not stopped and rules_of(game, faction).always_has_charity(game)
            game.tell("charity", faction=faction, amount=CHARITY, always=always)


def _time_to_cancel(game: Game, claimed: Sequence[Faction]) -> Flow:
    """Who has charity whatever they hold has claimed it, and a Karama may stop that (FAQ.KARAMA-BG.5)."""
    always = next((faction for faction in claimed if rules_of(game, faction).always_has_charity(game)), None)
    if always is not None and can_do(game.rules, "cancel charity"):
        yield from window(game, "charity", lambda: always not in game.moments.charity_cancelled, by=always)


class CharityQuestion(Question):
    """Do you take charity?"""

    kind = "charity"
    blanket = True

    def refusal(self, order: Order) -> Refusal | None:
        return self.refusal_ahead(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, Charity) and not _entitled(game, faction):
            spice = game.player(faction).spice
            return Refusal(f"Charity is for who has no spice; you have {spice}.", "charity.who-is-poor")
        return None

    @property
    def default(self) -> Order:
        return Charity() if _entitled(self.game, self.faction) else NoCharity()

    def samples(self) -> list[Order]:
        return [Charity(), NoCharity()] if _entitled(self.game, self.faction) else [NoCharity()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"spice": self.game.player(self.faction).spice, "entitled": _entitled(self.game, self.faction)}


def _entitled(game: Game, faction: Faction) -> bool:
    stopped = faction in game.moments.charity_cancelled
    always = not stopped and rules_of(game, faction).always_has_charity(game)
    return always or game.player(faction).spice <= MOST_SPICE_OF_THE_POOR(game.rules)


QUESTIONS = (CharityQuestion,)
OPTIONS = (MOST_SPICE_OF_THE_POOR,)
