"""What waits to be posted in the threads of games, what was posted, and what the next post shall tell besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, delete, func, insert, select, update

from bot.store.forum.rows import values
from bot.store.forum_tables import (
    FORUM_BLOCK,
    FORUM_POST,
    FORUM_REMARK,
    FORUM_SEEN,
)
from bot.store.instants import NO_INSTANT

Kind = Literal["open", "post", "index", "title"]
"""What waits: a new thread with its first post, a post, the first post in other words, another title."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Something for the thread of a game, in the order of ``id``. ``post`` and ``number`` are what the forum made of
    it, None and "" until then."""

    game_id: str
    kind: Kind
    key: str
    at: datetime
    title: str = ""
    text: str = ""
    turn: int = 0
    post: str = ""
    number: int | None = None
    posted_at: datetime | None = None
    tries: int = 0
    next_try_at: datetime | None = None
    id: int = 0


def put_out(conn: Connection, outgoing: Outgoing) -> None:
    """Let something wait for its turn; it is tried at once."""
    row = values(outgoing)
    del row["id"]
    conn.execute(insert(FORUM_POST), row | {"next_try_at": outgoing.at})


def waiting(conn: Connection, game_id: str) -> list[Outgoing]:
    """What waits to be posted in the thread of a game, in order."""
    found = select(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at == NO_INSTANT)
    return [Outgoing(**row._mapping) for row in conn.execute(found.order_by(FORUM_POST.c.id))]


def posted(conn: Connection, game_id: str) -> list[Outgoing]:
    """What was posted, in order."""
    found = select(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at != NO_INSTANT)
    return [Outgoing(**row._mapping) for row in conn.execute(found.order_by(FORUM_POST.c.id))]


def one(conn: Connection, game_id: str, post: str) -> Outgoing | None:
    """A post of ours by what the forum calls it; None where it is not ours, as far as we know."""
    found = select(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.post == post).limit(1)
    row = conn.execute(found).one_or_none()
    return Outgoing(**row._mapping) if row else None


def went_out(conn: Connection, number: int, post: str, now: datetime) -> None:
    """Note that the forum has taken a post, and what it is called there."""
    changed = {"post": post, "posted_at": now, "next_try_at": None}
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.id == number).values(changed))


def was_numbered(conn: Connection, game_id: str, post: str, number: int) -> None:
    """Readers know a post of ours by this number."""
    where = (FORUM_POST.c.game_id == game_id, FORUM_POST.c.post == post)
    conn.execute(update(FORUM_POST).where(*where, FORUM_POST.c.number.is_(None)).values(number=number))


def try_again(conn: Connection, number: int, at: datetime) -> None:
    """Try a post again at an instant; one more try has failed."""
    changed = {"tries": FORUM_POST.c.tries + 1, "next_try_at": at}
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.id == number).values(changed))


def in_place_of(conn: Connection, game_id: str, others: Sequence[Outgoing]) -> None:
    """Let these wait in the place of all that waits for the thread of a game; they are tried at once."""
    conn.execute(delete(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at == NO_INSTANT))
    for other in others:
        put_out(conn, other)


def due_now(conn: Connection, number: int, now: datetime) -> None:
    """Let a post be tried again at the next look at its forum."""
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.id == number).values(next_try_at=now))


def leave(conn: Connection, game_id: str) -> None:
    """A game gets another thread in the same forum: what waits for the old one is dropped, what was posted there is
    not linked to any more, and stays ours."""
    waits = (FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at == NO_INSTANT)
    conn.execute(delete(FORUM_POST).where(*waits))
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.game_id == game_id).values(turn=0, number=None))
    conn.execute(delete(FORUM_BLOCK).where(FORUM_BLOCK.c.game_id == game_id, ~FORUM_BLOCK.c.posted))
    remarks_told(conn, game_id)


def outgoing_of(conn: Connection, game_id: str) -> int:
    """How many there have been in a game: numbers their keys."""
    found = select(func.count()).select_from(FORUM_POST).where(FORUM_POST.c.game_id == game_id)
    return int(conn.execute(found).scalar_one())


def in_a_row(conn: Connection, game_id: str) -> int:
    """How many posts of ours stand at the end of the thread, as far as it was read."""
    last = select(func.max(FORUM_SEEN.c.seen_at)).where(FORUM_SEEN.c.game_id == game_id).scalar_subquery()
    ours = (FORUM_POST.c.game_id == game_id, FORUM_POST.c.kind.in_(("open", "post")))
    found = select(func.count()).where(*ours, FORUM_POST.c.posted_at > func.coalesce(last, "!"))
    return int(conn.execute(found).scalar_one())


RemarkKind = Literal["changed", "deleted", "not-linked", "linked", "unlinked", "linked-by-hand", "rolled-back"]


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that the next post tells everybody (``bot.forum.writing.Remark``)."""

    game_id: str
    kind: RemarkKind
    post: str = ""
    author: str = ""
    faction: str = ""
    in_force: str = ""
    reason: str = ""
    id: int = 0


def remark(conn: Connection, said: Remark) -> None:
    """Let the next post tell something."""
    row = values(said)
    del row["id"]
    conn.execute(insert(FORUM_REMARK), row)


def remarks(conn: Connection, game_id: str) -> list[Remark]:
    """What the next post tells."""
    found = select(FORUM_REMARK).where(FORUM_REMARK.c.game_id == game_id).order_by(FORUM_REMARK.c.id)
    return [Remark(**row._mapping) for row in conn.execute(found)]


def remarks_told(conn: Connection, game_id: str) -> None:
    """Delete the remarks on a game, as a post has told them."""
    conn.execute(delete(FORUM_REMARK).where(FORUM_REMARK.c.game_id == game_id))
