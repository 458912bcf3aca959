"""Functions that only the lab uses: they copy a game's mail, count rows, and compute digests for comparing two
databases.

If the same things happened in two databases, all games have the same digests in both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, insert, select, update
from sqlalchemy import Table as SqlTable

from bot.mail.identity import bounce_token, reply_token
from bot.store.mail import LETTER
from bot.store.rows import any_row, count_rows
from bot.store.tables import DEADLINE, ENTRY, EVENT, GAME, MESSAGE, RECORD_PART, SEAT, SHEET, SNAPSHOT


def copy_game(conn: Connection, of: str, names: Iterable[str], secret: bytes) -> None:
    names = list(names)
    for table in (GAME, SEAT, ENTRY, EVENT, SNAPSHOT, DEADLINE):
        column = "id" if table is GAME else "game_id"
        rows = [dict(row) for row in conn.execute(select(table).where(table.c[column] == of)).mappings()]
        if copies := [_renamed(row, column, name, secret) for name in names for row in rows]:
            conn.execute(insert(table), copies)


def add_history(conn: Connection, of: str, names: Sequence[str], times: int) -> tuple[int, int]:
    """Copy the mails and letters of a game ``times`` times, and assign these copies to the games ``names`` in turn. The
    copies are a year old, marked as sent or accepted, and have no content. Return how many mails and how many letters
    were added."""
    letters = [dict(row) for row in conn.execute(select(LETTER).where(LETTER.c.game_id == of)).mappings()]
    mails = [dict(row) for row in conn.execute(select(MESSAGE).where(MESSAGE.c.game_id == of)).mappings()]
    for number in range(times):
        name = names[number % len(names)]
        if letters:
            conn.execute(insert(LETTER), [_old_letter(row, name, number) for row in letters])
        if mails:
            conn.execute(insert(MESSAGE), [_old_mail(row, name, number) for row in mails])
    return times * len(mails), times * len(letters)


_OLD = timedelta(days=365)


def _old_letter(row: Mapping[str, Any], game_id: str, number: int) -> dict[str, Any]:
    then = row["created_at"] - _OLD
    return {
        **_unnumbered(row),
        "game_id": game_id,
        "message_id": f"old-{number}-{row['message_id']}",
        "content": b"",
        "pictures": "",
        "created_at": then,
        "sent_at": then,
        "next_try_at": None,
        "recipient": f"{number}.{row['recipient']}",
    }


def _old_mail(row: Mapping[str, Any], game_id: str, number: int) -> dict[str, Any]:
    keys = {name: f"old-{number}-{row[name]}" for name in ("key", "digest", "message_id", "content")}
    return {**_unnumbered(row), **keys, "game_id": game_id, "raw": b"", "received_at": row["received_at"] - _OLD}


def have_own_addresses(conn: Connection) -> None:
    conn.execute(update(SEAT).values(address=SEAT.c.game_id + "." + SEAT.c.address))


def _unnumbered(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "id"}


def let_end(conn: Connection, count: int) -> None:
    first = select(GAME.c.id).order_by(GAME.c.id).limit(count)
    conn.execute(update(GAME).where(GAME.c.id.in_(first)).values(status="over", archive="hidden full"))


def count_anew(conn: Connection) -> None:
    """Make a server analyze its tables now. By default, it does so only some time after many rows were inserted."""
    if conn.dialect.name == "postgresql":
        conn.exec_driver_sql("ANALYZE")


def _renamed(row: Mapping[str, Any], column: str, game_id: str, secret: bytes) -> dict[str, Any]:
    copy = {**row, column: game_id}
    if "token" in row:
        seat = (secret, game_id, row["faction"], row["generation"])
        copy["token"], copy["bounce_token"] = reply_token(*seat), bounce_token(*seat)
    if "message_id" in row:
        copy["message_id"] = None
    return copy


@dataclass(frozen=True, slots=True)
class Writer:
    game_id: str
    address: str
    token: str


def first_seats(conn: Connection) -> list[Writer]:
    rows = conn.execute(select(SEAT.c.game_id, SEAT.c.address, SEAT.c.token).order_by(SEAT.c.game_id, SEAT.c.dot))
    first: dict[str, Writer] = {}
    for row in rows:
        first.setdefault(row.game_id, Writer(row.game_id, row.address, row.token))
    return list(first.values())


def seats_asked(conn: Connection, like: str, count: int) -> list[Writer]:
    """Find the faction that has the only open question in the game ``like``, and return this faction's seats in
    ``count`` games."""
    asked = conn.execute(select(DEADLINE.c.faction).where(DEADLINE.c.game_id == like)).scalar_one()
    found = select(SEAT.c.game_id, SEAT.c.address, SEAT.c.token).where(SEAT.c.faction == asked)
    return [Writer(*row) for row in conn.execute(found.order_by(SEAT.c.game_id).limit(count))]


def let_fall_due(conn: Connection, count: int, when: datetime) -> None:
    last = select(GAME.c.id).where(GAME.c.entries == 0).order_by(GAME.c.id.desc()).limit(count)
    conn.execute(update(DEADLINE).where(DEADLINE.c.game_id.in_(last)).values(due=when, until=when, reminded=1))


def bytes_of_letters(conn: Connection) -> int:
    return int(conn.execute(select(func.sum(func.length(LETTER.c.content)))).scalar_one() or 0)


_PARTS: Mapping[str, tuple[SqlTable, frozenset[str]]] = {
    "log": (ENTRY, frozenset({"message_id"})),
    "events": (EVENT, frozenset()),
    "record": (RECORD_PART, frozenset()),
    "snapshots": (SNAPSHOT, frozenset()),
    "deadlines": (DEADLINE, frozenset()),
    "sheets": (SHEET, frozenset()),
    "seats": (SEAT, frozenset()),
}
"""For each part of a game: its table, and the columns that contain row numbers of other tables."""


def digests(conn: Connection, game_id: str) -> dict[str, str]:
    """Return the SHA-256 of the rows of each part of a game.

    >>> digests(conn, "sietch-12")["events"][:8]  # doctest: +SKIP
    '0b5f1d3c'
    """
    return {name: _digest(conn, table, game_id, without) for name, (table, without) in _PARTS.items()}


def _digest(conn: Connection, table: SqlTable, game_id: str, without: frozenset[str]) -> str:
    columns: list[ColumnElement[object]] = [column for column in table.c if column.name not in without]
    rows = conn.execute(select(*columns).where(table.c.game_id == game_id)).all()
    return hashlib.sha256("\n".join(sorted(repr(tuple(row)) for row in rows)).encode()).hexdigest()


def taken_twice(conn: Connection) -> int:
    taken = MESSAGE.c.disposition == "orders"
    twice = select(MESSAGE.c.digest).where(taken).group_by(MESSAGE.c.digest).having(func.count() > 1)
    return len(conn.execute(twice).all())


def unsent(conn: Connection) -> int:
    return count_rows(conn, LETTER.c.next_try_at.is_not(None))


def given_up(conn: Connection) -> int:
    return count_rows(conn, LETTER.c.next_try_at.is_(None), LETTER.c.sent_at.is_(None))


def any_game(conn: Connection) -> bool:
    return any_row(conn, GAME.c.id != "")


def not_over(conn: Connection) -> int:
    return count_rows(conn, GAME.c.status != "over")


def hide_words_alike(conn: Connection) -> None:
    """Give every game a key that is derived from its name instead of a random one. The key hides words in the game's
    record."""
    for (game_id,) in conn.execute(select(GAME.c.id)).all():
        key = hashlib.sha256(f"key of {game_id}".encode()).digest()
        conn.execute(update(GAME).where(GAME.c.id == game_id).values(record_key=key))
