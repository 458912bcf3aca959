"""Topics: what a refusal or an event is about, and the clause of each book that rules on it.

``data/topics/*.toml`` holds one table a topic, a file a chapter::

    ["charity.who-is-poor"]
    ah-1979 = "AH.VIII.I-a"
    wbc-2018 = "WBC.VIII.2"       # only where that book says more than the one it builds on

A rule set names its books in the order in which they count ("books" in its file).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from rules.components.facts import data_folder, document


@cache
def topics() -> Mapping[str, Mapping[str, str]]:
    """Every topic with its clause in each book that has one."""
    found: dict[str, Mapping[str, str]] = {}
    for file in sorted((data_folder() / "topics").glob("*.toml")):
        for name, clauses in document(f"topics/{file.name}").values.items():
            found[name] = clauses
    return found


def clause_of(topic: str, books: tuple[str, ...]) -> str:
    """The clause that rules on a topic in the first of these books that has one; "" if none has."""
    return next(iter(clauses_on(topic, books)), "")


@cache
def clauses_on(topic: str, books: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses on a topic, that of the first book first; () if none of these books has one."""
    clauses = topics().get(topic, {})
    return tuple(clauses[book] for book in books if book in clauses)
