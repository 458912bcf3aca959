"""The kind of an incoming mail: orders, an automatic answer, a bounce, an empty mail, or a mail to refuse.

The order of the checks matters. Our own mail is checked for first, because answering it would cause a loop. Bounces
come next, because they would otherwise count as automatic answers; then automatic answers, by their headers and then by
their text.

Bounces: a delivery status notification (RFC 3464) is structured, with one block of fields per recipient. flufl.bounce,
which knows the reports of many servers, reads all older and unusual reports. Exceptions that it raises on broken
headers are caught, and it is given only mails that already look like bounces. Reports that it does not know are read as
a person would read them: the server's own words come first, and the returned letter follows. Only the server's words
are read, as plain text or from HTML, in the languages in which mail servers are sold (`phrases/bounces.toml`).

Automatic answers (vacation notes, receipts, calendars, challenges, digests): the standard's header comes first (RFC
3834), then the headers of older programs, then subjects. The text itself comes last, for robots that do not set a
header. A text, or a subject that a person might write, identifies a robot only if nothing in the mail suggests a
person: a note that contains an order comes from a person. `Precedence: list` does not show a robot, because people play
through mailing lists. Neither does `bulk` together with the fields of a list that accepts posts (RFC 2369), nor
`X-Auto-Response-Suppress`, which is a request to us and is found in ordinary mail.

A reaction, a recall, and the notice of a mail that waits on a web page are written by a program for a person who
pressed a button (`phrases/gestures.toml`). They contain no words of that person, and Mentat may tell the person so.

Time: bytes, parts and lines are limited, so `at_most` should never be needed. It is there for cases that nobody has
thought of: a hostile message must not keep all others waiting. A system timer interrupts the reading, including regular
expressions. Python interrupts only the main thread, so `mentat run`, `poll`, `deliver`, `mail parse` and `mail replay`
all read mail there. In `mentat run`, the clock and the outbox have their own threads
(``bot.service.loop.Service.run``). A separate process for each message would even contain a crash in a C library, but
starting it takes longer than reading a message.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import signal
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from email.message import Message
from email.parser import HeaderParser
from email.utils import collapse_rfc2231_value
from itertools import islice
from types import FrameType
from typing import Literal

from bot.mail import decoding
from bot.mail.decoding import MAX_BYTES, content_of, parse_tree
from bot.mail.identity import find_tokens, is_own_address
from bot.mail.lines import SentForm, SentLetter, any_of, rows
from bot.mail.message import TOO_DEEP, Incoming, Malformed, TextAttachment, is_emoji, parse
from bot.mail.outgoing import test_code_in
from bot.mail.own_words import MAX_LINE_CHARS, MAX_LINES, Reading, own_lines
from bot.mail.quotes import is_closing
from bot.wording import say

logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)  # it logs a trace for each failing detector

_SHOWN_BYTES = 200_000
"""The number of bytes of a free-form report that Mentat searches for addresses."""
_SHOWN_COLUMNS = 300
"""The number of bytes that are read of each line of such a report. Some patterns of flufl.bounce take quadratic time,
and these reports are written for people."""

_STATUS_FIELD = re.compile(r"\b([245])\.\d{1,3}\.\d{1,3}\b")
_COMMENT = re.compile(r"\([^()]*\)?")
_DELIVERY_REPORTS = ("delivery-status", "global-delivery-status")
_STATUS_TYPES = ("message/delivery-status", "message/global-delivery-status")
_MOST_RECIPIENTS = 100
_UNICODE_ESCAPE = re.compile(r"\\x\{([0-9A-Fa-f]{1,6})\}")
_ARRIVED = ("delivered", "relayed", "expanded")
_FROM_A_SERVER = re.compile(
    r"^(?:mailer-daemon|postmaster|postmast|mail-daemon|maildaemon|daemon|microsoftexchange[0-9a-f]*|bounces?|mdaemon|"
    r"delivery-?(?:failure|report|system)?)(?:[+@])",
    re.IGNORECASE,
)
_BOUNCE_SUBJECT = rows(
    lambda: rf"^(?:\[?(?:postmaster|mail server|auto)\]?:? )?{any_of('bounces', 'subjects')}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Bounce:
    """A mail that reports another one as undelivered. `permanent` is False for a delay or a full mailbox (4.x.x), True
    for a rejection (5.x.x), and None if the report does not say."""

    recipients: tuple[str, ...]
    permanent: bool | None
    status: str = ""
    returned: tuple[str, ...] = ()
    """The reply tokens of the returned letters."""


def looks_like_bounce(incoming: Incoming, own_address: str) -> bool:
    """Return True if the mail looks like a bounce, judging by its type, its sender, or a null return path. The mail of
    an automatic responder has a null return path too (RFC 3834 section 3.3), but reports no failure."""
    if _is_delivery_report(incoming):
        return True
    if _is_other_report(incoming):
        return False
    from_a_server = any(_FROM_A_SERVER.match(address) for address in incoming.senders)
    if "x-failed-recipients" in incoming.headers:
        return True
    if from_a_server:
        return null_path(incoming) or bool(_BOUNCE_SUBJECT.match(incoming.subject)) or bool(auto_submitted(incoming))
    if not null_path(incoming):
        return False
    return bool(_BOUNCE_SUBJECT.match(incoming.subject)) or bounce_words(incoming, own_address).fails


def null_path(incoming: Incoming) -> bool:
    """Return True if the return path is null, so that this mail must not be answered (RFC 5321 section 4.5.5)."""
    return incoming.header("return-path").strip() == "<>"


def read_bounce(raw: bytes, incoming: Incoming, own_address: str) -> Bounce | None:
    """Read a bounce, or return None if it reports only mail that was delivered. This never raises an exception.
    ``recipients`` is empty if no address can be read in the bounce."""
    failed = [a for value in incoming.headers.get("x-failed-recipients", ()) for a in decoding.addresses_in(value)]
    returned = tuple(returned_tokens(raw, own_address))
    try:
        message = parse_tree(raw[:MAX_BYTES])
        reported = _reported(message)
    except Exception:  # untrusted bytes can fail in any way
        return Bounce(tuple(failed), None, returned=returned)
    status = [(address, code) for address, action, code in reported if action not in _ARRIVED]
    if reported and not status:
        return None
    addresses = tuple(dict.fromkeys(address for address, _ in status if address))
    codes = [code for _, code in status if code]
    if addresses and codes:
        worst = max(codes)
        return Bounce(addresses, worst.startswith("5"), worst, returned)
    for_now: set[bytes] = set()
    for_good: set[bytes] = set()
    from flufl.bounce import all_failures  # compiles hundreds of patterns on import

    with contextlib.suppress(Exception):  # flufl.bounce raises on an empty From and on undecodable headers
        temporary, permanent = all_failures(parse_tree(_shown(raw)))
        for_now, for_good = set(temporary), set(permanent)
    guessed = sorted(address.decode("ascii", "replace").lower() for address in for_now | for_good)
    words = bounce_words(incoming, own_address)
    recipients = addresses or failed or guessed or words.recipients
    for_ever = bool(for_good) if guessed else words.permanent
    return Bounce(tuple(dict.fromkeys(recipients)), for_ever, returned=returned)


def _shown(raw: bytes) -> bytes:
    return b"\n".join(row[:_SHOWN_COLUMNS] for row in raw[:_SHOWN_BYTES].split(b"\n"))


def returned_tokens(raw: bytes, address: str) -> list[str]:
    """Return the reply tokens in our own Message-IDs that occur in a bounce. They are needed for providers that do not
    deliver mail to plus addresses.

    >>> returned_tokens(b"Message-ID: <sietch-12.7.ypowzixiqjin3ijg@arrakis.example>", "mentat@arrakis.example")
    ['ypowzixiqjin3ijg']
    """
    own = rb"\bmessage-id:\s*<[^<>@\s]{1,120}\.([a-z2-7]{16})@" + re.escape(address.rpartition("@")[2].lower().encode())
    return list(dict.fromkeys(found.decode() for found in re.findall(own + b">", raw[:_SHOWN_BYTES].lower())))


def _is_delivery_report(incoming: Incoming) -> bool:
    return incoming.content_type == "multipart/report" and _report_type(incoming) in _DELIVERY_REPORTS


def _is_other_report(incoming: Incoming) -> bool:
    return incoming.content_type == "multipart/report" and bool(_report_type(incoming))


def _report_type(incoming: Incoming) -> str:
    head = Message()
    head["Content-Type"] = incoming.header("content-type")
    with contextlib.suppress(Exception):  # broken RFC 2231 parameters raise
        return collapse_rfc2231_value(head.get_param("report-type", "")).strip().lower()
    return ""


def auto_submitted(incoming: Incoming) -> str:
    # RFC 3834 section 5: a keyword, perhaps with comments and parameters
    said = _COMMENT.sub("", incoming.header("auto-submitted")).partition(";")[0].strip().lower()
    return "" if said == "no" else said


def _reported(message: Message) -> list[tuple[str, str, str]]:
    """Return (recipient, action, status) for each recipient in the delivery status part (RFC 3464 section 2.3, RFC 6533
    section 4)."""
    found = []
    for part in message.walk():
        if part.get_content_type() not in _STATUS_TYPES:
            continue
        for block in _blocks(part)[:_MOST_RECIPIENTS]:
            fields = {name.lower(): str(value).strip() for name, value in reversed(list(block.raw_items()))}
            recipient = fields.get("original-recipient") or fields.get("final-recipient") or ""
            action = (fields.get("action", "").lower().split() or [""])[0]
            code = _STATUS_FIELD.search(fields.get("status", ""))
            address = decoding.addresses_in(_UNICODE_ESCAPE.sub(_letter, recipient))[:1]
            if action or address:
                found.append((address[0] if address else "", action, code.group() if code else ""))
    return found


def _blocks(part: Message) -> list[Message]:
    """Return the blocks of fields in a delivery status part. The standard parser ignores the part's transfer encoding.
    If the part has the newer of the two types, the parser also takes the first block for a mail's header, and the
    others for its text."""
    payload = part.get_payload()
    parsed = [block for block in payload if isinstance(block, Message)] if isinstance(payload, list) else [part]
    first = [block for block in parsed if block.keys() and block is not part]
    texts = [text for block in parsed if isinstance(text := block.get_payload(decode=True), bytes)]
    rest = Message()
    rest["content-transfer-encoding"] = "8bit" if first else str(part.get("content-transfer-encoding", "8bit"))
    rest.set_payload(b"\n".join(texts).decode("ascii", "surrogateescape"))
    rows = content_of(rest, _SHOWN_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
    return first + [HeaderParser().parsestr(fields) for fields in re.split(r"\n[ \t]*\n", rows) if fields.strip()]


def _letter(escape: re.Match[str]) -> str:
    number = int(escape.group(1), 16)
    return chr(number) if 0x20 < number < 0xD800 or 0xDFFF < number < 0x110000 else ""


Disposition = Literal["orders", "auto-reply", "bounce", "rejected", "empty"]
MAX_HOPS = 60
"""More Received fields than any real route needs; servers give up at 50 or 100 (RFC 5321 section 6.3)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    disposition: Disposition
    reason: str
    bounce: Bounce | None = None
    challenge: bool = False
    """An automatic answer that holds our letter back until somebody confirms."""
    by_hand: Literal["reaction", "recall", ""] = ""
    """A program wrote the mail for a person who pressed a button, and who may be told that this has no effect here."""


@dataclass(frozen=True, slots=True)
class Examined:
    verdict: Verdict
    incoming: Incoming | None
    reading: Reading
    tokens: tuple[str, ...] = ()


def examine(
    raw: bytes,
    address: str,
    sent_form: SentForm,
    *,
    max_bytes: int = MAX_BYTES,
    max_lines: int = MAX_LINES,
    max_line_chars: int = MAX_LINE_CHARS,
    sent_letter: SentLetter | None = None,
) -> Examined:
    """Read a message as it came. This never raises an exception.

    `address` is this program's own address, without a token. `sent_form` returns the lines of a form, given its code,
    and `sent_letter` returns a letter, given its Message-ID.

    >>> seen = examine(b"From: a@b.example\\nTo: mentat@arrakis.example\\n\\nbid 4\\n", "mentat@arrakis.example",
    ...                lambda code: None)
    >>> seen.verdict.disposition, seen.reading.lines
    ('orders', ('bid 4',))
    """
    incoming = parse(raw, max_bytes)
    if isinstance(incoming, Malformed):
        return Examined(Verdict("rejected", incoming.reason), None, Reading(()))
    tokens = tuple(find_tokens(incoming, address))
    objection = not_from_a_player(incoming, raw, address)
    if objection:
        return Examined(objection, incoming, Reading(()), tokens)
    reading = own_lines(incoming, sent_form, address, max_lines, max_line_chars, tokens, sent_letter)
    lines = [line for section in reading.sections for line in section.lines]
    if not any(map(holds_order, lines)) and (without := _without_order(incoming, lines)):
        verdict, note = without
        return Examined(verdict, incoming, Reading((), notes=(say(note),) if note else ()), tokens)
    if not reading.sections and TOO_DEEP in incoming.unread:
        return Examined(Verdict("rejected", TOO_DEEP), incoming, reading, tokens)
    if not reading.sections:
        return Examined(Verdict("empty", "no line of the sender's own was found"), incoming, reading, tokens)
    count = sum(len(section.lines) for section in reading.sections)
    return Examined(Verdict("orders", f"{count} line{'' if count == 1 else 's'} read"), incoming, reading, tokens)


def _without_order(incoming: Incoming, lines: Sequence[str]) -> tuple[Verdict, str] | None:
    first = [line[:_LINE_CHARS] for line in lines[:_MOST_LINES_OF_PROGRAM]]
    top = [line for line in islice(filter(None, _lines_of_the_server(incoming)), _TOP_LINES) if line[0] != ">"]
    if by_hand := button_pressed(incoming, first, top):
        return Verdict("auto-reply", f"a {by_hand}, which changes nothing", by_hand=by_hand), "note.reaction"
    if kept_elsewhere(incoming, [*top, *first]):
        return Verdict("empty", "only a notice of a mail that is kept elsewhere"), "note.kept-elsewhere"
    if any(map(_MARK_OF_HELP_DESK.match, [*top[:1], *first[:1]])):
        return Verdict("auto-reply", "the mark of a help desk above its letter"), ""
    said = calendar_because(incoming) or automatic_text(lines, incoming.subject)
    if said := said or receipt_because(first, marked="x-loop" in incoming.headers):
        return Verdict("auto-reply", said, challenge=demands_confirmation(incoming, lines)), ""
    return None


def not_from_a_player(incoming: Incoming, raw: bytes, address: str) -> Verdict | None:
    if test_code_in(incoming, "doctor"):
        return Verdict("auto-reply", "a test mail from `mentat doctor`")
    if test_code_in(incoming, "canary"):
        return Verdict("auto-reply", "a test mail from Mentat")
    if "x-mentat" in incoming.headers:
        return Verdict("rejected", "loop: the mail was sent by Mentat itself")
    if any(is_own_address(sender, address) for sender in incoming.senders):
        return Verdict("rejected", "loop: the sender is Mentat's own address")
    if incoming.hops > MAX_HOPS:
        return Verdict("rejected", f"loop: the mail went through {incoming.hops} servers")
    if looks_like_bounce(incoming, address):
        bounce = read_bounce(raw, incoming, address)
        if bounce is None:
            return Verdict("auto-reply", "a report of mail that did arrive")
        about = ", ".join(bounce.recipients[:3]) or "an unknown recipient"
        return Verdict("bounce", f"delivery report about {about}", bounce)
    automatic = automatic_because(incoming)
    if automatic:
        text = (incoming.text_plain or "").splitlines()[:MAX_LINES]
        return Verdict("auto-reply", automatic, challenge=demands_confirmation(incoming, text))
    if not incoming.sender:
        many = len(incoming.senders) > 1
        return Verdict("rejected", "more than one sender address" if many else "no sender address")
    return None


_SHOWN_LINES = 200
_LINE_CHARS = 500
_MOST_NAMED_RECIPIENTS = 5

_RETURNED = rows(
    lambda: rf"^(?:received|return-path|dkim-signature|mime-version|x-mentat): |{any_of('bounces', 'returned')}",
    re.IGNORECASE,
)
_FAILED = rows(lambda: any_of("bounces", "failed"), re.IGNORECASE)
_LATER = rows(lambda: any_of("bounces", "later"), re.IGNORECASE)
_GONE = rows(lambda: any_of("bounces", "gone"), re.IGNORECASE)
_STATUS_IN_WORDS = re.compile(r"(?<![\w.])([45])\.\d{1,3}\.\d{1,3}(?![\w.]*\d)")
_REPLY_CODE = re.compile(r"(?:^|[\s'\"#:;(])([45])[0-7]\d(?=[ :;-])")
_LABEL = re.compile(r"^(?:[^@:]{1,40}:)?[\s<(\['\"*:–—-]*")
_BEHIND_ADDRESS = re.compile(r"[\s>)\]'\".,:;]*(?:\(.*|<.*)?$")
_OF_THE_SERVER = re.compile(r"^(?:postmaster|mailer-daemon|abuse|support|help|no-?reply)@", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BounceWords:
    recipients: tuple[str, ...] = ()
    permanent: bool | None = None
    fails: bool = False


def bounce_words(incoming: Incoming, own_address: str) -> BounceWords:
    """Return the recipients and the kind of failure that a reporting server states in plain words.

    >>> from bot.mail.message import parse
    >>> mail = parse(b"From: postmaster@b.example\\n\\nNot delivered:\\n\\n  a@b.example\\n\\n550 No such user\\n")
    >>> bounce_words(mail, "mentat@arrakis.example")
    BounceWords(recipients=('a@b.example',), permanent=True, fails=True)
    """
    lines = list(_lines_of_the_server(incoming))
    alone: list[str] = []
    anywhere: list[str] = []
    for line in lines:
        for address in decoding.addresses_in(line):
            address = address.strip("'.。`")
            if _OF_THE_SERVER.match(address) or address in incoming.senders or is_own_address(address, own_address):
                continue
            anywhere.append(address)
            if _stands_alone(line, address):
                alone.append(address)
    recipients = tuple(dict.fromkeys(alone or anywhere))[:_MOST_NAMED_RECIPIENTS]
    permanent = _permanent([incoming.subject, *lines])
    fails = permanent is not None or any(_FAILED.search(line) for line in (incoming.subject, *lines))
    return BounceWords(recipients, permanent, fails)


def _lines_of_the_server(incoming: Incoming) -> Iterator[str]:
    texts = (incoming.text_plain or "").splitlines()
    if not any(text.strip() for text in texts):
        from bot.mail.html import html_lines  # its many patterns are only needed for HTML mail

        texts = [line.text for line in html_lines(incoming.html or "") or ()]
    for text in texts[:_SHOWN_LINES]:
        line = unicodedata.normalize("NFKC", text[:_LINE_CHARS]).strip()
        if _RETURNED.search(line):
            return
        yield line


def _stands_alone(line: str, address: str) -> bool:
    rest = line[_LABEL.match(line).end() :].lower()  # type: ignore[union-attr]  # it matches the empty string
    return rest.startswith(address) and bool(_BEHIND_ADDRESS.match(rest[len(address) :]))


def _permanent(lines: list[str]) -> bool | None:
    # If a server says that it will retry, it does, whatever codes it shows. Otherwise codes outrank words.
    if any(_LATER.search(line) for line in lines):
        return False
    for pattern in (_STATUS_IN_WORDS, _REPLY_CODE):
        classes = [found.group(1) for line in lines for found in pattern.finditer(line)]
        if classes:
            return "5" in classes
    return True if any(_GONE.search(line) for line in lines) else None


_AUTOMATIC_FIELD = re.compile(r"^x-auto(?!crypt|-?forward)|^x-.*auto-?(?:reply|repl?ied|respond|response|generated)")
_FIELD_OF_A_PROGRAM = rows(lambda: any_of("automatic", "fields"))
_NOT_AUTOMATIC_FIELDS = frozenset(("x-auto-response-suppress",))
_AUTO_REPLY = frozenset(("auto_reply", "auto-reply", "autoreply"))
_AUTOMATIC_PRECEDENCE = _AUTO_REPLY | {"bulk", "junk"}
_QUOTES_A_SUBJECT = frozenset(("x-autorespond",))
"""Fields whose value is the subject of the mail being answered, and which may therefore be empty or "no"."""
_FIELDS_OF_A_LIST = ("list-post", "mailing-list", "x-beenthere")
_METHOD = re.compile(r"^METHOD[ \t]*(?:;[^:\r\n]*)?:[ \t]*([\w-]+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_FOLD = re.compile(r"\r?\n[ \t]")
_GMAIL_REACTION = "text/vnd.google.email-reaction+json"
_RIGHTS_MANAGED = re.compile(r"application/x-microsoft-rpmsg-message\b|[^()]*\(.*\.rpmsg\)", re.IGNORECASE)
_REACTION = rows(lambda: any_of("gestures", "reactions"), re.IGNORECASE)
_RECALL = rows(lambda: any_of("gestures", "recalls"), re.IGNORECASE)
_ELSEWHERE = rows(lambda: any_of("gestures", "elsewhere"), re.IGNORECASE)
_ELSEWHERE_LINK = rows(lambda: rf"https?://{any_of('gestures', 'elsewhere_links')}", re.IGNORECASE)
_TOP_LINES = 4
_LONGEST_NAME = 60
_LINK_ALONE = re.compile(r"\W*https?://\S+\W*|\[[^\]]*\]", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'“”„«»‹›「『《]")
_NO_REPLY = re.compile(r"^(?:no-?reply|do-?not-?reply|noreply-.*|.*-noreply)(?:\+[^@]*)?@", re.IGNORECASE)
_AUTOMATIC_SUBJECT = rows(lambda: rf"^\W{{0,3}}{any_of('automatic', 'subjects')}", re.IGNORECASE)
_SURELY = re.compile(r" ?(?:[:：\])）】]|re: )", re.IGNORECASE)
"""The mark that a program puts between such words and the subject of the mail that it answers."""
_RECEIPT_SUBJECT = rows(lambda: rf"^{any_of('automatic', 'receipt_subjects')} ?[:(（：]", re.IGNORECASE)
_CALENDAR_SUBJECT = rows(lambda: rf"^{any_of('automatic', 'calendar_subjects')}(?: event)?[:：]", re.IGNORECASE)
_DIGEST_SUBJECT = re.compile(
    r"\bdigest,? (?:vol(?:ume|\.)?|number|no\.?|#|for|issue) ?\S|\bdigest \d|^digest\b", re.IGNORECASE
)
_CHALLENGE_SUBJECT = rows(lambda: rf"^(?:re: ?)?{any_of('automatic', 'challenge_subjects')}", re.IGNORECASE)
_CHALLENGE = rows(lambda: any_of("automatic", "challenges"), re.IGNORECASE)
_SAYS_AUTOMATIC = rows(lambda: any_of("automatic", "says_automatic"), re.IGNORECASE)
_SAYS_AWAY = rows(
    lambda: (
        rf"(?:^|[.!?,;:] ?|\b(?:and|but|und) ){any_of('automatic', 'says_away')}|"
        rf"^{any_of('automatic', 'says_away_somewhere')}"
    ),
    re.IGNORECASE,
)
_RECEIVED = rows(lambda: any_of("automatic", "received"), re.IGNORECASE)
_THANKED = rows(lambda: any_of("automatic", "thanked"), re.IGNORECASE)
_HELP_DESK = rows(lambda: any_of("automatic", "help_desk"), re.IGNORECASE)
_MARK_OF_HELP_DESK = re.compile(r"##- .{5,150} -##$")
_MOST_LINES_OF_PROGRAM = 30
_LONGEST_GREETING = 25
_ORDER = rows(lambda: any_of("automatic", "orders"), re.IGNORECASE)
_ORDER_ALONE = rows(lambda: any_of("automatic", "orders_alone"), re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[.,;:!?–—] |\b(?:and|so|then|therefore|please) ", re.IGNORECASE)
_ENDS_AS_PROSE = re.compile(r"[.!?,:;)。！？，：；]\W*$")
_GREETED_LINES = 4
_PROSE_COLUMNS = 55


def automatic_because(incoming: Incoming) -> str:
    if submitted := auto_submitted(incoming):
        return f"Auto-Submitted: {submitted[:40]}"
    precedence = incoming.header("precedence").strip().lower()
    if precedence in _AUTOMATIC_PRECEDENCE and not (precedence == "bulk" and _takes_posts(incoming)):
        return f"Precedence: {precedence}"
    for name in ("x-precedence", "preference"):
        if incoming.header(name).strip().lower() in _AUTO_REPLY:
            return f"header {name}"
    if any(value.strip().lower() == "autoresponder" for value in incoming.headers.get("delivered-to", ())):
        return "delivered to an autoresponder"
    for name in incoming.headers:
        value = incoming.header(name).strip().lower()
        classes = map(str.strip, value.split(";")) if name == "x-post-messageclass" else ()
        if name in _QUOTES_A_SUBJECT or "autoresponder" in classes:
            return f"header {name}"
        automatic = _AUTOMATIC_FIELD.match(name) and name not in _NOT_AUTOMATIC_FIELDS
        if (automatic or _FIELD_OF_A_PROGRAM.fullmatch(name)) and value not in ("no", "false", ""):
            return f"header {name}"
    if null_path(incoming):
        return "an empty return path"
    if incoming.content_type == "multipart/report":
        return "a receipt or another report"
    if any(_NO_REPLY.match(sender) for sender in incoming.senders):
        return "the sender takes no replies"
    if _subject_says(incoming.subject) == "surely":
        return f"an automatic answer, by its subject: {incoming.subject[:60]}"
    for what, pattern in (("a receipt", _RECEIPT_SUBJECT), ("a digest of a mailing list", _DIGEST_SUBJECT)):
        if pattern.search(incoming.subject):
            return f"{what}, by its subject: {incoming.subject[:60]}"
    if any(part.disposition != "attachment" and _is_calendar_reply(part) for part in incoming.attachments):
        return "a reply from a calendar"
    if incoming.content_type == "multipart/digest":
        return "a digest of a mailing list"
    if _CHALLENGE_SUBJECT.match(incoming.subject):
        return f"a demand to confirm, by its subject: {incoming.subject[:60]}"
    return ""


def _subject_says(subject: str) -> Literal["nothing", "perhaps", "surely"]:
    # "Out of office: your bid" is surely automatic; "Out of office next week" perhaps is
    found = _AUTOMATIC_SUBJECT.match(subject)
    if not found:
        return "nothing"
    return "surely" if found.group().endswith(":") or _SURELY.match(subject, found.end()) else "perhaps"


def _takes_posts(incoming: Incoming) -> bool:
    return any(incoming.header(name).strip().lower() not in ("", "no") for name in _FIELDS_OF_A_LIST)


def _is_calendar_reply(part: TextAttachment) -> bool:
    # RFC 5546 section 3.2.3; METHOD as a parameter and METHOD as a property must agree (RFC 6047 section 2.4)
    if part.content_type != "text/calendar":
        return False
    said = _METHOD.search(_FOLD.sub("", part.text[:_SHOWN_BYTES]))
    return {part.method, said.group(1).lower() if said else ""} - {""} == {"reply"}


def calendar_because(incoming: Incoming) -> str:
    calendars = [part for part in incoming.attachments if part.content_type == "text/calendar"]
    answers = any(map(_is_calendar_reply, calendars)) or (calendars and _CALENDAR_SUBJECT.match(incoming.subject))
    return "a reply from a calendar" if answers else ""


def button_pressed(incoming: Incoming, lines: Sequence[str], top: Sequence[str]) -> Literal["reaction", "recall", ""]:
    """Return "reaction" or "recall" if a mail program wrote this mail because the sender pressed that button. Return ""
    if a person wrote it.

    A reaction in Gmail is a part that is not an attachment (developers.google.com/workspace/gmail/reactions/format). A
    reaction by RFC 9078 is a part with its own disposition; any other words in the mail were written by a person. A
    reaction in Outlook consists only of words, which look like an attribution if they are above our letter. `top` holds
    the first lines as they came.
    """
    parts = incoming.attachments
    if any(_is_gmail_reaction(part) for part in parts) or (not lines and len(parts) > len(incoming.files)):
        return "reaction"
    said = [line for line in lines if not (is_emoji(line) or _LINK_ALONE.fullmatch(line))]
    name = [line for line in said if not _REACTION.search(line)]
    if any(map(_REACTION.search, [*top, *said[-1:]])) and sum(map(len, name)) <= _LONGEST_NAME:
        return "reaction"
    if said and _RECALL.search(said[0]) and _QUOTED.search(said[0]):
        return "recall"
    return ""


def _is_gmail_reaction(part: TextAttachment) -> bool:
    if part.content_type != _GMAIL_REACTION or part.disposition == "attachment":
        return False
    try:
        said = json.loads(part.text)
        return bool(said["version"] == 1 and said["emoji"] and is_emoji(said["emoji"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def kept_elsewhere(incoming: Incoming, lines: Sequence[str]) -> bool:
    if any(map(_RIGHTS_MANAGED.match, incoming.unread)):
        return True
    page = incoming.html or ""
    return bool(_ELSEWHERE_LINK.search(page)) or any(
        _ELSEWHERE_LINK.search(line) or _ELSEWHERE.search(line) for line in lines
    )


def demands_confirmation(incoming: Incoming, lines: Sequence[str]) -> bool:
    return bool(_CHALLENGE_SUBJECT.match(incoming.subject)) or any(_CHALLENGE.search(line[:400]) for line in lines)


def automatic_text(lines: Sequence[str], subject: str = "") -> str:
    """Return why a robot must have written the sender's own lines, or "" if a person may have written one of them.

    Either the first lines say that somebody is away, or some line says that the mail is automatic. Every line must then
    be a sentence or a greeting, or come after a closing. If the subject says that the mail is automatic, it is enough
    that no line is an order.

    >>> bool(automatic_text(["Hello,", "I am out of the office until 4 December.", "Kind regards,", "Piter"]))
    True
    >>> automatic_text(["I am on vacation until Monday.", "pass all"])
    ''
    >>> automatic_text(["I am on vacation until Monday, so pass all."])
    ''
    """
    if any(holds_order(line) for line in lines):
        return ""
    if _subject_says(subject) != "nothing":
        return f"an automatic answer, by its subject: {subject[:60]}"
    said = next((line for line in lines if _SAYS_AUTOMATIC.search(line[:400])), "")
    said = said or next((line for line in lines[:_GREETED_LINES] if _SAYS_AWAY.search(line[:400])), "")
    said = said or next((line for line in lines if _CHALLENGE.search(line[:400])), "")
    if not said:
        return ""
    flows = False
    for line in lines:
        if is_closing(line):
            break
        foreign = any(character > "\u024f" for character in line)
        prose = flows or foreign or _ENDS_AS_PROSE.search(line) or len(line) >= _PROSE_COLUMNS
        if not prose and line is not said:
            return ""
        flows = len(line) >= _PROSE_COLUMNS and not _ENDS_AS_PROSE.search(line)
    return f"it says so itself: {said[:60]}"


def receipt_because(lines: Sequence[str], *, marked: bool) -> str:
    # People also write "We received your message", but not with a help desk's words, and not as their only words.
    received = next(filter(None, map(_RECEIVED.search, lines)), None)
    found = received or next(filter(None, map(_THANKED.search, lines)), None)
    if not found:
        return ""
    others = [line for line in lines if line != found.string and len(line) > _LONGEST_GREETING]
    rest = found.string[found.end() :]
    alone = received and not others and len(rest) < _LONGEST_GREETING and "," not in rest
    if marked or alone or any(map(_HELP_DESK.search, lines)):
        return f"a receipt: {found.string[:60]}"
    return ""


def holds_order(line: str) -> bool:
    line = line[:400]
    whole = line.strip().rstrip(".!")
    if _ORDER_ALONE.fullmatch(whole) or _ORDER.fullmatch(whole):
        return True
    return any(_ORDER.fullmatch(clause.strip().rstrip(".!")) for clause in _CLAUSE_ENDS.split(line))


SHORTEST_REPETITION = 30  # letters
LONGEST_COMPARED = 100_000  # bytes of a mail
REPEATED_WITHIN = timedelta(days=1)


def says_again(lines: Sequence[str], earlier: Iterable[bytes], address: str) -> bool:
    said = _letters(lines)
    mails = earlier if len(said) >= SHORTEST_REPETITION else ()
    short = (raw for raw in mails if 0 < len(raw) <= LONGEST_COMPARED)
    return any(_letters(examine(raw, address, lambda _: None).reading.lines) == said for raw in short)


def _letters(lines: Sequence[str]) -> str:
    return "".join(filter(str.isalpha, "".join(lines).casefold()))


SECONDS_TO_THE_NEXT = 1.0
"""The number of seconds until the next interruption, if some code caught the first."""


class TimeLimitExceeded(Exception):
    pass


class _Interrupted(BaseException):
    """Derived from BaseException so that handlers that catch every `Exception` do not catch it."""


@contextmanager
def at_most(seconds: float, what: str) -> Iterator[None]:
    """Limit the block's running time. If it takes longer, raise TimeLimitExceeded, which names `what`.

    Python can interrupt only the main thread, so there is no limit in other threads.

    >>> with at_most(20, "counting"):
    ...     sum(range(1000))
    499500
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    armed = True

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if armed:
            raise _Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, SECONDS_TO_THE_NEXT)
        try:
            yield
        finally:
            armed = False
    except _Interrupted:
        raise TimeLimitExceeded(f"{what} took longer than {seconds:g} seconds") from None
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
