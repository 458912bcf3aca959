"""What was done to a tournament, by whom and why: only added to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, insert, select, update

from bot.store.tournament_tables import TOURNAMENT, TOURNAMENT_ACT

Audience = Literal["all", "entrants", "directors"]
SCORING_CHANGED = "amend settings --force"
"""The command of an act by which tie-breaks or scoring were changed after the first draw: every export says so."""


@dataclass(frozen=True, slots=True)
class Act:
    """``who`` is an address ("" for the calendar), ``right`` what they did it with, ``words`` what the act says.
    From ``opens_at`` on everybody may read it whose ``audience`` it was not."""

    tournament_id: str
    number: int
    at: datetime
    who: str
    right: str
    command: str
    words: str
    why: str
    audience: Audience
    opens_at: datetime | None


def add(
    conn: Connection, tournament_id: str, now: datetime, command: str, words: str, *, who: str = "", right: str = "",
    why: str = "", audience: Audience = "all", opens_at: datetime | None = None,
) -> int:  # fmt: skip
    """Write down an act; its number."""
    row = conn.execute(
        update(TOURNAMENT).where(TOURNAMENT.c.id == tournament_id).values(acts=TOURNAMENT.c.acts + 1)
        .returning(TOURNAMENT.c.acts)
    )  # fmt: skip
    number = int(row.scalar_one())
    conn.execute(
        insert(TOURNAMENT_ACT),
        {
            "tournament_id": tournament_id, "number": number, "at": now, "who": who, "right": right, "command": command,
            "words": words, "why": why, "audience": audience, "opens_at": opens_at,
        },
    )  # fmt: skip
    return number


def of_tournament(conn: Connection, tournament_id: str) -> list[Act]:
    """All acts in order."""
    where = TOURNAMENT_ACT.c.tournament_id == tournament_id
    found = select(TOURNAMENT_ACT).where(where).order_by(TOURNAMENT_ACT.c.number)
    return [Act(**row._mapping) for row in conn.execute(found)]
