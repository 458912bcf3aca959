"""The measured length of games: simulated people, who sleep, think and sometimes forget, play whole games.

The simulated people answer the questions that they are asked and, if they use sheets, file a sheet for the round. They
play at random, because the pace depends only on how much they plan ahead. Six in ten players know their move without
having seen the others' moves, and seven in ten fighters file a battle plan in advance. Players want to be asked about
one card in ten, and half of the fighters who are under the Voice want to be asked too.
``bot.lab.players_by_mail.Person`` says when they answer.

Everything else that matters for the pace is real: the order language and the sheets (``bot.moderator.order_lines``),
the deputies and sheet windows (``bot.table.rounds``), the deadlines in a database (``bot.store``) by the clock of the
game, and the letter writer's choice of readers. Only the text of the letters is missing, and the players are made up
(``Planner``).
"""

from __future__ import annotations

import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

from bot.games.letter_writer import seats_written_to
from bot.lab.players_by_mail import ZONES, Person
from bot.language.commands import LettersMode
from bot.language.orders import write
from bot.moderator.order_lines import LateAnswers, play_lines
from bot.press import last_slot, next_slot
from bot.store import games
from bot.store.database import Connection, open_database, writing
from bot.table import rounds
from bot.table.calendar import Calendar
from bot.table.clock import GameClock
from bot.table.deadlines import note_missed, overdue_questions
from bot.table.deputy import expire
from bot.table.rounds import go_on, is_passed_over, is_written_to
from bot.table.table import Deadlines, Seat, Table
from rules import orders as o
from rules.chapters.battle_list import all_battles
from rules.components import FACTIONS, FREMEN_LANDING, Card, Faction, Forces, board, is_defense, is_weapon, leaders_of
from rules.components.board import STRONGHOLDS, TERRITORIES, Area
from rules.components.chance import commitment
from rules.decisions.question import Question
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.random_players import random_seats

TURNS = 10
STEP_HOURS = 24.0
NOBODY_WINS_EARLY = {"solo_strongholds_extra": 2}
MOST_LETTERS_AT_STEADY = 4.0
"""The maximum number of letters per turn, not counting answers, for a player at "steady" with sheets and ``letters
wanted``."""
LONGEST_AT_STEADY = 70.0
"""The maximum length, in days, of the median ten-turn game at the tempo "steady"."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The averages of games at one tempo, with sheets or without.

    ``phases`` gives the days that a game spends in each phase, and ``waits`` the hours lost at each kind of stop in the
    game of median length. Letters are those that a player gets unasked; answers are the replies to the player's own
    mails.
    """

    tempo: str
    sheets: bool
    mode: LettersMode
    games: int
    median_days: float
    worst_days: float
    stops_a_turn: float
    letters_a_turn: float
    letters_a_day: float
    answers_a_turn: float
    missed_a_turn: float
    phases: dict[str, float]
    waits: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manner:
    tempo: str
    sheets: bool
    mode: LettersMode = "all"
    turns: int = TURNS
    ruleset: str = "wbc-2018"
    step_hours: float = STEP_HOURS
    slots: int = 0  # hours between the moments at which the game moves


def measure_pace(manner: Manner, games: int) -> Pace:
    """Play this many whole games and average their figures. A game that is won before its last turn is replaced by
    another one with a new seed."""
    found = list[GameLength]()
    with tempfile.TemporaryDirectory(prefix="mentat-pace-") as folder:
        number = 0
        while len(found) < games:
            lasted = play_game(Path(folder), f"{number}", manner)
            number += 1
            if lasted.turns == manner.turns:
                found.append(lasted)
    return sum_of_games(manner, found)


def sum_of_games(manner: Manner, found: Sequence[GameLength]) -> Pace:
    turns, days = sum(game.turns for game in found), sum(game.days for game in found)
    names = dict.fromkeys(phase for game in found for phase in game.hours)
    phases = {name: sum(game.hours.get(name, 0.0) for game in found) / 24 / len(found) for name in names}
    players = found[0].players

    def each(values: int) -> float:
        return round(values / turns / players, 2)

    letters = sum(game.letters for game in found)
    waits = sorted(found, key=lambda game: game.days)[(len(found) - 1) // 2].waits
    return Pace(
        manner.tempo,
        manner.sheets,
        manner.mode,
        len(found),
        median_days=round(statistics.median(game.days for game in found), 1),
        worst_days=round(max(game.days for game in found), 1),
        stops_a_turn=round(sum(sum(game.stops.values()) for game in found) / turns, 1),
        letters_a_turn=each(letters),
        letters_a_day=round(letters / days / players, 2),
        answers_a_turn=each(sum(game.answers for game in found)),
        missed_a_turn=each(sum(game.missed for game in found)),
        phases=_longest_first(phases),
        waits=_longest_first(waits),
    )


def _longest_first(times: Mapping[str, float]) -> dict[str, float]:
    return {name: round(times[name], 1) for name in sorted(times, key=times.__getitem__, reverse=True)}


START = datetime(2026, 9, 7, 18, tzinfo=UTC)
MOST_STEPS = 50_000


@dataclass(slots=True)
class GameLength:
    """The course of a game; ``days`` is the time from the first letter to the end.

    ``stops`` and ``hours`` give, for each phase, the number of times and the hours that the game waited for somebody.
    ``waits`` gives the hours for each kind of stop. ``letters`` counts the letters that players got unasked, and
    ``answers`` the replies to their mails.
    """

    seed: str
    players: int = 0
    turns: int = 0
    days: float = 0.0
    stops: Counter[str] = field(default_factory=Counter)
    hours: dict[str, float] = field(default_factory=dict)
    waits: dict[str, float] = field(default_factory=dict)
    letters: int = 0
    answers: int = 0
    missed: int = 0
    refused: int = 0
    lines: int = 0


def play_game(folder: Path, seed: str, manner: Manner) -> GameLength:
    engine = open_database(folder / f"pace-{manner.tempo}-{seed}.db")
    try:
        with writing(engine) as conn:
            game = _Game(conn, seed, manner)
            game.run()
            return game.lasted
    finally:
        engine.dispose()


class _Game:
    def __init__(self, conn: Connection, seed: str, manner: Manner) -> None:
        self._conn, self._mode = conn, manner.mode
        chance, options = Random(f"pace {seed}"), {"max_turns": manner.turns, **NOBODY_WINS_EARLY}
        dots = random_seats(seed, FACTIONS)
        play = Play.start(load_rule_set(manner.ruleset).with_options(options), seed, dots)
        zones = dict(zip(dots, chance.sample(ZONES, len(ZONES)), strict=True))
        seats = {
            f: Seat(f, dot, f"{f}@players.example", f, zones[f], f"pace-{f}", f"back-{f}", letters_mode=manner.mode)
            for f, dot in dots.items()
        }
        self._table = Table(f"pace-{seed}", manner.ruleset, options, seed, play, seats, tempo=manner.tempo)
        self._people = {f: Person(ZoneInfo(zones[f]), Random(f"{seed} {f} person")) for f in dots}
        self._planners = {f: Planner(f, Random(f"{seed} {f} habits"), manner.sheets) for f in dots}
        self._looks: dict[Faction, datetime] = {}
        self._clock = GameClock(Calendar(ZoneInfo("UTC")), manner.step_hours, share=rounds.share(self._table))
        self._stop, self._slots = "", manner.slots
        self.lasted = GameLength(seed, len(seats))
        games.create(conn, self._table, commitment(seed), "", START)

    def run(self) -> None:
        table, now = self._table, START
        games.save(self._conn, table, now, self._clock)
        self._write(now, {}, None, 0)
        for _ in range(MOST_STEPS):
            if table.play.over:
                self.lasted.days = (now - START) / timedelta(days=1)
                self.lasted.turns = table.play.state.turn
                return
            phase, before, turn = table.play.state.phase, dict(table.deadlines), table.play.state.turn
            faction = min(self._looks, key=self._looks.__getitem__, default=None)
            silence = min(deadline.until for deadline in table.deadlines.values() if deadline.state == "open")
            silence = self._slot(silence)
            reads = self._slot(self._looks[faction]) if faction else None
            writes = reads is not None and (reads < silence or (bool(self._slots) and reads == silence))
            then = reads if reads is not None and writes else silence
            hours, stops = (then - now) / timedelta(hours=1), self._waited_for()
            self.lasted.hours[phase] = self.lasted.hours.get(phase, 0.0) + hours
            for stop in stops:
                self.lasted.waits[stop] = self.lasted.waits.get(stop, 0.0) + hours / len(stops)
            now = then
            if faction and writes:
                del self._looks[faction]
                self._look(faction, now)
            else:
                faction = None
                self._expire(now)
            games.save(self._conn, table, now, self._clock)
            self._write(now, before, faction, table.play.state.turn - turn if self._mode == "all" else 0)
        raise RuntimeError(f"{table.id} still goes on in turn {table.play.state.turn}, {table.play.state.phase}")

    def _slot(self, at: datetime) -> datetime:
        return at if last_slot(at, self._slots) == at else next_slot(at, self._slots)

    def _waited_for(self) -> set[str]:
        table = self._table
        called = rounds.call_of(table)
        if called and any(rounds.awaits(table, faction) for faction in table.seats):
            return {f"call of {called.name}"}
        return {question.kind for question in table.play.questions() if not (question.beside or question.at_once)}

    def _look(self, faction: Faction, now: datetime) -> None:
        table, play = self._table, self._table.play
        table.now = now
        called = rounds.call_of(table)
        phases = called.phases[called.phases.index(play.state.phase) :] if called else (play.state.phase,)
        texts = self._planners[faction].lines(play, phases)
        if not texts:
            return
        late = LateAnswers(dict, self._people[faction].zone)
        played = play_lines(table, faction, texts, late, now.date())
        self.lasted.lines += len(played.lines)
        self.lasted.refused += sum(line.status in ("refused", "unread") for line in played.lines)
        self.lasted.answers += 1
        table.seats[faction].missed = 0
        go_on(table, now)

    def _expire(self, now: datetime) -> None:
        table = self._table
        late = overdue_questions(table.deadlines, table.play, now)
        gone = expire(table, [key for _, key in late])
        silent = [place for place in late if place[1] in gone]
        note_missed(table.deadlines, silent)
        for _, (faction, *_) in silent:
            table.seats[faction].missed += 1
        self.lasted.missed += len(silent)
        go_on(table, now)

    def _write(self, now: datetime, before: Deadlines, answered: Faction | None, ended: int) -> None:
        # The letter about the last turn that ``ended`` is also the one with the questions and the answer
        table, play = self._table, self._table.play
        if play.stop_name and play.stop_name != self._stop:
            self._stop = play.stop_name
            self.lasted.stops[play.state.phase] += 1
        called = table.calling
        asked = seats_written_to(table, before)
        self.lasted.letters += len(table.seats) * max(ended - 1, 0)
        told = {faction for faction in table.seats if ended and not (called and is_passed_over(table, faction))}
        for faction in sorted(told | asked):
            if faction in told or faction == answered or is_written_to(table, faction, now, called=called):
                self.lasted.letters += faction != answered
                if faction in asked:
                    self._will_look(faction, now)

    def _will_look(self, faction: Faction, now: datetime) -> None:
        table = self._table
        dues = [due for q in table.play.questions() if q.faction == faction and (due := table.due(q))]
        if not dues and table.call_due:
            dues = [table.call_due]
        due = min(dues, default=None)
        if faction in self._looks:
            if due and self._looks[faction] >= due and (sooner := self._people[faction].before(now, due)):
                self._looks[faction] = sooner
        elif at := self._people[faction].answers_at(now, due):
            self._looks[faction] = at


KNOWS_OWN_MOVE = 0.6
ON_CONDITION = 0.3  # share of the known moves
FILES_A_PLAN = 0.7
ASKED_IF_VOICED = 0.5
LEFT_OPEN = 0.1  # share of the cards for sale
HIGHEST_CAP = 6

QUIET_UNTIL: Mapping[o.PhaseName, o.PhaseName] = {
    "storm": "charity",
    "charity": "revival",
    "bidding": "revival",
    "revival": "battle",
    "movement": "battle",
    "battle": "mentat",
}
_RELUCTANT = (o.NoMove, o.NoShipment, o.NoRevival, o.NoTransfer, o.NoTreachery, o.Keep)


@dataclass(slots=True)
class Planner:
    """Decides what one player writes. If ``uses_sheets`` is set, the player files a sheet for each round as soon as
    they see that round."""

    faction: Faction
    chance: Random
    uses_sheets: bool
    filed: set[str] = field(default_factory=set)
    _caps: dict[str, int] = field(default_factory=dict)

    def lines(self, play: Play, phases: Sequence[o.PhaseName]) -> list[str]:
        lines: list[str] = []
        for question in play.questions():
            if question.faction == self.faction:
                lines += self._answer(play, question)
        if self.uses_sheets:
            for phase in phases:
                if (name := f"{play.state.turn}.{phase}") not in self.filed:
                    self.filed.add(name)
                    lines += self._sheet(play, phase)
            until = next((QUIET_UNTIL[phase] for phase in reversed(phases) if phase in QUIET_UNTIL), None)
            if until:
                lines.append(write(o.Waive(until)))
        return list(dict.fromkeys(lines))

    # --- questions -------------------------------------------------------------------------------------------------

    def _answer(self, play: Play, question: Question) -> Iterator[str]:
        match question.kind:
            case "bid":
                number = question.facts["number"]
                order: o.Order = o.BidUpTo(min(self._cap(play, number), question.facts["means"]))
                yield write(order if question.refusal(order) is None else o.Pass())
            case "shipment":
                yield write(self._chosen(question))
                if move := self._a_move(play):
                    yield write(move)
            case _:
                yield write(self._chosen(question))

    def _chosen(self, question: Question) -> o.Order:
        choices = [order for order in question.samples() if not isinstance(order, o.Karama)]
        weights = [0.4 if isinstance(order, _RELUCTANT) else 1.0 for order in choices]
        return self.chance.choices(choices, weights)[0]

    # --- their sheet for a round -----------------------------------------------------------------------------------

    def _sheet(self, play: Play, phase: o.PhaseName) -> Iterable[str]:
        match phase:
            case "storm":
                return ["no storm cards"]
            case "bidding":
                return self._bids(play)
            case "movement":
                return self._movement(play)
            case "battle":
                return self._battle(play)
            case "collection":
                return ["standing: no transfer"]
        return []

    def _cap(self, play: Play, number: int) -> int:
        name = f"{play.state.turn}.{number}"
        most = min(play.state.players[self.faction].spice, HIGHEST_CAP)
        return self._caps.setdefault(name, self.chance.randint(0, most))

    def _bids(self, play: Play) -> Iterator[str]:
        for number in range(1, len(play.state.players) + 1):
            if self.chance.random() < LEFT_OPEN:
                yield f"when card {number}: ask me"
            elif cap := self._cap(play, number):
                yield f"when card {number}: bid up to {cap}"
        yield "pass all"

    def _movement(self, play: Play) -> Iterator[str]:
        if self.faction == "guild":
            yield f"go now if after {self.chance.choice([f for f in play.state.players if f != 'guild'])}"
            yield "wait"
        elif self.faction == "bene-gesserit":
            yield "advise polar sink" if self.chance.random() < 0.5 else "no advisor"
            for territory in {board.territory_of(area): None for area, _ in play.state.areas_of(self.faction)}:
                if self.chance.random() < KNOWS_OWN_MOVE:
                    yield f"coexist in {TERRITORIES[territory].name}"
        if self.chance.random() >= KNOWS_OWN_MOVE:
            return
        move, ship = self._a_move(play), self._a_shipment(play)
        if self.chance.random() < ON_CONDITION and isinstance(ship, o.Ship) and ship.target:
            other = self.chance.choice([faction for faction in play.state.players if faction != self.faction])
            where = TERRITORIES[board.territory_of(ship.target)].name
            yield f"{write(ship)} if {other} has not shipped to {where}"
            yield "no shipment"
        else:
            yield write(ship)
        yield write(move)
        yield "no move"
        yield "when phase movement: no revival"

    def _a_shipment(self, play: Play) -> o.Order:
        player, state = play.state.players[self.faction], play.state
        most = min(player.reserves.ordinary, 6 if self.faction == "fremen" else player.spice // 2)
        places = [area for area in self._worth_having(play) if board.sector_of(area) != state.storm]
        if self.faction == "fremen":
            places = [area for area in places if board.territory_of(area) in FREMEN_LANDING]
        places = [area for area in places if self._room_in(play, area)]
        if not places or most < 1 or self.chance.random() < 0.3:
            return o.NoShipment()
        return o.Ship(Forces(self.chance.randint(1, most)), None, self.chance.choice(places))

    def _a_move(self, play: Play) -> o.Order:
        state = play.state
        own = [(area, here) for area, here in state.areas_of(self.faction)]
        if not own or self.chance.random() < 0.3:
            return o.NoMove()
        area, forces = self.chance.choice(own)
        near = [
            other
            for other in board.neighbours(area)
            if board.sector_of(other) != state.storm
            and board.territory_of(other) != board.territory_of(area)
            and self._room_in(play, other)
        ]
        if not near or board.sector_of(area) == state.storm:
            return o.NoMove()
        return o.Move(forces, area, self.chance.choice(near))

    def _worth_having(self, play: Play) -> Sequence[Area]:
        return [*(TERRITORIES[place].areas[0] for place in STRONGHOLDS), *play.state.spice]

    def _room_in(self, play: Play, area: Area) -> bool:
        territory = board.territory_of(area)
        there = play.state.forces_in(territory)
        others = [faction for faction in there if faction != self.faction]
        if any(play.state.allied(self.faction, other) for other in others):
            return False
        return len(others) < 2 or territory not in STRONGHOLDS

    def _battle(self, play: Play) -> Iterator[str]:
        for battle in all_battles(play.game):
            sides = (battle.aggressor, battle.defender)
            enemy = sides[1] if sides[0] == self.faction else sides[0]
            if self.faction in sides:
                yield from self._plans(play, enemy, battle.areas)
                if self.faction == "bene-gesserit":
                    yield f"voice {enemy} not play poison weapon"
                elif self.faction == "atreides" and self.chance.random() < FILES_A_PLAN:
                    yield f"when fighting {enemy}: prescience {self.chance.choice(['leader', 'weapon', 'defense'])}"

    def _plans(self, play: Play, enemy: Faction, areas: Sequence[Area]) -> Iterator[str]:
        if self.chance.random() >= FILES_A_PLAN:
            return
        if self.chance.random() < ASKED_IF_VOICED:
            yield f"when fighting {enemy} and voiced: ask me"
        state = play.state
        tokens = sum(here.total for area, here in state.areas_of(self.faction) if area in areas)
        hand = state.players[self.faction].hand
        leaders = [name for name in leaders_of(self.faction) if state.leaders[name].status == "ready"]
        if Card("Cheap Hero") in hand and not leaders:
            leader: str | None = o.CHEAP_HERO
        else:
            leader = self.chance.choice(leaders) if leaders else None
        weapon = self._card(hand, is_weapon) if leader else None
        defense = self._card(hand, is_defense) if leader else None
        dial = self.chance.randint(0, tokens // 2 if tokens > 1 else tokens)
        yield f"when fighting {enemy}: {write(o.Plan(dial, leader, weapon, defense))}"

    def _card(self, hand: Sequence[Card], serves: Callable[[Card], bool]) -> Card | None:
        fit = [card for card in hand if serves(card)]
        return self.chance.choice(fit) if fit else None
