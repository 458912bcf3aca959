"""What others posted in the thread of a game: read once, as it was when it was first read, and played like a mail.

Posts are taken in the forum's own order. What is marked in a post of an account that is linked with a seat, and is an
act of the closed list, goes the way of mailed orders; a secret that was posted does not, and its writer is told so by
mail. Everything else is talk. Whoever changes or deletes a post later changes nothing: everybody is told what counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from bot.channels.channel import Dialect, Gone, Post, PrivateMessage
from bot.channels.posters import UNPROVEN
from bot.forum.reading import Marked, read_post
from bot.games.open_games import OpenGames
from bot.identity import forum_accounts
from bot.identity.harmless import harmless
from bot.identity.identification import Part
from bot.moderator import taking
from bot.moderator.taking import Came, Way
from bot.store.database import Connection, reading, writing
from bot.store.forum import accounts, outgoing, seen, threads
from bot.store.forum.outgoing import Remark
from bot.store.forum.seen import Seen, SeenLine
from bot.table.table import Table
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.components import Faction

LOOKS = (timedelta(minutes=6), timedelta(hours=1), timedelta(days=1))
"""How long after a post was read it is looked at again: some forums note no edit within the first five minutes."""
HOUR = timedelta(hours=1)
CLOCKS_AGREE = timedelta(minutes=1)
MOST_STRANGERS = 20
"""Of so many accounts that play no seat a thread is told that their lines do not count."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the posts of a forum are read: its markup, whether lines count without a mark, by how much its clock is
    ahead of ours, and how long a post may wait until it is read."""

    dialect: Dialect
    plain: bool = False
    skew: timedelta = timedelta(0)
    interval: timedelta = timedelta(minutes=1)

    def written_at(self, post: Post, now: datetime) -> datetime:
        """When a post was written, by our clock: as the forum says, where its clock agrees with ours; else when it was
        read, less the time that it may have waited."""
        if abs(self.skew) < CLOCKS_AGREE:
            return min(post.posted - self.skew, now)
        return now - self.interval


def take(
    open_games: OpenGames, game_id: str, post: Post, how: Reading, pass_until: Callable[[str, datetime], object],
    now: datetime,
) -> None:  # fmt: skip
    """Take a post of the thread of a game. One that was taken before is compared with what it was. ``pass_until`` lets
    silence answer what was overdue in a game when it was written."""
    with reading(open_games.engine) as conn:
        own, known = outgoing.one(conn, game_id, post.id), seen.seen(conn, game_id, post.id)
    if own:
        if post.number is not None and own.number is None:
            with writing(open_games.engine) as conn:
                outgoing.was_numbered(conn, game_id, post.id, post.number)
    elif known:
        compare(open_games, known, post, now)
    else:
        marked = read_post(_sayable(post.raw), how.dialect, plain=how.plain)
        if any(line.kind == "act" for line in marked):
            pass_until(game_id, how.written_at(post, now))
        with open_games.transaction(game_id) as (conn, table):
            take_at(conn, open_games, table, replace(post, author=_sayable(post.author)), marked, now)


def take_at(
    conn: Connection, open_games: OpenGames, table: Table, post: Post, marked: Sequence[Marked], now: datetime,
    way: Way = "post",
) -> None:  # fmt: skip
    """Take a post whose marked lines are read, in a game that is open; nothing if it was taken before."""
    if seen.seen(conn, table.id, post.id):  # another process was faster
        return
    account = "" if post.author_id.startswith(UNPROVEN) else post.author_id
    for line in marked if account else ():
        if line.kind == "code" and (code := accounts.code(conn, [table.id], line.text, now)):
            forum_accounts.code_came(conn, open_games, table, code, account, post.author, now)
    linked = forum_accounts.linked(conn, table)
    faction = next((seat for seat, link in linked.items() if account and link.account == account), None)
    fresh = Seen(
        table.id, post.id, post.author, post.author_id, post.posted, now, digest_of(post), post.number, faction
    )  # fmt: skip
    wanted = [line for line in marked if line.kind != "code"]
    if faction is None:
        seen.see(conn, _of_stranger(conn, fresh, wanted))
        return
    lines = _played(conn, open_games, table, faction, fresh, wanted, now, way)
    fresh = replace(
        fresh, lines=tuple(lines), told=not any(is_quoted(line) for line in lines),
        raw=post.raw.encode(errors="replace"),
    )  # fmt: skip
    seen.see(conn, replace(fresh, look_at=now + LOOKS[0]) if fresh.taken else fresh)


def is_quoted(line: SeenLine) -> bool:
    """Whether the next post quotes a line back: it counts in the game. Words to everybody everybody has read."""
    return line.status in ("accepted", "held")


def _of_stranger(conn: Connection, fresh: Seen, wanted: Sequence[Marked]) -> Seen:
    """A post of an account that plays no seat here; once for each of them everybody is told so."""
    acts = [line for line in wanted if line.kind == "act"]
    if not acts:
        return fresh
    if (
        not seen.is_known_stranger(conn, fresh.game_id, fresh.account)
        and seen.strangers(conn, fresh.game_id) < MOST_STRANGERS
    ):
        outgoing.remark(conn, Remark(fresh.game_id, "not-linked", post=number_of(fresh), author=fresh.author))
    return replace(fresh, lines=tuple(SeenLine(line.text, "not-linked") for line in acts[:1]))


def _played(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, post: Seen, wanted: Sequence[Marked],
    now: datetime, way: Way,
) -> list[SeenLine]:  # fmt: skip
    """What becomes of the marked lines of a seat; its player is told by mail what does not count."""
    if not wanted:
        return []
    most = open_games.settings.limits.answers_per_hour
    before = seen.marked_since(conn, table.id, faction, now - HOUR)
    if before >= most and way == "post":
        if before == most:
            _tell(conn, open_games, table, faction, [say("forum.notice.too-many")], now)
        return [SeenLine(line.text, "too-many") for line in wanted]
    acts = tuple(line.text for line in wanted if line.kind == "act")
    lines: list[SeenLine] = []
    if acts:
        part = Part(table.id, faction, acts)
        with speaking(table.play.game.rules.edition):
            done = taking.take_at(conn, open_games, table, part, Came(way), now)
        lines = [SeenLine(line.text, line.status, line.canonical) for line in done]
    address = open_games.settings.mentat.address
    others = [line for line in wanted if line.kind in ("secret", "unread")]
    told = [
        say(f"forum.notice.{line.kind}", post=number_of(post), line=harmless(line.text, address))
        for line in dict.fromkeys(others)
    ]
    if told:
        _tell(conn, open_games, table, faction, told, now)
    return [*lines, *(SeenLine(line.text, line.kind) for line in others)]


def _tell(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, told: Sequence[str], now: datetime
) -> None:
    open_games.writer.notify(conn, table, faction, now, say("forum.subject.in-public"), told)


# --- looking again -------------------------------------------------------------------------------------------------


def compare(open_games: OpenGames, known: Seen, again: Post | Gone, now: datetime) -> None:
    """What a post that was taken looks like now. Where it is another, everybody is told what counts; nothing in it ever
    counts anew."""
    due = known.look_at is not None and known.look_at <= now
    if not known.taken or known.state or (is_same(known, again) and not due):
        return
    with open_games.transaction(known.game_id) as (conn, _):
        compare_at(conn, known, again, now)


def compare_at(conn: Connection, known: Seen, again: Post | Gone, now: datetime) -> None:
    """Compare a post that counts with what it was, in a game that is open."""
    state: Literal["", "deleted", "changed"]
    state = "" if is_same(known, again) else "deleted" if isinstance(again, Gone) else "changed"
    later = None if state else next((known.seen_at + look for look in LOOKS if known.seen_at + look > now), None)
    seen.put_seen(conn, replace(known, state=state, look_at=later))
    if state:
        force = "; ".join(line.canonical or line.text for line in known.taken)
        outgoing.remark(conn, Remark(
            known.game_id, state, number_of(known), known.author, known.faction or "", in_force=force
        ))  # fmt: skip


def is_same(known: Seen, again: Post | Gone) -> bool:
    """Whether a post is what it was when it was taken."""
    return isinstance(again, Post) and digest_of(again) == known.digest


def to_look_at(open_games: OpenGames, game_id: str, now: datetime) -> list[Seen]:
    """The posts of a thread that are to be looked at again."""
    with reading(open_games.engine) as conn:
        return seen.to_look_again(conn, game_id, now)


# --- private messages ------------------------------------------------------------------------------------------------


def take_message(open_games: OpenGames, forum: str, message: PrivateMessage, dialect: Dialect, now: datetime) -> None:
    """What somebody wrote to our account alone: a code links theirs, and nothing else counts there."""
    for line in read_post(_sayable(message.raw), dialect):
        if line.kind != "code":
            continue
        with reading(open_games.engine) as conn:
            games = [thread.game_id for thread in threads.threads(conn, forum)]
            code = accounts.code(conn, games, line.text, now)
        if code:
            with open_games.transaction(code.game_id) as (conn, table):
                if still := accounts.code(conn, [code.game_id], line.text, now):
                    forum_accounts.code_came(
                        conn, open_games, table, still, message.author_id, _sayable(message.author), now
                    )


# --- what a post is --------------------------------------------------------------------------------------------------


def digest_of(post: Post) -> str:
    """By what it is known whether a post is still what it was."""
    return hashlib.sha256(post.raw.encode(errors="surrogatepass")).hexdigest()


def _sayable(text: str) -> str:
    """The text with a question mark for whatever is no character, though JSON may bring it."""
    return text.encode(errors="replace").decode().replace("\0", "?")


def number_of(post: Seen) -> str:
    """How readers find a post: "#41"; "" where posts have no numbers."""
    return f"#{post.number}" if post.number is not None else ""
