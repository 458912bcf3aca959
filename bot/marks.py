"""By what a mail is known when it comes again (``bot.store.mail.seen``): made from what was read in it.

Its path through the world (Received, Delivered-To) is none of it. To whom it was written and which letter it answers
is: the same words may be meant for two games, or twice for one.
"""

from __future__ import annotations

import hashlib

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
