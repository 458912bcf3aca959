"""The forums of this Mentat, watched: what was posted is read, and what is to be told is posted, again and again.

Each forum stands for itself: one that does not answer is left in peace for a while, longer each time, and keeps no game
and no other forum waiting. Whatever fails may be done again.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from bot.channels.channel import (
    Channel,
    ChannelError,
    CursorForgotten,
    NotPossible,
    Post,
    ReadableChannel,
    Refused,
    TooSoon,
)
from bot.channels.channel import Thread as Place
from bot.forum import posting, taking
from bot.forum.posting import Manner
from bot.forum.taking import Reading
from bot.games.open_games import OpenGames
from bot.post import notices
from bot.store.database import DatabaseUnavailable, reading, writing
from bot.store.forum import outgoing, states, threads
from bot.store.forum.states import Work
from bot.store.forum.threads import Thread
from bot.wording.sentences import say

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(minutes=30)
"""How long a forum that does not answer is left in peace, at first and at the longest."""
THREADS_A_LOOK = 20
"""Of a forum so many threads are read at once: Discourse answers 60 requests a minute, for all that have a key."""
PAGES_A_LOOK = 20
TOLD_AFTER = 3
"""The game master is told of a forum that fails so often in a row. Pictures may be what it does not take: from then on
posts go out without."""
AT_ONCE = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Forum:
    """A forum of the settings: the way to the thread of each game (a game has one of its own where a person posts by
    hand), how its games are posted, whether lines in its threads count without a mark, and how often it is read."""

    name: str
    channel: Callable[[str], Channel]
    manner: Manner
    every: timedelta
    read_in: Callable[[str], ReadableChannel] | None = None
    "Where the thread of each game is read, if not in its channel."

    def readable(self, game_id: str) -> ReadableChannel:
        """Where the thread of a game is read."""
        return (self.read_in or self.channel)(game_id)


class Watch:
    """Looks after the forums. ``read`` and ``post`` are functions of the instant they are given; each takes one forum
    after the other."""

    def __init__(
        self, open_games: OpenGames, forums: Mapping[str, Forum], pass_until: Callable[[str, datetime], object]
    ) -> None:
        self._open_games = open_games
        self._forums = forums
        self._pass_until = pass_until
        self._failed_before: Counter[tuple[Work, str]] = Counter()

    def look(self, now: datetime) -> None:
        """Read what was posted, where it is time, then post what is to be told."""
        self.read(now)
        self.post(now)

    def read(self, now: datetime, *, at_once: bool = False) -> None:
        """Read what was posted in each forum that has not been read for as long as its settings say, or ``at_once``."""
        for forum in self._forums.values():
            self._guarded(forum, "reading", self._read, now, at_once=at_once)

    def post(self, now: datetime, *, at_once: bool = False) -> None:
        """Post what is to be told."""
        for forum in self._forums.values():
            self._guarded(forum, "posting", self._post, now, at_once=at_once)

    def _guarded(
        self, forum: Forum, work: Work, carry_out: Callable[[Forum, datetime, bool], None], now: datetime, *,
        at_once: bool,
    ) -> None:  # fmt: skip
        with reading(self._open_games.engine) as conn:
            state = states.state_of(conn, forum.name, work)
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
        except Exception as fault:  # a fault of ours in one forum is none of the others
            log.exception("the forum %s could not be looked after; it is tried again", forum.name)
            self._failed(forum, work, _why(fault), now)
        else:
            if state.problem or state.wait_until:
                self._keep(forum, work, problem="", failing_since=None, failures=0, wait_until=None)

    # --- reading -------------------------------------------------------------------------------------------------

    def _read(self, forum: Forum, now: datetime, at_once: bool) -> None:
        with reading(self._open_games.engine) as conn:
            due = threads.to_read(conn, forum.name, THREADS_A_LOOK)
        due = [each for each in due if at_once or each.read_at is None or each.read_at <= now - forum.every]
        refused: list[Thread] = []
        self._each("reading", due, lambda thread: self._read_one(forum, thread, refused, now), now)
        if not due:
            return
        try:
            self._read_messages(forum, due[0], now)
        except Refused:  # where we may read threads, a code that is posted in one links an account as well
            if len(refused) == len(due):
                raise

    def _read_one(self, forum: Forum, thread: Thread, refused: list[Thread], now: datetime) -> bool:
        """Read a thread; whether the forum has answered. One that we may not read is added to ``refused``."""
        channel = forum.readable(thread.game_id)
        try:
            self._read_thread(forum, channel, thread, now)
            self._look_again(channel, thread, now)
        except Refused as why:  # this thread cannot be read: closed, moved, deleted
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
                taking.take(self._open_games, thread.game_id, post, self._how(forum, channel), self._pass_until, now)
            cursor = page.cursor
            self._read_to(thread.game_id, cursor, None if page.more else now)
            if not page.more:
                return

    def _how(self, forum: Forum, channel: ReadableChannel) -> Reading:
        with reading(self._open_games.engine) as conn:
            skew = timedelta(seconds=states.state_of(conn, forum.name).skew_seconds)
        return Reading(channel.limits.dialect, forum.manner.plain, skew, forum.every)

    def _learn_clock(self, forum: Forum, thread: Thread, post: Post) -> None:
        """A post of ours that is read for the first time shows by how much the forum's clock differs from ours, where
        it went out at once: of one that was tried again nobody knows when the forum took it."""
        with reading(self._open_games.engine) as conn:
            own = outgoing.one(conn, thread.game_id, post.id)
            state = states.state_of(conn, forum.name)
        if own is None or own.number is not None or own.posted_at is None or own.posted_at - own.at > AT_ONCE:
            return
        skew = (post.posted - own.posted_at).total_seconds()
        if abs(skew - state.skew_seconds) >= 1:
            with writing(self._open_games.engine) as conn:
                states.put_state(conn, replace(state, skew_seconds=skew))

    def _read_to(self, game_id: str, cursor: str, read_at: datetime | None) -> None:
        with writing(self._open_games.engine) as conn:
            thread = threads.thread_of(conn, game_id)
            if thread is None:
                return
            if read_at and thread.problem and not outgoing.waiting(conn, game_id):  # it can be read again
                thread = replace(thread, problem="", problem_since=None)
            threads.put_thread(conn, replace(thread, cursor=cursor, read_at=read_at or thread.read_at))

    def _look_again(self, channel: ReadableChannel, thread: Thread, now: datetime) -> None:
        """Whether posts that count are still what they were."""
        due = taking.to_look_at(self._open_games, thread.game_id, now)
        if not due:
            return
        found = channel.look_again(Place(thread.thread, thread.url or None), [post.post for post in due])
        for known, again in zip(due, found, strict=True):
            taking.compare(self._open_games, known, again, now)

    def _read_messages(self, forum: Forum, thread: Thread, now: datetime) -> None:
        """Codes that came to our account alone."""
        channel = forum.readable(thread.game_id)
        with reading(self._open_games.engine) as conn:
            state = states.state_of(conn, forum.name)
        try:
            messages, cursor = channel.messages_since(state.messages_cursor)
        except NotPossible:
            return
        except CursorForgotten:
            messages, cursor = channel.messages_since(None)
        for message in messages:
            taking.take_message(self._open_games, forum.name, message, channel.limits.dialect, now)
        if cursor != state.messages_cursor:
            self._keep(forum, "reading", messages_cursor=cursor)

    # --- posting -------------------------------------------------------------------------------------------------

    def _post(self, forum: Forum, now: datetime, at_once: bool) -> None:
        with reading(self._open_games.engine) as conn:
            due = threads.to_look_at(conn, forum.name, now)
            state = states.state_of(conn, forum.name, "posting")
        manner = forum.manner if state.failures < TOLD_AFTER else replace(forum.manner, pictures=False)
        self._each("posting", due, lambda thread: self._post_one(forum, manner, thread, now), now)

    def _post_one(self, forum: Forum, manner: Manner, thread: Thread, now: datetime) -> bool:
        """Post what a thread is to be told; whether the forum has taken anything."""
        channel = forum.channel(thread.game_id)
        taken = posting.post(self._open_games, channel, thread.game_id, now)
        while posting.compose(self._open_games, channel, thread.game_id, manner, now):
            if not (more := posting.post(self._open_games, channel, thread.game_id, now)):
                break
            taken += more
        return taken > 0

    def _each(self, work: Work, due: list[Thread], look_after: Callable[[Thread], bool], now: datetime) -> None:
        """Look after one thread after the other, until one fails. Where the forum has answered before, that is this
        thread's own trouble; in any case it comes after the others from then on, and keeps none of them waiting."""
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
                    log.exception("the thread of %s could not be looked after; it is tried again", thread.game_id)
                self._thread_trouble(thread, _why(fault), now)
                return
            self._failed_before.pop((work, thread.game_id), None)

    # --- how it stands -------------------------------------------------------------------------------------------

    def _failed(self, forum: Forum, work: Work, why: str, now: datetime) -> None:
        with reading(self._open_games.engine) as conn:
            state = states.state_of(conn, forum.name, work)
        pause = min(FIRST_PAUSE * 2 ** min(state.failures, 10), LONGEST_PAUSE)
        log.warning("the forum %s: %s", forum.name, why)
        since = state.failing_since or now
        failures = state.failures + 1
        self._keep(forum, work, problem=why, failing_since=since, failures=failures, wait_until=now + pause)
        if failures == TOLD_AFTER:
            with self._open_games.busy, writing(self._open_games.engine) as conn:
                notices.forum_fails(conn, self._open_games.writer, forum.name, why, since, now)

    def _thread_trouble(self, thread: Thread, why: str, now: datetime, read_at: datetime | None = None) -> None:
        with writing(self._open_games.engine) as conn:
            here = threads.thread_of(conn, thread.game_id)
            if here is not None:
                since = here.problem_since or now
                threads.put_thread(
                    conn, replace(here, problem=why, problem_since=since, read_at=read_at or here.read_at)
                )

    def _keep(self, forum: Forum, work: Work, **changed: Any) -> None:
        with writing(self._open_games.engine) as conn:
            state = states.state_of(conn, forum.name, work)
            states.put_state(conn, replace(state, **changed))


def _why(fault: Exception) -> str:
    """What went wrong, in the words of the forum where it has said any."""
    if isinstance(fault, ChannelError):
        return str(fault) or type(fault).__name__
    return say("forum-problem.fault", fault=type(fault).__name__)
