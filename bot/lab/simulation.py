"""A simulation that plays many games by mail in two installations of Mentat and compares the results.

The same simulated people play the same games in both installations: one process with a database file, and several
processes with a database server. Any of the several processes may be killed at any time. The simulation sets the clock,
which stands still while mail is processed. So both installations handle the same mails at the same moments, and every
event and every letter must be the same.

In each round, the due deadlines expire first. Then everybody reads the mail that has come since the last round
and answers it, and a minute later every installation takes the answers in the same order. Then some hours pass, or more
if nobody has anything to say.

`python -m bot.lab.simulation CONFIG CLOCK MAIL_CLOCK OUT PROCESSES` runs the installation with several processes. It
keeps PROCESSES of them running until it is stopped. Each does what `mentat run` does on a server, at the time that the
simulation sets, and writes its letters into a folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Self, TypeVar

from bot.config import load_settings
from bot.desk.new_game import NewGame, new_game
from bot.games import proof
from bot.lab.demo import DemoFailed
from bot.lab.players_by_mail import Dice, People, PostedLetter
from bot.lab.postgresql import PrivateServer
from bot.lab.workbench import children_of, cpu_seconds
from bot.lab.worlds import IN_FOLDERS, Sections, World, empty_outbox, make_settings
from bot.moderator import outage
from bot.moderator.moderator import Moderator
from bot.service import loop, workers
from bot.service.machine import utc_now
from bot.service.outbox import Outbox
from bot.service.workers import Clocks
from bot.store import installation, lab
from bot.store.database import DatabaseUnavailable, Engine, open_database, reading, writing, writing_no_game
from rules.components import FACTIONS, Faction
from rules.components.board import DOTS

START = datetime(2026, 9, 7, 18, tzinfo=UTC)
STEP = timedelta(hours=3)
QUIET = timedelta(hours=11)
ANSWERED = timedelta(minutes=1)
MOST_ROUNDS = 5_000


def play_simulation(
    installation: Installation, simulated: Simulated, progress: Callable[[str], None], verify: int = 3
) -> Outcome:
    """Play games that have begun (``begin_games``) to their end, or for the given number of rounds; then replay
    ``verify`` of them. Raise DemoFailed if the games do not end."""
    began, people, sent = time.monotonic(), People(simulated.seed), SentLetters()
    mails, now = 0, START
    for number in range(1, simulated.rounds + 1):
        installation.pass_time(now)
        fresh = [letter for letter in installation.posted(now) if _note_letter(sent, letter)]
        answers = list(people.answers(fresh, now))
        installation.take_all(answers, now + ANSWERED)
        mails += len(answers)
        with reading(installation.engine) as conn:
            left = lab.not_over(conn)
        if number % 10 == 0:
            progress(f"round {number}, {now:%d %b %H:%M}: {mails} mails, {left} games go on")
        if not left or number == simulated.rounds < MOST_ROUNDS:
            for letter in installation.posted(now):
                _note_letter(sent, letter)
            found = take_outcome(installation.engine, simulated.names, sent, verify)
            found.mails, found.rounds, found.seconds = mails, number, time.monotonic() - began
            return found
        now += STEP if answers else QUIET
    raise DemoFailed(f"After {MOST_ROUNDS} rounds {left} games are not over.")


def _note_letter(sent: SentLetters, letter: PostedLetter) -> bool:
    return sent.note(letter.recipient, letter.reply_to, letter.message_id, letter.raw)


DIFFERENCES: Sections = {
    "mentat": {"desk_mail": "off"},
    "mailbox": {"poll_seconds": 1},
    "clock": {"outage_minutes": 1440, "silence_stops": False},
}
SECRET = "the-spice-extends-life-expands-consciousness"


@dataclass(frozen=True, slots=True)
class Simulated:
    """The games to play, and the seed for them. The results are compared after ``rounds`` rounds, whether or not the
    games are over."""

    games: int
    turns: int
    ruleset: str = "wbc-2018"
    seed: str = "simulation"
    rounds: int = MOST_ROUNDS

    @property
    def names(self) -> list[str]:
        return [f"sietch-{number:05d}" for number in range(self.games)]

    def seats(self, number: int) -> Mapping[Faction, str]:
        """Return the player of each faction in this game. Three players also play in the previous game, and three
        in the next."""
        before = (number - 1) % self.games
        people = [f"{name}.{before}@players.example" for name in ("alma", "bruno", "chiara")]
        people += [f"{name}.{number}@players.example" for name in ("alma", "bruno", "chiara")]
        if self.games == 1:
            people[:3] = [f"{name}.0@players.example" for name in ("dmitri", "eunji", "femi")]
        shuffled = sorted(people, key=lambda person: Dice(self.seed, number, person).below(1))
        return dict(zip(FACTIONS, shuffled, strict=True))


def begin_games(moderator: Moderator, simulated: Simulated, now: datetime) -> None:
    dots = dict(zip(FACTIONS, DOTS, strict=True))
    for number, name in enumerate(simulated.names):
        seats, seed = simulated.seats(number), f"{simulated.seed} {number}"
        new = NewGame(name, simulated.ruleset, seats, dots, seed, options={"max_turns": simulated.turns})
        new_game(moderator.open_games, new, now)
    with writing(moderator.engine) as conn:
        lab.hide_words_alike(conn)
    moderator.open_games.forget()


class Installation(World):
    """An installation of Mentat in which games are played. Each method returns only when all its effects are
    complete."""

    def __init__(self, folder: Path, url: str = "") -> None:
        super().__init__(make_settings(folder, IN_FOLDERS, DIFFERENCES, {"database": {"url": url}}, secret=SECRET))
        self._mails = 0

    def pass_time(self, now: datetime) -> None:
        raise NotImplementedError

    def take_all(self, mails: Sequence[bytes], now: datetime) -> None:
        raise NotImplementedError

    def posted(self, now: datetime) -> list[PostedLetter]:
        raise NotImplementedError


class InThisProcess(Installation):
    """An installation of a single process, with a database file or server. It processes mail by mail, as `mentat poll`,
    `tick` and `send` do."""

    def pass_time(self, now: datetime) -> None:
        self.moderator.timekeeper.tick(now)

    def take_all(self, mails: Sequence[bytes], now: datetime) -> None:
        for raw in mails:
            self._mails += 1
            self.moderator.receive(raw, f"simulated:{self._mails}", now)

    def posted(self, now: datetime) -> list[PostedLetter]:
        letters = empty_outbox(self.engine, now)
        return [PostedLetter.of(recipient, raw) for recipient, raws in letters.items() for raw in raws]


@dataclass(slots=True)
class Outcome:
    """The final state of an installation. ``games`` holds for each game the digests of its parts. ``letters`` lists,
    for each recipient and reply address, the Message-IDs in the order in which they were first sent, each with the
    SHA-256 of its letter. ``wrong`` lists the violated invariants, in sentences."""

    games: Mapping[str, Mapping[str, str]]
    letters: Mapping[tuple[str, str], list[tuple[str, str]]]
    mails: int = 0
    sent_again: int = 0
    rounds: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


@dataclass(slots=True)
class SentLetters:
    """The letters that were sent, in order. A letter that is sent again is recorded; it must be identical to the first
    copy, byte for byte."""

    by_place: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)
    again: int = 0
    changed: list[str] = field(default_factory=list)
    _known: dict[str, str] = field(default_factory=dict)

    def note(self, recipient: str, reply_to: str, message_id: str, raw: bytes) -> bool:
        digest = hashlib.sha256(raw).hexdigest()
        known = self._known.get(message_id)
        if known is not None:
            self.again += 1
            if known != digest:
                self.changed.append(message_id)
            return False
        self._known[message_id] = digest
        self.by_place.setdefault((recipient, reply_to), []).append((message_id, digest))
        return True


def take_outcome(engine: Engine, names: list[str], sent: SentLetters, verify: int) -> Outcome:
    with reading(engine) as conn:
        found = Outcome({name: lab.digests(conn, name) for name in names}, sent.by_place, sent_again=sent.again)
        records = [proof.full_record(conn, name) for name in names[:verify]]
        twice, unsent, given_up = lab.taken_twice(conn), lab.unsent(conn), lab.given_up(conn)
    found.wrong += [f"{kept.id}: {proved.difference}" for kept in records if not (proved := proof.verify(kept)).holds]
    found.wrong += [f"the letter {name} went out again with other words" for name in sent.changed]
    for number, what in ((twice, "mails were taken twice"), (unsent, "letters wait"), (given_up, "letters are lost")):
        if number:
            found.wrong.append(f"{number} {what}")
    return found


def outcome_differences(one: Outcome, other: Outcome) -> Iterator[str]:
    for name in sorted(set(one.games) | set(other.games)):
        here, there = one.games.get(name, {}), other.games.get(name, {})
        parts = [part for part in {**here, **there} if here.get(part) != there.get(part)]
        if parts:
            yield f"{name}: {', '.join(parts)} differ"
    for place in sorted(set(one.letters) | set(other.letters)):
        first, second = one.letters.get(place, []), other.letters.get(place, [])
        if first == second:
            continue
        who = f"the letters to {place[0]} that {place[1]} answers"
        if sorted(first) == sorted(second):
            yield f"{who} went out in another order"
        else:
            missing, more = len(set(first) - set(second)), len(set(second) - set(first))
            yield f"{who} differ: {missing} of {len(first)} are missing, {more} are others"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome with one process (``alone``) and with several (``together``), of which ``killed`` were killed.
    ``wrong`` lists every difference and every violated invariant; ``said`` is the log of all processes."""

    alone: Outcome
    together: Outcome
    killed: int
    wrong: list[str]
    said: str

    @property
    def letters(self) -> int:
        return sum(len(each) for each in self.together.letters.values())


@dataclass(frozen=True, slots=True)
class Several:
    """The runs with several processes. ``kills`` holds one number for each run: for that many seconds, one process is
    killed every second.

    ``url`` is an empty database on a server, which can be used for one comparison only. If it is "", a private server
    is started, which is also stopped and restarted half-way through the killing.
    """

    workers: int
    url: str = ""
    kills: Sequence[float] = (0.0,)


def compare_installations(
    folder: Path, simulated: Simulated, several: Several, progress: Callable[[str], None]
) -> Iterator[Comparison]:
    """Play the games in one process, then in several, and yield the comparisons. Raise NoServer if no server can be
    started, DatabaseUnavailable if the database at ``url`` cannot be used, and DemoFailed if it already holds games or
    the games do not end."""
    with ExitStack() as stack:
        server = None if several.url else stack.enter_context(PrivateServer())
        if several.url:
            _require_empty(several.url)
        progress("one process, a file")
        with closing(InThisProcess(folder / "alone")) as single:
            begin_games(single.moderator, simulated, START)
            alone = play_simulation(single, simulated, progress)
        progress(f"{alone.mails} mails in {alone.seconds:.0f} s; now {several.workers} processes, a server")
        for number, seconds in enumerate(several.kills, 1):
            place = server.empty(f"simulated{number}") if server else several.url
            with InProcesses(folder / f"together{number}", place, several.workers) as processes:
                begin_games(processes.moderator, simulated, START)
                with processes.killing(seconds, server=server):
                    together = play_simulation(processes, simulated, progress)
                yield _compare_outcomes(alone, together, processes)


def _compare_outcomes(alone: Outcome, together: Outcome, several: InProcesses) -> Comparison:
    wrong = [*alone.wrong, *together.wrong, *outcome_differences(alone, together)]
    if together.sent_again > several.killed:
        wrong.append(f"{together.sent_again} letters went out again, and only {several.killed} processes died")
    return Comparison(alone, together, several.killed, wrong, several.said)


def _require_empty(url: str) -> None:
    engine = open_database(url)
    try:
        with reading(engine) as conn:
            held = lab.any_game(conn)
    finally:
        engine.dispose()
    if held:
        raise DemoFailed("The database holds games; a simulation needs an empty one.")


T = TypeVar("T")


class WorkersStuck(DemoFailed):
    pass


PATIENCE_SECONDS = 300.0

_STOP_SECONDS = 70.0
_WAIT_SECONDS = 0.02
_FIRST_SECOND = 1_000_000_000


class InProcesses(Installation):
    """An installation of several processes on one database. The processes read a Maildir and are restarted when they
    die, as long as the `with` block lasts."""

    def __init__(self, folder: Path, url: str, count: int) -> None:
        super().__init__(folder, url)
        self.killed = 0
        self._folder, self._count = folder, count
        self._clock, self._mail_clock = ToldTime(folder / "clock"), ToldTime(folder / "mail-clock")
        self._out = Spool(folder / "sent")
        self._in = folder / "in"
        for name in ("tmp", "new", "cur"):
            (self._in / name).mkdir(parents=True, exist_ok=True)
        self._out.folder.mkdir(exist_ok=True)
        self._outbox = Outbox(self.open_games)
        self._log = folder / "processes.log"
        self._parent: subprocess.Popen[bytes] | None = None

    # --- use by the simulation ---------------------------------------------------------------------------------------

    def pass_time(self, now: datetime) -> None:
        """Let time pass in this process too, as a `mentat tick` from cron would; the worker processes look at the clock
        only now and then.

        First record that everything is running and that the mailbox was read. Time passes so quickly in the simulation
        that, by its clock, the processes may report nothing for hours.
        """
        _while_away(lambda: self._all_is_well(now))
        self._clock.tell(now)
        self._mail_clock.tell(now)
        if self._parent is None:
            self._start()
        while not _while_away(lambda: self._ticked(now)):
            _while_away(lambda: self._all_is_well(now))
        self._all_out()

    def _all_is_well(self, now: datetime) -> None:
        outage.note_service_beat(self.moderator.open_games, now)
        outage.note_mailbox_success(self.moderator.open_games, now)
        with writing_no_game(self.engine) as conn:
            installation.beat(conn, "inbox", now)

    def _ticked(self, now: datetime) -> bool:
        self.moderator.timekeeper.tick(now)
        with reading(self.engine) as conn:
            return not outage.mailbox_failing(conn)

    def take_all(self, mails: Sequence[bytes], now: datetime) -> None:
        self._mail_clock.tell(now)
        for raw in mails:
            self._mails += 1
            name = f"{_FIRST_SECOND + self._mails}.simulated"
            (self._in / "tmp" / name).write_bytes(raw)
            (self._in / "tmp" / name).rename(self._in / "new" / name)
        self.wait(lambda: not self._in_inbox(), "mails lie in the inbox", progress=self._in_inbox)
        self._all_out()

    def _in_inbox(self) -> int:
        return sum(len(os.listdir(self._in / name)) for name in ("new", "cur"))

    def posted(self, now: datetime) -> list[PostedLetter]:
        return [PostedLetter.of(recipient, raw) for recipient, raw in self._out.taken()]

    # --- failures ----------------------------------------------------------------------------------------------------

    @contextmanager
    def killing(self, seconds: float, every: float = 1.0, server: PrivateServer | None = None) -> Iterator[None]:
        """Kill a random process every ``every`` seconds, for ``seconds`` seconds. Half-way, if ``server`` is given,
        stop that server as a power cut would and start it again."""
        over = threading.Event()
        chance = Random("who is killed")

        def kill() -> None:
            while not self.processes() and not over.wait(_WAIT_SECONDS):
                continue
            end, restarted = time.monotonic() + seconds, server is None
            while not over.wait(every) and time.monotonic() < end:
                if alive := self.processes():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(alive), signal.SIGKILL)
                        self.killed += 1
                if server and not restarted and time.monotonic() > end - seconds / 2:
                    server.stop("immediate")
                    server.start()
                    restarted = True

        killer = threading.Thread(target=kill, name="killer", daemon=True)
        killer.start()
        try:
            yield
        finally:
            over.set()
            killer.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._parent is not None:
            self._parent.terminate()
            try:
                self._parent.wait(timeout=_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self._parent.pid, signal.SIGKILL)
        self.close()

    @property
    def said(self) -> str:
        return self._log.read_text("utf-8", "replace") if self._log.exists() else ""

    # --- the processes -----------------------------------------------------------------------------------------------

    def _start(self) -> None:
        words = [sys.executable, "-P", "-m", "bot.lab.simulation", self._folder / "config.toml",
                 self._clock.file, self._mail_clock.file, self._out.folder, self._count]  # fmt: skip
        with self._log.open("ab") as log:
            self._parent = subprocess.Popen(
                [str(word) for word in words], stdout=log, stderr=log, start_new_session=True
            )

    def cpu_seconds(self) -> float:
        return cpu_seconds(self._parent.pid) if self._parent else 0.0

    def processes(self) -> list[int]:
        if self._parent is None:
            return []
        return children_of(self._parent.pid)

    def _all_out(self) -> None:
        # this process sends letters too, as a `mentat send` from cron would
        def out() -> bool:
            with reading(self.engine) as conn:
                left = lab.unsent(conn)
            if left:
                loop.send(self._outbox, self._out, utc_now())
            return not left

        self.wait(out, "letters wait in the outbox")

    def wait(
        self,
        done: Callable[[], bool],
        what: str,
        patience: float = PATIENCE_SECONDS,
        progress: Callable[[], int] = int,
    ) -> int:
        """Wait until ``done`` returns true. Give up if the number that ``progress`` returns has not changed for
        ``patience`` seconds."""
        end, reached = time.monotonic() + patience, progress()
        for looks in itertools.count(1):
            if _while_away(done):
                return looks
            if (now := progress()) != reached:
                end, reached = time.monotonic() + patience, now
            if time.monotonic() > end:
                break
            time.sleep(_WAIT_SECONDS)
        raise WorkersStuck(f"After {patience:.0f} seconds {what}. {self.said[-2000:]}")


def _while_away(work: Callable[[], T]) -> T:
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        with contextlib.suppress(DatabaseUnavailable):
            return work()
        if time.monotonic() > end:
            return work()
        time.sleep(_WAIT_SECONDS)


_LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ToldTime:
    file: Path

    def __call__(self) -> datetime:
        return datetime.fromisoformat(self.file.read_text(encoding="ascii"))

    def tell(self, now: datetime) -> None:
        part = self.file.with_suffix(".part")
        part.write_text(now.isoformat(), encoding="ascii")
        os.replace(part, self.file)


@dataclass(frozen=True, slots=True)
class Spool:
    """A transport that writes a copy of every letter to a folder each time the letter is sent. The file names contain
    the monotonic clock and the recipient, so they give the order in which all processes of the machine sent their
    letters."""

    folder: Path

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        name = f"{time.monotonic_ns():020d} {to}"
        part = self.folder / f"{name}.{os.getpid()}.part"
        part.write_bytes(letter)
        os.replace(part, self.folder / name)

    def close(self) -> None: ...

    def taken(self) -> list[tuple[str, bytes]]:
        found = []
        for file in sorted(self.folder.iterdir()):
            if file.suffix != ".part":
                found.append((file.name.partition(" ")[2], file.read_bytes()))
                file.unlink()
        return found


def main(config: Path, clock: Path, mail_clock: Path, out: Path, processes: int) -> int:
    """Keep this many worker processes running until a signal says to stop; return the exit status. The games follow
    ``clock``, and the arrival of mail follows ``mail_clock``."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(process)d %(levelname)s %(message)s")
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    _read_a_first_mail()
    stopped: list[int] = []
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, lambda number, _frame: stopped.append(number))
    alive = set[int]()
    while not stopped:
        while len(alive) < processes:
            if not (pid := os.fork()):
                _work_and_end(config, Clocks(ToldTime(clock), ToldTime(mail_clock)), Spool(out))
            alive.add(pid)
        time.sleep(_LOOK_SECONDS)
        alive -= {pid for pid in alive if os.waitpid(pid, os.WNOHANG)[0]}
    for pid in alive:
        os.kill(pid, signal.SIGTERM)
    for pid in alive:
        os.waitpid(pid, 0)
    return 0


def _read_a_first_mail() -> None:
    # the grammar, the templates and the pictures are then ready before the fork
    with TemporaryDirectory(prefix="mentat-first-") as folder:
        games, first = Simulated(1, 1, rounds=1), InThisProcess(Path(folder))
        begin_games(first.moderator, games, START)
        play_simulation(first, games, lambda said: None)
        first.close()


def _work_and_end(config: Path, clocks: Clocks, way_out: Spool) -> None:
    status = 1
    try:
        name = workers.new_name()
        settings = load_settings(config)
        moderator = Moderator(settings, open_database(settings.database_place))
        workers.work(moderator, name, clocks, way_out)
        status = 0
    except BaseException:
        logging.exception("a process ends")
    finally:
        os._exit(status)


if __name__ == "__main__":
    config, clock, mail_clock, out = (Path(word) for word in sys.argv[1:5])
    sys.exit(main(config, clock, mail_clock, out, int(sys.argv[5])))
