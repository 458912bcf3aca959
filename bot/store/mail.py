"""Mail in the database: every message as it came, and the outbox.

A message is known by the mailbox's key for it (mailbox, UIDVALIDITY, UID) and by its content; either keeps it from
being taken twice. A letter is written in the transaction that caused it and sent afterwards, always with the same
Message-ID, until a server has taken it or has refused it for good.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, cast

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, or_, select, update

from bot.store.tables import FORM, LETTER, MESSAGE, stamp
from rules.components import Faction, as_faction

Disposition = Literal["orders", "auto-reply", "bounce", "rejected", "empty", "duplicate", "fault", "unsubscribe"]
PUT_ASIDE: tuple[Disposition, ...] = ("rejected", "fault")
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
    disposition: Disposition
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
class Form:
    """The form of a letter: its one-time code and its lines."""

    code: str
    game_id: str
    faction: Faction
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A letter in the outbox that is due to be tried. ``tries`` counts earlier attempts."""

    id: int
    tries: int
    letter: Letter


def digest(raw: bytes) -> str:
    """What names a message by its content: the SHA-256 of its bytes."""
    return hashlib.sha256(raw).hexdigest()


def seen(conn: Connection, key: str, digest: str, message_id: str, sender: str) -> Disposition | None:
    """What became of this message when it came before, or None: the same place in the mailbox, the same bytes, or the
    same Message-ID from the same sender (a copy that came another way).

    One that was put aside then may be offered again from another place: the game master has mended what was wrong.
    """
    row = conn.execute(
        _SEEN, {"key": key, "digest": digest, "message_id": message_id, "sender": sender}
    ).one_or_none()  # fmt: skip
    return None if row is None else cast(Disposition, row.disposition)


_SEEN = (
    select(MESSAGE.c.disposition)
    .where(
        (MESSAGE.c.key == bindparam("key"))
        | (MESSAGE.c.digest == bindparam("digest")) & MESSAGE.c.disposition.not_in(PUT_ASIDE)
        | (MESSAGE.c.message_id == bindparam("message_id"))
        & (MESSAGE.c.message_id != "")
        & (MESSAGE.c.sender == bindparam("sender"))
        & MESSAGE.c.disposition.not_in(PUT_ASIDE)
    )
    .limit(1)
)
"""The statements of every message are made once; SQLAlchemy takes four times as long to make one as to run it."""


def keep(conn: Connection, message: Message, now: datetime) -> int:
    """Store a message as it came; its number here."""
    row = {
        "key": message.key, "digest": message.digest, "message_id": message.message_id, "sender": message.sender,
        "subject": message.subject, "received_at": stamp(now), "disposition": message.disposition,
        "reason": message.reason, "game_id": message.game_id, "faction": message.faction, "raw": message.raw,
    }  # fmt: skip
    number = conn.execute(_KEEP, row).lastrowid
    assert number is not None  # SQLite numbers every row
    return number


_KEEP = insert(MESSAGE)


def put_aside_since(conn: Connection, game_id: str, faction: Faction, reason: str, since: datetime) -> int:
    """How many messages of this seat were put aside for this reason since then."""
    return _count(
        conn, MESSAGE.c.game_id == game_id, MESSAGE.c.faction == faction, MESSAGE.c.received_at > stamp(since),
        MESSAGE.c.reason == reason,
    )  # fmt: skip


def automatic_since(conn: Connection, game_id: str, faction: Faction, since: datetime) -> int:
    """How many automatic answers have come for this seat since then."""
    return _count(
        conn, MESSAGE.c.game_id == game_id, MESSAGE.c.faction == faction, MESSAGE.c.received_at > stamp(since),
        MESSAGE.c.disposition == "auto-reply",
    )  # fmt: skip


def notices_since(conn: Connection, recipient: str, since: datetime) -> int:
    """How many letters about no game were written to this address since then."""
    return _count(conn, LETTER.c.game_id.is_(None), LETTER.c.recipient == recipient, LETTER.c.created_at > stamp(since))


def _count(conn: Connection, *where: ColumnElement[bool]) -> int:
    return int(conn.execute(select(func.count()).where(*where)).scalar_one())


def post(conn: Connection, letters: Sequence[Letter], now: datetime) -> None:
    """Put letters into the outbox, in their order."""
    at = stamp(now)
    if letters:
        conn.execute(
            _POST,
            [
                {
                    "message_id": letter.message_id, "game_id": letter.game_id, "faction": letter.faction,
                    "envelope_from": letter.envelope_from, "recipient": letter.recipient, "subject": letter.subject,
                    "content": letter.content, "created_at": at, "next_try_at": at, "tries": 0, "error": "",
                }
                for letter in letters
            ],
        )  # fmt: skip


_POST = insert(LETTER)


def post_once(conn: Connection, letter: Letter, now: datetime) -> None:
    """Put a letter into the outbox unless one with its Message-ID was ever there."""
    if conn.execute(select(LETTER.c.id).where(LETTER.c.message_id == letter.message_id)).first() is None:
        post(conn, [letter], now)


def to_send(conn: Connection, now: datetime, most: int = 50) -> list[Waiting]:
    """The letters whose turn to be tried has come, oldest first. One that was never tried is due at once, also if it
    was written at an instant to come (``mentat tick --now``)."""
    come = or_(LETTER.c.next_try_at <= stamp(now), LETTER.c.next_try_at.is_not(None) & (LETTER.c.tries == 0))
    due = select(LETTER).where(come).order_by(LETTER.c.id).limit(most)
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


def send_again(conn: Connection, game_id: str, faction: Faction, address: str, now: datetime, most: int) -> int:
    """Put the letters to a seat that were written since its player last wrote into the outbox again, the newest so
    many of them; how many. Those to other addresses (of a player before him) stay where they are."""
    own = (LETTER.c.game_id == game_id, LETTER.c.faction == faction, LETTER.c.recipient == address)
    heard = select(func.max(MESSAGE.c.received_at)).where(
        MESSAGE.c.game_id == game_id, MESSAGE.c.faction == faction, MESSAGE.c.disposition.in_(("orders", "empty"))
    )
    since = conn.execute(heard).scalar_one() or ""
    missed = (
        select(LETTER.c.id)
        .where(*own, LETTER.c.created_at >= since, LETTER.c.content != b"")
        .order_by(LETTER.c.id.desc())
        .limit(most)
    )
    numbers = list(conn.scalars(missed))
    again = {"sent_at": None, "next_try_at": stamp(now), "tries": 0, "error": ""}
    conn.execute(update(LETTER).where(LETTER.c.id.in_(numbers)).values(again))
    return len(numbers)


def keep_forms(conn: Connection, forms: Sequence[Form]) -> None:
    """Remember the lines of forms as they are sent."""
    if forms:
        rows = [
            {"code": f.code, "game_id": f.game_id, "faction": f.faction, "lines": json.dumps(f.lines)} for f in forms
        ]
        conn.execute(_KEEP_FORM, rows)


_KEEP_FORM = insert(FORM)


def form(conn: Connection, code: str) -> Form | None:
    """The form that was sent under a code, and to whom."""
    row = conn.execute(select(FORM).where(FORM.c.code == code)).one_or_none()
    return Form(row.code, row.game_id, as_faction(row.faction), json.loads(row.lines)) if row else None


def rejected_since(conn: Connection, sender: str, since: datetime) -> int:
    """How many mails of one sender were put aside since then."""
    mine = (MESSAGE.c.sender == sender, MESSAGE.c.disposition == "rejected")
    return _count(conn, *mine, MESSAGE.c.received_at > stamp(since))


def form_lines(conn: Connection, code: str) -> list[str] | None:
    """The lines of a form as it was sent; None if there was no such form."""
    row = conn.execute(select(FORM.c.lines).where(FORM.c.code == code)).one_or_none()
    return None if row is None else list(json.loads(row.lines))
