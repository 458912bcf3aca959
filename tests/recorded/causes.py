"""The reasons why recorded games may differ. ``expected.toml`` lists the causes, each with its signs.

A cause is a decision about the rules. Its signs are those of ``replay.Difference``, where ``*`` matches anything. Only
the games that it lists, from the kept ones (``kept.jsonl.xz``, ``net.jsonl.xz``), may differ for this cause.
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
"""A file of games that are also looked at."""


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cause of differences: the decision, the clauses behind it, its signs, and the kept games that show it."""

    why: str
    clauses: tuple[str, ...]
    signs: tuple[str, ...]
    games: tuple[str, ...] = ()

    def explains(self, difference: Difference) -> bool:
        return any(fnmatchcase(difference.sign, sign) for sign in self.signs)


def expected(file: Path = EXPECTED) -> list[Cause]:
    return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")).get("cause", []), list[Cause])


def cause_of(difference: Difference, causes: Sequence[Cause]) -> Cause | None:
    """Return the first cause that explains a difference, or None."""
    return next((cause for cause in causes if cause.explains(difference)), None)
