"""In the words of which edition is spoken while a letter is written.

A letter is about one game, and all of it is in the words of that game's edition: whoever begins a letter says so once,
and every sentence and filter below keeps to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rules.components.terms import Edition, order_in_words_of

_SPOKEN: ContextVar[Edition] = ContextVar("edition", default="1979")


def spoken() -> Edition:
    """The edition whose words are used now."""
    return _SPOKEN.get()


def ordered(line: str) -> str:
    """An order line as players of this edition write it."""
    return order_in_words_of(spoken(), line)


@contextmanager
def speaking(edition: Edition) -> Iterator[None]:
    """Whatever is said within is said in the words of this edition."""
    before = _SPOKEN.set(edition)
    try:
        yield
    finally:
        _SPOKEN.reset(before)
