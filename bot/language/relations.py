"""The verdict on a whole mail: what its words together mean for the orders among them.

An order that nothing else touches is carried out as it stands. Words that are no order touch the orders beside them,
unless they are known to be harmless: a greeting, thanks, a name, a question, a sentence of its own about something
else. Some words reach further: a draft holds back the whole mail, a condition or "yesterday I wrote" all that it leads
into. What is touched is not carried out; the answer names the words that were the reason.

A correction changes the last order before it, in this mail or on file. It is carried out as corrected if it can mean
only one thing, and never as it stood. Certainty only falls as more is read; only a confirmation raises it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Literal

from bot.effort import Exhausted, charge, is_exhausted
from bot.language.attempts import name_at
from bot.language.commands import Cancel, MailCommand, Press
from bot.language.edits import Change, Mended, answer_the_same, change_in, mend, sorts_of
from bot.language.forms import Written, write
from bot.language.lines import LINE_END, Context
from bot.language.moves import (
    Said,
    Sort,
    agrees,
    declines,
    ends,
    is_courtesy,
    is_heading,
    is_sentence,
    points_back,
    said,
)
from bot.language.orders import Unread, read_as_written, resembles_order
from bot.language.proposals import Memory, Proposal, chosen_option, seen_by
from bot.language.sheets import SheetLine, read_sheet_line, write_sheet_line
from bot.language.vocabulary import vocabulary
from bot.mail.lines import holds_free_text
from bot.wording import say
from rules.orders import ANSWERS, Order, QuestionKind

Result = Written | SheetLine | Unread
Read = Callable[[str], Result]
Why = Literal["draft", "doubt", "report", "forbid", "condition", "later", "beside", "mends", "question", "group"]
"""What holds an order back: words of a sort, or words beside it that are not understood."""

MOST_CHANGES = 2
"""A value that is changed more often is not carried out, but proposed as it stands in the end."""

NOT_OFFERED: frozenset[Why] = frozenset({"draft", "report", "forbid", "condition", "later", "mends"})
"""With such words an order is plainly not meant now: it is not offered either."""


SHORT_AND_STRANGE = 2  # words of a line that says too little to be known as harmless
_SMALL = frozenset(
    {"no", "to", "in", "from", "on", "with", "the", "a", "i", "it", "not", "and", "up", "of", "when", "card", "all"}
)
_ROUNDS = frozenset({"turn", "round", "phase", "card", "battle"})
_BEFORE_ONE = frozenset({"this", "that", "the", "which", "another", "no", "any", "every", "some", "a", "good", "last"})
_TIMES = frozenset({"when", "after", "first", "once"})
_BOUND = frozenset({"if", "unless", "until", "provided", "otherwise"})
LONGEST_LEAD = 6  # words of a line that leads into the next one by any of its words
LONGEST_MENDING = 8  # words
_Doubt = Literal["doubt", "report", "forbid", "later", "condition"]
_DOUBTS: Sequence[_Doubt] = ("report", "forbid", "later", "doubt")


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line, or several that belong together, and what it is read as. `told` says how, where it is not evident;
    `dropped` is the order of lines that were taken back in the mail itself."""

    text: str
    result: Result
    told: str = ""
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A line or clause by itself. `exact`: the grammar alone has read it; `group`: one of several orders of a sentence,
    which are carried out together or not at all; `meant`: the orders that it can mean."""

    text: str
    result: Result
    row: int
    paragraph: int
    exact: bool = False
    group: bool = False
    meant: tuple[Order, ...] = ()


@dataclass(slots=True)
class _Act:
    part: Part
    texts: list[str]
    result: Result
    why: dict[Why, str] = field(default_factory=dict)
    options: tuple[Order | SheetLine, ...] = ()
    changes: int = 0
    dropped: bool = False
    told: str = ""
    condition: str = ""

    @property
    def order(self) -> Order | SheetLine | None:
        return self.result if isinstance(self.result, Order | SheetLine) else None


@dataclass(slots=True)
class _Lead:
    why: Why
    words: str
    text: str
    paragraph: int
    """Where it stands, or the paragraph whose orders it holds back."""
    reached: bool = False


def relate(parts: Sequence[Part], context: Context, memory: Memory, read: Read) -> list[ReadLine]:
    return _Mail(parts, context, memory, read).lines()


class _Mail:
    def __init__(self, parts: Sequence[Part], context: Context, memory: Memory, read: Read) -> None:
        self._parts, self._context, self._memory, self._read = parts, context, memory, read
        self._done: list[_Act | ReadLine] = []
        self._lead: _Lead | None = None
        self._signed = False
        self._above_row = (-1, -1)

    def lines(self) -> list[ReadLine]:
        for number, part in enumerate(self._parts):
            before = self._parts[number - 1] if number else None
            lead = self._lead
            if lead and lead.reached and lead.paragraph != part.paragraph and lead.why != "draft":
                self._lead = None
            self._take(number, part, before)
            self._signed = not part.exact and is_courtesy(part.text, last=False, signed=False)
        for act in self._acts() if is_exhausted() else ():
            if not act.part.exact:
                act.why.setdefault("doubt", self._parts[-1].text.strip())
        self._answered_twice()
        self._together_or_not()
        return [each if isinstance(each, ReadLine) else self._line(each) for each in self._done]

    def _take(self, number: int, part: Part, before: Part | None) -> None:
        try:
            if not part.exact:
                charge(1 + len(part.text) // 200)
            if self._is_answer_to_proposal(part):
                return
            if isinstance(part.result, Unread):
                self._take_words(number, part, before)
            else:
                self._take_act(part)
        except Exhausted:  # these words could change any order above
            self._hold_all("doubt", part.text.strip(), part)

    # --- acts --------------------------------------------------------------------------------------------------------

    def _acts(self) -> list[_Act]:
        return [each for each in self._done if isinstance(each, _Act) and not each.dropped]

    def _take_act(self, part: Part) -> None:
        if isinstance(part.result, Cancel) and self._take_back(part, part.result):
            return
        act = _Act(part, [part.text], part.result)
        if not isinstance(part.result, MailCommand) or isinstance(part.result, Press):
            self._lead_into(act)
        self._touched_by_offer(act)
        above = self._acts()[-1:]
        if above and above[0].part.paragraph == part.paragraph and _leads_on(above[0].result, above[0].part.text):
            above[0].why["beside"] = part.text  # "press to emperor: I suggest you / ship 4 to carthag"
            act.why["report"] = above[0].part.text[-60:]
        self._done.append(act)

    def _lead_into(self, act: _Act) -> None:
        lead = self._lead
        if lead is None or lead.text == act.part.text.strip():
            return
        if lead.why == "beside" and lead.paragraph != act.part.paragraph and not _goes_on(lead.text):
            return
        act.why[lead.why] = lead.words
        act.condition = lead.text if lead.why == "condition" else ""
        if not lead.reached:
            act.texts.insert(0, lead.text)
            self._done = [
                each for each in self._done if not (isinstance(each, ReadLine) and each.text.strip() == lead.text)
            ]
        lead.reached, lead.paragraph = True, act.part.paragraph

    def _touched_by_offer(self, act: _Act) -> None:
        """Hold an order back if the line above it, which is only proposed, answers the same question."""
        above = self._done[-1] if self._done else None
        if isinstance(above, _Act) and above.order is None:
            above = ReadLine(above.part.text, above.result)
        order = act.order.order if isinstance(act.order, SheetLine) else act.order
        if (
            isinstance(above, ReadLine)
            and self._above_row == (act.part.row - 1, act.part.paragraph)
            and isinstance(order, Order)
        ):
            offered = above.result.suggestions if isinstance(above.result, Unread) else ()
            meant = (_typed(line, self._context) for line in offered)
            if any(isinstance(each, Order) and each != order and answer_the_same(each, order) for each in meant):
                act.why.setdefault("beside", above.text)

    def _take_back(self, part: Part, cancel: Cancel) -> bool:
        """Drop what a `cancel` takes back of this mail. Return whether the command itself has nothing more to do."""
        acts = [act for act in self._acts() if act.order]
        named = cancel.line.strip(" .!").lower()
        if pointed := said(named).consists_of("pointing"):
            meant = acts[-1:]
        else:
            meant = [act for act in acts if not named or _writes(act.order, named, self._read)]
        for act in meant:
            act.dropped, act.told = True, say("read.taken-back", words=part.text.strip())
            act.texts += [part.text] if pointed else []
        return bool(meant and named)

    # --- words -------------------------------------------------------------------------------------------------------

    def _take_words(self, number: int, part: Part, before: Part | None) -> None:
        if holds_free_text(part.text):  # a question, a deal or press that is not written right
            self._say(part)
            return
        target = next(iter(reversed(self._acts())), None)
        glued = before is not None and before.paragraph == part.paragraph
        heard = said(part.text)
        if (
            target
            and heard.consists_of("forbid", "no", "retract", "correct")
            and (heard.has("forbid") or heard.has("retract"))
        ):
            self._drop(part, heard, target)
            return
        if target is None and (filed := self._named_on_file(heard)):
            line = f"cancel {filed}"
            self._done.append(ReadLine(part.text, Unread(say("unread.plain", lines=[f"“{line}”"]), (line,))))
            return
        if self._is_correction(part, target):
            return
        if target and glued and heard.consists_of("correct") and not heard.is_all("sorry"):
            self._touch(target, "beside", part.text.strip(), part)
            return
        if self._addresses_player(heard, part.text):
            if target:
                self._touch(target, "beside", part.text.strip(), part)
                return
            self._done.append(ReadLine(part.text, Unread(say("unread.no-order"), chatter=True)))
            self._lead = _Lead("report", part.text.strip(" ,:"), part.text.strip(), part.paragraph)
            return
        if is_courtesy(part.text, last=number == len(self._parts) - 1, signed=self._signed) or not heard.words:
            self._say(part)
            return
        if draft := heard.has("draft"):
            self._hold_all("draft", draft, part)
            return
        if target and self._takes_back(part, heard, target):
            return
        if length := heard.length("aside", 0):
            rest = heard.written(length, len(heard.words))
            heard = said(rest)
            strong = heard.begins("retract") or heard.has("mends") or _unmarked(rest)[1] or heard.begins("forbid")
            if target and (strong or self._of_its_sort(heard, target)):
                self._take_words(number, replace(part, text=rest), before)
            else:
                self._say(part)
            return
        if target and (heard.has("mends") or _mends_something(part.text)):
            for act in self._acts():
                if act.part.paragraph == target.part.paragraph:
                    act.why.setdefault("mends", part.text.strip())
            target.texts.append(part.text)
            return
        why = self._weigh(part, heard, target)
        apart_from_press = target and isinstance(target.result, Press) and target.part.paragraph != part.paragraph
        if why is None or (apart_from_press and why[0] == "beside"):
            self._say(part)
            return
        colon = part.text.strip().endswith((":", "："))
        offers = isinstance(part.result, Unread) and part.result.suggestions
        if target and not colon:
            self._touch(target, *why, part)
        elif isinstance(part.result, Unread) and not (part.result.chatter or offers):
            self._say(part)
        elif offers and (why[0] != "forbid" or number == len(self._parts) - 1):
            self._say(part)
            return
        else:
            self._done.append(ReadLine(part.text, Unread(say("unread.no-order"), chatter=True)))
        if target is None or colon or not (ends(part.text) or _tries(part)):
            self._lead = _Lead(*why, part.text.strip(), part.paragraph)

    def _weigh(self, part: Part, heard: Said, target: _Act | None) -> tuple[Why, str] | None:
        """Return why words hold back the orders beside them, or None if they are known to be harmless."""
        text = part.text.strip()
        colon = text.endswith((":", "："))
        if heard.begins("alternative"):
            return ("doubt", text.rstrip(" :,"))
        if agrees(text) or (is_heading(text) and (colon or target is None or target.part.paragraph != part.paragraph)):
            return None
        if heard.length("condition", len(heard.words) - 1):  # "pass if Guild bids, otherwise"
            return ("condition", text)
        if read_sheet_line(text, self._context) is not None or (heard.begins("condition") and _tries(part)):
            return None  # a line of its own that is not written right
        if (
            isinstance(part.result, Unread)
            and part.result.suggestions
            and not _leads_in(heard, "forbid", reaches=False)
            and not heard.has("doubt")
        ):
            return ("beside", text) if target and self._says_other(part, target) else None
        whole = is_sentence(text) and not colon
        short = len(heard.words) <= LONGEST_LEAD
        sort_said = self._of_its_sort(heard, target)
        if "?" in text:
            asks = heard.has("doubt") or points_back(text) or text[0].islower() or len(heard.words) <= SHORT_AND_STRANGE
            return ("question", text) if asks or sort_said else None
        if heard.begins("only") or (not whole and (heard.begins("condition") or _leads_in(heard, "condition", False))):
            if target and text[0].islower():
                target.condition = text
            return ("condition", text.rstrip(" :,"))
        for sort in _DOUBTS:
            if whole and not short and not (sort == "doubt" or (sort == "later" and _ROUNDS & set(heard.words))):
                continue
            if sort == "report" and whole and heard.begins("heading"):  # "My bid, as we said."
                continue
            words = heard.has(sort) if whole or text[0].islower() else _leads_in(heard, sort, colon)
            if words and not (sort == "forbid" and any(word.isdigit() for word in heard.words)):
                return ("doubt" if whole else sort, text.rstrip(" :,"))
        if heard.begins("correct"):
            return ("mends" if sort_said else "beside", text)
        if _tries(part) and not sort_said:
            return None
        bound = bool(_BOUND & set(heard.words)) and not (heard.begins("condition") and "," in text)
        waits = bool(_TIMES & set(heard.words))
        points = points_back(text) and (short or waits or bool(heard.begins("pointing")))
        if sort_said:
            return ("mends", text)
        if target and part.paragraph > target.part.paragraph + 1:
            return None
        strange = not whole or points or bound or len(heard.words) <= SHORT_AND_STRANGE
        return ("beside", text) if strange else None

    def _addresses_player(self, heard: Said, text: str) -> bool:
        """Does the line greet another player, so that what follows is for them?"""
        if not (text.lstrip().startswith("@") or heard.words[:1] == ("dear",)):
            return False
        named = [name for place in range(len(heard.words)) if (name := name_at("faction", heard.words, place))]
        others = self._context.factions - {self._context.faction}
        return any(name.whole and not others.isdisjoint(name.values) for name in named)

    def _of_its_sort(self, heard: Said, target: _Act | None) -> bool:
        """Do the words hold a number or a name of a sort that the order above has a blank for?"""
        given = target.order if target else None
        order = given.order if isinstance(given, SheetLine) else given
        if not isinstance(order, Order):
            return False
        sorts, takes_number = sorts_of(order)
        numbers, own = vocabulary().numbers, set(said(_write(order)).words)
        counted = [word for before, word in pairwise(("", *heard.words)) if word != "one" or before not in _BEFORE_ONE]
        if takes_number and any((word.isdigit() or word in numbers) and word not in own for word in counted):
            return True
        places = [place for place, word in enumerate(heard.words) if word not in own]
        return any((name := name_at(sort, heard.words, place)) and name.whole for sort in sorts for place in places)

    def _says_other(self, part: Part, target: _Act) -> bool:
        """Do the words offer another answer to the question of the order above them?"""
        offered = part.result.suggestions if isinstance(part.result, Unread) else ()
        order = target.order.order if isinstance(target.order, SheetLine) else target.order
        meant = [each for line in offered if isinstance(each := _typed(line, self._context), Order)]
        if not (isinstance(order, Order) and any(answer_the_same(order, each) and each != order for each in meant)):
            return False
        target.options = (*target.options, *meant)
        return True

    def _say(self, part: Part) -> None:
        self._above_row = (part.row, part.paragraph)
        if isinstance(part.result, Unread) and part.result.suggestions:
            act = _Act(part, [part.text], part.result)
            self._lead_into(act)
            self._done.append(act)
        else:
            self._done.append(ReadLine(part.text, part.result))

    def _touch(self, target: _Act, why: Why, words: str, part: Part) -> None:
        """Hold back an order for the words below it, and for words apart from it all orders of its paragraph."""
        paragraph = target.part.paragraph
        for act in self._acts() if paragraph != part.paragraph else ():
            if act.part.paragraph == paragraph:
                act.why.setdefault(why, words)
        target.why.setdefault(why, words)
        target.texts.append(part.text)

    def _hold_all(self, why: Why, words: str, part: Part) -> None:
        acts = self._acts()
        for act in acts:
            act.why.setdefault(why, words)
        if acts:
            acts[-1].texts.append(part.text)
        else:
            self._done.append(ReadLine(part.text, Unread(say("unread.no-order"), chatter=True)))
        self._lead = _Lead(why, words, part.text.strip(), part.paragraph)

    def _takes_back(self, part: Part, heard: Said, target: _Act) -> bool:
        words = heard.begins("retract")
        if not words and not (declines(part.text) and not self._memory.waiting):
            return False
        rest = part.text[len(part.text) - len(part.text.split(words, 1)[-1]) :] if words else ""
        self._drop(part, heard, self._named(heard) or target)
        if any(sign.isalnum() for sign in rest) and not isinstance(result := self._read(rest.strip(" ,.:;-")), Unread):
            self._take_act(Part(rest.strip(" ,.:;-"), result, part.row, part.paragraph))
        return True

    def _drop(self, part: Part, heard: Said, target: _Act) -> None:
        everything = {"all", "everything", "them", "both"} & set(heard.words)
        for act in self._acts() if everything else [target]:
            act.dropped = True
            act.told = say("read.taken-back", words=part.text.strip())
        target.texts.append(part.text)

    # --- corrections -------------------------------------------------------------------------------------------------

    def _is_correction(self, part: Part, target: _Act | None) -> bool:
        rest, marked = _unmarked(part.text)
        change = change_in(rest, marked=marked) if rest else None
        if change is None or (target and "?" in part.text):
            return False
        if target is None:
            return self._corrects_earlier_mail(part, rest, marked)
        if (
            not marked
            and isinstance(part.result, Unread)
            and part.result.suggestions
            and change.how == "set"
            and not change.old
        ):
            return False
        named = self._named(said(rest))
        last = named or target
        for target in (named,) if named else tuple(reversed(self._acts())):
            order = target.order or _only(target.result, self._context)
            mended = mend(order, change, self._context, self._read) if order else None
            if mended and (target is last or _new(mended, order)):
                break
        else:
            return False
        beside = [act for act in self._acts() if act is not target and act.part.paragraph == target.part.paragraph]
        if not (named or change.old) and any(self._fits(act, change) for act in beside):
            for act in (target, *beside):
                act.why.setdefault("mends", part.text)
            target.texts.append(part.text)
            return True
        target.texts.append(part.text)
        target.changes += 1
        certain = target.order is not None and mended.sure and target.changes <= MOST_CHANGES
        if certain:
            target.result, target.options = mended.orders[0], ()
            target.told = say("read.corrected", line=_write(mended.orders[0]))
        else:
            target.options = mended.orders
            target.why["beside"] = part.text
        return True

    def _fits(self, act: _Act, change: Change) -> bool:
        return act.order is not None and mend(act.order, change, self._context, self._read) is not None

    def _named(self, heard: Said) -> _Act | None:
        """Return the only order above that the words name by its verb, its noun or its place."""
        acts = self._acts()
        if len(acts) < 2:
            return None
        words = set(heard.words)
        meant = [act for act in acts if act.order and words & _names_of(_write(act.order))]
        if not meant and (number := next((n for n, word in enumerate(_ORDINALS) if word in words), None)) is not None:
            meant = acts[number : number + 1]
        return meant[0] if len(meant) == 1 else None

    def _corrects_earlier_mail(self, part: Part, rest: str, marked: bool) -> bool:
        """Read the words as a correction of what was proposed, of what is on file, or of what is done already."""
        plain = isinstance(part.result, Unread) and part.result.suggestions
        change = change_in(rest, marked=marked)
        if change is None:
            return False
        waiting = self._memory.waiting
        offered = (
            [
                order
                for option in waiting.options[:1]
                if len(option) == 1 and (order := _typed(option[0], self._context))
            ]
            if waiting
            else []
        )
        for order in (*offered, *reversed(list(self._memory.on_file()))):
            if (mended := mend(order, change, self._context, self._read)) and _new(mended, order):
                act = _Act(
                    part, [part.text], mended.orders[0], told=say("read.corrected", line=_write(mended.orders[0]))
                )
                meant = marked or change.old or order in offered or self._is_asked(order)
                if not (mended.sure and meant) or "?" in part.text:
                    act.options, act.why["beside"] = mended.orders, part.text
                self._done.append(act)
                return True
        if plain and not marked:
            return False
        for line in reversed(self._memory.done):
            order = _typed(line, self._context)
            if order and mend(order, change, self._context, self._read) is not None:
                offers = part.result.suggestions if isinstance(part.result, Unread) and not marked else ()
                self._done.append(ReadLine(part.text, Unread(say("unread.done-already", line=line), offers)))
                return True
        return False

    def _named_on_file(self, heard: Said) -> str:
        """Return the only order on file of which words that take something back name a part; "" for none."""
        if not heard.has("retract"):
            return ""
        filed = [_write(order) for order in self._memory.on_file()]
        named = [line for line in filed if set(said(line).words) & set(heard.words) - _SMALL]
        return named[0] if len(named) == 1 else ""

    def _is_asked(self, order: Order | SheetLine) -> bool:
        known = self._context.known() if self._context.known else None
        meant = order.order if isinstance(order, SheetLine) else order
        kinds = ANSWERS.get(type(meant), ()) if isinstance(meant, Order) else ()
        return known is not None and any(question.kind in kinds for question in known.asked)

    # --- yes and no --------------------------------------------------------------------------------------------------

    def _is_answer_to_proposal(self, part: Part) -> bool:
        waiting = self._memory.waiting
        if waiting is None or part.exact:
            return False
        if acts := self._acts():
            return self._chooses_anew(part, waiting, acts)
        if declines(part.text) and len(self._parts) == 1 and waiting.answered:
            told = say("read.dropped")
            self._done.append(ReadLine(part.text, Unread(told), told, part.text))
            return True
        yes = agrees(part.text)
        number = 0 if yes and len(waiting.options) == 1 else chosen_option(part.text, waiting)
        if (number is None or number >= len(waiting.options)) and not yes:
            return False
        answer = part.result if isinstance(part.result, Order) else None
        if not waiting.answered and answer:
            return False
        if number is None or not waiting.answered or (answer and not self._is_meant(waiting, number, answer)):
            options = waiting.options if number is None else waiting.options[number : number + 1]
            lines = tuple(option[0] for option in options if len(option) == 1)
            lines = tuple(dict.fromkeys((*lines, write(answer)) if answer else lines))
            told = say("unread.which", lines=[f"“{line}”" for line in lines]) if lines else say("unread.yes-to-what")
            self._done.append(ReadLine(part.text, Unread(told, lines)))
            return True
        self._confirm(part, waiting, waiting.options[number])
        return True

    def _chooses_anew(self, part: Part, waiting: Proposal, acts: Sequence[_Act]) -> bool:
        """Take "no, the second" for the choice instead of the one that the mail made above."""
        rest, marked = _unmarked(part.text)
        number = chosen_option(rest, waiting) if marked and rest else None
        lines = tuple(_write(act.order) for act in acts if act.order)
        if number is None or number >= len(waiting.options) or lines not in waiting.options:
            return False
        for act in acts:
            act.dropped, act.told = True, say("read.taken-back", words=part.text.strip())
        self._confirm(part, waiting, waiting.options[number])
        return True

    def _is_meant(self, waiting: Proposal, number: int, order: Order) -> bool:
        return waiting.options[number] == (write(order),)

    def _confirm(self, part: Part, waiting: Proposal, lines: tuple[str, ...]) -> None:
        typed = [_typed_any(line, self._context) for line in lines]
        known = self._context.known() if self._context.known else None
        orders = [each for each in typed if isinstance(each, Order)]
        refused = next((reason for each in orders if known and (reason := known.judge(each)[1])), "")
        if waiting.seen != seen_by(self._context) or refused or None in typed:
            still = lines if not refused and None not in typed else ()
            told = say("unread.proposal-stale", lines=[f"“{line}”" for line in lines], why=refused)
            self._done.append(ReadLine(part.text, Unread(told, still, together=len(still) > 1)))
            return
        told = say("read.confirmed", words=part.text.strip())
        for line, result in zip(lines, typed, strict=True):
            if result is not None:
                self._done.append(
                    _Act(
                        Part(line, result, part.row, part.paragraph, exact=True, group=True), [line], result, told=told
                    )
                )

    # --- the verdict -------------------------------------------------------------------------------------------------

    def _answered_twice(self) -> None:
        """Hold back two different answers to one question, if plain words gave one of them."""
        known = self._context.known() if self._context.known else None
        many = [question.kind for question in known.asked if question.many] if known else []
        acts = [each for each in self._done if isinstance(each, _Act) and isinstance(each.result, Order)]
        for act, other in combinations(acts, 2):
            one, two = act.result, other.result
            if act.dropped or one == two or (act.part.exact and other.part.exact):
                continue
            if isinstance(one, Order) and isinstance(two, Order) and _rival(one, two, many):
                act.why.setdefault("beside", other.part.text)
                other.why.setdefault("beside", act.part.text)

    def _together_or_not(self) -> None:
        """Hold back the orders of one sentence if one of them is held back or would be refused."""
        judge = self._context.known().judge if self._context.known else None
        for act in self._acts():
            of_sentence = [other for other in self._acts() if other.part.group and other.part.row == act.part.row]
            if not act.part.group or len(of_sentence) < 2:
                continue
            refused = judge and isinstance(act.result, Order) and judge(act.result)[0] == "refused"
            if act.why or refused:
                for other in of_sentence:
                    other.why.setdefault("group", act.part.text)

    def _line(self, act: _Act) -> ReadLine:
        text = "\n".join(act.texts)
        if act.dropped:
            return ReadLine(text, Unread(act.told), act.told, _write(act.order) if act.order else act.part.text)
        if not act.why:
            return ReadLine(text, act.result, act.told)
        if isinstance(act.result, Unread) and act.why.keys() <= {"beside"} and not act.options:
            return ReadLine(text, act.result)
        why, words = next(iter(act.why.items()))
        lines: tuple[str, ...] = ()
        if isinstance(act.result, Unread):
            lines = act.result.suggestions
        elif act.order:
            lines = tuple(
                dict.fromkeys(
                    map(
                        _write,
                        (act.order, *act.options)
                        if why != "beside" or not act.changes
                        else act.options or (act.order,),
                    )
                )
            )
        if act.condition and act.order and isinstance(act.order, Order):
            lines = self._conditional(act.condition, act.order)
        elif not set(act.why).isdisjoint(NOT_OFFERED):
            lines = ()
        if act.options and act.changes:
            lines = tuple(map(_write, act.options))
        if act.options and act.changes:
            return ReadLine(
                text,
                Unread(
                    say(
                        "unread.plain-some" if len(lines) > 1 else "unread.plain", lines=[f"“{line}”" for line in lines]
                    ),
                    lines,
                ),
            )
        told = say(
            f"unread.held-{why}", words=words.strip().replace(LINE_END, " "), lines=[f"“{line}”" for line in lines]
        )
        return ReadLine(text, Unread(told, lines))

    def _conditional(self, condition: str, order: Order) -> tuple[str, ...]:
        """Return the `when …:` line for an order with a spoken condition, or nothing if it cannot be written."""
        words = condition.strip(" ,.:;").replace(LINE_END, " ")
        for line in (f"{write(order)} {words[0].lower()}{words[1:]}", f"when {words}: {write(order)}"):
            read = read_sheet_line(line, self._context)
            if isinstance(read, SheetLine):
                return (write_sheet_line(read),)
        return ()


_ORDINALS = ("first", "second", "third")
_NOUNS = {"ship": ("shipment", "shipping"), "move": ("movement", "moving"), "bid": ("bidding",), "when": ("sheet",)}


def _names_of(line: str) -> set[str]:
    verb = line.split()[0]
    return {verb, *_NOUNS.get(verb, ())}


def _tries(part: Part) -> bool:
    """Is the line an order that is not written right, so that it says nothing about the others?"""
    conditional = bool(said(part.text).begins("condition")) and ":" in part.text.rstrip(" :")
    return isinstance(part.result, Unread) and (not part.result.chatter or conditional or resembles_order(part.text))


def _leads_in(heard: Said, sort: Sort, reaches: bool) -> bool:
    """Does the line lead into the next one with words of this sort: at its beginning or end, or anywhere if it is short
    or ends in a colon?"""
    words = heard.words
    if sort == "forbid" and not reaches and any(word.isdigit() for word in words):
        return False  # it says itself what not to do
    if sort != "condition" and (reaches or len(words) <= LONGEST_LEAD):
        return bool(heard.has(sort))
    ends_so = any(
        heard.length(sort, place) == len(words) - place for place in range(max(0, len(words) - 4), len(words))
    )
    return (bool(heard.begins(sort)) and sort != "forbid") or ends_so


_SIGHS = frozenset({"hmm", "hm", "hmmm", "oh", "ah", "ach", "ay", "and", "well", "ok", "okay"})


def _unmarked(text: str) -> tuple[str, bool]:
    """Return a text without the words that mark it as a correction, and whether there were any."""
    heard = said(text)
    starred = text.strip().startswith("*") != text.strip().endswith("*")
    first, after, marked = 0, len(heard.words), starred
    if starred:
        first += heard.words[:1] == ("*",)
        after -= heard.words[-1:] == ("*",)
    while heard.words[first : first + 1] and heard.words[first] in _SIGHS and heard.length("correct", first) < 2:
        first += 1
    while first < after and (length := heard.length("correct", first)):
        if heard.length("over", first) > length:  # "instead of passing"
            break
        first, marked = first + length, True
    while first < after:
        length = next((n for n in range(5, 0, -1) if after - n >= first and heard.length("correct", after - n) == n), 0)
        if not length:
            break
        after, marked = after - length, True
    return heard.written(first, after) if first < after else "", marked


def _mends_something(text: str) -> bool:
    # "Sorry, 7 from there", "Non, plutôt 5 !"
    rest, marked = _unmarked(text)
    words = said(rest).words
    return marked and "?" not in text and len(words) <= LONGEST_MENDING and any(word.isdigit() for word in words)


def _goes_on(text: str) -> bool:
    """Do the words go on below an empty line: with a colon, or in the middle of a sentence?"""
    heard = said(text)
    return text.endswith((":", "：")) or bool(heard.words and heard.length("unfinished", len(heard.words) - 1))


def _leads_on(result: Result, text: str) -> bool:
    """Is it press whose last words go on in the next line: "press to guild: I suggest you"?"""
    if not isinstance(result, Press) or LINE_END in text:
        return False
    heard = said(text)
    return text.rstrip().endswith((",", ":", "-", "–")) or bool(heard.length("unfinished", len(heard.words) - 1))


def _only(result: Result, context: Context) -> Order | SheetLine | None:
    if isinstance(result, Unread) and len(result.suggestions) == 1:
        return _typed(result.suggestions[0], context)
    return None


def _typed(line: str, context: Context) -> Order | SheetLine | None:
    read = _typed_any(line, context)
    return read if isinstance(read, Order | SheetLine) else None


def _typed_any(line: str, context: Context) -> Written | SheetLine | None:
    read = read_as_written(line, context) or read_sheet_line(line, context)
    return None if isinstance(read, Unread) else read


def _new(mended: Mended, order: Order | SheetLine | None) -> bool:
    return mended.orders[0] != order


def _write(order: Order | SheetLine) -> str:
    return write_sheet_line(order) if isinstance(order, SheetLine) else write(order)


def _writes(order: Order | SheetLine | None, line: str, read: Read) -> bool:
    return order is not None and read(line) == order


def _rival(one: Order, two: Order, many: Collection[QuestionKind]) -> bool:
    kinds = set(ANSWERS.get(type(one), ())) & set(ANSWERS.get(type(two), ()))
    return bool(kinds) and kinds.isdisjoint(many)
