"""What stands in a field of a mail or in one line of it: how each reader of such values takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from bot.games.seat_mail import make_harmless
from bot.mail import decoding
from bot.mail.addresses import is_one_address
from bot.mail.attributions import is_from_label, says_who_or_when
from bot.mail.authentication import doubt_about, results_of
from bot.mail.decoding import charset_of_page, decode_bytes, is_binary
from bot.mail.identity import is_own_address, is_own_message_id, token_in_line
from bot.mail.lines import clean, holds_free_text, split_quote_marks
from bot.mail.message import plain_text, tnef_text, without_files
from bot.mail.quotes import greets_sender, is_closing
from bot.mail.signatures import signed_content
from tests.approved.subject import Subject, vary_words
from tests.approved.subjects.mails import FIELDS, LINES, OURS
from tests.mail.test_corpus import ADDRESS, HERE

LONGEST = 500
CHARSETS = ("", "utf-8", "iso-8859-1", "windows-1252", "utf-7", "utf-16", "gb2312", "shift_jis", "koi8-r", "no-such")
WRITTEN = (
    "=?utf-8?q?Gr=C3=BC=C3=9Fe?= =?iso-8859-1?B?5A==?=",
    '"Harkonnen, Vladimir" <baron@example.org>, paul@example.org (Paul)',
    "Players: a@b.example, <c@d.example>;",
    "<a@b.example><c@d.example> x@y",
    "Sun, 22 Nov 2026 08:14:00 +0100 (CET)",
    "31 Dec 99 23:59 EST",
    "begin 644 orders.txt\n%8FED(#0*\n`\nend\n",
    "<bold>bid</bold> 4<param>red</param> << x",
    '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">',
    "x" * 64 + "@example.org",
    "a@" + "x" * 63 + ".org",
    "a" * 242 + "@example.org",
    "a.b@c-d.example",
    "\x00\x01\x02binary\xff",
    "+AGIAaQBk- 4",
    "\xff\xfeb\x00i\x00d\x00",
    "\x1b$B$3$l\x1b(B",
)


def _seeds() -> Iterator[str]:
    yield from ("", *WRITTEN)
    for field in FIELDS:
        yield field.partition(": ")[2]
    yield from LINES
    for path in sorted((HERE / "corpus").glob("*.eml")):
        for row in path.read_text("latin-1").split("\n")[:40]:
            yield row.partition(": ")[2][:LONGEST] or row[:LONGEST]


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    other = chance.choice(others)
    match chance.randrange(6):
        case 0:
            return (text * chance.choice((2, 3, 30)))[:LONGEST]
        case 1:
            middle = chance.randrange(len(text) + 1)
            return f"{text[:middle]}{chance.choice('<>@,;:?=_%~&#[]+-.“»ß é')}{text[middle:]}"[:LONGEST]
        case 2:
            middle = chance.randrange(len(text) + 1)
            return (text[:middle] + other[chance.randrange(len(other) + 1) :])[:LONGEST]
    return vary_words(chance, text, [other, chance.choice(LINES)])[:LONGEST]


def _told(text: str) -> str:
    raw = text.encode("utf-8", "replace")
    latin = text.encode("latin-1", "replace")
    readers: dict[str, Callable[[], object]] = {
        "unfolded": lambda: decoding.unfold_field(text),
        "decoded": lambda: decoding.decode_field(text),
        "repaired": lambda: decoding.repair_field(text),
        "mailboxes": lambda: decoding.mailboxes_in(text),
        "addresses": lambda: decoding.addresses_in(text),
        "message ids": lambda: decoding.message_ids_in(text),
        "date": lambda: decoding.date_in(text),
        "one address": lambda: is_one_address(text),
        "own address": lambda: is_own_address(text, ADDRESS),
        "own message id": lambda: is_own_message_id(text, ADDRESS),
        "token": lambda: token_in_line(text, ADDRESS),
        "harmless": lambda: make_harmless(text, ADDRESS),
        "results": lambda: results_of((text,), OURS),
        "doubt": lambda: doubt_about("mail.example.org", (f"{OURS}; {text}", text), OURS),
        "clean": lambda: clean(text),
        "quoted": lambda: tuple(split_quote_marks(text)),
        "free text": lambda: holds_free_text(text),
        "closing": lambda: is_closing(text),
        "greets": lambda: greets_sender(text, ("baron", "vladimir")),
        "who or when": lambda: says_who_or_when(text),
        "label": lambda: is_from_label(text),
        "enriched": lambda: plain_text(text),
        "files": lambda: without_files(text),
        "charset": lambda: charset_of_page(raw),
        "binary": lambda: (is_binary(raw), is_binary(latin)),
        "signed": lambda: signed_content(latin),
        "packed": lambda: tnef_text(latin),
    }
    told = [f"{name}: {read()!r}" for name, read in readers.items()]
    same: list[str] = []
    for charset in CHARSETS:
        came = decode_bytes(latin, charset)
        if came not in same:
            same.append(came)
            told.append(f"in {charset or 'no charset'}: {came!r}")
    return "\n".join(line for line in told if not line.endswith((": ''", ": False", ": []", ": None", f": {text!r}")))


SUBJECT = Subject("mail-values", ("bot.mail", "bot.games.seat_mail"), _seeds, _vary, _told)
