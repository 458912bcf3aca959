"""The dates of a round: its end, the notice of the last turn before it, and its close.

Some days before the round ends every table that has not finished is told which turn is its last, and plays it by the
rules. Time for which a game stood still (its clocks were stopped, or it waited for rules that play it as before) is
given back: such a table ends later than its round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.competition.hidden_end import hidden_last_turn
from bot.competition.progress import After
from bot.games.open_games import OpenGames
from bot.store import between_tables, rollbacks
from bot.store.database import Connection, reading
from bot.store.tournaments import acts, results, tournaments
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.results import Result
from bot.store.tournaments.rounds import Playing, Round, RoundTable
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import By, Refused, acting
from bot.tournament.last_turns import let_it_be_last, longest, was_told
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.places import fresh, guarded, instant, players, require_right, table_named, written
from bot.tournament.progress import promote
from bot.wording.filters import listed
from bot.wording.sentences import say

DAY = timedelta(days=1)
MOST_HOURS = 8_760


@dataclass(frozen=True, slots=True)
class TableShown:
    """A table of a round: where its game is (0: it has not begun), its end, and its result."""

    table: RoundTable
    turn: int
    still: bool
    ends: datetime | None
    result: Result | None


def show(conn: Connection, tournament: Tournament, number: int) -> tuple[Round, list[TableShown]]:
    """A round and its tables. Refused if there is none."""
    found = find(conn, tournament, number)
    going = {each.table.place: each for each in rows.playing(conn, tournament.id)}
    newest = results.newest(conn, tournament.id)
    shown = []
    for table in rows.tables(conn, tournament.id, found.number):
        here, kept = going.get(table.place), newest.get(table.place)
        turn = here.turn if here else kept.outcome.turn if kept else 0
        still = bool(here and (here.held or here.stopped_at))
        shown.append(TableShown(table, turn, still, table.deadline or found.ends, kept))
    return found, shown


def find(conn: Connection, tournament: Tournament, number: int) -> Round:
    """A round by its number; 0 is the last that is played, or the last. Refused if there is none."""
    every = rows.rounds(conn, tournament.id)
    if not every:
        raise Refused(f"{tournament.id} has no round yet; `mentat tournament draw {tournament.id}` draws one.")
    if not number:
        going = [each for each in every if each.state == "playing"]
        return (going or every)[-1]
    found = next((each for each in every if each.number == number), None)
    if found is None:
        raise Refused(f"{tournament.id} has no round {number}; it has 1 to {len(every)}.")
    return found


def played(conn: Connection, tournament: Tournament) -> list[int]:
    """The rounds that are played now, or the last where none is. Refused if there is none."""
    going = [each.number for each in rows.rounds(conn, tournament.id) if each.state == "playing"]
    return going or [find(conn, tournament, 0).number]


def meant(conn: Connection, tournament: Tournament, number: int, command: str) -> Round:
    """The round that somebody acts on: by its number, or the one that is played. Refused where several are played at
    the same time and none is named, as what is done to a round is not taken back."""
    going = [each.number for each in rows.rounds(conn, tournament.id) if each.state == "playing"]
    if not number and len(going) > 1:
        raise Refused(
            f"Rounds {listed(map(str, going))} are played at the same time; name one, as in "
            f"`mentat tournament round {tournament.id} {going[0]} {command}`."
        )
    return find(conn, tournament, number)


# --- the end of a round ----------------------------------------------------------------------------------------------


def extend(
    open_games: OpenGames, tournament_id: str, number: int, hours: float, by: By, now: datetime, *,
    dry_run: bool = False,
) -> Round:  # fmt: skip
    """Let a round, and every table of it, end so many hours later; everybody who plays in it is told. Refused unless it
    is played."""
    if not 0 < hours <= MOST_HOURS:
        raise Refused(f"{hours:g} hours are not above 0 and at most {MOST_HOURS} (a year).")
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        found = meant(conn, tournament, number, f"extend {hours:g}")
        if found.state != "playing":
            raise Refused(
                f"Round {found.number} of {tournament_id} is {found.state}; only one that is played has an end."
            )
        if found.ends is None:
            raise Refused(f"Round {found.number} of {tournament_id} has no end that could come later.")
        later = timedelta(hours=hours)
        ends = found.ends + later
        rows.change_round(conn, tournament_id, found.number, ends=ends)
        for table in rows.tables(conn, tournament_id, found.number, ["playing"]):
            own = table.deadline + later if table.deadline else None
            if own:
                rows.change_table(conn, tournament_id, table.round, table.number, deadline=own)
            subject = say("tournament.round.extended-subject", table=written(table))
            for entrant in players(conn, table):
                told = [say("tournament.round.extended", table=written(table), when=instant(own or ends, entrant))]
                cause = f"extended.{written(table)}.{ends:%Y%m%d%H%M}"
                tell(conn, open_games.writer, entrant, now, Letter(subject, told, cause))
        words = f"round {found.number}: {hours:g} h"
        acts.add(conn, tournament_id, now, "extend", words, who=by.address, right=by.right, why=by.why)
        found = find(conn, tournament, found.number)
    return found


def close(
    open_games: OpenGames, tournament_id: str, number: int, by: By, now: datetime, *, dry_run: bool = False
) -> After | None:
    """Close a round all of whose tables have a result; who advances is told. What comes next, None where it was closed
    already. Refused while a table has no result."""
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        found = meant(conn, tournament, number, "close")
        if found.state == "closed":
            return None
        if found.state != "playing":
            raise Refused(f"Round {found.number} of {tournament_id} is {found.state}; it has not been played.")
        missing = rows.tables(conn, tournament_id, found.number, ("planned", "playing"))
        if missing:
            named = ", ".join(map(written, missing))
            raise Refused(
                f"Round {found.number} of {tournament_id} cannot be closed: no result yet for {named}. They get one "
                "when their games end, or by `mentat tournament adjudicate`."
            )
        rows.change_round(conn, tournament_id, found.number, state="closed")
        between_tables.tell_names(conn, tournament_id, found.number)
        acts.add(conn, tournament_id, now, "close", f"round {found.number}", who=by.address, right=by.right, why=by.why)
        comes = promote(conn, open_games, tournament, now)
    return comes


# --- the last turn ---------------------------------------------------------------------------------------------------


def notice(
    open_games: OpenGames, tournament_id: str, number: int, said: str, last_turn: int, by: By, now: datetime, *,
    dry_run: bool = False,
) -> list[RoundTable]:  # fmt: skip
    """Tell a table, or all of a round that have not finished, that this turn is their last. Refused for a turn that a
    table has begun already, or that its game never comes to, and for a table that was told one."""
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        wanted = table_named(conn, tournament_id, said) if said else None
        found = meant(conn, tournament, wanted.round if wanted else number, f"notice --last-turn {last_turn}")
        going = [each for each in rows.playing(conn, tournament_id) if each.table.round == found.number]
        if wanted:
            going = [each for each in going if each.table.place == wanted.place]
            if not going:
                raise Refused(f"The game of table {written(wanted)} does not go on; it has no last turn to be told.")
        told = [each for each in going if wanted or not each.table.last_turn]
        for each in told:
            if each.table.last_turn:
                raise Refused(
                    f"Table {written(each.table)} was told already that turn {each.table.last_turn} is its last."
                )
            if last_turn <= each.turn:
                raise Refused(
                    f"Table {written(each.table)} is in turn {each.turn} already; its last turn can be "
                    f"{each.turn + 1} or a later one."
                )
            its_own = longest(conn, open_games, each.table.game_id)
            if wanted and last_turn > its_own:
                raise Refused(f"The game of table {written(each.table)} ends with turn {its_own} by itself.")
        for each in told:
            _tell_last_turn(conn, open_games, each, last_turn, by, now)
        _noticed(conn, found, now)
    return [each.table for each in told]


def give_notice(open_games: OpenGames, now: datetime) -> None:
    """Tell every table its last turn when it is time: some days before its end, or, where the last turn was hidden,
    before that comes if that is earlier. A game that stands still is told when it goes on."""
    with reading(open_games.engine) as conn:
        going = [each for each in rows.playing(conn) if not each.table.last_turn and not (each.held or each.stopped_at)]
        cups = {each.table.tournament_id: tournaments.find(conn, each.table.tournament_id) for each in going}
        every = {name: {each.number: each for each in rows.rounds(conn, name)} for name in cups}
    for each in going:
        table = each.table
        turn = _notice_due(cups[table.tournament_id], every[table.tournament_id][table.round], each, now)
        if not turn:
            continue
        with guarded("the notice", table.game_id), acting(open_games, table.tournament_id) as (conn, cup):
            here = fresh(conn, table)
            if here.state != "playing" or here.last_turn:
                continue
            _leave_time(conn, cup, here, now)
            _tell_last_turn(conn, open_games, each, turn, By("", "", ""), now)
            _noticed(conn, find(conn, cup, here.round), now)


def tell_again(open_games: OpenGames, now: datetime) -> None:
    """A game that was taken back to before it was told its last turn is told again: what the round needs stands."""
    with open_games.busy, reading(open_games.engine) as conn:
        taken_back = rollbacks.last_of_each(conn)
        told = [each for each in rows.playing(conn) if each.table.last_turn and each.table.game_id in taken_back]
        going = [each for each in told if not _stands(each) and each.turn < each.table.last_turn]
        lost = [each for each in going if not was_told(conn, open_games, each.table.game_id, each.table.last_turn)]
    for each in lost:
        with guarded("the notice", each.table.game_id), acting(open_games, each.table.tournament_id) as (conn, _):
            turn = each.table.last_turn
            if fresh(conn, each.table).state == "playing" and not was_told(conn, open_games, each.table.game_id, turn):
                _tell_last_turn(conn, open_games, each, turn, By("", "", ""), now)


def _notice_due(tournament: Tournament, played: Round, each: Playing, now: datetime) -> int:
    """Which turn a table is to be told now is its last; 0 for none yet."""
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
    """Who is told late, because the game stood still, has as many days for the last turn as everybody else."""
    ends = table.deadline or find(conn, tournament, table.round).ends
    wanted = now + tournament.settings.endings.notice_days * DAY
    if ends is not None and tournament.settings.endings.end == "announced" and wanted - ends > DAY:
        rows.change_table(conn, tournament.id, table.round, table.number, deadline=wanted)


def _tell_last_turn(
    conn: Connection, open_games: OpenGames, each: Playing, turn: int, by: By, now: datetime
) -> None:  # fmt: skip
    """It is an act of the game itself, which replays. Where the rules end the game no later anyway, nothing changes."""
    table, rules = each.table, longest(conn, open_games, each.table.game_id)
    turn = min(turn, int(rules))
    rows.change_table(conn, table.tournament_id, table.round, table.number, last_turn=turn)
    words = f"table {written(table)}: turn {turn} is the last"
    acts.add(
        conn, table.tournament_id, now, "notice", words, who=by.address, right=by.right, why=by.why,
        audience="directors",
    )  # fmt: skip
    let_it_be_last(conn, open_games, table.game_id, turn, now)


def _noticed(conn: Connection, played: Round, now: datetime) -> None:
    if played.noticed_at is None:
        rows.change_round(conn, played.tournament_id, played.number, noticed_at=now)


# --- games that stand still, and those that are late -----------------------------------------------------------------


def give_time_back(open_games: OpenGames, now: datetime) -> None:
    """Note since when games stand still, and let their tables end later by that when they go on."""
    with reading(open_games.engine) as conn:
        changed = [each for each in rows.playing(conn) if _stands(each) != bool(each.table.still_since)]
    for each in changed:
        with guarded("giving time back", each.table.game_id):
            _note_still(open_games, each, now)


def _note_still(open_games: OpenGames, each: Playing, now: datetime) -> None:
    table = each.table
    with acting(open_games, table.tournament_id) as (conn, tournament):
        here = fresh(conn, table)
        if bool(here.still_since) == _stands(each):
            return
        if _stands(each):
            since = each.stopped_at or now
            rows.change_table(conn, tournament.id, here.round, here.number, still_since=since)
            return
        ends = here.deadline or find(conn, tournament, here.round).ends
        lost = now - here.still_since if here.still_since else timedelta()
        deadline = ends + lost if ends else None
        rows.change_table(conn, tournament.id, here.round, here.number, still_since=None, deadline=deadline)
        for held in rows.now_sitting(conn, tournament.id, here.round, here.number):
            rows.change_tenure(conn, held, since=(held.since or each.began) + lost)
        if deadline is None:
            return
        hours = round(lost / timedelta(hours=1))
        acts.add(conn, tournament.id, now, "time back", f"table {written(here)}: {hours} h", audience="directors")
        subject = say("tournament.round.extended-subject", table=written(here))
        for entrant in players(conn, here):
            told = [say("tournament.round.given-back", table=written(here), when=instant(deadline, entrant))]
            tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"back.{written(here)}.{now:%Y%m%d%H%M}"))


def _stands(each: Playing) -> bool:
    return each.held or each.stopped_at is not None


def say_late(open_games: OpenGames, now: datetime) -> None:
    """Tell the organisers, once, of a table that has not finished by its end: its game is not adjudicated by itself."""
    with reading(open_games.engine) as conn:
        going = [each for each in rows.playing(conn) if not _stands(each)]
        every = {name: rows.rounds(conn, name) for name in {each.table.tournament_id for each in going}}
        over = [each for each in going if _past(every[each.table.tournament_id], each.table, now)]
        late = [each for each in over if _is_late(conn, each.table, now)]
    for each in late:
        table = each.table
        with guarded("a late table", table.game_id), acting(open_games, table.tournament_id) as (conn, tournament):
            if not _is_late(conn, table, now):
                continue
            acts.add(conn, tournament.id, now, "late", f"table {written(table)}", audience="directors")
            subject = say("tournament.round.late-subject", table=written(table))
            told = [say("tournament.round.late", table=written(table), game=table.game_id, turn=each.turn)]
            told.append(say("tournament.round.late-advice", tournament=tournament.id, table=written(table)))
            letter = Letter(subject, told, f"late.{written(table)}")
            tell_organisers(conn, open_games.writer, tournament, now, letter, place=table.place)


def _is_late(conn: Connection, table: RoundTable, now: datetime) -> bool:
    """Whether a table is late and nobody was told."""
    here = fresh(conn, table)
    if here.state != "playing" or not _past(rows.rounds(conn, table.tournament_id), here, now):
        return False
    known = [act.words for act in acts.of_tournament(conn, table.tournament_id) if act.command == "late"]
    return f"table {written(table)}" not in known


def _past(every: Sequence[Round], table: RoundTable, now: datetime) -> bool:
    ends = table.deadline or next((each.ends for each in every if each.number == table.round), None)
    return ends is not None and ends <= now
