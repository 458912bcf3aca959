"""The deduplication keys of a message: by which of its properties a second copy of it is known
(``bot.store.mail.seen``).

They are made from what was read in it. Delivery headers (Received, Delivered-To) are left out, so that a second copy
has the same keys (RFC 5321, 4.4). To whom it was written and which letter it answers are part of them: the same words
may be meant for two games, or twice for one.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from bot.mail.disposition import Examined
from bot.store import mail
from bot.store.mail import DeduplicationKeys


def keys_of(seen: Examined, raw: bytes, key: str) -> DeduplicationKeys:
    """The keys of a message whose place in the mailbox is ``key``."""
    digest, incoming = mail.digest(raw), seen.incoming
    if incoming is None:
        return DeduplicationKeys(key, digest)
    to = " ".join(sorted(seen.tokens))
    said = [to, incoming.subject, *incoming.in_reply_to]
    said += (f"{part.token} {part.form} {line}" for part in seen.reading.sections for line in part.lines)
    by_a_person = seen.verdict.disposition in ("orders", "empty")
    content = hashlib.sha256("\n".join(said).encode("utf-8", "replace")).hexdigest() if by_a_person else digest
    written = f"{incoming.date.isoformat()} {to if by_a_person else 'by a program'}" if incoming.date else ""
    return DeduplicationKeys(key, digest, incoming.message_id or "", incoming.sender, content, written)


def keys_of_proved(seen: Examined, keys: DeduplicationKeys) -> DeduplicationKeys:
    """The keys of a message whose sender must be proved. Somebody else who has got it could send it once more with what
    its signature does not cover changed (RFC 6376 section 8.6): it is the same mail then, whatever it is called and
    for whichever seat it came."""
    incoming = seen.incoming
    if incoming is None or incoming.date is None:
        return keys
    said = [incoming.subject, *(line for part in seen.reading.sections for line in part.lines)]
    content = hashlib.sha256("\n".join(said).encode("utf-8", "replace")).hexdigest()
    return replace(keys, content=content, written=f"{incoming.date.isoformat()}{mail.PROVED}")
