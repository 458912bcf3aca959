"""How long mail is kept, and what is left of a person who is deleted.

Three things hold what people wrote or who they are: messages as they came, letters, and the names of players. All
three can be emptied without touching a game: its log, events and seed are what `mentat game verify` needs, and they
name factions, not persons (the words of a deal are part of the log, and stay with it). What keeps a mail from being
taken twice, and the reply tokens, stay too; neither says who wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from bot.games.open_games import OpenGames
from bot.post.another_player import another_player
from bot.store import addresses, heartbeats, kept_mail
from bot.store.database import Connection, reading, rewrite, tidy, writing
from bot.store.kept_mail import Emptied

A_DAY = timedelta(days=1)

Deletion = Callable[[Connection], Emptied]


class DeletionRefused(ValueError):
    """This cannot be deleted now; the message says why and what to do first."""


class _OnlyTried(Exception):
    """Ends a transaction of which nothing is to stay."""


def carry_out(open_games: OpenGames, deletion: Deletion) -> Emptied:
    """Delete, also from the unused parts of the database; how much it was. DeletionRefused if it may not be. Where only
    the unused parts cannot be cleared now (DatabaseUnavailable) it may be done again for them."""
    with open_games.busy:
        emptied = _delete(open_games, deletion)
        rewrite(open_games.engine)
    return emptied


def _delete(open_games: OpenGames, deletion: Deletion) -> Emptied:
    with writing(open_games.engine) as conn:
        emptied = deletion(conn)
    open_games.forget()
    return emptied


def try_out(open_games: OpenGames, deletion: Deletion) -> Emptied:
    """How much would be deleted; nothing is. DeletionRefused as for ``carry_out``."""
    emptied = Emptied()
    try:
        with writing(open_games.engine) as conn:
            emptied = deletion(conn)
            raise _OnlyTried
    except _OnlyTried:
        return emptied


def apply(open_games: OpenGames, now: datetime) -> None:
    """Delete what is older than the settings allow, once a day. Nobody who works on a server waits for it."""
    settings = open_games.settings.retention
    deletions = [
        deletion(now - timedelta(days=days))
        for deletion, days in ((older_than, settings.days), (bodies_before, settings.body_days))
        if days
    ]
    if not deletions:
        return
    with reading(open_games.engine) as conn:
        last = heartbeats.heartbeat(conn, "retention")
    if last is None or abs(now - last.at) >= A_DAY:
        with open_games.busy:
            emptied = _delete(open_games, lambda conn: Emptied.together(deletion(conn) for deletion in deletions))
            if emptied != Emptied():
                tidy(open_games.engine)
        with writing(open_games.engine) as conn:
            heartbeats.beat(conn, "retention", now)


def older_than(before: datetime) -> Deletion:
    """All messages and letters from before an instant, and the names of players whose games were over by then. Letters
    that still wait in the outbox are kept."""
    return partial(kept_mail.empty_older, before=before)


def bodies_before(before: datetime) -> Deletion:
    """What letters that went out before an instant said, and of games over by then all that was mailed."""
    return partial(kept_mail.drop_bodies, before=before)


def one_message(number: int) -> Deletion:
    """One message; it is refused if there is none of that number."""

    def delete(conn: Connection) -> Emptied:
        if kept_mail.one(conn, number) is None:
            raise DeletionRefused(f"There is no message {number}; `mentat mail list` shows those that are kept.")
        return kept_mail.empty_message(conn, number)

    return delete


def a_person(address: str) -> Deletion:
    """Everything that a person wrote or that was written to them, at any of their addresses, what other mail says of
    them, and their name. It is refused while they play in a game that goes on."""
    address = address.strip().lower()

    def delete(conn: Connection) -> Emptied:
        known = sorted(addresses.known_as(conn, address))
        for own in known:
            for game_id, faction in kept_mail.plays_in(conn, own):
                raise DeletionRefused(
                    f"{own} plays {faction} in {game_id}, which is not over; give the seat to somebody else first. "
                    f"{another_player(conn, game_id, faction)}"
                )
        return Emptied.together(kept_mail.empty_person(conn, own) for own in known)

    return delete
