"""What game masters have ruled where the rules are silent: precedents of a game, and of its whole tournament."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, and_, insert, or_, select

from bot.store.desk_tables import MASTER_RULING
from bot.store.tables import GAME


@dataclass(frozen=True, slots=True)
class MasterRuling:
    """A ruling. ``tournament_id`` is "" for a game that belongs to none; ``clause`` is the clause that it reads."""

    game_id: str
    tournament_id: str
    words: str
    clause: str
    at: datetime
    number: int = 0


def keep(conn: Connection, ruling: MasterRuling) -> int:
    """Keep a ruling; its number."""
    row = {
        "game_id": ruling.game_id, "tournament_id": ruling.tournament_id, "words": ruling.words,
        "clause": ruling.clause, "at": ruling.at,
    }  # fmt: skip
    return int(conn.execute(insert(MASTER_RULING).values(row).returning(MASTER_RULING.c.id)).scalar_one())


def standing_in(conn: Connection, game_id: str, tournament_id: str) -> list[MasterRuling]:
    """The rulings that the players of a game may know: its own, and those of the other games of its tournament that are
    over, as a ruling says something of the game in which it was asked for."""
    own = MASTER_RULING.c.game_id == game_id
    of_tournament = and_(MASTER_RULING.c.tournament_id == tournament_id, GAME.c.status == "over")
    wanted = or_(own, of_tournament) if tournament_id else own
    joined = MASTER_RULING.join(GAME, GAME.c.id == MASTER_RULING.c.game_id)
    found = select(MASTER_RULING).select_from(joined).where(wanted).order_by(MASTER_RULING.c.id)
    return [
        MasterRuling(row.game_id, row.tournament_id, row.words, row.clause, row.at, row.id)
        for row in conn.execute(found)
    ]
