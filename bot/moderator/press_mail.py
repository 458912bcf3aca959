"""Press: pass on the lines that players write to each other, hold them back until they are confirmed, or refuse them.

A refusal is sent only to the writer; nobody else gets anything, then or later.

Press to all that quotes a private report is held back once, with a warning, because by mail it is easy to quote more
than was intended. Players may tell others whatever they know, so Mentat only asks whether they mean to. If the same
press is sent again, it goes out; `send anyway` does the same. Press to only some of the players is not checked.

A mail that replies to a letter with another player's words, or the game master's, goes only to the person who wrote
them. That letter is recognised by its Message-ID, which the reply brings back. It has no reply address of its own,
because address books remember addresses: orders sent to it later would be read by somebody else. A line that is an
order counts as an order wherever it is written, and then nothing else in the mail is passed on. Words that may contain
an order wait until their writer says whether they do.

Only the words are passed on. Each reader gets a separate letter from the address of the game, with the reader's own
reply token. The letter is rendered at the moment of sending.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from msgspec.structs import replace

from bot.config.time_zones import zone_named
from bot.games import observers
from bot.games.letter_writer import Matter
from bot.games.notices import arbiters_of
from bot.games.open_games import OpenGames, Session
from bot.games.seat_mail import DESK_LETTER, PRESS_LETTER
from bot.language.commands import (
    ArchivePress,
    FalseReaders,
    MailCommand,
    PressReply,
    PressToGameMaster,
    PressToNobody,
    PressWithoutEnd,
    Report,
    SendAnyway,
)
from bot.language.commands import Press as PressCommand
from bot.language.lines import LINE_END, Context, unfold_press
from bot.language.mail_lines import read_lines
from bot.language.orders import Unread
from bot.press import LONGEST_PRESS, Denial, Permission, Scene, Wish, decide, harsh_word, in_hidden_order
from bot.render import position as seen
from bot.render.material import CommandAnswer, Position, PressReceived
from bot.render.news import event_sentence
from bot.store import press as store
from bot.store.database import Connection
from bot.store.press import Press
from bot.table import press as at_table
from bot.table.press import names_hidden, settings_of
from bot.table.table import Table
from bot.wording import clock_of, deadline, moment, say
from rules.components import Faction
from rules.state.events import Event

PrivateRows = Callable[[], Iterable[str]]
"""The lines that occur only in the writer's own reports."""
A_DAY = timedelta(days=1)
_TICKET = re.compile(r"[\d-]{4,}")  # numbers that a help desk assigns; amounts of spice have at most three digits


def answer_press(
    session: Session, table: Table, faction: Faction, command: MailCommand, private: PrivateRows
) -> CommandAnswer | None:
    match command:
        case PressCommand(to, text, but, signed, shown):
            return _write_press(session, table, Wish(faction, to, unfold_press(text), but, signed, shown), private)
        case PressReply() as reply:
            return _write_reply(session, table, faction, reply, private)
        case PressToNobody():
            return CommandAnswer("refused", say("press-not.no-readers"))
        case PressWithoutEnd():
            return CommandAnswer("refused", say("press-not.no-end"))
        case SendAnyway():
            return _send_anyway(session, table, faction)
        case Report(number, why):
            return _report_press(session, table, faction, number, why)
        case FalseReaders(agreed):
            return _allow_false_readers(table, faction, agreed=agreed)
        case ArchivePress(shown):
            return _consent_to_archive(table, faction, shown=shown)
    return None


def _write_press(session: Session, table: Table, wish: Wish, private: PrivateRows) -> CommandAnswer:
    found = decide(wish, _scene(session.conn, table, wish.writer, session.now), session.now)
    if isinstance(found, Denial):
        return _refused(found)
    store.withdraw_press(session.conn, table.id, wish.writer)
    if warning := why_held_back(table, wish.writer, found, private) or _harsh(table, found):
        store.keep_press(session.conn, _hold_press(table, wish.writer, found, session.now, held=True))
        return CommandAnswer("refused", warning)
    return _passed_on(session, table, wish.writer, found)


def _write_reply(
    session: Session, table: Table, faction: Faction, reply: PressReply, private: PrivateRows
) -> CommandAnswer:
    """Send words to the one person to whom they reply, and to nobody else. In an anonymous game they are not sent,
    because people who reply without thinking sign with their names."""
    if reply.to is None:
        return CommandAnswer("refused", say("press-not.reply-unsigned"))
    if at_table.names_hidden(table):
        return CommandAnswer("refused", say("press-not.reply-hidden", faction=reply.to))
    wish = Wish(faction, (reply.to,), unfold_press(reply.text))
    mine = (
        each
        for each in store.press_of_game(session.conn, table.id)
        if each.faction == faction and each.at > session.now - A_DAY
    )
    words = _TICKET.sub("", wish.words)
    # the same words again may come from a program
    if any(_TICKET.sub("", each.words) == words and each.readers == (reply.to,) for each in mine):
        return CommandAnswer("refused", say("press-not.reply-again", faction=reply.to))
    if not reply.doubtful:
        done = _write_press(session, table, wish, private)
        alone = "" if reply.alone or done.status != "done" else f" {say('press-to.reply-alone', faction=reply.to)}"
        return replace(done, text=done.text + alone)
    found = decide(wish, _scene(session.conn, table, faction, session.now), session.now)
    if isinstance(found, Denial):
        return _refused(found)
    store.withdraw_press(session.conn, table.id, faction)
    store.keep_press(session.conn, _hold_press(table, faction, found, session.now, held=True))
    return CommandAnswer("refused", say("press-to.reply-doubtful", faction=reply.to, orders=reply.orders))


def _send_anyway(session: Session, table: Table, faction: Faction) -> CommandAnswer:
    held = store.held_press(session.conn, table.id, faction)
    if held is None:
        return CommandAnswer("refused", say("press-not.nothing-held"))
    everybody = held.to_all and set(held.readers) | {faction} >= set(table.seats)
    to = () if everybody else held.readers
    settings = at_table.settings_of(table)
    shown = (() if held.to_all else held.said) if settings.mode == "fake" else None
    signed = None if held.signed else False  # an unsigned letter stays unsigned
    wish = Wish(faction, to, held.words, (), signed, shown)
    found = decide(wish, _scene(session.conn, table, faction, session.now), session.now)
    if isinstance(found, Denial):
        return _refused(found)
    store.withdraw_press(session.conn, table.id, faction)
    return _passed_on(session, table, faction, found)


def _harsh(table: Table, granted: Permission) -> str:
    word = harsh_word(granted.words) if at_table.settings_of(table).language else ""
    return say("press-to.harsh", word=word) if word else ""


def _report_press(session: Session, table: Table, faction: Faction, number: int, why: str) -> CommandAnswer:
    got = store.press_of_reader(session.conn, table.id, faction)
    if not 1 <= number <= len(got):
        return CommandAnswer("refused", say("press-report.unknown", number=number, letters=len(got)))
    judges = arbiters_of(session.writer, table)
    if not judges:
        return CommandAnswer("refused", say("press-report.nobody"))
    press = got[number - 1]
    store.report_press(session.conn, press, faction)
    zone = session.settings.mentat.timezone
    at = f"{moment(press.at, zone)} {clock_of(zone)}"
    told = [
        say("press-report.by", game=table.id, by=faction, why=why),
        say("press-report.written", faction=press.faction, signed=press.signed, at=at, readers=press.readers),
        *press.words.splitlines(),
    ]
    by, subject = press.faction, say("press-report.subject", game=table.id)
    lines = (f"mute {by}", f"warn {by}: WORDS", f"tell {faction}: WORDS", f"more {by}")
    for judge in judges:
        cause = f"press.report.{press.id}.{faction}.{judge.address}.{why}"
        session.writer.tell_of(judge.address, Matter(table.id, by, subject, told, lines, cause), judge.token)
    return CommandAnswer("done", say("press-report.done", number=number))


def _allow_false_readers(table: Table, faction: Faction, *, agreed: bool) -> CommandAnswer:
    if at_table.settings_of(table).mode != "fake":
        return CommandAnswer("refused", say("press-not.false-readers"))
    at_table.note_said(table, at_table.said_at(table).with_false_readers(faction, agreed=agreed))
    return CommandAnswer("done", say("press-to.false-readers-yes" if agreed else "press-to.false-readers-no"))


def _consent_to_archive(table: Table, faction: Faction, *, shown: bool) -> CommandAnswer:
    if not at_table.settings_of(table).archived:
        return CommandAnswer("done", say("press-to.archive-never"))
    at_table.note_said(table, at_table.said_at(table).with_archive(faction, shown=shown))
    return CommandAnswer("done", say("press-to.archive-yes" if shown else "press-to.archive-no"))


def _refused(found: Denial) -> CommandAnswer:
    return CommandAnswer("refused", say(f"press-not.{found.reason}", **found.facts))


def _passed_on(session: Session, table: Table, faction: Faction, granted: Permission) -> CommandAnswer:
    keep_press(session, table, _hold_press(table, faction, granted, session.now))
    readers = tuple(reader for reader in granted.readers if reader != faction)
    due = deadline(granted.due, session.now, zone_named(table.seats[faction].timezone)) if granted.due else ""
    told = [
        say(f"press-to.{granted.goes}", factions=readers, readers=len(readers), due=due),
        *([] if granted.signed else [say("press-to.unsigned")]),
        *([say("press-to.cut", longest=LONGEST_PRESS)] if granted.cut else []),
        *([say("press-to.left", left=granted.left)] if granted.left is not None else []),
    ]
    return CommandAnswer("done", " ".join(told))


def _hold_press(
    table: Table, faction: Faction, granted: Permission, now: datetime, *, held: bool = False
) -> store.Press:
    state: store.PressState = "held" if held else "sent" if granted.goes == "now" else "waiting"
    return store.Press(
        table.id, faction, granted.readers, store.TO_ALL if granted.to_all else granted.shown, granted.words,
        granted.signed, table.play.state.turn, now, granted.due, state,
    )  # fmt: skip


def _scene(conn: Connection, table: Table, faction: Faction, now: datetime) -> Scene:
    state = table.play.state
    return Scene(
        settings=at_table.settings_of(table),
        seats=tuple(table.seats),
        phase=state.phase,
        over=table.play.over,
        unmanned=at_table.unmanned(table),
        near=at_table.near(table, faction),
        muted=store.is_muted(conn, table.id, faction),
        owes=at_table.owes(table, faction),
        overdue=at_table.overdue(table, faction, now),
        sent=store.sent_since(conn, table.id, faction, now - A_DAY),
        this_turn=store.count_in_turn(conn, table.id, faction, state.turn),
        all_agree=at_table.all_agree(table),
        person=at_table.person(table, faction),
    )


PRIVATE_ROWS = ("own.spice", "own.cards", "own.traitors", "own.captives", "own.prediction", "own.marker")
LEAST_WORDS = 2
"""A report line with fewer words than this is ignored: a single word ("none") is not a quotation."""


def why_held_back(table: Table, faction: Faction, press: Permission, private: Callable[[], Iterable[str]]) -> str:
    """Return why this press is held back. Return "" if it does not go to all, quotes nothing private, or has been sent
    a second time. ``private`` returns the lines that occur only in this faction's reports."""
    seat = table.seats[faction]
    if len({*press.readers, faction}) < len(table.seats):
        return ""
    line = quoted_row(press.words, private())
    name = hashlib.sha256(" ".join(press.words.split()).encode()).hexdigest()[:16]
    again = seat.warned == name
    if not line and not seat.warned:
        return ""
    seat.warned = name if line and not again else ""
    table.touched.add(faction)
    if not line or again:
        return ""
    return say("press-to.private", line=line)


def private_lines(position: Position, faction: Faction, happened: Iterable[Event]) -> Iterator[str]:
    labels = {say(row) for row in PRIVATE_ROWS}
    for row in seen.own(position).rows:
        if row.label in labels:
            yield f"{row.label} {' '.join(row.lines)}"
    for event in happened:
        if event.visible_to(faction):
            told = event_sentence(event.kind, event.facts, event.told_to(faction))
            if not event.visible_to("public") or told != event_sentence(event.kind, event.facts):
                yield told


def quoted_row(text: str, lines: Iterable[str]) -> str:
    """Return the first of these lines that the text quotes, else "". A line counts as quoted if all its words occur in
    the text one directly after another, whatever the punctuation and letter case. Short lines never count."""
    words = f" {_plain(text)} "
    return next((line for line in lines if _long(_plain(line)) and f" {_plain(line)} " in words), "")


def _long(plain: str) -> bool:
    return plain.count(" ") + 1 >= LEAST_WORDS


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


_LETTER = rf"\.\d+\.(?:{PRESS_LETTER}(?P<number>\d{{1,6}})|{DESK_LETTER})\.[a-z2-7]{{16}}@\S+"


@dataclass(frozen=True, slots=True)
class AnsweredWords:
    """The words to which a player's mail replies: another player's ``press`` or, if None, the game master's words."""

    press: Press | None

    @property
    def writer(self) -> Faction | None:
        return self.press.faction if self.press and self.press.signed else None


def words_answered(
    conn: Connection, table: Table, faction: Faction, in_reply_to: Collection[str]
) -> AnsweredWords | None:
    of_seat = re.compile(re.escape(f"{table.id}.{faction}") + _LETTER, re.IGNORECASE)
    for identity in in_reply_to:
        if found := of_seat.fullmatch(identity):
            if found["number"] is None:
                return AnsweredWords(None)
            got, number = store.press_of_reader(conn, table.id, faction), int(found["number"])
            return AnsweredWords(got[number - 1]) if 1 <= number <= len(got) else None
    return None


def reply_command(to: AnsweredWords, lines: Sequence[str], context: Context) -> MailCommand | None:
    """Read the lines of a reply as words for the person to whom it replies. Return None if one of the lines is an order
    or a command. ``context`` must not accept orders in plain words."""
    read = [line.result for line in read_lines(lines, context)]
    unread = [each for each in read if isinstance(each, Unread)]
    if not read or len(unread) < len(read):
        return None
    text = LINE_END.join(map(str.strip, lines))
    if to.press is None:
        return PressToGameMaster(text)
    meant = tuple(dict.fromkeys(line for each in unread for line in each.suggestions))
    doubtful = not all(each.chatter for each in unread)
    return PressReply(to.writer, text, meant, doubtful=doubtful, alone=len(to.press.readers) == 1)


def keep_press(session: Session, table: Table, press: Press) -> None:
    kept = store.keep_press(session.conn, press)
    if kept.state == "sent":
        _pass_on(session.conn, session.games, table, kept, session.now)


def send_due_press(session: Session, table: Table) -> None:
    """Send the waiting press that is due, in an order that does not reveal when it was written."""
    waiting = {press.id: press for press in store.due_press(session.conn, table.id, session.now)}
    slots = sorted({press.due for press in waiting.values() if press.due})
    for slot in (None, *slots):
        together = [(_what_it_says(press), press.id) for press in waiting.values() if press.due == slot]
        for number in in_hidden_order(session.settings.key, f"{table.id} {slot}", together):
            _pass_on(
                session.conn, session.games, table, store.note_press_sent(session.conn, waiting[number]), session.now
            )


def _what_it_says(press: Press) -> str:
    return "\0".join((press.faction, ",".join(press.readers), press.words))


def _pass_on(conn: Connection, open_games: OpenGames, table: Table, press: Press, now: datetime) -> None:
    copied = settings_of(table).copies_to_desk
    sender = press.faction if press.signed else None
    numbers = store.press_counts(conn, table.id)
    for reader in readers_in_order(table, press.readers):
        others = tuple(faction for faction in press.said if faction != reader)
        answerable = press.signed and not names_hidden(table) and settings_of(table).mode != "public"
        passed = PressReceived(sender, press.words, numbers[reader], others, press.to_all, copied, answerable)
        open_games.writer(conn, now).press(table, reader, passed)
    if press.signed and press.to_all and settings_of(table).observers == "white":
        observers.pass_on_press(
            Session(conn, open_games, now), table, PressReceived(sender, press.words, 0, (), to_all=True, copied=copied)
        )
    if copied:
        _copy_to_arbiters(Session(conn, open_games, now), table, press)


def _copy_to_arbiters(session: Session, table: Table, press: Press) -> None:
    told = say("press-copy.written", faction=press.faction, signed=press.signed, readers=press.readers)
    by, subject = press.faction, say("press-copy.subject", game=table.id)
    lines = (f"mute {by}", f"warn {by}: WORDS", f"more {by}")
    for judge in arbiters_of(session.writer, table):
        cause = f"press.copy.{press.id}.{judge.address}"
        written = [told, *press.words.splitlines()]
        session.writer.tell_of(judge.address, Matter(table.id, by, subject, written, lines, cause), judge.token)


def readers_in_order(table: Table, readers: Sequence[str]) -> list[Faction]:
    """Sort the readers by their places at the table, so that the order in which they are named does not reveal what was
    typed."""
    return [faction for faction in table.seats if faction in readers]
