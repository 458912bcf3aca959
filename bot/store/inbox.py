"""The inbox of several workers: mail that was fetched and waits for whoever takes it, in the order in which it came.

The reader of the mailbox stores a mail here and leaves it where it lies; a worker takes it, and notes its verdict in
the transaction in which it acts on it; then the reader moves it away. So it comes in at least once and acts once.

What is for one game waits for what came before it for that game, or from the same sender. What is for none or for
several (``game_id`` None) waits for everything before it, and everything behind it waits for that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from bot.store.direct import call_out
from bot.store.inserting import upsert
from bot.store.tables import DEADLINE
from bot.store.worker_tables import INBOX

MOST_TRIES = 6
"""A mail on which so many processes have ended is put aside. One that ends them does so every time; but where processes
are killed from outside each second and the machine is slow, three in a row may have had the same mail in hand."""

LOOKED_AT = 500
"""So many that wait are looked at for one that can be taken."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A mail that was fetched. ``raw`` is its head alone where it has the size ``too_large``; ``tries`` counts the
    workers that took it in hand before."""

    key: str
    raw: bytes
    too_large: int
    sender: str
    game_id: str | None
    arrived_at: datetime
    id: int = 0
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a mail that lies in the mailbox still."""

    id: int
    key: str
    disposition: str
    reason: str
    shunt: bool


@dataclass(frozen=True, slots=True)
class Next:
    """A mail that may be taken now."""

    id: int
    game_id: str | None


def store(conn: Connection, mail: Stored) -> None:
    """Let a mail wait, unless it does so already, and wake the workers."""
    row = {
        "key": mail.key, "raw": mail.raw, "too_large": mail.too_large, "sender": mail.sender, "game_id": mail.game_id,
        "arrived_at": mail.arrived_at, "tries": 0, "disposition": "", "reason": "", "shunt": False,
    }  # fmt: skip
    conn.execute(upsert(conn, INBOX).on_conflict_do_nothing(), row)
    call_out(conn, mail.game_id or "")


def keys(conn: Connection) -> set[str]:
    """The keys of all that is here, with a verdict or without."""
    return set(conn.scalars(select(INBOX.c.key)))


def settled(conn: Connection) -> list[Settled]:
    """What has a verdict, in the order in which it came."""
    found = select(INBOX.c.id, INBOX.c.key, INBOX.c.disposition, INBOX.c.reason, INBOX.c.shunt)
    rows = conn.execute(found.where(INBOX.c.disposition != "").order_by(INBOX.c.id))
    return [Settled(row.id, row.key, row.disposition, row.reason, row.shunt) for row in rows]


def drop(conn: Connection, numbers: Collection[int]) -> None:
    """Forget mails that were moved away, or that are to be fetched anew."""
    conn.execute(delete(INBOX).where(INBOX.c.id.in_(numbers)))


def waiting(conn: Connection) -> int:
    """How many mails wait for a worker."""
    return int(conn.execute(_WAITING).scalar_one())


_WAITING = select(func.count()).where(INBOX.c.disposition == "")


def takeable(conn: Connection) -> list[Next]:
    """What may be taken now, in the order in which it came."""
    found = select(INBOX.c.id, INBOX.c.game_id, INBOX.c.sender).where(INBOX.c.disposition == "")
    rows = conn.execute(found.order_by(INBOX.c.id).limit(LOOKED_AT))
    return _free((row.id, row.game_id, row.sender) for row in rows)


def _free(rows: Iterable[tuple[int, str | None, str]]) -> list[Next]:
    """The first of each game and sender.

    >>> [each.id for each in _free([(1, "a", "paul"), (2, "a", "chani"), (3, "b", "paul"), (4, None, "")])]
    [1]
    >>> [each.id for each in _free([(1, "a", "paul"), (2, "b", "chani"), (3, "b", "duncan")])]
    [1, 2]
    """
    free, games, senders = list[Next](), set[str](), set[str]()
    for number, game_id, sender in rows:
        if game_id is None:
            if not games:
                free.append(Next(number, None))
            break
        if game_id not in games and sender not in senders:
            free.append(Next(number, game_id))
        games.add(game_id)
        senders.add(sender)
    return free


def take(conn: Connection, number: int) -> Stored | None:
    """Take a mail in hand, which counts as a try; None if it does not wait any more."""
    counted = update(INBOX).where(INBOX.c.id == number, INBOX.c.disposition == "").values(tries=INBOX.c.tries + 1)
    if not conn.execute(counted).rowcount:
        return None
    row = conn.execute(select(INBOX).where(INBOX.c.id == number)).one()
    return Stored(
        row.key, row.raw, row.too_large, row.sender, row.game_id, row.arrived_at, row.id, row.tries - 1
    )  # fmt: skip


def let_go(conn: Connection, mail: Stored) -> None:
    """Count a try no longer: the mail could not be taken just now, but no process has died over it."""
    conn.execute(update(INBOX).where(INBOX.c.id == mail.id, INBOX.c.tries > 0).values(tries=INBOX.c.tries - 1))


def still_waits(conn: Connection, mail: Stored) -> bool:
    """Whether a mail has no verdict yet, in the transaction that holds its game: nobody else takes it meanwhile."""
    found = select(INBOX.c.id).where(INBOX.c.id == mail.id, INBOX.c.disposition == "").with_for_update()
    return conn.execute(found).first() is not None


def settle(conn: Connection, mail: Stored, disposition: str, reason: str, *, shunt: bool) -> None:
    """Note what became of a mail, and wake the reader."""
    verdict = {"disposition": disposition, "reason": reason, "shunt": shunt}
    conn.execute(update(INBOX).where(INBOX.c.id == mail.id).values(verdict))
    call_out(conn)


def any_for(conn: Connection, game_id: str) -> bool:
    """Whether a mail for this game waits."""
    found = select(INBOX.c.id).where(INBOX.c.game_id == game_id, INBOX.c.disposition == "").limit(1)
    return conn.execute(found).first() is not None


def games_waited_for(conn: Connection, due: Collection[str], now: datetime) -> set[str]:
    """Those of the games that are due for which mail waits, and those that mail may be for which came in time."""
    if not due or not waiting(conn):
        return set()
    pending = INBOX.c.disposition == ""
    held = set(conn.scalars(select(INBOX.c.game_id).where(pending, INBOX.c.game_id.in_(due)).distinct()))
    first = conn.execute(select(func.min(INBOX.c.arrived_at)).where(pending, INBOX.c.game_id.is_(None))).scalar_one()
    if first is None:
        return held
    overdue = (DEADLINE.c.state == "open", DEADLINE.c.until <= now, DEADLINE.c.until >= first)
    return held | set(conn.scalars(select(DEADLINE.c.game_id).where(*overdue, DEADLINE.c.game_id.in_(due)).distinct()))
