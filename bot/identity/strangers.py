"""How much is kept of mail that no player is known to have written: strangers must not fill the disk.

Whole messages are kept up to the number of bytes a day that the settings say, and only the first few of one sender in
an hour. Of others the head fields are kept, until all together are twice as many bytes; after that only the row by
which a message is known again. The folder for what was put aside has each message whole, and it can be moved back from
there.
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
