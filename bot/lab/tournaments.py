"""Tournaments of any size: played by mail, with the mishaps of real tournaments, or decided by lot, without games.

*By mail*, in one process: an event runs unattended from the close of its entries to its end. People enter too late or
twice, never confirm, do not show up, or leave; there are an outage, a game that is rolled back, protests and an amended
result. Every person is a scripted player with a mailbox. Letters go from the outbox directly to the players, and their
answers are handed to the moderator as mail, without mail servers. The clock advances when nobody has anything to say.

*By lot*: every seat is drawn, the winners are chosen by lot, and everything else is computed. This shows that draws,
standings, ratings and the export work for events of any size, and measures their cost.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path

import msgspec

from bot.competition.outcomes import Handle, Kind, SeatOutcome, TableOutcome, Tenure
from bot.competition.published import (
    DrawRecord,
    Entrant,
    Published,
    Result,
    Round,
    RoundKind,
    Standing,
    TableDrawn,
    TableNow,
    commitment,
    encode_published,
    roster_digest,
    round_seed,
    with_sums,
)
from bot.competition.ratings import recompute_changes
from bot.competition.seating import SeatingWishes, draw_seating
from bot.competition.settings import TournamentSettings, read_settings, settings_digest
from bot.competition.standings import standings_of_published
from bot.competition.verification import verify
from bot.desk import positions
from bot.desk.powers import DeskRequest, Use
from bot.lab.demo import DemoFailed
from bot.lab.players_by_mail import IN_DEMOS, PROGRAMS, Dice, Habits, Original, ScriptedPlayer, Writer
from bot.lab.worlds import BOT, IN_FOLDERS, World, empty_outbox, make_settings
from bot.mail.identity import plus_address
from bot.moderator import outage
from bot.service.machine import utc_now
from bot.store import tournament_rounds as rows
from bot.store import tournaments
from bot.store.database import reading
from bot.store.publication import published_tournament
from bot.tournament import adjudication, beacons, desk, drawing, entries, game_starts, preparation, results, rounds
from bot.tournament.desk import By, Caller
from rules.components import Faction
from rules.components.chance import Chance

EVENT = "event"
EVENT_SETTINGS = """
title = "The Event"
format = "heats"
auto = true
beacon = "quicknet"
witness = true

[rounds]
heats = {heats}
semifinal = {semifinal}
final = 6
days = 60

[tables]
tempo = "table"
options = {{ max_turns = {turns} }}

[endings]
notice_days = 10
protest_hours = 48
"""
DIRECTOR_ADDRESS = "director@players.example"
ARBITERS = ("arbiter1@players.example", "arbiter2@players.example")
DIRECTOR = By(right="director", why="It is needed.")


GUESTS: tuple[tuple[str, int, Habits], ...] = (
    ("late", 6, IN_DEMOS),
    ("unsure", 4, Habits(confirms=False)),
    ("absent", 12, Habits(silent=True)),
    ("leaver", 15, Habits(leaves_after=12)),
    ("player", 173, IN_DEMOS),
    ("helper", 20, IN_DEMOS),
    ("refuser", 10, Habits(accepts=False)),
)
"""The people who come to an event of two hundred: the name, number and habits of each kind."""


@dataclass(slots=True)
class EventResult:
    published: Published
    counted: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    days: int = 0
    seconds: float = 0.0
    computing: float = 0.0
    longest: dict[str, float] = field(default_factory=dict)
    """The longest processing time, in CPU seconds, of any mail and of any time step."""


def hold_event(folder: Path, players: int, seed: str, turns: int, progress: Callable[[str], None]) -> EventResult:
    """Play a whole event in this existing folder; raise DemoFailed if it does not end. If games have only one turn, the
    event is short: one heat and a final."""
    event = _Event(folder, players, seed, turns, progress)
    event.enter()
    event.run()
    return event.end()


class _Arbiter(ScriptedPlayer):
    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        return ["No ground: the storm was moved as it should be."] if subject.startswith("Verdict ") else []


class _Director(ScriptedPlayer):
    """A director who restarts the clocks, which Mentat stops because some of the people it is waiting for never
    write."""

    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        return ["resume games"] if "resume games" in text and not subject.startswith("Re:") else []


class TournamentByMail:
    step = timedelta(hours=12)
    most_days = 600

    def __init__(self, world: World, tournament: str) -> None:
        self.moderator, self.open_games, self.engine = world.moderator, world.open_games, world.engine
        self._tournament, self.began, self._began_computing = tournament, time.monotonic(), time.process_time()
        self.longest: dict[str, float] = {}
        self.first = self.now = utc_now()

    def exchange(self) -> int:
        raise NotImplementedError

    def until_quiet(self) -> None:
        while self.exchange():
            pass

    def mail_until(self, over: Callable[[], bool], meanwhile: Callable[[], None] = lambda: None) -> None:
        while True:
            moved = self.exchange()
            if over():
                break
            if not moved:
                meanwhile()
                self.tick(self.step)
        self.until_quiet()

    def tick(self, span: timedelta) -> None:
        self.now += span
        if self.days > self.most_days:
            raise DemoFailed(f"The tournament did not end within {self.most_days} days.")
        with self._measured("a step of time"):
            self.moderator.timekeeper.tick(self.now)

    @contextmanager
    def _measured(self, what: str) -> Iterator[None]:
        began = time.process_time()
        yield
        self.longest[what] = max(self.longest.get(what, 0.0), time.process_time() - began)

    def wait(self, span: timedelta) -> None:
        end = self.now + span
        self.until_quiet()
        while self.now < end:
            self.tick(min(self.step, end - self.now))
            self.until_quiet()

    def going(self) -> list[rows.TablePlayed]:
        with reading(self.engine) as conn:
            return rows.tables_playing(conn, self._tournament)

    def draw_and_start(self, request: drawing.DrawRequest | None = None) -> DrawRecord:
        asked = request or drawing.DrawRequest()
        drawn = drawing.draw(Caller(self.open_games, self.now), self._tournament, asked).record
        game_starts.start_games(Caller(self.open_games, self.now), self._tournament)
        return drawn

    def announce_last_turn(self, table: rows.TablePlayed, turn: int, by: By) -> str:
        named = f"{table.table.round}.{table.table.number}"
        rounds.announce_last_turn(
            Caller(self.open_games, self.now, by), self._tournament, table.table.round, named, turn
        )
        return named

    @property
    def days(self) -> int:
        return (self.now - self.first).days


class _Event(TournamentByMail):
    def __init__(self, folder: Path, players: int, seed: str, turns: int, progress: Callable[[str], None]) -> None:
        super().__init__(World(make_settings(folder, IN_FOLDERS)), EVENT)
        self.players, self.turns, self.progress = players, turns, progress
        self.heats = 3 if turns > 1 else 1
        self.guests: dict[str, ScriptedPlayer] = {}
        self.counted: Counter[str] = Counter()
        self.letters: dict[str, Counter[str]] = defaultdict(Counter)
        self.wrong: list[str] = []
        number = {kind: round(times * players / 200) for kind, times, _ in GUESTS}
        number["player"] = players - number["absent"] - number["leaver"]
        number["helper"] = max(2, number["helper"])
        for kind, _, habits in GUESTS:
            for each in range(number[kind]):
                name, address = f"{kind.title()} {each + 1}", f"{kind}{each + 1}@players.example"
                program = PROGRAMS[(len(self.guests) + each) % len(PROGRAMS)]
                self.guests[address] = ScriptedPlayer(name, address, program, Dice(seed, name), habits)
        self.guests[DIRECTOR_ADDRESS] = _Director("Director", DIRECTOR_ADDRESS, PROGRAMS[0], Dice(seed, "director"))
        for address in ARBITERS:
            self.guests[address] = _Arbiter("Arbiter", address, PROGRAMS[0], Dice(seed, address))

    def _of(self, *kinds: str) -> list[ScriptedPlayer]:
        return [guest for guest in self.guests.values() if guest.address.startswith(kinds)]

    # --- entries -----------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        semifinal = 36 if self.players > 36 and self.heats > 1 else 0
        preparation.new_tournament(
            Caller(self.open_games, self.now),
            EVENT,
            EVENT_SETTINGS.format(semifinal=semifinal, heats=self.heats, turns=self.turns),
        )
        desk.grant_right(Caller(self.open_games, self.now), EVENT, DIRECTOR_ADDRESS, "director")
        for address in ARBITERS:
            desk.grant_right(Caller(self.open_games, self.now), EVENT, address, "arbiter")
        preparation.open_entries(Caller(self.open_games, self.now), EVENT, until=self.now + timedelta(days=10))
        for guest in self._of("unsure", "absent", "leaver", "player"):
            self._write(guest.enters(BOT, EVENT, self.now).raw)
        for guest in self._of("helper", "refuser"):
            self._write(guest.enters(BOT, EVENT, self.now, standby=True).raw)
        self.until_quiet()
        for guest in self._of("player")[: max(1, round(3 * self.players / 200))]:
            self.wait(timedelta(hours=2))
            self._write(guest.enters(BOT, EVENT, self.now).raw.replace(b"<enters.", b"<again."))
        self.wait(timedelta(days=11))
        for guest in self._of("late"):
            self._write(guest.enters(BOT, EVENT, self.now).raw)
        self.until_quiet()
        with reading(self.engine) as conn:
            confirmed = tournaments.entrants_of(conn, EVENT, ["confirmed"])
        seated = [each for each in confirmed if not each.standby]
        self._expect(len(seated) == self.players, f"{len(seated)} are confirmed, not {self.players}")
        self.progress(f"{len(seated)} confirmed")

    # --- unattended steps --------------------------------------------------------------------------------------------

    def run(self) -> None:
        planned = [self._drawn, self._last_turns, self._taken_back, self._stopped, self._outage, self._protests,
                   self._disqualified]  # fmt: skip

        def meanwhile() -> None:
            self._send_beacon()
            if planned and planned[0]():
                planned.pop(0)

        def over() -> bool:
            with reading(self.engine) as conn:
                return tournaments.find_tournament(conn, EVENT).state == "finished"

        self.mail_until(over, meanwhile)
        self.wait(timedelta(days=1))
        self.counted["mails of the director"] = self.guests[DIRECTOR_ADDRESS].sent
        self._expect(not planned, f"{len(planned)} mishaps never happened")

    def _drawn(self) -> bool:
        tables = [table for one in self._document().rounds if one.draw for table in one.draw.tables]
        if not self.going():
            return False
        self._check_draw([[seat.entrant for seat in table.seats] for table in tables if table.round <= self.heats])
        self.progress(f"{len(self.going())} games begin")
        return True

    def _send_beacon(self) -> None:
        with reading(self.engine) as conn:
            frozen, sent = beacons.frozen_draw(conn, EVENT), beacons.sent_values(conn, EVENT)
        if frozen and frozen.at <= self.now and not sent.settled:
            self.progress(f"round {frozen.round} is frozen, and its beacon known")
            value = frozen.form.replace("RANDOMNESS", f"0badc0de{frozen.round:02d}")
            for guest in self._of("player")[:2]:
                self._answer(guest, "beacon", f"beacon {frozen.round}: {value}")

    # --- mishaps -----------------------------------------------------------------------------------------------------

    def _last_turns(self) -> bool:
        for each in [one for one in self.going() if one.turn < self.turns][:4]:
            self.announce_last_turn(each, each.turn + 1, DIRECTOR)
            self.counted["last-turn notices"] += 1
        return True

    def _taken_back(self) -> bool:
        table = self.going()[-1].table
        with reading(self.engine) as conn:
            played = self.open_games.table(conn, table.game_id)
            entries, everybody = played.entries, tuple(played.seats)
        self.open_games.forget(table.game_id)
        told = Use(tell="An order was lost.")
        positions.roll_back(DeskRequest(self.open_games, table.game_id, self.now, told), max(0, entries - 5), everybody)
        self.counted["rollbacks"] += 1
        return True

    def _stopped(self) -> bool:
        ready = [each for each in self.going() if each.turn > 1]
        if not ready:
            return self.turns == 1 or len(self.going()) < 2
        named = f"{ready[-1].table.round}.{ready[-1].table.number}"
        adjudication.adjudicate(
            Caller(self.open_games, self.now, DIRECTOR), EVENT, named, adjudication.Finding("stopped")
        )
        self.counted["stopped"] += 1
        return True

    def _outage(self) -> bool:
        outage.note_mailbox_failure(self.open_games, self.now)
        for _ in range(4):
            self.now += self.step
            self.moderator.timekeeper.tick(self.now)
        outage.note_mailbox_success(self.open_games, self.now)
        self.counted["outages"] += 1
        return True

    def _protests(self) -> bool:
        with reading(self.engine) as conn:
            kept = [one for one in rows.newest_results(conn, EVENT).values() if one.state == "provisional"][:2]
        if len(kept) < 2:
            return False
        for result in kept:
            self._protest(f"{result.place[0]}.{result.place[1]}", result.outcome.seats[0].tenures[0].entrant)
        self.until_quiet()
        with reading(self.engine) as conn:
            filed = tournaments.papers_of(conn, EVENT, "protest")
        self.counted["protests"] += len(filed)
        void = results.ResultChanges(kind="void", winners=())
        for paper in filed[1:]:
            results.amend_result(
                Caller(self.open_games, self.now, DIRECTOR), EVENT, f"{paper.round}.{paper.table}", void
            )
            self.counted["amended"] += 1
        return True

    def _protest(self, table: str, handle: str) -> None:
        with reading(self.engine) as conn:
            entrant = tournaments.find_entrant(conn, EVENT, handle)
        if entrant is not None:
            self._answer(
                self.guests[entrant.address], f"protest.{table}", f"protest {table}: the storm was moved wrongly"
            )

    def _disqualified(self) -> bool:
        document = self._document()  # between the heats and the next draw
        if not all(one.state == "closed" for one in document.rounds):
            return False
        best = document.standings[0].entrant
        entries.disqualify(Caller(self.open_games, self.now, DIRECTOR), EVENT, best)
        self.counted["disqualified"] += 1
        return True

    def _answer(self, guest: ScriptedPlayer, about: str, line: str) -> None:
        with reading(self.engine) as conn:
            token = next(each.token for each in tournaments.entrants_of(conn, EVENT) if each.address == guest.address)
        guest.sent += 1
        to = plus_address(BOT, token)
        original = Original("The Event", BOT, to, f"<{about}@players.example>", "", "", "The Event.")
        self._write(guest.program(original, Writer(guest.name, guest.address, guest.sent), [line], self.now))

    # --- mail and time -----------------------------------------------------------------------------------------------

    def _write(self, raw: bytes) -> None:
        with self._measured("a mail"):
            verdict = self.moderator.deliver(raw, self.now)
        self.counted["mails"] += 1
        self._expect(verdict.disposition in ("orders", "empty", "rejected"), f"a mail was {verdict.disposition}")

    def exchange(self) -> int:
        posted = empty_outbox(self.engine, self.now)
        written = 0
        for address, letters in posted.items():
            self.counted["letters"] += len(letters)
            self._look(address, letters)
            guest = self.guests.get(address)
            if guest is None:
                continue
            for answer in guest.read(letters, self.now):
                self._write(answer.raw)
                written += 1
            guest.letters.clear()
        return len(posted) + written

    def _look(self, address: str, letters: list[bytes]) -> None:
        for raw in letters:
            head, _, body = raw.partition(b"\n\n")
            identity = next((line for line in head.splitlines() if line.lower().startswith(b"message-id:")), b"")
            self.letters[address][identity.decode("ascii", "replace")] += 1
            foreign = b"@players.example" in body.replace(address.encode(), b"")
            if foreign and address in self.guests and address != DIRECTOR_ADDRESS:
                self.wrong.append(f"a letter to {address} holds another's address")

    # --- invariants --------------------------------------------------------------------------------------------------

    def _expect(self, holds: bool, why: str) -> None:
        if not holds:
            self.wrong.append(why)

    def _check_draw(self, tables: list[list[str]]) -> None:
        met = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
        fives = Counter(handle for table in tables if len(table) == 5 for handle in table)
        if self.players >= 60:
            self._expect(max(met.values()) == 1, "somebody meets somebody twice in the heats")
            self._expect(max(fives.values(), default=0) <= 1, "somebody sits at two tables of five")

    def _document(self) -> Published:
        with reading(self.engine) as conn:
            return published_tournament(conn, EVENT, self.now)

    def end(self) -> EventResult:
        document = self._document()
        self._expect(document.state == "finished", f"the event is {document.state}")
        if difference := verify(encode_published(document)).difference:
            self.wrong.append(f"the export does not hold: {difference}")
        twice = sum(times > 1 for letters in self.letters.values() for times in letters.values())
        self._expect(not twice, f"{twice} letters came twice")
        whys = Counter(tenure.why for one in document.results for seat in one.outcome.seats for tenure in seat.tenures)
        self.counted |= Counter({"games": len({(one.outcome.round, one.outcome.table) for one in document.results})})
        self.counted |= Counter({f"tenures: {why}": number for why, number in whys.items()})
        seconds, computing = time.monotonic() - self.began, time.process_time() - self._began_computing
        return EventResult(document, dict(self.counted), self.wrong, self.days, seconds, computing, self.longest)


LOT_SETTINGS = """title = "An event by lot"
format = "heats"

[rounds]
heats = {heats}
semifinal = {semifinal}
final = 6
"""
FIRST_DAY = date(2026, 1, 1)
ENDS: tuple[tuple[Kind, str, int], ...] = (
    ("stronghold", "strongholds", 1),
    ("stronghold", "strongholds", 2),
    ("stronghold", "strongholds", 2),
    ("stronghold", "strongholds", 3),
    ("default", "guild", 1),
    ("prediction", "prediction", 1),
    ("adjudicated", "", 2),
    ("void", "", 0),
)
"""How tables end in tournaments by lot: the kind, the game's word for it, and the number of winners. Frequent endings
are listed several times."""


@dataclass(slots=True)
class LotResult:
    published: Published
    seconds: dict[str, float] = field(default_factory=dict)
    difference: str = ""

    @property
    def met_again(self) -> int:
        met = Counter(pair for table in _heats(self.published) for pair in combinations(sorted(table), 2))
        return sum(times > 1 for times in met.values())


def play_by_lot(entrants: int, seed: str, *, heats: int = 3) -> LotResult:
    """Hold a tournament whose winners are chosen by lot; raise NoTables if the entrants cannot be divided among
    tables."""
    made = _Making(entrants, seed, heats)
    made.play("heat", tuple(range(1, heats + 1)), made.handles)
    best = [row.entrant for row in made.standings()]
    if made.settings.rounds.semifinal:
        best = best[: made.settings.rounds.semifinal]
        made.play("semifinal", (heats + 1,), best)
        best = [row.entrant for row in made.standings()]
    made.play("final", (made.rounds[-1].number + 1,), best[:6])
    return made.end()


class _Making:
    def __init__(self, entrants: int, seed: str, heats: int) -> None:
        self.text = LOT_SETTINGS.format(heats=heats, semifinal=36 if entrants > 36 else 0)
        self.settings: TournamentSettings = read_settings(self.text)
        self.handles = tuple(f"E{number:0{max(3, len(str(entrants)))}d}" for number in range(1, entrants + 1))
        self.secret = f"secret of {seed}"
        self.chance = Chance(seed, {})
        self.rounds: list[Round] = []
        self.results: list[Result] = []
        self.seconds: dict[str, float] = {}

    def play(self, kind: RoundKind, numbers: tuple[int, ...], ranked: Sequence[Handle]) -> None:
        roster = tuple(sorted(ranked))
        due, beacon = roster_digest(roster), ""
        history = tuple(
            table for one in self.rounds if one.draw for table in one.draw.tables if table.round == one.number
        )
        asked = DrawRecord(
            rounds=numbers,
            kind=kind,
            roster=roster,
            ranked=tuple(ranked),
            roster_digest=due,
            beacon=beacon,
            history=history,
        )
        with self._timed(f"draw of {kind}s"):
            drawn = draw_seating(asked, round_seed(self.secret, numbers[0], due, beacon), SeatingWishes())
        for table in drawn.tables:
            outcome = self._ends(table)
            self.results.append(Result(outcome=outcome, state="confirmed", day=outcome.ended))
        for number in numbers:
            there = tuple(
                TableNow(table=table.table, state="finished", game=_game(table), seats=_seats(table))
                for table in drawn.tables
                if table.round == number
            )
            self.rounds.append(
                Round(
                    number=number, kind=kind, state="closed", opens=FIRST_DAY, ends=FIRST_DAY, draw=drawn, tables=there
                )
            )

    def _ends(self, table: TableDrawn) -> TableOutcome:
        kind, how, winners = self.chance.pick("end", ENDS)
        turn = 1 + self.chance.draw("turn", 10)
        order = [faction for faction, _ in _seats(table)]
        self.chance.shuffle("winners", order)
        seats = tuple(
            SeatOutcome(
                faction=seat.faction or order[0],
                dot=seat.dot,
                tenures=(Tenure(entrant=seat.entrant, first=1, last=turn),),
                strongholds=(held := self.chance.draw("held", 3)),
                strongholds_over_turns=held * turn,
            )
            for seat in table.seats
        )
        won = tuple(order[:winners])
        return TableOutcome(
            game=_game(table), ruleset="wbc-2018", kind=kind, how=how, winners=won, turn=turn, seats=seats,
            round=table.round, table=table.table, ended=FIRST_DAY + timedelta(days=60 * table.round + table.table % 50),
            alliances=(won,) if winners > 1 else (),
        )  # fmt: skip

    def standings(self) -> tuple[Standing, ...]:
        document = self._document("running")
        with self._timed("standings"):
            return standings_of_published(document)

    def end(self) -> LotResult:
        document = self._document("finished")
        with self._timed("ratings"):
            document = msgspec.structs.replace(document, ratings=recompute_changes(document))
        with self._timed("standings"):
            document = with_sums(msgspec.structs.replace(document, standings=standings_of_published(document)))
        with self._timed("export"):
            data = encode_published(document)
        with self._timed("verify"):
            found = verify(data).difference
        return LotResult(document, self.seconds, found)

    def _document(self, state: str) -> Published:
        finished = state == "finished"
        entrants = tuple(Entrant(handle=handle, state="out" if finished else "playing") for handle in self.handles)
        return Published(
            tournament="by-lot",
            settings=self.text,
            settings_sha256=settings_digest(self.text),
            state="finished" if finished else "running",
            commitment=commitment(self.secret),
            secret=self.secret if finished else "",
            entrants=entrants,
            rounds=tuple(self.rounds),
            results=tuple(self.results),
        )

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[what] = self.seconds.get(what, 0.0) + time.perf_counter() - began


def _game(table: TableDrawn) -> str:
    return f"by-lot-r{table.round}-t{table.table:02d}"


def _seats(table: TableDrawn) -> tuple[tuple[Faction, Handle], ...]:
    return tuple((seat.faction, seat.entrant) for seat in table.seats if seat.faction)


def _heats(published: Published) -> list[list[Handle]]:
    return [
        [seat.entrant for seat in table.seats]
        for one in published.rounds
        if one.draw and one.kind == "heat"
        for table in one.draw.tables
        if table.round == one.number
    ]
