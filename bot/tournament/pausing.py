"""All tables of a round, or of all rounds that are played, stand still together and go on together.

It is one act of the desk and one transaction: where it fails, no table stands still. Each table has its line in the act
log of its game, as if it had been paused by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from bot.game_master.clocks import PAUSE, resume_now, stop_now
from bot.games.open_games import OpenGames
from bot.store import acts as game_acts
from bot.store import games
from bot.store.act_log import Act, Power
from bot.store.database import Connection
from bot.store.tournaments import acts
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.rounds import RoundTable
from bot.table.table import Table
from bot.tournament.desk import By, Refused, acting
from bot.tournament.places import require_right


def pause(
    open_games: OpenGames, tournament_id: str, number: int, by: By, now: datetime, *, tell: str = "",
    dry_run: bool = False,
) -> list[RoundTable]:  # fmt: skip
    """Stop the clocks at all tables of a round that go on, at those of all rounds for number 0; which. Refused where
    none goes on."""

    def stops(table: Table) -> bool:
        return table.stopped_why != PAUSE and not table.on_hold

    return _all(open_games, tournament_id, number, by, now, "pause", stops, stop_now, tell, dry_run=dry_run)


def resume(
    open_games: OpenGames, tournament_id: str, number: int, by: By, now: datetime, *, tell: str = "",
    dry_run: bool = False,
) -> list[RoundTable]:  # fmt: skip
    """Let the clocks go on at all tables of a round that are paused; which. A table on hold stays so. Refused where
    none is paused."""

    def stands(table: Table) -> bool:
        return table.stopped_why == PAUSE and not table.on_hold

    return _all(open_games, tournament_id, number, by, now, "resume", stands, resume_now, tell, dry_run=dry_run)


def _all(
    open_games: OpenGames, tournament_id: str, number: int, by: By, now: datetime, power: Power,
    concerns: Callable[[Table], bool], do: Callable[[Connection, OpenGames, Table, datetime, str], None], tell: str, *,
    dry_run: bool,
) -> list[RoundTable]:  # fmt: skip
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        done = []
        for each in rows.playing(conn, tournament.id):
            if number not in (0, each.table.round):
                continue
            table = open_games.table(conn, each.table.game_id)
            if table.status == "running" and concerns(table):
                table.now = now
                do(conn, open_games, table, now, tell)
                words = f"round {each.table.round} of {tournament.id}"
                game_acts.add(conn, table, Act(now, power, by.why, by.address, by.right, words, tell))
                games.close(conn, table)
                done.append(each.table)
        if not done:
            where = f"round {number} of {tournament_id}" if number else tournament_id
            raise Refused(f"No table of {where} {'goes on' if power == 'pause' else 'is paused'}; nothing was done.")
        named = f"round {number}" if number else "all rounds"  # how many still play is not everybody's to know
        acts.add(conn, tournament_id, now, power, named, who=by.address, right=by.right, why=by.why)
    return done
