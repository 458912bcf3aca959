"""Lines of an HTML mail: which elements mark them as quoted, hidden, coloured or a signature."""

from __future__ import annotations

import pytest

from bot.mail.html import MAX_HTML, MAX_NESTING, MAX_TAGS, html_lines, stands_out
from bot.mail.lines import COLOURED, DOUBTFUL, MAX_LINES_SEEN, SIGNATURE, Line

QUOTED = 1
PAGES = [
    (
        '<p>bid 4</p><div style="border-left:1px solid #ccc">old</div><p>pass</p>',
        [("bid 4", 0), ("old", DOUBTFUL), ("pass", 0)],
    ),
    (
        '<div style="border-left-style: dashed">old<blockquote>older</blockquote></div>pass',
        [("old", DOUBTFUL), ("older", DOUBTFUL), ("pass", 0)],
    ),
    (
        '<blockquote cite="x"><div style="border-left:1px solid #ccc">old</div></blockquote>',
        [("old", 1)],
    ),
    (
        '<div class="gmail_quote"><p>bid 4</p></div>pass',
        [("bid 4", 0), ("pass", 0)],
    ),
    (
        '<div class="gmail_quote">Bob wrote:<blockquote>old</blockquote>pass</div>',
        [("Bob wrote:", 0), ("old", 1), ("pass", 0)],
    ),
    (
        '<div class="x_gmail_quote_container gmail_quote"><div><blockquote type=cite>old</blockquote></div></div>pass',
        [("old", 1), ("pass", 0)],
    ),
    (
        '<div class="moz-cite-prefix">Bob wrote:</div><blockquote>old<blockquote>older</blockquote></blockquote>pass',
        [("Bob wrote:", 1), ("old", 1), ("older", 2), ("pass", 0)],
    ),
    (
        '<div class="protonmail_quote">On 30.11.2026 Bob wrote:<blockquote>old</blockquote></div>pass',
        [("On 30.11.2026 Bob wrote:", 1), ("old", 1), ("pass", 0)],
    ),
    (
        '<div class="protonmail_quote"><div class="yahoo_quoted">bid 9</div></div>',
        [("bid 9", DOUBTFUL)],
    ),
    (
        '<div id="yahoo_quoted_12">old</div>pass',
        [("old", DOUBTFUL), ("pass", 0)],
    ),
    (
        '<div name="quote">old</div><p name="quote">pass</p><div name="Quoted-Content">old</div>',
        [("old", DOUBTFUL), ("pass", 0), ("old", DOUBTFUL)],
    ),
    (
        "<details>old</details>pass",
        [("old", DOUBTFUL), ("pass", 0)],
    ),
    (
        '<div name="messageReplySection">pass</div>',
        [("pass", 0)],
    ),
    (
        '<div name="messageBodySection">bid 4</div><div name="messageReplySection">old</div>',
        [("bid 4", 0), ("old", DOUBTFUL)],
    ),
    (
        'bid 4<div class="gmail_signature">Paul</div>pass',
        [("bid 4", 0), ("Paul", SIGNATURE), ("pass", 0)],
    ),
    (
        '<div name="messageSignatureSection">Paul</div>pass',
        [("Paul", SIGNATURE), ("pass", 0)],
    ),
    (
        '<blockquote type="CITE"><div class="gmail_signature">Mentat</div></blockquote>',
        [("Mentat", 1)],
    ),
    (
        '<div class="gmail_signature"><blockquote>Paul</blockquote><div class="yahoo_quoted">x</div></div>',
        [("Paul", SIGNATURE), ("x", SIGNATURE)],
    ),
    (
        "<pre>bid 4\n pass\n</pre>x  y\n z",
        [("bid 4", 0), ("pass", 0), ("x y z", 0)],
    ),
    (
        '<div style="white-space: pre-wrap">a\nb</div>',
        [("a", 0), ("b", 0)],
    ),
    (
        "<style><!-- .m, #n {white-space:pre-line} /* p {white-space:pre} */ --></style><div class=M>a\nb</div>"
        "<div id=n>c\nd</div><p>e\nf</p>",
        [("a", 0), ("b", 0), ("c", 0), ("d", 0), ("e f", 0)],
    ),
    (
        "<style>body p.m{white-space:pre-wrap}@media print{div{white-space:pre}.x{display:none}}ul .m{white-space:pre}"
        "</style><p class='a m'>a\nb<span style='white-space:normal'>c\nd</span></p><div class='x m'>e\nf</div>",
        [("a", 0), ("bc d", 0), ("e f", 0)],
    ),
    (
        "<style>.gone{display:none}b{white-space:break-spaces}</style><p class=gone>a</p><b>b\nc</b>",
        [("b", 0), ("c", 0)],
    ),
    (
        '<div style="white-space:nowrap">a\nb</div>',
        [("a b", 0)],
    ),
    (
        "<pre><b>a\nb</b>\nc</pre>",
        [("a", 0), ("b", 0), ("c", 0)],
    ),
    (
        '<p>a<p hidden>b<p style="display : none">c<p style="visibility:hidden">d<p style="fon'
        't-size:0">e<p style="font-size:0.9em">f<p style="opacity:0.5">g<p style="opacity:0">h',
        [("a", 0), ("f", 0), ("g", 0)],
    ),
    (
        '<p><s>a</s><del>b</del><strike>c</strike><span style="text-decoration: line-through">d</span>e',
        [("e", 0)],
    ),
    (
        '<p><span style="mso-list:Ignore">1.</span>bid 4',
        [("bid 4", 0)],
    ),
    (
        "a<script>b</script><style>c</style><title>d</title><!-- e --><![if x]>f<textarea>g</t"
        "extarea><select><option>h</select><button>i</button>j",
        [("a fj", 0)],
    ),
    (
        'bid 4<hr id="stopSpelling">Mentat wrote:<div id="appendonsend">Bob wrote:</div>oldest',
        [("bid 4", 0), ("Mentat wrote:", 1), ("Bob wrote:", 2), ("oldest", 2)],
    ),
    (
        'bid 4<div id="divRplyFwdMsg"></div><hr id="zwchr">pass<div id="x_orig_msg"></div>no move',
        [("bid 4", 0), ("pass", DOUBTFUL), ("no move", DOUBTFUL)],
    ),
    (
        'bid 4<div id="divRplyFwdMsg"></div>Mentat wrote:<blockquote>older<blockquote>oldest</blockquote></blockquote>',
        [("bid 4", 0), ("Mentat wrote:", 1), ("older", 1), ("oldest", 2)],
    ),
    (
        'bid 4<div style="border:none;border-top:solid #e1e1e1 1.0pt"><p><b>From:</b> Bob</p></div>old',
        [("bid 4", 0), ("From: Bob", 1), ("old", 1)],
    ),
    (
        'bid 4<div style="border:none;border-top:solid #e1e1e1 1.0pt"><p><b>From</b> Bob</p></div>pass',
        [("bid 4", 0), ("From Bob", 0), ("pass", 0)],
    ),
    (
        'bid 4<p style="border:none;border-top:solid #e1e1e1 1.0pt"><b>From:</b> Bob</p>pass',
        [("bid 4", 0), ("From: Bob", 0), ("pass", 0)],
    ),
    (
        'bid 4<div style="border:none;border-top:solid #e1e1e1 1.0pt"><p>From: Bob</p></div>pass',
        [("bid 4", 0), ("From: Bob", 0), ("pass", 0)],
    ),
    (
        'bid 4<div style="border:none;border-top:solid #e1e1e1 1.0pt"><b>aaaaaaaaaaaaaaaaaaaaa'
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:</b></div>old",
        [("bid 4", 0), ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:", 1), ("old", 1)],
    ),
    (
        'bid 4<div style="border:none;border-top:solid #e1e1e1 1.0pt"><b>aaaaaaaaaaaaaaaaaaaaa'
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:</b></div>pass",
        [("bid 4", 0), ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:", 0), ("pass", 0)],
    ),
    (
        "<table><tr><td>1.</td><td>bid 4</td></tr><tr><td>2</td><td>pass</td></tr></table>",
        [("bid 4", 0), ("pass", 0)],
    ),
    (
        "<table><tr><td>10</td></tr><tr><td>no 1</td><td>pass</td></tr><tr><th>(3)</th><th>a</"
        "th></tr><tr><td>123</td><td>b</td></tr></table>",
        [("10", 0), ("no 1 pass", 0), ("a", 0), ("123 b", 0)],
    ),
    (
        "<table><tr><td><p><b><i>1.</i></b></p></td><td>bid</td><td>4</td></tr></table>",
        [("bid 4", 0)],
    ),
    (
        "<table><tr><td><b><b><b><b><b><b><b><b><b><b>1.</td><td>bid</td></tr></table>",
        [("1. bid", 0)],
    ),
    (
        "<table><tr><td><b><b><b><b><b><b><b><b><b>1.</td><td>bid</td></tr></table>",
        [("bid", 0)],
    ),
    (
        '<div class="a header-protection-legacy-display"><pre>Subject: bid</pre></div>bid 4',
        [("bid 4", 0)],
    ),
    (
        "<ul><li>a<li>b</ul><h1>c</h1>d<br>e<br><br>f",
        [("a", 0), ("b", 0), ("c", 0), ("d", 0), ("e", 0), ("", 0), ("f", 0)],
    ),
    (
        "a<div>b</div>c<span>d</span> <b>e</b>",
        [("a", 0), ("b", 0), ("cd e", 0)],
    ),
    (
        "<p>&gt; old</p><p>&gt;&gt; older</p><blockquote type=cite>&gt; x</blockquote>",
        [("old", 1), ("older", 2), ("> x", 1)],
    ),
    (
        '<blockquote type=cite><p style="color:red">a</p><p><span style="color:red">b</span> c</p><p sty'
        'le="color:red">d <a>e</a></p></blockquote>',
        [("a", COLOURED), ("b c", 1), ("d e", 1)],
    ),
    (
        '<blockquote type=cite><p><font color=red>a</font><font color="#00f">b</font></p><div style="col'
        'or:red">c<br>d<span style="color:black">e</span></div></blockquote>',
        [("ab", COLOURED), ("c", COLOURED), ("de", 1)],
    ),
    (
        '<blockquote type=cite><blockquote type=cite><p style="color:red">a</p></blockquote></blockquote>',
        [("a", 2)],
    ),
    (
        "a<blockquote type=cite>b</blockquote>c<blockquote type=cite>d",
        [("a", 0), ("b", 1), ("c", 0), ("d", 1)],
    ),
    (
        "a<blockquote>   </blockquote>b",
        [("a", 0), ("b", 0)],
    ),
    (
        "<p>a</p> <p> </p><p>b</p>",
        [("a", 0), ("b", 0)],
    ),
    (
        "a&nbsp;b&#8203;c",
        [("a bc", 0)],
    ),
    (
        '<DIV CLASS="GMAIL_SIGNATURE">Paul</DIV>x',
        [("Paul", SIGNATURE), ("x", 0)],
    ),
    (
        '<div class="a gmail_attr">old</div><div data-marker="__QUOTED_TEXT__">old</div><div c'
        'lass="quote">old</div><div class="gmail_quote_x">x</div><div class="forum-quote-body"'
        ">old</div>",
        [("old", DOUBTFUL), ("old", DOUBTFUL), ("old", DOUBTFUL), ("x", 0), ("old", DOUBTFUL)],
    ),
]


@pytest.mark.parametrize(("page", "lines"), PAGES)
def test_a_page_has_the_lines_that_its_reader_sees(page: str, lines: list[tuple[str, int]]) -> None:
    assert html_lines(page) == [Line(*line) for line in lines]


@pytest.mark.parametrize(
    ("longest", "longer"),
    [
        ("a" * MAX_HTML, "a" * (MAX_HTML + 1)),
        ("<br>" * MAX_TAGS, "<br>" * (MAX_TAGS + 1)),
        ("<div>" * MAX_NESTING, "<div>" * (MAX_NESTING + 1)),
        ("<b><div></b>" * (MAX_NESTING // 2), "<b><div></b>" * (MAX_NESTING // 2 + 1)),
        ("<table><div></table>" * 600, "<div><table></div>" * 251),
        ("<div><b></div>" * 600, "<object></b>" * 501),
        ("<p><li>" * 600, "<i>" * 501),
    ],
    ids=[
        "letters",
        "tags",
        "nesting",
        "words close no block",
        "a table",
        "a block closes words",
        "closed by themselves",
    ],
)
def test_a_page_is_read_up_to_its_limits(longest: str, longer: str) -> None:
    assert html_lines(longest) is not None
    assert html_lines(longer) is None


def test_of_a_page_the_first_twenty_thousand_lines_are_read() -> None:
    lines = html_lines("a<br>" * (MAX_LINES_SEEN + 5))
    assert lines == [Line("a")] * MAX_LINES_SEEN
    assert html_lines("") == []
    assert html_lines("<frameset><frame src=orders.html></frameset>") == []


@pytest.mark.parametrize(
    ("tag", "attributes", "out"),
    [
        ("span", {}, None),
        ("span", {"style": "color:#46000000"}, False),
        ("span", {"style": "color:#460000"}, True),
        ("span", {"style": "color:#450000"}, False),
        ("span", {"style": "color:#4f4"}, True),
        ("span", {"style": "color:#8f3d0c"}, False),
        ("span", {"style": "color:#8f3d0d"}, True),
        ("span", {"style": "color:rgb(300, 255, 200)"}, False),
        ("span", {"style": "color:rgba(255,186,186,0.5)"}, False),
        ("span", {"style": "color:rgba(255,185,186,0.5)"}, True),
        ("span", {"style": "color:rgb(10,80,10)"}, True),
        ("span", {"style": "color:rgb(10,10,80)"}, True),
        ("p", {"style": "color:Navy !important"}, True),
        ("p", {"style": "color:inherit"}, False),
        ("p", {"style": "background:red"}, None),
        ("span", {"style": "background:red"}, True),
        ("span", {"style": "background:white"}, None),
        ("span", {"style": "mso-highlight:yellow;color:black"}, True),
        ("mark", {}, True),
        ("font", {"color": "blue"}, True),
        ("font", {"color": "blue", "style": "color:#222"}, False),
        ("font", {"color": ""}, None),
    ],
)
def test_words_stand_out_by_a_vivid_colour_that_is_none_of_ours(
    tag: str, attributes: dict[str, str], out: bool | None
) -> None:
    assert stands_out(tag, attributes) is out
