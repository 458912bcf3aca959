"""The longest mails that a player may send: as many lines as are read of one, each for the sheet, or each mere talk.

Everybody else waits while a mail is processed, so that must not take long, whatever stands in it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice, product
from pathlib import Path

from bot.bench.measure import Measured, seconds_each
from bot.bench.world import ADDRESSES, BOT, USERS, World, open_world
from bot.mail.identity import plus_address
from bot.mail.servers.localserver import LocalMail
from bot.service.system_clock import utc_now
from bot.store import games
from bot.store.database import reading

MOST_SECONDS = 0.3
_FACTIONS = ("guild", "atreides", "emperor", "fremen")
_SHEETS = (
    "when card {n} and price < {m}: bid up to {m}",
    "bid {m} if price < {n} and {faction} has passed",
    "standing: when turn >= {n} and tokens of {faction} in carthag > {m}: ship {n} to carthag",
    "unless {faction} is allied or turn {n}: revive 2",
    "when (turn {n} or price {m}) and (card {n} or {faction} has bid) and (spice > {m} or hand < 3): ask me",
)
_TALK = (
    "if you come in turn {n}, when the storm is past sector {m}, we wait, and {faction} too, unless it is late",
    "I would bidd {n} if that is whta you ment, as the {faction} does whenever they can, and then pas all",
)


def long_mails(folder: Path, ruleset: str, times: int) -> list[Measured]:
    """Process such mails in a game of six, with the database in ``folder``."""
    with LocalMail(USERS) as servers:
        world = open_world(folder, servers)
    world.new_game("bench", ruleset)
    found = [
        _measured(world, "200 lines for the sheet", _SHEETS, times),
        _measured(world, "200 lines of talk", _TALK, times),
    ]
    world.engine.dispose()
    return found


def _measured(world: World, name: str, patterns: Sequence[str], times: int) -> Measured:
    most = world.settings.limits.max_lines
    texts = (
        pattern.format(n=n, m=n + m, faction=faction)
        for n, m, faction, pattern in product(range(1, 10), range(1, 10), _FACTIONS, patterns)
    )
    lines = list(islice(texts, most))
    with reading(world.engine) as conn:
        token = games.open_table(conn, "bench").seats["harkonnen"].token
    head = f"From: {ADDRESSES['harkonnen']}\r\nTo: {plus_address(BOT, token)}\r\nMessage-ID: "
    body = "\r\n".join(lines)
    numbers = iter(range(times + 1))

    def processed() -> None:
        raw = f"{head}<{next(numbers)}.{name.replace(' ', '-')}@bench.example>\r\n\r\n{body}\r\n".encode()
        verdict = world.moderator.deliver(raw, utc_now())
        if verdict.disposition != "orders":
            raise RuntimeError(f"{name}: the mail was not read: {verdict.reason}")

    processed()  # the first one makes the grammar
    each = seconds_each(processed, times, time.process_time)
    return Measured(name, each * 1e3, "ms", each / MOST_SECONDS, f"{MOST_SECONDS * 1e3:g} ms", 1.0)
