"""Posts from game threads that people hand in (``bot.channels.paste``), and mailing list mails, both in order of
arrival.

Only forums need these tables, so this module may use SQLModel. Other modules must not: every command would have to load
it, even a quick look-up.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

import msgspec
from sqlalchemy import Connection, MetaData, delete, insert, select, update
from sqlmodel import Field, SQLModel

from bot.channels import Gone, Post
from bot.channels.paste import Block
from bot.store.database import Engine, Instant, reading, writing
from bot.store.forum_posts import FORUM_BLOCK, FORUM_LINK
from bot.store.rows import METADATA, add_value, load_all
from bot.store.tables import MESSAGE


class _Row(SQLModel):
    metadata: ClassVar[MetaData] = METADATA


class ForumPastedRow(_Row, table=True):
    """A post that a person handed in. ``data`` is the post as JSON. The rows are in order of arrival."""

    __tablename__ = "forum_pasted"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    thread: str
    post: str
    data: str


class ForumListMailRow(_Row, table=True):
    """A mail from a forum's mailing list. The rows are in order of arrival. The text is in the table of messages, where
    it can be shown, deleted and recognised like any other mail."""

    __tablename__ = "forum_list_mail"

    id: int | None = Field(default=None, primary_key=True)
    forum: str = Field(index=True)
    message_id: int = Field(unique=True, foreign_key="message.id")
    arrived_at: datetime = Field(sa_type=Instant)


FORUM_PASTED = METADATA.tables["forum_pasted"]
FORUM_LIST_MAIL = METADATA.tables["forum_list_mail"]


OF_SEAT = "seat:"
"""A seat's posts are stored under an account that is this prefix followed by the faction, because the person who hands
in a post names its faction."""


class _PastedPost(msgspec.Struct):
    """A post as stored. If the post was deleted in the forum (``gone``), nothing else is kept except its identifier."""

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
    """The stored thread of one game in a paste channel. Each change is part of the caller's transaction if there is
    one, and otherwise a separate transaction."""

    def __init__(self, place: Engine | Connection, game_id: str) -> None:
        self._place = place
        self._game_id = game_id

    def _reading(self) -> AbstractContextManager[Connection]:
        return nullcontext(self._place) if isinstance(self._place, Connection) else reading(self._place)

    def _writing(self) -> AbstractContextManager[Connection]:
        return nullcontext(self._place) if isinstance(self._place, Connection) else writing(self._place)

    def blocks(self) -> Sequence[Block]:
        return [block for block in self._blocks() if block.number > 0]

    def shown(self, thread: str) -> Sequence[Block]:
        """Return the blocks that a person was shown but, as far as we know, has not yet posted. Their numbers are
        negative."""
        return [block for block in self._blocks() if block.number < 0 and block.thread == thread]

    def last_shown(self) -> Sequence[Block]:
        """Return the blocks of the text that was shown last. A key with two words marks the last block of a text."""
        newest = sorted((block for block in self._blocks() if block.number < 0), key=lambda block: block.number)
        whole = next((place for place, block in enumerate(newest) if place and " " in block.key), len(newest))
        return newest[:whole][::-1]

    def note_shown(self, block: Block) -> None:
        numbers = {each.key: each.number for each in self._blocks() if each.number < 0}
        if block.key not in numbers:
            self.put_block(replace(block, number=min(numbers.values(), default=0) - 1, posted=True))

    def _blocks(self) -> Sequence[Block]:
        with self._reading() as conn:
            return load_all(conn, Block, game_id=self._game_id)

    def put_block(self, block: Block) -> None:
        this = (FORUM_BLOCK.c.game_id == self._game_id, FORUM_BLOCK.c.number == block.number)
        with self._writing() as conn:
            conn.execute(delete(FORUM_BLOCK).where(*this))
            add_value(conn, block, game_id=self._game_id)

    def posts(self, thread: str) -> Sequence[Post | Gone]:
        this = (FORUM_PASTED.c.game_id == self._game_id, FORUM_PASTED.c.thread == thread)
        with self._reading() as conn:
            rows = conn.execute(select(FORUM_PASTED.c.data).where(*this).order_by(FORUM_PASTED.c.id))
            return [_read(row.data) for row in rows]

    def put_post(self, thread: str, post: Post | Gone) -> None:
        this = (FORUM_PASTED.c.game_id == self._game_id, FORUM_PASTED.c.post == post.id)
        data = _written(post)
        with self._writing() as conn:
            if not conn.execute(update(FORUM_PASTED).where(*this).values(data=data)).rowcount:
                row = {"game_id": self._game_id, "thread": thread, "post": post.id, "data": data}
                conn.execute(insert(FORUM_PASTED), row)


def forget_pasted(conn: Connection, games: Collection[str], faction: str = "") -> None:
    """Empty the posts that were handed in for these games, or only one seat's posts. The rows remain, to show that
    there were posts."""
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
        kept.id,
        kept.author,
        kept.author_id,
        kept.posted,
        kept.raw,
        kept.number,
        kept.version,
        kept.edited,
        kept.reply_to,
    )


@dataclass(frozen=True, slots=True)
class ListMail:
    number: int
    arrived_at: datetime
    raw: bytes


def keep_list_mail(conn: Connection, forum: str, message: int, now: datetime) -> None:
    conn.execute(insert(FORUM_LIST_MAIL), {"forum": forum, "message_id": message, "arrived_at": now})


def list_mail_after(conn: Connection, forum: str, number: int) -> list[ListMail]:
    """Return the mailing list's mails with a number above ``number`` (0: all), except mails that have since been
    emptied."""
    found = (
        select(FORUM_LIST_MAIL.c.id, FORUM_LIST_MAIL.c.arrived_at, MESSAGE.c.raw)
        .join(MESSAGE, MESSAGE.c.id == FORUM_LIST_MAIL.c.message_id)
        .where(FORUM_LIST_MAIL.c.forum == forum, FORUM_LIST_MAIL.c.id > number, MESSAGE.c.raw != b"")
        .order_by(FORUM_LIST_MAIL.c.id)
    )
    return [ListMail(*row) for row in conn.execute(found)]
