"""Ways to end a table whose game is not played out: by a vote of all its seats, by the position on the public board, or
by the verdict of two arbiters.

Before any of these, the table must have been told which turn is its last, and must have played that turn (``rounds``).
Arbiters are asked by mail (``arbiters``); this module carries out their decisions about games and protests. The public
board is judged by its position at the last completed Mentat pause.

A vote ends a game if every seat agrees on the same winners. It is secret: nobody learns who proposed it or how anybody
voted. It ends at its deadline, or earlier once every seat has agreed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import msgspec
from msgspec.structs import replace

from bot.competition.outcomes import (
    ResultRefused,
    Side,
    StoppedGame,
    TableOutcome,
    decide_stopped_game,
    require_possible_result,
)
from bot.games.open_games import OpenGames, Session
from bot.store import acts, games, tournaments
from bot.store import tournament_rounds as rows
from bot.store.database import Connection, reading
from bot.store.record import log_of
from bot.store.tournament_rounds import Result, RoundTable
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.calendar import stamp
from bot.tournament import arbiters
from bot.tournament.arbiters import Decided
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
    require_unconcerned,
    table_name,
)
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.results import OVER, change_result, close_protests, make_void, outcome_of_game, write_result
from bot.tournament.rounds import end_game
from bot.wording import say
from bot.wording.filters import listed, name, the
from rules.chapters.victory import needed, strongholds_held
from rules.components import Faction, as_faction
from rules.components.board import TerritoryId
from rules.engine.log import Snapshot
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.state.game import Game
from rules.state.state import State

Rule = Literal["stopped", "agreed", ""]


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The steps taken about a table. ``result`` is its new result, if it already has one. ``votes_until`` is the end of
    the vote, if the seats are voting. ``asked`` is true if arbiters were asked. ``board`` is the decision by the public
    board, if it was used."""

    table: RoundTable
    result: Result | None = None
    votes_until: datetime | None = None
    board: StoppedGame | None = None
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """The way to decide a table. If ``rule`` is ``stopped``, the public board decides. If it is ``agreed``, all seats
    vote on the ``winners``. Otherwise two arbiters are asked by mail."""

    rule: Rule = ""
    winners: Sequence[Faction] = ()


def adjudicate_by(caller: Caller, tournament_id: str, said: str, rule: Rule = "") -> Adjudication:
    return adjudicate(caller, tournament_id, said, Finding(rule))


def adjudicate(caller: Caller, tournament_id: str, said: str, finding: Finding) -> Adjudication:
    """Decide a table whose game is still running. Raise Refused if no reason is given, or if the person who acts has a
    stake in the table."""
    by, rule, winners = caller.by, finding.rule, finding.winners
    if not by.why.strip():
        raise Refused("Everybody may read the reason for an adjudication: give it with --why.")
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        table = find_table(conn, tournament_id, said)
        require_power(conn, tournament_id, by, "adjudicate")
        require_unconcerned(conn, table, by)
        if table.state != "playing":
            raise Refused(
                f"Table {table_name(table)} is {table.state}; only a table with a running game can be adjudicated. "
                "`mentat tournament amend` changes a result."
            )
        if rule == "agreed":
            return Adjudication(table, votes_until=propose_end(session, tournament, table, winners, by))
        if rule == "stopped":
            return _by_the_board(session, tournament, table, winners, by)
        return _ask_arbiters(session, tournament, table, winners, by)


def _by_the_board(
    session: Session, tournament: Tournament, table: RoundTable, winners: Sequence[Faction], by: By
) -> Adjudication:
    if winners:
        raise Refused("The public board decides who has won: leave out --winners, or leave out --rule.")
    _require_going(session.conn, tournament, table)
    there = public_sides(session.conn, table.game_id)
    found = decide_stopped_game(there) if there else StoppedGame("void", (), "", ())
    outcome = replace(
        outcome_of_game(session.conn, table, session.now), kind=found.kind, winners=found.winners, how="stopped"
    )
    drop_votes(session.conn, table)
    end_game(session, table.game_id, found.kind, found.winners)
    kept = write_result(session, tournament, table, outcome, by, found.kind)
    _note(session, table, f"stopped, by {found.by or 'nothing'}", by)
    return Adjudication(table, kept, board=found)


def _require_going(conn: Connection, tournament: Tournament, table: RoundTable) -> None:
    """Raise Refused if the table's game is held or stopped. Such a game is not adjudicated; it gets the lost time back
    instead."""
    here = next((each for each in rows.tables_playing(conn, tournament.id) if each.table.place == table.place), None)
    if here and (here.held or here.stopped_at):
        raise Refused(
            f"The game of table {table_name(table)} is stopped; it gets its time back when it resumes, and cannot "
            "be adjudicated until then."
        )


def _ask_arbiters(
    session: Session, tournament: Tournament, table: RoundTable, winners: Sequence[Faction], by: By
) -> Adjudication:
    if winners:
        raise Refused("The arbiters decide who has won: leave out --winners.")
    _require_going(session.conn, tournament, table)
    asked = tournaments.papers_of(session.conn, tournament.id, "question")
    if any((paper.round, paper.table) == table.place for paper in asked):
        raise Refused(f"The arbiters have already been asked about table {table_name(table)}.")
    if not arbiters.ask_arbiters(session, tournament, table, by.why):
        raise Refused(
            f"There is nobody to ask about table {table_name(table)}: name an uninvolved arbiter with "
            f"`mentat tournament grant {tournament.id} ADDRESS arbiter`, or add --rule stopped or --rule agreed."
        )
    _note(session, table, "arbiters asked", by)
    return Adjudication(table, asked=True)


def carry_out(session: Session, tournament: Tournament, decided: Decided) -> None:
    """Carry out the arbiters' decision and tell the organisers. Without a verdict, a protest is dismissed, and the
    public board decides a running game unless it is held or stopped. If the tournament or the game in question is
    already over, do nothing."""
    question, verdict = decided.question, decided.verdict
    table = find_table(session.conn, tournament.id, f"{question.round}.{question.table}")
    if tournament.state in OVER or (question.words == "table" and not _goes_on(session.conn, table)):
        return
    right = "director" if decided.by == "the director" else "arbiter"
    by = By("", right, verdict.reason, named=decided.by) if verdict else By("", "", decided.why)
    protest, counted = decided.protest, False
    if verdict is not None and verdict.kind == "winner":
        _give_to(session, tournament, table, decided, by)
    elif verdict is not None and verdict.kind == "replay" and table.state != "void":
        make_void(session, tournament, table, by, replay=True)
    elif protest:
        close_protests(session, table, by, upheld=False, only=protest)
        words = f"a protest about table {table_name(table)}: {decided.by if verdict else 'no verdict came'}"
        log_act(session, tournament.id, "dismiss", words, by)
    elif verdict is None and _may_be_counted(session.conn, table):
        _by_the_board(session, tournament, table, (), By("", "", f"No verdict came, as {decided.why}."))
        counted = True
    subject = say("tournament.arbiter.decided-subject", table=table_name(table))
    if verdict is None:
        facts = {"protest": bool(protest), "why": decided.why, "counted": counted}
        told = say("tournament.arbiter.none", table=table_name(table), **facts)
    else:
        facts = {"kind": verdict.kind, "winners": list(map(name, verdict.winners)), "why": verdict.reason}
        told = say("tournament.arbiter.decided", table=table_name(table), by=decided.by, **facts)
    tell_organisers(session, tournament, Letter(subject, [told], f"decided.{question.id}"), place=table.place)


def _may_be_counted(conn: Connection, table: RoundTable) -> bool:
    going = next(
        (each for each in rows.tables_playing(conn, table.tournament_id) if each.table.place == table.place), None
    )
    return going is not None and not (going.held or going.stopped_at)


def _goes_on(conn: Connection, table: RoundTable) -> bool:
    return any(each.table.place == table.place for each in rows.tables_playing(conn, table.tournament_id))


def _give_to(session: Session, tournament: Tournament, table: RoundTable, decided: Decided, by: By) -> None:
    winners = decided.verdict.winners if decided.verdict else ()
    outcome = outcome_of_game(session.conn, table, session.now)
    how = "arbiters" if table.state == "playing" else ""  # the record of a finished game already names other winners
    changed = replace(outcome, kind="adjudicated", winners=winners, how=how)
    if table.state == "playing":
        drop_votes(session.conn, table)
        end_game(session, table.game_id, "adjudicated", winners)
        write_result(session, tournament, table, changed, by, "adjudicated")
    else:
        change_result(session, tournament, table, changed, by, protest=decided.protest)
    _note(session, table, f"by {by.named}", by)


def count_due_verdicts(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        due = {
            paper.tournament_id for paper in tournaments.papers_due(conn, now) if paper.kind in ("question", "verdict")
        }
    for tournament_id in sorted(due):
        with (
            guarded("verdicts", tournament_id),
            acting(Caller(open_games, now), tournament_id) as (session, tournament),
        ):
            late = [
                paper for paper in tournaments.papers_due(session.conn, now) if paper.tournament_id == tournament_id
            ]
            for question in [paper for paper in late if paper.kind == "question"]:
                arbiters.ask_after_replies(session, tournament, question)
            late = [paper for paper in late if paper.kind == "verdict"]
            for question in arbiters.questions_overdue(session.conn, tournament_id, late):
                if decided := arbiters.count_overdue(session, tournament, question):
                    carry_out(session, tournament, decided)


def _note(session: Session, table: RoundTable, words: str, by: By) -> None:
    said = f"table {table_name(table)}: {words}"
    log_act(session, table.tournament_id, "adjudicate", said, by)


AFTER_THE_PAUSE: PhaseName = "storm"
"""The first phase of a turn."""


class _Watched(Play):
    __slots__ = ("pauses",)

    pauses: list[Snapshot]

    def begin_phase(self, phase: PhaseName) -> None:
        super().begin_phase(phase)
        if phase == AFTER_THE_PAUSE and self.snapshot.phase == phase and self.snapshot.turn > 1:
            self.pauses = [self.snapshot]


def public_sides(conn: Connection, game_id: str) -> tuple[Side, ...]:
    """Return the sides and their holdings on the public board at the last completed Mentat pause. Allies form one side.
    Return an empty tuple if no Mentat pause has been completed yet."""
    founded, seats = games.game_start(conn, game_id), games.seats_of(conn, game_id)
    rules = games.rule_set(founded.ruleset, founded.options)
    play = _Watched.start(rules, founded.seed, {faction: seat.dot for faction, seat in seats.items()})
    play.replay(log_of(conn, game_id))
    pauses = getattr(play, "pauses", [])
    if not pauses:
        return ()
    state = msgspec.msgpack.decode(pauses[-1].state, type=State)
    return _sides_of(Game(rules, founded.seed, state))


def _sides_of(game: Game) -> tuple[Side, ...]:
    held, order = strongholds_held(game), game.order_of_play()
    parties = list(dict.fromkeys(game.state.ally_group(faction) for faction in order))
    return tuple(
        Side(
            members=party,
            needed=needed(game, party),
            held=len({place for member in party for place in held[member]}),
            tokens=sum(_tokens(game, member, held[member]) for member in party),
            order=1 + min(order.index(member) for member in party),
        )
        for party in parties
    )


def _tokens(game: Game, faction: Faction, places: tuple[TerritoryId, ...]) -> int:
    return sum(game.state.forces_in(place)[faction].total for place in places)


def propose_end(
    session: Session, tournament: Tournament, table: RoundTable, winners: Sequence[Faction], by: By
) -> datetime:
    """Ask every seat of a table to vote on ending its game now with these winners. Return the end of the vote. Raise
    Refused if another vote is open, if these winners are impossible, or if the table is a final and the tournament has
    no arbiter."""
    kind = next(each.kind for each in rows.rounds_of(session.conn, tournament.id) if each.number == table.round)
    arbiters = [who for who in acts.rights_of(session.conn, tournament_id=tournament.id) if who.right == "arbiter"]
    if kind == "final" and not arbiters:
        raise Refused("A vote ends a final only if an arbiter oversees it; this tournament has no arbiter.")
    if open_votes(session.conn, table):
        raise Refused(f"Table {table_name(table)} is already voting.")
    _end_as_agreed(session.conn, table, winners, session.now)  # refuse now, rather than after everybody has voted
    until = session.now + timedelta(days=tournament.settings.endings.vote_days)
    words = " ".join(winners)
    for entrant in players_at(session.conn, table):
        tournaments.file_paper(
            session.conn,
            Paper(tournament.id, entrant.number, "vote", f"?{words}", session.now, table.round, table.number, until),
        )
        subject = say("tournament.vote.subject", table=table_name(table))
        told = [
            say("tournament.vote.asked", table=table_name(table), game=table.game_id, winners=list(map(name, winners))),
            say("tournament.vote.how", until=local_instant(until, entrant), words=words),
        ]
        tell(session, entrant, Letter(subject, told, f"vote.{table_name(table)}.{session.now:%Y%m%d%H%M%S}"))
    log_act(session, tournament.id, "vote", f"table {table_name(table)}: {words}", by)
    return until


def cast_vote(
    session: Session, tournament: Tournament, entrant: Entrant, winners: Sequence[Faction] | None, said: str = ""
) -> RoundTable:
    """Record an entrant's vote that these factions have won, or, if ``winners`` is None, a vote against the proposal.
    If no vote is open, a vote for winners opens one. Raise Refused if the entrant has no seat at that table, or if the
    winners are not those proposed."""
    table = _own_table(session.conn, tournament, entrant, said)
    asked = open_votes(session.conn, table)
    if not asked:
        if winners is None:
            raise Refused(f"No vote is open at table {table_name(table)}.")
        propose_end(session, tournament, table, winners, BY_ITSELF)
        asked = open_votes(session.conn, table)
    own = next((paper for paper in asked if paper.entrant == entrant.number), None)
    if own is None:
        raise Refused(f"You have no vote at table {table_name(table)}.")
    proposed = own.words.lstrip("?+-")
    if winners is not None and set(proposed.split()) != set(winners):
        named = listed([the(faction) for faction in proposed.split()])
        raise Refused(f"The open vote is on a win for {named}. You can only vote for it or against it.")
    tournaments.set_paper_state(session.conn, own.id, "open", f"{'-' if winners is None else '+'}{proposed}")
    if all(paper.words.startswith("+") for paper in open_votes(session.conn, table)):
        _count_votes(session, tournament, table)
    return table


def count_due_votes(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        due = {
            (paper.tournament_id, paper.round, paper.table)
            for paper in tournaments.papers_due(conn, now)
            if paper.kind == "vote"
        }
    for tournament_id, number, place in sorted(due):
        named = f"{tournament_id} {number}.{place}"
        with guarded("a vote", named), acting(Caller(open_games, now), tournament_id) as (session, tournament):
            table = next(each for each in rows.tables_of(session.conn, tournament_id, number) if each.number == place)
            if open_votes(session.conn, table):
                _count_votes(session, tournament, table)


def open_votes(conn: Connection, table: RoundTable) -> list[Paper]:
    """Return the papers of the open vote at this table, one for each seat. The words of a paper begin with "+" (for),
    "-" (against) or "?" (has not voted yet)."""
    every = tournaments.papers_of(conn, table.tournament_id, "vote")
    return [paper for paper in every if (paper.round, paper.table) == table.place]


def drop_votes(conn: Connection, table: RoundTable) -> None:
    for paper in open_votes(conn, table):
        tournaments.set_paper_state(conn, paper.id, "gone", "")


def _count_votes(session: Session, tournament: Tournament, table: RoundTable) -> None:
    asked = open_votes(session.conn, table)
    seated = {entrant.number for entrant in players_at(session.conn, table)}
    agreed = all(paper.words.startswith("+") for paper in asked) and seated <= {paper.entrant for paper in asked}
    winners = [as_faction(word) for word in asked[0].words.lstrip("?+-").split()]
    for paper in asked:
        tournaments.set_paper_state(session.conn, paper.id, "answered" if agreed else "gone", "")
    here = reload_table(session.conn, table)
    if here.state != "playing":
        return
    if agreed:
        outcome = _end_as_agreed(session.conn, here, winners, session.now)
        end_game(session, here.game_id, "agreed", winners)
        write_result(session, tournament, here, outcome, BY_ITSELF, "adjudicated")
        return
    log_act(session, tournament.id, "vote", f"table {table_name(here)}: not agreed")
    subject = say("tournament.vote.failed-subject", table=table_name(here))
    told = [say("tournament.vote.failed", table=table_name(here))]
    for entrant in players_at(session.conn, here):
        tell(session, entrant, Letter(subject, told, f"vote.failed.{table_name(here)}.{stamp(session.now)}"))


def _end_as_agreed(conn: Connection, table: RoundTable, winners: Sequence[Faction], now: datetime) -> TableOutcome:
    outcome = replace(outcome_of_game(conn, table, now), kind="agreed", winners=tuple(winners), how="agreed")
    try:
        require_possible_result(outcome)
    except ResultRefused as refused:
        raise Refused(str(refused)) from None
    return outcome


def _own_table(conn: Connection, tournament: Tournament, entrant: Entrant, said: str) -> RoundTable:
    places = {
        (held.round, held.table) for held in rows.now_sitting(conn, tournament.id) if held.entrant == entrant.number
    }
    going = [table for table in rows.tables_of(conn, tournament.id, states=["playing"]) if table.place in places]
    if said:
        named = find_table(conn, tournament.id, said)
        if named.place not in {table.place for table in going}:
            raise Refused(f"You do not play at table {table_name(named)} now.")
        return named
    voting = [table for table in going if open_votes(conn, table)] or going
    if len(voting) != 1:
        named_ones = ", ".join(map(table_name, voting)) or "none"
        raise Refused(f"Name the table of your vote, like: vote 1.3 agreed. You play at {named_ones}.")
    return voting[0]
