"""Cutting away what the player did not write: quotes, attributions, separators, signatures, footers.

Layers that may only remove. Lines quoted by their program (`>` or an HTML container) are gone by their depth. What is
left to find is text that was quoted without marks, and the words around quotes:

1. our own mark `REPLY_MARK`, which every report carries at its top, unquoted: everything below it is ours; where it was
   lost, our opening sentence and our headings;
2. separators, header blocks and attributions of unmarked text (`attributions`), a salutation to the
   sender, and below them nothing;
3. attributions directly above or below a quote;
4. ends of quoted lines that some program wrapped, and left without their mark between two marked lines;
5. attributions that the maintained library mail-parser-reply knows, in its fourteen languages; it is quadratic on
   some inputs, so it is given a short, squeezed shadow of the text;
6. signatures and footers (`bot.mail.words.footers`).

What the player marked as their own within our letter is found apart from that (`bot.mail.words.answers`).

An own line that merely looks like one of these is rather kept: it is answered as "not an order"; a cut one is lost.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from mailparser_reply import EmailReplyParser

from bot.mail.words.answers import answers_within
from bot.mail.words.attributions import (
    ATTRIBUTION_LINES,
    OwnAddress,
    attributes_unmarked_text,
    attribution_above,
    attribution_below,
    is_separator,
    marked_quote_of_block,
    own_address_pattern,
    quote_without_marks,
    says_who_or_when,
)
from bot.mail.words.footers import greets, mark_footers
from bot.mail.words.free_text import holds_free_text
from bot.mail.words.header_blocks import LABEL, is_header_block
from bot.mail.words.lines import SIGNATURE, Line

REPLY_MARK = "Reply above this line"
"""Every report begins with a line that holds these words; nothing unquoted below it is read, the form apart."""

MAX_UNQUOTED = 2_000
"""Unquoted lines, empty ones apart, that are looked at; many times what is read of a mail in the end."""

_MARK_LETTERS = "abovethisline"
_OUR_HEADINGS = frozenset(("ireadtheselinesfromyourmail", "sinceyourlastmail", "yourorderssofar"))
_OUR_OPENING = re.compile(
    r"(?i:^wanted from you)(?: by \w|$)|(?:^|, )you are [A-Z][A-Z ]{3,20} in \S{1,40}\. (?:Set-up|Turn \d)",
    re.MULTILINE,
)
"""How letters of ours begin and what stands above their parts, for where `REPLY_MARK` was lost or translated."""
_BROKEN_FORM = re.compile(r"[\[［]\s*(?:end\s+of\s+)?form(?:\s+[a-z0-9]{4,40})?$", re.IGNORECASE)
"""A mark of a form of which a part was wrapped to the next line."""

_CUT = re.compile(
    r"\W{0,6}(?:\.{3}|…|snip(?:ped)?|cut|trimmed|schnipp|gekürzt|gelöscht|coupé|recortado|tagliato|ingekort|wycięto)\W{0,6}$",
    re.IGNORECASE,
)
_SHADOW_LINES = 200
_SHADOW_COLUMNS = 160
_SHORTEST_WRAP = 60
_LONGEST_WRAP = 90

_KNOWN_ATTRIBUTIONS = EmailReplyParser(
    languages=["en", "de", "fr", "es", "it", "nl", "pl", "cs", "da", "sv", "ja", "ko", "zh", "david"]
)


class Trimmed:
    """What is left of a mail (`kept`) and what was taken off although it was not quoted (`ignored`)."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.ignored: list[str] = []
        self.answers: list[str] = []
        """What the sender wrote into the quoted mail, marked by a colour or by their name."""
        self.coloured: list[str] = []
        """Lines of it in a colour that may be the sender's; not kept."""
        self.doubtful: list[str] = []
        """Lines that may be ends of quoted ones, or the sender's own; not kept."""
        self.cut_at = ""
        """The separator below which nothing was read; empty without one."""


def trim(lines: Sequence[Line], own_address: str = "", sender_names: Collection[str] = ()) -> Trimmed:
    """The sender's own lines, in order, empty ones included.

    `own_address` is the address of this program without its token: `mentat@arrakis.example`; `sender_names` are the
    words of the sender's name in lower case, by which a signature without a mark is known.

    >>> trim([Line("bid 4"), Line(""), Line("Am Montag schrieb Mentat:"), Line("What do you bid?", 1)]).kept
    ['bid 4', '']
    """
    lines = _cuts_quoted(lines[: _seen(lines)])
    result = Trimmed()
    ours = own_address_pattern(own_address)
    end, heads = _first_separator(lines, ours, sender_names)
    if end < len(lines):
        result.cut_at = lines[end].text.strip()[:80]
    own = [line.depth == 0 and index not in heads for index, line in enumerate(lines[:end])]
    signatures = _signatures(lines, own, ours)
    for index in signatures:
        own[index] = False
    _drop_attributions(lines, own, end, ours)
    _drop_ends_of_quoted_lines(lines, own, result)
    _drop_by_library(lines, own, result)
    result.ignored = mark_footers(lines, own, sender_names)
    result.kept = [lines[index].text for index, mine in enumerate(own) if mine]
    mark = _letters(REPLY_MARK)
    letter = next((index + 1 for index, line in enumerate(lines) if mark in _letters(line.text[:200])), len(lines))
    found = answers_within(lines[letter:], result.kept, sender_names)
    result.answers = found.taken
    result.coloured = found.doubtful
    for index, line in enumerate(lines[:end]):
        if line.depth == SIGNATURE or index in signatures:
            result.ignored.append(line.text.strip())
    result.ignored = [text for text in result.ignored if text]
    return result


def _cuts_quoted(lines: Sequence[Line]) -> list[Line]:
    """The lines, where a sign that something was cut out of a quote ("[...]") belongs to that quote."""
    quoted = list(lines)
    for index, line in enumerate(lines):
        if line.depth == 0 and _CUT.match(line.text):
            beside = (*lines[max(index - 2, 0) : index], *lines[index + 1 : index + 3])
            quoted[index] = Line(line.text, max(max((other.depth for other in beside), default=0), 0))
    return quoted


def _seen(lines: Sequence[Line]) -> int:
    """How many lines are looked at."""
    unquoted = 0
    for index, line in enumerate(lines):
        unquoted += line.depth == 0 and bool(line.text)
        if unquoted > MAX_UNQUOTED:
            return index
    return len(lines)


def _first_separator(lines: Sequence[Line], ours: OwnAddress, sender_names: Collection[str]) -> tuple[int, set[int]]:
    """The index of the first unquoted line from which on the text is another's, and the indexes of the lines that a
    program put above a marked quote of our letter (Outlook Express): nothing ends there, the answer may be below."""
    heads: set[int] = set()
    written = False
    unmarked = quote_without_marks(lines)
    for index, line in enumerate(lines):
        if line.depth != 0 or not line.text.strip() or index in heads:
            continue
        if index >= unmarked or begins_letter_of_ours(lines, index) or attributes_unmarked_text(lines, index, ours):
            return index, heads
        if written and greets(line.text, sender_names):
            return index, heads
        written = True
        if is_separator(lines, index) or is_header_block(lines, index):
            quote = marked_quote_of_block(lines, index, ours)
            if not quote:
                return index, heads
            heads.update(range(index, quote))
    return len(lines), heads


def begins_letter_of_ours(lines: Sequence[Line], index: int) -> bool:
    """Whether a letter of ours, or a part of one, begins in this line."""
    text = lines[index].text[:200].strip("*_# ")
    letters = _letters(text)
    if _MARK_LETTERS in letters or letters in _OUR_HEADINGS:
        return True
    if _OUR_OPENING.search(text) or _BROKEN_FORM.match(text):
        return True
    if index + 1 == len(lines) or "above" not in letters:
        return False
    return _letters(REPLY_MARK) in letters + _letters(lines[index + 1].text[:200])


def _signatures(lines: Sequence[Line], own: Sequence[bool], ours: OwnAddress) -> set[int]:
    """The indexes of the sender's lines from a signature mark (RFC 3676 section 4.3) to the attribution of the next
    quote, below which they may have answered; to the end where no quote is introduced."""
    found: set[int] = set()
    within = False
    for index, line in enumerate(lines[: len(own)]):
        if line.depth == 0:
            within = within or line.text.rstrip() == "--"
            found |= {index} if within and own[index] else set()
        elif within and lines[index - 1].depth == 0 and (said := attribution_above(lines, own, index, ours)):
            found -= set(said)
            within = False
    return found


def _drop_attributions(lines: Sequence[Line], own: list[bool], end: int, ours: OwnAddress) -> None:
    """Unmark the attributions above and below each quoted block, and above the separator at `end`."""
    for index in range(1, min(len(lines), end + 1)):
        if (index == end or lines[index].depth > 0) and lines[index - 1].depth == 0:
            found = attribution_above(lines, own, index, ours)
        elif lines[index].depth == 0 and lines[index - 1].depth > 0:
            found = attribution_below(lines, own, index, ours)
        else:
            continue
        for place in found:
            own[place] = False


def _drop_ends_of_quoted_lines(lines: Sequence[Line], own: list[bool], result: Trimmed) -> None:
    """Unmark a line right between two quoted ones of which the first may have been wrapped to make it.

    It was not where it is too short or too long for that, where a longer quoted line was left whole, or where a
    sentence ends there and no other begins.
    """
    left_whole = max((_width(line) for line in lines if line.depth > 0 and _may_wrap(line)), default=0)
    for index in range(1, len(own) - 1):
        above, below = lines[index - 1], lines[index + 1]
        text = lines[index].text.strip()
        if not own[index] or not text or above.depth <= 0 or above.depth != below.depth:
            continue
        with_next_word = _width(above) + 1 + len(text.split()[0][:40])
        between_sentences = above.text.endswith((".", "?", "!", ":", "…")) and text[0].islower()
        may_be_wrapped = with_next_word > max(_SHORTEST_WRAP, left_whole) and _width(above) <= _LONGEST_WRAP
        if may_be_wrapped and not between_sentences:
            own[index] = False
            result.doubtful.append(text)


def _width(line: Line) -> int:
    """How many columns the line has with its quote marks."""
    return len(line.text) + 2 * line.depth


def _may_wrap(line: Line) -> bool:
    """Whether a program that wraps lines would have wrapped this one, were it too long: it is no long link."""
    return _width(line) <= _LONGEST_WRAP and " " in line.text[-25:].strip()


def _drop_by_library(lines: Sequence[Line], own: list[bool], result: Trimmed) -> None:
    """Unmark everything from the first attribution that the library knows, quoted without any mark below it."""
    shadow: list[tuple[int, str]] = []
    for index in (i for i, mine in enumerate(own) if mine):
        text = re.sub(r"([-_=*~. ])\1{3,}", r"\1\1\1", lines[index].text[:_SHADOW_COLUMNS]).strip()
        if holds_free_text(text):
            text = "press"
        if text or (shadow and shadow[-1][1]):
            shadow.append((index, text))
        if len(shadow) >= _SHADOW_LINES:
            break
    if not any(text.rstrip("*_ ").endswith((":", "：")) or LABEL.match(text) for _, text in shadow):
        return
    try:
        replies = _KNOWN_ATTRIBUTIONS.read("\n".join(text for _, text in shadow)).replies
    except Exception:  # a second opinion: where it fails, the other layers have spoken
        return
    if len(replies) < 2:
        return
    above = replies[0].content
    kept = above.count("\n") + 1 if above and not replies[0].headers else 0
    while kept < len(shadow) and not shadow[kept][1]:
        kept += 1
    if kept < len(shadow) and says_who_or_when(" ".join(text for _, text in shadow[kept : kept + ATTRIBUTION_LINES])):
        first = shadow[kept][0]
        result.cut_at = result.cut_at or lines[first].text.strip()[:80]
        own[first:] = [False] * (len(own) - first)


def _letters(text: str) -> str:
    return "".join(text.casefold().split())
