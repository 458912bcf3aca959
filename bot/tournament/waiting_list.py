"""The waiting list of a tournament that is full: who comes next is invited, and has some hours to answer.

On the list are those who confirmed and got no place, in the order in which they did. Who asked to be only a substitute
is behind them, and is not invited to a place of their own.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.games.open_games import OpenGames
from bot.post.letter_writer import LetterWriter
from bot.store.database import Connection, reading
from bot.store.tournaments import entrants, papers, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.papers import Paper
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import entry_letters
from bot.tournament.desk import acting


def is_full(conn: Connection, tournament: Tournament) -> bool:
    """Whether as many are in, or are invited, as can be."""
    most = tournament.settings.people.most
    return bool(most) and len(entrants.of_tournament(conn, tournament.id, ["confirmed", "invited"])) >= most


def waiting(conn: Connection, tournament_id: str) -> list[Entrant]:
    """The list in its order: those who want a place, then those who are substitutes only."""
    listed = entrants.of_tournament(conn, tournament_id, ["standby"])
    return sorted(listed, key=lambda each: (each.standby, each.confirmed_at or each.entered_at, each.number))


def place_of(conn: Connection, entrant: Entrant) -> int:
    """Their place on the list, from 1; 0 if they are not on it."""
    numbers = [each.number for each in waiting(conn, entrant.tournament_id)]
    return numbers.index(entrant.number) + 1 if entrant.number in numbers else 0


def fill(conn: Connection, writer: LetterWriter, tournament: Tournament, now: datetime) -> None:
    """Invite the next ones while there are places. Who has let an invitation pass is not invited again."""
    if tournament.state != "open" or not tournament.settings.people.most:
        return
    asked = {paper.entrant for paper in papers.of_tournament(conn, tournament.id, "invitation", state=None)}
    for entrant in waiting(conn, tournament.id):
        if is_full(conn, tournament):
            return
        if not entrant.standby and entrant.number not in asked:
            _invite(conn, writer, tournament, entrant, now)


def _invite(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, now: datetime
) -> None:  # fmt: skip
    until = now + timedelta(hours=tournament.settings.people.invite_hours)
    if tournament.until is not None:
        until = min(until, max(tournament.until, now + timedelta(hours=1)))
    papers.file(conn, Paper(tournament.id, entrant.number, "invitation", "", now, until=until))
    entrants.change(conn, tournament.id, entrant.number, state="invited")
    tournaments.touch(conn, tournament.id)
    entry_letters.invited(conn, writer, tournament, entrant, now, until)


def answer(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, paper: Paper, now: datetime, *,
    accepted: bool,
) -> bool:  # fmt: skip
    """They answer their invitation; whether they are in. One that is over counts while there is a place."""
    in_time = paper.state == "open"
    if accepted and (in_time or (tournament.state == "open" and not is_full(conn, tournament))):
        papers.set_state(conn, paper.id, "answered")
        entrants.change(conn, tournament.id, entrant.number, state="confirmed")
        tournaments.touch(conn, tournament.id)
        return True
    if in_time:
        papers.set_state(conn, paper.id, "refused")
        entrants.change(conn, tournament.id, entrant.number, state="standby")
        tournaments.touch(conn, tournament.id)
        fill(conn, writer, tournament, now)
    return False


def close_invitations(conn: Connection, entrant: Entrant) -> None:
    """Nothing is asked of an entrant any more."""
    for paper in papers.of_tournament(conn, entrant.tournament_id, "invitation"):
        if paper.entrant == entrant.number:
            papers.set_state(conn, paper.id, "gone")


def end_invitations(conn: Connection, tournament_id: str) -> None:
    """Entries are closed: who has not answered an invitation by now stays on the list."""
    for paper in papers.of_tournament(conn, tournament_id, "invitation"):
        _over(conn, paper)


def _over(conn: Connection, paper: Paper) -> None:
    papers.set_state(conn, paper.id, "gone")
    entrants.change(conn, paper.tournament_id, paper.entrant, state="standby")


def invitations_end(open_games: OpenGames, now: datetime) -> None:
    """Invitations that nobody has answered are over; the next one on the list is invited. Their reader stays on it."""
    with reading(open_games.engine) as conn:
        over = {paper.tournament_id for paper in papers.due(conn, now) if paper.kind == "invitation"}
    for tournament_id in sorted(over):
        with acting(open_games, tournament_id) as (conn, tournament):
            for paper in papers.due(conn, now):
                if paper.kind == "invitation" and paper.tournament_id == tournament_id:
                    _over(conn, paper)
            fill(conn, open_games.writer, tournament, now)
