"""Entrants whom no mail reaches: believed as it is of players, and of each event of theirs at that address.

Their letters name them in the envelope sender (VERP), so that a report of the mail servers is known to be about them;
one that a server refuses at once is known by its recipient. Nothing is written to them then but answers to mails of
theirs, and organisers see who they are, until anything comes from there.
"""

from __future__ import annotations

import re
from datetime import datetime

from bot.silence.unreachable import BELIEVED, FORGOTTEN, points_of
from bot.store import addresses
from bot.store.database import Connection
from bot.store.mail import Letter
from bot.store.tournaments import entrants
from bot.store.tournaments.entrants import Entrant

_STATUS = re.compile(r"\(\d{3}[ -](5\.\d{1,3}\.\d{1,3})\b")


def is_unreachable(entrant: Entrant) -> bool:
    """Whether enough letters to them came back for that to be believed."""
    return entrant.undelivered >= BELIEVED


def of_tokens(conn: Connection, came_to: list[str], returned: list[str]) -> Entrant | None:
    """Whose letter came back, by the envelope sender of the letter, or by what was returned of it."""
    found = [entrants.by_bounce_token(conn, token) for token in came_to]
    found += [entrants.by_token(conn, token) or entrants.by_code(conn, token) for token in returned]
    return next(filter(None, found), None)


def came_back(conn: Connection, entrant: Entrant, points: int, now: datetime) -> None:
    """A letter to this entrant came back; ``points`` is how much that says of their mailbox."""
    every = [each for each in entrants.everywhere(conn, entrant.address) if not is_unreachable(each)]
    points += max((each.undelivered for each in every if _counts(each, now)), default=0)
    for each in every:
        entrants.change(conn, each.tournament_id, each.number, undelivered=points, undelivered_at=now)


def letter_refused(conn: Connection, letter: Letter, why: str, now: datetime) -> None:
    """A server would not take a letter that belongs to no seat: for entrants whose letters go to that address it counts
    as one that came back for good. ``why`` is what the server answered, its status (RFC 3463) behind its code."""
    if letter.game_id or addresses.in_use(conn, letter.recipient) != letter.recipient:
        return
    status = _STATUS.search(why)
    for entrant in entrants.everywhere(conn, letter.recipient)[:1]:  # of each event of theirs, once
        came_back(conn, entrant, points_of(status[1] if status else ""), now)


def _counts(entrant: Entrant, now: datetime) -> bool:
    return entrant.undelivered_at is not None and now - entrant.undelivered_at < FORGOTTEN


def heard_from(conn: Connection, address: str) -> None:
    """Something has come from this address, so mail arrives there."""
    for tournament_id, number in entrants.in_doubt(conn, address):
        entrants.change(conn, tournament_id, number, undelivered=0, undelivered_at=None)
