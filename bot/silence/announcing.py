"""Telling a table: the same notice to everybody but those who are told otherwise, each with their own clock."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

from bot.post.another_player import another_player
from bot.post.letter_writer import LetterWriter
from bot.store.database import Connection
from bot.table.seat import Seat
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction


def announce(
    conn: Connection, writer: LetterWriter, table: Table, now: datetime, subject: str, text: Callable[[Seat], str],
    but_not: Collection[Faction] = (),
) -> None:  # fmt: skip
    """A notice to everybody at the table; ``text`` puts it for each reader."""
    for faction, seat in table.seats.items():
        if faction not in but_not:
            writer.notify(conn, table, faction, now, subject, [text(seat)])


def same(text: str) -> Callable[[Seat], str]:
    """The same words for every reader."""
    return lambda _: text


def caretaker_takes(
    conn: Connection, writer: LetterWriter, table: Table, factions: Collection[Faction], now: datetime
) -> None:  # fmt: skip
    """The caretaker has taken these seats, because their players are silent."""
    for faction in factions:
        missed = table.seats[faction].missed
        told = say("caretaker.notice", faction=faction, missed=missed)
        announce(conn, writer, table, now, say("caretaker.subject", faction=faction), same(told))
        for_game_master = say(
            "caretaker.game-master", faction=faction, game=table.id, address=table.seats[faction].address,
            another=another_player(conn, table.id, faction),
        )  # fmt: skip
        subject = f"{table.id}: {say('caretaker.subject', faction=faction)}"
        cause = f"{table.id}.{faction}.{table.seats[faction].letters}"
        writer.tell_game_master(conn, now, subject, [for_game_master], cause)


def player_is_back(conn: Connection, writer: LetterWriter, table: Table, faction: Faction, now: datetime) -> None:
    """The player has taken their seat back from the caretaker."""
    told = say("caretaker.back", faction=faction)
    announce(conn, writer, table, now, say("caretaker.back-subject", faction=faction), same(told), (faction,))
