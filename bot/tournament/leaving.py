"""Who leaves a tournament in the middle of it: by their own wish, with their games or without, or disqualified."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.clock.instants import stamp
from bot.games.open_games import OpenGames
from bot.store.database import Connection
from bot.store.tournaments import acts, entrants, papers, tournaments
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import RoundTable, Tenure
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import waiting_list
from bot.tournament.desk import By, Refused, acting
from bot.tournament.letters import Letter, tell
from bot.tournament.places import require_right, written
from bot.tournament.progress import promote
from bot.tournament.substitutes import ask_next, before_play
from bot.tournament.vacancies import vacate
from bot.wording.sentences import say

Games = Literal["", "keep", "leave"]


def seats_of(conn: Connection, entrant: Entrant) -> list[tuple[RoundTable, Tenure]]:
    """The seats that an entrant holds at tables that are not decided."""
    every = rows.tables(conn, entrant.tournament_id, states=["planned", "playing"])
    going = {table.place: table for table in every}
    held = rows.now_sitting(conn, entrant.tournament_id)
    return [
        (going[place], each)
        for each in held
        if each.entrant == entrant.number and (place := (each.round, each.table)) in going
    ]


def plays(conn: Connection, entrant: Entrant) -> bool:
    """Whether a game of theirs goes on."""
    return any(table.state == "playing" for table, _ in seats_of(conn, entrant))


def withdraw(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, games: Games, by: By,
    now: datetime,
) -> None:  # fmt: skip
    """They are not drawn any more. Their games they play to the end (``keep``), or leave to substitutes (``leave``);
    Refused until they say which."""
    if entrant.state in ("withdrawn", "disqualified"):
        return
    seats = seats_of(conn, entrant)
    if any(table.state == "playing" for table, _ in seats) and not games:
        named = ", ".join(written(table) for table, _ in seats)
        raise Refused(
            f"{entrant.handle} plays at {named}: say --games keep, and they play these games to the end, or --games "
            "leave, and substitutes take their seats."
        )
    entrants.change(conn, tournament.id, entrant.number, state="withdrawn", code="", code_until=None)
    tournaments.touch(conn, tournament.id)
    _no_more_papers(conn, entrant, but_not=("vote", "protest") if games == "keep" else ())
    words = f"{entrant.handle} withdrew" + (f", games: {games}" if games else "")
    acts.add(
        conn, tournament.id, now, "withdraw", words, who=by.address, right=by.right, why=by.why, audience="directors"
    )
    for table, held in seats:
        if table.state == "planned" or games == "leave":
            _leave(conn, open_games, tournament, table, held, now)
    subject = say("tournament.leaving.subject", title=tournament.title)
    told = [say(f"tournament.leaving.{games or 'between'}", title=tournament.title)]
    tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"withdrawn.{stamp(now)}"))
    promote(conn, open_games, tournament, now)


def disqualify(
    open_games: OpenGames, tournament_id: str, handle: str, by: By, now: datetime, *, dry_run: bool = False
) -> Entrant:
    """They are out: their results stay in the record and score nothing, those of their opponents and allies stand, and
    substitutes take their seats. Refused without a reason."""
    if not by.why.strip():
        raise Refused("Somebody is disqualified for a reason: say it with --why.")
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "arbiter", "deputy")
        entrant = entrants.find(conn, tournament_id, handle)
        if entrant is None:
            raise Refused(f"{tournament_id} has no entrant {handle}.")
        if entrant.state == "disqualified":
            return entrant
        own = entrants.of_person(conn, tournament_id, by.address) if by.address else None
        if own is not None and own.number == entrant.number:
            raise Refused("Nobody decides about themselves; another director or arbiter can.")
        entrants.change(conn, tournament_id, entrant.number, state="disqualified")
        _no_more_papers(conn, entrant)
        acts.add(conn, tournament_id, now, "disqualify", entrant.handle, who=by.address, right=by.right, why=by.why)
        for table, held in seats_of(conn, entrant):
            _leave(conn, open_games, tournament, table, held, now)
        subject = say("tournament.leaving.disqualified-subject", title=tournament.title)
        told = [say("tournament.leaving.disqualified", title=tournament.title, why=by.why)]
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, "disqualified"))
        waiting_list.fill(conn, open_games.writer, tournament, now)
        promote(conn, open_games, tournament, now)
    return entrant


def _leave(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, held: Tenure, now: datetime
) -> None:
    """A seat is left. Where its game has not begun the next standby has it as if they had been drawn."""
    if table.state == "playing":
        vacate(conn, open_games, table, held, now, resigned=True)
        then = next(each for each in rows.now_sitting(conn, tournament.id, *table.place) if each.dot == held.dot)
        ask_next(conn, open_games, tournament, table, then, now)
        return
    before_play(conn, open_games, tournament, table, held, now)


def _no_more_papers(conn: Connection, entrant: Entrant, but_not: tuple[str, ...] = ()) -> None:
    for paper in papers.of_tournament(conn, entrant.tournament_id):
        if paper.entrant == entrant.number and paper.kind not in but_not:
            papers.set_state(conn, paper.id, "gone")
