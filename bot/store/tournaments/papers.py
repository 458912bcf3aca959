"""What entrants file under seal, or are asked: preferences, worths, a card to keep, a swap, a vote, a protest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, insert, select, update

from bot.store.inserting import number_of
from bot.store.instants import NO_INSTANT
from bot.store.tournament_tables import PAPER

Kind = Literal[
    "preferences", "worths", "keep", "swap", "invitation", "substitution", "vote", "protest", "ready", "handover"
]  # fmt: skip
State = Literal["open", "answered", "refused", "gone"]


@dataclass(frozen=True, slots=True)
class Paper:
    """``id`` is 0 before it is written. ``round`` and ``table`` are 0 where it is about none; ``until`` is when an
    unanswered one is gone."""

    tournament_id: str
    entrant: int
    kind: Kind
    words: str
    at: datetime
    round: int = 0
    table: int = 0
    until: datetime | None = None
    state: State = "open"
    id: int = 0


def file(conn: Connection, paper: Paper) -> int:
    """Write a paper; its number. One of the same kind for the same table, by the same entrant, is gone."""
    of = (
        PAPER.c.tournament_id == paper.tournament_id, PAPER.c.entrant == paper.entrant, PAPER.c.kind == paper.kind,
        PAPER.c.round == paper.round, PAPER.c.table == paper.table, PAPER.c.state == "open",
    )  # fmt: skip
    conn.execute(update(PAPER).where(*of).values(state="gone"))
    row = {
        "tournament_id": paper.tournament_id, "entrant": paper.entrant, "kind": paper.kind, "round": paper.round,
        "table": paper.table, "words": paper.words, "at": paper.at, "until": paper.until, "state": paper.state,
    }  # fmt: skip
    return number_of(conn.execute(insert(PAPER), row))


def set_state(conn: Connection, number: int, state: State, words: str | None = None) -> None:
    """A paper is answered, refused or gone; ``words`` replace what it said."""
    changed: dict[str, Any] = {"state": state} if words is None else {"state": state, "words": words}
    conn.execute(update(PAPER).where(PAPER.c.id == number).values(changed))


def postpone(conn: Connection, paper: Paper, until: datetime) -> None:
    """There is time to answer until then."""
    conn.execute(update(PAPER).where(PAPER.c.id == paper.id).values(until=until))


def of_tournament(conn: Connection, tournament_id: str, *kinds: Kind, state: State | None = "open") -> list[Paper]:
    """The papers of a tournament, of these kinds and in this state (None: any), in order."""
    found = select(PAPER).where(PAPER.c.tournament_id == tournament_id).order_by(PAPER.c.id)
    if kinds:
        found = found.where(PAPER.c.kind.in_(kinds))
    if state:
        found = found.where(PAPER.c.state == state)
    return [Paper(**row._mapping) for row in conn.execute(found)]


def due(conn: Connection, now: datetime) -> list[Paper]:
    """Open papers whose time has passed, of all tournaments."""
    where = (PAPER.c.state == "open", PAPER.c.until != NO_INSTANT, PAPER.c.until <= now)
    return [Paper(**row._mapping) for row in conn.execute(select(PAPER).where(*where).order_by(PAPER.c.id))]
