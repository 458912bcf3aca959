"""What a game master does for one seat: a reminder now, more or less in its time bank, nothing counted against it, the
caretaker.

The others are told what they would see anyway: that the caretaker plays or has left. Nobody is told why.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, Used, using
from bot.games.open_games import OpenGames
from bot.post.clock_notices import own_words
from bot.store import games
from bot.table.advance import go_on
from bot.table.rounds import takes_no_time
from bot.table.seat import Seat
from bot.table.table import Table, TableBefore
from bot.wording.filters import span
from bot.wording.sentences import say
from rules.components import Faction, faction_name

HOUR = timedelta(hours=1)
MOST_BANK = timedelta(days=60)


def remind(open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Send a seat its reminder now. Where it owes nothing no letter goes out; who asked is not told, not even by a dry
    run, as that would show whether an answer under seal exists. PowerRefused if nobody plays that faction."""
    with using(open_games, game_id, "remind", now, use) as used:
        table = used.table
        seat_of(table, faction)
        used.words = faction
        owes = (q.faction == faction and not takes_no_time(table, q) and not q.blanket for q in table.play.questions())
        if any(owes) and not use.dry_run:
            open_games.writer.remind(used.conn, [(table, faction)], now)


def bank(
    open_games: OpenGames, game_id: str, faction: Faction, hours: float, now: datetime, use: Use = AT_THE_MACHINE
) -> int:
    """Add hours to the time bank of a seat, or take them off; the minutes that it holds then. A bank is never less
    than empty. PowerRefused if nobody plays that faction, or it would hold more than sixty days."""
    with using(open_games, game_id, "bank", now, use) as used:
        seat = seat_of(used.table, faction)
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


def excuse(open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Count nothing against a seat that it has missed so far. PowerRefused if nobody plays that faction."""
    with using(open_games, game_id, "excuse", now, use) as used:
        seat = seat_of(used.table, faction)
        used.words, seat.missed = faction, 0
        used.table.touched.add(faction)
        _write(open_games, used, faction, now, say("desk.excused-subject"), say("desk.excused"))


def caretaker(
    open_games: OpenGames, game_id: str, faction: Faction, on: bool, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Let the caretaker play for a seat from now on, or leave it. PowerRefused if it is so already, or if nobody plays
    that faction."""
    with using(open_games, game_id, "caretaker", now, use) as used:
        conn, table = used.conn, used.table
        seat = seat_of(table, faction)
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


def seat_of(table: Table, faction: Faction) -> Seat:
    """The seat of a faction. PowerRefused if nobody plays it."""
    try:
        return table.seats[faction]
    except KeyError:
        played = ", ".join(table.seats)
        raise PowerRefused(f"{faction_name(faction)} is not played in {table.id}; there are {played}.") from None


def _write(open_games: OpenGames, used: Used, faction: Faction, now: datetime, subject: str, told: str) -> None:
    paragraphs = [told, *own_words(used.use.tell)]
    open_games.writer.notify(used.conn, used.table, faction, now, subject, paragraphs)
