"""Why an order is not taken."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal that a player can act on.

    ``reason`` is one clear sentence that says what is wrong and, where it can, what would be right; ``clause`` is
    the rule it rests on ("AH.IX.C.1.c-a"). A refusal tells its reader nothing that he may not know.
    """

    reason: str
    clause: str
