"""The player's own words in a mail: `own_lines(incoming, sent_form)`.

A mail may say the same in plain text and in HTML. Both are read (`agreement`). The form of a report (`form`) is found
wherever it stands, quoted or not; attached text files are read as the mail is; everything else goes through `quotes`.
Whatever was left out is said in `notes`, in sentences for the player.

One mail may answer several games: below a line that is nothing but a reply token or a reply address, the lines are
for the seat of that token (`Section`), and those of a form for the seat that the form was sent to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bot.mail.identity import token_in_line
from bot.mail.mime.message import Incoming
from bot.mail.mime.parts import TOO_DEEP, TOO_LONG, TextAttachment
from bot.mail.words.agreement import Draft, Own, agreed, squeezed, squeezed_text
from bot.mail.words.armor import undressed
from bot.mail.words.copied import set_apart
from bot.mail.words.form import Form, SentForm, changed_lines, not_sent, split_forms
from bot.mail.words.free_text import most_chars
from bot.mail.words.lines import MAX_LINES_SEEN, Line, more_than_seen, plain_lines
from bot.mail.words.quotes import trim
from bot.mail.words.reports import is_report
from bot.wording.sentences import say

MAX_LINES = 200
MAX_LINE_CHARS = 1_000
MAX_IGNORED = 20
MAX_FILES = 3
_PICTURE = re.compile(r"^\[(?:cid:[^\[\]]*|image:[^\[\]]*|inline image[^\[\]]*)\]$", re.IGNORECASE)
"""What stands in plain text for a picture."""

_DOCUMENT = re.compile(
    r"[^()]*\((?P<name>.*\.(?:docx?|docm|odt|pages|rtf|pdf|xlsx?|ods|numbers|wps|zip|7z|rar|t?gz|eml|msg|txt|md))\)",
    re.IGNORECASE | re.DOTALL,
)
_FILE = re.compile(r"(?!application/(?:pgp|pkcs7|x-pkcs7)-)[^()]*\((?P<name>.+)\)", re.DOTALL)
"""Files as `Incoming.unread` names them: those in which people write, and all."""


@dataclass(frozen=True, slots=True)
class Section:
    """Lines that stand together for one seat: that of `token`, or the one that the form with the code `form` was sent
    to; with neither, the seat that the mail itself is for."""

    lines: tuple[str, ...]
    token: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: `lines` are the player's own and not empty; `ignored` are others of their lines that were not read
    (signature, footers, what is over the limits), at most `MAX_IGNORED`; `notes` say what was left out and why.

    `sections` hold the same lines by the seat they are for, and those under the token of another game, which are not
    among `lines`.
    """

    lines: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()


class _Reader(NamedTuple):
    """What is known of the mail and its sender while its bodies are read."""

    sent_form: SentForm
    own_address: str
    sender_names: Collection[str]


def own_lines(
    incoming: Incoming,
    sent_form: SentForm,
    own_address: str = "",
    max_lines: int = MAX_LINES,
    max_line_chars: int = MAX_LINE_CHARS,
    tokens: Sequence[str] = (),
) -> Reading:
    """The lines that the sender wrote. Never raises.

    `own_address` (this program's, without a token) makes attributions in any language sure to be recognised. `tokens`
    are those that the mail is addressed to.

    >>> from bot.mail.mime.message import parse
    >>> mail = parse(b"From: a@b.example\\n\\nbid 4\\n\\nOn Monday Mentat wrote:\\n> Your bid?\\n")
    >>> own_lines(mail, lambda code: None).lines
    ('bid 4',)
    """
    reader = _Reader(sent_form, own_address, _names(incoming))
    plain = html = None
    if incoming.text_plain is not None:
        body = plain_lines(incoming.text_plain, incoming.flowed, incoming.delsp)
        plain = _draft(body, reader)
        if more_than_seen(incoming.text_plain):
            plain.notes.append(say("note.first-lines", most=MAX_LINES_SEEN))
    if incoming.html is not None:
        from bot.mail.words.html_lines import html_lines  # its many expressions are for mail in HTML

        page = html_lines(incoming.html)
        if page is not None:
            html = _draft(page, reader)
        elif plain is None:
            return Reading((), (), (say("note.html"),))
    draft = agreed(plain, html)
    if not draft.lines:
        draft.notes += draft.unread_below
    for attachment in incoming.attachments[:MAX_FILES]:
        _read_file(attachment, reader, draft)
    draft.notes += _about_unread(incoming, nothing_read=not draft.lines)
    return _bounded(draft, max_lines, max_line_chars, tokens)


def _names(incoming: Incoming) -> frozenset[str]:
    """The words of the sender's name, and of their address before the @, in lower case."""
    local = incoming.sender.partition("@")[0]
    return frozenset(re.findall(r"[^\W\d_]{2,}", f"{incoming.sender_name} {local}".casefold()))


def _draft(body: Sequence[Line], reader: _Reader) -> Draft:
    undone = undressed(body)
    forms, others = split_forms(undone.lines)
    trimmed = trim(set_apart(others), reader.own_address, reader.sender_names)
    draft = Draft(ignored=trimmed.ignored, blank=not any(line.text.strip() for line in body))
    draft.answers = list(map(Own, trimmed.answers))
    draft.body = squeezed_text("".join(line.text for line in body))
    token = ""
    for text in filter(None, (line.strip() for line in trimmed.kept)):
        named = token_in_line(text, reader.own_address)
        if named:
            token = named
        elif _PICTURE.match(text):
            continue
        else:
            draft.lines.append(Own(text, token))
    read: set[str] = set()
    for form in forms:
        _read_form(form, reader.sent_form, read, draft)
    if trimmed.cut_at:
        draft.unread_below.append(say("note.below", line=trimmed.cut_at))
    if trimmed.doubtful:
        draft.notes.append(say("note.within-quote", line=trimmed.doubtful[0][:80]))
    if trimmed.coloured:
        draft.unsure.append(say("note.coloured", line=trimmed.coloured[0][:80]))
    if undone.encrypted:
        draft.notes.append(say("note.sealed"))
    return draft


def _read_form(form: Form, sent_form: SentForm, read: set[str], draft: Draft) -> None:
    if form.depth > 1 or form.code in read:
        return
    if not form.closed:
        if form.depth or not draft.lines:
            draft.notes.append(say("note.form-open", code=form.code))
        return
    read.add(form.code)
    sent = sent_form(form.code)
    if sent is None:
        draft.notes.append(not_sent(form.code))
        return
    draft.lines += [Own(line, form=form.code) for line in changed_lines(form, sent)]


def _read_file(attachment: TextAttachment, reader: _Reader, draft: Draft) -> None:
    """Orders in an attached text file; everything else that came as a file is named and not read."""
    name = attachment.name or attachment.content_type
    if attachment.content_type != "text/plain":
        draft.notes.append(say("note.file", name=name))
        return
    lines = plain_lines(attachment.text)
    if is_report(lines):
        draft.notes.append(say("note.file-report", name=name))
        return
    found = _draft(lines, reader)
    known = set(map(squeezed, draft.lines))
    draft.lines += [line for line in found.lines if squeezed(line) not in known]
    draft.ignored += found.ignored
    draft.notes += found.notes if found.lines else found.notes + found.unread_below
    if found.lines:
        draft.notes.append(say("note.file-read", name=name))


def _about_unread(incoming: Incoming, nothing_read: bool) -> list[str]:
    """What is said of files. A picture beside orders is somebody's signature; where there are no orders, they may be in
    it."""
    notes = [
        say("note.file-too-many", name=attachment.name or attachment.content_type)
        for attachment in incoming.attachments[MAX_FILES : MAX_FILES + 3]
    ]
    for label in incoming.unread:
        if label == TOO_DEEP:
            notes.append(say("note.too-deep"))
        elif label == TOO_LONG:
            notes.append(say("note.too-long"))
        elif label.startswith("application/ms-tnef"):
            notes.append(say("note.winmail"))
        elif label.startswith(("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")):
            notes.append(say("note.sealed"))
        elif label.startswith("message/rfc822"):
            notes.append(say("note.enclosed"))
        elif named := (_FILE if nothing_read else _DOCUMENT).fullmatch(label):
            notes.append(say("note.file", name=named["name"][:100]))
    return notes


def _bounded(draft: Draft, max_lines: int, max_line_chars: int, tokens: Sequence[str]) -> Reading:
    lines, notes = draft.lines, draft.notes
    long = [line for line in lines if len(line.text) > most_chars(line.text, max_line_chars)]
    if long:
        notes.append(say("note.long-lines", most=max_line_chars, count=len(long)))
        lines = [line for line in lines if len(line.text) <= most_chars(line.text, max_line_chars)]
    over = lines[max_lines:]
    if over:
        notes.append(say("note.many-lines", most=max_lines, count=len(over), first=over[0].text[:60]))
    ignored = [text[:100] for text in (*(line.text for line in (*long, *over)), *draft.ignored)][:MAX_IGNORED]
    sections = _sections(lines[:max_lines], tokens)
    others = sum(len(section.lines) for section in sections if section.token)
    if others:
        notes.append(say("note.other-game", count=others))
    own = tuple(line for section in sections if not section.token for line in section.lines)
    return Reading(own, tuple(ignored), tuple(dict.fromkeys(notes)), sections)


def _sections(lines: Sequence[Own], tokens: Sequence[str]) -> tuple[Section, ...]:
    """Neighbours of one seat together. The token of a mail that is addressed to one seat only needs no section."""
    found: list[tuple[str, str, list[str]]] = []
    for text, token, form in lines:
        token = "" if [token] == list(tokens) else token
        if not found or found[-1][:2] != (token, form):
            found.append((token, form, []))
        found[-1][2].append(text)
    return tuple(Section(tuple(texts), token, form) for token, form, texts in found)
