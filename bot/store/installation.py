"""This installation: its identity, the processes that use its database, the mail that waits for them, and its health.

On a server, each process has its own locks, which are released when the process ends, however it ends. A lock either
makes a process the leader for a piece of work (``Lead``) or shows that the process is alive. Processes wake each other
with hints. Each process that uses a database also has a row in it.

With several workers, fetched mail waits in the inbox in order of arrival. The process that reads the mailbox stores
each mail in the inbox and leaves the original in the mailbox. A worker takes the mail, and records its verdict in the
same transaction in which it acts on the mail. Then the reading process moves the original away. So each mail arrives at
least once and takes effect exactly once. Mail for one game waits for earlier mail for that game or from the same
sender. Mail that is for no game or for several games (``game_id`` None) waits for all earlier mail, and all later mail
waits for it.

Heartbeats say when a part of Mentat was last known to work:

- ``service`` beats while `mentat run` runs, ``loop`` while its main loop runs, ``mailbox`` when the mailbox was read.
- ``silence`` fails while all clocks are stopped because nobody writes. Its ``at`` is when they last stopped or resumed.
- ``canary`` fails while no mail from Mentat to itself comes back. Its ``at`` is when one last came back.
  ``canary-sent`` is when one was last written.
- ``retention`` is when old mail was last deleted. ``archive`` is when the archive's folder was last written, including
  the games in play.
- ``desk`` is the moment up to which the game master's last daily letter reported, even if that letter was not needed.
- ``ratings`` fails until the ratings reflect every result that was added or removed. Its ``at`` is when they were last
  computed.
- ``alert-…`` fail while there is a problem that is reported by mail. Their ``at`` is when the last notification was
  sent.
- ``inbox`` is when all mail in the mailbox was last stored for the workers.

Measurements are numbers that cannot be computed from other rows:

- ``faults`` counts logged errors by part of the program.
- ``deadline_lag`` counts the questions to which the default was applied, by lag. Each question counts once, under the
  smallest bound in seconds that its lag does not exceed, or under "+Inf". ``deadline_lag_sum`` is the sum of the lags.
- ``disk_used`` is the size of the database in bytes, by date.
- ``certificate`` is the expiry time of a server's certificate, in seconds since 1970. There is one for each section of
  the configuration that names a server.

A canary is a mail that Mentat sends to itself: a letter in the outbox that stays there until it has come back.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeVar

from sqlalchemy import Column, Connection, delete, func, select, text, update

from bot.mail.mailbox import StuckMail
from bot.store.database import (
    RESTORED,
    DatabaseUnavailable,
    Engine,
    Fence,
    Instant,
    Packed,
    backend_of,
    explained,
    fenced,
    insert_or_add,
    insert_or_replace,
    unpack,
    upsert,
    writing_no_game,
)
from bot.store.mail import EARLIEST, LETTER
from bot.store.rows import any_row, count_rows, load, load_all, row_of, table_of
from bot.store.tables import DEADLINE, GAME, MEASUREMENT, MESSAGE


@dataclass(frozen=True, slots=True)
class Installation:
    """This installation, the only row of its table.

    - ``id`` stays with the database, even on another machine.
    - ``held_since`` and ``held_why`` say since when, and why, nothing is sent and no deadline passes
      (``bot.store.database``).
    - ``copied_at``, ``copied_by`` and ``address`` describe a backup: when it was begun, the version that made it, and
      Mentat's address at that time.
    - If this database was restored from a copy, ``restored_copy_at`` is when that copy was made; otherwise it is None.
    """

    id: str
    made_at: datetime
    held_since: datetime | None = None
    held_why: str = ""
    restored_copy_at: datetime | None = None
    copied_at: datetime | None = None
    copied_by: str = ""
    address: str = ""

    @property
    def restored(self) -> bool:
        return self.held_since is not None and self.held_why == RESTORED

    @property
    def moved(self) -> bool:
        return self.held_since is not None and self.held_why.startswith(moved_to(""))


INSTALLATION = table_of(
    "installation",
    Installation,
    *(Column(name, Instant) for name in ("held_since", "restored_copy_at", "copied_at")),
    key="id",
)


def this_installation(conn: Connection) -> Installation:
    (only,) = load_all(conn, Installation)
    return only


def begin_copy(conn: Connection, address: str, version: str, now: datetime) -> None:
    conn.execute(update(INSTALLATION).values(address=address, copied_by=version, copied_at=now))


def hold_restored(conn: Connection, copy_at: datetime, now: datetime, *, as_another: bool) -> None:
    """Hold a database that was restored from a copy. With ``as_another`` the database has a new address and gets a new
    installation id, because the original may still be running.

    The mail in its inbox is dropped: it is either still in the mailbox, or was handled after the copy was made.
    """
    changed = {"held_since": now, "held_why": RESTORED, "restored_copy_at": copy_at}
    if as_another:
        changed["id"] = secrets.token_hex(16)
    conn.execute(update(INSTALLATION).values(changed))
    for table in (INBOX, LEADER, WORKER):
        conn.execute(delete(table))


def hold_moved(conn: Connection, whither: str, now: datetime) -> None:
    conn.execute(update(INSTALLATION).values(held_since=now, held_why=moved_to(whither)))


def moved_to(whither: str) -> str:
    return f"moved to {whither}"


def release_database(conn: Connection) -> None:
    conn.execute(update(INSTALLATION).values(held_since=None, held_why=""))


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result of an inspection. ``damage`` is what the database reports as broken, or "". ``running`` counts the
    unfinished games. ``newest_message`` is when the last mail came, or None before the first mail."""

    damage: str
    games: int
    running: int
    newest_message: datetime | None


def inspect_database(conn: Connection) -> Inspection:
    """Inspect a database, which takes as long as reading the whole file."""
    games, running = conn.execute(
        select(func.count(), func.count().filter(GAME.c.status == "running")).select_from(GAME)
    ).one()
    newest = conn.execute(select(func.max(MESSAGE.c.received_at))).scalar_one()
    return Inspection(backend_of(conn).damage(conn), games, running, newest)


T = TypeVar("T")


class ProcessLocks:
    """The locks of one process. The constructor raises ValueError if only one process may use the database. Every
    method except ``close`` raises DatabaseUnavailable while the server cannot be reached. If the connection breaks, all
    its locks are lost."""

    def __init__(self, engine: Engine, program: str) -> None:
        self.engine = engine
        self._session = backend_of(engine).direct(engine, program)

    def reach(self) -> None:
        self._asked(self._session.reach)

    def take(self, work: str) -> bool:
        return self._asked(lambda: self._session.take(work))

    def share(self, work: str) -> bool:
        """Try to take a shared lock on a piece of work. Return False while another process holds the exclusive lock or
        waits for it."""
        return self._asked(lambda: self._session.share(work))

    def holds(self, work: str) -> bool:
        return self._asked(lambda: self._session.holds(work))

    def give_back(self, work: str) -> None:
        self._asked(lambda: self._session.give_back(work))

    def is_taken(self, work: str) -> bool:
        return self._asked(lambda: self._session.is_taken(work))

    def claim_mail(self, number: int, done: int = 0) -> StoredMail | None:
        """Claim a mail, count this as a try, and release the mail ``done``. Return None if the mail is no longer
        waiting, if another process has it, or if an earlier mail for its game or from its sender is still waiting."""
        works = lock_of_mail(number), lock_of_mail(done)
        row = self._asked(lambda: self._session.claim(_CLAIM, *works, id=number))
        if row is None:
            return None
        key, raw, too_large, sender, game_id, arrived_at, tries = row[:7]
        arrived = datetime.fromisoformat(arrived_at)
        return StoredMail(key, unpack(bytes(raw)), too_large, sender, game_id, arrived, number, tries)

    def call_out(self, hint: str) -> None:
        self._asked(lambda: self._session.call_out(hint))

    def wait(self, seconds: float, wanted: Callable[[str], bool]) -> bool:
        return self._asked(lambda: self._session.wait(seconds, wanted))

    def silent_seconds(self) -> dict[str, float]:
        return self._asked(lambda: self._session.silent_seconds())

    def end_sessions(self, program: str) -> None:
        self._asked(lambda: self._session.end_sessions(program))

    def close(self) -> None:
        self._session.close()

    def _asked(self, question: Callable[[], T]) -> T:
        with explained(self.engine):
            return question()


@dataclass(frozen=True, slots=True)
class LeadHolder:
    work: str
    holder: str
    since: datetime


LEADER = table_of("leader", LeadHolder, key="work", number=int)
"""Each new leader gets a higher ``number`` (a fencing token), so a process that was frozen notices that it no longer
leads."""


class Lead:
    """The right to do a piece of work that only one process may do at a time. Each time a process takes the lead, its
    number goes up, and every transaction within ``fenced`` checks that the number is still the same."""

    def __init__(self, direct: ProcessLocks, work: str, holder: str) -> None:
        self.work = work
        self._direct = direct
        self._holder = holder
        self._fence: Fence | None = None

    @property
    def number(self) -> int:
        """Return the number that this process got when it last took the lead, or 0 before the first time. A changed
        number means that the process has lost the lead and taken it again."""
        return self._fence.number if self._fence else 0

    def taken(self, now: datetime) -> bool:
        if self._fence is not None and self._direct.holds(self.work):
            return True
        self._fence = None
        if not self._direct.take(self.work):
            return False
        with writing_no_game(self._direct.engine) as conn:
            self._fence = Fence(self.work, _next_lead(conn, self.work, self._holder, now))
        return True

    @contextmanager
    def fenced(self) -> Iterator[None]:
        assert self._fence is not None, "the lead is taken before the work is begun"
        with fenced(self._fence):
            yield

    def give_back(self) -> None:
        self._fence = None
        self._direct.give_back(self.work)


def _next_lead(conn: Connection, work: str, holder: str, now: datetime) -> int:
    last = conn.execute(select(LEADER.c.number).where(LEADER.c.work == work).with_for_update()).scalar_one_or_none()
    number = (last or 0) + 1
    conn.execute(insert_or_replace(conn, LEADER), row_of(LeadHolder(work, holder, now), number=number))
    return number


EVERYBODY, READER = "*", "verdict:"
"""Hints that do not name a game. On the first, all processes try again to take mail; on the second, the mailbox reader
moves settled mail away."""


def call_out(conn: Connection, hint: str) -> None:
    """Wake the process that plays a game, or all processes, once the transaction is committed. Transactions that send
    hints are committed one at a time, so avoid hints in a transaction that waits for the disk."""
    if backend_of(conn).several:
        conn.execute(_CALL, {"hint": hint})


_CALL = text("SELECT pg_notify('mentat', :hint)")


class AlreadyRunning(Exception):
    pass


@contextmanager
def only_one(engine: Engine, work: str) -> Iterator[None]:
    """Hold the lock on a piece of work during a block. If the process ends for any reason, the lock is released. Raise
    AlreadyRunning if another process has the lock."""
    backend = backend_of(engine)
    with ExitStack() as held:
        try:
            with explained(engine):
                had = held.enter_context(backend.only_one(engine, work))
        except OSError as error:
            why = f"No lock file can be created next to {backend.name(engine)}: {error.strerror}."
            raise DatabaseUnavailable(why) from error
        if not had:
            raise AlreadyRunning(f"Another `mentat` is {work} with {backend.name(engine)}; stop it first.")
        yield


@dataclass(frozen=True, slots=True)
class Presence:
    """A running process, and when it last reported. ``version`` identifies the rules that it uses. Processes with
    different rules do not play the same games."""

    name: str
    host: str
    version: str
    started_at: datetime
    seen_at: datetime


WORKER = table_of("worker", Presence, key="name", role=str)
"""``role`` is "worker" in every row, as each process can do all of the work."""


def lock_of_process(name: str) -> str:
    return f"being {name}"


def lock_of_mail(number: int) -> str:
    return f"taking mail {number}"


def note_presence(conn: Connection, own: Presence) -> None:
    conn.execute(insert_or_replace(conn, WORKER), row_of(own, role="worker"))


def forget_processes(conn: Connection, names: Collection[str]) -> None:
    conn.execute(delete(WORKER).where(WORKER.c.name.in_(names)))


def present_processes(conn: Connection) -> list[Presence]:
    """Return all processes that have started and not reported their end. Some of them may have died."""
    return sorted(load_all(conn, Presence), key=lambda each: (each.started_at, each.name))


def lead_holders(conn: Connection) -> list[LeadHolder]:
    return load_all(conn, LeadHolder)


MOST_TRIES = 6
"""A mail is quarantined after this many processes have died while handling it. A mail that kills its process does so
every time. The number is not lower because processes may also be killed from outside: on a slow machine, three in a row
may be handling the same mail by chance."""

LOOKED_AT = 500
"""The maximum number of waiting mails that are searched for one that can be taken."""


@dataclass(frozen=True, slots=True)
class StoredMail:
    """A fetched mail that is waiting for a worker. Rows are in order of arrival. The original stays in the mailbox
    until the verdict is stored here.

    - ``key`` is the mailbox's key for the mail.
    - ``too_large`` is the size of a mail that is too large; ``raw`` is then only its head.
    - ``game_id`` is None if the mail is for no known game, or for several.
    - ``tries`` counts how many times a worker has taken the mail so far.
    """

    key: str
    raw: bytes
    too_large: int
    sender: str
    game_id: str | None
    arrived_at: datetime
    id: int = 0
    tries: int = 0


INBOX = table_of(
    "inbox",
    StoredMail,
    Column("raw", Packed, nullable=False),
    key="id",
    index="disposition",
    unique="key",
    disposition=str,
    reason=str,
    shunt=bool,
)
"""``disposition`` is "" while the mail waits, then the verdict, with its ``reason``. ``shunt`` is true if the mail must
be quarantined."""


@dataclass(frozen=True, slots=True)
class SettledMail:
    id: int
    key: str
    disposition: str
    reason: str
    shunt: bool


@dataclass(frozen=True, slots=True)
class NextMail:
    id: int
    game_id: str | None
    sender: str


def store_mail(conn: Connection, mail: StoredMail) -> None:
    """Queue a mail, unless it is queued already, and wake the workers."""
    row = row_of(mail, disposition="", reason="", shunt=False)
    conn.execute(upsert(conn, INBOX).on_conflict_do_nothing(), row)
    call_out(conn, mail.game_id or "")


def inbox_keys(conn: Connection) -> set[str]:
    return set(conn.scalars(select(INBOX.c.key)))


def settled_mail(conn: Connection) -> list[SettledMail]:
    found = select(INBOX.c.id, INBOX.c.key, INBOX.c.disposition, INBOX.c.reason, INBOX.c.shunt)
    rows = conn.execute(found.where(INBOX.c.disposition != "").order_by(INBOX.c.id))
    return [SettledMail(*row) for row in rows]


def drop_mail(conn: Connection, numbers: Collection[int]) -> None:
    conn.execute(delete(INBOX).where(INBOX.c.id.in_(numbers)))


def count_mail(conn: Connection) -> int:
    return count_rows(conn, INBOX.c.id > 0)


def count_waiting_mail(conn: Connection) -> int:
    return int(conn.execute(_WAITING).scalar_one())


_WAITING = select(func.count()).where(INBOX.c.disposition == "")


def waiting_mail(conn: Connection) -> list[NextMail]:
    """Return the waiting mail, in order, up to the first mail that is for no game or for several. If such a mail comes
    first, return only that mail."""
    found = select(INBOX.c.id, INBOX.c.game_id, INBOX.c.sender).where(INBOX.c.disposition == "")
    rows = [NextMail(*row) for row in conn.execute(found.order_by(INBOX.c.id).limit(LOOKED_AT))]
    end = next((place for place, each in enumerate(rows) if each.game_id is None), len(rows))
    return rows[: max(end, 1)]


_CLAIM = """
WITH turn AS MATERIALIZED (
    SELECT pg_advisory_xact_lock_shared(%(turn)s)
), free AS MATERIALIZED (
    SELECT id FROM turn, inbox AS own WHERE id = %(id)s AND disposition = '' AND NOT EXISTS (
        SELECT FROM inbox AS other WHERE other.disposition = '' AND other.id < own.id AND (
            other.game_id = own.game_id OR other.sender = own.sender OR other.game_id IS NULL OR own.game_id IS NULL))
    FOR UPDATE OF own SKIP LOCKED
), held AS MATERIALIZED (
    SELECT id FROM free WHERE pg_try_advisory_lock(%(lock)s)
)
UPDATE inbox SET tries = tries + 1 FROM held WHERE inbox.id = held.id
RETURNING key, raw, too_large, sender, game_id, arrived_at, tries - 1, pg_advisory_unlock(%(done)s)
"""
"""Each mail is taken in order, by one process. While a process handles a mail, its session holds a lock on it, which
the server releases if the process dies. Processes of an older Mentat use the same lock."""


def put_mail_back(conn: Connection, mail: StoredMail) -> None:
    """Subtract a try, because the mail could not be handled now but did not kill its process."""
    conn.execute(update(INBOX).where(INBOX.c.id == mail.id, INBOX.c.tries > 0).values(tries=INBOX.c.tries - 1))


def mail_still_waits(conn: Connection, mail: StoredMail) -> bool:
    """Return True if a mail has no verdict yet. The calling transaction must hold the mail's game, so that no other
    worker can take the mail at the same time."""
    found = select(INBOX.c.id).where(INBOX.c.id == mail.id, INBOX.c.disposition == "").with_for_update()
    return conn.execute(found).first() is not None


def settle_mail(conn: Connection, mail: StoredMail, disposition: str, reason: str, *, shunt: bool) -> None:
    verdict = {"disposition": disposition, "reason": reason, "shunt": shunt}
    conn.execute(update(INBOX).where(INBOX.c.id == mail.id).values(verdict))
    if mail.game_id is None:  # all mail behind it had to wait
        call_out(conn, EVERYBODY)


def mail_waits_for(conn: Connection, game_id: str) -> bool:
    return any_row(conn, INBOX.c.game_id == game_id, INBOX.c.disposition == "")


def games_waited_for(conn: Connection, due: Collection[str], now: datetime) -> set[str]:
    """Return the games in ``due`` for which mail is waiting. Mail from before the deadline that is not yet assigned to
    a game counts for all of them, because it may concern any of them."""
    if not due or not count_waiting_mail(conn):
        return set()
    pending = INBOX.c.disposition == ""
    held = set(conn.scalars(select(INBOX.c.game_id).where(pending, INBOX.c.game_id.in_(due)).distinct()))
    first = conn.execute(select(func.min(INBOX.c.arrived_at)).where(pending, INBOX.c.game_id.is_(None))).scalar_one()
    if first is None:
        return held
    overdue = (DEADLINE.c.state == "open", DEADLINE.c.until <= now, DEADLINE.c.until >= first)
    return held | set(conn.scalars(select(DEADLINE.c.game_id).where(*overdue, DEADLINE.c.game_id.in_(due)).distinct()))


STUCK_MAIL = table_of("stuck_mail", StuckMail, key="key")


def stuck_mails(conn: Connection) -> list[StuckMail]:
    return sorted(load_all(conn, StuckMail), key=lambda stuck: (stuck.next_try_at or EARLIEST, stuck.key))


def keep_stuck_mail(conn: Connection, stuck: StuckMail) -> None:
    conn.execute(insert_or_replace(conn, STUCK_MAIL), row_of(stuck))


def forget_stuck_mail(conn: Connection, key: str) -> None:
    conn.execute(delete(STUCK_MAIL).where(STUCK_MAIL.c.key == key))


HeartbeatName = Literal[
    "service", "loop", "mailbox", "silence", "canary", "canary-sent", "retention", "archive", "ratings", "desk",
    "backup", "inbox", "alert-loop", "alert-mailbox", "alert-canary", "alert-outbox", "alert-deadlines", "alert-disk",
    "alert-certificate",
]  # fmt: skip


ALERTS: Mapping[str, HeartbeatName] = {
    "loop": "alert-loop",
    "mailbox": "alert-mailbox",
    "canary": "alert-canary",
    "outbox": "alert-outbox",
    "deadlines": "alert-deadlines",
    "disk": "alert-disk",
    "certificate": "alert-certificate",
}
"""The heartbeats of the alerts that are sent by mail."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The time at which a part of Mentat was last known to work, and ``failing_since``, which is None while it
    works."""

    at: datetime
    failing_since: datetime | None


HEARTBEAT = table_of("pulse", Heartbeat, key="name", name=str)


def heartbeat(conn: Connection, name: HeartbeatName) -> Heartbeat | None:
    return load(conn, Heartbeat, name=name)


def beat(conn: Connection, name: HeartbeatName, now: datetime) -> None:
    conn.execute(insert_or_replace(conn, HEARTBEAT), row_of(Heartbeat(now, None), name=name))


def note_failure(conn: Connection, name: HeartbeatName, now: datetime) -> None:
    known = heartbeat(conn, name)
    if known is None or known.failing_since is None:
        note_stop(conn, name, known.at if known else now, now)


def forget_heartbeat(conn: Connection, name: HeartbeatName) -> None:
    conn.execute(delete(HEARTBEAT).where(HEARTBEAT.c.name == name))


def note_stop(conn: Connection, name: HeartbeatName, now: datetime, since: datetime) -> None:
    """Record that a part of Mentat has been failing since an earlier instant, although this was noticed only now."""
    conn.execute(insert_or_replace(conn, HEARTBEAT), row_of(Heartbeat(now, since), name=name))


MeasurementName = Literal["faults", "deadline_lag", "deadline_lag_sum", "disk_used", "certificate"]


def add_measurements(conn: Connection, counted: Mapping[tuple[MeasurementName, str], float]) -> None:
    """Add to the counters. Lock the rows in a fixed order, so that concurrent transactions cannot deadlock."""
    rows = [{"name": name, "label": label, "value": by} for (name, label), by in sorted(counted.items())]
    conn.execute(insert_or_add(conn, MEASUREMENT, "value"), rows)


def set_measurement(conn: Connection, name: MeasurementName, label: str, value: float) -> None:
    conn.execute(insert_or_replace(conn, MEASUREMENT), {"name": name, "label": label, "value": value})


def forget_measurements_before(conn: Connection, name: MeasurementName, day: date) -> None:
    conn.execute(delete(MEASUREMENT).where(MEASUREMENT.c.name == name, MEASUREMENT.c.label < day.isoformat()))


_CANARIES = LETTER.c.message_id.startswith("<canary.", autoescape=True)


def canary_waits(conn: Connection) -> bool:
    return any_row(conn, _CANARIES, LETTER.c.next_try_at.is_not(None))


def forget_canaries(conn: Connection) -> None:
    conn.execute(delete(LETTER).where(_CANARIES))


def canary_came_back(conn: Connection, message_id: str) -> bool:
    """Delete a canary that has come back, and all earlier canaries. Return False if there is no canary with that
    Message-ID, as when the mail is forged."""
    number = conn.execute(select(LETTER.c.id).where(_CANARIES, LETTER.c.message_id == message_id)).scalar_one_or_none()
    if number is None:
        return False
    conn.execute(delete(LETTER).where(_CANARIES, LETTER.c.id <= number))
    return True
