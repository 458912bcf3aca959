"""What the archive shows of a game, as it is settled when the game begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast, get_args

WhileRunning = Literal["hidden", "public", "delayed"]
AfterTheEnd = Literal["full", "public-only"]
MOST_DELAY = 15
"""Turns; no game has more."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What the archive shows of a game: while it runs nothing (``hidden``), the public view (``public``) or that of
    ``delay`` turns ago (``delayed``); after its end everything, or what was public only. It is settled when the game
    begins and told to its players."""

    running: WhileRunning = "hidden"
    delay: int = 0
    ended: AfterTheEnd = "full"

    @property
    def while_it_runs(self) -> str:
        """As a game master writes it: "hidden", "public" or "delayed:2"."""
        return f"delayed:{self.delay}" if self.running == "delayed" else self.running

    @property
    def words(self) -> str:
        """Both parts in one text, as the database has it: "delayed:2 full"."""
        return f"{self.while_it_runs} {self.ended}"


RUNNING_EXPECTED = '"hidden", "public", or "delayed:2" for two turns ago (1 to 15)'
ENDED_EXPECTED = '"full" or "public-only"'


def policy(running: str, ended: str) -> Policy:
    """A policy as a game master writes its two parts. ValueError, with a sentence's end, if one is none.

    >>> policy("delayed:2", "full")
    Policy(running='delayed', delay=2, ended='full')
    """
    found = re.fullmatch(r"(hidden|public)|delayed:([0-9]{1,2})", running)
    if not found or (found[2] and not 1 <= int(found[2]) <= MOST_DELAY):
        raise ValueError(f"{running!r} is not {RUNNING_EXPECTED}")
    if ended not in get_args(AfterTheEnd):
        raise ValueError(f"{ended!r} is not {ENDED_EXPECTED}")
    after = cast(AfterTheEnd, ended)
    return Policy("delayed", int(found[2]), after) if found[2] else Policy(cast(WhileRunning, running), 0, after)


def policy_of(words: str) -> Policy:
    """A policy from its one text (``Policy.words``)."""
    return policy(*words.split())
