"""The dates of a round: its end, the announcement of the last turn, its close, pauses, and compensation for lost time.

Some days before a round ends, every unfinished table is told which turn will be its last, and plays that turn by the
rules. If a game stood still, because its clock was stopped or because its log could not be replayed, it gets that time
back: its table ends later than the round. If Mentat could not read mail for some time, that time is also given back: to
questions, protests and rounds, and to people who have not written yet.

Pausing all tables is one act and one transaction: if it fails for one table, no table is paused. Each game's act log
gets the same entry as if only that game had been paused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from bot.competition.published import hidden_last_turn, sum_of_round
from bot.competition.standings import Following, NextRound
from bot.desk.clocks import PAUSE, SILENCE, EndKind, EndRefused, end_game_now, pause_now, resume_now, tell_last_turn
from bot.desk.clocks import announce_last_turn_now as announce
from bot.games.open_games import OpenGames, Session
from bot.store import games, publication, record, tournament_rounds, tournaments
from bot.store import record as game_acts
from bot.store import tournament_rounds as rows
from bot.store.acts import DeskAct
from bot.store.database import Connection, reading
from bot.store.publication import published_tournament
from bot.store.tournament_rounds import Result, Round, RoundTable, TablePlayed
from bot.store.tournaments import Tournament
from bot.tournament.desk import (
    BY_ITSELF,
    By,
    Caller,
    Refused,
    acting,
    find_table,
    guarded,
    local_instant,
    log_act,
    players_at,
    reload_table,
    require_power,
    table_name,
    was_logged,
)
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.preparation import TAKING_PART
from bot.tournament.progress import promote
from bot.wording import say
from bot.wording.filters import listed
from rules.chapters.victory import last_turn
from rules.components import Faction

DAY = timedelta(days=1)
MOST_HOURS = 8_760


@dataclass(frozen=True, slots=True)
class TableStatus:
    table: RoundTable
    turn: int
    still: bool
    ends: datetime | None
    result: Result | None


def round_status(conn: Connection, tournament: Tournament, number: int) -> tuple[Round, list[TableStatus]]:
    found = find_round(conn, tournament, number)
    going = {each.table.place: each for each in rows.tables_playing(conn, tournament.id)}
    newest = tournament_rounds.newest_results(conn, tournament.id)
    shown = []
    for table in rows.tables_of(conn, tournament.id, found.number):
        here, kept = going.get(table.place), newest.get(table.place)
        turn = here.turn if here else kept.outcome.turn if kept else 0
        still = bool(here and (here.held or here.stopped_at))
        shown.append(TableStatus(table, turn, still, table.deadline or found.ends, kept))
    return found, shown


def find_round(conn: Connection, tournament: Tournament, number: int) -> Round:
    """Return the round with this number. For 0, return the last round in play or, if none is in play, the last round.
    Raise Refused if there is no such round."""
    every = rows.rounds_of(conn, tournament.id)
    if not every:
        raise Refused(f"{tournament.id} has no round yet; `mentat tournament draw {tournament.id}` draws one.")
    if not number:
        going = [each for each in every if each.state == "playing"]
        return (going or every)[-1]
    found = next((each for each in every if each.number == number), None)
    if found is None:
        raise Refused(f"{tournament.id} has no round {number}; it has 1 to {len(every)}.")
    return found


def rounds_in_play(conn: Connection, tournament: Tournament) -> list[int]:
    going = [each.number for each in rows.rounds_of(conn, tournament.id) if each.state == "playing"]
    return going or [find_round(conn, tournament, 0).number]


def round_meant(conn: Connection, tournament: Tournament, number: int, command: str) -> Round:
    """Return the round on which a command should act: the round with this number, or the round in play. Raise Refused
    if several are in play and no number is given, because acts on a round cannot be undone."""
    going = [each.number for each in rows.rounds_of(conn, tournament.id) if each.state == "playing"]
    if not number and len(going) > 1:
        raise Refused(
            f"Rounds {listed(map(str, going))} are played at the same time; name one, as in "
            f"`mentat tournament round {tournament.id} {going[0]} {command}`."
        )
    return find_round(conn, tournament, number)


# --- the end of a round ----------------------------------------------------------------------------------------------


def extend_round(caller: Caller, tournament_id: str, number: int, hours: float) -> Round:
    if not 0 < hours <= MOST_HOURS:
        raise Refused(f"{hours:g} hours are not above 0 and at most {MOST_HOURS} (a year).")
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, "extend")
        found = round_meant(conn, tournament, number, f"extend {hours:g}")
        if found.state != "playing":
            raise Refused(f"Round {found.number} of {tournament_id} is {found.state}; only a round in play has an end.")
        if found.ends is None:
            raise Refused(f"Round {found.number} of {tournament_id} has no end to move.")
        later = timedelta(hours=hours)
        ends = found.ends + later
        rows.change_round(conn, tournament_id, found.number, ends=ends)
        for table in rows.tables_of(conn, tournament_id, found.number, ["playing"]):
            own = table.deadline + later if table.deadline else None
            if own:
                rows.change_table(conn, tournament_id, table.round, table.number, deadline=own)
            subject = say("tournament.round.extended-subject", table=table_name(table))
            for entrant in players_at(conn, table):
                told = [
                    say("tournament.round.extended", table=table_name(table), when=local_instant(own or ends, entrant))
                ]
                cause = f"extended.{table_name(table)}.{ends:%Y%m%d%H%M}"
                tell(session, entrant, Letter(subject, told, cause))
        words = f"round {found.number}: {hours:g} h"
        log_act(session, tournament_id, "extend", words, caller.by)
        found = find_round(conn, tournament, found.number)
    return found


def close_round(caller: Caller, tournament_id: str, *numbers: int) -> Following | None:
    """Close rounds whose tables all have a result. One letter tells everybody their place, who advances, and the
    checksum of each round. Return what follows, or None if all rounds were already closed. Raise Refused if a table has
    no result yet."""
    with acting(caller, tournament_id) as (session, tournament):
        require_power(session.conn, tournament_id, caller.by, "close")
        closed = [found for number in numbers if (found := _closed(session, tournament, number, caller.by))]
        if not closed:
            return None
        advance: dict[int, str] = {}
        comes = promote(session, tournament, advance)
        _tell_rounds_closed(session, tournament, closed, advance, comes)
    return comes


def _closed(session: Session, tournament: Tournament, number: int, by: By) -> Round | None:
    conn = session.conn
    found = round_meant(conn, tournament, number, "close")
    if found.state == "closed":
        return None
    if found.state != "playing":
        raise Refused(f"Round {found.number} of {tournament.id} cannot be closed: it has not started yet.")
    missing = rows.tables_of(conn, tournament.id, found.number, ("planned", "playing"))
    if missing:
        named = ", ".join(map(table_name, missing))
        raise Refused(
            f"Round {found.number} of {tournament.id} cannot be closed: no result yet for {named}. They get one "
            "when their games end, or by `mentat tournament adjudicate`."
        )
    rows.change_round(conn, tournament.id, found.number, state="closed")
    publication.tell_names(conn, tournament.id, found.number)
    digest = sum_of_round(published_tournament(conn, tournament.id, session.now), found.number)
    log_act(session, tournament.id, "close", f"round {found.number}; its sum is {digest}", by)
    return found


def _tell_rounds_closed(
    session: Session, tournament: Tournament, closed: Sequence[Round], advance: Mapping[int, str], comes: Following
) -> None:
    """Write one letter to each participant. It tells them their place, whether they advance, what comes next, the
    checksums of the rounds, and the head of the record of each of their own games."""
    conn = session.conn
    published = published_tournament(conn, tournament.id, session.now)
    places = {row.entrant: row for row in published.standings}
    heads = {(record.round, record.table): record for record in published.records}
    own: dict[int, list[str]] = {}
    for held in rows.tenures_of(conn, tournament.id):
        record = heads.get((held.round, held.table)) if held.round in {each.number for each in closed} else None
        if held.entrant and record:
            own.setdefault(held.entrant, []).append(say("tournament.round.record", game=record.game, head=record.head))
    rounds = [str(each.number) for each in closed]
    sums = [sum_of_round(published, each.number) for each in closed]
    subject = say("tournament.round.closed-subject", title=tournament.title, rounds=rounds)
    what_next = _what_comes(tournament, comes)
    for entrant in tournaments.entrants_of(conn, tournament.id, TAKING_PART):
        row = places.get(entrant.handle)
        if row is None:
            continue
        told = [
            say("tournament.round.closed", rounds=rounds, title=tournament.title),
            say("tournament.round.place", place=row.rank, of=len(places), points=row.points),
            *filter(None, [advance.get(entrant.number, "")]),
            *([what_next] if entrant.state != "out" and entrant.number not in advance else []),
            say("tournament.round.sum", rounds=rounds, sums=sums),
            *own.get(entrant.number, ()),
        ]
        ready = ("ready",) if tournament.settings.format == "ladder" and entrant.state != "out" else ()
        tell(session, entrant, Letter(subject, told, f"closed.{'-'.join(rounds)}", ready=ready))


def _what_comes(tournament: Tournament, comes: Following) -> str:
    if isinstance(comes, NextRound):
        return say("tournament.round.next", kind=comes.kind, players=len(comes.who))
    if comes == "finished":
        return say("tournament.round.next-end", by_itself=tournament.settings.is_automatic("finish"))
    if tournament.settings.format == "ladder":
        return say("tournament.round.next-ladder")
    return say("tournament.round.next-waits", rounds=[str(number) for number in comes.rounds])


# --- the last turn ---------------------------------------------------------------------------------------------------


def announce_last_turn(caller: Caller, tournament_id: str, number: int, said: str, last_turn: int) -> list[RoundTable]:
    """Tell one table, or all unfinished tables of a round, which turn is their last. Raise Refused if a table has
    already begun that turn, if its game would never reach it, or if the table has already been told its last turn."""
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, "notice")
        wanted = find_table(conn, tournament_id, said) if said else None
        found = round_meant(conn, tournament, wanted.round if wanted else number, f"notice --last-turn {last_turn}")
        going = [each for each in rows.tables_playing(conn, tournament_id) if each.table.round == found.number]
        if wanted:
            going = [each for each in going if each.table.place == wanted.place]
            if not going:
                raise Refused(f"The game of table {table_name(wanted)} is not running; no last turn can be announced.")
        told = [each for each in going if wanted or not each.table.last_turn]
        for each in told:
            if each.table.last_turn:
                raise Refused(
                    f"Table {table_name(each.table)} was already told that turn {each.table.last_turn} is its last."
                )
            if last_turn <= each.turn:
                raise Refused(
                    f"Table {table_name(each.table)} is already in turn {each.turn}; its last turn must be "
                    f"{each.turn + 1} or later."
                )
            its_own = last_turn_of_game(conn, caller.games, each.table.game_id)
            if wanted and last_turn > its_own:
                raise Refused(f"The game of table {table_name(each.table)} ends with turn {its_own} anyway.")
        for each in told:
            _tell_last_turn(session, each, last_turn, caller.by)
        _note_announced(conn, found, caller.now)
    return [each.table for each in told]


def announce_due_last_turns(open_games: OpenGames, now: datetime) -> None:
    """Tell each table its last turn some days before the table ends. A hidden last turn is announced before that turn
    begins, if this is earlier. Players of a held or stopped game are told when play resumes."""
    with reading(open_games.engine) as conn:
        going = [
            each
            for each in rows.tables_playing(conn)
            if not each.table.last_turn and not (each.held or each.stopped_at)
        ]
        cups = {each.table.tournament_id: tournaments.find_tournament(conn, each.table.tournament_id) for each in going}
        every = {name: {each.number: each for each in rows.rounds_of(conn, name)} for name in cups}
    for each in going:
        table = each.table
        turn = _notice_due(cups[table.tournament_id], every[table.tournament_id][table.round], each, now)
        if not turn:
            continue
        with (
            guarded("the notice", table.game_id),
            acting(Caller(open_games, now), table.tournament_id) as (session, cup),
        ):
            conn = session.conn
            here = reload_table(conn, table)
            if here.state != "playing" or here.last_turn:
                continue
            _leave_time(conn, cup, here, now)
            _tell_last_turn(session, each, turn, BY_ITSELF)
            _note_announced(conn, find_round(conn, cup, here.round), now)


def repeat_last_turns(open_games: OpenGames, now: datetime) -> None:
    with open_games.busy, reading(open_games.engine) as conn:
        taken_back = record.last_rollbacks(conn)
        told = [each for each in rows.tables_playing(conn) if each.table.last_turn and each.table.game_id in taken_back]
        going = [each for each in told if not _stands_still(each) and each.turn < each.table.last_turn]
        lost = [
            each for each in going if not knows_last_turn(conn, open_games, each.table.game_id, each.table.last_turn)
        ]
    for each in lost:
        with (
            guarded("the notice", each.table.game_id),
            acting(Caller(open_games, now), each.table.tournament_id) as (session, _),
        ):
            turn = each.table.last_turn
            if reload_table(session.conn, each.table).state == "playing" and not knows_last_turn(
                session.conn, open_games, each.table.game_id, turn
            ):
                _tell_last_turn(session, each, turn, BY_ITSELF)


def _notice_due(tournament: Tournament, played: Round, each: TablePlayed, now: datetime) -> int:
    endings, ends = tournament.settings.endings, each.table.deadline or played.ends
    soon = each.turn + max(1, endings.turns_left)
    hidden = 0
    if endings.end == "hidden":
        hidden = hidden_last_turn(tournament.secret, played.number, each.table.number, endings.window)
        hidden = max(hidden, each.turn + 1)
        if hidden <= soon:
            return hidden
    due = ends is not None and ends - endings.notice_days * DAY <= now
    return min(soon, hidden or soon) if due else 0


def _leave_time(conn: Connection, tournament: Tournament, table: RoundTable, now: datetime) -> None:
    """If a table was told its last turn late because its game stood still, postpone its end so that it has as many days
    for the last turn as other tables."""
    ends = table.deadline or find_round(conn, tournament, table.round).ends
    wanted = now + tournament.settings.endings.notice_days * DAY
    if ends is not None and tournament.settings.endings.end == "announced" and wanted - ends > DAY:
        rows.change_table(conn, tournament.id, table.round, table.number, deadline=wanted)


def _tell_last_turn(session: Session, each: TablePlayed, turn: int, by: By) -> None:
    table, rules = each.table, last_turn_of_game(session.conn, session.games, each.table.game_id)
    turn = min(turn, int(rules))
    rows.change_table(session.conn, table.tournament_id, table.round, table.number, last_turn=turn)
    words = f"table {table_name(table)}: turn {turn} is the last"
    log_act(session, table.tournament_id, "notice", words, by)
    set_last_turn(session, table.game_id, turn)


def _note_announced(conn: Connection, played: Round, now: datetime) -> None:
    if played.noticed_at is None:
        rows.change_round(conn, played.tournament_id, played.number, noticed_at=now)


# --- stopped and overdue games ---------------------------------------------------------------------------------------


def give_time_back(open_games: OpenGames, now: datetime) -> None:
    """Record when a game was stopped. When it resumes, postpone the end of its table by the time it stood still."""
    with reading(open_games.engine) as conn:
        changed = [each for each in rows.tables_playing(conn) if _stands_still(each) != bool(each.table.still_since)]
    for each in changed:
        with guarded("giving time back", each.table.game_id):
            _note_still(open_games, each, now)


def _note_still(open_games: OpenGames, each: TablePlayed, now: datetime) -> None:
    table = each.table
    with acting(Caller(open_games, now), table.tournament_id) as (session, tournament):
        conn = session.conn
        here = reload_table(conn, table)
        if bool(here.still_since) == _stands_still(each):
            return
        if _stands_still(each):
            since = each.stopped_at or now
            rows.change_table(conn, tournament.id, here.round, here.number, still_since=since)
            return
        ends = here.deadline or find_round(conn, tournament, here.round).ends
        lost = now - here.still_since if here.still_since else timedelta()
        deadline = ends + lost if ends else None
        rows.change_table(conn, tournament.id, here.round, here.number, still_since=None, deadline=deadline)
        for held in rows.now_sitting(conn, tournament.id, here.round, here.number):
            rows.change_tenure(conn, held, since=(held.since or each.began) + lost)
        if deadline is None:
            return
        hours = round(lost / timedelta(hours=1))
        log_act(session, tournament.id, "time back", f"table {table_name(here)}: {hours} h")
        subject = say("tournament.round.extended-subject", table=table_name(here))
        for entrant in players_at(conn, here):
            told = [say("tournament.round.given-back", table=table_name(here), when=local_instant(deadline, entrant))]
            tell(session, entrant, Letter(subject, told, f"back.{table_name(here)}.{now:%Y%m%d%H%M}"))


def _stands_still(each: TablePlayed) -> bool:
    return each.held or each.stopped_at is not None


def report_late_tables(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        going = [each for each in rows.tables_playing(conn) if not _stands_still(each)]
        every = {name: rows.rounds_of(conn, name) for name in {each.table.tournament_id for each in going}}
        over = [each for each in going if _is_past(every[each.table.tournament_id], each.table, now)]
        late = [each for each in over if _is_late(conn, each.table, now)]
    for each in late:
        table = each.table
        with (
            guarded("a late table", table.game_id),
            acting(Caller(open_games, now), table.tournament_id) as (session, tournament),
        ):
            conn = session.conn
            if not _is_late(conn, table, now):
                continue
            log_act(session, tournament.id, "late", f"table {table_name(table)}")
            subject = say("tournament.round.late-subject", table=table_name(table))
            told = [say("tournament.round.late", table=table_name(table), game=table.game_id, turn=each.turn)]
            named = table_name(table)
            told.append(say("tournament.round.late-advice", round=table.round, table=named))
            ready = (f"adjudicate {named} stopped: WHY", f"adjudicate {named}: WHY", f"extend round {table.round} 48")
            letter = Letter(subject, told, f"late.{named}", ready=ready)
            tell_organisers(session, tournament, letter, place=table.place)


def overdue_tables(conn: Connection, tournament: Tournament, now: datetime) -> list[tuple[int, int]]:
    """Return the tables that are still in play although their round is over. Leave out stopped games, tables about
    which arbiters have been asked, and tables whose players are voting."""
    every = rows.rounds_of(conn, tournament.id)
    asked = {(paper.round, paper.table) for paper in tournaments.papers_of(conn, tournament.id, "question", "vote")}
    return [
        each.table.place
        for each in rows.tables_playing(conn, tournament.id)
        if not _stands_still(each) and _is_past(every, each.table, now) and each.table.place not in asked
    ]


def _is_late(conn: Connection, table: RoundTable, now: datetime) -> bool:
    here = reload_table(conn, table)
    if here.state != "playing" or not _is_past(rows.rounds_of(conn, table.tournament_id), here, now):
        return False
    return not was_logged(conn, table.tournament_id, "late", f"table {table_name(table)}")


def _is_past(every: Sequence[Round], table: RoundTable, now: datetime) -> bool:
    ends = table.deadline or next((each.ends for each in every if each.number == table.round), None)
    return ends is not None and ends <= now


def set_last_turn(session: Session, game_id: str, turn: int) -> None:
    """Make this turn the last of the game and tell everybody, even if the rules would end the game with that turn
    anyway. Raise EndRefused if it is impossible."""
    table = session.games.table(session.conn, game_id)
    if turn < last_turn(table.play.game):
        announce(session, table, turn)
    else:
        tell_last_turn(session, table, turn)
    games.close(session.conn, table)


def knows_last_turn(conn: Connection, open_games: OpenGames, game_id: str, turn: int) -> bool:
    """Return True if the game's log contains the announcement of this last turn. A rollback to an earlier point removes
    it."""
    return last_turn(open_games.table(conn, game_id).play.game) <= turn


def last_turn_of_game(conn: Connection, open_games: OpenGames, game_id: str) -> int:
    return last_turn(open_games.table(conn, game_id).play.game)


def end_game(session: Session, game_id: str, how: EndKind, winners: Sequence[Faction]) -> None:
    """End a game early with a decided result, and send everybody its last letter. Do nothing if the game is already
    over. Raise Refused if it cannot be ended."""
    table = session.games.table(session.conn, game_id)
    if table.status == "over":
        return
    try:
        end_game_now(session, table, how, winners)
    except EndRefused as refused:
        raise Refused(str(refused)) from None
    games.close(session.conn, table)


def pause_tables(caller: Caller, tournament_id: str, number: int, *, tell: str = "") -> list[RoundTable]:
    """Pause all running tables of a round, or of all rounds if ``number`` is 0, and return those tables. Raise Refused
    if no table is running."""
    return _at_all_tables(caller, tournament_id, number, "pause", tell)


def resume_tables(caller: Caller, tournament_id: str, number: int, *, tell: str = "") -> list[RoundTable]:
    """Resume all paused tables of a round, including those that stopped because nobody wrote, and return those tables.
    A table on hold stays on hold. Raise Refused if no table is paused."""
    return _at_all_tables(caller, tournament_id, number, "resume", tell)


def _at_all_tables(
    caller: Caller, tournament_id: str, number: int, power: Literal["pause", "resume"], tell: str
) -> list[RoundTable]:
    resumes, stopped = power == "resume", (PAUSE, SILENCE) if power == "resume" else (PAUSE,)
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, power)
        done = []
        for each in rows.tables_playing(conn, tournament.id):
            if number not in (0, each.table.round):
                continue
            table = caller.games.table(conn, each.table.game_id)
            if table.status == "running" and not table.on_hold and (table.stopped_why in stopped) == resumes:
                table.now = caller.now
                (resume_now if resumes else pause_now)(session, table, tell)
                words = f"round {each.table.round} of {tournament.id}"
                game_acts.record_act(
                    conn,
                    table,
                    DeskAct(caller.now, power, caller.by.why, caller.by.address, caller.by.right, words, tell),
                )
                games.close(conn, table)
                done.append(each.table)
        if not done:
            where = f"round {number} of {tournament_id}" if number else tournament_id
            raise Refused(f"No table of {where} {'is paused' if resumes else 'is running'}; nothing was done.")
        named = f"round {number}" if number else "all rounds"  # the number of running games is not public
        log_act(session, tournament_id, power, named, caller.by)
    return done


OUTAGE = "outage"


def give_back_lost_time(open_games: OpenGames, lost: str, since: datetime, back: datetime) -> None:
    """Postpone every deadline that was running while time was lost. ``lost`` identifies the loss, so that it is
    compensated only once."""
    with reading(open_games.engine) as conn:
        every = [each.id for each in tournaments.all_tournaments(conn, "open", "drawn", "running")]
        todo = [name for name in every if not was_logged(conn, name, OUTAGE, lost)]
    for name in todo:
        with acting(Caller(open_games, back), name) as (session, tournament):
            conn = session.conn
            if not was_logged(conn, name, OUTAGE, lost):
                _give_back_to(conn, tournament, since, back)
                log_act(session, name, OUTAGE, lost)


def _give_back_to(conn: Connection, tournament: Tournament, since: datetime, back: datetime) -> None:
    span = back - since
    for paper in tournaments.papers_of(conn, tournament.id):
        if paper.until and paper.until > since:
            tournaments.postpone_paper(conn, paper, paper.until + span)
    for result in tournament_rounds.newest_results(conn, tournament.id).values():
        if result.state == "provisional" and result.stands_at and result.stands_at > since:
            tournament_rounds.postpone_result(conn, result, result.stands_at + span)
    for each in rows.rounds_of(conn, tournament.id):
        if each.state == "playing" and each.ends and each.ends > since:
            rows.change_round(conn, tournament.id, each.number, ends=each.ends + span)
    for each_table in rows.tables_playing(conn, tournament.id):
        table = each_table.table
        if table.deadline and table.deadline > since:
            rows.change_table(conn, tournament.id, table.round, table.number, deadline=table.deadline + span)
        if each_table.stopped_at or each_table.began > back:
            continue  # a stopped game gets its time back when it resumes
        for held in rows.now_sitting(conn, tournament.id, table.round, table.number):
            waited = held.since or each_table.began
            if held.entrant and not held.ordered and waited < back:
                rows.change_tenure(conn, held, since=waited + span)
