"""Bounces: whose mail did not arrive, and for good or for now.

A delivery status notification (RFC 3464) says so itself, one block of fields a recipient; everything older or stranger
is shown to flufl.bounce, which knows the reports of many servers, and what that does not understand is read as a person
would (`bounce_words`). flufl.bounce raises on some broken headers, so it is asked under guard and only about mails that
already look like bounces.
"""

from __future__ import annotations

import contextlib
import logging
import re
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser

from bot.mail.mime import headers
from bot.mail.mime.message import Incoming
from bot.mail.mime.transfer import content
from bot.mail.mime.weighing import MAX_BYTES, tree
from bot.mail.phrases import any_of, rows
from bot.mail.robots.bounce_words import bounce_words

logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)  # it logs a trace for each detector that a mail breaks

_SHOWN_BYTES = 200_000
"""How much of a report in free words is searched for addresses."""
_SHOWN_COLUMNS = 300
"""How much of each of its lines: the patterns of flufl.bounce are quadratic in some, and reports are for people."""

_STATUS = re.compile(r"\b([245])\.\d{1,3}\.\d{1,3}\b")
_STATUS_TYPES = ("message/delivery-status", "message/global-delivery-status")
_MOST_RECIPIENTS = 100
_UNICODE_ESCAPE = re.compile(r"\\x\{([0-9A-Fa-f]{1,6})\}")
_ARRIVED = ("delivered", "relayed", "expanded")
_FROM_A_SERVER = re.compile(
    r"^(?:mailer-daemon|postmaster|postmast|mail-daemon|maildaemon|daemon|microsoftexchange[0-9a-f]*|bounces?|mdaemon|"
    r"delivery-?(?:failure|report|system)?)(?:[+@])",
    re.IGNORECASE,
)
_SUBJECT = rows(
    lambda: rf"^(?:\[?(?:postmaster|mail server|auto)\]?:? )?{any_of('bounces', 'subjects')}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Bounce:
    """A mail that reports another one as not delivered.

    `permanent` is False for a delay or a full mailbox (4.x.x), True for a refusal (5.x.x), None when it does not say.
    """

    recipients: tuple[str, ...]
    permanent: bool | None
    status: str = ""
    returned: tuple[str, ...] = ()
    """The reply tokens of the letters that it returns."""


def looks_like_bounce(incoming: Incoming, own_address: str) -> bool:
    """Whether a mail is to be read as a bounce: by its type, its sender, or an empty return path. A program that
    answers for a person has that path too (RFC 3834 section 3.3), but does not say that mail did not arrive."""
    if _is_delivery_report(incoming):
        return True
    if _is_other_report(incoming):
        return False
    from_a_server = any(_FROM_A_SERVER.match(address) for address in incoming.senders)
    if "x-failed-recipients" in incoming.headers:
        return True
    if from_a_server:
        return null_path(incoming) or bool(_SUBJECT.match(incoming.subject)) or _answers_itself(incoming)
    if not null_path(incoming):
        return False
    return bool(_SUBJECT.match(incoming.subject)) or bounce_words(incoming, own_address).fails


def null_path(incoming: Incoming) -> bool:
    """Nobody is to answer this mail (RFC 5321 section 4.5.5)."""
    return incoming.header("return-path").strip() == "<>"


def read_bounce(raw: bytes, incoming: Incoming, own_address: str) -> Bounce | None:
    """What a bounce says; None where it reports only mail that did arrive. Never raises; recipients are empty when
    nothing in it can be understood."""
    failed = [a for value in incoming.headers.get("x-failed-recipients", ()) for a in headers.addresses(value)]
    returned = tuple(returned_tokens(raw, own_address))
    try:
        message = tree(raw[:MAX_BYTES])
        reported = _reported(message)
    except Exception:  # the bytes are a stranger's
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
    from flufl.bounce import all_failures  # it compiles hundreds of patterns when it is loaded

    with contextlib.suppress(Exception):  # flufl.bounce raises on an empty From and on undecodable headers
        temporary, permanent = all_failures(tree(_shown(raw)))
        for_now, for_good = set(temporary), set(permanent)
    guessed = sorted(address.decode("ascii", "replace").lower() for address in for_now | for_good)
    words = bounce_words(incoming, own_address)
    recipients = addresses or failed or guessed or words.recipients
    for_ever = bool(for_good) if guessed else words.permanent
    return Bounce(tuple(dict.fromkeys(recipients)), for_ever, returned=returned)


def _shown(raw: bytes) -> bytes:
    return b"\n".join(row[:_SHOWN_COLUMNS] for row in raw[:_SHOWN_BYTES].split(b"\n"))


def returned_tokens(raw: bytes, address: str) -> list[str]:
    """The reply tokens in our own Message-IDs of what a bounce returns: for providers that deliver no plus address.

    >>> returned_tokens(b"Message-ID: <sietch-12.7.ypowzixiqjin3ijg@arrakis.example>", "mentat@arrakis.example")
    ['ypowzixiqjin3ijg']
    """
    own = rb"\bmessage-id:\s*<[^<>@\s]{1,120}\.([a-z2-7]{16})@" + re.escape(address.rpartition("@")[2].lower().encode())
    return list(dict.fromkeys(found.decode() for found in re.findall(own + b">", raw[:_SHOWN_BYTES].lower())))


def _is_delivery_report(incoming: Incoming) -> bool:
    return incoming.content_type == "multipart/report" and "delivery-status" in _report_type(incoming)


def _is_other_report(incoming: Incoming) -> bool:
    """A receipt (RFC 8098) or a feedback report: automatic, but nothing was lost."""
    return incoming.content_type == "multipart/report" and bool(_report_type(incoming))


def _report_type(incoming: Incoming) -> str:
    match = re.search(r"report-type\s*=\s*\"?([\w-]+)", incoming.header("content-type"), re.IGNORECASE)
    return match.group(1).lower() if match else ""


def _answers_itself(incoming: Incoming) -> bool:
    return bool(incoming.header("auto-submitted")) and incoming.header("auto-submitted").strip().lower() != "no"


def _reported(message: Message) -> list[tuple[str, str, str]]:
    """(recipient, action, status code) of each recipient block of the delivery status part (RFC 3464 section 2.3,
    RFC 6533 section 4)."""
    found = []
    for part in message.walk():
        if part.get_content_type() not in _STATUS_TYPES:
            continue
        for block in _blocks(part)[:_MOST_RECIPIENTS]:
            fields = {name.lower(): str(value).strip() for name, value in reversed(list(block.raw_items()))}
            recipient = fields.get("original-recipient") or fields.get("final-recipient") or ""
            action = (fields.get("action", "").lower().split() or [""])[0]
            code = _STATUS.search(fields.get("status", ""))
            address = headers.addresses(_UNICODE_ESCAPE.sub(_letter, recipient))[:1]
            if action or address:
                found.append((address[0] if address else "", action, code.group() if code else ""))
    return found


def _blocks(part: Message) -> list[Message]:
    """The blocks of fields of a delivery status part. The standard parser takes the newer of the two types to be one
    mail, whose text the blocks behind the first are, and both as if nothing encoded them."""
    payload = part.get_payload()
    parsed = [block for block in payload if isinstance(block, Message)] if isinstance(payload, list) else [part]
    first = [block for block in parsed if block.keys() and block is not part]
    texts = [text for block in parsed if isinstance(text := block.get_payload(decode=True), bytes)]
    rest = Message()
    rest["content-transfer-encoding"] = "8bit" if first else str(part.get("content-transfer-encoding", "8bit"))
    rest.set_payload(b"\n".join(texts).decode("ascii", "surrogateescape"))
    rows = content(rest, _SHOWN_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
    return first + [HeaderParser().parsestr(fields) for fields in re.split(r"\n[ \t]*\n", rows) if fields.strip()]


def _letter(escape: re.Match[str]) -> str:
    """A character of an address that is written in ASCII (RFC 6533 section 3)."""
    number = int(escape.group(1), 16)
    return chr(number) if 0x20 < number < 0xD800 or 0xDFFF < number < 0x110000 else ""
