"""Tests that a client that retries in order posts everything once, in order, and reads everything, whatever fails.

Like an outbox, the client sends one post at a time, each under its own key, until the channel confirms it.
"""

import random
from collections.abc import Iterator

import pytest

from bot.channels import Channel, ChannelError, Dialect, Limits, Refused, Thread
from tests.channels.benches import Clock, DiscourseBench, everything
from tests.channels.faults import Fault
from tests.channels.memory import MemoryChannel, MemoryForum
from tests.size import size

POSTS = 6
WEB_FAULTS = ("drop", "late", "lost", "half", "few", "twice", "null", "page502", "page200")


def insist(channel: Channel, thread: Thread, text: str, clock: Clock) -> None:
    for _ in range(60):
        try:
            channel.post(thread, text, text)
        except Refused:
            raise
        except ChannelError:
            clock.wait(20)
        else:
            return
    raise AssertionError(f"{text} was never posted")


def follow(channel: Channel, thread: Thread, cursor: str | None, seen: list[str], clock: Clock) -> str | None:
    """Read on from a cursor and return the new one. A post may be returned twice; its text identifies it."""
    try:
        page = channel.read_since(thread, cursor)
    except ChannelError:
        clock.wait(20)
        return cursor
    seen += [post.raw for post in page.posts if post.raw not in seen]
    return page.cursor


@pytest.mark.parametrize("hundred", range(size(3, 30)))
def test_nothing_is_lost_doubled_or_out_of_order_in_memory(hundred: int) -> None:
    for seed in range(100 * hundred, 100 * hundred + 100):
        schedule(seed)


def schedule(seed: int) -> None:
    chance, clock = random.Random(seed), Clock()
    forum = MemoryForum(Limits(Dialect.MARKDOWN, 2_000, 0), clock)
    channel = MemoryChannel(forum)
    chani = forum.join("chani_77")
    thread, _ = channel.open_thread("sietch-7", "This is the thread of a game.", "first")
    cursor, seen = None, list[str]()
    for number in range(POSTS):
        forum.line.faults += chance.choices(list(Fault), k=chance.randrange(4))
        insist(channel, thread, f"Card {number} is up.", clock)
        forum.write(chani, thread.id, f"!bid {number}")
        cursor = follow(channel, thread, cursor, seen, clock)
    clock.wait(600)
    while forum.line.faults or len(seen) < 2 * POSTS + 1:
        cursor = follow(channel, thread, cursor, seen, clock)
    posts = [post.raw for post in sorted(forum.posts(thread.id), key=lambda post: post.number or 0)]
    words = ((f"Card {n} is up.", f"!bid {n}") for n in range(POSTS))
    assert posts == ["This is the thread of a game.", *(word for pair in words for word in pair)], seed
    assert sorted(seen) == sorted(posts), seed


@pytest.fixture(scope="module")
def discourse() -> Iterator[DiscourseBench]:
    made = DiscourseBench()
    yield made
    made.stop()


@pytest.mark.parametrize("seed", range(size(25, 300)))
def test_nothing_is_lost_doubled_or_out_of_order_in_discourse(discourse: DiscourseBench, seed: int) -> None:
    chance, clock, forum = random.Random(seed), discourse.clock, discourse.standin
    clock.wait(600)
    chani = discourse.join(f"chani_{seed}")
    thread, _ = discourse.channel.open_thread(
        f"sietch-7 (wbc-2018) {seed}", "This is the thread of a game.", f"first {seed}"
    )
    cursor, seen = None, list[str]()
    clock.wait(60)
    for number in range(POSTS):
        where = chance.choice(["", "write:"])
        forum.faults += [f"{where}{fault}" for fault in chance.choices(WEB_FAULTS, k=chance.randrange(4))]
        insist(discourse.channel, thread, f"Card {number} is up in game {seed}.", clock)
        discourse.write(chani, thread, f"!bid {number}")
        cursor = follow(discourse.channel, thread, cursor, seen, clock)
        clock.wait(20)
    forum.faults.clear()
    while len(seen) < 2 * POSTS + 1:
        cursor = follow(discourse.channel, thread, cursor, seen, clock)
    words = ((f"Card {n} is up in game {seed}.", f"!bid {n}") for n in range(POSTS))
    expected = ["This is the thread of a game.", *(word for pair in words for word in pair)]
    assert [post.raw for post in everything(discourse.channel, thread)] == expected
    assert seen == expected
