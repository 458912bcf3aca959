"""Stored deadlines, and all functions that move or count them. Deadlines themselves are defined in
``bot.table.deadlines``.

Functions named ``follow_…`` store the results of the pure functions in that module: new deadlines, absences, players
who no longer receive mail, and deadlines that have begun to use up a time bank. Other functions find what is due:
defaults, reminders, daily letters, lost time that must be given back, and clocks that stop when all players are silent
and later resume. Each game records which lost time it was given back, so that no game gets the same time back twice.

A duty is a question whose answer, as everybody knows, the game is waiting for. Its deadline moves with absences and
outages, so these count against nobody. Answers by a seat's caretaker count for nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, bindparam, delete, func, literal, or_, select, update
from sqlalchemy import Table as SqlTable

from bot.store.acts import ACT
from bot.store.database import NO_INSTANT, insert_or_add, insert_or_replace
from bot.store.mail import EARLIEST
from bot.store.people import AT_ONCE, SeatName, known_as
from bot.store.rows import add_value, columns_of, row_of, table_of
from bot.store.tables import ABSENCE, DEADLINE, GAME, MESSAGE, NOBODY, OVERRUN, SEAT
from bot.table.calendar import next_allowed
from bot.table.clock import GameClock
from bot.table.deadlines import (
    absence_delays,
    announce_absence,
    current_deadlines,
    mark_unreachable,
    measure_overruns,
    postponed_deadlines,
    resumed_deadlines,
    settle_overruns,
    unreachable_delays,
    with_due,
    withdraw_absence,
)
from bot.table.table import Absence, Absences, Deadline, Deadlines, Overrun, Overruns, Place, Table
from rules.components import Faction, as_faction

V = TypeVar("V")


def load_deadlines(conn: Connection, game_id: str) -> Deadlines:
    return _by_place(conn, Deadline, DEADLINE, DEADLINE.c.game_id == game_id, DEADLINE.c.state != "gone")


def _by_place(conn: Connection, kind: type[V], of: SqlTable, *where: ColumnElement[bool]) -> dict[Place, V]:
    found = select(of.c.opened_at, of.c.faction, of.c.kind, of.c.subject, *columns_of(kind)).where(*where)
    return {
        (stop, (as_faction(faction), asked, subject)): kind(*values)
        for stop, faction, asked, subject, *values in conn.execute(found)
    }


def follow_deadlines(conn: Connection, table: Table, now: datetime, clock: GameClock) -> Deadlines:
    """Bring the deadlines up to date with the current position, and return them. The ``clock`` says when new questions
    are due. The deadlines of questions that no longer exist are deleted."""
    game_id, known = table.id, table.deadlines
    current = current_deadlines(known, table.play, now, clock)
    if current == known:
        return known
    gone = [place for place in known if place not in current]
    count_duties(conn, game_id, [(place[1][0], _in_time(known[place], now)) for place in gone if known[place].duty])
    missed = [_row(game_id, place) for place in gone if known[place].missed]
    other = [_row(game_id, place) for place in gone if not known[place].missed]
    if missed:
        conn.execute(_GONE, missed)
    if other:
        conn.execute(_DELETE, other)
    fresh = [place for place in current if place not in known]
    if fresh:
        rows = [row_of(current[place], **_place(game_id, place), reminded=0) for place in fresh]
        conn.execute(insert_or_replace(conn, DEADLINE), rows)  # an earlier offer of this name may have been missed
    changed = [
        {
            **_row(game_id, place),
            "new_due": deadline.due,
            "new_until": deadline.until,
            "new_state": deadline.state,
            "new_missed": deadline.missed,
        }
        for place, deadline in current.items()
        if place in known and known[place] != deadline
    ]
    if changed:
        conn.execute(_CHANGE, changed)
    return current


def _in_time(gone: Deadline, now: datetime) -> bool:
    return not gone.missed and (gone.state == "answered" or now <= gone.due)


def postpone(conn: Connection, table: Table, places: Iterable[Place], until: datetime) -> bool:
    """Move all deadlines in ``places`` that are earlier than ``until`` to that instant, and restart their reminders.
    The grace period keeps its length. Return True if any deadline moved."""
    later = postponed_deadlines(table, places, until)
    _move(conn, table.id, later)
    table.deadlines.update(later)
    return bool(later)


def delay(conn: Connection, table: Table, delays: Mapping[Place, datetime]) -> None:
    for place, until in delays.items():
        postpone(conn, table, [place], until)


def extend(conn: Connection, table: Table, places: Iterable[Place], hours: float, clock: GameClock) -> None:
    for place in list(places):
        postpone(conn, table, [place], clock.extended(table.deadlines[place].due, hours))


def bring_forward(conn: Connection, table: Table, earlier: Mapping[Place, datetime]) -> None:
    moved = {place: with_due(table.deadlines[place], due) for place, due in earlier.items()}
    _move(conn, table.id, moved)
    table.deadlines.update(moved)


def give_back(conn: Connection, table: Table, clock: GameClock, since: datetime, back: datetime) -> None:
    current = resumed_deadlines(table.deadlines, clock, since, back)
    moved = {place: deadline for place, deadline in current.items() if deadline != table.deadlines[place]}
    _move(conn, table.id, moved)
    table.deadlines = current


def _move(conn: Connection, game_id: str, later: Deadlines) -> None:
    if later:
        rows = [{**_row(game_id, place), "new_due": d.due, "new_until": d.until} for place, d in later.items()]
        conn.execute(_MOVE, rows)


def missed_kinds(conn: Connection, game_id: str, faction: Faction, turn: int) -> dict[str, datetime]:
    """Return the kinds of question that a faction left to the default in this turn or the last, each with its latest
    deadline."""
    rows = conn.execute(
        select(DEADLINE.c.kind, func.max(DEADLINE.c.due).label("due"))
        .where(
            DEADLINE.c.game_id == game_id,
            DEADLINE.c.faction == faction,
            DEADLINE.c.missed,
            DEADLINE.c.opened_at.startswith(f"{turn}.") | DEADLINE.c.opened_at.startswith(f"{turn - 1}."),
        )
        .group_by(DEADLINE.c.kind)
    )
    return {row.kind: row.due for row in rows}


@dataclass(frozen=True, slots=True)
class MissedDuty:
    asked_at: datetime
    due: datetime


def missed_duties(conn: Connection, games: Collection[str]) -> dict[SeatName, list[MissedDuty]]:
    """Return the duties that the seats of these games missed, so that the default applied. If a duty's deadline moves,
    for example because of an absence, the duty is missed only at the new deadline."""
    found: dict[SeatName, list[MissedDuty]] = {}
    wanted = sorted(games)
    for first in range(0, len(wanted), AT_ONCE):
        rows = conn.execute(
            select(DEADLINE.c.game_id, DEADLINE.c.faction, DEADLINE.c.asked_at, DEADLINE.c.due).where(
                DEADLINE.c.game_id.in_(wanted[first : first + AT_ONCE]), DEADLINE.c.missed, DEADLINE.c.duty
            )
        )
        for game_id, faction, asked_at, due in rows:
            found.setdefault((game_id, as_faction(faction)), []).append(MissedDuty(asked_at or due, due))
    return found


def due_games(conn: Connection, now: datetime) -> list[str]:
    """Return the running games that have an overdue question and whose clocks are running. The game that has been
    overdue longest comes first."""
    return [row.game_id for row in conn.execute(_DUE_GAMES, {"now": now})]


_NEVER = datetime(9999, 1, 1, tzinfo=UTC)
_DUE_GAMES = (
    select(DEADLINE.c.game_id, func.min(DEADLINE.c.until).label("until"))
    .join(GAME, GAME.c.id == DEADLINE.c.game_id)
    .where(
        DEADLINE.c.state == "open",
        DEADLINE.c.until <= bindparam("now"),
        GAME.c.status == "running",
        GAME.c.stopped_at == NO_INSTANT,
    )
    .group_by(DEADLINE.c.game_id)
    .order_by(func.min(DEADLINE.c.until))
)


def next_due(conn: Connection) -> datetime | None:
    found = conn.execute(_DUE_GAMES, {"now": _NEVER}).first()
    return found.until if found else None


def seats_to_remind(conn: Connection, now: datetime, hours: Sequence[float]) -> list[tuple[str, Faction]]:
    """Return the seats that should get a reminder now, because one of their open questions is due within one of the
    ``hours`` and they have not had that reminder yet. Skip questions that were asked in the future: a machine whose
    clock is fast has only just asked them."""
    found: dict[tuple[str, Faction], None] = {}
    for number, before in enumerate(sorted(hours, reverse=True), 1):
        ends = {"now": now, "until": now + timedelta(hours=before), "so_often": range(number)}
        rows = conn.execute(_SEATS_TO_REMIND, ends)
        found.update(dict.fromkeys((row.game_id, as_faction(row.faction)) for row in rows))
    return list(found)


_SEATS_TO_REMIND = (
    select(DEADLINE.c.game_id, DEADLINE.c.faction)
    .join(GAME, GAME.c.id == DEADLINE.c.game_id)
    .where(
        DEADLINE.c.state == "open",
        DEADLINE.c.asked_at <= bindparam("now"),
        DEADLINE.c.due > bindparam("now"),
        DEADLINE.c.due <= bindparam("until"),
        DEADLINE.c.reminded.in_(bindparam("so_often", expanding=True)),
        GAME.c.status == "running",
        GAME.c.stopped_at == NO_INSTANT,
    )
)


def mark_reminded(conn: Connection, game_id: str, faction: Faction, now: datetime, hours: Sequence[float]) -> bool:
    """Record that a seat is being sent the reminder that is due now. Return False if another process has already sent
    it."""
    changed = 0
    for number, before in enumerate(sorted(hours, reverse=True), 1):
        changed += conn.execute(
            update(DEADLINE)
            .where(
                DEADLINE.c.game_id == game_id,
                DEADLINE.c.faction == faction,
                DEADLINE.c.state == "open",
                DEADLINE.c.due <= now + timedelta(hours=before),
                DEADLINE.c.reminded < number,
            )
            .values(reminded=number)
        ).rowcount
    return changed > 0


_NAMES = ("game_id", "opened_at", "faction", "kind", "subject")
_THIS = tuple(DEADLINE.c[name] == bindparam(f"at_{name}") for name in _NAMES)
_DELETE = delete(DEADLINE).where(*_THIS)
_GONE = update(DEADLINE).where(*_THIS).values(state="gone", missed=True)
_CHANGE = (
    update(DEADLINE)
    .where(*_THIS)
    .values(
        due=bindparam("new_due"),
        until=bindparam("new_until"),
        state=bindparam("new_state"),
        missed=bindparam("new_missed"),
    )
)
_MOVE = update(DEADLINE).where(*_THIS).values(due=bindparam("new_due"), until=bindparam("new_until"), reminded=0)


def _place(game_id: str, place: Place) -> dict[str, str]:
    stop, key = place
    return dict(zip(_NAMES, (game_id, stop, *key), strict=True))


def _row(game_id: str, place: Place) -> dict[str, str]:
    return {f"at_{name}": value for name, value in _place(game_id, place).items()}


def load_absences(conn: Connection, game_id: str) -> Absences:
    of_game = select(ABSENCE.c.faction, *columns_of(Absence)).where(ABSENCE.c.game_id == game_id)
    found: Absences = {}
    for faction, *away in conn.execute(of_game.order_by(ABSENCE.c.first)):
        found.setdefault(as_faction(faction), []).append(Absence(*away))
    return found


def add_absence(
    conn: Connection, table: Table, faction: Faction, absence: Absence, now: datetime, clock: GameClock
) -> None:
    add_value(conn, absence, game_id=table.id, faction=faction, filed_at=now)
    delay(conn, table, announce_absence(table, faction, absence, clock))


def remove_absences(conn: Connection, table: Table, faction: Faction, absences: Iterable[Absence]) -> None:
    """Delete absences. Deadlines that were moved because of them do not move back."""
    for absence in absences:
        this = (ABSENCE.c.game_id == table.id, ABSENCE.c.faction == faction, ABSENCE.c.first == absence.first)
        conn.execute(delete(ABSENCE).where(*this))
        withdraw_absence(table, faction, absence)


def follow_absences(conn: Connection, table: Table, known: Deadlines, clock: GameClock) -> None:
    """If a player is away, postpone the deadlines of their new duties. ``known`` are the previous deadlines."""
    delay(conn, table, absence_delays(table, known, clock))


def begin_unreachable(
    conn: Connection, table: Table, faction: Faction, now: datetime, hours: float, clock: GameClock
) -> datetime | None:
    """Record that mail does not reach a player. Their open duties wait for them for the part of the ``hours`` that they
    have not used up in this game. Return when the wait ends, or None if the duties do not wait."""
    delay(conn, table, mark_unreachable(table, faction, now, hours, clock))
    waits_until = table.seats[faction].waits_until
    return next_allowed(clock.calendar, waits_until) if waits_until else None


def follow_unreachable(conn: Connection, table: Table, known: Deadlines, clock: GameClock) -> None:
    delay(conn, table, unreachable_delays(table, known, clock))


def seats_in_doubt(conn: Connection, address: str) -> list[SeatName]:
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(_IN_DOUBT, {"at": address})]


_IN_DOUBT = (
    select(SEAT.c.game_id, SEAT.c.faction)
    .join(GAME, GAME.c.id == SEAT.c.game_id)
    .where(SEAT.c.address == bindparam("at"), or_(SEAT.c.unreachable, SEAT.c.undelivered > 0), GAME.c.status != "over")
    .order_by(SEAT.c.game_id, SEAT.c.dot)
)
"""Every message runs this query, so the statement is built once (``bot.store.mail``)."""


def load_overruns(conn: Connection, game_id: str) -> Overruns:
    return _by_place(conn, Overrun, OVERRUN, OVERRUN.c.game_id == game_id)


def begin_overrun(conn: Connection, table: Table, place: Place, overrun: Overrun) -> None:
    add_value(conn, overrun, **_place(table.id, place))
    table.overruns[place] = overrun


def follow_overruns(conn: Connection, table: Table, known: Deadlines, now: datetime) -> None:
    """Record which overdue questions were answered, and clear the overruns of players who have no overdue question
    left. ``known`` are the previous deadlines."""
    for place, left in measure_overruns(table, known, now).items():
        conn.execute(update(OVERRUN).where(*_this_overrun(table.id, place)).values(left=left))
    drop_overruns(conn, table, settle_overruns(table))


def drop_overruns(conn: Connection, table: Table, places: Iterable[Place]) -> None:
    for place in list(places):
        conn.execute(delete(OVERRUN).where(*_this_overrun(table.id, place)))
        del table.overruns[place]


def _this_overrun(game_id: str, place: Place) -> tuple[ColumnElement[bool], ...]:
    return tuple(OVERRUN.c[name] == value for name, value in _place(game_id, place).items())


@dataclass(frozen=True, slots=True)
class Duties:
    duties: int = 0
    on_time: int = 0


DUTY_COUNT = table_of("duty_count", Duties, key="game_id address", refers="game_id", game_id=str, address=str)
"""``address`` is the address that the person had at the time."""


def count_duties(conn: Connection, game_id: str, gone: Iterable[tuple[Faction, bool]]) -> None:
    had, kept = Counter[Faction](), Counter[Faction]()
    for faction, in_time in gone:
        had[faction] += 1
        kept[faction] += in_time
    if not had:
        return
    new = [
        row_of(Duties(had[row.faction], kept[row.faction]), game_id=game_id, address=row.address)
        for row in conn.execute(_MANNED, {"of": game_id})
        if had[row.faction]
    ]
    if new:
        _add_duties(conn, new)


_MANNED = select(SEAT.c.faction, SEAT.c.address).where(SEAT.c.game_id == bindparam("of"), ~SEAT.c.care)


def _add_duties(conn: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    conn.execute(insert_or_add(conn, DUTY_COUNT, "duties", "on_time"), rows)


def duties_of(conn: Connection, address: str) -> Duties:
    sums = select(func.sum(DUTY_COUNT.c.duties), func.sum(DUTY_COUNT.c.on_time))
    sums = sums.join(GAME, GAME.c.id == DUTY_COUNT.c.game_id)
    named = ~GAME.c.press.contains("names-until=round")  # else the sum would reveal who played there
    found = sums.where(DUTY_COUNT.c.address.in_(known_as(conn, address)), GAME.c.status == "over", named)
    duties, on_time = conn.execute(found).one()
    return Duties(duties or 0, on_time or 0)


def forget_duties(conn: Connection, address: str) -> None:
    """Make a deleted person's duty counts anonymous. If several players of a game are deleted, add their counts up."""
    rows = conn.execute(select(DUTY_COUNT).where(DUTY_COUNT.c.address == address)).all()
    conn.execute(DUTY_COUNT.delete().where(DUTY_COUNT.c.address == address))
    for row in rows:
        _add_duties(conn, [{**row._mapping, "address": NOBODY}])


def games_without_lost_time(conn: Connection, lost: str) -> list[str]:
    """Return the running games that have open questions and have not yet been given back the lost time named
    ``lost``."""
    asked = select(DEADLINE.c.game_id).where(DEADLINE.c.state.in_(("open", "suspended")))
    given = select(ACT.c.game_id).where(ACT.c.what == "outage", ACT.c.why == lost)
    found = select(GAME.c.id).where(GAME.c.status == "running", GAME.c.id.in_(asked), GAME.c.id.not_in(given))
    return [game_id for (game_id,) in conn.execute(found.order_by(GAME.c.id))]


def games_with_lost_time(conn: Connection, lost: str) -> list[str]:
    found = (
        select(ACT.c.game_id)
        .join(GAME, GAME.c.id == ACT.c.game_id)
        .where(ACT.c.what == "outage", ACT.c.why == lost, GAME.c.stopped_at == NO_INSTANT)
        .order_by(ACT.c.game_id)
    )
    return list(dict.fromkeys(game_id for (game_id,) in conn.execute(found)))


WRITTEN = ("orders", "empty")
"""The dispositions of messages that were written by a player, not by a program."""


@dataclass(frozen=True, slots=True)
class OverdueDuty:
    address: str
    missed: int
    state: str
    asked_at: datetime | None


def overdue_duties(conn: Connection, now: datetime) -> list[OverdueDuty]:
    rows = conn.execute(
        select(SEAT.c.address, SEAT.c.missed, DEADLINE.c.state, DEADLINE.c.asked_at)
        .join(GAME, GAME.c.id == DEADLINE.c.game_id)
        .join(SEAT, (SEAT.c.game_id == DEADLINE.c.game_id) & (SEAT.c.faction == DEADLINE.c.faction))
        .where(
            DEADLINE.c.state.in_(("open", "answered")),
            DEADLINE.c.until <= now,
            DEADLINE.c.duty,
            GAME.c.status == "running",
            GAME.c.stopped_at == NO_INSTANT,
        )
    )
    return [OverdueDuty(row.address, row.missed, row.state, row.asked_at) for row in rows]


def stop_clocks(conn: Connection, since: datetime, why: str, now: datetime, games: Sequence[str] | None = None) -> None:
    """Stop the clocks of all running games, or only of ``games``, with effect from ``since``, and record this in the
    act log of each game."""
    which = [GAME.c.status == "running", GAME.c.stopped_at == NO_INSTANT]
    which += [] if games is None else [GAME.c.id.in_(games)]
    running = select(GAME.c.id).where(*which)
    conn.execute(
        ACT.insert().from_select(
            ["game_id", "at", "what", "why"],
            running.add_columns(literal(now, ACT.c.at.type), literal(why), literal("")),
        )
    )
    conn.execute(update(GAME).where(*which).values(stopped_at=since, stopped_why=why, revision=GAME.c.revision + 1))


def stopped_games(conn: Connection, why: str) -> list[str]:
    return list(conn.scalars(_STOPPED, {"why": why}))


_STOPPED = select(GAME.c.id).where(GAME.c.stopped_why == bindparam("why")).order_by(GAME.c.id)


def last_heard(conn: Connection) -> datetime | None:
    newest = select(MESSAGE.c.received_at).where(MESSAGE.c.disposition.in_(WRITTEN)).order_by(MESSAGE.c.id.desc())
    return conn.scalars(newest.limit(1)).first()


def ever_heard(conn: Connection, addresses: set[str]) -> set[str]:
    found = (
        select(SEAT.c.address)
        .join(MESSAGE, (MESSAGE.c.game_id == SEAT.c.game_id) & (MESSAGE.c.faction == SEAT.c.faction))
        .where(SEAT.c.address.in_(addresses), MESSAGE.c.disposition.in_(WRITTEN))
        .distinct()
    )
    return set(conn.scalars(found))


def heard_after(conn: Connection, since: datetime) -> set[str]:
    found = (
        select(SEAT.c.address)
        .join(MESSAGE, (MESSAGE.c.game_id == SEAT.c.game_id) & (MESSAGE.c.faction == SEAT.c.faction))
        .where(MESSAGE.c.received_at >= since, MESSAGE.c.disposition.in_(WRITTEN))
        .distinct()
    )
    return set(conn.scalars(found))


def mail_came_after(conn: Connection, since: datetime) -> bool:
    came = (MESSAGE.c.received_at >= since, MESSAGE.c.disposition.in_((*WRITTEN, "auto-reply")))
    return conn.scalars(select(MESSAGE.c.id).where(*came).limit(1)).first() is not None


def resumed_since(conn: Connection, since: datetime) -> list[str]:
    found = select(ACT.c.game_id).where(ACT.c.what == "resume", ACT.c.at >= since).order_by(ACT.c.game_id)
    return list(dict.fromkeys(conn.scalars(found)))


def digests_due(conn: Connection, now: datetime) -> list[SeatName]:
    return _seats_due(conn, _DIGESTS_DUE, now)


def receipts_due(conn: Connection, now: datetime) -> list[SeatName]:
    return _seats_due(conn, _RECEIPTS_DUE, now)


def _seats_due(conn: Connection, query: Select[Any], now: datetime) -> list[SeatName]:
    # The games are queried for the few seats found: with a join, SQLite would scan all of them
    found = conn.execute(query, {"now": now}).all()
    if not found:
        return []
    games = {row.game_id for row in found}
    running = set(conn.scalars(select(GAME.c.id).where(GAME.c.id.in_(games), GAME.c.status == "running")))
    return [(row.game_id, as_faction(row.faction)) for row in found if row.game_id in running]


_DIGESTS_DUE, _RECEIPTS_DUE = (
    select(SEAT.c.game_id, SEAT.c.faction)
    .where(due.between(EARLIEST, bindparam("now")))
    .order_by(SEAT.c.game_id, SEAT.c.dot)
    for due in (SEAT.c.digest_due, SEAT.c.receipt_due)
)
