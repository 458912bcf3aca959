"""Second thoughts: what the words of a mail change in the orders above them, on file or just proposed.

A correction changes the last order before it that has a blank of its sort. It is carried out as corrected if it can
mean only one thing, and never as it stood. What is done already is not changed: the answer says so.
"""

from __future__ import annotations

from bot.language.commands import Cancel
from bot.language.edits import Change, Mended, change_in, mend
from bot.language.lines import Context
from bot.language.moves import Said, said
from bot.language.orders import Unread
from bot.language.proposals import Memory
from bot.language.sheets import SheetLine
from bot.language.verdict import Act, MailSoFar, Part, ReadLine, bare, quoted, typed, written
from bot.wording import say
from rules.orders import ANSWERS, Order

MOST_CHANGES = 2
"""A value that is changed more often is not carried out, but proposed as it stands in the end."""

LONGEST_MENDING = 8  # words

_SMALL = frozenset(
    {"no", "to", "in", "from", "on", "with", "the", "a", "i", "it", "not", "and", "up", "of", "when", "card", "all"}
)
_ORDINALS = ("first", "second", "third")
_NOUNS = {"ship": ("shipment", "shipping"), "move": ("movement", "moving"), "bid": ("bidding",), "when": ("sheet",)}
_SIGHS = frozenset({"hmm", "hm", "hmmm", "oh", "ah", "ach", "ay", "and", "well", "ok", "okay"})


def corrects(mail: MailSoFar, memory: Memory, part: Part, target: Act | None) -> bool:
    """Read the words as a correction, if they are one. `target` is the last order above them."""
    rest, marked = unmarked(part.text)
    change = change_in(rest, marked=marked) if rest else None
    if change is None or (target and "?" in part.text):
        return False
    if target is None:
        return _corrects_earlier_mail(mail, memory, part, change, marked)
    if (
        not marked
        and isinstance(part.result, Unread)
        and part.result.suggestions
        and change.how == "set"
        and not change.old
    ):
        return False
    named = named_above(mail, said(rest))
    last = named or target
    for target in (named,) if named else tuple(reversed(mail.acts())):
        order = target.order or _only(target.result, mail.context)
        mended = mend(order, change, mail.context, mail.read) if order else None
        if mended and (target is last or mended.orders[0] != order):
            break
    else:
        return False
    target.texts.append(part.text)
    beside = [act for act in mail.acts() if act is not target and act.part.paragraph == target.part.paragraph]
    if not (named or change.old) and any(_fits(act, change, mail) for act in beside):
        for act in (target, *beside):
            act.why.setdefault("mends", part.text)
    else:
        _change(target, mended, part)
    return True


def _change(act: Act, mended: Mended, part: Part) -> None:
    act.changes += 1
    if act.order is not None and mended.sure and act.changes <= MOST_CHANGES:
        act.result, act.options = mended.orders[0], ()
        act.told = say("read.corrected", line=written(mended.orders[0]))
    else:
        act.options = mended.orders
        act.why["beside"] = part.text


def _fits(act: Act, change: Change, mail: MailSoFar) -> bool:
    return act.order is not None and mend(act.order, change, mail.context, mail.read) is not None


def _only(result: object, context: Context) -> Order | SheetLine | None:
    if isinstance(result, Unread) and len(result.suggestions) == 1:
        return typed(result.suggestions[0], context)
    return None


def named_above(mail: MailSoFar, heard: Said) -> Act | None:
    """Return the only order above that the words name by its verb, its noun or its place."""
    acts = mail.acts()
    if len(acts) < 2:
        return None
    words = set(heard.words)
    meant = [act for act in acts if act.order and words & _names_of(written(act.order))]
    if not meant and (number := next((n for n, word in enumerate(_ORDINALS) if word in words), None)) is not None:
        meant = acts[number : number + 1]
    return meant[0] if len(meant) == 1 else None


def _names_of(line: str) -> set[str]:
    verb = line.split()[0]
    return {verb, *_NOUNS.get(verb, ())}


# --- an earlier mail -------------------------------------------------------------------------------------------------


def _corrects_earlier_mail(mail: MailSoFar, memory: Memory, part: Part, change: Change, marked: bool) -> bool:
    """Read the words as a correction of what was proposed, of what is on file, or of what is done already."""
    offers = part.result.suggestions if isinstance(part.result, Unread) else ()
    waiting = memory.waiting.options[0] if memory.waiting else ()
    offered = [order for line in waiting if len(waiting) == 1 and (order := typed(line, mail.context))]
    for order in (*offered, *reversed(list(memory.on_file()))):
        mended = mend(order, change, mail.context, mail.read)
        if mended is None or mended.orders[0] == order:
            continue
        told = say("read.corrected", line=written(mended.orders[0]))
        act = Act(part, [part.text], mended.orders[0], told=told)
        meant = marked or change.old or order in offered or _is_asked(order, mail.context)
        if not (mended.sure and meant) or "?" in part.text:
            act.options, act.why["beside"] = mended.orders, part.text
        mail.done.append(act)
        return True
    if offers and not marked:
        return False
    for line in reversed(memory.done):
        order = typed(line, mail.context)
        if order and mend(order, change, mail.context, mail.read) is not None:
            told = say("unread.done-already", line=line)
            mail.done.append(ReadLine(part.text, Unread(told, () if marked else offers)))
            return True
    return False


def _is_asked(order: Order | SheetLine, context: Context) -> bool:
    known = context.known() if context.known else None
    kinds = ANSWERS.get(type(bare(order)), ())
    return known is not None and any(question.kind in kinds for question in known.asked)


# --- taking back -----------------------------------------------------------------------------------------------------


def cancels_above(mail: MailSoFar, part: Part, cancel: Cancel) -> bool:
    """Drop what a `cancel` takes back of this mail. Return whether the command itself has nothing more to do."""
    acts = [act for act in mail.acts() if act.order]
    named = cancel.line.strip(" .!").lower()
    if pointed := said(named).consists_of("pointing"):
        meant = acts[-1:]
    else:
        meant = [act for act in acts if not named or mail.read(named) == act.order]
    for act in meant:
        act.drop(part.text)
        act.texts += [part.text] if pointed else []
    return bool(meant and named)


def take_back(mail: MailSoFar, part: Part, heard: Said, target: Act) -> None:
    everything = {"all", "everything", "them", "both"} & set(heard.words)
    for act in mail.acts() if everything else [target]:
        act.drop(part.text)
    target.texts.append(part.text)


def offers_to_cancel(memory: Memory, part: Part, heard: Said) -> ReadLine | None:
    """Offer to cancel the only order on file of which words that take something back name a part."""
    if not heard.has("retract"):
        return None
    filed = [written(order) for order in memory.on_file()]
    named = [f"cancel {line}" for line in filed if set(said(line).words) & set(heard.words) - _SMALL]
    if len(named) != 1:
        return None
    return ReadLine(part.text, Unread(say("unread.plain", lines=quoted(named)), tuple(named)))


# --- marks of a correction -------------------------------------------------------------------------------------------


def unmarked(text: str) -> tuple[str, bool]:
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


def mends_something(text: str) -> bool:
    # "Sorry, 7 from there", "Non, plutôt 5 !"
    rest, marked = unmarked(text)
    words = said(rest).words
    return marked and "?" not in text and len(words) <= LONGEST_MENDING and any(word.isdigit() for word in words)
