"""How it stands with the forums: whether reading and posting work, and the thread of each game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.config import ForumSettings
from bot.games.open_games import OpenGames
from bot.identity.list_mail import subscribed_address
from bot.store import games
from bot.store.database import Connection, reading
from bot.store.forum import accounts, outgoing, states, threads
from bot.store.forum.pasted import KeptPastes
from bot.store.forum.states import State
from bot.store.forum.threads import Thread
from rules.components import Faction


@dataclass(frozen=True, slots=True)
class InThread:
    """A game in a forum: its thread, the name of the account that posts for each of its seats (None where there is
    none, "" where nobody has told its name), whether the game is over, and how much waits to be posted there."""

    thread: Thread
    linked: dict[Faction, str | None]
    over: bool
    waits: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How it stands with a forum. ``forum`` is None where the settings do not have it any more; ``subscribed`` is the
    address under which Mentat is to be a member of a list, "" for others."""

    name: str
    forum: ForumSettings | None
    reads: State
    posts: State
    games: Sequence[InThread]
    subscribed: str = ""

    @property
    def well(self) -> bool:
        """Whether all that is to be done there can be done."""
        troubled = any(game.thread.problem and not game.thread.closed for game in self.games)
        return self.forum is not None and not (self.reads.problem or self.posts.problem or troubled)


def standings(open_games: OpenGames) -> list[Standing]:
    """How it stands with each forum of the settings, and with those that are gone from them and still have threads."""
    settings = open_games.settings
    with open_games.busy, reading(open_games.engine) as conn:
        found = threads.threads(conn)
        names = [*settings.forums, *sorted({thread.forum for thread in found} - set(settings.forums))]
        return [
            Standing(
                name,
                settings.forums.get(name),
                states.state_of(conn, name, "reading"),
                states.state_of(conn, name, "posting"),
                [_in_thread(conn, open_games, thread) for thread in found if thread.forum == name],
                subscribed_address(settings, name) if _is_list(settings.forums.get(name)) else "",
            )
            for name in names
        ]


def _in_thread(conn: Connection, open_games: OpenGames, thread: Thread) -> InThread:
    table = games.open_table(conn, thread.game_id)
    known = accounts.links(conn, thread.game_id)
    linked = {
        faction: known[faction].author if faction in known and known[faction].generation == seat.generation else None
        for faction, seat in table.seats.items()
    }
    forum = open_games.settings.forums.get(thread.forum)
    waits = len(outgoing.waiting(conn, thread.game_id))
    if forum is not None and forum.kind == "paste":
        waits = sum(not block.posted for block in KeptPastes(conn, thread.game_id).blocks())
    return InThread(thread, linked, table.status == "over", waits)


def _is_list(forum: ForumSettings | None) -> bool:
    return forum is not None and forum.kind == "list"
