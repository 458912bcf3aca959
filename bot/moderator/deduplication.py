"""By what a mail is known when it comes again (``bot.store.mail.seen``): made from what was read in it.

Its path through the world (Received, Delivered-To) is none of it. To whom it was written and which letter it answers
is: the same words may be meant for two games, or twice for one.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from bot.mail.disposition import Examined
from bot.store import mail
from bot.store.mail import Marks


def marks_of(seen: Examined, raw: bytes, key: str) -> Marks:
    """The marks of a mail whose place in the mailbox is ``key``."""
    digest, incoming = mail.digest(raw), seen.incoming
    if incoming is None:
        return Marks(key, digest)
    to = " ".join(sorted(seen.tokens))
    said = [to, incoming.subject, *incoming.in_reply_to]
    said += (f"{part.token} {part.form} {line}" for part in seen.reading.sections for line in part.lines)
    by_a_person = seen.verdict.disposition in ("orders", "empty")
    content = hashlib.sha256("\n".join(said).encode("utf-8", "replace")).hexdigest() if by_a_person else digest
    written = f"{incoming.date.isoformat()} {to if by_a_person else 'by a program'}" if incoming.date else ""
    return Marks(key, digest, incoming.message_id or "", incoming.sender, content, written)


def marks_of_proved(seen: Examined, marks: Marks) -> Marks:
    """The marks of a mail whose sender must be proved. Somebody else who has got it could send it once more with what
    its signature does not cover changed (RFC 6376 section 8.6): it is the same mail then, whatever it is called and
    for whichever seat it came."""
    incoming = seen.incoming
    if incoming is None or incoming.date is None:
        return marks
    said = [incoming.subject, *(line for part in seen.reading.sections for line in part.lines)]
    content = hashlib.sha256("\n".join(said).encode("utf-8", "replace")).hexdigest()
    return replace(marks, content=content, written=f"{incoming.date.isoformat()}{mail.PROVED}")
