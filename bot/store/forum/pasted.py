"""What a person posts by hand for a game, and what they handed in of what others posted (``bot.channels.paste``)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from bot.channels.channel import Gone, Post
from bot.channels.paste import Block
from bot.store.database import Engine, reading, writing
from bot.store.forum_tables import FORUM_BLOCK, FORUM_LINK, FORUM_PASTED

OF_SEAT = "seat:"
"""With the name of a faction the account of its seat: whoever hands a post in says whose it is."""


class _Pasted(msgspec.Struct):
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


def forget(conn: Connection, games: Collection[str], faction: str = "") -> None:
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
    return msgspec.json.encode(_Pasted(**fields)).decode()


def _read(data: str) -> Post | Gone:
    kept = msgspec.json.decode(data, type=_Pasted)
    if kept.gone or kept.posted is None:
        return Gone(kept.id)
    return Post(
        kept.id, kept.author, kept.author_id, kept.posted, kept.raw, kept.number, kept.version, kept.edited,
        kept.reply_to,
    )  # fmt: skip
