"""The player's own words in a mail: `own_lines(incoming, sent_form)`.

A mail may say the same in plain text and in HTML. Both are read; where they agree (one may be wrapped) all is well, and
where they differ only the lines that both hold are orders, for it is better to ask than to act on what the player
did not write. The form of a report (`bot.mail.form`) is found wherever it stands, quoted or not; everything else goes
through `bot.mail.quotes`. Whatever was left out is said in `notes`, in sentences for the player.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.mail.form import Form, SentForm, changed_lines, split_forms
from bot.mail.html_lines import html_lines
from bot.mail.lines import MAX_LINES_SEEN, Line, more_than_seen, plain_lines
from bot.mail.message import Incoming
from bot.mail.quotes import trim

MAX_LINES = 200
MAX_LINE_CHARS = 1_000
MAX_IGNORED = 20
_WRAPPED_FROM = 40
"""Mail programs wrap no line that is shorter than this."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: `lines` are the player's own and not empty; `ignored` are others of his lines that were not read
    (signature, footers, what is over the limits), at most `MAX_IGNORED`; `notes` say what was left out and why."""

    lines: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Draft:
    """One body, plain or HTML, as far as it has been read."""

    lines: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    blank: bool = True
    """There was nothing in the body at all."""


def own_lines(
    incoming: Incoming,
    sent_form: SentForm,
    own_address: str = "",
    max_lines: int = MAX_LINES,
    max_line_chars: int = MAX_LINE_CHARS,
) -> Reading:
    """The lines that the sender wrote. Never raises.

    `own_address` (this program's, without a token) makes attributions in any language sure to be recognised.

    >>> from bot.mail.message import parse
    >>> mail = parse(b"From: a@b.example\\n\\nbid 4\\n\\nOn Monday Mentat wrote:\\n> Your bid?\\n")
    >>> own_lines(mail, lambda code: None)
    Reading(lines=('bid 4',), ignored=(), notes=())
    """
    plain = html = None
    if incoming.text_plain is not None:
        body = plain_lines(incoming.text_plain, incoming.flowed, incoming.delsp)
        plain = _draft(body, sent_form, own_address)
        if more_than_seen(incoming.text_plain):
            plain.notes.append(f"Only the first {MAX_LINES_SEEN} lines of your mail were looked at.")
    if incoming.html is not None:
        page = html_lines(incoming.html)
        if page is not None:
            html = _draft(page, sent_form, own_address)
        elif plain is None:
            return Reading((), (), ("Your mail is HTML that cannot be read; please send it as plain text.",))
    draft = _agreed(plain, html)
    draft.notes += _about_attachments(incoming)
    return _bounded(draft, max_lines, max_line_chars)


def _draft(body: Sequence[Line], sent_form: SentForm, own_address: str) -> _Draft:
    forms, others = split_forms(body)
    trimmed = trim(others, own_address)
    draft = _Draft(
        lines=[line.strip() for line in trimmed.kept if line.strip()],
        ignored=trimmed.ignored,
        blank=not any(line.text.strip() for line in body),
    )
    read: set[str] = set()
    for form in forms:
        _read_form(form, sent_form, read, draft)
    if trimmed.cut_at and not draft.lines:
        draft.notes.append(f"Nothing below the line “{trimmed.cut_at}” was read, the form apart.")
    return draft


def _read_form(form: Form, sent_form: SentForm, read: set[str], draft: _Draft) -> None:
    if form.depth > 1 or form.code in read:
        return
    if not form.closed:
        if form.depth or not draft.lines:
            draft.notes.append(f"The form {form.code} has lost its last line, “[end of form …]”; it was not read.")
        return
    read.add(form.code)
    sent = sent_form(form.code)
    if sent is None:
        draft.notes.append(f"The form {form.code} is not one that was sent to you; it was not read.")
        return
    draft.lines += changed_lines(form, sent)


def _agreed(plain: _Draft | None, html: _Draft | None) -> _Draft:
    """One reading out of two."""
    if plain is None or html is None:
        return plain or html or _Draft()
    if plain.blank or (html.lines and _says_html_only(plain)):
        return html
    if html.blank:
        return plain
    if _squeezed("".join(plain.lines)) == _squeezed("".join(html.lines)):
        return _Draft(_unwrapped(plain.lines, html.lines), plain.ignored, plain.notes)
    in_html = {_squeezed(line) for line in html.lines}
    in_plain = {_squeezed(line) for line in plain.lines}
    both = [line for line in plain.lines if _squeezed(line) in in_html]
    if not both:
        everything = _squeezed("".join(plain.lines))
        both = [line for line in html.lines[:MAX_LINES] if _squeezed(line) in everything]
    kept = {_squeezed(line) for line in both}
    doubtful = [line for line in plain.lines if _squeezed(line) not in kept]
    doubtful += [line for line in html.lines if _squeezed(line) not in kept | in_plain]
    note = "Your mail says different things as text and as HTML; only the lines that both hold were read."
    return _Draft(both, doubtful + plain.ignored, [*plain.notes, note])


def _says_html_only(plain: _Draft) -> bool:
    """A plain part that only says to look at the other one."""
    return len(plain.lines) <= 3 and "html" in " ".join(plain.lines).lower()


def _unwrapped(plain: list[str], html: list[str]) -> list[str]:
    """The plain lines, those that the mail program wrapped joined again as the HTML has them."""
    whole = {_squeezed(line): line for line in html}
    lines: list[str] = []
    position = 0
    while position < len(plain):
        joined, length = _joined_from(plain, position, whole)
        lines.append(joined)
        position += length
    return lines


def _joined_from(plain: list[str], start: int, whole: dict[str, str]) -> tuple[str, int]:
    """The line that begins at `start`, and of how many pieces it is."""
    text = ""
    for length, piece in enumerate(plain[start : start + 15], start=1):
        text += _squeezed(piece)
        if length > 1 and text in whole:
            return whole[text], length
        if len(piece) < _WRAPPED_FROM or len(text) > MAX_LINE_CHARS:
            break
    return plain[start], 1


def _about_attachments(incoming: Incoming) -> list[str]:
    names = [attachment.name or attachment.content_type for attachment in incoming.attachments]
    notes = [f"The attached file {name} was not read; write orders in the mail itself." for name in names[:3]]
    for label in incoming.unread:
        if label.startswith("application/ms-tnef"):
            notes.append("Your mail program hid your text in winmail.dat, which was not read; please send plain text.")
        elif label.startswith(("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")):
            notes.append("Your mail is encrypted or sealed and was not read; please send plain text.")
    return notes


def _bounded(draft: _Draft, max_lines: int, max_line_chars: int) -> Reading:
    lines, notes = draft.lines, draft.notes
    long = [line for line in lines if len(line) > max_line_chars]
    if long:
        notes.append(f"{len(long)} of your lines have more than {max_line_chars} characters and were not read.")
        lines = [line for line in lines if len(line) <= max_line_chars]
    over = lines[max_lines:]
    if over:
        notes.append(f"Only your first {max_lines} lines were read, not the {len(over)} from “{over[0][:60]}” on.")
    ignored = [line[:100] for line in (*long, *over, *draft.ignored)][:MAX_IGNORED]
    return Reading(tuple(lines[:max_lines]), tuple(ignored), tuple(dict.fromkeys(notes)))


def _squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split()).casefold()
