"""Tables that are decided without being played to the end: by a vote of all seats, on the public board, or by two
arbiters whom it does not concern. That the last turn was told and played comes before all of these
(``bot.tournament.rounds``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from msgspec.structs import replace

from bot.competition.adjudication import Stopped, stopped
from bot.games.open_games import OpenGames
from bot.store import addresses
from bot.store.database import Connection
from bot.store.tournaments import acts
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.results import Result
from bot.store.tournaments.rounds import RoundTable
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import voting
from bot.tournament.board import sides
from bot.tournament.desk import By, Refused, acting
from bot.tournament.last_turns import end_at_once
from bot.tournament.places import require_right, require_unconcerned, table_named, written
from bot.tournament.results import of_game, write
from rules.components import Faction

Rule = Literal["stopped", "agreed", ""]


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """What became of it: the result, or until when the table votes; how the board decided, where it did."""

    table: RoundTable
    result: Result | None = None
    votes_until: datetime | None = None
    board: Stopped | None = None


def adjudicate(
    open_games: OpenGames, tournament_id: str, said: str, rule: Rule, winners: Sequence[Faction], by: By,
    now: datetime, *, arbiters: Sequence[str] = (), dry_run: bool = False,
) -> Adjudicated:  # fmt: skip
    """Decide a table whose game goes on. By ``stopped`` the public board says who has won, by ``agreed`` all seats are
    asked; else ``winners`` are what two ``arbiters`` have found. Refused to whoever is concerned, and without a
    reason."""
    if not by.why.strip():
        raise Refused("A table is adjudicated for a reason that everybody may read: say it with --why.")
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        table = table_named(conn, tournament_id, said)
        require_right(conn, tournament_id, by, "director", "arbiter", "deputy")
        require_unconcerned(conn, table, by)
        if table.state != "playing":
            raise Refused(
                f"Table {written(table)} is {table.state}; only one whose game goes on is adjudicated. "
                "`mentat tournament amend` changes a result."
            )
        if rule == "agreed":
            return Adjudicated(table, votes_until=voting.propose(conn, open_games, tournament, table, winners, by, now))
        if rule == "stopped":
            return _by_the_board(conn, open_games, tournament, table, winners, by, now)
        return _by_hand(conn, open_games, tournament, table, winners, by, now, arbiters)


def _by_the_board(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, winners: Sequence[Faction],
    by: By, now: datetime,
) -> Adjudicated:  # fmt: skip
    if winners:
        raise Refused("The public board says who has won: leave out --winners, or leave out --rule.")
    _require_going(conn, tournament, table)
    there = sides(conn, table.game_id)
    found = stopped(there) if there else Stopped("void", (), "", ())
    outcome = replace(of_game(conn, table, now), kind=found.kind, winners=found.winners, how="stopped")
    voting.drop(conn, table)
    end_at_once(conn, open_games, table.game_id, found.kind, found.winners, now)
    kept = write(conn, open_games, tournament, table, outcome, by, now, found.kind)
    _note(conn, table, f"stopped, by {found.by or 'nothing'}", by, now)
    return Adjudicated(table, kept, board=found)


def _require_going(conn: Connection, tournament: Tournament, table: RoundTable) -> None:
    """A game that stands still is given its time back, not adjudicated."""
    here = next((each for each in rows.playing(conn, tournament.id) if each.table.place == table.place), None)
    if here and (here.held or here.stopped_at):
        raise Refused(
            f"The game of table {written(table)} stands still; its time is given back when it goes on, and it is not "
            "adjudicated meanwhile."
        )


def _by_hand(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, winners: Sequence[Faction],
    by: By, now: datetime, arbiters: Sequence[str],
) -> Adjudicated:  # fmt: skip
    persons = {addresses.in_use(conn, address.strip().lower()) for address in arbiters}
    if len(persons) < 2:
        raise Refused(
            "Without a rule two arbiters decide, whom the table does not concern: name both, like --arbiter "
            "ann@example.org --arbiter bob@example.org. Or say --rule stopped or --rule agreed."
        )
    for address in sorted(persons):
        require_right(conn, tournament.id, By(address), "arbiter", "director", "deputy")
        require_unconcerned(conn, table, By(address))
    kind: Literal["adjudicated", "void"] = "adjudicated" if winners else "void"
    outcome = replace(of_game(conn, table, now), kind=kind, winners=tuple(winners), how="arbiters")
    voting.drop(conn, table)
    kept = write(conn, open_games, tournament, table, outcome, by, now, kind)
    end_at_once(conn, open_games, table.game_id, kind, winners, now)
    _note(conn, table, "by two arbiters", by, now)
    return Adjudicated(table, kept)


def _note(conn: Connection, table: RoundTable, words: str, by: By, now: datetime) -> None:
    said = f"table {written(table)}: {words}"
    acts.add(conn, table.tournament_id, now, "adjudicate", said, who=by.address, right=by.right, why=by.why)
