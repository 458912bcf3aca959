"""Substitutes: who does not show up, or drops out, is followed by the next standby who fits.

A standby is asked, and has some hours to answer; then the next is. In the first turn they take the seat of a no-show at
once. Meanwhile the caretaker plays. Nobody takes a seat at a table where they sit or have sat, where somebody sits from
whom they are kept apart, or into whose secrets they may have looked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.clock.instants import stamp
from bot.game_master.substitutes import SeatRefused, require_free, take_seat
from bot.games.open_games import OpenGames
from bot.identity.persons import are_one
from bot.store import games
from bot.store.database import Connection
from bot.store.tournaments import acts, entrants, papers, rights
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.papers import Paper
from bot.store.tournaments.rounds import RoundTable, Tenure
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import draw_letters, waiting_list
from bot.tournament.desk import By, Refused, acting
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.places import (
    ever_there,
    instant,
    require_right,
    require_unconcerned,
    sitting,
    table_named,
    written,
)
from bot.tournament.vacancies import taken_by, vacant, vacate
from bot.wording.sentences import say
from rules.components import Faction, as_faction, faction_name

HOUR = timedelta(hours=1)
SEES_SECRETS = ("director", "deputy", "arbiter", "auditor")


@dataclass(frozen=True, slots=True)
class Filled:
    """What became of a seat: who has taken it, or who is asked to, and until when; neither: nobody fits."""

    table: RoundTable
    faction: Faction
    seated: Entrant | None = None
    asked: Entrant | None = None
    until: datetime | None = None


# --- who fits --------------------------------------------------------------------------------------------------------


def refusal(conn: Connection, open_games: OpenGames, table: RoundTable, entrant: Entrant) -> str:
    """Why somebody cannot take a seat of this table, by the name of the rule alone; "" if they can."""
    where, who = f"table {written(table)}", entrant.handle
    there = ever_there(conn, table)
    if entrant.number in {held.number for held, _ in _now(conn, table)}:
        return f"{who} sits at {where}, and nobody has two seats of one game."
    if entrant.number in {each.number for each in there}:
        return f"{who} was replaced at {where}, and does not come back to it."
    if entrant.no_show or entrant.state in ("withdrawn", "disqualified"):
        return f"{who} is {'a no-show' if entrant.no_show else entrant.state} and takes no seat."
    if entrant.confirmed_at is None:
        return f"{who} has not confirmed and takes no seat."
    if entrant.state != "standby" and not entrant.standby:
        return f"{who} is {entrant.state} and no standby; only standbys take seats of others."
    seated = {each.number for each in there}
    for pair in entrants.apart(conn, table.tournament_id):
        if entrant.number in (pair.one, pair.other) and {pair.one, pair.other} - {entrant.number} <= seated:
            return f"{who} is of a pair that is kept apart, and does not sit at {where}."
    granted = rights.of_person(conn, table.tournament_id, entrant.address)
    master = are_one(conn, open_games.settings, open_games.settings.mentat.game_master, entrant.address)
    if master or (granted is not None and granted.right in SEES_SECRETS):
        return f"{who} may see the secrets of {where}, and does not sit there."
    return ""


def _now(conn: Connection, table: RoundTable) -> list[tuple[Entrant, Tenure]]:
    return [(entrant, held) for held, entrant in sitting(conn, table) if entrant is not None]


def standbys(conn: Connection, open_games: OpenGames, table: RoundTable, faction: str) -> Iterator[Entrant]:
    """Who may be asked to take a seat, in the order of the waiting list: once for each seat, and for one at a time."""
    filed = papers.of_tournament(conn, table.tournament_id, "substitution", state=None)
    busy = {paper.entrant for paper in filed if paper.state == "open"}
    asked = {paper.entrant for paper in filed if is_for(paper, table.place, faction)}
    for entrant in waiting_list.waiting(conn, table.tournament_id):
        fits = entrant.number not in busy | asked and not refusal(conn, open_games, table, entrant)
        if fits and _is_let_in(conn, open_games, table, faction, entrant):
            yield entrant


def _is_let_in(conn: Connection, open_games: OpenGames, table: RoundTable, faction: str, entrant: Entrant) -> bool:
    """Whether the game lets them take the seat: not who is banned, nor who sits in there for somebody else."""
    if not table.game_id:
        return True
    game = open_games.table(conn, table.game_id)
    try:
        require_free(conn, open_games, game, as_faction(faction), entrant.address)
    except SeatRefused:
        return False
    return True


# --- giving a seat ---------------------------------------------------------------------------------------------------


def substitute(
    open_games: OpenGames, tournament_id: str, said: str, faction: Faction, handle: str, by: By, now: datetime, *,
    dry_run: bool = False,
) -> Filled:  # fmt: skip
    """A director gives a seat to a standby, or, without a handle, has the next one who fits asked. Whoever held it is
    gone. Refused by the name of the rule that forbids it."""
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        table = table_named(conn, tournament_id, said)
        require_right(conn, tournament_id, by, "director", "deputy")
        require_unconcerned(conn, table, by)
        held = seat_of(conn, table, faction)
        entrant = entrants.find(conn, tournament_id, handle) if handle else None
        if handle and entrant is None:
            raise Refused(f"{tournament_id} has no entrant {handle}.")
        if entrant is not None and (why := refusal(conn, open_games, table, entrant)):
            raise Refused(why)
        words = f"table {written(table)}, {faction}" + (f": {entrant.handle}" if entrant else "")
        acts.add(
            conn, tournament_id, now, "substitute", words, who=by.address, right=by.right, why=by.why,
            audience="directors",
        )  # fmt: skip
        if table.state == "planned":
            return before_play(conn, open_games, tournament, table, held, now, entrant)
        if not vacant(held):
            vacate(conn, open_games, table, held, now)
            held = seat_of(conn, table, faction)
        stop_asking(conn, table, faction)
        if entrant is not None:
            seat(conn, open_games, tournament, table, held, entrant, now)
            return Filled(table, faction, seated=entrant)
        return ask_next(conn, open_games, tournament, table, held, now)


def seat_of(conn: Connection, table: RoundTable, faction: Faction) -> Tenure:
    """Who holds a seat of a table now. Refused where nobody takes one there, or that faction is not played."""
    if table.state not in ("planned", "playing"):
        raise Refused(f"Table {written(table)} is {table.state}; nobody takes a seat there.")
    for held, _ in sitting(conn, table):
        if held.faction == faction:
            return held
    raise Refused(f"{faction_name(faction)} is not played at table {written(table)}.")


def seat(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, held: Tenure,
    entrant: Entrant, now: datetime,
) -> None:  # fmt: skip
    """Give a vacant seat to a standby, who is briefed with all that it knows. Refused where the game forbids it."""
    game = open_games.table(conn, table.game_id)
    faction = as_faction(held.faction)
    try:
        take_seat(
            conn, open_games, game, faction, entrant.address, now, (entrant.shown and entrant.name) or entrant.handle
        )
    except SeatRefused as refused:
        raise Refused(str(refused)) from None
    taken_by(conn, table, held, entrant, "substitute", now)
    games.close(conn, game)
    entrants.change(conn, tournament.id, entrant.number, state="playing")
    words = f"table {written(table)}, {faction}: {entrant.handle}"
    acts.add(conn, tournament.id, now, "seat taken", words, audience="directors")


def before_play(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, held: Tenure, now: datetime,
    entrant: Entrant | None = None,
) -> Filled:  # fmt: skip
    """Where a game has not begun, a standby (the next, if none is named) has the seat as if they had been drawn; the
    organisers are told where there is none."""
    entrant = entrant or next(standbys(conn, open_games, table, held.faction), None)
    rows.change_tenure(conn, held, entrant=entrant.number if entrant else 0)
    faction = as_faction(held.faction) if held.faction else ""
    if entrant is not None:
        entrants.change(conn, tournament.id, entrant.number, state="playing")
        subject = say("tournament.substitute.drawn-subject")
        told = [say("tournament.substitute.drawn", table=written(table))]
        told += draw_letters.of_one_seat(conn, tournament, held, entrant, now)
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"drawn.{written(table)}.{held.dot}"))
        return Filled(table, faction, seated=entrant)
    subject = say("tournament.substitute.gap-subject", table=written(table))
    told = [say("tournament.substitute.gap", table=written(table))]
    letter = Letter(subject, told, f"gap.{written(table)}.{held.dot}")
    tell_organisers(conn, open_games.writer, tournament, now, letter, place=table.place)
    return Filled(table, faction)


def ask_next(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, held: Tenure, now: datetime
) -> Filled:
    """Ask the next standby who fits to take a vacant seat; the organisers are told where there is none."""
    faction = as_faction(held.faction)
    entrant = next(standbys(conn, open_games, table, faction), None)
    if entrant is None:
        subject = say("tournament.substitute.nobody-subject", table=written(table))
        told = [say("tournament.substitute.nobody", table=written(table), game=table.game_id, faction=faction)]
        told.append(
            say("tournament.substitute.advice", tournament=tournament.id, table=written(table), faction=faction)
        )
        cause = f"nobody.{written(table)}.{faction}.{held.number}"
        tell_organisers(conn, open_games.writer, tournament, now, Letter(subject, told, cause), place=table.place)
        return Filled(table, faction)
    until = now + tournament.settings.people.answer_hours * HOUR
    papers.file(
        conn, Paper(tournament.id, entrant.number, "substitution", faction, now, table.round, table.number, until)
    )
    subject = say("tournament.substitute.asked-subject")
    turn, _ = games.progress(conn, table.game_id)
    told = [
        say("tournament.substitute.asked", faction=faction, table=written(table), turn=turn),
        say("tournament.substitute.credit"),
        say("tournament.substitute.how", until=instant(until, entrant)),
    ]
    tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"asked.{written(table)}.{faction}.{stamp(now)}"))
    return Filled(table, faction, asked=entrant, until=until)


def answer(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, accepted: bool, now: datetime
) -> Filled | None:
    """What a standby answers who was asked. Refused to who is not, or is no longer: the seat is somebody else's to
    take, and they keep their place on the list. None where they decline."""
    own = [
        paper for paper in papers.of_tournament(conn, tournament.id, "substitution", state=None)
        if paper.entrant == entrant.number
    ]  # fmt: skip
    asked = next((paper for paper in own if paper.state == "open"), None)
    if asked is None:
        if any(paper.state == "gone" for paper in own):
            raise Refused(say("tournament.substitute.too-late"))
        raise Refused(say("tournament.substitute.not-asked"))
    table = next(t for t in rows.tables(conn, tournament.id, asked.round) if t.number == asked.table)
    faction = as_faction(asked.words)
    held = next((each for each, _ in sitting(conn, table) if each.faction == faction), None)
    if table.state != "playing" or held is None or not vacant(held):
        raise Refused(say("tournament.substitute.too-late"))
    papers.set_state(conn, asked.id, "answered" if accepted else "refused")
    if not accepted:
        ask_next(conn, open_games, tournament, table, held, now)
        return None
    if refusal(conn, open_games, table, entrant):
        raise Refused(say("tournament.substitute.too-late"))
    seat(conn, open_games, tournament, table, held, entrant, now)
    return Filled(table, faction, seated=entrant)


def stop_asking(conn: Connection, table: RoundTable, faction: str) -> None:
    """Nobody is asked to take this seat any more."""
    for paper in papers.of_tournament(conn, table.tournament_id, "substitution"):
        if is_for(paper, table.place, faction):
            papers.set_state(conn, paper.id, "gone")


def is_for(paper: Paper, place: tuple[int, int], faction: str) -> bool:
    """Whether a paper asks somebody to take this seat: that of a faction at a table."""
    return (paper.round, paper.table, paper.words) == (*place, faction)
