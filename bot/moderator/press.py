"""Lines of a mail by which players write to each other: passed on, held for a second thought, or refused.

What is refused is refused to its writer alone; nobody else is sent anything, sooner or later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.games import relay
from bot.games.open_games import OpenGames
from bot.moderator import quoted_press
from bot.orders.commands import (
    ArchivePress,
    FalseReaders,
    MailCommand,
    Press,
    PressReply,
    PressToNobody,
    PressWithoutEnd,
    Report,
    SendAnyway,
)
from bot.orders.press_lines import unfolded
from bot.post.answered import Answered
from bot.post.arbiters import arbiters
from bot.press.deciding import LONGEST, Granted, Refused, Scene, Wish, decide
from bot.press.language import harsh_word
from bot.reports.times import by, clock_of, moment
from bot.store import press as store
from bot.store.database import Connection
from bot.table import press as at_table
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction

Private = Callable[[], Iterable[str]]
"""The lines that stand in the reports of the writer alone."""
DAY = timedelta(days=1)


def answer_press(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, command: MailCommand, private: Private,
    now: datetime,
) -> Answered | None:  # fmt: skip
    """Carry out a line about press; None if the command is none."""
    match command:
        case Press(to, text, but, signed, shown):
            return _write(conn, open_games, table, Wish(faction, to, unfolded(text), but, signed, shown), private, now)
        case PressReply() as reply:
            return _reply(conn, open_games, table, faction, reply, private, now)
        case PressToNobody():
            return Answered("refused", say("press-not.no-readers"))
        case PressWithoutEnd():
            return Answered("refused", say("press-not.no-end"))
        case SendAnyway():
            return _send_anyway(conn, open_games, table, faction, now)
        case Report(number, why):
            return _report(conn, open_games, table, faction, number, why, now)
        case FalseReaders(agreed):
            return _false_readers(table, faction, agreed=agreed)
        case ArchivePress(shown):
            return _archive(table, faction, shown=shown)
    return None


def _write(
    conn: Connection, open_games: OpenGames, table: Table, wish: Wish, private: Private, now: datetime
) -> Answered:
    found = decide(wish, _scene(conn, table, wish.writer, now), now)
    if isinstance(found, Refused):
        return _refused(found)
    store.withdraw(conn, table.id, wish.writer)
    if warning := quoted_press.held_back(table, wish.writer, found, private) or _harsh(table, found):
        store.keep(conn, _kept(table, wish.writer, found, now, held=True))
        return Answered("refused", warning)
    return _passed_on(conn, open_games, table, wish.writer, found, now)


def _reply(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, reply: PressReply, private: Private,
    now: datetime,
) -> Answered:  # fmt: skip
    """Words go back to the one who wrote, and to nobody else. Where nobody is to know who plays whom they do not: a
    mail written without thought has a name below it."""
    if reply.to is None:
        return Answered("refused", say("press-not.reply-unsigned"))
    if at_table.names_hidden(table):
        return Answered("refused", say("press-not.reply-hidden", faction=reply.to))
    wish = Wish(faction, (reply.to,), unfolded(reply.text))
    mine = (each for each in store.of_game(conn, table.id) if each.faction == faction and each.at > now - DAY)
    if any(each.words == wish.words and each.readers == (reply.to,) for each in mine):  # a program may have answered
        return Answered("refused", say("press-not.reply-again", faction=reply.to))
    if not reply.doubtful:
        done = _write(conn, open_games, table, wish, private, now)
        alone = "" if reply.alone or done.status != "done" else f" {say('press-to.reply-alone', faction=reply.to)}"
        return replace(done, text=done.text + alone)
    found = decide(wish, _scene(conn, table, faction, now), now)
    if isinstance(found, Refused):
        return _refused(found)
    store.withdraw(conn, table.id, faction)
    store.keep(conn, _kept(table, faction, found, now, held=True))
    return Answered("refused", say("press-to.reply-doubtful", faction=reply.to, orders=reply.orders))


def _send_anyway(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime
) -> Answered:  # fmt: skip
    """The press that was held goes out, if it may now."""
    held = store.held(conn, table.id, faction)
    if held is None:
        return Answered("refused", say("press-not.nothing-held"))
    everybody = held.to_all and set(held.readers) | {faction} >= set(table.seats)
    to = () if everybody else held.readers
    settings = at_table.settings_of(table)
    shown = (() if held.to_all else held.said) if settings.mode == "fake" else None
    signed = None if held.signed else False  # without a name it goes out so, or not
    wish = Wish(faction, to, held.words, (), signed, shown)
    found = decide(wish, _scene(conn, table, faction, now), now)
    if isinstance(found, Refused):
        return _refused(found)
    store.withdraw(conn, table.id, faction)
    return _passed_on(conn, open_games, table, faction, found, now)


def _harsh(table: Table, granted: Granted) -> str:
    """Why it waits for a second thought because of a word in it; "" if it does not."""
    word = harsh_word(granted.words) if at_table.settings_of(table).language else ""
    return say("press-to.harsh", word=word) if word else ""


def _report(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, number: int, why: str, now: datetime
) -> Answered:
    """Show the arbiters what this player got, with who wrote it."""
    got = store.of_reader(conn, table.id, faction)
    if not 1 <= number <= len(got):
        return Answered("refused", say("press-report.unknown", number=number, letters=len(got)))
    judges = arbiters(conn, open_games.writer, table)
    if not judges:
        return Answered("refused", say("press-report.nobody"))
    press = got[number - 1]
    store.reported(conn, press, faction)
    zone = open_games.settings.mentat.timezone
    at = f"{moment(press.at, zone)} {clock_of(zone)}"
    told = [
        say("press-report.by", game=table.id, by=faction, why=why),
        say("press-report.written", faction=press.faction, signed=press.signed, at=at, readers=press.readers),
        *press.words.splitlines(),
    ]
    for judge in judges:
        cause = f"press.report.{press.id}.{faction}.{judge}.{why}"
        open_games.writer.tell(conn, now, judge, say("press-report.subject", game=table.id), told, cause)
    return Answered("done", say("press-report.done", number=number))


def _false_readers(table: Table, faction: Faction, *, agreed: bool) -> Answered:
    if at_table.settings_of(table).mode != "fake":
        return Answered("refused", say("press-not.false-readers"))
    at_table.note_said(table, at_table.said_at(table).with_false_readers(faction, agreed=agreed))
    return Answered("done", say("press-to.false-readers-yes" if agreed else "press-to.false-readers-no"))


def _archive(table: Table, faction: Faction, *, shown: bool) -> Answered:
    if not at_table.settings_of(table).archived:
        return Answered("done", say("press-to.archive-never"))
    at_table.note_said(table, at_table.said_at(table).with_archive(faction, shown=shown))
    return Answered("done", say("press-to.archive-yes" if shown else "press-to.archive-no"))


def _refused(found: Refused) -> Answered:
    return Answered("refused", say(f"press-not.{found.reason}", **found.facts))


def _passed_on(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, granted: Granted, now: datetime
) -> Answered:
    relay.keep(conn, open_games, table, _kept(table, faction, granted, now), now)
    readers = tuple(reader for reader in granted.readers if reader != faction)
    due = by(granted.due, now, ZoneInfo(table.seats[faction].timezone)) if granted.due else ""
    told = [
        say(f"press-to.{granted.goes}", factions=readers, readers=len(readers), due=due),
        *([] if granted.signed else [say("press-to.unsigned")]),
        *([say("press-to.cut", longest=LONGEST)] if granted.cut else []),
        *([say("press-to.left", left=granted.left)] if granted.left is not None else []),
    ]
    return Answered("done", " ".join(told))


def _kept(table: Table, faction: Faction, granted: Granted, now: datetime, *, held: bool = False) -> store.Press:
    state: store.State = "held" if held else "sent" if granted.goes == "now" else "waiting"
    return store.Press(
        table.id, faction, granted.readers, granted.shown, granted.to_all, granted.words, granted.signed,
        table.play.state.turn, now, granted.due, state,
    )  # fmt: skip


def _scene(conn: Connection, table: Table, faction: Faction, now: datetime) -> Scene:
    state = table.play.state
    return Scene(
        settings=at_table.settings_of(table), seats=tuple(table.seats), phase=state.phase, over=table.play.over,
        unmanned=at_table.unmanned(table), near=at_table.near(table, faction),
        muted=store.is_muted(conn, table.id, faction), owes=at_table.owes(table, faction),
        overdue=at_table.overdue(table, faction, now),
        sent=store.sent_since(conn, table.id, faction, now - DAY),
        this_turn=store.in_turn(conn, table.id, faction, state.turn), all_agree=at_table.all_agree(table),
        person=at_table.person(table, faction),
    )  # fmt: skip
