"""The deadlines of games as rows, and all that moves or counts them; ``bot.table.deadlines`` says what they are.

A function that follows a table writes what the pure function says: deadlines, absences, players whom no mail reaches,
deadlines that run on time banks. Others find what is due: silence, reminders, daily letters, clocks that stop and go on
when all are silent, lost time that is given back. Which games have a lost time already is written down, so that nobody
is given it twice.

A duty is a question of which all know that the game waits for its player. Its deadline moves with absences and outages,
so these do not count against anybody; what the caretaker of a seat answers counts for nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, insert, literal, or_, select, update

from bot.store.database import NO_INSTANT, insert_or_add, insert_or_replace
from bot.store.mail import EARLIEST
from bot.store.people import SeatName, known_as
from bot.store.tables import ABSENCE, ACT, DEADLINE, GAME, MESSAGE, NOBODY, OVERRUN, SEAT
from bot.store.tournament_tables import DUTY_COUNT
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
    withdraw_absence,
)
from bot.table.table import Absence, Absences, Deadline, Deadlines, Overrun, Overruns, Place, Table
from rules.components import Faction, as_faction
from rules.engine.play import Play


def load_deadlines(conn: Connection, game_id: str) -> Deadlines:
    """The deadlines of a game's open questions."""
    rows = conn.execute(select(DEADLINE).where(DEADLINE.c.game_id == game_id, DEADLINE.c.state != "gone"))
    return {
        (row.opened_at, (as_faction(row.faction), row.kind, row.subject)): Deadline(
            row.due, row.until, row.asked_at, row.duty, row.state, row.missed
        )
        for row in rows
    }


def follow_deadlines(
    conn: Connection, game_id: str, known: Deadlines, play: Play, now: datetime, clock: GameClock
) -> Deadlines:  # fmt: skip
    """The deadlines as the game stands now, written down: new questions are due when the ``clock`` says, those that are
    gone lose theirs."""
    current = current_deadlines(known, play, now, clock)
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
        rows = [
            {"game_id": game_id, "opened_at": stop, "faction": key[0], "kind": key[1], "subject": key[2],
             **_values(current[stop, key]), "reminded": 0}
            for stop, key in fresh
        ]  # fmt: skip
        conn.execute(insert_or_replace(conn, DEADLINE), rows)  # an offer of the same name may have been missed before
    changed = [
        {**_row(game_id, place), "new_due": deadline.due, "new_until": deadline.until, "new_state": deadline.state,
         "new_missed": deadline.missed}
        for place, deadline in current.items()
        if place in known and known[place] != deadline
    ]  # fmt: skip
    if changed:
        conn.execute(_CHANGE, changed)
    return current


def _in_time(gone: Deadline, now: datetime) -> bool:
    """Whether a question that is gone now was answered before its deadline."""
    return not gone.missed and (gone.state == "answered" or now <= gone.due)


def postpone(conn: Connection, table: Table, places: Iterable[Place], until: datetime) -> bool:
    """Let the answers to these questions be due no earlier than this, and remind of them anew; whether that changed
    anything. The grace after them stays as long as it was."""
    later = postponed_deadlines(table, places, until)
    _move(conn, table.id, later)
    table.deadlines.update(later)
    return bool(later)


def delay(conn: Connection, table: Table, delays: Mapping[Place, datetime]) -> None:
    """Let each of these questions be due no earlier than this."""
    for place, until in delays.items():
        postpone(conn, table, [place], until)


def extend(conn: Connection, table: Table, places: Iterable[Place], hours: float, clock: GameClock) -> None:
    """Let each of these questions be due so many counted hours later."""
    for place in list(places):
        postpone(conn, table, [place], clock.extended(table.deadlines[place].due, hours))


def give_back(
    conn: Connection, game_id: str, known: Deadlines, clock: GameClock, since: datetime, back: datetime
) -> Deadlines:  # fmt: skip
    """The deadlines after the clocks of a game stood still for a time, written down (``given_back``)."""
    current = resumed_deadlines(known, clock, since, back)
    _move(conn, game_id, {place: deadline for place, deadline in current.items() if deadline != known[place]})
    return current


def _move(conn: Connection, game_id: str, later: Deadlines) -> None:
    """Write deadlines that have moved; reminders of them begin anew."""
    if later:
        rows = [{**_row(game_id, place), "new_due": d.due, "new_until": d.until} for place, d in later.items()]
        conn.execute(_MOVE, rows)


def missed_kinds(conn: Connection, game_id: str, faction: Faction, turn: int) -> dict[str, datetime]:
    """The kinds of question that silence has answered for a faction in this turn or the last, and when each was last
    due."""
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


def due_games(conn: Connection, now: datetime) -> list[str]:
    """The running games, their clocks not stopped, in which a question's time is up, the longest overdue first."""
    return [row.game_id for row in conn.execute(_DUE_GAMES, {"now": now})]


_DUE_GAMES = (
    select(DEADLINE.c.game_id, func.min(DEADLINE.c.until))
    .join(GAME, GAME.c.id == DEADLINE.c.game_id)
    .where(
        DEADLINE.c.state == "open", DEADLINE.c.until <= bindparam("now"), GAME.c.status == "running",
        GAME.c.stopped_at == NO_INSTANT,
    )
    .group_by(DEADLINE.c.game_id)
    .order_by(func.min(DEADLINE.c.until))
)  # fmt: skip


def seats_to_remind(conn: Connection, now: datetime, hours: Sequence[float]) -> list[tuple[str, Faction]]:
    """The seats with an open question that ends in fewer hours than a reminder is due before, and had none for it
    yet. Not what another machine, whose clock is ahead, has asked just now."""
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
    """Count the reminder that is due now; False if somebody else has sent it meanwhile."""
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
        due=bindparam("new_due"), until=bindparam("new_until"), state=bindparam("new_state"),
        missed=bindparam("new_missed"),
    )
)  # fmt: skip
_MOVE = update(DEADLINE).where(*_THIS).values(due=bindparam("new_due"), until=bindparam("new_until"), reminded=0)


_VALUES = tuple(field.name for field in fields(Deadline))


def _values(deadline: Deadline) -> dict[str, Any]:
    return {name: getattr(deadline, name) for name in _VALUES}


def _row(game_id: str, place: Place) -> dict[str, str]:
    stop, key = place
    return {f"at_{name}": value for name, value in zip(_NAMES, (game_id, stop, *key), strict=True)}


def load_absences(conn: Connection, game_id: str) -> Absences:
    """The absences of a game's players, by their first day."""
    rows = conn.execute(select(ABSENCE).where(ABSENCE.c.game_id == game_id).order_by(ABSENCE.c.first)).all()
    found: Absences = {}
    for row in rows:
        away = Absence(row.first, row.last)
        found.setdefault(as_faction(row.faction), []).append(away)
    return found


def add_absence(
    conn: Connection, table: Table, faction: Faction, absence: Absence, now: datetime, clock: GameClock
) -> None:  # fmt: skip
    """Write an absence down, and let the duties that are open now wait for them where they fall into it."""
    conn.execute(
        insert(ABSENCE),
        {"game_id": table.id, "faction": faction, "first": absence.first, "last": absence.last,
         "filed_at": now},
    )  # fmt: skip
    delay(conn, table, announce_absence(table, faction, absence, clock))


def remove_absences(conn: Connection, table: Table, faction: Faction, absences: Iterable[Absence]) -> None:
    """Strike absences out. Deadlines that were moved for them stay where they are."""
    for absence in absences:
        this = (
            ABSENCE.c.game_id == table.id,
            ABSENCE.c.faction == faction,
            ABSENCE.c.first == absence.first,
        )
        conn.execute(delete(ABSENCE).where(*this))
        withdraw_absence(table, faction, absence)


def follow_absences(conn: Connection, table: Table, known: Deadlines, clock: GameClock) -> None:
    """Let the duties that have just come up wait for players who are away. ``known`` are the deadlines before."""
    delay(conn, table, absence_delays(table, known, clock))


def begin_unreachable(
    conn: Connection, table: Table, faction: Faction, now: datetime, hours: float, clock: GameClock
) -> datetime | None:  # fmt: skip
    """Note that no mail reaches a player, and let the duties that are open wait for them, as far as they have any of
    their ``hours`` of this game left. Until when they wait; None if they do not."""
    delay(conn, table, mark_unreachable(table, faction, now, hours, clock))
    waits_until = table.seats[faction].waits_until
    return next_allowed(clock.calendar, waits_until) if waits_until else None


def follow_unreachable(conn: Connection, table: Table, known: Deadlines, clock: GameClock) -> None:
    """Let the duties that have just come up wait for players whom no mail reaches. ``known`` are the deadlines
    before."""
    delay(conn, table, unreachable_delays(table, known, clock))


def seats_in_doubt(conn: Connection, address: str) -> list[SeatName]:
    """The seats, in games that are not over, whose letters go to this address and came back lately."""
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(_IN_DOUBT, {"at": address})]


_IN_DOUBT = (
    select(SEAT.c.game_id, SEAT.c.faction)
    .join(GAME, GAME.c.id == SEAT.c.game_id)
    .where(SEAT.c.address == bindparam("at"), or_(SEAT.c.unreachable, SEAT.c.undelivered > 0), GAME.c.status != "over")
    .order_by(SEAT.c.game_id, SEAT.c.dot)
)
"""Every message needs it, so it is made once (``bot.store.mail``)."""


def load_overruns(conn: Connection, game_id: str) -> Overruns:
    """The overruns of a game that are not settled."""
    rows = conn.execute(select(OVERRUN).where(OVERRUN.c.game_id == game_id))
    return {
        (row.opened_at, (as_faction(row.faction), row.kind, row.subject)): Overrun(row.hours, row.zone, row.left)
        for row in rows
    }


def begin_overrun(conn: Connection, table: Table, place: Place, overrun: Overrun) -> None:
    """Let a player's time bank run for this question."""
    stop, (faction, kind, subject) = place
    conn.execute(
        insert(OVERRUN),
        {"game_id": table.id, "opened_at": stop, "faction": faction, "kind": kind, "subject": subject,
         "hours": overrun.hours, "zone": overrun.zone, "left": overrun.left},
    )  # fmt: skip
    table.overruns[place] = overrun


def follow_overruns(conn: Connection, table: Table, known: Deadlines, now: datetime) -> None:
    """Note which of them were answered, and settle with who is asked none of them any more. ``known`` are the deadlines
    before."""
    for place, left in measure_overruns(table, known, now).items():
        conn.execute(update(OVERRUN).where(*_this_overrun(table.id, place)).values(left=left))
    drop_overruns(conn, table, settle_overruns(table))


def drop_overruns(conn: Connection, table: Table, places: Iterable[Place]) -> None:
    """Forget overruns without taking anything off."""
    for place in list(places):
        conn.execute(delete(OVERRUN).where(*_this_overrun(table.id, place)))
        del table.overruns[place]


def _this_overrun(game_id: str, place: Place) -> tuple[ColumnElement[bool], ...]:
    stop, (faction, kind, subject) = place
    return (
        OVERRUN.c.game_id == game_id, OVERRUN.c.opened_at == stop, OVERRUN.c.faction == faction,
        OVERRUN.c.kind == kind, OVERRUN.c.subject == subject,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Duties:
    """What somebody had to do, and how much of it they did in time."""

    duties: int = 0
    on_time: int = 0


def count_duties(conn: Connection, game_id: str, gone: Iterable[tuple[Faction, bool]]) -> None:
    """Duties are over: whose they were, and whether they were answered in time."""
    had, kept = Counter[Faction](), Counter[Faction]()
    for faction, in_time in gone:
        had[faction] += 1
        kept[faction] += in_time
    if not had:
        return
    new = [
        {"game_id": game_id, "address": row.address, "duties": had[row.faction], "on_time": kept[row.faction]}
        for row in conn.execute(_MANNED, {"of": game_id})
        if had[row.faction]
    ]
    if new:
        _add_duties(conn, new)


_MANNED = select(SEAT.c.faction, SEAT.c.address).where(SEAT.c.game_id == bindparam("of"), ~SEAT.c.care)


def _add_duties(conn: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Count what is new with what was counted."""
    conn.execute(insert_or_add(conn, DUTY_COUNT, "duties", "on_time"), rows)


def duties_of(conn: Connection, address: str) -> Duties:
    """The duties of whoever has this address, in games that are over."""
    sums = select(func.sum(DUTY_COUNT.c.duties), func.sum(DUTY_COUNT.c.on_time))
    sums = sums.join(GAME, GAME.c.id == DUTY_COUNT.c.game_id)
    found = sums.where(DUTY_COUNT.c.address.in_(known_as(conn, address)), GAME.c.status == "over")
    duties, on_time = conn.execute(found).one()
    return Duties(duties or 0, on_time or 0)


def forget_duties(conn: Connection, address: str) -> None:
    """A person is deleted: what they did is nobody's. Where others of the game were deleted too, it is added up."""
    rows = conn.execute(select(DUTY_COUNT).where(DUTY_COUNT.c.address == address)).all()
    conn.execute(DUTY_COUNT.delete().where(DUTY_COUNT.c.address == address))
    for row in rows:
        new = {"game_id": row.game_id, "address": NOBODY, "duties": row.duties, "on_time": row.on_time}
        _add_duties(conn, [new])


def games_without_lost_time(conn: Connection, lost: str) -> list[str]:
    """The running games with something open that have not been given this lost time back yet. ``lost`` names it."""
    asked = select(DEADLINE.c.game_id).where(DEADLINE.c.state.in_(("open", "suspended")))
    given = select(ACT.c.game_id).where(ACT.c.what == "outage", ACT.c.why == lost)
    found = select(GAME.c.id).where(GAME.c.status == "running", GAME.c.id.in_(asked), GAME.c.id.not_in(given))
    return [game_id for (game_id,) in conn.execute(found.order_by(GAME.c.id))]


def games_with_lost_time(conn: Connection, lost: str) -> list[str]:
    """The games that were given it back and whose clocks go."""
    found = (
        select(ACT.c.game_id)
        .join(GAME, GAME.c.id == ACT.c.game_id)
        .where(ACT.c.what == "outage", ACT.c.why == lost, GAME.c.stopped_at == NO_INSTANT)
        .order_by(ACT.c.game_id)
    )
    return list(dict.fromkeys(game_id for (game_id,) in conn.execute(found)))


WRITTEN = ("orders", "empty")
"""Messages that a player wrote, and no program."""


@dataclass(frozen=True, slots=True)
class OverdueDuty:
    """A public duty whose time is up: whose it is, how many duties they missed before, whether it was answered, and
    when it was asked."""

    address: str
    missed: int
    state: str
    asked_at: datetime | None


def overdue_duties(conn: Connection, now: datetime) -> list[OverdueDuty]:
    """The public duties that were due by now, in running games whose clocks go."""
    rows = conn.execute(
        select(SEAT.c.address, SEAT.c.missed, DEADLINE.c.state, DEADLINE.c.asked_at)
        .join(GAME, GAME.c.id == DEADLINE.c.game_id)
        .join(SEAT, (SEAT.c.game_id == DEADLINE.c.game_id) & (SEAT.c.faction == DEADLINE.c.faction))
        .where(
            DEADLINE.c.state.in_(("open", "answered")), DEADLINE.c.until <= now, DEADLINE.c.duty,
            GAME.c.status == "running", GAME.c.stopped_at == NO_INSTANT,
        )
    )  # fmt: skip
    return [OverdueDuty(row.address, row.missed, row.state, row.asked_at) for row in rows]


def stop_clocks(conn: Connection, since: datetime, why: str, now: datetime) -> None:
    """Stop the clocks of all running games as of an instant, and note it in the act log of each."""
    running = select(GAME.c.id).where(GAME.c.status == "running", GAME.c.stopped_at == NO_INSTANT)
    conn.execute(
        ACT.insert().from_select(
            ["game_id", "at", "what", "why"],
            running.add_columns(literal(now, ACT.c.at.type), literal("silence"), literal("")),
        )
    )
    conn.execute(
        update(GAME)
        .where(GAME.c.status == "running", GAME.c.stopped_at == NO_INSTANT)
        .values(stopped_at=since, stopped_why=why, revision=GAME.c.revision + 1)
    )


def stopped_games(conn: Connection, why: str) -> list[str]:
    """The games whose clocks were stopped for this reason."""
    return list(conn.scalars(select(GAME.c.id).where(GAME.c.stopped_why == why).order_by(GAME.c.id)))


def last_heard(conn: Connection) -> datetime | None:
    """When a player last wrote; None if none ever did."""
    newest = select(MESSAGE.c.received_at).where(MESSAGE.c.disposition.in_(WRITTEN)).order_by(MESSAGE.c.id.desc())
    return conn.scalars(newest.limit(1)).first()


def ever_heard(conn: Connection, addresses: set[str]) -> set[str]:
    """Those of these persons who have ever written."""
    found = (
        select(SEAT.c.address)
        .join(MESSAGE, (MESSAGE.c.game_id == SEAT.c.game_id) & (MESSAGE.c.faction == SEAT.c.faction))
        .where(SEAT.c.address.in_(addresses), MESSAGE.c.disposition.in_(WRITTEN))
        .distinct()
    )
    return set(conn.scalars(found))


def heard_after(conn: Connection, since: datetime) -> set[str]:
    """The persons who have written since an instant."""
    found = (
        select(SEAT.c.address)
        .join(MESSAGE, (MESSAGE.c.game_id == SEAT.c.game_id) & (MESSAGE.c.faction == SEAT.c.faction))
        .where(MESSAGE.c.received_at >= since, MESSAGE.c.disposition.in_(WRITTEN))
        .distinct()
    )
    return set(conn.scalars(found))


def resumed_since(conn: Connection, since: datetime) -> list[str]:
    """The games whose clocks have gone on since an instant."""
    found = select(ACT.c.game_id).where(ACT.c.what == "resume", ACT.c.at >= since).order_by(ACT.c.game_id)
    return list(dict.fromkeys(conn.scalars(found)))


def digests_due(conn: Connection, now: datetime) -> list[SeatName]:
    """The seats whose daily letter is due, in games that go on. The games are asked for the few seats that are found:
    joined to them, SQLite would look through all."""
    found = conn.execute(_DIGESTS_DUE, {"now": now}).all()
    if not found:
        return []
    games = {row.game_id for row in found}
    running = set(conn.scalars(select(GAME.c.id).where(GAME.c.id.in_(games), GAME.c.status == "running")))
    return [(row.game_id, as_faction(row.faction)) for row in found if row.game_id in running]


_DIGESTS_DUE = (
    select(SEAT.c.game_id, SEAT.c.faction)
    .where(SEAT.c.digest_due.between(EARLIEST, bindparam("now")))
    .order_by(SEAT.c.game_id, SEAT.c.dot)
)
