"""The canary: a mail that Mentat sends to itself again and again, by the way of all others, to see that mail goes out
and comes in.

A mailbox may answer and yet get no mail: a record of the DNS, a filter, a full quota, a list that blocks the sender.
When as many canaries in a row as the settings say have not come back, no deadline passes, as with a mailbox that cannot
be read; when one comes back, the time since the first that was missing is given back (``bot.timekeeping.outage``).

The heartbeat "canary-sent" fails from the moment when the first was sent that has not come back, and "canary" from then
on too, once too many are missing. Nobody else can send one: its code is known from its letter alone.
"""

from __future__ import annotations

import logging
import secrets
from datetime import datetime, timedelta

from bot.config import Settings
from bot.games.open_games import OpenGames
from bot.mail.mime.message import Incoming
from bot.mail.to_itself import Sender, code_in, mail_to_itself, message_id_of
from bot.monitoring.logs import about
from bot.store import canaries, heartbeats, mail
from bot.store.database import Connection, reading, writing_no_game
from bot.timekeeping import outage
from bot.wording.sentences import say

log = logging.getLogger(__name__)


def interval(settings: Settings) -> timedelta | None:
    """The time between two; None where none is sent."""
    if not settings.monitoring.canary_minutes or settings.smtp.kind != "smtp":
        return None
    return timedelta(minutes=settings.monitoring.canary_minutes)


def look(open_games: OpenGames, now: datetime) -> None:
    """Send the next one if it is time, notice that too many are missing, and give back the time when one has come.
    While the mailbox cannot be read nothing can come back, and none is missed."""
    every = interval(open_games.settings)
    with reading(open_games.engine) as conn:
        known, sent = heartbeats.heartbeat(conn, "canary"), heartbeats.heartbeat(conn, "canary-sent")
        if outage.mailbox_failing(conn):
            return
    missing_since = sent.failing_since if sent else None
    if known and known.failing_since:
        if missing_since is None or every is None:
            outage.canary_works(open_games, known.failing_since, now)
    elif every and missing_since and now - missing_since > every * (open_games.settings.monitoring.canary_misses - 0.5):
        log.error("no mail from Mentat to itself comes back; no deadline passes", extra=about("canary.missing"))
        with writing_no_game(open_games.engine) as conn:
            heartbeats.stop(conn, "canary", known.at if known else missing_since, missing_since)
    if every and (sent is None or now - sent.at >= every):
        _send(open_games, now)


def arrived(conn: Connection, settings: Settings, incoming: Incoming, now: datetime) -> bool:
    """Whether a mail is one of ours and has come back, which is noted. ``look`` gives the time back, since that changes
    games, each in a transaction of its own."""
    code = code_in(incoming, "canary")
    if code is None or not canaries.came_back(conn, message_id_of("canary", code, settings.mentat.address)):
        return False
    known, sent = heartbeats.heartbeat(conn, "canary"), heartbeats.heartbeat(conn, "canary-sent")
    if known and known.failing_since:
        heartbeats.stop(conn, "canary", now, known.failing_since)
    else:
        heartbeats.beat(conn, "canary", now)
    heartbeats.beat(conn, "canary-sent", sent.at if sent else now)
    return True


def _send(open_games: OpenGames, now: datetime) -> None:
    settings = open_games.settings
    address, code = settings.mentat.address, secrets.token_hex(16)
    own = Sender(settings.mentat.name, settings.sender, address)
    raw = mail_to_itself("canary", code, own, address, say("canary.subject"), say("canary.text") + "\n", now)
    letter = mail.Letter(message_id_of("canary", code, address), settings.sender, address, say("canary.subject"), raw)
    with writing_no_game(open_games.engine) as conn:
        sent = heartbeats.heartbeat(conn, "canary-sent")
        if (sent and sent.at >= now) or canaries.waits_to_go_out(conn):
            return
        mail.post(conn, [letter], now)
        heartbeats.stop(conn, "canary-sent", now, sent.failing_since if sent and sent.failing_since else now)
