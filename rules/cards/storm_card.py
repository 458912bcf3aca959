"""What the cards that are played in the storm round share: when they may be played, and how they are asked for.

Nobody may know who holds the card, so everybody is asked alike while it can be in a hand.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

from rules.components import Card, Faction
from rules.decisions.asking import Answers, ask
from rules.decisions.question import Question, Stop
from rules.orders import NoStormCards, Order
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

ON_THE_FIRST_TURN = Option("storm_cards_turn1", {"allowed": True, "forbidden": False})


class StormCardQuestion(Question):
    """Do you play this card at this storm?"""

    kind = "storm-cards"
    blanket = True
    card: ClassVar[Card]
    time_over: ClassVar[Refusal]

    @classmethod
    def can_be_played(cls, game: Game) -> bool:
        """Whether, by what all can see, anybody might play the card now: it lies neither with the discards nor out of
        the game."""
        return allowed(game) and cls.card not in game.state.treachery_discard and cls.card not in game.state.set_aside

    @classmethod
    def play_refusal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Why the faction cannot play the card in this round; public grounds before the hand.
        None for another order."""
        raise NotImplementedError

    def refusal(self, order: Order) -> Refusal | None:
        return self.play_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        storm = game.moments.storm
        over = storm is None or cls.card in storm.cards_over
        if isinstance(order, NoStormCards):
            none_left = Refusal("No storm card can be played any more this turn.", "storm.family-atomics-time")
            return none_left if over or not allowed(game) else None
        return cls.play_refusal(game, faction, order) or (cls.time_over if over else None)

    @property
    def default(self) -> Order:
        return NoStormCards()

    @property
    def facts(self) -> Mapping[str, Any]:
        storm = self.game.moments.storm
        return {"card": self.card, "storm": self.game.state.storm, "sectors": storm.distance if storm else None}


def allowed(game: Game) -> bool:
    """Whether storm cards may be played this turn (WBC.VI.5, WBC.VI.6)."""
    return game.state.turn > 1 or ON_THE_FIRST_TURN(game.rules)


def ask_for(game: Game, question: type[StormCardQuestion], *, last: bool = True) -> Generator[Stop, None, Answers]:
    """Ask everybody for the card, while it can be played; after the last of its gaps its time is over."""

    def build() -> list[Question]:
        if not question.can_be_played(game):
            return []
        return [question(game, faction) for faction in game.order_of_play()]

    answers = yield from ask(build)
    storm = game.moments.storm
    assert storm is not None
    if last:
        storm.cards_over.append(question.card)
    return answers


OPTIONS = (ON_THE_FIRST_TURN,)
