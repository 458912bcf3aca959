"""What the game master is told when something goes wrong with a mail or a game, and what the player is told: the
sentences of ``templates/letters/notices.toml``."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.mail.disposition import Examined
from bot.post.letter_writer import LetterWriter
from bot.store import mail
from bot.store.database import Connection
from bot.table.seat import Seat
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction

NOTICES_PER_HOUR = 20
NOTICES_OF_ONE_SENDER = 5
HOUR = timedelta(hours=1)


def message_rejected(
    conn: Connection, writer: LetterWriter, reason: str, seen: Examined, key: str, number: int, now: datetime
) -> None:
    """A message was put aside. ``number`` is that under which the game master can vouch for it and have it read; 0
    where they cannot. Its sender is told nothing; a flood of them does not flood the game master."""
    incoming = seen.incoming
    notices = mail.notices_since(conn, writer.settings.mentat.game_master, now - HOUR)
    of_this = mail.rejected_since(conn, incoming.sender, now - HOUR) - 1 if incoming else 0  # it is kept already
    if notices >= NOTICES_PER_HOUR or of_this >= NOTICES_OF_ONE_SENDER:
        return
    told = [say("put-aside.game-master", whose=_whose(seen), reason=reason), say("put-aside.not-answered")]
    told += [say("put-aside.believe", number=number)] if number else []
    if reason == mail.OF_NOBODY and incoming and incoming.sender and not number:
        told.append(say("put-aside.stranger", sender=incoming.sender))
    else:
        told.append(say("put-aside.advice"))
    if notices == NOTICES_PER_HOUR - 1 or of_this == NOTICES_OF_ONE_SENDER - 1:
        told.append(say("put-aside.last"))
    writer.tell_game_master(conn, now, say("put-aside.subject"), told, key)


def read_again(
    conn: Connection, writer: LetterWriter, game_id: str, faction: Faction, taken: int, seen: Examined, key: str,
    now: datetime,
) -> None:  # fmt: skip
    """A message that was put aside was moved back into the inbox, and was read this time; so many of its lines were
    taken."""
    told = say("put-aside.read-again", whose=_whose(seen), game=game_id, faction=faction, taken=taken)
    writer.tell_game_master(conn, now, say("put-aside.read-again-subject"), [told], f"again.{key}")


def _whose(seen: Examined) -> str:
    incoming = seen.incoming
    if incoming is None:
        return say("put-aside.unreadable-sender")
    return say("put-aside.whose", sender=incoming.sender, about=incoming.subject[:80])


def too_many_messages(conn: Connection, writer: LetterWriter, table: Table, seat: Seat, now: datetime) -> None:
    """Players write more often than is answered: they are told so, the first time."""
    told = [say("too-many-mails.notice", most=writer.settings.limits.answers_per_hour)]
    writer.notify(conn, table, seat.faction, now, say("too-many-mails.subject"), told)


def message_failed(conn: Connection, writer: LetterWriter, key: str, fault: Exception, now: datetime) -> None:
    """A message could not be processed through a fault of the program."""
    told = [
        say("message-fault.game-master"),
        say("message-fault.fault", fault=repr(fault)),
        say("message-fault.advice"),
    ]
    writer.tell_game_master(conn, now, say("message-fault.subject"), told, key)


def game_failed(conn: Connection, writer: LetterWriter, game_id: str, fault: Exception, now: datetime) -> None:
    """The deadlines of a game could not be looked after through a fault of the program."""
    told = [say("game-fault.game-master", game=game_id, fault=repr(fault)), say("game-fault.advice")]
    writer.tell_game_master(conn, now, say("game-fault.subject", game=game_id), told, f"{game_id}.{fault!r}")


def truthtrances_unanswered(conn: Connection, writer: LetterWriter, table: Table, now: datetime) -> None:
    """Silence was the answer to a Truthtrance that nobody but its player can answer: the game master may ask them."""
    news = (event for event in table.play.events if event.number >= table.events)
    for event in news:
        if event.kind == "truthtrance-answered" and event.facts["answer"] == "no answer":
            asker, target = event.facts["faction"], event.facts["target"]
            told = [
                say("truthtrance-silence.game-master", game=table.id, target=target, asker=asker),
                say("truthtrance-silence.question", question=event.facts["question"]),
                say("truthtrance-silence.advice"),
            ]
            subject = say("truthtrance-silence.subject", game=table.id)
            writer.tell_game_master(conn, now, subject, told, f"{table.id}.{event.number}")


def game_held(
    conn: Connection, writer: LetterWriter, game_id: str, difference: str, installed: str, now: datetime
) -> str:
    """A game would have gone differently with the rules installed now; the sentence for the log, where
    what differs does not belong: it may be a secret."""
    told, advice = say("held-game.game-master", game=game_id), say("held-game.advice")
    subject = say("held-game.subject", game=game_id)
    writer.tell_game_master(conn, now, subject, [told, difference, advice], f"{game_id}.{installed}")
    return told


def letter_lost(conn: Connection, writer: LetterWriter, letter: mail.Letter, why: str, now: datetime) -> None:
    """A letter was refused for good, or given up."""
    mentat = writer.settings.mentat
    if letter.recipient in (mentat.game_master, mentat.address) and letter.game_id is None:
        return  # there is nobody left to tell; of a mail to itself that was not taken the canary tells
    told = [
        say("lost-letter.game-master", about=letter.subject, address=letter.recipient, why=why),
        say("lost-letter.advice"),
    ]
    writer.tell_game_master(conn, now, say("lost-letter.subject"), told, letter.message_id)


def forum_fails(conn: Connection, writer: LetterWriter, forum: str, why: str, since: datetime, now: datetime) -> None:
    """A forum does not work."""
    told = [say("forum-fails.game-master", forum=forum, why=why), say("forum-fails.costs-nobody", forum=forum)]
    writer.tell_game_master(
        conn, now, say("forum-fails.subject", forum=forum), told, f"forum.{forum}.{since.isoformat()}"
    )
