"""After a backup is restored, later posts count again at their original time, and nothing is posted twice."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.forum.watch import Forum, ForumRecall
from bot.moderator.moderator import Moderator
from bot.service import resumption
from bot.service.backup import back_up
from bot.service.mail_servers import open_kept_mail
from bot.service.restoration import restore
from bot.service.resumption import resume
from bot.store import games
from bot.store.database import open_database, reading
from bot.store.record import log_data
from tests.forum.place import GAME, ForumWorld
from tests.moderator.table import ADDRESS, World

pytestmark = pytest.mark.sqlite_only


def backed_up(folder: Path) -> tuple[ForumWorld, Path]:
    """Start a game whose players bid in a forum, and back it up."""
    place = ForumWorld(folder)
    place.begin_at("bidding")
    place.link("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen")
    place.look()
    file = folder / "copy.db"
    back_up(place.world.engine, ADDRESS, file, 0, place.world.now, force=False)
    return place, file


def lost_and_resumed(place: ForumWorld, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Delete the database, restore the backup and replay everything until now."""
    world = place.world
    stopped = world.now
    world.engine.dispose()
    world.settings.mentat.database.unlink()
    world.now += timedelta(hours=2)
    restore(file, world.settings, 0, world.now, replace=False, from_another=False)

    def recalling(moderator: Moderator, _: object) -> ForumRecall:
        forum = Forum("arrakis", lambda game: place.channel, place.manner, timedelta(minutes=1))
        return ForumRecall(moderator, [forum])

    monkeypatch.setattr(resumption, "recall_forums", recalling)
    engine = open_database(world.settings.mentat.database)
    resume(world.settings, engine, open_kept_mail(world.settings), world.now, stopped=stopped)
    place.world = World(world.settings, engine, Moderator(world.settings, engine), world.now, world._serials)
    place.watch = place.another_watch()


def log_of(place: ForumWorld) -> object:
    with reading(place.world.engine) as conn:
        return log_data(conn, GAME), games.event_data(conn, GAME)


def test_posts_count_again_at_their_moment_and_none_is_made_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, file = backed_up(tmp_path)
    for number in range(6):
        place.look(20)
        place.write(place.bidder(), "!bid 1" if number == 2 else "!pass")
        place.look(5)
        if number == 3:  # a deadline passes between two posts
            place.world.wait(25)
            place.look()
    expected, ours = log_of(place), place.ours()
    assert len(ours) > 3
    lost_and_resumed(place, file, monkeypatch)
    assert log_of(place) == expected
    place.look(1)
    assert place.ours() == ours
    place.write(place.bidder(), "!pass")
    place.look(5)
    assert len(place.ours()) == len(ours) + 1
    assert log_of(place) != expected


def test_what_was_posted_while_mentat_was_away_is_read_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, file = backed_up(tmp_path)
    place.look(5)
    place.write(place.bidder(), "!pass")
    place.look(5)
    before = log_of(place)
    bidder = place.bidder()
    late = place.world.now + timedelta(hours=1)
    here, place.world.now = place.world.now, late
    place.write(bidder, "!pass")  # nobody reads it
    place.world.now = here
    lost_and_resumed(place, file, monkeypatch)
    assert log_of(place) == before
    place.look(1)
    assert log_of(place) != before
    assert place.bidder() != bidder
