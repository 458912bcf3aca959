"""Protests: an entrant says that a result is wrong, and nobody hears of it but the arbiters whom it does not concern.

A result is not confirmed before the protests about it are decided. One may protest until the next round is drawn.
"""

from __future__ import annotations

from datetime import datetime

from bot.clock.instants import stamp
from bot.games.open_games import OpenGames
from bot.store.database import Connection
from bot.store.tournaments import acts, papers, results, rights
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.papers import Paper
from bot.store.tournaments.rounds import RoundTable
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import By, Refused, acting
from bot.tournament.letters import Letter, tell
from bot.tournament.places import (
    by_number,
    ever_there,
    require_right,
    require_unconcerned,
    table_named,
    written,
)
from bot.tournament.standing import draw_of
from bot.wording.sentences import say

MOST_WORDS = 4_000
"""So many characters of a protest are kept."""


def protest(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, said: str, text: str,
    now: datetime,
) -> RoundTable:  # fmt: skip
    """File a protest about the result of a table. Refused where they never sat there, where it has no result, and once
    the next round is drawn."""
    text = " ".join(text.split())[:MOST_WORDS]
    table = table_named(conn, tournament.id, said)
    if entrant.number not in {each.number for each in ever_there(conn, table)}:
        raise Refused(f"You did not play at table {written(table)}; only who did can protest about it.")
    if not text:
        raise Refused(f"Say what is wrong: protest {written(table)}: and your reason.")
    if results.newest(conn, tournament.id).get(table.place) is None:
        raise Refused(f"Table {written(table)} has no result yet about which one could protest.")
    if _later_is_drawn(conn, table):
        raise Refused("The next round is drawn; protests closed with it.")
    number = papers.file(conn, Paper(tournament.id, entrant.number, "protest", text, now, table.round, table.number))
    acts.add(conn, tournament.id, now, "protest", f"table {written(table)}", audience="directors")
    subject = say("tournament.protest.subject", table=written(table))
    told = [say("tournament.protest.filed", handle=entrant.handle, table=written(table), text=text)]
    told.append(say("tournament.protest.advice", tournament=tournament.id, number=number))
    _tell_arbiters(conn, open_games, tournament, table, now, subject, told, f"protest.{number}")
    return table


def open_now(conn: Connection, tournament_id: str) -> list[Paper]:
    """The protests that wait for a decision."""
    return papers.of_tournament(conn, tournament_id, "protest")


def dismiss(open_games: OpenGames, tournament_id: str, number: int, by: By, now: datetime) -> Paper:
    """Decide that a result stays as it is; who protested is told why."""
    if not by.why.strip():
        raise Refused("A protest is answered with a reason: say it with --why.")
    with acting(open_games, tournament_id, seen=by.seen) as (conn, tournament):
        found = next((paper for paper in open_now(conn, tournament_id) if paper.id == number), None)
        if found is None:
            raise Refused(f"No protest {number} waits in {tournament_id}; `mentat tournament protests` names them.")
        table = table_named(conn, tournament_id, f"{found.round}.{found.table}")
        require_right(conn, tournament_id, by, "director", "arbiter", "deputy")
        require_unconcerned(conn, table, by)
        decided(conn, open_games, tournament, table, now, upheld=False, why=by.why, only=number)
        acts.add(
            conn, tournament_id, now, "dismiss", f"a protest about table {written(table)}", who=by.address,
            right=by.right, why=by.why, audience="directors",
        )  # fmt: skip
    return found


def decided(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, now: datetime, *, upheld: bool,
    why: str, only: int = 0,
) -> None:  # fmt: skip
    """The protests about a table are decided; who filed them are told."""
    known = by_number(conn, tournament.id)
    for paper in open_now(conn, tournament.id):
        if (paper.round, paper.table) != table.place or only not in (0, paper.id):
            continue
        papers.set_state(conn, paper.id, "answered" if upheld else "refused")
        subject = say("tournament.protest.answered", table=written(table))
        told = say(
            "tournament.protest.upheld" if upheld else "tournament.protest.dismissed", table=written(table), why=why
        )
        cause = f"protest.{written(table)}.{stamp(paper.at)}.decided"
        tell(conn, open_games.writer, known[paper.entrant], now, Letter(subject, [told], cause))


def _tell_arbiters(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, now: datetime, subject: str,
    told: list[str], cause: str,
) -> None:  # fmt: skip
    """A letter to each arbiter whom the table does not concern; to directors where there is none, and to the game
    master where there are none either."""
    free = [who for who in rights.of_tournament(conn, tournament.id) if _unconcerned(conn, table, who.address)]
    arbiters = [who for who in free if who.right == "arbiter"] or [who for who in free if who.right == "director"]
    for who in arbiters:
        about = f"tournament.{tournament.id}.{who.address}.{cause}"
        open_games.writer.tell(conn, now, who.address, subject, told, about, who.token)
    if not arbiters:
        open_games.writer.tell_game_master(conn, now, subject, told, f"tournament.{tournament.id}.{cause}")


def _unconcerned(conn: Connection, table: RoundTable, address: str) -> bool:
    try:
        require_unconcerned(conn, table, By(address))
    except Refused:
        return False
    return True


def _later_is_drawn(conn: Connection, table: RoundTable) -> bool:
    """Whether a round was drawn that was not drawn together with the table's own."""
    later = [each for each in rows.rounds(conn, table.tournament_id) if each.number > table.round]
    drawn = [draw for each in later if (draw := draw_of(each)) is not None]
    return any(table.round not in draw.rounds for draw in drawn)
