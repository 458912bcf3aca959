"""Whole mails, as bytes: what each is taken for, which lines are read in it and what is said of the others, whom it
names and what it proves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from random import Random

from bot.mail.authentication import unproved_because, was_passed_on_by
from bot.mail.disposition import Examined, examine
from bot.mail.identity import (
    answers_own_letter,
    find_bounced_tokens,
    find_leaving_tokens,
    find_list_tokens,
    is_own_address,
)
from bot.mail.mime.message import Incoming
from bot.mail.robots.bounce import returned_tokens
from tests.approved.subject import Subject, vary_words
from tests.mail.test_corpus import ADDRESS, HERE, TOKEN, sent_form

OURS = "mx.arrakis.example"
LONGEST = 6_000
"""Bytes of a mail that is varied."""
FEW_LINES, FEW_CHARS = 3, 30

FIELDS = (
    f"To: mentat+{TOKEN}@arrakis.example",
    f"To: mentat+u-{TOKEN}@arrakis.example",
    f"To: mentat+b-{TOKEN}@arrakis.example",
    f"Cc: Mentat <mentat+list-{TOKEN}@arrakis.example>",
    f"Delivered-To: mentat+{TOKEN}@arrakis.example",
    f"In-Reply-To: <sietch-12.41.{TOKEN}@arrakis.example>",
    f"References: <a@b.example> <sietch-12.40.{TOKEN}@arrakis.example> <c@d.example>",
    f"Message-ID: <sietch-12.42.{TOKEN}@arrakis.example>",
    f"Subject: Re: [Sietch-12] Turn 4 [#{TOKEN}]",
    f"Subject: unsubscribe [#{TOKEN}]",
    "Subject: Out of office",
    "Subject: Automatic reply: your turn",
    "Subject: Undelivered Mail Returned to Sender",
    "Subject: =?utf-8?B?QWJ3ZXNlbmhlaXRzbm90aXo6?= Zug",
    "From: Mentat <mentat@arrakis.example>",
    "From: MAILER-DAEMON@mx.example.org",
    "From: baron@example.org, emperor@example.org",
    "From: =?iso-8859-1?q?Baron_Hark=F6nnen?= <baron@example.org>",
    "From: no-reply@example.org",
    "From:",
    "Sender: secretary@example.org",
    "Reply-To: other@example.org",
    "Return-Path: <>",
    "Return-Path: <baron@example.org>",
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: no",
    "Precedence: bulk",
    "Precedence: list",
    "List-Id: Games <dune.lists.example.org>",
    "List-Post: <mailto:dune@lists.example.org>",
    "X-Autoreply: yes",
    "X-Auto-Response-Suppress: All",
    "X-Mentat: doctor 4f2a",
    "X-Mentat: canary 4f2a",
    "X-Mentat: game=Sietch-12",
    "Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes",
    "Content-Type: text/plain; charset=utf-8; format=flowed",
    "Content-Type: text/plain; charset=iso-8859-15",
    "Content-Type: text/plain; charset=unknown-8bit",
    "Content-Type: text/plain; charset=utf-16le",
    "Content-Type: text/html; charset=windows-1252",
    "Content-Type: text/enriched",
    "Content-Type: multipart/mixed",
    "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
    "Content-Type: text/plain; name=orders.txt",
    "Content-Disposition: attachment; filename=orders.txt",
    "Content-Disposition: attachment; filename*=utf-8''z%C3%BCge.docx",
    "Content-Disposition: inline",
    "Content-Transfer-Encoding: quoted-printable",
    "Content-Transfer-Encoding: base64",
    "Content-Transfer-Encoding: 8bit",
    "Content-Transfer-Encoding: x-uuencode",
    "Date: Sun, 22 Nov 2026 08:14:00 +0100",
    "Date: Sun, 22 Nov 2026 08:14",
    "Authentication-Results: mx.arrakis.example; dmarc=pass header.from=example.org",
    "Authentication-Results: mx.arrakis.example; dmarc=fail header.from=example.org; dkim=pass header.d=example.org",
    "Authentication-Results: mx.arrakis.example 1; dkim=pass (2048) header.i=@example.org; spf=none",
    "Authentication-Results: mx.arrakis.example; spf=pass smtp.mailfrom=bounce@lists.example.org",
    'Authentication-Results: mx.other.example; dkim=pass reason="a;b" header.d=example.org',
)
LINES = (
    "bid 4",
    "ship 4 to Carthag",
    "pass",
    "--",
    "-- ",
    "Sent from my iPhone",
    "Best regards,",
    "Vladimir",
    "Hello Mentat,",
    "> bid 4",
    "> > What do you bid?",
    "On Mon, 23 Nov 2026 at 08:14, Mentat <mentat@arrakis.example> wrote:",
    "Am 23.11.2026 um 08:14 schrieb Mentat:",
    "Le lun. 23 nov. 2026 à 08:14, Mentat a écrit :",
    "-----Original Message-----",
    "________________________________",
    "From: Mentat <mentat@arrakis.example>",
    "Sent: Monday, 23 November 2026 08:14",
    "Reply above this line",
    "You are HARKONNEN in Sietch-12. Turn 4",
    f"[#{TOKEN}]",
    f"mentat+{TOKEN}@arrakis.example",
    "[form 7qk2m9xa]",
    "ship _3_ to Habbanya Ridge Sietch",
    "[x] no move",
    "[ ] no move",
    "[end of form 7qk2m9xa]",
    "press to all: I will be back",
    "I am out of the office until Monday.",
    "[...]",
    "[image: image.png]",
    "-----BEGIN PGP SIGNED MESSAGE-----",
    "-----BEGIN PGP MESSAGE-----",
    "550 5.1.1 <baron@example.org>: user unknown",
    "Status: 4.2.2",
    "Action: delayed",
    "Final-Recipient: rfc822; baron@example.org",
    "",
    "<blockquote>",
    "<div class=gmail_quote>",
    '<span style="color:red">bid 5</span>',
    "<p>bid 4</p>",
    "<br>",
    "</div>",
)


def words_of(value: object) -> str:
    """A value in which each field of a dataclass has a line, and empty ones none."""
    if not is_dataclass(value):
        return repr(value)
    told = ((field.name, getattr(value, field.name)) for field in fields(value))
    return "\n".join(f"{name}: {words_of(each)}" for name, each in told if each)


def _seeds() -> Iterator[str]:
    for path in sorted((HERE / "corpus").glob("*.eml")):
        if len(raw := path.read_bytes()) <= LONGEST:
            yield raw.decode("latin-1")
    head = "From: Baron <baron@example.org>\nTo: mentat@arrakis.example\n"
    for field in FIELDS:
        yield f"{head}{field}\n\nbid 4\n"
    for boundary in ("b", "=_b=20"):
        yield (
            f'{head}Content-Type: multipart/alternative; boundary="{boundary}"\n\n--{boundary}\n\nbid 4\n--{boundary}\n'
            f"Content-Type: text/html\n\n<p>bid 4</p><p>pass</p>\n--{boundary}--\n"
        )


def vary_lines(chance: Random, lines: list[str], theirs: Sequence[str]) -> list[str]:
    """One line gone, doubled, moved, quoted, broken, joined with the next, out of another text or in other words; all
    from one on gone or quoted."""
    lines = list(lines) or [""]
    place = chance.randrange(len(lines))
    line = lines[place]
    match chance.randrange(14):
        case 0 | 1:
            del lines[place : place + chance.choice((1, 1, 1, 2, 5))]
        case 2:
            lines[place:place] = [line] * chance.choice((1, 1, 2, 20))
        case 3:
            lines.insert(chance.randrange(len(lines)), lines.pop(place))
        case 4 | 5:
            begin = chance.randrange(len(theirs))
            lines[place : place + chance.choice((0, 0, 1))] = theirs[begin : begin + chance.choice((1, 1, 2, 4))]
        case 6 | 7:
            lines[place : place + chance.choice((0, 0, 1))] = [chance.choice(LINES)]
        case 8:
            marks = chance.choice(("> ", ">", "> > ", "| ", " ", "- ", "* ", "Bob> ", "\t"))
            last = place + chance.choice((1, 1, 3, len(lines)))
            lines[place:last] = [marks + each for each in lines[place:last]]
        case 9:
            lines[place] = line.removeprefix(chance.choice((">", "> ", " ", line[:1])))
        case 10:
            middle = chance.randrange(len(line) + 1)
            lines[place : place + 1] = [line[:middle], line[middle:]]
        case 11:
            lines[place : place + 2] = [chance.choice(("", " ")).join(lines[place : place + 2])]
        case _:
            lines[place] = vary_words(chance, line, [chance.choice(theirs), chance.choice(LINES)])
    return lines


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Another head, or another body, or both of different mails."""
    other = chance.choice(others)
    head, gap, body = text.partition(_gap(text))
    their_head, _, their_body = other.partition(_gap(other))
    for _ in range(chance.choice((1, 1, 2, 3))):
        rows = head.split("\n")
        match chance.randrange(8):
            case 0:
                del rows[chance.randrange(len(rows))]
            case 1 | 2:
                rows.insert(chance.randrange(len(rows) + 1), _latin(chance.choice(FIELDS)))
            case 3:
                field = _latin(chance.choice(FIELDS))
                name = field.partition(":")[0].lower()
                rows = [row for row in rows if row.partition(":")[0].lower() != name] + [field]
            case 4:
                rows = vary_lines(chance, rows, their_head.split("\n"))
            case 5 if chance.random() < 0.3:
                body = their_body
            case _:
                theirs = their_body.split("\n")
                body = _latin("\n".join(vary_lines(chance, body.split("\n"), theirs)))
        head = "\n".join(rows)
    return _latin(head + gap + body)[:LONGEST]


def _latin(text: str) -> str:
    """The bytes of a text as signs, as inputs have them."""
    return text if all(ord(sign) < 256 for sign in text) else text.encode().decode("latin-1")


def _gap(text: str) -> str:
    return "\r\n\r\n" if "\r\n\r\n" in text else "\n\n"


def _told(text: str) -> str:
    raw = text.encode("latin-1", "replace")
    seen = examine(raw, ADDRESS, sent_form)
    told = [words_of(seen.verdict), words_of(seen.reading), f"tokens: {seen.tokens}"]
    if seen.incoming is not None:
        told += [words_of(seen.incoming), *_named(seen.incoming, raw)]
    short = examine(raw, ADDRESS, sent_form, max_lines=FEW_LINES, max_line_chars=FEW_CHARS, max_bytes=LONGEST // 2)
    if _read(short) != _read(seen):
        told += ["within small limits:", *_read(short)]
    return "\n".join(told)


def _read(seen: Examined) -> list[str]:
    return [words_of(seen.verdict), words_of(seen.reading)]


def _named(incoming: Incoming, raw: bytes) -> Iterator[str]:
    """Whom a mail names besides, and what it proves."""
    finders: Sequence[Callable[[Incoming, str], object]] = (
        find_bounced_tokens, find_leaving_tokens, find_list_tokens, answers_own_letter,
    )  # fmt: skip
    for find in finders:
        if found := find(incoming, ADDRESS):
            yield f"{find.__name__}: {found}"
    yield f"own senders: {[is_own_address(each, ADDRESS) for each in incoming.senders]}"
    yield f"returned: {returned_tokens(raw, ADDRESS)}"
    yield f"unproved: {unproved_because(incoming, raw, OURS, None)}"
    results = incoming.headers.get("authentication-results", ())
    yield f"by the list: {was_passed_on_by('lists.example.org', results, OURS)}"


SUBJECT = Subject("mails", ("bot.mail.mime", "bot.mail.robots", "bot.mail.words",
                            "bot.mail.disposition", "bot.mail.identity", "bot.mail.authentication",
                            "bot.mail.to_itself"), _seeds, _vary, _told)  # fmt: skip
