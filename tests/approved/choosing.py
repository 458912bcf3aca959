"""Finds inputs that do what no other does: coverage leads from the seeds to their variations, and on from these.

An input is taken if it goes from one line to another where none went before, or much more often. This is how fuzzers
such as AFL find their way; here what they find is kept.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from tests.approved.subject import Subject

Features = set[tuple[str, int, int, int]]
"""From which line to which in which file, and how often in classes of 1, 2, 4, 8 and so on."""

ROOT = Path(__file__).parents[2]


def choose(subject: Subject, seconds: float, most: int, begin_with: Sequence[str] = ()) -> list[str]:
    """So many inputs at most, found in so much time; the shortest of those that show the same come first."""
    chance, seen, found = Random(subject.name), set[Any](), list[str]()
    watch = _Watch(subject.rooms)
    seeds = [*begin_with, *dict.fromkeys(subject.seeds())]
    until = time.monotonic() + seconds

    def look(text: str) -> None:
        features = watch.features(lambda: subject.told(text))
        if not features <= seen:
            seen.update(features)
            found.append(text)

    for text in sorted(seeds, key=len):
        if time.monotonic() < until and len(found) < most:
            look(text)
    while time.monotonic() < until and len(found) < most:
        newest = found[-200:] if chance.random() < 0.5 else found
        look(subject.vary(chance, chance.choice(newest), seeds))
    return found


class _Watch:
    """Counts how often the code of some rooms goes from line to line."""

    def __init__(self, rooms: Sequence[str]) -> None:
        self._folders = tuple(_places(rooms))
        self._counts: Counter[tuple[str, int, int]] = Counter()

    def features(self, run: Any) -> Features:
        """What one run shows."""
        self._counts.clear()
        before = sys.gettrace()
        sys.settrace(self._calls)
        try:
            run()
        finally:
            sys.settrace(before)
        return {(*arc, count.bit_length()) for arc, count in self._counts.items()}

    def _calls(self, frame: FrameType, event: str, arg: object) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(self._folders):
            return None
        counts, last = self._counts, -frame.f_code.co_firstlineno

        def lines(frame: FrameType, event: str, arg: object) -> Any:
            nonlocal last
            if event == "line":
                counts[file, last, frame.f_lineno] += 1
                last = frame.f_lineno
            elif event == "return":
                counts[file, last, 0 if arg is None else -1 if not arg else -2] += 1
            return lines

        return lines


def _places(rooms: Sequence[str]) -> Iterator[str]:
    for room in rooms:
        file = importlib.import_module(room).__file__
        assert file is not None
        yield str(Path(file).parent) if Path(file).name == "__init__.py" else file
