"""Forum problems that need the game master appear on the desk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.channels import Unreachable
from bot.desk.desk import Desk, desk_now
from bot.store import forum_threads
from bot.store.database import reading, writing
from tests.forum.place import GAME, ForumWorld


def desk_of(place: ForumWorld) -> Desk:
    with reading(place.world.engine) as conn:
        return desk_now(conn, place.world.settings, place.world.now)


def kinds(place: ForumWorld) -> set[tuple[str, str]]:
    return {(each.kind, each.game) for each in desk_of(place).matters if each.kind.startswith("forum")}


@pytest.fixture
def place(tmp_path: Path) -> ForumWorld:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    return place


def test_where_all_is_well_nothing_of_a_forum_lies_there(place: ForumWorld) -> None:
    assert kinds(place) == set()


def test_what_a_forum_refuses_lies_there_until_it_is_taken(place: ForumWorld) -> None:
    place.forum.close(place.thread().thread)
    place.world.say(place.bidder(), "bid 1")
    place.look(1)
    assert kinds(place) == {("forum-refused", GAME)}
    place.forum.close(place.thread().thread, closed=False)
    place.look(15)
    assert kinds(place) == set()


def test_a_forum_that_does_not_answer_lies_there(place: ForumWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise Unreachable("no answer")

    monkeypatch.setattr(place.channel, "read_since", away)
    place.look(2)
    assert kinds(place) == {("forum-away", "")}


def test_a_thread_whose_forum_is_in_the_settings_no_more_lies_there(place: ForumWorld) -> None:
    with writing(place.world.engine) as conn:
        forum_threads.put_thread(conn, replace(place.thread(), forum="carthag"))
    assert kinds(place) == {("forum-gone", GAME)}
