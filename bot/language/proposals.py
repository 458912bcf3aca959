"""Mentat's last proposal to a player, and the effect of the player's "yes", "no" or "the second".

A proposal is a whole mail of canonical lines, which the grammar reads without the help of `plain_words`. It can be
confirmed once, and only while the player's view of the decision stays the same (`seen_by`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.language.command_lines import Command, CommandContext
from bot.language.lines import Context
from bot.language.moves import Said, agrees, asks, chosen, declines, move_words, said
from bot.language.orders import Unread
from bot.language.sheets import SheetLine
from bot.language.verdict import Act, MailSoFar, Part, ReadLine, quoted, typed_any, written
from bot.wording import say
from rules.orders import Order, Truthtrance

MOST_OPTIONS = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """The proposal in one of Mentat's answers. `options` are whole mails; the player may confirm one of them. `seen` is
    a digest of the position that the player saw then. `answered` is false if the current mail clearly replies to
    another letter. `refusal` is the mail that a "no" stands for, if any; `whole` is the mail that a plain "yes" stands
    for if there are several options."""

    options: tuple[tuple[str, ...], ...]
    seen: str
    answered: bool = True
    refusal: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """Mentat's memory of a seat's earlier mails. `waiting` is the proposal that awaits a "yes". `on_file` returns the
    orders that can still be changed. `done` are the lines of the last mail that were carried out, and `spoke` the other
    lines that its answer mentioned. `asks_first` is true if this mail's proposals will also be remembered; a
    Truthtrance question that Mentat cannot check is then first proposed to its writer."""

    waiting: Proposal | None = None
    on_file: Callable[[], Sequence[Order | SheetLine]] = field(default=tuple)
    done: tuple[str, ...] = ()
    asks_first: bool = False
    spoke: tuple[str, ...] = ()


NOTHING = Memory()


def seen_by(context: Context) -> str:
    """Return a digest of what the writer sees of the decision: their questions, forces, spice and cards."""
    if isinstance(context, CommandContext):
        return context.seen
    if context.known is None:
        return ""
    known = context.known()
    asked = sorted((question.kind, sorted(map(str, question.about.items()))) for question in known.asked)
    forces = sorted((area, str(there)) for area, there in known.forces.items())
    own = (known.spice, str(known.reserves), str(known.tanks), sorted(context.hand), sorted(known.allies))
    return hashlib.sha256(repr((context.turn, asked, forces, own)).encode()).hexdigest()[:16]


class Offer(Protocol):
    @property
    def suggestions(self) -> Sequence[str]: ...
    @property
    def together(self) -> bool: ...


def options_of(lines: Iterable[Offer]) -> list[str]:
    """Return the mails that an answer offers; a "yes" can confirm one of them. If only one line could not be read, they
    are the suggestions for that line. If there were several such lines, the only option is a mail with the first
    suggestion for each of them."""
    offered = [line for line in lines if line.suggestions]
    if len(offered) == 1 and not offered[0].together:
        return list(offered[0].suggestions)[:MOST_OPTIONS]
    first = ["\n".join(line.suggestions) if line.together else line.suggestions[0] for line in offered]
    return ["\n".join(first)] if first else []


def chosen_option(text: str, waiting: Proposal) -> int | None:
    """Return the number of the option that the words choose: by its place, by a number in it ("the higher one"), or by
    a part of it ("Carthag it is")."""
    if len(text) > LONGEST_CHOICE or _OF_TIME.search(text):
        return None
    options = [said(" ".join(option)).words for option in waiting.options]
    heard = said("" if "?" in text else text)
    if (number := _by_size(heard, options)) is not None or (number := chosen(text)) is not None or len(options) < 2:
        return number
    named, place = set[str](), 0
    while place < len(heard.words):
        length = move_words()["choosing"].length(heard.words, place)
        named |= set() if length or heard.words[place] in _BESIDE_ONE else {heard.words[place]}
        place += length or 1
    meant = [n for n, option in enumerate(options) if named and named <= set(option)]
    return meant[0] if len(meant) == 1 else None


def _by_size(heard: Said, options: Sequence[Sequence[str]]) -> int | None:
    sizes = [[float(word) for word in option if word.isdigit()] for option in options]
    bare = {tuple(word for word in option if not word.isdigit()) for option in options}
    if len(options) < 2 or len(bare) > 1 or len(set(map(tuple, sizes))) < len(options):
        return None
    beside = move_words()["choosing"]
    if heard.is_all("higher", beside=beside):
        return sizes.index(max(sizes))
    return sizes.index(min(sizes)) if heard.is_all("lower", beside=beside) else None


_OF_TIME = re.compile(r"\b(?:a|one) (?:second|first)\b", re.IGNORECASE)
LONGEST_CHOICE = 80  # characters
_THE_ONE = re.compile(r"\b(?:the|that|this) one\b", re.IGNORECASE)  # this "one" is not a number
_BESIDE_ONE = frozenset({"to", "in", "at", "from", "i", "with", "of", "on", "for"})


# --- a mail's answer to a proposal -----------------------------------------------------------------------------------


def asked_first(memory: Memory, part: Part, context: Context) -> ReadLine | None:
    """Propose a Truthtrance question that Mentat cannot check. If it has been proposed before and the player sends it
    again, return None."""
    if not (memory.asks_first and isinstance(part.result, Order) and is_unchecked(part.result)):
        return None
    line = written(part.result)
    proposed = memory.waiting is not None and (line,) in memory.waiting.options
    refused = context.known is not None and context.known().judge(part.result)[0] == "refused"
    return None if proposed or refused else ReadLine(part.text, Unread(say("unread.unchecked"), (line,)))


def is_unchecked(order: object) -> bool:
    reading = order.reading if isinstance(order, Truthtrance) else None
    if reading is None or reading.about_itself or reading.about_next:
        return False  # the rules themselves say how these are answered
    return not reading.facts and reading.act is None


def of_quoted(waiting: Proposal, quoted: str) -> Proposal:
    """Narrow the proposal to the options that the mail quotes above its answer. If the mail quotes a different question
    there, the proposal counts as not answered."""
    named = tuple(option for option in waiting.options if all(line.casefold() in quoted.casefold() for line in option))
    if named:
        return replace(waiting, options=named, answered=True)
    return replace(waiting, answered=False) if asks(quoted) else waiting


def answers_proposal(mail: MailSoFar, waiting: Proposal, part: Part, *, alone: bool, anew: bool) -> bool:
    """If the words say yes or no to the waiting proposal, or choose one of its options, act on that and return True.
    `anew` is true if the words are marked as a second thought, as in "no / sorry, yes"."""
    if part.exact:
        return False
    heard = said(part.text)
    thinks_again = isinstance(mail.context, CommandContext) and heard.consists_of("no", "retract", "forbid", "correct")
    no = declines(part.text) or (thinks_again and any(map(heard.has, ("no", "retract", "forbid"))))
    if no and alone and waiting.answered and waiting.refusal:
        _confirm(mail, part, waiting, waiting.refusal)
        return True
    if no and alone and waiting.answered:
        told = say("read.dropped")
        mail.done.append(ReadLine(part.text, Unread(told), told, part.text))
        return True
    yes = agrees(part.text)
    if yes and waiting.whole and waiting.answered and not part.exact:
        _confirm(mail, part, waiting, waiting.whole)
        return True
    number = 0 if yes and len(waiting.options) == 1 else chosen_option(part.text, waiting)
    if (number is None or number >= len(waiting.options)) and not yes:
        return False
    answer = part.result if isinstance(part.result, Order | Command) and not _THE_ONE.search(part.text) else None
    if not waiting.answered and answer:
        return False
    declined = [each for each in mail.done if isinstance(each, ReadLine) and each.dropped]
    if declined and not anew:  # "no / yes"
        number = None
    if number is None or not waiting.answered or (answer and waiting.options[number] != (written(answer),)):
        options = waiting.options if number is None else waiting.options[number : number + 1]
        lines = tuple(option[0] for option in options if len(option) == 1)
        lines = tuple(dict.fromkeys((*lines, written(answer)) if answer else lines))
        told = say("unread.which", lines=quoted(lines)) if lines else say("unread.yes-to-what")
        mail.done.append(ReadLine(part.text, Unread(told, lines)))
        return True
    mail.done[:] = [each for each in mail.done if each not in declined]
    _confirm(mail, part, waiting, waiting.options[number])
    return True


def chooses_anew(mail: MailSoFar, waiting: Proposal, part: Part, rest: str) -> bool:
    """Apply `rest`, the words after the "no" in "no, the second", as a new choice that replaces the choice made earlier
    in the mail."""
    number = chosen_option(rest, waiting) if rest and not part.exact else None
    lines = tuple(written(act.order) for act in mail.acts() if act.order)
    if number is None or number >= len(waiting.options) or lines not in waiting.options:
        return False
    for act in mail.acts():
        act.drop(part.text)
    _confirm(mail, part, waiting, waiting.options[number])
    return True


def _confirm(mail: MailSoFar, part: Part, waiting: Proposal, lines: tuple[str, ...]) -> None:
    typed = [typed_any(line, mail.context) for line in lines]
    known = mail.context.known() if mail.context.known else None
    orders = [each for each in typed if isinstance(each, Order)]
    refused = next((reason for each in orders if known and (reason := known.judge(each)[1])), "")
    if waiting.seen != seen_by(mail.context) or refused or None in typed:
        still = lines if not refused and None not in typed else ()
        told = say("unread.proposal-stale", lines=quoted(lines), why=refused)
        mail.done.append(ReadLine(part.text, Unread(told, still, together=len(still) > 1)))
        return
    told = say("read.confirmed", words=part.text.strip())
    for line, result in zip(lines, typed, strict=True):
        if result is not None:
            one = Part(line, result, part.row, part.paragraph, exact=True, group=True)
            mail.done.append(Act(one, [line], result, told=told))
