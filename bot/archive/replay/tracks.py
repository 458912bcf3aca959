"""The views of a game as one page can hold them all: what changes from step to step, by path and new value.

A view is a tree of tables and lists. Each leaf has a path, a number in the list of ``paths``, which says in what it
lies and its name there: a word in a table, a number in a list. An empty table or list is a leaf too, so that a view
comes out as it went in. A step of a track is a row of numbers, path and value by turns; a value is a number in the list
of ``values``, and ``NOTHING`` where there is nothing any more.

The public's track stands for itself. Everybody else's says only where what they see differs from what the public sees,
and ``ALIKE`` where it does so no longer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rules.state.events import Viewer

ROOT = 0
NOTHING = 0
ALIKE = -1

View = dict[str, Any]


class Tracks:
    """The tracks of some viewers. ``add`` takes each step in turn; views that did not change must be the same objects
    (``bot.archive.steps``)."""

    def __init__(self, viewers: Sequence[Viewer]) -> None:
        self.paths: list[tuple[int, str | int]] = [(ROOT, "")]
        self.values: list[Any] = [None]
        self.tracks: dict[Viewer, list[list[int]]] = {viewer: [] for viewer in ["public", *viewers]}
        self._path: dict[tuple[int, str | int], int] = {}
        self._value: dict[str, int] = {}
        self._before: dict[Viewer, View] = {}
        self._seen: dict[Viewer, dict[int, int]] = {viewer: {} for viewer in self.tracks}
        self._shown: dict[Viewer, dict[int, int]] = {viewer: {} for viewer in self.tracks}

    def add(self, views: Mapping[Viewer, View]) -> None:
        """The views of the next step."""
        public = self._changes("public", views["public"])
        self.tracks["public"].append([number for change in public.items() for number in change])
        for viewer, track in self.tracks.items():
            if viewer != "public":
                track.append(list(self._differences(viewer, views[viewer], public)))

    def _differences(self, viewer: Viewer, view: View, public: Mapping[int, int]) -> Iterator[int]:
        """Where the viewer's view begins or ceases to differ from the public's."""
        shown, seen, open_to_all = self._shown[viewer], self._seen[viewer], self._seen["public"]
        for path in {**public, **self._changes(viewer, view)}:
            mine = seen.get(path, NOTHING)
            difference = ALIKE if mine == open_to_all.get(path, NOTHING) else mine
            if shown.get(path, ALIKE) != difference:
                shown[path] = difference
                yield path
                yield difference

    def _changes(self, viewer: Viewer, view: View) -> dict[int, int]:
        """What is new in a view since the step before, by path."""
        found: dict[int, int] = {}
        before = self._before.get(viewer)
        if view is not before:
            self._compare(ROOT, before or {}, view, found)
            self._before[viewer] = view
            self._seen[viewer].update(found)
        return found

    def _compare(self, path: int, old: Any, new: Any, found: dict[int, int]) -> None:
        if old and new and isinstance(old, dict) and isinstance(new, dict):
            for name, value in old.items():
                if name not in new:
                    self._leave(self._at(path, name), value, found)
            for name, value in new.items():
                if name in old:
                    if old[name] is not value:
                        self._compare(self._at(path, name), old[name], value, found)
                else:
                    self._come(self._at(path, name), value, found)
        elif old and new and isinstance(old, list) and isinstance(new, list):
            for number in range(max(len(old), len(new))):
                at = self._at(path, number)
                if number >= len(new):
                    self._leave(at, old[number], found)
                elif number >= len(old):
                    self._come(at, new[number], found)
                elif old[number] is not new[number]:
                    self._compare(at, old[number], new[number], found)
        elif type(old) is not type(new) or old != new:
            self._leave(path, old, found)
            self._come(path, new, found)

    def _leave(self, path: int, value: Any, found: dict[int, int]) -> None:
        for at, _ in self._leaves(path, value):
            found[at] = NOTHING

    def _come(self, path: int, value: Any, found: dict[int, int]) -> None:
        for at, leaf in self._leaves(path, value):
            found[at] = self._kept(leaf)

    def _leaves(self, path: int, value: Any) -> Iterator[tuple[int, Any]]:
        if value and isinstance(value, dict):
            for name, inner in value.items():
                yield from self._leaves(self._at(path, name), inner)
        elif value and isinstance(value, list):
            for number, inner in enumerate(value):
                yield from self._leaves(self._at(path, number), inner)
        else:
            yield path, value

    def _at(self, path: int, name: str | int) -> int:
        number = self._path.get((path, name))
        if number is None:
            number = self._path[path, name] = len(self.paths)
            self.paths.append((path, name))
        return number

    def _kept(self, leaf: Any) -> int:
        key = json.dumps(leaf)
        number = self._value.get(key)
        if number is None:
            number = self._value[key] = len(self.values)
            self.values.append(leaf)
        return number
