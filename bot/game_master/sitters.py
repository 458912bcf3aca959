"""Somebody sits in for a player for some days, and the end of it (``bot.identity.sitting``).

Who it is only the player is told; that there is a sitter, the table too, where the settings say so.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.clock.calendar import at
from bot.config import Settings
from bot.game_master.new_game import given_name
from bot.game_master.observing import has_read_what_is_hidden
from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, require_no_other_table, right_at, using
from bot.game_master.rights import checked
from bot.game_master.seats import seat_of
from bot.game_master.two_seats import require_no_other
from bot.games.open_games import OpenGames
from bot.identity import persons
from bot.identity.sitting import say_goodbye, sit_down
from bot.post.clock_notices import own_words
from bot.reports.times import by
from bot.store import bans, games, observers
from bot.store.addresses import known_as
from bot.store.addresses import sits_at as seats_of_sitters
from bot.store.database import Connection
from bot.store.tournaments.rounds import tournament_of
from bot.table.press import names_hidden
from bot.table.seat import Seat
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction, faction_name

LONGEST = timedelta(days=60)


def end_of_day(settings: Settings, day: str) -> datetime:
    """The end of a day like "2027-01-31" on Mentat's own calendar. PowerRefused where it is no day."""
    try:
        return at(date.fromisoformat(day) + timedelta(days=1), time(0), settings.mentat.timezone)
    except (ValueError, OverflowError):
        raise PowerRefused(f"{day!r} is no day; write it like 2027-01-31.") from None


def last_day(settings: Settings, until: datetime) -> date:
    """The last day, on Mentat's own calendar, of what ends at an instant (``end_of_day``)."""
    return (until.astimezone(settings.mentat.timezone) - timedelta(seconds=1)).date()


def sit_in(
    open_games: OpenGames, game_id: str, faction: Faction, address: str, until: datetime, now: datetime,
    name: str = "", use: Use = AT_THE_MACHINE,
) -> Seat:  # fmt: skip
    """Let somebody sit in for a player until an instant, in the place of whoever did: they get copies of all letters
    and may order; the player may too, and may end it. PowerRefused if they play here, sit in for another seat, have a
    right at the game, observe it or are banned, or if the time is past or longer than sixty days; UnknownGame if there
    is no game of that name."""
    with using(open_games, game_id, "sitter", now, use) as used:
        conn, table, address = used.conn, used.table, checked(open_games, address)
        seat = seat_of(table, faction)
        _require_free(conn, open_games, table, seat, address, now)
        if until <= now:
            raise PowerRefused(f"{until:%Y-%m-%d %H:%M}Z is past; a sitter sits in until later than now.")
        if until - now > LONGEST:
            raise PowerRefused(
                f"A sitter sits in for at most {LONGEST.days} days; for longer, give the seat to somebody else: "
                f"`mentat game replace {table.id} {faction} ADDRESS`."
            )
        say_goodbye(conn, open_games, table, faction, now)
        called = given_name(open_games.settings, name) or address.partition("@")[0]
        sit_down(open_games.settings, table, faction, address, called, until)
        used.words = f"{faction} until {until:%Y-%m-%d %H:%M}Z"
        _tell(conn, open_games, table, seat, until, now, use)
        return seat


def stand_up(open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Nobody sits in for a player any more. PowerRefused if nobody does; UnknownGame if there is no game of that
    name."""
    with using(open_games, game_id, "sitter", now, use) as used:
        if not seat_of(used.table, faction).sitter:
            raise PowerRefused(f"Nobody sits in for {faction_name(faction)} in {game_id}.")
        used.words = f"{faction} off"
        _end(used.conn, open_games, used.table, faction, now, own_words(use.tell))


def end_those_of(conn: Connection, open_games: OpenGames, address: str, tournament_id: str, now: datetime) -> None:
    """Somebody who may play no more, here or in one tournament, sits in for nobody there."""
    for game_id, faction in seats_of_sitters(conn, known_as(conn, address)):
        if tournament_id in ("", tournament_of(conn, game_id)):
            table = open_games.table(conn, game_id)
            _end(conn, open_games, table, faction, now, [])
            games.close(conn, table)


def end_what_is_over(open_games: OpenGames, game_id: str, faction: Faction, now: datetime) -> None:
    """End the time of a sitter that is over; both are told."""
    with open_games.transaction(game_id) as (conn, table):
        seat = table.seats[faction]
        if seat.sitter and not seat.sat_in_for(now):
            _end(conn, open_games, table, faction, now, [])


def _end(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime, words: list[str]
) -> None:
    say_goodbye(conn, open_games, table, faction, now)
    paragraphs = [say("sitter.over"), *words]
    open_games.writer.notify(conn, table, faction, now, say("sitter.over-subject"), paragraphs)


def _tell(
    conn: Connection, open_games: OpenGames, table: Table, seat: Seat, until: datetime, now: datetime, use: Use
) -> None:
    faction, turn = seat.faction, table.play.state.turn
    declared = open_games.settings.identity.declare_sitters
    happened = [event for number in (turn - 1, turn) for event in games.events_of_turn(conn, table.id, number)]
    zone = open_games.settings.mentat.timezone
    player = "" if names_hidden(table) else seat.name
    opening = say("sitter.opening", game=table.id, faction=faction, player=player, by=by(until, now, zone))
    subject = say("sitter.subject-briefing", faction=faction)
    paragraphs = [opening, say("sitter.how"), say("setup.how")]
    open_games.writer.brief_sitter(conn, table, faction, now, happened, subject, paragraphs)

    def told(reader: Seat) -> str:
        when = by(until, now, ZoneInfo(reader.timezone))
        if reader.faction == faction:
            return say("sitter.to-player", name=seat.sitter_name, address=seat.sitter, by=when)
        return say("sitter.notice", faction=faction, by=when)

    for reader in table.seats.values() if declared else (seat,):
        paragraphs = [told(reader), *own_words(use.tell)]
        subject, copied = say("sitter.subject"), reader.faction != faction
        open_games.writer.notify(conn, table, reader.faction, now, subject, paragraphs, copied=copied)


def _require_free(
    conn: Connection, open_games: OpenGames, table: Table, seat: Seat, address: str, now: datetime
) -> None:
    settings, seats = open_games.settings, table.seats.values()
    if played := persons.seat_of(conn, settings, seats, address):
        raise PowerRefused(
            f"{address} plays {faction_name(played.faction)} in {table.id}; nobody may know the secrets of two seats."
        )
    require_no_other(conn, open_games, table, seat.faction, address)
    require_no_other_table(conn, table, address)
    if persons.sits_at(conn, settings, seats, address) is None and right_at(conn, open_games, table, address):
        raise PowerRefused(f"{address} has a right at the desk of {table.id}; whoever sits in for a player has none.")
    watching = (observer.address for observer in observers.of_game(conn, table.id))
    if any(persons.are_one(conn, settings, address, watcher) for watcher in watching):
        raise PowerRefused(f"{address} observes {table.id}; first: `mentat game unobserve {table.id} {address}`.")
    if has_read_what_is_hidden(conn, open_games, table, address):
        raise PowerRefused(f"{address} has read what is hidden in {table.id}, and can sit in for nobody there.")
    if bans.standing(
        conn, address, now, tournament_of(conn, table.id), tags_apart=open_games.settings.identity.tags_apart
    ):
        raise PowerRefused(say("desk.not-allowed", addresses=[address]))
