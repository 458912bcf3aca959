"""Remove everything that the player did not write: quotes, attributions, separators, signatures, footers.

The work is done in layers, each of which may only remove lines. Lines that the mail program marked as quoted (with `>`
or an HTML container) are dropped because of their depth. The layers find text that was quoted without marks, and the
words around quotes:

1. Our own mark `REPLY_MARK`, which is unquoted at the top of every report. Everything below it is ours. If the mark was
   lost, our opening sentence and our headings are searched for.
2. Separators, header blocks, attributions of unmarked text (`attributions`), or a salutation to the sender. Everything
   below them is dropped.
3. Attributions directly above or below a quote.
4. The second halves of quoted lines that a program wrapped, which have no mark between two marked lines.
5. Attributions that the maintained library mail-parser-reply knows, in its fourteen languages. The library is quadratic
   on some inputs, so it gets only a short extract of the text.
6. Signatures and footers of phones, mailing lists, virus scanners, and disclaimers (`phrases/footers.toml`).

In doubt, a line that merely resembles one of these is kept: if a line is kept by mistake, the answer says that it is
not an order, but a line that is removed by mistake is lost.

Footers: a line that programs add ("Sent from my phone") is dropped wherever it is. A notice of several paragraphs (a
disclaimer, the footer of a list) is dropped from its first line to the next quote, but only if the person has written
something above it. At the top of a mail, where gateways put warnings, only the paragraph of the warning is dropped. A
signature without the mark `-- ` begins with the sender's own name, perhaps after a closing or after other dashes.

Answers within our letter: a program that quotes without marks, such as Outlook, can put the writer's name in front of
what they add ("[Paul] bid 4"). Or writers colour their words and say so at the top ("see my answers below in red"). A
name is enough. Coloured words count only if the player says at the top to look below, because programs colour what they
quote, too; otherwise a note says that the coloured words were not read. If most of the letter is coloured, the colour
never counts. Only our own letter is searched, not the older mails below it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from mailparser_reply import EmailReplyParser

from bot.mail.attributions import (
    ATTRIBUTION_LINES,
    LABEL,
    OwnAddress,
    attributes_unmarked_text,
    attribution_above,
    attribution_below,
    is_header_block,
    is_separator,
    marked_quote_of_block,
    own_address_pattern,
    quote_without_marks,
    says_who_or_when,
)
from bot.mail.lines import (
    COLOURED,
    DOUBTFUL,
    PASSAGE_ENDS,
    PICTURE_BETWEEN,
    SIGNATURE,
    Line,
    any_of,
    holds_free_text,
    rows,
)

REPLY_MARK = "Reply above this line"
"""Every report begins with a line that contains these words. Unquoted text below it is skipped, except for the form."""

MAX_UNQUOTED = 2_000

_MARK_LETTERS = "abovethisline"
_OUR_HEADINGS = frozenset(("ireadtheselinesfromyourmail", "fromyourmail", "sinceyourlastmail", "yourorderssofar"))
_OUR_OPENING = re.compile(
    r"(?i:^wanted from you)(?: by \w|$)|(?:^|, )you are [A-Z][A-Z ]{3,20} in \S{1,40}\. (?:Set-up|Turn \d)",
    re.MULTILINE,
)
"""Openings and headings of our letters, for when `REPLY_MARK` was lost or translated."""
_BROKEN_FORM = re.compile(r"[\[［]\s*(?:end\s+of\s+)?form(?:\s+[a-z0-9]{4,40})?$", re.IGNORECASE)

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


class TrimResult:
    def __init__(self) -> None:
        self.kept: list[str] = []
        self.ignored: list[str] = []
        self.answers: list[str] = []
        """The lines that the sender wrote into the quoted mail, marked by a colour or by their name."""
        self.coloured: list[str] = []
        """Lines of the quoted mail that are in a colour which the sender may have used. They are not kept."""
        self.doubtful: list[str] = []
        """Lines that may be the ends of quoted lines, or may be the sender's own. They are not kept."""
        self.cut_at = ""
        """The separator below which nothing was read, or "" if there is none."""


def trim_quotes(lines: Sequence[Line], own_address: str = "", sender_names: Collection[str] = ()) -> TrimResult:
    """Return the sender's own lines in order, including empty lines.

    `own_address` is the address of this program without a token: `mentat@arrakis.example`. `sender_names` are the words
    of the sender's name in lower case; they are used to recognise a signature without a mark.

    >>> trim_quotes([Line("bid 4"), Line(""), Line("Am Montag schrieb Mentat:"), Line("What do you bid?", 1)]).kept
    ['bid 4', '']
    """
    ours = own_address_pattern(own_address)
    lines = _ended_quotes(_cuts_quoted(lines[: _count_lines(lines)]), ours, sender_names)
    result = TrimResult()
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
    result.doubtful += _without_footers(lines, sender_names)
    if any(line.depth == COLOURED or line.text.lstrip().startswith("[") for line in lines):
        mark = _letters(REPLY_MARK)
        letter = next((index + 1 for index, line in enumerate(lines) if mark in _letters(line.text[:200])), len(lines))
        found = answers_within(lines[letter:], result.kept, sender_names)
        result.answers, result.coloured = found.taken, found.doubtful
    for index, line in enumerate(lines[:end]):
        if line.depth == SIGNATURE or index in signatures:
            result.ignored.append(line.text.strip())
    result.ignored = [text for text in result.ignored if text]
    return result


def _ended_quotes(lines: list[Line], ours: OwnAddress, sender_names: Collection[str]) -> list[Line]:
    """End a quote without marks where its passage ends. Text below a picture in the passage may still belong to the
    quote, so it is marked as doubtful."""
    start = 0
    for stop in [*(index for index, line in enumerate(lines) if line == PASSAGE_ENDS), len(lines)]:
        passage = lines[start:stop]
        if stop < len(lines) or PICTURE_BETWEEN in passage:
            end, _ = _first_separator(passage, ours, sender_names)
            picture = passage.index(PICTURE_BETWEEN, end) if PICTURE_BETWEEN in passage[end:] else len(passage)
            if stop < len(lines):
                lines[start + end : start + picture] = [Line(text, depth or 1) for text, depth in passage[end:picture]]
            lines[start + picture : stop] = [Line(text, depth or DOUBTFUL) for text, depth in passage[picture:]]
        start = stop + 1
    return lines


def _without_footers(lines: Sequence[Line], sender_names: Collection[str]) -> list[str]:
    breaks = (PASSAGE_ENDS.text, PICTURE_BETWEEN.text)
    found = [
        PASSAGE_ENDS if line.text in breaks else Line(line.text)
        for line in lines
        if line.depth == DOUBTFUL or line.text in breaks
    ]
    own = [bool(line.text.strip()) for line in found]
    mark_footers(found, own, sender_names)
    return [line.text.strip() for line, mine in zip(found, own, strict=True) if mine]


def _cuts_quoted(lines: Sequence[Line]) -> list[Line]:
    quoted = list(lines)
    for index, line in enumerate(lines):
        if line.depth == 0 and _CUT.match(line.text):
            beside = (*lines[max(index - 2, 0) : index], *lines[index + 1 : index + 3])
            quoted[index] = Line(line.text, max(max((other.depth for other in beside), default=0), 0))
    return quoted


def _count_lines(lines: Sequence[Line]) -> int:
    unquoted = 0
    for index, line in enumerate(lines):
        unquoted += line.depth == 0 and bool(line.text)
        if unquoted > MAX_UNQUOTED:
            return index
    return len(lines)


def _first_separator(lines: Sequence[Line], ours: OwnAddress, sender_names: Collection[str]) -> tuple[int, set[int]]:
    """Return the index at which unquoted text by somebody else begins, and the indexes of the heads above a marked
    quote of our letter. Such a head (Outlook Express) does not end the sender's text, because the answer may follow
    below it."""
    heads: set[int] = set()
    written = False
    unmarked = quote_without_marks(lines)
    for index, line in enumerate(lines):
        if line.depth != 0 or not line.text.strip() or index in heads:
            continue
        if index >= unmarked or begins_letter_of_ours(lines, index) or attributes_unmarked_text(lines, index, ours):
            return index, heads
        if written and greets_sender(line.text, sender_names):
            return index, heads
        written = True
        if is_separator(lines, index) or is_header_block(lines, index):
            quote = marked_quote_of_block(lines, index, ours)
            if not quote:
                return index, heads
            heads.update(range(index, quote))
    return len(lines), heads


def begins_letter_of_ours(lines: Sequence[Line], index: int) -> bool:
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
    """Return the indexes of those of the sender's lines that follow a signature mark (RFC 3676 section 4.3), up to the
    next attribution, or to the end if there is none. Below an attribution the sender may have written an answer."""
    found: set[int] = set()
    within = False
    for index, line in enumerate(lines[: len(own)]):
        if line.depth == 0:
            within = (within and line != PASSAGE_ENDS) or line.text.rstrip() == "--"
            found |= {index} if within and own[index] else set()
        elif within and lines[index - 1].depth == 0 and (said := attribution_above(lines, own, index, ours)):
            found -= set(said)
            within = False
    return found


def _drop_attributions(lines: Sequence[Line], own: list[bool], end: int, ours: OwnAddress) -> None:
    for index in range(1, min(len(lines), end + 1)):
        if (index == end or lines[index].depth > 0) and lines[index - 1].depth == 0:
            found = attribution_above(lines, own, index, ours)
        elif lines[index].depth == 0 and lines[index - 1].depth > 0:
            found = attribution_below(lines, own, index, ours)
        else:
            continue
        for place in found:
            own[place] = False


def _drop_ends_of_quoted_lines(lines: Sequence[Line], own: list[bool], result: TrimResult) -> None:
    """Mark a line between two quoted lines as not the sender's own if a program may have made it by wrapping the quoted
    line above. It cannot have done so if the line above is too short or too long, if a longer quoted line was left
    whole, or if the line above ends a sentence and this line begins with a small letter."""
    between = [index for index in range(1, len(own) - 1) if own[index] and _is_between_quotes(lines, index)]
    if between:
        left_whole = max((_width(line) for line in lines if line.depth > 0 and _may_wrap(line)), default=0)
    for index in between:
        above, text = lines[index - 1], lines[index].text.strip()
        with_next_word = _width(above) + 1 + len(text.split()[0][:40])
        between_sentences = above.text.endswith((".", "?", "!", ":", "…")) and text[0].islower()
        may_be_wrapped = with_next_word > max(_SHORTEST_WRAP, left_whole) and _width(above) <= _LONGEST_WRAP
        if may_be_wrapped and not between_sentences:
            own[index] = False
            result.doubtful.append(text)


def _is_between_quotes(lines: Sequence[Line], index: int) -> bool:
    return 0 < lines[index - 1].depth == lines[index + 1].depth and bool(lines[index].text.strip())


def _width(line: Line) -> int:
    return len(line.text) + 2 * line.depth


def _may_wrap(line: Line) -> bool:
    return _width(line) <= _LONGEST_WRAP and " " in line.text[-25:].strip()


def _drop_by_library(lines: Sequence[Line], own: list[bool], result: TrimResult) -> None:
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
    except Exception:  # only a second opinion: the other layers have decided already
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


_MOST_SIGNATURE_LINES = 12

RULE = re.compile(r"^[ *]{0,3}[-_=*~#+.`—–─━═]{3,}[ *]{0,3}$")

# These match a line in lower case, as `_text_of` returns it, because ignoring case takes three times as long.
_ADDED_LINE = rows(lambda: rf"^(?:[-_*•\s\[(]{{0,8}}){any_of('footers', 'added_lines')}.{{0,160}}$")
_NOTICE = rows(
    lambda: (
        rf"^[-_*=#|\s\[(<]{{0,12}}(?:{any_of('footers', 'scanners')}|{any_of('footers', 'disclaimers')}|"
        rf"{any_of('footers', 'invitations')}|{any_of('footers', 'lists')})"
    )
)
_HEADING = rows(lambda: rf"^[-_*=#|\s\[(<]{{0,12}}{any_of('footers', 'headings')}")
_LEGAL = rows(lambda: any_of("footers", "legal_words"))
_WARNING = rows(lambda: any_of("footers", "warnings"))
_MAIL_WORD = rows(lambda: any_of("footers", "mail_words"))
_WARNING_MARK = rows(lambda: rf"^\W{{0,12}}{any_of('footers', 'warning_marks')}")
_STRANGER = rows(lambda: rf"^\W{{0,12}}{any_of('footers', 'strangers')}")
_ADVICE = rows(lambda: any_of("footers", "advice"))
_SENTENCE_ENDS = (".", "!", ">", ")", "]", "*", "。", "！", "】")
_DASHES = re.compile(r"[-–—_=~]{1,80}$")
_CLOSING = rows(lambda: rf"^{any_of('footers', 'closings')}[\s,.!;:。、！，–—-]*$", re.IGNORECASE)
_CONTACT = re.compile(
    r"@|https?:|www\.|\b(?:tel|fax|phone|mobile?|mobil|handy)\b|\+?\d[\d ()/.-]{6,}|"
    r"\w,? (?:ltd|limited|gmbh|inc|llc|llp|plc|corp|ag|kg|sarl|s\.?a|s\.?r\.?l|b\.?v|n\.?v|oyj?|ab|aps|a/s|z o\.o)\.?$",
    re.IGNORECASE,
)
_GREETING = rows(lambda: rf"^{any_of('footers', 'greetings')}\s+", re.IGNORECASE)
_POSTSCRIPT = re.compile(r"\s{0,8}p\.? ?s\b", re.IGNORECASE)
_NAME_WORD = re.compile(r"[^\W\d_]{2,}")


def mark_footers(lines: Sequence[Line], own: list[bool], names: Collection[str]) -> list[str]:
    """Set `own` to False for lines that a program added below the person's words, and return those lines. `names` are
    the words of the sender's name, in lower case."""
    ignored: list[str] = []

    def drop(start: int, end: int) -> None:
        for index in range(start, end):
            if own[index]:
                own[index] = False
                ignored.append(lines[index].text.strip())

    written = False
    for index in range(len(own)):
        text = _text_of(lines[index])
        if not own[index] or not text:
            continue
        if written and _DASHES.match(text) and _is_signature(lines, own, index, names):
            drop(index, _signature_end(lines, own, index))
        elif RULE.match(text[:200]):
            own[index] = False
        elif holds_free_text(text):
            written = True
        elif _ADDED_LINE.match(text):
            drop(index, index + 1)
        elif not written and _is_warning(lines, own, index):
            drop(index, _warning_end(lines, own, index))
        elif _begins_paragraph(lines, own, index) and _is_notice(lines, own, index):
            drop(index, _run_end(lines, own, index) if written else _paragraph_end(lines, own, index))
        elif written and _is_signature(lines, own, index, names):
            drop(index, _signature_end(lines, own, index))
        else:
            written = True
    return ignored


def _is_notice(lines: Sequence[Line], own: Sequence[bool], start: int) -> bool:
    text = _text_of(lines[start])
    if _NOTICE.match(text):
        return True
    return bool(_HEADING.match(text)) and bool(_LEGAL.search(" ".join(_rest_of_run(lines, own, start)).lower()))


def _is_warning(lines: Sequence[Line], own: Sequence[bool], start: int) -> bool:
    text = _text_of(lines[start])
    if _WARNING_MARK.match(text) or _STRANGER.match(text):
        return True
    paragraph = " ".join(map(_text_of, lines[start : min(start + 3, _paragraph_end(lines, own, start))]))
    found = _WARNING.search(paragraph)
    return found is not None and bool(_MAIL_WORD.search(paragraph)) and ":" not in paragraph[40 : found.start()]


def _warning_end(lines: Sequence[Line], own: Sequence[bool], start: int) -> int:
    end = start + 1
    while end < len(own) and own[end] and lines[end].text.strip():
        text = _text_of(lines[end])
        if _text_of(lines[end - 1]).endswith(_SENTENCE_ENDS) and not _LEGAL.search(text) and not _ADVICE.search(text):
            break
        end += 1
    return end


def _text_of(line: Line) -> str:
    return line.text.strip()[:300].replace("’", "'").lower()


def is_closing(text: str) -> bool:
    return len(text) <= 80 and bool(_CLOSING.match(text.strip()))


def greets_sender(text: str, names: Collection[str]) -> bool:
    """Return True if the line is a salutation to the sender. The text below it is then somebody's letter to the sender.

    >>> greets_sender("Dear Ann,", {"ann"}), greets_sender("Ann", {"ann"}), greets_sender("Dear Mentat,", {"ann"})
    (True, False, False)
    """
    salutation, comma, more = re.sub("[，、]", ",", text[:200]).strip().partition(",")
    greeted = _GREETING.sub("", salutation)
    return bool(comma) and (not more.strip() or greeted != salutation) and _signs_with_name(greeted, names)


def _begins_paragraph(lines: Sequence[Line], own: Sequence[bool], index: int) -> bool:
    return index == 0 or not own[index - 1] or not any(map(str.isalnum, lines[index - 1].text))


def _paragraph_end(lines: Sequence[Line], own: Sequence[bool], start: int) -> int:
    end = start
    while end < len(own) and own[end] and lines[end].text.strip():
        end += 1
    return end


def _run_end(lines: Sequence[Line], own: Sequence[bool], start: int) -> int:
    end = start
    while end < len(own) and lines[end].depth == 0 and lines[end] != PASSAGE_ENDS:
        end += 1
    return end


def _is_signature(lines: Sequence[Line], own: Sequence[bool], start: int, names: Collection[str]) -> bool:
    first = lines[start].text.strip()
    if len(first) > 80:
        return False
    closing = is_closing(first) or bool(_DASHES.match(first))
    signed = _signs_with_name(first, names)
    if not closing and not ((signed or _is_full_name(first, names)) and _begins_paragraph(lines, own, start)):
        return False
    block = _rest_of_run(lines, own, start + 1)
    if len(block) > _MOST_SIGNATURE_LINES:
        return False
    if closing:
        return bool(block) and _signs_with_name(block[0], names)
    return (signed and not block) or any(_CONTACT.search(text[:200]) for text in block)


def _signature_end(lines: Sequence[Line], own: Sequence[bool], start: int) -> int:
    end = _run_end(lines, own, start)
    return next((index for index in range(start + 1, end) if _POSTSCRIPT.match(lines[index].text)), end)


def _rest_of_run(lines: Sequence[Line], own: Sequence[bool], start: int) -> list[str]:
    rest: list[str] = []
    for index in range(start, len(own)):
        if lines[index].depth != 0 or lines[index] == PASSAGE_ENDS or len(rest) > _MOST_SIGNATURE_LINES:
            break
        if own[index] and lines[index].text.strip():
            rest.append(lines[index].text.strip())
    return rest


def _signs_with_name(text: str, names: Collection[str]) -> bool:
    words = _NAME_WORD.findall(text.casefold())
    return 0 < len(words) <= 5 and len(text) <= 60 and all(word in names for word in words)


def _is_full_name(text: str, names: Collection[str]) -> bool:
    words = text.split()
    return 1 < len(words) <= 3 and words[0].casefold() in names and all(map(str.istitle, words))


_AFTER_NAME = re.compile(r"^\[([^\[\]]{2,60})\]:?\s*(\S.*)$")
_SEE_BELOW = rows(lambda: any_of("answers", "see_below"), re.IGNORECASE)
_ANSWER_WORD = re.compile(r"[^\W\d_]{2,}")
_AT_MOST_COLOURED = 1 / 3


@dataclass(slots=True)
class Answers:
    taken: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    """Coloured lines that the player did not mention at the top."""


def answers_within(letter: Sequence[Line], above: Sequence[str], names: Collection[str]) -> Answers:
    """Return the lines that the sender wrote into `letter`, which consists of our letter and everything below it.

    `above` are the lines that the sender wrote elsewhere in the mail. `names` are the words of their name in lower
    case.

    >>> answers_within([Line("Your bid?", 1), Line("bid 4", -2), Line("More: help", 1)], ["see below"], ()).taken
    ['bid 4']
    """
    letter = _without_older_mails(letter)
    texts = [(line, line.text.strip()) for line in letter if line.text.strip()]
    coloured = sum(line.depth == COLOURED for line, _ in texts)
    some = 0 < coloured <= _AT_MOST_COLOURED * len(texts)
    meant = some and any(_SEE_BELOW.search(text[:200]) for text in above)
    found = Answers()
    for line, text in texts:
        named = _AFTER_NAME.match(text[:300])
        if named and _is_name_in_brackets(named.group(1), names):
            found.taken.append(text[named.start(2) :])
        elif line.depth == COLOURED and some:
            (found.taken if meant else found.doubtful).append(text)
    return found


def _without_older_mails(lines: Sequence[Line]) -> Sequence[Line]:
    unmarked = [Line(line.text) for line in lines[:400]]
    for index, line in enumerate(lines[:400]):
        if line.depth > 1 or line == PASSAGE_ENDS or (line.text.strip() and is_header_block(unmarked, index)):
            return lines[:index]
    return lines[:400]


def _is_name_in_brackets(text: str, names: Collection[str]) -> bool:
    words = _ANSWER_WORD.findall(text.casefold())
    return bool(words) and all(word in names for word in words)
