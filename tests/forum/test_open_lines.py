"""Which lines of a post are openly visible, at each parsing stage: tags, HTML, doubtful lines, own lines, acts."""

from __future__ import annotations

import pytest

from bot.channels import Dialect
from bot.forum.own_lines import LONGEST_POST, OpenHtml, covers, doubtful_lines, own_lines, without_formatting
from bot.forum.posts import LONGEST_LINE, form_of, read_post

MARKDOWN, BBCODE, TEXT = Dialect.MARKDOWN, Dialect.BBCODE, Dialect.TEXT


@pytest.mark.parametrize(
    ("lines", "brackets", "angles"),
    [
        ("a|[q]|b|[/q]|c", "02220", "02220"),
        ("a [q]b|c[/q] d|e", "110", "110"),
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
        ("[spoiler]x[/spoiler]|y", "30", "30"),
        ("a|[thing]|b|[/thing]|c", "01110", "01110"),
        ("[b][quote]|x|[/quote][/b]|y", "1220", "1220"),
    ],
)
def test_tags_cover_lines_surely_or_leave_them_in_doubt(lines: str, brackets: str, angles: str) -> None:
    """The expected text has a digit for each line: 2 if covered, 1 if in doubt, 0 if open."""
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
        ("<b>", False, False),
        ("<mark>", True, False),
        ("<mark></mark>", False, False),
        ("<mark></b>", True, False),
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
        ("a\\\nb", "a\\| b|", "a\\| b|"),
        ("*a*\nb", "*a*| b|", "*a*| b|"),
        ("a ~~b\nc~~ d\ne", "a ~~b|quoted c~~ d|quoted e|", "a ~~b| c~~ d| e|"),
        ("[a\nb](c)\nd", "[a|quoted b](c)|quoted d|quoted", "[a| b](c)| d|"),
        ("`a\nb` c", "`a|quoted b` c|quoted", "`a| b` c|"),
        ("a <mark>x\ny</mark>\nz", "a x|words y|words z|words", "a <mark>x|quoted y</mark>|quoted z|"),
        ("<!--\na\n-->\nb", "<!--|covered a|covered -->|covered b|", "<!--|quoted a|quoted -->|quoted b|"),
        ("a\n\n    b\n\nc", "a|     b|covered c|", "a|     b| c|"),
        ("# a\nb", "# a| b|", "# a| b|"),
        ("- a\n- b", "- a| - b|", "- a| - b|"),
        ("| a | b |\n|---|---|\n| c | d |\ne", "e|quoted", "e|quoted"),
        ("a &amp; b\nc", "a &amp; b|words c|", "a &amp; b| c|"),
        ("a\r\nb\rc", "a| b| c|", "a| b| c|"),
        ("<i>a</i>\nb", "<i>a</i>| b|", "<i>a</i>| b|"),
        ("[color=red]a[/color]\n[list][*]b[/list]", "[color=red]a[/color]| [list][*]b[/list]|",
         "[color=red]a[/color]| [list][*]b[/list]|"),
        ("[spoiler]a[/spoiler]\n[s]b[/s] c", "a|covered          c|", "a|covered          c|"),
        ("a\n-- \nb", "a| b|quoted", "a| -- |quoted b|quoted"),
        ("Originally posted by Chani\na\n\nb", "Originally posted by Chani| a|quoted b|",
         "Originally posted by Chani| a|quoted b|"),
    ],
)  # fmt: skip
def test_own_lines_are_told_with_why_they_do_not_count(raw: str, markdown: str, bbcode: str) -> None:
    found = [[f"{text}|{why}" for text, why in own_lines(raw, dialect) if text] for dialect in (MARKDOWN, BBCODE)]
    assert [" ".join(lines) for lines in found] == [markdown, bbcode]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("- [color=red]**!bid 3**[/color] ~~or 4~~", "!bid 3"),
        ("[center][b]! bid : 3[/b][/center]", "! bid : 3"),
        ("[SIZE=150]!pass[/SIZE]", "!pass"),
        ('<font color="red">!pass</font>', "!pass"),
        ("[*]!ship 2(1*) to Carthag", "!ship 2(1*) to Carthag"),
        ("2. !pass", "!pass"),
        ("[url=x]!pass[/url]", "[url=x]!pass[/url]"),
        ("[quote]!pass", "[quote]!pass"),
    ],
)
def test_formatting_is_taken_away_and_nothing_else(line: str, words: str) -> None:
    assert without_formatting(line) == words


def test_a_post_is_read_up_to_its_longest() -> None:
    for dialect in (MARKDOWN, BBCODE):
        assert own_lines("x" * LONGEST_POST, dialect) == [("x" * LONGEST_POST, "")]
        assert own_lines("x" * (LONGEST_POST + 1), dialect) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("**!bid 3**", "bid 3|words"),
        ("__!bid 3__", "bid 3|words"),
        ("**!bid 3** now", "bid 3 now|words"),
        ("[b]!bid 3[/b]", "bid 3|words"),
        ("  !bid 3", "bid 3|words"),
        ("！bid 3", "bid 3|words"),
        ("!!bid 3!!", "bid 3!!|words"),
        ("@Mentat: !bid 3", "bid 3|words"),
        ("@Mentat bid 3", "bid 3|words"),
        ("EDIT 2: !bid 3", "bid 3|words"),
        ("Bid: !bid 3", "bid 3|words"),
        ("Hi all, !bid 3", "bid 3|words"),
        ("I would say !bid 3", "bid 3|inside"),
        ("I would say !so there", ""),
        ("!bid 3 :laugh: 😀", "bid 3|words"),
        ("!", ""),
        ("! ", ""),
        ("!?", ""),
        ("!=", ""),
        ("![x]", ""),
        ("~~!bid 3~~", ""),
        ("!bid 3?", "bid 3?|signs"),
        ('!"bid 3"', '"bid 3"|signs'),
        ("!bid 3”", "bid 3”|signs"),
        ("!b\u0456d 3", "b\u0456d 3|signs"),
        ("\u200b!bid 3", "bid 3|signs"),
        ("!dial the shield", "dial the shield|words"),
        ("!press to all: hi?", "press to all: hi?|words"),
        ("!press to all: 'hi'", "press to all: 'hi'|words"),
        ("!I am ABC123 x", "ABC123|code"),
        ("!That is me, I am K7QX2M", "K7QX2M|code"),
    ],
)
def test_a_marked_line_is_of_one_kind(line: str, found: str) -> None:
    for dialect in (MARKDOWN, BBCODE):
        assert " ".join(f"{read.text}|{read.kind}" for read in read_post(line, dialect)) == found


def test_a_marked_line_is_read_up_to_its_longest() -> None:
    (cut,) = read_post("!" + "x" * (LONGEST_LINE + 1), TEXT)
    assert (cut.text, cut.kind) == ("x" * LONGEST_LINE, "long")
    (whole,) = read_post("!press to all: " + "x" * (LONGEST_LINE - 14), TEXT)
    assert (len(whole.text), whole.kind) == (LONGEST_LINE, "words")
    (far,) = read_post("!pass\n" + "x" * LONGEST_POST, TEXT)
    assert (far.text, far.kind) == ("pass", "long")


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("bid 3", "act"),
        ("ship 3 to Carthag with karama", "act"),
        ("press to all: hi", "act"),
        ("charity", "act"),
        ("bid 3 with karama", "secret"),
        ("bid up to 7", "secret"),
        ("dial the shield", "secret"),
        ("truthtrance? no", "secret"),
        ("standing: charity", "secret"),
        ("press to guild: hi", "secret"),
        ("bid 3 for the shield", ""),
        ("bidd", ""),
        ("status", ""),
        ("I am out", ""),
    ],
)
def test_the_form_of_a_line_says_what_it_is(line: str, form: str) -> None:
    assert form_of(line) == form


def test_without_the_need_of_a_mark_all_open_lines_are_words_and_blank_ones_part_them() -> None:
    raw = "Hi,\n  bid 3\n\n!pass\nbid ³\n> bid 4\n\nThat is me, I am K7QX2M"
    assert [f"{read.text}|{read.kind}" for read in read_post(raw, TEXT, plain=True)] == [
        "Hi,|words", "bid 3|words", "|words", "pass|words", "|words", "K7QX2M|code",
    ]  # fmt: skip
