"""The mails that Mentat sends to itself, as letters in the outbox: one stands there until it has come back."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from bot.store.tables import LETTER

_ANY = LETTER.c.message_id.startswith("<canary.", autoescape=True)


def waits_to_go_out(conn: Connection) -> bool:
    """Whether one was written and has not been sent yet."""
    return conn.execute(select(LETTER.c.id).where(_ANY, LETTER.c.next_try_at.is_not(None)).limit(1)).first() is not None


def forget(conn: Connection) -> None:
    """None is waited for any more."""
    conn.execute(delete(LETTER).where(_ANY))


def came_back(conn: Connection, message_id: str) -> bool:
    """One came back: it is forgotten with those that were written before it. False if there is none of this Message-ID,
    as in a mail that somebody made up."""
    number = conn.execute(select(LETTER.c.id).where(_ANY, LETTER.c.message_id == message_id)).scalar_one_or_none()
    if number is None:
        return False
    conn.execute(delete(LETTER).where(_ANY, LETTER.c.id <= number))
    return True
