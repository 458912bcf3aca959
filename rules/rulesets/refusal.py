"""Why an order is not taken."""

from __future__ import annotations

from dataclasses import dataclass

from rules.rulesets.topics import clause_of


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal that a player can act on.

    ``reason`` is one clear sentence that says what is wrong and, where it can, what would be right. ``topic`` names the
    rule it rests on ("shipment.one-a-turn"), whichever book that rule stands in; ``clause`` is the clause of the rule
    set that is played ("AH.IX.C.1.a-a"), which the engine fills in. A refusal tells its reader nothing that they may
    not know.
    """

    reason: str
    topic: str
    clause: str = ""

    def cited(self, books: tuple[str, ...]) -> Refusal:
        """The same refusal with its clause, looked up in these books, the first of them first."""
        return Refusal(self.reason, self.topic, clause_of(self.topic, books))
