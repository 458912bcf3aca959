"""Why an order is refused, and which clause is the reason.

A refusal or an event names a *topic*. ``data/topics/*.toml`` says which clause of each book rules on it: one table a
topic, one file a chapter::

    ["charity.who-is-poor"]
    ah-1979 = "AH.VIII.I-a"
    wbc-2018 = "WBC.VIII.2"       # only where that book says more than the one it builds on

A rule set names its books in order of precedence ("books" in its file).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Protocol

import msgspec

from rules.components.facts import data_folder, document
from rules.components.terms import Edition, in_words_of


class Cited(Protocol):
    """What a refusal needs of a rule set: its books in order of precedence, and the edition of its terms."""

    @property
    def books(self) -> tuple[str, ...]: ...

    @property
    def edition(self) -> Edition: ...


class Refusal(msgspec.Struct, frozen=True):
    """A refusal that a player can act on.

    ``reason`` is one clear sentence that says what is wrong and, if possible, what would be right. ``topic`` names the
    underlying rule ("shipment.one-a-turn"), in any book. ``clause`` is the clause of the game's rule set
    ("AH.IX.C.1.a-a"), which the engine fills in. A refusal reveals nothing that its reader may not know.
    """

    reason: str
    topic: str
    clause: str = ""

    def cited(self, rules: Cited) -> Refusal:
        """Return the refusal in the terms of a rule set, with the clause of its first book that has one."""
        return Refusal(in_words_of(rules.edition, self.reason), self.topic, clause_of(self.topic, rules.books))


@cache
def topics() -> Mapping[str, Mapping[str, str]]:
    found: dict[str, Mapping[str, str]] = {}
    for file in sorted((data_folder() / "topics").glob("*.toml")):
        for name, clauses in document(f"topics/{file.name}").values.items():
            found[name] = clauses
    return found


def clause_of(topic: str, books: tuple[str, ...]) -> str:
    return next(iter(clauses_on(topic, books)), "")


@cache
def clauses_on(topic: str, books: tuple[str, ...]) -> tuple[str, ...]:
    clauses = topics().get(topic, {})
    return tuple(clauses[book] for book in books if book in clauses)
