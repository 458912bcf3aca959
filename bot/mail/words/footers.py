"""What is added below a person's words: signatures, mobile footers, list footers, scanners' notes, disclaimers.

A line that programs add ("Sent from my phone") goes wherever it stands. A notice of several paragraphs (a disclaimer,
the footer of a list) goes from its first line to the next quote, but only where the person has written something above
it; at the top of a mail, where gateways put warnings, it is its own paragraph and no more. A signature without the mark
`-- ` is known by a closing, other dashes, or nothing, and then the sender's own name. The words are in
`phrases/footers.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from bot.mail.phrases import any_of, rows
from bot.mail.words.free_text import holds_free_text
from bot.mail.words.lines import Line

_MOST_SIGNATURE_LINES = 12

RULE = re.compile(r"^[ *]{0,3}[-_=*~#+.`—–─━═]{3,}[ *]{0,3}$")
"""A row of dashes or the like, which is nothing in itself."""

_ADDED_LINE = rows(lambda: rf"^(?:[-_*•\s\[(]{{0,8}}){any_of('footers', 'added_lines')}.{{0,160}}$", re.IGNORECASE)
_NOTICE = rows(
    lambda: (
        rf"^[-_*=#|\s\[(<]{{0,12}}(?:{any_of('footers', 'scanners')}|{any_of('footers', 'disclaimers')}|"
        rf"{any_of('footers', 'invitations')}|{any_of('footers', 'lists')})"
    ),
    re.IGNORECASE,
)
_HEADING = rows(lambda: rf"^[-_*=#|\s\[(<]{{0,12}}{any_of('footers', 'headings')}", re.IGNORECASE)
_LEGAL = rows(lambda: any_of("footers", "legal_words"), re.IGNORECASE)
_WARNING = rows(lambda: any_of("footers", "warnings"), re.IGNORECASE)
_MAIL_WORD = rows(lambda: any_of("footers", "mail_words"), re.IGNORECASE)
_WARNING_MARK = rows(lambda: rf"^\W{{0,12}}{any_of('footers', 'warning_marks')}", re.IGNORECASE)
_STRANGER = rows(lambda: rf"^\W{{0,12}}{any_of('footers', 'strangers')}", re.IGNORECASE)
_ADVICE = rows(lambda: any_of("footers", "advice"), re.IGNORECASE)
_SENTENCE_ENDS = (".", "!", ">", ")", "]", "*", "。", "！", "】")
_DASHES = re.compile(r"[-–—_=~]{1,80}$")
_CLOSING = rows(lambda: rf"^{any_of('footers', 'closings')}[\s,.!;:。、！，–—-]*$", re.IGNORECASE)
_CONTACT = re.compile(r"@|https?:|www\.|\b(?:tel|fax|phone|mobile?|mobil|handy)\b|\+?\d[\d ()/.-]{6,}", re.IGNORECASE)
_GREETING = rows(lambda: rf"^{any_of('footers', 'greetings')}\s+", re.IGNORECASE)
_POSTSCRIPT = re.compile(r"\s{0,8}p\.? ?s\b", re.IGNORECASE)
_NAME_WORD = re.compile(r"[^\W\d_]{2,}")


def mark_footers(lines: Sequence[Line], own: list[bool], names: Collection[str]) -> list[str]:
    """Set `own` to False for what was added below the person's words; gives those lines.

    `names` are the words of the sender's name, in lower case.
    """
    ignored: list[str] = []

    def drop(start: int, end: int) -> None:
        for index in range(start, end):
            if own[index]:
                own[index] = False
                ignored.append(lines[index].text.strip())

    written = False
    for index in range(len(own)):
        text = _seen(lines[index])
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
    text = _seen(lines[start])
    if _NOTICE.match(text):
        return True
    return bool(_HEADING.match(text)) and bool(_LEGAL.search(" ".join(_rest_of_run(lines, own, start))))


def _is_warning(lines: Sequence[Line], own: Sequence[bool], start: int) -> bool:
    """Whether a gateway warns of mail from outside here: by a mark of its own, or in a sentence over some lines."""
    text = _seen(lines[start])
    if _WARNING_MARK.match(text) or _STRANGER.match(text):
        return True
    paragraph = " ".join(map(_seen, lines[start : min(start + 3, _paragraph_end(lines, own, start))]))
    found = _WARNING.search(paragraph)
    return found is not None and bool(_MAIL_WORD.search(paragraph)) and ":" not in paragraph[40 : found.start()]


def _warning_end(lines: Sequence[Line], own: Sequence[bool], start: int) -> int:
    """The end of the warning, which is not always parted by an empty line from what the person wrote."""
    end = start + 1
    while end < len(own) and own[end] and lines[end].text.strip():
        text = _seen(lines[end])
        if _seen(lines[end - 1]).endswith(_SENTENCE_ENDS) and not _LEGAL.search(text) and not _ADVICE.search(text):
            break
        end += 1
    return end


def _seen(line: Line) -> str:
    return line.text.strip()[:300].replace("’", "'")


def is_closing(text: str) -> bool:
    """Whether a line is a closing and nothing else: "Kind regards," and its like in other languages."""
    return len(text) <= 80 and bool(_CLOSING.match(text.strip()))


def greets(text: str, names: Collection[str]) -> bool:
    """Whether a line is a salutation to the sender, so that what follows is somebody's letter to them.

    >>> greets("Dear Ann,", {"ann"}), greets("Ann", {"ann"}), greets("Dear Mentat,", {"ann"})
    (True, False, False)
    """
    salutation, comma, more = re.sub("[，、]", ",", text[:200]).strip().partition(",")
    greeted = _GREETING.sub("", salutation)
    return bool(comma) and (not more.strip() or greeted != salutation) and _is_name(greeted, names)


def _begins_paragraph(lines: Sequence[Line], own: Sequence[bool], index: int) -> bool:
    return index == 0 or not own[index - 1] or not any(map(str.isalnum, lines[index - 1].text))


def _paragraph_end(lines: Sequence[Line], own: Sequence[bool], start: int) -> int:
    end = start
    while end < len(own) and own[end] and lines[end].text.strip():
        end += 1
    return end


def _run_end(lines: Sequence[Line], own: Sequence[bool], start: int) -> int:
    """The index of the next quoted line."""
    end = start
    while end < len(own) and lines[end].depth == 0:
        end += 1
    return end


def _is_signature(lines: Sequence[Line], own: Sequence[bool], start: int, names: Collection[str]) -> bool:
    """Whether a short block that ends this run begins here: a closing or dashes, and the sender's name, or that
    name alone."""
    first = lines[start].text.strip()
    if len(first) > 80:
        return False
    closing = is_closing(first) or bool(_DASHES.match(first))
    if not closing and not (_is_name(first, names) and _begins_paragraph(lines, own, start)):
        return False
    block = _rest_of_run(lines, own, start + 1)
    if len(block) > _MOST_SIGNATURE_LINES:
        return False
    if closing:
        return bool(block) and _is_name(block[0], names)
    return not block or any(_CONTACT.search(text[:200]) for text in block)


def _signature_end(lines: Sequence[Line], own: Sequence[bool], start: int) -> int:
    """The index of the next quoted line, or of a postscript."""
    end = _run_end(lines, own, start)
    return next((index for index in range(start + 1, end) if _POSTSCRIPT.match(lines[index].text)), end)


def _rest_of_run(lines: Sequence[Line], own: Sequence[bool], start: int) -> list[str]:
    rest: list[str] = []
    for index in range(start, len(own)):
        if lines[index].depth != 0 or len(rest) > _MOST_SIGNATURE_LINES:
            break
        if own[index] and lines[index].text.strip():
            rest.append(lines[index].text.strip())
    return rest


def _is_name(text: str, names: Collection[str]) -> bool:
    """Whether a line is the sender's name, or a part of it, and nothing else."""
    words = _NAME_WORD.findall(text.casefold())
    return 0 < len(words) <= 5 and len(text) <= 60 and all(word in names for word in words)
