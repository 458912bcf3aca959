"""The tables of the forum: the threads of games, what is posted there, what was read, and whose account is whose."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from bot.store.instants import Instant, InstantOrEmpty
from bot.store.packing import Packed


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
