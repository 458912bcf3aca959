"""Posts to a game's thread: their time, content and order, each posted once whatever the forum does."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from sqlalchemy import select

from bot.channels import Refused, Unreachable
from bot.desk import positions
from bot.desk.powers import DeskRequest
from bot.forum.posting import Manner, assume_told
from bot.service.loop import look_after_forums
from bot.store import forum_posts, forum_threads
from bot.store.database import reading, writing
from bot.store.forum_threads import Thread
from bot.store.installation import only_one
from bot.store.tables import SNAPSHOT
from rules.components import Faction
from tests.channels.memory import ROOMY
from tests.forum.place import GAME, ForumWorld


@pytest.fixture
def place(tmp_path: Path) -> ForumWorld:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    return place


def waiting(place: ForumWorld) -> int:
    with reading(place.world.engine) as conn:
        return len(forum_threads.waiting_posts(conn, GAME))


def bid(place: ForumWorld, amount: int) -> Faction:
    """Bid for the faction whose turn it is, or pass if it cannot pay that much; return the faction."""
    bidder = place.bidder()
    if not place.world.say(bidder, f"bid {amount}").taken:
        assert place.world.say(bidder, "pass").taken
    return bidder


def test_a_game_that_begins_gets_a_thread_with_its_title(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin()
    assert place.forum.title(place.thread().thread) == "sietch-12 (wbc-2018): set-up"
    assert "a game of Dune, moderated by Mentat" in place.ours()[0]
    assert place.thread().first_post == place.posts()[0].id


def test_what_happened_by_mail_is_told_and_nothing_where_nothing_has(place: ForumWorld) -> None:
    before = len(place.ours())
    place.look(1)
    assert len(place.ours()) == before
    bid(place, 1)
    place.look(1)
    assert len(place.ours()) == before + 1
    assert "bid 1" in place.ours()[-1]
    place.look(1)
    assert len(place.ours()) == before + 1


def test_what_happened_while_the_forum_was_away_stands_in_one_post(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(place.ours())

    def away(*_: object) -> str:
        raise Unreachable("no answer")

    with monkeypatch.context() as broken:
        broken.setattr(place.channel, "post", away)
        bid(place, 1)
        place.look(1)
        for amount in (2, 3, 4):
            bid(place, amount)
            place.look(30)
        assert place.state("posting").failures == 4
        assert "is not responding" in place.world.newest("gm@arrakis.example").subject
    place.look(60)
    new = place.ours()[before:]
    assert len(new) == 2  # the post already composed, and one for everything since
    assert "bid 1" in new[0]
    assert "bid 2" not in new[0]
    assert all(told in new[1] for told in ("bid 2", "bid 3", "Fremen passed"))
    assert place.state("posting").problem == ""


def test_a_thread_that_is_closed_keeps_what_waits_and_says_why(place: ForumWorld) -> None:
    place.forum.close(place.thread().thread)
    bid(place, 1)
    place.look(1)
    assert place.thread().problem
    assert waiting(place) == 1
    place.forum.close(place.thread().thread, closed=False)
    place.look(11)
    assert waiting(place) == 0
    assert place.thread().problem == ""
    assert "bid 1" in place.ours()[-1]


def test_what_is_refused_is_tried_again_more_and_more_seldom(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def refused(*_: object) -> str:
        tries.append(place.world.now)
        raise Refused("no")

    monkeypatch.setattr(place.channel, "post", refused)
    bid(place, 1)
    for _ in range(100):
        place.look(5)
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert pauses == sorted(pauses)
    assert pauses[-1] <= timedelta(hours=6, minutes=5)


def test_three_posts_in_a_row_are_all_where_a_forum_takes_no_more(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path, replace(ROOMY, posts_in_a_row=3))
    place.begin_at("bidding")
    for amount in range(1, 6):
        bid(place, amount)
        place.look(1)
    assert len(place.ours()) == 3
    assert "posts in a row from one account" in place.thread().problem
    place.write("chani", "And then?")
    place.look(30)
    assert len(place.ours()) == 5
    assert "Fremen passed" in place.ours()[-1]


def test_what_waits_for_somebody_else_goes_out_when_they_have_posted_however_long_that_took(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path, replace(ROOMY, posts_in_a_row=3))
    place.begin_at("bidding")
    for amount in range(1, 6):
        bid(place, amount)
        place.look(1)
    for _ in range(12):
        place.look(60)
    assert len(place.ours()) == 3
    place.write("chani", "And then?")
    place.look(1)
    assert len(place.ours()) == 5
    assert place.thread().problem == ""


def test_a_post_that_went_out_and_was_not_remembered_is_there_once(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    bid(place, 1)
    before = len(place.ours())
    with monkeypatch.context() as broken:
        broken.setattr("bot.store.forum_threads.note_posted", killed)
        with pytest.raises(Killed):
            place.look(1)
    assert len(place.ours()) == before + 1
    place.watch = place.another_watch()
    place.look(1)
    assert len(place.ours()) == before + 1
    assert waiting(place) == 0


def test_the_end_of_a_turn_brings_its_summary_the_index_and_another_title(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    while place.world.table().play.state.turn == 1:
        place.world.wait(24)
    place.look(1)
    assert any("turn 1 is over" in post for post in place.ours())
    assert "where we are" in place.ours()[0]
    assert "turn 2" in place.forum.title(place.thread().thread)
    assert place.forum.pictures


def test_each_phase_that_has_ended_brings_the_head_of_the_record(place: ForumWorld) -> None:
    place.world.silence_until("revival")
    place.look(1)
    heads = [post for post in place.ours() if "record" in post]
    assert heads
    with reading(place.world.engine) as conn:
        told = conn.execute(select(SNAPSHOT.c.head).where(SNAPSHOT.c.game_id == GAME, SNAPSHOT.c.head != "")).all()
    assert any(row.head[:16] in post for row in told for post in heads)


def test_where_only_phases_are_told_bids_alone_bring_no_post(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path, manner=Manner("phases"))
    place.begin_at("bidding")
    place.look(1)
    before = len(place.ours())
    bid(place, 1)
    place.look(1)
    assert len(place.ours()) == before
    place.world.silence_until("revival")
    place.look(1)
    assert len(place.ours()) == before + 1
    assert "bid 1" in place.ours()[-1]


def test_a_rollback_is_told_and_what_is_played_again_is_told_again(place: ForumWorld) -> None:
    entries = place.world.table().entries
    bid(place, 1)
    place.look(1)
    positions.roll_back(DeskRequest(place.world.moderator.open_games, GAME, place.world.now), entries)
    bid(place, 2)
    place.look(1)
    assert "was rolled back" in place.ours()[-1]
    assert "bid 2" in place.ours()[-1]


def test_of_what_was_taken_back_before_it_was_told_a_thread_hears_nothing(place: ForumWorld) -> None:
    entries = place.world.table().entries
    bid(place, 1)
    positions.roll_back(DeskRequest(place.world.moderator.open_games, GAME, place.world.now), entries)
    bid(place, 2)
    before = len(place.ours())
    place.look(1)
    told = place.ours()[before:]
    assert "bid 2" in told[-1]
    assert not [post for post in told if "was rolled back" in post or "bid 1" in post]


def test_a_whole_game_is_told_to_its_end(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin("ah-basic", max_turns=3)
    while not place.world.table().play.over:  # played by silence alone
        place.world.wait(24)
        place.look(1)
    assert "the game is over" in place.ours()[-1]
    assert place.thread().closed
    last = len(place.ours())
    place.look(60)
    assert len(place.ours()) == last
    told = [number for number in range(1, 30) if any(f"turn {number} is over" in post for post in place.ours())]
    assert told == list(range(1, place.world.table().play.state.turn))


def test_each_turn_that_nobody_looked_at_the_forum_is_told_in_a_post_of_its_own(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin("ah-basic", max_turns=3)
    before = len(place.ours())
    while place.world.table().play.state.turn < 3:
        place.world.wait(24)
    for _ in range(3):
        place.look(1)
    told = [number for post in place.ours()[before:] for number in range(1, 4) if f"turn {number} is over" in post]
    assert told == [1, 2]


def test_what_is_taken_as_told_is_not_told_again(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.link(bidder)
    place.write(bidder, "!bid 1")
    place.watch.read(place.world.now, at_once=True)
    with reading(place.world.engine) as conn:
        assert forum_posts.untold_posts(conn, GAME)
    before = len(place.ours())
    assume_told(place.world.moderator.open_games, GAME)
    with reading(place.world.engine) as conn:
        assert (forum_posts.untold_posts(conn, GAME), forum_threads.remarks(conn, GAME)) == ([], [])
    place.look(1)
    assert len(place.ours()) == before
    bid(place, 2)
    place.look(1)
    assert len(place.ours()) == before + 1
    assert "bid 2" in place.ours()[-1]
    assert "“bid 1”" not in place.ours()[-1]


@pytest.mark.parametrize("known", [True, False])
def test_a_thread_that_is_not_open_yet_has_been_told_nothing(place: ForumWorld, known: bool) -> None:
    fresh = Thread(GAME, "arrakis")
    with writing(place.world.engine) as conn:
        if known:
            forum_threads.put_thread(conn, fresh)
        else:
            forum_threads.forget_thread(conn, GAME)
    assume_told(place.world.moderator.open_games, GAME)
    with reading(place.world.engine) as conn:
        assert forum_threads.thread_of(conn, GAME) == (fresh if known else None)


def test_the_end_is_told_though_the_forum_was_away_when_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> str:
        raise Unreachable("no answer")

    place = ForumWorld(tmp_path)
    place.begin("ah-basic", max_turns=1)
    with monkeypatch.context() as broken:
        broken.setattr(place.channel, "post", away)
        while not place.world.table().play.over:
            place.world.wait(24)
        for _ in range(3):
            place.look(30)
        assert not place.thread().closed
    for _ in range(3):
        place.look(60)
    assert "the game is over" in place.ours()[-1]
    assert place.thread().closed
    assert place.forum.title(place.thread().thread).endswith("in turn 1")


def test_where_only_phases_are_told_no_picture_goes_out_between_them(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path, manner=Manner("phases"))
    place.begin("ah-basic", max_turns=2)
    while not place.world.table().play.over:
        place.world.wait(24)
        place.look(1)
    assert len(place.forum.pictures) <= sum("The board: !" in post for post in place.ours())


@pytest.mark.parametrize("when", ["changes", "phases"])
def test_a_battle_amid_a_phase_brings_a_picture_where_changes_are_told(
    tmp_path: Path, when: Literal["changes", "phases"]
) -> None:
    place = ForumWorld(tmp_path, manner=Manner(when))
    place.begin("wbc-2018")
    place.world.silence_until("movement")
    place.world.say("guild", "ship 1 to carthag")  # the Harkonnen are there
    place.world.silence_until("battle")
    place.look(30)
    before = len(place.forum.pictures)
    while not any(event.kind == "battle-won" for event in place.news()):
        place.world.wait(1)
    assert place.world.table().play.state.phase == "battle"
    place.look(30)
    assert (len(place.forum.pictures) > before) is (when == "changes")


def test_the_service_takes_what_was_posted_and_tells_of_it_in_one_go_and_alone(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.link(bidder)
    place.write(bidder, "!bid 1")
    before, world = len(place.ours()), place.world
    world.now += timedelta(minutes=2)
    with only_one(world.engine, "looking after forums"):
        look_after_forums(place.watch, world.another_process().engine, world.now)
    assert (len(place.ours()), place.bidder()) == (before, bidder)
    look_after_forums(place.watch, world.engine, world.now)
    assert len(place.ours()) == before + 1
    assert "“bid 1”" in place.ours()[-1]
    look_after_forums(place.watch, world.engine, world.now)
    assert len(place.ours()) == before + 1
