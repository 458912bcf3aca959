"""This installation: what it is, which processes work on its database, what waits for them, and whether all is well.

A process has locks of its own at a server, which go with it however it ends, and hints that wake others. A lock is the
lead of a piece of work (``Lead``), or says that a process lives. Each process that works on a database says so in a
row.

The inbox of several workers is mail that was fetched and waits for whoever takes it, in the order in which it came. The
reader of the mailbox stores a mail here and leaves it where it lies; a worker takes it, and notes its verdict in the
transaction in which it acts on it; then the reader moves it away. So it comes in at least once and acts once. Mail for
one game waits for what came before it for that game, or from the same sender. Mail for none or for several (``game_id``
None) waits for everything before it, and everything behind it waits for that.

Heartbeats say when a part of Mentat was last known to work. ``service`` beats while `mentat run` runs, ``loop`` while
its main loop turns, ``mailbox`` when the mailbox was read. ``silence`` fails while all clocks are stopped because
nobody writes; its ``at`` is when they last were, or went on. ``canary`` fails while no mail from Mentat to itself comes
back; its ``at`` is when one last did, and that of ``canary-sent`` when one was last written. ``retention`` is when old
mail was last deleted, ``archive`` when its folder was last written with the running games, ``desk`` for which moment
the game master's letter of the day was last written or left out. ``ratings`` fails while a result has come or gone that
the ratings do not have yet; its ``at`` is when they were last computed. Those that begin with ``alert-`` fail while
something is wrong that somebody hears of by mail; their ``at`` is when it was last told. ``inbox`` is when all that lay
in the mailbox was last stored for the workers.

Measurements are numbers that no other row says. ``faults`` counts what was logged as an error, by the part of the
program. ``deadline_lag`` counts the questions that silence answered, each once under the smallest bound in seconds that
its lag does not exceed ("+Inf" for none), and ``deadline_lag_sum`` adds up their lags. ``disk_used`` is how many bytes
the database took on a day, by its date; ``certificate`` is until when that of a server holds, in seconds since 1970, by
the section that names the server.

A canary is a mail that Mentat sends to itself: a letter in the outbox that stays there until it has come back.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Literal, TypeVar

from sqlalchemy import Connection, bindparam, delete, func, select, text, update
from sqlmodel import Field, SQLModel

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
    insert_or_replace,
    upsert,
    writing_no_game,
)
from bot.store.tables import DEADLINE, GAME, HEARTBEAT, LETTER, MEASUREMENT, MESSAGE


class InboxRow(SQLModel, table=True):
    """A mail that was fetched and waits for a worker, in the order in which they came; it lies in the mailbox until its
    verdict stands here. ``key`` is that of the mailbox; ``raw`` the head alone where the mail has the size
    ``too_large``. ``game_id`` is the one game that it is for, None where that is not known or there are several.
    ``tries`` counts the workers that took it in hand. ``disposition`` is "" while it waits, then the verdict, with its
    ``reason``, and whether it is to be ``shunt``ed."""

    __tablename__ = "inbox"

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(index=True, unique=True)
    raw: bytes = Field(sa_type=Packed)
    too_large: int = 0
    sender: str = ""
    game_id: str | None = None
    arrived_at: datetime = Field(sa_type=Instant)
    tries: int = 0
    disposition: str = Field(default="", index=True)
    reason: str = ""
    shunt: bool = False


class LeaderRow(SQLModel, table=True):
    """Who does some work that one process does at a time. ``number`` goes up with each new leader, so that one that was
    frozen meanwhile finds out (a fencing token)."""

    __tablename__ = "leader"

    work: str = Field(primary_key=True)
    number: int
    holder: str
    since: datetime = Field(sa_type=Instant)


class WorkerRow(SQLModel, table=True):
    """A process that works on this database, and when it last said so. ``role`` is "worker" in every row: each process
    can do all of the work."""

    __tablename__ = "worker"

    name: str = Field(primary_key=True)
    role: str
    host: str
    version: str
    started_at: datetime = Field(sa_type=Instant)
    seen_at: datetime = Field(sa_type=Instant)


class InstallationRow(SQLModel, table=True):
    """This installation, in the one row that its database was made with. ``held_since`` and ``held_why``: nothing is
    sent and no deadline passes, since when and why (``bot.store.database``). ``restored_copy_at``: when the copy was
    made that it goes on from. When a backup was last begun (``copied_at``), by which version (``copied_by``), and the
    ``address`` of Mentat then: so a backup says what it is one of."""

    __tablename__ = "installation"

    id: str = Field(primary_key=True)
    made_at: datetime = Field(sa_type=Instant)
    held_since: datetime | None = Field(default=None, sa_type=Instant)
    held_why: str = ""
    restored_copy_at: datetime | None = Field(default=None, sa_type=Instant)
    copied_at: datetime | None = Field(default=None, sa_type=Instant)
    copied_by: str = ""
    address: str = ""


_tables = SQLModel.metadata.tables
INBOX = _tables["inbox"]
LEADER = _tables["leader"]
WORKER = _tables["worker"]
INSTALLATION = _tables["installation"]


@dataclass(frozen=True, slots=True)
class Installation:
    """The ``id`` is kept wherever the database goes. ``address`` is that of Mentat when a backup was last begun, at
    ``copied_at`` by the version ``copied_by``; ``restored_copy_at`` when the copy was made that this database was put
    back from, None if it never was."""

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
        """Whether it is held since it was put back from a backup."""
        return self.held_since is not None and self.held_why == RESTORED

    @property
    def moved(self) -> bool:
        """Whether it is held since it was moved."""
        return self.held_since is not None and self.held_why.startswith(moved_to(""))


def this_installation(conn: Connection) -> Installation:
    """What this installation is."""
    return Installation(**conn.execute(select(INSTALLATION)).mappings().one())


def begin_copy(conn: Connection, address: str, version: str, now: datetime) -> None:
    """A backup is about to be made; it will have this in it."""
    conn.execute(update(INSTALLATION).values(address=address, copied_by=version, copied_at=now))


def hold_restored(conn: Connection, copy_at: datetime, now: datetime, *, as_another: bool) -> None:
    """The database was put back from a copy. ``as_another``: it goes on under another address than the one that it was
    copied from, which may go on too, so it is another installation from now on.

    Mail that waited in it for a worker lies in the mailbox still, or was dealt with since; nobody works on it."""
    changed = {"held_since": now, "held_why": RESTORED, "restored_copy_at": copy_at}
    if as_another:
        changed["id"] = secrets.token_hex(16)
    conn.execute(update(INSTALLATION).values(changed))
    for table in (INBOX, LEADER, WORKER):
        conn.execute(delete(table))


def hold_moved(conn: Connection, whither: str, now: datetime) -> None:
    """The database was moved to another place."""
    conn.execute(update(INSTALLATION).values(held_since=now, held_why=moved_to(whither)))


def moved_to(whither: str) -> str:
    """``held_why`` of a database that was moved."""
    return f"moved to {whither}"


def release_database(conn: Connection) -> None:
    """Let the database be changed again."""
    conn.execute(update(INSTALLATION).values(held_since=None, held_why=""))


@dataclass(frozen=True, slots=True)
class Inspection:
    """``damage``: what the database says is broken, empty if nothing is. ``running`` of the ``games`` go on, and
    ``newest_message`` is when the last mail came, None before the first."""

    damage: str
    games: int
    running: int
    newest_message: datetime | None


def inspect_database(conn: Connection) -> Inspection:
    """Look through a database; it takes as long as reading the file."""
    games, running = conn.execute(
        select(func.count(), func.count().filter(GAME.c.status == "running")).select_from(GAME)
    ).one()
    newest = conn.execute(select(func.max(MESSAGE.c.received_at))).scalar_one()
    return Inspection(backend_of(conn).damage(conn), games, running, newest)


T = TypeVar("T")


class ProcessLocks:
    """The locks of one process. ValueError where the database is for one process; DatabaseUnavailable from every method
    but ``close`` while the server is away. Where the connection breaks all locks are gone."""

    def __init__(self, engine: Engine, program: str) -> None:
        self.engine = engine
        self._session = backend_of(engine).direct(engine, program)

    def reach(self) -> None:
        """Connect, so that DatabaseUnavailable tells before any work where locks cannot be had."""
        self._asked(self._session.reach)

    def take(self, work: str) -> bool:
        """Take the lock of some work; whether it is had now."""
        return self._asked(lambda: self._session.take(work))

    def share(self, work: str) -> bool:
        """Take the lock of some work together with others who share it; returns whether it was to be had. It is not
        while somebody holds the lock alone or waits to."""
        return self._asked(lambda: self._session.share(work))

    def holds(self, work: str) -> bool:
        """Whether this process still has the lock of some work."""
        return self._asked(lambda: self._session.holds(work))

    def give_back(self, work: str) -> None:
        """Let go of a lock."""
        self._asked(lambda: self._session.give_back(work))

    def is_taken(self, work: str) -> bool:
        """Whether any process has the lock of some work."""
        return self._asked(lambda: self._session.is_taken(work))

    def wait(self, seconds: float) -> bool:
        """Wait until something is called out, or so many seconds; whether something was."""
        return self._asked(lambda: self._session.wait(seconds))

    def silent_seconds(self, program: str) -> float:
        """How long no connection of a process has asked the server anything; 0 where it has no connection."""
        return self._asked(lambda: self._session.silent_seconds(program))

    def end_sessions(self, program: str) -> None:
        """End all connections of a process that is frozen, so that it holds nothing any more."""
        self._asked(lambda: self._session.end_sessions(program))

    def close(self) -> None:
        """Let go of everything."""
        self._session.close()

    def _asked(self, question: Callable[[], T]) -> T:
        with explained(self.engine):
            return question()


class Lead:
    """The lead of a piece of work that one process does at a time. Whoever takes it counts up its number, and every
    transaction within ``fenced`` looks whether that still stands."""

    def __init__(self, direct: ProcessLocks, work: str, holder: str) -> None:
        self.work = work
        self._direct = direct
        self._holder = holder
        self._fence: Fence | None = None

    @property
    def number(self) -> int:
        """Under which number it was had when it was last asked for; 0 if it was not. Another number is another lead."""
        return self._fence.number if self._fence else 0

    def taken(self, now: datetime) -> bool:
        """Take the lead, if nobody has it; whether it is had now."""
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
        """Do the work: every transaction of the block that writes is LostLead where another leads meanwhile."""
        assert self._fence is not None, "the lead is taken before the work is begun"
        with fenced(self._fence):
            yield

    def give_back(self) -> None:
        """Let another lead."""
        self._fence = None
        self._direct.give_back(self.work)


def _next_lead(conn: Connection, work: str, holder: str, now: datetime) -> int:
    last = conn.execute(select(LEADER.c.number).where(LEADER.c.work == work).with_for_update()).scalar_one_or_none()
    number = (last or 0) + 1
    conn.execute(insert_or_replace(conn, LEADER), {"work": work, "number": number, "holder": holder, "since": now})
    return number


def call_out(conn: Connection, hint: str = "") -> None:
    """Wake those who ``wait``, once the transaction is committed."""
    if backend_of(conn).several:
        conn.execute(_CALL, {"hint": hint})


_CALL = text("SELECT pg_notify('mentat', :hint)")


class AlreadyRunning(Exception):
    """Another process does this work on the same database."""


@contextmanager
def only_one(engine: Engine, work: str) -> Iterator[None]:
    """Hold the lock for some work on a database for as long as the block runs; it goes with the process, however that
    ends. AlreadyRunning if another has it."""
    backend = backend_of(engine)
    with ExitStack() as held:
        try:
            with explained(engine):
                had = held.enter_context(backend.only_one(engine, work))
        except OSError as error:
            why = f"No lock can be made beside {backend.name(engine)}: {error.strerror}."
            raise DatabaseUnavailable(why) from error
        if not had:
            raise AlreadyRunning(f"Another `mentat` is {work} with {backend.name(engine)}; stop it first.")
        yield


@dataclass(frozen=True, slots=True)
class Presence:
    """A process at work. ``version`` names its rules: processes with others play other games."""

    name: str
    host: str
    version: str
    started_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class LeadHolder:
    """Some work that one process does at a time, and who took its lead last."""

    work: str
    holder: str
    since: datetime


def lock_of_process(name: str) -> str:
    """The lock that a process holds as long as it lives."""
    return f"being {name}"


def note_presence(conn: Connection, own: Presence) -> None:
    """Note that a process is at work."""
    conn.execute(insert_or_replace(conn, WORKER), {**asdict(own), "role": "worker"})


def forget_processes(conn: Connection, names: Collection[str]) -> None:
    """Forget processes that have ended."""
    conn.execute(delete(WORKER).where(WORKER.c.name.in_(names)))


def present_processes(conn: Connection) -> list[Presence]:
    """All who have begun and not said that they end; some may have died since."""
    rows = conn.execute(select(WORKER).order_by(WORKER.c.started_at, WORKER.c.name))
    return [Presence(row.name, row.host, row.version, row.started_at, row.seen_at) for row in rows]


def lead_holders(conn: Connection) -> list[LeadHolder]:
    """Who took which lead last."""
    rows = conn.execute(select(LEADER).order_by(LEADER.c.work))
    return [LeadHolder(row.work, row.holder, row.since) for row in rows]


MOST_TRIES = 6
"""A mail on which so many processes have ended is put aside. One that ends them does so every time; but where processes
are killed from outside each second and the machine is slow, three in a row may have had the same mail in hand."""

LOOKED_AT = 500
"""So many that wait are looked at for one that can be taken."""


@dataclass(frozen=True, slots=True)
class StoredMail:
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
class SettledMail:
    """What became of a mail that lies in the mailbox still."""

    id: int
    key: str
    disposition: str
    reason: str
    shunt: bool


@dataclass(frozen=True, slots=True)
class NextMail:
    """A mail that may be taken now."""

    id: int
    game_id: str | None


def store_mail(conn: Connection, mail: StoredMail) -> None:
    """Let a mail wait, unless it does so already, and wake the workers."""
    row = {
        "key": mail.key, "raw": mail.raw, "too_large": mail.too_large, "sender": mail.sender, "game_id": mail.game_id,
        "arrived_at": mail.arrived_at, "tries": 0, "disposition": "", "reason": "", "shunt": False,
    }  # fmt: skip
    conn.execute(upsert(conn, INBOX).on_conflict_do_nothing(), row)
    call_out(conn, mail.game_id or "")


def inbox_keys(conn: Connection) -> set[str]:
    """The keys of all that is here, with a verdict or without."""
    return set(conn.scalars(select(INBOX.c.key)))


def settled_mail(conn: Connection) -> list[SettledMail]:
    """What has a verdict, in the order in which it came."""
    found = select(INBOX.c.id, INBOX.c.key, INBOX.c.disposition, INBOX.c.reason, INBOX.c.shunt)
    rows = conn.execute(found.where(INBOX.c.disposition != "").order_by(INBOX.c.id))
    return [SettledMail(row.id, row.key, row.disposition, row.reason, row.shunt) for row in rows]


def drop_mail(conn: Connection, numbers: Collection[int]) -> None:
    """Forget mails that were moved away, or that are to be fetched anew."""
    conn.execute(delete(INBOX).where(INBOX.c.id.in_(numbers)))


def count_waiting_mail(conn: Connection) -> int:
    """How many mails wait for a worker."""
    return int(conn.execute(_WAITING_MAIL).scalar_one())


_WAITING_MAIL = select(func.count()).where(INBOX.c.disposition == "")


def takeable_mail(conn: Connection) -> list[NextMail]:
    """What may be taken now, in the order in which it came."""
    found = select(INBOX.c.id, INBOX.c.game_id, INBOX.c.sender).where(INBOX.c.disposition == "")
    rows = conn.execute(found.order_by(INBOX.c.id).limit(LOOKED_AT))
    return _first_of_each((row.id, row.game_id, row.sender) for row in rows)


def _first_of_each(rows: Iterable[tuple[int, str | None, str]]) -> list[NextMail]:
    """The first of each game and sender.

    >>> [each.id for each in _first_of_each([(1, "a", "paul"), (2, "a", "chani"), (3, "b", "paul"), (4, None, "")])]
    [1]
    >>> [each.id for each in _first_of_each([(1, "a", "paul"), (2, "b", "chani"), (3, "b", "duncan")])]
    [1, 2]
    """
    free, games, senders = list[NextMail](), set[str](), set[str]()
    for number, game_id, sender in rows:
        if game_id is None:
            if not games:
                free.append(NextMail(number, None))
            break
        if game_id not in games and sender not in senders:
            free.append(NextMail(number, game_id))
        games.add(game_id)
        senders.add(sender)
    return free


def take_mail(conn: Connection, number: int) -> StoredMail | None:
    """Take a mail in hand, which counts as a try; None if it does not wait any more."""
    counted = update(INBOX).where(INBOX.c.id == number, INBOX.c.disposition == "").values(tries=INBOX.c.tries + 1)
    if not conn.execute(counted).rowcount:
        return None
    row = conn.execute(select(INBOX).where(INBOX.c.id == number)).one()
    return StoredMail(
        row.key, row.raw, row.too_large, row.sender, row.game_id, row.arrived_at, row.id, row.tries - 1
    )  # fmt: skip


def put_mail_back(conn: Connection, mail: StoredMail) -> None:
    """Count a try no longer: the mail could not be taken just now, but no process has died over it."""
    conn.execute(update(INBOX).where(INBOX.c.id == mail.id, INBOX.c.tries > 0).values(tries=INBOX.c.tries - 1))


def mail_still_waits(conn: Connection, mail: StoredMail) -> bool:
    """Whether a mail has no verdict yet, in the transaction that holds its game: nobody else takes it meanwhile."""
    found = select(INBOX.c.id).where(INBOX.c.id == mail.id, INBOX.c.disposition == "").with_for_update()
    return conn.execute(found).first() is not None


def settle_mail(conn: Connection, mail: StoredMail, disposition: str, reason: str, *, shunt: bool) -> None:
    """Note what became of a mail, and wake the reader."""
    verdict = {"disposition": disposition, "reason": reason, "shunt": shunt}
    conn.execute(update(INBOX).where(INBOX.c.id == mail.id).values(verdict))
    call_out(conn)


def mail_waits_for(conn: Connection, game_id: str) -> bool:
    """Whether a mail for this game waits."""
    found = select(INBOX.c.id).where(INBOX.c.game_id == game_id, INBOX.c.disposition == "").limit(1)
    return conn.execute(found).first() is not None


def games_waited_for(conn: Connection, due: Collection[str], now: datetime) -> set[str]:
    """Those of the games that are due for which mail waits, and those that mail may be for which came in time."""
    if not due or not count_waiting_mail(conn):
        return set()
    pending = INBOX.c.disposition == ""
    held = set(conn.scalars(select(INBOX.c.game_id).where(pending, INBOX.c.game_id.in_(due)).distinct()))
    first = conn.execute(select(func.min(INBOX.c.arrived_at)).where(pending, INBOX.c.game_id.is_(None))).scalar_one()
    if first is None:
        return held
    overdue = (DEADLINE.c.state == "open", DEADLINE.c.until <= now, DEADLINE.c.until >= first)
    return held | set(conn.scalars(select(DEADLINE.c.game_id).where(*overdue, DEADLINE.c.game_id.in_(due)).distinct()))


HeartbeatName = Literal[
    "service", "loop", "mailbox", "silence", "canary", "canary-sent", "retention", "archive", "ratings", "desk",
    "backup", "inbox", "alert-loop", "alert-mailbox", "alert-canary", "alert-outbox", "alert-deadlines", "alert-disk",
    "alert-certificate",
]  # fmt: skip


ALERTS: Mapping[str, HeartbeatName] = {
    "loop": "alert-loop", "mailbox": "alert-mailbox", "canary": "alert-canary", "outbox": "alert-outbox",
    "deadlines": "alert-deadlines", "disk": "alert-disk", "certificate": "alert-certificate",
}  # fmt: skip
"""The heartbeats of what somebody hears of by mail."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """``at``: when it was last known to work; ``failing_since``: since when it has not, None while it works."""

    at: datetime
    failing_since: datetime | None


def heartbeat(conn: Connection, name: HeartbeatName) -> Heartbeat | None:
    """The last heartbeat of a part of Mentat; None if it never had one."""
    row = conn.execute(_HEARTBEAT, {"of": name}).one_or_none()
    return None if row is None else Heartbeat(row.at, row.failing_since)


_HEARTBEAT = select(HEARTBEAT.c.at, HEARTBEAT.c.failing_since).where(HEARTBEAT.c.name == bindparam("of"))


def beat(conn: Connection, name: HeartbeatName, now: datetime) -> None:
    """Note that a part of Mentat works."""
    conn.execute(insert_or_replace(conn, HEARTBEAT), {"name": name, "at": now, "failing_since": None})


def note_failure(conn: Connection, name: HeartbeatName, now: datetime) -> None:
    """Note that a part of Mentat does not work; a failure that is known already goes on."""
    known = heartbeat(conn, name)
    if known is None or known.failing_since is None:
        at = known.at if known else now
        conn.execute(insert_or_replace(conn, HEARTBEAT), {"name": name, "at": at, "failing_since": now})


def forget_heartbeat(conn: Connection, name: HeartbeatName) -> None:
    """Delete the heartbeat of a part of Mentat, as if it had never worked."""
    conn.execute(delete(HEARTBEAT).where(HEARTBEAT.c.name == name))


def note_stop(conn: Connection, name: HeartbeatName, now: datetime, since: datetime) -> None:
    """Note that a part of Mentat, as was found now, has not worked since an earlier instant."""
    conn.execute(insert_or_replace(conn, HEARTBEAT), {"name": name, "at": now, "failing_since": since})


MeasurementName = Literal["faults", "deadline_lag", "deadline_lag_sum", "disk_used", "certificate"]


def add_measurements(conn: Connection, counted: Mapping[tuple[MeasurementName, str], float]) -> None:
    """Add to what was counted before. The rows are taken in their order, so that two who add wait for each other."""
    rows = [{"name": name, "label": label, "value": by} for (name, label), by in sorted(counted.items())]
    new = upsert(conn, MEASUREMENT)
    more = MEASUREMENT.c.value + new.excluded.value
    keys = list(MEASUREMENT.primary_key.columns)
    conn.execute(new.on_conflict_do_update(index_elements=keys, set_={"value": more}), rows)


def set_measurement(conn: Connection, name: MeasurementName, label: str, value: float) -> None:
    """This is what was measured last."""
    conn.execute(insert_or_replace(conn, MEASUREMENT), {"name": name, "label": label, "value": value})


def forget_measurements_before(conn: Connection, name: MeasurementName, day: date) -> None:
    """Drop what was measured before a day, of what is kept by its date."""
    conn.execute(delete(MEASUREMENT).where(MEASUREMENT.c.name == name, MEASUREMENT.c.label < day.isoformat()))


_CANARIES = LETTER.c.message_id.startswith("<canary.", autoescape=True)


def canary_waits(conn: Connection) -> bool:
    """Whether one was written and has not been sent yet."""
    return (
        conn.execute(select(LETTER.c.id).where(_CANARIES, LETTER.c.next_try_at.is_not(None)).limit(1)).first()
        is not None
    )


def forget_canaries(conn: Connection) -> None:
    """None is waited for any more."""
    conn.execute(delete(LETTER).where(_CANARIES))


def canary_came_back(conn: Connection, message_id: str) -> bool:
    """One came back: it is forgotten with those that were written before it. False if there is none of this Message-ID,
    as in a mail that somebody made up."""
    number = conn.execute(select(LETTER.c.id).where(_CANARIES, LETTER.c.message_id == message_id)).scalar_one_or_none()
    if number is None:
        return False
    conn.execute(delete(LETTER).where(_CANARIES, LETTER.c.id <= number))
    return True
