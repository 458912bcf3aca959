"""Mail that did not prove whose it is: the owner of the seat that it aims at is told, never its sender.

What they are told is the same whatever was wrong with the mail, goes to the address at which they get their letters,
and comes once a day at most. The game master is told what was wrong (``bot.post.notices``), a few times for each
sender.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from bot.games.open_games import OpenGames
from bot.store import games
from bot.store.database import Connection
from bot.store.persons import SeatName
from bot.wording.sentences import say
from rules.components import Faction, faction_name

A_DAY = timedelta(days=1)


def tell_owners(conn: Connection, open_games: OpenGames, aimed_at: Iterable[SeatName], now: datetime) -> None:
    """Tell the owners of these seats that a mail was put aside which may not be theirs."""
    for game_id, faction in dict.fromkeys(aimed_at):
        table = open_games.table(conn, game_id)
        seat = table.seats[faction]
        told_lately = seat.warned_at is not None and seat.warned_at > now - A_DAY
        if table.play.over or told_lately:
            continue
        seat.warned_at = now
        told = [say("suspicion.notice"), say("suspicion.yours"), say("suspicion.not-yours")]
        open_games.writer.notify(conn, table, faction, now, say("suspicion.subject"), told)
        games.close(conn, table)


def lines_for_others(
    conn: Connection, open_games: OpenGames, game_id: str, faction: Faction, aimed_at: Iterable[SeatName], key: str,
    now: datetime
) -> None:  # fmt: skip
    """A known player has written lines for seats of others: they were not read, and those who should know are told."""
    for other_game, other in dict.fromkeys(aimed_at):
        seat = f"{faction_name(other)} in {other_game}"
        told = say("suspicion.game-master", game=game_id, faction=faction, seat=seat)
        subject = say("suspicion.game-master-subject", game=game_id)
        open_games.writer.tell_game_master(conn, now, subject, [told], f"{key}.{other_game}.{other}")
    tell_owners(conn, open_games, aimed_at, now)
