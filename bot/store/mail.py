"""Mail in the database: every message as it came, and the outbox.

A message is known by the mailbox's key for it (mailbox, UIDVALIDITY, UID) and by its content; either keeps it from
being taken twice. A letter is written in the transaction that caused it and sent afterwards, always with the same
Message-ID, until a server has taken it or has refused it for good.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, func, insert, or_, select, update

from bot.store.games import stamp
from bot.store.tables import FORM, LETTER, MESSAGE
from rules.components import Faction

GIVE_UP_AFTER = 40  # tries: with the pauses of ``later``, about four days


@dataclass(frozen=True, slots=True)
class Message:
    """A mail as it came and what was made of it. ``key`` names it in its mailbox, ``digest`` is the SHA-256 of its
    bytes."""

    key: str
    digest: str
    message_id: str
    sender: str
    subject: str
    disposition: str
    reason: str
    raw: bytes
    game_id: str | None = None
    faction: Faction | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail to be sent. ``content`` is the whole message."""

    message_id: str
    envelope_from: str
    recipient: str
    subject: str
    content: bytes
    game_id: str | None = None
    faction: Faction | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A letter in the outbox that is due to be tried. ``tries`` counts earlier attempts."""

    id: int
    tries: int
    letter: Letter


def digest(raw: bytes) -> str:
    """What names a message by its content: the SHA-256 of its bytes."""
    return hashlib.sha256(raw).hexdigest()


def seen(conn: Connection, key: str, digest: str, message_id: str, sender: str) -> bool:
    """Whether this message was taken before: the same place in the mailbox, the same bytes, or the same Message-ID
    from the same sender (a copy that came another way)."""
    same = [MESSAGE.c.key == key, MESSAGE.c.digest == digest]
    if message_id:
        same.append((MESSAGE.c.message_id == message_id) & (MESSAGE.c.sender == sender))
    return conn.execute(select(MESSAGE.c.id).where(or_(*same)).limit(1)).first() is not None


def keep(conn: Connection, message: Message, now: datetime) -> int:
    """Store a message as it came; its number here."""
    row = {
        "key": message.key, "digest": message.digest, "message_id": message.message_id, "sender": message.sender,
        "subject": message.subject, "received_at": stamp(now), "disposition": message.disposition,
        "reason": message.reason, "game_id": message.game_id, "faction": message.faction, "raw": message.raw,
    }  # fmt: skip
    number = conn.execute(insert(MESSAGE), row).lastrowid
    assert number is not None  # SQLite numbers every row
    return number


def answered_since(conn: Connection, game_id: str, faction: Faction, since: datetime) -> int:
    """How many messages of this seat were read since then; the limit of answers an hour counts them."""
    return int(
        conn.execute(
            select(func.count()).where(
                MESSAGE.c.game_id == game_id, MESSAGE.c.faction == faction, MESSAGE.c.received_at > stamp(since)
            )
        ).scalar_one()
    )


def post(conn: Connection, letter: Letter, now: datetime) -> None:
    """Put a letter into the outbox."""
    at = stamp(now)
    conn.execute(
        insert(LETTER),
        {
            "message_id": letter.message_id, "game_id": letter.game_id, "faction": letter.faction,
            "envelope_from": letter.envelope_from, "recipient": letter.recipient, "subject": letter.subject,
            "content": letter.content, "created_at": at, "next_try_at": at, "tries": 0, "error": "",
        },
    )  # fmt: skip


def post_once(conn: Connection, letter: Letter, now: datetime) -> None:
    """Put a letter into the outbox unless one with its Message-ID was ever there."""
    if conn.execute(select(LETTER.c.id).where(LETTER.c.message_id == letter.message_id)).first() is None:
        post(conn, letter, now)


def to_send(conn: Connection, now: datetime, most: int = 50) -> list[Waiting]:
    """The letters whose turn to be tried has come, oldest first."""
    due = select(LETTER).where(LETTER.c.next_try_at <= stamp(now)).order_by(LETTER.c.id).limit(most)
    return [
        Waiting(
            row.id, row.tries,
            Letter(
                row.message_id, row.envelope_from, row.recipient, row.subject, row.content, row.game_id, row.faction
            ),
        )
        for row in conn.execute(due)
    ]  # fmt: skip


def sent(conn: Connection, numbers: list[int], now: datetime) -> None:
    """A server has taken these letters."""
    conn.execute(update(LETTER).where(LETTER.c.id.in_(numbers)).values(sent_at=stamp(now), next_try_at=None, error=""))


def later(conn: Connection, letter: Waiting, now: datetime, error: str) -> bool:
    """It could not be sent: try again after a growing pause, from a minute to three hours. False when it is given
    up."""
    tries = letter.tries + 1
    pause = timedelta(minutes=min(2 ** (tries - 1), 180))
    again = None if tries >= GIVE_UP_AFTER else stamp(now + pause)
    conn.execute(update(LETTER).where(LETTER.c.id == letter.id).values(tries=tries, next_try_at=again, error=error))
    return again is not None


def refused(conn: Connection, letter: Waiting, error: str) -> None:
    """A server has refused it for good; it is not tried again."""
    conn.execute(
        update(LETTER).where(LETTER.c.id == letter.id).values(tries=letter.tries + 1, next_try_at=None, error=error)
    )


def unsent(conn: Connection) -> int:
    """How many letters wait to be sent."""
    return int(conn.execute(select(func.count()).where(LETTER.c.next_try_at.is_not(None))).scalar_one())


def keep_form(conn: Connection, code: str, game_id: str, faction: Faction, lines: list[str]) -> None:
    """Remember the lines of a form as it is sent."""
    conn.execute(insert(FORM), {"code": code, "game_id": game_id, "faction": faction, "lines": json.dumps(lines)})


def form_lines(conn: Connection, code: str) -> list[str] | None:
    """The lines of a form as it was sent; None if there was no such form."""
    row = conn.execute(select(FORM.c.lines).where(FORM.c.code == code)).one_or_none()
    return None if row is None else list(json.loads(row.lines))
