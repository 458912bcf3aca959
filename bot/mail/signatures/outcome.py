"""What can be said of a signature, and how much work may be spent on those of one mail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["fits", "unproved", "changed", "damaged"]
"""`fits`: this is the text that was signed, as far as its digest shows. `unproved`: nothing speaks against it, but the
digest is not shown, or is of a kind not known. `changed`: this is not the text that was signed. `damaged`: what should
be a signature is none."""

ORDER: tuple[Outcome, ...] = ("fits", "unproved", "changed", "damaged")
"""Of several signatures of one text one that fits is enough: then the text is what was signed."""


@dataclass(slots=True)
class Work:
    """What is left for a mail; a signature for which nothing is left stays unproved."""

    text_bytes: int = 10_000_000
    hashed_bytes: int = 40_000_000

    def allows_a_text(self, count: int) -> bool:
        self.text_bytes -= count
        return self.text_bytes >= 0

    def allows(self, count: int) -> bool:
        self.hashed_bytes -= count
        return self.hashed_bytes >= 0
