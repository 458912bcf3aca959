"""Which parts of a mail are read as text, which are files, and which are only named."""

from __future__ import annotations

import binascii
import struct
from collections.abc import Callable

import pytest

from bot.mail import decoding
from bot.mail.decoding import MAX_CONTENT_FIELD, MAX_PARTS, MAX_ROWS, objection
from bot.mail.message import (
    MAX_DEPTH,
    TOO_DEEP,
    TOO_LONG,
    EmbeddedFile,
    Incoming,
    Malformed,
    TextAttachment,
    parse,
    plain_text,
    without_files,
)
from tests.mail.test_message import HTML, WIDE, winmail


def incoming(raw: str | bytes) -> Incoming:
    seen = parse(b"From: b@x.example\n" + (raw.encode() if isinstance(raw, str) else raw))
    assert isinstance(seen, Incoming)
    return seen


def parts(kind: str, *inside: str) -> str:
    """Return a container of parts, each with its own header."""
    mark = f"b{abs(hash(inside)) % 10**9}"
    rows = "".join(f"--{mark}\n{part}\n" for part in inside)
    return f"Content-Type: multipart/{kind}; boundary={mark}\n\n{rows}--{mark}--\n"


def text(kind: str, words: str, *fields: str) -> str:
    return "\n".join([f"Content-Type: text/{kind}", *fields, "", words])


def outlook(*properties: bytes) -> str:
    coded = binascii.b2a_base64(winmail(*properties)).decode()
    return "Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n" + coded


def told(seen: Incoming) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Return the plain text, the HTML and the names of unread parts."""
    plain = seen.text_plain.strip() if seen.text_plain is not None else None
    return plain, seen.html.strip() if seen.html is not None else None, seen.unread


BLANK = struct.pack("<HH", 0x001F, 0x1000) + struct.pack("<I", 1) + struct.pack("<I", 4) + " \n".encode("utf-16-le")
EMPTY = struct.pack("<HHII", 0x001F, 0x1000, 1, 0)
PAGE = "<p>bid 4</p>"
WORDS = "bid 4 für Zäune"
NAMED = ("application/ms-tnef (winmail.dat)",)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (outlook(WIDE), (WORDS, None, ())),
        (outlook(HTML), (None, PAGE, ())),
        (outlook(WIDE).replace("application/ms-tnef", "application/octet-stream"), (WORDS, None, ())),
        (
            outlook(WIDE).replace("application/ms-tnef; name=winmail", "application/octet-stream; name=wintnef"),
            (None, None, ("application/octet-stream (wintnef.dat)",)),
        ),
        (outlook(WIDE, EMPTY), (WORDS, None, ())),
        (outlook(WIDE, HTML), (WORDS, PAGE, ())),
        (outlook(BLANK, HTML), (None, PAGE, ())),
        (outlook(), (None, None, NAMED)),
        (outlook(BLANK), (None, None, NAMED)),
        (parts("mixed", text("plain", "pass"), outlook(WIDE)), ("pass", None, NAMED)),
        (parts("mixed", text("html", "<p>pass"), outlook(WIDE)), (None, "<p>pass", NAMED)),
        (parts("mixed", text("plain", " \n"), outlook(WIDE)), (WORDS, None, ())),
    ],
)
def test_the_words_in_a_winmail_count_where_the_mail_has_none_beside_it(
    raw: str, said: tuple[str | None, str | None, tuple[str, ...]]
) -> None:
    assert told(incoming(raw)) == said


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ([text("plain", "one"), text("plain", "two")], ("two", None)),
        ([text("html", "<p>one"), text("html", "<p>two"), text("plain", "three")], ("three", "<p>two")),
        ([text("html", "<p>one")], (None, "<p>one")),
        ([text("markdown", "*one*"), text("plain", "two")], ("two", None)),
        ([text("plain", "one"), text("markdown", "*two*")], ("one", None)),
        ([text("markdown", "*one*"), text("enriched", "<bold>two</bold>")], ("two", None)),
        ([text("markdown", "*one*"), text("html", "<p>two")], (None, "<p>two")),
        ([parts("mixed", text("plain", "one"), text("plain", "two")), text("html", "<p>")], ("one\ntwo", "<p>")),
    ],
)
def test_of_several_forms_of_the_same_words_the_last_of_each_kind_is_read(
    inside: list[str], said: tuple[str | None, str | None]
) -> None:
    assert told(incoming(parts("alternative", *inside)))[:2] == said


@pytest.mark.parametrize("kind", ["mixed", "alternative"])
@pytest.mark.parametrize(("depth", "read"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_parts_are_read_fifty_deep(kind: str, depth: int, read: bool) -> None:
    raw = b"".join(
        b"Content-Type: multipart/%s; boundary=b%dx\n\n--b%dx\n" % (kind.encode(), n, n) for n in range(depth)
    )
    seen = incoming(raw + b"\nbid 4\n--b0x--\n")
    assert told(seen) == (("bid 4", None, ()) if read else (None, None, (TOO_DEEP,)))


def test_only_the_children_of_one_alternative_are_versions_of_one_text() -> None:
    plain, page = text("plain", "one"), text("html", "<p>two")

    def versions(raw: str) -> list[list[str]]:
        return [
            ["".join(part.content.strip() for part in version) for version in passage.versions]
            for passage in incoming(raw).passages
        ]

    both = parts("alternative", plain, page)
    assert versions(both) == [["one", "<p>two"]]
    assert versions(parts("mixed", plain, page)) == [["one"], ["<p>two"]]
    assert versions(parts("mixed", page, plain, page)) == [["<p>two"], ["one"], ["<p>two"]]
    assert versions(parts("mixed", both, plain)) == [["one", "<p>two"], ["one"]]
    assert versions(parts("mixed", plain, parts("alternative", page))) == [["one"], ["<p>two"]]
    assert versions(parts("alternative", plain, parts("mixed", page, "Content-Type: image/png\n\nx", page))) == [
        ["one", "<p>two<p>two"]
    ]
    assert versions(parts("alternative", parts("mixed", both, plain))) == [["oneone", "<p>twoone"]]
    assert versions(text("plain", "<!DOCTYPE html><p>two")) == [["<!DOCTYPE html><p>two"]]


@pytest.mark.parametrize(
    ("raw", "text_plain"),
    [
        ("> one\rtwo\rthree", "> one\ntwo\nthree\n"),
        ("> one\rtwo\nthree\r", "> one\n> two\nthree\n"),
        ("one\rtwo\n>> three\vfour", "one\ntwo\n>> three\n>> four\n"),
        ("> one\r\ntwo", "> one\ntwo\n"),
    ],
)
def test_a_quoted_row_stays_quoted_on_both_sides_of_an_odd_line_end(raw: str, text_plain: str) -> None:
    coded = binascii.b2a_base64((raw + "\n").encode()).decode()
    if "\n" not in raw:
        coded = binascii.b2a_base64(raw.encode()).decode()
        text_plain = text_plain.removesuffix("\n")
    seen = incoming(f"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{coded}")
    assert seen.text_plain == text_plain


@pytest.mark.parametrize(
    ("kind", "plain", "attached"),
    [
        ("text/plain; charset*=a\0b''utf-8", "Züge\n", ()),
        ("text/plain; format*=us-ascii'en'flowed", "Züge\n", ()),
        ("text/plain; name*=a\0b''x.txt", None, (TextAttachment("a file", "text/plain", "Züge\n"),)),
    ],
)
def test_a_broken_parameter_is_as_if_it_were_not_there(
    kind: str, plain: str | None, attached: tuple[TextAttachment, ...]
) -> None:
    seen = incoming(f"Content-Type: {kind}\n\nZüge\n")
    assert (seen.text_plain, seen.attachments) == (plain, attached)
    assert not any(part.flowed for passage in seen.passages for part in passage.plain)


def test_a_page_says_its_own_charset_and_plain_text_does_not() -> None:
    page = '<meta charset="koi8-r"><p>Ход'.encode("koi8-r")
    assert incoming(b"Content-Type: text/html\n\n" + page).html == '<meta charset="koi8-r"><p>Ход'
    assert incoming(b"Content-Type: text/html; charset=koi8-u\n\n" + page).html == '<meta charset="koi8-r"><p>Ход'
    plain = b"<meta charset=koi8-r> Z\xfcge"
    assert incoming(b"Content-Type: text/plain\n\n" + plain).text_plain == "<meta charset=koi8-r> Züge"


def uuencoded(name: str, content: bytes) -> str:
    pieces = [content[place : place + 45] for place in range(0, len(content), 45)]
    rows = "".join(binascii.b2a_uu(piece).decode() for piece in pieces)
    return f"begin 644 {name}\n{rows}`\nend"


def test_files_within_the_text_are_attached_where_they_are_texts_and_named_else() -> None:
    files = [
        uuencoded("orders.txt", b"pass\r\nbid 4"),
        uuencoded("a.bin", b"pass"),
        uuencoded("picture.txt", b"PK\1\2\3\4"),
        uuencoded("empty.txt", b""),
        "=ybegin line=128 size=4 name=notes.txt\nxx\n=yend size=4",
    ]
    seen = incoming(text("plain", "\n".join(["one", *files, "two"])))
    assert told(seen) == (
        "one\ntwo",
        None,
        tuple(f"application/octet-stream ({name})" for name in ("a.bin", "picture.txt", "empty.txt", "notes.txt")),
    )
    assert seen.attachments == (TextAttachment("orders.txt", "text/plain", "pass\nbid 4"),)


def test_attached_files_of_text_are_read_and_others_are_named() -> None:
    inside = [
        text("plain", "one"),
        text("plain", "two", "Content-Disposition: attachment; filename=two.TXT"),
        text("calendar", "three"),
        text("html", "<p>four", "Content-Disposition: attachment; filename=four.txt"),
        text("csv", "five", "Content-Disposition: inline; filename=five.log"),
        "Content-Type: application/octet-stream; name=six.md\n\nsix",
        "Content-Type: application/octet-stream; name=seven.md\n\nPK\1\2\3\4",
        "Content-Type: application/pdf; name=eight.pdf\n\neight",
        "Content-Type: image/png\n\nnine",
        "Content-Type: message/rfc822\n\nSubject: ten\n\nten",
    ]
    seen = incoming(parts("mixed", *inside))
    assert seen.text_plain == "one"
    assert seen.attachments == (
        TextAttachment("two.TXT", "text/plain", "two"),
        TextAttachment("", "text/calendar", "three"),
        TextAttachment("four.txt", "text/html", "<p>four"),
        TextAttachment("five.log", "text/plain", "five"),
        TextAttachment("six.md", "text/plain", "six"),
    )
    assert seen.unread == (
        "application/octet-stream (seven.md)",
        "application/pdf (eight.pdf)",
        "image/png",
        "message/rfc822",
    )


@pytest.mark.parametrize(("letters", "unread"), [(999_998, ()), (999_999, (TOO_LONG,)), (1_200_000, (TOO_LONG,))])
def test_a_text_of_a_million_letters_is_said_to_be_cut(letters: int, unread: tuple[str, ...]) -> None:
    seen = incoming("\n" + ("a" * 99 + "\n") * (letters // 100) + "b" * (letters % 100) + "\n")
    assert seen.unread == unread
    assert len(seen.text_plain or "") == min(letters + 1, 1_000_000)


def test_each_text_is_flowed_or_not() -> None:
    first = "Content-Type: text/plain; format=Flowed; delsp=yes\n\none"
    other = "Content-Type: text/plain; delsp=yes\n\ntwo"
    seen = incoming(parts("mixed", first, other))
    assert [passage.plain[0][2:] for passage in seen.passages] == [(True, True), (False, False)]


@pytest.mark.parametrize(
    ("enriched", "plain"),
    [
        ("\nbid 4", "bid 4"),
        ("\n\nbid 4", "\nbid 4"),
        ("bid\n4", "bid 4"),
        ("bid\n\n\n4", "bid\n\n4"),
        ("<excerpt>a\n\nb</excerpt>", "> a\n> b\n"),
        ("<excerpt>a<nl>\nb</excerpt>", "> a\n> b\n"),
        ("<excerpt>a<lt>b</excerpt>", "> a<b\n"),
        ("<excerpt>\na</excerpt>\nb", "> a\nb"),
        ("a</excerpt><excerpt>b", "a\n> b"),
        ("<excerpt>" * 11 + "a" + "</excerpt>" * 2 + "b", "> " * 9 + "a\n" + "> " * 7 + "b"),
        ("<color><param>red</param>bid 4</color>", "bid 4"),
        ("</param>bid 4", "bid 4"),
        ("<param><param>x</param>y</param>bid 4", "bid 4"),
        ("</nofill>bid\n4<nofill>\n5", "bid 4\n5"),
        ("<nofill><nofill>a\nb</nofill>\nc</nofill>\nd", "a\nb\nc d"),
        ("<<bold> 3 < 4", "<bold> 3 < 4"),
    ],
)
def test_enriched_text_is_shown_as_a_program_shows_it(enriched: str, plain: str) -> None:
    assert plain_text(enriched) == plain


@pytest.mark.parametrize(
    ("row", "taken"),
    [
        ("#" + "A" * 4, True),
        ("#" + "A" * 6, True),
        ("#" + "A" * 7, False),
        ("#" + "A" * 6 + " " * 4, True),
        ("#" + "A" * 6 + " " * 5, False),
        ("$" + "A" * 7, True),
        ("!" + "A" * 4 + "\r", True),
        ("#aaaa", False),
        ("", True),
    ],
)
def test_the_first_sign_of_a_coded_row_says_about_how_long_it_is(row: str, taken: bool) -> None:
    told = f"begin 644 a.bin\n#86)C\n{row}\nend\nbid 4"
    assert without_files(told)[0] == ("bid 4" if taken else told)


def test_of_a_file_within_the_text_its_own_rows_are_decoded_and_ten_files_at_most_are_taken() -> None:
    told = "#86)C\nbegin 644 a.txt \n#9&5F\n\n#9VAI\n \n`\nend\n#86)C"
    assert without_files(told) == ("#86)C\n#86)C", [EmbeddedFile("a.txt", b"defghi")])
    many = "\n".join([uuencoded("a.bin", b"pass")] * 11)
    left, files = without_files(many)
    assert left == uuencoded("a.bin", b"pass")
    assert files == [EmbeddedFile("a.bin", b"pass")] * 10
    yenc = "=ybegin line=128 size=4 name= x.bin \nend\nxx\n=yend size=4\n=ybegin name=y\nend"
    assert without_files(yenc) == ("=ybegin name=y\nend", [EmbeddedFile("x.bin", b"")])


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("<b@x.example>", [("", "b@x.example")]),
        ('"(" <b@x.example>', [("(", "b@x.example")]),
        ('"a<b", c@x.example', [("", "c@x.example")]),
        ("(<), c@x.example", [("", "c@x.example")]),
        ('<"a>"@x.example,y@z.example>', []),
        ("<a(>)b@x.example,y@z.example>", []),
        ("(a (b) c, d) b@x.example", [("", "b@x.example")]),
        (r'"a \" b, c" <b@x.example>', [('a " b, c', "b@x.example")]),
        (r"a\, b@x.example", [("", "b@x.example")]),
        (") b@x.example, c@x.example", [("", "c@x.example")]),
        ("a@x.example; b@x.example", [("", "a@x.example"), ("", "b@x.example")]),
        ("<a:b@x.example>", []),
        ("<mailto:b@x.example>", [("", "b@x.example")]),
        ("'b@x.example'", [("", "b@x.example")]),
        ("B <b@x.example> '\"", [("B", "b@x.example")]),
        ("B <b@x.example> or", []),
        ("<a@x.example> <b@x.example>", []),
        ('"<" <b@x.example>', [("<", "b@x.example")]),
        ("\u212aarl@X.example", [("", "\u212aarl@x.example")]),
    ],
)
def test_an_address_that_could_be_read_otherwise_is_none(value: str, found: list[tuple[str, str]]) -> None:
    assert decoding.mailboxes_in(value) == found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Z\udcc3\udcbcge", "Züge"),
        ("\udcfcber", "über"),
        ("\udc80 4", "€ 4"),
        ("bid \udcff", "bid ÿ"),
        ("bid\ud800", "bid?"),
        ("bid\udc7f\udd00", "bid??"),
        ("Züge", "Züge"),
    ],
)
def test_bytes_that_came_unencoded_in_a_head_are_read_as_what_they_are(value: str, text: str) -> None:
    assert decoding.repair_field(value) == text


def test_encoded_words_are_decoded_and_what_only_looks_like_one_stays() -> None:
    assert decoding.decode_field("=?utf-8?b?WsO8Z2U=?= 4\n =?iso-8859-1?q?f=FCr?=") == "Züge 4 für"
    assert decoding.decode_field("=?utf-8?x?WsO8Z2U=?=") == "=?utf-8?x?WsO8Z2U=?="
    assert decoding.decode_field("=?utf-8?q?Z=C3?= =?utf-8?q?=BCge?=  4=?utf-8?q?5?=") == "Züge  45"
    assert decoding.decode_field("=?utf-8?b?A?= und =?utf-8?q?Z=C3=BCge?=") == "=?utf-8?b?A?= und Züge"


@pytest.mark.parametrize("words", ["Список", "€ 5", "Züge", "C:\\users", "\\u0421", "木"])
def test_words_that_came_unencoded_beside_encoded_ones_stay_as_they_are(words: str) -> None:
    assert decoding.decode_field(f"{words} =?utf-8?q?Z=C3=BCge?= {words}") == f"{words} Züge {words}"
    raw = words.encode().decode("ascii", "surrogateescape")
    assert decoding.decode_field(f"{raw} =?utf-8?q?Z=C3=BCge?= {raw}") == f"{words} Züge {words}"


def test_control_characters_fall_out_of_a_field_and_a_date_that_says_no_zone_is_in_utc() -> None:
    assert decoding.decode_field("bid\x00 4\r\n\tnow\x85") == "bid 4 now"
    assert decoding.date_in("Sun, 22 Nov 2026 08:14:00") == decoding.date_in("Sun, 22 Nov 2026 09:14:00 +0100")
    assert decoding.date_in("yesterday") is None


@pytest.mark.parametrize(
    ("raw", "subject", "senders"),
    [
        (b"From: b@x.example\nSubject : bid\n\npass", "bid", ("b@x.example",)),
        (b"From: b@x.example\nSubject\t: bid\n\npass", "bid", ("b@x.example",)),
        (b"From: b@x.example\nSubject: bid\n\nSubject : pass", "bid", ("b@x.example",)),
        (b"\n\r\n>From someone 1 May\nFrom: b@x.example\nSubject: bid\n\npass", "bid", ("b@x.example",)),
    ],
)
def test_what_stands_wrong_at_the_head_of_a_mail_is_mended(raw: bytes, subject: str, senders: tuple[str, ...]) -> None:
    seen = parse(raw)
    assert isinstance(seen, Incoming)
    assert (seen.subject, seen.senders) == (subject, senders)


def test_a_space_before_its_colon_makes_no_sender() -> None:
    seen = parse(b"Subject: bid\nFrom : a@x.example\n\npass")
    assert not isinstance(seen, Incoming) or seen.senders == ()


def test_a_multipart_mail_without_a_boundary_is_read_by_the_one_that_it_has() -> None:
    body = "--abc\n\nbid 4\n--abc--\n"
    assert told(incoming(f"Content-Type: multipart/mixed\n\n{body}")) == ("bid 4", None, ())
    assert told(incoming("Content-Type: multipart/mixed\n\n--abc\n\nbid 4\n"))[0] == "--abc\n\nbid 4"
    many = binascii.b2a_base64(b"--abc\n\nbid 4\n" * (MAX_PARTS + 1) + b"--abc--\n").decode()
    seen = incoming(f"Content-Type: multipart/mixed\nContent-Transfer-Encoding: base64\n\n{many}")
    assert (told(seen)[0] or "").startswith("--abc\n\nbid 4\n--abc\n")
    deep = f"Content-Type: multipart/mixed\n\n--abc\nContent-Type: multipart/mixed\n\n{body}--abc--\n"
    assert "bid 4" in (told(incoming(deep))[0] or "")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b" \n ", "the message is empty"),
        (b"a" * 50, ""),
        (b"a" * 51, "the message has 51 bytes; at most 50 are read"),
    ],
)
def test_the_bytes_of_a_mail_are_counted(raw: bytes, why: str) -> None:
    assert objection(raw, 50) == why


@pytest.mark.parametrize(
    ("most", "raw", "why"),
    [
        (MAX_ROWS, lambda n: b"\n" * (n - 1) + b"a\n", f"the message has more than {MAX_ROWS} lines"),
        (MAX_ROWS, lambda n: b"\r" * (n - 1) + b"a\r", f"the message has more than {MAX_ROWS} lines"),
        (5_000, lambda n: b"X: y\n" * n + b"\n", "the message has more than 5000 header lines"),
        (
            MAX_CONTENT_FIELD,
            lambda n: b"Content-Type: " + b"a" * (n - 15),
            f"a Content field of the message has more than {MAX_CONTENT_FIELD} bytes",
        ),
        (
            MAX_PARTS,
            lambda n: b"Content-Type: multipart/x; boundary=b\n\n" + b"--b\n\nx\n" * n,
            f"the message has more than {MAX_PARTS} parts",
        ),
        (
            MAX_PARTS,
            lambda n: b"Content-Type: message/rfc822\n\n" * n,
            f"the message has more than {MAX_PARTS} parts inside one another",
        ),
        (
            5_000,
            lambda n: b"Content-Type: message/delivery-status\n\n" + b"a\n\n" * (n - 1),
            "the message reports on too many recipients",
        ),
        (
            100_000,
            lambda n: b"".join(b"X: boundary=b%d\n" % i for i in range(40)) + b"\n" + b"a\n" * (n - 42),
            "the message declares too many boundaries for its length",
        ),
    ],
    ids=["lines", "lines of a Macintosh", "header lines", "a field", "parts", "inside", "recipients", "boundaries"],
)  # fmt: skip
def test_what_may_cost_too_much_is_taken_up_to_its_limit(most: int, raw: Callable[[int], bytes], why: str) -> None:
    assert objection(raw(most), 10_000_000) == ""
    assert objection(raw(most + 1), 10_000_000) == why


def test_a_mail_that_breaks_the_parser_is_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(_: bytes) -> None:
        raise ZeroDivisionError("spice")

    monkeypatch.setattr("bot.mail.message.parse_tree", breaks)
    assert parse(b"From: b@x.example\n\nbid 4\n") == Malformed("the message cannot be parsed (ZeroDivisionError)")


def test_bytes_that_are_no_mail_are_malformed() -> None:
    assert parse(b" ") == Malformed("the message is empty")


PROTECTED = "Subject: Re: your bid\nTo: Mentat\n <mentat@arrakis.example>\n\n"


@pytest.mark.parametrize(
    "sign", ['hp-legacy-display="1"', 'protected-headers="v1"; hp-legacy-display=1', "protected-headers=v1"]
)
def test_protected_fields_above_the_words_are_not_the_players(sign: str) -> None:
    assert told(incoming(text(f"plain; {sign}", f"{PROTECTED}bid 4")))[0] == "bid 4"
    fields = text(f"rfc822-headers; {sign}", PROTECTED, "Content-Disposition: inline")
    assert told(incoming(parts("mixed", fields, text("plain", "bid 4")))) == ("bid 4", None, ())
    assert not incoming(parts("mixed", fields, text("plain", "bid 4"))).attachments
    assert told(incoming(text(f"plain; {sign}", "bid 4\n\npass")))[0] == "bid 4\n\npass"
    assert told(incoming(text(f"plain; {sign}", "To: all, bid 4\npass")))[0] == "To: all, bid 4\npass"


def test_fields_that_nothing_protects_are_words() -> None:
    assert told(incoming(text("plain", f"{PROTECTED}bid 4")))[0] == f"{PROTECTED}bid 4"
