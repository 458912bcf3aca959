"""The lines of a mail that are about the mail itself: status, map, history, rules, orders, cancel, help, press to gm.

They change nothing in the game, except `cancel`, which takes back held orders, and takes effect among the orders of a
mail (``bot.moderator.order_lines``). What is about time and seats (absence, more time, resigning) is in
``bot.silence.requests``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from bot.moderator.help_now import help_now
from bot.moderator.own_deals import deals_of
from bot.orders.commands import (
    Absent,
    Help,
    History,
    MailCommand,
    PressToGameMaster,
    Rules,
    ShowDeals,
    ShowMap,
    ShowOrders,
    Status,
)
from bot.orders.language import Unread, help_for, write
from bot.orders.press_lines import unfolded
from bot.post.answered import Answered
from bot.reports.look import Look
from bot.reports.news import sentence
from bot.sheets.condition_reading import condition_forms
from bot.sheets.deal_conditions import public_forms
from bot.sheets.lines import read_any
from bot.sheets.reading import SheetLine
from bot.table.own_sheet import listed, withdraw
from bot.table.press import names_hidden
from bot.table.reading import reading_context
from bot.table.table import Table
from bot.wording.sentences import say
from bot.wording.spoken import ordered
from rules.components import Faction
from rules.orders import Order
from rules.rulesets.rulebook import find
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event

MOST_CLAUSES = 8
ASKS_FOR_CONDITIONS = ("when", "if", "unless", "condition", "conditions")
ASKS_FOR_DEALS = ("deals", "deal conditions")
ASKS_FOR_EVERYTHING = ("all", "everything", "orders")
_STANDING = re.compile(r"\s*(?:all )?standing(?: orders?| lines?)?\s*:?\s*", re.IGNORECASE)
MOST_HISTORY = 60  # sentences: about a turn and a half


def answer_command(
    table: Table, faction: Faction, command: MailCommand, happened: Callable[[], Sequence[Event]]
) -> Answered:
    """Carry out a command. ``happened`` gives the latest events of the game; only what the faction may see is told."""
    match command:
        case Status():
            return Answered("done", say("command.status"))
        case ShowMap(look):
            return _map(table, faction, look)
        case History():
            return Answered("done", _history(faction, happened()))
        case Rules(word):
            return Answered("done", _rules(word, table.play.game.rules))
        case ShowOrders():
            return Answered("done", _orders(table, faction))
        case ShowDeals():
            return Answered("done", deals_of(table.play.state, faction))
        case Help(word):
            return _help(word) if word else Answered("done", help_now(table, faction, table.now))
        case PressToGameMaster(text):
            address = "" if names_hidden(table) else table.seats[faction].address
            told = say("press-to.for-game-master", faction=faction, address=address, text=unfolded(text))
            return Answered("done", say("press-to.game-master"), for_game_master=told)
    raise TypeError(f"{command} is no command about the mail")


def _map(table: Table, faction: Faction, look: str) -> Answered:
    seat = table.seats[faction]
    if look:
        seat.pictures = Look.of(seat.pictures).but(look).words
        table.touched.add(faction)
    return Answered("done", say("command.map-from-now" if look else "command.map"))


def _history(faction: Faction, happened: Sequence[Event]) -> str:
    lines: list[str] = []
    where = ("", "")
    for event in [event for event in happened if event.visible_to(faction)][-MOST_HISTORY:]:
        told = sentence(event.kind, event.facts, event.told_to(faction))
        if told and where != (where := (str(event.turn), event.phase)):
            lines.append(say("history.phase", turn=event.turn, phase=event.phase))
        if told:
            lines.append(f"  {told}")
    return "\n".join(lines) or say("history.nothing")


def _help(word: str) -> Answered:
    everything = word.lower() in ASKS_FOR_EVERYTHING
    if word.lower() in ASKS_FOR_DEALS:
        return Answered("done", "\n".join([say("help.deals"), *public_forms()]))
    forms = condition_forms() if word.lower() in ASKS_FOR_CONDITIONS else help_for("" if everything else word)
    if not forms:
        return Answered("refused", say("help.nothing", word=word))
    return Answered("done", "\n".join(forms))


def _rules(word: str, rules: RuleSet) -> str:
    """What stands in the game's rule set, the first of its books first; only where that says nothing, others."""
    if not word:
        return say("rules.no-word")
    found = find(word)
    if not found:
        return say("rules.nothing", word=word)
    ours = [clause for clause in found if rules.standing.includes(clause)]
    ours.sort(key=lambda clause: rules.books.index(clause.book) if clause.book in rules.books else len(rules.books))
    clauses = ours or found
    shown = [f"{clause.id}: {clause.rule}" for clause in clauses[:MOST_CLAUSES]]
    more = len(clauses) - len(shown)
    other = [] if ours else [say("rules.other-books", ruleset=rules.title)]
    return "\n".join(other + shown + ([say("rules.more", more=more)] if more else []))


def _orders(table: Table, faction: Faction) -> str:
    play = table.play
    given = [
        f"{ordered(write(order))}  {say('own-orders.answered')}"
        for question, orders in play.given()
        if question.faction == faction
        for order in orders
    ]
    later = [*play.game.held.get(faction, ()), *play.said_ahead(faction)]
    held = [f"{ordered(write(order))}  {say('own-orders.held')}" for order in later]
    return "\n".join(given + held + listed(table, faction)) or say("own-orders.nothing")


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
                return Answered("refused", say("cancel.absence"))
            case _:
                gone = []
    if not gone:
        return Answered("refused", say("cancel.nothing"))
    return Answered("done", say("cancel.taken-back", orders=gone))


def _cancel_standing(table: Table, faction: Faction) -> Answered:
    """``cancel standing`` could be one line or all: the lines that stand, each with what takes it back."""
    sheet = table.sheets.get(faction)
    standing = [f"cancel {filed.text}" for filed in (sheet.active() if sheet else ()) if filed.line.standing]
    if not standing:
        return Answered("refused", say("cancel.none-stands"))
    return Answered("refused", "\n".join((say("cancel.which"), *standing)))
