"""Players whom no mail reaches: when that is believed, what the table and the game master are told, and its end.

A final refusal (5.x.x, RFC 3463) is believed at once; one for what is in a letter (5.6.x, 5.7.x) may be about that
letter alone, and two of them are believed. A delay, a full mailbox or a report that does not say (4.x.x) counts a
third, for a week: three of them are believed. It is the mailbox that is gone, so all of this is of an address: whoever
plays several games at one cannot be reached in any of them. One spell is reported once, however many letters come back
in it, and ends with anything that they send from there, or when the game master lets their letters be sent again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.clock.instants import stamp
from bot.config import Settings
from bot.games.open_games import OpenGames
from bot.mail.identity import bounce_token, reply_token
from bot.post import notices
from bot.post.another_player import another_player
from bot.reports.times import by, clock_of, moment
from bot.silence.announcing import announce
from bot.store import addresses, games, mail, unreachable
from bot.store.database import Connection
from bot.table.seat import Seat
from bot.table.table import Table
from bot.table.unreachable import mail_reaches
from bot.wording.sentences import say
from rules.components import Faction

FOR_GOOD, FOR_THE_LETTER, FOR_NOW = 3, 2, 1
FINAL_FOR_THE_LETTER = ("5.2.3", "5.3.4", "5.6.", "5.7.")
"""Final refusals of a letter for its size or content (RFC 3463)."""
BELIEVED = 3
FORGOTTEN = timedelta(days=7)
MOST_SENT_AGAIN = 30


def points_of(status: str) -> int:
    """How much a final refusal with this status says of the mailbox; one for the size or the content of a letter may be
    about that letter alone."""
    return FOR_THE_LETTER if status.startswith(FINAL_FOR_THE_LETTER) else FOR_GOOD


def mail_came_back(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, points: int, report: str, now: datetime
) -> None:  # fmt: skip
    """A letter to this player came back. Where that is now enough to be believed, their duties wait for them in every
    game that they play at that address, and the tables and the game master are told. The other games are closed
    here."""
    seat = table.seats[faction]
    if seat.unreachable:
        return
    others = [
        (open_games.table(conn, game_id), other)
        for game_id, other in addresses.seats_of(conn, [seat.address])
        if game_id != table.id
    ]
    reached = [(each, of) for each, of in [(table, faction), *others] if not each.seats[of].unreachable]
    points += max(_lately(each.seats[of], now) for each, of in reached)
    for each, of in reached:
        each.seats[of].undelivered, each.seats[of].undelivered_at = points, now
        each.touched.add(of)
    if points >= BELIEVED:
        told = [say("unreachable.game-master", address=seat.address, report=report)]
        for each, of in reached:
            told += [say("unreachable.also", game=each.id, faction=of)] if each is not table else []
            told += _begin(conn, open_games, each, of, now)
        subject = say("unreachable.subject", game=table.id, faction=faction)
        open_games.writer.tell_game_master(conn, now, subject, told, f"{table.id}.{faction}.{stamp(now)}")
    for each, _ in others:
        games.close(conn, each)


def _lately(seat: Seat, now: datetime) -> int:
    """The points of a seat that still count."""
    counts = seat.undelivered_at is not None and now - seat.undelivered_at < FORGOTTEN
    return seat.undelivered if counts else 0


def _begin(conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime) -> list[str]:
    """Let the duties of one game wait, and tell its table; what the game master is told."""
    until = unreachable.begin(
        conn, table, faction, now, open_games.settings.clock.unreachable_hours, open_games.clock(table)
    )
    if until:
        wait = say("unreachable.wait", faction=faction, by=by(until, now, open_games.settings.mentat.timezone))
        _tell_table(conn, open_games, table, faction, until, now)
    else:
        wait = say("unreachable.no-wait")
    another = another_player(conn, table.id, faction)
    return [wait, say("unreachable.advice", game=table.id, faction=faction, another=another)]


def _tell_table(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, until: datetime, now: datetime
) -> None:  # fmt: skip
    announce(
        conn, open_games.writer, table, now, say("unreachable.notice-subject"),
        lambda seat: say("unreachable.notice", by=by(until, now, ZoneInfo(seat.timezone))), (faction,),
    )  # fmt: skip


def heard_from(table: Table, faction: Faction) -> list[str]:
    """Something has come from this player, so mail works for them; what they are told if some of theirs did not
    arrive."""
    seat = table.seats[faction]
    if not seat.unreachable:
        seat.undelivered = 0
        return []
    zone, began = ZoneInfo(seat.timezone), seat.unreachable_since
    since = f"{moment(began, zone)} {clock_of(zone)}" if began else ""  # the oldest databases do not say when it began
    mail_reaches(table, faction)
    return [say("unreachable.back", since=since)]


def written_from(conn: Connection, open_games: OpenGames, address: str, now: datetime) -> None:
    """A player has written from this address, so the mailbox works for their other games too; in those where they could
    not be reached they are told what they may have missed."""
    for table, faction, notes in _works(conn, open_games, address):
        if notes:
            open_games.writer.notify(conn, table, faction, now, say("unreachable.back-subject"), notes)
        games.close(conn, table)


def answered_from(conn: Connection, open_games: OpenGames, address: str) -> None:
    """A program has answered at this address, so mail arrives there; it is not written to for that."""
    for table, _, _ in _works(conn, open_games, address):
        games.close(conn, table)


def _works(conn: Connection, open_games: OpenGames, address: str) -> Iterator[tuple[Table, Faction, list[str]]]:
    for game_id, faction in unreachable.in_doubt(conn, address):
        table = open_games.table(conn, game_id)
        table.touched.add(faction)
        yield table, faction, heard_from(table, faction)


def send_again(open_games: OpenGames, game_id: str, faction: Faction, now: datetime) -> int:
    """Put the letters that a player may have missed into the outbox once more, with the same Message-IDs, and take them
    to be reachable until one comes back again; how many letters. They carry the reply address that counts now. KeyError
    if nobody plays that faction; UnknownGame if there is no game of that name."""
    with open_games.transaction(game_id) as (conn, table):
        seat = table.seats[faction]
        tokens = ended_tokens(open_games.settings, game_id, seat)
        count = mail.send_again(conn, game_id, faction, seat.address, now, MOST_SENT_AGAIN, tokens)
        mail_reaches(table, faction)
    return count


def ended_tokens(settings: Settings, game_id: str, seat: Seat) -> Mapping[str, str]:
    """The reply and bounce tokens that a seat had before, each with the one that it has now."""
    secret = settings.secrets.secret.get_secret_value().encode()
    ended: dict[str, str] = {}
    for generation in range(seat.generation):
        ended[reply_token(secret, game_id, seat.faction, generation)] = seat.token
        ended[bounce_token(secret, game_id, seat.faction, generation)] = seat.bounce_token
    return ended


def letter_refused(conn: Connection, open_games: OpenGames, letter: mail.Letter, why: str, now: datetime) -> None:
    """A server would not take a letter: to a player that is as good as one that came back for good. One that could not
    be sent for days says less of them than of our own server."""
    table = open_games.table(conn, letter.game_id) if letter.game_id and letter.faction else None
    if table is None or not letter.faction or table.seats[letter.faction].address != letter.recipient:
        notices.letter_lost(conn, open_games.writer, letter, why, now)
        return
    mail_came_back(conn, open_games, table, letter.faction, FOR_GOOD, why, now)
    games.close(conn, table)
