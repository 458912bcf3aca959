"""Whether another Mentat reads the same mailbox: mail lies among what was dealt with that this database does not know.

Two on one mailbox would each take some of a player's mails. It happens where a backup was put back and the old machine
goes on, or where a copy of the settings is tried out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from email.parser import BytesHeaderParser
from pathlib import Path

from bot.config import Settings
from bot.mail.servers.kept import Kept
from bot.mail.servers.mailbox import MailboxUnavailable
from bot.moderator.intake import digest_of_head
from bot.monitoring.finding import Finding
from bot.service.mail_servers import open_kept_mail
from bot.store import installation, mail
from bot.store.database import Connection, DatabaseUnavailable, open_database, reading

NEWEST = 20
"""So many of the newest messages are looked at."""


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at the newest mail that was dealt with, where the database is not held after a backup."""
    place = settings.database_place
    if isinstance(place, Path) and not place.exists():
        return
    try:
        kept = open_kept_mail(settings).newest(NEWEST)
        engine = open_database(place, direct=settings.database_direct)
    except (MailboxUnavailable, DatabaseUnavailable):
        return  # it was told before
    try:
        with reading(engine) as conn:
            own = installation.of(conn)
            if own.held_since:
                return
            strange = [message for message in kept if _is_unknown(conn, message, own.made_at)]
    finally:
        engine.dispose()
    if strange:
        came = max(message.arrived for message in strange)
        count = "a mail was" if len(strange) == 1 else f"{len(strange)} mails were"
        told = f"{count} dealt with that this database does not know, the last of {came:%Y-%m-%d %H:%M} UTC"
        advice = (
            "Another Mentat reads this mailbox, or did: stop one of them. If a backup was put back without "
            "`mentat restore`, do that."
        )
        yield Finding("mailbox: alone", "wrong", told, advice, {"unknown": len(strange)})
    elif kept:
        yield Finding("mailbox: alone", "well", "all mail that was dealt with is known here")


def _is_unknown(conn: Connection, message: Kept, since: datetime) -> bool:
    """Whether a message was dealt with elsewhere. Our own mail to ourselves is not kept, and a mail that came twice is
    kept once."""
    head = BytesHeaderParser().parsebytes(message.raw if message.raw is not None else message.head)
    identity = str(head.get("Message-ID", "")).strip().strip("<>")
    if message.arrived < since or not identity or "X-Mentat" in head:
        return False
    digest = mail.digest(message.raw) if message.raw is not None else digest_of_head(message.head, message.size)
    return not mail.is_known(conn, digest, identity)
