"""The lines of a mail that are about the mail itself: status, map, history, rules, orders, cancel, help, press.

They change nothing in the game, except `cancel`, which takes back held orders, and takes effect among the orders of a
mail (``bot.moderator.order_lines``). What is about time and seats (absence, more time, resigning) is in
``bot.silence.requests``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from bot.orders.commands import (
    Absent,
    Help,
    History,
    MailCommand,
    Press,
    Rules,
    ShowMap,
    ShowOrders,
    Status,
)
from bot.orders.language import Context, Unread, help_for, write
from bot.post.answered import Answered
from bot.reports.news import sentence
from bot.sheets.condition_reading import condition_forms
from bot.sheets.lines import read_any
from bot.sheets.reading import SheetLine
from bot.table.own_sheet import listed, withdraw
from bot.table.table import Table
from rules.components import Faction, faction_name, leaders_of
from rules.engine.play import Play
from rules.orders import Order
from rules.rulesets.rulebook import find
from rules.state.events import Event

MOST_CLAUSES = 8
ASKS_FOR_CONDITIONS = ("when", "if", "unless", "condition", "conditions")
_STANDING = re.compile(r"\s*(?:all )?standing(?: orders?| lines?)?\s*:?\s*", re.IGNORECASE)
MOST_HISTORY = 60  # sentences: about a turn and a half


def answer_command(
    table: Table, faction: Faction, command: MailCommand, happened: Callable[[], Sequence[Event]]
) -> Answered:
    """Carry out a command. ``happened`` gives the latest events of the game; only what the faction may see is told."""
    match command:
        case Status():
            return Answered("done", "The position is below.")
        case ShowMap():
            return Answered("done", "The board is below.")
        case History():
            return Answered("done", _history(faction, happened()))
        case Rules(word):
            return Answered("done", _rules(word))
        case ShowOrders():
            return Answered("done", _orders(table, faction))
        case Help(word):
            return _help(word)
        case Press(to, text):
            return _press(table, faction, to, text)
    raise TypeError(f"{command} is no command about the mail")


def reading_context(play: Play, faction: Faction, today: date) -> Context:
    """What the reader of a player's lines may use: only what that player knows. ``today`` is the day where they are."""
    player = play.state.players[faction]
    return Context(
        faction=faction,
        factions=frozenset(play.state.players),
        hand=tuple(player.hand),
        leaders=(*leaders_of(faction), *player.captured),
        traitors=tuple(player.traitors),
        today=today,
        turn=play.state.turn,
        phase=play.state.phase,
        edition=play.game.rules.edition,
    )


def _history(faction: Faction, happened: Sequence[Event]) -> str:
    lines: list[str] = []
    where = ("", "")
    for event in [event for event in happened if event.visible_to(faction)][-MOST_HISTORY:]:
        told = sentence(event.kind, event.facts, event.told_to(faction))
        if told and where != (where := (str(event.turn), event.phase)):
            lines.append(f"Turn {event.turn}, {event.phase}:")
        if told:
            lines.append(f"  {told}")
    return "\n".join(lines) or "Nothing has happened yet."


def _help(word: str) -> Answered:
    forms = condition_forms() if word.lower() in ASKS_FOR_CONDITIONS else help_for(word)
    if not forms:
        return Answered("refused", f"There is no help on “{word}”; send “help” alone for the list of all orders.")
    return Answered("done", "\n".join(forms))


def _rules(word: str) -> str:
    if not word:
        return "Name a word or a clause, like: rules lasgun, or: rules AH.X.C.2"
    found = find(word)
    if not found:
        return f"No clause speaks of {word!r}. Try a word of the game, like: rules lasgun"
    shown = [f"{clause.id}: {clause.rule}" for clause in found[:MOST_CLAUSES]]
    more = len(found) - len(shown)
    return "\n".join(shown + ([f"({more} more clauses; add a word to find fewer.)"] if more else []))


def _orders(table: Table, faction: Faction) -> str:
    play = table.play
    given = [
        f"{write(order)}  (stands until the decision is made)"
        for question, orders in play.answered()
        if question.faction == faction
        for order in orders
    ]
    held = [f"{write(order)}  (held for later)" for order in play.game.held.get(faction, ())]
    return (
        "\n".join(given + held + listed(table, faction))
        or "There are none: nothing is held, and nothing that you sent may still be replaced."
    )


def cancel(table: Table, faction: Faction, line: str, today: date) -> Answered:
    """Take back a held order or a line of the sheet; all of them if the line is empty."""
    if _STANDING.fullmatch(line):
        return _cancel_standing(table, faction)
    if not line:
        gone = [*map(write, table.play.withdraw(faction)), *withdraw(table, faction)]
    else:
        match read_any(line, reading_context(table.play, faction, today)):
            case Unread(reason):
                return Answered("refused", reason)
            case SheetLine() as filed:
                gone = withdraw(table, faction, filed)
            case Order() as order:
                held = [write(order) for order in table.play.withdraw(faction, order)]
                sheet = [SheetLine(order), SheetLine(order, times=1)]
                gone = held + [text for filed in sheet for text in withdraw(table, faction, filed)]
            case Absent():
                return Answered("refused", "To take back days of absence, send: no absence")
            case _:
                gone = []
    if not gone:
        return Answered("refused", "No such order is held. An answer to an open question is replaced by a new one.")
    return Answered("done", "Taken back: " + "; ".join(gone) + ".")


def _cancel_standing(table: Table, faction: Faction) -> Answered:
    """``cancel standing`` could be one line or all: the lines that stand, each with what takes it back."""
    sheet = table.sheets.get(faction)
    standing = [f"cancel {filed.text}" for filed in (sheet.active() if sheet else ()) if filed.line.standing]
    if not standing:
        return Answered("refused", "None of your lines stands; “orders” shows your sheet.")
    lines = "\n".join(standing)
    return Answered("refused", f"Write which line, as below; “cancel” alone takes back your whole sheet.\n{lines}")


def _press(table: Table, faction: Faction, to: Sequence[Faction], text: str) -> Answered:
    readers = tuple(reader for reader in (to or table.seats) if reader != faction)
    absent = [faction_name(reader) for reader in readers if reader not in table.seats]
    if absent:
        return Answered("refused", f"{', '.join(absent)} is not played here; nothing was passed on.")
    if not readers:
        return Answered("refused", "There is nobody to pass it on to.")
    names = ", ".join(faction_name(reader) for reader in readers)
    return Answered("done", f"Passed on to {names}.", press=Press(readers, text))
