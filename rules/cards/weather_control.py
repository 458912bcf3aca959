"""Weather Control: its player says how far the storm goes, instead of dials or marker (AH.AID.TIMED.2, WBC.VI.2)."""

from __future__ import annotations

from typing import NamedTuple

from rules.cards.storm_card import StormCardQuestion, allowed, ask_for
from rules.components import Card, Faction
from rules.decisions.question import Flow
from rules.orders import NoStormCards, Order, WeatherControl
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

REACH = 10
"""How many sectors the storm may be sent at most."""


class Window(NamedTuple):
    """When the card may be played: before the number of the storm is known, after it, or both."""

    before: bool
    after: bool


WINDOW = Option(
    "weather_control_window",
    {"before_reveal": Window(True, False), "after_reveal": Window(False, True), "either": Window(True, True)},
)


def before_number(game: Game) -> Flow:
    """Where the rule set has it before the number of the storm is known."""
    window = WINDOW(game.rules)
    if window.before:
        yield from _ask(game, last=not window.after)


def after_number(game: Game) -> Flow:
    """Where the rule set has it after the number is known."""
    if WINDOW(game.rules).after:
        yield from _ask(game, last=True)


def _ask(game: Game, *, last: bool) -> Flow:
    answers = yield from ask_for(game, WeatherControlQuestion, last=last)
    for faction in game.order_of_play():
        order = answers.of(faction)
        if isinstance(order, WeatherControl):
            play(game, faction, order)


def play(game: Game, faction: Faction, order: WeatherControl) -> None:
    """The card is discarded, and the storm goes as far as its player says."""
    storm = game.moments.storm
    assert storm is not None
    game.discard(faction, WeatherControlQuestion.card)
    storm.distance = order.sectors
    game.tell("weather-control", faction=faction, sectors=order.sectors)


class WeatherControlQuestion(StormCardQuestion):
    """How far do you send the storm, if you hold Weather Control?"""

    takes = (NoStormCards, WeatherControl)
    card = Card("Weather Control")
    time_over = Refusal("The time for Weather Control is over this turn.", "storm.weather-control")

    @classmethod
    def play_refusal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not isinstance(order, WeatherControl):
            return None
        if not allowed(game):
            return Refusal("Weather Control cannot be played on the first turn.", "storm.weather-control-turn-1")
        if not 0 <= order.sectors <= REACH:
            why = f"Weather Control moves the storm 0 to {REACH} sectors, not {order.sectors}."
            return Refusal(why, "storm.weather-control")
        if not game.holds(faction, cls.card):
            return Refusal("You do not hold Weather Control.", "storm.weather-control")
        return None

    def samples(self) -> list[Order]:
        held = self.game.holds(self.faction, self.card)
        return [NoStormCards(), *(WeatherControl(sectors) for sectors in range(REACH + 1) if held)]


OPTIONS = (WINDOW,)
QUESTIONS = (WeatherControlQuestion,)
