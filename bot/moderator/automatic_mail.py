"""Mail that no person wrote: bounces, automatic answers, our own mail coming back, and the canary.

None of it is ever answered, for two programs that answer each other do not stop. A bounce and an automatic answer come
to the envelope sender of a letter, which holds the seat's bounce token (VERP). Where the provider loses that, our own
Message-ID in what was returned says whose letter it was.

The canary is a mail that Mentat sends to itself again and again, the way all others go, to see that mail goes out and
comes in. A mailbox may answer and yet get no mail: a record of the DNS, a filter, a full quota, a list that blocks the
sender. When as many canaries in a row as the settings say are missing, no deadline passes, as with a mailbox that
cannot be read. When one comes back, the time since the first missing one is given back (``bot.moderator.outage``). The
heartbeat "canary-sent" fails from the moment when the first missing canary was sent, and "canary" from then on too,
once too many are missing. Nobody else can send one: only its own letter holds its code.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.config import Settings
from bot.games import observers, seat_addresses, silent_players
from bot.games.identity import MailOutcome
from bot.games.open_games import OpenGames
from bot.games.silent_players import FOR_NOW
from bot.mail.disposition import Bounce, Examined
from bot.mail.identity import find_bounced_tokens
from bot.mail.message import Incoming
from bot.mail.outgoing import OwnAddresses, mail_to_itself, message_id_of, test_code_in
from bot.moderator import outage
from bot.monitoring.logs import about
from bot.render.material import LineVerdict
from bot.store import games, installation, mail, people
from bot.store.database import Connection, reading, writing_no_game
from bot.store.people import NamedSeat
from bot.table.seat import Seat
from bot.table.table import Table
from bot.tournament import letters
from bot.wording import say
from rules.components import Faction

MOST_FRUITLESS = 5
"""So many mails in a row in which no line was understood are answered; a person has then been told what to do."""


def take_automatic_mail(conn: Connection, open_games: OpenGames, seen: Examined, now: datetime) -> MailOutcome | None:
    """The verdict on a mail that no player wrote, and all that follows from it; None for a mail to be read."""
    found, incoming = seen.verdict, seen.incoming
    if incoming is None:
        return None
    if canary_arrived(conn, open_games.settings, incoming, now):
        return MailOutcome("auto-reply", found.reason)
    left = observers.unsubscribe(conn, open_games, incoming, now)
    if left:
        return MailOutcome("unsubscribe", left)
    if found.disposition == "bounce" and found.bounce:
        return _take_bounce(conn, open_games, found.bounce, incoming, found.reason, now)
    if found.disposition == "auto-reply":
        return _take_automatic_answer(conn, open_games, seen, incoming, now)
    return None


def _take_bounce(
    conn: Connection, open_games: OpenGames, bounce: Bounce, incoming: Incoming, reason: str, now: datetime
) -> MailOutcome:  # fmt: skip
    came_to = find_bounced_tokens(incoming, open_games.settings.mentat.address)
    returned = bounce.returned
    found = [people.seat_by_bounce_token(conn, token) for token in came_to]
    found += [people.seat_by_token(conn, token, now) for token in returned]
    if place := next(filter(None, found), None):
        table = open_games.table(conn, place.game_id)
        if _is_about_another_mailbox(conn, bounce, place.address):
            return MailOutcome("bounce", f"{reason}, to which nothing is written now", place.game_id, place.faction)
        silent_players.take_bounce(conn, open_games, table, place.faction, _points(bounce), reason, now)
        games.close(conn, table)
        return MailOutcome("bounce", reason, place.game_id, place.faction)
    if entrant := letters.bounced_entrants(conn, came_to, list(returned)):
        if not _is_about_another_mailbox(conn, bounce, entrant.address):
            letters.note_bounce(conn, entrant, _points(bounce), now)
        return MailOutcome("bounce", reason)
    if bounce.permanent and (seat := seat_addresses.end_unreachable_sitting(conn, open_games, came_to, reason, now)):
        return MailOutcome("bounce", reason, *seat)
    for token in (*came_to, *returned) if bounce.permanent else ():
        if observers.strike_out_unreachable(conn, open_games, token, reason, now):
            break
    return MailOutcome("bounce", reason)


def _is_about_another_mailbox(conn: Connection, bounce: Bounce, address: str) -> bool:
    """Whether it is a mailbox of this player that is gone, but not the one to which their letters go now. One that
    nobody knows is taken to be where they have their mail sent on to."""
    return address not in bounce.recipients and bool(people.known_as(conn, address).intersection(bounce.recipients))


def _points(bounce: Bounce) -> int:
    """How much a bounce says of the mailbox."""
    return silent_players.bounce_points(bounce.status) if bounce.permanent else FOR_NOW


def _take_automatic_answer(
    conn: Connection, open_games: OpenGames, seen: Examined, incoming: Incoming, now: datetime
) -> MailOutcome:
    """An automatic answer changes nothing in the game; of those of players the game master hears once a calendar week
    each. It shows that mail arrives at its sender, unless they only keep it back until somebody confirms."""
    found = seen.verdict
    places = [people.seat_by_token(conn, token, now) for token in seen.tokens]
    came_to = find_bounced_tokens(incoming, open_games.settings.mentat.address)
    places += [people.seat_by_bounce_token(conn, token) for token in came_to]
    place = next(filter(None, places), None)
    if place is None:
        return MailOutcome("auto-reply", found.reason)
    if not found.challenge and incoming.sender in people.known_as(conn, place.address):
        table = open_games.table(conn, place.game_id)
        silent_players.note_heard_from(table, place.faction)
        games.close(conn, table)
        silent_players.note_automatic_answer_from(conn, open_games, incoming.sender)
    _report_program(conn, open_games, place, "challenge" if found.challenge else "robot", incoming, found.reason, now)
    return MailOutcome("auto-reply", found.reason, place.game_id, place.faction)


def _report_program(
    conn: Connection, open_games: OpenGames, place: NamedSeat, what: str, incoming: Incoming, reason: str, now: datetime
) -> None:  # fmt: skip
    named = {"game": place.game_id, "faction": place.faction}
    about = {"sender": incoming.sender or "nobody", "about": incoming.subject[:80], "reason": reason}
    told = [
        say(f"{what}.game-master", **named, **about),
        say(f"{what}.advice", **named, own=open_games.settings.sender),
    ]
    year, week, _ = now.isocalendar()
    cause = f"{what}.{place.game_id}.{place.faction}.{year}.{week}"
    open_games.writer.tell_game_master(conn, now, say(f"{what}.subject", **named), told, cause)


def report_loop(conn: Connection, open_games: OpenGames, incoming: Incoming, reason: str, now: datetime) -> None:
    """Mail of Mentat, of this one or another, came in as mail: the game master hears of it once a day."""
    about = {"sender": incoming.sender or "nobody", "about": incoming.subject[:80], "reason": reason}
    told = [say("loop.game-master", **about), say("loop.advice")]
    open_games.writer.tell_game_master(conn, now, say("loop.subject"), told, f"loop.{now.date().isoformat()}")


def count_fruitless_mails(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, lines: Sequence[LineVerdict], now: datetime
) -> list[str]:  # fmt: skip
    """Count the mails of a player in a row in which no line was understood, be it only to be refused; what is said in
    the last answer to such a one. The game master is told then."""
    seat = table.seats[faction]
    table.touched.add(faction)
    understood = any(line.status not in ("unread", "talk") for line in lines)
    seat.fruitless = 0 if understood else seat.fruitless + 1
    if seat.fruitless != MOST_FRUITLESS:
        return []
    facts = {"game": table.id, "faction": faction, "count": MOST_FRUITLESS, "address": seat.address}
    told = [say("fruitless.game-master", **facts)]
    cause = f"fruitless.{table.id}.{faction}.{seat.letters}"
    open_games.writer.tell_game_master(conn, now, say("fruitless.subject", **facts), told, cause)
    return [say("fruitless.last", count=MOST_FRUITLESS)]


def is_answered(seat: Seat) -> bool:
    """Whether the mail that was counted last gets an answer: a program that answers every mail gets no more."""
    return seat.fruitless <= MOST_FRUITLESS


log = logging.getLogger(__name__)


def canary_interval(settings: Settings) -> timedelta | None:
    """The time between two; None where none is sent."""
    if not settings.monitoring.canary_minutes or settings.smtp.kind != "smtp":
        return None
    return timedelta(minutes=settings.monitoring.canary_minutes)


def look_after_canary(open_games: OpenGames, now: datetime) -> None:
    """Send the next one if it is time, notice that too many are missing, and give back the time when one has come.
    While the mailbox cannot be read nothing can come back, and none is missed."""
    every = canary_interval(open_games.settings)
    with reading(open_games.engine) as conn:
        known, sent = installation.heartbeat(conn, "canary"), installation.heartbeat(conn, "canary-sent")
        if outage.mailbox_failing(conn):
            return
    missing_since = sent.failing_since if sent else None
    if known and known.failing_since:
        if missing_since is None or every is None:
            outage.note_canary_success(open_games, known.failing_since, now)
    elif every and missing_since and now - missing_since > every * (open_games.settings.monitoring.canary_misses - 0.5):
        log.error("no mail from Mentat to itself comes back; no deadline passes", extra=about("canary.missing"))
        with writing_no_game(open_games.engine) as conn:
            installation.note_stop(conn, "canary", known.at if known else missing_since, missing_since)
    if every and (sent is None or now - sent.at >= every):
        _send_canary(open_games, now)


def canary_arrived(conn: Connection, settings: Settings, incoming: Incoming, now: datetime) -> bool:
    """Whether a mail is one of ours and has come back, which is noted. ``look`` gives the time back, since that changes
    games, each in a transaction of its own."""
    code = test_code_in(incoming, "canary")
    if code is None or not installation.canary_came_back(conn, message_id_of("canary", code, settings.mentat.address)):
        return False
    known, sent = installation.heartbeat(conn, "canary"), installation.heartbeat(conn, "canary-sent")
    if known and known.failing_since:
        installation.note_stop(conn, "canary", now, known.failing_since)
    else:
        installation.beat(conn, "canary", now)
    installation.beat(conn, "canary-sent", sent.at if sent else now)
    return True


def _send_canary(open_games: OpenGames, now: datetime) -> None:
    settings = open_games.settings
    address, code = settings.mentat.address, secrets.token_hex(16)
    own = OwnAddresses(settings.mentat.name, settings.sender, address)
    raw = mail_to_itself("canary", code, own, address, say("canary.subject"), say("canary.text") + "\n", now)
    letter = mail.Letter(message_id_of("canary", code, address), settings.sender, address, say("canary.subject"), raw)
    with writing_no_game(open_games.engine) as conn:
        sent = installation.heartbeat(conn, "canary-sent")
        if (sent and sent.at >= now) or installation.canary_waits(conn):
            return
        mail.post(conn, [letter], now)
        installation.note_stop(conn, "canary-sent", now, sent.failing_since if sent and sent.failing_since else now)
