"""How a game comes to an end before its rules end it: a last turn that is announced, or an end at once.

Both are entries of the game's log, so they replay, stand in its record, and can be taken back like any other. An
announced last turn is played by the rules of the last turn: the defaults of Fremen and Guild, and predictions, happen
as they are printed. An end at once is by consent of all seats, by adjudication on the board that everybody sees, or
without a winner.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, began, using
from bot.games.open_games import OpenGames
from bot.post.clock_notices import own_words
from bot.store import acts, games
from bot.store.act_log import Act
from bot.store.database import Connection
from bot.table.advance import go_on
from bot.table.table import Table, TableBefore
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.components import Faction, faction_name

How = Literal["agreed", "adjudicated", "void"]


class EndRefused(PowerRefused):
    """The game cannot be ended so; the message says why."""


def announce_last_turn(
    open_games: OpenGames, game_id: str, last: int, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Tell everybody at a table which turn is its last. PowerRefused if it is over, or not before the last there is;
    UnknownGame if there is no game of that name."""
    with using(open_games, game_id, "last-turn", now, use) as used:
        used.words = f"turn {last}"
        _announce(used.conn, open_games, used.table, last, now, use.tell)


def let_it_be_last(conn: Connection, open_games: OpenGames, table: Table, last: int, now: datetime) -> None:
    """Announce the last turn within a transaction, where the calendar or a tournament says so."""
    _announce(conn, open_games, table, last, now)
    acts.add(conn, table, Act(now, "last-turn", words=f"turn {last}"))


def _announce(conn: Connection, open_games: OpenGames, table: Table, last: int, now: datetime, told: str = "") -> None:
    _require_running(table)
    try:
        table.play.announce_last_turn(last)
    except ValueError as refused:
        raise EndRefused(f"{table.id}: {refused}") from None
    games.save(conn, table, now, open_games.clock(table))
    tell_table(conn, open_games, table, last, now, told)


def tell_table(conn: Connection, open_games: OpenGames, table: Table, last: int, now: datetime, told: str = "") -> None:
    """Write to everybody at the table which turn is the last, and what that means."""
    with speaking(table.play.game.rules.edition):
        paragraphs = [say("event.last-turn.public", turn=last), say("last-turn.what-to-do"), *own_words(told)]
        open_games.writer.announce(conn, table, now, say("last-turn.subject", turn=last), paragraphs)


def end(
    open_games: OpenGames, game_id: str, how: How, winners: Sequence[Faction], now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """End a game at once; everybody gets its last letter. PowerRefused if it is over, or if its winners are none of
    its players or do not fit how it ends; UnknownGame if there is no game of that name."""
    with began(open_games, game_id, "end", use) as used:
        used.words = how
        end_now(used.conn, open_games, used.table, how, winners, now, used.act("end", now))


def end_now(
    conn: Connection, open_games: OpenGames, table: Table, how: How, winners: Sequence[Faction], now: datetime,
    act: Act | None = None,
) -> None:  # fmt: skip
    """End a game at once within a transaction. The act is written first, as the record of the game ends with it."""
    _require_running(table)
    if twice := next((faction for faction in winners if winners.count(faction) > 1), None):
        raise EndRefused(f"{faction_name(twice)} is named twice; name each winner once.")
    before = TableBefore.of(table)
    acts.add(conn, table, act or Act(now, "end", words=how))
    try:
        table.play.stop(how, winners)
    except ValueError as refused:
        raise EndRefused(f"{table.id}: {refused}") from None
    table.stopped_at, table.stopped_why, table.on_hold = None, "", None
    go_on(table, now)
    games.save(conn, table, now, open_games.clock(table))
    open_games.writer.answer(conn, table, before, now)


def _require_running(table: Table) -> None:
    if table.status == "over":
        raise EndRefused(f"{table.id} is over.")
    if table.status == "held":
        raise EndRefused(f"{table.id} is held, as its rules have changed; `mentat game rollback {table.id}` frees it.")
