"""The forum: its tables, each game's thread, the posts that are waiting to be posted, and the state of each forum.

A thread's row says where the thread is, and how much of the game and of its record has been posted there. Posts by
other people are in ``bot.store.forum_posts``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from sqlalchemy import Connection, UniqueConstraint, and_, delete, func, or_, select, update

from bot.channels.paste import Block
from bot.store.database import NO_INSTANT
from bot.store.forum_posts import FORUM_BLOCK, FORUM_CODE, FORUM_LINK, FORUM_SEEN, untold_posts
from bot.store.rows import METADATA, add_value, count_rows, fetch, load, load_all, query, row_of, table_of
from bot.store.tables import DEADLINE, GAME, SNAPSHOT


@dataclass(frozen=True, slots=True)
class Thread:
    """A game's thread.

    - ``thread`` is its name in the forum, or "" until it exists there.
    - ``told``, ``told_turn`` and ``told_snapshot`` are the progress of the posts: the number of events, the turn and
      the snapshot.
    - ``looked`` is the revision that the game had when we last checked whether a post was needed.
    - ``read_at`` is when the thread was last read to its end.
    - ``closed`` is true if the game has left the thread, or is over and completely posted.
    - ``problem`` is why the forum refuses the next post, or "".
    """

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


FORUM_THREAD = table_of("forum_thread", Thread, key="game_id", index="forum", refers="game_id")


def add_thread(conn: Connection, thread: Thread) -> None:
    add_value(conn, thread)


def put_thread(conn: Connection, thread: Thread) -> None:
    conn.execute(update(FORUM_THREAD).where(FORUM_THREAD.c.game_id == thread.game_id).values(row_of(thread)))


def thread_of(conn: Connection, game_id: str) -> Thread | None:
    return load(conn, Thread, game_id=game_id)


def threads(conn: Connection, forum: str = "") -> list[Thread]:
    return load_all(conn, Thread, **({"forum": forum} if forum else {}))


def last_snapshot(conn: Connection, game_id: str) -> int:
    last = conn.execute(select(func.max(SNAPSHOT.c.number)).where(SNAPSHOT.c.game_id == game_id)).scalar_one()
    return -1 if last is None else int(last)


def forget_thread(conn: Connection, game_id: str) -> None:
    from bot.store import forum_pastes  # noqa: F401 - with its table; SQLModel is slow to load

    for name in ("block", "code", "link", "pasted", "post", "remark", "seen", "thread"):
        of = METADATA.tables[f"forum_{name}"]
        conn.execute(delete(of).where(of.c.game_id == game_id))


def roll_back_thread(conn: Connection, game_id: str, events: int, turn: int, where: str) -> None:
    """Roll a thread back to this many events and this turn. Events that are then played again are also posted again."""
    thread = thread_of(conn, game_id)
    if thread is None:
        return
    drop_blocks(conn, game_id, rewritable_blocks(conn, game_id) or ())
    shown = load_all(conn, Block, FORUM_BLOCK.c.number < 0, FORUM_BLOCK.c.key.contains(" "), game_id=game_id)
    told = max([thread.told, *(int(block.key.partition(".")[0]) for block in shown)])  # any of them may be there
    forget_shown_blocks(conn, game_id)
    if told > events or any(post.taken for post in untold_posts(conn, game_id)):
        add_remark(conn, Remark(game_id, "rolled-back", in_force=where))
    put_thread(
        conn,
        replace(
            thread,
            told=min(thread.told, events),
            told_turn=min(thread.told_turn, turn - 1),
            looked=-1,
            told_snapshot=min(thread.told_snapshot, last_snapshot(conn, game_id)),
        ),
    )


def is_told_to_its_end(conn: Connection, thread: Thread) -> bool:
    row = conn.execute(select(GAME.c.status, GAME.c.turn).where(GAME.c.id == thread.game_id)).one()
    return bool(row.status == "over" and thread.told_turn >= row.turn)


def threads_to_read(conn: Connection, forum: str, most: int) -> list[Thread]:
    found = (
        query(Thread)
        .join(GAME, GAME.c.id == FORUM_THREAD.c.game_id)
        .where(FORUM_THREAD.c.forum == forum, FORUM_THREAD.c.thread != "", ~FORUM_THREAD.c.closed)
        .where(GAME.c.status != "over")
        .order_by(None)
        .order_by(FORUM_THREAD.c.read_at, FORUM_THREAD.c.game_id)
        .limit(most)
    )
    return fetch(conn, Thread, found)


def threads_to_look_at(conn: Connection, forum: str, now: datetime) -> list[Thread]:
    """Return the threads of a forum that may need a post, because their game has changed or a post is waiting."""
    waits = select(FORUM_POST.c.game_id).where(FORUM_POST.c.posted_at == NO_INSTANT)
    due = waits.where(FORUM_POST.c.next_try_at <= now)
    untold = select(FORUM_SEEN.c.game_id).where(~FORUM_SEEN.c.told)
    remarks = select(FORUM_REMARK.c.game_id)
    found = (
        query(Thread)
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
    )
    return fetch(conn, Thread, found)


def held_for_reading(
    conn: Connection, games: Collection[str], grace: Mapping[str, timedelta], now: datetime
) -> set[str]:
    """Return the overdue games that must still wait: their thread has not been read since the deadline, so it may
    contain a post that came in time. ``grace`` is the longest wait for each forum."""
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


def linked_accounts(conn: Connection, forum: str) -> set[str]:
    linked = select(FORUM_LINK.c.account).where(FORUM_LINK.c.forum == forum)
    asked = select(FORUM_CODE.c.name).join(FORUM_THREAD, FORUM_THREAD.c.game_id == FORUM_CODE.c.game_id)
    return {*conn.scalars(linked), *(name.lower() for name in conn.scalars(asked.where(FORUM_THREAD.c.forum == forum)))}


@dataclass(frozen=True, slots=True)
class HeadAfter:
    turn: int
    phase: str
    head: str
    snapshot: int


def heads_since(conn: Connection, game_id: str, snapshot: int) -> list[HeadAfter]:
    of_game = SNAPSHOT.c.game_id == game_id
    rows = conn.execute(
        select(SNAPSHOT.c.number, SNAPSHOT.c.turn, SNAPSHOT.c.phase, SNAPSHOT.c.head)
        .where(of_game, SNAPSHOT.c.number >= snapshot)
        .order_by(SNAPSHOT.c.number)
    ).all()
    return [HeadAfter(before.turn, before.phase, now.head, now.number) for before, now in pairwise(rows) if now.head]


PostKind = Literal["open", "post", "index", "title"]
"""Kinds of queued changes: a new thread with its first post, a post, a new text for the first post, a new title."""


@dataclass(frozen=True, slots=True)
class OutgoingPost:
    """A queued change to a game's thread. Changes are made in the order of ``id``. ``post`` is the identifier that the
    forum gives to the post, and ``number`` is the number that its readers see. ``turn`` is the turn that begins with
    this post, or 0 if none does."""

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


FORUM_POST = table_of(
    "forum_post", OutgoingPost, UniqueConstraint("key"), key="id", index="game_id posted_at", refers="game_id"
)


def add_outgoing(conn: Connection, outgoing: OutgoingPost) -> None:
    add_value(conn, replace(outgoing, next_try_at=outgoing.at))


def waiting_posts(conn: Connection, game_id: str) -> list[OutgoingPost]:
    return load_all(conn, OutgoingPost, game_id=game_id, posted_at=NO_INSTANT)


def own_posts(conn: Connection, game_id: str) -> list[OutgoingPost]:
    return load_all(conn, OutgoingPost, FORUM_POST.c.posted_at != NO_INSTANT, game_id=game_id)


def own_post(conn: Connection, game_id: str, post: str) -> OutgoingPost | None:
    return load(conn, OutgoingPost, game_id=game_id, post=post)


def note_posted(conn: Connection, number: int, post: str, now: datetime) -> None:
    changed = {"post": post, "posted_at": now, "next_try_at": None}
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.id == number).values(changed))


def number_post(conn: Connection, game_id: str, post: str, number: int) -> None:
    where = (FORUM_POST.c.game_id == game_id, FORUM_POST.c.post == post)
    conn.execute(update(FORUM_POST).where(*where, FORUM_POST.c.number.is_(None)).values(number=number))


def retry_post(conn: Connection, number: int, at: datetime) -> None:
    changed = {"tries": FORUM_POST.c.tries + 1, "next_try_at": at}
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.id == number).values(changed))


def replace_waiting(conn: Connection, game_id: str, others: Sequence[OutgoingPost]) -> None:
    conn.execute(delete(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at == NO_INSTANT))
    for other in others:
        add_outgoing(conn, other)


def rewritable_blocks(conn: Connection, game_id: str) -> list[Block] | None:
    """Return the blocks that a person has yet to post, or None if they have already posted some blocks of the same
    text. The key of a text's last block has two words, the first of which says how far into the game the text goes."""
    blocks = load_all(conn, Block, FORUM_BLOCK.c.number > 0, game_id=game_id)
    waits = [block for block in blocks if not block.posted and block.title is None]
    before = blocks[blocks.index(waits[0]) - 1] if waits else None
    whole = before is None or ((before.title is not None or " " in before.key) and " " in waits[-1].key)
    return waits if whole else None


def drop_blocks(conn: Connection, game_id: str, blocks: Sequence[Block]) -> None:
    for block in blocks:
        conn.execute(delete(FORUM_POST).where(FORUM_POST.c.game_id == game_id, FORUM_POST.c.post == block.post))
        this = (FORUM_BLOCK.c.game_id == game_id, FORUM_BLOCK.c.number == block.number)
        conn.execute(delete(FORUM_BLOCK).where(*this))


def forget_shown_blocks(conn: Connection, game_id: str, up_to: str = "") -> None:
    """Forget which blocks were shown, up to and including the block with the key ``up_to``, or all of them if no key is
    given."""
    shown = (FORUM_BLOCK.c.game_id == game_id, FORUM_BLOCK.c.number < 0)
    since = select(FORUM_BLOCK.c.number).where(*shown, FORUM_BLOCK.c.key == up_to).scalar_subquery()
    conn.execute(delete(FORUM_BLOCK).where(*shown, *([FORUM_BLOCK.c.number >= since] if up_to else ())))


def retry_post_now(conn: Connection, number: int, now: datetime) -> None:
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.id == number).values(next_try_at=now))


def leave_thread(conn: Connection, game_id: str) -> None:
    """Make a game leave its thread, so that it begins a new one in the same forum. Waiting posts are dropped. Mentat no
    longer links to its old posts, but still recognises them as its own."""
    waits = (FORUM_POST.c.game_id == game_id, FORUM_POST.c.posted_at == NO_INSTANT)
    conn.execute(delete(FORUM_POST).where(*waits))
    conn.execute(update(FORUM_POST).where(FORUM_POST.c.game_id == game_id).values(turn=0, number=None))
    conn.execute(delete(FORUM_BLOCK).where(FORUM_BLOCK.c.game_id == game_id, ~FORUM_BLOCK.c.posted))
    drop_remarks(conn, game_id)


def count_outgoing(conn: Connection, game_id: str) -> int:
    return count_rows(conn, FORUM_POST.c.game_id == game_id)


def own_posts_in_a_row(conn: Connection, game_id: str) -> int:
    last = select(func.max(FORUM_SEEN.c.seen_at)).where(FORUM_SEEN.c.game_id == game_id).scalar_subquery()
    ours = (FORUM_POST.c.game_id == game_id, FORUM_POST.c.kind.in_(("open", "post")))
    return count_rows(conn, *ours, FORUM_POST.c.posted_at > func.coalesce(last, "!"))


RemarkKind = Literal["changed", "deleted", "not-linked", "linked", "unlinked", "linked-by-hand", "rolled-back"]


@dataclass(frozen=True, slots=True)
class Remark:
    """An announcement for the next post (``bot.forum.post_texts.Remark``)."""

    game_id: str
    kind: RemarkKind
    post: str = ""
    author: str = ""
    faction: str = ""
    in_force: str = ""
    reason: str = ""
    id: int = 0


FORUM_REMARK = table_of("forum_remark", Remark, key="id", index="game_id", refers="game_id")


def add_remark(conn: Connection, said: Remark) -> None:
    add_value(conn, said)


def remarks(conn: Connection, game_id: str) -> list[Remark]:
    return load_all(conn, Remark, game_id=game_id)


def drop_remarks(conn: Connection, game_id: str, up_to: int | None = None) -> None:
    which = [FORUM_REMARK.c.game_id == game_id, *([] if up_to is None else [FORUM_REMARK.c.id <= up_to])]
    conn.execute(delete(FORUM_REMARK).where(*which))


ForumWork = Literal["reading", "posting"]


@dataclass(frozen=True, slots=True)
class ForumState:
    """The state of one kind of work in a forum.

    - ``problem`` and ``failing_since`` say why and since when the work has been failing. ``failing_since`` is None
      while it works.
    - ``failures`` counts consecutive failures.
    - ``wait_until`` is the time until which we make no requests.
    - For reading, ``skew_seconds`` is how far the forum's clock is ahead of ours, and ``messages_cursor`` is how far
      private messages have been read.
    """

    forum: str
    work: ForumWork = "reading"
    problem: str = ""
    failing_since: datetime | None = None
    failures: int = 0
    wait_until: datetime | None = None
    skew_seconds: float = 0.0
    messages_cursor: str | None = None


FORUM_STATE = table_of("forum_state", ForumState, key="forum work")


def forum_state(conn: Connection, forum: str, work: ForumWork = "reading") -> ForumState:
    return load(conn, ForumState, forum=forum, work=work) or ForumState(forum, work)


def put_forum_state(conn: Connection, state: ForumState) -> None:
    conn.execute(delete(FORUM_STATE).where(FORUM_STATE.c.forum == state.forum, FORUM_STATE.c.work == state.work))
    add_value(conn, state)
