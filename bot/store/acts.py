"""The act logs of games and tournaments, and the rights to act on them that people were granted.

Rights granted at a game's desk add to those of this Mentat's game master and of the tournament's organisers. Acts are
only added, never deleted. Each function takes either a game or a tournament: ``acts_of(conn, game_id="sietch-12")``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import Connection, delete

from bot.store.people import known_as
from bot.store.rows import add_value, count_rows, load, load_all, table_of

Audience = Literal["all", "entrants", "directors"]


@dataclass(frozen=True, slots=True)
class DeskAct:
    """An act on a game or a tournament.

    - ``what`` is the power that was used (``bot.desk.powers``, ``bot.tournament.desk``), or "outage" or "silence".
      ``words`` are the details.
    - ``who`` is the address of the person who acted, or "" for the calendar or the console. ``right`` is the right that
      allowed the act.
    - ``why`` is the reason, for the record. ``tell`` is what the game master told the table in their own words.
    - ``audience`` says who may read the act while a tournament lasts. From ``opens_at`` on, everybody may read it.
    """

    at: datetime
    what: str
    why: str = ""
    who: str = ""
    right: str = ""
    words: str = ""
    tell: str = ""
    audience: Audience = "all"
    opens_at: datetime | None = None

    @property
    def told(self) -> str:
        return ": ".join(part for part in (self.words, self.why) if part)


ACT = table_of("desk_act", DeskAct, key="id", index="game_id tournament_id", game_id=str, tournament_id=str)


def log_act(conn: Connection, act: DeskAct, *, game_id: str = "", tournament_id: str = "") -> None:
    add_value(conn, act, game_id=game_id, tournament_id=tournament_id)


def acts_of(conn: Connection, *, game_id: str = "", tournament_id: str = "") -> list[DeskAct]:
    return load_all(conn, DeskAct, game_id=game_id, tournament_id=tournament_id)


def count_acts(conn: Connection, tournament_id: str, kinds: Collection[str]) -> int:
    return count_rows(conn, ACT.c.tournament_id == tournament_id, ACT.c.what.in_(kinds))


Right = Literal["director", "arbiter", "clerk", "auditor", "deputy"]
RIGHTS: tuple[Right, ...] = get_args(Right)
RIGHTS_AT_GAMES = RIGHTS[:-1]
DIRECTORS, JUDGES, CLERKS = ("director", "deputy"), ("director", "arbiter", "deputy"), ("director", "deputy", "clerk")


@dataclass(frozen=True, slots=True)
class GrantedRight:
    """A right that a person has in one game or tournament. A deputy becomes director if nobody at the desk acts for
    several days. Replies to Mentat's letters to this person carry the ``token``."""

    address: str
    right: Right
    token: str
    since: datetime
    game_id: str = ""
    tournament_id: str = ""


RIGHT = table_of("desk_right", GrantedRight, key="game_id tournament_id address", unique="token")


def grant_right(conn: Connection, granted: GrantedRight) -> None:
    revoke_right(conn, granted)  # the earlier right of this person
    add_value(conn, granted)


def revoke_right(conn: Connection, granted: GrantedRight) -> None:
    there = (RIGHT.c.game_id == granted.game_id, RIGHT.c.tournament_id == granted.tournament_id)
    conn.execute(delete(RIGHT).where(*there, RIGHT.c.address == granted.address))


def rights_of(conn: Connection, *, game_id: str = "", tournament_id: str = "") -> list[GrantedRight]:
    found = load_all(conn, GrantedRight, game_id=game_id, tournament_id=tournament_id)
    return sorted(found, key=lambda each: (each.since, each.address))


def right_of(conn: Connection, address: str, *, game_id: str = "", tournament_id: str = "") -> GrantedRight | None:
    known = RIGHT.c.address.in_(known_as(conn, address))
    return load(conn, GrantedRight, known, game_id=game_id, tournament_id=tournament_id)


def rights_of_person(conn: Connection, address: str) -> list[GrantedRight]:
    return load_all(conn, GrantedRight, RIGHT.c.address.in_(known_as(conn, address)), RIGHT.c.game_id != "")


def right_by_token(conn: Connection, token: str) -> GrantedRight | None:
    return load(conn, GrantedRight, token=token)
