"""Messages that wait in the mailbox because their sender cannot be proved just now (RFC 6376 section 3.9, TEMPFAIL).

Each has a row as others have, with a disposition of its own, which goes when the message is dealt with. Until then
those behind it from the same address wait too, so that a later word does not come before an earlier one.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, select

from bot.store import mail
from bot.store.mail import NEWEST, DeduplicationKeys, Message
from bot.store.persons import SeatName
from bot.store.tables import MESSAGE

_WAITS = MESSAGE.c.disposition == "waiting"


def since(conn: Connection, keys: DeduplicationKeys) -> datetime | None:
    """Since when a message waits; None if it does not."""
    return conn.scalars(select(MESSAGE.c.received_at).where(_WAITS, MESSAGE.c.digest == keys.digest)).first()


def wait(
    conn: Connection, keys: DeduplicationKeys, reason: str, seat: SeatName | None, raw: bytes, now: datetime
) -> None:
    """Let a message wait, if it does not yet; its game waits with it."""
    if since(conn, keys) is None:
        game_id, faction = seat or (None, None)
        mail.keep(conn, Message(keys, "", "waiting", reason, raw, game_id, faction), now)


def is_behind(conn: Connection, keys: DeduplicationKeys, after: datetime) -> bool:
    """Whether another message of the same sender waits that began to do so after an instant."""
    others = (MESSAGE.c.sender == keys.sender, MESSAGE.c.digest != keys.digest)
    earlier = select(MESSAGE.c.id).where(NEWEST, _WAITS, *others, MESSAGE.c.received_at > after)
    own = select(MESSAGE.c.id).where(_WAITS, MESSAGE.c.digest == keys.digest)
    first = conn.execute(own).scalars().first()
    if first is not None:
        earlier = earlier.where(MESSAGE.c.id < first)
    return conn.execute(earlier.limit(1)).first() is not None


def ends(conn: Connection, keys: DeduplicationKeys) -> None:
    """A message is dealt with now."""
    conn.execute(delete(MESSAGE).where(_WAITS, MESSAGE.c.digest == keys.digest))


def games_that_wait(conn: Connection, after: datetime) -> set[str]:
    """The games for which a message waits that began to do so after an instant."""
    found = select(MESSAGE.c.game_id).where(NEWEST, _WAITS, MESSAGE.c.received_at > after)
    return {game_id for game_id in conn.scalars(found) if game_id}
