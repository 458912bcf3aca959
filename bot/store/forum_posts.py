"""Other people's posts in game threads, as they were first read, and the forum accounts of players.

Players prove with a code that a forum account is theirs.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Connection, Dialect, delete, func, select, update

from bot.channels.paste import Block
from bot.store.database import NO_INSTANT, Packed
from bot.store.rows import AsText, add_value, any_row, count_rows, fetch, load, load_all, query, row_of, table_of
from rules.components import Faction


@dataclass(frozen=True, slots=True)
class SeenLine:
    text: str
    status: str
    canonical: str = ""


@dataclass(frozen=True, slots=True)
class SeenPost:
    """A post by somebody other than Mentat, as it was first read. If nothing in it counts for the game, only its digest
    is kept. ``number`` is the number that readers of the forum see, and ``id`` is the order in which posts were read.
    ``look_at`` is when the post will be checked again, and ``state`` is the result of the last check: "", changed or
    deleted. ``told`` is true once that result has been announced."""

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
        return tuple(line for line in self.lines if line.status in TAKEN)


TAKEN = ("accepted", "held", "done")


class _SeenLines(AsText):
    cache_ok = True

    def written(self, value: tuple[SeenLine, ...]) -> str:
        return json.dumps([[line.text, line.status, line.canonical] for line in value], ensure_ascii=False)

    def read(self, text: str) -> tuple[SeenLine, ...]:
        return tuple(SeenLine(*line) for line in json.loads(text))


class _FactionOrEmpty(AsText):
    cache_ok = True

    def process_bind_param(self, value: Faction | None, dialect: Dialect) -> str:
        return value or ""

    def read(self, text: str) -> Faction | None:
        return text or None


FORUM_SEEN = table_of(
    "forum_seen",
    SeenPost,
    Column("lines", _SeenLines, nullable=False),
    Column("raw", Packed, nullable=False),
    Column("faction", _FactionOrEmpty, nullable=False),
    key="game_id post",
    index="id account look_at told",
    refers="game_id",
)
_MARKED = FORUM_SEEN.c.lines != ()


def keep_seen(conn: Connection, seen: SeenPost) -> None:
    last = conn.execute(select(func.max(FORUM_SEEN.c.id)).where(FORUM_SEEN.c.game_id == seen.game_id)).scalar_one()
    add_value(conn, replace(seen, id=(last or 0) + 1))


def put_seen(conn: Connection, seen: SeenPost) -> None:
    this = (FORUM_SEEN.c.game_id == seen.game_id, FORUM_SEEN.c.post == seen.post)
    row = row_of(seen)
    del row["id"]
    conn.execute(update(FORUM_SEEN).where(*this).values(row))


def forget_seen(conn: Connection, seen: SeenPost) -> None:
    conn.execute(delete(FORUM_SEEN).where(FORUM_SEEN.c.game_id == seen.game_id, FORUM_SEEN.c.post == seen.post))


def seen_post(conn: Connection, game_id: str, post: str) -> SeenPost | None:
    return load(conn, SeenPost, game_id=game_id, post=post)


def seen_post_by_number(conn: Connection, game_id: str, number: int) -> SeenPost | None:
    return load(conn, SeenPost, game_id=game_id, number=number)


def author_of(conn: Connection, game_id: str, account: str) -> str:
    found = select(FORUM_SEEN.c.author).where(FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.account == account)
    return conn.execute(found.order_by(FORUM_SEEN.c.id.desc()).limit(1)).scalar_one_or_none() or ""


def seen_in_game(conn: Connection, game_id: str) -> list[SeenPost]:
    return _seen(conn, FORUM_SEEN.c.game_id == game_id, _MARKED)


def _seen(conn: Connection, *where: ColumnElement[bool]) -> list[SeenPost]:
    return fetch(conn, SeenPost, query(SeenPost, *where).order_by(None).order_by(FORUM_SEEN.c.id))


def untold_posts(conn: Connection, game_id: str) -> list[SeenPost]:
    return _seen(conn, FORUM_SEEN.c.game_id == game_id, ~FORUM_SEEN.c.told)


def mark_told(conn: Connection, game_id: str, up_to: int) -> None:
    this = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.id <= up_to)
    conn.execute(update(FORUM_SEEN).where(*this, ~FORUM_SEEN.c.told).values(told=True))


def posts_to_look_at_again(conn: Connection, game_id: str, now: datetime) -> list[SeenPost]:
    due = (FORUM_SEEN.c.look_at != NO_INSTANT, FORUM_SEEN.c.look_at <= now)
    return _seen(conn, FORUM_SEEN.c.game_id == game_id, *due)


def count_marked_since(conn: Connection, game_id: str, faction: Faction, since: datetime) -> int:
    where = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.faction == faction, FORUM_SEEN.c.seen_at >= since)
    return count_rows(conn, *where, _MARKED)


def is_known_stranger(conn: Connection, game_id: str, account: str) -> bool:
    where = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.account == account, FORUM_SEEN.c.faction == "")
    return any_row(conn, *where, _MARKED)


def any_taken(conn: Connection, game_id: str) -> bool:
    return any(post.taken for post in seen_in_game(conn, game_id))


def forget_posters(conn: Connection, games: Collection[str], faction: str = "") -> None:
    """Delete the names, accounts and words of the people who posted in these games, or only of those who posted as one
    seat. The status of each line is kept."""
    these = [FORUM_SEEN.c.game_id.in_(games), *([FORUM_SEEN.c.faction == faction] if faction else [])]
    for post in _seen(conn, *these, _MARKED):
        put_seen(conn, replace(post, lines=tuple(SeenLine("", line.status) for line in post.lines)))
    emptied = {"author": "", "account": "", "raw": b"", "look_at": None}
    conn.execute(update(FORUM_SEEN).where(*these).values(emptied))


def count_strangers(conn: Connection, game_id: str) -> int:
    where = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.faction == "", _MARKED)
    return int(conn.execute(select(func.count(FORUM_SEEN.c.account.distinct())).where(*where)).scalar_one())


def look_again_now(conn: Connection, game_id: str, now: datetime) -> None:
    due = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.look_at != NO_INSTANT)
    conn.execute(update(FORUM_SEEN).where(*due).values(look_at=now))


@dataclass(frozen=True, slots=True)
class AccountLink:
    """The forum account with which a seat's player posts. ``generation`` is the generation that the seat's reply token
    had when the account was linked. The link is valid until the seat gets a new reply token."""

    game_id: str
    faction: Faction
    forum: str
    account: str
    author: str
    generation: int
    since: datetime


FORUM_LINK = table_of("forum_link", AccountLink, key="game_id faction", index="account", refers="game_id")


@dataclass(frozen=True, slots=True)
class AccountCode:
    """The code that was mailed to a seat's player. It is valid until the forum account with this ``name`` posts it."""

    game_id: str
    faction: Faction
    code: str
    name: str
    generation: int
    until: datetime


FORUM_CODE = table_of("forum_code", AccountCode, key="game_id faction", refers="game_id")


def put_link(conn: Connection, link: AccountLink) -> None:
    unlink(conn, link.game_id, link.faction)
    add_value(conn, link)


def unlink(conn: Connection, game_id: str, faction: Faction) -> None:
    conn.execute(delete(FORUM_LINK).where(FORUM_LINK.c.game_id == game_id, FORUM_LINK.c.faction == faction))


def account_links(conn: Connection, game_id: str) -> dict[Faction, AccountLink]:
    return {link.faction: link for link in load_all(conn, AccountLink, game_id=game_id)}


def put_code(conn: Connection, code: AccountCode) -> None:
    drop_code(conn, code.game_id, code.faction)
    add_value(conn, code)


def drop_code(conn: Connection, game_id: str, faction: Faction) -> None:
    conn.execute(delete(FORUM_CODE).where(FORUM_CODE.c.game_id == game_id, FORUM_CODE.c.faction == faction))


def code_by_words(conn: Connection, game_ids: Collection[str], said: str, now: datetime) -> AccountCode | None:
    return load(conn, AccountCode, FORUM_CODE.c.until > now, FORUM_CODE.c.game_id.in_(game_ids), code=said)


def code_of(conn: Connection, game_id: str, faction: Faction, now: datetime) -> AccountCode | None:
    return load(conn, AccountCode, FORUM_CODE.c.until > now, game_id=game_id, faction=faction)


def forget_accounts(conn: Connection, games: Collection[str], faction: str = "") -> None:
    for table in (FORUM_LINK, FORUM_CODE):
        seat = (table.c.faction == faction,) if faction else ()
        conn.execute(delete(table).where(table.c.game_id.in_(games), *seat))


FORUM_BLOCK = table_of("forum_block", Block, key="game_id number", refers="game_id", game_id=str)
