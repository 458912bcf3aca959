"""How much is kept of mail that no player is known to have written: strangers must not fill the disk.

Within a day so many bytes are kept whole as the settings say, and of one sender in an hour the first few messages; of
what comes beyond, the head fields, and nothing but the row by which it is known again once those are as many bytes once
more. The folder for what was put aside has each message whole, and it can be moved back from there.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.games.open_games import OpenGames
from bot.store import mail
from bot.store.database import Connection
from bot.wording.sentences import say

A_DAY, AN_HOUR = timedelta(days=1), timedelta(hours=1)
OF_ONE_SENDER = 20
HEAD_BYTES = 4_000


def as_kept(conn: Connection, open_games: OpenGames, raw: bytes, head: bytes, sender: str, now: datetime) -> bytes:
    """What is kept of a message of a stranger. When they become too many bytes the game master is told, once a day."""
    most = open_games.settings.limits.strangers_bytes
    kept = mail.bytes_of_strangers(conn, now - A_DAY)
    if kept + len(raw) > most:
        told = [say("strangers.game-master", most=most)]
        open_games.writer.tell_game_master(
            conn, now, say("strangers.subject"), told, f"strangers.{now.date().isoformat()}"
        )
    elif mail.rejected_since(conn, sender, now - AN_HOUR) < OF_ONE_SENDER:
        return raw
    return head[:HEAD_BYTES] if kept + HEAD_BYTES <= 2 * most else b""
