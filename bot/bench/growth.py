"""Growth: what a mail, a letter, a look at the deadlines and the lists cost where there are many games and old mails.

What happens to a game must cost the same, however many others there are and however long Mentat has been at work. Two
databases, with few games and with many, are measured in turn, mail for mail, so that what else the machine does falls
on both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.archive import shelf
from bot.bench.measure import Measured, Stopwatch
from bot.bench.places import DatabaseKind
from bot.bench.world import BOT, USERS, World, open_world, written_answers
from bot.demo.postman import sent_letters
from bot.game_master.desk_mail import desk_now
from bot.mail.identity import plus_address
from bot.mail.servers.localserver import LocalMail
from bot.service.system_clock import utc_now
from bot.store import desk, mail, measuring
from bot.store.database import reading, writing

FEW = 10
MANY = 2_000
OPEN = 10_000
LISTED = 5_000
TIMES_OLD = 1_500
"""How often the mails of a game that was played for some rounds lie in the larger database again, as old ones."""

MOST_TIMES = 1.5
LOOK_SECONDS = 1.0
LIST_SECONDS = 2.0
_COPIED_AT_ONCE = 500
_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the databases are that are compared, and how often each thing is measured."""

    few: int = FEW
    many: int = MANY
    times_old: int = TIMES_OLD
    mails: int = 60


def growth(folder: Path, kind: DatabaseKind, ruleset: str, sizes: Sizes | None = None) -> list[Measured]:
    """A mail, a letter and a look at the deadlines with few games, and with many and a history of old mails."""
    sizes = sizes or Sizes()
    few = _world(folder / "few", kind, ruleset, sizes.few)
    many = _world(folder / "many", kind, ruleset, sizes.many, sizes.times_old)
    with reading(many.engine) as conn:
        old = mail.newest(conn)
    taken, sent, looked = _Pair(), _Pair(), _Pair()
    mails = [_mails(world, sizes.few) for world in (few, many)]
    for number in range(sizes.mails):
        for which, world in enumerate((few, many)):
            raw = mails[which][number % len(mails[which])].replace(b"@number@", b"%d" % number)
            with taken.of[which].running():
                verdict = world.moderator.deliver(raw, utc_now())
            if not verdict.taken:
                raise RuntimeError(f"a mail was not taken: {verdict}")
            with sent.of[which].running():
                sent_letters(world.engine, utc_now())
            with looked.of[which].running():
                world.moderator.timekeeper.tick(utc_now())
    for world in (few, many):
        world.engine.dispose()
    told = f"{sizes.few} games"
    return [
        taken.measured(f"a mail, {sizes.many:,} games, {old:,} letters", told),
        sent.measured("its letters sent", told),
        looked.measured("a look at the deadlines", told),
    ]


class _Pair:
    """The same thing with few games and with many."""

    def __init__(self) -> None:
        self.of = (Stopwatch(), Stopwatch())

    def measured(self, name: str, against: str) -> Measured:
        few, many = self.of
        return Measured(name, many.median * 1e3, "ms", many.median / few.median, against, MOST_TIMES)


def open_games(folder: Path, kind: DatabaseKind, ruleset: str, games: int = OPEN) -> list[Measured]:
    """A look at the deadlines of very many open games, of which none is due, and at the slowest of some looks; and one
    in which ten deadlines pass."""
    world = _world(folder, kind, ruleset, games, rounds=0)
    idle, due = Stopwatch(), Stopwatch()
    for _ in range(9):
        with idle.running():
            world.moderator.timekeeper.tick(utc_now())
    late = utc_now() + timedelta(hours=1)
    with writing(world.engine) as conn:
        measuring.let_fall_due(conn, 10, late)
    with due.running():
        world.moderator.timekeeper.tick(late)
    world.engine.dispose()
    return [
        Measured(f"a tick over {games:,} open games", idle.worst * 1e3, "ms", idle.worst / LOOK_SECONDS, "1 s", 1.0),
        Measured("one in which 10 deadlines pass", due.total * 1e3, "ms", due.total / idle.median, "one with none"),
    ]


def lists(folder: Path, kind: DatabaseKind, ruleset: str, games: int = LISTED) -> list[Measured]:
    """So many games, half of them over: listed, at the desk, and looked at by the archive when nothing has changed."""
    world = _world(folder, kind, ruleset, games, rounds=2)
    with writing(world.engine) as conn:
        measuring.let_end(conn, games // 2)
        measuring.count_anew(conn)

    def listed() -> None:
        with reading(world.engine) as conn:
            desk.every_game(conn)
            desk.by_game(desk.owed(conn))
            desk.nameless(conn)

    def at_the_desk() -> None:
        with reading(world.engine) as conn:
            desk_now(conn, world.moderator.open_games, utc_now())

    found = [
        _took(f"{games:,} games listed", listed, LIST_SECONDS),
        _took("the game master's desk", at_the_desk, LIST_SECONDS),
        _took("a tick over them", lambda: world.moderator.timekeeper.tick(utc_now()), LOOK_SECONDS),
        _took("what the archive shows of them", lambda: shelf.offered(world.engine), LIST_SECONDS),
    ]
    world.engine.dispose()
    return found


def _took(name: str, work: Callable[[], object], most: float) -> Measured:
    watch = Stopwatch()
    for _ in range(3):
        with watch.running():
            work()
    return Measured(name, watch.median * 1e3, "ms", watch.median / most, f"{most:g} s", 1.0)


def _world(
    folder: Path, kind: DatabaseKind, ruleset: str, games: int, times_old: int = 0, rounds: int = _ROUNDS
) -> World:
    """A game played for some rounds, the rest as copies of it, and its mails so many times as old ones."""
    folder.mkdir(parents=True, exist_ok=True)
    with LocalMail(USERS) as servers:
        world = open_world(folder, servers, kind.new_url())
    world.new_game("bench-0", ruleset)
    for number, answers in enumerate(written_answers(world)):
        if number == rounds:
            break
        for raw in answers:
            world.moderator.deliver(raw, utc_now())
    sent_letters(world.engine, utc_now())
    secret = world.settings.secrets.secret.get_secret_value().encode()
    with writing(world.engine) as conn:
        for first in range(1, games, _COPIED_AT_ONCE):
            several = range(first, min(first + _COPIED_AT_ONCE, games))
            measuring.copy_game(conn, "bench-0", [f"bench-{number}" for number in several], secret)
        measuring.add_history(conn, "bench-0", [f"bench-{number}" for number in range(games)], times_old)
        measuring.have_own_addresses(conn)
        measuring.count_anew(conn)
    world.moderator.open_games.forget()
    return world


def _mails(world: World, count: int) -> list[bytes]:
    """A mail for each of some games, which asks how it stands; with @number@ in its Message-ID."""
    with reading(world.engine) as conn:
        seats = measuring.first_seats(conn)[:count]
    return [
        f"From: {seat.address}\r\nTo: {plus_address(BOT, seat.token)}\r\nSubject: orders\r\n"
        f"Message-ID: <@number@.{seat.token}@bench.example>\r\n\r\nstatus\r\n".encode()
        for seat in seats
    ]
