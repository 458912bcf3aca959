"""Cutting away what the player did not write: quotes, attributions, separators, signatures, footers.

Layers that may only remove. Lines quoted by their program (`>` or an HTML container) are gone by their depth. What is
left to find is text that was quoted without marks, and the words around quotes:

1. our own mark `REPLY_MARK`, which every report carries at its top, unquoted: everything below it is ours;
2. sure separators in any language: rows like `-----Original Message-----`, header blocks (From, Sent, To …), an
   attribution that holds our own address or says who wrote when;
3. attributions directly above a quote (they end with a colon, or hold our address);
4. attributions that the maintained library mail-parser-reply knows, in its fourteen languages; it is quadratic on
   some inputs, so it is given a short, squeezed shadow of the text;
5. signatures after `-- ` and lines like "Sent from my phone".

An own line that merely looks like one of these is rather kept: it is answered as "not an order"; a cut one is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mailparser_reply import EmailReplyParser

from bot.mail.lines import SIGNATURE, Line

REPLY_MARK = "Reply above this line"
"""Every report begins with a line that holds these words; nothing unquoted below it is read, the form apart."""

_SHADOW_LINES = 200
_SHADOW_COLUMNS = 160
_ATTRIBUTION_LINES = 4
_WRAP_COLUMN = 62
_WRAPPED_FROM = 30

_ADDRESS = re.compile(r"[^\s<>@]{1,100}@[^\s<>@]{1,200}")
_LABEL = re.compile(r"^[*_ ]{0,3}[^\W\d_][\w .'’-]{0,24}[*_ ]{0,3}[:：][*_ ]{0,3}\S")
_LABEL_ALONE = re.compile(r"^[*_ ]{0,3}[^\W\d_][\w .'’-]{0,24}[*_ ]{0,3}[:：]")
_FROM_LABELS = frozenset(
    ("from", "von", "de", "da", "van", "från", "fra", "od", "lähettäjä", "feladó", "от", "kimden", "发件人", "差出人")
)
_DASHED_WORDS = re.compile(r"^[ *]{0,3}[-_=]{4,80}[ *]{0,3}[^\W\d_][^-_=]{2,60}[-_=]{4,80}[ *]{0,3}$")
_RULE = re.compile(r"^[ *]{0,3}[-_=*~]{5,}[ *]{0,3}$")
_UNDERSCORES = re.compile(r"^_{30,}$")
"""Above Outlook's header block, and above the footers of mailing lists."""

_WROTE = re.compile(
    r"\b(?:wrote|writes|schrieb|geschrieben|a écrit|écrit|escribió|escreveu|ha scritto|schreef|geschreven|skrev|"
    r"kirjoitti|napsala?|napísal|napisał|írta|написала?|пишет|yazdı|γράψε|έγραψε|a scris)\b"
    r"|写道|寫道|님이 작성|のメッセージ",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[:.h]\d{2}\b|\d{1,2}[./]\d{1,2}[./]\d{2,4}")

_FOOTER = re.compile(
    r"^(?:[-_*\s]{0,8})(?:"
    r"sent (?:from|via|with|using) (?:my|the|outlook|yahoo|mail|proton|gmail|samsung|iphone|ipad|android|mobile|spark|"
    r"fastmail|thunderbird|k-9|aqua|an? )"
    r"|get outlook for|get (?:bluemail|mailspring|spark) for|outlook f(?:ür|or) (?:android|ios)|download(?:ed)? outlook"
    r"|(?:diese nachricht wurde )?von (?:meinem|meiner|unterwegs)\b.{0,80}(?:gesendet|geschickt)"
    r"|gesendet (?:von|mit|über)|holen sie sich outlook|outlook für (?:android|ios) beziehen"
    r"|envoy[ée] (?:de|depuis|à partir de)|télécharge[rz] outlook|obtenez outlook"
    r"|enviado (?:desde|do|de|a partir)|obtener outlook|inviato da|ottieni outlook"
    r"|verzonden (?:vanaf|met|via)|verstuurd vanaf|skickat från|sendt fra|lähetetty|wysłano z|odesláno z"
    r"|отправлено (?:с|из)|iphoneから送信|从我的.{1,30}发送|发自我的|내 .{1,20}에서 보냄"
    r").{0,120}$",
    re.IGNORECASE,
)

_KNOWN_ATTRIBUTIONS = EmailReplyParser(
    languages=["en", "de", "fr", "es", "it", "nl", "pl", "cs", "da", "sv", "ja", "ko", "zh", "david"]
)


class Trimmed:
    """What is left of a mail (`kept`) and what was taken off although it was not quoted (`ignored`)."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.ignored: list[str] = []
        self.cut_at = ""
        """The separator below which nothing was read; empty without one."""


def trim(lines: Sequence[Line], own_address: str = "") -> Trimmed:
    """The lines that the sender wrote himself, in order, empty ones included.

    `own_address` is the address of this program without its token: `mentat@arrakis.example`.

    >>> trim([Line("bid 4"), Line(""), Line("Am Montag schrieb Mentat:"), Line("What do you bid?", 1)]).kept
    ['bid 4', '']
    """
    result = Trimmed()
    ours = _own_address_pattern(own_address)
    end = _first_separator(lines, ours)
    if end < len(lines):
        result.cut_at = lines[end].text.strip()[:80]
    signature = _signature_start(lines, end)
    own = [line.depth == 0 for line in lines[:signature]]
    _drop_attributions(lines, own, end, ours)
    _drop_by_library(lines, own, result)
    for index, line in enumerate(lines[:end]):
        if index < signature and own[index]:
            if _FOOTER.match(line.text.strip()):
                result.ignored.append(line.text.strip())
            elif not _RULE.match(line.text):
                result.kept.append(line.text)
        elif line.depth == SIGNATURE or (index >= signature and line.depth == 0):
            result.ignored.append(line.text.strip())
    result.ignored = [text for text in result.ignored if text]
    return result


def _own_address_pattern(own_address: str) -> re.Pattern[str] | None:
    local, at, host = own_address.lower().partition("@")
    return re.compile(rf"(?<![\w.]){re.escape(local)}(?:\+[\w.-]{{0,64}})?@{re.escape(host)}", re.I) if at else None


def _first_separator(lines: Sequence[Line], ours: re.Pattern[str] | None) -> int:
    """The index of the first unquoted line from which on the text is another's."""
    mark = _letters(REPLY_MARK)
    for index, line in enumerate(lines):
        if line.depth != 0 or not line.text.strip():
            continue
        if mark in _letters(line.text[:200]) or _DASHED_WORDS.match(line.text[:300]) or _UNDERSCORES.match(line.text):
            return index
        if _LABEL.match(line.text) and _is_header_block(lines, index):
            return index
        if _is_attribution_of_unmarked_text(lines, index, ours):
            return index
    return len(lines)


def _is_header_block(lines: Sequence[Line], start: int) -> bool:
    """Three labels or more in a row, of which the first says From, or which hold an address (Outlook and its kin)."""
    labels, with_address = 0, False
    for line in lines[start : start + 8]:
        if line.depth != 0 or not _LABEL_ALONE.match(line.text):
            if line.text.strip():
                break
            continue
        labels += 1
        with_address = with_address or bool(_ADDRESS.search(line.text[:400]))
    first = re.split(r"[:：]", lines[start].text.strip("*_ "), maxsplit=1)[0].strip("*_ ").lower()
    return labels >= 3 and (with_address or first in _FROM_LABELS)


def _is_attribution_of_unmarked_text(lines: Sequence[Line], start: int, ours: re.Pattern[str] | None) -> bool:
    """A sentence of up to three lines that ends with a colon, holds our address or says who wrote when, and has
    no marked quote below it."""
    text = ""
    for index in range(start, min(start + 3, len(lines))):
        line = lines[index]
        if line.depth != 0 or not line.text.strip():
            return False
        text = f"{text} {line.text.strip()[:300]}".strip()
        if text.endswith((":", "：")):
            says_so = bool(ours and ours.search(text)) or bool(_WROTE.search(text) and _WHEN.search(text))
            below = next((later for later in lines[index + 1 : index + 5] if later.text.strip()), None)
            return says_so and below is not None and below.depth == 0
        if len(line.text) < _WRAPPED_FROM:
            return False
    return False


def _signature_start(lines: Sequence[Line], end: int) -> int:
    """The index of an unquoted signature mark (RFC 3676 section 4.3) that has something above it, else `end`."""
    something_above = False
    for index, line in enumerate(lines[:end]):
        if line.depth == 0 and line.text.rstrip() == "--" and something_above:
            return index
        something_above = something_above or bool(line.text.strip())
    return end


def _drop_attributions(lines: Sequence[Line], own: list[bool], end: int, ours: re.Pattern[str] | None) -> None:
    """Unmark the attribution above each quoted block and above the separator at `end`."""
    for index in range(1, min(len(lines), end + 1)):
        begins_quote = index == end or lines[index].depth > 0
        if begins_quote and lines[index - 1].depth == 0:
            _drop_attribution_above(lines, own, index, ours)


def _drop_attribution_above(lines: Sequence[Line], own: list[bool], quote: int, ours: re.Pattern[str] | None) -> None:
    last = quote - 1
    while last >= 0 and quote - last <= 3 and not lines[last].text.strip():
        last -= 1
    if last < 0 or last >= len(own) or not own[last]:
        return
    text = lines[last].text.rstrip(" *_")
    if not (text.endswith((":", "：")) or (ours and ours.search(text[:400]))):
        return
    first = last
    while first > 0 and last - first < _ATTRIBUTION_LINES - 1 and own[first - 1]:
        above, below = lines[first - 1].text, lines[first].text
        if not above.strip() or len(above) + 1 + len(below.split(" ", 1)[0]) < _WRAP_COLUMN:
            break
        first -= 1
    own[first : last + 1] = [False] * (last + 1 - first)


def _drop_by_library(lines: Sequence[Line], own: list[bool], result: Trimmed) -> None:
    """Unmark everything from the first attribution that the library knows, quoted without any mark below it."""
    shadow: list[tuple[int, str]] = []
    for index in (i for i, mine in enumerate(own) if mine):
        text = re.sub(r"([-_=*~. ])\1{3,}", r"\1\1\1", lines[index].text[:_SHADOW_COLUMNS]).strip()
        if text or (shadow and shadow[-1][1]):
            shadow.append((index, text))
        if len(shadow) >= _SHADOW_LINES:
            break
    while shadow and not shadow[0][1]:
        shadow.pop(0)
    if not any(text.rstrip("*_ ").endswith((":", "：")) or _LABEL.match(text) for _, text in shadow):
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
    if kept < len(shadow):
        first = shadow[kept][0]
        result.cut_at = result.cut_at or lines[first].text.strip()[:80]
        own[first:] = [False] * (len(own) - first)


def _letters(text: str) -> str:
    return "".join(text.casefold().split())
