"""Benchmarks that need no mailbox. Each is compared with a lower or upper bound.

- the engine: whole random games of six players; also the cost of one decision, compared with one step of a bare
  generator, which is the minimum cost
- reading mail: messages per second, for the median message and the slowest one, compared with parsing the same bytes
  with the standard library alone. The messages are answers to a long report as four mail programs send them, one with a
  photograph, one with a filled-in form, a bounce, and the most expensive messages that a stranger can send: texts made
  to slow the readers down
- the archive: building all pages of a finished game, compared with replaying its log; also a build when nothing has
  changed
- seating: how long the draw of a large tournament takes, compared with its time limit
- starting: how much processor time and memory a command takes, compared with importing what every command line needs
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from time import process_time

from bot.archive.games import Cast, FinishedGame
from bot.archive.site import Offered, build
from bot.competition.published import DrawRecord, roster_digest
from bot.competition.seating import draw_seating
from bot.lab.clauses import rulings_folder
from bot.lab.workbench import Measurement, Stopwatch, seconds_each
from bot.mail.disposition import examine
from bot.mail.lines import form_block
from bot.mail.quotes import REPLY_MARK
from bot.record.lines import Decided, Head, whole_record
from bot.record.reader import read_record
from rules.components import FACTIONS
from rules.components.chance import Chance, commitment
from rules.components.factions import faction_name
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Entry
from rules.engine.play import Play
from rules.random_players import random_game, random_seats
from rules.rulesets.ruleset import RuleSet

STEPS = 20_000
MOMENTS_A_GAME = 20


def measure_engine(rulesets: Sequence[str], games: int) -> list[Measurement]:
    """Measure whole games with random players, their replay from the log, and resuming from the last snapshot."""
    step = seconds_each(_bare_steps, 9, time.process_time) / STEPS
    found = [Measurement("bare generator step", step * 1e6, "µs")]
    for name in rulesets:
        rules = load_rule_set(name)
        random_game(rules, "warm")
        with_players, from_logs, resumed = (Stopwatch(time.process_time) for _ in range(3))
        decisions = 0
        for number in range(games):
            seed = f"bench {number}"
            with with_players.running():
                played = random_game(rules, seed)
            decisions += len(played.log)
            seats = {faction: player.dot for faction, player in played.state.players.items()}
            with from_logs.running():
                again = Play.start(rules, seed, seats)
                again.replay(played.log)
            if again.state != played.state:
                raise RuntimeError(f"{name}, seed {seed!r}: the replay differs")
            _resume_at_random(Play.start(rules, seed, seats), rules, seed, played.log, resumed)
        game, replayed = with_players.median, from_logs.median
        decision = from_logs.total / decisions
        found += [
            Measurement.of_seconds(f"{name}: random game", game, step, "a step"),
            Measurement.of_seconds(f"{name}: game from log", replayed, step, "a step"),
            Measurement.of_seconds(f"{name}: resumed from snapshot", resumed.median, step, "a step"),
            Measurement.of_seconds(f"{name}: resumed, at worst", resumed.worst, step, "a step"),
            Measurement(f"{name}: a decision", decision * 1e6, "µs", decision / step, "a step"),
            Measurement(f"{name}: decisions", 1 / decision, "/s"),
        ]
    return found


def _resume_at_random(play: Play, rules: RuleSet, seed: str, log: Sequence[Entry], watch: Stopwatch) -> None:
    moments = list(range(len(log)))
    Chance(seed, {}).shuffle("moments", moments)
    chosen = set(moments[:MOMENTS_A_GAME])
    for number, entry in enumerate(log):
        play.replay([entry])
        if number in chosen:
            since = play.log[play.snapshot.entries :]
            with watch.running():
                again = Play.resume(rules, seed, play.snapshot, since)
            if again.state != play.state:
                raise RuntimeError(f"{rules.name}, seed {seed!r}: the position resumed after entry {number} differs")


@dataclass(frozen=True, slots=True)
class _BareQuestion:
    faction: str
    kind: str
    subject: str
    about: Mapping[str, int]
    choices: Sequence[str]


@dataclass(frozen=True, slots=True)
class _BareEvent:
    number: int
    turn: int
    phase: str
    kind: str
    facts: Mapping[str, object]
    audience: frozenset[str]


@dataclass(slots=True)
class _Purse:
    spice: int = 0


def _bare_steps() -> None:
    everybody: frozenset[str] = frozenset()

    def flow(events: list[_BareEvent], purse: _Purse) -> Generator[_BareQuestion, int, None]:
        for number in range(STEPS):
            amount = yield _BareQuestion("guild", "bid", "", {"card": number}, ("pass", "bid 3"))
            purse.spice = amount
            events.append(_BareEvent(number, 1, "bidding", "bid", {"faction": "guild", "amount": amount}, everybody))

    running = flow([], _Purse())
    next(running)
    try:
        while True:
            running.send(3)
    except StopIteration:
        return


READER_ADDRESS = "mentat@arrakis.example"
MOST_SECONDS_TO_READ = 2.0

_FORM = ["# shipment", "ship _ to Habbanya Ridge Sietch", "[ ] no shipment", "move _ from Carthag to ______"]
_REPORT = "\n".join(
    (
        f"{REPLY_MARK}, or edit the form below.",
        "",
        form_block("bench123", _FORM),
        "",
        *(f"{number}. The Emperor bids {number}; the Harkonnen pass." for number in range(200)),
    )
)
_FILLED = _REPORT.replace("ship _ to", "ship 4 to").replace("[ ] no", "[x] no")


def measure_reading(times: int) -> list[Measurement]:
    """Measure reading each message ``times`` times. Only this process's own processor time counts, so other load on the
    machine makes no difference."""
    ordinary = _ordinary_mails()
    ours = [seconds_each(partial(examine, raw, READER_ADDRESS, _letter_head), times, process_time) for raw in ordinary]
    bare = [seconds_each(partial(_parsed, raw), times, process_time) for raw in ordinary]
    hostile = [
        seconds_each(partial(examine, raw, READER_ADDRESS, _letter_head), 1, process_time) for raw in _hostile_mails()
    ]
    median, standard = statistics.median(ours), statistics.median(bare)
    worst = max(range(len(ordinary)), key=lambda number: ours[number])
    return [
        Measurement.of_seconds("standard library, median", standard),
        Measurement.of_seconds("a mail read, median", median, standard, "the library"),
        Measurement("a mail read, worst", ours[worst] * 1e3, "ms", ours[worst] / bare[worst], "the library"),
        Measurement("mails read", len(ours) / sum(ours), "/s"),
        Measurement(
            "a hostile mail, worst", max(hostile), "s", max(hostile) / MOST_SECONDS_TO_READ, "the most allowed", 1.0
        ),
    ]


def _parsed(raw: bytes) -> object:
    body = message_from_bytes(raw, policy=policy.default)
    part = body.get_body(("plain", "html"))
    return part.get_content() if part is not None else None


def _letter_head(code: str) -> list[str] | None:
    return _FORM if code == "bench123" else None


def _answer_mail(text: str, html: str = "", photograph: int = 0) -> bytes:
    mail = EmailMessage()
    mail["From"] = "Baron <baron@example.org>"
    mail["To"] = f"Mentat <{READER_ADDRESS.replace('@', '+ypowzixiqjin3ijg@')}>"
    mail["Subject"] = "Re: [Sietch-12] Turn 4, movement"
    mail["Message-ID"] = "<1@example.org>"
    mail.set_content(text)
    if html:
        mail.add_alternative(html, subtype="html")
    if photograph:
        mail.add_attachment(bytes(range(256)) * (photograph // 256), "image", "jpeg", filename="board.jpg")
    return mail.as_bytes()


def _ordinary_mails() -> list[bytes]:
    quoted = "".join(f"> {line}\n" for line in _REPORT.splitlines())
    page = "".join(f"<div>{line or '<br>'}</div>" for line in _REPORT.splitlines())
    wrote = f"On Tue, Nov 24, 2026 at 8:15 PM Mentat <{READER_ADDRESS}> wrote:"
    block = f"From: Mentat <{READER_ADDRESS}>\nSent: Tuesday, November 24, 2026 8:15 PM\nTo: Baron\nSubject: Turn 4\n\n"
    return [
        _answer_mail("ship 4 to carthag\nno move\n"),
        _answer_mail(f"{wrote}\n{quoted}\nship 4 to carthag\n"),
        _answer_mail(
            f"ship 4 to carthag\n\n{wrote}\n\n{quoted}",
            f"<div>ship 4 to carthag</div><div class='gmail_quote'>{wrote}<blockquote>{page}</blockquote></div>",
        ),
        _answer_mail(
            f"bid 4\n\n{block}{_REPORT}",
            f"<p>bid 4</p><div id='divRplyFwdMsg'><b>From:</b> Mentat<br><b>Sent:</b> Tuesday</div>{page}",
        ),
        _answer_mail(f"{wrote}\n" + "".join(f"> {line}\n" for line in _FILLED.splitlines())),
        _answer_mail("bid 4\n", photograph=2_000_000),
        b"From: mailer-daemon@example.org\nReturn-Path: <>\nSubject: failure notice\n\n"
        b"<baron@example.org>:\nno mailbox here by that name (#5.1.1)\n\n" + _REPORT.encode(),
    ]


def _hostile_mails() -> list[bytes]:
    plain, page = b"From: a@b.example\n\n", b"From: a@b.example\nContent-Type: text/html\n\n"
    return [
        plain + (b"On a wrote " * 20 + b":\n") * 4_000,
        plain + (b"a" * 50 + b":\n") * 18_000,
        plain + (b"-" * 200 + b"\n") * 4_500,
        plain + b"\n" * 190_000,
        page + b"<p>" * 90_000,
        page + b"<div a=b c=d e=f>x</div>" * 40_000,
        page + b"<b>" * 200 + b"<p>x" * 90_000,
        b"From: " + b"a@b," * 240_000 + b"\n\nbid 4\n",
    ]


LAST_DAY = date(2026, 11, 22)
MOST_SECONDS_TO_BUILD = 2.4
"""The limit for one game. It allows a hundred games to be built in four minutes on one core."""


def measure_archive(folder: Path, ruleset: str, games: int) -> list[Measurement]:
    rules = load_rule_set(ruleset)
    replayed, built = Stopwatch(time.process_time), Stopwatch(time.process_time)
    offered: list[Offered[FinishedGame]] = []
    for number in range(games):
        seed = f"archive {number}"
        log = random_game(rules, seed).log
        with replayed.running():
            Play.start(rules, seed, random_seats(seed, FACTIONS)).replay(log)
        game = _finished_game(ruleset, seed, log)
        offered.append(Offered(game.id, seed, partial(_load_game, game)))
        with built.running():
            build(folder, offered)
    again = Stopwatch(time.process_time)
    with again.running():
        found = build(folder, offered)
    if found.games:
        raise RuntimeError("an archive was rewritten though nothing had changed")
    return [
        Measurement.of_seconds("pages of a game", built.median, replayed.median, "a game from log"),
        Measurement("the same, at worst", built.worst, "s", built.worst / MOST_SECONDS_TO_BUILD, "what it may take", 1),
        Measurement.of_seconds("nothing changed", again.total, built.median, "pages of a game"),
    ]


def _load_game(game: FinishedGame) -> FinishedGame:
    return game


def _finished_game(ruleset: str, seed: str, log: Sequence[Entry]) -> FinishedGame:
    seats = random_seats(seed, FACTIONS)
    name = seed.replace(" ", "-")
    head = Head(game=name, ruleset=ruleset, options={}, seats=seats, commitment=commitment(seed), day=LAST_DAY)
    story = [Decided(n=number, entry=entry, day=LAST_DAY) for number, entry in enumerate(log)]
    record = b"".join(line + b"\n" for line in whole_record(head, seed, story, bytes(32), LAST_DAY))
    cast = {faction: Cast(faction, dot, f"{faction_name(faction)} of {name}") for faction, dot in seats.items()}
    return FinishedGame(name, record, read_record(record).lines, cast, ended=LAST_DAY)


MOST_SECONDS_TO_DRAW = 10.0
"""The limit for drawing three rounds of ten thousand entrants, played at the same time, on one core."""
HEATS = (1, 2, 3)


def measure_seating(entrants: int) -> list[Measurement]:
    return [_three_heats(entrants // 10), _three_heats(entrants)]


def _three_heats(entrants: int) -> Measurement:
    handles = tuple(f"E{number:05d}" for number in range(1, entrants + 1))
    asked = DrawRecord(rounds=HEATS, kind="heat", roster=handles, ranked=handles, roster_digest=roster_digest(handles))
    watch = Stopwatch(time.process_time)
    with watch.running():
        drawn = draw_seating(asked, "seating")
    if drawn.cost.meetings:
        raise RuntimeError(f"of {entrants} entrants some met twice in three rounds")
    allowed = MOST_SECONDS_TO_DRAW * entrants / 10_000
    return Measurement(
        f"{entrants:,} entrants, 3 heats", watch.total, "s", watch.total / allowed, "what it may take", 1
    )


AT_ONCE, SOON = 3, 8
"""The time limits of a command, without and with the database, as multiples of the time to import typer and rich."""

MOST_MEGABYTES = 60
RULING = "storm/028-option-weather-control-before-or-after.toml"
_PARSED_MAIL = b"From: baron@example.org\nTo: mentat@arrakis.example\nSubject: bid\n\nbid 4\n"


_WATCHER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""A small process that starts another, because a process begins with its parent's memory counted as its own."""


def measure_starting(times: int) -> list[Measurement]:
    with tempfile.TemporaryDirectory(prefix="mentat-bench-") as made:
        mail = Path(made) / "order.eml"
        mail.write_bytes(_PARSED_MAIL)
        settings = Path(made) / "settings" / "config.toml"
        there = ["--config", str(settings)]
        seats = [f"--seat={faction}={faction}@example.org" for faction in FACTIONS]
        for words in (["init", *there], ["game", "new", "--id", "one", *seats, *there]):
            _measure_start(["-m", "bot", *words], made, 0)
        commands = {
            "--help": ["--help"],
            "mail parse": ["mail", "parse", str(mail)],
            "mail parse --config": ["mail", "parse", str(mail), *there],
            "rule": ["rule", "lasgun", "shield"],
            "order check --help": ["order", "check", "--help"],
        }
        looks = {
            "desk": ["desk", *there],
            "game list": ["game", "list", *there],
            "game show": ["game", "show", "one", *there],
            "game log": ["game", "log", "one", *there],
            "order check": ["order", "check", "one", "bene-gesserit", "predict fremen turn 4", *there],
            "ruling check": ["ruling", "check", str(rulings_folder() / RULING)],
        }
        bare, _ = _measure_start(["-c", "import typer, rich"], made, times)
        found = [Measurement.of_seconds("typer and rich alone", bare)]
        for name, words in {**commands, **looks}.items():
            seconds, megabytes = _measure_start(["-m", "bot", *words], made, times)
            most = AT_ONCE if name in commands else SOON
            found.append(Measurement.of_seconds(f"{name}: start", seconds, bare, "typer and rich", most))
            if name in commands:
                ratio = megabytes / MOST_MEGABYTES
                found.append(Measurement(f"{name}: memory", megabytes, "MB", ratio, f"{MOST_MEGABYTES} MB", 1.0))
    return found


def _measure_start(arguments: Sequence[str], folder: str, times: int) -> tuple[float, float]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    seconds, megabytes = list[float](), list[float]()
    for _ in range(times + 1):
        told = subprocess.run(
            [sys.executable, "-S", "-c", _WATCHER, sys.executable, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
        code, used, most = int(told[-3]), float(told[-2]), int(told[-1])
        if code:
            raise RuntimeError(f"{' '.join(arguments)} ended with {code}")
        seconds.append(used)
        megabytes.append(most / (1024 if sys.platform == "linux" else 1024 * 1024))
    return min(seconds[1:] or seconds), max(megabytes)
