"""What players ask for by mail about time and their seats: absent, extend, waking, timezone, letters, resign."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.clock.settings import GameClock
from bot.orders.commands import Absent, Extend, Letters, LettersMode, MailCommand, NoAbsence, Resign, TimeZone, Waking
from bot.post.another_player import another_player
from bot.post.answered import Answered
from bot.post.letter_writer import LetterWriter
from bot.reports.times import moment
from bot.silence.absence import file_absence, take_back
from bot.silence.announcing import announce, same
from bot.silence.bank import awake_hours
from bot.silence.extension import extend
from bot.store import games
from bot.store.database import Connection
from bot.table.advance import go_on
from bot.table.letters_wanted import next_digest
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction


def answer_request(
    conn: Connection, writer: LetterWriter, table: Table, faction: Faction, command: MailCommand, now: datetime, clock:
    GameClock
) -> Answered | None:  # fmt: skip
    """Carry out a request; None if the command is no such request."""
    match command:
        case Absent():
            return file_absence(conn, writer, table, faction, command, now, clock)
        case NoAbsence():
            return take_back(conn, writer, table, faction, now)
        case Extend(hours):
            return extend(conn, writer, table, faction, hours, now, clock)
        case Waking(hours):
            return _wakes(writer, table, faction, hours)
        case Letters(mode):
            return _wants(table, faction, mode, now)
        case TimeZone(zone):
            return _lives_in(table, faction, zone)
        case Resign():
            return _resigns(conn, writer, table, faction, now, clock)
    return None


def _wakes(writer: LetterWriter, table: Table, faction: Faction, hours: str) -> Answered:
    seat = table.seats[faction]
    seat.waking = hours
    table.touched.add(faction)
    bank = writer.settings.clock.bank_hours
    return Answered("done", say("waking.hours", hours=awake_hours(hours), zone=seat.timezone, bank=bank))


def _wants(table: Table, faction: Faction, mode: LettersMode, now: datetime) -> Answered:
    seat = table.seats[faction]
    seat.letters_mode, seat.digest_due = mode, None
    table.touched.add(faction)
    until = moment(next_digest(seat, now), ZoneInfo(seat.timezone)) if mode == "daily" else ""
    return Answered("done", say(f"letters.{mode}", at=until))


def _lives_in(table: Table, faction: Faction, zone: str) -> Answered:
    table.seats[faction].timezone = zone
    table.touched.add(faction)
    return Answered("done", say("waking.zone", zone=zone))


def _resigns(
    conn: Connection, writer: LetterWriter, table: Table, faction: Faction, now: datetime, clock: GameClock
) -> Answered:  # fmt: skip
    """The game master finds somebody else; where the settings say so, the caretaker plays until then."""
    seat = table.seats[faction]
    another = another_player(conn, table.id, faction)
    told = say("resignation.game-master", faction=faction, game=table.id, address=seat.address, another=another)
    if seat.care:
        return Answered("done", say("resignation.caretaker"), for_game_master=told)
    if not writer.settings.clock.caretaker_on_resignation:
        return Answered("done", say("resignation.taken"), for_game_master=told)
    seat.care = True
    table.touched.add(faction)
    notice = say("caretaker.resigned", faction=faction)
    announce(conn, writer, table, now, say("caretaker.subject", faction=faction), same(notice), (faction,))
    go_on(table, now)
    games.save(conn, table, now, clock)
    return Answered("done", say("resignation.caretaker"), for_game_master=told)
