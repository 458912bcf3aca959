"""One reading out of the plain text and the HTML of the same mail: `agreed(plain, html)`.

Each knows something that the other does not: plain text has been wrapped, run together or adorned with the numbers of
lists; HTML tells where lines end and what is a signature. Where that explains all that differs, the mail says one
thing. Where it does not, only the lines that both hold are orders, for it is better to ask than to act on what the
player did not write.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from bot.wording.sentences import say

_WRAPPED_FROM = 40
"""Mail programs wrap no line that is shorter than this."""
_LONGEST_JOINED = 1_000
_LINES_COMPARED = 200

_LINKED = re.compile(r"\s{0,3}[<\[](?:https?://|mailto:|tel:)[^\s<>\[\]]{1,900}[>\]]", re.IGNORECASE)
"""What plain text says of a link behind its words."""
_LIST_MARK = re.compile(r"^(?:\(?\d{1,2}[.)]|[-–•·●○▪◦§*+]|o(?= ))(?:\s+|$)")


class Own(NamedTuple):
    """A line of the player's own, and the section it stands in."""

    text: str
    token: str = ""
    form: str = ""


@dataclass(slots=True)
class Draft:
    """One body, plain or HTML, as far as it has been read."""

    lines: list[Own] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    blank: bool = True
    """There was nothing in the body at all."""
    answers: list[Own] = field(default_factory=list)
    """Lines that stand within the answered letter and are marked as the player's."""
    unread_below: list[str] = field(default_factory=list)
    """The note that nothing below a separator was read; for mails with no lines at all."""
    unsure: list[str] = field(default_factory=list)
    """Notes on what may be such an answer; plain text cannot have them."""
    body: str = ""
    """All that stands in the body, squeezed."""


def agreed(plain: Draft | None, html: Draft | None) -> Draft:
    """What the mail says. An answer within the quoted letter must stand in both bodies, too."""
    if plain is None or html is None:
        draft = plain or html or Draft()
        return replace(draft, lines=draft.lines + draft.answers, notes=draft.notes + draft.unsure)
    if plain.blank or (html.lines and _says_html_only(plain)):
        return agreed(None, html)
    if html.blank:
        return agreed(plain, None)
    draft = _agreed_lines(replace(plain, lines=_as_in_html(plain.lines, html.lines)), html)
    answers = [line for line in html.answers if squeezed(line)[0] in plain.body]
    answers += [line for line in plain.answers if line not in answers and squeezed(line)[0] in html.body]
    return replace(draft, lines=draft.lines + answers, notes=draft.notes + html.unsure)


def squeezed(line: Own) -> tuple[str, ...]:
    """What of a line must be equal for it to be the same: not case, spacing, or width; and its section."""
    return (squeezed_text(line.text), *line[1:])


def squeezed_text(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split()).casefold()


def _says_html_only(plain: Draft) -> bool:
    """A plain part that only says to look at the other one."""
    return len(plain.lines) <= 3 and "html" in " ".join(line.text for line in plain.lines).lower()


def _agreed_lines(plain: Draft, html: Draft) -> Draft:
    whole_plain, whole_html = _whole(plain.lines), _whole(html.lines)
    if whole_plain == whole_html:
        return replace(plain, lines=_line_ends(plain.lines, html.lines))
    if _differ_by(whole_plain, whole_html, html.ignored):
        return replace(plain, lines=html.lines, ignored=html.ignored)
    if _differ_by(whole_html, whole_plain, plain.ignored):
        return plain
    in_html, in_plain = set(map(squeezed, html.lines)), set(map(squeezed, plain.lines))
    both = [line for line in plain.lines if squeezed(line) in in_html]
    if not both:
        both = [line for line in html.lines[:_LINES_COMPARED] if squeezed(line)[0] in whole_plain.get(line[1:], "")]
    kept = set(map(squeezed, both))
    doubtful = [line.text for line in plain.lines if squeezed(line) not in kept]
    doubtful += [line.text for line in html.lines if squeezed(line) not in kept | in_plain]
    return replace(plain, lines=both, ignored=doubtful + plain.ignored, notes=[*plain.notes, say("note.differs")])


def _as_in_html(plain: Sequence[Own], html: Sequence[Own]) -> list[Own]:
    """The plain lines without what stands for a list, bold letters or a link's address, where the HTML has the same
    without."""
    whole = {squeezed(line) for line in html}
    starts = {(text[:length], *section) for text, *section in whole for length in {len(text), _WRAPPED_FROM // 2}}
    lines: list[Own] = []
    for line in plain:
        bare = line._replace(text=_LINKED.sub("", _LIST_MARK.sub("", line.text)).replace("*", "").strip())
        if squeezed(line) in whole or bare.text == line.text:
            lines.append(line)
        elif bare.text and _begins_as(bare, starts):
            lines.append(bare)
        elif bare.text:
            lines.append(line)
    return lines


def _begins_as(line: Own, starts: Collection[tuple[str, ...]]) -> bool:
    text, *section = squeezed(line)
    return (text, *section) in starts or (text[: _WRAPPED_FROM // 2], *section) in starts


def _whole(lines: Sequence[Own]) -> dict[tuple[str, ...], str]:
    """The text of each section without its spaces, by its token and form."""
    pieces: dict[tuple[str, ...], list[str]] = {}
    for line in lines:
        pieces.setdefault(line[1:], []).append(squeezed(line)[0])
    return {section: "".join(texts) for section, texts in pieces.items()}


def _differ_by(longer: dict[tuple[str, ...], str], shorter: dict[tuple[str, ...], str], ignored: Iterable[str]) -> bool:
    """Whether the longer body has, below the words of the shorter, only what is `ignored` in that one."""
    mine = Own("")[1:]
    if not shorter or {**longer, mine: ""} != {**shorter, mine: ""}:
        return False
    text, words = longer.get(mine, ""), shorter.get(mine, "")
    rest = text.removeprefix(words)
    if not text.startswith(words):
        return False
    left = [squeezed_text(line) for line in ignored]
    while rest:
        known = next((line for line in left if line and rest.startswith(line)), None)
        if known is None:
            return False
        left.remove(known)
        rest = rest.removeprefix(known)
    return True


def _line_ends(plain: list[Own], html: list[Own]) -> list[Own]:
    """The same words as lines: ended as in the HTML where the plain text was wrapped, or ran lines together."""
    if "".join(squeezed(line)[0] for line in plain) != "".join(squeezed(line)[0] for line in html):
        return plain
    lines: list[Own] = []
    ahead = 0
    pieces: list[Own] = []
    rows: list[Own] = []
    remaining = iter(html)
    for piece in plain:
        pieces.append(piece)
        ahead -= len(squeezed(piece)[0])
        while ahead < 0:
            rows.append(next(remaining))
            ahead += len(squeezed(rows[-1])[0])
        if ahead == 0:
            lines += rows if _wrapped(pieces) else pieces
            pieces, rows = [], []
    return lines


def _wrapped(pieces: Sequence[Own]) -> bool:
    """Whether a program may have cut a line into these pieces; one piece may still be several lines run together."""
    if len(pieces) > 1 and sum(len(piece.text) for piece in pieces) > _LONGEST_JOINED:
        return False
    return all(len(piece.text) >= _WRAPPED_FROM for piece in pieces[:-1])
