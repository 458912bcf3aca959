"""One game from the set-up to its last turn: letters go out, people answer when they do, deadlines pass.

Everything that decides is the real thing: the order language and the sheets (``bot.moderator.order_lines``), the
deputies and sheet windows (``bot.table.advance``), the deadlines in a database (``bot.store``) by the clock of the
game, and the letter writer's rule for who is written to. Only the letters are not put into words, and the players are
made up (``habits``).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

from bot.bench.pace.habits import Habits
from bot.bench.pace.people import ZONES, Person
from bot.clock.calendar import Calendar
from bot.clock.settings import GameClock
from bot.moderator.order_lines import Late, play_lines
from bot.orders.commands import LettersMode
from bot.post.letter_writer import written_to
from bot.store import games
from bot.store.database import Connection, open_database, writing
from bot.table import rounds
from bot.table.advance import go_on
from bot.table.deadlines import note_missed, overdue
from bot.table.letters_wanted import is_written_to
from bot.table.seat import Seat
from bot.table.table import Deadlines, Table
from rules.components import FACTIONS, Faction
from rules.components.chance import commitment
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.selfplay.random_player import random_seats

START = datetime(2026, 9, 7, 18, tzinfo=UTC)
MOST_STEPS = 50_000


@dataclass(slots=True)
class Lasted:
    """How a game went. ``days`` from the first letter to the end; ``stops`` and ``hours`` by phase: how often it waited
    for somebody, and how long; ``letters`` went to players unasked, ``answers`` for mails of theirs."""

    seed: str
    players: int = 0
    turns: int = 0
    days: float = 0.0
    stops: Counter[str] = field(default_factory=Counter)
    hours: dict[str, float] = field(default_factory=dict)
    letters: int = 0
    answers: int = 0
    missed: int = 0
    refused: int = 0
    lines: int = 0


def play_game(
    folder: Path,
    seed: str,
    ruleset: str,
    tempo: str,
    turns: int,
    step: float,
    *,
    sheets: bool,
    mode: LettersMode = "all",
) -> Lasted:
    """Play a game of six in a database in this folder, who all want letters of this ``mode``. RuntimeError if it does
    not end."""
    engine = open_database(folder / f"pace-{tempo}-{seed}.db")
    try:
        with writing(engine) as conn:
            game = _Game(conn, seed, ruleset, tempo, turns, step, sheets, mode)
            game.run()
            return game.lasted
    finally:
        engine.dispose()


class _Game:
    def __init__(
        self, conn: Connection, seed: str, ruleset: str, tempo: str, turns: int, step: float, sheets: bool,
        mode: LettersMode,
    ) -> None:  # fmt: skip
        self._conn = conn
        self._chance = Random(f"pace {seed}")
        options = {"max_turns": turns, "solo_strongholds_extra": 2}  # nobody wins before the last turn
        rules = load_rule_set(ruleset).with_options(options)
        dots = random_seats(seed, FACTIONS)
        play = Play.start(rules, seed, dots)
        zones = dict(zip(dots, self._chance.sample(ZONES, len(ZONES)), strict=True))
        seats = {
            faction: Seat(
                faction,
                dot,
                f"{faction}@players.example",
                faction,
                zones[faction],
                f"pace-{faction}",
                f"back-{faction}",
                letters_mode=mode,
            )
            for faction, dot in dots.items()
        }
        self._table = Table(f"pace-{seed}", ruleset, options, seed, play, seats, tempo=tempo)
        self._people = {f: Person(ZoneInfo(zones[f]), Random(f"{seed} {f} person")) for f in dots}
        self._habits = {f: Habits(f, Random(f"{seed} {f} habits"), sheets) for f in dots}
        self._looks: dict[Faction, datetime] = {}
        self._clock = GameClock(Calendar(ZoneInfo("UTC")), step, share=rounds.share(self._table))
        self._mode = mode
        self._stop = ""
        self.lasted = Lasted(seed, len(seats))
        games.create(conn, self._table, commitment(seed), "", START)

    def run(self) -> None:
        table, now = self._table, START
        games.save(self._conn, table, now, self._clock)
        self._write(now, {}, None)
        for _ in range(MOST_STEPS):
            if table.play.over:
                self.lasted.days = (now - START) / timedelta(days=1)
                self.lasted.turns = table.play.state.turn
                return
            phase, before, turn = table.play.state.phase, dict(table.deadlines), table.play.state.turn
            faction = min(self._looks, key=self._looks.__getitem__, default=None)
            silence = min(deadline.until for deadline in table.deadlines.values() if deadline.state == "open")
            then = self._looks[faction] if faction and self._looks[faction] < silence else silence
            self.lasted.hours[phase] = self.lasted.hours.get(phase, 0.0) + (then - now) / timedelta(hours=1)
            now = then
            if faction and now < silence:
                del self._looks[faction]
                self._look(faction, now)
            else:
                faction = None
                self._expire(now)
            games.save(self._conn, table, now, self._clock)
            self._write(now, before, faction)
            if self._mode == "all":
                self.lasted.letters += len(table.seats) * (table.play.state.turn - turn)  # the summary of a turn
        raise RuntimeError(f"{table.id} still goes on in turn {table.play.state.turn}, {table.play.state.phase}")

    def _look(self, faction: Faction, now: datetime) -> None:
        """A player looks at their letters, answers what these want, and gets an answer to it."""
        table, play = self._table, self._table.play
        table.now = now
        called = rounds.call_of(table)
        phases = called.phases[called.phases.index(play.state.phase) :] if called else (play.state.phase,)
        texts = self._habits[faction].lines(play, phases)
        if not texts:
            return
        late = Late(dict, self._people[faction].zone)
        played = play_lines(table, faction, texts, late, now.date())
        self.lasted.lines += len(played.lines)
        self.lasted.refused += sum(line.status in ("refused", "unread") for line in played.lines)
        self.lasted.answers += 1
        go_on(table, now)

    def _expire(self, now: datetime) -> None:
        table = self._table
        late = overdue(table.deadlines, table.play, now)
        gone = set(table.play.expire([key for _, key in late]))
        silent = [place for place in late if place[1] in gone]
        note_missed(table.deadlines, silent)
        self.lasted.missed += len(silent)
        go_on(table, now)

    def _write(self, now: datetime, before: Deadlines, answered: Faction | None) -> None:
        """Who gets a letter, and when they will look at it."""
        table, play = self._table, self._table.play
        if play.stop_name and play.stop_name != self._stop:
            self._stop = play.stop_name
            self.lasted.stops[play.state.phase] += 1
        called = table.calling
        for faction in sorted(written_to(table, before)):
            if faction == answered or is_written_to(table, faction, now, called=called):
                self.lasted.letters += faction != answered
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
