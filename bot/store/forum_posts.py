"""What others posted in the threads of games, as it was first read, and whose account is whose.

Players show by a code that an account of a forum is theirs. Where a person posts by hand (``bot.channels.paste``), what
they handed in of what others posted is kept here; of a mailing list, the mails that came from it, in the order in which
they came.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from bot.channels.channel import Gone, Post
from bot.channels.paste import Block
from bot.store.database import NO_INSTANT, Engine, column_values, reading, writing
from bot.store.forum_threads import (
    FORUM_BLOCK,
    FORUM_CODE,
    FORUM_LINK,
    FORUM_LIST_MAIL,
    FORUM_PASTED,
    FORUM_SEEN,
    FORUM_THREAD,
)
from bot.store.tables import MESSAGE
from rules.components import Faction, as_faction


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A marked line of a post, what became of it, and the order in canonical words."""

    text: str
    status: str
    canonical: str = ""


@dataclass(frozen=True, slots=True)
class SeenPost:
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


def keep_seen(conn: Connection, seen: SeenPost) -> None:
    """Keep a post as it was first read."""
    last = conn.execute(select(func.max(FORUM_SEEN.c.id)).where(FORUM_SEEN.c.game_id == seen.game_id)).scalar_one()
    conn.execute(insert(FORUM_SEEN), _seen_values(seen) | {"id": (last or 0) + 1})


def put_seen(conn: Connection, seen: SeenPost) -> None:
    """Keep what is known now of a post that was read."""
    this = (FORUM_SEEN.c.game_id == seen.game_id, FORUM_SEEN.c.post == seen.post)
    conn.execute(update(FORUM_SEEN).where(*this).values(_seen_values(seen)))


def forget_seen(conn: Connection, seen: SeenPost) -> None:
    """Forget a post that was kept as somebody else's and was one of ours."""
    conn.execute(delete(FORUM_SEEN).where(FORUM_SEEN.c.game_id == seen.game_id, FORUM_SEEN.c.post == seen.post))


def seen_post(conn: Connection, game_id: str, post: str) -> SeenPost | None:
    """A post that was read; None where it was not."""
    row = conn.execute(
        select(FORUM_SEEN).where(FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.post == post)
    ).one_or_none()
    return _seen_of_row(row._mapping) if row else None


def seen_post_by_number(conn: Connection, game_id: str, number: int) -> SeenPost | None:
    """The post that readers know by this number; None where none of others was read under it."""
    found = select(FORUM_SEEN).where(FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.number == number).limit(1)
    row = conn.execute(found).one_or_none()
    return _seen_of_row(row._mapping) if row else None


def author_of(conn: Connection, game_id: str, account: str) -> str:
    """The name under which an account posted last in the thread of a game; "" where it has not."""
    found = select(FORUM_SEEN.c.author).where(FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.account == account)
    return conn.execute(found.order_by(FORUM_SEEN.c.id.desc()).limit(1)).scalar_one_or_none() or ""


def seen_in_game(conn: Connection, game_id: str) -> list[SeenPost]:
    """The posts of a thread with marked lines, in the order in which they were read."""
    found = select(FORUM_SEEN).where(FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.lines != "[]")
    return [_seen_of_row(row._mapping) for row in conn.execute(found.order_by(FORUM_SEEN.c.id))]


def untold_posts(conn: Connection, game_id: str) -> list[SeenPost]:
    """The posts of which everybody is still to be told what became of them, in order."""
    found = select(FORUM_SEEN).where(FORUM_SEEN.c.game_id == game_id, ~FORUM_SEEN.c.told)
    return [_seen_of_row(row._mapping) for row in conn.execute(found.order_by(FORUM_SEEN.c.id))]


def mark_told(conn: Connection, game_id: str, up_to: int) -> None:
    """Everybody was told of the posts up to this one."""
    this = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.id <= up_to)
    conn.execute(update(FORUM_SEEN).where(*this, ~FORUM_SEEN.c.told).values(told=True))


def posts_to_look_at_again(conn: Connection, game_id: str, now: datetime) -> list[SeenPost]:
    """The posts that are to be looked at again."""
    due = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.look_at != NO_INSTANT, FORUM_SEEN.c.look_at <= now)
    return [
        _seen_of_row(row._mapping) for row in conn.execute(select(FORUM_SEEN).where(*due).order_by(FORUM_SEEN.c.id))
    ]


def count_marked_since(conn: Connection, game_id: str, faction: Faction, since: datetime) -> int:
    """How many posts of a seat with marked lines were read since an instant."""
    where = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.faction == faction, FORUM_SEEN.c.seen_at >= since)
    return int(conn.execute(select(func.count()).where(*where, FORUM_SEEN.c.lines != "[]")).scalar_one())


def is_known_stranger(conn: Connection, game_id: str, account: str) -> bool:
    """Whether an account that plays no seat of a game has posted lines before as if it did."""
    where = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.account == account, FORUM_SEEN.c.faction == "")
    return conn.execute(select(FORUM_SEEN.c.id).where(*where, FORUM_SEEN.c.lines != "[]").limit(1)).first() is not None


def any_taken(conn: Connection, game_id: str) -> bool:
    """Whether anything that was posted counts in a game."""
    return any(post.taken for post in seen_in_game(conn, game_id))


def forget_posters(conn: Connection, games: Collection[str], faction: str = "") -> None:
    """Keep no names, accounts and words of who posted in these games (for one seat); what became of each line stays."""
    these = [FORUM_SEEN.c.game_id.in_(games), *([FORUM_SEEN.c.faction == faction] if faction else [])]
    for row in conn.execute(select(FORUM_SEEN).where(*these, FORUM_SEEN.c.lines != "[]")).all():
        post = _seen_of_row(row._mapping)
        put_seen(conn, replace(post, lines=tuple(SeenLine("", line.status) for line in post.lines)))
    emptied = {"author": "", "account": "", "raw": b"", "look_at": None}
    conn.execute(update(FORUM_SEEN).where(*these).values(emptied))


def _seen_values(seen: SeenPost) -> dict[str, object]:
    row = column_values(seen)
    del row["id"]
    lines = [[line.text, line.status, line.canonical] for line in seen.lines]
    return row | {"faction": seen.faction or "", "lines": json.dumps(lines, ensure_ascii=False)}


def _seen_of_row(row: Mapping[Any, Any]) -> SeenPost:
    lines: Sequence[Sequence[str]] = json.loads(str(row["lines"]))
    faction = as_faction(str(row["faction"])) if row["faction"] else None
    return SeenPost(**{**row, "faction": faction, "lines": tuple(SeenLine(*line) for line in lines)})


def count_strangers(conn: Connection, game_id: str) -> int:
    """How many accounts that play no seat of a game have posted lines as if they did."""
    where = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.faction == "", FORUM_SEEN.c.lines != "[]")
    return int(conn.execute(select(func.count(FORUM_SEEN.c.account.distinct())).where(*where)).scalar_one())


def look_again_now(conn: Connection, game_id: str, now: datetime) -> None:
    """What counts and is to be looked at again some time is looked at now."""
    due = (FORUM_SEEN.c.game_id == game_id, FORUM_SEEN.c.look_at != NO_INSTANT)
    conn.execute(update(FORUM_SEEN).where(*due).values(look_at=now))


@dataclass(frozen=True, slots=True)
class AccountLink:
    """Which account of the forum a seat posts with, and of which generation its reply address was then."""

    game_id: str
    faction: Faction
    forum: str
    account: str
    author: str
    generation: int
    since: datetime


@dataclass(frozen=True, slots=True)
class AccountCode:
    """The code that the player of a seat was sent by mail, for an account of this name."""

    game_id: str
    faction: Faction
    code: str
    name: str
    generation: int
    until: datetime


def put_link(conn: Connection, link: AccountLink) -> None:
    """Link an account with a seat, in the place of the one before."""
    unlink(conn, link.game_id, link.faction)
    conn.execute(insert(FORUM_LINK), column_values(link))


def unlink(conn: Connection, game_id: str, faction: Faction) -> None:
    """No account posts for a seat."""
    conn.execute(delete(FORUM_LINK).where(FORUM_LINK.c.game_id == game_id, FORUM_LINK.c.faction == faction))


def account_links(conn: Connection, game_id: str) -> dict[Faction, AccountLink]:
    """The accounts of the seats of a game."""
    rows = conn.execute(select(FORUM_LINK).where(FORUM_LINK.c.game_id == game_id))
    found = [AccountLink(**{**row._mapping, "faction": as_faction(row.faction)}) for row in rows]
    return {link.faction: link for link in found}


def linked_accounts(conn: Connection, forum: str) -> set[str]:
    """The accounts of a forum that are linked, and the names of those that are to be."""
    linked = select(FORUM_LINK.c.account).where(FORUM_LINK.c.forum == forum)
    asked = select(FORUM_CODE.c.name).join(FORUM_THREAD, FORUM_THREAD.c.game_id == FORUM_CODE.c.game_id)
    return {*conn.scalars(linked), *(name.lower() for name in conn.scalars(asked.where(FORUM_THREAD.c.forum == forum)))}


def put_code(conn: Connection, code: AccountCode) -> None:
    """A player was sent a code, in the place of the one before."""
    drop_code(conn, code.game_id, code.faction)
    conn.execute(insert(FORUM_CODE), column_values(code))


def drop_code(conn: Connection, game_id: str, faction: Faction) -> None:
    """The code of a seat counts no more."""
    conn.execute(delete(FORUM_CODE).where(FORUM_CODE.c.game_id == game_id, FORUM_CODE.c.faction == faction))


def code_by_words(conn: Connection, game_ids: Collection[str], said: str, now: datetime) -> AccountCode | None:
    """What a code is for in one of these games; None where it is none, or too old."""
    found = select(FORUM_CODE).where(FORUM_CODE.c.code == said, FORUM_CODE.c.until > now)
    for row in conn.execute(found.where(FORUM_CODE.c.game_id.in_(game_ids))):
        return AccountCode(**{**row._mapping, "faction": as_faction(row.faction)})
    return None


def code_of(conn: Connection, game_id: str, faction: Faction, now: datetime) -> AccountCode | None:
    """The code that a seat was sent and has not used."""
    where = (FORUM_CODE.c.game_id == game_id, FORUM_CODE.c.faction == faction, FORUM_CODE.c.until > now)
    row = conn.execute(select(FORUM_CODE).where(*where)).one_or_none()
    return AccountCode(**{**row._mapping, "faction": as_faction(row.faction)}) if row else None


def forget_accounts(conn: Connection, games: Collection[str], faction: str = "") -> None:
    """Keep no accounts and codes of these games (of one seat)."""
    for table in (FORUM_LINK, FORUM_CODE):
        seat = (table.c.faction == faction,) if faction else ()
        conn.execute(delete(table).where(table.c.game_id.in_(games), *seat))


OF_SEAT = "seat:"
"""With the name of a faction the account of its seat: whoever hands a post in says whose it is."""


class _PastedPost(msgspec.Struct):
    """A post as it is kept; of one that was deleted nothing but that."""

    id: str
    gone: bool = False
    author: str = ""
    author_id: str = ""
    posted: datetime | None = None
    raw: str = ""
    number: int | None = None
    version: int | None = None
    edited: datetime | None = None
    reply_to: str | None = None


class KeptPastes:
    """What a paste channel must not forget of the thread of one game; each change is a transaction of its own, or part
    of the one in which all of it happens."""

    def __init__(self, place: Engine | Connection, game_id: str) -> None:
        self._place = place
        self._game_id = game_id

    def _reading(self) -> AbstractContextManager[Connection]:
        return nullcontext(self._place) if isinstance(self._place, Connection) else reading(self._place)

    def _writing(self) -> AbstractContextManager[Connection]:
        return nullcontext(self._place) if isinstance(self._place, Connection) else writing(self._place)

    def blocks(self) -> Sequence[Block]:
        """All blocks of the game, by number."""
        found = select(FORUM_BLOCK).where(FORUM_BLOCK.c.game_id == self._game_id).order_by(FORUM_BLOCK.c.number)
        with self._reading() as conn:
            return [
                Block(row.number, row.thread, row.text, row.key, row.title, row.posted) for row in conn.execute(found)
            ]

    def put_block(self, block: Block) -> None:
        """Keep a new block, or another state of the one with its number."""
        this = (FORUM_BLOCK.c.game_id == self._game_id, FORUM_BLOCK.c.number == block.number)
        with self._writing() as conn:
            conn.execute(delete(FORUM_BLOCK).where(*this))
            conn.execute(insert(FORUM_BLOCK), {"game_id": self._game_id, **asdict(block)})

    def posts(self, thread: str) -> Sequence[Post | Gone]:
        """What was posted in the thread, in the order in which we learnt of it."""
        this = (FORUM_PASTED.c.game_id == self._game_id, FORUM_PASTED.c.thread == thread)
        with self._reading() as conn:
            rows = conn.execute(select(FORUM_PASTED.c.data).where(*this).order_by(FORUM_PASTED.c.id))
            return [_read(row.data) for row in rows]

    def put_post(self, thread: str, post: Post | Gone) -> None:
        """Keep a post at the end of the thread, or in the place of the one with its identifier."""
        this = (FORUM_PASTED.c.game_id == self._game_id, FORUM_PASTED.c.post == post.id)
        data = _written(post)
        with self._writing() as conn:
            if not conn.execute(update(FORUM_PASTED).where(*this).values(data=data)).rowcount:
                row = {"game_id": self._game_id, "thread": thread, "post": post.id, "data": data}
                conn.execute(insert(FORUM_PASTED), row)


def forget_pasted(conn: Connection, games: Collection[str], faction: str = "") -> None:
    """Keep of what was handed in in these games (for one seat) no more than that there was something."""
    linked = select(FORUM_LINK.c.game_id, FORUM_LINK.c.account).where(FORUM_LINK.c.faction == faction)
    accounts = {row.game_id: row.account for row in conn.execute(linked)}
    for row in conn.execute(select(FORUM_PASTED).where(FORUM_PASTED.c.game_id.in_(games))).all():
        post = _read(row.data)
        own = (f"{OF_SEAT}{faction}", accounts.get(row.game_id))
        if faction and (isinstance(post, Gone) or post.author_id not in own):
            continue
        changed = {"data": _written(Gone(row.post))}
        conn.execute(update(FORUM_PASTED).where(FORUM_PASTED.c.id == row.id).values(changed))


def _written(post: Post | Gone) -> str:
    fields: dict[str, Any] = asdict(post) | ({"gone": True} if isinstance(post, Gone) else {})
    return msgspec.json.encode(_PastedPost(**fields)).decode()


def _read(data: str) -> Post | Gone:
    kept = msgspec.json.decode(data, type=_PastedPost)
    if kept.gone or kept.posted is None:
        return Gone(kept.id)
    return Post(
        kept.id, kept.author, kept.author_id, kept.posted, kept.raw, kept.number, kept.version, kept.edited,
        kept.reply_to,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListMail:
    """A mail from a list as it came."""

    number: int
    arrived_at: datetime
    raw: bytes


def keep_list_mail(conn: Connection, forum: str, message: int, now: datetime) -> None:
    """A message that was kept under this number is from the list of this forum."""
    conn.execute(insert(FORUM_LIST_MAIL), {"forum": forum, "message_id": message, "arrived_at": now})


def list_mail_after(conn: Connection, forum: str, number: int) -> list[ListMail]:
    """The mails from the list that came after the one of this number (0: all of them), without those emptied since."""
    found = (
        select(FORUM_LIST_MAIL.c.id, FORUM_LIST_MAIL.c.arrived_at, MESSAGE.c.raw)
        .join(MESSAGE, MESSAGE.c.id == FORUM_LIST_MAIL.c.message_id)
        .where(FORUM_LIST_MAIL.c.forum == forum, FORUM_LIST_MAIL.c.id > number, MESSAGE.c.raw != b"")
        .order_by(FORUM_LIST_MAIL.c.id)
    )
    return [ListMail(*row) for row in conn.execute(found)]
