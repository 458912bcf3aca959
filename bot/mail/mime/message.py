"""A mail as it came, made into a plain value: `parse(raw)` gives an `Incoming`, or `Malformed` and why.

Nothing in a mail is trusted to be well-formed. The bytes are weighed before they are parsed (`weighing`); headers are
read raw by `headers`; the texts are taken out of the parts by `parts`. So `parse` returns for every input and never
raises. Which of the words are the player's own is decided in `bot.mail.words.reading`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.message import Message

from bot.mail.mime import headers
from bot.mail.mime.parts import TextAttachment, content_type_of, joined, texts_of
from bot.mail.mime.weighing import MAX_BYTES, objection, tree
from bot.mail.phrases import any_of, rows

RECIPIENT_FIELDS = (
    "to",
    "cc",
    "bcc",
    "delivered-to",
    "x-original-to",
    "envelope-to",
    "x-envelope-to",
    "x-forwarded-to",
    "apparently-to",
    "resent-to",
    "resent-cc",
)

_KEPT_FIELDS = (
    "authentication-results",
    "auto-submitted",
    "content-type",
    "delivered-to",
    "dkim-signature",
    "from",
    "list-id",
    "list-post",
    "mailing-list",
    "precedence",
    "preference",
    "reply-to",
    "return-path",
    "sender",
    "subject",
    "x-beenthere",
    "x-failed-recipients",
    "x-mentat",
    "x-post-messageclass",
    "x-precedence",
)

_FIELD_OF_A_PROGRAM = rows(lambda: any_of("automatic", "fields"))


@dataclass(frozen=True, slots=True)
class Incoming:
    """One mail, read. Addresses are in lower case, message ids without angle brackets, `date` in UTC."""

    message_id: str | None
    senders: tuple[str, ...]
    sender_name: str
    recipients: tuple[str, ...]
    subject: str
    date: datetime | None
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    headers: Mapping[str, tuple[str, ...]]
    content_type: str
    text_plain: str | None
    html: str | None
    flowed: bool = False
    """The plain text is `format=flowed` (RFC 3676)."""
    delsp: bool = False
    attachments: tuple[TextAttachment, ...] = ()
    unread: tuple[str, ...] = ()
    """Content types, with names, of the parts that are neither text nor a known envelope."""
    hops: int = 0
    """How many servers say that they passed the mail on."""

    @property
    def sender(self) -> str:
        """The one address of the From field; empty when there is none or more than one."""
        return self.senders[0] if len(self.senders) == 1 else ""

    def header(self, name: str) -> str:
        """The first field of that name (lower case), or an empty string."""
        return self.headers.get(name, ("",))[0]


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that are not read as a mail, and why."""

    reason: str


def parse(raw: bytes, max_bytes: int = MAX_BYTES) -> Incoming | Malformed:
    """Read a message. Never raises.

    >>> mail = parse(b"From: Baron <baron@example.org>\\r\\nSubject: bid\\r\\n\\r\\nbid 4\\r\\n")
    >>> mail.sender, mail.text_plain
    ('baron@example.org', 'bid 4\\n')
    """
    why = objection(raw, max_bytes)
    if why:
        return Malformed(why)
    try:
        return _incoming(tree(raw))
    except Exception as error:  # the promise of this module; the class of the error is told to the game master
        return Malformed(f"the message cannot be parsed ({type(error).__name__})")


def _incoming(message: Message) -> Incoming:
    fields = _fields(message)
    texts = texts_of(message)
    senders = [mailbox for value in fields.get("from", ()) for mailbox in headers.mailboxes(value)]
    recipients = [a for name in RECIPIENT_FIELDS for value in fields.get(name, ()) for a in _recipients(name, value)]
    own_id = _ids(fields, "message-id")
    subject = headers.decoded(fields.get("subject", ("",))[0])[:500]
    return Incoming(
        message_id=own_id[0] if own_id else None,
        senders=tuple(dict.fromkeys(address for _, address in senders)),
        sender_name=senders[0][0][:200] if senders else "",
        recipients=tuple(dict.fromkeys(recipients)),
        subject=subject,
        date=headers.date(fields["date"][0]) if "date" in fields else None,
        in_reply_to=_ids(fields, "in-reply-to"),
        references=_ids(fields, "references"),
        headers={
            name: tuple(headers.unfold(headers.repaired(value)) for value in values[:20])
            for name, values in fields.items()
            if name in _KEPT_FIELDS or "auto" in name or _is_of_a_program(name)
        },
        content_type=content_type_of(message),
        text_plain=joined(texts.plain) if texts.plain and not texts.html_alone else None,
        html=joined(texts.html) if texts.html else None,
        flowed=texts.flowed,
        delsp=texts.delsp,
        attachments=tuple(texts.attachments[:10]),
        unread=tuple(texts.unread[:10]),
        hops=len(fields.get("received", ())),
    )


def _is_of_a_program(name: str) -> bool:
    return name.startswith("x-discourse-") or bool(_FIELD_OF_A_PROGRAM.fullmatch(name))


def _fields(message: Message) -> dict[str, tuple[str, ...]]:
    """Raw values by lower-case field name, in order of appearance."""
    fields: dict[str, list[str]] = {}
    for name, value in message.raw_items():
        fields.setdefault(name.strip().lower(), []).append(str(value))
    return {name: tuple(values) for name, values in fields.items()}


def _recipients(name: str, value: str) -> list[str]:
    """The addresses in a field: not those in display names where people write it, all where servers do."""
    if name in ("to", "cc", "bcc", "resent-to", "resent-cc"):
        return [address for _, address in headers.mailboxes(value)]
    return headers.addresses(value)


def _ids(fields: Mapping[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
    return tuple(headers.message_ids(fields[name][0])) if name in fields else ()
