"""Rounds of tournaments: their tables, the tenures of seats, results, and matters that wait for organisers.

A result is never changed: the next version supersedes it. ``waiting_matters`` returns what waits at a tournament's
desk, and since when: protests, draws, starts, results, rounds. It reads nothing secret: a protest is a number and a
table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, and_, func, insert, select, update
from sqlalchemy.engine import Row

from bot.competition.outcomes import TableOutcome, Why
from bot.competition.published import ResultState, RoundKind, RoundState, TableState
from bot.store import installation, tournaments
from bot.store.database import NO_INSTANT
from bot.store.tables import GAME, SEAT
from bot.store.tournament_tables import RESULT, ROUND, TABLE, TENURE
from bot.store.tournaments import Tournament


@dataclass(frozen=True, slots=True)
class Round:
    """A round. ``draw`` is its DrawRecord as JSON, empty before the draw."""

    tournament_id: str
    number: int
    kind: RoundKind
    state: RoundState = "planned"
    opens: datetime | None = None
    ends: datetime | None = None
    noticed_at: datetime | None = None
    draw: bytes = b""


@dataclass(frozen=True, slots=True)
class RoundTable:
    """A table of a round. ``deadline`` is its own end, if different from the round's. ``still_since`` is when its
    game stopped."""

    tournament_id: str
    round: int
    number: int
    size: int
    game_id: str = ""
    state: TableState = "planned"
    deadline: datetime | None = None
    last_turn: int = 0
    still_since: datetime | None = None

    @property
    def place(self) -> tuple[int, int]:
        return self.round, self.number


@dataclass(frozen=True, slots=True)
class TablePlayed:
    """A table with a running game: since when, in which turn, and whether it stands still. Its clocks stopped at
    ``stopped_at``, or the whole game is ``held`` until the rules replay it as before."""

    table: RoundTable
    began: datetime
    turn: int
    held: bool
    stopped_at: datetime | None


@dataclass(frozen=True, slots=True)
class Tenure:
    """The tenure of a seat from a turn on. ``number`` counts the tenures of a seat, ``entrant`` is 0 for nobody,
    ``last`` is 0 while the tenure lasts. ``since`` is when we began to wait for the entrant, None for the
    beginning of the game. ``spice`` is how much more than its faction's usual spice they begin with, by a trade."""

    tournament_id: str
    round: int
    table: int
    dot: int
    entrant: int
    number: int = 0
    faction: str = ""
    first: int = 1
    last: int = 0
    why: Why = "seated"
    resigned: bool = False
    ordered: bool = False
    price: int = 0
    spice: int = 0
    since: datetime | None = None


def add_round(conn: Connection, made: Round) -> None:
    conn.execute(insert(ROUND), {**asdict(made), "hidden_turn": 0})


def change_round(conn: Connection, tournament_id: str, number: int, **changed: Any) -> None:
    where = (ROUND.c.tournament_id == tournament_id, ROUND.c.number == number)
    conn.execute(update(ROUND).where(*where).values(changed))


def rounds_of(conn: Connection, tournament_id: str) -> list[Round]:
    columns = [ROUND.c[field.name] for field in fields(Round)]
    found = select(*columns).where(ROUND.c.tournament_id == tournament_id).order_by(ROUND.c.number)
    return [Round(**row._mapping) for row in conn.execute(found)]


def add_tables(conn: Connection, made: Sequence[RoundTable], seats: Sequence[Tenure]) -> None:
    if made:
        conn.execute(insert(TABLE), [asdict(table) for table in made])
    if seats:
        conn.execute(insert(TENURE), [asdict(tenure) for tenure in seats])


def change_table(conn: Connection, tournament_id: str, number: int, table: int, **changed: Any) -> None:
    where = (TABLE.c.tournament_id == tournament_id, TABLE.c.round == number, TABLE.c.number == table)
    conn.execute(update(TABLE).where(*where).values(changed))


def tables_of(
    conn: Connection, tournament_id: str, number: int = 0, states: Collection[TableState] = ()
) -> list[RoundTable]:
    found = select(TABLE).where(TABLE.c.tournament_id == tournament_id).order_by(TABLE.c.round, TABLE.c.number)
    if number:
        found = found.where(TABLE.c.round == number)
    if states:
        found = found.where(TABLE.c.state.in_(states))
    return [_table(row) for row in conn.execute(found)]


def table_of_game(conn: Connection, game_id: str) -> RoundTable | None:
    row = conn.execute(select(TABLE).where(TABLE.c.game_id == game_id)).one_or_none() if game_id else None
    return None if row is None else _table(row)


def tournament_of(conn: Connection, game_id: str) -> str:
    seated = table_of_game(conn, game_id)
    return seated.tournament_id if seated else ""


def tables_to_result(conn: Connection) -> list[RoundTable]:
    found = select(TABLE).join(GAME, GAME.c.id == TABLE.c.game_id)
    found = found.where(TABLE.c.state == "playing", GAME.c.status == "over")
    return [_table(row) for row in conn.execute(found.order_by(TABLE.c.tournament_id, TABLE.c.round, TABLE.c.number))]


def tables_undone(conn: Connection) -> list[RoundTable]:
    """Return finished tables of all tournaments whose game is running again after a rollback."""
    found = select(TABLE).join(GAME, GAME.c.id == TABLE.c.game_id)
    found = found.where(TABLE.c.state == "finished", GAME.c.status != "over")
    return [_table(row) for row in conn.execute(found.order_by(TABLE.c.tournament_id, TABLE.c.round, TABLE.c.number))]


def tables_playing(conn: Connection, tournament_id: str = "") -> list[TablePlayed]:
    found = select(TABLE, GAME.c.created_at, GAME.c.turn, GAME.c.status, GAME.c.stopped_at).join(
        GAME, GAME.c.id == TABLE.c.game_id
    )
    found = found.where(TABLE.c.state == "playing", GAME.c.status != "over")
    if tournament_id:
        found = found.where(TABLE.c.tournament_id == tournament_id)
    names = [column.name for column in TABLE.c]
    return [
        TablePlayed(
            RoundTable(**{name: row._mapping[TABLE.c[name]] for name in names}), row.created_at, row.turn,
            row.status == "held", row.stopped_at,
        )
        for row in conn.execute(found.order_by(TABLE.c.tournament_id, TABLE.c.round, TABLE.c.number))
    ]  # fmt: skip


def seats_in_care(conn: Connection) -> set[tuple[str, str]]:
    found = select(SEAT.c.game_id, SEAT.c.faction).join(TABLE, TABLE.c.game_id == SEAT.c.game_id)
    found = found.where(TABLE.c.state == "playing", SEAT.c.care)
    return {(row.game_id, row.faction) for row in conn.execute(found)}


def tenures_of(conn: Connection, tournament_id: str, number: int = 0, table: int = 0) -> list[Tenure]:
    found = select(TENURE).where(TENURE.c.tournament_id == tournament_id)
    found = found.order_by(TENURE.c.round, TENURE.c.table, TENURE.c.dot, TENURE.c.number)
    if number:
        found = found.where(TENURE.c.round == number)
    if table:
        found = found.where(TENURE.c.table == table)
    return [Tenure(**row._mapping) for row in conn.execute(found)]


def now_sitting(conn: Connection, tournament_id: str, number: int = 0, table: int = 0) -> list[Tenure]:
    return [tenure for tenure in tenures_of(conn, tournament_id, number, table) if not tenure.last]


def games_of(conn: Connection, tournament_id: str, entrant: int) -> list[str]:
    at = (TENURE.c.tournament_id == TABLE.c.tournament_id, TENURE.c.round == TABLE.c.round)
    found = select(TABLE.c.game_id).join(TENURE, and_(*at, TENURE.c.table == TABLE.c.number))
    found = found.where(TENURE.c.tournament_id == tournament_id, TENURE.c.entrant == entrant, TENURE.c.last == 0)
    found = found.where(TABLE.c.state == "playing", TABLE.c.game_id != "").order_by(TABLE.c.round, TABLE.c.number)
    return list(conn.execute(found).scalars())


def change_tenure(conn: Connection, held: Tenure, **changed: Any) -> None:
    where = (
        TENURE.c.tournament_id == held.tournament_id, TENURE.c.round == held.round, TENURE.c.table == held.table,
        TENURE.c.dot == held.dot, TENURE.c.number == held.number,
    )  # fmt: skip
    conn.execute(update(TENURE).where(*where).values(changed))


def next_tenure(conn: Connection, held: Tenure, last: int, then: Tenure) -> None:
    change_tenure(conn, held, last=last)
    most = select(func.max(TENURE.c.number)).where(
        TENURE.c.tournament_id == held.tournament_id, TENURE.c.round == held.round, TENURE.c.table == held.table,
        TENURE.c.dot == held.dot,
    )  # fmt: skip
    conn.execute(insert(TENURE), {**asdict(then), "number": int(conn.execute(most).scalar_one()) + 1})


def _table(row: Row[Any]) -> RoundTable:
    return RoundTable(**row._mapping)


@dataclass(frozen=True, slots=True)
class Result:
    """A version of a table's result. ``by`` is the right with which it was written ("": the game itself),
    ``stands_at`` is when the time for protests ends."""

    tournament_id: str
    outcome: TableOutcome
    state: ResultState
    by: str
    why: str
    at: datetime
    stands_at: datetime | None = None

    @property
    def place(self) -> tuple[int, int]:
        return self.outcome.round, self.outcome.table


def add_result(conn: Connection, result: Result) -> Result:
    of = (
        RESULT.c.tournament_id == result.tournament_id, RESULT.c.round == result.outcome.round,
        RESULT.c.table == result.outcome.table,
    )  # fmt: skip
    version = int(conn.execute(select(func.max(RESULT.c.version)).where(*of)).scalar_one() or 0) + 1
    outcome = msgspec.structs.replace(result.outcome, version=version)
    row = {
        "tournament_id": result.tournament_id, "round": outcome.round, "table": outcome.table, "version": version,
        "state": result.state, "outcome": msgspec.json.encode(outcome, order="deterministic"), "by": result.by,
        "why": result.why, "at": result.at, "stands_at": result.stands_at,
    }  # fmt: skip
    conn.execute(insert(RESULT), row)
    installation.note_failure(conn, "ratings", result.at)
    return Result(result.tournament_id, outcome, result.state, result.by, result.why, result.at, result.stands_at)


def set_result_state(conn: Connection, result: Result, state: ResultState) -> None:
    """Set a result to confirmed, amended (another version supersedes it) or withdrawn (there is none any more)."""
    where = (
        RESULT.c.tournament_id == result.tournament_id, RESULT.c.round == result.outcome.round,
        RESULT.c.table == result.outcome.table, RESULT.c.version == result.outcome.version,
    )  # fmt: skip
    conn.execute(update(RESULT).where(*where).values(state=state))
    if state == "withdrawn":
        installation.note_failure(conn, "ratings", result.at)


def postpone_result(conn: Connection, result: Result, stands_at: datetime) -> None:
    where = (
        RESULT.c.tournament_id == result.tournament_id, RESULT.c.round == result.outcome.round,
        RESULT.c.table == result.outcome.table, RESULT.c.version == result.outcome.version,
    )  # fmt: skip
    conn.execute(update(RESULT).where(*where).values(stands_at=stands_at))


def result_versions(conn: Connection, tournament_id: str) -> list[Result]:
    found = select(RESULT).where(RESULT.c.tournament_id == tournament_id)
    rows = conn.execute(found.order_by(RESULT.c.round, RESULT.c.table, RESULT.c.version))
    return [_result(row) for row in rows]


def newest_results(conn: Connection, tournament_id: str) -> dict[tuple[int, int], Result]:
    """Return the current version of each result, by round and table. Withdrawn results are missing."""
    last = {result.place: result for result in result_versions(conn, tournament_id)}
    return {place: result for place, result in last.items() if result.state != "withdrawn"}


def results_to_confirm(conn: Connection, now: datetime) -> list[Result]:
    where = (RESULT.c.state == "provisional", RESULT.c.stands_at != NO_INSTANT, RESULT.c.stands_at <= now)
    found = select(RESULT).where(*where)
    rows = conn.execute(found.order_by(RESULT.c.tournament_id, RESULT.c.round, RESULT.c.table, RESULT.c.version))
    return [_result(row) for row in rows]


def _result(row: Row[Any]) -> Result:
    outcome = msgspec.json.decode(row.outcome, type=TableOutcome)
    return Result(row.tournament_id, outcome, row.state, row.by, row.why, row.at, row.stands_at)


MatterKind = Literal["protest", "draw", "start", "close", "overdue", "held"]


@dataclass(frozen=True, slots=True)
class Matter:
    """A matter that an organiser must handle. ``place`` is its round and table, (0, 0) for none. ``number`` is a
    protest's number."""

    kind: MatterKind
    since: datetime
    place: tuple[int, int] = (0, 0)
    number: int = 0
    game: str = ""

    @property
    def table(self) -> str:
        return f"{self.place[0]}.{self.place[1]}"


def waiting_matters(conn: Connection, tournament: Tournament, now: datetime) -> list[Matter]:
    found = [
        Matter("protest", paper.at, (paper.round, paper.table), paper.id)
        for paper in tournaments.papers_of(conn, tournament.id, "protest")
    ]
    if tournament.state == "open" and tournament.until and tournament.until <= now:
        found.append(Matter("draw", tournament.until))
    tables = tables_of(conn, tournament.id)
    stopped = {each.table.game_id: each.stopped_at for each in tables_playing(conn, tournament.id)}
    for each in rounds_of(conn, tournament.id):
        found += _of_round(conn, each, [table for table in tables if table.round == each.number], stopped, now)
    return sorted(found, key=lambda matter: (matter.since, matter.kind, matter.place, matter.number))


def _of_round(
    conn: Connection, each: Round, tables: list[RoundTable], stopped: Mapping[str, datetime | None], now: datetime
) -> list[Matter]:  # fmt: skip
    if each.state == "drawn" and each.opens is None:  # its factions are settled
        drawn = [act.at for act in tournaments.acts_of(conn, each.tournament_id) if act.command == "draw"]
        return [Matter("start", drawn[-1], (each.number, 0))] if drawn else []
    if each.state != "playing":
        return []
    open_now = [table for table in tables if table.state in ("planned", "playing")]
    if not open_now:
        newest = newest_results(conn, each.tournament_id)
        at = [result.stands_at or result.at for place, result in newest.items() if place[0] == each.number]
        return [Matter("close", max(at), (each.number, 0))] if at and max(at) <= now else []
    found = []
    for table in open_now:
        ends = table.deadline or each.ends
        if ends and ends <= now:
            found.append(Matter("overdue", ends, (table.round, table.number), game=table.game_id))
        elif since := stopped.get(table.game_id):
            found.append(Matter("held", since, (table.round, table.number), game=table.game_id))
    return found
