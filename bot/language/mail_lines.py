"""The lines of a mail: orders, lines for the sheet, commands about the mail, and talk.

Mentat reads a whole mail before it carries out any part of it (docs/architecture.md, "How a mail is understood"):

1. Each line is read on its own (`read_any`). A line that cannot be read is cut into clauses, or joined with the next.
2. `bot.language.relations` judges the lines together: which words correct, withdraw, doubt or condition which order.

Talk may express a wish for which there is a command: to leave the game, to get more time, to be away (`[wishes]` in
`data/plain-words.toml`). Mentat does not act on such words, since they may be meant differently; its answer gives the
line that would fulfil the wish. Bids for several cards ("card 2: up to 4", "pass this one, the next one up to 3") are
also only proposed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, pairwise

from bot.effort import Exhausted, charge, limited
from bot.language.command_lines import Command, CommandContext, read_command, without_courtesy
from bot.language.corrections import unmarked
from bot.language.edits import answer_the_same
from bot.language.forms import write
from bot.language.lines import LONGEST, Context, tidy
from bot.language.moves import agrees, asks, declines, is_bare, is_courtesy, said
from bot.language.names import fold_words
from bot.language.orders import Unread, has_form, read_as_written, read_line, resembles_order
from bot.language.plain_words import at_open_question, greets, read_plain
from bot.language.proposals import NOTHING, Memory
from bot.language.relations import relate
from bot.language.sheets import SheetLine, read_sheet_line
from bot.language.verdict import Part, ReadLine, Result, typed, written
from bot.language.vocabulary import vocabulary
from bot.mail.lines import QUOTED, holds_free_text
from bot.wording import say
from rules.orders import ANSWERS, BidUpTo, Order, Place

__all__ = ["ReadLine", "read_any", "read_commands", "read_lines"]

WRAPPED = 55
"""A line of at least this many characters that does not end with a full stop is continued by the next line."""

MOST_ROWS = 8  # of one order written as a list
MOST_TRIES = 40
"""How often the lines of one mail are cut or joined and read again. After that, lines are read only one by one."""

MOST_PLAIN = 60
"""How many lines of one mail are read in plain words. Later lines are read by the grammar only."""
MOST_CLAUSES = 8
MOST_REMARKED = 5  # words that may follow a "yes" or "no" that is the answer
MOST_SHOWN = 300  # characters of a line of talk
SHORTEST_QUOTE = 4  # words
MOST_STRANGE_QUOTED = 0.25  # of the words of a quoted question


def read_lines(lines: Iterable[str], context: Context, memory: Memory = NOTHING) -> list[ReadLine]:
    """Read the lines of a mail in order; an empty line separates paragraphs.

    Comments are dropped. All lines of talk together get a single answer, at the place of the first one.
    """
    with limited():
        parts = _parts(list(lines), context)
        read = relate(parts, context, memory, lambda text: read_any(text, context))
        return with_one_answer(read, answer_to_talk)


def read_commands(lines: Iterable[str], context: CommandContext, memory: Memory = NOTHING) -> list[ReadLine]:
    """Read the lines of a mail to the desk or about a tournament. Greetings and signatures are dropped."""
    whole = [line if len(line) <= LONGEST or context.exact(line) else line[:LONGEST] for line in lines]
    with limited():
        read = relate(_parts(whole, context), context, memory, lambda text: read_any(text, context))
        kept: list[ReadLine] = []
        signed = False
        for number, line in enumerate(read):
            talk = isinstance(line.result, Unread) and (line.result.chatter or greets(line.text))
            signed = talk and is_courtesy(line.text, last=number == len(read) - 1, signed=signed)
            kept += [] if signed else [line]
        if context.talks:
            with suppress(Exhausted):
                kept = _as_wholes(kept, context, context.talks)
    return kept


def _as_wholes(
    lines: Sequence[ReadLine], context: CommandContext, talks: Callable[[str, bool], bool]
) -> list[ReadLine]:
    """Join neighbouring lines that were not understood, and read them again as one text: a wish and its reason are
    often on different lines. Lines that make no request become talk, as do vague lines next to a clear request."""
    talk = Unread("", chatter=True)  # all talk of a mail gets one answer
    read: list[ReadLine] = []
    for is_open, group in groupby(lines, lambda line: _is_open(line.result)):
        own = rows = list(group)
        clear = [row for row in rows if not talks(row.text, True)]
        text = " ".join(row.text.strip() for row in rows)
        if is_open and len(rows) > 1 and len(clear) < len("ab") and len(text) <= LONGEST:
            rows = [ReadLine(text, context.unread(text))]
        beside = len(own) < len(lines) or len(clear) > 1
        for row in rows:
            offers = isinstance(row.result, Unread) and bool(row.result.suggestions)
            offers &= len(row.text.split()) >= SHORTEST_TALK
            gone = talks(row.text, beside and is_open) if is_open or offers else False
            read.append(replace(row, result=talk) if gone else row)
    certain = {_about(line.result.line) for line in read if isinstance(line.result, Command)}
    unread = (line.result for line in read if isinstance(line.result, Unread))
    certain |= {_about(each.suggestions[0]) for each in unread if len(each.suggestions) == 1 and not each.open}
    return [replace(row, result=talk) if _is_part_of(row.result, certain) else row for row in read]


def _about(command: str) -> Sequence[str]:
    """Return the verb of a command and its first part, such as the seat."""
    return tuple(command.split()[:2])


def _is_part_of(result: Result, certain: Collection[Sequence[str]]) -> bool:
    """Return True if the line is an incomplete version of a request that another line makes."""
    verbs = {about[0] for about in certain}
    return isinstance(result, Unread) and len(result.open) > 1 and any(_about(each)[0] in verbs for each in result.open)


SHORTEST_TALK = 4  # words; fewer may be a command with a mistake in it


def _is_open(result: Result) -> bool:
    return isinstance(result, Unread) and (result.guess or (result.chatter and not result.open))


def with_one_answer(lines: Sequence[ReadLine], answer: Callable[[Sequence[str]], str]) -> list[ReadLine]:
    read: list[ReadLine] = []
    talk: list[str] = []
    place = 0
    for line in lines:
        if isinstance(line.result, Unread) and line.result.chatter and not line.result.open:
            place = place if talk else len(read)
            text = line.text.strip()
            talk.append(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…")
        else:
            read.append(line)
    if talk:
        read.insert(place, ReadLine("\n".join(talk), Unread(answer(talk), chatter=True)))
    return read


def read_any(text: str, context: Context) -> Result:
    """Read one line as an order, a sheet line or a command; if that fails, read it as an order in plain words.

    If the line has a form of the grammar but contains a mistake, the message from the grammar is returned, and plain
    words are not tried.
    """
    if isinstance(context, CommandContext):
        try:
            return read_command(text, context)
        except Exhausted:
            return context.exact(text) or Unread(say("unread.no-order"), chatter=True)
    exact = read_as_written(text, context) or read_sheet_line(text, context) or _above_thanks(text, context)
    if exact:
        return at_open_question(text, exact, context)
    plain = read_plain(text, context)
    if isinstance(plain, Order) or (plain and not has_form(text)):
        return plain
    read = read_line(text, context)
    return plain if plain and isinstance(read, Unread) and not read.suggestions else read


def _above_thanks(text: str, context: Context) -> Order | None:
    bare = without_courtesy(text)[0].rstrip(" ,;")  # "ship 4 to Carthag, thanks", while that question is open
    read = read_as_written(bare, context) if bare and text.startswith(bare) and bare != text.rstrip(" .!") else None
    asked = {question.kind for question in context.known().asked} if read and context.known else set()
    return read if isinstance(read, Order) and not asked.isdisjoint(ANSWERS.get(type(read), ())) else None


# --- lines, and what they are made of --------------------------------------------------------------------------------


class _Tries:
    def __init__(self, context: Context) -> None:
        self.context, self.left, self._plain = context, MOST_TRIES, MOST_PLAIN
        self._whole = context
        self.under = ""

    def stand_under(self, quoted: str) -> None:
        self.under, self.context = quoted, self._whole
        known = self.context.known() if quoted and self.context.known else None
        asked = [question for question in known.asked if _quotes(quoted, question.prompt())] if known else []
        if known and len(asked) == 1:
            narrowed = replace(known, asked=asked)
            self.context = replace(self.context, known=lambda: narrowed)

    def read(self, text: str) -> Result:
        self.left -= 1
        return read_any(text, self.context)

    def read_line(self, lines: Sequence[str], number: int) -> Result:
        with suppress(Exhausted):  # a line that is exactly a command is read in any case
            charge(1 + len(lines[number]) // 200)
        exact = _reads_exactly(lines[number], self.context)
        self._plain -= not exact
        if self._plain < 0 and not exact:
            return Unread(say("unread.no-order"), chatter=True)
        answers = self.context is not self._whole
        if asks(self.under) and not (answers or exact) and is_bare(lines[number]):
            return Unread(say("unread.no-order"), chatter=True)  # it answers somebody else's question
        return read_any(lines[number], self.context)


def _quotes(quoted: str, prompt: str) -> bool:
    one, other = (re.findall(r"\w+", text.casefold()) for text in (quoted, prompt))
    if other and "".join(other) in "".join(one):
        return True
    strange = [word for word in one if word not in other]
    few = len(strange) <= len(one) * MOST_STRANGE_QUOTED
    return len(one) >= SHORTEST_QUOTE and few and not any(word.isdigit() for word in strange)


def _parts(written: Sequence[str], context: Context) -> list[Part]:
    """Read a mail line by line. The `under` of each part is the text that the mail quotes directly above that part's
    paragraph."""
    parts: list[Part] = []
    lines = ["" if text.startswith(QUOTED) else text for text in written]
    listed = _without_numbers(lines)
    tries = _Tries(context)
    paragraph = number = 0
    while number < len(lines):
        text = lines[number]
        if tidy(text[:LONGEST]).empty:
            paragraph += not text.strip()
            tries.stand_under(written[number].lstrip(f"{QUOTED} ") if not text else "")
            number += 1
            continue
        under = tries.under
        result = tries.read_line(lines, number)
        if isinstance(result, Unread) and tries.left > 0 and not _is_whole(text, context):
            if (order := _with_tail(text, tries)) is not None:
                parts.append(Part(text.strip(), order, number, paragraph, marked=True, under=under))
                number += 1
                continue
            formed = has_form(text) and not isinstance(context, CommandContext)
            standing = None if formed else _standing(text, tries)
            joined = None if standing or formed else _joined(lines, number, result, tries)
            if standing:
                result = standing
            elif joined:
                text, result, number = joined
            elif clauses := (_clauses_of_form if formed else _clauses)(text, result, tries):
                parts += [replace(each, row=number, paragraph=paragraph, under=under) for each in clauses]
                number += 1
                continue
            elif not result.suggestions:
                result = _main_clause(text, tries) or result
        exact = _exact(text, result, context)
        several = _group(text, Unread(""), tries) if isinstance(result, Order) and not exact else []
        if len(several) > 1 and all(part.exact for part in several):  # "no shipment, no move"
            parts += [replace(each, row=number, paragraph=paragraph, under=under) for each in several]
        else:
            row = min(listed) if number in listed else number
            group = number in listed and not exact and not isinstance(context, CommandContext)
            parts.append(Part(text.strip(), result, row, paragraph, exact=exact, group=group, under=under))
        number += 1
    return parts


_LISTED = re.compile(r"\s*\(?(\d)[.)]\s+(?=\S)")


def _without_numbers(lines: list[str]) -> Collection[int]:
    """If the lines are a numbered list ("1. 3 to Carthag", "2. no move"), strip the list numbers in place, because they
    are not part of the orders. Return the positions of the changed lines."""
    marks = [(place, mark) for place, line in enumerate(lines) if (mark := _LISTED.match(line))]
    if len(marks) < 2 or [int(mark[1]) for _, mark in marks] != list(range(1, len(marks) + 1)):
        return ()
    for place, mark in marks:
        lines[place] = lines[place][mark.end() :]
    return [place for place, _ in marks]


def _with_tail(text: str, tries: _Tries) -> Order | None:
    rest, marked = ("", False) if "?" in text else unmarked(text, tail_only=True)  # "no move after all"
    orders = marked and rest and not isinstance(tries.context, CommandContext)
    read = read_as_written(rest, tries.context) if orders else None
    return read if isinstance(read, Order) else None


def _is_whole(text: str, context: Context) -> bool:
    return context.wrong(text) is not None if isinstance(context, CommandContext) else holds_free_text(text)


def _exact(text: str, result: object, context: Context) -> bool:
    if isinstance(result, Order):
        return read_as_written(text, context) == result  # false if "pass" was read as the "no" to another question
    return not isinstance(result, Unread) and (not isinstance(result, Command) or _reads_exactly(text, context))


def _reads_exactly(text: str, context: Context) -> bool:
    if isinstance(context, CommandContext):
        return context.exact(text) is not None
    return bool(read_as_written(text, context) or read_sheet_line(text, context))


# --- one order over several lines ------------------------------------------------------------------------------------

_PLACED = re.compile(r"\s*[-*•]?\s*(?P<area>[^\W\d][^:=\n]{1,30}?)\s*[:=–-]\s*(?P<forces>\d+(?:\s*\+\s*\d+)?)\s*")
_ROW = re.compile(r"\s*[-*•]?\s*[^\W\d][^:=\n]{1,30}\s*[:=–-]\s*\S.{0,60}")


def _joined(lines: Sequence[str], number: int, alone: Unread, tries: _Tries) -> tuple[str, Result, int] | None:
    rows = [lines[number]]
    if is_courtesy(rows[0], last=False, signed=False):
        return None
    for line in lines[number + 1 : number + MOST_ROWS]:
        if not line.strip() or agrees(line):
            break
        rows.append(line)
    listed = next((count for count, row in enumerate(rows) if not _ROW.fullmatch(row)), len(rows))
    ways = [(count, ", ".join(row.strip(" -*•") for row in rows[:count])) for count in range(listed, 1, -1)]
    spoilt = any(said(rows[0]).has(sort) for sort in ("report", "draft", "forbid", "condition", "later"))
    ways += [(listed, placed)] if listed > 1 and (placed := _placement(rows[:listed], tries.context)) else []
    if rows[0].strip().endswith((":", "：")) and listed < len(rows) and not spoilt:
        count = 1 + next((n for n, row in enumerate(rows[1:]) if not _ROW.fullmatch(row)), len(rows) - 1)
        ways += [(count, f"{rows[0].strip()} " + ", ".join(row.strip(" -*•") for row in rows[1:count]))] * (count > 2)
    whole = isinstance(tries.context, CommandContext) and rows[0].rstrip().endswith((".", "!", "?"))
    if len(rows) > 1 and not whole and (len(rows[0]) > WRAPPED or rows[0].rstrip().endswith((",", "+", "-", "/"))):
        ways.append((2, f"{rows[0].strip()} {rows[1].strip()}"))
    for count, text in ways:
        if tries.left <= 0:
            break
        read = tries.read(text)
        if isinstance(read, Order | SheetLine):
            return text, read, number + count - 1
        better = isinstance(read, Unread) and read.suggestions and not alone.suggestions
        if better and not any(isinstance(tries.read(row), Order) for row in rows[:count]):
            return text, read, number + count - 1
    return None


def _placement(rows: Sequence[str], context: Context) -> str:
    """Return rows like "Sietch Tabr: 4" joined into a single placement order, if the player is asked for a placement;
    else ""."""
    asked = {question.kind for question in context.known().asked} if context.known else set()
    found = [_PLACED.fullmatch(row) for row in rows]
    if asked.isdisjoint(ANSWERS[Place]) or not all(found):
        return ""
    return "place " + ", ".join(f"{row['forces']} in {row['area']}" for row in found if row)


def _standing(text: str, tries: _Tries) -> Unread | None:
    heard, place, kept = said(text), 0, list[str]()
    while place < len(heard.words):
        if length := heard.length("standing", place):
            place += length
        else:
            kept.append(heard.written(place, place + 1))
            place += 1
    rest = " ".join(kept) if len(kept) < len(heard.words) else ""
    orders = _orders_of(read_any(rest, _whenever(tries.context)), tries) if rest else ()
    line = f"standing: {written(orders[0])}" if len(orders) == 1 else ""
    if not isinstance(read_sheet_line(line, tries.context), SheetLine):
        return None
    return Unread(say("unread.plain", lines=[f"“{line}”"]), (line,))


def _whenever(context: Context) -> Context:
    # A wish for later may be about something that would be refused now.
    if context.known is None:
        return context
    known = replace(context.known(), judge=lambda order: ("held", ""))
    return replace(context, known=lambda: known)


# --- several clauses in one line -------------------------------------------------------------------------------------

_STOPS = re.compile(r"(?<=[.!?;…])\s+|\s+[-–—]+\s+|\s*\.\.\.+\s*|;\s*|\s*[(\[]|[)\]]\s*")
_NUMBERED = re.compile(r"(?:^|\s)(?:\(?([1-9])\)|([1-9])\.(?=\s))\s*")
_JOINTS = re.compile(r",?\s+(?:and then|and also|then|and|plus|danach|und|dann|puis|et|y|luego)\s+|,\s*", re.IGNORECASE)


def _numbered(text: str) -> list[str]:
    # "1) ... 2) ..." is a list; "bid up to 5. Pass later" is not.
    marks = list(_NUMBERED.finditer(text))
    if len(marks) < 2 or [int(mark[1] or mark[2]) for mark in marks] != list(range(1, len(marks) + 1)):
        return [text]
    ends = [0, *(mark.end() for mark in marks)]
    return [
        text[first:after] for first, after in zip(ends, [*(mark.start() for mark in marks), len(text)], strict=True)
    ]


def _at_corrections(text: str) -> list[str]:
    heard, cuts = said(text), [0]
    for place in range(1, len(heard.words)):
        between = text[heard.spans[place - 1][1] : heard.spans[place][0]].strip()
        length = heard.length("correct", place)
        if not length or heard.length("correct", place - 1):
            continue
        after = place + length
        ends = after == len(heard.words)  # "2 to Arrakeen, I mean"
        if not (between or ends) and text[heard.spans[after - 1][1] : heard.spans[after][0]].strip():
            cuts.append(heard.spans[after][0])  # "no move after all, just the shipment"
        elif not ends and (between or length > 1 or heard.words[place] in _ALWAYS):
            cuts.append(heard.spans[place][0])
    return [text[first:after] for first, after in pairwise([*cuts, len(text)])]


_ALWAYS = frozenset({"sorry", "oops", "er", "err", "erm", "uh", "correction", "actually"})


def _clauses_of_form(text: str, whole: Unread, tries: _Tries) -> list[Part]:
    return _mended_clauses(text, tries) or _group(text, whole, tries)


def _clauses(text: str, whole: Unread, tries: _Tries) -> list[Part]:
    if listed := for_cards(text, tries.context, lambda clause: tries.read(clause)):
        return [Part(text.strip(), listed, 0, 0)]
    corrected = _at_corrections(text)
    for pieces in (_numbered(text), _STOPS.split(text), corrected):
        found = _read_clauses(pieces, tries)
        commands = [part.result for part in found if isinstance(part.result, Command)]
        if pieces is corrected and whole.suggestions and commands and all(command.shows for command in commands):
            continue  # "the deadlines should be at 21:00" does not ask for the deadlines
        if any(not isinstance(part.result, Unread) for part in found) or _one_beside_questions(found):
            return found
    return _group(text, whole, tries) or _pieces_to_choose(text, whole, tries)


def _one_beside_questions(found: Sequence[Part]) -> bool:
    offered = [part for part in found if isinstance(part.result, Unread) and _orders_offered(part.result)]
    return len(offered) == 1 and all(part in offered or "?" in part.text for part in found)


def _orders_offered(read: Unread) -> bool:
    return bool(read.suggestions) and not read.guess


def _mended_clauses(text: str, tries: _Tries) -> list[Part]:
    """Return the clauses of a line whose first clause is an order that the other clauses correct: "give 3 to guild.
    Sorry, 2"."""
    cuts = (_STOPS.split(text), _at_corrections(text))
    for found in (_read_clauses(cut, tries, inner=False) for cut in cuts):
        others = found[1:]
        if others and isinstance(found[0].result, Order) and all(said(part.text).begins("correct") for part in others):
            return found
    return []


def _read_clauses(cut: Sequence[str], tries: _Tries, *, inner: bool = True) -> list[Part]:
    pieces = [piece.strip(" ,") for piece in cut if any(sign.isalnum() for sign in piece)]
    for number in range(len(pieces) - 1, 0, -1):
        if said(pieces[number - 1]).consists_of("correct"):  # "Mistake. 6."
            pieces[number - 1 : number + 1] = [f"{pieces[number - 1]} {pieces[number]}"]
    if not 1 < len(pieces) <= MOST_CLAUSES:
        return []
    found: list[Part] = []
    for piece in pieces:
        result = tries.read(piece)
        if isinstance(result, Unread) and (rest := _stands_anyway(piece)):
            result = tries.read(rest)
        if isinstance(result, Unread) and not result.suggestions:
            result = for_cards(piece, tries.context, tries.read) or result
        if isinstance(result, Unread) and inner and not said(piece).begins("correct"):
            within = _read_clauses(_at_corrections(piece), tries, inner=False) or _group(piece, result, tries)
            if any(not isinstance(part.result, Unread) for part in within):
                found += within
                continue
        tail = _with_tail(piece, tries) if isinstance(result, Unread) else None
        exact = _exact(piece, result, tries.context)
        found.append(Part(piece, tail or result, 0, 0, exact=exact, marked=tail is not None))
    return found


def _stands_anyway(text: str) -> str:
    heard = said(text)  # what follows "anyway," or "in any case"
    length = heard.length("anyway", 0)
    return heard.written(length, len(heard.words)) if length else ""


def _group(text: str, whole: Unread, tries: _Tries) -> list[Part]:
    """Return the orders that a sentence joins ("3 to Guild and 1 to Atreides"), or an empty list unless all of them can
    be read."""
    head, words = _spoken_end(text, tries)
    pieces = [piece.strip() for piece in (*_JOINTS.split(head), words) if piece and piece.strip()]
    heard = said(head)
    if not 1 < len(pieces) <= MOST_CLAUSES or any(heard.has(sort) for sort in ("report", "condition", "draft")):
        return []
    if "or" not in heard.words and heard.has("doubt"):  # "Guild and Fremen together would be unbeatable"
        return []
    known = tries.context.known() if tries.context.known else None
    many = {question.kind for question in known.asked if question.many} if known else set()
    found: list[Part] = []
    for number, piece in enumerate(pieces):
        if number and is_courtesy(piece, last=False, signed=False):
            continue
        result = tries.read(_with_place_meant(found[-1], piece) if found else piece)
        if isinstance(result, Unread) and found:
            result = _with_shared_verb(found[-1], piece, tries) or result
        orders = _orders_of(result, tries)
        first = orders[0] if orders else None
        rival = not (isinstance(first, Order) and many.intersection(ANSWERS.get(type(first), ())))
        if len(orders) != 1 or (
            rival and any(answer_the_same(orders[0], each) for part in found for each in part.meant)
        ):
            return _alternatives(text, found, orders) if number == len(pieces) - 1 else []
        exact = isinstance(result, Order) and _exact(piece, result, tries.context)
        found.append(Part(piece, result, 0, 0, exact=exact, meant=orders))
    if len(found) < 2:
        return []
    alike = len({type(part.result) for part in found}) < len(found) and isinstance(found[0].result, Order)
    if all(isinstance(part.result, Order | SheetLine | Command) for part in found) and not alike:
        return [replace(part, group=True) for part in found]
    lines = tuple(written(each) for part in found for each in part.meant)
    told = Unread(say("unread.several-orders"), lines, together=True)
    return [Part(text.strip(), told, 0, 0)] if whole.suggestions != lines else []


def _pieces_to_choose(text: str, whole: Unread, tries: _Tries) -> list[Part]:
    """If a sentence gives several orders and one of them is ambiguous or wrong, split the sentence and propose each
    order; none of them is carried out."""
    pieces = [piece.strip() for piece in _JOINTS.split(text) if piece.strip()]
    if whole.suggestions or whole.guess or not 1 < len(pieces) <= MOST_CLAUSES:
        return []
    found: list[Part] = []
    for piece in pieces:
        result = tries.read(piece)
        if isinstance(result, Order):
            result = Unread(say("unread.plain", lines=[f"“{written(result)}”"]), (written(result),))
        if not isinstance(result, Unread) or not (result.suggestions or resembles_order(piece)):
            return []
        found.append(Part(piece, result, 0, 0))
    return found if any(part.result.suggestions for part in found if isinstance(part.result, Unread)) else []


def _with_place_meant(before: Part, piece: str) -> str:
    for order in before.meant:
        if target := getattr(order, "target", None):
            return _THERE.sub(f"to {target}", piece)
    return piece


_THERE = re.compile(r"\b(?:to |in |over |up |down )?there\b", re.IGNORECASE)
_TURNS = re.compile(r"(?:[,;]|\bnot \S+) *\b(?:but|so) ", re.IGNORECASE)
_DENIED = re.compile(r" *[,(] *not [^,()]*\)?", re.IGNORECASE)


def _main_clause(text: str, tries: _Tries) -> Unread | None:
    """Propose the order that remains when denials and remarks are removed from the line: "silly, but bid 4", "bid 4
    (not 5)"."""
    first, _, remark = text.partition(",")
    before, behind = "", text
    if turns := list(_TURNS.finditer(text)):
        before, behind = text[: turns[-1].start()], text[turns[-1].end() :]
    elif (agrees(first) or declines(first)) and len(said(remark).words) <= MOST_REMARKED:
        before, behind = remark, first
    rest = _DENIED.sub("", behind)
    if rest == text or "?" in text or any(map(str.isdigit, before)) or said(before).has("condition"):
        return None
    orders = _orders_of(tries.read(rest), tries)
    if len(orders) != 1:
        return None
    line = written(orders[0])
    return Unread(say("unread.plain", lines=[f"“{line}”"]), (line,))


def _spoken_end(text: str, tries: _Tries) -> tuple[str, str]:
    for joint in _JOINTS.finditer(text) if isinstance(tries.context, CommandContext) else ():
        orders = _orders_of(tries.read(text[joint.end() :]), tries) if tries.left > 0 else ()
        if len(orders) == 1 and isinstance(orders[0], Command) and ": " in orders[0].line:
            return text[: joint.start()], text[joint.end() :]
    return text, ""


def _alternatives(text: str, found: Sequence[Part], orders: Sequence[Order | Command]) -> list[Part]:
    lines = tuple(dict.fromkeys(written(each) for each in (*(each for part in found for each in part.meant), *orders)))
    if len(lines) < 2 or len(orders) != 1:
        return []
    return [Part(text.strip(), Unread(say("unread.one-of", lines=[f"“{line}”" for line in lines]), lines), 0, 0)]


def _orders_of(result: object, tries: _Tries) -> tuple[Order | Command, ...]:
    if isinstance(result, Order | Command):
        return (result,)
    if isinstance(result, SheetLine):
        return (result.order,) if isinstance(result.order, Order) else ()
    if not isinstance(result, Unread) or result.guess:
        return ()
    meant = (typed(line, tries.context) for line in result.suggestions)
    return tuple(each for each in meant if isinstance(each, Order | Command))


def _with_shared_verb(before: Part, piece: str, tries: _Tries) -> Result | None:
    for order in before.meant:
        verb = written(order).split()[0]
        read = tries.read(f"{verb} {piece}")
        offers = isinstance(read, Unread) and read.suggestions and not isinstance(order, Command)
        if offers or isinstance(read, Order | SheetLine | Command):
            return read
    return None


# --- talk ------------------------------------------------------------------------------------------------------------


def answer_to_talk(lines: Sequence[str]) -> str:
    for wish, phrases in vocabulary().wishes.items():
        for line in lines:
            words = fold_words(line[:LONGEST])
            if any(phrases.length(words, place) for place in range(len(words))):
                return say(f"unread.wish-{wish}")
    return say("unread.no-order")


# --- bids for several cards -------------------------------------------------------------------------------------------

_NUMBER = r"(?:one|two|three|four|five|six|\d)"
_ORDINAL = r"(?:first|second|third|fourth|fifth|sixth|[1-6](?:st|nd|rd|th))"
_CARD = (
    rf"(?:(?:the\s+)?cards?\s+(?:no\.?\s*|number\s+|#\s*)?(?P<number>{_NUMBER}(?:\s*(?:,|and|&|\+)\s*{_NUMBER})*)"
    rf"|the\s+(?P<which>{_ORDINAL})(?:\s+(?:card|one))?|(?P<this>this\s+(?:card|one))|(?P<next>(?:the\s+)?next\s+(?:card|one))"
    r"|(?P<rest>the\s+(?:rest|others|other\s+cards)|(?:every|each|any|all(?:\s+the)?)\s+cards?))"
)
_BEFORE = re.compile(rf"(?:(?:on|for|at|and|then|but)\s+)*{_CARD}\s*[:,=-]?\s*(?P<bid>\S.*)", re.IGNORECASE)
_BEHIND = re.compile(rf"(?P<bid>\S.*?)\s+(?:(?:on|for|at)\s+)?{_CARD}(?:\s+each)?", re.IGNORECASE)
_CUTS = re.compile(
    r"\s*[,;]\s*(?:and\s+|then\s+)?|\s+but\s+|\s+and\s+then\s+|\s+and\s+(?=(?:the|pass|bid|on|for|up)\b)", re.IGNORECASE
)
_LIMIT = re.compile(
    r"(?:max(?:imum)?|at most|not more than|no more than|up to|until)\s+(\d+)|(\d+)\s+(?:max(?:imum)?|at most|tops?)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?:bid )?(\d+)|(?:i )?(?:pass|skip)", re.IGNORECASE)
_UNTIL_BIDDING = ("storm", "spice", "charity", "bidding")
MOST_BIDS = 6


def for_cards(text: str, context: Context, read: Callable[[str], object]) -> Unread | None:
    """If a text is about several cards of the auction, propose one line for each card that it names; else return
    None."""
    now, last = _cards_up(context)
    if not last or len(text) > 200:
        return None
    lines: list[str] = []
    named = False
    said: set[int] = set()
    for piece in filter(None, (piece.strip(" .!") for piece in _CUTS.split(_spelt_out(text)))):
        match = _BEFORE.fullmatch(piece) or _BEHIND.fullmatch(piece)
        bid = _bid(match["bid"] if match else piece, context, read)
        if bid == "pass" and match and re.match(r"(?:every|each|any|all)\b", match["rest"] or "", re.I):
            return None  # "pass on all cards" is an order of its own
        if (
            bid is None
            or (not match and (lines or not now))
            or (match and not now and (match["this"] or match["next"]))
        ):
            return None
        for number in _cards(match, now, last, said) if match else [now]:
            named |= number != now or bool(match and not match["this"])
            said.add(number)
            lines.append(bid if number == now else f"when card {number}: {bid}")
    later = [line for line in lines if line.startswith("when card")]
    if not named or not lines or len(lines) > MOST_BIDS or not (later or len(lines) == 1):
        return None
    return Unread(say("unread.for-cards"), tuple(lines), together=len(lines) > 1)


def _cards_up(context: Context) -> tuple[int, int]:
    known = context.known() if context.known else None
    if known is None or context.phase not in _UNTIL_BIDDING:
        return 0, 0
    facts = next((question.about for question in known.asked if question.kind == "bid"), {})
    return facts.get("number", 0), facts.get("of", len(context.factions))


def _spelt_out(text: str) -> str:
    return re.sub(r"(?i)\bcards?\s+(\d)\s*,\s*(\d)", r"cards \1 and \2", text)


def _cards(match: re.Match[str], now: int, last: int, said: set[int]) -> list[int]:
    if match["number"]:
        found = re.findall(_NUMBER, match["number"].lower())
        return [vocabulary().numbers.get(each) or int(each) for each in found]
    if match["which"]:
        which = match["which"].lower()
        return [vocabulary().ordinals.get(which) or int(which[0])]
    if match["rest"]:
        return [number for number in range(now or 1, last + 1) if number not in said]
    return [now + 1] if match["next"] else [now]


def _bid(text: str, context: Context, read: Callable[[str], object]) -> str | None:
    if limit := _LIMIT.search(text):
        return write(BidUpTo(int(limit[1] or limit[2])))
    text = re.sub(r"\s+each$", "", text, flags=re.IGNORECASE)
    if short := _SHORT.fullmatch(text):
        return f"bid {short[1]}" if short[1] else "pass"
    found = read(text)
    if isinstance(found, Unread) and len(found.suggestions) == 1:
        found = read_as_written(found.suggestions[0], context)
    if not isinstance(found, Order) or "bid" not in ANSWERS.get(type(found), ()):
        return None
    return write(found)
