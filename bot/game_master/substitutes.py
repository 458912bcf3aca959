"""Substitutes: another person takes a seat in the middle of a game, with all that the seat knows and nothing else.

The reply token is made anew, so mail to the address in the old letters is nobody's. What the player before them had
prepared (held orders, the sheet, absences, press held for a second thought) is withdrawn; what the seat has promised
stands.
"""

from __future__ import annotations

from datetime import datetime

from bot.game_master.new_game import given_name
from bot.game_master.observing import has_read_what_is_hidden
from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, require_no_other_table, using
from bot.game_master.rights import checked
from bot.game_master.two_seats import require_no_other
from bot.games.open_games import OpenGames
from bot.identity.persons import seat_of, sits_at
from bot.identity.reply_address import renew
from bot.reports.archive import told_of_archive
from bot.silence.announcing import announce, same
from bot.store import absences, acts, addresses, bans, deadlines, games, held_lines, overruns, press, pseudonyms
from bot.store.act_log import Act
from bot.store.database import Connection
from bot.store.tournaments.rounds import tournament_of
from bot.table.own_sheet import withdraw
from bot.table.press import names_hidden, note_said, said_at, settings_of
from bot.table.rounds import is_duty
from bot.table.seat import Seat
from bot.table.table import Table, place_of
from bot.table.unreachable import mail_reaches
from bot.wording.sentences import say
from rules import views
from rules.components import Faction, faction_name
from rules.components.chance import commitment


class SeatRefused(PowerRefused):
    """This person cannot take this seat; the message says why and what would do."""


def replace(
    open_games: OpenGames, game_id: str, faction: Faction, address: str, now: datetime, name: str = "",
    use: Use = AT_THE_MACHINE, *, tags_apart: bool = False,
) -> Seat:  # fmt: skip
    """Give a seat to somebody else, tell everybody, and brief them. ``tags_apart``: another address of a mailbox that
    plays already will do, to try things out. SeatRefused if they cannot take it; UnknownGame if there is no game of
    that name."""
    with using(open_games, game_id, "replace", now, use) as used:
        address = checked(open_games, address)
        require_no_other_table(used.conn, used.table, address)
        require_free(used.conn, open_games, used.table, faction, address, tags_apart=tags_apart)
        used.words = changed_hands(used.table, faction, address)
        return _take(used.conn, open_games, used.table, faction, address, now, name)


def take_seat(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, now: datetime,
    name: str = "",
) -> Seat:  # fmt: skip
    """Give a seat to somebody else (``replace``) where a tournament says so, in a transaction that goes on and closes
    the table at its end."""
    require_free(conn, open_games, table, faction, address.strip().lower())
    acts.add(conn, table, Act(now, "replace", words=changed_hands(table, faction, address)))
    return _take(conn, open_games, table, faction, address, now, name)


def changed_hands(table: Table, faction: Faction, address: str) -> str:
    """What the act log says of a seat that gets another address."""
    return f"{faction}: {table.seats[faction].address} by {address.strip().lower()}"


def _take(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, now: datetime, name: str
) -> Seat:
    address = address.strip().lower()
    seat = table.seats[faction]
    subject, told = say("substitute.left-subject"), say("substitute.left", faction=faction)
    open_games.writer.farewell(conn, table, faction, now, subject, [told])
    _clear(conn, table, faction)
    renew(conn, open_games.settings, table, faction)
    seat.address, seat.name = addresses.in_use(conn, address), given_name(open_games.settings, name)
    seat.name = seat.name or address.partition("@")[0]
    seat.timezone, seat.waking, seat.pictures = open_games.settings.mentat.timezone.key, "", ""
    seat.letters_mode, seat.digest_due = "all", None
    seat.extended = seat.away = seat.missed = 0
    seat.care = False
    mail_reaches(table, faction)
    seat.waited = seat.fruitless = 0
    seat.last_message_id, seat.warned_at = "", None
    seat.asked_by_desk = seat.warned = ""
    table.touched.add(faction)
    pseudonyms.sits_down(conn, table.id, faction, seat.address)
    note_said(table, said_at(table).with_false_readers(faction, agreed=False))  # whoever comes has agreed to nothing
    clock = open_games.clock(table)
    games.save(conn, table, now, clock)
    for question in table.play.asked():
        if question.faction == faction and is_duty(table, question):
            place = place_of(table.play, question)
            deadlines.postpone(conn, table, [place], clock.due_again(question, now))
    notice = say("substitute.notice", faction=faction, player="" if names_hidden(table) else seat.name)
    announce(conn, open_games.writer, table, now, say("substitute.subject"), same(notice), (faction,))
    _brief(conn, open_games, table, faction, now)
    return seat


def require_free(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, *, tags_apart: bool = False
) -> None:  # fmt: skip
    """SeatRefused if this address cannot take a seat of the table."""
    if table.play.over:
        raise SeatRefused(say("substitute.over", game=table.id))
    if faction not in table.seats:
        named = ", ".join(table.seats)
        raise SeatRefused(f"{faction_name(faction)} is not played in {table.id}; there are {named}.")
    seat = seat_of(conn, open_games.settings, table.seats.values(), address, tags_apart=tags_apart)
    if seat is not None and seat.faction == faction:
        raise SeatRefused(say("substitute.same", address=address, faction=faction))
    if seat is not None:
        raise SeatRefused(say("substitute.elsewhere", address=address, other=seat.faction))
    sat_in_for = sits_at(conn, open_games.settings, table.seats.values(), address)
    if sat_in_for is not None and sat_in_for.faction != faction:
        raise SeatRefused(say("substitute.sits-in", address=address, other=sat_in_for.faction))
    require_no_other(conn, open_games, table, faction, address, tags_apart=tags_apart)
    if has_read_what_is_hidden(conn, open_games, table, address):
        raise SeatRefused(f"{address} has read what is hidden in {table.id}, and can take no seat of it.")
    if bans.standing(
        conn, address, table.now, tournament_of(conn, table.id), tags_apart=open_games.settings.identity.tags_apart
    ):
        raise SeatRefused(say("desk.not-allowed", addresses=[address]))


def _clear(conn: Connection, table: Table, faction: Faction) -> None:
    """Withdraw what the player before had prepared."""
    table.play.withdraw(faction)
    withdraw(table, faction)
    press.withdraw(conn, table.id, faction)
    held_lines.drop(conn, table.id, [faction])
    absences.remove(conn, table, faction, list(table.absences.get(faction, ())))
    overruns.drop(conn, table, [place for place in table.overruns if place[1][0] == faction])


def _brief(conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime) -> None:
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
    paragraphs += told_of_archive(table.policy, pseudonyms.name_at(conn, table.id, faction), press=archived)
    happened = [event for number in (turn - 1, turn) for event in games.events_of_turn(conn, table.id, number)]
    subject = say("substitute.subject-briefing", game=table.id, faction=faction)
    open_games.writer.brief(conn, table, faction, now, happened, subject, paragraphs)
