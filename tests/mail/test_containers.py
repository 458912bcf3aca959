"""An HTML container counts as a quote only if something proves it, whatever the element's name."""

from __future__ import annotations

import pytest

from bot.mail.disposition import Examined, examine
from tests.mail.test_parts import parts, text

ADDRESS = "mentat@arrakis.example"
SEAT = "mentat+ypowzixiqjin3ijg@arrakis.example"
WROTE = f"On Mon, 30 Nov 2026 at 10:00, Mentat &lt;{SEAT}&gt; wrote:<br>"
HEADER = "<p>From: Mentat<br>Sent: Monday<br>To: Ann</p>"
LETTER = (
    b"From: Mentat <mentat@arrakis.example>\nSubject: your bid\n\n"
    b"The Guild has bid three for the second card. Your bid?\n\nbid 5\npass\nship 4 from Carthag to Habbanya Ridge\n"
)
GMAIL_INDENT = "margin:0 0 0 40px;border:none;padding:0px"
GMAIL_BAR = "margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"


def read(body: str, plain: str = "", sent: bytes | None = None) -> Examined:
    page = text("html", f"<html><body>{body}</body></html>")
    mail = parts("alternative", text("plain", plain), page) if plain else page
    head = "From: Ann <ann@home.example>\nIn-Reply-To: <sietch.1.ypowzixiqjin3ijg@arrakis.example>\n"
    return examine(f"{head}{mail}".encode(), ADDRESS, lambda code: None, sent_letter=lambda name: sent)


OWN = {
    "indented in Gmail": f"bid 4<blockquote style='{GMAIL_INDENT}'><div>no move</div></blockquote>",
    "indented on a Mac": (
        "bid 4<blockquote class='webkit-indent-blockquote' style='margin:0 0 0 40px'>no move</blockquote>"
    ),
    "in Gmail's container, above its whole quote": (
        f"<div class=gmail_quote><div>bid 4</div><div>no move</div><div class=gmail_quote><div class=gmail_attr>"
        f"<a href='mailto:{SEAT}'>Mentat</a>, 30.11.2026 10:00:</div><blockquote style='{GMAIL_BAR}'>bid 5</blockquote>"
        "</div></div>"
    ),
    "indented twice": f"bid 4<blockquote style='{GMAIL_INDENT}'><blockquote>no move</blockquote></blockquote>",
    "indented below a heading": "My orders for 2026:<blockquote>bid 4<br>no move</blockquote>",
    "all indented": "<blockquote>bid 4</blockquote><blockquote>no move</blockquote>",
    "in Gmail's container": "<div class=gmail_quote>bid 4<br>no move</div>",
    "in Gmail's container, with the quote": (
        f"<div class='gmail_quote gmail_quote_container'><div>bid 4</div><div>no move</div><div>{WROTE}"
        f"<blockquote class=gmail_quote style='{GMAIL_BAR}'>bid 5</blockquote></div></div>"
    ),
    "indented above a quote": (
        f"bid 4<blockquote>no move</blockquote><div class=gmail_quote><div class=gmail_attr>{WROTE}</div>"
        f"<blockquote class=gmail_quote style='{GMAIL_BAR}'>bid 5</blockquote></div>"
    ),
    "indented below a quote": f"{WROTE}<blockquote type=cite>bid 5</blockquote>bid 4<blockquote>no move</blockquote>",
    "a line of ours, copied": "bid 4<blockquote>no move</blockquote>",
}
QUOTED = {
    "cited": "bid 4<blockquote type=cite>bid 5</blockquote>",
    "cited from an address": "bid 4<blockquote cite='mid:1@arrakis.example'>bid 5</blockquote>",
    "below an attribution": f"bid 4<p>{WROTE}</p><blockquote>bid 5</blockquote>",
    "with an attribution": f"bid 4<blockquote>{WROTE}bid 5</blockquote>",
    "with a header block": f"bid 4<blockquote>{HEADER}<p>bid 5</p></blockquote>",
    "with our mark": "bid 4<div class=gmail_quote>Reply above this line to answer<br>bid 5</div>",
    "between answers": f"{WROTE}<blockquote>bid 5</blockquote>bid 4<blockquote>bid 6</blockquote>",
    "within a quote": f"bid 4<p>{WROTE}</p><blockquote>Your bid?<blockquote>bid 5</blockquote></blockquote>",
    "in Gmail's container, attributed": (
        f"bid 4<div class=gmail_quote><div>{WROTE}<blockquote class=gmail_quote>bid 5</blockquote></div></div>"
    ),
}
DOUBTFUL = {
    "a bar on the left": f"bid 4<blockquote class=gmail_quote style='{GMAIL_BAR}'>bid 5</blockquote>",
    "another program's container": "bid 4<div class=yahoo_quoted>bid 5</div>",
    "the look of a later quote": f"bid 4<blockquote>bid 5</blockquote><p>{WROTE}</p><blockquote>bid 6</blockquote>",
    "where Outlook puts the quote": "bid 4<div id=appendonsend></div><p>bid 5</p>",
}


@pytest.mark.parametrize("name", OWN)
def test_own_words_stay_own_in_a_container(name: str) -> None:
    seen = read(OWN[name]).reading
    assert [line for line in seen.lines if line[0].islower()] == ["bid 4", "no move"]


@pytest.mark.parametrize("name", QUOTED)
def test_a_proved_quote_is_not_read(name: str) -> None:
    seen = read(QUOTED[name]).reading
    assert (seen.lines, seen.notes) == (("bid 4",), ())


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_only_looks_like_a_quote_is_not_read_but_named(name: str) -> None:
    seen = read(DOUBTFUL[name]).reading
    assert seen.lines == ("bid 4",)
    assert any("“bid 5”" in note for note in seen.notes)


def test_words_of_the_answered_letter_prove_a_quote() -> None:
    said = "<div>The Guild has bid three<br>for the second card. Your bid?</div><div>bid 5</div><div>pass</div>"
    seen = read(f"bid 4<div class=gmail_quote>{said}</div>", sent=LETTER).reading
    assert (seen.lines, seen.notes) == (("bid 4",), ())
    added = read(f"bid 4<div class=gmail_quote>{said}no move</div>", sent=LETTER).reading
    assert added.lines == ("bid 4",)
    assert any("“no move”" in note for note in added.notes)


def test_a_copied_order_of_the_answered_letter_is_the_players() -> None:
    copied = "bid 4<blockquote>pass{}</blockquote>"
    assert read(copied.format(""), sent=LETTER).reading.lines == ("bid 4", "pass")
    several = read(copied.format("<br>bid 5<br>Your bid?"), sent=LETTER).reading
    assert several.lines == ("bid 4",)
    assert any("“pass”" in note for note in several.notes)


def test_a_button_of_our_letters_proves_a_quote() -> None:
    said = "<p>Your bid?</p><p><a href='mailto:mentat%2Bypowzixiqjin3ijg@arrakis.example?body=bid%205'>bid 5</a></p>"
    seen = read(f"bid 4<div class=gmail_quote>{said}</div>").reading
    assert seen.lines == ("bid 4",)


def test_indented_words_agree_with_the_plain_text_beside_them() -> None:
    seen = read("bid 4<blockquote>no move</blockquote>", plain="bid 4\n\n    no move\n").reading
    assert (seen.lines, seen.notes) == (("bid 4", "no move"), ())
    doubted = read("bid 4<blockquote>no move</blockquote>", plain="bid 4\n> no move\n").reading
    assert (doubted.lines, doubted.ignored) == (("bid 4",), ("no move",))


BELOW = {
    "a page": text("html", f"<p>bid 4</p><div id=divRplyFwdMsg></div>{HEADER}<p>bid 5</p>"),
    "plain text": text("plain", "bid 4\n\nFrom: Mentat\nSent: Monday\nTo: Ann\n\nbid 5"),
}


@pytest.mark.parametrize("name", BELOW)
def test_a_quote_without_end_ends_with_its_text_unless_a_picture_may_divide_it(name: str) -> None:
    picture = "Content-Type: image/png\n\nx"
    for beside, lines in ((), ("bid 4", "no move")), ((picture,), ("bid 4",)):
        mail = parts("mixed", BELOW[name], *beside, text("plain", "no move"))
        seen = examine(f"From: Ann <ann@home.example>\n{mail}".encode(), ADDRESS, lambda code: None).reading
        assert seen.lines == lines
        assert "no move" in lines or any("“no move”" in note for note in seen.notes)


def test_every_line_left_out_in_doubt_is_named_however_many() -> None:
    rows = "".join(f"<div>bid {number}</div>" for number in range(10, 60))
    seen = read(f"bid 4<div class=yahoo_quoted>{rows}</div>").reading
    named = "\n".join((*seen.notes, *seen.ignored))
    assert seen.lines == ("bid 4",)
    assert all(f"bid {number}" in named for number in range(10, 60))
