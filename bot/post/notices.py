"""What the game master is told when something goes wrong with a mail or a game, and what the player is told."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.mail.disposition import Examined
from bot.post.letter_writer import LetterWriter
from bot.store import mail
from bot.store.database import Connection
from bot.table.seat import Seat
from bot.table.table import Table
from rules.components import faction_name

NOTICES_PER_HOUR = 20
NOTICES_OF_ONE_SENDER = 5
HOUR = timedelta(hours=1)
HELD = "The game is held until the game master has looked at it; nothing was taken. You will be told when it goes on."


def too_large(size: int, most: int) -> str:
    """What a player is told whose mail has more bytes than are read."""
    return f"Your mail has {size:,} bytes; at most {most:,} are read. Nothing was taken. Send the orders alone."


def unreadable(reason: str) -> str:
    """What a player is told whose mail is not read as it is."""
    return f"Your mail could not be read: {reason}. Nothing was taken. Send the orders alone, as plain text."


def message_rejected(
    conn: Connection, writer: LetterWriter, reason: str, seen: Examined, key: str, now: datetime
) -> None:
    """A message was put aside. Its sender is told nothing; a flood of them does not flood the game master."""
    incoming = seen.incoming
    notices = mail.notices_since(conn, writer.settings.mentat.game_master, now - HOUR)
    of_this = mail.rejected_since(conn, incoming.sender, now - HOUR) if incoming else 0
    if notices >= NOTICES_PER_HOUR or of_this >= NOTICES_OF_ONE_SENDER:
        return
    whose = "an unreadable sender"
    if incoming:
        whose = f"{incoming.sender or 'nobody'}, subject {incoming.subject[:80]!r}"
    told = [
        f"A message from {whose} was put aside: {reason}.",
        "Its sender was not answered. To have it read after all, move it back into the inbox.",
    ]
    if notices == NOTICES_PER_HOUR - 1 or of_this == NOTICES_OF_ONE_SENDER - 1:
        told.append("You will get no more notices of this kind within the hour; the folder holds them all.")
    writer.tell_game_master(conn, now, "A message was put aside", told, key)


def too_many_messages(conn: Connection, writer: LetterWriter, table: Table, seat: Seat, now: datetime) -> None:
    """Players write more often than is answered: they are told so, the first time."""
    told = [
        f"More than {writer.settings.limits.answers_per_hour} of your mails came within an hour. This one was not "
        "read, nor will others be before the hour is over; send it again then. Nothing was taken from it."
    ]
    writer.notify(conn, table, seat.faction, now, "a mail was not read", told)


def message_failed(conn: Connection, writer: LetterWriter, key: str, fault: Exception, now: datetime) -> None:
    """A message could not be processed through a fault of the program."""
    told = [
        "A message could not be processed through a fault of the program, and was put aside.",
        f"The fault: {fault!r}. Every other message goes on. The log has the details.",
        "Its sender was not answered. After the fault is mended, move the message back into the inbox.",
    ]
    writer.tell_game_master(conn, now, "A message could not be processed", told, key)


def game_failed(conn: Connection, writer: LetterWriter, game_id: str, fault: Exception, now: datetime) -> None:
    """The deadlines of a game could not be looked after through a fault of the program."""
    told = [
        f"The deadlines of {game_id} could not be looked after through a fault of the program: {fault!r}.",
        "It is tried again each time. Every other game goes on. The log has the details.",
    ]
    writer.tell_game_master(conn, now, f"{game_id} does not go on", told, f"{game_id}.{fault!r}")


def truthtrances_unanswered(conn: Connection, writer: LetterWriter, table: Table, now: datetime) -> None:
    """Silence was the answer to a Truthtrance that nobody but its player can answer: the game master may ask them."""
    news = (event for event in table.play.events if event.number >= table.events)
    for event in news:
        if event.kind == "truthtrance-answered" and event.facts["answer"] == "no answer":
            asker, target = faction_name(event.facts["faction"]), faction_name(event.facts["target"])
            told = [
                f"In {table.id} {target} let the time go by for an answer to {asker} under Truthtrance.",
                f"The question: {event.facts['question']}",
                "“No answer” was published; it binds nobody, and counts as a missed deadline.",
            ]
            writer.tell_game_master(
                conn, now, f"{table.id}: a Truthtrance without an answer", told, f"{table.id}.{event.number}"
            )


def game_held(
    conn: Connection, writer: LetterWriter, game_id: str, difference: str, installed: str, now: datetime
) -> str:
    """A game would have gone differently with the rules installed now; the sentence for the log."""
    told = f"{game_id} is held: with the rules installed now it would have gone differently."
    advice = "Roll it back, or install the rules it was played with, and start Mentat again."
    writer.tell_game_master(conn, now, f"{game_id} is held", [told, difference, advice], f"{game_id}.{installed}")
    return f"{told} {difference}"


def letter_lost(conn: Connection, writer: LetterWriter, letter: mail.Letter, why: str, now: datetime) -> None:
    """A letter was refused for good, or given up."""
    if letter.recipient == writer.settings.mentat.game_master and letter.game_id is None:
        return  # there is nobody left to tell
    told = [
        f"The mail {letter.subject!r} to {letter.recipient} could not be delivered: {why}.",
        "It is kept in the outbox; the player has not been told what it says.",
    ]
    writer.tell_game_master(conn, now, "A mail could not be delivered", told, letter.message_id)
