"""Mails that are part of a forum (``bot.identity.list_mail``): they are kept, and nobody is answered.

What a list's mails say is read when the forum is. A notification says nothing that is not in the forum itself, so its
head is enough.
"""

from __future__ import annotations

from datetime import datetime

from bot.identity.identification import Processed
from bot.identity.strangers import HEAD_BYTES
from bot.moderator.intake import Arrival, head_of
from bot.store import mail
from bot.store.database import Connection
from bot.store.forum import list_mail


def keep(conn: Connection, arrival: Arrival, now: datetime) -> Processed:
    """Keep a mail of a list for the forum, or the head of a forum's notification."""
    if arrival.from_list:
        verdict = Processed("forum", f"mail from {arrival.from_list}")
        raw = arrival.raw
    else:
        verdict = Processed("forum", f"notified by {arrival.tells_of}")
        raw = head_of(arrival.raw)[:HEAD_BYTES]
    incoming = arrival.seen.incoming
    subject = incoming.subject if incoming else ""
    number = mail.keep(conn, mail.Message(arrival.keys, subject, verdict.disposition, verdict.reason, raw), now)
    if arrival.from_list:
        list_mail.keep(conn, arrival.from_list, number, now)
    return verdict
