"""A Mentat, six players, and a forum in memory in which one of their games has a thread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.channels import Limits, Post
from bot.forum.posting import Manner
from bot.forum.watch import Forum, Watch
from bot.games.open_games import acts_of
from bot.store import forum_posts, forum_threads, games
from bot.store.database import reading, writing
from bot.store.forum_posts import AccountLink
from bot.store.forum_threads import Thread
from rules.components import Faction
from rules.state.events import Event
from tests.channels.memory import ROOMY, MemoryChannel, MemoryForum
from tests.moderator.table import CONFIG, World
from tests.moderator.table import GAME as GAME

SIX: tuple[Faction, ...] = ("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen")
FORUM = """
[forums.arrakis]
kind = "paste"
dialect = "markdown"
"""

DISCOURSE = """
[forums.arrakis]
kind = "discourse"
url = "https://forum.arrakis.example"
category = 7
username = "mentat"
"""


class ForumWorld:
    """A world with a game in a forum. ``pass_time`` moves the clock; ``look`` lets Mentat read and post."""

    def __init__(self, folder: Path, limits: Limits = ROOMY, manner: Manner | None = None) -> None:
        self.world = World.at(folder, CONFIG + FORUM)
        self.forum = MemoryForum(limits, lambda: self.world.now)
        self.channel = MemoryChannel(self.forum)
        self.manner = manner or Manner()
        self.watch = self.another_watch()
        self.people: dict[str, str] = {}

    def another_watch(self) -> Watch:
        """Return another process's watch over the forum."""
        moderator = self.world.moderator
        forum = Forum("arrakis", lambda game: self.channel, self.manner, timedelta(minutes=1))
        return Watch(moderator.open_games, {"arrakis": forum}, moderator.timekeeper.pass_until)

    def begin(
        self, ruleset: str = "wbc-2018", factions: Sequence[Faction] = SIX, tempo: str = "table", **options: Any
    ) -> None:
        """Begin a game, and open its thread."""
        self.world.new_game(ruleset, factions, tempo=tempo, forum="arrakis", **options)
        self.look()

    def begin_at(self, phase: str, turn: int = 1, ruleset: str = "ah-basic", tempo: str = "table") -> None:
        """Begin a game in which nobody wrote until that phase, and give it a thread from then on."""
        self.world.silent_game(phase, turn, ruleset, tempo)
        table = self.world.table()
        with writing(self.world.engine) as conn:
            forum_threads.add_thread(
                conn, Thread(GAME, "arrakis", told=table.events, told_turn=table.play.state.turn - 1)
            )
        self.look()

    def link(self, *factions: Faction) -> None:
        """Link these seats to forum accounts of the same names."""
        for faction in factions:
            self.join(faction)
            with writing(self.world.engine) as conn:
                generation = self.world.table().seats[faction].generation
                account = self.people[faction]
                forum_posts.put_link(
                    conn, AccountLink(GAME, faction, "arrakis", account, faction, generation, self.world.now)
                )

    def join(self, name: str) -> str:
        """Return the account with this name; create it if necessary."""
        if name not in self.people:
            self.people[name] = self.forum.join(name)
        return self.people[name]

    def thread(self) -> Thread:
        """Return the game's stored thread."""
        with reading(self.world.engine) as conn:
            found = forum_threads.thread_of(conn, GAME)
        assert found is not None
        return found

    def state(self, work: forum_threads.ForumWork = "reading") -> forum_threads.ForumState:
        """Return the stored state of the forum."""
        with reading(self.world.engine) as conn:
            return forum_threads.forum_state(conn, "arrakis", work)

    def news(self) -> list[Event]:
        """Return the events since the game's last post."""
        with reading(self.world.engine) as conn:
            return games.events_of(conn, GAME, self.thread().told)

    def posts(self) -> list[Post]:
        """Return all posts in the thread, as readers see them."""
        return list(self.forum.posts(self.thread().thread))

    def ours(self) -> list[str]:
        """Return the texts that Mentat has posted."""
        return [post.raw for post in self.posts() if post.author == "Mentat"]

    def write(self, name: str, text: str) -> str:
        return self.forum.write(self.join(name), self.thread().thread, text)

    def look(self, minutes: float = 0) -> None:
        """Let time pass, then let Mentat read the forum and post there."""
        self.world.now += timedelta(minutes=minutes)
        self.watch.read(self.world.now, at_once=True)
        self.watch.post(self.world.now, at_once=True)

    def bidder(self) -> Faction:
        """Return the faction whose bid the game is waiting for."""
        return next(faction for faction, kinds in self.world.asked().items() if "bid" in kinds)


def code_in(letter: str) -> str:
    """Return the account code in a letter."""
    found = re.search(r"I am ([A-Z0-9]{6})", letter)
    assert found, letter
    return found[1]


def linked(world: World) -> dict[Faction, str]:
    with reading(world.engine) as conn:
        return {faction: link.account for faction, link in forum_posts.account_links(conn, GAME).items()}


def answer(world: World, faction: Faction, line: str) -> str:
    world.say(faction, line)
    return world.newest(faction).text


def words_of_last_act(world: World) -> tuple[str, str]:
    with reading(world.engine) as conn:
        act = acts_of(conn, GAME)[-1]
    return act.what, act.words
