"""Rounds of tournaments: their tables, who holds which seat when, results, and what waits for organisers.

A result is never changed: the next version supersedes it. ``waiting_matters`` is what waits at the desk of a
tournament, and since when: protests, draws, starts, results, rounds. It reads nothing sealed: a protest is a number and
a table.
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
    """A round. ``draw`` is its DrawRecord as JSON, empty before."""

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
    """A table of a round. ``deadline`` is its own end, where that differs from the round's; ``still_since``: since when
    its game stands still."""

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
        """Its round and its number."""
        return self.round, self.number


@dataclass(frozen=True, slots=True)
class TablePlayed:
    """A table whose game goes on: since when, which turn it is in, and whether it stands still: its clocks since
    ``stopped_at``, or the whole game until the rules play it as before (``held``)."""

    table: RoundTable
    began: datetime
    turn: int
    held: bool
    stopped_at: datetime | None


@dataclass(frozen=True, slots=True)
class Tenure:
    """Who holds a seat of a table from a turn on. ``number`` counts the tenures of a seat, ``entrant`` is 0 for nobody,
    ``last`` is 0 while they sit there. ``since``: from when on they are waited for, None for since the game began.
    ``spice``: how much more than its faction has they begin with, by a trade."""

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
    """Write a new round."""
    conn.execute(insert(ROUND), {**asdict(made), "hidden_turn": 0})


def change_round(conn: Connection, tournament_id: str, number: int, **changed: Any) -> None:
    """Change these columns of a round."""
    where = (ROUND.c.tournament_id == tournament_id, ROUND.c.number == number)
    conn.execute(update(ROUND).where(*where).values(changed))


def rounds_of(conn: Connection, tournament_id: str) -> list[Round]:
    """The rounds of a tournament by number."""
    columns = [ROUND.c[field.name] for field in fields(Round)]
    found = select(*columns).where(ROUND.c.tournament_id == tournament_id).order_by(ROUND.c.number)
    return [Round(**row._mapping) for row in conn.execute(found)]


def add_tables(conn: Connection, made: Sequence[RoundTable], seats: Sequence[Tenure]) -> None:
    """Write the tables of a round and who sits there."""
    if made:
        conn.execute(insert(TABLE), [asdict(table) for table in made])
    if seats:
        conn.execute(insert(TENURE), [asdict(tenure) for tenure in seats])


def change_table(conn: Connection, tournament_id: str, number: int, table: int, **changed: Any) -> None:
    """Change these columns of a table of the round of that number."""
    where = (TABLE.c.tournament_id == tournament_id, TABLE.c.round == number, TABLE.c.number == table)
    conn.execute(update(TABLE).where(*where).values(changed))


def tables_of(
    conn: Connection, tournament_id: str, number: int = 0, states: Collection[TableState] = ()
) -> list[RoundTable]:
    """The tables of a tournament, of one round, or in these states, in order."""
    found = select(TABLE).where(TABLE.c.tournament_id == tournament_id).order_by(TABLE.c.round, TABLE.c.number)
    if number:
        found = found.where(TABLE.c.round == number)
    if states:
        found = found.where(TABLE.c.state.in_(states))
    return [_table(row) for row in conn.execute(found)]


def table_of_game(conn: Connection, game_id: str) -> RoundTable | None:
    """The table at which a game is played, if it belongs to a tournament."""
    row = conn.execute(select(TABLE).where(TABLE.c.game_id == game_id)).one_or_none() if game_id else None
    return None if row is None else _table(row)


def tournament_of(conn: Connection, game_id: str) -> str:
    """The tournament to which a game belongs, "" for none."""
    seated = table_of_game(conn, game_id)
    return seated.tournament_id if seated else ""


def tables_to_result(conn: Connection) -> list[RoundTable]:
    """Tables whose game is over, and whose result is not written yet; of all tournaments."""
    found = select(TABLE).join(GAME, GAME.c.id == TABLE.c.game_id)
    found = found.where(TABLE.c.state == "playing", GAME.c.status == "over")
    return [_table(row) for row in conn.execute(found.order_by(TABLE.c.tournament_id, TABLE.c.round, TABLE.c.number))]


def tables_undone(conn: Connection) -> list[RoundTable]:
    """Tables of all tournaments that have finished, and whose game goes on again (it was taken back)."""
    found = select(TABLE).join(GAME, GAME.c.id == TABLE.c.game_id)
    found = found.where(TABLE.c.state == "finished", GAME.c.status != "over")
    return [_table(row) for row in conn.execute(found.order_by(TABLE.c.tournament_id, TABLE.c.round, TABLE.c.number))]


def tables_playing(conn: Connection, tournament_id: str = "") -> list[TablePlayed]:
    """Tables whose game goes on, of one tournament or of all."""
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
    """The seats, by game and faction, that a caretaker plays at tables whose games go on."""
    found = select(SEAT.c.game_id, SEAT.c.faction).join(TABLE, TABLE.c.game_id == SEAT.c.game_id)
    found = found.where(TABLE.c.state == "playing", SEAT.c.care)
    return {(row.game_id, row.faction) for row in conn.execute(found)}


def tenures_of(conn: Connection, tournament_id: str, number: int = 0, table: int = 0) -> list[Tenure]:
    """Who held which seat, of a tournament, a round, or a table; the seats by dot, each in order of time."""
    found = select(TENURE).where(TENURE.c.tournament_id == tournament_id)
    found = found.order_by(TENURE.c.round, TENURE.c.table, TENURE.c.dot, TENURE.c.number)
    if number:
        found = found.where(TENURE.c.round == number)
    if table:
        found = found.where(TENURE.c.table == table)
    return [Tenure(**row._mapping) for row in conn.execute(found)]


def now_sitting(conn: Connection, tournament_id: str, number: int = 0, table: int = 0) -> list[Tenure]:
    """Who holds each seat now."""
    return [tenure for tenure in tenures_of(conn, tournament_id, number, table) if not tenure.last]


def games_of(conn: Connection, tournament_id: str, entrant: int) -> list[str]:
    """The games of a tournament that are played and in which somebody holds a seat now, by table."""
    at = (TENURE.c.tournament_id == TABLE.c.tournament_id, TENURE.c.round == TABLE.c.round)
    found = select(TABLE.c.game_id).join(TENURE, and_(*at, TENURE.c.table == TABLE.c.number))
    found = found.where(TENURE.c.tournament_id == tournament_id, TENURE.c.entrant == entrant, TENURE.c.last == 0)
    found = found.where(TABLE.c.state == "playing", TABLE.c.game_id != "").order_by(TABLE.c.round, TABLE.c.number)
    return list(conn.execute(found).scalars())


def change_tenure(conn: Connection, held: Tenure, **changed: Any) -> None:
    """Change these columns of a tenure."""
    where = (
        TENURE.c.tournament_id == held.tournament_id, TENURE.c.round == held.round, TENURE.c.table == held.table,
        TENURE.c.dot == held.dot, TENURE.c.number == held.number,
    )  # fmt: skip
    conn.execute(update(TENURE).where(*where).values(changed))


def next_tenure(conn: Connection, held: Tenure, last: int, then: Tenure) -> None:
    """A seat changes hands: ``held`` ends with that turn, and ``then`` begins."""
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
    """A version of a result. ``by`` is the right with which it was written ("" : the game itself), ``stands_at`` when
    nobody may protest any more."""

    tournament_id: str
    outcome: TableOutcome
    state: ResultState
    by: str
    why: str
    at: datetime
    stands_at: datetime | None = None

    @property
    def place(self) -> tuple[int, int]:
        """Its round and table."""
        return self.outcome.round, self.outcome.table


def add_result(conn: Connection, result: Result) -> Result:
    """Write the next version of a result; it is returned with its number."""
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
    """A result stands now (``confirmed``), another supersedes it (``amended``), or there is none any more
    (``withdrawn``)."""
    where = (
        RESULT.c.tournament_id == result.tournament_id, RESULT.c.round == result.outcome.round,
        RESULT.c.table == result.outcome.table, RESULT.c.version == result.outcome.version,
    )  # fmt: skip
    conn.execute(update(RESULT).where(*where).values(state=state))
    if state == "withdrawn":
        installation.note_failure(conn, "ratings", result.at)


def postpone_result(conn: Connection, result: Result, stands_at: datetime) -> None:
    """One may protest against a result until then."""
    where = (
        RESULT.c.tournament_id == result.tournament_id, RESULT.c.round == result.outcome.round,
        RESULT.c.table == result.outcome.table, RESULT.c.version == result.outcome.version,
    )  # fmt: skip
    conn.execute(update(RESULT).where(*where).values(stands_at=stands_at))


def result_versions(conn: Connection, tournament_id: str) -> list[Result]:
    """All versions of all results of a tournament, by round, table and version."""
    found = select(RESULT).where(RESULT.c.tournament_id == tournament_id)
    rows = conn.execute(found.order_by(RESULT.c.round, RESULT.c.table, RESULT.c.version))
    return [_result(row) for row in rows]


def newest_results(conn: Connection, tournament_id: str) -> dict[tuple[int, int], Result]:
    """The version that counts of each result, by round and table. A table whose result was withdrawn has none."""
    last = {result.place: result for result in result_versions(conn, tournament_id)}
    return {place: result for place, result in last.items() if result.state != "withdrawn"}


def results_to_confirm(conn: Connection, now: datetime) -> list[Result]:
    """Provisional results, of all tournaments, against which nobody may protest any more."""
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
    """Something that an organiser has to do. ``place`` is the round and table that it is about, (0, 0) for none;
    ``number`` that of a protest."""

    kind: MatterKind
    since: datetime
    place: tuple[int, int] = (0, 0)
    number: int = 0
    game: str = ""

    @property
    def table(self) -> str:
        """The table, as it is named."""
        return f"{self.place[0]}.{self.place[1]}"


def waiting_matters(conn: Connection, tournament: Tournament, now: datetime) -> list[Matter]:
    """All that waits, the oldest first."""
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
