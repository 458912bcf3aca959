"""The storm round (AH.VI, AH.XVI, AH.AID.TIMED.2 and 5, WBC.VI).

How far the storm goes is dialled on the battle wheels or stands on a marker; Weather Control replaces that number.
Then Family Atomics may blow up the Shield Wall, and only then the storm moves. The first storm of the game is placed at
random. A turn begins here, so what was declared in the last one becomes history here.
"""

from __future__ import annotations

from rules.components import FACTIONS, Card, Faction, Forces, board, faction_name
from rules.components.board import SHIELD_WALL, TERRITORIES, Area, TerritoryId
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.orders import FamilyAtomics, NoStormCards, Order, StormDial, WeatherControl
from rules.rulesets.refusal import Refusal
from rules.state.events import Facts
from rules.state.game import Game
from rules.state.moments import StormMoment
from rules.state.state import NONE

WEATHER_CONTROL = Card("Weather Control")
FAMILY_ATOMICS = Card("Family Atomics")
WEATHER_CONTROL_REACH = 10
CITIES = (TerritoryId("arrakeen"), TerritoryId("carthag"))
AT_THE_WALL: frozenset[TerritoryId] = frozenset(
    board.territory_of(area) for wall in TERRITORIES[SHIELD_WALL].areas for area in (wall, *board.neighbours(wall))
)
"""The Shield Wall and its neighbours, from where Family Atomics can be played (AH.AID.TIMED.5-b)."""


def flow(game: Game) -> Flow:
    """The storm round, from the first number to the next marker."""
    begin_turn(game)
    storm = game.moments.storm = StormMoment()
    if _cards_allowed(game):
        storm.to_come = ["weather control", "family atomics"]
    if _dialled(game):
        storm.to_come.append("dial")
    if game.rules.weather_control_window == "before_reveal":
        yield from play_weather_control(game, storm)
    if storm.distance is None:
        yield from find_distance(game, storm)
    if game.rules.weather_control_window == "after_reveal":
        yield from play_weather_control(game, storm)
    yield from play_family_atomics(game, storm)
    move(game, storm.distance or 0)
    game.state.ornithopters = city_holders(game)
    game.tell("order-of-play", order=game.order_of_play(), ornithopters=list(game.state.ornithopters))
    draw_next_marker(game)


def begin_turn(game: Game) -> None:
    """What the Bene Gesserit declared last turn is now how that turn ended; nothing is declared yet (WBC.XV.10)."""
    state = game.state
    state.coexisted = [territory for territory, declared in state.presence.items() if declared == "coexist"]
    state.presence = {}


# --- How far -----------------------------------------------------------------------------------------------------


def _dialled(game: Game) -> bool:
    """Whether this storm is dialled; the first always is (AH.VI.A, AH.XVI.A)."""
    rules = game.rules
    without_fremen = rules.storm_without_fremen == "dials" and not game.plays("fremen")
    return game.state.turn == 1 or rules.storm_movement == "dial_1_3" or without_fremen


def _dial_range(game: Game) -> range:
    return range(21) if game.state.turn == 1 else range(1, 4)


def dialers(game: Game) -> list[Faction]:
    """Who dials: for the first storm the owners of the nearest dots on either side of its sector, later whoever handled
    the wheels last (AH.VI.A-a, AH.VI.B-a)."""
    state = game.state
    if state.storm_dialers:
        return list(state.storm_dialers)
    order = game.order_of_play()
    return list(dict.fromkeys((order[0], order[-1])))


def find_distance(game: Game, storm: StormMoment) -> Flow:
    """The dials, or the marker that was drawn last turn."""
    state = game.state
    if not _dialled(game):
        storm.distance = state.next_storm or game.chance.pick("storm-marker", board.STORM_MARKERS)
        state.next_storm = None
        game.tell("storm-marker", sectors=storm.distance)
        return
    asked = dialers(game)
    numbers = _dial_range(game)
    silent = {faction: numbers[game.chance.draw("storm-dial", len(numbers))] for faction in asked}
    answers = yield from ask(lambda: [_dial_question(game, faction, silent[faction]) for faction in asked])
    dialled = {faction: order.number for faction in asked if isinstance(order := answers.of(faction), StormDial)}
    storm.to_come.remove("dial")
    storm.distance = sum(dialled.values())
    state.storm_dialers = tuple(asked)
    game.tell("storm-dialled", dials=dialled, sectors=storm.distance)


def _dial_question(game: Game, faction: Faction, silent: int) -> Question:
    numbers = _dial_range(game)
    return Asked(
        faction,
        "storm-dial",
        StormDial(silent),
        lambda order: _check_dial(game, order),
        lambda: [StormDial(number) for number in numbers],
        about={"least": numbers[0], "most": numbers[-1], "dialers": dialers(game)},
    )


def _check_dial(game: Game, order: Order) -> Refusal | None:
    numbers = _dial_range(game)
    if isinstance(order, StormDial) and order.number in numbers:
        return None
    clause = "AH.VI.A-a" if game.state.turn == 1 else "AH.VI.B-a"
    return Refusal(f"Dial a number from {numbers[0]} to {numbers[-1]} for the storm.", clause)


def draw_next_marker(game: Game) -> None:
    """The Fremen draw the marker of the next turn and alone look at it (AH.XVI.B, WBC A-05)."""
    if game.rules.storm_movement != "fremen_marker_1_6":
        return
    if not game.plays("fremen") and game.rules.storm_without_fremen == "dials":
        return
    marker = game.state.next_storm = game.chance.pick("storm-marker", board.STORM_MARKERS)
    seen: dict[Faction, Facts] = {"fremen": {"marker": marker}} if game.plays("fremen") else {}
    game.tell("storm-marker-drawn", private=seen, fremen=game.plays("fremen"))


# --- Cards -------------------------------------------------------------------------------------------------------


def _cards_allowed(game: Game) -> bool:
    return game.state.turn > 1 or game.rules.storm_cards_turn1 == "allowed"


def _out_of_hands(game: Game, card: Card) -> bool:
    """Whether all can see that nobody holds the card: it lies with the discards or is out of the game."""
    return card in game.state.treachery_discard or card in game.state.set_aside


def play_weather_control(game: Game, storm: StormMoment) -> Flow:
    """Everybody is asked alike, as nobody may know who holds the card (AH.AID.TIMED.2, WBC.VI.2)."""

    def build() -> list[Question]:
        if not _cards_allowed(game) or _out_of_hands(game, WEATHER_CONTROL):
            return []
        return [_card_question(game, faction, WEATHER_CONTROL) for faction in game.order_of_play()]

    answers = yield from ask(build)
    if "weather control" in storm.to_come:
        storm.to_come.remove("weather control")
    for faction in game.order_of_play():
        order = answers.of(faction)
        if isinstance(order, WeatherControl):
            game.discard(faction, WEATHER_CONTROL)
            storm.distance = order.sectors
            storm.to_come = [decision for decision in storm.to_come if decision != "dial"]
            game.tell("weather-control", faction=faction, sectors=order.sectors)


def play_family_atomics(game: Game, storm: StormMoment) -> Flow:
    """After the distance is known and before the storm moves (AH.AID.TIMED.5-a, WBC.VI.3)."""

    def build() -> list[Question]:
        if not _cards_allowed(game) or _out_of_hands(game, FAMILY_ATOMICS):
            return []
        if not any(_at_the_wall(game, faction) for faction in game.state.players):
            return []
        return [_card_question(game, faction, FAMILY_ATOMICS) for faction in game.order_of_play()]

    answers = yield from ask(build)
    if "family atomics" in storm.to_come:
        storm.to_come.remove("family atomics")
    for faction in game.order_of_play():
        if isinstance(answers.of(faction), FamilyAtomics):
            destroy_shield_wall(game, faction)


def destroy_shield_wall(game: Game, faction: Faction) -> None:
    """All tokens on the wall die, what it sheltered lies open, the card leaves the game (AH.AID.TIMED.5-c to -e)."""
    state = game.state
    game.player(faction).hand.remove(FAMILY_ATOMICS)
    state.set_aside.append(FAMILY_ATOMICS)
    state.shield_wall = False
    dead = {other: str(lost) for other in state.players if (lost := game.kill_in(SHIELD_WALL, other))}
    game.tell("family-atomics", faction=faction, dead=dead)


def _at_the_wall(game: Game, faction: Faction) -> bool:
    return any(board.territory_of(area) in AT_THE_WALL for area, here in game.state.forces.items() if faction in here)


def _card_question(game: Game, faction: Faction, card: Card) -> Question:
    def choices() -> list[Order]:
        orders: list[Order] = [NoStormCards()]
        if card == WEATHER_CONTROL and game.holds(faction, card):
            orders += [WeatherControl(sectors) for sectors in range(WEATHER_CONTROL_REACH + 1)]
        if card == FAMILY_ATOMICS and game.holds(faction, card) and _at_the_wall(game, faction):
            orders.append(FamilyAtomics())
        return orders

    storm = game.moments.storm
    return Asked(
        faction,
        "storm-cards",
        NoStormCards(),
        lambda order: None if isinstance(order, NoStormCards) else _check_card(game, faction, order),
        choices,
        about={"card": card, "storm": game.state.storm, "sectors": storm.distance if storm else None},
        blanket=True,
        takes=(NoStormCards, WeatherControl if card == WEATHER_CONTROL else FamilyAtomics),
    )


def _check_card(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Whether the storm card could be played by this faction in this round; public grounds before the hand."""
    match order:
        case WeatherControl(sectors):
            if not _cards_allowed(game):
                return Refusal("Weather Control cannot be played on the first turn.", "WBC.VI.5")
            if not 0 <= sectors <= WEATHER_CONTROL_REACH:
                return Refusal(
                    f"Weather Control moves the storm 0 to {WEATHER_CONTROL_REACH} sectors, not {sectors}.",
                    "AH.AID.TIMED.2",
                )
            if not game.holds(faction, WEATHER_CONTROL):
                return Refusal("You do not hold Weather Control.", "AH.AID.TIMED.2")
        case FamilyAtomics():
            if not _cards_allowed(game):
                return Refusal("Family Atomics cannot be played on the first turn.", "WBC.VI.6")
            if not _at_the_wall(game, faction):
                near = ", ".join(sorted(TERRITORIES[territory].name for territory in AT_THE_WALL))
                return Refusal(f"Family Atomics needs a token of yours in one of: {near}.", "AH.AID.TIMED.5-b")
            if not game.holds(faction, FAMILY_ATOMICS):
                return Refusal("You do not hold Family Atomics.", "AH.AID.TIMED.5-a")
    return None


# --- The storm moves ---------------------------------------------------------------------------------------------


def move(game: Game, distance: int) -> None:
    """The storm goes counterclockwise; what lies in the open where it passes or stops is lost (AH.VI.C)."""
    state = game.state
    start = state.storm
    passed = board.sectors_passed(start, distance)
    if passed:
        state.storm = passed[-1]
    game.tell("storm-moved", start=start, sectors=distance, storm=state.storm)
    if state.turn == 1 and game.rules.first_storm_damage == "none":
        return
    hit = set(passed)
    _kill_in_the_open(game, hit)
    for area in sorted(area for area in state.spice if board.sector_of(area) in hit):
        game.tell("storm-took-spice", area=area, amount=game.take_spice(area))


def _kill_in_the_open(game: Game, hit: set[int]) -> None:
    state = game.state
    caught: dict[tuple[TerritoryId, Faction], list[Area]] = {}
    for area in sorted(state.forces):
        territory = board.territory_of(area)
        if board.sector_of(area) in hit and not board.sheltered(territory, state.shield_wall):
            for faction in sorted(state.forces[area], key=FACTIONS.index):
                caught.setdefault((territory, faction), []).append(area)
    for (territory, faction), areas in caught.items():
        dead = NONE
        for area, lost in _losses(game, faction, areas).items():
            dead += game.kill(area, faction, lost)
        game.tell("storm-killed", faction=faction, territory=territory, forces=str(dead))


def _losses(game: Game, faction: Faction, areas: list[Area]) -> dict[Area, Forces]:
    """What dies in each area: all, but of the Fremen half of those caught in a territory, rounded up, where the rule
    set has it; ordinary tokens go first (AH.SHIELD.FRE.7-a)."""
    there = {area: game.here(area, faction) for area in areas}
    if faction != "fremen" or game.rules.fremen_storm_loss == "all":
        return there
    to_lose = (sum(forces.total for forces in there.values()) + 1) // 2
    ordinary: dict[Area, int] = {}
    elite: dict[Area, int] = {}
    for area, forces in there.items():
        ordinary[area] = min(forces.ordinary, to_lose)
        to_lose -= ordinary[area]
    for area, forces in there.items():
        elite[area] = min(forces.elite, to_lose)
        to_lose -= elite[area]
    return {area: Forces(ordinary[area], elite[area]) for area in areas}


def city_holders(game: Game) -> list[Faction]:
    """Who holds Arrakeen or Carthag now; the Bene Gesserit do not where they share it with others and ended the last
    turn coexisting (WBC.IX.13, WBC.IX.16)."""
    state = game.state
    holders = []
    for faction in state.players:
        for city in CITIES:
            here = state.forces_in(city)
            coexists = faction == "bene-gesserit" and city in state.coexisted and len(here) > 1
            if faction in here and not coexists and faction not in holders:
                holders.append(faction)
    return holders


# --- Orders sent ahead -------------------------------------------------------------------------------------------


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Whether a dial or a card can wait for its moment in this round."""
    storm = game.moments.storm
    to_come = storm.to_come if storm else []
    match order:
        case StormDial():
            if not _dialled(game):
                return Refusal("The storm is not dialled; its marker was drawn last turn.", "AH.XVI.A")
            if "dial" not in to_come:
                return Refusal("How far the storm goes is known already.", "AH.VI.B-b")
            if faction not in dialers(game):
                names = " and ".join(faction_name(dialer) for dialer in dialers(game))
                clause = "AH.VI.A-a" if game.state.turn == 1 else "AH.VI.B-a"
                return Refusal(f"This storm is dialled by {names}.", clause)
            return _check_dial(game, order)
        case WeatherControl():
            refusal = _check_card(game, faction, order)
            if refusal is None and "weather control" not in to_come:
                return Refusal("The time for Weather Control is over this turn.", "AH.AID.TIMED.2")
            return refusal
        case FamilyAtomics():
            refusal = _check_card(game, faction, order)
            if refusal is None and "family atomics" not in to_come:
                return Refusal("The time for Family Atomics is over this turn.", "AH.AID.TIMED.5-a")
            return refusal
        case NoStormCards():
            if not {"weather control", "family atomics"} & set(to_come):
                return Refusal("No storm card can be played any more this turn.", "AH.AID.TIMED.5-a")
    return None
