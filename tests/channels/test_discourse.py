"""Tests for Discourse's refusals, silences and edits, against the stand-in.

The last test opens a topic in a real forum. It needs MENTAT_DISCOURSE, the address of a category such as
https://forum.example.org/c/NUMBER, and MENTAT_DISCOURSE_KEY, the NAME:KEY of an account that may open topics there.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from uuid import uuid4

import pytest

from bot.channels import ChannelError, Gone, NotPossible, Post, Refused, Thread, TooSoon, Unreachable
from bot.channels.discourse import DEFAULT, Discourse
from tests.channels import discourse_server
from tests.channels.benches import DiscourseBench, everything
from tests.channels.discourse_server import CATEGORY, IN_A_ROW, No
from tests.channels.faulty_server import Answer, Query

WORDS = "Card 1 is up: who bids?"


@pytest.fixture
def bench() -> Iterator[DiscourseBench]:
    made = DiscourseBench()
    yield made
    made.stop()


@pytest.fixture
def thread(bench: DiscourseBench) -> Thread:
    opened, _ = bench.channel.open_thread("sietch-7 (wbc-2018)", "This is the thread of a game.", "first")
    bench.settle()
    return opened


def posts(bench: DiscourseBench, thread: Thread) -> list[str]:
    return [post.raw for post in everything(bench.channel, thread)][1:]


@pytest.mark.parametrize("fault", ["page502", "page200", "drop", "half", "null", "slow", "lost"])
def test_no_answer_that_can_be_read_leaves_open_what_was_done_and_nothing_is_posted_twice(
    bench: DiscourseBench, thread: Thread, fault: str
) -> None:
    bench.standin.faults.append(f"write:{fault}")
    with pytest.raises(Unreachable):
        bench.channel.post(thread, WORDS, "one")
    bench.settle()
    bench.channel.post(thread, WORDS, "one")
    assert posts(bench, thread) == [WORDS]


def test_a_request_that_arrives_after_it_was_given_up_is_one_post(bench: DiscourseBench, thread: Thread) -> None:
    bench.standin.faults.append("write:late")
    with pytest.raises(Unreachable):
        bench.channel.post(thread, WORDS, "one")
    bench.settle()
    with pytest.raises(TooSoon):  # the delayed post arrives now, just before the second one
        bench.channel.post(thread, WORDS, "one")
    bench.settle()
    bench.channel.post(thread, WORDS, "one")
    assert posts(bench, thread) == [WORDS]


def test_a_request_that_arrives_twice_is_one_post(bench: DiscourseBench, thread: Thread) -> None:
    bench.standin.staff = True
    bench.standin.faults.append("write:twice")
    post = bench.channel.post(thread, WORDS, "one")
    assert [one.id for one in everything(bench.channel, thread)][1:] == [post]


@pytest.mark.parametrize("fault", ["page502", "page200", "drop", "half", "null", "deep"])
def test_what_cannot_be_read_is_read_later(bench: DiscourseBench, thread: Thread, fault: str) -> None:
    bench.standin.faults += [fault] * 3
    for read in (
        lambda: bench.channel.read_since(thread, None),
        lambda: bench.channel.look_again(thread, ["5000"]),
        lambda: bench.channel.messages_since(None),
    ):
        with pytest.raises(Unreachable):
            read()
    assert bench.channel.read_since(thread, None).posts


def test_half_of_a_page_is_noticed_and_the_rest_asked_for(bench: DiscourseBench, thread: Thread) -> None:
    chani = bench.standin.join("chani_77")
    for number in range(30):
        bench.standin.write(chani, int(thread.id), f"!bid {number} for the card")
    cursor = bench.channel.read_since(thread, None).cursor
    bench.standin.faults += ["few", "few"]
    page = bench.channel.read_since(thread, cursor)
    assert [post.raw for post in page.posts] == [f"!bid {number} for the card" for number in range(19, 30)]


def test_our_mark_in_a_post_of_somebody_else_makes_it_no_post_of_ours(bench: DiscourseBench, thread: Thread) -> None:
    ours = bench.channel.post(thread, WORDS, "one")
    marked = bench.standin.posts[int(ours)].raw
    assert marked.startswith(WORDS)
    assert marked != WORDS
    forged = bench.standin.write(bench.standin.join("edric"), int(thread.id), marked)
    assert everything(bench.channel, thread)[-1].raw == marked
    assert bench.channel.post(thread, WORDS, "one") == ours
    bench.standin.posts[int(ours)].deleted = True
    bench.settle()
    bench.clock.wait(300)
    assert bench.channel.post(thread, WORDS, "one") not in (ours, str(forged))


def test_the_fourth_post_in_a_row_is_refused_and_the_limit_learnt(bench: DiscourseBench, thread: Thread) -> None:
    bench.channel = Discourse(
        bench.standin.address, bench.standin.key, "mentat", CATEGORY, replace(DEFAULT, posts_in_a_row=None)
    )
    for number in range(IN_A_ROW - 1):
        bench.channel.post(thread, f"{WORDS} ({number})", f"{number}")
        bench.settle()
    with pytest.raises(Refused, match="consecutive"):
        bench.channel.post(thread, WORDS, "one too many")
    assert bench.channel.limits.posts_in_a_row == IN_A_ROW
    bench.standin.write(bench.standin.join("chani_77"), int(thread.id), "A word of chat.")
    bench.channel.post(thread, WORDS, "one too many")


@pytest.mark.parametrize("longest", [10_000, 1_000])
def test_what_is_too_long_for_this_forum_is_refused_and_the_limit_learnt(
    bench: DiscourseBench, thread: Thread, longest: int
) -> None:
    bench.standin.longest = longest
    with pytest.raises(Refused, match=f"limited to {longest} characters"):
        bench.channel.post(thread, "x y " * 5_000, "long")
    assert longest - 100 < bench.channel.limits.characters < longest
    bench.settle()
    bench.channel.post(thread, "z" * bench.channel.limits.characters, "as long as can be")
    with pytest.raises(Refused):
        bench.channel.post(thread, "x" * 40_000, "never asked")
    assert sum(asked.startswith("POST /posts") for asked in bench.standin.asked) == 3


def test_a_forum_that_asks_for_patience_is_left_in_peace_for_so_long(bench: DiscourseBench, thread: Thread) -> None:
    for _ in range(60 - len(bench.standin.asked)):
        bench.channel.messages_since(None)
    with pytest.raises(TooSoon):
        bench.channel.read_since(thread, None)
    asked = len(bench.standin.asked)
    with pytest.raises(TooSoon) as too_soon:
        bench.channel.read_since(thread, None)
    assert len(bench.standin.asked) == asked
    bench.clock.wait(too_soon.value.seconds + 1)
    assert bench.channel.read_since(thread, None).posts


def test_who_posts_too_quickly_learns_to_be_slower(bench: DiscourseBench, thread: Thread) -> None:
    bench.channel = Discourse(
        bench.standin.address,
        bench.standin.key,
        "mentat",
        CATEGORY,
        replace(DEFAULT, seconds_between_posts=0),
        clock=lambda: bench.clock().timestamp(),
    )
    bench.channel.post(thread, WORDS, "one")
    with pytest.raises(TooSoon):
        bench.channel.post(thread, WORDS, "two")
    learnt = bench.channel.limits.seconds_between_posts
    assert learnt >= 5
    bench.settle()
    bench.channel.post(thread, WORDS, "two")
    assert bench.channel.limits.seconds_between_posts < learnt


def test_a_post_that_waits_for_a_moderator_is_refused(bench: DiscourseBench, thread: Thread) -> None:
    bench.standin.approval = True
    with pytest.raises(Refused, match="moderator"):
        bench.channel.post(thread, WORDS, "one")


def test_a_revoked_key_another_category_and_a_thread_taken_away_are_refused(
    bench: DiscourseBench, thread: Thread
) -> None:
    elsewhere = Discourse(bench.standin.address, bench.standin.key, "mentat", CATEGORY + 1)
    with pytest.raises(Refused):
        elsewhere.open_thread("tabr-8 (wbc-2018)", "This is the thread of a game.", "second")
    bench.standin.topics[int(thread.id)].deleted = True
    for use in (bench.channel.post, elsewhere.post):
        with pytest.raises(Refused):
            use(thread, WORDS, "one")
    with pytest.raises(Refused):
        bench.channel.read_since(thread, None)
    bench.standin.key = "another"
    with pytest.raises(Refused):
        bench.channel.messages_since(None)


def test_whispers_notices_and_hidden_posts_are_no_posts(bench: DiscourseBench, thread: Thread) -> None:
    chani = bench.standin.join("chani_77")
    topic = int(thread.id)
    hidden = bench.standin.write(chani, topic, "!bid 3 for the card")
    bench.standin.posts[hidden].hidden = True
    bench.standin.write(chani, topic, "This topic was closed", type=3)
    bench.standin.write(chani, topic, "The staff whispers", type=4)
    bench.standin.write(chani, topic, "A moderator speaks", type=2)
    assert posts(bench, thread) == ["A moderator speaks"]
    assert bench.channel.look_again(thread, [str(hidden)]) == (Gone(str(hidden)),)


def test_half_of_a_sign_that_json_may_spell_and_no_text_may_hold_is_a_question_mark(
    bench: DiscourseBench, thread: Thread
) -> None:
    chani = bench.standin.join("chani_77")
    bench.standin.write(chani, int(thread.id), "!bid 3 \ud83d or more")
    bench.standin.write(chani, int(thread.id), "!bid 3 \U0001f600 or more")
    assert posts(bench, thread) == ["!bid 3 ? or more", "!bid 3 \U0001f600 or more"]


@pytest.mark.parametrize("staff", [False, True])
def test_a_post_deleted_by_a_moderator_is_gone_for_staff_too(
    bench: DiscourseBench, thread: Thread, staff: bool
) -> None:
    bench.standin.staff = staff
    post = bench.standin.write(bench.standin.join("chani_77"), int(thread.id), "!bid 3 for the card")
    bench.standin.posts[post].deleted = True
    assert bench.channel.look_again(thread, [str(post)]) == (Gone(str(post)),)


def test_a_post_moved_to_another_thread_is_gone(bench: DiscourseBench, thread: Thread) -> None:
    other, _ = bench.channel.open_thread("tabr-8 (wbc-2018)", "This is another thread.", "second")
    post = bench.standin.write(bench.standin.join("chani_77"), int(thread.id), "!bid 3 for the card")
    bench.standin.posts[post].topic = int(other.id)
    assert bench.channel.look_again(thread, [str(post)]) == (Gone(str(post)),)


def test_an_edit_in_silence_shows_in_the_words_alone(bench: DiscourseBench, thread: Thread) -> None:
    chani = bench.standin.join("chani_77")
    silent, late = (bench.standin.write(chani, int(thread.id), "!bid 3 for the card") for _ in range(2))
    bench.standin.edit(silent, "!bid 9 for the card")
    bench.clock.wait(301)
    bench.standin.edit(late, "!bid 9 for the card")
    read = everything(bench.channel, thread)[1:]
    assert [(post.raw, post.version, post.edited) for post in read] == [
        ("!bid 9 for the card", 1, None),
        ("!bid 9 for the card", 2, bench.clock()),
    ]


def test_a_key_goes_only_over_tls() -> None:
    with pytest.raises(ValueError, match="https"):
        Discourse("http://forum.example.org", "key", "mentat")


def test_messages_that_were_read_cost_one_request(bench: DiscourseBench) -> None:
    chani = bench.standin.join("chani_77")
    for number in range(5):
        bench.standin.tell(chani, f"!I am K7QX2{number}")
    read, cursor = bench.channel.messages_since(None)
    assert [message.raw for message in read] == [f"!I am K7QX2{number}" for number in range(5)]
    asked = len(bench.standin.asked)
    assert bench.channel.messages_since(cursor) == ((), cursor)
    assert len(bench.standin.asked) == asked + 1
    assert bench.again().messages_since(cursor) == ((), cursor)


def test_errors_tell_what_the_forum_said(bench: DiscourseBench, thread: Thread) -> None:
    bench.standin.topics[int(thread.id)].closed = True
    with pytest.raises(ChannelError, match="not permitted"):
        bench.channel.post(thread, WORDS, "one")


def test_a_request_for_a_thread_that_arrives_after_it_was_given_up_is_one_thread(bench: DiscourseBench) -> None:
    bench.standin.faults.append("write:late")
    with pytest.raises(Unreachable):
        bench.channel.open_thread("sietch-7 (wbc-2018)", "This is the thread of a game.", "first")
    bench.settle()  # the delayed post arrives now, just before the second one
    opened, post = bench.channel.open_thread("sietch-7 (wbc-2018)", "This is the thread of a game.", "first")
    assert [str(topic) for topic in bench.standin.topics] == [opened.id]
    assert [str(each) for each in bench.standin.posts] == [post]


def test_a_forum_without_a_category_for_us_gets_a_thread_without_one(bench: DiscourseBench) -> None:
    channel = Discourse(bench.standin.address, bench.standin.key, "mentat")
    with pytest.raises(Refused):
        channel.open_thread("tabr-8 (wbc-2018)", "This is the thread of a game.", "first")
    bench.standin.uncategorized = True
    opened, _ = channel.open_thread("tabr-8 (wbc-2018)", "This is the thread of a game.", "first")
    assert bench.standin.topics[int(opened.id)].category is None


def test_a_post_of_somebody_else_is_not_ours_to_revise(bench: DiscourseBench, thread: Thread) -> None:
    bid = bench.standin.write(bench.standin.join("chani_77"), int(thread.id), "!bid 3 for the card")
    with pytest.raises(Refused, match=f"post {bid} is not ours"):
        bench.channel.revise(str(bid), "!bid 9 for the card, or more")
    assert posts(bench, thread) == ["!bid 3 for the card"]
    assert not any(asked.startswith("PUT") for asked in bench.standin.asked)


def test_what_somebody_posted_with_our_account_has_no_mark_and_is_revised_without_one(
    bench: DiscourseBench, thread: Thread
) -> None:
    by_hand = bench.standin.write(bench.standin.us, int(thread.id), "The game master was here.")
    bench.settle()
    post = bench.channel.post(thread, WORDS, "one")
    assert post != str(by_hand)
    bench.channel.revise(str(by_hand), "The game master was here, and went.")
    assert bench.standin.posts[by_hand].raw == "The game master was here, and went."
    assert posts(bench, thread) == ["The game master was here, and went.", WORDS]


def test_what_we_wrote_into_a_private_message_is_none_for_us(bench: DiscourseBench) -> None:
    bench.standin.tell(bench.standin.join("chani_77"), "!I am K7QX2")
    [topic] = bench.standin.topics
    ours = bench.standin.write(bench.standin.us, topic, "Thank you, the game master.")
    messages, cursor = bench.channel.messages_since(None)
    assert [message.raw for message in messages] == ["!I am K7QX2"]
    assert cursor == str(ours)


@pytest.mark.parametrize(("between", "found"), [(19, True), (20, True), (99, True), (100, False)])
def test_our_post_is_found_in_a_forum_that_gives_the_posts_of_all_unless_it_is_far_behind(
    bench: DiscourseBench, thread: Thread, monkeypatch: pytest.MonkeyPatch, between: int, found: bool
) -> None:
    ours = bench.channel.post(thread, WORDS, "one")
    chani = bench.standin.join("chani_77")
    for number in range(between):
        bench.standin.write(chani, int(thread.id), f"!bid {number} for the card")
    bench.clock.wait(300)
    whole = bench.standin._topic
    monkeypatch.setattr(bench.standin, "_topic", lambda number, query, *more: whole(number, {"include_raw": ["1"]}))
    assert (bench.channel.post(thread, WORDS, "one") == ours) is found


def test_a_forum_that_gives_pages_without_sources_is_asked_for_each_post(
    bench: DiscourseBench, thread: Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    bid = bench.standin.write(bench.standin.join("chani_77"), int(thread.id), "!bid 3 for the card")
    some = bench.standin._some_posts

    def bare(number: str, query: Query, *_: object) -> Answer:
        return some(number, {"post_ids[]": query["post_ids[]"]})

    monkeypatch.setattr(bench.standin, "_some_posts", bare)
    [post] = bench.channel.look_again(thread, [str(bid)])
    assert isinstance(post, Post)
    assert post.raw == "!bid 3 for the card"


def test_a_post_whose_writer_has_no_account_any_more_is_nobody_s(
    bench: DiscourseBench, thread: Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.standin.write(bench.standin.join("chani_77"), int(thread.id), "!bid 3 for the card")
    shown = bench.standin._shown
    nobody = {"user_id": None, "username": None, "yours": False}
    monkeypatch.setattr(bench.standin, "_shown", lambda post, raw: shown(post, raw) | nobody)
    post = bench.channel.read_since(thread, None).posts[-1]
    assert (post.raw, post.author, post.author_id) == ("!bid 3 for the card", "", "")


def test_a_forum_that_takes_no_pictures_is_sent_none(bench: DiscourseBench) -> None:
    limits = replace(DEFAULT, pictures=False)
    channel = Discourse(bench.standin.address, bench.standin.key, "mentat", CATEGORY, limits)
    with pytest.raises(NotPossible, match="takes no pictures"):
        channel.upload(b"a picture", "board.png")
    assert bench.standin.asked == []


def test_our_mark_in_the_first_post_of_a_thread_of_somebody_else_is_no_post_of_ours(
    bench: DiscourseBench, thread: Thread
) -> None:
    marked = bench.standin.posts[int(bench.channel.post(thread, WORDS, "one"))]
    marked.deleted = True
    bench.clock.wait(300)
    edric = bench.standin.join("edric")
    bench.standin.tell(edric, marked.raw)
    theirs = bench.standin.topics[max(bench.standin.topics)]
    post = bench.channel.post(Thread(str(theirs.id)), WORDS, "one")
    assert bench.standin.posts[int(post)].user is bench.standin.us
    bench.settle()
    assert bench.channel.post(Thread(str(theirs.id)), WORDS, "one") == post


@pytest.mark.parametrize(("status", "gone"), [(403, True), (404, True), (410, True), (400, False), (422, False)])
def test_a_post_is_gone_only_where_the_forum_says_so(
    bench: DiscourseBench, thread: Thread, monkeypatch: pytest.MonkeyPatch, status: int, gone: bool
) -> None:
    bid = bench.standin.write(bench.standin.join("chani_77"), int(thread.id), "!bid 3 for the card")
    bench.standin.posts[bid].deleted = True

    def no(*_: object) -> Answer:
        raise No(status, "Not this one.")

    monkeypatch.setattr(bench.standin, "_post", no)
    if gone:
        assert bench.channel.look_again(thread, [str(bid)]) == (Gone(str(bid)),)
    else:
        with pytest.raises(Refused, match="Not this one"):
            bench.channel.look_again(thread, [str(bid)])


def test_messages_are_read_from_more_than_one_page_of_them(bench: DiscourseBench) -> None:
    chani = bench.standin.join("chani_77")
    for number in range(32):
        bench.standin.tell(chani, f"!I am K7QX2{number}")
    read, _ = bench.channel.messages_since(None)
    assert [message.raw for message in read] == [f"!I am K7QX2{number}" for number in range(32)]


def test_a_forum_that_does_not_say_which_post_it_wrote_leaves_open_whether_it_did(
    bench: DiscourseBench, thread: Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.standin, "_create", lambda *_: {"action": "create_post", "success": True})
    with pytest.raises(Unreachable, match="which post"):
        bench.channel.post(thread, WORDS, "one")


def test_what_is_too_short_for_this_forum_is_refused_and_the_limit_learnt(
    bench: DiscourseBench, thread: Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discourse_server, "SHORTEST", 40)
    for _ in range(2):
        with pytest.raises(Refused, match="40"):
            bench.channel.post(thread, "x y" * 13, "short")
    assert sum(asked.startswith("POST /posts") for asked in bench.standin.asked) == 2
    assert bench.channel.limits == replace(DEFAULT, characters_at_least=40)
    bench.channel.post(thread, "x" * 40, "just long enough")


def test_a_no_that_says_nothing_of_lengths_teaches_none(bench: DiscourseBench, thread: Thread) -> None:
    before = bench.channel.limits
    with pytest.raises(Refused, match="already been used"):
        bench.channel.open_thread("sietch-7 (wbc-2018)", "This is the thread of another game.", "second")
    assert bench.channel.limits == before


def test_a_thread_whose_number_is_none_is_refused_unasked(bench: DiscourseBench) -> None:
    with pytest.raises(Refused, match="there is no thread <1@example"):
        bench.channel.post(Thread("<1@example.org>"), WORDS, "one")
    assert bench.standin.asked == []


def answers(
    bench: DiscourseBench, patch: pytest.MonkeyPatch, status: int, headers: dict[str, str], answer: object = None
) -> None:
    patch.setattr(bench.standin, "reply", lambda *_: (status, list(headers.items()), answer))


@pytest.mark.parametrize(
    ("place", "told", "requests"),
    [
        ("/t/1.json", "the forum has moved to /t/1.json", 4),
        ("https://forum.example.org/t/1.json", "the forum redirects us to forum.example.org", 1),
        ("http://127.0.0.1:1/t/1.json", "the forum redirects us to 127.0.0.1", 1),
        ("https:HERE/t/1.json", "the forum redirects us to 127.0.0.1", 1),
    ],
)
def test_a_key_goes_to_no_other_place_than_the_forum_and_not_on_and_on(
    bench: DiscourseBench, monkeypatch: pytest.MonkeyPatch, place: str, told: str, requests: int
) -> None:
    here = bench.standin.address.removeprefix("http:")
    answers(bench, monkeypatch, 302, {"Location": place.replace("HERE", here)})
    with pytest.raises(Refused, match=f"^{told}$"):
        bench.channel.read_since(Thread("1"), None)
    assert len(bench.standin.asked) == requests


def test_what_is_written_follows_no_redirection(bench: DiscourseBench, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(bench, monkeypatch, 307, {"Location": "/t/2.json"})
    with pytest.raises(Refused, match="the forum has moved to /t/2"):
        bench.channel.retitle(Thread("1"), "sietch-7 (over)")
    assert bench.standin.asked == ["PUT /t/-/1.json"]


@pytest.mark.parametrize(
    ("told", "answer", "seconds"),
    [
        ("90", None, 90),
        ("0", None, 1),
        ("in a while", {"extras": {"wait_seconds": 7}}, 7),
        ("", {"extras": {"wait_seconds": 0.5}}, 1),
        ("", {"extras": {}}, 60),
        ("-5", ["no"], 60),
        ("Mon, 01 Jan 2001 00:00:00 GMT", None, 1),
    ],
)
def test_the_forum_is_left_in_peace_for_as_long_as_it_says(
    bench: DiscourseBench, monkeypatch: pytest.MonkeyPatch, told: str, answer: object, seconds: float
) -> None:
    answers(bench, monkeypatch, 429, {"Retry-After": told}, answer)
    for wait in (0.0, seconds - 0.5):
        bench.clock.wait(wait)
        with pytest.raises(TooSoon) as too_soon:
            bench.channel.read_since(Thread("1"), None)
        assert too_soon.value.seconds == pytest.approx(seconds - wait)
        assert len(bench.standin.asked) == 1
    bench.clock.wait(0.6)
    with pytest.raises(TooSoon):
        bench.channel.read_since(Thread("1"), None)
    assert len(bench.standin.asked) == 2


def test_a_date_until_which_the_forum_wants_peace_is_kept(
    bench: DiscourseBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = datetime.now(UTC) + timedelta(seconds=100)
    answers(bench, monkeypatch, 429, {"Retry-After": format_datetime(later, usegmt=True)})
    with pytest.raises(TooSoon) as too_soon:
        bench.channel.read_since(Thread("1"), None)
    assert 90 < too_soon.value.seconds <= 100


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"errors": ["Too", "short"], "error_type": "x"}, "Too short x"),
        ({"detail": "Not found."}, "Not found."),
        ({"status": 7}, "the forum answered 400"),
        (["no"], "the forum answered 400"),
    ],
)
def test_a_no_is_told_in_the_forum_s_words_or_by_its_number(
    bench: DiscourseBench, monkeypatch: pytest.MonkeyPatch, answer: object, told: str
) -> None:
    answers(bench, monkeypatch, 400, {}, answer)
    with pytest.raises(Refused, match=f"^{told}$"):
        bench.channel.retitle(Thread("1"), "sietch-7 (over)")


@pytest.mark.skipif(
    not ("MENTAT_DISCOURSE" in os.environ and "MENTAT_DISCOURSE_KEY" in os.environ),
    reason="MENTAT_DISCOURSE and MENTAT_DISCOURSE_KEY name no forum",
)
def test_a_real_forum_takes_a_thread_posts_a_revision_and_gives_them_back() -> None:
    address, _, category = os.environ["MENTAT_DISCOURSE"].rpartition("/c/")
    name, _, key = os.environ["MENTAT_DISCOURSE_KEY"].partition(":")
    channel = Discourse(address, key, name, int(category))
    salt = uuid4().hex
    title = f"A test of Mentat {salt[:8]}"
    thread, first = channel.open_thread(title, f"This topic is a test ({salt}).", salt)
    assert channel.open_thread(title, f"This topic is a test ({salt}).", salt) == (thread, first)
    channel.revise(first, f"This topic was a test ({salt}).")
    channel.retitle(thread, f"{title}, over")
    assert [post.raw for post in everything(channel, thread)] == [f"This topic was a test ({salt})."]
    assert channel.look_again(thread, [first, "1"])[1] == Gone("1")
