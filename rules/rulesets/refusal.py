"""Why an order is not taken."""

from __future__ import annotations

from typing import Protocol

import msgspec

from rules.components.terms import Edition, in_words_of
from rules.rulesets.topics import clause_of


class Cited(Protocol):
    """What a refusal needs of a rule set: its books, the first that counts first, and whose words it uses."""

    @property
    def books(self) -> tuple[str, ...]: ...

    @property
    def edition(self) -> Edition: ...


class Refusal(msgspec.Struct, frozen=True):
    """A refusal that a player can act on.

    ``reason`` is one clear sentence that says what is wrong and, where it can, what would be right. ``topic`` names the
    rule it rests on ("shipment.one-a-turn"), whichever book that rule stands in; ``clause`` is the clause of the rule
    set that is played ("AH.IX.C.1.a-a"), which the engine fills in. A refusal tells its reader nothing that they may
    not know.
    """

    reason: str
    topic: str
    clause: str = ""

    def cited(self, rules: Cited) -> Refusal:
        """The same refusal in the words of a rule set, with the clause of the first of its books that has one."""
        return Refusal(in_words_of(rules.edition, self.reason), self.topic, clause_of(self.topic, rules.books))
