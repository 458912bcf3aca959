"""What follows from mail that is no order: bounces, programs that answer, our own mail coming back.

None of it is ever answered, for two programs that answer each other do not stop. A bounce and an automatic answer come
to the envelope sender of a letter, which holds the seat's bounce token (VERP); where the provider loses that, our own
Message-ID in what was returned says whose letter it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.games import observers
from bot.games.open_games import OpenGames
from bot.identity import sitting
from bot.identity.identification import Processed
from bot.mail.disposition import Examined
from bot.mail.identity import find_bounced_tokens
from bot.mail.mime.message import Incoming
from bot.mail.robots.bounce import Bounce
from bot.reports.given import LineRead
from bot.silence import unreachable
from bot.silence.unreachable import FOR_NOW
from bot.store import addresses, games, named_seats
from bot.store.database import Connection
from bot.store.named_seats import NamedSeat
from bot.table.seat import Seat
from bot.table.table import Table
from bot.timekeeping import canary
from bot.tournament import bounces
from bot.wording.sentences import say
from rules.components import Faction

MOST_FRUITLESS = 5
"""So many mails in a row in which no line was understood are answered; a person has then been told what to do."""


def dealt_with(conn: Connection, open_games: OpenGames, seen: Examined, now: datetime) -> Processed | None:
    """The verdict on a mail that no player wrote, and all that follows from it; None for a mail to be read."""
    found, incoming = seen.verdict, seen.incoming
    if incoming is None:
        return None
    if canary.arrived(conn, open_games.settings, incoming, now):
        return Processed("auto-reply", found.reason)
    left = observers.leaves(conn, open_games, incoming, now)
    if left:
        return Processed("unsubscribe", left)
    if found.disposition == "bounce" and found.bounce:
        return _bounced(conn, open_games, found.bounce, incoming, found.reason, now)
    if found.disposition == "auto-reply":
        return _answered_by_program(conn, open_games, seen, incoming, now)
    return None


def _bounced(
    conn: Connection, open_games: OpenGames, bounce: Bounce, incoming: Incoming, reason: str, now: datetime
) -> Processed:  # fmt: skip
    came_to = find_bounced_tokens(incoming, open_games.settings.mentat.address)
    returned = bounce.returned
    found = [named_seats.by_bounce_token(conn, token) for token in came_to]
    found += [named_seats.by_token(conn, token, now) for token in returned]
    if place := next(filter(None, found), None):
        table = open_games.table(conn, place.game_id)
        if _is_about_another_mailbox(conn, bounce, place.address):
            return Processed("bounce", f"{reason}, to which nothing is written now", place.game_id, place.faction)
        unreachable.mail_came_back(conn, open_games, table, place.faction, _points(bounce), reason, now)
        games.close(conn, table)
        return Processed("bounce", reason, place.game_id, place.faction)
    if entrant := bounces.of_tokens(conn, came_to, list(returned)):
        if not _is_about_another_mailbox(conn, bounce, entrant.address):
            bounces.came_back(conn, entrant, _points(bounce), now)
        return Processed("bounce", reason)
    if bounce.permanent and (seat := sitting.lost(conn, open_games, came_to, reason, now)):
        return Processed("bounce", reason, *seat)
    for token in (*came_to, *returned) if bounce.permanent else ():
        if observers.lost(conn, open_games, token, reason, now):
            break
    return Processed("bounce", reason)


def _is_about_another_mailbox(conn: Connection, bounce: Bounce, address: str) -> bool:
    """Whether it is a mailbox of this player that is gone, but not the one to which their letters go now. One that
    nobody knows is taken to be where they have their mail sent on to."""
    return address not in bounce.recipients and bool(addresses.known_as(conn, address).intersection(bounce.recipients))


def _points(bounce: Bounce) -> int:
    """How much a bounce says of the mailbox."""
    return unreachable.points_of(bounce.status) if bounce.permanent else FOR_NOW


def _answered_by_program(
    conn: Connection, open_games: OpenGames, seen: Examined, incoming: Incoming, now: datetime
) -> Processed:
    """An automatic answer changes nothing in the game; of those of players the game master hears once a calendar week
    each. It shows that mail arrives at its sender, unless they only keep it back until somebody confirms."""
    found = seen.verdict
    places = [named_seats.by_token(conn, token, now) for token in seen.tokens]
    came_to = find_bounced_tokens(incoming, open_games.settings.mentat.address)
    places += [named_seats.by_bounce_token(conn, token) for token in came_to]
    place = next(filter(None, places), None)
    if place is None:
        return Processed("auto-reply", found.reason)
    if not found.challenge and incoming.sender in addresses.known_as(conn, place.address):
        table = open_games.table(conn, place.game_id)
        unreachable.heard_from(table, place.faction)
        games.close(conn, table)
        unreachable.answered_from(conn, open_games, incoming.sender)
    _tell_of_program(conn, open_games, place, "challenge" if found.challenge else "robot", incoming, found.reason, now)
    return Processed("auto-reply", found.reason, place.game_id, place.faction)


def _tell_of_program(
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


def tell_loop(conn: Connection, open_games: OpenGames, incoming: Incoming, reason: str, now: datetime) -> None:
    """Mail of Mentat, of this one or another, came in as mail: the game master hears of it once a day."""
    about = {"sender": incoming.sender or "nobody", "about": incoming.subject[:80], "reason": reason}
    told = [say("loop.game-master", **about), say("loop.advice")]
    open_games.writer.tell_game_master(conn, now, say("loop.subject"), told, f"loop.{now.date().isoformat()}")


def warn_of_silence(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, lines: Sequence[LineRead], now: datetime
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
