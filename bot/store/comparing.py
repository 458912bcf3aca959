"""What two databases must have alike where the same was done to them: each game, part by part, as digests."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from sqlalchemy import ColumnElement, Connection, func, select, update
from sqlalchemy import Table as SqlTable

from bot.store.tables import DEADLINE, ENTRY, EVENT, GAME, LETTER, MESSAGE, RECORD_PART, SEAT, SHEET, SNAPSHOT

_PARTS: Mapping[str, tuple[SqlTable, frozenset[str]]] = {
    "log": (ENTRY, frozenset({"message_id"})),
    "events": (EVENT, frozenset()),
    "record": (RECORD_PART, frozenset()),
    "snapshots": (SNAPSHOT, frozenset()),
    "deadlines": (DEADLINE, frozenset()),
    "sheets": (SHEET, frozenset()),
    "seats": (SEAT, frozenset()),
}
"""By name: the rows of a game, and the columns that number rows of other tables."""


def digests(conn: Connection, game_id: str) -> dict[str, str]:
    """Of each part of a game the SHA-256 of its rows.

    >>> digests(conn, "sietch-12")["events"][:8]  # doctest: +SKIP
    '0b5f1d3c'
    """
    return {name: _digest(conn, table, game_id, without) for name, (table, without) in _PARTS.items()}


def _digest(conn: Connection, table: SqlTable, game_id: str, without: frozenset[str]) -> str:
    columns: list[ColumnElement[object]] = [column for column in table.c if column.name not in without]
    rows = conn.execute(select(*columns).where(table.c.game_id == game_id)).all()
    return hashlib.sha256("\n".join(sorted(repr(tuple(row)) for row in rows)).encode()).hexdigest()


def taken_twice(conn: Connection) -> int:
    """How many mails were taken although another with the same bytes was."""
    taken = MESSAGE.c.disposition == "orders"
    twice = select(MESSAGE.c.digest).where(taken).group_by(MESSAGE.c.digest).having(func.count() > 1)
    return len(conn.execute(twice).all())


def unsent(conn: Connection) -> int:
    """How many letters have not gone out."""
    return int(conn.execute(select(func.count()).where(LETTER.c.next_try_at.is_not(None))).scalar_one())


def given_up(conn: Connection) -> int:
    """How many letters never went out and never will."""
    lost = (LETTER.c.next_try_at.is_(None), LETTER.c.sent_at.is_(None))
    return int(conn.execute(select(func.count()).where(*lost)).scalar_one())


def any_game(conn: Connection) -> bool:
    """Whether there is any game."""
    return conn.execute(select(GAME.c.id).limit(1)).first() is not None


def not_over(conn: Connection) -> int:
    """How many games have not ended."""
    return int(conn.execute(select(func.count()).where(GAME.c.status != "over")).scalar_one())


def hide_words_alike(conn: Connection) -> None:
    """Give every game the key that follows from its name, which hides words in its record; it is random otherwise."""
    for (game_id,) in conn.execute(select(GAME.c.id)).all():
        key = hashlib.sha256(f"key of {game_id}".encode()).digest()
        conn.execute(update(GAME).where(GAME.c.id == game_id).values(record_key=key))
