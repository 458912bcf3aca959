"""Long runs of random games that are checked at every step, one game after the other or on several processors.

At every event of such a game the position must be sound, every question must have an answer, and every snapshot must
restore the game; the first fault raises ``AssertionError``. The ``Setting`` of a game determines its whole course, so a
game that failed can be replayed.

Every second game begins late, when rare events are near. The set-up and a first turn without orders are played, and
then the position is enriched at random: rarely drawn cards are in players' hands, leaders and tokens are in the tanks,
allies stand together, the Kwisatz Haderach has awoken, and Harkonnen hold a captive. This creates and loses nothing, so
such a game can be checked like any other.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec

from bot.lab.occurrences import FOR_ALLIES, TOUCHED, Occurrences, may_hold, wishes_for
from bot.lab.scenes import FEWEST_IN_SCENE, SCENES, Scene, scenes_of
from bot.lab.soak_players import DaringPlayer
from rules.cards.special_cards import AMAL, GHOLA, HARVESTER, THUMPER
from rules.chapters.setup import MAX_TURNS
from rules.components import KARAMA, KWISATZ_HADERACH_LOSSES, Card, Faction, Forces, leaders_of
from rules.components.board import MOBILE_STRONGHOLD, STRONGHOLDS, TERRITORIES, TerritoryId, territory_of
from rules.components.chance import Chance
from rules.decisions.catalogue import rules_of
from rules.engine import turn
from rules.engine.catalogue import load_rule_set
from rules.engine.invariants import check_invariants
from rules.engine.play import Play
from rules.orders import KaramaEffect
from rules.random_players import MOST_STOPS, random_seats
from rules.rulesets.options import Value
from rules.rulesets.ruleset import RuleSet, expansion_of, factions_of
from rules.state import events
from rules.state.events import Event
from rules.state.game import Game
from rules.state.state import Prediction, State


@dataclass(frozen=True, slots=True)
class Setting:
    ruleset: str
    seed: str
    factions: tuple[Faction, ...]
    impulses: int = 35
    strays: int = 5
    options: tuple[tuple[str, Value], ...] = ()
    late: bool = False
    scene: str = ""

    @property
    def rules(self) -> RuleSet:
        rules = load_rule_set(self.ruleset)
        return rules.with_options(dict(self.options)) if self.options else rules

    @property
    def wishes(self) -> tuple[KaramaEffect, ...]:
        if self.scene:
            return SCENES[self.scene].wishes
        return wishes_for(self.rules, self.seed, self.factions)

    def player(self) -> DaringPlayer:
        player = DaringPlayer(f"player {self.seed}", impulses=self.impulses, strays=self.strays, wishes=self.wishes)
        if self.scene:
            player.play_out(SCENES[self.scene].prefers, SCENES[self.scene].likes)
        return player

    def start(self) -> Play:
        """Return the game at its first stop: in its ``scene`` or a ``late`` position if it has one, otherwise in the
        set-up."""
        return self._begun(self._unbegun())

    def start_watched(self) -> Play:
        play = self._unbegun()
        play.game.events = WatchedEvents(play.game)
        return self._begun(play)

    def _unbegun(self) -> Play:
        rules, seats = self.rules, random_seats(self.seed, self.factions)
        if self.late or self.scene:
            scene = SCENES[self.scene] if self.scene else None
            return Play(rules, self.seed, late_position(rules, self.seed, seats, self.wishes, scene))
        return Play(rules, self.seed, turn.opening_state(rules, seats))

    def _begun(self, play: Play) -> Play:
        play.begin_phase(play.state.phase)
        play.advance()
        return play


class WatchedEvents(list[Event]):
    def __init__(self, game: Game) -> None:
        super().__init__()
        self._game = game

    def append(self, event: Event) -> None:
        assert event.number == len(self), f"event {event.number} is number {len(self)}"
        super().append(event)
        check_invariants(self._game)


def setting(
    ruleset: str, seed: str, players: int, options: tuple[tuple[str, Value], ...] = (), *, late: bool = False
) -> Setting:
    factions = list(factions_of(Setting(ruleset, seed, (), options=options).rules))
    Chance(seed, {}).shuffle("factions", factions)
    return Setting(ruleset, seed, tuple(factions[:players]), options=options, late=late)


def scene_setting(ruleset: str, seed: str, scene: str, options: tuple[tuple[str, Value], ...] = ()) -> Setting:
    needed, factions = SCENES[scene].needs, list(factions_of(Setting(ruleset, seed, (), options=options).rules))
    Chance(seed, {}).shuffle("factions", factions)
    factions.sort(key=lambda faction: faction not in needed)
    return Setting(ruleset, seed, tuple(factions[:FEWEST_IN_SCENE]), options=options, scene=scene)


def play_under_watch(game: Setting, resumes: int = 3) -> Play:
    """Play the game to its end and check it at every event; raise AssertionError at the first fault. ``resumes`` is the
    percentage of stops at which the game is stored and resumed from its snapshot."""
    play, player, watch = game.start_watched(), game.player(), Chance(f"watch {game.seed}", {})
    for _ in range(MOST_STOPS):
        check_invariants(play.game)
        if play.over:
            check_events(play)
            return play
        check_questions(play)
        if watch.draw("resume", 100) < resumes:
            check_resume(game, play)
        player.act(play)
    raise AssertionError(f"still in the {play.state.phase} phase of turn {play.state.turn}")


def check_questions(play: Play) -> None:
    questions = play.questions()
    assert questions, f"nobody is asked at {play.stop_name}"
    for question in questions:
        for order in (question.default, *question.samples()):
            refusal = question.refusal(order) if question.fits(order) else "not of a kind that answers it"
            assert refusal is None, f"{question.key} offers {order}: {refusal}"


def check_events(play: Play) -> None:
    for event in play.events:
        stored = events.encode(event)
        assert events.encode(events.decode(stored)) == stored


def check_resume(game: Setting, play: Play) -> None:
    entries = play.log[play.snapshot.entries :]
    resumed = Play.resume(play.game.rules, game.seed, play.snapshot, entries)
    assert resumed.state == play.state
    assert resumed.game.moments == play.game.moments
    assert resumed.game.held == play.game.held
    assert open_questions(resumed) == open_questions(play)
    since = len(resumed.events)
    assert list(map(events.encode, resumed.events)) == list(map(events.encode, play.events[-since:] if since else []))


def open_questions(play: Play) -> list[object]:
    asked = [(q.key, q.default, dict(q.facts), q.public, q.blanket) for q in play.questions()]
    return [*asked, *((q.key, orders) for q, orders in play.answered())]


def check_replay(game: Setting, play: Play) -> None:
    again = game.start()
    again.replay(play.log)
    assert again.state == play.state
    assert list(map(events.encode, again.events)) == list(map(events.encode, play.events))


FEWEST_PLAYERS, MOST_PLAYERS = 2, 6
GAMES_AT_ONCE = 5
WHOLE_GAMES = 10
"""With an expansion, one game out of this many is a whole game; the others are scenes."""


@dataclass(frozen=True, slots=True)
class Failure:
    setting: Setting
    fault: str


@dataclass(slots=True)
class SoakResult:
    occurred: Occurrences
    games: int = 0
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: SoakResult) -> None:
        self.games += other.games
        self.failures += other.failures
        self.occurred.merge(other.occurred)


def settings(ruleset: str, seed: str, games: int, options: tuple[tuple[str, Value], ...] = ()) -> list[Setting]:
    """Return the settings of this many games.

    Without an expansion, the games have two to six players in turn, and every second game begins late. An expansion has
    more to cover: then only every tenth game is chosen like this, and the others play the scenes of the expansion in
    turn.
    """
    scenes = scenes_of(Setting(ruleset, seed, (), options=options).rules)
    every = WHOLE_GAMES if scenes else 1
    found: list[Setting] = []
    for number in range(games):
        whole, at = divmod(number, every)
        if at:
            scene = scenes[(number - whole - 1) % len(scenes)]
            found.append(scene_setting(ruleset, f"{seed} {number}", scene, options))
        else:
            players = FEWEST_PLAYERS + whole % (MOST_PLAYERS - FEWEST_PLAYERS + 1)
            late = whole % 2 == 1
            found.append(setting(ruleset, f"{seed} {number}", players, options, late=late))
    return found


def soak(games: Sequence[Setting], jobs: int = 1) -> Iterator[SoakResult]:
    """Play the games with all checks, replay them from their logs, and yield the results after every few games.

    >>> [part.failures for part in soak(settings("ah-basic", "spice", 5))]  # doctest: +SKIP
    [[]]
    """
    chunks = [games[first : first + GAMES_AT_ONCE] for first in range(0, len(games), GAMES_AT_ONCE)]
    if jobs == 1:
        yield from map(_play_all, chunks)
    else:
        with ProcessPoolExecutor(jobs) as processes:
            yield from processes.map(_play_all, chunks)


def _play_all(games: Sequence[Setting]) -> SoakResult:
    done = SoakResult(Occurrences(games[0].rules))
    for game in games:
        done.games += 1
        try:
            play = play_under_watch(game)
            check_replay(game, play)
        except Exception:
            done.failures.append(Failure(game, traceback.format_exc(limit=-6)))
        else:
            done.occurred.add(play)
    return done


ATOMICS, LASGUN, SHIELD = Card("Family Atomics"), Card("Lasgun"), Card("Shield")
WEIRDING, CHEMISTRY = Card("Weirding Way"), Card("Chemistry")
WALL = TerritoryId("shield-wall")
WANTED: tuple[Card, ...] = (
    KARAMA, KARAMA, LASGUN, SHIELD, SHIELD, SHIELD,
    GHOLA, ATOMICS, Card("Weather Control"), Card("Hajr"), Card("Truthtrance"),
    Card("Baliset"), Card("Kulon"), Card("Trip to Gamont"),
)  # fmt: skip
OF_EXPANSIONS: tuple[Card, ...] = (THUMPER, HARVESTER, AMAL, Card("Poison Tooth"), WEIRDING, CHEMISTRY)
WishedEffects = tuple[KaramaEffect, ...]
LAST_TURNS = 6
LONGER = 2
"""The number of extra turns in a game with an expansion, which adds powers."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(State)


def late_position(
    rules: RuleSet, seed: str, seats: Mapping[Faction, int], wishes: WishedEffects, scene: Scene | None = None
) -> State:
    """Return the position at the beginning of a late turn, or at the beginning of the phase of a ``scene``. It depends
    only on the arguments. The Karamas are in the hands of factions that can use them for the ``wishes``."""
    return _decoder.decode(_late_position(rules, seed, tuple(seats.items()), wishes, scene))


@lru_cache(maxsize=4)
def _late_position(
    rules: RuleSet, seed: str, seats: tuple[tuple[Faction, int], ...], wishes: WishedEffects, scene: Scene | None
) -> bytes:
    play = Play.start(rules, seed, dict(seats))
    while play.state.turn < 2:
        play.expire()
        play.advance()
    state = _decoder.decode(play.snapshot.state)
    chance = Chance(f"late {seed}", {})
    game = Game(rules, seed, state)
    state.events = 0
    longer = LONGER if expansion_of(rules) else 0
    state.turn = MAX_TURNS(rules) - longer - chance.draw("turn", LAST_TURNS)
    _deal(game, chance, wishes)
    _ally(game, chance, wishes)
    _spread(game, chance)
    _go_inside(game, chance)
    _bury(game, chance)
    _capture(game, chance)
    _show_face_dancers(game, chance)
    _awaken(game, chance)
    _predict(game, chance)
    if scene is not None:
        state.turn, state.phase = MAX_TURNS(rules) - scene.turns_to_come, scene.phase
        scene.arrange(game, chance)
    return _encoder.encode(state)


def _deal(game: Game, chance: Chance, wishes: WishedEffects) -> None:
    state = game.state
    for number, card in enumerate(_wanted(game, chance)):
        able = [faction for faction in state.players if len(state.players[faction].hand) + 1 < game.hand_limit(faction)]
        if card == KARAMA and wishes:
            wish = wishes[number % len(wishes)]
            able = [faction for faction in able if may_hold(wish, faction)]
        if able:
            _give(game, chance.pick("holder", able), card)
    for player in state.players.values():
        player.spice += chance.draw("spice", 12)


def _wanted(game: Game, chance: Chance) -> list[Card]:
    # shuffled, so that a hand with little room does not always get the same ones
    wanted = [card for card in WANTED if card != KARAMA]
    if expansion_of(game.rules):
        wanted += OF_EXPANSIONS
        chance.shuffle("wanted", wanted)
    return [KARAMA] * WANTED.count(KARAMA) + wanted


def _give(game: Game, faction: Faction, card: Card) -> None:
    deck = game.state.treachery_deck
    if card in deck and not game.hand_full(faction):
        deck.remove(card)
        game.player(faction).hand.append(card)


def _ally(game: Game, chance: Chance, wishes: WishedEffects) -> None:
    state = game.state
    few = game.rules.option("alliances_enabled") == "off" or len(state.players) < 4
    if few or (FOR_ALLIES.isdisjoint(wishes) and chance.draw("allied", 4) == 0):
        return
    factions = list(state.players)
    chance.shuffle("allies", factions)
    touched = [TOUCHED.get(wish) for wish in sorted(wishes, key=lambda wish: wish not in FOR_ALLIES)[:1]]
    factions.sort(key=lambda faction: faction not in touched)
    most = len(factions) // 2
    pairs = most if expansion_of(game.rules) else 1 + chance.draw("pairs", most)
    state.alliances = [(factions[2 * number], factions[2 * number + 1]) for number in range(pairs)]


def _spread(game: Game, chance: Chance) -> None:
    state = game.state
    sand = [territory for territory, facts in TERRITORIES.items() if facts.kind == "sand"]
    worms_come = [TerritoryId(territory_of(area)) for area in state.spice] or sand
    for faction, player in state.players.items():
        for number in range(3):
            here = chance.pick("where", [*STRONGHOLDS, *worms_come, *worms_come, chance.pick("sand", sand)])
            if number == 0 and ATOMICS in player.hand:
                here = WALL
            elif number == 0 and "fremen" in state.ally_group(faction):
                here = chance.pick("worms", worms_come)
            allies = [ally for ally in state.ally_group(faction) if ally != faction]
            theirs = [area for ally in allies for area, _ in state.areas_of(ally)]
            area = chance.pick("area", list(TERRITORIES[here].areas))
            if theirs and chance.draw("beside", 3) == 0:
                area = chance.pick("beside whom", theirs)
            there = [other for other in state.forces_in(territory_of(area)) if other != faction]
            many = min(3, player.reserves.ordinary)
            if many and len(there) < 2:
                starred = min(1, player.reserves.elite) if expansion_of(game.rules) else 0
                game.deploy(faction, Forces(many, starred), area)
    for faction in state.players:
        for area, _ in state.areas_of(faction):
            rules_of(game, faction).was_placed(game, territory_of(area))


def _go_inside(game: Game, chance: Chance) -> None:
    owner, state = TERRITORIES[territory_of(MOBILE_STRONGHOLD)].owner, game.state
    if owner not in state.players:
        return
    for area, _ in state.areas_of(owner):
        if game.player(owner).reserves.elite > 1:
            game.deploy(owner, Forces(0, 1), area)
    reserves = game.player(owner).reserves
    game.deploy(owner, Forces(min(2, reserves.ordinary), min(1, reserves.elite)), MOBILE_STRONGHOLD)
    with_spice = [facts.spice_area for facts in TERRITORIES.values() if facts.spice_area]
    state.box.stronghold_at = chance.pick("pointed at", [*with_spice, *(state.spice or with_spice)])


def _bury(game: Game, chance: Chance) -> None:
    for faction, player in game.state.players.items():
        dead = Forces(min(chance.draw("tokens", 8), player.reserves.ordinary), min(1, player.reserves.elite))
        player.reserves -= dead
        player.tanks += dead
        number = 5 if chance.draw("all", 5) == 0 else chance.draw("leaders", 4)
        for leader in leaders_of(faction)[:number]:
            game.kill_leader(leader)


def _capture(game: Game, chance: Chance) -> None:
    state = game.state
    harkonnen = state.players.get("harkonnen")
    if harkonnen is None or not rules_of(game, "harkonnen").takes_captives(game) or chance.draw("captive", 3) == 0:
        return
    for faction in state.players:
        alive = [leader for leader in leaders_of(faction) if state.leaders[leader].status == "ready"]
        if alive and faction != "harkonnen":
            harkonnen.captured[alive[0]] = faction
            break
    if chance.draw("hardly one", 2):
        for leader in leaders_of("harkonnen")[1:]:
            if state.leaders[leader].status == "ready":
                game.kill_leader(leader)


def _show_face_dancers(game: Game, chance: Chance) -> None:
    box = game.state.box
    if box.face_dancers:
        box.revealed_dancers = box.face_dancers[: chance.draw("face dancers", 3)]


def _awaken(game: Game, chance: Chance) -> None:
    state = game.state
    if "atreides" not in state.players or not rules_of(game, "atreides").has_kwisatz_haderach(game):
        return
    state.lost_in_battle = KWISATZ_HADERACH_LOSSES
    state.kwisatz_haderach = "dead" if chance.draw("haderach", 2) else "ready"
    if state.kwisatz_haderach == "ready":
        _give(game, "atreides", LASGUN)
        _give(game, "atreides", SHIELD)
    elif chance.draw("how back", 2):
        _give(game, "atreides", GHOLA)
    else:
        for leader in leaders_of("atreides"):
            if state.leaders[leader].status == "ready":
                game.kill_leader(leader)


def _predict(game: Game, chance: Chance) -> None:
    state = game.state
    if state.prediction is None:
        return
    at_the_end: list[Faction] = [faction for faction in ("guild", "fremen") if faction in state.players]
    last = MAX_TURNS(game.rules)
    if at_the_end and not expansion_of(game.rules) and chance.draw("at the end", 4):
        state.prediction = Prediction(at_the_end[0], last)
        return
    others = [faction for faction in state.players if faction != "bene-gesserit"]
    state.prediction = Prediction(chance.pick("winner", others), min(last, state.turn + chance.draw("soon", 2)))
