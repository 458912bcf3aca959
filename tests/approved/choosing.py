"""Finds inputs that do what no other does: what comes out differently in the code leads from the seeds to their
variations, and on from these.

This is how fuzzers such as AFL find their way; here what they find is kept. Without probes in the code (``probes``)
nothing is found.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from random import Random

from tests.approved import probes
from tests.approved.subject import Subject

LONGEST = 2.0
"""An input with which the product is busy for so many seconds is left out, and shown like one with which it fails."""

Look = Callable[[str], set[probes.Feature]]


def choose(subject: Subject, seconds: float, most: int, begin_with: Sequence[str] = ()) -> list[str]:
    """So many inputs at most, found in so much time; the shortest of those that show the same come first."""
    return choose_by(
        lambda text: probes.looked_at(subject.rooms, lambda: subject.ask(text)), subject, seconds, most, begin_with
    )


def choose_by(look: Look, subject: Subject, seconds: float, most: int, begin_with: Sequence[str] = ()) -> list[str]:
    """The same with another way to see what an input does. One with which it fails is shown, and not taken."""
    chance, seen = Random(subject.name), set[probes.Feature]()
    kept, found = list[str](), list[str]()
    seeds = list(dict.fromkeys(subject.seeds()))
    until = time.monotonic() + seconds
    signal.signal(signal.SIGALRM, _too_long)

    def take(text: str, *, keep: bool = True) -> None:
        signal.setitimer(signal.ITIMER_REAL, LONGEST)
        try:
            shown = look(text)
        except Exception as failure:
            print(f"{type(failure).__name__} {failure}: {text[:1000]}")
            return
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if not shown <= seen:
            seen.update(shown)
            found.append(text)
            if keep:
                kept.append(text)

    for text in sorted(seeds, key=len):
        take(text, keep=subject.keeps_seeds)
    for text in begin_with:
        take(text)
    while found and time.monotonic() < until and len(kept) < most:
        newest = found[-200:] if chance.random() < 0.5 else found
        take(subject.vary(chance, chance.choice(newest), seeds))
    return kept[:most]


def _too_long(_signal: int, _frame: object) -> None:
    raise TimeoutError(f"busy for {LONGEST:g} seconds")
