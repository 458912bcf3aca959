"""Mail that no person wrote: bounces, automatic replies, our own mail coming back, and the canary.

Mentat never replies to such mail, because two programs that reply to each other never stop. Bounces and automatic
replies are sent to the envelope sender of a letter, which contains the bounce token of the seat (VERP). If the provider
drops that, our own Message-ID in the returned mail shows whose letter it was.

The canary is a mail that Mentat regularly sends to itself, in the same way as all other mail, to check that mail goes
out and comes in. A mail server may respond even if no mail reaches the mailbox: because of a DNS record, a filter, a
full quota, or a blocklist that names the sender. Once the number of consecutive missing canaries reaches the limit in
the settings, no deadline passes, just as when a mailbox cannot be read. When one comes back, the time since the first
missing one is given back (``bot.moderator.outage``). The heartbeat "canary-sent" is marked as failing from the time at
which the first missing canary was sent; once too many are missing, so is the heartbeat "canary". Nobody else can send a
canary, because only Mentat's own letter contains its code.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.config import Settings
from bot.games import observers, seat_addresses, silent_players
from bot.games.identity import MailOutcome, Part, seat_of_sender
from bot.games.letter_writer import Matter
from bot.games.open_games import OpenGames, Session
from bot.games.silent_players import FOR_NOW
from bot.lobby.starting import free_unreachable
from bot.mail.disposition import REPEATED_WITHIN, Bounce, Examined, says_again
from bot.mail.identity import find_bounced_tokens, is_own_message_id
from bot.mail.message import Incoming
from bot.mail.outgoing import OwnAddresses, mail_to_itself, message_id_of, test_code_in
from bot.moderator import outage
from bot.monitoring.logs import about
from bot.render.material import LineVerdict
from bot.store import games, installation, mail, people
from bot.store.database import Connection, reading, writing_no_game
from bot.store.people import NamedSeat
from bot.table.table import Seat, Table
from bot.tournament import letters
from bot.wording import say
from rules.components import Faction

MOST_FRUITLESS = 5
"""Mentat answers at most this many consecutive mails without an understood line. By then, a person knows what to do."""

_TALK = 4  # the weight of such a mail, where a mail that led to a proposal weighs 1
_LIMIT = _TALK * MOST_FRUITLESS


def take_automatic_mail(session: Session, seen: Examined, *, doubted: bool) -> MailOutcome | None:
    """Process a mail that no person wrote, and return its outcome. Return None for any other mail, and for a mail
    program's reaction whose sender needs an answer, for example because a question to them is open. ``doubted`` is true
    if the mail's sender must be proved but is not."""
    found, incoming = seen.verdict, seen.incoming
    if incoming is None:
        return None
    if _is_letter_of_ours(session, incoming):
        return MailOutcome("rejected", "loop: it is one of Mentat's own letters")
    if canary_arrived(session.conn, session.settings, incoming, session.now):
        return MailOutcome("auto-reply", found.reason)
    left = observers.unsubscribe(session, incoming)
    if left:
        return MailOutcome("unsubscribe", left)
    if found.disposition == "bounce" and found.bounce:
        return _take_bounce(session, found.bounce, incoming, found.reason)
    if found.disposition == "auto-reply" and (doubted or not _needs_words(session, seen, incoming)):
        return _take_automatic_answer(session, seen, incoming)
    return None


def _needs_words(session: Session, seen: Examined, incoming: Incoming) -> bool:
    seat = seat_of_sender(session.conn, seen, session.now) if seen.verdict.by_hand else None
    if seat is None:
        return False
    table = session.games.table(session.conn, seat[0])
    if seen.verdict.by_hand == "recall":
        return True
    asked = any(question.faction == seat[1] for question in table.play.questions())
    return asked or table.seats[seat[1]].last_message_id in incoming.in_reply_to


def _is_letter_of_ours(session: Session, incoming: Incoming) -> bool:
    # Only the outbox proves it: other programs (NeoMutt) make Message-IDs that look like ours.
    identity = incoming.message_id or ""
    like_ours = is_own_message_id(identity, session.settings.mentat.address)
    return like_ours and not mail.not_written(session.conn, [identity])


def _take_bounce(session: Session, bounce: Bounce, incoming: Incoming, reason: str) -> MailOutcome:
    came_to = find_bounced_tokens(incoming, session.settings.mentat.address)
    returned = bounce.returned
    found = [people.seat_by_bounce_token(session.conn, token) for token in came_to]
    found += [people.seat_by_token(session.conn, token, session.now) for token in returned]
    if place := next(filter(None, found), None):
        table = session.games.table(session.conn, place.game_id)
        if _is_about_another_mailbox(session.conn, bounce, place.address):
            return MailOutcome("bounce", f"{reason}, to which no letters go now", place.game_id, place.faction)
        silent_players.take_bounce(session, table, place.faction, _points(bounce), reason)
        games.close(session.conn, table)
        return MailOutcome("bounce", reason, place.game_id, place.faction)
    if entrant := letters.bounced_entrants(session.conn, came_to, list(returned)):
        if not _is_about_another_mailbox(session.conn, bounce, entrant.address):
            letters.note_bounce(session.conn, entrant, _points(bounce), session.now)
        return MailOutcome("bounce", reason)
    if bounce.permanent and (seat := seat_addresses.end_unreachable_sitting(session, came_to, reason)):
        return MailOutcome("bounce", reason, *seat)
    for token in (*came_to, *returned) if bounce.permanent else ():
        if free_unreachable(session, token, bounce.recipients):
            break
        if observers.strike_out_unreachable(session, token, reason):
            break
    return MailOutcome("bounce", reason)


def _is_about_another_mailbox(conn: Connection, bounce: Bounce, address: str) -> bool:
    """Return True if a bounce names a mailbox of the player that is not the one to which their letters now go. An
    unknown mailbox is assumed to be one to which the player forwards their mail."""
    return address not in bounce.recipients and bool(people.known_as(conn, address).intersection(bounce.recipients))


def _points(bounce: Bounce) -> int:
    return silent_players.bounce_points(bounce.status) if bounce.permanent else FOR_NOW


def _take_automatic_answer(session: Session, seen: Examined, incoming: Incoming) -> MailOutcome:
    found = seen.verdict
    places = [people.seat_by_token(session.conn, token, session.now) for token in seen.tokens]
    came_to = find_bounced_tokens(incoming, session.settings.mentat.address)
    places += [people.seat_by_bounce_token(session.conn, token) for token in came_to]
    place = next(filter(None, places), None)
    if place is None:
        return MailOutcome("auto-reply", found.reason)
    if not found.challenge and incoming.sender in people.known_as(session.conn, place.address):
        table = session.games.table(session.conn, place.game_id)
        silent_players.note_heard_from(table, place.faction)
        games.close(session.conn, table)
        silent_players.note_automatic_answer_from(session.conn, session.games, incoming.sender)
    _report_program(session, place, "challenge" if found.challenge else "robot", incoming, found.reason)
    return MailOutcome("auto-reply", found.reason, place.game_id, place.faction)


def _report_program(session: Session, place: NamedSeat, what: str, incoming: Incoming, reason: str) -> None:
    named = {"game": place.game_id, "faction": place.faction}
    about = {"sender": incoming.sender or "nobody", "about": incoming.subject[:80], "reason": reason}
    told = [say(f"{what}.game-master", **named, **about), say(f"{what}.advice", **named, own=session.settings.sender)]
    year, week, _ = session.now.isocalendar()
    cause = f"{what}.{place.game_id}.{place.faction}.{year}.{week}"
    lines = (f"ask {place.faction}: WORDS", "extend 24", f"more {place.faction}")
    matter = Matter(place.game_id, place.faction, say(f"{what}.subject", **named), told, lines, cause)
    session.writer.tell_master_of(matter)


def report_loop(session: Session, incoming: Incoming, reason: str) -> None:
    about = {"sender": incoming.sender or "nobody", "about": incoming.subject[:80], "reason": reason}
    told = [say("loop.game-master", **about), say("loop.advice")]
    session.writer.tell_game_master(say("loop.subject"), told, f"loop.{session.now.date().isoformat()}")


def repeats_itself(session: Session, part: Part, number: int | None, incoming: Incoming | None) -> bool:
    """Return True if a mail without an order says the same as one of its sender's last mails. A program must then have
    written both, and the first has already been answered."""
    if number is None or incoming is None:
        return False
    since = session.now - REPEATED_WITHIN
    before = mail.latest_of(session.conn, incoming.sender, since, part.game_id, number)
    if not says_again(part.lines, before, session.settings.mentat.address):
        return False
    place = people.seat_by_name(session.conn, part.game_id, part.faction)
    if place:
        _report_program(session, place, "robot", incoming, "it says the same again and again")
    return True


def count_fruitless_mails(session: Session, table: Table, faction: Faction, lines: Sequence[LineVerdict]) -> list[str]:
    """Count this player's consecutive mails in which no line was understood, not even well enough to be refused.

    A mail that led to a proposal counts as a quarter, since a proposal is the usual answer to plain words. When there
    are too many, return the sentences for a last answer, and tell the game master.
    """
    seat = table.seats[faction]
    table.touched.add(faction)
    before = seat.fruitless
    seat.fruitless = 0 if _understood(lines) else before + (1 if _proposed(lines) else _TALK)
    if not before < _LIMIT <= seat.fruitless:
        return []
    seat.fruitless = _LIMIT
    facts = {"game": table.id, "faction": faction, "count": MOST_FRUITLESS, "address": seat.address}
    told = [say("fruitless.game-master", **facts)]
    cause = f"fruitless.{table.id}.{faction}.{seat.letters}"
    ready = (f"ask {faction}: WORDS", f"more {faction}")
    session.writer.tell_master_of(Matter(table.id, faction, say("fruitless.subject", **facts), told, ready, cause))
    return [say("fruitless.last", count=MOST_FRUITLESS)]


def _understood(lines: Sequence[LineVerdict]) -> bool:
    return any(line.status not in ("unread", "talk") for line in lines)


def is_answered(seat: Seat, lines: Sequence[LineVerdict]) -> bool:
    """Return True if these lines get an answer. After too many fruitless mails, which a program may have sent, only
    orders are answered. Lines that are nearly orders are answered for a while longer, because a person may be trying to
    write an order."""
    most = 2 * _LIMIT if _proposed(lines) else _LIMIT
    return seat.fruitless <= most or _understood(lines)


def _proposed(lines: Sequence[LineVerdict]) -> bool:
    return any(line.suggestions for line in lines)


log = logging.getLogger(__name__)


def canary_interval(settings: Settings) -> timedelta | None:
    if not settings.monitoring.canary_minutes or settings.smtp.kind != "smtp":
        return None
    return timedelta(minutes=settings.monitoring.canary_minutes)


def look_after_canary(open_games: OpenGames, now: datetime) -> None:
    """Send the next canary if it is due, record if too many are missing, and give lost time back when a canary has come
    back. While the mailbox cannot be read, no canary can come back, so none counts as missing."""
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
    """Return True if a mail is a canary that came back, and record its arrival. The time is given back later, by
    ``look_after_canary``, because that changes games, each in its own transaction."""
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
