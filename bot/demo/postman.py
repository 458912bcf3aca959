"""The post without servers: what waits in the outbox is taken for sent."""

from __future__ import annotations

from datetime import datetime

from bot.store import mail
from bot.store.database import Engine, reading, writing


def sent_letters(engine: Engine, now: datetime) -> dict[str, list[bytes]]:
    """Empty the outbox: the letters by recipient, as they would be sent."""
    letters: dict[str, list[bytes]] = {}
    while True:
        with reading(engine) as conn:
            due = mail.to_send(conn, now)
        if not due:
            return letters
        with writing(engine) as conn:
            mail.sent(conn, [waiting.id for waiting in due], now)
        for waiting in due:
            letters.setdefault(waiting.letter.recipient, []).append(waiting.letter.content)
