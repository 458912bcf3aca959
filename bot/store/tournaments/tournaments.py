"""The tournaments themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.engine import Row

from bot.competition.published import TournamentState
from bot.competition.settings import TournamentSettings, read
from bot.store.tournament_tables import TOURNAMENT


class UnknownTournament(LookupError):
    """There is no tournament of that name; the message says so."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. ``text`` are its settings as they were entered, ``settings_digest`` their SHA-256 when they were
    frozen. ``secret`` must reach nobody before the end."""

    id: str
    title: str
    text: str
    settings_digest: str
    state: TournamentState
    commitment: str
    secret: str
    beacon: str
    token: str
    created_at: datetime
    opened_at: datetime | None = None
    until: datetime | None = None
    finished_at: datetime | None = None
    digest_on: date | None = None
    revision: int = 0

    @property
    def settings(self) -> TournamentSettings:
        """Its settings, typed."""
        return _typed(self.text)


@lru_cache(maxsize=64)
def _typed(text: str) -> TournamentSettings:
    """They are asked for at every step, and reading them takes longer than most steps."""
    return read(text)


def create(conn: Connection, made: Tournament) -> None:
    """Write a new tournament. sqlalchemy.exc.IntegrityError if its id is taken: ask ``exists`` before."""
    row = {
        "id": made.id, "title": made.title, "settings": made.text, "settings_digest": made.settings_digest,
        "state": made.state, "commitment": made.commitment, "secret": made.secret, "beacon": made.beacon,
        "token": made.token, "created_at": made.created_at, "opened_at": made.opened_at, "until": made.until,
        "finished_at": made.finished_at, "digest_on": made.digest_on, "acts": 0, "revision": made.revision,
    }  # fmt: skip
    conn.execute(insert(TOURNAMENT), row)


def exists(conn: Connection, tournament_id: str) -> bool:
    """Whether the id is taken."""
    return conn.execute(select(TOURNAMENT.c.id).where(TOURNAMENT.c.id == tournament_id)).first() is not None


def any_there(conn: Connection) -> bool:
    """Whether there is any tournament."""
    return conn.execute(select(TOURNAMENT.c.id).limit(1)).first() is not None


def find(conn: Connection, tournament_id: str) -> Tournament:
    """A tournament by its id. UnknownTournament if there is none."""
    row = conn.execute(select(TOURNAMENT).where(TOURNAMENT.c.id == tournament_id)).one_or_none()
    if row is None:
        raise UnknownTournament(f"There is no tournament {tournament_id!r} here; `mentat tournament list` names them.")
    return _tournament(row)


def by_token(conn: Connection, token: str) -> Tournament | None:
    """The tournament whose own address has this token."""
    row = conn.execute(select(TOURNAMENT).where(TOURNAMENT.c.token == token)).one_or_none()
    return None if row is None else _tournament(row)


def every(conn: Connection, *states: TournamentState) -> list[Tournament]:
    """All tournaments, or those in one of these states, the oldest first."""
    found = select(TOURNAMENT).order_by(TOURNAMENT.c.created_at, TOURNAMENT.c.id)
    if states:
        found = found.where(TOURNAMENT.c.state.in_(states))
    return [_tournament(row) for row in conn.execute(found)]


def exist(conn: Connection) -> bool:
    """Whether there has ever been a tournament here."""
    return conn.execute(select(TOURNAMENT.c.id).limit(1)).first() is not None


def touch(conn: Connection, tournament_id: str, **changed: Any) -> None:
    """Something of a tournament changes: these columns, if any, and its revision."""
    changed["revision"] = TOURNAMENT.c.revision + 1
    conn.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament_id).values(changed))


def told_organisers(conn: Connection, tournament_id: str, day: date) -> None:
    """The organisers have had their letter of this day; nothing of the tournament changes by it."""
    conn.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament_id).values(digest_on=day))


def _tournament(row: Row[Any]) -> Tournament:
    return Tournament(
        row.id, row.title, row.settings, row.settings_digest, row.state, row.commitment, row.secret, row.beacon,
        row.token, row.created_at, row.opened_at, row.until, row.finished_at, row.digest_on, row.revision,
    )  # fmt: skip
