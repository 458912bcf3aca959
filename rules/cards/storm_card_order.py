"""In which order the storm cards are played: Weather Control first, or as their holders like (WBC.VI.2, FAQ.STORM.4).

Where they may come in either order, everybody is asked for all of them at once, and again after each play, as one card
may answer the other; what was played takes effect in the order of play, and of one player in the order written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rules.cards import family_atomics, weather_control
from rules.cards.family_atomics import FamilyAtomicsQuestion
from rules.cards.storm_card import StormCardQuestion
from rules.cards.weather_control import WeatherControlQuestion
from rules.components import Faction
from rules.decisions.asking import ask
from rules.decisions.question import Flow, Question
from rules.orders import FamilyAtomics, NoStormCards, Order, WeatherControl
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

AS_PLAYED = Option("storm_card_order", {"weather_first": False, "as_played": True})

CARDS: Mapping[type[Order], type[StormCardQuestion]] = {
    WeatherControl: WeatherControlQuestion,
    FamilyAtomics: FamilyAtomicsQuestion,
}
PLAYS: Mapping[type[Order], Callable[[Game, Faction, Any], None]] = {
    WeatherControl: weather_control.play,
    FamilyAtomics: family_atomics.play,
}


def before_number(game: Game) -> Flow:
    """The gap before the number of the storm is known."""
    if not AS_PLAYED(game.rules):
        yield from weather_control.before_number(game)
        return
    early = weather_control.WINDOW(game.rules).before
    yield from _together(game, [WeatherControl, FamilyAtomics] if early else [FamilyAtomics])
    if not weather_control.WINDOW(game.rules).after:
        _over(game, [WeatherControl])


def before_move(game: Game) -> Flow:
    """The gap between the number and the move."""
    if not AS_PLAYED(game.rules):
        yield from weather_control.after_number(game)
        yield from family_atomics.flow(game)
        return
    late = weather_control.WINDOW(game.rules).after
    yield from _together(game, [WeatherControl, FamilyAtomics] if late else [FamilyAtomics])
    _over(game, [WeatherControl, FamilyAtomics])


def _together(game: Game, forms: Sequence[type[Order]]) -> Flow:
    """Ask everybody for these cards until nobody plays one."""

    def build() -> list[Question]:
        playable = [form for form in forms if CARDS[form].can_be_played(game)]
        return [AnyStormCardQuestion(game, faction, playable) for faction in game.order_of_play() if playable]

    while answers := (yield from ask(build)):
        played = False
        for faction in game.order_of_play():
            for order in _meant(answers.all_of(faction)):
                if CARDS[type(order)].play_refusal(game, faction, order) is None:
                    PLAYS[type(order)](game, faction, order)
                    played = True
        if not played:
            return


def _meant(orders: Sequence[Order]) -> list[Order]:
    """Of several lines the last about each card; "no storm cards" takes back what stands before it."""
    meant: dict[type[Order], Order] = {}
    for order in orders:
        if isinstance(order, NoStormCards):
            meant = {}
        else:
            meant.pop(type(order), None)
            meant[type(order)] = order
    return list(meant.values())


def _over(game: Game, forms: Sequence[type[Order]]) -> None:
    storm = game.moments.storm
    assert storm is not None
    storm.cards_over += [CARDS[form].card for form in forms]


class AnyStormCardQuestion(Question):
    """Do you play any of these cards at this storm?"""

    kind = "storm-cards"
    blanket = True
    many = True

    def __init__(self, game: Game, faction: Faction, forms: Sequence[type[Order]]) -> None:
        super().__init__(game, faction)
        self._forms = forms
        self.takes = (NoStormCards, *forms)

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, NoStormCards):
            return None
        return CARDS[type(order)].play_refusal(self.game, self.faction, order)

    @property
    def default(self) -> Order:
        return NoStormCards()

    def samples(self) -> list[Order]:
        cards = [CARDS[form](self.game, self.faction) for form in self._forms]
        plays = [order for card in cards for order in card.samples() if not isinstance(order, NoStormCards)]
        return [NoStormCards(), *plays]

    @property
    def facts(self) -> Mapping[str, Any]:
        storm = self.game.moments.storm
        names = " or ".join(CARDS[form].card for form in self._forms)
        return {"card": names, "storm": self.game.state.storm, "sectors": storm.distance if storm else None}

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        """Two cards stay beside each other; another number, or nothing at all, replaces."""
        return type(earlier) is not type(later) and not isinstance(later, NoStormCards)


OPTIONS = (AS_PLAYED,)
