"""The trial of a forum: the results for each kind, and the messages when something fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.channels import Channel, Gone, Page, Post, Refused, Thread
from bot.forum.access import TWICE, Step, Trial
from tests.channels.benches import DiscourseBench, ListBench, everything
from tests.channels.memory import ROOMY, MemoryChannel, MemoryForum

STEPS = [
    "open a thread", "open it again under the same key", "post in it", "post the same again under the same key",
    "read it back", "change the first post", "rename the thread", "bring a picture", "read private messages",
]  # fmt: skip


@pytest.fixture
def discourse() -> Iterator[DiscourseBench]:
    made = DiscourseBench()
    yield made
    made.stop()


def tried(
    channel: Channel, kind: str, bench: DiscourseBench | ListBench | None = None
) -> tuple[Trial, dict[str, Step]]:
    clock = bench.clock if bench else None
    forum = channel.forum if isinstance(channel, MemoryChannel) else None
    now = clock or (forum.now if forum else None)
    assert now is not None
    trial = Trial(channel, kind, "a1b2c3", now, 60, clock.wait if clock else lambda seconds: None)
    return trial, {step.name: step for step in trial.steps()}


def wrong(steps: dict[str, Step]) -> dict[str, str]:
    return {step.name: step.advice for step in steps.values() if step.state == "wrong"}


def test_all_that_games_need_is_tried_once_and_leaves_one_thread_of_two_posts() -> None:
    forum = MemoryForum()
    trial, steps = tried(MemoryChannel(forum), "discourse")
    assert list(steps) == STEPS
    assert {step.state for step in steps.values()} == {"well"}
    [thread] = forum.threads()
    assert trial.thread is not None
    assert trial.thread.id == thread
    assert len(forum.posts(thread)) == 2
    assert forum.title(thread) == "Mentat is testing this forum (a1b2c3, renamed)"


def test_it_is_told_how_many_private_messages_there_are() -> None:
    forum = MemoryForum()
    channel = MemoryChannel(forum)
    chani = forum.join("chani_77")
    for words in ("sietch 12345", "are you there?"):
        forum.tell(chani, channel.account, words)
    assert tried(channel, "discourse")[1]["read private messages"].told.startswith("2 there now")


def test_what_a_kind_of_forum_does_not_have_is_nothing_wrong() -> None:
    forum = MemoryForum(replace(ROOMY, pictures=False, revisable=False), private_messages=False)
    _, steps = tried(MemoryChannel(forum), "discourse")
    cannot = [step.name for step in steps.values() if step.state == "cannot"]
    assert cannot == ["change the first post", "rename the thread", "bring a picture", "read private messages"]
    assert wrong(steps) == {}


def test_a_discourse_forum_is_tried_within_its_limits(discourse: DiscourseBench) -> None:
    trial, steps = tried(discourse.channel, "discourse", discourse)
    assert wrong(steps) == {}
    assert trial.thread is not None
    assert steps["open a thread"].told == trial.thread.url
    assert len(everything(discourse.channel, trial.thread)) == 2


def test_a_key_that_was_revoked_is_told_with_the_way_to_another(discourse: DiscourseBench) -> None:
    discourse.standin.key = "another"
    _, steps = tried(discourse.channel, "discourse", discourse)
    assert "Admin > API" in wrong(steps)["open a thread"]
    assert {steps[name].state for name in STEPS[1:7]} == {"left"}


def test_a_category_without_permission_is_told_with_the_permission(discourse: DiscourseBench) -> None:
    discourse.channel._category = 99
    _, steps = tried(discourse.channel, "discourse", discourse)
    assert "Create / Reply / See" in wrong(steps)["open a thread"]


def test_posts_that_wait_for_approval_are_wrong(discourse: DiscourseBench) -> None:
    discourse.standin.approval = True
    _, steps = tried(discourse.channel, "discourse", discourse)
    assert "moderator approves" in steps["open a thread"].told


def test_a_forum_that_is_away_is_told_with_where_to_look() -> None:
    bench = DiscourseBench()
    bench.stop()
    _, steps = tried(bench.channel, "discourse", bench)
    assert "opens in a browser" in wrong(steps)["open a thread"]


def test_patience_is_had_for_as_long_as_was_said(discourse: DiscourseBench) -> None:
    discourse.channel._site.be_quiet(30)
    assert wrong(tried(discourse.channel, "discourse", discourse)[1]) == {}
    discourse.channel._site.be_quiet(300)
    _, steps = tried(discourse.channel, "discourse", discourse)
    assert "of waiting" in steps["open a thread"].told
    assert "--wait" in steps["open a thread"].advice


def test_a_clock_that_differs_is_told() -> None:
    forum = MemoryForum()
    now = forum.now
    channel = MemoryChannel(forum)
    forum.skew = timedelta(hours=1)
    trial = Trial(channel, "discourse", "a1b2c3", lambda: now() - timedelta(hours=1), 60, lambda seconds: None)
    [read] = [step for step in trial.steps() if step.name == "read it back"]
    assert (read.state, "seconds ahead" in read.told) == ("well", True)


def test_the_mails_of_a_list_must_come_back() -> None:
    bench = ListBench()
    _, steps = tried(bench.channel, "list", bench)
    assert wrong(steps) == {}
    assert steps["read it back"].state == "well"
    bench = ListBench()
    bench.list.members.clear()
    _, steps = tried(bench.channel, "list", bench)
    assert "a member of the list" in wrong(steps)["read it back"]


class Faulty(MemoryChannel):
    """A forum in memory with one given fault."""

    def __init__(self, fault: str) -> None:
        super().__init__(MemoryForum())
        self.fault = fault
        self.asked = 0

    def open_thread(self, title: str, first: str, key: str) -> tuple[Thread, str]:
        return super().open_thread(title, first, self._key(key, "threads"))

    def post(self, thread: Thread, text: str, key: str) -> str:
        if self.fault == "closed":
            raise Refused("the thread is closed")
        return super().post(thread, text, self._key(key, "posts"))

    def revise(self, post: str, text: str) -> None:
        if self.fault != "deaf":
            super().revise(post, text)

    def look_again(self, thread: Thread, posts: Sequence[str]) -> tuple[Post | Gone, ...]:
        if self.fault == "gone":
            return tuple(Gone(post) for post in posts)
        return super().look_again(thread, posts)

    def read_since(self, thread: Thread, cursor: str | None) -> Page:
        page = super().read_since(thread, None)
        if self.fault == "garbled":
            return replace(page, posts=(page.posts[0], replace(page.posts[1], raw="Mentat tries  nothing.")))
        if self.fault == "anonymous":
            return replace(page, posts=(replace(page.posts[0], author_id=""), page.posts[1]))
        if self.fault == "paged":
            place = int(cursor or 0)
            return Page(page.posts[place : place + 1], str(place + 1), place + 1 < len(page.posts))
        if self.fault == "spread":
            return replace(page, posts=tuple(replace(post, raw=post.raw.replace(" ", "\n  ")) for post in page.posts))
        return page if self.fault != "endless" else Page(page.posts[:1], "more", True)

    def _key(self, key: str, what: str) -> str:
        self.asked += 1
        return f"{key}-{self.asked}" if self.fault == what else key


@pytest.mark.parametrize(
    ("fault", "step", "told", "advice"),
    [
        ("threads", "open it again under the same key", "there are two threads now: ", TWICE),
        ("posts", "post the same again under the same key", "there are two posts now: ", TWICE),
        ("garbled", "read it back", "does not read back as it was written: 'Mentat tries  nothing.'", ""),
        ("anonymous", "read it back", "it does not show which account wrote a post", "Create the key in Admin"),
        ("endless", "read it back", "1 of the 2 posts cannot be read yet", "opens in a browser"),
        ("deaf", "change the first post", "the change does not appear", "edit its posts at any time"),
        ("gone", "change the first post", "the change does not appear", "edit its posts at any time"),
    ],
)
def test_a_forum_that_does_not_keep_to_what_games_need_is_told_where(
    fault: str, step: str, told: str, advice: str
) -> None:
    _, steps = tried(Faulty(fault), "discourse")
    assert list(wrong(steps)) == [step]
    assert told in steps[step].told
    assert advice in steps[step].advice
    assert bool(advice) == bool(steps[step].advice)


def test_where_nothing_can_be_posted_the_thread_alone_is_read() -> None:
    _, steps = tried(Faulty("closed"), "discourse")
    assert [(step.name, step.told) for step in steps.values() if step.state == "wrong"] == [
        ("post in it", "the thread is closed")
    ]
    again = steps["post the same again under the same key"]
    assert (again.state, again.told) == ("cannot", "nothing was posted")
    assert steps["read it back"].told == "as it was written, by Mentat"


@pytest.mark.parametrize("manner", ["paged", "spread"])
def test_posts_may_come_on_many_pages_and_with_other_breaks(manner: str) -> None:
    assert wrong(tried(Faulty(manner), "discourse")[1]) == {}


@pytest.mark.parametrize(("seconds", "told"), [(60, "by Mentat"), (-60, "by Mentat"), (61, "61 seconds ahead"),
                                               (-61, "61 seconds behind")])  # fmt: skip
def test_a_clock_that_differs_by_more_than_a_minute_is_told(seconds: int, told: str) -> None:
    began = datetime(2026, 3, 2, 12, tzinfo=UTC)
    channel = MemoryChannel(MemoryForum(now=lambda: began + timedelta(seconds=seconds)))
    trial = Trial(channel, "discourse", "a1b2c3", lambda: began, 60, lambda seconds: None)
    [read] = [step for step in trial.steps() if step.name == "read it back"]
    assert read.told.endswith(told)


@pytest.mark.parametrize(("seconds", "had"), [(60, True), (61, False)])
def test_patience_is_had_up_to_the_seconds_that_were_given(discourse: DiscourseBench, seconds: int, had: bool) -> None:
    discourse.channel._site.be_quiet(seconds)
    assert (wrong(tried(discourse.channel, "discourse", discourse)[1]).get("open a thread") is None) is had
