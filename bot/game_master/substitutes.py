"""Substitutes: another person takes a seat in the middle of a game, with all that the seat knows and nothing else.

The reply token is made anew, so mail to the address in the old letters is nobody's. What the player before them had
prepared (held orders, the sheet, absences) is withdrawn; what the seat has promised stands.
"""

from __future__ import annotations

from datetime import datetime

from bot.games.open_games import OpenGames
from bot.identity.reply_address import renew
from bot.reports.archive import told_of_archive
from bot.silence.announcing import announce, same
from bot.store import absences, acts, addresses, deadlines, games, overruns, pseudonyms
from bot.store.database import Connection
from bot.table.own_sheet import withdraw
from bot.table.rounds import is_duty
from bot.table.seat import Seat
from bot.table.table import Table, place_of
from bot.table.unreachable import mail_reaches
from bot.wording.sentences import say
from rules import views
from rules.components import Faction, faction_name
from rules.components.chance import commitment


class SeatRefused(ValueError):
    """This person cannot take this seat; the message says why and what would do."""


def replace(open_games: OpenGames, game_id: str, faction: Faction, address: str, now: datetime, name: str = "") -> Seat:
    """Give a seat to somebody else, tell everybody, and brief them. SeatRefused if they cannot take it; UnknownGame if
    there is no game of that name."""
    with open_games.transaction(game_id) as (conn, table):
        return take_seat(conn, open_games, table, faction, address, now, name)


def take_seat(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, now: datetime,
    name: str = "",
) -> Seat:  # fmt: skip
    """The same in a transaction that goes on, and that closes the table at its end."""
    address = address.strip().lower()
    _require_free(conn, table, faction, address)
    seat = table.seats[faction]
    old = seat.address
    subject, told = say("substitute.left-subject"), say("substitute.left", faction=faction)
    open_games.writer.farewell(conn, table, faction, now, subject, [told])
    _clear(conn, table, faction)
    renew(conn, open_games.settings, table, faction)
    seat.address, seat.name = addresses.in_use(conn, address), name.strip() or address.partition("@")[0]
    seat.timezone, seat.waking, seat.pictures = open_games.settings.mentat.timezone.key, "", ""
    seat.letters_mode, seat.digest_due = "all", None
    seat.extended = seat.away = seat.missed = 0
    seat.care = False
    mail_reaches(table, faction)
    seat.waited = seat.fruitless = 0
    seat.last_message_id, seat.warned_at = "", None
    table.touched.add(faction)
    pseudonyms.sits_down(conn, table.id, faction, seat.address)
    clock = open_games.clock(table)
    games.save(conn, table, now, clock)
    for question in table.play.asked():
        if question.faction == faction and is_duty(table, question):
            place = place_of(table.play, question)
            deadlines.postpone(conn, table, [place], clock.due_again(question, now))
    acts.done(conn, table, "replace", f"{faction}: {old} by {address}", now)
    notice = say("substitute.notice", faction=faction, player=seat.name)
    announce(conn, open_games.writer, table, now, say("substitute.subject"), same(notice), (faction,))
    _brief(conn, open_games, table, faction, now)
    return seat


def _require_free(conn: Connection, table: Table, faction: Faction, address: str) -> None:
    if table.play.over:
        raise SeatRefused(say("substitute.over", game=table.id))
    if faction not in table.seats:
        named = ", ".join(table.seats)
        raise SeatRefused(f"{faction_name(faction)} is not played in {table.id}; there are {named}.")
    known = addresses.known_as(conn, address)
    for seat in table.seats.values():
        if seat.address in known and seat.faction == faction:
            raise SeatRefused(say("substitute.same", address=address, faction=faction))
        if seat.address in known:
            raise SeatRefused(say("substitute.elsewhere", address=address, other=seat.faction))


def _clear(conn: Connection, table: Table, faction: Faction) -> None:
    """Withdraw what the player before had prepared."""
    table.play.withdraw(faction)
    withdraw(table, faction)
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
            paragraphs.append(say("substitute.deal", turn=deal["turn"], others=others, text=deal["text"]))
    if view["truths"]:
        paragraphs.append(say("substitute.truths", truths=view["truths"]))
    paragraphs.append(say("substitute.history"))
    paragraphs.append(say("setup.commitment", commitment=commitment(table.seed)))
    paragraphs += told_of_archive(table.policy, pseudonyms.name_at(conn, table.id, faction))
    happened = [event for number in (turn - 1, turn) for event in games.events_of_turn(conn, table.id, number)]
    subject = say("substitute.subject-briefing", game=table.id, faction=faction)
    open_games.writer.brief(conn, table, faction, now, happened, subject, paragraphs)
