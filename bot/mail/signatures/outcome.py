"""What can be said of a signature, and how much work may be spent on those of one mail."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["good", "unproved", "changed", "damaged"]
"""`good`: the key that came along says that this text was signed. `unproved`: nothing speaks against it, but the key is
not at hand, or of a kind not known. `changed`: this is not the text that was signed. `damaged`: what should be a
signature is none."""

_ORDER: tuple[Outcome, ...] = ("good", "unproved", "changed", "damaged")


def best(outcomes: Collection[Outcome]) -> Outcome:
    """Of several signatures of one text one that fits is enough: then the text is what was signed.

    >>> best(["changed", "good"])
    'good'
    """
    return min(outcomes, key=_ORDER.index)


@dataclass(slots=True)
class Work:
    """What is left for a mail; a signature for which nothing is left stays unproved."""

    text_bytes: int = 10_000_000
    hashed_bytes: int = 40_000_000
    keys_used: int = 20

    def allows_a_text(self, count: int) -> bool:
        self.text_bytes -= count
        return self.text_bytes >= 0

    def allows(self, count: int) -> bool:
        self.hashed_bytes -= count
        return self.hashed_bytes >= 0

    def allows_a_key(self) -> bool:
        self.keys_used -= 1
        return self.keys_used >= 0
