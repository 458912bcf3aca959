"""The lines of a mail's text, their quote depths, the forms among them, and the phrases that identify programs.

Plain text marks quotes with `>` and, if it is flowed, contains line breaks that nobody typed (RFC 3676). Both are
removed here, so all later steps work on `Line(text, depth)`. `bot.mail.html` makes such lines from HTML.

A report contains a form: suggested orders, which the player may edit inside the quoted mail, between two marks that
contain a one-time code:

    [form 7qk2m9xa]
    ship _ to Habbanya Ridge Sietch
    [ ] no shipment
    [end of form 7qk2m9xa]

In a reply the form comes back quoted or unquoted, perhaps wrapped, in HTML or as text. The sender of the form knows
which lines it sent under the code, and a line counts only if it differs from all of them. A line that begins with `[ ]`
is chosen by an x in its box; the box is not part of the order. A form that is quoted more than once belongs to an older
mail and is ignored.

Orders that contain free text (docs/orders.md: press, deals, questions under Truthtrance) may contain anything, even
words that would elsewhere be an attribution, a warning or a footer.

Phrases are the words that other programs use, in the languages in which they are sold: words that they add to a mail,
and words with which automatic mails begin. Each table in `phrases/` is a TOML file of regular expressions in lower
case, one per line, so a new phrase takes one line and no code. `any_of("footers", "added_lines")` joins the phrases of
a list into a pattern. `rows` makes a pattern that is compiled when it is first used, because there are many patterns,
and a command that does not read mail needs none of them.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from bot.wording import say

MAX_LINES_SEEN = 20_000

SIGNATURE = -1
"""The depth of a line that an HTML mail itself marks as signature."""

COLOURED = -2
"""The depth of a line within the quoted mail that HTML shows in a different colour from the rest."""

DOUBTFUL = -3
"""The depth of a line that looks like a quote in the HTML although nothing proves that it is one. It is not read, but
the player is told."""

_INVISIBLE = re.compile(
    r"[\u200b-\u200f\u202a-\u202e\u2060-\u206f\u061c\u180e\ufe0e\ufe0f\U000e0000-\U000e007f\ufeff\u00ad\ufffc\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_SPACES = re.compile(r"[\t\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")

_QUOTE_SIGNS = ">＞﹥》│┃"
# `> `, `>> `, ` > `, a full-width mark, `| `, a `&gt;` that was escaped twice, an unclosed guillemet, and initials or a
# name before the mark, as some programs write them (`FR> `, `<Bob> `).
_QUOTE_MARK = re.compile(
    rf"(?:[ ]{{0,3}}(?:[{_QUOTE_SIGNS}]|&gt;|\|(?=[ |>]|$)|[»›](?![^«‹]{{0,200}}[«‹]))|"
    r"[ ]{0,8}<?[A-Za-z]{1,12}>(?=[ >]|$))[ ]?"
)


class Line(NamedTuple):
    text: str
    depth: int = 0


PASSAGE_ENDS = Line("\f")
"""Separates two independent texts of a mail. No line of a mail contains this character."""
PICTURE_BETWEEN = Line("\f\f")
"""Separates two texts that may be one, which a program divided at a picture."""
QUOTE_GOES_ON = Line("\f", 1)
"""Marks the end of a text within a quote that has not ended yet."""


def clean(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text.rstrip()
    return _SPACES.sub(" ", _INVISIBLE.sub("", text)).rstrip()


def plain_lines(text: str, flowed: bool = False, delsp: bool = False) -> list[Line]:
    """Return the lines of a plain text body, at most `MAX_LINES_SEEN`.

    >>> plain_lines("bid 4\\n> On Monday\\n>> you wrote")
    [Line(text='bid 4', depth=0), Line(text='On Monday', depth=1), Line(text='you wrote', depth=2)]
    """
    rows = text.split("\n", MAX_LINES_SEEN)[:MAX_LINES_SEEN]
    return _unflowed(rows, delsp) if flowed else [split_quote_marks(clean(row)) for row in rows]


def split_quote_marks(row: str) -> Line:
    if row.startswith(">>>") and row.endswith(">>>"):  # GroupWise puts the author of a quote above it in this form
        return Line(row)
    depth, position = 0, 0
    while depth < 50 and (mark := _QUOTE_MARK.match(row, position)):
        depth += 1
        position = mark.end()
    return Line(row[position:], depth)


def _unflowed(rows: Iterable[str], delsp: bool) -> list[Line]:
    """Join each paragraph of flowed text into one line (RFC 3676 section 4). A `>` is a quote mark only at the very
    start of a row."""
    lines: list[Line] = []
    open_paragraph = False
    for row in rows:
        depth = len(row) - len(row.lstrip(">"))
        text = row[depth:].removeprefix(" ")
        flows_on = text.endswith(" ") and text != "-- "
        if flows_on and delsp:
            text = text[:-1]
        if open_paragraph and lines[-1].depth == depth and text != "-- ":
            lines[-1] = Line(lines[-1].text + text, depth)
        else:
            lines.append(Line(text, depth))
        open_paragraph = flows_on
    return [Line("-- " if line.text == "-- " else clean(line.text), line.depth) for line in lines]


FORM_BEGIN = "[form {code}]"
FORM_END = "[end of form {code}]"
MAX_FORMS = 10

SentForm = Callable[[str], list[str] | None]
"""A function that returns the lines that were sent in the form with this code, or None if the code was never sent (or
not to this player)."""

SentLetter = Callable[[str], bytes | None]
"""A function that returns a letter of ours, given its Message-ID without angle brackets, or None."""

_FORM_BEGINS = re.compile(r"[\[［]\s*form\s+([a-z0-9]{4,40})\s*[\]］]", re.IGNORECASE)
_FORM_ENDS = re.compile(r"[\[［]\s*end\s+of\s+form\s+([a-z0-9]{4,40})\s*[\]］]", re.IGNORECASE)
_BOX = re.compile(r"[\[［(（](?P<inside>[^\]］)）]{0,8})[\]］)）]\s*(?P<rest>.*)", re.DOTALL)
_SQUARE = ("[", "［")
_TICK_SIGN = re.compile(r"(?P<inside>[☐☑☒✓✔✅✗✘□■◻◼√🗸🗹])\ufe0f?\s*(?P<rest>.*)", re.DOTALL)
_TICK_LETTER = re.compile(
    r"(?:[\[［]?\s*(?P<before>[xXхХ✓✔×*+])\s*[\]］]?\s*)?(?:[\[［]\s{0,3}[\]］]\s*(?P<after>[xXхХ✓✔×*+])?\s+)?(?P<rest>.*)",
    re.DOTALL,
)
_TICKS = frozenset(
    ("x", "xx", "xxx", "х", "×", "v", "√", "*", "+", "✓", "✔", "✗", "✘", "☑", "☒", "✅", "■", "◼", "🗸", "🗹",
     "ok", "y", "yes", "j", "ja", "oui", "si", "sí", "sì", "sim", "tak", "да")
)  # fmt: skip
_EMPTY_BOXES = frozenset(("", "☐", "□", "◻"))
_BLANK = re.compile(r"_+")
_WRAPPED_OVER = 4


@dataclass(frozen=True, slots=True)
class Form:
    code: str
    lines: tuple[str, ...]
    depth: int
    closed: bool


def form_block(code: str, lines: Iterable[str]) -> str:
    """Return the form for a report. Mail programs do not wrap lines of fewer than 70 characters.

    >>> print(form_block("7qk2", ["bid _", "pass"]))
    [form 7qk2]
    bid _
    pass
    [end of form 7qk2]
    """
    return "\n".join((FORM_BEGIN.format(code=code), *lines, FORM_END.format(code=code)))


def not_sent(code: str) -> str:
    # The note does not reveal whether the form exists.
    return say("note.form-not-sent", code=code)


def split_forms(lines: Sequence[Line]) -> tuple[list[Form], list[Line]]:
    """Split a body into its forms and its other lines, where a blank line of the same quote depth takes the place of
    each form. A form without an end mark is left among the other lines."""
    forms: list[Form] = []
    others: list[Line] = []
    position = 0
    while position < len(lines):
        begin = _FORM_BEGINS.search(lines[position].text)
        if begin is None or len(forms) >= MAX_FORMS:
            others.append(lines[position])
            position += 1
            continue
        code, depth = begin.group(1).lower(), lines[position].depth
        end = _end_of_form(lines, position + 1, code)
        others.append(Line("", depth))
        if end is None:
            forms.append(Form(code, (), depth, closed=False))
            position += 1
            continue
        forms.append(Form(code, tuple(line.text for line in lines[position + 1 : end]), depth, closed=True))
        position = end + 1
    return forms, others


def changed_lines(form: Form, sent: Iterable[str]) -> list[str]:
    """Return the lines of a form that the player changed, in order.

    A line that was only wrapped into pieces counts as unchanged. The tick in front of a line and the underscores around
    a filled blank are removed. A box with any other content is kept, so that the line is not mistaken for an order.

    >>> changed_lines(Form("7qk2", ("bid _4_", "[✓] pass", "[no] wait"), 1, True), ["bid _", "[ ] pass", "[ ] wait"])
    ['bid 4', 'pass', '[no] wait']
    """
    sent = list(sent)
    known = {_same_words(line) for line in sent}
    boxed = {_same_words(box["rest"]) for line in sent if (box := _BOX.fullmatch(line)) and not box["inside"].strip()}
    blanks = [_BLANK.split(" ".join(line.split())) for line in sent if "_" in line]
    lines = [line.strip() for line in form.lines if line.strip()]
    changed: list[str] = []
    position = 0
    while position < len(lines):
        for length in range(1, _WRAPPED_OVER + 1):
            if _same_words(" ".join(lines[position : position + length])) in known:
                position += length
                break
        else:
            line, length = _filled_from(lines, position, blanks, known)
            changed.append(_without_tick(line, boxed))
            position += length
    return [line for line in changed if line]


def _without_tick(line: str, boxed: Collection[str]) -> str:
    """Return the order after a ticked box, or "" if the box is still empty. A tick without square brackets counts only
    in front of words that were sent with a box."""
    box = _BOX.fullmatch(line) or _TICK_SIGN.fullmatch(line)
    if box and (line.startswith(_SQUARE) or _same_words(box["rest"]) in boxed):
        inside = unicodedata.normalize("NFKC", box["inside"]).replace("\ufe0f", "").casefold().strip()
        if inside in _TICKS or inside.strip("*_ ") in _TICKS:
            return box["rest"]
        if inside.strip("_ ") in _EMPTY_BOXES:
            letter = _TICK_LETTER.fullmatch(line)
            ticked = letter and letter["after"] and _same_words(letter["rest"]) in boxed
            return letter["rest"] if letter and ticked else "" if _same_words(box["rest"]) in boxed else box["rest"]
        return line
    letter = _TICK_LETTER.fullmatch(line)
    return letter["rest"] if letter and _same_words(letter["rest"]) in boxed else line


def _filled_from(
    lines: Sequence[str], start: int, blanks: Sequence[Sequence[str]], known: Collection[str]
) -> tuple[str, int]:
    for length in range(1, _WRAPPED_OVER + 1):
        pieces = lines[start : start + length]
        if len(pieces) < length or (length > 1 and (_same_words(pieces[-1]) in known or pieces[-1].startswith("["))):
            break
        joined = " ".join(" ".join(pieces).split())
        for words in blanks:
            filled = _filled(joined, words)
            if filled:
                return filled, length
    return lines[start], 1


def _filled(line: str, words: Sequence[str]) -> str:
    """Return the line with its filled blanks stripped of underscores, if it contains all the fixed `words`; else "".

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


def _end_of_form(lines: Sequence[Line], start: int, code: str) -> int | None:
    for position in range(start, len(lines)):
        end = _FORM_ENDS.search(lines[position].text)
        if end and end.group(1).lower() == code:
            return position
        if _FORM_BEGINS.search(lines[position].text):
            return None
    return None


def _same_words(line: str) -> str:
    return "".join(unicodedata.normalize("NFKC", line).casefold().split())


QUOTED = ">"
"""The mark in front of a line that its writer only quotes. The lines below answer it."""

FREE_TEXT_CHARS = 5_000
"""The maximum number of characters in an order with free text. Other orders must be shorter."""
_SIGNED = r"(?:(?:un)?signed|grey)"
_PRESS = rf"(?:{_SIGNED} )?press(?: {_SIGNED})? to"
_FREE_TEXT = re.compile(
    rf"^\W{{0,4}}(?:(?:standing|when [^:]{{1,200}}): ?)?"
    rf"(?:{_PRESS}|(?:(?:secret|private) )?deal with|truthtrance)\b[^:：]{{1,120}}[:：]",
    re.IGNORECASE,
)


_ANY_PRESS = re.compile(rf"^\W{{0,4}}(?:{_SIGNED} )?press\b[^:：]{{0,120}}[:：]", re.IGNORECASE)


def most_chars(line: str, most: int) -> int:
    """Return the maximum length of a line in characters, which is higher for lines with free text.

    >>> most_chars("press all: bid 4", 1000), most_chars("bid 4", 1000)
    (5000, 1000)
    """
    return max(most, FREE_TEXT_CHARS) if holds_free_text(line) or _ANY_PRESS.match(line[:400]) else most


def holds_free_text(line: str) -> bool:
    """Return True if the line is an order that contains free text.

    >>> holds_free_text("press to all: Mentat wrote:"), holds_free_text("Mentat wrote:")
    (True, False)
    """
    return bool(_FREE_TEXT.match(line[:400]))


def any_of(table: str, name: str) -> str:
    """Join the phrases of a list into one group of alternatives of a regular expression.

    >>> any_of("bounces", "subjects").startswith("(?:undeliver")
    True
    """
    return f"(?:{'|'.join(_phrases(table)[name])})"


@cache
def _phrases(name: str) -> Any:
    return tomllib.loads((Path(__file__).parent / "phrases" / f"{name}.toml").read_text("utf-8"))


class _LazyPattern:
    def __init__(self, expression: Callable[[], str], flags: int) -> None:
        self._expression, self._flags = expression, flags

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._expression(), self._flags)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._pattern, name)
        self.__dict__[name] = value  # cached for the next time
        return value


def rows(expression: Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Return a pattern made from lists of phrases, which is compiled when it is first used.

    >>> rows(lambda: any_of("bounces", "subjects"), re.IGNORECASE).match("Undeliverable: bid") is not None
    True
    """
    return cast("re.Pattern[str]", _LazyPattern(expression, flags))


def unquoted(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if not line.startswith(QUOTED)]
