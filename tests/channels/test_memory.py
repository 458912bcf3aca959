"""Tests for each fault of the in-memory forum: no post is lost, duplicated or out of order."""

from datetime import timedelta

import pytest

from bot.channels import ChannelError, CursorForgotten, Dialect, Limits, Refused, Thread, Unreachable
from tests.channels.benches import Clock
from tests.channels.faults import Fault
from tests.channels.memory import MemoryChannel, MemoryForum


class Place:
    def __init__(self, limits: Limits | None = None) -> None:
        self.clock = Clock()
        self.forum = MemoryForum(limits or Limits(Dialect.MARKDOWN, 2_000, 0, revisable=True), self.clock)
        self.channel = MemoryChannel(self.forum)
        self.thread, _ = self.channel.open_thread("sietch-7", "This is the thread.", "first")

    def raw(self) -> list[str]:
        return [post.raw for post in self.forum.posts(self.thread.id)][1:]

    def insist(self, text: str) -> None:
        """Retry with the same key until the post is there, as an outbox does."""
        for _ in range(20):
            try:
                self.channel.post(self.thread, text, text)
            except Unreachable:
                self.clock.wait(20)
            else:
                return
        raise AssertionError(f"{text} was never posted")


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.mark.parametrize("fault", Fault)
def test_whoever_insists_writes_once_and_in_order_whatever_breaks(place: Place, fault: Fault) -> None:
    place.insist("one")
    place.forum.line.faults += [fault, fault]
    place.insist("two")
    place.insist("three")
    place.clock.wait(600)
    place.insist("four")
    assert place.raw() == ["one", "two", "three", "four"]


@pytest.mark.parametrize(("fault", "stored"), [(Fault.DROP, False), (Fault.SERVER_ERROR, False), (Fault.CUT, True)])
def test_without_an_answer_a_post_may_be_there_or_not(place: Place, fault: Fault, stored: bool) -> None:
    place.forum.line.faults.append(fault)
    with pytest.raises(Unreachable):
        place.channel.post(place.thread, "one", "one")
    assert place.raw() == ["one"] * stored


def test_a_delayed_post_comes_after_its_minute(place: Place) -> None:
    place.forum.line.faults.append(Fault.DELAY)
    with pytest.raises(Unreachable):
        place.channel.post(place.thread, "one", "one")
    place.channel.read_since(place.thread, None)
    assert place.raw() == []
    place.clock.wait(61)
    place.channel.read_since(place.thread, None)
    assert place.raw() == ["one"]


@pytest.mark.parametrize("fault", Fault)
def test_whoever_goes_on_from_the_cursor_reads_each_post(place: Place, fault: Fault) -> None:
    chani = place.forum.join("chani_77")
    cursor, seen = place.channel.read_since(place.thread, None).cursor, []
    for number in range(0, 6, 2):
        place.forum.write(chani, place.thread.id, f"!bid {number}")
        place.forum.write(chani, place.thread.id, f"!bid {number + 1}")
        place.forum.line.faults.append(fault)
        for _ in range(2):
            try:
                page = place.channel.read_since(place.thread, cursor)
            except Unreachable:
                continue
            cursor = page.cursor
            seen += [post.raw for post in page.posts]
    assert sorted(set(seen)) == [f"!bid {number}" for number in range(6)]
    assert (len(seen) > 6) == (fault is Fault.DOUBLE)
    assert (seen != sorted(seen)) == (fault in (Fault.DOUBLE, Fault.REORDER))


def test_an_edit_within_five_minutes_leaves_no_trace_and_a_later_one_does(place: Place) -> None:
    chani = place.forum.join("chani_77")
    early, late = (place.forum.write(chani, place.thread.id, "!bid 3") for _ in range(2))
    place.clock.wait(299)
    place.forum.edit(early, "!bid 4")
    place.clock.wait(2)
    place.forum.edit(late, "!bid 5")
    posts = place.forum.posts(place.thread.id)[1:]
    assert [(post.raw, post.version, post.edited is None) for post in posts] == [
        ("!bid 4", 1, True),
        ("!bid 5", 2, False),
    ]


def test_no_more_than_so_many_posts_in_a_row(place: Place) -> None:
    place.forum.limits = Limits(Dialect.MARKDOWN, 2_000, 0, posts_in_a_row=3)
    place.insist("one")
    place.insist("two")
    with pytest.raises(Refused):
        place.channel.post(place.thread, "three", "three")
    place.forum.write(place.forum.join("chani_77"), place.thread.id, "A word.")
    assert place.channel.post(place.thread, "three", "three")


def test_a_revoked_key_and_a_forgotten_cursor_say_so(place: Place) -> None:
    cursor = place.channel.read_since(place.thread, None).cursor
    place.forum.forget_cursors()
    with pytest.raises(CursorForgotten):
        place.channel.read_since(place.thread, cursor)
    place.forum.revoked = True
    for use in (
        lambda: place.channel.post(place.thread, "one", "one"),
        lambda: place.channel.read_since(place.thread, None),
        lambda: place.channel.messages_since(None),
    ):
        with pytest.raises(Refused):
            use()


def test_a_clock_that_is_wrong_shows_in_the_posts(place: Place) -> None:
    place.forum.skew = timedelta(minutes=-7)
    place.insist("one")
    assert place.clock() - place.forum.posts(place.thread.id)[-1].posted == timedelta(minutes=7)


def test_a_name_can_change_and_an_account_cannot(place: Place) -> None:
    chani = place.forum.join("chani_77")
    place.forum.write(chani, place.thread.id, "!bid 3")
    place.forum.rename(chani, "Mentat")
    post = place.channel.read_since(place.thread, None).posts[-1]
    assert (post.author, post.author_id) == ("Mentat", chani)
    assert post.author_id != place.channel.account


def test_all_errors_are_errors_of_channels() -> None:
    assert issubclass(Refused, ChannelError)
    with pytest.raises(ChannelError):
        Place().channel.post(Thread("nowhere"), "one", "one")
