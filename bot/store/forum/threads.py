"""The thread of each game: where it is, what it has told, and the heads of the record that it tells."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from bot.store.forum import outgoing
from bot.store.forum.outgoing import Remark
from bot.store.forum.rows import values
from bot.store.forum_tables import (
    FORUM_BLOCK,
    FORUM_CODE,
    FORUM_LINK,
    FORUM_PASTED,
    FORUM_POST,
    FORUM_REMARK,
    FORUM_SEEN,
    FORUM_THREAD,
)
from bot.store.instants import NO_INSTANT
from bot.store.tables import DEADLINE, GAME, SNAPSHOT


@dataclass(frozen=True, slots=True)
class Thread:
    """The thread of a game (``forum_tables.ForumThreadRow``)."""

    game_id: str
    forum: str
    thread: str = ""
    url: str = ""
    title: str = ""
    first_post: str = ""
    cursor: str | None = None
    told: int = 0
    told_turn: int = 0
    told_snapshot: int = -1
    looked: int = -1
    read_at: datetime | None = None
    closed: bool = False
    problem: str = ""
    problem_since: datetime | None = None


def follow(conn: Connection, thread: Thread) -> None:
    """A game has a thread from now on."""
    conn.execute(insert(FORUM_THREAD), values(thread))


def put_thread(conn: Connection, thread: Thread) -> None:
    """Keep how it stands with a thread."""
    conn.execute(update(FORUM_THREAD).where(FORUM_THREAD.c.game_id == thread.game_id).values(values(thread)))


def thread_of(conn: Connection, game_id: str) -> Thread | None:
    """The thread of a game; None where it has none."""
    row = conn.execute(select(FORUM_THREAD).where(FORUM_THREAD.c.game_id == game_id)).one_or_none()
    return Thread(**row._mapping) if row else None


def threads(conn: Connection, forum: str = "") -> list[Thread]:
    """The threads of a forum (of all), by game."""
    found = select(FORUM_THREAD).order_by(FORUM_THREAD.c.game_id)
    if forum:
        found = found.where(FORUM_THREAD.c.forum == forum)
    return [Thread(**row._mapping) for row in conn.execute(found)]


def last_snapshot(conn: Connection, game_id: str) -> int:
    """The number of the last snapshot of a game; -1 where it has none."""
    last = conn.execute(select(func.max(SNAPSHOT.c.number)).where(SNAPSHOT.c.game_id == game_id)).scalar_one()
    return -1 if last is None else int(last)


def forget(conn: Connection, game_id: str) -> None:
    """Keep nothing of the thread of a game, of what was posted and read there, and of whose account is whose."""
    for table in (
        FORUM_BLOCK, FORUM_CODE, FORUM_LINK, FORUM_PASTED, FORUM_POST, FORUM_REMARK, FORUM_SEEN, FORUM_THREAD,
    ):  # fmt: skip
        conn.execute(delete(table).where(table.c.game_id == game_id))


def taken_back(conn: Connection, game_id: str, events: int, turn: int, where: str) -> None:
    """A game was taken back to so many events in a turn: what is played again is told again."""
    thread = thread_of(conn, game_id)
    if thread is None:
        return
    if thread.told > events:
        outgoing.remark(conn, Remark(game_id, "rolled-back", in_force=where))
    put_thread(conn, replace(
        thread, told=min(thread.told, events), told_turn=min(thread.told_turn, turn - 1), looked=-1,
        told_snapshot=min(thread.told_snapshot, last_snapshot(conn, game_id)),
    ))  # fmt: skip


def is_told_to_its_end(conn: Connection, thread: Thread) -> bool:
    """Whether the game is over and its thread has been told so."""
    row = conn.execute(select(GAME.c.status, GAME.c.turn).where(GAME.c.id == thread.game_id)).one()
    return bool(row.status == "over" and thread.told_turn >= row.turn)


def to_read(conn: Connection, forum: str, most: int) -> list[Thread]:
    """The threads of a forum in which something may be written that counts, the one read longest ago first."""
    found = (
        select(FORUM_THREAD)
        .join(GAME, GAME.c.id == FORUM_THREAD.c.game_id)
        .where(FORUM_THREAD.c.forum == forum, FORUM_THREAD.c.thread != "", ~FORUM_THREAD.c.closed)
        .where(GAME.c.status != "over")
        .order_by(FORUM_THREAD.c.read_at, FORUM_THREAD.c.game_id)
        .limit(most)
    )
    return [Thread(**row._mapping) for row in conn.execute(found)]


def to_look_at(conn: Connection, forum: str, now: datetime) -> list[Thread]:
    """The threads of a forum for which there may be something to post: their game has changed, or something waits."""
    waits = select(FORUM_POST.c.game_id).where(FORUM_POST.c.posted_at == NO_INSTANT)
    due = waits.where(FORUM_POST.c.next_try_at <= now)
    untold = select(FORUM_SEEN.c.game_id).where(~FORUM_SEEN.c.told)
    remarks = select(FORUM_REMARK.c.game_id)
    found = (
        select(FORUM_THREAD)
        .join(GAME, GAME.c.id == FORUM_THREAD.c.game_id)
        .where(FORUM_THREAD.c.forum == forum, ~FORUM_THREAD.c.closed, GAME.c.status != "held")
        .where(
            or_(
                FORUM_THREAD.c.game_id.in_(due),
                and_(
                    FORUM_THREAD.c.game_id.not_in(waits),
                    or_(
                        FORUM_THREAD.c.looked != GAME.c.revision,
                        FORUM_THREAD.c.game_id.in_(untold),
                        FORUM_THREAD.c.game_id.in_(remarks),
                    ),
                ),
            )
        )
        .order_by(FORUM_THREAD.c.game_id)
    )
    return [Thread(**row._mapping) for row in conn.execute(found)]


def held_for_reading(
    conn: Connection, games: Collection[str], grace: Mapping[str, timedelta], now: datetime
) -> set[str]:
    """Of these games with something overdue those whose thread has not been read since it fell due, and is likely to
    be: a post that was written in time counts. ``grace``: for how long each forum is waited for."""
    waiting = set()
    for row in conn.execute(
        select(FORUM_THREAD.c.game_id, FORUM_THREAD.c.forum, FORUM_THREAD.c.read_at, func.min(DEADLINE.c.until))
        .join(DEADLINE, DEADLINE.c.game_id == FORUM_THREAD.c.game_id)
        .join(FORUM_LINK, FORUM_LINK.c.game_id == FORUM_THREAD.c.game_id)
        .where(FORUM_THREAD.c.game_id.in_(games), FORUM_THREAD.c.thread != "", DEADLINE.c.state == "open")
        .group_by(FORUM_THREAD.c.game_id)
    ):
        game_id, forum, read_at, until = row
        due = until if isinstance(until, datetime) else datetime.fromisoformat(until)
        if (read_at is None or read_at < due) and now < due + grace.get(forum, timedelta(0)):
            waiting.add(game_id)
    return waiting


@dataclass(frozen=True, slots=True)
class HeadAfter:
    """The head of the record when a phase had ended; ``snapshot`` is the number of the snapshot that tells it."""

    turn: int
    phase: str
    head: str
    snapshot: int


def heads_since(conn: Connection, game_id: str, snapshot: int) -> list[HeadAfter]:
    """The heads of the record after the phases that have ended since a snapshot."""
    of_game = SNAPSHOT.c.game_id == game_id
    rows = conn.execute(
        select(SNAPSHOT.c.number, SNAPSHOT.c.turn, SNAPSHOT.c.phase, SNAPSHOT.c.head)
        .where(of_game, SNAPSHOT.c.number >= snapshot)
        .order_by(SNAPSHOT.c.number)
    ).all()
    return [HeadAfter(before.turn, before.phase, now.head, now.number) for before, now in pairwise(rows) if now.head]
