"""What counts in a post: marked lines, and which of them are acts that may be public.

A line counts that begins with ``!`` at the left margin and stands in the open (``bot.forum.own_lines``). In a mailing
list whose thread is Mentat's own, lines without the mark count too where they cannot be talk. Whatever is in doubt does
not count. What a line is follows from its form alone, never from the position: nobody can ask a question by posting.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz, process

from bot.channels.channel import Dialect
from bot.forum.own_lines import own_lines
from bot.orders.commands import Press
from bot.orders.context import Context
from bot.orders.forms import FORMS, pieces
from bot.orders.grammar import parse
from bot.orders.language import understood
from bot.orders.lines import tidy
from bot.sheets.reading import SheetLine, read_sheet_line
from rules.components import FACTIONS
from rules.orders import (
    Ally,
    Bid,
    BreakAlliance,
    Move,
    NoAlliance,
    NoMove,
    NoShipment,
    Order,
    Pass,
    PassAll,
    Ship,
)

Kind = Literal["act", "code", "secret", "unread"]

ACTS = (Bid, Pass, PassAll, Ship, NoShipment, Move, NoMove, Ally, BreakAlliance, NoAlliance)
"""The closed list of what counts in public, besides words to everybody."""
MARK = "!"
MOST = 50
"""So many marked lines of one post are read, and of each so many characters."""
LONGEST = 400
NEARLY = 78
"""How like the first word of a secret order (of 100) a misspelt one is."""

_CODE = re.compile(r"i\s*(?:am|'m|’m)\s+([a-z0-9]{6})[.!]?", re.IGNORECASE | re.ASCII)
_BOLD = re.compile(r"(?:\*\*(![^*]+)\*\*|__(![^_]+)__|\[b\](![^\[\]]+)\[/b\])\s*", re.IGNORECASE)
_TYPED = "–—−‘’“”„→…äöüéèñ"  # what keyboards put for plain signs, and letters of names
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_ANYBODY = Context(FACTIONS[0])


@dataclass(frozen=True, slots=True)
class Marked:
    """A line of a post that may count: ``text`` is the line as it could be mailed. An ``act`` is of the closed list, a
    ``code`` shows whose account it is (``text`` is the code), a ``secret`` is an order that only counts by mail or
    nearly one, and ``unread`` a marked line that is nothing of all that."""

    text: str
    kind: Kind


def read_post(raw: str, dialect: Dialect, *, plain: bool = False) -> tuple[Marked, ...]:
    """The lines of a post that may count, at most fifty, in its order. ``plain``: it stands in the thread of a mailing
    list that is ours, so that acts count without a mark.

    >>> read_post("I would bid 9.\\n!bid 3\\n> !bid 4", Dialect.MARKDOWN)
    (Marked(text='bid 3', kind='act'),)
    """
    found: list[Marked] = []
    for own, words in own_lines(raw, dialect):
        line = _without_bold(own)
        read = _marked(line, words) if _is_marked(line) else _unmarked(line, words) if plain else None
        if read:
            found.append(read)
        if len(found) == MOST:
            break
    return tuple(found)


def _without_bold(line: str) -> str:
    """A marked line that is bold as a whole is as good as another."""
    bold = _BOLD.fullmatch(line)
    return next(filter(None, bold.groups())) if bold else line


def _is_marked(line: str) -> bool:
    """Whether a line claims to count: the mark stands at the margin, and opens neither a picture nor a shout."""
    rest = line[1:]
    return line.startswith(MARK) and bool(rest.strip()) and not rest.startswith(("!", "[", "?", "="))


def _marked(line: str, words: bool) -> Marked:
    text = line[1:].strip()
    shown = _visible(text)[:LONGEST]
    if not words or shown != text:  # what is secret is told as that all the same
        return Marked(shown, "secret" if _kind(shown) == "secret" else "unread")
    if code := _CODE.fullmatch(text):
        return Marked(code[1].upper(), "code")
    return Marked(text, _kind(text))


def _unmarked(line: str, words: bool) -> Marked | None:
    """A line without the mark, where lines count as in a mail: only what can be nothing else. An act of which nobody
    can be sure whose it is does not count, and is not lost without a word."""
    text = line.rstrip()
    if not text or len(text) > LONGEST or text[0].isspace() or not _is_typed(text):
        return None
    if code := _CODE.fullmatch(text):
        return Marked(code[1].upper(), "code") if words else None
    kind = _kind(text)
    if not words:
        return Marked(text, "unread") if kind == "act" else None
    if kind == "act" or (kind == "secret" and len(text.split()) > 1 and _is_order(text)):
        return Marked(text, kind)
    return None


def _kind(text: str) -> Kind:
    line = tidy(text)
    parsed = parse(line.plain) if line.plain and not line.empty else None
    if parsed is not None:
        form, _ = parsed
        if form.makes is Press:
            return _kind_of_press(text)
        if form.makes not in ACTS or form.fixed.get("karama"):  # a card of which nobody knows must not show
            return "secret"
        return "act" if _is_typed(text) and _is_said(text) else "unread"
    if isinstance(read_sheet_line(text, _ANYBODY), SheetLine):
        return "secret"
    return "secret" if _is_nearly_secret(line.plain) else "unread"


def _kind_of_press(text: str) -> Kind:
    """Words to everybody, signed and to nobody else, are an act; others go by mail."""
    match understood(text, _ANYBODY):
        case Press((), _, (), None | True, None):
            return "act" if text[0].isalpha() else "unread"
    return "secret"


def _is_said(text: str) -> bool:
    """Whether a line says its order: it does not ask for it, and does not repeat it in quotation marks."""
    return text[0].isalpha() and text[-1] not in "?\"'’”"


def _is_typed(text: str) -> bool:
    """Whether a line is of signs that are what they seem."""
    return all((sign.isascii() and sign.isprintable()) or sign in _TYPED for sign in text)


def _is_order(text: str) -> bool:
    """Whether a line is an order for the game or a line for a sheet, and no command about the mail."""
    parsed = parse(tidy(text).plain)
    if parsed is not None:
        return issubclass(parsed[0].makes, Order)
    return isinstance(read_sheet_line(text, _ANYBODY), SheetLine)


def _is_nearly_secret(plain: str) -> bool:
    """Whether a line that nobody can read begins like an order that must not be public, or speaks of one."""
    words = re.findall(r"[a-z]+", plain)
    if not words:
        return False
    if any(word in _GIVEAWAYS for word in words):
        return True
    found = process.extractOne(words[0], _FIRST_WORDS, scorer=fuzz.ratio)
    return bool(found) and found[1] >= NEARLY and found[0] in _SECRET_WORDS


def _visible(text: str) -> str:
    return "".join(sign if unicodedata.category(sign) not in _UNSEEN else "�" for sign in text)


def _first_words(secret: bool) -> frozenset[str]:
    wanted = [form for form in FORMS if form.read and (form.makes not in (*ACTS, Press)) == secret]
    patterns = (pattern for form in wanted for pattern in (form.pattern, *form.also))
    return frozenset(
        str(piece).lower() for pattern in patterns for piece in list(pieces(pattern))[:1] if isinstance(piece, str)
    )


_PUBLIC_WORDS = _first_words(secret=False)
_SECRET_WORDS = _first_words(secret=True) - _PUBLIC_WORDS
_FIRST_WORDS = sorted(_PUBLIC_WORDS | _SECRET_WORDS)
_GIVEAWAYS = frozenset(
    ("battle", "dial", "weapon", "defense", "defence", "leader", "traitor", "traitors", "treachery", "karama",
     "truthtrance", "predict", "prediction", "discard", "voice", "prescience", "poison", "lasgun", "shield")
)  # fmt: skip
"""Words by which a line that nobody can read is taken for an order that must not be public."""
