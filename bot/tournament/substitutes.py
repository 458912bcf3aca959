"""Substitutes: the next suitable standby takes the seat of a player who never showed up or who dropped out.

Mentat asks one standby, who has some hours to answer, and then the next. In the first turn, a standby gets the seat of
a no-show at once, without being asked. Until the seat is taken, the caretaker plays it. The record shows which turns
each holder played. A player who returns before the seat is taken gets it back with their first mail that contains an
order or says that they are back. This also applies to players who never showed up or who resigned, but not to players
who left the tournament and their games, or who were disqualified: Mentat accepts no more orders from them.

Nobody takes a seat at a table where they sit or have sat, where they are kept apart from somebody, or whose secrets
they may have seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.competition.outcomes import Why
from bot.competition.published import EntrantState
from bot.desk.seats import SeatRefused, require_can_take_seat, take_seat
from bot.games.identity import are_one_person
from bot.games.notices import announce, same_words
from bot.games.open_games import OpenGames, Session
from bot.games.silent_players import let_caretaker_play
from bot.store import acts, games, tournaments
from bot.store import tournament_rounds as rows
from bot.store.database import Connection, reading
from bot.store.deadlines import MissedDuty, missed_duties
from bot.store.people import SeatName, last_orders
from bot.store.tournament_rounds import RoundTable, TablePlayed, Tenure
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.calendar import stamp
from bot.table.rounds import go_on
from bot.table.table import Table, TableBefore
from bot.tournament import desk, draw_letters, preparation
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.results import has_ordered
from bot.wording import say
from rules.components import FACTION_FACTS, Faction, as_faction, the_faction

HOUR = timedelta(hours=1)
SEES_SECRETS = ("director", "deputy", "arbiter", "auditor")


@dataclass(frozen=True, slots=True)
class SeatFilling:
    """The steps taken to fill a seat. ``seated`` is the standby who has taken it. ``asked`` is the standby who was
    asked to take it and may answer until ``until``. If both are None, no standby is suitable."""

    table: RoundTable
    faction: Faction
    seated: Entrant | None = None
    asked: Entrant | None = None
    until: datetime | None = None


# --- suitable standbys -----------------------------------------------------------------------------------------------


def seat_refusal(conn: Connection, open_games: OpenGames, table: RoundTable, entrant: Entrant) -> str:
    """Return the reason why an entrant cannot take a seat at this table, as a sentence, or "" if they can."""
    where, who = f"table {desk.table_name(table)}", entrant.handle
    there = desk.all_players_at(conn, table)
    if entrant.number in {held.number for held, _ in _now(conn, table)}:
        return f"{who} sits at {where}; nobody can have two seats in one game."
    if entrant.number in {each.number for each in there}:
        return f"{who} was replaced at {where} and cannot return to it."
    if entrant.no_show or entrant.state in ("withdrawn", "disqualified"):
        return f"{who} is {'a no-show' if entrant.no_show else entrant.state} and cannot take a seat."
    if entrant.confirmed_at is None:
        return f"{who} has not confirmed and cannot take a seat."
    if entrant.state != "standby" and not entrant.standby:
        return f"{who} is {entrant.state}, not a standby; only standbys can take over seats."
    seated = {each.number for each in there}
    for pair in tournaments.pairs_apart(conn, table.tournament_id):
        if entrant.number in (pair.one, pair.other) and {pair.one, pair.other} - {entrant.number} <= seated:
            return f"{who} is kept apart from somebody at {where} and cannot sit there."
    granted = acts.right_of(conn, entrant.address, tournament_id=table.tournament_id)
    master = are_one_person(conn, open_games.settings, open_games.settings.mentat.game_master, entrant.address)
    if master or (granted is not None and granted.right in SEES_SECRETS):
        return f"{who} may see the secrets of {where} and cannot sit there."
    return ""


def _now(conn: Connection, table: RoundTable) -> list[tuple[Entrant, Tenure]]:
    return [(entrant, held) for held, entrant in desk.seat_holders(conn, table) if entrant is not None]


def standbys(session: Session, table: RoundTable, faction: str) -> Iterator[Entrant]:
    """Yield the standbys who may be asked to take a seat, in the order of the waiting list. Each is asked only once
    about a seat, and never about two seats at a time."""
    filed = tournaments.papers_of(session.conn, table.tournament_id, "substitution", state=None)
    busy = {paper.entrant for paper in filed if paper.state == "open"}
    asked = {paper.entrant for paper in filed if is_for_seat(paper, table.place, faction)}
    for entrant in preparation.waiting_list(session.conn, table.tournament_id):
        fits = entrant.number not in busy | asked and not seat_refusal(session.conn, session.games, table, entrant)
        if fits and _is_let_in(session, table, faction, entrant):
            yield entrant


def _is_let_in(session: Session, table: RoundTable, faction: str, entrant: Entrant) -> bool:
    if not table.game_id:
        return True
    game = session.table(table.game_id)
    try:
        require_can_take_seat(session, game, as_faction(faction), entrant.address)
    except SeatRefused:
        return False
    return True


# --- giving a seat ---------------------------------------------------------------------------------------------------


def substitute_by(caller: desk.Caller, tournament_id: str, said: str, seat: str, handle: str = "") -> SeatFilling:
    fits = [faction for faction in FACTION_FACTS if faction.startswith(seat.lower())]
    if len(fits) != 1:
        raise desk.Refused(f"{seat!r} is not one of {', '.join(FACTION_FACTS)}.")
    return substitute(caller, tournament_id, said, as_faction(fits[0]), handle)


def substitute(caller: desk.Caller, tournament_id: str, said: str, faction: Faction, handle: str) -> SeatFilling:
    """Give a seat to the standby with this handle or, without a handle, ask the next suitable one. The current holder
    loses the seat. If a rule forbids this, raise Refused with the reason."""
    with desk.acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        table = desk.find_table(conn, tournament_id, said)
        desk.require_power(conn, tournament_id, caller.by, "substitute")
        desk.require_unconcerned(conn, table, caller.by)
        held = find_seat(conn, table, faction)
        entrant = tournaments.find_entrant(conn, tournament_id, handle) if handle else None
        if handle and entrant is None:
            raise desk.Refused(f"{tournament_id} has no entrant {handle}.")
        if entrant is not None and (why := seat_refusal(conn, caller.games, table, entrant)):
            raise desk.Refused(why)
        words = f"table {desk.table_name(table)}, {faction}" + (f": {entrant.handle}" if entrant else "")
        desk.log_act(session, tournament_id, "substitute", words, caller.by)
        if table.state == "planned":
            return replace_before_play(session, tournament, table, held, entrant)
        if not is_vacant(held):
            vacate_seat(session, table, held)
            held = find_seat(conn, table, faction)
        stop_asking(conn, table, faction)
        if entrant is not None:
            give_seat(session, tournament, table, held, entrant)
            return SeatFilling(table, faction, seated=entrant)
        return ask_next_standby(session, tournament, table, held)


def find_seat(conn: Connection, table: RoundTable, faction: Faction) -> Tenure:
    """Return the current holder of a seat. Raise Refused if seats at this table can no longer change hands, or if
    nobody plays that faction there."""
    if table.state not in ("planned", "playing"):
        raise desk.Refused(f"Table {desk.table_name(table)} is {table.state}; nobody can take a seat there.")
    for held, _ in desk.seat_holders(conn, table):
        if held.faction == faction:
            return held
    raise desk.Refused(f"Nobody plays {the_faction(faction)} at table {desk.table_name(table)}.")


def give_seat(session: Session, tournament: Tournament, table: RoundTable, held: Tenure, entrant: Entrant) -> None:
    game = session.games.table(session.conn, table.game_id)
    faction = as_faction(held.faction)
    try:
        take_seat(session, game, faction, entrant.address, (entrant.shown and entrant.name) or entrant.handle)
    except SeatRefused as refused:
        raise desk.Refused(str(refused)) from None
    take_vacant_seat(session, table, held, entrant, "substitute")
    games.close(session.conn, game)
    tournaments.change_entrant(session.conn, tournament.id, entrant.number, state="playing")
    words = f"table {desk.table_name(table)}, {faction}: {entrant.handle}"
    desk.log_act(session, tournament.id, "seat taken", words)


def replace_before_play(
    session: Session, tournament: Tournament, table: RoundTable, held: Tenure, entrant: Entrant | None = None
) -> SeatFilling:
    """Give a seat to a standby (by default the next one) before its game begins, as if the draw had assigned it to
    them. If there is no standby, tell the organisers."""
    entrant = entrant or next(standbys(session, table, held.faction), None)
    rows.change_tenure(session.conn, held, entrant=entrant.number if entrant else 0)
    faction = as_faction(held.faction) if held.faction else ""
    seat = f"table {desk.table_name(table)}, {faction or f'dot {held.dot}'}"
    taken = f"{seat}: {entrant.handle}" if entrant else f"{seat}, before its game began"
    desk.log_act(session, tournament.id, "seat taken" if entrant else "vacant", taken)
    if entrant is not None:
        tournaments.change_entrant(session.conn, tournament.id, entrant.number, state="playing")
        subject = say("tournament.substitute.drawn-subject")
        told = [say("tournament.substitute.drawn", table=desk.table_name(table))]
        told += draw_letters.seat_in_draw(session.conn, tournament, held, entrant, session.now)
        tell(session, entrant, Letter(subject, told, f"drawn.{desk.table_name(table)}.{held.dot}"))
        return SeatFilling(table, faction, seated=entrant)
    subject = say("tournament.substitute.gap-subject", table=desk.table_name(table))
    told = [say("tournament.substitute.gap", table=desk.table_name(table))]
    letter = Letter(subject, told, f"gap.{desk.table_name(table)}.{held.dot}")
    tell_organisers(session, tournament, letter, place=table.place)
    return SeatFilling(table, faction)


def ask_next_standby(session: Session, tournament: Tournament, table: RoundTable, held: Tenure) -> SeatFilling:
    faction = as_faction(held.faction)
    entrant = next(standbys(session, table, faction), None)
    if entrant is None:
        subject = say("tournament.substitute.nobody-subject", table=desk.table_name(table))
        told = [say("tournament.substitute.nobody", table=desk.table_name(table), game=table.game_id, faction=faction)]
        told.append(say("tournament.substitute.advice", table=desk.table_name(table), faction=faction))
        ready = (f"substitute {desk.table_name(table)} {faction} HANDLE",)
        cause = f"nobody.{desk.table_name(table)}.{faction}.{held.number}"
        tell_organisers(session, tournament, Letter(subject, told, cause, ready=ready), place=table.place)
        return SeatFilling(table, faction)
    until = session.now + tournament.settings.people.answer_hours * HOUR
    tournaments.file_paper(
        session.conn,
        Paper(tournament.id, entrant.number, "substitution", faction, session.now, table.round, table.number, until),
    )
    subject = say("tournament.substitute.asked-subject")
    turn, _ = games.progress(session.conn, table.game_id)
    told = [
        say("tournament.substitute.asked", faction=faction, table=desk.table_name(table), turn=turn),
        say("tournament.substitute.credit"),
        say("tournament.substitute.how", until=desk.local_instant(until, entrant)),
    ]
    tell(session, entrant, Letter(subject, told, f"asked.{desk.table_name(table)}.{faction}.{stamp(session.now)}"))
    return SeatFilling(table, faction, asked=entrant, until=until)


def answer_seat_offer(session: Session, tournament: Tournament, entrant: Entrant, accepted: bool) -> SeatFilling | None:
    """Apply a standby's answer to the offer of a seat. Return None if they decline. Raise Refused if the offer has
    lapsed; the standby then keeps their place on the list."""
    own = [
        paper
        for paper in tournaments.papers_of(session.conn, tournament.id, "substitution", state=None)
        if paper.entrant == entrant.number
    ]
    asked = next((paper for paper in own if paper.state == "open"), None)
    if asked is None:
        if any(paper.state == "gone" for paper in own):
            raise desk.Refused(say("tournament.substitute.too-late"))
        raise desk.Refused(say("tournament.substitute.not-asked"))
    table = next(t for t in rows.tables_of(session.conn, tournament.id, asked.round) if t.number == asked.table)
    faction = as_faction(asked.words)
    held = next((each for each, _ in desk.seat_holders(session.conn, table) if each.faction == faction), None)
    if table.state != "playing" or held is None or not is_vacant(held):
        raise desk.Refused(say("tournament.substitute.too-late"))
    tournaments.set_paper_state(session.conn, asked.id, "answered" if accepted else "refused")
    if not accepted:
        ask_next_standby(session, tournament, table, held)
        return None
    if seat_refusal(session.conn, session.games, table, entrant):
        raise desk.Refused(say("tournament.substitute.too-late"))
    give_seat(session, tournament, table, held, entrant)
    return SeatFilling(table, faction, seated=entrant)


def stop_asking(conn: Connection, table: RoundTable, faction: str) -> None:
    for paper in tournaments.papers_of(conn, table.tournament_id, "substitution"):
        if is_for_seat(paper, table.place, faction):
            tournaments.set_paper_state(conn, paper.id, "gone")


def is_for_seat(paper: Paper, place: tuple[int, int], faction: str) -> bool:
    return (paper.round, paper.table, paper.words) == (*place, faction)


def is_vacant(held: Tenure) -> bool:
    return not held.entrant


def vacate_seat(
    session: Session, table: RoundTable, held: Tenure, *, why: Why | None = None, resigned: bool = False
) -> None:
    ordered = held.ordered or has_ordered(session.conn, table, held)
    rows.change_tenure(session.conn, held, ordered=ordered, resigned=resigned, **({"why": why} if why else {}))
    turn = _turn_of(session.conn, table)
    first = turn if held.first < turn or why == "no-show" else turn + 1
    then = replace(
        held, entrant=0, first=first, last=0, why="caretaker", since=session.now, resigned=False, ordered=False, price=0
    )
    rows.next_tenure(session.conn, held, max(held.first, turn - 1), then)
    _start_caretaker(session, table, as_faction(held.faction))
    words = f"table {desk.table_name(table)}, {held.faction}, turn {turn}"
    desk.log_act(session, table.tournament_id, "vacant", words)


def take_vacant_seat(session: Session, table: RoundTable, held: Tenure, entrant: Entrant, why: Why) -> None:
    """Record that an entrant takes over a vacant seat from now on. If its caretaker has not played a whole turn, the
    record does not mention the caretaker."""
    conn, now = session.conn, session.now
    turn = _turn_of(conn, table)
    if held.first >= turn:
        rows.change_tenure(conn, held, entrant=entrant.number, why=why, since=now)
        return
    then = replace(held, entrant=entrant.number, first=turn, last=0, why=why, since=now)
    rows.next_tenure(conn, held, turn - 1, then)


def _turn_of(conn: Connection, table: RoundTable) -> int:
    return max(1, games.progress(conn, table.game_id)[0])


def _start_caretaker(session: Session, table: RoundTable, faction: Faction) -> None:
    game = session.games.table(session.conn, table.game_id)
    seat = game.seats[faction]
    if seat.care:
        return
    let_caretaker_play(session.conn, game, faction, session.settings.silence.temperament)
    subject = say("caretaker.subject", faction=faction)
    told = say("tournament.substitute.caretaker", faction=faction, how=seat.opponent)
    announce(session, game, subject, same_words(told), (faction,))
    if not game.stopped_at and game.status == "running":
        before = TableBefore.of(game)
        go_on(game, session.now)
        session.save(game)
        session.writer.answer(game, before)
    games.close(session.conn, game)


def look_after_seats(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        going = [each for each in rows.tables_playing(conn) if not (each.held or each.stopped_at)]
        todo = list(_with_something_to_do(conn, going, now))
    for each in todo:
        table = each.table
        with (
            desk.guarded("looking after seats", table.game_id),
            desk.acting(desk.Caller(open_games, now), table.tournament_id) as (session, cup),
        ):
            if desk.reload_table(session.conn, table).state == "playing":
                _look(session, cup, each, rows.seats_in_care(session.conn))


def _unanswered(conn: Connection, now: datetime) -> list[Paper]:
    return [paper for paper in tournaments.papers_due(conn, now) if paper.kind == "substitution"]


def _with_something_to_do(conn: Connection, going: Sequence[TablePlayed], now: datetime) -> Iterator[TablePlayed]:
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
    silent = {(name, *place) for (name, *place), there in seats.items() if not all(held.ordered for held in there)}
    missed = missed_duties(
        conn, [each.table.game_id for each in going if (each.table.tournament_id, *each.table.place) in silent]
    )
    for each in going:
        table, name = each.table, each.table.tournament_id
        place = (name, *table.place)
        if place in late:
            yield each
            continue
        there = seats.get(place, ())
        if all(not held.ordered and (table.game_id, held.faction) not in heard for held in there):
            if any(_overdue(cups[name], each, held, missed, now) for held in there) and not _silence_told(conn, table):
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
                    not held.ordered and (wrote or _overdue(cups[name], each, held, missed, now))
                )
            if todo:
                yield each
                break


def _may_be_asked(filed: Sequence[Paper], waiting: set[int], held: Tenure) -> bool:
    own = [paper for paper in filed if is_for_seat(paper, (held.round, held.table), held.faction)]
    busy = {paper.entrant for paper in filed if paper.state == "open"} | {paper.entrant for paper in own}
    return not any(paper.state == "open" for paper in own) and bool(waiting - busy)


def _overdue(
    tournament: Tournament,
    each: TablePlayed,
    held: Tenure,
    missed: Mapping[SeatName, Sequence[MissedDuty]],
    now: datetime,
) -> bool:
    own = missed.get((each.table.game_id, as_faction(held.faction)), ()) if held.faction else ()
    since = awaited_since(held, each.began, own)
    return since is not None and since + tournament.settings.people.show_hours * HOUR <= now


def awaited_since(held: Tenure, began: datetime, missed: Sequence[MissedDuty]) -> datetime | None:
    """Return the time of the first duty missed by a player who has never shown up. Return None for a player who has not
    been asked anything yet and so has had no reason to write."""
    since = held.since or began
    return min((max(one.asked_at, since) for one in missed if not held.number or one.due >= since), default=None)


def _look(session: Session, tournament: Tournament, each: TablePlayed, cared: set[tuple[str, str]]) -> None:
    table = each.table
    for held in rows.now_sitting(session.conn, tournament.id, *table.place):
        if not is_vacant(held) and not held.ordered and has_ordered(session.conn, table, held):
            rows.change_tenure(session.conn, held, ordered=True)
    seats = rows.now_sitting(session.conn, tournament.id, *table.place)
    missed = missed_duties(session.conn, [table.game_id])
    silent = [
        held
        for held in seats
        if not is_vacant(held) and not held.ordered and _overdue(tournament, each, held, missed, session.now)
    ]
    if silent and not any(held.ordered for held in rows.tenures_of(session.conn, tournament.id, *table.place)):
        _nobody_came(session, tournament, table)
        silent = []
    for held in silent:
        _no_show(session, tournament, each, held)
    for held in rows.now_sitting(session.conn, tournament.id, *table.place):
        care = (table.game_id, held.faction) in cared
        if not is_vacant(held) and care and held.ordered:
            vacate_seat(session, table, held)
        elif is_vacant(held) and not care and held.number in {old.number for old in seats}:
            game = session.games.table(session.conn, table.game_id)
            seat_again(session, game, as_faction(held.faction))
            games.close(session.conn, game)
    for paper in _unanswered(session.conn, session.now):
        if (paper.tournament_id, paper.round, paper.table) == (tournament.id, *table.place):
            tournaments.set_paper_state(session.conn, paper.id, "gone")
    asked = {
        paper.words
        for paper in tournaments.papers_of(session.conn, tournament.id, "substitution")
        if (paper.round, paper.table) == table.place
    }
    for held in rows.now_sitting(session.conn, tournament.id, *table.place):
        if is_vacant(held) and held.faction not in asked:
            ask_next_standby(session, tournament, table, held)


def _no_show(session: Session, tournament: Tournament, each: TablePlayed, held: Tenure) -> None:
    table, known = each.table, desk.entrants_by_number(session.conn, tournament.id)
    gone = known[held.entrant]
    vacate_seat(session, table, held, why="no-show")
    elsewhere = any(
        each.entrant == gone.number and not each.last for each in rows.now_sitting(session.conn, tournament.id)
    )
    tournaments.change_entrant(
        session.conn, tournament.id, gone.number, no_show=True, state=gone.state if elsewhere else "withdrawn"
    )
    words = f"table {desk.table_name(table)}, {held.faction}: {gone.handle}"
    desk.log_act(session, tournament.id, "no-show", words)
    taken = each.turn == 1 and _seat_first_standby(session, tournament, table, as_faction(held.faction))
    subject = say("tournament.substitute.no-show-subject", table=desk.table_name(table))
    hours = tournament.settings.people.show_hours
    told = say("tournament.substitute.no-show", table=desk.table_name(table), hours=hours, taken=taken)
    tell(session, gone, Letter(subject, [told], f"no-show.{desk.table_name(table)}.{held.number}"))


def _seat_first_standby(session: Session, tournament: Tournament, table: RoundTable, faction: Faction) -> bool:
    entrant = next(standbys(session, table, faction), None)
    if entrant is None:
        return False
    give_seat(session, tournament, table, find_seat(session.conn, table, faction), entrant)
    subject = say("tournament.substitute.seated-subject")
    told = say("tournament.substitute.seated", table=desk.table_name(table), faction=faction)
    tell(session, entrant, Letter(subject, [told], f"seated.{desk.table_name(table)}.{faction}"))
    return True


def _nobody_came(session: Session, tournament: Tournament, table: RoundTable) -> None:
    subject = say("tournament.substitute.silent-subject", table=desk.table_name(table))
    told = [say("tournament.substitute.silent", table=desk.table_name(table), game=table.game_id)]
    named = desk.table_name(table)
    told.append(say("tournament.substitute.silent-advice", table=named))
    letter = Letter(subject, told, f"silent.{named}", ready=(f"void {named} replay: WHY", "start"))
    tell_organisers(session, tournament, letter, place=table.place)
    desk.log_act(session, tournament.id, "silent", f"table {desk.table_name(table)}")


def _silence_told(conn: Connection, table: RoundTable) -> bool:
    return desk.was_logged(conn, table.tournament_id, "silent", f"table {desk.table_name(table)}")


def has_given_up(conn: Connection, game_id: str, faction: Faction) -> bool:
    """Return True if the last player of a vacant seat cannot have it back, because they left for good or were
    disqualified."""
    found = _vacant_seat(conn, game_id, faction)
    return found is not None and _who_may_return(conn, found[1]) is None


def note_resignation(session: Session, game_id: str, faction: Faction) -> SeatFilling | None:
    """Record that a player gave up a seat, which the caretaker now plays, and ask the next standby. Return None if the
    game belongs to no tournament. The player may come back until somebody takes the seat."""
    table = rows.table_of_game(session.conn, game_id)
    if table is None or table.state != "playing":
        return None
    held = find_seat(session.conn, table, faction)
    if is_vacant(held):
        return SeatFilling(table, faction)
    tournament = tournaments.find_tournament(session.conn, table.tournament_id)
    vacate_seat(session, table, held, resigned=True)
    return ask_next_standby(session, tournament, table, find_seat(session.conn, table, faction))


def was_no_show(conn: Connection, game_id: str, faction: Faction) -> bool:
    found = _vacant_seat(conn, game_id, faction)
    before = [each for each in _history(conn, found[1]) if each.entrant] if found else []
    return bool(before) and before[-1].why == "no-show"


def seat_again(session: Session, game: Table, faction: Faction) -> bool:
    """Give a vacant seat back to its last player. Return False if they cannot have it back, so that it stays with the
    caretaker. Return True if they got it back, if the seat is not vacant, or if the game belongs to no tournament."""
    conn, found = session.conn, _vacant_seat(session.conn, game.id, faction)
    if found is None:
        return True
    table, held = found
    gone = _who_may_return(conn, held)
    if gone is None:
        game.seats[faction].care = True
        game.touched.add(faction)
        return False
    take_vacant_seat(session, table, held, gone, "seated")
    rows.change_tenure(conn, _holder(conn, table, held.dot), ordered=True)
    if gone.no_show:
        state: EntrantState = "playing" if gone.state == "withdrawn" else gone.state
        tournaments.change_entrant(conn, table.tournament_id, gone.number, no_show=False, state=state)
    stop_asking(conn, table, held.faction)
    words = f"table {desk.table_name(table)}, {held.faction}: {gone.handle} is back"
    desk.log_act(session, table.tournament_id, "back", words)
    return True


def _vacant_seat(conn: Connection, game_id: str, faction: Faction) -> tuple[RoundTable, Tenure] | None:
    table = rows.table_of_game(conn, game_id)
    if table is None or table.state != "playing":
        return None
    sitting = rows.now_sitting(conn, table.tournament_id, *table.place)
    return next(((table, held) for held in sitting if held.faction == faction and is_vacant(held)), None)


def _who_may_return(conn: Connection, held: Tenure) -> Entrant | None:
    before = [each for each in _history(conn, held) if each.entrant]
    gone = desk.entrants_by_number(conn, held.tournament_id).get(before[-1].entrant) if before else None
    has_left = gone is not None and before[-1].resigned and gone.state == "withdrawn"
    return None if gone is None or has_left or gone.state == "disqualified" else gone


def _holder(conn: Connection, table: RoundTable, dot: int) -> Tenure:
    return next(each for each in rows.now_sitting(conn, table.tournament_id, *table.place) if each.dot == dot)


def _history(conn: Connection, held: Tenure) -> Sequence[Tenure]:
    every = rows.tenures_of(conn, held.tournament_id, held.round, held.table)
    return [each for each in every if each.dot == held.dot]
