"""A parser for container files and .dockerignore files, with only the features that ours use.

Source: the Dockerfile reference, "Format" and ".dockerignore files".
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction, such as ``COPY``, and its arguments."""

    name: str
    words: str

    def listed(self) -> list[str]:
        """Return the words of the exec form, ``["mentat", "run"]``."""
        found: list[str] = json.loads(self.words)
        return found


@dataclass(frozen=True, slots=True)
class Copy:
    """The effect of a COPY instruction. ``sources`` are in the context or, if ``of`` is set, in that earlier stage."""

    sources: list[str]
    target: str
    of: str


@dataclass(slots=True)
class Stage:
    """A stage: its base image, its name and its instructions."""

    image: str
    name: str
    instructions: list[Instruction] = field(default_factory=list)

    def all(self, name: str) -> list[Instruction]:
        return [each for each in self.instructions if each.name == name]

    def one(self, name: str) -> Instruction:
        (found,) = self.all(name)
        return found


def stages(file: Path) -> list[Stage]:
    found: list[Stage] = []
    for instruction in _instructions(file.read_text(encoding="utf-8")):
        if instruction.name == "FROM":
            image, _, name = instruction.words.partition(" AS ")
            found.append(Stage(image, name))
        else:
            found[-1].instructions.append(instruction)
    return found


def copy_of(instruction: Instruction) -> Copy:
    """Parse a COPY instruction.

    >>> copy_of(Instruction("COPY", "--from=build /opt/mentat /opt/mentat"))
    Copy(sources=['/opt/mentat'], target='/opt/mentat', of='build')
    """
    words = shlex.split(instruction.words)
    options = [word for word in words if word.startswith("--")]
    *sources, target = [word for word in words if not word.startswith("--")]
    return Copy(sources, target, next((option.removeprefix("--from=") for option in options), ""))


def left_out(ignored: Path, path: str) -> bool:
    """Return True if a .dockerignore excludes a path. The last pattern that matches it, or a folder above, decides."""
    out = False
    places = [str(PurePosixPath(path)), *(str(above) for above in PurePosixPath(path).parents if str(above) != ".")]
    for line in ignored.read_text(encoding="utf-8").splitlines():
        pattern = line.strip().removeprefix("!").removeprefix("**/")
        if pattern and not line.startswith("#") and any(fnmatch(place, pattern) for place in places):
            out = not line.startswith("!")
    return out


def _instructions(text: str) -> Iterator[Instruction]:
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in re.sub(r"\\\n\s*", "", lines).splitlines():
        if line.strip():
            name, _, words = line.strip().partition(" ")
            yield Instruction(name, words.strip())
