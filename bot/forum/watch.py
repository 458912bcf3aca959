"""The watch over the forums in the settings: in a loop, read new posts and post the news.

Each forum is handled independently. After a forum has failed to respond, Mentat leaves it alone for a while, longer
each time; this delays neither the games nor any other forum. Every action that fails can be repeated.

After a backup has been restored, the forums are read again in chronological order, each post as of the time when it was
written. Mentat asks the forum once for everything posted since the backup, and releases the posts bit by bit as the
restored game's time advances. A list's mails come through the mailbox, and are read when they arrive there. Nothing is
posted meanwhile: the thread already has all news from before Mentat stopped, even if the restored database does not.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.channels import (
    Channel,
    ChannelError,
    CursorForgotten,
    Gone,
    Limits,
    NotPossible,
    Page,
    Post,
    PrivateMessage,
    ReadableChannel,
    Refused,
    TooSoon,
)
from bot.channels import Thread as Place
from bot.config import ForumSettings, Settings
from bot.forum import posting, posts
from bot.forum.access import DatabaseMailbox, open_channel
from bot.forum.posting import Manner, assume_told
from bot.forum.posts import Reading
from bot.games import notices
from bot.games.open_games import OpenGames
from bot.mail.identity import is_one_address, mailbox_of
from bot.mail.transport import Transport
from bot.moderator.moderator import Moderator
from bot.store import forum_threads
from bot.store.database import DatabaseUnavailable, Engine, reading, writing
from bot.store.forum_pastes import KeptPastes
from bot.store.forum_threads import ForumWork, Thread
from bot.wording import say

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(minutes=30)
"""The first and the longest time for which Mentat leaves a forum alone after it has failed to respond."""
THREADS_A_LOOK = 20
"""The number of threads of a forum that are read in one go. Discourse allows 60 requests a minute across all keys."""
PAGES_A_LOOK = 20
TOLD_AFTER = 3
"""After this many failures in a row, Mentat tells the game master and sends posts without pictures, because the
pictures may be the cause."""
AT_ONCE = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Forum:
    """A forum in the settings, with Mentat's manner of posting and interval of reading. ``channel`` returns the channel
    for a game's thread; if a person posts by hand, each game has its own channel."""

    name: str
    channel: Callable[[str], Channel]
    manner: Manner
    every: timedelta
    read_in: Callable[[str], ReadableChannel] | None = None

    def readable(self, game_id: str) -> ReadableChannel:
        return (self.read_in or self.channel)(game_id)


class Watch:
    def __init__(
        self, open_games: OpenGames, forums: Mapping[str, Forum], pass_until: Callable[[str, datetime], object]
    ) -> None:
        self._open_games = open_games
        self._forums = forums
        self._pass_until = pass_until
        self._failed_before: Counter[tuple[ForumWork, str]] = Counter()

    def look(self, now: datetime) -> None:
        self.read(now)
        self.post(now)

    def read(self, now: datetime, *, at_once: bool = False) -> None:
        for forum in self._forums.values():
            self._guarded(forum, "reading", self._read, now, at_once=at_once)

    def post(self, now: datetime, *, at_once: bool = False) -> None:
        for forum in self._forums.values():
            self._guarded(forum, "posting", self._post, now, at_once=at_once)

    def _guarded(
        self,
        forum: Forum,
        work: ForumWork,
        carry_out: Callable[[Forum, datetime, bool], None],
        now: datetime,
        *,
        at_once: bool,
    ) -> None:
        with reading(self._open_games.engine) as conn:
            state = forum_threads.forum_state(conn, forum.name, work)
        if state.wait_until and state.wait_until > now and not at_once:
            return
        try:
            carry_out(forum, now, at_once)
        except TooSoon as patience:
            self._keep(forum, work, wait_until=now + timedelta(seconds=patience.seconds))
        except ChannelError as problem:
            self._failed(forum, work, _why(problem), now)
        except DatabaseUnavailable:
            raise
        except Exception as fault:  # a bug that affects one forum must not stop the others
            log.exception("work on the forum %s failed and will be retried", forum.name)
            self._failed(forum, work, _why(fault), now)
        else:
            if state.problem or state.wait_until:
                self._keep(forum, work, problem="", failing_since=None, failures=0, wait_until=None)

    # --- reading -------------------------------------------------------------------------------------------------

    def _read(self, forum: Forum, now: datetime, at_once: bool) -> None:
        with reading(self._open_games.engine) as conn:
            due = forum_threads.threads_to_read(conn, forum.name, THREADS_A_LOOK)
        waits = timedelta(0) if forum.manner.plain else forum.every  # a list's mails have already arrived
        due = [each for each in due if at_once or each.read_at is None or each.read_at <= now - waits]
        refused: list[Thread] = []
        self._each("reading", due, lambda thread: self._read_one(forum, thread, refused, now), now)
        if not due:
            return
        try:
            self._read_messages(forum, due[0], now)
        except Refused:  # where Mentat may read threads, a posted code can also link an account
            if len(refused) == len(due):
                raise

    def _read_one(self, forum: Forum, thread: Thread, refused: list[Thread], now: datetime) -> bool:
        channel = forum.readable(thread.game_id)
        try:
            self._read_thread(forum, channel, thread, now)
            self._look_again(channel, thread, now)
        except Refused as why:  # this thread is closed, moved or deleted
            self._thread_trouble(thread, str(why), now, read_at=now)
            refused.append(thread)
        return True

    def _read_thread(self, forum: Forum, channel: ReadableChannel, thread: Thread, now: datetime) -> None:
        place, cursor = Place(thread.thread, thread.url or None), thread.cursor
        for _ in range(PAGES_A_LOOK):
            try:
                page = channel.read_since(place, cursor)
            except CursorForgotten:
                if cursor is None:
                    raise
                cursor = None
                continue
            for post in page.posts:
                self._learn_clock(forum, thread, post)
                posts.take_post(
                    self._open_games, thread.game_id, post, self._how(forum, channel), self._pass_until, now
                )
            cursor = page.cursor
            self._read_to(thread.game_id, cursor, None if page.more else now)
            if not page.more:
                return

    def _how(self, forum: Forum, channel: ReadableChannel) -> Reading:
        with reading(self._open_games.engine) as conn:
            skew = timedelta(seconds=forum_threads.forum_state(conn, forum.name).skew_seconds)
        return Reading(channel.limits.dialect, forum.manner.plain, skew, forum.every)

    def _learn_clock(self, forum: Forum, thread: Thread, post: Post) -> None:
        """Measure the difference between the forum's clock and Mentat's when one of Mentat's posts is first seen there.
        Use only a post that was sent at the first attempt, because nobody knows when the forum accepted a retried
        post."""
        with reading(self._open_games.engine) as conn:
            own = forum_threads.own_post(conn, thread.game_id, post.id)
            state = forum_threads.forum_state(conn, forum.name)
        if own is None or own.number is not None or own.posted_at is None or own.posted_at - own.at > AT_ONCE:
            return
        skew = (post.posted - own.posted_at).total_seconds()
        if abs(skew - state.skew_seconds) >= 1:
            with writing(self._open_games.engine) as conn:
                forum_threads.put_forum_state(conn, replace(state, skew_seconds=skew))

    def _read_to(self, game_id: str, cursor: str, read_at: datetime | None) -> None:
        with writing(self._open_games.engine) as conn:
            thread = forum_threads.thread_of(conn, game_id)
            if thread is None:
                return
            if read_at and thread.problem and not forum_threads.waiting_posts(conn, game_id):  # it is readable again
                thread = replace(thread, problem="", problem_since=None)
            forum_threads.put_thread(conn, replace(thread, cursor=cursor, read_at=read_at or thread.read_at))

    def _look_again(self, channel: ReadableChannel, thread: Thread, now: datetime) -> None:
        due = posts.posts_to_recheck(self._open_games, thread.game_id, now)
        if not due:
            return
        found = channel.look_again(Place(thread.thread, thread.url or None), [post.post for post in due])
        for known, again in zip(due, found, strict=True):
            posts.compare_post(self._open_games, known, again, now)

    def _read_messages(self, forum: Forum, thread: Thread, now: datetime) -> None:
        channel = forum.readable(thread.game_id)
        with reading(self._open_games.engine) as conn:
            state = forum_threads.forum_state(conn, forum.name)
        try:
            messages, cursor = channel.messages_since(state.messages_cursor)
        except NotPossible:
            return
        except CursorForgotten:
            messages, cursor = channel.messages_since(None)
        for message in messages:
            posts.take_message(self._open_games, forum.name, message, channel.limits.dialect, now)
        if cursor != state.messages_cursor:
            self._keep(forum, "reading", messages_cursor=cursor)

    # --- posting -------------------------------------------------------------------------------------------------

    def _post(self, forum: Forum, now: datetime, at_once: bool) -> None:
        with reading(self._open_games.engine) as conn:
            due = forum_threads.threads_to_look_at(conn, forum.name, now)
            state = forum_threads.forum_state(conn, forum.name, "posting")
        manner = forum.manner if state.failures < TOLD_AFTER else replace(forum.manner, pictures=False)
        self._each("posting", due, lambda thread: self._post_one(forum, manner, thread, now), now)

    def _post_one(self, forum: Forum, manner: Manner, thread: Thread, now: datetime) -> bool:
        channel = forum.channel(thread.game_id)
        taken = posting.post_waiting(self._open_games, channel, thread.game_id, now)
        while posting.compose_post(self._open_games, channel, thread.game_id, manner, now):
            if not (more := posting.post_waiting(self._open_games, channel, thread.game_id, now)):
                break
            taken += more
        return taken > 0

    def _each(self, work: ForumWork, due: list[Thread], look_after: Callable[[Thread], bool], now: datetime) -> None:
        """Call ``look_after`` for each thread in turn until a call fails. If the forum has already answered for another
        thread, only the failing thread is at fault. In either case the failing thread comes last from then on, so that
        it does not delay the others."""
        answered = False
        for thread in sorted(due, key=lambda each: self._failed_before[work, each.game_id]):
            try:
                answered = look_after(thread) or answered
            except (Refused, TooSoon, DatabaseUnavailable):
                raise
            except Exception as fault:
                self._failed_before[work, thread.game_id] += 1
                if not answered:
                    raise
                if not isinstance(fault, ChannelError):
                    log.exception("work on the thread of %s failed and will be retried", thread.game_id)
                self._thread_trouble(thread, _why(fault), now)
                return
            self._failed_before.pop((work, thread.game_id), None)

    # --- status --------------------------------------------------------------------------------------------------

    def _failed(self, forum: Forum, work: ForumWork, why: str, now: datetime) -> None:
        with reading(self._open_games.engine) as conn:
            state = forum_threads.forum_state(conn, forum.name, work)
        pause = min(FIRST_PAUSE * 2 ** min(state.failures, 10), LONGEST_PAUSE)
        log.warning("the forum %s: %s", forum.name, why)
        since = state.failing_since or now
        failures = state.failures + 1
        self._keep(forum, work, problem=why, failing_since=since, failures=failures, wait_until=now + pause)
        if failures == TOLD_AFTER:
            with self._open_games.busy, writing(self._open_games.engine) as conn:
                notices.report_failing_forum(self._open_games.writer(conn, now), forum.name, why, since)

    def _thread_trouble(self, thread: Thread, why: str, now: datetime, read_at: datetime | None = None) -> None:
        with writing(self._open_games.engine) as conn:
            here = forum_threads.thread_of(conn, thread.game_id)
            if here is not None:
                since = here.problem_since or now
                forum_threads.put_thread(
                    conn, replace(here, problem=why, problem_since=since, read_at=read_at or here.read_at)
                )

    def _keep(self, forum: Forum, work: ForumWork, **changed: Any) -> None:
        with writing(self._open_games.engine) as conn:
            state = forum_threads.forum_state(conn, forum.name, work)
            forum_threads.put_forum_state(conn, replace(state, **changed))


def _why(fault: Exception) -> str:
    if isinstance(fault, ChannelError):
        return str(fault) or type(fault).__name__
    return say("forum-problem.fault", fault=type(fault).__name__)


OpenTransport = Callable[[], Transport]


def watch_forums(moderator: Moderator, open_transport: OpenTransport) -> Watch:
    """Return the watch over all forums in the settings. ``open_transport`` opens a connection for sending mails to a
    list. Each list needs its own connection, because nothing else may use it at the same time."""
    settings, engine = moderator.settings, moderator.engine
    forums = {name: open_forum(name, settings, engine, open_transport) for name in settings.forums}
    return Watch(moderator.open_games, forums, moderator.timekeeper.pass_until)


def open_forum(name: str, settings: Settings, engine: Engine, open_transport: OpenTransport) -> Forum:
    forum = settings.forums[name]
    every = timedelta(seconds=forum.poll_seconds)
    return Forum(name, _Channels(name, settings, engine, open_transport).of_game, _manner(forum), every)


def _manner(forum: ForumSettings) -> Manner:
    return Manner(forum.posts, forum.pictures, plain=forum.kind == "list", by_hand=forum.kind == "paste")


class _Channels:
    def __init__(self, name: str, settings: Settings, engine: Engine, open_transport: OpenTransport) -> None:
        self._name = name
        self._settings = settings
        self._engine = engine
        self._open_transport = open_transport
        self._kept: dict[str, Channel] = {}

    def of_game(self, game_id: str) -> Channel:
        kind = self._settings.forums[self._name].kind
        key = game_id if kind == "paste" else ""
        if key not in self._kept:
            self._kept[key] = self._opened(kind, game_id)
        return self._kept[key]

    def _opened(self, kind: str, game_id: str) -> Channel:
        if kind == "paste":
            return open_channel(self._name, self._settings, kept=KeptPastes(self._engine, game_id))
        if kind == "list":
            mailbox = DatabaseMailbox(self._name, self._settings, self._engine, self._open_transport())
            return open_channel(self._name, self._settings, list_mailbox=mailbox, members=self._members)
        return open_channel(self._name, self._settings)

    def _members(self) -> set[str]:
        """Return the addresses that may belong to members of a list: those that are, or will soon be, linked with a
        seat. An address such as `chani+dune@…` is also included without its tag, because some lists strip tags."""
        with reading(self._engine) as conn:
            found = forum_threads.linked_accounts(conn, self._name)
        return found.union(map(mailbox_of, filter(is_one_address, found)))


class ForumRecall:
    """The forums as they were at a given moment; ``read`` moves that moment forward. The methods raise ChannelError if
    a forum does not respond."""

    def __init__(self, moderator: Moderator, forums: Sequence[Forum]) -> None:
        self._open_games = moderator.open_games
        self._recalled: list[_ThreadRecall] = []
        kinds = moderator.settings.forums
        again = {forum.name: forum if kinds[forum.name].kind == "list" else self._recall(forum) for forum in forums}
        self._watch = Watch(moderator.open_games, again, moderator.timekeeper.pass_until)

    def next_after(self, moment: datetime) -> datetime | None:
        return min((at for recalled in self._recalled for at in recalled.moments if at > moment), default=None)

    def read(self, moment: datetime) -> None:
        for recalled in self._recalled:
            recalled.until = moment
        self._watch.read(moment, at_once=True)

    def told(self) -> None:
        with reading(self._open_games.engine) as conn:
            every = forum_threads.threads(conn)
        for thread in every:
            assume_told(self._open_games, thread.game_id)
        for recalled in self._recalled:
            with writing(self._open_games.engine) as conn:
                here = forum_threads.thread_of(conn, recalled.game_id)
                if here is not None:
                    forum_threads.put_thread(conn, replace(here, cursor=recalled.read_on))

    def _recall(self, forum: Forum) -> Forum:
        with reading(self._open_games.engine) as conn:
            known = [
                thread for thread in forum_threads.threads(conn, forum.name) if thread.thread and not thread.closed
            ]
        by_game: dict[str, ReadableChannel] = {}
        for thread in known:
            recalled = _ThreadRecall(forum.readable(thread.game_id), thread.game_id, thread.cursor)
            recalled.ask(Place(thread.thread, thread.url or None))
            self._recalled.append(recalled)
            by_game[thread.game_id] = recalled
        return replace(forum, read_in=lambda game_id: by_game.get(game_id) or forum.readable(game_id))


def recall_forums(moderator: Moderator, open_transport: OpenTransport) -> ForumRecall | None:
    settings = moderator.settings
    forums = [open_forum(name, settings, moderator.engine, open_transport) for name in settings.forums]
    return ForumRecall(moderator, forums) if forums else None


class _ThreadRecall:
    def __init__(self, channel: ReadableChannel, game_id: str, begun: str | None) -> None:
        self._channel = channel
        self._posts: list[Post] = []
        self._end = begun
        self.game_id = game_id
        self._begun = begun or None
        self.until = datetime.min.replace(tzinfo=UTC)

    @property
    def limits(self) -> Limits:
        return self._channel.limits

    @property
    def moments(self) -> list[datetime]:
        return [post.posted for post in self._posts]

    @property
    def read_on(self) -> str | None:
        return self._begun if any(post.posted > self.until for post in self._posts) else self._end

    def ask(self, thread: Place) -> None:
        cursor = self._begun
        for _ in range(PAGES_A_LOOK * 50):
            try:
                page = self._channel.read_since(thread, cursor)
            except CursorForgotten:
                if cursor is None:
                    raise
                cursor = None
                continue
            self._posts += page.posts
            cursor = self._end = page.cursor
            if not page.more:
                return

    def read_since(self, thread: Place, cursor: str | None) -> Page:
        """Return the posts released so far. The cursor does not move until all posts have been released, so that
        reading starts again after a crash in between."""
        return Page(tuple(post for post in self._posts if post.posted <= self.until), self._begun or "")

    def look_again(self, thread: Place, posts: Sequence[str]) -> tuple[Post | Gone, ...]:
        return self._channel.look_again(thread, posts)

    def messages_since(self, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        return self._channel.messages_since(cursor)
