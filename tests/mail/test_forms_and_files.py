"""Returned forms, attached files and reading limits, with the whole result compared."""

from __future__ import annotations

import pytest

from bot.mail.lines import Form, Line, changed_lines, plain_lines, split_forms
from bot.mail.message import Incoming, parse
from bot.mail.own_words import MAX_IGNORED, MAX_LINE_CHARS, MAX_LINES, Reading, Section, own_lines
from bot.wording import say

TOKEN, OTHER = "ypowzixiqjin3ijg", "aaaabbbbccccdddd"
SENT = ["# shipment", "ship _ to Habbanya Ridge Sietch", "[ ] no shipment", "move _ from Carthag to ______", "pass"]


@pytest.mark.parametrize(
    ("back", "changed"),
    [
        ([], []),
        (SENT, []),
        (["ship 4 to Habbanya Ridge Sietch"], ["ship 4 to Habbanya Ridge Sietch"]),
        (["ship _4_ to", "Habbanya", "Ridge", "Sietch"], ["ship 4 to Habbanya Ridge Sietch"]),
        (["ship 4 to", "Hab", "banya", "Ridge", "Sietch"], ["ship 4 to", "Hab", "banya", "Ridge", "Sietch"]),
        (["ship _ to", "Habbanya", "Ridge", "Sietch", "bid 4"], ["bid 4"]),
        (["ship 4 to", "pass"], ["ship 4 to"]),
        (["ship 4 to", "[x] no shipment", "Sietch"], ["ship 4 to", "no shipment", "Sietch"]),
        (["ship 4 to Habbanya Ridge Sietch please"], ["ship 4 to Habbanya Ridge Sietch please"]),
        (["now ship 4 to Habbanya Ridge Sietch"], ["now ship 4 to Habbanya Ridge Sietch"]),
        (["move 3 from Carthag to"], ["move 3 from Carthag to"]),
        (["move _3_ from Carthag to _Arrakeen_"], ["move 3 from Carthag to Arrakeen"]),
        (["move 3 to Arrakeen from Carthag"], ["move 3 to Arrakeen from Carthag"]),
        (["MOVE 3 FROM CARTHAG TO X"], ["MOVE 3 FROM CARTHAG TO X"]),
        (["[X] no shipment"], ["no shipment"]),
        (["[ ] no shipment", "[x] pass"], ["pass"]),
        (["(x) no shipment", "(x) pass", "( ) no shipment"], ["no shipment", "(x) pass"]),
        (["x no shipment", "x pass"], ["no shipment", "x pass"]),
        (["[ ] x no shipment", "[ ] x bid 4"], ["no shipment", "x bid 4"]),
        (["[ ] bid 4", "[_x_] bid 5", "[*] bid 6"], ["bid 4", "bid 5", "bid 6"]),
        (["☑ no shipment", "☐ no shipment", "☑ pass"], ["no shipment", "☑ pass"]),
        (["[123456789] no shipment"], ["[123456789] no shipment"]),
        (["no shipment"], ["no shipment"]),
        (["  ", "bid 4 "], ["bid 4"]),
        (["ship İ to Habbanya Ridge Sietch"], ["ship İ to Habbanya Ridge Sietch"]),
        (["ship _İ_ to Habbanya Ridge Sietch"], ["ship _İ_ to Habbanya Ridge Sietch"]),
        (["move from Carthag to _Arrakeen_"], ["move from Carthag to _Arrakeen_"]),
    ],
)
def test_what_was_changed_in_a_form(back: list[str], changed: list[str]) -> None:
    assert changed_lines(Form("x", tuple(back), 1, closed=True), SENT) == changed


@pytest.mark.parametrize(
    ("back", "changed"), [("press to : _hello_", "press to : hello"), ("press to _: _hello_", "press to _: hello")]
)
def test_a_blank_may_be_left_out_or_left_empty(back: str, changed: str) -> None:
    assert changed_lines(Form("x", (back,), 1, closed=True), ["press to _: _"]) == [changed]


def test_a_box_that_was_sent_ticked_is_no_box_to_tick() -> None:
    assert changed_lines(Form("x", ("(x) no move", "x no move"), 1, closed=True), ["[x] no move"]) == [
        "(x) no move",
        "x no move",
    ]
    assert changed_lines(Form("x", ("( ) bid 4", "x bid 4"), 1, closed=True), ["[x] bid 4"]) == [
        "( ) bid 4",
        "x bid 4",
    ]


def test_forms_are_told_from_what_stands_around_them() -> None:
    text = (
        "a\n> [Form AB12]\n> b\n> [end of form xy99]\n> [end of form ab12]\n[form cd34] c\nd\n[form ef56]\n"
        "e\n[end of form ef56]\nf"
    )
    forms, others = split_forms(plain_lines(text))
    assert forms == [
        Form("ab12", ("b", "[end of form xy99]"), 1, closed=True),
        Form("cd34", (), 0, closed=False),
        Form("ef56", ("e",), 0, closed=True),
    ]
    assert others == [Line("a"), Line("", 1), Line(""), Line("d"), Line(""), Line("f")]
    many, left = split_forms(plain_lines("[form ab12]\nx\n[end of form ab12]\n" * 11))
    assert (len(many), left[10:]) == (10, plain_lines("[form ab12]\nx\n[end of form ab12]\n"))


def read(body: str, head: str = "", max_lines: int = MAX_LINES, max_line_chars: int = MAX_LINE_CHARS) -> Reading:
    seen = parse(f"From: Baron <b@x.example>\n{head}\n{body}".encode())
    assert isinstance(seen, Incoming)
    forms = {"ab12": ["bid _", "pass"]}
    return own_lines(seen, forms.get, "mentat@arrakis.example", max_lines, max_line_chars, [TOKEN])


def form(code: str, *lines: str, marks: str = "") -> str:
    return "\n".join(marks + line for line in (f"[form {code}]", *lines, f"[end of form {code}]")) + "\n"


@pytest.mark.parametrize(
    ("body", "reading"),
    [
        (form("ab12", "bid 4", "pass"), Reading(("bid 4",), sections=(Section(("bid 4",), form="ab12"),))),
        (form("ab12", "bid 4", marks="> "), Reading(("bid 4",), sections=(Section(("bid 4",), form="ab12"),))),
        (form("ab12", "bid 4", marks=">> "), Reading(())),
        (
            f"no move\n{form('ab12', 'bid 4')}{form('ab12', 'bid 5')}",
            Reading(("no move", "bid 4"), sections=(Section(("no move",)), Section(("bid 4",), form="ab12"))),
        ),
        (form("zz99", "bid 4"), Reading((), notes=(say("note.form-not-sent", code="zz99"),))),
        ("[form ab12]\nbid 4\n", Reading(("bid 4",), sections=(Section(("bid 4",)),))),
        ("> [form ab12]\n> bid 4\n", Reading((), notes=(say("note.form-open", code="ab12"),))),
    ],
)
def test_forms_of_a_mail_are_read_once_and_if_they_were_sent(body: str, reading: Reading) -> None:
    seen = read(body)
    assert seen == reading


def test_lines_stand_for_the_seat_whose_token_stands_above_them() -> None:
    body = f"bid 4\npass\n[#{OTHER}]\nno move\nmentat+{TOKEN}@arrakis.example\nbid 5\n[image: x.png]\nbid 6\n"
    assert read(body) == Reading(
        ("bid 4", "pass", "bid 5", "bid 6"),
        notes=(say("note.other-game", count=1),),
        sections=(
            Section(("bid 4", "pass")),
            Section(("no move",), token=OTHER),
            Section(("bid 5", "bid 6")),
        ),
    )


def test_limits_of_lines_and_their_length_are_told() -> None:
    lines = ("a" * 10, "b" * 11, "c", "d" * 70, "e")
    assert read("\n".join(lines), max_lines=2, max_line_chars=70) == Reading(
        lines[:2],
        ("c", "d" * 70, "e"),
        (say("note.many-lines", most=2, count=3, first="c"),),
        (Section(lines[:2]),),
    )
    assert read("\n".join(lines), max_line_chars=10) == Reading(
        (lines[0], "c", "e"),
        (lines[1], lines[3]),
        (say("note.long-lines", most=10, count=2),),
        (Section((lines[0], "c", "e")),),
    )
    many = read("\n".join(["x" * 70, "y" * 101] * MAX_IGNORED), max_lines=0)
    assert many.ignored == ("x" * 70, "y" * 100) * (MAX_IGNORED // 2)
    assert many.notes == (say("note.many-lines", most=0, count=2 * MAX_IGNORED, first="x" * 60),)


def test_press_may_be_longer_than_an_order() -> None:
    long, page = "press to all: " + "a" * 4_986, "Content-Type: text/html\n"
    assert read(f"{long}<br>bid 4", page, max_line_chars=10).lines == (long, "bid 4")
    assert read(f"{long}a<br>bid 4", page, max_line_chars=10).lines == ("bid 4",)
    assert read(f"{long}a<br>bid 4", page, max_line_chars=5_001).lines == (f"{long}a", "bid 4")


def mixed(*parts: str) -> str:
    rows = "".join(f"--b\n{part}\n" for part in parts)
    return f"{rows}--b--\n"


def file(name: str, text: str, kind: str = "text/plain") -> str:
    return f"Content-Type: {kind}; name={name}\nContent-Disposition: attachment\n\n{text}"


HEAD = "Content-Type: multipart/mixed; boundary=b\n"


@pytest.mark.parametrize(
    ("parts", "lines", "told"),
    [
        (["\nbid 4", file("a.txt", "pass\nbid  4")], ("bid 4", "pass"), (say("note.file-read", name="a.txt"),)),
        (["\nbid 4", file("a.txt", "bid 4")], ("bid 4",), (say("note.file-read", name="a.txt"),)),
        (["\nbid 4", file("a.txt", " ")], ("bid 4",), ()),
        (["\nbid 4", file("a.csv", "pass", "text/csv")], ("bid 4",), (say("note.file", name="a.csv"),)),
        (
            ["\nbid 4", *["Content-Type: text/calendar\n\npass"] * 4],
            ("bid 4",),
            (say("note.file", name="text/calendar"), say("note.file-too-many", name="text/calendar")),
        ),
        (
            ["\nbid 4", file("a.txt", "Reply above this line\npass")],
            ("bid 4",),
            (say("note.file-report", name="a.txt"),),
        ),
        (
            ["\nbid 4", *[file(f"{n}.txt", f"bid {n}") for n in range(5, 12)]],
            ("bid 4", "bid 5", "bid 6", "bid 7"),
            (
                *[say("note.file-read", name=f"{n}.txt") for n in (5, 6, 7)],
                *[say("note.file-too-many", name=f"{n}.txt") for n in (8, 9, 10)],
            ),
        ),
        (["\nbid 4", "Content-Type: image/png; name=a.png\n\nx"], ("bid 4",), ()),
        (["\n ", "Content-Type: image/png; name=a.png\n\nx"], (), (say("note.file", name="a.png"),)),
        (
            ["\nbid 4", "Content-Type: application/pdf; name=a.pdf\n\nx"],
            ("bid 4",),
            (say("note.file", name="a.pdf"),),
        ),
        (["\nbid 4", "Content-Type: message/rfc822\n\nSubject: x\n\npass"], ("bid 4",), (say("note.enclosed"),)),
        (["\nbid 4", "Content-Type: application/pgp-encrypted\n\nx"], ("bid 4",), (say("note.sealed"),)),
        (["\nbid 4", "Content-Type: application/x-pkcs7-mime\n\nx"], ("bid 4",), (say("note.sealed"),)),
        (["\n ", "Content-Type: application/pgp-keys; name=a.asc\n\nx"], (), ()),
        (["\nbid 4", "Content-Type: application/ms-tnef\n\nx"], ("bid 4",), (say("note.winmail"),)),
        (
            ["\nbid 4", f"Content-Type: application/pdf; name={'a' * 150}.pdf\n\nx"],
            ("bid 4",),
            (say("note.file", name="a" * 100),),
        ),
        (["Content-Type: text/html\n\n" + "<div>" * 600 + "x"], (), (say("note.html"),)),
    ],
)
def test_files_are_read_or_named(parts: list[str], lines: tuple[str, ...], told: tuple[str, ...]) -> None:
    seen = read(mixed(*parts), HEAD)
    assert (seen.lines, seen.notes) == (lines, told)


def test_an_armored_text_that_is_encrypted_is_said_to_be() -> None:
    inner = "-----BEGIN PGP MESSAGE-----\nx\n-----END PGP MESSAGE-----"
    signed = (
        f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nbid 4\n- {inner.replace(chr(10), chr(10) + '- ')}\n"
        "-----BEGIN PGP SIGNATURE-----\niQEz\n-----END PGP SIGNATURE-----"
    )
    assert read(f"bid 4\n{inner}\npass").lines == ("bid 4", "pass")
    assert read(f"bid 4\n{inner}\npass").notes == (say("note.sealed"),)
    assert read(signed).notes == (say("note.sealed"),)
    assert read("bid 4\n-----BEGIN PGP PUBLIC KEY BLOCK-----\nx\n-----END PGP PUBLIC KEY BLOCK-----").notes == ()
