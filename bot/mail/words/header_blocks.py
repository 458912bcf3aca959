"""Header blocks: From, Sent, To and Subject of a mail, as programs write them above what they quote.

Three labels or more in a row, in any language that has a word for From in the table, or with an address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from bot.mail.phrases import any_of, rows
from bot.mail.words.free_text import holds_free_text
from bot.mail.words.lines import Line

SEEN_COLUMNS = 400
ADDRESS = re.compile(r"(?<![^\s<>@])[^\s<>@]{1,100}@[^\s<>@]{1,200}")
IN_BRACKETS = re.compile(r"[<(\[]\s?(?:mailto:)?[^\s<>@]{1,100}@[^\s<>@]{1,200}[>)\]]")
_ADDRESS_ALONE = re.compile(r"(?:^|[:：])[*_ ]{0,3}[^\s<>@]{1,100}@[^\s<>@]{1,200}[*_ ]{0,3}$")
LABEL = re.compile(r"^[*_ ]{0,3}[^\W\d_][\w .'’()-]{0,24}[*_ ]{0,3}(?<!\d)[:：][*_ ]{0,3}\S")
LABEL_ALONE = re.compile(r"^[*_ ]{0,3}[^\W\d_][\w .'’()-]{0,24}[*_ ]{0,3}(?<!\d)[:：]")
_LABEL_WITHIN = re.compile(r"(?<=\s)[*_]{0,2}[^\W\d_][^\W\d_ ]{0,14} ?[:：](?=[*_ ])")
_FROM_LABEL = rows(lambda: any_of("attributions", "from_labels"), re.IGNORECASE)
WHEN = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:.h]\d{2}\b|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}年|\d{1,2}月\d{1,2}日|\d{4}년"
)
_HEADER_VALUE = re.compile(rf"{WHEN.pattern}|{ADDRESS.pattern}|[:：].*\[[^\]]+\] \S")
"""What stands above From in a header block: a time, an address, or the subject of a letter of ours."""


def is_header_block(lines: Sequence[Line], start: int) -> bool:
    """Three labels or more in a row, of which the first says From, or which hold an address (Outlook and its kin).

    A line with a label above such a block ("press to guild: wait") is no part of it.
    """
    sender_first = is_from_label(lines[start].text)
    if not LABEL.match(lines[start].text) and not sender_first:
        return False
    may_precede = sender_first or bool(_HEADER_VALUE.search(lines[start].text[:SEEN_COLUMNS]))
    if holds_free_text(lines[start].text):
        return False
    if sender_first and _is_block_in_a_line(lines[start].text[:SEEN_COLUMNS]):
        return True
    labels, with_address, value_follows = 0, False, False
    for line in lines[start : start + 12]:
        is_label = bool(LABEL_ALONE.match(line.text))
        if line.depth != 0 or (line.text.strip() and not is_label and not value_follows):
            break
        if not may_precede and is_from_label(line.text):
            return False
        with_address = with_address or _names_somebody(line.text[:SEEN_COLUMNS])
        labels += is_label
        if line.text.strip():
            sent_for = sender_first and labels == 1 and bool(IN_BRACKETS.search(line.text[:SEEN_COLUMNS]))
            value_follows = is_label and (sent_for or line.text.rstrip("*_ ").endswith((":", "：")))
    return labels >= 3 and (with_address or sender_first)


def _is_block_in_a_line(text: str) -> bool:
    """Whether a whole header block was run together: From, an address, and at least two more labels."""
    return bool(IN_BRACKETS.search(text) and WHEN.search(text)) and len(_LABEL_WITHIN.findall(text)) >= 2


@lru_cache(maxsize=64)  # each line stands in twelve windows
def _names_somebody(text: str) -> bool:
    return bool(IN_BRACKETS.search(text) or _ADDRESS_ALONE.search(text))


def is_from_label(text: str) -> bool:
    first, colon, _ = re.sub("：", ":", text[:60]).partition(":")
    return bool(colon) and bool(_FROM_LABEL.fullmatch(first.strip("*_ ")))
