"""Substitutes: the next standby who fits takes the seat of somebody who never came or dropped out.

Mentat asks a standby, who has some hours to answer, then the next. In the first turn a standby takes the seat of a
no-show at once. Meanwhile the caretaker plays, and the turns of each holder are recorded. Somebody who comes back
before the seat is taken has it again.

Nobody takes a seat at a table where they sit or have sat, where somebody sits from whom they are kept apart, or into
whose secrets they may have looked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.competition.outcomes import Why
from bot.desk.seats import SeatRefused, require_can_take_seat, take_seat
from bot.games.identity import are_one_person
from bot.games.notices import announce, same_words
from bot.games.open_games import OpenGames
from bot.store import games, tournaments
from bot.store import tournament_rounds as rows
from bot.store.database import Connection, reading
from bot.store.people import last_orders
from bot.store.tournament_rounds import RoundTable, TablePlayed, Tenure
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.calendar import stamp
from bot.table.rounds import go_on
from bot.table.table import TableBefore
from bot.tournament import drawing, preparation
from bot.tournament.desk import (
    By,
    Refused,
    acting,
    all_players_at,
    entrants_by_number,
    find_table,
    guarded,
    local_instant,
    reload_table,
    require_right,
    require_unconcerned,
    seat_holders,
    table_name,
)
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.results import has_ordered
from bot.wording import say
from rules.components import Faction, as_faction, faction_name

HOUR = timedelta(hours=1)
SEES_SECRETS = ("director", "deputy", "arbiter", "auditor")


@dataclass(frozen=True, slots=True)
class SeatFilling:
    """What became of a seat: who has taken it, or who is asked to, and until when; neither: nobody fits."""

    table: RoundTable
    faction: Faction
    seated: Entrant | None = None
    asked: Entrant | None = None
    until: datetime | None = None


# --- who fits --------------------------------------------------------------------------------------------------------


def seat_refusal(conn: Connection, open_games: OpenGames, table: RoundTable, entrant: Entrant) -> str:
    """Why somebody cannot take a seat of this table, by the name of the rule alone; "" if they can."""
    where, who = f"table {table_name(table)}", entrant.handle
    there = all_players_at(conn, table)
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
    for pair in tournaments.pairs_apart(conn, table.tournament_id):
        if entrant.number in (pair.one, pair.other) and {pair.one, pair.other} - {entrant.number} <= seated:
            return f"{who} is of a pair that is kept apart, and does not sit at {where}."
    granted = tournaments.right_of(conn, table.tournament_id, entrant.address)
    master = are_one_person(conn, open_games.settings, open_games.settings.mentat.game_master, entrant.address)
    if master or (granted is not None and granted.right in SEES_SECRETS):
        return f"{who} may see the secrets of {where}, and does not sit there."
    return ""


def _now(conn: Connection, table: RoundTable) -> list[tuple[Entrant, Tenure]]:
    return [(entrant, held) for held, entrant in seat_holders(conn, table) if entrant is not None]


def standbys(conn: Connection, open_games: OpenGames, table: RoundTable, faction: str) -> Iterator[Entrant]:
    """Who may be asked to take a seat, in the order of the waiting list: once for each seat, and for one at a time."""
    filed = tournaments.papers_of(conn, table.tournament_id, "substitution", state=None)
    busy = {paper.entrant for paper in filed if paper.state == "open"}
    asked = {paper.entrant for paper in filed if is_for_seat(paper, table.place, faction)}
    for entrant in preparation.waiting_list(conn, table.tournament_id):
        fits = entrant.number not in busy | asked and not seat_refusal(conn, open_games, table, entrant)
        if fits and _is_let_in(conn, open_games, table, faction, entrant):
            yield entrant


def _is_let_in(conn: Connection, open_games: OpenGames, table: RoundTable, faction: str, entrant: Entrant) -> bool:
    """Whether the game lets them take the seat: not who is banned, nor who sits in there for somebody else."""
    if not table.game_id:
        return True
    game = open_games.table(conn, table.game_id)
    try:
        require_can_take_seat(conn, open_games, game, as_faction(faction), entrant.address)
    except SeatRefused:
        return False
    return True


# --- giving a seat ---------------------------------------------------------------------------------------------------


def substitute(
    open_games: OpenGames, tournament_id: str, said: str, faction: Faction, handle: str, by: By, now: datetime, *,
    dry_run: bool = False,
) -> SeatFilling:  # fmt: skip
    """A director gives a seat to a standby, or, without a handle, has the next one who fits asked. Whoever held it is
    gone. Refused by the name of the rule that forbids it."""
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        table = find_table(conn, tournament_id, said)
        require_right(conn, tournament_id, by, "director", "deputy")
        require_unconcerned(conn, table, by)
        held = find_seat(conn, table, faction)
        entrant = tournaments.find_entrant(conn, tournament_id, handle) if handle else None
        if handle and entrant is None:
            raise Refused(f"{tournament_id} has no entrant {handle}.")
        if entrant is not None and (why := seat_refusal(conn, open_games, table, entrant)):
            raise Refused(why)
        words = f"table {table_name(table)}, {faction}" + (f": {entrant.handle}" if entrant else "")
        tournaments.add_act(
            conn, tournament_id, now, "substitute", words, who=by.address, right=by.right, why=by.why,
            audience="directors",
        )  # fmt: skip
        if table.state == "planned":
            return replace_before_play(conn, open_games, tournament, table, held, now, entrant)
        if not is_vacant(held):
            vacate_seat(conn, open_games, table, held, now)
            held = find_seat(conn, table, faction)
        stop_asking(conn, table, faction)
        if entrant is not None:
            give_seat(conn, open_games, tournament, table, held, entrant, now)
            return SeatFilling(table, faction, seated=entrant)
        return ask_next_standby(conn, open_games, tournament, table, held, now)


def find_seat(conn: Connection, table: RoundTable, faction: Faction) -> Tenure:
    """Who holds a seat of a table now. Refused where nobody takes one there, or that faction is not played."""
    if table.state not in ("planned", "playing"):
        raise Refused(f"Table {table_name(table)} is {table.state}; nobody takes a seat there.")
    for held, _ in seat_holders(conn, table):
        if held.faction == faction:
            return held
    raise Refused(f"{faction_name(faction)} is not played at table {table_name(table)}.")


def give_seat(
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
    take_vacant_seat(conn, table, held, entrant, "substitute", now)
    games.close(conn, game)
    tournaments.change_entrant(conn, tournament.id, entrant.number, state="playing")
    words = f"table {table_name(table)}, {faction}: {entrant.handle}"
    tournaments.add_act(conn, tournament.id, now, "seat taken", words, audience="directors")


def replace_before_play(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, held: Tenure, now: datetime,
    entrant: Entrant | None = None,
) -> SeatFilling:  # fmt: skip
    """Where a game has not begun, a standby (the next, if none is named) has the seat as if they had been drawn; the
    organisers are told where there is none."""
    entrant = entrant or next(standbys(conn, open_games, table, held.faction), None)
    rows.change_tenure(conn, held, entrant=entrant.number if entrant else 0)
    faction = as_faction(held.faction) if held.faction else ""
    if entrant is not None:
        tournaments.change_entrant(conn, tournament.id, entrant.number, state="playing")
        subject = say("tournament.substitute.drawn-subject")
        told = [say("tournament.substitute.drawn", table=table_name(table))]
        told += drawing.seat_in_draw(conn, tournament, held, entrant, now)
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"drawn.{table_name(table)}.{held.dot}"))
        return SeatFilling(table, faction, seated=entrant)
    subject = say("tournament.substitute.gap-subject", table=table_name(table))
    told = [say("tournament.substitute.gap", table=table_name(table))]
    letter = Letter(subject, told, f"gap.{table_name(table)}.{held.dot}")
    tell_organisers(conn, open_games.writer, tournament, now, letter, place=table.place)
    return SeatFilling(table, faction)


def ask_next_standby(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, held: Tenure, now: datetime
) -> SeatFilling:
    """Ask the next standby who fits to take a vacant seat; the organisers are told where there is none."""
    faction = as_faction(held.faction)
    entrant = next(standbys(conn, open_games, table, faction), None)
    if entrant is None:
        subject = say("tournament.substitute.nobody-subject", table=table_name(table))
        told = [say("tournament.substitute.nobody", table=table_name(table), game=table.game_id, faction=faction)]
        told.append(
            say("tournament.substitute.advice", tournament=tournament.id, table=table_name(table), faction=faction)
        )
        cause = f"nobody.{table_name(table)}.{faction}.{held.number}"
        tell_organisers(conn, open_games.writer, tournament, now, Letter(subject, told, cause), place=table.place)
        return SeatFilling(table, faction)
    until = now + tournament.settings.people.answer_hours * HOUR
    tournaments.file_paper(
        conn, Paper(tournament.id, entrant.number, "substitution", faction, now, table.round, table.number, until)
    )
    subject = say("tournament.substitute.asked-subject")
    turn, _ = games.progress(conn, table.game_id)
    told = [
        say("tournament.substitute.asked", faction=faction, table=table_name(table), turn=turn),
        say("tournament.substitute.credit"),
        say("tournament.substitute.how", until=local_instant(until, entrant)),
    ]
    tell(
        conn,
        open_games.writer,
        entrant,
        now,
        Letter(subject, told, f"asked.{table_name(table)}.{faction}.{stamp(now)}"),
    )
    return SeatFilling(table, faction, asked=entrant, until=until)


def answer_seat_offer(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, accepted: bool, now: datetime
) -> SeatFilling | None:
    """What a standby answers who was asked. Refused to who is not, or is no longer: the seat is somebody else's to
    take, and they keep their place on the list. None where they decline."""
    own = [
        paper for paper in tournaments.papers_of(conn, tournament.id, "substitution", state=None)
        if paper.entrant == entrant.number
    ]  # fmt: skip
    asked = next((paper for paper in own if paper.state == "open"), None)
    if asked is None:
        if any(paper.state == "gone" for paper in own):
            raise Refused(say("tournament.substitute.too-late"))
        raise Refused(say("tournament.substitute.not-asked"))
    table = next(t for t in rows.tables_of(conn, tournament.id, asked.round) if t.number == asked.table)
    faction = as_faction(asked.words)
    held = next((each for each, _ in seat_holders(conn, table) if each.faction == faction), None)
    if table.state != "playing" or held is None or not is_vacant(held):
        raise Refused(say("tournament.substitute.too-late"))
    tournaments.set_paper_state(conn, asked.id, "answered" if accepted else "refused")
    if not accepted:
        ask_next_standby(conn, open_games, tournament, table, held, now)
        return None
    if seat_refusal(conn, open_games, table, entrant):
        raise Refused(say("tournament.substitute.too-late"))
    give_seat(conn, open_games, tournament, table, held, entrant, now)
    return SeatFilling(table, faction, seated=entrant)


def stop_asking(conn: Connection, table: RoundTable, faction: str) -> None:
    """Nobody is asked to take this seat any more."""
    for paper in tournaments.papers_of(conn, table.tournament_id, "substitution"):
        if is_for_seat(paper, table.place, faction):
            tournaments.set_paper_state(conn, paper.id, "gone")


def is_for_seat(paper: Paper, place: tuple[int, int], faction: str) -> bool:
    """Whether a paper asks somebody to take this seat: that of a faction at a table."""
    return (paper.round, paper.table, paper.words) == (*place, faction)


def is_vacant(held: Tenure) -> bool:
    """Whether nobody holds this seat."""
    return not held.entrant


def vacate_seat(
    conn: Connection, open_games: OpenGames, table: RoundTable, held: Tenure, now: datetime, *, why: Why | None = None,
    resigned: bool = False,
) -> None:  # fmt: skip
    """Whoever holds a seat is gone, and the caretaker plays it. ``why`` is set for a no-show."""
    ordered = held.ordered or has_ordered(conn, table, held)
    rows.change_tenure(conn, held, ordered=ordered, resigned=resigned, **({"why": why} if why else {}))
    turn = _turn_of(conn, table)
    first = turn if held.first < turn or why == "no-show" else turn + 1
    then = replace(
        held, entrant=0, first=first, last=0, why="caretaker", since=now, resigned=False, ordered=False, price=0
    )  # fmt: skip
    rows.next_tenure(conn, held, max(held.first, turn - 1), then)
    _start_caretaker(conn, open_games, table, as_faction(held.faction), now)
    words = f"table {table_name(table)}, {held.faction}, turn {turn}"
    tournaments.add_act(conn, table.tournament_id, now, "vacant", words, audience="directors")


def take_vacant_seat(
    conn: Connection, table: RoundTable, held: Tenure, entrant: Entrant, why: Why, now: datetime
) -> None:
    """A vacant seat is somebody's. A caretaker who has not played a turn leaves no trace."""
    turn = _turn_of(conn, table)
    if held.first >= turn:
        rows.change_tenure(conn, held, entrant=entrant.number, why=why, since=now)
        return
    then = replace(held, entrant=entrant.number, first=turn, last=0, why=why, since=now)
    rows.next_tenure(conn, held, turn - 1, then)


def _turn_of(conn: Connection, table: RoundTable) -> int:
    return max(1, games.progress(conn, table.game_id)[0])


def _start_caretaker(
    conn: Connection, open_games: OpenGames, table: RoundTable, faction: Faction, now: datetime
) -> None:
    """The caretaker plays from now on; everybody at the table knows that, and not why."""
    game = open_games.table(conn, table.game_id)
    seat = game.seats[faction]
    if seat.care:
        return
    seat.care = True
    game.touched.add(faction)
    subject, told = say("caretaker.subject", faction=faction), say("tournament.substitute.caretaker", faction=faction)
    announce(conn, open_games.writer, game, now, subject, same_words(told), (faction,))
    if not game.stopped_at and game.status == "running":
        before = TableBefore.of(game)
        go_on(game, now)
        games.save(conn, game, now, open_games.clock(game))
        open_games.writer.answer(conn, game, before, now)
    games.close(conn, game)


def look_after_seats(open_games: OpenGames, now: datetime) -> None:
    """Find who has not shown up and who has dropped out, who is back, and whose time to answer has passed."""
    with reading(open_games.engine) as conn:
        going = [each for each in rows.tables_playing(conn) if not (each.held or each.stopped_at)]
        todo = list(_with_something_to_do(conn, going, now))
    for each in todo:
        table = each.table
        with guarded("looking after seats", table.game_id), acting(open_games, table.tournament_id) as (conn, cup):
            if reload_table(conn, table).state == "playing":
                _look(conn, open_games, cup, each, rows.seats_in_care(conn), now)


def _unanswered(conn: Connection, now: datetime) -> list[Paper]:
    return [paper for paper in tournaments.papers_due(conn, now) if paper.kind == "substitution"]


def _with_something_to_do(conn: Connection, going: Sequence[TablePlayed], now: datetime) -> Iterator[TablePlayed]:
    """The tables at which something is to be done, found without looking at each by itself."""
    cared = rows.seats_in_care(conn)
    late = {(paper.tournament_id, paper.round, paper.table) for paper in _unanswered(conn, now)}
    heard = last_orders(conn, {each.table.game_id for each in going})
    cups = {each.table.tournament_id: tournaments.find_tournament(conn, each.table.tournament_id) for each in going}
    seats: dict[tuple[str, int, int], list[Tenure]] = {}
    filed = {name: tournaments.papers_of(conn, name, "substitution", state=None) for name in cups}
    waiting = {name: {each.number for each in tournaments.entrants_of(conn, name, ["standby"])} for name in cups}
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
            if is_vacant(held):
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
    own = [paper for paper in filed if is_for_seat(paper, (held.round, held.table), held.faction)]
    busy = {paper.entrant for paper in filed if paper.state == "open"} | {paper.entrant for paper in own}
    return not any(paper.state == "open" for paper in own) and bool(waiting - busy)


def _overdue(tournament: Tournament, each: TablePlayed, held: Tenure, now: datetime) -> bool:
    return (held.since or each.began) + tournament.settings.people.show_hours * HOUR <= now


def _look(
    conn: Connection, open_games: OpenGames, tournament: Tournament, each: TablePlayed, cared: set[tuple[str, str]],
    now: datetime,
) -> None:  # fmt: skip
    table = each.table
    for held in rows.now_sitting(conn, tournament.id, *table.place):
        if not is_vacant(held) and not held.ordered and has_ordered(conn, table, held):
            rows.change_tenure(conn, held, ordered=True)
    seats = rows.now_sitting(conn, tournament.id, *table.place)
    silent = [
        held for held in seats if not is_vacant(held) and not held.ordered and _overdue(tournament, each, held, now)
    ]
    if silent and not any(held.ordered for held in rows.tenures_of(conn, tournament.id, *table.place)):
        _nobody_came(conn, open_games, tournament, table, now)
        silent = []
    for held in silent:
        _no_show(conn, open_games, tournament, each, held, now)
    for held in rows.now_sitting(conn, tournament.id, *table.place):
        care = (table.game_id, held.faction) in cared
        if not is_vacant(held) and care and held.ordered:
            vacate_seat(conn, open_games, table, held, now)
        elif is_vacant(held) and not care and held.number in {old.number for old in seats}:
            _back(conn, open_games, table, held, now)
    for paper in _unanswered(conn, now):
        if (paper.tournament_id, paper.round, paper.table) == (tournament.id, *table.place):
            tournaments.set_paper_state(conn, paper.id, "gone")
    asked = {
        paper.words
        for paper in tournaments.papers_of(conn, tournament.id, "substitution")
        if (paper.round, paper.table) == table.place
    }
    for held in rows.now_sitting(conn, tournament.id, *table.place):
        if is_vacant(held) and held.faction not in asked:
            ask_next_standby(conn, open_games, tournament, table, held, now)


def _no_show(
    conn: Connection, open_games: OpenGames, tournament: Tournament, each: TablePlayed, held: Tenure, now: datetime
) -> None:
    """Nothing ever came from them. While it is the first turn the next standby sits down at once."""
    table, known = each.table, entrants_by_number(conn, tournament.id)
    gone = known[held.entrant]
    vacate_seat(conn, open_games, table, held, now, why="no-show")
    elsewhere = any(each.entrant == gone.number and not each.last for each in rows.now_sitting(conn, tournament.id))
    tournaments.change_entrant(
        conn, tournament.id, gone.number, no_show=True, state=gone.state if elsewhere else "withdrawn"
    )
    words = f"table {table_name(table)}, {held.faction}: {gone.handle}"
    tournaments.add_act(conn, tournament.id, now, "no-show", words, audience="directors")
    subject = say("tournament.substitute.no-show-subject", table=table_name(table))
    told = say("tournament.substitute.no-show", table=table_name(table), hours=tournament.settings.people.show_hours)
    tell(conn, open_games.writer, gone, now, Letter(subject, [told], f"no-show.{table_name(table)}.{held.number}"))
    if each.turn > 1:
        return
    faction = as_faction(held.faction)
    for entrant in standbys(conn, open_games, table, faction):
        give_seat(conn, open_games, tournament, table, find_seat(conn, table, faction), entrant, now)
        subject = say("tournament.substitute.seated-subject")
        told = say("tournament.substitute.seated", table=table_name(table), faction=faction)
        tell(conn, open_games.writer, entrant, now, Letter(subject, [told], f"seated.{table_name(table)}.{faction}"))
        return


def _nobody_came(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, now: datetime
) -> None:
    """Not one of a table has ever written: that is no matter of substitutes. The organisers are told once."""
    subject = say("tournament.substitute.silent-subject", table=table_name(table))
    told = [say("tournament.substitute.silent", table=table_name(table), game=table.game_id)]
    told.append(say("tournament.substitute.silent-advice", tournament=tournament.id, table=table_name(table)))
    tell_organisers(
        conn,
        open_games.writer,
        tournament,
        now,
        Letter(subject, told, f"silent.{table_name(table)}"),
        place=table.place,
    )
    tournaments.add_act(conn, tournament.id, now, "silent", f"table {table_name(table)}", audience="directors")


def _silence_told(conn: Connection, table: RoundTable) -> bool:
    done = tournaments.acts_of(conn, table.tournament_id)
    return any(act.command == "silent" and act.words == f"table {table_name(table)}" for act in done)


def _back(conn: Connection, open_games: OpenGames, table: RoundTable, held: Tenure, now: datetime) -> None:
    """Whoever had dropped out has written before somebody took their seat: it is theirs again. Not so who resigned or
    was taken out: then the caretaker plays on."""
    before = [each for each in _history(conn, held) if each.entrant]
    gone = entrants_by_number(conn, table.tournament_id)[before[-1].entrant] if before else None
    if gone is None or before[-1].resigned or gone.state == "disqualified" or _is_out(gone):
        game = open_games.table(conn, table.game_id)
        faction = as_faction(held.faction)
        game.seats[faction].care = True
        game.touched.add(faction)
        games.close(conn, game)
        return
    take_vacant_seat(conn, table, held, gone, "seated", now)
    rows.change_tenure(conn, _holder(conn, table, held.dot), ordered=True)
    stop_asking(conn, table, held.faction)
    words = f"table {table_name(table)}, {held.faction}: {gone.handle} is back"
    tournaments.add_act(conn, table.tournament_id, now, "back", words, audience="directors")


def _is_out(gone: Entrant) -> bool:
    """Whether they were taken out as they never came; who has withdrawn may play their games to the end."""
    return gone.no_show and gone.state == "withdrawn"


def _holder(conn: Connection, table: RoundTable, dot: int) -> Tenure:
    """Who holds the seat of a dot now."""
    return next(each for each in rows.now_sitting(conn, table.tournament_id, *table.place) if each.dot == dot)


def _history(conn: Connection, held: Tenure) -> Sequence[Tenure]:
    every = rows.tenures_of(conn, held.tournament_id, held.round, held.table)
    return [each for each in every if each.dot == held.dot]
