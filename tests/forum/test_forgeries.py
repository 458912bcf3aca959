"""Posts that try to put words into a writer's mouth or to hide them from readers. They yield no act and no code.

Forums render posts differently, so only words that every kind of forum shows as the writer's own may count. For the
random posts at the end of this file, the tests search the rendered page for the lines that counted.
"""

from __future__ import annotations

import random
import re
import time
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest
from markdown_it import MarkdownIt

from bot.channels import Dialect
from bot.forum.own_lines import without_formatting
from bot.forum.posts import PostLine, form_of, read_post
from tests.forum.place import ForumWorld

MARKDOWN, BBCODE, BGG, TEXT = Dialect.MARKDOWN, Dialect.BBCODE, Dialect.BGG, Dialect.TEXT

HTML = {
    "a part opened and closed within a paragraph": "x <del>\n!bid 9\ny</del>",
    "covered by a part that opens in a line of words": "see <details>\n!bid 9\n</details>",
    "a second comment that begins where the first ends": "<!-- a --> <!--\n!bid 9\n-->",
    "a comment that a browser takes for an empty one": "<!--> <details> -->\n\n!bid 9",
    "a comment with another end": "<!-- --!><details>-->\n\n!bid 9",
    "within the value of an attribute": '<div title="\n\n!bid 9\n\n">',
    "a tag that looks closed in itself": "<details/>\n\n!bid 9",
    "tags that cross": "<s><details></s>\n\n!bid 9",
    "an end that stands in a comment": "<details><!-- </details> -->\n\n!bid 9",
    "an end that stands in an attribute": '<details><b title=">" x="</details>">\n\n!bid 9',
    "a quotation mark that is no value": '<a "> b="<details>">\n\n!bid 9',
    "a tag that nothing ends": "<plaintext></plaintext>\n\n!bid 9",
    "a sheet of styles": "<style>p {display: none}</style>\n\n!bid 9",
    "a field of a form": "<textarea>\n\n!bid 9\n\n</textarea>",
    "an instruction that does not end": "<?\n\n!bid 9",
    "in a declaration": "<!X\n!bid 9\n>",
}
MARKUP = {
    "code whose lines are counted as one": "`a\n!bid 9\nb`\ntext",
    "code between longer marks": "``a `\n!bid 9\nb``\ntext\ntext",
    "the title of a link": '[a](u "\n!bid 9\n")\nhello',
    "the words of a link": "[a\n!bid 9\n](https://example.org)",
    "the words of a picture": "![a\n!bid 9\nb](https://example.org/a.png)\ntext\ntext",
    "a definition of a link": "[a]: /u '\n!bid 9\n'",
    "the target of a definition": "[a]:\n!bid\n\n[b]:\n!pass",
    "a note that is hidden as a definition": "[//]: # (\n!bid 9\n)",
    "a footnote": "[^1]: as was said\n!bid 9",
    "a footnote of one word": "[^1]: so\n!bid 9",
    "a container": "::: spoiler a\n!bid 9\n:::",
    "a container in a container": ":::: spoiler a\n::: note\n:::\n!bid 9\n::::",
    "a container that does not end": "::: spoiler a\n!bid 9",
    "between double bars": "||\n!bid 9\n||",
    "a formula": "$$\n!bid 9\n$$",
    "a spoiler by its margin": ">! so\n!bid 9",
    "a point of a list in a quote": "> - so\n!bid 9",
    "a cell of a table": "a | b\n--|--\n!bid 9 | c",
    "a number as an entity": "!ship 4&#48; to Carthag",
    "a sign that is escaped": "!bid \\9",
    "below an empty line of a quote": ">\n!bid 9",
    "below a quote that begins behind a rule": "[hr]> so\n!bid 9",
    "below a quote that begins behind another": "[quote]a[/quote]> so\n!bid 9",
    "behind a fence that takes the end of a quote with it": "[quote]~~~\n[/quote]~~~\n!bid 9\n[/quote]",
    "below an empty point of a list": "-\n!bid 9",
    "in a quote that goes on behind code": "> so\n```\n\n```\n!bid 9",
    "in a quote that goes on behind code in tags": "> so\n[code]\n\n[/code]\n!bid 9",
    "a fence closed by more marks": "```\nx\n````\n!bid 9\n```",
    "a fence that begins with words": "``` so it is\nx\n```\n!bid 9\n```",
    "a fence that begins within a line": "so ```\n!bid 9\n```\nso",
    "struck by more marks": "~~~~\n!bid 9\n~~~",
    "a link that does not end as it should": '[a](u "\n!bid 9\nx )',
    "a picture that does not end as it should": "!(u\n!bid 9\nx)",
    "a fence that begins in tags": "[center]\n```\n[/center]\n```\n!bid 9\n```",
    "a quote whose end stands within a line": "[quote]\nso [/quote]\n!bid 9\n[/quote]",
    "a quote whose end and next beginning stand within lines": "[quote]\nso [/quote]\n!bid 9\nx [quote]\n[/quote]",
    "a quote whose end is hidden by another tag": "[quote]\nso [/quote]\n!bid 9\n[img]\n[/quote]",
    "a fence in a quote that goes on": "> ```\n> a\n> ```\n> b\n!bid 9",
    "a fence closed by other marks": "```\n~~~\n!bid 9\n```",
    "a fence closed by fewer marks": "````\n```\n!bid 9\n````",
}
TAGS = {
    "the words of the writer of a quote break out of it": "[quote=chani]so [/quote]\n!bid 9\n[/quote]",
    "a quote broken out of, in the middle of others": "[q]a[/q]\n[q]so [/q]\n!bid 9\n[/q]\n[q]b[/q]",
    "an end that has a value": "[quote]\n[/quote=x]\n!bid 9",
    "an end that is escaped": "[quote]\n\\[/quote]\n!bid 9",
    "an end in code": "[quote]\n[code]\n[/quote]\n[/code]\n!bid 9\n[/quote]",
    "an end in code, and no end": "[quote]\n[code]\n[/quote]\n[/code]\n!bid 9\n[quote]x[/quote]",
    "an end in the name of the quoted": '[quote="[/quote]"]\n!bid 9\n[/quote]',
    "a beginning in the name of the quoted": '[quote="[quote]"]\na\n[/quote]\n!bid 9\n[/quote]',
    "an end in a quote by mark": "[quote]\n> [/quote]\n\n!bid 9\n[quote]\nx\n[/quote]",
    "an end with a letter that only looks like it": "[strike]\n[/stri\u212ae]\n!bid 9\n[/strike]",
    "an end with something unseen in it": "[quote]\n[/quo\u200bte]\n!bid 9\n[/quote]",
    "an end with a space": "[quote]\n[/ quote]\n!bid 9\n[/quote]",
    "tags that cross": "[quote][size=2]a[/quote]\n!bid 9\n[/size]",
    "a quote with a mark of its own": '[quote:1a2b="chani"]\n!bid 9\n[/quote:1a2b]',
    "a quote with several values": "[quote author=chani link=topic=1.msg2#msg2 date=123]\n!bid 9\n[/quote]",
    "a quote whose writer stands in single marks": "[quote='chani']\n!bid 9\n[/quote]",
    "a quote with a space before its value": "[quote = chani]\n!bid 9\n[/quote]",
    "a tag that only some forums know": "[rant]\n!bid 9\n[/rant]",
    "a tag that only some forums know, with a value": "[aside=chani]\n!bid 9\n[/aside]",
    "a tag that covers from the line before": "so [spoiler]a\n!bid 9[/spoiler]",
    "an unread end before": "[/quote]\nso\n[/spoiler]\n!bid 9\n[/quote]",
    "said to be another's": "chani_77 wrote:\n!bid 9",
    "said to be another's, a line below": "chani_77 wrote:\n\n!bid 9",
}  # fmt: skip
LOOSE = {
    "code as Markdown has it": "```\n!bid 9\n```",
    "code that does not end": "so\n~~~\n!bid 9",
    "tags in angles": "<quote chani>\n!bid 9\n</quote>",
    "words to one alone": '<private to="chani">\n!bid 9\n</private>',
    "a comment": "<!--\n!bid 9\n-->",
    "the rest of a quoted line": "> we should look at what everybody else\n!bid 9\n> before that",
    "two lines below a quoted one": "> a long line\nthat was wrapped\n!bid 9",
    "quoted with a bar": "| so\n| !bid 9",
}
MAIL = {
    "an older mail below its row": "Hello\n\n-----Original Message-----\nFrom: chani\n\n!bid 9",
    "an older mail below its head": "so\n\nFrom: Chani <chani@example.org>\nSent: Monday, 23 November 2026 10:00\n"
    "To: sietch-7@example.org\nSubject: bids\n\n!bid 9",
    "what somebody wrote, and when": "On Mon, 23 Nov 2026 at 10:00, Chani <chani@example.org> wrote:\n\n!bid 9\n!pass",
    "a signature": "so\n\n-- \n!bid 9",
    "quoted with the writer's letters": "CK> !bid 9",
}
SAID = {
    "asked": "!bid 9?",
    "repeated in quotation marks": '!"bid 9"',
    "repeated in other quotation marks": "!“bid 9”",
    "a point of a list behind the mark": "!- bid 9",
    "a number of a list behind the mark": "!1) bid 9",
    "a box behind the mark": "! [x] bid 9",
    "a quote behind the mark": "!> bid 9",
    "a comment behind the mark": "!# bid 9",
    "struck by signs that join": "!b\u0336i\u0336d\u0336 9\u0336",
    "a mark from right to left": "\u200f!bid 9",
    "a mark that something joins": "!\u0338bid 9",
    "digits of another script": "!bid ٩",
    "wide digits": "!bid ９",
    "a mark of bytes": "\ufeff!bid 9",
    "two orders": "!bid 9, pass",
    "with doubt": "!bid 9 or pass",
    "with a condition": "!bid 9 if Guild passes",
}


def every(*tables: dict[str, str]) -> pytest.MarkDecorator:
    """Parametrize a test with each post of these tables, using its name as the test ID."""
    found = {name: raw for table in tables for name, raw in table.items()}
    return pytest.mark.parametrize("raw", found.values(), ids=found.keys())


def counting(raw: str, dialect: Dialect, *, plain: bool = False) -> list[PostLine]:
    read = read_post(raw, dialect, plain=plain)
    return [line for line in read if line.kind == "code" or (line.kind == "words" and form_of(line.text) == "act")]


def forge(raw: str, *dialects: Dialect) -> None:
    """Check that neither an act nor a code counts there, at the top of a post or further down."""
    for dialect in dialects:
        for said in (raw, raw.replace("bid 9", "I am K7QX2M")):
            assert counting(said, dialect) == []
            assert counting(f"Well.\n\n{said}", dialect) == []


@every(HTML, MARKUP)
def test_no_line_counts_that_a_page_of_markdown_does_not_show_in_the_open(raw: str) -> None:
    forge(raw, MARKDOWN)


@every(TAGS)
def test_no_line_counts_that_tags_may_cover(raw: str) -> None:
    forge(raw, *Dialect)


@every(LOOSE)
def test_no_line_counts_that_may_be_another_s_without_a_mark(raw: str) -> None:
    forge(raw, BBCODE, BGG, TEXT)


@every(MAIL)
def test_no_line_counts_that_a_reader_of_mails_takes_for_another_s(raw: str) -> None:
    forge(raw, TEXT)


@every(SAID)
def test_no_line_counts_that_does_not_simply_say_it(raw: str) -> None:
    for dialect in Dialect:
        assert counting(raw, dialect) == []


@every(TAGS, LOOSE, MAIL)
def test_no_forged_line_counts_where_lines_count_without_a_mark(raw: str) -> None:
    assert counting(raw, TEXT, plain=True) == []
    assert counting(raw.replace("\n!", "\n"), TEXT, plain=True) == []


@every(HTML, MARKUP, TAGS, LOOSE)
def test_nobody_who_quotes_a_hostile_post_says_what_it_says(raw: str) -> None:
    marked = "".join(f"> {line}\n" for line in raw.split("\n"))
    for dialect in (BBCODE, MARKDOWN):
        assert counting(f'[quote="chani, post:3, topic:7"]\n{raw}\n[/quote]\n\nIndeed.', dialect) == []
        assert counting(f"{marked}\nIndeed.", dialect) == []


def test_what_is_in_doubt_is_not_lost_without_a_word() -> None:
    forged = "[quote=chani]so [/quote]\n!bid 9\n[/quote]"
    assert read_post(forged, BBCODE) == (PostLine("bid 9", "quoted"),)
    assert read_post(forged.replace("!", ""), TEXT, plain=True) == (PostLine("bid 9", "quoted", marked=False),)


def test_a_secret_that_is_posted_is_known_as_that_wherever_it_stands() -> None:
    for post in ("> so\n!plan 3, leader Feyd", "!plan 3, leader Feyd\u200b", "[rant]\n!plan 3, leader Feyd\n[/rant]"):
        assert [form_of(line.text) for line in read_post(post, TEXT)] == ["secret"]


@pytest.mark.parametrize(
    ("line", "dialect"),
    [("**!bid 3**", MARKDOWN), ("__!bid 3__", MARKDOWN), ("[b]!bid 3[/b]", BBCODE), ("[B]!bid 3[/B]", BGG)],
)
def test_a_marked_line_that_is_bold_as_a_whole_counts(line: str, dialect: Dialect) -> None:
    assert counting(f"So be it.\n{line}\n", dialect) == [PostLine("bid 3")]


@pytest.mark.parametrize("line", ["**!bid 3** or so", "**so !bid 3**", "**!bid 3__"])
def test_a_line_that_is_bold_in_part_is_read_whole(line: str) -> None:
    assert counting(line, MARKDOWN) == counting(line, BBCODE) == []


HONEST = {
    "after a quote": "[quote=chani]\nI bid 2.\n[/quote]\n!bid 3",
    "between two quotes": "[q]a[/q]\n!bid 3\n[q]b[/q]\nso",
    "after a quote of a quote": '[quote="a"]\n[quote="b"]x[/quote]\n!bid 9\n[/quote]\n\n!bid 3',
    "after a quote by mark": "> I bid 2\n\n!bid 3",
    "after words in brackets": "[Guild] said [see above], [1] and [b]so[/b]\n!bid 3",
    "beside a smiling face": ":-[ and >:-) <3\n!bid 3",
    "below a joke": "of course [/sarcasm]\n!bid 3",
    "below a rule": "so\n\n---\n\n!bid 3",
    "with a stop": "!bid 3.",
    "with a space behind the mark": "! bid 3",
    "in words of several paragraphs": "One.\n\nTwo,\nthree\n!bid 3\nfour.\n\nFive.",
    "at the end of a line of another system": "so\r\n!bid 3\r\nso",
    "below a link": "https://example.org/a_b?c=[d]&e\n!bid 3",
    "below spice in signs": "I have 3 $ and you 4 | 5\n!bid 3",
    "below an address": "<chani@example.org> says no\n!bid 3",
    "below a comparison": "3 < 4 and 5 > 4\n!bid 3",
    "below a bold word": "**no**\n!bid 3",
    "below what its writer says": "So I say this\n!bid 3",
}
HONEST_MARKDOWN = {
    "below a picture": "![map](https://example.org/a.png)\n!bid 3",
    "after a quote in one line": "[quote]so[/quote]\n!bid 3\n[quote]a\nb\n[/quote]",
    "after a quote of a quote": '[quote="a"]\n[quote="b"]\nx\n[/quote]\n!bid 9\n[/quote]\n\n!bid 3',
    "after a closed part": "<details><summary>old</summary>\n\n!bid 9\n\n</details>\n\n!bid 3",
    "after code": "```\n!bid 9\n```\n!bid 3",
    "with emphasis": "I *must*\nsay **no** to `that`\n!bid 3",
    "in a list": "- one\n- two\n\n!bid 3",
}


@every(HONEST)
def test_an_honest_line_counts(raw: str) -> None:
    for dialect in Dialect:
        assert [line.text.rstrip(".") for line in counting(raw, dialect)] == ["bid 3"]


@every(HONEST_MARKDOWN)
def test_an_honest_line_counts_in_markdown(raw: str) -> None:
    assert [line.text for line in counting(raw, MARKDOWN)] == ["bid 3"]


def test_no_forged_post_of_a_player_is_played_and_an_honest_one_is(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    bidder = place.bidder()
    place.link(bidder)
    forged = [*HTML.values(), *MARKUP.values(), *TAGS.values(), *SAID.values()]
    silent = [raw for raw in forged if not read_post(raw, MARKDOWN)]  # posts with too many lines get no answer
    told = [raw for raw in forged if raw not in silent][::9]
    assert len(silent) + len(told) >= 30
    for raw in (*silent, *told):
        place.write(bidder, raw.replace("bid 9", "bid 2"))
    place.look(1)
    assert "Counts:" not in "".join(place.ours())
    place.write(bidder, "> !bid 9\n\n!bid 2")
    place.look(1)
    assert "“bid 2”" in place.ours()[-1]


# --- posts drawn by lot ----------------------------------------------------------------------------------------------

PIECES = (
    "!bid {}", "!bid {}", "!pass", "!I am K7QX2{}", "> !bid {}", "text", "", "", "`", "``", "```", "~~~", "~~", "<s>",
    "</s>", "<details>", "</details>", "<!--", "-->", "x <s> y", "a </s>", '<div title="', '">', "<br>", "<p>", "</p>",
    "<textarea>", "</textarea>", "<select>", "</select>", "<table>", "</table>", "<td>", '[a](u "', '")', "[a]: u '",
    "'", "[", "](x)", "![", "- ", "1. ", "    ", "  ", "\t", "> ", "***", "---", "===", "# ", "*", "**", "\\", "&gt;",
    "<?", "?>", "<!X", ">", "<![CDATA[", "]]>", "a | b", "--|--", "<script>", "</script>", "<svg>", "</svg>", "<a\n",
    '<a b="', "<details/>", "- > ", "<template>", "<!-->", "--!>", "[x]:", "/u", "<http://a.b>", "\x0b", "\xa0", " ",
    "\x00", "&#33;", " !bid {}",
)  # fmt: skip
"""Pieces of which random Markdown posts are made."""
TAG_PIECES = (
    "!bid {}", "!bid {}", "!pass", "text", "", "[quote]", "[/quote]", '[quote="a"]', "[quote=a]", "[/quote]", "[code]",
    "[/code]", "[b]", "[/b]", "[s]", "[/s]", "[spoiler]", "[/spoiler]", "[QUOTE]", "[/QUOTE]", '[quote="a]b"]', "[foo]",
    "[/foo]", '[quote="', '"]', "[/quote=x]", "[ quote]", "[", "]", "[/", "[quote a=1 b=2]", "[q]", "[/q]",
)  # fmt: skip
IN_THE_OPEN = {"html", "body", "p", "em", "strong", "h1", "h2", "br", "ul", "ol", "li"}
HIDDEN = "\uffff"


def by_lot(lot: random.Random, pieces: tuple[str, ...]) -> str:
    post = ""
    for _ in range(lot.randint(2, 14)):
        post += lot.choice(pieces).format(lot.randint(2, 9)) + lot.choice(("\n", "\n", "\n\n", "", " "))
    return post


def in_a_browser(post: str) -> list[str]:
    """Return the lines that a browser shows openly when it renders a Markdown post."""
    page = html5lib.parse(
        MarkdownIt("commonmark", {"breaks": True}).enable(["strikethrough", "table"]).render(post),
        namespaceHTMLElements=False,
    )
    shown: list[str] = []

    def put(text: str | None, is_open: bool) -> None:
        shown.append(text or "" if is_open else re.sub(r"[^\n]", HIDDEN, text or ""))

    def walk(element: Element, is_open: bool) -> None:
        if isinstance(element.tag, str):
            is_open = is_open and element.tag in IN_THE_OPEN
            shown.append("\n" if element.tag in ("p", "br", "h1", "h2", "li") else "")
            put(element.text, is_open)
            for child in element:
                walk(child, is_open)
                put(child.tail, is_open)

    walk(page, True)
    return [line.strip() for line in "".join(shown).split("\n")]


def in_a_forum(post: str, *, lasting: bool, raw_code: bool, any_end: bool) -> list[str]:
    """Return the lines that a forum shows openly. `lasting`: unclosed tags stay open. `raw_code`: code holds no tags.
    `any_end`: a closing tag also closes all tags opened since."""
    tag = re.compile(r'\[(?:(?P<end>/)(?=[a-z]+\]))?(?P<name>[a-z]+)(?:="[^"]*"|=[^\]"]*| [^\]]*)?\]', re.IGNORECASE)
    tags = [found for found in tag.finditer(post) if found["name"].lower() not in ("b", "foo")]
    shown, stack, place = "", list[str](), 0
    for number, found in enumerate(tags):
        name, words = found["name"].lower(), post[place : found.start()]
        if found.start() < place:
            continue
        shown += re.sub(r"[^\n]", HIDDEN, words) if stack else words
        place = found.end()
        if raw_code and stack[-1:] == ["code"] and not (found["end"] and name == "code"):
            continue
        if not found["end"]:
            ends = [later for later in tags[number + 1 :] if later["end"] and later["name"].lower() == name]
            begins = [later for later in tags[number + 1 :] if not later["end"] and later["name"].lower() == name]
            if lasting or len(ends) > len(begins):
                stack.append(name)
        elif any_end and name in stack:
            while stack.pop() != name:
                pass
        elif stack[-1:] == [name]:
            stack.pop()
    shown += re.sub(r"[^\n]", HIDDEN, post[place:]) if stack else post[place:]
    return [line.strip() for line in shown.split("\n")]


def test_what_counts_in_markdown_stands_in_the_open_in_a_browser() -> None:
    lot, count = random.Random(16), 0
    for _ in range(1500):
        post = by_lot(lot, PIECES)
        found = counting(post, MARKDOWN)
        shown = in_a_browser(post) if found else []
        for line in found:
            count += 1
            if line.kind == "code":
                assert any(f"!I am {line.text}" in each for each in shown), post
            else:
                assert f"!{line.text}" in map(without_formatting, shown), post
    assert count > 30


@pytest.mark.parametrize("lasting", [True, False])
@pytest.mark.parametrize("raw_code", [True, False])
@pytest.mark.parametrize("any_end", [True, False])
def test_what_counts_among_tags_stands_in_the_open_in_every_forum(lasting: bool, raw_code: bool, any_end: bool) -> None:
    lot, count = random.Random(17), 0
    for _ in range(700):
        post = by_lot(lot, TAG_PIECES)
        found = counting(post, BBCODE)
        shown = in_a_forum(post, lasting=lasting, raw_code=raw_code, any_end=any_end) if found else []
        for line in found:
            count += 1
            assert f"!{line.text}" in map(without_formatting, shown), post
    assert count > 30


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize(
    "piece",
    ["[q=", "[q][c][/s]", '[quote="', "[x][/x]", "<div\n<a ", "<!A", "<b a='", "||\n", ":::\n", "wrote:\n", "On "],
)
def test_no_long_post_takes_long(piece: str, dialect: Dialect) -> None:
    """A post four times as long takes about four times as long to read, not sixteen times."""

    def seconds(length: int) -> float:
        before = time.process_time()
        read_post((piece * length)[:length], dialect)
        return time.process_time() - before

    assert seconds(30_000) < 9 * seconds(7_500) + 0.2


def test_what_nobody_can_type_is_read_without_breaking() -> None:
    lot = random.Random(18)
    for dialect in Dialect:
        for _ in range(100):
            read_post(
                "".join(chr(lot.choice((lot.randrange(128), lot.randrange(0x11_0000)))) for _ in range(60)), dialect
            )
