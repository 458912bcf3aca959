"""Why recorded games may differ: ``expected.toml`` lists the causes, each with the signs by which it is known.

A cause is a decision about the rules. Signs are those of ``replay.Difference``, where ``*`` stands for anything; the
games are those among the kept ones (``kept.jsonl.xz``, ``net.jsonl.xz``) that differ for this cause, and no others may.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from tests.recorded.replay import Difference

EXPECTED = Path(__file__).with_name("expected.toml")
KEPT = Path(__file__).with_name("kept.jsonl.xz")
NET = Path(__file__).with_name("net.jsonl.xz")
"""Games that are looked at."""


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reason for differences: the decision, the clauses behind it, the signs, and which kept games show it."""

    why: str
    clauses: tuple[str, ...]
    signs: tuple[str, ...]
    games: tuple[str, ...] = ()

    def explains(self, difference: Difference) -> bool:
        return any(fnmatchcase(difference.sign, sign) for sign in self.signs)


def expected(file: Path = EXPECTED) -> list[Cause]:
    """The causes in a file."""
    return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")).get("cause", []), list[Cause])


def cause_of(difference: Difference, causes: Sequence[Cause]) -> Cause | None:
    """The first cause that explains a difference; None if none does."""
    return next((cause for cause in causes if cause.explains(difference)), None)
