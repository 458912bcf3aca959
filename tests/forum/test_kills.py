"""Mentat's process is killed at every possible point of a stretch of a forum game: before a commit, before a request
to the forum, after its answer. After each restart, the game, the posts and the letters must be the same as without a
kill."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sqlalchemy import Connection, event, select

from bot.store import forum_posts
from bot.store.database import reading
from bot.store.mail import LETTER
from bot.store.record import log_of
from tests.forum.place import GAME, SIX, ForumWorld, code_in

PARTS, SHARE = (12, 1) if os.environ.get("MENTAT_SLOW") else (2, 10)
"""Number of tests that share the kill points, and distance between the points tried."""


class Killed(BaseException):
    """Simulates the death of the process."""


class Fuse:
    """Kills the process at point number `place`; 0 only counts the points."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.passed = 0

    def burn(self, *_: object) -> None:
        self.passed += 1
        if self.passed == self.place:
            raise Killed


class Deadly:
    """A channel with kill points before and after each call."""

    def __init__(self, channel: Any, fuse: Fuse) -> None:
        self._channel = channel
        self._fuse = fuse
        self.account = channel.account
        self.limits = channel.limits

    def __getattr__(self, name: str) -> Callable[..., Any]:
        asked = getattr(self._channel, name)

        def deadly(*given: Any) -> Any:
            self._fuse.burn()
            answer = asked(*given)
            self._fuse.burn()
            return answer

        return deadly


class Stretch:
    """Opens the thread, links an account, posts and mails acts, changes a post and ends the phase."""

    def __init__(self, folder: Path, place: int) -> None:
        self.place = ForumWorld(folder)
        self.place.begin_at("bidding")
        self.place.link(*(faction for faction in SIX if faction != "fremen"))
        self.fuse = Fuse(place)
        self.place.channel = Deadly(self.place.channel, self.fuse)  # type: ignore[assignment]
        self._start()
        self._live()

    def _start(self) -> None:
        self.place.world = self.place.world.another_process()
        event.listen(self.place.world.engine, "commit", self._committing)
        self.place.watch = self.place.another_watch()

    def _committing(self, connection: Connection) -> None:
        if connection.get_execution_options().get("write"):
            self.fuse.burn()

    def _do(self, what: Callable[[], object]) -> None:
        try:
            what()
        except Killed:
            self._start()
            what()

    def _look(self, minutes: float = 1) -> None:
        self.place.world.now += timedelta(minutes=minutes)
        self._do(self.place.look)

    def _silence(self) -> None:
        self.place.world.now += timedelta(hours=24)
        self._do(lambda: self.place.world.moderator.timekeeper.tick(self.place.world.now))

    def _live(self) -> None:
        place = self.place
        self._look()
        with reading(place.world.engine) as conn:
            assert not forum_posts.account_links(conn, GAME).get("fremen")
        asked = place.world.mail("fremen", "forum name chani_77")
        self._do(lambda: place.world.moderator.deliver(asked, place.world.now))
        place.write("chani_77", f"!I am {code_in(place.world.newest('fremen').text)}")
        self._look()
        first = place.write(bidder := place.bidder(), "!bid 1\n!plan 3, no leader")
        place.write("stranger", "!bid 20")
        self._look()
        place.forum.edit(first, "!bid 30")
        other = place.world.mail(place.bidder(), "bid 2")
        self._do(lambda: place.world.moderator.deliver(other, place.world.now))
        self._look(10)
        place.write(place.bidder(), "!pass")
        self._look()
        assert bidder
        while place.world.table().play.state.phase == "bidding":
            self._silence()
        self._look()
        self._look()

    def outcome(self) -> dict[str, object]:
        """Return the state to compare at the end."""
        with reading(self.place.world.engine) as conn:
            letters = conn.execute(select(LETTER.c.message_id, LETTER.c.subject).order_by(LETTER.c.id)).all()
            return {
                "log": log_of(conn, GAME),
                "read": [(post.author, post.lines, post.state) for post in forum_posts.seen_in_game(conn, GAME)],
                "posts": [(post.author, post.raw) for post in self.place.posts()],
                "title": self.place.forum.title(self.place.thread().thread),
                "letters": sorted((row.message_id, row.subject) for row in letters),
            }


@pytest.fixture(autouse=True)
def same_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each random code the same."""
    monkeypatch.setattr("bot.games.forum_accounts.secrets.choice", lambda signs: signs[0])


@cache
def undisturbed() -> tuple[int, dict[str, object]]:
    """Return the number of kill points, and the outcome without a kill."""
    with TemporaryDirectory() as folder:
        stretch = Stretch(Path(folder), 0)
        return stretch.fuse.passed, stretch.outcome()


@pytest.mark.parametrize("part", range(PARTS))
def test_wherever_the_process_dies_it_is_the_same_game_with_the_same_posts(part: int, tmp_path: Path) -> None:
    places, outcome = undisturbed()
    assert places > 40
    for place in range(1 + part, places + 1, PARTS * SHARE):
        folder = tmp_path / str(place)
        folder.mkdir()
        stretch = Stretch(folder, place)
        found = stretch.outcome()
        assert [what for what in outcome if found[what] != outcome[what]] == [], place
