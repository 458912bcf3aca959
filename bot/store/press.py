"""What players wrote to each other: kept as it was written, with when it goes out and who got it.

``number`` counts the press of a game in the order in which it went out, 0 before that; nobody is told it, as it counts
what others wrote. To its readers a press has the number of those that they got (``of_reader``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.engine import Row

from bot.press.consents import settings_in
from bot.store.desk_tables import MUTED, PRESS
from bot.store.inserting import number_of
from bot.store.instants import NO_INSTANT
from bot.store.tables import GAME
from rules.components import Faction, as_faction

State = Literal["sent", "waiting", "held", "withdrawn"]
TO_ALL = "all"


@dataclass(frozen=True, slots=True)
class Press:
    """What one seat wrote. ``said`` is whom the letter names as its readers, and ``to_all`` that it says "to all".
    ``due`` is when it goes out while it is waiting; without it, when the turn is over."""

    game_id: str
    faction: Faction
    readers: tuple[Faction, ...]
    said: tuple[Faction, ...]
    to_all: bool
    words: str
    signed: bool
    turn: int
    at: datetime
    due: datetime | None = None
    state: State = "sent"
    number: int = 0
    id: int = 0
    reported_by: tuple[Faction, ...] = ()


def keep(conn: Connection, press: Press) -> Press:
    """Write it down; with its number among what has gone out, if it has."""
    number = _next(conn, press.game_id) if press.state == "sent" else 0
    row = {
        "game_id": press.game_id, "number": number, "faction": press.faction, "readers": ",".join(press.readers),
        "said_readers": TO_ALL if press.to_all else ",".join(press.said), "words": press.words, "signed": press.signed,
        "turn": press.turn, "at": press.at, "due": press.due, "state": press.state, "reported_by": "",
        "objected": "",
    }  # fmt: skip
    made = number_of(conn.execute(insert(PRESS), row))
    return replace(press, number=number, id=made)


def _next(conn: Connection, game_id: str) -> int:
    last = conn.execute(select(func.max(PRESS.c.number)).where(PRESS.c.game_id == game_id)).scalar_one()
    return int(last or 0) + 1


def went_out(conn: Connection, press: Press) -> Press:
    """What was waiting is out; with its number."""
    number = _next(conn, press.game_id)
    conn.execute(update(PRESS).where(PRESS.c.id == press.id).values(state="sent", number=number))
    return replace(press, state="sent", number=number)


def games_with_due(conn: Connection, now: datetime) -> list[str]:
    """The games in which something goes out now."""
    return list(conn.scalars(_GAMES_WITH_DUE, {"now": now}))


def due(conn: Connection, game_id: str, now: datetime) -> list[Press]:
    """What goes out now in a game."""
    found = select(PRESS).join(GAME, GAME.c.id == PRESS.c.game_id).where(PRESS.c.game_id == game_id, *_DUE)
    return [_press(row) for row in conn.execute(found.order_by(PRESS.c.id), {"now": now})]


_DUE = (
    PRESS.c.state == "waiting",
    or_(
        (PRESS.c.due != NO_INSTANT) & (PRESS.c.due <= bindparam("now")),
        (PRESS.c.due == NO_INSTANT) & or_(GAME.c.turn > PRESS.c.turn, GAME.c.status == "over"),
    ),
)
_GAMES_WITH_DUE = (
    select(PRESS.c.game_id).join(GAME, GAME.c.id == PRESS.c.game_id).where(*_DUE).distinct().order_by(PRESS.c.game_id)
)


def sent_since(conn: Connection, game_id: str, faction: Faction, since: datetime) -> list[datetime]:
    """When a seat wrote what was passed on, or will be, since then."""
    found = select(PRESS.c.at).where(*_passed_on(game_id, faction), PRESS.c.at > since).order_by(PRESS.c.at)
    return [at for (at,) in conn.execute(found)]


def in_turn(conn: Connection, game_id: str, faction: Faction, turn: int) -> int:
    """How much a seat wrote in a turn."""
    found = select(func.count()).where(*_passed_on(game_id, faction), PRESS.c.turn == turn)
    return int(conn.execute(found).scalar_one())


def _passed_on(game_id: str, faction: Faction) -> tuple[Any, ...]:
    return (PRESS.c.game_id == game_id, PRESS.c.faction == faction, PRESS.c.state.in_(("sent", "waiting")))


def held(conn: Connection, game_id: str, faction: Faction) -> Press | None:
    """What waits for the second thought of its writer."""
    found = select(PRESS).where(PRESS.c.game_id == game_id, PRESS.c.faction == faction, PRESS.c.state == "held")
    row = conn.execute(found.order_by(PRESS.c.id.desc()).limit(1)).one_or_none()
    return None if row is None else _press(row)


def withdraw(conn: Connection, game_id: str, faction: Faction) -> None:
    """What waits for the second thought of a seat is not sent any more."""
    held = (PRESS.c.game_id == game_id, PRESS.c.faction == faction, PRESS.c.state == "held")
    conn.execute(update(PRESS).where(*held).values(state="withdrawn"))


def of_reader(conn: Connection, game_id: str, faction: Faction) -> list[Press]:
    """All that a seat got, in order: its number N for this reader is its place here, from 1."""
    return [press for press in of_game(conn, game_id) if faction in press.readers]


def counts(conn: Connection, game_id: str) -> Mapping[Faction, int]:
    """How many each seat got."""
    found = select(PRESS.c.readers).where(PRESS.c.game_id == game_id, PRESS.c.state == "sent")
    return Counter(reader for (readers,) in conn.execute(found) for reader in _factions(readers))


def of_game(conn: Connection, game_id: str) -> list[Press]:
    """All that has gone out in a game, in order."""
    found = select(PRESS).where(PRESS.c.game_id == game_id, PRESS.c.state == "sent").order_by(PRESS.c.number)
    return [_press(row) for row in conn.execute(found)]


def reported(conn: Connection, press: Press, by: Faction) -> None:
    """A reader has shown it to the game master."""
    names = ",".join(dict.fromkeys((*press.reported_by, by)))
    conn.execute(update(PRESS).where(PRESS.c.id == press.id).values(reported_by=names))


def forget(conn: Connection, games: Sequence[str]) -> None:
    """What players of these games wrote is said no more, except where the archive was to show it."""
    rows = conn.execute(select(GAME.c.id, GAME.c.press).where(GAME.c.id.in_(games)))
    private = [row.id for row in rows if not settings_in(row.press).archived]
    conn.execute(update(PRESS).where(PRESS.c.game_id.in_(private), PRESS.c.words != "").values(words=""))


def forget_seat(conn: Connection, game_id: str, faction: str) -> None:
    """What was written from a seat is said no more."""
    conn.execute(update(PRESS).where(PRESS.c.game_id == game_id, PRESS.c.faction == faction).values(words=""))


def is_muted(conn: Connection, game_id: str, faction: Faction) -> bool:
    """Whether what a seat writes goes to the desk alone."""
    found = select(MUTED.c.faction).where(MUTED.c.game_id == game_id, MUTED.c.faction == faction)
    return conn.execute(found).first() is not None


def mute(conn: Connection, game_id: str, faction: Faction, now: datetime) -> None:
    """Let what a seat writes go to the desk alone from now on."""
    conn.execute(insert(MUTED), {"game_id": game_id, "faction": faction, "since": now})


def unmute(conn: Connection, game_id: str, faction: Faction) -> bool:
    """Let what a seat writes go to its readers again; whether it went to the desk alone."""
    return bool(conn.execute(delete(MUTED).where(MUTED.c.game_id == game_id, MUTED.c.faction == faction)).rowcount)


def _press(row: Row[Any]) -> Press:
    to_all = row.said_readers == TO_ALL
    return Press(
        row.game_id, as_faction(row.faction), _factions(row.readers), () if to_all else _factions(row.said_readers),
        to_all, row.words, row.signed, row.turn, row.at, row.due, row.state, row.number, row.id,
        _factions(row.reported_by),
    )  # fmt: skip


def _factions(names: str) -> tuple[Faction, ...]:
    return tuple(map(as_faction, filter(None, names.split(","))))
