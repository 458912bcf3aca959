"""Who does not show up at a table, or drops out of it, as the calendar finds it: the caretaker plays, the next standby
is asked, and whoever comes back in time has their seat again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from bot.games.open_games import OpenGames
from bot.store import games
from bot.store.database import Connection, reading
from bot.store.persons import last_orders
from bot.store.tournaments import acts, entrants, papers, tournaments
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.papers import Paper
from bot.store.tournaments.rounds import Playing, RoundTable, Tenure
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import acting
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.places import (
    by_number,
    fresh,
    guarded,
    written,
)
from bot.tournament.results import has_ordered
from bot.tournament.substitutes import HOUR, ask_next, is_for, seat, seat_of, standbys, stop_asking
from bot.tournament.vacancies import taken_by, vacant, vacate
from bot.wording.sentences import say
from rules.components import as_faction


def look_after_seats(open_games: OpenGames, now: datetime) -> None:
    """Find who has not shown up and who has dropped out, who is back, and whose time to answer has passed."""
    with reading(open_games.engine) as conn:
        going = [each for each in rows.playing(conn) if not (each.held or each.stopped_at)]
        todo = list(_with_something_to_do(conn, going, now))
    for each in todo:
        table = each.table
        with guarded("looking after seats", table.game_id), acting(open_games, table.tournament_id) as (conn, cup):
            if fresh(conn, table).state == "playing":
                _look(conn, open_games, cup, each, rows.in_care(conn), now)


def _unanswered(conn: Connection, now: datetime) -> list[Paper]:
    return [paper for paper in papers.due(conn, now) if paper.kind == "substitution"]


def _with_something_to_do(conn: Connection, going: Sequence[Playing], now: datetime) -> Iterator[Playing]:
    """The tables at which something is to be done, found without looking at each by itself."""
    cared = rows.in_care(conn)
    late = {(paper.tournament_id, paper.round, paper.table) for paper in _unanswered(conn, now)}
    heard = last_orders(conn, {each.table.game_id for each in going})
    cups = {each.table.tournament_id: tournaments.find(conn, each.table.tournament_id) for each in going}
    seats: dict[tuple[str, int, int], list[Tenure]] = {}
    filed = {name: papers.of_tournament(conn, name, "substitution", state=None) for name in cups}
    waiting = {name: {each.number for each in entrants.of_tournament(conn, name, ["standby"])} for name in cups}
    for name in cups:
        for held in rows.now_sitting(conn, name):
            seats.setdefault((name, held.round, held.table), []).append(held)
    for each in going:
        table, name = each.table, each.table.tournament_id
        place = (name, *table.place)
        if place in late:
            yield each
            continue
        there = seats.get(place, ())
        if all(not held.ordered and (table.game_id, held.faction) not in heard for held in there):
            if any(_overdue(cups[name], each, held, now) for held in there) and not _silence_told(conn, table):
                yield each
            continue
        for held in there:
            care = (table.game_id, held.faction) in cared
            if vacant(held):
                todo = not care or _may_be_asked(filed[name], waiting[name], held)
            else:
                last = heard.get((table.game_id, as_faction(held.faction))) if held.faction else None
                wrote = last is not None and (held.since is None or last >= held.since)
                todo = (care and held.ordered) or (
                    not held.ordered and (wrote or _overdue(cups[name], each, held, now))
                )
            if todo:
                yield each
                break


def _may_be_asked(filed: Sequence[Paper], waiting: set[int], held: Tenure) -> bool:
    """Whether nobody is asked to take a vacant seat now, and there is a standby who never was."""
    own = [paper for paper in filed if is_for(paper, (held.round, held.table), held.faction)]
    busy = {paper.entrant for paper in filed if paper.state == "open"} | {paper.entrant for paper in own}
    return not any(paper.state == "open" for paper in own) and bool(waiting - busy)


def _overdue(tournament: Tournament, each: Playing, held: Tenure, now: datetime) -> bool:
    return (held.since or each.began) + tournament.settings.people.show_hours * HOUR <= now


def _look(
    conn: Connection, open_games: OpenGames, tournament: Tournament, each: Playing, cared: set[tuple[str, str]],
    now: datetime,
) -> None:  # fmt: skip
    table = each.table
    for held in rows.now_sitting(conn, tournament.id, *table.place):
        if not vacant(held) and not held.ordered and has_ordered(conn, table, held):
            rows.change_tenure(conn, held, ordered=True)
    seats = rows.now_sitting(conn, tournament.id, *table.place)
    silent = [held for held in seats if not vacant(held) and not held.ordered and _overdue(tournament, each, held, now)]
    if silent and not any(held.ordered for held in rows.tenures(conn, tournament.id, *table.place)):
        _nobody_came(conn, open_games, tournament, table, now)
        silent = []
    for held in silent:
        _no_show(conn, open_games, tournament, each, held, now)
    for held in rows.now_sitting(conn, tournament.id, *table.place):
        care = (table.game_id, held.faction) in cared
        if not vacant(held) and care and held.ordered:
            vacate(conn, open_games, table, held, now)
        elif vacant(held) and not care and held.number in {old.number for old in seats}:
            _back(conn, open_games, table, held, now)
    for paper in _unanswered(conn, now):
        if (paper.tournament_id, paper.round, paper.table) == (tournament.id, *table.place):
            papers.set_state(conn, paper.id, "gone")
    asked = {
        paper.words
        for paper in papers.of_tournament(conn, tournament.id, "substitution")
        if (paper.round, paper.table) == table.place
    }
    for held in rows.now_sitting(conn, tournament.id, *table.place):
        if vacant(held) and held.faction not in asked:
            ask_next(conn, open_games, tournament, table, held, now)


def _no_show(
    conn: Connection, open_games: OpenGames, tournament: Tournament, each: Playing, held: Tenure, now: datetime
) -> None:
    """Nothing ever came from them. While it is the first turn the next standby sits down at once."""
    table, known = each.table, by_number(conn, tournament.id)
    gone = known[held.entrant]
    vacate(conn, open_games, table, held, now, why="no-show")
    elsewhere = any(each.entrant == gone.number and not each.last for each in rows.now_sitting(conn, tournament.id))
    entrants.change(conn, tournament.id, gone.number, no_show=True, state=gone.state if elsewhere else "withdrawn")
    words = f"table {written(table)}, {held.faction}: {gone.handle}"
    acts.add(conn, tournament.id, now, "no-show", words, audience="directors")
    subject = say("tournament.substitute.no-show-subject", table=written(table))
    told = say("tournament.substitute.no-show", table=written(table), hours=tournament.settings.people.show_hours)
    tell(conn, open_games.writer, gone, now, Letter(subject, [told], f"no-show.{written(table)}.{held.number}"))
    if each.turn > 1:
        return
    faction = as_faction(held.faction)
    for entrant in standbys(conn, open_games, table, faction):
        seat(conn, open_games, tournament, table, seat_of(conn, table, faction), entrant, now)
        subject = say("tournament.substitute.seated-subject")
        told = say("tournament.substitute.seated", table=written(table), faction=faction)
        tell(conn, open_games.writer, entrant, now, Letter(subject, [told], f"seated.{written(table)}.{faction}"))
        return


def _nobody_came(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, now: datetime
) -> None:
    """Not one of a table has ever written: that is no matter of substitutes. The organisers are told once."""
    subject = say("tournament.substitute.silent-subject", table=written(table))
    told = [say("tournament.substitute.silent", table=written(table), game=table.game_id)]
    told.append(say("tournament.substitute.silent-advice", tournament=tournament.id, table=written(table)))
    tell_organisers(
        conn, open_games.writer, tournament, now, Letter(subject, told, f"silent.{written(table)}"), place=table.place
    )
    acts.add(conn, tournament.id, now, "silent", f"table {written(table)}", audience="directors")


def _silence_told(conn: Connection, table: RoundTable) -> bool:
    done = acts.of_tournament(conn, table.tournament_id)
    return any(act.command == "silent" and act.words == f"table {written(table)}" for act in done)


def _back(conn: Connection, open_games: OpenGames, table: RoundTable, held: Tenure, now: datetime) -> None:
    """Whoever had dropped out has written before somebody took their seat: it is theirs again. Not so who resigned or
    was taken out: then the caretaker plays on."""
    before = [each for each in _history(conn, held) if each.entrant]
    gone = by_number(conn, table.tournament_id)[before[-1].entrant] if before else None
    if gone is None or before[-1].resigned or gone.state == "disqualified" or _is_out(gone):
        game = open_games.table(conn, table.game_id)
        faction = as_faction(held.faction)
        game.seats[faction].care = True
        game.touched.add(faction)
        games.close(conn, game)
        return
    taken_by(conn, table, held, gone, "seated", now)
    rows.change_tenure(conn, _holder(conn, table, held.dot), ordered=True)
    stop_asking(conn, table, held.faction)
    words = f"table {written(table)}, {held.faction}: {gone.handle} is back"
    acts.add(conn, table.tournament_id, now, "back", words, audience="directors")


def _is_out(gone: Entrant) -> bool:
    """Whether they were taken out as they never came; who has withdrawn may play their games to the end."""
    return gone.no_show and gone.state == "withdrawn"


def _holder(conn: Connection, table: RoundTable, dot: int) -> Tenure:
    """Who holds the seat of a dot now."""
    return next(each for each in rows.now_sitting(conn, table.tournament_id, *table.place) if each.dot == dot)


def _history(conn: Connection, held: Tenure) -> Sequence[Tenure]:
    every = rows.tenures(conn, held.tournament_id, held.round, held.table)
    return [each for each in every if each.dot == held.dot]
