"""Several have won who are not allied: they share the game, unless all agree to play another full turn and, if they
like, for a higher number of points (FAQ.OBJECT.1, IT.VICTORY.2, IT.HMS.31).

With five strongholds that cannot be, so it is asked only where an expansion is played. Everybody's answer counts, and
silence ends the game.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from rules.chapters.setup import MAX_TURNS
from rules.components import Faction
from rules.decisions.asking import ask
from rules.decisions.question import Question, Stop
from rules.orders import EndGame, Order, PlayOn
from rules.rulesets.box import expansion_of
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game

MOST_POINTS = 7
"""Six strongholds and a full set of tech tokens."""


def all_agree(game: Game, parties: Sequence[Sequence[Faction]]) -> Generator[Stop, None, bool]:
    """Whether several have won and all agree to play on. False without a question on the last turn."""
    last = game.state.turn >= (game.state.last_turn or MAX_TURNS(game.rules))
    if game.state.expansion is UNSET or len(parties) < 2 or last:
        return False
    winners = [faction for party in parties for faction in party]
    answers = yield from ask(lambda: [PlayOnQuestion(game, faction, winners) for faction in game.order_of_play()])
    orders = [order for _, order in answers.each() if isinstance(order, PlayOn)]
    if len(orders) < len(game.state.players):
        game.tell("played-on", agreed=False, number=0, winners=winners)
        return False
    number = min(order.number or 0 for order in orders)
    game.state.box.victory_number = max(number, game.state.box.victory_number)
    game.tell("played-on", agreed=True, number=number, winners=winners)
    return True


class PlayOnQuestion(Question):
    """Several have won: does the game end, or do you play on?"""

    kind = "play-on"

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return bool(expansion_of(rules))

    def __init__(self, game: Game, faction: Faction, winners: Sequence[Faction]) -> None:
        super().__init__(game, faction)
        self._winners = winners

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, PlayOn) and order.number is not None and not 3 <= order.number <= MOST_POINTS:
            return Refusal(f"A player needs 3 points or more, and there are {MOST_POINTS}.", "victory.play-on")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return Refusal("Nobody has won with others yet.", "victory.play-on")

    @property
    def default(self) -> Order:
        return EndGame()

    def samples(self) -> Sequence[Order]:
        return [EndGame(), PlayOn(), PlayOn(4)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"winners": self._winners}


QUESTIONS: tuple[type[Question], ...] = (PlayOnQuestion,)
