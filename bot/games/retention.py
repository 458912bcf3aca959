"""Retention: how long mail is kept, how much of strangers' mail is kept, and what remains after a person is deleted.

Three things contain people's words or show who they are: received messages, letters, and players' names. All three can
be emptied without touching a game: `mentat game verify` needs only the game's log, events and seed, and these name
factions, not people. (The words of a deal are part of the log and stay in it.) The keys that prevent a mail from being
processed twice, and the reply tokens, are also kept; neither shows who wrote.

Strangers must not be able to fill the disk. Mentat keeps in full only the first few messages that a stranger sends in
an hour. It stops doing so once all strangers' messages reach the daily limit of bytes in the settings. Of further
messages it keeps only the header and, once twice that limit is reached, only the database row by which a message is
recognised. The mail folder for quarantined mail has each message in full, and messages can be moved back from there.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from bot.games.notices import another_player
from bot.games.open_games import OpenGames, Session
from bot.store import installation, mail, people, retention
from bot.store.database import Connection, reading, rewrite, tidy, writing
from bot.store.retention import EmptiedCounts
from bot.wording import say

A_DAY = timedelta(days=1)

Deletion = Callable[[Connection], EmptiedCounts]


class DeletionRefused(ValueError):
    """Raised if a deletion is not possible now; the message says why and what to do first."""


class _OnlyTried(Exception):
    pass


def carry_out_deletion(open_games: OpenGames, deletion: Deletion) -> EmptiedCounts:
    """Delete the data, also from the unused parts of the database, and return the counts.

    Raise DeletionRefused if the deletion is not allowed. Raise DatabaseUnavailable if the data were deleted but the
    unused parts cannot be cleared now; repeating the deletion clears them.
    """
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
    emptied = EmptiedCounts()
    try:
        with writing(open_games.engine) as conn:
            emptied = deletion(conn)
            raise _OnlyTried
    except _OnlyTried:
        return emptied


def delete_expired(open_games: OpenGames, now: datetime) -> None:
    """Once a day, delete everything that is older than the settings allow. On a database server, this does not block
    other work."""
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
    """Delete all messages and letters from before a given time, and the names of the players in games that were over by
    then. Letters that are still in the outbox are kept."""
    return partial(retention.empty_older, before=before)


def bodies_before(before: datetime) -> Deletion:
    """Delete the text of letters sent before a given time, and all mail of games that were over by then."""
    return partial(retention.drop_bodies, before=before)


def one_message(number: int) -> Deletion:
    def delete(conn: Connection) -> EmptiedCounts:
        if retention.kept_message(conn, number) is None:
            raise DeletionRefused(f"There is no message {number}; `mentat mail list` lists those that are kept.")
        return retention.empty_message(conn, number)

    return delete


def a_person(address: str) -> Deletion:
    """Delete everything that a person wrote or received at any of their addresses, mentions of them, and their name.
    The deletion is refused while they play in a running game."""
    address = address.strip().lower()

    def delete(conn: Connection) -> EmptiedCounts:
        known = sorted(people.known_as(conn, address))
        for own in known:
            for game_id, faction in retention.plays_in(conn, own):
                raise DeletionRefused(
                    f"{own} plays {faction} in {game_id}, which is not over; give the seat to somebody else first. "
                    f"{another_player(conn, game_id, faction, shell=True)}"
                )
        return EmptiedCounts.together(retention.empty_person(conn, own) for own in known)

    return delete


COUNTED_FOR, AN_HOUR = timedelta(days=1), timedelta(hours=1)
MOST_WHOLE_OF_ONE_SENDER = 20
HEAD_BYTES = 4_000


def kept_of_stranger(session: Session, raw: bytes, head: bytes, sender: str) -> bytes:
    """Return the part of a stranger's message that is kept. Once the limit of bytes is reached, tell the game master,
    at most once a day."""
    most = session.settings.limits.strangers_bytes
    kept = mail.bytes_of_strangers(session.conn, session.now - COUNTED_FOR)
    if kept + len(raw) > most:
        told = [say("strangers.game-master", most=most)]
        session.writer.tell_game_master(say("strangers.subject"), told, f"strangers.{session.now.date().isoformat()}")
    elif mail.rejected_since(session.conn, sender, session.now - AN_HOUR) < MOST_WHOLE_OF_ONE_SENDER:
        return raw
    return head[:HEAD_BYTES] if kept + HEAD_BYTES <= 2 * most else b""
