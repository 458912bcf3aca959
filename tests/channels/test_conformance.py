"""Tests for what all channels have in common, whatever the forum.

A channel raises NotPossible for anything that its forum cannot do; the tests check this.
"""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from bot.channels import CursorForgotten, Gone, NotPossible, Post, Refused, Thread, TooSoon, Unreachable
from tests.channels.benches import BENCHES, Bench, MailmanBench, everything

FIRST = "This is the thread of a game.\n\nBid with a line `!bid 3`."
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


REAL = [pytest.param("mailman", marks=pytest.mark.slow)]


@pytest.fixture(params=[*BENCHES, *REAL])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    made: Bench
    if request.param == "mailman":
        made = MailmanBench(request.getfixturevalue("mailman_list"))
    else:
        made = BENCHES[request.param]()
    yield made
    made.stop()


@pytest.fixture
def thread(bench: Bench) -> Thread:
    bench.settle()
    opened, _ = bench.channel.open_thread("sietch-7: turn 1", FIRST, _key())
    bench.settle()
    return opened


def _key() -> str:
    return uuid4().hex


def say(bench: Bench, thread: Thread, text: str, key: str | None = None) -> str:
    post = bench.channel.post(thread, text, key or _key())
    bench.settle()
    return post


def hear(bench: Bench, account: str, thread: Thread, text: str) -> str:
    post = bench.write(account, thread, text)
    bench.settle()
    return post


def test_a_thread_begins_with_its_first_post(bench: Bench) -> None:
    thread, first = bench.channel.open_thread("sietch-7: turn 1", FIRST, _key())
    bench.settle()
    assert [(post.id, post.raw) for post in everything(bench.channel, thread)] == [(first, FIRST)]


def test_a_thread_that_is_there_already_is_found_by_its_key(bench: Bench) -> None:
    key = _key()
    opened = bench.channel.open_thread("sietch-7: turn 1", FIRST, key)
    bench.settle()
    found = bench.again().open_thread("sietch-7: turn 1", FIRST, key)
    bench.settle()
    assert (found[0].id, found[1]) == (opened[0].id, opened[1])
    assert len(everything(bench.channel, found[0])) == 1


def test_two_threads_do_not_mix(bench: Bench, thread: Thread) -> None:
    other, _ = bench.channel.open_thread("tabr-8 (wbc-2018): turn 1", FIRST, _key())
    bench.settle()
    here = say(bench, thread, "This is said in the first.")
    there = say(bench, other, "This is said in the other.")
    assert [post.id for post in everything(bench.channel, thread)][1:] == [here]
    assert [post.id for post in everything(bench.channel, other)][1:] == [there]


def test_posts_come_in_the_order_in_which_they_were_written(bench: Bench, thread: Thread) -> None:
    chani = bench.join("chani_77")
    expected = [say(bench, thread, "Card 1 is up: who bids?"), hear(bench, chani, thread, "I think so.\n\n!bid 1")]
    expected += [hear(bench, chani, thread, "!bid 2 and a word"), say(bench, thread, "Card 1 went to the Fremen.")]
    assert [post.id for post in everything(bench.channel, thread)][1:] == expected


def test_what_was_read_does_not_come_again(bench: Bench, thread: Thread) -> None:
    before = bench.channel.read_since(thread, None)
    assert not before.more
    assert bench.channel.read_since(thread, before.cursor).posts == ()
    chani = bench.join("chani_77")
    new = hear(bench, chani, thread, "!bid 3 for the card")
    page = bench.channel.read_since(thread, before.cursor)
    assert [post.id for post in page.posts] == [new]
    assert bench.channel.read_since(thread, page.cursor).posts == ()


def test_a_cursor_serves_a_program_that_was_started_anew(bench: Bench, thread: Thread) -> None:
    page = bench.channel.read_since(thread, None)
    new = hear(bench, bench.join("chani_77"), thread, "!bid 3 for the card")
    assert [post.id for post in bench.again().read_since(thread, page.cursor).posts] == [new]


def test_a_post_of_the_same_key_is_written_once(bench: Bench, thread: Thread) -> None:
    key = _key()
    first = say(bench, thread, "Card 1 is up: who bids?", key)
    assert say(bench, thread, "Card 1 is up: who bids?", key) == first
    assert bench.again().post(thread, "Card 1 is up: who bids?", key) == first
    bench.settle()
    assert len(everything(bench.channel, thread)) == 2


def test_a_post_is_found_by_its_key_behind_many_others(bench: Bench, thread: Thread) -> None:
    key, chani = _key(), bench.join("chani_77")
    first = say(bench, thread, "Card 1 is up: who bids?", key)
    for number in range(min(25, bench.crowd)):
        bench.write(chani, thread, f"Chat without an order, number {number}.")
    bench.settle()
    assert bench.again().post(thread, "Card 1 is up: who bids?", key) == first


def test_the_same_words_under_another_key_are_another_post(bench: Bench, thread: Thread) -> None:
    posts = {say(bench, thread, "Nobody bids for this card.") for _ in range(2)}
    assert len(posts) == 2
    assert len(everything(bench.channel, thread)) == 3


def test_a_post_that_quotes_ours_to_the_last_sign_is_not_ours(bench: Bench, thread: Thread) -> None:
    key, chani = _key(), bench.join("chani_77")
    ours = say(bench, thread, "Card 1 is up: who bids?", key)
    [seen] = [post for post in everything(bench.channel, thread) if post.id == ours]
    hear(bench, chani, thread, seen.raw + f"\n\n<!-- mentat {key}2 -->")
    other = say(bench, thread, "Card 2 is up: who bids?", f"{key}2")
    assert [post.id for post in everything(bench.channel, thread)][-1] == other


def test_an_author_is_known_by_what_stays_when_names_are_imitated(bench: Bench, thread: Thread) -> None:
    paul, imitator = bench.join("Paul"), bench.join("PauI")
    posts = [hear(bench, paul, thread, "!bid 3 said Paul"), hear(bench, imitator, thread, "!bid 4 said Paul")]
    read = {post.id: post.author_id for post in everything(bench.channel, thread)}
    assert [read[post] for post in posts] == [paul, imitator]
    assert len(set(read.values())) == 3


def test_what_is_read_is_the_source(bench: Bench, thread: Thread) -> None:
    text = "> !bid 9 says Paul\n\n**No**, <b>never</b> & I mean it: [quote]5[/quote]\n\n!bid 3"
    hear(bench, bench.join("chani_77"), thread, text)
    assert everything(bench.channel, thread)[-1].raw == text


def test_our_own_words_come_back_as_they_were(bench: Bench, thread: Thread) -> None:
    text = "**sietch-7 · turn 5**\n\nÆ “quoted” — 3 < 4 & 5 > 4\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end."
    say(bench, thread, text)
    assert everything(bench.channel, thread)[-1].raw == text


def test_a_thread_longer_than_a_page_is_read_to_its_end_in_order(bench: Bench, thread: Thread) -> None:
    chani = bench.join("chani_77")
    written = [bench.write(chani, thread, f"Chat without an order, number {number}.") for number in range(bench.crowd)]
    bench.settle()
    assert [post.id for post in everything(bench.channel, thread)][1:] == written


def test_a_post_changed_in_silence_is_seen_changed_when_looked_at_again(bench: Bench, thread: Thread) -> None:
    if not bench.edits:
        pytest.skip("nobody can change what they posted")
    chani = bench.join("chani_77")
    changed, left = hear(bench, chani, thread, "!bid 3 for the card"), hear(bench, chani, thread, "A word of chat.")
    bench.edit(chani, changed, "!bid 9 for the card")
    bench.settle()
    again = bench.again().look_again(thread, [changed, left])
    assert [post.raw for post in again if isinstance(post, Post)] == ["!bid 9 for the card", "A word of chat."]


def test_a_deleted_post_is_gone_and_the_others_are_not(bench: Bench, thread: Thread) -> None:
    if not bench.edits:
        pytest.skip("nobody can delete what they posted")
    chani = bench.join("chani_77")
    posts = [hear(bench, chani, thread, f"!bid {number} for the card") for number in range(3)]
    bench.delete(chani, posts[1])
    bench.settle()
    again = bench.channel.look_again(thread, posts)
    assert [post.id for post in again] == posts
    assert [isinstance(post, Gone) for post in again] == [False, True, False]
    assert posts[1] not in [post.id for post in everything(bench.channel, thread)]


def test_a_post_that_never_was_is_gone(bench: Bench, thread: Thread) -> None:
    assert bench.channel.look_again(thread, ["987654321"]) == (Gone("987654321"),)


def test_the_index_post_can_be_revised_where_posts_can_be(bench: Bench, thread: Thread) -> None:
    first = everything(bench.channel, thread)[0].id
    if not bench.channel.limits.revisable:
        with pytest.raises(NotPossible):
            bench.channel.revise(first, "Turn 2 is on the second page.")
        with pytest.raises(NotPossible):
            bench.channel.retitle(thread, "sietch-7 (wbc-2018): turn 2")
        return
    bench.channel.revise(first, "Turn 2 is on the second page.")
    bench.settle()
    bench.channel.retitle(thread, "sietch-7 (wbc-2018): turn 2")
    assert everything(bench.channel, thread)[0].raw == "Turn 2 is on the second page."


def test_a_revised_post_keeps_its_key(bench: Bench) -> None:
    if not bench.channel.limits.revisable:
        pytest.skip("no post can be revised")
    key = _key()
    thread, first = bench.channel.open_thread("sietch-7: turn 1", FIRST, key)
    bench.settle()
    bench.channel.revise(first, "Turn 2 is on the second page.")
    bench.settle()
    assert bench.again().open_thread("sietch-7: turn 1", FIRST, key) == (thread, first)
    answer_key = _key()
    answer = say(bench, thread, "Card 1 is up: who bids?", answer_key)
    bench.channel.revise(answer, "Card 1 was up: nobody bid.")
    bench.settle()
    assert bench.again().post(thread, "Card 1 is up: who bids?", answer_key) == answer


def test_a_picture_can_be_shown_where_pictures_can_be(bench: Bench, thread: Thread) -> None:
    if not bench.channel.limits.pictures:
        with pytest.raises(NotPossible):
            bench.channel.upload(PNG, "board.png")
        return
    shown = bench.channel.upload(PNG, "board.png")
    bench.settle()
    say(bench, thread, f"The board now:\n\n{shown}")
    assert shown in everything(bench.channel, thread)[-1].raw


def test_a_post_beyond_the_limits_is_refused_and_not_cut(bench: Bench, thread: Thread) -> None:
    for text in ("x " * bench.channel.limits.characters, "x"[: bench.channel.limits.characters_at_least - 1]):
        with pytest.raises(Refused):
            bench.channel.post(thread, text, _key())
        bench.settle()
    assert len(everything(bench.channel, thread)) == 1


def test_who_posts_too_soon_is_told_how_long_to_wait(bench: Bench, thread: Thread) -> None:
    if bench.channel.limits.seconds_between_posts == 0:
        pytest.skip("posts may follow each other at once")
    bench.channel.post(thread, "Card 1 is up: who bids?", _key())
    key = _key()
    with pytest.raises(TooSoon) as too_soon:
        bench.channel.post(thread, "Card 2 is up: who bids?", key)
    assert too_soon.value.seconds > 0
    bench.settle()
    assert bench.channel.post(thread, "Card 2 is up: who bids?", key)


def test_a_closed_thread_takes_no_post_and_can_be_read(bench: Bench, thread: Thread) -> None:
    if not bench.closes:
        pytest.skip("no thread can be closed")
    bench.close(thread)
    with pytest.raises(Refused):
        bench.channel.post(thread, "Card 1 is up: who bids?", _key())
    assert len(everything(bench.channel, thread)) == 1


def test_there_is_no_post_in_a_thread_that_is_not_there(bench: Bench) -> None:
    with pytest.raises(Refused):
        bench.channel.post(Thread("987654321"), "Card 1 is up: who bids?", _key())


def test_a_post_whose_answer_was_lost_is_found_and_not_written_again(bench: Bench, thread: Thread) -> None:
    if not bench.breaks:
        pytest.skip("nothing is between us and the thread that could break")
    key = _key()
    bench.lose()
    with pytest.raises(Unreachable):
        bench.channel.post(thread, "Card 1 is up: who bids?", key)
    bench.settle()
    found = bench.again().post(thread, "Card 1 is up: who bids?", key)
    assert [post.id for post in everything(bench.channel, thread)][1:] == [found]


def test_a_thread_whose_answer_was_lost_is_found_and_not_opened_again(bench: Bench) -> None:
    if not bench.breaks:
        pytest.skip("nothing is between us and the forum that could break")
    key = _key()
    bench.lose()
    with pytest.raises(Unreachable):
        bench.channel.open_thread("sietch-7: turn 1", FIRST, key)
    bench.settle()
    thread, _ = bench.again().open_thread("sietch-7: turn 1", FIRST, key)
    bench.settle()
    assert bench.again().open_thread("sietch-7: turn 1", FIRST, key)[0] == thread
    assert len(everything(bench.channel, thread)) == 1


def test_half_an_answer_is_no_answer(bench: Bench, thread: Thread) -> None:
    if not bench.breaks:
        pytest.skip("nothing is between us and the thread that could break")
    page = bench.channel.read_since(thread, None)
    new = hear(bench, bench.join("chani_77"), thread, "!bid 3 for the card")
    bench.cut()
    with pytest.raises(Unreachable):
        bench.channel.read_since(thread, page.cursor)
    assert [post.id for post in bench.channel.read_since(thread, page.cursor).posts] == [new]


def test_with_a_cursor_that_is_not_known_nothing_is_lost(bench: Bench, thread: Thread) -> None:
    hear(bench, bench.join("chani_77"), thread, "!bid 3 for the card")
    whole = everything(bench.channel, thread)
    for cursor in ("of another forum", "0", "-1", "99999999"):
        try:
            page = bench.channel.read_since(thread, cursor)
        except CursorForgotten:
            continue
        assert page.posts
        assert page.posts == tuple(whole)[-len(page.posts) :]


def test_what_is_written_to_us_alone_is_read_once_where_there_is_such_a_thing(bench: Bench) -> None:
    try:
        _, cursor = bench.channel.messages_since(None)
    except NotPossible:
        return
    chani = bench.join("chani_77")
    bench.tell(chani, "!I am K7QX2M")
    bench.settle()
    [message], cursor = bench.channel.messages_since(cursor)
    assert (message.author_id, message.raw) == (chani, "!I am K7QX2M")
    assert bench.channel.messages_since(cursor)[0] == ()


def test_the_hour_of_a_post_is_the_forums(bench: Bench, thread: Thread) -> None:
    say(bench, thread, "Card 1 is up: who bids?")
    hear(bench, bench.join("chani_77"), thread, "!bid 3 for the card")
    posted = [post.posted for post in everything(bench.channel, thread)]
    assert all(hour.tzinfo is not None for hour in posted)
    assert posted == sorted(posted)
