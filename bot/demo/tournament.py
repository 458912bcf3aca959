"""The demo of a tournament: twelve scripted players and a substitute enter by mail, play two heats and a final, and
nobody but the director does anything by hand.

It goes through the same mail as the demo of a game. Days pass as quickly as nobody has anything to say: the clock of
the demo is set forward then. One entrant never sends an order, so that a substitute takes their seats; one table is
told that the coming turn is its last.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from bot.archive.tournaments.words import outcome_told
from bot.competition.published import Published
from bot.demo.entrants import ScriptedEntrant
from bot.demo.game import BOT, GAME_MASTER, PASSWORD, Client, DemoFailed, demo_mailbox, demo_settings
from bot.demo.players import Dice
from bot.demo.programs import PROGRAMS
from bot.mail.servers.imap import ImapMailbox
from bot.mail.servers.localserver import LocalMail
from bot.mail.servers.transport import SmtpServer, SmtpTransport
from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.outbox import Outbox
from bot.service.system_clock import utc_now
from bot.store.database import open_database, reading
from bot.store.published import published
from bot.store.tournaments import entrants, results, tournaments
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.rounds import Playing
from bot.tournament import drawing, making, rounds, starting
from bot.tournament.desk import DIRECTOR
from bot.tournament.given_names import display_name
from bot.wording.filters import listed

CUP = "arrakis-cup"
NAMES = (
    "Alma", "Bruno", "Chiara", "Dmitri", "Eunji", "Femi", "Greta", "Hugo", "Ines", "Jamal", "Kira", "Lars",
)  # fmt: skip
SILENT, STANDBY = "Lars", "Mara"
BEACON = "04 11 19 23 38 42"
SETTINGS = """
title = "The Arrakis Cup"
format = "heats"
beacon = "the six numbers of the lottery of that day, in the order drawn"
beacon_date = "{day}"

[rounds]
heats = 2
semifinal = 0
final = 6
days = 60

[tables]
ruleset = "{ruleset}"
tempo = "table"
options = {{ {options} }}

[endings]
notice_days = 10
protest_hours = 24
"""
TURNS = 3
STEP = timedelta(hours=8)
MOST_ROUNDS = 20_000
MOST_DAYS = 400


@dataclass(frozen=True, slots=True)
class Happened:
    """What a director would type, "" where nobody does anything, and what came of it."""

    day: int
    command: str
    told: str
    seconds: float


@dataclass(slots=True)
class PlayedCup:
    """A tournament that came to its end."""

    title: str
    published: Published
    entrants: list[ScriptedEntrant]
    ended: datetime
    letters: int = 0
    answers: int = 0
    days: int = 0
    seconds: float = 0.0
    story: list[Happened] = field(default_factory=list)


def play(
    folder: Path, seed: str, ruleset: str, progress: Callable[[Happened], None], options: Mapping[str, int | str]
) -> PlayedCup:
    """Play a whole tournament by mail in this folder, which must exist. Its games have these options of their rule set;
    without ``max_turns`` they take ``TURNS`` at most.

    RuleSetError for a rule set or an option that is not played, DemoFailed if it does not come to its end.
    """
    options = {"max_turns": TURNS, **options}
    with contextlib.ExitStack() as stack:
        cup = _Cup.begin(stack, folder, seed, progress)
        day = cup.now.date() + timedelta(days=7)
        written = ", ".join(f"{name} = {json.dumps(value)}" for name, value in options.items())
        text = SETTINGS.format(day=day, ruleset=ruleset, options=written)
        (folder / "cup.toml").write_text(text.lstrip(), encoding="utf-8")
        cup.make(text)
        cup.enter()
        cup.draw_and_start(BEACON)
        turns = int(options["max_turns"])
        cup.play_round(1, 2, last_turn=turns - 1 if turns > 2 else 0)
        cup.draw_and_start()
        cup.play_round(3)
        return cup.end()


class _Cup:
    """The tournament while it is played."""

    def __init__(
        self, moderator: Moderator, mailbox: ImapMailbox, transport: SmtpTransport, clients: Sequence[Client],
        progress: Callable[[Happened], None],
    ) -> None:  # fmt: skip
        self._moderator, self._mailbox, self._transport, self._clients = moderator, mailbox, transport, clients
        self._open_games, self._engine = moderator.open_games, moderator.engine
        self._outbox = Outbox(moderator.open_games)
        self._progress, self._began = progress, time.monotonic()
        self._first = self.now = utc_now()
        self._letters = self._answers = 0
        self._story: list[Happened] = []
        self._seen: set[tuple[object, ...]] = set()

    @classmethod
    def begin(cls, stack: contextlib.ExitStack, folder: Path, seed: str, progress: Callable[[Happened], None]) -> _Cup:
        """Servers, Mentat and everybody's mail program."""
        people = [ScriptedEntrant(name, f"{name.lower()}@players.example", PROGRAMS[number % len(PROGRAMS)],
                                  Dice(seed, name), silent=name == SILENT)
                  for number, name in enumerate((*NAMES, STANDBY))]  # fmt: skip
        boxes = dict.fromkeys([BOT, GAME_MASTER, *(person.address for person in people)], PASSWORD)
        servers = stack.enter_context(LocalMail(boxes))
        settings = demo_settings(folder, servers)
        moderator = Moderator(settings, open_database(settings.database_place))
        mailbox = stack.enter_context(demo_mailbox(settings, servers))
        transport = stack.enter_context(SmtpTransport(SmtpServer(servers.host, servers.smtp_port, "none")))
        clients = [stack.enter_context(Client(person, servers)) for person in people]
        return cls(moderator, mailbox, transport, clients, progress)

    # --- what the director does --------------------------------------------------------------------------------------

    def make(self, text: str) -> None:
        """The tournament is made, and takes entries."""
        making.new(self._open_games, CUP, text, self.now)
        self._tell(f"new {CUP} cup.toml", "The settings are frozen, and the commitment to the secret is published.")
        until = self.now + timedelta(days=6)
        making.open_entries(self._open_games, CUP, self.now, until=until)
        told = "Entries are open; the beacon of the draw is announced, and its day."
        self._tell(f"open {CUP} --until {until:%Y-%m-%d}", told)

    def enter(self) -> None:
        """Everybody enters by mail, and confirms."""
        for client in self._clients:
            person = client.player
            assert isinstance(person, ScriptedEntrant)
            client.send(person.enters(BOT, CUP, self.now, standby=person.name == STANDBY))
        self._mail_until(lambda: False)
        self._tell("", f"{len(NAMES)} players and a substitute have entered and confirmed, by mail.")
        self.now += timedelta(days=7)

    def draw_and_start(self, beacon: str = "") -> None:
        """Draw what comes next, and begin its games."""
        drawn = drawing.draw(self._open_games, CUP, self.now, drawing.Asked(beacon=beacon))
        said = f' --beacon "{beacon}"' if beacon else ""
        numbers = drawn.record.rounds
        what = f"Rounds {listed(map(str, numbers))} are" if len(numbers) > 1 else f"Round {numbers[0]} is"
        kind = "the final" if drawn.record.kind == "final" else "played at the same time"
        self._tell(f"draw {CUP}{said}", f"{what} drawn, {kind}; anybody can compute the draw again.")
        starting.start(self._open_games, CUP, self.now)
        tables = len(drawn.record.tables)
        begun = f"{tables} games begin" if tables > 1 else "The game begins"
        self._tell(f"start {CUP}", f"{begun}; every player has a letter.")

    def play_round(self, *numbers: int, last_turn: int = 0) -> None:
        """Play the tables of these rounds until they have a result that stands; with ``last_turn`` the first table is
        told of it when it has come to the turn before."""
        told = not last_turn

        def over() -> bool:
            nonlocal told
            with reading(self._engine) as conn:
                going = [each for each in rows.playing(conn, CUP) if each.table.round in numbers]
            told = told or self._tell_last_turn(going, last_turn)
            self._tell_news()
            return not going

        self._mail_until(over)
        self._pass(timedelta(days=2))  # until nobody may protest any more
        self._tell_news()
        for number in numbers:
            rounds.close(self._open_games, CUP, number, DIRECTOR, self.now)
            self._tell(f"round {CUP} {number} close", f"Round {number} is over; its results stand.")

    def _tell_news(self) -> None:
        """What has happened of itself since: who took a seat of somebody else, which tables are over."""
        with reading(self._engine) as conn:
            known = {one.number: display_name(one.handle, one.name) for one in entrants.of_tournament(conn, CUP)}
            held = rows.tenures(conn, CUP)
            over = results.newest(conn, CUP)
        for one in held:
            place = (one.round, one.table, one.faction, one.entrant)
            if one.why == "substitute" and one.entrant and place not in self._seen:
                self._seen.add(place)
                gone = next(known[each.entrant] for each in held if each.faction == one.faction and each.entrant
                            and (each.round, each.table) == place[:2] and each.entrant != one.entrant)  # fmt: skip
                self._tell(
                    "", f"{gone} never wrote; {known[one.entrant]} takes the seat at table {place[0]}.{place[1]}."
                )
        for at, result in sorted(over.items()):
            if at not in self._seen:
                self._seen.add(at)
                self._tell("", f"Table {at[0]}.{at[1]} is over: {outcome_told(result.outcome)}")

    def _tell_last_turn(self, going: Sequence[Playing], last_turn: int) -> bool:
        if not (first := next((each for each in going if each.turn == last_turn - 1), None)):
            return False
        named = f"{first.table.round}.{first.table.number}"
        rounds.notice(self._open_games, CUP, first.table.round, named, last_turn, DIRECTOR, self.now)
        self._tell(
            f"round {CUP} notice {named} --last-turn {last_turn}",
            f"Table {named} is told that turn {last_turn} is its last.",
        )
        return True

    def end(self) -> PlayedCup:
        """What is left of it."""
        self._pass(timedelta(days=1))
        with reading(self._engine) as conn:
            cup = tournaments.find(conn, CUP)
            document = published(conn, CUP, self.now)
        if cup.state != "finished":
            raise DemoFailed(f"The tournament did not end: it is {cup.state}.")
        people = [client.player for client in self._clients if isinstance(client.player, ScriptedEntrant)]
        seconds = time.monotonic() - self._began
        return PlayedCup(
            cup.title, document, people, self.now, self._letters, self._answers, self._day, seconds, self._story
        )

    # --- mail and time -----------------------------------------------------------------------------------------------

    def _mail_until(self, over: Callable[[], bool]) -> None:
        """Let mail go to and fro until nothing is left to do, and time pass while nobody writes, until it is over."""
        for _ in range(MOST_ROUNDS):
            moved = self._once()
            if over():
                break
            if moved:
                continue
            with reading(self._engine) as conn:
                if not rows.playing(conn, CUP):
                    break
            if self._day > MOST_DAYS:
                raise DemoFailed(f"The tournament did not end: {MOST_DAYS} days have passed.")
            self.now += STEP
            self._moderator.timekeeper.tick(self.now)
        while self._once():
            pass

    def _once(self) -> int:
        sent = loop.send(self._outbox, self._transport, self.now).sent
        written = sum(client.read_and_answer(self.now) for client in self._clients)
        loop.poll(self._moderator, self._mailbox, lambda: self.now)
        self._letters, self._answers = self._letters + sent, self._answers + written
        return sent + written

    def _pass(self, span: timedelta) -> None:
        """Let time pass."""
        end = self.now + span
        while self.now < end:
            self.now += STEP
            self._moderator.timekeeper.tick(self.now)
            while self._once():
                pass

    @property
    def _day(self) -> int:
        return (self.now - self._first).days

    def _tell(self, command: str, told: str) -> None:
        full = f"mentat tournament {command}" if command else ""
        happened = Happened(self._day, full, told, time.monotonic() - self._began)
        self._story.append(happened)
        self._progress(happened)
