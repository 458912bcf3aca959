"""Words between a person and a quote: attributions, header blocks, and the separators of mail programs.

An attribution says who wrote when ("On Tuesday Mentat wrote:"), above the quote or, rarely, below it, in one line or
wrapped over several. What proves one, in every language, is our own reply address, which nobody types; else it takes a
word for writing and a time. The tables hold the words that programs put there in the languages they are sold in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from bot.mail.lines import Line
from bot.mail.phrases import any_of

ATTRIBUTION_LINES = 4
_WRAP_COLUMN = 62
_WRAPPED_FROM = 30
_SEEN_COLUMNS = 400

_ADDRESS = re.compile(r"[^\s<>@]{1,100}@[^\s<>@]{1,200}")
LABEL = re.compile(r"^[*_ ]{0,3}[^\W\d_][\w .'’()-]{0,24}[*_ ]{0,3}[:：][*_ ]{0,3}\S")
_LABEL_ALONE = re.compile(r"^[*_ ]{0,3}[^\W\d_][\w .'’()-]{0,24}[*_ ]{0,3}[:：]")
_FROM_LABELS = frozenset(
    ("from", "von", "de", "da", "van", "från", "fra", "od", "lähettäjä", "feladó", "от", "відправник", "kimden",
     "pengirim", "expéditeur", "remitente", "mittente", "afzender", "remetente", "nadawca", "отправитель", "发件人",
     "發件人", "寄件者", "寄件人", "差出人", "送信者", "보낸사람", "보낸 사람", "από", "מאת")
)  # fmt: skip
_DASHED_WORDS = re.compile(r"^[ *]{0,3}[-_=]{4,80}[ *]{0,3}[^\W\d_](?:[^-_=]|-(?!-)){2,60}[-_=]{4,80}[ *]{0,3}$")
_ORIGINAL = re.compile(
    rf"^[ *]{{0,3}}(?:[-_=]{{2,80}}[ *]{{0,3}})?{any_of('separators', 'rows')}"
    r"(?:[ *]{0,3}[-_=]{2,80}|[:：])?[ *]{0,3}$",
    re.IGNORECASE,
)
_LINK = re.compile(r"\bhttps?://|\bwww\.", re.IGNORECASE)
_PARAGRAPH = 6
_UNDERSCORES = re.compile(r"^_{30,}$")
"""Above Outlook's header block, and above the footers of mailing lists."""

_WROTE = re.compile(
    r"\b(?:wrote|writes|said|schrieb(?:en)?|geschrieben|a écrit|écrit|escribió|escribio|escribe|ha escrito|escreveu|"
    r"ha scritto|scrive|schreef|geschreven|het volgende geschreven|skrev|skriver|kirjoitti|napsala?|napísala?|"
    r"napisała?|pisze|napisao|írta|написала?|пишет|писала?|написав|yazdı|menulis|γράψε|έγραψε|a scris|viết)\b"
    r"|写道|寫道|님이 작성|님이 (?:다음과 같이 )?작성|のメッセージ|は書きました|さんは書き|写了|כתב",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:.h]\d{2}\b|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}年|\d{1,2}月\d{1,2}日|\d{4}년"
)
_DAY = re.compile(r"\b(?:19|20)\d\d\b|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}月\d{1,2}日")
_OPENING = re.compile(r"^[*_ ]{0,3}(?:on|at|am|le|el|il|op|em|no dia|den|w dniu|dnia|dne|στις|в)\b", re.IGNORECASE)
"""How attributions begin that name the day first."""
_ASIDE = re.compile(r"[*_ ]+$")


class OwnAddress(Protocol):
    """Finds this program's own address, with or without a token, in a text (a compiled pattern does)."""

    def search(self, string: str, /) -> re.Match[str] | None: ...


def own_address_pattern(own_address: str) -> re.Pattern[str]:
    """The address without its token, and with any; for "" a pattern that matches nothing."""
    local, at, host = own_address.lower().partition("@")
    if not at:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<![\w.]){re.escape(local)}(?:\+[\w.-]{{0,64}})?@{re.escape(host)}", re.IGNORECASE)


def is_separator(lines: Sequence[Line], index: int) -> bool:
    """Whether this line is a row that a mail program puts above what it quotes or adds.

    Known words (`-----Original Message-----`) are enough. Other words between dashes, and a long rule of underscores,
    may be a player's own way to divide his orders: the line below must show that a program speaks.

    >>> is_separator([Line("-------- Ursprüngliche Nachricht --------")], 0)
    True
    >>> is_separator([Line("---- movement ----"), Line("no move")], 0)
    False
    """
    text = lines[index].text[:300]
    if _ORIGINAL.match(text):
        return True
    if _DASHED_WORDS.match(text):
        return bool(_ADDRESS.search(text)) or _program_speaks(lines, index + 1, 1)
    return bool(_UNDERSCORES.match(text)) and _program_speaks(lines, index + 1, _PARAGRAPH)


def _program_speaks(lines: Sequence[Line], start: int, count: int) -> bool:
    """Whether one of the next `count` lines of a paragraph holds an address or a link, or begins a header block; or
    whether nothing follows but a quote."""
    below = next((i for i in range(start, min(start + 4, len(lines))) if lines[i].text.strip()), None)
    if below is None or lines[below].depth != 0:
        return True
    for index in range(below, min(below + count, len(lines))):
        text = lines[index].text[:_SEEN_COLUMNS]
        if lines[index].depth != 0 or not text.strip():
            return False
        if _ADDRESS.search(text) or _LINK.search(text) or is_header_block(lines, index):
            return True
    return False


def is_header_block(lines: Sequence[Line], start: int) -> bool:
    """Three labels or more in a row, of which the first says From, or which hold an address (Outlook and its kin)."""
    if not LABEL.match(lines[start].text) and not _is_from_label(lines[start].text):
        return False
    labels, with_address, value_follows = 0, False, False
    for line in lines[start : start + 12]:
        is_label = bool(_LABEL_ALONE.match(line.text))
        if line.depth != 0 or (line.text.strip() and not is_label and not value_follows):
            break
        with_address = with_address or bool(_ADDRESS.search(line.text[:_SEEN_COLUMNS]))
        labels += is_label
        if line.text.strip():
            value_follows = is_label and line.text.rstrip("*_ ").endswith((":", "："))
    return labels >= 3 and (with_address or _is_from_label(lines[start].text))


def _is_from_label(text: str) -> bool:
    first, colon, _ = re.sub("：", ":", text[:60]).partition(":")
    return bool(colon) and first.strip("*_ ").lower() in _FROM_LABELS


def attributes_unmarked_text(lines: Sequence[Line], start: int, ours: OwnAddress) -> bool:
    """Whether an attribution of up to four lines begins here that has no marked quote below it.

    It ends with a colon and holds our address, or says who wrote when; or it names our address as mail programs write
    one, in angle brackets, and says when.
    """
    text = ""
    after_quote = any(line.depth > 0 for line in lines[max(start - 2, 0) : start])
    for index in range(start, min(start + ATTRIBUTION_LINES, len(lines))):
        line = lines[index]
        if line.depth != 0 or not line.text.strip() or (index > start and _begins_separator(lines, index)):
            return False
        text = f"{text} {line.text.strip()[:300]}".strip()
        if _ends_attribution(text, ours, after_quote):
            if _goes_on_to_a_quote(lines, index + 1):
                return False
            below = next((later for later in lines[index + 1 : index + 6] if later.text.strip()), None)
            return below is not None and below.depth == 0
        if len(line.text) < _WRAPPED_FROM:
            return False
    return False


def _goes_on_to_a_quote(lines: Sequence[Line], start: int) -> bool:
    """Whether the sentence goes on over a line or two ("wrote:") to a colon above a marked quote."""
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
    return is_separator(lines, index) or bool(LABEL.match(text) and _is_from_label(text))


def _ends_attribution(text: str, ours: OwnAddress, after_quote: bool) -> bool:
    address = ours.search(text)
    if _ends_with_colon(text):
        return bool(address) or bool(_WHEN.search(text) and _WROTE.search(text))
    if address is None or after_quote or not text[: address.start()].endswith(("<", "<mailto:", "[mailto:")):
        return False
    return bool(_WHEN.search(text[: address.start()]) or _WHEN.search(text[address.end() :]))


def attribution_above(lines: Sequence[Line], own: Sequence[bool], quote: int, ours: OwnAddress) -> range:
    """The indexes of the attribution directly above the quote that begins at `quote`; empty without one."""
    last = quote - 1
    while last >= 0 and quote - last <= 3 and not lines[last].text.strip():
        last -= 1
    if last < 0 or last >= len(own) or not own[last]:
        return range(0)
    if not _may_end_attribution(lines[last].text, ours):
        return range(0)
    first, whole = last, lines[last].text[:_SEEN_COLUMNS]
    while first > 0 and last - first < ATTRIBUTION_LINES - 1 and own[first - 1] and lines[first - 1].text.strip():
        above, below = lines[first - 1].text[:_SEEN_COLUMNS], lines[first].text
        wrapped = len(above) + 1 + len(below.split(" ", 1)[0]) >= _WRAP_COLUMN
        if not (wrapped or _is_missing(above, whole)):
            break
        first, whole = first - 1, f"{above} {whole}"
    return range(first, last + 1)


def _is_missing(above: str, whole: str) -> bool:
    """Whether a short line is what an attribution below it still lacks: who wrote, or when."""
    if not _WROTE.search(whole):
        return False
    if not _WHEN.search(whole):
        return bool(_WHEN.search(above)) or above.endswith(">")
    return not _DAY.search(whole) and bool(_OPENING.match(above) and _DAY.search(above))


def _may_end_attribution(text: str, ours: OwnAddress) -> bool:
    text = text[:_SEEN_COLUMNS]
    return _ends_with_colon(text) or bool(ours.search(text)) or bool(_WHEN.search(text) and _WROTE.search(text))


def attribution_below(lines: Sequence[Line], own: Sequence[bool], after: int, ours: OwnAddress) -> range:
    """The indexes of an attribution that follows the quote which ends above `after`: one line that says who
    wrote when, or holds our address in such a sentence."""
    first = after
    while first < len(own) and first - after < 2 and not lines[first].text.strip():
        first += 1
    if first >= len(own) or not own[first]:
        return range(0)
    text = lines[first].text[:_SEEN_COLUMNS]
    says_who = bool(_WROTE.search(text)) or bool(ours.search(text))
    return range(first, first + 1) if says_who and _WHEN.search(text) else range(0)
