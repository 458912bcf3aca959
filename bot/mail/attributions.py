"""The words that mail programs put between a person's text and a quote: attributions, header blocks and separators.

An attribution says who wrote and when ("On Tuesday Mentat wrote:"). It is above the quote or, rarely, below it, on one
line or wrapped over several. If it contains our own reply address, it is recognised in every language, because nobody
types that address. Otherwise it must contain a word for writing and a time. The tables hold the words that mail
programs use in the languages in which they are sold.

A header block consists of the From, Sent, To and Subject lines that a program writes above a quoted mail. It has at
least three labels in a row. One of them must mean "From", in any language of the table, or be followed by an address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, Protocol

from bot.mail.lines import DOUBTFUL, PASSAGE_ENDS, Line, any_of, holds_free_text, rows

ATTRIBUTION_LINES = 4
_WRAP_COLUMN = 62
_FEW_LETTERS = 3
_WRAPPED_FROM = 30
_DASHED_WORDS = re.compile(
    r"^[ *]{0,3}[-_=]{4,80}[ *]{0,3}[\"'«]?[^\W\d_](?:[^-_=]|-(?!-)){2,160}[-_=]{4,80}[ *]{0,3}$"
)
_ORIGINAL = rows(
    lambda: (
        rf"^(?:- )?[ *]{{0,3}}(?:[-_=]{{2,80}}[ *]{{0,3}})?{any_of('attributions', 'rows')}"
        r"(?:[ *]{0,3}[-_=]{2,80}|[:：])?[ *]{0,3}$"
    ),
    re.IGNORECASE,
)
_MBOX = re.compile(r"^From [^\s@]{1,100}@[^\s@]{1,200} +[A-Z][a-z]{2} [A-Z][a-z]{2} +\d")
"""The From_ line above each message in an mbox file (RFC 4155)."""
_LINK = re.compile(r"\bhttps?://|\bwww\.", re.IGNORECASE)
_PARAGRAPH = 6
_DASHES = re.compile(r"^-{8,}$")
_UNDERSCORES = re.compile(r"^_{30,}$")
"""A rule above Outlook's header block, and above the footers of mailing lists."""

_TABLE_RULE = re.compile(r"^\|-{5,80}\+-{5,80}[>|]?$")
"""The upper edge of the table in which old Lotus Notes puts its attribution."""

_WROTE = rows(lambda: rf"\b{any_of('attributions', 'wrote')}\b|{any_of('attributions', 'wrote_within')}", re.IGNORECASE)
_DAY = re.compile(r"\b(?:19|20)\d\d\b|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[年년]|\d{1,2}月\d{1,2}日")
_OPENING = rows(
    lambda: (
        rf"^[*_ ]{{0,3}}(?:{any_of('attributions', 'openings')}\b|\d|\w{{1,16}}[.,]{{1,2}} ?\d|\w\w \d|[^:：]{{0,60}}<)"
    ),
    re.IGNORECASE,
)
_GROUPWISE = re.compile(r"^>>> [^>]{0,100}(?:>[^>]{0,60})?\d:?\d\d[^>]{0,20} >>>$")
_CLOCK = re.compile(r"(?<![\d.])\d{1,2}(?:[:h]\d\d|\.\d\d(?![\d.]))")
_SAID = rows(
    lambda: (
        rf"(?:\b{any_of('attributions', 'wrote')}|{any_of('attributions', 'wrote_within')})"
        r"(?: ?\([^()]{0,30}\))?[ *_-]{0,80}(?P<colon>[:：])?[ *_-]{0,80}(?P<more>\S)?"
    ),
    re.IGNORECASE,
)
_MYSELF = re.compile(r"\b(?:I|ich|je|j'ai|yo|io|ik|eu|jag|jeg|я)\b|^(?:he |ho |have )", re.IGNORECASE)
_ONLY_WROTE = rows(lambda: rf"^{any_of('attributions', 'wrote')} ?[:：]$", re.IGNORECASE)
"""The end of an attribution after an address. The bracket of that address, alone on the line above, looks like a
quote."""
_STAMPED = re.compile(rf"^[^\[\]]{{0,80}}\[[^\[\]]{{0,80}}(?:{_DAY.pattern})[^\[\]]{{0,40}}\]$")
"""Name and time in square brackets, above text copied from a messenger."""
_DAY_AND_TIME = rows(
    lambda: (
        rf"^(?:{any_of('attributions', 'openings')} )[^\W\d_]{{0,9}}[., ]{{0,2}}(?:{_DAY.pattern})[, ]{{1,2}}"
        rf"(?:{_CLOCK.pattern})(?: ?[ap]\.?m\.?)?,$"
    ),
    re.IGNORECASE,
)
_BETWEEN_DASHES = re.compile(rf"^[^-]{{1,60}} ---(?:{_DAY.pattern}) {_CLOCK.pattern}[^-]{{0,12}}---")
"""An attribution by Lotus Notes, with the time between dashes."""
_MOST_WORDS_BESIDE = 5
_MOST_WORDS_BESIDE_ADDRESS = 3
_MOST_COLUMNS_SAID = 80
_VERB_WITHIN = 80
_BARE = re.compile(r"^[^\w<(]*[<(]|^[^<]{0,200}>")
"""The rest of a name and address that began in the line above."""
_ASIDE = re.compile(r"[*_ ]+$")


class OwnAddress(Protocol):
    def search(self, string: str, /) -> re.Match[str] | None: ...

    def __hash__(self) -> int: ...


def own_address_pattern(own_address: str) -> re.Pattern[str]:
    local, at, host = own_address.lower().partition("@")
    if not at:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<![\w.]){re.escape(local)}(?:\+[\w.-]{{0,64}})?@{re.escape(host)}", re.IGNORECASE)


def is_separator(lines: Sequence[Line], index: int) -> bool:
    """Return True if a mail program put this line above a quote or above text that it adds.

    Known words (`-----Original Message-----`) are enough. Other words between dashes, or a long rule of underscores,
    may be a player's own way of separating orders. They count only if the line below shows that a program wrote them.

    >>> is_separator([Line("-------- Ursprüngliche Nachricht --------")], 0)
    True
    >>> is_separator([Line("---- movement ----"), Line("no move")], 0)
    False
    """
    match _row(lines[index].text[:300]):
        case "sure":
            return True
        case "attribution":
            return not _goes_on_to_a_quote([Line(":"), *lines[index + 1 : index + 4]], 0)
        case "words":
            return _program_speaks(lines, index + 1, 1)
        case "rule":
            return _program_speaks(lines, index + 1, _PARAGRAPH)
    return False


@lru_cache(maxsize=64)  # each line appears in four windows
def _row(text: str) -> Literal["sure", "attribution", "words", "rule", ""]:
    if _ORIGINAL.match(text) or _MBOX.match(text):
        return "sure"
    if _DASHED_WORDS.match(text):
        if _WROTE.search(text):
            return "attribution"
        return "sure" if ADDRESS.search(text) else "words"
    return "rule" if _UNDERSCORES.match(text) or _TABLE_RULE.match(text) else ""


def _program_speaks(lines: Sequence[Line], start: int, count: int) -> bool:
    below = next((i for i in range(start, min(start + 4, len(lines))) if lines[i].text.strip()), None)
    if below is None or lines[below].depth != 0:
        return True
    for index in range(below, min(below + count, len(lines))):
        text = lines[index].text[:SEEN_COLUMNS]
        if lines[index].depth != 0 or not text.strip():
            return False
        if ADDRESS.search(text) or _LINK.search(text) or is_header_block(lines, index):
            return True
    return False


def marked_quote_of_block(lines: Sequence[Line], start: int, ours: OwnAddress) -> int:
    """Return the index of the marked quote below a separator or header block that names us as the sender. Return 0 if
    somebody else wrote the quoted mail, or if it has no quote marks. Such a quote is never at index 0."""
    from_us = False
    for index in range(start, min(start + 16, len(lines))):
        text = lines[index].text[:SEEN_COLUMNS]
        if lines[index].depth > 0:
            return index if from_us else 0
        attributes = not LABEL_ALONE.match(text) or _ends_with_colon(text)
        from_us = from_us or (bool(ours.search(text)) and (is_from_label(text) or _ends_with_colon(text)))
        if text.strip() and index > start and attributes and not (ours.search(text) and _ends_with_colon(text)):
            return 0
    return 0


def says_who_or_when(text: str) -> bool:
    """Return True if a text contains an address, a time or "wrote", so that it may be part of an attribution or header
    block.

    >>> says_who_or_when("From: me to you"), says_who_or_when("Am Montag schrieb Mentat:")
    (False, True)
    """
    return bool(ADDRESS.search(text) or WHEN.search(text) or _WROTE.search(text))


def attributes_unmarked_text(lines: Sequence[Line], start: int, ours: OwnAddress) -> bool:
    """Return True if an attribution of up to four lines begins here, with no marked quote below it. Either it ends with
    a colon and contains our address or the writer and time; or it contains a time, and our address in <>."""
    text = ""
    after_quote = any(line.depth > 0 for line in lines[max(start - 2, 0) : start])
    for index in range(start, min(start + ATTRIBUTION_LINES, len(lines))):
        line = lines[index]
        within_address = "<" in text[-60:] and ">" not in text[text.rfind("<") :]
        if not line.text.strip() or (index > start and _begins_separator(lines, index)):
            return False
        if (line.depth != 0 and not within_address) or holds_free_text(line.text):
            return False
        if index > start and line.depth == 0 and _begins_anew(line.text[:SEEN_COLUMNS], ours) and not _may_go_on(text):
            return False
        text = f"{text} {'> ' * line.depth}{line.text.strip()[:300]}".strip()
        if index == start and _runs_on(text):
            return True
        if _ends_attribution(text, ours, after_quote):
            if _goes_on_to_a_quote(lines, index + 1):
                return False
            below = next((later for later in lines[index + 1 : index + 6] if later.text.strip()), None)
            return below is not None and below.depth == 0
        if len(line.text) < _WRAPPED_FROM and not _may_open(text):
            return False
    return False


def _may_open(text: str) -> bool:
    return bool(_OPENING.match(text) and WHEN.search(text)) or (text.endswith(">") and bool(IN_BRACKETS.search(text)))


@lru_cache(maxsize=64)  # each line appears in four windows
def _begins_anew(text: str, ours: OwnAddress) -> bool:
    return _may_open(text) or _ends_attribution(text, ours, after_quote=False)


def _may_go_on(text: str) -> bool:
    says_when = bool(_DAY.search(text) and _CLOCK.search(text))
    return says_when or _may_open(text) or bool(IN_BRACKETS.search(text) or (WHEN.search(text) and _WROTE.search(text)))


def _runs_on(text: str) -> bool:
    said = _SAID.search(text) if _OPENING.match(text) and _DAY.search(text) else None
    return bool(said and said["colon"] and said["more"] and _DAY.search(text[: said.start()]))


def _goes_on_to_a_quote(lines: Sequence[Line], start: int) -> bool:
    said = ""
    for line in lines[start : start + ATTRIBUTION_LINES + 1]:
        if line.depth > 0:
            return _ends_with_colon(said)
        if line.text.strip():
            if _ends_with_colon(said):
                return False
            said = line.text
        elif not _ends_with_colon(said):
            return False
    return False


def _ends_with_colon(text: str) -> bool:
    return _ASIDE.sub("", text).endswith((":", "："))


def _begins_separator(lines: Sequence[Line], index: int) -> bool:
    text = lines[index].text
    return is_separator(lines, index) or bool(LABEL.match(text) and is_from_label(text))


def _ends_with_verb(text: str) -> bool:
    return any(not said["more"] for said in _SAID.finditer(text[-_VERB_WITHIN:]))


def _ends_attribution(text: str, ours: OwnAddress, after_quote: bool) -> bool:
    address = ours.search(text)
    if _ends_with_colon(text):
        if address or IN_BRACKETS.search(text):
            return True
        if not WHEN.search(text):
            return len(text) <= _MOST_COLUMNS_SAID and _ends_with_verb(text) and not _MYSELF.search(text)
        return _is_who_and_when(text) or bool(_WROTE.search(text) or ADDRESS.search(text))
    if _GROUPWISE.match(text):
        return True
    if after_quote:
        return False
    if _is_stamp(text) or _is_name_and_time(text):
        return True
    if _OPENING.match(text.lstrip("-* ")) and _DAY.search(text) and _ends_with_verb(text):
        return True
    if address is None or not text[: address.start()].endswith(("<", "<mailto:", "[mailto:")):
        return False
    return bool(WHEN.search(text[: address.start()]) or WHEN.search(text[address.end() :]))


def is_sure_attribution(text: str, ours: OwnAddress) -> bool:
    return bool(ours.search(text) or IN_BRACKETS.search(text)) or bool(text and _ends_attribution(text, ours, False))


def _is_stamp(text: str) -> bool:
    if _DAY_AND_TIME.match(text) or _BETWEEN_DASHES.match(text):
        return True
    return bool(_STAMPED.match(text) and _CLOCK.search(text) and re.search(r"[^\W\d_]{2,}", text))


def _is_who_and_when(text: str) -> bool:
    if not (_DAY.search(text) and _CLOCK.search(text)):
        return False
    beside = re.findall(r"[^\W\d_]{2,}", _CLOCK.sub(" ", _DAY.sub(" ", text)))
    return len(beside) <= _MOST_WORDS_BESIDE and not text[0].islower()


def _is_name_and_time(text: str) -> bool:
    bracketed = bool(IN_BRACKETS.search(text))
    if not (bracketed or ADDRESS.search(text)) or not _DAY.search(text) or not _CLOCK.search(text):
        return False
    beside = _CLOCK.sub(" ", _DAY.sub(" ", ADDRESS.sub(" ", IN_BRACKETS.sub(" ", text))))
    most = _MOST_WORDS_BESIDE if bracketed else _MOST_WORDS_BESIDE_ADDRESS
    return len(re.findall(r"[^\W\d_]{2,}", beside)) <= most


def quote_without_marks(lines: Sequence[Line]) -> int:
    """Return the index at which a quote without marks begins because the last marked line is its attribution. If there
    is no such quote, return the number of lines."""
    marked = max((index for index, line in enumerate(lines) if line.depth > 0 and line.text.strip()), default=-1)
    below = next((index for index in range(marked + 1, len(lines)) if lines[index].text.strip()), len(lines))
    if (
        marked < 0
        or PASSAGE_ENDS in lines[marked:below]
        or any(line.depth == DOUBTFUL for line in lines[below : below + 1])
    ):
        return len(lines)
    if sum(bool(LABEL_ALONE.match(line.text)) for line in lines[max(marked - 5, 0) : marked + 1] if line.depth > 0) > 2:
        return below
    text = lines[marked].text[:SEEN_COLUMNS]
    says_when = bool(_ends_with_colon(text) and WHEN.search(text) and _WROTE.search(text))
    return below if says_when or (_ends_with_colon(text) and _ends_with_verb(text)) else len(lines)


def attribution_above(lines: Sequence[Line], own: Sequence[bool], quote: int, ours: OwnAddress) -> range:
    last = quote - 1
    while last >= 0 and quote - last <= 3 and not lines[last].text.strip():
        last -= 1
    if last < 0 or not own[last] or holds_free_text(lines[last].text):
        return range(0)
    address_ends = bool(ADDRESS.search(lines[last].text[:SEEN_COLUMNS]) and _ONLY_WROTE.match(lines[quote].text))
    if not address_ends and not _may_end_attribution(lines[last].text, ours):
        return range(0)
    first, whole = last, lines[last].text[:SEEN_COLUMNS]
    while first > 0 and last - first < ATTRIBUTION_LINES - 1 and own[first - 1] and lines[first - 1].text.strip():
        above = lines[first - 1].text[:SEEN_COLUMNS]
        if holds_free_text(above) or not _begins_above(above, whole):
            break
        first, whole = first - 1, f"{above} {whole}"
    if not WHEN.search(whole):
        first = _wrapped_from(lines, own, first, last)
    return range(_rule_above_labels(lines, own, first), last + 1)


def _rule_above_labels(lines: Sequence[Line], own: Sequence[bool], first: int) -> int:
    for index in range(first - 1, max(first - 6, -1), -1):
        if own[index] and _DASHES.match(lines[index].text):
            return index
        if not own[index] or not LABEL.match(lines[index].text):
            break
    return first


def _wrapped_from(lines: Sequence[Line], own: Sequence[bool], first: int, last: int) -> int:
    for index in range(first - 1, max(last - ATTRIBUTION_LINES, -1), -1):
        above, below = lines[index].text[:SEEN_COLUMNS], lines[index + 1].text
        if not own[index] or len(above) + 1 + len(below.split(" ", 1)[0]) < _WRAP_COLUMN:
            break
        if _OPENING.match(above) and WHEN.search(above):
            return index
    return first


def _begins_above(above: str, whole: str) -> bool:
    if _BARE.match(whole) or (IN_BRACKETS.search(above) and not ADDRESS.search(whole)):
        return True
    says_who = bool(_WROTE.search(whole) or ADDRESS.search(whole))
    if WHEN.search(whole):
        lacks_day = not _DAY.search(whole) and bool(_OPENING.match(above)) and bool(_DAY.search(above))
        return lacks_day or (not says_who and bool(_WROTE.search(above) or ADDRESS.search(above)))
    if not says_who:
        return bool(WHEN.search(above) and _WROTE.search(above))
    only_verb = len(_WROTE.sub("", whole).strip(" :：*_")) <= _FEW_LETTERS
    return only_verb or (bool(_OPENING.match(above)) and bool(WHEN.search(above)))


def _may_end_attribution(text: str, ours: OwnAddress) -> bool:
    text = text[:SEEN_COLUMNS]
    if _is_stamp(text) or _is_name_and_time(text):
        return True
    if _DASHED_WORDS.match(text) and _WROTE.search(text):
        return True
    return _ends_with_colon(text) or bool(ours.search(text)) or bool(WHEN.search(text) and _WROTE.search(text))


def attribution_below(lines: Sequence[Line], own: Sequence[bool], after: int, ours: OwnAddress) -> range:
    """Return the indexes of an attribution below the quote that ends just before index `after`. It is a single line
    with a time and either a word for writing or our address."""
    first = after
    while first < len(own) and first - after < 2 and not lines[first].text.strip():
        first += 1
    if first >= len(own) or not own[first] or holds_free_text(lines[first].text) or PASSAGE_ENDS in lines[after:first]:
        return range(0)
    text = lines[first].text[:SEEN_COLUMNS]
    says_who = bool(_WROTE.search(text)) or bool(ours.search(text))
    return range(first, first + 1) if says_who and WHEN.search(text) else range(0)


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
"""What may come before From in a header block: a time, an address, or the subject of a letter of ours."""


def is_header_block(lines: Sequence[Line], start: int) -> bool:
    """Return True if a header block, like those of Outlook, begins here: three labels in a row. Either the first label
    is From, or an address follows one of them. A line with a label above such a block ("press to guild: wait") is not
    part of it."""
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
    return bool(IN_BRACKETS.search(text) and WHEN.search(text)) and len(_LABEL_WITHIN.findall(text)) >= 2


@lru_cache(maxsize=64)  # each line appears in twelve windows
def _names_somebody(text: str) -> bool:
    return bool(IN_BRACKETS.search(text) or _ADDRESS_ALONE.search(text))


def is_from_label(text: str) -> bool:
    first, colon, _ = re.sub("：", ":", text[:60]).partition(":")
    return bool(colon) and bool(_FROM_LABEL.fullmatch(first.strip("*_ ")))
