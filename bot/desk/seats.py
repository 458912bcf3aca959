"""One seat: reminder, time bank, caretaker, another player, a sitter, another address.

The other players hear only what they would see anyway: that the caretaker plays or has left. Nobody is told why.

A substitute takes a seat in the middle of a game, with all that the seat knows and nothing else. The reply token is
renewed, so mail to the address in the old letters is nobody's. What the player before them had prepared (held orders,
the sheet, absences, press held for a second thought) is withdrawn; what the seat has promised stands.

A sitter plays for some days (``bot.games.seat_addresses``). Only the player is told who it is; that there is a sitter,
the table hears too, where the settings say so.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.config import Settings
from bot.desk.new_game import clean_name
from bot.desk.powers import AT_THE_MACHINE, PowerInUse, PowerRefused, Use, require_no_other_table, right_at, using
from bot.desk.rights import checked_address
from bot.desk.sight import has_read_hidden, require_no_other_seat
from bot.games import identity, seat_addresses
from bot.games.identity import seat_held_by, seat_of_sitter
from bot.games.notices import announce, own_words, same_words
from bot.games.open_games import OpenGames
from bot.games.seat_addresses import end_sitting, renew_reply_address, sit_down
from bot.render.letters import archive_paragraphs
from bot.store import deadlines, games, people, press, record
from bot.store.database import Connection
from bot.store.people import known_as
from bot.store.people import seats_of_sitter as seats_of_sitters
from bot.store.record import GameAct
from bot.store.tournament_rounds import tournament_of
from bot.table.calendar import instant_at
from bot.table.deadlines import mark_reachable
from bot.table.lines import withdraw_lines
from bot.table.press import names_hidden, note_said, said_at, settings_of
from bot.table.rounds import go_on, is_duty, takes_no_time
from bot.table.seat import Seat
from bot.table.table import Table, TableBefore, place_of
from bot.wording import deadline, say
from bot.wording.filters import span
from rules import views
from rules.components import Faction, faction_name
from rules.components.chance import commitment

HOUR = timedelta(hours=1)
MOST_BANK = timedelta(days=60)


def remind_seat(
    open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Send a seat its reminder now. Where it owes nothing no letter goes out; who asked is not told, not even by a dry
    run, as that would show whether an answer under seal exists. PowerRefused if nobody plays that faction."""
    with using(open_games, game_id, "remind", now, use) as used:
        table = used.table
        require_seat(table, faction)
        used.words = faction
        owes = (q.faction == faction and not takes_no_time(table, q) and not q.blanket for q in table.play.questions())
        if any(owes) and not use.dry_run:
            open_games.writer.remind(used.conn, [(table, faction)], now)


def change_bank(
    open_games: OpenGames, game_id: str, faction: Faction, hours: float, now: datetime, use: Use = AT_THE_MACHINE
) -> int:
    """Add hours to the time bank of a seat, or take them off; the minutes that it holds then. A bank is never less
    than empty. PowerRefused if nobody plays that faction, or it would hold more than sixty days."""
    with using(open_games, game_id, "bank", now, use) as used:
        seat = require_seat(used.table, faction)
        if not abs(hours) <= MOST_BANK / HOUR:  # what is no number is not either
            raise PowerRefused(f"A time bank holds at most {MOST_BANK.days} days.")
        minutes = max(0, seat.bank + round(hours * 60))
        if timedelta(minutes=minutes) > MOST_BANK:
            raise PowerRefused(f"A time bank holds at most {MOST_BANK.days} days.")
        used.words, seat.bank = f"{faction} {hours:+g} h: {span(minutes)}", minutes
        used.table.touched.add(faction)
        told = say("desk.bank", minutes=minutes)
        _write(open_games, used, faction, now, say("desk.bank-subject"), told)
        return minutes


def excuse_seat(
    open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Count nothing against a seat that it has missed so far. PowerRefused if nobody plays that faction."""
    with using(open_games, game_id, "excuse", now, use) as used:
        seat = require_seat(used.table, faction)
        used.words, seat.missed = faction, 0
        used.table.touched.add(faction)
        _write(open_games, used, faction, now, say("desk.excused-subject"), say("desk.excused"))


def set_caretaker(
    open_games: OpenGames, game_id: str, faction: Faction, on: bool, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Let the caretaker play for a seat from now on, or leave it. PowerRefused if it is so already, or if nobody plays
    that faction."""
    with using(open_games, game_id, "caretaker", now, use) as used:
        conn, table = used.conn, used.table
        seat = require_seat(table, faction)
        if seat.care == on:
            raise PowerRefused(f"The caretaker is {'on' if on else 'off'} for {faction_name(faction)} already.")
        used.words, seat.care, seat.missed = f"{faction} {'on' if on else 'off'}", on, 0
        table.touched.add(faction)
        before = TableBefore.of(table)
        subject = say("caretaker.subject" if on else "caretaker.back-subject", faction=faction)
        told = say("desk.caretaker" if on else "desk.no-caretaker", faction=faction)
        open_games.writer.announce(conn, table, now, subject, [told, *own_words(use.tell)])
        if not used.may_foresee:
            return
        go_on(table, now)
        games.save(conn, table, now, open_games.clock(table))
        open_games.writer.answer(conn, table, before, now)


def require_seat(table: Table, faction: Faction) -> Seat:
    """The seat of a faction. PowerRefused if nobody plays it."""
    try:
        return table.seats[faction]
    except KeyError:
        played = ", ".join(table.seats)
        raise PowerRefused(f"{faction_name(faction)} is not played in {table.id}; there are {played}.") from None


def _write(open_games: OpenGames, used: PowerInUse, faction: Faction, now: datetime, subject: str, told: str) -> None:
    paragraphs = [told, *own_words(used.use.tell)]
    open_games.writer.notify(used.conn, used.table, faction, now, subject, paragraphs)


class SeatRefused(PowerRefused):
    """This person cannot take this seat; the message says why and what would do."""


def replace_player(
    open_games: OpenGames, game_id: str, faction: Faction, address: str, now: datetime, name: str = "",
    use: Use = AT_THE_MACHINE, *, tags_apart: bool = False,
) -> Seat:  # fmt: skip
    """Give a seat to somebody else, tell everybody, and brief them. ``tags_apart``: another address of a mailbox that
    plays already will do, to try things out. SeatRefused if they cannot take it; UnknownGame if there is no game of
    that name."""
    with using(open_games, game_id, "replace", now, use) as used:
        address = checked_address(open_games, address)
        require_no_other_table(used.conn, used.table, address)
        require_can_take_seat(used.conn, open_games, used.table, faction, address, tags_apart=tags_apart)
        used.words = seat_change_words(used.table, faction, address)
        return _give_seat(used.conn, open_games, used.table, faction, address, now, name)


def take_seat(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, now: datetime,
    name: str = "",
) -> Seat:  # fmt: skip
    """Give a seat to somebody else (``replace``) where a tournament says so, in a transaction that goes on and closes
    the table at its end."""
    require_can_take_seat(conn, open_games, table, faction, address.strip().lower())
    record.record_act(conn, table, GameAct(now, "replace", words=seat_change_words(table, faction, address)))
    return _give_seat(conn, open_games, table, faction, address, now, name)


def seat_change_words(table: Table, faction: Faction, address: str) -> str:
    """What the act log says of a seat that gets another address."""
    return f"{faction}: {table.seats[faction].address} by {address.strip().lower()}"


def _give_seat(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, now: datetime, name: str
) -> Seat:
    address = address.strip().lower()
    seat = table.seats[faction]
    subject, told = say("substitute.left-subject"), say("substitute.left", faction=faction)
    open_games.writer.farewell(conn, table, faction, now, subject, [told])
    _withdraw_prepared(conn, table, faction)
    renew_reply_address(conn, open_games.settings, table, faction)
    seat.address, seat.name = people.address_in_use(conn, address), clean_name(open_games.settings, name)
    seat.name = seat.name or address.partition("@")[0]
    seat.timezone, seat.waking, seat.pictures = open_games.settings.mentat.timezone.key, "", ""
    seat.letters_mode, seat.digest_due = "all", None
    seat.extended = seat.away = seat.missed = 0
    seat.care = False
    mark_reachable(table, faction)
    seat.waited = seat.fruitless = 0
    seat.last_message_id, seat.warned_at = "", None
    seat.asked_by_desk = seat.warned = ""
    table.touched.add(faction)
    people.give_pseudonym_to_seat(conn, table.id, faction, seat.address)
    note_said(table, said_at(table).with_false_readers(faction, agreed=False))  # whoever comes has agreed to nothing
    clock = open_games.clock(table)
    games.save(conn, table, now, clock)
    for question in table.play.asked():
        if question.faction == faction and is_duty(table, question):
            place = place_of(table.play, question)
            deadlines.postpone(conn, table, [place], clock.due_again(question, now))
    notice = say("substitute.notice", faction=faction, player="" if names_hidden(table) else seat.name)
    announce(conn, open_games.writer, table, now, say("substitute.subject"), same_words(notice), (faction,))
    _brief_substitute(conn, open_games, table, faction, now)
    return seat


def require_can_take_seat(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, *, tags_apart: bool = False
) -> None:  # fmt: skip
    """SeatRefused if this address cannot take a seat of the table."""
    if table.play.over:
        raise SeatRefused(say("substitute.over", game=table.id))
    if faction not in table.seats:
        named = ", ".join(table.seats)
        raise SeatRefused(f"{faction_name(faction)} is not played in {table.id}; there are {named}.")
    seat = seat_held_by(conn, open_games.settings, table.seats.values(), address, tags_apart=tags_apart)
    if seat is not None and seat.faction == faction:
        raise SeatRefused(say("substitute.same", address=address, faction=faction))
    if seat is not None:
        raise SeatRefused(say("substitute.elsewhere", address=address, other=seat.faction))
    sat_in_for = seat_of_sitter(conn, open_games.settings, table.seats.values(), address)
    if sat_in_for is not None and sat_in_for.faction != faction:
        raise SeatRefused(say("substitute.sits-in", address=address, other=sat_in_for.faction))
    require_no_other_seat(conn, open_games, table, faction, address, tags_apart=tags_apart)
    if has_read_hidden(conn, open_games, table, address):
        raise SeatRefused(f"{address} has read what is hidden in {table.id}, and can take no seat of it.")
    if people.standing_ban(
        conn, address, table.now, tournament_of(conn, table.id), tags_apart=open_games.settings.identity.tags_apart
    ):
        raise SeatRefused(say("desk.not-allowed", addresses=[address]))


def _withdraw_prepared(conn: Connection, table: Table, faction: Faction) -> None:
    """Withdraw what the player before had prepared."""
    table.play.withdraw(faction)
    withdraw_lines(table, faction)
    press.withdraw_press(conn, table.id, faction)
    games.drop_held_lines(conn, table.id, [faction])
    deadlines.remove_absences(conn, table, faction, list(table.absences.get(faction, ())))
    deadlines.drop_overruns(conn, table, [place for place in table.overruns if place[1][0] == faction])


def _brief_substitute(conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime) -> None:
    view = views.view(table.play, faction)
    turn = table.play.state.turn
    opening = say("substitute.opening", faction=faction, ruleset=table.ruleset, options=table.own_options)
    paragraphs = [opening, say("setup.how")]
    for deal in view["deals"]:
        if faction in deal["parties"]:
            others = [faction_name(other) for other in deal["parties"] if other != faction]
            paragraphs.append(say("substitute.deal", others=others, **deal))
    if view["truths"]:
        paragraphs.append(say("substitute.truths", truths=view["truths"]))
    paragraphs.append(say("substitute.history"))
    paragraphs.append(say("setup.commitment", commitment=commitment(table.seed)))
    archived = settings_of(table).archived
    paragraphs += archive_paragraphs(table.policy, people.pseudonym_at(conn, table.id, faction), press=archived)
    happened = [event for number in (turn - 1, turn) for event in games.events_of_turn(conn, table.id, number)]
    subject = say("substitute.subject-briefing", game=table.id, faction=faction)
    open_games.writer.brief(conn, table, faction, now, happened, subject, paragraphs)


SITTING_LIMIT = timedelta(days=60)


def end_of_day(settings: Settings, day: str) -> datetime:
    """The end of a day like "2027-01-31" on Mentat's own calendar. PowerRefused where it is no day."""
    try:
        return instant_at(date.fromisoformat(day) + timedelta(days=1), time(0), settings.mentat.timezone)
    except (ValueError, OverflowError):
        raise PowerRefused(f"{day!r} is no day; write it like 2027-01-31.") from None


def last_day(settings: Settings, until: datetime) -> date:
    """The last day, on Mentat's own calendar, of what ends at an instant (``end_of_day``)."""
    return (until.astimezone(settings.mentat.timezone) - timedelta(seconds=1)).date()


def set_sitter(
    open_games: OpenGames, game_id: str, faction: Faction, address: str, until: datetime, now: datetime,
    name: str = "", use: Use = AT_THE_MACHINE,
) -> Seat:  # fmt: skip
    """Let somebody sit in for a player until an instant, in the place of whoever did: they get copies of all letters
    and may order; the player may too, and may end it. PowerRefused if they play here, sit in for another seat, have a
    right at the game, observe it or are banned, or if the time is past or longer than sixty days; UnknownGame if there
    is no game of that name."""
    with using(open_games, game_id, "sitter", now, use) as used:
        conn, table, address = used.conn, used.table, checked_address(open_games, address)
        seat = require_seat(table, faction)
        _require_can_sit_in(conn, open_games, table, seat, address, now)
        if until <= now:
            raise PowerRefused(f"{until:%Y-%m-%d %H:%M}Z is past; a sitter sits in until later than now.")
        if until - now > SITTING_LIMIT:
            raise PowerRefused(
                f"A sitter sits in for at most {SITTING_LIMIT.days} days; for longer, give the seat to somebody else: "
                f"`mentat game replace {table.id} {faction} ADDRESS`."
            )
        end_sitting(conn, open_games, table, faction, now)
        called = clean_name(open_games.settings, name) or address.partition("@")[0]
        sit_down(open_games.settings, table, faction, address, called, until)
        used.words = f"{faction} until {until:%Y-%m-%d %H:%M}Z"
        _tell_of_sitting(conn, open_games, table, seat, until, now, use)
        return seat


def remove_sitter(
    open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Nobody sits in for a player any more. PowerRefused if nobody does; UnknownGame if there is no game of that
    name."""
    with using(open_games, game_id, "sitter", now, use) as used:
        if not require_seat(used.table, faction).sitter:
            raise PowerRefused(f"Nobody sits in for {faction_name(faction)} in {game_id}.")
        used.words = f"{faction} off"
        _end_sitting(used.conn, open_games, used.table, faction, now, own_words(use.tell))


def end_sittings_of(conn: Connection, open_games: OpenGames, address: str, tournament_id: str, now: datetime) -> None:
    """Somebody who may play no more, here or in one tournament, sits in for nobody there."""
    for game_id, faction in seats_of_sitters(conn, known_as(conn, address)):
        if tournament_id in ("", tournament_of(conn, game_id)):
            table = open_games.table(conn, game_id)
            _end_sitting(conn, open_games, table, faction, now, [])
            games.close(conn, table)


def end_sitting_if_over(open_games: OpenGames, game_id: str, faction: Faction, now: datetime) -> None:
    """End the time of a sitter that is over; both are told."""
    with open_games.transaction(game_id) as (conn, table):
        seat = table.seats[faction]
        if seat.sitter and not seat.sat_in_for(now):
            _end_sitting(conn, open_games, table, faction, now, [])


def _end_sitting(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime, words: list[str]
) -> None:
    end_sitting(conn, open_games, table, faction, now)
    paragraphs = [say("sitter.over"), *words]
    open_games.writer.notify(conn, table, faction, now, say("sitter.over-subject"), paragraphs)


def _tell_of_sitting(
    conn: Connection, open_games: OpenGames, table: Table, seat: Seat, until: datetime, now: datetime, use: Use
) -> None:
    faction, turn = seat.faction, table.play.state.turn
    declared = open_games.settings.identity.declare_sitters
    happened = [event for number in (turn - 1, turn) for event in games.events_of_turn(conn, table.id, number)]
    zone = open_games.settings.mentat.timezone
    player = "" if names_hidden(table) else seat.name
    opening = say("sitter.opening", game=table.id, faction=faction, player=player, by=deadline(until, now, zone))
    subject = say("sitter.subject-briefing", faction=faction)
    paragraphs = [opening, say("sitter.how"), say("setup.how")]
    open_games.writer.brief_sitter(conn, table, faction, now, happened, subject, paragraphs)

    def told(reader: Seat) -> str:
        when = deadline(until, now, ZoneInfo(reader.timezone))
        if reader.faction == faction:
            return say("sitter.to-player", name=seat.sitter_name, address=seat.sitter, by=when)
        return say("sitter.notice", faction=faction, by=when)

    for reader in table.seats.values() if declared else (seat,):
        paragraphs = [told(reader), *own_words(use.tell)]
        subject, copied = say("sitter.subject"), reader.faction != faction
        open_games.writer.notify(conn, table, reader.faction, now, subject, paragraphs, copied=copied)


def _require_can_sit_in(
    conn: Connection, open_games: OpenGames, table: Table, seat: Seat, address: str, now: datetime
) -> None:
    settings, seats = open_games.settings, table.seats.values()
    if played := identity.seat_held_by(conn, settings, seats, address):
        raise PowerRefused(
            f"{address} plays {faction_name(played.faction)} in {table.id}; nobody may know the secrets of two seats."
        )
    require_no_other_seat(conn, open_games, table, seat.faction, address)
    require_no_other_table(conn, table, address)
    if identity.seat_of_sitter(conn, settings, seats, address) is None and right_at(conn, open_games, table, address):
        raise PowerRefused(f"{address} has a right at the desk of {table.id}; whoever sits in for a player has none.")
    watching = (observer.address for observer in press.observers_of_game(conn, table.id))
    if any(identity.are_one_person(conn, settings, address, watcher) for watcher in watching):
        raise PowerRefused(f"{address} observes {table.id}; first: `mentat game unobserve {table.id} {address}`.")
    if has_read_hidden(conn, open_games, table, address):
        raise PowerRefused(f"{address} has read what is hidden in {table.id}, and can sit in for nobody there.")
    if people.standing_ban(
        conn, address, now, tournament_of(conn, table.id), tags_apart=open_games.settings.identity.tags_apart
    ):
        raise PowerRefused(say("desk.not-allowed", addresses=[address]))


def move_seat(
    open_games: OpenGames, game_id: str, faction: Faction, address: str, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Change a player's address in one game: the old one counts there no more, nor does the reply address of the old
    letters, and what is open is sent once more. AddressRefused if it cannot be; PowerRefused if nobody plays the
    faction; UnknownGame if there is no game of that name."""
    with using(open_games, game_id, "address", now, use) as used:
        require_seat(used.table, faction)
        address = checked_address(open_games, address)
        if has_read_hidden(used.conn, open_games, used.table, address):
            raise PowerRefused(f"{address} has read what is hidden in {game_id}, and can take no seat of it.")
        old = seat_addresses.move_seat(used.conn, open_games, used.table, faction, address, now)
        require_no_other_seat(used.conn, open_games, used.table, faction, address)
        used.words = f"{faction}: {old} to {address}"


def freeze_seat(
    open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE
) -> bool:
    """Replace a reply address; the player is told by a letter with the new one. Returns whether somebody sat in for
    them, which ends. PowerRefused if nobody plays the faction; UnknownGame if there is no game of that name."""
    with using(open_games, game_id, "freeze", now, use) as used:
        sat_in = bool(require_seat(used.table, faction).sitter)
        used.words = f"{faction}, sitter off" if sat_in else faction
        seat_addresses.freeze_seat(used.conn, open_games, used.table, faction, now)
        return sat_in
