"""The storm round (AH.VI, AH.XVI, WBC.VI).

The battle wheels or a marker decide how far the storm moves. The storm cards are played before this distance is known,
or between then and the move (``rules.cards.storm_cards``). The first storm of the game is placed at random. A turn
begins with this round, so last turn's declarations end here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters import occupancy, tech_tokens
from rules.components import Faction, Forces, board, the_faction
from rules.components.board import Area, TerritoryId
from rules.decisions.catalogue import factions_with, play_gap, rules_of, tokens_gone
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, ask
from rules.decisions.windows import karama_can, window
from rules.orders import Order, StormDial
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.events import Facts
from rules.state.game import Game
from rules.state.moments import StormMoment
from rules.state.state import NO_FORCES

CITIES = (TerritoryId("arrakeen"), TerritoryId("carthag"))
FIRST_STORM = range(21)
LATER_STORMS = range(1, 4)

EVERY_STORM_DIALLED = Option("storm_movement", {"dial_1_3": True, "fremen_marker_1_6": False})
DIALLED_WITHOUT_FREMEN = Option("storm_without_fremen", {"dials": True, "marker_hidden": False})


def _path_and_stop(passed: Sequence[int], stop: int) -> set[int]:
    return set(passed)


def _stop_only(passed: Sequence[int], stop: int) -> set[int]:
    """Return only the sector where the storm stops: the first storm is placed rather than moved, so it strikes only
    there (VACA.VI.A-2)."""
    return {stop}


def _nothing(passed: Sequence[int], stop: int) -> set[int]:
    return set()


FIRST_STORM_STRIKES = Option(
    "first_storm_damage", {"path_and_stop": _path_and_stop, "stop_only": _stop_only, "none": _nothing}
)


def flow(game: Game) -> Flow:
    begin_turn(game)
    storm = game.moments.storm = StormMoment()
    yield from play_gap(game, "before the storm's number")
    if storm.distance is None:
        yield from find_distance(game, storm)
    yield from play_gap(game, "before the storm moves")
    move(game, storm.distance or 0)
    game.state.ornithopters = city_holders(game)
    tech_tokens.after_first_storm(game)
    game.tell(
        "order-of-play", order=list(game.order_of_play()), ornithopters=occupancy.ornithopters_told_with_storm(game)
    )
    yield from play_gap(game, "after the storm has moved")
    yield from _time_to_block_the_look(game)
    draw_next_marker(game)


def begin_turn(game: Game) -> None:
    """Mark all current alliances as old, and end last turn's declarations (WBC.XV.10)."""
    game.state.old_alliances = list(game.state.alliances)
    game.state.ridden_to = []
    for faction in factions_with(game, FactionRules.begins_turn):
        rules_of(game, faction).begins_turn(game)


# --- Distance ----------------------------------------------------------------------------------------------------


def _dialled(game: Game) -> bool:
    """Return whether players dial this storm. They always dial the first one (AH.VI.A, AH.XVI.A)."""
    return game.state.turn == 1 or not _markers_drawn(game)


def _markers_drawn(game: Game) -> bool:
    """Return whether markers decide the distances of all storms after the first one (AH.XVI.A, AH.XVI.D)."""
    if EVERY_STORM_DIALLED(game.rules):
        return False
    return bool(watchers(game)) or not DIALLED_WITHOUT_FREMEN(game.rules)


def watchers(game: Game) -> list[Faction]:
    able = factions_with(game, FactionRules.draws_storm_marker)
    return [faction for faction in able if rules_of(game, faction).draws_storm_marker(game)]


def _dial_range(game: Game) -> range:
    return FIRST_STORM if game.state.turn == 1 else LATER_STORMS


def dialers(game: Game) -> list[Faction]:
    """Return the players who dial. For the first storm, they are the players whose dots are nearest to the storm's
    sector on either side. For later storms, they are the two players who last used the battle wheels (AH.VI.A-a,
    AH.VI.B-a)."""
    state = game.state
    if state.storm_dialers:
        return list(state.storm_dialers)
    order = game.order_of_play()
    return list(dict.fromkeys((order[0], order[-1])))


def find_distance(game: Game, storm: StormMoment) -> Flow:
    state = game.state
    if not _dialled(game):
        storm.distance = state.next_storm or game.chance.pick("storm-marker", board.STORM_MARKERS)
        state.next_storm = None
        game.tell("storm-marker", sectors=storm.distance)
        return
    asked = dialers(game)
    numbers = _dial_range(game)
    silent = {faction: numbers[game.chance.draw("storm-dial", len(numbers))] for faction in asked}
    answers = yield from ask(lambda: [StormDialQuestion(game, faction, silent[faction]) for faction in asked])
    dialled = {faction: order.number for faction in asked if isinstance(order := answers.of(faction), StormDial)}
    storm.distance = sum(dialled.values())
    state.storm_dialers = tuple(asked)
    game.tell("storm-dialled", dials=dialled, sectors=storm.distance)


class StormDialQuestion(Question):
    kind = "storm-dial"

    def __init__(self, game: Game, faction: Faction, silent: int) -> None:
        super().__init__(game, faction)
        self._silent = silent

    def refusal(self, order: Order) -> Refusal | None:
        return _number_refusal(self.game, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not _dialled(game):
            return Refusal(
                "The storm is not dialled; the storm marker was drawn last turn.", "storm.marker-instead-of-dials"
            )
        storm = game.moments.storm
        if storm is None or storm.distance is not None:
            return Refusal("The distance of the storm is already known.", "storm.dials-revealed")
        if faction not in dialers(game):
            names = " and ".join(the_faction(dialer) for dialer in dialers(game))
            return Refusal(f"This storm is dialled by {names}.", _dials_topic(game))
        return _number_refusal(game, order)

    @property
    def default(self) -> Order:
        return StormDial(self._silent)

    def samples(self) -> list[StormDial]:
        return [StormDial(number) for number in _dial_range(self.game)]

    @property
    def facts(self) -> Mapping[str, Any]:
        numbers = _dial_range(self.game)
        return {"least": numbers[0], "most": numbers[-1], "dialers": dialers(self.game)}


def _number_refusal(game: Game, order: Order) -> Refusal | None:
    numbers = _dial_range(game)
    if isinstance(order, StormDial) and order.number in numbers:
        return None
    return Refusal(f"Dial a number from {numbers[0]} to {numbers[-1]} for the storm.", _dials_topic(game))


def _dials_topic(game: Game) -> str:
    return "storm.first-dials" if game.state.turn == 1 else "storm.later-dials"


def look_is_blocked(game: Game) -> bool:
    return game.state.sights_blocked.get("storm card") == game.state.turn


def about_to_look(game: Game) -> list[Faction]:
    return watchers(game) if game.state.phase == "storm" and _markers_drawn(game) else []


def _time_to_block_the_look(game: Game) -> Flow:
    # FAQ.KARAMA-FRE.3
    if about_to_look(game) and karama_can(game.rules, "cancel storm card"):
        yield from window(game, "storm-card", lambda: not look_is_blocked(game))


def draw_next_marker(game: Game) -> None:
    """Draw the marker for the next turn's storm. Only the Fremen may look at it (AH.XVI.B, WBC A-05)."""
    if not _markers_drawn(game):
        return
    marker = game.state.next_storm = game.chance.pick("storm-marker", board.STORM_MARKERS)
    unseen = game.state.next_storm_unseen = look_is_blocked(game)
    seen: dict[Faction, Facts] = {faction: {"marker": marker} for faction in watchers(game) if not unseen}
    game.tell("storm-marker-drawn", private=seen, fremen=bool(seen))


# --- The storm moves ---------------------------------------------------------------------------------------------


def move(game: Game, distance: int) -> None:
    """Move the storm counterclockwise. Unprotected tokens and spice are lost wherever it passes or stops (AH.VI.C)."""
    state = game.state
    start = state.storm
    passed = board.sectors_passed(start, distance)
    if passed:
        state.storm = passed[-1]
    game.tell("storm-moved", start=start, sectors=distance, storm=state.storm)
    hit = FIRST_STORM_STRIKES(game.rules)(passed, state.storm) if state.turn == 1 else set(passed)
    _kill_in_the_open(game, hit)
    for area in sorted(area for area in state.spice if board.sector_of(area) in hit):
        game.tell("storm-took-spice", area=area, amount=game.take_spice(area))


def _kill_in_the_open(game: Game, hit: set[int]) -> None:
    state = game.state
    caught: dict[tuple[TerritoryId, Faction], list[Area]] = {}
    for area in sorted(state.forces):
        territory = board.territory_of(area)
        if board.sector_of(area) in hit and not board.sheltered(territory, state.shield_wall):
            for faction in sorted(state.forces[area]):
                caught.setdefault((territory, faction), []).append(area)
    for (territory, faction), areas in caught.items():
        dead = NO_FORCES
        there = {area: game.here(area, faction) for area in areas}
        for area, lost in rules_of(game, faction).storm_losses(game, there).items():
            dead += game.kill(area, faction, lost)
        game.tell("storm-killed", faction=faction, territory=territory, forces=str(dead))
    if caught:
        tokens_gone(game)


def half_of(there: Mapping[Area, Forces]) -> dict[Area, Forces]:
    """Return half of the tokens, counted over all these areas together and rounded up. Ordinary tokens are taken first
    (AH.SHIELD.FRE.7-a)."""
    to_lose = (sum(forces.total for forces in there.values()) + 1) // 2
    ordinary: dict[Area, int] = {}
    elite: dict[Area, int] = {}
    for area, forces in there.items():
        ordinary[area] = min(forces.ordinary, to_lose)
        to_lose -= ordinary[area]
    for area, forces in there.items():
        elite[area] = min(forces.elite, to_lose)
        to_lose -= elite[area]
    return {area: Forces(ordinary[area], elite[area]) for area in there}


def city_holders(game: Game) -> list[Faction]:
    """Return the factions that hold Arrakeen or Carthag, and therefore have ornithopters (WBC.IX.13, WBC.IX.16)."""
    there = {city: game.state.forces_in(city) for city in CITIES}
    return [
        faction
        for faction in game.state.players
        if any(faction in there[city] and rules_of(game, faction).has_ornithopters_of(game, city) for city in CITIES)
    ]


QUESTIONS = (StormDialQuestion,)
