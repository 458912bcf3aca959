"""The verdict on a whole mail: how all its words affect its orders.

An order is carried out as written unless other words affect it. Words that are not an order affect the orders
next to them, unless the words are known to be harmless: a greeting, thanks, a name, a question, a separate sentence
about something else. Some words reach further: "this is a draft" holds back the whole mail, and a condition or
"yesterday I wrote" holds back everything that it introduces. An order that is affected is not carried out; the answer
quotes the words that were the reason.

A correction changes the last order before it, in this mail or on file. If the correction can mean only one thing, the
corrected order is carried out; the original order never is. Further words can only make an order less certain; only a
confirmation makes it more certain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.effort import Exhausted, charge, is_exhausted
from bot.language.attempts import name_at
from bot.language.command_lines import Command, CommandContext
from bot.language.commands import Cancel, MailCommand, Press
from bot.language.corrections import (
    cancels_above,
    corrects,
    is_asked,
    may_mend_sheet,
    mends_something,
    named_above,
    offers_to_cancel,
    replaces_above,
    take_back,
    unmarked,
)
from bot.language.edits import answer_the_same
from bot.language.lines import LINE_END, Context
from bot.language.moves import (
    Said,
    Sort,
    agrees,
    asks,
    declines,
    ends,
    is_bare,
    is_courtesy,
    is_heading,
    is_sentence,
    said,
)
from bot.language.orders import Unread, resembles_order
from bot.language.proposals import Memory, answers_proposal, asked_first, chooses_anew, chosen_option, of_quoted
from bot.language.remarks import Remark
from bot.language.sheets import read_sheet_line
from bot.language.verdict import Act, MailSoFar, Part, Read, ReadLine, Result, Why, bare, rivals_of, typed, written
from bot.mail.lines import holds_free_text
from bot.wording import say
from rules.orders import Order, Plan

SHORT_AND_STRANGE = 2  # a line this short says too little to be recognised as harmless
_ROUNDS = frozenset({"turn", "round", "phase", "card", "battle"})
_OF_SEVERAL = frozenset({"both", "all", "two", "these", "those", "them", "orders", "first", "second", "third", "last"})
LONGEST_REMARK = 25  # words that are judged together
LONGEST_LEAD = 6  # words of a line that leads into the next one by any of its words
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_Doubt = Literal["doubt", "report", "forbid", "later", "condition"]
_DOUBTS: Sequence[_Doubt] = ("report", "forbid", "later", "doubt")


@dataclass(slots=True)
class _Lead:
    why: Why
    words: str
    text: str
    paragraph: int
    """The paragraph that contains it, or the paragraph whose orders it holds back."""
    reached: bool = False


def relate(parts: Sequence[Part], context: Context, memory: Memory, read: Read) -> list[ReadLine]:
    return _Mail(parts, context, memory, read).lines()


class _Mail:
    def __init__(self, parts: Sequence[Part], context: Context, memory: Memory, read: Read) -> None:
        self._parts, self._context, self._memory = parts, context, memory
        self._so_far = MailSoFar(context, read)
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
        return self._so_far.verdicts()

    def _take(self, number: int, part: Part, before: Part | None) -> None:
        try:
            if not part.exact:
                charge(1 + len(part.text) // 200)
            if self._is_answer_to_proposal(part):
                return
            if isinstance(part.result, Unread):
                self._take_words(number, part, before)
            elif self._only_mends(part):
                self._take_words(number, replace(part, result=Unread(say("unread.no-order"), chatter=True)), before)
            elif not self._replaces(part):
                self._take_act(part)
                self._touched_by_talk(part, before)
        except Exhausted:  # these words could change any of the orders above
            self._hold_all("doubt", part.text.strip(), part)

    def _only_mends(self, part: Part) -> bool:
        """Return True if the line is only a word such as "WAIT" or "no!" below an order. Without an order above it,
        such a word could answer an open question."""
        order, heard = bare(part.result if isinstance(part.result, Order) else None), said(part.text)
        if order is None or part.under or not heard.consists_of("correct", "retract", "no", "forbid"):
            return False
        if part.exact:
            return bool(self._acts()) and not is_asked(order, self._context)
        glued = any(act.part.paragraph == part.paragraph for act in self._acts()[-1:])
        return glued or any((above := bare(act.order)) and answer_the_same(above, order) for act in self._acts())

    def _is_answer_to_proposal(self, part: Part) -> bool:
        waiting = self._memory.waiting
        if waiting and part.under:
            waiting = of_quoted(waiting, part.under)
        if waiting is None:
            return False
        rest, marked = unmarked(part.text)
        marked = marked and part.text.rstrip(" .!").endswith(
            rest.rstrip(" .!")
        )  # "no, the second", not "the second, no?"
        if self._acts():
            return marked and chooses_anew(self._so_far, waiting, part, rest)
        second_thought = marked and rest and (agrees(rest) or chosen_option(rest, waiting) is not None)
        alone = all(each is part or isinstance(each.result, Unread) for each in self._parts)
        meant = replace(part, text=rest) if second_thought and not any(map(str.isdigit, rest)) else part
        return answers_proposal(self._so_far, waiting, meant, alone=alone, anew=meant is not part)

    # --- acts --------------------------------------------------------------------------------------------------------

    def _acts(self) -> list[Act]:
        return self._so_far.acts()

    def _add(self, text: str, result: Result) -> None:
        self._so_far.done.append(ReadLine(text, result))

    def _replaces(self, part: Part) -> bool:
        # "rollback 2 storm / sorry, preview 2 storm", "bid 4 / *6"
        target, order = next(iter(reversed(self._acts())), None), part.result
        above = bare(target.order) if target else None
        if target is None or part.exact or not isinstance(order, Order | Command) or not unmarked(part.text)[1]:
            return False
        if isinstance(order, Order) and not (above and answer_the_same(above, order)):
            return False
        if not corrects(self._so_far, self._memory, part, target):
            target.why.setdefault("mends", part.text.strip())
            target.texts.append(part.text)
        return True

    def _take_act(self, part: Part) -> None:
        if isinstance(part.result, Cancel) and cancels_above(self._so_far, part, part.result):
            return
        if part.marked and replaces_above(self._so_far, part):
            return
        asked = asked_first(self._memory, part, self._context)
        if question := asked or may_mend_sheet(self._so_far, self._memory, part):
            self._so_far.done.append(question)
            return
        act = Act(part, [part.text], part.result)
        if not isinstance(part.result, MailCommand) or isinstance(part.result, Press):
            self._lead_into(act)
        self._touched_by_offer(act)
        above = self._acts()[-1:]
        if above and above[0].part.paragraph == part.paragraph and _leads_on(above[0].result, above[0].part.text):
            above[0].why["beside"] = part.text  # "press to emperor: I suggest you / ship 4 to carthag"
            act.why["report"] = above[0].part.text[-60:]
        self._so_far.done.append(act)

    def _lead_into(self, act: Act) -> None:
        lead = self._lead
        if lead is None:
            return
        if lead.why == "beside" and lead.paragraph != act.part.paragraph and not _goes_on(lead.text):
            return
        act.why[lead.why] = lead.words
        act.condition = lead.text if lead.why == "condition" else ""
        if not lead.reached:
            act.texts.insert(0, lead.text)
            done = self._so_far.done
            done[:] = [each for each in done if _offers_some(each) or getattr(each, "text", "").strip() != lead.text]
        lead.reached, lead.paragraph = True, act.part.paragraph

    def _touched_by_offer(self, act: Act) -> None:
        if isinstance(act.result, Command) and act.part.exact:
            return  # a correct line is carried out even if a line above it is mistyped
        above = self._so_far.done[-1] if self._so_far.done else None
        if isinstance(above, Act) and above.order is None:
            above = ReadLine(above.part.text, above.result)
        if not isinstance(above, ReadLine) or self._above_row != (act.part.row - 1, act.part.paragraph):
            return
        offered = above.result.suggestions if isinstance(above.result, Unread) else ()
        if rivals_of(bare(act.order), offered, self._context):
            act.why.setdefault("beside", above.text)

    def _touched_by_talk(self, part: Part, *beside: Part | None) -> None:
        """Hold back a line that is only a number or a "no", if a line next to it is neither an order nor a greeting."""
        act = next((act for act in self._acts() if act.part is part), None)
        for other in beside:
            glued = other and act and other.paragraph == part.paragraph and isinstance(other.result, Unread)
            if other is None or act is None or part.exact or not glued or not is_bare(part.text):
                continue
            asked = asks(other.text) and len(said(other.text).words) <= LONGEST_LEAD  # "Which number?"
            if not (is_courtesy(other.text, last=True, signed=True) or is_heading(other.text) or asked):
                act.why.setdefault("beside", other.text.strip())

    # --- words -------------------------------------------------------------------------------------------------------

    def _take_words(self, number: int, part: Part, before: Part | None) -> None:
        if holds_free_text(part.text):  # a question, a deal or press that is written wrongly
            self._say(part)
            return
        target = next(iter(reversed(self._acts())), None)
        glued = before is not None and before.paragraph == part.paragraph
        heard = said(part.text)
        if target and asks(part.under) and part.under != target.part.under and not _is_strong(heard):
            self._say(part)  # it answers another question
            return
        if (
            target
            and heard.consists_of("forbid", "no", "retract", "correct")
            and (heard.has("forbid") or heard.has("retract"))
        ):
            take_back(self._so_far, part, heard, target)
            return
        if corrects(self._so_far, self._memory, part, target):
            return
        if target is None and (cancel := offers_to_cancel(self._memory, part, heard)):
            self._so_far.done.append(cancel)
            return
        if target and glued and heard.consists_of("correct") and not heard.is_all("sorry"):
            self._touch(target, "beside", part.text.strip(), part)
            return
        if self._addresses_player(heard, part.text):
            if target:
                self._touch(target, "beside", part.text.strip(), part)
                return
            self._add(part.text, Unread(say("unread.no-order"), chatter=True))
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
            rest = part.text[heard.spans[length][0] :] if length < len(heard.words) else ""
            heard = said(rest)
            strong = heard.begins("retract") or heard.has("mends") or unmarked(rest)[1] or heard.begins("forbid")
            if target and (strong or self._remark(heard, target).of_its_sort() or self._remark(heard, target).refers()):
                self._take_words(number, replace(part, text=rest), before)
            else:
                self._say(part)
            return
        if target and (heard.has("mends") or mends_something(part.text)):
            for act in self._acts():
                if act.part.paragraph == target.part.paragraph:
                    act.why.setdefault("mends", part.text.strip())
            target.texts.append(part.text)
            return
        self._weigh(number, part, heard, target)

    def _weigh(self, number: int, part: Part, heard: Said, target: Act | None) -> None:
        long = "?" in part.text or len(heard.words) > LONGEST_REMARK
        sentences = _SENTENCE_END.split(part.text) if long else [part.text]
        whys = (self._why(replace(part, text=text), said(text), target) for text in sentences if said(text).words)
        why = next((each for each in whys if each), None)
        apart_from_press = target and isinstance(target.result, Press) and target.part.paragraph != part.paragraph
        guess = isinstance(part.result, Unread) and part.result.guess
        apart = apart_from_press or (guess and not (target and heard.begins("correct")))
        if why is None or (apart and why[0] == "beside"):
            self._say(part)
            if target:
                self._touched_by_talk(target.part, part)
            return
        colon = part.text.strip().endswith((":", "："))
        offers = _offers(part)
        if target and not colon:
            self._touch(target, *why, part)
        elif isinstance(part.result, Unread) and not (part.result.chatter or offers or guess):
            self._say(part)
        elif offers and not colon and (why[0] != "forbid" or number == len(self._parts) - 1):
            self._say(part)
            return
        else:
            self._add(part.text, part.result if guess else Unread(say("unread.no-order"), chatter=True))
        if target is None or colon or not (ends(part.text) or _tries(part)):
            self._lead = _Lead(*why, part.text.strip(), part.paragraph)

    def _why(self, part: Part, heard: Said, target: Act | None) -> tuple[Why, str] | None:
        text, remark, why = part.text.strip(), self._remark(heard, target), self._reason(part, heard, target)
        offers = _offers(part)
        if agrees(text) or is_heading(text) or self._is_command(part):
            return why
        goes_on = text.endswith(":") or (target is None and remark.leads_in())
        if not (offers or goes_on or "?" in text) and self._is_whole(part) and remark.strays():
            return None
        if why and why[0] != "beside":
            return why
        if target is None:
            if heard.has("frame") and not (offers or self._is_of_a_sheet(text)):
                return ("doubt" if heard.has("doubt") else "report", text.rstrip(" :"))
            return ("report", text) if remark.leads_in() and remark.is_english() and not offers else why
        of_plan = isinstance(bare(target.order), Plan) and remark.hooks  # "Keep the maula for later."
        of_its_own = not of_plan and any(self._says_itself(heard, line) for line in offers)
        of_its_own |= (self._is_of_a_sheet(text) or _tries(part)) and not is_sentence(text)
        if target.order is None or of_its_own or "?" in text or written(target.order) in offers or not remark.refers():
            return why
        says_other = self._says_other(part, target)
        return ("beside" if says_other or not (remark.names_its_thing() or remark.of_its_sort()) else "mends", text)

    def _says_itself(self, heard: Said, line: str) -> bool:
        # a complete order that can be given: "move 4 arrakeen - carthag"
        order, known = typed(line, self._context), self._context.known
        refused = known and isinstance(order, Order) and known().judge(order)[0] == "refused"
        return line.split()[0] == heard.words[0] and not refused

    def _is_whole(self, part: Part) -> bool:
        beside = [each for each in self._parts if each.paragraph == part.paragraph]
        alone = all(each.row == part.row and isinstance(each.result, Unread) for each in beside)
        return alone or is_sentence(part.text)

    def _reason(self, part: Part, heard: Said, target: Act | None) -> tuple[Why, str] | None:
        """Return why the words hold back the orders next to them, or None if the words are known to be harmless."""
        text = part.text.strip()
        colon = text.endswith((":", "："))
        if self._is_command(part) and not (heard.begins("correct") or heard.begins("retract")):
            grave = target and isinstance(target.result, Command) and target.result.grave
            return ("beside", text) if grave else None  # a command that is written wrongly
        if colon and heard.words[0] == "from":  # "From the forum:"
            return ("report", text.rstrip(" :"))
        if heard.begins("alternative"):
            return ("doubt", text.rstrip(" :,"))
        if agrees(text) or (is_heading(text) and (colon or target is None or target.part.paragraph != part.paragraph)):
            return None
        if heard.length("condition", len(heard.words) - 1):  # "pass if Guild bids, otherwise"
            return ("condition", text)
        if self._is_of_a_sheet(text) or (heard.begins("condition") and _tries(part) and not colon):
            return None  # a separate line that is written wrongly
        if _offers(part) and not colon and not _leads_in(heard, "forbid", reaches=False) and not heard.has("doubt"):
            return ("beside", text) if target and self._says_other(part, target) else None
        whole = (self._is_whole(part) if target else is_sentence(text)) and not colon
        short = len(heard.words) <= LONGEST_LEAD
        sort_said = self._remark(heard, target).of_its_sort()
        if "?" in text:
            short = len(heard.words) <= SHORT_AND_STRANGE
            waits = heard.begins("request") and heard.begins("ordering")  # "Wait, is there a storm?"
            asks = self._remark(heard, target).asks_about_order() or text[0].islower() or short or waits
            named = named_above(self._so_far, heard)[0]  # "Should the first be 2?"
            return ("question", text) if asks or sort_said or named else None
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
        if sort_said:
            return ("mends", text)
        if target and part.paragraph > target.part.paragraph + 1:
            return None
        strange = not whole or heard.has("ordering") or len(heard.words) <= SHORT_AND_STRANGE
        return ("beside", text) if strange else None

    def _is_of_a_sheet(self, text: str) -> bool:
        return not isinstance(self._context, CommandContext) and read_sheet_line(text, self._context) is not None

    def _is_command(self, part: Part) -> bool:
        read = part.result if isinstance(self._context, CommandContext) else None
        return isinstance(read, Unread) and not (read.chatter or read.suggestions)

    def _addresses_player(self, heard: Said, text: str) -> bool:
        if not (text.lstrip().startswith("@") or heard.words[:1] == ("dear",)):
            return False
        named = [name for place in range(len(heard.words)) if (name := name_at("faction", heard.words, place))]
        others = self._context.factions - {self._context.faction}
        return any(name.whole and not others.isdisjoint(name.values) for name in named)

    def _remark(self, heard: Said, target: Act | None) -> Remark:
        return Remark(heard, bare(target.order) if target else None, self._context.faction)

    def _says_other(self, part: Part, target: Act) -> bool:
        offered = part.result.suggestions if isinstance(part.result, Unread) else ()
        rivals = rivals_of(bare(target.order), offered, self._context)
        target.options = (*target.options, *rivals)
        return bool(rivals)

    def _say(self, part: Part) -> None:
        self._above_row = (part.row, part.paragraph)
        if isinstance(part.result, Unread) and part.result.suggestions:
            act = Act(part, [part.text], part.result)
            self._lead_into(act)
            self._so_far.done.append(act)
        else:
            self._add(part.text, part.result)

    def _touch(self, target: Act, why: Why, words: str, part: Part) -> None:
        """Hold back an order because of the words below it, and with it all other orders of its paragraph that the
        words may concern. Words in another paragraph, or words that single out one of several orders, may concern any
        of them. Other words concern only the orders that have a blank for what the words name."""
        paragraph, heard = target.part.paragraph, said(part.text)
        several = named_above(self._so_far, heard)[0] or not _OF_SEVERAL.isdisjoint(heard.words)
        apart = several or paragraph != part.paragraph
        named = set(heard.words).intersection(said(target.part.text).words) if why == "forbid" else set()
        for act in self._acts():
            if named and named.isdisjoint(said(act.part.text).words):  # "no, not fremen"
                continue
            beside = act.part.paragraph == paragraph
            about = self._remark(heard, act).refers() or _shares_number(heard, act)
            if (beside and (apart or self._remark(heard, act).of_its_sort())) or (apart and about):
                act.why.setdefault(why, words)
        target.why.setdefault(why, words)
        target.texts.append(part.text)

    def _hold_all(self, why: Why, words: str, part: Part) -> None:
        acts = self._acts()
        for act in acts:
            act.why.setdefault(why, words)
        if acts:
            acts[-1].texts.append(part.text)
        elif isinstance(part.result, Unread) and (len(part.result.suggestions) > 1 or part.result.guess):
            # "3 or 4, can't decide"; what is only offered may stay beside "don't do it yet"
            self._say(part)
        else:
            self._add(part.text, Unread(say("unread.no-order"), chatter=True))
        self._lead = _Lead(why, words, part.text.strip(), part.paragraph)

    def _takes_back(self, part: Part, heard: Said, target: Act) -> bool:
        words = heard.begins("retract")
        if not words and not (declines(part.text) and not self._memory.waiting):
            return False
        rest = part.text.split(words, 1)[-1].strip(" ,.:;-") if words else ""
        take_back(self._so_far, part, heard, named_above(self._so_far, heard)[0] or target)
        result = self._so_far.read(rest) if rest else None
        named = any(isinstance(act, Act) and act.result == result for act in self._so_far.done)
        if result and not (named or isinstance(result, Unread)):
            self._take_act(Part(rest, result, part.row, part.paragraph))
        return True


def _offers(part: Part) -> Sequence[str]:
    return part.result.suggestions if isinstance(part.result, Unread) and not part.result.guess else ()


def _offers_some(line: object) -> bool:
    read = line.result if isinstance(line, ReadLine) else None
    return not isinstance(line, ReadLine) or (isinstance(read, Unread) and bool(read.guess))


def _shares_number(heard: Said, act: Act) -> bool:
    own = said(written(act.order)).words if act.order else ()
    return any(word.isdigit() and word in own for word in heard.words)


def _tries(part: Part) -> bool:
    conditional = bool(said(part.text).begins("condition")) and ":" in part.text.rstrip(" :")
    unread = part.result if isinstance(part.result, Unread) else None
    nearly = unread is not None and not (unread.chatter or unread.guess)
    return unread is not None and (nearly or conditional or resembles_order(part.text))


def _is_strong(heard: Said) -> bool:
    return bool(heard.has("draft") or heard.begins("retract") or heard.has("mends"))


def _leads_in(heard: Said, sort: Sort, reaches: bool) -> bool:
    words = heard.words
    if sort == "forbid" and not reaches and any(word.isdigit() for word in words):
        return False  # the words themselves say what not to do
    goes_on = sort == "report" and not ends(heard.text) and bool(heard.length("unfinished", len(words) - 1))
    if sort != "condition" and (reaches or goes_on or len(words) <= LONGEST_LEAD):
        return bool(heard.has(sort))
    ends_so = any(
        heard.length(sort, place) == len(words) - place for place in range(max(0, len(words) - 4), len(words))
    )
    return (bool(heard.begins(sort)) and sort != "forbid") or ends_so


def _goes_on(text: str) -> bool:
    heard = said(text)
    return text.endswith((":", "：")) or bool(heard.words and heard.length("unfinished", len(heard.words) - 1))


def _leads_on(result: Result, text: str) -> bool:
    # "press to guild: I suggest you"
    if not isinstance(result, Press) or LINE_END in text:
        return False
    heard = said(text)
    return text.rstrip().endswith((",", ":", "-", "–")) or bool(heard.length("unfinished", len(heard.words) - 1))
