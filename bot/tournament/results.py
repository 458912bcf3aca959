"""Results of tables: how they are entered when a game ends, contested, confirmed, amended and withdrawn.

A result is provisional when its game ends, confirmed if nobody protests in time, and withdrawn if the game is rolled
back. A stored result never changes: a wrong one is superseded by a later version. A table whose result cannot count is
made void or played again. Earlier draws do not change, and the report says who would have played instead.

Only arbiters who are not involved in a table learn about a protest, and two of them decide it (``arbiters``). A result
is not confirmed while a protest about it is open. Entrants may protest until the next round is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from msgspec.structs import replace

from bot.competition import outcomes
from bot.competition.outcomes import (
    CAN_WIN,
    WAYS_TO_WIN,
    Kind,
    ResultRefused,
    TableOutcome,
    decided_how,
    require_possible_result,
)
from bot.competition.published import TableState
from bot.competition.standings import DrawDifference
from bot.games.open_games import OpenGames, Session
from bot.record.reader import outcome_of
from bot.store import games, publication, ratings, tournament_rounds, tournaments
from bot.store import tournament_rounds as rows
from bot.store.database import Connection, reading, writing
from bot.store.people import who_ordered
from bot.store.tournament_rounds import Result, RoundTable
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.tournament import desk
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.progress import draw_record, drawn_before, promote, what_differs
from bot.tournament.rounds import end_game
from bot.wording import say
from rules.components import FACTION_FACTS, Faction, as_faction, the_faction

"""The author of a result that follows from the end of a game."""


def record_ended_games(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        ended = rows.tables_to_result(conn)
    for table in ended:
        with (
            desk.guarded("the result", table.game_id),
            desk.acting(desk.Caller(open_games, now), table.tournament_id) as (session, tournament),
        ):
            here = desk.reload_table(session.conn, table)
            if here.state == "playing":
                write_result(
                    session, tournament, here, outcome_of_game(session.conn, here, now), desk.BY_ITSELF, "finished"
                )


def outcome_of_game(conn: Connection, table: RoundTable, now: datetime) -> TableOutcome:
    return with_tenures(conn, table, outcome_now(conn, table.game_id, now.astimezone(UTC).date()))


def with_tenures(conn: Connection, table: RoundTable, outcome: TableOutcome) -> TableOutcome:
    known = desk.entrants_by_number(conn, table.tournament_id)
    held: dict[int, list[outcomes.Tenure]] = {}
    price: dict[int, int] = {}
    for tenure in rows.tenures_of(conn, table.tournament_id, table.round, table.number):
        price.setdefault(tenure.dot, tenure.price)
        wrote = tenure.ordered or (not tenure.last and has_ordered(conn, table, tenure))
        held.setdefault(tenure.dot, []).append(
            outcomes.Tenure(
                entrant=known[tenure.entrant].handle if tenure.entrant else "",
                first=tenure.first,
                last=tenure.last or max(outcome.turn, tenure.first),
                why=tenure.why,
                resigned=tenure.resigned,
                ordered=wrote and bool(tenure.entrant),
            )
        )
    seats = tuple(
        replace(seat, tenures=tuple(held.get(seat.dot, ())), price=price.get(seat.dot, 0)) for seat in outcome.seats
    )
    return replace(outcome, round=table.round, table=table.number, seats=seats)


def has_ordered(conn: Connection, table: RoundTable, tenure: rows.Tenure) -> bool:
    return tenure.faction in who_ordered(conn, table.game_id, tenure.since)


def write_result(
    session: Session, tournament: Tournament, table: RoundTable, outcome: TableOutcome, by: desk.By, state: TableState
) -> Result:
    try:
        require_possible_result(outcome)
    except ResultRefused as refused:
        raise desk.Refused(str(refused)) from None
    before = tournament_rounds.newest_results(session.conn, tournament.id).get(table.place)
    if before is not None:
        tournament_rounds.set_result_state(session.conn, before, "amended")
    until = session.now + timedelta(hours=tournament.settings.endings.protest_hours)
    kept = tournament_rounds.add_result(
        session.conn, Result(tournament.id, outcome, "provisional", by.named or by.right, by.why, session.now, until)
    )
    rows.change_table(session.conn, tournament.id, table.round, table.number, state=state)
    _ask_nobody(session.conn, table)
    end_questions(session.conn, table, "table")
    desk.log_act(
        session, tournament.id, "result", f"table {desk.table_name(table)}: {result_in_words(kept.outcome)}", by
    )
    _tell_result(session, table, kept, amended=before is not None)
    return kept


def result_told(kept: Result, players: Mapping[str, str] | None = None) -> str:
    """Return a result in words: who won and how, or who decided it. ``players`` has the name for each handle, if that
    name may be shown."""
    outcome = kept.outcome
    if not outcome.winners:
        return say("tournament.result.void")
    how = decided_how(outcome)
    facts = {"turn": outcome.turn, "seats": len(outcome.seats), "by": kept.by}
    held = {seat.faction: seat.tenures[-1].entrant for seat in outcome.seats if seat.tenures}
    who = {faction: (players or {}).get(held.get(faction, ""), "") for faction in outcome.winners}
    winners = [say("tournament.result.winner", faction=faction, who=of) for faction, of in who.items()]
    return say("tournament.result.won", winners=winners, how=say(f"tournament.kind.{how}", **facts))


def _ask_nobody(conn: Connection, table: RoundTable) -> None:
    for paper in tournaments.papers_of(conn, table.tournament_id, "substitution"):
        if (paper.round, paper.table) == table.place:
            tournaments.set_paper_state(conn, paper.id, "gone")


def result_in_words(outcome: TableOutcome) -> str:
    """Return a result in a few words, for the record: "atreides + emperor, stronghold, turn 7"."""
    won = " + ".join(outcome.winners)
    return f"{won}, {outcome.kind}, turn {outcome.turn}" if won else outcome.kind


def _tell_result(session: Session, table: RoundTable, kept: Result, *, amended: bool) -> None:
    outcome, about = kept.outcome, desk.table_name(table)
    tournament = tournaments.find_tournament(session.conn, table.tournament_id)
    known = [] if publication.played_unknown(tournament) else desk.players_at(session.conn, table)
    result = result_told(kept, {each.handle: each.public_name for each in known if each.name and each.shown})
    told = [say("tournament.result.told", table=about, game=table.game_id, told=result)]
    told += [say("tournament.result.why", why=kept.why)] if kept.why else []
    told += [say("tournament.result.amended", table=about)] if amended else []
    subject = say("tournament.result.subject", table=about)
    for entrant in desk.players_at(session.conn, table):
        last = kept.stands_at
        stands = [say("tournament.result.stands", when=desk.local_instant(last, entrant), table=about)] if last else []
        cause = f"result.{about}.{outcome.version}"
        tell(session, entrant, Letter(subject, [*told, *stands], cause))


def confirm_results(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        due = tournament_rounds.results_to_confirm(conn, now)
    for result in due:
        with desk.guarded("confirming", f"{result.tournament_id} {result.place}"):
            _confirm_result(open_games, result, now)


def _confirm_result(open_games: OpenGames, result: Result, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        if open_protests(conn, result.tournament_id, result.place):
            return
    with desk.acting(desk.Caller(open_games, now), result.tournament_id) as (session, tournament):
        conn = session.conn
        kept = tournament_rounds.newest_results(conn, tournament.id).get(result.place)
        if kept is None or kept.state != "provisional" or open_protests(conn, tournament.id, result.place):
            return
        tournament_rounds.set_result_state(conn, kept, "confirmed")
        place = "{}.{}".format(*kept.place)
        desk.log_act(session, tournament.id, "confirm result", f"table {place}, version {kept.outcome.version}")


def open_protests(conn: Connection, tournament_id: str, place: tuple[int, int]) -> list[tournaments.Paper]:
    every = tournaments.papers_of(conn, tournament_id, "protest")
    return [paper for paper in every if (paper.round, paper.table) == place]


def withdraw_undone_results(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        undone = rows.tables_undone(conn)
    for table in undone:
        with (
            desk.guarded("withdrawing a result", table.game_id),
            desk.acting(desk.Caller(open_games, now), table.tournament_id) as (session, cup),
        ):
            conn = session.conn
            here = desk.reload_table(conn, table)
            kept = tournament_rounds.newest_results(conn, cup.id).get(here.place)
            if here.state != "finished" or kept is None:
                continue
            tournament_rounds.set_result_state(conn, kept, "withdrawn")
            rows.change_table(conn, cup.id, here.round, here.number, state="playing")
            about = desk.table_name(here)
            desk.log_act(session, cup.id, "withdraw result", f"table {about}, version {kept.outcome.version}")
            subject = say("tournament.result.withdrawn-subject", table=about)
            told = [say("tournament.result.withdrawn", table=about, game=here.game_id)]
            cause = f"withdrawn.{about}.{kept.outcome.version}"
            for entrant in desk.players_at(conn, here):
                tell(session, entrant, Letter(subject, told, cause))
            tell_organisers(session, cup, Letter(subject, told, cause), place=here.place)


def outcome_now(conn: Connection, game_id: str, today: date) -> TableOutcome:
    """Return the outcome of a game as if it ended today, without the names of the players. A running game has no
    winners and counts as ``void``. Its strongholds are taken from the end of its last completed turn."""
    founded, seats = games.game_start(conn, game_id), games.seats_of(conn, game_id)
    seen = outcome_of(games.events_of(conn, game_id))
    found = seen.table(
        game_id,
        founded.ruleset,
        {faction: seat.dot for faction, seat in seats.items()},
        began=games.head_of(conn, game_id).day,
        ended=today,
        letters=sum(seat.letters for seat in seats.values()),
        rules=founded.options,
    )
    turn, _ = games.progress(conn, game_id)
    return replace(found, turn=found.turn if found.winners else max(1, turn))


@dataclass(frozen=True, slots=True)
class Amendment:
    """The new version of a result. ``again`` is the table that is played instead, or None. ``differs`` lists the rounds
    already drawn that would have been drawn differently."""

    result: Result
    again: RoundTable | None = None
    differs: tuple[DrawDifference, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultChanges:
    """The changes that a new version makes to a result. A field that is None leaves the value unchanged.
    ``strongholds`` gives the number of strongholds by faction."""

    winners: Sequence[Faction] | None = None
    kind: Kind | None = None
    turn: int | None = None
    strongholds: Mapping[Faction, int] | None = None

    def made_in(self, outcome: TableOutcome) -> TableOutcome:
        """Return the outcome with these changes. A void outcome that is given a winner but no ``kind`` is no longer
        void. ``how`` comes from the record of the game, so it is dropped if the changed outcome contradicts that
        record."""
        winners = outcome.winners if self.winners is None else tuple(self.winners)
        kind = self.kind or outcome.kind
        if self.kind is None and self.winners is not None:
            kind = "void" if not winners else "stronghold" if outcome.kind == "void" else outcome.kind
        seats = outcome.seats
        for faction, held in (self.strongholds or {}).items():
            if faction not in (seat.faction for seat in seats):
                raise desk.Refused(f"Nobody plays {the_faction(faction)} at table {outcome.round}.{outcome.table}.")
            seats = tuple(replace(seat, strongholds=held) if seat.faction == faction else seat for seat in seats)
        turn = outcome.turn if self.turn is None else self.turn
        same = (winners, kind, turn) == (outcome.winners, outcome.kind, outcome.turn)
        how = outcome.how if same else ""
        return replace(outcome, winners=winners, kind=kind, turn=turn, seats=seats, how=how)


def amend_result(caller: desk.Caller, tournament_id: str, said: str, changes: ResultChanges) -> Amendment:
    """Give the result of a table a new version. Raise Refused if no reason is given, if the table has no result, or if
    the new result is impossible."""
    _require_why(caller.by)
    with desk.acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        table = _decidable(conn, tournament, said, caller.by)
        before = tournament_rounds.newest_results(conn, tournament_id).get(table.place)
        if before is None:
            raise desk.Refused(
                f"Table {desk.table_name(table)} has no result to amend; its game is running. It gets one when "
                "the game ends, or by `mentat tournament adjudicate`."
            )
        changed = changes.made_in(before.outcome)
        able = CAN_WIN.get(changed.kind)
        if able and changed.winners and not set(able) & set(changed.winners):
            named = " or ".join(the_faction(faction) for faction in able)
            raise desk.Refused(f"Only {named} can win by {changed.kind}: name another kind of win with --kind.")
        if changed.kind == "agreed" and before.outcome.kind != "agreed":
            raise desk.Refused(
                f"Nobody can agree for the seats of table {desk.table_name(table)}: only their own vote ends a game as "
                "agreed. For your own ruling, use --kind adjudicated."
            )
        if changed == before.outcome:
            raise desk.Refused(f"That is already the result of table {desk.table_name(table)}; nothing was changed.")
        return change_result(session, tournament, table, changed, caller.by)


def correct_winners(caller: desk.Caller, tournament_id: str, said: str, winners: str, kind: str = "") -> Amendment:
    """Give the result of a table a new version with other winners, whose factions are separated by commas or "and". If
    no ``kind`` of win is named, it stays. Raise Refused as `amend_result` does, or if a faction has no such name."""
    names = [name.strip() for name in re.split(r",|\band\b", winners)]
    if wrong := [name for name in names if name not in FACTION_FACTS]:
        raise desk.Refused(f"{wrong[0]!r} is not one of {', '.join(FACTION_FACTS)}.")
    how = next((each for each in WAYS_TO_WIN if each == kind), None)
    return amend_result(caller, tournament_id, said, ResultChanges([as_faction(name) for name in names], how))


def change_result(
    session: Session,
    tournament: Tournament,
    table: RoundTable,
    changed: TableOutcome,
    by: desk.By,
    *,
    protest: int = 0,
) -> Amendment:
    """Write another version of a result, and close the protests about it, or only the protest that this version
    decides."""
    drawn = drawn_before(session.conn, tournament)
    state = "void" if changed.kind == "void" else "finished" if table.state == "void" else table.state
    kept = write_result(session, tournament, table, changed, by, state)
    close_protests(session, table, by, upheld=True, only=protest)
    differs = what_differs(session, tournament, drawn, by)
    promote(session, tournament)
    return Amendment(kept, None, differs)


def void_table(caller: desk.Caller, tournament_id: str, said: str, *, replay: bool = False) -> Amendment:
    """Make a table void, so that it does not count. A running game may go on as a friendly game. With ``replay`` the
    game ends, and another game with the same seats is planned in the same round."""
    _require_why(caller.by)
    with desk.acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        table = _decidable(conn, tournament, said, caller.by)
        if table.state == "void":
            raise desk.Refused(f"Table {desk.table_name(table)} is already void.")
        return make_void(session, tournament, table, caller.by, replay=replay)


def make_void(
    session: Session,
    tournament: Tournament,
    table: RoundTable,
    by: desk.By,
    *,
    replay: bool,
) -> Amendment:
    conn = session.conn
    kept = tournament_rounds.newest_results(conn, tournament.id).get(table.place)
    outcome = kept.outcome if kept else outcome_of_game(conn, table, session.now)
    drawn = drawn_before(conn, tournament)
    nobody = replace(outcome, kind="void", winners=(), how="")
    result = write_result(session, tournament, table, nobody, by, "void")
    if replay:
        end_game(session, table.game_id, "void", ())
    again = _play_again(session, table) if replay else None
    words = f"table {desk.table_name(table)}" + (f", again as {desk.table_name(again)}" if again else "")
    desk.log_act(session, tournament.id, "void", words, by)
    close_protests(session, table, by, upheld=True)
    differs = what_differs(session, tournament, drawn, by)
    promote(session, tournament)
    return Amendment(result, again, differs)


def _require_why(by: desk.By) -> None:
    if not by.why.strip():
        raise desk.Refused("Everybody may read why a result is changed: give the reason with --why.")


def _decidable(conn: Connection, tournament: Tournament, said: str, by: desk.By) -> RoundTable:
    table = desk.find_table(conn, tournament.id, said)
    desk.require_power(conn, tournament.id, by, "void")
    desk.require_unconcerned(conn, table, by)
    if tournament.state == "finished":
        raise desk.Refused(f"{tournament.id} is finished, its secret is published, and its results are final.")
    if tournament.state == "cancelled":
        raise desk.Refused(f"{tournament.id} was cancelled; its games are friendly ones, and it has no results.")
    if not table.game_id:
        raise desk.Refused(f"The game of table {desk.table_name(table)} has not begun; it has no result.")
    return table


def _play_again(session: Session, table: RoundTable) -> RoundTable:
    held = rows.now_sitting(session.conn, table.tournament_id, table.round, table.number)
    number = max(each.number for each in rows.tables_of(session.conn, table.tournament_id, table.round)) + 1
    again = RoundTable(table.tournament_id, table.round, number, table.size, deadline=table.deadline)
    seats = [
        rows.Tenure(table.tournament_id, table.round, number, each.dot, each.entrant, faction=each.faction)
        for each in held
        if each.entrant
    ]
    rows.add_tables(session.conn, [again], seats)
    told = [say("tournament.result.replay", new=desk.table_name(again))]
    subject = say("tournament.result.subject", table=desk.table_name(table))
    for entrant in desk.players_at(session.conn, table):
        tell(session, entrant, Letter(subject, told, f"replay.{desk.table_name(again)}"))
    return again


OVER = ("finished", "cancelled")
"""The states of a tournament whose results are final."""
REPLY_TIME = timedelta(hours=48)
MOST_WORDS = 4_000
"""A protest is cut to this many characters."""


def file_protest(session: Session, tournament: Tournament, entrant: Entrant, said: str, text: str) -> RoundTable:
    """File a protest about the result of a table. Raise Refused if the entrant never sat there, if there is no result
    yet, if the next round has been drawn, or if the tournament is over."""
    if tournament.state in OVER:
        raise desk.Refused(f"{tournament.id} is {tournament.state}; its results are final.")
    text = " ".join(text.split())[:MOST_WORDS]
    table = desk.find_table(session.conn, tournament.id, said)
    if entrant.number not in {each.number for each in desk.all_players_at(session.conn, table)}:
        raise desk.Refused(
            f"You did not play at table {desk.table_name(table)}; only its players can protest about it."
        )
    if not text:
        raise desk.Refused(f"Say what is wrong, like: protest {desk.table_name(table)}: REASON.")
    if tournament_rounds.newest_results(session.conn, tournament.id).get(table.place) is None:
        raise desk.Refused(f"Table {desk.table_name(table)} has no result to protest about yet.")
    if _later_is_drawn(session.conn, table):
        raise desk.Refused("The next round has been drawn, so protests are closed.")
    for before in undecided_protests(session.conn, tournament.id):
        if (before.entrant, before.round, before.table) == (entrant.number, *table.place):
            end_questions(session.conn, table, f"protest {before.id}")  # the new protest replaces it
    number = tournaments.file_paper(
        session.conn, Paper(tournament.id, entrant.number, "protest", text, session.now, table.round, table.number)
    )
    desk.log_act(session, tournament.id, "protest", f"table {desk.table_name(table)}")
    _hear_table(session, tournament, table, number, entrant)
    return table


def _hear_table(session: Session, tournament: Tournament, table: RoundTable, number: int, writer: Entrant) -> None:
    """Ask the others at a table to reply to a protest. They do not learn who made it. The arbiters are asked afterwards
    (``arbiters``)."""
    conn, about = session.conn, desk.table_name(table)
    others = [each for each in desk.players_at(conn, table) if each.number != writer.number and "@" in each.address]
    until = session.now + REPLY_TIME if others else session.now
    question = Paper(tournament.id, 0, "question", f"protest {number}", session.now, table.round, table.number, until)
    tournaments.add_paper(conn, question)
    filed = next(paper for paper in undecided_protests(conn, tournament.id) if paper.id == number)
    for each in others:
        reply = Paper(tournament.id, each.number, "reply", str(number), session.now, table.round, table.number)
        tournaments.add_paper(conn, reply)
        told = [
            *protest_in_words(tournament, filed, named=False),
            say("tournament.reply.how", until=desk.local_instant(until, each)),
        ]
        place = place_of_protest(conn, filed, number)
        subject = say("tournament.reply.subject", number=place, table=about)
        tell(session, each, Letter(subject, told, f"protest.{about}.{place}"))


def place_of_protest(conn: Connection, about: Paper, number: int) -> int:
    """Return the number of this protest among the protests about its table, counted from 1. Letters use this number,
    because the protest's own number would reveal how many protests there are at other tables."""
    every = tournaments.papers_of(conn, about.tournament_id, "protest", state=None)
    here = sorted(paper.id for paper in every if (paper.round, paper.table) == (about.round, about.table))
    return here.index(number) + 1


def protest_in_words(tournament: Tournament, filed: Paper, *, named: bool = True) -> list[str]:
    who = tournaments.handle(filed.entrant) if named and not publication.played_unknown(tournament) else ""
    return [say("tournament.protest.filed", handle=who, table=f"{filed.round}.{filed.table}", text=filed.words)]


def end_questions(conn: Connection, table: RoundTable, about: str = "") -> None:
    for paper in tournaments.papers_of(conn, table.tournament_id, "question"):
        if (paper.round, paper.table) == table.place and about in ("", paper.words):
            end_question(conn, paper)


def end_question(conn: Connection, question: Paper) -> None:
    """End a question to arbiters. Arbiters who have not answered it, and players who have not replied to the protest,
    can no longer do so."""
    tournaments.set_paper_state(conn, question.id, "answered")
    protest = question.words.removeprefix("protest ")
    for paper in tournaments.papers_of(conn, question.tournament_id, "verdict", "reply"):
        number = paper.words.split(maxsplit=1)[0]
        if number == (str(question.id) if paper.kind == "verdict" else protest):
            tournaments.set_paper_state(conn, paper.id, "gone")


def undecided_protests(conn: Connection, tournament_id: str) -> list[Paper]:
    return tournaments.papers_of(conn, tournament_id, "protest")


def dismiss_protest(caller: desk.Caller, tournament_id: str, number: int) -> Paper:
    if not caller.by.why.strip():
        raise desk.Refused("The answer to a protest needs a reason: give it with --why.")
    with desk.acting(desk.Caller(caller.games, caller.now, caller.by), tournament_id) as (session, _):
        conn = session.conn
        found = next((paper for paper in undecided_protests(conn, tournament_id) if paper.id == number), None)
        if found is None:
            raise desk.Refused(
                f"No protest {number} is open in {tournament_id}; `mentat tournament protests` lists them."
            )
        table = desk.find_table(conn, tournament_id, f"{found.round}.{found.table}")
        desk.require_power(conn, tournament_id, caller.by, "dismiss")
        desk.require_unconcerned(conn, table, caller.by)
        close_protests(session, table, caller.by, upheld=False, only=number)
        desk.log_act(session, tournament_id, "dismiss", f"a protest about table {desk.table_name(table)}", caller.by)
    return found


def close_protests(session: Session, table: RoundTable, by: desk.By, *, upheld: bool, only: int = 0) -> None:
    """Close all protests about a table, or only the protest ``only``. Tell the people who filed them the decision, who
    made it, and why."""
    known = desk.entrants_by_number(session.conn, table.tournament_id)
    for paper in undecided_protests(session.conn, table.tournament_id):
        if (paper.round, paper.table) != table.place or only not in (0, paper.id):
            continue
        tournaments.set_paper_state(session.conn, paper.id, "answered" if upheld else "refused")
        end_questions(session.conn, table, f"protest {paper.id}")
        said = "upheld" if upheld else "dismissed" if by.right else "undecided"
        about, who = desk.table_name(table), by.named or f"the {by.right}"
        told = say(f"tournament.protest.{said}", table=about, why=by.why, by=who)
        # everybody is told about a new result anyway
        heard = [] if upheld else [each.entrant for each in _heard(session.conn, paper)]
        for number in (paper.entrant, *heard):
            subject = say("tournament.protest.answered", table=about, own=number == paper.entrant)
            cause = f"protest.{about}.{place_of_protest(session.conn, paper, paper.id)}.decided"
            tell(session, known[number], Letter(subject, [told], cause))


def _heard(conn: Connection, protest: Paper) -> list[Paper]:
    every = tournaments.papers_of(conn, protest.tournament_id, "reply", state=None)
    return [paper for paper in every if paper.words.split(maxsplit=1)[0] == str(protest.id)]


def _later_is_drawn(conn: Connection, table: RoundTable) -> bool:
    later = [each for each in rows.rounds_of(conn, table.tournament_id) if each.number > table.round]
    drawn = [draw for each in later if (draw := draw_record(each)) is not None]
    return any(table.round not in draw.rounds for draw in drawn)


def update_ratings(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        if not ratings.is_behind(conn):
            return
    with open_games.busy, writing(open_games.engine) as conn:
        ratings.keep_up(conn, now)
