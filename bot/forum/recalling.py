"""The forums read again in the order of time: after a backup was put back, each post is taken at its moment.

What was posted since the backup is asked of the forum once, and then handed out bit by bit while time passes again.
Mails of a list come by the mailbox, and are read when they have come. Nothing is posted: what a thread was told until
Mentat stopped, it was told, whatever the database knows of it (``told``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from bot.channels.channel import CursorForgotten, Gone, Limits, Page, Post, PrivateMessage, ReadableChannel, Thread
from bot.forum.forums import OpenTransport, forum_of
from bot.forum.posting import assume_told
from bot.forum.watch import PAGES_A_LOOK, Forum, Watch
from bot.moderator.moderator import Moderator
from bot.store.database import reading, writing
from bot.store.forum import threads


class Recalling:
    """The forums of a Mentat, as they were at a moment that moves on (``read``). ChannelError if one cannot be asked
    what was posted."""

    def __init__(self, moderator: Moderator, forums: Sequence[Forum]) -> None:
        self._open_games = moderator.open_games
        self._recalled: list[_Recalled] = []
        kinds = moderator.settings.forums
        again = {
            forum.name: forum if kinds[forum.name].kind == "list" else self._recall(forum) for forum in forums
        }  # fmt: skip
        self._watch = Watch(moderator.open_games, again, moderator.timekeeper.pass_until)

    def next_after(self, moment: datetime) -> datetime | None:
        """When something was posted next; None if nothing was."""
        return min((at for recalled in self._recalled for at in recalled.moments if at > moment), default=None)

    def read(self, moment: datetime) -> None:
        """Read what had been posted by then."""
        for recalled in self._recalled:
            recalled.until = moment
        self._watch.read(moment, at_once=True)

    def told(self) -> None:
        """Take it that the threads have been told all that has happened by now."""
        with reading(self._open_games.engine) as conn:
            every = threads.threads(conn)
        for thread in every:
            assume_told(self._open_games, thread.game_id)
        for recalled in self._recalled:
            with writing(self._open_games.engine) as conn:
                here = threads.thread_of(conn, recalled.game_id)
                if here is not None:
                    threads.put_thread(conn, replace(here, cursor=recalled.read_on))

    def _recall(self, forum: Forum) -> Forum:
        with reading(self._open_games.engine) as conn:
            known = [thread for thread in threads.threads(conn, forum.name) if thread.thread and not thread.closed]
        by_game: dict[str, ReadableChannel] = {}
        for thread in known:
            recalled = _Recalled(forum.readable(thread.game_id), thread.game_id, thread.cursor)
            recalled.ask(Thread(thread.thread, thread.url or None))
            self._recalled.append(recalled)
            by_game[thread.game_id] = recalled
        return replace(forum, read_in=lambda game_id: by_game.get(game_id) or forum.readable(game_id))


def recalling(moderator: Moderator, open_transport: OpenTransport) -> Recalling | None:
    """The forums of the settings, read again; None where there are none."""
    settings = moderator.settings
    forums = [forum_of(name, settings, moderator.engine, open_transport) for name in settings.forums]
    return Recalling(moderator, forums) if forums else None


class _Recalled:
    """What can be read in one thread: what was posted until a moment is handed out."""

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
        """When each post was written."""
        return [post.posted for post in self._posts]

    @property
    def read_on(self) -> str | None:
        """From where the thread is to be read on: what was posted after the moment until which posts were handed out is
        read as always."""
        return self._begun if any(post.posted > self.until for post in self._posts) else self._end

    def ask(self, thread: Thread) -> None:
        """Read all that was posted since the thread was last read."""
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

    def read_since(self, thread: Thread, cursor: str | None) -> Page:
        """The cursor stays where it was until all is done: who dies on the way begins anew."""
        return Page(tuple(post for post in self._posts if post.posted <= self.until), self._begun or "")

    def look_again(self, thread: Thread, posts: Sequence[str]) -> tuple[Post | Gone, ...]:
        return self._channel.look_again(thread, posts)

    def messages_since(self, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        return self._channel.messages_since(cursor)
