"""The forum: its tables, the thread of each game, what waits to be posted there, and the state of each forum.

A thread knows where it is, what it has told, and the heads of the record that it tells. ``bot.store.forum_posts`` has
what others posted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update
from sqlmodel import Field, SQLModel

from bot.store.database import NO_INSTANT, Instant, InstantOrEmpty, Packed, column_values
from bot.store.tables import DEADLINE, GAME, SNAPSHOT


class ForumStateRow(SQLModel, table=True):
    """How it stands with a forum of the settings, by ``work`` (reading, posting): since when that fails and why, and
    until when the forum is left in peace. For reading besides by how much its clock is ahead of ours, and up to where
    our private messages were read."""

    __tablename__ = "forum_state"

    forum: str = Field(primary_key=True)
    work: str = Field(primary_key=True)
    problem: str = ""
    failing_since: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    failures: int = 0  # in a row
    wait_until: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    skew_seconds: float = 0.0
    messages_cursor: str | None = None


class ForumThreadRow(SQLModel, table=True):
    """The thread of a game, "" until the forum has it. ``told``, ``told_turn`` and ``told_snapshot`` are how many
    events of the game, which turn and which snapshot its posts have told; ``looked`` is the revision of the game at
    which that was looked at last. ``read_at`` is when it was last read to its end."""

    __tablename__ = "forum_thread"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    forum: str = Field(index=True)
    thread: str = ""
    url: str = ""
    title: str = ""
    first_post: str = ""
    cursor: str | None = None
    told: int = 0
    told_turn: int = 0
    told_snapshot: int = -1
    looked: int = -1
    read_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    closed: bool = False  # it was left, or the game is over and all of it was told
    problem: str = ""  # why the forum does not take what is to be posted, until it does
    problem_since: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)


class ForumPostRow(SQLModel, table=True):
    """A post of ours, or another change to a thread: it waits in order until the forum has it. ``kind``: open (the
    first post, with the title of the thread), post, index (the first post in other words), title. ``post`` is what the
    forum calls it, and ``number`` how readers do."""

    __tablename__ = "forum_post"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    kind: str
    key: str = Field(unique=True)
    title: str = ""
    text: str = ""
    turn: int = 0  # the turn that begins with it, 0 for others
    at: datetime = Field(sa_type=Instant)
    post: str = ""
    number: int | None = None
    posted_at: datetime | None = Field(default=None, index=True, sa_type=InstantOrEmpty, nullable=False)
    tries: int = 0
    next_try_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)


class ForumSeenRow(SQLModel, table=True):
    """A post of somebody else, as it was first read; what nothing in it counts of is kept as a digest alone. ``lines``
    is what became of each marked line (JSON: the line, what became of it, the order in canonical words). ``look_at`` is
    when it is looked at again, and ``state`` what was found then: "", changed, deleted. ``told``: everybody knows what
    became of it."""

    __tablename__ = "forum_seen"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    post: str = Field(primary_key=True)
    id: int = Field(index=True)  # in the order in which they were read
    number: int | None = None
    author: str = ""
    account: str = Field(default="", index=True)
    faction: str = ""
    posted: datetime = Field(sa_type=Instant)
    seen_at: datetime = Field(sa_type=Instant)
    digest: str = ""
    raw: bytes = Field(default=b"", sa_type=Packed, nullable=False)
    lines: str = "[]"
    look_at: datetime | None = Field(default=None, index=True, sa_type=InstantOrEmpty, nullable=False)
    state: str = ""
    told: bool = Field(default=False, index=True)


class ForumLinkRow(SQLModel, table=True):
    """Which account of the forum a seat posts with. It counts while the seat has the same reply address: ``generation``
    is that of its token when they were linked."""

    __tablename__ = "forum_link"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    faction: str = Field(primary_key=True)
    forum: str
    account: str = Field(index=True)
    author: str
    generation: int
    since: datetime = Field(sa_type=Instant)


class ForumCodeRow(SQLModel, table=True):
    """The code that a player was sent by mail, until their account posts it."""

    __tablename__ = "forum_code"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    faction: str = Field(primary_key=True)
    code: str
    name: str  # of the account, as they told it
    generation: int
    until: datetime = Field(sa_type=Instant)


class ForumRemarkRow(SQLModel, table=True):
    """Something that the next post tells everybody: a post that was changed, an account that was linked."""

    __tablename__ = "forum_remark"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    kind: str
    post: str = ""
    author: str = ""
    faction: str = ""
    in_force: str = ""
    reason: str = ""


class ForumBlockRow(SQLModel, table=True):
    """A block that a person posts by hand, in a forum without an API."""

    __tablename__ = "forum_block"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    thread: str
    text: str
    key: str
    title: str | None = None
    posted: bool = False


class ForumPastedRow(SQLModel, table=True):
    """What was posted in such a forum, as a person handed it in; JSON, in the order in which we learnt of it."""

    __tablename__ = "forum_pasted"

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(index=True, foreign_key="game.id")
    thread: str
    post: str
    data: str


_tables = SQLModel.metadata.tables
FORUM_STATE = _tables["forum_state"]
FORUM_THREAD = _tables["forum_thread"]
FORUM_POST = _tables["forum_post"]
FORUM_SEEN = _tables["forum_seen"]
FORUM_LINK = _tables["forum_link"]
FORUM_CODE = _tables["forum_code"]
FORUM_REMARK = _tables["forum_remark"]
FORUM_BLOCK = _tables["forum_block"]
FORUM_PASTED = _tables["forum_pasted"]


class ForumListMailRow(SQLModel, table=True):
    """A mail from the list of a forum, in the order in which they came. What it says is kept with the message, which is
    shown, deleted and known again as every other."""

    __tablename__ = "forum_list_mail"

    id: int | None = Field(default=None, primary_key=True)
    forum: str = Field(index=True)
    message_id: int = Field(unique=True, foreign_key="message.id")
    arrived_at: datetime = Field(sa_type=Instant)


FORUM_LIST_MAIL = SQLModel.metadata.tables["forum_list_mail"]


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


def add_thread(conn: Connection, thread: Thread) -> None:
    """A game has a thread from now on."""
    conn.execute(insert(FORUM_THREAD), column_values(thread))


def put_thread(conn: Connection, thread: Thread) -> None:
    """Keep how it stands with a thread."""
    conn.execute(update(FORUM_THREAD).where(FORUM_THREAD.c.game_id == thread.game_id).values(column_values(thread)))


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


def forget_thread(conn: Connection, game_id: str) -> None:
    """Keep nothing of the thread of a game, of what was posted and read there, and of whose account is whose."""
    for table in (
        FORUM_BLOCK, FORUM_CODE, FORUM_LINK, FORUM_PASTED, FORUM_POST, FORUM_REMARK, FORUM_SEEN, FORUM_THREAD,
    ):  # fmt: skip
        conn.execute(delete(table).where(table.c.game_id == game_id))


def roll_back_thread(conn: Connection, game_id: str, events: int, turn: int, where: str) -> None:
    """A game was taken back to so many events in a turn: what is played again is told again."""
    thread = thread_of(conn, game_id)
    if thread is None:
        return
    if thread.told > events:
        add_remark(conn, Remark(game_id, "rolled-back", in_force=where))
    put_thread(conn, replace(
        thread, told=min(thread.told, events), told_turn=min(thread.told_turn, turn - 1), looked=-1,
        told_snapshot=min(thread.told_snapshot, last_snapshot(conn, game_id)),
    ))  # fmt: skip


def is_told_to_its_end(conn: Connection, thread: Thread) -> bool:
    """Whether the game is over and its thread has been told so."""
    row = conn.execute(select(GAME.c.status, GAME.c.turn).where(GAME.c.id == thread.game_id)).one()
    return bool(row.status == "over" and thread.told_turn >= row.turn)


def threads_to_read(conn: Connection, forum: str, most: int) -> list[Thread]:
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


def threads_to_look_at(conn: Connection, forum: str, now: datetime) -> list[Thread]:
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


PostKind = Literal["open", "post", "index", "title"]
"""What waits: a new thread with its first post, a post, the first post in other words, another title."""


@dataclass(frozen=True, slots=True)
class OutgoingPost:
    """Something for the thread of a game, in the order of ``id``. ``post`` and ``number`` are what the forum made of
    it, None and "" until then."""

    game_id: str
    kind: PostKind
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


def add_outgoing(conn: Connection, outgoing: OutgoingPost) -> None:
    """Let something wait for its turn; it is tried at once."""
    row = column_values(outgoing)
    del row["id"]
    conn.execute(insert(FORUM_POST), row | {"next_try_at": outgoing.at})


def waiting_posts(conn: Connection, game_id: str) -> list[OutgoingPost]:
    """What waits to be posted in the thread of a game, in order."""
    found = select(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at == NO_INSTANT)
    return [OutgoingPost(**row._mapping) for row in conn.execute(found.order_by(FORUM_POST.c.id))]


def own_posts(conn: Connection, game_id: str) -> list[OutgoingPost]:
    """What was posted, in order."""
    found = select(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at != NO_INSTANT)
    return [OutgoingPost(**row._mapping) for row in conn.execute(found.order_by(FORUM_POST.c.id))]


def own_post(conn: Connection, game_id: str, post: str) -> OutgoingPost | None:
    """A post of ours by what the forum calls it; None where it is not ours, as far as we know."""
    found = select(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.post == post).limit(1)
    row = conn.execute(found).one_or_none()
    return OutgoingPost(**row._mapping) if row else None


def note_posted(conn: Connection, number: int, post: str, now: datetime) -> None:
    """Note that the forum has taken a post, and what it is called there."""
    changed = {"post": post, "posted_at": now, "next_try_at": None}
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.id == number).values(changed))


def number_post(conn: Connection, game_id: str, post: str, number: int) -> None:
    """Readers know a post of ours by this number."""
    where = (FORUM_POST.c.game_id == game_id, FORUM_POST.c.post == post)
    conn.execute(update(FORUM_POST).where(*where, FORUM_POST.c.number.is_(None)).values(number=number))


def retry_post(conn: Connection, number: int, at: datetime) -> None:
    """Try a post again at an instant; one more try has failed."""
    changed = {"tries": FORUM_POST.c.tries + 1, "next_try_at": at}
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.id == number).values(changed))


def replace_waiting(conn: Connection, game_id: str, others: Sequence[OutgoingPost]) -> None:
    """Let these wait in the place of all that waits for the thread of a game; they are tried at once."""
    conn.execute(delete(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at == NO_INSTANT))
    for other in others:
        add_outgoing(conn, other)


def retry_post_now(conn: Connection, number: int, now: datetime) -> None:
    """Let a post be tried again at the next look at its forum."""
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.id == number).values(next_try_at=now))


def leave_thread(conn: Connection, game_id: str) -> None:
    """A game gets another thread in the same forum: what waits for the old one is dropped, what was posted there is
    not linked to any more, and stays ours."""
    waits = (FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at == NO_INSTANT)
    conn.execute(delete(FORUM_POST).where(*waits))
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.game_id == game_id).values(turn=0, number=None))
    conn.execute(delete(FORUM_BLOCK).where(FORUM_BLOCK.c.game_id == game_id, ~FORUM_BLOCK.c.posted))
    drop_remarks(conn, game_id)


def count_outgoing(conn: Connection, game_id: str) -> int:
    """How many there have been in a game: numbers their keys."""
    found = select(func.count()).select_from(FORUM_POST).where(FORUM_POST.c.game_id == game_id)
    return int(conn.execute(found).scalar_one())


def own_posts_in_a_row(conn: Connection, game_id: str) -> int:
    """How many posts of ours stand at the end of the thread, as far as it was read."""
    last = select(func.max(FORUM_SEEN.c.seen_at)).where(FORUM_SEEN.c.game_id == game_id).scalar_subquery()
    ours = (FORUM_POST.c.game_id == game_id, FORUM_POST.c.kind.in_(("open", "post")))
    found = select(func.count()).where(*ours, FORUM_POST.c.posted_at > func.coalesce(last, "!"))
    return int(conn.execute(found).scalar_one())


RemarkKind = Literal["changed", "deleted", "not-linked", "linked", "unlinked", "linked-by-hand", "rolled-back"]


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that the next post tells everybody (``bot.forum.post_texts.Remark``)."""

    game_id: str
    kind: RemarkKind
    post: str = ""
    author: str = ""
    faction: str = ""
    in_force: str = ""
    reason: str = ""
    id: int = 0


def add_remark(conn: Connection, said: Remark) -> None:
    """Let the next post tell something."""
    row = column_values(said)
    del row["id"]
    conn.execute(insert(FORUM_REMARK), row)


def remarks(conn: Connection, game_id: str) -> list[Remark]:
    """What the next post tells."""
    found = select(FORUM_REMARK).where(FORUM_REMARK.c.game_id == game_id).order_by(FORUM_REMARK.c.id)
    return [Remark(**row._mapping) for row in conn.execute(found)]


def drop_remarks(conn: Connection, game_id: str) -> None:
    """Delete the remarks on a game, as a post has told them."""
    conn.execute(delete(FORUM_REMARK).where(FORUM_REMARK.c.game_id == game_id))


ForumWork = Literal["reading", "posting"]


@dataclass(frozen=True, slots=True)
class ForumState:
    """How it stands with one kind of work in a forum: why it fails and since when (None: it does not), how often in a
    row, until when the forum is left in peace; for reading, by how many seconds its clock is ahead of ours, and up to
    where private messages were read."""

    forum: str
    work: ForumWork = "reading"
    problem: str = ""
    failing_since: datetime | None = None
    failures: int = 0
    wait_until: datetime | None = None
    skew_seconds: float = 0.0
    messages_cursor: str | None = None


def forum_state(conn: Connection, forum: str, work: ForumWork = "reading") -> ForumState:
    """How it stands with a forum."""
    this = (FORUM_STATE.c.forum == forum, FORUM_STATE.c.work == work)
    row = conn.execute(select(FORUM_STATE).where(*this)).one_or_none()
    return ForumState(**row._mapping) if row else ForumState(forum, work)


def put_forum_state(conn: Connection, state: ForumState) -> None:
    """Keep how it stands with a forum."""
    conn.execute(delete(FORUM_STATE).where(FORUM_STATE.c.forum == state.forum, FORUM_STATE.c.work == state.work))
    conn.execute(insert(FORUM_STATE), column_values(state))
