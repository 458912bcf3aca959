"""The orders of a mail, what holds them back, and the verdict on each order: carried out, corrected, dropped or only
proposed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from bot.language.command_lines import Command, CommandContext, read_command
from bot.language.edits import Instruction, answer_the_same
from bot.language.forms import Written, write
from bot.language.lines import LINE_END, Context
from bot.language.moves import said
from bot.language.orders import Unread, read_as_written
from bot.language.sheets import SILENT_ORDERS, SheetLine, read_sheet_line, write_sheet_line
from bot.wording import say
from rules.orders import ANSWERS, Order

Result = Written | SheetLine | Command | Unread
Read = Callable[[str], Result]
Why = Literal["draft", "doubt", "report", "forbid", "condition", "later", "beside", "mends", "question", "group"]
"""The reason why an order is held back: a sort of words, or words next to the order that are not understood."""

NOT_OFFERED: frozenset[Why] = frozenset({"draft", "report", "forbid", "condition", "later", "mends"})
"""Words of these sorts show that an order is not meant to be carried out now, so it is not even proposed."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line, or several lines that belong together, with the result of reading them. `told` explains a reading that is
    not obvious. `dropped` is the order that the lines gave, if the mail itself withdraws that order."""

    text: str
    result: Result
    told: str = ""
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A line or clause, read on its own. `exact` is true if the grammar alone could read it. `group` is true if it is
    one of several orders in one sentence, which are either all carried out or all held back. `meant` are the orders
    that it can mean. `marked` is true if it ends in words that mark a second thought, as in "no move after all".
    `under` is the quoted text above it."""

    text: str
    result: Result
    row: int
    paragraph: int
    exact: bool = False
    group: bool = False
    meant: tuple[Order | Command, ...] = ()
    marked: bool = False
    under: str = ""


@dataclass(slots=True)
class Act:
    part: Part
    texts: list[str]
    result: Result
    why: dict[Why, str] = field(default_factory=dict)
    options: tuple[Instruction, ...] = ()
    changes: int = 0
    dropped: bool = False
    told: str = ""
    condition: str = ""

    @property
    def order(self) -> Instruction | None:
        return self.result if isinstance(self.result, Order | SheetLine | Command) else None

    def drop(self, words: str) -> None:
        self.dropped, self.told = True, say("read.taken-back", words=words.strip())


@dataclass(slots=True)
class MailSoFar:
    context: Context
    read: Read
    done: list[Act | ReadLine] = field(default_factory=list)

    def acts(self) -> list[Act]:
        return [each for each in self.done if isinstance(each, Act) and not each.dropped]

    def verdicts(self) -> list[ReadLine]:
        _hold_rivals(self)
        _hold_groups(self)
        return [each if isinstance(each, ReadLine) else _verdict(each, self.context) for each in self.done]


def typed(line: str, context: Context) -> Instruction | None:
    read = typed_any(line, context)
    return read if isinstance(read, Order | SheetLine | Command) else None


def typed_any(line: str, context: Context) -> Written | SheetLine | Command | None:
    if isinstance(context, CommandContext):
        return context.exact(line)
    read = read_as_written(line, context) or read_sheet_line(line, context)
    return None if isinstance(read, Unread) else read


def written(order: Instruction) -> str:
    if isinstance(order, Command):
        return order.line
    return write_sheet_line(order) if isinstance(order, SheetLine) else write(order)


def bare(order: Instruction | None) -> Order | Command | None:
    meant = order.order if isinstance(order, SheetLine) else order
    return meant if isinstance(meant, Order | Command) else None


def quoted(lines: Sequence[str]) -> list[str]:
    return [f"“{line}”" for line in lines]


def _hold_rivals(mail: MailSoFar) -> None:
    """If the mail gives two different answers to the same question and they were not both written in the words of the
    grammar, hold back both."""
    known = mail.context.known() if mail.context.known else None
    several = [question.kind for question in known.asked if question.many] if known else []
    for act, other in combinations([each for each in mail.done if isinstance(each, Act)], 2):
        one, two = act.result, other.result
        if act.dropped or not (isinstance(one, Order | Command) and isinstance(two, Order | Command)):
            continue
        together = act.part.group and other.part.group and act.part.row == other.part.row
        if type(one) is not type(two) and not {type(one), type(two)} & REFUSALS:
            together |= bool({*ANSWERS.get(type(one), ())} & {*ANSWERS.get(type(two), ())} & {*several})
        exact = act.part.exact and other.part.exact
        if one != two and answer_the_same(one, two) and not (exact or together):
            act.why.setdefault("beside", other.part.text)
            other.why.setdefault("beside", act.part.text)


REFUSALS = frozenset(map(type, SILENT_ORDERS.values()))


def _hold_groups(mail: MailSoFar) -> None:
    """Hold back all orders of a sentence if any of them is held back or would be refused."""
    judge = mail.context.known().judge if mail.context.known else None
    for act in mail.acts():
        of_sentence = [other for other in mail.acts() if other.part.group and other.part.row == act.part.row]
        if not act.part.group or len(of_sentence) < 2:
            continue
        refused = judge and isinstance(act.result, Order) and judge(act.result)[0] == "refused"
        if act.why or refused or act.order is None:
            for other in of_sentence:
                other.why.setdefault("group", act.part.text)


def _verdict(act: Act, context: Context) -> ReadLine:
    text = "\n".join(act.texts)
    if act.dropped:
        return ReadLine(text, Unread(act.told), act.told, written(act.order) if act.order else act.part.text)
    if not act.why:
        return ReadLine(text, act.result, act.told)
    if isinstance(act.result, Unread) and not act.options and (act.result.guess or act.why.keys() <= {"beside"}):
        return ReadLine(text, act.result)
    lines = _offered(act, context)
    if act.options and act.changes:
        key = "unread.plain-some" if len(lines) > 1 else "unread.plain"
        return ReadLine(text, Unread(say(key, lines=quoted(lines)), lines))
    why, words = next(iter(act.why.items()))
    if why == "beside" and isinstance(context, CommandContext) and (both := _with_another(lines, words, context)):
        return ReadLine(text, both)
    waits = not isinstance(context, CommandContext)
    told = say(f"unread.held-{why}", words=words.strip().replace(LINE_END, " "), lines=quoted(lines), waits=waits)
    return ReadLine(text, Unread(told, lines))


def _with_another(lines: tuple[str, ...], words: str, context: CommandContext) -> Unread | None:
    """Propose a command together with a second command that the words next to it ask for: "Pause. And tell them all
    that …"."""
    read, heard = read_command(words, context), said(words)
    more = (read.line,) if isinstance(read, Command) else read.suggestions
    mends = any(heard.begins(sort) for sort in ("correct", "retract", "forbid", "alternative")) or heard.has("doubt")
    if mends or not len(lines) == len(more) == 1:
        return None
    one, other = context.exact(lines[0]), context.exact(more[0])
    if not (one and other) or one.subject == other.subject:
        return None
    both = (*lines, *more)
    return Unread(say("unread.several-orders", lines=quoted(both)), both, together=True)


def _offered(act: Act, context: Context) -> tuple[str, ...]:
    if act.options and act.changes:
        return tuple(map(written, act.options))
    if act.condition and isinstance(act.order, Order):
        return _conditional(act.condition, act.order, context)
    if not NOT_OFFERED.isdisjoint(act.why) and not (
        isinstance(context, CommandContext) and act.why.keys() <= {"mends"}
    ):
        return ()
    if isinstance(act.result, Unread):
        return act.result.suggestions
    orders = (act.order, *act.options) if act.order else ()
    return tuple(dict.fromkeys(map(written, orders)))


def _conditional(condition: str, order: Order, context: Context) -> tuple[str, ...]:
    """Return the `when …:` line for an order with a condition in plain words, or an empty tuple if the condition cannot
    be written."""
    words = condition.strip(" ,.:;").replace(LINE_END, " ")
    for line in (f"{write(order)} {words[0].lower()}{words[1:]}", f"when {words}: {write(order)}"):
        read = read_sheet_line(line, context)
        if isinstance(read, SheetLine):
            return (write_sheet_line(read),)
    return ()


def rivals_of(order: Order | Command | None, lines: Sequence[str], context: Context) -> list[Order | Command]:
    meant = [each for line in lines if isinstance(each := typed(line, context), Order | Command)]
    if order is None or not any(answer_the_same(order, each) and _differ(order, each) for each in meant):
        return []
    return meant


def _differ(one: Order | Command, other: Order | Command) -> bool:
    if isinstance(one, Command) and isinstance(other, Command):
        return one.what != other.what  # "Resume." is the command `resume`
    return one != other
