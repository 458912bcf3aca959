"""How long mail is kept, how much of strangers' mail, and what is left of a person who is deleted.

Three things hold what people wrote or who they are: messages as they came, letters, and the names of players. All three
can be emptied without touching a game: `mentat game verify` needs its log, events and seed, and these name factions,
not persons. (The words of a deal are part of the log and stay with it.) The keys by which a mail is never taken twice,
and the reply tokens, stay too; neither says who wrote.

Strangers must not fill the disk. Mentat keeps their messages whole up to the number of bytes a day in the settings, and
only the first few of one sender in an hour. Of others it keeps the head fields, up to twice as many bytes in all; after
that only the row by which a message is known again. The folder for quarantined mail has each message whole, and it can
be moved back from there.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from bot.games.notices import another_player
from bot.games.open_games import OpenGames
from bot.store import installation, mail, people, retention
from bot.store.database import Connection, reading, rewrite, tidy, writing
from bot.store.retention import EmptiedCounts
from bot.wording import say

A_DAY = timedelta(days=1)

Deletion = Callable[[Connection], EmptiedCounts]


class DeletionRefused(ValueError):
    """This cannot be deleted now; the message says why and what to do first."""


class _OnlyTried(Exception):
    """Ends a transaction of which nothing is to stay."""


def carry_out_deletion(open_games: OpenGames, deletion: Deletion) -> EmptiedCounts:
    """Delete, also from the unused parts of the database; how much it was. DeletionRefused if it may not be. Where only
    the unused parts cannot be cleared now (DatabaseUnavailable) it may be done again for them."""
    with open_games.busy:
        emptied = _delete(open_games, deletion)
        rewrite(open_games.engine)
    return emptied


def _delete(open_games: OpenGames, deletion: Deletion) -> EmptiedCounts:
    with writing(open_games.engine) as conn:
        emptied = deletion(conn)
    open_games.forget()
    return emptied


def try_out_deletion(open_games: OpenGames, deletion: Deletion) -> EmptiedCounts:
    """How much would be deleted; nothing is. DeletionRefused as for ``carry_out``."""
    emptied = EmptiedCounts()
    try:
        with writing(open_games.engine) as conn:
            emptied = deletion(conn)
            raise _OnlyTried
    except _OnlyTried:
        return emptied


def delete_expired(open_games: OpenGames, now: datetime) -> None:
    """Delete what is older than the settings allow, once a day. Nobody who works on a server waits for it."""
    settings = open_games.settings.retention
    deletions = [
        deletion(now - timedelta(days=days))
        for deletion, days in ((mail_older_than, settings.days), (bodies_before, settings.body_days))
        if days
    ]
    if not deletions:
        return
    with reading(open_games.engine) as conn:
        last = installation.heartbeat(conn, "retention")
    if last is None or abs(now - last.at) >= A_DAY:
        with open_games.busy:
            emptied = _delete(open_games, lambda conn: EmptiedCounts.together(deletion(conn) for deletion in deletions))
            if emptied != EmptiedCounts():
                tidy(open_games.engine)
        with writing(open_games.engine) as conn:
            installation.beat(conn, "retention", now)


def mail_older_than(before: datetime) -> Deletion:
    """All messages and letters from before an instant, and the names of players whose games were over by then. Letters
    that still wait in the outbox are kept."""
    return partial(retention.empty_older, before=before)


def bodies_before(before: datetime) -> Deletion:
    """What letters that went out before an instant said, and of games over by then all that was mailed."""
    return partial(retention.drop_bodies, before=before)


def one_message(number: int) -> Deletion:
    """One message; it is refused if there is none of that number."""

    def delete(conn: Connection) -> EmptiedCounts:
        if retention.kept_message(conn, number) is None:
            raise DeletionRefused(f"There is no message {number}; `mentat mail list` shows those that are kept.")
        return retention.empty_message(conn, number)

    return delete


def a_person(address: str) -> Deletion:
    """Everything that a person wrote or that was written to them, at any of their addresses, what other mail says of
    them, and their name. It is refused while they play in a game that goes on."""
    address = address.strip().lower()

    def delete(conn: Connection) -> EmptiedCounts:
        known = sorted(people.known_as(conn, address))
        for own in known:
            for game_id, faction in retention.plays_in(conn, own):
                raise DeletionRefused(
                    f"{own} plays {faction} in {game_id}, which is not over; give the seat to somebody else first. "
                    f"{another_player(conn, game_id, faction)}"
                )
        return EmptiedCounts.together(retention.empty_person(conn, own) for own in known)

    return delete


COUNTED_FOR, AN_HOUR = timedelta(days=1), timedelta(hours=1)
MOST_WHOLE_OF_ONE_SENDER = 20
HEAD_BYTES = 4_000


def kept_of_stranger(
    conn: Connection, open_games: OpenGames, raw: bytes, head: bytes, sender: str, now: datetime
) -> bytes:
    """What is kept of a message of a stranger. When they become too many bytes the game master is told, once a day."""
    most = open_games.settings.limits.strangers_bytes
    kept = mail.bytes_of_strangers(conn, now - COUNTED_FOR)
    if kept + len(raw) > most:
        told = [say("strangers.game-master", most=most)]
        open_games.writer.tell_game_master(
            conn, now, say("strangers.subject"), told, f"strangers.{now.date().isoformat()}"
        )
    elif mail.rejected_since(conn, sender, now - AN_HOUR) < MOST_WHOLE_OF_ONE_SENDER:
        return raw
    return head[:HEAD_BYTES] if kept + HEAD_BYTES <= 2 * most else b""
