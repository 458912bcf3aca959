"""The player's own words in a mail: `own_lines(incoming, sent_form)`.

A mail consists of passages, each of which is plain text, HTML, or both. The mail is read twice, once as plain text and
once as HTML. A passage that has only one version is part of both readings. The form of a report (`lines`) is found
wherever it is, quoted or not. Attached text files are read like the mail itself. From everything else, `quotes` removes
what the player did not write. `notes` tell the player in full sentences what was left out.

One mail may contain answers for several games. If a line contains only a reply token or a reply address, the lines
below it are for the seat of that token (`Section`). The lines of a form are for the seat to which the form was sent.

Plain text and HTML each contain something that the other lacks. Plain text may be wrapped, run together or decorated
with the numbers of lists. HTML shows where lines end and which lines are a signature. If this explains every
difference, both versions count as equal. If not, only lines that are in both versions count as orders, because it is
better to ask the player than to act on something that they did not write.

Text that a person copies into their mail from a forum, a messenger or an editor is quoted without any `>`. Forums put
quotes between `[quote]` and `[/quote]`. Emacs puts inserted text between rows of scissors or into a box. Messengers
write the time and the name in front of each remark.

Reports that come as attached files, whether from us or from another moderator, do not contain orders. Ours are
recognised by their marks. Another moderator's report says what players did, in sentences that begin with a name ("The
Emperor bids 5."), and orders never begin like that. But if there is only one such line, it may be just a remark.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from html import unescape
from itertools import accumulate, islice
from typing import NamedTuple

from bot.mail.identity import token_in_line
from bot.mail.lines import (
    DOUBTFUL,
    MAX_LINES_SEEN,
    PASSAGE_ENDS,
    PICTURE_BETWEEN,
    QUOTE_GOES_ON,
    QUOTED,
    Form,
    Line,
    SentForm,
    SentLetter,
    any_of,
    changed_lines,
    holds_free_text,
    most_chars,
    not_sent,
    plain_lines,
    rows,
    split_forms,
)
from bot.mail.message import (
    CUT_OFF,
    TNEF_TYPES,
    TOO_DEEP,
    TOO_LONG,
    Incoming,
    Passage,
    TextAttachment,
    Version,
    has_page,
    parse,
)
from bot.mail.quotes import begins_letter_of_ours, trim_quotes
from bot.mail.signatures import SIGNED_TYPES, undressed
from bot.wording import say

MAX_LINES = 200
MAX_LINE_CHARS = 1_000
MAX_IGNORED = 200
MAX_FILES = 3
MAX_NAMED = 3
_LETTERS_LOOKED_AT = 5
_TAG = re.compile(r"<(?:style|title)\b.*?</|<[^<>]*>", re.DOTALL)
_PICTURE = re.compile(r"^\[(?:cid:[^\[\]]*|image:[^\[\]]*|inline image[^\[\]]*)\]$", re.IGNORECASE)

_DOCUMENT = re.compile(
    r"[^()]*\((?P<name>.*\.(?:docx?|docm|odt|pages|rtf|pdf|xlsx?|ods|numbers|wps|zip|7z|rar|t?gz|eml|msg|txt|md))\)",
    re.IGNORECASE | re.DOTALL,
)
_NOTES = {
    TOO_DEEP: "note.too-deep",
    TOO_LONG: "note.too-long",
    CUT_OFF: "note.cut-off",
    "message/partial": "note.cut-off",
    "message/rfc822": "note.enclosed",
    "message/global": "note.enclosed",
    "message/news": "note.enclosed",
    "application/pgp-encrypted": "note.sealed",
    **dict.fromkeys(SIGNED_TYPES, "note.sealed"),
    **dict.fromkeys(TNEF_TYPES, "note.winmail"),
}
_MOST_POINTING = 3
_HTML = re.compile(r"\bhtml\b", re.IGNORECASE)
_FILE = re.compile(r"(?!application/(?:pgp|pkcs7|x-pkcs7)-)[^()]*\((?P<name>.+)\)", re.DOTALL)
"""Patterns for files as `Incoming.unread` names them: the first is for types of file in which people write, the second
for all files."""


@dataclass(frozen=True, slots=True)
class Section:
    """Adjacent lines that are for the same seat: the seat of `token`, or the seat to which the form `form` was sent. If
    there is neither a token nor a form, they are for the seat to which the mail is addressed.

    `apart` holds the positions of those lines that follow an empty line or other words. `under` gives, for a line, the
    quoted words directly above it.
    """

    lines: tuple[str, ...]
    token: str = ""
    form: str = ""
    apart: tuple[int, ...] = field(default=(), compare=False)
    under: Mapping[int, str] = field(default_factory=dict, compare=False)

    @property
    def spaced(self) -> list[str]:
        """The lines, with an empty line between paragraphs, and with quoted words ("> …") above the lines that answer
        them."""
        found: list[str] = []
        for place, line in enumerate(self.lines):
            found += [""] if place in self.apart else []
            found += [f"{QUOTED} {self.under[place]}"] if place in self.under else []
            found.append(line)
        return found


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a mail.

    - `lines` are the player's own lines, without empty ones.
    - `ignored` are other lines of the mail that were not read (signature, footers, lines beyond the limits), at most
      `MAX_IGNORED` of them.
    - `notes` say what was left out and why.
    - `sections` contain the same lines by seat, and also lines under the token of another game, which are not in
      `lines`.
    """

    lines: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()


class _Reader(NamedTuple):
    sent_form: SentForm
    own_address: str
    sender_names: Collection[str]
    letters: Callable[[], str]
    """The words of the letters to which the mail replies, squeezed together."""

    def is_ours(self, words: str) -> bool:
        return squeezed_text(words) in self.letters()


def own_lines(
    incoming: Incoming,
    sent_form: SentForm,
    own_address: str = "",
    max_lines: int = MAX_LINES,
    max_line_chars: int = MAX_LINE_CHARS,
    tokens: Sequence[str] = (),
    sent_letter: SentLetter | None = None,
) -> Reading:
    """Return the lines that the sender wrote. This never raises an exception.

    If `own_address` is given (this program's address, without a token), attributions are recognised in every language.
    `tokens` are the tokens to which the mail is addressed. If `sent_letter` is given, every quote of one of our letters
    is recognised.

    >>> from bot.mail.message import parse
    >>> mail = parse(b"From: a@b.example\\n\\nbid 4\\n\\nOn Monday Mentat wrote:\\n> Your bid?\\n")
    >>> own_lines(mail, lambda code: None).lines
    ('bid 4',)
    """
    answered = dict.fromkeys((*incoming.in_reply_to, *reversed(incoming.references)))

    @cache
    def letters() -> str:
        found = map(sent_letter, islice(answered, _LETTERS_LOOKED_AT)) if sent_letter else ()
        return "\n".join(words for letter in found if letter for words in _words_of_letter(letter))

    reader = _Reader(sent_form, own_address, _names(incoming), letters)
    body = _read_passages(incoming, reader)
    plain, page = (_draft(lines, reader) if lines else None for lines in (body.plain, body.page))
    draft = agree_on_lines(plain, page)
    draft.ignored[:0] = body.ignored
    draft.notes += body.notes
    if not draft.lines:
        draft.notes += draft.unread_below
    for attachment in incoming.files[:MAX_FILES]:
        _read_file(attachment, reader, draft)
    draft.notes += _about_unread(incoming, nothing_read=not draft.lines)
    read = _bounded(draft, max_lines, max_line_chars, tokens)
    return replace(read, sections=_in_paragraphs(read.sections, body.plain or body.page))


_MOST_ABOVE = 8  # lines
_LONGEST_ABOVE = 500
_ADORNMENT = 12
"""If there are fewer characters than this between two lines, they are list marks and the like, and do not separate
paragraphs."""


def _in_paragraphs(sections: Sequence[Section], body: Sequence[Line]) -> tuple[Section, ...]:
    texts = ["" if line.depth else squeezed_text(line.text) for line in body]
    starts = list(accumulate(map(len, texts), initial=0))
    gaps = [start for start, text in zip(starts, texts, strict=False) if not text]
    whole = "".join(texts)
    found: list[Section] = []
    after = 0
    for section in sections:
        apart, under = list[int](), dict[int, str]()
        for place, text in enumerate(map(squeezed_text, section.lines)):
            ahead = islice(starts, bisect_left(starts, after), None)
            begins = (start for start in islice(ahead, _LINES_COMPARED) if whole.startswith(text, start))
            start = next(begins, whole.find(text, after))
            if start < 0:  # it comes from a form or a file
                apart.append(place)
                continue
            first = bisect_left(gaps, after)
            parted = start - after > _ADORNMENT or (first < len(gaps) and gaps[first] <= start)
            if place and parted:
                apart.append(place)
            if quoted := _quoted_above(body, bisect_right(starts, start) - 1):
                under[place] = quoted
            after = start + len(text)
        found.append(replace(section, apart=tuple(apart), under=under))
    return tuple(found)


def _quoted_above(body: Sequence[Line], place: int) -> str:
    quoted: list[str] = []
    for line in reversed(body[max(0, place - _MOST_ABOVE) : place]):
        text = line.text.strip()
        if text and line.depth:
            quoted.insert(0, text)
        elif text or quoted:
            break
    return " ".join(quoted)[-_LONGEST_ABOVE:]


def _words_of_letter(letter: bytes) -> Iterator[str]:
    sent = parse(letter)
    if isinstance(sent, Incoming):
        yield squeezed_text(sent.text_plain or "")
        yield squeezed_text(unescape(_TAG.sub("", sent.html or "")))


@dataclass(slots=True)
class _Body:
    """A mail as plain text (`plain`) and as HTML (`page`). If a passage has only one version, its lines are in both."""

    plain: list[Line] = field(default_factory=list)
    page: list[Line] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _read_passages(incoming: Incoming, reader: _Reader) -> _Body:
    body = _Body()
    passages = _without_repetitions([_read_versions(passage, body, reader) for passage in incoming.passages])
    if any(passage.plain for passage in passages):
        body.plain = _joined((passage.plain or passage.page, passage.goes_on) for passage in passages)
    if any(passage.page for passage in passages):
        body.page = _joined((passage.page or passage.plain, passage.goes_on) for passage in passages)
    if any(text.content.count("\n") >= MAX_LINES_SEEN for passage in incoming.passages for text in passage.plain):
        body.notes.append(say("note.first-lines", most=MAX_LINES_SEEN))
    return body


class _Versions(NamedTuple):
    plain: list[Line]
    page: list[Line]
    goes_on: bool


def _read_versions(passage: Passage, body: _Body, reader: _Reader) -> _Versions:
    """Choose the last HTML version and the last plain text, but prefer a plain text that says the same as the HTML.
    Some gateways add their footer as a further plain text next to the versions of a mail."""
    read = [(has_page(version), _lines_of(version, reader)) for version in passage.versions]
    pages = [lines for is_page, lines in read if lines and is_page]
    page = pages[-1] if pages else []
    shown = _words(page)
    plains = [lines for is_page, lines in read if lines and not is_page and not _points_to_page(lines, shown)]
    if not plains and any(lines is None for _, lines in read):
        body.notes.append(say("note.html"))
    same = [lines for lines in plains if _words(lines) == shown] if len(plains) > 1 else plains
    chosen = _Versions((same or plains or [[]])[-1], page, passage.goes_on)
    if others := [line for lines in plains + pages if lines not in chosen[:2] for line in lines]:
        known = _words(chosen.plain) + shown
        others = [line for line in others if squeezed_text(line.text) not in known]
    if others:
        body.ignored += [line.text.strip() for line in others if line.depth == 0]
        body.notes.append(say("note.differs"))
    return chosen


def _lines_of(version: Version, reader: _Reader) -> list[Line] | None:
    parts: list[list[Line]] = []
    for text in version:
        if not text.is_page:
            parts.append(plain_lines(text.content, text.flowed, text.delsp))
            continue
        from bot.mail.html import read_page  # its many patterns are only needed for HTML mail

        page = read_page(text.content, reader.own_address, reader.is_ours)
        if page is None:
            return None
        parts.append([*page.lines, QUOTE_GOES_ON] if page.ends_quoted else page.lines)
    lines = _joined((part, True) for part in parts)
    return lines if any(line.text.strip() for line in lines) else []


def _joined(parts: Iterable[tuple[list[Line], bool]]) -> list[Line]:
    lines: list[Line] = []
    quoted = False
    for part, goes_on in parts:
        quoted = goes_on and (quoted or lines[-1:] == [QUOTE_GOES_ON])
        if lines:
            lines.append(PICTURE_BETWEEN if goes_on else PASSAGE_ENDS)
        lines += [Line(line.text, line.depth or DOUBTFUL) for line in part] if quoted else part
    return lines[:MAX_LINES_SEEN]


def _words(lines: Sequence[Line]) -> str:
    return "".join(squeezed_text(line.text) for line in lines)


def _without_repetitions(passages: Sequence[_Versions]) -> list[_Versions]:
    """Join a plain text and an HTML page that say the same but were sent as separate parts, as some programs do. A
    repeated passage counts only once. So does a passage whose own lines all occur in another version elsewhere."""
    kept: list[_Versions] = []
    for passage in passages:
        if not passage.plain and not passage.page:
            continue
        place = next((place for place, other in enumerate(kept) if _say_the_same(passage, other)), None)
        if place is None:
            kept.append(passage)
            continue
        other = kept[place]
        if _words(other.plain or other.page) == _words(passage.plain or passage.page):
            kept[place] = _Versions(other.plain or passage.plain, other.page or passage.page, other.goes_on)
        elif _own_words(other) <= _own_words(passage):
            kept[place] = passage
    return kept


def _say_the_same(one: _Versions, other: _Versions) -> bool:
    if bool(one.plain) == bool(other.plain) and bool(one.page) == bool(other.page):
        return one[:2] == other[:2]
    return _own_words(one) <= _own_words(other) or _own_words(other) <= _own_words(one)


def _own_words(passage: _Versions) -> set[str]:
    lines = passage.plain or passage.page
    return {squeezed_text(line.text) for line in lines if line.depth == 0 and line.text.strip()}


def _names(incoming: Incoming) -> frozenset[str]:
    local = incoming.sender.partition("@")[0]
    return frozenset(re.findall(r"[^\W\d_]{2,}", f"{incoming.sender_name} {local}".casefold()))


def _draft(body: Sequence[Line], reader: _Reader) -> Draft:
    undone = undressed(body)
    forms, others = split_forms(undone.lines)
    trimmed = trim_quotes(quote_copies(others), reader.own_address, reader.sender_names)
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
        draft.notes.append(say("note.within-quote", lines=[f"“{line[:80]}”" for line in trimmed.doubtful[:MAX_NAMED]]))
    draft.ignored[:0] = trimmed.doubtful[MAX_NAMED:]
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
    """Return the notes about files that were not read. A picture beside orders is taken to be part of a signature. If
    there are no orders, they may be in the picture."""
    notes = [
        say("note.file-too-many", name=attachment.name or attachment.content_type)
        for attachment in incoming.files[MAX_FILES : MAX_FILES + 3]
    ]
    for label in incoming.unread:
        content_type = label.partition(" (")[0]
        if content_type in _NOTES:
            notes.append(say(_NOTES[content_type]))
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
    found: list[tuple[str, str, list[str]]] = []
    for text, token, form in lines:
        token = "" if [token] == list(tokens) else token
        if not found or found[-1][:2] != (token, form):
            found.append((token, form, []))
        found[-1][2].append(text)
    return tuple(Section(tuple(texts), token, form) for token, form, texts in found)


_WRAPPED_FROM = 40
"""Mail programs do not wrap lines that are shorter than this."""
_LONGEST_JOINED = 1_000
_LINES_COMPARED = 200

_LINKED = re.compile(r"\s{0,3}[<\[](?:https?://|mailto:|tel:)[^\s<>\[\]]{1,900}[>\]]", re.IGNORECASE)
_LIST_MARK = re.compile(r"^(?:\(?\d{1,2}[.)]|[-–•·●○▪◦§*+]|o(?= ))(?:\s+|$)")


class Own(NamedTuple):
    text: str
    token: str = ""
    form: str = ""


@dataclass(slots=True)
class Draft:
    lines: list[Own] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    blank: bool = True
    answers: list[Own] = field(default_factory=list)
    """The lines within the quoted letter that are marked as written by the player."""
    unread_below: list[str] = field(default_factory=list)
    """A note that nothing below a separator was read. It is used if the mail has no lines at all."""
    unsure: list[str] = field(default_factory=list)
    """Notes about lines that may be such answers. Plain text cannot contain any."""
    body: str = ""
    """The words of the whole body, squeezed together."""


def agree_on_lines(plain: Draft | None, html: Draft | None) -> Draft:
    """Return the lines on which both versions agree. An answer that the player wrote within the quoted letter must also
    be in both."""
    if plain is None or html is None:
        draft = plain or html or Draft()
        return replace(draft, lines=draft.lines + draft.answers, notes=draft.notes + draft.unsure)
    if plain.blank or (html.lines and _points_to_page(plain.lines, html.body)):
        return agree_on_lines(None, html)
    if html.blank:
        return agree_on_lines(plain, None)
    draft = _agreed_lines(replace(plain, lines=_as_in_html(plain.lines, html.lines)), html)
    answers = [line for line in html.answers if squeezed(line)[0] in plain.body]
    answers += [line for line in plain.answers if line not in answers and squeezed(line)[0] in html.body]
    return replace(draft, lines=draft.lines + answers, notes=draft.notes + html.unsure)


def squeezed(line: Own) -> tuple[str, ...]:
    return (squeezed_text(line.text), *line[1:])


@lru_cache(2_000)  # a line of a mail is compared several times
def squeezed_text(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split()).casefold()


def _points_to_page(plain: Sequence[Line | Own], page: str) -> bool:
    said = [line.text for line in plain if line.text.strip()]
    if not page or len(said) > _MOST_POINTING or not _HTML.search(" ".join(said)):
        return False
    return not any(squeezed_text(text) in page for text in said)


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
    pieces: dict[tuple[str, ...], list[str]] = {}
    for line in lines:
        pieces.setdefault(line[1:], []).append(squeezed(line)[0])
    return {section: "".join(texts) for section, texts in pieces.items()}


def _differ_by(longer: dict[tuple[str, ...], str], shorter: dict[tuple[str, ...], str], ignored: Iterable[str]) -> bool:
    """Return True if the longer version differs from the shorter one only by final lines that were ignored in the
    shorter one."""
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
    if len(pieces) > 1 and sum(len(piece.text) for piece in pieces) > _LONGEST_JOINED:
        return False
    return all(len(piece.text) >= _WRAPPED_FROM for piece in pieces[:-1])


_QUOTE_BEGINS = re.compile(r"\[quote(?:[= ][^\[\]]{0,200})?\]", re.IGNORECASE)
_QUOTE_ENDS = re.compile(r"\[/quote\]", re.IGNORECASE)
_SCISSORS = re.compile(
    r"^-{2,20}(?:8<|>8|✂)-{2,30}[^-]{0,60}-{2,30}(?P<mark>start|begin|end)-{2,30}(?:>8|8<|✂)-{1,20}$"
)
_EDITOR_BOX = re.compile(r"^(?:,-{2,20}\[.{0,100}\]?|`-{2,20})$")
_SAID_IN_CHAT = re.compile(
    r"^(?:\[[^\[\]]{0,20}\d{1,2}[:.]\d\d[^\[\]]{0,10}\]|\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}[:.]\d\d[^–<:-]{0,10}"
    r"|\d{1,2}:\d\d(?::\d\d)?(?= ?<)) ?[–-]? ?(?:<[^<>]{1,40}>|[^\W\d_][\w .'-]{0,40}:)(?= )",
    re.IGNORECASE,
)


def quote_copies(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with copied text marked as quoted.

    >>> [line.depth for line in quote_copies([Line("bid 4"), Line("[quote=Bob]bid 5"), Line("pass"), Line("[/quote]")])]
    [0, 1, 1, 1]
    """
    found: list[Line] = []
    within = opened = 0
    for line in [*lines, PASSAGE_ENDS]:
        if line == PASSAGE_ENDS and within:
            found[opened:] = [
                Line(copied.text, DOUBTFUL if copied.depth == 1 else copied.depth) for copied in found[opened:]
            ]
            within = 0
        if line.depth != 0:
            found.append(line)
            continue
        text = line.text[:400]
        scissors = _SCISSORS.match(text.strip())
        opens = len(_QUOTE_BEGINS.findall(text)) + bool(scissors and scissors["mark"] != "end")
        opened = len(found) if opens and not within else opened
        within += opens
        is_copied = within > 0 or bool(scissors or _EDITOR_BOX.match(text) or _SAID_IN_CHAT.match(text))
        within = max(within - len(_QUOTE_ENDS.findall(text)) - bool(scissors and scissors["mark"] == "end"), 0)
        found.append(Line(line.text, 1) if is_copied else line)
    return found[:-1]


ACTIONS_OF_A_REPORT = 2

_ACTION = rows(
    lambda: (
        rf"(?:^|[.!] )[\W\d]{{0,6}}{any_of('reports', 'players')}(?: player)? {any_of('reports', 'actions')}\b(?! ?:)"
    ),
    re.IGNORECASE,
)


def is_report(lines: Sequence[Line]) -> bool:
    """Return True if the text of a file is a report on a game.

    >>> is_report([Line("The Emperor bids 5."), Line("Guild passes."), Line(""), Line("bid 6")])
    True
    >>> is_report([Line("press to all: Fremen move. The Guild ships."), Line("when guild has passed: bid 5")])
    False
    """
    _, others = split_forms(lines)  # a form alone is not a report
    if any(begins_letter_of_ours(others, index) for index in range(len(others))):
        return True
    actions = (len(_ACTION.findall(line.text[:400])) for line in others if not holds_free_text(line.text))
    return sum(actions) >= ACTIONS_OF_A_REPORT
