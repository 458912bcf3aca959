"""How a mail's plain text and HTML bodies are merged into one reading."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.mail.own_words import Draft, Own, agree_on_lines
from bot.wording import say

DIFFERS = say("note.differs")
LONG = "press to all: this line is long enough to be wrapped"


def d(
    *lines: str | tuple[str, ...],
    ignored: Sequence[str] = (),
    answers: Sequence[str] = (),
    unsure: Sequence[str] = (),
    notes: Sequence[str] = (),
    body: str = "",
) -> Draft:
    """Return a body with these lines; a tuple is a line with its section."""
    own = [Own(line) if isinstance(line, str) else Own(*line) for line in lines]
    return Draft(
        lines=own, ignored=list(ignored), blank=False, body=body, answers=list(map(Own, answers)), unsure=list(unsure),
        notes=list(notes),
    )  # fmt: skip


BODIES: dict[str, tuple[Draft | None, Draft | None, list[str | tuple[str, ...]], list[str], list[str]]] = {
    "nothing": (None, None, [], [], []),
    "plain alone": (d("bid 4", answers=["pass"], notes=["n"], unsure=["u"]), None, ["bid 4", "pass"], [], ["n", "u"]),
    "html alone": (None, d("bid 4", answers=["pass"], unsure=["u"]), ["bid 4", "pass"], [], ["u"]),
    "look at html": (d("This mail", "is in HTML,", "see there"), d("bid 4", body="bid4"), ["bid 4"], [], []),
    "look at html, four lines": (
        d("This mail", "is in HTML,", "see", "there"),
        d("bid 4"),
        [],
        ["This mail", "is in HTML,", "see", "there", "bid 4"],
        [DIFFERS],
    ),
    "look at html, nothing there": (d("see the HTML"), d(), [], ["see the HTML"], [DIFFERS]),
    "the same": (d("bid 4", "pass"), d("BID  4", "pass"), ["BID  4", "pass"], [], []),
    "width": (d("bid ４"), d("bid 4"), ["bid 4"], [], []),
    "answers in both": (
        d("see below", body="seebelowbid9pass", answers=["pass"]),
        d("see below", body="seebelowbid9pass", answers=["bid 9", "pass"], unsure=["u"]),
        ["see below", "bid 9", "pass"],
        [],
        ["u"],
    ),
    "answers of the plain text alone": (
        d("see below", body="x", answers=["pass", "bid 4"]),
        d("see below", body="pass", answers=["bid 9"]),
        ["see below", "pass"],
        [],
        [],
    ),
    "wrapped": (d(LONG, "here"), d(LONG + " here"), [f"{LONG} here"], [], []),
    "wrapped short": (
        d("a" * 39, "here"),
        d("a" * 39 + " here"),
        ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "here"],
        [],
        [],
    ),
    "wrapped at 40": (
        d("a" * 40, "here"),
        d("a" * 40 + " here"),
        ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa here"],
        [],
        [],
    ),
    "wrapped thrice": (d(LONG, LONG + "s", "here"), d(LONG + " " + LONG + "s here"), [f"{LONG} {LONG}s here"], [], []),
    "first short": (
        d("a" * 39, LONG, "here"),
        d("a" * 39 + " " + LONG + " here"),
        ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", f"{LONG}", "here"],
        [],
        [],
    ),
    "two wrapped ones": (
        d(LONG, "here", "pass", LONG, "there"),
        d(LONG + " here", "pass", LONG + " there"),
        [f"{LONG} here", "pass", f"{LONG} there"],
        [],
        [],
    ),
    "other order": (d("pass", "bid 4"), d("bid 4", "pass"), ["pass", "bid 4"], [], [DIFFERS]),
    "links": (
        d("see here <https://x.example> now", "pass"),
        d("see here now", "pass"),
        ["see here now", "pass"],
        [],
        [],
    ),
    "link with mark": (d("1) bid 4 [mailto:b@x.example]", "(2) pass"), d("bid 4", "pass"), ["bid 4", "pass"], [], []),
    "bullets": (
        d("• bid 4", "o pass", "- no move", "or not"),
        d("bid 4", "pass", "no move", "or not"),
        ["bid 4", "pass", "no move", "or not"],
        [],
        [],
    ),
    "bullet alone": (d("*", "bid 4"), d("bid 4"), ["bid 4"], [], []),
    "stars": (d("*bid* 4"), d("bid 4"), ["bid 4"], [], []),
    "stars that both have": (d("*bid* 4"), d("*bid* 4"), ["*bid* 4"], [], []),
    "list wrapped": (
        d("1. press to all: this", "is the end"),
        d("press to all: this is the end"),
        ["press to all: this is the end"],
        ["1. press to all: this", "is the end"],
        [DIFFERS],
    ),
    "list wrapped early": (
        d("1. press to all", "is the end"),
        d("press to all is the end"),
        ["press to all is the end"],
        ["1. press to all", "is the end"],
        [DIFFERS],
    ),
    "list wrapped late": (
        d("1. press to all: this lon", "is the end"),
        d("press to all: this lon is the end"),
        ["press to all: this lon is the end"],
        ["1. press to all: this lon", "is the end"],
        [DIFFERS],
    ),
    "list wrapped a letter early": (
        d("1. press to all: this lo", "is the end"),
        d("press to all: this lo is the end"),
        ["press to all: this lo is the end"],
        ["1. press to all: this lo", "is the end"],
        [DIFFERS],
    ),
    "list wrapped as programs do": (
        d(f"1. {LONG}", "is the end"),
        d(f"{LONG} is the end"),
        [f"{LONG} is the end"],
        [],
        [],
    ),
    "list wrapped later": (
        d("1. press to all: this long", "is the end"),
        d("press to all: this long is the end"),
        ["press to all: this long is the end"],
        ["1. press to all: this long", "is the end"],
        [DIFFERS],
    ),
    "tail ignored in html": (
        d("bid 4", "Paul", "CEO"),
        d("bid 4", ignored=["CEO", "Paul"]),
        ["bid 4"],
        ["CEO", "Paul"],
        [],
    ),
    "tail ignored half": (
        d("bid 4", "Paul", "pass"),
        d("bid 4", ignored=["Paul"]),
        ["bid 4"],
        ["Paul", "pass"],
        [DIFFERS],
    ),
    "tail twice": (d("bid 4", "Paul", "Paul"), d("bid 4", ignored=["Paul"]), ["bid 4"], ["Paul", "Paul"], [DIFFERS]),
    "tail twice ok": (
        d("bid 4", "Paul", "Paul"),
        d("bid 4", ignored=["Paul", "", "Paul"]),
        ["bid 4"],
        ["Paul", "", "Paul"],
        [],
    ),
    "head ignored": (d("Paul", "bid 4"), d("bid 4", ignored=["Paul"]), ["bid 4"], ["Paul"], [DIFFERS]),
    "html tail": (d("bid 4", ignored=["Paul"]), d("bid 4", "Paul"), ["bid 4"], ["Paul"], []),
    "html has nothing": (d("Paul"), d(ignored=["Paul"]), [], ["Paul"], [DIFFERS]),
    "only sections differ": (
        d(("bid 4", "one"), "Paul"),
        d(("bid 4", "two"), ignored=["Paul"]),
        [],
        ["bid 4", "Paul", "bid 4"],
        [DIFFERS],
    ),
    "sections and tail": (
        d("pass", "Paul", ("bid 4", "one")),
        d("pass", ("bid 4", "one"), ignored=["Paul"]),
        ["pass", ("bid 4", "one", "")],
        ["Paul"],
        [],
    ),
    "other section empty": (
        d(("bid 4", "one"), "Paul"),
        d(("bid 4", "one"), ignored=["Paul"]),
        [("bid 4", "one", "")],
        ["Paul"],
        [],
    ),
    "differ": (
        d("bid 4", "pass", ignored=["x"], notes=["n"]),
        d("pass", "no move"),
        ["pass"],
        ["bid 4", "no move", "x"],
        ["n", DIFFERS],
    ),
    "differ all": (d("bid 4"), d("pass"), [], ["bid 4", "pass"], [DIFFERS]),
    "run together, part": (
        d("bid 4 pass no move"),
        d("bid 4", "no ship"),
        ["bid 4"],
        ["bid 4 pass no move", "no ship"],
        [DIFFERS],
    ),
    "forms": (d(("bid 4", "", "f1"), "pass"), d(("bid 4", "", "f2"), "pass"), ["pass"], ["bid 4", "bid 4"], [DIFFERS]),
}


@pytest.mark.parametrize("name", BODIES)
def test_what_a_mail_says_in_two_bodies(name: str) -> None:
    plain, html, lines, ignored, notes = BODIES[name]
    seen = agree_on_lines(plain, html)
    assert [tuple(line) if line.token or line.form else line.text for line in seen.lines] == lines
    assert (seen.ignored, seen.notes) == (ignored, notes)
