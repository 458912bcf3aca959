"""Who observes which game: addresses that get the public summary of each turn."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select, update

from bot.store import withheld
from bot.store.desk_tables import WITHHELD
from bot.store.tables import GAME, LETTER, OBSERVER


@dataclass(frozen=True, slots=True)
class Observer:
    """``turn`` is the last whose summary they were sent, ``letters`` how many letters they have got, ``board`` what the
    last picture showed them, and ``drawn`` of how many events. They read all ``delay`` turns late, and ``full`` of them
    what is hidden too."""

    game_id: str
    address: str
    token: str
    turn: int = 0
    letters: int = 0
    board: str = ""
    drawn: int = 0
    delay: int = 0
    full: bool = False


def add(conn: Connection, observer: Observer, now: datetime) -> None:
    """Let somebody observe a game."""
    conn.execute(
        insert(OBSERVER),
        {"game_id": observer.game_id, "address": observer.address, "token": observer.token, "since": now,
         "turn": observer.turn, "letters": observer.letters, "board": observer.board, "drawn": observer.drawn,
         "delay": observer.delay, "full": observer.full},
    )  # fmt: skip


def remove(conn: Connection, observer: Observer) -> None:
    """They observe no longer, and what was withheld from them is never sent."""
    withheld.drop(conn, [observer.token])
    conn.execute(delete(OBSERVER).where(OBSERVER.c.token == observer.token))


def was_written(conn: Connection, observer: Observer) -> None:
    """They were written to up to this turn and with this board."""
    changed = {"turn": observer.turn, "board": observer.board, "drawn": observer.drawn}
    conn.execute(update(OBSERVER).where(OBSERVER.c.token == observer.token).values(changed))


def was_sent(conn: Connection, observer: Observer) -> None:
    """They were sent one letter more, up to this turn and with this board."""
    picture = {"board": observer.board, "drawn": observer.drawn}
    changed = {"turn": observer.turn, "letters": observer.letters + 1, **picture}
    conn.execute(update(OBSERVER).where(OBSERVER.c.token == observer.token).values(changed))


def of_game(conn: Connection, game_id: str) -> list[Observer]:
    """The observers of a game, by address."""
    found = select(OBSERVER).where(OBSERVER.c.game_id == game_id).order_by(OBSERVER.c.address)
    return [_observer(row) for row in conn.execute(found)]


def of_addresses(conn: Connection, addresses: Collection[str]) -> list[Observer]:
    """All that is observed by who has these addresses."""
    found = select(OBSERVER).where(OBSERVER.c.address.in_(addresses)).order_by(OBSERVER.c.game_id, OBSERVER.c.address)
    return [_observer(row) for row in conn.execute(found)]


def letters_of(conn: Connection, game_id: str) -> int:
    """How many letters were written to observers of a game."""
    found = select(func.count()).where(LETTER.c.game_id == game_id, LETTER.c.faction.is_(None))
    return int(conn.execute(found).scalar_one())


def by_token(conn: Connection, token: str) -> Observer | None:
    """The observer with this token."""
    row = conn.execute(select(OBSERVER).where(OBSERVER.c.token == token)).one_or_none()
    return _observer(row) if row else None


def to_write(conn: Connection) -> list[str]:
    """The games whose observers have not been sent all summaries yet."""
    return sorted({*conn.scalars(_NOT_SUMMARISED), *conn.scalars(_READ_LATE)})


_NOT_SUMMARISED = (
    select(GAME.c.id)
    .join(OBSERVER, OBSERVER.c.game_id == GAME.c.id)
    .where((OBSERVER.c.turn < GAME.c.turn - 1) | (GAME.c.status == "over") & (OBSERVER.c.turn < GAME.c.turn))
    .distinct()
)
_READ_LATE = (
    select(GAME.c.id)
    .join(WITHHELD, WITHHELD.c.game_id == GAME.c.id)
    .where((WITHHELD.c.due_turn <= GAME.c.turn - 1) | (GAME.c.status == "over"))
    .distinct()
)


def _observer(row: object) -> Observer:
    names = ("game_id", "address", "token", "turn", "letters", "board", "drawn", "delay", "full")
    return Observer(*(getattr(row, name) for name in names))
