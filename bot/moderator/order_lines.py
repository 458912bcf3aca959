"""The lines of a known player: read, played in the order in which they were written, and answered one by one.

Orders that follow each other go to the rules together, so that those which belong together count together. A ``cancel``
takes effect where it stands. What only asks about the mail is answered last, from the position as it is then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Literal
from zoneinfo import ZoneInfo

from bot.clock.tempo import tempo
from bot.moderator.commands import cancel
from bot.orders.commands import Cancel, MailCommand
from bot.orders.language import Unread, write
from bot.orders.names import FACTION_NAMES, Found
from bot.reports.given import LineRead
from bot.reports.times import clock_of, moment
from bot.sheets.blanks import Measure
from bot.sheets.conditions import Comparison
from bot.sheets.coverage import coverage
from bot.sheets.facts import number_of
from bot.sheets.lines import ReadLine, read_lines
from bot.sheets.reading import SheetLine
from bot.table import rounds
from bot.table.own_sheet import file_line
from bot.table.reading import reading_context
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction
from rules.decisions.question import Question
from rules.engine.log import Outcome
from rules.orders import ANSWERS, Order, PassAll
from rules.rulesets.rulebook import rule_of

_CARD = number_of("card {test}")
_ADDRESSED = re.compile(r"\s*(?:for\s+)?(?P<who>[^\W\d][\w' -]{1,20}?)\s*:\s*(?P<line>.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Late:
    """What finds the kinds of question that silence has answered for a player lately, and when each was due; their time
    zone."""

    due: Callable[[], Mapping[str, datetime]]
    zone: ZoneInfo


@dataclass(frozen=True, slots=True)
class Played:
    """The lines of one mail after its orders were played. ``commands`` are still to be answered, by their place among
    ``lines``; ``cancels`` has by their place what was to be taken back, "" for everything."""

    lines: list[LineRead]
    commands: Mapping[int, MailCommand]
    cancels: Mapping[int, str] = field(default_factory=dict[int, str])


def is_order(played: Played, place: int) -> bool:
    """Whether a line of a mail was one for the game: not about the mail, no talk, and not unread."""
    return place not in played.commands and played.lines[place].status not in ("talk", "unread")


def play_lines(
    table: Table, faction: Faction, texts: Sequence[str], late: Late, today: date, *, takes: bool = True,
    why_not: Callable[[object], str] = lambda order: "",
) -> Played:  # fmt: skip
    """Read the lines and play their orders. Nobody's phase but the open one goes on: call ``advance`` afterwards.
    ``takes``: orders in plain words are taken where they are certain. ``why_not``: why an order is not even shown to
    the rules, or nothing."""
    own, foreign = _own_lines(texts, faction)
    later = partial(rounds.later_in_round, table)
    read = read_lines(own, reading_context(table.play, faction, today, takes=takes, later=later))
    answered: dict[int, LineRead] = {}
    commands: dict[int, MailCommand] = {}
    cancels: dict[int, str] = {}
    together: dict[int, ReadLine] = {}
    for place, line in enumerate(read):
        order = line.result.order if isinstance(line.result, SheetLine) else line.result
        if reason := why_not(order):
            answered[place] = LineRead(line.text, "refused", canonical=line.text, reason=reason)
            continue
        match line.result:
            case Order():
                together[place] = line
            case Cancel(text):
                answered |= _submit(table, faction, together, late)
                together = {}
                cancels[place] = text
                done = cancel(table, faction, text, today)
                answered[place] = LineRead(line.text, done.status, canonical=line.text, reason=done.text)
            case SheetLine() as filed:
                answered[place] = _file(table, faction, line.text, filed)
            case MailCommand() as command:
                commands[place] = command
                answered[place] = LineRead(line.text, "done", canonical=line.text)
            case Unread(reason, suggestions, chatter):
                talk = chatter and not any(letter.isdigit() for letter in line.text)  # an order mostly has a number
                status: Literal["talk", "unread"] = "talk" if talk else "unread"
                answered[place] = LineRead(line.text, status, reason=reason, suggestions=tuple(suggestions))
    answered |= _submit(table, faction, together, late)
    return Played([*(answered[place] for place in range(len(read))), *foreign], commands, cancels)


def left_open(table: Table, faction: Faction, lines: Sequence[LineRead]) -> list[str]:
    """What is said of a sheet after a mail that filed lines: in which situations its writer would still be asked."""
    sheet = table.sheets.get(faction)
    if sheet is None or table.play.over or not any(line.kept for line in lines):
        return []
    return [coverage(table.play, faction, sheet, tempo(table.tempo).sheet)]


def nothing_taken(texts: Sequence[str], why: str) -> list[LineRead]:
    """The lines of a mail of which nothing can be taken."""
    return [LineRead(line, "refused", reason=why) for line in texts]


def order_read(text: str, outcome: Outcome, asked: Sequence[Question], late: Late) -> LineRead:
    """An outcome in words. ``asked`` are the questions that were open for them: an order that none of them wants, and
    whose question silence has answered, came too late and is told so."""
    canonical, refusal = write(outcome.order), outcome.refusal
    if refusal is None:
        status: Literal["accepted", "held"] = "held" if outcome.status == "held" else "accepted"
        warned = outcome.warnings[0].clause if outcome.warnings else ""
        reason = " ".join(warning.reason for warning in outcome.warnings)
        return LineRead(text, status, canonical=canonical, reason=reason, clause=warned, rule=rule_of(warned))
    reason = refusal.reason
    if not any(question.fits(outcome.order) for question in asked):
        kinds = ANSWERS.get(type(outcome.order), ())
        known = late.due()
        missed = max((known[kind] for kind in kinds if kind in known), default=None)
        if missed:
            due, zone = moment(missed, late.zone), clock_of(late.zone)
            reason = say("order.late", due=due, zone=zone, reason=reason)
    rule = rule_of(refusal.clause)
    return LineRead(text, "refused", canonical=canonical, reason=reason, clause=refusal.clause, rule=rule)


def _submit(table: Table, faction: Faction, lines: Mapping[int, ReadLine], late: Late) -> dict[int, LineRead]:
    if not lines:
        return {}
    play = table.play
    orders = {place: line.result for place, line in lines.items() if isinstance(line.result, Order)}
    kept: dict[int, LineRead] = {}
    for place, order in list(orders.items()):
        if rounds.later_in_round(table, order):
            kept[place] = _file(table, faction, lines[place].text, SheetLine(orders.pop(place)))
        elif behind := _behind_conditions(table, faction, order):
            orders.pop(place)
            kept[place] = _file(table, faction, lines[place].text, behind)
    asked = [question for question in play.asked() if question.faction == faction]
    outcomes = play.submit(faction, list(orders.values()))
    taken = {
        place: order_read(lines[place].text, outcome, asked, late)
        for place, outcome in zip(orders, outcomes, strict=True)
    }
    if any(outcome.status != "refused" and rounds.answered_by(table, outcome.order) for outcome in outcomes):
        rounds.heard(table, faction)
    return kept | taken


def _behind_conditions(table: Table, faction: Faction, order: Order) -> SheetLine | None:
    """The line that an order for later in this phase becomes on a sheet with conditions for the same decision: it
    stands behind these lines, so it counts where none of their conditions holds. A bid is for the card that is up
    alone, a ``pass all`` for all cards that are left, this one included. None where the order need not go to the
    sheet."""
    kinds, status = ANSWERS.get(type(order), ()), table.play.check(faction, order).status
    sheet = table.sheets.get(faction)
    if sheet is None or not kinds or not (status == "held" or (status == "accepted" and isinstance(order, PassAll))):
        return None
    beside = [
        filed.line.condition
        for filed in sheet.active()
        if not isinstance(filed.line.order, Order) or not set(kinds).isdisjoint(ANSWERS.get(type(filed.line.order), ()))
    ]
    if not beside or None in beside:
        return None
    if isinstance(order, PassAll):
        return SheetLine(order)
    card = table.play.game.moments.auction
    if "bid" in kinds and card:
        return SheetLine(order, Comparison(_CARD, (), Measure("=", card.number)))
    return SheetLine(order, times=1)


def _file(table: Table, faction: Faction, text: str, line: SheetLine) -> LineRead:
    read = file_line(table, faction, text, line)
    if read.status == "held" and (not isinstance(line.order, Order) or rounds.answered_by(table, line.order)):
        rounds.heard(table, faction)
    return read


def _own_lines(texts: Sequence[str], faction: Faction) -> tuple[list[str], list[LineRead]]:
    """The lines without the writer's own name before them, and the refusals of those that name another faction."""
    own: list[str] = []
    foreign: list[LineRead] = []
    for text in texts:
        addressed = _ADDRESSED.fullmatch(text)
        named = FACTION_NAMES.find(addressed["who"]) if addressed else None
        if addressed is None or not isinstance(named, Found):
            own.append(text)
        elif named.value == faction:
            own.append(addressed["line"])
        else:
            reason = say("order.of-another", faction=faction, other=named.value)
            foreign.append(LineRead(text, "refused", reason=reason))
    return own, foreign
