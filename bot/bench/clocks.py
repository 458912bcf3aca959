"""What time costs: ten thousand games in which nobody writes, and two hundred deadlines that pass at once."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path

from bot.bench.measure import Measured, Stopwatch, seconds_each
from bot.bench.world import BOT, USERS, World, open_world
from bot.mail.identity import plus_address
from bot.mail.servers.localserver import LocalMail
from bot.service.system_clock import utc_now
from bot.store import measuring
from bot.store.database import reading, writing

GAMES = 10_000
AT_ONCE = 200
IDLE_SECONDS = 0.020
MOST_TIMES_THE_MAILS = 1.2
_COPIED_AT_ONCE = 500


def clocks(folder: Path, ruleset: str, games: int = GAMES, at_once: int = AT_ONCE) -> list[Measured]:
    """Many games that wait for one player each: a look at their deadlines while nothing is due; then some of them
    answered by mail, and as many by silence in one pass, in the time that Mentat itself is at work."""
    with LocalMail(USERS) as servers:
        world = open_world(folder, servers)
    _fill(world, ruleset, games)
    idle = seconds_each(lambda: world.moderator.timekeeper.tick(utc_now()), 21)
    mails = Stopwatch(time.process_time)
    for raw in _answers(world, at_once):
        with mails.running():
            verdict = world.moderator.deliver(raw, utc_now())
        if not verdict.taken:
            raise RuntimeError(f"an answer was not taken: {verdict}")
    late = utc_now() + timedelta(hours=1)
    _let_fall_due(world, at_once, late)
    world.moderator.open_games.forget()
    silence = Stopwatch(time.process_time)
    with silence.running():
        moved = world.moderator.timekeeper.tick(late)
    if moved != at_once:
        raise RuntimeError(f"{moved} games went on of {at_once} that were due")
    return [
        Measured(f"a look at {games:,} idle games", idle * 1e3, "ms", idle / IDLE_SECONDS, "20 ms", 1.0),
        Measured(f"{at_once} answers by mail", mails.total * 1e3, "ms"),
        Measured(
            f"{at_once} deadlines in one pass", silence.total * 1e3, "ms", silence.total / mails.total,
            "the mails", MOST_TIMES_THE_MAILS,
        ),
    ]  # fmt: skip


def _fill(world: World, ruleset: str, games: int) -> None:
    """A new game, and the rest as copies of it."""
    world.new_game("bench-0", ruleset)
    secret = world.settings.secrets.secret.get_secret_value().encode()
    with writing(world.engine) as conn:
        for first in range(1, games, _COPIED_AT_ONCE):
            several = range(first, min(first + _COPIED_AT_ONCE, games))
            measuring.copy_game(conn, "bench-0", [f"bench-{number}" for number in several], secret)


def _answers(world: World, count: int) -> list[bytes]:
    """For each of the first games, a mail that answers the one question it waits for."""
    with reading(world.engine) as conn:
        found = measuring.seats_asked(conn, "bench-0", count)
    return [
        f"From: {row.address}\r\nTo: {plus_address(BOT, row.token)}\r\nSubject: orders\r\n"
        f"Message-ID: <{row.token}@bench.example>\r\n\r\npredict guild turn 4\r\n".encode()
        for row in found
    ]


def _let_fall_due(world: World, count: int, when: datetime) -> None:
    """Some games that nobody has written to are due at an instant, and their players have had their reminders."""
    with writing(world.engine) as conn:
        measuring.let_fall_due(conn, count, when)
