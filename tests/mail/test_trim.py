"""Trimming whole texts: what is kept and what is removed (quotes, signatures, footers, warnings, answers)."""

from __future__ import annotations

from typing import Any

import pytest

from bot.mail.lines import COLOURED, SIGNATURE, Line, plain_lines
from bot.mail.quotes import MAX_UNQUOTED, trim_quotes


def left(lines: list[Line]) -> dict[str, Any]:
    """Trim the lines and return the fields of the result that are not empty."""
    trimmed = trim_quotes(lines, "mentat@arrakis.example", ("baron",))
    return {name: value for name, value in vars(trimmed).items() if value}


TEXTS: list[tuple[str, dict[str, Any]]] = [
    ("> a\n\nbid\n\n...\n\npass", {"kept": ["", "bid", "", "", "pass"]}),
    ("> a\n>> b\n[...]\n\npass", {"kept": ["", "pass"]}),
    ("> a\n\n[snip]\n>> b\npass", {"kept": ["", "pass"]}),
    ("pass\n[...]\nbid 4", {"kept": ["pass", "[...]", "bid 4"]}),
    ("Cut here please\n> a", {"kept": ["Cut here please"]}),
    (
        "bid 4\nFrom: Mentat <mentat@arrakis.example> xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxx\nTo: b\nSubject: c\nold",
        {
            "kept": ["bid 4"],
            "cut_at": "From: Mentat <mentat@arrakis.example> xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        },
    ),
    ("bid 4\n-- \nBaron\nHarkonnen", {"kept": ["bid 4"], "ignored": ["--", "Baron", "Harkonnen"]}),
    (
        "bid 4\n--\nBaron\n\nOn Sun, Nov 22, 2026 Mentat wrote:\n> old\npass",
        {"kept": ["bid 4", "pass"], "ignored": ["--", "Baron"]},
    ),
    ("bid 4\n-- \nBaron\n> old\npass", {"kept": ["bid 4"], "ignored": ["--", "Baron", "pass"]}),
    (
        "bid 4\n\nKind regards,\nBaron\n\nOn Sun, Nov 22, 2026 Mentat wrote:\n> old\n\npass",
        {"kept": ["bid 4", "", "", "pass"], "ignored": ["Kind regards,", "Baron"]},
    ),
    (
        "bid 4\n\nBaron\nTel. 0123 45678\nP.S. pass",
        {"kept": ["bid 4", "", "P.S. pass"], "ignored": ["Baron", "Tel. 0123 45678"]},
    ),
    ("bid 4\n\nBaron\nno move", {"kept": ["bid 4", "", "Baron", "no move"]}),
    ("bid 4\n\nThe Baron\n", {"kept": ["bid 4", "", "The Baron", ""]}),
    ("bid 4\nbaron", {"kept": ["bid 4", "baron"]}),
    ("baron\nbid 4", {"kept": ["baron", "bid 4"]}),
    ("bid 4\n\nRegards,\nBob", {"kept": ["bid 4", "", "Regards,", "Bob"]}),
    ("bid 4\n\nRegards,", {"kept": ["bid 4", "", "Regards,"]}),
    ("bid 4\n\n--- \nBaron", {"kept": ["bid 4", ""], "ignored": ["---", "Baron"]}),
    ("bid 4\n\n---\nno move", {"kept": ["bid 4", "", "no move"]}),
    (
        "bid 4\n\nBaron xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        {
            "kept": [
                "bid 4",
                "",
                "Baron xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            ]
        },
    ),
    ("bid 4\n\nBaron Baron Baron Baron Baron ", {"kept": ["bid 4", ""], "ignored": ["Baron Baron Baron Baron Baron"]}),
    ("bid 4\n\nBaron Baron Baron Baron Baron Baron ", {"kept": ["bid 4", "", "Baron Baron Baron Baron Baron Baron"]}),
    (
        "bid 4\n\nBaron                                                        .",
        {"kept": ["bid 4", "", "Baron                                                        ."]},
    ),
    (
        "bid 4\n\nBaron                                                      .",
        {"kept": ["bid 4", ""], "ignored": ["Baron                                                      ."]},
    ),
    (
        "bid 4\n\nBaron\nline 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nli"
        "ne 10\nb@x.example",
        {
            "kept": ["bid 4", ""],
            "ignored": [
                "Baron",
                "line 0",
                "line 1",
                "line 2",
                "line 3",
                "line 4",
                "line 5",
                "line 6",
                "line 7",
                "line 8",
                "line 9",
                "line 10",
                "b@x.example",
            ],
        },
    ),
    (
        "bid 4\n\nBaron\nline 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nli"
        "ne 10\nline 11\nb@x.example",
        {
            "kept": [
                "bid 4",
                "",
                "Baron",
                "line 0",
                "line 1",
                "line 2",
                "line 3",
                "line 4",
                "line 5",
                "line 6",
                "line 7",
                "line 8",
                "line 9",
                "line 10",
                "line 11",
                "b@x.example",
            ]
        },
    ),
    (
        "Sent from my iPhone\nbid 4\nSent from my iPhone",
        {"kept": ["bid 4"], "ignored": ["Sent from my iPhone", "Sent from my iPhone"]},
    ),
    (
        "CAUTION: this mail came from outside of the organization.\nDo not click links.\nbid 4",
        {
            "kept": ["bid 4"],
            "ignored": ["CAUTION: this mail came from outside of the organization.", "Do not click links."],
        },
    ),
    (
        "CAUTION: this mail came from outside of the organization.\n\nbid 4\n\nCAUTION: this mail "
        "came from outside of the organization.\n\npass",
        {
            "kept": ["", "bid 4", "", "CAUTION: this mail came from outside of the organization.", "", "pass"],
            "ignored": ["CAUTION: this mail came from outside of the organization."],
        },
    ),
    (
        "This message is confidential and intended only for you.\n\nbid 4",
        {"kept": ["", "bid 4"], "ignored": ["This message is confidential and intended only for you."]},
    ),
    (
        "bid 4\n\nThis message is confidential and intended only for you.\nIf not, delete it.\n\nno move\n> old\npass",
        {
            "kept": ["bid 4", "", "pass"],
            "ignored": ["This message is confidential and intended only for you.", "If not, delete it.", "no move"],
        },
    ),
    (
        "bid 4\nThis message is confidential and intended only for you.\nno move",
        {"kept": ["bid 4", "This message is confidential and intended only for you.", "no move"]},
    ),
    (
        "bid 4\n\nTo unsubscribe, write to x@x.example\nmore",
        {"kept": ["bid 4", ""], "ignored": ["To unsubscribe, write to x@x.example", "more"]},
    ),
    (
        "bid 4\n\nConfidentiality notice\n\nThis e-mail is for the addressee alone.\n> old\npass",
        {
            "kept": ["bid 4", "", "Confidentiality notice", "", "pass"],
            "ignored": ["This e-mail is for the addressee alone."],
        },
    ),
    ("bid 4\n\nConfidentiality notice\n\nno move", {"kept": ["bid 4", "", "Confidentiality notice", "", "no move"]}),
    ("press to all: Sent from my iPhone\nbid 4", {"kept": ["press to all: Sent from my iPhone", "bid 4"]}),
    ("====\nbid 4\n~~~~\n", {"kept": ["bid 4", ""]}),
    ("bid 4\n\nDear Baron,\n\nyour bid\n", {"kept": ["bid 4", ""], "cut_at": "Dear Baron,"}),
    ("> old\n\nDear Baron,\n\nbid 4\n", {"kept": ["", "Dear Baron,", "", "bid 4", ""]}),
    ("bid 4\nBaron, my friend", {"kept": ["bid 4", "Baron, my friend"]}),
    ("bid 4\nHi Baron, my friend", {"kept": ["bid 4"], "cut_at": "Hi Baron, my friend"}),
    ("bid 4\nHi Baron; my friend", {"kept": ["bid 4", "Hi Baron; my friend"]}),
    (
        "Reply above this line\n[Baron] bid 4\n[Bob] pass\nold",
        {"answers": ["bid 4"], "cut_at": "Reply above this line"},
    ),
    (
        "see below\nReply above this line\n> [Baron]: bid 4\n>> [Baron] pass",
        {"kept": ["see below"], "answers": ["bid 4"], "cut_at": "Reply above this line"},
    ),
    (
        "bid 4\n________________________________\nFrom: Mentat <mentat@arrakis.example>\nSent: 20"
        "26\nTo: b\n> old\nbid 9",
        {"kept": ["bid 4", "bid 9"]},
    ),
    (
        "bid 4\n-----Original Message-----\nFrom: Mentat <mentat@arrakis.example>\n> old\nbid 9",
        {"kept": ["bid 4", "bid 9"]},
    ),
    (
        "bid 4\n-----Original Message-----\nFrom: Bob <b@x.example>\n> old\nbid 9",
        {"kept": ["bid 4"], "cut_at": "-----Original Message-----"},
    ),
    (
        "bid 4\n-----Original Message-----\nFrom: Mentat <mentat@arrakis.example>\nhello\n> old\nbid 9",
        {"kept": ["bid 4"], "cut_at": "-----Original Message-----"},
    ),
    (
        "bid 4\n________________________________\nhello there\n\nhttp://x.example",
        {"kept": ["bid 4", "hello there", "", "http://x.example"]},
    ),
    (
        "bid 4\n________________________________\nhello there\nsee http://x.example",
        {"kept": ["bid 4"], "cut_at": "________________________________"},
    ),
    (
        "bid 4\n________________________________\na\na\na\na\na\nhttp://x.example",
        {"kept": ["bid 4"], "cut_at": "________________________________"},
    ),
    (
        "bid 4\n________________________________\na\na\na\na\na\na\nhttp://x.example",
        {"kept": ["bid 4", "a", "a", "a", "a", "a", "a", "http://x.example"]},
    ),
    (
        "bid 4\n________________________________\n\n\n\nhttp://x.example",
        {"kept": ["bid 4"], "cut_at": "________________________________"},
    ),
    (
        "bid 4\n________________________________\n\n\n\n\nhttp://x.example",
        {"kept": ["bid 4"], "cut_at": "________________________________"},
    ),
    ("bid 4\n---- some words ----\na\nb@x.example", {"kept": ["bid 4", "---- some words ----", "a", "b@x.example"]}),
    ("bid 4\n---- some words ----\nb@x.example", {"kept": ["bid 4"], "cut_at": "---- some words ----"}),
    ("bid 4\n---- some words ----\nhttp://x.example", {"kept": ["bid 4"], "cut_at": "---- some words ----"}),
    ("bid 4\n---- some words ----\n> old\npass", {"kept": ["bid 4"], "cut_at": "---- some words ----"}),
    ("bid 4\n---- Mentat wrote ----\n> old\npass", {"kept": ["bid 4", "pass"]}),
    ("bid 4\n---- Mentat wrote ----\nold\npass", {"kept": ["bid 4"], "cut_at": "---- Mentat wrote ----"}),
    ("On Nov 22, Bob <b@x.example> wrote:\n\nold words", {"cut_at": "On Nov 22, Bob <b@x.example> wrote:"}),
    (
        "bid 4\n\nBob <b@x.example> schrieb am So., 22. Nov. 2026, 04:50:\n\nold words",
        {"kept": ["bid 4", ""], "cut_at": "Bob <b@x.example> schrieb am So., 22. Nov. 2026, 04:50:"},
    ),
    (
        "bid 4\n\nW dniu 22.11.2026 o 04:50, Bob pisze:\nold",
        {"kept": ["bid 4", ""], "cut_at": "W dniu 22.11.2026 o 04:50, Bob pisze:"},
    ),
    (
        "bid 4\n\nDen sön 22 nov. 2026 kl 04:50 skrev Bob:\nold",
        {"kept": ["bid 4", ""], "cut_at": "Den sön 22 nov. 2026 kl 04:50 skrev Bob:"},
    ),
    (
        "bid 4\n\nDne 22. 11. 2026 v 4:50 Bob napsal(a):\nold",
        {"kept": ["bid 4", ""], "cut_at": "Dne 22. 11. 2026 v 4:50 Bob napsal(a):"},
    ),
    ("bid 4\n\nFrom: Bob\nold", {"kept": ["bid 4", "", "From: Bob", "old"]}),
    (
        "press to all: On Nov 22, Bob <b@x.example> wrote:\nbid 4",
        {"kept": ["press to all: On Nov 22, Bob <b@x.example> wrote:", "bid 4"]},
    ),
]


@pytest.mark.parametrize(("text", "result"), TEXTS, ids=range(len(TEXTS)))
def test_what_is_left_of_a_text(text: str, result: dict[str, Any]) -> None:
    assert left(plain_lines(text)) == result


@pytest.mark.parametrize(
    ("lines", "result"),
    [
        (
            [Line("bid 4", 0), Line("Paul", SIGNATURE), Line(" ", SIGNATURE), Line("pass", 0)],
            {"kept": ["bid 4", "pass"], "ignored": ["Paul"]},
        ),
        (
            [
                Line("see below", 0),
                Line("Reply above this line", 1),
                Line("a", 1),
                Line("bid 4", COLOURED),
                Line("b", 1),
                Line("c", 1),
            ],
            {"kept": ["see below"], "answers": ["bid 4"]},
        ),
        (
            [
                Line("bid 4", 0),
                Line("Reply above this line", 1),
                Line("a", 1),
                Line("pass", COLOURED),
                Line("b", 1),
                Line("c", 1),
            ],
            {"kept": ["bid 4"], "coloured": ["pass"]},
        ),
        ([Line("see below", 0), Line("pass", COLOURED), Line("b", 1), Line("c", 1)], {"kept": ["see below"]}),
    ],
)
def test_what_is_left_of_the_lines_of_a_page(lines: list[Line], result: dict[str, Any]) -> None:
    assert left(lines) == result


def test_two_thousand_lines_are_looked_at_and_no_more() -> None:
    lines = [Line("bid 4"), Line(""), Line("old", 1)] * MAX_UNQUOTED
    assert len([text for text in trim_quotes([*lines, Line("pass")]).kept if text]) == MAX_UNQUOTED
    assert "pass" in trim_quotes([*lines[3:], Line("pass")]).kept
