"""Observers: persons who are sent the public summary of each turn, and nothing that is not everybody's to know.

Some read late: their letters are written when those of others are, and kept until as many turns more have ended; what
was taken back meanwhile is dropped. Only who reads late may read in full: with what each faction held then, but for
traitors and the prediction, which stay secret until the end.

Their letters say how to end them: List-Unsubscribe (RFC 2369) with a mail address that holds a token, which mail
programs show as a button. A mail to it ends them at once, whoever sends it and whatever it says; only who has the
letter has the token. The one click of RFC 8058 would need a web server, which Mentat is not. An observer to whom mail
comes back for good is struck out.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.games.hidden_parts import hidden
from bot.games.open_games import OpenGames
from bot.mail.identity import bounce_address, find_leaving_tokens, leaving_address, message_id, reply_token
from bot.mail.mime.message import Incoming
from bot.mail.outgoing import Image, build
from bot.mail.outgoing import Letter as Mail
from bot.reports import letters
from bot.reports.given import Passed, Rendered
from bot.reports.picture import board_digest
from bot.store import addresses, bans, between_tables, mail, named_seats, withheld
from bot.store import observers as store
from bot.store.database import Connection, reading
from bot.store.observers import Observer
from bot.store.tournaments.rounds import tournament_of
from bot.store.withheld import Withheld
from bot.table.press import settings_of
from bot.table.table import Table
from bot.wording.sentences import say


class ObserverRefused(ValueError):
    """This person cannot observe this game, or does not; the message says why."""


def observe(
    conn: Connection, open_games: OpenGames, table: Table, address: str, now: datetime, delay: int = 0, *,
    full: bool = False,
) -> None:  # fmt: skip
    """Let somebody observe a game, ``delay`` turns late and ``full`` of it, and tell them so. ObserverRefused if it is
    over, they observe it already, or may not play here."""
    address = address.strip().lower()
    if table.play.over:
        raise ObserverRefused(f"{table.id} is over; `mentat game log {table.id}` shows what happened in it.")
    if any(observer.address == address for observer in store.of_game(conn, table.id)):
        raise ObserverRefused(f"{address} observes {table.id} already.")
    if between_tables.waits_for(conn, table.id, address):
        raise ObserverRefused(
            f"{address} plays in the tournament of {table.id}, and sees its other tables when the round is closed."
        )
    if bans.standing(
        conn, address, now, tournament_of(conn, table.id), tags_apart=open_games.settings.identity.tags_apart
    ):
        raise ObserverRefused(f"{address} is banned; `mentat person unban {address}` lets them in again.")
    secret = open_games.settings.secrets.secret.get_secret_value().encode()
    token = reply_token(secret, table.id, f"observer {address}", store.letters_of(conn, table.id))
    observer = Observer(table.id, address, token, table.play.state.turn - 1, 0, "", table.events, delay, full)
    store.add(conn, observer, now)
    words = say("observer.welcome", game=table.id, turn=table.play.state.turn, delay=delay, full=full)
    words += f" {say('observer.may-write')}" if settings_of(table).observers != "none" else ""
    rendered = letters.notice(None, say("observer.subject", game=table.id), [words])
    _post(conn, open_games, table, observer, rendered, now)


def leave(conn: Connection, table: Table, address: str) -> None:
    """Send somebody no more summaries of a game. ObserverRefused if they do not observe it."""
    own = [each for each in store.of_game(conn, table.id) if each.address == address.strip().lower()]
    if not own:
        raise ObserverRefused(f"{address} does not observe {table.id}.")
    store.remove(conn, own[0])


def strike_out_banned(conn: Connection, address: str, tournament_id: str) -> int:
    """Somebody may not play here any more, or in a tournament: they observe no game of it. How many they observed."""
    gone = [
        observer
        for observer in store.of_addresses(conn, addresses.known_as(conn, address))
        if tournament_id in ("", tournament_of(conn, observer.game_id))
    ]
    for observer in gone:
        store.remove(conn, observer)
    return len(gone)


def strike_out_entrant(conn: Connection, address: str) -> int:
    """Somebody has entered a tournament: they observe its tables no longer while their rounds are open. How many."""
    gone = [
        observer
        for observer in store.of_addresses(conn, addresses.known_as(conn, address))
        if between_tables.waits_for(conn, observer.game_id, observer.address)
    ]
    for observer in gone:
        store.remove(conn, observer)
    return len(gone)


def leaves(conn: Connection, open_games: OpenGames, incoming: Incoming, now: datetime) -> str:
    """End the letters of the observers whose unsubscribing address a mail was sent to; what was done, or nothing:
    then it is a mail as others are."""
    tokens = find_leaving_tokens(incoming, open_games.settings.mentat.address)
    gone = [observer for token in tokens if (observer := store.by_token(conn, token))]
    for observer in gone:
        store.remove(conn, observer)
    if gone:
        return " ".join(f"an observer of {observer.game_id} left" for observer in gone)
    of_players = any(named_seats.by_token(conn, token, now) for token in tokens)  # “unsubscribe”, writes one of them
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
    """Write to the observers of a game the summaries of the turns that have ended since they were last written to, and
    send what is due to those who read late."""
    open_games.in_game(game_id, lambda conn, table: _write_summaries(conn, open_games, table, now))


def _write_summaries(conn: Connection, open_games: OpenGames, table: Table, now: datetime) -> None:
    ended = _ended(table)
    for observer in store.of_game(conn, table.id):
        if not _may_read(conn, table, observer):
            store.remove(conn, observer)
            continue
        for turn in range(observer.turn + 1, ended + 1):
            observer = _summary(conn, open_games, table, observer, turn, now)
        for letter in withheld.take(conn, observer.token, None if table.play.over else ended):
            rendered = Rendered(letter.subject, letter.text, letter.html, picture=letter.picture)
            observer = _post(conn, open_games, table, observer, rendered, now)


def _may_read(conn: Connection, table: Table, observer: Observer) -> bool:
    """Whether an observer neither plays in the tournament while the round is open, nor, by now, in the game itself."""
    if between_tables.waits_for(conn, table.id, observer.address):
        return False
    return addresses.known_as(conn, observer.address).isdisjoint(seat.address for seat in table.seats.values())


def _ended(table: Table) -> int:
    """How many turns have ended."""
    return table.play.state.turn if table.play.over else table.play.state.turn - 1


def taken_back(conn: Connection, open_games: OpenGames, table: Table, now: datetime) -> None:
    """A game was taken back: what was withheld from its observers and has not happened is dropped, the turns that are
    played again are summed up again, and who has read of them is told."""
    ended, events = _ended(table), table.play.state.events
    for observer in store.of_game(conn, table.id):
        waits = withheld.first_covered(conn, observer.token)
        read = observer.turn if waits is None else waits - 1
        first = withheld.cut(conn, observer.token, events)
        turn = min(observer.turn, ended, observer.turn if first is None else first - 1)
        told = replace(observer, turn=turn, board="", drawn=min(observer.drawn, events))
        store.was_written(conn, told)
        if read > ended:
            subject = say("observer.taken-back-subject", game=table.id)
            rendered = letters.notice(None, subject, [say("observer.taken-back", turn=ended + 1)])
            _send(conn, open_games, table, told, rendered, now, ended + 1)


def _send(
    conn: Connection, open_games: OpenGames, table: Table, observer: Observer, rendered: Rendered, now: datetime,
    of_turn: int, covers: int = 0,
) -> Observer:  # fmt: skip
    """Post what tells of a turn; to who reads late, when as many turns more have ended. The observer after that."""
    if not observer.delay:
        return _post(conn, open_games, table, observer, rendered, now)
    store.was_written(conn, observer)
    due = max(of_turn, _ended(table)) + observer.delay
    withheld.keep(
        conn,
        Withheld(table.id, observer.token, covers, due, table.play.state.events, rendered.subject, rendered.text,
                 rendered.html, rendered.picture),
    )  # fmt: skip
    return observer


def _summary(
    conn: Connection, open_games: OpenGames, table: Table, observer: Observer, turn: int, now: datetime
) -> Observer:
    writer = open_games.writer
    position = writer.position_after(conn, table, turn, now)
    rendered, here = letters.public_summary(position), board_digest(position.view)
    if observer.full and not table.blind:
        rendered = letters.full_summary(position, hidden(conn, writer, table, turn, now))
    if observer.board != here:
        rendered = letters.with_picture(rendered, writer.since(conn, table, position, observer.drawn))
    told = replace(observer, turn=turn, board=here, drawn=table.events)
    return _send(conn, open_games, table, told, rendered, now, turn, turn)


def pass_on(conn: Connection, open_games: OpenGames, table: Table, passed: Passed, now: datetime) -> None:
    """What a player wrote to all and signed, to the observers of a game."""
    rendered = letters.press(open_games.writer.position(table, "public", now, ()), passed)
    for observer in store.of_game(conn, table.id):
        if _may_read(conn, table, observer):
            _send(conn, open_games, table, observer, rendered, now, table.play.state.turn)


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
            sender=open_games.settings.sender, sender_name=mentat.name,
            reply_to=mentat.game_master if settings_of(table).observers != "none" else "",
            message_id=identity, date=now, game=table.id,
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
