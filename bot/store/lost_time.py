"""Lost time that is given back to games: which have it already is written down, so that nobody is given it twice."""

from __future__ import annotations

from sqlalchemy import Connection, select

from bot.store.instants import NO_INSTANT
from bot.store.tables import ACT, DEADLINE, GAME


def games_without(conn: Connection, lost: str) -> list[str]:
    """The running games with something open that have not been given this lost time back yet. ``lost`` names it."""
    asked = select(DEADLINE.c.game_id).where(DEADLINE.c.state.in_(("open", "suspended")))
    given = select(ACT.c.game_id).where(ACT.c.what == "outage", ACT.c.why == lost)
    found = select(GAME.c.id).where(GAME.c.status == "running", GAME.c.id.in_(asked), GAME.c.id.not_in(given))
    return [game_id for (game_id,) in conn.execute(found.order_by(GAME.c.id))]


def games_with(conn: Connection, lost: str) -> list[str]:
    """The games that were given it back and whose clocks go."""
    found = (
        select(ACT.c.game_id)
        .join(GAME, GAME.c.id == ACT.c.game_id)
        .where(ACT.c.what == "outage", ACT.c.why == lost, GAME.c.stopped_at == NO_INSTANT)
        .order_by(ACT.c.game_id)
    )
    return list(dict.fromkeys(game_id for (game_id,) in conn.execute(found)))
