"""A blank in a form, and what can go wrong with it.

A slot has a piece of grammar, a reader (from the parsed words to a value) and a writer (from a value to canonical
words). What the grammar lets through and the reader cannot take is a ``Misread``: the reason, the place in the line,
and what could stand there instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from lark import Token, Tree

from bot.orders.context import Context
from bot.orders.names import Found, Names
from bot.wording.sentences import say

T = TypeVar("T", bound=str)
Node = Tree[Token]


class Misread(Exception):
    """A slot holds nothing that can be read. ``span`` are the characters in the line, ``instead`` what would fit."""

    def __init__(self, reason: str, span: tuple[int, int], instead: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.instead = tuple(instead)


class SaidTwice(Misread):
    """A part of an order is named once more."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words that stand in a slot, and where in the line."""

    text: str
    span: tuple[int, int]


def tokens_of(node: Node) -> list[Token]:
    """All words under a node, in their order."""
    return [token for token in node.scan_values(lambda _: True) if isinstance(token, Token)]


@dataclass(frozen=True, slots=True)
class Reading:
    """A line that is being read by somebody."""

    text: str
    context: Context

    def words(self, node: Node | Token) -> Words:
        """What the player wrote in this part of the line."""
        tokens = [node] if isinstance(node, Token) else tokens_of(node)
        first, last = (tokens[0].start_pos or 0, tokens[-1].end_pos or 0) if tokens else (0, 0)
        return Words(self.text[first:last], (first, last))


def _is_given(value: object) -> bool:
    return value is not None


@dataclass(frozen=True, slots=True)
class Slot:
    """One sort of blank.

    ``placeholder`` stands for it in a form ("AREA"), ``blank`` in a line to be filled in. ``rule`` is the right side
    of its grammar rule; "NAME" in it is a name that ends where what follows the slot begins. ``holds`` says which
    values it can show at all.
    """

    placeholder: str
    blank: str
    rule: str
    read: Callable[[Reading, Node], Any]
    write: Callable[[Any], str]
    holds: Callable[[Any], bool] = _is_given


def named(names: Names[T], words: Words, likely: Sequence[Collection[T]] = (), there: Collection[T] = ()) -> T:
    """What the words name. Where that is unknown, only names are told that may be meant in this game (``there``), if
    that is known."""
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
        lambda reading, node: named(names, reading.words(node), likely(reading.context)),
        names.name,
    )


def nothing_likely(_: Context) -> tuple[()]:
    return ()
