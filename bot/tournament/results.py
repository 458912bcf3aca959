"""Results of tables: provisional when a game ends, confirmed when nobody has protested, withdrawn when the game is
taken back. A result is never changed: another version supersedes it (``bot.tournament.amending``).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from bot.competition import outcomes
from bot.competition.outcomes import TableOutcome
from bot.competition.published import TableState
from bot.competition.result_checks import ResultRefused, require_possible
from bot.games.open_games import OpenGames
from bot.store.database import Connection, reading
from bot.store.persons import who_ordered
from bot.store.tournaments import acts, papers, results
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.results import Result
from bot.store.tournaments.rounds import RoundTable
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import By, Refused, acting
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.outcome import outcome_now
from bot.tournament.places import by_number, fresh, guarded, instant, players, written
from bot.wording.filters import name
from bot.wording.sentences import say

GAME = By("", "", "")
"""Nobody writes the result of a game that has ended; it is the game's own."""


def take_ended(open_games: OpenGames, now: datetime) -> None:
    """Write the results of all games that have ended."""
    with reading(open_games.engine) as conn:
        ended = rows.ended_games(conn)
    for table in ended:
        with guarded("the result", table.game_id), acting(open_games, table.tournament_id) as (conn, tournament):
            here = fresh(conn, table)
            if here.state == "playing":
                write(conn, open_games, tournament, here, of_game(conn, here, now), GAME, now, "finished")


def of_game(conn: Connection, table: RoundTable, now: datetime) -> TableOutcome:
    """How the game of a table ends now, with who held its seats."""
    return with_tenures(conn, table, outcome_now(conn, table.game_id, now.astimezone(UTC).date()))


def with_tenures(conn: Connection, table: RoundTable, outcome: TableOutcome) -> TableOutcome:
    """The outcome of this table of the tournament: its round and number, who held each seat, and what they paid."""
    known = by_number(conn, table.tournament_id)
    held: dict[int, list[outcomes.Tenure]] = {}
    price: dict[int, int] = {}
    for tenure in rows.tenures(conn, table.tournament_id, table.round, table.number):
        price.setdefault(tenure.dot, tenure.price)
        wrote = tenure.ordered or (not tenure.last and has_ordered(conn, table, tenure))
        held.setdefault(tenure.dot, []).append(
            outcomes.Tenure(
                entrant=known[tenure.entrant].handle if tenure.entrant else "", first=tenure.first,
                last=tenure.last or max(outcome.turn, tenure.first), why=tenure.why, resigned=tenure.resigned,
                ordered=wrote and bool(tenure.entrant),
            )
        )  # fmt: skip
    seats = tuple(
        replace(seat, tenures=tuple(held.get(seat.dot, ())), price=price.get(seat.dot, 0)) for seat in outcome.seats
    )
    return replace(outcome, round=table.round, table=table.number, seats=seats)


def has_ordered(conn: Connection, table: RoundTable, tenure: rows.Tenure) -> bool:
    """Whether who holds a seat now has ever sent an order."""
    return tenure.faction in who_ordered(conn, table.game_id, tenure.since)


def write(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, outcome: TableOutcome, by: By,
    now: datetime, state: TableState,
) -> Result:  # fmt: skip
    """Write the next version of the result of a table and tell its players. Refused if it cannot be one."""
    try:
        require_possible(outcome)
    except ResultRefused as refused:
        raise Refused(str(refused)) from None
    before = results.newest(conn, tournament.id).get(table.place)
    if before is not None:
        results.set_state(conn, before, "amended")
    until = now + timedelta(hours=tournament.settings.endings.protest_hours)
    kept = results.add(conn, Result(tournament.id, outcome, "provisional", by.right, by.why, now, until))
    rows.change_table(conn, tournament.id, table.round, table.number, state=state)
    _ask_nobody(conn, table)
    acts.add(
        conn, tournament.id, now, "result", f"table {written(table)}: {in_words(kept.outcome)}", who=by.address,
        right=by.right, why=by.why,
    )  # fmt: skip
    _tell(conn, open_games, table, kept, now, amended=before is not None)
    return kept


def _ask_nobody(conn: Connection, table: RoundTable) -> None:
    """Whoever is asked to take a seat of this table is so no more, and may be asked for another."""
    for paper in papers.of_tournament(conn, table.tournament_id, "substitution"):
        if (paper.round, paper.table) == table.place:
            papers.set_state(conn, paper.id, "gone")


def in_words(outcome: TableOutcome) -> str:
    """A result in a few words, for the record: "atreides + emperor, stronghold, turn 7"."""
    won = " + ".join(outcome.winners)
    return f"{won}, {outcome.kind}, turn {outcome.turn}" if won else outcome.kind


def _tell(
    conn: Connection, open_games: OpenGames, table: RoundTable, kept: Result, now: datetime, *, amended: bool
) -> None:  # fmt: skip
    outcome, about = kept.outcome, written(table)
    said = "tournament.result.won" if outcome.winners else "tournament.result.void"
    winners = [name(faction) for faction in outcome.winners]
    told = [say(said, table=about, game=table.game_id, winners=winners, kind=outcome.kind, turn=outcome.turn)]
    told += [say("tournament.result.why", why=kept.why)] if kept.why else []
    told += [say("tournament.result.amended", table=about)] if amended else []
    subject = say("tournament.result.subject", table=about)
    for entrant in players(conn, table):
        last = kept.stands_at
        stands = [say("tournament.result.stands", when=instant(last, entrant), table=about)] if last else []
        cause = f"result.{about}.{outcome.version}"
        tell(conn, open_games.writer, entrant, now, Letter(subject, [*told, *stands], cause))


def confirm_due(open_games: OpenGames, now: datetime) -> None:
    """Results stand against which nobody may protest any more; those about which a protest is open wait for it."""
    with reading(open_games.engine) as conn:
        due = results.to_confirm(conn, now)
    for result in due:
        with guarded("confirming", f"{result.tournament_id} {result.place}"):
            _confirm(open_games, result, now)


def _confirm(open_games: OpenGames, result: Result, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        if open_protests(conn, result.tournament_id, result.place):
            return
    with acting(open_games, result.tournament_id) as (conn, tournament):
        kept = results.newest(conn, tournament.id).get(result.place)
        if kept is None or kept.state != "provisional" or open_protests(conn, tournament.id, result.place):
            return
        results.set_state(conn, kept, "confirmed")
        place = "{}.{}".format(*kept.place)
        acts.add(conn, tournament.id, now, "confirm", f"table {place}, version {kept.outcome.version}")


def open_protests(conn: Connection, tournament_id: str, place: tuple[int, int]) -> list[papers.Paper]:
    """The protests about a table that nobody has decided."""
    every = papers.of_tournament(conn, tournament_id, "protest")
    return [paper for paper in every if (paper.round, paper.table) == place]


def withdraw_undone(open_games: OpenGames, now: datetime) -> None:
    """A game was taken back after its result was written: the result is withdrawn, and its players are told."""
    with reading(open_games.engine) as conn:
        undone = rows.undone(conn)
    for table in undone:
        with guarded("withdrawing a result", table.game_id), acting(open_games, table.tournament_id) as (conn, cup):
            here = fresh(conn, table)
            kept = results.newest(conn, cup.id).get(here.place)
            if here.state != "finished" or kept is None:
                continue
            results.set_state(conn, kept, "withdrawn")
            rows.change_table(conn, cup.id, here.round, here.number, state="playing")
            about = written(here)
            acts.add(conn, cup.id, now, "withdraw result", f"table {about}, version {kept.outcome.version}")
            subject = say("tournament.result.withdrawn-subject", table=about)
            told = [say("tournament.result.withdrawn", table=about, game=here.game_id)]
            cause = f"withdrawn.{about}.{kept.outcome.version}"
            for entrant in players(conn, here):
                tell(conn, open_games.writer, entrant, now, Letter(subject, told, cause))
            tell_organisers(conn, open_games.writer, cup, now, Letter(subject, told, cause), place=here.place)
