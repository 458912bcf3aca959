"""The form in a report: lines that the player may edit inside the quoted mail.

A report carries a block of suggested orders between two marks that hold a one-time code:

    [form 7qk2m9xa]
    ship _ to Habbanya Ridge Sietch
    [ ] no shipment
    [end of form 7qk2m9xa]

In a reply the block comes back quoted or not, wrapped, in HTML or as text. Whoever made the form knows which lines
were sent under the code, and a line counts only where it differs from all of them. An unmarked `[ ]` line is changed by
an x in its box; the box is not part of the order. Forms quoted twice or more belong to older mails and count nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from bot.mail.words.lines import Line
from bot.wording.sentences import say

FORM_BEGIN = "[form {code}]"
FORM_END = "[end of form {code}]"
MAX_FORMS = 10

SentForm = Callable[[str], list[str] | None]
"""The lines sent in the form with this code; None for a code that was never sent (or not to this player)."""

_BEGIN = re.compile(r"[\[［]\s*form\s+([a-z0-9]{4,40})\s*[\]］]", re.IGNORECASE)
_END = re.compile(r"[\[［]\s*end\s+of\s+form\s+([a-z0-9]{4,40})\s*[\]］]", re.IGNORECASE)
_BOX = re.compile(r"[\[［(（](?P<inside>[^\]］)）]{0,8})[\]］)）]\s*(?P<rest>.*)", re.DOTALL)
_SQUARE = ("[", "［")
_TICK_SIGN = re.compile(r"(?P<inside>[☐☑☒✓✔✅✗✘□■◻◼√🗸🗹])\ufe0f?\s*(?P<rest>.*)", re.DOTALL)
_TICK_LETTER = re.compile(
    r"(?:[\[［]?\s*(?P<before>[xXхХ✓✔×*+])\s*[\]］]?\s*)?(?:[\[［]\s{0,3}[\]］]\s*(?P<after>[xXхХ✓✔×*+])?\s+)?(?P<rest>.*)",
    re.DOTALL,
)
"""A tick beside the box, or in a box of which a bracket was lost."""
_TICKS = frozenset(
    ("x", "xx", "xxx", "х", "×", "v", "√", "*", "+", "✓", "✔", "✗", "✘", "☑", "☒", "✅", "■", "◼", "🗸", "🗹",
     "ok", "y", "yes", "j", "ja", "oui", "si", "sí", "sì", "sim", "tak", "да")
)  # fmt: skip
_EMPTY_BOXES = frozenset(("", "☐", "□", "◻"))
_BLANK = re.compile(r"_+")
_WRAPPED_OVER = 4


@dataclass(frozen=True, slots=True)
class Form:
    """One form found in a mail; `closed` says whether its end mark was there too."""

    code: str
    lines: tuple[str, ...]
    depth: int
    closed: bool


def form_block(code: str, lines: Iterable[str]) -> str:
    """The block as it stands in a report. Lines under 70 characters come back unwrapped from every program.

    >>> print(form_block("7qk2", ["bid _", "pass"]))
    [form 7qk2]
    bid _
    pass
    [end of form 7qk2]
    """
    return "\n".join((FORM_BEGIN.format(code=code), *lines, FORM_END.format(code=code)))


def not_sent(code: str) -> str:
    """What is said of a form that was never sent to who sends it back; the same whether there is one or not."""
    return say("note.form-not-sent", code=code)


def split_forms(lines: Sequence[Line]) -> tuple[list[Form], list[Line]]:
    """The forms in a mail, and all other lines, where an empty line stands for each form, as deep as it is quoted. What
    follows a begin mark without its end is among the others."""
    forms: list[Form] = []
    others: list[Line] = []
    position = 0
    while position < len(lines):
        begin = _BEGIN.search(lines[position].text)
        if begin is None or len(forms) >= MAX_FORMS:
            others.append(lines[position])
            position += 1
            continue
        code, depth = begin.group(1).lower(), lines[position].depth
        end = _end_of(lines, position + 1, code)
        others.append(Line("", depth))
        if end is None:
            forms.append(Form(code, (), depth, closed=False))
            position += 1
            continue
        forms.append(Form(code, tuple(line.text for line in lines[position + 1 : end]), depth, closed=True))
        position = end + 1
    return forms, others


def changed_lines(form: Form, sent: Iterable[str]) -> list[str]:
    """The lines of a form that were not sent so, in order; pieces of a sent line that was wrapped are not changes. Of a
    ticked box and a filled blank nothing is left but the order; a box with anything else in it stays, so that nobody
    takes the line for an order.

    >>> changed_lines(Form("7qk2", ("bid _4_", "[✓] pass", "[no] wait"), 1, True), ["bid _", "[ ] pass", "[ ] wait"])
    ['bid 4', 'pass', '[no] wait']
    """
    sent = list(sent)
    known = {_same(line) for line in sent}
    boxed = {_same(box["rest"]) for line in sent if (box := _BOX.fullmatch(line)) and not box["inside"].strip()}
    blanks = [_BLANK.split(" ".join(line.split())) for line in sent if "_" in line]
    lines = [line.strip() for line in form.lines if line.strip()]
    changed: list[str] = []
    position = 0
    while position < len(lines):
        for length in range(1, _WRAPPED_OVER + 1):
            if _same(" ".join(lines[position : position + length])) in known:
                position += length
                break
        else:
            line, length = _filled_from(lines, position, blanks, known)
            changed.append(_without_tick(line, boxed))
            position += length
    return [line for line in changed if line]


def _without_tick(line: str, boxed: Collection[str]) -> str:
    """The order behind a ticked box; empty where the box is still empty. Without its square bracket a tick is one only
    before words that were sent with a box."""
    box = _BOX.fullmatch(line) or _TICK_SIGN.fullmatch(line)
    if box and (line.startswith(_SQUARE) or _same(box["rest"]) in boxed):
        inside = unicodedata.normalize("NFKC", box["inside"]).replace("\ufe0f", "").casefold().strip()
        if inside in _TICKS or inside.strip("*_ ") in _TICKS:
            return box["rest"]
        if inside.strip("_ ") in _EMPTY_BOXES:
            letter = _TICK_LETTER.fullmatch(line)
            ticked = letter and letter["after"] and _same(letter["rest"]) in boxed
            return letter["rest"] if letter and ticked else "" if _same(box["rest"]) in boxed else box["rest"]
        return line
    letter = _TICK_LETTER.fullmatch(line)
    return letter["rest"] if letter and _same(letter["rest"]) in boxed else line


def _filled_from(
    lines: Sequence[str], start: int, blanks: Sequence[Sequence[str]], known: Collection[str]
) -> tuple[str, int]:
    """The line that begins at `start`, and of how many it was made: a sent line whose blanks were filled may have
    been wrapped, and may have kept the underscores around what was filled in."""
    for length in range(1, _WRAPPED_OVER + 1):
        pieces = lines[start : start + length]
        if len(pieces) < length or (length > 1 and (_same(pieces[-1]) in known or pieces[-1].startswith("["))):
            break
        joined = " ".join(" ".join(pieces).split())
        for words in blanks:
            filled = _filled(joined, words)
            if filled:
                return filled, length
    return lines[start], 1


def _filled(line: str, words: Sequence[str]) -> str:
    """The line, if the fixed `words` between the blanks are in it, without the underscores around what fills a blank;
    else empty.

    >>> _filled("move _3_ from Carthag to ______", ["move ", " from Carthag to ", ""])
    'move 3 from Carthag to ______'
    """
    lower = line.lower()
    if len(lower) != len(line) or not lower.startswith(words[0].lower()) or not lower.endswith(words[-1].lower()):
        return ""
    made, position = line[: len(words[0])], len(words[0])
    for word in words[1:]:
        place = lower.find(word.lower(), position) if word is not words[-1] else len(line) - len(word)
        if place < position:
            return ""
        gap = line[position:place]
        made += (gap.strip("_ ") or gap) + line[place : place + len(word)]
        position = place + len(word)
    return made


def _end_of(lines: Sequence[Line], start: int, code: str) -> int | None:
    """The index of the end mark that belongs to `code`; another form's begin mark before it leaves this one open."""
    for position in range(start, len(lines)):
        end = _END.search(lines[position].text)
        if end and end.group(1).lower() == code:
            return position
        if _BEGIN.search(lines[position].text):
            return None
    return None


def _same(line: str) -> str:
    """What of a line must be equal for it to be unchanged: not case, spacing, or the width of its characters."""
    return "".join(unicodedata.normalize("NFKC", line).casefold().split())
