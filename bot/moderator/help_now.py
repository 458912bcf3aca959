"""``help`` alone: what its sender can do now, with examples from the position, in about ten lines.

It is made from what they are asked and from what they know themselves. Where only hidden cards decide who can act, the
examples are the same for everybody (``bot.reports.offers``).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from zoneinfo import ZoneInfo

from bot.orders.language import form_lines, write
from bot.reports.given import Wanted
from bot.reports.offers import offered
from bot.reports.questions import short
from bot.reports.times import by
from bot.table.table import Table
from bot.wording.sentences import say
from bot.wording.spoken import ordered
from rules.components import Faction
from rules.decisions.question import Question
from rules.orders import Order
from rules.views import view

MOST_QUESTIONS = 2
MOST_EXAMPLES = 3  # of answers to one question


def help_now(table: Table, faction: Faction, now: datetime) -> str:
    """What a player can do now, a line each; the examples are lines that can be sent as they are, or filled in."""
    open_now = [question for question in table.play.questions() if question.faction == faction]
    told = [line for question in open_now[:MOST_QUESTIONS] for line in _asked(table, question, now)]
    if len(open_now) > MOST_QUESTIONS:
        told.append(say("help-now.more-questions", more=len(open_now) - MOST_QUESTIONS))
    if not open_now:
        told.append(say("help-now.nothing-over" if table.play.over else "help-now.nothing"))
    if not table.play.over:
        told.append(say("help-now.ahead", examples=list(_ahead(table, faction))))
    return "\n".join([*told, say("help-now.always"), say("help-now.on")])


def _asked(table: Table, question: Question, now: datetime) -> Iterator[str]:
    wanted = Wanted(question.kind, question.subject, question.facts, None, ordered(write(question.default)), ())
    due = table.due(question)
    until = by(due, now, ZoneInfo(table.seats[question.faction].timezone)) if due else ""
    yield say("help-now.wanted", what=short(wanted, question.faction), until=until)
    for line in islice(_examples(question), MOST_EXAMPLES):
        yield say("help-now.example", line=line)


def _examples(question: Question) -> Iterator[str]:
    """Answers, first one of each form, then forms that have no answer among them yet."""
    seen: set[type[Order]] = set()
    for order in offered(question):
        if type(order) not in seen:
            seen.add(type(order))
            yield ordered(write(order))
    begun = {_first_word(ordered(write(order))) for order in offered(question)}
    yield from (line for line in form_lines(question.kind) if _first_word(line) not in begun)


def _first_word(line: str) -> str:
    """The first word of a line, by which examples of the same order are known."""
    return line.split()[0]


def _ahead(table: Table, faction: Faction) -> Iterator[str]:
    """Lines for a later moment, with names from the position."""
    seen = view(table.play, faction)["players"]
    yield say("help-now.bid-ahead", most=max(1, min(5, seen[faction]["spice"])))
    other = next(other for other in seen if other != faction)
    leader = next((leader for leader, status in seen[faction]["leaders"].items() if status == "ready"), None)
    if leader:
        yield say("help-now.plan-ahead", other=other, leader=leader)
