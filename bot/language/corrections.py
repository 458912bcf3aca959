"""Second thoughts: words in a mail that change an order above them, an order on file, or one just proposed.

A correction changes the last order before it that has a blank for what the correction names. If the correction can mean
only one thing, the corrected order is carried out; the original order never is. An order that has already been carried
out is not changed, and the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.effort import charge
from bot.language.attempts import SORTS_OF_NAMES, is_elite, name_at
from bot.language.command_lines import CommandContext
from bot.language.commands import Cancel
from bot.language.edits import Change, Instruction, Mended, answer_the_same, change_in, mend
from bot.language.lines import Context
from bot.language.moves import Said, points_back, said
from bot.language.names import CARD_NAMES
from bot.language.orders import Unread
from bot.language.proposals import Memory
from bot.language.sheets import SheetLine
from bot.language.verdict import Act, MailSoFar, Part, ReadLine, bare, quoted, typed, written
from bot.language.vocabulary import vocabulary
from bot.wording import say
from rules.components import Faction
from rules.orders import ANSWERS, Order, Plan

MOST_CHANGES = 2
"""If a mail changes a value more often than this, the order is not carried out; its last version is proposed."""

LONGEST_MENDING = 8  # words

_SMALL = frozenset(
    {"no", "to", "in", "from", "on", "with", "the", "a", "i", "it", "not", "and", "up", "of", "when", "card", "all"}
)
_ORDINALS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2}
_BEFORE_NAME = frozenset({"the", "my", "on", "for", "in", "as", "of", "with"})
_AFTER_NAME = frozenset({"one", "line", "order", "is"})
_ONLY = frozenset({"only", "just", "but", "and", "then", "please", "the"})
_ALL = frozenset({"all", "everything", "them", "both"})
_MAKES = frozenset({"make", "change", "set", "let"})
_NOUNS = {"ship": ("shipment", "shipping"), "move": ("movement", "moving"), "bid": ("bidding",), "when": ("sheet",)}
_NO_AND = re.compile(r"\s*no\s*[,;:.!–-]", re.IGNORECASE)
_SIGHS = frozenset({"hmm", "hm", "hmmm", "oh", "ah", "ach", "ay", "and", "well", "ok", "okay"})


def corrects(mail: MailSoFar, memory: Memory, part: Part, target: Act | None) -> bool:
    """If the words correct an order, make the correction and return True. `target` is the last order above the
    words."""
    changes = _changes(part.text, mail.context.faction)
    if target is None:
        return _corrects_earlier_mail(mail, memory, part, changes or _parts_of_a_plan(part))
    if "?" in part.text:
        return False
    named, rest = named_above(mail, said(part.text))
    if named and said(rest).words and _ONLY.issuperset(said(rest).words):  # "just the shipment"
        for act in mail.acts():
            if act is not named and not act.changes:
                act.drop(part.text)
        named.texts.append(part.text)
        return True
    if named:
        mended = _mended(mail, _order_of(named, mail), [*_changes(rest, mail.context.faction, named=True), *changes])
        if mended:
            _change(mail, named, mended[0], part)
        return mended is not None
    return _corrects_above(mail, part, target, changes)


def _changes(text: str, faction: Faction | None, *, named: bool = False) -> list[Change]:
    """Return the changes that a text can describe, the likeliest first: "no weapon after all" is tried as "no weapon"
    before "weapon"."""
    rests = dict.fromkeys((unmarked(text, tail_only=True), unmarked(text)))
    found = [change_in(rest, marked=marked or named) for rest, marked in rests if rest]
    changes = [change for change in found if change]
    denied = [change for change in changes if change.how == "remove" and not _NO_AND.match(text)]
    adds_none = any(CARD_NAMES.whole(each.value) or _is_elite(each.value, faction) for each in denied)
    return denied if adds_none else changes  # "no shield", "no Fedaykin"


def _is_elite(text: str, faction: Faction | None) -> bool:
    return faction is not None and any(is_elite(word, faction) for word in said(text).words)


def _parts_of_a_plan(part: Part) -> list[Change]:
    """Return the change described by a line that only names a part of a battle plan, without words such as "instead"
    that mark a correction: "dial 3", "with Duncan"."""
    says = "?" not in part.text and len(said(part.text).words) <= LONGEST_MENDING
    return [Change(part.text)] if says and isinstance(part.result, Unread) and not part.result.suggestions else []


def _corrects_above(mail: MailSoFar, part: Part, last: Act, changes: Sequence[Change]) -> bool:
    if isinstance(part.result, Unread) and part.result.suggestions:
        changes = [change for change in changes if change.is_marked or change.how != "set"]
    for target in reversed(mail.acts()):
        found = _mended(mail, _order_of(target, mail), changes)
        if found and (target is last or found[0].orders[0] != target.order):
            break
    else:
        return False
    mended, change = found
    beside = [act for act in mail.acts() if act is not target and act.part.paragraph == target.part.paragraph]
    if not change.old and any(_mended(mail, act.order, [change]) for act in beside):
        target.texts.append(part.text)
        for act in (target, *beside):
            act.why.setdefault("mends", part.text)
    else:
        _change(mail, target, mended, part)
    return True


def _mended(mail: MailSoFar, order: Instruction | None, changes: Sequence[Change]) -> tuple[Mended, Change] | None:
    found = [
        (mended, change)
        for change in (changes if order else ())
        if order and (mended := mend(order, change, mail.context, mail.read))
    ]
    return next((each for each in found if each[0].sure), found[0] if found else None)


def _order_of(act: Act, mail: MailSoFar) -> Instruction | None:
    if act.order or not isinstance(act.result, Unread) or len(act.result.suggestions) != 1:
        return act.order
    return typed(act.result.suggestions[0], mail.context)


def _change(mail: MailSoFar, act: Act, mended: Mended, part: Part) -> None:
    act.texts.append(part.text)
    act.changes += 1
    if act.order is not None and mended.sure and act.changes <= MOST_CHANGES:
        act.result, act.options = mended.orders[0], ()
        act.told = say("read.corrected", line=written(mended.orders[0]))
        return
    act.options = mended.orders
    for each in mail.acts():
        if each.part.paragraph == act.part.paragraph:
            each.why.setdefault("beside", part.text)


def replaces_above(mail: MailSoFar, part: Part) -> bool:
    """If exactly one order above answers the same question, replace it with the order that these words give, as "no
    move after all" does. Return whether an order was replaced."""
    order = part.result if isinstance(part.result, Order) else None
    above = [act for act in mail.acts() if order and (given := bare(act.order)) and answer_the_same(given, order)]
    if not order or len(above) != 1:
        return False
    _change(mail, above[0], Mended((order,), sure=True), part)
    return True


def named_above(mail: MailSoFar, heard: Said) -> tuple[Act | None, str]:
    """If the words single out exactly one earlier order, by its verb, its noun or its place in the mail, return that
    order and the words without this reference."""
    acts = mail.acts()
    if len(acts) < 2:
        return None, ""
    charge(len(acts) // 4)
    names = [(act, _names_of(written(act.order))) for act in acts if act.order]
    named = [(act, place) for act, own in names for place, word in enumerate(heard.words) if word in own]
    if not named:
        places = [(_ORDINALS[word], place) for place, word in enumerate(heard.words) if word in _ORDINALS]
        named = [(acts[number], place) for number, place in places if len(places) == 1 and number < len(acts)]
    if len({id(act) for act, _ in named}) != 1:
        return None, ""
    target, place = named[0]
    first, after = place, place + 1
    while first and heard.words[first - 1] in _BEFORE_NAME:
        first -= 1
    while after < len(heard.words) and heard.words[after] in _AFTER_NAME:
        after += 1
    lead = heard.written(0, first) + (" it" if first and heard.words[first - 1] in _MAKES else "")
    return target, f"{lead} {heard.written(after, len(heard.words))}".strip()


def _names_of(line: str) -> set[str]:
    verb = line.split()[0]
    return {verb, *_NOUNS.get(verb, ())}


# --- an earlier mail -------------------------------------------------------------------------------------------------


def _corrects_earlier_mail(mail: MailSoFar, memory: Memory, part: Part, changes: Sequence[Change]) -> bool:
    offers = part.result.suggestions if isinstance(part.result, Unread) else ()
    waiting = memory.waiting.options if memory.waiting else ()
    commands = isinstance(mail.context, CommandContext)
    if commands and offers and not any(change.is_marked for change in changes):
        return False  # the line has a meaning of its own
    offered = [order for lines in waiting if len(lines) == 1 and (order := typed(lines[0], mail.context))]
    for order in (*offered, *reversed(list(memory.on_file()))):
        found = _mended(mail, order, changes)
        if found is None or found[0].orders[0] == order:
            continue
        mended, change = found
        told = say("read.corrected", line=written(mended.orders[0]))
        act = Act(part, [part.text], mended.orders[0], told=told)
        meant = change.is_marked or order in offered or is_asked(order, mail.context)
        is_part = change.how == "set" and not change.is_marked
        if is_part and not (mended.sure and isinstance(bare(order), Plan)):
            continue
        each_mended = [_mended(mail, other, changes) for other in offered] if order in offered else []
        several = {written(each[0].orders[0]): each[0].orders[0] for each in each_mended if each}
        if len(several) > 1:  # it is unclear which of the offered lines is meant
            act.options, act.why["beside"] = tuple(several.values()), part.text
        elif is_part or not (mended.sure and meant) or "?" in part.text or (commands and order in offered):
            act.options, act.why["beside"] = mended.orders, part.text
        mail.done.append(act)
        return True
    marked = any(change.marked for change in changes)
    if offers and not marked:
        return False
    for line in reversed(memory.done):
        order = typed(line, mail.context)
        if order and _mended(mail, order, changes):
            told = say("unread.done-already", line=line)
            mail.done.append(ReadLine(part.text, Unread(told, () if marked else offers)))
            return True
    return False


def may_mend_sheet(mail: MailSoFar, memory: Memory, part: Part) -> ReadLine | None:
    """If words that point back ("up to 4 then") could either answer the open question or change a conditional line on
    file, return a line that asks which is meant."""
    order = part.result if isinstance(part.result, Order) and not part.exact else None
    if order is None or mail.acts() or not (points_back(part.text) or unmarked(part.text)[1]):
        return None
    filed = [each for each in memory.on_file() if isinstance(each, SheetLine) and each.condition]
    alike = [each for each in filed if (given := bare(each)) and given != order and answer_the_same(given, order)]
    lines = [written(order), *(written(replace(each, order=order)) for each in alike)]
    return ReadLine(part.text, Unread(say("unread.one-of", lines=quoted(lines)), tuple(lines))) if alike else None


def is_asked(order: Instruction, context: Context) -> bool:
    known = context.known() if context.known else None
    answer = bare(order)
    kinds = ANSWERS.get(type(answer), ()) if isinstance(answer, Order) else ()
    return known is not None and any(question.kind in kinds for question in known.asked)


# --- taking back -----------------------------------------------------------------------------------------------------


def cancels_above(mail: MailSoFar, part: Part, cancel: Cancel) -> bool:
    """Drop the parts of this mail that a `cancel` withdraws. Return True if nothing is left for the command itself to
    do."""
    acts = [act for act in mail.acts() if act.order]
    named = cancel.line.strip(" .!").lower()
    heard, read = said(named), mail.read(named) if named else None
    if pointed := heard.consists_of("pointing"):
        meant = acts[-1:]
    else:
        meant = [act for act in acts if not named or act.order == read or _ALL.intersection(heard.words)]
    if acts and not meant and isinstance(read, Unread):
        last = {"order", "line"}.union(*(_names_of(written(act.order)) for act in acts[-1:] if act.order))
        above = named_above(mail, heard)[0] or (acts[-1] if last.intersection(heard.words) else None)
        if above is None:  # "Cancel culture is bad."
            for act in acts:
                act.why.setdefault("doubt", part.text)
            acts[-1].texts.append(part.text)
            return True
        meant, pointed = [above], True  # "cancel the second", "cancel the shipment"
    if pointed and meant and (heard.has("condition") or "?" in part.text):
        take_back(mail, part, heard, meant[0])
        return True
    for act in meant:
        act.drop(part.text)
        act.texts += [part.text] if pointed else []
    return bool(meant and named and not _ALL.intersection(heard.words))


def take_back(mail: MailSoFar, part: Part, heard: Said, target: Act) -> None:
    """Drop the orders that the words withdraw. If the words are a question or contain a condition, only hold those
    orders."""
    if heard.has("condition") or "?" in part.text:
        for act in mail.acts():
            act.why.setdefault("beside", part.text)
        target.texts.append(part.text)
        return
    for act in mail.acts() if _ALL.intersection(heard.words) else [target]:
        act.drop(part.text)
    target.texts.append(part.text)


def offers_to_cancel(memory: Memory, part: Part, heard: Said) -> ReadLine | None:
    """If words that withdraw something mention exactly one order on file, offer to cancel that order."""
    if not heard.has("retract"):
        return None
    filed = [written(order) for order in memory.on_file()]
    named = [f"cancel {line}" for line in filed if set(said(line).words) & set(heard.words) - _SMALL]
    if len(named) != 1:
        return None
    return ReadLine(part.text, Unread(say("unread.plain", lines=quoted(named)), tuple(named)))


# --- marks of a correction -------------------------------------------------------------------------------------------


def unmarked(text: str, *, tail_only: bool = False) -> tuple[str, bool]:
    heard = said(text)
    rest = ", *" if text.strip().endswith(", *") else ""  # "*" at the end of a list means all others
    starred = not rest and text.strip().startswith("*") != text.strip().endswith("*")
    first, after, marked = 0, len(heard.words), starred
    if starred:
        first += heard.words[:1] == ("*",)
        after -= heard.words[-1:] == ("*",)
    while (
        not tail_only
        and heard.words[first : first + 1]
        and heard.words[first] in _SIGHS
        and heard.length("correct", first) < 2
    ):
        first += 1
    while not tail_only and first < after and (length := heard.length("correct", first)):
        if heard.length("over", first) > length:  # "instead of passing"
            break
        denies = _denies_next(heard, first + length - 1)
        first, marked = first + length - denies, marked or length > denies
        if denies:
            break
    while first < after:
        length = next((n for n in range(5, 0, -1) if after - n >= first and heard.length("correct", after - n) == n), 0)
        if not length:
            break
        after, marked = after - length, True
    return heard.written(first, after) + rest if first < after else "", marked


def _denies_next(heard: Said, place: int) -> bool:
    after = place + 1  # "sorry, no shield", but not "no, Arrakeen"
    while after < len(heard.words) and heard.words[after] in _BEFORE_DENIED:
        after += 1
    if heard.words[place] not in _DENYING or after >= len(heard.words):
        return False
    together = (
        " ".join(heard.words[place:after]) == heard.text[heard.spans[place][0] : heard.spans[after][0]].lower().strip()
    )
    elite = any(heard.words[after] in words for words in vocabulary().elite.values())
    return together and (elite or any(name_at(sort, heard.words, after) for sort in SORTS_OF_NAMES))


_DENYING = frozenset({"no", "not", "nope", "without"})
_BEFORE_DENIED = frozenset({"the", "my", "a", "any", "more", "to", "in", "from", "with"})


def mends_something(text: str) -> bool:
    # "Sorry, 7 from there", "Non, plutôt 5 !"
    rest, marked = unmarked(text)
    words = said(rest).words
    return marked and "?" not in text and len(words) <= LONGEST_MENDING and any(word.isdigit() for word in words)
