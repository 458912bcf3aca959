"""Parsing of strangers' mail: it always returns, and soon, whatever the input."""

from __future__ import annotations

import binascii
import struct
import subprocess
import sys
import time
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.mail import decoding
from bot.mail.decoding import content_of, decode_bytes, is_binary
from bot.mail.disposition import examine
from bot.mail.html import html_lines
from bot.mail.lines import Line, plain_lines
from bot.mail.message import Incoming, Malformed, parse, plain_text, tnef_text, without_files
from tests.size import size

ADDRESS = "mentat@arrakis.example"
CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.eml"))
PIECES = [
    b"From: ",
    b"To: ",
    b"Subject: ",
    b"Content-Type: ",
    b"multipart/mixed",
    b"multipart/report",
    b"; boundary=b",
    b"text/html",
    b"message/rfc822",
    b"message/delivery-status",
    b"; charset=",
    b"utf-7",
    b"idna",
    b"x" * 70,
    b"\r\n",
    b"\n",
    b"\n\n",
    b"--b",
    b"--b--",
    b"=?utf-8?b?",
    b"?=",
    b"\xff\xfe",
    b"\0",
    b"<a@b>",
    b'"',
    b"(",
    b"\\",
    b",",
    b";",
    b"<blockquote>",
    b"</div>",
    b"<",
    b"> ",
    b"[form abcd]",
    b"[end of form abcd]",
    b"On 1.1.2026 a wrote:",
    b"-- ",
    b"; format=flowed",
    b"; filename*0*=x''%",
    b"Content-Transfer-Encoding: base64",
    b"Content-Transfer-Encoding: x-uuencode",
    b"begin 644 x",
    b"Date: ",
    b"=",
    b"1 Jan",
]


def sent_form(code: str) -> list[str] | None:
    return ["bid _"] if code == "abcd" else None


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=20), max_size=60).map(b"".join))
@settings(max_examples=size(100, 3_000), deadline=None)
def test_whatever_comes_is_examined_without_an_error(raw: bytes) -> None:
    assert examine(raw, ADDRESS, sent_form).verdict.reason


@given(
    st.sampled_from(CORPUS),
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 30), st.sampled_from(PIECES) | st.binary(max_size=8)), max_size=6
    ),
)
@settings(max_examples=size(100, 3_000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_damaged_mail_is_examined_without_an_error(path: Path, damage: list[tuple[float, int, bytes]]) -> None:
    raw = path.read_bytes()
    for where, cut, insert in damage:
        start = int(where * len(raw))
        raw = raw[:start] + insert + raw[start + cut :]
    seen = examine(raw, ADDRESS, sent_form)
    assert len(seen.reading.lines) <= 200
    assert all(line.strip() and "\0" not in line for line in seen.reading.lines)


@given(st.text(max_size=200))
@settings(max_examples=size(80, 2_000), deadline=None)
def test_header_readers_take_any_text(value: str) -> None:
    decoding.decode_field(value)
    decoding.date_in(value)
    decoding.message_ids_in(value)
    assert all("@" in address for _, address in decoding.mailboxes_in(value))


@given(
    st.binary(max_size=300), st.text(max_size=12) | st.sampled_from(["utf-7", "idna", "hex", "rot13", "utf-16", "big5"])
)
@settings(max_examples=size(80, 2_000), deadline=None)
def test_any_bytes_in_any_charset_become_text_without_nuls(payload: bytes, declared: str) -> None:
    assert "\0" not in decode_bytes(payload, declared)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "empty"),
        (b"From: a@b\n\n" + b"x" * 2_000_000, "at most 1000000"),
        (
            b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(150)),
            "parts inside",
        ),
        (b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 150, "more than 100 parts"),
        (b"X: y\n" * 6_000 + b"\nbid 4\n", "header lines"),
        (b"\n\nX: y\r" * 1 + b"X: y\r" * 6_000 + b"\r\rbid 4\r", "header lines"),
        (b"Content-Type: text/plain; " + b"a=b; " * 50_000 + b"\n\nbid 4\n", "more than 4000 bytes"),
        (b"From: a@b\n\n" + b"\n" * 200_001 + b"x", "more than 200000 lines"),
        (b"Content-Type: message/delivery-status\n\n" + b"Status: 5.1.1\n\n" * 6_000, "too many recipients"),
        (
            b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n' % n for n in range(90)) + b"\n" * 100_000,
            "too many boundaries",
        ),
    ],
    ids=[
        "nothing",
        "too large",
        "too deep",
        "too many parts",
        "too many headers",
        "too many headers of a macintosh",
        "too long a field",
        "too many lines",
        "too many recipients",
        "too much work",
    ],
)
def test_what_costs_too_much_is_not_parsed(raw: bytes, reason: str) -> None:
    seen = parse(raw, max_bytes=1_000_000)
    assert isinstance(seen, Malformed)
    assert reason in seen.reason


def test_ninety_parts_inside_one_another_are_cut_at_depth_twenty() -> None:
    raw = b"From: a@b.example\n"
    raw += (
        b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(90)) + b"\nbid 4\n"
    )
    seen = parse(raw)
    assert isinstance(seen, Incoming)
    assert seen.text_plain is None
    assert "too deep" in " ".join(seen.unread)


@pytest.mark.parametrize(
    "body",
    [
        b"\n" * 1_000_000,
        b"-" * 1_000_000,
        (b"-" * 200 + b"\n") * 5_000,
        b"On " * 500_000,
        (b"On a wrote " * 20 + b":\n") * 5_000,
        b"> x\ny:\n" * 200_000,
        (b"a" * 4_999 + b"\n") * 1_900,
        (b"A: b\n" * 7 + b"\n") * 30_000,
        b"[form abcd]\n" * 100_000,
        b"x@" * 700_000,
        b"CAUTION: mail " * 80_000,
        ("写道：" * 315 + "\n").encode() * 600,
        b"begin 644 a.txt\n" * 500_000,
        b"begin 644 a.txt\n" + (b"M" + b"A" * 60 + b"\n") * 140_000 + b"`\nend\n",
        (b"=ybegin line=128 size=1 name=x\n" * 100_000) + b"=yend size=1\n",
        b"\x1b$B!!\x1b(B" * 500_000,
        b"> [form 7qk2m9xa]\n" + b"> [x] no move\n" * 100_000 + b"> [end of form 7qk2m9xa]\n",
        b"Subject: x\n" * 90_000,
    ],
)
def test_text_made_to_be_slow_is_read_soon(body: bytes) -> None:
    head = b"From: a@b.example\nContent-Type: text/plain; charset=utf-8; hp-legacy-display=1\n\n"
    started = time.process_time()
    examine(head + body, ADDRESS, sent_form)
    assert time.process_time() - started < 5, "two seconds on a machine that does nothing else"


@pytest.mark.parametrize("body", [b"," * 1_000_000, (b"," * 990 + b"\n") * 1_000, b"a,b@" * 200_000])
def test_a_bounce_made_to_be_slow_is_read_soon(body: bytes) -> None:
    started = time.process_time()
    seen = examine(b"From: MAILER-DAEMON@b.example\nSubject: failure notice\n\n" + body, ADDRESS, sent_form)
    assert seen.verdict.disposition == "bounce"
    assert time.process_time() - started < 5, "two seconds on a machine that does nothing else"


@pytest.mark.parametrize("endless", [b"a" * 1_000_000, b" " * 1_000_000, b">" * 1_000_000, b"bid 9 " * 200_000])
def test_what_follows_an_endless_line_is_read(endless: bytes) -> None:
    seen = examine(b"From: a@b.example\n\nbid 4\n" + endless + b"\npass all\n", ADDRESS, sent_form)
    assert seen.reading.lines == ("bid 4", "pass all")


def test_who_writes_more_than_is_read_is_told() -> None:
    seen = examine(b"From: a@b.example\n\nbid 4\n" + b"> what you wrote\n" * 80_000, ADDRESS, sent_form)
    assert any("too long" in note for note in seen.reading.notes)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 240 + "x",
        "<div>" * 200_000,
        "<b>" * 200 + "<p>x" * 50_000,
        "<p>" + "".join(f"<b id=a{n}>" for n in range(200)) + "</p>" + "<p>x</p>" * 20_000,
        "<div></i>" * 50_000,
        "<select>" + "<option>x" * 40_000,
        "<p>" * 300_000,
        "<" * 1_000_000,
        "<!--" * 300_000,
        "<![if " * 200_000,
        "<div " + " ".join(f"a{n}=1" for n in range(100_000)) + ">",
        '<a b="' * 200_000,
        "x<br>" * 300_000,
        "<style>" + "/*" * 400_000,
        "<style>" + "{" * 900_000,
        "<style>body" + " " * 900_000 + "{}</style>",
        "<style>" * 100_000,
        "".join(f"<blockquote>On Monday {n} wrote:</blockquote>" for n in range(20_000)),
        "<blockquote>" * 400 + "x<br>" * 100_000,
    ],
)
def test_html_made_to_be_slow_is_read_soon_or_not_at_all(html: str) -> None:
    started = time.process_time()
    lines = html_lines(html)
    assert time.process_time() - started < 5, "two seconds on a machine that does nothing else"
    assert lines is None or len(lines) <= 20_000


READ_ONE = """
import sys
from pathlib import Path
from bot.mail.disposition import examine
examine(sys.stdin.buffer.read(), "mentat@arrakis.example", lambda code: None)
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from Linux")
@pytest.mark.parametrize(
    ("kind", "charset", "body"),
    [
        ("plain", "utf-8", "\u6f22".encode() * 3_000_000),
        ("plain", "utf-8", b"a" * 8_900_000 + "\U0001f600".encode()),
        ("plain", "gb18030", ("\u6f22" * 100 + "\n").encode("gb18030") * 40_000),
        ("html", "utf-8", b"<p>x" * 2_000_000),
        ("html", "utf-8", b"x<br>" * 1_800_000),
        ("plain", "utf-8", b"On a wrote 2026:" * 500_000),
        ("plain; format=flowed", "utf-8", b"a" * 40 + b" \n" + b"b" * 40 + b" \n" * 99_000),
    ],
    ids=["one long line", "one wide letter", "Chinese", "paragraphs", "line breaks", "attributions", "flowed"],
)
def test_no_mail_takes_two_hundred_megabytes(kind: str, charset: str, body: bytes) -> None:
    raw = f"From: a@b.example\nContent-Type: text/{kind}; charset={charset}\n\n".encode() + body
    assert peak(raw) < 200 * 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from Linux")
@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("base64", b"=" * 9_000_000),
        ("base64", b"!@#$" * 2_200_000),
        ("quoted-printable", b"=\n" * 190_000 + b"=" * 8_000_000),
    ],
    ids=["paddings", "no letters", "soft breaks"],
)
def test_no_transfer_encoding_takes_two_hundred_megabytes(encoding: str, body: bytes) -> None:
    assert peak(f"From: a@b.example\nContent-Transfer-Encoding: {encoding}\n\n".encode() + body) < 200 * 1024


def peak(raw: bytes) -> int:
    """Return the kilobytes of memory that a process needs to read this mail."""
    done = subprocess.run([sys.executable, "-c", READ_ONE], input=raw, capture_output=True, check=True)
    return int(done.stdout)


def test_the_fields_of_an_ordinary_mail() -> None:
    mail = EmailMessage()
    mail["From"] = "Vladimir Hark\u00f6nnen <Baron@Example.org>"
    mail["To"] = "Mentat <mentat+x@arrakis.example>, Duke <duke@example.org>"
    mail["Cc"] = "gm@example.org"
    mail["Delivered-To"] = "box@host.example"
    mail["Subject"] = "Z\u00fcge f\u00fcr Runde 4"
    mail["Date"] = "Sun, 22 Nov 2026 08:14:00 +0100"
    mail["Message-ID"] = "<one@example.org>"
    mail["References"] = "<a@b.example> <c@d.example>"
    mail.set_content("bid 4")
    seen = parse(mail.as_bytes())
    assert isinstance(seen, Incoming)
    assert (seen.sender, seen.sender_name) == ("baron@example.org", "Vladimir Hark\u00f6nnen")
    assert seen.recipients == (
        "mentat+x@arrakis.example",
        "duke@example.org",
        "gm@example.org",
        "box@host.example",
    )
    assert seen.subject == "Z\u00fcge f\u00fcr Runde 4"
    assert seen.date == datetime(2026, 11, 22, 7, 14, tzinfo=UTC)
    assert (seen.message_id, seen.references) == ("one@example.org", ("a@b.example", "c@d.example"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Baron <b@x.example>", [("Baron", "b@x.example")]),
        ('"Harkonnen, Baron" <b@x.example>, d@x.example', [("Harkonnen, Baron", "b@x.example"), ("", "d@x.example")]),
        ("b@x.example (the <fat@one.example> one)", [("", "b@x.example")]),
        (r"b@x.example (of \) the <fat@one.example>, one), d@x.example", [("", "b@x.example"), ("", "d@x.example")]),
        ("undisclosed-recipients:;", []),
        ("Players: a@x.example, b@x.example;", [("", "a@x.example"), ("", "b@x.example")]),
        ('"duke@x.example" <b@x.example>', [("duke@x.example", "b@x.example")]),
        ("=?utf-8?q?duke=40x=2Eexample=3E?= <b@x.example>", [("duke@x.example>", "b@x.example")]),
        ("nobody", []),
    ],
)
def test_address_fields_are_read_as_written(value: str, expected: list[tuple[str, str]]) -> None:
    assert decoding.mailboxes_in(value) == expected


def test_quote_marks_of_many_kinds_are_counted() -> None:
    lines = plain_lines("> a\n>> b\n > c\n＞ d\n| e\nFR> f\n>\nbid 4 > 3\n|x|")
    assert [line.depth for line in lines] == [1, 2, 1, 1, 1, 1, 1, 0, 0]
    assert lines[5] == Line("f", 1)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("declared", ["utf-16", "utf-32", "us-ascii"])
def test_wide_letters_without_a_mark_are_known_by_their_zeros(encoding: str, declared: str) -> None:
    text = "Züge nach Arrakeen – bid 4\n" * 3
    if declared != "us-ascii":
        assert decode_bytes(text.encode(encoding), declared) == text
    assert not is_binary(text.encode(encoding))


def test_a_few_zeros_make_no_wide_letters() -> None:
    assert is_binary(b"bid4\0" * 20)
    assert decode_bytes(b"bid4\0" * 20, "utf-16") == "bid4" * 20


def test_japanese_of_windows_is_read_with_its_half_wide_letters() -> None:
    assert decode_bytes(b"\x1b$B-!\x1b(B \x1b(I12\x1b(B bid 4\r\n", "iso-2022-jp") == "① ｱｲ bid 4\r\n"


def test_the_commands_of_enriched_text_become_what_they_mean() -> None:
    told = "a<nofill>\nb\nc\n</nofill>d\ne<nl>f<lt>g<paragraph>h</nofill>\ni\n\n<excerpt>j<nl>k</excerpt><< l"
    assert plain_text(told) == "a\nb\nc\nd e\nf<g\nh i\n> j\n> k\n< l"


@pytest.mark.parametrize(
    ("text", "kept", "names"),
    [
        ("a\n=ybegin line=128 size=4 name=x.bin\nxx\n=yend size=4\nbid 4", "a\nbid 4", ["x.bin"]),
        ("a\n=ybegin line=128 size=4 name=x.bin\nbid 4\nend", None, []),
        ("begin 644 a.txt\nbid 4\nend", None, []),
        ("begin 644 a.txt\nend\nbid 4", None, []),
        ("pass\nend\nbegin 644 a.txt\n$<&%S<P``\n`", None, []),
        ("begin 644 a.txt\n$<&%S<P``\n`\nend\nbid 4", "bid 4", ["a.txt"]),
    ],
)
def test_a_file_within_the_text_is_taken_out_only_where_it_is_one(
    text: str, kept: str | None, names: list[str]
) -> None:
    left, files = without_files(text)
    assert left == (text if kept is None else kept)
    assert [file.name for file in files] == names


def test_a_part_of_parts_holds_nothing_itself_and_of_a_long_one_only_so_much_is_decoded() -> None:
    parts = b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nbid 4\n--x--\n"
    assert content_of(message_from_bytes(parts), 100) == b""
    coded = b"Content-Transfer-Encoding: base64\n\n" + b"YmlkIDQK\n" * 50
    for most in (6, 7, 60, 1_000):
        assert content_of(message_from_bytes(coded), most) == (b"bid 4\n" * 50)[:most]


BANNERS = [
    "CAUTION: This mail came from outside.\n\n",
    "CAUTION\n\nThis mail came from outside.\nhttps://aka.ms/LearnAboutSenderIdentification\n----------------\n\n",
    "<p>This mail came from outside.</p>\n",
    "Vorsicht: externe Nachricht\n\n\n",
]


@pytest.mark.parametrize("banner", BANNERS)
@pytest.mark.parametrize(
    "words", ["bid 4\r\n", "bid 4\r\nship 2 to Carthag\r\n" * 9, "Zäune für alle, bid 4, und no move\n" * 3]
)
@pytest.mark.parametrize("charset", ["utf-8", "latin-1"])
def test_words_in_clear_above_base64_hide_nothing_of_it(banner: str, words: str, charset: str) -> None:
    coded = binascii.b2a_base64(words.encode(charset)).decode()
    rows = "\n".join(coded[start : start + 76] for start in range(0, len(coded), 76))
    part = message_from_bytes(f"Content-Transfer-Encoding: base64\n\n{banner}{rows}".encode())
    assert content_of(part, 10_000) == words.encode(charset)


def test_a_damaged_first_row_of_base64_is_no_banner() -> None:
    coded = binascii.b2a_base64(b"ship 14 to Carthag, no move, bid 15\n").decode()
    part = message_from_bytes(f"Content-Transfer-Encoding: base64\n\n!{coded}YmlkIDQK\n".encode())
    assert content_of(part, 1_000) == b"ship 14 to Carthag, no move, bid 15\nbid 4\n"


def winmail(*properties: bytes, count: int | None = None, body: bytes = b"") -> bytes:
    """Return a TNEF stream with these MAPI properties, after its own body if one is given."""
    row = struct.pack("<I", len(properties) if count is None else count) + b"".join(properties)
    attributes = [(0x800C, body)] if body else []
    attributes.append((0x9003, row))
    return struct.pack("<IH", 0x223E9F78, 1) + b"".join(attribute(name, value) for name, value in attributes)


def attribute(name: int, value: bytes) -> bytes:
    return struct.pack("<BHHI", 1, name, 6, len(value)) + value + b"\0\0"


def held(*values: bytes) -> bytes:
    return struct.pack("<I", len(values)) + b"".join(
        struct.pack("<I", len(value)) + value + b"\0" * (-len(value) % 4) for value in values
    )


WIDE = struct.pack("<HH", 0x001F, 0x1000) + held("bid 4 für Zäune".encode("utf-16-le"))
HTML = struct.pack("<HH", 0x0102, 0x1013) + held(b"<p>bid 4</p>")
NAMES = (b"\0" * 20 + struct.pack("<I", 7), b"\0" * 16 + struct.pack("<II", 1, 6) + b"abcdef\0\0")


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ([], True),
        ([struct.pack("<HHI", 0x0003, 0x0001, 9)], True),
        ([struct.pack("<HHIII", 0x1003, 0x0001, 2, 9, 9)], True),
        ([struct.pack("<HH", 0x001F, 0x8001) + NAMES[0] + held(b"x\0")], True),
        ([struct.pack("<HH", 0x001F, 0x8001) + NAMES[1] + held(b"x\0", b"yyy\0")], True),
        ([struct.pack("<HH", 0x0003, 0x8002) + NAMES[0] + struct.pack("<I", 9)], True),
        ([struct.pack("<HH", 0x0003, 0x8000) + NAMES[0] + struct.pack("<I", 9)], True),
        ([struct.pack("<HHI", 0x0003, 0x7FFF, 9)], True),
        ([struct.pack("<HHI", 0x0077, 0x0001, 9)], False),
    ],
)
def test_the_words_of_a_winmail_are_found_behind_whatever_stands_before_them(before: list[bytes], found: bool) -> None:
    words = ("bid 4 für Zäune", "<p>bid 4</p>") if found else ("", "")
    assert tnef_text(winmail(*before, WIDE, HTML)) == words


def test_of_a_winmail_what_comes_before_a_break_is_read_and_its_properties_before_its_body() -> None:
    assert tnef_text(winmail(WIDE, count=5)).plain == "bid 4 für Zäune"
    assert tnef_text(winmail(HTML, body=b"pass\r\n\0")) == ("pass\n", "<p>bid 4</p>")
    assert tnef_text(winmail(WIDE, body=b"pass")).plain == "bid 4 für Zäune"
    assert tnef_text(winmail(WIDE) + attribute(0x800C, b"pass")).plain == "bid 4 für Zäune"
    assert tnef_text(winmail(HTML, body=b"pass") + attribute(0x800C, b"bid 5")).plain == "pass"
    assert tnef_text(winmail(body=b"\0") + attribute(0x800C, b"")) == ("", "")
    empty = struct.pack("<HH", 0x001F, 0x1000) + held(b"")
    assert tnef_text(winmail(empty)) == ("", "")
    assert tnef_text(winmail(empty, body=b"pass")).plain == "pass"
    assert tnef_text(b"bid 4") == ("", "")
    assert tnef_text(b"") == ("", "")
