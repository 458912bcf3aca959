"""The forums of the settings, ready to be looked after."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from bot.channels.channel import Channel
from bot.config import ForumSettings, Settings
from bot.forum.list_mail import DatabaseMailbox
from bot.forum.opening import open_channel
from bot.forum.posting import Manner
from bot.forum.watch import Forum, Watch
from bot.mail.servers.transport import Transport
from bot.moderator.moderator import Moderator
from bot.store.database import Engine, reading
from bot.store.forum import accounts
from bot.store.forum.pasted import KeptPastes

OpenTransport = Callable[[], Transport]


def watch(moderator: Moderator, open_transport: OpenTransport) -> Watch:
    """What looks after all forums of the settings. ``open_transport`` is the way of mails to lists: one for each, since
    nobody else may send over it meanwhile."""
    settings, engine = moderator.settings, moderator.engine
    forums = {name: forum_of(name, settings, engine, open_transport) for name in settings.forums}
    return Watch(moderator.open_games, forums, moderator.timekeeper.pass_until)


def forum_of(name: str, settings: Settings, engine: Engine, open_transport: OpenTransport) -> Forum:
    """One forum of the settings. Nothing is asked of it yet."""
    forum = settings.forums[name]
    every = timedelta(seconds=forum.poll_seconds)
    return Forum(name, _Channels(name, settings, engine, open_transport).of_game, _manner(forum), every)


def _manner(forum: ForumSettings) -> Manner:
    return Manner(forum.posts, forum.pictures, plain=forum.kind == "list", by_hand=forum.kind == "paste")


class _Channels:
    """The channel of a forum: one for all its games, but where a person posts by hand one for each."""

    def __init__(self, name: str, settings: Settings, engine: Engine, open_transport: OpenTransport) -> None:
        self._name = name
        self._settings = settings
        self._engine = engine
        self._open_transport = open_transport
        self._kept: dict[str, Channel] = {}

    def of_game(self, game_id: str) -> Channel:
        """The way to the thread of a game."""
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
        """Who may be somebody on a list: whose address is linked with a seat, or is to be."""
        with reading(self._engine) as conn:
            return accounts.accounts(conn, self._name)
