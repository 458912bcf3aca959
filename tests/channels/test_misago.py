"""What is particular to Misago: a session, marks that are seen, pages that move, sources that are asked for.

All runs against the stand-in; one test compares the stand-in with a real Misago, where there is one.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.channels.channel import CursorForgotten, Gone, NotPossible, Post, Refused, Thread, TooSoon, Unreachable
from bot.channels.misago import DEFAULT, Misago
from tests.channels.benches import MisagoStandinBench, everything

WORDS = "Card 1 is up: who bids?"
FIRST = "This is the thread of a game."


@pytest.fixture
def bench() -> Iterator[MisagoStandinBench]:
    made = MisagoStandinBench()
    yield made
    made.stop()


@pytest.fixture
def thread(bench: MisagoStandinBench) -> Thread:
    opened, _ = bench.channel.open_thread("sietch-7 (wbc-2018)", FIRST, "first")
    bench.settle()
    return opened


@pytest.fixture
def chani(bench: MisagoStandinBench) -> str:
    return bench.join("chani_77")


def texts(bench: MisagoStandinBench, thread: Thread) -> list[str]:
    return [post.raw for post in everything(bench.channel, thread)][1:]


def stored(bench: MisagoStandinBench, post: str) -> str:
    return bench.standin.posts[int(post.partition(".")[2])].original


def chat(bench: MisagoStandinBench, account: str, thread: Thread, count: int, first: int = 0) -> list[str]:
    return [bench.write(account, thread, f"Chat, number {number}.") for number in range(first, first + count)]


def asked(bench: MisagoStandinBench, what: str) -> int:
    return sum(request == what for request in bench.standin.asked)


def signed_in(bench: MisagoStandinBench) -> int:
    return asked(bench, "POST /api/auth/")


# the mark


def test_the_mark_at_the_end_of_our_posts_is_a_short_line_that_is_not_read(
    bench: MisagoStandinBench, thread: Thread
) -> None:
    post = bench.channel.post(thread, WORDS, "one")
    seen = stored(bench, post)
    assert seen.startswith(f"{WORDS}\n\n· ")
    assert len(seen) - len(WORDS) < 20
    assert texts(bench, thread) == [WORDS]
    assert [post.raw for post in everything(bench.again(), thread)] == [FIRST, WORDS]


def test_our_mark_in_a_post_of_somebody_else_makes_it_no_post_of_ours(
    bench: MisagoStandinBench, thread: Thread, chani: str
) -> None:
    ours = bench.channel.post(thread, WORDS, "one")
    forged = bench.write(chani, thread, stored(bench, ours))
    assert texts(bench, thread) == [WORDS, stored(bench, ours)]
    bench.standin.delete(int(ours.partition(".")[2]))
    bench.settle()
    assert bench.channel.post(thread, WORDS, "one") not in (ours, forged)


def test_a_post_of_ours_that_speaks_of_another_mark_is_not_found_under_its_key(
    bench: MisagoStandinBench, thread: Thread
) -> None:
    first = bench.channel.post(thread, WORDS, "one")
    mark = stored(bench, first).rpartition("\n\n")[2]
    bench.standin.delete(int(first.partition(".")[2]))
    bench.settle()
    second = bench.channel.post(thread, f"We wrote {mark}\n\nand more.", "two")
    by_hand = bench.standin.write(bench.standin.us, int(thread.id), f"We wrote {mark}, the game master says.")
    bench.settle()
    assert bench.again().post(thread, WORDS, "one") not in (first, second, f"{thread.id}.{by_hand.id}")


def test_a_post_of_the_same_key_in_another_thread_is_another_post(bench: MisagoStandinBench, thread: Thread) -> None:
    other, _ = bench.channel.open_thread("tabr-8 (wbc-2018)", FIRST, "second")
    bench.settle()
    here = bench.channel.post(thread, WORDS, "one")
    bench.settle()
    there = bench.channel.post(other, WORDS, "one")
    assert here.startswith(f"{thread.id}.")
    assert there.startswith(f"{other.id}.")


def test_a_post_that_lost_its_mark_can_be_revised(bench: MisagoStandinBench, thread: Thread) -> None:
    post = bench.channel.post(thread, WORDS, "one")
    bench.edit("", post, "A moderator was here.")
    bench.channel.revise(post, "Card 1 was up.")
    assert stored(bench, post) == "Card 1 was up."


def test_a_thread_is_told_with_its_address(bench: MisagoStandinBench, thread: Thread) -> None:
    assert thread.url == f"{bench.standin.address}/t/thread/{thread.id}/"
    assert bench.again().open_thread("sietch-7 (wbc-2018)", FIRST, "first")[0] == thread


# what a post says of itself


def test_a_post_tells_its_author_its_hours_and_its_edits(bench: MisagoStandinBench, thread: Thread, chani: str) -> None:
    post, written = bench.write(chani, thread, "!bid 3"), bench.clock()
    assert everything(bench.channel, thread)[-1] == Post(
        id=post, author="chani_77", author_id=chani, posted=written, raw="!bid 3", version=1
    )
    bench.clock.wait(60)
    bench.edit(chani, post, "!bid 9")
    changed = everything(bench.channel, thread)[-1]
    assert (changed.raw, changed.version) == ("!bid 9", 2)
    assert (changed.posted, changed.edited) == (written, bench.clock())


def test_a_post_whose_account_is_deleted_has_no_author_for_good(
    bench: MisagoStandinBench, thread: Thread, chani: str
) -> None:
    post = bench.write(chani, thread, "!bid 3")
    bench.standin.posts[int(post.partition(".")[2])].poster = None
    read = everything(bench.channel, thread)[-1]
    assert (read.author, read.author_id, read.raw) == ("chani_77", "", "!bid 3")


def test_a_source_is_asked_for_once_an_edit(bench: MisagoStandinBench, thread: Thread, chani: str) -> None:
    post = bench.write(chani, thread, "!bid 3")
    editor = f"GET /api/threads/{thread.id}/posts/reply_editor/"
    for _ in range(3):
        everything(bench.channel, thread)
        bench.channel.look_again(thread, [post])
    assert asked(bench, editor) == 1
    bench.edit(chani, post, "!bid 9")
    for _ in range(3):
        bench.channel.look_again(thread, [post])
    assert asked(bench, editor) == 2


def test_lines_end_as_they_do_everywhere(bench: MisagoStandinBench, thread: Thread, chani: str) -> None:
    bench.write(chani, thread, "I like it.\r\n\r\n!bid 3")
    assert texts(bench, thread) == ["I like it.\n\n!bid 3"]


def test_hidden_posts_events_and_posts_that_wait_for_a_moderator_are_no_posts(
    bench: MisagoStandinBench, thread: Thread, chani: str
) -> None:
    hidden, waiting = bench.write(chani, thread, "!bid 3"), bench.write(chani, thread, "!bid 4")
    ours = bench.channel.post(thread, WORDS, "one")
    for post in (hidden, waiting, ours):
        row = bench.standin.posts[int(post.partition(".")[2])]
        row.hidden, row.unapproved = post == hidden, post != hidden
    bench.channel.retitle(thread, "sietch-7 (wbc-2018): turn 2")
    event = f"{thread.id}.{max(bench.standin.posts)}"
    bench.write(chani, thread, "!bid 5")
    assert texts(bench, thread) == ["!bid 5"]
    asked_for = [hidden, waiting, ours, event]
    assert bench.channel.look_again(thread, asked_for) == tuple(Gone(post) for post in asked_for)


def test_a_closed_thread_gives_what_was_read_before_and_refuses_what_was_not(
    bench: MisagoStandinBench, thread: Thread, chani: str
) -> None:
    bench.write(chani, thread, "!bid 3")
    everything(bench.channel, thread)
    bench.close(thread)
    assert texts(bench, thread) == ["!bid 3"]
    with pytest.raises(Refused, match="closed"):
        everything(bench.again(), thread)


# pages


def test_a_long_thread_is_read_page_by_page_and_no_post_twice(
    bench: MisagoStandinBench, thread: Thread, chani: str
) -> None:
    written = chat(bench, chani, thread, 60)
    cursor, sizes, read = None, [], []
    more = True
    while more:
        page = bench.channel.read_since(thread, cursor)
        cursor, more = page.cursor, page.more
        sizes.append(len(page.posts))
        read += [post.id for post in page.posts]
    assert read[1:] == written
    assert sizes == [18, 17, 17, 9]
    pages = asked(bench, f"GET /api/threads/{thread.id}/posts/")
    assert bench.channel.read_since(thread, cursor).posts == ()
    assert asked(bench, f"GET /api/threads/{thread.id}/posts/") == pages + 1


@pytest.mark.parametrize(("before", "deleted"), [(30, 1), (30, 17), (60, 17), (60, 40), (60, 52)])
@pytest.mark.parametrize("more", [0, 30, 70])
def test_however_many_posts_are_deleted_no_new_one_is_missed(
    bench: MisagoStandinBench, thread: Thread, chani: str, before: int, deleted: int, more: int
) -> None:
    written = chat(bench, chani, thread, before)
    page = bench.channel.read_since(thread, None)
    while page.more:
        page = bench.channel.read_since(thread, page.cursor)
    for post in written[:deleted]:
        bench.delete(chani, post)
    new = chat(bench, chani, thread, more, before)
    read = []
    while True:
        page = bench.channel.read_since(thread, page.cursor)
        read += [post.id for post in page.posts]
        if not page.more:
            break
    assert read == new


def test_posts_deleted_on_pages_before_the_cursor_do_not_make_it_read_from_the_start(
    bench: MisagoStandinBench, thread: Thread, chani: str
) -> None:
    written = chat(bench, chani, thread, 100)
    page = bench.channel.read_since(thread, None)
    while page.more:
        page = bench.channel.read_since(thread, page.cursor)
    bench.delete(chani, written[0])
    new = chat(bench, chani, thread, 1, 100)
    before = asked(bench, f"GET /api/threads/{thread.id}/posts/")
    assert [post.id for post in bench.channel.read_since(thread, page.cursor).posts] == new
    assert asked(bench, f"GET /api/threads/{thread.id}/posts/") <= before + 2


def test_a_cursor_is_forgotten_where_the_newest_post_it_knew_is_gone_and_none_is_newer(
    bench: MisagoStandinBench, thread: Thread, chani: str
) -> None:
    post = bench.write(chani, thread, "!bid 3")
    cursor = bench.channel.read_since(thread, None).cursor
    assert bench.channel.read_since(thread, cursor).posts == ()
    bench.delete(chani, post)
    with pytest.raises(CursorForgotten):
        bench.channel.read_since(thread, cursor)
    bench.write(chani, thread, "!bid 4")
    assert [post.raw for post in bench.channel.read_since(thread, cursor).posts] == ["!bid 4"]


@pytest.mark.parametrize("cursor", ["", "3", "3.0", "3.", "x.1", "3.1.1.1", "-3.1"])
def test_a_cursor_that_is_no_place_is_forgotten(bench: MisagoStandinBench, thread: Thread, cursor: str) -> None:
    with pytest.raises(CursorForgotten):
        bench.channel.read_since(thread, cursor)


@pytest.mark.parametrize("count", [2, 30])
def test_a_post_that_a_moderator_approves_of_late_makes_the_cursor_forgotten_and_is_read(
    bench: MisagoStandinBench, thread: Thread, chani: str, count: int
) -> None:
    waiting = bench.standin.posts[int(bench.write(chani, thread, "!bid 3").partition(".")[2])]
    waiting.unapproved = True
    chat(bench, chani, thread, count)
    page = bench.channel.read_since(thread, None)
    while page.more:
        page = bench.channel.read_since(thread, page.cursor)
    assert bench.channel.read_since(thread, page.cursor).posts == ()
    waiting.unapproved = False
    new = chat(bench, chani, thread, 1)
    with pytest.raises(CursorForgotten):
        bench.channel.read_since(thread, page.cursor)
    assert texts(bench, thread)[0] == "!bid 3"
    page = bench.channel.read_since(thread, None)
    while page.more:
        page = bench.channel.read_since(thread, page.cursor)
    assert page.posts[-1].id == new[0]
    assert bench.channel.read_since(thread, page.cursor).posts == ()


def test_posts_that_are_deleted_make_room_for_one_that_is_approved_of_later(
    bench: MisagoStandinBench, thread: Thread, chani: str
) -> None:
    deleted, waiting, _ = chat(bench, chani, thread, 3)
    bench.standin.posts[int(waiting.partition(".")[2])].unapproved = True
    cursor = bench.channel.read_since(thread, None).cursor
    bench.delete(chani, deleted)
    cursor = bench.channel.read_since(thread, cursor).cursor
    bench.standin.posts[int(waiting.partition(".")[2])].unapproved = False
    with pytest.raises(CursorForgotten):
        bench.channel.read_since(thread, cursor)


def test_a_cursor_of_an_older_version_is_known(bench: MisagoStandinBench, thread: Thread, chani: str) -> None:
    read = [bench.write(chani, thread, "!bid 3"), bench.write(chani, thread, "!bid 4")]
    cursor = f"{read[0].partition('.')[2]}.1"
    assert [post.id for post in bench.channel.read_since(thread, cursor).posts] == read[1:]


def test_an_event_after_the_newest_post_leaves_a_cursor_valid(bench: MisagoStandinBench, thread: Thread) -> None:
    cursor = bench.channel.read_since(thread, None).cursor
    bench.channel.retitle(thread, "sietch-7 (wbc-2018): turn 2")
    assert bench.channel.read_since(thread, cursor).posts == ()


def test_posts_are_looked_at_again_wherever_they_stand_and_from_the_end_of_the_thread(
    bench: MisagoStandinBench, thread: Thread, chani: str
) -> None:
    written = chat(bench, chani, thread, 80)
    wanted = [written[70], written[2], "987654.1", written[40], written[-1]]
    found = bench.channel.look_again(thread, wanted)
    assert found[2] == Gone("987654.1")
    assert [post.id for post in found] == wanted
    assert [isinstance(post, Post) for post in found] == [True, True, False, True, True]
    before = asked(bench, f"GET /api/threads/{thread.id}/posts/")
    bench.channel.look_again(thread, [written[-1], written[-2]])
    assert asked(bench, f"GET /api/threads/{thread.id}/posts/") == before + 2


def test_a_post_of_another_thread_is_gone_from_this_one(bench: MisagoStandinBench, thread: Thread) -> None:
    _, first = bench.channel.open_thread("tabr-8 (wbc-2018)", FIRST, "second")
    assert bench.channel.look_again(thread, [first]) == (Gone(first),)
    number = first.partition(".")[2]
    assert bench.channel.look_again(thread, [f"{thread.id}.{number}"]) == (Gone(f"{thread.id}.{number}"),)


# limits


@pytest.mark.parametrize("length", [4, 59_951])
def test_what_is_too_short_or_too_long_is_not_asked_for(bench: MisagoStandinBench, thread: Thread, length: int) -> None:
    _, first = bench.channel.open_thread("sietch-7 (wbc-2018)", FIRST, "first")
    writes = (
        lambda: bench.channel.post(thread, "x" * length, "one"),
        lambda: bench.channel.revise(first, "x" * length),
        lambda: bench.channel.open_thread("tabr-8 (wbc-2018)", "x" * length, "second"),
    )
    before = len([request for request in bench.standin.asked if not request.startswith("GET")])
    for write in writes:
        with pytest.raises(Refused, match=str(length)):
            write()
    assert len([request for request in bench.standin.asked if not request.startswith("GET")]) == before
    assert everything(bench.channel, thread)[0].raw == FIRST


@pytest.mark.parametrize("length", [5, 59_950])
def test_what_is_as_short_or_as_long_as_can_be_is_taken(bench: MisagoStandinBench, thread: Thread, length: int) -> None:
    post = bench.channel.post(thread, "x" * length, "one")
    bench.channel.revise(post, "y" * length)
    assert texts(bench, thread) == ["y" * length]


def test_who_posts_waits_three_seconds_and_asks_nothing_before(bench: MisagoStandinBench, thread: Thread) -> None:
    bench.channel.post(thread, WORDS, "one")
    for wait in (3, 2, 1):
        with pytest.raises(TooSoon) as too_soon:
            bench.channel.post(thread, WORDS, "two")
        assert too_soon.value.seconds == wait
        bench.clock.wait(1)
    assert bench.standin.asked.count(f"POST /api/threads/{thread.id}/posts/") == 1
    bench.channel.post(thread, WORDS, "two")


def test_who_posts_too_quickly_for_this_forum_learns_to_be_slower(bench: MisagoStandinBench, thread: Thread) -> None:
    bench.channel = bench.again(limits=replace(DEFAULT, seconds_between_posts=0))
    bench.channel.post(thread, WORDS, "one")
    with pytest.raises(TooSoon, match="quickly") as too_soon:
        bench.channel.post(thread, WORDS, "two")
    assert too_soon.value.seconds == 3
    assert bench.channel.limits.seconds_between_posts == 3
    bench.settle()
    bench.channel.post(thread, WORDS, "two")
    with pytest.raises(TooSoon, match="quickly"):
        bench.channel.post(thread, WORDS, "three")
    assert asked(bench, f"POST /api/threads/{thread.id}/posts/") == 3


def test_who_was_slower_than_the_forum_wants_stays_so(bench: MisagoStandinBench, thread: Thread) -> None:
    bench.channel = bench.again(limits=replace(DEFAULT, seconds_between_posts=10))
    bench.again().post(thread, WORDS, "one")
    with pytest.raises(TooSoon):
        bench.channel.post(thread, WORDS, "two")
    assert bench.channel.limits.seconds_between_posts == 10


def test_who_need_not_wait_posts_at_once(bench: MisagoStandinBench, thread: Thread) -> None:
    bench.standin.hurried = True
    bench.channel = bench.again(limits=replace(DEFAULT, seconds_between_posts=0))
    for key in ("one", "two", "three"):
        bench.channel.post(thread, WORDS, key)
    assert texts(bench, thread) == [WORDS] * 3


def test_a_picture_cannot_be_brought(bench: MisagoStandinBench) -> None:
    with pytest.raises(NotPossible, match="attachments"):
        bench.channel.upload(b"png", "board.png")
    assert bench.standin.asked == []


@pytest.mark.parametrize("title", ["x", "x" * 91])
def test_a_title_that_the_forum_does_not_take_is_refused(bench: MisagoStandinBench, thread: Thread, title: str) -> None:
    for write in (
        lambda: bench.channel.open_thread(title, FIRST, "second"),
        lambda: bench.channel.retitle(thread, title),
    ):
        with pytest.raises(Refused, match="title"):
            write()


def test_a_thread_can_be_retitled(bench: MisagoStandinBench, thread: Thread) -> None:
    bench.channel.retitle(thread, "sietch-7 (wbc-2018): turn 2")
    assert bench.standin.threads[int(thread.id)].title == "sietch-7 (wbc-2018): turn 2"


# what a moderator must approve of


def test_a_post_that_waits_for_a_moderator_is_refused_and_found_when_it_is_approved(
    bench: MisagoStandinBench, thread: Thread
) -> None:
    bench.standin.approval = {"replies"}
    with pytest.raises(Refused, match="moderator"):
        bench.channel.post(thread, WORDS, "one")
    bench.standin.posts[max(bench.standin.posts)].unapproved = False
    bench.settle()
    bench.channel.post(thread, WORDS, "one")
    assert texts(bench, thread) == [WORDS]


def test_a_thread_that_waits_for_a_moderator_is_refused_and_found_when_it_is_approved(
    bench: MisagoStandinBench,
) -> None:
    bench.standin.approval = {"threads"}
    with pytest.raises(Refused, match="moderator"):
        bench.channel.open_thread("sietch-7 (wbc-2018)", FIRST, "first")
    [waiting] = bench.standin.threads
    assert bench.channel.read_since(Thread(str(waiting)), None).posts == ()
    bench.standin.posts[max(bench.standin.posts)].unapproved = False
    bench.settle()
    thread, _ = bench.channel.open_thread("sietch-7 (wbc-2018)", FIRST, "first")
    assert [post.raw for post in everything(bench.channel, thread)] == [FIRST]
    assert len(bench.standin.threads) == 1


def test_a_revision_that_waits_for_a_moderator_is_refused(bench: MisagoStandinBench, thread: Thread) -> None:
    first = everything(bench.channel, thread)[0].id
    bench.standin.approval = {"edits"}
    with pytest.raises(Refused, match="moderator"):
        bench.channel.revise(first, "Turn 2 is on the second page.")


# the session


def test_one_signs_in_once(bench: MisagoStandinBench, thread: Thread) -> None:
    bench.channel.post(thread, WORDS, "one")
    everything(bench.channel, thread)
    assert signed_in(bench) == 1


def test_a_wrong_password_is_refused_with_the_words_of_the_forum(bench: MisagoStandinBench, thread: Thread) -> None:
    stranger, cursor = bench.again("another password"), bench.channel.read_since(thread, None).cursor
    for use in (
        lambda: stranger.post(thread, WORDS, "one"),
        lambda: stranger.messages_since(None),
        lambda: stranger.read_since(thread, cursor),  # which a guest could do
    ):
        with pytest.raises(Refused, match="password is incorrect"):
            use()


@pytest.mark.parametrize("members_only", [False, True])
@pytest.mark.parametrize("use", ["post", "open", "revise", "retitle", "read", "look", "messages"])
def test_a_session_that_is_over_is_begun_again_unseen(
    bench: MisagoStandinBench, thread: Thread, chani: str, use: str, members_only: bool
) -> None:
    bench.standin.members_only = members_only
    post = bench.write(chani, thread, "!bid 3")
    bench.tell(chani, "!I am K7QX2M")
    first = bench.channel.open_thread("sietch-7 (wbc-2018)", FIRST, "first")[1]
    bench.standin.sessions.clear()
    match use:
        case "post":
            bench.channel.post(thread, WORDS, "one")
            assert texts(bench, thread) == ["!bid 3", WORDS]
        case "open":
            assert bench.channel.open_thread("sietch-7 (wbc-2018)", FIRST, "first")[1] == first
            assert len(bench.standin.threads) == 2
        case "revise":
            bench.channel.revise(first, "Turn 2 is on the second page.")
            assert stored(bench, first).startswith("Turn 2")
        case "retitle":
            bench.channel.retitle(thread, "sietch-7 (wbc-2018): turn 2")
            assert bench.standin.threads[int(thread.id)].title.endswith("turn 2")
        case "read":
            assert texts(bench, thread) == ["!bid 3"]
        case "look":
            [found] = bench.channel.look_again(thread, [post])
            assert isinstance(found, Post)
        case "messages":
            assert [message.raw for message in bench.channel.messages_since(None)[0]] == ["!I am K7QX2M"]
    assert signed_in(bench) == 2


def test_a_post_whose_answer_was_lost_with_the_session_is_not_written_again(
    bench: MisagoStandinBench, thread: Thread
) -> None:
    bench.standin.members_only = True
    bench.lose()
    with pytest.raises(Unreachable):
        bench.channel.post(thread, WORDS, "one")
    bench.settle()
    bench.standin.sessions.clear()
    bench.channel.post(thread, WORDS, "one")
    assert texts(bench, thread) == [WORDS]


def test_what_the_forum_refuses_with_a_session_that_holds_is_refused_at_once(
    bench: MisagoStandinBench, thread: Thread
) -> None:
    bench.close(thread)
    with pytest.raises(Refused, match="closed threads"):
        bench.channel.post(thread, WORDS, "one")
    assert signed_in(bench) == 1
    assert asked(bench, f"POST /api/threads/{thread.id}/posts/") == 1


def test_a_password_that_was_changed_ends_with_the_session(bench: MisagoStandinBench, thread: Thread) -> None:
    bench.standin.password = "another password"
    bench.channel.read_since(thread, None)
    bench.standin.sessions.clear()
    with pytest.raises(Refused, match="password is incorrect"):
        bench.channel.post(thread, WORDS, "one")


def test_another_category_and_a_thread_or_a_post_that_is_not_there_are_refused(
    bench: MisagoStandinBench, thread: Thread
) -> None:
    elsewhere = Misago(bench.standin.address, "mentat", "a password", 99, clock=lambda: 0.0)
    with pytest.raises(Refused, match="category"):
        elsewhere.open_thread("tabr-8 (wbc-2018)", FIRST, "second")
    for nowhere in (Thread("987654"), Thread("a thread of another forum")):
        for use in (
            lambda nowhere=nowhere: bench.channel.post(nowhere, WORDS, "one"),
            lambda nowhere=nowhere: bench.channel.read_since(nowhere, None),
            lambda nowhere=nowhere: bench.channel.retitle(nowhere, "sietch-7: turn 2"),
        ):
            with pytest.raises(Refused):
                use()
    for post in ("of another forum", f"{thread.id}.987654"):
        with pytest.raises(Refused):
            bench.channel.revise(post, WORDS)


def test_a_password_goes_only_over_tls() -> None:
    with pytest.raises(ValueError, match="https"):
        Misago("http://forum.example.org", "mentat", "a password", 3)


# private messages


def test_messages_come_in_the_order_in_which_they_were_written_and_ours_are_none(
    bench: MisagoStandinBench, chani: str
) -> None:
    stilgar, standin = bench.join("stilgar"), bench.standin
    first = standin.tell(standin.users[int(chani)], "The first word.")
    for account, text in ((stilgar, "The second word."), (chani, "The third word."), (stilgar, "The fourth word.")):
        bench.clock.wait(60)
        if text.startswith("The third"):
            standin.write(standin.users[int(chani)], first.id, text)
        else:
            bench.tell(account, text)
    standin.write(standin.us, first.id, "Our own word.")
    messages, cursor = bench.channel.messages_since(None)
    assert [(message.raw, message.author, message.author_id) for message in messages] == [
        ("The first word.", "chani_77", chani),
        ("The second word.", "stilgar", stilgar),
        ("The third word.", "chani_77", chani),
        ("The fourth word.", "stilgar", stilgar),
    ]
    assert bench.channel.messages_since(cursor) == ((), cursor)
    standin.write(standin.users[int(chani)], first.id, "The fifth word.")
    assert [message.raw for message in bench.again().messages_since(cursor)[0]] == ["The fifth word."]


def test_messages_that_were_read_cost_one_request(bench: MisagoStandinBench, chani: str) -> None:
    for number in range(5):
        bench.tell(chani, f"!I am K7QX2{number}")
        bench.clock.wait(1)
    read, cursor = bench.channel.messages_since(None)
    assert [message.raw for message in read] == [f"!I am K7QX2{number}" for number in range(5)]
    before = len(bench.standin.asked)
    assert bench.channel.messages_since(cursor) == ((), cursor)
    assert len(bench.standin.asked) == before + 1


def test_messages_of_many_private_threads_are_all_read(bench: MisagoStandinBench, chani: str) -> None:
    for number in range(60):
        bench.tell(chani, f"!I am K7QX2{number}")
        bench.clock.wait(1)
    read, _ = bench.channel.messages_since(None)
    assert [message.raw for message in read] == [f"!I am K7QX2{number}" for number in range(60)]


def test_a_long_private_thread_is_read_to_its_end(bench: MisagoStandinBench, chani: str) -> None:
    private = bench.standin.tell(bench.standin.users[int(chani)], "The first word.")
    for number in range(40):
        bench.standin.write(bench.standin.users[int(chani)], private.id, f"Word number {number}.")
    read, _ = bench.channel.messages_since(None)
    assert len(read) == 41


def test_a_private_thread_that_its_author_left_keeps_no_message_of_others_back(
    bench: MisagoStandinBench, chani: str
) -> None:
    left = bench.standin.tell(bench.standin.users[int(chani)], "You cannot read this any more.")
    bench.standin.leave(left.id, bench.standin.users[int(chani)])
    bench.tell(bench.join("stilgar"), "!I am K7QX2M")
    read, cursor = bench.channel.messages_since(None)
    assert [message.raw for message in read] == ["!I am K7QX2M"]
    assert bench.channel.messages_since(cursor)[0] == ()


@pytest.mark.parametrize("cursor", ["of another forum", "-1", "3.1"])
def test_a_cursor_of_messages_that_is_no_number_is_forgotten(bench: MisagoStandinBench, cursor: str) -> None:
    with pytest.raises(CursorForgotten):
        bench.channel.messages_since(cursor)


# the line


@pytest.mark.parametrize("fault", ["page502", "page200", "drop", "half", "null", "slow", "lost"])
def test_no_answer_that_can_be_read_leaves_open_what_was_done_and_nothing_is_posted_twice(
    bench: MisagoStandinBench, thread: Thread, fault: str
) -> None:
    bench.standin.faults.append(f"write:{fault}")
    with pytest.raises(Unreachable):
        bench.channel.post(thread, WORDS, "one")
    bench.settle()
    bench.channel.post(thread, WORDS, "one")
    assert texts(bench, thread) == [WORDS]


def test_a_request_that_arrives_after_it_was_given_up_is_one_post(bench: MisagoStandinBench, thread: Thread) -> None:
    bench.standin.faults.append("write:late")
    with pytest.raises(Unreachable):
        bench.channel.post(thread, WORDS, "one")
    bench.settle()
    with pytest.raises(TooSoon):  # it arrives now, just before the second one
        bench.channel.post(thread, WORDS, "one")
    bench.settle()
    bench.channel.post(thread, WORDS, "one")
    assert texts(bench, thread) == [WORDS]


@pytest.mark.parametrize("fault", ["page502", "page200", "drop", "half", "null"])
def test_what_cannot_be_read_is_read_later(bench: MisagoStandinBench, thread: Thread, fault: str) -> None:
    bench.standin.faults += [fault] * 3
    for read in (
        lambda: bench.channel.read_since(thread, None),
        lambda: bench.channel.look_again(thread, [f"{thread.id}.1"]),
        lambda: bench.channel.messages_since(None),
    ):
        with pytest.raises(Unreachable):
            read()
    assert bench.channel.read_since(thread, None).posts


@pytest.mark.parametrize("fault", ["page502", "page200", "drop", "half", "null", "lost"])
def test_a_line_that_breaks_while_one_signs_in_is_no_refusal(
    bench: MisagoStandinBench, thread: Thread, fault: str
) -> None:
    anew = bench.again()
    bench.standin.faults.append(f"write:{fault}")
    with pytest.raises(Unreachable):
        anew.read_since(thread, None)
    assert anew.read_since(thread, None).posts
