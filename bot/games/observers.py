"""Observers: persons who are sent the public summary of each turn, and nothing that is not everybody's to know.

Their letters say how to end them: List-Unsubscribe (RFC 2369) with a mail address that holds a token, which mail
programs show as a button. A mail to it ends them at once, whoever sends it and whatever it says; only who has the
letter has the token. The one click of RFC 8058 would need a web server, which Mentat is not. An observer to whom mail
comes back for good is struck out.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.games.open_games import OpenGames
from bot.mail.identity import bounce_address, find_leaving_tokens, leaving_address, message_id, reply_token
from bot.mail.mime.message import Incoming
from bot.mail.outgoing import Image, build
from bot.mail.outgoing import Letter as Mail
from bot.reports import letters
from bot.reports.given import Rendered
from bot.reports.picture import shown
from bot.store import between_tables, games, mail
from bot.store import observers as store
from bot.store.database import Connection, reading
from bot.store.observers import Observer
from bot.table.table import Table
from bot.wording.sentences import say


class ObserverRefused(ValueError):
    """This person cannot observe this game, or does not; the message says why."""


def observe(open_games: OpenGames, game_id: str, address: str, now: datetime) -> None:
    """Let somebody observe a game, and tell them so. ObserverRefused if it is over, they play in it, or they observe it
    already; UnknownGame if there is none of that name."""
    address = address.strip().lower()
    with open_games.transaction(game_id) as (conn, table):
        if table.play.over:
            raise ObserverRefused(f"{game_id} is over; `mentat game log {game_id}` shows what happened in it.")
        if any(seat.address == address for seat in table.seats.values()):
            raise ObserverRefused(f"{address} plays in {game_id} and gets the summaries anyway.")
        if any(observer.address == address for observer in store.of_game(conn, game_id)):
            raise ObserverRefused(f"{address} observes {game_id} already.")
        if between_tables.waits_for(conn, game_id, address):
            raise ObserverRefused(
                f"{address} plays in the tournament of {game_id}, and sees its other tables when the round is closed."
            )
        secret = open_games.settings.secrets.secret.get_secret_value().encode()
        token = reply_token(secret, game_id, f"observer {address}", store.letters_of(conn, game_id))
        observer = Observer(game_id, address, token, table.play.state.turn - 1, drawn=table.events)
        store.add(conn, observer, now)
        words = say("observer.welcome", game=game_id, turn=table.play.state.turn)
        rendered = letters.notice(None, say("observer.subject", game=game_id), [words])
        _post(conn, open_games, table, observer, rendered, now)


def leave(open_games: OpenGames, game_id: str, address: str) -> None:
    """Send somebody no more summaries of a game. ObserverRefused if they do not observe it; UnknownGame if there is
    none of that name."""
    with open_games.transaction(game_id) as (conn, _):
        own = [each for each in store.of_game(conn, game_id) if each.address == address.strip().lower()]
        if not own:
            raise ObserverRefused(f"{address} does not observe {game_id}.")
        store.remove(conn, own[0])


def leaves(conn: Connection, open_games: OpenGames, incoming: Incoming, now: datetime) -> str:
    """End the letters of the observers whose unsubscribing address a mail was sent to; what was done, or nothing:
    then it is a mail as others are."""
    tokens = find_leaving_tokens(incoming, open_games.settings.mentat.address)
    gone = [observer for token in tokens if (observer := store.by_token(conn, token))]
    for observer in gone:
        store.remove(conn, observer)
    if gone:
        return " ".join(f"an observer of {observer.game_id} left" for observer in gone)
    of_players = any(games.seat_by_token(conn, token, now) for token in tokens)  # “unsubscribe”, writes one of them
    return "it ends letters that have ended already" if tokens and not of_players else ""


def lost(conn: Connection, open_games: OpenGames, token: str, report: str, now: datetime) -> bool:
    """A letter to an observer came back for good: strike them out, and tell the game master. Whether there is one with
    this token."""
    observer = store.by_token(conn, token)
    if observer is None:
        return False
    store.remove(conn, observer)
    facts = {"game": observer.game_id, "address": observer.address, "report": report}
    told = [say("observer-unreachable.game-master", **facts)]
    subject = say("observer-unreachable.subject", **facts)
    open_games.writer.tell_game_master(conn, now, subject, told, f"observer.{token}.{observer.letters}")
    return True


def games_to_summarise(open_games: OpenGames) -> list[str]:
    """The games with observers who have not been written to since a turn ended."""
    with reading(open_games.engine) as conn:
        return store.to_write(conn)


def write_summaries(open_games: OpenGames, game_id: str, now: datetime) -> None:
    """Write to the observers of a game the summaries of the turns that have ended since they were last written to."""
    with open_games.transaction(game_id) as (conn, table):
        ended = table.play.state.turn if table.play.over else table.play.state.turn - 1
        for observer in store.of_game(conn, game_id):
            for turn in range(observer.turn + 1, ended + 1):
                observer = _summary(conn, open_games, table, observer, turn, now)


def _summary(
    conn: Connection, open_games: OpenGames, table: Table, observer: Observer, turn: int, now: datetime
) -> Observer:
    writer = open_games.writer
    position = writer.position_after(conn, table, turn, now)
    rendered, here = letters.public_summary(position), shown(position.view)
    if observer.board != here:
        rendered = letters.with_picture(rendered, writer.since(conn, table, position, observer.drawn))
    told = replace(observer, turn=turn, board=here, drawn=table.events)
    return _post(conn, open_games, table, told, rendered, now)


def _post(
    conn: Connection, open_games: OpenGames, table: Table, observer: Observer, rendered: Rendered, now: datetime
) -> Observer:  # fmt: skip
    """Put a letter to an observer into the outbox; the observer as it stands after that."""
    mentat = open_games.settings.mentat
    identity = _message_id(open_games, observer, observer.letters)
    thread = [_message_id(open_games, observer, number) for number in sorted({0, observer.letters - 1}) if number >= 0]
    earlier = [each for each in thread if each != identity]
    content = build(
        Mail(
            to=observer.address, subject=rendered.subject, text=rendered.text, html=rendered.html,
            sender=open_games.settings.sender, sender_name=mentat.name, message_id=identity, date=now, game=table.id,
            in_reply_to=earlier[-1] if earlier else "", references=earlier,
            images=(Image("board", rendered.picture, "board.png"),) if rendered.picture else (),
            unsubscribe=leaving_address(mentat.address, observer.token, mentat.plus_addressing),
        )
    )  # fmt: skip
    came_from = bounce_address(mentat.address, observer.token) if mentat.plus_addressing else mentat.address
    mail.post(conn, [mail.Letter(identity, came_from, observer.address, rendered.subject, content, table.id)], now)
    store.was_sent(conn, observer)
    return replace(observer, letters=observer.letters + 1)


def _message_id(open_games: OpenGames, observer: Observer, number: int) -> str:
    return message_id(f"{observer.game_id}.observer.{number}", observer.token, open_games.settings.mentat.address)
