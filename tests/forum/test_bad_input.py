"""Misbehaving forums and users: the game continues, and each post appears exactly once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.channels import Page, Refused, Thread, Unreachable
from bot.store import forum_posts, forum_threads
from bot.store.database import reading, writing
from bot.store.forum_threads import Remark
from rules.components import Faction
from tests.channels.faults import Fault
from tests.channels.memory import ROOMY
from tests.forum.place import GAME, SIX, ForumWorld
from tests.forum.test_acts import bids


@pytest.fixture
def place(tmp_path: Path) -> ForumWorld:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    place.link(*SIX)
    return place


def waiting(place: ForumWorld) -> int:
    with reading(place.world.engine) as conn:
        return len(forum_threads.waiting_posts(conn, GAME))


def mailed_bid(place: ForumWorld, amount: int) -> Faction:
    """Bid by mail for the faction whose turn it is, and return that faction."""
    bidder = place.bidder()
    assert place.world.say(bidder, f"bid {amount}").taken
    return bidder


def told(place: ForumWorld, words: str) -> int:
    """Return the number of our posts that contain these words."""
    return sum(words in post for post in place.ours())


def refuses(*_: object, **__: object) -> Any:
    raise Refused("this is another category now")


def no_json(*_: object, **__: object) -> Any:
    raise Unreachable("the answer is a page of HTML")


# --- what keeps us out -----------------------------------------------------------------------------------------------


def test_with_a_revoked_key_the_game_goes_on_by_mail_and_the_thread_catches_up(place: ForumWorld) -> None:
    place.forum.revoked = True
    mailed_bid(place, 1)
    for _ in range(3):
        place.look(40)
    assert "is not responding" in place.world.newest("gm@arrakis.example").subject
    assert place.thread().problem == "the key was revoked"
    mailed_bid(place, 2)
    posted = place.write(place.bidder(), "!bid 3")
    place.forum.revoked = False
    place.look(6 * 60)
    assert [amount for _, amount in bids(place)] == [1, 2, 3]
    assert waiting(place) == 0
    assert place.thread().problem == ""
    assert place.state().problem == ""
    assert f"#{next(post.number for post in place.posts() if post.id == posted)} " in place.ours()[-1]


def test_a_forum_that_keeps_its_private_messages_from_us_is_read_all_the_same(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise Refused("you may not read private messages")

    monkeypatch.setattr(place.channel, "messages_since", refused)
    for _ in range(4):
        place.look(1)
    assert (place.state().problem, place.state().wait_until) == ("", None)
    assert not place.world.letters("gm@arrakis.example")
    bidder = place.bidder()
    place.write(bidder, "!bid 2")
    place.world.now += timedelta(minutes=1)
    place.watch.read(place.world.now)
    assert bids(place) == [(bidder, 2)]


def test_a_thread_that_was_moved_where_we_may_not_write_is_read_all_the_same(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        for name in ("post", "revise", "retitle"):
            broken.setattr(place.channel, name, refuses)
        first = place.bidder()
        place.write(first, "!bid 2")
        place.look(1)
        assert bids(place) == [(first, 2)]
        assert place.thread().problem == "this is another category now"
    place.look(15)
    assert place.thread().problem == ""
    assert told(place, "bid 2") == 1


def test_a_thread_that_may_not_be_read_any_more_is_no_trouble_of_the_forum(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(place.channel, "read_since", refuses)
        place.look(1)
        assert place.thread().problem == "this is another category now"
        assert place.state().problem == ""
    bidder = place.bidder()
    place.write(bidder, "!bid 2")
    place.look(1)
    assert bids(place) == [(bidder, 2)]
    place.look(1)
    assert place.thread().problem == ""


def test_a_page_of_html_is_told_the_game_master_once_and_keeps_no_game_waiting(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.world.written()
    with monkeypatch.context() as broken:
        for name in ("post", "read_since", "messages_since", "upload"):
            broken.setattr(place.channel, name, no_json)
        for amount in (1, 2):
            mailed_bid(place, amount)
            place.look(40)
        for _ in range(4):
            place.look(40)
    letters = [letter for letter in place.world.letters(after=before) if letter.faction is None]
    assert sum("is not responding" in letter.subject for letter in letters) <= 2  # one for reading, one for posting
    place.look(60)
    assert waiting(place) == 0
    assert place.state().problem == place.state("posting").problem == ""
    assert [told(place, f"bid {amount}") >= 1 for amount in (1, 2)] == [True, True]


def test_a_forum_that_takes_no_pictures_any_more_gets_its_posts_without(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place.channel, "upload", no_json)
    while place.world.table().play.state.turn == 1:
        place.world.wait(24)
    for _ in range(6):
        place.look(60)
    assert told(place, "turn 1 is over") == 1


# --- what a moderator does -------------------------------------------------------------------------------------------


def test_where_the_first_post_was_deleted_the_others_go_out(place: ForumWorld) -> None:
    place.forum.delete(place.thread().first_post)
    while place.world.table().play.state.turn == 1:
        place.world.wait(24)
    place.look(1)
    assert waiting(place) == 0
    assert told(place, "turn 1 is over") == 1


def test_where_a_title_may_not_be_changed_the_posts_go_out(place: ForumWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place.channel, "retitle", refuses)
    while place.world.table().play.state.phase == "bidding":
        place.look(24 * 60)
        place.world.wait(0)
    place.look(1)
    assert told(place, "revival")
    assert waiting(place) == 0
    assert "bidding" in place.forum.title(place.thread().thread)
    assert place.thread().problem == ""


def test_a_post_of_ours_that_a_moderator_deletes_is_not_posted_again(place: ForumWorld) -> None:
    mailed_bid(place, 1)
    place.look(1)
    before = len(place.ours())
    place.forum.delete(place.posts()[-1].id)
    place.forum.forget_cursors()
    place.look(1)
    mailed_bid(place, 2)
    place.look(1)
    assert len(place.ours()) == before
    assert "bid 2" in place.ours()[-1]


def test_an_act_that_a_moderator_deleted_before_it_was_read_never_was(place: ForumWorld) -> None:
    post = place.write(place.bidder(), "!bid 2")
    place.forum.delete(post)
    place.look(1)
    assert bids(place) == []


# --- what is long, doubled or late -----------------------------------------------------------------------------------


def test_a_post_of_forty_thousand_characters_counts_where_it_is_marked(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.write(bidder, "So much to say. " * 2500 + "\n\n!bid 2")
    place.look(1)
    assert bids(place) == [(bidder, 2)]


@pytest.mark.parametrize("line", ["!bid 40", "!plan 3, no leader", "!what 7"])
def test_of_thousands_of_lines_in_one_post_only_so_many_are_answered(place: ForumWorld, line: str) -> None:
    bidder, before = place.bidder(), place.world.written()
    place.write(bidder, f"{line}\n\n" * 1500)
    place.look(1)
    (letter,) = place.world.letters(after=before)
    assert len(letter.text) < 20_000
    place.write(bidder, "!bid 2")
    place.look(61)
    assert bids(place) == [(bidder, 2)]


def test_the_same_words_posted_twice_are_two_posts_of_which_one_counts(place: ForumWorld) -> None:
    bidder = place.bidder()
    before = place.world.written()
    place.write(bidder, "!bid 2")
    place.write(bidder, "!bid 2")
    place.look(1)
    assert bids(place) == [(bidder, 2)]
    assert [letter.faction for letter in place.world.letters(after=before)] == [place.bidder(), bidder]
    assert "“bid 2” does not count" in " ".join(place.world.newest(bidder).text.split())
    assert told(place, "“bid 2”") == 1


@pytest.mark.parametrize("fault", [Fault.ANSWER_LOST, Fault.CUT, Fault.DELAY, Fault.REORDER])
def test_a_post_whose_answer_came_too_late_is_there_once(place: ForumWorld, fault: Fault) -> None:
    bidder = mailed_bid(place, 1)
    place.watch.read(place.world.now, at_once=True)
    place.forum.line.faults.append(fault)
    before = len(place.ours())
    place.watch.post(place.world.now, at_once=True)
    place.look(0.5)
    place.look(2)
    assert len(place.ours()) == before + 1
    assert bids(place) == [(bidder, 1)]
    assert waiting(place) == 0


def test_a_post_that_is_read_before_it_is_known_as_ours_is_ours_all_the_same(place: ForumWorld) -> None:
    mailed_bid(place, 1)
    place.watch.read(place.world.now, at_once=True)
    place.forum.line.faults.append(Fault.ANSWER_LOST)
    place.watch.post(place.world.now, at_once=True)
    place.look(1)
    with reading(place.world.engine) as conn:
        (newest,) = forum_threads.own_posts(conn, GAME)[-1:]
        assert forum_posts.seen_post(conn, GAME, newest.post) is None
    assert newest.number == place.posts()[-1].number


# --- other games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Unreachable("a page of HTML"), ValueError("a fault of ours")])
@pytest.mark.parametrize("method", ["read_since", "post"])
def test_a_thread_with_which_nothing_goes_keeps_no_other_game_waiting(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch, method: str, fault: Exception
) -> None:
    game = "arrakeen-3"
    place.world.new_game(game=game, tempo="steady", forum="arrakis")
    place.look()
    with reading(place.world.engine) as conn:
        broken = forum_threads.thread_of(conn, game)
    assert broken is not None
    sound = getattr(place.channel, method)

    def fails(thread: Thread, *rest: Any) -> Any:
        if thread.id == broken.thread:
            raise fault
        return sound(thread, *rest)

    monkeypatch.setattr(place.channel, method, fails)
    with writing(place.world.engine) as conn:
        forum_threads.add_remark(conn, Remark(game, "not-linked", author="chani"))
    bidder = place.bidder()
    place.write(bidder, "!bid 2")
    for _ in range(3):
        place.look(1)
    assert bids(place) == [(bidder, 2)]
    assert told(place, "bid 2") == 1
    place.write(place.bidder(), "!bid 3")
    place.look(1)
    assert [amount for _, amount in bids(place)] == [2, 3]


# --- clocks ----------------------------------------------------------------------------------------------------------


def test_an_answer_that_was_lost_does_not_make_the_forum_s_clock_wrong(place: ForumWorld) -> None:
    mailed_bid(place, 1)
    place.watch.read(place.world.now, at_once=True)
    place.forum.line.faults.append(Fault.ANSWER_LOST)
    place.watch.post(place.world.now, at_once=True)
    place.world.now += timedelta(seconds=42)
    place.watch.post(place.world.now, at_once=True)  # the post is found again
    place.look(0)
    assert place.state().skew_seconds == 0
    bidder = place.bidder()
    until = min(deadline.until for deadline in place.world.table().deadlines.values())
    place.world.now = until - timedelta(seconds=20)
    place.write(bidder, "!bid 2")
    place.world.now = until + timedelta(seconds=20)
    place.look()
    assert bids(place)[-1] == (bidder, 2)


def test_a_clock_that_is_set_right_is_believed_again(place: ForumWorld) -> None:
    for skew, amount in ((timedelta(hours=-5), 1), (timedelta(seconds=0), 2)):
        place.forum.skew = skew
        mailed_bid(place, amount)
        place.look(1)
        place.look(0)
        assert place.state().skew_seconds == skew.total_seconds()


def test_a_post_from_the_future_counts_from_when_it_was_read(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.forum.skew = timedelta(days=400)
    place.write(bidder, "!bid 2")
    place.forum.skew = timedelta(0)
    place.look(1)
    assert bids(place) == [(bidder, 2)]


# --- names -----------------------------------------------------------------------------------------------------------

NAMES = (
    "fremen\u200b", "frеmen", "Fremen", "fremen ", "\u202enemerf", "**fremen**", "fremen\n!bid 3", "[b]fremen[/b]",
    "Mentat", "@everyone", "", "x" * 5000, "fre\ud800men", "fre\x00men",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_whoever_calls_themselves_like_another_counts_for_nothing(place: ForumWorld, name: str) -> None:
    before = len(place.ours())
    place.forum.write(place.forum.join(name), place.thread().thread, "!bid 2")
    place.look(1)
    assert place.state().problem == ""
    assert bids(place) == []
    ours = [post.raw for post in place.posts() if post.author_id == place.channel.account]
    assert len(ours) == before + 1
    assert "was not taken" in ours[-1]
    assert len(ours[-1]) < 10_000
    assert not any(line.lstrip().startswith("!") for line in ours[-1].splitlines() if "code" not in line)
    bidder = place.bidder()
    place.write(bidder, "!bid 2")
    place.look(1)
    assert bids(place) == [(bidder, 2)]


@pytest.mark.parametrize("text", ["!bid \ud800", "!bid 2\x00", "!bid ２", "!\u202ebid 2", "!bid 2\u2028!bid 9"])
def test_what_nobody_can_type_stops_no_reading(place: ForumWorld, text: str) -> None:
    place.write(place.bidder(), text)
    place.look(1)
    assert place.state().problem == ""
    assert [amount for _, amount in bids(place)] in ([], [2])


# --- pages -----------------------------------------------------------------------------------------------------------


def test_a_cursor_that_is_forgotten_again_and_again_takes_each_act_once(place: ForumWorld) -> None:
    taken = []
    for amount in range(1, 4):
        bidder = place.bidder()
        taken.append((bidder, amount))
        place.write(bidder, f"!bid {amount}")
        place.forum.forget_cursors()
        place.look(1)
        place.forum.forget_cursors()
        place.look(0)
    assert bids(place) == taken


def test_of_half_a_page_the_other_half_is_read_later(place: ForumWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    bidder = place.bidder()
    for _ in range(25):
        place.write("chani", "What a game!")
    place.write(bidder, "!bid 2")
    whole, calls = place.channel.read_since, []

    def half(thread: Any, cursor: str | None) -> Page:
        calls.append(cursor)
        if len(calls) == 2:
            raise Unreachable("half of an answer")
        return whole(thread, cursor)

    monkeypatch.setattr(place.channel, "read_since", half)
    place.look(1)
    assert bids(place) == []
    place.look(1)
    assert bids(place) == [(bidder, 2)]
    assert len(calls) == 3


def test_a_forum_that_takes_less_than_was_thought_gets_the_same_words_in_more_posts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ForumWorld(tmp_path)
    sound, refused = place.forum.length, []

    def length(text: str) -> None:
        if len(text) > 700:
            place.forum.limits = replace(ROOMY, characters=700)  # as Mentat learns from such an answer
            refused.append(text)
        sound(text)

    monkeypatch.setattr(place.forum, "length", length)
    place.begin()
    assert len(refused) == 1
    assert waiting(place) == 0
    assert place.thread().problem == ""
    assert place.thread().first_post == place.posts()[0].id
    assert place.forum.title(place.thread().thread) == "sietch-12 (wbc-2018): set-up"
    assert all(len(post) <= 700 for post in place.ours())
    assert "".join("".join(place.ours()).split()).startswith("".join(refused[0].split()))


def test_limits_are_kept_by_every_post(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path, replace(ROOMY, characters=1000, characters_at_least=60))
    place.begin()
    place.look(1)
    assert waiting(place) == 0
    assert all(60 <= len(post) <= 1000 for post in place.ours())
