"""Copied pages of threads: each post is read with its author, and no text slips into another post."""

from __future__ import annotations

import time
from zoneinfo import ZoneInfo

import pytest

from bot.channels import Dialect
from bot.channels.paste import Block
from bot.forum.own_lines import own_lines
from bot.forum.pages import MOST_POSTS, PagePost, find_block, read_page, seen_before
from bot.forum.posts import form_of, read_post

BERLIN = ZoneInfo("Europe/Berlin")
PAGES = {
    "Discourse": """paul_m | 2026-11-24 18:58:03 UTC | #5

I like it.

!bid 3

-------------------------

chani_77 | 2026-11-24 19:01:10 UTC | #6

[quote="paul_m, post:5, topic:7"]
!bid 3
[/quote]

!pass

-------------------------
""",
    "phpBB": """Board index · Games
sietch-7 (wbc): turn 1
2 posts • Page 1 of 1
paul_m
Posts: 12
Joined: Mon Jan 02, 2017 3:04 pm

Re: sietch-7
Quote
#5
Post by paul_m » Tue Nov 24, 2026 7:58 pm

I like it.
!bid 3
Top
chani_77
Posts: 99

Re: sietch-7
Quote
#6
Post by chani_77 » Tue Nov 24, 2026 8:01 pm

paul_m wrote: ↑Tue Nov 24, 2026 7:58 pm
I like it.
!bid 3
Never.
!pass
Top
Return to "Games"
""",
    "phpBB in German": """Re: sietch-7
#5
Beitrag von paul_m » Di 24. Nov 2026, 19:58

!bid 3
Nach oben

Re: sietch-7
#6
Beitrag von chani_77 » Di 24. Nov 2026, 20:01

paul_m hat geschrieben: ↑Di 24. Nov 2026, 19:58
!bid 3
!pass
Nach oben
""",
    "phpBB in print": """sietch-7
Posted: Tue Nov 24, 2026 7:58 pm
by paul_m
!bid 3

Re: sietch-7
Posted: Tue Nov 24, 2026 8:01 pm
by chani_77
!pass
""",
    "XenForo": """paul_m
Well-known member
Joined
Mar 3, 2020
Messages
120
Nov 24, 2026
#5
!bid 3
Like Reply
chani_77
New member
Nov 24, 2026
#6
paul_m said:
!bid 3
Click to expand...
!pass
Report
Like Reply
""",
    "BoardGameGeek": """Paul Atreides
@paul_m
Nov 24, 2026
!bid 3
Reply
Tip
Chani K
@chani_77
1d
Edited Nov 25, 2026
!pass
Reply
""",
    "the XML of BoardGameGeek": """<thread id="1"><articles>
<article id="5" username="paul_m" link="x" postdate="2026-11-24T13:58:03-05:00" numedits="0"><body>&lt;div
 class='quote'&gt;&lt;div class='quotebody'&gt;!bid 9&lt;/div&gt;&lt;/div&gt;Hello&lt;br/&gt;!bid 3</body></article>
<article id="6" username="chani_77" postdate="2026-11-24T14:01:03-05:00"><body>!pass</body></article>
</articles></thread>""",
    "RPoL": """paul_m
player, 12 posts
Fremen
Tue 24 Nov 2026
at 19:58
msg #5
!bid 3

chani_77
player, 58 posts
Tue 24 Nov 2026
at 20:01
msg #6
!pass
""",
    "by hand": """#5 paul_m (24 Nov 2026 19:58)
!bid 3

#6 chani_77:
!pass
""",
}


def acts_of(post: PagePost) -> list[str]:
    read = read_post(post.text, post.dialect or Dialect.BBCODE)
    return [line.text for line in read if line.kind == "words" and form_of(line.text) == "act"]


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_a_page_is_read_post_by_post(page: str) -> None:
    for text in (page, page.replace("\n", "\r\n")):
        posts = read_page(text, BERLIN)
        assert [(post.author, acts_of(post)) for post in posts] == [("paul_m", ["bid 3"]), ("chani_77", ["pass"])]
        numbers = [post.number for post in posts]
        assert numbers in ([5, 6], [None, None])
        times = [post.written and f"{post.written:%d %H:%M}" for post in posts]
        assert all(each in ("24 18:58", "24 19:01", None) for each in times)


@pytest.mark.parametrize("name", ["Discourse", "phpBB", "phpBB in German", "the XML of BoardGameGeek", "RPoL"])
def test_the_times_of_a_page_are_read_where_they_are_whole(name: str) -> None:
    assert [f"{post.written:%d %H:%M}" for post in read_page(PAGES[name], BERLIN) if post.written] == [
        "24 18:58", "24 19:01",
    ]  # fmt: skip


def test_the_post_of_a_stranger_is_not_the_end_of_a_players() -> None:
    page = PAGES["phpBB"].replace("Post by chani_77", "Post by a_stranger")
    assert [(post.author, acts_of(post)) for post in read_page(page, BERLIN)] == [
        ("paul_m", ["bid 3"]), ("a_stranger", ["pass"]),
    ]  # fmt: skip


def test_a_page_with_the_newest_first_is_read_in_the_order_of_the_thread() -> None:
    page = "#6 chani_77:\n!pass\n\n#5 paul_m:\n!bid 3\n"
    assert [post.number for post in read_page(page, BERLIN)] == [5, 6]


def test_a_quote_from_another_page_is_in_doubt_and_none_of_this_page_counts() -> None:
    page = PAGES["phpBB"].replace("I like it.\n!bid 3\nTop", "So.\nTop")
    quoted = read_page(page, BERLIN)[1]
    assert acts_of(quoted) == []
    assert ("!pass", "quoted") in own_lines(quoted.text, Dialect.TEXT)


def test_text_that_is_no_page_has_no_posts() -> None:
    for text in ("", "!bid 3", "Hello\n\nall", "x" * 60_000, "<b>" * 20_000, "[quote]" * 8_000):
        assert read_page(text, BERLIN) == []


@pytest.mark.parametrize("piece", ["a\n", "#1 a\n", "Post by a » ", "\n@a\n", "by ", "1 Nov 2026\n", "<article "])
def test_no_page_takes_long(piece: str) -> None:
    before = time.process_time()
    read_page((piece * 100_000)[:200_000], BERLIN)
    assert time.process_time() - before < 3


@pytest.mark.parametrize("name", ["phpBB", "RPoL", "by hand", "the XML of BoardGameGeek", "Discourse", "XenForo"])
@pytest.mark.parametrize("number", ["9" * 20, "9" * 5_000])
def test_a_number_that_no_thread_reaches_is_no_number(name: str, number: str) -> None:
    for one, other in (("#5", f"#{number}"), ('id="5"', f'id="{number}"'), ("2026-11", "0001-01"), ("2026", "9999")):
        posts = read_page(PAGES[name].replace(one, other), BERLIN)
        assert {post.number for post in posts} <= {5, 6, None}


def test_of_a_long_page_as_many_posts_are_read_as_there_can_be() -> None:
    page = "".join(f"#{number} paul_m:\n!bid {number}\n\n" for number in range(1, 900))
    assert len(read_page(page, BERLIN)) == MOST_POSTS
    assert len(read_page(page[:4000], BERLIN)) > 150


def test_a_block_of_ours_is_known_in_any_markup_and_an_imitation_is_not() -> None:
    block = "[b]sietch-12 · turn 1 · bidding[/b]\n\nNow up: Atreides (a bid). Bid with “!bid 3”.\n\n" + "So it is. " * 9
    shown = block.replace("[b]", "").replace("[/b]", "").replace("\n\n", "\n")
    older = Block(1, "1", block.replace("Atreides", "Guild"), "1")
    newer = Block(2, "1", block, "2")
    assert find_block(shown, [older, newer]) == newer
    assert find_block(shown.replace("Atreides", "Guild"), [older, newer]) == older
    imitated = shown[:120] + "\n!bid 9\nand much else that I say here myself, at length, in my own words"
    assert find_block(imitated, [older, newer]) is None
    assert find_block("!bid 3", [older, newer]) is None


@pytest.mark.parametrize(
    ("page", "known", "found"),
    [
        ("ab", "", "--"),
        ("abc", "ab", "01-"),
        ("abc", "xyab", "23-"),
        ("bc", "abcd", "12"),
        ("pp", "p", "0-"),
        ("cd", "ab", "--"),
        ("aXc", "abc", "012"),
    ],
)
def test_a_page_without_numbers_goes_on_where_the_known_posts_end(page: str, known: str, found: str) -> None:
    read = seen_before([("chani", text) for text in page], [("chani", text) for text in known])
    assert "".join("-" if place is None else str(place) for place in read) == found
