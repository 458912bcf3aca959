"""A vote of a table to end its game with winners on whom all agree. It is secret: nobody learns how anybody voted, nor
who proposed it, and it ends at its hour, unless all have agreed before.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from bot.clock.instants import stamp
from bot.competition.outcomes import TableOutcome
from bot.competition.result_checks import ResultRefused, require_possible
from bot.games.open_games import OpenGames
from bot.store.database import Connection, reading
from bot.store.tournaments import acts, papers, rights
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.papers import Paper
from bot.store.tournaments.rounds import RoundTable
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import By, Refused, acting
from bot.tournament.last_turns import end_at_once
from bot.tournament.letters import Letter, tell
from bot.tournament.places import fresh, guarded, instant, players, table_named, written
from bot.tournament.results import of_game, write
from bot.wording.filters import name
from bot.wording.sentences import say
from rules.components import Faction, as_faction


def propose(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, winners: Sequence[Faction],
    by: By, now: datetime,
) -> datetime:  # fmt: skip
    """Ask every seat of a table that plays whether its game ends now, won by these; until when. Refused while a vote is
    open, for winners that cannot be, and in a final without an arbiter."""
    kind = next(each.kind for each in rows.rounds(conn, tournament.id) if each.number == table.round)
    arbiters = [who for who in rights.of_tournament(conn, tournament.id) if who.right == "arbiter"]
    if kind == "final" and not arbiters:
        raise Refused("A final is not ended by a vote unless an arbiter watches over it; nobody has that right here.")
    if open_votes(conn, table):
        raise Refused(f"Table {written(table)} votes already.")
    _agreed(conn, table, winners, now)  # it is refused now, and not when all have voted
    until = now + timedelta(days=tournament.settings.endings.vote_days)
    words = " ".join(winners)
    for entrant in players(conn, table):
        papers.file(
            conn, Paper(tournament.id, entrant.number, "vote", f"?{words}", now, table.round, table.number, until)
        )
        subject = say("tournament.vote.subject", table=written(table))
        told = [
            say("tournament.vote.asked", table=written(table), game=table.game_id, winners=list(map(name, winners))),
            say("tournament.vote.how", until=instant(until, entrant), words=words),
        ]
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"vote.{written(table)}.{now:%Y%m%d%H%M%S}"))
    acts.add(
        conn, tournament.id, now, "vote", f"table {written(table)}: {words}", who=by.address, right=by.right,
        why=by.why, audience="directors",
    )  # fmt: skip
    return until


def vote(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant,
    winners: Sequence[Faction] | None, now: datetime, said: str = "",
) -> RoundTable:  # fmt: skip
    """Note how somebody votes: that these have won, or None: against it. Where no vote is open, to agree proposes one.
    Refused where they do not sit, and for other winners than those that are voted on."""
    table = _own_table(conn, tournament, entrant, said)
    asked = open_votes(conn, table)
    if not asked:
        if winners is None:
            raise Refused(f"No vote is open at table {written(table)}.")
        propose(conn, open_games, tournament, table, winners, By("", "", ""), now)
        asked = open_votes(conn, table)
    own = next((paper for paper in asked if paper.entrant == entrant.number), None)
    if own is None:
        raise Refused(f"You are not asked at table {written(table)}.")
    proposed = own.words.lstrip("?+-")
    if winners is not None and set(proposed.split()) != set(winners):
        named = ", ".join(name(faction) for faction in proposed.split())
        raise Refused(f"The vote is about whether {named} won; agree to that or vote against it.")
    papers.set_state(conn, own.id, "open", f"{'-' if winners is None else '+'}{proposed}")
    if all(paper.words.startswith("+") for paper in open_votes(conn, table)):
        _count(conn, open_games, tournament, table, now)
    return table


def count_due(open_games: OpenGames, now: datetime) -> None:
    """Count the votes whose hour has come."""
    with reading(open_games.engine) as conn:
        due = {
            (paper.tournament_id, paper.round, paper.table) for paper in papers.due(conn, now) if paper.kind == "vote"
        }
    for tournament_id, number, place in sorted(due):
        named = f"{tournament_id} {number}.{place}"
        with guarded("a vote", named), acting(open_games, tournament_id) as (conn, tournament):
            table = next(each for each in rows.tables(conn, tournament_id, number) if each.number == place)
            if open_votes(conn, table):
                _count(conn, open_games, tournament, table, now)


def open_votes(conn: Connection, table: RoundTable) -> list[Paper]:
    """The votes of a table that is asked. Their words begin with + (agreed), - (against) or ? (not heard yet)."""
    every = papers.of_tournament(conn, table.tournament_id, "vote")
    return [paper for paper in every if (paper.round, paper.table) == table.place]


def drop(conn: Connection, table: RoundTable) -> None:
    """A table has its result otherwise: what it voted on is gone."""
    for paper in open_votes(conn, table):
        papers.set_state(conn, paper.id, "gone", "")


def _count(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, now: datetime
) -> None:  # fmt: skip
    """All agreed, and that is the result; or the game goes on. What anybody voted is forgotten."""
    asked = open_votes(conn, table)
    seated = {entrant.number for entrant in players(conn, table)}
    agreed = all(paper.words.startswith("+") for paper in asked) and seated <= {paper.entrant for paper in asked}
    winners = [as_faction(word) for word in asked[0].words.lstrip("?+-").split()]
    for paper in asked:
        papers.set_state(conn, paper.id, "answered" if agreed else "gone", "")
    here = fresh(conn, table)
    if here.state != "playing":
        return
    if agreed:
        outcome = _agreed(conn, here, winners, now)
        end_at_once(conn, open_games, here.game_id, "agreed", winners, now)
        write(conn, open_games, tournament, here, outcome, By("", "", ""), now, "adjudicated")
        return
    acts.add(conn, tournament.id, now, "vote", f"table {written(here)}: not agreed", audience="directors")
    subject = say("tournament.vote.failed-subject", table=written(here))
    told = [say("tournament.vote.failed", table=written(here))]
    for entrant in players(conn, here):
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"vote.failed.{written(here)}.{stamp(now)}"))


def _agreed(conn: Connection, table: RoundTable, winners: Sequence[Faction], now: datetime) -> TableOutcome:
    outcome = replace(of_game(conn, table, now), kind="agreed", winners=tuple(winners), how="agreed")
    try:
        require_possible(outcome)
    except ResultRefused as refused:
        raise Refused(str(refused)) from None
    return outcome


def _own_table(conn: Connection, tournament: Tournament, entrant: Entrant, said: str) -> RoundTable:
    """The table at which they vote: the one named, that which votes, or their only one."""
    places = {
        (held.round, held.table) for held in rows.now_sitting(conn, tournament.id) if held.entrant == entrant.number
    }
    going = [table for table in rows.tables(conn, tournament.id, states=["playing"]) if table.place in places]
    if said:
        named = table_named(conn, tournament.id, said)
        if named.place not in {table.place for table in going}:
            raise Refused(f"You do not play at table {written(named)} now.")
        return named
    voting = [table for table in going if open_votes(conn, table)] or going
    if len(voting) != 1:
        named_ones = ", ".join(map(written, voting)) or "none"
        raise Refused(f"Say at which table you vote, like: vote 1.3 agreed. You play at {named_ones}.")
    return voting[0]
