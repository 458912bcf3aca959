"""Bounces: whose mail did not arrive, and for good or for now.

A delivery status notification (RFC 3464) says so itself, one block of fields a recipient; everything older or stranger
is shown to flufl.bounce, which knows the reports of many servers. It raises on some broken headers, so it is asked
under guard and only about mails that already look like bounces.
"""

from __future__ import annotations

import contextlib
import logging
import re
from dataclasses import dataclass
from email.message import Message

from flufl.bounce import all_failures

from bot.mail import headers
from bot.mail.message import MAX_BYTES, Incoming, tree
from bot.mail.phrases import any_of

logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)  # it logs a trace for each detector that a mail breaks

_SHOWN_BYTES = 200_000
"""How much of a report in free words is searched for addresses."""

_STATUS = re.compile(r"\b([245])\.\d{1,3}\.\d{1,3}\b")
_FROM_A_SERVER = re.compile(
    r"^(?:mailer-daemon|postmaster|postmast|mail-daemon|maildaemon|daemon|microsoftexchange[0-9a-f]*|bounces?|mdaemon|"
    r"delivery-?(?:failure|report|system)?)(?:[+@])",
    re.IGNORECASE,
)
_SUBJECT = re.compile(rf"^(?:\[?(?:postmaster|mail server|auto)\]?:? )?{any_of('bounces', 'subjects')}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bounce:
    """A mail that reports another one as not delivered.

    `permanent` is False for a delay or a full mailbox (4.x.x), True for a refusal (5.x.x), None when it does not say.
    """

    recipients: tuple[str, ...]
    permanent: bool | None
    status: str = ""


def looks_like_bounce(incoming: Incoming) -> bool:
    """Whether a mail is to be read as a bounce: by its type, its sender, or an empty return path."""
    if _is_delivery_report(incoming):
        return True
    if _is_other_report(incoming):
        return False
    from_a_server = any(_FROM_A_SERVER.match(address) for address in incoming.senders)
    null_path = incoming.header("return-path").strip() == "<>"
    if "x-failed-recipients" in incoming.headers:
        return True
    if from_a_server:
        return null_path or bool(_SUBJECT.match(incoming.subject)) or _answers_itself(incoming)
    return null_path and (bool(_SUBJECT.match(incoming.subject)) or not _answers_itself(incoming))


def read_bounce(raw: bytes, incoming: Incoming) -> Bounce:
    """What a bounce says. Never raises; recipients are empty when nothing in it can be understood."""
    failed = [a for value in incoming.headers.get("x-failed-recipients", ()) for a in headers.addresses(value)]
    try:
        message = tree(raw[:MAX_BYTES])
        status = _status_fields(message)
    except Exception:  # the bytes are a stranger's
        return Bounce(tuple(failed), None)
    codes = [code for _, code in status if code]
    if codes:
        worst = max(codes)
        return Bounce(tuple(dict.fromkeys(address for address, _ in status)), worst.startswith("5"), worst)
    for_now: set[bytes] = set()
    for_good: set[bytes] = set()
    with contextlib.suppress(Exception):  # flufl.bounce raises on an empty From and on undecodable headers
        temporary, permanent = all_failures(tree(raw[:_SHOWN_BYTES]) if len(raw) > _SHOWN_BYTES else message)
        for_now, for_good = set(temporary), set(permanent)
    guessed = sorted(address.decode("ascii", "replace").lower() for address in for_now | for_good)
    recipients = [address for address, _ in status] or failed or guessed
    return Bounce(tuple(dict.fromkeys(recipients)), bool(for_good) if guessed else None)


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


def _status_fields(message: Message) -> list[tuple[str, str]]:
    """(recipient, status code) of each recipient block of the delivery status part."""
    found = []
    for part in message.walk():
        if part.get_content_type() not in ("message/delivery-status", "message/global-delivery-status"):
            continue
        blocks = part.get_payload()
        for block in blocks if isinstance(blocks, list) else []:
            if not isinstance(block, Message):
                continue
            recipient = str(block.get("original-recipient") or block.get("final-recipient") or "")
            action = str(block.get("action", "")).strip().lower()
            code = _STATUS.search(str(block.get("status", "")))
            for address in headers.addresses(recipient)[:1]:
                if action not in ("delivered", "relayed", "expanded"):
                    found.append((address, code.group() if code else ""))
    return found
