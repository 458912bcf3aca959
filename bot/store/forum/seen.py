"""What others posted, as it was first read."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from bot.store.forum.rows import values
from bot.store.forum_tables import (
    FORUM_SEEN,
)
from bot.store.instants import NO_INSTANT
from rules.components import Faction, as_faction


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A marked line of a post, what became of it, and the order in canonical words."""

    text: str
    status: str
    canonical: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """A post as it was first read (``forum_tables.ForumSeenRow``)."""

    game_id: str
    post: str
    author: str
    account: str
    posted: datetime
    seen_at: datetime
    digest: str
    number: int | None = None
    faction: Faction | None = None
    lines: tuple[SeenLine, ...] = ()
    look_at: datetime | None = None
    state: str = ""
    told: bool = True
    raw: bytes = b""
    id: int = 0

    @property
    def taken(self) -> tuple[SeenLine, ...]:
        """The lines that count."""
        return tuple(line for line in self.lines if line.status in TAKEN)


TAKEN = ("accepted", "held", "done")


def see(conn: Connection, seen: Seen) -> None:
    """Keep a post as it was first read."""
    last = conn.execute(select(func.max(FORUM_SEEN.c.id)).where(FORUM_SEEN.c.game_id == seen.game_id)).scalar_one()
    conn.execute(insert(FORUM_SEEN), _seen_values(seen) | {"id": (last or 0) + 1})


def put_seen(conn: Connection, seen: Seen) -> None:
    """Keep what is known now of a post that was read."""
    this = (FORUM_SEEN.c.game_id == seen.game_id, FORUM_SEEN.c.post == seen.post)
    conn.execute(update(FORUM_SEEN).where(*this).values(_seen_values(seen)))


def unsee(conn: Connection, seen: Seen) -> None:
    """Forget a post that was kept as somebody else's and was one of ours."""
    conn.execute(delete(FORUM_SEEN).where(FORUM_SEEN.c.game_id == seen.game_id, FORUM_SEEN.c.post == seen.post))


def seen(conn: Connection, game_id: str, post: str) -> Seen | None:
    """A post that was read; None where it was not."""
    row = conn.execute(
        select(FORUM_SEEN).where(FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.post == post)
    ).one_or_none()
    return _seen(row._mapping) if row else None


def numbered(conn: Connection, game_id: str, number: int) -> Seen | None:
    """The post that readers know by this number; None where none of others was read under it."""
    found = select(FORUM_SEEN).where(FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.number == number).limit(1)
    row = conn.execute(found).one_or_none()
    return _seen(row._mapping) if row else None


def author_of(conn: Connection, game_id: str, account: str) -> str:
    """The name under which an account posted last in the thread of a game; "" where it has not."""
    found = select(FORUM_SEEN.c.author).where(FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.account == account)
    return conn.execute(found.order_by(FORUM_SEEN.c.id.desc()).limit(1)).scalar_one_or_none() or ""


def of_game(conn: Connection, game_id: str) -> list[Seen]:
    """The posts of a thread with marked lines, in the order in which they were read."""
    found = select(FORUM_SEEN).where(FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.lines != "[]")
    return [_seen(row._mapping) for row in conn.execute(found.order_by(FORUM_SEEN.c.id))]


def untold(conn: Connection, game_id: str) -> list[Seen]:
    """The posts of which everybody is still to be told what became of them, in order."""
    found = select(FORUM_SEEN).where(FORUM_SEEN.c.game_id == game_id, ~FORUM_SEEN.c.told)
    return [_seen(row._mapping) for row in conn.execute(found.order_by(FORUM_SEEN.c.id))]


def all_told(conn: Connection, game_id: str, up_to: int) -> None:
    """Everybody was told of the posts up to this one."""
    this = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.id <= up_to)
    conn.execute(update(FORUM_SEEN).where(*this, ~FORUM_SEEN.c.told).values(told=True))


def to_look_again(conn: Connection, game_id: str, now: datetime) -> list[Seen]:
    """The posts that are to be looked at again."""
    due = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.look_at != NO_INSTANT, FORUM_SEEN.c.look_at <= now)
    return [_seen(row._mapping) for row in conn.execute(select(FORUM_SEEN).where(*due).order_by(FORUM_SEEN.c.id))]


def marked_since(conn: Connection, game_id: str, faction: Faction, since: datetime) -> int:
    """How many posts of a seat with marked lines were read since an instant."""
    where = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.faction == faction, FORUM_SEEN.c.seen_at >= since)
    return int(conn.execute(select(func.count()).where(*where, FORUM_SEEN.c.lines != "[]")).scalar_one())


def is_known_stranger(conn: Connection, game_id: str, account: str) -> bool:
    """Whether an account that plays no seat of a game has posted lines before as if it did."""
    where = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.account == account, FORUM_SEEN.c.faction == "")
    return conn.execute(select(FORUM_SEEN.c.id).where(*where, FORUM_SEEN.c.lines != "[]").limit(1)).first() is not None


def any_taken(conn: Connection, game_id: str) -> bool:
    """Whether anything that was posted counts in a game."""
    return any(post.taken for post in of_game(conn, game_id))


def forget(conn: Connection, games: Collection[str], faction: str = "") -> None:
    """Keep no names, accounts and words of who posted in these games (for one seat); what became of each line stays."""
    these = [FORUM_SEEN.c.game_id.in_(games), *([FORUM_SEEN.c.faction == faction] if faction else [])]
    for row in conn.execute(select(FORUM_SEEN).where(*these, FORUM_SEEN.c.lines != "[]")).all():
        post = _seen(row._mapping)
        put_seen(conn, replace(post, lines=tuple(SeenLine("", line.status) for line in post.lines)))
    emptied = {"author": "", "account": "", "raw": b"", "look_at": None}
    conn.execute(update(FORUM_SEEN).where(*these).values(emptied))


def _seen_values(seen: Seen) -> dict[str, object]:
    row = values(seen)
    del row["id"]
    lines = [[line.text, line.status, line.canonical] for line in seen.lines]
    return row | {"faction": seen.faction or "", "lines": json.dumps(lines, ensure_ascii=False)}


def _seen(row: Mapping[Any, Any]) -> Seen:
    lines: Sequence[Sequence[str]] = json.loads(str(row["lines"]))
    faction = as_faction(str(row["faction"])) if row["faction"] else None
    return Seen(**{**row, "faction": faction, "lines": tuple(SeenLine(*line) for line in lines)})


def strangers(conn: Connection, game_id: str) -> int:
    """How many accounts that play no seat of a game have posted lines as if they did."""
    where = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.faction == "", FORUM_SEEN.c.lines != "[]")
    return int(conn.execute(select(func.count(FORUM_SEEN.c.account.distinct())).where(*where)).scalar_one())


def look_now(conn: Connection, game_id: str, now: datetime) -> None:
    """What counts and is to be looked at again some time is looked at now."""
    due = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.look_at != NO_INSTANT)
    conn.execute(update(FORUM_SEEN).where(*due).values(look_at=now))
