"""What lies on the game master's desk, over all games that are not over: one query a subject, whatever their number,
and no position is read. Nothing that is sealed stands in these rows: of what is asked only who owes it, never what
they hold or have sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from bot.store.desk_tables import MASTER_CODE, PRESS
from bot.store.forum_tables import FORUM_BLOCK, FORUM_POST, FORUM_STATE, FORUM_THREAD
from bot.store.instants import NO_INSTANT
from bot.store.tables import ACT, DEADLINE, ENTRY, GAME, LETTER, MESSAGE, SEAT
from rules.components import Faction, as_faction

BY_THE_CALENDAR = ("outage", "silence")
"""Acts that nobody at the desk did."""

STANDING_STILL = ("pause", "silence", "hold")
GOING_ON = ("resume", "release")

NEWEST = 5_000
"""So many of the newest mails and letters are looked through: nothing takes longer because there are old ones."""


@dataclass(frozen=True, slots=True)
class GameAt:
    """A game and where it stands, as its row has it (``bot.store.tables.GameRow``)."""

    id: str
    ruleset: str
    status: str
    turn: int
    phase: str
    tempo: str
    winners: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    clock: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None
    stopped_at: datetime | None = None
    stopped_why: str = ""
    on_hold: datetime | None = None
    call: str = ""
    call_due: datetime | None = None


@dataclass(frozen=True, slots=True)
class SeatAt:
    """A seat, as far as its state concerns whoever looks after the game."""

    game: str
    faction: Faction
    name: str
    address: str
    care: bool
    missed: int
    unreachable_since: datetime | None
    undelivered: int
    undelivered_at: datetime | None
    asked: bool = False  # the desk has asked them something, and they have not answered


@dataclass(frozen=True, slots=True)
class Owed:
    """A public duty: everybody may know that the game waits for it. ``answered``: it has been, which the others may not
    notice."""

    game: str
    faction: Faction
    kind: str
    due: datetime
    until: datetime
    since: datetime | None
    answered: bool


@dataclass(frozen=True, slots=True)
class PutAside:
    """A mail that nobody could use, by its number."""

    number: int
    at: datetime
    reason: str
    game: str
    sender: str


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The outbox: how many letters wait and since when the longest, how many of them were tried in vain, since when
    the longest of those, and what the server said last; how many were given up lately, and when the first of those was
    written."""

    waiting: int = 0
    since: datetime | None = None
    failing: int = 0
    failing_since: datetime | None = None
    error: str = ""
    lost: int = 0
    lost_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Code:
    """A command that came by mail and waits for its one-time code: of which game, from whom, and its first word."""

    game: str
    address: str
    command: str
    asked_at: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Reported:
    """Press of which a reader has shown the game master the words."""

    game: str
    by: tuple[Faction, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class ForumTrouble:
    """A forum that does not do what it is asked (``work``: reading, posting), since when and why."""

    forum: str
    work: str
    since: datetime
    problem: str


@dataclass(frozen=True, slots=True)
class InForum:
    """The thread of a game, as far as it concerns whoever looks after it: why what is to be posted is refused and since
    when, how much of it waits, and how many blocks are to be posted by hand."""

    game: str
    forum: str
    problem: str = ""
    since: datetime | None = None
    waiting: int = 0
    blocks: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """All of it. ``nameless`` holds until when each game waits for what only hidden cards decide; ``acts`` when
    somebody at the desk last did something to a game; ``stood`` when its clocks stopped and went on again; ``last``
    when a held game took its last order."""

    games: Sequence[GameAt] = ()
    seats: Sequence[SeatAt] = ()
    owed: Sequence[Owed] = ()
    nameless: Mapping[str, datetime] = field(default_factory=dict)
    acts: Mapping[str, datetime] = field(default_factory=dict)
    stood: Mapping[str, Sequence[tuple[str, datetime]]] = field(default_factory=dict)
    last: Mapping[str, datetime] = field(default_factory=dict)
    aside: Sequence[PutAside] = ()
    outgoing: Outgoing = Outgoing()
    codes: Sequence[Code] = ()
    reported: Sequence[Reported] = ()
    forums: Sequence[ForumTrouble] = ()
    threads: Sequence[InForum] = ()


def read(conn: Connection, since: datetime, now: datetime) -> Rows:
    """What is on the desk. Of mail put aside, letters given up and press reported, those since an instant."""
    return Rows(
        games=games_at(conn, GAME.c.status.in_(_GOES_ON)),
        seats=_seats(conn),
        owed=owed(conn),
        nameless=nameless(conn),
        acts=_acts(conn),
        stood=_stood(conn),
        last=_last_orders(conn),
        aside=_aside(conn, since),
        outgoing=_outgoing(conn, since),
        codes=_codes(conn, now),
        reported=_reported(conn, since),
        forums=_forums(conn),
        threads=_threads(conn),
    )


_GOES_ON = ("running", "held")


def every_game(conn: Connection) -> list[GameAt]:
    """All games, the oldest first."""
    return games_at(conn)


def games_at(conn: Connection, *where: ColumnElement[bool]) -> list[GameAt]:
    """These games."""
    columns = (
        GAME.c.id, GAME.c.ruleset, GAME.c.status, GAME.c.turn, GAME.c.phase, GAME.c.tempo, GAME.c.winners,
        GAME.c.options, GAME.c.clock, GAME.c.created_at, GAME.c.stopped_at, GAME.c.stopped_why, GAME.c.on_hold,
        GAME.c.call, GAME.c.call_due,
    )  # fmt: skip
    rows = conn.execute(select(*columns).where(*where).order_by(GAME.c.created_at, GAME.c.id))
    return [
        GameAt(
            row.id, row.ruleset, row.status, row.turn, row.phase, row.tempo,
            tuple(row.winners.split(",")) if row.winners else (), json.loads(row.options), json.loads(row.clock),
            row.created_at, row.stopped_at, row.stopped_why, row.on_hold, row.call, row.call_due,
        )
        for row in rows
    ]  # fmt: skip


def games_of(conn: Connection, is_them: Callable[[str], bool]) -> set[str]:
    """The games, of those that are not over, in which somebody plays."""
    rows = conn.execute(_of_games(select(SEAT.c.game_id, SEAT.c.address), SEAT.c.game_id))
    return {row.game_id for row in rows if is_them(row.address)}


def _seats(conn: Connection) -> list[SeatAt]:
    columns = (
        SEAT.c.game_id, SEAT.c.faction, SEAT.c.name, SEAT.c.address, SEAT.c.care, SEAT.c.missed, SEAT.c.unreachable,
        SEAT.c.unreachable_since, SEAT.c.undelivered, SEAT.c.undelivered_at, SEAT.c.asked_by_desk,
    )  # fmt: skip
    rows = conn.execute(_of_games(select(*columns), SEAT.c.game_id).order_by(SEAT.c.game_id, SEAT.c.dot))
    return [
        SeatAt(
            row.game_id, as_faction(row.faction), row.name, row.address, row.care, row.missed,
            row.unreachable_since if row.unreachable else None, row.undelivered, row.undelivered_at,
            bool(row.asked_by_desk),
        )
        for row in rows
    ]  # fmt: skip


def owed(conn: Connection) -> list[Owed]:
    """The public duties for which games wait, the earliest due first."""
    columns = (
        DEADLINE.c.game_id, DEADLINE.c.faction, DEADLINE.c.kind, DEADLINE.c.due, DEADLINE.c.until,
        DEADLINE.c.asked_at, DEADLINE.c.state,
    )  # fmt: skip
    found = _of_games(select(*columns), DEADLINE.c.game_id).where(DEADLINE.c.duty, _STANDS)
    rows = conn.execute(found.order_by(DEADLINE.c.due, DEADLINE.c.game_id, DEADLINE.c.kind, DEADLINE.c.faction))
    return [
        Owed(row.game_id, as_faction(row.faction), row.kind, row.due, row.until, row.asked_at, row.state == "answered")
        for row in rows
    ]


def nameless(conn: Connection) -> dict[str, datetime]:
    """Until when each game waits for answers of which nobody may know whose they are."""
    found = _of_games(select(DEADLINE.c.game_id, func.max(DEADLINE.c.due).label("due")), DEADLINE.c.game_id)
    rows = conn.execute(found.where(~DEADLINE.c.duty, _STANDS).group_by(DEADLINE.c.game_id))
    return {row.game_id: _instant(row.due) for row in rows}


_STANDS = DEADLINE.c.state.in_(("open", "answered"))


def _acts(conn: Connection) -> dict[str, datetime]:
    found = _of_games(select(ACT.c.game_id, func.max(ACT.c.at).label("at")), ACT.c.game_id)
    rows = conn.execute(found.where(ACT.c.what.not_in(BY_THE_CALENDAR)).group_by(ACT.c.game_id))
    return {row.game_id: _instant(row.at) for row in rows}


def _stood(conn: Connection) -> dict[str, list[tuple[str, datetime]]]:
    found = _of_games(select(ACT.c.game_id, ACT.c.what, ACT.c.at), ACT.c.game_id)
    stood: dict[str, list[tuple[str, datetime]]] = {}
    for row in conn.execute(found.where(ACT.c.what.in_((*STANDING_STILL, *GOING_ON))).order_by(ACT.c.id)):
        stood.setdefault(row.game_id, []).append((row.what, row.at))
    return stood


def _last_orders(conn: Connection) -> dict[str, datetime]:
    held = select(GAME.c.id).where(GAME.c.status == "held")
    found = select(ENTRY.c.game_id, func.max(ENTRY.c.at).label("at")).where(ENTRY.c.game_id.in_(held))
    return {row.game_id: _instant(row.at) for row in conn.execute(found.group_by(ENTRY.c.game_id))}


def _aside(conn: Connection, since: datetime) -> list[PutAside]:
    """Mail that was put aside and has not come again since, by `mentat mail replay` or from its folder."""
    newest = select(func.max(MESSAGE.c.id) - NEWEST).scalar_subquery()
    again = MESSAGE.alias()
    came_again = select(again.c.id).where(again.c.digest == MESSAGE.c.digest, again.c.id > MESSAGE.c.id).exists()
    columns = (MESSAGE.c.id, MESSAGE.c.received_at, MESSAGE.c.reason, MESSAGE.c.game_id, MESSAGE.c.sender)
    found = select(*columns).where(
        MESSAGE.c.id > newest, MESSAGE.c.disposition == "rejected", MESSAGE.c.received_at > since, ~came_again
    )
    rows = conn.execute(found.order_by(MESSAGE.c.id))
    return [PutAside(row.id, row.received_at, row.reason, row.game_id or "", row.sender) for row in rows]


def _outgoing(conn: Connection, since: datetime) -> Outgoing:
    tried = LETTER.c.tries > 0
    waits = conn.execute(
        select(
            func.count(LETTER.c.id).label("waiting"), func.min(LETTER.c.created_at).label("since"),
            func.count(LETTER.c.id).filter(tried).label("failing"),
            func.min(LETTER.c.created_at).filter(tried).label("failing_since"),
        ).where(LETTER.c.next_try_at.is_not(None))
    ).one()  # fmt: skip
    said = select(LETTER.c.error).where(LETTER.c.next_try_at.is_not(None), LETTER.c.error != "")
    newest = select(func.max(LETTER.c.id) - NEWEST).scalar_subquery()
    given_up = (LETTER.c.sent_at.is_(None), LETTER.c.next_try_at.is_(None), LETTER.c.created_at > since)
    lost = conn.execute(
        select(func.count(LETTER.c.id).label("lost"), func.min(LETTER.c.created_at).label("since")).where(
            LETTER.c.id > newest, *given_up
        )
    ).one()
    return Outgoing(
        waits.waiting, _if_any(waits.since), waits.failing, _if_any(waits.failing_since),
        conn.scalars(said.order_by(LETTER.c.id.desc()).limit(1)).first() or "", lost.lost, _if_any(lost.since),
    )  # fmt: skip


def _codes(conn: Connection, now: datetime) -> list[Code]:
    waits = select(MASTER_CODE).where(MASTER_CODE.c.state == "waiting", MASTER_CODE.c.until > now)
    rows = conn.execute(_of_games(waits, MASTER_CODE.c.game_id).order_by(MASTER_CODE.c.asked_at))
    return [Code(row.game_id, row.address, row.line.split()[0].rstrip(":"), row.asked_at, row.until) for row in rows]


def _reported(conn: Connection, since: datetime) -> list[Reported]:
    columns = (PRESS.c.game_id, PRESS.c.reported_by, PRESS.c.at)
    shown = select(*columns).where(PRESS.c.reported_by != "", PRESS.c.at > since)
    rows = conn.execute(_of_games(shown, PRESS.c.game_id).order_by(PRESS.c.id))
    return [Reported(row.game_id, tuple(map(as_faction, row.reported_by.split(","))), row.at) for row in rows]


def _forums(conn: Connection) -> list[ForumTrouble]:
    failing = select(FORUM_STATE).where(FORUM_STATE.c.problem != "", FORUM_STATE.c.failing_since != NO_INSTANT)
    rows = conn.execute(failing.order_by(FORUM_STATE.c.forum, FORUM_STATE.c.work))
    return [ForumTrouble(row.forum, row.work, row.failing_since, row.problem) for row in rows]


def _threads(conn: Connection) -> list[InForum]:
    waits = select(FORUM_POST.c.game_id, func.count().label("number")).where(FORUM_POST.c.posted_at == NO_INSTANT)
    waiting = {row.game_id: row.number for row in conn.execute(waits.group_by(FORUM_POST.c.game_id))}
    to_post = select(FORUM_BLOCK.c.game_id, func.count().label("number")).where(~FORUM_BLOCK.c.posted)
    blocks = {row.game_id: row.number for row in conn.execute(to_post.group_by(FORUM_BLOCK.c.game_id))}
    columns = (FORUM_THREAD.c.game_id, FORUM_THREAD.c.forum, FORUM_THREAD.c.problem, FORUM_THREAD.c.problem_since)
    told = FORUM_THREAD.c.game_id.in_(blocks) & (GAME.c.status == "over")  # but for what a person has still to post
    open_ones = select(*columns).join(GAME, GAME.c.id == FORUM_THREAD.c.game_id).where(~FORUM_THREAD.c.closed | told)
    return [
        InForum(row.game_id, row.forum, row.problem, row.problem_since, waiting.get(row.game_id, 0),
                blocks.get(row.game_id, 0))
        for row in conn.execute(open_ones.order_by(FORUM_THREAD.c.game_id))
    ]  # fmt: skip


def _of_games(found: Select[Any], game_id: ColumnElement[str]) -> Select[Any]:
    """Only of games that are not over."""
    return found.join(GAME, GAME.c.id == game_id).where(GAME.c.status.in_(_GOES_ON))


def _instant(value: datetime | str) -> datetime:
    """What an aggregate of a column of instants gives."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _if_any(value: datetime | str | None) -> datetime | None:
    return _instant(value) if value else None


def by_game(owed_now: Iterable[Owed]) -> dict[str, list[Owed]]:
    """What is owed in each game."""
    found: dict[str, list[Owed]] = {}
    for each in owed_now:
        found.setdefault(each.game, []).append(each)
    return found
