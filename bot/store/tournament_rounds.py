"""Tournament rounds: their tables, the tenures of seats, results, and matters that are waiting for organisers.

A result is never changed: a newer version supersedes it. ``waiting_matters`` returns the protests, draws, starts,
results and rounds that are waiting at a tournament's desk, and since when. It reads no secrets, and of a protest only
the number and the table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

import msgspec
from sqlalchemy import Column, ColumnElement, Connection, Dialect, LargeBinary, and_, delete, func, select, update
from sqlalchemy.types import TypeDecorator

from bot.competition.outcomes import TableOutcome, Why
from bot.competition.published import ResultState, RoundKind, RoundState, TableState
from bot.store import acts, installation, tournaments
from bot.store.database import NO_INSTANT
from bot.store.rows import add_value, add_values, columns_of, fetch, load, load_all, query, table_of
from bot.store.tables import GAME, SEAT
from bot.store.tournaments import Tournament


@dataclass(frozen=True, slots=True)
class Round:
    """A round. ``draw`` is its ``bot.competition.published.DrawRecord`` as JSON, or empty before the draw.
    ``noticed_at`` is when its tables were told their last turn."""

    tournament_id: str
    number: int
    kind: RoundKind
    state: RoundState = "planned"
    opens: datetime | None = None
    ends: datetime | None = None
    noticed_at: datetime | None = None
    draw: bytes = b""


ROUND = table_of("tournament_round", Round, key="tournament_id number", refers="tournament_id", hidden_turn=int)
"""``hidden_turn`` is always 0: each table's last turn is derived from the tournament's secret."""


@dataclass(frozen=True, slots=True)
class RoundTable:
    """A table of a round, and its game once that has begun.

    - ``deadline`` is when the table must end, if that is not when the round ends.
    - ``last_turn`` is the table's announced last turn, or 0 before the announcement.
    - ``still_since`` is when the game came to a stop, because its clocks were stopped or because its replay under the
      current rules has changed. The lost time is given back when the game resumes.
    """

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


TABLE = table_of(
    "tournament_table", RoundTable, key="tournament_id round number", index="game_id state", refers="tournament_id"
)


@dataclass(frozen=True, slots=True)
class TablePlayed:
    """A table whose game is running, when it started, and its current turn. If the game has come to a stop, either its
    clocks were stopped, at ``stopped_at``, or it is ``held`` until the rules replay it as before."""

    table: RoundTable
    began: datetime
    turn: int
    held: bool
    stopped_at: datetime | None


@dataclass(frozen=True, slots=True)
class Tenure:
    """A period during which one entrant, or a caretaker, holds a seat.

    - ``dot`` is the seat, and ``faction`` is its faction, or "" until that is known.
    - ``number`` counts the tenures of the seat.
    - ``entrant`` is the number of the entrant, or 0 for a caretaker.
    - ``last`` is the last turn of the tenure, or 0 while the tenure lasts.
    - ``since`` is when we began to wait for the entrant, or None if the wait began with the game.
    - ``spice`` is the spice that a trade adds to what the entrant's faction usually begins with. It is negative if they
      begin with less.
    """

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


TENURE = table_of("tenure", Tenure, key="tournament_id round table dot number", index="entrant", refers="tournament_id")


def add_round(conn: Connection, made: Round) -> None:
    add_value(conn, made, hidden_turn=0)


def change_round(conn: Connection, tournament_id: str, number: int, **changed: Any) -> None:
    where = (ROUND.c.tournament_id == tournament_id, ROUND.c.number == number)
    conn.execute(update(ROUND).where(*where).values(changed))


def remove_rounds(conn: Connection, tournament_id: str, numbers: Collection[int]) -> None:
    for each, number in ((TENURE, TENURE.c.round), (TABLE, TABLE.c.round), (ROUND, ROUND.c.number)):
        conn.execute(delete(each).where(each.c.tournament_id == tournament_id, number.in_(numbers)))


def rounds_of(conn: Connection, tournament_id: str) -> list[Round]:
    return load_all(conn, Round, tournament_id=tournament_id)


def add_tables(conn: Connection, made: Sequence[RoundTable], seats: Sequence[Tenure]) -> None:
    add_values(conn, made)
    add_values(conn, seats)


def change_table(conn: Connection, tournament_id: str, number: int, table: int, **changed: Any) -> None:
    where = (TABLE.c.tournament_id == tournament_id, TABLE.c.round == number, TABLE.c.number == table)
    conn.execute(update(TABLE).where(*where).values(changed))


def tables_of(
    conn: Connection, tournament_id: str, number: int = 0, states: Collection[TableState] = ()
) -> list[RoundTable]:
    of_round = {"round": number} if number else {}
    in_states = [TABLE.c.state.in_(states)] if states else ()
    return load_all(conn, RoundTable, *in_states, tournament_id=tournament_id, **of_round)


def table_of_game(conn: Connection, game_id: str) -> RoundTable | None:
    return load(conn, RoundTable, game_id=game_id) if game_id else None


def tournament_of(conn: Connection, game_id: str) -> str:
    seated = table_of_game(conn, game_id)
    return seated.tournament_id if seated else ""


def tables_to_result(conn: Connection) -> list[RoundTable]:
    return _with_game(conn, TABLE.c.state == "playing", GAME.c.status == "over")


def tables_undone(conn: Connection) -> list[RoundTable]:
    return _with_game(conn, TABLE.c.state == "finished", GAME.c.status != "over")


def _with_game(conn: Connection, *where: ColumnElement[bool]) -> list[RoundTable]:
    return fetch(conn, RoundTable, query(RoundTable, *where).join(GAME, GAME.c.id == TABLE.c.game_id))


def tables_playing(conn: Connection, tournament_id: str = "") -> list[TablePlayed]:
    of_game = (GAME.c.created_at, GAME.c.turn, GAME.c.status == "held", GAME.c.stopped_at)
    found = select(*of_game, *columns_of(RoundTable)).join(GAME, GAME.c.id == TABLE.c.game_id)
    found = found.where(TABLE.c.state == "playing", GAME.c.status != "over")
    if tournament_id:
        found = found.where(TABLE.c.tournament_id == tournament_id)
    return [
        TablePlayed(RoundTable(*table), began, turn, held, stopped_at)
        for began, turn, held, stopped_at, *table in conn.execute(found.order_by(*TABLE.primary_key.columns))
    ]


def seats_in_care(conn: Connection) -> set[tuple[str, str]]:
    found = select(SEAT.c.game_id, SEAT.c.faction).join(TABLE, TABLE.c.game_id == SEAT.c.game_id)
    found = found.where(TABLE.c.state == "playing", SEAT.c.care)
    return {(row.game_id, row.faction) for row in conn.execute(found)}


def tenures_of(conn: Connection, tournament_id: str, number: int = 0, table: int = 0) -> list[Tenure]:
    at = ({"round": number} if number else {}) | ({"table": table} if table else {})
    return load_all(conn, Tenure, tournament_id=tournament_id, **at)


def now_sitting(conn: Connection, tournament_id: str, number: int = 0, table: int = 0) -> list[Tenure]:
    return [tenure for tenure in tenures_of(conn, tournament_id, number, table) if not tenure.last]


def games_of(conn: Connection, tournament_id: str, entrant: int) -> list[str]:
    at = (TENURE.c.tournament_id == TABLE.c.tournament_id, TENURE.c.round == TABLE.c.round)
    found = select(TABLE.c.game_id).join(TENURE, and_(*at, TENURE.c.table == TABLE.c.number))
    found = found.where(TENURE.c.tournament_id == tournament_id, TENURE.c.entrant == entrant, TENURE.c.last == 0)
    found = found.where(TABLE.c.state == "playing", TABLE.c.game_id != "").order_by(TABLE.c.round, TABLE.c.number)
    return list(conn.execute(found).scalars())


def change_tenure(conn: Connection, held: Tenure, **changed: Any) -> None:
    conn.execute(update(TENURE).where(*_of_seat(held), TENURE.c.number == held.number).values(changed))


def next_tenure(conn: Connection, held: Tenure, last: int, then: Tenure) -> None:
    change_tenure(conn, held, last=last)
    most = conn.execute(select(func.max(TENURE.c.number)).where(*_of_seat(held))).scalar_one()
    add_value(conn, replace(then, number=int(most) + 1))


def _of_seat(held: Tenure) -> tuple[ColumnElement[bool], ...]:
    return tuple(TENURE.c[name] == getattr(held, name) for name in ("tournament_id", "round", "table", "dot"))


class _Outcome(TypeDecorator[TableOutcome]):
    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: TableOutcome | None, dialect: Dialect) -> bytes:
        return msgspec.json.encode(value, order="deterministic")

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> TableOutcome:
        return msgspec.json.decode(value or b"", type=TableOutcome)


@dataclass(frozen=True, slots=True)
class Result:
    """A version of a table's result. The version with the highest number counts. ``by`` is the right under which the
    result was entered, or "" if it comes from the game itself. ``stands_at`` is when the time for protests ends."""

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


RESULT = table_of(
    "tournament_result",
    Result,
    Column("outcome", _Outcome, nullable=False),
    key="tournament_id round table version",
    refers="tournament_id",
    round=int,
    table=int,
    version=int,
)


def add_result(conn: Connection, result: Result) -> Result:
    last = conn.execute(select(func.max(RESULT.c.version)).where(*_of_table(result))).scalar_one()
    made = replace(result, outcome=msgspec.structs.replace(result.outcome, version=int(last or 0) + 1))
    add_value(conn, made, round=made.outcome.round, table=made.outcome.table, version=made.outcome.version)
    installation.note_failure(conn, "ratings", result.at)
    return made


def set_result_state(conn: Connection, result: Result, state: ResultState) -> None:
    """Mark a result as confirmed, amended (another version supersedes it) or withdrawn (the table no longer has a
    result)."""
    conn.execute(update(RESULT).where(*_this(result)).values(state=state))
    if state == "withdrawn":
        installation.note_failure(conn, "ratings", result.at)


def postpone_result(conn: Connection, result: Result, stands_at: datetime) -> None:
    conn.execute(update(RESULT).where(*_this(result)).values(stands_at=stands_at))


def _this(result: Result) -> tuple[ColumnElement[bool], ...]:
    return (*_of_table(result), RESULT.c.version == result.outcome.version)


def _of_table(result: Result) -> tuple[ColumnElement[bool], ...]:
    number, table = result.place
    return (RESULT.c.tournament_id == result.tournament_id, RESULT.c.round == number, RESULT.c.table == table)


def result_versions(conn: Connection, tournament_id: str) -> list[Result]:
    return load_all(conn, Result, tournament_id=tournament_id)


def newest_results(conn: Connection, tournament_id: str) -> dict[tuple[int, int], Result]:
    last = {result.place: result for result in result_versions(conn, tournament_id)}
    return {place: result for place, result in last.items() if result.state != "withdrawn"}


def results_to_confirm(conn: Connection, now: datetime) -> list[Result]:
    due = (RESULT.c.stands_at != NO_INSTANT, RESULT.c.stands_at <= now)
    return load_all(conn, Result, *due, state="provisional")


MatterKind = Literal["protest", "words", "draw", "start", "close", "overdue", "held"]


@dataclass(frozen=True, slots=True)
class Matter:
    """A matter that an organiser must handle. ``place`` is the round and the table that it is about, or (0, 0).
    ``number`` is the number of the protest or question, and ``entrant`` the person who made it."""

    kind: MatterKind
    since: datetime
    place: tuple[int, int] = (0, 0)
    number: int = 0
    game: str = ""
    entrant: int = 0

    @property
    def table(self) -> str:
        return f"{self.place[0]}.{self.place[1]}"


def waiting_matters(conn: Connection, tournament: Tournament, now: datetime) -> list[Matter]:
    found = [
        Matter("protest", paper.at, (paper.round, paper.table), paper.id)
        for paper in tournaments.papers_of(conn, tournament.id, "protest")
    ]
    found += [
        Matter("words", paper.at, number=paper.id, entrant=paper.entrant)
        for paper in tournaments.papers_of(conn, tournament.id, "words")
    ]
    if tournament.state == "open" and tournament.until and tournament.until <= now:
        found.append(Matter("draw", tournament.until))
    tables = tables_of(conn, tournament.id)
    stopped = {each.table.game_id: each.stopped_at for each in tables_playing(conn, tournament.id)}
    for each in rounds_of(conn, tournament.id):
        found += _of_round(conn, each, [table for table in tables if table.round == each.number], stopped, now)
    found = [each for each in found if not _happens_by_itself(conn, tournament, each.kind)]
    return sorted(found, key=lambda matter: (matter.since, matter.kind, matter.place, matter.number))


STEP_OF: Mapping[str, str] = {"draw": "draw", "start": "start", "close": "round", "overdue": "round"}
"""For each kind of matter, the setting that automates the step that settles it."""
STEPS_TO: Mapping[str, tuple[str, ...]] = {
    "draw": ("closing", "check-in", "freeze", "draw"), "start": ("start",), "close": ("round",),
    "overdue": ("unfinished",),
}  # fmt: skip
"""For each kind of matter, the automatic steps that settle it or lead to the step that does."""


def _happens_by_itself(conn: Connection, tournament: Tournament, kind: MatterKind) -> bool:
    if kind not in STEP_OF or not tournament.settings.is_automatic(STEP_OF[kind]):
        return False
    steps = tournaments.papers_of(conn, tournament.id, "step", state=None)
    held = [paper for paper in tournaments.papers_of(conn, tournament.id, "hold") if paper.until is None]
    return bool(steps) and not held and steps[-1].state == "open" and steps[-1].words.split()[0] in STEPS_TO[kind]


def _of_round(
    conn: Connection, each: Round, tables: list[RoundTable], stopped: Mapping[str, datetime | None], now: datetime
) -> list[Matter]:
    if each.state == "drawn" and each.opens is None:  # the factions of this round are settled
        drawn = [act.at for act in acts.acts_of(conn, tournament_id=each.tournament_id) if act.what == "draw"]
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
