"""A line that is being read: its text in plain characters, what its writer knows, and the blanks of its form.

List marks, ticked boxes and full stops at the end are stripped from a line, and the special characters of typography
and mail are replaced by plain ones. The grammar reads `Line.plain`, which is in lower case with plain hyphens and
quotes. `Line.text` has the same characters at the same offsets, but as the player wrote them; free text (a question, a
bargain) is cut from it.

Press may have several lines: all lines from the first to `end press` form one order. Mail programs break long lines,
and people write paragraphs, so without `end press` Mentat cannot tell where press ends. In that case, only the first
line counts as press; otherwise, other players might read lines that were meant as orders. If the text of the press
begins below its first line, `end press` is required.

>>> fold_press(["press to guild:", "Wait.", "Ann", "end press", "bid 3"])
['press to guild: Wait.⏎Ann', 'bid 3']

A `Context` holds only what the writer of the line knows. A slot has a piece of grammar, a reader (from the parsed words
to a value) and a writer (from a value to canonical words). If the grammar accepts words that the reader cannot
interpret, the reader raises a `Misread` with the reason, the place in the line, and possible replacements.
"""

from __future__ import annotations

import io
import re
import string
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Literal, TypeVar

import lark
from lark import Lark, Token, Tree

from bot.language.names import Found, Names
from bot.mail.lines import FREE_TEXT_CHARS, unquoted
from bot.wording import say
from rules.components import FACTIONS, Card, Faction, Forces, Leader
from rules.components.board import Area
from rules.kept import kept
from rules.orders import Order, PhaseName, QuestionKind
from rules.orders.readings import DealCondition

LONGEST = 1000  # characters; Mentat does not read longer lines

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹘", "-"),
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        "⁄": "/",
        **dict(zip(string.ascii_uppercase, string.ascii_lowercase, strict=True)),
    }
)
LIST_MARK = re.compile(r"(?:[-*+•·‣▪–—]+|\(?[0-9]{1,2}[.)]|\[ ?[xX✓✔] ?\])\s*(?<=[\s\]])(?=[^\W\d_])")
_OTHER_DIGITS = re.compile(r"(?<=[0-9])(?=[²³¹¼-¾⁰-₉⅐-↉①-⓿❶-➓])")
"""The place between a digit and a raised, circled or fractional digit: `1²` is neither 12 nor a number in any order."""
_LAST_STOPS = " .!?;,"
_QUOTES = "\"'“”‘’„‚«»‹›"


@dataclass(frozen=True, slots=True)
class Line:
    """One line as its writer wrote it (`text`) and as the grammar reads it (`plain`). The characters of `plain` have
    the same offsets as in `text`, but `plain` may end earlier."""

    text: str
    plain: str

    @property
    def empty(self) -> bool:
        return not self.text or self.text.startswith("#")


@lru_cache(maxsize=1024)  # a line is parsed as an order, as a sheet line, and in parts
def tidy(line: str) -> Line:
    """Strip a line and replace its special characters: `tidy(" - Move 3 from “Carthag” …").plain == 'move 3 from
    "carthag"'`."""
    text = line if line.isascii() and line.isprintable() else _in_plain_signs(line)
    text = " ".join(text.split())
    text = LIST_MARK.sub("", text, count=1) if LIST_MARK.match(text) else text
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        text = text[1:-1].strip()
    plain = text.translate(_PLAIN).rstrip(_LAST_STOPS)
    return Line(text, plain)


def _in_plain_signs(line: str) -> str:
    text = re.sub(r"(?<=[0-9]) ?½", ".5", line.replace("\u00ad", "")).replace("½", "0.5")
    text = unicodedata.normalize("NFKC", _OTHER_DIGITS.sub("^", text))
    return "".join(
        " " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )


LINE_END = "⏎"
_PRESS = re.compile(r"^\W{0,4}(?:(?:(?:un)?signed|grey) )?press\b[^:：]{0,160}[:：]", re.IGNORECASE)
_END_PRESS = re.compile(r"^\W{0,4}(?:end ?(?:of )?press|press end)\W{0,4}$", re.IGNORECASE)
WITHOUT_END = "without end"


def fold_press(lines: Sequence[str]) -> list[str]:
    found: list[str] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        opened = _PRESS.match(line)
        end = _end_of_press(lines, place + 1) if opened else None
        if opened and end is not None:
            words = [line[opened.end() :].strip(), *(each.strip() for each in unquoted(lines[place + 1 : end]))]
            found.append(f"{opened[0]} {LINE_END.join(filter(None, words))}"[:FREE_TEXT_CHARS])
            place = end + 1
        elif opened and not line[opened.end() :].strip() and place + 1 < len(lines):
            found.append(f"press {WITHOUT_END}: {LINE_END.join(unquoted(lines[place:]))}"[:FREE_TEXT_CHARS])
            return found
        else:
            found.append(line)
            place += 1
    return found


def unfold_press(words: str) -> str:
    return "\n".join(part.strip() for part in words.split(LINE_END))


def _end_of_press(lines: Sequence[str], first: int) -> int | None:
    for place in range(first, len(lines)):
        if _END_PRESS.match(lines[place]):
            return place
        if _PRESS.match(lines[place]):
            return None
    return None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that the writer still has to answer. `about` holds its facts, `samples` returns sample answers, all of
    them legal, and `default` returns the order that applies if the player does not answer. `many` is true if several
    orders in one mail may form one answer. `prompt` returns the question as letters word it."""

    kind: QuestionKind
    about: Mapping[str, Any]
    samples: Callable[[], Sequence[Order]]
    default: Callable[[], Order | None] = lambda: None
    many: bool = False
    prompt: Callable[[], str] = str


@dataclass(frozen=True, slots=True)
class WriterView:
    """The position as the writer of a line sees it.

    `forces` are the writer's own forces on the board. `judge` returns the verdict on an order if the writer gave it
    now: "accepted", "held" or "refused", with the reason as a letter would word it. `faults` returns why a battle plan
    cannot be used as written, or "" if it can.
    """

    asked: Sequence[OpenQuestion]
    forces: Mapping[Area, Forces]
    reserves: Forces
    tanks: Forces
    spice: int
    allies: Sequence[Faction]
    judge: Callable[[Order], tuple[Literal["accepted", "held", "refused"], str]]
    faults: Callable[[Order], str] = lambda _: ""


@dataclass(frozen=True, slots=True)
class Context:
    """The writer of a line, and the writer's knowledge.

    `factions` are the factions in the game; `players` are the names of their players, if known. `hand`, `leaders`
    (including captives; by default the faction's own) and `traitors` only help to decide what a shortened name means.
    `today` is the date of writing in the writer's `zone`, for dates without a year; `turn` and `phase` show what has
    already passed. `edition` is the edition whose leader names the writer uses: "Yueh" is one leader in 1979 and part
    of two names in 2019.

    `known` returns the writer's view of the position, which is needed to understand plain words
    (`bot.language.plain_words`); without it only the grammar is used. If `takes` is false, even a certain reading of
    plain words is only proposed. `conditions` reads the condition of a deal or raises `Misread`; without it,
    conditional deals cannot be read.
    """

    faction: Faction
    factions: frozenset[Faction] = frozenset(FACTIONS)
    hand: tuple[Card, ...] = ()
    leaders: tuple[Leader, ...] = ()
    traitors: tuple[Leader, ...] = ()
    today: date | None = None
    zone: str = "UTC"
    players: tuple[tuple[Faction, str], ...] = ()
    turn: int | None = None
    phase: PhaseName | None = None
    edition: Literal["1979", "2019"] = "1979"
    known: Callable[[], WriterView] | None = None
    takes: bool = True
    conditions: Callable[[str, Context], DealCondition] | None = None


T = TypeVar("T", bound=str)
Node = Tree[Token]


class Misread(Exception):
    """Raised if the words in a blank cannot be read. `span` is their range of characters in the line, and `instead`
    lists possible replacements."""

    def __init__(self, reason: str, span: tuple[int, int], instead: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.instead = tuple(instead)


@dataclass(frozen=True, slots=True)
class Words:
    text: str
    span: tuple[int, int]


def tokens_of(node: Node) -> list[Token]:
    return [token for token in node.scan_values(lambda _: True) if isinstance(token, Token)]


@dataclass(frozen=True, slots=True)
class Reading:
    text: str
    context: Context

    def words(self, node: Node | Token) -> Words:
        tokens = [node] if isinstance(node, Token) else tokens_of(node)
        first, last = (tokens[0].start_pos or 0, tokens[-1].end_pos or 0) if tokens else (0, 0)
        return Words(self.text[first:last], (first, last))


def _is_given(value: object) -> bool:
    return value is not None


@dataclass(frozen=True, slots=True)
class Slot:
    """One sort of blank.

    `placeholder` represents the blank in the description of a form ("AREA"), and `blank` in a line for a player to fill
    in. `rule` is the right side of its grammar rule; "NAME" in it represents a name, which ends where the next part of
    the form begins. `holds` returns whether this sort of blank can express a value.
    """

    placeholder: str
    blank: str
    rule: str
    read: Callable[[Reading, Node], Any]
    write: Callable[[Any], str]
    holds: Callable[[Any], bool] = _is_given


def read_name(names: Names[T], words: Words, likely: Sequence[Collection[T]] = (), there: Collection[T] = ()) -> T:
    """Return the thing that the words name. Raise Misread if they name none; if `there` is given, the error suggests
    only names in it."""
    found = names.find(words.text, likely)
    if isinstance(found, Found):
        return found.value
    near = tuple(name for name in found.names if not there or name in map(names.name, there))
    if found.ambiguous:
        near = found.names
        reason = say("unread.ambiguous", text=words.text, sort=names.sort, names=found.names)
    elif near:
        reason = say("unread.misspelt", text=words.text, sort=names.sort, names=near)
    elif len(few := [each for each in names.values if each in (there or names.usual or names.values)]) <= 9:
        all_names = [names.name(value) for value in few]
        reason = say("unread.unknown-of-few", text=words.text, sort=names.sort, names=all_names)
    else:
        reason = say("unread.unknown", text=words.text, sort=names.sort)
    raise Misread(reason, words.span, near)


def name_slot(placeholder: str, names: Names[T], likely: Callable[[Context], Sequence[Collection[T]]]) -> Slot:
    return Slot(
        placeholder,
        "______",
        "NAME",
        lambda reading, node: read_name(names, reading.words(node), likely(reading.context)),
        names.name,
    )


def nothing_likely(_: Context) -> tuple[()]:
    return ()


def parser_of(grammar: str, module: str, **options: Any) -> Lark:
    """Return the parser for a grammar, from a cache file next to ``module`` if there is one. Building a parser takes
    ten times as long as loading it."""
    of = (grammar, options, lark.__version__)

    def built() -> bytes:
        made = io.BytesIO()
        Lark(grammar, parser="lalr", lexer="contextual", **options).save(made)
        return made.getvalue()

    return Lark.load(io.BytesIO(kept(module, "grammar", of, built)))
