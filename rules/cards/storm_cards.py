"""The cards of the storm round: Weather Control and Family Atomics.

The holder of such a card is secret, so everybody is asked in the same way as long as the card may be in somebody's
hand.

Weather Control (AH.AID.TIMED.2, WBC.VI.2): its player decides how far the storm moves, in place of the dials or the
marker. Family Atomics (AH.AID.TIMED.5, WBC.VI.3): its player blows up the Shield Wall, after the distance of the storm
is known and before the storm moves.

Order (WBC.VI.2, FAQ.STORM.4): in some rule sets Weather Control must be played first. In others the cards may be played
in any order. Then everybody is asked about both cards at once, and again after each play, because one card may be
played in reply to the other. The cards of different players take effect in the order of play, and the cards of one
player in the order written.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from rules.components import Card, Faction, Forces, board
from rules.components.board import MOBILE_STRONGHOLD, SHIELD_WALL, TERRITORIES, TerritoryId
from rules.decisions.catalogue import tokens_gone
from rules.decisions.question import Answers, Flow, Question, Stop, ask
from rules.orders import FamilyAtomics, NoStormCards, Order, WeatherControl
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game

ON_THE_FIRST_TURN = Option("storm_cards_turn1", {"allowed": True, "forbidden": False})


class StormCardQuestion(Question):
    kind = "storm-cards"
    blanket = True
    card: ClassVar[Card]
    time_over: ClassVar[Refusal]
    default = NoStormCards()

    @classmethod
    def can_be_played(cls, game: Game) -> bool:
        """Return whether, as far as everybody knows, somebody might play the card now: it is neither in the discard
        pile nor out of the game."""
        return (
            storm_cards_allowed(game)
            and cls.card not in game.state.treachery_discard
            and cls.card not in game.state.set_aside
        )

    @classmethod
    def play_refusal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        raise NotImplementedError

    def refusal(self, order: Order) -> Refusal | None:
        return self.play_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        storm = game.moments.storm
        over = storm is None or cls.card in storm.cards_over
        if isinstance(order, NoStormCards):
            none_left = Refusal("No storm card can be played any more this turn.", "storm.family-atomics-time")
            return none_left if over or not storm_cards_allowed(game) else None
        return cls.play_refusal(game, faction, order) or (cls.time_over if over else None)

    @property
    def facts(self) -> Mapping[str, Any]:
        storm = self.game.moments.storm
        return {"card": self.card, "storm": self.game.state.storm, "sectors": storm.distance if storm else None}


def storm_cards_allowed(game: Game) -> bool:
    return game.state.turn > 1 or ON_THE_FIRST_TURN(game.rules)  # WBC.VI.5, WBC.VI.6


def ask_for_storm_card(
    game: Game, question: type[StormCardQuestion], *, last: bool = True
) -> Generator[Stop, None, Answers]:
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


REACH = 10
"""The greatest number of sectors by which Weather Control may move the storm."""


class WeatherControlWindow(NamedTuple):
    """The times at which Weather Control may be played: before the distance of the storm is known, after that, or
    both."""

    before: bool
    after: bool


WEATHER_CONTROL_WINDOW = Option(
    "weather_control_window",
    {
        "before_reveal": WeatherControlWindow(True, False),
        "after_reveal": WeatherControlWindow(False, True),
        "either": WeatherControlWindow(True, True),
    },
)


def weather_control_before_number(game: Game) -> Flow:
    window = WEATHER_CONTROL_WINDOW(game.rules)
    if window.before:
        yield from _ask_weather_control(game, last=not window.after)


def weather_control_after_number(game: Game) -> Flow:
    if WEATHER_CONTROL_WINDOW(game.rules).after:
        yield from _ask_weather_control(game, last=True)


def _ask_weather_control(game: Game, *, last: bool) -> Flow:
    answers = yield from ask_for_storm_card(game, WeatherControlQuestion, last=last)
    for faction in game.order_of_play():
        order = answers.of(faction)
        if isinstance(order, WeatherControl):
            play_weather_control(game, faction, order)


def play_weather_control(game: Game, faction: Faction, order: WeatherControl) -> None:
    storm = game.moments.storm
    assert storm is not None
    game.discard(faction, WeatherControlQuestion.card)
    storm.distance = order.sectors
    game.tell("weather-control", faction=faction, sectors=order.sectors)


class WeatherControlQuestion(StormCardQuestion):
    takes = (NoStormCards, WeatherControl)
    card = Card("Weather Control")
    time_over = Refusal("The time for Weather Control is over this turn.", "storm.weather-control")

    @classmethod
    def play_refusal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not isinstance(order, WeatherControl):
            return None
        if not storm_cards_allowed(game):
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


WEATHER_CONTROL_QUESTIONS = (WeatherControlQuestion,)


AT_THE_WALL: frozenset[TerritoryId] = frozenset(
    board.territory_of(area) for wall in TERRITORIES[SHIELD_WALL].areas for area in (wall, *board.neighbours(wall))
)
"""The Shield Wall and its neighbours, from where Family Atomics can be played (AH.AID.TIMED.5-b)."""


INSIDE_IS_BESIDE = Option("hms_is_beside_wall", {"no": False, "yes": True})
"""True if tokens inside the Hidden Mobile Stronghold count as being in the territory that it points at (IT.HMS.29)."""


def family_atomics_gap(game: Game) -> Flow:
    answers = yield from ask_for_storm_card(game, FamilyAtomicsQuestion)
    for faction in game.order_of_play():
        order = answers.of(faction)
        if isinstance(order, FamilyAtomics):
            play_family_atomics(game, faction, order)


def play_family_atomics(game: Game, faction: Faction, order: FamilyAtomics) -> None:
    destroy_shield_wall(game, faction)


def destroy_shield_wall(game: Game, faction: Faction) -> None:
    """Destroy the Shield Wall: the tokens on it die, it no longer shelters other territories, and the card leaves the
    game (AH.AID.TIMED.5-c to -e)."""
    state = game.state
    game.player(faction).hand.remove(FamilyAtomicsQuestion.card)
    state.set_aside.append(FamilyAtomicsQuestion.card)
    state.shield_wall = False
    dead = {other: str(lost) for other in state.players if (lost := _kill_on_the_wall(game, other))}
    game.tell("family-atomics", faction=faction, dead=dead)
    tokens_gone(game)


def _kill_on_the_wall(game: Game, faction: Faction) -> Forces:
    dead = game.kill_in(SHIELD_WALL, faction)
    return dead + game.kill(MOBILE_STRONGHOLD, faction) if _points_at(game, SHIELD_WALL) else dead


def _at_the_wall(game: Game, faction: Faction) -> bool:
    places = {board.territory_of(area) for area, here in game.state.forces.items() if faction in here}
    inside = board.territory_of(MOBILE_STRONGHOLD) in places
    return not places.isdisjoint(AT_THE_WALL) or (inside and any(_points_at(game, place) for place in AT_THE_WALL))


def _points_at(game: Game, territory: TerritoryId) -> bool:
    door = game.state.door
    return door is not None and INSIDE_IS_BESIDE(game.rules) and board.territory_of(door) == territory


class FamilyAtomicsQuestion(StormCardQuestion):
    takes = (NoStormCards, FamilyAtomics)
    card = Card("Family Atomics")
    time_over = Refusal("The time for Family Atomics is over this turn.", "storm.family-atomics-time")

    @classmethod
    def can_be_played(cls, game: Game) -> bool:
        return super().can_be_played(game) and any(_at_the_wall(game, faction) for faction in game.state.players)

    @classmethod
    def play_refusal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not isinstance(order, FamilyAtomics):
            return None
        if not storm_cards_allowed(game):
            return Refusal("Family Atomics cannot be played on the first turn.", "storm.family-atomics-turn-1")
        if not _at_the_wall(game, faction):
            near = ", ".join(sorted(TERRITORIES[territory].name for territory in AT_THE_WALL))
            return Refusal(f"Family Atomics needs a token of yours in one of: {near}.", "storm.family-atomics-place")
        if not game.holds(faction, cls.card):
            return Refusal("You do not hold Family Atomics.", "storm.family-atomics-time")
        return None

    def samples(self) -> list[Order]:
        playable = self.game.holds(self.faction, self.card) and _at_the_wall(self.game, self.faction)
        return [NoStormCards(), FamilyAtomics()] if playable else [NoStormCards()]


FAMILY_ATOMICS_QUESTIONS = (FamilyAtomicsQuestion,)


AS_PLAYED = Option("storm_card_order", {"weather_first": False, "as_played": True})

STORM_CARDS: Mapping[type[Order], type[StormCardQuestion]] = {
    WeatherControl: WeatherControlQuestion,
    FamilyAtomics: FamilyAtomicsQuestion,
}
STORM_CARD_PLAYS: Mapping[type[Order], Callable[[Game, Faction, Any], None]] = {
    WeatherControl: play_weather_control,
    FamilyAtomics: play_family_atomics,
}


def gap_before_number(game: Game) -> Flow:
    if not AS_PLAYED(game.rules):
        yield from weather_control_before_number(game)
        return
    early = WEATHER_CONTROL_WINDOW(game.rules).before
    yield from _ask_together(game, [WeatherControl, FamilyAtomics] if early else [FamilyAtomics])
    if not WEATHER_CONTROL_WINDOW(game.rules).after:
        _over(game, [WeatherControl])


def gap_before_move(game: Game) -> Flow:
    if not AS_PLAYED(game.rules):
        yield from weather_control_after_number(game)
        yield from family_atomics_gap(game)
        return
    late = WEATHER_CONTROL_WINDOW(game.rules).after
    yield from _ask_together(game, [WeatherControl, FamilyAtomics] if late else [FamilyAtomics])
    _over(game, [WeatherControl, FamilyAtomics])


def _ask_together(game: Game, forms: Sequence[type[Order]]) -> Flow:
    def build() -> list[Question]:
        playable = [form for form in forms if STORM_CARDS[form].can_be_played(game)]
        return [AnyStormCardQuestion(game, faction, playable) for faction in game.order_of_play() if playable]

    while answers := (yield from ask(build)):
        played = False
        for faction in game.order_of_play():
            for order in _meant(answers.all_of(faction)):
                if STORM_CARDS[type(order)].play_refusal(game, faction, order) is None:
                    STORM_CARD_PLAYS[type(order)](game, faction, order)
                    played = True
        if not played:
            return


def _meant(orders: Sequence[Order]) -> list[Order]:
    """Return the last order about each card. A line "no storm cards" withdraws all lines before it."""
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
    storm.cards_over += [STORM_CARDS[form].card for form in forms]


class AnyStormCardQuestion(Question):
    kind = "storm-cards"
    blanket = True
    many = True
    default = NoStormCards()

    def __init__(self, game: Game, faction: Faction, forms: Sequence[type[Order]]) -> None:
        super().__init__(game, faction)
        self._forms = forms
        self.takes = (NoStormCards, *forms)

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, NoStormCards):
            return None
        return STORM_CARDS[type(order)].play_refusal(self.game, self.faction, order)

    def samples(self) -> list[Order]:
        cards = [STORM_CARDS[form](self.game, self.faction) for form in self._forms]
        plays = [order for card in cards for order in card.samples() if not isinstance(order, NoStormCards)]
        return [NoStormCards(), *plays]

    @property
    def facts(self) -> Mapping[str, Any]:
        storm = self.game.moments.storm
        names = " or ".join(STORM_CARDS[form].card for form in self._forms)
        return {"card": names, "storm": self.game.state.storm, "sectors": storm.distance if storm else None}

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        """Return whether both orders apply, as orders about two different cards do. An order about the same card with
        another number, or a pass, replaces the earlier order."""
        return type(earlier) is not type(later) and not isinstance(later, NoStormCards)
