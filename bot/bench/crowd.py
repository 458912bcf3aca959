"""A thousand running games: what they cost while nobody writes, and what a mail to one of them costs.

Run as a module, `python -m bot.bench.crowd FOLDER GAMES`, it is the process whose memory is measured: it opens the
database, takes a mail for each of many games, and prints what it found as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.bench.measure import Measured, Stopwatch, seconds_each
from bot.bench.world import BOT, USERS, World, open_world, reopen_world, written_answers
from bot.game_master.desk_mail import desk_now
from bot.game_master.desk_words import blocks
from bot.mail.identity import plus_address
from bot.mail.servers.localserver import LocalMail
from bot.service import loop
from bot.service.mail_servers import open_mailbox
from bot.service.system_clock import utc_now
from bot.store import measuring
from bot.store.database import reading, writing

MANY = 1_000
FEW = 10
GAMES_WRITTEN_TO = 100
MOST_TIMES_IDLE = 3.0
MOST_TIMES_THE_MEMORY = 1.25
DESK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """What a process with so many games needs. Memory in bytes, times in seconds."""

    games: int
    memory: int
    tick: float
    poll: float
    mail: float
    desk: float


def crowd(folder: Path, ruleset: str) -> list[Measured]:
    """A thousand games in progress against ten."""
    found = []
    for games in (FEW, MANY):
        place = folder / f"games-{games}"
        place.mkdir()
        with LocalMail(USERS) as servers:
            world = open_world(place, servers)
            _fill(world, ruleset, games)
            world.engine.dispose()
            found.append(_measured_apart(place, games))
    few, many = found
    few_games = f"{FEW} games"
    return [
        Measured("memory", many.memory / 2**20, "MiB", many.memory / few.memory, few_games, MOST_TIMES_THE_MEMORY),
        Measured("a look at the deadlines", many.tick * 1e3, "ms", many.tick / few.tick, few_games, MOST_TIMES_IDLE),
        Measured("a look into the mailbox", many.poll * 1e3, "ms", many.poll / few.poll, few_games, MOST_TIMES_IDLE),
        Measured("first mail of a game", many.mail * 1e3, "ms", many.mail / few.mail, few_games),
        Measured("the game master's desk", many.desk * 1e3, "ms", many.desk / DESK_SECONDS, "0.5 s", 1.0),
    ]


def serve(folder: Path, games: int) -> Found:
    """Take a mail for each of many games in turn and measure; the games must be there."""
    world = reopen_world(folder)
    raws = [(folder / "mail.eml").read_bytes().replace(b"@token@", token) for token in _tokens(world)]
    watch = Stopwatch()
    for raw in raws:
        with watch.running():
            verdict = world.moderator.deliver(raw, utc_now())
        if not verdict.taken:
            raise RuntimeError(f"a mail to one of {games} games was not taken: {verdict}")
    tick = seconds_each(lambda: world.moderator.timekeeper.tick(utc_now()), 21)
    with closing(open_mailbox(world.settings)) as mailbox:
        loop.poll(world.moderator, mailbox)
        poll = seconds_each(lambda: loop.poll(world.moderator, mailbox), 21)
    memory = _resident_bytes()
    return Found(games, memory, tick, poll, watch.median, seconds_each(lambda: _desk(world), 5))


def _desk(world: World) -> None:
    """What `mentat desk` reads and says."""
    with reading(world.engine) as conn:
        found = desk_now(conn, world.moderator.open_games, utc_now())
    blocks(found, world.settings.mentat.timezone)


def _measured_apart(folder: Path, games: int) -> Found:
    """``serve`` in a process of its own, whose memory is its own."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bot.bench.crowd", str(folder), str(games)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the process with {games} games failed: {done.stderr.strip().splitlines()[-1:]}")
    return Found(**json.loads(done.stdout))


def _fill(world: World, ruleset: str, games: int) -> None:
    """One game played for some rounds, and the rest as copies of it; and the mail that is sent to each."""
    world.new_game("bench-0", ruleset)
    for number, answers in enumerate(written_answers(world)):
        for raw in answers:
            world.moderator.deliver(raw, utc_now())
        if number == 20:
            break
    secret = world.settings.secrets.secret.get_secret_value().encode()
    with writing(world.engine) as conn:
        measuring.copy_game(conn, "bench-0", [f"bench-{number}" for number in range(1, games)], secret)
    _write_mail(world)


def _write_mail(world: World) -> None:
    with reading(world.engine) as conn:
        writer = next(seat for seat in measuring.first_seats(conn) if seat.game_id == "bench-0")
    to = plus_address(BOT, "@token@")
    head = f"From: {writer.address}\r\nTo: {to}\r\nSubject: orders\r\nMessage-ID: <@token@@bench.example>\r\n"
    path = world.settings.mentat.database.parent / "mail.eml"
    path.write_bytes(f"{head}\r\nstatus\r\n".encode())


def _tokens(world: World) -> list[bytes]:
    """The reply tokens of the first seat of as many games as are written to."""
    with reading(world.engine) as conn:
        return [seat.token.encode() for seat in measuring.first_seats(conn)][:GAMES_WRITTEN_TO]


def _resident_bytes() -> int:
    """The memory of this process (Linux); elsewhere the most it ever had."""
    try:
        fields = Path("/proc/self/statm").read_text().split()
    except FileNotFoundError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    import os

    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    print(json.dumps(asdict(serve(Path(sys.argv[1]), int(sys.argv[2])))))
