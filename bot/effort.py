"""Effort: limits on the work that one mail may cause, inside and outside a transaction.

Understanding a mail costs *steps* of about a tenth of a millisecond each. A step is, for example, trying one reading,
looking up a misspelt word, or having the rules judge an order. A mail may cost at most `MOST_STEPS`. Steps are counted
instead of seconds so that the same mail always has the same meaning. `charge` is called before each piece of work. It
raises `Exhausted` when no step is left, and whatever was being read counts as not understood. `bot.language` catches
this exception around a whole line, never around part of a decision.

A transaction keeps others waiting, so only `MOST_STEPS_INSIDE` are allowed inside one. That is enough for the lines
that people usually write. If a mail needs more, `understood` raises `BetterOutside`. The transaction is then rolled
back, `Understanding` does the work outside, and the transaction begins again. It uses the result if the position is
still the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

T = TypeVar("T")

MOST_STEPS = 5_000
MOST_STEPS_INSIDE = 100
MOST_TIMES_ANEW = 3
"""How many times a mail is given back the steps spent on work that must be repeated because its game has changed."""


class Exhausted(Exception):
    pass


class BetterOutside(Exception):
    def __init__(self, about: Hashable, position: Hashable, work: Callable[[], object]) -> None:
        super().__init__(str(about)[:80])
        self.about, self.position, self.work, self.context = about, position, work, copy_context()


class _TooLongInside(Exception):
    pass


class Effort:
    def __init__(self, steps: int, end: type[Exception] = Exhausted) -> None:
        self.left, self._end = steps, end

    def charge(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise self._end


_EFFORT: ContextVar[Effort | None] = ContextVar("effort", default=None)


def charge(steps: int = 1) -> None:
    if effort := _EFFORT.get():
        effort.charge(steps)


def is_exhausted() -> bool:
    effort = _EFFORT.get()
    return effort is not None and effort.left < 0


@contextmanager
def limited(effort: Effort | None = None) -> Iterator[None]:
    before = _EFFORT.set(effort or _EFFORT.get() or Effort(MOST_STEPS))
    try:
        yield
    finally:
        _EFFORT.reset(before)


class Understanding:
    def __init__(self) -> None:
        self._found: dict[Hashable, tuple[Hashable, Any]] = {}
        self._effort = Effort(MOST_STEPS)
        self._spent: dict[Hashable, int] = {}
        self._anew = 0

    @contextmanager
    def shared(self) -> Iterator[None]:
        before = _UNDERSTANDING.set(self)
        try:
            yield
        finally:
            _UNDERSTANDING.reset(before)

    def of(self, about: Hashable, position: Hashable, work: Callable[[], T]) -> T:
        if about in self._found and self._found[about][0] != position and self._anew < MOST_TIMES_ANEW:
            self._anew += 1
            self._effort.left += self._spent.pop(about, 0)
        if about not in self._found or self._found[about][0] != position:
            enough = self._effort.left <= MOST_STEPS_INSIDE
            inside = self._effort if enough else Effort(MOST_STEPS_INSIDE, _TooLongInside)
            try:
                with limited(inside):
                    self._found[about] = position, work()
            except _TooLongInside:
                raise BetterOutside(about, position, work) from None
            finally:
                self._effort.left -= 0 if enough else MOST_STEPS_INSIDE - inside.left
        found: T = self._found[about][1]
        return found

    def only_outside(self, about: Hashable, work: Callable[[], T]) -> T:
        if about not in self._found:
            raise BetterOutside(about, None, work)
        found: T = self._found[about][1]
        return found

    def work_outside(self, more: BetterOutside) -> None:
        before = self._effort.left
        self._found[more.about] = more.position, more.context.run(self._worked, more.work)
        self._spent[more.about] = before - self._effort.left

    def _worked(self, work: Callable[[], T]) -> T:
        _UNDERSTANDING.set(None)  # in a separate context, which counts as outside every transaction
        with limited(self._effort):
            return work()


_UNDERSTANDING: ContextVar[Understanding | None] = ContextVar("understanding", default=None)


def better_outside(about: Hashable, work: Callable[[], T]) -> T:
    shared = _UNDERSTANDING.get()
    return shared.only_outside(about, work) if shared is not None else work()


def built_outside(build: _lru_cache_wrapper[T]) -> T:
    return build() if build.cache_info().currsize else better_outside(build, build)


def understood(about: Hashable, position: Hashable, work: Callable[[], T]) -> T:
    shared = _UNDERSTANDING.get()
    if shared is not None:
        return shared.of(about, position, work)
    with limited():
        return work()
