"""Observers: people who get the public summary of each turn, and nothing else, unless they read late and in full.

Some observers read with a delay of several turns. Their letters are written at the same time as other observers'
letters, and kept until that many turns have ended; letters about turns that are rolled back in the meantime are
dropped. Only late readers may read in full, which adds what each faction held in that turn. Traitors and the prediction
stay secret even from them until the game is over.

Each letter says how to unsubscribe: List-Unsubscribe (RFC 2369) names a mail address with a token, and mail programs
show a button for it. A mail to this address ends the letters at once, whoever sends it and whatever it says, because
only the reader of a letter has the token. The one-click method of RFC 8058 would need a web server, and Mentat has
none. Mentat removes an observer whose letters bounce for good.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from msgspec import structs

from bot.games.letter_writer import LetterWriter, Matter
from bot.games.open_games import OpenGames, Session
from bot.mail.identity import bounce_address, find_leaving_tokens, leaving_address, message_id, reply_token
from bot.mail.message import Incoming
from bot.mail.outgoing import Image, build_letter
from bot.mail.outgoing import Letter as Mail
from bot.render import letters
from bot.render.material import News, Position, PressReceived, Rendering
from bot.render.picture import board_digest
from bot.store import games, mail, people, press, publication
from bot.store import press as store
from bot.store.database import Connection, reading
from bot.store.press import Observer, WithheldLetter
from bot.store.tournament_rounds import tournament_of
from bot.table.press import settings_of
from bot.table.table import Table
from bot.wording import say
from rules.components import Faction
from rules.state.events import Event


class ObserverRefused(ValueError):
    """Raised if a person is not allowed to observe the game, or does not observe it; the message says why."""


def observe(session: Session, table: Table, address: str, delay: int = 0, *, full: bool = False) -> None:
    """Let a person observe a game, ``delay`` turns late, and tell them so. With ``full`` they get the full reports.
    Raise ObserverRefused if the game is over, if the person already observes it, or if they are not allowed to."""
    address = address.strip().lower()
    if table.play.over:
        raise ObserverRefused(f"{table.id} is over; `mentat game log {table.id}` shows what happened in it.")
    if any(observer.address == address for observer in store.observers_of_game(session.conn, table.id)):
        raise ObserverRefused(f"{address} already observes {table.id}.")
    if publication.waits_for_round(session.conn, table.id, address):
        raise ObserverRefused(
            f"{address} plays in the tournament of {table.id}, and sees its other tables only when the round is closed."
        )
    if people.standing_ban(
        session.conn,
        address,
        session.now,
        tournament_of(session.conn, table.id),
        tags_apart=session.settings.identity.tags_apart,
    ):
        raise ObserverRefused(f"{address} is banned; `mentat person unban {address}` lets them in again.")
    token = reply_token(
        session.settings.key, table.id, f"observer {address}", store.count_letters_to_observers(session.conn, table.id)
    )
    observer = Observer(table.id, address, token, table.play.state.turn - 1, 0, "", table.events, delay, full)
    store.add_observer(session.conn, observer, session.now)
    words = say("observer.welcome", game=table.id, turn=table.play.state.turn, delay=delay, full=full)
    words += f" {say('observer.may-write')}" if settings_of(table).observers != "none" else ""
    rendered = letters.notice(None, say("observer.subject", game=table.id), [words])
    _post(session, table, observer, rendered)


def stop_observing(conn: Connection, table: Table, address: str) -> None:
    own = [each for each in store.observers_of_game(conn, table.id) if each.address == address.strip().lower()]
    if not own:
        raise ObserverRefused(f"{address} does not observe {table.id}.")
    store.remove_observer(conn, own[0])


def strike_out_banned(conn: Connection, address: str, tournament_id: str) -> int:
    gone = [
        observer
        for observer in store.observed_by(conn, people.known_as(conn, address))
        if tournament_id in ("", tournament_of(conn, observer.game_id))
    ]
    for observer in gone:
        store.remove_observer(conn, observer)
    return len(gone)


def strike_out_entrant(conn: Connection, address: str) -> int:
    gone = [
        observer
        for observer in store.observed_by(conn, people.known_as(conn, address))
        if publication.waits_for_round(conn, observer.game_id, observer.address)
    ]
    for observer in gone:
        store.remove_observer(conn, observer)
    return len(gone)


def unsubscribe(session: Session, incoming: Incoming) -> str:
    """If the mail was sent to the unsubscribe address of observers, end their letters and return what was done. Return
    "" if the mail must be treated like any other."""
    tokens = find_leaving_tokens(incoming, session.settings.mentat.address)
    gone = [observer for token in tokens if (observer := store.observer_by_token(session.conn, token))]
    for observer in gone:
        store.remove_observer(session.conn, observer)
    if gone:
        return " ".join(f"an observer of {observer.game_id} left" for observer in gone)
    of_players = any(
        people.seat_by_token(session.conn, token, session.now) for token in tokens
    )  # an observer writes “unsubscribe”
    return "the letters had already ended" if tokens and not of_players else ""


def strike_out_unreachable(session: Session, token: str, report: str) -> bool:
    """Remove the observer with this token, because a letter to them bounced for good, and tell the game master. Return
    False if no observer has the token."""
    observer = store.observer_by_token(session.conn, token)
    if observer is None:
        return False
    store.remove_observer(session.conn, observer)
    facts = {"game": observer.game_id, "address": observer.address, "report": report}
    told = [say("observer-unreachable.game-master", **facts)]
    subject = say("observer-unreachable.subject", **facts)
    lines, cause = (f"observe {observer.address}",), f"observer.{token}.{observer.letters}"
    session.writer.tell_master_of(Matter(observer.game_id, "", subject, told, lines, cause))
    return True


def games_to_summarise(open_games: OpenGames) -> list[str]:
    with reading(open_games.engine) as conn:
        return store.games_to_summarise(conn)


def write_summaries(open_games: OpenGames, game_id: str, now: datetime) -> None:
    open_games.in_game(game_id, lambda conn, table: _write_summaries(Session(conn, open_games, now), table))


def _write_summaries(session: Session, table: Table) -> None:
    ended = _ended(table)
    for observer in store.observers_of_game(session.conn, table.id):
        if not _may_read(session.conn, table, observer):
            store.remove_observer(session.conn, observer)
            continue
        for turn in range(observer.turn + 1, ended + 1):
            observer = _summary(session, table, observer, turn)
        for letter in press.take_withheld_letters(session.conn, observer.token, None if table.play.over else ended):
            rendered = Rendering(letter.subject, letter.text, letter.html, picture=letter.picture)
            observer = _post(session, table, observer, rendered)


def _may_read(conn: Connection, table: Table, observer: Observer) -> bool:
    if publication.waits_for_round(conn, table.id, observer.address):
        return False
    return people.known_as(conn, observer.address).isdisjoint(seat.address for seat in table.seats.values())


def _ended(table: Table) -> int:
    return table.play.state.turn if table.play.over else table.play.state.turn - 1


def follow_rollback(session: Session, table: Table) -> None:
    """Adjust the observers' letters to a rollback. Summaries of undone turns that have not been sent yet are dropped,
    and new ones will be written when those turns are played again. Observers who have already read about those turns
    are told."""
    ended, events = _ended(table), table.play.state.events
    for observer in store.observers_of_game(session.conn, table.id):
        waits = press.first_withheld_turn(session.conn, observer.token)
        read = observer.turn if waits is None else waits - 1
        first = press.cut_withheld_letters(session.conn, observer.token, events)
        turn = min(observer.turn, ended, observer.turn if first is None else first - 1)
        told = replace(observer, turn=turn, board="", drawn=min(observer.drawn, events))
        store.note_written(session.conn, told)
        if read > ended:
            subject = say("observer.taken-back-subject", game=table.id)
            rendered = letters.notice(None, subject, [say("observer.taken-back", turn=ended + 1)])
            _send(session, table, told, rendered, ended + 1)


def _send(
    session: Session, table: Table, observer: Observer, rendered: Rendering, of_turn: int, covers: int = 0
) -> Observer:
    if not observer.delay:
        return _post(session, table, observer, rendered)
    store.note_written(session.conn, observer)
    due = max(of_turn, _ended(table)) + observer.delay
    press.withhold_letter(
        session.conn,
        WithheldLetter(table.id, observer.token, covers, due, table.play.state.events, rendered.subject, rendered.text,
                 rendered.html, rendered.picture),
    )  # fmt: skip
    return observer


def _summary(session: Session, table: Table, observer: Observer, turn: int) -> Observer:
    writer = session.writer
    position = writer.position_after(table, turn)
    rendered, here = letters.public_summary(position), board_digest(position.view)
    if observer.full and not table.blind:
        rendered = letters.full_summary(position, hidden_positions(writer, table, turn))
    if observer.board != here:
        rendered = letters.with_picture(rendered, writer.since(table, position, observer.drawn))
    told = replace(observer, turn=turn, board=here, drawn=table.events)
    return _send(session, table, told, rendered, turn, turn)


def pass_on_press(session: Session, table: Table, passed: PressReceived) -> None:
    rendered = letters.press(session.writer.position(table, "public", ()), passed)
    for observer in store.observers_of_game(session.conn, table.id):
        if _may_read(session.conn, table, observer):
            _send(session, table, observer, rendered, table.play.state.turn)


def _post(session: Session, table: Table, observer: Observer, rendered: Rendering) -> Observer:
    mentat = session.settings.mentat
    identity = _message_id(session.games, observer, observer.letters)
    thread = [
        _message_id(session.games, observer, number) for number in sorted({0, observer.letters - 1}) if number >= 0
    ]
    earlier = [each for each in thread if each != identity]
    content = build_letter(
        Mail(
            to=observer.address,
            subject=rendered.subject,
            text=rendered.text,
            html=rendered.html,
            sender=session.settings.sender,
            sender_name=mentat.name,
            reply_to=mentat.game_master if settings_of(table).observers != "none" else "",
            message_id=identity,
            date=session.now,
            game=table.id,
            in_reply_to=earlier[-1] if earlier else "",
            references=earlier,
            images=(Image("board", rendered.picture, "board.png"),) if rendered.picture else (),
            unsubscribe=leaving_address(mentat.address, observer.token, mentat.plus_addressing),
        )
    )
    came_from = bounce_address(mentat.address, observer.token) if mentat.plus_addressing else mentat.address
    mail.post(
        session.conn,
        [mail.Letter(identity, came_from, observer.address, rendered.subject, content, table.id)],
        session.now,
    )
    store.note_sent(session.conn, observer)
    return replace(observer, letters=observer.letters + 1)


def _message_id(open_games: OpenGames, observer: Observer, number: int) -> str:
    return message_id(f"{observer.game_id}.observer.{number}", observer.token, open_games.settings.mentat.address)


SECRET_UNTIL_THE_END = frozenset({"traitors", "prediction"})
"""Facts that can decide a game, however many turns have passed since they were drawn."""
EVENTS_SECRET_UNTIL_THE_END = frozenset({"prediction-made", "traitors-drawn", "traitors-chosen", "traitors-kept"})


def is_hidden_event(event: Event, faction: Faction) -> bool:
    return faction in event.private or (event.audience is not None and faction in event.audience)


def hidden_positions(writer: LetterWriter, table: Table, turn: int) -> list[Position]:
    """Return a position for each faction, with the events of a turn that only that faction was told about. Traitors and
    the prediction are included only when the game is over."""
    happened = games.events_of_turn(writer.conn, table.id, turn)
    found = []
    for faction in table.seats:
        position = writer.position(table, faction, ())
        news = tuple(
            News(event.turn, event.phase, event.kind, event.facts, event.told_to(faction))
            for event in happened
            if is_hidden_event(event, faction) and (table.play.over or event.kind not in EVENTS_SECRET_UNTIL_THE_END)
        )
        secrets = {
            key: value for key, value in position.secrets.items() if table.play.over or key not in SECRET_UNTIL_THE_END
        }
        found.append(structs.replace(position, news=news, secrets=secrets))
    return found
