"""The orders that a letter offers as boxes and buttons for a question.

Where only hidden cards or traitors decide who can act, they are the same for everybody who is asked: a letter that is
longer for who holds the card would tell it to whoever sees the letter pass or come back quoted. An order that its
sender cannot play is refused to them alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from rules.decisions.question import Question
from rules.orders import FamilyAtomics, NoStormCards, NoTreachery, Order, Treachery


def offered(question: Question) -> Sequence[Order]:
    """The orders to offer; where they differ by a number alone (a turn, the sectors of Weather Control), the form has a
    blank for it."""
    if question.kind == "prediction":
        return []
    if question.kind == "storm-cards":
        return [NoStormCards(), FamilyAtomics()] if FamilyAtomics in question.takes else [NoStormCards()]
    if question.kind == "traitor-call":
        return [Treachery(), NoTreachery()]
    return question.samples()
