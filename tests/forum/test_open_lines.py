"""Which lines of a post stand in the open, in each part of the reading: tags, HTML, doubtful lines, own lines, acts."""

from __future__ import annotations

import pytest

from bot.channels.channel import Dialect
from bot.forum.own_lines import LONGEST_POST, OpenHtml, covers, doubtful_lines, own_lines
from bot.forum.posts import LONGEST_LINE, read_post

MARKDOWN, BBCODE, TEXT = Dialect.MARKDOWN, Dialect.BBCODE, Dialect.TEXT


@pytest.mark.parametrize(
    ("lines", "brackets", "angles"),
    [
        ("a|[q]|b|[/q]|c", "02220", "02220"),
        ("a [q]b|c[/q] d|e", "120", "120"),
        ("[q]|[i]|x|[/q]|y", "22220", "22220"),
        ("[quote]|[s]|a|[/quote]|b", "22221", "22221"),
        ("a|[/quote]|b", "110", "110"),
        ("[word]|b", "00", "00"),
        ("[word]|b|[/word]|c", "1110", "1110"),
        ("[b]|x|[/b]", "111", "000"),
        ('[quote="a]b"]|x|[/quote]|y', "2220", "2220"),
        ("[quote|x|y", "111", "111"),
        ("<details>|x|</details>|y", "0000", "1110"),
        ("<!-- |x|-->|y", "0000", "1110"),
        ("[q][q]|x|[/q]|y|[/q]|z", "222220", "222220"),
        ("\\[/quote]|a", "00", "00"),
        ("[quote]|a|\\[/quote]|b", "2222", "2222"),
        ("[spoiler]x[/spoiler]|y", "20", "20"),
        ("a|[thing]|b|[/thing]|c", "01110", "01110"),
        ("[b][quote]|x|[/quote][/b]|y", "1220", "1220"),
    ],
)
def test_tags_cover_lines_surely_or_leave_them_in_doubt(lines: str, brackets: str, angles: str) -> None:
    """A digit for each line: 2 where it is covered, 1 where that is in doubt, 0 where it is open."""
    each = lines.split("|")
    for among, found in ((False, brackets), (True, angles)):
        told = covers("\n".join(each), [""] * len(each), angles=among)
        assert "".join(str(int(cover)) for cover in told) == found


def test_a_tag_within_code_opens_nothing_surely_and_one_in_a_quote_closes_nothing() -> None:
    lines = "[quote]\na\n[/quote]\nb"
    assert [int(cover) for cover in covers(lines, ["code", "", "", ""], angles=False)] == [1, 1, 1, 1]
    assert [int(cover) for cover in covers(lines, ["", "", "quoted", ""], angles=False)] == [2, 2, 2, 1]


@pytest.mark.parametrize(
    ("lines", "markdown", "bbcode", "text"),
    [
        ("a|> b|c||d", [2], [2], [1, 2]),
        ("a|- b|c||d", [2], [], []),
        ("a|1. b|c||d", [2], [], []),
        ("a|1) b|c||d", [2], [], []),
        ("[/quote]> b|c||d", [1], [], []),
        ("[hr] ```|c||d", [0, 1, 2, 3], [], []),
        ("```|a|```|b", [0, 1, 2], [0, 1], [0, 1, 2]),
        ("```py|a|```|b", [0, 1, 2], [0, 1], [0, 1, 2]),
        ("```py x|a|```|b", [0, 1, 2], [0, 1], [0, 1, 2]),
        ("~~~|a|~~~|b", [0, 1, 2], [0, 1], [0, 1, 2]),
        ("```|a||b", [0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]),
        (":::|a|:::|b", [0, 1], [], []),
        (":::|a|b", [0, 1, 2], [], []),
        ("a `b|c|d` e|f||g", [0, 1, 2], [], []),
        ("a `b|c||d` e", [], [], []),
        ("~~a|b|c~~|d", [0, 1, 2], [], []),
        ("[a](b|c||d", [0, 1], [], []),
        ("a](b [c|d||e", [0, 1], [], []),
        ("![a](b) c|d", [], [], []),
        ("[^1]: a|b||c", [1], [], []),
        ("Chani wrote:|a|b||c", [1, 2], [1, 2], [0, 1, 2, 3, 4]),
        ("Chani wrote:||a|b||c", [2, 3], [2, 3], [0, 1, 2, 3, 4, 5]),
        ("He said: so|a", [], [], []),
        ("$$|a|$$|b", [0, 1], [], []),
        ("a|> b||c", [], [], [1]),
        ("a| ```|b| ```|c", [1, 2, 3], [1, 2], [1, 2, 3]),
        ("a ¦¦x|b|x¦¦|c", [0, 1], [], []),
    ],
)
def test_lines_of_which_forums_disagree_are_doubtful(
    lines: str, markdown: list[int], bbcode: list[int], text: list[int]
) -> None:
    each = [line.replace("¦", "|") for line in lines.split("|")]
    found = [sorted(doubtful_lines(each, dialect, ())) for dialect in (MARKDOWN, BBCODE, TEXT)]
    assert found == [markdown, bbcode, text]


def test_a_blank_line_inside_of_something_ends_no_quote() -> None:
    assert doubtful_lines(["> a", "b", "", "c", "", "d"], BBCODE, {2}) == {1, 2, 3}


@pytest.mark.parametrize(
    ("html", "opened", "covers_all"),
    [
        ("<b>", True, False),
        ("<b></b>", False, False),
        ("<b></i>", True, False),
        ("<br>", False, False),
        ("<script>", True, True),
        ("</b>", False, False),
        ("<!-- x -->", False, False),
        ("<!-- x", True, True),
        ("<b", True, True),
        ("<details>", True, True),
        ("<details></details>", False, False),
        ("<span>", True, False),
        ("<style></style>", True, True),
        ("<p><details></p>", True, True),
        ("<p><a></a></p>", False, False),
    ],
)
def test_html_leaves_open_what_it_does_not_end(html: str, opened: bool, covers_all: bool) -> None:
    read = OpenHtml()
    read.follow(html)
    assert (bool(read), read.covers) == (opened, covers_all)


@pytest.mark.parametrize(
    ("raw", "markdown", "bbcode"),
    [
        ("a\\\nb", [("a\\", True), ("b", True)], [("a\\", True), ("b", True)]),
        ("a  \nb", [("a  ", True), ("b", True)], [("a  ", True), ("b", True)]),
        ("*a*\nb", [("*a*", True), ("b", True)], [("*a*", True), ("b", True)]),
        (
            "a ~~b\nc~~ d\ne",
            [("a ~~b", False), ("c~~ d", False), ("e", True)],
            [("a ~~b", True), ("c~~ d", True), ("e", True)],
        ),
        ("[a\nb](c)\nd", [("[a", False), ("b](c)", False), ("d", False)], [("[a", True), ("b](c)", True), ("d", True)]),
        ("`a\nb` c", [("`a", False), ("b` c", False)], [("`a", True), ("b` c", True)]),
        (
            "a <b>x\ny</b>\nz",
            [("a <b>x", False), ("y</b>", False), ("z", False)],
            [("a <b>x", True), ("y</b>", True), ("z", True)],
        ),
        ("<!-- \na\n-->\nb", [("b", True)], [("<!-- ", False), ("a", False), ("-->", False), ("b", True)]),
        (
            "a\n\n    b\n\nc",
            [("a", True), ("c", True)],
            [("a", True), ("", True), ("    b", True), ("", True), ("c", True)],
        ),
        ("# a\nb", [("# a", False), ("b", True)], [("# a", True), ("b", True)]),
        ("| a | b |\n|---|---|\n| c | d |\ne", [], [("e", False)]),
        ("a &amp; b\nc", [("a &amp; b", False), ("c", True)], [("a &amp; b", True), ("c", True)]),
        ("a\r\nb\rc", [("a", True), ("b", True), ("c", True)], [("a", True), ("b", True), ("c", True)]),
        ("<i>a</i>\nb", [("<i>a</i>", False), ("b", True)], [("<i>a</i>", True), ("b", True)]),
        (
            "<details>\n\na\n\n</details>\n\nb",
            [("b", True)],
            [
                ("<details>", False),
                ("", False),
                ("a", False),
                ("", False),
                ("</details>", False),
                ("", True),
                ("b", True),
            ],
        ),
    ],
)
def test_own_lines_are_told_with_whether_they_are_beyond_doubt(
    raw: str, markdown: list[tuple[str, bool]], bbcode: list[tuple[str, bool]]
) -> None:
    assert [own_lines(raw, MARKDOWN), own_lines(raw, BBCODE)] == [markdown, bbcode]


def test_a_post_is_read_up_to_its_longest() -> None:
    for dialect in (MARKDOWN, BBCODE):
        assert own_lines("x" * LONGEST_POST, dialect) == [("x" * LONGEST_POST, True)]
        assert own_lines("x" * (LONGEST_POST + 1), dialect) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("**!bid 3**", [("bid 3", "act")]),
        ("__!bid 3__", [("bid 3", "act")]),
        ("**!bid 3** now", []),
        ("[b]!bid 3[/b]", [("bid 3", "act")]),
        ("!bid 3\\", [("bid 3\\", "unread")]),
        ("!", []),
        ("! ", []),
        ("!?", []),
        ("!=", []),
        ("![x]", []),
        ("!!x", []),
        ("!bid 3 ", [("bid 3", "act")]),
        ("~~!bid 3~~", []),
        ("!bid *3*", [("bid *3*", "unread")]),
        ("!bid 3?", [("bid 3?", "unread")]),
        ('!"bid 3"', [('"bid 3"', "unread")]),
        ("!bid 3”", [("bid 3”", "unread")]),
        ("**!a** **!b**", []),
        ("!dial the shield", [("dial the shield", "secret")]),
        ("!bidd", [("bidd", "unread")]),
        ("!press to all: hi?", [("press to all: hi?", "act")]),
        ("!press to all: 'hi'", [("press to all: 'hi'", "act")]),
        ("!ship 3 to Carthag with karama", [("ship 3 to Carthag with karama", "act")]),
        ("!truthtrance? no", [("truthtrance? no", "secret")]),
        ("!I am ABC123 x", [("I am ABC123 x", "unread")]),
    ],
)
def test_a_marked_line_is_of_one_kind(line: str, found: list[tuple[str, str]]) -> None:
    for dialect in (MARKDOWN, BBCODE):
        assert [(read.text, read.kind) for read in read_post(line, dialect)] == found


def test_a_marked_line_is_read_up_to_its_longest() -> None:
    (cut,) = read_post("!" + "x" * (LONGEST_LINE + 1), TEXT)
    assert (cut.text, cut.kind) == ("x" * LONGEST_LINE, "unread")
    (whole,) = read_post("!press to all: " + "x" * (LONGEST_LINE - 14), TEXT)
    assert (len(whole.text), whole.kind) == (LONGEST_LINE, "act")
    assert [read.kind for read in read_post("!press to all: " + "x" * (LONGEST_LINE - 13), TEXT)] == ["unread"]


@pytest.mark.parametrize(
    ("line", "text", "markdown"),
    [
        ("I am K7QX2M", [("K7QX2M", "code")], [("K7QX2M", "code")]),
        ("  bid 3", [], []),
        ("bid 3 `x`", [], []),
        ("bid `3`", [], []),
        ("plan", [], []),
        ("status", [], []),
        ("wait", [], []),
        ("traitor Feyd", [("traitor Feyd", "secret")], [("traitor Feyd", "secret")]),
        ("bid ³", [], []),
        ("standing: charity", [("standing: charity", "secret")], [("standing: charity", "secret")]),
        ("no", [], []),
        ("press to all: hi", [("press to all: hi", "act")], [("press to all: hi", "act")]),
        ("ship 3 to Carthag; pass", [], []),
        ("I am K7QX2M `x`", [], []),
        ("bid 3", [("bid 3", "act")], [("bid 3", "act")]),
        ("bid up to 7", [("bid up to 7", "secret")], [("bid up to 7", "secret")]),
        ("help me", [], []),
    ],
)
def test_without_a_mark_only_what_can_be_nothing_else_counts(
    line: str, text: list[tuple[str, str]], markdown: list[tuple[str, str]]
) -> None:
    found = [[(read.text, read.kind) for read in read_post(line, dialect, plain=True)] for dialect in (TEXT, MARKDOWN)]
    assert found == [text, markdown]
